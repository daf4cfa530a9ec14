//! Lines by which a template chooses what a file will say: `{% if GPU %}` of Jinja, `{{- if .GPU }}` of Go. What is tested
//! there is no shell's to answer.

use crate::outline::{Act, Choice};

/// Blocks in blocks beyond this choose nothing that is told.
const DEEPEST: usize = 32;
/// A longer test is told from others by its beginning.
const LONGEST: usize = 256;

/// What a line does.
enum Tag<'t> {
    /// `if`, and what repeats: it may be that nothing of it is there.
    Opens(&'t str),
    /// `elif X`, with its `if X`; `else`.
    Turns(Option<&'t str>),
    /// A block that is no choice begins.
    Holds,
    Ends,
}

/// Sets under which choices of a template the acts of such a text take place.
pub(in crate::read) fn choose(text: &str, acts: &mut [Act]) {
    if !["{%", "{{"].iter().any(|mark| text.contains(mark)) {
        return;
    }
    let lines = lines(text);
    if lines.is_empty() {
        return;
    }
    // From where on which choices hold.
    let mut from: Vec<(usize, Vec<Choice>)> = Vec::new();
    let mut open: Vec<Vec<Test>> = Vec::new();
    for (at, tag) in &lines {
        match tag {
            Tag::Opens(said) => open.push(vec![Test::of(said)]),
            Tag::Holds => open.push(Vec::new()),
            Tag::Turns(said) => {
                if let Some(block) = open.last_mut().filter(|block| block.len() < DEEPEST) {
                    block.last_mut().into_iter().for_each(|test| test.arm = 1 - test.arm);
                    block.extend(said.map(Test::of));
                }
            }
            Tag::Ends => drop(open.pop()),
        }
        let told = open.iter().flatten().take(DEEPEST);
        from.push((*at, told.map(|test| Choice::Branch { test: test.text.as_str().into(), arm: test.arm }).collect()));
    }
    for act in acts {
        let after = from.partition_point(|(at, _)| *at <= act.at.range().start);
        if let Some((_, choices)) = after.checked_sub(1).map(|last| &from[last]) {
            act.when.0.splice(0..0, choices.iter().cloned());
        }
    }
}

/// The lines that are a template's own, with where they begin.
fn lines(text: &str) -> Vec<(usize, Tag<'_>)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        // `# {% if gpu %}`: what stands behind a comment's sign is a template's all the same.
        let bare = line.trim().trim_start_matches('#').trim_start();
        let inner = |open, close| bare.strip_prefix(open)?.strip_suffix(close).filter(|inner: &&str| !inner.contains(close));
        let tag = match (inner("{%", "%}"), inner("{{", "}}")) {
            (Some(inner), _) => jinja(inner.trim_matches(['-', '+']).trim()),
            (_, Some(inner)) => go(inner.trim_matches('-').trim()),
            _ => None,
        };
        found.extend(tag.map(|tag| (at, tag)));
        at += line.len();
    }
    found
}

fn jinja(said: &str) -> Option<Tag<'_>> {
    match said.split_whitespace().next()? {
        "if" | "for" => Some(Tag::Opens(said)),
        "elif" => Some(Tag::Turns(Some(&said[2..]))),
        "else" => Some(Tag::Turns(None)),
        "endif" | "endfor" => Some(Tag::Ends),
        _ => None,
    }
}

fn go(said: &str) -> Option<Tag<'_>> {
    match said.split_whitespace().next()? {
        "if" | "range" | "with" => Some(Tag::Opens(said)),
        "else" => Some(Tag::Turns(Some(said[4..].trim_start()).filter(|said| !said.is_empty()))),
        "define" | "block" => Some(Tag::Holds),
        "end" => Some(Tag::Ends),
        _ => None,
    }
}

/// One test of a block. Each counts by itself, so that those of other blocks move together with it: behind an `elif` the ones
/// before it do not hold.
struct Test {
    text: String,
    arm: u32,
}

impl Test {
    fn of(said: &str) -> Self {
        let words: Vec<&str> = said.split_whitespace().collect();
        let joined = words.iter().any(|word| matches!(*word, "and" | "or"));
        let (words, arm) = match words.as_slice() {
            ["if", "not", rest @ ..] if !joined && !rest.is_empty() => ([&["if"], rest].concat(), 1),
            _ => (words, 0),
        };
        let text: String = words.join(" ").chars().take(LONGEST).collect();
        Self { text: format!("{{% {text} %}}"), arm }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{Does, When};
    use crate::source::{FileId, Span};

    fn shown(text: &str) -> Vec<String> {
        let places = text.match_indices("torch").map(|(at, _)| Span::new(FileId(0), at, at + 5));
        let mut acts: Vec<Act> = places.map(|at| Act { at, when: When::default(), does: Does::Unpackaged }).collect();
        choose(text, &mut acts);
        let choice = |choice: &Choice| match choice {
            Choice::Branch { test, arm } => format!("{arm} of {test}"),
            other => format!("{other:?}"),
        };
        acts.iter().map(|act| act.when.0.iter().map(choice).collect::<Vec<_>>().join(", ")).collect()
    }

    #[test]
    fn arms_of_templates() {
        let jinja = "torch\n{% if a == 'x' %}\ntorch\n{%- elif  b -%}\ntorch\n  {% else %}\n{% for p in ps %}\ntorch\n{% endfor %}\n{% endif %}\ntorch {{ if }}\n# {% if not b %}\ntorch\n# {% endif %}\n";
        let elif_b = "1 of {% if a == 'x' %}, 0 of {% if b %}";
        let each = "1 of {% if a == 'x' %}, 1 of {% if b %}, 0 of {% for p in ps %}";
        assert_eq!(shown(jinja), ["", "0 of {% if a == 'x' %}", elif_b, each, "", "1 of {% if b %}"]);
        let go = "{{- if .GPU }}\ntorch\n{{ else if .X }}\ntorch\n{{- end }}\n{{ define \"x\" }}\ntorch\n{{ end }}\n{{ .Y }}\n{{ end }}\ntorch";
        assert_eq!(shown(go), ["0 of {% if .GPU %}", "1 of {% if .GPU %}, 0 of {% if .X %}", "", ""]);
        shown(&"{% if x %}\ntorch\n".repeat(3_000));
        shown(&("{% if x %}\n".to_owned() + &"{% elif y %}\ntorch\n".repeat(3_000)));
        shown(&"{% else %}\n{% endif %}\ntorch\n{% if x %}".repeat(3_000));
    }
}
