//! An enum with data: a map with a tag beside the variant's fields.

use proc_macro2::{Ident, TokenStream};
use syn::Type;

use super::fields::{decode_fields, encode_fields};
use super::implement::{implement, stored_as};
use crate::expand::model::CONTENT;
use crate::expand::tokens::{local, name, of, plain_name};
use crate::model::{DataVariant, Field, Value, VariantShape};

pub(super) fn expand(value: &Value, tag: &str, variants: &[DataVariant]) -> TokenStream {
    let names: Vec<_> = variants.iter().map(|variant| &variant.stored).collect();
    let encode = variants.iter().map(|variant| encode_variant(variant, tag));
    let decode = variants.iter().map(|variant| decode_variant(variant, tag));
    let stored = stored_as("M");
    implement(
        value,
        &code! {
            #stored

            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                writer.open_map()?;
                match self { #(#encode)* }
                writer.close_map();
                ::core::result::Result::Ok(())
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                match &*__d::find_tag(reader, #tag)? {
                    #(#decode)*
                    _ => ::core::result::Result::Err(__d::unknown_variant(&[#(#names),*]).at(#tag)),
                }
            }
        },
    )
}

fn encode_variant(variant: &DataVariant, tag: &str) -> TokenStream {
    let (ident, stored, tag) = (&variant.ident, &variant.stored, name(tag));
    let write_tag = code! {
        writer.name(&#tag);
        writer.text(#stored);
    };
    match &variant.shape {
        VariantShape::Unit => code!(Self::#ident => { #write_tag }),
        VariantShape::Tuple(types) => {
            let values = values(types);
            let content = name(CONTENT);
            let encode = encode_tuple(&values, types);
            code! {
                Self::#ident(#(#values),*) => {
                    #write_tag
                    writer.name(&#content);
                    #encode
                }
            }
        }
        VariantShape::Struct(fields) => {
            let idents: Vec<_> = fields.iter().map(|field| &field.ident).collect();
            // The fields are bound under names that cannot collide with `writer`.
            let bound: Vec<_> = fields.iter().map(bound).collect();
            let encode = encode_fields(fields.iter().map(|field| {
                let bound = self::bound(field);
                (field, code!(#bound))
            }));
            code! {
                Self::#ident { #(#idents: #bound),* } => {
                    #write_tag
                    #encode
                }
            }
        }
    }
}

fn bound(field: &Field) -> Ident {
    local(&format!("bound_{}", plain_name(&field.ident)))
}

fn values(types: &[Type]) -> Vec<Ident> {
    (0..types.len())
        .map(|at| local(&format!("value_{at}")))
        .collect()
}

/// One value as itself, several as a list.
fn encode_tuple(values: &[Ident], types: &[Type]) -> TokenStream {
    let encode = values
        .iter()
        .zip(types)
        .enumerate()
        .map(|(at, (value, ty))| {
            let encode = of(ty, &code!(DynamoValue), "encode");
            let encode = code!(#encode(#value, writer));
            if types.len() == 1 {
                return code!(#encode.map_err(|fault| fault.at(#CONTENT))?;);
            }
            code! {
                writer.element();
                #encode.map_err(|fault| fault.at_index(#at).at(#CONTENT))?;
            }
        });
    if types.len() == 1 {
        return code!(#(#encode)*);
    }
    code! {
        writer.open_list()?;
        #(#encode)*
        writer.close_list();
    }
}

fn decode_variant(variant: &DataVariant, tag: &str) -> TokenStream {
    let (ident, stored) = (&variant.ident, &variant.stored);
    let body = match &variant.shape {
        VariantShape::Unit => code! {
            reader.skip()?;
            ::core::result::Result::Ok(Self::#ident)
        },
        VariantShape::Struct(fields) => decode_fields(fields, &code!(Self::#ident), Some(tag)),
        VariantShape::Tuple(types) => decode_tuple(ident, types),
    };
    code!(#stored => { #body })
}

fn decode_tuple(ident: &Ident, types: &[Type]) -> TokenStream {
    let values = values(types);
    let read = decode_content(&values, types);
    code! {
        let mut content = ::core::option::Option::None;
        let mut first = true;
        reader.open_map()?;
        while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
            if name == #CONTENT {
                content = ::core::option::Option::Some(#read);
            } else {
                reader.skip()?;
            }
        }
        reader.close_map()?;
        let (#(#values,)*) = content.ok_or_else(|| __d::missing(#CONTENT))?;
        ::core::result::Result::Ok(Self::#ident(#(#values),*))
    }
}

/// Reads the values into a tuple, whatever their number.
fn decode_content(values: &[Ident], types: &[Type]) -> TokenStream {
    let decode = types.iter().map(|ty| of(ty, &code!(DynamoValue), "decode"));
    if let [one] = types {
        let decode = of(one, &code!(DynamoValue), "decode");
        return code!((__d::within(#CONTENT, #decode(reader))?,));
    }
    let count = types.len();
    let steps = values
        .iter()
        .zip(decode)
        .enumerate()
        .map(|(at, (value, decode))| {
            code! {
                let #value = __d::next_of_tuple(reader, &mut first, #at, #count, #decode)
                    .map_err(|fault| fault.at(#CONTENT))?;
            }
        });
    code! {{
        let mut first = true;
        __d::within(#CONTENT, reader.open_list())?;
        #(#steps)*
        __d::end_of_tuple(reader, &mut first, #count).map_err(|fault| fault.at(#CONTENT))?;
        (#(#values,)*)
    }}
}
