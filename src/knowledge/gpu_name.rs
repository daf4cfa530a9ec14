//! How a GPU's name is compared. `rules/build` uses this file, too, so that tables and questions agree.

/// The letters and digits of a name, lower case: `Tesla V100-SXM2-16GB` is `teslav100sxm216gb`.
pub(crate) fn key(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}
