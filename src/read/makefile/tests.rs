//! What makefiles say, an act a line; `apt-get install` stands for any installing command.

use crate::outline::{Choice, Does};
use crate::read::shell::rendering;
use crate::source::FileId;

fn show(text: &str) -> Vec<String> {
    let acts = super::read(FileId(0), text).acts;
    let line = |act: &crate::outline::Act| match &act.does {
        Does::Goal(goal) => {
            let needs: Vec<_> = goal.needs.iter().map(rendering::text).collect();
            let when = act
                .when
                .0
                .iter()
                .map(|c| if let Choice::Branch { test, arm } = c { format!("{{{test}}}{arm} ") } else { String::new() });
            format!("{}{}: {}", when.collect::<String>(), goal.names.join(" "), needs.join(" ")).trim_end().to_owned()
        }
        _ => rendering::act(act, text),
    };
    acts.iter().map(line).filter(|line| !line.ends_with("(") && !line.ends_with(')')).collect()
}

#[test]
fn rules_and_variables() {
    for (text, want) in [
        (
            "P = x\nall: a b | c\n\t@apt install $(P)\na: ; -apt install ${P}y $$z\n",
            &["all: a b c", "apt x", "a:", "apt xy <z>"][..],
        ),
        ("A = $(B) z\nB := x\nt:\n\tapt install $A $(C) $(shell y) $@ $(A:x=y)\n", &["t:", "apt x z ? ? t ?"]),
        ("I := apt install\nI += -y\nt u: v.$(X) w\n\t+$(I) x \\\n\t  y\n", &["t u: w", "apt x y"]),
        ("X ?= 1\nX ?= 2\nY != date\nexport Z = 3 # c\nt:\n\tapt install x=$(X) $(Y)\n", &["env Z=3", "t:", "apt x=1 ?"]),
        (
            "include c.mk\nX ?= 1\nt:\n\tapt install $(X)\n\n\tcd a\n# no\n\tapt install y\n",
            &["include c.mk", "t:", "apt ?", "cd a", "apt y"],
        ),
        (
            "ifeq ($(G),1)\nX = a\nelse\nX = b\nendif\nt:\n\tapt install x$(X)\nifdef D\n\tapt install y\nendif\n",
            &["{[[ \"$G\" == \"1\" ]]}0 set X=a", "{[[ \"$G\" == \"1\" ]]}1 set X=b", "t:", "apt x<X>", "{[ -n \"$D\" ]}0 apt y"],
        ),
        (
            "ifdef A # x\nt:\n\tapt install x\nifdef B\nelse ifdef C\nendif\nelse ifeq ($(D),1)\nu:\n\tapt install y\nelse\nv:\n\tapt install z\nendif\n",
            &[
                "{[ -n \"$A\" ] elif [[ \"$D\" == \"1\" ]]}0 t:",
                "{[ -n \"$A\" ] elif [[ \"$D\" == \"1\" ]]}0 apt x",
                "{[ -n \"$A\" ] elif [[ \"$D\" == \"1\" ]]}1 u:",
                "{[ -n \"$A\" ] elif [[ \"$D\" == \"1\" ]]}1 apt y",
                "{[ -n \"$A\" ] elif [[ \"$D\" == \"1\" ]]}2 v:",
                "{[ -n \"$A\" ] elif [[ \"$D\" == \"1\" ]]}2 apt z",
            ],
        ),
        ("define R\napt install x\nendef\nt: X = 1\nt:\n\t$(R) $(X)\n\t@apt install $(X)\n", &["t:", "apt x ?", "apt ?"]),
        (".PHONY: t\n.ONESHELL:\nt:\n\tcd a\n\tapt install x\n%.o: %.c\n\tapt install y\n", &["t:", "cd a", "apt x"]),
        ("t: ; apt install x=1\nu: X = 1; 2\n", &["t:", "apt x=1"]),
        ("SHELL := python3\nt:\n\tapt install x\n", &["t:"]),
        ("t:\r\n\tapt install x\r\n\tmake -C a b\r\n", &["t:", "apt x", "make: -C a b"]),
        ("\u{feff}t:\n\tapt install x # cudalint: ignore[a]", &["t:", "apt x"]),
        ("", &[]),
    ] {
        assert_eq!(show(text), want, "{text}");
    }
    assert_eq!(super::read(FileId(0), "t:\n\ta # cudalint: ignore[x]\n# cudalint: ignore[y]\nX=1\n").ignores.len(), 2);
}

#[test]
fn a_value_stands_without_the_blanks_around_it() {
    let text = "T =  torch==2.6.0 \t\r\nt:\n\tapt install $(T)\n";
    let put_in = super::read(FileId(0), text).put_in;
    assert_eq!(put_in.iter().map(|put| &text[put.from.range()]).collect::<Vec<_>>(), ["torch==2.6.0"]);
}

#[test]
fn hostile_texts_end() {
    let text = "A=$(B)$(B)\nB=$(A)\ninclude $(A)\nifeq (a\nt::x y;\\\n\tz $(\n\t$\n\0define q\nexport\nelse\nendif\nendif\n中=文\n中:文\n\t文$文\n";
    for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
        show(&text[..end]);
    }
    let doubling: String = (0..64).map(|n| format!("A{n}=$(A{m})$(A{m})\n", m = n + 1)).collect();
    for text in [
        doubling + "A64=x\nt:\n\tapt install $(A0)\n",
        "t:\n\ta\n".repeat(10_000),
        "\ta\n".repeat(100_000),
        format!("t:\n\tapt install {}", "$(X)".repeat(100_000)),
        "ifeq (a,b)\n".repeat(50_000),
        format!("ifdef A\n{}", "else ifdef B\n".repeat(50_000)),
        "$(".repeat(100_000),
        "x\\\n".repeat(100_000),
        format!("X=1\n{}", "X+=$(X)\n".repeat(20_000)),
    ] {
        let begun = std::time::Instant::now();
        show(&text);
        assert!(begun.elapsed().as_secs() < 30, "{:?}", text.get(..12));
    }
}
