//! `pixi.toml`, and `[tool.pixi]` of a `pyproject.toml`: features, and the environments that are put together from them.
//!
//! Sources: <https://pixi.sh/latest/reference/pixi_manifest/>, <https://pixi.sh/latest/workspace/multi_environment/>,
//! <https://pixi.sh/latest/python/pyproject_toml/>.

use std::collections::HashMap;

use super::asked_by_table::{Of, conditions, is_file, requirement};
use super::command::asks::index;
use super::subdir::marker_of;
use super::syntax::comments::ignores;
use super::syntax::toml::{Key, Table, Toml, Value, comments, entries, get, is_set, items, table, word};
use crate::device;
use crate::notation::match_spec::MatchSpec;
use crate::notation::requirement::normalise;
use crate::outline::{
    Act, Choice, Composed, Does, How, Include, IndexKind, IndexLine, InstallFlags, Language, Outline, Piece, Requirement, Role,
    Route, RouteTo, Scope, Text, Tool, Variable, When,
};
use crate::source::{FileId, Span};

/// Environments of one file that are looked at.
const MOST: usize = 64;
/// The feature that every environment has unless it says otherwise.
const DEFAULT: &str = "default";

/// Reads a workspace's manifest.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let mut acts = acts(&toml, &root, None);
    acts.sort_by_key(|act| act.at.start);
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

/// What pixi's tables say; `project` is the `pyproject.toml` that they stand in.
pub(super) fn acts(toml: &Toml<'_>, own: &Table<'_>, project: Option<&Table<'_>>) -> Vec<Act> {
    let empty = Table::new();
    let workspace = table(own, &["workspace"]).or_else(|| table(own, &["project"])).unwrap_or(&empty);
    let mut reader = Reader { toml, acts: Vec::new(), when: vec![Choice::For(Tool::Pixi)] };
    reader.platforms(workspace);
    let everywhere = std::mem::take(&mut reader.when);
    reader.when = with(&everywhere, Choice::Feature(DEFAULT.into()));
    reader.feature(own);
    let features = entries(own, &["feature"]).filter_map(|(name, value)| Some((name.get_ref(), value.get_ref().as_table()?)));
    for (name, feature) in features {
        reader.when = with(&everywhere, Choice::Feature(name.to_string()));
        reader.platforms(feature);
        reader.feature(feature);
    }
    reader.when.clone_from(&everywhere);
    // A feature's channels come before the workspace's.
    reader.channels(workspace);
    if let Some(options) = table(workspace, &["pypi-options"]) {
        reader.options(options);
    }
    if let Some(date) = workspace.get("exclude-newer") {
        let at = toml.span(date.span());
        reader.act(at, Does::Options(InstallFlags { not_newest: true, ..InstallFlags::default() }));
    }
    reader.environments(own, project.is_some());
    reader.acts
}

fn with(when: &[Choice], choice: Choice) -> Vec<Choice> {
    when.iter().cloned().chain([choice]).collect()
}

struct Reader<'a, 't> {
    toml: &'a Toml<'t>,
    acts: Vec<Act>,
    /// Of what is read now.
    when: Vec<Choice>,
}

impl Reader<'_, '_> {
    fn act(&mut self, at: Span, does: Does) {
        self.acts.push(Act { at, when: When(self.when.clone()), does });
    }
    /// What follows is for these platforms only; some say which CUDA their machines have.
    fn platforms(&mut self, table: &Table<'_>) {
        let mut markers = Vec::new();
        for item in table.get("platforms").into_iter().flat_map(items).take(MOST) {
            let own = item.get_ref().as_table();
            let name = own.and_then(|own| word(own, "platform").or(word(own, "name"))).or(item.get_ref().as_str());
            let Some(marker) = name.and_then(marker_of) else { continue };
            if let Some((key, cuda)) = own.and_then(|own| own.get_key_value("cuda")) {
                let before = self.when.clone();
                self.when.push(Choice::Marker(marker.clone()));
                self.cuda(key, cuda);
                self.when = before;
            }
            let marker = format!("({marker})");
            if !markers.contains(&marker) {
                markers.push(marker);
            }
        }
        if !markers.is_empty() {
            self.when.push(Choice::Marker(markers.join(" or ")));
        }
    }
    fn feature(&mut self, feature: &Table<'_>) {
        self.channels(feature);
        if let Some((key, cuda)) = table(feature, &["system-requirements"]).and_then(|t| t.get_key_value("cuda")) {
            self.cuda(key, cuda);
        }
        if let Some(options) = table(feature, &["pypi-options"]) {
            self.options(options);
        }
        self.packages(feature);
        self.tasks(feature);
        for (platform, value) in entries(feature, &["target"]) {
            let (Some(marker), Some(of_platform)) = (marker_of(platform.get_ref()), value.get_ref().as_table()) else { continue };
            let before = self.when.clone();
            self.when.push(Choice::Marker(marker));
            self.packages(of_platform);
            self.when = before;
        }
    }
    fn packages(&mut self, feature: &Table<'_>) {
        for list in ["dependencies", "host-dependencies", "build-dependencies"] {
            for (name, value) in entries(feature, &[list]) {
                self.conda(name, value);
            }
        }
        for (name, value) in entries(feature, &["pypi-dependencies"]) {
            self.python(name, value);
        }
        for (name, value) in entries(feature, &["activation", "env"]) {
            let at = self.toml.entry(name, value);
            let Some(value) = self.toml.string(value) else { continue };
            // Variables in it are the shell's.
            let value = if value.known().is_some_and(|v| v.contains(['$', '%'])) { opaque(value.at) } else { value };
            let name = name.get_ref().to_string();
            self.act(at, Does::Set(Variable { name, value: Some(value), scope: Scope::Environment }));
        }
    }
    /// Its tasks run in its environments: one that runs on the GPU says that they are meant for one.
    fn tasks(&mut self, feature: &Table<'_>) {
        for (_, value) in entries(feature, &["tasks"]) {
            let Some(command) = value.get_ref().as_table().map_or(Some(value), |task| task.get("cmd")) else { continue };
            let words = items(command).filter_map(|item| self.toml.string(item)).chain(self.toml.string(command));
            let words: Vec<Text> = words.take(MOST).collect();
            let known = words.iter().filter_map(|word| Some((word.known()?, word.at)));
            if let Some((at, _)) = device::says_cuda(known) {
                self.act(at, Does::OnCuda);
            }
        }
    }
    fn channels(&mut self, table: &Table<'_>) {
        for item in table.get("channels").into_iter().flat_map(items) {
            let named = item.get_ref().as_table().and_then(|t| self.toml.string_at(t, "channel"));
            if let Some(url) = named.or_else(|| self.toml.string(item)) {
                self.act(url.at, Does::Index(index(url, IndexKind::Channel)));
            }
        }
    }
    /// The CUDA that every machine has: what conda calls `__cuda`.
    fn cuda(&mut self, key: &Key<'_>, value: &Value<'_>) {
        let at = self.toml.entry(key, value);
        let version = value.get_ref().as_str().or_else(|| word(value.get_ref().as_table()?, "version"));
        let spec = version.map(|version| format!("__cuda >={}", version.trim_start_matches(['>', '=', ' '])));
        if let Some(spec) = spec.filter(|spec| MatchSpec::parse(spec).is_ok()) {
            let (written, language) = (Text::literal(spec, at), Language::MatchSpec);
            self.act(at, Does::Require(Requirement { written, language, role: Role::Bounds }));
        }
    }
    fn conda(&mut self, key: &Key<'_>, value: &Value<'_>) {
        let at = self.toml.entry(key, value);
        let mut fields = Vec::new();
        match (value.get_ref().as_str(), value.get_ref().as_table()) {
            (Some(version), _) => fields.push(("version", version)),
            // Built from sources: which version that is cannot be told.
            (None, Some(own)) if ["git", "path", "url"].iter().any(|key| own.contains_key(*key)) => return,
            (None, Some(own)) => {
                fields.extend(["version", "build"].into_iter().filter_map(|field| Some((field, word(own, field)?))));
                fields.extend(word(own, "channel").map(|channel| ("channel", channel_name(channel))));
            }
            (None, None) => return,
        }
        let fields: Vec<String> = fields.iter().map(|(field, value)| format!("{field}='{}'", value.replace(' ', ""))).collect();
        let spec = format!("{}[{}]", key.get_ref(), fields.join(","));
        if MatchSpec::parse(&spec).is_ok() {
            let (written, language) = (Text::literal(spec, at), Language::MatchSpec);
            self.act(at, Does::Require(Requirement { written, language, role: Role::Asks }));
        }
    }
    fn python(&mut self, key: &Key<'_>, value: &Value<'_>) {
        let (name, at) = (normalise(key.get_ref()), self.toml.entry(key, value));
        let empty = Table::new();
        let own = value.get_ref().as_table().unwrap_or(&empty);
        let extras = own.get("extras").map(|list| self.toml.strings(list)).unwrap_or_default();
        let extras: Vec<String> = extras.iter().filter_map(Text::known).map(normalise).collect();
        if let Some(url) = self.toml.string_at(own, "index") {
            let called = url.known().unwrap_or_default().to_owned();
            let route = Route { package: name.clone(), to: RouteTo::Index(Text::literal(called.clone(), url.at)) };
            self.act(url.at, Does::Index(IndexLine { url, kind: IndexKind::Extra, name: Some(called), explicit: true }));
            self.act(at, Does::Route(route));
        }
        let version = value.get_ref().as_str().or_else(|| word(own, "version"));
        let of = match (word(own, "url"), word(own, "git"), word(own, "path"), version) {
            (Some(url), ..) => Of::Address(url.to_owned()),
            (_, Some(git), ..) => Of::Address(format!("git+{git}")),
            (_, _, Some(path), _) if is_file(path) => Of::Address(path.to_owned()),
            (_, _, Some(path), _) => {
                let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
                let path = Text::literal(format!("./{path}{extras}"), at);
                return self.act(at, Does::Include(Include { path, how: How::Project }));
            }
            (.., Some(version)) => conditions(version),
            _ => Of::Unknown,
        };
        self.act(at, Does::Require(requirement(&name, &extras, of, at)));
    }
    /// `pypi-options`: pixi lets uv resolve.
    fn options(&mut self, options: &Table<'_>) {
        for (key, value) in options {
            let at = self.toml.entry(key, value);
            match key.get_ref().as_ref() {
                "index-url" => {
                    if let Some(url) = self.toml.string(value) {
                        self.act(url.at, Does::Index(index(url, IndexKind::Primary)));
                    }
                }
                "extra-index-urls" => {
                    for url in self.toml.strings(value) {
                        self.act(url.at, Does::Index(index(url, IndexKind::Extra)));
                    }
                }
                "find-links" => {
                    let tables = items(value).filter_map(|item| item.get_ref().as_table());
                    let links = tables.filter_map(|t| self.toml.string_at(t, "url").or_else(|| self.toml.string_at(t, "path")));
                    for url in links.collect::<Vec<_>>() {
                        self.act(url.at, Does::Index(index(url, IndexKind::FindLinks)));
                    }
                }
                "index-strategy" => {
                    let flags = InstallFlags { index_strategy: self.toml.string(value), ..InstallFlags::default() };
                    self.act(at, Does::Options(flags));
                }
                "prerelease-mode" if value.get_ref().as_str() == Some("allow") => {
                    self.act(at, Does::Options(InstallFlags { pre: true, ..InstallFlags::default() }));
                }
                "no-build-isolation" if value.get_ref().as_bool() == Some(true) => {
                    self.act(at, Does::Options(InstallFlags { no_build_isolation: true, ..InstallFlags::default() }));
                }
                "dependency-overrides" => {
                    for (name, value) in value.get_ref().as_table().into_iter().flat_map(|table| table.iter()) {
                        let at = self.toml.entry(name, value);
                        let version = value.get_ref().as_str().or_else(|| word(value.get_ref().as_table()?, "version"));
                        let of = version.map_or(Of::Unknown, conditions);
                        let over = Requirement { role: Role::Overrides, ..requirement(&normalise(name.get_ref()), &[], of, at) };
                        self.act(at, Does::Require(over));
                    }
                }
                _ => {}
            }
        }
    }
    fn environments(&mut self, own: &Table<'_>, in_project: bool) {
        let mut groups: HashMap<&str, usize> = HashMap::new();
        for (_, value) in entries(own, &["environments"]) {
            if let Some(group) = value.get_ref().as_table().and_then(|table| word(table, "solve-group")) {
                *groups.entry(group).or_default() += 1;
            }
        }
        if get(own, &["environments", DEFAULT]).is_none() {
            let name = in_project.then(|| DEFAULT.to_owned());
            let at = self.toml.span(0..0);
            self.environment(at, name, DEFAULT, &[DEFAULT.to_owned()], in_project);
        }
        for (name, value) in entries(own, &["environments"]).take(MOST) {
            let table = value.get_ref().as_table();
            let list = table.map_or(Some(value), |table| table.get("features"));
            let names = list.map(|list| self.toml.strings(list)).unwrap_or_default();
            let mut features: Vec<String> = names.iter().filter_map(Text::known).map(str::to_owned).collect();
            let default = !table.is_some_and(|table| is_set(table, "no-default-feature"));
            features.extend(default.then(|| DEFAULT.to_owned()));
            let at = self.toml.entry(name, value);
            let called = Some(name.get_ref().to_string()).filter(|name| in_project || name != DEFAULT);
            self.environment(at, called, name.get_ref(), &features, in_project && default);
            // It has the versions that the others of its group can live with, too.
            let group = table.and_then(|table| word(table, "solve-group")).and_then(|group| groups.get(group));
            if group.is_some_and(|members| *members > 1) {
                let bounds = Does::Include(Include { path: opaque(at), how: How::Constraints });
                let when = When(vec![Choice::For(Tool::Pixi), Choice::PixiEnvironment(name.get_ref().to_string())]);
                self.acts.push(Act { at, when, does: bounds });
            }
        }
    }
    fn environment(&mut self, at: Span, name: Option<String>, own: &str, features: &[String], project: bool) {
        let mut with = vec![Choice::PixiEnvironment(own.to_owned())];
        for feature in features {
            with.push(Choice::Feature(feature.clone()));
            // In a project, extras and groups are features of their names.
            if project && feature != DEFAULT {
                with.extend([Choice::Extra(normalise(feature)), Choice::Group(normalise(feature))]);
            }
        }
        let composed = Composed { name, tool: Tool::Pixi, with, project };
        self.acts.push(Act { at, when: When::default(), does: Does::Environment(composed) });
    }
}

fn opaque(at: Span) -> Text {
    Text { pieces: vec![Piece::Opaque], at }
}

/// A channel's name out of its address.
fn channel_name(channel: &str) -> &str {
    let path = channel.split_once("://").map(|(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    path.unwrap_or(channel).trim_matches('/')
}

#[cfg(test)]
mod tests {
    use super::super::pyproject::tests::shown;
    use super::*;

    fn show(text: &str) -> Vec<String> {
        shown(text, &read(FileId(0), text))
    }

    #[test]
    fn a_workspace() {
        let text = "[workspace]\nchannels = ['conda-forge', { channel = 'nvidia', priority = 1 }]\n[dependencies]\npython = '3.11.*'\n\
            pytorch = { version = '>=2.4, <3', build = '*cuda*', channel = 'https://conda.anaconda.org/pytorch' }\nsrc = { path = 'x' }\n\
            [system-requirements]\ncuda = '12'\n[activation.env]\nA = '1'\nB = '$A'\n[target.win-64.dependencies]\nx = '*'\n\
            [pypi-dependencies]\ntorch = { version = '==2.5.1', index = 'https://e.org/cu124', extras = ['E_x'] }\nodd = '2.0'\n\
            me = { path = '.', editable = true }\ng = { git = 'https://e.org/g' }\n\
            [pypi-options]\nextra-index-urls = ['https://e.org/a']\nindex-strategy = 'unsafe-best-match'\nfind-links = [{ path = 'l' }]\n";
        let found = show(text);
        let all = "For(Pixi) Feature(default)";
        assert_eq!(
            found,
            [
                "environment - by Pixi of PixiEnvironment(default) Feature(default)".to_owned(),
                "Channel conda-forge <For(Pixi)>".to_owned(),
                "Channel nvidia <For(Pixi)>".to_owned(),
                format!("MatchSpec python[version='3.11.*'] <{all}>"),
                format!("MatchSpec pytorch[version='>=2.4,<3',build='*cuda*',channel='pytorch'] <{all}>"),
                format!("Bounds MatchSpec __cuda >=12 <{all}>"),
                format!("set A=1 <{all}>"),
                format!("set B=? <{all}>"),
                format!("MatchSpec x[version='*'] <{all} Marker(sys_platform == 'win32' and platform_machine == 'AMD64')>"),
                format!("torch -> https://e.org/cu124 <{all}>"),
                format!("torch[e-x]==2.5.1 <{all}>"),
                format!("Extra https://e.org/cu124=https://e.org/cu124 explicit <{all}>"),
                format!("odd ? <{all}>"),
                format!("project ./. <{all}>"),
                format!("g @ git+https://e.org/g <{all}>"),
                format!("Extra https://e.org/a <{all}>"),
                found[16].clone(),
                format!("FindLinks l <{all}>"),
            ]
        );
        assert!(found[16].starts_with("Options("));
    }

    #[test]
    fn features_and_environments() {
        let text = "[project]\nplatforms = ['linux-64', 'osx-arm64', { platform = 'win-64', cuda = '12.4' }]\nchannels = []\n\
            [feature.gpu]\nplatforms = ['linux-64']\nchannels = ['nvidia']\ndependencies = { cuda-version = '12.6.*' }\n\
            [environments]\ngpu = ['gpu']\nlone = { features = ['gpu'], no-default-feature = true, solve-group = 's' }\ntwo = { features = [], solve-group = 's' }\n";
        let platforms = "Marker((sys_platform == 'linux' and platform_machine == 'x86_64') or (sys_platform == 'darwin' and platform_machine == 'arm64') or (sys_platform == 'win32' and platform_machine == 'AMD64'))";
        let gpu =
            format!("For(Pixi) {platforms} Feature(gpu) Marker((sys_platform == 'linux' and platform_machine == 'x86_64'))");
        assert_eq!(
            show(text),
            [
                "environment - by Pixi of PixiEnvironment(default) Feature(default)".to_owned(),
                "Bounds MatchSpec __cuda >=12.4 <For(Pixi) Marker(sys_platform == 'win32' and platform_machine == 'AMD64')>"
                    .to_owned(),
                format!("Channel nvidia <{gpu}>"),
                format!("MatchSpec cuda-version[version='12.6.*'] <{gpu}>"),
                "environment gpu by Pixi of PixiEnvironment(gpu) Feature(gpu) Feature(default)".to_owned(),
                "environment lone by Pixi of PixiEnvironment(lone) Feature(gpu)".to_owned(),
                "constraints ? <For(Pixi) PixiEnvironment(lone)>".to_owned(),
                "environment two by Pixi of PixiEnvironment(two) Feature(default)".to_owned(),
                "constraints ? <For(Pixi) PixiEnvironment(two)>".to_owned(),
            ]
        );
    }

    #[test]
    fn half_typed() {
        for text in [
            "",
            "\u{feff}",
            "[dependencies]\nx",
            "dependencies = 3",
            "[feature]\nx = 1\n[environments]\ny = 2\nz = { features = 3 }",
            "\0",
        ] {
            assert!(show(text)[0].contains("environment"), "{text:?}");
        }
    }
}
