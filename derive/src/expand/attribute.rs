//! Decides the names and limits of key attributes, and which of them are fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::{Ident, Path};

use super::tokens::{of, respanned};
use crate::model::{Entity, Index, KeySource, TableRef};

/// Names a key attribute of an entity's own table: by its field, or by its position if it has a template.
pub(super) fn own_name(entity: &Entity, source: &KeySource, derived: &str) -> String {
    match source {
        KeySource::Field { field, .. } => entity.fields[*field].stored.clone(),
        KeySource::Template(_) | KeySource::Number { .. } => derived.to_owned(),
    }
}

/// Names the sort key of an own table. The name is empty if the table has none.
pub(super) fn own_sk(entity: &Entity) -> String {
    entity
        .sk
        .as_ref()
        .map(|sk| own_name(entity, sk, "sk"))
        .unwrap_or_default()
}

/// Names the constant by which a shared table declares an index. It is placed where the user named the index, so that
/// the compiler reports a missing index there.
pub(super) fn declared(path: &Path, index: &Index) -> TokenStream {
    declared_as(path, &index.on)
}

/// Names that constant by the name of the index.
pub(super) fn declared_as(path: &Path, on: &Ident) -> TokenStream {
    let table = respanned(path, on.span());
    quote_spanned!(on.span()=> <#table>::#on)
}

/// Returns the name of an index key's attribute as an expression, since only a shared table knows its own names.
pub(super) fn index_attribute(
    entity: &Entity,
    index: &Index,
    role: &str,
    at: usize,
) -> TokenStream {
    match &entity.table {
        TableRef::Shared(path) => {
            let (declared, role) = (declared(path, index), format_ident!("{role}"));
            code!(__d::nth(#declared.#role, #at))
        }
        TableRef::Own(_) => {
            let sources = if role == "pk" { &index.pk } else { &index.sk };
            let name = own_name(entity, &sources[at], &format!("{}_{role}", index.stored));
            code!(#name)
        }
    }
}

/// Returns the role of the table's partition key, which determines its maximum size.
pub(super) fn pk_role(entity: &Entity) -> TokenStream {
    partition_role(entity, &own_name(entity, &entity.pk, "pk"), &code!(__PK))
}

/// Returns the role of a partition key of an index.
pub(super) fn index_pk_role(entity: &Entity, index: &Index, at: usize) -> TokenStream {
    let own = own_name(entity, &index.pk[at], &format!("{}_pk", index.stored));
    partition_role(entity, &own, &index_attribute(entity, index, "pk", at))
}

/// An attribute that is also a sort key, of the table or of an index, has the limit of a sort key. For an own table
/// this is known here; for a shared one the compiler finds it out.
fn partition_role(entity: &Entity, own: &str, attribute: &TokenStream) -> TokenStream {
    match &entity.table {
        TableRef::Own(_) if is_sort_key(entity, own) => code!(__d::Role::Sort),
        TableRef::Own(_) => code!(__d::Role::Partition),
        TableRef::Shared(path) => {
            let table = of(path, &code!(DynamoTable), "TABLE");
            code!(const { __d::Role::of_partition(#attribute, &#table) })
        }
    }
}

/// Tells whether an attribute of an own table is a sort key of it or of an index.
fn is_sort_key(entity: &Entity, name: &str) -> bool {
    let sorts = entity.indexes.iter().flat_map(|index| {
        let keys = index.sk.iter();
        keys.map(|key| own_name(entity, key, &format!("{}_sk", index.stored)))
    });
    sorts.chain([own_sk(entity)]).any(|sort| sort == name)
}

/// The use of a bare field as a key attribute: of the table, where it always exists, or of an index. The role
/// determines its maximum size.
pub(super) enum KeyUse {
    Primary(TokenStream),
    Index(TokenStream),
}

/// Tells whether a field is a key attribute itself. The table comes before any index, since its limit is the least.
pub(super) fn key_use(entity: &Entity, at: usize) -> Option<KeyUse> {
    let is_bare = |source: &KeySource| source.is_bare(at);
    let sort = || code!(__d::Role::Sort);
    // A field may be a key of the table and of an index. The table comes first: there the attribute
    // always exists.
    if is_bare(&entity.pk) {
        return Some(KeyUse::Primary(pk_role(entity)));
    }
    if entity.sk.as_ref().is_some_and(is_bare) {
        return Some(KeyUse::Primary(sort()));
    }
    let indexes = || entity.indexes.iter();
    if indexes().any(|index| index.sk.iter().any(is_bare)) {
        return Some(KeyUse::Index(sort()));
    }
    indexes()
        .find_map(|index| {
            let part = index.pk.iter().position(is_bare)?;
            Some(KeyUse::Index(index_pk_role(entity, index, part)))
        })
        .or_else(|| {
            let mut partitions = entity.vectors.iter().filter_map(|index| index.within);
            let is_partition = partitions.any(|used| used.at == at);
            is_partition.then(|| KeyUse::Index(code!(__d::Role::Partition)))
        })
}
