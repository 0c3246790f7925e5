//! Writes the text of a key template into an item.

use super::part::{KeyPart, PartWriter, width_in};
use super::{Role, Shard};
use crate::codec::{Fault, Writer, escape_into};
use crate::schema::{Style, Width};

/// Where a part of a template goes, and how the template wants it.
#[derive(Debug)]
pub struct PartPlace<'k, 'w> {
    key: &'k mut KeyText<'w>,
    field: &'static str,
    pad: Option<usize>,
    last: bool,
}

impl PartPlace<'_, '_> {
    /// Writes the part.
    pub fn write<P: KeyPart>(self, part: &P) -> Result<(), Fault> {
        let written = self.key.write(part, self.pad, self.last);
        written.map_err(|fault| fault.at(self.field).in_key(self.key.attribute))
    }
}

/// A key attribute being written, `"pk":{"S":"..."}`.
///
/// The text goes straight into the request. Only where it needs JSON's escapes, which our own keys
/// never do but for a backslash, is it rewritten at the end.
#[derive(Debug)]
pub struct KeyText<'w> {
    writer: &'w mut Writer,
    start: usize,
    attribute: &'static str,
    role: Role,
    style: Style,
}

impl<'w> KeyText<'w> {
    /// Opens the attribute.
    pub fn open(
        writer: &'w mut Writer,
        attribute: &'static str,
        role: Role,
        style: Style,
    ) -> KeyText<'w> {
        writer.dynamic_name(attribute);
        writer.open_text();
        let start = writer.len();
        KeyText {
            writer,
            start,
            attribute,
            role,
            style,
        }
    }

    /// Text that always stands there.
    pub fn literal(&mut self, literal: &str) {
        self.writer.out().extend_from_slice(literal.as_bytes());
    }

    /// The place of the next part; `last` if nothing follows it in the template.
    pub fn part(
        &mut self,
        field: &'static str,
        pad: Option<usize>,
        last: bool,
    ) -> PartPlace<'_, 'w> {
        PartPlace {
            key: self,
            field,
            pad,
            last,
        }
    }

    /// The shard that ends a partition key, unpadded.
    pub fn shard(&mut self, shard: Shard, shards: u16) {
        if let Some(number) = shard.number(shards) {
            let out = self.writer.out();
            out.push(self.style.delimiter() as u8);
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
    }

    fn write<P: KeyPart>(&mut self, part: &P, pad: Option<usize>, last: bool) -> Result<(), Fault> {
        if part.is_empty_part() {
            return Err(Fault::new("empty text cannot be a part of a key"));
        }
        let start = self.writer.len();
        part.write_part(&mut PartWriter {
            out: self.writer.out(),
            style: self.style,
            pad,
        })?;
        let Style::Verbatim(delimiter) = self.style else {
            return Ok(());
        };
        let free = last || !matches!(width_in(P::WIDTH, pad, self.style), Width::Variable);
        let written = self.writer.as_bytes().get(start..).unwrap_or_default();
        // The delimiter is ASCII, so a byte of it is it.
        if !free && written.contains(&(delimiter as u8)) {
            return Err(Fault::new(format!(
                "a text that holds the delimiter `{delimiter}` would end early: verbatim keys allow it in the last part only"
            )));
        }
        Ok(())
    }

    /// Closes the attribute and checks its length.
    pub fn close(self) -> Result<(), Fault> {
        let text = self.writer.as_bytes().get(self.start..).unwrap_or_default();
        let (size, limit) = (text.len(), self.role.max_size());
        if size > limit {
            return Err(Fault::new(format!(
                "the key has {size} bytes, DynamoDB allows {limit} (text parts grow by their escapes)"
            ))
            .in_key(self.attribute));
        }
        if text
            .iter()
            .any(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'))
        {
            let text = String::from_utf8_lossy(text).into_owned();
            let out = self.writer.out();
            out.truncate(self.start);
            escape_into(out, &text);
        }
        self.writer.add_size(size);
        self.writer.close_text();
        Ok(())
    }
}
