//! Many items by their keys, through `BatchGetItem`.
//!
//! A request takes 100 keys and its answer holds 16 MB; what the service leaves out is asked for again.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use bytes::Bytes;

use super::backoff::Backoff;
use super::together::together;
use crate::codec::{Fault, Writer, elements, members};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::key::point::{KeyPoint, points_of};
use crate::wire::{self, Request, Resend};

/// The keys of one request.
pub(super) const BATCH: usize = 100;

/// So many times in a row the service may leave everything out.
const PATIENCE: u32 = 10;

/// The values of a primary key, the partition's first.
pub(super) type PrimaryKey = Vec<KeyPoint>;

/// Where items are read, and how.
#[derive(Debug, Clone)]
pub(super) struct BatchGet {
    pub(super) db: Dynamo,
    pub(super) entity: &'static str,
    /// The table's full name.
    pub(super) table: String,
    /// The attributes of the primary key.
    pub(super) names: Vec<&'static str>,
    /// What goes beside the keys, each member behind a comma.
    pub(super) options: Vec<u8>,
}

/// The items of an answer with their keys, and the keys that the service left out.
#[derive(Default)]
struct Answer {
    items: Vec<(PrimaryKey, Bytes)>,
    left: Vec<PrimaryKey>,
}

impl BatchGet {
    /// The items of these keys, in their order; `None` for one that is not there. A key that comes twice
    /// is asked for once.
    pub(super) async fn read(&self, keys: &[PrimaryKey]) -> Result<Vec<Option<Bytes>>> {
        let mut seen = HashSet::new();
        let distinct: Vec<PrimaryKey> = keys
            .iter()
            .filter(|key| seen.insert(*key))
            .cloned()
            .collect();
        let chunks = distinct.chunks(BATCH).map(|chunk| self.chunk(chunk));
        let chunks: Result<Vec<_>> = together(chunks.collect()).await.into_iter().collect();
        let items: HashMap<PrimaryKey, Bytes> = chunks?.into_iter().flatten().collect();
        Ok(keys.iter().map(|key| items.get(key).cloned()).collect())
    }

    /// The items of one request, however often it takes to get them all.
    async fn chunk(&self, keys: &[PrimaryKey]) -> Result<Vec<(PrimaryKey, Bytes)>> {
        let mut left = keys.to_vec();
        let mut items = Vec::new();
        let mut backoff = Backoff::new();
        let mut in_vain = 0;
        loop {
            let began = Instant::now();
            let answer = self.ask(&left).await?;
            items.extend(answer.items);
            if answer.left.is_empty() {
                return Ok(items);
            }
            if answer.left.len() < left.len() {
                (backoff, in_vain) = (Backoff::new(), 0);
            } else {
                in_vain += 1;
            }
            left = answer.left;
            if in_vain == PATIENCE {
                return Err(self.throttled(left.len(), keys.len()));
            }
            backoff.wait(began.elapsed(), None).await;
        }
    }

    async fn ask(&self, keys: &[PrimaryKey]) -> Result<Answer> {
        let reply = self.db.call(self.request(keys)).await;
        let reply = reply.map_err(|failure| failure.error.of(self.entity))?;
        let answer = self.answer(&reply.body);
        answer.map_err(|fault| {
            let message = format!("the service's answer cannot be read: {fault}");
            Error::new(ErrorKind::Service, Stage::Service, message)
                .of(self.entity)
                .with_request_id(reply.request_id.as_deref())
        })
    }

    fn throttled(&self, left: usize, all: usize) -> Error {
        let message = format!(
            "{left} of {all} items were not read: the service left them out {PATIENCE} times in a row"
        );
        Error::new(ErrorKind::Throttled, Stage::Service, message).of(self.entity)
    }

    pub(super) fn request(&self, keys: &[PrimaryKey]) -> Request {
        let mut body = Writer::for_request(128 + 96 * keys.len());
        body.raw("{\"RequestItems\":{");
        body.quoted(&self.table);
        body.raw(":{\"Keys\":[");
        for (at, key) in keys.iter().enumerate() {
            body.raw(if at == 0 { "{" } else { ",{" });
            for (name, point) in self.names.iter().zip(key) {
                body.dynamic_name(name);
                point.write(&mut body);
            }
            body.raw("}");
        }
        body.raw("]");
        body.raw_bytes(&self.options);
        body.raw("}}}");
        Request {
            operation: wire::Operation::BatchGetItem,
            table: self.table.clone(),
            body: Bytes::from(body.into_bytes()),
            resend: Resend::Always,
        }
    }

    fn answer(&self, body: &Bytes) -> Result<Answer, Fault> {
        let mut answer = Answer::default();
        for (name, tables) in members(body)? {
            match &*name {
                "Responses" => {
                    for (_, items) in members(tables)? {
                        for item in elements(items)? {
                            let key = points_of(item, &self.names)?;
                            answer.items.push((key, body.slice_ref(item)));
                        }
                    }
                }
                "UnprocessedKeys" => {
                    for (_, request) in members(tables)? {
                        answer.left.extend(self.unprocessed(request)?);
                    }
                }
                _ => {}
            }
        }
        Ok(answer)
    }

    fn unprocessed(&self, request: &[u8]) -> Result<Vec<PrimaryKey>, Fault> {
        let members = members(request)?;
        let keys = members.into_iter().find(|(name, _)| name == "Keys");
        let keys = keys.map_or(Ok(Vec::new()), |(_, keys)| elements(keys))?;
        keys.into_iter()
            .map(|key| points_of(key, &self.names))
            .collect()
    }
}
