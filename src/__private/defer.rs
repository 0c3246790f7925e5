//! Bounds that are checked where they are used.
//!
//! A newtype of a float is a fine value and no key part. Its derive cannot see that, so it writes
//! `impl KeyPart for Celsius where for<'x> f64: KeyPartIn<'x>`: the lifetime makes the bound depend on
//! something, and the compiler asks for it only when somebody uses the newtype in a key.

use crate::codec::{MapKey, SetElement};
use crate::key::{KeyPart, KeyValue, Padded, TextPart};

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
        "floats and decimals have no order as text: hold an integer such as cents, or write the bare field, `sk = field`";
    PaddedIn: Padded,
        "`{Self}` cannot be padded in a key template, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "a width such as `{{field:08}}` is for integers and newtypes of them; write `{{field}}`";
    TextPartIn: TextPart,
        "`{Self}` is not text, so a newtype of it does not start with anything",
        "this newtype holds a `{Self}`",
        "`starts_with` is for text: ask for a range instead, `between(a..b)`, or `ge`, `lt` and the like";
    KeyValueIn: KeyValue,
        "`{Self}` cannot be a key attribute, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "key attributes of DynamoDB are text, numbers and bytes";
    MapKeyIn: MapKey,
        "`{Self}` cannot be the key of a DynamoDB map, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "the keys of a map are text: use `String`, an integer or a UUID";
    SetElementIn: SetElement,
        "`{Self}` cannot be an element of a DynamoDB set, nor can a newtype of it",
        "this newtype holds a `{Self}`",
        "DynamoDB has sets of text, numbers and bytes; store other types in a `Vec`";
}
