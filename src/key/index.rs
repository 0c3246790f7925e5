//! Parts of index keys: they may be missing, and then the item is not in the index.

use std::borrow::Cow;

use super::{KeyValue, PartAs, Role};
use crate::codec::{DynamoField, Fault, Name, Writer};
use crate::schema::KeyType;

/// A field in the template of an index key: a key part or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in the key template of an index with this format",
    label = "no key part, or not with this format",
    note = "key parts are text, integers, `bool`, timestamps, dates, UUIDs, ULIDs, unit enums, newtypes of these with `#[derive(DynamoValue)]`, and an `Option` of any of them"
)]
pub trait IndexField<const FORMAT: u8> {
    /// What the key holds.
    type Part: super::KeyPart;

    /// The part, or `None` if the item is not in the index for it: None, or empty text.
    fn index_part(&self) -> Option<Cow<'_, Self::Part>>;
}

#[diagnostic::do_not_recommend]
impl<const FORMAT: u8, T: PartAs<FORMAT>> IndexField<FORMAT> for T {
    type Part = T::Part;

    fn index_part(&self) -> Option<Cow<'_, T::Part>> {
        let part = self.part();
        (!super::KeyPart::is_empty_part(&*part)).then_some(part)
    }
}

impl<const FORMAT: u8, T: PartAs<FORMAT>> IndexField<FORMAT> for Option<T> {
    type Part = T::Part;

    fn index_part(&self) -> Option<Cow<'_, T::Part>> {
        self.as_ref()?.index_part()
    }
}

/// A bare field as the key of an index: a key value or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key attribute of an index",
    label = "not text, a number or bytes",
    note = "key attributes of DynamoDB are `S`, `N` or `B`: use such a field, an `Option` of one, or a template such as `\"KIND#{{field}}\"`"
)]
pub trait IndexPart: DynamoField {
    /// The native type.
    const TYPE: KeyType;

    /// Writes the attribute, checked as a key; nothing for None.
    fn encode_index_key(&self, name: &Name, role: Role, writer: &mut Writer) -> Result<(), Fault>;
}

#[diagnostic::do_not_recommend]
impl<T: KeyValue> IndexPart for T {
    const TYPE: KeyType = <T as KeyValue>::TYPE;

    fn encode_index_key(&self, name: &Name, role: Role, writer: &mut Writer) -> Result<(), Fault> {
        super::native::encode_key_value(self, name, role, writer)
    }
}

impl<T: KeyValue> IndexPart for Option<T> {
    const TYPE: KeyType = T::TYPE;

    fn encode_index_key(&self, name: &Name, role: Role, writer: &mut Writer) -> Result<(), Fault> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_index_key(name, role, writer))
    }
}
