//! The place of a row among those of other lanes: the values of its sort key, cheap to take and to compare.

use std::cmp::Ordering;
use std::fmt;

use bytes::Bytes;

use super::point::KeyPoint;
use crate::codec::{Fault, Noted, Reader};

/// The values of a sort key, or of its front. Most have one.
#[derive(Default)]
pub(crate) struct Rank {
    first: Option<Value>,
    others: Vec<Value>,
}

/// As most keys are, and all others. Text stays in the answer that it came in.
enum Value {
    Text(Bytes),
    Short(i64),
    Other(KeyPoint),
}

impl Rank {
    /// Of the row that was noted in this body.
    pub(crate) fn of(noted: &Noted, reader: &Reader<'_>, body: &Bytes) -> Result<Self, Fault> {
        let mut rank = Rank::default();
        for attribute in noted.values(reader) {
            rank.push(Value::read(&mut attribute?.1, body)?);
        }
        Ok(rank)
    }

    fn push(&mut self, value: Value) {
        match self.first {
            None => self.first = Some(value),
            Some(_) => self.others.push(value),
        }
    }

    /// How many values are known.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    /// What its first value begins with, if that is text, as a number: of two ranks that differ in it, the one with
    /// the less comes before the other.
    pub(crate) fn front(&self) -> u128 {
        self.first.as_ref().map_or(0, Value::front)
    }

    /// As far as both are known.
    #[inline]
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let (Some(left), Some(right)) = (&self.first, &other.first) else {
            return Ordering::Equal;
        };
        left.compare(right).then_with(|| {
            let mut pairs = self.others.iter().zip(&other.others);
            let order = pairs
                .find_map(|(left, right)| Some(left.compare(right)).filter(|order| order.is_ne()));
            order.unwrap_or(Ordering::Equal)
        })
    }
}

impl FromIterator<KeyPoint> for Rank {
    fn from_iter<I: IntoIterator<Item = KeyPoint>>(points: I) -> Self {
        let mut rank = Rank::default();
        points.into_iter().for_each(|point| rank.push(point.into()));
        rank
    }
}

impl Value {
    fn read(reader: &mut Reader<'_>, body: &Bytes) -> Result<Self, Fault> {
        if let Some(text) = reader.usual_text() {
            return Ok(Value::Text(body.slice_ref(text.as_bytes())));
        }
        match reader.usual_integer() {
            Some(integer) => Ok(Value::Short(integer)),
            None => KeyPoint::read(reader).map(Value::from),
        }
    }

    #[inline]
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Text(left), Value::Text(right)) => left.cmp(right),
            (Value::Short(left), Value::Short(right)) => left.cmp(right),
            // Types do not mix in one key.
            (left, right) => left
                .point()
                .compare(&right.point())
                .unwrap_or(Ordering::Equal),
        }
    }

    /// The first bytes of a text. A shorter one is not told from one that goes on with zeros.
    fn front(&self) -> u128 {
        let Value::Text(text) = self else { return 0 };
        let front = text.first_chunk().copied().unwrap_or_else(|| {
            let mut front = [0; size_of::<u128>()];
            front
                .iter_mut()
                .zip(text)
                .for_each(|(to, byte)| *to = *byte);
            front
        });
        u128::from_be_bytes(front)
    }

    fn point(&self) -> KeyPoint {
        match self {
            Value::Text(text) => KeyPoint::S(String::from_utf8_lossy(text).into_owned()),
            Value::Short(integer) => KeyPoint::N((*integer).into()),
            Value::Other(point) => point.clone(),
        }
    }
}

impl From<KeyPoint> for Value {
    fn from(point: KeyPoint) -> Self {
        match point {
            KeyPoint::S(text) => Value::Text(text.into()),
            KeyPoint::N(number) => match number.as_str().parse() {
                Ok(integer) => Value::Short(integer),
                Err(_) => Value::Other(KeyPoint::N(number)),
            },
            KeyPoint::B(_) => Value::Other(point),
        }
    }
}

/// Keys stay out.
impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rank")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that are kept in different ways too.
    #[test]
    fn ranks_compare_as_their_keys() {
        let numbers = [
            "-1e40",
            "-9223372036854775808",
            "-5",
            "0",
            "0.5",
            "7",
            "10",
            "9223372036854775807",
            "9223372036854775808",
            "1e60",
        ];
        let texts = [
            "",
            "a",
            "a\\u0000",
            "a\\\\",
            "b",
            "cccccccccccccccc",
            "cccccccccccccccc\\u0000",
            "ccccccccccccccccd",
            "\u{e9}",
            "\u{10000}",
        ];
        let written = |tag: &str, value: &&str| format!("{{\"k\":{{\"{tag}\":\"{value}\"}}}}");
        let numbers: Vec<String> = numbers.iter().map(|value| written("N", value)).collect();
        let texts: Vec<String> = texts.iter().map(|value| written("S", value)).collect();
        let bytes: Vec<String> = ["", "AA==", "AAA=", "/w=="]
            .iter()
            .map(|value| written("B", value))
            .collect();
        for keys in [numbers, texts, bytes] {
            let ranks = |json: &String| {
                let body = Bytes::from(json.clone());
                let noted = Noted::of(&["k"]);
                let reader = Reader::new(&body);
                reader.clone().find(&noted).unwrap();
                let point = KeyPoint::read(&mut noted.values(&reader).next().unwrap().unwrap().1);
                let rank = Rank::of(&noted, &reader, &body).unwrap();
                [rank, [point.unwrap()].into_iter().collect()]
            };
            for (at, left) in keys.iter().enumerate() {
                for (other, right) in keys.iter().enumerate() {
                    for (left, right) in ranks(left).iter().zip(ranks(right).iter().rev()) {
                        assert_eq!(left.compare(right), at.cmp(&other));
                        assert_eq!(
                            left.front().cmp(&right.front()).then(at.cmp(&other)),
                            at.cmp(&other)
                        );
                    }
                }
            }
        }
    }
}
