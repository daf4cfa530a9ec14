//! Acts in their order, with the state that they change.

use std::collections::BTreeSet;

use super::super::drivers::Runfile;
use super::super::paths;
use super::super::variables::{self, Seen, Value, Variables};
use super::decided::{Decided, of_build};
use super::prefix::{conda, venv};
use super::telling::{FETCHED, brings_nothing};
use super::{Compiling, Event, Kept, Prefix, Walker};
use crate::knowledge::{
    Brings, configuration_variable, configured_index, feature_brings, fetches_no_packages, is_of_cudnn, is_shell_file,
    module_brings, signing_key,
};
use crate::notation::asking::Says;
use crate::outline::{Act, Answer, Does, Feature, How, Include, Kind, Lead, Leaves, Piece, Place, Scope, Text, Tool, Variable};
use crate::source::Span;

fn is_of_tool(path: &Text) -> bool {
    let Some(Piece::Literal(end)) = path.pieces.last() else { return false };
    is_shell_file(end)
}

/// Whether a file holds variables by its name: `.env`, `.env.local`, `dev.env`.
pub(super) fn is_of_variables(path: &str) -> bool {
    let name = paths::name(path);
    name.starts_with(".env") || name.ends_with(".env")
}

/// What an act began, and [`Place::Back`] ends.
enum Frame {
    /// A subshell, with the state before it.
    Subshell(Box<Kept>),
    /// A call, or what is not looked at.
    Call,
}

impl<'a> Walker<'_, 'a> {
    /// Lets acts happen; whether their shell has ended with them.
    pub(super) fn acts(&mut self, path: &str, acts: &'a [Act], depth: usize) -> bool {
        let outer = self.nest();
        let ended = self.each(path, acts, depth);
        self.unnest(outer);
        ended
    }

    fn each(&mut self, path: &str, acts: &'a [Act], depth: usize) -> bool {
        if !self.bounds.follows(depth) || !self.bounds.acts(acts) {
            return false;
        }
        let mut frames: Vec<Frame> = Vec::new();
        // What is left stays so until this many frames are open.
        let mut left: Option<usize> = None;
        let mut decided = Decided::default();
        let leaving = self.leaving();
        let before = self.says;
        // On what it rests that the acts from here on happen.
        let mut all = before;
        for act in acts {
            // What has become too much says nothing any more.
            if self.bounds.left_out {
                break;
            }
            match &act.does {
                Does::Enter(Place::Subshell) if left.is_none() => {
                    let state = self.keep();
                    self.hand_on();
                    frames.push(Frame::Subshell(Box::new(state)));
                }
                Does::Enter(Place::Subshell | Place::Call) => frames.push(Frame::Call),
                // Another start's business.
                Does::Enter(Place::Container(_) | Place::Service { .. } | Place::Started) if left.is_none() => {
                    left = frames.len().checked_sub(1);
                }
                Does::Enter(Place::Back) => {
                    if let Some(Frame::Subshell(state)) = frames.pop() {
                        self.back(*state);
                    }
                    left = left.filter(|open| frames.len() > *open);
                    self.close_leaving(leaving, Some(frames.len()));
                    if frames.is_empty() && !self.later.is_empty() && self.is_job(path) {
                        for (name, value) in std::mem::take(&mut self.later) {
                            self.variables.set(&name, value);
                        }
                    }
                }
                _ => {}
            }
            if left.is_some() {
                self.weigh(act);
                continue;
            }
            let takes = self.takes_in(act, &mut decided);
            let says = decided.says();
            if let Does::Leave(leaves) = act.does {
                let subshell = || frames.iter().rposition(|frame| matches!(frame, Frame::Subshell(_)));
                let open = match leaves {
                    Leaves::Function => frames.len(),
                    Leaves::Shell => subshell().map_or(0, |n| n + 1),
                };
                // What follows rests on the machine, too.
                let unseen = open == 0 && takes || leaves == Leaves::Shell && says.suits_host();
                self.weigh_leaving(act, leaves, Some(open).filter(|_| !unseen));
            }
            if !takes {
                match &act.does {
                    // That it is not set rests on the same.
                    Does::Set(variable) if says != Says::default() => {
                        let mut both = self.variables.said(&variable.name);
                        both |= says;
                        self.variables.rest(&variable.name, both);
                    }
                    // What the machine is not fit for does not go on.
                    Does::Leave(Leaves::Shell) => {
                        all.machine |= says.machine;
                        all.elsewhere |= says.elsewhere;
                    }
                    _ => {}
                }
                continue;
            }
            self.says = all;
            self.says |= says;
            let leaves = match act.does {
                Does::Leave(leaves) => Some(leaves),
                _ => self.act(path, act, depth).then_some(Leaves::Shell),
            };
            left = match leaves {
                None => None,
                Some(Leaves::Function) if frames.is_empty() => {
                    self.says = before;
                    return false;
                }
                Some(Leaves::Function) => Some(frames.len() - 1),
                Some(Leaves::Shell) => match frames.iter().rposition(|f| matches!(f, Frame::Subshell(_))) {
                    Some(subshell) => Some(subshell),
                    None => {
                        self.says = before;
                        return true;
                    }
                },
            };
        }
        self.says = before;
        self.close_leaving(leaving, None);
        // Subshells that nothing ends: their variables stay.
        while let Some(frame) = frames.pop() {
            if let Frame::Subshell(state) = frame {
                self.variables.forget(state.variables);
            }
        }
        false
    }

    pub(super) fn keep(&mut self) -> Kept {
        Kept {
            variables: self.variables.mark(),
            folders: self.folders.clone(),
            prefix: self.prefix.clone(),
            folder: self.image.as_ref().map(|i| i.folder.clone()),
            unsure: self.unsure,
        }
    }

    /// What is set for a command is there for all that the command runs.
    pub(super) fn hand_on(&mut self) {
        for (name, value) in std::mem::take(&mut self.pending) {
            self.variables.set(&name, value);
        }
    }

    pub(super) fn back(&mut self, state: Kept) {
        self.variables.back(state.variables, |name| self.configured.contains(name));
        self.folders = state.folders;
        self.prefix = state.prefix;
        self.unsure = state.unsure;
        if let (Some(image), Some(folder)) = (&mut self.image, state.folder) {
            image.folder = folder;
        }
    }

    /// Lets one act happen; whether the shell has ended with it, as it does with a sourced script's `exit`.
    fn act(&mut self, path: &str, act: &'a Act, depth: usize) -> bool {
        let mut ended = false;
        match &act.does {
            Does::Set(variable) if variable.scope == Scope::Command => {
                let before = self.listen();
                let value = match &variable.value {
                    Some(text) => self.variables.value(text, act.at, Seen::Programs),
                    None => Value::unknown(act.at, Seen::Programs),
                };
                self.heard_setting(before);
                self.pending.push((variable.name.clone(), value));
                return false;
            }
            Does::Set(variable) => {
                let before = self.listen();
                self.set(variable, act.at);
                self.heard_setting(before);
            }
            Does::Answer(answer) => {
                let before = self.listen();
                self.answer(answer);
                self.heard_setting(before);
            }
            Does::Enter(place @ Place::Directory(_)) => {
                let before = self.listen();
                self.go(place);
                self.heard_setting(before);
            }
            Does::Enter(place) => self.go(place),
            Does::Install(install) => {
                self.install(act.at, install);
                self.read_input();
            }
            Does::Remove(removal) => self.remove(act.at, removal),
            Does::System(packages) if !packages.removes => {
                let names = packages.names.iter().filter_map(|n| Some((self.variables.resolve(n)?, n.at))).collect();
                self.script.events.push(Event::System { names });
                self.put_driver(&act.does);
            }
            Does::Runfile { file, arguments } => {
                let run = Runfile::of(file, arguments, &|text| self.variables.resolve(text));
                self.script.events.extend(run.map(|run| Event::Runfile(run, act.at)));
                self.put_driver(&act.does);
            }
            Does::Copy(copy) => self.copy(path, copy),
            Does::Edit(path) => self.change(path),
            Does::Secret(path) => {
                if let Some(Piece::Literal(end)) = path.pieces.last()
                    && let Some(variable) = configuration_variable(paths::name(end))
                {
                    self.variables.set(variable, Value::unknown(act.at, Seen::Programs));
                }
            }
            Does::Write(written) => self.write(written),
            Does::Sift(sifted) => self.sift(sifted),
            Does::Include(Include { path: text, how: How::Script }) => {
                let found = self.open(text, Kind::Script);
                // Whether programs see its variables rests on how the shell is set.
                self.unsure |= found.as_ref().is_some_and(|(_, path)| is_of_variables(path));
                let name = self.path(text).map(|path| paths::name(&path).to_owned()).filter(|_| found.is_none());
                self.variables.ask(FETCHED);
                if let Some(url) = name.and_then(|name| self.fetched.get(&name).copied()) {
                    self.run_fetched(url);
                }
                if let Some((file, path)) = found.as_ref().filter(|(file, _)| file.kind == Kind::EnvFile) {
                    self.enter(path, *file);
                    self.variables.add(Variables::of_file(*file));
                }
                let opened = found.filter(|(file, _)| matches!(file.kind, Kind::Script | Kind::Rc));
                let unread = opened.is_none() && !is_of_tool(text);
                self.unsure |= unread;
                self.script.compilers_open |= unread;
                if let Some((file, found)) = opened {
                    self.enter(&found, file);
                    if self.bounds.enter(file.outline) {
                        let before = self.reads(&found, text);
                        ended = self.acts(&found, &file.outline.acts, depth + 1);
                        before.into_iter().for_each(|(name, value)| self.variables.set(name, value));
                        self.bounds.leave();
                    }
                }
            }
            Does::OnCuda => self.script.on_cuda = self.script.on_cuda.or(Some(act.at)),
            Does::Venv { folder, python } => {
                if let Some(folder) = self.variables.resolve(folder) {
                    let folder = self.here(&folder);
                    let named = python.as_ref().and_then(|text| Some((text.at, self.variables.resolve(text)?)));
                    self.script.events.extend(named.map(|(at, python)| Event::PythonOf {
                        prefix: venv(folder.clone()),
                        python,
                        at,
                        now: true,
                    }));
                    self.fresh.insert(folder.clone());
                    self.made.insert(folder);
                }
            }
            Does::Compile(compile) if compile.program == "make" => self.make(act.at, &compile.arguments, depth),
            Does::Compile(compile) => {
                let compiling = Compiling {
                    program: compile.program.clone(),
                    arguments: compile.arguments.iter().map(|word| self.variables.resolve(word)).collect(),
                    at: act.at,
                    prefix: self.active(Tool::Pip),
                    variables: self.build_variables(),
                };
                self.script.events.push(Event::Compile(Box::new(compiling)));
            }
            Does::Use(used) => self.take_in(used, depth),
            Does::Fetched(url) => self.run_fetched(url),
            Does::Download(download) => {
                let before = self.listen();
                // NVIDIA's repository and installers for it have a name of their own.
                let url = self.variables.resolve(&download.url);
                self.put_cudnn(url.as_deref(), download.url.at);
                // Of the distribution's name, which variables often hold, nothing hangs.
                let key = signing_key(url.as_deref().unwrap_or(&shape(&download.url)));
                self.script.keys.extend(key.map(|key| (key, download.url.at)));
                if let Some(url) = &url {
                    let wsl = url.contains("wsl-ubuntu");
                    self.script.for_wsl |= wsl;
                    self.script.repository_of_wsl |= wsl;
                    self.script.repository_of_linux |= !wsl && (url.contains("/cuda/repos/") || url.contains("/cuda-repo-"));
                }
                if let Some(to) = download.to.as_ref().and_then(|to| self.path(to)) {
                    self.fetched.insert(paths::name(&to).to_owned(), &download.url);
                }
                if let (Some(url), Some(to)) = (self.variables.resolve(&download.url), download.to.as_ref()) {
                    self.base.fetch(&url, self.variables.resolve(to).as_deref());
                }
                self.heard_setting(before);
            }
            Does::CondaInstaller { file, prefix } => {
                self.variables.ask(FETCHED);
                if let (Some(file), Some(prefix)) = (self.variables.resolve(file), self.variables.resolve(prefix)) {
                    self.base.install(&file, self.here(&prefix));
                }
            }
            Does::Modules(modules) if !modules.unloads => self.load(&modules.names, act.at),
            Does::Feature(feature) => self.add(feature),
            Does::Python(text) => {
                if let Some(python) = self.variables.resolve(text) {
                    self.script.events.push(Event::Python(python, text.at));
                }
            }
            Does::Runs { entrypoint, words } => {
                let resolved = words.iter().map(|w| (self.variables.resolve(w).unwrap_or_default(), w.at)).collect();
                let runs = &mut self.script.runs;
                *(if *entrypoint { &mut runs.entrypoint } else { &mut runs.arguments }) = resolved;
            }
            _ => {}
        }
        self.pending.clear();
        ended
    }

    /// A script is run that is fetched; the installers of programs put nothing into what is there.
    fn run_fetched(&mut self, url: &Text) {
        let known = self.variables.resolve(url).is_some_and(|url| fetches_no_packages(&url));
        if !known && !brings_nothing(url) {
            self.script.events.push(Event::Unread);
        }
    }

    /// A file of cuDNN is fetched or copied, by its name.
    pub(super) fn put_cudnn(&mut self, path: Option<&str>, at: Span) {
        let name = path.map(|path| paths::name(path.split(['?', '#']).next().unwrap_or(path)));
        if let Some(name) = name.filter(|name| is_of_cudnn(name)) {
            self.script.events.push(Event::System { names: vec![(name.to_owned(), at)] });
        }
    }

    /// Environment modules set what their site has written for them: paths of libraries, and, where they may bring a Python
    /// or its packages, where pip looks.
    fn load(&mut self, names: &[Text], at: Span) {
        let named = names.iter().filter_map(|name| Some((self.variables.resolve(name)?, name.at)));
        let named = named.collect();
        self.script.events.push(Event::Modules(named));
        for variable in ["LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH"] {
            self.variables.set(variable, Value::unknown(at, Seen::Programs));
        }
        let brings = |name: &Text| module_brings(&self.variables.resolve(name).unwrap_or_default());
        let mut python = names.iter().map(brings).filter(|brings| *brings != Some(Brings::Nothing)).peekable();
        let brings_python = python.peek().is_some();
        // A conda has packages of its own, and is no installer's configuration.
        if python.any(|brings| brings != Some(Brings::Conda)) {
            self.variables.set("PIP_CONFIG_FILE", Value::unknown(at, Seen::Programs));
            self.variables.set("UV_CONFIG_FILE", Value::unknown(at, Seen::Programs));
        }
        if brings_python {
            self.script.events.push(Event::Upon(at));
        }
    }

    /// A dev container's feature brings a Python of its own, or packages that are not known, or nothing of that.
    fn add(&mut self, feature: &Feature) {
        let name = self.variables.resolve(&feature.name);
        match name.as_deref().and_then(feature_brings) {
            Some(Brings::Nothing) => {}
            Some(Brings::Python) => {
                // Those are the image's own, where it has one.
                let own = |version: &Text| matches!(version.known(), Some("os-provided" | "system" | "none"));
                if let Some(version) = feature.version.as_ref().filter(|version| !own(version)) {
                    self.go(&Place::Python(version.clone()));
                }
            }
            Some(Brings::Conda) | None => self.script.events.push(Event::Upon(feature.name.at)),
        }
    }

    /// The script that a start is.
    pub(super) fn begins(&mut self, path: &str, at: Span) {
        for variable in [variables::STARTED, variables::READ] {
            self.variables.set(variable, Value::leading(Some(paths::from_root(path)), at));
        }
    }

    /// A script is read; gives back what was read before. Whether it is started or sourced is not told, which is one to what
    /// lies beside it.
    fn reads(&mut self, path: &str, text: &Text) -> [(&'static str, Value); 2] {
        let own = match &self.image {
            None => Some(paths::from_root(path)),
            // Where it lies there, which is not where it comes from.
            Some(image) => self.path(text).filter(|to| !paths::is_led(to)).map(|to| paths::inside(&image.folder, &to)),
        };
        let at = text.at;
        let before = [variables::STARTED, variables::READ].map(|name| {
            let known = self.variables.replaced(name).cloned();
            (name, known.unwrap_or_else(|| Value::unknown(at, Seen::Shell)))
        });
        let [(_, started), _] = &before;
        let folder = |path: &String| paths::above(path).unwrap_or_else(|| paths::folder(path).to_owned());
        let beside = started.leads.as_ref().is_none_or(|started| Some(folder(started)) == own.as_ref().map(folder));
        self.variables.set(variables::READ, Value::leading(own.clone(), at));
        self.variables.set(variables::STARTED, Value::leading(own.filter(|_| beside), at));
        before
    }

    /// A variable that was set, or a function that is called, rests on what was asked.
    pub(super) fn answer(&mut self, answer: &Answer) {
        let mut says = self.variables.says(&answer.name);
        says |= Says { machine: answer.machine, packages: answer.packages, elsewhere: false };
        answer.from.iter().for_each(|name| says |= self.variables.says(name));
        self.variables.rest(&answer.name, says);
    }

    pub(super) fn set(&mut self, variable: &Variable, at: Span) {
        let mut says = variable.value.as_ref().map_or_else(|| self.variables.says(&variable.name), |v| self.variables.says_of(v));
        says |= self.says;
        self.variables.rest(&variable.name, says);
        let value = match variable.scope {
            Scope::Arg => {
                // An ENV of the same name wins over an ARG.
                if self.variables.get(&variable.name).is_some_and(|v| v.seen == Seen::Programs) {
                    return;
                }
                self.argument(variable, at)
            }
            scope => {
                let before = self.variables.replaced(&variable.name).cloned();
                let seen = match scope {
                    Scope::Environment | Scope::Configured => Seen::Programs,
                    _ => before.as_ref().map_or(Seen::Shell, |v| v.seen),
                };
                match (&variable.value, before) {
                    (Some(text), _) => {
                        let mut value = self.variables.value(text, at, seen);
                        value.from.extend(self.put_in(text));
                        value
                    }
                    // `export X` after `X=…` keeps the value.
                    (None, Some(before)) => Value { seen, ..before },
                    (None, None) => Value::unknown(at, seen),
                }
            }
        };
        // Where the test goes the other way it has another value.
        let value = Value { sure: value.sure && !self.tested, ..value };
        if variable.scope == Scope::Job {
            self.later.push((variable.name.clone(), Value { seen: Seen::Programs, ..value }));
            return;
        }
        // Many long values weigh like many variables.
        if variable.scope == Scope::Configured {
            self.configured.insert(variable.name.clone());
        }
        if self.bounds.copy((value.written.len() + value.text.as_ref().map_or(0, String::len)) / 64) {
            self.variables.set(&variable.name, value);
        }
    }

    pub(super) fn argument(&self, variable: &Variable, at: Span) -> Value {
        let image = self.image.as_ref();
        let given = image.and_then(|i| i.given(&variable.name, at));
        let global = image.and_then(|i| i.global.get(&variable.name));
        match (given, &variable.value) {
            (Some(given), _) => given,
            (None, Some(value)) => self.variables.value(value, at, Seen::Build),
            (None, None) => {
                let by_build =
                    || Some(Value::known(of_build(&variable.name, &self.world.platform)?, at, Seen::Build).given(Vec::new()));
                global.cloned().or_else(by_build).unwrap_or_else(|| Value::unknown(at, Seen::Build))
            }
        }
    }

    pub(super) fn go(&mut self, place: &Place) {
        match place {
            Place::Directory(text) => {
                let to = self.path(text);
                if let Some(image) = &mut self.image {
                    image.folder = to.map_or_else(|| "/?".to_owned(), |to| paths::inside(&image.folder, &to));
                    return;
                }
                self.folders = to.as_deref().map(|to| self.lead(to)).unwrap_or_default();
                let to = to.filter(|to| !to.starts_with(['/', '~']));
                let to = to.map(|to| Text { pieces: vec![Piece::Path(Lead::To(vec![Piece::Literal(to)]))], at: text.at });
                let to = to.and_then(|to| self.variables.path(&to));
                self.variables.set(variables::WORKING, Value::leading(to, text.at));
            }
            Place::CondaEnvironment(text) => {
                self.prefix = self.variables.resolve(text).map_or(Prefix::Unknown, |name| conda(&name));
            }
            Place::CondaEnvironmentOf(file) => {
                let found = self.open(file, Kind::CondaEnvironment);
                let own = found.and_then(|(file, _)| self.own_name(file));
                let somewhere = || Prefix::Somewhere(self.project.sources.slice(file.at).to_owned());
                self.prefix = own.map_or_else(somewhere, |name| conda(&name));
            }
            Place::PlainShell => self.prefix = Prefix::System,
            Place::Venv(text) => {
                let folder = self.variables.resolve(text).map(|folder| self.here(&folder));
                self.made.extend(folder.clone());
                self.prefix = folder.map_or(Prefix::Unknown, venv);
            }
            Place::Python(text) => {
                let name = self.variables.resolve(text).unwrap_or_else(|| format!("?{}", text.at.start));
                let prefix = Prefix::Venv(format!("python{name}"));
                self.script.events.push(Event::PythonOf { prefix: prefix.clone(), python: name, at: text.at, now: true });
                self.python = Some(prefix);
            }
            Place::SystemPython(text) => self.script.events.extend(self.variables.resolve(text).map(Event::SystemPython)),
            Place::Image(text) => {
                let image = self.variables.resolve(text);
                let also = self.reasons(text);
                self.base_image(image, text.at, also);
            }
            Place::Subshell | Place::Call | Place::Back => {}
            Place::Container(_) | Place::Service { .. } | Place::Started => {}
        }
    }
}

/// An installer's own configuration that is written or copied, and not read: its index is not known from here on.
pub(super) fn configures(configured: &mut BTreeSet<String>, variables: &mut Variables, path: &str, at: Span) {
    let Some(variable) = configured_index(paths::name(path)) else { return };
    configured.insert(variable.to_owned());
    variables.set(variable, Value::unknown(at, Seen::Programs));
}

/// A text with a mark in place of what is not known.
fn shape(text: &Text) -> String {
    text.pieces.iter().map(|piece| if let Piece::Literal(text) = piece { text.as_str() } else { "*" }).collect()
}
