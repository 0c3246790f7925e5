//! The attributes of a flattened struct, while an item is read.

use crate::codec::FlatValue;
use crate::json::{CodecError, Reader, Writer};
use crate::schema::count_flattened;

/// The attributes of a flattened struct that were read, as the map which the struct is read from.
#[derive(Debug)]
pub struct FlatReader(Writer);

impl FlatReader {
    /// Before any attribute.
    #[expect(clippy::new_without_default, reason = "only the derive calls it")]
    pub fn new() -> Self {
        let mut writer = Writer::for_request(0);
        writer.push_raw(OPEN);
        FlatReader(writer)
    }

    /// Takes the attribute that the reader is at.
    pub fn keep_member(&mut self, name: &str, reader: &mut Reader<'_>) -> Result<(), CodecError> {
        let value = reader.raw_value()?;
        self.0.dynamic_name(name);
        self.0.raw_bytes(value);
        Ok(())
    }

    /// Reads the struct from all attributes.
    pub fn finish<T: FlatValue>(mut self) -> Result<T, CodecError> {
        self.0.push_raw("}}");
        T::decode(&mut Reader::new(self.0.as_bytes()))
    }
}

const OPEN: &str = "{\"M\":{";

/// The default of an attribute of a flattened struct, or its number among those of the structs after it.
pub fn flattened_default<T: FlatValue>(
    number: &mut usize,
) -> Option<Result<Option<Vec<u8>>, CodecError>> {
    let count = count_flattened(&[T::FIELDS]);
    if *number < count {
        return Some(T::default_json(*number));
    }
    *number -= count;
    None
}

/// Whether a flattened struct has this attribute.
pub fn is_flattened<T: FlatValue>(name: &str) -> bool {
    let mut fields = T::FIELDS.iter();
    fields.any(|field| !field.attribute.is_empty() && field.attribute == name)
}
