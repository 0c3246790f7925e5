//! The unique values of rows that are refilled, or that a copy or an import finds unchanged: a row claims its missing sentinels.
//! In a refill, a sentinel that no item owns is deleted.
//!
//! Programs without the unique value write rows and leave the sentinels as they are. Therefore a sentinel may name an item
//! that is gone or that has another value by now. Its owner is read strongly, and the write takes effect only while the
//! owner is as it was read.

use std::collections::HashSet;
use std::sync::Arc;

use super::{ItemsBeside, JobContext, RowError, failed, read};
use crate::bulk::action;
use crate::bulk::refill::is_same;
use crate::clock::Timestamp;
use crate::entity::sentinel::{MARK, is_sentinel};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::json::{Reader, find_member};
use crate::path::Place;
use crate::plan::own_type;
use crate::plan::{
    ConditionFailure, ItemKey, Meaning, Owner, TransactionMember, WriteRequest, WriteVerb, check,
};
use crate::schema::{EntityDef, FoundType, Pattern, TableDef};
use crate::write::{PlannedWrite, ReadUniqueValues, Sentinel, attributes_of};

/// How the unique values of rows are compared with their sentinels.
pub(super) struct UniqueRefill<'a> {
    pub(super) tools: &'a JobContext<'a>,
    pub(super) pattern: &'static Pattern,
    /// The table's full name.
    pub(super) table: &'a str,
    pub(super) table_def: &'static TableDef,
    pub(super) entity: &'static EntityDef,
    pub(super) read_values: ReadUniqueValues,
}

/// The item that a sentinel names, as it was read strongly.
struct OtherOwner {
    key: Vec<u8>,
    row: Option<bytes::Bytes>,
}

impl ItemsBeside for UniqueRefill<'_> {
    fn is_beside(&self, item: &[u8]) -> bool {
        is_sentinel(item)
    }

    /// The write of a row together with the sentinels that it lacks.
    async fn claim(
        &self,
        item: &[u8],
        key: &[u8],
        mut write: WriteRequest,
    ) -> Result<Option<PlannedWrite>, RowError> {
        let fail = |error| failed(key, None, error);
        let values = (self.read_values)(item).map_err(fail)?;
        let mine = Arc::new(Owner::new(&values.key, values.ttl.clone(), write.now));
        let (mut beside, mut checked) = (Vec::new(), HashSet::new());
        for sentinel in &values.sentinels {
            let found = self.read(sentinel.key()).await?;
            let mut other = None;
            if let Some(found) = found {
                match owner_of(&found) {
                    // A row that another program has written does not name its item, so nothing contradicts that it is this one.
                    None if sentinel.is_row() => continue,
                    Some(owner) if !self.is_same_key(&owner, mine.key_json()) => {
                        other = self
                            .other_owner(sentinel, &found, owner, key, write.now)
                            .await?;
                    }
                    Some(_) if self.has_ttl(&found, values.ttl.as_deref()) => continue,
                    // The condition of the write rejects an item that names no owner.
                    None if !check::is_expired(&found, self.entity.ttl, write.now) => {
                        let message = "an item that names no owner is stored in the place of this value, and it is unique: delete that item, and run this again";
                        return Err(fail(self.violation(sentinel, &found, message)));
                    }
                    Some(_) | None => {}
                }
            }
            let from = other
                .as_ref()
                .map(|other| Owner::of_item(&other.key, self.entity, self.table_def, write.now));
            let take = sentinel.take_from(from.as_ref(), &mine, self.tools.db);
            beside.push(take.map_err(fail)?);
            if let Some(other) = other.filter(|other| checked.insert(other.key.clone())) {
                beside.push(self.check_of(&other, write.now).map_err(fail)?);
            }
        }
        if beside.is_empty() {
            return Ok((write.verb != WriteVerb::Check).then_some(PlannedWrite::Alone(write)));
        }
        write.add_condition(self.as_read(item).map_err(fail)?);
        let main = TransactionMember::in_table(self.table_def, write, key).map_err(fail)?;
        Ok(Some(PlannedWrite::Together(main, beside)))
    }

    /// The delete of a sentinel, unless it belongs to an item, or to another unique value.
    async fn sweep(&self, sentinel: &[u8], key: &[u8]) -> Result<Option<PlannedWrite>, RowError> {
        let fail = |error| failed(key, None, error);
        let owner = owner_of(sentinel).filter(|_| self.is_of_entity(sentinel));
        let Some(owner) = owner else {
            return Ok(None);
        };
        let row = self.read(&owner).await?;
        if row.as_deref().is_some_and(|row| self.may_hold(row, key)) {
            return Ok(None);
        }
        let (db, table) = (self.tools.db, self.table_def);
        let now = db.now();
        let held = find_member(sentinel, MARK)
            .ok()
            .flatten()
            .unwrap_or_default();
        let is_its = check::value_condition(MARK, held);
        let write = action::delete(db, self.pattern, self.table.to_owned(), key, is_its);
        let main = TransactionMember::in_table(table, write, key).map_err(fail)?;
        let other = OtherOwner { key: owner, row };
        let check = self.check_of(&other, now).map_err(fail)?;
        Ok(Some(PlannedWrite::Together(main, vec![check])))
    }
}

impl UniqueRefill<'_> {
    /// The write of the missing sentinels of an item; `None` if none is missing. The item itself is not changed.
    pub(super) async fn claim_alone(
        &self,
        item: &[u8],
        key: &[u8],
    ) -> Result<Option<PlannedWrite>, RowError> {
        let failure = ConditionFailure::NEVER.or_condition();
        let exists = Node::Exists(Place::of(self.table_def.pk));
        let typed = own_type::own_condition(self.table_def, self.entity);
        let exists = exists.and(Node::all(typed));
        let asked = (exists, Meaning::Row(failure));
        let (verb, name) = (WriteVerb::Check, self.table.to_owned());
        let now = self.tools.db.now();
        let mut write = WriteRequest::new(verb, name, 256, self.pattern, now, asked);
        write.at_key(key);
        write.entity = self.entity.type_name;
        self.claim(item, key, write).await
    }

    async fn read(&self, key: &[u8]) -> Result<Option<bytes::Bytes>, RowError> {
        read(self.tools, self.pattern, self.table, key, None).await
    }

    /// The owner that another item seems to be, if it is none: it is gone, or has another value. `None` if the sentinel has
    /// expired. Fails if two items have the value.
    async fn other_owner(
        &self,
        sentinel: &Sentinel,
        found: &bytes::Bytes,
        owner: Vec<u8>,
        key: &[u8],
        now: Timestamp,
    ) -> Result<Option<OtherOwner>, RowError> {
        if check::is_expired(found, self.entity.ttl, now) {
            return Ok(None);
        }
        let row = self.read(&owner).await?;
        if row
            .as_deref()
            .is_some_and(|row| self.may_hold(row, sentinel.key()))
        {
            let message = "another item has this value, and it is unique: change one of the two, and run this again";
            return Err(failed(key, None, self.violation(sentinel, found, message)));
        }
        Ok(Some(OtherOwner { key: owner, row }))
    }

    /// The error for a value whose sentinel cannot be taken.
    fn violation(&self, sentinel: &Sentinel, found: &bytes::Bytes, message: &str) -> Error {
        Error::new(ErrorKind::UniqueViolation, Stage::Service, message)
            .at(sentinel.fields().join(", "))
            .of(self.entity.type_name)
            .declared_as(Some(self.entity.id))
            .with_holder(found.clone())
    }

    /// Whether an item has the value of a sentinel. One that this program cannot read may have it.
    fn may_hold(&self, row: &[u8], sentinel: &[u8]) -> bool {
        // The owner is gone, and an item of another entity has its key.
        if FoundType::of_item(self.table_def, row).is_typed_otherwise(self.entity) {
            return false;
        }
        match (self.read_values)(row) {
            Ok(values) => {
                let mut held = values.sentinels.iter();
                held.any(|held| self.is_same_key(held.key(), sentinel))
            }
            Err(_) => true,
        }
    }

    /// Whether two keys are the same, in whichever order their attributes are: servers return maps in any order.
    fn is_same_key(&self, one: &[u8], other: &[u8]) -> bool {
        let keys = [one, other].map(|key| ItemKey::in_table(self.table_def, key));
        matches!(keys, [Ok(one), Ok(other)] if one == other)
    }

    /// Whether the sentinel keeps a value that this entity declares. One of an older declaration may be in use.
    fn is_of_entity(&self, sentinel: &[u8]) -> bool {
        let pk = find_member(sentinel, self.table_def.pk).ok().flatten();
        let pk = pk.and_then(|json| Reader::new(json).text().ok());
        let mut uniques = self.entity.uniques.iter();
        pk.is_some_and(|pk| {
            uniques.any(|unique| unique.row.is_none() && pk.starts_with(unique.front))
        })
    }

    /// Whether a sentinel expires with its owner.
    fn has_ttl(&self, sentinel: &[u8], ttl: Option<&[u8]>) -> bool {
        let attribute = self.entity.ttl;
        let stored = attribute.and_then(|name| find_member(sentinel, name).ok().flatten());
        match (stored, ttl) {
            (Some(stored), Some(ttl)) => is_same(stored, ttl),
            (None, None) => true,
            _ => false,
        }
    }

    /// The check that the other item is as it was read.
    fn check_of(&self, other: &OtherOwner, now: Timestamp) -> Result<TransactionMember> {
        let table = self.table_def;
        let condition = match &other.row {
            Some(row) => {
                let as_read = self.as_read(row)?.and(self.typed_as_read(row)?);
                Node::Exists(Place::of(table.pk)).and(as_read)
            }
            None => Node::Missing(Place::of(table.pk)),
        };
        let failure = ConditionFailure::NEVER.or_condition();
        let asked = (condition, Meaning::Row(failure));
        let (verb, name) = (WriteVerb::Check, self.table.to_owned());
        let mut write = WriteRequest::new(verb, name, 256, self.pattern, now, asked);
        write.at_key(&other.key);
        write.entity = self.entity.type_name;
        TransactionMember::in_table(table, write, &other.key)
    }

    /// The condition that the attributes of the unique values, and the expiry, are as they were read.
    fn as_read(&self, item: &[u8]) -> Result<Node> {
        let entity = self.entity;
        self.unchanged(item, attributes_of(entity).chain(entity.ttl))
    }

    /// The condition that the item has the type that was read, if it alone tells whether the item is one of the entity.
    fn typed_as_read(&self, item: &[u8]) -> Result<Node> {
        let attribute = self.table_def.identifying_type();
        let constants = attribute.iter().flat_map(|_| self.entity.constant_names());
        self.unchanged(item, attribute.into_iter().chain(constants))
    }

    fn unchanged(&self, item: &[u8], names: impl Iterator<Item = &'static str>) -> Result<Node> {
        let fail = |fault| Error::decode(self.entity.type_name, fault);
        let mut guards = Vec::new();
        for name in names {
            guards.push(match find_member(item, name).map_err(fail)? {
                Some(json) => check::value_condition(name, json),
                None => Node::Missing(Place::of(name)),
            });
        }
        Ok(Node::all(guards))
    }
}

/// The key of the item that a sentinel names.
fn owner_of(sentinel: &[u8]) -> Option<Vec<u8>> {
    let mark = find_member(sentinel, MARK).ok().flatten()?;
    let key = find_member(mark, "M").ok().flatten()?;
    Some(key.to_vec())
}
