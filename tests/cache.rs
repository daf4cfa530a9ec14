//! The counter test: one keystroke re-reads one file and re-judges exactly the starts that reach it.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

#[test]
fn a_keystroke_judges_only_the_starts_that_reach_it() {
    let mut linter = Linter::new(Settings::default());
    let set = |linter: &mut Linter, path: &str, text: &str| linter.set(path, text).expect("no configuration");
    set(&mut linter, "shared/base.txt", "torch==2.1.0\n");
    for n in 0..50 {
        set(&mut linter, &format!("service{n}/requirements.txt"), "-r ../shared/base.txt\nnumpy\n");
    }
    for n in 0..30 {
        set(&mut linter, &format!("other{n}/requirements.txt"), "torch==2.1.0\n");
    }
    let first = linter.report();
    let all = linter.work();
    // base.txt is ours by link only: the 50 starts that look for it are judged once more when it is read.
    assert_eq!((all.files, all.starts, first.environments), (81, 130, 80));

    linter.report();
    assert_eq!(linter.work(), all, "nothing changed, nothing is done");

    set(&mut linter, "shared/base.txt", "torch==2.1.0\ntorchvision==0.15.2\n");
    let second = linter.report();
    let now = linter.work();
    assert_eq!(now.files - all.files, 1, "one file is read");
    assert_eq!(now.starts - all.starts, 50, "the starts that include it");
    let found: Vec<_> = second.diagnostics.iter().filter(|d| d.rule == "companion-mismatch").collect();
    assert_eq!(found.len(), 1, "one cause is one diagnostic");
    assert_eq!(found[0].environments.len(), 50);

    let mut fresh = Linter::new(Settings::default());
    for (path, text) in linter.sources().iter().map(|(_, p, t)| (p.to_owned(), t.clone())).collect::<Vec<_>>() {
        fresh.set(&path, &text).expect("no configuration");
    }
    assert_eq!(fresh.report().diagnostics, second.diagnostics, "the cache changes no answer");

    // A file that was looked for and comes into being reaches the starts that looked for it.
    set(&mut linter, "lone/requirements.txt", "-r missing.txt\n");
    linter.report();
    let before = linter.work();
    set(&mut linter, "lone/missing.txt", "torch==2.1.0\n");
    linter.report();
    assert_eq!(linter.work().starts - before.starts, 1);
    linter.remove("lone/missing.txt");
    linter.report();
    assert_eq!(linter.work().starts - before.starts, 2);
}
