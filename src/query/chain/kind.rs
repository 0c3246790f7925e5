//! The use of a field in a key: its type in queries, and the format of its values.
//!
//! The derive names a field's type and a kind and does not check them. A missing property of a type is reported once,
//! at the entity.

use std::borrow::Cow;

use crate::codec::DynamoValue;
use crate::entity::{ManagedActor, ManagedTime, TtlTime};
use crate::json::{CodecError, Name, Writer};
use crate::key::{
    DATE, EPOCH, EPOCH_MILLIS, FIRST, FIXED, IndexField, IndexPart, KeyTarget, KeyValue, LAST,
    LOWER, LOWER_MILLIS, LOWER_SECONDS, MILLIS, MONTH, PADDED, PLAIN, PartOf, PartPlace, Role,
    SECONDS, UPPER, YEAR, in_case,
};
use crate::query::keys::PartForm;
use crate::schema::Presence;

/// The use of a field in a key.
pub trait PartKind<F> {
    /// The type of query values: without `Option`, and for a truncating format the truncated type.
    type Part;

    /// Writes a part of a template.
    fn write_part(part: &Self::Part, place: PartPlace<'_, '_>) -> Result<(), CodecError>;

    /// Writes an attribute that is the field itself.
    fn write_value(
        part: &Self::Part,
        target: KeyTarget<'_>,
        name: &Name,
        role: Role,
    ) -> Result<(), CodecError>;

    /// The prefix of a part, as in the key.
    fn prefix_text(text: &str) -> Cow<'_, str> {
        text.into()
    }

    /// Writes a part of a sort key, in a template or as an attribute.
    fn write_sort(
        part: &Self::Part,
        way: &PartForm,
        target: KeyTarget<'_>,
    ) -> Result<(), CodecError> {
        match way {
            PartForm::Template(write) => {
                write(PartOf::by(&|place| Self::write_part(part, place)), target)
            }
            PartForm::Value(name) => Self::write_value(part, target, name, Role::Sort),
        }
    }
}

/// A part of a template, in this format.
#[derive(Debug)]
pub struct Formatted<const FORMAT: u8>(());

/// An attribute that is the field itself.
#[derive(Debug)]
pub struct Bare(());

/// The attribute of the TTL.
#[derive(Debug)]
pub struct BareTtl(());

/// The attribute of a managed time.
#[derive(Debug)]
pub struct BareTime(());

/// The attribute of a managed actor.
#[derive(Debug)]
pub struct BareActor(());

/// The attribute of the version.
#[derive(Debug)]
pub struct BareVersion(());

/// Writes the text of a None in a sort key.
pub(crate) fn write_none(
    place: Presence,
    way: &PartForm,
    target: KeyTarget<'_>,
) -> Result<(), CodecError> {
    let PartForm::Template(write) = way else {
        // Only a template has a place for a None; an attribute that is the field itself is then
        // absent. The compiler prevents this case by `PlacedKind`.
        return Err(misplaced_part());
    };
    let none = |part: PartPlace<'_, '_>| {
        part.write_none(place);
        Ok(())
    };
    write(PartOf::by(&none), target)
}

#[cold]
fn misplaced_part() -> CodecError {
    CodecError::new("a part of a key is written as another kind")
}

impl<const FORMAT: u8, F: IndexField<FORMAT>> PartKind<F> for Formatted<FORMAT> {
    type Part = F::Part;

    fn write_part(part: &F::Part, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        F::write_part(part, place)
    }

    fn prefix_text(text: &str) -> Cow<'_, str> {
        in_case(FORMAT, text)
    }

    fn write_value(_: &F::Part, _: KeyTarget<'_>, _: &Name, _: Role) -> Result<(), CodecError> {
        Err(misplaced_part())
    }
}

/// A part of a template whose None is kept.
#[diagnostic::on_unimplemented(
    message = "a row without this part is not in the index, so no query finds it",
    label = "a None has no place in this key",
    note = "give the None of an `Option` a place in the sort key of the index: `{{field:first}}` before all values, `{{field:last}}` after them",
    note = "in a `verbatim` table, where `{{field:ends}}` keeps the row, use a filter: `.filter(|row| row.field().is_none())`"
)]
pub trait PlacedKind {
    /// Whether it sorts first or last.
    #[doc(hidden)]
    const PLACE: Presence;
}

/// A part of a template that may be combined with others in a range of tuples.
#[diagnostic::on_unimplemented(
    message = "this part cannot be in a range over several parts",
    label = "only `eq` and a range of this part alone are possible",
    note = "the parts of such a range must be in one template, as in `sk = \"{{year}}#{{month}}\"`, and none of them may have a position for a None: DynamoDB reads one range of one attribute"
)]
pub trait TogetherKind {}

macro_rules! placed {
    ($($format:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl TogetherKind for Formatted<{ $format }> {}

        #[diagnostic::do_not_recommend]
        impl PlacedKind for Formatted<{ FIRST | $format }> {
            const PLACE: Presence = Presence::First;
        }

        #[diagnostic::do_not_recommend]
        impl PlacedKind for Formatted<{ LAST | $format }> {
            const PLACE: Presence = Presence::Last;
        }
    )*};
}

placed!(PLAIN PADDED FIXED SECONDS MILLIS EPOCH EPOCH_MILLIS LOWER_SECONDS LOWER_MILLIS DATE MONTH YEAR LOWER UPPER);

impl<F: IndexPart<Held: KeyValue>> PartKind<F> for Bare {
    type Part = F::Held;

    fn write_part(_: &F::Held, _: PartPlace<'_, '_>) -> Result<(), CodecError> {
        Err(misplaced_part())
    }

    fn write_value(
        part: &F::Held,
        target: KeyTarget<'_>,
        name: &Name,
        role: Role,
    ) -> Result<(), CodecError> {
        target.value(part, name, role)
    }
}

macro_rules! managed {
    ($($kind:ident: [$($bound:ident)?] $part:ty, $encode:expr;)*) => {$(
        impl<F $(: $bound)?> PartKind<F> for $kind {
            type Part = $part;

            fn write_part(_: &$part, _: PartPlace<'_, '_>) -> Result<(), CodecError> {
                Err(misplaced_part())
            }

            fn write_value(
                part: &$part,
                target: KeyTarget<'_>,
                name: &Name,
                _: Role,
            ) -> Result<(), CodecError> {
                target.managed(part, name, $encode)
            }
        }
    )*};
}

managed! {
    BareTtl: [TtlTime] F::Held, TtlTime::encode_bound;
    BareTime: [ManagedTime] F::Held, encode_time;
    BareActor: [ManagedActor] F::Held, encode_actor;
    BareVersion: [] u64, u64::encode;
}

fn encode_time<T: ManagedTime>(time: &T, writer: &mut Writer) -> Result<(), CodecError> {
    time.encode_value(None, writer).map(|_| ())
}

fn encode_actor<A: ManagedActor>(actor: &A, writer: &mut Writer) -> Result<(), CodecError> {
    actor.encode_value(writer).map(|_| ())
}
