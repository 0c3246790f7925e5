//! An enum with data: a map with a tag beside the variant's fields.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::super::local;
use super::{decode_fields, encode_fields, implement};
use crate::model::{DataVariant, Field, Value, VariantShape};

/// Where the data of a tuple variant stands.
const CONTENT: &str = "value";

pub(super) fn expand(value: &Value, tag: &str, variants: &[DataVariant]) -> TokenStream {
    let names: Vec<_> = variants.iter().map(|variant| &variant.stored).collect();
    let encode = variants.iter().map(|variant| encode_variant(variant, tag));
    let decode = variants.iter().map(|variant| decode_variant(variant, tag));
    implement(
        value,
        &quote! {
            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                writer.open_map()?;
                match self { #(#encode)* }
                writer.close_map();
                ::core::result::Result::Ok(())
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                match &*__d::find_tag(reader, #tag)? {
                    #(#decode)*
                    _ => ::core::result::Result::Err(__d::unknown_variant(&[#(#names),*]).at(#tag)),
                }
            }
        },
    )
}

fn encode_variant(variant: &DataVariant, tag: &str) -> TokenStream {
    let (ident, stored, tag) = (&variant.ident, &variant.stored, super::super::name(tag));
    let write_tag = quote! {
        writer.name(&#tag);
        writer.text(#stored);
    };
    match &variant.shape {
        VariantShape::Unit => quote!(Self::#ident => { #write_tag }),
        VariantShape::Tuple(types) => {
            let values = values(types);
            let content = super::super::name(CONTENT);
            let encode = encode_tuple(&values, types);
            quote! {
                Self::#ident(#(#values),*) => {
                    #write_tag
                    writer.name(&#content);
                    #encode
                }
            }
        }
        VariantShape::Struct(fields) => {
            let idents: Vec<_> = fields.iter().map(|field| &field.ident).collect();
            // Bound under names that cannot meet `writer`.
            let bound: Vec<_> = fields.iter().map(bound).collect();
            let encode = encode_fields(fields.iter().map(|field| {
                let bound = self::bound(field);
                (field, quote!(#bound))
            }));
            quote! {
                Self::#ident { #(#idents: #bound),* } => {
                    #write_tag
                    #encode
                }
            }
        }
    }
}

fn bound(field: &Field) -> Ident {
    format_ident!("bound_{}", super::super::key::plain_name(&field.ident))
}

fn values(types: &[Type]) -> Vec<Ident> {
    (0..types.len())
        .map(|at| format_ident!("value_{at}"))
        .collect()
}

/// One value as itself, several as a list.
fn encode_tuple(values: &[Ident], types: &[Type]) -> TokenStream {
    let encode = values
        .iter()
        .zip(types)
        .enumerate()
        .map(|(at, (value, ty))| {
            let writer = local("writer", ty.span());
            let encode = quote_spanned! {ty.span()=>
                <#ty as __d::DynamoValue>::encode(#value, #writer)
            };
            if types.len() == 1 {
                return quote!(#encode.map_err(|fault| fault.at(#CONTENT))?;);
            }
            quote! {
                writer.element();
                #encode.map_err(|fault| fault.at_index(#at).at(#CONTENT))?;
            }
        });
    if types.len() == 1 {
        return quote!(#(#encode)*);
    }
    quote! {
        writer.open_list()?;
        #(#encode)*
        writer.close_list();
    }
}

fn decode_variant(variant: &DataVariant, tag: &str) -> TokenStream {
    let (ident, stored) = (&variant.ident, &variant.stored);
    let body = match &variant.shape {
        VariantShape::Unit => quote! {
            reader.skip()?;
            ::core::result::Result::Ok(Self::#ident)
        },
        VariantShape::Struct(fields) => decode_fields(fields, &quote!(Self::#ident), Some(tag)),
        VariantShape::Tuple(types) => decode_tuple(ident, types),
    };
    quote!(#stored => { #body })
}

fn decode_tuple(ident: &Ident, types: &[Type]) -> TokenStream {
    let values = values(types);
    // A tuple type reads what a list of its elements is; one element is itself.
    let (content, pattern) = if let [one] = types {
        (quote!(#one), quote!(value_0))
    } else {
        (quote!((#(#types),*)), quote!((#(#values),*)))
    };
    quote! {
        let mut content = ::core::option::Option::None::<#content>;
        let mut first = true;
        reader.open_map()?;
        while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
            if name == #CONTENT {
                content = ::core::option::Option::Some(__d::decode_field(reader, #CONTENT)?);
            } else {
                reader.skip()?;
            }
        }
        reader.close_map()?;
        let #pattern = content.ok_or_else(|| __d::missing(#CONTENT))?;
        ::core::result::Result::Ok(Self::#ident(#(#values),*))
    }
}
