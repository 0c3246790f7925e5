//! Terraform configurations, as `.tf.json`.

mod consumer;
mod text;
mod throughput;

use std::collections::BTreeMap;

use crate::dynamo::TablePrefix;
use crate::error::Result;
use crate::export::alarms::TableAlarms;
use crate::export::consumer::StreamConsumer;
use crate::export::{naming, word};
use crate::json::JsonTree;
use crate::schema::{Billing, IndexSchema, KeyAttribute, KeyType, TableSchema, TableSettings};
use crate::table::named_by;
use text::{escape_text, list_texts};
use throughput::{encryption_tree, index_maximum, index_warmth, table_maximum, table_warmth};

/// A Terraform configuration of tables, for a file whose name ends with `.tf.json`.
///
/// It contains a resource `aws_dynamodb_table` for each table, and nothing else: the module that contains the file must
/// declare the provider and its version. Keys of several attributes and warm throughput need version 6.29 of the provider;
/// version 5.100 supports everything else too.
///
/// For a table that is [`scaled`](TableSchema::scaled), Terraform sets the units once, and ignores later changes of
/// them by others. Indexes within the table are the exception: Terraform can ignore only all changes of them or none.
/// Therefore it continues to create, change and delete them, and resets their units with each `terraform apply`. If
/// others scale the indexes too, use [`standalone_indexes`](Self::standalone_indexes), whose units are ignored.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::Terraform;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id))]
/// # struct Order { id: u32 }
/// # fn main() -> Result<()> {
/// let tables = Terraform::new([Order::schema()]).prefix("prod-shop").configuration()?;
/// assert!(tables.contains("\"aws_dynamodb_table\": {\n      \"orders\": {\n        \"name\": \"prod-shop-orders\""));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Terraform {
    schemas: Vec<TableSchema>,
    prefix: TablePrefix,
    is_disposable: bool,
    has_own_indexes: bool,
    consumers: Vec<StreamConsumer>,
    alarms: Option<TableAlarms>,
}

type TerraformMembers<'n> = Vec<(&'n str, Option<JsonTree>)>;

impl Terraform {
    /// The configuration of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Terraform {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            is_disposable: false,
            has_own_indexes: false,
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

    /// Lets Terraform destroy the tables. Without this, it rejects every plan that would destroy one.
    #[must_use]
    pub fn disposable(mut self) -> Self {
        self.is_disposable = true;
        self
    }

    /// Makes each global index a resource of its own, `aws_dynamodb_global_secondary_index`. The provider supports it
    /// from version 6.29 on, as an experiment. A table has either such resources or indexes within it, never both.
    #[must_use]
    pub fn standalone_indexes(mut self) -> Self {
        self.has_own_indexes = true;
        self
    }

    /// Adds the event source mapping of a function that follows the stream of one of the tables, and its queue of failures.
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

    /// The configuration.
    ///
    /// If DynamoDB would reject a table, the error has the kind [`Config`](crate::error::ErrorKind::Config) and names
    /// the table.
    pub fn configuration(&self) -> Result<String> {
        let named = named_by(|base| self.prefix.full_name(base), self.schemas.clone())?;
        let mut tables = Vec::new();
        let mut indexes = Vec::new();
        for table in &named {
            naming::check_replicas(
                table,
                "a `replica` block must not name the region of the provider, which this export does not know: add the blocks \
                 by hand",
            )?;
            let base = self.base_name(table);
            let name = naming::terraform_name(base);
            tables.push((name.clone(), self.table_tree(table)));
            if self.has_own_indexes {
                indexes.extend(own_indexes(table, base, &name));
            }
        }
        naming::check_apart(tables.iter().map(|(name, _)| name.as_str()))?;
        let mut mappings = Vec::new();
        let mut queues = Vec::new();
        for consumer in &self.consumers {
            consumer.check_consumer(|base| self.prefix.full_name(base))?;
            let table = naming::table_of(consumer, &named, &self.prefix)?;
            let table = naming::terraform_name(self.base_name(table));
            mappings.push(consumer::event_mapping(consumer, &table, &self.prefix)?);
            queues.extend(consumer::failure_queue(consumer, &self.prefix));
        }
        naming::check_apart(mappings.iter().map(|(name, _)| name.as_str()))?;
        let alarms = self.alarm_resources(&named)?;
        naming::check_apart(alarms.iter().map(|(name, _)| name.as_str()))?;
        let of_kind = |resources: Vec<(String, JsonTree)>| {
            (!resources.is_empty()).then_some(JsonTree::Object(resources))
        };
        let resources = JsonTree::object_of([
            ("aws_dynamodb_table", of_kind(tables)),
            ("aws_dynamodb_global_secondary_index", of_kind(indexes)),
            ("aws_lambda_event_source_mapping", of_kind(mappings)),
            ("aws_sqs_queue", of_kind(queues)),
            ("aws_cloudwatch_metric_alarm", of_kind(alarms)),
        ]);
        Ok(JsonTree::object_of([("resource", Some(resources))]).to_text())
    }

    fn alarm_resources(&self, tables: &[TableSchema]) -> Result<Vec<(String, JsonTree)>> {
        let Some(about) = &self.alarms else {
            return Ok(Vec::new());
        };
        let named = |base: &str| self.prefix.full_name(base);
        let mut resources = Vec::new();
        for table in tables {
            for alarm in about.of_table(table)? {
                resources.push(consumer::alarm_resource(
                    &alarm,
                    self.base_name(table),
                    about.notified_topics(),
                ));
            }
        }
        for consumer in &self.consumers {
            let (function, queue) = (consumer.metric_name(named), consumer.queue_name(named));
            for alarm in about.of_consumer(consumer, &named(&consumer.name), &function, &queue) {
                resources.push(consumer::alarm_resource(
                    &alarm,
                    &consumer.name,
                    about.notified_topics(),
                ));
            }
        }
        Ok(resources)
    }

    /// The name of a table without the prefix.
    fn base_name<'t>(&self, table: &'t TableSchema) -> &'t str {
        let base = table.name.strip_prefix(self.prefix.prefix_text());
        base.unwrap_or(&table.name)
    }

    fn table_tree(&self, schema: &TableSchema) -> JsonTree {
        let settings = &schema.settings;
        let billing = match settings.billing.and_then(Billing::units) {
            None => "PAY_PER_REQUEST",
            Some(_) => "PROVISIONED",
        };
        let mut members = vec![
            ("name", Some(escape_text(&schema.name))),
            ("billing_mode", Some(billing.into())),
        ];
        members.extend(throughput_units(
            settings.billing,
            ["read_capacity", "write_capacity"],
        ));
        members.extend([
            ("hash_key", Some(escape_text(&schema.pk.name))),
            (
                "range_key",
                schema.sk.as_ref().map(|sk| escape_text(&sk.name)),
            ),
            ("attribute", Some(self.attribute_trees(schema))),
            ("global_secondary_index", self.global_indexes(schema)),
            ("local_secondary_index", local_indexes(schema)),
            ("//", vector_remark(schema)),
            ("on_demand_throughput", table_maximum(settings)),
            ("warm_throughput", table_warmth(settings)),
            (
                "server_side_encryption",
                settings.encryption.as_ref().map(encryption_tree),
            ),
            ("ttl", schema.ttl.as_deref().map(ttl_tree)),
            ("stream_enabled", schema.stream.map(|_| true.into())),
            (
                "stream_view_type",
                schema.stream.map(|view| word::stream_word(view).into()),
            ),
            (
                "point_in_time_recovery",
                settings.point_in_time_recovery.map(recovery_tree),
            ),
            (
                "table_class",
                settings.class.map(|class| word::class_word(class).into()),
            ),
            (
                "deletion_protection_enabled",
                settings.deletion_protection.map(Into::into),
            ),
            ("tags", tags_tree(&settings.tags)),
            ("lifecycle", self.lifecycle_tree(settings)),
        ]);
        JsonTree::object_of(members)
    }

    /// The settings that Terraform leaves alone: tables are not destroyed, and units that others change are not set back.
    fn lifecycle_tree(&self, settings: &TableSettings) -> Option<JsonTree> {
        let units = scaled_by_others(settings.billing, &["read_capacity", "write_capacity"]);
        let ignored = ignored_changes(units, table_warmth(settings).is_some());
        let is_kept = !self.is_disposable;
        (is_kept || ignored.is_some()).then(|| {
            JsonTree::object_of([
                ("prevent_destroy", is_kept.then(|| true.into())),
                ("ignore_changes", ignored),
            ])
        })
    }

    /// Those that keys of the resource have: the provider plans for ever if there are others.
    fn attribute_trees(&self, schema: &TableSchema) -> JsonTree {
        let mut own = schema.clone();
        own.vector_indexes.clear();
        // Terraform takes only attributes that are in a key of this resource, and rejects the
        // others.
        if self.has_own_indexes {
            own.global_indexes.clear();
        }
        let attributes = own.key_types().into_iter().map(|(name, ty)| {
            JsonTree::object_of([
                ("name", Some(escape_text(name))),
                ("type", Some(word::type_letter(ty).into())),
            ])
        });
        JsonTree::List(attributes.collect())
    }

    fn global_indexes(&self, schema: &TableSchema) -> Option<JsonTree> {
        let indexes = &schema.global_indexes;
        (!indexes.is_empty() && !self.has_own_indexes)
            .then(|| JsonTree::list_of(indexes, |index| global_index(index, &schema.settings)))
    }
}

/// It is unknown whether the provider supports vector indexes, so a comment names them.
fn vector_remark(schema: &TableSchema) -> Option<JsonTree> {
    let names: Vec<&str> = schema
        .vector_indexes
        .iter()
        .map(|index| &*index.name)
        .collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        let text = format!(
            "The vector indexes are not part of this configuration, and db.plan(..) adds them: {names}"
        );
        text.as_str().into()
    })
}

fn throughput_units(
    billing: Option<Billing>,
    [read, write]: [&'static str; 2],
) -> TerraformMembers<'static> {
    match billing.and_then(Billing::units) {
        None => Vec::new(),
        Some((reads, writes)) => {
            vec![(read, Some(reads.into())), (write, Some(writes.into()))]
        }
    }
}

fn global_index(index: &IndexSchema, settings: &TableSettings) -> JsonTree {
    let (kind, names) = word::projection_words(&index.projection);
    let mut members = vec![("name", Some(escape_text(&index.name)))];
    match (&*index.pk, &*index.sk) {
        ([pk], sk @ ([] | [_])) => members.extend([
            ("hash_key", Some(escape_text(&pk.name))),
            ("range_key", sk.first().map(|sk| escape_text(&sk.name))),
        ]),
        _ => members.push(("key_schema", Some(key_schema(index, false)))),
    }
    members.extend([
        ("projection_type", Some(kind.into())),
        ("non_key_attributes", names.map(list_texts)),
    ]);
    members.extend(throughput_units(
        settings.billing,
        ["read_capacity", "write_capacity"],
    ));
    // The changes of one block of several cannot be ignored. Therefore the warm throughput, which DynamoDB increases by itself,
    // is exported only for indexes of their own.
    members.push(("on_demand_throughput", index_maximum(settings, &index.name)));
    JsonTree::object_of(members)
}

/// The blocks of a key of several attributes, which an index of its own has with their types.
fn key_schema(index: &IndexSchema, has_types: bool) -> JsonTree {
    let sides = [(&index.pk, "HASH"), (&index.sk, "RANGE")];
    let block = |attribute: &KeyAttribute, role: &str| {
        let letter = |ty: KeyType| JsonTree::from(word::type_letter(ty));
        JsonTree::object_of([
            ("attribute_name", Some(escape_text(&attribute.name))),
            ("attribute_type", has_types.then(|| letter(attribute.ty))),
            ("key_type", Some(role.into())),
        ])
    };
    let blocks = sides.into_iter().flat_map(|(attributes, role)| {
        attributes
            .iter()
            .map(move |attribute| block(attribute, role))
    });
    JsonTree::List(blocks.collect())
}

fn local_indexes(schema: &TableSchema) -> Option<JsonTree> {
    let indexes = &schema.local_indexes;
    (!indexes.is_empty()).then(|| {
        JsonTree::list_of(indexes, |index| {
            let (kind, names) = word::projection_words(&index.projection);
            JsonTree::object_of([
                ("name", Some(escape_text(&index.name))),
                (
                    "range_key",
                    index.sk.first().map(|sk| escape_text(&sk.name)),
                ),
                ("projection_type", Some(kind.into())),
                ("non_key_attributes", names.map(list_texts)),
            ])
        })
    })
}

/// The global indexes of a table as resources. Each waits for the one before it, as the service makes one at a time.
fn own_indexes(schema: &TableSchema, base: &str, table: &str) -> Vec<(String, JsonTree)> {
    let mut resources: Vec<(String, JsonTree)> = Vec::new();
    for index in &schema.global_indexes {
        let (kind, names) = word::projection_words(&index.projection);
        let projection = JsonTree::object_of([
            ("projection_type", Some(kind.into())),
            ("non_key_attributes", names.map(list_texts)),
        ]);
        let capacity = ["read_capacity_units", "write_capacity_units"];
        let capacity = throughput_units(schema.settings.billing, capacity);
        // DynamoDB builds one index of a table at a time, and Terraform would begin all of them at
        // once.
        let waits_for = resources.last().map(|(name, _)| {
            let name = format!("aws_dynamodb_global_secondary_index.{name}");
            JsonTree::List(vec![JsonTree::Text(name)])
        });
        let resource = JsonTree::object_of([
            (
                "table_name",
                Some(JsonTree::Text(format!(
                    "${{aws_dynamodb_table.{table}.name}}"
                ))),
            ),
            ("index_name", Some(escape_text(&index.name))),
            ("key_schema", Some(key_schema(index, true))),
            ("projection", Some(projection)),
            (
                "provisioned_throughput",
                (!capacity.is_empty()).then(|| JsonTree::object_of(capacity)),
            ),
            (
                "on_demand_throughput",
                index_maximum(&schema.settings, &index.name),
            ),
            (
                "warm_throughput",
                index_warmth(&schema.settings, &index.name),
            ),
            ("depends_on", waits_for),
            (
                "lifecycle",
                ignored_changes(
                    scaled_by_others(schema.settings.billing, &["provisioned_throughput"]),
                    index_warmth(&schema.settings, &index.name).is_some(),
                )
                .map(|units| JsonTree::object_of([("ignore_changes", Some(units))])),
            ),
        ]);
        resources.push((naming::terraform_index_name(base, &index.name), resource));
    }
    resources
}

fn ttl_tree(attribute: &str) -> JsonTree {
    JsonTree::object_of([
        ("attribute_name", Some(escape_text(attribute))),
        ("enabled", Some(true.into())),
    ])
}

fn recovery_tree(days: u8) -> JsonTree {
    JsonTree::object_of([
        ("enabled", Some(true.into())),
        ("recovery_period_in_days", Some(u64::from(days).into())),
    ])
}

fn tags_tree(tags: &BTreeMap<String, String>) -> Option<JsonTree> {
    // Terraform also replaces `${..}` in the names of a map.
    let escaped = |text: &String| text.replace("${", "$${").replace("%{", "%%{");
    let members = tags.iter();
    let members: Vec<_> = members
        .map(|(name, value)| (escaped(name), escape_text(value)))
        .collect();
    (!members.is_empty()).then_some(JsonTree::Object(members))
}

/// The names of the units, if others change them.
fn scaled_by_others(
    billing: Option<Billing>,
    units: &'static [&'static str],
) -> &'static [&'static str] {
    match billing {
        Some(Billing::Scaled { .. }) => units,
        _ => &[],
    }
}

/// The members that Terraform must not set back. DynamoDB increases a warm throughput by itself, and some versions of the provider
/// replace a table whose declared value is below it.
fn ignored_changes(units: &[&'static str], is_warm: bool) -> Option<JsonTree> {
    let warm = is_warm.then_some("warm_throughput");
    let names: Vec<&str> = units.iter().copied().chain(warm).collect();
    (!names.is_empty()).then(|| JsonTree::list_of(&names, |name| JsonTree::from(*name)))
}
