//! Times in lower case, as written by programs that convert whole keys: `{field:s:lower}` and `{field:ms:lower}`.

use super::format::{Millis, Seconds, ToMillis, ToSeconds, lossy};
use super::moment::{parse_exactly, plain_time};
use super::parse::KeyParser;
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use super::time::cut_text;
use super::writer::PartPlace;
use crate::clock::Moment;
use crate::codec::time::{Precision, TimeText, parse_time};
use crate::json::CodecError;
use crate::schema::{Pad, Width};

/// `{field:s:lower}`
pub const LOWER_SECONDS: u8 = 10;
/// `{field:ms:lower}`
pub const LOWER_MILLIS: u8 = 11;

/// `{field:s:lower}`: a timestamp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cut to seconds in a key template",
    label = "not a timestamp",
    note = "`{{field:s:lower}}` is for timestamps, not for newtypes of them; write `{{field}}`"
)]
pub trait ToLowerSeconds: Sized {
    lossy!(trait Seconds<Self>);
}

/// `{field:ms:lower}`: a timestamp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cut to milliseconds in a key template",
    label = "not a timestamp",
    note = "`{{field:ms:lower}}` is for timestamps, not for newtypes of them; write `{{field}}`"
)]
pub trait ToLowerMillis: Sized {
    lossy!(trait Millis<Self>);
}

macro_rules! lowered {
    ($($text:ident, $trait:ident: $part:ident by $cut:ident in $width:literal;)*) => {$(
        /// A time whose text is in lower case.
        struct $text<T>(T);

        impl<T: Moment> $text<T> {
            fn time_text(time: &T) -> Result<TimeText, CodecError> {
                cut_text(time, Precision::$part).map(TimeText::into_lower_case)
            }
        }

        impl<T: Moment + Clone> KeyPart for $text<T> {
            const WIDTH: Width = Width::Fixed($width);
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                writer.token(&$text::time_text(&self.0)?);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                let parse = |raw: &str| parse_time(&raw.to_ascii_uppercase());
                parse_exactly(text.raw(), parse, $text::time_text).map($text)
            }

            fn to_part(&self) -> Self {
                $text(self.0.clone())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> $trait for T {
            const WIDTH: Width = Width::Fixed($width);

            fn to_part(&self) -> $part<T> {
                $cut::to_part(self)
            }

            fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
                place.write(&$text(self.clone()))
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
                let time: $text<T> = key.part(field, pad, after)?;
                $part::floor(time.0).ok_or_else(|| key.unlike_template().at(field))
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

lowered! {
    LowerSeconds, ToLowerSeconds: Seconds by ToSeconds in 20;
    LowerMillis, ToLowerMillis: Millis by ToMillis in 24;
}
