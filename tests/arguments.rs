//! Build arguments and known variables: who gives them, and which arms they choose.

mod rendered;

use rendered::check;

const DOCKERFILE: (&str, &str) =
    ("Dockerfile", "ARG TORCH=2.1.0\nFROM python:3.11\nARG TORCH\nRUN pip install torch==${TORCH}\n");

/// A workflow whose one step builds with these lines below `with:`.
fn action(with: &str) -> String {
    format!(
        "on: push\njobs:\n  b:\n    runs-on: ubuntu-latest\n    strategy: {{matrix: {{torch: [2.2.0, 2.3.0]}}}}\n    steps:\n\
         \x20     - uses: docker/build-push-action@v6\n        with:\n{with}"
    )
}

#[test]
fn actions_give_build_arguments() {
    for (with, want) in [
        ("          context: .\n", &["torch 2.1.0 pypi"][..]),
        ("          build-args: |\n            A=1\n            TORCH=2.2.0\n", &["torch 2.2.0 pypi"]),
        ("          context: '{{defaultContext}}'\n          build-args: TORCH=2.2.0\n", &["torch 2.2.0 pypi"]),
        ("          build-args: TORCH=${{ matrix.torch }}\n", &["torch 2.2.0 pypi", "torch 2.3.0 pypi"]),
        ("          build-args: TORCH=${{ steps.x.outputs.torch }}\n", &["torch ?"]),
        ("          build-args: ${{ steps.x.outputs.all }}\n", &["torch ?"]),
        ("          build-args: A=${{ steps.x.outputs.a }}\n", &["torch 2.1.0 pypi"]),
        ("          file: other/Dockerfile\n          build-args: TORCH=2.2.0\n", &["torch 2.1.0 pypi"]),
    ] {
        let name = |n: usize| if n == 0 { String::new() } else { format!("?build {}", n + 1) };
        let lines = want.iter().enumerate().map(|(n, torch)| format!("Dockerfile{}: <python:3.11> {torch}", name(n)));
        let mut lines: Vec<_> = lines.collect();
        lines.insert(0, ".github/workflows/b.yml:b: ".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(&[DOCKERFILE, (".github/workflows/b.yml", &action(with))], &lines);
    }
}

#[test]
fn bake_files_and_commands_give_build_arguments() {
    let dockerfile = |torch: &str| format!("Dockerfile: <python:3.11> {torch}");
    for (bake, torch) in [
        ("target \"a\" { args = { TORCH = \"2.2.0\" } }", "torch 2.2.0 pypi"),
        ("variable \"T\" { default = \"2.3.0\" }\ntarget \"a\" { args = { TORCH = \"${T}\" } }", "torch 2.3.0 pypi"),
        ("target \"a\" { args = { TORCH = f(T) } }", "torch ?"),
        ("target \"a\" { args = merge(A, B) }", "torch ?"),
        ("target \"a\" { dockerfile = \"other/Dockerfile\" }", "torch 2.1.0 pypi"),
    ] {
        check(&[DOCKERFILE, ("docker-bake.hcl", bake)], &[&dockerfile(torch)]);
    }
    for (script, torch) in [
        ("docker build --build-arg TORCH=2.2.0 .", "torch 2.2.0 pypi"),
        ("T=2.2.0\ndocker build --build-arg TORCH=$T .", "torch 2.2.0 pypi"),
        ("docker build --build-arg TORCH=$(cat version) .", "torch ?"),
        ("docker build --build-arg TORCH .", "torch ?"),
        ("docker build $MORE .", "torch ?"),
        ("docker build --build-arg A=$(date) .", "torch 2.1.0 pypi"),
    ] {
        check(&[DOCKERFILE, ("b.sh", script)], &[&dockerfile(torch), "b.sh: "]);
    }
}

#[test]
fn what_is_known_chooses_the_arm() {
    let arms = "if [ \"$V\" = gpu ]; then pip install torch==2.1.0; else pip install torch==2.2.0; fi\n";
    let both = ["a.sh: torch 2.1.0 pypi", "a.sh?branch 2: torch 2.2.0 pypi", "a.sh?branch 3: "];
    for (before, want) in [
        ("", &both[..]),
        ("V=gpu\n", &both[..1]),
        ("V=cpu\n", &["a.sh: torch 2.2.0 pypi"]),
        // Whoever calls it may say otherwise.
        ("V=${1:-cpu}\n", &both),
        // What it sets is not known, and it may set an index.
        ("V=cpu\n. ./unknown.sh\n", &["a.sh: torch ?", "a.sh?branch 2: torch ?", "a.sh?branch 3: "]),
        ("V=$(cat v)\n", &both),
        ("V=cpu\n(. ./unknown.sh)\n", &["a.sh: torch 2.2.0 pypi"]),
    ] {
        check(&[("a.sh", &format!("{before}{arms}"))], want);
    }
    let dockerfile = format!("FROM python:3.11\nARG V=cpu\nRUN {arms}");
    let given = |v: &str| format!("docker build --build-arg V={v} .\n");
    check(&[("Dockerfile", &dockerfile)], &["Dockerfile: <python:3.11> torch 2.2.0 pypi"]);
    check(&[("Dockerfile", &dockerfile), ("b.sh", &given("gpu"))], &["Dockerfile: <python:3.11> torch 2.1.0 pypi", "b.sh: "]);
    check(
        &[("Dockerfile", &dockerfile), ("b.sh", &given("$1"))],
        &[
            "Dockerfile: <python:3.11> torch 2.1.0 pypi",
            "Dockerfile?branch 2: <python:3.11> torch 2.2.0 pypi",
            "Dockerfile?branch 3: <python:3.11> ",
            "b.sh: ",
        ],
    );
    // What an arm sets does not end it.
    check(&[("a.sh", "V=a\nif [ $V = a ]; then\nV=b\npip install torch==2.1.0\nfi\n")], &["a.sh: torch 2.1.0 pypi"]);
    let by_case =
        "if [ \"$V\" = gpu ]; then pip install torch==2.1.0; fi\ncase $V in cpu) pip install torchvision==0.17.0;; esac\n";
    check(
        &[("a.sh", by_case)],
        &["a.sh: torch 2.2.0 pypi, torchvision 0.17.0 pypi", "a.sh?branch 2: torch 2.1.0 pypi", "a.sh?branch 3: "],
    );
}
