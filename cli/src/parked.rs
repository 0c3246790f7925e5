//! `parked`: lists, shows, replays and drops the parked changes of consumers.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use dynamo_entity::streams::{ParkedChange, ParkedTable};
use dynamo_entity::{Dynamo, DynamoTable, EntityExt, Value};
use serde_json::{Value as Json, json};

use crate::arguments::yes;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::Model;
use crate::text::{visible, visible_json, visible_json_line, visible_lines, width};

/// The command of parked changes, if the program has their table.
pub(crate) fn parked_command(model: &Model) -> Option<Command> {
    let mut schemas = model.schemas.iter();
    if !schemas.any(|schema| schema.name == ParkedTable::schema().name) {
        return None;
    }
    let consumer = || {
        Arg::new("consumer")
            .value_name("CONSUMER")
            .required(true)
            .value_parser(NonEmptyStringValueParser::new())
            .help("The name of the consumer, as passed to `park_after`")
    };
    let events = || {
        Arg::new("events")
            .value_name("EVENT")
            .num_args(1..)
            .value_parser(NonEmptyStringValueParser::new())
            .help("The ids of the records, as `list` shows them")
    };
    let all = |help: &'static str| {
        Arg::new("all")
            .long("all")
            .action(ArgAction::SetTrue)
            .required_unless_present("events")
            .conflicts_with("events")
            .help(help)
    };
    let list = Command::new("list")
        .about("Lists the parked changes; without a consumer, by a scan of their table")
        .arg(consumer().required(false));
    let show = Command::new("show")
        .about("Writes parked changes as events, each as a Lambda function would receive it")
        .args([
            consumer(),
            events(),
            all("Writes all parked changes of the consumer"),
        ]);
    let replay = Command::new("replay")
        .about("Calls the handler of the consumer again, and deletes the parked changes for which it succeeds")
        .args([consumer(), events(), all("Replays all parked changes of the consumer")]);
    let drop = Command::new("drop")
        .visible_alias("discard")
        .about("Deletes parked changes without handling them")
        .args([
            consumer(),
            events(),
            all("Deletes all parked changes of the consumer"),
            yes(),
        ]);
    Some(
        Command::new("parked")
            .about("Shows, replays and drops the changes of a stream that failed too often")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .subcommands([list, show, replay, drop]),
    )
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (command, matches) = within(matches)?;
    match command {
        "list" => list(context, matches).await,
        "show" => show(context, matches).await,
        "replay" => replay(context, matches).await,
        _ => discard(context, matches).await,
    }
}

async fn list(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let db = context.connect().await?;
    let parked = match matches.get_one::<String>("consumer") {
        Some(consumer) => ParkedChange::list(consumer, &db).await?,
        None => ParkedChange::list_all(&db).await?,
    };
    if parked.is_empty() {
        context.note("no changes are parked")?;
    }
    if context.json {
        for change in &parked {
            context.write(&visible_json_line(described(change)?))?;
        }
        return Ok(Exit::Done);
    }
    let mut rows = Vec::new();
    for change in &parked {
        rows.push(row(change)?);
    }
    if !rows.is_empty() {
        context.write(&table(&rows))?;
    }
    Ok(Exit::Done)
}

/// Writes the event that the consumer would receive.
async fn show(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let db = context.connect().await?;
    for change in chosen(matches, &db).await? {
        let event = change.event(&db).await?.to_json();
        let event = String::from_utf8_lossy(&event);
        context.write(&visible_json_line(event))?;
    }
    Ok(Exit::Done)
}

async fn replay(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let consumer = consumer(matches);
    let mut handlers = context.model.replays.iter();
    let handler = handlers.find(|handler| handler.consumer == consumer);
    let handler = handler.ok_or_else(|| {
        Failure::said(format!(
            "this program has no handler for `{consumer}`: add `.replays({consumer:?}, ..)` to its `App`, or pass the output \
             of `parked show` to the function, and drop the change after the function has succeeded"
        ))
    })?;
    let db = context.connect().await?;
    let parked = chosen(matches, &db).await?;
    let bar = context.streams.watched();
    let handle = |event| handler.handle(db.clone(), event);
    let report = ParkedChange::replay_these(parked, &db, handle).await;
    bar.finish_and_clear();
    for failed in &report.failed {
        context.note(&visible_lines(&failed.to_string()))?;
    }
    for waiting in &report.waiting {
        context.note(&visible_lines(&format!(
            "{}: not replayed, because an earlier change of the item failed",
            waiting.event_id
        )))?;
    }
    let (failed, waiting) = (report.failed.len(), report.waiting.len());
    context.note(&format!(
        "{} replayed, {failed} failed, {waiting} not replayed",
        report.replayed
    ))?;
    Ok(match failed {
        0 => Exit::Done,
        _ => Exit::Failed,
    })
}

async fn discard(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let db = context.connect().await?;
    let parked = chosen(matches, &db).await?;
    let (count, consumer) = (parked.len(), consumer(matches));
    let question = format!(
        "Drop {count} parked changes of `{}` without handling them?",
        visible(consumer)
    );
    let is_meant = count == 0 || matches.get_flag("yes") || context.streams.confirm(&question)?;
    if !is_meant {
        return Err(Failure::said("nothing was dropped: pass `--yes`"));
    }
    for change in parked {
        change.discard(&db).await?;
    }
    context.note(&format!("{count} dropped"))?;
    Ok(Exit::Done)
}

fn consumer(matches: &ArgMatches) -> &str {
    let consumer = matches.get_one::<String>("consumer");
    consumer.map_or("", String::as_str)
}

/// The parked changes with the given IDs, or all of the consumer. The changes of each item are in their order. Fails if an ID
/// is unknown.
async fn chosen(matches: &ArgMatches, db: &Dynamo) -> Result<Vec<ParkedChange>, Failure> {
    let consumer = consumer(matches);
    let mut parked = ParkedChange::list(consumer, db).await?;
    let ids = matches.get_many::<String>("events").unwrap_or_default();
    let ids: Vec<&str> = ids.map(String::as_str).collect();
    let is_known = |id: &&str| parked.iter().any(|change| change.event_id == **id);
    if let Some(unknown) = ids.iter().copied().find(|id| !is_known(id)) {
        return Err(Failure::said(format!(
            "`{consumer}` has no parked change `{unknown}`: `parked list` shows all parked changes"
        )));
    }
    if !ids.is_empty() {
        parked.retain(|change| ids.contains(&&*change.event_id));
    }
    Ok(parked)
}

fn described(change: &ParkedChange) -> Result<Json, Failure> {
    Ok(json!({
        "consumer": change.consumer,
        "event_id": change.event_id,
        "parked_at": parked_at(change)?,
        "attempts": change.attempts.len(),
        "table": change.item_table,
        "key": change.item_key,
        "sequence": change.sequence,
        "reason": change.reason,
    }))
}

/// The time as stored.
fn parked_at(change: &ParkedChange) -> Result<Option<String>, Failure> {
    let item = change.to_item()?;
    Ok(match item.get("parked_at") {
        Some(Value::S(text)) => Some(text.to_string()),
        _ => None,
    })
}

const COLUMNS: [&str; 6] = [
    "consumer",
    "event",
    "parked at",
    "attempts",
    "item",
    "reason",
];

fn row(change: &ParkedChange) -> Result<[String; 6], Failure> {
    let key = serde_json::to_string(&change.item_key);
    let key = key.map_err(|error| Failure::said(error.to_string()))?;
    let table = change.item_table.as_deref().unwrap_or_default();
    let first_line = change.reason.lines().next().unwrap_or_default();
    Ok([
        visible(&change.consumer).into_owned(),
        visible(&change.event_id).into_owned(),
        parked_at(change)?.unwrap_or_default(),
        change.attempts.len().to_string(),
        format!("{} {}", visible(table), visible_json(&key))
            .trim()
            .to_owned(),
        visible(first_line).into_owned(),
    ])
}

/// The rows as aligned columns, below their names.
fn table(rows: &[[String; 6]]) -> String {
    let head = COLUMNS.map(str::to_owned);
    let lines: Vec<&[String; 6]> = std::iter::once(&head).chain(rows).collect();
    let mut widths = [0; 6];
    for cells in &lines {
        for (widest, cell) in widths.iter_mut().zip(*cells) {
            *widest = width(cell).max(*widest);
        }
    }
    let mut text = String::new();
    for cells in lines {
        let mut line = String::new();
        for (widest, cell) in widths.iter().zip(cells) {
            line += cell;
            line += &" ".repeat(widest - width(cell) + 2);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
