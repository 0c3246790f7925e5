//! The similarity of a stored key to those of an entity if it is not one of them.
//!
//! Only the key identifies a row that another program wrote. If its time has other digits, or its number has no
//! leading zeros, it is still a row of the entity, and the reader must get an error; a row of something else is not.

use super::{
    EntityDef, EntitySchema, KeyContent, KeyDef, KeySchema, KeySource, Piece, PieceSchema,
    UniqueRowDef, UniqueSchema,
};
use crate::codec::Item;
use crate::json::{Reader, find_member};

impl EntityDef {
    /// Whether an item has a key of this entity.
    pub(crate) fn has_key(&self, item: &[u8]) -> bool {
        // A key in another spelling counts too. The item belongs to the entity, and reading it reports the spelling.
        (self.key_fault)(item).is_none_or(|fault| fault.is_other_spelling())
    }

    /// The number of bytes in the keys of an item that match the literals of the templates, ignoring case. `None` if
    /// a literal is missing: then the item clearly is something else.
    pub(crate) fn likeness(&self, item: &[u8]) -> Option<usize> {
        let keys = [Some(&self.pk), self.sk.as_ref()];
        let keys = keys.into_iter().flatten();
        keys.map(|key| of_key(key, item)).sum()
    }
}

impl EntitySchema {
    /// Whether the literals of the templates are in the keys of an item.
    pub(super) fn is_like(&self, item: &[u8]) -> bool {
        let mut keys = [Some(&self.pk), self.sk.as_ref()].into_iter().flatten();
        keys.all(|key| has_literals(key, item, LiteralCase::Any))
    }
}

impl UniqueSchema {
    /// Whether an item has the key of a row in which another program stores this unique value.
    pub fn has_row_key_of(&self, item: &Item) -> bool {
        let (Some(row), Ok(json)) = (&self.row, item.to_dynamo_json()) else {
            return false;
        };
        let mut keys = [Some(&row.pk), row.sk.as_ref()].into_iter().flatten();
        keys.all(|key| has_literals(key, &json, LiteralCase::Exact))
    }
}

fn has_literals(key: &KeySchema, item: &[u8], case: LiteralCase) -> bool {
    let KeyContent::Template(pieces) = &key.content else {
        return true;
    };
    let literals = pieces.iter().map(|piece| match piece {
        PieceSchema::Text(text) => Some(text.as_str()),
        PieceSchema::Part(_) | PieceSchema::Shard(_) => None,
    });
    of_attribute(literals, &key.attribute, item, case).is_some()
}

/// Whether the literals of the row of a unique value are in the keys of an item, in the same case: only such a key is not that
/// of an entity.
pub(super) fn is_row(row: &UniqueRowDef, item: &[u8]) -> bool {
    let mut keys = [Some(&row.pk), row.sk.as_ref()].into_iter().flatten();
    keys.all(|key| match key.source {
        KeySource::Template(pieces) => {
            of_attribute(literals(pieces), key.attribute, item, LiteralCase::Exact).is_some()
        }
        KeySource::Field(_) => false,
    })
}

/// Whether letters in another case count as the same.
#[derive(Clone, Copy)]
enum LiteralCase {
    Exact,
    Any,
}

fn of_key(key: &KeyDef, item: &[u8]) -> Option<usize> {
    let KeySource::Template(pieces) = key.source else {
        return Some(0);
    };
    of_attribute(literals(pieces), key.attribute, item, LiteralCase::Any)
}

/// The literals of a template, with None for all else.
fn literals(pieces: &'static [Piece]) -> impl Iterator<Item = Option<&'static str>> {
    pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => Some(*text),
        Piece::Part { .. } | Piece::Shard(_) => None,
    })
}

fn of_attribute<'p>(
    literals: impl Iterator<Item = Option<&'p str>>,
    attribute: &str,
    item: &[u8],
    case: LiteralCase,
) -> Option<usize> {
    let json = find_member(item, attribute).ok()??;
    of_text(literals, &Reader::new(json).text().ok()?, case)
}

/// Counts the bytes of literals in a text. They must be in order, with any text in place of the parts.
fn of_text<'p>(
    literals: impl Iterator<Item = Option<&'p str>>,
    text: &str,
    case: LiteralCase,
) -> Option<usize> {
    let mut left = text.as_bytes();
    let (mut alike, mut is_behind_part) = (0, false);
    let mut literals = literals.peekable();
    while let Some(literal) = literals.next() {
        let Some(literal) = literal else {
            is_behind_part = true;
            continue;
        };
        let literal = literal.as_bytes();
        let last = left.len().checked_sub(literal.len())?;
        let mut places = match (is_behind_part, literals.peek().is_none()) {
            (false, _) => 0..=0,
            (true, false) => 0..=last,
            // A literal at the end of the template is at the end of the key, even if the part
            // before contains the same text.
            (true, true) => last..=last,
        };
        let is_there = |place: &usize| {
            let stored = left.get(*place..*place + literal.len());
            stored.is_some_and(|stored| match case {
                LiteralCase::Exact => stored == literal,
                LiteralCase::Any => stored.eq_ignore_ascii_case(literal),
            })
        };
        let place = places.find(is_there)?;
        left = left.get(place + literal.len()..)?;
        alike += literal.len();
        is_behind_part = false;
    }
    // Nothing may follow a literal at the end.
    (is_behind_part || left.is_empty()).then_some(alike)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Presence, Width};

    const PART: Piece = Piece::Part {
        field: "f",
        width: Width::Variable,
        presence: Presence::Always,
        format: 0,
    };

    #[test]
    fn literals_tell_in_their_order_and_in_any_case() {
        let line: &'static [Piece] = &[
            Piece::Literal("ORDER#"),
            PART,
            Piece::Literal("#LINE#"),
            PART,
        ];
        for (text, alike) in [
            ("ORDER#7#LINE#1", Some(12)),
            ("order#7#line#1", Some(12)),
            ("ORDER##LINE#", Some(12)),
            ("ORDER#7#LINE", None),
            ("ORDER#7", None),
            ("XORDER#7#LINE#1", None),
            ("", None),
        ] {
            assert_eq!(
                of_text(literals(line), text, LiteralCase::Any),
                alike,
                "{text}"
            );
        }
        let constant: &'static [Piece] = &[Piece::Literal("INFO")];
        assert_eq!(
            of_text(literals(constant), "info", LiteralCase::Any),
            Some(4)
        );
        assert_eq!(of_text(literals(constant), "INFOS", LiteralCase::Any), None);
        assert_eq!(
            of_text(literals(constant), "info", LiteralCase::Exact),
            None
        );
        let ended: &'static [Piece] = &[PART, Piece::Literal("#END")];
        assert_eq!(
            of_text(literals(ended), "a#END#END", LiteralCase::Any),
            Some(4)
        );
        assert_eq!(of_text(literals(ended), "a#END#", LiteralCase::Any), None);
        assert_eq!(
            of_text(
                literals(&[PART, Piece::Shard(3)]),
                "anything",
                LiteralCase::Any
            ),
            Some(0)
        );
    }
}
