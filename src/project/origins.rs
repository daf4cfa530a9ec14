//! Where the values are written that a text takes from variables: the lines that a user would change.

use std::collections::BTreeMap;

use super::variables::{DEEPEST, Variables};
use crate::environment::Reason;
use crate::outline::{BuildOf, Outline, Piece, Text};
use crate::source::Span;

/// One such place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Origin {
    /// The variable.
    name: String,
    /// What it is, where that is short.
    value: Option<String>,
    at: Span,
}

/// Of more places of one text the rest is not named.
const MOST: usize = 4;
/// A longer value is not shown.
const LONGEST: usize = 64;

impl Origin {
    /// As a reason to be shown. What goes into an address may be a password.
    fn reason(&self, in_address: bool) -> (Span, Reason) {
        let name = self.name.clone();
        let reason = match self.value.clone().filter(|value| !in_address && !value.contains("://")) {
            Some(value) => Reason::Holds { name, value },
            None => Reason::Variable { name },
        };
        (self.at, reason)
    }
    fn new(name: &str, value: &str, at: Span) -> Self {
        let value = Some(value).filter(|value| value.len() <= LONGEST && !value.contains('\n')).map(str::to_owned);
        Self { name: name.to_owned(), value, at }
    }
}

impl Variables {
    /// The places of the variables in a text that is known whole.
    pub(super) fn origins(&self, text: &Text) -> Vec<Origin> {
        let mut found = Vec::new();
        self.add_origins(&text.pieces, &mut found, 0);
        found
    }
    fn add_origins(&self, pieces: &[Piece], found: &mut Vec<Origin>, depth: usize) {
        for piece in pieces {
            let Piece::Variable { name, fallback, instead } = piece else { continue };
            if found.len() >= MOST || depth > DEEPEST {
                return;
            }
            let value = self.get(name).and_then(|value| Some((value, value.text.as_ref().filter(|text| !text.is_empty())?)));
            match (value, instead, fallback) {
                (Some((value, text)), ..) => {
                    let own = Origin::new(name, text, value.at);
                    let all = value.here.then_some(own).into_iter().chain(value.from.iter().cloned());
                    for origin in all {
                        if found.len() < MOST && !found.iter().any(|known| known.at == origin.at) {
                            found.push(origin);
                        }
                    }
                    if let Some(instead) = instead {
                        self.add_origins(instead, found, depth + 1);
                    }
                }
                (None, None, Some(fallback)) => self.add_origins(fallback, found, depth + 1),
                (None, ..) => {}
            }
        }
    }
    /// The same as reasons for what the text is.
    pub(super) fn reasons(&self, text: &Text) -> Vec<(Span, Reason)> {
        let origins = self.origins(text);
        if origins.is_empty() {
            return Vec::new();
        }
        let in_address = self.resolve(text).is_none_or(|text| text.contains("://"));
        reasons(&origins, in_address)
    }
}

/// Those of the values that a reader has put into a text, which comes to `whole`.
pub(super) fn put_in(outline: &Outline, text: &Text, whole: &str) -> Vec<Origin> {
    let begin = outline.put_in.partition_point(|put| put.at.start < text.at.start);
    let inside = outline.put_in[begin..].iter().take_while(|put| put.at.start < text.at.end);
    // Of the rows of a matrix those that have this value.
    let here = inside.filter(|put| text.at.contains(put.at) && whole.contains(&put.value));
    here.take(MOST).map(|put| Origin::new(&put.name, &put.value, put.from)).collect()
}

/// As reasons for a text; what goes into an address may be a password, and is not shown.
pub(super) fn reasons(origins: &[Origin], in_address: bool) -> Vec<(Span, Reason)> {
    origins.iter().map(|origin| origin.reason(in_address)).collect()
}

/// Where the build arguments are written that a build gives, by name.
pub(super) fn of_build(build: &BuildOf, outline: &Outline, variables: &Variables) -> BTreeMap<String, Vec<Origin>> {
    let mut found = BTreeMap::new();
    for argument in &build.arguments {
        let own = || {
            let value = variables.get(&argument.name)?;
            Some(Origin::new(&argument.name, value.text.as_ref()?, value.at))
        };
        let all = match &argument.value {
            Some(text) => {
                let value = variables.resolve(text);
                let put = value.as_deref().map(|value| put_in(outline, text, value)).unwrap_or_default();
                let written = value.map(|value| Origin::new(&argument.name, &value, text.at));
                written.into_iter().chain(put).chain(variables.origins(text)).take(MOST).collect()
            }
            // The builder's own variable of that name.
            None => own().into_iter().collect(),
        };
        // Of one name the last holds.
        found.insert(argument.name.clone(), all);
    }
    found
}

/// Adds those of another build that gives the same.
pub(super) fn join(known: &mut BTreeMap<String, Vec<Origin>>, others: &BTreeMap<String, Vec<Origin>>) {
    for (name, others) in others {
        let all = known.entry(name.clone()).or_default();
        for origin in others {
            if all.len() < MOST && !all.contains(origin) {
                all.push(origin.clone());
            }
        }
    }
}
