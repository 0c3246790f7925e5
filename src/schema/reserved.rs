//! Attributes that the library keeps for itself: no field has their names, and nobody sets them by hand.

/// What only the items have that keep unique values.
pub(crate) const UNIQUE: &str = "$unique";

/// Jobs mark what they changed by attributes that begin so.
pub(crate) const JOB: &str = "_job.";

/// The names; `_shape` is that of the shape of an item. The derive has the same two lists, see the test.
const NAMES: [&str; 2] = ["$unique", "_shape"];

/// What other names begin with; `_fill.` those of what has still to be filled in.
const FRONTS: [&str; 2] = ["_job.", "_fill."];

/// Whether the attribute is one of these.
pub(crate) fn is_reserved(name: &str) -> bool {
    NAMES.contains(&name) || FRONTS.iter().any(|front| name.starts_with(front))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No crate can take a list from the other: a derive exports nothing but macros, and each is published by itself.
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
