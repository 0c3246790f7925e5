//! Bounds that are checked on use.
//!
//! A newtype of a list is a valid value but not a key part. Its derive cannot see that, so it writes `impl KeyPart
//! for Names where for<'x> Vec<String>: KeyPartIn<'x>`: because of the lifetime, the compiler checks the bound only if the
//! newtype is used in a key.

use crate::codec::{
    CompressedField, DynamoField, FormField, MapKey, NullField, SerdeField, SetElement,
};
use crate::entity::{ManagedActor, ManagedTime, TtlTime};
use crate::expr::{Contains, Numeric, Textual};
use crate::key::{FixedDecimals, IndexPart, KeyPart, KeyValue, Ordered, Padded};

macro_rules! deferred {
    ($($deferred:ident: $bound:ident, $message:literal, $label:literal, $note:literal;)*) => {$(
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $deferred<'x>: $bound {}

        #[diagnostic::do_not_recommend]
        impl<'x, T: $bound> $deferred<'x> for T {}
    )*};
}

deferred! {
    KeyPartIn: KeyPart,
        "`{Self}` cannot be a part of a key template, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "key parts are text, numbers, `bool`, timestamps, dates, UUIDs, ULIDs and unit enums";
    PaddedIn: Padded,
        "`{Self}` cannot be padded in a key template, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "a width such as `{{field:08}}` is for numbers and newtypes of them; write `{{field}}`";
    FixedDecimalsIn: FixedDecimals,
        "`{Self}` has no decimals in a key template, nor has a newtype of it",
        "this newtype holds a `{Self}`",
        "decimals such as `{{field:06.2}}` are for floats and decimals; an integer has a width alone, `{{field:06}}`";
    OrderedIn: Ordered,
        "DynamoDB has no order for `{Self}`, nor for a newtype of it",
        "this newtype holds a `{Self}`",
        "`lt`, `le`, `gt`, `ge` and `between` are for text, numbers, binary, timestamps, dates, enums with `#[dynamo(order)]` and newtypes of these";
    KeyValueIn: KeyValue,
        "`{Self}` cannot be a key attribute, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "key attributes of DynamoDB are text, numbers and bytes";
    MapKeyIn: MapKey,
        "`{Self}` cannot be the key of a DynamoDB map, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "the keys of a map are text: use `String`, an integer or a UUID";
    DynamoFieldIn: DynamoField,
        "`{Self}` cannot be stored as an attribute, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    SerdeFieldIn: SerdeField,
        "`{Self}` cannot be stored through serde, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    NullFieldIn: NullField,
        "`{Self}` has no None that could be written as NULL, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    CompressedFieldIn: CompressedField,
        "`{Self}` cannot be compressed, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    FormFieldIn: FormField,
        "`{Self}` has no foreign stored form, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    TtlTimeIn: TtlTime,
        "`{Self}` cannot be a TTL, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    ManagedTimeIn: ManagedTime,
        "`{Self}` cannot be a managed timestamp, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    ManagedActorIn: ManagedActor,
        "`{Self}` cannot be a managed actor, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    IndexPartIn: IndexPart,
        "`{Self}` cannot be the key attribute of an index, so it has no path",
        "the type of this field",
        "the error at the declaration of the entity has the reason";
    NumericIn: Numeric,
        "`{Self}` is not a number, nor is a newtype of it",
        "this newtype holds a `{Self}`",
        "`add` and `sub` are for numbers and newtypes of them";
    TextualIn: Textual,
        "`{Self}` is neither text nor binary, nor is a newtype of it",
        "this newtype holds a `{Self}`",
        "`starts_with` and `size` are for text, binary and newtypes of these";
    SetElementIn: SetElement,
        "`{Self}` cannot be an element of a DynamoDB set, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "DynamoDB has sets of text, numbers and bytes; store other types in a `Vec`";
}

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot contain a `{A}`, nor can a newtype of it",
    label = "this newtype holds a `{Self}`"
)]
pub trait ContainsIn<'x, R, A>: Contains<R, A> {}

#[diagnostic::do_not_recommend]
impl<'x, R, A, T: Contains<R, A>> ContainsIn<'x, R, A> for T {}

/// A field with `skip`.
#[derive(Debug)]
pub struct Skipped(());

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a field with `#[dynamo(skip)]` has no attribute, so it has no path",
    label = "not stored",
    note = "remove `skip` to store it; what is part of the key is given with the key"
)]
pub trait StoredIn<'x> {}
