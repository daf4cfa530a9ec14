//! conda's `environment.yml`.

use std::borrow::Cow;
use std::ops::Range;

use super::container::variables;
use super::requirements;
use super::syntax::interpolation::node_text;
use super::syntax::template;
use super::syntax::yaml::{Node, Style, Tree};
use crate::notation::match_spec::MatchSpec;
use crate::outline::{Act, Choice, Does, IndexKind, IndexLine, Language, Outline, Place, Requirement, Role, Scope, Torn, When};
use crate::source::FileId;

/// Reads an environment; a file that only has the name of one (`dependencies:` is no list) says nothing.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut acts = Vec::new();
    let mut refused = Vec::new();
    let mut pip = Vec::new();
    let mut sets = Vec::new();
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
                pip.extend(packages.items().into_iter().filter_map(|n| Some((n.body().range(), n.style()?))));
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
            sets.push(Act { at, when: When::default(), does: Does::Set(variable) });
        }
    }
    let lines = requirements::read(file, &only(text, pip));
    // conda installs them last, wherever they stand.
    acts.extend(lines.acts.into_iter().chain(sets));
    template::choose(text, &mut acts);
    let mut outline = tree.outline(acts, Vec::new());
    outline.torn.extend(refused.into_iter().chain(lines.torn));
    outline.torn.sort_by_key(|t| t.at);
    outline.torn.dedup_by_key(|t| t.at);
    outline
}

/// A comment that begins further behind an item is none of its own.
const NEAR: usize = 256;

/// `# [linux]` behind an item, as conda-lock and recipes have it.
fn selector(tree: &Tree<'_>, node: Node<'_>) -> When {
    let end = node.at().range().end;
    let near = tree.text().floor_char_boundary(end.saturating_add(NEAR));
    let line_end = tree.text()[end..near].find('\n').map_or(near, |n| end + n);
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

/// The text with all but these parts as blanks, a line for each: conda copies the items of `pip:` into a requirements file.
fn only(text: &str, mut parts: Vec<(Range<usize>, Style)>) -> String {
    parts.sort_by_key(|(p, _)| (p.start, p.end));
    let mut out = String::with_capacity(text.len());
    for (part, style) in parts {
        let Some(between) = part.start.checked_sub(out.len()) else { continue };
        out.extend(std::iter::repeat_n('\n', between.min(1)));
        out.extend(std::iter::repeat_n(' ', between.saturating_sub(1)));
        // A folded item is one line.
        let part = unescaped(text.get(part).unwrap_or_default(), style);
        out.extend(part.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
    }
    let rest = text.len().saturating_sub(out.len());
    out.extend(std::iter::repeat_n('\n', rest.min(1)));
    out.extend(std::iter::repeat_n(' ', rest.saturating_sub(1)));
    out
}

/// Escaped quotes as quotes, each with a blank outside of what it quotes: every other byte stays in its place.
fn unescaped(item: &str, style: Style) -> Cow<'_, str> {
    let (escaped, opens, closes) = match style {
        Style::Double => ("\\\"", " \"", "\" "),
        Style::Single => ("''", " '", "' "),
        Style::Plain | Style::Literal | Style::Folded => return Cow::Borrowed(item),
    };
    if !item.contains(escaped) {
        return Cow::Borrowed(item);
    }
    let mut out = String::with_capacity(item.len());
    for (n, part) in item.split(escaped).enumerate() {
        match n {
            0 => {}
            n if n % 2 == 1 => out.push_str(opens),
            _ => out.push_str(closes),
        }
        out.push_str(part);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Text;

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
                Does::Options(flags) if flags.pre => "pre".to_owned(),
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
                "FindLinks 'https://f.example/l.html'",
                "Pep508 torch==2.1.0+cu118",
                "Requirements more.txt",
                "Project .[gpu]",
                "pre",
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
