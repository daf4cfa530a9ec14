//! `pylock.toml` (PEP 751): <https://packaging.python.org/en/latest/specifications/pylock-toml/>.

use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, Locked, LockedFrom, Outline, When};
use crate::read::syntax::comments::ignores;
use crate::read::syntax::toml::{Table, Toml, Value, comments, items};
use crate::source::FileId;

/// Reads a lock.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let mut acts = Vec::new();
    if let Some(python) = toml.string_at(&root, "requires-python") {
        acts.push(Act { at: python.at, when: When::default(), does: Does::Python(python) });
    }
    let default = root.get("default-groups").into_iter().flat_map(items).filter_map(|name| name.get_ref().as_str());
    let default: Vec<String> = default.map(normalise).collect();
    acts.extend(root.get("packages").into_iter().flat_map(items).flat_map(|package| entry(&toml, package, &default)));
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

/// A package, once for each way to ask for it.
fn entry(toml: &Toml<'_>, package: &Value<'_>, default: &[String]) -> Vec<Act> {
    let Some(table) = package.get_ref().as_table() else { return Vec::new() };
    let (Some(name), Some(version)) = (toml.string_at(table, "name"), toml.string_at(table, "version")) else {
        return Vec::new();
    };
    let marker = toml.string_at(table, "marker").and_then(|marker| marker.known().map(str::to_owned));
    let at = name.at.to(version.at);
    let lock = Locked { from: from(toml, table), markers: Vec::new(), name, version };
    let act = |(choice, marker): (Option<Choice>, Option<String>)| {
        let lock = Locked { markers: marker.into_iter().collect(), ..lock.clone() };
        // What comes by default comes to all who say nothing else.
        let choice = choice.filter(|choice| !matches!(choice, Choice::Group(name) if default.contains(name)));
        Act { at, when: When(choice.into_iter().collect()), does: Does::Lock(lock) }
    };
    match marker {
        Some(marker) => ways(&marker).unwrap_or_else(|| vec![(None, Some(marker))]).into_iter().map(act).collect(),
        None => vec![act((None, None))],
    }
}

/// `('a' in extras or 'b' in dependency_groups) and marker`: what is to be asked for, with the marker that is left; `None` for
/// a marker of another form.
fn ways(marker: &str) -> Option<Vec<(Option<Choice>, Option<String>)>> {
    let parts: Vec<&str> = marker.split(" and ").map(str::trim).collect();
    let is_of_choice = |part: &&&str| part.contains("extras") || part.contains("dependency_groups");
    let chosen = parts.iter().find(is_of_choice)?;
    let rest: Vec<&str> = parts.iter().filter(|part| *part != chosen).copied().collect();
    // Parentheses around more than one part, or a second choice, are another form.
    let whole = |part: &str| part.matches('(').count() == part.matches(')').count();
    if !parts.iter().all(|part| whole(part)) || rest.iter().any(|part| is_of_choice(&part)) {
        return None;
    }
    let bare = chosen.strip_prefix('(').and_then(|part| part.strip_suffix(')')).unwrap_or(chosen);
    // Without parentheses `or` takes apart the whole.
    if bare == *chosen && !rest.is_empty() && parts.iter().any(|part| part.contains(" or ")) {
        return None;
    }
    let marker = Some(rest.join(" and ")).filter(|rest| !rest.is_empty());
    bare.split(" or ").map(|one| Some((Some(choice(one.trim())?), marker.clone()))).collect()
}

/// `'gpu' in extras`.
fn choice(part: &str) -> Option<Choice> {
    let quote = part.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (name, set) = part[1..].split_once(quote)?;
    match set.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["in", "extras"] => Some(Choice::Extra(normalise(name))),
        ["in", "dependency_groups"] => Some(Choice::Group(normalise(name))),
        _ => None,
    }
}

fn from(toml: &Toml<'_>, table: &Table<'_>) -> LockedFrom {
    let url_of = |value: &Value<'_>| toml.string_at(value.get_ref().as_table()?, "url");
    if table.contains_key("vcs") || table.contains_key("directory") {
        return LockedFrom::Elsewhere;
    }
    if let Some(archive) = table.get("archive") {
        return url_of(archive).map_or(LockedFrom::Elsewhere, LockedFrom::File);
    }
    // The files of one entry are of one version; the index says which build that is, else any of their addresses.
    let wheel = || table.get("wheels").and_then(|list| items(list).find_map(url_of)).map(LockedFrom::File);
    toml.string_at(table, "index").map(LockedFrom::Index).or_else(wheel).unwrap_or(LockedFrom::Indexes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lock::tests::{show as shown, survives};

    const SAMPLE: &str = "lock-version = \"1.0\"\nrequires-python = \">=3.12\"\ncreated-by = \"x\"\n[[packages]]\nname = \"torch\"\n\
        version = \"2.6.0+cu124\"\nindex = \"https://download.pytorch.org/whl/cu124\"\nwheels = [{url = \"https://e.org/a.whl\"}]\n\
        [[packages]]\nname = \"b\"\nversion = \"1\"\nmarker = \"'gpu' in extras\"\n[[packages.wheels]]\nurl = \"https://e.org/b-1-py3-none-any.whl\"\n\
        [[packages]]\nname = \"c\"\nversion = \"1\"\nvcs = {type = \"git\", url = \"https://e.org/c\"}\n\
        [[packages]]\nname = \"d\"\nversion = \"1\"\narchive = {url = \"https://e.org/d-1-py3-none-any.whl\"}\n\
        [[packages]]\nname = \"e\"\ndirectory = {path = \".\"}\n";

    #[test]
    fn entries() {
        assert_eq!(
            shown(read, SAMPLE),
            [
                "python >=3.12",
                "torch 2.6.0+cu124 index https://download.pytorch.org/whl/cu124",
                "b 1 file https://e.org/b-1-py3-none-any.whl <Extra(gpu)>",
                "c 1 elsewhere",
                "d 1 file https://e.org/d-1-py3-none-any.whl",
            ]
        );
        survives(read, SAMPLE);
    }

    #[test]
    fn what_extras_and_groups_bring() {
        let text = "default-groups = [\"main\"]\n".to_owned()
            + &[
                "'GPU_x' in extras",
                "'gpu' in extras and sys_platform == 'linux'",
                "sys_platform == 'linux' and ('main' in dependency_groups or \\\"dev\\\" in dependency_groups)",
                "'gpu' not in extras",
                "'a' in extras and 'b' in extras",
                "('a' in extras and os_name == 'nt') or 'b' in extras",
                "os_name == 'nt' and 'a' in extras or 'b' in extras",
                "sys_platform == 'linux'",
            ]
            .map(|marker| format!("[[packages]]\nname = \"t\"\nversion = \"1\"\nmarker = \"{marker}\"\n"))
            .concat();
        let acts = read(FileId(0), &text).acts;
        let shown = |act: &Act| {
            let Does::Lock(lock) = &act.does else { panic!("a lock's entry") };
            format!("{:?} {}", act.when.0, lock.markers.join(" | "))
        };
        assert_eq!(
            acts.iter().map(shown).collect::<Vec<_>>(),
            [
                "[Extra(\"gpu-x\")] ",
                "[Extra(\"gpu\")] sys_platform == 'linux'",
                "[] sys_platform == 'linux'",
                "[Group(\"dev\")] sys_platform == 'linux'",
                "[] 'gpu' not in extras",
                "[] 'a' in extras and 'b' in extras",
                "[] ('a' in extras and os_name == 'nt') or 'b' in extras",
                "[] os_name == 'nt' and 'a' in extras or 'b' in extras",
                "[] sys_platform == 'linux'",
            ]
        );
    }
}
