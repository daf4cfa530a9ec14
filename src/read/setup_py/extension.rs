//! Whether a project compiles for the GPU with torch's help, and what it asks before.
//!
//! Source: <https://docs.pytorch.org/docs/stable/cpp_extension.html>.

use super::tokens::{Kind, Token};
use super::values::Names;
use crate::outline::{Act, Compile, Does, Text, When};

const NAME: &str = "CUDAExtension";
/// What it is told where to find nvcc by, and what projects let one ask of them where no GPU is seen.
const TOOLKIT: &str = "CUDA_HOME";
const FORCE: &str = "FORCE_CUDA";
/// The words of a test that asks for a GPU, for nvcc, or whether it is forced, and for nothing else.
const ASKS: &[&str] = &[
    "if",
    "torch",
    "cuda",
    "is_available",
    TOOLKIT,
    "cpp_extension",
    "utils",
    "is",
    "None",
    "and",
    "or",
    "os",
    "getenv",
    "environ",
    "get",
    "int",
    "bool",
    "0",
    "1",
    "==",
    "(",
    ")",
    "[",
    "]",
    ".",
    ",",
    ":",
];

/// The first call of torch's `CUDAExtension`, or name for it, that stands under no test, or under one that is understood:
/// its arguments are what that asks, `CUDA_HOME` or `FORCE_CUDA`.
pub(super) fn extension(names: &Names<'_>, found: &[Token]) -> Option<Act> {
    let word = |n: usize| found.get(n).map_or("", |token| names.word(token));
    let is_line = |n: usize| found.get(n).is_none_or(|token| matches!(token.kind, Kind::Line(_)));
    let is_used = |n: usize| word(n + 1) == "(" || n > 0 && word(n - 1) == "=" && is_line(n + 1);
    let mut uses = (0..found.len()).filter(|n| word(*n) == NAME && is_used(*n));
    let (at, asks) = uses.find_map(|n| Some((n, asked(names, &found[..n])?)))?;
    let place = names.span(&(at..at + 1));
    let arguments = asks.into_iter().map(|ask| Text::literal(ask, place)).collect();
    Some(Act { at: place, when: When::default(), does: Does::Compile(Compile { program: NAME.to_owned(), arguments }) })
}

/// What the tests ask under which the statement stands that these tokens lead to, by how far it and those before it are moved in;
/// `None` where one of them asks for something else.
fn asked(names: &Names<'_>, before: &[Token]) -> Option<Vec<&'static str>> {
    let mut asks = Vec::new();
    let mut least = None;
    for (n, token) in before.iter().enumerate().rev() {
        let Kind::Line(indent) = token.kind else { continue };
        // Nothing stands on that line.
        if before.get(n + 1).is_some_and(|next| matches!(next.kind, Kind::Line(_))) {
            continue;
        }
        match least {
            None => least = Some(indent),
            Some(known) if indent < known => {
                least = Some(indent);
                asks.extend(asked_by(names, &before[n + 1..])?);
            }
            Some(_) => {}
        }
    }
    if least.is_some_and(|least| least > 0) {
        asks.extend(asked_by(names, before)?);
    }
    Some(asks)
}

/// What the statement asks that these tokens begin with: a definition nothing.
fn asked_by(names: &Names<'_>, tokens: &[Token]) -> Option<Vec<&'static str>> {
    let end = tokens.iter().position(|token| matches!(token.kind, Kind::Line(_))).unwrap_or(tokens.len());
    let words: Vec<&str> = tokens[..end].iter().map(|token| names.word(token)).collect();
    match *words.first()? {
        "if" => {}
        "elif" | "else" | "try" | "except" | "for" | "while" | "with" => return None,
        _ => return Some(Vec::new()),
    }
    let plain = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    // `CUDA_HOME is None` asks for the opposite.
    let told = |(n, word): (usize, &&str)| match *word {
        "not" => n > 0 && words[n - 1] == "is",
        "None" => n > 1 && words[n - 1] == "not",
        word => ASKS.contains(&word) || ASKS.contains(&plain(word).as_str()) || plain(word) == FORCE,
    };
    if !words.iter().enumerate().all(told) {
        return None;
    }
    let has = |name: &str| words.iter().any(|word| plain(word) == name);
    match (has("is_available"), has(FORCE), has(TOOLKIT)) {
        (true, true, _) => Some(vec![FORCE]),
        (false, false, true) => Some(vec![TOOLKIT]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::outline::Does;
    use crate::source::FileId;

    fn asks(text: &str) -> Option<Vec<String>> {
        read(FileId(0), text).acts.iter().find_map(|act| match &act.does {
            Does::Compile(compile) => Some(compile.arguments.iter().filter_map(|w| w.known().map(str::to_owned)).collect()),
            _ => None,
        })
    }

    #[test]
    fn what_is_asked_before() {
        let choice = |test: &str| {
            format!("def f():\n    e = CppExtension\n    {test}:\n        e = CUDAExtension\n    return [e('a')]\nsetup()\n")
        };
        for (text, want) in [
            ("setup(ext_modules=[CUDAExtension('a', [])])\n".to_owned(), Some(vec![])),
            ("def f():\n    return [CUDAExtension('a', [])]\nsetup()\n".to_owned(), Some(vec![])),
            (choice("if CUDA_HOME is not None"), Some(vec!["CUDA_HOME"])),
            (choice("if CUDA_HOME"), Some(vec!["CUDA_HOME"])),
            (
                choice("if torch.cuda.is_available() and CUDA_HOME is not None or os.getenv('FORCE_CUDA', '0') == '1'"),
                Some(vec!["FORCE_CUDA"]),
            ),
            (choice("if (torch.cuda.is_available() and CUDA_HOME) or os.environ.get(\"FORCE_CUDA\")"), Some(vec!["FORCE_CUDA"])),
            (choice("if torch.cuda.is_available()"), None),
            (choice("if CUDA_HOME").replace('\n', "\n\n# c\n"), Some(vec!["CUDA_HOME"])),
            (choice("if BUILD_CUDA").replace('\n', "\n\n# c\n"), None),
            (choice("if not torch.cuda.is_available()"), None),
            (choice("if CUDA_HOME is None"), None),
            (choice("if sys.platform == 'linux' and CUDA_HOME"), None),
            (choice("if BUILD_CUDA"), None),
            ("if a:\n    x = CUDAExtension('a')\nsetup()\n".to_owned(), None),
            ("try:\n    x = CUDAExtension('a')\nexcept E:\n    pass\nsetup()\n".to_owned(), None),
            ("from torch.utils.cpp_extension import CUDAExtension\nsetup()\n".to_owned(), None),
        ] {
            let want = want.map(|want| want.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(asks(&text), want, "{text}");
        }
    }
}
