//! uv's own settings, `[tool.uv]` and `uv.toml`: indexes, sources, conflicts.
//!
//! Sources: <https://docs.astral.sh/uv/reference/settings/>, <https://docs.astral.sh/uv/concepts/configuration-files/>.

use super::command::asks::{index, no_index, normal};
use super::syntax::comments::ignores;
use super::syntax::toml::{Table, Toml, Value, comments, is_set, items, table, word};
use crate::notation::requirement::normalise;
use crate::outline::{
    Act, Choice, Does, IndexKind, IndexLine, InstallFlags, Language, Members, Outline, Requirement, Role, Route, RouteTo, Text,
    Tool, When,
};
use crate::source::FileId;

/// Reads a `uv.toml`.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let mut found = acts(&toml, &root);
    for (key, role) in [("constraint-dependencies", Role::Bounds), ("override-dependencies", Role::Overrides)] {
        for written in root.get(key).map(|list| toml.strings(list)).unwrap_or_default() {
            let at = written.at;
            let does = Does::Require(Requirement { written, language: Language::Pep508, role });
            found.push(Act { at, when: own(Tool::Uv), does });
        }
    }
    found.sort_by_key(|act| act.at.start);
    Outline { acts: found, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

fn own(tool: Tool) -> When {
    When(vec![Choice::For(tool)])
}

/// What uv's table says, except for requirements.
pub(super) fn acts(toml: &Toml<'_>, uv: &Table<'_>) -> Vec<Act> {
    let mut acts = settings(toml, uv);
    for act in &mut acts {
        act.when.0.insert(0, Choice::For(Tool::Uv));
    }
    if let Some((key, list)) = uv.get_key_value("environments") {
        let does = Does::ResolvedFor(toml.string(list).map_or_else(|| toml.strings(list), |one| vec![one]));
        acts.push(Act { at: toml.entry(key, list), when: own(Tool::Uv), does });
    }
    // Those of `uv pip` alone.
    let of_pip = table(uv, &["pip"]).map(|pip| settings(toml, pip)).unwrap_or_default();
    acts.extend(of_pip.into_iter().map(|act| Act { when: own(Tool::UvPip), ..act }));
    acts
}

fn settings(toml: &Toml<'_>, uv: &Table<'_>) -> Vec<Act> {
    let mut acts = Vec::new();
    let always = |at, does| Act { at, when: When::default(), does };
    for (key, value) in uv {
        let at = toml.span(key.span()).to(toml.span(value.span()));
        match key.get_ref().as_ref() {
            "sources" => acts.extend(value.get_ref().as_table().into_iter().flat_map(|sources| routes(toml, sources))),
            "index" => acts.extend(items(value).filter_map(|item| named_index(toml, item))),
            "index-url" => acts.extend(toml.string(value).map(|url| always(url.at, Does::Index(index(url, IndexKind::Primary))))),
            "extra-index-url" => acts.extend(urls(toml, value, IndexKind::Extra)),
            "find-links" => acts.extend(urls(toml, value, IndexKind::FindLinks)),
            "no-index" if value.get_ref().as_bool() == Some(true) => acts.push(always(at, Does::Index(no_index(at)))),
            "workspace" => acts.extend(members(toml, value).map(|members| always(at, Does::Members(members)))),
            "conflicts" => acts.extend(items(value).filter_map(|set| conflict(toml, set))),
            _ => {
                acts.extend(options(toml, key.get_ref(), value).map(|flags| always(at, Does::Options(flags))));
            }
        }
    }
    acts
}

fn urls<'a>(toml: &Toml<'_>, value: &'a Value<'_>, kind: IndexKind) -> impl Iterator<Item = Act> + use<'a> {
    let does = move |url: Text| Act { at: url.at, when: When::default(), does: Does::Index(index(url, kind)) };
    toml.strings(value).into_iter().map(does)
}

fn named_index(toml: &Toml<'_>, item: &Value<'_>) -> Option<Act> {
    let table = item.get_ref().as_table()?;
    let kind = match word(table, "format") {
        Some("flat") => IndexKind::FindLinks,
        _ if is_set(table, "default") => IndexKind::Primary,
        _ => IndexKind::Extra,
    };
    let (url, name) = (toml.string_at(table, "url")?, word(table, "name").map(str::to_owned));
    let line = IndexLine { url, kind, name, explicit: is_set(table, "explicit") };
    Some(Act { at: toml.whole(item), when: When::default(), does: Does::Index(line) })
}

fn routes(toml: &Toml<'_>, sources: &Table<'_>) -> Vec<Act> {
    let mut acts = Vec::new();
    for (package, value) in sources {
        let mut route = |source: &Value<'_>| acts.extend(route(toml, &normalise(package.get_ref()), source));
        match value.get_ref().as_array() {
            Some(list) => list.iter().for_each(&mut route),
            None => route(value),
        }
    }
    acts
}

fn route(toml: &Toml<'_>, package: &str, source: &Value<'_>) -> Option<Act> {
    let table = source.get_ref().as_table()?;
    let text = |key: &str| toml.string_at(table, key);
    let wheel = |path: &Text| path.known().is_some_and(|path| path.ends_with(".whl"));
    let to = match (text("index"), text("url"), text("path").filter(wheel)) {
        (Some(index), ..) => RouteTo::Index(index),
        (None, Some(url), _) | (None, None, Some(url)) => RouteTo::Url(url),
        _ if ["path", "workspace"].iter().any(|key| table.contains_key(*key)) => RouteTo::Here,
        _ if table.contains_key("git") => RouteTo::Elsewhere,
        _ => return None,
    };
    let when = When(choices(toml, table).collect());
    Some(Act { at: toml.whole(source), when, does: Does::Route(Route { package: package.to_owned(), to }) })
}

/// `marker`, `extra`, `group` of a table.
fn choices<'a>(toml: &'a Toml<'_>, table: &'a Table<'_>) -> impl Iterator<Item = Choice> + use<'a> {
    let known = |key: &str| toml.string_at(table, key).and_then(|text| text.known().map(str::to_owned));
    let marker = known("marker").map(Choice::Marker);
    let extra = known("extra").map(|name| Choice::Extra(normalise(&name)));
    let group = known("group").map(|name| Choice::Group(normalise(&name)));
    [extra, group, marker].into_iter().flatten()
}

fn members(toml: &Toml<'_>, workspace: &Value<'_>) -> Option<Members> {
    let table = workspace.get_ref().as_table()?;
    let list = |key: &str| table.get(key).map(|list| toml.strings(list)).unwrap_or_default();
    Some(Members { with: list("members"), without: list("exclude") })
}

fn conflict(toml: &Toml<'_>, set: &Value<'_>) -> Option<Act> {
    let tables = items(set).filter_map(|item| item.get_ref().as_table());
    let sides: Vec<_> = tables.flat_map(|table| choices(toml, table)).collect();
    (sides.len() > 1).then(|| Act { at: toml.span(set.span()), when: When::default(), does: Does::Conflict(sides) })
}

fn options(toml: &Toml<'_>, key: &str, value: &Value<'_>) -> Option<InstallFlags> {
    let mut flags = InstallFlags::default();
    match key {
        "index-strategy" => flags.index_strategy = Some(toml.string(value)?),
        "torch-backend" => flags.torch_backend = Some(toml.string(value)?),
        "exclude-newer" | "exclude-newer-package" => flags.not_newest = true,
        "resolution" => flags.not_newest = toml.string(value)?.known() != Some("highest"),
        "no-deps" => flags.no_deps = value.get_ref().as_bool()?,
        "prerelease" => flags.pre = toml.string(value)?.known() == Some("allow"),
        "no-build-isolation" => flags.no_build_isolation = value.get_ref().as_bool()?,
        "no-binary-package" | "no-binary" => flags.no_binary = toml.strings(value).into_iter().map(normal).collect(),
        "no-build-isolation-package" => flags.no_isolation_for = toml.strings(value).into_iter().map(normal).collect(),
        "extra-build-dependencies" => {
            let packages = value.get_ref().as_table()?.iter();
            let named = packages.map(|(name, list)| Text::literal(normalise(name.get_ref()), toml.entry(name, list)));
            flags.no_isolation_for = named.collect();
        }
        _ => return None,
    }
    (flags != InstallFlags::default()).then_some(flags)
}

#[cfg(test)]
mod tests {
    use super::super::syntax::toml::table;
    use super::*;
    use crate::source::FileId;

    fn show(text: &str) -> Vec<String> {
        let (toml, root, torn) = Toml::parse(FileId(0), text);
        assert!(torn.is_empty(), "{torn:?}");
        let known = |t: &Text| {
            assert_eq!(&text[t.at.range()], t.known().expect("a literal"));
            t.known().expect("a literal").to_owned()
        };
        let show = |act: Act| {
            assert!(text.get(act.at.range()).is_some());
            let own = Choice::For(Tool::Uv);
            let when: String = act.when.0.iter().filter(|c| **c != own).map(|c| format!(" {c:?}")).collect();
            let what = match &act.does {
                Does::Index(i) if i.kind == IndexKind::None => "no index".to_owned(),
                Does::Index(i) => format!("{:?} {} {:?} {}", i.kind, known(&i.url), i.name.as_deref().unwrap_or(""), i.explicit),
                Does::Route(Route { package, to: RouteTo::Index(name) }) => format!("{package} -> {}", known(name)),
                Does::Route(Route { package, to: RouteTo::Url(url) }) => format!("{package} -> URL {}", known(url)),
                Does::Options(flags) => {
                    let backend = flags.torch_backend.as_ref().map(|b| format!(" backend {}", known(b))).unwrap_or_default();
                    let not = flags.no_isolation_for.iter().filter_map(Text::known).collect::<Vec<_>>().join(" ");
                    format!("{} {}{backend} {not}", flags.pre, flags.index_strategy.is_some())
                }
                other => format!("{other:?}"),
            };
            format!("{what}{when}")
        };
        acts(&toml, table(&root, &["tool", "uv"]).expect("the table")).into_iter().map(show).collect()
    }

    #[test]
    fn indexes() {
        let text = "[tool.uv]\nindex-url = 'https://a'\nextra-index-url = ['https://b', 'https://c']\nfind-links = ['d']\nno-index = true\n\
            index-strategy = 'unsafe-best-match'\nprerelease = 'allow'\n\
            [[tool.uv.index]]\nname = 'pt'\nurl = 'https://e.org/cu118'\nexplicit = true\n[[tool.uv.index]]\nurl = 'https://f'\ndefault = true\n";
        assert_eq!(
            show(text),
            [
                "Primary https://a \"\" false",
                "Extra https://b \"\" false",
                "Extra https://c \"\" false",
                "FindLinks d \"\" false",
                "no index",
                "false true ",
                "true false ",
                "Extra https://e.org/cu118 \"pt\" true",
                "Primary https://f \"\" false",
            ]
        );
        assert_eq!(show("[tool.uv]\nindex = [{ name = 'x', url = 'u' }]"), ["Extra u \"x\" false"]);
    }

    #[test]
    fn of_uv_pip_and_of_builds() {
        let text = "[tool.uv]\nno-build-isolation-package = ['Flash_Attn']\n[tool.uv.extra-build-dependencies]\nApex = ['torch']\n\
            [tool.uv.pip]\ntorch-backend = 'cu128'\nindex-url = 'https://a'\nextra-index-url = ['https://b']\n";
        assert_eq!(
            show(text),
            [
                "false false flash-attn",
                "false false apex",
                "false false backend cu128  For(UvPip)",
                "Primary https://a \"\" false For(UvPip)",
                "Extra https://b \"\" false For(UvPip)",
            ]
        );
        let file = "constraint-dependencies = ['torch<3']\n[[index]]\nurl = 'https://e.org/cu118'\n";
        let outline = read(FileId(0), file);
        assert_eq!(outline.acts.len(), 2);
        assert!(outline.acts.iter().all(|act| act.when == own(Tool::Uv)));
    }

    #[test]
    fn the_place_of_an_index_is_the_whole_table() {
        let text = "[[tool.uv.index]]\nname = 'pt'\nurl = 'https://e.org'\n[x]\n";
        let (toml, root, _) = Toml::parse(FileId(0), text);
        let acts = acts(&toml, table(&root, &["tool", "uv"]).expect("the table"));
        assert_eq!(&text[acts[0].at.range()], "[[tool.uv.index]]\nname = 'pt'\nurl = 'https://e.org'");
    }

    #[test]
    fn sources_and_conflicts() {
        let text = "[tool.uv]\nconflicts = [[{ extra = 'CPU' }, { extra = 'cu_124' }], [{ group = 'a' }, { package = 'p', extra = 'b' }], [{ extra = 'x' }]]\n\
            [tool.uv.sources]\nTorch = [{ index = 'cpu', extra = 'cpu' }, { index = 'cu', marker = \"os_name == 'nt'\", group = 'g' }]\n\
            a = { url = 'https://e.org/a.whl' }\nb = { git = 'https://e.org/b' }\nc = { workspace = true }\nd = { path = 'd.whl' }\ne = {}\n";
        assert_eq!(
            show(text),
            [
                "Conflict([Extra(\"cpu\"), Extra(\"cu-124\")])",
                "Conflict([Group(\"a\"), Extra(\"b\")])",
                "torch -> cpu Extra(\"cpu\")",
                "torch -> cu Group(\"g\") Marker(\"os_name == 'nt'\")",
                "a -> URL https://e.org/a.whl",
                "Route(Route { package: \"b\", to: Elsewhere })",
                "Route(Route { package: \"c\", to: Here })",
                "d -> URL d.whl",
            ]
        );
    }
}
