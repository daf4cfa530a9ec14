//! Indexes and channels, with their addresses.

use crate::Tables;
use crate::order::{Key, text_key};
use crate::row::{Answer, Row};

impl Tables {
    pub(crate) fn index(&mut self, row: &Row) -> Answer<Key> {
        let id = row.must("id")?;
        let source = self.source(row.must("source")?)?;
        for url in row.list("urls")? {
            self.addresses.push((url.to_owned(), id.to_owned()));
        }
        let text = format!(
            "Index {{ id: {id:?}, address: {:?}, tag: {:?}, flat: {}, complete: {:?}, closed: {}, local_versions: {}, pre_releases: {}, candidates: {}, \
             carries: &{:?}, source: {source} }}",
            row.list("urls")?.first().unwrap_or(&""),
            row.text("tag")?,
            row.flag("flat")?,
            row.text("complete")?,
            row.flag("closed")?,
            row.flag("local_versions")?,
            row.flag("pre_releases")?,
            row.flag("candidates")?,
            row.list("carries")?,
        );
        self.indexes.push((text_key(id), text));
        Ok(text_key(id))
    }

    pub(crate) fn mirror(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let of = row.must("of")?;
        self.mirrors.push((of.to_owned(), row.list("urls")?.iter().map(|u| (*u).to_owned()).collect()));
        Ok(text_key(of))
    }
}
