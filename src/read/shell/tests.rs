//! Whole scripts. `apt-get install` stands for any installing command.

use super::rendering;
use crate::outline::Outline;
use crate::source::FileId;

fn read(text: &str) -> Vec<String> {
    super::read(FileId(0), text).acts.iter().map(|act| rendering::act(act, text)).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, want) in cases {
        assert_eq!(read(text), *want, "{text}");
    }
}

#[test]
fn variables() {
    check(&[
        ("A=b\nexport C=\"d $A\"", &["set A=b", "env C=d <A>"]),
        ("A=b; export A", &["set A=b", "env A=<A>"]),
        ("export A B=c 'D=e f'", &["env A=<A>", "env B=c", "env D=e f"]),
        ("declare -x A=b; declare C=d; local E=f; readonly G=h", &["env A=b", "set C=d", "set E=f", "set G=h"]),
        ("PATH+=:/x; export PATH=/y:$PATH", &["set PATH=<PATH>:/x", "env PATH=/y:<PATH>"]),
        ("A=(b c); A[0]=d; E=$(f); G=", &["set A=?", "set A=?", "set E=?", "E of (f)", "set G="]),
        ("unset A", &["env A="]),
        ("A=b C=d apt-get install x", &["pre A=b", "pre C=d", "apt x"]),
        ("A=b echo x", &[]),
        ("sudo A=b env C=d apt install x", &["pre A=b", "pre C=d", "apt x"]),
        (
            "export LD_LIBRARY_PATH=/a${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
            &["env LD_LIBRARY_PATH=/a<LD_LIBRARY_PATH+:<LD_LIBRARY_PATH>>"],
        ),
        ("read -r p; apt install $p", &["set p=?", "apt <p>"]),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("f() { cd a; apt install x; }; f", &["{", "cd a", "apt x", ")"]),
        // Called before it stands there, from another, twice.
        (
            "main() { f 1; }\nf() { apt install x=$1; }\nmain; f 2",
            &["{", "set 1=1", "{", "apt x=<1>", ")", ")", "set 1=2", "{", "apt x=<1>", ")"],
        ),
        (
            "f() { apt install ${2:-x}; }; f a b; f c",
            &["set 1=a", "set 2=b", "{", "apt <2-x>", ")", "set 1=c", "set 2=", "{", "apt <2-x>", ")"],
        ),
        // Nobody calls it here.
        ("f() { apt install x; }\napt install y", &["{false}0 (", "{false}0 apt x", "{false}0 )", "apt y"]),
        ("f() { apt install x; }\nA=b", &["{f()}1 (", "{f()}1 apt x", "{f()}1 )", "set A=b"]),
        ("apt install y\nf() { apt install x; }\n\"$1\"", &["apt y", "{f()}1 (", "{f()}1 apt x", "{f()}1 )"]),
        ("f() { f; apt install x; }; f", &["{", "apt x", ")"]),
        ("f() { g; }; g() { f; }; f", &[]),
        ("f() { P=x; }; apt install $P", &["{false}0 (", "{false}0 set P=x", "{false}0 )", "apt <P>"]),
        (
            "if a; then f() { apt install x; }; else f() { apt install y; }; fi; f",
            &["{", "{a}0 apt x", ")", "{", "{a}1 apt y", ")"],
        ),
        ("f() { apt install x; }; f() { apt install y; }; f", &["{false}0 (", "{false}0 apt x", "{false}0 )", "{", "apt y", ")"]),
        (
            "f() { shift; apt install $1; }; f a",
            &[
                "set 1=a", "{", "set 1=?", "set 2=?", "set 3=?", "set 4=?", "set 5=?", "set 6=?", "set 7=?", "set 8=?",
                "set 9=?", "apt <1>", ")",
            ],
        ),
    ]);
}

#[test]
fn what_a_function_is_given_goes_through() {
    check(&[
        ("q() { apt install -y \"$@\"; }\nq a b", &["set 1=a", "set 2=b", "{", "apt a b", ")"]),
        (
            "q() { o=$(apt install \"$@\" 2>&1) || exit 1; }\nq a",
            &["set 1=a", "{", "(", "apt a", ")", "set o=?", "o of (apt)", "{o=$(apt install \"$@\" 2>&1)}1 Shell ends", ")"],
        ),
        ("q() { \"$@\"; }\nq apt install a", &["set 1=apt", "set 2=install", "set 3=a", "{", "apt a", ")"]),
        // Through another, and to a function.
        (
            "q() { apt install \"$@\"; }\nr() { q x \"$@\"; }\nr a",
            &["set 1=a", "{", "set 1=x", "set 2=a", "{", "apt x a", ")", ")"],
        ),
        // Nobody says what is left.
        (
            "q() { local m=$1; shift; apt install \"$@\"; }\nq a b",
            &[
                "set 1=a",
                "set 2=b",
                "{",
                "set m=<1>",
                "set 1=?",
                "set 2=?",
                "set 3=?",
                "set 4=?",
                "set 5=?",
                "set 6=?",
                "set 7=?",
                "set 8=?",
                "set 9=?",
                "apt <@>",
                ")",
            ],
        ),
        ("apt install \"$@\"", &["apt <@>"]),
        ("q() { echo \"$@\"; }\nq a", &["set 1=a"]),
    ]);
}

#[test]
fn what_ends_a_script() {
    check(&[
        ("apt install x; exit; apt install y", &["apt x", "Shell ends", "apt y"]),
        ("[ -z \"$P\" ] && return\napt install x", &["{[ -z \"$P\" ] …}1 Function ends", "apt x"]),
        ("a || exit 1\napt install x", &["{a}1 Shell ends", "apt x"]),
        // Where nothing is known, the script goes on.
        ("if a; then exit; fi\napt install x", &["{a …}1 Shell ends", "apt x"]),
        ("if a; then b; else exit; fi\napt install x", &["{a}1 Shell ends", "apt x"]),
        (
            "usage() { echo; exit 1; }\nif a; then usage; fi\napt install x",
            &["{a …}1 {", "{a …}1 Shell ends", "{a …}1 )", "apt x"],
        ),
        ("case $1 in -h) exit;; *) apt install x;; esac", &["{$1 in -h) *) …}1 Shell ends", "{$1 in -h) *) …}0 apt x"]),
        ("exec apt install x", &["apt x", "Shell ends"]),
        ("exec > log", &["edit log"]),
    ]);
}

#[test]
fn places() {
    check(&[
        ("cd a && apt install x", &["cd a", "apt x"]),
        ("cd; cd -; pushd /b; popd", &["cd ~", "cd ?", "cd /b", "cd ?"]),
        ("(cd a; apt install x)\napt install y", &["(", "cd a", "apt x", ")", "apt y"]),
        ("(echo x)", &[]),
        ("source venv/bin/activate", &["venv venv"]),
        (". \"$V\"/bin/activate; deactivate", &["venv <V>", "venv ?"]),
        ("source /opt/miniconda3/bin/activate", &["conda base"]),
        ("source $HOME/miniconda/bin/activate x", &["conda x"]),
        ("source /opt/conda/etc/profile.d/conda.sh", &[]),
        ("source \"$(conda info --base)/etc/profile.d/conda.sh\"", &[]),
        (". ./env.sh; source ~/.bashrc", &["include ./env.sh", "include ~/.bashrc"]),
        (
            "bash -x scripts/a.sh b; ./c.sh; sudo sh d",
            &["(", "include scripts/a.sh", ")", "(", "include ./c.sh", ")", "(", "include d", ")"],
        ),
    ]);
}

#[test]
fn tests_and_loops() {
    check(&[
        (
            "if [ -f a ]; then apt install x; elif b; then apt install y; else apt install z; fi; apt install w",
            &["{[ -f a ] elif b}0 apt x", "{[ -f a ] elif b}1 apt y", "{[ -f a ] elif b}2 apt z", "apt w"],
        ),
        ("if a; then if b; then apt install x; fi; fi", &["{a}0 {b}0 apt x"]),
        (
            "case \"$1\" in gpu|cu) apt install x;; *) apt install y; esac",
            &["{\"$1\" in gpu|cu) *)}0 apt x", "{\"$1\" in gpu|cu) *)}1 apt y"],
        ),
        ("[ -n \"$A\" ] && apt install x || apt install y", &["{[ -n \"$A\" ]}0 apt x", "{[ -n \"$A\" ]}1 apt y"]),
        ("[ a ] && [ b ] && apt install x && apt install y", &["{[ b ]}0 {[ a ]}0 apt x", "{[ b ]}0 {[ a ]}0 apt y"]),
        ("command -v uv >/dev/null 2>&1 || apt install x", &["{command -v uv >/dev/null 2>&1}1 apt x"]),
        ("lspci | grep -q NVIDIA && apt install x", &["{lspci | grep -q NVIDIA}0 apt x"]),
        ("apt update && apt install x || true", &["apt x"]),
        ("if ! which a; then apt install x; fi", &["{! which a}0 apt x"]),
        ("for p in a b; do apt install $p; done", &["set p=a", "apt <p>", "set p=b", "apt <p>"]),
        ("for p in $L; do apt install $p; done", &["set p=?", "apt <p>"]),
        ("for ((i=0;i<2;i++)); do apt install x; done", &["apt x"]),
        ("while read l; do apt install $l; done < f", &["set l=?", "apt <l>"]),
    ]);
}

#[test]
fn commands_in_commands() {
    check(&[
        ("echo \"apt install x\" # apt install y", &[]),
        ("X=$(apt install x)`apt install y`", &["(", "apt x", ")", "(", "apt y", ")", "set X=?", "X of (apt)"]),
        ("echo \"$(apt install x)\" | tee f", &["(", "apt x", ")", "edit f"]),
        ("bash -c 'cd a && apt install x'", &["(", "cd a", "apt x", ")"]),
        ("bash -lc \"apt install \\\"x y\\\" z\"", &["(", "apt x y z", ")"]),
        ("sudo -H bash -o pipefail -c 'apt install x'", &["(", "apt x", ")"]),
        ("eval \"$(conda shell.bash hook)\"; eval 'apt install x'", &["(", "apt x", ")"]),
        ("bash <<< \"apt install x\"; cat <<< 'apt install y'", &["(", "apt x", ")"]),
        (
            "su - me -c 'apt install x'; su me; gosu me apt install y; runuser -l me -c \"apt install z\"",
            &["(", "apt x", ")", "apt y", "(", "apt z", ")"],
        ),
        ("conda run --no-capture-output -n e bash -c 'apt install x'", &["(", "conda e", "(", "apt x", ")", ")"]),
        ("alias i='apt install x' ll=\"ls\"", &[]),
        ("cat p | xargs -n 1 apt install", &["apt ?"]),
        ("time nice -n 5 timeout 9 srun --gres gpu:1 -n2 apt install x", &["apt x"]),
        ("command -v apt install; exec apt install x", &["apt x", "Shell ends"]),
        ("bash <<EOF\napt install x\nEOF\napt install y", &["(", "apt x", ")", "apt y"]),
        ("cat <<'EOF' | sudo bash -e\napt install x\nEOF", &["(", "apt x", ")"]),
        ("cat > f <<-EOF\n\tapt install x\n\tEOF\napt install y", &["edit f", "apt y"]),
        ("cat <<EOF >> f\napt install x\nEOF\napt install y", &["edit f", "apt y"]),
        ("python - <<EOF\nimport os\nEOF\napt install y", &["apt y"]),
    ]);
}

#[test]
fn known_variables_become_words() {
    check(&[
        ("I=\"apt-get install -y\"\n$I x", &["set I=apt-get install -y", "apt x"]),
        ("P=\"x y\"; apt install $P", &["set P=x y", "apt x y"]),
        ("P=\"x y\"; apt install \"$P\"", &["set P=x y", "apt <P>"]),
        ("P=x; apt install $P", &["set P=x", "apt <P>"]),
        ("P=\"x y\"; P=\"$P z\"; apt install $P", &["set P=x y", "set P=<P> z", "apt <P>"]),
        ("if a; then P='x y'; fi; apt install $P", &["{a}0 set P=x y", "apt <P>"]),
        ("if a; then P='x y'; apt install $P; fi", &["{a}0 set P=x y", "{a}0 apt x y"]),
    ]);
}

#[test]
fn changed_files() {
    check(&[
        ("sed -i 's/a/b/' r.txt q.txt", &["edit r.txt", "edit q.txt"]),
        ("sed -i.bak -e a -e b r.txt; sed a r.txt", &["edit r.txt"]),
        ("grep -v torch a > b 2> /dev/null; echo x >&2; x 2>err &> all", &["edit b", "sift a -> b", "edit all"]),
        ("perl -pi -e 's/a/b/' r.txt", &["edit r.txt"]),
        (
            "mv a b; cp -r c d; curl -L -o e http://x; wget -O f y",
            &["edit a", "edit b", "edit b/a", "edit d", "edit d/c", "edit e", "download http://x e", "edit f", "download y f"],
        ),
        ("{ echo a; echo b; } > r.txt", &["edit r.txt"]),
        ("apt install x>=2 y", &["apt x y", "edit =2"]),
    ]);
}

#[test]
fn files_that_are_written_here() {
    check(&[
        ("cat > r.txt <<EOF\ntorch==2 # x\n-c c.txt\nEOF\n", &["write r.txt: require torch==2 | include c.txt"]),
        (
            "cat <<-'E' > a/requirements.in\n\ttorch==2; os_name == '$b'\n\tE",
            &["write a/requirements.in: require torch==2; os_name == '$b'"],
        ),
        ("tee r.txt <<EOF >/dev/null\ntorch\nEOF", &["edit r.txt", "write r.txt: require torch"]),
        ("cat <<EOF | sudo tee r.txt\ntorch\nEOF", &["edit r.txt", "write r.txt: require torch"]),
        ("cat > x.sh <<'EOF'\n#!/bin/sh\napt install $1\nEOF\nbash x.sh", &["write x.sh: apt <1>", "(", "include x.sh", ")"]),
        ("pip install -r /dev/stdin <<EOF\ntorch\nEOF", &["write /dev/stdin: require torch", "install "]),
        ("cat <<EOF | pip install -r /dev/stdin\ntorch\nEOF", &["write /dev/stdin: require torch", "install "]),
        ("cat <<EOF > r.txt && apt install x\ntorch\nEOF", &["write r.txt: require torch", "apt x"]),
        // The shell puts something in.
        (
            "cat > r.txt <<EOF\ntorch==$V\n\\$X\n中==$V\nEOF",
            &["write r.txt: require torch==<(0 of 0:18)> | require 中==<(0 of 0:18)>"],
        ),
        (
            "cat > r.txt <<EOF\ntorch==$V$W\\\n$V $1`x`\nEOF",
            &["write r.txt: require torch==<(0 of 0:18)><(1 of 0:18)><(0 of 0:18)> ??"],
        ),
        ("cat > environment.yml <<EOF\ndependencies: [a=$V]\nEOF", &["write environment.yml: require a=<(0 of 0:28)>"]),
        // What it puts in decides what else is said.
        ("cat > environment.yml <<EOF\ndependencies:\n- a\n$V\nEOF", &["edit environment.yml"]),
        ("cat > pyproject.toml <<EOF\nproject.dependencies = [$V]\nEOF", &["write pyproject.toml: require <(0 of 0:27)>"]),
        ("cat > pyproject.toml <<EOF\n$V\n[project]\nEOF", &["edit pyproject.toml"]),
        ("cat > x.sh <<EOF\nif [ $V ]; then apt install x; fi\nEOF", &["edit x.sh"]),
        ("cat > Dockerfile <<EOF\nRUN <<E\napt install x\nE\nEOF", &["edit Dockerfile"]),
        // Behind what was there, or more goes there.
        ("cat >> r.txt <<EOF\ntorch\nEOF", &["edit r.txt"]),
        ("cat a - > r.txt <<EOF\ntorch\nEOF", &["edit r.txt"]),
        ("cat <<EOF | grep x | tee r.txt\ntorch\nEOF", &["edit r.txt"]),
        ("cat <<EOF | tee -a r.txt\ntorch\nEOF", &["edit r.txt"]),
    ]);
    let deep: String = (0..9).map(|i| format!("cat > x.sh <<'E{i}'\n")).chain((0..9).rev().map(|i| format!("E{i}\n"))).collect();
    read(&deep);
}

#[test]
fn a_part_of_a_file() {
    let text = "run: |\n    cat <<EOF > f\n      a\n    EOF\n    apt install ${{ matrix.x }} \\\r\n      b\r\nnext";
    let part = 7..text.len() - 4;
    let acts = super::read_excerpt(&super::excerpt(FileId(0), text, part)).acts;
    let lines: Vec<_> = acts.iter().map(|act| rendering::act(act, text)).collect();
    assert_eq!(lines, ["edit f", "apt ? b"]);
    assert_eq!(&text[acts[1].at.range()], "apt install ${{ matrix.x }} \\\r\n      b");
}

#[test]
fn ignores_and_torn_places() {
    let text =
        "#!/bin/bash\n# cudalint: ignore[a]\napt install \\\n  x\napt install y # cudalint: ignore[b]\nif fi ((\napt install z";
    let Outline { ignores, torn, .. } = super::read(FileId(0), text);
    let covered: Vec<_> = ignores.iter().map(|i| i.rules[0].0.as_str()).collect();
    assert_eq!(covered, ["a", "b"]);
    let crate::outline::Covers::Lines(at) = ignores[0].covers else { panic!() };
    assert_eq!(&text[at.range()], "apt install \\\n  x\n");
    assert!(!torn.is_empty());
}

#[test]
fn half_typed_and_hostile_texts() {
    check(&[
        ("", &[]),
        ("\u{feff}apt install x", &["apt x"]),
        ("apt install x\r\napt install y\r\n", &["apt x", "apt y"]),
        ("apt install x \\", &["apt x"]),
        ("apt install x \\\r\n  y", &["apt x y"]),
        ("apt install to\\\nrch", &["apt torch"]),
    ]);
    let nested_tests = "if a; then apt install x; ".repeat(3000);
    let texts = [
        format!("a{}", " && apt install x".repeat(20_000)),
        format!("a{}", " || apt install x".repeat(20_000)),
        "${A:-".repeat(20_000),
        "$(".repeat(5_000),
        "(".repeat(20_000),
        "\"$(".repeat(3_000),
        "bash -c '".repeat(1_000),
        nested_tests,
        "case x in a) ".repeat(2_000),
        "for p in a b c d; do apt install $p; ".repeat(500),
        (0..300).map(|i| format!("cat <<E{i} > f\nx\nE{i}\n")).collect(),
        "<<A\n".repeat(2_000),
        "\0\r\n\\\u{2028}`'".repeat(5_000),
        format!("apt install {}", "x".repeat(1_000_000)),
        "A=b ".repeat(20_000),
        "sudo ".repeat(20_000),
        "{".repeat(50_000),
        "a | ".repeat(30_000),
        "a |\n".repeat(30_000),
        "<<A\n".repeat(8_000),
    ];
    for text in texts {
        let begun = std::time::Instant::now();
        read(&text);
        assert!(begun.elapsed().as_secs() < 60, "{:?}", text.get(..12));
    }
}
