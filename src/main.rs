//! The program `cudalint`.
fn main() {}
