//! `#[derive(DynamoProjection)]`, and the information about fields that an entity provides for it.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::attribute::key_use;
use super::tokens::{hidden, local, of};
use super::{codec, key_field, way};
use crate::model::{Entity, Field, FieldRole, Projection};

/// The struct with one method for each field: its name, its type, and how it is read.
pub(super) fn fields(entity: &Entity, name: &Ident) -> TokenStream {
    let (vis, ident) = (&entity.vis, &entity.ident);
    let methods = entity
        .fields
        .iter()
        .enumerate()
        .filter_map(|(at, field)| method(entity, at, field));
    let doc = format!("The fields of `{ident}`, for projections.");
    code! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::default::Default)]
        #vis struct #name;

        impl #name { #(#methods)* }
    }
}

fn method(entity: &Entity, at: usize, field: &Field) -> Option<TokenStream> {
    let (owner, vis, ident, ty) = (&entity.ident, &field.vis, &field.ident, &field.ty);
    let in_key = key_field::whole_of_key(entity, at, &code!(&key.#ident));
    let (bound, stored) = match field.role {
        FieldRole::Rest | FieldRole::Flatten => return None,
        FieldRole::Skip => {
            let copy = in_key?;
            (
                TokenStream::new(),
                code!(__d::StoredField::<#owner, #ty>::in_key(|key| #copy)),
            )
        }
        _ => {
            let stored = &field.stored;
            let key = || key_use(entity, at);
            let read = codec::reading(field, key());
            let absent = codec::absence_of(field, key(), owner);
            let former = field.former.as_ref().map(|former| {
                let name = &former.name;
                code!(.formerly(#name))
            });
            let or_null = field.default.is_some().then(|| code!(.or_null()));
            let or_in_key = in_key.map(|copy| code!(.or_in_key(|key| #copy)));
            let as_part = key_field::put_in_key(entity, at, &code!(value))
                .map(|part| code!(.as_part(|key, value| key.#ident = #part)));
            let stored = code! {
                __d::StoredField::<#owner, #ty>::stored(#stored, #read, #absent) #former #or_null #or_in_key #as_part
            };
            (way::bound(field, key()), stored)
        }
    };
    Some(code! {
        #[doc(hidden)]
        #[inline]
        #vis fn #ident(&self) -> __d::StoredField<#owner, #ty> #bound {
            #stored
        }
    })
}

pub(crate) fn expand(projection: &Projection) -> TokenStream {
    let (ident, entity) = (&projection.ident, &projection.entity);
    // A type that is no entity is reported where it is named, each time in the same words, which the compiler shows
    // once.
    let here = of(entity, &code!(EntityContract), "This");
    let fields = fields_found(projection, &here);
    let variables = numbered("field", projection);
    let read = read(projection, &here, &fields);
    let body = code! {
        impl __d::DynamoProjection for #ident {
            type Entity = #here;

            #[inline]
            fn attributes() -> ::std::vec::Vec<__d::Projected> {
                #fields
                __d::stored_names([#(#variables.attribute()),*])
            }

            #read
        }

        impl __d::RowOfEntity for #ident {
            type Entity = #here;
        }

        impl __d::PartOfItem for #ident {}
    };
    hidden(&projection.krate, &body)
}

/// Declares a variable for each field, with the information that the entity provides about it.
fn fields_found(projection: &Projection, here: &TokenStream) -> TokenStream {
    let fields_of = of(&projection.entity, &code!(EntityContract), "Fields");
    let variables = numbered("field", projection);
    let fields = projection.fields.iter().zip(&variables);
    let fields = fields.map(|(field, variable)| {
        let (name, ty) = (&field.ident, &field.ty);
        let found = code!(fields.#name());
        // A type that differs is reported at its own place.
        let expected = quote_spanned!(ty.span()=> __d::StoredField<#here, #ty>);
        code!(let #variable: #expected = #found;)
    });
    code! {
        let fields = <#fields_of as ::core::default::Default>::default();
        #(#fields)*
    }
}

/// Creates the function that reads the fields from their attributes or from the key. The key must match the parts
/// that were read.
fn read(projection: &Projection, here: &TokenStream, fields: &TokenStream) -> TokenStream {
    let variables = numbered("field", projection);
    let values = numbered("value", projection);
    let names = projection.fields.iter().map(|field| &field.ident);
    let numbers = 0..projection.fields.len();
    code! {
        #[inline]
        fn read(json: &[u8]) -> ::core::result::Result<Self, __d::CodecError> {
            #fields
            let numbers = __d::FieldNumbers::new([#(#variables.attribute()),*]);
            #(let mut #values = ::core::option::Option::None;)*
            // On a `&mut` variable, methods that take `&mut self` are found before those of foreign traits.
            let reader = &mut __d::Reader::new(json);
            let mut first = true;
            reader.open_object()?;
            while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
                match numbers.of(&name) {
                    #(::core::option::Option::Some(#numbers) => {
                        #values = #variables.read(&mut *reader)?;
                    })*
                    _ => __d::skip_unknown(&name, &mut *reader)?,
                }
            }
            let key = if false #(|| #variables.is_of_key(&#values))* {
                let put = &mut |key: &mut _| { #(#variables.put_in(key, &#values);)* };
                ::core::option::Option::Some(__d::key_with::<#here>(json, put)?)
            } else {
                ::core::option::Option::None
            };
            #(let #values = #variables.finish(#values, key.as_ref())?;)*
            ::core::result::Result::Ok(Self { #(#names: #values),* })
        }
    }
}

/// Names variables for the fields by their numbers, since a field may be called `reader` or `key`.
fn numbered(what: &str, projection: &Projection) -> Vec<Ident> {
    (0..projection.fields.len())
        .map(|at| local(&format!("{what}_{at}")))
        .collect()
}
