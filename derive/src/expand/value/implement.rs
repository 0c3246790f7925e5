//! All values implement one trait, under the same bounds.

use proc_macro2::{Ident, Span, TokenStream};

use crate::expand::model;
use crate::expand::tokens::bounds;
use crate::model::Value;

/// Names the type of DynamoDB in which all values are stored.
pub(super) fn stored_as(tag: &str) -> TokenStream {
    let tag = Ident::new(tag, Span::mixed_site());
    code! {
        const STORED: ::core::option::Option<__d::Tag> = ::core::option::Option::Some(__d::Tag::#tag);
    }
}

/// Makes `impl<T> DynamoValue for Wrapper<T> where T: DynamoValue { body }`, with the library's own path.
pub(super) fn implement(value: &Value, body: &TokenStream) -> TokenStream {
    implement_with(value, &own_path(), body)
}

/// The library's path, which knows no fields.
pub(super) fn own_path() -> TokenStream {
    code!(
        type Path<__Root, __Mode: __d::Mode> = __d::Path<__Root, Self, __Mode>;
    )
}

/// Makes the same impl with another type of path, which knows the fields.
pub(super) fn implement_with(value: &Value, path: &TokenStream, body: &TokenStream) -> TokenStream {
    let ident = &value.ident;
    let (with, types, _) = value.generics.split_for_impl();
    let bounds = bounds(&value.generics, &code!(__d::DynamoValue));
    let model = model::value(value);
    code! {
        impl #with __d::DynamoValue for #ident #types #bounds {
            #path

            #model

            #body
        }
    }
}
