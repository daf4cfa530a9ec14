//! Simple tests that ask the same thing: `[ "$CUDA" = cu118 ]` and `[ "$CUDA" = cu121 ]` never hold together.

/// What a test asks: whether something has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    /// `$CUDA`, `matrix.cuda`, a command.
    pub(super) subject: String,
    /// The operator and what stands behind it; two that differ are taken to exclude each other.
    pub(super) answer: String,
    /// It holds where the subject has another value.
    pub(super) negated: bool,
}

/// The questions of a test's arms, in their order, where all of them ask about one subject.
/// `A elif B` has two; the arm behind them is the one in which none holds.
pub(super) fn questions(test: &str) -> Option<(Vec<Question>, bool)> {
    let (test, swapped) = test.strip_suffix(" …").map_or((test, false), |test| (test, true));
    let all: Vec<Question> = test.split(" elif ").map(question).collect::<Option<_>>()?;
    let one = all.windows(2).all(|pair| pair[0].subject == pair[1].subject);
    // Which of several arms changed places is not told.
    (one && !(swapped && all.len() > 1)).then_some((all, swapped))
}

fn question(test: &str) -> Option<Question> {
    if ["&&", "||", " -a ", " -o ", " in "].iter().any(|word| test.contains(word)) {
        return None;
    }
    let mut test = test.trim();
    let mut negated = false;
    loop {
        let inner = [("[[ ", "]]"), ("[ ", "]"), ("((", "))"), ("test ", ""), ("${{", "}}")];
        let inner = inner.iter().find_map(|(open, close)| test.strip_prefix(open)?.strip_suffix(close));
        match (test.strip_prefix('!').filter(|rest| !rest.starts_with('=')), inner) {
            (Some(rest), _) => {
                negated = !negated;
                test = rest.trim();
            }
            (None, Some(inner)) => test = inner.trim(),
            (None, None) => break,
        }
    }
    let made = |subject: &str, operator: &str, value: &str, other: bool| {
        let (subject, value) = (plain(subject), plain(value));
        // `x == false` is `!x`.
        let (value, other) = if value == "false" { ("true".to_owned(), !other) } else { (value, other) };
        (!subject.is_empty()).then(|| Question { subject, answer: format!("{operator}{value}"), negated: negated != other })
    };
    if let Some(rest) = test.strip_prefix("-z ") {
        return made(rest, "=", "", false);
    }
    if let Some(rest) = test.strip_prefix("-n ") {
        return made(rest, "=", "", true);
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
    match found.min_by_key(|(at, ..)| *at) {
        Some((_, subject, operator, value, other)) => made(subject, operator, value, other),
        // A command, or a value that is true or not.
        None => made(test, "=", "true", false),
    }
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
            let want = Question { subject: subject.to_owned(), answer: answer.to_owned(), negated };
            assert_eq!((all.as_slice(), swapped), ([want].as_slice(), false), "{test}");
        }
        assert!(questions("[ $A = 1 ] && [ $B = 2 ]").is_none());
        assert!(questions("[ $A = 1 ] elif [ $B = 2 ]").is_none());
        assert_eq!(questions("[ $A = 1 ] elif [ $A = 2 ]").map(|(all, _)| all.len()), Some(2));
        assert_eq!(questions("[ $A = 1 ] …").map(|(_, swapped)| swapped), Some(true));
        assert!(questions("").is_none());
    }
}
