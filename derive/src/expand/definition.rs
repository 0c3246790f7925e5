//! The constants: what an entity and its own table look like, as plain data.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::entity::{field_of, index_keys};
use super::{key, option_str, stream, style};
use crate::model::{
    Entity, EntityProjection, Index, IndexKind, KeySource, OwnTable, Piece, Role, TableRef,
};

/// Names that every function of an expansion uses: key attributes, type attribute, style.
pub(super) fn constants(entity: &Entity) -> TokenStream {
    let (pk, sk, type_attribute, style) = match &entity.table {
        TableRef::Shared(path) => {
            let table = quote_spanned!(path.span()=> <#path as __d::DynamoTable>::TABLE);
            (
                quote!(#table.pk),
                quote!(__d::name_or_empty(#table.sk)),
                quote!(__d::name_or_empty(#table.type_attribute)),
                quote!(#table.style),
            )
        }
        TableRef::Own(table) => {
            let (pk, sk) = (own_name(entity, &entity.pk, "pk"), own_sk(entity));
            (quote!(#pk), quote!(#sk), quote!(""), style(table.style))
        }
    };
    quote! {
        const PK: &'static str = #pk;
        const SK: &'static str = #sk;
        const TYPE: &'static str = #type_attribute;
        const STYLE: __d::Style = #style;
    }
}

fn own_name(entity: &Entity, source: &KeySource, derived: &str) -> String {
    match source {
        KeySource::Field { field, .. } => entity.fields[*field].stored.clone(),
        KeySource::Template(_) => derived.to_owned(),
    }
}

fn own_sk(entity: &Entity) -> String {
    entity
        .sk
        .as_ref()
        .map(|sk| own_name(entity, sk, "sk"))
        .unwrap_or_default()
}

/// The attribute of an index key, as an expression.
pub(super) fn index_attribute(
    entity: &Entity,
    index: &Index,
    role: &str,
    at: usize,
) -> TokenStream {
    match &entity.table {
        TableRef::Shared(path) => {
            let (on, role) = (&index.on, format_ident!("{role}"));
            quote_spanned!(on.span()=> __d::nth(#path::#on.#role, #at))
        }
        TableRef::Own(_) => {
            let sources = if role == "pk" { &index.pk } else { &index.sk };
            let name = own_name(entity, &sources[at], &format!("{}_{role}", index.stored));
            quote!(#name)
        }
    }
}

/// Whether an earlier index has written the attribute already: an expression over its flags.
pub(super) fn already_written(
    entity: &Entity,
    index: &Index,
    role: &str,
    at: usize,
) -> TokenStream {
    if matches!(entity.table, TableRef::Own(_)) {
        return quote!(false);
    }
    let mine = index_attribute(entity, index, role, at);
    let mut earlier = vec![
        quote!(__d::same_text(#mine, PK)),
        quote!(__d::same_text(#mine, SK)),
    ];
    for other in entity
        .indexes
        .iter()
        .take_while(|other| other.name != index.name)
    {
        if other.on == index.on {
            continue;
        }
        let flag = written_flag(other);
        for (source, role, at) in index_keys(other) {
            if matches!(source, KeySource::Template(_)) {
                let theirs = index_attribute(entity, other, role, at);
                earlier.push(quote!((#flag && __d::same_text(#mine, #theirs))));
            }
        }
    }
    quote!(#(#earlier)||*)
}

/// The variable that tells whether an index was complete.
pub(super) fn written_flag(index: &Index) -> proc_macro2::Ident {
    format_ident!("complete_{}", key::plain_name(&index.on))
}

/// `ENTITY`
pub(super) fn entity(entity: &Entity) -> TokenStream {
    let ident = key::plain_name(&entity.ident);
    let (stored_name, path) = (&entity.name, format!("::{ident}"));
    let pk = key_def(entity, &entity.pk, &quote!(PK), false);
    let sk = match &entity.sk {
        Some(sk) => {
            let sk = key_def(entity, sk, &quote!(SK), false);
            quote!(::core::option::Option::Some(#sk))
        }
        None => quote!(::core::option::Option::None),
    };
    let attributes = entity
        .fields
        .iter()
        .filter(|field| !matches!(field.role, Role::Skip | Role::Rest))
        .map(|field| {
            let (name, stored) = (key::plain_name(&field.ident), &field.stored);
            quote!(__d::AttributeDef { field: #name, stored: #stored })
        });
    let indexes = entity.indexes.iter().map(|index| index_def(entity, index));
    let stored = |role| option_str(field_of(entity, role).map(|field| field.stored.as_str()));
    let (ttl, version, created) = (
        stored(Role::Ttl),
        stored(Role::Version),
        stored(Role::CreatedAt),
    );
    quote! {
        __d::EntityDef {
            id: ::core::concat!(::core::module_path!(), #path),
            type_name: #ident,
            stored_name: #stored_name,
            pk: #pk,
            sk: #sk,
            attributes: &[#(#attributes),*],
            indexes: &[#(#indexes),*],
            ttl: #ttl,
            version: #version,
            created_at: #created,
        }
    }
}

fn key_def(
    entity: &Entity,
    source: &KeySource,
    attribute: &TokenStream,
    sparse: bool,
) -> TokenStream {
    match source {
        KeySource::Field { field, .. } => {
            let field = &entity.fields[*field];
            let (name, ty) = (key::plain_name(&field.ident), &field.ty);
            let which = if sparse {
                quote!(IndexPart)
            } else {
                quote!(KeyValue)
            };
            let native = if field.role == Role::Ttl {
                quote!(__d::KeyType::N)
            } else {
                quote_spanned!(ty.span()=> <#ty as __d::#which>::TYPE)
            };
            quote! {
                __d::KeyDef {
                    attribute: #attribute,
                    ty: #native,
                    source: __d::KeySource::Field(#name),
                }
            }
        }
        KeySource::Template(template) => {
            let pieces = template.pieces.iter().map(|piece| match piece {
                Piece::Literal(text) => quote!(__d::Piece::Literal(#text)),
                Piece::Part { field, format } => {
                    let name = key::plain_name(&entity.fields[*field].ident);
                    let ty = key::part_type(entity, *field, *format, sparse);
                    let pad = key::pad(*format);
                    quote! {
                        __d::Piece::Part {
                            field: #name,
                            width: __d::width_in(<#ty as __d::KeyPart>::WIDTH, #pad, STYLE),
                        }
                    }
                }
            });
            quote! {
                __d::KeyDef {
                    attribute: #attribute,
                    ty: __d::KeyType::S,
                    source: __d::KeySource::Template(&[#(#pieces),*]),
                }
            }
        }
    }
}

fn kind(kind: IndexKind) -> TokenStream {
    match kind {
        IndexKind::Global => quote!(__d::IndexKind::Global),
        IndexKind::Local => quote!(__d::IndexKind::Local),
    }
}

fn index_def(entity: &Entity, index: &Index) -> TokenStream {
    let name = key::plain_name(&index.name);
    let stored = match &entity.table {
        TableRef::Shared(path) => {
            let on = &index.on;
            quote_spanned!(on.span()=> #path::#on.name)
        }
        TableRef::Own(_) => {
            let stored = &index.stored;
            quote!(#stored)
        }
    };
    let keys = |wanted: &str| {
        let keys: Vec<_> = index_keys(index)
            .filter(|(_, role, _)| *role == wanted)
            .map(|(source, role, at)| {
                let attribute = index_attribute(entity, index, role, at);
                key_def(entity, source, &attribute, true)
            })
            .collect();
        quote!(&[#(#keys),*])
    };
    let (pk, sk, kind) = (keys("pk"), keys("sk"), kind(index.kind));
    let when = match &index.when {
        Some(when) => {
            let field = key::plain_name(&entity.fields[when.field].ident);
            let value = &when.value;
            let value = quote!(#value).to_string();
            quote!(::core::option::Option::Some(__d::WhenDef { field: #field, value: #value }))
        }
        None => quote!(::core::option::Option::None),
    };
    quote! {
        __d::EntityIndexDef {
            name: #name,
            index: #stored,
            kind: #kind,
            pk: #pk,
            sk: #sk,
            when: #when,
        }
    }
}

/// The table of an entity that has one of its own.
pub(super) fn own_table(entity: &Entity) -> TokenStream {
    let TableRef::Own(table) = &entity.table else {
        return TokenStream::new();
    };
    let OwnTable {
        name, stream: view, ..
    } = table;
    let ident = &entity.ident;
    let sk = match &entity.sk {
        Some(_) => quote!(::core::option::Option::Some(SK)),
        None => quote!(::core::option::Option::None),
    };
    let indexes = entity.indexes.iter().enumerate().filter_map(|(at, index)| {
        let known = entity.indexes[..at]
            .iter()
            .any(|earlier| earlier.on == index.on);
        (!known).then(|| declared_index(entity, index))
    });
    let view = stream(*view);
    quote! {
        impl __d::DynamoTable for #ident {
            const TABLE: __d::TableDef = __d::TableDef {
                name: #name,
                pk: PK,
                sk: #sk,
                type_attribute: ::core::option::Option::None,
                style: STYLE,
                indexes: &[#(#indexes),*],
                stream: #view,
            };

            const ENTITIES: &'static [&'static __d::EntityDef] =
                &[&<#ident as __d::DynamoEntity>::ENTITY];
        }
    }
}

fn declared_index(entity: &Entity, index: &Index) -> TokenStream {
    let name = &index.stored;
    let names = |wanted: &str| {
        let names: Vec<_> = index_keys(index)
            .filter(|(_, role, _)| *role == wanted)
            .map(|(_, role, at)| index_attribute(entity, index, role, at))
            .collect();
        quote!(&[#(#names),*])
    };
    let (pk, sk, kind) = (names("pk"), names("sk"), kind(index.kind));
    let project = match &index.project {
        EntityProjection::All => quote!(All),
        EntityProjection::Keys => quote!(Keys),
        EntityProjection::Fields(fields) => {
            let stored = fields.iter().map(|field| &entity.fields[*field].stored);
            quote!(Include(&[#(#stored),*]))
        }
    };
    quote! {
        __d::IndexDef {
            name: #name,
            kind: #kind,
            pk: #pk,
            sk: #sk,
            project: __d::Projection::#project,
        }
    }
}
