//! `export-data` and `import-data`: the items of an entity or of a table as lines of a file, and back.

use std::error::Error as StdError;
use std::fs::File;
use std::io;
use std::path::Path;

use clap::ArgMatches;
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::transfer::{Export, Import, RowFormat};
use dynamo_entity::{Error, ExportExt, QueryExt};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The names of the formats of lines.
pub(crate) const FORMATS: [&str; 2] = ["json", "dynamodb"];

pub(crate) async fn export(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let units = matches.get_one::<u32>("rate").copied();
    let query = match table(context, matches)? {
        Some(schema) => schema.scan_items()?,
        None => context.model.entity(entity(matches))?.dynamic()?.scan(),
    };
    let query = match units {
        Some(units) => query.read_units_per_second(units),
        None => query,
    };
    let db = context.connect().await?;
    let bar = context.streams.waiting("reading");
    let report = {
        let bar = bar.clone();
        let export: Export<'_> = query.export(&mut *context.streams.out);
        let export = export
            .format(format(matches))
            .on_progress(move |progress| bar.set_message(format!("{} rows", progress.rows)));
        export.send(&db).await?
    };
    bar.finish_and_clear();
    if let Some(error) = report.stopped()
        && is_unread(error)
    {
        return Err(Failure::Output(io::ErrorKind::BrokenPipe.into()));
    }
    for error in report.errors() {
        context.note(&error.to_string())?;
    }
    let counts = report.complete()?;
    context.note(&match counts.left_out {
        0 => format!("{} rows", counts.rows),
        others => format!(
            "{} rows; {others} other items of the table are not among them",
            counts.rows
        ),
    })?;
    Ok(Exit::Done)
}

pub(crate) async fn import(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let path = matches.get_one::<String>("file").map_or("", String::as_str);
    let file: Box<dyn io::Read + Send> = match path {
        "-" => Box::new(io::stdin()),
        path => {
            let file = File::open(path);
            Box::new(file.map_err(|error| Failure::said(format!("{path}: {error}")))?)
        }
    };
    let mut import: Import<'_> = match table(context, matches)? {
        Some(schema) => {
            // An import of a table writes items of all its entities, so the program must be allowed to write each of
            // them.
            let mut entities = context.model.entities();
            let mut own = entities
                .by_ref()
                .filter(|entity| entity.schema.name == schema.name);
            own.try_for_each(|entity| entity.writable().map(drop))?;
            schema.import(file)?
        }
        None => {
            let entity = context.model.entity(entity(matches))?;
            (entity.writable()?.import)(file)
        }
    };
    import = import.format(format(matches));
    if matches.get_flag("as-is") {
        import = import.as_is();
    }
    if matches.get_flag("replace") {
        import = import.replace();
    }
    if matches.get_flag("drop-unknown") {
        import = import.drop_unknown();
    }
    if let Some(rate) = matches.get_one::<u32>("rate") {
        import = import.rate(*rate);
    }
    if let Some(checkpoint) = matches.get_one::<String>("checkpoint") {
        import = import.checkpoint(FileCheckpoint::new(Path::new(checkpoint)));
    }
    let db = context.connect().await?;
    let bar = context.streams.watched();
    let shown = bar.clone();
    let import =
        import.on_progress(move |counts| shown.set_message(format!("{} lines", counts.lines)));
    let report = import.send(&db).await?;
    bar.finish_and_clear();
    for failed in report.errors() {
        context.note(&failed.to_string())?;
    }
    let counts = report.counts();
    context.note(&format!(
        "{} lines: {} stored, {} unchanged, {} of existing items, {} failed",
        counts.lines, counts.written, counts.unchanged, counts.existing, counts.failed
    ))?;
    match report.stopped() {
        Some(error) => Err(Failure::said(error.to_string())),
        None if counts.existing + counts.failed > 0 => {
            Err(Failure::said("some lines were not stored"))
        }
        None => Ok(Exit::Done),
    }
}

fn entity(matches: &ArgMatches) -> &str {
    matches
        .get_one::<String>("entity")
        .map_or("", String::as_str)
}

/// The table, if the command is about all of its items.
fn table<'c>(
    context: &Context<'c, '_>,
    matches: &ArgMatches,
) -> Result<Option<&'c TableSchema>, Failure> {
    let Some(name) = matches.get_one::<String>("table") else {
        return Ok(None);
    };
    context.model.table(name).map(Some)
}

fn format(matches: &ArgMatches) -> RowFormat {
    match matches.get_one::<String>("format").map(String::as_str) {
        Some("dynamodb") => RowFormat::DynamoJson,
        _ => RowFormat::Json,
    }
}

/// Whether the reader of the output has closed it.
fn is_unread(error: &Error) -> bool {
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
