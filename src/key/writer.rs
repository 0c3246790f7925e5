//! Writes the text of a key template: all of it for an item or a key, the first part of it for a query.

use std::fmt;

use super::role::Role;
use super::shard::Shard;
use crate::json::{CodecError, Name, Writer, escape_into};
use crate::schema::{Pad, Presence, Style};

/// The buffer to which a generated function writes a key attribute, and how much of it.
#[derive(Debug)]
pub struct KeyTarget<'w>(pub(super) TargetKind<'w>);

#[derive(Debug)]
pub(super) enum TargetKind<'w> {
    /// The whole attribute, `"pk":{"S":"..."}`.
    Attribute(&'w mut Writer),
    /// Some of the template's text, without the JSON around it.
    Text(&'w mut Vec<u8>, TemplateExtent),
    /// The value alone, of any size.
    Bound(&'w mut Writer),
    /// Nothing is written; the key has to equal this text.
    Stored(&'w str),
}

/// The pieces of a template that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemplateExtent {
    /// The text before the first part.
    Front,
    /// A part and the text between it and the next one.
    Part(usize),
    /// A part alone. It may be empty: no key has an empty part, but keys sort above and below it.
    Bound(usize),
}

impl<'w> KeyTarget<'w> {
    /// Writes the whole attribute into an open object.
    pub fn attribute(writer: &'w mut Writer) -> Self {
        KeyTarget(TargetKind::Attribute(writer))
    }

    /// Compares the key with a stored text (law K8), piece by piece.
    pub fn stored(text: &'w str) -> Self {
        KeyTarget(TargetKind::Stored(text))
    }

    pub(crate) fn of_text(out: &'w mut Vec<u8>, reach: TemplateExtent) -> Self {
        KeyTarget(TargetKind::Text(out, reach))
    }

    pub(crate) fn of_bound(writer: &'w mut Writer) -> Self {
        KeyTarget(TargetKind::Bound(writer))
    }

    /// Writes a key attribute that is a managed field.
    pub fn managed<V>(
        self,
        value: &V,
        name: &Name,
        encode: fn(&V, &mut Writer) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        let writer = match self.0 {
            TargetKind::Attribute(writer) => {
                writer.name(name);
                writer
            }
            TargetKind::Bound(writer) => writer,
            TargetKind::Text(..) | TargetKind::Stored(_) => return Err(no_text()),
        };
        encode(value, writer).map_err(|fault| fault.at(name.text).in_key(name.text))
    }
}

#[cold]
pub(super) fn no_text() -> CodecError {
    CodecError::new("a key of its own type has no text")
}

/// A part of a key, and the function that writes it. It is not a closure, so that the code that writes a key is
/// compiled once and not for each use.
pub struct PartOf<'v, T: ?Sized> {
    value: &'v T,
    write: fn(&T, PartPlace<'_, '_>) -> Result<(), CodecError>,
}

impl<'v, T: ?Sized> PartOf<'v, T> {
    /// A value that this function writes.
    pub fn new(value: &'v T, write: fn(&T, PartPlace<'_, '_>) -> Result<(), CodecError>) -> Self {
        PartOf { value, write }
    }

    /// Writes the part to its place.
    pub fn write(self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        (self.write)(self.value, place)
    }
}

impl PartOf<'_, ()> {
    /// Stands in for a part that is not written.
    pub fn none() -> Self {
        PartOf::new(&(), |(), _| Ok(()))
    }
}

/// Writes a part to its place.
pub type WritePlace<'v> = dyn Fn(PartPlace<'_, '_>) -> Result<(), CodecError> + 'v;

impl<'v> PartOf<'v, WritePlace<'v>> {
    /// A part that this closure writes.
    pub fn by(write: &'v WritePlace<'v>) -> Self {
        PartOf::new(write, |write, place| write(place))
    }
}

impl<T: ?Sized> fmt::Debug for PartOf<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PartOf")
    }
}

/// The place and the form of a part of a template.
#[derive(Debug)]
pub struct PartPlace<'k, 'w> {
    pub(super) key: &'k mut KeyText<'w>,
    pub(super) field: &'static str,
    pub(super) pad: Option<Pad>,
    pub(super) after: Option<&'static str>,
}

impl PartPlace<'_, '_> {
    /// Writes a part, or a None, with what sorts them apart. The bound of a range is a value, so it is written alone.
    pub(crate) fn write_placed<P>(
        self,
        part: Option<&P>,
        presence: Presence,
        write: fn(&P, PartPlace<'_, '_>) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        if let Some((value, none)) = presence.marks() {
            self.key
                .push_mark(if part.is_some() { value } else { none });
        }
        match part {
            Some(part) => write(part, self),
            None => {
                self.key.is_ended |= presence == Presence::Ends;
                Ok(())
            }
        }
    }

    /// Writes what is in the key for a None.
    pub(crate) fn write_none(self, presence: Presence) {
        if let Some((_, none)) = presence.marks() {
            self.key.push_mark(none);
        }
    }
}

/// A key text that is being written.
///
/// The key of an item is written straight into the request. It is rewritten at the end if JSON needs escapes in it;
/// keys of our own style need them for a backslash only.
#[derive(Debug)]
pub struct KeyText<'w> {
    pub(super) out: TextOutput<'w>,
    pub(super) attribute: &'static str,
    role: Role,
    pub(super) style: Style,
    /// Whether a None has ended the key, so that nothing more is written.
    pub(super) is_ended: bool,
}

#[derive(Debug)]
pub(super) enum TextOutput<'w> {
    Attribute {
        writer: &'w mut Writer,
        start: usize,
    },
    Text {
        out: &'w mut Vec<u8>,
        reach: TemplateExtent,
        /// How many parts were written or skipped.
        met: usize,
    },
    /// The rest of a stored text that was not compared yet; `None` once the key differs.
    Stored(Option<&'w [u8]>),
}

impl<'w> KeyText<'w> {
    /// Opens the attribute.
    pub fn open(
        target: KeyTarget<'w>,
        attribute: &'static str,
        role: Role,
        style: Style,
    ) -> Result<KeyText<'w>, CodecError> {
        let out = match target.0 {
            TargetKind::Attribute(writer) => {
                writer.dynamic_name(attribute);
                writer.open_text();
                let start = writer.len();
                TextOutput::Attribute { writer, start }
            }
            TargetKind::Text(out, reach) => TextOutput::Text { out, reach, met: 0 },
            TargetKind::Stored(text) => TextOutput::Stored(Some(text.as_bytes())),
            TargetKind::Bound(_) => {
                return Err(CodecError::new("a template has no value of its own"));
            }
        };
        Ok(KeyText {
            out,
            attribute,
            role,
            style,
            is_ended: false,
        })
    }

    /// Writes text that is the same in every key.
    pub fn literal(&mut self, literal: &str) {
        if self.is_ended {
            return;
        }
        match &mut self.out {
            TextOutput::Attribute { writer, .. } => {
                writer.output_bytes().extend_from_slice(literal.as_bytes())
            }
            TextOutput::Stored(left) => {
                *left = left.and_then(|left| left.strip_prefix(literal.as_bytes()));
            }
            TextOutput::Text { out, reach, met } => {
                let is_reached = match reach {
                    TemplateExtent::Front => *met == 0,
                    TemplateExtent::Part(part) => *met == *part + 1,
                    TemplateExtent::Bound(_) => false,
                };
                if is_reached {
                    out.extend_from_slice(literal.as_bytes());
                }
            }
        }
    }

    /// Writes what sorts a None apart from values.
    fn push_mark(&mut self, mark: &str) {
        match &mut self.out {
            TextOutput::Attribute { writer, .. } => {
                writer.output_bytes().extend_from_slice(mark.as_bytes())
            }
            TextOutput::Stored(left) => {
                *left = left.and_then(|left| left.strip_prefix(mark.as_bytes()));
            }
            TextOutput::Text {
                reach: TemplateExtent::Bound(_),
                ..
            } => {}
            TextOutput::Text { out, .. } => out.extend_from_slice(mark.as_bytes()),
        }
    }

    /// The place of the next part. `after` is the literal text after it in the template: empty if a part or a shard follows,
    /// None if nothing does.
    pub fn part(
        &mut self,
        field: &'static str,
        pad: Option<Pad>,
        after: Option<&'static str>,
    ) -> PartPlace<'_, 'w> {
        if let TextOutput::Text { met, .. } = &mut self.out {
            *met += 1;
        }
        PartPlace {
            key: self,
            field,
            pad,
            after,
        }
    }

    /// Writes the shard that ends a partition key, unpadded.
    pub fn shard(&mut self, shard: Shard, shards: u16) -> Result<(), CodecError> {
        let Some(number) = shard.shard_number(shards) else {
            return Ok(());
        };
        let mut buffer = itoa::Buffer::new();
        let (delimiter, number) = ([self.style.delimiter() as u8], buffer.format(number));
        match &mut self.out {
            TextOutput::Attribute { writer, .. } => {
                writer.output_bytes().extend_from_slice(&delimiter);
                writer.output_bytes().extend_from_slice(number.as_bytes());
            }
            TextOutput::Stored(left) => {
                let stored = left.and_then(|left| left.strip_prefix(&delimiter));
                *left = stored.and_then(|left| left.strip_prefix(number.as_bytes()));
                if stored.is_some() && *left != Some(&[]) {
                    return Err(CodecError::other_shard().in_key(self.attribute));
                }
            }
            // A query names whole partition keys, which are never written in part.
            TextOutput::Text { .. } => {}
        }
        Ok(())
    }

    /// Closes the attribute and checks its length.
    pub fn close(self) -> Result<(), CodecError> {
        let (writer, start) = match self.out {
            TextOutput::Attribute { writer, start } => (writer, start),
            TextOutput::Text { .. } | TextOutput::Stored(Some([])) => return Ok(()),
            TextOutput::Stored(_) => return Err(CodecError::key_differs().in_key(self.attribute)),
        };
        let text = writer.as_bytes().get(start..).unwrap_or_default();
        let size = text.len();
        check_size(size, self.role).map_err(|fault| fault.in_key(self.attribute))?;
        if text
            .iter()
            .any(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'))
        {
            let text = String::from_utf8_lossy(text).into_owned();
            let out = writer.output_bytes();
            out.truncate(start);
            escape_into(out, &text);
        }
        writer.add_size(size);
        writer.close_text();
        Ok(())
    }
}

/// Rejects a key text that no key can hold.
pub(crate) fn check_size(size: usize, role: Role) -> Result<(), CodecError> {
    let limit = role.max_size();
    if size > limit {
        return Err(CodecError::new(format!(
            "the key has {size} bytes, DynamoDB allows {limit} (text parts grow by their escapes): keep a digest of a long part in the key, and the whole in another field"
        )));
    }
    Ok(())
}
