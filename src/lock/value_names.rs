//! The declared types of values under the names that the lock file has: newtypes are what they hold.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::stored::{rest_field, seen_type, sorted, sorted_fields};
use crate::schema::{FieldRole, FieldSchema, StoredType, ValueContent, ValueSchema, VariantSchema};

/// The declared types of a table.
pub(super) struct ValueNames<'s> {
    values: BTreeMap<&'s str, &'s ValueSchema>,
}

impl<'s> ValueNames<'s> {
    pub(super) fn of(values: &'s [ValueSchema]) -> Self {
        let values = values.iter().map(|value| (value.name.as_str(), value));
        ValueNames {
            values: values.collect(),
        }
    }

    /// The type of a field without newtypes.
    pub(super) fn resolved(&self, field: &FieldSchema) -> String {
        match &field.value_type {
            Some(ty) => self.resolve(ty, &NewtypeStack::default()),
            None => field.rust_type.clone(),
        }
    }

    /// A type without newtypes.
    pub(super) fn resolved_type(&self, ty: &str) -> String {
        self.resolve(ty, &NewtypeStack::default())
    }

    fn resolve(&self, ty: &str, stack: &NewtypeStack) -> String {
        let Some(value) = self.values.get(ty) else {
            // Not a declared type itself, but its parameters may be.
            let mut ty = StoredType::read(ty, &|name: &str| self.values.contains_key(name));
            for of in &mut ty.of {
                let resolved = self.resolve(&of.to_string(), stack);
                *of = StoredType {
                    name: resolved,
                    of: Vec::new(),
                };
            }
            return ty.to_string();
        };
        let ValueContent::Newtype(inner) = &value.content else {
            return ty.to_owned();
        };
        match stack.within(ty, || self.resolve(inner, stack)) {
            (resolved, false) => resolved,
            // It holds itself, and without its name the text would never end.
            (_, true) => ty.to_owned(),
        }
    }

    /// The fields that are stored, with their types resolved.
    pub(super) fn stored_fields(&self, fields: &[FieldSchema]) -> Vec<FieldSchema> {
        let stored = fields.iter().filter_map(|field| match field.role {
            FieldRole::Rest => Some(rest_field()),
            _ => field.attribute.as_ref().map(|_| FieldSchema {
                value_type: Some(self.resolved(field)),
                rust_type: String::new(),
                doc: String::new(),
                // Only masked copies depend on it.
                is_personal: false,
                ..field.clone()
            }),
        });
        stored.collect()
    }

    /// The declared types that these types are made of, sorted by their names.
    pub(super) fn reached<'t>(&self, types: impl Iterator<Item = &'t str>) -> Vec<ValueSchema> {
        let mut open: Vec<String> = types.map(str::to_owned).collect();
        let mut reached = BTreeMap::new();
        while let Some(ty) = open.pop() {
            let ty = StoredType::read(&ty, &|name: &str| self.values.contains_key(name));
            let mut names = Vec::new();
            ty.names(&mut names);
            for name in names {
                let Some(value) = self
                    .values
                    .get(name)
                    // Types may hold each other in a circle.
                    .filter(|_| !reached.contains_key(name))
                else {
                    continue;
                };
                let stored = self.value(value);
                open.extend(types_of(&stored.content).into_iter().map(str::to_owned));
                reached.insert(name.to_owned(), stored);
            }
        }
        reached.into_values().collect()
    }

    fn value(&self, value: &ValueSchema) -> ValueSchema {
        let content = match &value.content {
            ValueContent::Struct(fields) => ValueContent::Struct(self.fields(fields)),
            ValueContent::Newtype(inner) => {
                let stack = NewtypeStack::default();
                // Only newtypes that hold themselves get here; the others are replaced by what they
                // hold.
                let (inner, _) = stack.within(&value.name, || self.resolve(inner, &stack));
                ValueContent::Newtype(inner)
            }
            ValueContent::Names(variants) => ValueContent::Names(self.variants(variants)),
            ValueContent::Numbers(variants) => ValueContent::Numbers(self.variants(variants)),
            ValueContent::Tagged { tag, variants } => ValueContent::Tagged {
                tag: tag.clone(),
                variants: self.variants(variants),
            },
        };
        ValueSchema {
            name: value.name.clone(),
            doc: String::new(),
            content,
        }
    }

    fn variants(&self, variants: &[VariantSchema]) -> Vec<VariantSchema> {
        let stored = variants.iter().map(|variant| VariantSchema {
            fields: self.fields(&variant.fields),
            ..variant.clone()
        });
        sorted(stored, |variant| &variant.stored)
    }

    fn fields(&self, fields: &[FieldSchema]) -> Vec<FieldSchema> {
        sorted_fields(self.stored_fields(fields).into_iter())
    }
}

/// The newtypes that are being resolved, and those among them that hold themselves.
#[derive(Debug, Default)]
struct NewtypeStack {
    open: RefCell<Vec<String>>,
    endless: RefCell<BTreeSet<String>>,
}

impl NewtypeStack {
    /// The type within a newtype, and whether the newtype is part of that.
    fn within(&self, name: &str, inner: impl FnOnce() -> String) -> (String, bool) {
        if self.open.borrow().iter().any(|open| open == name) {
            // The outermost use of this newtype has to know, and it is reached only when all inner
            // ones have returned.
            self.endless.borrow_mut().insert(name.to_owned());
            return (name.to_owned(), true);
        }
        self.open.borrow_mut().push(name.to_owned());
        let inner = inner();
        self.open.borrow_mut().pop();
        (inner, self.endless.borrow_mut().remove(name))
    }
}

/// The types of all that a value holds.
fn types_of(content: &ValueContent) -> Vec<&str> {
    if let ValueContent::Newtype(inner) = content {
        return vec![inner];
    }
    let of_variants = content
        .variants()
        .iter()
        .flat_map(|variant| &variant.fields);
    let fields = content.fields().iter().chain(of_variants);
    fields.filter_map(seen_type).collect()
}
