//! Text of keys in one case: `{field:lower}` and `{field:upper}`.
//!
//! The case is that of [`str::to_lowercase`] and [`str::to_uppercase`]: Unicode's full mapping, independent of
//! language. `toLowerCase` and `toUpperCase` of JavaScript give the same, also for the Greek sigma at the end of a
//! word.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::arg::Arg;
use super::format::{ENDS, FIRST, LAST, LOWER, UPPER, lossy};
use super::order::SortedPart;
use super::parse::KeyParser;
use super::part::KeyPart;
use super::part_text::{PartOut, PartText, PartWriter};
use super::textual::Textual;
use super::writer::PartPlace;
use crate::json::{CodecError, Writer};
use crate::schema::{PartRanges, Style, Width};

/// `{field:lower}`: text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no lower case for a key template",
    label = "not text",
    note = "`{{field:lower}}` is for text and newtypes of it; write `{{field}}`, or `{{field:ms:lower}}` for a time"
)]
pub trait ToLower: Sized {
    lossy!(trait Lowercase<Self>);
}

/// `{field:upper}`: text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no upper case for a key template",
    label = "not text",
    note = "`{{field:upper}}` is for text and newtypes of it; write `{{field}}`"
)]
pub trait ToUpper: Sized {
    lossy!(trait Uppercase<Self>);
}

/// A text as the format of its part writes it.
pub(crate) fn in_case(format: u8, text: &str) -> Cow<'_, str> {
    match format & !(FIRST | LAST | ENDS) {
        LOWER => text.to_lowercase().into(),
        UPPER => text.to_uppercase().into(),
        _ => text.into(),
    }
}

/// The text of a value, as it is.
fn text_of<T: KeyPart>(value: &T) -> String {
    let mut text = Vec::new();
    let written = value.write_part(&mut PartWriter {
        out: PartOut::Text(&mut text),
        style: Style::Verbatim('#'),
        pad: None,
    });
    // Text can always be written. If not, the part would be empty, and the key is rejected as one with an empty part.
    written
        .ok()
        .and_then(|()| String::from_utf8(text).ok())
        .unwrap_or_default()
}

macro_rules! folded {
    ($(#[$doc:meta])* $folded:ident, $name:literal, $trait:ident, $format:ident) => {
        $(#[$doc])*
        pub struct $folded<T> {
            text: String,
            of: PhantomData<fn() -> T>,
        }

        impl<T> $folded<T> {
            /// The text in this case.
            pub fn as_str(&self) -> &str {
                &self.text
            }

            fn fold_text(text: &str) -> Self {
                $folded {
                    text: in_case($format, text).into_owned(),
                    of: PhantomData,
                }
            }
        }

        impl<T: KeyPart + Textual<Slice = str>> $folded<T> {
            /// Converts a value to this case.
            pub fn of(value: &T) -> Self {
                $folded::fold_text(&text_of(value))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: KeyPart + Textual<Slice = str>> $trait for T {
            lossy!(impl $folded<T>, |value| $folded::of(value));
        }

        #[diagnostic::do_not_recommend]
        impl<T> KeyPart for $folded<T> {
            const WIDTH: Width = Width::Variable;
            const MAY_BE_EMPTY: bool = true;
            const IS_EXACT: bool = true;
            const RANGES: PartRanges = PartRanges::Text;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                writer.text(&self.text);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                let text = text.text()?;
                // Text in another case was written by another program. A query for the folded one
                // would not find it.
                Some($folded::fold_text(&text)).filter(|folded| folded.text == text)
            }

            fn from_plain(text: &str) -> Option<Self> {
                Some($folded::fold_text(text))
            }

            fn to_part(&self) -> Self {
                self.clone()
            }

            fn is_empty_part(&self) -> bool {
                self.text.is_empty()
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T> SortedPart for $folded<T> {}

        #[diagnostic::do_not_recommend]
        impl<T> Textual for $folded<T> {
            type Slice = str;

            fn write_slice(slice: &str, writer: &mut Writer) {
                writer.text(&in_case($format, slice));
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: KeyPart + Textual<Slice = str>> Arg<$folded<T>> for T {
            fn into_arg(self) -> $folded<T> {
                $folded::of(&self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: KeyPart + Textual<Slice = str>> Arg<$folded<T>> for &T {
            fn into_arg(self) -> $folded<T> {
                $folded::of(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Arg<$folded<String>> for &str {
            fn into_arg(self) -> $folded<String> {
                $folded::fold_text(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Arg<$folded<String>> for &&str {
            fn into_arg(self) -> $folded<String> {
                $folded::fold_text(self)
            }
        }

        impl<T> Clone for $folded<T> {
            fn clone(&self) -> Self {
                $folded {
                    text: self.text.clone(),
                    of: PhantomData,
                }
            }
        }

        impl<T> PartialEq for $folded<T> {
            fn eq(&self, other: &Self) -> bool {
                self.text == other.text
            }
        }

        impl<T> Eq for $folded<T> {}

        impl<T> PartialOrd for $folded<T> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<T> Ord for $folded<T> {
            fn cmp(&self, other: &Self) -> Ordering {
                self.text.cmp(&other.text)
            }
        }

        impl<T> Hash for $folded<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.text.hash(state);
            }
        }

        impl<T> fmt::Debug for $folded<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple($name).field(&self.text).finish()
            }
        }

        impl<T> fmt::Display for $folded<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.text)
            }
        }
    };
}

folded! {
    /// A text in lower case: the key part of `{name:lower}`. The field's own type is accepted in its place.
    ///
    /// ```
    /// use dynamo_entity::key::Lowercase;
    /// assert_eq!(Lowercase::of(&"Ann Lee".to_owned()).as_str(), "ann lee");
    /// ```
    Lowercase, "Lowercase", ToLower, LOWER
}

folded! {
    /// A text in upper case: the key part of `{name:upper}`. The field's own type is accepted in its place.
    ///
    /// ```
    /// use dynamo_entity::key::Uppercase;
    /// assert_eq!(Uppercase::of(&"Ann Lee".to_owned()).as_str(), "ANN LEE");
    /// ```
    Uppercase, "Uppercase", ToUpper, UPPER
}
