//! What stands in for an expansion when the declaration is wrong: the mistakes, and an impl without
//! content, so that uses of the type elsewhere do not add messages of their own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::{expand, parse};

/// The mistakes, followed by the stub.
pub(crate) fn after(
    mistakes: Option<TokenStream>,
    tokens: TokenStream,
    stub: fn(&DeriveInput) -> TokenStream,
) -> TokenStream {
    let stub = syn::parse2::<DeriveInput>(tokens)
        .map(|input| stub(&input))
        .ok();
    quote!(#mistakes #stub)
}

/// No stub where the type has parameters: the impl would be one more mistake.
pub(crate) fn entity(input: &DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    expand::fallback_entity(&parse::krate(&input.attrs), &input.ident)
}

pub(crate) fn table(input: &DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    expand::fallback_table(&parse::krate(&input.attrs), &input.ident)
}

pub(crate) fn value(input: &DeriveInput) -> TokenStream {
    expand::fallback_value(&parse::krate(&input.attrs), &input.ident, &input.generics)
}
