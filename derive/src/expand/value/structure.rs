//! A struct with named fields is stored as a map and has a path to each of them.

use proc_macro2::TokenStream;

use super::fields::{decode_fields, encode_fields};
use super::implement::{implement_with, stored_as};
use crate::expand::model::{can_be_flattened, value_fields};
use crate::expand::tokens::bounds;
use crate::expand::{codec, path, stored};
use crate::model::{Field, Value};

pub(super) fn expand(value: &Value, fields: &[Field]) -> TokenStream {
    let places = fields.iter().map(|field| {
        let ident = &field.ident;
        (field, code!(&self.#ident))
    });
    let is_flat = can_be_flattened(fields);
    let entries = encode_fields(places);
    let encode = match is_flat {
        true => code!(__d::FlatValue::encode_fields(self, writer)?;),
        false => entries.clone(),
    };
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
    let (paths, path) = paths(value, fields);
    let stored = stored_as("M");
    let own = implement_with(
        value,
        &path,
        &code! {
            #stored

            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                writer.open_map()?;
                #encode
                writer.close_map();
                ::core::result::Result::Ok(())
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                #decode
            }

            #as_stored
        },
    );
    let flat = is_flat.then(|| flat(value, fields, &entries));
    code!(#paths #own #flat)
}

/// The fields as attributes of an item.
fn flat(value: &Value, fields: &[Field], encode: &TokenStream) -> TokenStream {
    let ident = &value.ident;
    let (with, types, _) = value.generics.split_for_impl();
    let bounds = bounds(&value.generics, &code!(__d::DynamoValue));
    let stored = fields.iter().filter(|field| field.is_stored()).enumerate();
    let defaults = stored.filter_map(|(number, field)| codec::default_arm(number, field, None));
    let defaults: Vec<_> = defaults.collect();
    let default_json = (!defaults.is_empty()).then(|| {
        code! {
            fn default_json(
                number: usize,
            ) -> ::core::result::Result<::core::option::Option<__d::Json>, __d::CodecError> {
                match number {
                    #(#defaults)*
                    _ => ::core::result::Result::Ok(::core::option::Option::None),
                }
            }
        }
    });
    let fields = value_fields(fields);
    code! {
        impl #with __d::FlatValue for #ident #types #bounds {
            const FIELDS: &'static [__d::FieldModel] = #fields;

            fn encode_fields(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                #encode
                ::core::result::Result::Ok(())
            }

            #default_json
        }
    }
}

/// Makes the type of the path that knows these fields, and the line by which the value names it.
pub(super) fn paths(value: &Value, fields: &[Field]) -> (TokenStream, TokenStream) {
    let paths = path::value(&value.vis, &value.ident, &value.generics, fields);
    let path = path::value_path(&value.ident);
    let params = value.generics.type_params().map(|param| &param.ident);
    let path = code!(type Path<__Root, __Mode: __d::Mode> = #path<__Root, __Mode #(, #params)*>;);
    (paths, path)
}
