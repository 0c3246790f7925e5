//! The plan of a write of one item.

use std::any::Any;

use crate::dynamo::Dynamo;
use crate::entity::UntypedKey;
use crate::error::Result;
use crate::expr::{Node, UpdateActions};
use crate::plan::{Outcome, Returned};
use crate::schema::Pattern;
use crate::write::large::LargeRows;
use crate::write::{Edit, Intent};

/// How the result of a write is read.
#[derive(Debug)]
pub struct WriteOutcome<Out>(pub(crate) Outcome<Out>);

impl<Out> WriteOutcome<Out> {
    /// The result, if it is known before the write is sent.
    pub(super) fn known(self) -> Option<Out> {
        match self.0 {
            Outcome::Known(known) => known,
            _ => None,
        }
    }
}

/// A write of one item, planned as far as it can be without reading.
#[derive(Debug)]
pub struct WritePlan {
    pub(crate) intent: Intent,
    /// The part of the item that it returns.
    pub(crate) returned: Returned,
    /// The key of the item, if the item has to be read back after a transaction.
    pub(crate) key: Option<UntypedKey>,
    /// The item, if it is known that nothing changes and no condition is checked.
    pub(crate) same: Option<Vec<u8>>,
    /// The update of an item that is stored in an older shape.
    pub(crate) evaluated: Option<Box<EvaluatedUpdate>>,
    /// The lists and blobs of the item, if it is deleted together with them.
    pub(crate) dropped: Vec<LargeRows>,
}

impl WritePlan {
    pub(crate) fn new(intent: Intent, returned: Returned) -> Self {
        WritePlan {
            intent,
            returned,
            key: None,
            same: None,
            evaluated: None,
            dropped: Vec::new(),
        }
    }

    /// Declares that executing it twice is harmless.
    pub(crate) fn retry_safe(mut self) -> Self {
        // A write that reads first becomes a transaction. It has a token, so it may be repeated anyway.
        if let Intent::Ready(write) = &mut self.intent {
            write.main().retry_safe(self.returned);
        }
        self
    }

    /// The item of a put.
    pub(crate) fn item(&mut self) -> &[u8] {
        match &mut self.intent {
            Intent::Ready(write) => write.main().subject_json(),
            Intent::Reading(rewrite) => rewrite.main.item(),
        }
    }
}

/// The key of an item that is put, and the entity as it will be stored.
pub(crate) type PutMember = (Vec<u8>, Box<dyn Any + Send + Sync>);

/// The changes and conditions of an update.
#[derive(Debug, Clone)]
pub(crate) struct EvaluatedUpdate {
    pub(crate) pattern: &'static Pattern,
    pub(crate) key: UntypedKey,
    pub(crate) update: UpdateActions,
    /// The condition on the stored item: that it exists, and its version.
    pub(crate) expected: Node,
    /// The conditions on attributes of the present shape.
    pub(crate) asked: Node,
    pub(crate) shapes: ShapeFunctions,
}

type WriteBetween = fn(&Dynamo, &'static Pattern, &UntypedKey, &[u8], &[u8]) -> Result<Edit>;

/// The functions of an entity's type that an update needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeFunctions {
    /// The item in the present shape.
    pub(super) present: fn(&[u8]) -> Result<Vec<u8>>,
    /// The write of an item in the present shape in the place of the stored one.
    pub(super) between: WriteBetween,
}
