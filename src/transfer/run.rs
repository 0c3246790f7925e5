//! An import that runs: it reads a portion of lines, stores their items by a job, and saves its place.

use super::import::Import;
use super::place::{self, ImportState, import_binding, refused_import};
use super::portion::{ItemOutcome, PortionItem, PortionSettings, store_items};
use super::report::{FailedLine, ImportCounts, ImportReport, LinePlace};
use super::source::{LineForm, SourceLine};
use super::target::ImportedItem;
use crate::bulk::{Checkpoint, too_many_failed};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::plan::Steps;

/// The maximum size of a portion.
pub(super) const MOST_LINES: usize = 500;
pub(super) const MOST_BYTES: u64 = 4 << 20;

impl<'i> Import<'i> {
    /// Runs the import. An error means that the import did not begin; all later errors are in the report.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<ImportReport>>
    where
        'i: 'd,
    {
        Steps(Box::pin(run_import(self, db)))
    }
}

/// Runs an import to its end.
async fn run_import(mut import: Import<'_>, db: &Dynamo) -> Result<ImportReport> {
    import.target.check_mode(import.mode)?;
    if import.csv.is_some() && import.mode.is_as_is {
        let message = "CSV has the fields of an entity, and keys are built from them";
        return Err(Error::config(message).with_remedies([Remedy::NotAsIs]));
    }
    if import.csv.is_some() && import.format.is_some() {
        let message = "CSV is a format of its own: remove `.format(..)` or `.csv(..)`";
        return Err(Error::config(message));
    }
    let store = import.checkpoint.take();
    let Some(store) = store.as_deref() else {
        return Runner::new(import, db, None).run_to_end().await;
    };
    let report = Runner::new(import, db, Some(store)).run_to_end().await;
    // Only at the end, with or without an error, so that no second import uses the file meanwhile.
    store.release();
    report
}

struct Runner<'r, 'i> {
    import: Import<'i>,
    db: &'r Dynamo,
    store: Option<&'r (dyn Checkpoint + 'i)>,
    binding: String,
    form: LineForm,
    state: ImportState,
    errors: Vec<FailedLine>,
}

/// A line whose item is to be stored.
struct ImportedLine {
    place: LinePlace,
    /// The item in the file.
    item: Item,
}

/// A line that was read.
enum LineRead {
    Empty,
    Own(Item, ImportedItem),
    /// It is not of the entity, and the source has the items of a whole table.
    Other,
}

/// The lines of a portion, and the writes of their items.
#[derive(Default)]
struct Portion {
    items: Vec<PortionItem<ImportedLine>>,
    is_last: bool,
}

impl<'r, 'i> Runner<'r, 'i> {
    fn new(import: Import<'i>, db: &'r Dynamo, store: Option<&'r (dyn Checkpoint + 'i)>) -> Self {
        Runner {
            binding: import_binding(&import, db),
            form: LineForm::Rows(import.format.unwrap_or_default()),
            import,
            db,
            store,
            state: ImportState::default(),
            errors: Vec::new(),
        }
    }

    async fn run_to_end(mut self) -> Result<ImportReport> {
        let mut finished_lines = None;
        if let Some(store) = self.store
            && let Some(state) = place::load_state(store, &self.binding).await?
        {
            // The file of a finished import is read too: it may be another one, or have more lines.
            finished_lines = state.is_finished.then_some(state.counts.lines);
            self.state = state;
            self.prepare().await?;
            self.skip_lines().await?;
        } else {
            self.prepare().await?;
        }
        let stopped = self.run_portions().await.err();
        let was_finished = stopped.is_none() && finished_lines == Some(self.state.counts.lines);
        // Lines of one portion fail at different attempts.
        self.errors
            .sort_by(|one, other| one.place.cmp(&other.place));
        Ok(self.into_report(stopped, was_finished))
    }

    fn into_report(self, stopped: Option<Error>, was_finished: bool) -> ImportReport {
        let missing_rows = match self.import.allows_missing_rows {
            true => 0,
            false => self.import.source.missing_rows(),
        };
        ImportReport {
            counts: self.state.counts,
            errors: self.errors,
            target: self.import.target.target_name().to_owned(),
            missing_rows,
            stopped,
            was_finished,
        }
    }

    /// Skips the lines of earlier runs.
    async fn skip_lines(&mut self) -> Result<()> {
        let is_same = loop {
            match self.import.source.skip_toward(&self.state.place)? {
                Some(is_same) => break is_same,
                None => tokio::task::yield_now().await,
            }
        };
        match is_same {
            true => Ok(()),
            false => Err(refused_import(
                "the file is not the one that the checkpoint is of: its bytes before the saved place are others",
            )),
        }
    }

    async fn prepare(&mut self) -> Result<()> {
        let Import {
            source,
            format,
            csv,
            target,
            ..
        } = &mut self.import;
        self.form = source.prepare(*format, csv.as_ref(), target.target_name())?;
        // A folder may have many gigabytes, and reading them sends no request.
        while let Some(bytes) = self.import.source.check_part()? {
            self.state.counts.checked_bytes += bytes;
            self.tell_progress();
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    fn tell_progress(&mut self) {
        if let Some(tell) = &mut self.import.progress {
            tell(&self.state.counts);
        }
    }

    async fn run_portions(&mut self) -> Result<()> {
        loop {
            let portion = self.read_portion()?;
            let is_last = portion.is_last;
            self.store_portion(portion).await?;
            // The place moves when the whole portion is decided. A crash before that repeats the
            // portion, and its items are then found unchanged.
            self.state.place = self.import.source.file_place();
            self.state.is_finished = is_last;
            if let Some(store) = self.store {
                place::save_state(store, &self.state, &self.binding).await?;
            }
            self.tell_progress();
            // After the save, so that the failed lines are not read again by the next run.
            if self.errors.len() > self.import.failures {
                let first = self.errors.first();
                let first = first.map(|line| (line.place.to_string(), &line.error));
                return Err(too_many_failed("lines", self.errors.len(), first));
            }
            if is_last {
                return Ok(());
            }
            // A portion without items of the target sends no request.
            tokio::task::yield_now().await;
        }
    }

    /// The next lines. Those that cannot be read are reported.
    fn read_portion(&mut self) -> Result<Portion> {
        let (mut portion, mut bytes, mut count) = (Portion::default(), 0, 0);
        while bytes < MOST_BYTES && count < MOST_LINES {
            let begin = self.import.source.position();
            let Some(line) = self.import.source.next()? else {
                portion.is_last = true;
                break;
            };
            // Empty lines count too, so that a file of empty lines also comes to the save of its
            // place.
            count += 1;
            // Bad lines count as well, since each may have 16 MB. The next file of a folder begins at 0.
            bytes += self.import.source.position().saturating_sub(begin);
            let place = self.import.source.line_place();
            match self.read_line(line) {
                Ok(LineRead::Empty) => {}
                Ok(LineRead::Own(item, ImportedItem { write, stored })) => {
                    portion.items.push(PortionItem {
                        origin: ImportedLine { place, item },
                        stored,
                        write: Some(write),
                    });
                }
                Ok(LineRead::Other) => {
                    self.state.counts.lines += 1;
                    self.state.counts.left_out += 1;
                }
                Err(error) => add_failure(&mut self.state.counts, &mut self.errors, place, error),
            }
        }
        Ok(portion)
    }

    fn read_line(&self, line: SourceLine) -> Result<LineRead> {
        let Some(item) = self.form.read_item(line)? else {
            return Ok(LineRead::Empty);
        };
        let target = &self.import.target;
        if self.import.source.is_of_table() && !target.is_own(&item) {
            return Ok(LineRead::Other);
        }
        let imported = target.imported_item(item.clone(), self.import.mode);
        let imported = imported.map_err(|error| self.form.explain_item(&item, error))?;
        Ok(LineRead::Own(item, imported))
    }

    /// Stores the items of a portion. If the job stops, the next run finds the lines without an outcome again.
    async fn store_portion(&mut self, portion: Portion) -> Result<()> {
        let Runner {
            import,
            db,
            state,
            errors,
            ..
        } = self;
        let (target, mode) = (&import.target, import.mode);
        let settings = PortionSettings {
            concurrency: import.concurrency,
            rate: import.rate,
            budget: import.budget,
            replaces: mode.replaces,
            existing: target.remedy_for_existing(mode),
        };
        let rewrite = |line: &ImportedLine| {
            let item = target.imported_item(line.item.clone(), mode)?;
            Ok(item.write)
        };
        store_items(db, settings, portion.items, rewrite, |line, outcome| {
            match outcome {
                ItemOutcome::Written => state.counts.written += 1,
                ItemOutcome::Unchanged => state.counts.unchanged += 1,
                ItemOutcome::Failed(error) => {
                    add_failure(&mut state.counts, errors, line.place, error);
                    return;
                }
            }
            state.counts.lines += 1;
        })
        .await
    }
}

fn add_failure(
    counts: &mut ImportCounts,
    errors: &mut Vec<FailedLine>,
    place: LinePlace,
    error: Error,
) {
    counts.lines += 1;
    match error.kind() {
        ErrorKind::AlreadyExists => counts.existing += 1,
        _ => counts.failed += 1,
    }
    errors.push(FailedLine { place, error });
}

crate::awaited::unsent!([] Import<'_> => ImportReport);
