//! CloudFormation templates: one for a new stack, numbered ones for a stack that changes.

mod numbered;
mod resource;

use crate::dynamo::TablePrefix;
use crate::error::{Error, Result};
use crate::export::naming;
use crate::json::JsonTree;
use crate::schema::TableSchema;
use crate::table::named_by;

pub use numbered::NumberedTemplate;

/// How many resources a template may have.
const RESOURCES: usize = 500;

/// CloudFormation templates of tables, as JSON.
///
/// The templates name all that was declared and [how the tables are run](TableSchema::deletion_protection): keys, indexes,
/// TTL, stream, protection, recovery, class, billing and tags.
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
}

impl CloudFormation {
    /// The templates of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        CloudFormation {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            is_disposable: false,
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix). Names of
    /// resources are without it.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = TablePrefix::new(prefix.into());
        self
    }

    /// Has the tables deleted with their stack, and when they are taken out of it. Without this they stay, with their rows.
    #[must_use]
    pub fn disposable(mut self) -> Self {
        self.is_disposable = true;
        self
    }

    /// The template of a stack that has the tables.
    ///
    /// An error of kind [`Config`](crate::error::ErrorKind::Config) says which table the service would not take.
    pub fn template(&self) -> Result<String> {
        self.written(&self.named(self.schemas.clone())?)
    }

    /// The templates to deploy one after the other onto a stack that has the tables as they were `before`. There are none
    /// if nothing differs.
    ///
    /// CloudFormation creates or deletes one global index of a table at a time, so each template does one for each table.
    /// Deletions come last: indexes that are no longer declared, and then tables, which stay beside the stack
    /// unless they are [`disposable`](Self::disposable).
    /// The last of the templates is [`template`](Self::template).
    ///
    /// A change that would replace a table, such as another key or a changed index, is an error of kind
    /// [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch) that says what to do.
    pub fn since(
        &self,
        before: impl IntoIterator<Item = TableSchema>,
    ) -> Result<Vec<NumberedTemplate>> {
        let before = self.named(before.into_iter().collect())?;
        let after = self.named(self.schemas.clone())?;
        let mut templates = Vec::new();
        for step in numbered::steps(&before, &after)? {
            templates.push(NumberedTemplate {
                file_name: format!("{:02}.template.json", templates.len() + 1),
                text: self.written(&step.tables)?,
                changes: step.changes,
            });
        }
        Ok(templates)
    }

    fn named(&self, schemas: Vec<TableSchema>) -> Result<Vec<TableSchema>> {
        named_by(|base| self.prefix.name(base), schemas)
    }

    fn written(&self, tables: &[TableSchema]) -> Result<String> {
        if tables.is_empty() || tables.len() > RESOURCES {
            return Err(Error::config(format!(
                "a template has 1 to {RESOURCES} tables, not {}",
                tables.len()
            )));
        }
        for table in tables {
            naming::check_replicas(
                table,
                "a template has `AWS::DynamoDB::Table`, which has no replicas: write an `AWS::DynamoDB::GlobalTable` by hand",
            )?;
        }
        let ids: Vec<String> = tables.iter().map(|table| self.id(table)).collect();
        naming::check_apart(ids.iter().map(String::as_str))?;
        let mut resources = Vec::new();
        // The service creates only so many tables with indexes at once, so each waits for the one before it.
        let mut last = None;
        for (id, table) in ids.iter().zip(tables) {
            let has_indexes = table.indexes().next().is_some();
            let waits_for = last.filter(|_| has_indexes);
            let resource = resource::table(table, waits_for, self.is_disposable);
            resources.push((id.as_str(), Some(resource)));
            last = if has_indexes { Some(id.as_str()) } else { last };
        }
        let template = JsonTree::object([
            ("AWSTemplateFormatVersion", Some("2010-09-09".into())),
            ("Resources", Some(JsonTree::object(resources))),
        ]);
        Ok(template.to_text())
    }

    fn id(&self, table: &TableSchema) -> String {
        // Without the prefix, so that the logical id is the same in each environment.
        // CloudFormation takes another id for another table and replaces it.
        let base = table.name.strip_prefix(self.prefix.text());
        naming::logical_id(base.unwrap_or(&table.name))
    }
}
