//! Queries of a collection: everything in a partition, or in a table.

use std::marker::PhantomData;

use super::draft::KeyDraft;
use super::reach::WholeTable;
use super::selection::Selection;
use super::source::QuerySource;
use super::{Query, Reach};
use crate::entity::{CollectionPatterns, DynamoCollection, read_collection, refused_member};
use crate::error::Error;
use crate::key::GivenPart;
use crate::read::ReadRow;
use crate::schema::EntityDef;

/// The entities of a collection, without their types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members {
    /// The name of the enum.
    pub(super) name: &'static str,
    takes: fn(&EntityDef) -> bool,
    refused: fn(&[u8]) -> Option<Error>,
}

impl Members {
    fn of<C: DynamoCollection>() -> Self {
        Members {
            name: C::NAME,
            takes: |entity| {
                C::OTHER.is_some() || C::VARIANTS.iter().any(|variant| variant.is_of(entity))
            },
            refused: refused_member::<C>,
        }
    }

    /// Why an item does not belong to the collection.
    pub(super) fn refused(&self, item: &[u8]) -> Option<Error> {
        (self.refused)(item)
    }

    /// Whether items of this entity are among the rows.
    pub(super) fn take(&self, entity: &EntityDef) -> bool {
        (self.takes)(entity)
    }
}

/// The partitions that a collection reads.
pub(super) fn source_of<C: DynamoCollection>() -> QuerySource {
    QuerySource::collection::<C>(Members::of::<C>())
}

/// The rows of a collection in the partitions of these parts.
pub fn in_partition<C: DynamoCollection, From: Reach, const N: usize>(
    parts: [Vec<GivenPart>; N],
) -> Query<C, From> {
    Query::of_collection(KeyDraft::new(
        source_of::<C>(),
        parts,
        |parts, shard, writer| C::write_partition(parts, shard, writer),
        None,
    ))
}

impl<C: DynamoCollection> Query<C, WholeTable> {
    pub(crate) fn scan_collection() -> Self {
        let source = source_of::<C>();
        let source = source.scanned(CollectionPatterns::<C>::SCAN);
        Query::of_collection(KeyDraft::scan(source))
    }
}

impl<C: DynamoCollection, From: Reach> Query<C, From> {
    fn of_collection(draft: KeyDraft) -> Self {
        Query {
            selection: Selection::new(draft),
            read: ReadRow::of(|row, _| row.value(read_collection), None),
            from: PhantomData,
        }
    }
}
