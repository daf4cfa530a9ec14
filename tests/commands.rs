//! From commands to environments: what scripts, images, jobs and recipes lead to.

mod rendered;

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use rendered::check;

#[test]
fn a_file_that_is_written_has_what_the_shell_had() {
    let written = "cat > r.txt <<EOF\ntorch==$V\nEOF\n";
    let install = "pip install -r r.txt\n";
    for (text, want) in [
        (format!("V=2.1.0\n{written}V=2.2.0\n{install}"), "a.sh: torch 2.1.0 pypi"),
        (format!("(V=2.1.0; {written})\n{install}"), "a.sh: torch 2.1.0 pypi"),
        (format!("{written}V=2.2.0\n{install}"), "a.sh: torch ?"),
        (format!("for V in 2.1.0 2.2.0; do\n{written}done\n{install}"), "a.sh: torch ?"),
        (format!("V=2.1.0\n{written}cat r.txt\npip install -r <(cat r.txt)\n"), "a.sh: torch 2.1.0 pypi"),
        ("V=2.1.0\ncat <<EOF | pip install -r /dev/stdin\ntorch==$V\nEOF\n".to_owned(), "a.sh: torch 2.1.0 pypi"),
        (
            "pip install -r /dev/stdin <<EOF\ntorch==2.1.0\nEOF\ngrep -v torch x.txt | pip install --upgrade -r /dev/stdin\n"
                .to_owned(),
            "a.sh: torch 2.1.0 pypi",
        ),
    ] {
        check(&[("a.sh", &text)], &[want]);
    }
    let image = "FROM python:3.11\nARG V=2.1.0\nARG C=cu118\n";
    let configured = "COPY <<EOF /etc/pip.conf\n[global]\nindex-url = https://download.pytorch.org/whl/$C\nEOF\nRUN pip install torch==2.1.0\n";
    let environment =
        "COPY <<EOF /e.yml\nchannels: [conda-forge]\ndependencies:\n- pip:\n  - torch==$V\nEOF\nRUN conda env update -f /e.yml\n";
    check(&[("Dockerfile", &format!("{image}{configured}"))], &["Dockerfile: <python:3.11> torch 2.1.0+cu118 pytorch/cu118"]);
    check(&[("Dockerfile", &format!("{image}{environment}"))], &["Dockerfile: <python:3.11> torch 2.1.0 pypi"]);
}

#[test]
fn a_file_that_is_written_on_the_way_is_installed() {
    let own = ("requirements.txt", "torch==2.2.0\n");
    check(
        &[("a.sh", "cat > requirements.txt <<EOF\ntorch==2.1.0\nEOF\npip install -r requirements.txt\n"), own],
        &["a.sh: torch 2.1.0 pypi"],
    );
    check(
        &[("a.sh", "cat > /tmp/r.txt <<EOF\ntorch==2.1.0\nEOF\necho x >> /tmp/r.txt\npip install -r /tmp/r.txt\n")],
        &["a.sh: "],
    );
    check(
        &[("a.sh", "cat > x.sh <<'EOF'\npip install torch==2.1.0\nbash x.sh\nEOF\ncat x.sh | xargs echo\nbash x.sh\n")],
        &["a.sh: torch 2.1.0 pypi"],
    );
    check(
        &[(
            "Dockerfile",
            "FROM python:3.11\nWORKDIR /a\nCOPY <<EOF r.txt\ntorch==2.1.0\nEOF\nRUN cd / && pip install -r a/r.txt\n",
        )],
        &["Dockerfile: <python:3.11> torch 2.1.0 pypi"],
    );
    check(
        &[
            (
                "Dockerfile",
                "FROM python:3.11\nCOPY requirements.txt /r.txt\nADD https://x.example/r.txt /r.txt\nRUN pip install -r /r.txt\n",
            ),
            own,
        ],
        &["Dockerfile: <python:3.11> "],
    );
}

#[test]
fn options_before_the_verb_may_be_variables() {
    let image = |lines: &str| format!("FROM python:3.11\n{lines}\n");
    for (text, found) in [
        ("pip $OPTIONS install torch==2.1.0", "torch 2.1.0 pypi"),
        ("python -m pip $OPTIONS $MORE install torch==2.1.0", "torch 2.1.0 pypi"),
        ("PIP=pip3\n$PIP $OPTIONS install torch==2.1.0", "torch 2.1.0 pypi"),
        ("pip $OPTIONS download torch==2.1.0", ""),
        // What stands behind the verb may name any index, and so may uv's own options.
        ("pip install $OPTIONS torch==2.1.0", "torch ?"),
        ("uv $OPTIONS pip install torch==2.1.0", "torch ?"),
        ("O=--quiet\nuv $O pip install torch==2.1.0", "torch 2.1.0 pypi"),
        ("O=--yes\nconda $O install pytorch::pytorch=2.1.0", "conda:pytorch 2.1.0 cpu conda/pytorch"),
    ] {
        check(&[("a.sh", text)], &[&format!("a.sh: {found}")]);
    }
    check(&[("a.sh", "pip $COMMAND torch==2.1.0")], &[]);
    let known = image("ARG OPTIONS=\"-q --no-input\"\nRUN pip $OPTIONS install torch==2.1.0");
    check(&[("Dockerfile", &known)], &["Dockerfile: <python:3.11> torch 2.1.0 pypi"]);
}

#[test]
fn a_stage_triggers_what_stands_on_it() {
    check(
        &[(
            "Dockerfile",
            "FROM python:3.11 AS base\nONBUILD RUN pip install torch==2.1.0\nFROM base AS next\nFROM next AS last\nRUN true\n",
        )],
        &[
            "Dockerfile:base: <python:3.11> ",
            "Dockerfile:last: <python:3.11> torch 2.1.0 pypi",
            "Dockerfile:next: <python:3.11> torch 2.1.0 pypi",
        ],
    );
}

#[test]
fn modules_of_a_cluster_bring_what_is_not_known() {
    check(
        &[
            ("a.sh", "module load gcc cuda/12.1\npip install torch==2.1.0\n"),
            ("b.sh", "module load PyTorch/2.1.2\npip install torch==2.1.0 xformers\n"),
        ],
        &["a.sh: torch 2.1.0 pypi", "b.sh: torch ?, xformers ?2"],
    );
    for (modules, found) in [
        ("CUDA/11.1.0-GCC-9.3.0 nvhpc/22.5", "torch 2.1.0 pypi"),
        ("cuda10.2/toolkit/10.2.89", "torch 2.1.0 pypi"),
        // A conda of the site's has packages of its own, perhaps this one, and pip looks where it does without.
        ("anaconda3/2023.09", "torch 2.1.0… pypi"),
        // The site's Python may look in a folder of the site's.
        ("python/3.11", "torch ?"),
        ("cuda-python", "torch ?"),
        ("$MODULES", "torch ?"),
    ] {
        let text = format!("module load {modules}\npip install torch==2.1.0\n");
        check(&[("a.sh", &text)], &[&format!("a.sh: {found}")]);
    }
    // The tag of a version says which build it is, whoever serves it.
    let text = "module load python/3.11\npip install torch==2.1.0+cu121 --index-url https://download.pytorch.org/whl/cu121\n";
    check(&[("a.sh", text)], &["a.sh: torch 2.1.0+cu121 pytorch/cu121"]);
    let text = "module load anaconda3\npip install torch\n";
    check(&[("a.sh", text)], &["a.sh: torch ?"]);
}

#[test]
fn an_installer_of_conda_says_which_python_it_brings() {
    let url = "https://repo.anaconda.com/miniconda";
    let newest = |path: &str, lines: &str| {
        let text = format!("FROM ubuntu:22.04\n{lines}\nRUN {path}pip install torch\n");
        let mut linter = Linter::new(Settings::default());
        linter.set("Dockerfile", &text).expect("no configuration");
        linter.report();
        let all: Vec<_> = linter.environments().flat_map(|env| &env.components).collect();
        let [torch] = all.as_slice() else { panic!("{text}: {all:?}") };
        torch.builds.today().map(|build| build.version.to_string())
    };
    let (own, old) = (newest("", ""), Some("2.4.1".to_owned()));
    let fetched = format!("RUN wget {url}/Miniconda3-py38_23.1.0-1-Linux-x86_64.sh -O /tmp/m.sh && sh /tmp/m.sh -b -p /root/m");
    let named = "ARG V=py38_23.1.0\nRUN bash ./Miniconda3-$V-1-Linux-x86_64.sh -b -p /opt/conda";
    let path = |lines: &str, folder: &str| format!("{lines}\nENV PATH={folder}/bin:$PATH");
    for (program, lines, found) in [
        ("/root/m/bin/", fetched.clone(), &old),
        ("", path(&fetched, "/root/m"), &old),
        ("/opt/conda/bin/", named.to_owned(), &old),
        ("", path(named, "/opt/conda"), &old),
        // Another Python's pip.
        ("", fetched.clone(), &own),
        ("/root/m/bin/", fetched.replace("py38_23.1.0-1", "latest"), &own),
        ("/root/m/bin/", fetched.replace("Miniconda3-py38_23.1.0-1", "Miniforge3"), &own),
        ("/root/m/bin/", fetched.replace("py38", "py3999999999999"), &own),
    ] {
        assert_eq!(newest(program, &lines), *found, "{lines}");
    }
}

#[test]
fn what_conda_was_asked_for_before_still_holds() {
    let newest = |lines: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("a.sh", lines).expect("no configuration");
        linter.report();
        let all: Vec<_> = linter.environments().flat_map(|env| &env.components).collect();
        let toolkit = all.into_iter().find(|component| component.name == "conda:cuda-toolkit").expect("a toolkit");
        toolkit.builds.today().and_then(|build| build.cuda()).map(|cuda| cuda.minor_only().to_string())
    };
    let (first, then) = ("conda install -n x cuda-version=12.4\n", "conda install -n x cuda-toolkit\n");
    let told = Some("12.4".to_owned());
    for (lines, found) in [
        (format!("{first}{then}"), &told),
        (format!("conda create -n x cuda-version=12.4 python=3.11\n{then}"), &told),
        (format!("conda install -n x cuda-version=12.1\n{first}{then}"), &told),
        (then.to_owned(), &None),
        (format!("conda install -n y cuda-version=12.4\n{then}"), &None),
        (format!("conda activate x\nconda install cuda-version=12.4\nconda remove cuda-version\n{then}"), &None),
        (format!("conda install -n x cuda-version=99.9\n{then}"), &None),
    ] {
        assert_eq!(newest(&lines), *found, "{lines}");
    }
}

#[test]
fn a_batch_script_runs_in_its_container() {
    check(
        &[(
            "a.sbatch",
            "#!/bin/bash\n#SBATCH --container-image=nvcr.io#nvidia/pytorch:23.10-py3\nsrun --container-image=nvcr.io#nvidia/pytorch:24.01-py3 python x.py\npip install a\n",
        )],
        &[
            "a.sbatch: <nvcr.io/nvidia/pytorch:23.10-py3> a ?",
            "a.sbatch:pytorch: <nvcr.io/nvidia/pytorch:24.01-py3> torch ?, torchaudio ?, torchdata ?, torchtext ?, torchvision ?",
        ],
    );
}

#[test]
fn arrays_are_installed() {
    check(
        &[(
            "a.sh",
            "P=(torch==2.1.0 \"torchvision==0.16.0\")\nA=(--extra-index-url https://download.pytorch.org/whl/cu118)\npip install \"${P[@]}\" \"${A[@]}\"\n",
        )],
        &["a.sh: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0+cu118 pytorch/cu118"],
    );
}

#[test]
fn later_steps_see_what_a_step_wrote_for_them() {
    let job = |steps: &str| format!("jobs:\n  a:\n    runs-on: x\n    steps:\n{steps}");
    let text = job(
        "      - run: echo \"T=2.1.0\" >> $GITHUB_ENV\n      - run: |\n          {\n            echo \"PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu118\"\n          } >> \"$GITHUB_ENV\"\n          pip install wheel\n      - run: pip install torch==$T\n",
    );
    check(&[(".github/workflows/a.yml", &text)], &[".github/workflows/a.yml:a: torch 2.1.0+cu118 pytorch/cu118, wheel ?"]);
    let text = job("      - run: ./set.sh\n      - run: pip install torch==$T\n");
    check(
        &[(".github/workflows/a.yml", &text), ("set.sh", "echo T=2.1.0 >> \"$GITHUB_ENV\"\n")],
        &[".github/workflows/a.yml:a: torch 2.1.0 pypi", "set.sh: "],
    );
}

#[test]
fn a_composite_action_takes_part_with_its_inputs() {
    let action = (
        ".github/actions/torch/action.yml",
        "inputs:\n  torch-version: {default: '2.1.0'}\n  more: {}\nruns:\n  using: composite\n  steps:\n    - run: pip install torch==${{ inputs.torch-version }} ${{ inputs.more }}\n      shell: bash\n",
    );
    let workflow = |with: &str| {
        format!(
            "jobs:\n  a:\n    runs-on: x\n    strategy: {{matrix: {{t: [2.2.0, 2.3.0]}}}}\n    steps:\n      - uses: ./.github/actions/torch\n        with: {{more: torchvision, {with}}}\n"
        )
    };
    check(
        &[action, (".github/workflows/a.yml", &workflow("x: 1"))],
        &[".github/workflows/a.yml:a: torch 2.1.0 pypi, torchvision 0.16.0… pypi"],
    );
    check(
        &[action, (".github/workflows/a.yml", &workflow("torch-version: '${{ matrix.t }}'"))],
        &[
            ".github/workflows/a.yml:a: torch 2.2.0 pypi, torchvision 0.17.0… pypi",
            ".github/workflows/a.yml:a?row 2: torch 2.3.0 pypi, torchvision 0.18.0… pypi",
        ],
    );
    check(
        &[action, (".github/workflows/a.yml", &workflow("torch-version: '2.2.0 --pre'"))],
        &[".github/workflows/a.yml:a: torch ?, torchvision ?"],
    );
}

#[test]
fn a_called_workflow_has_its_callers_inputs() {
    check(
        &[
            (".github/workflows/a.yml", "jobs:\n  go:\n    uses: ./.github/workflows/b.yml\n    with: {torch: 2.1.0}\n"),
            (
                ".github/workflows/b.yml",
                "on: {workflow_call: {inputs: {torch: {default: 2.2.0}}}}\njobs:\n  in:\n    runs-on: x\n    steps:\n      - run: pip install torch==${{ inputs.torch }}\n",
            ),
        ],
        &[
            ".github/workflows/a.yml:go: ",
            ".github/workflows/a.yml:go/in: torch 2.1.0 pypi",
            ".github/workflows/b.yml:in: torch ?",
        ],
    );
}

#[test]
fn a_target_is_made_after_what_it_needs() {
    let makefile = (
        "Makefile",
        "include vars.mk\nV := 2.1.0\nall: train\n\ntrain: deps\n\tpip install torchvision==0.16.0\ndeps:\n\t@pip install torch==$(V) \\\n\t  --index-url https://download.pytorch.org/whl/cu118\nnone:\n\techo\n",
    );
    check(
        &[makefile, ("vars.mk", "export PIP_NO_CACHE_DIR = 1\n")],
        &[
            "Makefile:deps: torch 2.1.0+cu118 pytorch/cu118",
            "Makefile:train: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0 pypi",
        ],
    );
    check(
        &[("sub/Makefile", makefile.1), ("a.sh", "make -C sub deps\nmake deps V=2.2.0\n")],
        &[
            "a.sh: torch 2.1.0+cu118 pytorch/cu118",
            "sub/Makefile:deps: torch 2.1.0+cu118 pytorch/cu118",
            "sub/Makefile:train: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0 pypi",
        ],
    );
    check(
        &[
            ("Makefile", "t: u\n\tpip install torch==2.1.0\nu: t\n\techo\n"),
            ("Dockerfile", "FROM python:3.11\nCOPY . /a\nWORKDIR /a\nRUN make t\n"),
        ],
        &["Dockerfile: <python:3.11> torch 2.1.0 pypi", "Makefile:t: torch 2.1.0 pypi"],
    );
}

#[test]
fn markdown_only_silences() {
    let rules = |readme: &str| {
        let mut linter = Linter::new(Settings::default());
        let compose =
            "services:\n  a:\n    image: pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime\n    command: python x --device cuda\n";
        for (path, text) in [("compose.yml", compose), ("README.md", readme)] {
            linter.set(path, text).expect("no configuration");
        }
        linter.report().diagnostics.iter().map(|found| found.rule).collect::<Vec<_>>()
    };
    let run =
        |options: &str| format!("```sh\ndocker run {options} pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime nvidia-smi\n```\n");
    assert_eq!(rules(&run("--rm")), ["gpu-not-requested"]);
    assert!(rules(&run("--gpus all")).is_empty());
    let requirements = ("requirements.txt", "torch==2.1.0\n");
    check(&[requirements, ("README.md", "```\npip install -r requirements.txt\n```\n")], &["requirements.txt: torch 2.1.0 pypi"]);
    check(
        &[
            requirements,
            ("README.md", "```\npip install -r requirements.txt --index-url https://download.pytorch.org/whl/cu118\n```\n"),
        ],
        &["requirements.txt: torch ?"],
    );
}

#[test]
fn a_pipeline_of_gitlab() {
    check(
        &[
            (
                ".gitlab-ci.yml",
                "default: {image: python:3.11}\n.torch:\n  before_script: [cd sub]\na:\n  extends: .torch\n  parallel:\n    matrix: [{F: [requirements.txt, other.txt]}]\n  script:\n    - pip install -r $F\n",
            ),
            ("sub/requirements.txt", "torch==2.1.0\n"),
            ("sub/other.txt", "torch==2.2.0\n"),
        ],
        &[
            ".gitlab-ci.yml:a: <python:3.11> torch 2.1.0 pypi",
            ".gitlab-ci.yml:a?row 2: <python:3.11> torch 2.2.0 pypi",
            "sub/requirements.txt: torch 2.1.0 pypi",
        ],
    );
}

#[test]
fn a_dev_container_installs_once_it_is_there() {
    check(
        &[
            (
                ".devcontainer/devcontainer.json",
                "{\n  // x\n  \"image\": \"python:3.11\",\n  \"postCreateCommand\": \"pip install -r requirements.txt\"\n}\n",
            ),
            ("requirements.txt", "torch==2.1.0\n"),
        ],
        &[".devcontainer/devcontainer.json:python: <python:3.11> torch 2.1.0 pypi"],
    );
}

#[test]
fn a_function_of_an_installer_reads_the_file_that_it_is_given() {
    check(
        &[
            (
                "install.sh",
                "run_pip_quiet() {\n  local output\n  output=$(pip install \"$@\" 2>&1)\n}\n\
                 run_pip_quiet torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118\nrun_pip_quiet -r requirements.txt\n",
            ),
            ("requirements.txt", "torchvision==0.16.0\n"),
        ],
        &["install.sh: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0 pypi"],
    );
}

#[test]
fn options_in_variables_are_options() {
    let index = "https://download.pytorch.org/whl/cu118";
    let in_cu118 = |text: &str| check(&[("a.sh", text)], &["a.sh: torch 2.1.0+cu118 pytorch/cu118"]);
    check(
        &[("a.sh", &format!("if x; then I=\"-i {index}\"; else I=\"-i {index}\"; fi\npip install torch==2.1.0 $I\n"))],
        &["a.sh: torch 2.1.0+cu118 pytorch/cu118", "a.sh?branch 3: torch ?"],
    );
    in_cu118(&format!("f() {{ I=\"-i {index}\"; }}\nf\npip install $I torch==2.1.0\n"));
    in_cu118(&format!("I={index}\npip install torch==2.1.0 ${{I:+--index-url \"$I\"}}\n"));
    in_cu118(&format!("pip install torch==2.1.0 ${{I:--i {index}}}\n"));
    in_cu118(&format!("export I=\"-i {index}\"\nexport I=\"$I -q\"\npip install torch==2.1.0 $I\n"));
    for unknown in ["$I", "$1", "\"$@\"", "$(x)", "`x`", "${I:-}", "\"${I[@]}\""] {
        check(&[("a.sh", &format!("pip install {unknown} torch==2.1.0\n"))], &["a.sh: torch ?"]);
    }
    let project = "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch==2.1.0\"]\n";
    for (command, comes) in [("uv sync $A", "torch ?"), ("uv run python x.py $A", "torch 2.1.0 pypi")] {
        check(
            &[("a.sh", &format!("{command}\n")), ("pyproject.toml", project)],
            &[&format!("a.sh: {comes}"), "pyproject.toml: torch 2.1.0 pypi"],
        );
    }
    // The value of an option is one word, and so is what is quoted.
    for (known, comes) in [
        // pip puts it there whatever is in that folder.
        ("--target $D", "torch 2.1.0 pypi"),
        ("\"einops==$V\"", "einops ?, torch 2.1.0 pypi"),
        ("einops==$V", "einops ?, torch 2.1.0 pypi"),
    ] {
        check(&[("a.sh", &format!("E=\npip install $E torch==2.1.0 {known}\n"))], &[&format!("a.sh: {comes}")]);
    }
}

#[test]
fn a_program_that_a_variable_names_is_what_it_holds() {
    let torch = "a.sh: torch 2.1.0 pypi";
    for (text, want) in [
        ("PIP=pip3\n\"$PIP\" install torch==2.1.0\n", torch),
        ("PIP=${PIP:-pip}\n$PIP install torch==2.1.0\n", torch),
        (": \"${PIP:=pip}\"\n\"$PIP\" install torch==2.1.0\n", torch),
        ("${PIP:-python3 -m pip} install torch==2.1.0\n", torch),
        ("inst() { $PIP install \"$@\"; }\nPIP=pip3\ninst torch==2.1.0\n", torch),
        // No more is there than in what a script begins in.
        ("\"${PY:-$(which python)}\" -m pip install torch==2.1.0\n", torch),
        // Set elsewhere: its name says what it is.
        ("\"$PIP\" install torch==2.1.0\n", torch),
        ("\"${CONDA_EXE}\" install -n x pytorch==2.1.0 -c pytorch\n", "a.sh: conda:pytorch 2.1.0 cpu conda/pytorch"),
        ("SUDO=\nif [ \"$(id -u)\" -ne 0 ]; then SUDO=sudo; fi\n$SUDO pip install torch==2.1.0\n", torch),
        ("PIP=\"echo pip\"\n\"$PIP\" install torch==2.1.0\n", "a.sh: "),
        ("\"$TOOL\" install torch==2.1.0\n", ""),
    ] {
        check(&[("a.sh", text)], if want.is_empty() { &[] } else { std::slice::from_ref(&want) });
    }
    let image = "FROM python:3.11\nARG PIP=pip3\n";
    let want = "Dockerfile: <python:3.11> torch 2.1.0 pypi";
    for run in ["$PIP install torch==2.1.0", "${PIP:-pip} install torch==2.1.0", "${X:-pip} install torch==2.1.0"] {
        check(&[("Dockerfile", &format!("{image}RUN {run}\n"))], &[want]);
    }
    // Whose environment it is is not told: what `pip` put elsewhere stays as it was.
    check(
        &[("a.sh", "pip install torch==2.0.0\n\"$PIP\" install torch==2.1.0\n")],
        &["a.sh: torch 2.0.0 pypi", "a.sh: torch 2.1.0… pypi"],
    );
    // uv's own options hold where the variable holds uv.
    check(
        &[("a.sh", "PIP=\"uv pip\"\n: $PIP\nPIP=\"uv pip\"\n$PIP install torch==2.1.0 --torch-backend=cu118\n")],
        &["a.sh: torch 2.1.0+cu118 pytorch/cu118"],
    );
}

#[test]
fn what_is_taken_away_goes_from_the_environment_that_is_named() {
    let two = "conda create -n a pytorch==2.3.0 -c pytorch\nconda create -n b pytorch==2.4.0 -c pytorch\n";
    let conda = |version: &str| format!("a.sh: conda:pytorch {version} cpu conda/pytorch");
    let (a, b, c) = (conda("2.3.0"), conda("2.4.0"), conda("2.2.0"));
    for (gone, want) in [
        ("conda remove -n b -y pytorch\n", vec![a.as_str(), "a.sh: "]),
        ("mamba uninstall --name=a pytorch\n", vec!["a.sh: ", b.as_str()]),
        ("conda activate b\nconda remove -y pytorch\n", vec![a.as_str(), "a.sh: "]),
        ("conda remove -n a --dry-run pytorch\n", vec![a.as_str(), b.as_str()]),
        ("conda remove -n a --all -y\n", vec![b.as_str()]),
        ("conda env remove -n a\nconda create -n a pytorch==2.2.0 -c pytorch\n", vec![c.as_str(), b.as_str()]),
    ] {
        check(&[("a.sh", &format!("{two}{gone}"))], &want);
    }
    let torch = "a.sh: torch 2.1.0 pypi";
    for (text, want) in [
        ("/opt/v/bin/pip install torch==2.1.0\n/opt/v/bin/pip uninstall -y torch\n", "a.sh: "),
        ("pip install torch==2.1.0\n/opt/v/bin/pip uninstall -y torch\n", torch),
        ("V=/opt/v\nPIP=$V/bin/pip\n\"$PIP\" install torch==2.1.0\n\"$PIP\" uninstall -y torch\n", "a.sh: "),
        ("conda run -n x pip install torch==2.1.0\nconda run -n x pip uninstall -y torch\n", "a.sh: "),
        ("uv venv v\nuv pip install -p v/bin/python torch==2.1.0\nuv pip uninstall -p v/bin/python torch\n", "a.sh: "),
        ("pip install torch==2.1.0\npip uninstall -y torch torchvision\npip install torch==2.0.0\n", "a.sh: torch 2.0.0 pypi"),
        ("pip install torch==2.1.0\nA=\"torch numpy\"\npip uninstall -y $A\n", "a.sh: "),
        ("pip install torch==2.1.0\nA=\"numpy scipy\"\npip uninstall -y $A\n", torch),
        // What goes is not told.
        ("pip install torch==2.1.0\npip freeze | xargs pip uninstall -y\n", "a.sh: "),
        ("pip install torch==2.1.0\npip uninstall -y -r no.txt\n", "a.sh: "),
        ("pip install torch==2.1.0\npip uninstall -y -r r.txt\n", torch),
        ("pip install torch==2.1.0\npip uninstall -y -r all.txt\n", "a.sh: "),
    ] {
        check(&[("a.sh", text), ("r.txt", "numpy\n"), ("all.txt", "numpy\ntorch\n")], &[want]);
    }
}
