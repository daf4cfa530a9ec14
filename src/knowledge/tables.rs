//! The tables themselves, made by `rules/build` from `rules/knowledge/*.toml`.

use super::files::Brings;
use super::rows::*;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
