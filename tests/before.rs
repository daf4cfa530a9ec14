//! What may be there before a manifest is installed: what it leaves open is then not known, what it pins comes all the same.

mod rendered;

use rendered::environments;

const CU118: &str = "https://download.pytorch.org/whl/cu118";

fn with_page(page: &str, requirements: &str) -> String {
    let readme = format!("# x\n{page}\n");
    environments(&[("README.md", readme.as_str()), ("requirements.txt", requirements)]).join("; ")
}

#[test]
fn a_page_tells_what_to_install_first() {
    let bash = |lines: &str| format!("```bash\n{lines}\n```");
    let cu118 = format!("pip install torch --index-url {CU118}");
    for (page, requirements, want) in [
        (bash(&format!("{cu118}\npip install -r requirements.txt")), "torch\n", "requirements.txt: torch ?"),
        // In two blocks, with a prompt, in the midst of a line.
        (
            format!("{}\nand\n{}", bash(&format!("$ {cu118}")), bash("$ pip install -r requirements.txt")),
            "torch>=2.0\n",
            "requirements.txt: torch ?",
        ),
        (format!("First `{cu118}`, then `pip install -r requirements.txt`."), "torch\n", "requirements.txt: torch ?"),
        // What others require stays, too.
        (
            bash("pip install torch==2.4.1\npip install -r requirements.txt"),
            "bitsandbytes\n",
            "requirements.txt: bitsandbytes 0.50.2… pypi, torch ?",
        ),
        (
            bash("conda install pytorch pytorch-cuda=11.8 -c pytorch -c nvidia\npip install -r requirements.txt"),
            "torch>=1.13\n",
            "requirements.txt: torch ?",
        ),
        // Alternatives: any of them.
        (
            bash(&format!("# CPU\npip install torch==1.13.1\n# GPU\n{cu118}\npip install -r requirements.txt")),
            "torch>=2.0\n",
            "requirements.txt: torch ?",
        ),
        // The pinned version itself is there already.
        (
            bash(&format!("{cu118}\npip install torch==2.4.1 -i {CU118}\npip install -r requirements.txt")),
            "torch==2.4.1\n",
            "requirements.txt: torch ?",
        ),
        // Another one takes its place.
        (bash(&format!("{cu118}\npip install -r requirements.txt")), "torch==2.4.1\n", "requirements.txt: torch 2.4.1 pypi"),
        (
            bash("pip install torch==1.13.1\npip install -r requirements.txt"),
            "torch>=2.0\n",
            "requirements.txt: torch 2.15.0… pypi",
        ),
        // What is chosen by nobody comes to the same; what comes behind is not there yet; a new environment begins anew.
        (bash("pip install torch\npip install -r requirements.txt"), "torch\n", "requirements.txt: torch 2.15.0… pypi"),
        (bash(&format!("pip install -r requirements.txt\n{cu118}")), "torch\n", "requirements.txt: torch 2.15.0… pypi"),
        // What reads the file itself is no other installation.
        (
            bash("pip install -r requirements.txt\npip install -r requirements.txt"),
            "torch==2.4.1\n",
            "requirements.txt: torch 2.4.1 pypi",
        ),
    ] {
        assert_eq!(with_page(&page, requirements), want, "{page}\n{requirements}");
    }
}
