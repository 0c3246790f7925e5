//! Names of attributes that the library keeps for itself. It knows the same ones, in `schema/reserved.rs`.

use proc_macro2::Span;

use crate::diag::Diag;

fn is_reserved(name: &str) -> bool {
    matches!(name, "$unique" | "_shape") || name.starts_with("_job.") || name.starts_with("_fill.")
}

/// No attribute of an item has such a name.
pub(super) fn refuse(name: &str, span: Span, diag: &Diag) {
    if is_reserved(name) {
        let message = format!(
            "the library keeps the attribute `{name}` for itself, as all of `$unique`, `_shape`, `_job.*` and `_fill.*`; \
                choose another name"
        );
        diag.at(span, message);
    }
}
