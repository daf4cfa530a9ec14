//! A newer libcuda in the image, and a driver that is too old for the wheel.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// How grave it is that the driver is too old for a wheel in an image; empty = nothing is said.
fn said(image: &str, wheel: &str, host: &str) -> String {
    let mut linter = Linter::new(Settings { select: vec!["driver-too-old".into()], ..Settings::default() });
    let text = format!("FROM {image}\nRUN apt-get install -y python3-pip && pip install {wheel}\n");
    linter.set("Dockerfile", &text).expect("no configuration");
    linter.host(Origin::CommandLine, "host.toml", host).expect("a host");
    linter.report().diagnostics.iter().map(|d| d.severity.word()).collect::<Vec<_>>().join(" ")
}

#[test]
fn it_stands_in_for_its_major() {
    let v100 = "driver = \"470.182.03\"\n[[gpu]]\nname = \"V100\"\n";
    let desk = "driver = \"470.182.03\"\n[[gpu]]\nname = \"RTX 3090\"\n";
    let cu124 = "torch==2.6.0";
    for (image, host, severity) in [
        ("nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04", v100, "info"),
        // Another minor of the same major runs it, too.
        ("nvidia/cuda:12.1.1-cudnn8-devel-ubuntu22.04", v100, "info"),
        ("nvidia/cuda:12.8.1-cudnn-devel-ubuntu22.04", v100, "info"),
        ("nvidia/cuda:11.8.0-cudnn8-devel-ubuntu22.04", v100, "error"),
        // Not on such a GPU.
        ("nvidia/cuda:12.1.1-cudnn8-devel-ubuntu22.04", desk, "error"),
        ("ubuntu:22.04", v100, "error"),
        // An image that is not known may bring one.
        ("nvidia/cuda:12.99.0-devel-ubuntu22.04", v100, "info"),
        ("nvidia/cuda:12.99.0-devel-ubuntu22.04", desk, "error"),
    ] {
        assert_eq!(said(image, cu124, host), severity, "{image} {host}");
    }
}
