//! Keys: from typed parts to the texts, numbers or bytes DynamoDB sorts by, and back.
//!
//! A key attribute is either a field's own (a *bare* key, in its native type) or a text built from a *template* such
//! as `"ORDER#{placed_at}#{order_no:08}"`. Different parts give different texts, and the texts sort like their parts,
//! from left to right: `#` ends a part of variable width and sorts below everything that can continue it, because
//! text parts write every byte up to `%` as `%XX`.
//!
//! | part | example | text in the key |
//! |---|---|---|
//! | text, enum names | `a#b` | `a%23b` |
//! | unsigned integers | `7u32`, with `:04` | `0000000007`, `0007` |
//! | signed integers | `5i8`, `-5i8` | `005`, `-994` (nines' complement) |
//! | timestamps | | `2024-02-29T12:00:00.000000000Z` |
//! | `:s`, `:ms`, `:date`, `:month`, `:year` | | `..T12:00:00Z`, `..T12:00:00.000Z`, `2024-02-29`, `2024-02`, `2024` |
//! | `:epoch`, `:epoch_ms` | | `1709208000`, `1709208000000` |
//! | dates | | `2024-02-29` |
//! | `:lower`, `:upper` | `Ann Lee` | `ann%20lee`, `ANN%20LEE` |
//! | `:first` of an index | `Some(7u8)`, `None` | `1007`, `0` |
//! | `:last` of an index | `Some(7u8)`, `None` | `0007`, `1` |
//! | `:ends` of an index in a `verbatim` table | `Some(7u8)`, `None` | `7`, and the key ends before it |
//! | `bool` | | `false`, `true` |
//! | UUIDs, ULIDs | | their usual texts, fixed width |
//!
//! ```
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "files", key(pk = "OWNER#{owner}", sk = "{depth}#{path}"))]
//! struct File { owner: String, depth: i8, path: String }
//!
//! let key = File::key("a#b", -5, "c d").to_item()?;
//! assert_eq!(key.get("pk").and_then(|pk| pk.as_text()), Some("OWNER#a%23b"));
//! assert_eq!(key.get("sk").and_then(|sk| sk.as_text()), Some("-994#c%20d"));
//!
//! let file = File::key_from_item(key)?; // and back
//! assert_eq!((&*file.owner, file.depth, &*file.path), ("a#b", -5, "c d"));
//! # Ok::<(), dynamo_entity::Error>(())
//! ```
//!
//! A key with a truncating format takes the truncated value itself ([`Seconds`], [`Millis`], [`YearMonth`], [`Year`], a
//! date), so nothing is rounded silently. [`Lowercase`] and [`Uppercase`] are created from any given text. An invalid value
//! is an error before anything is sent: empty text, a number wider than its padding, a year of five digits, a key
//! over 2048 (partition) or 1024 (sort) bytes.
//!
//! `verbatim` is for a table that other programs wrote: text is written without escapes, and text that contains the
//! delimiter is an error except in the last part; integers without a width are not padded.
//!
//! The same generated function writes the key of an entity, of a [`Key`](crate::Key) and of a query, so a read always
//! uses the stored key.
//!
//! # Shards
//!
//! `shards = 10` in a `key(..)` or `gsi(..)` ends its partition key with one of the numbers 0 to 9, as in
//! `STATUS#PAID#4`, so that many items of one status are written to ten partitions instead of one. The primary key
//! determines the shard by [`KeyHash`]. Callers never name it, and parsing a key drops it. Shards spread items; all
//! writes to one item still go to one partition. The number of shards of a primary key is fixed for the life of the
//! table. That of an index may increase, and may decrease while `read_shards` has the old one.
//!
//! ```
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "jobs", key(pk = "JOB#{id}"))]
//! #[dynamo(gsi(by_status, pk = "STATUS#{status}", sk = "{id}", shards = 10))]
//! struct Job { id: u32, status: String }
//!
//! let job = Job { id: 8, status: "PAID".into() }.to_item()?;
//! assert_eq!(job.get("by_status_pk").and_then(|pk| pk.as_text()), Some("STATUS#PAID#4"));
//! # Ok::<(), dynamo_entity::Error>(())
//! ```

mod arg;
mod decimal;
mod epoch;
mod escape;
mod fold;
#[cfg(feature = "uuid")]
mod foreign_id;
mod foreign_time;
mod format;
pub(crate) mod given;
mod index;
mod integer;
pub(crate) mod json;
mod lower_time;
mod moment;
mod native;
mod order;
mod parse;
mod part;
mod part_text;
pub(crate) mod point;
pub(crate) mod range;
pub(crate) mod rank;
mod role;
mod shard;
pub(crate) mod span;
mod text;
mod textual;
mod time;
mod writer;
mod year;

pub use arg::Arg;
pub use decimal::FixedDecimals;
#[doc(hidden)]
pub use decimal::{FIXED, number_format};
pub use epoch::{ToEpoch, ToEpochMillis};
pub(crate) use escape::escape_part;
pub(crate) use fold::in_case;
pub use fold::{Lowercase, ToLower, ToUpper, Uppercase};
#[cfg(feature = "uuid")]
pub use foreign_id::UppercaseUuid;
pub use foreign_time::{
    EpochMillis, EpochSeconds, JavaScriptTime, PynamoTime, PythonTime, Rfc3339Seconds,
};
#[doc(hidden)]
pub use format::{
    DATE, ENDS, EPOCH, EPOCH_MILLIS, FIRST, LAST, LOWER, MILLIS, MONTH, PADDED, PLAIN, ParsePart,
    SECONDS, UPPER,
};
pub use format::{Millis, Padded, Seconds, ToDate, ToMillis, ToMonth, ToSeconds, YearMonth};
pub use given::GivenPart;
#[doc(hidden)]
pub use given::wrong_parts;
pub use index::{IndexField, IndexPart, UniquePart};
#[doc(hidden)]
pub use lower_time::{LOWER_MILLIS, LOWER_SECONDS};
pub use lower_time::{ToLowerMillis, ToLowerSeconds};
pub use native::KeyValue;
pub(crate) use native::check_key;
#[doc(hidden)]
pub use native::encode_key;
pub use order::{Ordered, SortedPart};
pub use parse::KeyParser;
#[doc(hidden)]
pub use parse::{key_text, read_key_text, read_key_texts, text_if};
pub use part::KeyPart;
#[doc(hidden)]
pub use part_text::width_in;
pub use part_text::{PartText, PartWriter};
pub use role::{MAX_PK_SIZE, MAX_SK_SIZE, Role};
pub use shard::{KeyHash, Shard};
pub use textual::Textual;
pub use writer::{KeyTarget, KeyText, PartOf, PartPlace, WritePlace};
pub(crate) use writer::{TemplateExtent, check_size};
#[doc(hidden)]
pub use year::YEAR;
pub use year::{ToYear, Year};
