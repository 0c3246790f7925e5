//! An update of an item that is stored in another shape than the one of its changes: the item is read, the changes are made
//! in the present shape, and the whole item is written in one guarded write.

use std::time::Instant;

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity, ManagedValues, UntypedKey};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{apply_update, holds_for};
use crate::json::{CodecError, Reader, Writer};
use crate::plan::own_type;
use crate::plan::{Outcome, PlannedRequest, Returned, WrittenItem, check, read_raw, returned_item};
use crate::retry::Backoff;
use crate::schema::Pattern;
use crate::write::{Edit, EvaluatedUpdate, ShapeFunctions, revision, upgraded};

/// The number of attempts before the last conflict is returned.
const ATTEMPTS: u32 = 200;

/// The functions of an entity; None for one without older shapes, for which nothing is compiled.
pub(super) fn shape_functions<E: DynamoEntity>() -> Option<ShapeFunctions> {
    const {
        match E::ENTITY.reads_older_shapes() {
            true => Some(ShapeFunctions {
                present: present::<E>,
                between: between::<E>,
            }),
            false => None,
        }
    }
}

fn present<E: DynamoEntity>(stored: &[u8]) -> Result<Vec<u8>> {
    let entity: E = entity::read(stored)?;
    let mut writer = Writer::with_capacity(stored.len());
    writer.push_raw("{");
    let written = entity.encode_present(&ManagedValues::as_is(), &mut writer);
    written.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
    writer.push_raw("}");
    Ok(writer.into_bytes())
}

fn between<E: DynamoEntity>(
    db: &Dynamo,
    pattern: &'static Pattern,
    key: &UntypedKey,
    stored: &[u8],
    changed: &[u8],
) -> Result<Edit> {
    let fail = |fault: CodecError| Error::encode(E::ENTITY.type_name, fault);
    let old: E = entity::read(stored)?;
    let new = E::decode(&mut Reader::new(changed)).map_err(fail)?;
    match revision(db, pattern, key, stored, (&old, &new))? {
        Some(edit) => Ok(edit),
        // Nothing differs, but an update raises the version nevertheless.
        None => upgraded(db, (pattern, key), stored, &old),
    }
}

impl EvaluatedUpdate {
    /// Sends the update as it is, if it has a form for an item of the written shape, and otherwise reads the item first.
    pub(crate) async fn run(
        self,
        first: Option<PlannedRequest>,
        returned: Returned,
        db: &Dynamo,
    ) -> Result<WrittenItem> {
        let mut known = None;
        if let Some(first) = first {
            match sent(first, db).await {
                // The failed condition returns the item, so the first attempt needs no read.
                Err(error) if error.is_older_shape() => known = error.current_bytes(),
                done => return done,
            }
        }
        let (mut backoff, began) = (Backoff::new(), Instant::now());
        for attempt in 1.. {
            let stored = match known.take() {
                Some(stored) => stored,
                None => {
                    let stored = read_raw(db, self.pattern, &self.key).await?;
                    stored.ok_or_else(|| self.not_found())?
                }
            };
            let error = match sent(self.planned(&stored, returned, db)?, db).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            // The guard compares the item that was just read, so its failure means that another
            // write came between.
            let is_lost = error.is_conflict() || error.is_not_found();
            if !is_lost || attempt == ATTEMPTS {
                return Err(error);
            }
            backoff.wait_longer(began.elapsed(), None).await;
        }
        Err(self.not_found())
    }

    /// The write of the changed item.
    fn planned(&self, stored: &Bytes, returned: Returned, db: &Dynamo) -> Result<PlannedRequest> {
        let (declared, now) = (self.key.declared, db.now());
        let fail = |fault| Error::decode(declared.def.type_name, fault);
        own_type::require_own(declared, stored, now)?;
        // DynamoDB would evaluate this condition itself if the update were an expression.
        if check::is_expired(stored, declared.def.ttl, now) {
            return Err(self.not_found());
        }
        // Managed attributes have the same names in every shape, so the expectation is checked on the stored item.
        let item = Item::from_dynamo_json(stored).map_err(fail)?;
        if !holds_for(&self.expected, &item).map_err(fail)? {
            let message =
                "the stored item is not the one that was loaded: another write came first";
            return Err(self.conflict(message, stored, now));
        }
        let mut present = Item::from_dynamo_json(&(self.shapes.present)(stored)?).map_err(fail)?;
        let refused = |fault| declared.unwritten(fault);
        if !holds_for(&self.asked, &present).map_err(refused)? {
            let message = "the stored item does not fit: a condition does not hold, a nested attribute to be changed is missing, or a sum would leave the range of its type";
            return Err(self.conflict(message, stored, now));
        }
        apply_update(&self.update, &mut present).map_err(refused)?;
        let present = present.to_dynamo_json().map_err(refused)?;
        let edit = (self.shapes.between)(db, self.pattern, &self.key, stored, &present)?;
        edit.write(db, now)?.with_returned(returned)
    }

    fn not_found(&self) -> Error {
        let message = "no live item with this key is there";
        self.error(ErrorKind::NotFound, message)
    }

    fn conflict(&self, message: &str, stored: &Bytes, now: Timestamp) -> Error {
        let error = self.error(ErrorKind::Conflict, message);
        error.with_current(stored.clone(), now)
    }

    fn error(&self, kind: ErrorKind, message: &str) -> Error {
        let def = self.key.declared.def;
        let error = Error::new(kind, Stage::Request, message.to_owned());
        error.of(def.type_name).declared_as(Some(def.id))
    }
}

async fn sent(planned: PlannedRequest, db: &Dynamo) -> Result<WrittenItem> {
    let plan = planned.with_outcome(Outcome::Read(|reply, written_at| {
        let item = returned_item(&reply.body)?.map(|item| reply.body.slice_ref(item));
        Ok((item, written_at))
    }));
    plan.send_plan(db).await
}
