//! The trait of fields with `compress` or `decompress`. It exists without the feature too, so that the compiler can name the
//! feature.

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
        note = "write `#[derive(DynamoValue)]` on the type; instead of a set, compress a `Vec` of its elements"
    )
)]
#[cfg_attr(
    not(feature = "compress"),
    diagnostic::on_unimplemented(
        message = "`compress` and `decompress` need the feature `compress`",
        label = "a field of the type `{Self}` has one of these options",
        note = "enable it in Cargo.toml: `dynamo-entity = {{ version = \"0.1\", features = [\"compress\"] }}`; it needs a C compiler"
    )
)]
pub trait CompressedField: Sized {
    /// The type of the value: `T` for an `Option<T>`.
    type Held: CompressedField;
    /// The operations on the path of the field.
    type Mode<U: KeyUsage>: Mode;

    /// Writes the value, compressed if that saves bytes or if plain bytes would be ambiguous.
    fn encode_compressed(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the plain value. Fails if it would be read as a compressed one.
    fn encode_plain(&self, name: &Name, writer: &mut Writer) -> Result<(), CodecError>;

    /// Reads the value, whether it is compressed or not.
    fn decode_compressed(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The value of a missing attribute, or `None` if the attribute is required.
    fn absent_compressed() -> Option<Self>;

    /// Whether the attribute may be missing.
    fn is_optional() -> bool {
        Self::absent_compressed().is_some()
    }
}

/// Whether a field in this form may be stored compressed.
pub(crate) fn may_be_compressed(form: &str) -> bool {
    matches!(form, "compress" | "decompress")
}

/// The plain value of a field in this form: expanded if it is compressed, unchanged otherwise.
pub(crate) fn plain_value<'v>(form: &str, value: &'v Value) -> Result<Cow<'v, Value>, CodecError> {
    #[cfg(feature = "compress")]
    if may_be_compressed(form)
        && let Value::B(bytes) = value
        && let Some(expanded) = super::zstd::expanded_value(bytes)?
    {
        return Ok(Cow::Owned(expanded));
    }
    #[cfg(not(feature = "compress"))]
    let _ = form;
    Ok(Cow::Borrowed(value))
}
