//! Converts declarations into their stored form.

use super::stored::{condition_text, seen_type, sorted, sorted_fields, table};
use super::value_names::ValueNames;
use crate::error::{Error, Result};
use crate::schema::{
    EntitySchema, FieldSchema, IndexSchema, KeyContent, KeySchema, LargeSchema, PartSchema,
    PatternSchema, PieceSchema, ProjectionSchema, SHAPE, ShapeSchema, TableSchema, TableSettings,
    UniqueRowSchema, UniqueSchema, VectorIndexSchema,
};

/// The stored form of all tables of a program, sorted by their names.
pub(super) fn stored_form(
    schemas: impl IntoIterator<Item = TableSchema>,
) -> Result<Vec<TableSchema>> {
    let mut tables: Vec<TableSchema> = Vec::new();
    for schema in schemas {
        if table(&tables, &schema.name).is_some() {
            let name = &schema.name;
            return Err(Error::config(format!(
                "two of the schemas are of a table `{name}`: give each table once, by its one declaration"
            )));
        }
        tables.push(stored_table(&schema));
    }
    Ok(sorted(tables.into_iter(), |table| &table.name))
}

fn stored_table(schema: &TableSchema) -> TableSchema {
    let names = ValueNames::of(&schema.values);
    let entities = schema.entities.iter();
    let entities = entities.map(|entity| AttributeNames(entity).entity(schema, &names));
    TableSchema {
        // Sorted, because the order of declarations is stored nowhere and must not make two
        // files different.
        global_indexes: stored_indexes(&schema.global_indexes),
        local_indexes: stored_indexes(&schema.local_indexes),
        vector_indexes: sorted(schema.vector_indexes.iter().map(stored_vector), |index| {
            &index.name
        }),
        // The stored form of an entity has its constants in this name too, because several entities may have one type.
        entities: sorted(entities, |entity| &entity.stored_name),
        values: Vec::new(),
        collections: Vec::new(),
        doc: String::new(),
        settings: TableSettings::default(),
        allows: Vec::new(),
        // The tenant is a rule for declarations, and no item stores it.
        tenant: None,
        ..schema.clone()
    }
}

fn stored_indexes(indexes: &[IndexSchema]) -> Vec<IndexSchema> {
    let stored = indexes.iter().map(|index| IndexSchema {
        projection: declared_projection(index),
        ..index.clone()
    });
    sorted(stored, |index| &index.name)
}

fn stored_vector(index: &VectorIndexSchema) -> VectorIndexSchema {
    VectorIndexSchema {
        // The order of conditions has no meaning.
        filters: sorted(index.filters.iter().cloned(), |filter| &filter.name),
        ..index.clone()
    }
}

/// The attributes that an index was declared to hold. The shape is in none of them, and older indexes lack it.
fn declared_projection(index: &IndexSchema) -> ProjectionSchema {
    let ProjectionSchema::Include(names) = &index.projection else {
        return index.projection.clone();
    };
    // DynamoDB cannot add an attribute to the projection of an index that exists, so a first
    // `shape` must not demand a new index.
    let declared = names.iter().filter(|name| name.as_str() != SHAPE);
    let declared: Vec<String> = declared.cloned().collect();
    match declared.is_empty() {
        true => ProjectionSchema::Keys,
        false => ProjectionSchema::Include(declared),
    }
}

/// Turns the names of fields in keys into those of attributes: what a field is called in Rust is not stored.
#[derive(Clone, Copy)]
struct AttributeNames<'s>(&'s EntitySchema);

impl AttributeNames<'_> {
    fn stored(self, field: &str) -> String {
        let known = self.0.field(field);
        let attribute = known.and_then(|field| field.attribute.clone());
        attribute.unwrap_or_else(|| field.to_owned())
    }

    fn entity(self, table: &TableSchema, names: &ValueNames<'_>) -> EntitySchema {
        let mut fields = names.stored_fields(&self.0.fields);
        fields.extend(self.key_only(names));
        for expiry in fields.iter_mut().filter_map(|field| field.expiry.as_mut()) {
            expiry.source = self.stored(&expiry.source);
        }
        let patterns = self.0.patterns.iter().map(|pattern| self.pattern(pattern));
        let uniques = self.0.uniques.iter().map(|unique| UniqueSchema {
            fields: Vec::new(),
            parts: unique.parts.iter().map(|part| self.part(part)).collect(),
            row: unique.row.as_ref().map(|row| UniqueRowSchema {
                pk: self.key(&row.pk),
                sk: row.sk.as_ref().map(|key| self.key(key)),
                constants: sorted(row.constants.iter().cloned(), |it| &it.attribute),
            }),
            ..unique.clone()
        });
        let large = self.0.large.iter().map(|value| LargeSchema {
            name: String::new(),
            stored: value.stored.clone(),
            element: value.element.as_ref().map(|ty| names.resolved_type(ty)),
            rust_type: None,
            outside: value.outside,
        });
        let large = sorted(large, |value| &value.stored);
        // A new word of the declaration is part of the stored form, unless this removes it.
        EntitySchema {
            name: String::new(),
            stored_name: self.0.identity(table),
            constants: sorted(self.0.constants.iter().cloned(), |it| &it.attribute),
            doc: String::new(),
            allows: Vec::new(),
            // The indexes of the table have all that is stored.
            searches: Vec::new(),
            // Whether there is a `was` matters, the name of its struct is stored nowhere.
            shape: self.0.shape.as_ref().map(|shape| ShapeSchema {
                was: shape.was.as_ref().map(|_| String::new()),
                ..*shape
            }),
            pk: self.key(&self.0.pk),
            sk: self.0.sk.as_ref().map(|key| self.key(key)),
            patterns: sorted(patterns, |pattern| &pattern.name),
            uniques: sorted(uniques, |unique| &unique.stored),
            values: {
                let elements = large.iter().filter_map(|value| value.element.as_deref());
                names.reached(fields.iter().filter_map(seen_type).chain(elements))
            },
            large,
            fields: sorted_fields(fields.into_iter()),
            ..self.0.clone()
        }
    }

    /// A field that is in no attribute and in no key is not stored at all.
    fn key_only(self, names: &ValueNames<'_>) -> Vec<FieldSchema> {
        let in_keys: Vec<&str> = self.0.all_keys().flat_map(KeySchema::fields).collect();
        let fields = self.0.fields.iter();
        let only_there = fields
            .filter(|field| field.attribute.is_none() && in_keys.contains(&field.name.as_str()));
        only_there
            .map(|field| FieldSchema {
                name: field.name.clone(),
                value_type: Some(names.resolved(field)),
                ..FieldSchema::default()
            })
            .collect()
    }

    fn key(self, key: &KeySchema) -> KeySchema {
        KeySchema {
            content: match &key.content {
                KeyContent::Field(field) => KeyContent::Field(self.stored(field)),
                KeyContent::Number(field) => KeyContent::Number(self.stored(field)),
                KeyContent::Template(pieces) => KeyContent::Template(self.template(pieces)),
            },
            ..key.clone()
        }
    }

    /// No text is empty, or beside another one.
    fn template(self, declared: &[PieceSchema]) -> Vec<PieceSchema> {
        let mut pieces = Vec::new();
        for piece in declared {
            match piece {
                // Two templates that write the same text give the same pieces, however it is cut
                // into literals.
                PieceSchema::Text(text) if text.is_empty() => {}
                PieceSchema::Text(text) => match pieces.last_mut() {
                    Some(PieceSchema::Text(before)) => before.push_str(text),
                    _ => pieces.push(PieceSchema::Text(text.clone())),
                },
                PieceSchema::Part(part) => pieces.push(PieceSchema::Part(self.part(part))),
                PieceSchema::Shard(count) => pieces.push(PieceSchema::Shard(*count)),
            }
        }
        pieces
    }

    fn part(self, part: &PartSchema) -> PartSchema {
        PartSchema {
            field: self.stored(&part.field),
            ..part.clone()
        }
    }

    fn pattern(self, pattern: &PatternSchema) -> PatternSchema {
        let mut stored = PatternSchema {
            pk: pattern.pk.iter().map(|key| self.key(key)).collect(),
            sk: pattern.sk.iter().map(|key| self.key(key)).collect(),
            when_fields: Vec::new(),
            when_values: Vec::new(),
            has_whole_rows: false,
            ..pattern.clone()
        };
        // Only a condition on the values of one field can be written with stored names. Any other
        // stays the text of its Rust expression.
        if let ([field], Some(_), false) = (
            &pattern.when_fields[..],
            &pattern.when,
            pattern.when_values.is_empty(),
        ) {
            let field = self.stored(field);
            stored.when = Some(condition_text(&field, &pattern.when_values));
            stored.when_fields = vec![field];
            stored.when_values = pattern.when_values.clone();
        }
        stored
    }
}
