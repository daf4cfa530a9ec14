//! TOML with byte spans that survives half-typed text.
