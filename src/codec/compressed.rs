//! Fields with `compress` and `decompress`.

use std::borrow::Cow;

use super::Value;
use crate::json::{CodecError, Name, Reader, Writer};
use crate::path::{KeyUsage, Mode};

/// A field with `#[dynamo(compress)]` or `#[dynamo(decompress)]`: a value, or an `Option` of one.
#[cfg_attr(
    feature = "compress",
    diagnostic::on_unimplemented(
        message = "`{Self}` cannot be compressed",
        label = "neither a value, nor an `Option` of one",
        note = "write `#[derive(DynamoValue)]` on the type; a set is compressed as a `Vec` of its elements"
    )
)]
#[cfg_attr(
    not(feature = "compress"),
    diagnostic::on_unimplemented(
        message = "`{Self}` cannot be compressed without the feature `compress`",
        label = "the type of a field with `compress` or `decompress`",
        note = "write `dynamo-entity = {{ version = \"..\", features = [\"compress\"] }}` in Cargo.toml"
    )
)]
pub trait CompressedField: Sized {
    /// The value.
    type Held: CompressedField;
    /// The operations at its path.
    type Mode<U: KeyUsage>: Mode;

    /// Writes the value, compressed if that saves bytes.
    fn encode_compressed(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the value as a field without the option.
    fn encode_plain(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Reads the value, whether it is compressed or not.
    fn decode_compressed(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The meaning of a missing attribute.
    fn absent_compressed() -> Option<Self>;

    /// Whether a missing attribute means something.
    fn is_optional() -> bool {
        Self::absent_compressed().is_some()
    }
}

/// The value of a field in this form, without compression.
pub(crate) fn plain_value<'v>(form: &str, value: &'v Value) -> Result<Cow<'v, Value>, CodecError> {
    #[cfg(feature = "compress")]
    if matches!(form, "compress" | "decompress")
        && let Some(expanded) = super::zstd::expanded_value(value)?
    {
        return Ok(Cow::Owned(expanded));
    }
    #[cfg(not(feature = "compress"))]
    let _ = form;
    Ok(Cow::Borrowed(value))
}
