//! Outputs say what the findings say: places, words, and nothing that harms a terminal or leaks a password.

use cudalint::diagnostic::{Diagnostic, Edit, Fix, Label, Needs, OnHost, Report, Severity, Skipped};
use cudalint::environment::Reason;
use cudalint::report::{Format, Look, Outcome, Part};
use cudalint::source::{Origin, Sources, Span};
use cudalint::viewpoint::Viewpoint;
use serde_json::Value;
use std::path::Path;

const REQUIREMENTS: &str =
    "--index-url https://me:s3cret@pypi.example/simple\r\n# 显卡 \u{1b}[31m\r\ntorch==2.1.0\u{202e}  # x\r\n";
const HOST: &str = "name = \"gpu-box\"\ndriver = \"470.182.03\"\n";
const OPTIONS: &str = "driver = \"470.182.03\"\n";
const PLAIN: Format = Format::Text(Look { color: false });
const CONCISE: Format = Format::Concise(Look { color: false });

fn span(sources: &Sources, path: &str, text: &str) -> Span {
    let file = sources.find(path).expect(path);
    let at = sources.text(file).find(text).expect(text);
    Span::new(file, at, at + text.len())
}

fn on(name: &str, has: &str) -> OnHost {
    OnHost { name: name.into(), has: vec![has.into()] }
}

fn sources() -> Sources {
    let mut sources = Sources::default();
    sources.set("a/requirements.txt", REQUIREMENTS);
    sources.set(
        "b\u{1b}/run.sh",
        "x".repeat(1 << 20) + " DB_PASSWORD=s3cret pip install torch\\\n  torchvision" + &"y".repeat(1 << 20),
    );
    sources.set_from(Origin::Outside, "../gpu-box.toml", HOST);
    sources.set_from(Origin::CommandLine, "<options>", OPTIONS);
    sources
}

fn report(sources: &Sources) -> Report {
    let label = |path: &str, text: &str, reason: Reason| Label { at: span(sources, path, text), reason, required: None };
    let empty = |path: &str| {
        let file = sources.find(path).expect(path);
        let end = sources.text(file).len();
        Label { at: Span::new(file, end, end), reason: Reason::Here, required: None }
    };
    let torch = Reason::Comes {
        package: "torch".into(),
        version: "2.1.0".into(),
        index: "pypi".into(),
        cuda: "12.1".into(),
        today: false,
    };
    let index = Reason::Index { index: "https://me:s3cret@pypi.example/simple".into() };
    let blank = Diagnostic {
        rule: "driver-too-old",
        severity: Severity::Error,
        message: "CUDA 12.1 needs driver 525.60.13 or newer, the host has 470.182.03".into(),
        labels: Vec::new(),
        help: None,
        environments: vec!["a/requirements.txt".into()],
        hosts: Vec::new(),
        fix: None,
    };
    let diagnostics = vec![
        Diagnostic {
            labels: vec![
                label("a/requirements.txt", "torch==2.1.0", torch.clone()),
                label("a/requirements.txt", "https://me:s3cret@pypi.example/simple", index),
                label("../gpu-box.toml", "\"470.182.03\"", Reason::HostDriver),
            ],
            help: Some("pip install torch --index-url https://me:s3cret@pypi.example/simple\nor a newer driver".into()),
            hosts: vec![on("gpu-box", "470.182.03"), on("old-node", "450.51.06")],
            ..blank.clone()
        },
        Diagnostic {
            severity: Severity::Warning,
            rule: "torch-replaced-later",
            message: "a later step\u{1b}]0;title\u{7} may take https://me:s3cret@pypi.example/".into(),
            labels: vec![
                label("b\u{1b}/run.sh", "pip install torch\\\n  torchvision", torch),
                label("<options>", "\"470.182.03\"", Reason::HostDriver),
            ],
            environments: vec!["a/requirements.txt".into(), "b\u{1b}/run.sh".into()],
            fix: Some(Fix {
                title: "write https://me:s3cret@pypi.example/".into(),
                safe: true,
                edits: vec![Edit { at: span(sources, "a/requirements.txt", "torch"), text: "https://me:s3cret@h/".into() }],
            }),
            ..blank.clone()
        },
        Diagnostic {
            severity: Severity::Info,
            rule: "cuda-build-drifts",
            labels: vec![empty("a/requirements.txt")],
            fix: Some(Fix {
                title: "pin torch".into(),
                safe: false,
                edits: vec![Edit { at: span(sources, "a/requirements.txt", "2.1.0"), text: "2.2.0".into() }],
            }),
            ..blank
        },
    ];
    let needs = vec![
        Needs {
            environment: "a/requirements.txt".into(),
            driver: Some("525.60.13".into()),
            image_cuda: None,
            image_others: Vec::new(),
            sm: Some("5.0".into()),
            newest_sm: None,
        },
        Needs {
            environment: "b".into(),
            driver: None,
            image_cuda: Some("12.6".into()),
            image_others: vec!["a driver of branch 470".into(), "a driver of branch 535 on a data-centre GPU".into()],
            sm: None,
            newest_sm: None,
        },
    ];
    Report { diagnostics, needs, environments: 2, files: 3, ..Report::default() }
}

fn printed(format: Format) -> String {
    let sources = sources();
    let report = report(&sources);
    let skipped = [Skipped { path: "x.yml".into(), reason: "not UTF-8".into(), at: None }];
    let viewpoint = Viewpoint::new(Path::new("/r"), Path::new("/r/a"));
    let part = Part { report: &report, sources: &sources, viewpoint, skipped: &skipped };
    let mut out = Vec::new();
    Outcome::new(vec![part]).write(format, &mut out).expect("a buffer");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn json_places_are_those_of_the_text() {
    let json: Value = serde_json::from_str(&printed(Format::Json)).expect("JSON");
    assert_eq!(json["schema"], 1);
    assert_eq!(json["summary"].to_string(), r#"{"errors":1,"warnings":1,"infos":1,"files":3,"environments":2}"#);
    assert_eq!(json["skipped"].to_string(), r#"[{"path":"../x.yml","reason":"not UTF-8"}]"#);
    let findings = json["diagnostics"].as_array().expect("a list");
    let keys: Vec<_> = findings[0].as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = "rule severity message path start end labels help environment environments hosts docs fix live";
    assert_eq!(keys.join(" "), expected);
    // Sorted by the paths that are printed: `../b…`, then `requirements.txt`.
    let rules: Vec<_> = findings.iter().map(|f| f["rule"].as_str().expect("a rule")).collect();
    assert_eq!(rules, ["torch-replaced-later", "driver-too-old", "cuda-build-drifts"]);

    let torch = &findings[1];
    assert_eq!(torch["path"], "requirements.txt");
    let offset = REQUIREMENTS.find("torch").expect("torch");
    assert_eq!(torch["start"].to_string(), format!(r#"{{"line":3,"column":1,"offset":{offset}}}"#));
    assert_eq!(torch["end"].to_string(), format!(r#"{{"line":3,"column":13,"offset":{}}}"#, offset + 12));
    assert_eq!(torch["labels"][0]["start"], torch["start"]);
    assert_eq!(torch["labels"][0]["text"], "torch 2.1.0 from PyPI brings CUDA 12.1");
    assert_eq!(torch["labels"][2]["path"], "../gpu-box.toml");
    assert_eq!(torch["environments"].to_string(), r#"["requirements.txt"]"#);
    assert_eq!(torch["hosts"].to_string(), r#"["gpu-box","old-node"]"#);
    assert!(torch["docs"].as_str().expect("text").ends_with("rules/driver-too-old.md"));
    assert!(torch["live"].is_null() && torch["fix"].is_null());
    let option = &findings[0]["labels"][1];
    assert!(option["path"].is_null() && option["start"].is_null() && option["end"].is_null(), "options have no place");

    // What a file says must not be lost: JSON keeps its characters.
    assert!(findings[0]["message"].as_str().expect("text").contains('\u{1b}'));
    // A fix that would print a password is none; another is whole.
    assert!(findings[0]["fix"].is_null());
    let edit = &findings[2]["fix"]["edits"][0];
    assert_eq!((edit["path"].as_str(), edit["text"].as_str()), (Some("requirements.txt"), Some("2.2.0")));
    assert_eq!(edit["start"]["line"], 3);
}

#[test]
fn every_span_is_a_place_of_its_file() {
    let json: Value = serde_json::from_str(&printed(Format::Json)).expect("JSON");
    let sources = sources();
    for label in json["diagnostics"].as_array().expect("a list").iter().flat_map(|f| f["labels"].as_array().expect("a list")) {
        let Some(path) = label["path"].as_str() else { continue };
        let root_path = match path.strip_prefix("../") {
            Some(_) if path.ends_with("gpu-box.toml") => path.to_owned(),
            Some(above) => above.to_owned(),
            None => format!("a/{path}"),
        };
        let text = sources.text(sources.find(&root_path).expect(path));
        for at in [&label["start"], &label["end"]] {
            let number = |key: &str| usize::try_from(at[key].as_u64().expect("a number")).expect("small");
            let before = &text[..number("offset")];
            assert_eq!(number("line"), before.matches('\n').count() + 1);
            assert_eq!(number("column"), before.rsplit('\n').next().unwrap_or_default().chars().count() + 1);
        }
    }
}

#[test]
fn concise_is_one_line_a_finding() {
    let out = printed(CONCISE);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[1],
        "requirements.txt:3:1: error[driver-too-old]: CUDA 12.1 needs driver 525.60.13 or newer, the host has 470.182.03"
    );
    assert_eq!(
        lines[0],
        "../b?/run.sh:1:1048597: warning[torch-replaced-later]: a later step?]0;title? may take https://*********@pypi.example/"
    );
}

#[test]
fn text_shows_every_label_and_keeps_columns() {
    let out = printed(PLAIN);
    for expected in [
        "error[driver-too-old]: CUDA 12.1 needs driver 525.60.13 or newer, the host has 470.182.03\n   ╭─[requirements.txt:3:1]\n",
        "torch 2.1.0 from PyPI brings CUDA 12.1",
        "packages come from https://*********@pypi.example/simple",
        "[../gpu-box.toml:2:10]",
        "the host's driver",
        "help: pip install torch --index-url https://*********@pypi.example/simple\n        or a newer driver",
        "on: gpu-box (470.182.03), old-node (450.51.06)",
        "in: requirements.txt, ../b?/run.sh",
        "the host's driver, given as 470.182.03",
        " 3 │ torch==2.1.0",
    ] {
        assert!(out.contains(expected), "{expected}\n---\n{out}");
    }
    let lines: Vec<_> = out.lines().collect();
    let at = lines
        .iter()
        .position(|l| l.contains("--index-url https://*********@pypi.example/simple") && !l.contains("help"))
        .expect("the line");
    let column = |line: &str, of: char| line.chars().position(|c| c == of);
    assert_eq!(lines[at].find("https").map(|i| lines[at][..i].chars().count()), column(lines[at + 1], '─'));
    // A line of two megabytes is cut around its label.
    assert!(out.len() < 10_000, "{}", out.len());
}

#[test]
fn nothing_harmful_is_printed() {
    for format in [PLAIN, CONCISE] {
        let out = printed(format);
        let bad = out
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
        assert_eq!(bad, None, "{out}");
    }
    for format in [PLAIN, CONCISE, Format::Json] {
        assert!(!printed(format).contains("s3cret"));
    }
    let coloured = printed(Format::Text(Look { color: true }));
    assert!(coloured.contains("\u{1b}[") && !coloured.contains("\u{1b}]"), "colours, no links, no titles");
}

#[test]
fn the_same_twice() {
    for format in [PLAIN, CONCISE, Format::Json] {
        assert_eq!(printed(format), printed(format));
    }
}

#[test]
fn a_run_ends_with_what_each_start_needs() {
    let sources = sources();
    let report = report(&sources);
    let viewpoint = Viewpoint::new(Path::new("/r"), Path::new("/r"));
    let outcome = Outcome::new(vec![Part { report: &report, sources: &sources, viewpoint: viewpoint.clone(), skipped: &[] }]);
    let sum = "1 error, 1 warning, 1 info in 3 files, 2 environments";
    assert_eq!(outcome.closing(false), [sum]);
    assert_eq!(
        outcome.closing(true),
        [
            sum,
            "a/requirements.txt needs driver ≥ 525.60.13 and a GPU of sm_50 or newer",
            "b needs a driver that reports CUDA 12.6, or a driver of branch 470, or a driver of branch 535 on a data-centre GPU, for its image"
        ]
    );
    assert_eq!(outcome.by_rule(), [("cuda-build-drifts", 1), ("driver-too-old", 1), ("torch-replaced-later", 1)]);
    // The same file under two roots is told once.
    let twice = |sources| Part { report: &report, sources, viewpoint: viewpoint.clone(), skipped: &[] };
    assert_eq!(Outcome::new(vec![twice(&sources), twice(&sources)]).count().errors, 1);
    assert_eq!(Outcome::new(Vec::new()).closing(true), ["no findings in 0 files, 0 environments"]);
}

/// The drawing of one finding with these labels in one file: (text, its n-th occurrence, reason).
fn drawn(text: &str, labels: &[(&str, usize, &str)]) -> String {
    let mut sources = Sources::default();
    let file = sources.set("run.sh", text);
    let label = |(part, nth, why): &(&str, usize, &str)| {
        let (at, _) = text.match_indices(part).nth(*nth).expect(part);
        Label { at: Span::new(file, at, at + part.len()), reason: Reason::Torn((*why).into()), required: None }
    };
    let diagnostic = Diagnostic {
        rule: "torch-replaced-later",
        severity: Severity::Warning,
        message: "it is so".into(),
        labels: labels.iter().map(label).collect(),
        help: None,
        environments: vec!["run.sh".into()],
        hosts: Vec::new(),
        fix: None,
    };
    let report = Report { diagnostics: vec![diagnostic], ..Report::default() };
    let viewpoint = Viewpoint::new(Path::new("/r"), Path::new("/r"));
    let mut out = Vec::new();
    let outcome = Outcome::new(vec![Part { report: &report, sources: &sources, viewpoint, skipped: &[] }]);
    outcome.write(PLAIN, &mut out).expect("a buffer");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn labels_far_apart_stand_in_one_frame() {
    let text = "#\n#\n#\npip install torch\n#\n#\n#\n#\n#\n#\n#\n#\n#\npip install xformers\n";
    let expected = "\
warning[torch-replaced-later]: it is so
    ╭─[run.sh:4:13]
  4 │ pip install torch
    ·             ──┬──
    ·               ╰── first
    ├─[run.sh:14:1]
 14 │ pip install xformers
    · ──────────┬─────────
    ·           ╰── then
    ╰────

";
    assert_eq!(drawn(text, &[("torch", 0, "first"), ("pip install xformers", 0, "then")]), expected);
}

#[test]
fn labels_within_a_label_keep_their_underlines() {
    let text = "pip install torch==2.9.0 --index-url https://h.example/cu130\npip install torchaudio==2.6.0\n";
    let labels = [
        ("torch==2.9.0", 0, "brings CUDA 13.0"),
        ("pip install torch==2.9.0 --index-url https://h.example/cu130", 0, "installed here"),
        ("https://h.example/cu130", 0, "packages come from cu130"),
        ("pip install torchaudio==2.6.0", 0, "installed here, too"),
        ("torchaudio==2.6.0", 0, "requires torch==2.6.0"),
    ];
    let expected = "\
warning[torch-replaced-later]: it is so
   ╭─[run.sh:1:13]
 1 │ pip install torch==2.9.0 --index-url https://h.example/cu130
   · ─────┬───── ──────┬─────             ───────────┬───────────
   ·      │            │                             ╰── packages come from cu130
   ·      │            ╰── brings CUDA 13.0
   ·      ╰── installed here
 2 │ pip install torchaudio==2.6.0
   · ─────┬───── ────────┬────────
   ·      │              ╰── requires torch==2.6.0
   ·      ╰── installed here, too
   ╰────

";
    assert_eq!(drawn(text, &labels), expected);
}

#[test]
fn a_place_is_the_same_in_every_output() {
    // The end of a file, a label that gives way to the one within it.
    for (text, labels, place) in [
        ("[project", &[("", 8, "unclosed")][..], "1:9"),
        ("torch==2.9.0\n", &[("torch==2.9.0", 0, "a"), ("torch", 0, "b")], "1:1"),
        ("a\n", &[("", 2, "end")], "2:1"),
    ] {
        let shown = drawn(text, labels);
        assert!(shown.contains(&format!("╭─[run.sh:{place}]")), "{shown}");
    }
}
