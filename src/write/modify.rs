//! `modify`: read an item, change it in Rust, write what changed if nobody else wrote in between.

use std::fmt;
use std::marker::PhantomData;
use std::time::Instant;

use bytes::Bytes;

use crate::dynamo::Dynamo;
use crate::entity::{self, Created, DynamoEntity, Key, Patterns, Stamp};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, UpdateActions};
use crate::json::CodecError;
use crate::path::Place;
use crate::plan::{ConditionFailure, Expect, Returned, Steps, check, read_raw, size};
use crate::retry::Backoff;
use crate::wire::Resend;
use crate::write::difference::{attributes, differences, is_kept, merged, seen_attributes};
use crate::write::{
    Edit, Holdings, UniqueExchange, UpdateOrigin, keep_up, known, read_back, read_entity, refused,
    split, stamp_fields,
};

/// How often a write is tried before the last conflict is returned.
const ATTEMPTS: usize = 200;

/// Changes an item in Rust; see [`Key::modify`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Modify<E: DynamoEntity, F> {
    key: Key<E>,
    change: F,
    attempts: usize,
}

/// Changes an item in Rust, with a closure that may give up; see [`Key::try_modify`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct TryModify<E: DynamoEntity, F, X> {
    inner: Modify<E, F>,
    kind: PhantomData<fn() -> X>,
}

impl<E: DynamoEntity, F> Modify<E, F> {
    pub(crate) fn new(key: Key<E>, change: F) -> Self {
        Modify {
            key,
            change,
            attempts: ATTEMPTS,
        }
    }

    /// How often to try before a conflict is returned; 200 by default, with growing pauses.
    pub fn attempts(mut self, attempts: usize) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sends the write, as often as it takes.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<E>>
    where
        F: FnMut(&mut E) + Send + 'd,
    {
        let Modify {
            key,
            mut change,
            attempts,
        } = self;
        let change = move |entity: &mut E| {
            change(entity);
            Ok(())
        };
        Steps(Box::pin(run::<E, Error>(db, key, change, attempts)))
    }
}

impl<E: DynamoEntity, F, X> TryModify<E, F, X> {
    pub(crate) fn new(key: Key<E>, change: F) -> Self {
        TryModify {
            inner: Modify::new(key, change),
            kind: PhantomData,
        }
    }

    /// How often to try before a conflict is returned; 200 by default, with growing pauses.
    pub fn attempts(mut self, attempts: usize) -> Self {
        self.inner.attempts = attempts;
        self
    }

    /// Sends the write, as often as it takes. An error of the closure ends that, and nothing is written.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<E, X>>
    where
        F: FnMut(&mut E) -> Result<(), X> + Send + 'd,
        X: From<Error> + 'd,
    {
        let Modify {
            key,
            change,
            attempts,
        } = self.inner;
        Steps(Box::pin(run(db, key, change, attempts)))
    }
}

async fn run<E: DynamoEntity, X: From<Error>>(
    db: &Dynamo,
    key: Key<E>,
    mut change: impl FnMut(&mut E) -> Result<(), X>,
    attempts: usize,
) -> Result<E, X> {
    let (pattern, mut backoff) = (Patterns::<E>::MODIFY, Backoff::new());
    let mut stored = read_raw(db, pattern, &key).await?;
    let mut attempt = 1;
    loop {
        let begun = Instant::now();
        let (old, mut new) = both(stored.as_ref(), db)?;
        change(&mut new)?;
        let Some(edit) = revision(db, key.clone(), &stored.unwrap_or_default(), &old, &new)? else {
            return Ok(old);
        };
        let error = match send(db, edit).await {
            Ok(stored) => return Ok(stored),
            Err(error) => error,
        };
        let is_over = attempt >= attempts || !may_be_tried_again(&error);
        if is_over {
            return Err(error.into());
        }
        // After its first loss, a write has the winner's item at hand. After another loss it waits and reads again.
        let current = error.current_bytes().filter(|_| attempt == 1);
        stored = match current {
            Some(item) => Some(item),
            None => {
                backoff.wait(begun.elapsed(), None).await;
                read_raw(db, pattern, &key).await?
            }
        };
        attempt += 1;
    }
}

/// How many attributes are compared. With the other conditions they stay below the 300 operators of DynamoDB: each
/// takes one, and an AND.
pub(crate) const MOST_COMPARED: usize = 145;

/// A conflict may be tried again. An unknown outcome may not, because the closure may have taken effect already.
fn may_be_tried_again(error: &Error) -> bool {
    error.kind() == ErrorKind::Conflict || error.code() == Some("TransactionConflictException")
}

/// The stored entity twice: as it was read, and to be changed.
fn both<E: DynamoEntity>(stored: Option<&Bytes>, db: &Dynamo) -> Result<(E, E)> {
    let live = match stored {
        Some(item) => entity::read_live(item, db.now())?.zip(Some(entity::read(item)?)),
        None => None,
    };
    live.ok_or_else(|| {
        let message = "no live item with this key is there";
        Error::new(ErrorKind::NotFound, Stage::Request, message).of(E::ENTITY.type_name)
    })
}

/// Writes what changed, together with the unique values that changed.
async fn send<E: DynamoEntity>(db: &Dynamo, edit: Edit<E>) -> Result<E> {
    let now = db.now();
    if edit.exchange.is_empty() {
        let plan = edit.write(db, now)?.returning(Returned::New, read_entity)?;
        return plan.send(db).await;
    }
    let (pattern, key) = (edit.pattern, edit.key.clone());
    edit.commit(db, now).await?;
    read_entity(Some(&read_back(db, pattern, &key).await?), now)
}

/// The write of what differs between the entity that was read and the new one, if nobody wrote in between; None if
/// nothing differs.
pub(crate) fn revision<E: DynamoEntity>(
    db: &Dynamo,
    key: Key<E>,
    stored: &[u8],
    old: &E,
    new: &E,
) -> Result<Option<Edit<E>>> {
    let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
    if Key::of(new) != key {
        let message = "the closure of a `modify` changed the key: that names another item, so create it and delete this one";
        return Err(refused::<E>(message.to_owned()));
    }
    let before = attributes(old).map_err(fail)?;
    let after = merged::<E>(&before, attributes(new).map_err(fail)?);
    let fields = after.iter().filter(|(name, _)| !is_kept::<E>(name));
    let fields = fields.map(|(name, json)| (&**name, &**json));
    size::check_least(E::ENTITY.type_name, fields)?;
    let changes = differences(&before, &after);
    if changes.is_empty() {
        return Ok(None);
    }
    let mut update = UpdateActions::default();
    for (name, action) in changes {
        update.set(name, action);
    }
    let now = db.now();
    let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
    // The attributes that are known are those of the new entity, the version is that of the old one.
    let loaded = UpdateOrigin::version_of(old).map_err(fail)?;
    stamp_fields::<E>(&mut update, &loaded, false, &stamp).map_err(fail)?;
    let touched = before.iter().chain(&after);
    let seen: Vec<String> = touched.map(|(name, _)| name.clone()).collect();
    let known_of =
        |attributes| known::<E>(&UpdateOrigin::of(attributes), &Node::all([]), &key).map_err(fail);
    let exchange = UniqueExchange::between::<E>(
        &Holdings::of::<E>(&known_of(before)?, |_| true)?,
        &Holdings::of::<E>(&known_of(after.clone())?, |_| true)?,
        false,
    )?;
    keep_up::<E>(&mut update, known_of(after)?, false)?;
    Ok(Some(Edit {
        pattern: Patterns::<E>::MODIFY,
        key,
        update,
        asked: unchanged::<E>(&loaded, &seen, stored, db).map_err(fail)?,
        exchange,
        resend: Resend::UnlessAmbiguous,
    }))
}

/// The condition that nobody wrote since the entity was read from this item.
pub(crate) fn as_read<E: DynamoEntity>(
    old: &E,
    stored: &[u8],
    db: &Dynamo,
) -> Result<(Node, ConditionFailure)> {
    let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
    let loaded = UpdateOrigin::version_of(old).map_err(fail)?;
    let seen = attributes(old).map_err(fail)?;
    let seen: Vec<String> = seen.into_iter().map(|(name, _)| name).collect();
    unchanged::<E>(&loaded, &seen, stored, db).map_err(fail)
}

/// The condition that nobody wrote since the item was read: its version is the same, or else every attribute that the
/// closure could see, and those that it made.
fn unchanged<E: DynamoEntity>(
    source: &UpdateOrigin,
    seen: &[String],
    stored: &[u8],
    db: &Dynamo,
) -> Result<(Node, ConditionFailure), CodecError> {
    let (def, now) = (&E::ENTITY, db.now());
    let stored = split(stored)?;
    let as_read = |name: String| {
        let held = stored.iter().find(|(other, _)| *other == name);
        match held {
            Some((_, json)) => check::value_condition(name, json),
            None => Node::Missing(Place::of(name)),
        }
    };
    // The version tells of every writer that keeps one, and the time of creation tells of a new item; both are compared
    // as they are spelt.
    if let Some(loaded) = source.numbered() {
        let (_, condition_failure) = check::condition(def, Expect::Loaded, Some(loaded), now);
        let names = [def.version, def.created_at].into_iter().flatten();
        let guards = names.map(|name| as_read(name.to_owned()));
        return Ok((
            Node::all(guards).and(check::live_condition(def, now)),
            condition_failure,
        ));
    }
    let (exists, condition_failure) = check::condition(def, Expect::Exists, None, now);
    let names = seen_attributes::<E>(seen.iter().map(|name| &**name));
    if names.len() > MOST_COMPARED {
        return Err(CodecError::new(format!(
            "an item without a version is compared by each of its {} attributes, and DynamoDB takes {MOST_COMPARED} such comparisons: give `{}` a `#[dynamo(version)]`, which is one",
            names.len(),
            def.type_name,
        )));
    }
    let guards = names.into_iter().map(as_read);
    Ok((
        Node::all([exists].into_iter().chain(guards)),
        condition_failure,
    ))
}

impl<E: DynamoEntity, F> fmt::Debug for Modify<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modify({:?})", self.key)
    }
}

impl<E: DynamoEntity, F, X> fmt::Debug for TryModify<E, F, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TryModify({:?})", self.inner.key)
    }
}
