//! The consequences for stored values if a field gets another type.

use crate::schema::{MomentForm, StoredType, ValueKind};

/// How the values of a type are those of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TypeChange {
    /// They are stored alike.
    Alike,
    /// The new type has all values of the old one, stored alike, and more.
    Wider,
    /// The old type has all values of the new one, and more.
    Narrower,
    /// It is not known whether they are stored alike.
    Unknown,
}

/// The meaning of a change from one type to another. `named` says so of two names that are not equal or are declared.
pub(super) fn type_change(
    old: &StoredType,
    new: &StoredType,
    named: &mut impl FnMut(&str, &str) -> Option<TypeChange>,
) -> TypeChange {
    if old.of.is_empty() && new.of.is_empty() {
        return match (
            named(&old.name, &new.name),
            // A collection without its parameters could not be parsed, so nothing is known about
            // its elements.
            old.name == new.name && !old.is_collection(),
            is_among(&old.name, &new.name),
            is_among(&new.name, &old.name),
        ) {
            (Some(known), ..) => known,
            (_, true, ..) => TypeChange::Alike,
            (_, _, true, _) => TypeChange::Wider,
            (_, _, _, true) => TypeChange::Narrower,
            _ => TypeChange::Unknown,
        };
    }
    if old.name != new.name || old.of.len() != new.of.len() {
        return TypeChange::Unknown;
    }
    let pairs = old.of.iter().zip(&new.of);
    let changes: Vec<TypeChange> = pairs
        .map(|(old, new)| type_change(old, new, &mut *named))
        .collect();
    let is_any = |wanted| changes.contains(&wanted);
    // Keys of maps are stored as texts, and a wider type may write the same key as another text.
    let is_map = old.name == "Map" && changes.first() != Some(&TypeChange::Alike);
    // Neither side reads everything of the other then.
    let is_both = is_any(TypeChange::Wider) && is_any(TypeChange::Narrower);
    match is_map || is_both {
        true => TypeChange::Unknown,
        false => changes.iter().copied().max().unwrap_or(TypeChange::Unknown),
    }
}

/// Whether each value of one type is a value of another one, and is stored alike.
pub(super) fn is_among(old: &str, new: &str) -> bool {
    let (Some(old), Some(new)) = (ValueKind::of_name(old), ValueKind::of_name(new)) else {
        return false;
    };
    let ValueKind::Integer { is_signed, bits } = old else {
        return matches!(
            (old, new),
            (ValueKind::Float { bits: 32 }, ValueKind::Float { bits: 64 })
                | (ValueKind::Decimal, ValueKind::Number)
                | (
                    ValueKind::Char
                        | ValueKind::Uuid
                        | ValueKind::Ulid
                        | ValueKind::PagePosition
                        | ValueKind::Moment(MomentForm::Timestamp)
                        | ValueKind::Day,
                    ValueKind::Text
                )
        );
    };
    match new {
        ValueKind::Integer {
            is_signed: to_signed,
            bits: to_bits,
        } => match (is_signed, to_signed) {
            // The sign takes one bit.
            (false, true) => to_bits > bits,
            (true, false) => false,
            _ => to_bits >= bits,
        },
        ValueKind::Number => true,
        // A type is wider only if it holds each value exactly: a `Decimal` has 96 bits, an `f64` 53
        // and an `f32` 24.
        ValueKind::Decimal => bits <= 64,
        ValueKind::Float { bits: 64 } => bits <= 32,
        ValueKind::Float { .. } => bits <= 16,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(old: &str, new: &str) -> TypeChange {
        let read = |text| StoredType::read(text, &|name: &str| name == "Wrapped<u8>");
        for text in [old, new] {
            assert_eq!(read(text).to_string(), text);
        }
        type_change(&read(old), &read(new), &mut |_, _| None)
    }

    #[test]
    fn types_are_compared_by_what_is_stored() {
        use TypeChange::{Alike, Narrower, Unknown, Wider};
        for (old, new, expected) in [
            ("u32", "u64", Wider),
            ("u64", "u32", Narrower),
            ("u32", "i32", Unknown),
            ("u32", "i64", Wider),
            ("i8", "u64", Unknown),
            ("u64", "Decimal", Wider),
            ("u128", "Decimal", Unknown),
            ("u32", "f32", Unknown),
            ("f32", "f64", Wider),
            ("f64", "f32", Narrower),
            ("usize", "u64", Wider),
            ("timestamp", "String", Wider),
            ("bool", "String", Unknown),
            ("timestamp", "date", Unknown),
            ("a::Status", "b::Status", Unknown),
            ("Set<String>", "Set<Uuid>", Narrower),
            ("Map<String,u8>", "Map<String,u16>", Wider),
            ("Map<u8,u8>", "Map<u16,u8>", Unknown),
            ("Vec<u32>", "Vec<u64>", Wider),
            ("Vec<u32>", "[u32;4]", Unknown),
            ("[u32;3]", "[u32;4]", Unknown),
            ("[u32;4]", "[u64;4]", Wider),
            ("Vec<bytes>", "Vec<Vec<u16>>", Unknown),
            ("Vec<Vec<u16>>", "Vec<Vec<u32>>", Wider),
            ("Wrapped<u8>", "Wrapped<u16>", Unknown),
            ("(u8,u8)", "(u8,u16)", Wider),
            ("(u8,u16)", "(u16,u8)", Unknown),
            ("(u8,u8)", "(u8,u8,u8)", Unknown),
            ("Vec<Option<u32>>", "Vec<u32>", Unknown),
            ("", "u8", Unknown),
            ("Vec<", "Vec>", Unknown),
            ("é", "<>", Unknown),
        ] {
            assert_eq!(change(old, new), expected, "{old} to {new}");
            assert_eq!(change(old, old), Alike, "{old}");
        }
    }
}
