//! The shard of an item: the hash of its key.

use crate::json::{CodecError, Number, Reader, Tag};
use crate::key::KeyHash;

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
