//! Fields for the author of an item: `created_by` and `updated_by`.

use super::{Author, ManagedValues, StampKind};
use crate::codec::{DynamoValue, MapKey};
use crate::json::{CodecError, Name, Reader, Writer};
use crate::key::{Role, check_key};
use crate::path::KeyUsage;

/// The type of a managed actor: a type that can be parsed from the text given to `with_actor`, or an `Option` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a managed actor",
    label = "expected text or a newtype of it, or an `Option` of these",
    note = "actors come as text from `db.with_actor(..)`: use `String`, an integer, a UUID, or a newtype or unit enum with `#[derive(DynamoValue)]`"
)]
pub trait ManagedActor: Sized {
    #[doc(hidden)]
    type Held: ManagedActor;
    #[doc(hidden)]
    type Mode<U: KeyUsage>: crate::path::Mode;

    /// Whether an actor exists.
    #[doc(hidden)]
    fn is_there(&self) -> bool;

    /// The actor as this type.
    #[doc(hidden)]
    fn of_actor(actor: Option<&str>) -> Result<Self, CodecError>;

    /// A copy of the actor in the struct.
    #[doc(hidden)]
    fn kept(&self) -> Result<Self, CodecError>;

    /// Writes the value; returns whether it exists.
    #[doc(hidden)]
    fn encode_value(&self, writer: &mut Writer) -> Result<bool, CodecError>;

    #[doc(hidden)]
    fn decode_actor(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The value of a missing attribute.
    #[doc(hidden)]
    fn absent_actor() -> Option<Self>;

    /// The value after a write; index keys are built from it.
    #[doc(hidden)]
    fn stamped(&self, stamp: &ManagedValues, kind: StampKind) -> Result<Self, CodecError> {
        match stamp.author(kind, self.is_there()) {
            Author::Held => self.kept(),
            Author::Writer(actor) => Self::of_actor(actor),
        }
    }

    /// Writes `created_by` or `updated_by`, checked as a key if it is the key of an index.
    #[doc(hidden)]
    fn encode_actor(
        &self,
        stamp: &ManagedValues,
        kind: StampKind,
        key: Option<Role>,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        self.stamped(stamp, kind)?.encode_named(key, name, writer)
    }

    /// Writes the name and the value, if it exists, checked as a key if it is the key of an index.
    #[doc(hidden)]
    fn encode_named(
        &self,
        key: Option<Role>,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        if !self.is_there() {
            return Ok(());
        }
        writer.name(name);
        let before = writer.stored_size();
        self.encode_value(writer)?;
        let Some(role) = key else { return Ok(()) };
        let size = writer.stored_size() - before;
        check_key(size == 0, size, role).map_err(|fault| fault.in_key(name.text))
    }

    /// Writes the value after a write, if the struct had none.
    #[doc(hidden)]
    fn encode_now(
        stamp: &ManagedValues,
        kind: StampKind,
        key: Option<Role>,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        match stamp.author(kind, false) {
            Author::Held => Ok(()),
            Author::Writer(actor) => Self::of_actor(actor)?.encode_named(key, name, writer),
        }
    }
}

#[cold]
fn no_actor() -> CodecError {
    CodecError::new(
        "the connection has no actor: send it over `db.with_actor(..)`, or make the field an `Option`",
    )
}

/// Reads an actor. The error does not show the text, because that is a value.
fn read_actor<T: MapKey>(text: &str) -> Result<T, CodecError> {
    T::from_map_key(text).ok_or_else(|| {
        CodecError::new("the text given to `with_actor` is not a value of this field's type")
    })
}

#[diagnostic::do_not_recommend]
impl<T: MapKey + DynamoValue> ManagedActor for T {
    type Held = T;
    type Mode<U: KeyUsage> = U::Required;

    fn is_there(&self) -> bool {
        true
    }

    fn of_actor(actor: Option<&str>) -> Result<Self, CodecError> {
        read_actor(actor.ok_or_else(no_actor)?)
    }

    fn kept(&self) -> Result<Self, CodecError> {
        read_actor(&self.to_map_key())
    }

    fn encode_value(&self, writer: &mut Writer) -> Result<bool, CodecError> {
        self.encode(writer).map(|()| true)
    }

    fn decode_actor(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        T::decode(reader)
    }

    fn absent_actor() -> Option<Self> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: MapKey + DynamoValue> ManagedActor for Option<T> {
    type Held = T;
    type Mode<U: KeyUsage> = U::Optional;

    fn is_there(&self) -> bool {
        self.is_some()
    }

    fn of_actor(actor: Option<&str>) -> Result<Self, CodecError> {
        actor.map(read_actor).transpose()
    }

    fn kept(&self) -> Result<Self, CodecError> {
        self.as_ref().map(T::kept).transpose()
    }

    fn encode_value(&self, writer: &mut Writer) -> Result<bool, CodecError> {
        self.as_ref()
            .map_or(Ok(false), |value| value.encode_value(writer))
    }

    fn decode_actor(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        if reader.take_null()? {
            Ok(None)
        } else {
            T::decode(reader).map(Some)
        }
    }

    fn absent_actor() -> Option<Self> {
        Some(None)
    }
}
