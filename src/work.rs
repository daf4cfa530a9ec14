//! What a container's program does, as far as its words tell: whether it may look at a GPU.

/// Images of databases, queues, proxies and their like, by the last part of their name.
const SERVICES: &[&str] = &[
    "adminer",
    "clickhouse-server",
    "elasticsearch",
    "etcd",
    "grafana",
    "haproxy",
    "httpd",
    "influxdb",
    "kafka",
    "keycloak",
    "kibana",
    "loki",
    "mariadb",
    "memcached",
    "minio",
    "mongo",
    "mysql",
    "nats",
    "neo4j",
    "nginx",
    "opensearch",
    "pgadmin4",
    "pgbouncer",
    "pgvector",
    "phpmyadmin",
    "postgres",
    "prometheus",
    "rabbitmq",
    "redis",
    "redis-stack",
    "redisinsight",
    "registry",
    "traefik",
    "valkey",
    "zookeeper",
];

/// Whether an image is a service that never looks at a GPU, by its name: `redis:7`, `docker.io/library/postgres`.
pub(crate) fn is_service(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or_default();
    SERVICES.contains(&name.split([':', '@']).next().unwrap_or_default())
}

/// What the words of a command tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// It never looks at a GPU: a migration, a download, a check of style, a shell that waits.
    Other,
    /// A script or a task; what it does is not known.
    Unsure,
    /// No program that is known: perhaps arguments for the image's own.
    Arguments,
    /// A program, server or notebook that runs what the image carries.
    Framework,
}

/// Programs that start others; their own options take no part.
const WRAPPERS: &[&str] = &[
    "exec",
    "nice",
    "nohup",
    "time",
    "tini",
    "dumb-init",
    "stdbuf",
    "xvfb-run",
    "sudo",
    "env",
    "opentelemetry-instrument",
    "ddtrace-run",
    "nvidia_entrypoint.sh",
];
/// Tools that run a program of their environment, and do other things that need no GPU.
const RUNNERS: &[&str] = &["uv", "poetry", "pipenv", "pdm", "pixi", "rye", "hatch", "conda", "mamba", "micromamba"];
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ash"];
/// Programs that run what the image carries.
const FRAMEWORK: &[&str] = &[
    "torchrun",
    "accelerate",
    "deepspeed",
    "uvicorn",
    "gunicorn",
    "hypercorn",
    "granian",
    "fastapi",
    "streamlit",
    "gradio",
    "chainlit",
    "bentoml",
    "litserve",
    "jupyter",
    "jupyter-lab",
    "jupyter-notebook",
    "sglang",
    "lmdeploy",
    "text-generation-launcher",
    "tritonserver",
    "trtexec",
    "dramatiq",
    "arq",
];
/// Tools that never look at a GPU.
const OTHER: &[&str] = &[
    "airflow",
    "alembic",
    "apt",
    "apt-get",
    "aws",
    "az",
    "bandit",
    "black",
    "build",
    "caddy",
    "cat",
    "chmod",
    "chown",
    "compileall",
    "coverage",
    "cp",
    "curl",
    "date",
    "dbt",
    "django-admin",
    "done",
    "dvc",
    "echo",
    "esac",
    "false",
    "fi",
    "flake8",
    "flower",
    "gcloud",
    "git",
    "gsutil",
    "haproxy",
    "hf",
    "http",
    "huggingface-cli",
    "isort",
    "ls",
    "manage",
    "mkdir",
    "mkdocs",
    "mlflow",
    "mv",
    "mypy",
    "nginx",
    "node",
    "nox",
    "npm",
    "npx",
    "pg_isready",
    "pip",
    "postgres",
    "pre-commit",
    "psql",
    "pylint",
    "pyright",
    "redis-cli",
    "redis-server",
    "rm",
    "rsync",
    "ruff",
    "sed",
    "set",
    "sleep",
    "sphinx-build",
    "sshd",
    "tail",
    "tee",
    "tensorboard",
    "test",
    "touch",
    "tox",
    "trap",
    "true",
    "twine",
    "venv",
    "wait",
    "wget",
    "yarn",
];
/// Words in the names of scripts that fetch, fill and serve other things.
const OTHER_WORDS: &[&str] = &[
    "beat",
    "cron",
    "crawler",
    "download",
    "downloader",
    "downloads",
    "fetch",
    "flower",
    "healthcheck",
    "lint",
    "migrate",
    "migration",
    "migrations",
    "scheduler",
    "scraper",
    "seed",
    "upload",
    "wait",
];
/// Words in the names of scripts that may do either.
const UNSURE_WORDS: &[&str] = &[
    "backup",
    "bench",
    "benchmark",
    "benchmarks",
    "bot",
    "check",
    "clean",
    "cleanup",
    "client",
    "convert",
    "create",
    "dashboard",
    "docs",
    "export",
    "frontend",
    "gateway",
    "init",
    "install",
    "plot",
    "prepare",
    "preprocess",
    "proxy",
    "router",
    "setup",
    "sync",
    "test",
    "tests",
    "ui",
    "web",
];
/// Of code and lines of a shell no more bytes are looked at: many services may run them.
const LONGEST: usize = 4 << 10;
/// Wrappers in wrappers are followed no further.
const DEEPEST: usize = 8;

/// What these words do, the program's first.
pub(crate) fn of(words: &[&str]) -> Work {
    work(words, 0)
}

fn work(words: &[&str], depth: usize) -> Work {
    let mut rest = words;
    for _ in 0..DEEPEST {
        let Some((first, after)) = rest.split_first() else { return Work::Unsure };
        let name = file_name(first);
        if first.contains('=') && !first.starts_with('-') || WRAPPERS.contains(&name) {
            rest = operands(after, &[]);
        } else if name == "gosu" {
            rest = after.get(1..).unwrap_or_default();
        } else if RUNNERS.contains(&name) {
            match after.split_first() {
                Some((&"run", after)) => rest = operands(after, &["-n", "--name", "-p", "--prefix", "--extra", "--with"]),
                _ => return Work::Other,
            }
        } else {
            return program(name, after, depth);
        }
    }
    Work::Unsure
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// What follows the options at the front; `valued` are those that take the next word.
fn operands<'w>(words: &'w [&'w str], valued: &[&str]) -> &'w [&'w str] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        rest = if valued.contains(word) { after.get(1..).unwrap_or_default() } else { after };
        if *word == "--" {
            break;
        }
    }
    rest
}

fn program(name: &str, after: &[&str], depth: usize) -> Work {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let says = |word: &str| after.contains(&word);
    match bare {
        "python" | "pypy" => python(after, depth),
        _ if SHELLS.contains(&name) => shell(after, depth),
        "celery" | "rq" if says("worker") => Work::Framework,
        "celery" | "rq" => Work::Other,
        "flask" if says("run") => Work::Framework,
        "flask" => Work::Other,
        "vllm" => vllm(after),
        _ if FRAMEWORK.contains(&name) => Work::Framework,
        _ if OTHER.contains(&name) || bare == "pip" || name == ":" => Work::Other,
        "pytest" | "unittest" | "nosetests" => Work::Other,
        "" => Work::Unsure,
        "make" | "cmake" | "just" | "task" | "ninja" => Work::Unsure,
        _ if name.ends_with(".sh") => Work::Unsure,
        _ if name.ends_with(".py") => script(name.trim_end_matches(".py")),
        _ => Work::Arguments,
    }
}

/// A server runs the model; its clients talk to one that runs elsewhere.
/// Source: <https://docs.vllm.ai/en/latest/cli/>.
fn vllm(words: &[&str]) -> Work {
    match words {
        ["serve" | "run-batch", ..] | ["bench", "latency" | "throughput" | "startup", ..] => Work::Framework,
        ["chat" | "complete" | "collect-env", ..] | ["bench", "serve", ..] => Work::Other,
        _ => Work::Unsure,
    }
}

/// Programs that only hand on what they are given or wait; a shell's own words between them.
const IDLE: &[&str] =
    &["cat", "chmod", "chown", "cp", "echo", "false", "ls", "mkdir", "mv", "rsync", "set", "sleep", "tar", "true", ":"];

/// Whether these words, the program's first, do no more than hand files on or wait.
pub(crate) fn is_idle(words: &[&str]) -> bool {
    let idle = |word: &str| IDLE.contains(&file_name(word));
    match words {
        [shell, option, line, ..] if SHELLS.contains(&file_name(shell)) && option.starts_with('-') && option.ends_with('c') => {
            let mut commands =
                start(line).split(['\n', ';', '&', '|']).filter_map(|command| command.split_ascii_whitespace().next());
            line.len() <= LONGEST && commands.all(idle)
        }
        [program, ..] => idle(program),
        [] => false,
    }
}

/// A script, a module, code, or nothing: then it waits for a person.
fn python(words: &[&str], depth: usize) -> Work {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        match *word {
            "-m" => {
                let Some((module, after)) = after.split_first() else { return Work::Unsure };
                let top = module.split('.').next().unwrap_or(module);
                // A module of a server may be its client.
                let known = if ["vllm", "sglang"].contains(&top) && top != *module {
                    Work::Arguments
                } else {
                    program(top, after, depth)
                };
                return match known {
                    Work::Arguments => script(module),
                    known => known,
                };
            }
            "-c" => {
                let names = ["torch", "cuda", "tensorflow", "jax", "cupy", "import_module"];
                let speaks = after.iter().any(|code| names.iter().any(|name| start(code).contains(name)));
                return if speaks { Work::Unsure } else { Work::Other };
            }
            "-W" | "-X" => rest = after.get(1..).unwrap_or_default(),
            option if option.starts_with('-') => rest = after,
            file => {
                let stem = file_name(file).trim_end_matches(".py");
                return if stem == "manage" { Work::Other } else { script(stem) };
            }
        }
    }
    Work::Other
}

fn script(name: &str) -> Work {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| words.contains(&word));
    if has(OTHER_WORDS) {
        Work::Other
    } else if has(UNSURE_WORDS) {
        Work::Unsure
    } else {
        Work::Framework
    }
}

/// A shell: of a line of commands the one that may use most counts; a script is not known; alone it waits for a person.
fn shell(words: &[&str], depth: usize) -> Work {
    let line = words.iter().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'));
    let Some(line) = line.and_then(|at| words.get(at + 1)).filter(|_| depth == 0) else {
        return if words.iter().all(|word| word.starts_with('-')) { Work::Other } else { Work::Unsure };
    };
    let keywords = ["while", "until", "do", "if", "then", "else", "{", "!", "for"];
    let commands = start(line).split(['\n', ';', '&', '|']).filter_map(|command| {
        let words: Vec<&str> =
            command.split_ascii_whitespace().skip_while(|word| keywords.contains(word)).map(|w| w.trim_matches(QUOTES)).collect();
        // Where a word is not known, so is what it does; names of a shell's own are no arguments.
        let unread = words.first().is_some_and(|word| word.contains('$'));
        let found = if unread { Work::Unsure } else { work(&words, depth + 1) };
        (!words.is_empty()).then_some(if found == Work::Arguments { Work::Unsure } else { found })
    });
    commands.max().unwrap_or(Work::Other)
}

/// So much of a text as is looked at.
fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

const QUOTES: &[char] = &['"', '\'', '(', ')'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_hands_on() {
        for (line, idle) in
            [("cp -r /a /b", true), ("/bin/sleep infinity", true), ("true", true), ("bash", false), ("python x.py", false)]
        {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(is_idle(&words), idle, "{line}");
        }
        assert!(
            is_idle(&["sh", "-ec", "mkdir -p /o && cp -r /a /o"]) && !is_idle(&["sh", "-c", "cp a b; ./serve"]) && !is_idle(&[])
        );
    }

    #[test]
    fn what_commands_do() {
        use Work::{Arguments, Framework, Other, Unsure};
        for (line, found) in [
            ("python train.py", Framework),
            ("/usr/bin/python3.11 -u -W ignore src/train.py --x", Framework),
            ("python -m trainer --batch 8", Framework),
            ("python -m torch.distributed.run train.py", Framework),
            ("python -m uvicorn app:app", Framework),
            ("uvicorn app:app", Framework),
            ("uv run --extra gpu uvicorn app:app", Framework),
            ("conda run --no-capture-output -n env python serve.py", Framework),
            ("exec env A=1 tini -- torchrun --nproc_per_node=8 train.py", Framework),
            ("celery -A app worker -l info", Framework),
            ("celery -A app beat", Other),
            ("python -m celery -A app flower", Other),
            ("black --check .", Other),
            ("python -m black .", Other),
            ("flake8", Other),
            ("pytest tests", Other),
            ("python -m pytest", Other),
            ("alembic upgrade head", Other),
            ("poetry run alembic upgrade head", Other),
            ("poetry install", Other),
            ("python scripts/download_models.py", Other),
            ("python -m app.migrate", Other),
            ("python manage.py migrate", Other),
            ("python -m http.server", Other),
            ("python -c print(1)", Other),
            ("python -c print(torch.cuda)", Unsure),
            ("python test.py", Unsure),
            ("python", Other),
            ("bash", Other),
            ("/bin/bash -l", Other),
            ("bash run.sh", Unsure),
            ("./start.sh", Unsure),
            ("make train", Unsure),
            ("sleep infinity", Other),
            ("flask db upgrade", Other),
            ("flask run", Framework),
            ("vllm serve m", Framework),
            ("vllm bench throughput", Framework),
            ("vllm bench serve --model m", Other),
            ("vllm chat --url http://x", Other),
            ("vllm complete", Other),
            ("python -m vllm.entrypoints.openai.api_server", Framework),
            ("python -m sglang.launch_server --model m", Framework),
            ("python -m sglang.bench_serving --host x", Unsure),
            ("python benchmark_serving.py --base-url x", Unsure),
            ("pip3 install x", Other),
            ("--model x", Arguments),
            ("Qwen/Qwen3-8B", Arguments),
            ("", Unsure),
        ] {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            assert_eq!(of(&words), found, "{line}");
        }
        for (line, found) in [
            ("while true; do sleep 1000; done", Other),
            ("pip install -r r.txt && python train.py", Framework),
            ("alembic upgrade head && exec uvicorn app:app", Framework),
            ("python download.py", Other),
            ("$COMMAND", Unsure),
            ("./serve", Unsure),
            ("sh -c 'python train.py'", Unsure),
            ("python -c 'import torch'", Unsure),
            ("", Other),
        ] {
            assert_eq!(of(&["sh", "-ec", line]), found, "{line}");
        }
    }
}
