//! `docker-bake.hcl`, `docker-bake.json`: images that are built, with their build arguments.
//! Source: <https://docs.docker.com/build/bake/reference/>.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::excerpt::{Excerpt, UNKNOWN};
use super::syntax::hcl::{self, Value};
use super::syntax::yaml::{Node, Tree};
use super::written;
use crate::outline::{Act, BuildOf, Does, Inline, Launch, Launcher, Outline, Piece, Scope, Text, Variable, When};
use crate::source::{FileId, Span};

/// Targets that a target inherits from beyond these are not looked at.
const INHERITED: usize = 32;
/// Targets with their inherited ones, in all.
const WORK: usize = 20_000;
/// Rows of a matrix.
const ROWS: usize = 64;
/// Maps in maps deeper than this are not known.
const DEEPEST: usize = 8;

/// A block of a bake file, in either notation.
struct Block {
    kind: String,
    label: String,
    at: Span,
    attributes: BTreeMap<String, Value>,
}

/// Reads a bake file in the notation that it begins like.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') { read_json(file, text) } else { read_hcl(file, text) }
}

fn read_hcl(file: FileId, text: &str) -> Outline {
    let blocks = hcl::blocks(file, text).into_iter();
    let block = |b: hcl::Block| Block { kind: b.kind, label: b.label, at: b.at, attributes: b.attributes.into_iter().collect() };
    Outline { acts: acts(&blocks.map(block).collect::<Vec<_>>()), ..Outline::default() }
}

fn read_json(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut blocks = Vec::new();
    for (kind, labels) in tree.documents().flat_map(Node::entries) {
        for (label, body) in labels.entries() {
            let attributes = body.entries().into_iter().filter_map(|(k, v)| Some((k.text()?.to_owned(), value(v, 0)))).collect();
            let (kind, name) = (kind.text().unwrap_or_default().to_owned(), label.text().unwrap_or_default().to_owned());
            blocks.push(Block { kind, label: name, at: label.at(), attributes });
        }
    }
    tree.outline(acts(&blocks), Vec::new())
}

fn value(node: Node<'_>, depth: usize) -> Value {
    if depth == DEEPEST || node.is_null() {
        return Value::Unknown;
    }
    if let Some(text) = node.text() {
        return Value::Text(Text { pieces: hcl::template(text, false), at: node.body() });
    }
    if node.is_list() {
        return Value::List(node.items().into_iter().map(|n| value(n, depth + 1)).collect());
    }
    let entries = node.entries().into_iter();
    Value::Map(entries.filter_map(|(k, v)| Some((k.text()?.to_owned(), value(v, depth + 1)))).collect())
}

/// The names in a list.
fn names(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::List(all)) => all.iter().filter_map(|v| if let Value::Text(t) = v { t.known() } else { None }).collect(),
        _ => Vec::new(),
    }
}

/// One launch for each name of each target that is built.
fn acts(blocks: &[Block]) -> Vec<Act> {
    let of = |kind: &'static str| blocks.iter().filter(move |b| b.kind == kind);
    let targets: HashMap<&str, &Block> = of("target").map(|b| (b.label.as_str(), b)).collect();
    let defaults: HashMap<&str, &Text> = of("variable")
        .filter_map(|b| match b.attributes.get("default")? {
            Value::Text(text) => Some((b.label.as_str(), text)),
            _ => None,
        })
        .collect();
    let grouped: BTreeSet<&str> = of("group").flat_map(|b| names(b.attributes.get("targets"))).collect();
    let inherited: BTreeSet<&str> = of("target").flat_map(|b| names(b.attributes.get("inherits"))).collect();
    let mut acts = Vec::new();
    let mut work = 0;
    for target in of("target") {
        // What others only stand on is not built itself.
        if inherited.contains(target.label.as_str()) && !grouped.contains(target.label.as_str()) {
            continue;
        }
        let mut lineage = vec![target];
        let mut next = 0;
        while let Some(block) = lineage.get(next).copied().filter(|_| next < INHERITED) {
            // Of several the last has the last word.
            let parents = names(block.attributes.get("inherits")).into_iter().rev().filter_map(|name| targets.get(name));
            lineage.extend(parents.take(INHERITED));
            next += 1;
        }
        lineage.truncate(INHERITED);
        work += lineage.len();
        if work > WORK {
            break;
        }
        // Each row is a target of its own.
        for row in rows(target) {
            let row = row.iter().map(|(name, text)| (name.as_str(), *text));
            acts.extend(built(target, &lineage, &defaults.iter().map(|(name, text)| (*name, *text)).chain(row).collect()));
        }
    }
    acts
}

/// The rows of a target's `matrix`, each with what its names stand for: one without names where it has none, or where they are not
/// known.
/// Source: <https://docs.docker.com/build/bake/matrices/>.
fn rows(target: &Block) -> Vec<Vec<(String, &Text)>> {
    let mut rows = vec![Vec::new()];
    let Some(Value::Map(axes)) = target.attributes.get("matrix") else { return rows };
    for (name, values) in axes {
        let Value::List(values) = values else { return vec![Vec::new()] };
        let more = rows.iter().flat_map(|row| values.iter().map(|value| row.iter().cloned().chain(named(name, value)).collect()));
        rows = more.take(ROWS).collect();
    }
    rows
}

/// What a value of a matrix is called: `cuda`, or `item.cuda` where it is a map.
fn named<'b>(name: &str, value: &'b Value) -> Vec<(String, &'b Text)> {
    match value {
        Value::Text(text) => vec![(name.to_owned(), text)],
        Value::Map(all) => {
            let text = |value: &'b Value| if let Value::Text(text) = value { Some(text) } else { None };
            all.iter().filter_map(|(key, value)| Some((format!("{name}.{key}"), text(value)?))).collect()
        }
        Value::List(_) | Value::Unknown => Vec::new(),
    }
}

/// The Dockerfile that a text is; `None` where that is not known. All of it has the place of the text.
fn inline(text: &Text) -> Option<Box<Inline>> {
    let mut body = Excerpt::new(text.at.file);
    for piece in &text.pieces {
        match piece {
            Piece::Literal(literal) => body.push_for(literal, text.at.range()),
            Piece::Variable { .. } => body.push_for(UNKNOWN.encode_utf8(&mut [0; 4]), text.at.range()),
            Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => return None,
        }
    }
    let outline = written::dockerfile(&body, written::Expands::Nothing)?;
    Some(Box::new(Inline { path: String::new(), outline }))
}

fn built(target: &Block, lineage: &[&Block], defaults: &HashMap<&str, &Text>) -> Vec<Act> {
    let get = |key: &str| lineage.iter().find_map(|block| block.attributes.get(key));
    let text = |value: &Value| match value {
        Value::Text(text) => with_defaults(text, defaults),
        _ => Text { pieces: vec![Piece::Opaque], at: target.at },
    };
    let context = get("context").map_or_else(|| Text::literal(".", target.at), text);
    // It lies in the context.
    let dockerfile = get("dockerfile").map(text).map(|mut file| {
        file.pieces.insert(0, Piece::Literal("/".to_owned()));
        file.pieces.splice(0..0, context.pieces.iter().cloned());
        joined(file)
    });
    let mut arguments: BTreeMap<&str, Variable> = BTreeMap::new();
    let mut unread_arguments = lineage.iter().any(|block| matches!(block.attributes.get("inherits"), Some(Value::Unknown)));
    for args in lineage.iter().rev().filter_map(|block| block.attributes.get("args")) {
        let Value::Map(all) = args else {
            unread_arguments = true;
            continue;
        };
        for (name, value) in all {
            let value = if let Value::Text(_) = value { Some(text(value)) } else { None };
            arguments.insert(name, Variable { name: name.clone(), value, scope: Scope::Arg });
        }
    }
    let (target_stage, arguments) = (get("target").map(text), arguments.into_values().collect());
    let mut contexts: BTreeMap<&str, Text> = BTreeMap::new();
    for named in lineage.iter().rev().filter_map(|block| block.attributes.get("contexts")) {
        match named {
            Value::Map(all) => contexts.extend(all.iter().map(|(name, value)| (name.as_str(), text(value)))),
            _ => unread_arguments = true,
        }
    }
    let contexts = contexts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let inline = match get("dockerfile-inline") {
        Some(Value::Text(text)) => match inline(&with_defaults(text, defaults)) {
            Some(inline) => Some(inline),
            None => return Vec::new(),
        },
        Some(_) => return Vec::new(),
        None => None,
    };
    let build = BuildOf { context, dockerfile, inline, target: target_stage, arguments, unread_arguments, contexts };
    let platforms: Vec<Text> = match get("platforms") {
        Some(Value::List(all)) => all.iter().map(text).collect(),
        Some(other) => vec![text(other)],
        None => Vec::new(),
    };
    let launch = |image| {
        let launch = Launch {
            name: Some(target.label.clone()),
            image,
            build: Some(build.clone()),
            platforms: platforms.clone(),
            ..Launch::new(Launcher::DockerBuild, target.at)
        };
        Act { at: target.at, when: When::default(), does: Does::Launch(Box::new(launch)) }
    };
    let tags: Vec<Text> = match get("tags") {
        Some(Value::List(tags)) => tags.iter().map(text).collect(),
        _ => Vec::new(),
    };
    if tags.is_empty() { vec![launch(None)] } else { tags.into_iter().map(|tag| launch(Some(tag))).collect() }
}

/// The text with the defaults of the file's own variables, as they stand where nobody sets them otherwise.
fn with_defaults(text: &Text, defaults: &HashMap<&str, &Text>) -> Text {
    let piece = |piece: &Piece| match piece {
        Piece::Variable { name, .. } => match defaults.get(name.as_str()).map(|text| text.pieces.as_slice()) {
            Some([]) => Piece::Literal(String::new()),
            Some([Piece::Literal(value)]) => Piece::Literal(value.clone()),
            _ => piece.clone(),
        },
        piece => piece.clone(),
    };
    joined(Text { pieces: text.pieces.iter().map(piece).collect(), at: text.at })
}

/// The same with adjacent literals joined.
fn joined(text: Text) -> Text {
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in text.pieces {
        match (pieces.last_mut(), piece) {
            (Some(Piece::Literal(last)), Piece::Literal(next)) => last.push_str(&next),
            (_, piece) => pieces.push(piece),
        }
    }
    Text { pieces, at: text.at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(acts: &[Act]) -> Vec<String> {
        let text = |text: &Text| text.known().unwrap_or("?").to_owned();
        let one = |act: &Act| match &act.does {
            Does::Launch(launch) => {
                let build = launch.build.as_ref().expect("a build");
                let argument = |v: &Variable| format!(" {}={}", v.name, v.value.as_ref().map_or("?".to_owned(), text));
                let file = build.dockerfile.as_ref().map(text);
                format!(
                    "{} {file:?} {:?} {:?}{}{}",
                    text(&build.context),
                    build.target.as_ref().map(text),
                    launch.image.as_ref().map(text),
                    build.arguments.iter().map(argument).collect::<String>(),
                    if build.unread_arguments { " …" } else { "" }
                )
            }
            other => format!("{other:?}"),
        };
        acts.iter().map(one).collect()
    }

    #[test]
    fn targets() {
        let hcl = "variable \"V\" { default = \"1.13.1\" }\nvariable \"W\" {}\ngroup \"default\" { targets = [\"a\"] }\n\
            target \"_base\" {\n  context = \"src\"\n  args = { V = V, B = \"0\" }\n}\n\
            target \"a\" {\n  inherits = [\"_base\"]\n  dockerfile = \"d/Dockerfile\"\n  target = \"run\"\n  tags = [\"me/a:${V}\"]\n\
            \x20 args = { B = \"1\", W = W }\n}\n\
            target \"b\" { args = merge({A = \"1\"}, C) }\ntarget \"c\" { dockerfile-inline = f(V) }\n";
        let want = ["src Some(\"src/d/Dockerfile\") Some(\"run\") Some(\"me/a:1.13.1\") B=1 V=1.13.1 W=?", ". None None None …"];
        assert_eq!(show(&read(FileId(0), hcl).acts), want);
        let json =
            r#"{"variable": {"V": {"default": "1"}}, "target": {"a": {"args": {"V": "${V}", "N": null}}, "b": {"args": 1}}}"#;
        assert_eq!(show(&read(FileId(0), json).acts), [". None None None N=? V=1", ". None None None …"]);
    }

    #[test]
    fn targets_that_inherit_from_themselves_end() {
        let ring =
            "target \"a\" { inherits = [\"b\"] }\ntarget \"b\" { inherits = [\"a\", \"b\"] }\ngroup \"g\" { targets = [\"a\"] }";
        assert_eq!(read(FileId(0), ring).acts.len(), 1);
    }
}
