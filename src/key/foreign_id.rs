//! UUIDs in the form of other programs.

use std::fmt;

use uuid::Uuid;

use super::native::{KeyValue, as_value, encode_key};
use super::order::Ordered;
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use super::role::Role;
use crate::codec::DynamoValue;
use crate::codec::model::TypeModel;
use crate::json::{CodecError, Name, Reader, Tag, Writer};
use crate::path::{Mode, Path};
use crate::schema::{KeyType, Width};

/// A UUID in capitals, `2F1A0C4E-...`, as Swift writes it and as .NET does with the format of older programs: as a field that is a
/// key attribute by itself, in a template, or as any other.
///
/// ```
/// use dynamo_entity::key::UppercaseUuid;
/// use dynamo_entity::prelude::*;
/// use uuid::Uuid;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "devices", key(pk = id))]
/// struct Device { id: UppercaseUuid, name: String }
///
/// let row: Item = [("id", "2F1A0C4E-8D3B-4C5A-9E6F-0A1B2C3D4E5F"), ("name", "phone")].into_iter().collect();
/// let device = Device::from_item(row.clone())?;
/// assert_eq!(device.id.get(), Uuid::from_u128(0x2f1a0c4e_8d3b_4c5a_9e6f_0a1b2c3d4e5f));
/// assert_eq!(device.to_item()?, row);
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UppercaseUuid(Uuid);

impl UppercaseUuid {
    /// The UUID.
    pub fn get(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for UppercaseUuid {
    fn from(id: Uuid) -> Self {
        UppercaseUuid(id)
    }
}

/// In capitals.
impl fmt::Display for UppercaseUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::UpperHex::fmt(&self.0.hyphenated(), f)
    }
}

#[diagnostic::do_not_recommend]
impl DynamoValue for UppercaseUuid {
    type Path<R, M: Mode> = Path<R, Self, M>;

    const STORED: Option<Tag> = Some(Tag::S);

    const MODEL: TypeModel = TypeModel::Known {
        name: "UppercaseUuid",
    };

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.plain_text(self.0.hyphenated().encode_upper(&mut Uuid::encode_buffer()));
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let id = Uuid::try_parse(&reader.text()?).ok();
        id.map(UppercaseUuid)
            .ok_or_else(|| CodecError::mismatch("a UUID", "other text"))
    }

    fn as_stored(&self) -> Option<Self> {
        Some(*self)
    }
}

#[diagnostic::do_not_recommend]
impl Ordered for UppercaseUuid {}

#[diagnostic::do_not_recommend]
impl KeyValue for UppercaseUuid {
    const TYPE: KeyType = KeyType::S;

    as_value!();

    fn is_text(&self, text: &str) -> Option<bool> {
        Some(PartText::of_bare(text).is_of(self))
    }

    fn from_plain(text: &str) -> Option<Self> {
        KeyPart::from_plain(text)
    }
}

#[diagnostic::do_not_recommend]
impl KeyPart for UppercaseUuid {
    const WIDTH: Width = Width::Fixed(36);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(self.0.hyphenated().encode_upper(&mut Uuid::encode_buffer()));
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        let id = Uuid::try_parse(text.raw()).ok()?;
        let is_same = id.hyphenated().encode_upper(&mut Uuid::encode_buffer()) == text.raw();
        is_same.then_some(UppercaseUuid(id))
    }

    /// In small letters and without hyphens too.
    fn from_plain(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(UppercaseUuid)
    }

    fn to_part(&self) -> Self {
        *self
    }
}
