//! The model for a command line: entities and access patterns with their names, and parts of keys with their input.

use std::future::Future;
use std::io::Read;
use std::pin::Pin;

use dynamo_entity::bulk::Bulk;
use dynamo_entity::query::{DynamicCollection, DynamicEntity, DynamicQuery};
use dynamo_entity::schema::{EntitySchema, KeyContent, KeySchema, PatternSchema, TableSchema};
use dynamo_entity::transfer::Import;
use dynamo_entity::write::DynamicWrites;
use dynamo_entity::{BulkExt, Dynamo, DynamoEntity, EntityExt};

use crate::failure::Failure;

/// Imports a file into an entity.
pub(crate) type ImportOf = fn(Box<dyn Read + Send>) -> Import<'static>;

/// The backfill of an entity, and the count of rows that it would write, each by a scan in this number of segments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefillOf {
    pub(crate) job: fn(usize) -> Bulk<'static>,
    pub(crate) unfilled: fn(usize, &Dynamo) -> Unfilled<'_>,
}

pub(crate) type Unfilled<'d> =
    Pin<Box<dyn Future<Output = dynamo_entity::Result<u64>> + Send + 'd>>;

impl RefillOf {
    pub(crate) fn of<E: DynamoEntity>() -> Self {
        RefillOf {
            job: |segments| E::scan().segments(segments).refill(),
            unfilled: |segments, db| Box::pin(E::scan().segments(segments).unfilled(db)),
        }
    }
}

/// The model that the program passes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) schemas: Vec<TableSchema>,
    pub(crate) writes: Vec<DynamicWrites>,
    /// The imports of the entities that may be written.
    pub(crate) imports: Vec<(DynamicWrites, ImportOf)>,
    /// The backfills of the entities that may be written.
    pub(crate) refills: Vec<(DynamicWrites, RefillOf)>,
    /// Whether fills are written into the journal.
    pub(crate) has_journal: bool,
    /// The collections, each with the name of its table.
    pub(crate) collections: Vec<(String, DynamicCollection)>,
}

impl Model {
    pub(crate) fn entities(&self) -> impl Iterator<Item = ModelEntity<'_>> {
        self.schemas.iter().flat_map(move |schema| {
            let entities = schema.entities.iter();
            entities.map(move |entity| ModelEntity {
                model: self,
                schema,
                entity,
            })
        })
    }

    /// The entity of a command, by the name in the command.
    pub(crate) fn entity(&self, name: &str) -> Result<ModelEntity<'_>, Failure> {
        let by_name = self.entities().find(|entity| entity.name() == name);
        let by_stored_name = || self.entities().find(|of| of.entity.stored_name == name);
        let found = by_name.or_else(by_stored_name);
        found.ok_or_else(|| Failure::said(format!("no entity is named `{name}`")))
    }

    /// All access patterns, those of entities first.
    pub(crate) fn questions(&self) -> Vec<Question<'_>> {
        let mut questions: Vec<_> = self.entities().flat_map(ModelEntity::questions).collect();
        for (table, collection) in &self.collections {
            if let Some(mut question) = self.of_collection(table, *collection) {
                // An entity may have the same name, and so may a collection of another table.
                let names = [
                    question.name.clone(),
                    format!("{table}/{}", question.name),
                    format!("{table}/{}-collection", question.name),
                ];
                let is_taken = |name: &String| questions.iter().any(|known| known.name == *name);
                let Some(free) = names.into_iter().find(|name| !is_taken(name)) else {
                    continue;
                };
                question.name = free;
                questions.push(question);
            }
        }
        questions
    }

    /// The access pattern of one partition of a collection. A collection of a whole table has none, because it would be
    /// a scan.
    fn of_collection(&self, table: &str, collection: DynamicCollection) -> Option<Question<'_>> {
        let (name, pattern) = collection.named_by();
        let mut entities = self.entities();
        let entity = entities.find(|of| of.schema.name == table && of.entity.name == name)?;
        let pattern = pattern.and_then(|pattern| entity.entity.pattern(pattern));
        let partition = entity.entity.partition_key(pattern);
        let parts = partition.iter().flat_map(|key| entity.parts(key));
        collection.is_of_partition().then(|| Question {
            name: collection.name().to_owned(),
            entity,
            pattern,
            collection: Some(collection),
            partition: parts.collect(),
            sort: Vec::new(),
        })
    }

    /// The access pattern of a command.
    pub(crate) fn question(&self, name: &str) -> Result<Question<'_>, Failure> {
        let mut all = self.questions().into_iter();
        let found = all.find(|question| question.name == name);
        found.ok_or_else(|| Failure::said(format!("no access pattern is named `{name}`")))
    }
}

/// An entity of the model.
#[derive(Clone, Copy)]
pub(crate) struct ModelEntity<'m> {
    model: &'m Model,
    pub(crate) schema: &'m TableSchema,
    pub(crate) entity: &'m EntitySchema,
}

/// A part of a key, which is given as text.
#[derive(Debug, Clone)]
pub(crate) struct PartInput {
    pub(crate) field: String,
    pub(crate) rust_type: String,
    /// Its type by its stored form.
    value_type: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) doc: String,
    /// The name of its option, if it is one.
    pub(crate) option: String,
    /// The queries that it supports, if it is one.
    pub(crate) takes: PartTakes,
}

/// The conditions on a part of a sort key, besides one value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PartTakes {
    pub(crate) ranges: bool,
    pub(crate) prefixes: bool,
    pub(crate) none: bool,
}

/// An access pattern: rows of a partition of the table or of an index.
pub(crate) struct Question<'m> {
    /// `Order`, or `Order.by_status`.
    pub(crate) name: String,
    pub(crate) entity: ModelEntity<'m>,
    /// None if it queries the table.
    pub(crate) pattern: Option<&'m PatternSchema>,
    /// The collection, if the rows are of several entities.
    pub(crate) collection: Option<DynamicCollection>,
    pub(crate) partition: Vec<PartInput>,
    pub(crate) sort: Vec<PartInput>,
}

/// An example of a time.
const TIME: &str = "2026-03-01T12:30:00Z";

/// The options of every query. No part may have one of these names.
const TAKEN: [&str; 14] = [
    "all",
    "cursor",
    "descending",
    "help",
    "json",
    "limit",
    "missing",
    "prefix",
    "starts-with",
    "strong",
    "units",
    "url",
    "version",
    "yes",
];

impl<'m> ModelEntity<'m> {
    /// Its name, with the name of its table if two tables have an entity of this name.
    pub(crate) fn name(&self) -> String {
        let name = &self.entity.name;
        let schemas = self.model.schemas.iter();
        match schemas
            .filter(|schema| schema.entity(name).is_some())
            .count()
        {
            0 | 1 => name.clone(),
            _ => format!("{}/{name}", self.schema.name),
        }
    }

    pub(crate) fn dynamic(&self) -> Result<DynamicEntity, Failure> {
        Ok(self.schema.dynamic(&self.entity.name)?)
    }

    /// Its writes, if the program allows them.
    pub(crate) fn writes(&self) -> Result<DynamicWrites, Failure> {
        let mut writes = self.model.writes.iter();
        let found = writes.find(|writes| writes.are_of(self.entity));
        found.copied().ok_or_else(|| {
            let name = &self.entity.name;
            Failure::said(format!(
                "this program does not allow writes of `{name}`: add `.writes::<{name}>()` to its `App`"
            ))
        })
    }

    /// An import of a file, if the program allows writes.
    pub(crate) fn import(&self, file: Box<dyn Read + Send>) -> Result<Import<'static>, Failure> {
        let writes = self.writes()?;
        let mut imports = self.model.imports.iter();
        let found = imports.find(|(of, _)| of.name() == writes.name() && of.are_of(self.entity));
        let (_, import) = found.ok_or_else(|| Failure::said("this entity cannot be imported"))?;
        Ok(import(file))
    }

    /// Its backfill, if the program allows writes.
    pub(crate) fn refill(&self) -> Result<RefillOf, Failure> {
        let writes = self.writes()?;
        let mut refills = self.model.refills.iter();
        let found = refills.find(|(of, _)| of.name() == writes.name() && of.are_of(self.entity));
        let found = found.map(|(_, refill)| *refill);
        found.ok_or_else(|| Failure::said("this entity cannot be filled"))
    }

    /// The parts of its declaration that need a fill before the next deployment.
    pub(crate) fn pending_fills(&self) -> Vec<String> {
        let entity = self.entity;
        let indexes = entity.patterns.iter().filter(|pattern| pattern.is_filling);
        let indexes = indexes.map(|pattern| format!("{} is filling", pattern.name));
        let uniques = entity.uniques.iter().filter(|unique| unique.is_filling);
        let uniques = uniques.map(|unique| format!("{} is filling", unique.name));
        let fields = entity.fields.iter().filter_map(|field| {
            let former = field.former.as_ref()?;
            Some(format!("{} was {former}", field.name))
        });
        indexes.chain(uniques).chain(fields).collect()
    }

    /// Whether a backfill may have anything to write. An item without derived keys, unique values, defaults, renamed
    /// fields and a type contains only the attributes of its writer.
    pub(crate) fn is_derived_in_part(&self) -> bool {
        let entity = self.entity;
        let indexes = entity.patterns.iter();
        let indexes = indexes.flat_map(|pattern| pattern.pk.iter().chain(&pattern.sk));
        let mut keys = [&entity.pk].into_iter().chain(&entity.sk).chain(indexes);
        keys.any(|key| matches!(key.content, KeyContent::Template(_)))
            || !entity.uniques.is_empty()
            || self.schema.type_attribute.is_some()
            || entity
                .fields
                .iter()
                .any(|field| field.default.is_some() || field.former.is_some())
    }

    /// All of its items, without an access pattern.
    pub(crate) fn scanned(self) -> Question<'m> {
        Question {
            name: self.name(),
            entity: self,
            pattern: None,
            collection: None,
            partition: Vec::new(),
            sort: Vec::new(),
        }
    }

    /// The first line of its doc comment.
    pub(crate) fn summary(&self) -> &'m str {
        self.entity.doc.lines().next().unwrap_or_default().trim()
    }

    /// Whether an attribute is derived from fields: a key with a template, or the type.
    pub(crate) fn is_derived(&self, attribute: &str) -> bool {
        let mut fields = self.entity.fields.iter();
        if fields.any(|field| field.attribute.as_deref() == Some(attribute)) {
            return false;
        }
        let indexes = self.schema.global_indexes.iter();
        let indexes = indexes.chain(&self.schema.local_indexes);
        let keys = indexes.flat_map(|index| index.pk.iter().chain(&index.sk));
        let mut keys = keys.chain([&self.schema.pk]).chain(&self.schema.sk);
        keys.any(|key| key.name == attribute)
            || self.schema.type_attribute.as_deref() == Some(attribute)
    }

    /// The fields that `key(..)` takes, each once.
    pub(crate) fn key_parts(&self) -> Vec<PartInput> {
        let mut parts: Vec<PartInput> = Vec::new();
        let keys = std::iter::once(&self.entity.pk).chain(&self.entity.sk);
        for part in keys.flat_map(|key| self.parts(key)) {
            match parts.iter_mut().find(|known| known.field == part.field) {
                // The key needs the whole field, which also determines the cut.
                Some(known) if part.format.is_none() => *known = part,
                Some(_) => {}
                None => parts.push(part),
            }
        }
        parts
    }

    /// The access patterns, that of the table first.
    pub(crate) fn questions(self) -> Vec<Question<'m>> {
        let mut questions = Vec::new();
        let name = self.name();
        if let Some(sk) = &self.entity.sk {
            questions.push(Question {
                name: name.clone(),
                entity: self,
                pattern: None,
                collection: None,
                partition: self.parts(&self.entity.pk),
                sort: self.with_takes(None, with_options(self.parts(sk))),
            });
        }
        for pattern in &self.entity.patterns {
            let partition = self.entity.partition_key(Some(pattern));
            let parts = |keys: &[KeySchema]| keys.iter().flat_map(|key| self.parts(key)).collect();
            questions.push(Question {
                name: format!("{name}.{}", pattern.name),
                entity: self,
                pattern: Some(pattern),
                collection: None,
                partition: parts(partition),
                sort: self.with_takes(Some(&pattern.name), with_options(parts(&pattern.sk))),
            });
        }
        questions
    }

    /// Lists the conditions that each part accepts.
    fn with_takes(&self, pattern: Option<&str>, mut parts: Vec<PartInput>) -> Vec<PartInput> {
        let known = self.dynamic().ok();
        let known = known.and_then(|entity| entity.sort_parts(pattern).ok());
        for (part, known) in parts.iter_mut().zip(known.unwrap_or_default()) {
            part.takes = PartTakes {
                ranges: known.has_ranges,
                prefixes: known.has_prefixes,
                none: known.may_be_missing,
            };
        }
        parts
    }

    fn parts(&self, key: &KeySchema) -> Vec<PartInput> {
        let part = |name: &str, format: Option<&String>| {
            let field = self.entity.field(name);
            PartInput {
                field: name.to_owned(),
                rust_type: field.map_or_else(String::new, |field| field.rust_type.clone()),
                value_type: field.and_then(|field| field.value_type.clone()),
                format: format.cloned(),
                doc: field.map_or_else(String::new, |field| field.doc.clone()),
                option: String::new(),
                takes: PartTakes::default(),
            }
        };
        let bare = key.field().map(|name| part(name, None));
        let parts = key
            .parts()
            .map(|found| part(&found.field, found.format.as_ref()));
        bare.into_iter().chain(parts).collect()
    }
}

/// Gives each part the name of an option that no other part or option has.
fn with_options(mut parts: Vec<PartInput>) -> Vec<PartInput> {
    let mut taken: Vec<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    for part in &mut parts {
        let plain = part.field.replace('_', "-");
        let cut = part
            .format
            .as_deref()
            .and_then(|format| format.split(':').next());
        let mut names = [
            plain.clone(),
            format!("{plain}-{}", cut.unwrap_or("part")),
            format!("part-{plain}"),
        ]
        .into_iter();
        let free = names.find(|name| !taken.contains(name));
        part.option = free.unwrap_or_else(|| format!("{plain}-{}", taken.len()));
        taken.push(part.option.clone());
    }
    parts
}

impl PartInput {
    /// The input for it: its type, and an example if the type has one.
    pub(crate) fn kind(&self) -> String {
        match self.example() {
            Some(example) => format!("`{}`, such as {example}", self.rust_type),
            None => format!("`{}`, as it is stored", self.rust_type),
        }
    }

    /// Whether it is a moment, and not a day or a month.
    pub(crate) fn is_time(&self) -> bool {
        self.example() == Some(TIME)
    }

    /// A value of its type.
    pub(crate) fn example(&self) -> Option<&'static str> {
        match self
            .format
            .as_deref()
            .and_then(|format| format.split(':').next())
        {
            Some("date") => return Some("2026-03-01"),
            Some("month") => return Some("2026-03"),
            _ => {}
        }
        Some(match self.value_type.as_deref()? {
            "timestamp" => TIME,
            "date" => "2026-03-01",
            "dynamo_entity::YearMonth" => "2026-03",
            "u8" | "u16" | "u32" | "u64" | "u128" | "i8" | "i16" | "i32" | "i64" | "i128" => "7",
            "bool" => "true",
            "char" => "x",
            "Uuid" => "018f3b6e-3c4a-7d2e-9a51-0f6b7c8d9e10",
            "Ulid" => "01J0Z3K4M5N6P7Q8R9S0T1V2W3",
            "Decimal" | "BigDecimal" => "9.95",
            "String" => "ann",
            _ => return None,
        })
    }

    /// Its placeholder in a usage line.
    pub(crate) fn value_name(&self) -> String {
        self.field.to_uppercase()
    }
}

impl Question<'_> {
    /// The rows of the partition that these texts name.
    pub(crate) fn begin(&self, parts: &[&str]) -> dynamo_entity::Result<DynamicQuery> {
        let parts = parts.iter().copied();
        let schema = self.entity.schema;
        if let Some(collection) = self.collection {
            return collection.in_partition(schema, parts);
        }
        let entity = schema.dynamic(&self.entity.entity.name)?;
        match self.pattern {
            None => entity.in_partition(parts),
            Some(pattern) => entity.query(&pattern.name, parts),
        }
    }

    /// Whether one of its parts accepts a condition.
    pub(crate) fn takes(&self, is_taken: fn(&PartTakes) -> bool) -> bool {
        self.sort.iter().any(|part| is_taken(&part.takes))
    }

    /// Its query, in a few words.
    pub(crate) fn summary(&self) -> String {
        if let Some(collection) = self.collection {
            return self.summary_of(collection);
        }
        let names = |parts: &[PartInput]| {
            let names: Vec<&str> = parts.iter().map(|part| part.field.as_str()).collect();
            names.join(", ")
        };
        let mut text = match (self.pattern, self.partition.is_empty()) {
            (_, true) => "All rows".to_owned(),
            (_, false) => format!("By {}", names(&self.partition)),
        };
        if !self.sort.is_empty() {
            text += &format!(", sorted by {}", names(&self.sort));
        }
        if let Some(when) = self.pattern.and_then(|pattern| pattern.when.as_ref()) {
            text += &format!("; only where {when}");
        }
        text
    }

    /// The doc comment of a collection, or the names of its entities.
    fn summary_of(&self, collection: DynamicCollection) -> String {
        let mut known = self.entity.schema.collections.iter();
        let known = known.find(|known| known.name == collection.name());
        let Some(known) = known else {
            return String::new();
        };
        let entities = known.entities.join(", ");
        match known.doc.lines().next().unwrap_or_default().trim() {
            "" => format!("All of these in one partition: {entities}"),
            doc => format!("{doc} ({entities})"),
        }
    }

    /// A command that queries it.
    pub(crate) fn usage(&self) -> String {
        let parts = self
            .partition
            .iter()
            .map(|part| format!(" <{}>", part.value_name()));
        let options = self.sort.iter().map(|part| format!(" [--{}]", part.option));
        format!("{}{}", self.name, parts.chain(options).collect::<String>())
    }
}
