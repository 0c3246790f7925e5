//! Replaces an expansion if the declaration is wrong: by the mistakes, and by impls without content, so that uses of
//! the type elsewhere do not add messages of their own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::expand;
use crate::parse::hint;

/// The mistakes, followed by the stub.
pub(crate) fn after(
    mistakes: Option<TokenStream>,
    tokens: TokenStream,
    stub: fn(DeriveInput) -> TokenStream,
) -> TokenStream {
    let stub = syn::parse2::<DeriveInput>(tokens).map(stub).ok();
    quote!(#mistakes #stub)
}

/// There is no stub if the type has parameters, because the impl would be another mistake.
pub(crate) fn entity(input: DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let hint = hint::entity(&input);
    let fields = hint::paths(input.data).unwrap_or_default();
    expand::fallback_entity(&input.ident, &input.vis, &hint, &fields)
}

pub(crate) fn collection(input: DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    expand::fallback_collection(&input.ident, &input.vis, &hint::collection(&input))
}

pub(crate) fn table(input: DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    expand::fallback_table(&input.ident, &input.vis, &hint::table(&input))
}

/// Creates nothing: a projection is named where its rows are used, and only that is reported.
pub(crate) fn projection(_: DeriveInput) -> TokenStream {
    TokenStream::new()
}

pub(crate) fn value(input: DeriveInput) -> TokenStream {
    let hint = hint::value(&input);
    // A path has only type parameters; others are reported as mistakes.
    let fields = match input.generics.params.len() == input.generics.type_params().count() {
        true => hint::paths(input.data),
        false => None,
    };
    expand::fallback_value(
        &input.vis,
        &input.ident,
        &input.generics,
        &hint,
        fields.as_deref(),
    )
}
