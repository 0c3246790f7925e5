//! The checkpoint of an import: the place in the file, and the counts so far.

use super::import::Import;
use super::lines::FilePlace;
use super::report::ImportCounts;
use crate::bulk::{Checkpoint, CheckpointError};
use crate::codec::{Item, Value};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};

/// The version of the saved data.
const VERSION: u64 = 2;

/// The saved data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ImportState {
    pub(super) place: FilePlace,
    pub(super) counts: ImportCounts,
    pub(super) is_finished: bool,
}

/// The import that a checkpoint belongs to, as text.
pub(super) fn import_binding(import: &Import<'_>, db: &Dynamo) -> String {
    format!(
        // The name of the table as it is stored, with its prefix: the same import into another
        // environment is another one. The mode belongs to it too, since half of the lines are
        // stored by the old one.
        "import {} into {} from {}, {:?}",
        import.target.target_name(),
        db.table_name(import.target.table_name()),
        import
            .source
            .source_name(import.format, import.csv.as_ref()),
        import.mode,
    )
}

/// Loads the state; `None` at the first start.
pub(super) async fn load_state(
    store: &dyn Checkpoint,
    binding: &str,
) -> Result<Option<ImportState>> {
    match store
        .load()
        .await
        .map_err(|error| checkpoint_failed("loaded", error))?
    {
        Some(bytes) => decode_state(&bytes, binding).map(Some),
        None => Ok(None),
    }
}

pub(super) async fn save_state(
    store: &dyn Checkpoint,
    state: &ImportState,
    binding: &str,
) -> Result<()> {
    let saved = store.save(encode_state(state, binding)?).await;
    saved.map_err(|error| checkpoint_failed("saved", error))
}

fn checkpoint_failed(verb: &str, error: CheckpointError) -> Error {
    let message = format!("the checkpoint could not be {verb}");
    Error::new(ErrorKind::Checkpoint, Stage::Request, message).with_source(error)
}

pub(super) fn refused_import(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Checkpoint, Stage::Request, message)
}

fn encode_state(state: &ImportState, binding: &str) -> Result<Vec<u8>> {
    let ImportState {
        place,
        counts,
        is_finished,
    } = state;
    let item: Item = [
        ("version", Value::from(VERSION)),
        ("import", Value::from(binding)),
        ("file", Value::from(place.file)),
        ("bytes", Value::from(place.bytes)),
        ("file_lines", Value::from(place.lines)),
        ("hash", Value::from(&*place.hash)),
        ("lines", Value::from(counts.lines)),
        ("written", Value::from(counts.written)),
        ("unchanged", Value::from(counts.unchanged)),
        ("existing", Value::from(counts.existing)),
        ("left_out", Value::from(counts.left_out)),
        ("failed", Value::from(counts.failed)),
        ("finished", Value::from(*is_finished)),
    ]
    .into_iter()
    .collect();
    item.to_dynamo_json()
        .map_err(|fault| Error::encode("Checkpoint", fault))
}

fn decode_state(bytes: &[u8], binding: &str) -> Result<ImportState> {
    let broken = || refused_import("this is no checkpoint of an import");
    let item = Item::from_dynamo_json(bytes).map_err(|_| broken())?;
    let number = |name| {
        let number = item.get(name).and_then(Value::as_number);
        number
            .and_then(|number| number.as_str().parse::<u64>().ok())
            .ok_or_else(broken)
    };
    let text = |name| item.get(name).and_then(Value::as_text).ok_or_else(broken);
    if number("version")? != VERSION {
        return Err(refused_import(
            "another version of the library wrote this checkpoint",
        ));
    }
    let found = text("import")?;
    if found != binding {
        return Err(refused_import(format!(
            "the checkpoint is of another import: `{found}`, and this is `{binding}`: use another file for it"
        )));
    }
    Ok(ImportState {
        place: FilePlace {
            file: number("file")?,
            bytes: number("bytes")?,
            lines: number("file_lines")?,
            hash: text("hash")?.to_owned(),
        },
        counts: ImportCounts {
            lines: number("lines")?,
            written: number("written")?,
            unchanged: number("unchanged")?,
            existing: number("existing")?,
            left_out: number("left_out")?,
            failed: number("failed")?,
            checked_bytes: 0,
        },
        is_finished: item.get("finished") == Some(&Value::Bool(true)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written_and_only_by_its_import() {
        let state = ImportState {
            place: FilePlace {
                file: 3,
                bytes: 7,
                lines: 2,
                hash: "ab".into(),
            },
            counts: ImportCounts {
                lines: 31,
                written: 1,
                unchanged: 2,
                existing: 4,
                left_out: 16,
                failed: 8,
                checked_bytes: 0,
            },
            is_finished: true,
        };
        let bytes = encode_state(&state, "Note").unwrap();
        assert_eq!(decode_state(&bytes, "Note").unwrap(), state);
        assert_eq!(
            decode_state(&bytes, "Order").unwrap_err().kind(),
            ErrorKind::Checkpoint
        );
        for cut in 0..bytes.len() {
            assert_eq!(
                decode_state(&bytes[..cut], "Note").unwrap_err().kind(),
                ErrorKind::Checkpoint
            );
        }
    }
}
