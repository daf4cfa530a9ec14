//! Simple tests that ask the same thing: `[ "$CUDA" = cu118 ]` and `[ "$CUDA" = cu121 ]` never hold together.

/// What parts the tests of one branch.
pub(super) const ELIF: &str = " elif ";

/// What a test asks: whether something has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    /// `$CUDA`, `matrix.cuda`, a command.
    pub(super) subject: String,
    /// The operator and what stands behind it, for each value that it asks for; two that differ are taken to exclude each
    /// other.
    pub(super) answers: Vec<String>,
    /// It holds where the subject has another value.
    pub(super) negated: bool,
}

/// A comparison as it is written.
pub(super) struct Parts<'t> {
    pub(super) subject: &'t str,
    /// `=`, `~`, `>=`, `>`.
    pub(super) operator: &'static str,
    pub(super) answer: &'t str,
    pub(super) negated: bool,
}

/// The questions of a test's arms, in their order, where all of them ask about one subject.
/// `A elif B` has two; the arm behind them is the one in which none holds.
pub(super) fn questions(test: &str) -> Option<(Vec<Question>, bool)> {
    let (test, swapped) = test.strip_suffix(" …").map_or((test, false), |test| (test, true));
    let all: Vec<Question> = match cases(test) {
        Some((subject, patterns)) => patterns.into_iter().map(|pattern| of_case(subject, pattern)).collect(),
        None => test.split(ELIF).map(question).collect::<Option<_>>()?,
    };
    let one = all.windows(2).all(|pair| pair[0].subject == pair[1].subject);
    // Which of several arms changed places is not told.
    (one && !all.is_empty() && !(swapped && all.len() > 1)).then_some((all, swapped))
}

/// The word and the patterns of a `case`: `$X in a|b) *)`.
pub(super) fn cases(test: &str) -> Option<(&str, Vec<&str>)> {
    let (subject, patterns) = test.split_once(" in ")?;
    let patterns = patterns.trim_end().strip_suffix(')')?;
    (!subject.starts_with('[')).then(|| (subject, patterns.split(')').map(str::trim).collect()))
}

fn of_case(subject: &str, pattern: &str) -> Question {
    let anything = pattern == "*";
    let answers = pattern.split('|').map(|one| format!("={}", plain(one))).filter(|_| !anything).collect();
    Question { subject: plain(subject), answers, negated: anything }
}

fn question(test: &str) -> Option<Question> {
    if ["&&", "||", " -a ", " -o ", " in "].iter().any(|word| test.contains(word)) {
        return None;
    }
    let parts = parts(test).or_else(|| {
        // A command, or a value that is true or not.
        let (subject, negated, _) = inside(test);
        Some(Parts { subject, operator: "=", answer: "true", negated })
    })?;
    let (subject, value) = (plain(parts.subject), plain(parts.answer));
    // `x == false` is `!x`.
    let (value, negated) = if value == "false" { ("true".to_owned(), !parts.negated) } else { (value, parts.negated) };
    let answers = vec![format!("{}{value}", parts.operator)];
    (!subject.is_empty()).then_some(Question { subject, answers, negated })
}

/// A test without its brackets, whether it is turned round, and whether they were a shell's.
fn inside(test: &str) -> (&str, bool, bool) {
    let mut test = test.trim();
    let (mut negated, mut shell) = (false, false);
    loop {
        let inner = [("[[ ", "]]"), ("[ ", "]"), ("((", "))"), ("test ", ""), ("${{", "}}")];
        let inner = inner.iter().find_map(|(open, close)| Some((*open, test.strip_prefix(open)?.strip_suffix(close)?)));
        match (test.strip_prefix('!').filter(|rest| !rest.starts_with('=')), inner) {
            (Some(rest), _) => {
                negated = !negated;
                test = rest.trim();
            }
            (None, Some((open, inner))) => {
                shell |= matches!(open, "[[ " | "[ " | "test ");
                test = inner.trim();
            }
            (None, None) => return (test, negated, shell),
        }
    }
}

/// What a simple test compares; `None` for a command.
pub(super) fn parts(test: &str) -> Option<Parts<'_>> {
    let (test, turned, shell) = inside(test);
    for (option, other) in [("-z ", false), ("-n ", true)] {
        if let Some(rest) = test.strip_prefix(option) {
            return Some(Parts { subject: rest.trim(), operator: "=", answer: "", negated: turned != other });
        }
    }
    if let Some(alone) = value_alone(test).filter(|_| shell) {
        return Some(Parts { negated: !turned, ..alone });
    }
    let operators = [
        ("==", "=", false),
        ("!=", "=", true),
        ("=~", "~", false),
        (" -eq ", "=", false),
        (" -ne ", "=", true),
        (" -ge ", ">=", false),
        (" -lt ", ">=", true),
        (" -gt ", ">", false),
        (" -le ", ">", true),
        (" = ", "=", false),
    ];
    let found = operators.iter().filter_map(|(written, operator, other)| {
        let at = test.find(written)?;
        Some((at, &test[..at], *operator, &test[at + written.len()..], *other))
    });
    let (_, subject, operator, answer, other) = found.min_by_key(|(at, ..)| *at)?;
    Some(Parts { subject: subject.trim(), operator, answer: answer.trim(), negated: turned != other })
}

/// What stands in a shell's brackets alone: `[ "$X" ]` asks whether there is anything in it.
pub(super) fn value_alone(test: &str) -> Option<Parts<'_>> {
    let test = test.trim();
    let name = test.trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let whole = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    whole.then_some(Parts { subject: test, operator: "=", answer: "", negated: true })
}

/// Without quotes, `${X}` as `$X`.
fn plain(word: &str) -> String {
    let word = word.trim().trim_matches(['"', '\'']).trim();
    match word.strip_prefix("${").and_then(|inner| inner.strip_suffix('}')) {
        Some(name) if name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) => format!("${name}"),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        for (test, subject, answer, negated) in [
            ("[ \"$CUDA\" = cu118 ]", "$CUDA", "=cu118", false),
            ("[[ ${CUDA} == \"cu118\" ]]", "$CUDA", "=cu118", false),
            ("test $CUDA != cu118", "$CUDA", "=cu118", true),
            ("! [ $CUDA = cu118 ]", "$CUDA", "=cu118", true),
            ("[ ! $CUDA = cu118 ]", "$CUDA", "=cu118", true),
            ("[ -n \"$A\" ]", "$A", "=", true),
            ("[ -z \"$A\" ]", "$A", "=", false),
            ("[ \"$A\" ]", "$A", "=", true),
            ("[[ ! ${A} ]]", "$A", "=", false),
            ("$A", "$A", "=true", false),
            ("[ $V -ge 12 ]", "$V", ">=12", false),
            ("[ $V -lt 12 ]", "$V", ">=12", true),
            ("[[ $V =~ ^11 ]]", "$V", "~^11", false),
            ("((A==1))", "A", "=1", false),
            ("${{ matrix.cuda == 'cpu' }}", "matrix.cuda", "=cpu", false),
            ("matrix.old == false", "matrix.old", "=true", true),
            ("!matrix.old", "matrix.old", "=true", true),
            ("! command -v nvcc", "command -v nvcc", "=true", true),
        ] {
            let (all, swapped) = questions(test).expect(test);
            let want = Question { subject: subject.to_owned(), answers: vec![answer.to_owned()], negated };
            assert_eq!((all.as_slice(), swapped), ([want].as_slice(), false), "{test}");
        }
        assert!(questions("[ $A = 1 ] && [ $B = 2 ]").is_none());
        assert!(questions("[ $A = 1 ] elif [ $B = 2 ]").is_none());
        assert_eq!(questions("[ $A = 1 ] elif [ $A = 2 ]").map(|(all, _)| all.len()), Some(2));
        assert_eq!(questions("[ $A = 1 ] …").map(|(_, swapped)| swapped), Some(true));
        let cases = questions("\"$V\" in a | b) c*) *)").map(|(all, _)| all).unwrap_or_default();
        let shown: Vec<_> = cases.iter().map(|q| (q.subject.as_str(), q.answers.join(" "), q.negated)).collect();
        assert_eq!(shown, [("$V", "=a =b".to_owned(), false), ("$V", "=c*".to_owned(), false), ("$V", String::new(), true)]);
        assert!(questions("").is_none());
    }
}
