//! Fields that the library keeps: version, timestamps, TTL.

use super::Version;
use crate::clock::Timestamp;
use crate::codec::time::{Form, Moment, encode_formed};
use crate::codec::{DynamoField, DynamoValue, Fault, Name, Number, Reader, Writer};

/// What a write puts into managed fields.
#[derive(Debug, Clone, Copy)]
pub struct Stamp(Mode);

#[derive(Debug, Clone, Copy)]
enum Mode {
    /// The struct's own values: `to_item`.
    AsIs,
    Write {
        version: u64,
        now: Timestamp,
        created: Created,
    },
}

/// Where the time of creation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Created {
    Now,
    /// The struct's, or now if it has none.
    Kept,
}

/// Which of the two timestamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampKind {
    /// `created_at`
    Created,
    /// `updated_at`
    Updated,
}

impl Stamp {
    pub(crate) fn as_is() -> Self {
        Stamp(Mode::AsIs)
    }

    pub(crate) fn write(version: u64, now: Timestamp, created: Created) -> Self {
        Stamp(Mode::Write {
            version,
            now,
            created,
        })
    }

    /// The version to write.
    pub fn version(&self, held: Version) -> Version {
        match self.0 {
            Mode::AsIs => held,
            Mode::Write { version, .. } => Version::from(version),
        }
    }

    /// The time to write, or `None` for the struct's own.
    fn time(&self, kind: StampKind, held: bool) -> Option<Timestamp> {
        match self.0 {
            Mode::AsIs => None,
            Mode::Write {
                created: Created::Kept,
                ..
            } if held && kind == StampKind::Created => None,
            Mode::Write { now, .. } => Some(now),
        }
    }
}

/// The type of a managed time: a moment, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a managed timestamp",
    label = "expected a timestamp or an `Option` of one",
    note = "timestamps are `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait ManagedTime: Sized {
    #[doc(hidden)]
    fn held(&self) -> Option<Timestamp>;
    #[doc(hidden)]
    fn of(time: Timestamp) -> Option<Self>;
    /// Writes the value; says whether there is one.
    #[doc(hidden)]
    fn encode_value(&self, form: Option<Form>, writer: &mut Writer) -> Result<bool, Fault>;
}

#[diagnostic::do_not_recommend]
impl<T: Moment + DynamoValue> ManagedTime for T {
    fn held(&self) -> Option<Timestamp> {
        Some(self.to_timestamp())
    }

    fn of(time: Timestamp) -> Option<Self> {
        T::from_timestamp(time)
    }

    fn encode_value(&self, form: Option<Form>, writer: &mut Writer) -> Result<bool, Fault> {
        match form {
            Some(form) => encode_formed(self.to_timestamp(), form, writer)?,
            None => self.encode(writer)?,
        }
        Ok(true)
    }
}

impl<T: Moment + DynamoValue> ManagedTime for Option<T> {
    fn held(&self) -> Option<Timestamp> {
        self.as_ref().map(Moment::to_timestamp)
    }

    fn of(time: Timestamp) -> Option<Self> {
        T::from_timestamp(time).map(Some)
    }

    fn encode_value(&self, form: Option<Form>, writer: &mut Writer) -> Result<bool, Fault> {
        self.as_ref()
            .map_or(Ok(false), |value| value.encode_value(form, writer))
    }
}

/// Writes `created_at` or `updated_at`.
pub fn encode_stamp<T: ManagedTime>(
    stamp: &Stamp,
    kind: StampKind,
    held: &T,
    form: Option<Form>,
    name: &Name,
    writer: &mut Writer,
) -> Result<(), Fault> {
    let Some(time) = stamp.time(kind, held.held().is_some()) else {
        if held.held().is_some() {
            writer.name(name);
            held.encode_value(form, writer)?;
        }
        return Ok(());
    };
    // A foreign form may hold less than a clock tells; the library's own times are cut to it.
    let unit = match form {
        Some(Form::Epoch) => 1_000_000_000,
        Some(Form::EpochMillis) => 1_000_000,
        Some(Form::Rfc3339) | None => 1,
    };
    let value = Timestamp::from_unix(time.seconds(), time.nanos() / unit * unit).and_then(T::of);
    let value = value.ok_or_else(|| Fault::new("the clock is outside the range of this type"))?;
    writer.name(name);
    value.encode_value(form, writer).map(drop)
}

/// The type of a TTL field: a moment, epoch seconds as an integer, or an `Option` of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a TTL",
    label = "expected a timestamp or epoch seconds as an integer, or an `Option` of these",
    note = "timestamps are `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait TtlTime: Sized {
    /// Epoch seconds, cut to the second.
    #[doc(hidden)]
    fn epoch_seconds(&self) -> Result<Option<i64>, Fault>;
    #[doc(hidden)]
    fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: Moment> TtlTime for T {
    fn epoch_seconds(&self) -> Result<Option<i64>, Fault> {
        Ok(Some(self.to_timestamp().seconds()))
    }

    fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self> {
        T::from_timestamp(Timestamp::from_unix(seconds?, 0)?)
    }
}

macro_rules! integer_ttl {
    ($($int:ty)*) => {$(
        impl TtlTime for $int {
            fn epoch_seconds(&self) -> Result<Option<i64>, Fault> {
                let seconds = i64::try_from(*self);
                seconds.map(Some).map_err(|_| Fault::new("a TTL beyond all times"))
            }

            fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self> {
                seconds?.try_into().ok()
            }
        }
    )*};
}

integer_ttl!(i64 u64 u32);

impl<T: TtlTime> TtlTime for Option<T> {
    fn epoch_seconds(&self) -> Result<Option<i64>, Fault> {
        self.as_ref().map_or(Ok(None), T::epoch_seconds)
    }

    fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self> {
        match seconds {
            Some(_) => T::from_epoch_seconds(seconds).map(Some),
            None => Some(None),
        }
    }
}

/// Writes a TTL: epoch seconds, `N`.
pub fn encode_ttl<T: TtlTime>(value: &T, name: &Name, writer: &mut Writer) -> Result<(), Fault> {
    value.epoch_seconds()?.encode_field(name, writer)
}

/// Reads a TTL; a fraction that others stored is cut off.
pub fn decode_ttl<T: TtlTime>(reader: &mut Reader<'_>) -> Result<T, Fault> {
    let seconds = if reader.take_null()? {
        None
    } else {
        let number: Number = reader.digits()?.parse()?;
        let whole = number.to_whole_text().and_then(|text| text.parse().ok());
        Some(whole.ok_or_else(|| Fault::mismatch("epoch seconds", "a number that does not fit"))?)
    };
    T::from_epoch_seconds(seconds)
        .ok_or_else(|| Fault::mismatch("epoch seconds", "a time outside the type's range"))
}

/// What a missing TTL means.
pub fn absent_ttl<T: TtlTime>() -> Option<T> {
    T::from_epoch_seconds(None)
}

/// When the item expires.
pub fn expires_at<T: TtlTime>(value: &T) -> Option<i64> {
    value.epoch_seconds().ok().flatten()
}
