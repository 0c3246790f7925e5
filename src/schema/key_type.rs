//! The types of keys, and the views of streams.

/// The native type of a key attribute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Text, ordered by its UTF-8 bytes.
    #[default]
    S,
    /// A number, ordered by value.
    N,
    /// Bytes, ordered as unsigned numbers.
    B,
}

/// The contents of a stream record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamView {
    /// The key attributes only.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// Both.
    NewAndOldImages,
}
