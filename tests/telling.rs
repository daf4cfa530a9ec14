//! A test whose arms change what is installed is looked at both ways, however far the way from its arms to the install is.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// How many different sets of packages a script may install.
fn outcomes(script: &str) -> usize {
    let mut linter = Linter::new(Settings::default());
    linter.set("a.sh", script).expect("no configuration");
    linter.report();
    let asked = |env: &cudalint::environment::Environment| {
        let asks = env.steps.iter().flat_map(|step| &step.asks);
        asks.map(|ask| format!("{}{}", ask.package, ask.wants)).collect::<Vec<_>>()
    };
    linter.environments().map(asked).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn tests_that_tell_are_looked_at_both_ways() {
    for (script, tells) in [
        ("pip install torch\nif [ -f a ]; then B=1; echo; fi\n", false),
        ("if [ -f a ]; then pip install torch; fi\n", true),
        ("V=1\nif [ -f a ]; then V=2; fi\npip install torch==$V\n", true),
        ("if [ -f a ]; then X=2; else X=1; fi\nY=$X\nZ=2.$Y\npip install torch==$Z\n", true),
        ("X=0\nif [ -f a ]; then X=1; fi\nif [ \"$X\" = 1 ]; then pip install torch; fi\n", true),
        ("if [ -f a ]; then exit 1; fi\npip install torch\n", true),
        ("(if [ -f a ]; then exit 1; fi\npip install torch)\npip install numpy\n", true),
        ("f() { if [ -f a ]; then return; fi; pip install torch; }\nf\npip install numpy\n", true),
    ] {
        assert_eq!(outcomes(script) > 1, tells, "{script}");
    }
}
