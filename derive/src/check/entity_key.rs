//! Rules for the fields that keys are built from.

use crate::check::field::form_word;
use crate::check::primary_key;
use crate::check::types::{is_text, is_time, no_fraction, no_number, no_text, no_time};
use crate::check::uses::{KeyUses, Part, no_end, parts, placeholder, separates, whole};
use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{
    Entity, FieldRole, Form, Format, KeySource, NoneSide, Piece, Style, TextFormat,
};

pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    let keys = KeyUses::of(entity, marks, diag);
    primary_key::check(&keys);
    keys.key_attributes_are_stored();
    keys.skipped_fields_come_back();
    keys.masked_keys_have_no_skipped_field();
    keys.key_attributes_have_their_own_form();
    keys.numbers_are_not_managed();
    keys.formats_fit();
    keys.text_ends_at_a_delimiter();
    keys.key_fields_differ();
}

impl KeyUses<'_> {
    /// A bare key field is the key attribute, so it cannot be `skip`; a `rest` field is part of no key.
    fn key_attributes_are_stored(&self) {
        self.each(|field, marks, primary, indexes| {
            let mut uses = primary.iter().chain(indexes);
            let name = &field.ident;
            if field.role == FieldRole::Skip
                // In a template the field is a part of the text, and can be read back from there.
                && let Some(bare) = uses.find(|part| part.format.is_none())
            {
                let message = format!(
                    "`{name}` is a key attribute itself and has to be stored; \
                    remove `skip`, or use it in a template"
                );
                self.diag.at(marks.role.unwrap_or(bare.span), message);
            } else if field.role == FieldRole::Flatten
                && let Some(part) = uses.next()
            {
                let message = format!(
                    "`{name}` has no attribute of its own and cannot be part of a key; move the field that the key \
                     needs into `{}`",
                    self.entity.ident,
                );
                self.diag.at(part.span, message);
            } else if field.role == FieldRole::Rest
                && let Some(part) = uses.next()
            {
                self.diag.at(
                    part.span,
                    format!(
                        "`{name}` collects unknown attributes and cannot \
                    be part of a key"
                    ),
                );
            }
        });
    }

    /// A masked copy builds the keys of personal fields again, and could not read a `skip` field from the old one. The shard
    /// of a partition depends on the whole key.
    fn masked_keys_have_no_skipped_field(&self) {
        let fields = &self.entity.fields;
        let primary: Vec<&KeySource> = self.entity.primary().collect();
        for source in &primary {
            let has_shards = source.template().is_some_and(|own| own.shards.is_some());
            let changing = primary
                .iter()
                .filter(|other| has_shards || std::ptr::eq(**other, *source));
            let changing = changing.flat_map(|source| parts(source));
            let personal = changing
                .map(|part| part.field)
                .find(|at| fields[*at].is_personal);
            let read = parts(source).into_iter().map(|part| part.field);
            let skipped = read.filter(|at| fields[*at].role == FieldRole::Skip);
            for (personal, skipped) in skipped.filter_map(|at| Some((personal?, at))) {
                let (personal, skipped) = (&fields[personal], &fields[skipped].ident);
                if personal.role == FieldRole::Skip {
                    continue;
                }
                let message = format!(
                    "`{skipped}` has no attribute and is read from a key that a masked copy builds again from `{}`; remove \
                     `skip` from `{skipped}`",
                    personal.ident
                );
                self.diag.at(personal.ident.span(), message);
            }
        }
    }

    /// A `skip` field of a key is read back from the primary key, so the primary key must contain all of it.
    fn skipped_fields_come_back(&self) {
        self.each(|field, marks, primary, indexes| {
            let bare = primary
                .iter()
                .chain(indexes)
                .any(|part| part.format.is_none());
            if field.role != FieldRole::Skip || bare || whole(primary) {
                return;
            }
            let (name, span) = (&field.ident, marks.role.unwrap_or(field.ident.span()));
            if let Some(Part {
                format: Some(format),
                ..
            }) = primary.first()
            {
                let part = placeholder(field, *format);
                let message = format!(
                    "`{name}` cannot be read back from {part}, which holds \
                    less than the field; remove `skip`"
                );
                self.diag.at(span, message);
            } else if !indexes.is_empty() {
                let message = format!(
                    "`{name}` cannot be read back, since the primary key does \
                    not hold it; remove `skip`"
                );
                self.diag.at(span, message);
            }
        });
    }

    /// A bare key field is stored in its type's own S, N or B.
    fn key_attributes_have_their_own_form(&self) {
        self.each(|field, marks, primary, indexes| {
            let uses = || primary.iter().chain(indexes);
            let bare = uses().any(|part| part.format.is_none());
            let is_attribute = uses().any(|part| part.format.is_none() && !part.is_number);
            // A `number(..)` is removed for a `None`, so the attribute of the field may be NULL.
            if bare && !is_attribute && field.form == Form::Null {
                return;
            }
            if bare && field.form == Form::Null {
                let message = format!(
                    "`{}` is a key attribute, and DynamoDB rejects an item whose key attribute is NULL; remove `null`, or use the field in a template",
                    field.ident
                );
                self.diag
                    .at(marks.form.unwrap_or(field.ident.span()), message);
            } else if bare && field.form != Form::Own {
                let word = form_word(field.form);
                let other = match word {
                    "format" => ", or give the field a type with its own format, such as `EpochMillis`",
                    _ => "",
                };
                let name = &field.ident;
                let message = match is_attribute {
                    true => format!(
                        "`{name}` is a key attribute and stored by its own type; remove `{word}`, or use it in a template{other}"
                    ),
                    false => format!(
                        "`number({name})` takes a field that is stored by its own type; remove `{word}`, or use it in a template{other}"
                    ),
                };
                self.diag
                    .at(marks.form.unwrap_or(field.ident.span()), message);
            }
        });
    }

    /// The library computes the value of a managed field in each write, so no other attribute can repeat it.
    fn numbers_are_not_managed(&self) {
        self.each(|field, _, _, indexes| {
            if field.is_managed()
                && let Some(part) = indexes.iter().find(|part| part.is_number)
            {
                let name = &field.ident;
                let message = format!(
                    "the library manages `{name}`, so `number(..)` cannot repeat it; write the bare field `{name}`, or a template \
                     such as \"{{{name}}}\""
                );
                self.diag.at(part.span, message);
            }
        });
    }

    /// A width is for numbers, a case is for text, and the other formats are for times. The traits of the library
    /// require this for any type; here it is one message, at the template.
    fn formats_fit(&self) {
        self.each(|field, _, primary, indexes| {
            let parts = primary.iter().chain(indexes);
            for (part, format) in parts.filter_map(|part| Some((part, part.format?))) {
                let (ty, what) = match format.text {
                    TextFormat::Plain => continue,
                    TextFormat::Pad(_) => (no_number(&field.ty), "a width is for numbers"),
                    TextFormat::Fixed { .. } => (
                        no_fraction(&field.ty),
                        "decimals are for numbers with a fraction",
                    ),
                    TextFormat::Lower | TextFormat::Upper => {
                        (no_text(&field.ty), "this format is for text")
                    }
                    TextFormat::Seconds
                    | TextFormat::Millis
                    | TextFormat::Epoch
                    | TextFormat::EpochMillis
                    | TextFormat::LowerSeconds
                    | TextFormat::LowerMillis => {
                        (no_time(&field.ty), "this format is for timestamps")
                    }
                    TextFormat::Date | TextFormat::Month | TextFormat::Year => (
                        no_time(&field.ty),
                        "this format is for timestamps and dates",
                    ),
                };
                if let Some(ty) = ty {
                    // A program that converts whole keys to lower case converts the letters of times too.
                    let is_lower_time = format.text == TextFormat::Lower && is_time(&field.ty);
                    let text = match format.text {
                        _ if is_lower_time => TextFormat::LowerMillis,
                        TextFormat::Fixed { width: 1.., .. } if no_number(&field.ty).is_some() => {
                            TextFormat::Plain
                        }
                        // An integer has the digits before the point.
                        TextFormat::Fixed { width, decimals } if width > 0 => {
                            TextFormat::Pad(width.saturating_sub(decimals + 1).max(1))
                        }
                        _ => TextFormat::Plain,
                    };
                    let instead = Format { text, ..format };
                    let (part_text, plain) =
                        (placeholder(field, format), placeholder(field, instead));
                    let name = &field.ident;
                    let message =
                        format!("{part_text}: {what}, and `{name}` is a `{ty}`; write {plain}");
                    self.diag.at(part.span, message);
                }
            }
        });
    }

    /// A text part must end at the delimiter, at another separator of a verbatim key, or at the end of the key.
    fn text_ends_at_a_delimiter(&self) {
        let own = self.entity.own_table();
        let style = own.map(|own| own.style);
        for template in self.entity.keys().filter_map(KeySource::template) {
            for pair in template.pieces.windows(2) {
                let [
                    Piece::Part {
                        field,
                        format:
                            format @ Format {
                                text: TextFormat::Plain | TextFormat::Lower | TextFormat::Upper,
                                none: None | Some(NoneSide::Ends),
                            },
                    },
                    next,
                ] = pair
                else {
                    continue;
                };
                let next = match next {
                    Piece::Part { .. } => None,
                    Piece::Literal(text) => text.chars().next(),
                };
                let ends = next.is_some_and(|next| match style {
                    Some(Style::Escaped) => next == '#',
                    Some(Style::Verbatim { delimiter }) => next == delimiter || separates(next),
                    // A shared table knows the style, and the compiler checks it there.
                    None => true,
                });
                let Some(field) = self.entity.fields.get(*field) else {
                    continue;
                };
                if !ends && is_text(&field.ty) {
                    let part = placeholder(field, *format);
                    let message = no_end(&part, style.or(Some(Style::Escaped)), next);
                    self.diag.at(template.span, message);
                }
            }
        }
    }

    /// A bare field is one attribute, so it can be in a key only once.
    fn key_fields_differ(&self) {
        let indexes = self.entity.indexes.iter();
        let indexes = indexes.map(|index| index.keys().collect());
        let keys = std::iter::once(self.entity.primary().collect::<Vec<_>>()).chain(indexes);
        for key in keys {
            let mut seen = Vec::new();
            for source in key {
                let KeySource::Field { field, span } = source else {
                    continue;
                };
                if seen.contains(field)
                    && let Some(field) = self.entity.fields.get(*field)
                {
                    self.diag.at(
                        *span,
                        format!(
                            "`{}` is part of this key already; name it once",
                            field.ident
                        ),
                    );
                }
                seen.push(*field);
            }
        }
    }
}
