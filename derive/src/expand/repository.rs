//! `#[dynamo(repository)]`: a name for `Repository<Order>`.

use proc_macro2::TokenStream;
use syn::{Ident, Path, Visibility};

/// Makes a trait in the user's module, which is why it cannot stand in the hidden constant.
pub(super) fn alias(krate: &Path, vis: &Visibility, ident: &Ident, name: &Ident) -> TokenStream {
    let doc = format!(
        "The store of `{ident}`, as services need it: `Repository<{ident}>` by a name of its own."
    );
    code! {
        #[doc = #doc]
        #vis trait #name: #krate::Repository<#ident> {}

        impl<__This: #krate::Repository<#ident> + ?::core::marker::Sized> #name for __This {}
    }
}
