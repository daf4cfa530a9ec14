//! Which arm of a branch is taken where all that its test asks is known: `[ "$VARIANT" = gpu ]` under `ARG VARIANT=cpu`.

use super::questions::{ELIF, cases, parts, value_alone};

/// A test longer than this may go on where its text was cut.
const LONGEST: usize = 256;
/// Tests in tests in tests.
const DEEPEST: usize = 6;

/// The arm of a test; `value` is what a variable (`$X`) or a command (`$(uname -m)`) comes to.
pub(super) fn taken(test: &str, value: &impl Fn(&str) -> Option<String>) -> Option<u32> {
    if test.len() >= LONGEST {
        return None;
    }
    // Arm 0 changed places with this one.
    let (test, swapped) = match test.rsplit_once(" …") {
        Some((test, "")) => (test, 1),
        Some((test, arm)) => (test, arm.parse().ok()?),
        None => (test, 0),
    };
    let arm = match cases(test) {
        Some((subject, patterns)) => {
            let value = value(&bare(subject)?)?;
            first(patterns.into_iter().map(|pattern| any(pattern.split('|').map(|one| fits(one.trim(), &value)))))?
        }
        None => first(test.split(ELIF).map(|test| holds(test, value, 0)))?,
    };
    Some(match arm {
        0 => swapped,
        arm if arm == swapped => 0,
        arm => arm,
    })
}

/// The number of the first that holds, or of the one behind the last.
fn first(answers: impl Iterator<Item = Option<bool>>) -> Option<u32> {
    let mut arm = 0;
    for answer in answers {
        if answer? {
            break;
        }
        arm += 1;
    }
    Some(arm)
}

fn any(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    answers.try_fold(false, |any, answer| answer.map(|answer| any || answer))
}

fn all(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    answers.try_fold(true, |all, answer| answer.map(|answer| all && answer))
}

fn holds(test: &str, value: &impl Fn(&str) -> Option<String>, depth: usize) -> Option<bool> {
    let test = test.trim();
    if depth > DEEPEST {
        return None;
    }
    let inner = |test: &str| holds(test, value, depth + 1);
    // Both in one test are not taken apart.
    match (split(test, "||"), split(test, "&&")) {
        (either, both) if either.len() > 1 && both.len() == 1 => return any(either.into_iter().map(inner)),
        (either, both) if both.len() > 1 && either.len() == 1 => return all(both.into_iter().map(inner)),
        (either, both) if either.len() == 1 && both.len() == 1 => {}
        _ => return None,
    }
    if let Some(rest) = test.strip_prefix("! ") {
        return inner(rest).map(|holds| !holds);
    }
    let brackets = [("[[ ", " ]]"), ("[ ", " ]"), ("test ", "")];
    let (inside, double) = brackets.iter().find_map(|(open, close)| {
        let inside = test.strip_prefix(open)?.strip_suffix(close)?;
        Some((inside, *open == "[[ "))
    })?;
    compound(inside, double, value)
}

/// What stands between the brackets of a test.
fn compound(inside: &str, double: bool, value: &impl Fn(&str) -> Option<String>) -> Option<bool> {
    let (or, and) = if double { (" || ", " && ") } else { (" -o ", " -a ") };
    if inside.contains(['(', ')']) && !inside.contains("$(") {
        return None;
    }
    any(inside.split(or).map(|part| all(part.split(and).map(|part| comparison(part.trim(), double, value)))))
}

fn comparison(test: &str, double: bool, value: &impl Fn(&str) -> Option<String>) -> Option<bool> {
    let parts = value_alone(test).or_else(|| parts(test))?;
    let known = value(&bare(parts.subject)?)?;
    let answer = word(parts.answer)?;
    let holds = match parts.operator {
        // Only double brackets compare with patterns, and only where they are not quoted.
        "=" if double && !parts.answer.starts_with(['"', '\'']) => fits(&answer, &known)?,
        "=" => known == answer,
        ">" | ">=" => {
            let (known, answer) = (known.parse::<i64>().ok()?, answer.parse::<i64>().ok()?);
            if parts.operator == ">" { known > answer } else { known >= answer }
        }
        _ => return None,
    };
    Some(holds != parts.negated)
}

/// A subject without its quotes: `$X` for `"${X}"`.
fn bare(subject: &str) -> Option<String> {
    let subject = subject.trim();
    let plain = subject.strip_prefix('"').and_then(|s| s.strip_suffix('"')).unwrap_or(subject);
    let name = |name: &str| !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    if let Some(inner) = plain.strip_prefix("${").and_then(|s| s.strip_suffix('}')).filter(|s| name(s)) {
        return Some(inner.to_owned());
    }
    if let Some(inner) = plain.strip_prefix('`').and_then(|s| s.strip_suffix('`')) {
        return Some(format!("({inner})"));
    }
    let inner = plain.strip_prefix('$')?;
    (name(inner) || inner.starts_with('(') && inner.ends_with(')')).then(|| inner.to_owned())
}

/// A word that means itself, without its quotes.
fn word(written: &str) -> Option<String> {
    let plain = ['"', '\''].iter().find_map(|q| written.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(written);
    (!plain.contains(['$', '`', '\\', '"', '\'']) && !plain.contains(char::is_whitespace)).then(|| plain.to_owned())
}

/// Whether a pattern fits; `None` for one with more than `*` in it.
fn fits(pattern: &str, value: &str) -> Option<bool> {
    let pattern = word(pattern.strip_prefix('(').unwrap_or(pattern))?;
    if pattern.contains(['?', '[', '(', '{']) {
        return None;
    }
    let mut parts = pattern.split('*');
    let start = parts.next().unwrap_or_default();
    let Some(mut rest) = value.strip_prefix(start) else { return Some(false) };
    let mut parts: Vec<&str> = parts.collect();
    let Some(end) = parts.pop() else { return Some(rest.is_empty()) };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return Some(false),
        }
    }
    Some(rest.ends_with(end))
}

/// Cuts at an operator outside brackets.
fn split<'t>(test: &'t str, operator: &str) -> Vec<&'t str> {
    let (mut found, mut open, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in test.char_indices() {
        match c {
            '[' | '(' => open += 1,
            ']' | ')' => open = open.saturating_sub(1),
            _ if open == 0 && test[at..].starts_with(operator) && at >= start => {
                found.push(&test[start..at]);
                start = at + operator.len();
            }
            _ => {}
        }
    }
    found.push(test.get(start..).unwrap_or_default());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_choose() {
        let value = |name: &str| match name {
            "V" => Some("cpu".to_owned()),
            "E" => Some(String::new()),
            "N" => Some("12".to_owned()),
            "(uname -m)" => Some("x86_64".to_owned()),
            _ => None,
        };
        for (test, arm) in [
            ("[ \"$V\" = gpu ]", Some(1)),
            ("[ \"$V\" = cpu ]", Some(0)),
            ("[[ ${V} == c* ]]", Some(0)),
            ("[[ ${V} == \"c*\" ]]", Some(1)),
            ("[ $V = c* ]", Some(1)),
            ("[[ $V != gpu ]]", Some(0)),
            ("! [ $V = gpu ]", Some(0)),
            ("[ ! $V = gpu ]", Some(0)),
            ("[ $V = false ]", Some(1)),
            ("test $V = cpu", Some(0)),
            ("[ -z \"$E\" ]", Some(0)),
            ("[ -n \"$E\" ]", Some(1)),
            ("[ \"$E\" ]", Some(1)),
            ("[ $V ]", Some(0)),
            ("[ $N -ge 12 ]", Some(0)),
            ("[ $N -lt 12 ]", Some(1)),
            ("[ $V = gpu ] elif [ $V = cpu ]", Some(1)),
            ("[ $V = gpu ] elif [ $V = tpu ]", Some(2)),
            ("[ $X = gpu ] elif [ $V = cpu ]", None),
            ("[ $V = cpu ] elif [ $X = gpu ]", Some(0)),
            ("[ $V = gpu ] && [ -z \"$E\" ]", Some(1)),
            ("[ $V = cpu ] || [ $X = gpu ]", None),
            ("[ $V = cpu -a -z \"$E\" ]", Some(0)),
            ("[[ $V == gpu || $V == cpu ]]", Some(0)),
            ("[ $V = gpu ] …", Some(0)),
            ("[ $V = cpu ] …", Some(1)),
            ("\"$V\" in gpu) *)", Some(1)),
            ("$V in gpu | cpu) *)", Some(0)),
            ("${V} in gpu) tpu)", Some(2)),
            ("$V in gpu) cpu) *) …", Some(0)),
            ("$V in gpu) cpu) *) …2", Some(1)),
            ("$V in [cg]pu) *)", None),
            ("\"$(uname -m)\" in aarch64|arm64) x86_64)", Some(1)),
            ("[ `uname -m` = aarch64 ]", Some(1)),
            ("[ $V = $X ]", None),
            ("[ x$V = xcpu ]", None),
            ("[ -f a ]", None),
            ("[[ $V =~ c ]]", None),
            ("nvidia-smi", None),
            ("", None),
        ] {
            assert_eq!(taken(test, &value), arm, "{test}");
        }
        assert_eq!(taken(&format!("[ $V = {} ]", "x".repeat(LONGEST)), &value), None);
    }
}
