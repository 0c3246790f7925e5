//! Keys: from typed parts to the texts, numbers or bytes DynamoDB sorts by, and back.
//!
//! A key attribute is either a field's own (a *bare* key, in its native type) or a text made by a
//! *template* such as `"ORDER#{placed_at}#{order_no:08}"`. The texts are injective and sort as their
//! parts do, left to right: `#` ends a part of variable width and sorts below everything that can
//! continue it, because text parts write every byte up to `%` as `%XX`.
//!
//! The same generated function writes the key of an entity, of a [`Key`](crate::Key) and of a query,
//! so what is looked for is always what was stored.

mod arg;
mod format;
mod index;
mod integer;
mod native;
mod parse;
mod part;
mod text;
mod time;
mod writer;

pub use arg::Arg;
pub use format::{
    DATE, MILLIS, MONTH, Millis, PADDED, PLAIN, Padded, ParsePart, SECONDS, Seconds, ToDate,
    ToMillis, ToMonth, ToSeconds, YearMonth,
};
pub use index::{IndexField, IndexPart};
pub use native::{KeyValue, encode_key};
pub use parse::{KeyParser, PartText, key_text};
pub use part::{KeyPart, PartWriter, width_in};
pub use writer::{KeyText, PartPlace};

/// A partition key may have this many bytes.
pub const MAX_PK_SIZE: usize = 2048;
/// A sort key may have this many bytes.
pub const MAX_SK_SIZE: usize = 1024;

/// Which of the two keys, for its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The partition key.
    Partition,
    /// The sort key.
    Sort,
}

impl Role {
    pub(crate) const fn max_size(self) -> usize {
        match self {
            Role::Partition => MAX_PK_SIZE,
            Role::Sort => MAX_SK_SIZE,
        }
    }
}
