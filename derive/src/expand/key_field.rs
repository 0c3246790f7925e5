//! The content of the key's struct for each part of the primary key, which determines the fields that can be read
//! from it.

use proc_macro2::TokenStream;

use super::template::contract;
use super::tokens::{call, of};
use crate::model::{Entity, Format, KeySource, TextFormat};

/// The content of the key's struct for one field of the primary key.
pub(super) struct KeyField {
    pub(super) field: usize,
    pub(super) held: Held,
}

/// The part of the field that a key contains.
#[derive(Clone, Copy)]
pub(super) enum Held {
    /// The field is a key attribute itself.
    Bare,
    /// The key contains the whole field, in a format that loses nothing.
    Whole(Format),
    /// The key contains less than the field, in a truncating format.
    Cut(Format),
}

impl Held {
    fn of(format: Format) -> Self {
        if format.is_lossy() {
            Held::Cut(format)
        } else {
            Held::Whole(format)
        }
    }

    pub(super) fn is_cut(self) -> bool {
        matches!(self, Held::Cut(_))
    }
}

/// Returns each field once. It is whole if any place contains it whole, so that nothing is lost.
pub(super) fn key_fields(entity: &Entity) -> Vec<KeyField> {
    let mut fields: Vec<KeyField> = Vec::new();
    let mut add = |field: usize, held: Held| match fields.iter_mut().find(|key| key.field == field)
    {
        Some(known) if known.held.is_cut() => known.held = held,
        Some(_) => {}
        None => fields.push(KeyField { field, held }),
    };
    for source in entity.primary() {
        match source {
            KeySource::Field { field, .. } | KeySource::Number { field, .. } => {
                add(*field, Held::Bare)
            }
            KeySource::Template(template) => {
                for (field, format) in template.parts() {
                    add(field, Held::of(format));
                }
            }
        }
    }
    fields
}

impl KeyField {
    /// Names the type that the key's struct has for the field.
    pub(super) fn ty(&self, entity: &Entity) -> TokenStream {
        let ty = &entity.fields[self.field].ty;
        let Held::Cut(format) = self.held else {
            return code!(#ty);
        };
        match format.text {
            TextFormat::Seconds | TextFormat::Epoch | TextFormat::LowerSeconds => {
                code!(__d::Seconds<#ty>)
            }
            TextFormat::Millis | TextFormat::EpochMillis | TextFormat::LowerMillis => {
                code!(__d::Millis<#ty>)
            }
            TextFormat::Month => code!(__d::YearMonth),
            TextFormat::Year => code!(__d::Year),
            TextFormat::Lower => code!(__d::Lowercase<#ty>),
            TextFormat::Upper => code!(__d::Uppercase<#ty>),
            TextFormat::Date => of(ty, &code!(ToDate), "Date"),
            TextFormat::Plain | TextFormat::Pad(_) | TextFormat::Fixed { .. } => code!(#ty),
        }
    }

    /// Creates the content of the key's struct from a reference to the field.
    pub(super) fn take(&self, entity: &Entity, place: &TokenStream) -> TokenStream {
        let ty = &entity.fields[self.field].ty;
        match self.held {
            Held::Bare => {
                let copy = of(ty, &code!(KeyValue), "to_key");
                code!(#copy(#place))
            }
            Held::Whole(format) | Held::Cut(format) => {
                call(ty, &contract(format), "to_part", place.clone())
            }
        }
    }

    /// Creates the content of the key's struct from another key, where it is already truncated.
    pub(super) fn copy(&self, entity: &Entity, place: &TokenStream) -> TokenStream {
        if self.held.is_cut() {
            code!(::core::clone::Clone::clone(#place))
        } else {
            self.take(entity, place)
        }
    }
}

/// Takes a field from the key's struct, if the struct contains it whole.
pub(super) fn whole_of_key(
    entity: &Entity,
    field: usize,
    place: &TokenStream,
) -> Option<TokenStream> {
    let keys = key_fields(entity);
    let key = keys.iter().find(|key| key.field == field)?;
    (!key.held.is_cut()).then(|| key.copy(entity, place))
}

/// Creates the content of the key's struct for a field from a reference to its value, for fields in a template.
pub(super) fn put_in_key(
    entity: &Entity,
    field: usize,
    value: &TokenStream,
) -> Option<TokenStream> {
    let keys = key_fields(entity);
    let key = keys.iter().find(|key| key.field == field)?;
    (!matches!(key.held, Held::Bare)).then(|| key.take(entity, value))
}
