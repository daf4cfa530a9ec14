//! The same in other TOML.

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// A list on several lines.
pub(crate) fn long_lists(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let (key, items) = line.text.split_once(" = [").filter(|_| is_toml(kind))?;
        let items = items.strip_suffix(']').filter(|items| !items.is_empty() && !items.contains(['{', '[', '#', '\'']))?;
        // A comma within quotes parts versions.
        let items = items.split("\", ").map(|item| line.with(format!("    \"{}\",", item.trim_matches('"'))));
        Some(std::iter::once(line.with(format!("{key} = ["))).chain(items).chain([line.with("]")]).collect())
    })
}

/// Texts in single quotes.
pub(crate) fn literal_texts(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let plain = is_toml(kind) && line.text.contains('"') && !line.text.contains(['\'', '\\']);
        plain.then(|| vec![line.with(line.text.replace('"', "'"))])
    })
}

/// An inline table as keys with dots.
pub(crate) fn dotted_keys(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let (key, items) = line.text.split_once(" = { ").filter(|_| is_toml(kind))?;
        let items = items.strip_suffix(" }").filter(|items| !items.contains(['{', '[']))?;
        Some(items.split(", ").map(|item| line.with(format!("{key}.{item}"))).collect())
    })
}

/// An inline table as a table of its own, below.
pub(crate) fn own_tables(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        if !is_toml(kind) {
            return None;
        }
        let (mut out, mut below, mut table): (Vec<Line>, Vec<Line>, String) = (Vec::new(), Vec::new(), String::new());
        for line in lines {
            if line.text.starts_with('[') {
                out.append(&mut below);
                table = line.text.trim_matches(['[', ']']).to_owned();
            }
            let inline = line.text.split_once(" = { ").and_then(|(key, items)| Some((key, items.strip_suffix(" }")?)));
            match inline.filter(|(_, items)| !items.contains(['{', '[']) && !table.is_empty()) {
                Some((key, items)) => {
                    below.push(line.with(format!("[{table}.{key}]")));
                    below.extend(items.split(", ").map(|item| line.with(item)));
                }
                None => out.push(line.clone()),
            }
        }
        out.append(&mut below);
        Some(out)
    })
}

fn is_toml(kind: Kind) -> bool {
    matches!(kind, Kind::Pyproject | Kind::Pixi)
}
