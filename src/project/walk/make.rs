//! make: the targets of a makefile, their prerequisites before them.

use std::collections::BTreeSet;

use super::super::{File, paths};
use super::Walker;
use super::acts::is_of_variables;
use crate::outline::{Act, Does, How, Include, Kind, Place, Text};
use crate::source::Span;

/// The makefiles of one run of make, and the targets that were made already.
struct Run<'a> {
    files: Vec<(String, File<'a>)>,
    made: BTreeSet<String>,
}

impl<'a> Walker<'_, 'a> {
    /// `make -C folder -f file target`, started by a command.
    pub(super) fn make(&mut self, at: Span, arguments: &[Text], depth: usize) {
        let Some(words) = arguments.iter().map(|w| self.path(w)).collect::<Option<Vec<_>>>() else { return };
        let (mut folder, mut file, mut goals) = (String::new(), None, Vec::new());
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-C" | "--directory" => folder = rest.next().cloned().unwrap_or_default(),
                "-f" | "--file" | "--makefile" => file = rest.next().cloned(),
                "-j" | "--jobs" | "-k" | "-s" | "-B" | "-e" | "-i" | "-w" => {}
                "-I" | "-o" | "-W" | "-l" => drop(rest.next()),
                // Nothing is made.
                "-n" | "--dry-run" | "--just-print" | "-q" | "-p" => return,
                _ if word.starts_with("--directory=") => folder = word["--directory=".len()..].to_owned(),
                _ if word.starts_with("--file=") => file = Some(word["--file=".len()..].to_owned()),
                _ if word.starts_with("-C") => folder = word[2..].to_owned(),
                _ if word.starts_with("-f") => file = Some(word[2..].to_owned()),
                _ if word.starts_with('-') => {}
                // A number behind `-j`.
                _ if word.bytes().all(|b| b.is_ascii_digit()) => {}
                // Another value than the makefile's own.
                _ if word.contains('=') => return,
                _ => goals.push(word.as_str()),
            }
        }
        let inside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let names: Vec<String> = match &file {
            Some(file) => vec![inside(file)],
            None => ["GNUmakefile", "makefile", "Makefile"].map(inside).to_vec(),
        };
        let found = names.into_iter().find_map(|name| self.open(&Text::literal(name, at), Kind::Makefile));
        let Some((file, path)) = found.filter(|(file, _)| file.kind == Kind::Makefile) else { return };
        let before = self.keep();
        self.hand_on();
        self.go(&Place::Directory(Text::literal(folder, at)));
        self.made(&path, file, &goals, depth + 1);
        self.back(before);
    }

    /// Makes targets of a makefile, the first one of the file where none is named.
    pub(super) fn made(&mut self, path: &str, file: File<'a>, goals: &[impl AsRef<str>], depth: usize) {
        if depth == 0 {
            self.folders = vec![paths::folder(path).to_owned()];
            self.starts.clone_from(&self.folders);
        }
        let mut run = Run { files: Vec::new(), made: BTreeSet::new() };
        self.begin(path, file, &mut run, depth);
        let acts = &file.outline.acts;
        let first = || match &acts.get(self.project.parts(file).before_goals(acts.len()))?.does {
            Does::Goal(goal) => goal.names.first(),
            _ => None,
        };
        match goals {
            [] => first().into_iter().for_each(|name| self.goal(name, &mut run, depth)),
            goals => goals.iter().for_each(|name| self.goal(name.as_ref(), &mut run, depth)),
        }
    }

    /// What stands before the targets of a makefile, and of those that it includes.
    fn begin(&mut self, path: &str, file: File<'a>, run: &mut Run<'a>, depth: usize) {
        if run.files.iter().any(|(known, _)| known == path) || !self.bounds.follows(depth.max(run.files.len())) {
            return;
        }
        self.enter(path, file);
        run.files.push((path.to_owned(), file));
        let acts = &file.outline.acts;
        let head = self.project.parts(file).before_goals(acts.len());
        // Each target is a start of its own.
        if !self.bounds.again(head) {
            return;
        }
        for act in &acts[..head] {
            if let Does::Include(Include { path: text, how: How::Makefile }) = &act.does
                && self.takes(act)
            {
                // Whether programs see its variables rests on what the makefile exports.
                self.unsure |= text.known().is_some_and(is_of_variables);
                if let Some((inner, found)) = self.open(text, Kind::Makefile).filter(|(file, _)| file.kind == Kind::Makefile) {
                    self.begin(&found, inner, run, depth + 1);
                }
            }
        }
        self.acts(path, &acts[..head], depth);
    }

    fn goal(&mut self, name: &str, run: &mut Run<'a>, depth: usize) {
        if !self.bounds.follows(depth) || !run.made.insert(name.to_owned()) {
            return;
        }
        let mut recipes: Vec<(String, &'a [Act])> = Vec::new();
        let mut needs: Vec<&'a Text> = Vec::new();
        for (path, file) in &run.files {
            let acts = &file.outline.acts;
            for (begin, end) in self.project.parts(*file).rules(name, acts.len()) {
                self.weigh(&acts[begin]);
                if let Does::Goal(goal) = &acts[begin].does
                    && self.world.takes(&acts[begin].when.0) == Some(true)
                {
                    recipes.push((path.clone(), &acts[begin + 1..end]));
                    needs.extend(&goal.needs);
                }
            }
        }
        for need in needs.into_iter().filter_map(Text::known) {
            self.goal(need, run, depth + 1);
        }
        for (path, acts) in recipes {
            self.acts(&path, acts, depth);
        }
    }
}
