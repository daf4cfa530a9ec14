//! The variables in force while a start is walked, and what a [`Text`] comes to under them.

use std::collections::HashMap;

use super::origins::Origin;
use super::watched::{Settings, Watched};
use super::{File, paths};
use crate::environment::tells;
use crate::notation::asking::Says;
use crate::outline::{Does, Lead, Piece, Text, Variable};
use crate::source::Span;

/// A variable as it stands at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// `None`: set, but to what is not known.
    pub(crate) text: Option<String>,
    /// The same with unknown variables kept as `${NAME}`.
    pub(crate) written: String,
    /// Of a path that is not known as it is spelled, where it leads, as [`paths::leading`] takes it.
    pub(crate) leads: Option<String>,
    /// Where it was set.
    pub(crate) at: Span,
    /// Its value is written there: it is not given by others, and no fact of the machine.
    pub(super) here: bool,
    /// Where what it is made of is written.
    pub(super) from: Vec<Origin>,
    /// Who sees it.
    pub(crate) seen: Seen,
    /// Nobody sets it otherwise: it rests on no test, and not on what stands in for an unset variable.
    pub(crate) sure: bool,
    /// The same, but for the tests whose arms the world takes.
    pub(crate) sure_here: bool,
}

/// Who sees a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The shell, or the file that sets it.
    Shell,
    /// The programs of an image's build, not of the image: `ARG`.
    Build,
    /// All programs from here on.
    Programs,
}

impl Value {
    /// A value that is known whole.
    pub(super) fn known(text: String, at: Span, seen: Seen) -> Self {
        let written = text.clone();
        Self { written, text: Some(text), leads: None, at, here: true, from: Vec::new(), seen, sure: true, sure_here: true }
    }
    /// A path of which it is known where it leads.
    pub(super) fn leading(to: Option<String>, at: Span) -> Self {
        Self { leads: to, ..Self::unknown(at, Seen::Shell) }
    }
    /// One that a command is told.
    pub(super) fn told(text: &str, at: Span) -> Self {
        Self {
            text: Some(text.to_owned()),
            written: text.to_owned(),
            leads: None,
            at,
            here: true,
            from: Vec::new(),
            seen: Seen::Programs,
            sure: true,
            sure_here: true,
        }
    }
    /// A value of which nothing is known.
    pub(super) fn unknown(at: Span, seen: Seen) -> Self {
        let (written, from) = (String::new(), Vec::new());
        Self { text: None, written, leads: None, at, here: true, from, seen, sure: false, sure_here: false }
    }
    /// One that is written in these places, not where it is declared.
    pub(super) fn given(self, from: Vec<Origin>) -> Self {
        Self { here: false, from, ..self }
    }
}

/// A variable that holds more bytes than this is not known.
const LONGEST: usize = 8 * 1024;

/// `${A:-${B:-…` is followed no deeper.
pub(super) const DEEPEST: usize = 16;
/// Of a file with more variables the rest is not looked at.
pub(super) const MOST: usize = 2_000;

/// The variables in which a shell has its working directory, the file that it reads, and the script that was started.
pub(super) const WORKING: &str = "PWD";
pub(super) const READ: &str = "BASH_SOURCE";
pub(super) const STARTED: &str = "0";

/// The variables in which jobs have the top of the work tree.
/// Sources: <https://docs.github.com/en/actions/reference/workflows-and-actions/variables>,
/// <https://docs.gitlab.com/ci/variables/predefined_variables/>.
pub(super) const TOP: &[&str] = &["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];
/// That in which a step of a composite action has the action's folder.
pub(super) const ACTION: &str = "GITHUB_ACTION_PATH";

/// Variables by name.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    now: HashMap<String, Value>,
    /// What was there before each change since the first mark that holds: a copy for each subshell would cost too much.
    before: Vec<(String, Option<Value>)>,
    marks: usize,
    /// On what values and the answers of functions rest; no shell's end takes that back.
    says: HashMap<String, Says>,
    /// What was set and asked for, where anybody wants to know.
    watched: Option<Box<Watched>>,
}

/// A moment that variables go back to.
pub(super) struct Mark {
    before: usize,
    watched: usize,
}

impl Variables {
    /// Those of a file of variables.
    pub(super) fn of_file(file: File<'_>) -> Self {
        let mut found = Self::default();
        for act in file.outline.acts.iter().take(MOST) {
            if let Does::Set(Variable { name, value: Some(value), .. }) = &act.does {
                let value = found.value(value, act.at, Seen::Shell);
                found.set(name, value);
            }
        }
        found
    }
    /// Remembers from here on what is asked for.
    pub(super) fn watch(&mut self) {
        self.watched = Some(Box::default());
    }
    /// What was set and asked for, where that is remembered.
    pub(super) fn watched(&mut self) -> Option<&mut Watched> {
        self.watched.as_deref_mut()
    }
    /// Whether that is remembered.
    pub(super) fn is_watched(&self) -> bool {
        self.watched.is_some()
    }
    /// All that made a difference to anybody, with what is told of the variables that programs see in the end.
    pub(super) fn asked(&mut self) -> Settings {
        let Some(mut watched) = self.watched.take() else { return Settings::default() };
        let mut asked = watched.swap(Settings::default());
        for (name, _) in self.exported().filter(|(name, _)| tells(name)) {
            watched.in_the_end(name, &mut asked);
        }
        self.watched = Some(watched);
        asked
    }
    /// It makes a difference what that is.
    pub(super) fn ask(&self, name: &str) {
        if let Some(watched) = &self.watched {
            watched.ask(name);
        }
    }
    /// Adds these, over those of the same names.
    pub(super) fn add(&mut self, others: Self) {
        others.now.into_iter().for_each(|(name, value)| self.set(&name, value));
    }
    /// The same, seen by programs.
    pub(super) fn all_exported(mut self) -> Self {
        self.now.values_mut().for_each(|value| value.seen = Seen::Programs);
        self
    }
    pub(super) fn set(&mut self, name: &str, value: Value) {
        let before = self.now.insert(name.to_owned(), value);
        if self.marks > 0 {
            self.before.push((name.to_owned(), before));
        }
    }
    /// On what a variable, or as `(name)` a function, rests.
    pub(super) fn says(&self, name: &str) -> Says {
        self.ask(name);
        self.said(name)
    }
    /// The same, where that makes no difference to others.
    pub(super) fn said(&self, name: &str) -> Says {
        self.says.get(name).copied().unwrap_or_default()
    }
    /// What is known of that is this, whatever was known before.
    pub(super) fn rest(&mut self, name: &str, says: Says) {
        if says != Says::default() {
            self.says.insert(name.to_owned(), says);
        } else if !self.says.is_empty() {
            self.says.remove(name);
        }
    }
    /// On what a text rests.
    pub(super) fn says_of(&self, text: &Text) -> Says {
        let mut says = Says::default();
        if !self.says.is_empty() || self.is_watched() {
            self.add_says(&text.pieces, &mut says, 0);
        }
        says
    }
    fn add_says(&self, pieces: &[Piece], says: &mut Says, depth: usize) {
        for piece in pieces {
            let inner = match piece {
                Piece::Path(lead) => lead.words(),
                Piece::Edited { of, .. } => of,
                _ => &[],
            };
            if depth < DEEPEST {
                self.add_says(inner, says, depth + 1);
            }
            if let Piece::Variable { name, fallback, instead } = piece {
                *says |= self.says(name);
                for inner in [fallback, instead].into_iter().flatten().filter(|_| depth < DEEPEST) {
                    self.add_says(inner, says, depth + 1);
                }
            }
        }
    }
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.ask(name);
        self.now.get(name)
    }
    /// The one that another takes the place of: that makes no difference to anybody.
    pub(super) fn replaced(&self, name: &str) -> Option<&Value> {
        self.now.get(name)
    }
    /// Remembers this moment; each is gone back to, or forgotten, before those marked earlier.
    pub(super) fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark { before: self.before.len(), watched: self.watched.as_ref().map_or(0, |watched| watched.len()) }
    }
    /// Goes back to a moment, but for the variables that `stays` names.
    pub(super) fn back(&mut self, to: Mark, stays: impl Fn(&str) -> bool) {
        self.marks -= 1;
        if let Some(watched) = &mut self.watched {
            watched.back(to.watched, &stays);
        }
        let undone = self.before.split_off(to.before.min(self.before.len()));
        for (name, value) in undone.into_iter().rev() {
            if stays(&name) {
                continue;
            }
            match value {
                Some(value) => drop(self.now.insert(name, value)),
                None => drop(self.now.remove(&name)),
            }
        }
    }
    /// Forgets a moment: what was set since then stays.
    pub(super) fn forget(&mut self, _: Mark) {
        self.marks -= 1;
        if self.marks == 0 {
            self.before.clear();
        }
    }
    /// Takes away those whose names begin so.
    pub(super) fn forget_all(&mut self, start: &str) -> Vec<(String, Value)> {
        let names: Vec<String> = self.now.keys().filter(|name| name.starts_with(start)).cloned().collect();
        let taken = names.into_iter().filter_map(|name| Some((self.take(&name)?, name)));
        taken.map(|(value, name)| (name, value)).collect()
    }
    fn take(&mut self, name: &str) -> Option<Value> {
        let before = self.now.remove(name)?;
        if self.marks > 0 {
            self.before.push((name.to_owned(), Some(before.clone())));
        }
        Some(before)
    }
    /// An image is built: its arguments are gone.
    pub(super) fn end_build(&mut self) {
        let of_build = self.now.iter().filter(|(_, value)| value.seen == Seen::Build);
        for name in of_build.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            self.take(&name);
        }
    }
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.now.len()
    }
    /// What programs see.
    pub(super) fn exported(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.now.iter().filter(|(_, v)| v.seen == Seen::Programs).map(|(name, v)| (name.as_str(), v))
    }
    /// All of them, in the order of their names.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Value)> {
        let sorted: std::collections::BTreeMap<_, _> = self.now.iter().collect();
        sorted.into_iter().map(|(name, value)| (name.as_str(), value))
    }
    /// The text, if all its variables are known.
    pub(super) fn resolve(&self, text: &Text) -> Option<String> {
        self.pieces(&text.pieces, 0)
    }
    /// The same, where that makes no difference to anybody.
    pub(super) fn peek(&self, text: &Text) -> Option<String> {
        let known = |name: &str| self.now.get(name)?.text.as_deref();
        let piece = |piece: &Piece| match piece {
            Piece::Literal(text) => Some(text.clone()),
            Piece::Variable { name, instead: None, .. } => known(name).map(str::to_owned),
            _ => None,
        };
        text.pieces.iter().map(piece).collect()
    }
    /// The value that a variable takes from a text.
    pub(super) fn value(&self, text: &Text, at: Span, seen: Seen) -> Value {
        let for_others = matches!(text.pieces.as_slice(), [piece] if self.is_for_others(piece));
        let known = self.resolve(text).filter(|value| value.len() <= LONGEST && !for_others);
        let (mut sure, mut sure_here) = (known.is_some(), known.is_some());
        for piece in &text.pieces {
            let of_piece = match piece {
                Piece::Literal(_) => (true, true),
                Piece::Path(_) | Piece::Opaque => (false, false),
                Piece::Edited { of, .. } => self.are_sure(of, 0),
                Piece::Variable { name, .. } => self.get(name).map_or((false, false), |value| (value.sure, value.sure_here)),
            };
            (sure, sure_here) = (sure && of_piece.0, sure_here && of_piece.1);
        }
        let leads =
            if known.is_none() && !for_others { self.leads(&text.pieces, 0).filter(|to| paths::is_led(to)) } else { None };
        let from = if known.is_some() { self.origins(text) } else { Vec::new() };
        Value { text: known, written: self.written(text), leads, at, here: true, from, seen, sure, sure_here }
    }
    /// Whether all variables in words are sure, and sure here.
    fn are_sure(&self, pieces: &[Piece], depth: usize) -> (bool, bool) {
        pieces.iter().fold((true, true), |all, piece| {
            let of_piece = match piece {
                Piece::Literal(_) => (true, true),
                Piece::Variable { name, .. } => self.get(name).map_or((false, false), |value| (value.sure, value.sure_here)),
                Piece::Edited { of, .. } if depth < DEEPEST => self.are_sure(of, depth + 1),
                Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => (false, false),
            };
            (all.0 && of_piece.0, all.1 && of_piece.1)
        })
    }
    /// The text with unknown variables kept as `${NAME}` and opaque parts as `$()`.
    pub(super) fn written(&self, text: &Text) -> String {
        let mut whole = String::new();
        for piece in &text.pieces {
            match (self.pieces(std::slice::from_ref(piece), 0), piece) {
                (Some(known), _) => whole.push_str(&known),
                (None, Piece::Variable { name, .. }) => match self.get(name).filter(|v| !v.written.is_empty()) {
                    Some(value) => whole.push_str(&value.written),
                    None => whole.push_str(&format!("${{{name}}}")),
                },
                (None, _) => whole.push_str("$()"),
            }
            if whole.len() > LONGEST {
                break;
            }
        }
        whole.truncate(whole.floor_char_boundary(LONGEST));
        whole
    }
    /// The words that a shell cuts a text into where nothing in it is quoted; `None` where none of it is known, and it may be
    /// any words.
    pub(super) fn words(&self, text: &Text) -> Option<Vec<Text>> {
        let given = |piece: &Piece| match piece {
            Piece::Literal(text) => Some(text.clone()),
            piece if self.is_for_others(piece) => None,
            piece => self.pieces(std::slice::from_ref(piece), 0),
        };
        let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
        for piece in &text.pieces {
            let Some(value) = given(piece) else {
                let literal = text.pieces.iter().any(|piece| matches!(piece, Piece::Literal(_)));
                return literal.then(|| vec![text.clone()]);
            };
            if matches!(piece, Piece::Literal(_)) {
                word.get_or_insert_default().push_str(&value);
                continue;
            }
            for (n, part) in value.split(|c: char| c.is_ascii_whitespace()).enumerate() {
                if n > 0 {
                    words.extend(word.take());
                }
                if !part.is_empty() {
                    word.get_or_insert_default().push_str(part);
                }
            }
        }
        words.extend(word);
        Some(words.into_iter().map(|word| Text::literal(word, text.at)).collect())
    }
    /// `${OPTIONS:-}`, `${INDEX:+-i $INDEX}` of a variable that nothing sets: it is there for others to set, and nothing is said
    /// of what they do.
    fn is_for_others(&self, piece: &Piece) -> bool {
        let Piece::Variable { name, fallback, instead } = piece else { return false };
        (instead.is_some() || fallback.as_ref().is_some_and(Vec::is_empty)) && self.get(name).is_none()
    }
    /// The path that a text is, or leads to as [`paths::leading`] takes it.
    pub(super) fn path(&self, text: &Text) -> Option<String> {
        self.resolve(text).or_else(|| self.leads(&text.pieces, 0))
    }
    fn leads(&self, pieces: &[Piece], depth: usize) -> Option<String> {
        let (first, rest) = pieces.split_first().filter(|_| depth <= DEEPEST)?;
        let mut whole = match first {
            Piece::Literal(text) => text.clone(),
            Piece::Opaque | Piece::Edited { .. } => return None,
            Piece::Variable { name, fallback, instead: None } => match (self.get(name), fallback) {
                (Some(Value { text: Some(text), .. }), _) if !text.is_empty() => text.clone(),
                (Some(Value { text: None, leads, .. }), _) => leads.clone()?,
                (_, Some(fallback)) => self.leads(fallback, depth + 1)?,
                (_, None) => return None,
            },
            Piece::Variable { instead: Some(_), .. } => return None,
            Piece::Path(lead) => self.lead(lead, depth)?,
        };
        for piece in rest {
            whole.push_str(&self.pieces(std::slice::from_ref(piece), depth)?);
        }
        (whole.len() <= LONGEST).then_some(whole)
    }
    fn lead(&self, lead: &Lead, depth: usize) -> Option<String> {
        let working = || self.get(WORKING)?.leads.clone();
        let to = match lead {
            Lead::Top => return Some(paths::from_root("")),
            Lead::Working => return working(),
            Lead::To(words) | Lead::Above(words) => self.leads(words, depth + 1)?,
        };
        let to = match to {
            to if paths::is_led(&to) => to,
            to if to.starts_with('~') => return None,
            // Inside an image.
            to if to.starts_with('/') => {
                let whole = paths::inside("/", &to);
                return Some(if matches!(lead, Lead::Above(_)) {
                    format!("/{}", paths::folder(&whole).trim_start_matches('/'))
                } else {
                    whole
                });
            }
            to => format!("{}/{to}", working()?),
        };
        if matches!(lead, Lead::Above(_)) { paths::above(&to) } else { paths::without_detours(&to) }
    }
    fn pieces(&self, pieces: &[Piece], depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let mut whole = String::new();
        for piece in pieces {
            match piece {
                Piece::Literal(text) => whole.push_str(text),
                Piece::Path(_) | Piece::Opaque => return None,
                Piece::Edited { of, edits } => {
                    let text = self.pieces(of, depth + 1)?;
                    whole.push_str(&edits.iter().try_fold(text, |text, edit| edit.apply(&text))?);
                }
                Piece::Variable { name, fallback, instead } => {
                    let set = self.get(name);
                    let full = set.filter(|v| v.text.as_deref() != Some(""));
                    match (instead, fallback) {
                        (Some(instead), _) if full.is_some() => whole.push_str(&self.pieces(instead, depth + 1)?),
                        (Some(_), _) => {}
                        (None, Some(fallback)) if full.is_none() => whole.push_str(&self.pieces(fallback, depth + 1)?),
                        (None, _) => whole.push_str(set?.text.as_deref()?),
                    }
                }
            }
            if whole.len() > 64 * 1024 {
                return None;
            }
        }
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    #[test]
    fn forms() {
        let at = Span::new(Sources::default().set("x", ""), 0, 0);
        let mut variables = Variables::default();
        variables.set("A", Value::known("1".into(), at, Seen::Programs));
        variables.set("U", Value::unknown(at, Seen::Shell));
        let (outer, a) = (variables.mark(), |text: &str| Value::known(text.into(), at, Seen::Shell));
        variables.set("A", a("2"));
        let inner = variables.mark();
        for (name, text) in [("A", "3"), ("A", "4"), ("N", "5"), ("C", "6")] {
            variables.set(name, a(text));
        }
        variables.back(inner, |name| name == "C");
        assert_eq!(variables.get("A").and_then(|v| v.text.as_deref()), Some("2"));
        variables.back(outer, |name| name == "C");
        assert_eq!((variables.get("N").is_none(), variables.get("C").is_some()), (true, true));
        let literal = |t: &str| Some(vec![Piece::Literal(t.into())]);
        let show = |name: &str, fallback, instead| {
            let piece = Piece::Variable { name: name.into(), fallback, instead };
            variables.resolve(&Text { pieces: vec![Piece::Literal("x".into()), piece], at })
        };
        assert_eq!(show("A", None, None).as_deref(), Some("x1"));
        assert_eq!(show("B", None, None), None);
        assert_eq!(show("B", literal("d"), None).as_deref(), Some("xd"));
        assert_eq!(show("A", literal("d"), None).as_deref(), Some("x1"));
        assert_eq!(show("A", None, literal("i")).as_deref(), Some("xi"));
        assert_eq!(show("B", None, literal("i")).as_deref(), Some("x"));
        assert_eq!(show("U", literal("d"), None), None, "set to something unknown");
        assert_eq!(variables.exported().count(), 1);
    }

    #[test]
    fn words() {
        let at = Span::new(Sources::default().set("x", ""), 0, 0);
        let mut variables = Variables::default();
        for (name, text) in [("I", " --index-url  u "), ("V", "2.1.0"), ("E", "")] {
            variables.set(name, Value::known(text.into(), at, Seen::Shell));
        }
        let piece = |name: &str, fallback: Option<&str>, instead: Option<Vec<Piece>>| Piece::Variable {
            name: name.into(),
            fallback: fallback.map(|text| if text.is_empty() { vec![] } else { vec![Piece::Literal(text.into())] }),
            instead,
        };
        let variable = |name: &str| piece(name, None, None);
        let literal = |text: &str| Piece::Literal(text.into());
        let show = |pieces: Vec<Piece>| {
            let words = variables.words(&Text { pieces, at })?;
            Some(words.iter().map(|word| word.known().unwrap_or("?")).collect::<Vec<_>>().join("|"))
        };
        let instead = |name: &str| piece(name, None, Some(vec![literal("-i "), variable("V")]));
        for (pieces, want) in [
            (vec![variable("I")], Some("--index-url|u")),
            (vec![literal("x"), variable("I"), literal("y")], Some("x|--index-url|u|y")),
            (vec![literal("a b=="), variable("V")], Some("a b==2.1.0")),
            (vec![variable("E")], Some("")),
            (vec![variable("N")], None),
            (vec![Piece::Opaque], None),
            (vec![literal("torch=="), variable("N")], Some("?")),
            (vec![piece("N", Some("-i u"), None)], Some("-i|u")),
            (vec![piece("N", Some(""), None)], None),
            (vec![piece("E", Some(""), None)], Some("")),
            (vec![instead("V")], Some("-i|2.1.0")),
            (vec![instead("E")], Some("")),
            (vec![instead("N")], None),
        ] {
            assert_eq!(show(pieces.clone()).as_deref(), want, "{pieces:?}");
        }
    }
}
