//! uv's own settings, `[tool.uv]`: indexes, sources, conflicts.

use super::command::asks::{index, no_index, normal};
use super::syntax::toml::{Table, Toml, Value, items};
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, IndexKind, IndexLine, InstallFlags, Route, RouteTo, Text, When};
use crate::source::Span;

/// What the table says, except for requirements.
pub(super) fn acts(toml: &Toml<'_>, uv: &Table<'_>) -> Vec<Act> {
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
            "conflicts" => acts.extend(items(value).filter_map(|set| conflict(toml, set))),
            "index-strategy" | "prerelease" | "no-binary-package" | "no-build-isolation" => {
                acts.extend(options(toml, key.get_ref(), value).map(|flags| always(at, Does::Options(flags))));
            }
            _ => {}
        }
    }
    acts
}

fn urls<'a>(toml: &Toml<'_>, value: &'a Value<'_>, kind: IndexKind) -> impl Iterator<Item = Act> + use<'a> {
    let does = move |url: Text| Act { at: url.at, when: When::default(), does: Does::Index(index(url, kind)) };
    toml.strings(value).into_iter().map(does)
}

/// A table from its header to its last value.
fn whole(toml: &Toml<'_>, value: &Value<'_>) -> Span {
    let table = value.get_ref().as_table().into_iter().flat_map(|t| t.iter());
    table.fold(toml.span(value.span()), |all, (key, value)| all.to(toml.span(key.span())).to(toml.span(value.span())))
}

fn named_index(toml: &Toml<'_>, item: &Value<'_>) -> Option<Act> {
    let table = item.get_ref().as_table()?;
    let is = |key: &str| table.get(key).and_then(|value| value.get_ref().as_bool()) == Some(true);
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    let kind = match text("format") {
        Some("flat") => IndexKind::FindLinks,
        _ if is("default") => IndexKind::Primary,
        _ => IndexKind::Extra,
    };
    let line =
        IndexLine { url: toml.string_at(table, "url")?, kind, name: text("name").map(str::to_owned), explicit: is("explicit") };
    Some(Act { at: whole(toml, item), when: When::default(), does: Does::Index(line) })
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
        _ if ["git", "path", "workspace"].iter().any(|key| table.contains_key(*key)) => RouteTo::Elsewhere,
        _ => return None,
    };
    let when = When(choices(toml, table).collect());
    Some(Act { at: whole(toml, source), when, does: Does::Route(Route { package: package.to_owned(), to }) })
}

/// `marker`, `extra`, `group` of a table.
fn choices<'a>(toml: &'a Toml<'_>, table: &'a Table<'_>) -> impl Iterator<Item = Choice> + use<'a> {
    let known = |key: &str| toml.string_at(table, key).and_then(|text| text.known().map(str::to_owned));
    let marker = known("marker").map(Choice::Marker);
    let extra = known("extra").map(|name| Choice::Extra(normalise(&name)));
    let group = known("group").map(|name| Choice::Group(normalise(&name)));
    [extra, group, marker].into_iter().flatten()
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
        "prerelease" => flags.pre = toml.string(value)?.known() == Some("allow"),
        "no-build-isolation" => flags.no_build_isolation = value.get_ref().as_bool()?,
        _ => flags.no_binary = toml.strings(value).into_iter().map(normal).collect(),
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
            let when: String = act.when.0.iter().map(|c| format!(" {c:?}")).collect();
            let what = match &act.does {
                Does::Index(i) if i.kind == IndexKind::None => "no index".to_owned(),
                Does::Index(i) => format!("{:?} {} {:?} {}", i.kind, known(&i.url), i.name.as_deref().unwrap_or(""), i.explicit),
                Does::Route(Route { package, to: RouteTo::Index(name) }) => format!("{package} -> {}", known(name)),
                Does::Route(Route { package, to: RouteTo::Url(url) }) => format!("{package} -> URL {}", known(url)),
                Does::Options(flags) => format!("{} {}", flags.pre, flags.index_strategy.is_some()),
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
                "false true",
                "true false",
                "Extra https://e.org/cu118 \"pt\" true",
                "Primary https://f \"\" false",
            ]
        );
        assert_eq!(show("[tool.uv]\nindex = [{ name = 'x', url = 'u' }]"), ["Extra u \"x\" false"]);
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
                "Route(Route { package: \"c\", to: Elsewhere })",
                "d -> URL d.whl",
            ]
        );
    }
}
