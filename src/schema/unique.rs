//! Lets the compiler check that no entity can have the key of an item that stores a unique value.
//!
//! The partition key of such an item begins with `$UNIQUE#`, and no key from a template contains `$`. If the
//! partition key of an entity can be any text, the sort key distinguishes them: that of such an item is `$`.

use super::overlap::is_fallback;
use super::{EntityDef, KeyDef, KeySource, KeyType, Piece, Style};

/// Whether the partition key is text.
pub const fn has_text_partition(entity: &EntityDef) -> bool {
    is_fallback(entity) || matches!(entity.pk.ty, KeyType::S)
}

/// Whether no entity of the table can have the key of an item that stores a unique value.
pub const fn leaves_room_for_uniques(entities: &[&EntityDef], style: Style) -> bool {
    let mut at = 0;
    while at < entities.len() {
        let entity = entities[at];
        let is_apart = match &entity.sk {
            // The items of unique values have the mark in both keys, so it is enough that one of
            // them differs.
            Some(sk) => has_no_dollar(&entity.pk, style) || has_no_dollar(sk, style),
            None => has_no_dollar(&entity.pk, style),
        };
        if !is_apart && !is_fallback(entity) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether any of the entities has unique values.
pub(crate) fn has_uniques(entities: &[&EntityDef]) -> bool {
    entities.iter().any(|entity| !entity.uniques.is_empty())
}

/// Whether the key never begins with `$`.
const fn has_no_dollar(key: &KeyDef, style: Style) -> bool {
    let KeySource::Template(pieces) = key.source else {
        return false;
    };
    match style {
        // The dollar sign is escaped in parts, and a template cannot begin with it.
        Style::Escaped => true,
        Style::Verbatim(_) => match pieces.first() {
            Some(Piece::Literal(text)) => !text.is_empty() && text.as_bytes()[0] != b'$',
            _ => false,
        },
    }
}
