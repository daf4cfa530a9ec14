//! Acts as short lines, for tests.

use crate::outline::{Act, Choice, Does, GpuRequest, Install, Lead, Piece, Place, Scope, Target, Text, Variable};

/// A text with its variables in `<>` and `?` for what is known only when run.
pub(crate) fn text(text: &Text) -> String {
    pieces(&text.pieces)
}

fn pieces(all: &[Piece]) -> String {
    let piece = |p: &Piece| match p {
        Piece::Literal(text) => text.clone(),
        Piece::Opaque => "?".to_owned(),
        Piece::Path(Lead::Top) => "<top>".to_owned(),
        Piece::Path(Lead::Working) => "<here>".to_owned(),
        Piece::Path(Lead::To(words)) => format!("<to {}>", pieces(words)),
        Piece::Path(Lead::Above(words)) => format!("<above {}>", pieces(words)),
        Piece::Variable { name, fallback, instead } => {
            let more = fallback.as_ref().map(|f| format!("-{}", pieces(f)));
            let more = more.or(instead.as_ref().map(|f| format!("+{}", pieces(f))));
            format!("<{name}{}>", more.unwrap_or_default())
        }
    };
    all.iter().map(piece).collect()
}

fn texts(all: &[Text]) -> String {
    all.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn variable(v: &Variable) -> String {
    let value = v.value.as_ref().map(|t| format!("={}", text(t)));
    format!("{}{}", v.name, value.unwrap_or_default())
}

/// One act; `source` is the file.
pub(crate) fn act(act: &Act, source: &str) -> String {
    assert!(source.get(act.at.range()).is_some(), "{:?} does not lie in the text", act.at);
    let does = match &act.does {
        Does::Together(together) => {
            let all = |sign: &str, texts: &[Text]| texts.iter().map(|t| format!(" {sign}{}", text(t))).collect::<String>();
            format!("compose{}{}", all("", &together.files), all("with ", &together.environment_files))
        }
        Does::Set(v) => {
            let scope = match v.scope {
                Scope::Arg => "arg",
                Scope::Environment | Scope::Configured => "env",
                Scope::Shell => "set",
                Scope::Job => "job",
                Scope::Command => "pre",
            };
            format!("{scope} {}", variable(v))
        }
        Does::Answer(a) => {
            let asked = [a.machine.then_some(" machine"), a.packages.then_some(" packages")];
            format!("{} of{} {}", a.name, asked.into_iter().flatten().collect::<String>(), a.from.join(" "))
        }
        Does::Enter(Place::Directory(to)) => format!("cd {}", text(to)),
        Does::Enter(Place::CondaEnvironment(to)) => format!("conda {}", text(to)),
        Does::Enter(Place::Venv(to)) => format!("venv {}", text(to)),
        Does::Enter(Place::SystemPython(python)) => format!("system python {}", text(python)),
        Does::Enter(Place::Python(python)) => format!("python {}", text(python)),
        Does::Enter(Place::Subshell) => "(".to_owned(),
        Does::Enter(Place::Call) => "{".to_owned(),
        Does::Leave(leaves) => format!("{leaves:?} ends"),
        Does::Enter(Place::Back) => ")".to_owned(),
        Does::Include(include) => format!("include {}", text(&include.path)),
        Does::Venv { folder, python } => {
            format!("makes {}{}", text(folder), python.as_ref().map_or(String::new(), |p| format!(" for {}", text(p))))
        }
        Does::Edit(path) => format!("edit {}", text(path)),
        Does::Sift(s) => format!("sift {} -> {}", texts(&s.from), s.to.as_ref().map_or("-".to_owned(), text)),
        Does::Write(w) => {
            let lines: Vec<_> = w.outline.acts.iter().map(|a| self::act(a, source)).collect();
            format!("write {}: {}", text(&w.path), lines.join(" | "))
        }
        Does::OnBuild(acts) => format!("onbuild {}", acts.iter().map(|a| self::act(a, source)).collect::<Vec<_>>().join(" | ")),
        Does::Use(u) => format!("use {} {}", text(&u.path), u.with.iter().map(variable).collect::<Vec<_>>().join(" ")),
        Does::Enter(Place::Container(name)) => format!("in container {}", text(name)),
        Does::Enter(Place::Service { name, anew }) => format!("in service {}{}", text(name), if *anew { ", anew" } else { "" }),
        Does::Enter(Place::Started) => "in it".to_owned(),
        Does::OnCuda => "on cuda".to_owned(),
        Does::Sent(to) => format!("sent to {}", text(to)),
        Does::Enter(Place::Image(image)) => format!("in {}", text(image)),
        Does::Modules(m) => format!("module{} {}", if m.unloads { " unloads" } else { "" }, texts(&m.names)),
        Does::Download(d) => format!("download {} {}", text(&d.url), d.to.as_ref().map_or("-".to_owned(), text)),
        Does::Fetched(url) => format!("run {}", text(url)),
        Does::CondaInstaller { file, prefix } => format!("conda {} into {}", text(file), text(prefix)),
        Does::Runfile { file, arguments } => format!("runfile {} {}", text(file), texts(arguments)),
        Does::Require(r) => {
            assert!(source.get(r.written.at.range()).is_some());
            format!("require {}", text(&r.written))
        }
        Does::System(s) => format!("{}{} {}", s.manager, if s.removes { " removes" } else { "" }, texts(&s.names)),
        Does::Compile(c) => format!("{}: {}", c.program, texts(&c.arguments)),
        Does::From(s) => format!("from {} {:?} {:?}", text(&s.image), s.name, s.platform.as_ref().map(text)),
        Does::Copy(c) => format!("copy {:?} {} -> {}", c.from.as_ref().map(text), texts(&c.sources), text(&c.to)),
        Does::Runs { entrypoint, words } => format!("{} {}", if *entrypoint { "entrypoint" } else { "cmd" }, texts(words)),
        Does::Install(Install { asks, target, .. }) => {
            let asks: Vec<_> = asks.iter().map(|a| text(&a.written)).collect();
            let target = match target {
                Target::Active => String::new(),
                Target::System => " into the system".to_owned(),
                Target::Own(tool) => format!(" into that of {tool:?}"),
                Target::Apart(name) if name.pieces.is_empty() => " apart".to_owned(),
                Target::Apart(name) => format!(" apart as {}", text(name)),
                Target::Python(minor) => format!(" of {minor}"),
                Target::Named(name) => format!(" into {}", text(name)),
                Target::Prefix(name) => format!(" under {}", text(name)),
            };
            format!("install {}{target}", asks.join(" "))
        }
        Does::Launch(l) => {
            let programs = ["docker", "podman", "srun", "#SBATCH", "shifter", "apptainer", "singularity"];
            assert!(programs.iter().any(|program| source[l.key.range()].contains(program)));
            let gpu = match &l.gpu {
                GpuRequest::None | GpuRequest::Declined => "-".to_owned(),
                GpuRequest::Asked(at) | GpuRequest::Optional(at) => source[at.range()].to_owned(),
            };
            let mut out = format!("{:?} {:?} image {:?} gpu {gpu}", l.by, l.name, l.image.as_ref().map(text));
            if let Some(b) = &l.build {
                let arguments: Vec<_> = b.arguments.iter().map(variable).collect();
                let file = b.dockerfile.as_ref().map(text);
                out = format!(
                    "{:?} {:?} {} {file:?} {:?} {arguments:?}",
                    l.by,
                    l.image.as_ref().map(text),
                    text(&b.context),
                    b.target.as_ref().map(text)
                );
            }
            if !l.command.is_empty() {
                out += &format!(" run {}", texts(&l.command));
            }
            if let Some(entrypoint) = &l.entrypoint {
                out += &format!(" entry {}", texts(entrypoint));
            }
            for m in &l.mounts {
                out += &format!(" -v {}:{}", text(&m.from), text(&m.to));
            }
            if let Some(folder) = &l.folder {
                out += &format!(" in {}", text(folder));
            }
            for v in &l.environment {
                out += &format!(" -e {}", variable(v));
            }
            out + if l.open { " open" } else { "" }
        }
        other => format!("{other:?}"),
    };
    let choice = |c: &Choice| match c {
        Choice::Branch { test, arm } => format!("{{{test}}}{arm} "),
        Choice::Marker(marker) => format!("{{{marker}}} "),
        other => format!("{other:?} "),
    };
    act.when.0.iter().map(choice).collect::<String>() + &does
}
