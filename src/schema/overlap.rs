//! Whether two entities of a table can have the same key; the compiler evaluates it for their templates.

use super::{EntityDef, KeyDef, KeySource, Piece, Presence, Style, TableDef, Width};

/// Whether the entity replaces a declaration with mistakes, to which no check applies.
pub(super) const fn is_fallback(entity: &EntityDef) -> bool {
    entity.id.is_empty()
}

/// Whether two entities could have equal primary keys. In doubt, it returns true.
pub const fn keys_may_meet(a: &EntityDef, b: &EntityDef, style: Style) -> bool {
    if is_fallback(a) || is_fallback(b) {
        return false;
    }
    if !key_may_meet(&a.pk, &b.pk, style) {
        return false;
    }
    match (&a.sk, &b.sk) {
        (Some(a), Some(b)) => key_may_meet(a, b, style),
        (None, None) => true,
        // One of them does not fit the table, which another check reports. One error for one mistake is enough.
        _ => false,
    }
}

pub(super) const fn key_may_meet(a: &KeyDef, b: &KeyDef, style: Style) -> bool {
    match (a.source, b.source) {
        (KeySource::Template(a), KeySource::Template(b)) => {
            ends_with(a, b, style)
                || ends_with(b, a, style)
                || meet(TemplateCursor::new(a, style), TemplateCursor::new(b, style))
        }
        // A bare field can hold any text, and any number.
        _ => true,
    }
}

/// Whether a key of the first template that ends at a None could be one of the second. In doubt, it returns true.
const fn ends_with(pieces: &'static [Piece], other: &'static [Piece], style: Style) -> bool {
    let mut at = 0;
    while at < pieces.len() {
        if let Piece::Part {
            presence: Presence::Ends,
            ..
        } = pieces[at]
        {
            let front = TemplateCursor::open(pieces.split_at(at).0, style);
            return meet(front, TemplateCursor::new(other, style));
        }
        at += 1;
    }
    false
}

/// Whether a key could begin with the pieces, or has no template.
pub(super) const fn may_begin(front: &'static [Piece], key: &KeyDef, style: Style) -> bool {
    match key.source {
        KeySource::Template(pieces) => meet(
            TemplateCursor::open(front, style),
            TemplateCursor::new(pieces, style),
        ),
        KeySource::Field(_) | KeySource::Number { .. } => true,
    }
}

/// Whether both entities give the table's keys the same types. Whether each has a sort key
/// is checked by [`fills_sort_key`](super::fills_sort_key).
pub const fn same_key_types(a: &EntityDef, b: &EntityDef) -> bool {
    if is_fallback(a) || is_fallback(b) {
        return true;
    }
    if a.pk.ty as u8 != b.pk.ty as u8 {
        return false;
    }
    match (&a.sk, &b.sk) {
        (Some(a), Some(b)) => a.ty as u8 == b.ty as u8,
        _ => true,
    }
}

/// Whether the table lists the entity, or one of which it is an older shape.
pub const fn lists(table: &TableDef, entities: &[&EntityDef], id: &str) -> bool {
    let mut at = 0;
    while at < entities.len() {
        if same_text(entities[at].id, id) || is_older_shape(entities[at], id) {
            return true;
        }
        at += 1;
    }
    table.name.is_empty()
}

/// Whether this is the declaration of an older shape of an entity.
const fn is_older_shape(entity: &EntityDef, id: &str) -> bool {
    let mut shape = entity.shape;
    while let Some(known) = shape {
        let Some(older) = known.older else {
            return false;
        };
        if same_text(older.id, id) {
            return true;
        }
        shape = older.shape;
    }
    false
}

/// Whether two texts are equal, for constants.
pub const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// A place in a template, byte by byte.
#[derive(Clone, Copy)]
struct TemplateCursor {
    pieces: &'static [Piece],
    /// The number of the piece; `byte` is the place within it.
    piece: usize,
    byte: usize,
    style: Style,
    /// Whether anything may follow the last piece.
    open: bool,
}

/// The next byte at a position of a template.
#[derive(Clone, Copy)]
enum TemplateByte {
    Nothing,
    /// Any text, even an empty one.
    Anything,
    Exactly(u8),
    /// One byte of a part of fixed width.
    Any,
    /// Any number of these bytes.
    Many(PartAlphabet),
}

/// The bytes that a part of variable width may contain.
#[derive(Clone, Copy)]
enum PartAlphabet {
    /// Every byte but this one, which begins the separator after the part.
    Without(u8),
    /// Every byte, as in the last part of a verbatim key.
    All,
    /// The digits of a shard.
    Digits,
}

impl PartAlphabet {
    const fn hold(self, byte: u8) -> bool {
        match self {
            PartAlphabet::Without(separator) => byte != separator,
            PartAlphabet::All => true,
            PartAlphabet::Digits => byte.is_ascii_digit(),
        }
    }
}

impl TemplateCursor {
    const fn new(pieces: &'static [Piece], style: Style) -> Self {
        TemplateCursor {
            pieces,
            piece: 0,
            byte: 0,
            style,
            open: false,
        }
        .settled()
    }

    /// A cursor over all texts that begin with the pieces.
    const fn open(pieces: &'static [Piece], style: Style) -> Self {
        let mut cursor = TemplateCursor::new(pieces, style);
        cursor.open = true;
        cursor
    }

    /// Steps over pieces that are finished.
    const fn settled(mut self) -> Self {
        while self.piece < self.pieces.len() {
            let width = match self.pieces[self.piece] {
                Piece::Literal(text) => text.len(),
                Piece::Part {
                    width: Width::Fixed(width) | Width::Digits(width),
                    ..
                } => width,
                Piece::Part { .. } | Piece::Shard(_) => return self,
            };
            if self.byte < width {
                return self;
            }
            self.piece += 1;
            self.byte = 0;
        }
        self
    }

    const fn ahead(&self) -> TemplateByte {
        if self.piece >= self.pieces.len() {
            return if self.open {
                TemplateByte::Anything
            } else {
                TemplateByte::Nothing
            };
        }
        match self.pieces[self.piece] {
            Piece::Literal(text) => TemplateByte::Exactly(text.as_bytes()[self.byte]),
            Piece::Part {
                width: Width::Fixed(_) | Width::Digits(_),
                ..
            } => TemplateByte::Any,
            Piece::Part { width, .. } => TemplateByte::Many(self.alphabet(width)),
            Piece::Shard(_) if self.byte == 0 => TemplateByte::Exactly(self.delimiter()),
            Piece::Shard(_) => TemplateByte::Many(PartAlphabet::Digits),
        }
    }

    /// The bytes that a part of variable width may contain here.
    const fn alphabet(&self, width: Width) -> PartAlphabet {
        let last = self.piece + 1 >= self.pieces.len();
        // Escaped keys never hold their delimiter in a part. Verbatim ones may, in the last part.
        if last && matches!(self.style, Style::Verbatim(_)) {
            return PartAlphabet::All;
        }
        let after = if last {
            ""
        } else {
            match self.pieces[self.piece + 1] {
                Piece::Literal(text) => text,
                Piece::Part { .. } | Piece::Shard(_) => "",
            }
        };
        let separator = self.style.separator(after);
        let is_in_number = separator.byte.is_ascii_digit() || separator.byte == b'-';
        // A number whose sign tells its width may hold what follows it, and a part may hold one character of a separator of
        // several.
        if separator.count > 1 || matches!(width, Width::Signed(_)) && is_in_number {
            return PartAlphabet::All;
        }
        PartAlphabet::Without(separator.byte)
    }

    /// Steps over one byte.
    const fn step(mut self) -> Self {
        self.byte += 1;
        self.settled()
    }

    /// Steps over a part of variable width.
    const fn leave(mut self) -> Self {
        self.piece += 1;
        self.byte = 0;
        self.settled()
    }

    const fn delimiter(&self) -> u8 {
        self.style.delimiter() as u8
    }
}

/// Whether one text fits the rest of both templates.
const fn meet(a: TemplateCursor, b: TemplateCursor) -> bool {
    match (a.ahead(), b.ahead()) {
        (TemplateByte::Anything, _) | (_, TemplateByte::Anything) => true,
        (TemplateByte::Nothing, TemplateByte::Nothing) => true,
        // Both can be of any length, so the longer one may hold the other one and what follows it.
        // It is enough to end one of them first.
        (TemplateByte::Many(_), TemplateByte::Many(_)) => meet(a.leave(), b) || meet(a, b.leave()),
        (TemplateByte::Many(bytes), other) => many(a, bytes, other, b),
        (other, TemplateByte::Many(bytes)) => many(b, bytes, other, a),
        (TemplateByte::Nothing, _) | (_, TemplateByte::Nothing) => false,
        (TemplateByte::Exactly(left), TemplateByte::Exactly(right)) => {
            left == right && meet(a.step(), b.step())
        }
        (TemplateByte::Exactly(_) | TemplateByte::Any, _) => meet(a.step(), b.step()),
    }
}

/// `meet` if one side has a part of variable width: the part ends here, or takes the next byte of the other side.
const fn many(
    part: TemplateCursor,
    bytes: PartAlphabet,
    other: TemplateByte,
    rest: TemplateCursor,
) -> bool {
    // The part may end here, or go on with the next byte. No part is empty in a stored key, so this
    // allows a little too much, which only rejects more.
    if meet(part.leave(), rest) {
        return true;
    }
    match other {
        TemplateByte::Exactly(byte) => bytes.hold(byte) && meet(part, rest.step()),
        TemplateByte::Any => meet(part, rest.step()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: Piece = Piece::Part {
        field: "f",
        width: Width::Variable,
        presence: Presence::Always,
        format: 0,
    };
    const FOUR: Piece = Piece::Part {
        field: "f",
        width: Width::Fixed(4),
        presence: Presence::Always,
        format: 0,
    };

    fn may_meet(a: &'static [Piece], b: &'static [Piece], style: Style) -> bool {
        let one = meet(TemplateCursor::new(a, style), TemplateCursor::new(b, style));
        assert_eq!(
            one,
            meet(TemplateCursor::new(b, style), TemplateCursor::new(a, style)),
            "symmetric"
        );
        one
    }

    #[test]
    fn literals_and_delimiters_keep_templates_apart() {
        use Piece::Literal as L;
        for (a, b, expected) in [
            (&[L("USER#"), TEXT][..], &[L("ORDER#"), TEXT][..], false),
            (&[L("USER#"), TEXT], &[L("USER#"), TEXT], true),
            (&[L("INFO")], &[TEXT], true),
            (&[L("INFO")], &[L("POST#"), TEXT], false),
            (
                &[L("ORDER#"), TEXT],
                &[L("ORDER#"), TEXT, L("#LINE#"), FOUR],
                false,
            ),
            (&[L("A#"), FOUR], &[L("A#abcd")], true),
            (&[L("A#"), FOUR], &[L("A#abcde")], false),
            (&[TEXT, L("#X")], &[TEXT, L("#Y")], false),
            (&[TEXT, L("#X")], &[L("A#"), TEXT], true),
            (&[FOUR, FOUR], &[L("12345678")], true),
            (&[L("")], &[TEXT], true),
        ] {
            assert_eq!(may_meet(a, b, Style::Escaped), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn shards_are_digits_after_the_delimiter() {
        use Piece::{Literal as L, Shard};
        for (a, b, expected) in [
            (&[L("A#"), TEXT, Shard(9)][..], &[L("A#"), TEXT][..], false),
            (&[L("A#"), TEXT, Shard(9)], &[L("A#"), TEXT, L("#B")], false),
            (&[L("A#"), TEXT, Shard(9)], &[L("A#"), TEXT, L("#7")], true),
            (&[L("A#"), TEXT, Shard(9)], &[L("A#"), TEXT, Shard(5)], true),
            (&[L("A"), Shard(9)], &[L("A#"), TEXT], true),
            (&[L("A"), Shard(9)], &[L("A#x"), TEXT], false),
            (&[L("A"), Shard(9)], &[L("A"), FOUR], true),
        ] {
            assert_eq!(may_meet(a, b, Style::Escaped), expected, "{a:?} {b:?}");
        }
        let verbatim = Style::Verbatim(':');
        assert!(may_meet(&[L("A"), Shard(9)], &[TEXT], verbatim));
        assert!(!may_meet(&[L("A"), Shard(9)], &[L("A#1")], verbatim));
    }

    #[test]
    fn the_last_part_of_a_verbatim_key_takes_the_delimiter() {
        use Piece::Literal as L;
        let style = Style::Verbatim(':');
        assert!(may_meet(
            &[L("O:"), TEXT],
            &[L("O:"), TEXT, L(":L:"), FOUR],
            style
        ));
        assert!(!may_meet(&[TEXT, L(":X")], &[TEXT, L(":Y")], style));
    }

    #[test]
    fn a_part_holds_no_separator_of_its_template() {
        use Piece::Literal as L;
        const SIGNED: Piece = Piece::Part {
            field: "f",
            width: Width::Signed(2),
            presence: Presence::Always,
            format: 0,
        };
        let style = Style::Verbatim('#');
        for (a, b, expected) in [
            (&[TEXT, L("@x")][..], &[TEXT, L("@y")][..], false),
            (&[TEXT, L("@x")], &[L("a@b@x")], false),
            (&[TEXT, L("@x")], &[L("a#b@x")], true),
            (&[TEXT, L("#x")], &[L("a@b#x")], true),
            (&[TEXT, L("::x")], &[L("a:b::x")], true),
            (&[SIGNED, L("-x")], &[L("-12-x")], true),
            (&[SIGNED, L("-x")], &[L("12-y")], false),
        ] {
            assert_eq!(may_meet(a, b, style), expected, "{a:?} {b:?}");
        }
    }
}
