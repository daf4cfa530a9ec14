//! x
use crate::outline::Outline;
use crate::source::FileId;
pub(super) fn read(_: FileId, _: &str) -> Outline { Outline::default() }
