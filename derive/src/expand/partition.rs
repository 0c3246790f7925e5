//! The partition keys of an entity in a shared table and its indexes, for collections.

use proc_macro2::{Ident, TokenStream};

use super::index::distinct;
use super::query::{PartitionWriter, Pattern};
use super::query_part::kind;
use super::tokens::plain_name;
use crate::model::{Entity, IndexKind, TableRef};

/// The numbers of the parts of the first index begin here, those of the second at twice that.
const PARTS_OF_INDEX: usize = 1_000;

/// Returns the global indexes with partition keys of their own: the first pattern of each, and its place.
fn indexes<'a>(
    entity: &'a Entity,
    key_struct: &'a Ident,
) -> Vec<(usize, &'a Ident, PartitionWriter<'a>)> {
    let distinct: Vec<&Ident> = distinct(entity).map(|index| &index.name).collect();
    let indexes = entity.indexes.iter().enumerate();
    let indexes = indexes
        .filter(|(_, index)| index.kind == IndexKind::Global && distinct.contains(&&index.name));
    indexes
        .map(|(at, index)| {
            let pattern = Pattern::of_index(entity, key_struct, at, index);
            (at, &index.name, pattern.partition_parts())
        })
        .collect()
}

/// The arguments for the parts.
pub(super) fn parts(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let TableRef::Shared(_) = entity.table else {
        return TokenStream::new();
    };
    let ident = &entity.ident;
    let own = Pattern::of_table(entity, key_struct).partition_parts();
    let of_indexes = indexes(entity, key_struct).into_iter();
    let of_indexes = of_indexes.map(|(at, _, parts)| ((at + 1) * PARTS_OF_INDEX, parts));
    let all = [(0, own)].into_iter().chain(of_indexes);
    let parts = all.flat_map(|(first, parts)| {
        let parts = parts.arguments.into_iter().enumerate();
        parts.map(move |(at, part)| (first + at, part))
    });
    let parts = parts.map(|(at, (field, format))| {
        let (ty, kind) = (&field.ty, kind(field, format));
        code! {
            #[doc(hidden)]
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

/// Writes the partition keys from these parts.
pub(super) fn writer(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let TableRef::Shared(_) = entity.table else {
        return TokenStream::new();
    };
    let own = written(&Pattern::of_table(entity, key_struct).partition_parts());
    let of_indexes = indexes(entity, key_struct);
    let in_index = (!of_indexes.is_empty()).then(|| {
        let arms = of_indexes.iter().map(|(_, name, parts)| {
            let (name, written) = (plain_name(name), written(parts));
            code!(#name => { #written })
        });
        code! {
            fn write_index_partition(
                pattern: &str,
                parts: &[&__d::GivenPart],
                shard: __d::Shard,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                match pattern {
                    #(#arms)*
                    _ => ::core::result::Result::Err(__d::wrong_parts()),
                }
            }
        }
    });
    code! {
        #[inline]
        fn write_partition(
            parts: &[&__d::GivenPart],
            shard: __d::Shard,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            #own
        }

        #in_index
    }
}

fn written(parts: &PartitionWriter<'_>) -> TokenStream {
    let values = parts.arguments.iter().map(|(field, _)| &field.ident);
    let writes = &parts.writes;
    code! {
        let &[#(#values),*] = parts else {
            return ::core::result::Result::Err(__d::wrong_parts());
        };
        #(#writes)*
        ::core::result::Result::Ok(())
    }
}
