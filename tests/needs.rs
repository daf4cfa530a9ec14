//! What the closing lines say that starts need of a machine.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// `start driver oldest-newest` of each line.
fn needs(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let told = |text: &Option<String>| text.clone().unwrap_or_default();
    let report = linter.report();
    report.needs.iter().map(|n| format!("{} {} {}-{}", n.environment, told(&n.driver), told(&n.sm), told(&n.newest_sm))).collect()
}

#[test]
fn code_without_ptx_ends_at_a_chip() {
    let index = |tag: &str, version: &str| format!("--index-url https://download.pytorch.org/whl/{tag}\ntorch=={version}\n");
    assert_eq!(needs(&[("requirements.txt", &index("cu121", "2.3.1"))]), ["requirements.txt 525.60.13 5.0-9.0"]);
    // PTX goes on.
    assert_eq!(needs(&[("requirements.txt", &index("cu128", "2.7.1"))]), ["requirements.txt 525.60.13 7.5-"]);
}

#[test]
fn each_build_says_what_it_needs() {
    let dockerfile = "FROM python:3.11\nARG CU=cu118\nRUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/${CU}\n\
                      CMD [\"python\", \"-c\", \"import torch; torch.ones(1).cuda()\"]\n";
    let bake = |other: &str| {
        format!(
            "group \"default\" {{ targets = [\"a\", \"b\"] }}\ntarget \"a\" {{\n  args = {{ CU = \"cu118\", X = \"1\" }}\n}}\n\
             target \"b\" {{\n  args = {{ CU = \"{other}\" }}\n}}\n"
        )
    };
    let both = needs(&[("Dockerfile", dockerfile), ("docker-bake.hcl", &bake("cu128"))]);
    assert!(both.len() == 2 && both[1].starts_with("Dockerfile?build 2 525.60.13 7.5"), "{both:?}");
    // What is the same is said once.
    assert_eq!(needs(&[("Dockerfile", dockerfile), ("docker-bake.hcl", &bake("cu118"))]).len(), 1);
}
