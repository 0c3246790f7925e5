//! The literals of a key template may hold only some characters.
//!
//! Two stages report it: `parse` where the declaration tells how its keys are written, and `expand` by a condition for
//! the compiler where a shared table tells it.

/// Tells whether a character may not stand in the literals of an escaped key. Only `#` and what sorts above `%` may.
pub(crate) fn sorts_low(c: char) -> bool {
    c <= '%' && c != '#'
}

/// Returns the message about a literal with such a character, in the same words at both stages.
pub(crate) fn unfit(literal: &str, c: char) -> String {
    format!(
        "\"{literal}\": `{c}` cannot stand in a key; write letters, digits, `#` or marks such as `-`, `_`, `.` and `:`"
    )
}
