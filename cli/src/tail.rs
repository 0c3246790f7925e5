//! `tail`: the changes of a table as they happen.

use std::future::{Future, poll_fn};
use std::path::Path;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use dynamo_entity::bulk::{Checkpoint, FileCheckpoint};
use dynamo_entity::streams::{
    FollowError, RecordStream, StreamPosition, StreamRecord, StreamStart, follow_records,
};
use dynamo_entity::{Item, Value};
use serde_json::{Value as Json, json};

use crate::arguments::checkpoint;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kind::{LARGE, UNIQUE};
use crate::model::Model;
use crate::text::{visible, visible_json, visible_json_line, visible_lines};

/// The command.
pub(crate) fn tail_command(model: &Model) -> Command {
    let tables = model.schemas.iter().map(|schema| schema.name.clone());
    Command::new("tail")
        .about("Shows the changes of a table as they happen, from its stream")
        .args([
            Arg::new("table")
                .value_name("TABLE")
                .required(true)
                .value_parser(PossibleValuesParser::new(tables))
                .help("The table, without the prefix"),
            Arg::new("from")
                .long("from")
                .value_name("START")
                .default_value("latest")
                .value_parser(read_start)
                .help("The start: oldest, latest, an age such as 90s, 15m or 2h, or a position that `tail` printed"),
            Arg::new("limit")
                .long("limit")
                .value_name("CHANGES")
                .value_parser(value_parser!(u64).range(1..))
                .help("Ends after this many changes"),
            checkpoint(),
        ])
}

/// The longest time between two writes of the position while changes are shown.
const KEPT: Duration = Duration::from_secs(1);

/// Reads the value of the option `--from`.
pub(crate) fn read_start(text: &str) -> Result<StreamStart, String> {
    match text {
        "oldest" => return Ok(StreamStart::Oldest),
        "latest" => return Ok(StreamStart::Latest),
        _ => {}
    }
    if let Some(ago) = read_duration(text) {
        let time = SystemTime::now().checked_sub(ago);
        return time
            .map(StreamStart::since)
            .ok_or_else(|| "this time is too long ago".to_owned());
    }
    let position = text.parse().map(StreamStart::Position);
    position.map_err(|_| {
        "neither `oldest`, `latest`, an age such as 90s, 15m or 2h, nor a position of a stream"
            .to_owned()
    })
}

/// Reads an age such as `90s`, `15m` or `2h`.
fn read_duration(text: &str) -> Option<Duration> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        _ => return None,
    };
    let number = text.get(..text.len() - 1)?.parse::<u64>().ok()?;
    number.checked_mul(unit).map(Duration::from_secs)
}

/// Writes changes until the limit is reached, or until the command is interrupted.
pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let table = matches
        .get_one::<String>("table")
        .cloned()
        .unwrap_or_default();
    let start = matches
        .get_one::<StreamStart>("from")
        .cloned()
        .unwrap_or_default();
    let limit = matches.get_one::<u64>("limit").copied().unwrap_or(u64::MAX);
    let mut place = KeptPosition::open(matches.get_one::<String>("checkpoint")).await?;
    let start = place.position.clone().map_or(start, StreamStart::Position);
    let pk = context.model.table(&table)?.pk.name.clone();
    let db = context.connect().await?;
    let records = follow_records(&table).start(start).continue_after_loss();
    // A person waits for the changes, so the pauses are shorter than the default.
    let mut records = records
        .longest_pause(Duration::from_secs(1))
        .open(&db)
        .await?;
    let mut written = 0;
    while written < limit {
        let next = match next_if_ready(&mut records).await {
            Some(next) => next,
            None => {
                place.keep(&records).await?;
                records.next().await
            }
        };
        match next {
            None => break,
            Some(Ok(record)) => {
                if write_change(context, &record, &pk)? {
                    written += 1;
                    context.streams.out.flush()?;
                }
                place.keep_if_due(&records).await?;
            }
            Some(Err(FollowError::Failed(error))) => {
                end_at(context, &records, &mut place).await?;
                return Err(error.into());
            }
            Some(Err(error)) => {
                let text = error.to_string();
                context.note(&visible_lines(&format!("warning: {text}")))?;
            }
        }
    }
    end_at(context, &records, &mut place).await?;
    Ok(Exit::Done)
}

/// The next record, if it is there at once.
async fn next_if_ready(
    records: &mut RecordStream,
) -> Option<Option<Result<StreamRecord, FollowError>>> {
    poll_fn(|cx| match pin!(records.next()).poll(cx) {
        Poll::Ready(next) => Poll::Ready(Some(next)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Keeps the position, or shows it if there is no file for it.
async fn end_at(
    context: &mut Context<'_, '_>,
    records: &RecordStream,
    place: &mut KeptPosition,
) -> Result<(), Failure> {
    match place.file {
        Some(_) => place.keep(records).await,
        None => context.note(&format!("next: --from {}", records.position())),
    }
}

/// The position in the file of `--checkpoint`.
struct KeptPosition {
    file: Option<FileCheckpoint>,
    position: Option<StreamPosition>,
    kept_at: Instant,
}

impl KeptPosition {
    async fn open(path: Option<&String>) -> Result<Self, Failure> {
        let file = path.map(|path| FileCheckpoint::new(Path::new(path)));
        let mut position = None;
        if let (Some(file), Some(path)) = (&file, path) {
            let stored = file.load().await.map_err(|error| unkept(&*error))?;
            let text = stored.map(String::from_utf8);
            position = match text {
                None => None,
                Some(text) => {
                    let read = text.ok().and_then(|text| text.trim().parse().ok());
                    let fault = || Failure::said(format!("`{path}` has no position of a stream"));
                    Some(read.ok_or_else(fault)?)
                }
            };
        }
        Ok(KeptPosition {
            file,
            position,
            kept_at: Instant::now(),
        })
    }

    /// Keeps the position if the last one is older than a second, so that little is shown again after an interruption.
    async fn keep_if_due(&mut self, records: &RecordStream) -> Result<(), Failure> {
        match self.file.is_some() && self.kept_at.elapsed() >= KEPT {
            true => self.keep(records).await,
            false => Ok(()),
        }
    }

    async fn keep(&mut self, records: &RecordStream) -> Result<(), Failure> {
        if let Some(file) = &self.file {
            let position = records.position();
            if self.position.as_ref() != Some(&position) {
                let saved = file.save(position.to_string().into_bytes()).await;
                saved.map_err(|error| unkept(&*error))?;
                self.position = Some(position);
            }
        }
        self.kept_at = Instant::now();
        Ok(())
    }
}

fn unkept(error: &(dyn std::error::Error + 'static)) -> Failure {
    Failure::said(format!(
        "the file of `--checkpoint` cannot be used: {error}"
    ))
}

/// Writes a change as a line. Returns false if the record is not shown.
fn write_change(
    context: &mut Context<'_, '_>,
    record: &StreamRecord,
    pk: &str,
) -> Result<bool, Failure> {
    let key = record.key().unwrap_or_default();
    let (old, new) = (record.old_image(), record.new_image());
    let is_same = record.is_readable() && old.is_some() && old == new;
    let pk = key.get(pk).and_then(Value::as_text);
    if is_same || pk.is_some_and(|pk| pk.starts_with(UNIQUE) || pk.starts_with(LARGE)) {
        return Ok(false);
    }
    let kind = kind_name(record, old.as_ref(), new.as_ref());
    let time = record.time_text().unwrap_or_default();
    if context.json {
        let line = json!({
            "at": time,
            "change": kind,
            "key": key,
            "old": old,
            "new": new,
            "sequence": record.sequence().map(|sequence| sequence.as_str()),
            "event_id": record.event_id(),
        });
        context.write(&visible_json_line(&line))?;
        return Ok(true);
    }
    let shown = match (&old, &new) {
        _ if !record.is_readable() => visible(record.event_id().unwrap_or_default()).into_owned(),
        (Some(old), Some(new)) => changed_values(old, new),
        (_, Some(new)) => shown_values(new.iter().filter(|(name, _)| !key.contains(name))),
        (_, None) => String::new(),
    };
    let line = format!(
        "{} {kind} {} {shown}",
        visible(&time),
        shown_json(&json!(key))
    );
    context.write(&(line.trim().to_owned() + "\n"))?;
    Ok(true)
}

fn kind_name(record: &StreamRecord, old: Option<&Item>, new: Option<&Item>) -> &'static str {
    match (record.event_name(), old, new) {
        _ if !record.is_readable() => "unreadable",
        (_, Some(_), Some(_)) | (Some("MODIFY"), ..) => "changed",
        (Some("INSERT"), ..) => "created",
        // DynamoDB Local has another name for a removal by TTL.
        _ => "removed",
    }
}

/// The attributes that differ, each with its values before and after.
fn changed_values(old: &Item, new: &Item) -> String {
    let mut names: Vec<&String> = old.iter().chain(new.iter()).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let mut shown = Vec::new();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before != after {
            let value = |value: Option<&Value>| match value {
                Some(value) => shown_json(&json!(value)),
                None => "-".to_owned(),
            };
            shown.push(format!(
                "{}: {} -> {}",
                visible(name),
                value(before),
                value(after)
            ));
        }
    }
    shown.join(", ")
}

fn shown_values<'i>(values: impl Iterator<Item = (&'i String, &'i Value)>) -> String {
    let shown: Vec<String> = values
        .map(|(name, value)| format!("{}: {}", visible(name), shown_json(&json!(value))))
        .collect();
    shown.join(", ")
}

fn shown_json(value: &Json) -> String {
    visible_json(&value.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_read() {
        assert!(matches!(read_start("oldest"), Ok(StreamStart::Oldest)));
        assert!(matches!(read_start("latest"), Ok(StreamStart::Latest)));
        assert!(matches!(read_start("15m"), Ok(StreamStart::Time(_))));
        for wrong in [
            "",
            "m",
            "15",
            "-5m",
            "15d",
            "99999999999999999999h",
            "18446744073709551615h",
            "MQ",
            "ä",
        ] {
            assert!(read_start(wrong).is_err(), "{wrong}");
        }
    }
}
