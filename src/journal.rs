//! The journal: which declarations have been started, and which fills are complete, in a table of this library's own.
//!
//! The lock file orders commits. Whether an older program has run since a fill is known only if each program says when it
//! starts. One item for each table of the model counts these events, so that their order does not depend on clocks:
//!
//! ```text
//! id         the name of the table, with the prefix of the connection
//! revision   the number of the last event
//! start.SUM  the first and the last start of programs whose declarations have this sum
//! fill.NAME  the fill of an entity, with the sum of the declarations that it was made by
//! ```

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::digest::{self, TableDigest};
use crate::plan::Operation;
use crate::runtime;
use crate::schema::{KeyAttribute, KeyType, TableSchema};

/// The name of the table, without the prefix of a connection.
const TABLE: &str = "dynamo-entity-journal";

const ID: &str = "id";
const REVISION: &str = "revision";
const START: &str = "start.";
const FILL: &str = "fill.";

/// How often an event is tried again while other programs write theirs.
const ROUNDS: u32 = 50;

/// The record of starts and fills of the tables of a model; see [`Dynamo::journal`].
#[derive(Debug, Clone)]
pub struct Journal {
    db: Dynamo,
    tables: Vec<TableDigest>,
    /// The names of entities in Rust, with those that are stored.
    names: Vec<(String, String)>,
}

/// A reason why the next declaration should not be deployed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalFinding {
    /// No program with the lock file of the step before has ever started.
    NeverDeployed {
        /// The table.
        table: String,
    },
    /// The step before requires a fill, this one depends on it, and no fill is recorded.
    NotFilled {
        /// The table.
        table: String,
        /// The stored name of the entity.
        entity: String,
        /// The index, the unique value or the word of the field.
        part: String,
    },
    /// A program of an older declaration has started after the fill.
    OlderStarted {
        /// The table.
        table: String,
        /// The stored name of the entity.
        entity: String,
    },
}

impl fmt::Display for JournalFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalFinding::NeverDeployed { table } => write!(
                f,
                "table {table}: no program of the step before has started: deploy that everywhere first"
            ),
            JournalFinding::NotFilled {
                table,
                entity,
                part,
            } => write!(
                f,
                "{entity}.{part} (table {table}): no fill by the step before is recorded: run `db fill {entity}` with a program of that step"
            ),
            JournalFinding::OlderStarted { table, entity } => write!(
                f,
                "{entity} (table {table}): a program of an older declaration has started after the fill: end it, and run `db fill {entity}` again"
            ),
        }
    }
}

impl Dynamo {
    /// A journal of the programs that use these tables: each program records its start, and each fill its completion.
    /// Before the next step of a change, [`Journal::deployed`] reports if an older program has started after a fill, or
    /// if the step before was never deployed.
    ///
    /// It has a small table of its own, `dynamo-entity-journal`, with one item for each table of the model; nothing is
    /// stored in your tables. A start costs one strong read for each table, and one write if it is the first one since
    /// another program started. It is no proof, because it does not know programs that do not record their starts.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = id))]
    /// # struct Order { id: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// let journal = db.journal([Order::schema()])?;
    /// journal.create_table().await?; // once, by the program that creates your tables
    /// journal.started().await?; // in each program, when it starts
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// An error of kind [`Config`](ErrorKind::Config) if two schemas describe one table.
    pub fn journal(&self, schemas: impl IntoIterator<Item = TableSchema>) -> Result<Journal> {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        let names = schemas.iter().flat_map(|schema| {
            let entities = schema.entities.iter();
            entities.map(move |entity| (entity.name.clone(), entity.identity(schema)))
        });
        Ok(Journal {
            db: self.clone(),
            names: names.collect(),
            tables: digest::of_schemas(schemas)?,
        })
    }
}

impl Journal {
    /// Creates the table of the journal, if it does not exist.
    pub async fn create_table(&self) -> Result<()> {
        let key = KeyAttribute {
            name: ID.to_owned(),
            ty: KeyType::S,
        };
        let schema = TableSchema::bare(TABLE.to_owned(), key);
        self.db.create_tables([schema]).await
    }

    /// Records the start of a program with these declarations. If the last event was the same start, nothing is
    /// written.
    pub async fn started(&self) -> Result<()> {
        for table in &self.tables {
            let name = format!("{START}{}", table.sum);
            self.record(&table.table, |page| {
                let first = page.number(&name, 0);
                // Nothing happened since this same declaration started last, so a program that
                // restarts often writes nothing.
                if first.is_some() && page.number(&name, 1) == Some(page.revision) {
                    return None;
                }
                let next = page.revision + 1;
                let first = first.unwrap_or(next);
                Some((name.clone(), format!("{first} {next}")))
            })
            .await?;
        }
        Ok(())
    }

    /// Records that a program with these declarations has filled all items of an entity. The name is its name in Rust
    /// or its stored name.
    pub async fn filled(&self, entity: &str) -> Result<()> {
        let known = self.names.iter().find(|(name, _)| name == entity);
        let stored = known.map_or(entity, |(name, stored)| match stored.is_empty() {
            true => name,
            false => stored,
        });
        let name = format!("{FILL}{stored}");
        for table in &self.tables {
            let sum = &table.sum;
            self.record(&table.table, |page| {
                Some((name.clone(), format!("{} {sum}", page.revision + 1)))
            })
            .await?;
        }
        Ok(())
    }

    /// Compares the journal with the lock file of the step before, and returns each reason why programs with the
    /// declarations of this one should not be deployed yet. An empty list is no proof, because only programs that
    /// record their starts are known.
    pub async fn deployed(&self, before: impl AsRef<Path>) -> Result<Vec<JournalFinding>> {
        let before = digest::of_file(before.as_ref())?;
        let mut findings = Vec::new();
        for was in &before {
            let page = self.page(&was.table).await?;
            let table = || was.table.clone();
            let start = format!("{START}{}", was.sum);
            let Some(first) = page.number(&start, 0) else {
                findings.push(JournalFinding::NeverDeployed { table: table() });
                continue;
            };
            let is = self.tables.iter().find(|is| is.table == was.table);
            // A part that is still pending in the new declaration needs no fill yet.
            for pending in &was.pending {
                if is.is_some_and(|is| is.pending.contains(pending)) {
                    continue;
                }
                let (entity, part) = pending.clone();
                let fill = format!("{FILL}{entity}");
                // A fill by another declaration did not write what this one waits for.
                let is_its = page.word(&fill, 1) == Some(&was.sum);
                let filled = page.number(&fill, 0).filter(|_| is_its);
                let finding = match filled {
                    None => JournalFinding::NotFilled {
                        table: table(),
                        entity,
                        part,
                    },
                    Some(filled) if page.older_since(first, filled) => {
                        JournalFinding::OlderStarted {
                            table: table(),
                            entity,
                        }
                    }
                    Some(_) => continue,
                };
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
        Ok(findings)
    }

    /// Writes an event, which depends on those before it.
    async fn record(
        &self,
        table: &str,
        event: impl Fn(&JournalPage) -> Option<(String, String)>,
    ) -> Result<()> {
        let mut round = 0;
        loop {
            let page = self.page(table).await?;
            let Some((name, value)) = event(&page) else {
                return Ok(());
            };
            let mut item = page.item;
            let before = item.get(REVISION).cloned();
            item.insert(ID, self.db.table_name(table));
            item.insert(REVISION, page.revision + 1);
            item.insert(name, value);
            let put = Item::in_table(TABLE).put(item);
            let put = match before {
                Some(before) => put.when_equals(REVISION, before),
                None => put.when_absent(ID),
            };
            match put.send(&self.db).await {
                // Another program was faster, or the response to this write was lost and its retry met it. The next
                // read shows which, and `event` decides again.
                Err(error) if error.kind() == ErrorKind::Conflict && round < ROUNDS => {
                    round += 1;
                    // Many programs start at once in a deployment, and all of them write this one
                    // item.
                    runtime::sleep_for(Duration::from_millis(u64::from(round))).await;
                }
                done => return done,
            }
        }
    }

    async fn page(&self, table: &str) -> Result<JournalPage> {
        let key: Item = [(ID, self.db.table_name(table))].into_iter().collect();
        // An old copy of the page would lose the race for its revision, or lack a start that was just recorded.
        let found = Item::in_table(TABLE).get(key).consistent();
        let item = found.send(&self.db).await?.unwrap_or_default();
        let revision = item.get(REVISION).and_then(|value| value.as_number());
        let revision = revision.map(|number| number.as_str().parse::<u64>());
        let damaged = |_| Error::config("the journal has a revision that is no number");
        Ok(JournalPage {
            revision: revision.transpose().map_err(damaged)?.unwrap_or(0),
            item,
        })
    }
}

/// The events of a table.
struct JournalPage {
    item: Item,
    revision: u64,
}

impl JournalPage {
    fn word(&self, name: &str, at: usize) -> Option<&str> {
        self.item.get(name)?.as_text()?.split(' ').nth(at)
    }

    fn number(&self, name: &str, at: usize) -> Option<u64> {
        self.word(name, at)?.parse().ok()
    }

    /// Whether a program that was known before the step has started after the fill.
    fn older_since(&self, first: u64, filled: u64) -> bool {
        let names = self.item.iter().map(|(name, _)| name);
        let mut starts = names.filter(|name| name.starts_with(START));
        starts.any(|name| {
            let its_first = self.number(name, 0).unwrap_or(0);
            // Only declarations that began before this one can lack what was filled.
            its_first < first && self.number(name, 1).is_some_and(|last| last > filled)
        })
    }
}
