//! Turns a model into code.
//!
//! Expansions hold what only the declaration knows: names, templates, the list of fields. Everything
//! else is a call into the library's hidden module, which each expansion names as `__d`.

mod checks;
mod codec;
mod definition;
mod entity;
mod key;
mod table;
mod value;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Generics, Ident, LitStr, Path};

pub(crate) use entity::expand as entity;
pub(crate) use table::expand as table;
pub(crate) use value::expand as value;

use crate::model::{StreamView, Style};

/// Everything an expansion defines stands in a constant without a name, so that nothing of it can
/// collide with the user's names.
fn hidden(krate: &Path, body: &TokenStream) -> TokenStream {
    quote! {
        #[allow(
            non_upper_case_globals, non_snake_case, missing_docs, unused_variables, unused_mut,
            unused_assignments, unused_qualifications, unreachable_pub, private_interfaces,
            dead_code, clippy::all, clippy::pedantic, clippy::restriction
        )]
        const _: () = {
            use #krate::__private as __d;
            #body
        };
    }
}

/// `"name":`, with JSON's escapes.
fn json_key(name: &str) -> String {
    let mut json = String::from("\"");
    for char in name.chars() {
        match char {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push_str("\":");
    json
}

/// A name that is written.
fn name(stored: &str) -> TokenStream {
    let json = json_key(stored);
    quote!(__d::Name::new(#stored, #json))
}

fn style(style: Style) -> TokenStream {
    match style {
        Style::Escaped => quote!(__d::Style::Escaped),
        Style::Verbatim { delimiter } => quote!(__d::Style::Verbatim(#delimiter)),
    }
}

fn stream(view: Option<StreamView>) -> TokenStream {
    let Some(view) = view else {
        return quote!(::core::option::Option::None);
    };
    let view = match view {
        StreamView::KeysOnly => quote!(KeysOnly),
        StreamView::NewImage => quote!(NewImage),
        StreamView::OldImage => quote!(OldImage),
        StreamView::NewAndOldImages => quote!(NewAndOldImages),
    };
    quote!(::core::option::Option::Some(__d::StreamView::#view))
}

fn option_str(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

/// A variable of ours at a place of the user's. Messages point there, but the name is ours: a struct
/// that a `macro_rules!` writes has tokens whose span would not see it.
fn local(name: &str, span: proc_macro2::Span) -> Ident {
    Ident::new(name, proc_macro2::Span::call_site().located_at(span))
}

/// A condition that the compiler checks, with what to do if it does not hold.
fn check(span: proc_macro2::Span, condition: &TokenStream, message: &str) -> TokenStream {
    // The message is a format string to `assert!`.
    let message = LitStr::new(&message.replace('{', "{{").replace('}', "}}"), span);
    quote_spanned! {span=> const _: () = ::core::assert!(#condition, #message); }
}

pub(crate) fn fallback_entity(krate: &Path, ident: &Ident) -> TokenStream {
    let body = quote! {
        impl __d::DynamoTable for #ident {
            const TABLE: __d::TableDef = __d::FALLBACK_TABLE;
            const ENTITIES: &'static [&'static __d::EntityDef] = &[];
        }

        impl __d::DynamoEntity for #ident {
            type Table = Self;
            type KeyParts = __d::Fallback<Self>;
            type Guard = __d::Unconditional;
            const ENTITY: __d::EntityDef = __d::FALLBACK_ENTITY;

            fn key_parts(&self) -> __d::Fallback<Self> {
                __d::Fallback::parts()
            }

            fn encode(&self, _: &__d::Stamp, _: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                __d::fallback()
            }

            fn decode(_: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                __d::fallback()
            }
        }
    };
    hidden(krate, &body)
}

pub(crate) fn fallback_table(krate: &Path, ident: &Ident) -> TokenStream {
    let body = quote! {
        impl __d::DynamoTable for #ident {
            const TABLE: __d::TableDef = __d::FALLBACK_TABLE;
            const ENTITIES: &'static [&'static __d::EntityDef] = &[];
        }
    };
    hidden(krate, &body)
}

pub(crate) fn fallback_value(krate: &Path, ident: &Ident, generics: &Generics) -> TokenStream {
    let (with, types, bounds) = generics.split_for_impl();
    let body = quote! {
        impl #with __d::DynamoValue for #ident #types #bounds {
            fn encode(&self, _: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                __d::fallback()
            }

            fn decode(_: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
                __d::fallback()
            }
        }
    };
    hidden(krate, &body)
}
