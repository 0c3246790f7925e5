//! One operation of a transaction, planned.

use std::any::Any;
use std::sync::Arc;

use super::owner::Owner;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Failed, OperationPlace, Result, Stage};
use crate::expr::Node;
use crate::plan::keys::{ItemKey, KeyNames};
use crate::plan::meaning::Meaning;
use crate::plan::write_request::{WriteRequest, WriteVerb};
use crate::schema::{SEVERAL, TableDef, UniqueDef};

/// An operation of a transaction, planned.
#[derive(Debug)]
pub struct TransactionMember {
    /// The operation of the caller, if it was one of several.
    pub(crate) place: Option<OperationPlace>,
    /// Boxed, because members move through several lists.
    pub(crate) write: Box<WriteRequest>,
    pub(crate) key: ItemKey,
    /// For an operation in addition to the write of an item: the owner of the unique value that it stores.
    pub(crate) owner: Option<Arc<Owner>>,
    /// The entity as it will be stored, if that is known.
    pub(crate) stored: Option<Box<dyn Any + Send + Sync>>,
}

impl TransactionMember {
    /// The write of the item with this key, as this library writes keys.
    pub(crate) fn of_key(write: WriteRequest, key: &[u8]) -> Result<Self> {
        TransactionMember::of_write(write, ItemKey::from_json(key.to_vec()))
    }

    /// The write of any item in the table, by its key as an object of DynamoDB JSON.
    pub(crate) fn in_table(table: &TableDef, write: WriteRequest, key: &[u8]) -> Result<Self> {
        let key = ItemKey::in_table(table, key);
        let key = key.map_err(|fault| Error::encode(write.entity, fault))?;
        TransactionMember::of_write(write, key)
    }

    /// In a transaction, an update without a change becomes a check of its condition.
    pub(crate) fn of_write(mut write: WriteRequest, key: ItemKey) -> Result<Self> {
        let refused = |kind, message| Error::new(kind, Stage::Request, message);
        if write.verb == WriteVerb::Update && !write.has_changes() {
            // DynamoDB rejects an update without an expression inside a transaction, and a check
            // cannot create the item.
            if write.condition_failure().may_create() {
                let message =
                    "a transaction makes no item out of nothing: set a field in the same upsert";
                return Err(refused(ErrorKind::InvalidValue, message).of(write.entity));
            }
            if write.condition.is_always() {
                let message = "this UpdateItem has no place in a transaction";
                return Err(refused(ErrorKind::Rejected, message).of(write.entity));
            }
            write.verb = WriteVerb::Check;
        }
        Ok(TransactionMember {
            place: None,
            write: Box::new(write),
            key,
            owner: None,
            stored: None,
        })
    }

    /// Releases the sentinel with this key, if it belongs to this owner. A row that another program has written does not name
    /// its owner, so the value of the item alone tells.
    pub(crate) fn giving_up(
        owner: &Arc<Owner>,
        unique: &UniqueDef,
        sentinel: &[u8],
        db: &Dynamo,
    ) -> Result<Self> {
        let condition = match unique.row {
            None => owner.mine_condition(),
            Some(_) => owner.mine_or_unnamed_condition(),
        };
        let asked = (condition, Meaning::ForeignRow);
        TransactionMember::beside_owner(owner, sentinel, WriteVerb::Delete, sentinel, asked, db)
    }

    /// Checks that the sentinel that this member would release still belongs to another owner; or releases it, if this
    /// member is such a check.
    pub(crate) fn for_changed_owner(&self, db: &Dynamo) -> Result<Self> {
        let Some(owner) = &self.owner else {
            return Ok(self.copy_member());
        };
        let sentinel = self.key.to_json();
        let (verb, condition) = match self.write.verb {
            WriteVerb::Check => (WriteVerb::Delete, owner.mine_condition()),
            _ => (WriteVerb::Check, owner.others_condition()),
        };
        let asked = (condition, Meaning::ForeignRow);
        let member = TransactionMember::beside_owner(owner, &sentinel, verb, &sentinel, asked, db);
        Ok(member?.for_that_of(self))
    }

    /// The put, the delete or the check of the sentinel with this key, in addition to the write of its owner.
    pub(crate) fn beside_owner(
        owner: &Arc<Owner>,
        sentinel: &[u8],
        verb: WriteVerb,
        subject: &[u8],
        asked: (Node, Meaning),
        db: &Dynamo,
    ) -> Result<Self> {
        let (table, room) = (db.table_name(owner.table_def().name), 64 + subject.len());
        // It is never the first member of its request, so its pattern is never used.
        let pattern = &SEVERAL.transact;
        let mut write = WriteRequest::new(verb, table, room, pattern, owner.write_time(), asked);
        write.entity = owner.type_name();
        match verb {
            WriteVerb::Put => write.put_item(subject),
            WriteVerb::Update | WriteVerb::Delete | WriteVerb::Check => write.at_key(subject),
        }
        Ok(TransactionMember {
            owner: Some(owner.clone()),
            ..TransactionMember::in_table(owner.table_def(), write, sentinel)?
        })
    }

    /// Sets which operation of the caller it is.
    pub(crate) fn at_place(self, place: OperationPlace) -> Self {
        TransactionMember {
            place: Some(place),
            ..self
        }
    }

    /// Gives this the position of another member, which it represents.
    pub(crate) fn for_that_of(self, other: &TransactionMember) -> Self {
        TransactionMember {
            place: other.place,
            ..self
        }
    }

    /// The operation and its error.
    pub(crate) fn failed_with(&self, error: Error) -> Failed {
        let error = error.declared_as(self.declaration_id());
        Failed::new(
            self.place.unwrap_or_default(),
            self.item_key().to_json(),
            error,
        )
    }

    /// The item of the operation. If it stores a unique value, that is the item that has the value.
    pub(crate) fn item_key(&self) -> ItemKey {
        match &self.owner {
            Some(owner) => ItemKey::from_json(owner.key_json().to_vec()),
            None => self.key.clone(),
        }
    }

    /// The id of its entity's declaration, if that is known.
    pub(crate) fn declaration_id(&self) -> Option<&'static str> {
        let owner = self.owner.as_ref().map(|owner| owner.declaration_id());
        owner.or(self.write.condition_failure().declaration_id())
    }

    /// The attributes of the primary key of the written item.
    pub(crate) fn key_names(&self) -> Option<KeyNames> {
        let owner = self.owner.as_ref().map(|owner| owner.key_names());
        owner.or(self.write.condition_failure().key_names())
    }

    /// The size of the item that it stores, if it puts one.
    pub(crate) fn encoded_size(&self) -> usize {
        let item = self.write.item_json();
        let item = item.and_then(|json| Item::from_dynamo_json(json).ok());
        item.map_or(0, |item| item.size())
    }

    /// A copy for another attempt.
    pub(crate) fn copy_member(&self) -> Self {
        TransactionMember {
            place: self.place,
            write: self.write.clone(),
            key: self.key.clone(),
            owner: self.owner.clone(),
            stored: None,
        }
    }

    /// Whether it is the write of an item, and not an operation that stores a unique value.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self.write.meaning, Meaning::Row(_))
    }
}
