//! `pyproject.toml`: PEP 621, PEP 735, and the tables of the tools that install projects.

mod hatch;
mod hatch_matrix;
mod pdm;
mod poetry;
mod setuptools;

use std::collections::{HashMap, HashSet};

use super::pixi;
use super::syntax::comments::ignores;
use super::syntax::toml::{Table, Toml, Value, comments, entries, items, table};
use super::syntax::torn::torn;
use super::uv_settings;
use crate::notation::requirement::{self, Subject, normalise};
use crate::outline::{Act, Choice, Does, How, Include, Language, Outline, Requirement, Role, Text, Tool, Torn, When};
use crate::source::FileId;

/// Items that are looked at because extras and groups name each other.
const BROUGHT: usize = 10_000;

/// Reads a project's manifest.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let project = table(&root, &["project"]);
    let name = project.and_then(|project| project.get("name")).and_then(|name| name.get_ref().as_str()).map(normalise);
    let extras = by_name(table(&root, &["project", "optional-dependencies"]));
    let groups = by_name(table(&root, &["dependency-groups"]));
    let of_poetry = table(&root, &["tool", "poetry"]).and_then(|poetry| poetry.get("name"));
    let own = name.clone().or_else(|| of_poetry.and_then(|name| name.get_ref().as_str()).map(normalise));
    let manifest = Manifest { file, text, toml, root: &root, name, extras, groups };
    let mut out = Out { acts: Vec::new(), torn, brought: 0 };
    manifest.project(&mut out);
    manifest.groups(&mut out);
    if let Some(list) = table(&root, &["build-system"]).and_then(|t| t.get("requires")) {
        manifest.list(list, &When::default(), Role::Builds, &mut out);
    }
    if let Some(uv) = table(&root, &["tool", "uv"]) {
        let own = |choice: Option<Choice>| When(choice.into_iter().chain([Choice::For(Tool::Uv)]).collect());
        for (key, role) in [("constraint-dependencies", Role::Bounds), ("override-dependencies", Role::Overrides)] {
            if let Some(list) = uv.get(key) {
                manifest.list(list, &own(None), role, &mut out);
            }
        }
        if let Some(list) = uv.get("dev-dependencies") {
            manifest.list(list, &own(Some(Choice::Group("dev".into()))), Role::Asks, &mut out);
        }
        out.acts.extend(manifest.default_groups(uv));
        out.acts.extend(uv_settings::acts(&toml, uv));
    }
    out.acts.extend(setuptools::acts(&toml, &root));
    out.acts.extend(poetry::acts(&toml, &root));
    manifest.pdm(&mut out);
    manifest.hatch(&mut out);
    if let Some(own) = table(&root, &["tool", "pixi"]) {
        out.acts.extend(pixi::acts(&toml, own, Some(&root)));
    }
    // In the order of the file; what an extra brings stands where the extra's own line stands.
    out.acts.sort_by_key(|act| act.at.start);
    Outline {
        acts: out.acts,
        ignores: ignores(file, text, comments(text), |line| line),
        torn: out.torn,
        name: own,
        ..Outline::default()
    }
}

struct Out {
    acts: Vec<Act>,
    torn: Vec<Torn>,
    brought: usize,
}

struct Manifest<'a, 't> {
    file: FileId,
    text: &'t str,
    toml: Toml<'t>,
    root: &'a Table<'t>,
    /// Normalised.
    name: Option<String>,
    extras: Lists<'a, 't>,
    groups: Lists<'a, 't>,
}

/// Lists of requirements by normalised name.
type Lists<'a, 't> = HashMap<String, &'a Value<'t>>;

/// Of two names that are the same when normalised, the one that is written so, else the first.
fn by_name<'a, 't>(lists: Option<&'a Table<'t>>) -> Lists<'a, 't> {
    let mut found = Lists::new();
    for (key, list) in lists.into_iter().flat_map(|lists| lists.iter()) {
        let (written, name) = (key.get_ref().as_ref(), normalise(key.get_ref()));
        if written == name || !found.contains_key(&name) {
            found.insert(name, list);
        }
    }
    found
}

/// Extras and groups of the project, on the way to what they name.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Visit {
    list: Choice,
    markers: Vec<String>,
}

impl<'a, 't> Manifest<'a, 't> {
    fn project(&self, out: &mut Out) {
        let Some(project) = table(self.root, &["project"]) else { return };
        if let Some(python) = self.toml.string_at(project, "requires-python") {
            out.acts.push(Act { at: python.at, when: When::default(), does: Does::Python(python) });
        }
        if let Some(list) = project.get("dependencies") {
            self.list(list, &When::default(), Role::Asks, out);
        }
        for (extra, list) in entries(project, &["optional-dependencies"]) {
            let extra = Choice::Extra(normalise(extra.get_ref()));
            self.list(list, &When(vec![extra]), Role::Asks, out);
        }
    }
    fn groups(&self, out: &mut Out) {
        for (group, list) in entries(self.root, &["dependency-groups"]) {
            let group = Choice::Group(normalise(group.get_ref()));
            self.list(list, &When(vec![group]), Role::Asks, out);
        }
    }
    /// uv's `default-groups`: a list, or all.
    fn default_groups(&self, uv: &Table<'t>) -> Option<Act> {
        let (key, value) = uv.get_key_value("default-groups")?;
        let all = || entries(self.root, &["dependency-groups"]).map(|(name, _)| name.get_ref().to_string()).collect();
        let listed = || self.toml.strings(value).iter().filter_map(Text::known).map(str::to_owned).collect();
        let names: Vec<String> = if value.get_ref().as_str() == Some("all") { all() } else { listed() };
        let does = Does::Defaults(names.iter().map(|name| Choice::Group(normalise(name))).collect());
        Some(Act { at: self.toml.entry(key, value), when: When(vec![Choice::For(Tool::Uv)]), does })
    }
    /// A list of requirements, and what its items bring in from other lists of this file.
    fn list(&self, list: &Value<'t>, when: &When, role: Role, out: &mut Out) {
        self.listed(items(list).collect(), when, role, &|text| text, out);
    }
    /// The same of single items; `fills` puts in what stands for something else.
    fn listed(&self, list: Vec<&Value<'t>>, when: &When, role: Role, fills: &dyn Fn(Text) -> Text, out: &mut Out) {
        let mut visited: HashSet<Visit> = HashSet::new();
        visited.extend(when.0.first().map(|own| Visit { list: own.clone(), markers: Vec::new() }));
        let mut open = vec![(list, Vec::new())];
        let mut own = true;
        while let Some((list, markers)) = open.pop() {
            for item in list {
                if !own && out.brought >= BROUGHT {
                    return;
                }
                out.brought += usize::from(!own);
                let mut next = self.named_lists(item);
                if next.is_empty()
                    && let Some(written) = self.toml.string(item).map(fills)
                {
                    let choices = when.0.iter().cloned().chain(markers.iter().cloned().map(Choice::Marker));
                    let (at, language) = (written.at, Language::Pep508);
                    let folder = when.0.contains(&Choice::For(Tool::Pdm)).then(|| pdm::editable(&written)).flatten();
                    if own && folder.is_none() {
                        self.check(&written, out);
                    }
                    let does = match folder {
                        Some(path) => Does::Include(Include { path, how: How::Project }),
                        None => Does::Require(Requirement { written, language, role }),
                    };
                    out.acts.push(Act { at, when: When(choices.collect()), does });
                }
                for (choice, list, marker) in next.drain(..) {
                    let markers: Vec<_> = markers.iter().cloned().chain(marker).collect();
                    if markers.len() < 4 && visited.insert(Visit { list: choice, markers: markers.clone() }) {
                        open.push((items(list).collect(), markers));
                    }
                }
            }
            own = false;
        }
    }
    /// The lists of this file that an item stands for: `{include-group = "x"}`, and the project's own extras, `name[gpu]`.
    fn named_lists(&self, item: &Value<'t>) -> Vec<(Choice, &'a Value<'t>, Option<String>)> {
        if let Some(group) = item.get_ref().as_table().and_then(|t| t.get("include-group")).and_then(|g| g.get_ref().as_str()) {
            let group = normalise(group);
            let list = self.groups.get(&group);
            return list.map(|list| (Choice::Group(group), *list, None)).into_iter().collect();
        }
        let (Some(own), Some(text)) = (&self.name, item.get_ref().as_str()) else { return Vec::new() };
        let may_be = text.trim_start().get(..1).is_some_and(|first| own.starts_with(&first.to_lowercase()));
        let parsed = if may_be { requirement::parse(text).ok() } else { None };
        let Some(parsed) = parsed.filter(|p| matches!(&p.subject, Subject::Package { name, .. } if name == own)) else {
            return Vec::new();
        };
        let marker = text.split_once(';').map(|(_, marker)| marker.trim().to_owned()).filter(|marker| !marker.is_empty());
        let extras = parsed.extras.into_iter();
        extras
            .filter_map(|extra| {
                let list = *self.extras.get(&extra)?;
                Some((Choice::Extra(extra), list, marker.clone()))
            })
            .collect()
    }
    /// Says what is wrong with a requirement.
    fn check(&self, written: &Text, out: &mut Out) {
        let Some(text) = written.known() else { return };
        let Err(mistake) = requirement::parse(text) else { return };
        let whole = written.at.range();
        let exact = whole.len() == text.len() && !mistake.at.is_empty();
        let at = if exact { whole.start + mistake.at.start..whole.start + mistake.at.end } else { whole };
        out.torn.push(torn(self.file, self.text, at, mistake.why));
    }
}

#[cfg(test)]
pub(in crate::read) mod tests {
    use super::*;
    use crate::outline::{Piece, Route, RouteTo};

    fn said(text: &Text) -> String {
        let piece = |p: &Piece| if let Piece::Literal(text) = p { text.clone() } else { "?".to_owned() };
        text.pieces.iter().map(piece).collect()
    }

    /// What a file says, an act a line; `!` before a place that could not be read.
    pub(in crate::read) fn show(text: &str) -> Vec<String> {
        shown(text, &read(FileId(0), text))
    }

    pub(in crate::read) fn shown(text: &str, outline: &Outline) -> Vec<String> {
        let choices = |all: &[Choice]| all.iter().map(|c| format!("{c:?}").replace('"', "")).collect::<Vec<_>>().join(" ");
        let act = |act: &Act| {
            assert!(text.get(act.at.range()).is_some());
            let what = match &act.does {
                Does::Require(r) => {
                    let role = if r.role == Role::Asks { String::new() } else { format!("{:?} ", r.role) };
                    let conda = if r.language == Language::MatchSpec { "MatchSpec " } else { "" };
                    format!("{role}{conda}{}", said(&r.written))
                }
                Does::Python(p) => format!("python {}", said(p)),
                Does::Include(i) => format!("{} {}", format!("{:?}", i.how).to_lowercase(), said(&i.path)),
                Does::Index(i) => {
                    let name = i.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
                    format!("{:?} {name}{}{}", i.kind, said(&i.url), if i.explicit { " explicit" } else { "" })
                }
                Does::Route(Route { package, to: RouteTo::Index(index) }) => format!("{package} -> {}", said(index)),
                Does::Route(Route { package, .. }) => format!("{package} -> elsewhere"),
                Does::Set(v) => format!("set {}={}", v.name, v.value.as_ref().map(said).unwrap_or_default()),
                Does::Defaults(all) => format!("defaults {}", all.iter().map(name).collect::<Vec<_>>().join(" ")),
                Does::Environment(e) => format!(
                    "environment {} by {:?} of {}{}",
                    e.name.as_deref().unwrap_or("-"),
                    e.tool,
                    choices(&e.with),
                    if e.project { " with the project" } else { "" }
                ),
                other => format!("{other:?}"),
            };
            if act.when.0.is_empty() { what } else { format!("{what} <{}>", choices(&act.when.0)) }
        };
        let torn = outline.torn.iter().map(|t| format!("!{}", &text[t.at.range()]));
        outline.acts.iter().map(act).chain(torn).collect()
    }

    fn name(choice: &Choice) -> String {
        match choice {
            Choice::Group(name) | Choice::Extra(name) | Choice::Feature(name) => name.clone(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn dependencies() {
        let text = "[build-system]\nrequires = ['setuptools', 'torch']\n[project]\nname = 'A_b'\nrequires-python = '>=3.10'\n\
            dependencies = [\n  'torch==2.1.0', # c\n  \"numpy ; os_name == 'nt'\",\n]\n\
            [project.optional-dependencies]\nGPU_x = ['cupy-cuda12x']\nall = ['a-b[gpu.x]; os_name == \"nt\"', 'x']\nloop = ['a_b[loop,all]']\n\
            [dependency-groups]\nDev = ['pytest', {include-group = 'typing'}]\ntyping = ['mypy']\n\
            [tool.uv]\ndev-dependencies = ['ruff']\nconstraint-dependencies = ['torch<3']\noverride-dependencies = ['numpy<2']\n";
        let mut want = vec![
            "Builds setuptools",
            "Builds torch",
            "python >=3.10",
            "torch==2.1.0",
            "numpy ; os_name == 'nt'",
            "cupy-cuda12x <Extra(gpu-x)>",
            "cupy-cuda12x <Extra(all) Marker(os_name == \\nt\\)>",
            "cupy-cuda12x <Extra(loop) Marker(os_name == \\nt\\)>",
            "x <Extra(all)>",
            "x <Extra(loop)>",
            "pytest <Group(dev)>",
            "mypy <Group(dev)>",
            "mypy <Group(typing)>",
            "ruff <Group(dev) For(Uv)>",
            "Bounds torch<3 <For(Uv)>",
            "Overrides numpy<2 <For(Uv)>",
        ];
        let mut got = show(text);
        want.sort_unstable();
        got.sort();
        assert_eq!(got, want);
    }

    #[test]
    fn half_typed() {
        assert_eq!(
            show("[project]\ndependencies = ['torch==', 'numpy'\n[project.optional-dependencies]\nx = ['y']")[..1],
            ["torch=="]
        );
        assert_eq!(show("[project]\ndependencies = ['torch=2']"), ["torch=2", "!="]);
        for text in
            ["", "project = 1", "[project]\ndependencies = 'x'\noptional-dependencies = []", "\u{feff}", "\0", "[tool]\nuv = 3"]
        {
            assert!(show(text).iter().all(|line| line.starts_with('!') || line.starts_with("setup ")), "{text:?}");
        }
    }

    #[test]
    fn extras_that_name_each_other() {
        let many: String = (0..100)
            .map(|n| format!("e{n} = ['p[{}]', 'x{n}']\n", (0..100).map(|m| format!("e{m}")).collect::<Vec<_>>().join(",")))
            .collect();
        let outline = read(FileId(0), &format!("[project]\nname = 'p'\n[project.optional-dependencies]\n{many}"));
        assert!(outline.acts.len() <= BROUGHT + 200);
    }
}
