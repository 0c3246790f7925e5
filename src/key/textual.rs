//! The types that are text or binary.

use std::borrow::Cow;
use std::sync::Arc;

use crate::json::Writer;

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
