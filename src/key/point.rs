//! One value of a sort key, and its neighbours among all values that a sort key can have.
//!
//! A sort key has at most 1024 bytes, so their number is finite. Therefore every requested bound can be written
//! exactly as one that DynamoDB accepts: an excluded bound as its neighbour, a bound that is too long as the next one
//! that is not.

use std::cmp::Ordering;
use std::fmt;

use super::role::MAX_SK_SIZE;
use crate::codec::DynamoValue;
use crate::json::{CodecError, Number, Reader, Tag, Writer};
use crate::schema::KeyType;

/// A value of a key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum KeyPoint {
    S(String),
    N(Number),
    B(Vec<u8>),
}

/// The named attributes of an object of DynamoDB JSON, in the order of the names.
pub(crate) fn points_of(
    object: &[u8],
    names: &[&'static str],
) -> Result<Vec<KeyPoint>, CodecError> {
    let mut points = vec![None; names.len()];
    let mut reader = Reader::new(object);
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        let at = names.iter().position(|known| **known == *name);
        match at.and_then(|at| points.get_mut(at)) {
            Some(point) => *point = Some(KeyPoint::read_point(&mut reader)?),
            None => reader.skip()?,
        }
    }
    let missing = || CodecError::new("the key attribute is missing");
    points
        .into_iter()
        .map(|point| point.ok_or_else(missing))
        .collect()
}

/// Shows only the type, no value.
impl fmt::Debug for KeyPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyPoint::S(_) => "S",
            KeyPoint::N(_) => "N",
            KeyPoint::B(_) => "B",
        })
    }
}

impl KeyPoint {
    /// Reads a value of DynamoDB JSON.
    pub(crate) fn read_point(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Ok(match reader.tag()? {
            Tag::S => KeyPoint::S(reader.text()?.into_owned()),
            Tag::N => KeyPoint::N(Number::decode(reader)?),
            Tag::B => KeyPoint::B(reader.binary()?),
            other => return Err(CodecError::mismatch("text, a number or bytes", other)),
        })
    }

    /// Writes the value as DynamoDB JSON.
    pub(crate) fn write_point(&self, writer: &mut Writer) {
        match self {
            KeyPoint::S(text) => writer.text(text),
            KeyPoint::N(number) => writer.number(number),
            KeyPoint::B(bytes) => writer.binary(bytes),
        }
    }

    /// The type of its key.
    pub(crate) fn key_type(&self) -> KeyType {
        match self {
            KeyPoint::S(_) => KeyType::S,
            KeyPoint::N(_) => KeyType::N,
            KeyPoint::B(_) => KeyType::B,
        }
    }

    /// The number of bytes of a key with this value; numbers count as 0, because they are never too long.
    pub(crate) fn encoded_size(&self) -> usize {
        match self {
            KeyPoint::S(text) => text.len(),
            // No number is longer than a key may be.
            KeyPoint::N(_) => 0,
            KeyPoint::B(bytes) => bytes.len(),
        }
    }

    /// Whether it is empty text or binary, which is less than every key.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            KeyPoint::S(text) => text.is_empty(),
            KeyPoint::N(_) => false,
            KeyPoint::B(bytes) => bytes.is_empty(),
        }
    }

    pub(crate) fn is_too_long(&self) -> bool {
        match self {
            KeyPoint::S(text) => text.len() > MAX_SK_SIZE,
            KeyPoint::N(_) => false,
            KeyPoint::B(bytes) => bytes.len() > MAX_SK_SIZE,
        }
    }

    /// The order of two keys in DynamoDB. Values of different types have none: a key has one type.
    pub(crate) fn compare_points(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (KeyPoint::S(left), KeyPoint::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
            (KeyPoint::N(left), KeyPoint::N(right)) => Some(left.cmp(right)),
            (KeyPoint::B(left), KeyPoint::B(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }

    pub(crate) fn starts_with(&self, prefix: &Self) -> bool {
        match (self, prefix) {
            (KeyPoint::S(text), KeyPoint::S(prefix)) => text.starts_with(prefix.as_str()),
            (KeyPoint::B(bytes), KeyPoint::B(prefix)) => bytes.starts_with(prefix),
            _ => false,
        }
    }

    /// The least key above this one.
    pub(crate) fn next_point(&self) -> Option<Self> {
        match self {
            KeyPoint::S(text) if text.len() < MAX_SK_SIZE => Some(KeyPoint::S(format!("{text}\0"))),
            KeyPoint::B(bytes) if bytes.len() < MAX_SK_SIZE => {
                Some(KeyPoint::B([bytes, &[0][..]].concat()))
            }
            KeyPoint::N(number) => number.next_number().map(KeyPoint::N),
            // A text of full length has none behind it that begins with it.
            full => full.after_all(),
        }
    }

    /// The greatest key below this one.
    pub(crate) fn previous_point(&self) -> Option<Self> {
        match self {
            KeyPoint::S(text) => {
                let mut chars = text.chars();
                let last = chars.next_back()?;
                let front = chars.as_str().to_owned();
                Some(KeyPoint::S(match previous_char(last) {
                    // The greatest text below this one is as long as a key can be.
                    Some(previous) => last_text(front + previous.encode_utf8(&mut [0; 4])),
                    None => front,
                }))
            }
            KeyPoint::N(number) => number.previous_number().map(KeyPoint::N),
            KeyPoint::B(bytes) => {
                let (last, front) = bytes.split_last()?;
                let mut bytes = front.to_vec();
                if let Some(previous) = last.checked_sub(1) {
                    bytes.push(previous);
                    // As with text: below it is the longest one that begins with the byte before.
                    bytes.resize(MAX_SK_SIZE.max(bytes.len()), u8::MAX);
                }
                Some(KeyPoint::B(bytes))
            }
        }
    }

    /// The least key above all keys that start with this one; for a number, the least one above it.
    pub(crate) fn after_all(&self) -> Option<Self> {
        match self {
            KeyPoint::S(text) => {
                let mut chars = fitting_text(text).chars();
                loop {
                    let last = chars.next_back()?;
                    let front = chars.as_str();
                    if let Some(next) = next_char(last)
                        // The next character may take one more byte, and then the key would be too
                        // long.
                        && front.len() + next.len_utf8() <= MAX_SK_SIZE
                    {
                        return Some(KeyPoint::S(format!("{front}{next}")));
                    }
                }
            }
            KeyPoint::N(number) => number.next_number().map(KeyPoint::N),
            KeyPoint::B(bytes) => {
                let mut bytes = bytes.get(..MAX_SK_SIZE).unwrap_or(bytes).to_vec();
                loop {
                    if let Some(next) = bytes.pop()?.checked_add(1) {
                        bytes.push(next);
                        return Some(KeyPoint::B(bytes));
                    }
                }
            }
        }
    }

    /// The greatest key that starts with as much of this one as a key can hold; a number itself.
    pub(crate) fn last_of_all(&self) -> Self {
        match self {
            KeyPoint::S(text) => KeyPoint::S(last_text(fitting_text(text).to_owned())),
            KeyPoint::N(number) => KeyPoint::N(number.clone()),
            KeyPoint::B(bytes) => {
                let mut bytes = bytes.clone();
                bytes.resize(MAX_SK_SIZE, u8::MAX);
                KeyPoint::B(bytes)
            }
        }
    }
}

/// As much of a text as a key can hold.
fn fitting_text(text: &str) -> &str {
    let (fitting, _) = text.split_at(text.floor_char_boundary(MAX_SK_SIZE));
    fitting
}

/// The greatest text that starts with this one.
fn last_text(mut text: String) -> String {
    // The greatest character of each length, so that the text is filled to the last byte.
    for last in ['\u{10ffff}', '\u{ffff}', '\u{7ff}', '\u{7f}'] {
        while text.len() + last.len_utf8() <= MAX_SK_SIZE {
            text.push(last);
        }
    }
    text
}

fn next_char(char: char) -> Option<char> {
    match char {
        // The surrogates between them are no characters.
        '\u{d7ff}' => Some('\u{e000}'),
        char => char::from_u32(u32::from(char) + 1),
    }
}

fn previous_char(char: char) -> Option<char> {
    match char {
        '\u{e000}' => Some('\u{d7ff}'),
        char => char::from_u32(u32::from(char).checked_sub(1)?),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Short keys, and keys around the greatest length.
    fn text() -> impl Strategy<Value = String> {
        let chars = select(
            &[
                '\0',
                '\u{1}',
                'a',
                '\u{7f}',
                '\u{80}',
                '\u{7ff}',
                '\u{800}',
                '\u{d7ff}',
                '\u{e000}',
                '\u{ffff}',
                '\u{10000}',
                '\u{10ffff}',
            ][..],
        );
        let tail = proptest::collection::vec(chars, 0..4);
        let front = select(&[0, 1, 1015, 1018, 1020, 1021, 1022, 1023, 1024][..]);
        (front, tail, any::<bool>()).prop_map(|(front, tail, top)| {
            let front = if top {
                last_text(String::new())
            } else {
                "a".repeat(1024)
            }
            .chars()
            .scan(0, |length, char| {
                *length += char.len_utf8();
                (*length <= front).then_some(char)
            })
            .collect::<String>();
            front + &tail.into_iter().collect::<String>()
        })
    }

    fn key() -> impl Strategy<Value = String> {
        text().prop_map(|text| fitting_text(&text).to_owned())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::random_cases(5_000)))]

        #[test]
        fn nothing_lies_between_neighbours(point in key(), other in key()) {
            let (point, other) = (KeyPoint::S(point), KeyPoint::S(other));
            let order = |left: &KeyPoint, right: &KeyPoint| left.compare_points(right).unwrap();
            let is_above = order(&other, &point).is_gt();
            match point.next_point() {
                Some(after) => {
                    prop_assert!(!after.is_too_long());
                    prop_assert_eq!(order(&other, &after).is_ge(), is_above);
                }
                None => prop_assert!(!is_above),
            }
            let is_below = order(&other, &point).is_lt();
            match point.previous_point() {
                Some(before) => {
                    prop_assert!(!before.is_too_long());
                    prop_assert_eq!(order(&other, &before).is_le(), is_below);
                }
                None => prop_assert!(!is_below),
            }
        }

        #[test]
        fn all_of_a_prefix_end_where_they_end(prefix in text(), other in key()) {
            let (prefix, other) = (KeyPoint::S(prefix), KeyPoint::S(other));
            let order = |left: &KeyPoint, right: &KeyPoint| left.compare_points(right).unwrap();
            // The prefix itself may be longer than a key.
            let is_above = order(&other, &prefix).is_gt() && !other.starts_with(&prefix);
            match prefix.after_all() {
                Some(after) => {
                    prop_assert!(!after.is_too_long());
                    prop_assert_eq!(order(&other, &after).is_ge(), is_above);
                }
                None => prop_assert!(!is_above),
            }
            let last = prefix.last_of_all();
            prop_assert!(!last.is_too_long());
            prop_assert_eq!(order(&other, &last).is_le(), !is_above);
        }
    }

    #[test]
    fn bytes_have_neighbours_too() {
        let full = vec![7; 1024];
        let end = |last: &[u8]| [&full[..1024 - last.len()], last].concat();
        let b = KeyPoint::B;
        assert!(b(vec![1]).next_point() == Some(b(vec![1, 0])));
        assert!(b(end(&[255])).next_point() == Some(b([&full[..1022], &[8]].concat())));
        assert!(b(vec![255; 1024]).next_point().is_none());
        assert!(b(vec![1, 0]).previous_point() == Some(b(vec![1])));
        assert!(b(vec![]).previous_point().is_none());
        assert!(b(end(&[9])).previous_point() == Some(b(end(&[8]))));
        let before = b(vec![2]).previous_point();
        assert!(
            matches!(before, Some(KeyPoint::B(bytes)) if bytes.len() == 1024 && bytes[..2] == [1, 255])
        );
    }
}
