//! The variables of one `ENV`: each sees the others as they were before the instruction.
//! Source: <https://docs.docker.com/reference/dockerfile/#environment-replacement>.

use std::collections::HashSet;

use crate::outline::{Piece, Variable};
use crate::source::Span;

/// These in an order in which they can be set one after the other; what one sees that has none is not known.
pub(super) fn ordered(set: Vec<(Span, Variable)>) -> Vec<(Span, Variable)> {
    let names: HashSet<String> = set.iter().map(|(_, variable)| variable.name.clone()).collect();
    let sees_another = |variable: &Variable| sees(variable, |name| name != variable.name && names.contains(name));
    let (mut ordered, rest): (Vec<_>, Vec<_>) = match names.len() == set.len() {
        true => set.into_iter().partition(|(_, variable)| sees_another(variable)),
        // Of several of one name the last one holds.
        false => (Vec::new(), set),
    };
    // Most of them look back.
    ordered.reverse();
    ordered.extend(rest);
    let mut done: HashSet<String> = HashSet::new();
    for (_, variable) in &mut ordered {
        let too_late = sees(variable, |name| done.contains(name));
        if let Some(value) = variable.value.as_mut().filter(|_| too_late) {
            value.pieces = vec![Piece::Opaque];
        }
        done.insert(variable.name.clone());
    }
    ordered
}

/// Whether a variable's value rests on one of such a name.
fn sees(variable: &Variable, named: impl Fn(&str) -> bool) -> bool {
    let mut todo: Vec<&Piece> = variable.value.iter().flat_map(|value| &value.pieces).collect();
    while let Some(piece) = todo.pop() {
        if let Piece::Variable { name, fallback, instead } = piece {
            if named(name) {
                return true;
            }
            todo.extend(fallback.iter().chain(instead).flatten());
        }
    }
    false
}
