//! The progress of an export into a folder, kept beside its manifests until it is complete.

use std::time::SystemTime;

use super::super::sink::SavedExport;
use crate::clock::Timestamp;
use crate::codec::{Item, Value};
use crate::error::{Error, Result};

/// The name of the file.
pub(super) const PROGRESS: &str = "_progress";

/// The version of the saved data.
const VERSION: u64 = 3;

/// The export of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FolderTask {
    /// The name of the folder, which is the id of the export.
    pub(super) id: String,
    /// The name of the rows, and of the table as it is stored.
    pub(super) rows: String,
    pub(super) table: String,
    /// The number that identifies the query.
    pub(super) query: u64,
    pub(super) is_one_entity: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FolderProgress {
    /// The complete data files.
    pub(super) files: u64,
    /// The bytes of their lines in the list of files.
    pub(super) list_bytes: u64,
    /// The start of the first run.
    pub(super) started: Timestamp,
    pub(super) saved: SavedExport,
}

impl FolderProgress {
    /// The progress of an export that begins now.
    pub(super) fn begin() -> Self {
        FolderProgress {
            files: 0,
            list_bytes: 0,
            started: SystemTime::now().into(),
            saved: SavedExport::default(),
        }
    }

    pub(super) fn to_bytes(&self, task: &FolderTask) -> Result<Vec<u8>> {
        let saved = &self.saved;
        let position = saved.position.as_deref();
        let item: Item = [
            ("version", Value::from(VERSION)),
            ("id", Value::from(&*task.id)),
            ("rows_of", Value::from(&*task.rows)),
            ("table", Value::from(&*task.table)),
            ("query", Value::from(task.query)),
            ("files", Value::from(self.files)),
            ("list_bytes", Value::from(self.list_bytes)),
            ("started", Value::from(self.started.seconds())),
            (
                "started_nanos",
                Value::from(u64::from(self.started.nanos())),
            ),
            ("rows", Value::from(saved.rows)),
            ("bytes", Value::from(saved.bytes)),
            ("failed", Value::from(saved.failed)),
            ("position", position.map_or(Value::Null, Value::from)),
        ]
        .into_iter()
        .collect();
        item.to_dynamo_json()
            .map_err(|fault| Error::encode("Export", fault))
    }

    /// Reads the progress of this export.
    pub(super) fn from_bytes(bytes: &[u8], task: &FolderTask) -> Result<Self, String> {
        let broken =
            || "this is no progress of an export: remove the folder, and begin anew".to_owned();
        let item = Item::from_dynamo_json(bytes).map_err(|_| broken())?;
        let signed = |name| {
            let number = item.get(name).and_then(Value::as_number);
            let number = number.and_then(|number| number.as_str().parse::<i64>().ok());
            number.ok_or_else(broken)
        };
        let number = |name| {
            let number = item.get(name).and_then(Value::as_number);
            let number = number.and_then(|number| number.as_str().parse::<u64>().ok());
            number.ok_or_else(broken)
        };
        let text = |name| item.get(name).and_then(Value::as_text).ok_or_else(broken);
        if number("version")? != VERSION {
            return Err("another version of the library began this export: remove the folder, and begin anew".into());
        }
        // The lines in the list of files already contain the former name.
        let id = text("id")?;
        if id != task.id {
            return Err(format!(
                "the folder was `{id}` when the export was begun: give it this name again"
            ));
        }
        let FolderTask { rows, table, .. } = task;
        let (found_rows, found_table) = (text("rows_of")?, text("table")?);
        if (found_rows, found_table) != (rows.as_str(), table.as_str()) {
            return Err(format!(
                "the export that was begun is of `{found_rows}` in `{found_table}`, and this one of `{rows}` in \
                 `{table}`: complete that one, or create another folder"
            ));
        }
        // The position tells this too, but there is none before the first data file is complete.
        if number("query")? != task.query {
            return Err(
                "the export that was begun is of another query: complete that one, or create another folder"
                    .into(),
            );
        }
        let nanos = u32::try_from(number("started_nanos")?).map_err(|_| broken())?;
        Ok(FolderProgress {
            files: number("files")?,
            list_bytes: number("list_bytes")?,
            started: Timestamp::from_unix(signed("started")?, nanos).ok_or_else(broken)?,
            saved: SavedExport {
                rows: number("rows")?,
                bytes: number("bytes")?,
                failed: number("failed")?,
                position: match item.get("position") {
                    Some(Value::Null) => None,
                    _ => Some(text("position")?.to_owned()),
                },
            },
        })
    }
}
