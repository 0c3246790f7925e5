//! All values implement one trait, under the same bounds.

use proc_macro2::TokenStream;

use crate::expand::tokens::bounds;
use crate::model::Value;

/// Makes `impl<T> DynamoValue for Wrapper<T> where T: DynamoValue { body }`, with the library's own path.
pub(super) fn implement(value: &Value, body: &TokenStream) -> TokenStream {
    let own = code!(
        type Path<__Root, __Mode: __d::Mode> = __d::Path<__Root, Self, __Mode>;
    );
    implement_with(value, &own, body)
}

/// Makes the same impl with another type of path, which knows the fields.
pub(super) fn implement_with(value: &Value, path: &TokenStream, body: &TokenStream) -> TokenStream {
    let ident = &value.ident;
    let (with, types, _) = value.generics.split_for_impl();
    let bounds = bounds(&value.generics, &code!(__d::DynamoValue));
    code! {
        impl #with __d::DynamoValue for #ident #types #bounds {
            #path

            #body
        }
    }
}
