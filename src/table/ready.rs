//! Whether a program's tables can be used, for health checks: what [`Dynamo::ready`] asks and answers. Nothing but reads is
//! sent.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::{Duration, Instant};

use futures_util::future::{Either, join_all, select};

use super::compare;
use super::declared::with_names;
pub use super::readiness::{Look, Readiness, ReadinessFinding, TableReadiness};
pub use super::replicas::ReplicationFinding;
use super::replicas::note_strong;
use super::vectors::list_vector_differences;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::runtime::sleep_until;
use crate::schema::{IndexSchema, KeyAttribute, KeyType, Pattern, TableSchema};
use crate::wire::table::{self as service, DescribedTable, Status};
use crate::wire::{Request, Resend, ServiceOperation, Wire};

/// The pattern of the reads: they concern no entity.
static READY: Pattern = Pattern::alone("Table", "ready");

/// How long all looks together may take, if no one says otherwise. Balancers wait about as long.
const PATIENCE: Duration = Duration::from_secs(5);

impl Dynamo {
    /// Checks whether these tables can be used: whether they exist, are active and match their declarations, including
    /// indexes, with credentials that may read them. It is for the health check of a service: it sends only reads, ends
    /// within five seconds, and every failure is part of the result.
    ///
    /// A table is described, as by [`create_tables`](Self::create_tables); then an item, a partition of a table with a
    /// sort key, and a partition of each index are read, by keys that no item has. That costs two requests for the
    /// description, 1 read unit for the item, half a unit for the partition and half a unit for each index. A load
    /// balancer that checks every few seconds should send less: see [`looking_at`](ReadinessCheck::looking_at). The
    /// permission to write is not checked, because that would require a write.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// use dynamo_entity::ready::{Look, ReadinessFinding};
    ///
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// let before = db.ready([Note::schema()]).await;
    /// assert!(!before.is_ready());
    /// assert!(matches!(before.tables[0].findings[..], [ReadinessFinding::Missing]));
    ///
    /// db.create_tables([Note::schema()]).await?;
    /// let often = db.ready([Note::schema()]).looking_at([Look::GetItem]).await; // one request, one read unit
    /// assert_eq!(often.to_string(), "notes: ready (GetItem)");
    /// # Ok(()) }
    /// ```
    pub fn ready(&self, schemas: impl IntoIterator<Item = TableSchema>) -> ReadinessCheck {
        ReadinessCheck {
            db: self.clone(),
            schemas: schemas.into_iter().collect(),
            looks: Look::ALL.to_vec(),
            patience: PATIENCE,
        }
    }
}

/// A check of tables that has not been sent yet: await it; see [`Dynamo::ready`].
#[must_use = "nothing is looked at until it is awaited"]
#[derive(Debug)]
pub struct ReadinessCheck {
    db: Dynamo,
    schemas: Vec<TableSchema>,
    looks: Vec<Look>,
    patience: Duration,
}

impl ReadinessCheck {
    /// Makes only these checks, instead of all.
    ///
    /// [`Look::GetItem`] alone is cheap enough for a balancer every few seconds: it shows that DynamoDB responds, that
    /// the table can be read and that the credentials are valid. The reads alone are also for programs that may not
    /// describe tables; the descriptions alone for those whose policy allows them certain partition keys only.
    pub fn looking_at(mut self, looks: impl IntoIterator<Item = Look>) -> Self {
        self.looks = looks.into_iter().collect();
        self
    }

    /// The time limit for all checks together, instead of five seconds. A check without a response by then is
    /// [`Unreachable`](ReadinessFinding::Unreachable).
    pub fn within(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    async fn check_all(self) -> Readiness {
        let names: Vec<String> = self
            .schemas
            .iter()
            .map(|schema| self.db.table_name(&schema.name))
            .collect();
        let prepared = with_names(&self.db, self.schemas);
        let prepared = prepared.and_then(|schemas| Ok((schemas, self.db.table_wire()?.clone())));
        let (schemas, wire) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return refused_names(names, &error),
        };
        let end = Instant::now().checked_add(self.patience);
        let tables = schemas.iter().map(|schema| {
            let look = TableLook {
                db: &self.db,
                wire: &wire,
                schema,
                looks: &self.looks,
                deadline: Deadline {
                    end,
                    patience: self.patience,
                },
                answer: empty_readiness(schema.name.clone()),
            };
            look.check_table()
        });
        let tables = join_all(tables).await;
        Readiness { tables }
    }
}

impl IntoFuture for ReadinessCheck {
    type Output = Readiness;
    type IntoFuture = Pin<Box<dyn Future<Output = Readiness> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.check_all())
    }
}

/// The result if nothing can be queried.
fn refused_names(names: Vec<String>, error: &Error) -> Readiness {
    let table = |name: String| TableReadiness {
        findings: vec![ReadinessFinding::Failed(error.again())],
        ..empty_readiness(name)
    };
    let tables = names.into_iter().map(table).collect();
    Readiness { tables }
}

fn empty_readiness(table: String) -> TableReadiness {
    TableReadiness {
        table,
        findings: Vec::new(),
        proven: Vec::new(),
    }
}

/// When the looks end.
#[derive(Clone, Copy)]
struct Deadline {
    end: Option<Instant>,
    patience: Duration,
}

impl Deadline {
    /// Waits for an answer, but not for ever.
    async fn bound_look<T>(self, look: Look, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let Some(end) = self.end else {
            return answer.await;
        };
        let answer = std::pin::pin!(answer);
        match select(answer, std::pin::pin!(sleep_until(end))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => {
                let (action, patience) = (look.action_name(), self.patience);
                let message = format!("{action} got no response within {patience:?}");
                Err(Error::new(ErrorKind::Unavailable, Stage::Schema, message))
            }
        }
    }
}

/// A look at one table.
struct TableLook<'l> {
    db: &'l Dynamo,
    wire: &'l Wire,
    schema: &'l TableSchema,
    looks: &'l [Look],
    deadline: Deadline,
    answer: TableReadiness,
}

impl TableLook<'_> {
    async fn check_table(mut self) -> TableReadiness {
        let Some(closed) = self.describe_table().await else {
            return self.answer;
        };
        if self.time_to_live().await {
            self.read_table(&closed).await;
        }
        self.answer
    }

    fn wants_look(&self, look: Look) -> bool {
        self.looks.contains(&look)
    }

    /// The indexes that cannot be queried; `None` if nothing of the table can be.
    async fn describe_table(&mut self) -> Option<Vec<String>> {
        let look = Look::DescribeTable;
        if !self.wants_look(look) {
            return Some(Vec::new());
        }
        let found = service::describe_table(self.wire, &self.schema.name);
        match self.deadline.bound_look(look, found).await {
            Ok(Some(found)) => self.compare_table(&found),
            Ok(None) => {
                self.answer.add_finding(ReadinessFinding::Missing);
                None
            }
            Err(error) => self.goes_on_after(look, error).then(Vec::new),
        }
    }

    fn compare_table(&mut self, found: &DescribedTable) -> Option<Vec<String>> {
        let status = match &found.status {
            Status::Usable => None,
            Status::Creating => Some("CREATING"),
            Status::Deleting => Some("DELETING"),
            Status::Broken(status) => Some(status.as_str()),
        };
        if let Some(status) = status {
            let status = status.to_owned();
            self.answer
                .add_finding(ReadinessFinding::NotActive { status });
            return None;
        }
        let before = self.answer.findings.len();
        let mut there = self.schema.clone();
        let mut closed = Vec::new();
        for index in self.schema.indexes() {
            let name = || index.name.clone();
            if !compare::has_index(&found.schema, &index.name) {
                closed.push(name());
                self.answer
                    .add_finding(ReadinessFinding::IndexMissing { index: name() });
            } else if found.changing.contains(&index.name) {
                closed.push(name());
                self.answer
                    .add_finding(ReadinessFinding::IndexNotActive { index: name() });
            }
        }
        self.note_vectors(found);
        let is_there = |index: &IndexSchema| compare::has_index(&found.schema, &index.name);
        there.global_indexes.retain(is_there);
        there.local_indexes.retain(is_there);
        for difference in compare::list_differences(&there, &found.schema) {
            self.answer
                .add_finding(ReadinessFinding::Differs(difference));
        }
        note_strong(self.db, self.schema, found);
        if let Some(finding) = ReplicationFinding::of_table(self.schema, found) {
            self.answer
                .add_finding(ReadinessFinding::Replicated(finding));
        }
        if self.answer.findings.len() == before {
            self.answer.proven.push(Look::DescribeTable);
        }
        Some(closed)
    }

    /// A server that does not support vector indexes cannot have the declared ones.
    fn note_vectors(&mut self, found: &DescribedTable) {
        if !found.knows_vectors {
            return;
        }
        for index in &self.schema.vector_indexes {
            let index = index.name.clone();
            if !compare::has_index(&found.schema, &index) {
                self.answer
                    .add_finding(ReadinessFinding::IndexMissing { index });
            } else if found.changing.contains(&index) {
                self.answer
                    .add_finding(ReadinessFinding::IndexNotActive { index });
            }
        }
        for difference in list_vector_differences(self.schema, &found.schema) {
            self.answer
                .add_finding(ReadinessFinding::Differs(difference));
        }
    }

    /// Returns whether to look at more.
    async fn time_to_live(&mut self) -> bool {
        let look = Look::DescribeTimeToLive;
        if !self.wants_look(look) {
            return true;
        }
        let found = service::ttl_attribute(self.wire, &self.schema.name);
        match self.deadline.bound_look(look, found).await {
            Ok(found) => {
                match compare::compare_ttl(self.schema.ttl.as_deref(), found.as_deref()) {
                    None => self.answer.proven.push(look),
                    Some(difference) => self
                        .answer
                        .add_finding(ReadinessFinding::Differs(difference)),
                }
                true
            }
            Err(error) => self.goes_on_after(look, error),
        }
    }

    /// Notes why a description failed. A program without that permission may still read the table; all else would be found again.
    fn goes_on_after(&mut self, look: Look, error: Error) -> bool {
        let finding = ReadinessFinding::of_failed_look(look, None, error);
        // A missing permission concerns one action. Other failures would be the same for every
        // further request.
        let goes_on = matches!(finding, ReadinessFinding::Denied { .. });
        self.answer.add_finding(finding);
        goes_on
    }

    /// Reads, all at once.
    async fn read_table(&mut self, closed: &[String]) {
        let schema = self.schema;
        let mut reads = Vec::new();
        if self.wants_look(Look::GetItem) {
            reads.push((Look::GetItem, None, get_item(schema)));
        }
        if self.wants_look(Look::Query) && schema.sk.is_some() {
            let pk = std::slice::from_ref(&schema.pk);
            reads.push((Look::Query, None, query_request(schema, None, pk)));
        }
        if self.wants_look(Look::QueryIndexes) {
            let open = schema
                .indexes()
                .filter(|index| !closed.contains(&index.name));
            reads.extend(open.map(|index| {
                let request = query_request(schema, Some(&index.name), &index.pk);
                (Look::QueryIndexes, Some(index.name.as_str()), request)
            }));
        }
        let (db, deadline) = (self.db, self.deadline);
        let answers = reads.into_iter().map(|(look, index, request)| async move {
            let answer = async {
                db.call_service(request)
                    .await
                    .map_err(|failure| failure.error)
            };
            (look, index, deadline.bound_look(look, answer).await)
        });
        let answers = join_all(answers).await;
        let is_there = answers.iter().any(|(_, _, answer)| answer.is_ok());
        let mut proven: Vec<Look> = answers.iter().map(|(look, _, _)| *look).collect();
        proven.dedup();
        for (look, index, answer) in answers {
            let Err(error) = answer else { continue };
            proven.retain(|other| *other != look);
            // A key or an index that differs from its declaration is already a finding.
            if error.kind() == ErrorKind::Rejected && self.answer.has_differences() {
                continue;
            }
            self.answer.add_finding(match index {
                // Some servers report a missing index like a missing table. If another read has succeeded, the table
                // exists.
                Some(index) if error.is_table_not_found() && is_there => {
                    let index = index.to_owned();
                    ReadinessFinding::IndexRefused { index, error }
                }
                _ => ReadinessFinding::of_failed_look(look, index, error),
            });
        }
        let whole = |look: &Look| *look != Look::QueryIndexes || closed.is_empty();
        self.answer.proven.extend(proven.into_iter().filter(whole));
    }
}

/// A strongly consistent read of a key that no item has.
fn get_item(schema: &TableSchema) -> Request {
    let mut body = begin_body(schema);
    body.push_raw(",\"ConsistentRead\":true,\"Key\":");
    write_object(
        &mut body,
        schema.keys().map(|key| (&*key.name, absent_value(key))),
    );
    body.push_raw("}");
    build_request(ServiceOperation::GetItem, schema, body)
}

/// A query of a partition that no item has.
fn query_request(schema: &TableSchema, index: Option<&str>, pk: &[KeyAttribute]) -> Request {
    let mut body = begin_body(schema);
    if let Some(index) = index {
        body.push_raw(",\"IndexName\":");
        body.push_quoted(index);
    }
    let numbers = 0..pk.len();
    let asked: Vec<String> = numbers
        .clone()
        .map(|at| format!("#k{at} = :k{at}"))
        .collect();
    body.push_raw(",\"Limit\":1,\"Select\":\"COUNT\",\"KeyConditionExpression\":");
    body.push_quoted(&asked.join(" AND "));
    body.push_raw(",\"ExpressionAttributeNames\":");
    let names = pk.iter().map(|key| {
        let mut name = Writer::default();
        name.push_quoted(&key.name);
        String::from_utf8_lossy(name.as_bytes()).into_owned()
    });
    write_object(
        &mut body,
        numbers.clone().map(|at| format!("#k{at}")).zip(names),
    );
    body.push_raw(",\"ExpressionAttributeValues\":");
    write_object(
        &mut body,
        numbers
            .map(|at| format!(":k{at}"))
            .zip(pk.iter().map(absent_value)),
    );
    body.push_raw("}");
    build_request(ServiceOperation::Query, schema, body)
}

fn begin_body(schema: &TableSchema) -> Writer {
    let mut body = Writer::for_request(256);
    body.push_raw("{\"TableName\":");
    body.push_quoted(&schema.name);
    body
}

fn build_request(operation: ServiceOperation, schema: &TableSchema, body: Writer) -> Request {
    Request::new(operation, &READY, schema.name.clone(), body, Resend::Always)
}

/// Writes an object of values that are JSON.
fn write_object(
    body: &mut Writer,
    members: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) {
    body.push_raw("{");
    for (at, (name, json)) in members.enumerate() {
        body.push_raw(if at == 0 { "" } else { "," });
        body.push_quoted(name.as_ref());
        body.push_raw(":");
        body.push_raw(json.as_ref());
    }
    body.push_raw("}");
}

/// The value of a key that no item has: the last number, or a text that looks like no name.
fn absent_value(key: &KeyAttribute) -> &'static str {
    match key.ty {
        KeyType::S => "{\"S\":\"$ready\"}",
        // The smallest number that DynamoDB stores. No item can be expected there.
        KeyType::N => "{\"N\":\"-9.9999999999999999999999999999999999999E+125\"}",
        KeyType::B => "{\"B\":\"JHJlYWR5\"}",
    }
}
