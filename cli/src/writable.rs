//! The entities that the program may write, with the operations that need their types.

use std::future::Future;
use std::io::Read;
use std::pin::Pin;

use dynamo_entity::bulk::Bulk;
use dynamo_entity::transfer::{ExportFolder, Import, RowCopy};
use dynamo_entity::write::DynamicWrites;
use dynamo_entity::{BulkExt, CopyExt, Dynamo, DynamoEntity, EntityExt, QueryExt};

/// An entity that the program may write, with the operations that need its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writable {
    pub(crate) writes: DynamicWrites,
    pub(crate) import: fn(Box<dyn Read + Send>) -> Import<'static>,
    pub(crate) import_from: fn(ExportFolder) -> Import<'static>,
    /// The backfill, by a scan with this number of segments.
    pub(crate) refill: fn(usize) -> Bulk<'static>,
    /// The copy of all rows to another connection.
    pub(crate) copy: fn(CopiedScan, &Dynamo) -> RowCopy<'static>,
    /// Names the entity in the masked copy of its table.
    pub(crate) named_in: fn(RowCopy<'static>) -> RowCopy<'static>,
    /// The number of rows that a backfill would write.
    pub(crate) unfilled: fn(usize, &Dynamo) -> Unfilled<'_>,
}

pub(crate) type Unfilled<'d> =
    Pin<Box<dyn Future<Output = dynamo_entity::Result<u64>> + Send + 'd>>;

/// The scan that a copy reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopiedScan {
    pub(crate) segments: usize,
    pub(crate) read_units: Option<u32>,
}

impl Writable {
    pub(crate) fn of<E: DynamoEntity>() -> Self {
        Writable {
            writes: DynamicWrites::of::<E>(),
            import: |file| E::import(file),
            import_from: |folder| E::import_from(folder),
            refill: |segments| E::scan().segments(segments).refill(),
            copy: |scan, other| {
                let rows = E::scan().segments(scan.segments);
                match scan.read_units {
                    Some(units) => rows.read_units_per_second(units).copy_to(other),
                    None => rows.copy_to(other),
                }
            },
            named_in: |copy| copy.entity::<E>(),
            unfilled: |segments, db| Box::pin(E::scan().segments(segments).unfilled(db)),
        }
    }
}
