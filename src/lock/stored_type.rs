//! The declared types of values under the names that the lock file has: newtypes are what they hold.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::rust_type::RustType;
use super::stored::{StoredAttribute, StoredFields, StoredValue, StoredVariant, ValueKind};
use crate::schema::{FieldSchema, ValueContent, ValueSchema, VariantSchema};

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

    fn resolve(&self, ty: &str, stack: &NewtypeStack) -> String {
        let Some(value) = self.values.get(ty) else {
            let mut ty = RustType::read(ty, &|name: &str| self.values.contains_key(name));
            for of in &mut ty.of {
                let resolved = self.resolve(&of.to_string(), stack);
                *of = RustType {
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
            // It holds itself, so it has to have a name.
            (_, true) => ty.to_owned(),
        }
    }

    /// The types that these types are made of.
    pub(super) fn reached<'t>(
        &self,
        types: impl Iterator<Item = &'t str>,
    ) -> BTreeMap<String, StoredValue> {
        let mut open: Vec<String> = types.map(str::to_owned).collect();
        let mut reached = BTreeMap::new();
        while let Some(ty) = open.pop() {
            let ty = RustType::read(&ty, &|name: &str| self.values.contains_key(name));
            let mut names = Vec::new();
            ty.names(&mut names);
            for name in names {
                let Some(value) = self
                    .values
                    .get(name)
                    .filter(|_| !reached.contains_key(name))
                else {
                    continue;
                };
                let stored = self.value(value);
                open.extend(stored.types().map(str::to_owned));
                reached.insert(name.to_owned(), stored);
            }
        }
        reached
    }

    fn value(&self, value: &ValueSchema) -> StoredValue {
        let (mut fields, mut variants) = (StoredFields::default(), BTreeMap::new());
        let mut add = |schemas: &[VariantSchema]| {
            variants = schemas
                .iter()
                .map(|variant| self.variant(variant))
                .collect();
        };
        let kind = match &value.content {
            ValueContent::Struct(schemas) => {
                fields = StoredFields::of(schemas, self);
                ValueKind::Struct
            }
            ValueContent::Newtype(inner) => {
                let stack = NewtypeStack::default();
                let (inner, _) = stack.within(&value.name, || self.resolve(inner, &stack));
                ValueKind::Wraps(inner)
            }
            ValueContent::Names(schemas) => {
                add(schemas);
                ValueKind::Names
            }
            ValueContent::Numbers(schemas) => {
                add(schemas);
                ValueKind::Numbers
            }
            ValueContent::Tagged { tag, variants } => {
                add(variants);
                ValueKind::Tagged(tag.clone())
            }
        };
        StoredValue {
            kind,
            fields,
            variants,
        }
    }

    fn variant(&self, variant: &VariantSchema) -> (String, StoredVariant) {
        let stored = StoredVariant {
            rust_name: (variant.name != variant.stored).then(|| variant.name.clone()),
            fields: StoredFields::of(&variant.fields, self),
        };
        (variant.stored.clone(), stored)
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
            self.endless.borrow_mut().insert(name.to_owned());
            return (name.to_owned(), true);
        }
        self.open.borrow_mut().push(name.to_owned());
        let inner = inner();
        self.open.borrow_mut().pop();
        (inner, self.endless.borrow_mut().remove(name))
    }
}

impl StoredValue {
    /// The types of all that it holds.
    pub(super) fn types(&self) -> impl Iterator<Item = &str> {
        let wraps = match &self.kind {
            ValueKind::Wraps(inner) => Some(inner.as_str()),
            _ => None,
        };
        let variants = self.variants.values().map(|variant| &variant.fields);
        let fields = [&self.fields].into_iter().chain(variants);
        let attributes = fields.flat_map(|fields| fields.attributes.values());
        wraps
            .into_iter()
            .chain(attributes.filter_map(StoredAttribute::seen_type))
    }
}

impl StoredAttribute {
    /// Its storage, if that is not known to serde alone.
    pub(super) fn seen_type(&self) -> Option<&str> {
        (self.form.as_deref() != Some("serde")).then_some(self.value_type.as_str())
    }
}
