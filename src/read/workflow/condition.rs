//! `if:` in a row of a matrix: whether its expression holds there.
//! Source: <https://docs.github.com/en/actions/reference/workflows-and-actions/expressions>.

use super::matrix::Row;

/// Parentheses and negations in each other.
const DEEPEST: usize = 16;

/// Whether a test holds in a row; `None` where it asks for what is known only when run.
pub(super) fn holds(test: &str, row: &Row) -> Option<bool> {
    let mut reader = Reader { rest: test, row, broken: false };
    let operand = reader.any(0);
    let whole = reader.rest.trim().is_empty() && !reader.broken;
    operand.truth().filter(|_| whole)
}

enum Operand {
    /// A text; one in quotes is no number.
    Text { text: String, quoted: bool },
    /// What is only known to be true or false, or not known at all.
    Truth(Option<bool>),
}

impl Operand {
    fn truth(&self) -> Option<bool> {
        match self {
            Self::Text { text, quoted: true } => Some(!text.is_empty()),
            Self::Text { text, .. } => Some(!matches!(text.to_ascii_lowercase().as_str(), "" | "false" | "null" | "0")),
            Self::Truth(truth) => *truth,
        }
    }

    fn equals(&self, other: &Self) -> Option<bool> {
        let (Self::Text { text: left, quoted: of_left }, Self::Text { text: right, quoted: of_right }) = (self, other) else {
            return None;
        };
        Some(match (left.parse::<f64>(), right.parse::<f64>()) {
            // `2.10` is a number in YAML, and the text that one reads in a script.
            (Ok(left), Ok(right)) if !of_left && !of_right => (left - right).abs() < f64::EPSILON,
            _ => left.eq_ignore_ascii_case(right),
        })
    }
}

struct Reader<'t> {
    rest: &'t str,
    row: &'t Row,
    /// It is no expression that is understood.
    broken: bool,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn broken(&mut self) -> Operand {
        self.broken = true;
        self.rest = "";
        Operand::Truth(None)
    }

    fn any(&mut self, depth: usize) -> Operand {
        let mut first = self.all(depth);
        while self.eat("||") {
            let next = self.all(depth).truth();
            first = Operand::Truth(match (first.truth(), next) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (left, right) => left.and(right),
            });
        }
        first
    }

    fn all(&mut self, depth: usize) -> Operand {
        let mut first = self.comparison(depth);
        while self.eat("&&") {
            let next = self.comparison(depth).truth();
            first = Operand::Truth(match (first.truth(), next) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (left, right) => left.and(right),
            });
        }
        first
    }

    fn comparison(&mut self, depth: usize) -> Operand {
        let left = self.operand(depth);
        if self.eat("==") {
            Operand::Truth(left.equals(&self.operand(depth)))
        } else if self.eat("!=") {
            Operand::Truth(left.equals(&self.operand(depth)).map(|equal| !equal))
        } else {
            left
        }
    }

    fn operand(&mut self, depth: usize) -> Operand {
        if depth > DEEPEST {
            return self.broken();
        }
        if self.eat("!") {
            return Operand::Truth(self.operand(depth + 1).truth().map(|holds| !holds));
        }
        if self.eat("(") {
            let inside = self.any(depth + 1);
            return if self.eat(")") { inside } else { self.broken() };
        }
        if self.eat("'") {
            let Some((text, rest)) = self.rest.split_once('\'').filter(|(_, rest)| !rest.starts_with('\'')) else {
                return self.broken();
            };
            self.rest = rest;
            return Operand::Text { text: text.to_owned(), quoted: true };
        }
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c))).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return self.broken();
        }
        self.rest = rest;
        if self.eat("(") {
            return self.function(word, depth);
        }
        let number = || word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let text = match word {
            "null" => Some(""),
            "true" | "false" => Some(word),
            _ if number() => Some(word),
            _ => self.row.value(word),
        };
        text.map_or(Operand::Truth(None), |text| Operand::Text { text: text.to_owned(), quoted: false })
    }

    fn function(&mut self, name: &str, depth: usize) -> Operand {
        let mut arguments = Vec::new();
        if !self.eat(")") {
            loop {
                arguments.push(self.any(depth + 1));
                if self.eat(")") {
                    break;
                }
                if !self.eat(",") {
                    return self.broken();
                }
            }
        }
        let texts: Option<Vec<String>> = arguments
            .iter()
            .map(|argument| if let Operand::Text { text, .. } = argument { Some(text.to_ascii_lowercase()) } else { None })
            .collect();
        Operand::Truth(match (name.to_ascii_lowercase().as_str(), texts.as_deref()) {
            ("always" | "success", Some([])) => Some(true),
            ("startswith", Some([whole, part])) => Some(whole.starts_with(part.as_str())),
            ("endswith", Some([whole, part])) => Some(whole.ends_with(part.as_str())),
            ("contains", Some([whole, part])) => Some(whole.contains(part.as_str())),
            _ => None,
        })
    }
}
