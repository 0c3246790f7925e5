//! `export`: the rows of a query, each as a line.

use std::any::Any;
use std::fmt;
use std::io::Write;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::csv::Csv;
use super::csv::layout::CsvLayout;
#[cfg(feature = "gzip")]
use super::folder::NewExport;
use super::format::RowFormat;
use super::sink::{ExportSink, ExportTask, SavedExport, WriterSink};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoCollection, DynamoEntity};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::Steps;
use crate::query::{Cursor, JobRows, OfCollection, OfEntity, Query, QueryExt, RowStream};
use crate::read::{ProgressWatch, RawRow, ReadProgress, ReadRow};

/// The bytes of lines that are written at once.
const PORTION: usize = 256 << 10;

/// How many rows that failed are kept for the report.
const MOST_ERRORS: usize = 1000;

/// The kind of rows that are items.
#[derive(Debug)]
pub struct OfItem(());

/// Rows that can be exported: whole entities, those of a collection, and items.
#[diagnostic::on_unimplemented(
    message = "the rows of this query are `{Self}`, and no whole items",
    label = "a file needs all attributes",
    note = "if an index gives keys or a projection, write `.hydrate()` before",
    note = "`lenient()` and `select()` are not for exports: a row that cannot be read is reported, and the others are written"
)]
pub trait ExportedRow<Kind>: Send + 'static {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> ExportedRow<OfEntity> for E {}

#[diagnostic::do_not_recommend]
impl<C: DynamoCollection> ExportedRow<OfCollection> for C {}

impl ExportedRow<OfItem> for Item {}

/// The export of the rows of a query.
pub trait ExportExt: QueryExt {
    /// Writes each row as a line of a file: a whole table by [`scan`](crate::EntityExt::scan), or any other query.
    ///
    /// Each line is the item as it is stored, with its keys, its version, and attributes that its entity does not
    /// know. Each row is decoded too: a row that the entity cannot read is reported and not written.
    /// [`scan_items`](crate::schema::TableSchema::scan_items) exports every item of a table, whatever it is.
    ///
    /// The writer is any [`Write`]: a file, a compressor, a `&mut Vec<u8>`. It is called on the thread that polls the
    /// future, in portions of 256 KB, so it needs no runtime, and a slow writer delays other tasks of that thread.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "notes", key(pk = id))]
    /// struct Note { id: u32, text: String, #[dynamo(version)] version: Version }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # let other = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # other.create_tables([Note::schema()]).await?;
    /// Note { id: 1, text: "buy milk".into(), version: Version::default() }.create().send(&db).await?;
    /// let mut file = Vec::new();
    /// let report = Note::scan().export(&mut file).send(&db).await?.complete()?;
    /// assert_eq!(report.rows, 1);
    /// assert_eq!(file, b"{\"id\":1,\"text\":\"buy milk\",\"version\":1}\n");
    ///
    /// let report = Note::import(&file[..]).send(&other).await?.complete()?;
    /// assert_eq!(report.written, 1);
    /// assert_eq!(Note::scan().all(&other).await?, Note::scan().all(&db).await?);
    /// # Ok(()) }
    /// ```
    fn export<'w, Kind>(self, writer: impl Write + Send + 'w) -> Export<'w>
    where
        Self::Row: ExportedRow<Kind>,
    {
        Export::new(self.query(), Box::new(WriterSink(writer)))
    }

    /// Writes the rows into a folder, in the layout of DynamoDB's full exports to S3: compressed data files, and manifests
    /// with checksums. [`import_from`](crate::EntityExt::import_from) and other tools for such exports read it.
    ///
    /// It is not a snapshot: each row is as it was when it was read.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// use dynamo_entity::transfer::ExportFolder; // feature `gzip`
    ///
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = "NOTE#{id}"))]
    /// # struct Note { id: u32, text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # let other = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # other.create_tables([Note::schema()]).await?;
    /// # Note { id: 1, text: "buy milk".into() }.create().send(&db).await?;
    /// # let prefix = std::env::temp_dir().join(format!("notes-{}", std::process::id()));
    /// let export = ExportFolder::create_or_resume(&prefix)?;
    /// let path = export.path().to_owned(); // PREFIX/AWSDynamoDB/01768385930622-efd1a093
    /// let report = Note::scan().export_to(export).send(&db).await?.complete()?;
    /// assert_eq!(report.rows, 1);
    ///
    /// let folder = ExportFolder::open(path)?;
    /// let report = Note::import_from(folder).send(&other).await?.complete()?;
    /// assert_eq!(report.written, 1);
    /// # let _ = std::fs::remove_dir_all(prefix);
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "gzip")]
    fn export_to<Kind>(self, folder: NewExport) -> Export<'static>
    where
        Self::Row: ExportedRow<Kind>,
    {
        Export::new(self.query(), Box::new(folder.into_sink())).in_folder()
    }
}

impl<Q: QueryExt> ExportExt for Q {}

/// An export before it runs; see [`export`](ExportExt::export).
///
/// # Continuing after a crash
///
/// [`on_progress`](Export::on_progress) is called after each portion, when the writer has it, with the number of bytes
/// and the position. A program that saves both can cut the file to those bytes and continue with
/// [`resume`](QueryExt::resume). An export that DynamoDB interrupts reports both too.
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Export<'w> {
    query: Query<Result<Vec<u8>>>,
    entity: &'static str,
    /// Whether the rows have all attributes.
    is_whole: bool,
    sink: Box<dyn ExportSink + 'w>,
    format: Option<RowFormat>,
    csv: Option<Csv>,
    /// Whether the rows go into a folder, which has one format.
    is_folder: bool,
    progress: Option<OnExportProgress<'w>>,
}

type OnExportProgress<'w> = Box<dyn FnMut(&ExportProgress<'_>) + Send + 'w>;

/// The progress of an export; see [`Export::on_progress`].
#[derive(Debug)]
#[non_exhaustive]
pub struct ExportProgress<'p> {
    /// The rows that the writer has.
    pub rows: u64,
    /// The bytes that the writer has.
    pub bytes: u64,
    /// The position after these rows.
    pub position: Option<&'p Cursor>,
}

/// The results of the rows of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExportCounts {
    /// The rows that were written.
    pub rows: u64,
    /// The bytes that were written.
    pub bytes: u64,
    /// The items that were read and are not rows of the query: of other entities, expired, or dropped by a filter. An
    /// item that stores a unique value is one of them. Earlier runs of an export into a folder are not included.
    pub left_out: u64,
    /// The rows that were not written, because they cannot be read.
    pub failed: u64,
}

/// The result of an export. Its counts are fields: `report.rows`.
#[derive(Debug, Default)]
#[must_use = "rows may have failed: look at it, or write `.complete()?`"]
pub struct ExportReport {
    counts: ExportCounts,
    errors: Vec<Error>,
    stopped: Option<Error>,
    position: Option<Cursor>,
}

impl ExportReport {
    /// The counts, which are fields of the report too.
    pub fn counts(&self) -> ExportCounts {
        self.counts
    }

    /// The reasons why rows were not written, for the first 1000 of them.
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// The reason why the export ended early, if it did.
    pub fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// The position after the written rows. An export that was stopped continues there with
    /// [`resume`](QueryExt::resume).
    pub fn position(&self) -> Option<&Cursor> {
        self.position.as_ref()
    }

    /// Returns the counts, or an error if the export was stopped or a row could not be read. The error has the kind of
    /// the error that stopped the export, or of the first row that failed.
    pub fn complete(self) -> Result<ExportCounts> {
        let counts = self.counts;
        let first = self.errors.into_iter().next();
        match (self.stopped, first) {
            (Some(error), _) => Err(error.within(|reason| {
                format!(
                    "the export was stopped after {} rows: {reason}",
                    counts.rows
                )
            })),
            (None, Some(error)) => Err(error.within(|reason| {
                let failed = counts.failed;
                format!("{failed} rows were not exported, the first of them: {reason}")
            })),
            // An earlier run of an export into a folder has reported them.
            (None, None) if counts.failed > 0 => {
                let failed = counts.failed;
                let message = format!(
                    "{failed} rows were not exported by an earlier run, which reported why"
                );
                Err(Error::new(ErrorKind::RowsFailed, Stage::Request, message))
            }
            (None, None) => Ok(counts),
        }
    }

    /// The progress at the position of the report.
    fn saved_export(&self) -> SavedExport {
        SavedExport {
            rows: self.counts.rows,
            bytes: self.counts.bytes,
            failed: self.counts.failed,
            position: self.position.as_ref().map(Cursor::to_string),
        }
    }

    fn add_failure(&mut self, error: Error) {
        self.counts.failed += 1;
        // Each error holds its message, and an export may have as many as rows. The count goes on.
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
    }
}

impl Deref for ExportReport {
    type Target = ExportCounts;

    fn deref(&self) -> &ExportCounts {
        &self.counts
    }
}

impl<'w> Export<'w> {
    fn new<Row: Send + 'static, From>(
        query: Query<Row, From>,
        sink: Box<dyn ExportSink + 'w>,
    ) -> Self {
        let is_whole = is_whole_query(&query);
        let Query {
            selection, read, ..
        } = query;
        Export {
            entity: selection.entity_name(),
            is_whole,
            query: Query::of_selection(selection, bytes_of(read)),
            sink,
            format: None,
            csv: None,
            is_folder: false,
            progress: None,
        }
    }

    /// Sets the format of the lines; plain JSON by default.
    pub fn format(mut self, format: RowFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Writes comma-separated values, with these columns. The first line names the columns, unless the query
    /// [resumes](QueryExt::resume) at a position. The rows must be of the entity of the columns.
    pub fn csv(mut self, columns: impl Into<Csv>) -> Self {
        self.csv = Some(columns.into());
        self
    }

    #[cfg(feature = "gzip")]
    fn in_folder(mut self) -> Self {
        self.is_folder = true;
        self
    }

    /// Calls this after each portion of 256 KB and after the last one, when the writer is flushed.
    pub fn on_progress(mut self, tell: impl FnMut(&ExportProgress<'_>) + Send + 'w) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }

    /// Runs the export. An error means that the export did not begin; all later errors are in the report.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<ExportReport>>
    where
        'w: 'd,
    {
        Steps(Box::pin(self.run_export(db)))
    }

    async fn run_export(mut self, db: &Dynamo) -> Result<ExportReport> {
        // An item without some of its attributes would look complete in the file, and an import
        // would store it like that.
        if !self.is_whole {
            let message = "an index or a projection does not have all attributes: export by `scan()` or with `hydrate()`";
            return Err(Error::config(message).of(self.entity));
        }
        // A scan of every item has an entity too, the first one of the table.
        let rows = match self.query.selection.options.every_item {
            true => "all items",
            false => self.entity,
        };
        let csv = self.csv.as_ref().map(|csv| csv.layout_for(rows));
        let csv = csv.transpose()?;
        let format = self.format.unwrap_or(match self.is_folder {
            true => RowFormat::DynamoJson,
            false => RowFormat::Json,
        });
        if self.is_folder && (csv.is_some() || format != RowFormat::DynamoJson) {
            let message =
                "the lines of a folder are DynamoDB JSON: remove `.format(..)` and `.csv(..)`";
            return Err(Error::config(message).of(self.entity));
        }
        if csv.is_some() && self.format.is_some() {
            let message = "CSV is a format of its own: remove `.format(..)` or `.csv(..)`";
            return Err(Error::config(message).of(self.entity));
        }
        let table = self.query.selection.query_source().table.name;
        let is_one_entity = {
            let selection = &self.query.selection;
            !selection.options.every_item && selection.query_source().members.is_none()
        };
        let saved = self.sink.begin(&ExportTask {
            rows,
            is_one_entity,
            table: db.table_name(table).to_string(),
            query: JobRows::of_query(self.query.clone())
                .row_places(db)
                .query_binding(),
        })?;
        let (left_out, mut query) = counting_others(self.query.clone());
        if let Some(position) = &saved.position {
            query = query.resume(position.parse::<Cursor>()?);
        }
        // The limit is that of the whole export, and an earlier run has read some of the rows.
        let read_before = usize::try_from(saved.rows + saved.failed).unwrap_or(usize::MAX);
        query = query.with_options(|options| {
            options.limit = options.limit.map(|limit| limit.saturating_sub(read_before));
        });
        let mut report = ExportReport {
            // If it is stopped before the first portion, the position is still where this export
            // began.
            position: query.selection.options.resume.clone(),
            counts: ExportCounts {
                rows: saved.rows,
                bytes: saved.bytes,
                failed: saved.failed,
                left_out: 0,
            },
            ..ExportReport::default()
        };
        let is_begin = query.selection.options.resume.is_none();
        let lines = RowLines {
            csv: csv.as_deref(),
            format,
            is_begin,
        };
        let mut stream = query.stream(db);
        let written = self.write_rows(lines, &mut stream, &mut report).await;
        report.stopped = match written {
            Ok(()) => self.sink.finish(&report.saved_export()).err(),
            Err(error) => {
                // If this fails too, the export continues after an earlier place. The first error is the cause.
                let _ = self.sink.suspend(&report.saved_export());
                Some(error)
            }
        };
        report.counts.left_out = left_out.load(Ordering::Relaxed);
        Ok(report)
    }

    async fn write_rows(
        &mut self,
        lines: RowLines<'_>,
        stream: &mut RowStream<Result<Vec<u8>>>,
        report: &mut ExportReport,
    ) -> Result<()> {
        let (mut portion, mut is_read) = (PendingLines::default(), false);
        if let Some(csv) = lines.csv.filter(|_| lines.is_begin) {
            csv.write_header(&mut portion.lines);
        }
        while let Some(row) = stream.next().await {
            let row = match row {
                Ok(row) => row,
                Err(error) => {
                    // Rows that were read before the error are written first, and the position is then after them. Without a
                    // row, the position stays as it was given: the error may be that it belongs to another query.
                    if is_read {
                        self.write_portion(&mut portion, stream, report)?;
                    }
                    return Err(error);
                }
            };
            is_read = true;
            let begin = portion.lines.len();
            let line = row.and_then(|item| {
                let line = match lines.csv {
                    Some(csv) => csv.write_line(&item, &mut portion.lines),
                    None => lines.format.write_line(&item, &mut portion.lines),
                };
                line.map_err(|fault| Error::decode(self.entity, fault))
            });
            match line {
                Ok(()) => portion.rows += 1,
                Err(error) => {
                    // A part of the line may be written.
                    portion.lines.truncate(begin);
                    report.add_failure(error);
                }
            }
            if portion.lines.len() >= PORTION {
                self.write_portion(&mut portion, stream, report)?;
            }
        }
        self.write_portion(&mut portion, stream, report)
    }

    /// Gives the lines to the writer.
    fn write_portion(
        &mut self,
        portion: &mut PendingLines,
        stream: &RowStream<Result<Vec<u8>>>,
        report: &mut ExportReport,
    ) -> Result<()> {
        self.sink.write_lines(&portion.lines, portion.rows)?;
        report.counts.rows += portion.rows;
        report.counts.bytes += portion.lines.len() as u64;
        if let Some(position) = stream.cursor()? {
            report.position = Some(position);
            self.sink.keep_place(&report.saved_export())?;
        }
        *portion = PendingLines::default();
        if let Some(tell) = &mut self.progress {
            tell(&ExportProgress {
                rows: report.rows,
                bytes: report.bytes,
                position: report.position.as_ref(),
            });
        }
        Ok(())
    }
}

/// The form of the lines.
#[derive(Clone, Copy)]
struct RowLines<'l> {
    csv: Option<&'l CsvLayout>,
    format: RowFormat,
    /// Whether the file begins with these rows.
    is_begin: bool,
}

/// Lines that the writer does not have yet.
#[derive(Default)]
struct PendingLines {
    lines: Vec<u8>,
    rows: u64,
}

/// Reads rows as bytes, after they were read as their type: its error is that of the row.
fn bytes_of<Row: 'static>(read: ReadRow<Row>) -> ReadRow<Result<Vec<u8>>> {
    let read = ReadRow::with_reader(
        |row: &RawRow, strict| match strict.and_then(<dyn Any + Send + Sync>::downcast_ref) {
            Some(strict) => {
                let strict: &ReadRow<Row> = strict;
                // Each row is decoded as by the query, to report what a program could not read.
                // Its bytes are written, with attributes that the struct does not have.
                strict.read_row(row)?;
                Ok(row.row_json().to_vec())
            }
            None => Err(Error::config("rows are exported as they are read")),
        },
        Some(Arc::new(read)),
    );
    read.into_lenient()
}

/// Whether the rows of a query have all attributes.
pub(super) fn is_whole_query<Row, From>(query: &Query<Row, From>) -> bool {
    let selection = &query.selection;
    let options = &selection.options;
    // With `hydrate()` the rows are read from the table once more, so what the index holds does not
    // matter.
    match &options.hydration {
        Some(items) => items.attributes.is_none(),
        None => options.projection.is_none() && selection.query_source().is_whole(),
    }
}

/// Counts the items that are read and are no rows. The listener of the query is still called.
pub(super) fn counting_others<Row>(query: Query<Row>) -> (Arc<AtomicU64>, Query<Row>) {
    let left_out = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&left_out);
    let before = query.selection.options.watch.clone();
    let watch = ProgressWatch::new(move |progress: &ReadProgress| {
        count.store(
            // Rows of other types and expired ones are skipped by the query without an error, so
            // this difference is all that is left of them.
            progress.scanned.saturating_sub(progress.rows),
            Ordering::Relaxed,
        );
        if let Some(before) = &before {
            before.tell_progress(progress);
        }
    });
    (
        left_out,
        query.with_options(|options| options.watch = Some(watch)),
    )
}

/// Names the entity.
impl fmt::Debug for Export<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Export({})", self.entity)
    }
}

crate::awaited::unsent!([] Export<'_> => ExportReport);
