//! Shards: items of one partition are spread over many by a hash of their primary keys.

mod xxh64;

use super::parse::KeyParser;
use crate::json::CodecError;
use xxh64::xxh64;

/// The hash of a primary key. It determines the shard of the item, permanently.
///
/// It is XXH64, with the seed 0, of the bytes of the partition key (without its own shard, if it has
/// one); if there is a sort key, one byte 0 and the bytes of the sort key follow. The bytes of a
/// text are its UTF-8 as stored, those of a number are the digits of [`Number::as_str`](crate::json::Number::as_str),
/// those of a binary value are the value itself. The shard is the hash modulo the number of shards.
///
/// ```
/// use dynamo_entity::key::KeyHash;
///
/// let hash = KeyHash::of(b"USER#ann", Some(b"ORDER#00000007"));
/// assert_eq!(hash.number(), 0x5438_5738_d9be_982a);
/// assert_eq!((hash.shard(10), hash.shard(4)), (4, 2));
///
/// // A partition key alone, numbers, and a text as it is stored: `a#b` within a template.
/// for (pk, sk, number) in [
///     ("USER#ann", None, 0x5a4b_e2a7_3eb5_e187),
///     ("4711", Some("-5"), 0xe34b_39bf_46f2_9b5c),
///     ("ü", Some("a%23b"), 0xdac9_24e3_bf25_d558),
/// ] {
///     let hash = KeyHash::of(pk.as_bytes(), sk.map(str::as_bytes));
///     assert_eq!(hash.number(), number);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(u64);

impl KeyHash {
    /// The hash of a primary key, from the bytes of its attributes.
    pub fn of(pk: &[u8], sk: Option<&[u8]>) -> KeyHash {
        match sk {
            // The zero byte separates the two, so that other pairs with the same text together get
            // another hash.
            Some(sk) => KeyHash(xxh64(&[pk, &[0], sk].concat())),
            None => KeyHash(xxh64(pk)),
        }
    }

    /// The hash itself.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The shard of the item among this many shards, which count as one at least.
    pub fn shard(self, shards: u16) -> u16 {
        // The remainder is below `shards`, so the cast loses nothing.
        (self.0 % u64::from(shards.max(1))) as u16
    }
}

/// The shard that ends a partition key.
#[derive(Debug, Clone, Copy)]
pub enum Shard {
    /// The shard of the item with this primary key.
    Of(KeyHash),
    /// This shard: a read visits one after the other.
    At(u16),
    /// No shard: the key in the form that is hashed.
    Without,
}

impl Shard {
    /// The number of the shard, if the key has this many.
    pub(super) fn shard_number(self, shards: u16) -> Option<u16> {
        match self {
            Shard::Of(hash) => Some(hash.shard(shards)),
            Shard::At(number) => Some(number),
            Shard::Without => None,
        }
    }
}

impl KeyParser<'_> {
    /// Checks and drops the shard that ends the key: it follows from the parts.
    pub fn shard(&mut self, shards: u16) -> Result<(), CodecError> {
        let digits = self.rest_after_delimiter().unwrap_or_default();
        let number = digits.parse().ok().filter(|number: &u16| *number < shards);
        // `parse` accepts leading zeros and a sign, which are never written.
        match number.filter(|number| number.to_string() == digits) {
            Some(_) => {
                self.take_all();
                Ok(())
            }
            None => Err(self.unlike_template()),
        }
    }
}
