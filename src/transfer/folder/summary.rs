//! The two manifests of an export.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use md5::{Digest, Md5};

use super::super::plain_json;
use super::FILES;
use super::progress::FolderTask;
use crate::clock::Timestamp;
use crate::codec::time::{Precision, utc_text};
use crate::codec::{Item, Value};
use crate::entropy;
use crate::error::{Error, Result};
use crate::hex::hex_digits;

/// The members of a summary that only this library writes. Readers of the exports of DynamoDB ignore them.
const MISSING_ROWS: &str = "missingRows";
const ONE_ENTITY: &str = "oneEntity";

/// The kind of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportKind {
    /// Every item of the table.
    Full,
    /// Items that changed in a period of time, with the images of a view.
    Incremental(ExportView),
}

/// The images of an incremental export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportView {
    NewImages,
    NewAndOldImages,
}

/// A data file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataFile {
    /// The name in the folder of the data, without a path.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The number of its lines.
    pub(crate) items: u64,
    /// The MD5 of the compressed file, in Base64.
    pub(super) checksum: String,
}

/// The first manifest.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) kind: ExportKind,
    pub(super) items: u64,
    /// The rows that an export of this library could not read.
    pub(super) missing_rows: u64,
    /// Whether an export of this library contains the rows of one entity alone.
    pub(super) is_one_entity: bool,
    /// The name of the folder at the time of the export.
    id: Option<String>,
}

impl Summary {
    pub(super) fn parse(text: &str) -> Result<Summary, String> {
        let summary = object_of(text)?;
        let format = text_of(&summary, "outputFormat")?;
        if format != "DYNAMODB_JSON" {
            return Err(format!(
                "the export has the format {format}: only exports in DYNAMODB_JSON can be read"
            ));
        }
        let view = summary.get("outputView").and_then(Value::as_text);
        let kind = match summary.get("exportType").and_then(Value::as_text) {
            Some("INCREMENTAL_EXPORT") => ExportKind::Incremental(match view {
                Some("NEW_IMAGE" | "NEW_IMAGES") => ExportView::NewImages,
                Some("NEW_AND_OLD_IMAGES") | None => ExportView::NewAndOldImages,
                Some(view) => return Err(format!("`outputView` is `{view}`, which is unknown")),
            }),
            None | Some("FULL_EXPORT") => ExportKind::Full,
            Some(kind) => return Err(format!("`exportType` is `{kind}`, which is unknown")),
        };
        let key = summary.get("manifestFilesS3Key").and_then(Value::as_text);
        let id = key.and_then(|key| key.rsplit('/').nth(1));
        Ok(Summary {
            kind,
            items: number_of(&summary, "itemCount")?,
            missing_rows: match summary.get(MISSING_ROWS) {
                None => 0,
                Some(_) => number_of(&summary, MISSING_ROWS)?,
            },
            is_one_entity: summary.get(ONE_ENTITY) == Some(&Value::Bool(true)),
            id: id.map(str::to_owned),
        })
    }

    /// Reads a line of the second manifest. `folder` contains both manifests.
    pub(super) fn data_file(&self, line: &str, folder: &Path) -> Result<DataFile, String> {
        let entry = object_of(line)?;
        let key = text_of(&entry, "dataFileS3Key")?;
        let mut parts = key.rsplit('/');
        let (name, data, owner) = (parts.next(), parts.next(), parts.next());
        // The key comes from a file, and must not lead out of the folder of the data.
        let name = name.filter(|name| is_plain_name(name));
        let (Some(name), Some("data")) = (name, data) else {
            return Err(format!(
                "`dataFileS3Key` is `{key}`, which is not in `data`"
            ));
        };
        let data = match owner {
            // Incremental exports with one prefix share a folder of data.
            Some("AWSDynamoDB") if self.id.as_deref() != owner => folder.join("..").join("data"),
            _ if owner == self.id.as_deref() || owner.is_none() => folder.join("data"),
            _ => return Err(format!("`dataFileS3Key` is `{key}`, in another export")),
        };
        Ok(DataFile {
            path: data.join(name),
            name: name.to_owned(),
            items: number_of(&entry, "itemCount")?,
            checksum: text_of(&entry, "md5Checksum")?.to_owned(),
        })
    }
}

fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let is_normal =
        matches!(parts.next(), Some(Component::Normal(part)) if part == OsStr::new(name));
    is_normal && parts.next().is_none() && !name.contains(['\\', ':', '\0'])
}

fn object_of(text: &str) -> Result<Item, String> {
    plain_json::read_item(text).map_err(|fault| fault.to_string())
}

fn text_of<'i>(object: &'i Item, name: &str) -> Result<&'i str, String> {
    let text = object.get(name).and_then(Value::as_text);
    text.ok_or_else(|| format!("`{name}` is missing"))
}

fn number_of(object: &Item, name: &str) -> Result<u64, String> {
    let number = object.get(name).and_then(Value::as_number);
    let number = number.and_then(|number| number.as_str().parse().ok());
    number.ok_or_else(|| format!("`{name}` is missing, or no number of items"))
}

/// The id of an export, as DynamoDB builds it: milliseconds and a random number.
pub(super) fn export_id(now: Timestamp) -> Result<String> {
    let millis = now.seconds() * 1000 + i64::from(now.nanos() / 1_000_000);
    let random = entropy::random_half()? & 0xffff_ffff;
    Ok(format!("{millis:014}-{random:08x}"))
}

/// The line of a data file in the second manifest.
pub(super) fn file_line(id: &str, name: &str, items: u64, md5: &[u8]) -> String {
    let checksum = base64_simd::STANDARD.encode_to_string(md5);
    // The ETag that S3 gives an object of one part.
    let etag = hex_digits(&Md5::digest(md5));
    format!(
        "{{\"itemCount\":{items},\"md5Checksum\":\"{checksum}\",\"etag\":\"{etag}-1\",\"dataFileS3Key\":\
         \"AWSDynamoDB/{id}/data/{name}\"}}\n"
    )
}

/// The sum of the items of all lines of the second manifest.
pub(super) fn listed_items(manifest: &[u8]) -> Result<u64, String> {
    let text = std::str::from_utf8(manifest).map_err(|_| "the file is not UTF-8".to_owned())?;
    let lines = text
        .lines()
        .map(|line| number_of(&object_of(line)?, "itemCount"));
    lines.sum()
}

/// The first manifest of an export of this library. Its table has the ARN of a local one, because an export that reads
/// the table knows neither its account nor its region.
pub(super) fn summary_text(
    task: &FolderTask,
    (items, missing_rows): (u64, u64),
    (started, ended): (Timestamp, Timestamp),
) -> Result<String> {
    let FolderTask {
        id,
        table,
        is_one_entity,
        ..
    } = task;
    let time = |time| {
        let text = utc_text(time, Precision::Millis);
        text.map(|text| text.to_string())
            .map_err(|fault| Error::encode("Export", fault))
    };
    let (started, ended) = (time(started)?, time(ended)?);
    let arn = format!("arn:aws:dynamodb:ddblocal:000000000000:table/{table}");
    Ok(format!(
        "{{\"version\":\"2020-06-30\",\"exportArn\":\"{arn}/export/{id}\",\"startTime\":\"{started}\",\"endTime\":\
         \"{ended}\",\"tableArn\":\"{arn}\",\"tableId\":null,\"exportTime\":\"{started}\",\"s3Bucket\":null,\"s3Prefix\":\
         null,\"s3SseAlgorithm\":null,\"s3SseKmsKeyId\":null,\"manifestFilesS3Key\":\"AWSDynamoDB/{id}/{FILES}.json\",\
         \"billedSizeBytes\":0,\"itemCount\":{items},\"outputFormat\":\"DYNAMODB_JSON\",\
         \"{ONE_ENTITY}\":{is_one_entity},\"{MISSING_ROWS}\":{missing_rows}}}"
    ))
}
