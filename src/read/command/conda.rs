//! `conda`, `mamba`, `micromamba`: one command line.

use crate::outline::{
    Does, How, Include, IndexKind, IndexLine, Install, InstallFlags, Language, Piece, Place, Removal, Requirement, Role, Scope,
    Target, Text, Tool, Variable,
};
use crate::source::Span;

/// Long options that take a value.
const VALUED: &[&str] = &[
    "name",
    "prefix",
    "channel",
    "file",
    "solver",
    "experimental-solver",
    "repodata-fn",
    "subdir",
    "platform",
    "clone",
    "revision",
    "root-prefix",
    "rc-file",
    "category",
    "channel-priority",
    "log-level",
    "relocate-prefix",
    "add",
    "append",
    "prepend",
    "set",
    "lockfile",
    "extras",
    "auth",
    "auth-file",
];

/// Subcommands that are read with unknown words before them.
const VERBS: &[&str] = &["install", "create", "update", "upgrade", "remove", "uninstall", "env"];

/// What a command line does: `words` follow the program's name, `at` is the whole command.
/// What `conda run` runs is a command of its own, read by who dispatches commands.
pub(super) fn conda(words: &[Text], at: Span) -> Vec<Does> {
    let mut line = Line::read(words);
    // What stands before the verb and is not known are options.
    let known = line.positional.iter().position(|word| word.known().is_some());
    if let Some(first) = known.filter(|first| line.positional[*first].known().is_some_and(|word| VERBS.contains(&word))) {
        line.positional.drain(..first);
    }
    let mut verbs = line.positional.iter().map(|w| w.known().unwrap_or_default());
    let verb = verbs.next().unwrap_or_default();
    let rest = |n: usize| line.positional.get(n..).unwrap_or_default();
    match verb {
        "install" | "create" | "update" | "upgrade" => {
            let flags = InstallFlags {
                creates: verb == "create",
                upgrade: matches!(verb, "update" | "upgrade") || line.flag("update-deps") || line.flag("update-all"),
                ..line.flags()
            };
            vec![line.install(rest(1), flags)]
        }
        "remove" | "uninstall" => line.removal(rest(1), line.flag("all")),
        "env" => match (verbs.next(), verbs.next(), verbs.next()) {
            (Some(verb @ ("create" | "update")), ..) => {
                let flags = InstallFlags { creates: verb == "create", ..line.flags() };
                let mut install = line.install(&[], flags);
                if let Does::Install(Install { reads, .. }) = &mut install
                    && reads.is_empty()
                {
                    reads.push(Include { path: Text::literal("environment.yml", at), how: How::CondaEnvironment });
                }
                vec![install]
            }
            (Some("remove"), ..) => line.removal(&[], true),
            (Some("config"), Some("vars"), Some("set")) => rest(4).iter().filter_map(|w| variable(w)).collect(),
            _ => Vec::new(),
        },
        "activate" => {
            let base = Text::literal("base", at);
            vec![Does::Enter(Place::CondaEnvironment(rest(1).first().map_or(base, |w| (*w).clone())))]
        }
        "deactivate" => vec![Does::Enter(Place::CondaEnvironment(Text::literal("base", at)))],
        "config" => line.configured_channels(rest(1)),
        _ => Vec::new(),
    }
}

/// What a line of conda-lock does: <https://conda.github.io/conda-lock/cli/gen/>.
pub(super) fn conda_lock(words: &[Text], at: Span) -> Vec<Does> {
    let line = Line::read(words);
    let default = || Text::literal("conda-lock.yml", at);
    match line.positional.first().and_then(|word| word.known()) {
        Some("install") => {
            let path = line.positional.get(1).map_or_else(default, |word| (*word).clone());
            let mut install = line.install(&[], line.flags());
            if let Does::Install(it) = &mut install {
                it.reads = vec![Include { path, how: How::CondaEnvironment }];
                // Unasked, too.
                it.flags.groups.extend((!line.flag("no-dev")).then(|| Text::literal("dev", at)));
                it.flags.groups.extend(line.values("extras").cloned());
            }
            vec![install]
        }
        None | Some("lock") => vec![Does::Edit(line.values("lockfile").last().map_or_else(default, Text::clone))],
        _ => Vec::new(),
    }
}

/// Options and other words of a command line.
#[derive(Default)]
struct Line<'w> {
    options: Vec<(String, Option<Text>)>,
    positional: Vec<&'w Text>,
}

impl<'w> Line<'w> {
    fn read(words: &'w [Text]) -> Self {
        let mut line = Self::default();
        let mut ahead = words.iter().enumerate().peekable();
        while let Some((at, word)) = ahead.next() {
            let lead = match word.pieces.first() {
                Some(Piece::Literal(text)) => text.as_str(),
                _ => "",
            };
            let next_is_file = || words.get(at + 1).is_some_and(is_file);
            if let Some(long) = lead.strip_prefix("--") {
                let (name, attached) = match long.find('=') {
                    Some(equals) => (&long[..equals], Some(behind(word, equals + 3))),
                    None => (long, None),
                };
                let takes = attached.is_none() && VALUED.contains(&name);
                let value = attached.or_else(|| takes.then(|| ahead.next().map(|(_, w)| w.clone())).flatten());
                line.options.push((name.to_owned(), value));
            } else if lead.len() > 1 && lead.starts_with('-') {
                for (offset, letter) in lead.char_indices().skip(1) {
                    let name = match letter {
                        'n' => "name",
                        'p' => "prefix",
                        'c' => "channel",
                        'r' => "root-prefix",
                        'E' => "extras",
                        // Of old conda `-f` is force and has no value.
                        'f' if lead.len() > 2 || next_is_file() => "file",
                        'd' => "dry-run",
                        _ => continue,
                    };
                    let attached = offset + 1 + usize::from(lead[offset + 1..].starts_with('='));
                    let rest = behind(word, attached);
                    let value = match name {
                        "dry-run" => None,
                        _ if rest.pieces.is_empty() => ahead.next().map(|(_, w)| w.clone()),
                        _ => Some(rest),
                    };
                    line.options.push((name.to_owned(), value));
                    if name != "dry-run" {
                        break;
                    }
                }
            } else {
                line.positional.push(word);
            }
        }
        line
    }

    fn flag(&self, name: &str) -> bool {
        self.options.iter().any(|(n, _)| n == name)
    }

    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Text> {
        self.options.iter().filter(move |(n, _)| n == name).filter_map(|(_, value)| value.as_ref())
    }

    fn flags(&self) -> InstallFlags {
        InstallFlags {
            no_deps: self.flag("no-deps"),
            reinstall: self.flag("force-reinstall"),
            elsewhere: self.flag("dry-run") || self.flag("download-only"),
            ..InstallFlags::default()
        }
    }

    fn install(&self, specs: &[&Text], flags: InstallFlags) -> Does {
        let asks = specs.iter().map(|w| Requirement { written: (*w).clone(), language: Language::MatchSpec, role: Role::Asks });
        let (asks, indexes) = (asks.collect(), self.values("channel").map(channel).collect());
        let (reads, target) = (self.reads(), self.target());
        Does::Install(Install { tool: Tool::Conda, asks, reads, indexes, target, flags, line: None })
    }

    fn reads(&self) -> Vec<Include> {
        self.values("file").map(|path| Include { path: path.clone(), how: how(path) }).collect()
    }

    fn target(&self) -> Target {
        match (self.values("prefix").last(), self.values("name").last()) {
            (Some(prefix), _) => Target::Prefix(prefix.clone()),
            (None, Some(name)) => Target::Named(name.clone()),
            (None, None) => Target::Active,
        }
    }

    fn removal(&self, names: &[&Text], whole: bool) -> Vec<Does> {
        // An environment does not take itself away.
        if self.flag("dry-run") || whole && self.target() == Target::Active {
            return Vec::new();
        }
        let names = names.iter().map(|word| (*word).clone()).collect();
        vec![Does::Remove(Removal { reads: self.reads(), target: self.target(), whole, ..Removal::of(Tool::Conda, names) })]
    }

    /// `conda config --add channels conda-forge`.
    fn configured_channels(&self, names: &[&Text]) -> Vec<Does> {
        let key = ["add", "append", "prepend"].into_iter().find_map(|verb| self.values(verb).last());
        match key.and_then(Text::known) {
            Some("channels") => names.iter().map(|name| Does::Index(channel(name))).collect(),
            _ => Vec::new(),
        }
    }
}

fn channel(name: &Text) -> IndexLine {
    IndexLine { url: name.clone(), kind: IndexKind::Channel, name: None, explicit: false }
}

/// A file of specs is conda's own unless its name says YAML; what it lists are match specs then, as the tool says.
fn how(path: &Text) -> How {
    match path.pieces.last() {
        Some(Piece::Literal(end)) if end.ends_with(".yml") || end.ends_with(".yaml") => How::CondaEnvironment,
        _ => How::Requirements,
    }
}

fn is_file(word: &Text) -> bool {
    match word.pieces.last() {
        Some(Piece::Literal(end)) => [".yml", ".yaml", ".txt", ".lock"].iter().any(|e| end.ends_with(e)),
        _ => false,
    }
}

/// `NAME=value` of `conda env config vars set`.
fn variable(word: &Text) -> Option<Does> {
    let Some(Piece::Literal(lead)) = word.pieces.first() else { return None };
    let equals = lead.find('=')?;
    let value = Some(behind(word, equals + 1));
    Some(Does::Set(Variable { name: lead[..equals].to_owned(), value, scope: Scope::Environment }))
}

/// A word without its first `n` bytes, which are literal.
fn behind(word: &Text, n: usize) -> Text {
    let mut pieces = word.pieces.clone();
    if let Some(Piece::Literal(lead)) = pieces.first_mut() {
        lead.drain(..n);
        if lead.is_empty() {
            pieces.remove(0);
        }
    }
    // Where quotes or escapes fell away the offset says nothing.
    let bare = word.known().is_some_and(|t| t.len() == word.at.range().len());
    let start = if bare { word.at.start as usize + n } else { word.at.start as usize };
    Text { pieces, at: Span::new(word.at.file, start, word.at.end as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn words(line: &str) -> Vec<Text> {
        let mut at = 0;
        line.split(' ')
            .map(|word| {
                let span = Span::new(FileId(0), at, at + word.len());
                at = span.end as usize + 1;
                match word.split_once('$') {
                    Some((lead, name)) => {
                        let variable = Piece::Variable { name: name.to_owned(), fallback: None, instead: None };
                        let lead = Some(Piece::Literal(lead.to_owned())).filter(|_| !lead.is_empty());
                        Text { pieces: lead.into_iter().chain([variable]).collect(), at: span }
                    }
                    None => Text::literal(word, span),
                }
            })
            .collect()
    }

    fn said(text: &Text) -> String {
        text.pieces
            .iter()
            .map(|p| match p {
                Piece::Literal(text) => text.clone(),
                Piece::Variable { name, .. } => format!("${name}"),
                Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => "?".to_owned(),
            })
            .collect()
    }

    fn show(line: &str) -> String {
        let words = words(line);
        let does = conda(&words, Span::new(FileId(0), 0, line.len()));
        let out: Vec<String> = does
            .iter()
            .map(|d| match d {
                Does::Install(i) => {
                    let list = |mark: &str, all: Vec<String>| all.iter().map(|t| format!(" {mark}{t}")).collect::<String>();
                    let target = match &i.target {
                        Target::Active | Target::System | Target::Python(_) => String::new(),
                        Target::Own(tool) => format!(" own:{tool:?}"),
                        Target::Named(t) => format!(" name:{}", said(t)),
                        Target::Prefix(t) => format!(" prefix:{}", said(t)),
                        Target::Apart(t) => format!(" apart:{}", said(t)),
                    };
                    let f = &i.flags;
                    let flags = [
                        (f.creates, " creates"),
                        (f.upgrade, " upgrade"),
                        (f.no_deps, " no_deps"),
                        (f.elsewhere, " elsewhere"),
                        (f.reinstall, " reinstall"),
                    ];
                    let flags: String = flags.iter().filter(|(on, _)| *on).map(|(_, t)| *t).collect();
                    let asks = list("", i.asks.iter().map(|a| said(&a.written)).collect());
                    let reads = list("<", i.reads.iter().map(|r| format!("{:?}:{}", r.how, said(&r.path))).collect());
                    format!("install{asks}{reads}{}{target}{flags}", list("@", i.indexes.iter().map(|c| said(&c.url)).collect()))
                }
                Does::Remove(Removal { names, target, whole, .. }) => {
                    let from = if let Target::Named(name) = target { format!(" from:{}", said(name)) } else { String::new() };
                    let names = names.iter().map(said).collect::<Vec<_>>().join(" ");
                    if *whole { format!("remove all{from}") } else { format!("remove {names}{from}") }
                }
                Does::Enter(Place::CondaEnvironment(t)) => format!("enter {}", said(t)),
                Does::Set(v) => format!("set {}={}", v.name, v.value.as_ref().map(said).unwrap_or_default()),
                Does::Index(i) => format!("channel {}", said(&i.url)),
                other => format!("{other:?}"),
            })
            .collect();
        out.join("; ")
    }

    #[test]
    fn command_lines() {
        for (line, does) in [
            (
                "install pytorch==1.12.1 cudatoolkit=11.6 -c pytorch -c conda-forge -y",
                "install pytorch==1.12.1 cudatoolkit=11.6 @pytorch @conda-forge",
            ),
            ("create -yn env python=$V", "install python=$V name:env creates"),
            ("create --name=e --override-channels --channel=nvidia x", "install x @nvidia name:e creates"),
            ("create -p ./env --no-deps --dry-run x", "install x prefix:./env creates no_deps elsewhere"),
            ("update --all", "install upgrade"),
            ("install --file requirements.txt", "install <Requirements:requirements.txt"),
            ("install -y -n base -f /tmp/env.yaml", "install <CondaEnvironment:/tmp/env.yaml name:base"),
            ("install -f x", "install x"),
            ("env create -f=e.yml", "install <CondaEnvironment:e.yml creates"),
            ("env create", "install <CondaEnvironment:environment.yml creates"),
            ("env update --name $E --file e.yml --prune", "install <CondaEnvironment:e.yml name:$E"),
            ("env remove -n x", "remove all from:x"),
            ("remove -n x --all", "remove all from:x"),
            ("uninstall -y pytorch cpuonly", "remove pytorch cpuonly"),
            ("remove -n a pytorch", "remove pytorch from:a"),
            ("remove --all", ""),
            ("activate x", "enter x"),
            ("activate", "enter base"),
            ("deactivate", "enter base"),
            ("run -n x --no-capture-output pip install -r a.txt", ""),
            ("config --add channels conda-forge", "channel conda-forge"),
            ("config --set channel_priority strict", ""),
            ("env config vars set A=b C=$D", "set A=b; set C=$D"),
            ("-r /opt/m install x", "install x"),
            ("clean -afy", ""),
            ("", ""),
            ("install -c", "install"),
        ] {
            assert_eq!(show(line), does, "{line}");
        }
    }

    #[test]
    fn conda_lock_installs_a_lock() {
        let groups = |line: &str| match conda_lock(&words(line), Span::new(FileId(0), 0, line.len())).as_slice() {
            [Does::Install(it)] => {
                let groups: Vec<_> = it.flags.groups.iter().map(said).collect();
                format!("{} {} {:?}", said(&it.reads[0].path), groups.join(","), matches!(it.target, Target::Named(_)))
            }
            [Does::Edit(path)] => format!("edits {}", said(path)),
            other => format!("{other:?}"),
        };
        assert_eq!(groups("install --name x"), "conda-lock.yml dev true");
        assert_eq!(groups("install --no-dev -E gpu a.conda-lock.yml"), "a.conda-lock.yml gpu false");
        assert_eq!(groups("-f environment.yml -p linux-64"), "edits conda-lock.yml");
        assert_eq!(groups("lock --lockfile b.yml"), "edits b.yml");
        assert_eq!(groups("render"), "[]");
    }

    #[test]
    fn values_keep_their_place() {
        let line = "create --name=env x";
        let words = words(line);
        let does = conda(&words, Span::new(FileId(0), 0, line.len()));
        let [Does::Install(Install { target: Target::Named(name), .. })] = does.as_slice() else { panic!("{does:?}") };
        assert_eq!(&line[name.at.range()], "env");
    }
}
