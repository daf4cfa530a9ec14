//! One row of a table file, read with names for its mistakes.

use toml::{Table, Value};

pub(crate) type Answer<T> = Result<T, String>;

/// One row, with the defaults of its file.
pub(crate) struct Row<'a> {
    pub(crate) own: &'a Table,
    pub(crate) file: &'a Table,
}

impl<'a> Row<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.own.get(name).or_else(|| self.file.get(name))
    }
    pub(crate) fn text(&self, name: &str) -> Answer<&'a str> {
        match self.get(name) {
            None => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(format!("`{name}` must be a text")),
        }
    }
    pub(crate) fn must(&self, name: &str) -> Answer<&'a str> {
        Some(self.text(name)?).filter(|t| !t.is_empty()).ok_or(format!("`{name}` is missing"))
    }
    pub(crate) fn flag(&self, name: &str) -> Answer<bool> {
        self.get(name).map_or(Ok(false), |v| v.as_bool().ok_or(format!("`{name}` must be true or false")))
    }
    pub(crate) fn list(&self, name: &str) -> Answer<Vec<&'a str>> {
        let wrong = || format!("`{name}` must be a list of texts");
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|v| v.as_str().ok_or_else(wrong)).collect(),
            Some(_) => Err(wrong()),
        }
    }
    pub(crate) fn numbers(&self, name: &str) -> Answer<Vec<u16>> {
        let wrong = || format!("`{name}` must be a list of small numbers");
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.iter().map(|v| v.as_integer().and_then(|n| u16::try_from(n).ok()).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }
    /// A row may be for one thing or for several alike.
    pub(crate) fn each(&self, one: &str, several: &str) -> Answer<Vec<&'a str>> {
        match (self.own.contains_key(one), self.own.contains_key(several)) {
            (true, false) => Ok(vec![self.must(one)?]),
            (false, true) => Some(self.list(several)?).filter(|l| !l.is_empty()).ok_or(format!("`{several}` is empty")),
            _ => Err(format!("exactly one of `{one}` and `{several}` is needed")),
        }
    }
    pub(crate) fn knows_only(&self, keys: &[&str]) -> Answer<()> {
        match self.own.keys().find(|k| !keys.contains(&k.as_str())) {
            Some(key) => Err(format!("unknown key `{key}`")),
            None => Ok(()),
        }
    }
}
