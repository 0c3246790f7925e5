//! Structs whose fields can be attributes of an item: `#[dynamo(flatten)]`.

use super::DynamoValue;
use super::model::FieldModel;
use crate::json::{CodecError, Writer};

/// A struct that `#[dynamo(flatten)]` of an entity accepts.
///
/// `#[derive(DynamoValue)]` implements it for structs with named fields, without `rest` and `was`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be flattened",
    label = "its fields cannot be attributes of the item",
    note = "`flatten` is for a struct with named fields and `#[derive(DynamoValue)]`, without `rest` and `was`",
    note = "instead of an `Option` of a struct, flatten a struct whose fields are options"
)]
pub trait FlatValue: DynamoValue {
    /// Its fields, in their order.
    #[doc(hidden)]
    const FIELDS: &'static [FieldModel];

    /// The default of an attribute, in DynamoDB JSON, by its number among those of the struct.
    #[doc(hidden)]
    fn default_json(_number: usize) -> Result<Option<Vec<u8>>, CodecError> {
        Ok(None)
    }

    /// Writes its fields into the map or item that is open.
    #[doc(hidden)]
    fn encode_fields(&self, writer: &mut Writer) -> Result<(), CodecError>;
}
