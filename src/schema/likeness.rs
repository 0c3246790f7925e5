//! The similarity of a stored key to those of an entity if it is not one of them.
//!
//! Only the key identifies a row that another program wrote. If its time has other digits, or its number has no
//! leading zeros, it is still a row of the entity, and the reader must get an error; a row of something else is not.

use super::{
    EntityDef, EntitySchema, KeyContent, KeyDef, KeySchema, KeySource, Piece, PieceSchema, Style,
    TableSchema, UniqueRowDef, UniqueSchema, Width,
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
        keys.all(|key| has_literals(key, item))
    }
}

impl UniqueSchema {
    /// Whether an item has the key of a row in which another program stores this unique value, and not the type of an entity
    /// of the table.
    pub fn has_row_key_of(&self, item: &Item, table: &TableSchema) -> bool {
        let (Some(row), Ok(json)) = (&self.row, item.to_dynamo_json()) else {
            return false;
        };
        let is_entity = table.entities.iter().any(|entity| {
            let attribute = entity.type_attribute_in(table);
            let found = attribute.and_then(|attribute| item.get(attribute)?.as_text());
            found == Some(entity.stored_name.as_str())
        });
        let mut keys = [Some(&row.pk), row.sk.as_ref()].into_iter().flatten();
        !is_entity
            && keys.all(|key| match &key.content {
                KeyContent::Template(pieces) => {
                    let pieces = pieces.iter().map(|piece| match piece {
                        PieceSchema::Text(text) => RowPiece::Literal(text),
                        PieceSchema::Part(part) => RowPiece::Part(part.width),
                        PieceSchema::Shard(_) => RowPiece::Part(Width::Variable),
                    });
                    follows_template(pieces, table.style, &key.attribute, &json)
                }
                _ => false,
            })
    }
}

fn has_literals(key: &KeySchema, item: &[u8]) -> bool {
    let KeyContent::Template(pieces) = &key.content else {
        return true;
    };
    let literals = pieces.iter().map(|piece| match piece {
        PieceSchema::Text(text) => Some(text.as_str()),
        PieceSchema::Part(_) | PieceSchema::Shard(_) => None,
    });
    of_attribute(literals, &key.attribute, item).is_some()
}

/// Whether an item has the key of the row of a unique value, as it is written: only such a key is not that of an entity.
pub(super) fn is_row(row: &UniqueRowDef, style: Style, item: &[u8]) -> bool {
    let mut keys = [Some(&row.pk), row.sk.as_ref()].into_iter().flatten();
    keys.all(|key| match key.source {
        KeySource::Template(pieces) => {
            follows_template(row_pieces(pieces), style, key.attribute, item)
        }
        KeySource::Field(_) | KeySource::Number { .. } => false,
    })
}

/// A piece of the key of a row.
#[derive(Clone, Copy)]
enum RowPiece<'p> {
    Literal(&'p str),
    Part(Width),
}

fn row_pieces(pieces: &'static [Piece]) -> impl Iterator<Item = RowPiece<'static>> {
    pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => RowPiece::Literal(text),
        Piece::Part { width, .. } => RowPiece::Part(*width),
        Piece::Shard(_) => RowPiece::Part(Width::Variable),
    })
}

fn follows_template<'p>(
    pieces: impl Iterator<Item = RowPiece<'p>>,
    style: Style,
    attribute: &str,
    item: &[u8],
) -> bool {
    let json = find_member(item, attribute).ok().flatten();
    let text = json.and_then(|json| Reader::new(json).text().ok());
    text.is_some_and(|text| has_pieces(pieces, style, &text))
}

/// Whether the pieces give the text. A part ends at the first separator after it, because it cannot contain one.
fn has_pieces<'p>(pieces: impl Iterator<Item = RowPiece<'p>>, style: Style, text: &str) -> bool {
    let mut left = text;
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let taken = match piece {
            RowPiece::Literal(literal) => left.starts_with(literal).then_some(literal.len()),
            RowPiece::Part(Width::Fixed(width)) => Some(width),
            RowPiece::Part(Width::Digits(most)) => digits_of(left, most),
            RowPiece::Part(Width::Signed(most)) => match left.strip_prefix('-') {
                Some(digits) => digits_of(digits, most).map(|count| count + 1),
                None => digits_of(left, most),
            },
            RowPiece::Part(Width::Variable | Width::Decimal) => {
                let end = match pieces.peek() {
                    None => Some(left.len()),
                    Some(RowPiece::Literal(after)) => style.separator(after).first_in(left),
                    Some(RowPiece::Part(_)) => style.separator("").first_in(left),
                };
                // An empty part is no value, so no row stores it.
                end.filter(|end| *end > 0)
            }
        };
        let Some(rest) = taken.and_then(|taken| left.get(taken..)) else {
            return false;
        };
        left = rest;
    }
    left.is_empty()
}

/// The number of digits at the front of a text, if it is a number of at most so many digits.
fn digits_of(text: &str, most: usize) -> Option<usize> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=most).contains(&count).then_some(count)
}

fn of_key(key: &KeyDef, item: &[u8]) -> Option<usize> {
    let KeySource::Template(pieces) = key.source else {
        return Some(0);
    };
    of_attribute(literals(pieces), key.attribute, item)
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
) -> Option<usize> {
    let json = find_member(item, attribute).ok()??;
    of_text(literals, &Reader::new(json).text().ok()?)
}

/// Counts the bytes of literals in a text, in any case. They must be in order, with any text in place of the parts.
fn of_text<'p>(literals: impl Iterator<Item = Option<&'p str>>, text: &str) -> Option<usize> {
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
            stored.is_some_and(|stored| stored.eq_ignore_ascii_case(literal))
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
    use crate::schema::Presence;

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
            assert_eq!(of_text(literals(line), text), alike, "{text}");
        }
        let constant: &'static [Piece] = &[Piece::Literal("INFO")];
        assert_eq!(of_text(literals(constant), "info"), Some(4));
        assert_eq!(of_text(literals(constant), "INFOS"), None);
        let ended: &'static [Piece] = &[PART, Piece::Literal("#END")];
        assert_eq!(of_text(literals(ended), "a#END#END"), Some(4));
        assert_eq!(of_text(literals(ended), "a#END#"), None);
        assert_eq!(
            of_text(literals(&[PART, Piece::Shard(3)]), "anything"),
            Some(0)
        );
    }

    #[test]
    fn rows_have_every_piece_of_their_template() {
        const TWO_DIGITS: Piece = Piece::Part {
            field: "n",
            width: Width::Digits(2),
            presence: Presence::Always,
            format: 0,
        };
        const SIGNED: Piece = Piece::Part {
            field: "n",
            width: Width::Signed(2),
            presence: Presence::Always,
            format: 0,
        };
        use Piece::Literal as L;
        let mail = &[L("o#"), PART, L("#mail#"), PART][..];
        let tagged = &[PART, L("@x")][..];
        let double = &[L("o#"), PART, L("::"), PART][..];
        let number = &[L("o#"), TWO_DIGITS, L("#n#"), SIGNED][..];
        for (pieces, text, expected) in [
            (mail, "o#acme#mail#ann", true),
            (mail, "o#acme#mail#ann#mail#y", true),
            (mail, "o#acme#note#x#mail#y", false),
            (mail, "O#acme#mail#ann", false),
            (mail, "o##mail#ann", false),
            (mail, "o#acme#mail#", false),
            (tagged, "ann@x", true),
            (tagged, "ann@b@x", false),
            (tagged, "ann@xy", false),
            (double, "o#a:b::c", true),
            (double, "o#a:b:c", false),
            (number, "o#7#n#-12", true),
            (number, "o#77#n#12", true),
            (number, "o#777#n#12", false),
            (number, "o#7#n#-", false),
            (number, "o#x#n#1", false),
        ] {
            let found = has_pieces(row_pieces(pieces), Style::Verbatim('#'), text);
            assert_eq!(found, expected, "{text}");
        }
    }
}
