//! A write together with its sentinels: what is read before it, what is tried again, what is said at last.

use std::time::Instant;

use bytes::Bytes;

use super::exchange::{Exchange, Holdings};
use super::holdings_in;
use super::joint::{Joint, Setback};
use crate::clock::Timestamp;
use crate::codec::{Writer, member};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::expr::{Node, Place, Update};
use crate::request::backoff::Backoff;
use crate::request::call::{Operation, Outcome, Plan};
use crate::request::check::{self, Lost};
use crate::request::draft::{Edit, split};
use crate::request::explain::Explanation;
use crate::request::get::{Get, read_raw};
use crate::request::transact::{self, Member};
use crate::request::{delete, put};

/// A race is run so often.
const ATTEMPTS: u32 = 100;

/// The write of an item whose unique values are not known yet.
pub(in crate::request) struct Rewrite<E: DynamoEntity> {
    pub(in crate::request) key: Key<E>,
    pub(in crate::request) main: Main,
    /// What is asked of the item.
    pub(in crate::request) condition: Node,
    pub(in crate::request) lost: Lost,
    pub(in crate::request) now: Timestamp,
    /// The item has to be as it was read in every attribute, for it is returned.
    pub(in crate::request) returns_old: bool,
}

/// What becomes of the item.
pub(in crate::request) enum Main {
    /// This, as DynamoDB JSON.
    Put(Vec<u8>),
    Update(Update),
    Delete,
}

impl<E: DynamoEntity> Rewrite<E> {
    /// Reads the item and writes it if it is still the same, again if it is not. Returns it as it was.
    pub(in crate::request) async fn run(self, db: &Dynamo) -> Result<Option<Bytes>> {
        let mut stored = read_raw(db, &self.key).await?;
        let mut backoff = Backoff::new();
        for _ in 1..ATTEMPTS {
            let began = Instant::now();
            let (current, error) = match self.attempt(stored.as_ref(), db).await? {
                None => return Ok(stored),
                Some(setback) => setback,
            };
            if self.is_as_read(stored.as_ref(), current.as_ref()) {
                return Err(error);
            }
            stored = current;
            backoff.wait(began.elapsed(), None).await;
        }
        match self.attempt(stored.as_ref(), db).await? {
            None => Ok(stored),
            Some((_, error)) => Err(error),
        }
    }

    async fn attempt(&self, stored: Option<&Bytes>, db: &Dynamo) -> Result<Option<Setback>> {
        self.plan_on(stored, db)?.send(db).await
    }

    fn member(&self, guard: Node, db: &Dynamo) -> Result<Member> {
        let plan = self.plan(guard, db)?;
        match &self.main {
            Main::Update(update) => Member::of_update(plan, &self.key, !update.is_empty()),
            Main::Put(_) | Main::Delete => Member::of(plan, &self.key),
        }
    }

    fn exchange(&self, stored: Option<&Bytes>) -> Result<Exchange> {
        let before = match stored {
            Some(item) => holdings_in(item, None, &self.key)?,
            None => Holdings::nothing::<E>(),
        };
        let after = match &self.main {
            Main::Put(item) => holdings_in(item, None, &self.key)?,
            Main::Update(update) => {
                let item = stored.map_or(&b"{}"[..], |item| item);
                holdings_in(item, Some(update), &self.key)?
            }
            Main::Delete => Holdings::nothing::<E>(),
        };
        Exchange::between::<E>(&before, &after, matches!(self.main, Main::Put(_)))
    }

    /// The read, and the write as it would be if it found nothing.
    pub(in crate::request) fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let read = Get::new(self.key.clone()).consistent().plan(db)?;
        let main = self.member(self.guard(None), db)?;
        let beside = self.exchange(None)?.members(&self.key, self.now, db)?;
        let members: Vec<_> = [main].into_iter().chain(beside).collect();
        let write = transact::plan_of_one(members, None, Outcome::Known(Some(())))?;
        Ok(Explanation::of(&write).after(&read))
    }

    /// What the exchange relies on.
    fn guard(&self, stored: Option<&Bytes>) -> Node {
        let here = Place::of(E::ENTITY.pk.attribute);
        let Some(item) = stored else {
            return Node::Missing(here);
        };
        let as_read = |name: String| match member(item, &name) {
            Ok(Some(json)) => check::is_value(name, json),
            _ => Node::Missing(Place::of(name)),
        };
        let asked = self.relied_on(item).into_iter().map(as_read);
        Node::all([Node::Exists(here)].into_iter().chain(asked))
    }

    /// The attributes that unique values are made of, and the TTL; all of an item that is returned.
    fn relied_on(&self, item: &[u8]) -> Vec<String> {
        if self.returns_old {
            let all = split(item).unwrap_or_default().into_iter();
            let is_key = |name: &str| {
                E::ENTITY.pk.attribute == name
                    || E::ENTITY.sk.is_some_and(|sk| sk.attribute == name)
            };
            return all
                .map(|(name, _)| name)
                .filter(|name| !is_key(name))
                .collect();
        }
        let attributes = E::ENTITY.attributes.iter();
        let relied = attributes.filter(|known| super::depends_on::<E>(known.field));
        relied.map(|known| known.stored.to_owned()).collect()
    }

    fn plan(&self, guard: Node, db: &Dynamo) -> Result<Plan<()>> {
        let (condition, lost) = check::with(self.condition.clone(), self.lost, guard);
        match &self.main {
            Main::Put(item) => put::plan_item::<E>(item, &condition, lost, self.now, db),
            Main::Delete => delete::plan_key(&self.key, &condition, lost, self.now, db),
            Main::Update(update) => {
                let edit = Edit {
                    key: self.key.clone(),
                    update: update.clone(),
                    condition,
                    lost,
                    exchange: Exchange::default(),
                };
                edit.plan_alone(db, self.now)
            }
        }
    }
}

/// The write of one item, planned as far as it can be without reading.
pub(in crate::request) enum Intent {
    Ready(Box<Joint>),
    Reading(Box<dyn Rewriting>),
}

impl From<Joint> for Intent {
    fn from(joint: Joint) -> Self {
        Intent::Ready(Box::new(joint))
    }
}

/// A write that reads the item first, of whatever type.
pub(in crate::request) trait Rewriting: Send {
    /// The primary key, as an object of DynamoDB JSON.
    fn key_json(&self) -> Result<Vec<u8>>;

    /// The write, if this is what is stored.
    fn plan_on(&self, stored: Option<&Bytes>, db: &Dynamo) -> Result<Joint>;

    /// Whether a condition of the caller's failed, and no race was lost.
    fn is_as_read(&self, stored: Option<&Bytes>, current: Option<&Bytes>) -> bool;
}

impl<E: DynamoEntity> Rewriting for Rewrite<E> {
    fn key_json(&self) -> Result<Vec<u8>> {
        let mut json = Writer::for_request(96);
        json.raw("{");
        self.key.write(&mut json)?;
        json.raw("}");
        Ok(json.into_bytes())
    }

    fn plan_on(&self, stored: Option<&Bytes>, db: &Dynamo) -> Result<Joint> {
        let beside = self.exchange(stored)?.members(&self.key, self.now, db)?;
        Ok(Joint::Together(
            self.member(self.guard(stored), db)?,
            beside,
        ))
    }

    fn is_as_read(&self, stored: Option<&Bytes>, current: Option<&Bytes>) -> bool {
        let (Some(stored), Some(current)) = (stored, current) else {
            return stored.is_none() && current.is_none();
        };
        let same = |name: &String| member(stored, name).ok() == member(current, name).ok();
        self.relied_on(stored).iter().all(same)
    }
}
