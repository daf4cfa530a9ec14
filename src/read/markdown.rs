//! Fenced shell blocks of Markdown: what people type by hand. It is read to silence only: a GPU flag or an index given
//! there.

use super::excerpt::Excerpt;
use super::shell;
use crate::outline::{Act, Does, Outline};
use crate::source::FileId;

/// Fences of a file that are read.
const FENCES: usize = 200;

/// Reads the launches, builds and installs of the shell blocks.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let mut acts = Vec::new();
    for (start, end) in fences(text).into_iter().take(FENCES) {
        let block = &text[start..end];
        if !PROGRAMS.iter().any(|program| block.contains(program)) {
            continue;
        }
        let mut script = Excerpt::new(file);
        let mut at = start;
        for line in block.split_inclusive('\n') {
            let bare = line.trim_start();
            // `$ docker run …`
            let prompt = ["$ ", "> ", "# "]
                .iter()
                .find(|p| bare.starts_with(**p) && bare.len() > 2 && PROGRAMS.iter().any(|w| bare.contains(w)));
            let skip = line.len() - bare.len() + prompt.map_or(0, |p| p.len());
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
        let said = shell::read_excerpt(&script).acts.into_iter();
        acts.extend(said.filter(|act: &Act| match &act.does {
            Does::Launch(_) | Does::Install(_) => true,
            // `export PIP_EXTRA_INDEX_URL=…`
            Does::Set(variable) => variable.name.contains("INDEX"),
            _ => false,
        }));
    }
    Outline { acts, ..Outline::default() }
}

const PROGRAMS: &[&str] = &["docker", "podman", "pip"];

/// Whether a block of the text may say something.
pub(crate) fn is_worth_reading(text: &str) -> bool {
    (text.contains("```") || text.contains("~~~"))
        && (text.contains("--gpus")
            || text.contains("nvidia")
            || text.contains("index-url")
            || text.contains("INDEX_URL")
            || text.contains("torch-backend")
            || text.contains("find-links"))
}

/// The blocks of shell, and those of no language.
fn fences(text: &str) -> Vec<(usize, usize)> {
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
                    found.push((from, start));
                }
                open = None;
            }
            Some(_) => {}
            None => {
                let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) else { continue };
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

#[cfg(test)]
mod tests {
    use super::super::shell::rendering;
    use super::*;

    #[test]
    fn shell_blocks_only() {
        let text = "docker run a\n```bash\n$ docker run --gpus all b \\\n    c\n# docker run d\n```\n~~~python\ndocker run e\n~~~\n```\r\npip install -r r.txt\r\ncd x\r\n```\n```sh\ndocker run f";
        let acts = read(FileId(0), text).acts;
        let shown: Vec<_> = acts.iter().map(|act| rendering::act(act, text)).collect();
        assert_eq!(
            shown,
            ["DockerRun None image Some(\"b\") gpu --gpus all run c", "DockerRun None image Some(\"d\") gpu -", "install "]
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
