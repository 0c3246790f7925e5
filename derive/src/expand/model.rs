//! The constants that only `schema()` names: what was declared, for tools and people.

use proc_macro2::TokenStream;

use super::index::index_keys;
use super::library;
use super::template::{contract, index_contract, parts};
use super::tokens::{name, of, plain_name, shown};
use crate::model::{
    DefaultValue, Entity, Field, Form, Format, KeySource, NoneSide, Role, TextFormat,
};

/// `MODEL` of an entity.
pub(super) fn entity(entity: &Entity) -> TokenStream {
    let doc = &entity.doc;
    let fields = entity.fields.iter().enumerate();
    let fields = fields.map(|(at, field)| field_model(entity, at, field));
    let own = std::iter::once(&entity.pk).chain(&entity.sk);
    let own = own.flat_map(|source| part_models(entity, source, false));
    let keys = entity.indexes.iter().flat_map(index_keys);
    let of_indexes = keys.flat_map(|(source, ..)| part_models(entity, source, true));
    let parts = own.chain(of_indexes);
    code! {
        const MODEL: __d::EntityModel = __d::EntityModel {
            doc: #doc,
            fields: &[#(#fields),*],
            parts: &[#(#parts),*],
            pattern: __d::pattern_at::<Self>,
            may_be_absent: <Self as __d::EntityContract>::may_be_absent,
        };
    }
}

fn field_model(entity: &Entity, at: usize, field: &Field) -> TokenStream {
    let (name, rust_type, doc) = (plain_name(&field.ident), shown(&field.ty), &field.doc);
    let attribute = match field.role {
        Role::Skip | Role::Rest => "",
        _ => &field.stored,
    };
    let (stored, role) = (
        stored_type(entity, at, field),
        library::field_role(field.role),
    );
    let form = match field.form {
        Form::Own => "",
        Form::Serde => "serde",
        Form::Epoch => "epoch",
        Form::EpochMillis => "epoch_ms",
        Form::Rfc3339 => "rfc3339",
        Form::Rfc3339Millis => "rfc3339_ms",
    };
    let default = match &field.default {
        None => String::new(),
        Some(DefaultValue::Trait) => "Default::default()".to_owned(),
        Some(DefaultValue::Expr(expr)) => shown(expr),
    };
    code! {
        __d::FieldModel {
            name: #name,
            attribute: #attribute,
            rust_type: #rust_type,
            stored: #stored,
            role: #role,
            form: #form,
            default: #default,
            doc: #doc,
        }
    }
}

/// The type that a field is stored as. A type that is a bare key need not be a value, so it is not asked.
fn stored_type(entity: &Entity, at: usize, field: &Field) -> TokenStream {
    let keys = entity.indexes.iter().flat_map(index_keys);
    let keys = keys.map(|(source, ..)| source);
    let mut keys = keys.chain(&entity.sk).chain([&entity.pk]);
    let is_key =
        keys.any(|source| matches!(source, KeySource::Field { field, .. } if *field == at));
    let tag = match (field.role, field.form) {
        (Role::Skip | Role::Rest, _) | (_, Form::Serde) => {
            return code!(::core::option::Option::None);
        }
        (Role::Version | Role::Ttl, _) | (_, Form::Epoch | Form::EpochMillis) => code!(N),
        (_, Form::Rfc3339 | Form::Rfc3339Millis) => code!(S),
        (Role::CreatedAt | Role::UpdatedAt | Role::CreatedBy | Role::UpdatedBy, _) => code!(S),
        (Role::Attribute, Form::Own) if is_key => return code!(::core::option::Option::None),
        (Role::Attribute, Form::Own) => return of(&field.ty, &code!(DynamoField), "STORED"),
    };
    code!(::core::option::Option::Some(__d::Tag::#tag))
}

/// The parts of a key attribute; a bare field is one of them.
fn part_models(entity: &Entity, source: &KeySource, sparse: bool) -> Vec<TokenStream> {
    match source {
        KeySource::Field { field, .. } => {
            let field = &entity.fields[*field];
            let contract = match sparse {
                true => code!(IndexPart),
                false => code!(KeyValue),
            };
            let (ranges, given) = match field.role {
                Role::Version | Role::Ttl => (
                    code!(__d::PartRanges::Comparable),
                    code!(<u64 as __d::KeyValue>::given),
                ),
                _ => ask(field, &contract),
            };
            let name = name(&field.stored);
            vec![code!(__d::PartModel { format: "", name: #name, ranges: #ranges, given: #given })]
        }
        KeySource::Template(template) => {
            let parts = parts(template).map(|(field, part_format)| {
                let contract = match sparse {
                    true => index_contract(part_format),
                    false => contract(part_format),
                };
                let (ranges, given) = ask(&entity.fields[field], &contract);
                let text = format_text(part_format);
                code!(__d::PartModel { format: #text, name: __d::NO_NAME, ranges: #ranges, given: #given })
            });
            parts.collect()
        }
    }
}

/// Asks the type of a part what queries by text have to know.
fn ask(field: &Field, contract: &TokenStream) -> (TokenStream, TokenStream) {
    let ask = |item| of(&field.ty, contract, item);
    (ask("RANGES"), ask("given"))
}

/// A format as it is written in a template.
fn format_text(format: Format) -> String {
    let text = match format.text {
        TextFormat::Plain => String::new(),
        TextFormat::Pad(digits) => format!("0{digits}"),
        TextFormat::Seconds => "s".into(),
        TextFormat::Millis => "ms".into(),
        TextFormat::Epoch => "epoch".into(),
        TextFormat::EpochMillis => "epoch_ms".into(),
        TextFormat::Date => "date".into(),
        TextFormat::Month => "month".into(),
        TextFormat::Lower => "lower".into(),
        TextFormat::Upper => "upper".into(),
    };
    let none = match format.none {
        None => return text,
        Some(NoneSide::First) => "first",
        Some(NoneSide::Last) => "last",
    };
    match text.is_empty() {
        true => none.to_owned(),
        false => format!("{text}:{none}"),
    }
}
