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
            matches!(
                act.does,
                Does::Launch(_) | Does::Together(_) | Does::Install(_) | Does::Set(_) | Does::Enter(Place::Directory(_))
            )
        }));
    }
    Outline { acts, ..Outline::default() }
}

/// Whether a text may say something.
pub(crate) fn is_worth_reading(text: &str) -> bool {
    [
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
    /// A block of shell, or of no language: between fences, in `<pre>`, indented.
    Block(usize, usize),
    /// In the midst of a line.
    Inline(usize, usize),
}

/// A fence or a `<pre>` that is open.
enum Open<'t> {
    /// With its run of backticks or tildes, where its text begins, and whether it is shell.
    Fence(&'t str, usize, bool),
    Pre(usize),
}

fn parts(text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut open: Option<Open<'_>> = None;
    // Where an indented block begins, and whether one may begin: behind a blank line.
    let (mut indented, mut blank): (Option<usize>, bool) = (None, true);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        match open {
            // As long as it opened, or longer.
            Some(Open::Fence(mark, from, shell)) if bare.starts_with(mark) && bare.trim_start_matches(&mark[..1]).is_empty() => {
                if shell {
                    found.push(Part::Block(from, start));
                }
                open = None;
            }
            Some(Open::Pre(from)) if line.contains("</pre>") => {
                found.push(Part::Block(from, start + line.find("</pre>").unwrap_or_default()));
                open = None;
            }
            Some(_) => {}
            None => {
                let is_fence =
                    |mark: &&str| bare.starts_with(*mark) && !(*mark == "```" && bare.trim_start_matches('`').contains('`'));
                if let Some(mark) = ["```", "~~~"].into_iter().find(is_fence) {
                    let info = bare.trim_start_matches(&mark[..1]);
                    let language = info.trim().to_ascii_lowercase();
                    let language = language.split([' ', ',', '{', '}']).find(|w| !w.is_empty()).unwrap_or_default();
                    let shell = ["", "sh", "bash", "shell", "console", "zsh", "shell-session", "text", "cmd"]
                        .contains(&language.trim_start_matches('.'));
                    found.extend(indented.take().map(|from| Part::Block(from, start)));
                    open = Some(Open::Fence(&bare[..bare.len() - info.len()], at, shell));
                    blank = false;
                    continue;
                }
                if let Some(tag) = line.find("<pre") {
                    // `<pre><code>`
                    let rest = line[tag..].trim_start_matches(|c| c != '>').trim_start_matches('>');
                    let rest = rest.strip_prefix("<code>").unwrap_or(rest);
                    let behind = line.len() - rest.len();
                    match line[behind..].find("</pre>") {
                        Some(length) => found.push(Part::Block(start + behind, start + behind + length)),
                        None => open = Some(Open::Pre(start + behind)),
                    }
                }
                let is_indented = !bare.is_empty() && (line.starts_with("    ") || line.starts_with('\t'));
                if is_indented && (blank || indented.is_some()) && open.is_none() {
                    indented.get_or_insert(start);
                } else if !bare.is_empty() {
                    found.extend(indented.take().map(|from| Part::Block(from, start)));
                    found.extend(inline(line, start));
                }
                blank = bare.is_empty();
            }
        }
    }
    found.extend(indented.map(|from| Part::Block(from, at)));
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
        for (text, images) in [
            ("- a\n\n  ```sh\n  docker run a\n  ```\n", "a"),
            ("````\ndocker run a\n```\ndocker run b\n````\ndocker run c\n", "a b"),
            ("~~~ bash\ndocker run a\n```\ndocker run b\n~~~\n", "a b"),
            ("x\n\n    docker run a\n\n    docker run b\n\ny\n    docker run c\n", "a b"),
            ("\tdocker run a", "a"),
            (
                "<pre><code>docker run a\ndocker run b</code></pre>\n<pre>docker run c</pre>\n<pre class=\"x\">\ndocker run d\n</pre>\n",
                "a b c d",
            ),
            ("```docker run a```\n```python\ndocker run b\n```\n", "a"),
        ] {
            let acts = read(FileId(0), text).acts;
            let images = images.split(' ').collect::<Vec<_>>();
            let shown = acts
                .iter()
                .filter_map(|act| if let Does::Launch(launch) = &act.does { launch.image.as_ref()?.known() } else { None });
            assert_eq!(shown.collect::<Vec<_>>(), images, "{text}");
        }
        for text in
            ["```\ndocker run\n```\n".repeat(20_000), "`".repeat(1 << 20), "```sh\ndocker ".to_owned() + &"$(".repeat(2_000)]
        {
            read(FileId(0), &text);
        }
    }
}
