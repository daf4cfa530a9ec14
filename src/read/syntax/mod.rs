//! Span-keeping parsers of the carrier formats: YAML, TOML, shell words, comments.
