//! conda's `environment.yml`.

use super::container::{part, variables};
use super::syntax::interpolation::{node_text, text_of};
use super::syntax::yaml::{Node, Tree};
use crate::notation::match_spec::MatchSpec;
use crate::outline::{
    Act, Choice, Does, How, Include, IndexKind, IndexLine, Language, Outline, Place, Requirement, Role, Scope, Text, Torn, When,
};
use crate::source::FileId;

/// Reads an environment; a file that only has the name of one (`dependencies:` is no list) says nothing.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut acts = Vec::new();
    let mut refused = Vec::new();
    for root in tree.documents().filter(|r| r.get("dependencies").is_some_and(Node::is_list)) {
        let always = |node: Node<'_>, does| Act { at: node.body(), when: When::default(), does };
        let place = root.get("name").or_else(|| root.get("prefix")).and_then(|n| Some((n, node_text(n)?)));
        acts.extend(place.map(|(node, name)| always(node, Does::Enter(Place::CondaEnvironment(name)))));
        for node in root.get("channels").into_iter().flat_map(Node::items) {
            let line = node_text(node).map(|url| IndexLine { url, kind: IndexKind::Channel, name: None, explicit: false });
            acts.extend(line.map(|line| always(node, Does::Index(line))));
        }
        for node in root.get("dependencies").into_iter().flat_map(Node::items) {
            if let Some(packages) = node.get("pip") {
                acts.extend(packages.items().into_iter().flat_map(pip_line));
                continue;
            }
            let Some(written) = node_text(node) else { continue };
            if let Some(why) = written.known().and_then(|t| MatchSpec::parse(t).err()) {
                refused.push(Torn { at: node.body(), why, template: false });
                continue;
            }
            let does = Does::Require(Requirement { written, language: Language::MatchSpec, role: Role::Asks });
            acts.push(Act { at: node.body(), when: selector(&tree, node), does });
        }
        for variable in root.get("variables").map(|n| variables(n, Scope::Environment)).unwrap_or_default() {
            let at = variable.value.as_ref().map_or_else(|| root.at(), |v| v.at);
            acts.push(Act { at, when: When::default(), does: Does::Set(variable) });
        }
    }
    let mut outline = tree.outline(acts, Vec::new());
    outline.torn.extend(refused);
    outline
}

/// `# [linux]` behind an item, as conda-lock and recipes have it.
fn selector(tree: &Tree<'_>, node: Node<'_>) -> When {
    let end = node.at().range().end;
    let line_end = tree.text()[end..].find('\n').map_or(tree.text().len(), |n| end + n);
    let marker = tree.comments_in(end..line_end).find_map(|comment| {
        let inside = comment.trim_start_matches('#').trim().strip_prefix('[')?.split(']').next()?.trim();
        Some(match inside {
            "linux" | "linux64" | "linux-64" => "sys_platform == 'linux'",
            "win" | "win64" | "win-64" => "sys_platform == 'win32'",
            "osx" | "osx-64" | "osx-arm64" => "sys_platform == 'darwin'",
            "unix" | "not win" => "sys_platform != 'win32'",
            "not linux" => "sys_platform != 'linux'",
            "not osx" => "sys_platform != 'darwin'",
            _ => return None,
        })
    });
    When(marker.map(|m| Choice::Marker(m.to_owned())).into_iter().collect())
}

/// One item of `pip:`, which conda copies into a requirements file.
fn pip_line(node: Node<'_>) -> Option<Act> {
    let act = |does| Some(Act { at: node.body(), when: When::default(), does });
    let Some(line) = node.text() else {
        let written = node_text(node)?;
        return act(Does::Require(Requirement { written, language: Language::Pep508, role: Role::Asks }));
    };
    // Behind a requirement come its own options (`--hash`) and comments.
    let line = [" #", " --"].iter().fold(line, |rest, mark| match rest.find(mark) {
        Some(at) if !rest.starts_with('-') || *mark == " #" => &rest[..at],
        _ => rest,
    });
    let line = line.trim_end();
    let text = |start: usize| {
        let value = line[start..].trim_matches(['"', '\'']);
        let start = start + line[start..].find(value).unwrap_or(0);
        text_of(value, part(node, start..start + value.len()))
    };
    let Some((option, start)) = option(line) else {
        let lead = line.len() - line.trim_start().len();
        let does = Requirement { written: text(lead), language: Language::Pep508, role: Role::Asks };
        return if line.trim().is_empty() { None } else { act(Does::Require(does)) };
    };
    let index = |kind, url: Text| Does::Index(IndexLine { url, kind, name: None, explicit: false });
    act(match option {
        "-i" | "--index-url" | "--pypi-url" => index(IndexKind::Primary, text(start)),
        "--extra-index-url" => index(IndexKind::Extra, text(start)),
        "-f" | "--find-links" => index(IndexKind::FindLinks, text(start)),
        "--no-index" => index(IndexKind::None, text_of(line, node.body())),
        "-r" | "--requirement" => Does::Include(Include { path: text(start), how: How::Requirements }),
        "-c" | "--constraint" => Does::Include(Include { path: text(start), how: How::Constraints }),
        "-e" | "--editable" => Does::Require(Requirement { written: text(start), language: Language::Pep508, role: Role::Asks }),
        _ => return None,
    })
}

/// An option with the start of its value: `--find-links X`, `--find-links=X`, `-rX`.
fn option(line: &str) -> Option<(&str, usize)> {
    let end = match line.as_bytes() {
        [b'-', b'-', ..] => line.find(['=', ' ', '\t']).unwrap_or(line.len()),
        [b'-', letter, ..] if letter.is_ascii() => 2,
        _ => return None,
    };
    let value = line[end..].trim_start_matches(['=', ' ', '\t']);
    Some((&line[..end], line.len() - value.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let outline = read(FileId(0), text);
        let at = |t: &Text| text[t.at.range()].to_owned();
        let acts = outline.acts.iter().map(|act| {
            let when = act.when.0.iter().map(|c| format!(" if {c:?}")).collect::<String>();
            let does = match &act.does {
                Does::Enter(Place::CondaEnvironment(name)) => format!("enter {}", at(name)),
                Does::Index(line) => format!("{:?} {}", line.kind, at(&line.url)),
                Does::Require(r) => format!("{:?} {}", r.language, at(&r.written)),
                Does::Include(i) => format!("{:?} {}", i.how, at(&i.path)),
                Does::Set(v) => format!("set {}={}", v.name, v.value.as_ref().map(at).unwrap_or_default()),
                other => format!("{other:?}"),
            };
            does + &when
        });
        let torn = outline.torn.iter().map(|t| format!("torn {}", &text[t.at.range()]));
        acts.chain(torn).collect()
    }

    #[test]
    fn an_environment() {
        let text = "name: x\nchannels: [pytorch, nvidia/label/cuda-11.8.0]\ndependencies:\n- python=3.10 # [linux]\n\
                    - 'pytorch::pytorch=2.1.*=*cuda*'\n- pkg ==\n- pip\n- pip:\n  - --extra-index-url=https://e.example/cu118\n\
                    \x20 - -f 'https://f.example/l.html'\n  - torch==2.1.0+cu118 --hash=sha256:0 # c\n  - \"-r more.txt\"\n  - -e .[gpu]\n\
                    \x20 - --pre\n  - -c c.txt\nvariables:\n  LD_LIBRARY_PATH: /x\n";
        assert_eq!(
            show(text),
            [
                "enter x",
                "Channel pytorch",
                "Channel nvidia/label/cuda-11.8.0",
                "MatchSpec python=3.10 if Marker(\"sys_platform == 'linux'\")",
                "MatchSpec pytorch::pytorch=2.1.*=*cuda*",
                "MatchSpec pip",
                "Extra https://e.example/cu118",
                "FindLinks https://f.example/l.html",
                "Pep508 torch==2.1.0+cu118",
                "Requirements more.txt",
                "Pep508 .[gpu]",
                "Constraints c.txt",
                "set LD_LIBRARY_PATH=/x",
                "torn pkg ==",
            ]
        );
    }

    #[test]
    fn others_of_that_name_say_nothing() {
        for text in [
            "",
            "\u{feff}",
            "name: x\nendpoint: {{E}}\nmodel:\n  path: y\n",
            "dependencies: x\n",
            "dependencies:\n  a: b\n",
            "{% set v = 1 %}\npackage:\n  name: {{ n }}\nrequirements:\n  host:\n    - python {{ python }}\n",
        ] {
            assert_eq!(read(FileId(0), text).acts, [], "{text:?}");
        }
    }

    #[test]
    fn half_typed_and_templated() {
        assert_eq!(show("dependencies:\r\n- pytorch\r\n- cud: [\r\n- numpy\r\n").len(), 3);
        let templated = read(FileId(0), "{% if x %}\ndependencies:\n  - python={{ v }}\n  - {{ y }}\n  - numpy\n");
        let known = templated.acts.iter().filter(|a| matches!(&a.does, Does::Require(r) if r.written.known().is_some()));
        assert_eq!((templated.acts.len(), known.count()), (3, 1));
    }
}
