//! From a path as written to a file of the root.

use super::super::variables::WORKING;
use super::super::{File, locks, paths};
use super::telling::edited;
use super::{Link, Walker};
use crate::outline::{How, Kind, Sifted, Text, Tool};
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    /// A file that a command names as one of a kind, with its path; `None` where it is not there or not known.
    pub(super) fn open(&mut self, text: &Text, kind: Kind) -> Option<(File<'a>, String)> {
        let Some(path) = self.path(text) else {
            self.link(text.at, Link::Untold);
            return None;
        };
        let found = self.find(&path, text.at, kind);
        self.link(text.at, if found.is_some() { Link::Found } else { Link::Absent });
        found
    }

    /// The path that a text is. What is only known by where it leads under the root is not known in an image.
    pub(super) fn path(&self, text: &Text) -> Option<String> {
        self.variables.path(text).filter(|path| self.image.is_none() || !paths::is_led(path))
    }

    /// What became of a link; where more than one place is looked at, what was found counts, and then the first that is told.
    pub(super) fn link(&mut self, at: Span, link: Link) {
        let known = self.script.links.entry(at).or_insert_with(|| link.clone());
        if link == Link::Found || *known == Link::Absent {
            *known = link;
        }
    }

    fn find(&mut self, path: &str, at: Span, kind: Kind) -> Option<(File<'a>, String)> {
        self.ask_for_changes(path);
        self.ask_where(path);
        if !self.sifted.is_empty() {
            for place in self.places(path) {
                self.script.installed.extend(self.sifted.get(&place).into_iter().flatten().cloned());
            }
        }
        if let Some(image) = &self.image {
            let inside = paths::inside(&image.folder, path);
            if let Some(written) = self.written(&inside) {
                return Some((written, inside));
            }
            if !self.bounds.look_through(image.contents.len()) {
                return None;
            }
            let edited = image.contents.is_edited(&inside);
            let (wanted, called) = (image.sources(self.project, &inside), image.called(self.project, paths::name(&inside)));
            let found = self.first(wanted, kind);
            if found.is_none() {
                // It was moved there: it is installed here, in what way is not known.
                self.script
                    .installed
                    .extend(called.into_iter().filter(|path| self.project.file(path).is_some_and(|f| f.kind == kind)));
            }
            return self.unless(edited, found, at);
        }
        if !self.written.is_empty()
            && let Some(found) = self.places(path).into_iter().find_map(|place| Some((self.written(&place)?, place)))
        {
            return Some(found);
        }
        let wanted = self.lead(path);
        // After a `cd` to who knows where it is not known to be outside; `/etc/os-release` was never meant to be inside.
        if wanted.is_empty() && !self.folders.is_empty() && !path.starts_with(['/', '~']) {
            self.link(at, Link::Outside(path.to_owned()));
        }
        let found = self.first(wanted, kind);
        let edited = found.as_ref().is_some_and(|path| self.edited.contains(path));
        self.unless(edited, found, at)
    }

    /// It makes a difference whether a file was changed.
    pub(super) fn ask_for_changes(&self, path: &str) {
        if self.variables.is_watched() {
            self.variables.ask(&edited(paths::name(path)));
        }
    }

    /// It makes a difference from where a path leads.
    pub(super) fn ask_where(&self, path: &str) {
        if !path.starts_with(['/', '~']) {
            self.variables.ask(WORKING);
        }
    }

    /// Where a file lies that a command names: its place in the image, or under the root; absolute paths stay.
    pub(super) fn places(&self, path: &str) -> Vec<String> {
        self.ask_where(path);
        match &self.image {
            Some(image) => vec![paths::inside(&image.folder, path)],
            None if path.starts_with('/') => vec![path.to_owned()],
            None => self.lead(path),
        }
    }

    /// Where a path leads under the root.
    pub(super) fn lead(&self, path: &str) -> Vec<String> {
        self.ask_where(path);
        let relative = || self.folders.iter().filter_map(|folder| paths::join(folder, path)).collect();
        paths::leading(path, &self.starts).unwrap_or_else(relative)
    }

    pub(super) fn written(&self, place: &str) -> Option<File<'a>> {
        let written = self.written.get(place)?;
        Some(File { id: written.path.at.file, kind: written.kind, outline: &written.outline, by_link: true })
    }

    /// Files of which only parts are installed are not installed as they stand.
    pub(super) fn sift(&mut self, sifted: &Sifted) {
        let from: Vec<String> = sifted.from.iter().filter_map(|text| self.path(text)).collect();
        let from: Vec<String> = from.iter().flat_map(|path| self.sources(path)).collect();
        if from.is_empty() {
            return;
        }
        match &sifted.to {
            None => self.script.installed.extend(from),
            Some(to) => {
                let places = self.path(to).map(|to| self.places(&to)).unwrap_or_default();
                self.sifted.extend(places.into_iter().map(|place| (place, from.clone())));
            }
        }
    }

    /// The files of the root that may lie at a path, or of which what lies there is a part.
    fn sources(&self, path: &str) -> Vec<String> {
        let places = self.places(path);
        let parts = places.iter().filter_map(|place| self.sifted.get(place)).flatten().cloned();
        let own: Vec<String> = match &self.image {
            Some(image) => places.iter().flat_map(|place| image.sources(self.project, place)).collect(),
            None => places.clone(),
        };
        let is_manifest = |path: &String| self.project.file(path).is_some_and(|file| file.kind == Kind::Requirements);
        parts.chain(own.into_iter().find(is_manifest)).collect()
    }

    /// A file that was changed on the way is installed, and what it says then is not known.
    fn unless(&mut self, edited: bool, found: Option<String>, at: Span) -> Option<(File<'a>, String)> {
        if edited {
            self.link(at, Link::Changed);
            self.script.installed.extend(found);
            return None;
        }
        let path = found?;
        Some((self.project.file(&path)?, path))
    }

    pub(super) fn first(&mut self, wanted: Vec<String>, kind: Kind) -> Option<String> {
        for path in wanted {
            if self.project.file(&path).is_some() {
                return Some(path);
            }
            self.script.looked.insert((path, kind));
        }
        None
    }

    /// The manifest that a tool takes in a folder named by a command; its lock where there is none.
    pub(super) fn open_project(&mut self, text: &Text, tool: Tool) -> Option<(File<'a>, String)> {
        let folder = self.path(text)?;
        let folder = folder.split('[').next().unwrap_or_default();
        let wanted = manifests_of(tool).iter().copied().chain(locks::of_tool(tool));
        wanted.into_iter().find_map(|(name, kind)| self.open(&Text::literal(format!("{folder}/{name}"), text.at), kind))
    }

    /// A file named by a manifest, relative to its folder.
    pub(super) fn beside(&mut self, path: &str, text: &Text, how: How) -> Option<(File<'a>, String)> {
        let Some(written) = self.variables.resolve(text) else {
            self.link(text.at, Link::Untold);
            return None;
        };
        let folder = written.split('[').next().unwrap_or_default();
        let wanted: Vec<(String, Kind)> = match how {
            How::Project => manifests_of(Tool::Pip).iter().map(|(name, kind)| (format!("{folder}/{name}"), *kind)).collect(),
            How::Setup if written == "setup.py" => vec![(written, Kind::SetupPy)],
            How::Setup => vec![(written, Kind::SetupCfg)],
            _ => vec![(written, Kind::Requirements)],
        };
        for (written, kind) in wanted {
            let Some(found) = paths::join(paths::folder(path), &written) else {
                self.link(text.at, Link::Outside(written));
                return None;
            };
            if let Some(file) = self.project.file(&found) {
                self.link(text.at, Link::Found);
                return Some((file, found));
            }
            self.script.looked.insert((found, kind));
        }
        self.link(text.at, Link::Absent);
        None
    }
}

/// The manifests that a tool looks for in a folder, the likeliest first.
fn manifests_of(tool: Tool) -> &'static [(&'static str, Kind)] {
    match tool {
        Tool::Pipenv => &[("Pipfile", Kind::Pipfile)],
        Tool::Pixi => &[("pixi.toml", Kind::Pixi), ("pyproject.toml", Kind::Pyproject)],
        Tool::Poetry | Tool::Pdm => &[("pyproject.toml", Kind::Pyproject)],
        Tool::Pip | Tool::UvPip | Tool::Uv | Tool::Conda => {
            &[("pyproject.toml", Kind::Pyproject), ("setup.py", Kind::SetupPy), ("setup.cfg", Kind::SetupCfg)]
        }
    }
}
