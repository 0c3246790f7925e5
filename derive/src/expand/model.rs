//! The constants that only `schema()` names: what was declared, for tools and people.

use proc_macro2::TokenStream;

use super::index::index_keys;
use super::library;
use super::template::{contract, index_contract, parts};
use super::tokens::{name, of, plain_name, shown};
use crate::model::{
    DefaultValue, Entity, Field, Form, Format, KeySource, NoneSide, Role, Table, TextFormat,
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
    let allows = allows(entity);
    code! {
        const MODEL: __d::EntityModel = __d::EntityModel {
            doc: #doc,
            fields: &[#(#fields),*],
            parts: &[#(#parts),*],
            pattern: __d::pattern_at::<Self>,
            may_be_absent: <Self as __d::EntityContract>::may_be_absent,
            allows: #allows,
        };
    }
}

/// The lints that are silent about an entity, and about which part of it.
fn allows(entity: &Entity) -> TokenStream {
    let whole = entity.allows.iter().map(|rule| (String::new(), rule));
    let fields = entity
        .fields
        .iter()
        .flat_map(|field| of_member(plain_name(&field.ident), &field.allows));
    let patterns = entity
        .indexes
        .iter()
        .flat_map(|index| of_member(plain_name(&index.name), &index.allows));
    let uniques = entity
        .uniques
        .iter()
        .flat_map(|unique| of_member(plain_name(&unique.name), &unique.allows));
    allow_models(whole.chain(fields).chain(patterns).chain(uniques))
}

/// The lints that are silent about a table, and about which of its indexes.
pub(super) fn table_allows(table: &Table) -> TokenStream {
    let whole = table.allows.iter().map(|rule| (String::new(), rule));
    let indexes = table
        .indexes
        .iter()
        .flat_map(|index| of_member(index.stored.clone(), &index.allows));
    allow_models(whole.chain(indexes))
}

fn of_member(name: String, allows: &[String]) -> impl Iterator<Item = (String, &String)> {
    allows.iter().map(move |rule| (name.clone(), rule))
}

fn allow_models<'m>(allows: impl Iterator<Item = (String, &'m String)>) -> TokenStream {
    let allows = allows.map(|(of, rule)| code!(__d::AllowModel { of: #of, rule: #rule }));
    code!(&[#(#allows),*])
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
        Some(DefaultValue::Text(text)) => shown(text),
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
