//! What a text that stands in another file says, with the places of that file, and with what is put into it.

use super::filled::Filled;
use crate::outline::{
    Act, Answer, BuildOf, Change, Choice, Composed, Copy, Does, Download, Feature, GpuRequest, Include, IndexLine, Install,
    InstallFlags, Launch, Lead, Line, Locked, LockedFrom, Members, Mount, Outline, Piece, Place, Removal, Requirement, Route,
    RouteTo, Stage, Target, Text, Variable, Written,
};
use crate::source::Span;

/// An outline of a text by itself; `None` where what is put in decides more than texts: a name, a test.
pub(super) fn moved(filled: &Filled, outline: Outline) -> Option<Outline> {
    Moving { filled, moves: true, certain: true }.outline(outline)
}

/// The same of one whose places are the file's already.
pub(super) fn named(filled: &Filled, outline: Outline) -> Option<Outline> {
    Moving { filled, moves: false, certain: true }.outline(outline)
}

struct Moving<'f> {
    filled: &'f Filled,
    moves: bool,
    certain: bool,
}

impl Moving<'_> {
    fn outline(mut self, mut outline: Outline) -> Option<Outline> {
        self.acts(&mut outline.acts);
        outline.name.take_if(|name| name.chars().any(|c| self.filled.stands_for(c).is_some()));
        // What is said about findings there is said of another file.
        outline.ignores.clear();
        outline.torn.clear();
        self.certain.then_some(outline)
    }

    fn span(&self, at: &mut Span) {
        if self.moves {
            *at = self.filled.text.span(at.range());
        }
    }

    fn name(&mut self, name: &str) {
        self.certain &= !name.chars().any(|c| self.filled.stands_for(c).is_some());
    }

    fn text(&mut self, text: &mut Text) {
        self.span(&mut text.at);
        self.pieces(&mut text.pieces);
    }

    fn texts<'t>(&mut self, texts: impl IntoIterator<Item = &'t mut Text>) {
        texts.into_iter().for_each(|text| self.text(text));
    }

    /// Fallbacks in fallbacks are as deep as readers go.
    fn pieces(&mut self, pieces: &mut Vec<Piece>) {
        let before = std::mem::take(pieces);
        for piece in before {
            match piece {
                Piece::Literal(literal) => {
                    let mut rest = literal.as_str();
                    while let Some((at, c, piece)) =
                        rest.char_indices().find_map(|(at, c)| Some((at, c, self.filled.stands_for(c)?)))
                    {
                        if at > 0 {
                            pieces.push(Piece::Literal(rest[..at].to_owned()));
                        }
                        pieces.push(piece);
                        rest = &rest[at + c.len_utf8()..];
                    }
                    if !rest.is_empty() {
                        pieces.push(Piece::Literal(rest.to_owned()));
                    }
                }
                Piece::Variable { name, mut fallback, mut instead } => {
                    let mut letters = name.chars();
                    let alone = letters.next().filter(|_| letters.next().is_none());
                    if let Some(piece) = alone.and_then(|letter| self.filled.stands_for(letter)) {
                        pieces.push(piece);
                        continue;
                    }
                    self.name(&name);
                    for inner in [&mut fallback, &mut instead].into_iter().flatten() {
                        self.pieces(inner);
                    }
                    pieces.push(Piece::Variable { name, fallback, instead });
                }
                Piece::Path(mut lead) => {
                    if let Lead::To(inner) | Lead::Above(inner) = &mut lead {
                        self.pieces(inner);
                    }
                    pieces.push(Piece::Path(lead));
                }
                Piece::Edited { mut of, edits } => {
                    self.pieces(&mut of);
                    pieces.push(Piece::Edited { of, edits });
                }
                Piece::Opaque => pieces.push(Piece::Opaque),
            }
        }
    }

    fn acts(&mut self, acts: &mut [Act]) {
        for act in acts {
            self.span(&mut act.at);
            act.when.0.iter().for_each(|choice| self.choice(choice));
            self.does(&mut act.does);
        }
    }

    fn choice(&mut self, choice: &Choice) {
        match choice {
            Choice::Extra(name)
            | Choice::Group(name)
            | Choice::Feature(name)
            | Choice::Marker(name)
            | Choice::Row { job: name, .. }
            | Choice::PixiEnvironment(name) => self.name(name),
            Choice::Branch { test, .. } => self.name(test),
            Choice::For(_) => {}
        }
    }

    fn does(&mut self, does: &mut Does) {
        match does {
            Does::Require(Requirement { written, language: _, role: _ }) => self.text(written),
            Does::Lock(Locked { name, version, from, markers }) => {
                self.texts([name, version]);
                match from {
                    LockedFrom::Index(text) | LockedFrom::File(text) | LockedFrom::Conda(text) => self.text(text),
                    LockedFrom::Indexes | LockedFrom::Pypi | LockedFrom::Elsewhere => {}
                }
                markers.iter().for_each(|marker| self.name(marker));
            }
            Does::Index(index) => self.index(index),
            Does::Route(Route { package, to }) => {
                self.name(package);
                match to {
                    RouteTo::Index(text) | RouteTo::Url(text) => self.text(text),
                    RouteTo::Here | RouteTo::Elsewhere => {}
                }
            }
            Does::Conflict(choices) | Does::Defaults(choices) => choices.iter().for_each(|choice| self.choice(choice)),
            Does::ResolvedFor(texts) | Does::Start(texts) => self.texts(texts),
            Does::Together(together) => {
                self.texts(&mut together.files);
                self.texts(&mut together.environment_files);
            }
            Does::WorkedOutFrom(text) => self.text(text),
            Does::Members(Members { with, without }) => self.texts(with.iter_mut().chain(without)),
            Does::Environment(Composed { name, tool: _, with, project: _ }) => {
                name.iter().for_each(|name| self.name(name));
                with.iter().for_each(|choice| self.choice(choice));
            }
            Does::Install(install) => self.install(install),
            Does::Remove(removal) => self.removal(removal),
            Does::From(Stage { image, name, platform }) => {
                self.texts([image].into_iter().chain(platform));
                name.iter().for_each(|name| self.name(name));
            }
            Does::Job(job) => {
                self.name(&job.name);
                self.texts(job.container.iter_mut().chain(&mut job.runs_on));
            }
            Does::Goal(goal) => {
                goal.names.iter().for_each(|name| self.name(name));
                self.texts(&mut goal.needs);
            }
            Does::Copy(Copy { from, sources, to }) => self.texts(from.iter_mut().chain(sources).chain([to])),
            Does::LeaveOut { pattern, back: _ } => self.text(pattern),
            Does::Set(variable) | Does::Given(variable) => self.variable(variable),
            Does::Answer(Answer { name, machine: _, packages: _, from }) => {
                self.name(name);
                from.iter().for_each(|name| self.name(name));
            }
            Does::Enter(place) => match place {
                Place::Directory(text)
                | Place::CondaEnvironment(text)
                | Place::CondaEnvironmentOf(text)
                | Place::Venv(text)
                | Place::Python(text)
                | Place::SystemPython(text)
                | Place::Container(text)
                | Place::Service { name: text, anew: _ }
                | Place::Image(text) => self.text(text),
                Place::PlainShell | Place::Started | Place::Call | Place::Subshell | Place::Back => {}
            },
            Does::Compile(compile) => self.texts(&mut compile.arguments),
            Does::Launch(launch) => self.launch(launch),
            Does::System(packages) => self.texts(&mut packages.names),
            Does::Include(Include { path, how: _ }) => self.text(path),
            Does::Runs { entrypoint: _, words } => self.texts(words),
            Does::Options(flags) => self.flags(flags),
            Does::Venv { folder, python } => std::iter::once(folder).chain(python).for_each(|text| self.text(text)),
            Does::OnCuda => {}
            Does::Python(text) | Does::Edit(text) | Does::Secret(text) | Does::Sent(text) => self.text(text),
            Does::Write(written) => {
                let Written { path, kind: _, outline, put_in } = &mut **written;
                self.text(path);
                self.acts(&mut outline.acts);
                put_in.iter_mut().for_each(|variable| self.variable(variable));
            }
            Does::Sift(sifted) => self.texts(sifted.from.iter_mut().chain(&mut sifted.to)),
            Does::Use(used) => {
                self.text(&mut used.path);
                used.with.iter_mut().for_each(|variable| self.variable(variable));
            }
            Does::Modules(modules) => self.texts(&mut modules.names),
            Does::Feature(Feature { name, version }) => self.texts([name].into_iter().chain(version)),
            Does::Fetched(url) => self.text(url),
            Does::Download(Download { url, to }) => self.texts([url].into_iter().chain(to)),
            Does::Runfile { file, arguments } => self.texts([file].into_iter().chain(arguments)),
            Does::CondaInstaller { file, prefix } => self.texts([file, prefix]),
            Does::Patch(patch) => {
                self.name(&patch.of.kind);
                self.name(&patch.of.name);
                match &mut patch.change {
                    Change::File(text) => self.text(text),
                    Change::Here(at) => self.span(at),
                    Change::Unknown => {}
                }
            }
            Does::ConfigMap(map) => {
                self.name(&map.name);
                map.variables.iter_mut().for_each(|variable| self.variable(variable));
            }
            Does::OnBuild(acts) => self.acts(acts),
            Does::Unpackaged | Does::Leave(_) | Does::DefaultRuntime => {}
        }
    }

    fn index(&mut self, index: &mut IndexLine) {
        self.text(&mut index.url);
        index.name.iter().for_each(|name| self.name(name));
    }

    fn variable(&mut self, variable: &mut Variable) {
        self.name(&variable.name);
        self.texts(&mut variable.value);
    }

    fn install(&mut self, install: &mut Install) {
        self.texts(install.asks.iter_mut().map(|ask| &mut ask.written));
        self.texts(install.reads.iter_mut().map(|include| &mut include.path));
        install.indexes.iter_mut().for_each(|index| self.index(index));
        self.target(&mut install.target);
        self.flags(&mut install.flags);
        self.line(&mut install.line);
    }

    fn removal(&mut self, removal: &mut Removal) {
        self.texts(&mut removal.names);
        self.texts(removal.reads.iter_mut().map(|include| &mut include.path));
        self.target(&mut removal.target);
        self.line(&mut removal.line);
    }

    fn target(&mut self, target: &mut Target) {
        match target {
            Target::Named(text) | Target::Apart(text) | Target::Prefix(text) => self.text(text),
            Target::Python(version) => self.name(version),
            Target::Active | Target::System | Target::Own(_) => {}
        }
    }

    fn line(&mut self, line: &mut Option<Line>) {
        self.texts(line.iter_mut().flat_map(|line| &mut line.words).map(|(word, _)| word));
    }

    fn flags(&mut self, flags: &mut InstallFlags) {
        let many = [&mut flags.no_binary, &mut flags.no_isolation_for, &mut flags.extras, &mut flags.groups, &mut flags.without];
        self.texts(many.into_iter().flatten());
        let single = [&mut flags.torch_backend, &mut flags.index_strategy, &mut flags.environment, &mut flags.python];
        self.texts(single.into_iter().flatten());
    }

    fn launch(&mut self, launch: &mut Launch) {
        self.span(&mut launch.key);
        launch.name.iter().for_each(|name| self.name(name));
        self.texts(launch.image.iter_mut().chain(&mut launch.platforms).chain(&mut launch.command));
        self.texts(launch.entrypoint.iter_mut().flatten().chain(&mut launch.environment_files).chain(&mut launch.gpu_node));
        self.texts(&mut launch.folder);
        for Mount { from, to } in &mut launch.mounts {
            self.texts([from, to]);
        }
        launch.environment.iter_mut().for_each(|variable| self.variable(variable));
        launch.config_maps.iter().for_each(|name| self.name(name));
        if let Some(BuildOf { context, dockerfile, inline: _, target, arguments, unread_arguments: _, contexts }) =
            &mut launch.build
        {
            for (name, text) in contexts {
                self.name(name);
                self.text(text);
            }
            self.texts([context].into_iter().chain(dockerfile).chain(target));
            arguments.iter_mut().for_each(|variable| self.variable(variable));
        }
        match &mut launch.gpu {
            GpuRequest::Asked(at) | GpuRequest::Optional(at) => self.span(at),
            GpuRequest::None | GpuRequest::Declined => {}
        }
        // What is put in is not known.
        let put_in = |text: &str| text.chars().any(|c| self.filled.stands_for(c).is_some());
        launch.malformed.retain(|malformed| !malformed.how.written().into_iter().any(put_in));
        launch.malformed.iter_mut().for_each(|malformed| self.span(&mut malformed.at));
        launch.pod.iter_mut().for_each(|at| self.span(at));
        if let Some(object) = &launch.object {
            self.name(&object.kind);
            self.name(&object.name);
        }
        for node in &mut launch.nodes {
            self.name(&node.label);
            self.texts(&mut node.values);
        }
    }
}
