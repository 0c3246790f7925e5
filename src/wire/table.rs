//! Operations on tables: turns our plain schemas into the SDK's types and back.

mod answers;
mod create;
mod decode;
mod describe;
mod described;
mod encode;
mod export;
mod found_settings;
mod send;
mod update;
mod vectors;

pub(crate) use answers::{is_busy, keeps_no_backups_yet};
pub(crate) use create::create_table;
pub(crate) use describe::{
    ExpiryState, RecoveryState, describe_table, expiry_state, recovery_state, table_labels,
    ttl_attribute,
};
pub(crate) use described::{DescribedTable, Status, Throughput};
pub(crate) use export::{
    DescribedExport, ExportEncryption, ExportFilter, ExportOrder, ExportWindow, describe_export,
    start_export,
};
pub(crate) use update::{TableUpdate, enable_recovery, set_ttl, tag_table, update_table};
