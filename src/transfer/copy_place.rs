//! The checkpoint of a copy: the position in the source, and the counts so far.

use super::copy_report::CopyCounts;
use super::place::{load_bytes, refused_import, save_bytes};
use crate::bulk::Checkpoint;
use crate::codec::{Item, Value};
use crate::error::{Error, Result};

/// The version of the saved data.
const VERSION: u64 = 2;

/// The saved data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CopyState {
    /// The cursor after the rows that are done.
    pub(super) position: Option<String>,
    pub(super) counts: CopyCounts,
    pub(super) is_finished: bool,
    /// The identity of the source table; empty if no run could describe it.
    pub(super) source: String,
}

impl CopyState {
    /// Loads the state; `None` at the first start.
    pub(super) async fn load(
        store: &dyn Checkpoint,
        binding: &str,
        source: &str,
    ) -> Result<Option<CopyState>> {
        let bytes = load_bytes(store).await?;
        let state = bytes.map(|bytes| CopyState::decode(&bytes, binding));
        let state = state.transpose()?;
        // A position in one table says nothing about another one, whose rows it would skip.
        if let Some(state) = &state
            && !state.source.is_empty()
            && !source.is_empty()
            && state.source != source
        {
            return Err(refused_import(
                "the checkpoint is of a copy from another table of this name, or the table was created again: delete the file to begin \
                 anew, or use another one",
            ));
        }
        Ok(state)
    }

    pub(super) async fn save(&self, store: &dyn Checkpoint, binding: &str) -> Result<()> {
        save_bytes(store, self.encode(binding)?).await
    }

    fn encode(&self, binding: &str) -> Result<Vec<u8>> {
        let CopyState {
            position,
            counts,
            is_finished,
            source,
        } = self;
        let position = position.as_deref();
        let item: Item = [
            ("version", Value::from(VERSION)),
            ("copy", Value::from(binding)),
            ("position", position.map_or(Value::Null, Value::from)),
            ("read", Value::from(counts.read)),
            ("written", Value::from(counts.written)),
            ("unchanged", Value::from(counts.unchanged)),
            ("existing", Value::from(counts.existing)),
            ("failed", Value::from(counts.failed)),
            ("left_out", Value::from(counts.left_out)),
            ("finished", Value::from(*is_finished)),
            ("source", Value::from(&**source)),
        ]
        .into_iter()
        .collect();
        item.to_dynamo_json()
            .map_err(|fault| Error::encode("Checkpoint", fault))
    }

    fn decode(bytes: &[u8], binding: &str) -> Result<CopyState> {
        let broken = || refused_import("this is no checkpoint of a copy");
        let item = Item::from_dynamo_json(bytes).map_err(|_| broken())?;
        let number = |name| {
            let number = item.get(name).and_then(Value::as_number);
            number
                .and_then(|number| number.as_str().parse::<u64>().ok())
                .ok_or_else(broken)
        };
        let text = |name| item.get(name).and_then(Value::as_text);
        let found = text("copy").ok_or_else(broken)?;
        if number("version")? != VERSION {
            return Err(refused_import(
                "another version of the library wrote this checkpoint: delete the file to begin anew, or use another one",
            ));
        }
        if found != binding {
            return Err(refused_import(format!(
                "the checkpoint is of another copy: {}: use the same settings, delete the file to begin anew, or use another one",
                differences(found, binding)
            )));
        }
        Ok(CopyState {
            position: text("position").map(str::to_owned),
            counts: CopyCounts {
                read: number("read")?,
                written: number("written")?,
                unchanged: number("unchanged")?,
                existing: number("existing")?,
                failed: number("failed")?,
                left_out: number("left_out")?,
            },
            is_finished: item.get("finished") == Some(&Value::Bool(true)),
            source: text("source").ok_or_else(broken)?.to_owned(),
        })
    }
}

/// The parts of a binding whose values mean nothing to a reader.
pub(super) const MASK: &str = "mask";
pub(super) const TARGET_TABLE: &str = "target table";
pub(super) const QUERY: &str = "query";

/// The parts in which two bindings differ.
fn differences(found: &str, binding: &str) -> String {
    let value = |text: &str, name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let line = lines.find(|(known, _)| *known == name);
        line.map_or_else(|| "unknown".to_owned(), |(_, value)| value.to_owned())
    };
    let names = binding.lines().filter_map(|line| line.split_once('='));
    let mut told = Vec::new();
    for (name, own) in names {
        let found = value(found, name);
        if found == own {
            continue;
        }
        match name {
            MASK => told.push("it has another mask, or other personal fields".to_owned()),
            TARGET_TABLE => {
                told.push("the target is another table, or was created again".to_owned())
            }
            // The number of segments and the limit are parts of the query too.
            QUERY if told.is_empty() => told.push("it has another query".to_owned()),
            QUERY => {}
            _ => told.push(format!("`{name}` was {found}, and is {own}")),
        }
    }
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_state_is_read_as_it_was_written_and_only_by_its_copy() {
        let state = CopyState {
            position: Some("abc".into()),
            counts: CopyCounts {
                read: 31,
                written: 1,
                unchanged: 2,
                existing: 4,
                failed: 24,
                left_out: 5,
            },
            is_finished: true,
            source: "arn".into(),
        };
        let bytes = state.encode("Note").unwrap();
        assert_eq!(CopyState::decode(&bytes, "Note").unwrap(), state);
        let refused = |bytes: &[u8], binding| CopyState::decode(bytes, binding).unwrap_err().kind();
        assert_eq!(refused(&bytes, "Order"), ErrorKind::Checkpoint);
        let mut older = Item::from_dynamo_json(&bytes).unwrap();
        older.insert("version", Value::from(VERSION - 1));
        let told = CopyState::decode(&older.to_dynamo_json().unwrap(), "Note").unwrap_err();
        assert_eq!(told.kind(), ErrorKind::Checkpoint);
        assert!(told.to_string().contains("delete the file"), "{told}");
        for cut in 0..bytes.len() {
            assert_eq!(refused(&bytes[..cut], "Note"), ErrorKind::Checkpoint);
        }
    }
    #[test]
    fn another_copy_is_told_by_its_settings() {
        let binding = |segments: u8, mask: &str, query: u8| {
            format!("rows=User\nsegments={segments}\nmask={mask}\nquery={query}")
        };
        let found = binding(2, "as it is", 7);
        for (binding, text) in [
            (binding(4, "as it is", 9), "`segments` was 2, and is 4"),
            (binding(2, "as it is", 9), "it has another query"),
            (
                binding(2, "masked", 7),
                "it has another mask, or other personal fields",
            ),
        ] {
            assert_eq!(differences(&found, &binding), text);
        }
    }
}
