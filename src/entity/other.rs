//! The steps of a generated collection.

use crate::codec::Item;
use crate::error::Result;

/// The type of an `other` variant: [`Item`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take what fits no variant",
    label = "expected `Item`",
    note = "an `other` variant holds an `Item`: attributes of any type, under their stored names"
)]
pub trait OtherVariant: Sized {
    /// Creates the variant from an item that fits no other.
    fn from_other(item: Item) -> Self;
    /// The item in the variant.
    fn to_other(&self) -> Result<Item>;
}

#[diagnostic::do_not_recommend]
impl OtherVariant for Item {
    fn from_other(item: Item) -> Self {
        item
    }

    fn to_other(&self) -> Result<Item> {
        Ok(self.clone())
    }
}
