//! The request of a read of many items, and how its response is read: the same for one entity and for several.

use std::fmt;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, Key};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::key::json::KeyJson;
use crate::plan::Explanation;
use crate::read::{
    BatchReader, Failing, FoundItem, KeyList, ReadAhead, Reading, TableFrame, entities_ahead,
    projection_of,
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

/// Reads the results for the keys of a member, as of a time.
type ReadMemberItems<Out> = Box<dyn FnOnce(Vec<FoundItem>, Timestamp) -> Result<Out> + Send>;

/// The request of one member of a read.
pub struct PlannedRead<Out> {
    pub(crate) frame: TableFrame,
    pub(crate) keys: Vec<Result<KeyJson>>,
    /// Whether an invalid key does not fail the read.
    pub(crate) is_lenient: bool,
    pub(crate) read: ReadMemberItems<Out>,
}

impl<Out> fmt::Debug for PlannedRead<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlannedRead({} keys)", self.keys.len())
    }
}

/// A read of many items under construction.
#[derive(Debug)]
pub struct ReadDraft {
    batch: BatchReader,
    wanted: KeyList,
    failing: Failing,
}

/// A member's share of the results. Each of its keys has the next item, or the reason why it was not requested.
pub(crate) struct Share<Out> {
    keys: Vec<Result<()>>,
    read: ReadMemberItems<Out>,
}

/// The results, in the order of the request.
pub(crate) type AllFound = std::vec::IntoIter<FoundItem>;

/// The result for the next key. If the response has too few items, it is an error, because the state is not known.
pub(super) fn next_found(all: &mut AllFound) -> FoundItem {
    let message = "the response has fewer items than the request has keys";
    let none = || Err(Error::new(ErrorKind::Service, Stage::Service, message));
    all.next().unwrap_or_else(none)
}

impl<Out> Share<Out> {
    pub(crate) fn read_share(self, all: &mut AllFound, now: Timestamp) -> Result<Out> {
        let next = |asked: Result<()>| match asked {
            Ok(()) => next_found(all),
            Err(error) => Err(error),
        };
        (self.read)(self.keys.into_iter().map(next).collect(), now)
    }
}

impl ReadDraft {
    pub(crate) fn new(db: &Dynamo, budget: RetryBudget, concurrency: usize) -> Self {
        ReadDraft {
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

    /// Adds a member. A key that cannot be written fails the read, unless the member is lenient.
    pub(crate) fn add_read<Out>(&mut self, asked: PlannedRead<Out>) -> Result<Share<Out>> {
        let frames = &mut self.batch.frames;
        let known = frames.iter().position(|frame| frame.is_like(&asked.frame));
        let number = known.unwrap_or(frames.len());
        match frames.get_mut(number) {
            Some(frame) if frame.entity == asked.frame.entity => {}
            // Items of this frame may belong to either entity, so they cannot be decoded before their member is known.
            Some(frame) => {
                frame.ahead = None;
                frame.pattern = &SEVERAL.batch_get;
            }
            None => frames.push(asked.frame),
        }
        // One lenient member is enough: the others turn the error of a key into their own when they
        // are read.
        if asked.is_lenient {
            self.failing = Failing::Apart;
        }
        self.wanted.begin_frame(number);
        let mut keys = Vec::with_capacity(asked.keys.len());
        for key in asked.keys {
            keys.push(match key {
                Ok(key) => {
                    self.wanted.push_json(&key);
                    Ok(())
                }
                Err(error) if asked.is_lenient => Err(error),
                Err(error) => return Err(error),
            });
        }
        Ok(Share {
            keys,
            read: asked.read,
        })
    }

    /// Reads everything requested, or nothing if it could not be planned.
    pub(crate) fn send_with<Out: Send + 'static>(self, read: Result<ReadAll<Out>>) -> Reading<Out> {
        Reading::new(async move {
            let read = read?;
            let found = self.batch.read_keys(self.wanted, self.failing).await?;
            read(&mut found.into_iter(), self.batch.db.now())
        })
    }

    pub(crate) fn explain_reads(self) -> Explanation {
        Explanation::of_requests(&self.batch.build_requests(self.wanted))
    }
}

/// Reads all results.
pub(crate) type ReadAll<Out> = Box<dyn FnOnce(&mut AllFound, Timestamp) -> Result<Out> + Send>;
