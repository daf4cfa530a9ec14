//! The tables themselves, made by `build.rs` from `rules/knowledge/*.toml`.

use super::rows::*;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
