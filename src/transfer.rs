//! Export, import and copy: the rows of a scan as lines of a file, the lines of a file as rows, and rows as rows of another
//! table.
//!
//! ```text
//! query.export(writer)        rows as they are stored, one after the other     export
//!   -> a line for each        JSON, DynamoDB JSON or CSV                       format, plain_json, csv
//!   -> a writer, or a folder  with manifests, as DynamoDB exports to S3        sink, folder
//! Order::import(reader)       lines, as long as memory allows                  lines
//!      or those of a folder   with checksums, as DynamoDB exports to S3        folder, source
//!   -> one item each          in the same formats                              format, plain_json, csv
//!   -> a write of it          of an entity, or as it is                        target
//!   -> sent in portions       by the jobs of `bulk`                            import, run
//!   -> the place in the file  after each portion                               place
//!   -> counts and bad lines                                                    report
//! query.copy_to(&other)       rows as they are stored, with their positions    copy, copy_run
//!   -> an item each           of an entity, or as it is                        copied
//!   -> personal values        replaced by pseudonyms                           mask, personal, pseudonym
//!   -> written in portions    by the jobs of `bulk`, as those of an import     portion
//!   -> the position           after each portion                               copy_place
//!   -> counts and failed rows                                                  copy_report
//! ```

mod copied;
mod copy;
mod copy_place;
mod copy_report;
mod copy_run;
mod csv;
mod export;
mod exported;
#[cfg(feature = "gzip")]
mod folder;
mod format;
mod import;
mod lines;
mod mask;
mod nulls;
mod personal;
mod place;
mod plain_json;
mod portion;
mod pseudonym;
mod report;
mod run;
mod s3_status;
mod sink;
mod source;
mod table_keys;
mod target;
mod to_s3;

pub use copy::{CopiedRows, CopyExt, EntityOfRows, RowCopy};
pub use copy_report::{CopyCounts, CopyReport};
pub use csv::{Csv, CsvColumn};
pub use export::{
    Export, ExportCounts, ExportExt, ExportProgress, ExportReport, ExportedRow, OfItem,
};
pub use exported::{Exported, ExportedChanges, ExportedItems, UnreadLine};
#[cfg(feature = "gzip")]
pub use folder::{ExportFolder, NewExport};
pub use format::RowFormat;
pub use import::Import;
pub use mask::{Mask, PersonalField};
pub use report::{FailedLine, ImportCounts, ImportReport};
pub use s3_status::{S3ExportState, S3ExportStatus, S3ExportWatch};
pub use to_s3::S3Export;
