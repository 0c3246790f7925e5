//! `#[dynamo(repository)]`: a name for `Repository<Order>`, or for `AppendOnlyRepository<Order>`.

use proc_macro2::{Span, TokenStream};
use syn::{Ident, Path, Visibility};

/// Creates a trait in the user's module, therefore it cannot be in the hidden constant.
pub(super) fn alias(
    krate: &Path,
    vis: &Visibility,
    ident: &Ident,
    name: &Ident,
    append_only: bool,
) -> TokenStream {
    let whole = match append_only {
        true => Ident::new("AppendOnlyRepository", Span::call_site()),
        false => Ident::new("Repository", Span::call_site()),
    };
    let doc = format!(
        "The store of `{ident}`, as services need it: `{whole}<{ident}>` under a name of its own."
    );
    code! {
        #[doc = #doc]
        #vis trait #name: #krate::#whole<#ident> {}

        impl<__This: #krate::#whole<#ident> + ?::core::marker::Sized> #name for __This {}
    }
}
