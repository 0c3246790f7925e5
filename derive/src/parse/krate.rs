//! Reads `crate = path`, the path of the library.

use syn::{Attribute, Path, parse_quote};

use crate::diag::Diag;
use crate::parse::attribute;

/// Finds the path without reporting mistakes, because the full reading of the attribute reports them.
pub(crate) fn read(attrs: &[Attribute]) -> Path {
    let unheard = Diag::new();
    let found = attribute::read(attrs, &unheard)
        .into_iter()
        .find(|opt| opt.name == "crate");
    found
        .and_then(|opt| opt.path(&unheard))
        .unwrap_or_else(|| parse_quote!(::dynamo_entity))
}
