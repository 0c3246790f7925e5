//! Bounds that are checked where they are used.
//!
//! A newtype of a float is a fine value and no key part. Its derive cannot see that, so it writes
//! `impl KeyPart for Celsius where for<'x> f64: KeyPartIn<'x>`: the lifetime makes the bound depend on
//! something, and the compiler asks for it only when somebody uses the newtype in a key.

use crate::codec::{MapKey, SetElement};
use crate::key::{KeyPart, KeyValue, PartAs};

macro_rules! deferred {
    ($($deferred:ident: $bound:ident;)*) => {$(
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = "`{Self}` cannot be used this way, nor can a newtype of it",
            label = "this newtype holds a `{Self}`"
        )]
        pub trait $deferred<'x>: $bound {}

        #[diagnostic::do_not_recommend]
        impl<'x, T: $bound> $deferred<'x> for T {}
    )*};
}

deferred! {
    CloneIn: Clone;
    KeyPartIn: KeyPart;
    KeyValueIn: KeyValue;
    MapKeyIn: MapKey;
    SetElementIn: SetElement;
}

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a key template with this format, nor can a newtype of it",
    label = "this newtype holds a `{Self}`"
)]
pub trait PartAsIn<'x, const FORMAT: u8>: PartAs<FORMAT> {}

#[diagnostic::do_not_recommend]
impl<'x, const FORMAT: u8, T: PartAs<FORMAT>> PartAsIn<'x, FORMAT> for T {}
