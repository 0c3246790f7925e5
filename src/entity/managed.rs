//! Fields whose values the library sets: version, timestamps, TTL.

use std::fmt;
use std::sync::Arc;

use super::Version;
use crate::clock::{Moment, Timestamp};
use crate::codec::time::{Form, FormField, encode_as_read};
use crate::codec::{DynamoField, DynamoValue};
use crate::json::{CodecError, Name, Number, Reader, Writer};
use crate::path::KeyUsage;

/// The values of managed fields in a write.
#[derive(Clone)]
pub struct ManagedValues(ManagedMode);

#[derive(Clone)]
enum ManagedMode {
    /// Keeps the struct's own values, for `to_item`.
    AsIs,
    Write {
        version: u64,
        now: Timestamp,
        created: Created,
        actor: Option<Arc<str>>,
    },
}

/// The source of the time and author of the creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Created {
    Now,
    /// Those of the struct, or those of this write if it has none.
    Kept,
}

/// One of the two timestamps or actors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampKind {
    /// `created_at`, `created_by`
    Created,
    /// `updated_at`, `updated_by`
    Updated,
}

/// The author that a write records.
pub(crate) enum Author<'s> {
    /// The author in the struct.
    Held,
    /// The actor who writes, if one was given.
    Writer(Option<&'s str>),
}

impl ManagedValues {
    pub(crate) fn as_is() -> Self {
        ManagedValues(ManagedMode::AsIs)
    }

    pub(crate) fn write(version: u64, now: Timestamp, created: Created) -> Self {
        ManagedValues(ManagedMode::Write {
            version,
            now,
            created,
            actor: None,
        })
    }

    /// The same write by an actor.
    pub(crate) fn by(mut self, writer: Option<Arc<str>>) -> Self {
        if let ManagedMode::Write { actor, .. } = &mut self.0 {
            *actor = writer;
        }
        self
    }

    /// The version to write.
    pub fn version(&self, held: Version) -> Version {
        match &self.0 {
            ManagedMode::AsIs => held,
            ManagedMode::Write { version, .. } => Version::stored(*version),
        }
    }

    /// The time to write, or `None` to keep the struct's own.
    fn time(&self, kind: StampKind, held: bool) -> Option<Timestamp> {
        match &self.0 {
            ManagedMode::Write { now, .. } if !self.keeps(kind, held) => Some(*now),
            _ => None,
        }
    }

    /// The author that the write records; `held` is whether the struct has one.
    pub(crate) fn author(&self, kind: StampKind, held: bool) -> Author<'_> {
        match &self.0 {
            ManagedMode::Write { actor, .. } if !self.keeps(kind, held) => {
                Author::Writer(actor.as_deref())
            }
            _ => Author::Held,
        }
    }

    /// Whether the struct's own value stays.
    fn keeps(&self, kind: StampKind, held: bool) -> bool {
        match &self.0 {
            ManagedMode::AsIs => true,
            ManagedMode::Write { created, .. } => {
                held && kind == StampKind::Created && *created == Created::Kept
            }
        }
    }
}

/// The actor is an attribute value, so it is not shown.
impl fmt::Debug for ManagedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stamp")
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
    type Held: ManagedTime;
    #[doc(hidden)]
    type Mode<U: KeyUsage>: crate::path::Mode;
    #[doc(hidden)]
    fn held(&self) -> Option<Timestamp>;
    #[doc(hidden)]
    fn of(time: Timestamp) -> Option<Self>;
    /// Writes the value, with any fraction that others stored beyond the form; returns whether it exists.
    #[doc(hidden)]
    fn encode_value(&self, form: Option<Form>, writer: &mut Writer) -> Result<bool, CodecError>;
    #[doc(hidden)]
    fn decode_time(reader: &mut Reader<'_>, form: Option<Form>) -> Result<Self, CodecError>;

    /// The value after a write; index keys are built from it.
    #[doc(hidden)]
    fn stamped(
        &self,
        stamp: &ManagedValues,
        kind: StampKind,
        form: Option<Form>,
    ) -> Result<Self, CodecError> {
        Self::stamped_from(self.held(), stamp, kind, form)
    }

    /// The value after a write, given the time in the struct.
    #[doc(hidden)]
    fn stamped_from(
        own: Option<Timestamp>,
        stamp: &ManagedValues,
        kind: StampKind,
        form: Option<Form>,
    ) -> Result<Self, CodecError> {
        // A foreign form may hold less than a clock gives, so the library's own times are cut to it.
        let unit = match form {
            Some(Form::Epoch | Form::Rfc3339Seconds) => 1_000_000_000,
            Some(Form::EpochMillis | Form::Rfc3339Millis) => 1_000_000,
            Some(Form::Python | Form::Pynamo) => 1_000,
            Some(Form::Rfc3339) | None => 1,
        };
        let time = match stamp.time(kind, own.is_some()) {
            Some(now) => Timestamp::from_unix(now.seconds(), now.nanos() / unit * unit),
            None => match own {
                Some(own) => Some(own),
                None => return Self::absent_time().ok_or_else(out_of_range),
            },
        };
        time.and_then(Self::of).ok_or_else(out_of_range)
    }

    /// Writes `created_at` or `updated_at`.
    #[doc(hidden)]
    fn encode_stamp(
        &self,
        stamp: &ManagedValues,
        kind: StampKind,
        form: Option<Form>,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        self.stamped(stamp, kind, form)?
            .encode_named(form, name, writer)
    }

    /// Writes the name and the value, if it exists.
    #[doc(hidden)]
    fn encode_named(
        &self,
        form: Option<Form>,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        if self.held().is_some() {
            writer.name(name);
            self.encode_value(form, writer)?;
        }
        Ok(())
    }

    /// Writes the value after a write, if the struct had none.
    #[doc(hidden)]
    fn encode_now(
        stamp: &ManagedValues,
        kind: StampKind,
        form: Option<Form>,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Self::stamped_from(None, stamp, kind, form)?.encode_named(form, name, writer)
    }

    /// The value of a missing attribute.
    #[doc(hidden)]
    fn absent_time() -> Option<Self>;
}

#[cold]
fn out_of_range() -> CodecError {
    CodecError::new("the clock is outside the range of this type")
}

#[diagnostic::do_not_recommend]
impl<T: Moment + DynamoValue> ManagedTime for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    fn held(&self) -> Option<Timestamp> {
        Some(self.to_timestamp())
    }

    fn of(time: Timestamp) -> Option<Self> {
        T::from_timestamp(time)
    }

    fn encode_value(&self, form: Option<Form>, writer: &mut Writer) -> Result<bool, CodecError> {
        match form {
            Some(form) => encode_as_read(self.to_timestamp(), form, writer)?,
            None => self.encode(writer)?,
        }
        Ok(true)
    }

    fn decode_time(reader: &mut Reader<'_>, form: Option<Form>) -> Result<Self, CodecError> {
        match form {
            Some(form) => T::decode_as(reader, form),
            None => T::decode(reader),
        }
    }

    fn absent_time() -> Option<Self> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment + DynamoValue> ManagedTime for Option<T> {
    type Held = T;
    type Mode<U: KeyUsage> = U::Optional;

    fn held(&self) -> Option<Timestamp> {
        self.as_ref().map(Moment::to_timestamp)
    }

    fn of(time: Timestamp) -> Option<Self> {
        T::from_timestamp(time).map(Some)
    }

    fn encode_value(&self, form: Option<Form>, writer: &mut Writer) -> Result<bool, CodecError> {
        self.as_ref()
            .map_or(Ok(false), |value| value.encode_value(form, writer))
    }

    fn decode_time(reader: &mut Reader<'_>, form: Option<Form>) -> Result<Self, CodecError> {
        if reader.take_null()? {
            Ok(None)
        } else {
            T::decode_time(reader, form).map(Some)
        }
    }

    fn absent_time() -> Option<Self> {
        Some(None)
    }
}

/// The type of a TTL field: a moment, epoch seconds as an integer, or an `Option` of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a TTL",
    label = "expected a timestamp or epoch seconds as an integer, or an `Option` of these",
    note = "timestamps are `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait TtlTime: Sized {
    #[doc(hidden)]
    const IS_OPTIONAL: bool = false;
    #[doc(hidden)]
    type Held: TtlTime;
    #[doc(hidden)]
    type Mode<U: KeyUsage>: crate::path::Mode;

    /// Writes the value that a query compares with: a fraction is kept, not truncated.
    #[doc(hidden)]
    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError>;

    /// The time in epoch seconds, truncated to the second.
    #[doc(hidden)]
    fn epoch_seconds(&self) -> Result<Option<i64>, CodecError>;
    #[doc(hidden)]
    fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self>;

    /// The value after a write, without a fraction; index keys are built from it.
    #[doc(hidden)]
    fn stored_ttl(&self) -> Result<Self, CodecError> {
        Self::from_epoch_seconds(self.epoch_seconds()?)
            .ok_or_else(|| CodecError::new("a TTL beyond all times"))
    }

    /// Writes the time in epoch seconds, `N`.
    #[doc(hidden)]
    fn encode_ttl(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        self.epoch_seconds()?.encode_field(name, writer)
    }

    /// Reads epoch seconds; a fraction that others stored is truncated.
    #[doc(hidden)]
    fn decode_ttl(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let seconds = if reader.take_null()? {
            None
        } else {
            let number: Number = reader.digits()?.parse()?;
            let whole = number.to_whole_text().and_then(|text| text.parse().ok());
            Some(whole.ok_or_else(|| {
                CodecError::mismatch("epoch seconds", "a number that does not fit")
            })?)
        };
        Self::from_epoch_seconds(seconds)
            .ok_or_else(|| CodecError::mismatch("epoch seconds", "a time outside the type's range"))
    }

    /// The value of a missing attribute.
    #[doc(hidden)]
    fn absent_ttl() -> Option<Self> {
        Self::from_epoch_seconds(None)
    }

    /// The expiry time of the item.
    #[doc(hidden)]
    fn expires_at(&self) -> Option<i64> {
        self.epoch_seconds().ok().flatten()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment> TtlTime for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError> {
        encode_as_read(self.to_timestamp(), Form::Epoch, writer)
    }

    fn epoch_seconds(&self) -> Result<Option<i64>, CodecError> {
        Ok(Some(self.to_timestamp().seconds()))
    }

    fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self> {
        T::from_timestamp(Timestamp::from_unix(seconds?, 0)?)
    }
}

macro_rules! integer_ttl {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl TtlTime for $int {
            type Held = $int;
            type Mode<U: KeyUsage> = U::Required;

            fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError> {
                self.encode(writer)
            }

            fn epoch_seconds(&self) -> Result<Option<i64>, CodecError> {
                let seconds = i64::try_from(*self);
                seconds.map(Some).map_err(|_| CodecError::new("a TTL beyond all times"))
            }

            fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self> {
                seconds?.try_into().ok()
            }
        }
    )*};
}

integer_ttl!(i64 u64 u32);

#[diagnostic::do_not_recommend]
impl<T: TtlTime> TtlTime for Option<T> {
    const IS_OPTIONAL: bool = true;
    type Held = T;
    type Mode<U: KeyUsage> = U::Optional;

    fn encode_bound(&self, writer: &mut Writer) -> Result<(), CodecError> {
        self.as_ref()
            .map_or(Ok(()), |time| time.encode_bound(writer))
    }

    fn epoch_seconds(&self) -> Result<Option<i64>, CodecError> {
        self.as_ref().map_or(Ok(None), T::epoch_seconds)
    }

    fn from_epoch_seconds(seconds: Option<i64>) -> Option<Self> {
        match seconds {
            Some(_) => T::from_epoch_seconds(seconds).map(Some),
            None => Some(None),
        }
    }
}
