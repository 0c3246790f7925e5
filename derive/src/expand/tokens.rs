//! The basis of all expansions: tokens with a span, names, and conditions for the compiler.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Generics, LitStr, Path};

/// `quote!` with local variables of its own: they cannot collide with the user's names, neither in an expression in
/// an attribute nor if another macro creates the item.
macro_rules! code {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}

/// Every definition of an expansion is in a constant without a name, so that nothing of it can collide with the
/// user's names.
pub(super) fn hidden(krate: &Path, body: &TokenStream) -> TokenStream {
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

/// Declares that all entities of a table or a collection may be changed, if each of them may. The lifetime is needed
/// because the compiler rejects a condition that obviously does not hold.
pub(super) fn all_changeable(
    ident: &Ident,
    entities: &[impl ToTokens],
    others: Option<TokenStream>,
) -> TokenStream {
    let others = others.into_iter();
    code! {
        #[doc(hidden)]
        impl __d::AllChangeable for #ident
        where
            #(for<'__x> #entities: __d::ChangeableIn<'__x>,)*
            #(#others,)*
        {}
    }
}

/// Items that programs name are defined beside their own item, with the whole path of the library, which `write`
/// gets.
pub(super) fn beside(krate: &Path, write: impl FnOnce(&TokenStream) -> TokenStream) -> TokenStream {
    let item = write(&code!(#krate::__private));
    code! {
        #[allow(
            dead_code, deprecated, unreachable_pub, unused_qualifications, clippy::all, clippy::pedantic,
            clippy::restriction
        )]
        #item
    }
}

/// `<Type as Trait>::item`, placed where the type was written.
///
/// Every bound on the type of a field has this form. If the type lacks the trait, the compiler gives the same message
/// for each of them, and shows equal messages once.
pub(super) fn of(ty: &impl ToTokens, contract: &TokenStream, item: &str) -> TokenStream {
    let (first, last) = ends(ty);
    let item = Ident::new(item, last);
    let open = quote_spanned!(first=> <);
    let close = quote_spanned!(last=> as __d::#contract>::#item);
    code!(#open #ty #close)
}

/// `Alias<Type>`, placed where the type was written. In signatures, an alias of the library is easier to read than the
/// associated type that it names.
pub(super) fn aliased(alias: &str, ty: &impl ToTokens) -> TokenStream {
    let (first, last) = ends(ty);
    let alias = Ident::new(alias, first);
    let open = quote_spanned!(first=> __d::#alias<);
    let close = quote_spanned!(last=> >);
    code!(#open #ty #close)
}

/// Calls the function that `of` names. Its result may depend on the trait too, so the whole call is placed where the
/// type is.
pub(super) fn call(
    ty: &impl ToTokens,
    contract: &TokenStream,
    item: &str,
    args: TokenStream,
) -> TokenStream {
    let function = of(ty, contract, item);
    let mut args = Group::new(Delimiter::Parenthesis, args);
    args.set_span(ends(ty).1);
    code!(#function #args)
}

/// Returns the first and the last token of a type, because a message underlines everything between them.
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

/// Moves tokens to another place, so that the compiler reports mistakes in them there.
pub(super) fn respanned(tokens: &impl ToTokens, span: Span) -> TokenStream {
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

/// Names a local variable, which cannot collide with one of the user's.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Returns a name without `r#`, which is only part of the syntax of Rust.
pub(super) fn plain_name(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// Returns tokens as messages show them: with a space only between two adjacent words, as users write types.
pub(super) fn shown(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    show(tokens.to_token_stream(), &mut text, &mut false);
    text
}

fn show(tokens: TokenStream, text: &mut String, after_word: &mut bool) {
    for token in tokens {
        let is_word = matches!(token, TokenTree::Ident(_) | TokenTree::Literal(_));
        if is_word && *after_word {
            text.push(' ');
        }
        *after_word = is_word;
        let TokenTree::Group(group) = token else {
            text.push_str(&token.to_string());
            continue;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        text.push_str(open);
        *after_word = false;
        show(group.stream(), text, after_word);
        text.push_str(close);
        *after_word &= close.is_empty();
    }
}

/// Describes the arguments that are accepted for a value of this type.
pub(super) fn described(ty: &impl ToTokens) -> String {
    let ty = shown(ty);
    match ty.as_str() {
        "String" => "a `&str`, a `String` or a `&String`".to_owned(),
        _ => format!("a `{ty}` or a reference to one"),
    }
}

/// Links to an item of the library in rustdoc, by the path that the user's crate has for it.
pub(super) fn linked(krate: &Path, text: &str, item: &str) -> String {
    let krate = shown(krate);
    let krate = krate.trim_start_matches("::");
    format!("[{text}]({krate}::{item})")
}

/// Links to methods of a type or a trait of the library.
pub(super) fn methods(krate: &Path, owner: &str, names: &[&str]) -> String {
    listed(
        (names.iter()).map(|name| linked(krate, &format!("`{name}`"), &format!("{owner}::{name}"))),
    )
}

/// Joins names in a sentence.
pub(super) fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Writes `"name":` with JSON's escapes here, so that no write of an item needs to look for them.
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

/// Creates the constant of a stored name.
pub(super) fn name(stored: &str) -> TokenStream {
    let json = json_key(stored);
    code!(__d::Name::new(#stored, #json))
}

/// Creates a constant `Option`, with its full path because the user may have another `Option`.
pub(super) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => code!(::core::option::Option::Some(#value)),
        None => code!(::core::option::Option::None),
    }
}

/// Joins the type's own bounds and one for each of its parameters.
pub(super) fn bounds(generics: &Generics, bound: &TokenStream) -> TokenStream {
    let own = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    let added = generics.type_params().map(|param| {
        let ident = &param.ident;
        code!(#ident: #bound)
    });
    code!(where #(#own,)* #(#added,)*)
}

/// Lets the compiler check a condition. The message tells how to repair the declaration.
pub(super) fn check(span: Span, condition: &TokenStream, message: &str) -> TokenStream {
    let assertion = assertion(span, condition, message);
    code!(const _: () = #assertion)
}

/// Makes such a condition for use within a constant, where several of them cost less.
pub(super) fn assertion(span: Span, condition: &TokenStream, message: &str) -> TokenStream {
    // The message is a format string for `assert!`.
    let message = LitStr::new(&message.replace('{', "{{").replace('}', "}}"), span);
    quote_spanned!(span=> ::core::assert!(#condition, #message);)
}
