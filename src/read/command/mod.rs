//! Command lines: one grammar a program, used wherever commands stand (shell, Dockerfile, CI, compose).

pub(super) mod asks;
pub(super) mod options;
pub(super) mod pip;
pub(super) mod uv;
