//! What only the compiler can check, since it needs types or another declaration.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::check;
use super::definition::index_attribute;
use super::entity::index_keys;
use crate::model::{Entity, Index, IndexKind, KeySource, Table, TableRef, Template};

pub(super) fn entity(entity: &Entity) -> TokenStream {
    let ident = &entity.ident;
    let def = quote!(<#ident as __d::DynamoEntity>::ENTITY);
    let mut checks = Vec::new();
    if let KeySource::Template(template) = &entity.pk {
        checks.push(delimited(template, &quote!(#def.pk)));
    }
    if let Some(KeySource::Template(template)) = &entity.sk {
        checks.push(delimited(template, &quote!(SORT_KEY)));
        checks.push(quote! {
            const SORT_KEY: __d::KeyDef = match #def.sk {
                ::core::option::Option::Some(key) => key,
                ::core::option::Option::None => #def.pk,
            };
        });
    }
    for (at, index) in entity.indexes.iter().enumerate() {
        for (source, role, key) in index_keys(index) {
            if let KeySource::Template(template) = source {
                let role = quote::format_ident!("{role}");
                checks.push(delimited(template, &quote!(#def.indexes[#at].#role[#key])));
            }
        }
    }
    if let TableRef::Shared(path) = &entity.table {
        checks.extend(shared(entity, path, &def));
    }
    quote!(#(#checks)*)
}

/// A part of variable width ends at the delimiter or at the end of the key.
fn delimited(template: &Template, key: &TokenStream) -> TokenStream {
    let message = format!(
        "in \"{}\", a part of variable width is followed by neither the delimiter nor the end: nobody could tell where it ends; write the delimiter behind it",
        template.text
    );
    check(
        template.span,
        &quote!(__d::is_delimited(&#key, STYLE)),
        &message,
    )
}

/// An entity against the table it names.
fn shared(entity: &Entity, path: &Path, def: &TokenStream) -> Vec<TokenStream> {
    let ident = &entity.ident;
    let span = path.span();
    let shown = quote!(#path).to_string().replace(' ', "");
    let table = quote_spanned!(span=> <#path as __d::DynamoTable>::TABLE);
    let mut checks = vec![check(
        span,
        &quote!(__d::lists(<#path as __d::DynamoTable>::ENTITIES, #def.id)),
        &format!(
            "`{ident}` names the table `{shown}`, which does not list it: write `entities({ident}, ..)` there"
        ),
    )];
    let (has, message) = match &entity.sk {
        Some(_) => (
            quote!(#table.sk.is_some()),
            format!(
                "`{ident}` has a sort key, the table `{shown}` has none: remove `sk` here or give the table one"
            ),
        ),
        None => (
            quote!(#table.sk.is_none()),
            format!(
                "the table `{shown}` has a sort key, `{ident}` does not fill it: write `sk = \"..\"` in `key(..)`"
            ),
        ),
    };
    checks.push(check(span, &has, &message));
    let keys = [
        (Some(&entity.pk), quote!(PK)),
        (entity.sk.as_ref(), quote!(SK)),
    ];
    for (source, attribute) in keys {
        checks.extend(source.and_then(|source| bare_name(entity, source, &attribute, &shown)));
    }
    for index in &entity.indexes {
        checks.extend(shared_index(entity, index, path, &shown));
    }
    checks.push(check(
        ident.span(),
        &quote!(__d::shared_attributes_agree(&#def)),
        &format!("two keys of `{ident}` fill one attribute in different ways: give them the same template, or indexes of their own"),
    ));
    checks
}

/// A bare key field is the key attribute itself, so it has its name.
fn bare_name(
    entity: &Entity,
    source: &KeySource,
    attribute: &TokenStream,
    shown: &str,
) -> Option<TokenStream> {
    let KeySource::Field { field, span } = source else {
        return None;
    };
    let (name, stored) = (&entity.fields[*field].ident, &entity.fields[*field].stored);
    let message = format!(
        "the field `{name}` is stored as `{stored}`, which is not the key attribute of `{shown}`: rename it with `#[dynamo(rename = \"..\")]`, or write a template such as \"{{{name}}}\""
    );
    Some(check(
        *span,
        &quote!(__d::same_text(#stored, #attribute)),
        &message,
    ))
}

/// An access pattern against the index of the table.
fn shared_index(entity: &Entity, index: &Index, path: &Path, shown: &str) -> Vec<TokenStream> {
    let (on, name) = (&index.on, &index.name);
    let (kind, word) = match index.kind {
        IndexKind::Global => (quote!(__d::IndexKind::Global), "gsi"),
        IndexKind::Local => (quote!(__d::IndexKind::Local), "lsi"),
    };
    let (pk, sk) = (index.pk.len(), index.sk.len());
    let fits = quote_spanned!(on.span()=> __d::index_fits(&#path::#on, #kind, #pk, #sk));
    let message = format!(
        "`{word}({name}, ..)` does not fit the index `{on}` of `{shown}`: it has to be declared by `{word}(..)` with as many key attributes as the access pattern fills"
    );
    let mut checks = vec![check(on.span(), &fits, &message)];
    for (source, role, at) in index_keys(index) {
        let attribute = index_attribute(entity, index, role, at);
        checks.extend(bare_name(entity, source, &attribute, shown));
    }
    checks
}

/// The entities of a table against each other.
pub(super) fn table(table: &Table) -> TokenStream {
    let ident = &table.ident;
    let style = super::style(table.style);
    let mut checks = Vec::new();
    for (at, first) in table.entities.iter().enumerate() {
        checks.push(belongs(ident, first));
        for second in &table.entities[at + 1..] {
            checks.extend(pair(ident, first, second, &style));
        }
    }
    quote!(#(#checks)*)
}

fn shown(path: &Path) -> String {
    quote!(#path).to_string().replace(' ', "")
}

/// A listed entity names this table.
fn belongs(table: &syn::Ident, entity: &Path) -> TokenStream {
    quote_spanned! {entity.span()=>
        const _: () = {
            fn belongs<E: __d::DynamoEntity<Table = T>, T>() {}
            let _ = belongs::<#entity, #table>;
        };
    }
}

fn pair(table: &syn::Ident, a: &Path, b: &Path, style: &TokenStream) -> Vec<TokenStream> {
    let (first, second) = (shown(a), shown(b));
    let def = |path: &Path| quote!(&<#path as __d::DynamoEntity>::ENTITY);
    let (left, right) = (def(a), def(b));
    let span: Span = b.span();
    vec![
        check(
            span,
            &quote!(__d::same_key_types(#left, #right)),
            &format!(
                "`{first}` and `{second}` give the keys of `{table}` different types: one table has one type for each key"
            ),
        ),
        check(
            span,
            &quote!(!__d::keys_may_meet(#left, #right, #style)),
            &format!(
                "`{first}` and `{second}` could form the same primary key in `{table}`: begin one of their keys with a text of its own, such as \"{}#{{..}}\"",
                second.to_uppercase()
            ),
        ),
        check(
            span,
            &quote!(__d::attributes_agree(#left, #right)),
            &format!(
                "`{first}` and `{second}` use an index key or the TTL of `{table}` differently: one attribute has one type, and one table has one TTL attribute"
            ),
        ),
        check(
            span,
            &quote!(!__d::same_text(
                <#a as __d::DynamoEntity>::ENTITY.stored_name,
                <#b as __d::DynamoEntity>::ENTITY.stored_name
            )),
            &format!(
                "`{first}` and `{second}` are stored under one type name: give one of them `#[dynamo(rename = \"..\")]`"
            ),
        ),
    ]
}
