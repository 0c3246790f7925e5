//! Turns a model into code.
//!
//! Expansions hold what only the declaration knows: names, templates, the list of fields. Everything
//! else is a call into the library's hidden module, which each expansion names as `__d`.

/// `quote!` with local variables of its own: they cannot meet names of the user's, neither in an
/// expression that stands in an attribute nor where the item comes out of another macro.
macro_rules! code {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}

mod checks;
mod codec;
mod collection;
mod definition;
mod entity;
mod fallback;
mod key;
mod partition;
mod path;
mod projection;
mod query;
mod repository;
mod stored;
mod table;
mod unique;
mod upkeep;
mod value;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Ident, LitStr, Path};

pub(crate) use collection::expand as collection;
pub(crate) use entity::expand as entity;
pub(crate) use fallback::{
    collection as fallback_collection, entity as fallback_entity, table as fallback_table,
    value as fallback_value,
};
pub(crate) use projection::expand as projection;
pub(crate) use table::expand as table;
pub(crate) use value::expand as value;

use crate::model::{StreamView, Style};

/// Everything an expansion defines stands in a constant without a name, so that nothing of it can
/// collide with the user's names.
fn hidden(krate: &Path, body: &TokenStream) -> TokenStream {
    code! {
        #[allow(
            non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code, deprecated, missing_docs,
            missing_debug_implementations, missing_copy_implementations, private_bounds, private_interfaces,
            unreachable_pub, unused_assignments, unused_lifetimes, unused_mut, unused_qualifications,
            unused_results, unused_variables, clippy::all, clippy::cargo, clippy::nursery,
            clippy::pedantic, clippy::restriction
        )]
        const _: () = {
            use #krate::__private as __d;
            #body
        };
    }
}

/// `<Type as Trait>::item`, placed where the type was written.
///
/// Every question about the type of a field is asked in this form. If the type lacks the trait the
/// compiler then gives the same answer to each of them, and shows equal answers once.
fn of(ty: &impl ToTokens, contract: &TokenStream, item: &str) -> TokenStream {
    let (first, last) = ends(ty);
    let item = Ident::new(item, last);
    let open = quote_spanned!(first=> <);
    let close = quote_spanned!(last=> as __d::#contract>::#item);
    code!(#open #ty #close)
}

/// A call of that function. What it returns may depend on the trait too, so the call as a whole stands
/// where the type does.
fn call(ty: &impl ToTokens, contract: &TokenStream, item: &str, args: TokenStream) -> TokenStream {
    let function = of(ty, contract, item);
    let mut args = Group::new(Delimiter::Parenthesis, args);
    args.set_span(ends(ty).1);
    code!(#function #args)
}

/// Where the first and the last token of a type stand.
fn ends(ty: &impl ToTokens) -> (Span, Span) {
    let mut tokens = ty.to_token_stream().into_iter();
    let first = tokens.next();
    let last = tokens.last().or_else(|| first.clone());
    let open = first.map(|token| match token {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    });
    let close = last.map(|token| match token {
        TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    });
    let here = Span::mixed_site();
    (open.unwrap_or(here), close.unwrap_or(here))
}

/// The tokens, at another place.
fn respanned(tokens: &impl ToTokens, span: Span) -> TokenStream {
    let moved = tokens.to_token_stream().into_iter().map(|token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                let inner = respanned(&group.stream(), span);
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            other => other,
        };
        token.set_span(token.span().located_at(span));
        token
    });
    moved.collect()
}

/// A local variable.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
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
    code!(__d::Name::new(#stored, #json))
}

fn style(style: Style) -> TokenStream {
    match style {
        Style::Escaped => code!(__d::Style::Escaped),
        Style::Verbatim { delimiter } => code!(__d::Style::Verbatim(#delimiter)),
    }
}

fn stream(view: Option<StreamView>) -> TokenStream {
    let Some(view) = view else {
        return code!(::core::option::Option::None);
    };
    let view = match view {
        StreamView::KeysOnly => code!(KeysOnly),
        StreamView::NewImage => code!(NewImage),
        StreamView::OldImage => code!(OldImage),
        StreamView::NewAndOldImages => code!(NewAndOldImages),
    };
    code!(::core::option::Option::Some(__d::StreamView::#view))
}

fn option_str(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => code!(::core::option::Option::Some(#text)),
        None => code!(::core::option::Option::None),
    }
}

/// A condition that the compiler checks, with what to do if it does not hold.
fn check(span: Span, condition: &TokenStream, message: &str) -> TokenStream {
    let assertion = assertion(span, condition, message);
    code!(const _: () = #assertion)
}

/// The same within a constant.
fn assertion(span: Span, condition: &TokenStream, message: &str) -> TokenStream {
    // The message is a format string to `assert!`.
    let message = LitStr::new(&message.replace('{', "{{").replace('}', "}}"), span);
    quote_spanned!(span=> ::core::assert!(#condition, #message);)
}
