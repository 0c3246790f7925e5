//! Times as other libraries store them: `#[dynamo(format = "..")]`.

use super::moment_of;
use super::text::{BILLION, Precision, TimeText, civil_text, parse_utc, utc_text};
use crate::clock::{Moment, Timestamp};
use crate::codec::DynamoValue;
use crate::json::{CodecError, Name, Number, Reader, Writer};
use crate::path::{KeyUsage, Mode};

/// The stored form of a point in time in a table that other programs use too: `#[dynamo(format = "..")]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Seconds since 1970, `N`.
    Epoch,
    /// Milliseconds since 1970, `N`.
    EpochMillis,
    /// RFC 3339 in UTC with as many fractional digits as needed (none, 3, 6 or 9), `S`.
    Rfc3339,
    /// RFC 3339 in UTC with three fractional digits, as `toISOString` of JavaScript writes it, `S`.
    Rfc3339Millis,
    /// RFC 3339 in UTC without fractional digits, `S`.
    Rfc3339Seconds,
    /// `2026-03-01T12:00:00+00:00`, with six fractional digits unless all are zero, as `isoformat()` of Python writes it,
    /// `S`.
    Python,
    /// `2026-03-01T12:00:00.000000+0000`, as PynamoDB writes it, `S`.
    Pynamo,
}

pub(crate) fn encode_formed(
    time: Timestamp,
    form: Form,
    writer: &mut Writer,
) -> Result<(), CodecError> {
    match (form, whole(time, form)) {
        (Form::Epoch, None) => Err(CodecError::new(
            "a time with a fraction of a second: `format = \"epoch\"` holds whole seconds, so cut it off before, or use \"epoch_ms\"",
        )),
        (Form::EpochMillis, None) => Err(CodecError::new(
            "a time with a fraction of a millisecond: `format = \"epoch_ms\"` holds whole milliseconds, so cut it off before",
        )),
        (Form::Rfc3339Millis, None) => Err(CodecError::new(
            "a time with a fraction of a millisecond: `format = \"rfc3339_ms\"` holds whole milliseconds, so cut it off before, or use \"rfc3339\"",
        )),
        // Only types of keys have these forms, and their values have no such fraction.
        (Form::Rfc3339Seconds | Form::Python | Form::Pynamo, None) => Err(CodecError::new(
            "a time with a smaller fraction than its format has",
        )),
        _ => encode_as_read(time, form, writer),
    }
}

/// Writes a time with whatever fraction it has, so that a time that was read is written back unchanged.
pub(crate) fn encode_as_read(
    time: Timestamp,
    form: Form,
    writer: &mut Writer,
) -> Result<(), CodecError> {
    let whole = whole(time, form);
    let scale = match (form, whole) {
        (Form::Rfc3339Millis | Form::Rfc3339Seconds | Form::Python | Form::Pynamo, Some(_)) => {
            writer.plain_text(&formed_text(time, form)?);
            return Ok(());
        }
        (
            Form::Rfc3339
            | Form::Rfc3339Millis
            | Form::Rfc3339Seconds
            | Form::Python
            | Form::Pynamo,
            _,
        ) => return encode_rfc3339(time, writer),
        (Form::Epoch | Form::EpochMillis, Some(units)) => {
            writer.write_integer(units);
            return Ok(());
        }
        (Form::Epoch, None) => 9,
        (Form::EpochMillis, None) => 6,
    };
    let number: Number = format!("{}e-{scale}", nanos(time)).parse()?;
    number.encode(writer)
}

/// The time in the units of a form; `None` if it has a fraction of a unit, or if the form holds any time.
fn whole(time: Timestamp, form: Form) -> Option<i128> {
    let unit = 10_i128.pow(digits_of_unit(form)?);
    let nanos = nanos(time);
    (nanos % unit == 0).then_some(nanos / unit)
}

fn nanos(time: Timestamp) -> i128 {
    i128::from(time.seconds()) * i128::from(BILLION) + i128::from(time.nanos())
}

/// How many digits of nanoseconds one unit of a form has; `None` if the form holds any time.
fn digits_of_unit(form: Form) -> Option<u32> {
    match form {
        Form::Epoch | Form::Rfc3339Seconds => Some(9),
        Form::Python | Form::Pynamo => Some(3),
        Form::EpochMillis | Form::Rfc3339Millis => Some(6),
        Form::Rfc3339 => None,
    }
}

/// The text of a time in a form that limits its fraction.
pub(crate) fn formed_text(time: Timestamp, form: Form) -> Result<TimeText, CodecError> {
    match form {
        Form::Python | Form::Pynamo => offset_text(time, form),
        Form::Rfc3339Seconds => utc_text(time, Precision::Seconds),
        _ => utc_text(time, Precision::Millis),
    }
}

/// The text of a time with the offset of UTC as a number.
fn offset_text(time: Timestamp, form: Form) -> Result<TimeText, CodecError> {
    let (precision, offset) = match form {
        Form::Pynamo => (Precision::Micros, "+0000"),
        _ if time.nanos().is_multiple_of(BILLION) => (Precision::Seconds, "+00:00"),
        _ => (Precision::Micros, "+00:00"),
    };
    let mut text = civil_text(time, precision)?;
    text.push_str(offset);
    Ok(text)
}

fn encode_rfc3339(time: Timestamp, writer: &mut Writer) -> Result<(), CodecError> {
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

pub(crate) fn decode_formed(reader: &mut Reader<'_>, form: Form) -> Result<Timestamp, CodecError> {
    let wrong = || CodecError::mismatch("a timestamp", "a number out of range");
    match form {
        Form::Epoch => epoch(&reader.digits()?, 9).ok_or_else(wrong),
        Form::EpochMillis => epoch(&reader.digits()?, 6).ok_or_else(wrong),
        _ => parse_utc(&reader.text()?)
            .ok_or_else(|| CodecError::mismatch("a timestamp (RFC 3339)", "other text")),
    }
}

/// The time of a number of units, each `10^scale` nanoseconds; a fraction is kept down to the nanosecond.
fn epoch(digits: &str, scale: i64) -> Option<Timestamp> {
    let number: Number = digits.parse().ok()?;
    let nanos: i128 = number.scaled_by(scale)?.to_integer_text()?.parse().ok()?;
    let seconds = i64::try_from(nanos.div_euclid(i128::from(BILLION))).ok()?;
    Timestamp::from_unix(seconds, nanos.rem_euclid(i128::from(BILLION)) as u32)
}

/// A field whose time has a foreign form: a moment, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no foreign stored form",
    label = "not a timestamp, nor an `Option` of one",
    note = "`format` is for timestamps: `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait FormField: Sized {
    #[doc(hidden)]
    type Held: FormField;
    #[doc(hidden)]
    type Mode<U: KeyUsage>: Mode;
    #[doc(hidden)]
    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;
    #[doc(hidden)]
    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, CodecError>;
    #[doc(hidden)]
    fn absent_form() -> Option<Self>;
    #[doc(hidden)]
    fn is_optional() -> bool {
        Self::absent_form().is_some()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment> FormField for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        writer.name(name);
        encode_formed(self.to_timestamp(), form, writer)
    }

    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, CodecError> {
        moment_of(decode_formed(reader, form)?)
    }

    fn absent_form() -> Option<Self> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment> FormField for Option<T> {
    type Held = T;
    type Mode<U: KeyUsage> = U::Optional;

    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_as(form, name, writer))
    }

    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, CodecError> {
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
