//! The constants: what an entity and its own table look like, as plain data.

use proc_macro2::TokenStream;

use super::attribute::{declared, index_attribute, own_name, own_sk};
use super::index::index_keys;
use super::library::{kind, stream, style};
use super::tokens::{of, option, plain_name, shown};
use super::{template, unique};
use crate::model::{
    Entity, EntityProjection, Index, KeySource, OwnTable, Piece, Role, TableRef, Template,
    WhenTest, WhenValue,
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

/// `ENTITY`
pub(super) fn entity(entity: &Entity) -> TokenStream {
    let ident = plain_name(&entity.ident);
    let (stored_name, path) = (&entity.name, format!("::{ident}"));
    let append_only = entity.append_only;
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
            let (name, stored) = (plain_name(&field.ident), &field.stored);
            code!(__d::AttributeDef { field: #name, stored: #stored })
        });
    let indexes = entity.indexes.iter().map(|index| index_def(entity, index));
    let (name, uniques) = (&entity.ident, unique::definitions(entity));
    let sentinels = unique::sentinels(entity);
    let stored = |role| option(entity.field_of(role).map(|field| field.stored.as_str()));
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
            append_only: #append_only,
            attributes: &[#(#attributes),*],
            indexes: &[#(#indexes),*],
            uniques: #uniques,
            ttl: #ttl,
            version: #version,
            created_at: #created,
            updated_at: #updated,
            created_by: #created_by,
            updated_by: #updated_by,
            key_fault: <#name as __d::EntityContract>::key_fault,
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
    let (ty, source) = match source {
        KeySource::Field { field, .. } => {
            let field = &entity.fields[*field];
            let name = plain_name(&field.ident);
            let native = match field.role {
                Role::Ttl | Role::Version => code!(__d::KeyType::N),
                _ if sparse => of(&field.ty, &code!(IndexPart), "TYPE"),
                _ => of(&field.ty, &code!(KeyValue), "TYPE"),
            };
            (native, code!(__d::KeySource::Field(#name)))
        }
        KeySource::Template(template) => {
            let shard = template
                .shards
                .map(|shards| code!(__d::Piece::Shard(#shards)));
            let pieces = pieces(entity, template, sparse, &code!(__STYLE));
            (
                code!(__d::KeyType::S),
                code!(__d::KeySource::Template(&[#pieces #shard])),
            )
        }
    };
    code! {
        __d::KeyDef {
            attribute: #attribute,
            ty: #ty,
            source: #source,
        }
    }
}

/// The pieces of a template, each with a comma behind it.
pub(super) fn pieces(
    entity: &Entity,
    template: &Template,
    sparse: bool,
    style: &TokenStream,
) -> TokenStream {
    let pieces = template.pieces.iter();
    let pieces = pieces.map(|piece| piece_def(entity, piece, sparse, style));
    code!(#(#pieces,)*)
}

fn piece_def(entity: &Entity, piece: &Piece, sparse: bool, style: &TokenStream) -> TokenStream {
    let (field, format) = match piece {
        Piece::Literal(text) => return code!(__d::Piece::Literal(#text)),
        Piece::Part { field, format } => (*field, *format),
    };
    let name = plain_name(&entity.fields[field].ident);
    let width = template::width(entity, field, format, sparse);
    let pad = template::pad(format);
    let presence = if sparse {
        template::presence(entity, field, format)
    } else {
        code!(__d::Presence::Always)
    };
    code! {
        __d::Piece::Part {
            field: #name,
            width: __d::width_in(#width, #pad, #style),
            presence: #presence,
        }
    }
}

fn index_def(entity: &Entity, index: &Index) -> TokenStream {
    let name = plain_name(&index.name);
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
            let names = |(field, _): &(usize, _)| plain_name(&entity.fields[*field].ident);
            let (fields, text) = (when.fields.iter().map(names), &when.text);
            let values = when_values(&when.test);
            code! {
                ::core::option::Option::Some(__d::WhenDef { fields: &[#(#fields),*], condition: #text, values: &[#(#values),*] })
            }
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

/// The values of a condition, each as it is written.
fn when_values(test: &WhenTest) -> Vec<String> {
    let WhenTest::OneOf(values) = test else {
        return Vec::new();
    };
    let values = values.iter().map(|value| match value {
        WhenValue::Absent(_) => "None".to_owned(),
        WhenValue::Equal(value) => shown(value),
    });
    values.collect()
}

/// Makes the table of an entity that has one of its own.
pub(super) fn own_table(entity: &Entity) -> TokenStream {
    let TableRef::Own(table) = &entity.table else {
        return TokenStream::new();
    };
    let OwnTable {
        name, stream: view, ..
    } = table;
    let ident = &entity.ident;
    let path = format!("::{}", plain_name(ident));
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

            const MODEL: __d::TableModel = __d::TableModel {
                doc: "",
                entities: &[&<#ident as __d::EntityContract>::MODEL],
                allows: &[],
            };

            const ENTITIES: &'static [&'static __d::EntityDef] =
                &[&<#ident as __d::EntityContract>::ENTITY];
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
