//! `export-data` and `import-data`: the items of an entity or of a table as lines of a file or of a folder, and back.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::transfer::{Csv, CsvColumn, Export, ExportFolder, Import, RowFormat};
use dynamo_entity::{Error, ExportExt, QueryExt};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use indicatif::ProgressBar;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, explained, told};

/// The names of the formats.
pub(crate) const FORMATS: [&str; 4] = ["json", "dynamodb", "csv", "aws"];

pub(crate) async fn export(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let units = matches.get_one::<u32>("rate").copied();
    let csv = csv(context, matches)?;
    let query = match table(context, matches)? {
        Some(schema) => schema.scan_items()?,
        None => context.model.entity(entity(matches))?.dynamic()?.scan(),
    };
    let query = match units {
        Some(units) => query.read_units_per_second(units),
        None => query,
    };
    let out = matches.get_one::<String>("out").map(Path::new);
    let is_folder = is_folder(matches);
    if matches.get_flag("resume") && !is_folder {
        let message =
            "only an export into a folder resumes: pass `--format aws` and its `--out FOLDER`";
        return Err(Failure::said(message));
    }
    if is_folder && matches.get_flag("gzip") {
        return Err(Failure::said(
            "the files of a folder are always compressed: remove `--gzip`",
        ));
    }
    let db = context.connect().await?;
    let bar = context.streams.waiting("reading");
    let report = match (out, is_folder) {
        (Some(prefix), true) => {
            let folder = match matches.get_flag("resume") {
                true => ExportFolder::create_or_resume(prefix)?,
                false => ExportFolder::create(prefix)?,
            };
            context.note(&folder.path().display().to_string())?;
            let export = query.export_to(folder);
            watched(export, csv, &bar).send(&db).await?
        }
        (path, _) => {
            let file = path.map(NewFile::create).transpose()?;
            let plain: Box<dyn Write + Send + '_> = match &file {
                Some(new) => Box::new(&new.file),
                None => Box::new(&mut *context.streams.out),
            };
            let mut receiver = Receiver::new(plain, is_compressed(matches, path));
            let export = query.export(&mut receiver);
            let export = match csv {
                Some(_) => export,
                None => export.format(format(matches)),
            };
            let report = watched(export, csv, &bar).send(&db).await?;
            if report.stopped().is_none() {
                receiver.finish()?;
                if let Some(file) = file {
                    file.publish()?;
                }
            }
            report
        }
    };
    bar.finish_and_clear();
    if let Some(error) = report.stopped()
        && is_unread(error)
    {
        return Err(Failure::Output(io::ErrorKind::BrokenPipe.into()));
    }
    for error in report.errors() {
        context.note(&told(error))?;
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

fn watched<'w>(export: Export<'w>, csv: Option<Csv>, bar: &ProgressBar) -> Export<'w> {
    let export = match csv {
        Some(csv) => export.csv(csv),
        None => export,
    };
    let bar = bar.clone();
    export.on_progress(move |progress| bar.set_message(format!("{} rows", progress.rows)))
}

/// A file that has its name only when it is complete.
struct NewFile {
    file: File,
    part: PathBuf,
    path: PathBuf,
}

impl NewFile {
    fn create(path: &Path) -> Result<NewFile, Failure> {
        let mut part = OsString::from(path);
        part.push(".part");
        let part = PathBuf::from(part);
        let fail = |error: io::Error| unusable(&part, &error);
        // It may be the growing file of another command, so it is emptied only with its lock.
        let mut options = File::options();
        let options = options.create(true).truncate(false).write(true);
        let file = options.open(&part).map_err(fail)?;
        let is_own = match file.try_lock() {
            Ok(()) => is_named(&file, &part).map_err(fail)?,
            Err(TryLockError::WouldBlock) => false,
            // Some network drives have no locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => true,
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        };
        if !is_own {
            let part = part.display();
            return Err(Failure::said(format!(
                "{part}: another export is writing this file: wait for its end, or pass another `--out`"
            )));
        }
        file.set_len(0).map_err(fail)?;
        Ok(NewFile {
            file,
            part,
            path: path.to_owned(),
        })
    }

    fn publish(self) -> Result<(), Failure> {
        let published = self.file.sync_all();
        let published = published.and_then(|()| fs::rename(&self.part, &self.path));
        published.map_err(|error| unusable(&self.path, &error))
    }
}

/// Whether a file still has this name. The other command may have given it the final name before it was locked.
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    let named = match fs::metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    is_same(&file.metadata()?, &named)
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Other systems do not rename a file over one that is open.
#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, _: &fs::Metadata) -> io::Result<bool> {
    Ok(true)
}

/// Writes lines as they are, or compressed. Compressed lines that were stopped have no end, so that readers notice.
enum Receiver<'w> {
    Plain(Box<dyn Write + Send + 'w>),
    Compressed(GzEncoder<ClosableWriter<'w>>),
}

/// A writer that rejects everything once it is closed.
struct ClosableWriter<'w> {
    writer: Box<dyn Write + Send + 'w>,
    is_closed: bool,
}

impl Write for ClosableWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_closed {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => self.writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for Receiver<'_> {
    fn drop(&mut self) {
        // The encoder would write the end when it is dropped.
        if let Receiver::Compressed(compressed) = self {
            compressed.get_mut().is_closed = true;
        }
    }
}

impl<'w> Receiver<'w> {
    fn new(plain: Box<dyn Write + Send + 'w>, is_compressed: bool) -> Self {
        match is_compressed {
            true => {
                let writer = ClosableWriter {
                    writer: plain,
                    is_closed: false,
                };
                Receiver::Compressed(GzEncoder::new(writer, Compression::default()))
            }
            false => Receiver::Plain(plain),
        }
    }

    /// Writes the end of compressed lines.
    fn finish(mut self) -> io::Result<()> {
        match &mut self {
            Receiver::Plain(plain) => plain.flush(),
            Receiver::Compressed(compressed) => {
                compressed.try_finish()?;
                compressed.get_mut().flush()
            }
        }
    }
}

impl Write for Receiver<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Receiver::Plain(plain) => plain.write(bytes),
            Receiver::Compressed(compressed) => compressed.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Receiver::Plain(plain) => plain.flush(),
            Receiver::Compressed(compressed) => compressed.flush(),
        }
    }
}

pub(crate) async fn import(
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
    if let Some(checkpoint) = matches.get_one::<String>("checkpoint") {
        import = import.checkpoint(FileCheckpoint::new(Path::new(checkpoint)));
    }
    let db = context.connect().await?;
    let bar = context.streams.watched();
    let shown = bar.clone();
    let import = import.on_progress(move |counts| {
        shown.set_message(match counts.lines {
            0 if counts.checked_bytes > 0 => format!("{} MB checked", counts.checked_bytes >> 20),
            lines => format!("{lines} lines"),
        });
    });
    let report = import.send(&db).await?;
    bar.finish_and_clear();
    for failed in report.errors() {
        let file = failed
            .file()
            .map_or_else(String::new, |file| format!("{file}, "));
        let reason = told(failed.error());
        context.note(&format!("{file}line {}: {reason}", failed.number()))?;
    }
    let counts = report.counts();
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
        Some(error) => Err(Failure::said(explained(error))),
        None if counts.existing + counts.failed > 0 => {
            Err(Failure::said("some lines were not stored"))
        }
        None => Ok(report.complete().map(|_| Exit::Done)?),
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
    Ok(match is_compressed {
        true => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        false => file,
    })
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::said(format!("{}: {error}", path.display()))
}

fn is_folder(matches: &ArgMatches) -> bool {
    format_name(matches) == "aws"
}

fn is_compressed(matches: &ArgMatches, path: Option<&Path>) -> bool {
    let has_ending = path
        .and_then(Path::extension)
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    matches.get_flag("gzip") || has_ending
}

/// The columns, if the format is CSV.
fn csv(context: &Context<'_, '_>, matches: &ArgMatches) -> Result<Option<Csv>, Failure> {
    let columns = matches.get_many::<String>("columns");
    if format_name(matches) != "csv" {
        return match columns.is_some() || matches.get_flag("escape-formulas") {
            true => Err(Failure::said("only CSV has columns: pass `--format csv`")),
            false => Ok(None),
        };
    }
    if table(context, matches)?.is_some() {
        let message = "CSV has the columns of one entity: name it instead of the table";
        return Err(Failure::said(message));
    }
    let found = context.model.entity(entity(matches))?;
    let mut csv = Csv::of_entity(found.schema, &found.entity.name);
    if let Some(columns) = columns {
        let columns = columns.map(|column| {
            let (attribute, name) = column.split_once('=').unwrap_or((column, column));
            CsvColumn::from((attribute, name))
        });
        csv = csv.columns(columns);
    }
    Ok(Some(match matches.get_flag("escape-formulas") {
        true => csv.escape_formulas(),
        false => csv,
    }))
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

fn format_name(matches: &ArgMatches) -> &str {
    matches
        .get_one::<String>("format")
        .map_or("", String::as_str)
}

fn format(matches: &ArgMatches) -> RowFormat {
    match format_name(matches) {
        "dynamodb" => RowFormat::DynamoJson,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(is_finished: bool) -> io::Result<String> {
        let mut bytes = Vec::new();
        let mut receiver = Receiver::new(Box::new(&mut bytes), true);
        receiver.write_all(b"one\n")?;
        receiver.flush()?;
        if is_finished {
            receiver.finish()?;
        } else {
            drop(receiver);
        }
        let mut text = String::new();
        MultiGzDecoder::new(&*bytes).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn compressed_lines_that_were_stopped_have_no_end() {
        assert_eq!(written(true).unwrap(), "one\n");
        let error = written(false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
