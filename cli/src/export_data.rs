//! `export-data`: the items of an entity or of a table as lines of a file or of a folder.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command};
use dynamo_entity::transfer::{Csv, Export, ExportFolder};
use dynamo_entity::{Error, ExportExt, QueryExt};
use flate2::Compression;
use flate2::write::GzEncoder;
use indicatif::ProgressBar;
use serde_json::json;

use crate::arguments::{flag, rate};
use crate::context::Context;
use crate::data::{csv, entity, format, is_compressed, is_folder, table, unusable, whole};
use crate::exit::Exit;
use crate::failure::{Failure, told};
use crate::model::Model;
use crate::text::visible_json_line;

/// The command.
pub(crate) fn export_command(model: &Model) -> Command {
    Command::new("export-data")
        .about("Writes all items of an entity, or of a table, as lines; reads the whole table")
        .args(whole(model, "All items of a table, whatever they are"))
        .arg(rate(
            "UNITS",
            "Reads at most this number of units per second",
        ))
        .args([
            Arg::new("out")
                .long("out")
                .value_name("PATH")
                .required_if_eq("format", "aws")
                .value_parser(NonEmptyStringValueParser::new())
                .help("The file to write instead of the standard output; with the format `aws`, the folder to write"),
            flag("resume", "Resumes an export into the folder that was stopped or killed"),
        ])
}

pub(crate) async fn run(
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
    let is_in_file = out.is_some();
    if context.json && is_in_file {
        let counts = report.counts();
        let line = json!({
            "rows": counts.rows,
            "failed": counts.failed,
            "left_out": counts.left_out,
            "stopped": report.stopped().map(told),
        });
        context.write(&visible_json_line(&line))?;
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

/// Whether the reader of the output has closed it.
fn is_unread(error: &Error) -> bool {
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use flate2::read::MultiGzDecoder;
    use std::io::Read;

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
