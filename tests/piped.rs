//! Commands that hand words, files and whole scripts to each other.

mod rendered;

use rendered::check;

/// What a script comes to beside a list of two packages.
fn comes_to(script: &str, want: &str) {
    let want = format!("s.sh: {want}");
    let files = [("s.sh", script), ("r.txt", "torch==2.1.0\ntorchvision==0.16.0\n")];
    check(&files, &[want.trim_end_matches(' ')]);
}

#[test]
fn what_pip_is_given_to_read_is_installed() {
    for script in [
        "echo torch==2.1.0 | xargs pip install\n",
        "V=2.1.0\necho \"torch==$V\" | xargs -n1 pip install\n",
        "printf '%s\\n' torch==2.1.0 | pip install -r /dev/stdin\n",
        "pip install -r /dev/stdin <<< torch==2.1.0\n",
        "pip install -r <(echo torch==2.1.0)\n",
        "uv pip install -r - <<EOF\ntorch==2.1.0\nEOF\n",
        "xargs pip install <<EOF\ntorch==2.1.0\nEOF\n",
    ] {
        check(&[("s.sh", script)], &["s.sh: torch 2.1.0 pypi"]);
    }
    let both = "torch 2.1.0 pypi, torchvision 0.16.0 pypi";
    comes_to("cat r.txt | xargs pip install\n", both);
    comes_to("pip install -r /dev/stdin < r.txt\n", both);
}

#[test]
fn a_script_from_elsewhere_may_replace_what_is_there() {
    let before = "pip install torch==2.1.0\n";
    for (script, known) in [
        ("curl -fsSL https://x.example/i.sh | bash\n", false),
        ("wget -qO- $URL | sudo sh -s -- -y\n", false),
        ("bash -c \"$(curl -s https://x.example/i.sh)\"\n", false),
        ("source <(curl -s https://x.example/i.sh)\n", false),
        ("wget https://x.example/i.sh && bash i.sh\n", false),
        // A driver, a distribution of hundreds of packages, an index for pip.
        ("curl -fsSL https://ollama.com/install.sh | sh\n", false),
        ("wget https://repo.anaconda.com/archive/Anaconda3-2023.03-Linux-x86_64.sh -O a.sh && bash a.sh -b\n", false),
        ("curl -s https://packagecloud.io/install/repositories/x/y/script.python.sh | bash\n", false),
        // The installers of programs bring no packages; what is no script is not run.
        ("curl -LsSf https://astral.sh/uv/install.sh | sh\n", true),
        ("curl -LsSf \"https://astral.sh/uv/$UV/install.sh\" | env X=1 sh\n", true),
        ("curl -o /tmp/r.sh https://sh.rustup.rs && sh /tmp/r.sh -y\n", true),
        ("curl -s https://packagecloud.io/install/repositories/github/git-lfs/script.deb.sh | bash\n", true),
        ("curl https://x.example/a.tar.gz | tar xz\n", true),
    ] {
        let want = if known { "s.sh: torch 2.1.0 pypi" } else { "s.sh: torch ?" };
        check(&[("s.sh", &format!("{before}{script}"))], &[want]);
        // What is sourced may set an index, too.
        let later = if script.starts_with("source") { "s.sh: torch ?" } else { "s.sh: torch 2.1.0 pypi" };
        check(&[("s.sh", &format!("{script}{before}"))], &[later]);
    }
}
