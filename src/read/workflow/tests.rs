//! What workflows say, an act a line.

use super::*;

fn text_of(text: &Text) -> String {
    let piece = |p: &Piece| match p {
        Piece::Literal(text) => text.clone(),
        Piece::Variable { name, .. } => format!("${name}"),
        Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => "?".to_owned(),
    };
    text.pieces.iter().map(piece).collect()
}

fn show(text: &str) -> Vec<String> {
    let outline = read(FileId(0), text);
    let acts = outline.acts.iter().map(|act| {
        assert!(text.get(act.at.range()).is_some(), "{act:?}");
        let does = match &act.does {
            Does::Job(j) => {
                let of = |t: &Option<Text>| t.as_ref().map_or("-".to_owned(), text_of);
                format!("job {} {} on {}", j.name, of(&j.container), of(&j.runs_on))
            }
            Does::Set(v) => format!("set {}={}", v.name, v.value.as_ref().map(text_of).unwrap_or_default()),
            Does::Install(i) => {
                let asks = i.asks.iter().map(|a| format!(" {}", text_of(&a.written)));
                let reads = i.reads.iter().map(|r| format!(" <{}", text_of(&r.path)));
                let indexes = i.indexes.iter().map(|i| format!(" @{}", text_of(&i.url)));
                format!("{:?}{}", i.tool, asks.chain(reads).chain(indexes).collect::<String>())
            }
            Does::Enter(Place::Directory(t)) => format!("cd {}", text_of(t)),
            Does::Enter(Place::CondaEnvironment(t)) => format!("conda {}", text_of(t)),
            Does::Enter(Place::CondaEnvironmentOf(t)) => format!("conda of {}", text_of(t)),
            Does::Enter(Place::PlainShell) => "plain".to_owned(),
            Does::Enter(Place::Subshell) => "(".to_owned(),
            Does::Enter(Place::Back) => ")".to_owned(),
            Does::Python(t) => format!("python {}", text_of(t)),
            Does::Launch(l) => format!("launch {} {:?}", text_of(l.image.as_ref().expect("an image")), l.gpu != GpuRequest::None),
            other => format!("{other:?}"),
        };
        let when: String = act
            .when
            .0
            .iter()
            .map(|c| match c {
                Choice::Row { row, .. } => format!(" row {row}"),
                Choice::Branch { test, arm } => format!(" if {test}: {arm}"),
                other => format!(" {other:?}"),
            })
            .collect();
        does + &when
    });
    acts.collect()
}

fn steps(rest: &str) -> Vec<String> {
    let text = format!("jobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n{rest}");
    show(&text).into_iter().skip(1).collect()
}

#[test]
fn a_job_in_its_order() {
    let text = "on: push\nenv: {A: 1}\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    container:\n      image: nvidia/cuda:12.4.1-base-ubuntu22.04\n\
                \x20     options: --gpus all\n    env:\n      PIP_EXTRA_INDEX_URL: https://e.example/cpu\n    steps:\n    - uses: actions/setup-python@v5\n\
                \x20     with: {python-version: '3.11'}\n    - name: x\n      working-directory: src\n      env: {B: $A, C: '${{ env.A }}'}\n      run: |\n        pip install torch \\\n\
                \x20         --index-url https://e.example/cu130\n        # cudalint: ignore[x]\n        pip install numpy\n";
    assert_eq!(
        show(text),
        [
            "job gpu nvidia/cuda:12.4.1-base-ubuntu22.04 on self-hosted gpu",
            "launch nvidia/cuda:12.4.1-base-ubuntu22.04 true",
            "set A=1",
            "set PIP_EXTRA_INDEX_URL=https://e.example/cpu",
            "python 3.11",
            "(",
            "set B=$A",
            "set C=$A",
            "cd src",
            "Pip torch @https://e.example/cu130",
            "Pip numpy",
            ")"
        ]
    );
    assert_eq!(read(FileId(0), text).ignores.len(), 1);
}

#[test]
fn scripts_in_all_styles() {
    for script in [
        "pip install a",
        "'pip install a'",
        "\"pip install a\"",
        "|\n        pip install a",
        ">\n        pip\n        install\n        a\n",
        "pip\n        install\n        a\n",
        "|-\r\n        pip install \\\r\n          a\r\n",
    ] {
        assert_eq!(steps(&format!("    - run: {script}")), ["(", "Pip a", ")"], "{script:?}");
    }
    for (script, shell) in [("pip install a", "pwsh"), ("pip install a", "python"), ("echo a", "bash"), ("", "bash")] {
        assert_eq!(steps(&format!("    - run: {script}\n      shell: {shell}\n")), [""; 0], "{script} {shell}");
    }
    assert_eq!(steps("    - run: pip install a\n      shell: bash -el {0}\n").len(), 3);
    let folded = steps("    - run: >\n        pip install a\n\n        pip install\n        b\n");
    assert_eq!(folded, ["(", "Pip a", "Pip b", ")"]);
}

#[test]
fn rows_and_branches() {
    let text = "jobs:\n  t:\n    runs-on: ${{ matrix.os }}\n    strategy:\n      matrix:\n        os: [ubuntu-22.04, windows-2022]\n        cuda: [cu118]\n\
                \x20       include:\n        - {os: ubuntu-22.04, cuda: cu121}\n    container: a:${{ matrix.cuda }}\n    steps:\n\
                \x20   - run: pip install torch --index-url https://e.example/${{ matrix.cuda }}\n\
                \x20   - if: matrix.cuda == 'cu121'\n      run: pip install b\n    - if: github.ref != 'x'\n      run: pip install c==${{ github.x }}\n";
    assert_eq!(
        show(text),
        [
            "job t a:cu118 on ubuntu-22.04 row 0",
            "( row 0",
            "Pip torch @https://e.example/cu118 row 0",
            ") row 0",
            "( row 0 if github.ref == 'x': 1",
            "Pip c==? row 0 if github.ref == 'x': 1",
            ") row 0 if github.ref == 'x': 1",
            "job t a:cu118 on windows-2022 row 1",
            "job t a:cu121 on ubuntu-22.04 row 2",
            "( row 2",
            "Pip torch @https://e.example/cu121 row 2",
            ") row 2",
            "( row 2",
            "Pip b row 2",
            ") row 2",
            "( row 2 if github.ref == 'x': 1",
            "Pip c==? row 2 if github.ref == 'x': 1",
            ") row 2 if github.ref == 'x': 1",
        ]
    );
    let computed =
        "jobs:\n  t:\n    strategy: {matrix: '${{ fromJson(x) }}'}\n    steps:\n    - run: pip install a==${{ matrix.v }}\n";
    assert_eq!(show(computed), ["job t - on -", "(", "Pip a==?", ")"]);
}

#[test]
fn conda_actions() {
    let step = "    - uses: conda-incubator/setup-miniconda@v3\n      with:\n        environment-file: env.yml\n        activate-environment: x\n";
    assert_eq!(steps(step), ["Conda <env.yml", "conda x"]);
    let step = "    - uses: mamba-org/setup-micromamba@v2\n      with:\n        environment-file: env.yml\n";
    assert_eq!(steps(step), ["Conda <env.yml", "conda of env.yml"]);
    let arguments = "        create-args: >-\n          python=3.10\n          pytorch=2.1 -c conda-forge\n";
    let named = format!("    - uses: mamba-org/setup-micromamba@v2\n      with:\n        environment-name: x\n{arguments}");
    let made = "Conda python=3.10 pytorch=2.1 @conda-forge";
    assert_eq!(steps(&named), [made, "conda x"]);
    // Only a shell that reads its start files is in it.
    for (shell, active) in [
        ("bash -el {0}", true),
        ("bash --login {0}", true),
        ("micromamba-shell {0}", true),
        ("bash", false),
        ("bash -eo pipefail {0}", false),
    ] {
        let run = format!("{named}    - run: pip install a\n      shell: {shell}\n");
        let plain = if active { vec![] } else { vec!["plain"] };
        let expected = [vec![made, "conda x", "("], plain, vec!["Pip a", ")"]].concat();
        assert_eq!(steps(&run), expected, "{shell}");
    }
}

#[test]
fn odd_files() {
    for text in [
        "",
        "jobs:\n",
        "jobs: [a]\n",
        "jobs: {a: {steps: x}}\n",
        "on: push\n",
        "runs:\n  steps: [{run: pip install a}]\n",
        "jobs: {a: {steps: [1, {run: [a]}, {run: }]}}",
    ] {
        let acts = show(text);
        assert!(acts.iter().all(|a| a.starts_with("job")), "{text:?}: {acts:?}");
    }
    let half = show("jobs:\n  t:\n    steps:\n    - run: pip install a\n    - na\n    - run: \"pip\n    - run: pip install b\n");
    assert!(half.contains(&"Pip b".to_owned()), "{half:?}");
    let many = format!(
        "jobs:\n  t:\n    strategy: {{matrix: {{a: [{}]}}}}\n    steps:\n{}",
        "1, ".repeat(64),
        "    - run: x ${{ matrix.a }}\n".repeat(4000)
    );
    read(FileId(0), &many);
}
