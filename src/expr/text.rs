//! Conditions on text and binary.

use std::borrow::Cow;
use std::sync::Arc;

use super::condition::Condition;
use super::node::Node;
use super::operand::Size;
use crate::json::{CodecError, Writer};
use crate::path::Path;

/// Text or binary, which has a beginning and a size.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither text nor binary",
    label = "has no beginning and no size in bytes",
    note = "`starts_with` and `size` are for text, binary and newtypes of these; a collection has `len`"
)]
pub trait Textual {
    /// `str` or `[u8]`.
    type Slice: ?Sized;

    /// Writes a slice of such a value.
    #[doc(hidden)]
    fn write_slice(slice: &Self::Slice, writer: &mut Writer);
}

macro_rules! textual {
    ($slice:ty, $write:ident: $($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl Textual for $type {
            type Slice = $slice;

            fn write_slice(slice: &$slice, writer: &mut Writer) {
                writer.$write(slice);
            }
        }
    )*};
}

textual!(str, text: String, Box<str>, Arc<str>, Cow<'static, str>);
textual!([u8], binary: Vec<u8>, Box<[u8]>, bytes::Bytes);

/// The slice in DynamoDB JSON.
pub(super) fn slice<T: Textual>(slice: &T::Slice) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::default();
    T::write_slice(slice, &mut writer);
    Ok(writer.into_bytes())
}

/// Paths to text or binary.
impl<R, T, M> Path<R, T, M> {
    /// Starts with this.
    pub fn starts_with(&self, prefix: impl AsRef<T::Slice>) -> Condition<R>
    where
        T: Textual,
    {
        match slice::<T>(prefix.as_ref()) {
            Ok(json) => Node::StartsWith(self.place().clone(), json).into(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }

    /// Its size: of bytes their number, of text the number of UTF-16 code units, on each engine that the tests
    /// run on: `"é"` has one, `"😀"` two.
    pub fn size(&self) -> Size<R>
    where
        T: Textual,
    {
        Size::new(self.place(), false)
    }
}
