//! The match and the order of a row under a query: enough for a fake of a repository.

use std::cmp::Ordering;

use super::query::Query;
use crate::entity::{DynamoCollection, DynamoEntity};
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::query::request::key_point;

/// A row as it is stored: an entity, or one of several in a collection.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a whole row, so the library cannot check whether the query would return it",
    label = "a key, or a part of an entity",
    note = "`matches` and `order` are for entities and collections"
)]
#[doc(hidden)]
pub trait StoredRow<Kind> {
    #[doc(hidden)]
    fn stored_json(&self) -> Result<Vec<u8>>;
}

/// The row is an entity.
#[doc(hidden)]
#[derive(Debug)]
pub struct OfEntity(());

/// The row is a variant of a collection.
#[doc(hidden)]
#[derive(Debug)]
pub struct OfCollection(());

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> StoredRow<OfEntity> for E {
    fn stored_json(&self) -> Result<Vec<u8>> {
        crate::entity::json::to_json(self)
    }
}

#[diagnostic::do_not_recommend]
impl<C: DynamoCollection> StoredRow<OfCollection> for C {
    fn stored_json(&self) -> Result<Vec<u8>> {
        let json = self.stored_item()?.to_dynamo_json();
        json.map_err(|fault| Error::encode(C::NAME, fault))
    }
}

impl<Row, From> Query<Row, From> {
    /// Whether the row, once stored, is a row of the query. The TTL is not checked. A query with a `filter` is an
    /// error, because only DynamoDB evaluates filters.
    pub fn matches<Kind>(&self, row: &Row) -> Result<bool>
    where
        Row: StoredRow<Kind>,
    {
        let json = row.stored_json()?;
        self.keys_match(&json)
            .map_err(|fault| Error::encode(self.selection.entity_name(), fault))
    }

    /// The order of two rows; `Equal` if the query leaves it to DynamoDB.
    pub fn order<Kind>(&self, left: &Row, right: &Row) -> Result<Ordering>
    where
        Row: StoredRow<Kind>,
    {
        let (left, right) = (left.stored_json()?, right.stored_json()?);
        let fail = |fault| Error::encode(self.selection.entity_name(), fault);
        let options = &self.selection.options;
        // By partition, rows of different lanes are ordered by the order in which the values were
        // given, which no key shows.
        let lane = |row: &[u8]| self.selection.lane_of(row).map_err(fail);
        let by_partition = match options.by_partition {
            true => lane(&left)?.cmp(&lane(&right)?),
            false => Ordering::Equal,
        };
        let ascending = self.compare_rows(&left, &right).map_err(fail)?;
        Ok(by_partition.then(match options.descending {
            true => ascending.reverse(),
            false => ascending,
        }))
    }

    fn keys_match(&self, json: &[u8]) -> Result<bool, CodecError> {
        let draft = &self.selection.draft;
        if let Some(fault) = &draft.fault {
            return Err(fault.clone());
        }
        if self.selection.options.filter.is_some() {
            // Evaluating it here would need DynamoDB's own comparison rules, and a fake that
            // differs from them is worse than none.
            return Err(CodecError::new("only the service evaluates a filter"));
        }
        self.selection.keys_match(json)
    }

    fn compare_rows(&self, left: &[u8], right: &[u8]) -> Result<Ordering, CodecError> {
        for key in self.selection.draft.source.sort_keys() {
            let points = (
                key_point(left, key.attribute)?,
                key_point(right, key.attribute)?,
            );
            // A row without this attribute is not in the index, so its order does not matter.
            let (Some(left), Some(right)) = points else {
                continue;
            };
            match left.compare_points(&right) {
                Some(Ordering::Equal) | None => {}
                Some(order) => return Ok(order),
            }
        }
        Ok(Ordering::Equal)
    }
}
