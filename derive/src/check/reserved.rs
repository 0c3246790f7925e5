//! Reserved names of attributes. The library lists the same names in `schema/reserved.rs`.

use proc_macro2::Span;

use crate::diag::Diag;

const NAMES: [&str; 2] = ["$unique", "_shape"];
const FRONTS: [&str; 3] = ["_job.", "_fill.", "$large."];

fn is_reserved(name: &str) -> bool {
    NAMES.contains(&name) || FRONTS.iter().any(|front| name.starts_with(front))
}

/// No attribute of an item may have such a name.
pub(super) fn refuse(name: &str, span: Span, diag: &Diag) {
    if is_reserved(name) {
        let [unique, shape] = NAMES;
        let [job, fill, large] = FRONTS;
        let message = format!(
            "the library keeps the attribute `{name}` for itself, as all of `{unique}`, `{shape}`, `{job}*`, `{fill}*` and `{large}*`; \
                choose another name"
        );
        diag.at(span, message);
    }
}
