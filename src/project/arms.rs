//! Which arm of a branch is taken where all that its test asks is known: `[ "$VARIANT" = gpu ]` under `ARG VARIANT=cpu`.

use super::questions::{ELIF, Parts, cases, parts, value_alone};
use crate::notation::grep::Grep;
use crate::notation::pattern::{Form, Pattern};

/// A test longer than this may go on where its text was cut.
const LONGEST: usize = 256;
/// Tests in tests in tests.
const DEEPEST: usize = 6;

/// The tests of a branch, taken apart.
pub(super) struct Arms {
    /// One for each test, in their order; behind the last is the arm in which none holds.
    tests: Vec<Part>,
    /// Arm 0 changed places with this one.
    swapped: u32,
}

/// What a test, or a part of one, comes to on a machine; `None` where that cannot be told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer {
    /// On a Linux machine with an NVIDIA GPU.
    pub(super) on_host: Option<bool>,
    /// In the build of an image.
    pub(super) in_build: Option<bool>,
}

/// Which answers count where the values of variables say nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Values,
    Host,
    Build,
}

impl By {
    fn of(self, answer: Answer) -> Option<bool> {
        match self {
            Self::Values => None,
            Self::Host => answer.on_host,
            Self::Build => answer.in_build,
        }
    }
}

/// A part of a test.
enum Part {
    Any(Vec<Part>),
    All(Vec<Part>),
    Not(Box<Part>),
    /// A comparison, and what is known of it without the value.
    Compared(Comparison, Answer),
    /// A command, which may be a variable's value: `if $IS_MAC`.
    Command {
        value: Option<String>,
        answer: Answer,
    },
    /// One pattern of a `case`.
    Case {
        subject: Option<String>,
        pattern: String,
        answer: Answer,
    },
    Unknown,
}

/// What compares a value.
struct Comparison {
    /// `X`, `(command)`, or `X%%.*` for a part of the value.
    subject: String,
    expects: Expects,
    negated: bool,
}

/// What a value is compared with.
enum Expects {
    Word(String),
    Glob(String),
    /// It is found in the value.
    Pattern(Pattern),
    More(i64),
    AtLeast(i64),
}

impl Arms {
    /// `answer` tells of a command, or a part of a test, whether it holds.
    pub(super) fn of(test: &str, answer: &impl Fn(&str) -> Answer) -> Option<Self> {
        if test.len() >= LONGEST {
            return None;
        }
        let (test, swapped) = match test.rsplit_once(" …") {
            Some((test, "")) => (test, 1),
            Some((test, arm)) => (test, arm.parse().ok()?),
            None => (test, 0),
        };
        let tests = match cases(test) {
            Some((subject, patterns)) => patterns.into_iter().map(|pattern| case(subject, pattern, answer)).collect(),
            None => test.split(ELIF).map(|test| statement(test, answer, 0)).collect(),
        };
        Some(Self { tests, swapped })
    }

    /// The number of the first that holds by the values of variables (`X`) and commands (`(uname -m)`), or of the one behind
    /// the last.
    pub(super) fn taken(&self, value: &impl Fn(&str) -> Option<String>) -> Option<u32> {
        let mut place = 0;
        for test in &self.tests {
            if test.holds(value, By::Values)? {
                break;
            }
            place += 1;
        }
        Some(self.change(place))
    }

    /// Whether this arm is known not to be taken.
    pub(super) fn excludes(&self, arm: u32, value: &impl Fn(&str) -> Option<String>, by: By) -> bool {
        let place = usize::try_from(self.change(arm)).unwrap_or(usize::MAX);
        let holds = |test: &Part| test.holds(value, by);
        self.tests.get(place).and_then(holds) == Some(false)
            || self.tests.iter().take(place).any(|test| holds(test) == Some(true))
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

impl Part {
    fn holds(&self, value: &impl Fn(&str) -> Option<String>, by: By) -> Option<bool> {
        match self {
            Self::Any(parts) => any(parts.iter().map(|part| part.holds(value, by))),
            Self::All(parts) => all(parts.iter().map(|part| part.holds(value, by))),
            Self::Not(part) => part.holds(value, by).map(|holds| !holds),
            Self::Compared(comparison, answer) => comparison.holds(value).or_else(|| by.of(*answer)),
            Self::Command { value: name, answer } => match name.as_ref().and_then(|name| value(name)).as_deref() {
                Some("true" | ":") => Some(true),
                Some("false") => Some(false),
                _ => by.of(*answer),
            },
            Self::Case { subject, pattern, answer } => match subject.as_ref().and_then(|subject| looked_up(subject, value)) {
                Some(value) => fits(pattern, &value),
                None if pattern == "*" => Some(true),
                None => by.of(*answer),
            },
            Self::Unknown => None,
        }
    }
}

impl Comparison {
    fn holds(&self, value: &impl Fn(&str) -> Option<String>) -> Option<bool> {
        let known = looked_up(&self.subject, value)?;
        let holds = match &self.expects {
            Expects::Word(word) => known == *word,
            Expects::Glob(pattern) => fits(pattern, &known)?,
            Expects::Pattern(pattern) => pattern.fits(&known),
            Expects::More(number) => known.parse::<i64>().ok()? > *number,
            Expects::AtLeast(number) => known.parse::<i64>().ok()? >= *number,
        };
        Some(holds != self.negated)
    }
}

/// The value of a subject, or the part of it that is left of `${X%%.*}`.
fn looked_up(subject: &str, value: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let at = subject.find(['%', '#']).filter(|_| !subject.starts_with('('));
    let Some((name, form)) = at.map(|at| subject.split_at(at)) else { return value(subject) };
    let known = value(name)?;
    let cut = |form: &str, long: bool| -> Option<String> {
        let all = form.strip_suffix('*').filter(|_| form.len() > 1);
        let front = form.strip_prefix('*').filter(|_| form.len() > 1);
        let plain = |sign: &str| !sign.is_empty() && !sign.contains(['*', '?', '[', '\\', '$', '`', '"', '\'']);
        Some(match (subject[name.len()..].starts_with('%'), all, front) {
            (true, Some(sign), _) if plain(sign) => {
                let at = if long { known.find(sign) } else { known.rfind(sign) };
                known[..at.unwrap_or(known.len())].to_owned()
            }
            (false, _, Some(sign)) if plain(sign) => {
                let at = if long { known.rfind(sign) } else { known.find(sign) };
                known[at.map_or(0, |at| at + sign.len())..].to_owned()
            }
            (true, ..) if plain(form) => known.strip_suffix(form).unwrap_or(&known).to_owned(),
            (false, ..) if plain(form) => known.strip_prefix(form).unwrap_or(&known).to_owned(),
            _ => return None,
        })
    };
    match form.strip_prefix("%%").or_else(|| form.strip_prefix("##")) {
        Some(longest) => cut(longest, true),
        None => cut(&form[1..], false),
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

/// What one `if` tests.
fn statement(test: &str, answer: &impl Fn(&str) -> Answer, depth: usize) -> Part {
    let test = test.trim();
    if depth > DEEPEST {
        return Part::Unknown;
    }
    let inner = |test: &str| statement(test, answer, depth + 1);
    // Both in one test are not taken apart.
    match (split(test, "||"), split(test, "&&")) {
        (either, both) if either.len() > 1 && both.len() == 1 => return Part::Any(either.into_iter().map(inner).collect()),
        (either, both) if both.len() > 1 && either.len() == 1 => return Part::All(both.into_iter().map(inner).collect()),
        (either, both) if either.len() == 1 && both.len() == 1 => {}
        _ => return Part::Unknown,
    }
    if let Some(rest) = test.strip_prefix("! ") {
        return Part::Not(Box::new(inner(rest)));
    }
    let brackets = [("[[ ", " ]]"), ("[ ", " ]"), ("test ", "")];
    let inside = brackets.iter().find_map(|(open, close)| {
        let inside = test.strip_prefix(open)?.strip_suffix(close)?;
        Some((inside, *open == "[[ "))
    });
    match inside {
        Some((inside, double)) => compound(inside, double, answer),
        None => match value_alone(test) {
            Some(alone) => Part::Command { value: bare(alone.subject), answer: answer(test) },
            None => match found(test).or_else(|| parts(test).and_then(|parts| comparison(&parts, false))) {
                Some(compared) => Part::Compared(compared, answer(test)),
                None => Part::Command { value: None, answer: answer(test) },
            },
        },
    }
}

/// What stands between the brackets of a test.
fn compound(inside: &str, double: bool, answer: &impl Fn(&str) -> Answer) -> Part {
    let (or, and) = if double { (" || ", " && ") } else { (" -o ", " -a ") };
    if has_groups(inside) {
        return Part::Unknown;
    }
    let one = |part: &str| {
        let part = part.trim();
        let (turned, asked) = match part.strip_prefix("! ") {
            Some(turned) => (true, answer(turned.trim())),
            None => (false, answer(part)),
        };
        let asked =
            if turned { Answer { on_host: asked.on_host.map(|h| !h), in_build: asked.in_build.map(|h| !h) } } else { asked };
        match value_alone(part).or_else(|| parts(part)).and_then(|parts| comparison(&parts, double)) {
            Some(compared) => Part::Compared(compared, asked),
            None => Part::Command { value: None, answer: asked },
        }
    };
    Part::Any(split(inside, or).into_iter().map(|part| Part::All(split(part, and).into_iter().map(one).collect())).collect())
}

/// Whether parentheses put parts of a test together.
fn has_groups(inside: &str) -> bool {
    let mut before = "";
    inside.split_whitespace().any(|word| {
        // Behind these stands a pattern.
        let pattern = matches!(std::mem::replace(&mut before, word), "=~" | "==" | "=" | "!=");
        !pattern && word.trim_start_matches('\\').starts_with('(')
    })
}

/// `uname | grep -q Darwin`.
fn found(test: &str) -> Option<Comparison> {
    let Grep { subject, pattern, negated } = Grep::parse(test)?;
    Some(Comparison { subject: bare(&subject)?, expects: Expects::Pattern(pattern), negated })
}

fn comparison(parts: &Parts<'_>, double: bool) -> Option<Comparison> {
    let quoted = is_quoted(parts.answer);
    let number = || word(parts.answer)?.parse().ok();
    let expects = match parts.operator {
        // Only double brackets compare with patterns, and only where they are not quoted.
        "=" if double && !quoted => Expects::Glob(letters(parts.answer)?),
        "=" => Expects::Word(word(parts.answer)?),
        "~" if quoted => Expects::Pattern(Pattern::parse(&word(parts.answer)?, Form::Fixed, false)?),
        "~" => Expects::Pattern(Pattern::parse(parts.answer, Form::Extended, false)?),
        ">" => Expects::More(number()?),
        ">=" => Expects::AtLeast(number()?),
        _ => return None,
    };
    Some(Comparison { subject: bare(parts.subject)?, expects, negated: parts.negated })
}

/// One arm of a `case`.
fn case(subject: &str, pattern: &str, answer: &impl Fn(&str) -> Answer) -> Part {
    let pattern = pattern.strip_prefix('(').unwrap_or(pattern);
    let one = |one: &str| {
        let (one, value) = (one.trim(), bare(subject));
        Part::Case { subject: value, pattern: one.to_owned(), answer: answer(&format!("{subject} = {one}")) }
    };
    Part::Any(pattern.split('|').map(one).collect())
}

/// A subject without its quotes: `$X` for `"${X}"`.
fn bare(subject: &str) -> Option<String> {
    let subject = subject.trim();
    let plain = subject.strip_prefix('"').and_then(|s| s.strip_suffix('"')).unwrap_or(subject);
    let name = |name: &str| !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    if let Some(inner) = plain.strip_prefix("${").and_then(|s| s.strip_suffix('}')) {
        let whole = inner.split(['%', '#']).next().unwrap_or_default();
        return name(whole).then(|| inner.to_owned());
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

/// Whether all of a word stands in the same quotes.
fn is_quoted(written: &str) -> bool {
    let inner = ['"', '\''].iter().find_map(|q| written.strip_prefix(*q)?.strip_suffix(*q));
    inner.is_some_and(|inner| !inner.contains(['"', '\'']))
}

/// A pattern without its quotes: `darwin*` for `"darwin"*`; `None` where they make letters of what were signs.
fn letters(pattern: &str) -> Option<String> {
    let (mut out, mut quote) = (String::new(), None);
    for c in pattern.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (Some(_), '*' | '?' | '[' | '(' | '{') | (_, '$' | '`' | '\\' | '"' | '\'') => return None,
            (_, c) if c.is_whitespace() => return None,
            (_, c) => out.push(c),
        }
    }
    quote.is_none().then_some(out)
}

/// Whether a pattern fits; `None` for one with more than `*` in it.
fn fits(pattern: &str, value: &str) -> Option<bool> {
    let pattern = letters(pattern.strip_prefix('(').unwrap_or(pattern))?;
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
            "R" => Some("12.4.1".to_owned()),
            "T" => Some("true".to_owned()),
            "F" => Some("false".to_owned()),
            "(uname -m)" => Some("x86_64".to_owned()),
            _ => None,
        };
        for (test, arm) in [
            ("[ \"$V\" = gpu ]", Some(1)),
            ("[ \"$V\" = cpu ]", Some(0)),
            ("[[ ${V} == c* ]]", Some(0)),
            ("[[ ${V} == \"c*\" ]]", Some(1)),
            ("[ $V = c* ]", Some(1)),
            ("[[ $V == \"c\"* ]]", Some(0)),
            ("[[ $V == \"c*\"u ]]", None),
            ("$V in \"g\"*) 'c'pu) *)", Some(1)),
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
            ("$F", Some(1)),
            ("! $F", Some(0)),
            ("[ $F ]", Some(0)),
            ("$V", None),
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
            ("[[ $V =~ c ]]", Some(0)),
            ("[[ ${V} =~ ^(gpu|tpu)$ ]]", Some(1)),
            ("[[ $V =~ (gpu|cpu) && $V != tpu ]]", Some(0)),
            ("[[ ! $V =~ ^g ]]", Some(0)),
            ("[[ $V =~ \"c|g\" ]]", Some(1)),
            ("[[ $V =~ c.u ]]", None),
            ("[[ ( $V == cpu ) ]]", None),
            ("[[ \"$(uname -m)\" =~ ^(aarch64|arm64)$ ]]", Some(1)),
            ("uname -m | grep -q x86", Some(0)),
            ("! uname -m | grep -q x86", Some(1)),
            ("uname -m | grep -qv x86", Some(1)),
            ("uname -m | grep -q 'arm\\|aarch64' elif [ $V = cpu ]", Some(1)),
            ("echo \"$V\" | grep -qi CPU", Some(0)),
            ("grep -q gpu <<< $V", Some(1)),
            ("grep -q gpu file", None),
            ("[ ${R%%.*} = 12 ]", Some(0)),
            ("[ \"${R%.*}\" = 12.4 ]", Some(0)),
            ("[ ${R##*.} -gt 1 ]", Some(1)),
            ("[ ${R#*.} = 4.1 ]", Some(0)),
            ("[ ${R%.1} = 12.4 ]", Some(0)),
            ("[ ${R%%[.]*} = 12 ]", None),
            ("[ ${R%} = 12 ]", None),
            ("${R%%.*} in 11) 12)", Some(1)),
            ("nvidia-smi", None),
            ("", None),
        ] {
            assert_eq!(Arms::of(test, &|_| Answer::default()).and_then(|arms| arms.taken(&value)), arm, "{test}");
        }
        assert!(Arms::of(&format!("[ $V = {} ]", "x".repeat(LONGEST)), &|_| Answer::default()).is_none());
    }

    #[test]
    fn answers_exclude() {
        let answer = |part: &str| {
            let on_host = match part {
                "here" | "-e here" => Some(true),
                "away" | "-e away" | "$X = away" | "$X = \"away\"" => Some(false),
                _ => None,
            };
            Answer { on_host, in_build: None }
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
            let arms = Arms::of(test, &answer).expect(test);
            let excluded_by = |by| -> Vec<u32> {
                (0u32..).take(arms.tests.len() + 1).filter(|arm| arms.excludes(*arm, &|_| None, by)).collect()
            };
            assert_eq!(excluded_by(By::Host), excluded, "{test}");
            assert!(excluded_by(By::Build).is_empty() || test.contains('*'), "{test}");
        }
    }
}
