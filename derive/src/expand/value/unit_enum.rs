//! An enum without data: stored as the name of its variant.

use proc_macro2::TokenStream;

use super::implement;
use crate::model::{UnitVariant, Value};

pub(super) fn expand(value: &Value, variants: &[UnitVariant]) -> TokenStream {
    let ident = &value.ident;
    let names: Vec<_> = variants.iter().map(|variant| &variant.stored).collect();
    let idents: Vec<_> = variants.iter().map(|variant| &variant.ident).collect();
    let texts = code! {
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

        fn unknown() -> __d::Fault {
            __d::unknown_variant(&[#(#names),*])
        }
    };
    let own = implement(
        value,
        &code! {
            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                writer.text(text(self));
                ::core::result::Result::Ok(())
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                of_text(&reader.text()?).ok_or_else(unknown)
            }

            fn as_stored(&self) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(copy(self))
            }
        },
    );
    code! {
        #texts
        #own

        impl __d::SetElement for #ident {
            const TAG: __d::Tag = __d::Tag::Ss;

            fn write_element(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                writer.set_text(text(self));
                ::core::result::Result::Ok(())
            }

            fn read_element(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                of_text(&reader.string()?).ok_or_else(unknown)
            }

            fn element_as_stored(&self) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(copy(self))
            }
        }

        impl __d::MapKey for #ident {
            fn to_map_key(&self) -> __d::Cow<'_, str> {
                __d::Cow::Borrowed(text(self))
            }

            fn from_map_key(text: &str) -> ::core::option::Option<Self> {
                of_text(text)
            }
        }

        impl __d::KeyPart for #ident {
            const WIDTH: __d::Width = __d::Width::Variable;
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut __d::PartWriter<'_>) -> ::core::result::Result<(), __d::Fault> {
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

        impl __d::KeyValue for #ident {
            const TYPE: __d::KeyType = __d::KeyType::S;
            const IS_EXACT: bool = true;

            fn to_key(&self) -> Self {
                copy(self)
            }

            fn encode_key(
                &self,
                name: &__d::Name,
                role: __d::Role,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::Fault> {
                __d::encode_key(self, name, role, writer)
            }

            fn encode_bound(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                <Self as __d::DynamoValue>::encode(self, writer)
            }

            fn decode_key(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                <Self as __d::DynamoValue>::decode(reader)
            }
        }
    }
}
