//! The same script in other words.

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// Everything in a function that is called at the end.
pub(crate) fn in_function(written: &Written) -> Option<Written> {
    commands(written, |first, rest| {
        let mut out = first.to_vec();
        out.push(Line::new("main() {"));
        out.extend(rest.iter().map(|line| line.with(format!("  {}", line.text))));
        out.extend([Line::new("}"), Line::new("main \"$@\"")]);
        out
    })
}

/// All commands on one line.
pub(crate) fn on_one_line(written: &Written) -> Option<Written> {
    commands(written, |first, rest| {
        let texts: Vec<_> = rest.iter().map(|line| line.text.as_str()).collect();
        let of = rest.iter().flat_map(|line| line.of.iter().cloned()).collect();
        let mut out = first.to_vec();
        out.push(Line { text: texts.join(" && "), of });
        out
    })
}

/// In braces, all of whose output goes to a log.
pub(crate) fn logged(written: &Written) -> Option<Written> {
    commands(written, |first, rest| {
        let each = rest.iter().map(|line| line.with(format!("{} 2>&1 | tee -a log.txt", line.text)));
        // What a pipe runs is a shell of its own: variables and folders of it are lost.
        let sets = |line: &Line| {
            let first = line.text.split(' ').next().unwrap_or_default();
            matches!(first, "export" | "module" | "cd" | "source" | ".") || first.contains('=') || line.text.contains("activate")
        };
        let alone = !rest.iter().any(sets);
        if alone { first.iter().cloned().chain(each).collect() } else { [first, rest].concat() }
    })
}

/// With what people write at the top of a script.
pub(crate) fn strict(written: &Written) -> Option<Written> {
    commands(written, |first, rest| {
        let top = ["set -euo pipefail", "cd \"$(dirname \"$0\")\"", "echo \"installing\""];
        first.iter().cloned().chain(top.map(Line::new)).chain(rest.iter().cloned()).collect()
    })
}

/// Scripts of plain commands, one a line: the first line that names a shell, and the rest.
fn commands(written: &Written, f: impl Fn(&[Line], &[Line]) -> Vec<Line>) -> Option<Written> {
    written.each_file(|kind, path, lines| {
        let plain = |line: &Line| {
            let text = line.text.as_str();
            !text.is_empty()
                && !text.starts_with(' ')
                && !text.contains('#')
                && !text.ends_with('\\')
                && !text.starts_with("set ")
        };
        let first = lines.iter().take_while(|line| line.text.starts_with('#') || line.text.starts_with("set ")).count();
        let (first, rest) = lines.split_at(first);
        // A script in a folder would go there first.
        let ready = kind == Kind::Script && !path.contains('/') && !rest.is_empty() && rest.iter().all(plain);
        ready.then(|| f(first, rest))
    })
}
