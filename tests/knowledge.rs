//! The tables agree with themselves, with each other, and with values looked up by hand.

use std::collections::HashSet;

use cudalint::knowledge::{self, Basis, Flavour, Found, Kernels, Library, Platforms, Release, Sm};
use cudalint::version::{CudaVersion, DriverVersion, Specifiers, Version};

fn every_release() -> impl Iterator<Item = &'static Release> {
    knowledge::packages().flat_map(knowledge::releases)
}

fn label(r: &Release) -> String {
    format!("{} {}+{} on {:?} for {:?}", r.package, r.version, r.tag, r.indexes, r.platforms)
}

fn brought(r: &Release, library: Library) -> Option<&'static str> {
    r.brings.iter().find(|p| p.library == library).map(|p| p.version)
}

fn conda(r: &Release) -> bool {
    r.package.starts_with("conda:")
}

/// The one build of a release on an index for a platform.
fn build(package: &str, version: &str, index: &str, platform: Platforms) -> &'static Release {
    let mut found = knowledge::releases(package)
        .iter()
        .filter(|r| r.version == version && r.indexes.contains(&index) && r.platforms.meets(platform));
    let first = found.next().unwrap_or_else(|| panic!("no {package} {version} on {index}"));
    assert!(found.next().is_none(), "two builds of {package} {version} on {index}");
    first
}

fn sms(r: &Release) -> Vec<String> {
    match r.kernels {
        Kernels::Known { code, .. } => code.iter().map(|s| format!("{}.{}", s.major, s.minor)).collect(),
        Kernels::Cpu => vec!["cpu".to_owned()],
        Kernels::Unknown => vec!["unknown".to_owned()],
    }
}

fn sm(major: u8, minor: u8) -> Sm {
    Sm { major, minor, exact: false }
}

#[test]
fn packages_and_versions_are_in_order() {
    let names: Vec<_> = knowledge::packages().collect();
    assert!(names.windows(2).all(|w| w[0] < w[1]), "packages are sorted and unique");
    for name in names {
        let rows = knowledge::releases(name);
        assert!(!rows.is_empty() && rows.iter().all(|r| r.package == name), "{name}");
        let versions: Vec<_> =
            rows.iter().map(|r| Version::parse(r.version).unwrap_or_else(|| panic!("{} is no version", label(r)))).collect();
        for (i, pair) in versions.windows(2).enumerate() {
            assert!(pair[0] <= pair[1], "{} comes too late", label(&rows[i]));
        }
    }
}

#[test]
fn one_build_for_one_question() {
    // An index serves one build of a version and tag for a platform.
    let mut seen = HashSet::new();
    for r in every_release() {
        for index in r.indexes {
            for bit in [1, 2, 4, 8].into_iter().filter(|b| r.platforms.0 & b != 0) {
                let tag = if *index == "pypi" { "" } else { r.tag };
                // onnxruntime's feeds and conda channels tell builds apart by other means than a local version.
                let tag = if conda(r) { r.tag } else { tag };
                assert!(seen.insert((r.package, r.version, tag, *index, bit)), "twice: {}", label(r));
            }
        }
    }
}

#[test]
fn every_index_that_a_row_names_exists() {
    for r in every_release() {
        for id in r.indexes {
            assert!(knowledge::index_by_id(id).is_some(), "{} names {id}", label(r));
        }
    }
    assert!(knowledge::indexes().windows(2).all(|w| w[0].id < w[1].id));
    for i in knowledge::indexes().iter().filter(|i| i.tag.starts_with("cu")) {
        assert!(CudaVersion::of_tag(i.tag).is_some(), "{}", i.id);
        assert!(i.complete.is_empty() || i.complete.len() == 10, "{}", i.id);
    }
}

#[test]
fn tags_and_cuda_agree() {
    // The tag of a wheel of flash-attn says more than its CUDA.
    for r in every_release().filter(|r| r.tag.starts_with("cu") && !r.tag.starts_with("cuda-") && r.package != "flash-attn") {
        let tag = CudaVersion::of_tag(r.tag).unwrap_or_else(|| panic!("{}", label(r)));
        assert!(r.kernels != Kernels::Cpu, "{}", label(r));
        if let Some(cuda) = brought(r, Library::Cuda) {
            let cuda = CudaVersion::parse(cuda).unwrap_or_else(|| panic!("{}", label(r)));
            assert_eq!(tag.same_minor(&cuda), Some(true), "{} brings CUDA {cuda}", label(r));
        }
    }
    for r in every_release().filter(|r| r.kernels == Kernels::Cpu) {
        assert!(r.brings.is_empty() && r.needs.is_empty(), "a CPU build needs no library: {}", label(r));
    }
    for r in knowledge::releases("torch").iter().filter(|r| r.tag.starts_with("cu")) {
        assert!(brought(r, Library::Cuda).is_some(), "{}", label(r));
    }
}

#[test]
fn libraries_have_versions() {
    for r in every_release() {
        for part in r.brings.iter().chain(r.needs) {
            assert!(
                part.version.split('.').all(|n| n.parse::<u32>().is_ok()),
                "{}: {:?} {}",
                label(r),
                part.library,
                part.version
            );
        }
        assert!(r.needs.iter().all(|p| p.found != Found::Rpath), "{}: a need is found outside", label(r));
        let mut libraries = HashSet::new();
        assert!(r.brings.iter().all(|p| libraries.insert(p.library)), "{}", label(r));
    }
}

#[test]
fn pythons_and_glibc_are_well_formed() {
    for r in every_release() {
        for python in r.pythons {
            assert!(python.strip_prefix("3.").is_some_and(|m| m.parse::<u32>().is_ok()), "{}: Python {python}", label(r));
        }
        assert!(r.glibc.is_empty() || r.glibc.starts_with("2."), "{}", label(r));
        assert!(r.glibc.is_empty() || !r.platforms.meets(Platforms(12)) || r.platforms == Platforms::ANY, "{}", label(r));
    }
}

/// Name and exact version of `torch==2.1.0; marker`.
fn exact(requirement: &str) -> Option<(&str, &str)> {
    let (name, version) = requirement.split(';').next()?.split_once("==")?;
    Some((name.split('[').next()?.trim(), version.trim())).filter(|(_, v)| !v.contains(['*', ',', '+']))
}

#[test]
fn partners_exist() {
    for r in every_release() {
        for (name, version) in r.requires.iter().filter_map(|q| exact(q)) {
            let wanted = Version::parse(version).unwrap_or_else(|| panic!("{}: {version}", label(r)));
            let rows = knowledge::releases(name);
            // Of some packages we only collect a part.
            if ["torch", "torchvision", "torchaudio", "torchtext", "torchdata", "cuda-toolkit"].contains(&name) {
                assert!(
                    rows.iter().any(|t| Version::parse(t.version) == Some(wanted.clone())),
                    "{} requires {name} {version}, which has no row",
                    label(r)
                );
            }
        }
    }
}

#[test]
fn pins_of_cuda_have_rows() {
    // What a framework brings of CUDA is known by the wheels that it pins.
    for r in every_release() {
        for (name, version) in r.requires.iter().filter_map(|q| exact(q)) {
            let rows = knowledge::releases(name);
            let of_cuda = name.starts_with("nvidia-") && !rows.is_empty();
            let wanted = Version::parse(version);
            assert!(
                !of_cuda || rows.iter().any(|t| Version::parse(t.version) == wanted),
                "{} requires {name} {version}",
                label(r)
            );
        }
    }
}

#[test]
fn a_companion_is_served_where_its_torch_is() {
    for package in ["torchvision", "torchaudio"] {
        for r in knowledge::releases(package).iter().filter(|r| r.tag.starts_with("cu")) {
            let Some((_, torch)) = r.requires.iter().filter_map(|q| exact(q)).find(|(name, _)| *name == "torch") else {
                continue;
            };
            let partner = knowledge::releases("torch").iter().any(|t| {
                t.version == torch
                    && t.tag == r.tag
                    && t.platforms == r.platforms
                    && r.indexes.iter().all(|i| t.indexes.contains(i))
            });
            assert!(partner, "{} has no torch {torch} beside it", label(r));
        }
    }
}

#[test]
fn requirements_parse() {
    for r in every_release() {
        for requirement in r.requires {
            let (head, marker) = requirement.split_once(';').unwrap_or((requirement, ""));
            let at = head.find(['=', '<', '>', '~', '!']).unwrap_or(head.len());
            let name = head[..at].split('[').next().unwrap_or("").trim();
            assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{requirement}");
            assert!(Specifiers::parse(head[at..].trim()).is_ok(), "{}: {requirement}", label(r));
            assert_eq!(marker.matches('"').count() % 2, 0, "{requirement}");
        }
    }
}

#[test]
fn what_may_carry_an_error_has_a_source() {
    let good = |id, basis: Basis, what: String| {
        let text = knowledge::source(id);
        assert!(!text.is_empty(), "{what} has no source");
        match basis {
            Basis::Measured => assert!(text.starts_with("measured: ") || text.contains("moi90/"), "{what}: measured, but {text}"),
            Basis::Metadata => assert!(text.starts_with("pypi:") || text.contains("moi90/"), "{what}: metadata, but {text}"),
            Basis::Vendor => assert!(text.starts_with("https://") || text.contains('@'), "{what}: vendor, but {text}"),
            Basis::Report | Basis::Inferred => {}
        }
    };
    for r in every_release() {
        good(r.source, r.basis, label(r));
        good(r.kernels_source, if r.kernels == Kernels::Unknown { Basis::Inferred } else { r.kernels_basis }, label(r));
    }
    for (_, rows) in knowledge::images() {
        rows.iter().for_each(|i| good(i.source, i.basis, format!("{}:{}", i.repository, i.tag)));
    }
    knowledge::gpus().iter().for_each(|g| good(g.source, g.basis, g.name.to_owned()));
    knowledge::driver_bounds().iter().for_each(|b| good(b.source, b.basis, b.cuda.to_owned()));
    knowledge::toolkits().iter().for_each(|t| good(t.source, t.basis, t.cuda.to_owned()));
}

#[test]
fn images_agree_with_themselves() {
    for (repository, rows) in knowledge::images() {
        let mut tags = HashSet::new();
        for i in *rows {
            let what = format!("{repository}:{}", i.tag);
            assert!(tags.insert(i.tag), "{what} twice");
            if !i.tag.contains('*') {
                let found = knowledge::image(&what).map(|found| (found.repository, found.tag));
                assert_eq!(found, Some((*repository, i.tag)));
            }
            assert!(i.cuda.is_empty() || CudaVersion::parse(i.cuda).is_some(), "{what}");
            assert!(i.driver.is_empty() || DriverVersion::parse(i.driver).is_some(), "{what}");
            assert!(i.flavour != Flavour::Base || i.cudnn.is_empty(), "{what}: base has no cuDNN");
            if i.require_cuda.is_empty() {
                continue;
            }
            let mut terms = i.require_cuda.split(' ');
            let demand = terms.next().and_then(|t| CudaVersion::parse(t.strip_prefix("cuda>=")?)).expect("cuda>= comes first");
            let cuda = CudaVersion::parse(i.cuda).expect("an image with a demand has a CUDA");
            assert_eq!(demand.same_minor(&cuda), Some(true), "{what} demands {demand}");
            for term in terms {
                for condition in term.split(',') {
                    let known = ["brand=", "driver>=", "driver<"]
                        .iter()
                        .any(|k| condition.strip_prefix(k).is_some_and(|v| !v.is_empty()));
                    assert!(known, "{what}: {condition}");
                }
            }
        }
    }
}

#[test]
fn gpus_are_known_to_a_toolkit() {
    assert!(knowledge::gpus().windows(2).all(|w| w[0].name < w[1].name));
    for gpu in knowledge::gpus() {
        assert!(knowledge::toolkits().iter().any(|t| t.sms.contains(&gpu.sm)), "{} has {:?}", gpu.name, gpu.sm);
    }
    // A vendor's name means its own row, or one with the same chip; or it is ambiguous.
    for gpu in knowledge::gpus() {
        assert!(knowledge::gpu(gpu.name).is_none_or(|g| g.sm == gpu.sm), "{}", gpu.name);
    }
    let known = knowledge::gpus().iter().filter(|g| knowledge::gpu(g.name).is_some()).count();
    assert!(known * 100 >= knowledge::gpus().len() * 98, "{known} of {}", knowledge::gpus().len());
}

#[test]
fn drivers_rise_with_cuda() {
    for pair in knowledge::driver_branches().windows(2) {
        assert!(pair[0].branch < pair[1].branch);
        let cuda = |t| CudaVersion::parse(t).expect("a CUDA version");
        assert_eq!(cuda(pair[1].cuda).below(&cuda(pair[0].cuda)), Some(false), "{} reports less", pair[1].branch);
    }
    for bound in knowledge::driver_bounds() {
        for number in [bound.linux, bound.windows] {
            assert!(DriverVersion::parse(number).is_some(), "{}", bound.cuda);
        }
    }
    // The bound of 11 is the exception: 11.0 is looser and stands behind it.
    for pair in knowledge::driver_bounds().windows(2).filter(|p| p[1].cuda != "11.0") {
        let number = |t| DriverVersion::parse(t).expect("a driver");
        assert!(number(pair[0].linux).order(&number(pair[1].linux)).is_lt(), "{}", pair[1].cuda);
    }
    for cuda in ["12.4", "12.8", "13.0"] {
        let branches = knowledge::forward_compat_branches(&CudaVersion::parse(cuda).expect("a CUDA version"));
        assert!(!branches.is_empty() && branches.windows(2).all(|w| w[0] < w[1]), "{cuda}");
    }
}

#[test]
fn default_builds_looked_up_by_hand() {
    // torch, tag and CUDA of the build that PyPI gives on Linux.
    let table = [
        ("1.1.0", "cu90"),
        ("1.2.0", "cu100"),
        ("1.3.1", "cu101"),
        ("1.4.0", "cu101"),
        ("1.5.0", "cu102"),
        ("1.10.1", "cu102"),
        ("1.12.1", "cu102"),
        ("1.13.1", "cu117"),
        ("2.0.1", "cu117"),
        ("2.1.0", "cu121"),
        ("2.4.1", "cu121"),
        ("2.5.1", "cu124"),
        ("2.6.0", "cu124"),
        ("2.7.1", "cu126"),
        ("2.8.0", "cu128"),
        ("2.10.0", "cu128"),
        ("2.11.0", "cu130"),
        ("2.14.1", "cu130"),
        ("2.15.0", "cu132"),
    ];
    for (version, tag) in table {
        assert_eq!(build("torch", version, "pypi", Platforms::LINUX_X86_64).tag, tag, "{version}");
        assert_eq!(sms(build("torch", version, "pypi", Platforms::MACOS)), ["cpu"], "{version} on macOS");
    }
    for version in ["1.7.0", "1.13.1", "2.0.1", "2.8.0", "2.15.0"] {
        assert_eq!(sms(build("torch", version, "pypi", Platforms::WINDOWS_X86_64)), ["cpu"], "{version} on Windows");
    }
    assert_eq!(build("torch", "2.10.0", "pypi", Platforms::LINUX_AARCH64).tag, "cpu");
    assert_eq!(build("torch", "2.11.0", "pypi", Platforms::LINUX_AARCH64).tag, "cu130");
    let of_281 = build("torch", "2.8.0", "pypi", Platforms::LINUX_X86_64);
    assert!(of_281.pythons.contains(&"3.11") && !of_281.pythons.contains(&"3.14"));
    assert_eq!((of_281.glibc, brought(of_281, Library::Cuda)), ("2.28", Some("12.8")));
    assert_eq!(build("torch", "2.6.0", "pypi", Platforms::LINUX_X86_64).glibc, "");
    assert!(!knowledge::releases("torch").iter().any(|r| r.version == "1.8.2" && r.indexes.contains(&"pypi")));
}

#[test]
fn newest_torch_by_python_looked_up_by_hand() {
    let newest = |python: &str, old_glibc: bool| {
        knowledge::releases("torch")
            .iter()
            .rfind(|r| {
                r.indexes.contains(&"pypi")
                    && r.platforms.meets(Platforms::LINUX_X86_64)
                    && r.pythons.contains(&python)
                    && !(old_glibc && r.glibc == "2.28")
            })
            .map(|r| (r.version, brought(r, Library::Cudnn).unwrap_or("")))
    };
    let table = [
        ("3.6", false, ("1.10.2", "7.6.5.32")),
        ("3.7", false, ("1.13.1", "8.5.0.96")),
        ("3.8", false, ("2.4.1", "9.1.0.70")),
        ("3.9", false, ("2.8.0", "9.10.2.21")),
        ("3.10", false, ("2.14.1", "9.24.0.43")),
        ("3.11", false, ("2.15.0", "9.26.0.51")),
        ("3.13", false, ("2.15.0", "9.26.0.51")),
        ("3.11", true, ("2.6.0", "9.1.0.70")),
    ];
    for (python, old_glibc, found) in table {
        assert_eq!(newest(python, old_glibc), Some(found), "Python {python}");
    }
}

#[test]
fn machine_code_looked_up_by_hand() {
    let code = |version, index, sm| match build("torch", version, index, Platforms::LINUX_X86_64).kernels {
        Kernels::Known { code, .. } => code.contains(&sm),
        _ => panic!("kernels of {version} are known"),
    };
    // V100 under cu128: only 2.8 to 2.10 have it.
    assert!(code("2.8.0", "pytorch/cu128", sm(7, 0)) && code("2.10.0", "pytorch/cu128", sm(7, 0)));
    assert!(!code("2.7.1", "pytorch/cu128", sm(7, 0)) && !code("2.11.0", "pytorch/cu128", sm(7, 0)));
    assert!(!code("2.9.1", "pytorch/cu130", sm(7, 0)));
    // A100 under the old default, Pascal's last home, RTX 50.
    assert_eq!(sms(build("torch", "1.10.1", "pypi", Platforms::LINUX_X86_64)), ["3.7", "5.0", "6.0", "7.0"]);
    assert!(code("2.14.1", "pytorch/cu126", sm(6, 0)) && !code("2.8.0", "pypi", sm(6, 0)));
    assert!(code("2.7.0", "pytorch/cu128", sm(12, 0)) && !code("2.7.0", "pypi", sm(12, 0)) && !code("2.6.0", "pypi", sm(12, 0)));
    assert!(code("2.1.0", "pytorch/cu118", sm(3, 7)) && !code("2.1.0", "pytorch/cu118", sm(3, 5)));
    // PTX: seen in 2.7 cu128, absent in the measured defaults, an open question for a cu130 that nobody opened.
    let ptx = |version, index, platform| match build("torch", version, index, platform).kernels {
        Kernels::Known { ptx, ptx_unknown, .. } => (ptx.first().copied(), ptx_unknown),
        _ => panic!("kernels of {version} are known"),
    };
    assert_eq!(ptx("2.7.1", "pytorch/cu128", Platforms::LINUX_X86_64), (Some(sm(12, 0)), false));
    assert_eq!(ptx("2.8.0", "pypi", Platforms::LINUX_X86_64), (None, false));
    assert_eq!(ptx("2.9.1", "pytorch/cu130", Platforms::LINUX_X86_64), (None, true));
    assert_eq!(ptx("2.1.0", "pytorch/cu118", Platforms::WINDOWS_X86_64), (Some(sm(3, 7)), false));
}

#[test]
fn corrections_of_common_errors_looked_up_by_hand() {
    let cudnn = |version, index| brought(build("torch", version, index, Platforms::LINUX_X86_64), Library::Cudnn);
    assert_eq!(cudnn("2.0.1", "pytorch/cu118"), Some("8.7.0.84"), "not 8.6");
    assert_eq!(cudnn("1.12.1", "pytorch/cu113"), Some("8.3.2.44"), "not 8.2.1");
    assert_eq!(cudnn("2.2.1", "pytorch/cu121"), Some("8.9.2.26"));
    // cu121 is stable and ends with 2.5.1; cu118 goes from 2.0.0 to 2.7.1.
    let line = |index: &str| {
        let versions: Vec<_> =
            knowledge::releases("torch").iter().filter(|r| r.indexes.contains(&index)).map(|r| r.version).collect();
        (versions[0], versions[versions.len() - 1])
    };
    assert_eq!(line("pytorch/cu121"), ("2.1.0", "2.5.1"));
    assert_eq!(line("pytorch/cu118"), ("2.0.0", "2.7.1"));
    assert_eq!(line("pytorch/cu124"), ("2.4.0", "2.6.0"));
    assert_eq!(line("pytorch/cu117"), ("1.13.0", "2.0.1"));
    // No cudatoolkit 12, no pytorch of the channel after 2.5.1.
    assert!(knowledge::releases("conda:cudatoolkit").iter().all(|r| !r.version.starts_with("12")));
    let channel = knowledge::releases("conda:pytorch").iter().rfind(|r| r.indexes.contains(&"conda/pytorch"));
    assert_eq!(channel.map(|r| r.version), Some("2.5.1"));
    // One version of onnxruntime-gpu, two feeds, two CUDA majors.
    let needs = |index| build("onnxruntime-gpu", "1.17.1", index, Platforms::LINUX_X86_64).needs[0].version;
    assert_eq!((needs("pypi"), needs("ort/cuda-12")), ("11", "12"));
    // ctranslate2 changed its cuDNN with 4.5.
    let cudnn = |v| build("ctranslate2", v, "pypi", Platforms::LINUX_X86_64).needs.iter().find(|p| p.library == Library::Cudnn);
    assert_eq!(cudnn("4.4.0").map(|p| p.version), Some("8"));
    assert_eq!(cudnn("4.5.0").map(|p| p.version), Some("9"));
    // Published pins.
    let pins =
        |v: &str, pin: &str| build("torch", v, "pypi", Platforms::LINUX_X86_64).requires.iter().any(|r| r.starts_with(pin));
    assert!(pins("2.7.0", "nvidia-cudnn-cu12==9.5.1.17;") && pins("2.5.1", "nvidia-cuda-runtime-cu12==12.4.127;"));
    assert!(pins("2.11.0", "cuda-toolkit[") && pins("2.12.0", "nvidia-cublas<=13.1.1.3,>=13.1.0.3;"));
    let index_pins = build("torch", "2.6.0", "pytorch/cu118", Platforms::LINUX_X86_64).requires;
    assert!(index_pins.iter().any(|r| r.starts_with("nvidia-cudnn-cu11==9.1.0.70;")));
    // The broken pins that PyPI once had; torchaudio 2.11.0 declares none.
    assert_eq!(build("torchvision", "0.15.0", "pypi", Platforms::LINUX_X86_64).requires, ["torch==2.0.0+cu117"]);
    assert_eq!(build("torchvision", "0.16.0", "pytorch/cu118", Platforms::LINUX_X86_64).requires, ["torch==2.1.0"]);
    assert!(build("torchaudio", "2.11.0", "pypi", Platforms::LINUX_X86_64).requires.is_empty());
}

proptest::proptest! {
    #[test]
    fn any_text_is_answered(text in ".{0,200}", url in "(https?://)?[a-z.@:%/+\u{e9}-]{0,80}", tag in "[a-z0-9*:@/._-]{0,60}") {
        for question in [&text, &url, &tag] {
            let _ = knowledge::gpu(question);
            let _ = knowledge::image(question);
            let _ = knowledge::index(question);
            let _ = knowledge::system_package(question);
            let _ = knowledge::releases(question);
        }
    }
}

#[test]
fn cuda_packages_of_conda_looked_up_by_hand() {
    let part = |package, version, library| {
        let rows = knowledge::releases(package);
        rows.iter().find(|r| r.version == version).and_then(|r| brought(r, library))
    };
    assert_eq!(part("conda:cuda-toolkit", "12.4.1", Library::Cuda), Some("12.4"));
    assert_eq!(part("conda:cuda-cudart", "12.1.105", Library::Cuda), Some("12.1"));
    assert_eq!(part("conda:cuda-cudart", "12.1.105", Library::Cublas), None, "libcudart and nothing else");
    assert_eq!(part("conda:cudatoolkit", "11.8.0", Library::Cublas), Some("11"));
    // Both bring no library.
    assert!(knowledge::releases("conda:cuda-version").is_empty() && knowledge::releases("conda:cuda-nvcc").is_empty());
    // The CUDA of a release is the first two numbers of its version, for each package that is CUDA itself.
    for package in [
        "conda:cuda",
        "conda:cuda-cudart",
        "conda:cuda-libraries",
        "conda:cuda-runtime",
        "conda:cuda-toolkit",
        "conda:cudatoolkit",
        "conda:pytorch-cuda",
    ] {
        for r in knowledge::releases(package) {
            let brought = brought(r, Library::Cuda).and_then(CudaVersion::parse).expect("it is CUDA");
            let own = CudaVersion::parse(r.version).expect("a CUDA version");
            assert_eq!(brought.same_minor(&own), Some(true), "{package} {}", r.version);
        }
    }
}

#[test]
fn images_of_vllm_ask_what_their_base_asks() {
    let (_, rows) = knowledge::images().iter().find(|(repository, _)| *repository == "vllm/vllm-openai").expect("its rows");
    let bases = knowledge::images().iter().find(|(repository, _)| *repository == "nvidia/cuda").expect("its rows").1;
    for row in rows.iter().filter(|r| matches!(r.basis, Basis::Vendor | Basis::Inferred) && !r.cuda.is_empty()) {
        assert!(
            bases.iter().any(|b| b.require_cuda == row.require_cuda && b.cuda.starts_with(row.cuda.get(..4).unwrap_or(row.cuda))),
            "{}",
            row.tag
        );
        assert!(knowledge::source(row.source).starts_with(&format!("vllm-project/vllm@{}:", row.tag)), "{}", row.tag);
    }
}

#[test]
fn no_source_is_a_moving_branch() {
    let sources = (0..=u16::MAX).map(knowledge::source).take_while(|s| !s.is_empty());
    let mut seen = 0;
    for source in sources.filter(|s| !s.starts_with("https://") && !s.starts_with("measured: ")) {
        let moving = ["@main:", "@master:", "@HEAD:", "@nightly:"].iter().any(|branch| source.contains(branch));
        assert!(!moving, "{source}");
        seen += 1;
    }
    assert!(seen > 100, "{seen} sources");
}

#[test]
fn gpu_names_looked_up_by_hand() {
    let table = [
        ("NVIDIA GeForce GTX 980 Ti", (5, 2)),
        ("GeForce GTX 1050 Ti", (6, 1)),
        ("NVIDIA GeForce GTX 1080 Ti", (6, 1)),
        ("NVIDIA TITAN Xp", (6, 1)),
        ("TITAN V", (7, 0)),
        ("NVIDIA TITAN RTX", (7, 5)),
        ("NVIDIA GeForce GTX 1650", (7, 5)),
        ("NVIDIA GeForce RTX 2060 SUPER", (7, 5)),
        ("NVIDIA GeForce RTX 2080 Ti", (7, 5)),
        ("Quadro RTX 8000", (7, 5)),
        ("NVIDIA GeForce RTX 3050 Laptop GPU", (8, 6)),
        ("NVIDIA GeForce RTX 3060", (8, 6)),
        ("NVIDIA GeForce RTX 3090 Ti", (8, 6)),
        ("NVIDIA RTX A6000", (8, 6)),
        ("NVIDIA GeForce RTX 4060 Ti", (8, 9)),
        ("NVIDIA GeForce RTX 4090", (8, 9)),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", (8, 9)),
        ("NVIDIA RTX 6000 Ada Generation", (8, 9)),
        ("NVIDIA GeForce RTX 5060 Ti", (12, 0)),
        ("NVIDIA GeForce RTX 5090", (12, 0)),
        ("NVIDIA GeForce RTX 5090 Laptop GPU", (12, 0)),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", (12, 0)),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", (12, 0)),
        ("Tesla K80", (3, 7)),
        ("Tesla M60", (5, 2)),
        ("Tesla P100-PCIE-16GB", (6, 0)),
        ("Tesla P100-SXM2-16GB", (6, 0)),
        ("Tesla P40", (6, 1)),
        ("Tesla V100-SXM2-32GB", (7, 0)),
        ("Tesla V100-PCIE-16GB", (7, 0)),
        ("Tesla T4", (7, 5)),
        ("NVIDIA A100-SXM4-40GB", (8, 0)),
        ("NVIDIA A100-SXM4-80GB", (8, 0)),
        ("NVIDIA A100 80GB PCIe", (8, 0)),
        ("NVIDIA A100-PCIE-40GB", (8, 0)),
        ("NVIDIA A10", (8, 6)),
        ("NVIDIA A10G", (8, 6)),
        ("NVIDIA A40", (8, 6)),
        ("NVIDIA L4", (8, 9)),
        ("NVIDIA L40S", (8, 9)),
        ("NVIDIA H100 80GB HBM3", (9, 0)),
        ("NVIDIA H100 PCIe", (9, 0)),
        ("NVIDIA H100 NVL", (9, 0)),
        ("NVIDIA H200", (9, 0)),
        ("NVIDIA GH200 480GB", (9, 0)),
        ("NVIDIA B200", (10, 0)),
        ("NVIDIA GB200", (10, 0)),
        ("NVIDIA GB300", (10, 3)),
        ("NVIDIA GB10", (12, 1)),
    ];
    for (name, sm) in table {
        assert_eq!(knowledge::gpu(name).map(|g| (g.sm.major, g.sm.minor)), Some(sm), "{name}");
    }
    for none in [
        "",
        "GPU",
        "NVIDIA",
        "GeForce",
        "RTX",
        "NVIDIA GeForce RTX 9999",
        "AMD Instinct MI300X",
        "Intel Arc A770",
        "a100x\u{0}",
        "A",
    ] {
        assert!(knowledge::gpu(none).is_none(), "{none}");
    }
}

/// By hand from NVIDIA's minor version compatibility page and the release notes, tables 2 and 3.
#[test]
fn driver_bounds_by_hand() {
    for (cuda, linux, windows, disputed) in [
        ("10.2", "440.33", "441.22", ""),
        ("11.0", "450.36.06", "451.22", ""),
        ("11.1", "450.80.02", "452.39", ""),
        ("11.8", "450.80.02", "452.39", ""),
        ("12.0", "525.60.13", "527.41", "528.33"),
        ("12.9", "525.60.13", "527.41", "528.33"),
        ("13.0", "580.65.06", "580", ""),
        ("13.5", "580.65.06", "580", ""),
    ] {
        let row = knowledge::driver_bound(&CudaVersion::parse(cuda).expect("a version")).expect(cuda);
        assert_eq!((row.linux, row.windows, row.windows_disputed), (linux, windows, disputed), "CUDA {cuda}");
    }
}
