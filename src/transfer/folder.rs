//! The folder of an export, as DynamoDB writes it to S3: manifests with checksums, and compressed data files.
//!
//! ```text
//! PREFIX/AWSDynamoDB/ID/manifest-summary.json    what was exported, and the number of items    summary
//!                       manifest-files.json      a line for each data file                     summary
//!                       manifest-*.checksum      MD5 of both in Base64; DynamoDB also names    open
//!                                                them `.md5`
//!                       data/NAME.json.gz        full exports: a line for each item            lines
//! PREFIX/AWSDynamoDB/data/NAME.json.gz           incremental exports: a line for each change
//! ```

mod check;
mod create;
mod disk;
mod files;
mod lines;
mod open;
mod progress;
mod summary;
#[cfg(test)]
mod tests;

pub use create::NewExport;
pub(super) use files::FolderLines;
pub use open::ExportFolder;

use std::io;
use std::path::Path;

use md5::{Digest, Md5};

use crate::error::{Error, ErrorKind, Stage};

const SUMMARY: &str = "manifest-summary";
const FILES: &str = "manifest-files";

/// The error of a folder that is damaged or no export; the message names the file.
fn folder_error(path: &Path, reason: impl std::fmt::Display) -> Error {
    let message = format!("{}: {reason}", path.display());
    Error::new(ErrorKind::Config, Stage::Decode, message)
}

fn unreadable_file(path: &Path, error: io::Error) -> Error {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "the file is missing".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    };
    folder_error(path, reason).with_source(error)
}

/// The MD5 of bytes, in Base64.
fn checksum_of(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(Md5::digest(bytes))
}
