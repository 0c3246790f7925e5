//! `#[derive(DynamoValue)]`.

mod data_enum;
mod newtype;
mod unit_enum;

use proc_macro2::TokenStream;
use syn::Generics;

use super::{codec, hidden, path, stored};
use crate::model::{Field, Role, Value, ValueShape};

pub(crate) fn expand(value: &Value) -> TokenStream {
    let body = match &value.shape {
        ValueShape::Struct(fields) => structure(value, fields),
        ValueShape::Newtype(inner) => newtype::expand(value, inner),
        ValueShape::UnitEnum(variants) => unit_enum::expand(value, variants),
        ValueShape::DataEnum { tag, variants } => data_enum::expand(value, tag, variants),
    };
    hidden(&value.krate, &body)
}

/// `impl<T> DynamoValue for Wrapper<T> where T: DynamoValue { body }`
fn implement(value: &Value, body: &TokenStream) -> TokenStream {
    let own = code!(
        type Path<__Root, __Mode: __d::Mode> = __d::Path<__Root, Self, __Mode>;
    );
    implement_with(value, &own, body)
}

/// The same, with this type of path.
fn implement_with(value: &Value, path: &TokenStream, body: &TokenStream) -> TokenStream {
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

/// The type's own bounds, and one for each of its parameters.
pub(super) fn bounds(generics: &Generics, bound: &TokenStream) -> TokenStream {
    let own = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    let added = generics.type_params().map(|param| {
        let ident = &param.ident;
        code!(#ident: #bound)
    });
    code!(where #(#own,)* #(#added,)*)
}

fn structure(value: &Value, fields: &[Field]) -> TokenStream {
    let places = fields.iter().map(|field| {
        let ident = &field.ident;
        (field, code!(&self.#ident))
    });
    let encode = encode_fields(places);
    let decode = decode_fields(fields, &code!(Self), None);
    let copies = stored::fields(fields.iter().map(|field| {
        let ident = &field.ident;
        (field, None, code!(&self.#ident))
    }));
    let as_stored = copies.map(|copies| {
        code! {
            fn as_stored(&self) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self { #(#copies),* })
            }
        }
    });
    let paths = path::value(&value.vis, &value.ident, &value.generics, fields);
    let path = path::value_path(&value.ident);
    let params = value.generics.type_params().map(|param| &param.ident);
    let path = code!(type Path<__Root, __Mode: __d::Mode> = #path<__Root, __Mode #(, #params)*>;);
    let own = implement_with(
        value,
        &path,
        &code! {
            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                writer.open_map()?;
                #encode
                writer.close_map();
                ::core::result::Result::Ok(())
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                #decode
            }

            #as_stored
        },
    );
    code!(#paths #own)
}

/// Writes the entries of a map.
fn encode_fields<'f>(fields: impl Iterator<Item = (&'f Field, TokenStream)>) -> TokenStream {
    let fields: Vec<_> = fields.collect();
    let known = fields.iter().map(|(field, _)| &field.stored);
    let rest = fields
        .iter()
        .find(|(field, _)| field.role == Role::Rest)
        .map(|(field, place)| {
            let item = super::of(&field.ty, &code!(RestField), "as_item");
            code!(__d::encode_nested_rest(#item(#place), &[#(#known),*], writer)?;)
        });
    let entries = fields
        .iter()
        .map(|(field, place)| codec::encode(field, None, place));
    code!(#(#entries)* #rest)
}

/// Reads a map into `constructor { fields }`; the tag of an enum is stepped over.
fn decode_fields(fields: &[Field], constructor: &TokenStream, tag: Option<&str>) -> TokenStream {
    let declared = fields.iter().filter_map(codec::declare);
    let arms = fields
        .iter()
        .filter_map(|field| codec::decode_arm(field, None));
    let complete = codec::complete(fields.iter().map(|field| (field, None)));
    let finished = fields.iter().map(codec::finish);
    let tag_arm = tag.map(|tag| code!(#tag => reader.skip(),));
    let has_rest = fields.iter().any(|field| field.role == Role::Rest);
    let rest_holder = has_rest.then(|| code!(let mut rest = __d::Item::new();));
    let other = if has_rest {
        code!(other => __d::keep_rest(&mut rest, other, reader),)
    } else {
        code!(_ => reader.skip(),)
    };
    code! {
        #(#declared)*
        #rest_holder
        let mut first = true;
        reader.open_map()?;
        while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
            let read = match &*name {
                #(#arms)*
                #tag_arm
                #other
            };
            read?;
        }
        reader.close_map()?;
        #complete
        ::core::result::Result::Ok(#constructor { #(#finished),* })
    }
}
