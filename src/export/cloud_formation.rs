//! CloudFormation templates: one for a new stack, numbered ones for a stack that changes.

mod consumer;
pub(crate) mod numbered;
mod resource;

use crate::dynamo::TablePrefix;
use crate::error::{Error, Result};
use crate::export::alarms::TableAlarms;
use crate::export::cloud_formation::numbered::NumberedTemplate;
use crate::export::consumer::StreamConsumer;
use crate::export::naming;
use crate::json::JsonTree;
use crate::schema::TableSchema;
use crate::table::named_by;

/// How many resources a template may have.
const RESOURCES: usize = 500;

/// CloudFormation templates of tables, as JSON.
///
/// The templates contain all declarations and the [settings of the tables](TableSchema::deletion_protection): keys,
/// indexes, TTL, stream, protection, recovery, class, billing, limits of requests, warm throughput, encryption and tags.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::CloudFormation;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id))]
/// # struct Order { id: u32 }
/// # fn main() -> Result<()> {
/// let stack = CloudFormation::new([Order::schema().deletion_protection(true)]).prefix("prod-shop");
/// let template = stack.template()?;
/// assert!(template.contains("\"OrdersTable\": {\n      \"Type\": \"AWS::DynamoDB::Table\""));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct CloudFormation {
    schemas: Vec<TableSchema>,
    prefix: TablePrefix,
    is_disposable: bool,
    consumers: Vec<StreamConsumer>,
    alarms: Option<TableAlarms>,
}

impl CloudFormation {
    /// The templates of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        CloudFormation {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            is_disposable: false,
            consumers: Vec::new(),
            alarms: None,
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix). Names of
    /// resources are without it.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = TablePrefix::new(prefix.into());
        self
    }

    /// Lets CloudFormation delete the tables with their stack, and when they are removed from it. Without this, the
    /// tables and their rows remain.
    #[must_use]
    pub fn disposable(mut self) -> Self {
        self.is_disposable = true;
        self
    }

    /// Adds the event source mapping of a function that follows the stream of one of the tables, and its queue of failures.
    /// The function has to exist when the stack is deployed.
    #[must_use]
    pub fn consumer(mut self, consumer: StreamConsumer) -> Self {
        self.consumers.push(consumer);
        self
    }

    /// Adds alarms about the tables, and about the consumers.
    #[must_use]
    pub fn alarms(mut self, alarms: TableAlarms) -> Self {
        self.alarms = Some(alarms);
        self
    }

    /// The template of a stack that has the tables.
    ///
    /// If DynamoDB would reject a table, the error has the kind [`Config`](crate::error::ErrorKind::Config) and names
    /// the table.
    pub fn template(&self) -> Result<String> {
        self.write_template(&self.name_tables(self.schemas.clone())?)
    }

    /// The templates to deploy one after the other, for a stack whose tables are those of `before`. The list is empty
    /// if nothing differs.
    ///
    /// CloudFormation creates or deletes one global index of a table at a time, so each template does one for each
    /// table. Deletions come last: indexes that are no longer declared, and then tables, which remain outside of the
    /// stack unless they are [`disposable`](Self::disposable). The last of the templates is
    /// [`template`](Self::template). Consumers and alarms are in each of them, and are not compared: if only they have
    /// changed, there are no templates, and you deploy [`template`](Self::template). While a stream is disabled, its
    /// consumers are omitted.
    ///
    /// A change that would replace a table, such as another key or a changed index, is an error of kind
    /// [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch) that names the remedy.
    pub fn since(
        &self,
        before: impl IntoIterator<Item = TableSchema>,
    ) -> Result<Vec<NumberedTemplate>> {
        let before = self.name_tables(before.into_iter().collect())?;
        let after = self.name_tables(self.schemas.clone())?;
        let mut templates = Vec::new();
        for step in numbered::stack_steps(&before, &after)? {
            templates.push(NumberedTemplate {
                file_name: format!("{:02}.template.json", templates.len() + 1),
                text: self.write_template(&step.tables)?,
                changes: step.changes,
            });
        }
        Ok(templates)
    }

    fn name_tables(&self, schemas: Vec<TableSchema>) -> Result<Vec<TableSchema>> {
        named_by(|base| self.prefix.full_name(base), schemas)
    }

    fn write_template(&self, tables: &[TableSchema]) -> Result<String> {
        for table in tables {
            naming::check_replicas(
                table,
                "a template has `AWS::DynamoDB::Table`, which has no replicas: write an `AWS::DynamoDB::GlobalTable` by hand",
            )?;
        }
        let ids: Vec<String> = tables.iter().map(|table| self.logical_id(table)).collect();
        let mut resources = Vec::new();
        // The service creates only so many tables with indexes at once, so each waits for the one before it.
        let mut last = None;
        for (id, table) in ids.iter().zip(tables) {
            let has_indexes = table.indexes().next().is_some();
            let waits_for = last.filter(|_| has_indexes);
            let resource = resource::table_resource(table, waits_for, self.is_disposable);
            resources.push((id.clone(), resource));
            last = if has_indexes { Some(id.as_str()) } else { last };
        }
        resources.extend(self.surrounding_resources(tables)?);
        naming::check_apart(resources.iter().map(|(id, _)| id.as_str()))?;
        if tables.is_empty() {
            return Err(Error::config(format!(
                "a template has 1 to {RESOURCES} tables, not 0"
            )));
        }
        if resources.len() > RESOURCES {
            return Err(Error::config(format!(
                "a template has at most {RESOURCES} resources, not {}: export some of the tables in another stack",
                resources.len()
            )));
        }
        let template = JsonTree::object_of([
            ("AWSTemplateFormatVersion", Some("2010-09-09".into())),
            ("Resources", Some(JsonTree::Object(resources))),
        ]);
        Ok(template.to_text())
    }

    /// The consumers and the alarms.
    fn surrounding_resources(&self, tables: &[TableSchema]) -> Result<Vec<(String, JsonTree)>> {
        let named = |base: &str| self.prefix.full_name(base);
        let mut resources = Vec::new();
        let mut alarms = Vec::new();
        for consumer in &self.consumers {
            consumer.check_consumer(named)?;
            let table = naming::table_of(consumer, tables, &self.prefix)?;
            if table.stream.is_some() {
                let id = self.logical_id(table);
                resources.extend(consumer::consumer_resources(consumer, &id, &self.prefix)?);
            }
            if let Some(about) = &self.alarms {
                let (function, queue) = (consumer.metric_name(named), consumer.queue_name(named));
                let own = about.of_consumer(consumer, &named(&consumer.name), &function, &queue);
                alarms.extend(own.into_iter().map(|alarm| (consumer.name.as_str(), alarm)));
            }
        }
        for (about, table) in self
            .alarms
            .iter()
            .flat_map(|about| tables.iter().map(move |table| (about, table)))
        {
            let of_table = about.of_table(table)?.into_iter();
            alarms.extend(of_table.map(|alarm| (self.base_name(table), alarm)));
        }
        let topics = self
            .alarms
            .as_ref()
            .map_or(&[][..], TableAlarms::notified_topics);
        let alarms = alarms
            .iter()
            .map(|(base, alarm)| consumer::alarm_resource(alarm, base, topics));
        resources.extend(alarms);
        Ok(resources)
    }

    fn logical_id(&self, table: &TableSchema) -> String {
        // Without the prefix, so that the logical id is the same in each environment.
        // CloudFormation takes another id for another table and replaces it.
        naming::logical_id(self.base_name(table))
    }

    /// The name of a table without the prefix.
    fn base_name<'t>(&self, table: &'t TableSchema) -> &'t str {
        let base = table.name.strip_prefix(self.prefix.prefix_text());
        base.unwrap_or(&table.name)
    }
}
