//! What our readers make of texts, a line of JSON each, for `compare.py` to hold against other programs' readings.
//!
//! `readings files FILE…` prints the acts of requirements files and Dockerfiles; `readings requirement|marker|spec` reads a
//! JSON value a line from standard input.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::{env, fs, process};

use cudalint::notation::marker::Marker;
use cudalint::notation::match_spec::MatchSpec;
use cudalint::notation::requirement::{self, Subject};
use cudalint::outline::{Act, Does, How, Kind, Piece, Place, Scope, Text};
use cudalint::platform::{Arch, Os, Platform, Pythons};
use cudalint::read;
use cudalint::source::{LineIndex, Sources, Span};
use cudalint::version::{CondaVersion, Version};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let out = &mut io::stdout().lock();
    match arguments.split_first() {
        Some((what, files)) if what == "files" => files.iter().try_for_each(|file| of_file(file, out)),
        Some((what, [])) => {
            let read = match what.as_str() {
                "requirement" => of_requirement,
                "marker" => of_marker,
                "spec" => of_spec,
                _ => usage(),
            };
            for line in io::stdin().lock().lines() {
                let asked: Value = serde_json::from_str(&line?)?;
                writeln!(out, "{}", read(&asked))?;
            }
            Ok(())
        }
        _ => usage(),
    }
}

fn usage() -> ! {
    eprintln!("usage: readings files FILE… | readings requirement|marker|spec < LINES");
    process::exit(2)
}

fn of_file(path: &str, out: &mut impl Write) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = read::kind_by_name(name).filter(|kind| *kind == Kind::Dockerfile).unwrap_or(Kind::Requirements);
    let mut sources = Sources::default();
    let id = sources.set(name, text.as_str());
    let outline = read::read(kind, "requirements.txt", id, &text);
    let reading = Reading { lines: LineIndex::new(&text), text: &text };
    let acts: Vec<Value> = outline.acts.iter().flat_map(|act| reading.act(act)).collect();
    let torn: Vec<usize> = outline.torn.iter().map(|torn| reading.line(torn.at)).collect();
    writeln!(out, "{}", json!({"path": path, "acts": acts, "torn": torn}))
}

struct Reading<'a> {
    lines: LineIndex,
    text: &'a str,
}

impl Reading<'_> {
    fn line(&self, at: Span) -> usize {
        self.lines.position(self.text, at.range().start).line
    }

    fn act(&self, act: &Act) -> Vec<Value> {
        let line = self.line(act.at);
        let one = |is: &str, of: Vec<Option<String>>| vec![json!({"line": line, "is": is, "of": of})];
        match &act.does {
            Does::Require(asked) => one("require", vec![shown(&asked.written)]),
            Does::Include(include) => {
                let is = if include.how == How::Project { "editable" } else { "include" };
                one(is, vec![shown(&include.path)])
            }
            Does::Index(index) => one("index", vec![shown(&index.url)]),
            Does::From(stage) => {
                one("FROM", vec![shown(&stage.image), stage.name.clone(), stage.platform.as_ref().and_then(shown)])
            }
            Does::Set(variable) => match variable.scope {
                Scope::Arg => one("ARG", vec![Some(variable.name.clone()), variable.value.as_ref().and_then(shown)]),
                // What a command sets for itself is no instruction's.
                Scope::Environment if !self.is_run(act.at) => {
                    one("ENV", vec![Some(variable.name.clone()), variable.value.as_ref().and_then(shown)])
                }
                _ => Vec::new(),
            },
            Does::Enter(Place::Directory(folder)) if !self.is_run(act.at) => one("WORKDIR", vec![shown(folder)]),
            Does::Copy(copy) if !self.is_run(act.at) => {
                let of = copy.sources.iter().chain([&copy.to]).map(shown);
                one("COPY", of.collect())
            }
            Does::Runs { entrypoint, words } => {
                one(if *entrypoint { "ENTRYPOINT" } else { "CMD" }, words.iter().map(shown).collect())
            }
            Does::OnBuild(acts) => acts.iter().flat_map(|act| self.act(act)).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a place lies in a `RUN`: its logical line begins with one.
    fn is_run(&self, at: Span) -> bool {
        let before: Vec<&str> = self.text[..at.range().end].lines().collect();
        let mut first = before.len().saturating_sub(1);
        while first > 0 && before[first - 1].trim_end().ends_with('\\') {
            first -= 1;
        }
        before.get(first).is_some_and(|line| line.trim_start().to_uppercase().starts_with("RUN"))
    }
}

/// A text with its variables as `${NAME}`; `None` where part of it is known only when run.
fn shown(text: &Text) -> Option<String> {
    pieces(&text.pieces)
}

fn pieces(of: &[Piece]) -> Option<String> {
    let one = |piece: &Piece| match piece {
        Piece::Literal(text) => Some(text.clone()),
        Piece::Variable { name, fallback: None, instead: None } => Some(format!("${{{name}}}")),
        Piece::Variable { name, fallback: Some(inner), .. } => Some(format!("${{{name}:-{}}}", pieces(inner)?)),
        Piece::Variable { name, instead: Some(inner), .. } => Some(format!("${{{name}:+{}}}", pieces(inner)?)),
        Piece::Opaque | Piece::Path(_) | Piece::Edited { .. } => None,
    };
    of.iter().map(one).collect()
}

/// Of `{"text": …, "versions": […]}`: its name, its extras, which versions it admits.
fn of_requirement(asked: &Value) -> Value {
    let Ok(parsed) = requirement::parse(asked["text"].as_str().unwrap_or_default()) else { return Value::Null };
    let mut extras = parsed.extras.clone();
    extras.sort();
    let admits = |wants: &dyn Fn(&Version) -> bool| -> Vec<Option<bool>> {
        let versions = asked["versions"].as_array().into_iter().flatten();
        versions.map(|version| Some(wants(&Version::parse(version.as_str()?)?))).collect()
    };
    match &parsed.subject {
        Subject::Package { name, wants, .. } => {
            json!({"name": name, "extras": extras, "admits": admits(&|version| wants.admits(version)), "marker": parsed.marker.is_some()})
        }
        Subject::Wheel { wheel, .. } => json!({"name": wheel.name, "extras": extras, "address": true}),
        Subject::Elsewhere { name, .. } => json!({"name": name, "extras": extras, "address": true}),
        Subject::Path(path) => json!({"path": path}),
    }
}

/// Of a text: whether it holds for CPython 3.8, 3.10 and 3.12, on Linux, macOS and Windows.
fn of_marker(asked: &Value) -> Value {
    let Ok(marker) = Marker::parse(asked.as_str().unwrap_or_default()) else { return Value::Null };
    let systems = [(Os::Linux, Arch::X86_64), (Os::MacOs, Arch::Aarch64), (Os::Windows, Arch::X86_64)];
    let answers = systems.into_iter().flat_map(|(os, arch)| {
        let marker = &marker;
        [8, 10, 12].map(move |minor| {
            let python = Pythons::only(minor);
            marker.holds(&Platform { os, arch, python, wheels: python, ..Platform::default() }, &[])
        })
    });
    answers.collect::<Vec<_>>().into()
}

/// Of `{"text": …, "builds": [[version, build], …]}`: its name, and which builds it admits.
fn of_spec(asked: &Value) -> Value {
    let Ok(spec) = MatchSpec::parse(asked["text"].as_str().unwrap_or_default()) else { return Value::Null };
    let builds = asked["builds"].as_array().into_iter().flatten();
    let admits = builds.map(|build| {
        let version = CondaVersion::parse(build[0].as_str()?)?;
        Some(spec.admits(&version) && spec.admits_build(build[1].as_str()?))
    });
    json!({"name": spec.name, "channel": spec.channel, "admits": admits.collect::<Vec<_>>()})
}
