//! Times counted from 1970, as other programs write them into texts: `{field:epoch}` and `{field:epoch_ms}`.
//!
//! A count sorts like its time while it has as many digits as the others. All counts of seconds from 2001 to 2286
//! have ten digits and all counts of milliseconds thirteen, so other programs do not pad them. Here these are the
//! widths, and earlier times are padded to them.

use super::format::{Millis, Seconds, ToMillis, ToSeconds, lossy};
use super::moment::plain_time;
use super::parse::KeyParser;
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use super::writer::PartPlace;
use crate::clock::{Moment, Timestamp};
use crate::json::CodecError;
use crate::schema::{Pad, Width};

/// `{field:epoch}`: a timestamp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be counted in seconds in a key template",
    label = "not a timestamp",
    note = "`{{field:epoch}}` is for timestamps, not for newtypes of them; write `{{field}}`"
)]
pub trait ToEpoch: Sized {
    lossy!(trait Seconds<Self>);
}

/// `{field:epoch_ms}`: a timestamp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be counted in milliseconds in a key template",
    label = "not a timestamp",
    note = "`{{field:epoch_ms}}` is for timestamps, not for newtypes of them; write `{{field}}`"
)]
pub trait ToEpochMillis: Sized {
    lossy!(trait Millis<Self>);
}

/// A time, written as the number of units since 1970, with this number of digits.
struct EpochCount<const DIGITS: usize, const PER_SECOND: i128>(Timestamp);

impl<const DIGITS: usize, const PER_SECOND: i128> KeyPart for EpochCount<DIGITS, PER_SECOND> {
    const WIDTH: Width = Width::Fixed(DIGITS);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        // Texts of different lengths do not sort like their numbers, so only times whose count has
        // the one width are accepted.
        let count = count_units(self.0, PER_SECOND)?;
        let text = format!("{count:0DIGITS$}");
        if count < 0 || text.len() > DIGITS {
            return Err(CodecError::new(
                "a time before 1970 or after 2286-11-20T17:46:39Z, whose count has another width: \
                `{field:s}` and `{field:ms}` hold it",
            ));
        }
        writer.token(&text);
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        let raw = text.raw();
        if raw.len() != DIGITS || !raw.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        time_of(raw.parse().ok()?, PER_SECOND).map(EpochCount)
    }

    fn to_part(&self) -> Self {
        EpochCount(self.0)
    }
}

macro_rules! counted {
    ($($trait:ident: $part:ident by $cut:ident, $per_second:literal in $digits:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> $trait for T {
            const WIDTH: Width = Width::Fixed($digits);

            fn to_part(&self) -> $part<T> {
                $cut::to_part(self)
            }

            fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                place.write(&EpochCount::<$digits, $per_second>(self.to_timestamp()))
            }

            fn write_held(part: &$part<T>, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                $trait::write(part.get(), place)
            }

            fn parse(
                key: &mut KeyParser<'_>,
                field: &'static str,
                pad: Option<Pad>,
                after: Option<&'static str>,
            ) -> Result<$part<T>, CodecError> {
                let count: EpochCount<$digits, $per_second> = key.part(field, pad, after)?;
                T::from_timestamp(count.0)
                    .and_then($part::floor)
                    .ok_or_else(|| key.unlike_template().at(field))
            }

            fn from_plain(text: &str) -> Option<$part<T>> {
                KeyPart::from_plain(text)
            }

            fn from_whole(text: &str) -> Option<$part<T>> {
                plain_time::<T>(text).as_ref().map($cut::to_part)
            }
        }
    )*};
}

counted! {
    ToEpoch: Seconds by ToSeconds, 1 in 10;
    ToEpochMillis: Millis by ToMillis, 1_000 in 13;
}

const NANOS: i128 = 1_000_000_000;

/// The units that have passed at this time. A leap second would have the count of the following second.
fn count_units(time: Timestamp, per_second: i128) -> Result<i128, CodecError> {
    let nanos = i128::from(time.nanos());
    if nanos >= NANOS {
        return Err(CodecError::new(
            "a leap second, which no count from 1970 has: `{field:s}` and `{field:ms}` hold it",
        ));
    }
    Ok(i128::from(time.seconds()) * per_second + nanos / (NANOS / per_second))
}

fn time_of(count: i128, per_second: i128) -> Option<Timestamp> {
    let seconds = i64::try_from(count.div_euclid(per_second)).ok()?;
    let nanos = count.rem_euclid(per_second) * (NANOS / per_second);
    Timestamp::from_unix(seconds, u32::try_from(nanos).ok()?)
}
