//! An enum without data is stored as the name of its variant.

use proc_macro2::{Ident, TokenStream};

use super::implement::{implement, stored_as};
use crate::model::{UnitVariant, Value};

pub(super) fn expand(value: &Value, variants: &[UnitVariant]) -> TokenStream {
    let ident = &value.ident;
    let texts = texts(ident, variants);
    let own = implement(value, &own());
    let (set_element, map_key) = (set_element(ident), map_key(ident));
    let (key_part, key_value) = (key_part(ident), key_value(ident));
    code! {
        #texts
        #own
        #set_element
        #map_key
        #key_part
        #key_value
    }
}

/// Makes the functions that all impls call, so that the names of the variants are listed once.
fn texts(ident: &Ident, variants: &[UnitVariant]) -> TokenStream {
    let names: Vec<_> = variants.iter().map(|variant| &variant.stored).collect();
    let idents: Vec<_> = variants.iter().map(|variant| &variant.ident).collect();
    code! {
        fn text(value: &#ident) -> &'static str {
            match value { #(#ident::#idents => #names),* }
        }

        fn of_text(text: &str) -> ::core::option::Option<#ident> {
            match text {
                #(#names => ::core::option::Option::Some(#ident::#idents),)*
                _ => ::core::option::Option::None,
            }
        }

        fn copy(value: &#ident) -> #ident {
            match value { #(#ident::#idents => #ident::#idents),* }
        }

        fn unknown() -> __d::CodecError {
            __d::unknown_variant(&[#(#names),*])
        }
    }
}

/// An attribute holds the name as a text.
fn own() -> TokenStream {
    let stored = stored_as("S");
    code! {
        #stored

        fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
            writer.text(text(self));
            ::core::result::Result::Ok(())
        }

        fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
            of_text(&reader.text()?).ok_or_else(unknown)
        }

        fn as_stored(&self) -> ::core::option::Option<Self> {
            ::core::option::Option::Some(copy(self))
        }
    }
}

/// Names may be elements of a set of texts.
fn set_element(ident: &Ident) -> TokenStream {
    code! {
        impl __d::SetElement for #ident {
            const TAG: __d::Tag = __d::Tag::Ss;
            const ELEMENT: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

            fn write_element(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                writer.set_text(text(self));
                ::core::result::Result::Ok(())
            }

            fn read_element(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                of_text(&reader.string()?).ok_or_else(unknown)
            }

            fn element_as_stored(&self) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(copy(self))
            }
        }
    }
}

/// A name may be the key of a map.
fn map_key(ident: &Ident) -> TokenStream {
    code! {
        impl __d::MapKey for #ident {
            const KEY: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

            fn to_map_key(&self) -> __d::Cow<'_, str> {
                __d::Cow::Borrowed(text(self))
            }

            fn from_map_key(text: &str) -> ::core::option::Option<Self> {
                of_text(text)
            }
        }
    }
}

/// A name may be a part of a key template.
fn key_part(ident: &Ident) -> TokenStream {
    code! {
        impl __d::KeyPart for #ident {
            const WIDTH: __d::Width = __d::Width::Variable;
            const IS_EXACT: bool = true;
            const RANGES: __d::PartRanges = __d::PartRanges::Nothing;

            fn write_part(&self, writer: &mut __d::PartWriter<'_>) -> ::core::result::Result<(), __d::CodecError> {
                writer.text(text(self));
                ::core::result::Result::Ok(())
            }

            fn parse_part(text: &__d::PartText<'_>) -> ::core::option::Option<Self> {
                of_text(&text.text()?)
            }

            fn to_part(&self) -> Self {
                copy(self)
            }
        }
    }
}

/// A name may be a key attribute itself.
fn key_value(ident: &Ident) -> TokenStream {
    code! {
        impl __d::KeyValue for #ident {
            const TYPE: __d::KeyType = __d::KeyType::S;
            const IS_EXACT: bool = true;
            const RANGES: __d::PartRanges = __d::PartRanges::Nothing;

            fn to_key(&self) -> Self {
                copy(self)
            }

            fn encode_key(
                &self,
                name: &__d::Name,
                role: __d::Role,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                __d::encode_key(self, name, role, writer)
            }

            fn encode_bound(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                <Self as __d::DynamoValue>::encode(self, writer)
            }

            fn decode_key(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                <Self as __d::DynamoValue>::decode(reader)
            }
        }
    }
}
