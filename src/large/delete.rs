//! The delete of a list or a blob: the head, and then its parts.

use std::fmt;

use super::condition::has_generation;
use super::place::LargePlace;
use super::write::read_head_of;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Patterns};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::{ConditionFailure, Meaning, Steps, WriteRequest, WriteVerb};

/// How often a delete begins again, because the value was replaced in between.
const ATTEMPTS: usize = 20;

/// The delete of a list or a blob of an item; see [`Chunked::delete`](super::Chunked::delete) and
/// [`Blob::delete`](super::Blob::delete).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct DeleteLarge<E: DynamoEntity> {
    pub(super) place: LargePlace<E>,
}

impl<E: DynamoEntity> DeleteLarge<E> {
    /// Deletes the head, and then its parts. If the value does not exist, nothing happens. The item need not exist. If the value was
    /// written in the last 40 minutes, its parts are left to a sweep, because a late request may still name them.
    pub fn send(self, db: &Dynamo) -> Steps<'_, Result<()>> {
        let rows = self.place.rows();
        Steps(Box::pin(async move {
            let (rows, pattern) = (rows?, Patterns::<E>::DELETE);
            rows.check_storage(db)?;
            for _ in 0..ATTEMPTS {
                let Some(head) = read_head_of(&rows, Patterns::<E>::GET, db).await? else {
                    return Ok(());
                };
                // An attempt that arrives late must not delete a list that was written in the meantime.
                let condition = has_generation(Some(&head));
                let asked = (condition, Meaning::Row(ConditionFailure::UNTYPED));
                let (verb, table) = (WriteVerb::Delete, rows.table_name(db));
                let mut write = WriteRequest::new(verb, table, 256, pattern, db.now(), asked);
                write.at_key(&rows.head_key());
                if let Err(error) = write.into_quiet_plan()?.send_plan(db).await {
                    if !error.is_lost_race() && !error.is_outcome_unknown() {
                        return Err(error);
                    }
                    let now = read_head_of(&rows, Patterns::<E>::GET, db).await;
                    match now {
                        Ok(Some(now)) if now.generation != head.generation => continue,
                        Ok(None) => {}
                        _ => return Err(error),
                    }
                }
                let parts = head.into_settled_parts(db.now());
                rows.delete_parts(parts, pattern, db).await;
                return Ok(());
            }
            let message = format!("`{}` was replaced again and again", rows.value.name);
            Err(Error::new(ErrorKind::Conflict, Stage::Service, message).of(E::ENTITY.type_name))
        }))
    }
}

impl<E: DynamoEntity> fmt::Debug for DeleteLarge<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeleteLarge({:?})", self.place)
    }
}

crate::awaited::unsent!([E: DynamoEntity] DeleteLarge<E> => ());
