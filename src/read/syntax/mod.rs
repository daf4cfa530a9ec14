//! Span-keeping parsers of the carrier formats: YAML, TOML, shell words, comments.

pub(crate) mod comments;
pub(super) mod hcl;
pub(crate) mod ini;
pub(super) mod interpolation;
pub(crate) mod lines;
pub(super) mod template;
pub(crate) mod toml;
pub(crate) mod torn;
pub(super) mod yaml;
