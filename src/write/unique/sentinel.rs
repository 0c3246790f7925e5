//! The item that stores a unique value: its key, its content, and how it is taken and released.

use std::sync::Arc;

use crate::dynamo::Dynamo;
use crate::entity::sentinel::{MARK, write_sort_key};
use crate::entity::{EntityDeclaration, Known};
use crate::error::Result;
use crate::expr::Node;
use crate::json::{CodecError, Writer};
use crate::path::Place;
use crate::plan::{Meaning, Owner, TransactionMember, WriteVerb};
use crate::schema::UniqueDef;

/// A unique value of an item, as the key of its sentinel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentinel {
    pub(super) unique: &'static UniqueDef,
    /// An object of DynamoDB JSON.
    pub(super) key: Vec<u8>,
}

/// The state of a unique value of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holding {
    /// A part of the value is missing, so there is no value.
    Nothing,
    Value(Sentinel),
    /// It depends on these fields, which are not known.
    Unknown(Vec<&'static str>),
}

impl Sentinel {
    /// Its key, an object of DynamoDB JSON.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The fields of its value.
    pub(crate) fn fields(&self) -> &'static [&'static str] {
        self.unique.fields
    }

    /// The sentinel whose partition key `write` writes.
    pub(super) fn of(
        declared: &EntityDeclaration,
        unique: &'static UniqueDef,
        write: impl FnOnce(&mut Writer) -> Result<(), CodecError>,
    ) -> Result<Self, CodecError> {
        let mut key = Writer::for_request(64);
        key.push_raw("{");
        write(&mut key)?;
        // The row of another program has a template for its sort key.
        if unique.row.is_none() {
            write_sort_key(declared.def, &mut key);
        }
        key.push_raw("}");
        Ok(Sentinel {
            unique,
            key: key.into_bytes(),
        })
    }

    /// Whether it is a row in the format of another program, which names its owner only if this library has written it.
    pub(crate) fn is_row(&self) -> bool {
        self.unique.row.is_some()
    }

    /// Makes the sentinel the owner's, if it is free, expired, or the owner's already. A row without an owner must not exist.
    pub(super) fn take(&self, owner: &Arc<Owner>, db: &Dynamo) -> Result<TransactionMember> {
        self.take_from(None, owner, db)
    }

    /// Takes the sentinel, even from `other`, which does not have the value, or releases it in the same transaction.
    pub(crate) fn take_from(
        &self,
        other: Option<&Owner>,
        owner: &Arc<Owner>,
        db: &Dynamo,
    ) -> Result<TransactionMember> {
        self.take_if(owner.free_condition(other), owner, db)
    }

    fn take_if(
        &self,
        condition: Node,
        owner: &Arc<Owner>,
        db: &Dynamo,
    ) -> Result<TransactionMember> {
        let mut item = Writer::for_request(192);
        item.raw_bytes(self.key.strip_suffix(b"}").unwrap_or_default());
        match &self.unique.row {
            None => owner.write_content(&mut item),
            Some(row) => {
                for constant in row.constants {
                    item.dynamic_name(constant.attribute);
                    constant.write_value(&mut item);
                }
                // The other program ignores the attribute.
                owner.write_mark(&mut item);
            }
        }
        item.push_raw("}");
        let asked = (condition, Meaning::Taken(self.unique));
        TransactionMember::beside_owner(
            owner,
            &self.key,
            WriteVerb::Put,
            item.as_bytes(),
            asked,
            db,
        )
    }

    /// Releases the sentinel, if it is the owner's.
    pub(super) fn give_up(&self, owner: &Arc<Owner>, db: &Dynamo) -> Result<TransactionMember> {
        TransactionMember::giving_up(owner, self.unique, &self.key, db)
    }
}

/// The state of a unique value of a partly known item.
pub(crate) fn holding(
    declared: &EntityDeclaration,
    number: usize,
    known: &Known,
) -> Result<Holding, CodecError> {
    let Some(unique) = declared.def.uniques.get(number) else {
        return Ok(Holding::Nothing);
    };
    let mut unknown = Vec::new();
    for (part, field) in unique.fields.iter().enumerate() {
        match (declared.unique_part_is_there)(number, part, known)? {
            Some(true) => {}
            // A tuple with a missing part is not unique, so the item holds no value, whatever the
            // other parts are.
            Some(false) => return Ok(Holding::Nothing),
            None => unknown.push(*field),
        }
    }
    if !unknown.is_empty() {
        return Ok(Holding::Unknown(unknown));
    }
    let sentinel = Sentinel::of(declared, unique, |writer| {
        (declared.write_unique)(number, known, writer)
    })?;
    Ok(Holding::Value(sentinel))
}

/// One operation that takes a value which another operation of the transaction releases.
pub(crate) fn take_over(
    taker: &TransactionMember,
    giver: &TransactionMember,
    db: &Dynamo,
) -> Result<TransactionMember> {
    let (Meaning::Taken(unique), Some(owner)) = (taker.write.meaning, &taker.owner) else {
        return Ok(taker.copy_member());
    };
    let key = taker.key.to_json();
    let mut condition = owner.free_condition(giver.owner.as_deref());
    if unique.row.is_some() {
        // A row without an owner is the giver's, because the giver has the value.
        condition = Node::any([condition, Node::Missing(Place::of(MARK))]);
    }
    let taken = Sentinel { unique, key }.take_if(condition, owner, db)?;
    Ok(taken.for_that_of(taker))
}
