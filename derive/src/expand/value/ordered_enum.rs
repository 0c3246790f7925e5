//! An enum with an order is stored as the number of its variant, everywhere in the same way as a `u16`.

use proc_macro2::{Ident, TokenStream};

use super::implement::{implement, stored_as};
use crate::model::{OrderedVariant, Value};

pub(super) fn expand(value: &Value, variants: &[OrderedVariant]) -> TokenStream {
    let ident = &value.ident;
    let ranks = ranks(ident, variants);
    let (value, element) = (as_value(value), as_element(ident));
    let (part, key) = (as_part(ident), as_key(ident));
    code! { #ranks #value #element #part #key }
}

/// The functions that convert variants to their numbers and back. Everything else uses them.
fn ranks(ident: &Ident, variants: &[OrderedVariant]) -> TokenStream {
    let idents: Vec<_> = variants.iter().map(|variant| &variant.ident).collect();
    let ranks: Vec<_> = variants.iter().map(|variant| variant.rank).collect();
    code! {
        fn rank(value: &#ident) -> u16 {
            match value { #(#ident::#idents => #ranks),* }
        }

        fn of_rank(rank: u16) -> ::core::option::Option<#ident> {
            match rank {
                #(#ranks => ::core::option::Option::Some(#ident::#idents),)*
                _ => ::core::option::Option::None,
            }
        }

        fn known(rank: u16) -> ::core::result::Result<#ident, __d::CodecError> {
            of_rank(rank).ok_or_else(|| __d::unknown_rank(&[#(#ranks),*]))
        }

        fn copy(value: &#ident) -> #ident {
            match value { #(#ident::#idents => #ident::#idents),* }
        }
    }
}

fn as_value(value: &Value) -> TokenStream {
    let stored = stored_as("N");
    implement(
        value,
        &code! {
            #stored

            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                <u16 as __d::DynamoValue>::encode(&rank(self), writer)
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                <u16 as __d::DynamoValue>::decode(reader).and_then(known)
            }

            fn as_stored(&self) -> ::core::option::Option<Self> {
                of_rank(rank(self))
            }
        },
    )
}

fn as_element(ident: &Ident) -> TokenStream {
    code! {
        impl __d::SetElement for #ident {
            const TAG: __d::Tag = <u16 as __d::SetElement>::TAG;
            const ELEMENT: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

            fn write_element(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                <u16 as __d::SetElement>::write_element(&rank(self), writer)
            }

            fn read_element(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                <u16 as __d::SetElement>::read_element(reader).and_then(known)
            }

            fn element_as_stored(&self) -> ::core::option::Option<Self> {
                of_rank(rank(self))
            }
        }
    }
}

fn as_part(ident: &Ident) -> TokenStream {
    code! {
        impl __d::KeyPart for #ident {
            const WIDTH: __d::Width = <u16 as __d::KeyPart>::WIDTH;
            const IS_EXACT: bool = <u16 as __d::KeyPart>::IS_EXACT;

            fn write_part(&self, writer: &mut __d::PartWriter<'_>) -> ::core::result::Result<(), __d::CodecError> {
                <u16 as __d::KeyPart>::write_part(&rank(self), writer)
            }

            fn parse_part(text: &__d::PartText<'_>) -> ::core::option::Option<Self> {
                <u16 as __d::KeyPart>::parse_part(text).and_then(of_rank)
            }

            fn to_part(&self) -> Self {
                copy(self)
            }
        }

        impl __d::Padded for #ident {}
        impl __d::Ordered for #ident {}
    }
}

fn as_key(ident: &Ident) -> TokenStream {
    code! {
        impl __d::KeyValue for #ident {
            const TYPE: __d::KeyType = <u16 as __d::KeyValue>::TYPE;
            const IS_EXACT: bool = <u16 as __d::KeyValue>::IS_EXACT;

            fn to_key(&self) -> Self {
                copy(self)
            }

            fn encode_key(
                &self,
                name: &__d::Name,
                role: __d::Role,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                <u16 as __d::KeyValue>::encode_key(&rank(self), name, role, writer)
            }

            fn encode_bound(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                <u16 as __d::KeyValue>::encode_bound(&rank(self), writer)
            }

            fn decode_key(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                <u16 as __d::KeyValue>::decode_key(reader).and_then(known)
            }
        }
    }
}
