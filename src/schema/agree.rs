//! The compile-time checks of an entity and its table, and of the entities of a table.

use super::overlap::{is_fallback, same_text};
use super::{
    EntityDef, EntityIndexDef, IndexDef, IndexKind, KeyDef, KeySource, KeyType, Piece, Presence,
    Projection, Style, TableDef, Width,
};

/// A name of a list, or empty text past its end.
pub const fn nth(names: &[&'static str], at: usize) -> &'static str {
    if at < names.len() { names[at] } else { "" }
}

/// A name, or empty text if it is missing.
pub const fn name_or_empty(name: Option<&'static str>) -> &'static str {
    match name {
        Some(name) => name,
        None => "",
    }
}

/// Whether the end of a part that something follows can be found: by its width, by the delimiter or, in a verbatim key, by
/// a character that the part cannot hold. `natural` is the width of its type, and `next` the first character that follows,
/// if that is a literal.
pub const fn ends(width: Width, natural: Width, next: Option<char>, style: Style) -> bool {
    if matches!(width, Width::Fixed(_) | Width::Digits(_)) {
        return true;
    }
    let Some(next) = next else {
        return false;
    };
    if next as u32 == style.delimiter() as u32 || matches!(width, Width::Signed(_)) {
        return true;
    }
    match (style, natural) {
        // Texts hold every character above `%`, and `#` alone sorts below all that can continue a text.
        (Style::Escaped, _) => false,
        (Style::Verbatim(_), Width::Digits(_) | Width::Signed(_)) => !next.is_ascii_digit(),
        // A text that holds the character is an error when it is written. That would be usual for letters and digits.
        (Style::Verbatim(_), _) => next.is_ascii() && !next.is_ascii_alphanumeric(),
    }
}

/// Whether the separator after a part is none of these characters, which its texts hold one at a time.
pub const fn is_free_of(holds: &str, after: &str, style: Style) -> bool {
    let (holds, separator) = (holds.as_bytes(), style.separator(after));
    let mut at = 0;
    while at < holds.len() {
        if holds[at] == separator.byte && separator.count == 1 {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether parts are escaped, so that literals must sort above them.
pub const fn is_escaped(style: Style) -> bool {
    matches!(style, Style::Escaped)
}

/// Whether a field's attribute has no other use: neither as a key from a template nor as the type.
pub const fn is_free(stored: &str, entity: &EntityDef, table: &TableDef) -> bool {
    if is_type(stored, entity, table) {
        return false;
    }
    // A template writes the attribute of its key, and a field that is stored there would be
    // overwritten by it.
    if is_filled(stored, &entity.pk) {
        return false;
    }
    if let Some(sk) = &entity.sk
        && is_filled(stored, sk)
    {
        return false;
    }
    let mut at = 0;
    while at < entity.indexes.len() {
        if is_filled_by(stored, entity.indexes[at].pk)
            || is_filled_by(stored, entity.indexes[at].sk)
        {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether an attribute may be renamed from one name to the other: neither is projected into an index by name, and the
/// former one has no other use.
pub const fn may_be_renamed(
    former: &str,
    stored: &str,
    entity: &EntityDef,
    table: &TableDef,
) -> bool {
    // During a renaming both names are written. A key attribute, or one that an index lists, cannot
    // be two.
    if !is_free(former, entity, table) || is_table_key(former, table) {
        return false;
    }
    let mut at = 0;
    while at < table.indexes.len() {
        if let Projection::Include(names) = table.indexes[at].project
            && (is_listed(former, names) || is_listed(stored, names))
        {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether an attribute is part of the primary key, or of the key of an index.
pub(super) const fn is_table_key(name: &str, table: &TableDef) -> bool {
    if same_text(name, table.pk) {
        return true;
    }
    if let Some(sk) = table.sk
        && same_text(name, sk)
    {
        return true;
    }
    let mut at = 0;
    while at < table.indexes.len() {
        if is_listed(name, table.indexes[at].pk) || is_listed(name, table.indexes[at].sk) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether an attribute stores the type of an entity.
pub(super) const fn is_type(name: &str, entity: &EntityDef, table: &TableDef) -> bool {
    match entity.type_attribute_in(table) {
        Some(attribute) => same_text(attribute, name),
        None => false,
    }
}

const fn is_listed(name: &str, names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if same_text(name, names[at]) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_filled_by(stored: &str, keys: &[KeyDef]) -> bool {
    let mut at = 0;
    while at < keys.len() {
        if is_filled(stored, &keys[at]) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_filled(stored: &str, key: &KeyDef) -> bool {
    key.is_derived() && same_text(key.attribute, stored)
}

/// Whether an entity has a sort key if the table has one, and none if it has none.
pub const fn fills_sort_key(table: &TableDef, entity: &EntityDef) -> bool {
    table.name.is_empty() || table.sk.is_some() == entity.sk.is_some()
}

/// Whether a table is the one with this identity.
pub const fn is_table(table: &TableDef, named: &str) -> bool {
    named.is_empty() || same_text(table.id, named)
}

/// Whether the attribute of a bare key field has the name of the key.
pub const fn is_key(stored: &str, attribute: &str) -> bool {
    attribute.is_empty() || same_text(stored, attribute)
}

/// Whether a key attribute of this type contains a number.
pub const fn is_number(ty: KeyType) -> bool {
    matches!(ty, KeyType::N)
}

/// Whether a declared index is of this kind and has this many key attributes.
pub const fn index_fits(index: &IndexDef, kind: IndexKind, pk: usize, sk: usize) -> bool {
    let fits = index.kind as u8 == kind as u8 && index.pk.len() == pk && index.sk.len() == sk;
    fits || index.name.is_empty()
}

/// Whether keys that fill one attribute are built in the same way. Access patterns of one index may differ, because
/// they exclude each other.
pub const fn shared_attributes_agree(entity: &EntityDef) -> bool {
    let mut at = 0;
    while at < entity.indexes.len() {
        let index = &entity.indexes[at];
        if !agrees_with_table(entity, index) {
            return false;
        }
        let mut other = at + 1;
        while other < entity.indexes.len() {
            let later = &entity.indexes[other];
            if !same_text(index.index, later.index) && !indexes_agree(index, later) {
                return false;
            }
            other += 1;
        }
        at += 1;
    }
    true
}

const fn agrees_with_table(entity: &EntityDef, index: &EntityIndexDef) -> bool {
    if !all_agree(&entity.pk, index.pk) || !all_agree(&entity.pk, index.sk) {
        return false;
    }
    match &entity.sk {
        Some(sk) => all_agree(sk, index.pk) && all_agree(sk, index.sk),
        None => true,
    }
}

const fn indexes_agree(a: &EntityIndexDef, b: &EntityIndexDef) -> bool {
    each_agrees(a.pk, b) && each_agrees(a.sk, b)
}

const fn each_agrees(keys: &[KeyDef], index: &EntityIndexDef) -> bool {
    let mut at = 0;
    while at < keys.len() {
        if !all_agree(&keys[at], index.pk) || !all_agree(&keys[at], index.sk) {
            return false;
        }
        at += 1;
    }
    true
}

const fn all_agree(key: &KeyDef, others: &[KeyDef]) -> bool {
    let mut at = 0;
    while at < others.len() {
        // A table with mistakes has a stand-in without names, so that its own error is the only one.
        if !key.attribute.is_empty()
            && same_text(key.attribute, others[at].attribute)
            && !same_source(&key.source, &others[at].source)
        {
            return false;
        }
        at += 1;
    }
    true
}

const fn same_source(a: &KeySource, b: &KeySource) -> bool {
    match (a, b) {
        (KeySource::Field(a), KeySource::Field(b))
        | (KeySource::Number { field: a, .. }, KeySource::Number { field: b, .. }) => {
            same_text(a, b)
        }
        (KeySource::Template(a), KeySource::Template(b)) => {
            let all = PartMatch {
                field: true,
                form: true,
            };
            same_pieces(a, b, all)
        }
        _ => false,
    }
}

/// The properties that two parts at the same position of two templates must share.
#[derive(Clone, Copy)]
pub(super) struct PartMatch {
    pub(super) field: bool,
    /// The format, the width, and the position of a None in the order.
    pub(super) form: bool,
}

/// Whether two templates have the same texts and shards, and matching parts between them.
pub(super) const fn same_pieces(a: &[Piece], b: &[Piece], of: PartMatch) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        let same = match (a[at], b[at]) {
            (Piece::Literal(a), Piece::Literal(b)) => same_text(a, b),
            (
                Piece::Part {
                    field: a,
                    width: w,
                    presence: p,
                    format: f,
                },
                Piece::Part {
                    field: b,
                    width: v,
                    presence: q,
                    format: g,
                },
            ) => {
                let same_form = f == g && same_width(w, v) && same_place(p, q);
                (!of.field || same_text(a, b)) && (!of.form || same_form)
            }
            (Piece::Shard(a), Piece::Shard(b)) => a == b,
            _ => false,
        };
        if !same {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a None has the same position in two parts of the same field.
const fn same_place(a: Presence, b: Presence) -> bool {
    match a {
        Presence::First => matches!(b, Presence::First),
        Presence::Last => matches!(b, Presence::Last),
        Presence::Ends => matches!(b, Presence::Ends),
        Presence::Always | Presence::Text | Presence::Optional => {
            b.marks().is_none() && !matches!(b, Presence::Ends)
        }
    }
}

/// Whether two parts have the same width.
const fn same_width(a: Width, b: Width) -> bool {
    match (a, b) {
        (Width::Variable, Width::Variable) => true,
        (Width::Fixed(a) | Width::Digits(a), Width::Fixed(b) | Width::Digits(b)) => a == b,
        (Width::Signed(a), Width::Signed(b)) => a == b,
        _ => false,
    }
}

/// Whether two entities of a table give every attribute that both use as a key the same type, and have the same TTL
/// attribute.
pub const fn attributes_agree(a: &EntityDef, b: &EntityDef) -> bool {
    // An entity whose declaration has a mistake; its derive has reported that already.
    if is_fallback(a) || is_fallback(b) {
        return true;
    }
    if let (Some(a), Some(b)) = (a.ttl, b.ttl)
        && !same_text(a, b)
    {
        return false;
    }
    let mut at = 0;
    while at < a.indexes.len() {
        if !types_agree_with(a.indexes[at].pk, b) || !types_agree_with(a.indexes[at].sk, b) {
            return false;
        }
        at += 1;
    }
    true
}

const fn types_agree_with(keys: &[KeyDef], entity: &EntityDef) -> bool {
    let mut at = 0;
    while at < entity.indexes.len() {
        if !types_agree(keys, entity.indexes[at].pk) || !types_agree(keys, entity.indexes[at].sk) {
            return false;
        }
        at += 1;
    }
    true
}

const fn types_agree(a: &[KeyDef], b: &[KeyDef]) -> bool {
    let mut left = 0;
    while left < a.len() {
        let mut right = 0;
        while right < b.len() {
            if same_text(a[left].attribute, b[right].attribute)
                && a[left].ty as u8 != b[right].ty as u8
            {
                return false;
            }
            right += 1;
        }
        left += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_one_width_differ() {
        let part = |format| {
            [Piece::Part {
                field: "at",
                width: Width::Fixed(24),
                presence: Presence::Always,
                format,
            }]
        };
        for (form, is_same) in [(true, false), (false, true)] {
            let of = PartMatch { field: true, form };
            assert_eq!(same_pieces(&part(3), &part(11), of), is_same);
            assert!(same_pieces(&part(3), &part(3), of));
        }
    }
}
