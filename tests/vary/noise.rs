//! Other orders, and what stands beside without changing anything.

use cudalint::outline::Kind;

use crate::calls::{Argument, Call, Is, each_call};
use crate::images::image;
use crate::words::is_named;
use crate::written::{Line, Written};

/// The requirements of a file and of a call in another order.
pub(crate) fn reversed(written: &Written) -> Option<Written> {
    let files = written.each_file(|kind, _, lines| {
        let options = lines.iter().filter(|line| line.text.starts_with('-'));
        let named = lines.iter().filter(|line| !line.text.starts_with('-')).rev();
        (kind == Kind::Requirements && lines.iter().all(|line| !line.text.contains(['\\', '#'])))
            .then(|| named.chain(options).cloned().collect())
    });
    let calls = each_call(files.as_ref().unwrap_or(written), |_, call| {
        Some(Call::text(&call.head, &call.arguments.iter().rev().cloned().collect::<Vec<Argument>>()))
    });
    calls.or(files)
}

/// Packages beside that have nothing to do with a GPU.
pub(crate) fn other_packages(written: &Written) -> Option<Written> {
    let files = written.each_file(|kind, _, lines| {
        let more = ["tqdm>=4.60", "pyyaml", "requests~=2.31"].map(Line::new);
        (kind == Kind::Requirements && lines.iter().any(|line| is_named(&line.text))).then(|| [&more, lines].concat())
    });
    let calls = each_call(files.as_ref().unwrap_or(written), |_, call| {
        let mut arguments = call.arguments.clone();
        call.requirements().next()?;
        arguments.extend(["tqdm", "'requests>=2,<3'"].map(|text| Argument { text: text.to_owned(), is: Is::Requirement }));
        // Alone they would be asked of an index that has neither.
        (!call.arguments.iter().any(|a| a.text == "--no-deps")).then(|| Call::text(&call.head, &arguments))
    });
    calls.or(files)
}

/// Files beside that have nothing to do with it.
pub(crate) fn other_files(written: &Written) -> Option<Written> {
    let mut out = written.clone();
    let others = [
        ("README.md", "# case\n\nSee the wiki."),
        (".gitignore", "*.pyc"),
        ("requirements-lint.txt", "ruff==0.4.1\nmypy"),
        ("scripts/clean.sh", "#!/bin/sh\nrm -rf build dist"),
        ("docs/conf.py", "project = \"case\""),
        (
            ".github/workflows/lint.yml",
            "on: push\njobs:\n  lint:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: pip install -r requirements-lint.txt\n      - run: ruff check .",
        ),
    ];
    for (path, text) in others {
        out.files.entry(path.to_owned()).or_insert_with(|| text.split('\n').map(Line::new).collect());
    }
    Some(out)
}

/// What Dockerfiles say besides: a folder, a label, a shell, variables of apt and Python.
pub(crate) fn other_instructions(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let mut out = Vec::new();
        for line in lines {
            out.push(line.clone());
            if kind == Kind::Dockerfile && line.text.starts_with("FROM ") {
                let said = [
                    "LABEL maintainer=\"a@b.example\"",
                    "ARG DEBIAN_FRONTEND=noninteractive",
                    "ENV PYTHONUNBUFFERED=1 LANG=C.UTF-8",
                    "WORKDIR /workspace/case",
                ];
                out.extend(said.map(Line::new));
            }
        }
        Some(out)
    })
}

/// `SHELL ["/bin/bash", "-c"]`.
pub(crate) fn other_shell(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let from = kind == Kind::Dockerfile && line.text.starts_with("FROM ") && !line.text.contains("alpine");
        from.then(|| vec![line.clone(), Line::new("SHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]")])
    })
}

/// In a virtual environment: where the image brings no package of Python, nothing is hidden by it.
pub(crate) fn virtual_environment(written: &Written) -> Option<Written> {
    let python = |lines: &[Line]| {
        let mut images = lines.iter().filter_map(|line| image(Kind::Dockerfile, &line.text));
        images.all(|image| ["python:", "ubuntu:", "debian:", "nvidia/cuda:"].iter().any(|bare| image.starts_with(bare)))
    };
    let in_image = written.files.keys().any(|path| path.contains("Dockerfile") || path.contains("Containerfile"));
    written.each_file(|kind, _, lines| {
        let calls = lines.iter().any(|line| !crate::calls::calls(&line.text).is_empty());
        let conda = lines.iter().any(|line| line.text.contains("conda") || line.text.starts_with("module"));
        match kind {
            Kind::Dockerfile if calls && python(lines) => {
                let mut out = Vec::new();
                for line in lines {
                    out.push(line.clone());
                    if line.text.starts_with("FROM ") {
                        out.push(Line::new("RUN python3 -m venv /opt/venv"));
                        out.push(Line::new("ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH"));
                    }
                }
                Some(out)
            }
            Kind::Script if calls && !conda && !in_image => {
                let first = lines.iter().take_while(|line| line.text.starts_with('#') || line.text.starts_with("set ")).count();
                let made = ["python3 -m venv .venv", "source .venv/bin/activate"].map(Line::new);
                Some([&lines[..first], &made, &lines[first..]].concat())
            }
            _ => None,
        }
    })
}

/// Commands of one `RUN` in several, where none leaves anything to the next but files.
pub(crate) fn runs_apart(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let commands = line.text.strip_prefix("RUN ").filter(|_| kind == Kind::Dockerfile)?;
        let parts: Vec<&str> = commands.split(" && ").collect();
        let leaves = ["cd ", "export ", "source ", ". "];
        let alone = |part: &&str| {
            !leaves.iter().any(|word| part.starts_with(word))
                && !part.starts_with('-')
                && !part.contains(['"', '\'', '$', '(', '\\'])
        };
        (parts.len() > 1 && parts.iter().all(alone)).then(|| parts.iter().map(|part| line.with(format!("RUN {part}"))).collect())
    })
}

/// Neighbouring `RUN`s in one.
pub(crate) fn runs_together(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let mut out: Vec<Line> = Vec::new();
        for line in lines {
            let commands =
                line.text.strip_prefix("RUN ").filter(|rest| kind == Kind::Dockerfile && !rest.starts_with(['[', '-', '<']));
            match (commands, out.last_mut()) {
                (Some(commands), Some(last))
                    if last.text.starts_with("RUN ") && !last.text.ends_with('\\') && !last.text.contains("cd ") =>
                {
                    last.text = format!("{} && {commands}", last.text);
                    last.of.extend(line.of.iter().cloned());
                }
                _ => out.push(line.clone()),
            }
        }
        Some(out)
    })
}

/// apt in other words.
pub(crate) fn other_apt(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let ours = matches!(kind, Kind::Dockerfile | Kind::Script) && line.text.contains("apt-get");
        let text = line.text.replace("apt-get -y install ", "apt-get install -y ");
        let text =
            text.replace("apt-get install -y ", "DEBIAN_FRONTEND=noninteractive apt install --yes --no-install-recommends ");
        let text = text.replace("sudo DEBIAN_FRONTEND=noninteractive ", "sudo -E DEBIAN_FRONTEND=noninteractive ");
        (ours && text != line.text).then(|| vec![line.with(text)])
    })
}

/// `export` in other words: quotes, braces, the value first.
pub(crate) fn other_exports(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let set = line.text.strip_prefix("export ").filter(|_| matches!(kind, Kind::Rc | Kind::Script))?;
        let (name, value) = set.split_once('=').filter(|(_, value)| !value.contains(['"', '\'', '(', ' ']))?;
        let value = value.replace("$PATH", "${PATH}").replace("$LD_LIBRARY_PATH", "${LD_LIBRARY_PATH}");
        Some(vec![line.with(format!("{name}=\"{value}\"")), line.with(format!("export {name}"))])
    })
}

/// `docker run` in other words.
pub(crate) fn other_docker(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let text = line.text.replace("docker run ", "sudo docker container run --name case ").replace("--gpus all", "--gpus=all");
        (kind == Kind::Script && text != line.text).then(|| vec![line.with(text)])
    })
}

/// `ENV NAME value`, the old form.
pub(crate) fn old_env(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let (name, value) = line.text.strip_prefix("ENV ").filter(|_| kind == Kind::Dockerfile)?.split_once('=')?;
        (!value.contains('=')).then(|| vec![line.with(format!("ENV {name} {value}"))])
    })
}

/// `mamba` for `conda`, long options.
pub(crate) fn other_conda(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let ours = matches!(kind, Kind::Dockerfile | Kind::Script);
        let text = line.text.replace("conda install ", "mamba install ").replace("conda create ", "mamba create ");
        let text = text.replace(" -c ", " --channel ").replace(" -n ", " --name ").replace(" -y ", " --yes ");
        (ours && text.starts_with("mamba")).then(|| vec![line.with(text)])
    })
}

/// A hash behind each requirement, as pip-compile writes them.
pub(crate) fn hashed(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let pinned = |line: &Line| line.text.starts_with('-') || line.text.contains("==") && is_named(&line.text);
        if kind != Kind::Requirements || !lines.iter().all(pinned) {
            return None;
        }
        let hash = format!("    --hash=sha256:{}", "0123456789abcdef".repeat(4));
        let mut out = Vec::new();
        for line in lines {
            if line.text.starts_with('-') {
                out.push(line.clone());
            } else {
                out.push(line.with(format!("{} \\", line.text)));
                out.push(line.with(format!("{hash} \\")));
                out.push(line.with(&hash));
                out.push(Line::new("    # via -r requirements.in"));
            }
        }
        Some(out)
    })
}
