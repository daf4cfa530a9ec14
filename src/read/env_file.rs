//! Files of variables, as Compose reads them: <https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/#env-file-syntax>.

use super::syntax::comments::ignores;
use super::syntax::interpolation::text_of;
use crate::outline::{Act, Does, Outline, Scope, Text, Variable, When};
use crate::source::{FileId, Span};

/// Reads a file: a variable a line.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (mut acts, mut comments) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let said = line.trim_start_matches('\u{feff}').trim();
        let at = from + line.find(said).unwrap_or(0);
        if said.starts_with('#') {
            comments.push(at..at + said.len());
            continue;
        }
        let said = said.strip_prefix("export ").map_or(said, str::trim_start);
        let at = at + (line.trim_start_matches('\u{feff}').trim().len() - said.len());
        let Some((name, value)) = said.split_once('=') else { continue };
        let (name, offset) = (name.trim_end(), at + name.len() + 1);
        let good = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if name.is_empty() || !name.chars().all(good) {
            continue;
        }
        let offset = offset + (value.len() - value.trim_start().len());
        let value = value_of(file, value.trim_start(), offset);
        let variable = Variable { name: name.to_owned(), value: Some(value), scope: Scope::Environment };
        acts.push(Act { at: Span::new(file, at, at + said.len()), when: When::default(), does: Does::Set(variable) });
    }
    Outline { acts, ignores: ignores(file, text, comments.into_iter(), |line| line), ..Outline::default() }
}

/// `'…'` means itself; a comment follows a blank.
fn value_of(file: FileId, written: &str, start: usize) -> Text {
    let span = |from: usize, length: usize| Span::new(file, start + from, start + from + length);
    if let Some(inner) = written.strip_prefix('\'') {
        let inner = inner.split('\'').next().unwrap_or_default();
        return Text::literal(inner, span(1, inner.len()));
    }
    if let Some(inner) = written.strip_prefix('"') {
        let inner = inner.split('"').next().unwrap_or_default();
        return text_of(inner, span(1, inner.len()));
    }
    let end = written.find(" #").or_else(|| written.find("\t#")).unwrap_or(written.len());
    let plain = written[..end].trim_end();
    text_of(plain, span(0, plain.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file() {
        let text = "\u{feff}# c\nTAG=12.4.1 # why\r\nexport A = 'x $Y'\nB=\"${TAG}-z\"\n=x\nnothing\nC=\nD=a#b\n1 2=3\n";
        let show = |text: &str| -> Vec<String> {
            let act = |act: &Act| {
                let Does::Set(variable) = &act.does else { panic!("{act:?}") };
                let value = variable.value.as_ref().expect("a value");
                format!("{}={} {} <{}>", variable.name, &text[value.at.range()], value.known().is_some(), &text[act.at.range()])
            };
            read(FileId(0), text).acts.iter().map(act).collect()
        };
        assert_eq!(
            show(text),
            [
                "TAG=12.4.1 true <TAG=12.4.1 # why>",
                "A=x $Y true <A = 'x $Y'>",
                "B=${TAG}-z false <B=\"${TAG}-z\">",
                "C= true <C=>",
                "D=a#b true <D=a#b>",
            ]
        );
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            show(&text[..end]);
        }
    }
}
