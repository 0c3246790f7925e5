//! `import`: the lines of a file, each stored as an item. The settings; `run` does the work.

use std::fmt;
use std::io::Read;

use super::csv::Csv;
#[cfg(feature = "gzip")]
use super::folder::ExportFolder;
use super::format::RowFormat;
use super::report::ImportCounts;
use super::source::ImportSource;
use super::target::{EntityTarget, ImportMode, ImportTarget, TableItems};
use crate::bulk::Checkpoint;
use crate::entity::DynamoEntity;
use crate::error::Result;
use crate::retry::RetryBudget;
use crate::schema::TableSchema;

/// How many writes are under way at once by default.
const CONCURRENCY: usize = 8;

/// How many lines may fail by default.
const FAILURES: usize = 1000;

/// The lines of a file, each of which is stored as an item: of an entity by
/// [`Order::import`](crate::EntityExt::import), or as it is by [`TableSchema::import`].
///
/// | | default | |
/// |---|---|---|
/// | format | plain JSON | [`format`](Self::format) |
/// | keys, and values derived from fields | built from the fields | [`as_is`](Self::as_is): as in the file |
/// | managed fields | as in the file | |
/// | an item with the same key exists | the line fails | [`replace`](Self::replace) |
/// | attributes without a field | the line fails | [`drop_unknown`](Self::drop_unknown) |
///
/// Unique values are taken, by a transaction for each item, as every put does. Versions, times and authors are those of
/// the file, so that a table which is exported and imported is the same: import into tables that no program uses, or
/// rows that none has read.
///
/// A line that cannot be stored is reported with its number and the reason, and the others are stored. An empty line is
/// skipped, lines may end in `\r\n`, and a line has at most 16 MB. Lines are read in portions of 500 lines or 4 MB, so
/// memory does not grow with the file.
///
/// A line whose item is stored already, with the same attributes, is `unchanged` and no failure. Therefore an import can
/// be run again after any crash, from the start or from its [`checkpoint`](Self::checkpoint), and stores each item once.
///
/// The reader is any [`Read`]: a file, a decompressor, a `&[u8]`. It is called on the thread that polls the future, so it
/// needs no runtime, and a slow reader delays other tasks of that thread. If you drop the future before it is done, some
/// of the writes may be done.
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Import<'i> {
    pub(super) source: ImportSource<'i>,
    pub(super) target: Box<dyn ImportTarget>,
    pub(super) mode: ImportMode,
    pub(super) format: Option<RowFormat>,
    pub(super) csv: Option<Csv>,
    pub(super) concurrency: usize,
    pub(super) rate: Option<u32>,
    pub(super) budget: RetryBudget,
    pub(super) failures: usize,
    pub(super) allows_missing_rows: bool,
    pub(super) progress: Option<OnImportProgress<'i>>,
    pub(super) checkpoint: Option<Box<dyn Checkpoint + 'i>>,
}

pub(super) type OnImportProgress<'i> = Box<dyn FnMut(&ImportCounts) + Send + 'i>;

impl<'i> Import<'i> {
    pub(crate) fn of_entity<E: DynamoEntity>(reader: impl Read + Send + 'i) -> Self {
        let source = ImportSource::of_reader(reader);
        Import::into_target(Box::new(EntityTarget::<E>::new()), source)
    }

    #[cfg(feature = "gzip")]
    pub(crate) fn of_entity_from<E: DynamoEntity>(folder: ExportFolder) -> Self {
        let target = Box::new(EntityTarget::<E>::new());
        Import::into_target(target, ImportSource::of_folder(folder))
    }

    fn into_target(target: Box<dyn ImportTarget>, source: ImportSource<'i>) -> Self {
        Import {
            source,
            target,
            mode: ImportMode::default(),
            format: None,
            csv: None,
            concurrency: CONCURRENCY,
            rate: None,
            budget: RetryBudget::default(),
            failures: FAILURES,
            allows_missing_rows: false,
            progress: None,
            checkpoint: None,
        }
    }

    /// Sets the format of the lines; plain JSON by default.
    pub fn format(mut self, format: RowFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Reads comma-separated values with these columns, by the types of the entity. The first line names the columns, in
    /// any order. A column that is missing there, or is not declared, is an error before the first item is stored.
    ///
    /// The keys of the table and of indexes are built from the fields.
    pub fn csv(mut self, columns: impl Into<Csv>) -> Self {
        self.csv = Some(columns.into());
        self.source = self.source.into_records();
        self
    }

    /// Stores the items of the lines with exactly the attributes in the file. Nothing is built from fields and nothing
    /// is maintained: the keys of indexes are those of the file, and no unique value is taken or released.
    pub fn as_is(mut self) -> Self {
        self.mode.is_as_is = true;
        self
    }

    /// Replaces items with the same keys, whatever they are. If several lines have a key, the last one wins.
    pub fn replace(mut self) -> Self {
        self.mode.replaces = true;
        self
    }

    /// Drops attributes for which the entity has no field. Without this, such a line fails, because a value would be
    /// lost.
    pub fn drop_unknown(mut self) -> Self {
        self.mode.drops_unknown = true;
        self
    }

    /// Sets the number of concurrent writes; 8 by default.
    pub fn concurrency(mut self, writes: usize) -> Self {
        self.concurrency = writes.max(1);
        self
    }

    /// Sets the maximum number of writes a second; at least one.
    pub fn rate(mut self, writes_per_second: u32) -> Self {
        self.rate = Some(writes_per_second);
        self
    }

    /// Sets how long the import waits if DynamoDB is too busy, in addition to the retries of the SDK client. If
    /// DynamoDB stays busy, the import stops.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the number of lines that may fail; 1000 by default. With more, the import stops after the portion, and
    /// [`stopped`](super::ImportReport::stopped) has the kind [`RowsFailed`](crate::error::ErrorKind::RowsFailed).
    pub fn max_failures(mut self, lines: usize) -> Self {
        self.failures = lines;
        self
    }

    /// Allows a folder whose export could not read some rows. Without this,
    /// [`complete`](super::ImportReport::complete) returns an error, although all rows of the folder are stored.
    pub fn allow_missing_rows(mut self) -> Self {
        self.allows_missing_rows = true;
        self
    }

    /// Calls this after each portion of lines, and after every 4 MB while the files of a folder are checked.
    pub fn on_progress(mut self, tell: impl FnMut(&ImportCounts) + Send + 'i) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }

    /// Saves the position in the file after each portion of lines, for example in a
    /// [`FileCheckpoint`](crate::bulk::FileCheckpoint). The next run with the same file, target and settings continues
    /// there; another file is an error of kind [`Checkpoint`](crate::error::ErrorKind::Checkpoint). Items are not
    /// marked. An import that was completed does nothing when you run it again.
    pub fn checkpoint(mut self, store: impl Checkpoint + 'i) -> Self {
        self.checkpoint = Some(Box::new(store));
        self
    }
}

impl TableSchema {
    /// Stores each line of a file as an item of this table, [as it is](Import::as_is): of any entity, with its keys, and
    /// the items that keep unique values. It is the reverse of
    /// [`scan_items().export(..)`](TableSchema::scan_items).
    ///
    /// A schema that was read from JSON or described by DynamoDB is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config).
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "users", key(pk = "USER#{id}"), unique(by_email, email))]
    /// # struct User { id: u32, email: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # let other = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([User::schema()]).await?;
    /// # other.create_tables([User::schema()]).await?;
    /// # User { id: 1, email: "ann@example.com".into() }.create().send(&db).await?;
    /// let mut file = Vec::new();
    /// User::schema().scan_items()?.export(&mut file).send(&db).await?.complete()?;
    /// let report = User::schema().import(&file[..])?.send(&other).await?.complete()?;
    /// assert_eq!(report.written, 2); // the user, and the item that keeps the address unique
    /// # Ok(()) }
    /// ```
    pub fn import<'i>(&self, reader: impl Read + Send + 'i) -> Result<Import<'i>> {
        let target = TableItems::of_schema(self)?;
        let source = ImportSource::of_reader(reader);
        Ok(Import::into_target(Box::new(target), source).as_is())
    }

    /// Stores each item of a full export of DynamoDB to S3 as it is, as [`import`](Self::import) does for lines. See
    /// [`EntityExt::import_from`](crate::EntityExt::import_from) for the errors of a damaged folder.
    #[cfg(feature = "gzip")]
    pub fn import_from(&self, folder: ExportFolder) -> Result<Import<'static>> {
        let target = Box::new(TableItems::of_schema(self)?);
        Ok(Import::into_target(target, ImportSource::of_folder(folder)).as_is())
    }
}

impl fmt::Debug for Import<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Import({})", self.target.target_name())
    }
}
