//! The position of a page, which a program can store and continue from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::codec::DynamoValue;
use crate::codec::model::TypeModel;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, Tag, Writer};

/// The position of a page of a list; see [`Chunked::page`](super::Chunked::page). The default is that of the first page.
///
/// A position belongs to the list whose page was read. After the list was replaced, compacted or deleted, a read at this position
/// is a [`Conflict`](crate::error::ErrorKind::Conflict), so a program that continues never mixes pages of two lists. Appends keep
/// positions valid. The default belongs to any list.
///
/// The position is stored as a text, in items and by serde, and `Display` and `FromStr` convert it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PagePosition {
    /// The generation of the list; `None` for the first page of any list.
    generation: Option<String>,
    number: usize,
}

impl PagePosition {
    pub(super) fn new(generation: &str, number: usize) -> Self {
        PagePosition {
            generation: Some(generation.to_owned()),
            number,
        }
    }

    /// The number of the page, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether this is a position in a list of this generation.
    pub(super) fn is_in(&self, generation: &str) -> bool {
        self.generation
            .as_deref()
            .is_none_or(|own| own == generation)
    }

    pub(super) fn is_first_of_any(&self) -> bool {
        self.generation.is_none()
    }
}

/// A page of a list, and the position after it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListPage<T> {
    /// The elements of the page, at least one.
    pub elements: Vec<T>,
    /// The position of this page, which belongs to this list even if the page was read by the default position.
    pub position: PagePosition,
    /// The position of the next page, whether or not it exists already.
    pub next: PagePosition,
}

/// The number and the generation; an empty text for the first page of any list.
impl fmt::Display for PagePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.generation {
            Some(generation) => write!(f, "{} {generation}", self.number),
            None => Ok(()),
        }
    }
}

/// Fails if the text is not a position, with an error of kind [`InvalidCursor`](ErrorKind::InvalidCursor).
impl FromStr for PagePosition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        read_position(text).ok_or_else(|| {
            let message = "this text is not a position of a page";
            Error::new(ErrorKind::InvalidCursor, Stage::Decode, message)
        })
    }
}

fn read_position(text: &str) -> Option<PagePosition> {
    if text.is_empty() {
        return Some(PagePosition::default());
    }
    let (number, generation) = text.split_once(' ')?;
    let is_generation = !generation.is_empty() && !generation.contains(' ');
    let number = number.parse().ok().filter(|_| is_generation)?;
    Some(PagePosition::new(generation, number))
}

#[diagnostic::do_not_recommend]
impl DynamoValue for PagePosition {
    type Path<R, M: crate::path::Mode> = crate::path::Path<R, Self, M>;

    const STORED: Option<Tag> = Some(Tag::S);
    const MODEL: TypeModel = TypeModel::Known {
        name: "PagePosition",
    };

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.text(&self.to_string());
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let text = reader.text()?;
        read_position(&text)
            .ok_or_else(|| CodecError::mismatch("a position of a page", "other text"))
    }

    fn as_stored(&self) -> Option<Self> {
        Some(self.clone())
    }
}

impl Serialize for PagePosition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PagePosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_was_written() {
        for position in [
            PagePosition::default(),
            PagePosition::new("0f", 0),
            PagePosition::new("0f", 7),
        ] {
            assert_eq!(
                position.to_string().parse::<PagePosition>().ok(),
                Some(position)
            );
        }
        for other in ["7", " ", "7 ", "x 0f", "7 0f 1", "-1 0f"] {
            assert!(other.parse::<PagePosition>().is_err(), "{other:?}");
        }
    }
}
