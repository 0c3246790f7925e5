//! The limits of DynamoDB for any declaration.

use proc_macro2::Span;

use crate::diag::Diag;

/// The limit of DynamoDB for one table.
pub(super) const MOST_GLOBAL: usize = 20;
pub(super) const MOST_LOCAL: usize = 5;
/// The limit of DynamoDB for each half of a multi-attribute key.
pub(super) const MOST_ATTRIBUTES: usize = 4;

/// The names of tables and indexes: 3 to 255 of `a-z A-Z 0-9 _ . -`.
pub(super) fn resource_name(what: &str, name: &str, span: Span, fix: &str, diag: &Diag) {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if let Some(c) = name.chars().find(|c| !allowed(*c)) {
        let message = format!(
            "`{name}`: the name of {what} holds letters, digits, `_`, `.` and `-` only, not \
                `{c}`; {fix}"
        );
        diag.at(span, message);
    } else if !(3..=255).contains(&name.len()) {
        diag.at(
            span,
            format!("`{name}`: the name of {what} has 3 to 255 characters; {fix}"),
        );
    }
}

/// The name of a key attribute has at most 255 bytes.
pub(super) fn key_attribute(name: &str, span: Span, diag: &Diag) {
    if name.len() > 255 {
        let message = format!(
            "the name of a key attribute has at most 255 bytes, this one has {}; choose a \
                shorter one",
            name.len()
        );
        diag.at(span, message);
    }
}
