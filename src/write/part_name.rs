//! The names of parts of lists and blobs, as heads contain them.
//!
//! ```text
//! 0f3c.. 120                             a part of a list: its random id and the number of its elements
//! 0f3c.. 350000 9a01..                   a part of a blob, with the XXH64 of its bytes
//! 0f3c.. 8388608 b94d27.. 77ab..         a part outside of DynamoDB: the SHA-256 of its content, and its origin
//! ```

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::entropy;
use crate::error::Result;
use crate::hex::hex_digits;
use crate::key::KeyHash;

/// The number of characters of a part's id.
pub(crate) const ID_LENGTH: usize = 32;

/// The name of a part. Everything that a reader needs follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartName(pub(crate) String);

/// The object of a part outside of DynamoDB. Its text is the name of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartObject<'n> {
    id: &'n str,
    sha256: &'n str,
    origin: &'n str,
}

impl PartName {
    /// A new name for a part of the table.
    pub(crate) fn draw_stored(count: u64, checksum: Option<u64>) -> Result<Self> {
        let id = draw_id()?;
        Ok(PartName(match checksum {
            Some(checksum) => format!("{id} {count} {checksum:016x}"),
            None => format!("{id} {count}"),
        }))
    }

    /// A new name for a part outside of DynamoDB.
    pub(crate) fn draw_outside(count: u64, content: &[u8], table: &str) -> Result<Self> {
        let (id, sha256, origin) = (draw_id()?, sha256_digits(content), origin_of(table));
        Ok(PartName(format!("{id} {count} {sha256} {origin}")))
    }

    pub(crate) fn id(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    pub(crate) fn count(&self) -> u64 {
        let count = self.0.split(' ').nth(1);
        count.and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn checksum(&self) -> Option<u64> {
        let checksum = self.0.split(' ').nth(2)?;
        u64::from_str_radix(checksum, 16).ok()
    }

    /// Its object; `None` for a part that is stored in the table.
    pub(crate) fn object(&self) -> Option<PartObject<'_>> {
        let words: Vec<&str> = self.0.split(' ').collect();
        let &[id, _, sha256, origin] = words.as_slice() else {
            return None;
        };
        // A damaged row must not name an object of another program.
        let lengths = [(id, ID_LENGTH), (sha256, 64), (origin, 16)];
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_whole = lengths
            .iter()
            .all(|(text, length)| text.len() == *length && is_digits(text));
        is_whole.then_some(PartObject { id, sha256, origin })
    }
}

impl PartObject<'_> {
    /// Whether the table with this full name has written it. Rows of a copied table name the objects of the original.
    pub(crate) fn is_of_table(&self, table: &str) -> bool {
        self.origin == origin_of(table)
    }

    /// Whether this is its content.
    pub(crate) fn has_content(&self, content: &[u8]) -> bool {
        self.sha256 == sha256_digits(content)
    }
}

impl fmt::Display for PartObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}-{}", self.origin, self.id, self.sha256)
    }
}

fn draw_id() -> Result<String> {
    Ok(format!("{:032x}", entropy::random_bits()?))
}

fn sha256_digits(content: &[u8]) -> String {
    hex_digits(&Sha256::digest(content))
}

fn origin_of(table: &str) -> String {
    format!("{:016x}", KeyHash::of(table.as_bytes(), None).number())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_part_tells_its_length_and_checksum() {
        for checksum in [None, Some(0), Some(u64::MAX)] {
            let name = PartName::draw_stored(12, checksum).expect("random bits");
            assert_eq!(name.id().len(), ID_LENGTH);
            assert_eq!((name.count(), name.checksum()), (12, checksum));
            assert_eq!(name.object(), None);
        }
    }

    #[test]
    fn the_name_of_an_object_follows_from_that_of_its_part() {
        let name = PartName::draw_outside(3, b"abc", "halls").expect("random bits");
        assert_eq!((name.id().len(), name.count()), (ID_LENGTH, 3));
        let object = name.object().expect("an object");
        assert!(object.has_content(b"abc") && !object.has_content(b"abd"));
        assert!(object.is_of_table("halls") && !object.is_of_table("test-halls"));
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        // Both numbers are stored, so they must never change.
        let expected = format!("737adca00a8c0ce1/{}-{sha256}", name.id());
        assert_eq!(object.to_string(), expected);
        let other = PartName::draw_outside(3, b"abc", "halls").expect("random bits");
        assert_ne!(other.object().expect("an object").to_string(), expected);
        for damaged in [
            "",
            "x 1 y z",
            &name.0.replace(' ', "  "),
            &format!("{} 1", name.0),
        ] {
            assert_eq!(PartName(damaged.to_owned()).object(), None, "{damaged:?}");
        }
        assert_eq!(PartName(name.0.replace(&sha256[..3], "../")).object(), None);
    }
}
