//! The rows of items under another primary key, while they are refilled: an item gets the row that it lacks, and a row that
//! no item has is deleted.
//!
//! The row that the program reads decides, so it is compared strongly, and the write takes effect only while both rows are as
//! they were read. When the program reads the new rows, a row under the old key that is not that of a new row is never deleted:
//! it may be the only one of its item, if a fill was skipped or could not write it.

use bytes::Bytes;

use super::{ItemsBeside, JobContext, RowError, failed, read};
use crate::bulk::action;
use crate::codec::Item;
use crate::entity::second_row::SecondKey;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::plan::{ConditionFailure, Meaning, TransactionMember, WriteRequest, WriteVerb, check};
use crate::query::QuerySource;
use crate::schema::{JOB, Pattern, SecondKeyUse, TypeMatch};
use crate::write::{PlannedWrite, changed, collision, row_as_read};

/// How the rows of both keys are compared.
pub(super) struct SecondRefill<'a> {
    pub(super) tools: &'a JobContext<'a>,
    pub(super) pattern: &'static Pattern,
    /// The table's full name.
    pub(super) table: &'a str,
    pub(super) source: &'a QuerySource,
    pub(super) second_key: SecondKey,
}

impl ItemsBeside for SecondRefill<'_> {
    /// Whether a row of the scan is one under the other key.
    fn is_beside(&self, item: &[u8]) -> bool {
        self.second_key.def.type_match(self.source.table, item) == TypeMatch::Own
    }

    /// The write of a row together with the other one, if that differs.
    async fn claim(
        &self,
        item: &[u8],
        key: &[u8],
        mut write: WriteRequest,
    ) -> Result<Option<PlannedWrite>, RowError> {
        let fail = |error| failed(key, None, error);
        let is_right = write.verb == WriteVerb::Check;
        let usage = self.usage();
        if usage == SecondKeyUse::Dropped {
            return Ok((!is_right).then_some(PlannedWrite::Alone(write)));
        }
        let after = changed(self.source.entity.type_name, item, &write.update).map_err(fail)?;
        let row = (self.second_key.row)(&after).map_err(fail)?;
        let held = self.read(&row.key).await?;
        if let Some(held) = &held {
            let owner = (self.second_key.key_of)(held).ok();
            let own = owner.filter(|owner| is_same(owner, key));
            if own.is_none() && !self.is_left_over(held).await? {
                let this = (self.second_key.key_of)(&row.item).map_err(fail)?;
                return Err(fail(collision(
                    (self.source.entity, &this),
                    self.second_key.def,
                    usage,
                )));
            }
            if is_right && is_same(held, &row.item) {
                return Ok(None);
            }
        }
        write.add_condition(row_as_read(self.source.entity, Some(item)).map_err(fail)?);
        let main = TransactionMember::in_table(self.source.table, write, key).map_err(fail)?;
        let as_read = row_as_read(self.second_key.def, held.as_deref()).map_err(fail)?;
        let mut put = self.request(WriteVerb::Put, as_read);
        put.put_item(&row.item);
        let put = TransactionMember::of_key(put, &row.key).map_err(fail)?;
        Ok(Some(PlannedWrite::Together(main, vec![put])))
    }

    /// The delete of a row under the other key, unless it belongs to an item.
    async fn sweep(&self, item: &[u8], key: &[u8]) -> Result<Option<PlannedWrite>, RowError> {
        let fail = |error| failed(key, None, error);
        let owner = (self.second_key.key_of)(item).map_err(fail)?;
        let main = self.read(&owner).await?;
        let usage = self.usage();
        let (ttl, now) = (self.source.entity.ttl, self.tools.db.now());
        let is_its = match &main {
            // An expired item is as gone as a missing one, whatever its other row says.
            Some(main) if check::is_expired(main, ttl, now) => false,
            Some(main) => {
                let row = (self.second_key.row)(main).map_err(fail)?;
                is_same(&row.key, key)
            }
            None => false,
        };
        match (usage, &main) {
            (SecondKeyUse::Next | SecondKeyUse::Was, _) if is_its => return Ok(None),
            (SecondKeyUse::Was | SecondKeyUse::Dropped, Some(main))
                if is_its || check::is_expired(main, ttl, now) => {}
            (SecondKeyUse::Was | SecondKeyUse::Dropped, _) => {
                // A delete of both rows, or a change of the other key, may have come between the two reads.
                return match self.read(key).await? {
                    Some(_) => Err(fail(self.unfilled(main.is_some()))),
                    None => Ok(None),
                };
            }
            (SecondKeyUse::Next, _) => {}
        }
        let as_read = row_as_read(self.second_key.def, Some(item)).map_err(fail)?;
        let (db, name) = (self.tools.db, self.table.to_owned());
        let delete = action::delete(db, self.pattern, name, key, as_read);
        let delete = TransactionMember::in_table(self.source.table, delete, key).map_err(fail)?;
        let as_read = row_as_read(self.source.entity, main.as_deref()).map_err(fail)?;
        let mut check = self.request(WriteVerb::Check, as_read);
        check.at_key(&owner);
        let check = TransactionMember::of_key(check, &owner).map_err(fail)?;
        Ok(Some(PlannedWrite::Together(delete, vec![check])))
    }
}

impl SecondRefill<'_> {
    /// Whether a row belongs to an item that is gone, or that has another one by now. Only programs of the step before leave
    /// such rows behind.
    async fn is_left_over(&self, held: &Bytes) -> Result<bool, RowError> {
        if self.usage() != SecondKeyUse::Next {
            return Ok(false);
        }
        let Ok(owner) = (self.second_key.key_of)(held) else {
            return Ok(false);
        };
        let Some(main) = self.read(&owner).await? else {
            return Ok(true);
        };
        if check::is_expired(&main, self.source.entity.ttl, self.tools.db.now()) {
            return Ok(true);
        }
        let Ok(row) = (self.second_key.row)(&main) else {
            return Ok(false);
        };
        let names: Vec<_> = self.source.table.key_names().collect();
        let held = action::key_of(held, &names);
        Ok(held.is_ok_and(|held| !is_same(&row.key, &held)))
    }

    fn usage(&self) -> SecondKeyUse {
        let second = self.source.entity.second_key;
        second.map(|second| second.usage).unwrap_or_default()
    }

    async fn read(&self, key: &[u8]) -> Result<Option<Bytes>, RowError> {
        read(self.tools, self.pattern, self.table, key, None).await
    }

    fn request(&self, verb: WriteVerb, condition: Node) -> WriteRequest {
        let failure = ConditionFailure::NEVER.or_condition();
        let (asked, now) = ((condition, Meaning::Row(failure)), self.tools.db.now());
        let mut write =
            WriteRequest::new(verb, self.table.to_owned(), 1024, self.pattern, now, asked);
        write.entity = self.second_key.def.type_name;
        write
    }

    /// The error for a row under the old key that is not that of a new row. `is_taken` says whether another item has the
    /// new key.
    fn unfilled(&self, is_taken: bool) -> Error {
        let (this, other) = (self.source.entity.type_name, self.second_key.def.type_name);
        let message = match is_taken {
            true => format!(
                "the key that a row of `{other}` has as a `{this}` belongs to a row that is stored under another key of `{other}`: it \
                 is another item, or left from a former key, and is not deleted: delete it by its key of `{other}` if nothing of \
                 it is needed"
            ),
            false => format!(
                "a row of `{other}` has no row of `{this}`, so it may be the only one of its item, and is not deleted: if the \
                 item is needed, read that row and `create` it as a `{this}`; otherwise delete it by its key of `{other}`"
            ),
        };
        let error = Error::new(ErrorKind::Conflict, Stage::Request, message);
        error.of(other).declared_as(Some(self.second_key.def.id))
    }
}

/// Whether two items or keys hold the same, in any order, except for the marks of jobs.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let read = |json| {
        let item = Item::from_dynamo_json(json).ok()?.into_iter();
        Some(
            item.filter(|(name, _)| !name.starts_with(JOB))
                .collect::<Vec<_>>(),
        )
    };
    read(one).is_some_and(|one| read(other) == Some(one))
}
