//! Bytes are `B`: `Vec<u8>`, `[u8; N]`, `Box<[u8]>` and `Cow<[u8]>` through the hook in `u8`
//! (see `list`), and `bytes::Bytes`.

use bytes::Bytes;

use super::{DynamoValue, Fault, Reader, Writer};

#[diagnostic::do_not_recommend]
impl DynamoValue for Bytes {
    own_path!();

    fn encode(&self, writer: &mut Writer) -> Result<(), Fault> {
        writer.binary(self);
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.binary().map(Bytes::from)
    }

    fn as_stored(&self) -> Option<Self> {
        Some(self.clone())
    }
}
