//! The texts that keys are, or begin with, if the values of some fields are known.

use std::collections::BTreeMap;

use crate::json::Tag;
use crate::key::escape_part;
use crate::schema::{
    EntitySchema, KeyContent, KeySchema, KeyType, PartSchema, PieceSchema, TableSchema,
    UniqueSchema,
};

/// The known values of fields, as they are stored.
pub(super) type FieldValues = BTreeMap<String, String>;

/// The requirement for a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyLimit {
    /// This text.
    Exact(String),
    /// A text that begins so.
    Beginning(String),
    /// A text that begins with the first one and ends with the second one.
    Enclosed(String, String),
}

/// An entity in its table, with the values of its fields that are known.
#[derive(Clone, Copy)]
pub(super) struct KeyReader<'s> {
    pub(super) table: &'s TableSchema,
    pub(super) entity: &'s EntitySchema,
    pub(super) values: &'s FieldValues,
}

impl KeyReader<'_> {
    /// The value of a key attribute, or the text that it begins with; None if nothing is known of it.
    pub(super) fn known_limit(&self, key: &KeySchema) -> Option<KeyLimit> {
        let pieces = match &key.content {
            KeyContent::Field(field) => {
                return self.values.get(field).cloned().map(KeyLimit::Exact);
            }
            KeyContent::Template(pieces) if key.ty == KeyType::S => pieces,
            // IAM and the filters of Lambda compare texts.
            KeyContent::Template(_) | KeyContent::Number(_) => return None,
        };
        let mut text = String::new();
        for piece in pieces {
            match piece {
                PieceSchema::Text(known) => text.push_str(known),
                PieceSchema::Part(part) => match self.part_text(part) {
                    Some(known) => text.push_str(&known),
                    None => return limit_of_beginning(text),
                },
                PieceSchema::Shard(_) => {
                    // The delimiter ends the part before, so that `ann` does not allow `anna` too.
                    text.push(self.table.style.delimiter());
                    return limit_of_beginning(text);
                }
            }
        }
        Some(KeyLimit::Exact(text))
    }

    /// The keys of the items that store a unique value, which begin with `front` and have the parts after it.
    pub(super) fn unique_limit(&self, unique: &UniqueSchema, front: String) -> KeyLimit {
        let known: Vec<Option<String>> = unique
            .parts
            .iter()
            .map(|part| self.part_text(part))
            .collect();
        let at_front: Vec<&str> = known.iter().map_while(Option::as_deref).collect();
        if at_front.len() == known.len() {
            return KeyLimit::Exact(front + &at_front.join("#"));
        }
        if !at_front.is_empty() {
            return KeyLimit::Beginning(front + &at_front.join("#") + "#");
        }
        // A part contains no `#`, so a key of two parts with this end has exactly this part there. With more parts, the text
        // before the end could contain another value.
        match known.as_slice() {
            [None, Some(last)] => KeyLimit::Enclosed(front, format!("#{last}")),
            _ => KeyLimit::Beginning(front),
        }
    }

    /// The text of a part whose value is known. Only texts are in keys as they are given.
    fn part_text(&self, part: &PartSchema) -> Option<String> {
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
fn limit_of_beginning(text: String) -> Option<KeyLimit> {
    (!text.is_empty()).then_some(KeyLimit::Beginning(text))
}
