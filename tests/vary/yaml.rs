//! The same in other YAML.

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// A list in brackets on a line of its own, as a list of lines.
pub(crate) fn block_lists(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let (key, items) = line.text.split_once(": [").filter(|_| is_yaml(kind))?;
        let items = items.trim_end().strip_suffix(']')?;
        if items.contains(['[', '{', '"', '#']) || key.contains('{') {
            return None;
        }
        let indent: String = key.chars().take_while(|c| *c == ' ').collect();
        let items = items.split(',').map(|item| line.with(format!("{indent}  - {}", item.trim())));
        Some(std::iter::once(line.with(format!("{key}:"))).chain(items).collect())
    })
}

/// A list of lines, in brackets: `channels` and `dependencies`.
pub(crate) fn flow_lists(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        if kind != Kind::CondaEnvironment {
            return None;
        }
        let mut out: Vec<Line> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let below = lines[at + 1..].iter().take_while(|line| line.text.starts_with("  - ")).count();
            let ends = lines.get(at + 1 + below).is_none_or(|line| !line.text.starts_with(' '));
            let items = &lines[at + 1..at + 1 + below];
            let plain = items.iter().all(|line| !line.text.ends_with(':') && !line.text.contains(['[', ',', '*']));
            if lines[at].text.ends_with(':') && below > 0 && ends && plain {
                let texts: Vec<_> = items.iter().map(|line| line.text.trim().trim_start_matches("- ")).collect();
                let mut new = lines[at].with(format!("{} [{}]", lines[at].text, texts.join(", ")));
                new.of.extend(items.iter().flat_map(|line| line.of.iter().cloned()));
                out.push(new);
                at += 1 + below;
            } else {
                out.push(lines[at].clone());
                at += 1;
            }
        }
        Some(out)
    })
}

/// Values in quotes: of list items and of `key: value`.
pub(crate) fn quoted(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let item = matches!(kind, Kind::CondaEnvironment | Kind::Compose).then(|| line.text.split_once("- ")).flatten();
        let (before, value, between) = match item {
            Some((before, value)) if before.trim().is_empty() => (before, value, "- "),
            _ => {
                let (key, value) = line.text.split_once(": ").filter(|_| matches!(kind, Kind::Compose))?;
                (key, value, ": ")
            }
        };
        let plain = !value.is_empty() && !value.contains(['"', '\'', '[', '{', '&', '*', '|', '>', '\\']);
        let one = !value.contains(": ") && !value.contains('#') && value.trim() == value && !value.ends_with(':');
        let number = value.chars().all(|c| c.is_ascii_digit()) || value == "true" || value == "false";
        (plain && one && !number).then(|| vec![line.with(format!("{before}{between}\"{value}\""))])
    })
}

/// Indented by two more below each key: lists of Compose and conda.
pub(crate) fn unindented_lists(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let listed = |line: &Line| line.text.starts_with("  - ") || line.text.starts_with("    ");
        let flat = kind == Kind::CondaEnvironment && lines.iter().all(|line| !line.text.starts_with(' ') || listed(line));
        let less = |line: &Line| line.with(line.text.strip_prefix("  ").unwrap_or(&line.text));
        flat.then(|| lines.iter().map(less).collect())
    })
}

/// `environment:` as a list of `NAME=value` instead of keys, and back.
pub(crate) fn environment_lists(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        if kind != Kind::Compose {
            return None;
        }
        let mut inside: Option<usize> = None;
        let mut out = Vec::new();
        for line in lines {
            let indent = line.text.len() - line.text.trim_start().len();
            if line.text.trim() == "environment:" {
                inside = Some(indent);
            } else if inside.is_some_and(|outer| indent <= outer) {
                inside = None;
            } else if inside.is_some() {
                let spaces = " ".repeat(indent);
                let text = line.text.trim();
                let new = match text.strip_prefix("- ") {
                    Some(item) => item.split_once('=').map(|(name, value)| format!("{spaces}{name}: {value}")),
                    None => text.split_once(": ").map(|(name, value)| format!("{spaces}- {name}={value}")),
                };
                out.push(line.with(new?));
                continue;
            }
            out.push(line.clone());
        }
        Some(out)
    })
}

/// A service through an anchor: `x-common: &common` and `<<: *common`.
pub(crate) fn anchored(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let services = lines.first().filter(|line| kind == Kind::Compose && line.text == "services:")?;
        let names: Vec<_> = lines.iter().filter(|line| line.text.starts_with("  ") && !line.text.starts_with("   ")).collect();
        let [name] = names.as_slice() else { return None };
        let body = lines.iter().filter(|line| line.text.starts_with("   "));
        let body: Vec<_> = body.map(|line| line.with(line.text.strip_prefix("  ").unwrap_or(&line.text))).collect();
        let mut out = vec![Line::new("x-common: &common")];
        out.extend(body);
        out.extend([services.clone(), (*name).clone(), Line::new("    <<: *common")]);
        Some(out)
    })
}

/// A workflow's command in a block.
pub(crate) fn run_blocks(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let (indent, command) =
            line.text.split_once("- run: ").filter(|(_, command)| kind == Kind::Workflow && *command != "|")?;
        let head = line.with(format!("{indent}- run: |"));
        Some(vec![head, line.with(format!("{indent}    set -e")), line.with(format!("{indent}    {command}"))])
    })
}

fn is_yaml(kind: Kind) -> bool {
    matches!(kind, Kind::CondaEnvironment | Kind::Compose | Kind::Kubernetes | Kind::Workflow)
}
