//! The context for the parts of a declaration, which name fields.

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt as _;

use crate::diag::{Diag, did_you_mean, instead};
use crate::model::{Field, Style, Words};

/// The fields that key parts may name, and the style of the table.
pub(crate) struct Reader<'a> {
    pub(crate) fields: &'a [Field],
    /// The style of key texts; None if a shared table determines it.
    pub(crate) style: Option<Style>,
    pub(crate) diag: &'a Diag,
}

/// Finds the field that a word or a placeholder names.
pub(crate) fn find_field(fields: &[Field], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.ident.unraw() == name)
}

/// Returns the names of all fields, for the hint about the probable one.
pub(crate) fn field_names(fields: &[Field]) -> Vec<String> {
    fields
        .iter()
        .map(|field| field.ident.unraw().to_string())
        .collect()
}

/// Finds the field that a bare word names, and reports an unknown one.
pub(crate) fn resolve(word: &Ident, fields: &[Field], diag: &Diag) -> Option<usize> {
    let name = word.unraw().to_string();
    let found = find_field(fields, &name);
    if found.is_none() {
        let names = field_names(fields);
        let hint = did_you_mean(&name, names.iter().map(String::as_str));
        diag.at(word.span(), format!("`{name}`: no such field{hint}"));
    }
    found
}

/// Finds the meaning of a word in a list, and reports a word that is not in it.
pub(crate) fn known<T: Copy + PartialEq>(
    word: &str,
    span: Span,
    words: &Words<T>,
    what: &str,
    diag: &Diag,
) -> Option<T> {
    let found = words.meaning(word);
    if found.is_none() {
        let hint = instead(word, words.all());
        diag.at(span, format!("`{word}` is no {what}{hint}"));
    }
    found
}
