//! The limits of DynamoDB for any declaration.

use proc_macro2::Span;
use syn::Ident;

use crate::diag::Diag;
use crate::model::IndexKind;

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

/// The name of an index.
pub(super) fn index_name(name: &str, span: Span, diag: &Diag) {
    let fix = "give it another by `rename = \"..\"`";
    resource_name("an index", name, span, fix, diag);
}

/// A table has at most 20 global and 5 local indexes.
pub(super) fn indexes_are_few(indexes: &[(IndexKind, &Ident)], fix: &str, diag: &Diag) {
    for (kind, what, most) in [(IndexKind::Global, "gsi", 20), (IndexKind::Local, "lsi", 5)] {
        let all = || indexes.iter().filter(|(other, _)| *other == kind);
        if let Some((_, name)) = all().nth(most) {
            let count = all().count();
            let message = format!("a table has at most {most} {what}, this one has {count}{fix}");
            diag.at(name.span(), message);
        }
    }
}

/// A local index sorts a partition in another order, so the table needs a sort key.
pub(super) fn local_index_needs_a_sort_key(
    (kind, name): (IndexKind, &Ident),
    is_sorted: bool,
    fix: &str,
    diag: &Diag,
) {
    if kind == IndexKind::Local && !is_sorted {
        diag.at(
            name.span(),
            format!("`{name}` is an lsi, which needs {fix}, or write `gsi`"),
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
