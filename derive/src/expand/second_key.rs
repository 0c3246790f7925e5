//! The declaration of the same items under another primary key, and the checks between both.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;

use super::library::variant;
use super::tokens::{check, of, option, shown};
use crate::model::{Entity, FieldRole, SecondKeyUse};

/// The definition of the other declaration.
pub(super) fn definition(entity: &Entity) -> TokenStream {
    option(entity.second_key.as_ref().map(|second| {
        let (usage, other) = (variant("SecondKeyUse", second.usage), &second.entity);
        let other = of(other, &code!(EntityContract), "ENTITY");
        code!(__d::SecondKeyDef { usage: #usage, other: &#other })
    }))
}

/// The functions from one declaration to the other.
pub(super) fn functions(entity: &Entity) -> Option<TokenStream> {
    let second = entity.second_key.as_ref()?;
    let other = &second.entity;
    // The message about a missing `From` is at the other declaration.
    let of = quote_spanned!(other.span()=> __d::second_key_of::<Self, #other>());
    Some(code! {
        const SECOND_KEY: ::core::option::Option<__d::SecondKey> = ::core::option::Option::Some(#of);
    })
}

/// Compares the two declarations.
pub(super) fn checks(entity: &Entity, def: &TokenStream) -> Vec<TokenStream> {
    let Some(second) = &entity.second_key else {
        return Vec::new();
    };
    let (ident, path, word) = (&entity.ident, &second.entity, &second.word);
    let (name, span) = (shown(path), path.span());
    let other = of(path, &code!(EntityContract), "ENTITY");
    let same_table = code! {
        __d::same_text(
            <#ident as __d::DynamoEntity>::__TABLE_NAME,
            <#path as __d::DynamoEntity>::__TABLE_NAME,
        )
    };
    let mut rules = vec![
        (
            same_table,
            format!(
                "`{ident}` and `{name}` are stored in different tables, and `{word}` moves items within one: copy them to the other table by a job"
            ),
        ),
        (
            code!(!__d::is_identified_by_key(&<<#ident as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE)),
            format!(
                "`{word}` stores items under two keys, and the table of `{ident}` identifies its rows by their keys: remove `identify_by = key` until the items have moved, or copy them to another table"
            ),
        ),
        (
            code!(!__d::is_identified_by_type(&<<#ident as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE)),
            format!(
                "`{word}` stores items under two keys, and in the table of `{ident}` another entity may have either: remove `identify_by = type` until the items have moved, or copy them to another table"
            ),
        ),
        (
            code!(!__d::has_second_key(&#other)),
            format!(
                "`{name}` names another key itself; in one program, only the declaration that is read has `next_key` or `was_key`"
            ),
        ),
        (
            code!(__d::has_one_move(&#def, &#other, <<#ident as __d::DynamoEntity>::Table as __d::DynamoTable>::ENTITIES)),
            format!(
                "another entity names `{name}` too, and its rows would be those of items of both: give each entity a declaration of its own"
            ),
        ),
        (
            code!(__d::is_movable(&#def) && __d::is_movable(&#other)),
            format!(
                "`{ident}` and `{name}` store the same items under two keys, which is not supported together with `unique`, `shape`, `was` of a field, or a derived `ttl`: complete that change before, or remove it until the items have moved"
            ),
        ),
        (
            code!(__d::same_managed(&#def, &#other) && #def.append_only == #other.append_only),
            format!(
                "`{ident}` and `{name}` store the version, the TTL, or a time or actor of the library in different attributes, or only one of them is append-only: declare these alike, because both rows are the same item"
            ),
        ),
    ];
    if second.usage == SecondKeyUse::Next {
        rules.push((
            code!(!__d::rows_may_meet(&#def, &#other, __STYLE)),
            format!(
                "rows of `{ident}` and `{name}` may be in one partition of the table or of an index, where programs that do not know `{name}` would find both: give its templates other texts, and its indexes too"
            ),
        ));
    }
    // Without a version, only the attributes that are declared are compared, and any program may add others.
    let has_rest = entity.field_of(FieldRole::Rest).is_some();
    if has_rest && entity.field_of(FieldRole::Version).is_none() {
        rules.push((
            code!(false),
            format!(
                "`{ident}` has a `rest` and no version, so nothing tells that a program has added an attribute to one of the two rows: add a `#[dynamo(version)]` before"
            ),
        ));
    }
    let rules = rules.iter();
    rules
        .map(|(condition, message)| check(span, condition, message))
        .collect()
}
