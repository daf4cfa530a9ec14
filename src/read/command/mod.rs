//! Command lines: one grammar a program, used wherever commands stand (shell, Dockerfile, CI, compose).

mod conda;
