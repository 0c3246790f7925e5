//! The request of a read of many items, and how its response is read: the same for one entity and for several.

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, Key};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::key::json::KeyJson;
use crate::plan::Explanation;
use crate::read::{
    BatchReader, Failing, FoundItem, FoundReader, KeyList, ReadAhead, Reading, TableFrame,
    entities_ahead, projection_of,
};
use crate::retry::RetryBudget;
use crate::schema::{Pattern, SEVERAL};

/// How items are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadForm {
    pub(crate) consistent: bool,
    pub(crate) include_expired: bool,
    /// The attributes that are read; `None` for all.
    pub(crate) attributes: Option<Vec<&'static str>>,
    /// How they are decoded as they arrive.
    pub(crate) ahead: Option<ReadAhead>,
}

impl ReadForm {
    /// Reads all attributes.
    pub(crate) fn whole_items<E: DynamoEntity>() -> Self {
        ReadForm {
            ahead: Some(entities_ahead::<E>),
            ..ReadForm::default()
        }
    }

    /// The request for the entity's table.
    pub(crate) fn table_frame<E: DynamoEntity>(
        &self,
        pattern: &'static Pattern,
        db: &Dynamo,
    ) -> TableFrame {
        let table = &<E::Table as DynamoTable>::TABLE;
        let names: Vec<_> = table.key_names().collect();
        let mut options = Writer::default();
        if self.consistent {
            options.push_raw(",\"ConsistentRead\":true");
        }
        if let Some(attributes) = &self.attributes {
            let table = &<E::Table as DynamoTable>::TABLE;
            projection_of(&E::ENTITY, table, attributes).write_members(&mut options);
        }
        TableFrame {
            entity: E::ENTITY.type_name,
            pattern,
            table: db.table_name(table.name),
            names,
            options: options.into_bytes(),
            ahead: self.ahead,
        }
    }

    /// The TTL attribute, if expired items are hidden.
    pub(crate) fn ttl_attribute<E: DynamoEntity>(&self) -> Option<&'static str> {
        E::ENTITY.ttl.filter(|_| !self.include_expired)
    }
}

/// The values of a key.
pub(crate) fn primary_key<E: DynamoEntity>(key: &Key<E>) -> Result<KeyJson> {
    let mut entries = Writer::for_request(96);
    key.write(&mut entries)?;
    Ok(KeyJson::from_writer(entries))
}

/// The request of a [`batch_get`](crate::batch_get), under construction.
#[derive(Debug)]
pub struct BatchGetRequest {
    batch: BatchReader,
    wanted: KeyList,
    failing: Failing,
}

/// The results, in the order of the request.
pub(crate) type AllFound = std::vec::IntoIter<FoundItem>;

/// The result for the next key. If the response has too few items, it is an error, because the state is not known.
pub(super) fn next_found(all: &mut AllFound) -> FoundItem {
    let message = "the response has fewer items than the request has keys";
    let none = || Err(Error::new(ErrorKind::Service, Stage::Service, message));
    all.next().unwrap_or_else(none)
}

impl BatchGetRequest {
    pub(crate) fn new(db: &Dynamo, budget: RetryBudget, concurrency: usize) -> Self {
        BatchGetRequest {
            batch: BatchReader {
                db: db.clone(),
                frames: Vec::new(),
                budget,
                concurrency,
                meter: None,
            },
            wanted: KeyList::new(),
            failing: Failing::Together,
        }
    }

    /// The connection.
    pub(crate) fn db(&self) -> &Dynamo {
        &self.batch.db
    }

    /// Adds a member, which reads its results from the items of its keys, each an item or the reason why it was not
    /// requested. A key that cannot be written fails the read, unless the member is lenient.
    pub(crate) fn add_read<Out>(
        &mut self,
        frame: TableFrame,
        keys: impl IntoIterator<Item = Result<KeyJson>>,
        is_lenient: bool,
        read: impl FnOnce(Vec<FoundItem>, Timestamp) -> Result<Out> + Send + 'static,
    ) -> Result<FoundReader<Self, Out>> {
        let frames = &mut self.batch.frames;
        let known = frames.iter().position(|known| known.is_like(&frame));
        let number = known.unwrap_or(frames.len());
        match frames.get_mut(number) {
            Some(known) if known.entity == frame.entity => {}
            // Items of this frame may belong to either entity, so they cannot be decoded before their member is known.
            Some(known) => {
                known.ahead = None;
                known.pattern = &SEVERAL.batch_get;
            }
            None => frames.push(frame),
        }
        // One lenient member is enough: the others turn the error of a key into their own when they
        // are read.
        if is_lenient {
            self.failing = Failing::Apart;
        }
        self.wanted.begin_frame(number);
        let mut requested = Vec::new();
        for key in keys {
            requested.push(match key {
                Ok(key) => {
                    self.wanted.push_json(&key);
                    Ok(())
                }
                Err(error) if is_lenient => Err(error),
                Err(error) => return Err(error),
            });
        }
        Ok(FoundReader::new(move |all: &mut AllFound, now| {
            let next = |requested: Result<()>| requested.and_then(|()| next_found(all));
            read(requested.into_iter().map(next).collect(), now)
        }))
    }

    /// Reads everything requested, or nothing if it could not be planned.
    pub(crate) fn send_with<Out: Send + 'static>(
        self,
        read: Result<FoundReader<Self, Out>>,
    ) -> Reading<Out> {
        Reading::new(async move {
            let read = read?;
            let found = self.batch.read_keys(self.wanted, self.failing).await?;
            read.read_found(&mut found.into_iter(), self.batch.db.now())
        })
    }

    pub(crate) fn explain_reads(self) -> Explanation {
        Explanation::of_requests(&self.batch.build_requests(self.wanted))
    }
}
