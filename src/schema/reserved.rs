//! Reserved attributes: no field has their names, and users cannot set them.

/// The attribute that only the items that store unique values have.
pub(crate) const UNIQUE: &str = "$unique";

/// The prefix of the attributes by which jobs mark the items that they changed.
pub(crate) const JOB: &str = "_job.";

/// The reserved names; `_shape` is for the shape of an item. The derive has the same two lists, which a test compares.
const NAMES: [&str; 2] = ["$unique", "_shape"];

/// The prefixes of other reserved names; `_fill.` is for values that have not been filled in yet.
const FRONTS: [&str; 2] = ["_job.", "_fill."];

/// Whether the attribute is reserved.
pub(crate) fn is_reserved(name: &str) -> bool {
    NAMES.contains(&name) || FRONTS.iter().any(|front| name.starts_with(front))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither crate can use the other's lists: a derive exports only macros, and each crate is published separately.
    #[test]
    fn the_derive_knows_the_same_names() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/derive/src/check/reserved.rs");
        let derive = std::fs::read_to_string(path).expect("the source of the derive");
        let lists = |source: &str| -> Vec<String> {
            let lines = source.lines().filter(|line| line.starts_with("const "));
            lines.map(str::to_owned).collect()
        };
        let own = lists(include_str!("reserved.rs"));
        assert_eq!(own.len(), 2, "the two lists");
        assert_eq!(lists(&derive), own);
        assert!(is_reserved(UNIQUE) && is_reserved(&format!("{JOB}prices")));
    }
}
