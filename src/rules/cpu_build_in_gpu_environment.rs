use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Environment};
use crate::knowledge;
use crate::meant;
use crate::platform::Os;

pub(super) static RULE: Rule = Rule {
    name: "cpu-build-in-gpu-environment",
    level: Severity::Warning,
    page: include_str!("../../rules/cpu-build-in-gpu-environment.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // What a stage builds for others may well be built on the CPU.
    if env.platform.os == Os::MacOs || env.thrown_away {
        return;
    }
    let Some(torch) = env.component("torch") else { return };
    // By its tag, or by the index that has no others.
    let chosen = |build: &Build| {
        let index = knowledge::index_by_id(build.index).is_some_and(|index| index.tag == "cpu");
        Some(build.is_cpu() && (index || build.version.local().as_deref() == Some("cpu")))
    };
    let Some(build) = torch.builds.only().or_else(|| torch.builds.today()).filter(|build| chosen(build) == Some(true)) else {
        return;
    };
    let Some(meant) = meant::for_gpu(env) else { return };
    // The GPU may be for another framework, torch only for what surrounds it.
    if meant::for_another_framework(env) {
        return;
    }
    let message = format!("torch {} is a build for the CPU, and the environment is meant for a GPU", build.version);
    let clash = Clash::new(torch.builds.hold(chosen), message, vec![torch.evidence.clone(), meant]);
    let root = knowledge::index_by_id("pytorch/root").map_or("", |index| index.address);
    let of_cuda = knowledge::releases("torch")
        .iter()
        .filter(|row| row.version == build.release.version && row.platforms.meets(env.platform.bits()) && row.cuda().is_some());
    out.push(match of_cuda.into_iter().next_back() {
        Some(row) => clash.help(format!("name the index of a CUDA, like https://{root}/{}", row.tag)),
        None => clash,
    });
}
