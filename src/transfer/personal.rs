//! Declared fields and stored values: the personal fields of a type, the field of a member, and members without a field.

use crate::codec::{Item, Value, plain_value};
use crate::schema::{FieldModel, FieldRole, ShapeModel, TypeModel, TypeOf};

/// Whether a value of the type can contain a personal field.
pub(super) fn holds_personal(ty: TypeOf) -> bool {
    let mut paths = Vec::new();
    add_paths_within("", ty, &mut Vec::new(), &mut paths);
    !paths.is_empty()
}

/// The paths of all personal fields, with the names under which they are stored.
pub(super) fn personal_paths(entity: &str, fields: &[FieldModel]) -> Vec<String> {
    let mut paths = Vec::new();
    add_paths(entity, fields, &mut Vec::new(), &mut paths);
    paths
}

fn add_paths(
    path: &str,
    fields: &[FieldModel],
    within: &mut Vec<&'static str>,
    paths: &mut Vec<String>,
) {
    for field in fields {
        let path = format!("{path}.{}", field.name);
        match field.is_personal {
            true => paths.push(format!("{path}={}", field.attribute)),
            false => {
                if let Some(ty) = field.value_type {
                    add_paths_within(&path, ty, within, paths);
                }
            }
        }
    }
}

fn add_paths_within(
    path: &str,
    ty: TypeOf,
    within: &mut Vec<&'static str>,
    paths: &mut Vec<String>,
) {
    let named = ty();
    match named.model {
        TypeModel::Unseen | TypeModel::Known { .. } => {}
        TypeModel::Of { elements, .. } | TypeModel::Tuple { elements } => {
            for element in elements {
                add_paths_within(path, *element, within, paths);
            }
        }
        TypeModel::Array { element, .. } => add_paths_within(path, element, within, paths),
        TypeModel::Declared { value } => {
            // A type can contain values of itself.
            if within.contains(&named.path) {
                return;
            }
            within.push(named.path);
            match value.shape {
                ShapeModel::Newtype { inner } => add_paths_within(path, inner, within, paths),
                ShapeModel::Struct { fields } => add_paths(path, fields, within, paths),
                ShapeModel::Tagged { variants, .. } => {
                    for variant in variants {
                        let path = format!("{path}:{}", variant.stored);
                        add_paths(&path, variant.fields, within, paths);
                    }
                }
                ShapeModel::Names { .. } | ShapeModel::Numbers { .. } => {}
            }
            within.pop();
        }
    }
}

/// The path of the first member of the value of a field for which no struct has a field, if one exists.
pub(super) fn unknown_of(field: &FieldModel, value: &Value) -> Option<String> {
    // A value that cannot be expanded cannot be read either.
    let value = plain_value(field.form, value).ok()?;
    unknown_member(&value, field.value_type?)
}

/// The path of the first member of a nested struct for which the struct has no field, if one exists.
fn unknown_member(value: &Value, ty: TypeOf) -> Option<String> {
    match (ty().model, value) {
        (
            TypeModel::Of {
                name: "Nullable",
                elements: [inner],
            },
            value,
        ) => unknown_member(value, *inner),
        (
            TypeModel::Of {
                name: "Map",
                elements: [.., element],
            },
            Value::M(map),
        ) => {
            let mut values = map.iter();
            values.find_map(|(_, value)| unknown_member(value, *element))
        }
        (
            TypeModel::Of {
                elements: [element],
                ..
            },
            Value::L(list),
        ) => list
            .iter()
            .find_map(|value| unknown_member(value, *element)),
        (TypeModel::Array { element, .. }, Value::L(list)) => {
            list.iter().find_map(|value| unknown_member(value, element))
        }
        (TypeModel::Tuple { elements }, Value::L(list)) => {
            let mut elements = list.iter().zip(elements);
            elements.find_map(|(value, ty)| unknown_member(value, *ty))
        }
        (TypeModel::Declared { value: declared }, value) => match (declared.shape, value) {
            (ShapeModel::Newtype { inner }, value) => unknown_member(value, inner),
            (ShapeModel::Struct { fields }, Value::M(map)) => unknown_in(map, fields, ""),
            (ShapeModel::Tagged { tag, variants }, Value::M(map)) => {
                let stored = map.get(tag).and_then(Value::as_text);
                let mut variants = variants.iter();
                let variant = variants.find(|variant| Some(variant.stored) == stored);
                variant.and_then(|variant| unknown_in(map, variant.fields, tag))
            }
            _ => None,
        },
        _ => None,
    }
}

fn unknown_in(map: &Item, fields: &[FieldModel], tag: &str) -> Option<String> {
    let has_rest = fields.iter().any(|field| field.role == FieldRole::Rest);
    let mut members = map.iter();
    members.find_map(|(name, value)| {
        if name == tag {
            return None;
        }
        let field = fields.iter().find(|field| is_stored_as(field, name));
        if let Some(field) = field {
            let within = unknown_of(field, value);
            return within.map(|path| format!("{name}.{path}"));
        }
        if let Some(mut contents) = contents(fields, name, value) {
            return contents.find_map(|(field, value)| unknown_of(field, value));
        }
        (!has_rest).then(|| name.clone())
    })
}

/// Whether a field is stored under this name, or under its former one.
pub(super) fn is_stored_as(field: &FieldModel, name: &str) -> bool {
    !name.is_empty() && (field.attribute == name || field.former == name)
}

/// The values of a tuple variant with several values, each with its field.
pub(super) fn contents<'f>(
    fields: &'f [FieldModel],
    name: &str,
    value: &'f Value,
) -> Option<impl Iterator<Item = (&'f FieldModel, &'f Value)> + use<'f>> {
    let Value::L(values) = value else { return None };
    let begin = format!("{name}[");
    let is_all = fields
        .iter()
        .all(|field| field.attribute.starts_with(&begin));
    (is_all && fields.len() == values.len()).then(|| fields.iter().zip(values))
}
