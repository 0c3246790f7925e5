//! Bare keys: the field's own attribute, in its native type.

use std::borrow::Cow;
use std::sync::Arc;

use super::Role;
use crate::clock::Timestamp;
use crate::codec::{DynamoValue, Fault, Name, Number, Writer};
use crate::schema::KeyType;

/// A type that can be a key attribute by itself: text, a number or bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key attribute",
    label = "not text, a number or bytes",
    note = "key attributes of DynamoDB are `S`, `N` or `B`: use such a field, or a template such as `\"KIND#{{field}}\"`",
    note = "an `Option` can be a key of an index only: a primary key is always there"
)]
pub trait KeyValue: DynamoValue + Clone {
    /// The native type.
    const TYPE: KeyType;

    /// Whether it is empty text or binary, which no key may be.
    fn is_empty_key(&self) -> bool {
        false
    }
}

macro_rules! key_values {
    ($type:ident: $($(#[$cfg:meta])? $value:ty),* $(,)?) => {$(
        $(#[$cfg])?
        impl KeyValue for $value {
            const TYPE: KeyType = KeyType::$type;
        }
    )*};
}

macro_rules! sized_key_values {
    ($type:ident: $($value:ty),* $(,)?) => {$(
        impl KeyValue for $value {
            const TYPE: KeyType = KeyType::$type;

            fn is_empty_key(&self) -> bool {
                self.is_empty()
            }
        }
    )*};
}

sized_key_values!(S: String, Box<str>, Arc<str>, Cow<'static, str>);
sized_key_values!(B: Vec<u8>, Box<[u8]>, bytes::Bytes);

impl<const N: usize> KeyValue for [u8; N] {
    const TYPE: KeyType = KeyType::B;

    fn is_empty_key(&self) -> bool {
        N == 0
    }
}

key_values!(S:
    char, Timestamp, std::time::SystemTime,
    #[cfg(feature = "chrono")] chrono::DateTime<chrono::Utc>,
    #[cfg(feature = "chrono")] chrono::NaiveDate,
    #[cfg(feature = "chrono")] chrono::NaiveDateTime,
    #[cfg(feature = "time")] ::time::OffsetDateTime,
    #[cfg(feature = "time")] ::time::UtcDateTime,
    #[cfg(feature = "time")] ::time::Date,
    #[cfg(feature = "time")] ::time::PrimitiveDateTime,
    #[cfg(feature = "jiff")] jiff::Timestamp,
    #[cfg(feature = "jiff")] jiff::civil::Date,
    #[cfg(feature = "jiff")] jiff::civil::DateTime,
    #[cfg(feature = "uuid")] uuid::Uuid,
    #[cfg(feature = "ulid")] ulid::Ulid,
);

key_values!(N:
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, Number,
    #[cfg(feature = "rust_decimal")] rust_decimal::Decimal,
    #[cfg(feature = "bigdecimal")] bigdecimal::BigDecimal,
);

/// Writes a bare key attribute, checked.
pub fn encode_key_value<T: KeyValue>(
    value: &T,
    name: &Name,
    role: Role,
    writer: &mut Writer,
) -> Result<(), Fault> {
    writer.name(name);
    let before = writer.size();
    value
        .encode(writer)
        .and_then(|()| check(value, writer.size() - before, role))
        .map_err(|fault| fault.at(name.text).in_key(name.text))
}

fn check<T: KeyValue>(value: &T, size: usize, role: Role) -> Result<(), Fault> {
    if value.is_empty_key() {
        return Err(Fault::new("empty text or binary cannot be a key"));
    }
    let limit = role.max_size();
    if size > limit {
        return Err(Fault::new(format!(
            "the key has {size} bytes, DynamoDB allows {limit}"
        )));
    }
    Ok(())
}
