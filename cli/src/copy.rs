//! `copy`: the items of entities or of tables, stored in the same tables of another connection.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::transfer::{CopyCounts, Mask, RowCopy};
use dynamo_entity::{CopyExt, Dynamo, QueryExt};
use serde_json::json;

use crate::arguments::{checkpoint, entity_names, flag, max_failures, rate, segments, text_option};
use crate::context::{Context, check_file, is_same_file};
use crate::exit::Exit;
use crate::failure::{Failure, told, with_checkpoint};
use crate::list::is_on_aws;
use crate::model::Model;
use crate::render::json_line;
use crate::text::{visible_json_line, visible_lines};
use crate::writable::{CopiedScan, Writable};

/// The command.
pub(crate) fn copy_command(model: &Model) -> Command {
    let tables = model.schemas.iter().map(|schema| schema.name.clone());
    Command::new("copy")
        .about("Copies items to the same tables of another connection, if wanted with pseudonyms; replaces nothing without --replace")
        .after_help("You may stop it and run it again at any time: items that are copied already are not written. A masked copy needs the same \
             secret for this.")
        .args([
            Arg::new("entities")
                .value_name("ENTITY")
                .num_args(0..)
                .value_parser(PossibleValuesParser::new(entity_names(model)))
                .help("The entities to copy, with their unique values; without any, all items of all tables"),
            Arg::new("table")
                .long("table")
                .value_name("TABLE")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(tables))
                .help("All items of a table, whatever they are"),
            text_option("to", "URL", "URL of the target: aws, aws://REGION, http://HOST:PORT, embedded:PATH").required(true),
            text_option("to-prefix", "PREFIX", "Prefix for all table names of the target; none by default"),
            flag("masked", "Replaces the values of personal fields by pseudonyms"),
            text_option(
                "secret-env",
                "NAME",
                "The environment variable with the secret of the pseudonyms, so that later copies have the same ones; random by default, and required if a key contains personal data",
            )
            .requires("masked"),
            flag("drop-unknown", "Drops attributes that no field has").requires("masked"),
            flag("copy-others", "Copies items of no entity as they are").requires("masked"),
            flag("replace", "Replaces items with the same keys"),
            segments(),
            rate("WRITES", "Writes at most this number of items per second"),
            rate("UNITS", "Reads at most this number of units per second")
                .id("read-rate")
                .long("read-rate"),
            max_failures("ROWS"),
            checkpoint(),
            flag("scan", "Confirms that a table on AWS is scanned"),
        ])
}

/// The items that are copied together.
enum CopyPart<'c> {
    Entity(String, Writable),
    Table(&'c TableSchema, Vec<Writable>),
}

impl CopyPart<'_> {
    fn name(&self) -> &str {
        match self {
            CopyPart::Entity(name, _) => name,
            CopyPart::Table(schema, _) => &schema.name,
        }
    }

    fn copy(
        &self,
        scan: CopiedScan,
        other: &Dynamo,
        is_masked: bool,
    ) -> Result<RowCopy<'static>, Failure> {
        let (schema, writable) = match self {
            CopyPart::Entity(_, writable) => return Ok((writable.copy)(scan, other)),
            CopyPart::Table(schema, writable) => (schema, writable),
        };
        let items = schema.scan_items()?.segments(scan.segments);
        let copy = match scan.read_units {
            Some(units) => items.read_units_per_second(units).copy_to(other),
            None => items.copy_to(other),
        };
        // A masked copy masks the rows of these, and other copies do not need them.
        let named = writable.iter().filter(|_| is_masked);
        Ok(named.fold(copy, |copy, writable| (writable.named_in)(copy)))
    }
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    if is_on_aws(context.url.as_deref()) && !matches.get_flag("scan") {
        return Err(Failure::said(
            "`copy` scans the tables: DynamoDB reads, and charges, every item; pass `--scan` to confirm",
        ));
    }
    let parts = parts(context, matches)?;
    let mask = mask(matches)?;
    let has_table = parts.iter().any(|part| matches!(part, CopyPart::Table(..)));
    if matches.get_flag("copy-others") && !has_table {
        return Err(Failure::said(
            "`--copy-others` is for copies of a table: name the table by `--table`, or remove the option",
        ));
    }
    let to = matches.get_one::<String>("to").map_or("", String::as_str);
    let db = context.connect().await?;
    // A file can be opened once, and both connections may use other prefixes.
    let from = context.url.as_deref().unwrap_or_default();
    let other = match from == to || is_same_file(from, to) {
        true => db.clone(),
        false => {
            check_file(to)?;
            Dynamo::connect(to).await?
        }
    };
    let prefix = matches.get_one::<String>("to-prefix");
    let other = other.with_prefix(prefix.cloned().unwrap_or_default());
    let scan = CopiedScan {
        segments: matches
            .get_one::<u32>("segments")
            .and_then(|number| usize::try_from(*number).ok())
            .unwrap_or(1),
        read_units: matches.get_one::<u32>("read-rate").copied(),
    };
    let mut missing = 0;
    for (at, part) in parts.iter().enumerate() {
        let copy = part.copy(scan, &other, mask.is_some())?;
        let copy = match part {
            CopyPart::Table(..) if matches.get_flag("copy-others") => copy.copy_others(),
            _ => copy,
        };
        let copy = with_options(copy, matches, mask.as_ref());
        let file = matches.get_one::<String>("checkpoint");
        let file = file.map(|path| part_file(path, part, parts.len()));
        let copy = match &file {
            Some(path) => copy.checkpoint(FileCheckpoint::new(path)),
            None => copy,
        };
        let copied = CopiedPart {
            name: part.name(),
            file: file.as_ref().map(|path| path.display().to_string()),
            shows_keys: mask.is_none(),
        };
        let copied = copy_part(context, copied, copy, &db).await;
        if copied.is_err() {
            let others = parts.get(at + 1..).unwrap_or_default().iter();
            let others: Vec<&str> = others.map(CopyPart::name).collect();
            if !others.is_empty() {
                context.note(&format!("not copied: {}", others.join(", ")))?;
            }
        }
        missing += copied?;
    }
    match missing {
        0 => Ok(Exit::Done),
        _ => Err(Failure::said("some rows were not copied")),
    }
}

fn with_options<'c>(copy: RowCopy<'c>, matches: &ArgMatches, mask: Option<&Mask>) -> RowCopy<'c> {
    let mut copy = copy;
    if let Some(mask) = mask {
        copy = copy.masked(mask.clone());
    }
    if matches.get_flag("drop-unknown") {
        copy = copy.drop_unknown();
    }
    if matches.get_flag("replace") {
        copy = copy.replace();
    }
    if let Some(rate) = matches.get_one::<u32>("rate") {
        copy = copy.rate(*rate);
    }
    if let Some(rows) = matches.get_one::<u32>("max-failures") {
        copy = copy.max_failures(usize::try_from(*rows).unwrap_or(usize::MAX));
    }
    copy
}

/// The checkpoint of a part: the named file, or one beside it for each of several parts.
fn part_file(path: &str, part: &CopyPart<'_>, count: usize) -> PathBuf {
    match count {
        1 => Path::new(path).to_owned(),
        _ => PathBuf::from(format!("{path}.{}", part.name())),
    }
}

/// The data of a part for messages.
struct CopiedPart<'p> {
    name: &'p str,
    /// The path of its checkpoint.
    file: Option<String>,
    /// Whether keys of the source may be shown.
    shows_keys: bool,
}

/// Copies a part, and returns the number of rows that were not copied.
async fn copy_part(
    context: &mut Context<'_, '_>,
    part: CopiedPart<'_>,
    copy: RowCopy<'_>,
    db: &Dynamo,
) -> Result<u64, Failure> {
    let CopiedPart {
        name,
        file,
        shows_keys,
    } = part;
    let bar = context.streams.watched();
    let shown = bar.clone();
    let copy = copy.on_progress(move |counts| shown.set_message(format!("{} rows", counts.read)));
    let report = copy.send(db).await;
    bar.finish_and_clear();
    let report = report.map_err(|error| with_checkpoint(&error, file.as_deref()))?;
    for (at, failed) in report.errors().iter().enumerate() {
        // The key of the source may be what the mask hides.
        let row = match shows_keys {
            true => json_line(failed.key())?,
            false => format!("failed row {}", at + 1),
        };
        let line = format!("{name} {}: {}", row.trim_end(), told(failed.error()));
        context.note(&visible_lines(&line))?;
    }
    let counts = report.counts();
    if context.json {
        let line = json!({
            "name": name,
            "read": counts.read,
            "written": counts.written,
            "unchanged": counts.unchanged,
            "existing": counts.existing,
            "failed": counts.failed,
            "left_out": counts.left_out,
            "was_finished": report.was_finished(),
            "stopped": report.stopped().map(told),
        });
        context.write(&visible_json_line(&line))?;
    }
    let earlier = match file.as_ref().filter(|_| report.was_finished()) {
        // The copy does not read rows that were added since then.
        Some(file) => format!(
            "nothing to do: an earlier run finished this copy; delete {file} to copy again: "
        ),
        None => String::new(),
    };
    // A copy that failed at its first request has no counts.
    if report.stopped().is_none() || counts.read > 0 {
        context.note(&visible_lines(&(earlier + &counted(name, &counts))))?;
    }
    match report.stopped() {
        Some(error) => Err(with_checkpoint(error, file.as_deref())),
        None => Ok(counts.existing + counts.failed),
    }
}

fn counted(name: &str, counts: &CopyCounts) -> String {
    let left_out = match counts.left_out {
        0 => String::new(),
        others => format!(", {others} others left out"),
    };
    format!(
        "{name}: {} rows: {} stored, {} unchanged, {} of existing items, {} failed{left_out}",
        counts.read, counts.written, counts.unchanged, counts.existing, counts.failed
    )
}

/// The named entities and tables, or all tables. The program must be allowed to write each entity.
fn parts<'c>(
    context: &Context<'c, '_>,
    matches: &ArgMatches,
) -> Result<Vec<CopyPart<'c>>, Failure> {
    let model = context.model;
    let mut parts = Vec::new();
    let mut named = BTreeSet::new();
    for name in matches.get_many::<String>("entities").unwrap_or_default() {
        let entity = model.entity(name)?;
        if named.insert(name) {
            parts.push(CopyPart::Entity(entity.name(), entity.writable()?));
        }
    }
    let tables = matches.get_many::<String>("table").unwrap_or_default();
    let mut tables: Vec<&TableSchema> = tables
        .map(|name| model.table(name))
        .collect::<Result<_, _>>()?;
    let mut named = BTreeSet::new();
    tables.retain(|schema| named.insert(&schema.name));
    if tables.is_empty() && parts.is_empty() {
        tables = model.schemas.iter().collect();
    }
    for schema in tables {
        let entities = model.entities();
        let own = entities.filter(|entity| entity.schema.name == schema.name);
        let writable = own.map(|entity| entity.writable());
        parts.push(CopyPart::Table(schema, writable.collect::<Result<_, _>>()?));
    }
    Ok(parts)
}

/// The mask. The secret is not an option, because other users of the machine could see it.
fn mask(matches: &ArgMatches) -> Result<Option<Mask>, Failure> {
    if !matches.get_flag("masked") {
        return Ok(None);
    }
    let Some(name) = matches.get_one::<String>("secret-env") else {
        return Ok(Some(Mask::random()?));
    };
    match env::var_os(name) {
        Some(secret) => Ok(Some(Mask::with_secret(secret.as_encoded_bytes())?)),
        None => Err(Failure::said(format!(
            "the environment variable {name} is not set: set it to the secret of the pseudonyms"
        ))),
    }
}
