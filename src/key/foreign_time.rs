//! Times in the forms of other programs where they are key attributes by themselves: as numbers since 1970, or as the texts
//! that JavaScript, Go, Python and PynamoDB make of them, which can be parts of templates too.

use super::moment::{parse_exactly, parse_uncut};
use super::native::{KeyValue, as_value, encode_key, value_of_text};
use super::order::Ordered;
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use super::role::Role;
use crate::clock::{Moment, Timestamp};
use crate::codec::DynamoValue;
use crate::codec::model::TypeModel;
use crate::codec::time::{Form, decode_formed, encode_formed, formed_text, parse_time};
use crate::json::{CodecError, Name, Reader, Tag, Writer};
use crate::path::{Mode, Path};
use crate::schema::{KeyType, PartRanges, Width};

/// The time without a fraction of a unit. These programs know no leap seconds: one is the end of the second before it.
fn whole_units<T: Moment>(time: &T, unit: u32) -> Option<T> {
    let time = time.to_timestamp();
    // A leap second has more than a second of nanoseconds, and the forms of other programs have
    // none.
    let nanos = time.nanos().min(999_999_999) / unit * unit;
    T::from_timestamp(Timestamp::from_unix(time.seconds(), nanos)?)
}

macro_rules! foreign_times {
    ($($(#[$doc:meta])* $name:ident: $form:ident, $type:ident, $nanos:literal, $whole:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<T>(T);

        impl<T: Moment> $name<T> {
            #[doc = concat!("The whole ", $whole, " that this time is in. `None` at the very edge of the type's range.")]
            pub fn floor(time: T) -> Option<Self> {
                whole_units(&time, $nanos).map($name)
            }

            /// The time.
            pub fn get(&self) -> &T {
                &self.0
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> DynamoValue for $name<T> {
            type Path<R, M: Mode> = Path<R, Self, M>;

            const STORED: Option<Tag> = Some(Tag::$type);

            const MODEL: TypeModel = TypeModel::Known { name: stringify!($name) };

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                encode_formed(self.0.to_timestamp(), Form::$form, writer)
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                let time = decode_formed(reader, Form::$form)?;
                // A fraction would be lost when the key is written again, and the row would not be found under that
                // key.
                if time.nanos() % $nanos != 0 {
                    return Err(CodecError::mismatch(concat!("a whole ", $whole), "a fraction of one"));
                }
                let time = T::from_timestamp(time);
                time.map($name).ok_or_else(|| {
                    CodecError::mismatch("a timestamp of this type", "one outside its range")
                })
            }

            fn as_stored(&self) -> Option<Self> {
                Some(self.clone())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T> Ordered for $name<T> {}

        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> KeyValue for $name<T> {
            const TYPE: KeyType = KeyType::$type;

            as_value!();

            /// The number or text that is stored, or a time as for other fields.
            fn from_plain(text: &str) -> Option<Self> {
                value_of_text(text).or_else(|| parse_uncut(text, $name::floor, $name::get))
            }
        }
    )*};
}

foreign_times! {
    /// A time that is a number of seconds since 1970, as a field that is a key attribute by itself or any other. It holds
    /// whole seconds, so that a bound of a range is exactly what rows are compared with.
    ///
    /// ```
    /// use chrono::{DateTime, Utc};
    /// use dynamo_entity::key::EpochSeconds;
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "readings", key(pk = meter, sk = at))]
    /// struct Reading { meter: String, at: EpochSeconds<DateTime<Utc>>, litres: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Reading::schema()]).await?;
    /// let time = |text: &str| EpochSeconds::floor(text.parse::<DateTime<Utc>>().expect("a time")).expect("in range");
    /// let noon = Reading { meter: "m1".into(), at: time("2026-03-01T12:00:00Z"), litres: 7 };
    /// noon.put().send(&db).await?;
    /// let at = noon.to_item()?.get("at").and_then(|at| at.as_number()).map(|at| at.as_str().to_owned());
    /// assert_eq!(at.as_deref(), Some("1772366400"));
    /// let since = Reading::in_partition("m1").at().ge(time("2026-03-01T11:59:59Z"));
    /// assert_eq!(since.all(&db).await?, [noon]);
    /// # Ok(()) }
    /// ```
    EpochSeconds: Epoch, N, 1_000_000_000, "second";

    /// A time that is a number of milliseconds since 1970, as `Date.now()` of JavaScript gives it; see [`EpochSeconds`].
    EpochMillis: EpochMillis, N, 1_000_000, "millisecond";

    /// A time that is the text which `toISOString()` of JavaScript gives: RFC 3339 in UTC with three digits of a second,
    /// `2026-03-01T12:00:00.000Z`; see [`EpochSeconds`].
    JavaScriptTime: Rfc3339Millis, S, 1_000_000, "millisecond";

    /// A time that is text in UTC without a fraction, `2026-03-01T12:00:00Z`, as Go and many others write whole seconds; see
    /// [`EpochSeconds`].
    Rfc3339Seconds: Rfc3339Seconds, S, 1_000_000_000, "second";

    /// A time that is the text which `isoformat()` of Python gives for a time in UTC: `2026-03-01T12:00:00+00:00`, or
    /// `2026-03-01T12:00:00.500000+00:00` if it has a fraction. These texts sort like the times. See [`EpochSeconds`].
    PythonTime: Python, S, 1_000, "microsecond";

    /// A time that is the text of `UTCDateTimeAttribute` of PynamoDB, `2026-03-01T12:00:00.000000+0000`; see
    /// [`EpochSeconds`].
    PynamoTime: Pynamo, S, 1_000, "microsecond";
}

macro_rules! foreign_parts {
    ($($name:ident: $form:ident, $width:expr, $ranges:ident, $holds:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> KeyPart for $name<T> {
            const WIDTH: Width = $width;
            const IS_EXACT: bool = true;
            const HOLDS: &'static str = $holds;
            const RANGES: PartRanges = PartRanges::$ranges;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                writer.token(&formed_text(self.0.to_timestamp(), Form::$form)?);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                let write = |time: &T| formed_text(time.to_timestamp(), Form::$form);
                parse_exactly(text.raw(), parse_time, write).map($name)
            }

            fn from_plain(text: &str) -> Option<Self> {
                parse_uncut(text, $name::floor, $name::get)
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

foreign_parts! {
    JavaScriptTime: Rfc3339Millis, Width::Fixed(24), Comparable, "";
    Rfc3339Seconds: Rfc3339Seconds, Width::Fixed(20), Comparable, "";
    // A text without a fraction has `+` where the others have a `.`, which is greater, so the texts sort like the times and
    // none begins with another.
    PythonTime: Python, Width::Variable, PrefixFree, "-:.+";
    PynamoTime: Pynamo, Width::Fixed(31), Comparable, "";
}
