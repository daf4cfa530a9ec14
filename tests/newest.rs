//! What is newest comes only where nothing holds it back, and is told only where the tables know it.

mod rendered;

use cudalint::diagnostic::Severity;
use cudalint::knowledge;
use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;
use cudalint::version::Version;
use rendered::{check, environments};

/// `rule severity` of each finding, for a driver of CUDA 12.4.
fn said(path: &str, text: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    linter.set(path, text).expect("no mistakes");
    linter.host(Origin::CommandLine, "host.toml", "driver = \"550.54.14\"\n").expect("a host");
    let show = |d: &cudalint::diagnostic::Diagnostic| format!("{} {:?}", d.rule, d.severity);
    linter.report().diagnostics.iter().map(show).collect()
}

#[test]
fn another_package_may_bound_torch() {
    let driver = |severity: Severity| vec![format!("driver-too-old {severity:?}")];
    assert_eq!(said("requirements.txt", "torch\n"), driver(Severity::Warning));
    for bounded in ["fastai==2.7.18", "fastai", "autogluon.multimodal==1.1.1", "vllm==0.1.2", "llmcompressor==0.8.1"] {
        assert_eq!(said("requirements.txt", &format!("torch\n{bounded}\n")), [""; 0], "{bounded}");
        assert_eq!(said("requirements.txt", &format!("torch\ntorchvision\n{bounded}\n")), [""; 0], "{bounded}");
        // Every version that is left needs a newer driver.
        assert_eq!(said("requirements.txt", &format!("torch>=2.13\n{bounded}\n")), driver(Severity::Error), "{bounded}");
    }
    // Of these it is known that they do not.
    for free in ["lightning==2.0.0", "timm", "flash-attn", "lightning", "bitsandbytes==0.44.0"] {
        assert_eq!(said("requirements.txt", &format!("torch\n{free}\n")), driver(Severity::Warning), "{free}");
    }
    // A release that the tables have says it exactly.
    check(&[("requirements.txt", "torch\ncolossalai==0.5.0\n")], &["requirements.txt: colossalai 0.5.0 pypi, torch 2.5.1… pypi"]);
    // Nothing is held to what is not looked at.
    assert!(environments(&[("a.sh", "pip install --no-deps torch fastai\n")])[0].contains("torch 2.15.0…"));
}

#[test]
fn a_range_that_ends_among_unlisted_releases() {
    check(&[("requirements.txt", "colossalai>=0.3.0,<=0.4.6\n")], &["requirements.txt: colossalai ?"]);
    assert!(environments(&[("requirements.txt", "vllm>=0.4.3\n")])[0].contains("vllm 0.33.0…"));
    check(
        &[("requirements.txt", "vllm==0.10.2\n")],
        &["requirements.txt: torch 2.8.0 pypi, torchaudio 2.8.0 pypi, torchvision 0.23.0 pypi, vllm 0.10.2 pypi"],
    );
}

#[test]
fn pip_picks_anew_what_a_companion_requires_otherwise() {
    for asks in ["'torch>=2.0' torchvision", "lightning torchvision", "lightning==2.1.4 torchvision", "torchvision"] {
        let text = format!("pip install torch==2.1.2\npip install {asks}\n");
        assert_eq!(said("a.sh", &text), ["driver-too-old Warning"], "{asks}");
        assert!(environments(&[("a.sh", &text)])[0].contains("torch 2.15.0…"), "{asks}");
    }
    // A bound leaves no torch for the newest, so an older companion comes.
    for asks in ["'torch>=2.0,<2.2' torchvision", "torch torchvision==0.16.2", "'torch<3' torchvision==0.16.*"] {
        let text = format!("pip install torch==2.1.2\npip install {asks}\n");
        assert!(environments(&[("a.sh", &text)])[0].contains("torch 2.1.2 "), "{asks}");
    }
    let uv = "uv pip install torch==2.1.2\nuv pip install 'torch>=2.0' torchvision\n";
    assert!(environments(&[("a.sh", uv)])[0].contains("torch 2.1.2 "));
}

#[test]
fn what_is_complete_ends_with_its_newest_row() {
    let known = knowledge::packages().filter_map(|name| Some((name, knowledge::complete_since(name)?)));
    let known: Vec<_> = known.collect();
    assert!(!known.is_empty());
    for (name, since) in known {
        let since = Version::parse(since).expect("a version");
        assert!(knowledge::releases(name).iter().any(|r| Version::parse(r.version) == Some(since.clone())), "{name} {since}");
    }
    for name in ["fastai", "llmcompressor", "unsloth-zoo"] {
        assert!(knowledge::may_bound_torch(name) && knowledge::releases(name).is_empty(), "{name}");
    }
    assert!(!knowledge::may_bound_torch("timm"));
}
