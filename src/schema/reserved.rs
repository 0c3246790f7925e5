//! Reserved attributes: no field has their names, and users cannot set them.

use super::overlap::same_text;

/// The attribute that only the items that store unique values have.
pub(crate) const UNIQUE: &str = "$unique";

/// The prefix of the attributes by which jobs mark the items that they changed.
pub(crate) const JOB: &str = "_job.";

/// The mark of `touch_each`, with which a change is shown although its data are the same. No job can have such a name.
pub(crate) const TOUCH: &str = "_job.+touch";

/// The attribute with the number of the shape of an item. A program that does not know the number rejects the item on
/// reading, so that later programs may change the meaning of attributes.
pub const SHAPE: &str = "_shape";

/// The prefix of the attributes by which a fill says that it has derived a value from the other attributes of the item.
pub(super) const FILL: &str = "_fill.";

/// The reserved names. The derive has the same two lists, which a test compares.
const NAMES: [&str; 2] = ["$unique", "_shape"];

/// The prefixes of other reserved names.
const FRONTS: [&str; 3] = ["_job.", "_fill.", "$large."];

/// Whether the attribute is reserved.
pub(crate) const fn is_reserved(name: &str) -> bool {
    let mut at = 0;
    while at < NAMES.len() {
        if same_text(name, NAMES[at]) {
            return true;
        }
        at += 1;
    }
    let mut at = 0;
    while at < FRONTS.len() {
        if begins_with(name, FRONTS[at]) {
            return true;
        }
        at += 1;
    }
    false
}

const fn begins_with(name: &str, front: &str) -> bool {
    let (name, front) = (name.as_bytes(), front.as_bytes());
    let mut at = 0;
    while at < front.len() && at < name.len() && name[at] == front[at] {
        at += 1;
    }
    at == front.len()
}

/// Whether the attribute is the word of a fill on the item as it was then. A later put of the item does not fill it.
pub(crate) fn is_of_fill(name: &str) -> bool {
    name.starts_with(FILL)
}

/// Whether the attribute is a mark of a job or of a fill, which is no data of the item.
#[cfg(feature = "streams")]
pub(crate) fn is_mark(name: &str) -> bool {
    FRONTS.iter().any(|front| name.starts_with(front))
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
            let lines = source
                .lines()
                .filter(|line| line.starts_with("const ") && line.contains(": ["));
            lines.map(str::to_owned).collect()
        };
        let own = lists(include_str!("reserved.rs"));
        assert_eq!(own.len(), 2, "the two lists");
        assert_eq!(lists(&derive), own);
        assert!(is_reserved(UNIQUE) && is_reserved(SHAPE));
        assert!(is_reserved(&format!("{JOB}prices")) && is_reserved(&format!("{FILL}cents")));
    }
}
