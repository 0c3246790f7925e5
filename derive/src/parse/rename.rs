//! `rename_all`: stored names by a rule. The rules are those of serde, which most users know.

use proc_macro2::Span;

use crate::diag::Diag;
use crate::model::Words;
use crate::parse::option::Opt;
use crate::parse::reader::known;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

pub(super) const CASES: Words<Case> = Words(&[
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
]);

/// `rename_all = ".."`
pub(crate) fn read(opt: Opt, diag: &Diag) -> Option<Case> {
    let text = opt.text(diag)?;
    let what = "case of `rename_all`";
    known(&text.value(), text.span(), &CASES, what, diag)
}

/// A case, and its position in the declaration.
pub(crate) type CaseAt = (Case, Span);

pub(crate) fn read_at(opt: Opt, diag: &Diag) -> Option<CaseAt> {
    let span = opt.name.span();
    read(opt, diag).map(|case| (case, span))
}

impl Case {
    /// The stored name of a field; fields are written in snake_case.
    pub(crate) fn of_field(self, name: &str) -> String {
        match self {
            Case::Lower | Case::Snake => name.to_owned(),
            Case::Upper | Case::ScreamingSnake => name.to_ascii_uppercase(),
            Case::Pascal => name.split('_').map(capitalized).collect(),
            Case::Camel => uncapitalized(&Case::Pascal.of_field(name)),
            Case::Kebab => name.replace('_', "-"),
            Case::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The stored name of a variant; variants are written in PascalCase.
    pub(crate) fn of_variant(self, name: &str) -> String {
        match self {
            Case::Pascal => name.to_owned(),
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Camel => uncapitalized(name),
            Case::Snake => snake(name),
            Case::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Case::Kebab => snake(name).replace('_', "-"),
            Case::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn capitalized(word: &str) -> String {
    with_first(word, |first| first.to_ascii_uppercase())
}

fn uncapitalized(word: &str) -> String {
    with_first(word, |first| first.to_ascii_lowercase())
}

fn with_first(word: &str, change: fn(&char) -> char) -> String {
    let mut chars = word.chars();
    let first = chars.next();
    first.iter().map(change).chain(chars).collect()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if i > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
