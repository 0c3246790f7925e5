//! A newtype: stored as what it holds, and usable wherever that is.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::implement;
use crate::model::Value;

pub(super) fn expand(value: &Value, inner: &Type) -> TokenStream {
    let own = implement(
        value,
        &quote! {
            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                <#inner as __d::DynamoValue>::encode(&self.0, writer)
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                <#inner as __d::DynamoValue>::decode(reader).map(Self)
            }
        },
    );
    let forwarded = [
        set_element(inner),
        map_key(inner),
        key_part(inner),
        key_value(inner),
        part_as(inner, &quote!({ __d::PLAIN })),
        part_as(inner, &quote!({ __d::PADDED })),
    ];
    let forwarded = forwarded.into_iter().map(|forward| forward.expand(value));
    quote!(#own #(#forwarded)*)
}

/// A trait that the newtype has if what it holds has it. The bounds wait until somebody uses it.
struct Forward {
    name: TokenStream,
    /// The bound on the inner type.
    bound: TokenStream,
    /// Whether the newtype itself has to be `Clone`.
    clone: bool,
    body: TokenStream,
}

impl Forward {
    fn expand(self, value: &Value) -> TokenStream {
        let Forward {
            name,
            bound,
            clone,
            body,
        } = self;
        let ident = &value.ident;
        let (with, types, _) = value.generics.split_for_impl();
        let own = value
            .generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates);
        let params = value.generics.type_params().map(|param| {
            let ident = &param.ident;
            quote!(#ident: __d::DynamoValue,)
        });
        let clone = clone.then(|| quote!(for<'x> #ident #types: __d::CloneIn<'x>,));
        quote! {
            impl #with #name for #ident #types
            where
                #(#own,)*
                #(#params)*
                #bound,
                #clone
            {
                #body
            }
        }
    }
}

fn set_element(inner: &Type) -> Forward {
    Forward {
        name: quote!(__d::SetElement),
        bound: quote!(for<'x> #inner: __d::SetElementIn<'x>),
        clone: false,
        body: quote! {
            const TAG: __d::Tag = <#inner as __d::SetElement>::TAG;

            fn write_element(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                <#inner as __d::SetElement>::write_element(&self.0, writer)
            }

            fn read_element(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                <#inner as __d::SetElement>::read_element(reader).map(Self)
            }
        },
    }
}

fn map_key(inner: &Type) -> Forward {
    Forward {
        name: quote!(__d::MapKey),
        bound: quote!(for<'x> #inner: __d::MapKeyIn<'x>),
        clone: false,
        body: quote! {
            fn to_map_key(&self) -> __d::Cow<'_, str> {
                <#inner as __d::MapKey>::to_map_key(&self.0)
            }

            fn from_map_key(text: &str) -> ::core::option::Option<Self> {
                <#inner as __d::MapKey>::from_map_key(text).map(Self)
            }
        },
    }
}

fn key_part(inner: &Type) -> Forward {
    Forward {
        name: quote!(__d::KeyPart),
        bound: quote!(for<'x> #inner: __d::KeyPartIn<'x>),
        clone: true,
        body: quote! {
            const WIDTH: __d::Width = <#inner as __d::KeyPart>::WIDTH;

            fn write_part(&self, writer: &mut __d::PartWriter<'_>) -> ::core::result::Result<(), __d::Fault> {
                <#inner as __d::KeyPart>::write_part(&self.0, writer)
            }

            fn parse_part(text: &__d::PartText<'_>) -> ::core::option::Option<Self> {
                <#inner as __d::KeyPart>::parse_part(text).map(Self)
            }

            fn is_empty_part(&self) -> bool {
                <#inner as __d::KeyPart>::is_empty_part(&self.0)
            }
        },
    }
}

fn key_value(inner: &Type) -> Forward {
    Forward {
        name: quote!(__d::KeyValue),
        bound: quote!(for<'x> #inner: __d::KeyValueIn<'x>),
        clone: true,
        body: quote! {
            const TYPE: __d::KeyType = <#inner as __d::KeyValue>::TYPE;

            fn is_empty_key(&self) -> bool {
                <#inner as __d::KeyValue>::is_empty_key(&self.0)
            }
        },
    }
}

/// In a template the newtype is a part itself. Formats that lose something are not forwarded: what
/// they make is the inner type's.
fn part_as(inner: &Type, format: &TokenStream) -> Forward {
    Forward {
        name: quote!(__d::PartAs<#format>),
        bound: quote!(for<'x> #inner: __d::PartAsIn<'x, #format> + __d::KeyPartIn<'x>),
        clone: true,
        body: quote! {
            type Part = Self;

            fn part(&self) -> __d::Cow<'_, Self> {
                __d::Cow::Borrowed(self)
            }
        },
    }
}
