//! The constants: the definition of an entity, as plain data.

use proc_macro2::TokenStream;

use super::attribute::{declared, index_attribute, own_name, own_sk};
use super::index::index_keys;
use super::library::{kind_constant, style, variant};
use super::tokens::{of, option, plain_name, shown};
use super::{expiry, flat, large, second_key, template, unique};
use crate::check::types::may_have_fraction;
use crate::model::{
    Constant, ConstantValue, Entity, FieldRole, Index, KeySource, Piece, TableRef, Template,
    TextFormat, UniqueRow, WhenTest, WhenValue,
};

/// Names that every function of an expansion uses: key attributes, type attribute, style.
pub(super) fn constants(entity: &Entity) -> TokenStream {
    let (pk, sk, type_attribute, style) = match &entity.table {
        TableRef::Shared(path) => {
            let table = of(path, &code!(DynamoTable), "TABLE");
            let type_attribute = match &entity.type_attribute {
                Some(own) => code!(#own),
                None => code!(__d::name_or_empty(#table.type_attribute)),
            };
            (
                code!(#table.pk),
                code!(__d::name_or_empty(#table.sk)),
                type_attribute,
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
    let sk = entity.sk.as_ref();
    let sk = option(sk.map(|sk| key_def(entity, sk, &code!(__SK), false)));
    let attributes = entity.fields.iter().filter(|field| field.is_stored());
    let attributes = attributes.map(|field| {
        let (name, stored) = (plain_name(&field.ident), &field.stored);
        let former = option(field.former.as_ref().map(|former| {
            let (name, usage) = (&former.name, variant("FormerUse", former.usage));
            code!(__d::Former { name: #name, usage: #usage })
        }));
        code!(__d::AttributeDef { field: #name, stored: #stored, former: #former })
    });
    let attributes = flat::attributes(entity, code!(&[#(#attributes),*]));
    let indexes = entity.indexes.iter().map(|index| index_def(entity, index));
    let (name, uniques) = (&entity.ident, unique_defs(entity));
    let sentinels = unique::sentinels(entity);
    let large = large::definitions(entity);
    let stored = |role| option(entity.field_of(role).map(|field| field.stored.as_str()));
    let (ttl, version) = (stored(FieldRole::Ttl), stored(FieldRole::Version));
    let expiry = expiry::definition(entity);
    let (created, updated) = (stored(FieldRole::CreatedAt), stored(FieldRole::UpdatedAt));
    let (created_by, updated_by) = (stored(FieldRole::CreatedBy), stored(FieldRole::UpdatedBy));
    let shape = option(entity.shape.as_ref().map(|shape| {
        let (number, writes) = (shape.number, shape.writes);
        let older = option(shape.was.as_ref().map(|was| {
            let older = of(was, &code!(EntityContract), "ENTITY");
            code!(&#older)
        }));
        code!(__d::ShapeDef { number: #number, writes: #writes, older: #older })
    }));
    let second_key = second_key::definition(entity);
    let constants = entity.constants.iter().map(constant);
    let type_attribute = option(entity.type_attribute.as_ref());
    code! {
        __d::EntityDef {
            // Two entities of different modules may have the same name.
            id: ::core::concat!(::core::module_path!(), #path),
            type_name: #ident,
            stored_name: #stored_name,
            type_attribute: #type_attribute,
            constants: &[#(#constants),*],
            pk: #pk,
            sk: #sk,
            append_only: #append_only,
            attributes: #attributes,
            indexes: &[#(#indexes),*],
            uniques: #uniques,
            large: #large,
            ttl: #ttl,
            expiry: #expiry,
            version: #version,
            created_at: #created,
            updated_at: #updated,
            created_by: #created_by,
            updated_by: #updated_by,
            key_fault: <#name as __d::EntityContract>::key_fault,
            reread: __d::reread::<#name>,
            shape: #shape,
            second_key: #second_key,
            sentinels: #sentinels,
        }
    }
}

/// An attribute with the same value in all items.
fn constant(constant: &Constant) -> TokenStream {
    let attribute = &constant.attribute;
    let value = match &constant.value {
        ConstantValue::Text(text) => code!(__d::ConstantValue::Text(#text)),
        ConstantValue::Number(number) => code!(__d::ConstantValue::Number(#number)),
    };
    code!(__d::ConstantDef { attribute: #attribute, value: #value })
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
            let name = plain_name(&field.ident);
            let ty = match field.role {
                FieldRole::Ttl | FieldRole::Version => code!(__d::KeyType::N),
                // The field of an index may be an `Option`, whose own trait knows its type.
                _ if sparse => {
                    let bare = of(&field.ty, &code!(IndexPart), "BARE");
                    return code!(__d::KeyDef::bare_of_index(#attribute, #name, #bare));
                }
                _ => of(&field.ty, &code!(KeyValue), "TYPE"),
            };
            code!(__d::KeyDef::new(#attribute, #ty, __d::KeySource::Field(#name)))
        }
        KeySource::Number { field, .. } => {
            let field = &entity.fields[*field];
            let name = plain_name(&field.ident);
            let presence = of(&field.ty, &code!(IndexPart), "PRESENCE");
            let source = code!(__d::KeySource::Number { field: #name, presence: #presence });
            code!(__d::KeyDef::new(#attribute, __d::KeyType::N, #source))
        }
        KeySource::Template(template) => {
            let shard = template
                .shards
                .map(|shards| code!(__d::Piece::Shard(#shards)));
            let pieces = pieces(entity, template, sparse, &code!(__STYLE));
            let source = code!(__d::KeySource::Template(&[#pieces #shard]));
            code!(__d::KeyDef::new(#attribute, __d::KeyType::S, #source))
        }
    }
}

/// The unique values, as data.
fn unique_defs(entity: &Entity) -> TokenStream {
    let uniques = entity.uniques.iter().map(|unique| {
        let name = plain_name(&unique.name);
        let fields = unique
            .fields
            .iter()
            .map(|(field, _)| plain_name(&entity.fields[*field].ident));
        let (stored, filling, front) = (&unique.stored, unique.filling, unique.front());
        let row = option(unique.row().map(|row| row_definition(entity, row)));
        code!(__d::UniqueDef {
            name: #name,
            stored: #stored,
            fields: &[#(#fields),*],
            front: #front,
            filling: #filling,
            row: #row,
        })
    });
    code!(&[#(#uniques),*])
}

fn row_definition(entity: &Entity, row: &UniqueRow) -> TokenStream {
    let pk = key_def(entity, &row.pk, &code!(__PK), true);
    let sk = row.sk.as_ref();
    let sk = option(sk.map(|sk| key_def(entity, sk, &code!(__SK), true)));
    let constants = row.constants.iter().map(constant);
    code!(__d::UniqueRowDef { pk: #pk, sk: #sk, constants: &[#(#constants),*] })
}

/// The pieces of a template, each with a comma after it.
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
    let kind = match format.text {
        // The exponents of floats and decimals differ. Entities that share a partition must write one text.
        TextFormat::Plain | TextFormat::Pad(_)
            if entity.own_table().is_none() && may_have_fraction(&entity.fields[field].ty) =>
        {
            let holds = template::holds(entity, (field, format), sparse);
            code!(__d::number_format(#holds))
        }
        text => kind_constant(text),
    };
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
            format: #kind,
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
        let keys = index_keys(index).filter(|(_, role, _)| *role == wanted);
        let keys = keys.map(|(source, role, at)| {
            let attribute = index_attribute(entity, index, role, at);
            key_def(entity, source, &attribute, true)
        });
        code!(&[#(#keys),*])
    };
    let (pk, sk, kind) = (keys("pk"), keys("sk"), variant("IndexKind", index.kind));
    let when = option(index.when.as_ref().map(|when| {
        let names = |(field, _): &(usize, _)| plain_name(&entity.fields[*field].ident);
        let (fields, text) = (when.fields.iter().map(names), &when.text);
        let values = when_values(&when.test);
        code!(__d::WhenDef { fields: &[#(#fields),*], condition: #text, values: &[#(#values),*] })
    }));
    let (read_shards, filling) = (option(index.read_shards), index.filling);
    code! {
        __d::EntityIndexDef {
            name: #name,
            index: #stored,
            kind: #kind,
            pk: #pk,
            sk: #sk,
            read_shards: #read_shards,
            when: #when,
            filling: #filling,
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
