//! Arguments and wiring; one file a command.

mod check;
mod explain;
mod hosts;
mod progress;
mod root;
mod targets;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Finds where GPU, driver, CUDA, framework and Python stop fitting each other.
#[derive(Debug, Parser)]
#[command(name = "cudalint", version, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    check: check::Check,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lint files and folders; the command when none is named
    Check(Box<check::Check>),
    /// Print the page of a rule, or list the rules
    Explain(explain::Explain),
}

/// Why a command could not run: one line each.
#[derive(Debug)]
struct Failure(Vec<String>);

impl Failure {
    fn new(line: impl Into<String>) -> Self {
        Self(vec![line.into()])
    }
}

/// What a command that ran comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Clean,
    Findings,
}

/// Parses the arguments and runs the command.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None => arguments.check.run(),
        Some(Command::Check(check)) => check.run(),
        Some(Command::Explain(explain)) => explain.run(),
    };
    match done {
        Ok(Verdict::Clean) => ExitCode::SUCCESS,
        Ok(Verdict::Findings) => ExitCode::from(1),
        Err(Failure(lines)) => {
            for line in lines {
                tell(&format!("error: {line}"));
            }
            ExitCode::from(2)
        }
    }
}

/// One line on standard error, free of control characters; nobody may be listening.
fn tell(line: &str) {
    use std::io::Write;
    let line = cudalint::report::one_line(line);
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes to standard output; a reader that has left (`| head`) is no failure.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    use std::io::{ErrorKind, Write};
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(format!("standard output: {error}"))),
        _ => Ok(()),
    }
}
