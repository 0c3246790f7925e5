//! The constants that only `schema()` names: what was declared, for tools and people.

use proc_macro2::{Ident, TokenStream};
use syn::Type;

use super::attribute::index_attribute;
use super::definition::pieces;
use super::flat;
use super::index::index_keys;
use super::large;
use super::library::variant;
use super::template::{contract, index_contract, pad};
use super::tokens::{name, of, option, plain_name, shown};
use super::vector;
use super::way::way;
use crate::check::types::may_have_fraction;
use crate::model::{
    DataVariant, DefaultValue, Entity, Field, FieldRole, Form, FormerUse, KeySource, Table,
    Template, UniqueKept, Value, ValueShape, VariantShape,
};

/// The name under which the data of a tuple variant is stored.
pub(super) const CONTENT: &str = "value";

/// `MODEL` of an entity.
pub(super) fn entity(entity: &Entity) -> TokenStream {
    let doc = &entity.doc;
    let fields = entity.fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| field.role != FieldRole::Flatten);
    let fields = fields.map(|(at, field)| entity_field(entity, at, field));
    let own = entity.primary();
    let own = own.flat_map(|source| part_models(entity, source, None));
    let of_indexes = entity.indexes.iter().flat_map(|index| {
        index_keys(index).flat_map(|(source, role, at)| {
            let attribute = index_attribute(entity, index, role, at);
            part_models(entity, source, Some(attribute))
        })
    });
    let parts = own.chain(of_indexes);
    let uniques = unique_models(entity);
    let vectors = vector::models(entity);
    let large = large::models(entity);
    let allows = allows(entity);
    let fields = flat::fields(entity, code!(&[#(#fields),*]));
    code! {
        const MODEL: __d::EntityModel = __d::EntityModel {
            doc: #doc,
            fields: #fields,
            parts: &[#(#parts),*],
            uniques: &[#(#uniques),*],
            vectors: #vectors,
            large: #large,
            pattern: __d::pattern_at::<Self>,
            may_be_absent: <Self as __d::EntityContract>::may_be_absent,
            allows: #allows,
        };
    }
}

/// `MODEL.uniques`: the parts of the keys, with their formats.
fn unique_models(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    entity.uniques.iter().map(|unique| match &unique.kept {
        UniqueKept::Sentinel(template) => {
            let pieces = pieces(entity, template, true, &code!(__d::Style::Escaped));
            code!(__d::UniqueModel { pieces: &[#pieces], formats: &[] })
        }
        UniqueKept::Row(row) => {
            let templates = || row.keys().filter_map(KeySource::template);
            let pieces =
                templates().map(|template| pieces(entity, template, true, &code!(__STYLE)));
            let formats = templates().flat_map(Template::parts);
            let formats = formats.map(|(_, format)| format.written());
            code!(__d::UniqueModel { pieces: &[#(#pieces)*], formats: &[#(#formats),*] })
        }
    })
}

/// The lints that an entity allows, each with the part that it is allowed for.
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
    let vectors = entity
        .vectors
        .iter()
        .flat_map(|index| of_member(plain_name(&index.name), &index.allows));
    allow_models(
        whole
            .chain(fields)
            .chain(patterns)
            .chain(uniques)
            .chain(vectors),
    )
}

/// The lints that a table allows, each with its index.
pub(super) fn table_allows(table: &Table) -> TokenStream {
    let whole = table.allows.iter().map(|rule| (String::new(), rule));
    let indexes = table
        .indexes
        .iter()
        .flat_map(|index| of_member(index.stored.value(), &index.allows));
    allow_models(whole.chain(indexes))
}

fn of_member(name: String, allows: &[String]) -> impl Iterator<Item = (String, &String)> {
    allows.iter().map(move |rule| (name.clone(), rule))
}

fn allow_models<'m>(allows: impl Iterator<Item = (String, &'m String)>) -> TokenStream {
    let allows = allows.map(|(of, rule)| code!(__d::AllowModel { of: #of, rule: #rule }));
    code!(&[#(#allows),*])
}

/// `MODEL` of a value: its content, for the types that contain it.
pub(super) fn value(value: &Value) -> TokenStream {
    let (name, doc) = (plain_name(&value.ident), &value.doc);
    let params = value.generics.type_params();
    let params = params.map(|param| of(&param.ident, &code!(DynamoValue), "TYPE"));
    let shape = match &value.shape {
        ValueShape::Struct(fields) if can_be_flattened(fields) => {
            code!(Struct {
                fields: <Self as __d::FlatValue>::FIELDS
            })
        }
        ValueShape::Struct(fields) => {
            let fields = value_fields(fields);
            code!(Struct { fields: #fields })
        }
        ValueShape::Newtype(inner) => {
            let inner = of(inner, &code!(DynamoValue), "TYPE");
            code!(Newtype { inner: #inner })
        }
        ValueShape::UnitEnum(variants) => {
            let variants = variants.iter();
            let variants =
                variants.map(|variant| variant_model(&variant.ident, &variant.stored, &code!(&[])));
            code!(Names { variants: &[#(#variants),*] })
        }
        ValueShape::OrderedEnum(variants) => {
            let variants = variants.iter().map(|variant| {
                variant_model(&variant.ident, &variant.rank.to_string(), &code!(&[]))
            });
            code!(Numbers { variants: &[#(#variants),*] })
        }
        ValueShape::DataEnum { tag, variants } => {
            let variants = variants.iter().map(data_variant);
            code!(Tagged { tag: #tag, variants: &[#(#variants),*] })
        }
    };
    code! {
        const MODEL: __d::TypeModel = __d::TypeModel::Declared {
            value: &__d::ValueModel {
                name: #name,
                doc: #doc,
                params: &[#(#params),*],
                shape: __d::ShapeModel::#shape,
            },
        };
    }
}

fn data_variant(variant: &DataVariant) -> TokenStream {
    let fields = match &variant.shape {
        VariantShape::Unit => code!(&[]),
        VariantShape::Struct(fields) => value_fields(fields),
        VariantShape::Tuple(types) => {
            let contents = types.iter().enumerate().map(|(at, ty)| {
                let name = match types.len() {
                    1 => CONTENT.to_owned(),
                    _ => format!("{CONTENT}[{at}]"),
                };
                content_model(&name, ty)
            });
            code!(&[#(#contents),*])
        }
    };
    variant_model(&variant.ident, &variant.stored, &fields)
}

fn variant_model(ident: &Ident, stored: &str, fields: &TokenStream) -> TokenStream {
    let name = plain_name(ident);
    code!(__d::VariantModel { name: #name, stored: #stored, fields: #fields })
}

/// A value of a tuple variant.
fn content_model(name: &str, ty: &Type) -> TokenStream {
    let rust_type = shown(ty);
    let (value_type, stored) = (
        of(ty, &code!(DynamoValue), "TYPE"),
        of(ty, &code!(DynamoValue), "STORED"),
    );
    code! {
        __d::FieldModel {
            name: #name,
            attribute: #name,
            rust_type: #rust_type,
            value_type: ::core::option::Option::Some(#value_type),
            stored: #stored,
            role: __d::FieldRole::Attribute,
            may_be_absent: ::core::option::Option::Some(|| false),
            form: "",
            default: "",
            former: "",
            former_use: __d::FormerUse::First,
            is_personal: false,
            doc: "",
        }
    }
}

/// Whether the fields of a struct can be attributes of an item: `rest` would collect those of the entity too, and changes of
/// an entity know the former names of its own fields alone.
pub(super) fn can_be_flattened(fields: &[Field]) -> bool {
    let is_plain = |field: &Field| field.role != FieldRole::Rest && field.former.is_none();
    fields.iter().all(is_plain)
}

/// The fields of a struct or of a variant.
pub(super) fn value_fields(fields: &[Field]) -> TokenStream {
    let models = fields.iter().map(|field| {
        let is_stored = field.role == FieldRole::Attribute;
        let value_type = match (is_stored, field.form) {
            (false, _) | (_, Form::Serde | Form::SerdeNull) => None,
            (_, Form::Own | Form::Null | Form::Compress | Form::Decompress) => {
                Some(of(&field.ty, &code!(DynamoField), "TYPE"))
            }
            _ => Some(timestamp()),
        };
        let absent = is_stored.then(|| of(&field.ty, &way(field, None).contract(), "is_optional"));
        let stored = stored_type(field, false);
        field_model(field, option(value_type), &stored, option(absent))
    });
    code!(&[#(#models),*])
}

fn entity_field(entity: &Entity, at: usize, field: &Field) -> TokenStream {
    let is_key = entity.keys().any(|source| source.is_bare(at));
    let value_type = match (field.role, field.form) {
        (FieldRole::Rest | FieldRole::Flatten, _) | (_, Form::Serde | Form::SerdeNull) => None,
        (FieldRole::Version, _) => Some(code!(<u64 as __d::DynamoValue>::TYPE)),
        (FieldRole::Ttl | FieldRole::CreatedAt | FieldRole::UpdatedAt, _) => Some(timestamp()),
        (FieldRole::Skip | FieldRole::CreatedBy | FieldRole::UpdatedBy, Form::Own) => {
            Some(probed(field))
        }
        (FieldRole::Attribute, Form::Own) if is_key => Some(probed(field)),
        (FieldRole::Attribute, Form::Own | Form::Null | Form::Compress | Form::Decompress) => {
            Some(of(&field.ty, &code!(DynamoField), "TYPE"))
        }
        _ => Some(timestamp()),
    };
    let stored = stored_type(field, is_key);
    field_model(
        field,
        option(value_type),
        &stored,
        code!(::core::option::Option::None),
    )
}

/// All points in time are stored in the same way, except for their form.
fn timestamp() -> TokenStream {
    code!(<__d::Timestamp as __d::DynamoValue>::TYPE)
}

/// The type of a field that need not be a value, because it is a key or is not stored.
fn probed(field: &Field) -> TokenStream {
    let ty = &field.ty;
    code!({
        #[allow(unused_imports)]
        use __d::UnseenType as _;
        <__d::TypeProbe<#ty>>::TYPE
    })
}

fn field_model(
    field: &Field,
    value_type: TokenStream,
    stored: &TokenStream,
    may_be_absent: TokenStream,
) -> TokenStream {
    let (name, rust_type, doc) = (plain_name(&field.ident), shown(&field.ty), &field.doc);
    let attribute = if field.is_stored() { &field.stored } else { "" };
    let personal = field.is_personal;
    let role = variant("FieldRole", field.role);
    let former = field.former.as_ref();
    let (former, usage) = former.map_or(("", FormerUse::First), |former| {
        (former.name.as_str(), former.usage)
    });
    let usage = variant("FormerUse", usage);
    let form = match field.form {
        Form::Serde => "serde",
        Form::SerdeNull => "serde_null",
        Form::Null => "null",
        Form::Compress => "compress",
        Form::Decompress => "decompress",
        form => Form::FOREIGN.word(form).unwrap_or_default(),
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
            value_type: #value_type,
            stored: #stored,
            role: #role,
            may_be_absent: #may_be_absent,
            form: #form,
            default: #default,
            former: #former,
            former_use: #usage,
            is_personal: #personal,
            doc: #doc,
        }
    }
}

/// The type that a field is stored as. A type that is a bare key need not be a value, so it is not used.
fn stored_type(field: &Field, is_key: bool) -> TokenStream {
    let tag = match (field.role, field.form) {
        // Compressed values are bytes, and those that do not shrink have their own type.
        (FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest, _)
        | (_, Form::Serde | Form::SerdeNull | Form::Compress | Form::Decompress) => {
            return code!(::core::option::Option::None);
        }
        (FieldRole::Version | FieldRole::Ttl, _) | (_, Form::Epoch | Form::EpochMillis) => code!(N),
        (_, Form::Rfc3339 | Form::Rfc3339Millis) => code!(S),
        (
            FieldRole::CreatedAt
            | FieldRole::UpdatedAt
            | FieldRole::CreatedBy
            | FieldRole::UpdatedBy,
            _,
        ) => code!(S),
        (FieldRole::Attribute, Form::Own) if is_key => return code!(::core::option::Option::None),
        // A NULL has another type, and a program that reads the schema should expect the values.
        (FieldRole::Attribute, Form::Own | Form::Null) => {
            return of(&field.ty, &code!(DynamoField), "STORED");
        }
    };
    code!(::core::option::Option::Some(__d::Tag::#tag))
}

/// The parts of a key attribute; a bare field is one of them. An attribute of an index is named.
fn part_models(
    entity: &Entity,
    source: &KeySource,
    of_index: Option<TokenStream>,
) -> Vec<TokenStream> {
    let model = |name: TokenStream, (ranges, given): (TokenStream, TokenStream)| code!(__d::PartModel { format: "", name: #name, ranges: #ranges, given: #given });
    match source {
        KeySource::Number { field, .. } => {
            let asked = ask(&entity.fields[*field], &code!(IndexPart));
            vec![model(code!(__d::Name::of_table(#of_index)), asked)]
        }
        KeySource::Field { field, .. } => {
            let field = &entity.fields[*field];
            let contract = match of_index {
                Some(_) => code!(IndexPart),
                None => code!(KeyValue),
            };
            let asked = match field.role {
                FieldRole::Version | FieldRole::Ttl => (
                    code!(__d::PartRanges::Comparable),
                    code!(<u64 as __d::KeyValue>::given),
                ),
                _ => ask(field, &contract),
            };
            vec![model(name(&field.stored), asked)]
        }
        KeySource::Template(template) => {
            let parts = template.parts().map(|(field, part_format)| {
                let contract = match of_index {
                    Some(_) => index_contract(part_format),
                    None => contract(part_format),
                };
                let (mut ranges, given) = ask(&entity.fields[field], &contract);
                if !part_format.is_lossy() && may_have_fraction(&entity.fields[field].ty) {
                    let pad = pad(part_format);
                    ranges = code!(__d::ranges_in(#ranges, #pad));
                }
                let text = part_format.written();
                code!(__d::PartModel { format: #text, name: __d::NO_NAME, ranges: #ranges, given: #given })
            });
            parts.collect()
        }
    }
}

/// Takes from the type of a part the facts that queries by text need.
fn ask(field: &Field, contract: &TokenStream) -> (TokenStream, TokenStream) {
    let ask = |item| of(&field.ty, contract, item);
    (ask("RANGES"), ask("given"))
}
