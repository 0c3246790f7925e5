//! A newtype is stored as its inner type, and can be used wherever the inner type can.

use proc_macro2::TokenStream;
use syn::{Type, parse_quote};

use super::implement::{implement_with, own_path};
use crate::expand::tokens::{bounds, local, of};
use crate::model::Value;

/// The content of a newtype.
struct Content<'a> {
    ty: &'a Type,
    /// References to the content of `self` and of `start`.
    held: TokenStream,
    start: TokenStream,
    /// The function that makes the newtype of its content.
    make: TokenStream,
}

impl<'a> Content<'a> {
    fn of_newtype(ty: &'a Type) -> Self {
        Content {
            ty,
            held: code!(&self.0),
            start: code!(&start.0),
            make: code!(Self),
        }
    }

    /// The content of a value with mistakes, which never exists.
    fn of_stub(ty: &'a Type) -> Self {
        Content {
            ty,
            held: code!(__d::fallback_content(self)),
            start: code!(__d::fallback_content(start)),
            make: code!(__d::fallback_value),
        }
    }
}

pub(super) fn expand(value: &Value, inner: &Type) -> TokenStream {
    let content = Content::of_newtype(inner);
    let own = own(value, &content, &own_path());
    let forwarded = [
        set_element,
        map_key,
        key_part,
        key_value,
        padded,
        fixed_decimals,
        ordered,
        numeric,
        textual,
    ];
    let forwarded = forwarded.map(|forward| forward(value, &content));
    let contains = contains(value, inner);
    code!(#own #(#forwarded)* #contains)
}

/// Makes a value with mistakes usable anywhere: a text, a number, and a part of a key that needs no delimiter.
pub(super) fn stub(value: &Value, path: &TokenStream) -> TokenStream {
    let (text, number) = (parse_quote!(::std::string::String), parse_quote!(u64));
    let (part, fraction) = (parse_quote!(__d::YearMonth), parse_quote!(f64));
    let (text, number) = (Content::of_stub(&text), Content::of_stub(&number));
    let own = own(value, &text, path);
    let (part, fraction) = (Content::of_stub(&part), Content::of_stub(&fraction));
    let forwarded = [
        set_element(value, &text),
        map_key(value, &text),
        key_part(value, &part),
        key_value(value, &text),
        padded(value, &number),
        fixed_decimals(value, &fraction),
        numeric(value, &number),
        textual(value, &text),
    ];
    code!(#own #(#forwarded)*)
}

fn own(value: &Value, content: &Content<'_>, path: &TokenStream) -> TokenStream {
    let Content { ty, held, make, .. } = content;
    let [encode, decode, copy, stored] =
        ["encode", "decode", "as_stored", "STORED"].map(|item| of(ty, &code!(DynamoValue), item));
    implement_with(
        value,
        path,
        &code! {
            const STORED: ::core::option::Option<__d::Tag> = #stored;

            fn encode(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                #encode(#held, writer)
            }

            fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                #decode(reader).map(#make)
            }

            fn as_stored(&self) -> ::core::option::Option<Self> {
                #copy(#held).map(#make)
            }
        },
    )
}

/// Implements a trait that the newtype has if its content has it, and the other traits. The bounds are checked only on
/// use.
fn forward(
    value: &Value,
    content: &Content<'_>,
    traits: &[&str],
    body: TokenStream,
) -> TokenStream {
    let (ident, ty) = (&value.ident, content.ty);
    let name = traits.first().map(|name| local(name));
    let deferred = traits.iter().map(|name| local(&format!("{name}In")));
    let (with, types, _) = value.generics.split_for_impl();
    let bounds = bounds(&value.generics, &code!(__d::DynamoValue));
    code! {
        impl #with __d::#name for #ident #types
        #bounds for<'__x> #ty: #(__d::#deferred<'__x>)+*,
        {
            #body
        }
    }
}

fn set_element(value: &Value, content: &Content<'_>) -> TokenStream {
    let Content { ty, held, make, .. } = content;
    let body = code! {
        const TAG: __d::Tag = <#ty as __d::SetElement>::TAG;
        const ELEMENT: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

        fn write_element(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
            <#ty as __d::SetElement>::write_element(#held, writer)
        }

        fn read_element(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
            <#ty as __d::SetElement>::read_element(reader).map(#make)
        }

        fn element_as_stored(&self) -> ::core::option::Option<Self> {
            <#ty as __d::SetElement>::element_as_stored(#held).map(#make)
        }
    };
    forward(value, content, &["SetElement"], body)
}

fn map_key(value: &Value, content: &Content<'_>) -> TokenStream {
    let Content { ty, held, make, .. } = content;
    let body = code! {
        const KEY: __d::TypeOf = <Self as __d::DynamoValue>::TYPE;

        fn to_map_key(&self) -> __d::Cow<'_, str> {
            <#ty as __d::MapKey>::to_map_key(#held)
        }

        fn from_map_key(text: &str) -> ::core::option::Option<Self> {
            <#ty as __d::MapKey>::from_map_key(text).map(#make)
        }
    };
    forward(value, content, &["MapKey"], body)
}

fn key_part(value: &Value, content: &Content<'_>) -> TokenStream {
    let Content { ty, held, make, .. } = content;
    let body = code! {
        const WIDTH: __d::Width = <#ty as __d::KeyPart>::WIDTH;
        const MAY_BE_EMPTY: bool = <#ty as __d::KeyPart>::MAY_BE_EMPTY;
        const IS_EXACT: bool = <#ty as __d::KeyPart>::IS_EXACT;
        const HOLDS: &'static str = <#ty as __d::KeyPart>::HOLDS;
        const RANGES: __d::PartRanges = <#ty as __d::KeyPart>::RANGES;

        fn write_part(&self, writer: &mut __d::PartWriter<'_>) -> ::core::result::Result<(), __d::CodecError> {
            <#ty as __d::KeyPart>::write_part(#held, writer)
        }

        fn parse_part(text: &__d::PartText<'_>) -> ::core::option::Option<Self> {
            <#ty as __d::KeyPart>::parse_part(text).map(#make)
        }

        fn from_plain(text: &str) -> ::core::option::Option<Self> {
            <#ty as __d::KeyPart>::from_plain(text).map(#make)
        }

        fn to_part(&self) -> Self {
            #make(<#ty as __d::KeyPart>::to_part(#held))
        }

        fn is_empty_part(&self) -> bool {
            <#ty as __d::KeyPart>::is_empty_part(#held)
        }
    };
    forward(value, content, &["KeyPart"], body)
}

fn key_value(value: &Value, content: &Content<'_>) -> TokenStream {
    let Content { ty, held, make, .. } = content;
    let body = code! {
        const TYPE: __d::KeyType = <#ty as __d::KeyValue>::TYPE;
        const IS_EXACT: bool = <#ty as __d::KeyValue>::IS_EXACT;
        const RANGES: __d::PartRanges = <#ty as __d::KeyValue>::RANGES;

        fn is_empty_key(&self) -> bool {
            <#ty as __d::KeyValue>::is_empty_key(#held)
        }

        fn is_text(&self, text: &str) -> ::core::option::Option<bool> {
            <#ty as __d::KeyValue>::is_text(#held, text)
        }

        fn from_plain(text: &str) -> ::core::option::Option<Self> {
            <#ty as __d::KeyValue>::from_plain(text).map(#make)
        }

        fn to_key(&self) -> Self {
            #make(<#ty as __d::KeyValue>::to_key(#held))
        }

        fn encode_key(
            &self,
            name: &__d::Name,
            role: __d::Role,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            <#ty as __d::KeyValue>::encode_key(#held, name, role, writer)
        }

        fn encode_bound(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
            <#ty as __d::KeyValue>::encode_bound(#held, writer)
        }

        fn decode_key(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
            <#ty as __d::KeyValue>::decode_key(reader).map(#make)
        }
    };
    forward(value, content, &["KeyValue"], body)
}

/// Lossy formats are not forwarded, because their result belongs to the inner type.
fn padded(value: &Value, content: &Content<'_>) -> TokenStream {
    forward(value, content, &["Padded", "KeyPart"], TokenStream::new())
}

fn fixed_decimals(value: &Value, content: &Content<'_>) -> TokenStream {
    forward(
        value,
        content,
        &["FixedDecimals", "KeyPart"],
        TokenStream::new(),
    )
}

/// A newtype has the order of its content.
fn ordered(value: &Value, content: &Content<'_>) -> TokenStream {
    forward(value, content, &["Ordered"], TokenStream::new())
}

fn numeric(value: &Value, content: &Content<'_>) -> TokenStream {
    let Content {
        ty,
        held,
        start,
        make,
    } = content;
    let body = code! {
        fn zero() -> Self {
            #make(<#ty as __d::Numeric>::zero())
        }

        fn sum_bound(
            &self,
            minus: bool,
            start: &Self,
        ) -> ::core::result::Result<::core::option::Option<__d::SumBound>, __d::CodecError> {
            <#ty as __d::Numeric>::sum_bound(#held, minus, #start)
        }

        fn half_range() -> ::core::result::Result<::core::option::Option<__d::SumRange>, __d::CodecError> {
            <#ty as __d::Numeric>::half_range()
        }
    };
    forward(value, content, &["Numeric"], body)
}

fn textual(value: &Value, content: &Content<'_>) -> TokenStream {
    let ty = content.ty;
    let body = code! {
        type Slice = <#ty as __d::Textual>::Slice;

        fn write_slice(slice: &Self::Slice, writer: &mut __d::Writer) {
            <#ty as __d::Textual>::write_slice(slice, writer)
        }
    };
    forward(value, content, &["Textual"], body)
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
        impl<__R, __Part #(, #params)*> __d::Contains<__R, __Part> for #ident #types
        #bounds for<'__x> #inner: __d::ContainsIn<'__x, __R, __Part>
        {
            fn needle(part: __Part) -> ::core::result::Result<__d::Needle, __d::CodecError> {
                <#inner as __d::Contains<__R, __Part>>::needle(part)
            }
        }
    }
}
