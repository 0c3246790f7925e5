//! `adopt`: declarations for a table that other programs have written, guessed from a sample of its items.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::error::DisplayErrorContext;
use dynamo_entity::aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, KeySchemaElement, KeyType as KeyRole, Projection,
    ProjectionType, ReturnConsumedCapacity, ScalarAttributeType, TableDescription,
};
use dynamo_entity::schema::KeyType;
use dynamo_entity::{Dynamo, Item};

mod comparison;
mod copied_number;
mod declaration;
mod entity;
mod entity_plan;
mod field;
mod grouping;
mod infer;
mod key_plan;
mod names;
mod pattern;
mod sample;
mod table;
mod template;
mod template_search;
mod test_text;
#[cfg(test)]
mod tests;
mod time_text;
mod unique_rows;
mod vocabulary;

use self::declaration::{declarations, name_structs};
use self::sample::{SampleColumn, SampleIndex, SampleProjection, TableSample};
use self::table::{AdoptedTable, plan_table};
use self::test_text::{sample_lines, test_text};
use crate::arguments::text_option;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The command.
pub(crate) fn adopt_command() -> Command {
    Command::new("adopt")
        .about("Writes declarations in Rust for a table of other programs, guessed from a sample of its items")
        .args([
            Arg::new("table")
                .long("table")
                .value_name("TABLE")
                .required(true)
                .value_parser(NonEmptyStringValueParser::new())
                .help("The table; it needs no declaration"),
            Arg::new("sample")
                .long("sample")
                .value_name("ITEMS")
                .default_value("200")
                .value_parser(value_parser!(u16).range(1..=5000))
                .help("Reads about this number of items, from all parts of the table"),
            text_option("out", "FILE", "Writes the declarations to this file"),
            text_option("test", "FILE", "Writes a test of the declarations, with the sample beside it").requires("out"),
        ])
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let name = text("table").unwrap_or_default();
    let wanted = usize::from(matches.get_one::<u16>("sample").copied().unwrap_or(200));
    let db = context.connect().await?;
    let (sample, units) = read_sample(&db, &name, wanted).await?;
    let mut table = plan_table(&sample);
    // Nested structs of two entities may have been guessed with one name.
    name_structs(&mut table);
    let rust = declarations(&table, &sample);
    match text("out") {
        None => context.write(&rust)?,
        Some(path) => write_file(&path, &rust)?,
    }
    if let (Some(out), Some(test)) = (text("out"), text("test")) {
        // The test includes the sample by its name, so both are in one folder.
        let lines = Path::new(&test).with_extension("sample");
        let file = lines
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let path = relative_path(&test, &out)?;
        write_file(&test, &test_text(&table, &path, &file))?;
        write_file(&lines.to_string_lossy(), &sample_lines(&table, &sample)?)?;
    }
    // The declarations may be on the standard output, so the summary is not.
    for line in summary(&table, &sample, units) {
        context.note(&line)?;
    }
    Ok(Exit::Done)
}

/// The summary of the guesses.
fn summary(table: &AdoptedTable, sample: &TableSample, units: f64) -> Vec<String> {
    let mut lines = vec![format!(
        "read {} items for {units} read units",
        sample.rows.len()
    )];
    for (entity, kept) in table.entities.iter().zip(&table.kept) {
        let guesses = entity.unsure.len()
            + entity
                .fields
                .iter()
                .map(|field| field.unsure.len())
                .sum::<usize>();
        lines.push(format!(
            "{}: {} of {} items would be written as they are; `unsure` marks {guesses} of the guesses",
            entity.name,
            kept.len(),
            entity.rows.len()
        ));
    }
    for (reason, count) in &table.others {
        lines.push(format!("not declared, of these items: {count} {reason}"));
    }
    lines
}

fn write_file(path: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::said(format!("{path}: {error}")))
}

/// The path of a file from the folder of another one, as `#[path]` takes it.
fn relative_path(from: &str, to: &str) -> Result<String, Failure> {
    let absolute = |path: &str| {
        std::path::absolute(path).map_err(|error| Failure::said(format!("{path}: {error}")))
    };
    let (from, to) = (absolute(from)?, absolute(to)?);
    let folder: Vec<Component<'_>> = from
        .parent()
        .map(|folder| folder.components().collect())
        .unwrap_or_default();
    let to: Vec<Component<'_>> = to.components().collect();
    // `#[path]` is relative to the folder of the test, wherever the command runs.
    let shared = folder
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    let up = folder[shared..].iter().map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to[shared..].iter().copied()).collect();
    Ok(path.to_string_lossy().replace('\\', "/"))
}

/// Reads the description and about this number of items. The read takes part of the table after part, so that a large
/// partition does not fill the sample, and returns its cost too.
async fn read_sample(
    db: &Dynamo,
    name: &str,
    wanted: usize,
) -> Result<(TableSample, f64), Failure> {
    let client = db.client();
    let stored = db.table_name(name);
    let described = client.describe_table().table_name(&stored).send().await;
    // A wrong name is the usual mistake, so it gets its own message.
    let described = described.map_err(|error| {
        let is_missing = error
            .as_service_error()
            .is_some_and(|error| error.is_resource_not_found_exception());
        match is_missing {
            true => Failure::said(format!(
                "no table has the name `{stored}`: check `--table`, `--url` and `--prefix`"
            )),
            false => failed(&stored, &DisplayErrorContext(&error)),
        }
    })?;
    let description = described
        .table
        .ok_or_else(|| Failure::said(format!("`{stored}` has no description")))?;
    let ttl = client
        .describe_time_to_live()
        .table_name(&stored)
        .send()
        .await;
    // A server without TTL has no attribute for it.
    let ttl = ttl
        .ok()
        .and_then(|ttl| ttl.time_to_live_description?.attribute_name);
    let (rows, is_whole, units) = scan_rows(client, &stored, wanted).await?;
    let mut sample = described_table(name, &description)
        .ok_or_else(|| Failure::said(format!("`{stored}` has no key")))?;
    sample.ttl = ttl;
    // Servers return the parts of a table in different orders.
    let key = |row: &Item| {
        sample
            .primary()
            .map(|column| format!("{:?}", row.get(&column.name)))
            .collect::<Vec<_>>()
    };
    let mut rows = rows;
    rows.sort_by_cached_key(key);
    sample.rows = rows;
    sample.is_whole = is_whole;
    Ok((sample, units))
}

fn failed(table: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::said(format!("`{table}` cannot be read: {error}"))
}

/// How many parts of the table are read in turn.
const SEGMENTS: usize = 8;

type SegmentStart = Option<HashMap<String, AttributeValue>>;

async fn scan_rows(
    client: &Client,
    table: &str,
    wanted: usize,
) -> Result<(Vec<Item>, bool, f64), Failure> {
    let segments = SEGMENTS.min(wanted);
    let mut starts: Vec<Option<SegmentStart>> = vec![Some(None); segments];
    let mut rows = Vec::new();
    let mut units = 0.0;
    while rows.len() < wanted && starts.iter().any(Option::is_some) {
        let open = starts.iter().flatten().count();
        // Parts that end early leave their share to the others.
        let share = (wanted - rows.len()).div_ceil(open);
        for (number, start) in starts.iter_mut().enumerate() {
            let limit = share.min(wanted - rows.len());
            let Some(position) = start.take_if(|_| limit > 0) else {
                continue;
            };
            let scan = client
                .scan()
                .table_name(table)
                .segment(i32::try_from(number).unwrap_or(0))
                .total_segments(i32::try_from(segments).unwrap_or(1))
                .limit(i32::try_from(limit).unwrap_or(i32::MAX))
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .set_exclusive_start_key(position);
            let page = scan
                .send()
                .await
                .map_err(|error| failed(table, &DisplayErrorContext(&error)))?;
            units += page
                .consumed_capacity
                .and_then(|capacity| capacity.capacity_units)
                .unwrap_or(0.0);
            rows.extend(page.items.unwrap_or_default().into_iter().map(Item::from));
            // A page may be empty before the end of its part, so only the position tells the end.
            *start = page
                .last_evaluated_key
                .filter(|key| !key.is_empty())
                .map(Some);
        }
    }
    let is_whole = starts.iter().all(Option::is_none);
    Ok((rows, is_whole, units))
}

/// The table without its items.
fn described_table(name: &str, table: &TableDescription) -> Option<TableSample> {
    let types = table.attribute_definitions();
    // DynamoDB describes a key as a list of attributes with their roles.
    let (mut pk, mut sk) = key_columns(table.key_schema(), types);
    let of_gsi = table.global_secondary_indexes().iter().map(|index| {
        (
            index.index_name(),
            index.key_schema(),
            index.projection(),
            false,
        )
    });
    let of_lsi = table.local_secondary_indexes().iter().map(|index| {
        (
            index.index_name(),
            index.key_schema(),
            index.projection(),
            true,
        )
    });
    let mut indexes: Vec<SampleIndex> = of_gsi
        .chain(of_lsi)
        .filter_map(|(name, keys, projection, is_local)| {
            let (pk, sk) = key_columns(keys, types);
            Some(SampleIndex {
                name: name?.to_owned(),
                is_local,
                // A local index has the partition key of its table.
                pk: if is_local { Vec::new() } else { pk },
                sk,
                project: projected(projection),
            })
        })
        .collect();
    // Servers describe indexes in any order, and the declarations should be the same each time.
    indexes.sort_by(|one, other| one.name.cmp(&other.name));
    Some(TableSample {
        name: name.to_owned(),
        pk: pk.pop()?,
        sk: sk.pop(),
        indexes,
        ttl: None,
        rows: Vec::new(),
        is_whole: false,
    })
}

fn key_columns(
    keys: &[KeySchemaElement],
    types: &[AttributeDefinition],
) -> (Vec<SampleColumn>, Vec<SampleColumn>) {
    let columns = |role: KeyRole| {
        let keys = keys.iter().filter(|key| *key.key_type() == role);
        let columns = keys.map(|key| {
            let ty = types
                .iter()
                .find(|ty| ty.attribute_name() == key.attribute_name());
            SampleColumn {
                name: key.attribute_name().to_owned(),
                ty: match ty.map(AttributeDefinition::attribute_type) {
                    Some(ScalarAttributeType::N) => KeyType::N,
                    Some(ScalarAttributeType::B) => KeyType::B,
                    _ => KeyType::S,
                },
            }
        });
        columns.collect()
    };
    (columns(KeyRole::Hash), columns(KeyRole::Range))
}

fn projected(projection: Option<&Projection>) -> SampleProjection {
    match projection.and_then(Projection::projection_type) {
        Some(ProjectionType::KeysOnly) => SampleProjection::Keys,
        Some(ProjectionType::Include) => {
            let mut names = projection
                .map(|projection| projection.non_key_attributes().to_vec())
                .unwrap_or_default();
            names.sort_unstable();
            SampleProjection::Only(names)
        }
        _ => SampleProjection::All,
    }
}
