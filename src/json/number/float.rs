//! The decimal number of a float's shortest text, without memory on the heap.

use std::borrow::Cow;
use std::fmt::{self, LowerExp, Write};

use super::parts::Parts;

/// The shortest text that reads back as the same float: `-1.25e-7`. The longest one has a sign, 17 digits, a
/// point, and an exponent of five characters.
pub(crate) struct FloatText {
    bytes: [u8; 32],
    length: usize,
}

impl FloatText {
    pub(crate) fn of_float(float: impl LowerExp) -> Option<Self> {
        let mut text = FloatText {
            bytes: [0; 32],
            length: 0,
        };
        write!(text, "{float:e}").ok()?;
        Some(text)
    }

    /// The parts of the number; `None` for NaN and infinities. The first digit is moved to the place of the point, so
    /// that all digits are side by side.
    pub(crate) fn read_parts(&mut self) -> Option<Parts<'_>> {
        let text = self.bytes.get_mut(..self.length)?;
        let negative = text.first() == Some(&b'-');
        let mut begin = usize::from(negative);
        let end = text.iter().position(|byte| *byte == b'e')?;
        // The first digit moves over the point, so that the digits are adjacent without a copy.
        if let Some([first, point @ b'.']) = text.get_mut(begin..begin + 2) {
            *point = *first;
            begin += 1;
        }
        let digits = std::str::from_utf8(text.get(begin..end)?).ok()?;
        let exponent = std::str::from_utf8(text.get(end + 1..)?).ok()?;
        Some(Parts {
            negative,
            exponent: exponent.parse().ok()?,
            // The shortest text of a float has no zeros at either end, except for the text of zero itself.
            digits: Cow::Borrowed(if digits == "0" { "" } else { digits }),
        })
    }
}

impl Write for FloatText {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let end = self.length + part.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(part.as_bytes());
        self.length = end;
        Ok(())
    }
}
