//! One pass over a text: parser events become nodes, without recursion.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};

use super::{Entry, Shape, Style};

/// Deeper nesting is an error.
const DEPTH: usize = 128;
/// More nodes are an error.
const NODES: usize = 2_000_000;

/// What a pass found.
#[derive(Default)]
pub(super) struct Pass {
    pub(super) nodes: Vec<Entry>,
    pub(super) documents: Vec<u32>,
    pub(super) comments: Vec<Range<usize>>,
    /// Aliases without an anchor.
    pub(super) unresolved: Vec<Range<usize>>,
    /// Where it stopped before the end.
    pub(super) error: Option<Error>,
}

/// Why and where a pass stopped.
pub(super) struct Error {
    pub(super) at: usize,
    pub(super) why: String,
    /// Where the innermost and the outermost open `[` or `{` stand.
    pub(super) openers: Vec<usize>,
    /// No repair helps.
    pub(super) fatal: bool,
}

struct Frame {
    id: u32,
    /// A map's key that waits for its value.
    key: Option<u32>,
    flow: bool,
}

#[derive(Default)]
struct Builder {
    pass: Pass,
    open: Vec<Frame>,
    /// Of this document: the parser's number of an anchor → its node.
    anchors: HashMap<usize, u32>,
}

/// Reads `masked`; scalars that stand on bytes which differ in `text` were written by a template.
pub(super) fn pass(text: &str, masked: &str) -> Pass {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: DEPTH,
        block_nesting_limit: DEPTH
    };
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(masked, options) {
        match next {
            Ok((event, span)) => {
                let at = span.byte_range().unwrap_or(0..0);
                builder.take(text, event, at);
                if builder.pass.nodes.len() > NODES {
                    builder.stop(text.len(), "too many values".to_owned(), true);
                    break;
                }
            }
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(text.len());
                builder.stop(at, error.kind().to_string(), false);
                break;
            }
        }
    }
    while let Some(frame) = builder.open.pop() {
        builder.close(frame, None);
    }
    builder.pass
}

impl Builder {
    fn stop(&mut self, at: usize, why: String, fatal: bool) {
        // A pair in a list (`[a: b]`) opens a map without a bracket: its range is empty so far.
        let brackets = self.open.iter().filter(|f| f.flow).map(|f| &self.pass.nodes[f.id as usize].at);
        let mut brackets = brackets.filter(|at| !at.is_empty()).map(|at| at.start);
        let outermost = brackets.next();
        let openers = brackets.next_back().into_iter().chain(outermost).collect();
        self.pass.error = Some(Error { at, why, openers, fatal });
    }

    fn take(&mut self, text: &str, event: Event<'_>, at: Range<usize>) {
        match event {
            Event::DocumentStart(..) => self.anchors.clear(),
            Event::Comment(..) => self.pass.comments.push(at),
            Event::Alias(anchor) => {
                let shape = self.anchors.get(&anchor).map_or(Shape::Unresolved, |id| Shape::Alias(*id));
                self.leaf(shape, at);
            }
            Event::UnresolvedAlias(_) => {
                self.pass.unresolved.push(at.clone());
                self.leaf(Shape::Unresolved, at);
            }
            Event::Scalar(value, style, anchor, _) => {
                let shape = scalar(text, value.into_owned(), style, &at);
                let id = self.leaf(shape, at);
                self.anchor(anchor, id);
            }
            Event::SequenceStart(style, anchor, _) => {
                let id = self.open(Shape::Sequence(Vec::new()), at, style);
                self.anchor(anchor, id);
            }
            Event::MappingStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                let shape = Shape::Mapping { pairs: Vec::new(), index: HashMap::new(), merges: Vec::new(), flow };
                let id = self.open(shape, at, style);
                self.anchor(anchor, id);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(frame) = self.open.pop() {
                    let end = frame.flow.then_some(at.end);
                    self.close(frame, end);
                }
            }
            _ => {}
        }
    }

    fn anchor(&mut self, anchor: usize, id: u32) {
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
    }

    fn push(&mut self, shape: Shape, at: Range<usize>) -> u32 {
        let weight = match &shape {
            Shape::Scalar { value, .. } => 1 + value.len() / 32,
            _ => 1,
        };
        self.pass.nodes.push(Entry { at, weight, shape });
        u32::try_from(self.pass.nodes.len() - 1).unwrap_or(u32::MAX)
    }

    fn leaf(&mut self, shape: Shape, at: Range<usize>) -> u32 {
        let id = self.push(shape, at);
        self.attach(id);
        id
    }

    fn open(&mut self, shape: Shape, at: Range<usize>, style: StructureStyle) -> u32 {
        let id = self.push(shape, at);
        self.open.push(Frame { id, key: None, flow: style == StructureStyle::Flow });
        id
    }

    /// A collection is complete; a block ends where its last value does.
    fn close(&mut self, mut frame: Frame, end: Option<usize>) {
        if let Some(key) = frame.key.take() {
            self.pair(frame.id, key, key);
        }
        if let Some(end) = end {
            self.pass.nodes[frame.id as usize].at.end = end;
        }
        self.attach(frame.id);
    }

    /// Puts a complete node where it belongs.
    fn attach(&mut self, id: u32) {
        let Some(frame) = self.open.last_mut() else {
            self.pass.documents.push(id);
            return;
        };
        let parent = frame.id;
        let Entry { at: Range { end, .. }, weight, .. } = self.pass.nodes[id as usize];
        let entry = &mut self.pass.nodes[parent as usize];
        entry.at.end = entry.at.end.max(end);
        entry.weight += weight;
        if let Shape::Sequence(items) = &mut entry.shape {
            items.push(id);
            return;
        }
        match frame.key.take() {
            None => frame.key = Some(id),
            Some(key) => self.pair(parent, key, id),
        }
    }

    fn pair(&mut self, map: u32, key: u32, value: u32) {
        let name = match &self.pass.nodes[key as usize].shape {
            Shape::Scalar { value, style, templated: false, .. } => Some((value.clone(), *style)),
            _ => None,
        };
        let Shape::Mapping { pairs, index, merges, .. } = &mut self.pass.nodes[map as usize].shape else { return };
        match name {
            Some((name, Style::Plain)) if name == "<<" => merges.push(value),
            Some((name, _)) => {
                index.insert(name, u32::try_from(pairs.len()).unwrap_or(u32::MAX));
            }
            None => {}
        }
        pairs.push((key, value));
    }
}

fn scalar(text: &str, mut value: String, style: ScalarStyle, at: &Range<usize>) -> Shape {
    let raw = text.get(at.clone()).unwrap_or_default();
    let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
    if is_block && at.end == text.len() {
        end_as_the_file(raw, &mut value);
    }
    let (style, body) = match style {
        ScalarStyle::SingleQuoted => (Style::Single, inside(raw, '\'', at)),
        ScalarStyle::DoubleQuoted => (Style::Double, inside(raw, '"', at)),
        // Of an empty block the parser gives the mark, not the lines.
        ScalarStyle::Literal | ScalarStyle::Folded if value.trim().is_empty() => (Style::Literal, at.end..at.end),
        ScalarStyle::Literal => (Style::Literal, at.clone()),
        ScalarStyle::Folded => (Style::Folded, at.clone()),
        ScalarStyle::Plain => (Style::Plain, at.clone()),
    };
    let templated = is_templated(raw, &value);
    Shape::Scalar { value, style, templated, body }
}

/// The parser ends the last line of a block, even where the file ends without one.
fn end_as_the_file(raw: &str, value: &mut String) {
    let last = |text: &str| text.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let Some(lines) = value.strip_suffix('\n') else { return };
    let (written, read) = (&raw[last(raw)..], &lines[last(lines)..]);
    // A last line of blanks belongs to the block where it stands further right.
    let is_of_block = if written.trim().is_empty() { !read.is_empty() && read.trim().is_empty() } else { true };
    if is_of_block && !written.is_empty() {
        value.pop();
    }
}

/// A mask hides a marker, so the text has one that the value has not.
fn is_templated(raw: &str, value: &str) -> bool {
    ["{{", "{%", "<%"].iter().any(|mark| raw.contains(mark) && !value.contains(mark))
}

fn inside(raw: &str, quote: char, at: &Range<usize>) -> Range<usize> {
    let quoted = raw.len() >= 2 && raw.starts_with(quote) && raw.ends_with(quote);
    if quoted { at.start + 1..at.end - 1 } else { at.clone() }
}
