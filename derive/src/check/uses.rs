//! The uses of an entity's fields in its keys.

use proc_macro2::Span;
use syn::ext::IdentExt as _;

use crate::diag::Diag;
use crate::marks::{EntityMarks, FieldMarks};
use crate::model::{Entity, Field, Format, Index, KeySource, Style, Unique, UniqueRow};

/// One use of a field in a key.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) field: usize,
    /// `None` if the field's own attribute is the key attribute.
    pub(super) format: Option<Format>,
    /// Whether it is a `number(..)`, which another attribute contains.
    pub(super) is_number: bool,
    pub(super) span: Span,
}

pub(super) fn parts(source: &KeySource) -> Vec<Part> {
    match source {
        KeySource::Field { field, span } | KeySource::Number { field, span } => vec![Part {
            field: *field,
            format: None,
            is_number: source.is_derived(),
            span: *span,
        }],
        KeySource::Template(template) => {
            let part = |(field, format)| Part {
                field,
                format: Some(format),
                is_number: false,
                span: template.span,
            };
            template.parts().map(part).collect()
        }
    }
}

/// All uses of fields in keys.
pub(super) struct KeyUses<'a> {
    pub(super) entity: &'a Entity,
    marks: &'a EntityMarks,
    pub(super) diag: &'a Diag,
    primary: Vec<Part>,
    indexes: Vec<Part>,
}

impl<'a> KeyUses<'a> {
    pub(super) fn of(entity: &'a Entity, marks: &'a EntityMarks, diag: &'a Diag) -> Self {
        // The rows of unique values are written as keys of indexes are: an item without a part has none.
        let rows = entity.uniques.iter().filter_map(Unique::row);
        let indexes = entity.indexes.iter().flat_map(Index::keys);
        let indexes = indexes.chain(rows.flat_map(UniqueRow::keys));
        KeyUses {
            entity,
            marks,
            diag,
            primary: entity.primary().flat_map(parts).collect(),
            indexes: indexes.flat_map(parts).collect(),
        }
    }

    /// Each field with its marks and its uses in the primary key and in indexes.
    pub(super) fn each(&self, rule: impl Fn(&Field, &FieldMarks, &[Part], &[Part])) {
        let used = |parts: &[Part], at| -> Vec<Part> {
            parts
                .iter()
                .filter(|part| part.field == at)
                .copied()
                .collect()
        };
        for (at, (field, marks)) in self
            .entity
            .fields
            .iter()
            .zip(&self.marks.fields)
            .enumerate()
        {
            rule(
                field,
                marks,
                &used(&self.primary, at),
                &used(&self.indexes, at),
            );
        }
    }
}

/// Whether some use contains the whole field.
pub(super) fn whole(uses: &[Part]) -> bool {
    uses.iter()
        .any(|part| part.format.is_none_or(|format| !format.is_lossy()))
}

/// The part as written in the template.
pub(crate) fn placeholder(field: &Field, format: Format) -> String {
    let (name, written) = (field.ident.unraw(), format.written());
    let colon = if written.is_empty() { "" } else { ":" };
    format!("\"{{{name}{colon}{written}}}\"")
}

/// Returns whether a text of a verbatim key ends before this character. A text that holds it is an error, which would be
/// usual for letters and digits.
pub(crate) fn separates(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric()
}

/// Returns the message about a part whose end cannot be found. The style is unknown for a shared table, and `next` is the
/// character after the part.
pub(crate) fn no_end(part: &str, style: Option<Style>, next: Option<char>) -> String {
    let (reason, end) = match (style, next) {
        (Some(Style::Escaped), Some(next)) => (
            format!(", and a text can contain `{next}`"),
            "`#` after it".to_owned(),
        ),
        (Some(Style::Escaped), None) => (String::new(), "`#` after it".to_owned()),
        (Some(Style::Verbatim { delimiter }), _) => (
            String::new(),
            format!("`{delimiter}` after it, or another character that is no letter and no digit"),
        ),
        (None, _) => (String::new(), "the table's delimiter after it".to_owned()),
    };
    format!("{part} has no fixed width{reason}, so its end cannot be found; write {end}")
}
