//! `fill`: a backfill of the items of an entity, and the count of items that it would write.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use dynamo_entity::bulk::{BulkCounts, FileCheckpoint};
use serde_json::json;

use crate::arguments;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, explained, told};
use crate::model::{Model, ModelEntity};
use crate::render::json_line;
use crate::text::{visible_json_line, visible_lines};

/// The command.
pub(crate) fn fill_command(model: &Model) -> Command {
    let names = arguments::entity_names(model);
    Command::new("fill")
        .about("Adds the missing keys, unique values, defaults and names to all items of an entity")
        .after_help("You may stop it and run it again at any time: correct rows are not written.")
        .arg(
            Arg::new("entity")
                .value_name("ENTITY")
                .required(true)
                .value_parser(PossibleValuesParser::new(names))
                .help("The entity"),
        )
        .arg(arguments::segments())
        .arg(arguments::rate(
            "WRITES",
            "Writes at most this number of items per second",
        ))
        .arg(arguments::checkpoint())
}

/// The name of the job in its checkpoint.
const JOB: &str = "fill";

/// The interval of progress lines if no terminal shows the progress.
const EVERY: Duration = Duration::from_secs(10);

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let entity = context.model.entity(named(matches))?;
    if !entity.is_derived_in_part() {
        context.note(&format!(
            "nothing to fill: no attribute of `{}` is derived, renamed or a default, and it has no former shape",
            entity.name()
        ))?;
        return Ok(Exit::Done);
    }
    let writable = entity.writable()?;
    let mut job = (writable.refill)(segments(matches));
    if let Some(rate) = matches.get_one::<u32>("rate") {
        job = job.rate(*rate);
    }
    if let Some(path) = matches.get_one::<String>("checkpoint") {
        job = job.checkpoint(JOB, FileCheckpoint::new(Path::new(path)));
    }
    let db = context.connect().await?;
    let bar = context.streams.watched();
    let report = {
        let shown = bar.clone();
        let is_watched = context.streams.terminals.notes;
        let notes = &mut *context.streams.notes;
        let mut last = Instant::now();
        let job = job.on_progress(move |progress| {
            if is_watched {
                shown.set_message(counted(progress));
            } else if last.elapsed() >= EVERY {
                last = Instant::now();
                // A closed stream of notes does not stop the job.
                let _ = writeln!(notes, "{}", counted(progress));
            }
        });
        job.send(&db).await?
    };
    bar.finish_and_clear();
    for failed in report.errors() {
        let key = json_line(failed.key())?;
        context.note(&visible_lines(&format!(
            "{}: {}",
            key.trim_end(),
            told(failed.error())
        )))?;
    }
    let counts = report.counts();
    if context.json {
        let line = json!({
            "entity": entity.name(),
            "found": counts.found,
            "written": counts.written,
            "unchanged": counts.unchanged,
            "gone": counts.vanished + counts.left_query,
            "failed": counts.failed,
        });
        context.write(&(line.to_string() + "\n"))?;
    }
    context.note(&counted(&counts))?;
    match report.stopped() {
        Some(error) => Err(Failure::said(explained(error))),
        None if counts.failed == 1 => Err(Failure::said(
            "1 row was not filled: remove the cause, and run `fill` again",
        )),
        None if counts.failed > 1 => Err(Failure::said(format!(
            "{} rows were not filled: settle their reasons, and run `fill` again",
            counts.failed
        ))),
        None => {
            // Only after a complete fill: the next step relies on the entry.
            if context.model.has_journal {
                let schemas = context.model.schemas.iter().cloned();
                let journal = db.journal(schemas)?;
                journal.create_table().await?;
                journal.filled(&entity.entity.name).await?;
            }
            Ok(Exit::Done)
        }
    }
}

/// Compares the journal with the lock file of the step before.
pub(crate) async fn deployed(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    if !context.model.has_journal {
        return Err(Failure::said(
            "this program has no journal: add `.journal()` to its `App`",
        ));
    }
    let path = matches.get_one::<String>("deployed");
    let path = path.map_or("", String::as_str);
    let path =
        std::path::absolute(path).map_err(|error| Failure::said(format!("{path}: {error}")))?;
    let db = context.connect().await?;
    let journal = db.journal(context.model.schemas.iter().cloned())?;
    journal.create_table().await?;
    let findings = journal.deployed(&path).await?;
    for finding in &findings {
        let text = finding.to_string();
        let text = match context.json {
            true => json!({ "finding": text }).to_string(),
            false => text,
        };
        context.write(&(visible_lines(&text) + "\n"))?;
    }
    if findings.is_empty() {
        context
            .note("the step before is deployed, and nothing older has started after its fills")?;
        return Ok(Exit::Done);
    }
    Ok(Exit::Pending)
}

/// Counts the items that a fill would write: of the entities that are named, or of all that have something to fill.
pub(crate) async fn check(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let names = matches.get_many::<String>("entities").unwrap_or_default();
    let mut entities: Vec<ModelEntity<'_>> = names
        .map(|name| context.model.entity(name))
        .collect::<Result<_, _>>()?;
    if entities.is_empty() {
        let all = context.model.entities();
        entities.extend(all.filter(|entity| !entity.pending_fills().is_empty()));
    }
    if entities.is_empty() {
        context.note(
            "nothing to fill: no index or unique value is `filling`, and no field or shape `was` another",
        )?;
        return Ok(Exit::Done);
    }
    // A program without `writes` for one of them fails here, before it has read the tables of the others.
    let writable: Vec<_> = entities
        .iter()
        .map(|entity| Ok((*entity, entity.writable()?)))
        .collect::<Result<_, Failure>>()?;
    let db = context.connect().await?;
    let mut left = 0;
    for (entity, writable) in writable {
        let bar = context.streams.waiting("reading");
        let unfilled = (writable.unfilled)(segments(matches), &db).await;
        bar.finish_and_clear();
        let rows = unfilled?;
        left += rows;
        let pending = entity.pending_fills();
        let text = match context.json {
            true => {
                let line = json!({"entity": entity.name(), "unfilled": rows, "pending": pending});
                visible_json_line(line)
            }
            false => said(&entity.name(), rows, &pending),
        };
        context.write(&text)?;
    }
    Ok(match left {
        0 => Exit::Done,
        _ => Exit::Pending,
    })
}

fn said(name: &str, rows: u64, pending: &[String]) -> String {
    let what = match rows {
        0 => "filled".to_owned(),
        1 => format!("1 row is unfilled: run `fill {name}`"),
        many => format!("{many} rows are unfilled: run `fill {name}`"),
    };
    let pending = match pending.is_empty() {
        true => String::new(),
        false => format!(" ({})", pending.join(", ")),
    };
    format!("{name}{pending}: {what}\n")
}

fn named(matches: &ArgMatches) -> &str {
    matches
        .get_one::<String>("entity")
        .map_or("", String::as_str)
}

fn segments(matches: &ArgMatches) -> usize {
    let segments = matches.get_one::<u32>("segments").copied();
    segments
        .and_then(|segments| usize::try_from(segments).ok())
        .unwrap_or(1)
}

fn counted(counts: &BulkCounts) -> String {
    let gone = counts.vanished + counts.left_query;
    format!(
        "{} rows: {} written, {} unchanged, {gone} gone, {} failed",
        counts.found, counts.written, counts.unchanged, counts.failed
    )
}
