//! The escapes of text in keys: every byte up to and including `%` is written as `%XX`.

use std::borrow::Cow;

use crate::schema::Style;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Writes the text of a part in the style of the table's keys.
pub(crate) fn escape_part(text: &str, style: Style, out: &mut Vec<u8>) {
    match style {
        Style::Escaped => escape_text(text, |piece| out.extend_from_slice(piece)),
        Style::Verbatim(_) => out.extend_from_slice(text.as_bytes()),
    }
}

/// Escapes a text and hands it over piece by piece.
pub(super) fn escape_text(text: &str, mut out: impl FnMut(&[u8])) {
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        if byte <= b'%' {
            out(&bytes[start..at]);
            out(&[
                b'%',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]);
            start = at + 1;
        }
    }
    out(&bytes[start..]);
}

/// The text that an escaped one represents; `None` for anything that escaping does not make.
pub(super) fn unescape_text(escaped: &str) -> Option<Cow<'_, str>> {
    if escaped.bytes().all(|byte| byte > b'%') {
        return Some(Cow::Borrowed(escaped));
    }
    let mut text = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let byte = hex_value(bytes.next()?)? << 4 | hex_value(bytes.next()?)?;
                // Only what is escaped in writing is accepted. Otherwise one value would have
                // several keys, and a query would miss some.
                if byte > b'%' {
                    return None;
                }
                text.push(byte);
            }
            0..b'%' => return None,
            plain => text.push(plain),
        }
    }
    String::from_utf8(text).ok().map(Cow::Owned)
}

fn hex_value(digit: u8) -> Option<u8> {
    HEX.iter()
        .position(|known| *known == digit)
        .map(|value| value as u8)
}
