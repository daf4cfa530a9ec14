//! Which arm of a branch is taken where all that its test asks is known: `[ "$VARIANT" = gpu ]` under `ARG VARIANT=cpu`.

use super::questions::{ELIF, cases, parts, value_alone};

/// A test longer than this may go on where its text was cut.
const LONGEST: usize = 256;
/// Tests in tests in tests.
const DEEPEST: usize = 6;

/// What is known of which arms of a test are taken.
pub(super) struct Arms {
    /// Whether each test holds, in their order; behind the last is the arm in which none does.
    holds: Vec<Option<bool>>,
    /// Arm 0 changed places with this one.
    swapped: u32,
}

impl Arms {
    /// `value` is what a variable (`$X`) or a command (`$(uname -m)`) comes to; `answer` tells of what is left whether it
    /// holds: a command, a part of a test.
    pub(super) fn of(
        test: &str,
        value: &impl Fn(&str) -> Option<String>,
        answer: &impl Fn(&str) -> Option<bool>,
    ) -> Option<Self> {
        if test.len() >= LONGEST {
            return None;
        }
        let (test, swapped) = match test.rsplit_once(" …") {
            Some((test, "")) => (test, 1),
            Some((test, arm)) => (test, arm.parse().ok()?),
            None => (test, 0),
        };
        let known = Known { value, answer };
        let holds = match cases(test) {
            Some((subject, patterns)) => patterns.into_iter().map(|pattern| known.case(subject, pattern)).collect(),
            None => test.split(ELIF).map(|test| known.holds(test, 0)).collect(),
        };
        Some(Self { holds, swapped })
    }

    /// The number of the first that holds, or of the one behind the last.
    pub(super) fn taken(&self) -> Option<u32> {
        let mut place = 0;
        for holds in &self.holds {
            if (*holds)? {
                break;
            }
            place += 1;
        }
        Some(self.change(place))
    }

    /// Whether this arm is known not to be taken.
    pub(super) fn excludes(&self, arm: u32) -> bool {
        let place = usize::try_from(self.change(arm)).unwrap_or(usize::MAX);
        let before = self.holds.iter().take(place);
        self.holds.get(place) == Some(&Some(false)) || before.copied().any(|holds| holds == Some(true))
    }

    /// The arm at a place, and the place of an arm.
    fn change(&self, arm: u32) -> u32 {
        match arm {
            0 => self.swapped,
            arm if arm == self.swapped => 0,
            arm => arm,
        }
    }
}

fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(answers.map(|answer| answer.map(|holds| !holds))).map(|none| !none)
}

/// One that does not hold is enough, whatever the others do.
fn all(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let known =
        answers.try_fold(true, |known, answer| if answer == Some(false) { None } else { Some(known && answer.is_some()) });
    match known {
        None => Some(false),
        Some(known) => known.then_some(true),
    }
}

/// What there is to answer tests with.
struct Known<'k, V, A> {
    value: &'k V,
    answer: &'k A,
}

impl<V: Fn(&str) -> Option<String>, A: Fn(&str) -> Option<bool>> Known<'_, V, A> {
    fn holds(&self, test: &str, depth: usize) -> Option<bool> {
        let test = test.trim();
        if depth > DEEPEST {
            return None;
        }
        let inner = |test: &str| self.holds(test, depth + 1);
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
        let inside = brackets.iter().find_map(|(open, close)| {
            let inside = test.strip_prefix(open)?.strip_suffix(close)?;
            Some((inside, *open == "[[ "))
        });
        match inside {
            Some((inside, double)) => self.compound(inside, double),
            None => self.comparison(test, false).or_else(|| self.command(test)),
        }
    }

    /// A variable is the command: `if $IS_MAC`.
    fn command(&self, test: &str) -> Option<bool> {
        let said = value_alone(test).and_then(|parts| (self.value)(&bare(parts.subject)?));
        match said.as_deref() {
            Some("true" | ":") => Some(true),
            Some("false") => Some(false),
            _ => (self.answer)(test),
        }
    }

    /// One arm of a `case`.
    fn case(&self, subject: &str, pattern: &str) -> Option<bool> {
        let value = bare(subject).and_then(|subject| (self.value)(&subject));
        let pattern = pattern.strip_prefix('(').unwrap_or(pattern);
        any(pattern.split('|').map(|one| match &value {
            Some(value) => fits(one.trim(), value),
            None if one.trim() == "*" => Some(true),
            None => (self.answer)(&format!("{subject} = {}", one.trim())),
        }))
    }

    /// What stands between the brackets of a test.
    fn compound(&self, inside: &str, double: bool) -> Option<bool> {
        let (or, and) = if double { (" || ", " && ") } else { (" -o ", " -a ") };
        if inside.contains(['(', ')']) && !inside.contains("$(") {
            return None;
        }
        let one = |part: &str| {
            let part = part.trim();
            self.comparison(part, double).or_else(|| match part.strip_prefix("! ") {
                Some(turned) => (self.answer)(turned.trim()).map(|holds| !holds),
                None => (self.answer)(part),
            })
        };
        any(split(inside, or).into_iter().map(|part| all(split(part, and).into_iter().map(one))))
    }

    fn comparison(&self, test: &str, double: bool) -> Option<bool> {
        let parts = value_alone(test).or_else(|| parts(test))?;
        let known = (self.value)(&bare(parts.subject)?)?;
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
            "T" => Some("true".to_owned()),
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
            ("[ $V = cpu ] || [ $X = gpu ]", Some(0)),
            ("[ $X = gpu ] || [ $V = cpu ]", Some(0)),
            ("[ $V = gpu ] || [ $X = gpu ]", None),
            ("[[ $V = gpu && $X == gpu ]]", Some(1)),
            ("$T", Some(0)),
            ("$V == 'gpu'", Some(1)),
            ("! ${T}", Some(1)),
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
            assert_eq!(Arms::of(test, &value, &|_| None).and_then(|arms| arms.taken()), arm, "{test}");
        }
        assert!(Arms::of(&format!("[ $V = {} ]", "x".repeat(LONGEST)), &value, &|_| None).is_none());
    }

    #[test]
    fn answers_exclude() {
        let answer = |part: &str| match part {
            "here" | "-e here" => Some(true),
            "away" | "-e away" | "$X = away" | "$X = \"away\"" => Some(false),
            _ => None,
        };
        for (test, excluded) in [
            ("here", &[1][..]),
            ("! here", &[0]),
            ("here …", &[0]),
            ("away", &[0]),
            ("! away", &[1]),
            ("[ -e here ]", &[1]),
            ("[ ! -e here ]", &[0]),
            ("! [ -e here ]", &[0]),
            ("away && other", &[0]),
            ("here && other", &[]),
            ("[[ -e away || -e there ]]", &[]),
            ("other elif here", &[2]),
            ("other elif away", &[1]),
            ("[ $X = away ] elif other", &[0]),
            ("$X in away) there) *)", &[0, 3]),
            ("$X in away|there) *)", &[2]),
            ("$X in \"away\") …", &[1]),
            ("other", &[]),
        ] {
            let arms = Arms::of(test, &|_| None, &answer).expect(test);
            let found: Vec<u32> = (0u32..).take(arms.holds.len() + 1).filter(|arm| arms.excludes(*arm)).collect();
            assert_eq!(found, excluded, "{test}");
        }
    }
}
