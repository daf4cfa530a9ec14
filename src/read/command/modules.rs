//! Environment modules: `module load cuda/12.1`, and Lmod's `ml` (<https://lmod.readthedocs.io/en/latest/010_user.html>).

use crate::outline::{Does, Modules, Text};
use crate::source::Span;

/// `module`, `ml`.
pub(super) fn modules(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let short = program.known() == Some("ml");
    let option = |w: &&Text| w.known().is_some_and(|w| w.starts_with("--") || w.len() == 2 && w.starts_with('-'));
    let mut rest: Vec<Text> = rest.iter().filter(|w| !option(w)).cloned().collect();
    let verb = rest.first().and_then(Text::known).unwrap_or_default().to_owned();
    let act = |names: Vec<Text>, unloads| Does::Modules(Modules { names, unloads });
    let said = |names: Vec<Text>, unloads| if names.is_empty() { Vec::new() } else { vec![act(names, unloads)] };
    match verb.as_str() {
        "load" | "add" | "try-load" | "try-add" | "switch" | "swap" | "sw" | "unload" | "rm" | "del" | "remove" => {
            rest.remove(0);
            let swaps = matches!(verb.as_str(), "switch" | "swap" | "sw");
            if swaps && rest.len() > 1 {
                let new = rest.split_off(1);
                return vec![act(rest, true), act(new, false)];
            }
            said(rest, matches!(verb.as_str(), "unload" | "rm" | "del" | "remove"))
        }
        "purge" | "reset" | "restore" => vec![act(Vec::new(), true)],
        "list" | "avail" | "av" | "show" | "display" | "spider" | "use" | "unuse" | "save" | "help" | "whatis" | "keyword"
        | "overview" | "" => Vec::new(),
        // `ml gcc -python cuda/12.1`
        _ if short => {
            let goes = |w: &Text| w.known().is_some_and(|w| w.starts_with('-'));
            let (gone, new): (Vec<_>, Vec<_>) = rest.into_iter().partition(goes);
            said(gone, true).into_iter().chain(said(new, false)).collect()
        }
        _ => Vec::new(),
    }
}
