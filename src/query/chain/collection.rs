//! Queries of a collection: everything in a partition, or in a table.

use super::query::Query;
use super::reach::{Reach, WholeTable};
use crate::entity::{CollectionPatterns, DynamoCollection, read_collection};
use crate::key::GivenPart;
use crate::query::keys::{KeyDraft, QuerySource};
use crate::query::request::Selection;
use crate::read::ReadRow;

/// The rows of a collection in the partitions of these parts.
pub fn in_partition<C: DynamoCollection, From: Reach, const N: usize>(
    parts: [Vec<GivenPart>; N],
) -> Query<C, From> {
    Query::of_collection(KeyDraft::new(
        QuerySource::of_collection::<C>(),
        parts,
        |parts, shard, writer| C::write_partition(parts, shard, writer),
        None,
    ))
}

impl<C: DynamoCollection> Query<C, WholeTable> {
    pub(crate) fn scan_collection() -> Self {
        let source = QuerySource::of_collection::<C>();
        let source = source.scanned_as(CollectionPatterns::<C>::SCAN);
        Query::of_collection(KeyDraft::whole_table(source))
    }
}

impl<C: DynamoCollection, From: Reach> Query<C, From> {
    fn of_collection(draft: KeyDraft) -> Self {
        let read = ReadRow::with_reader(|row, _| row.read_value(read_collection), None);
        Query::of_selection(Selection::new(draft), read)
    }
}
