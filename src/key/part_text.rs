//! The text of one part of a key: as it is written, and as it is read.

use std::borrow::Cow;

use super::escape::{escape_text, unescape_text};
use crate::schema::{Pad, Style, Width};

/// The text of one part, as in the key.
#[derive(Debug, Clone, Copy)]
pub struct PartText<'t> {
    pub(super) raw: &'t str,
    pub(super) style: Style,
    pub(super) pad: Option<Pad>,
}

impl<'t> PartText<'t> {
    /// Returns the text as in the key.
    pub fn raw(&self) -> &'t str {
        self.raw
    }

    /// Returns a user's text, without its escapes.
    pub fn text(&self) -> Option<Cow<'t, str>> {
        match self.style {
            Style::Escaped => unescape_text(self.raw),
            Style::Verbatim(_) => Some(Cow::Borrowed(self.raw)),
        }
    }

    pub(super) fn has_no_negatives(&self) -> bool {
        has_no_negatives(self.pad, self.style)
    }

    /// A text that no key holds, as a person writes it.
    pub(super) fn of_plain(raw: &'t str) -> Self {
        PartText {
            raw,
            // Verbatim keys neither escape texts nor pad numbers, which is how a person writes them. The delimiter has
            // no meaning here.
            style: Style::Verbatim('#'),
            pad: None,
        }
    }

    /// The text of an attribute that is a bare key.
    pub(super) fn of_bare(raw: &'t str) -> Self {
        PartText {
            raw,
            style: Style::Escaped,
            pad: None,
        }
    }

    pub(super) fn digit_count(&self, natural: usize) -> Option<usize> {
        match (self.pad, self.style) {
            (Some(pad), _) => Some(pad.width),
            (None, Style::Escaped) => Some(natural),
            (None, Style::Verbatim(_)) => None,
        }
    }
}

/// The output of a part, and its form.
#[derive(Debug)]
pub struct PartWriter<'a> {
    pub(super) out: PartOut<'a>,
    pub(super) style: Style,
    pub(super) pad: Option<Pad>,
}

/// The destination of the text of a part.
#[derive(Debug)]
pub(super) enum PartOut<'a> {
    /// The text is written.
    Text(&'a mut Vec<u8>),
    /// The text is compared with the rest of a stored key; `None` once they differ.
    Stored(Option<&'a [u8]>),
}

impl PartOut<'_> {
    pub(super) fn extend(&mut self, text: &[u8]) {
        match self {
            PartOut::Text(out) => out.extend_from_slice(text),
            PartOut::Stored(left) => *left = left.and_then(|left| left.strip_prefix(text)),
        }
    }
}

impl PartWriter<'_> {
    /// Writes a user's text, escaped if the table's style demands it.
    pub fn text(&mut self, text: &str) {
        match self.style {
            Style::Escaped => escape_text(text, |piece| self.out.extend(piece)),
            Style::Verbatim(_) => self.out.extend(text.as_bytes()),
        }
    }

    /// Writes text of a fixed alphabet that needs no escape: bytes above `%`.
    pub fn token(&mut self, token: &str) {
        self.out.extend(token.as_bytes());
    }

    /// The number of digits to pad to: that of the template, else `natural`. `None` for a verbatim key without a
    /// width, because other libraries do not pad numbers.
    pub(super) fn digit_count(&self, natural: usize) -> Option<usize> {
        match (self.pad, self.style) {
            (Some(pad), _) => Some(pad.width),
            (None, Style::Escaped) => Some(natural),
            (None, Style::Verbatim(_)) => None,
        }
    }
}

/// Whether negative numbers are errors: other libraries have no order for those of a padded key.
pub(super) fn has_no_negatives(pad: Option<Pad>, style: Style) -> bool {
    pad.is_some() && style != Style::Escaped
}

/// The width of a part in a template: that of its type, changed by the format and the style.
pub const fn width_in(natural: Width, pad: Option<Pad>, style: Style) -> Width {
    match (natural, pad, style) {
        (Width::Digits(_), Some(pad), _) => Width::Fixed(pad.width),
        (Width::Digits(digits), None, Style::Escaped) => Width::Fixed(digits),
        (Width::Signed(_), Some(pad), _) => Width::Signed(pad.width),
        (Width::Decimal, Some(Pad { width, .. }), _) if width > 0 => Width::Fixed(width),
        (Width::Decimal, _, _) => Width::Variable,
        // Verbatim keys are those of other libraries, which write as many digits as the number has.
        (Width::Digits(_) | Width::Signed(_), None, Style::Verbatim(_)) => Width::Variable,
        _ => natural,
    }
}
