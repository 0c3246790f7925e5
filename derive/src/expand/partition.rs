//! The partition key of an entity in a shared table, as collections ask for it.

use proc_macro2::{Ident, TokenStream};

use super::query::{Pattern, kind};
use crate::model::{Entity, TableRef};

/// What may be given for the parts.
pub(super) fn parts(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let TableRef::Shared(_) = entity.table else {
        return TokenStream::new();
    };
    let ident = &entity.ident;
    let parts = Pattern::of_table(entity, key_struct).partition_parts();
    let parts = parts.arguments.into_iter().enumerate();
    let parts = parts.map(|(at, (field, format))| {
        let (ty, kind) = (&field.ty, kind(field, format));
        code! {
            impl<__A: __d::KeyArg<#ty, __N, #kind>, __N> __d::PartitionArg<#at, __A, __N> for #ident {
                #[inline]
                fn values(given: __A) -> __d::Vec<__d::GivenPart> {
                    __d::KeyArg::values(given)
                }
            }
        }
    });
    code!(#(#parts)*)
}

/// Writes the partition key from these parts.
pub(super) fn writer(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let TableRef::Shared(_) = entity.table else {
        return TokenStream::new();
    };
    let parts = Pattern::of_table(entity, key_struct).partition_parts();
    let values = parts.arguments.iter().map(|(field, _)| &field.ident);
    let writes = &parts.writes;
    code! {
        #[inline]
        fn write_partition(
            parts: &[&__d::GivenPart],
            shard: __d::Shard,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            let &[#(#values),*] = parts else {
                return ::core::result::Result::Err(__d::wrong_parts());
            };
            #(#writes)*
            ::core::result::Result::Ok(())
        }
    }
}
