//! The types of values that the fields of a table hold: found, named, and made into data. Each is told once and goes by
//! its name elsewhere, because a value may hold values of its own type.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    EntityModel, FieldModel, FieldSchema, NamedType, ShapeModel, TypeModel, TypeOf, ValueContent,
    ValueModel, ValueSchema, VariantModel, VariantSchema,
};
use crate::codec::model::is_known_name;

/// The declared types that fields hold.
#[derive(Debug, Default)]
pub(super) struct ValueTypes {
    /// By the path of the type with its parameters.
    found: BTreeMap<&'static str, &'static ValueModel>,
    /// The names of the types, by the path without parameters.
    names: BTreeMap<&'static str, String>,
}

impl ValueTypes {
    pub(super) fn of(entities: &[&EntityModel]) -> Self {
        let mut types = ValueTypes::default();
        for entity in entities {
            types.find_in(entity.fields);
            let elements = entity.large.iter().filter_map(|value| value.element);
            elements.for_each(|ty| types.find(ty));
        }
        types.name();
        types
    }

    fn find_in(&mut self, fields: &[FieldModel]) {
        for field in fields {
            field.value_type.into_iter().for_each(|ty| self.find(ty));
        }
    }

    fn find(&mut self, ty: TypeOf) {
        let NamedType { path, model } = ty();
        match model {
            TypeModel::Unseen | TypeModel::Known { .. } => {}
            TypeModel::Of { elements, .. } | TypeModel::Tuple { elements } => {
                elements.iter().for_each(|element| self.find(*element));
            }
            TypeModel::Array { element, .. } => self.find(element),
            TypeModel::Declared { value } => {
                // Types may contain each other in a circle, so each one is looked into once.
                if self.found.insert(path, value).is_some() {
                    return;
                }
                value.params.iter().for_each(|param| self.find(*param));
                match value.shape {
                    ShapeModel::Struct { fields } => self.find_in(fields),
                    ShapeModel::Newtype { inner } => self.find(inner),
                    ShapeModel::Names { variants }
                    | ShapeModel::Numbers { variants }
                    | ShapeModel::Tagged { variants, .. } => {
                        variants
                            .iter()
                            .for_each(|variant| self.find_in(variant.fields));
                    }
                }
            }
        }
    }

    /// A type goes by its last name; types of one name, and those with a name of the library's, by as much of their paths
    /// as tells them apart.
    fn name(&mut self) {
        let mut alike: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
        for (path, value) in &self.found {
            alike
                .entry(value.name)
                .or_default()
                .insert(base(path, value));
        }
        for (name, bases) in alike {
            let is_known = is_known_name(name);
            let longest = bases.iter().map(|base| base.split("::").count()).max();
            let shown = |count: usize| -> BTreeSet<String> {
                bases.iter().map(|base| tail(base, count)).collect()
            };
            // A declared type with the name of a known one, as `Decimal`, gets its module in front,
            // so that the two are not confused.
            let counts = 1 + usize::from(is_known)..=longest.unwrap_or(1);
            let count = counts
                .clone()
                .find(|count| shown(*count).len() == bases.len());
            let count = count.unwrap_or(*counts.end());
            self.names
                .extend(bases.iter().map(|base| (*base, tail(base, count))));
        }
    }

    /// The type as text: `Vec<Line>`.
    pub(super) fn text(&self, ty: TypeOf) -> String {
        let NamedType { path, model } = ty();
        match model {
            TypeModel::Unseen => unseen_name(path),
            TypeModel::Known { name } => name.to_owned(),
            TypeModel::Of { name, elements } => format!("{name}<{}>", self.texts(elements)),
            TypeModel::Array { element, len } => format!("[{};{len}]", self.text(element)),
            TypeModel::Tuple { elements } => format!("({})", self.texts(elements)),
            TypeModel::Declared { value } => self.declared(path, value),
        }
    }

    fn texts(&self, types: &[TypeOf]) -> String {
        let texts = types.iter().map(|ty| self.text(*ty));
        texts.collect::<Vec<_>>().join(",")
    }

    fn declared(&self, path: &'static str, value: &ValueModel) -> String {
        let name = self.names.get(base(path, value));
        let name = name.map_or(value.name, String::as_str);
        match value.params {
            [] => name.to_owned(),
            params => format!("{name}<{}>", self.texts(params)),
        }
    }

    /// All types, by their names.
    pub(super) fn schemas(&self) -> Vec<ValueSchema> {
        let values = self.found.iter().map(|(path, value)| ValueSchema {
            name: self.declared(path, value),
            doc: value.doc.to_owned(),
            content: self.content(value.shape),
        });
        let mut values: Vec<ValueSchema> = values.collect();
        values.sort_by(|one, other| one.name.cmp(&other.name));
        values
    }

    fn content(&self, shape: ShapeModel) -> ValueContent {
        let variants = |variants: &[VariantModel]| {
            variants
                .iter()
                .map(|variant| self.variant(variant))
                .collect()
        };
        match shape {
            ShapeModel::Struct { fields } => ValueContent::Struct(self.fields(fields)),
            ShapeModel::Newtype { inner } => ValueContent::Newtype(self.text(inner)),
            ShapeModel::Names { variants: names } => ValueContent::Names(variants(names)),
            ShapeModel::Numbers { variants: numbers } => ValueContent::Numbers(variants(numbers)),
            ShapeModel::Tagged {
                tag,
                variants: data,
            } => ValueContent::Tagged {
                tag: tag.to_owned(),
                variants: variants(data),
            },
        }
    }

    fn variant(&self, variant: &VariantModel) -> VariantSchema {
        VariantSchema {
            name: variant.name.to_owned(),
            stored: variant.stored.to_owned(),
            fields: self.fields(variant.fields),
        }
    }

    fn fields(&self, fields: &[FieldModel]) -> Vec<FieldSchema> {
        fields.iter().map(|field| self.field(field)).collect()
    }

    /// A field of a value. Whether one of an entity is required, and what a key attribute is stored as, is said elsewhere.
    pub(super) fn field(&self, field: &FieldModel) -> FieldSchema {
        let may_be_absent = field
            .may_be_absent
            .is_none_or(|may_be_absent| may_be_absent());
        FieldSchema {
            name: field.name.to_owned(),
            attribute: filled(field.attribute),
            rust_type: field.rust_type.to_owned(),
            value_type: field.value_type.map(|ty| self.text(ty)),
            stored: field.stored,
            role: field.role,
            is_required: !field.attribute.is_empty() && field.default.is_empty() && !may_be_absent,
            form: filled(field.form),
            default: filled(field.default),
            former: filled(field.former),
            former_use: field.former_use,
            is_personal: field.is_personal,
            expiry: None,
            doc: field.doc.to_owned(),
        }
    }
}

/// A text that says something.
pub(super) fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The path without parameters.
fn base(path: &'static str, value: &ValueModel) -> &'static str {
    match value.params {
        [] => path,
        _ => {
            let end = path.find(&format!("{}<", value.name));
            end.map_or(path, |end| &path[..end + value.name.len()])
        }
    }
}

/// The last so many names of a path.
fn tail(path: &str, count: usize) -> String {
    let names: Vec<&str> = path.split("::").collect();
    names[names.len().saturating_sub(count)..].join("::")
}

/// The crate and the name of a type; modules are left out, because types move between them. An `Option` at the front says
/// that the value may be missing, which is said elsewhere.
fn unseen_name(path: &str) -> String {
    let is_name =
        |character: char| character.is_alphanumeric() || character == '_' || character == ':';
    let (mut text, mut rest) = (String::new(), path);
    while !rest.is_empty() {
        let end = rest
            .find(|character| !is_name(character))
            .unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        // The standard library shows one type by the names of several crates, and moves types between them.
        let is_of_language = ["core::", "alloc::", "std::"]
            .iter()
            .any(|front| name.starts_with(front));
        text.push_str(&match name.split_once("::") {
            Some((_, _)) if is_of_language => tail(name, 1),
            Some((package, _)) => format!("{package}::{}", tail(name, 1)),
            None => name.to_owned(),
        });
        let other = behind.find(is_name).unwrap_or(behind.len());
        text.extend(
            behind[..other]
                .chars()
                .filter(|character| *character != ' '),
        );
        rest = &behind[other..];
    }
    let within = text
        .strip_prefix("Option<")
        .and_then(|text| text.strip_suffix('>'));
    within.map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_without_a_model_goes_by_its_package_and_name() {
        for (path, name) in [
            ("shop::money::Cents", "shop::Cents"),
            ("core::option::Option<shop::Cents>", "shop::Cents"),
            (
                "core::option::Option<alloc::vec::Vec<core::option::Option<u32>>>",
                "Vec<Option<u32>>",
            ),
            ("(shop::a::A, b::B)", "(shop::A,b::B)"),
            ("u32", "u32"),
            ("", ""),
        ] {
            assert_eq!(unseen_name(path), name, "{path}");
        }
    }
}
