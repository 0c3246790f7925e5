//! The shard of an item: the hash of its key, from its parts.

use super::KeyParts;
use super::key::UntypedParts;
use crate::json::{CodecError, Number, Reader, Tag, Writer};
use crate::key::{KeyHash, Shard};

/// The hash of a key, from its parts.
pub fn hash_of_key<P: KeyParts>(parts: &P) -> Result<KeyHash, CodecError> {
    hash_of_parts(parts)
}

pub(super) fn hash_of_parts(parts: &dyn UntypedParts) -> Result<KeyHash, CodecError> {
    let mut writer = Writer::with_capacity(128);
    writer.raw("{");
    parts.write_key(Shard::Without, &mut writer)?;
    writer.raw("}");
    hash_of_json(writer.as_bytes())
}

/// The hash of a key without its shard, from its attributes in DynamoDB JSON, the partition key first.
pub(crate) fn hash_of_json(key: &[u8]) -> Result<KeyHash, CodecError> {
    let mut reader = Reader::new(key);
    reader.open_object()?;
    let mut first = true;
    let mut next = || match reader.next_name(&mut first)? {
        Some(_) => bytes(&mut reader).map(Some),
        None => Ok(None),
    };
    let (pk, sk) = (next()?.unwrap_or_default(), next()?);
    Ok(KeyHash::of(&pk, sk.as_deref()))
}

/// The hash of the key of an item that was read. Parts that cannot be written are not those of its key.
pub fn hash_of_read<P: KeyParts>(parts: &P) -> Result<KeyHash, CodecError> {
    hash_of_key(parts).map_err(|_| CodecError::key_differs())
}

/// The bytes of a key attribute, which are the same however another writer spelled the value.
fn bytes(reader: &mut Reader<'_>) -> Result<Vec<u8>, CodecError> {
    match reader.tag()? {
        Tag::N => {
            let number: Number = reader.digits()?.parse()?;
            Ok(number.as_str().as_bytes().to_vec())
        }
        Tag::B => reader.binary(),
        _ => Ok(reader.text()?.into_owned().into_bytes()),
    }
}
