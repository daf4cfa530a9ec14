//! The same commands, run by way of another file.

use std::collections::BTreeMap;

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// A script that runs the case's only script.
pub(crate) fn by_script(written: &Written) -> Option<Written> {
    called(written, |path| ("scripts/all.sh", vec!["#!/bin/bash".to_owned(), format!("bash ./{path}")]))
}

/// One that sources it.
pub(crate) fn sourced(written: &Written) -> Option<Written> {
    called(written, |path| ("all.sh", vec!["#!/bin/bash".to_owned(), format!("source ./{path}")]))
}

/// A makefile that runs it.
pub(crate) fn by_make(written: &Written) -> Option<Written> {
    called(written, |path| ("Makefile", vec![".PHONY: setup".to_owned(), "setup:".to_owned(), format!("\tbash {path}")]))
}

fn called(written: &Written, by: impl Fn(&str) -> (&'static str, Vec<String>)) -> Option<Written> {
    let mut scripts = written.files.keys().filter(|path| path.ends_with(".sh") && !path.contains('/'));
    let script = scripts.next().filter(|_| scripts.next().is_none())?;
    let (path, lines) = by(script);
    let mut out = written.clone();
    out.files.insert(path.to_owned(), lines.into_iter().map(Line::new).collect());
    Some(out)
}

/// A makefile in the place of a script.
pub(crate) fn as_make(written: &Written) -> Option<Written> {
    let (_, kind, lines) = written.only_file()?;
    let plain = |line: &Line| {
        !line.text.contains(['$', '\\']) && !line.text.starts_with("module") && !line.text.starts_with("conda activate")
    };
    let lines: Vec<_> =
        lines.iter().filter(|line| !line.text.starts_with('#') && !line.text.starts_with("set ")).cloned().collect();
    if kind != Kind::Script || !lines.iter().all(plain) {
        return None;
    }
    let recipe = lines.iter().map(|line| line.with(format!("\t{}", line.text)));
    let lines = [".PHONY: setup", "setup:"].map(Line::new).into_iter().chain(recipe).collect();
    Some(Written { files: BTreeMap::from([("Makefile".to_owned(), lines)]), ..written.clone() })
}

/// What a `RUN` does, in a script that it copies and runs.
pub(crate) fn run_scripts(written: &Written) -> Option<Written> {
    let mut scripts: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut out = written.each_line(|kind, line| {
        let commands =
            line.text.strip_prefix("RUN ").filter(|rest| kind == Kind::Dockerfile && !rest.starts_with(['[', '-', '<']))?;
        if commands.ends_with('\\') {
            return None;
        }
        let path = format!("step{}.sh", scripts.len());
        let body = commands.split(" && ").map(|command| line.with(command));
        scripts.insert(path.clone(), ["#!/bin/bash", "set -e"].map(Line::new).into_iter().chain(body).collect());
        Some(vec![Line::new(format!("COPY {path} ./{path}")), line.with(format!("RUN bash ./{path}"))])
    })?;
    let free = !scripts.keys().any(|path| out.files.contains_key(path));
    out.files.extend(scripts);
    free.then_some(out)
}

/// An environment's file, created by a script.
pub(crate) fn conda_by_script(written: &Written) -> Option<Written> {
    let (path, kind, _) = written.only_file()?;
    let mut out = written.clone();
    out.files.insert(
        "install.sh".to_owned(),
        [format!("conda env create -n case -f {path}"), "conda activate case".to_owned()].map(Line::new).to_vec(),
    );
    (kind == Kind::CondaEnvironment).then_some(out)
}

/// Compose's `build:` in its long form.
pub(crate) fn long_build(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let (indent, context) = line.text.split_once("build: ").filter(|_| kind == Kind::Compose)?;
        let lines =
            [format!("{indent}build:"), format!("{indent}  context: {context}"), format!("{indent}  dockerfile: Dockerfile")];
        Some(lines.map(|text| line.with(text)).to_vec())
    })
}

/// A service in a second file that the first one takes in.
pub(crate) fn included_compose(written: &Written) -> Option<Written> {
    let path = "docker-compose.yml";
    let lines = written.files.get(path).filter(|_| !written.files.keys().any(|path| path.contains("devcontainer")))?;
    if written.files.contains_key("compose-services.yaml") {
        return None;
    }
    let mut out = written.clone();
    out.files.insert("compose-services.yaml".to_owned(), lines.clone());
    out.files.insert(path.to_owned(), ["include:", "  - compose-services.yaml"].map(Line::new).to_vec());
    Some(out)
}
