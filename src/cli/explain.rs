//! `cudalint explain [RULE]`.

use clap::Args;
use cudalint::source::brief;

use super::{Failure, Verdict, print};

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A rule's name; without one, all rules are listed
    rule: Option<String>,
}

/// A rule and its page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) rule: &'static str,
    /// Markdown: the title is the rule's name, the next line says what it finds.
    pub(super) text: &'static str,
}

/// The pages of all rules, in the order of the catalogue.
pub(super) fn pages() -> Vec<Page> {
    cudalint::rules::RULES.iter().map(|rule| Page { rule: rule.name, text: rule.page }).collect()
}

impl Explain {
    pub(super) fn run(&self) -> Result<Verdict, Failure> {
        let text = show(&pages(), self.rule.as_deref()).map_err(Failure::new)?;
        print(text.as_bytes())?;
        Ok(Verdict::Clean)
    }
}

fn show(pages: &[Page], rule: Option<&str>) -> Result<String, String> {
    let Some(rule) = rule else {
        let width = pages.iter().map(|p| p.rule.len()).max().unwrap_or(0);
        return Ok(pages.iter().map(|p| format!("{:width$}  {}\n", p.rule, summary(p.text))).collect());
    };
    let page = pages.iter().find(|p| p.rule == rule);
    page.map(|p| p.text.to_owned()).ok_or_else(|| match cudalint::rules::nearest(rule) {
        Some(near) => format!("no rule is called {rule}: is it {near}?"),
        None => format!("no rule is called {}; `cudalint explain` lists them", brief(rule)),
    })
}

/// The first line below the title.
fn summary(page: &str) -> &str {
    page.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_printed_and_rules_are_listed() {
        let pages =
            [Page { rule: "a-rule", text: "# a-rule\n\nOne thing.\n\n## Why\n" }, Page { rule: "b", text: "# b\nAnother.\n" }];
        assert_eq!(show(&pages, Some("b")).as_deref(), Ok("# b\nAnother.\n"));
        assert_eq!(show(&pages, None).as_deref(), Ok("a-rule  One thing.\nb       Another.\n"));
        for (name, told) in [
            ("c", "no rule is called c; `cudalint explain` lists them"),
            ("companion", "no rule is called companion: is it companion-mismatch?"),
            ("DRIVER-TOO-OLD", "no rule is called DRIVER-TOO-OLD: is it driver-too-old?"),
        ] {
            assert_eq!(show(&pages, Some(name)), Err(told.to_owned()));
        }
    }
}
