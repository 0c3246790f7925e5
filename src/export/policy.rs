//! IAM policies with no more than what is used.

mod document;
mod encryption;
mod grant;
mod leading_keys;
mod partitions;
mod permissions;
pub(crate) mod recorder;
mod s3;
pub(crate) mod verb;

use crate::dynamo::TablePrefix;
use crate::error::{Error, Remedy, Result};
use crate::export::consumer::StreamConsumer;
use crate::export::key_text::FieldValues;
use crate::export::policy::verb::PolicyVerb;
use crate::schema::TableSchema;
use crate::table::named_by;
use document::Statement;
use encryption::key_statements;
use grant::Grant;
use leading_keys::unlimited_error;
use partitions::Partitions;
use permissions::Permissions;
use s3::AllowedExport;

/// An IAM policy for a role: the actions that the allowed verbs and access patterns send, on their tables and indexes, and
/// nothing else.
///
/// It contains `Scan` only if [`PolicyVerb::SCAN`] is allowed. For the requests of each verb, see
/// [the guide](crate::guide::exports#actions-of-each-operation).
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::{Policy, PolicyVerb};
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id), gsi(by_status, pk = status, sk = id))]
/// # struct Order { id: u32, status: String }
/// # fn main() -> Result<()> {
/// let packing = Policy::new([Order::schema()])
///     .prefix("prod-shop")
///     .region("eu-west-1")
///     .account("111122223333")
///     .allow("Order", [PolicyVerb::GET, PolicyVerb::MODIFY])
///     .allow_pattern("Order.by_status");
/// assert_eq!(packing.document()?, r#"{
///   "Version": "2012-10-17",
///   "Statement": [
///     {
///       "Effect": "Allow",
///       "Action": [
///         "dynamodb:GetItem",
///         "dynamodb:UpdateItem"
///       ],
///       "Resource": [
///         "arn:aws:dynamodb:eu-west-1:111122223333:table/prod-shop-orders"
///       ]
///     },
///     {
///       "Effect": "Allow",
///       "Action": [
///         "dynamodb:Query"
///       ],
///       "Resource": [
///         "arn:aws:dynamodb:eu-west-1:111122223333:table/prod-shop-orders/index/by_status"
///       ]
///     }
///   ]
/// }
/// "#);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Policy {
    schemas: Vec<TableSchema>,
    prefix: TablePrefix,
    partition: String,
    region: String,
    account: String,
    grants: Vec<Grant>,
    consumers: Vec<StreamConsumer>,
    exports: Vec<AllowedExport>,
    /// The operations of a run, with names of tables that lack the prefix.
    recorded: Permissions,
    has_leading_keys: bool,
    /// The limits for the keys of partitions, by fields.
    values: FieldValues,
}

impl Policy {
    /// A policy about these tables that allows nothing yet.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Policy {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            partition: "aws".to_owned(),
            region: "*".to_owned(),
            account: "*".to_owned(),
            grants: Vec::new(),
            consumers: Vec::new(),
            exports: Vec::new(),
            recorded: Permissions::default(),
            has_leading_keys: false,
            values: FieldValues::new(),
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix).
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = TablePrefix::new(prefix.into());
        self
    }

    /// The region of the tables; any region by default.
    #[must_use]
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = region.into();
        self
    }

    /// The account of the tables; any account by default, which is that of the role unless a table allows other
    /// accounts.
    #[must_use]
    pub fn account(mut self, account: impl Into<String>) -> Self {
        self.account = account.into();
        self
    }

    /// The partition of AWS, such as `aws-cn` or `aws-us-gov`; `aws` by default.
    #[must_use]
    pub fn partition(mut self, partition: impl Into<String>) -> Self {
        self.partition = partition.into();
        self
    }

    /// Allows these verbs of an entity. An unknown name is an error of [`document`](Self::document).
    #[must_use]
    pub fn allow(self, entity: &str, verbs: impl IntoIterator<Item = PolicyVerb>) -> Self {
        let verbs = verbs.into_iter();
        let grants: Vec<Grant> = verbs
            .map(|verb| Grant::Verb(entity.to_owned(), verb))
            .collect();
        self.with_grants(grants)
    }

    /// Allows an access pattern by the name that observers report: `Order.by_status`, `Order.in_partition`,
    /// `Account.in_partition` of a collection, `User.by_email` of a unique value, and `Order.put` of a verb, too. An
    /// unknown name is an error of [`document`](Self::document).
    #[must_use]
    pub fn allow_pattern(self, pattern: &str) -> Self {
        self.with_grants([Grant::Pattern(pattern.to_owned())])
    }

    /// Allows all declared reads of all entities, but no scans.
    #[must_use]
    pub fn allow_reads(self) -> Self {
        self.with_grants([Grant::Reads])
    }

    /// Allows all writes of all entities.
    #[must_use]
    pub fn allow_writes(self) -> Self {
        self.with_grants([Grant::Writes])
    }

    /// Allows all declared reads and writes: [`allow_reads`](Self::allow_reads) and
    /// [`allow_writes`](Self::allow_writes).
    #[must_use]
    pub fn allow_all(self) -> Self {
        self.allow_reads().allow_writes()
    }

    /// Allows [`ready`](crate::Dynamo::ready), which describes tables and queries each index.
    #[must_use]
    pub fn allow_ready(self) -> Self {
        self.with_grants([Grant::Ready])
    }

    /// Allows [`plan`](crate::Dynamo::plan), which reads tables and their settings, for a job that finds differences.
    #[must_use]
    pub fn allow_plan(self) -> Self {
        self.with_grants([Grant::Plan])
    }

    /// Allows [`create_tables`](crate::Dynamo::create_tables).
    #[must_use]
    pub fn allow_create_tables(self) -> Self {
        self.with_grants([Grant::CreateTables])
    }

    /// Allows [`add_indexes`](crate::Dynamo::add_indexes).
    #[must_use]
    pub fn allow_add_indexes(self) -> Self {
        self.with_grants([Grant::AddIndexes])
    }

    /// Allows [`enable_ttl`](crate::Dynamo::enable_ttl).
    #[must_use]
    pub fn allow_enable_ttl(self) -> Self {
        self.with_grants([Grant::EnableTtl])
    }

    /// Allows a function to follow the stream of its table, and to report records that it gave up to its queue. These are the
    /// permissions of the event source mapping, which uses the role of the function. For its tables of parked changes and effects,
    /// see [the guide](crate::guide::exports#permissions).
    #[must_use]
    pub fn allow_consumer(mut self, consumer: &StreamConsumer) -> Self {
        self.consumers.push(consumer.clone());
        self
    }

    /// Limits actions to the partitions whose keys begin like those of the allowed entities, by the condition
    /// `dynamodb:LeadingKeys`. If a key begins with a field, any partition is allowed, unless
    /// [`with_value`](Self::with_value) gives the value.
    ///
    /// Verbs then need keys of their own entity: a role that may put an `Order` of a shared table cannot put a `User`. A
    /// request that names no partition is denied.
    #[must_use]
    pub fn leading_keys(mut self) -> Self {
        self.has_leading_keys = true;
        self
    }

    /// Limits actions to partitions whose keys have this value of a field, for example for the role of one tenant. It includes
    /// [`leading_keys`](Self::leading_keys). The value is written as it is stored. It counts in a key that is the field itself,
    /// and in a template in which everything before it is known, if the field is a `String` without a format there.
    ///
    /// In an index whose partition key has several attributes, each attribute is limited by a condition of its own,
    /// `dynamodb:FirstPartitionKeyValues` to `dynamodb:FourthPartitionKeyValues`.
    ///
    /// A field that no entity has is an error of [`document`](Self::document), and so is everything that would reach
    /// the partitions of other values: a scan, `allow_ready`, a pattern whose key does not have the field. The items
    /// that store unique values are limited to the value if it is the first of their parts in the order of their keys, or one of
    /// two; otherwise only to those of the entity.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::export::{Policy, PolicyVerb};
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "tasks", key(pk = "ORG#{org}", sk = number), gsi(by_state, pk = [org, state], sk = number))]
    /// # struct Task { org: String, number: u32, state: String }
    /// # fn main() -> Result<()> {
    /// let tasks = Policy::new([Task::schema()]).allow_pattern("Task.by_state").with_value("org", "acme");
    /// assert!(tasks.document()?.contains(r#""dynamodb:FirstPartitionKeyValues": [
    ///             "acme"
    ///           ]"#));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_value(mut self, field: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.insert(field.into(), value.into());
        self.leading_keys()
    }

    /// The policy.
    ///
    /// A policy of more than 6144 characters, the limit of IAM for a managed policy, is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config), and so is one that allows nothing, or an unknown name.
    pub fn document(&self) -> Result<String> {
        let mut documents = self.documents()?;
        match (documents.pop(), documents.len()) {
            (Some(document), 0) => Ok(document),
            (_, others) => {
                let message = format!(
                    "the policy has more than {} characters, and needs {} managed policies",
                    document::LONGEST,
                    others + 1
                );
                Err(Error::config(message).with_remedies([Remedy::Documents]))
            }
        }
    }

    /// The policy, divided into as many documents as necessary; a role can have ten of them.
    pub fn documents(&self) -> Result<Vec<String>> {
        let allowed = self.resolve_permissions()?;
        let mut statements = allowed.policy_statements(|table, index| {
            let table = match table.starts_with("arn:") {
                true => table.to_owned(),
                false => format!(
                    "arn:{}:dynamodb:{}:{}:table/{table}",
                    self.partition, self.region, self.account
                ),
            };
            match index {
                Some(index) => format!("{table}/index/{index}"),
                None => table,
            }
        });
        statements.extend(self.of_consumers()?);
        let named = named_by(|base| self.prefix.full_name(base), self.schemas.clone())?;
        let streams = self.consumers.iter();
        let streams = streams.map(|consumer| self.prefix.full_name(&consumer.table.name));
        statements.extend(key_statements(
            &named,
            &allowed,
            &streams.collect(),
            (&self.partition, &self.region),
        ));
        statements.extend(self.of_exports()?);
        if statements.is_empty() {
            return Err(Error::config(
                "the policy allows nothing: use `allow(..)`, `allow_pattern(..)` or `allow_all()`",
            ));
        }
        document::write_documents(statements)
    }

    /// The statements of consumers, which are not about items.
    fn of_consumers(&self) -> Result<Vec<Statement>> {
        let mut streams = Vec::new();
        let mut queues = Vec::new();
        for consumer in &self.consumers {
            consumer.check_consumer(|base| self.prefix.full_name(base))?;
            if !self.values.is_empty() {
                let what = format!("the stream of `{}`", consumer.table.name);
                return Err(unlimited_error(&what, &self.values));
            }
            let name = &consumer.table.name;
            if !self.schemas.iter().any(|schema| schema.name == *name) {
                return Err(consumer.unfit_error(&format!(
                    "follows table `{name}`, which is not among the tables of the policy"
                )));
            }
            let place = |service: &str| {
                format!(
                    "arn:{}:{service}:{}:{}:",
                    self.partition, self.region, self.account
                )
            };
            let table = self.prefix.full_name(name);
            streams.push(format!("{}table/{table}/stream/*", place("dynamodb")));
            if consumer.has_queue {
                let queue = consumer.queue_name(|base| self.prefix.full_name(base));
                queues.push(format!("{}{queue}", place("sqs")));
            }
        }
        streams.sort();
        streams.dedup();
        let reads = vec!["DescribeStream", "GetRecords", "GetShardIterator"];
        // An action that has no resources, and tells names only.
        let lists = (!streams.is_empty()).then(|| vec!["*".to_owned()]);
        let statements = [
            (reads, streams),
            (vec!["ListStreams"], lists.unwrap_or_default()),
            (vec!["sqs:SendMessage"], queues),
        ];
        let statements = statements
            .into_iter()
            .filter(|(_, resources)| !resources.is_empty());
        Ok(statements
            .map(|(actions, resources)| Statement {
                actions,
                resources,
                partitions: Partitions::any_partition(),
                via_service: Vec::new(),
            })
            .collect())
    }

    /// All that is allowed, with the full names of tables.
    fn resolve_permissions(&self) -> Result<Permissions> {
        // A name that DynamoDB does not accept would give a policy that nothing ever matches.
        named_by(|base| self.prefix.full_name(base), self.schemas.clone())?;
        self.check_values()?;
        let mut all = Permissions::default();
        for grant in &self.grants {
            grant.resolve_grant(&self.schemas, &self.values, &mut all)?;
        }
        // A last check after all grants: a policy that is limited to a value must not reach anything else.
        if let Some(what) = all.unlimited_items().filter(|_| !self.values.is_empty()) {
            return Err(unlimited_error(&what, &self.values));
        }
        if !self.has_leading_keys {
            all.forget_partitions();
        }
        all.extend(self.recorded.clone());
        Ok(all.with_table_names(|base| match base.starts_with("arn:") {
            true => base.to_owned(),
            false => self.prefix.full_name(base),
        }))
    }

    /// Rejects values of fields that nothing has: the policy would be wider than it looks.
    fn check_values(&self) -> Result<()> {
        let has = |field: &str| {
            let mut entities = self.schemas.iter().flat_map(|table| &table.entities);
            entities.any(|entity| entity.field(field).is_some())
        };
        if !self.values.is_empty() && !self.recorded.0.is_empty() {
            return Err(unlimited_error("what a run did", &self.values));
        }
        match self.values.keys().find(|field| !has(field)) {
            Some(field) => Err(Error::config(format!(
                "the policy is limited to a value of `{field}`, which is not a field of an entity of its tables"
            ))),
            None => Ok(()),
        }
    }

    fn with_grants(mut self, grants: impl IntoIterator<Item = Grant>) -> Self {
        self.grants.extend(grants);
        self
    }
}
