//! Bytes are `B`: `Vec<u8>`, `[u8; N]`, `Box<[u8]>` and `Cow<[u8]>` through the hook in `u8`
//! (see `list`), and `bytes::Bytes`.

use bytes::Bytes;

use super::DynamoValue;
use crate::json::{CodecError, Reader, Writer};

#[diagnostic::do_not_recommend]
impl DynamoValue for Bytes {
    stored_as!(B, "bytes");

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.binary(self);
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        reader.binary().map(Bytes::from)
    }

    fn as_stored(&self) -> Option<Self> {
        Some(self.clone())
    }
}
