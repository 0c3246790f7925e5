//! An item of a unit of work, and the state in which it was read.

use bytes::Bytes;

use crate::codec::Item;
use crate::dynamo::ItemId;
use crate::entity::{self, DynamoEntity};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::plan::{ConditionFailure, TransactionMember};

/// An item that was read or written.
pub(super) struct UnitItem {
    pub(super) id: ItemId,
    pub(super) read: Option<ReadRecord>,
    /// The check of the item that was read, until the item is written.
    pub(super) members: Vec<TransactionMember>,
    pub(super) is_written: bool,
}

/// An item as it was read.
#[derive(Clone)]
pub(super) struct ReadRecord {
    /// The id of the declaration by which it was read, which the guard is made by.
    pub(super) declared: &'static str,
    /// None if no live item existed.
    pub(super) live: Option<Bytes>,
    /// The condition that it is unchanged.
    pub(super) guard: (Node, ConditionFailure),
}

impl UnitItem {
    pub(super) fn check_unwritten(&self, entity: &'static str) -> Result<()> {
        if !self.is_written {
            return Ok(());
        }
        let message = "this unit of work writes or checks the item already: a transaction takes one write per item, so change the \
                       entity as a whole and write it once";
        Err(refuse_operation(entity, message))
    }

    /// The record of a read by this entity. The guard does not compare the attributes that another entity reads from
    /// the same item.
    pub(super) fn record_of<E: DynamoEntity>(&self) -> Result<Option<ReadRecord>> {
        match &self.read {
            Some(read) if read.declared != E::ENTITY.id => {
                Err(of_another_entity(E::ENTITY.type_name))
            }
            read => Ok(read.clone()),
        }
    }
}

impl ReadRecord {
    pub(super) fn read_entity<E: DynamoEntity>(&self) -> Result<Option<E>> {
        self.live.as_deref().map(entity::read).transpose()
    }

    /// Whether the item of a failure is the one that was read.
    pub(super) fn is_current(&self, current: Option<&Bytes>) -> bool {
        // DynamoDB returns the attributes of an item in any order, so the items are compared and not their bytes.
        let item = |json: &Bytes| Item::from_dynamo_json(json).ok();
        self.live.as_ref().and_then(item) == current.and_then(item)
    }
}

pub(super) fn of_another_entity(entity: &'static str) -> Error {
    let message =
        "this unit of work has read the item as another entity: read and write an item as one";
    refuse_operation(entity, message)
}

pub(super) fn refuse_operation(entity: &'static str, message: &str) -> Error {
    Error::new(ErrorKind::Rejected, Stage::Request, message.to_owned()).of(entity)
}
