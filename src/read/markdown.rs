//! Shell in Markdown, in fenced blocks and in the midst of lines: what people type by hand. It is read to silence only: a
//! GPU flag or an index given there, what is installed before.

use super::excerpt::Excerpt;
use super::shell;
use crate::outline::{Act, Does, Outline, Place};
use crate::source::FileId;

/// Blocks of a file that are read, and commands in the midst of lines.
const BLOCKS: usize = 200;
/// No command in the midst of a line is longer.
const LONGEST: usize = 2_000;
/// One of them stands in what is worth reading.
const PROGRAMS: &[&str] = &["docker", "podman", "pip", "conda", "mamba", "setup.py", "uv ", "poetry", "pdm"];

/// Reads the launches, builds and installs.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let mut acts = Vec::new();
    let (mut blocks, mut inline) = (BLOCKS, BLOCKS);
    for part in parts(text) {
        let (script, left) = match part {
            Part::Block(start, end) => (block(file, text, start, end), &mut blocks),
            Part::Inline(start, end) => {
                let mut script = Excerpt::new(file);
                script.push(&text[start..end], start);
                (script, &mut inline)
            }
        };
        if *left == 0 || !PROGRAMS.iter().any(|program| script.text().contains(program)) {
            continue;
        }
        *left -= 1;
        let said = shell::read_excerpt(&script).acts.into_iter();
        acts.extend(said.filter(|act: &Act| {
            matches!(act.does, Does::Launch(_) | Does::Install(_) | Does::Set(_) | Does::Enter(Place::Directory(_)))
        }));
    }
    Outline { acts, ..Outline::default() }
}

/// Whether a text may say something.
pub(crate) fn is_worth_reading(text: &str) -> bool {
    text.contains('`')
        && [
            "--gpus",
            "nvidia",
            "index-url",
            "INDEX_URL",
            "torch-backend",
            "find-links",
            "pip",
            "conda",
            "mamba",
            "docker",
            "podman",
            "setup.py",
        ]
        .iter()
        .any(|word| text.contains(word))
}

/// The commands of a block: without prompts, continued lines joined.
fn block(file: FileId, text: &str, start: usize, end: usize) -> Excerpt {
    let mut script = Excerpt::new(file);
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        let bare = line.trim_start();
        let bare = if PROGRAMS.iter().any(|program| bare.contains(program)) { behind_prompt(bare) } else { bare };
        let skip = line.len() - bare.len();
        let body = line[skip..].trim_end_matches(['\n', '\r']);
        match body.strip_suffix('\\') {
            Some(joined) => script.push(joined, at + skip),
            None => {
                script.push(body, at + skip);
                script.push_for("\n", at + skip + body.len()..at + skip + body.len());
            }
        }
        at += line.len();
    }
    script
}

/// What is typed behind a prompt: `$ docker run …`, `(base) me@host:~$ pip …`, `C:\\x> pip …`, `!pip …` of a notebook.
fn behind_prompt(line: &str) -> &str {
    let named = line.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(line, |(_, rest)| rest);
    if let Some(typed) = ["$ ", "> ", "# ", "!", "%"].iter().find_map(|sign| named.strip_prefix(sign)) {
        return typed.trim_start();
    }
    // A shell's prompt names who or where before its sign; on Windows no blank need follow.
    let windows = named.strip_prefix("PS ").unwrap_or(named);
    let drive = windows.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && windows[1..].starts_with(":\\");
    let is_place = |place: &str| place.contains('@') && place.contains([':', '~']) || place.starts_with(['[', '~']);
    if drive {
        return windows.split_once('>').map_or(line, |(_, typed)| typed.trim_start());
    }
    let typed = ["$ ", "# ", "% "].iter().filter_map(|sign| named.split_once(sign)).min_by_key(|(place, _)| place.len());
    typed.filter(|(place, _)| is_place(place)).map_or(line, |(_, typed)| typed.trim_start())
}

/// A part of a text that is code.
enum Part {
    /// A block of shell, or of no language.
    Block(usize, usize),
    /// In the midst of a line.
    Inline(usize, usize),
}

fn parts(text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        match open {
            Some((mark, from, shell)) if bare.starts_with(mark) && bare.trim_start_matches(&mark[..1]).is_empty() => {
                if shell {
                    found.push(Part::Block(from, start));
                }
                open = None;
            }
            Some(_) => {}
            None => {
                let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) else {
                    found.extend(inline(line, start));
                    continue;
                };
                let language = bare.trim_start_matches(&mark[..1]).trim().to_ascii_lowercase();
                let language =
                    language.split([' ', ',', '{', '}']).find(|w| !w.is_empty()).unwrap_or_default().trim_start_matches('.');
                let shell = ["", "sh", "bash", "shell", "console", "zsh", "shell-session", "text", "cmd"].contains(&language);
                open = Some((mark, at, shell));
            }
        }
    }
    found
}

/// What stands between backticks of a line.
fn inline(line: &str, at: usize) -> impl Iterator<Item = Part> {
    let ticks: Vec<usize> = line.match_indices('`').map(|(n, _)| n).collect();
    let pairs: Vec<Part> = ticks
        .chunks_exact(2)
        .filter(|pair| (2..LONGEST).contains(&(pair[1] - pair[0])))
        .map(|pair| Part::Inline(at + pair[0] + 1, at + pair[1]))
        .collect();
    pairs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::shell::rendering;
    use super::*;

    #[test]
    fn prompts() {
        for line in [
            "$ pip install x",
            "% pip install x",
            "!pip install x",
            "> pip install x",
            "(env) $ pip install x",
            "(base) me@host:~/a$ pip install x",
            "me@host ~ % pip install x",
            "[me@host a]$ pip install x",
            "root@1a2b:/workspace# pip install x",
            "C:\\Users\\me>pip install x",
            "(env) C:\\> pip install x",
            "PS C:\\x> pip install x",
        ] {
            assert_eq!(behind_prompt(line), "pip install x", "{line}");
        }
        for line in ["pip install x # y", "pip install \"x>1\" $ a", "é", "", "echo a@b.c $ x", "é:\\>"] {
            assert_eq!(behind_prompt(line), line);
        }
    }

    #[test]
    fn shell_blocks_only() {
        let text = "docker run a\n```bash\n$ docker run --gpus all b \\\n    c\n# docker run d\n```\n~~~python\ndocker run e\n~~~\n```\r\npip install -r r.txt\r\ncd x\r\n```\n```sh\ndocker run f";
        let acts = read(FileId(0), text).acts;
        let shown: Vec<_> = acts.iter().map(|act| rendering::act(act, text)).collect();
        assert_eq!(
            shown,
            [
                "DockerRun None image Some(\"b\") gpu --gpus all run c",
                "DockerRun None image Some(\"d\") gpu -",
                "install ",
                "cd x"
            ]
        );
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            read(FileId(0), &text[..end]);
        }
        for text in
            ["```\ndocker run\n```\n".repeat(20_000), "`".repeat(1 << 20), "```sh\ndocker ".to_owned() + &"$(".repeat(2_000)]
        {
            read(FileId(0), &text);
        }
    }
}
