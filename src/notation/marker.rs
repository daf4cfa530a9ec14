//! Environment markers (PEP 508), answered in three values.

use std::ops::Range;
use std::sync::OnceLock;

use super::requirement::{Mistake, normalise};
use crate::platform::{Arch, Os, Platform, Pythons};
use crate::version::{Specifiers, Version};

/// Parentheses in parentheses.
const DEEPEST: usize = 64;
/// Patch releases that a minor of Python may have.
const PATCHES: u32 = 40;

/// A parsed marker.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    expression: Expression,
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Compare(Comparison),
}

#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    left: Operand,
    operator: Operator,
    right: Operand,
    /// The condition on a version that stands for operator and literal, where there is one.
    condition: Option<Specifiers>,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Variable(Variable),
    Literal(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Extra,
    ImplementationName,
    OsName,
    PlatformMachine,
    PlatformSystem,
    PythonImplementation,
    PythonFullVersion,
    PythonVersion,
    SysPlatform,
    /// One that no file tells: `platform_release`, `platform_version`, `extras`.
    Untold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    /// `<=`, `>=`, `<`, `>`, `~=`, `===`: of versions.
    Other(&'static str),
    In,
    NotIn,
}

impl Marker {
    /// Parses a marker: `sys_platform == "linux" and python_version < "3.12"`.
    ///
    /// # Errors
    /// One line: what PEP 508 does not admit.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_placed(text).map_err(|mistake| mistake.why)
    }
    /// The same, with the place of a mistake.
    pub(super) fn parse_placed(text: &str) -> Result<Self, Mistake> {
        let mut parser = Parser { text, at: 0, ahead: None };
        let expression = parser.expression()?;
        match parser.next()? {
            Token { kind: Kind::End, .. } => Ok(Self { expression }),
            token => Err(mistake(token.at, "expected `and`, `or` or the end of the marker")),
        }
    }
    /// Whether it holds on a platform with these extras chosen; `None` where that is not known
    /// (several Pythons that differ in it, `platform_release`, `in`/`not in` that cannot be told).
    #[must_use]
    pub fn holds(&self, platform: &Platform, extras: &[&str]) -> Option<bool> {
        if !self.expression.asks_python() {
            return self.expression.holds(platform, None, extras);
        }
        let mut answers = platform.python.minors().map(|minor| self.expression.holds(platform, Some(minor), extras));
        let first = answers.next()??;
        answers.all(|answer| answer == Some(first)).then_some(first)
    }
    /// The minors of Python, out of those of `platform`, on which it may hold.
    #[must_use]
    pub fn pythons(&self, platform: &Platform, extras: &[&str]) -> Pythons {
        let may = |minor: &u32| self.expression.holds(platform, Some(*minor), extras) != Some(false);
        platform.python.minors().filter(may).fold(Pythons(0), |set, minor| Pythons(set.0 | Pythons::only(minor).0))
    }
}

impl Expression {
    fn asks_python(&self) -> bool {
        let python = |o: &Operand| matches!(o, Operand::Variable(Variable::PythonVersion | Variable::PythonFullVersion));
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::asks_python),
            Self::Compare(c) => python(&c.left) || python(&c.right),
        }
    }
    fn holds(&self, platform: &Platform, minor: Option<u32>, extras: &[&str]) -> Option<bool> {
        let (parts, decides) = match self {
            Self::All(parts) => (parts, false),
            Self::Any(parts) => (parts, true),
            Self::Compare(comparison) => return comparison.holds(platform, minor, extras),
        };
        let mut known = true;
        for part in parts {
            match part.holds(platform, minor, extras) {
                Some(answer) if answer == decides => return Some(decides),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(!decides)
    }
}

impl Comparison {
    fn holds(&self, platform: &Platform, minor: Option<u32>, extras: &[&str]) -> Option<bool> {
        let (variable, literal, reversed) = match (&self.left, &self.right) {
            (Operand::Variable(variable), Operand::Literal(literal)) => (*variable, literal.as_str(), false),
            (Operand::Literal(literal), Operand::Variable(variable)) => (*variable, literal.as_str(), true),
            _ => return None,
        };
        match variable {
            Variable::Untold => None,
            Variable::Extra => self.holds_of_extra(literal, extras),
            Variable::PythonVersion => {
                let minor = minor?;
                match &self.condition {
                    Some(condition) => Some(condition.admits(pythons().get(minor as usize)?.first()?)),
                    None if reversed && !matches!(self.operator, Operator::In | Operator::NotIn) => None,
                    None => self.holds_of_text(&format!("3.{minor}"), literal, reversed),
                }
            }
            Variable::PythonFullVersion => {
                let (condition, minor) = (self.condition.as_ref()?, minor?);
                let all = pythons().get(minor as usize)?;
                let first = condition.admits(all.first()?);
                // Within another minor than its own a condition holds for all patches or for none.
                let own = literal.trim().strip_prefix("3.").and_then(|rest| rest.split('.').next()?.parse().ok());
                let rest = if own.is_some_and(|own: u32| own != minor) { &all[all.len() - 1..] } else { &all[1..] };
                rest.iter().all(|version| condition.admits(version) == first).then_some(first)
            }
            _ => self.holds_of_text(value(variable, platform)?, literal, reversed),
        }
    }
    /// Each of several chosen extras is the value of `extra`; uv writes conditions that mean the set.
    fn holds_of_extra(&self, literal: &str, extras: &[&str]) -> Option<bool> {
        let asked = normalise(&uv_extra(literal)?);
        let chosen = extras.iter().any(|extra| normalise(extra) == asked);
        match self.operator {
            Operator::Equal => Some(chosen),
            Operator::NotEqual => Some(!chosen),
            _ => None,
        }
    }
    fn holds_of_text(&self, value: &str, literal: &str, reversed: bool) -> Option<bool> {
        let within = if reversed { value.contains(literal) } else { literal.contains(value) };
        match self.operator {
            Operator::Equal => Some(value == literal),
            Operator::NotEqual => Some(value != literal),
            Operator::In => Some(within),
            Operator::NotIn => Some(!within),
            Operator::Other(_) => None,
        }
    }
}

/// The extra in a name as uv.lock writes it where extras conflict, `extra-4-proj-cu124` (with the length of the
/// package's name); other names as they are. `None` for its groups.
fn uv_extra(name: &str) -> Option<String> {
    let coded = |prefix: &str| {
        let (length, rest) = name.strip_prefix(prefix)?.split_once('-')?;
        rest.get(length.parse().ok()?..)?.strip_prefix('-')
    };
    if coded("group-").is_some() {
        return None;
    }
    Some(coded("extra-").unwrap_or(name).to_owned())
}

/// Every Python 3, by minor and patch.
fn pythons() -> &'static [Vec<Version>] {
    static ALL: OnceLock<Vec<Vec<Version>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let patches = |minor| (0..PATCHES).filter_map(move |patch| Version::parse(&format!("3.{minor}.{patch}")));
        (0..u64::BITS).map(|minor| patches(minor).collect()).collect()
    })
}

fn value(variable: Variable, platform: &Platform) -> Option<&'static str> {
    Some(match (variable, platform.os) {
        (Variable::SysPlatform, Os::Linux) => "linux",
        (Variable::SysPlatform, Os::Windows) => "win32",
        (Variable::SysPlatform, Os::MacOs) => "darwin",
        (Variable::PlatformSystem, Os::Linux) => "Linux",
        (Variable::PlatformSystem, Os::Windows) => "Windows",
        (Variable::PlatformSystem, Os::MacOs) => "Darwin",
        (Variable::OsName, Os::Windows) => "nt",
        (Variable::OsName, Os::Linux | Os::MacOs) => "posix",
        (Variable::PlatformMachine, os) => match (os, platform.arch) {
            (Os::Windows, Arch::X86_64) => "AMD64",
            (Os::Windows, Arch::Aarch64) => "ARM64",
            (_, Arch::X86_64) => "x86_64",
            (Os::MacOs, Arch::Aarch64) => "arm64",
            (Os::Linux, Arch::Aarch64) => "aarch64",
        },
        (Variable::ImplementationName, _) => "cpython",
        (Variable::PythonImplementation, _) => "CPython",
        (Variable::Extra | Variable::PythonVersion | Variable::PythonFullVersion | Variable::Untold, _) => return None,
    })
}

fn variable(name: &str) -> Option<Variable> {
    Some(match name {
        "extra" => Variable::Extra,
        "implementation_name" => Variable::ImplementationName,
        "os_name" | "os.name" => Variable::OsName,
        "platform_machine" | "platform.machine" => Variable::PlatformMachine,
        "platform_system" => Variable::PlatformSystem,
        "platform_python_implementation" | "platform.python_implementation" | "python_implementation" => {
            Variable::PythonImplementation
        }
        "python_full_version" | "implementation_version" => Variable::PythonFullVersion,
        "python_version" => Variable::PythonVersion,
        "sys_platform" | "sys.platform" => Variable::SysPlatform,
        "platform_release" | "platform_version" | "platform.version" | "extras" | "dependency_groups" => Variable::Untold,
        _ => return None,
    })
}

fn mistake(at: Range<usize>, why: impl Into<String>) -> Mistake {
    Mistake { at, why: why.into() }
}

#[derive(Clone, Debug)]
struct Token<'a> {
    kind: Kind<'a>,
    at: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind<'a> {
    Open,
    Close,
    Word(&'a str),
    Quoted(&'a str),
    Sign(&'static str),
    End,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    ahead: Option<Token<'a>>,
}

/// A group that is being read: its alternatives, each a list of conditions.
type Open = Vec<Vec<Expression>>;

impl<'a> Parser<'a> {
    /// Reads alternatives of conditions; an own stack in place of recursion.
    fn expression(&mut self) -> Result<Expression, Mistake> {
        let mut stack: Vec<Open> = vec![vec![Vec::new()]];
        loop {
            let token = self.next()?;
            if token.kind == Kind::Open {
                if stack.len() > DEEPEST {
                    return Err(mistake(token.at, "parentheses are nested too deeply"));
                }
                stack.push(vec![Vec::new()]);
                continue;
            }
            let mut done = self.comparison(token)?;
            loop {
                if let Some(part) = stack.last_mut().and_then(|group| group.last_mut()) {
                    part.push(done);
                }
                let token = self.next()?;
                match token.kind {
                    Kind::Word("and") => break,
                    Kind::Word("or") => {
                        stack.last_mut().into_iter().for_each(|group| group.push(Vec::new()));
                        break;
                    }
                    Kind::Close if stack.len() > 1 => done = closed(stack.pop().unwrap_or_default()),
                    _ if stack.len() > 1 => return Err(mistake(token.at, "expected `and`, `or` or `)`")),
                    _ => {
                        self.ahead = Some(token);
                        return Ok(closed(stack.pop().unwrap_or_default()));
                    }
                }
            }
        }
    }
    fn comparison(&mut self, first: Token<'a>) -> Result<Expression, Mistake> {
        let left = operand(&first)?;
        let sign = self.next()?;
        let operator = match sign.kind {
            Kind::Sign("==") => Operator::Equal,
            Kind::Sign("!=") => Operator::NotEqual,
            Kind::Sign(other) => Operator::Other(other),
            Kind::Word("in") => Operator::In,
            Kind::Word("not") => match self.next()? {
                Token { kind: Kind::Word("in"), .. } => Operator::NotIn,
                token => return Err(mistake(token.at, "expected `in` after `not`")),
            },
            _ => return Err(mistake(sign.at, "expected a comparison: `==`, `!=`, `<`, `>`, `in`, `not in`")),
        };
        let right = operand(&self.next()?)?;
        let condition = condition(&left, operator, &right);
        Ok(Expression::Compare(Comparison { left, operator, right, condition }))
    }
    fn next(&mut self) -> Result<Token<'a>, Mistake> {
        if let Some(token) = self.ahead.take() {
            return Ok(token);
        }
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let (kind, length) =
            token(rest).map_err(|why| mistake(start..start + rest.chars().next().map_or(0, char::len_utf8), why))?;
        self.at = start + length;
        Ok(Token { kind, at: start..self.at })
    }
}

fn token(rest: &str) -> Result<(Kind<'_>, usize), &'static str> {
    const SIGNS: [&str; 8] = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];
    let Some(first) = rest.chars().next() else { return Ok((Kind::End, 0)) };
    match first {
        '(' => Ok((Kind::Open, 1)),
        ')' => Ok((Kind::Close, 1)),
        '"' | '\'' => {
            let end = rest[1..].find(first).ok_or("the quote is never closed")?;
            Ok((Kind::Quoted(&rest[1..=end]), end + 2))
        }
        c if c.is_ascii_alphabetic() || c == '_' => {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
            Ok((Kind::Word(&rest[..end]), end))
        }
        _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => Ok((Kind::Sign(sign), sign.len())),
            None if first == '=' => Err("`=` is no comparison; `==` is"),
            None => Err("expected a variable of the environment, a quoted value or a comparison"),
        },
    }
}

fn operand(token: &Token<'_>) -> Result<Operand, Mistake> {
    match token.kind {
        Kind::Quoted(text) => Ok(Operand::Literal(text.to_owned())),
        Kind::Word(name) => match variable(name) {
            Some(variable) => Ok(Operand::Variable(variable)),
            None => Err(mistake(token.at.clone(), format!("`{name}` is no variable of the environment"))),
        },
        _ => Err(mistake(token.at.clone(), "expected a variable of the environment or a quoted value")),
    }
}

/// The condition on the version of a variable; `None` where the literal is no version or both sides are of a kind.
fn condition(left: &Operand, operator: Operator, right: &Operand) -> Option<Specifiers> {
    let (literal, reversed) = match (left, right) {
        (Operand::Variable(_), Operand::Literal(literal)) => (literal, false),
        (Operand::Literal(literal), Operand::Variable(_)) => (literal, true),
        _ => return None,
    };
    let sign = match operator {
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        // "3.8" <= python_version
        Operator::Other("<=") if reversed => ">=",
        Operator::Other(">=") if reversed => "<=",
        Operator::Other("<") if reversed => ">",
        Operator::Other(">") if reversed => "<",
        Operator::Other("~=") if reversed => return None,
        Operator::Other("===") => return None,
        Operator::Other(sign) => sign,
        Operator::In | Operator::NotIn => return None,
    };
    // "'3.8.*' == python_version" compares with no version.
    let one = if reversed { Version::parse(literal).is_some() } else { !literal.contains(',') };
    Specifiers::parse(&format!("{sign}{literal}")).ok().filter(|_| one)
}

/// A group that is complete.
fn closed(alternatives: Open) -> Expression {
    let one = |mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression| match parts.len() {
        1 => parts.swap_remove(0),
        _ => join(parts),
    };
    let arms = alternatives.into_iter().map(|parts| one(parts, Expression::All)).collect();
    one(arms, Expression::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str, platform: &Platform, extras: &[&str]) -> Option<bool> {
        Marker::parse(text).expect(text).holds(platform, extras)
    }

    #[test]
    fn platforms() {
        let linux = Platform::default();
        let windows = Platform { os: Os::Windows, ..linux.clone() };
        let mac = Platform { os: Os::MacOs, arch: Arch::Aarch64, ..linux.clone() };
        for (text, want) in [
            ("sys_platform == 'linux'", [true, false, false]),
            ("'linux' == sys_platform", [true, false, false]),
            ("sys_platform != \"darwin\"", [true, true, false]),
            ("platform_system == 'Windows' or os_name == 'posix' and platform_machine == 'arm64'", [false, true, true]),
            ("(sys_platform == 'linux' or sys_platform == 'win32') and platform_machine in 'x86_64 AMD64'", [true, true, false]),
            ("platform_machine not in 'arm64, aarch64'", [true, true, false]),
            ("'win' in sys_platform", [false, true, true]),
            ("implementation_name == 'cpython' and platform_python_implementation != 'PyPy'", [true, true, true]),
            ("sys_platform == 'linux2'", [false, false, false]),
            ("sys_platform=='linux'and(os_name=='posix')", [true, false, false]),
        ] {
            let got = [&linux, &windows, &mac].map(|platform| ask(text, platform, &[]));
            assert_eq!(got, want.map(Some), "{text}");
        }
    }

    #[test]
    fn pythons_are_a_set() {
        let with =
            |minors: &[u32]| Platform { python: Pythons(minors.iter().fold(0, |set, m| set | 1 << m)), ..Platform::default() };
        for (text, minors, want) in [
            ("python_version < '3.12'", &[10, 11][..], Some(true)),
            ("python_version < '3.12'", &[11, 12], None),
            ("python_version < '3.12'", &[12, 13], Some(false)),
            ("python_version < '3.12' or python_version >= '3.12'", &[11, 12], Some(true)),
            ("'3.9' <= python_version", &[8], Some(false)),
            ("python_version ~= '3.8'", &[8, 12], Some(true)),
            ("python_version == '3.1*'", &[10], Some(false)),
            ("python_version >= '3.8,'", &[10], None),
            ("'3.10.*' == python_version", &[10], None),
            ("python_version == '3.10.*'", &[10], Some(true)),
            ("python_version in '3.8, 3.9'", &[8, 9], Some(true)),
            ("python_version not in '3.8, 3.9'", &[10], Some(true)),
            ("python_full_version >= '3.8.1'", &[8], None),
            ("python_full_version >= '3.8.1'", &[9], Some(true)),
            ("python_full_version < '3.11'", &[10], Some(true)),
            ("python_version >= '2.7'", &[0, 63], Some(true)),
            ("python_version > '3' and sys_platform == 'win32'", &[8, 9], Some(false)),
        ] {
            assert_eq!(ask(text, &with(minors), &[]), want, "{text} on {minors:?}");
        }
        assert_eq!(ask("python_version >= '3.8'", &Platform::default(), &[]), None);
        assert_eq!(ask("python_version >= '3'", &Platform::default(), &[]), Some(true));
        let marker = Marker::parse("python_version < '3.10'").expect("a marker");
        assert_eq!(marker.pythons(&with(&[9, 10, 11]), &[]), Pythons::only(9));
    }

    #[test]
    fn extras_and_the_unknown() {
        let here = Platform::default();
        assert_eq!(ask("extra == 'GPU_x'", &here, &["gpu-x"]), Some(true));
        assert_eq!(ask("extra == 'gpu'", &here, &[]), Some(false));
        assert_eq!(ask("extra != 'gpu'", &here, &["cpu"]), Some(true));
        assert_eq!(ask("extra == 'extra-4-proj-cu124'", &here, &["cu124"]), Some(true));
        assert_eq!(ask("extra == 'group-4-proj-dev'", &here, &[]), None);
        assert_eq!(ask("platform_release > '5'", &here, &[]), None);
        assert_eq!(ask("platform_release > '5' and sys_platform == 'win32'", &here, &[]), Some(false));
        assert_eq!(ask("platform_release > '5' or sys_platform == 'linux'", &here, &[]), Some(true));
        assert_eq!(ask("sys_platform > 'a'", &here, &[]), None);
        assert_eq!(ask("sys_platform === 'linux'", &here, &[]), None);
    }

    #[test]
    fn mistakes_have_places() {
        for (text, place) in [
            ("", ""),
            ("python_version", ""),
            ("python_version = '3'", "="),
            ("python_version >= 3", "3"),
            ("python_version >= '3", "'"),
            ("pythonversion >= '3'", "pythonversion"),
            ("(os_name == 'nt'", ""),
            ("os_name == 'nt')", ")"),
            ("os_name == 'nt' os_name", "os_name"),
            ("os_name == 'nt' and", ""),
            ("os_name not 'nt'", "'nt'"),
            ("python_version>'3' 中", "中"),
            ("not os_name == 'nt'", "not"),
        ] {
            let mistake = Marker::parse_placed(text).expect_err(text);
            assert_eq!(&text[mistake.at.clone()], place, "{text}: {mistake:?}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let nested = |n: usize| format!("{}os_name == 'nt'{}", "(".repeat(n), ")".repeat(n));
        assert!(Marker::parse(&nested(60)).is_ok());
        assert!(Marker::parse(&nested(100_000)).is_err());
        let long = vec!["os_name == 'posix'"; 20_000].join(" and ");
        assert_eq!(ask(&long, &Platform::default(), &[]), Some(true));
    }
}
