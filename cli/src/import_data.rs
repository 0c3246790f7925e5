//! `import-data`: the lines of a file or of a folder, stored as the items of an entity or of a table.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command};
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::transfer::{ExportFolder, Import};
use flate2::read::MultiGzDecoder;
use serde_json::json;

use crate::arguments::{checkpoint, flag, max_failures, rate};
use crate::context::Context;
use crate::data::{csv, entity, format, is_compressed, is_csv, is_folder, table, unusable, whole};
use crate::exit::Exit;
use crate::failure::{Failure, told, with_checkpoint};
use crate::model::Model;
use crate::text::visible_json_line;

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The command.
pub(crate) fn import_command(model: &Model) -> Command {
    let file = Arg::new("file")
        .value_name("FILE")
        .long("from")
        .required(true)
        .value_parser(NonEmptyStringValueParser::new())
        .help("The file with the lines, or the folder of an export; `-` is the standard input");
    Command::new("import-data")
        .about("Stores the lines of a file as items; replaces nothing without --replace")
        .args(whole(
            model,
            "The lines are items of a table, stored as they are",
        ))
        .arg(file)
        .args([
            flag(
                "as-is",
                "Stores the attributes of the file and builds no keys",
            ),
            flag("replace", "Replaces items with the same keys"),
            flag("drop-unknown", "Drops attributes that no field has"),
            flag(
                "allow-missing-rows",
                "Accepts a folder whose export could not read some rows",
            ),
        ])
        .arg(rate(
            "WRITES",
            "Writes at most this number of items per second",
        ))
        .arg(max_failures("LINES"))
        .arg(checkpoint())
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let path = matches.get_one::<String>("file").map_or("", String::as_str);
    let csv = csv(context, matches)?;
    let schema = table(context, matches)?;
    if let Some(schema) = schema {
        // An import of a table writes items of all its entities, so the program must be allowed to write each of them.
        let mut entities = context.model.entities();
        let mut own = entities
            .by_ref()
            .filter(|entity| entity.schema.name == schema.name);
        own.try_for_each(|entity| entity.writable().map(drop))?;
    }
    let mut import: Import<'_> = match is_folder(matches) {
        true => {
            if matches.get_flag("gzip") {
                return Err(Failure::said(
                    "the files of a folder are always compressed: remove `--gzip`",
                ));
            }
            let folder = ExportFolder::open(path)?;
            match schema {
                Some(schema) => schema.import_from(folder)?,
                None => (context
                    .model
                    .entity(entity(matches))?
                    .writable()?
                    .import_from)(folder),
            }
        }
        false => {
            check_format(path, matches)?;
            let file = opened(path, is_compressed(matches, Some(Path::new(path))))?;
            let import = match schema {
                Some(schema) => schema.import(file)?,
                None => (context.model.entity(entity(matches))?.writable()?.import)(file),
            };
            match csv {
                Some(_) => import,
                None => import.format(format(matches)),
            }
        }
    };
    if let Some(csv) = csv {
        import = import.csv(csv);
    }
    if matches.get_flag("as-is") {
        import = import.as_is();
    }
    if matches.get_flag("replace") {
        import = import.replace();
    }
    if matches.get_flag("drop-unknown") {
        import = import.drop_unknown();
    }
    if matches.get_flag("allow-missing-rows") {
        import = import.allow_missing_rows();
    }
    if let Some(rate) = matches.get_one::<u32>("rate") {
        import = import.rate(*rate);
    }
    if let Some(lines) = matches.get_one::<u32>("max-failures") {
        import = import.max_failures(usize::try_from(*lines).unwrap_or(usize::MAX));
    }
    let checkpoint = matches.get_one::<String>("checkpoint");
    if let Some(checkpoint) = checkpoint {
        import = import.checkpoint(FileCheckpoint::new(Path::new(checkpoint)));
    }
    let checkpoint = checkpoint.map(String::as_str);
    let db = context.connect().await?;
    let bar = context.streams.watched();
    let shown = bar.clone();
    let import = import.on_progress(move |counts| {
        shown.set_message(match counts.lines {
            0 if counts.checked_bytes > 0 => format!("{} MB checked", counts.checked_bytes >> 20),
            lines => format!("{lines} lines"),
        });
    });
    let report = import.send(&db).await;
    bar.finish_and_clear();
    let report = report.map_err(|error| with_checkpoint(&error, checkpoint))?;
    for failed in report.errors() {
        let file = failed
            .file()
            .map_or_else(String::new, |file| format!("{file}, "));
        let reason = told(failed.error());
        context.note(&format!("{file}line {}: {reason}", failed.number()))?;
    }
    let counts = report.counts();
    if context.json {
        let line = json!({
            "lines": counts.lines,
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
    let left_out = match counts.left_out {
        0 => String::new(),
        others => format!(", {others} of others left out"),
    };
    let earlier = match report.was_finished() {
        true => "nothing to do: an earlier run finished this import: ",
        false => "",
    };
    context.note(&format!(
        "{earlier}{} lines: {} stored, {} unchanged, {} of existing items, {} failed{left_out}",
        counts.lines, counts.written, counts.unchanged, counts.existing, counts.failed
    ))?;
    match report.stopped() {
        Some(error) => Err(with_checkpoint(error, checkpoint)),
        None if counts.existing + counts.failed > 0 => {
            Err(Failure::said("some lines were not stored"))
        }
        None => Ok(report.complete().map(|_| Exit::Done)?),
    }
}

/// Returns an error if the path shows another format than the options.
fn check_format(path: &str, matches: &ArgMatches) -> Result<(), Failure> {
    if Path::new(path).is_dir() {
        return Err(Failure::said(format!(
            "{path} is a folder: pass `--format aws` if it is an export, or name a file in it"
        )));
    }
    let name = path.strip_suffix(".gz").unwrap_or(path);
    let is_csv_file = Path::new(name)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    match is_csv_file && !is_csv(matches) {
        true => Err(Failure::said(format!(
            "{path} has the name of a CSV file: pass `--format csv`"
        ))),
        false => Ok(()),
    }
}

/// The lines of a file, or of the standard input.
fn opened(path: &str, is_compressed: bool) -> Result<Box<dyn Read + Send>, Failure> {
    let file: Box<dyn Read + Send> = match path {
        "-" => Box::new(io::stdin()),
        path => {
            let file = File::open(path);
            Box::new(file.map_err(|error| unusable(Path::new(path), &error))?)
        }
    };
    let mut file = BufReader::new(file);
    if is_compressed {
        return Ok(Box::new(MultiGzDecoder::new(file)));
    }
    let begin = file.fill_buf();
    let begin = begin.map_err(|error| unusable(Path::new(path), &error))?;
    match begin.starts_with(&GZIP) {
        true => Err(Failure::said(format!(
            "{path} is compressed: pass `--gzip`"
        ))),
        false => Ok(Box::new(file)),
    }
}
