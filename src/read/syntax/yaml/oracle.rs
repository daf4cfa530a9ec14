//! The tree against a YAML library: on every valid text the two agree, and no text does harm.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde::Deserialize as _;
use serde_yaml::Value;

use super::{Node, Style, Tree};
use crate::source::FileId;

/// Maps that are merged into one another.
const MERGED: usize = 8;

/// What the library makes of a text, merge keys applied; `None` where it refuses it.
fn theirs(text: &str) -> Option<Vec<Value>> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| {
            let mut value = Value::deserialize(document).ok()?;
            // One round leaves the `<<` of a map that is itself merged.
            for _ in 0..MERGED {
                let before = value.clone();
                value.apply_merge().ok()?;
                if value == before {
                    break;
                }
            }
            Some(value)
        })
        .collect()
}

fn agree(node: Node<'_>, value: &Value) -> Result<(), String> {
    let no = || Err(format!("{:?} {:?} is not {value:?}", node.style(), node.raw()));
    match value {
        Value::Tagged(tagged) => agree(node, &tagged.value),
        Value::String(text) if node.text() == Some(text) => Ok(()),
        Value::Null if node.is_null() => Ok(()),
        Value::Bool(_) | Value::Number(_) => match node.text().map(serde_yaml::from_str::<Value>) {
            // `!!float 1` is a text here, and has the tag's type there.
            Some(Ok(read)) if node.style() == Some(Style::Plain) && (read == *value || read.as_f64() == value.as_f64()) => Ok(()),
            _ => no(),
        },
        Value::Sequence(items) if node.is_list() && node.items().len() == items.len() => {
            node.items().into_iter().zip(items).try_for_each(|(n, v)| agree(n, v))
        }
        Value::Mapping(pairs) if node.is_map() => {
            let entries = node.entries();
            if entries.len() != pairs.len() {
                return no();
            }
            entries.into_iter().try_for_each(|(key, value)| {
                let name = key.text().unwrap_or_default();
                let (_, theirs) = pairs.iter().find(|(k, _)| agree(key, k).is_ok()).ok_or(format!("no key {name}"))?;
                let looked_up = node.get(name).ok_or(format!("{name} is not found"))?;
                if looked_up.id != value.id {
                    return Err(format!("{name} is another one when it is looked up"));
                }
                agree(value, theirs)
            })
        }
        _ => no(),
    }
}

/// Fails where the library reads the text and we read something else.
fn compare(text: &str) -> Result<bool, String> {
    let Some(theirs) = theirs(text) else { return Ok(false) };
    let tree = Tree::read(FileId(0), text);
    if let Some(torn) = tree.torn.first() {
        return Err(format!("torn: {torn:?}"));
    }
    let ours: Vec<_> = tree.documents().collect();
    if ours.is_empty() && theirs == [Value::Null] {
        return Ok(true);
    }
    if ours.len() != theirs.len() {
        return Err(format!("{} documents, not {}", ours.len(), theirs.len()));
    }
    ours.into_iter().zip(&theirs).try_for_each(|(n, v)| agree(n, v)).map(|()| true)
}

/// Reads a text within a second and looks at every byte range of the result.
fn survive(text: &str) {
    let begin = Instant::now();
    let tree = Tree::read(FileId(0), text);
    let mut ahead: Vec<Node<'_>> = tree.documents().collect();
    let mut seen = 0;
    while let Some(node) = ahead.pop().filter(|_| seen < 20_000) {
        seen += 1;
        for span in [node.at(), node.body()] {
            assert!(text.get(span.range()).is_some(), "{span:?}");
        }
        ahead.extend(node.items());
        ahead.extend(node.entries().into_iter().flat_map(|(k, v)| [k, v]));
    }
    for torn in &tree.torn {
        assert!(text.get(torn.at.range()).is_some(), "{torn:?}");
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?} for {} bytes", begin.elapsed(), text.len());
}

/// The project's own files, and those of the folders in `YAML_FOLDERS`, parted by `:`.
#[test]
fn files_of_folders() {
    let more = std::env::var("YAML_FOLDERS").unwrap_or_default();
    let mut folders: Vec<PathBuf> = more.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect();
    folders.push("fixtures".into());
    let (mut compared, mut refused, mut wrong) = (0, 0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["yml", "yaml", "json"].contains(&extension) {
                // Templates are no YAML, whatever one makes of them.
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if text.replace("${{", "").contains("{{") || text.contains("{%") {
                    continue;
                }
                match compare(&text) {
                    Ok(true) => compared += 1,
                    Ok(false) => refused += 1,
                    Err(why) => wrong.push(format!("{}: {why}", path.display())),
                }
            }
        }
    }
    println!("{compared} files agree, {refused} the library refuses");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 20, "{compared}");
}

#[test]
fn shapes_people_write() {
    let valid = [
        "a: 3.10\nb: '3.10'\nc: \"x\\ty\"\nd: ~\ne:\nf: yes\n",
        "run: |\n  a\n    b\n\n  c\nfold: >\n  a\n  b\n\n  c\n   d\nstrip: |-\n  x\n\nkeep: |+\n  y\n\nz: 1\n",
        "? a\n: b\n? c\n: - d\n",
        "- - - a\n  - b\n-\n  c: d\n- {e: f, g}\n- [h, [i]]\n",
        "base: &b\n  image: x\n  env: &e {A: 1}\none:\n  <<: *b\n  env:\n    <<: *e\n    B: 2\ntwo: *b\n",
        "%YAML 1.2\n---\na: !!str 1\n...\n---\nb: 2\n",
        "a: b # c\n# d\ne: 'f # g'\nh: i#j\n",
        "plain: a\n  b\n  c\nquoted: \"a\n  b\\\n  c\"\n",
        "url: http://x:80/y\ntime: 12:30\ncmd: [a, -b, --c=d]\n\"k y\": v\n",
        "jobs:\n  t:\n    runs-on: ${{ matrix.os }}\n    steps:\n    - run: echo ${{ x }}\n",
        "x: y\r\nz:\r\n  - 1\r\n  - 2\r\n",
        "a: |2\n    x\n   y\nb: >2-\n    x\n",
        "a: &a {k: 1}\nb: &b\n  <<: *a\n  l: 2\nc: &c\n  <<: *b\nd:\n  <<: *c\n",
        "a: !!float 1\n",
    ];
    for text in valid {
        assert_eq!(compare(text), Ok(true), "{text:?}");
    }
}

/// The last line of a block scalar has the end that is written, and none where none is.
#[test]
fn ends_of_files() {
    for mark in ["|", ">", "|-", ">-", "|+", ">+", "|2", ">1"] {
        for lines in ["x", "x\n  y", "x\n   y", "x\n\n  y", "x\r\n  y", "é", "x\\"] {
            for end in
                ["", "\n", "\n\n", "\n  ", "\n\n  ", "\n ", "\r\n", "\r", " ", "  \n", "\n# c", "\n# c\n", "\n...", "\nb: c"]
            {
                let text = format!("a: {mark}\n  {lines}{end}");
                assert_eq!(compare(&text), Ok(true), "{text:?}");
            }
        }
    }
}

#[test]
fn hostile() {
    let mut laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (last, next) in "abcdefghijklmnop".chars().zip("bcdefghijklmnopq".chars()) {
        laughs += &format!("{next}: &{next} [{}]\n", vec![format!("*{last}"); 9].join(", "));
    }
    survive(&laughs);
    survive(&laughs.replace('[', "{<<: [").replace(']', "]}"));
    let merges: String = (1..3000).map(|n| format!("m{n}: &m{n} {{<<: *m{}, k{n}: 1}}\n", n - 1)).collect();
    survive(&format!("m0: &m0 {{a: 1}}\n{merges}"));
    for (unit, times) in [
        ("- ", 50_000),
        ("[", 50_000),
        ("{a: ", 50_000),
        ("? ", 20_000),
        ("a:\n\t", 5_000),
        ("'", 30_001),
        ("\"\n", 10_001),
        ("# c\n", 20_000),
        ("- # c\n", 20_000),
        ("&a ", 5_000),
        ("*a ", 5_000),
        ("!", 30_000),
        ("a: b\0", 10_000),
        ("{{ x }}\n", 10_000),
        ("{%", 30_000),
        ("a: b: c\n", 5_000),
        ("- a: {{\n", 5_000),
        ("---\n", 10_000),
        ("%x\n", 10_000),
        ("|\n", 10_000),
        ("x", 1_000_000),
        ("é\r", 50_000),
        ("a: >\n", 10_000),
        ("a: [\n", 10_000),
        (" ", 500_000),
        ("k: v\n", 30_000),
    ] {
        eprintln!("{unit:?}");
        survive(&unit.repeat(times));
    }
    let nested: String = (0..5000).map(|depth| format!("{}a:\n", " ".repeat(depth.min(400)))).collect();
    survive(&nested);
    // Noise, the same on each run.
    let mut state = 7u32;
    let noise: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from_u32((state >> 8) % 0x250).unwrap_or('\n')
    })
    .take(100_000)
    .collect();
    survive(&noise);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~é中\n]{0,12}".prop_map(Value::from),
        "[a-z<>=.*:#-]{1,8}".prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec(("[a-zA-Z0-9_.${} :-]{1,8}", inner), 0..5)
                .prop_map(|pairs| Value::Mapping(pairs.into_iter().map(|(k, v)| (Value::from(k), v)).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn what_the_library_writes(value in values()) {
        let text = serde_yaml::to_string(&value).expect("a text");
        prop_assert_eq!(compare(&text), Ok(true), "{}", text);
    }

    #[test]
    fn any_text(text in "(?s)[a-z0-9:#&*!|>{}<%'\"\\[\\],?\\- \n\t\r\u{0}é中~@`.]{0,200}") {
        survive(&text);
    }

    #[test]
    fn lines_people_type(lines in proptest::collection::vec(
        "( {0,2}){0,3}(- )?([a-c]{1,2}: )?([a-d1.]{0,3}|'x y'|\"z\"|\\[p, q\\]|\\{r: s\\})( # t)?", 0..12)) {
        let text = lines.join("\n");
        let ours = Tree::read(FileId(0), &text);
        if ours.torn.is_empty() {
            prop_assert!(compare(&text).is_ok(), "{}: {:?}", text, compare(&text));
        }
        survive(&text);
    }
}
