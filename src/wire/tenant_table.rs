//! The positions of the tenant in the keys of a table, read from its declaration.

use crate::error::{Error, Result};
use crate::key::escape_part;
use crate::schema::{
    EntitySchema, KeyContent, KeySchema, KeyType, PieceSchema, Style, TableSchema, UniqueSchema,
};

/// The positions of the tenant in the keys of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TenantTable {
    /// With the prefix of the connection.
    name: String,
    /// The partition key.
    pk: String,
    /// The global indexes, each with the attribute of its partition key, the first one of several.
    indexes: Vec<(String, String)>,
    local_indexes: Vec<String>,
    /// The attributes by which searches of vector indexes are limited to a tenant.
    vector_partitions: Vec<String>,
    /// The forms of keys in each of these attributes.
    forms: Vec<(String, KeyForm)>,
}

/// The position of the tenant in a key.
#[derive(Debug, PartialEq, Eq)]
enum KeyForm {
    /// The key is the tenant.
    Bare,
    /// The tenant is the part with this number after the front. A front ends a part, so it counts as none.
    Part { front: String, number: usize },
}

impl TenantTable {
    /// Reads the positions from the declarations of tables, each with its full name. Two different declarations of one table
    /// are an error, because a key of one could be unknown to the other.
    pub(crate) fn of_schemas(
        schemas: impl Iterator<Item = (String, TableSchema)>,
    ) -> Result<Vec<Self>> {
        let mut tables: Vec<TenantTable> = Vec::new();
        for (name, schema) in schemas {
            let table = TenantTable::of_schema(&schema, name)?;
            match tables.iter().find(|known| known.name == table.name) {
                None => tables.push(table),
                Some(known) if *known == table => {}
                Some(_) => {
                    return Err(Error::config(format!(
                        "two declarations of table `{}` have different keys: name the one that contains all of its entities and indexes",
                        table.name
                    )));
                }
            }
        }
        Ok(tables)
    }

    /// Reads the positions from the declaration of a table.
    pub(crate) fn of_schema(schema: &TableSchema, name: String) -> Result<Self> {
        let refuse = |reason: String| {
            Error::config(format!(
                "table `{}` has no connections of a tenant: {reason}",
                schema.name
            ))
        };
        let Some(tenant) = &schema.tenant else {
            return Err(refuse(
                "declare its `tenant = ..`, the field with which every partition key begins".into(),
            ));
        };
        if schema.style != Style::Escaped {
            return Err(refuse("its keys are `verbatim`".into()));
        }
        let indexes = schema.global_indexes.iter().filter_map(|index| {
            let first = index.pk.first()?;
            Some((index.name.clone(), first.name.clone()))
        });
        let mut table = TenantTable {
            name,
            pk: schema.pk.name.clone(),
            indexes: indexes.collect(),
            local_indexes: (schema.local_indexes.iter())
                .map(|index| index.name.clone())
                .collect(),
            vector_partitions: Vec::new(),
            forms: Vec::new(),
        };
        for index in &schema.vector_indexes {
            // A search of an index without `within` finds the items of all tenants.
            let within = index.within.as_ref().filter(|key| key.ty == KeyType::S);
            let Some(within) = within else {
                return Err(refuse(format!(
                    "the vector index `{}` has no partitions of a tenant: declare `within = {tenant}`",
                    index.name
                )));
            };
            table.vector_partitions.push(within.name.clone());
            table.add_form(&within.name, KeyForm::Bare);
        }
        if let Some(entity) = schema
            .entities
            .iter()
            .find(|entity| !entity.large.is_empty())
        {
            return Err(refuse(format!(
                "`{}` has lists or blobs beside its items, whose keys are not compared yet: use a connection without a tenant",
                entity.name
            )));
        }
        for entity in &schema.entities {
            table.add_entity(schema, entity, tenant).map_err(refuse)?;
        }
        match table.has_ambiguous_forms() {
            true => Err(refuse(
                "the text before the tenant in one key is the beginning of another key".into(),
            )),
            false => Ok(table),
        }
    }

    /// Adds the forms of the keys of an entity, or returns the reason for which the table is rejected.
    fn add_entity(
        &mut self,
        schema: &TableSchema,
        entity: &EntitySchema,
        tenant: &str,
    ) -> Result<(), String> {
        let no_tenant =
            |key: String| format!("{key} of `{}` does not begin with `{tenant}`", entity.name);
        for key in entity
            .all_keys()
            .filter(|key| schema_has(schema, &key.attribute))
        {
            let form = form_of(key, tenant)
                .ok_or_else(|| no_tenant(format!("the key `{}`", key.attribute)))?;
            self.add_form(&key.attribute, form);
        }
        for field in &entity.fields {
            let attribute = field.attribute.as_deref().unwrap_or_default();
            if field.name == tenant {
                continue;
            }
            if schema_has(schema, attribute) {
                return Err(no_tenant(format!("the attribute `{attribute}`")));
            }
            if self.is_vector_partition(attribute) {
                return Err(format!(
                    "`{attribute}` of `{}` is the `within` of a vector index and not the tenant: declare `within = {tenant}`",
                    entity.name
                ));
            }
        }
        for unique in &entity.uniques {
            if unique.row.is_some() {
                return Err(format!(
                    "the rows of the unique value `{}` of `{}` have keys of another program, which are not compared yet: use a connection without a tenant",
                    unique.name, entity.name
                ));
            }
            let form = form_of_unique(schema, entity, unique, tenant).ok_or_else(|| {
                format!(
                    "the unique value `{}` of `{}` does not contain `{tenant}`",
                    unique.name, entity.name
                )
            })?;
            self.add_form(&schema.pk.name, form);
        }
        Ok(())
    }

    fn add_form(&mut self, attribute: &str, form: KeyForm) {
        let form = (attribute.to_owned(), form);
        if !self.forms.contains(&form) {
            self.forms.push(form);
        }
    }

    /// Whether one key could belong to two tenants.
    fn has_ambiguous_forms(&self) -> bool {
        let numbered = self.forms.iter().enumerate();
        let mut pairs = numbered.flat_map(|(at, form)| {
            let later = self.forms.iter().skip(at + 1);
            later.map(move |other| (form, other))
        });
        pairs.any(|((attribute, form), (other, other_form))| {
            attribute == other && form.may_equal(other_form)
        })
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    /// Whether an attribute is the partition key of the table.
    pub(super) fn is_primary(&self, attribute: &str) -> bool {
        self.pk == attribute
    }

    /// Whether a partition key is one of the tenant, which is given as a bare key and as a part.
    pub(super) fn is_own_key(
        &self,
        attribute: &str,
        key: &str,
        (bare, part): (&str, &str),
    ) -> bool {
        let forms = self.forms.iter().filter(|(name, _)| name == attribute);
        forms.map(|(_, form)| form).any(|form| match form {
            KeyForm::Bare => key == bare,
            KeyForm::Part { front, number } => key
                .strip_prefix(front.as_str())
                .is_some_and(|parts| parts.split('#').nth(*number) == Some(part)),
        })
    }

    /// Whether an attribute is the partition key of the table, the first one of a global index, or the partition of a vector
    /// index.
    pub(super) fn is_partition(&self, attribute: &str) -> bool {
        self.pk == attribute
            || self.indexes.iter().any(|(_, first)| first == attribute)
            || self.is_vector_partition(attribute)
    }

    fn is_vector_partition(&self, attribute: &str) -> bool {
        self.vector_partitions.iter().any(|name| name == attribute)
    }

    /// The attribute of the partition key that a query names.
    pub(super) fn partition_of(&self, index: Option<&str>) -> Option<&str> {
        let Some(index) = index else {
            return Some(&self.pk);
        };
        if self.local_indexes.iter().any(|name| name == index) {
            return Some(&self.pk);
        }
        let found = self.indexes.iter().find(|(name, _)| name == index);
        found.map(|(_, first)| first.as_str())
    }
}

impl KeyForm {
    /// Whether a key of one tenant in this form could be one of another tenant in another form. No form is there twice.
    fn may_equal(&self, other: &KeyForm) -> bool {
        let (KeyForm::Part { front: one, .. }, KeyForm::Part { front: two, .. }) = (self, other)
        else {
            return true;
        };
        // No escaped text begins with `$`, so no template is like a sentinel.
        one.starts_with('$') == two.starts_with('$')
            && (one.starts_with(two.as_str()) || two.starts_with(one.as_str()))
    }
}

/// Whether an attribute is the partition key of the table, or the first one of a global index.
fn schema_has(schema: &TableSchema, attribute: &str) -> bool {
    let indexes = schema.global_indexes.iter();
    let mut firsts = indexes.filter_map(|index| index.pk.first());
    schema.pk.name == attribute || firsts.any(|first| first.name == attribute)
}

fn form_of(key: &KeySchema, tenant: &str) -> Option<KeyForm> {
    if key.ty != KeyType::S {
        return None;
    }
    let pieces = match &key.content {
        KeyContent::Field(field) => return (field == tenant).then_some(KeyForm::Bare),
        KeyContent::Number(_) => return None,
        KeyContent::Template(pieces) => pieces.as_slice(),
    };
    let (front, pieces) = match pieces {
        [PieceSchema::Text(front), rest @ ..] => (front.as_str(), rest),
        all => ("", all),
    };
    let ends = match pieces.get(1) {
        None | Some(PieceSchema::Shard(_)) => true,
        Some(PieceSchema::Text(text)) => text.starts_with('#'),
        Some(PieceSchema::Part(_)) => false,
    };
    match pieces.first() {
        Some(PieceSchema::Part(part)) if part.field == tenant && part.format.is_none() && ends => {
            Some(KeyForm::Part {
                front: front.to_owned(),
                number: 0,
            })
        }
        _ => None,
    }
}

/// The form of the sentinels of a unique value.
fn form_of_unique(
    schema: &TableSchema,
    entity: &EntitySchema,
    unique: &UniqueSchema,
    tenant: &str,
) -> Option<KeyForm> {
    let mut front = b"$UNIQUE#".to_vec();
    if schema.type_attribute.is_some() {
        escape_part(&entity.stored_name, Style::Escaped, &mut front);
        front.push(b'#');
    }
    escape_part(&unique.stored, Style::Escaped, &mut front);
    front.push(b'#');
    let number = unique.parts.iter().position(|part| part.field == tenant)?;
    Some(KeyForm::Part {
        front: String::from_utf8(front).ok()?,
        number,
    })
}
