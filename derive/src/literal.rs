//! The literals of a key template may hold only some characters.
//!
//! Two stages report it: `parse` if the declaration contains the style of its keys, and `expand` by a condition for
//! the compiler if a shared table contains it.

/// Returns whether a character is not allowed in the literals of an escaped key. Only `#` and characters that sort
/// above `%` are.
pub(crate) fn sorts_low(c: char) -> bool {
    c <= '%' && c != '#'
}

/// Returns the message about a literal with such a character, in the same words at both stages.
pub(crate) fn unfit(literal: &str, c: char) -> String {
    format!(
        "\"{literal}\": `{c}` cannot be part of a key; write letters, digits, `#` or marks such as `-`, `_`, `.` and `:`"
    )
}
