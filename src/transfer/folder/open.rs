//! An opened folder of an export, compared with its manifests.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::create::NewExport;
use super::summary::{DataFile, ExportKind, Summary};
use super::{FILES, SUMMARY, checksum_of, folder_error, unreadable_file};
use crate::error::Result;

/// The endings of the names of checksums: the documented one, and another one that DynamoDB also writes.
const CHECKSUMS: [&str; 2] = ["checksum", "md5"];

/// The folder of an export of DynamoDB to S3, or of an export of this library in the same layout.
///
/// See [`open`](ExportFolder::open) for the checks.
#[derive(Debug, Clone)]
pub struct ExportFolder {
    path: PathBuf,
    kind: ExportKind,
    items: u64,
    missing_rows: u64,
    is_one_entity: bool,
    files: Vec<DataFile>,
    /// The checksum of the manifest with the checksums of all data files, which identifies the data.
    checksum: String,
}

impl ExportFolder {
    /// Creates a folder for [`export_to`](crate::ExportExt::export_to): `PREFIX/AWSDynamoDB/ID` with a new id.
    /// Nothing is written before the export is sent. The last file is `manifest-summary.json`: if it is missing, the
    /// export is incomplete and [`open`](Self::open) rejects it.
    pub fn create(prefix: impl AsRef<Path>) -> Result<NewExport> {
        NewExport::below(prefix.as_ref())
    }

    /// Resumes an export in the folder of a prefix that was stopped or killed, after its last complete data file. If
    /// none exists, it begins a new one, as [`create`](Self::create) does. The query must be the same: an export of
    /// other rows is an error.
    pub fn create_or_resume(prefix: impl AsRef<Path>) -> Result<NewExport> {
        NewExport::unfinished_below(prefix.as_ref())
    }

    /// Opens the folder of an export: the one with `manifest-summary.json`, or a parent that contains only one export.
    ///
    /// Copy the whole prefix from S3 to the disk, for example by `aws s3 sync s3://BUCKET/PREFIX FOLDER`.
    ///
    /// Fails if a manifest or a data file is missing, if a manifest does not match its checksum, if the manifests
    /// contradict each other, or if `data` contains a file that the manifest does not list. An import reads the data
    /// files later and compares each of them with its checksum and its number of items. An export of this library that
    /// could not read some rows opens too: see [`missing_rows`](Self::missing_rows).
    pub fn open(path: impl AsRef<Path>) -> Result<ExportFolder> {
        let path = find_export(path.as_ref().to_owned())?;
        let summary = read_manifest(&path, SUMMARY)?;
        let file = path.join(format!("{SUMMARY}.json"));
        let summary =
            Summary::parse(summary.trim()).map_err(|reason| folder_error(&file, reason))?;
        let manifest = read_manifest(&path, FILES)?;
        let file = path.join(format!("{FILES}.json"));
        let lines = manifest.lines().enumerate();
        let files = lines.filter(|(_, line)| !line.trim().is_empty());
        let files = files.map(|(at, line)| {
            let file_of_line = summary.data_file(line, &path);
            file_of_line.map_err(|reason| folder_error(&file, format!("line {}: {reason}", at + 1)))
        });
        let folder = ExportFolder {
            files: files.collect::<Result<_>>()?,
            kind: summary.kind,
            items: summary.items,
            missing_rows: summary.missing_rows,
            is_one_entity: summary.is_one_entity,
            checksum: checksum_of(manifest.as_bytes()),
            path,
        };
        folder.check_lists()?;
        Ok(folder)
    }

    /// The folder with the manifests.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of items in the export; of changes if it is incremental.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Whether the export contains the changes in a period of time, instead of all items of a table.
    pub fn is_incremental(&self) -> bool {
        self.kind != ExportKind::Full
    }

    /// The kind of the export, and its view.
    pub(crate) fn kind(&self) -> ExportKind {
        self.kind
    }

    /// The data files, in the order of the manifest.
    pub(crate) fn files(&self) -> &[DataFile] {
        &self.files
    }

    /// The checksum of the list of data files, which identifies the export.
    pub(crate) fn identity(&self) -> &str {
        &self.checksum
    }

    /// The rows of the query that the export does not contain, because it could not read them. 0 for exports of DynamoDB.
    pub fn missing_rows(&self) -> u64 {
        self.missing_rows
    }

    /// Whether an export of this library contains the rows of one entity alone.
    pub(crate) fn is_one_entity(&self) -> bool {
        self.is_one_entity
    }

    /// Compares the number of items, and the files that exist, with the manifest.
    fn check_lists(&self) -> Result<()> {
        let manifest = self.path.join(format!("{FILES}.json"));
        let sum = self
            .files
            .iter()
            .fold(0_u64, |sum, file| sum.saturating_add(file.items));
        if sum != self.items {
            let reason = format!(
                "its files have {sum} items, and {SUMMARY}.json has {}",
                self.items
            );
            return Err(folder_error(&manifest, reason));
        }
        let mut listed = BTreeSet::new();
        for file in &self.files {
            if !listed.insert(OsString::from(&file.name)) {
                let reason = format!("the data file {} is listed twice", file.name);
                return Err(folder_error(&manifest, reason));
            }
            fs::metadata(&file.path).map_err(|error| unreadable_file(&file.path, error))?;
        }
        // Incremental exports share one folder of data, so it can contain files of other exports.
        if self.is_incremental() {
            return Ok(());
        }
        let data = self.path.join("data");
        let entries = match fs::read_dir(&data) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(unreadable_file(&data, error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| unreadable_file(&data, error))?;
            let name = entry.file_name();
            // File managers leave such files.
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if !is_hidden && !listed.contains(&name) {
                let reason =
                    format!("{FILES}.json does not list this file: remove it, or export again");
                return Err(folder_error(&entry.path(), reason));
            }
        }
        Ok(())
    }
}

/// Reads a manifest and compares it with its checksum.
fn read_manifest(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(format!("{name}.json"));
    let text = fs::read(&path).map_err(|error| unreadable_file(&path, error))?;
    let checksums = CHECKSUMS.map(|end| folder.join(format!("{name}.{end}")));
    let [documented, _] = &checksums;
    let found = checksums
        .iter()
        .find_map(|path| match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.map_err(|error| unreadable_file(path, error))),
        });
    let Some(expected) = found.transpose()? else {
        return Err(folder_error(documented, "the file is missing"));
    };
    let (found, expected) = (checksum_of(&text), expected.trim());
    if found != expected {
        let reason =
            format!("the file is damaged: its MD5 is {found}, and {expected} in its checksum");
        return Err(folder_error(&path, reason));
    }
    String::from_utf8(text).map_err(|_| folder_error(&path, "the file is not UTF-8"))
}

/// The folder with the manifests, which may be below the given one, as in S3.
fn find_export(path: PathBuf) -> Result<PathBuf> {
    let has_summary = |folder: &Path| folder.join(format!("{SUMMARY}.json")).is_file();
    if has_summary(&path) || path.join("_started").is_file() {
        return match has_summary(&path) {
            true => Ok(path),
            false => Err(folder_error(
                &path,
                format!(
                    "the export is not complete: {SUMMARY}.json is missing, which is written last"
                ),
            )),
        };
    }
    let below = path.join("AWSDynamoDB");
    let exports = if below.is_dir() { &below } else { &path };
    let entries = fs::read_dir(exports).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => folder_error(exports, "the folder is missing"),
        _ => unreadable_file(exports, error),
    })?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry
            .map_err(|error| unreadable_file(exports, error))?
            .path();
        if has_summary(&entry) {
            found.push(entry);
        }
    }
    found.sort();
    let names: Vec<_> = found
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(folder_error(
            &path,
            format!("the folder contains no complete export: {SUMMARY}.json is missing"),
        )),
        _ => Err(folder_error(
            &path,
            format!(
                "the folder contains several exports, open one of them: {}",
                names.join(", ")
            ),
        )),
    }
}
