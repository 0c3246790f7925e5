//! The expiry time that is derived from another field: `ttl = created_at + "90d"`.

use super::TtlTime;
use crate::clock::{Moment, Timestamp};
use crate::json::{CodecError, Name, Writer};
use crate::path::json;

/// The type of a field that an expiry is derived from: a moment, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "no expiry can be derived from `{Self}`, because it is not a time",
    label = "expected a timestamp or an `Option` of one",
    note = "timestamps are `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait ExpirySource {
    #[doc(hidden)]
    const IS_OPTIONAL: bool;
    #[doc(hidden)]
    fn moment(&self) -> Option<Timestamp>;
}

#[diagnostic::do_not_recommend]
impl<T: Moment> ExpirySource for T {
    const IS_OPTIONAL: bool = false;

    fn moment(&self) -> Option<Timestamp> {
        Some(self.to_timestamp())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment> ExpirySource for Option<T> {
    const IS_OPTIONAL: bool = true;

    fn moment(&self) -> Option<Timestamp> {
        self.as_ref().map(Moment::to_timestamp)
    }
}

/// Whether an expiry can represent everything that its source can be.
pub const fn expiry_fits(source_is_optional: bool, expiry_is_optional: bool) -> bool {
    expiry_is_optional || !source_is_optional
}

/// The expiry time of an item with this source. A fraction of a second is cut off, as in a TTL that is written.
pub fn derived_ttl<T: TtlTime>(source: Option<Timestamp>, lifetime: u64) -> Result<T, CodecError> {
    let seconds = source.map(|time| {
        let lifetime = i64::try_from(lifetime).unwrap_or(i64::MAX);
        time.seconds().saturating_add(lifetime)
    });
    T::from_epoch_seconds(seconds)
        .ok_or_else(|| CodecError::new("the derived expiry is outside the range of its type"))
}

/// The stored expiry time of an item; `None` if its source is not known.
pub fn derived_ttl_json<T: TtlTime>(
    source: Option<Option<Timestamp>>,
    lifetime: u64,
) -> Result<Option<Option<Vec<u8>>>, CodecError> {
    let Some(source) = source else {
        return Ok(None);
    };
    let ttl: T = derived_ttl(source, lifetime)?;
    json(|name: &Name, writer: &mut Writer| ttl.encode_ttl(name, writer)).map(Some)
}
