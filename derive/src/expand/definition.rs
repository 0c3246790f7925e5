//! The constants: what an entity and its own table look like, as plain data.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::Path;

use super::entity::{field_of, index_keys};
use super::{key, local, of, option_str, respanned, stream, style, unique};
use crate::model::{
    Entity, EntityProjection, Index, IndexKind, KeySource, OwnTable, Piece, Role, TableRef,
};

/// Names that every function of an expansion uses: key attributes, type attribute, style.
pub(super) fn constants(entity: &Entity) -> TokenStream {
    let (pk, sk, type_attribute, style) = match &entity.table {
        TableRef::Shared(path) => {
            let table = of(path, &code!(DynamoTable), "TABLE");
            (
                code!(#table.pk),
                code!(__d::name_or_empty(#table.sk)),
                code!(__d::name_or_empty(#table.type_attribute)),
                code!(#table.style),
            )
        }
        TableRef::Own(table) => {
            let (pk, sk) = (own_name(entity, &entity.pk, "pk"), own_sk(entity));
            (code!(#pk), code!(#sk), code!(""), style(table.style))
        }
    };
    code! {
        const __PK: &'static str = #pk;
        const __SK: &'static str = #sk;
        const __TYPE: &'static str = #type_attribute;
        const __STYLE: __d::Style = #style;
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

/// The constant that the table declares an index by. It stands where the user named the index, which
/// is where the compiler says that there is none of that name.
pub(super) fn declared(path: &Path, index: &Index) -> TokenStream {
    let on = &index.on;
    let table = respanned(path, on.span());
    quote_spanned!(on.span()=> <#table>::#on)
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

/// The role of the table's partition key.
pub(super) fn pk_role(entity: &Entity) -> TokenStream {
    partition_role(entity, &own_name(entity, &entity.pk, "pk"), &code!(__PK))
}

/// The role of a partition key of an index.
pub(super) fn index_pk_role(entity: &Entity, index: &Index, at: usize) -> TokenStream {
    let own = own_name(entity, &index.pk[at], &format!("{}_pk", index.stored));
    partition_role(entity, &own, &index_attribute(entity, index, "pk", at))
}

/// An attribute that is a sort key too, of the table or of an index, has the limit of one. Of an own table that is
/// known here, of a shared one the compiler knows it.
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

/// Whether an attribute of an own table is a sort key of it or of an index.
fn is_sort_key(entity: &Entity, name: &str) -> bool {
    let sorts = entity.indexes.iter().flat_map(|index| {
        let keys = index.sk.iter();
        keys.map(|key| own_name(entity, key, &format!("{}_sk", index.stored)))
    });
    sorts.chain([own_sk(entity)]).any(|sort| sort == name)
}

/// Whether an earlier index has written the attribute already: an expression over its flags.
pub(super) fn already_written(
    entity: &Entity,
    index: &Index,
    role: &str,
    at: usize,
) -> TokenStream {
    if matches!(entity.table, TableRef::Own(_)) {
        return code!(false);
    }
    let mine = index_attribute(entity, index, role, at);
    let mut earlier = vec![
        code!(__d::same_text(#mine, __PK)),
        code!(__d::same_text(#mine, __SK)),
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
                earlier.push(code!((#flag && __d::same_text(#mine, #theirs))));
            }
        }
    }
    code!(#(#earlier)||*)
}

/// The variable that tells whether an index was complete.
pub(super) fn written_flag(index: &Index) -> proc_macro2::Ident {
    local(&format!("complete_{}", key::plain_name(&index.on)))
}

/// `ENTITY`
pub(super) fn entity(entity: &Entity) -> TokenStream {
    let ident = key::plain_name(&entity.ident);
    let (stored_name, path) = (&entity.name, format!("::{ident}"));
    let pk = key_def(entity, &entity.pk, &code!(__PK), false);
    let sk = match &entity.sk {
        Some(sk) => {
            let sk = key_def(entity, sk, &code!(__SK), false);
            code!(::core::option::Option::Some(#sk))
        }
        None => code!(::core::option::Option::None),
    };
    let attributes = entity
        .fields
        .iter()
        .filter(|field| !matches!(field.role, Role::Skip | Role::Rest))
        .map(|field| {
            let (name, stored) = (key::plain_name(&field.ident), &field.stored);
            code!(__d::AttributeDef { field: #name, stored: #stored })
        });
    let indexes = entity.indexes.iter().map(|index| index_def(entity, index));
    let (name, uniques) = (&entity.ident, unique::definitions(entity));
    let sentinels = unique::sentinels(entity);
    let stored = |role| option_str(field_of(entity, role).map(|field| field.stored.as_str()));
    let (ttl, version, created, updated) = (
        stored(Role::Ttl),
        stored(Role::Version),
        stored(Role::CreatedAt),
        stored(Role::UpdatedAt),
    );
    let (created_by, updated_by) = (stored(Role::CreatedBy), stored(Role::UpdatedBy));
    code! {
        __d::EntityDef {
            id: ::core::concat!(::core::module_path!(), #path),
            type_name: #ident,
            stored_name: #stored_name,
            pk: #pk,
            sk: #sk,
            attributes: &[#(#attributes),*],
            indexes: &[#(#indexes),*],
            uniques: #uniques,
            ttl: #ttl,
            version: #version,
            created_at: #created,
            updated_at: #updated,
            created_by: #created_by,
            updated_by: #updated_by,
            has_key: <#name as __d::DynamoEntity>::has_key,
            reread: __d::reread::<#name>,
            sentinels: #sentinels,
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
            let native = match field.role {
                Role::Ttl | Role::Version => code!(__d::KeyType::N),
                _ if sparse => of(ty, &code!(IndexPart), "TYPE"),
                _ => of(ty, &code!(KeyValue), "TYPE"),
            };
            code! {
                __d::KeyDef {
                    attribute: #attribute,
                    ty: #native,
                    source: __d::KeySource::Field(#name),
                }
            }
        }
        KeySource::Template(template) => {
            let shard = template
                .shards
                .map(|shards| code!(__d::Piece::Shard(#shards)));
            let pieces = template.pieces.iter().map(|piece| match piece {
                Piece::Literal(text) => code!(__d::Piece::Literal(#text)),
                Piece::Part { field, format } => {
                    let name = key::plain_name(&entity.fields[*field].ident);
                    let width = key::width(entity, *field, *format, sparse);
                    let pad = key::pad(*format);
                    let presence = if sparse {
                        key::presence(entity, *field, *format)
                    } else {
                        code!(__d::Presence::Always)
                    };
                    code! {
                        __d::Piece::Part {
                            field: #name,
                            width: __d::width_in(#width, #pad, __STYLE),
                            presence: #presence,
                        }
                    }
                }
            });
            let pieces = pieces.chain(shard);
            code! {
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
        IndexKind::Global => code!(__d::IndexKind::Global),
        IndexKind::Local => code!(__d::IndexKind::Local),
    }
}

fn index_def(entity: &Entity, index: &Index) -> TokenStream {
    let name = key::plain_name(&index.name);
    let stored = match &entity.table {
        TableRef::Shared(path) => {
            let declared = declared(path, index);
            code!(#declared.name)
        }
        TableRef::Own(_) => {
            let stored = &index.stored;
            code!(#stored)
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
        code!(&[#(#keys),*])
    };
    let (pk, sk, kind) = (keys("pk"), keys("sk"), kind(index.kind));
    let when = match &index.when {
        Some(when) => {
            let field = key::plain_name(&entity.fields[when.field].ident);
            let value = &when.value;
            let value = code!(#value).to_string();
            code!(::core::option::Option::Some(__d::WhenDef { field: #field, value: #value }))
        }
        None => code!(::core::option::Option::None),
    };
    let read_shards = match index.read_shards {
        Some(shards) => code!(::core::option::Option::Some(#shards)),
        None => code!(::core::option::Option::None),
    };
    code! {
        __d::EntityIndexDef {
            name: #name,
            index: #stored,
            kind: #kind,
            pk: #pk,
            sk: #sk,
            read_shards: #read_shards,
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
    let path = format!("::{}", key::plain_name(ident));
    let sk = match &entity.sk {
        Some(_) => code!(::core::option::Option::Some(__SK)),
        None => code!(::core::option::Option::None),
    };
    let indexes = entity.indexes.iter().enumerate().filter_map(|(at, index)| {
        let known = entity.indexes[..at]
            .iter()
            .any(|earlier| earlier.on == index.on);
        (!known).then(|| declared_index(entity, index))
    });
    let view = stream(*view);
    code! {
        impl __d::DynamoTable for #ident {
            type This = Self;

            const TABLE: __d::TableDef = __d::TableDef {
                id: ::core::concat!(::core::module_path!(), #path),
                name: #name,
                pk: __PK,
                sk: #sk,
                type_attribute: ::core::option::Option::None,
                style: __STYLE,
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
        code!(&[#(#names),*])
    };
    let (pk, sk, kind) = (names("pk"), names("sk"), kind(index.kind));
    let project = match &index.project {
        EntityProjection::All => code!(All),
        EntityProjection::Keys => code!(Keys),
        EntityProjection::Fields(fields) => {
            let stored = fields.iter().map(|field| &entity.fields[*field].stored);
            code!(Include(&[#(#stored),*]))
        }
    };
    code! {
        __d::IndexDef {
            name: #name,
            kind: #kind,
            pk: #pk,
            sk: #sk,
            project: __d::Projection::#project,
        }
    }
}
