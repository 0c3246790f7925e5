//! The beginnings of the keys of partitions, as IAM compares texts.

use std::collections::BTreeMap;

use super::partitions::{KeyCondition, KeyLimit, Partitions};
use crate::error::{Error, Result};
use crate::json::Tag;
use crate::key::escape_part;
use crate::schema::{
    EntitySchema, KeyContent, KeySchema, KeyType, PartSchema, PatternSchema, PieceSchema, Style,
    TableSchema,
};

/// The values of fields to which a policy is limited.
pub(super) type FieldValues = BTreeMap<String, String>;

/// An entity in its table, with the values of its fields that are known.
#[derive(Clone, Copy)]
pub(super) struct KeyReader<'s> {
    pub(super) table: &'s TableSchema,
    pub(super) entity: &'s EntitySchema,
    pub(super) values: &'s FieldValues,
}

impl KeyReader<'_> {
    /// The partitions of something, or an error if the values of fields make no difference to them: it would be allowed for
    /// all values.
    pub(super) fn limited(
        &self,
        what: &str,
        partitions: impl Fn(&KeyReader<'_>) -> Partitions,
    ) -> Result<Partitions> {
        let limited = partitions(self);
        let plain = KeyReader {
            values: &FieldValues::new(),
            ..*self
        };
        // If the value changes nothing, it is in no key here. The policy would then reach the rows
        // of all values.
        match self.values.is_empty() || limited != partitions(&plain) {
            true => Ok(limited),
            false => Err(unlimited(what, self.values)),
        }
    }

    /// The partitions of the table that the entity is in, and those of the items that keep its unique values.
    pub(super) fn of_entity(&self) -> Partitions {
        let own = self.leading(&self.entity.pk);
        // Each write takes and releases unique values, and their items have partitions of their
        // own.
        self.uniques().fold(own, |all, unique| {
            all.or(&Partitions::any().limited(KeyCondition::Leading, Some(unique)))
        })
    }

    /// The partitions of the items that keep the unique values of the entity, and of no other: in a table of several they
    /// begin with its stored name, in one of its own with that of the value.
    fn uniques(&self) -> impl Iterator<Item = KeyLimit> + '_ {
        let is_shared = self.table.type_attribute.is_some();
        self.entity.uniques.iter().map(move |unique| {
            let mut front = b"$UNIQUE#".to_vec();
            let name = match is_shared {
                true => &self.entity.stored_name,
                false => &unique.stored,
            };
            escape_part(name, Style::Escaped, &mut front);
            front.push(b'#');
            KeyLimit::Beginning(String::from_utf8_lossy(&front).into_owned())
        })
    }

    /// The partitions of an index that the entity is in; a local index has those of its table.
    pub(super) fn of_pattern(&self, pattern: &PatternSchema) -> Partitions {
        match &*pattern.pk {
            [] => self.leading(&self.entity.pk),
            [key] => self.leading(key),
            several => {
                let keys = KeyCondition::OF_SEVERAL.into_iter().zip(several);
                keys.fold(Partitions::any(), |all, (condition, key)| {
                    all.limited(condition, self.known(key))
                })
            }
        }
    }

    fn leading(&self, key: &KeySchema) -> Partitions {
        Partitions::any().limited(KeyCondition::Leading, self.known(key))
    }

    /// The value of a key attribute, or the text that it begins with; None if nothing is known of it.
    fn known(&self, key: &KeySchema) -> Option<KeyLimit> {
        let pieces = match &key.content {
            KeyContent::Field(field) => {
                return self.values.get(field).cloned().map(KeyLimit::Exact);
            }
            KeyContent::Template(pieces) if key.ty == KeyType::S => pieces,
            // IAM compares texts.
            KeyContent::Template(_) => return None,
        };
        let mut text = String::new();
        for piece in pieces {
            match piece {
                PieceSchema::Text(known) => text.push_str(known),
                PieceSchema::Part(part) => match self.part(part) {
                    Some(known) => text.push_str(&known),
                    None => return beginning(text),
                },
                PieceSchema::Shard(_) => {
                    // The delimiter ends the part before, so that `ann` does not allow `anna` too.
                    text.push(self.table.style.delimiter());
                    return beginning(text);
                }
            }
        }
        Some(KeyLimit::Exact(text))
    }

    /// The text of a part whose value is known. Only texts are in keys as they are given.
    fn part(&self, part: &PartSchema) -> Option<String> {
        let value = self.values.get(&part.field)?;
        let field = self.entity.field(&part.field)?;
        let is_text =
            field.stored == Some(Tag::S) && matches!(&*field.rust_type, "String" | "&str");
        // Only plain text is in the key as it was given. Others would have to be parsed by the type
        // of the field first.
        if !is_text || part.format.is_some() {
            return None;
        }
        let mut text = Vec::new();
        escape_part(value, self.table.style, &mut text);
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// A text that keys begin with, if there is any.
fn beginning(text: String) -> Option<KeyLimit> {
    (!text.is_empty()).then_some(KeyLimit::Beginning(text))
}

/// The error of a policy that would allow more than its values say.
pub(super) fn unlimited(what: &str, values: &FieldValues) -> Error {
    let fields: Vec<String> = values.keys().map(|field| format!("`{field}`")).collect();
    Error::config(format!(
        "a policy with a value of {} cannot allow {what}, which would reach the partitions of all values: give that to another \
         role",
        fields.join(", ")
    ))
}
