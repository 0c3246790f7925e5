//! From the constants of declarations to a schema.

use std::collections::BTreeSet;

use super::value::{ValueTypes, filled};
use super::{
    AllowModel, AllowSchema, AttributeDef, Declaration, DeclaredEntity, EntityDef, EntityIndexDef,
    EntitySchema, ExpirySchema, FieldModel, FieldRole, FieldSchema, IndexDef, IndexKind,
    IndexSchema, KeyAttribute, KeyContent, KeyDef, KeySchema, KeySource, KeyType, LargeDef,
    LargeModel, LargeSchema, Origin, PartModel, PartSchema, PatternSchema, Piece, PieceSchema,
    Projection, ProjectionSchema, SHAPE, SecondKeySchema, ShapeSchema, TableDef, TableModel,
    TableSchema, TableSettings, UniqueDef, UniqueModel, UniqueRowSchema, UniqueSchema, VectorDef,
    VectorIndexSchema, VectorKeyDef, VectorSearchSchema,
};
use crate::json::Tag;

/// DynamoDB's limit over all indexes of a table that list their attributes.
pub(crate) const LISTED_ATTRIBUTES: usize = 100;

/// A table and its entities, side by side.
pub(crate) struct Layout {
    pub(crate) table: &'static TableDef,
    pub(crate) entities: &'static [&'static EntityDef],
    pub(crate) model: &'static TableModel,
}

impl Layout {
    pub(crate) fn schema(&self) -> TableSchema {
        // The types of all entities at once: the name of a type depends on the others that are
        // called the same.
        let values = ValueTypes::of(self.model.entities);
        let indexes = |kind: IndexKind| {
            let mine = self
                .table
                .indexes
                .iter()
                .filter(move |index| index.kind == kind);
            mine.map(|index| self.index(index)).collect()
        };
        TableSchema {
            name: self.table.name.to_owned(),
            pk: self.key(self.table.pk),
            sk: self.table.sk.map(|name| self.key(name)),
            global_indexes: indexes(IndexKind::Global),
            local_indexes: indexes(IndexKind::Local),
            vector_indexes: self.vector_indexes(),
            ttl: self.ttl().map(str::to_owned),
            stream: self.table.stream,
            doc: self.model.doc.to_owned(),
            type_attribute: self.table.type_attribute.map(str::to_owned),
            identify_by: self.table.identify_by,
            tenant: self.table.tenant.map(str::to_owned),
            style: self.table.style,
            entities: self.entities(&values),
            values: values.schemas(),
            collections: Vec::new(),
            settings: TableSettings::default(),
            allows: self.model.allows.iter().map(allow_schema).collect(),
            origin: Origin(Some(Declaration {
                id: self.table.id,
                is_shared: self.table.type_attribute.is_some(),
            })),
        }
    }

    fn entities(&self, values: &ValueTypes) -> Vec<EntitySchema> {
        let pairs = self.entities.iter().zip(self.model.entities);
        let entities = pairs.map(|(entity, model)| DeclaredEntity {
            table: self.table,
            entities: self.entities,
            entity,
            model,
        });
        entities.map(|entity| entity.schema(values)).collect()
    }

    fn ttl(&self) -> Option<&'static str> {
        self.entities.iter().find_map(|entity| entity.ttl)
    }

    /// All key attributes of all entities.
    fn keys(&self) -> impl Iterator<Item = &'static KeyDef> {
        self.entities.iter().flat_map(|entity| {
            let own = std::iter::once(&entity.pk).chain(entity.sk.as_ref());
            own.chain(entity.index_keys())
        })
    }

    /// A key attribute with its type: the one that its entities give it, text if none uses it.
    fn key(&self, name: &str) -> KeyAttribute {
        let ty = self
            .keys()
            .find(|key| key.attribute == name)
            .map_or(KeyType::S, |key| key.ty);
        KeyAttribute {
            name: name.to_owned(),
            ty,
        }
    }

    /// The vector indexes of all entities. In a table of several, each index also holds the type, by which a search finds
    /// only items of its entity.
    fn vector_indexes(&self) -> Vec<VectorIndexSchema> {
        let indexes = self.model.entities.iter().flat_map(|model| model.vectors);
        indexes.map(|index| self.vector_index(index)).collect()
    }

    fn vector_index(&self, index: &VectorDef) -> VectorIndexSchema {
        let key = |key: &VectorKeyDef| KeyAttribute {
            name: key.attribute.to_owned(),
            ty: key.ty,
        };
        let type_attribute = self.table.type_attribute.map(|name| KeyAttribute {
            name: name.to_owned(),
            ty: KeyType::S,
        });
        let filters = index.filters.iter().map(key).chain(type_attribute);
        let filters: Vec<KeyAttribute> = filters.collect();
        let projection = match index.project {
            Projection::All => ProjectionSchema::All,
            Projection::Keys if self.ttl().is_none() => ProjectionSchema::Keys,
            // Without the expiry, expired items would be returned. DynamoDB returns the attributes of filters anyway.
            Projection::Keys | Projection::Include(_) => {
                let listed: &[&'static str] = match index.project {
                    Projection::Include(listed) => listed,
                    _ => &[],
                };
                let names: BTreeSet<&str> = listed.iter().copied().chain(self.ttl()).collect();
                let is_held = |name: &&str| {
                    *name == self.table.pk
                        || self.table.sk == Some(*name)
                        || filters.iter().any(|filter| filter.name == *name)
                        || index.within.is_some_and(|within| within.attribute == *name)
                };
                let names = names.into_iter().filter(|name| !is_held(name));
                ProjectionSchema::Include(names.map(str::to_owned).collect())
            }
        };
        VectorIndexSchema {
            name: index.index.to_owned(),
            attribute: index.attribute.to_owned(),
            // The compiler has checked that it fits.
            dimensions: u16::try_from(index.dimensions).unwrap_or(u16::MAX),
            distance: index.distance,
            within: index.within.as_ref().map(key),
            filters,
            projection,
        }
    }

    fn index(&self, index: &IndexDef) -> IndexSchema {
        let attributes = |names: &[&str]| names.iter().map(|name| self.key(name)).collect();
        IndexSchema {
            name: index.name.to_owned(),
            pk: match index.kind {
                IndexKind::Global => attributes(index.pk),
                IndexKind::Local => attributes(&[self.table.pk]),
            },
            sk: attributes(index.sk),
            projection: self.projection(index),
        }
    }

    /// The attributes that an index holds. Rows of an index with keys alone are keys, or are hydrated, so it does without the
    /// shape.
    fn projection(&self, index: &IndexDef) -> ProjectionSchema {
        let Some(mut names) = self.listed(index) else {
            return ProjectionSchema::All;
        };
        if names.is_empty() {
            return ProjectionSchema::Keys;
        }
        // Always, and not only if an entity has a shape: DynamoDB cannot add it to an index that
        // exists, and a shape may be declared later.
        if self.has_room_for_shapes() {
            names.insert(SHAPE);
        }
        ProjectionSchema::Include(names.into_iter().map(str::to_owned).collect())
    }

    /// The attributes that were requested, and those that reading an index needs: type and TTL. `None` means all.
    fn listed(&self, index: &IndexDef) -> Option<BTreeSet<&'static str>> {
        let listed = match index.project {
            Projection::All => return None,
            Projection::Keys => &[][..],
            Projection::Include(listed) => listed,
        };
        let is_key = |name: &&str| {
            *name == self.table.pk
                || self.table.sk == Some(*name)
                || index.pk.contains(name)
                || index.sk.contains(name)
        };
        let all = listed
            .iter()
            .copied()
            // Without the type and the constants, rows of the index cannot be told apart, and without the expiry
            // expired ones would be returned.
            .chain(self.table.type_attribute)
            .chain(self.entities.iter().flat_map(|entity| {
                entity
                    .type_attribute
                    .into_iter()
                    .chain(entity.constant_names())
            }))
            .chain(self.ttl());
        Some(all.filter(|name| !is_key(name)).collect())
    }

    /// Whether all lists may have one more attribute. A table that is at the limit without it stays valid.
    fn has_room_for_shapes(&self) -> bool {
        let lists = self.table.indexes.iter();
        let lists = lists.filter_map(|index| self.listed(index));
        let with_shape = lists.filter(|listed| !listed.is_empty());
        // The limit of DynamoDB counts the attributes in the lists of all indexes of a table
        // together.
        with_shape.map(|listed| listed.len() + 1).sum::<usize>() <= LISTED_ATTRIBUTES
    }
}

impl DeclaredEntity {
    fn schema(self, values: &ValueTypes) -> EntitySchema {
        let (def, model) = (self.entity, self.model);
        let mut parts = model.parts.iter();
        let pk = key_schema(&def.pk, &mut parts);
        let sk = def.sk.as_ref().map(|key| key_schema(key, &mut parts));
        let patterns = def.indexes.iter();
        let patterns = patterns.map(|index| self.pattern(index, &mut parts));
        let uniques = def.uniques.iter().zip(model.uniques);
        let uniques = uniques.map(|(unique, model)| unique_schema(unique, model));
        EntitySchema {
            name: def.type_name.to_owned(),
            stored_name: def.stored_name.to_owned(),
            type_attribute: def.type_attribute.map(str::to_owned),
            constants: def.constants.iter().map(|it| it.schema()).collect(),
            doc: model.doc.to_owned(),
            append_only: def.append_only,
            shape: def.shape.map(|shape| ShapeSchema {
                number: shape.number,
                writes: shape.writes,
                was: shape.older.map(|older| older.type_name.to_owned()),
            }),
            second_key: def.second_key.map(|second| SecondKeySchema {
                other: second.other.identity(self.table).into_owned(),
                usage: second.usage,
            }),
            pk,
            sk,
            patterns: patterns.collect(),
            fields: model
                .fields
                .iter()
                .map(|field| self.field(field, values))
                .collect(),
            uniques: uniques.collect(),
            large: large_schemas(def.large, model.large, values),
            searches: model
                .vectors
                .iter()
                .map(|index| search_schema(index))
                .collect(),
            allows: model.allows.iter().map(allow_schema).collect(),
            values: Vec::new(),
            origin: Origin(Some(self)),
        }
    }

    fn field(self, field: &FieldModel, values: &ValueTypes) -> FieldSchema {
        let attribute =
            |known: &AttributeDef| !field.attribute.is_empty() && known.stored == field.attribute;
        let at = self.entity.attributes.iter().position(attribute);
        FieldSchema {
            stored: self.key_type(field.name).or(field.stored),
            // An attribute whose value is also in the key can be read from there if it is missing.
            is_required: at.is_some_and(|at| !(self.model.may_be_absent)(at))
                && !self.is_whole_in_key(field.name),
            expiry: self
                .entity
                .expiry
                .filter(|_| field.role == FieldRole::Ttl)
                .map(|expiry| ExpirySchema {
                    source: expiry.source.to_owned(),
                    seconds: expiry.seconds,
                }),
            ..values.field(field)
        }
    }

    /// Whether a template of the primary key holds all of a field, so that it is read from there.
    fn is_whole_in_key(self, field: &str) -> bool {
        // The parts of all keys are in one list, in the order of their declaration. So each key has
        // to take its own from it, even one that is of no interest here.
        let mut models = self.model.parts.iter();
        let mut is_whole = false;
        for key in [&self.entity.pk].into_iter().chain(&self.entity.sk) {
            let KeySource::Template(pieces) = key.source else {
                models.next();
                continue;
            };
            for piece in pieces {
                if let Piece::Part { field: part, .. } = piece {
                    let cuts = models.next().is_some_and(PartModel::is_cut);
                    is_whole |= *part == field && !cuts;
                }
            }
        }
        is_whole
    }

    /// The type of a field that is a key attribute.
    fn key_type(self, field: &str) -> Option<Tag> {
        let of_indexes = self.entity.index_keys();
        let own = [&self.entity.pk].into_iter().chain(&self.entity.sk);
        let is_it = |key: &&KeyDef| matches!(key.source, KeySource::Field(name) if name == field);
        own.chain(of_indexes).find(is_it).map(|key| match key.ty {
            KeyType::S => Tag::S,
            KeyType::N => Tag::N,
            KeyType::B => Tag::B,
        })
    }

    fn pattern<'p>(
        self,
        index: &EntityIndexDef,
        parts: &mut impl Iterator<Item = &'p PartModel>,
    ) -> PatternSchema {
        let mut declared = self.table.indexes.iter();
        let declared = declared.find(|declared| declared.name == index.index);
        PatternSchema {
            name: index.name.to_owned(),
            index: index.index.to_owned(),
            kind: index.kind,
            pk: index.pk.iter().map(|key| key_schema(key, parts)).collect(),
            sk: index.sk.iter().map(|key| key_schema(key, parts)).collect(),
            read_shards: index.read_shards,
            when: index.when.map(|when| when.condition.to_owned()),
            when_fields: index.when.map_or_else(Vec::new, |when| texts(when.fields)),
            when_values: index.when.map_or_else(Vec::new, |when| texts(when.values)),
            is_filling: index.filling,
            has_whole_rows: declared
                .is_some_and(|declared| matches!(declared.project, Projection::All)),
        }
    }
}

/// A key attribute; its parts are taken from those of the entity, which come in the same order.
fn key_schema<'p>(key: &KeyDef, parts: &mut impl Iterator<Item = &'p PartModel>) -> KeySchema {
    if !matches!(key.source, KeySource::Template(_)) {
        // A bare key or a number has an entry in the list, which is not needed here.
        parts.next();
    }
    key_of_formats(key, &mut parts.map(|part| part.format))
}

/// A key attribute; the formats are those of its parts.
fn key_of_formats(key: &KeyDef, formats: &mut impl Iterator<Item = &'static str>) -> KeySchema {
    let content = match key.source {
        KeySource::Field(field) => KeyContent::Field(field.to_owned()),
        KeySource::Number { field, .. } => KeyContent::Number(field.to_owned()),
        KeySource::Template(pieces) => {
            let pieces = pieces.iter().map(|piece| match piece {
                Piece::Literal(text) => PieceSchema::Text((*text).to_owned()),
                Piece::Shard(shards) => PieceSchema::Shard(*shards),
                Piece::Part {
                    field,
                    width,
                    presence,
                    ..
                } => PieceSchema::Part(PartSchema {
                    field: (*field).to_owned(),
                    format: formats.next().and_then(filled),
                    width: *width,
                    presence: *presence,
                }),
            });
            KeyContent::Template(pieces.collect())
        }
    };
    KeySchema {
        attribute: key.attribute.to_owned(),
        ty: key.ty,
        content,
    }
}

fn search_schema(index: &VectorDef) -> VectorSearchSchema {
    let fields: Vec<&str> = index.filters.iter().map(|filter| filter.field).collect();
    VectorSearchSchema {
        name: index.name.to_owned(),
        index: index.index.to_owned(),
        field: index.field.to_owned(),
        within: index.within.map(|within| within.field.to_owned()),
        filters: texts(&fields),
    }
}

fn large_schemas(
    defs: &[LargeDef],
    models: &[LargeModel],
    values: &ValueTypes,
) -> Vec<LargeSchema> {
    let pairs = defs.iter().zip(models);
    let schemas = pairs.map(|(def, model)| LargeSchema {
        name: def.name.to_owned(),
        stored: def.stored.to_owned(),
        element: model.element.map(|ty| values.text(ty)),
        rust_type: filled(model.rust_type),
        outside: def.outside,
    });
    schemas.collect()
}

fn unique_schema(unique: &UniqueDef, model: &UniqueModel) -> UniqueSchema {
    let mut formats = model.formats.iter().copied();
    let parts = model.pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(_) | Piece::Shard(_) => None,
        Piece::Part {
            field,
            width,
            presence,
            ..
        } => Some(PartSchema {
            field: (*field).to_owned(),
            format: formats.next().and_then(filled),
            width: *width,
            presence: *presence,
        }),
    });
    let parts = parts.collect();
    let mut formats = model.formats.iter().copied();
    let row = unique.row.map(|row| UniqueRowSchema {
        pk: key_of_formats(&row.pk, &mut formats),
        sk: row.sk.map(|sk| key_of_formats(&sk, &mut formats)),
        constants: row.constants.iter().map(|it| it.schema()).collect(),
    });
    UniqueSchema {
        name: unique.name.to_owned(),
        stored: unique.stored.to_owned(),
        fields: texts(unique.fields),
        parts,
        is_filling: unique.filling,
        row,
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn allow_schema(allow: &AllowModel) -> AllowSchema {
    AllowSchema {
        of: filled(allow.of),
        rule: allow.rule.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Style;

    /// How many attributes an index holds that lists so many.
    fn held(count: usize) -> usize {
        let name = |number| -> &'static str { Box::leak(format!("a{number}").into_boxed_str()) };
        let names: Vec<&'static str> = (0..count).map(name).collect();
        let index = IndexDef {
            name: "listed",
            kind: IndexKind::Global,
            pk: &["p"],
            sk: &[],
            project: Projection::Include(Box::leak(names.into_boxed_slice())),
        };
        let table = TableDef {
            id: "",
            name: "t",
            pk: "id",
            sk: None,
            type_attribute: None,
            identify_by: None,
            tenant: None,
            style: Style::Escaped,
            indexes: Box::leak(Box::new([index])),
            stream: None,
        };
        let layout = Layout {
            table: Box::leak(Box::new(table)),
            entities: &[],
            model: &TableModel::EMPTY,
        };
        match layout.schema().global_indexes.first() {
            Some(IndexSchema {
                projection: ProjectionSchema::Include(names),
                ..
            }) => names.len(),
            _ => 0,
        }
    }

    #[test]
    fn lists_have_the_shape_unless_they_are_full() {
        assert_eq!([1, 99, 100].map(held), [2, 100, 100]);
    }
}
