//! Attributes that the library keeps for itself: no field has their names, and nobody sets them by hand.

/// What only the items have that keep unique values.
pub(crate) const UNIQUE: &str = "$unique";

/// Jobs mark what they changed by attributes that begin so.
pub(crate) const JOB: &str = "_job.";

/// The shape of an item, and what has still to be filled in.
const SHAPE: &str = "_shape";
const FILL: &str = "_fill.";

/// Whether the attribute is one of these. The derive knows the same ones.
pub(crate) fn is_reserved(name: &str) -> bool {
    name == UNIQUE || name == SHAPE || name.starts_with(JOB) || name.starts_with(FILL)
}
