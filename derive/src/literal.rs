//! The literals of a key template may hold some characters only.
//!
//! Two stages say it: `parse` where the declaration tells how its keys are written, and `expand` by a condition for the
//! compiler where a shared table does.

/// Tells whether a character has no place in the literals of an escaped key, where only `#` and what sorts
/// above `%` have one.
pub(crate) fn sorts_low(c: char) -> bool {
    c <= '%' && c != '#'
}

/// Returns what is said of a literal with such a character, in the same words at both stages.
pub(crate) fn unfit(literal: &str, c: char) -> String {
    format!(
        "\"{literal}\": `{c}` cannot stand in a key; write letters, digits, `#` or marks such as `-`, `_`, `.` and `:`"
    )
}
