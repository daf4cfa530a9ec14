use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Host, Reason, Step};
use crate::knowledge::{Basis, Release};
use crate::outline::Tool;
use crate::platform::{Arch, Libc, Os, Platform};
use crate::version::Version;
use crate::wheels::{self, Wheels};

pub(super) static RULE: Rule = Rule {
    name: "no-wheel-for-platform",
    level: Severity::Error,
    page: include_str!("../../rules/no-wheel-for-platform.md"),
    needs: Needs::Nothing,
    check: Check::OnAnyHost(check),
};

/// Why no wheel fits.
#[derive(PartialEq)]
enum Why {
    /// None is for the operating system and processor.
    System,
    /// None is for musl.
    Musl,
    /// All ask for a newer glibc than there is: the oldest that one does with.
    Glibc((u16, u16)),
    /// The newest asks for it, and an older one comes without a word.
    Older((u16, u16), &'static str),
}

/// An ask that no wheel fits.
struct Lack<'a> {
    ask: &'a Ask,
    why: Why,
    /// `torch==2.1.0`.
    shown: String,
    /// It is one wheel, by its file's name.
    file: bool,
    basis: Basis,
}

fn check(env: &Environment, host: Option<&Host>, out: &mut Out) {
    let platform = &env.platform;
    // Without a host, an image or a job that names it, that the system is Linux on x86-64 is only taken so.
    let told = host.is_some() || env.image.is_some() || platform.os != Os::Linux || platform.arch != Arch::X86_64;
    if !told {
        return;
    }
    for step in env.steps.iter().filter(|step| step.tool != Tool::Conda) {
        let mut lacks: Vec<Lack<'_>> = step.asks.iter().filter_map(|ask| lack(platform, host, step, ask)).collect();
        // What lacks the same is mended together.
        while !lacks.is_empty() {
            let first = lacks.remove(0);
            let others: Vec<Lack<'_>> =
                lacks.extract_if(.., |other| other.why == first.why && other.file == first.file).collect();
            out.push(clash(env, &first, &others));
        }
    }
}

fn lack<'a>(platform: &Platform, host: Option<&Host>, step: &Step, ask: &'a Ask) -> Option<Lack<'a>> {
    let here = platform.bits();
    match wheels::wheels(step, ask)? {
        Wheels::File(wheel) => {
            let why = if platform.libc == Libc::Musl { Why::Musl } else { Why::System };
            let shown = format!("this wheel of {} {}", wheel.name, wheel.version);
            // Who names a file for 64-bit Arm has such a machine: x86-64 is only what is taken where none is named.
            let arm = Platform { arch: Arch::Aarch64, ..platform.clone() };
            let taken = host.is_none() && platform.arch == Arch::X86_64;
            let lacks = wheel.fits_system(platform) == Some(false) && !(taken && wheel.fits_system(&arm) == Some(true));
            lacks.then_some(Lack { ask, why, shown, file: true, basis: Basis::Metadata })
        }
        Wheels::Released { admitted, listed, .. } => {
            let published = admitted.iter().any(|row| row.indexes.contains(&"pypi"));
            let concluded = || Basis::weakest(admitted.iter().map(|row| row.basis)).unwrap_or(Basis::Inferred);
            let basis = if published { Basis::Metadata } else { concluded() };
            let with = |why| Some(Lack { ask, why, shown: format!("{}{}", ask.package, ask.wants), file: false, basis });
            if platform.os == Os::Linux && platform.libc == Libc::Musl {
                return with(Why::Musl);
            }
            let rows: Vec<&Release> = admitted.iter().copied().filter(|row| row.platforms.meets(here)).collect();
            if rows.is_empty() {
                return if listed.meets(here) { with(Why::System) } else { None };
            }
            let rows: Vec<&Release> = rows.into_iter().filter(|row| wheels::fits_python(row, platform)).collect();
            with(by_glibc(&rows, platform.libc)?)
        }
    }
}

/// Whether all of these, or the newest of them, ask for a newer glibc.
fn by_glibc(rows: &[&'static Release], libc: Libc) -> Option<Why> {
    let Libc::Glibc(major, minor) = libc else { return None };
    let needed = |row: &Release| {
        let (major, minor) = row.glibc.split_once('.')?;
        Some((major.parse::<u16>().ok()?, minor.parse::<u16>().ok()?))
    };
    let too_new = |row: &Release| needed(row).is_some_and(|needed| needed > (major, minor));
    let newest = rows.iter().max_by_key(|row| Version::parse(row.version))?;
    let bound = needed(newest).filter(|_| too_new(newest))?;
    let Some(older) = rows.iter().filter(|row| !too_new(row)).max_by_key(|row| Version::parse(row.version)) else {
        return Some(Why::Glibc(rows.iter().filter_map(|row| needed(row)).min().unwrap_or(bound)));
    };
    // Of one version another build may come.
    (older.version != newest.version).then_some(Why::Older(bound, older.version))
}

fn clash(env: &Environment, first: &Lack<'_>, others: &[Lack<'_>]) -> Clash {
    let mut names = vec![first.shown.clone()];
    names.extend(others.iter().take(2).map(|lack| lack.shown.clone()));
    if others.len() > 2 {
        names.push(format!("{} more", others.len() - 2));
    }
    let subject = listed(&names);
    let (has, is, them) = if names.len() == 1 { ("has", "is", "it") } else { ("have", "are", "them") };
    let system = system(&env.platform);
    let (holds, message, help) = match &first.why {
        Why::System if first.file => (
            Holds::Always,
            format!("{subject} {is} not for {system}"),
            format!("name the wheel for {system}, or give the line a marker ({})", marker(&env.platform)),
        ),
        Why::System => (
            Holds::Always,
            format!("{subject} {has} no wheel for {system}"),
            format!("give {them} a marker ({}), or take {them} away", marker(&env.platform)),
        ),
        Why::Musl => (
            Holds::Always,
            format!("{subject} {has} no wheel for musl, the C library of Alpine"),
            "take an image with glibc: python:3.12-slim in the place of python:3.12-alpine".to_owned(),
        ),
        Why::Glibc((major, minor)) => (
            Holds::Always,
            format!("{subject} {has} wheels for glibc {major}.{minor} and newer only, the image has {}", libc(env)),
            "take a newer system, or an older release".to_owned(),
        ),
        Why::Older((major, minor), older) => (
            Holds::Today,
            format!(
                "the newest {subject} is for glibc {major}.{minor} and newer, the image has {}: {older} comes today",
                libc(env)
            ),
            format!("take a newer system, or say that {older} is meant"),
        ),
    };
    let asked = |lack: &Lack<'_>| Evidence {
        reason: Reason::Asked { package: lack.ask.package.clone(), wants: lack.ask.wants.to_string() },
        basis: lack.basis,
        ..lack.ask.evidence.clone()
    };
    let mut links = vec![asked(first)];
    let image = env.image.as_ref().map(|image| Evidence { basis: Basis::Vendor, ..image.evidence.clone() });
    links.extend(image);
    links.extend(others.iter().map(asked));
    Clash::new(holds, message, links).help(help)
}

fn libc(env: &Environment) -> String {
    if let Libc::Glibc(major, minor) = env.platform.libc { format!("{major}.{minor}") } else { String::new() }
}

/// What leaves a platform out.
fn marker(platform: &Platform) -> &'static str {
    if platform.os == Os::Linux { "; platform_machine == \"x86_64\"" } else { "; sys_platform == \"linux\"" }
}

/// `Windows`, `Linux on 64-bit Arm`.
fn system(platform: &Platform) -> &'static str {
    match (platform.os, platform.arch) {
        (Os::Linux, Arch::X86_64) => "Linux on x86-64",
        (Os::Linux, Arch::Aarch64) => "Linux on 64-bit Arm",
        (Os::Windows, _) => "Windows",
        (Os::MacOs, _) => "macOS",
    }
}
