//! The words that represent values in JSON.

use crate::json::Tag;
use crate::schema::{
    FieldRole, FormerUse, IdentifyBy, IndexKind, KeyType, Presence, SecondKeyUse, StreamView,
    Style, Width,
};

/// The stored form of an enum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EnumForm {
    Names,
    Numbers,
    Tagged,
}

/// A value that is one word.
pub(crate) trait Word: Sized {
    fn word(&self) -> String;

    fn of_word(word: &str) -> Option<Self>;
}

/// Stores types as one word: types that are listed with the word of each value, and types with their own `Word`.
macro_rules! words {
    ($($type:ident $({ $($value:ident: $word:literal),* $(,)? })?)*) => {$(
        $(impl $crate::schema::Word for $type {
            fn word(&self) -> String {
                match self { $($type::$value => $word),* }.to_owned()
            }

            fn of_word(word: &str) -> Option<Self> {
                match word { $($word => Some($type::$value),)* _ => None }
            }
        })?

        impl $crate::schema::json_form::JsonForm for $type {
            fn tree(&self) -> $crate::json::JsonTree {
                $crate::json::JsonTree::Text($crate::schema::Word::word(self))
            }

            fn read(place: &$crate::schema::json_form::JsonPlace<'_>) -> $crate::error::Result<Self> {
                let word = $crate::schema::Word::of_word(&String::read(place)?);
                word.ok_or_else(|| place.wrong("a word that this version of dynamo-entity knows"))
            }
        }
    )*};
}
pub(in crate::schema) use words;

words! {
    Tag Style Width
    KeyType { S: "S", N: "N", B: "B" }
    EnumForm { Names: "names", Numbers: "numbers", Tagged: "tagged" }
    FormerUse { First: "first", Alone: "keep", Dropped: "drop" }
    IdentifyBy { Key: "key", Type: "type" }
    IndexKind { Global: "global", Local: "local" }
    SecondKeyUse { Next: "next", Was: "was", Dropped: "drop" }
    StreamView {
        KeysOnly: "keys_only", NewImage: "new_image", OldImage: "old_image", NewAndOldImages: "new_and_old_images",
    }
    Presence { Always: "always", Text: "text", Optional: "optional", First: "first", Last: "last", Ends: "ends" }
    FieldRole {
        Attribute: "attribute", Skip: "skip", Rest: "rest", Version: "version", Ttl: "ttl", CreatedAt: "created_at",
        UpdatedAt: "updated_at", CreatedBy: "created_by", UpdatedBy: "updated_by",
    }
}

impl Word for u16 {
    fn word(&self) -> String {
        self.to_string()
    }

    fn of_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

impl Word for Tag {
    fn word(&self) -> String {
        self.name().to_owned()
    }

    fn of_word(word: &str) -> Option<Self> {
        Tag::from_name(word)
    }
}

impl Word for Style {
    fn word(&self) -> String {
        match self {
            Style::Escaped => "escaped".to_owned(),
            Style::Verbatim(delimiter) => format!("verbatim:{delimiter}"),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        if word == "escaped" {
            return Some(Style::Escaped);
        }
        let mut chars = word.strip_prefix("verbatim:")?.chars();
        let delimiter = chars.next()?;
        chars.next().is_none().then_some(Style::Verbatim(delimiter))
    }
}

impl Word for Width {
    fn word(&self) -> String {
        match self {
            Width::Variable => "variable".to_owned(),
            Width::Fixed(width) => format!("fixed:{width}"),
            Width::Digits(digits) => format!("digits:{digits}"),
            Width::Signed(digits) => format!("signed:{digits}"),
            Width::Decimal => "decimal".to_owned(),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        match word {
            "variable" => return Some(Width::Variable),
            "decimal" => return Some(Width::Decimal),
            _ => {}
        }
        let (kind, count) = word.split_once(':')?;
        let count = count.parse().ok()?;
        match kind {
            "fixed" => Some(Width::Fixed(count)),
            "digits" => Some(Width::Digits(count)),
            "signed" => Some(Width::Signed(count)),
            _ => None,
        }
    }
}
