//! The uses of an entity's fields in its keys.

use proc_macro2::Span;

use crate::diag::Diag;
use crate::marks::{EntityMarks, FieldMarks};
use crate::model::{Entity, Field, Format, KeySource, NoneSide, Piece, Template, TextFormat};

/// One use of a field in a key.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) field: usize,
    /// `None` if the field's own attribute is the key attribute.
    pub(super) format: Option<Format>,
    pub(super) span: Span,
}

pub(super) fn primary(entity: &Entity) -> impl Iterator<Item = &KeySource> {
    std::iter::once(&entity.pk).chain(&entity.sk)
}

pub(super) fn parts(source: &KeySource) -> Vec<Part> {
    match source {
        KeySource::Field { field, span } => vec![Part {
            field: *field,
            format: None,
            span: *span,
        }],
        KeySource::Template(template) => {
            let part = |piece: &Piece| match piece {
                Piece::Literal(_) => None,
                Piece::Part { field, format } => Some(Part {
                    field: *field,
                    format: Some(*format),
                    span: template.span,
                }),
            };
            template.pieces.iter().filter_map(part).collect()
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
        let sources = entity
            .indexes
            .iter()
            .flat_map(|index| index.pk.iter().chain(&index.sk));
        let indexes = sources.flat_map(parts).collect();
        KeyUses {
            entity,
            marks,
            diag,
            primary: primary(entity).flat_map(parts).collect(),
            indexes,
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

    fn sources(&self) -> impl Iterator<Item = &'a KeySource> {
        let entity = self.entity;
        primary(entity).chain(
            entity
                .indexes
                .iter()
                .flat_map(|index| index.pk.iter().chain(&index.sk)),
        )
    }

    pub(super) fn templates(&self) -> impl Iterator<Item = &'a Template> {
        self.sources().filter_map(|source| match source {
            KeySource::Template(template) => Some(template),
            KeySource::Field { .. } => None,
        })
    }
}

/// Whether some use contains the whole field.
pub(super) fn whole(uses: &[Part]) -> bool {
    uses.iter()
        .any(|part| part.format.is_none_or(|format| !format.is_lossy()))
}

/// The part as written in the template.
pub(crate) fn placeholder(field: &Field, format: Format) -> String {
    let name = syn::ext::IdentExt::unraw(&field.ident);
    let text = match format.text {
        TextFormat::Plain => String::new(),
        TextFormat::Pad(width) => format!(":0{width}"),
        TextFormat::Seconds => ":s".to_owned(),
        TextFormat::Millis => ":ms".to_owned(),
        TextFormat::Epoch => ":epoch".to_owned(),
        TextFormat::EpochMillis => ":epoch_ms".to_owned(),
        TextFormat::Date => ":date".to_owned(),
        TextFormat::Month => ":month".to_owned(),
        TextFormat::Lower => ":lower".to_owned(),
        TextFormat::Upper => ":upper".to_owned(),
    };
    let none = match format.none {
        None => "",
        Some(NoneSide::First) => ":first",
        Some(NoneSide::Last) => ":last",
    };
    format!("\"{{{name}{text}{none}}}\"")
}
