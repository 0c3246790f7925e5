//! The schemas of a command line: entities and access patterns by their names in commands, and the input for parts of
//! keys.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use dynamo_entity::Dynamo;
use dynamo_entity::export::{StreamConsumer, TableAlarms, UnitPrices, UseCase};
use dynamo_entity::query::{DynamicCollection, DynamicEntity, DynamicQuery, DynamicSortPart};
use dynamo_entity::schema::{EntitySchema, KeyPair, TableSchema};
use dynamo_entity::streams::{HandlerError, StreamEvent};

use crate::failure::Failure;
use crate::part::{PartInput, first_line, inputs, with_options};
use crate::writable::Writable;

/// The handler of a consumer, by which its parked changes are replayed.
#[derive(Clone)]
pub(crate) struct ReplayHandler {
    pub(crate) consumer: String,
    handle: Arc<dyn Fn(Dynamo, StreamEvent) -> Replayed + Send + Sync>,
}

pub(crate) type Replayed = Pin<Box<dyn Future<Output = Result<(), HandlerError>> + Send>>;

impl ReplayHandler {
    pub(crate) fn new<F, Fut>(consumer: String, handler: F) -> Self
    where
        F: Fn(Dynamo, StreamEvent) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        ReplayHandler {
            consumer,
            handle: Arc::new(move |db, event| Box::pin(handler(db, event))),
        }
    }

    pub(crate) fn handle(&self, db: Dynamo, event: StreamEvent) -> Replayed {
        (self.handle)(db, event)
    }
}

impl fmt::Debug for ReplayHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplayHandler({})", self.consumer)
    }
}

/// The settings of the tables in an environment.
#[derive(Clone)]
pub(crate) struct Environment {
    pub(crate) name: String,
    settings: Arc<dyn Fn(TableSchema) -> TableSchema + Send + Sync>,
}

impl Environment {
    pub(crate) fn new(
        name: String,
        settings: impl Fn(TableSchema) -> TableSchema + Send + Sync + 'static,
    ) -> Self {
        Environment {
            name,
            settings: Arc::new(settings),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({})", self.name)
    }
}

/// The model that the program passes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) schemas: Vec<TableSchema>,
    /// The entities that the program may write.
    pub(crate) writable: Vec<Writable>,
    /// The handlers of consumers, for parked changes.
    pub(crate) replays: Vec<ReplayHandler>,
    /// The functions that follow streams, for exports.
    pub(crate) consumers: Vec<StreamConsumer>,
    /// The alarms of exports.
    pub(crate) alarms: Option<TableAlarms>,
    /// The use cases of exports, and their prices.
    pub(crate) use_cases: Vec<UseCase>,
    pub(crate) prices: Option<UnitPrices>,
    /// Whether fills are written into the journal.
    pub(crate) has_journal: bool,
    /// The environments, of which `--env` selects one.
    pub(crate) environments: Vec<Environment>,
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

    /// The model with the settings of an environment.
    pub(crate) fn in_environment(&self, name: &str) -> Result<Model, Failure> {
        let mut environments = self.environments.iter();
        let found = environments.find(|environment| environment.name == name);
        let Some(environment) = found else {
            return Err(Failure::said(format!("no environment is named `{name}`")));
        };
        let mut model = self.clone();
        for schema in &mut model.schemas {
            let before = schema.clone();
            *schema = (environment.settings)(before.clone());
            // The program uses the table by its declaration, whatever the environment is.
            let mut compared = schema.clone();
            compared.settings = before.settings.clone();
            compared.allows = before.allows.clone();
            if compared != before {
                return Err(Failure::said(format!(
                    "the environment `{name}` changes more of table `{}` than its settings",
                    before.name
                )));
            }
        }
        Ok(model)
    }

    /// The entities of a table.
    pub(crate) fn entities_of(&self, schema: &TableSchema) -> Vec<ModelEntity<'_>> {
        let entities = self.entities();
        entities
            .filter(|of| of.schema.name == schema.name)
            .collect()
    }

    /// The table of a command.
    pub(crate) fn table(&self, name: &str) -> Result<&TableSchema, Failure> {
        let mut schemas = self.schemas.iter();
        let found = schemas.find(|schema| schema.name == name);
        found.ok_or_else(|| Failure::said(format!("no table is named `{name}`")))
    }

    /// The entity of a command, by the name in the command.
    pub(crate) fn entity(&self, name: &str) -> Result<ModelEntity<'_>, Failure> {
        let by_name = self.entities().find(|entity| entity.name() == name);
        // Several entities may have one stored name, which then names none of them.
        let by_stored_name = || {
            let mut named = self.entities().filter(|of| of.entity.stored_name == name);
            named.next().filter(|_| named.next().is_none())
        };
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
        collection.is_of_partition().then(|| Question {
            name: collection.name().to_owned(),
            collection: Some(collection),
            sort: Vec::new(),
            ..entity.question(pattern)
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

/// An access pattern: rows of a partition of the table or of an index.
pub(crate) struct Question<'m> {
    /// `Order`, or `Order.by_status`.
    pub(crate) name: String,
    pub(crate) entity: ModelEntity<'m>,
    pub(crate) keys: KeyPair<'m>,
    /// The collection, if the rows are of several entities.
    pub(crate) collection: Option<DynamicCollection>,
    pub(crate) partition: Vec<PartInput<'m>>,
    pub(crate) sort: Vec<PartInput<'m>>,
}

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
    pub(crate) fn writable(&self) -> Result<Writable, Failure> {
        let mut writable = self.model.writable.iter();
        let found = writable.find(|writable| writable.writes.are_of(self.entity));
        found.copied().ok_or_else(|| {
            let name = &self.entity.name;
            Failure::said(format!(
                "this program does not allow writes of `{name}`: add `.writes::<{name}>()` to its `App`"
            ))
        })
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
        // While the former shape is still written, no item is upgraded.
        let shapes = entity
            .shape
            .iter()
            .filter(|shape| shape.writes == shape.number);
        let shapes = shapes.filter_map(|shape| {
            let former = shape.was.as_ref()?;
            Some(format!("shape {} was {former}", shape.number))
        });
        indexes.chain(uniques).chain(fields).chain(shapes).collect()
    }

    /// Whether a backfill may have anything to write. An item without derived keys and expiries, unique values, defaults,
    /// renamed fields, a former shape and a type contains only the attributes of its writer.
    pub(crate) fn is_derived_in_part(&self) -> bool {
        let entity = self.entity;
        let mut keys = entity.all_keys();
        keys.any(|key| key.field().is_none())
            || !entity.uniques.is_empty()
            || self.schema.type_attribute.is_some()
            || entity
                .shape
                .as_ref()
                .is_some_and(|shape| shape.was.is_some())
            || entity.fields.iter().any(|field| {
                field.default.is_some() || field.former.is_some() || field.expiry.is_some()
            })
    }

    /// All of its items, without an access pattern.
    pub(crate) fn scanned(self) -> Question<'m> {
        Question {
            partition: Vec::new(),
            sort: Vec::new(),
            ..self.question(None)
        }
    }

    /// The first line of its doc comment.
    pub(crate) fn summary(&self) -> &'m str {
        first_line(&self.entity.doc)
    }

    /// Whether an attribute is derived from fields: a key with a template, or the type.
    pub(crate) fn is_derived(&self, attribute: &str) -> bool {
        self.schema.is_derived(self.entity, attribute)
    }

    /// The fields that `key(..)` takes, each once.
    pub(crate) fn key_parts(&self) -> Vec<PartInput<'m>> {
        inputs(self.schema, self.entity.key_fields())
    }

    /// The access patterns, that of the table first.
    pub(crate) fn questions(self) -> Vec<Question<'m>> {
        let of_table = self.entity.sk.iter().map(|_| None);
        let patterns = self.entity.patterns.iter();
        let patterns = patterns.map(|pattern| Some(pattern.name.as_str()));
        let all = of_table.chain(patterns);
        all.map(|pattern| self.question(pattern)).collect()
    }

    /// The access pattern of this name, or that of the table.
    fn question(self, pattern: Option<&str>) -> Question<'m> {
        let pattern = pattern.and_then(|name| self.entity.pattern(name));
        let (name, keys) = match pattern {
            None => (self.name(), KeyPair::of_table(self.entity)),
            Some(pattern) => (
                format!("{}.{}", self.name(), pattern.name),
                KeyPair::of_pattern(self.entity, pattern),
            ),
        };
        let mut sort = with_options(
            inputs(self.schema, keys.sort_fields()),
            !self.model.environments.is_empty(),
        );
        let known = self.dynamic().ok();
        let known = known.and_then(|entity| {
            let pattern = pattern.map(|pattern| pattern.name.as_str());
            entity.sort_parts(pattern).ok()
        });
        for (part, known) in sort.iter_mut().zip(known.unwrap_or_default()) {
            part.takes = Some(known);
        }
        Question {
            name,
            entity: self,
            keys,
            collection: None,
            partition: inputs(self.schema, keys.partition_fields()),
            sort,
        }
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
        match self.keys.pattern {
            None => entity.in_partition(parts),
            Some(pattern) => entity.query(&pattern.name, parts),
        }
    }

    /// Whether one of its parts accepts a condition.
    pub(crate) fn takes(&self, accepts: fn(&DynamicSortPart) -> bool) -> bool {
        self.sort.iter().any(|part| part.takes(accepts))
    }

    /// Its query, in a few words.
    pub(crate) fn summary(&self) -> String {
        if let Some(collection) = self.collection {
            return self.summary_of(collection);
        }
        let names = |parts: &[PartInput<'_>]| {
            let names: Vec<&str> = parts.iter().map(PartInput::field).collect();
            names.join(", ")
        };
        let mut text = match self.partition.is_empty() {
            true => "All rows".to_owned(),
            false => format!("By {}", names(&self.partition)),
        };
        if !self.sort.is_empty() {
            text += &format!(", sorted by {}", names(&self.sort));
        }
        if let Some(when) = self.keys.pattern.and_then(|pattern| pattern.when.as_ref()) {
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
        match first_line(&known.doc) {
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
