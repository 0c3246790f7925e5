//! Times as other libraries store them: `#[dynamo(format = "..")]`.

use super::Moment;
use super::moment_of;
use super::text::{BILLION, Precision, civil_text, parse_utc};
use crate::clock::Timestamp;
use crate::codec::{Fault, Name, Number, Reader, Writer};
use crate::expr::{Mode, Use};

/// How a point in time is stored where the table is not ours alone: `#[dynamo(format = "..")]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Seconds since 1970, `N`.
    Epoch,
    /// Milliseconds since 1970, `N`.
    EpochMillis,
    /// RFC 3339 in UTC with as many fractional digits as needed (none, 3, 6 or 9), `S`.
    Rfc3339,
}

pub(crate) fn encode_formed(time: Timestamp, form: Form, writer: &mut Writer) -> Result<(), Fault> {
    let unit = match form {
        Form::Epoch => BILLION,
        Form::EpochMillis => 1_000_000,
        Form::Rfc3339 => return encode_rfc3339(time, writer),
    };
    let nanos = i128::from(time.seconds()) * i128::from(BILLION) + i128::from(time.nanos());
    let unit = i128::from(unit);
    if nanos % unit != 0 {
        return Err(Fault::new(match form {
            Form::Epoch => {
                "a time with a fraction of a second: `format = \"epoch\"` holds whole seconds, so cut it off before, or use \"epoch_ms\""
            }
            _ => {
                "a time with a fraction of a millisecond: `format = \"epoch_ms\"` holds whole milliseconds, so cut it off before"
            }
        }));
    }
    writer.integer(nanos / unit);
    Ok(())
}

fn encode_rfc3339(time: Timestamp, writer: &mut Writer) -> Result<(), Fault> {
    let nanos = time.nanos() % BILLION;
    let cut = match () {
        () if nanos == 0 => 10,
        () if nanos.is_multiple_of(1_000_000) => 6,
        () if nanos.is_multiple_of(1_000) => 3,
        () => 0,
    };
    let mut text = civil_text(time, Precision::Nanos)?;
    text.truncate(text.len() - cut);
    text.push('Z');
    writer.plain_text(&text);
    Ok(())
}

fn decode_formed(reader: &mut Reader<'_>, form: Form) -> Result<Timestamp, Fault> {
    let wrong = || Fault::mismatch("a timestamp", "a number out of range");
    match form {
        Form::Epoch => epoch(&reader.digits()?, 9).ok_or_else(wrong),
        Form::EpochMillis => epoch(&reader.digits()?, 6).ok_or_else(wrong),
        Form::Rfc3339 => parse_utc(&reader.text()?)
            .ok_or_else(|| Fault::mismatch("a timestamp (RFC 3339)", "other text")),
    }
}

/// A number of units, each `10^scale` nanoseconds; a fraction down to a nanosecond is kept.
fn epoch(digits: &str, scale: i64) -> Option<Timestamp> {
    let number: Number = digits.parse().ok()?;
    let nanos: i128 = number.scaled(scale)?.to_integer_text()?.parse().ok()?;
    let seconds = i64::try_from(nanos.div_euclid(i128::from(BILLION))).ok()?;
    Timestamp::from_unix(seconds, nanos.rem_euclid(i128::from(BILLION)) as u32)
}

/// A field with a foreign form: a moment, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no foreign stored form",
    label = "not a timestamp, nor an `Option` of one",
    note = "`format` is for timestamps: `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait FormField: Sized {
    #[doc(hidden)]
    type Held: FormField;
    #[doc(hidden)]
    type Mode<U: Use>: Mode;
    #[doc(hidden)]
    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), Fault>;
    #[doc(hidden)]
    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, Fault>;
    #[doc(hidden)]
    fn absent_form() -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: Moment> FormField for T {
    type Held = T;
    type Mode<U: Use> = U::Required;

    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), Fault> {
        writer.name(name);
        encode_formed(self.to_timestamp(), form, writer)
    }

    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, Fault> {
        moment_of(Some(decode_formed(reader, form)?))
    }

    fn absent_form() -> Option<Self> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment> FormField for Option<T> {
    type Held = T;
    type Mode<U: Use> = U::Optional;

    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), Fault> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_as(form, name, writer))
    }

    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, Fault> {
        if reader.take_null()? {
            Ok(None)
        } else {
            T::decode_as(reader, form).map(Some)
        }
    }

    fn absent_form() -> Option<Self> {
        Some(None)
    }
}
