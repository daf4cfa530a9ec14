//! Functions: what stands in one happens where it is called.

use std::collections::{HashMap, HashSet};

use crate::outline::{Act, Choice, Does, Leaves, Piece, Place, Scope, Text, Variable, When};
use crate::read::command;
use crate::source::Span;

/// Calls in calls.
const DEEPEST: usize = 16;
/// Acts of a script, those of its functions once a call.
const MOST: usize = 50_000;
/// Arguments of a call that count.
const ARGUMENTS: usize = 9;
/// Words of a script that are handed on by calls; of more nothing is said.
const HANDED: usize = 50_000;

/// What a script says, before its calls are followed.
#[derive(Debug)]
pub(super) enum Entry {
    /// An act of its own.
    Act(Box<Act>),
    /// A function is defined: the body of that number.
    Function(usize),
    /// A function is called.
    Call(Call),
    /// A command of a function takes in what the function is given.
    Handed(Handed),
}

/// A command with `"$@"` among its words.
#[derive(Debug)]
pub(super) struct Handed {
    pub(super) words: Vec<Text>,
    pub(super) at: Span,
    pub(super) when: Vec<Choice>,
}

/// Whether a word stands for all that a function is given: `"$@"`.
pub(super) fn is_all_given(word: &Text) -> bool {
    matches!(word.pieces.as_slice(), [Piece::Variable { name, fallback: None, instead: None }] if name == "@")
}

/// A call of a function of the script.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) when: Vec<Choice>,
    pub(super) arguments: Vec<Text>,
}

/// The functions of a script.
#[derive(Default)]
pub(super) struct Functions {
    /// All names, also of those that are defined further down.
    names: HashSet<String>,
    bodies: Vec<Body>,
    /// The script runs the words that it is given: any function may be called.
    told: bool,
    /// The bodies that a name stands for; several, where each is defined under a test.
    of: HashMap<String, Vec<usize>>,
}

struct Body {
    name: String,
    at: Span,
    entries: Vec<Entry>,
}

impl Functions {
    pub(super) fn declare(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }
    /// A command's program is an argument of the script.
    pub(super) fn is_told(&mut self) {
        self.told = true;
    }
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
    /// Keeps a body; a definition without a test takes the place of earlier ones.
    pub(super) fn define(&mut self, name: &str, at: Span, tested: bool, entries: Vec<Entry>) -> usize {
        let number = self.bodies.len();
        self.bodies.push(Body { name: name.to_owned(), at, entries });
        let of = self.of.entry(name.to_owned()).or_default();
        if !tested {
            of.clear();
        }
        of.push(number);
        number
    }
    /// The bodies that some call reaches.
    fn called(&self, entries: &[Entry]) -> HashSet<usize> {
        let mut called = HashSet::new();
        let mut todo: Vec<&[Entry]> = vec![entries];
        while let Some(entries) = todo.pop() {
            for entry in entries {
                let Entry::Call(call) = entry else { continue };
                for number in self.of.get(&call.name).into_iter().flatten() {
                    if called.insert(*number) {
                        todo.push(&self.bodies[*number].entries);
                    }
                }
            }
        }
        called
    }
}

/// The acts in the order in which they happen; `None` where calls of calls make too many of them.
/// A function that nothing here calls happens in a world of its own where the file is there to be read by others, or calls
/// what it is told to (`"$@"`); in a script that does its own work it never happens.
pub(super) fn follow(entries: &[Entry], functions: &Functions, cut: &HashSet<Span>) -> Option<Vec<Act>> {
    let called = functions.called(entries);
    let works = |entry: &Entry| match entry {
        Entry::Act(act) => {
            !matches!(act.does, Does::Set(_) | Does::Answer(_) | Does::Enter(_) | Does::Leave(_) | Does::Edit(_) | Does::Sift(_))
        }
        Entry::Call(_) | Entry::Handed(_) => true,
        Entry::Function(_) => false,
    };
    let never = !functions.told && entries.iter().any(works);
    let mut follow =
        Follow { functions, cut, called, never, acts: Vec::new(), open: Vec::new(), given: 0, words: None, handed: HANDED };
    follow.entries(entries, &[]).then_some(follow.acts)
}

struct Follow<'f> {
    functions: &'f Functions,
    /// The places of words that the shell cuts.
    cut: &'f HashSet<Span>,
    called: HashSet<usize>,
    /// What is not called never happens.
    never: bool,
    acts: Vec<Act>,
    /// The functions that are being called.
    open: Vec<usize>,
    /// Arguments that the last call set.
    given: usize,
    /// All words that the function is given that is being called, with the call; `None` where they are not known.
    words: Option<(Vec<Text>, Span)>,
    /// How many words may still be handed on.
    handed: usize,
}

impl Follow<'_> {
    /// Whether all of it had room.
    fn entries(&mut self, entries: &[Entry], under: &[Choice]) -> bool {
        for entry in entries {
            let room = match entry {
                Entry::Act(act) => {
                    // `shift`: which words are left is not known.
                    if matches!(&act.does, Does::Set(variable) if variable.name == "1") {
                        self.words = None;
                    }
                    let when = joined(under, &act.when.0);
                    self.acts.push(Act { when: When(when), ..Act::clone(act) });
                    self.acts.len() < MOST
                }
                Entry::Function(number) if self.called.contains(number) => true,
                Entry::Function(number) => {
                    let body = &self.functions.bodies[*number];
                    // It is still said: another file may read this one.
                    let alone = match self.never {
                        true => Choice::Branch { test: "false".into(), arm: 0 },
                        false => Choice::Branch { test: format!("{}()", body.name).into(), arm: 1 },
                    };
                    self.body(*number, body.at, &joined(under, &[alone]), Place::Subshell)
                }
                Entry::Call(call) => self.call(call, under),
                Entry::Handed(handed) => self.hand(handed, under),
            };
            if !room {
                return false;
            }
        }
        true
    }

    /// Words with what the function is given in its place, where that is known; whether it is.
    fn filled(&mut self, words: &[Text]) -> (Vec<Text>, bool) {
        let Some((given, _)) = self.words.as_ref().filter(|(given, _)| given.len() <= self.handed) else {
            return (words.to_vec(), false);
        };
        let mut filled = Vec::with_capacity(words.len() + given.len());
        for word in words {
            if is_all_given(word) { filled.extend(given.iter().cloned()) } else { filled.push(word.clone()) }
        }
        self.handed -= given.len();
        (filled, true)
    }

    /// A command happens with the words that its function is given.
    fn hand(&mut self, handed: &Handed, under: &[Choice]) -> bool {
        let (words, filled) = self.filled(&handed.words);
        let at = self.words.as_ref().filter(|_| filled).map_or(handed.at, |(_, at)| *at);
        let when = joined(under, &handed.when);
        if let Some((first, arguments)) = words.split_first()
            && let Some(name) = first.known().filter(|name| filled && self.functions.has(name))
        {
            let call = Call { name: name.to_owned(), at, when: handed.when.clone(), arguments: arguments.to_vec() };
            return self.call(&call, under);
        }
        let does = command::read_cut(&words, at, self.cut);
        self.acts.extend(does.into_iter().map(|does| Act { at, when: When(when.clone()), does }));
        self.acts.len() < MOST
    }

    fn call(&mut self, call: &Call, under: &[Choice]) -> bool {
        let under = joined(under, &call.when);
        let Some(bodies) = self.functions.of.get(&call.name) else { return true };
        let empty = Text { pieces: Vec::new(), at: call.at };
        // `main "$@"`: the arguments are the caller's.
        let hands_on = matches!(call.arguments.as_slice(), [one] if is_all_given(one));
        let (arguments, filled) = self.filled(&call.arguments);
        let known = filled || !arguments.iter().any(is_all_given);
        let words = known.then(|| (arguments.clone(), self.words.as_ref().filter(|_| filled).map_or(call.at, |(_, at)| *at)));
        for number in bodies {
            let given = arguments.len().min(ARGUMENTS);
            let values = arguments.iter().take(given).chain(std::iter::repeat_n(&empty, self.given.saturating_sub(given)));
            let set = |(n, value): (usize, &Text)| {
                // The caller's own arguments are being replaced, the first ones first.
                let replaced = |piece: &Piece| match piece {
                    Piece::Variable { name, .. } => name == "@" || name.parse::<usize>().is_ok_and(|own| own <= n),
                    _ => false,
                };
                let mut value = value.clone();
                if value.pieces.iter().any(replaced) {
                    value.pieces = vec![Piece::Opaque];
                }
                let variable = Variable { name: (n + 1).to_string(), value: Some(value), scope: Scope::Shell };
                Act { at: call.at, when: When(under.clone()), does: Does::Set(variable) }
            };
            let sets: Vec<Act> = values.enumerate().map(set).collect();
            if !hands_on {
                self.given = given.max(self.given);
                self.acts.extend(sets);
            }
            let before = std::mem::replace(&mut self.words, words.clone());
            let room = self.body(*number, call.at, &under, Place::Call);
            self.words = before;
            if !room {
                return false;
            }
        }
        true
    }

    fn body(&mut self, number: usize, at: Span, under: &[Choice], place: Place) -> bool {
        if self.open.len() == DEEPEST || self.open.contains(&number) {
            return true;
        }
        let enter = |place| Act { at, when: When(under.to_vec()), does: Does::Enter(place) };
        let before = self.acts.len();
        self.acts.push(enter(place));
        self.open.push(number);
        let room = self.entries(&self.functions.bodies[number].entries, under);
        self.open.pop();
        if self.acts.len() == before + 1 {
            self.acts.pop();
        } else {
            self.acts.push(enter(Place::Back));
        }
        room
    }
}

fn joined(under: &[Choice], more: &[Choice]) -> Vec<Choice> {
    let mut all = under.to_vec();
    all.extend(more.iter().filter(|choice| !under.contains(choice)).cloned());
    all
}

/// `exit`, `return`, `exec x`: what the rest of the script, function or subshell waits for in vain.
pub(super) fn leaves(words: &[Text]) -> Option<Leaves> {
    match words.first()?.known()? {
        "exit" => Some(Leaves::Shell),
        "exec" if words.len() > 1 => Some(Leaves::Shell),
        "return" => Some(Leaves::Function),
        _ => None,
    }
}
