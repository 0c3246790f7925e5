//! The types of DynamoDB.

use std::fmt;

/// The types of DynamoDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Text.
    S,
    /// A number.
    N,
    /// Bytes.
    B,
    /// A boolean.
    Bool,
    /// NULL.
    Null,
    /// A list.
    L,
    /// A map.
    M,
    /// A set of text.
    Ss,
    /// A set of numbers.
    Ns,
    /// A set of bytes.
    Bs,
}

impl Tag {
    /// The name of the type in DynamoDB JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Tag::S => "S",
            Tag::N => "N",
            Tag::B => "B",
            Tag::Bool => "BOOL",
            Tag::Null => "NULL",
            Tag::L => "L",
            Tag::M => "M",
            Tag::Ss => "SS",
            Tag::Ns => "NS",
            Tag::Bs => "BS",
        }
    }

    pub(crate) const fn opening_text(self) -> &'static [u8] {
        match self {
            Tag::S => b"{\"S\":",
            Tag::N => b"{\"N\":",
            Tag::B => b"{\"B\":",
            Tag::Bool => b"{\"BOOL\":",
            Tag::Null => b"{\"NULL\":",
            Tag::L => b"{\"L\":",
            Tag::M => b"{\"M\":",
            Tag::Ss => b"{\"SS\":",
            Tag::Ns => b"{\"NS\":",
            Tag::Bs => b"{\"BS\":",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Tag> {
        [
            Tag::S,
            Tag::N,
            Tag::B,
            Tag::Bool,
            Tag::Null,
            Tag::L,
            Tag::M,
            Tag::Ss,
            Tag::Ns,
            Tag::Bs,
        ]
        .into_iter()
        .find(|tag| tag.name() == name)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
