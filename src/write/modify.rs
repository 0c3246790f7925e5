//! `modify`: reads an item, changes it in Rust, and writes the changes if no other write was made in between.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{
    self, Created, DynamoEntity, Key, ManagedValues, Patterns, UntypedEntity, UntypedKey,
};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, UpdateActions};
use crate::plan::own_type;
use crate::plan::{Outcome, Returned, Steps, read_raw, returned_item, size};
use crate::retry::Backoff;
use crate::schema::{FieldModel, Pattern};
use crate::wire::BoxFuture;
use crate::write::difference::{Attributes, KeptNames, at_places, attributes, differences, merged};
use crate::write::members::{at_members, fields_with_maps};
use crate::write::reshape::{is_of_other_shape, reshaped};
use crate::write::unchanged::unchanged;
use crate::write::{
    Edit, HeldUniqueValues, Main, Rewrite, UniqueChanges, UpdateOrigin, derive_expiry, keep_up,
    known, read_back, read_entity, refused, stamp_fields, tell_changes,
};

/// The number of attempts before the last conflict is returned.
const ATTEMPTS: usize = 200;

/// Changes an item in Rust; see [`Key::modify`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Modify<E: DynamoEntity, F> {
    key: Key<E>,
    change: F,
    attempts: usize,
}

/// Changes an item in Rust, with a closure that may return an error; see [`Key::try_modify`].
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

    /// Sets the number of attempts before a conflict is returned; 200 by default, with growing pauses.
    pub fn attempts(mut self, attempts: usize) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sends the write, with as many attempts as it needs.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<E>>
    where
        F: FnMut(&mut E) + Send + 'd,
    {
        let mut change = self.change;
        run(db, self.key, self.attempts, move |entity| {
            change(entity);
            Ok(())
        })
    }
}

impl<E: DynamoEntity, F, X> TryModify<E, F, X> {
    pub(crate) fn new(key: Key<E>, change: F) -> Self {
        TryModify {
            inner: Modify::new(key, change),
            kind: PhantomData,
        }
    }

    /// Sets the number of attempts before a conflict is returned; 200 by default, with growing pauses.
    pub fn attempts(mut self, attempts: usize) -> Self {
        self.inner.attempts = attempts;
        self
    }

    /// Sends the write, with as many attempts as it needs. An error of the closure ends it, and nothing is written.
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
        run(db, key, attempts, change)
    }
}

fn run<'d, E: DynamoEntity, X: From<Error> + 'd>(
    db: &'d Dynamo,
    key: Key<E>,
    attempts: usize,
    change: impl FnMut(&mut E) -> Result<(), X> + Send + 'd,
) -> Steps<'d, Result<E, X>> {
    let rounds = ModifyRounds::begin(db, Patterns::<E>::MODIFY, key.untyped(), attempts);
    Steps(Box::pin(ModifyCall {
        change,
        rounds,
        entity: PhantomData,
    }))
}

/// A `modify` in progress. Everything but the closure and its argument is compiled once, and not for each entity.
struct ModifyCall<'d, E, F> {
    change: F,
    rounds: BoxFuture<'d, Result<RoundEnd<'d>>>,
    entity: PhantomData<fn() -> E>,
}

impl<E, F> Unpin for ModifyCall<'_, E, F> {}

impl<E, X, F> Future for ModifyCall<'_, E, F>
where
    E: DynamoEntity,
    X: From<Error>,
    F: FnMut(&mut E) -> Result<(), X>,
{
    type Output = Result<E, X>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<E, X>> {
        loop {
            let rounds = match std::task::ready!(self.rounds.as_mut().poll(cx))? {
                RoundEnd::Stored(rounds) => rounds,
                RoundEnd::Modified(modified) => return Poll::Ready(Ok(modified.read()?)),
            };
            match revise(&rounds, &mut self.change)? {
                Revision::Nothing(unchanged) => return Poll::Ready(Ok(unchanged)),
                Revision::Edit(edit) => self.rounds = rounds.write(*edit),
            }
        }
    }
}

/// The result of the closure for the stored entity.
enum Revision<E> {
    /// The entity is unchanged.
    Nothing(E),
    Edit(Box<Edit>),
}

fn revise<E: DynamoEntity, X: From<Error>>(
    rounds: &ModifyRounds<'_>,
    change: &mut impl FnMut(&mut E) -> Result<(), X>,
) -> Result<Revision<E>, X> {
    let stored = rounds.stored()?;
    let old: E = entity::read(stored)?;
    // An expired item counts as missing, although the read has returned it.
    rounds.require_live(old.expires_at())?;
    // The bytes are decoded twice, because entities need not be `Clone`.
    let mut new: E = entity::read(stored)?;
    change(&mut new)?;
    Ok(
        match revision(rounds.db, rounds.pattern, &rounds.key, stored, (&old, &new))? {
            Some(edit) => Revision::Edit(Box::new(edit)),
            None => Revision::Nothing(old),
        },
    )
}

/// The attempts of one `modify`, without the type of the entity.
struct ModifyRounds<'d> {
    db: &'d Dynamo,
    pattern: &'static Pattern,
    key: UntypedKey,
    stored: Option<Bytes>,
    attempt: usize,
    attempts: usize,
    began: Instant,
    backoff: Backoff,
}

/// The result of a round.
enum RoundEnd<'d> {
    /// Another attempt is needed, on the item that is stored now.
    Stored(Box<ModifyRounds<'d>>),
    Modified(ModifiedItem),
}

impl<'d> ModifyRounds<'d> {
    fn begin(
        db: &'d Dynamo,
        pattern: &'static Pattern,
        key: Result<UntypedKey>,
        attempts: usize,
    ) -> BoxFuture<'d, Result<RoundEnd<'d>>> {
        Box::pin(async move {
            let key = key?;
            Ok(RoundEnd::Stored(Box::new(ModifyRounds {
                db,
                pattern,
                stored: read_raw(db, pattern, &key).await?,
                key,
                attempt: 1,
                attempts,
                began: Instant::now(),
                backoff: Backoff::new(),
            })))
        })
    }

    /// The item to change.
    fn stored(&self) -> Result<&[u8]> {
        let stored = self.stored.as_ref().ok_or_else(|| self.not_found())?;
        own_type::require_own(self.key.declared, stored, self.db.now())?;
        Ok(stored)
    }

    fn require_live(&self, expires_at: Option<i64>) -> Result<()> {
        match entity::is_past(expires_at, self.db.now()) {
            true => Err(self.not_found()),
            false => Ok(()),
        }
    }

    fn not_found(&self) -> Error {
        let message = "no live item with this key exists";
        let error = Error::new(ErrorKind::NotFound, Stage::Request, message);
        error.of(self.key.declared.def.type_name)
    }

    /// Writes. If another write was first, another attempt is needed on the item that is stored now.
    fn write(self: Box<Self>, edit: Edit) -> BoxFuture<'d, Result<RoundEnd<'d>>> {
        Box::pin(self.try_write(edit))
    }

    async fn try_write(mut self: Box<Self>, edit: Edit) -> Result<RoundEnd<'d>> {
        let error = match send(self.db, edit).await {
            Ok(modified) => return Ok(RoundEnd::Modified(modified)),
            Err(error) => error,
        };
        let is_over = self.attempt >= self.attempts || !may_be_tried_again(&error);
        if is_over {
            return Err(error);
        }
        // After the first lost race, the returned item of the winner saves a read. After further ones, the item is
        // contended: a pause and a new read then lose fewer races.
        let current = error.current_bytes().filter(|_| self.attempt == 1);
        self.stored = match current {
            Some(item) => Some(item),
            None => {
                self.backoff.wait_longer(self.began.elapsed(), None).await;
                read_raw(self.db, self.pattern, &self.key).await?
            }
        };
        self.attempt += 1;
        self.began = Instant::now();
        Ok(RoundEnd::Stored(self))
    }
}

/// The item after a write, and the response that contained it.
struct ModifiedItem {
    item: Option<Bytes>,
    written_at: Timestamp,
    request_id: Option<String>,
}

impl ModifiedItem {
    fn read<E: DynamoEntity>(self) -> Result<E> {
        let read = read_entity(self.item.as_deref(), self.written_at);
        read.map_err(|error| error.with_request_id(self.request_id.as_deref()))
    }
}

/// A conflict that DynamoDB reports may be retried, but not one with another item that has a key of this one. An unknown
/// outcome may not, because the closure may have taken effect already.
fn may_be_tried_again(error: &Error) -> bool {
    // An unknown outcome is not repeated: the closure would run on the result of its own first
    // write.
    let is_lost = error.kind() == ErrorKind::Conflict && error.stage() == Stage::Service;
    is_lost || error.code() == Some("TransactionConflictException")
}

/// Writes the changes, together with the changed unique values.
async fn send(db: &Dynamo, edit: Edit) -> Result<ModifiedItem> {
    let now = db.now();
    if edit.key.declared.has_two_rows(false) {
        return send_both(db, edit).await;
    }
    if edit.unique_changes.is_empty() {
        let planned = edit.write(db, now)?.with_returned(Returned::New)?;
        let plan = planned.with_outcome(Outcome::Read(|reply, written_at| {
            Ok(ModifiedItem {
                item: returned_item(&reply.body)?.map(|item| reply.body.slice_ref(item)),
                written_at,
                request_id: reply.request_id.clone(),
            })
        }));
        return plan.send_plan(db).await;
    }
    let pattern = edit.pattern;
    let (planned_write, key) = edit.planned_write(db, now)?;
    planned_write.commit(db).await?;
    Ok(ModifiedItem {
        item: Some(read_back(db, pattern, &key).await?),
        written_at: now,
        request_id: None,
    })
}

/// Writes the changes to both rows of the item.
async fn send_both(db: &Dynamo, edit: Edit) -> Result<ModifiedItem> {
    let (now, pattern, key) = (db.now(), edit.pattern, edit.key.clone());
    let rewrite = Rewrite {
        pattern,
        key: edit.key,
        main: Main::Update(edit.update),
        asked: edit.asked,
        now,
        returns_old: true,
    };
    rewrite.run(db).await?;
    Ok(ModifiedItem {
        item: Some(read_back(db, pattern, &key).await?),
        written_at: now,
        request_id: None,
    })
}

/// The write of the differences between the entity that was read and the new one, if no other write was made in
/// between; None if nothing differs.
pub(crate) fn revision<E: DynamoEntity>(
    db: &Dynamo,
    pattern: &'static Pattern,
    key: &UntypedKey,
    stored: &[u8],
    (old, new): (&E, &E),
) -> Result<Option<Edit>> {
    let fields = const { fields_with_maps(E::MODEL.fields) };
    untyped_revision(db, (pattern, key), stored, (old, new), fields)
}

fn untyped_revision(
    db: &Dynamo,
    (pattern, key): (&'static Pattern, &UntypedKey),
    stored: &[u8],
    (old, new): (&dyn UntypedEntity, &dyn UntypedEntity),
    fields: &'static [FieldModel],
) -> Result<Option<Edit>> {
    let fail = |fault| key.declared.unwritten(fault);
    let is_same_key = new.untyped_key().is_ok_and(|new| new.json() == key.json());
    if !is_same_key {
        let message = "the closure of a `modify` changed the key: that names another item, so create it and delete this one";
        return Err(refused(key.declared, message.to_owned()));
    }
    if is_of_other_shape(key.declared, stored)? {
        return reshaped(db, (pattern, key), stored, old, new);
    }
    let values = (
        attributes(old).map_err(fail)?,
        attributes(new).map_err(fail)?,
    );
    // The known attributes are those of the new entity, but the version is that of the old one, because it is what the
    // condition compares.
    let loaded = UpdateOrigin::version_of(old).map_err(fail)?;
    let compared = RevisedItem {
        fields,
        stored,
        before: values.0,
        after: values.1,
    };
    edit_between(db, (pattern, key), compared, &loaded)
}

/// The attributes of two values of one entity, and the item from which the first was read.
struct RevisedItem<'c> {
    fields: &'static [FieldModel],
    stored: &'c [u8],
    before: Attributes,
    after: Attributes,
}

fn edit_between(
    db: &Dynamo,
    (pattern, key): (&'static Pattern, &UntypedKey),
    compared: RevisedItem<'_>,
    loaded: &UpdateOrigin,
) -> Result<Option<Edit>> {
    let RevisedItem {
        fields: models,
        stored,
        before,
        after,
    } = compared;
    let declared = key.declared;
    let fail = |fault| declared.unwritten(fault);
    let after = merged(declared, &before, after);
    let kept = KeptNames::of(declared);
    let fields = after.iter().filter(|(name, _)| !kept.contains(name));
    let fields = fields.map(|(name, json)| (&**name, &**json));
    // DynamoDB reports an item that has become too large only after the request, and with a message
    // that names no field.
    size::check_least(declared.def.type_name, fields)?;
    let changes = differences(&before, &after);
    if changes.is_empty() {
        return Ok(None);
    }
    let mut update = UpdateActions::default();
    let changes = at_places(declared, changes);
    for (place, action) in at_members((declared, models), &before, changes) {
        update.set_value(place, action);
    }
    // Without a version, the attributes themselves are compared, so they are maps as they were.
    let holders = update.take_guards();
    let holders = loaded.numbered().map_or_else(Vec::new, |_| holders);
    let now = db.now();
    let stamp = ManagedValues::write(1, now, Created::Now).by(db.current_actor());
    stamp_fields(declared, &mut update, loaded, false, &stamp).map_err(fail)?;
    derive_expiry(declared, &mut update, key, false)?;
    let touched = before.iter().chain(&after);
    let seen: Vec<String> = touched.map(|(name, _)| name.clone()).collect();
    // A condition adds no facts: the item itself was read, and the guard requires that it is unchanged.
    let known_of = |attributes| known(&UpdateOrigin::of(attributes), &Node::all([]), key);
    let mut known_after = known_of(after);
    if declared.derived_ttl().is_some() {
        // An expiry may be derived from the time of this write.
        tell_changes(declared, &update, &mut known_after);
    }
    let unique_changes = UniqueChanges::between(
        declared,
        &HeldUniqueValues::of(declared, &known_of(before), |_| true)?,
        &HeldUniqueValues::of(declared, &known_after, |_| true)?,
        false,
    )?;
    keep_up(declared, &mut update, known_after, false)?;
    let (unchanged, meaning) = unchanged(declared, loaded, &seen, stored, db).map_err(fail)?;
    Ok(Some(Edit {
        pattern,
        key: key.clone(),
        update,
        asked: (unchanged.and(Node::all(holders)), meaning),
        unique_changes,
    }))
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
