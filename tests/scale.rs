//! Four times as much of anything takes about four times as long: a repository may be large, or hostile.

use std::time::Duration;

use cudalint::linter::Linter;
use cudalint::report::{Format, Look, Outcome, Part};
use cudalint::settings::Settings;
use cudalint::source::Origin;
use cudalint::viewpoint::Viewpoint;

const HOST: &str = "driver = \"470.182.03\"\n[[gpu]]\nname = \"RTX 4090\"\n";

/// Below this the machine's noise is all there is to see.
const FLOOR: Duration = Duration::from_millis(5);
/// What is quadratic takes 16 times as long; what is linear never more than this.
const MOST: u32 = 10;

type Files = Vec<(String, String)>;

/// A name, a number, and the files that hold so many.
type Kind = (&'static str, usize, fn(usize) -> Files);

/// So many of one thing, by their number.
fn each(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).map(one).collect()
}

/// Of so many files that say so much of each other.
fn side(n: usize) -> usize {
    n.isqrt()
}

fn one(path: &str, text: String) -> Files {
    vec![(path.to_owned(), text)]
}

fn project(fields: &str, rest: &str) -> Files {
    one("pyproject.toml", format!("[project]\nname = \"x\"\nversion = \"1\"\n{fields}\n{rest}"))
}

const GPU_IMAGE: &str = "nvidia/cuda:12.4.1-base-ubuntu22.04";
const TORCH: &str = "torch==2.1.0";

/// The kinds of thing that there may be many of, with the smaller of the two numbers that are compared.
#[rustfmt::skip]
const KINDS: &[Kind] = &[
    ("stages that copy from each other", 40, |n| one("Dockerfile", each(n, |i| format!("FROM a AS s{i}\nRUN pip install x\nCOPY --from=s{} /usr /usr\nCOPY --from=s{} /usr /usr\n", i.max(1) - 1, i / 2)))),
    ("stages that copy from a stage of many", 900, |n| one("Dockerfile", format!("FROM a AS s\n{}", each(n, |_| "COPY --from=s /usr /usr\n".into())))),
    ("stages that stand on each other", 40, |n| one("Dockerfile", format!("FROM a AS s0\n{}", each(n, |i| format!("FROM s{i} AS s{}\nRUN pip install x\n", i + 1))))),
    ("stages with arguments", 300, |n| one("Dockerfile", format!("{}{}", each(n, |i| format!("ARG A{i}=1\n")), each(n, |i| format!("FROM a AS s{i}\nARG A{i}\n"))))),
    ("stages that have names", 400, |n| one("Dockerfile", each(n, |i| format!("FROM a AS model{i}\n")))),
    ("stages that install", 100, |n| one("Dockerfile", each(n, |i| format!("FROM a AS model{i}\nRUN pip install {TORCH}\n")))),
    ("RUN lines", 300, |n| one("Dockerfile", format!("FROM a\n{}", each(n, |i| format!("RUN pip install p{i}\n"))))),
    ("words of a RUN", 4000, |n| one("Dockerfile", format!("FROM a\nRUN echo {}\n", "a ".repeat(n)))),
    ("packages of a command", 800, |n| one("a.sh", format!("pip install {}\n", each(n, |i| format!("p{i} "))))),
    ("quoted words", 900, |n| one("a.sh", format!("echo {}\n", "\"a$B\" 'c' ".repeat(n)))),
    ("options of docker run", 1000, |n| one("a.sh", format!("docker run {} {GPU_IMAGE} nvidia-smi\n", "-e A=1 ".repeat(n)))),
    ("substitutions of a command", 300, |n| one("a.sh", format!("echo {}\n", "$(pip install x) ".repeat(n)))),
    ("commands on a line", 300, |n| one("a.sh", format!("{}true\n", "pip install x && ".repeat(n)))),
    ("assignments", 1000, |n| one("a.sh", each(n, |i| format!("A{i}=$A{}\n", i.max(1) - 1)))),
    ("subshells", 200, |n| one("a.sh", each(n, |i| format!("(A{i}=1; pip install x)\n")))),
    ("subshells in subshells", 600, |n| one("a.sh", format!("{}pip install x{}\n", "(\n".repeat(n), "\n)".repeat(n)))),
    ("tests", 80, |n| one("a.sh", each(n, |i| format!("if [ $A = {i} ]; then\npip install x\nfi\n")))),
    ("tests that tell nothing", 60, |n| one("a.sh", format!("{}pip install x\n", each(n, |i| format!("if [ -f f{i} ]; then A{i}=1; echo x; fi\n"))))),
    ("tests of a workflow that tell nothing", 50, |n| one(".github/workflows/a.yml", format!("jobs:\n  j:\n    runs-on: self-hosted\n    steps:\n    - run: pip install x\n{}", each(n, |i| format!("    - run: if curl h{i}; then A{i}=1; fi\n"))))),
    ("scripts that source each other", 100, |n| (0..side(n)).map(|i| (format!("s{i}.sh"), each(side(n), |k| format!(". ./s{k}.sh\npip install p{i}\n")))).collect()),
    ("scripts that source all of the next ones", 100, |n| (0..side(n)).map(|i| (format!("s{i}.sh"), format!("{}pip install x\n", each(side(n) - i, |k| format!(". ./s{}.sh\n", i + k + 1))))).collect()),
    ("loops", 200, |n| one("a.sh", each(n, |i| format!("for a in x y z; do pip install $a{i}; done\n")))),
    ("heredocs", 500, |n| one("a.sh", each(n, |i| format!("cat > f{i}.txt <<EOF\nx\nEOF\n")))),
    ("heredocs with lines like their ends", 400, |n| one("a.sh", each(n, |i| format!("cat > f{i} <<E{i}\nE{i}X\nE{i}Y\nE{i}\n")))),
    // The grammar looks for the end of each in all that follows; a text with thousands of them is not parsed.
    ("heredocs that end nowhere", 100, |n| one("a.sh", each(n, |i| format!("cat > f{i} <<E{i}\nE{i}X\n")))),
    ("functions that ask", 200, |n| one("a.sh", format!("f0() {{ nvcc | cut; }}\n{}", each(n, |i| format!("f{}() {{ f{i}; }}\nA{i}=$(f{i})\n", i + 1))))),
    ("variables that are read", 500, |n| one("a.sh", each(n, |i| format!("read A{i} <<< \"$(nvcc $A{})\"; ", i.max(1) - 1)))),
    ("functions", 300, |n| one("a.sh", each(n, |i| format!("f{i}() {{ pip install x; }}\n")))),
    ("continued lines of a script", 2000, |n| one("a.sh", format!("pip install {}x\n", "a \\\n".repeat(n)))),
    ("continued lines of a Dockerfile", 2000, |n| one("Dockerfile", format!("FROM a\nRUN pip install {}x\n", "a \\\n# c\n".repeat(n)))),
    ("layers", 200, |n| one("Dockerfile", format!("FROM a\n{}", each(n, |i| format!("ENV A{i}=1\nRUN pip install p{i}\n"))))),
    ("copied files", 300, |n| one("Dockerfile", format!("FROM a\n{}", each(n, |i| format!("COPY r{i}.txt /r{i}.txt\nRUN pip install -r /r{i}.txt\n"))))),
    ("builds of a Dockerfile", 300, |n| { let mut all = one("Dockerfile", "FROM a\nARG A\nRUN pip install $A\n".to_owned()); all.extend(one("compose.yml", format!("services:\n{}", each(n, |i| format!("  s{i}:\n    build: {{context: ., args: {{A: p{i}}}}}\n"))))); all }),
    ("jobs", 70, |n| one(".github/workflows/a.yml", format!("jobs:\n{}", each(n, |i| format!("  j{i}:\n    runs-on: self-hosted\n    container: a\n    steps:\n    - run: pip install x\n"))))),
    ("rows of a matrix", 600, |n| one(".github/workflows/a.yml", format!("jobs:\n  j:\n    runs-on: self-hosted\n    strategy:\n      matrix:\n        v: [{}]\n    steps:\n    - run: pip install torch==${{{{ matrix.v }}}}\n", each(n, |i| format!("{i}, "))))),
    ("matrices", 20, |n| one(".github/workflows/a.yml", format!("jobs:\n{}", each(n, |i| format!("  j{i}:\n    runs-on: self-hosted\n    strategy: {{matrix: {{a: [1, 2, 3], b: [1, 2, 3]}}}}\n    steps:\n    - run: pip install torch==2.${{{{ matrix.a }}}}.0 torchvision==0.1${{{{ matrix.b }}}}.0\n"))))),
    ("axes of a matrix", 100, |n| one(".github/workflows/a.yml", format!("jobs:\n  j:\n    runs-on: self-hosted\n    strategy:\n      matrix:\n{}    steps:\n    - run: pip install torch==${{{{ matrix.v0 }}}}\n", each(n, |i| format!("        v{i}: [1, 2]\n"))))),
    ("steps", 100, |n| one(".github/workflows/a.yml", format!("jobs:\n  j:\n    runs-on: self-hosted\n    steps:\n{}", each(n, |i| format!("    - run: pip install p{i}\n      env: {{A{i}: 1}}\n"))))),
    ("steps that take in an action", 100, |n| { let mut all = one(".github/workflows/a.yml", format!("jobs:\n  j:\n    runs-on: self-hosted\n    steps:\n{}", each(n, |i| format!("    - uses: ./x\n      with: {{a: p{i}}}\n")))); all.extend(one("x/action.yml", "inputs: {a: {}}\nruns:\n  using: composite\n  steps:\n  - run: pip install ${{ inputs.a }}\n    shell: bash\n".to_owned())); all }),
    ("calls of a workflow", 60, |n| { let mut all = one(".github/workflows/a.yml", format!("jobs:\n{}", each(n, |i| format!("  j{i}:\n    uses: ./.github/workflows/b.yml\n    with: {{a: p{i}}}\n")))); all.extend(one(".github/workflows/b.yml", "on: {workflow_call: {inputs: {a: {}}}}\njobs:\n  j:\n    runs-on: self-hosted\n    steps:\n    - run: pip install ${{ inputs.a }}\n".to_owned())); all }),
    ("jobs of called workflows", 20, |n| { let mut all = one(".github/workflows/a.yml", "jobs:\n  j: {uses: ./.github/workflows/b.yml}\n".to_owned()); all.extend(one(".github/workflows/b.yml", format!("on: workflow_call\njobs:\n{}", each(n, |i| format!("  j{i}:\n    runs-on: self-hosted\n    steps:\n    - run: pip install p{i}\n"))))); all }),
    ("targets of a makefile", 70, |n| one("Makefile", each(n, |i| format!("t{i}: t{}\n\tpip install p{i}\n", i / 2)))),
    ("rules of a makefile's target", 200, |n| one("Makefile", each(n, |i| format!("t:\n\tpip install p{i}\n")))),
    ("variables of a makefile and targets", 60, |n| one("Makefile", format!("{}{}", each(n, |i| format!("A{i} := p{i}\n")), each(n, |i| format!("t{i}:\n\tpip install $(A{i})\n"))))),
    ("jobs of a pipeline", 60, |n| one(".gitlab-ci.yml", each(n, |i| format!("j{i}:\n  tags: [gpu]\n  script: [pip install p{i}]\n")))),
    ("jobs of a pipeline that extend each other", 60, |n| one(".gitlab-ci.yml", each(n, |i| format!("j{i}:\n  extends: j{}\n  tags: [gpu]\n  script: [pip install p{i}]\n", i.max(1) - 1)))),
    ("blocks of a README", 200, |n| { let mut all = one("README.md", each(n, |i| format!("```sh\npip install -r r{i}.txt -f https://h{i}.example/\n```\n"))); all.extend(one("requirements.txt", "x\n".to_owned())); all }),
    ("commands in a README", 1000, |n| one("README.md", format!("```sh\n{}```\n", each(n, |i| format!("pip install p{i}\n"))))),
    ("files that a script writes", 100, |n| one("a.sh", each(n, |i| format!("cat > r{i}.txt <<EOF\np{i}\nEOF\npip install -r r{i}.txt\n")))),
    ("lines of a file that a script writes", 400, |n| one("a.sh", format!("cat > r.txt <<EOF\n{}EOF\npip install -r r.txt\n", each(n, |i| format!("p{i}\n"))))),
    ("triggers of a stage", 100, |n| one("Dockerfile", format!("FROM a AS b\n{}FROM b\nFROM b\n", each(n, |i| format!("ONBUILD RUN pip install p{i}\n"))))),
    ("modules", 300, |n| one("a.sh", format!("module load {}\n{}", each(n, |i| format!("cuda/{i} ")), each(n, |i| format!("module load m{i}\npip install p{i}\n"))))),
    ("items of an array", 1000, |n| one("a.sh", format!("A=({})\npip install \"${{A[@]}}\"\n", each(n, |i| format!("p{i} "))))),
    ("arrays that hold each other", 20, |n| one("a.sh", format!("A0=(x)\n{}pip install \"${{A{n}[@]}}\"\n", each(n, |i| format!("A{}=(\"${{A{i}[@]}}\" p{i})\n", i + 1))))),
    ("services with a file of variables", 60, |n| { let mut all = one("compose.yml", format!("services:\n{}", each(n, |i| format!("  s{i}:\n    image: a:$A{i}\n    env_file: run.env\n")))); all.extend(one(".env", each(n, |i| format!("A{i}=1\n")))); all.extend(one("run.env", each(n, |i| format!("B{i}=1\n")))); all }),
    ("built services with a file of variables", 60, |n| { let mut all = one("compose.yml", format!("services:\n{}", each(n, |i| format!("  s{i}:\n    build: {{context: ., args: {{A: $A{i}}}}}\n")))); all.extend(one(".env", each(n, |i| format!("A{i}=1\n")))); all.extend(one("Dockerfile", "FROM a\nARG A\nRUN pip install $A\n".to_owned())); all }),
    ("pins of conda's configuration", 300, |n| { let mut all = one("Dockerfile", format!("FROM a\nCOPY .condarc /root/.condarc\nRUN conda install {}\n", each(n, |i| format!("p{i} ")))); all.extend(one(".condarc", format!("pinned_packages:\n{}", each(n, |i| format!("- p{i}=1\n"))))); all }),
    ("entries of poetry's lock", 300, |n| one("poetry.lock", each(n, |i| format!("[[package]]\nname = \"p{i}\"\nversion = \"1.{i}\"\noptional = false\n")))),
    ("groups of poetry's lock", 60, |n| one("poetry.lock", each(n, |i| format!("[[package]]\nname = \"p{i}\"\nversion = \"1.{i}\"\noptional = false\ngroups = [\"g{i}\"]\n")))),
    ("environments of pixi's lock", 60, |n| one("pixi.lock", format!("version: 6\nenvironments:\n{}packages: []\n", each(n, |i| format!("  e{i}:\n    packages:\n      linux-64:\n      - conda: https://conda.anaconda.org/conda-forge/linux-64/p{i}-1.0-0.conda\n"))))),
    ("entries of conda-lock", 150, |n| one("conda-lock.yml", format!("version: 1\npackage:\n{}", each(n, |i| format!("- name: p{i}\n  version: 1.{i}\n  manager: conda\n  platform: linux-64\n  url: https://conda.anaconda.org/conda-forge/linux-64/p{i}-1.{i}-0.conda\n"))))),
    ("installs from a lock", 60, |n| { let mut all = one("a.sh", "poetry install\n".repeat(n)); all.extend(one("poetry.lock", each(n, |i| format!("[[package]]\nname = \"p{i}\"\nversion = \"1.{i}\"\noptional = false\n")))); all }),
    ("services", 60, |n| one("compose.yml", format!("services:\n{}", each(n, |i| format!("  s{i}:\n    image: a\n    command: nvidia-smi\n    environment: {{A: 1}}\n"))))),
    ("built services", 200, |n| { let mut all = one("Dockerfile", each(n, |i| format!("FROM a AS s{i}\n"))); all.extend(one("compose.yml", format!("services:\n{}", each(n, |i| format!("  s{i}:\n    build: {{context: ., target: s{i}}}\n"))))); all }),
    ("pods", 70, |n| one("k.yaml", each(n, |i| format!("---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{i}}}\nspec:\n  containers:\n  - name: c{i}\n    image: a\n    command: [nvidia-smi]\n")))),
    ("launches behind variables", 60, |n| one("a.sh", each(n, |i| format!("A{i}=1\ndocker run a nvidia-smi\n")))),
    ("rc files", 70, |n| (0..n).flat_map(|i| [(format!("d{i}/.bashrc"), "export LD_LIBRARY_PATH=/x\n".into()), (format!("d{i}/requirements.txt"), "x\n".to_owned())]).collect()),
    ("exported variables of an rc file", 1000, |n| { let mut all = one(".bashrc", each(n, |i| format!("export A{i}=1\n"))); all.extend(one("requirements.txt", "x\n".to_owned())); all }),
    ("manifests", 100, |n| (0..n).map(|i| (format!("d{i}/requirements.txt"), "x\n".to_owned())).collect()),
    ("required packages", 400, |n| one("requirements.txt", each(n, |i| format!("p{i}==1\n")))),
    ("requirements of one package", 300, |n| one("requirements.txt", each(n, |i| format!("torch>={i}\n")))),
    ("markers", 80, |n| one("requirements.txt", each(n, |i| format!("p{i}; python_version >= \"3.{i}\"\n")))),
    ("terms of a marker", 700, |n| one("requirements.txt", format!("x; {}os_name == \"x\"\n", "python_version > \"3.6\" or ".repeat(n)))),
    ("parts of a specifier", 600, |n| one("requirements.txt", format!("torch>=1{}\n", each(n, |i| format!(",!=1.{i}"))))),
    ("index lines", 2000, |n| one("requirements.txt", format!("{}{TORCH}\n", each(n, |i| format!("--extra-index-url https://h{i}.example/simple\n"))))),
    ("index lines and packages", 600, |n| one("requirements.txt", format!("{}{}", each(n, |i| format!("--extra-index-url https://h{i}.example/simple\n")), each(n, |i| format!("p{i}\n"))))),
    ("constraints", 300, |n| { let mut all = one("requirements.txt", format!("-c c.txt\n{}", each(n, |i| format!("p{i}\n")))); all.extend(one("c.txt", each(n, |i| format!("p{i}==1\n")))); all }),
    ("includes of a chain", 40, |n| (0..n).map(|i| (format!("requirements-{i}.txt"), format!("-r requirements-{}.txt\np{i}\n", i + 1))).collect()),
    ("files that include each other", 100, |n| (0..side(n)).map(|i| (format!("r{i}-requirements.txt"), format!("{}p{i}\n", each(side(n), |k| format!("-r r{k}-requirements.txt\n"))))).collect()),
    ("files that include all of the next ones", 100, |n| (0..side(n)).map(|i| (format!("r{i}-requirements.txt"), format!("{}p{i}\n", each(side(n) - i, |k| format!("-r r{}-requirements.txt\n", i + k + 1))))).collect()),
    ("members of a workspace that require each other", 60, |n| { let mut all = one("pyproject.toml", "[project]\nname = \"x\"\n[tool.uv.workspace]\nmembers = [\"p/*\"]\n".to_owned()); all.extend((0..n).map(|i| (format!("p/m{i}/pyproject.toml"), format!("[project]\nname = \"m{i}\"\ndependencies = [\"{TORCH}\", \"m{k}\", \"m{l}\"]\n[tool.uv.sources]\nm{k} = {{workspace = true}}\nm{l} = {{workspace = true}}\n", k = (i + 1) % n, l = (i + 2) % n)))); all }),
    ("includes of one file", 800, |n| { let mut all = one("requirements.txt", "-r r.txt\n".repeat(n)); all.extend(one("r.txt", "x\n".to_owned())); all }),
    ("missing includes", 1000, |n| one("requirements.txt", each(n, |i| format!("-r r{i}.txt\n")))),
    ("extras that include each other", 100, |n| project("", &format!("[project.optional-dependencies]\n{}", each(n, |i| format!("e{i} = [\"x[e{}]\"]\n", (i + 1) % n))))),
    ("extras", 100, |n| project("", &format!("[project.optional-dependencies]\n{}", each(n, |i| format!("e{i} = [\"x\"]\n"))))),
    ("groups that include each other", 400, |n| project("", &format!("[dependency-groups]\n{}", each(n, |i| format!("g{i} = [{{include-group = \"g{}\"}}]\n", (i + 1) % n))))),
    ("groups that include the next one", 60, |n| project("", &format!("[dependency-groups]\n{}", each(n, |i| format!("g{i} = [\"p{i}\", {{include-group = \"g{}\"}}]\n", i + 1))))),
    ("groups", 100, |n| project("", &format!("[dependency-groups]\n{}", each(n, |i| format!("g{i} = [\"p{i}\"]\n"))))),
    ("groups of poetry", 100, |n| one("pyproject.toml", each(n, |i| format!("[tool.poetry.group.g{i}.dependencies]\np{i} = \"1\"\n")))),
    ("optional groups of poetry", 60, |n| one("pyproject.toml", each(n, |i| format!("[tool.poetry.group.g{i}]\noptional = true\ndependencies = {{p{i} = \"1\"}}\n")))),
    ("extras of poetry", 60, |n| one("pyproject.toml", format!("[tool.poetry.dependencies]\n{}[tool.poetry.extras]\n{}", each(n, |i| format!("p{i} = {{version = \"1\", optional = true}}\n")), each(n, |i| format!("e{i} = [\"p{i}\"]\n"))))),
    ("sources of poetry", 100, |n| one("pyproject.toml", format!("[tool.poetry.dependencies]\n{}{}", each(n, |i| format!("p{i} = {{version = \"1\", source = \"s{i}\"}}\n")), each(n, |i| format!("[[tool.poetry.source]]\nname = \"s{i}\"\nurl = \"https://h{i}.example/simple\"\npriority = \"explicit\"\n"))))),
    ("development groups of pdm", 100, |n| project("", &format!("[tool.pdm.dev-dependencies]\n{}", each(n, |i| format!("g{i} = [\"p{i}\"]\n"))))),
    ("sources of pdm for packages", 100, |n| project(&format!("dependencies = [{}]", each(n, |i| format!("\"p{i}\", "))), &each(n, |i| format!("[[tool.pdm.source]]\nname = \"s{i}\"\nurl = \"https://h{i}.example/simple\"\ninclude_packages = [\"p{i}\", \"q{i}-*\"]\n")))),
    ("environments of hatch", 100, |n| project("dependencies = [\"x\"]", &each(n, |i| format!("[tool.hatch.envs.e{i}]\ndependencies = [\"p{i}\"]\n")))),
    ("features of pixi", 100, |n| one("pixi.toml", format!("[environments]\n{}{}", each(n, |i| format!("e{i} = [\"f{i}\"]\n")), each(n, |i| format!("[feature.f{i}.dependencies]\np{i} = \"1\"\n"))))),
    ("features of an environment of pixi", 100, |n| one("pixi.toml", format!("[environments]\ne = [{}]\n{}", each(n, |i| format!("\"f{i}\", ")), each(n, |i| format!("[feature.f{i}.dependencies]\np{i} = \"1\"\n"))))),
    ("categories of a Pipfile", 100, |n| one("Pipfile", each(n, |i| format!("[c{i}]\np{i} = \"*\"\n")))),
    ("extras of a setup.cfg", 100, |n| one("setup.cfg", format!("[options.extras_require]\n{}", each(n, |i| format!("e{i} =\n    p{i}\n"))))),
    ("extras of a setup.py", 100, |n| one("setup.py", format!("setup(extras_require={{{}}})\n", each(n, |i| format!("'e{i}': ['p{i}'], "))))),
    ("names of a setup.py", 300, |n| one("setup.py", format!("a0 = ['x']\n{}setup(install_requires=a{n})\n", each(n, |i| format!("a{} = a{i} + ['p{i}']\n", i + 1))))),
    ("dependencies of a project", 1000, |n| project(&format!("dependencies = [{}]", each(n, |i| format!("\"p{i}\", "))), "")),
    ("overrides", 500, |n| project(&format!("dependencies = [{}]", each(n, |i| format!("\"p{i}\", "))), &format!("[tool.uv]\noverride-dependencies = [{}]\n", each(n, |i| format!("\"p{i}==1\", "))))),
    ("routes", 400, |n| project(&format!("dependencies = [{}]", each(n, |i| format!("\"p{i}\", "))), &format!("[tool.uv.sources]\n{}", each(n, |i| format!("p{i} = {{index = \"i{i}\"}}\n"))))),
    ("named indexes", 300, |n| project(&format!("dependencies = [{}]", each(n, |i| format!("\"p{i}\", "))), &each(n, |i| format!("[[tool.uv.index]]\nname = \"i{i}\"\nurl = \"https://h{i}.example/\"\n")))),
    ("entries of a lock", 600, |n| one("uv.lock", format!("version = 1\n{}", each(n, |i| format!("[[package]]\nname = \"p{i}\"\nversion = \"1.{i}\"\nsource = {{ registry = \"https://pypi.example/simple\" }}\n"))))),
    ("forks of a lock", 70, |n| one("uv.lock", format!("version = 1\n{}", each(n, |i| format!("[[package]]\nname = \"torch\"\nversion = \"2.{i}\"\nresolution-markers = [\"python_version == '3.{i}'\"]\n"))))),
    ("packages of conda", 500, |n| one("environment.yml", format!("dependencies:\n{}- pip:\n{}", each(n, |i| format!("- p{i}=1\n")), each(n, |i| format!("  - p{i}\n"))))),
    ("channels", 2000, |n| one("environment.yml", format!("channels:\n{}dependencies:\n- pytorch\n", each(n, |i| format!("- c{i}\n"))))),
    ("conda packages of one name", 300, |n| one("a.sh", format!("conda install {}\n", "pytorch ".repeat(n)))),
    ("packages that are there already", 400, |n| one("a.sh", format!("pip install {}\n", each(n, |i| format!("p{i} "))).repeat(2))),
    ("comments that ignore", 100, |n| one("requirements.txt", each(n, |i| format!("p{i} # cudalint: ignore[driver-too-old]\n")))),
    ("comments that ignore in a script", 90, |n| one("a.sh", each(n, |i| format!("pip install p{i} # cudalint: ignore[driver-too-old]\n")))),
    ("comments that ignore in a Dockerfile", 100, |n| one("Dockerfile", format!("FROM a\n{}", each(n, |i| format!("# cudalint: ignore[driver-too-old]\nRUN pip install p{i}\n"))))),
    ("comments that ignore in YAML", 100, |n| one("compose.yml", format!("services:\n{}", each(n, |i| format!("  s{i}: # cudalint: ignore[driver-too-old]\n    image: a\n"))))),
    ("names of a comment that ignores", 3000, |n| one("requirements.txt", format!("{TORCH} # cudalint: ignore[{}]\n", each(n, |i| format!("a{i}, "))))),
    ("findings in a file", 50, |n| one("a.sh", each(n, |i| format!("python -m venv v{i}\nv{i}/bin/pip install {TORCH}\n")))),
    ("findings on a line", 30, |n| one("compose.yml", format!("services: {{{}}}\n", each(n, |i| format!("s{i}: {{image: {GPU_IMAGE}, command: nvidia-smi}}, "))))),
    ("findings at deep places", 300, |n| one("k.yaml", format!("kind: List\nitems:\n{}", each(n, |i| format!("- {{apiVersion: v1, kind: Pod, metadata: {{name: p{i}}}, spec: {{containers: [{{name: c, image: \"{GPU_IMAGE}\"}}]}}}}\n"))))),
    ("substitutions within substitutions", 4000, |n| one("a.sh", format!("x={}echo{}\n", "$(".repeat(n), ")".repeat(n)))),
    ("quoted substitutions within substitutions", 4000, |n| one("a.sh", format!("x={}echo{}\n", "\"$(".repeat(n), ")\"".repeat(n)))),
    ("torn places", 2000, |n| one("a.sh", ")\n".repeat(n))),
    ("torn places of a manifest", 2000, |n| one("requirements.txt", "== x\n".repeat(n))),
    ("torn places of a project", 2000, |n| project("", &"= x\n".repeat(n))),
    ("configurations", 100, |n| (0..n).flat_map(|i| [(format!("d{i}/cudalint.toml"), "[levels]\ndriver-too-old = \"warning\"\n".into()), (format!("d{i}/requirements.txt"), "x\n".to_owned())]).collect()),
    ("hosts of a configuration", 400, |n| { let mut all = one("cudalint.toml", each(n, |i| format!("[[host]]\nname = \"h{i}\"\ndriver = \"470.82.01\"\n[[host.gpu]]\nname = \"RTX 4090\"\n"))); all.extend(one("requirements.txt", format!("{TORCH}\n"))); all }),
    ("mirrors of a configuration", 900, |n| { let mut all = one("cudalint.toml", format!("[mirrors]\n{}", each(n, |i| format!("\"https://m{i}.example/\" = \"pypi\"\n")))); all.extend(one("requirements.txt", format!("-i https://x.example/\n{TORCH}\n"))); all }),
    ("levels by path and findings", 40, |n| { let mut all = one("cudalint.toml", each(n, |i| format!("[[per-path]]\npath = \"d{i}/**\"\n[per-path.levels]\ndriver-too-old = \"warning\"\n"))); all.extend((0..n).map(|i| (format!("d{i}/requirements.txt"), format!("{TORCH}\n")))); all }),
    ("images of a configuration and stages", 60, |n| { let mut all = one("cudalint.toml", format!("[images]\n{}", each(n, |i| format!("\"r{i}.example/*\" = \"{GPU_IMAGE}\"\n")))); all.extend(one("Dockerfile", each(n, |i| format!("FROM x{i}\n")))); all }),
];

/// Lints and prints.
fn report(files: &Files) -> Linter {
    let mut linter = Linter::new(Settings::default());
    linter.host(Origin::Outside, "host.toml", HOST).expect("a host");
    for (path, text) in files {
        linter.set(path, text).expect("no mistakes in a configuration");
    }
    let report = linter.report();
    let part = Part { report: &report, sources: linter.sources(), viewpoint: Viewpoint::default(), skipped: &[] };
    let outcome = Outcome::new(vec![part]);
    for format in [Format::Text(Look { color: false }), Format::Concise(Look { color: false }), Format::Json] {
        outcome.write(format, &mut Vec::new()).expect("memory");
    }
    linter
}

/// How long this thread has computed: a busy machine makes it wait, which is no work.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a time since the start of the thread")
}

#[cfg(not(unix))]
fn computed() -> Duration {
    static BEGIN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGIN.elapsed()
}

fn time(files: &Files) -> Duration {
    let started = computed();
    report(files);
    computed() - started
}

#[test]
fn four_times_as_much_takes_about_four_times_as_long() {
    let mut slow = Vec::new();
    for (name, n, make) in KINDS {
        let (few, many) = (make(*n), make(4 * n));
        let (mut short, mut long) = (Duration::MAX, Duration::MAX);
        // What else runs beside it empties its caches.
        for _ in 0..10 {
            short = short.min(time(&few));
            long = long.min(time(&many));
            if long <= MOST * short.max(FLOOR) {
                break;
            }
        }
        if long > MOST * short.max(FLOOR) {
            slow.push(format!("{name}: {n} take {short:?}, {} take {long:?}", 4 * n));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// More stages than anybody has, all copying from each other: each is known, or nothing is said of what it holds.
#[test]
fn stages_without_end_end() {
    let stage = |i: usize| {
        let copies = each(20, |k| format!("COPY --from=s{} /usr /usr\n", (i * 7 + k * 13) % i.max(1)));
        format!("FROM a AS s{i}\nRUN pip install {TORCH}\n{copies}")
    };
    let started = computed();
    let linter = report(&one("Dockerfile", each(2000, stage)));
    let took = computed() - started;
    assert!(took < Duration::from_secs(30), "{took:?}");
    let steps: Vec<_> = linter.environments().map(|e| e.steps.len()).collect();
    assert_eq!((steps.len(), steps.iter().filter(|n| **n > 0).count()), (2000, 3), "only the first copy from few others");
}
