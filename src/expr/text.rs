//! Conditions on text and binary.

use super::condition::Condition;
use super::node::Node;
use super::size::Size;
use crate::json::{CodecError, Writer};
use crate::key::Textual;
use crate::path::{Comparable, Path};

/// The slice in DynamoDB JSON.
pub(super) fn slice_json<T: Textual>(slice: &T::Slice) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::default();
    T::write_slice(slice, &mut writer);
    Ok(writer.into_bytes())
}

/// Paths to text or binary.
impl<R, T, M> Path<R, T, M> {
    /// Starts with this.
    #[doc(alias = "begins_with")]
    pub fn starts_with(&self, prefix: impl AsRef<T::Slice>) -> Condition<R>
    where
        T: Textual,
        M: Comparable,
    {
        match slice_json::<T>(prefix.as_ref()) {
            Ok(json) => Node::StartsWith(self.place().clone(), json).into(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }

    /// The size: for bytes their number, for text the number of UTF-16 code units, on each engine that the tests run
    /// on: `"é"` has one, `"😀"` two.
    pub fn size(&self) -> Size<R>
    where
        T: Textual,
        M: Comparable,
    {
        Size::new(self.place(), false)
    }
}
