//! Rules for the fields that identify a row.

use crate::check::types::is_option;
use crate::check::uses::{KeyUses, Part, placeholder, whole};
use crate::model::{Field, KeySource, Piece};

pub(super) fn check(keys: &KeyUses<'_>) {
    keys.managed_fields_stay_out_of_the_primary_key();
    keys.primary_key_has_no_default();
    keys.one_lossy_format();
    keys.primary_key_is_always_there();
    keys.constant_is_no_field();
}

impl KeyUses<'_> {
    /// The library writes managed fields, so they cannot identify the row.
    fn managed_fields_stay_out_of_the_primary_key(&self) {
        self.each(|field, _, primary, _| {
            if field.is_managed()
                && let Some(part) = primary.first()
            {
                let message = format!(
                    "`{}` is managed by the library and cannot be part of the \
                    primary key; use another field",
                    field.ident
                );
                self.diag.at(part.span, message);
            }
        });
    }

    /// A primary key attribute is never missing, so its default would never be used.
    fn primary_key_has_no_default(&self) {
        self.each(|field, marks, primary, _| {
            if let Some(span) = marks.default
                && primary.iter().any(|part| part.format.is_none())
            {
                let message = format!(
                    "`{}` is a primary key attribute and never missing; remove `default`",
                    field.ident
                );
                self.diag.at(span, message);
            }
        });
    }

    /// A string is a text of its own, so a field's name in quotes would give all items the same key.
    fn constant_is_no_field(&self) {
        for template in self.entity.primary().filter_map(KeySource::template) {
            let [Piece::Literal(text)] = template.pieces.as_slice() else {
                continue;
            };
            // A constant is a legal key, for a table with one item. Only one that is also the name
            // of a field is a mistake.
            let named = |field: &&Field| field.ident == text.as_str() || field.stored == *text;
            if let Some(field) = self.entity.fields.iter().find(named) {
                let ident = &field.ident;
                let message = format!(
                    "\"{text}\" is a constant, so every item would have the same key; for the \
                    field write `{ident}` without quotes, or \"{{{ident}}}\""
                );
                self.diag.at(template.span, message);
            }
        }
    }

    /// If the primary key contains a field only in truncating formats, all of them are the same format, because a key
    /// takes the truncated type itself.
    fn one_lossy_format(&self) {
        self.each(|field, _, primary, _| {
            if whole(primary) {
                return;
            }
            let Some(Part {
                format: Some(first),
                ..
            }) = primary.first()
            else {
                return;
            };
            for part in primary {
                if let Some(format) = part.format.filter(|format| format != first) {
                    let (a, b) = (placeholder(field, *first), placeholder(field, format));
                    let message = format!(
                        "{a} and {b} are both in the primary key, \
                        and neither holds the whole field; use one format, or a field whose type has \
                        the format of the key, such as `JavaScriptTime`, as the whole part"
                    );
                    self.diag.at(part.span, message);
                }
            }
        });
    }

    /// A part of the primary key is not optional.
    fn primary_key_is_always_there(&self) {
        self.each(|field, _, primary, _| {
            if is_option(&field.ty) && !primary.is_empty() {
                let message = format!(
                    "`{}` is an `Option`, but a primary key \
                    part is never missing; remove the `Option`",
                    field.ident
                );
                self.diag.over(&field.ty, message);
            }
        });
    }
}
