//! A newtype is stored as its inner type, and usable wherever that is.

use proc_macro2::TokenStream;
use syn::Type;

use super::implement::implement;
use crate::expand::tokens::{bounds, of};
use crate::model::Value;

pub(super) fn expand(value: &Value, inner: &Type) -> TokenStream {
    let [encode, decode, copy] =
        ["encode", "decode", "as_stored"].map(|item| of(inner, &code!(DynamoValue), item));
    let stored = of(inner, &code!(DynamoValue), "STORED");
    let own = implement(
        value,
        &code! {
            const STORED: ::core::option::Option<__d::Tag> = #stored;

            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                #encode(&self.0, writer)
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                #decode(reader).map(Self)
            }

            fn as_stored(&self) -> ::core::option::Option<Self> {
                #copy(&self.0).map(Self)
            }
        },
    );
    let forwarded = [
        set_element(inner),
        map_key(inner),
        key_part(inner),
        key_value(inner),
        padded(inner),
        ordered(inner),
        numeric(inner),
        textual(inner),
    ];
    let forwarded = forwarded.into_iter().map(|forward| forward.expand(value));
    let contains = contains(value, inner);
    code!(#own #(#forwarded)* #contains)
}

/// A trait that the newtype has if its inner type has it. The bounds are checked only on use.
struct Forward {
    name: TokenStream,
    /// The bound on the inner type.
    bound: TokenStream,
    body: TokenStream,
}

impl Forward {
    fn expand(self, value: &Value) -> TokenStream {
        let Forward { name, bound, body } = self;
        let ident = &value.ident;
        let (with, types, _) = value.generics.split_for_impl();
        let own = value
            .generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates);
        let params = value.generics.type_params().map(|param| {
            let ident = &param.ident;
            code!(#ident: __d::DynamoValue,)
        });
        code! {
            impl #with #name for #ident #types
            where
                #(#own,)*
                #(#params)*
                #bound,
            {
                #body
            }
        }
    }
}

fn set_element(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::SetElement),
        bound: code!(for<'__x> #inner: __d::SetElementIn<'__x>),
        body: code! {
            const TAG: __d::Tag = <#inner as __d::SetElement>::TAG;
            const ELEMENT: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

            fn write_element(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                <#inner as __d::SetElement>::write_element(&self.0, writer)
            }

            fn read_element(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                <#inner as __d::SetElement>::read_element(reader).map(Self)
            }

            fn element_as_stored(&self) -> ::core::option::Option<Self> {
                <#inner as __d::SetElement>::element_as_stored(&self.0).map(Self)
            }
        },
    }
}

fn map_key(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::MapKey),
        bound: code!(for<'__x> #inner: __d::MapKeyIn<'__x>),
        body: code! {
            const KEY: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

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
        name: code!(__d::KeyPart),
        bound: code!(for<'__x> #inner: __d::KeyPartIn<'__x>),
        body: code! {
            const WIDTH: __d::Width = <#inner as __d::KeyPart>::WIDTH;
            const MAY_BE_EMPTY: bool = <#inner as __d::KeyPart>::MAY_BE_EMPTY;
            const IS_EXACT: bool = <#inner as __d::KeyPart>::IS_EXACT;
            const RANGES: __d::PartRanges = <#inner as __d::KeyPart>::RANGES;

            fn write_part(&self, writer: &mut __d::PartWriter<'_>) -> ::core::result::Result<(), __d::CodecError> {
                <#inner as __d::KeyPart>::write_part(&self.0, writer)
            }

            fn parse_part(text: &__d::PartText<'_>) -> ::core::option::Option<Self> {
                <#inner as __d::KeyPart>::parse_part(text).map(Self)
            }

            fn from_plain(text: &str) -> ::core::option::Option<Self> {
                <#inner as __d::KeyPart>::from_plain(text).map(Self)
            }

            fn to_part(&self) -> Self {
                Self(<#inner as __d::KeyPart>::to_part(&self.0))
            }

            fn is_empty_part(&self) -> bool {
                <#inner as __d::KeyPart>::is_empty_part(&self.0)
            }
        },
    }
}

fn key_value(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::KeyValue),
        bound: code!(for<'__x> #inner: __d::KeyValueIn<'__x>),
        body: code! {
            const TYPE: __d::KeyType = <#inner as __d::KeyValue>::TYPE;
            const IS_EXACT: bool = <#inner as __d::KeyValue>::IS_EXACT;
            const RANGES: __d::PartRanges = <#inner as __d::KeyValue>::RANGES;

            fn is_empty_key(&self) -> bool {
                <#inner as __d::KeyValue>::is_empty_key(&self.0)
            }

            fn is_text(&self, text: &str) -> ::core::option::Option<bool> {
                <#inner as __d::KeyValue>::is_text(&self.0, text)
            }

            fn from_plain(text: &str) -> ::core::option::Option<Self> {
                <#inner as __d::KeyValue>::from_plain(text).map(Self)
            }

            fn to_key(&self) -> Self {
                Self(<#inner as __d::KeyValue>::to_key(&self.0))
            }

            fn encode_key(
                &self,
                name: &__d::Name,
                role: __d::Role,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                <#inner as __d::KeyValue>::encode_key(&self.0, name, role, writer)
            }

            fn encode_bound(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                <#inner as __d::KeyValue>::encode_bound(&self.0, writer)
            }

            fn decode_key(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                <#inner as __d::KeyValue>::decode_key(reader).map(Self)
            }
        },
    }
}

/// Lossy formats are not forwarded, because what they make belongs to the inner type.
fn padded(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::Padded),
        bound: code!(for<'__x> #inner: __d::PaddedIn<'__x> + __d::KeyPartIn<'__x>),
        body: TokenStream::new(),
    }
}

/// A newtype has the order of its content.
fn ordered(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::Ordered),
        bound: code!(for<'__x> #inner: __d::OrderedIn<'__x>),
        body: TokenStream::new(),
    }
}

fn numeric(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::Numeric),
        bound: code!(for<'__x> #inner: __d::NumericIn<'__x>),
        body: code! {
            fn zero() -> Self {
                Self(<#inner as __d::Numeric>::zero())
            }

            fn sum_bound(
                &self,
                minus: bool,
                start: &Self,
            ) -> ::core::result::Result<::core::option::Option<__d::SumBound>, __d::CodecError> {
                <#inner as __d::Numeric>::sum_bound(&self.0, minus, &start.0)
            }

            fn half_range() -> ::core::result::Result<::core::option::Option<__d::SumRange>, __d::CodecError> {
                <#inner as __d::Numeric>::half_range()
            }
        },
    }
}

fn textual(inner: &Type) -> Forward {
    Forward {
        name: code!(__d::Textual),
        bound: code!(for<'__x> #inner: __d::TextualIn<'__x>),
        body: code! {
            type Slice = <#inner as __d::Textual>::Slice;

            fn write_slice(slice: &Self::Slice, writer: &mut __d::Writer) {
                <#inner as __d::Textual>::write_slice(slice, writer)
            }
        },
    }
}

/// The content of a newtype is a parameter of the trait, so this impl has generics of its own.
fn contains(value: &Value, inner: &Type) -> TokenStream {
    let ident = &value.ident;
    let params: Vec<_> = value
        .generics
        .type_params()
        .map(|param| &param.ident)
        .collect();
    let (_, types, _) = value.generics.split_for_impl();
    let bounds = bounds(&value.generics, &code!(__d::DynamoValue));
    code! {
        impl<__Part #(, #params)*> __d::Contains<__Part> for #ident #types
        #bounds for<'__x> #inner: __d::ContainsIn<'__x, __Part>
        {
            fn needle(part: __Part) -> ::core::result::Result<__d::Json, __d::CodecError> {
                <#inner as __d::Contains<__Part>>::needle(part)
            }
        }
    }
}
