//! `#[derive(DynamoProjection)]`, and what an entity tells of its fields for it.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::{codec, hidden, key, local, of};
use crate::model::{Entity, Field, Projection, Role};

/// The struct with one method a field: its name, its type, how it is read.
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
    let in_key = key::whole_of_key(entity, at, &code!(&key.#ident));
    let (bound, stored) = match field.role {
        Role::Rest => return None,
        Role::Skip => {
            let copy = in_key?;
            (
                TokenStream::new(),
                code!(__d::StoredField::<#owner, #ty>::in_key(|key| #copy)),
            )
        }
        _ => {
            let stored = &field.stored;
            let key = || super::entity::key_use(entity, at);
            let read = codec::reading(field, key());
            let absent = codec::absence_of(field, key(), owner);
            let or_null = field.default.is_some().then(|| code!(.or_null()));
            let or_in_key = in_key.map(|copy| code!(.or_in_key(|key| #copy)));
            let as_part = key::put_in_key(entity, at, &code!(value))
                .map(|part| code!(.as_part(|key, value| key.#ident = #part)));
            let stored = code! {
                __d::StoredField::<#owner, #ty>::stored(#stored, #read, #absent) #or_null #or_in_key #as_part
            };
            (codec::bound(field, key()), stored)
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
    // What is no entity is said where it is named: in the same words each time, which the compiler says once.
    let here = of(entity, &code!(DynamoEntity), "This");
    let fields_of = of(entity, &code!(DynamoEntity), "Fields");
    let fields = projection.fields.iter().enumerate().map(|(at, field)| {
        let (name, ty, variable) = (&field.ident, &field.ty, local(&format!("field_{at}")));
        let found = code!(fields.#name());
        // A type that differs is said where it stands.
        let expected = quote_spanned!(ty.span()=> __d::StoredField<#here, #ty>);
        code!(let #variable: #expected = #found;)
    });
    let fields: Vec<_> = fields.collect();
    let variables: Vec<_> = (0..fields.len())
        .map(|at| local(&format!("field_{at}")))
        .collect();
    let values: Vec<_> = (0..fields.len())
        .map(|at| local(&format!("value_{at}")))
        .collect();
    let names: Vec<_> = projection.fields.iter().map(|field| &field.ident).collect();
    let body = code! {
        impl __d::DynamoProjection for #ident {
            type Entity = #here;

            #[inline]
            fn attributes() -> ::std::vec::Vec<__d::Projected> {
                let fields = <#fields_of as ::core::default::Default>::default();
                #(#fields)*
                __d::stored_names([#(#variables.attribute()),*])
            }

            #[inline]
            fn read(json: &[u8]) -> ::core::result::Result<Self, __d::Fault> {
                let fields = <#fields_of as ::core::default::Default>::default();
                #(#fields)*
                #(let mut #values = ::core::option::Option::None;)*
                // What takes `&mut self` is found before methods of foreign traits only so.
                let reader = &mut __d::Reader::new(json);
                let mut first = true;
                reader.open_object()?;
                while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
                    #(
                        if #variables.is_named(&name) {
                            #values = #variables.read(&mut *reader)?;
                            continue;
                        }
                    )*
                    reader.skip()?;
                }
                #(let #values = #variables.finish(#values, json)?;)*
                let mut key = ::core::option::Option::None;
                #(#variables.put_in(&mut key, &#values, json)?;)*
                __d::check_parts::<#here>(key, json)?;
                ::core::result::Result::Ok(Self { #(#names: #values),* })
            }
        }

        impl __d::RowOfEntity for #ident {
            type Entity = #here;
        }

        impl __d::PartOfItem for #ident {}
    };
    hidden(&projection.krate, &body)
}
