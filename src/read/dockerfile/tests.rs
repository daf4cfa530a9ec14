//! Whole Dockerfiles. `apt-get install` stands for any installing command.

use crate::outline::{Covers, Does, Outline, Piece, Variable};
use crate::read::shell::rendering;
use crate::source::FileId;

fn outline(text: &str) -> Outline {
    super::read(FileId(0), text)
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, want) in cases {
        let acts: Vec<_> = outline(text).acts.iter().map(|act| rendering::act(act, text)).collect();
        assert_eq!(acts, *want, "{text}");
    }
}

#[test]
fn stages_and_variables() {
    check(&[
        ("ARG A=1 B\nFROM x:${A:-y} AS Base", &["arg A=1", "arg B", "from x:<A-y> Some(\"base\") None"]),
        ("FROM --platform=$BUILDPLATFORM x@sha256:0", &["from x@sha256:0 None Some(\"<BUILDPLATFORM>\")"]),
        ("FROM source_${V:+no_}copy as s", &["from source_<V+no_>copy Some(\"s\") None"]),
        ("FROM x:{{ TAG }}", &["from x:? None None"]),
        ("FROM Apache Spark 3.4.1\nENV a=b", &["from ? None None", "env a=b"]),
        ("ENV A=1 B=\"2 3\" C=4\\ 5 D='$A' E=$A", &["env E=<A>", "env A=1", "env B=2 3", "env C=4 5", "env D=$A"]),
        ("ENV A some value  \nENV PATH=/x:$PATH", &["env A=some value", "env PATH=/x:<PATH>"]),
        ("ENV A=1 \\\n  # why\n  B=2", &["env A=1", "env B=2"]),
        ("ENV A=1:\\\n2", &["env A=1:2"]),
        ("ENV A=$(x)\nENV B=", &["env A=$(x)", "env B="]),
        ("WORKDIR /a/$B\nUSER x\nLABEL a=b c", &["cd /a/<B>"]),
        ("CMD [\"vllm\", \"serve\"]\nENTRYPOINT python a.py \"b c\"", &["cmd vllm serve", "entrypoint python a.py b c"]),
        ("ONBUILD RUN apt install x\nHEALTHCHECK CMD apt install y", &["onbuild ( | apt x | )"]),
        ("ONBUILD ONBUILD RUN x\nONBUILD FROM a\nONBUILD\nONBUILD ENV A=b", &["onbuild env A=b"]),
        ("COPY a b /c/\nCOPY --from=base --chown=x [\"d e\", \"f\"]", &["copy None a b -> /c/", "copy Some(\"base\") d e -> f"]),
        ("COPY <<EOF r.txt\ntorch\nEOF\nADD x <<A /y/\n1\nA", &["write r.txt: require torch", "copy None x -> /y/", "edit /y/A"]),
        (
            "COPY <<'r.txt' <<\"b.sh\" /y/\ntorch\nr.txt\napt install x\nb.sh",
            &["write /y/r.txt: require torch", "write /y/b.sh: apt x"],
        ),
        ("COPY <<EOF r.txt\ntorch==$X $(y)\nEOF", &["write r.txt: require torch==<(0 of 0:17)> $(y)"]),
        ("COPY <<EOF r.sh\napt install \\x\nEOF", &["edit r.sh"]),
        ("COPY <<'EOF' r.sh\napt install \\\n  x\nEOF", &["write r.sh: apt x"]),
    ]);
}

#[test]
fn run() {
    check(&[
        ("RUN cd a && apt install x", &["(", "cd a", "apt x", ")"]),
        ("RUN echo x", &[]),
        ("RUN export A=b", &["(", "env A=b", ")"]),
        (
            "RUN --mount=type=cache,target=/c --mount=type=bind,source=r.txt,target=/t/r.txt apt install x",
            &["(", "copy None r.txt -> /t/r.txt", "apt x", ")"],
        ),
        ("RUN [\"apt\", \"install\", \"x\"]", &["(", "apt x", ")"]),
        ("RUN [\"bash\", \"-lc\", \"apt install \\\"x\\\" y\"]", &["(", "apt x y", ")"]),
        ("RUN [ -f x ] && apt install y", &["(", "{[ -f x ]}0 apt y", ")"]),
        ("RUN apt install \\\n# no\n\n  x \\\r\n  y # end\n", &["(", "apt x y", ")"]),
        ("RUN <<EOF\ncd a\napt install x\nEOF\nRUN apt install y", &["(", "cd a", "apt x", ")", "(", "apt y", ")"]),
        ("RUN <<-EOF\n\tapt install x\n\tEOF", &["(", "apt x", ")"]),
        ("RUN <<EOF\n#!/usr/bin/env python3\nimport apt\nEOF\nRUN apt install y", &["(", "apt y", ")"]),
        ("RUN python3 <<EOF\nimport x\nEOF\nRUN apt install y", &["(", "apt y", ")"]),
        ("RUN <<EOF bash -ex\napt install x\nEOF", &["(", "(", "apt x", ")", ")"]),
        ("RUN bash -e <<'EOF'\napt install x\nEOF", &["(", "(", "apt x", ")", ")"]),
        ("RUN cat <<EOF > r.txt && apt install x\ntorch\nEOF", &["(", "write r.txt: require torch", "apt x", ")"]),
        ("RUN cut -f1 <<< ${A} && apt install x", &["(", "apt x", ")"]),
        ("# escape=`\nRUN apt install `\n  x", &["(", "apt x", ")"]),
        ("SHELL [\"conda\", \"run\", \"-n\", \"e\", \"/bin/bash\", \"-c\"]\nRUN apt install x", &["(", "conda e", "apt x", ")"]),
        (
            "SHELL [\"powershell\", \"-Command\"]\nRUN apt install x\nFROM y\nRUN apt install z",
            &["from y None None", "(", "apt z", ")"],
        ),
    ]);
}

#[test]
fn torn_places() {
    let text = "FROM a\nnonsense here\n{% if x %}\nRUN apt install x\nENV A\nFROM b c\nRUN <<EOF\n";
    let torn = outline(text).torn;
    let shown: Vec<_> = torn.iter().map(|t| (&text[t.at.range()], t.template)).collect();
    let want = [("nonsense here", false), ("{% if x %}", true), ("ENV A", false), ("FROM b c", false), ("RUN <<EOF", false)];
    assert_eq!(shown, want);
}

/// BuildKit reads no line that is longer.
#[test]
fn lines_that_are_too_long() {
    let run = |n: usize, more: &str| format!("FROM a\nRUN apt install {}{more}\nRUN apt install z\n", "x".repeat(n));
    let longest = 65_535 - "RUN apt install ".len();
    let read = |text: &str| {
        (outline(text).acts.iter().filter(|act| matches!(act.does, Does::System(_))).count(), outline(text).torn.len())
    };
    assert_eq!(read(&run(longest, "")), (2, 0));
    assert_eq!(read(&run(longest + 1, "")), (1, 1));
    assert_eq!(read(&run(longest + 1, " \\\n  y")), (1, 1), "its other lines are no instructions");
}

#[test]
fn ignores_cover_instructions() {
    let text = "FROM a\n# cudalint: ignore[a]\nRUN x \\\n  # cudalint: ignore[b]\n  y \\\n  z\nRUN <<EOF\np # cudalint: ignore[c]\nEOF\nRUN x # cudalint: ignore[d]\nRUN x \\\n  y # cudalint: ignore[e]\n";
    let covered: Vec<_> = outline(text)
        .ignores
        .iter()
        .map(|i| {
            let Covers::Lines(at) = i.covers else { panic!() };
            (i.rules[0].0.clone(), text[at.range()].to_owned())
        })
        .collect();
    let whole = "RUN x \\\n  # cudalint: ignore[b]\n  y \\\n  z";
    let want = [
        ("a", whole),
        ("b", "  y \\\n"),
        ("c", "p # cudalint: ignore[c]\n"),
        ("d", "RUN x # cudalint: ignore[d]\n"),
        ("e", "  y # cudalint: ignore[e]\n"),
    ];
    assert_eq!(covered, want.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn spans_are_the_files() {
    let text = "FROM a\r\nRUN apt install to\\\r\nrch \"b c\" && \\\r\n apt install 中\r\n";
    let acts = outline(text).acts;
    let at: Vec<_> = acts.iter().map(|a| &text[a.at.range()]).collect();
    assert_eq!(at[2], "apt install to\\\r\nrch \"b c\"");
    assert_eq!(at[3], "apt install 中");
    let crate::outline::Does::System(packages) = &acts[2].does else { panic!() };
    assert_eq!(&text[packages.names[0].at.range()], "to\\\r\nrch");
    assert_eq!(&text[packages.names[1].at.range()], "\"b c\"");
}

#[test]
fn variables_of_one_instruction_are_set_at_once() {
    let names = |text: &str| -> Vec<String> {
        let acts = outline(text).acts;
        let sets = acts.iter().filter_map(|act| if let Does::Set(variable) = &act.does { Some(variable) } else { None });
        let unknown = |v: &Variable| v.value.as_ref().is_some_and(|value| value.pieces.contains(&Piece::Opaque));
        sets.map(|v| format!("{}{}", v.name, if unknown(v) { "?" } else { "" })).collect()
    };
    for (text, want) in [
        ("ENV A=1 B=2", &["A", "B"][..]),
        ("ENV A=1 B=$A", &["B", "A"]),
        ("ENV A=1 B=$A C=${X:-$B}", &["C", "B", "A"]),
        ("ENV A=$B B=1 C=$C:x", &["A", "B", "C"]),
        ("ENV A=$B B=$A", &["B", "A?"]),
        ("ENV A=1 A=$A:x", &["A", "A?"]),
        ("ARG A=1 B=$A", &["A", "B"]),
    ] {
        assert_eq!(names(text), want, "{text}");
    }
}

#[test]
fn hostile_texts_end() {
    let texts = [
        String::new(),
        "\u{feff}".to_owned(),
        "\0".repeat(1000),
        "RUN ".to_owned() + &"a && ".repeat(20_000),
        "RUN [\"".to_owned() + &"\\".repeat(1000),
        "ENV A=".to_owned() + &"${A:-".repeat(20_000),
        "FROM ${".repeat(5_000),
        "ARG A=1 ".repeat(20_000),
        format!("ENV {}", (0..20_000).map(|n| format!("A{n}=$A{} ", n + 1)).collect::<String>()),
        "COPY --from=".repeat(10_000),
        "RUN --mount= x\nRUN --\nRUN\nFROM\nCOPY\nSHELL\nSHELL [\nCMD\nENV =\nENV \"\nARG =".to_owned(),
        "{% x %}\n".repeat(5_000),
        "RUN x \\\r\n".repeat(5_000),
    ];
    for text in texts {
        outline(&text);
    }
}
