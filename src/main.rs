//! The program `cudalint`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
