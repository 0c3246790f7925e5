//! Compressed values: one byte for the type of the content, and a frame of zstd.
//!
//! The content is the text of an `S`, the bytes of a `B`, and for every other type the value in DynamoDB JSON. Values that
//! would not shrink are written plain. Therefore an attribute can have both forms, and readers distinguish them by the
//! first five bytes.

use std::borrow::Cow;
use std::io::{Error, Read};

use super::compressed::CompressedField;
use super::{DynamoField, DynamoValue};
use crate::json::{CodecError, Name, Reader, Tag, Writer};
use crate::path::KeyUsage;

/// The first bytes of each frame of zstd.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The default level of zstd: higher ones take much longer and save little.
const LEVEL: i32 = 3;
/// Contents of at most this many bytes stay plain, because compression saves too little.
const SMALLEST: usize = 64;
/// The maximum length of a content, so that a small damaged or hostile value cannot exhaust the memory.
const MOST: usize = 1 << MOST_LOG;
/// Also the limit of the window: the decoder allocates it before it has read the content.
const MOST_LOG: u32 = 25;

/// The type of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text = 1,
    Bytes = 2,
    Json = 3,
    /// Reserved for later versions of this library.
    Newer = 4,
}

impl Content {
    /// The type of the content, if these bytes begin like a compressed value.
    fn of_start(bytes: &[u8]) -> Option<Self> {
        let (&first, frame) = bytes.split_first()?;
        let content = match first {
            1 => Content::Text,
            2 => Content::Bytes,
            3 => Content::Json,
            4..=15 => Content::Newer,
            _ => return None,
        };
        frame.starts_with(&FRAME).then_some(content)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DynamoValue> CompressedField for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    fn encode_compressed(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        // Compressing a compressed value again would save nothing, and each level would be written several times.
        if writer.is_compressed() {
            return self.encode_field(name, writer);
        }
        // Its size must be that of the plain value alone, so it has a writer of its own.
        let mut plain = Writer::for_compressed();
        self.encode(&mut plain)?;
        match compressed(&plain)? {
            Some(bytes) => {
                writer.name(name);
                writer.binary(&bytes);
                Ok(())
            }
            None => self.encode_field(name, writer),
        }
    }

    fn encode_plain(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        if writer.is_compressed() {
            return self.encode_field(name, writer);
        }
        let mut plain = Writer::for_compressed();
        self.encode(&mut plain)?;
        if is_ambiguous(&plain)? {
            return Err(CodecError::new(
                "these bytes begin like a compressed value and would be read as one",
            ));
        }
        self.encode_field(name, writer)
    }

    fn decode_compressed(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        if reader.is_expanded() || reader.tag()? != Tag::B {
            return T::decode(reader);
        }
        let start = reader.current_place();
        match expanded_value(&reader.binary()?)? {
            Some(value) => Ok(value),
            // A plain value of bytes. Other types report the wrong tag.
            None => T::decode(&mut reader.resume_at(start)),
        }
    }

    fn absent_compressed() -> Option<Self> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: DynamoValue> CompressedField for Option<T> {
    type Held = T;
    type Mode<U: KeyUsage> = U::Optional;

    fn encode_compressed(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_compressed(name, writer))
    }

    fn encode_plain(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_plain(name, writer))
    }

    fn decode_compressed(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        // The value of a `Nullable` inside may be NULL itself.
        if reader.tag()? == Tag::Null {
            return Self::decode_field(reader);
        }
        T::decode_compressed(reader).map(Some)
    }

    fn absent_compressed() -> Option<Self> {
        Some(None)
    }
}

/// The value in these bytes, or `None` if they are not compressed.
pub(super) fn expanded_value<T: DynamoValue>(bytes: &[u8]) -> Result<Option<T>, CodecError> {
    let Some(content) = Content::of_start(bytes) else {
        return Ok(None);
    };
    let json = content_json(content, expanded(bytes.get(1..).unwrap_or_default())?)?;
    let mut reader = Reader::of_expanded(&json);
    let value = T::decode(&mut reader)?;
    reader.finish_text()?;
    Ok(Some(value))
}

/// Whether the written value is bytes that would be read as a compressed value.
fn is_ambiguous(plain: &Writer) -> Result<bool, CodecError> {
    let mut reader = Reader::new(plain.as_bytes());
    if reader.tag()? != Tag::B {
        return Ok(false);
    }
    Ok(Content::of_start(&reader.binary()?).is_some())
}

/// The compressed bytes of the written value, or `None` if it should be stored plain.
fn compressed(plain: &Writer) -> Result<Option<Vec<u8>>, CodecError> {
    let mut reader = Reader::new(plain.as_bytes());
    let (content, bytes) = match reader.tag()? {
        Tag::S => match reader.text()? {
            Cow::Borrowed(text) => (Content::Text, Cow::Borrowed(text.as_bytes())),
            Cow::Owned(text) => (Content::Text, Cow::Owned(text.into_bytes())),
        },
        Tag::B => (Content::Bytes, Cow::Owned(reader.binary()?)),
        _ => (Content::Json, Cow::Borrowed(plain.as_bytes())),
    };
    // Bytes that look like a compressed value would be read as one.
    let is_ambiguous = content == Content::Bytes && Content::of_start(&bytes).is_some();
    if bytes.len() <= SMALLEST && !is_ambiguous {
        return Ok(None);
    }
    if bytes.len() > MOST {
        return Err(CodecError::new(format!(
            "the value has {} bytes, but a compressed field can contain at most {MOST}",
            bytes.len()
        )));
    }
    let frame = zstd::bulk::compress(&bytes, LEVEL)
        .map_err(|error| CodecError::new(format!("zstd cannot compress the value: {error}")))?;
    let is_smaller = frame.len() + 1 < plain.stored_size();
    Ok((is_smaller || is_ambiguous).then(|| [&[content as u8][..], &frame].concat()))
}

/// The content of a frame. Fails if it has more than [`MOST`] bytes.
fn expanded(frame: &[u8]) -> Result<Vec<u8>, CodecError> {
    let damaged =
        |error: Error| CodecError::new(format!("zstd cannot expand the compressed value: {error}"));
    let mut decoder = zstd::stream::read::Decoder::with_buffer(frame).map_err(damaged)?;
    decoder.window_log_max(MOST_LOG).map_err(damaged)?;
    let mut content = Vec::new();
    let most = u64::try_from(MOST).unwrap_or(u64::MAX).saturating_add(1);
    decoder
        .take(most)
        .read_to_end(&mut content)
        .map_err(damaged)?;
    match content.len() > MOST {
        true => Err(CodecError::new(format!(
            "the compressed value expands to more than {MOST} bytes"
        ))),
        false => Ok(content),
    }
}

/// The content as DynamoDB JSON.
fn content_json(content: Content, bytes: Vec<u8>) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::with_capacity(bytes.len() + 8);
    match content {
        Content::Json => return Ok(bytes),
        Content::Newer => {
            return Err(CodecError::new(
                "a newer version of the library compressed the value",
            ));
        }
        Content::Bytes => writer.binary(&bytes),
        Content::Text => {
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| CodecError::new("the compressed text is not UTF-8"))?;
            writer.text(text);
        }
    }
    Ok(writer.into_bytes())
}
