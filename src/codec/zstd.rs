//! Compressed values: a byte that tells the type of the content, and a frame of zstd.
//!
//! The content is the text of an `S`, the bytes of a `B`, and for every other type the value in DynamoDB JSON. Values that
//! would not shrink are written as they are. Therefore readers tell both apart by the first five bytes.

use std::io::Read;

use super::compressed::CompressedField;
use super::{DynamoField, DynamoValue, Value};
use crate::json::{CodecError, Name, Reader, Tag, Writer};
use crate::path::KeyUsage;

/// The first bytes of each frame of zstd.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The level of the zstd program: higher ones take much longer and save little.
const LEVEL: i32 = 3;
/// Contents up to this size gain too little.
const SMALLEST: usize = 64;
/// A content may have this many bytes, so that a few damaged or hostile ones do not fill the memory.
const MOST: usize = 1 << MOST_LOG;
const MOST_LOG: u32 = 25;

/// The type of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text = 1,
    Bytes = 2,
    Json = 3,
}

impl Content {
    /// The content that begins with these bytes, if they are those of a compressed value.
    fn of_start(bytes: &[u8]) -> Option<Self> {
        let (&first, frame) = bytes.split_first()?;
        let all = [Content::Text, Content::Bytes, Content::Json];
        let content = all.into_iter().find(|content| *content as u8 == first)?;
        frame.starts_with(&FRAME).then_some(content)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DynamoValue> CompressedField for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    fn encode_compressed(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        let mut plain = Writer::for_request(256);
        self.encode(&mut plain)?;
        match compressed(&plain)? {
            Some(bytes) => {
                writer.name(name);
                writer.binary(&bytes);
                Ok(())
            }
            None => self.encode_plain(name, writer),
        }
    }

    fn encode_plain(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError> {
        writer.name(name);
        self.encode(writer)
    }

    fn decode_compressed(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        if reader.tag()? != Tag::B {
            return T::decode(reader);
        }
        let start = reader.current_place();
        let bytes = reader.binary()?;
        let Some(content) = Content::of_start(&bytes) else {
            // These are the bytes of a plain value.
            return T::decode(&mut reader.resume_at(start));
        };
        let json = content_json(content, expanded(bytes.get(1..).unwrap_or_default())?)?;
        let mut reader = Reader::new(&json);
        let value = T::decode(&mut reader)?;
        reader.finish_text()?;
        Ok(value)
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
        self.encode_field(name, writer)
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

/// The value inside of a compressed one; None if it is not compressed.
pub(super) fn expanded_value(value: &Value) -> Result<Option<Value>, CodecError> {
    let bytes = match value {
        Value::B(bytes) => bytes,
        _ => return Ok(None),
    };
    let Some(content) = Content::of_start(bytes) else {
        return Ok(None);
    };
    let json = content_json(content, expanded(bytes.get(1..).unwrap_or_default())?)?;
    let mut reader = Reader::new(&json);
    let value = Value::decode(&mut reader)?;
    reader.finish_text()?;
    Ok(Some(value))
}

/// The bytes to store for a value that was written here, if they are fewer than those of the value.
fn compressed(plain: &Writer) -> Result<Option<Vec<u8>>, CodecError> {
    let mut reader = Reader::new(plain.as_bytes());
    let (content, bytes) = match reader.tag()? {
        Tag::S => (Content::Text, reader.text()?.into_owned().into_bytes()),
        Tag::B => (Content::Bytes, reader.binary()?),
        _ => (Content::Json, plain.as_bytes().to_vec()),
    };
    // Bytes that look like a compressed value would be read as one.
    let is_ambiguous = content == Content::Bytes && Content::of_start(&bytes).is_some();
    if bytes.len() <= SMALLEST && !is_ambiguous {
        return Ok(None);
    }
    if bytes.len() > MOST {
        return Err(CodecError::new(format!(
            "a value of {} bytes, and at most {MOST} bytes are compressed",
            bytes.len()
        )));
    }
    let frame = zstd::bulk::compress(&bytes, LEVEL)
        .map_err(|error| CodecError::new(format!("zstd cannot compress it: {error}")))?;
    let is_smaller = frame.len() < plain.stored_size();
    Ok((is_smaller || is_ambiguous).then(|| [&[content as u8][..], &frame].concat()))
}

/// The content of a frame, as far as it is not too large.
fn expanded(frame: &[u8]) -> Result<Vec<u8>, CodecError> {
    let damaged = |_| CodecError::new("compressed bytes that zstd cannot read");
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
            "compressed bytes of a value with more than {MOST} bytes"
        ))),
        false => Ok(content),
    }
}

/// The value in DynamoDB JSON.
fn content_json(content: Content, bytes: Vec<u8>) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::with_capacity(bytes.len() + 8);
    match content {
        Content::Json => return Ok(bytes),
        Content::Bytes => writer.binary(&bytes),
        Content::Text => {
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| CodecError::new("compressed text that is not UTF-8"))?;
            writer.text(text);
        }
    }
    Ok(writer.into_bytes())
}
