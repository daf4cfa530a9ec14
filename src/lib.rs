//! ```text
//!  files ─read→ outlines ─link→ project ─install→ environments ─rules→ clashes ─judge→ diagnostics
//!  one file's    what it says,   who includes,     what is there      two links     graded, labelled,
//!  text          in its order    copies, builds    together, as the   that cannot   merged, suppressed
//!                                whom              installer would    both hold
//! ```
//!
//! A reader knows syntax and nothing else; a rule knows the chain and nothing else. The engine, [`linter::Linter`],
//! sees texts and tables only: no file, clock, network, environment variable or GPU.
//!
//! Choices that a newcomer may wonder about: requirements and markers have scanners of their own (`notation`), because they
//! must keep places, answer in three values, and never panic on half-typed text; Dockerfiles are cut by a splitter that
//! follows BuildKit's rules, so that one broken instruction never takes its neighbours along; a clash carries the evidence
//! of its links, from which `judge` makes labels and severities.

mod able;
mod alternative;
mod capability;
mod chain;
pub mod config;
mod demand;
mod device;
pub mod diagnostic;
pub mod environment;
mod extension;
pub mod globs;
mod hardware;
mod install;
mod judge;
pub mod knowledge;
mod launched;
pub mod linter;
mod loader;
mod made_for_torch;
mod meant;
mod mismatch;
mod near;
mod needs;
pub mod notation;
mod other_image;
pub mod outline;
mod parts;
pub mod platform;
mod project;
mod reach;
pub mod read;
pub mod report;
mod resolve;
pub mod rules;
mod secret;
pub mod settings;
pub mod source;
mod suppress;
mod tagged;
mod unknown;
pub mod version;
pub mod viewpoint;
mod visible;
pub mod walk;
mod wheels;
mod work;
