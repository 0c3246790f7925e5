//! An import that runs: it reads a portion of lines, stores their items by a job, and saves its place.

use super::import::Import;
use super::place::{self, ImportState, import_binding, refused_import};
use super::report::{FailedLine, ImportReport, LinePlace};
use super::source::{LineForm, SourceLine};
use super::target::{ImportMode, ImportedItem};
use crate::bulk::{Checkpoint, SingleWrite, put_each};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::Steps;

/// The maximum size of a portion.
const MOST_LINES: usize = 500;
const MOST_BYTES: u64 = 4 << 20;

/// How often the write of a line is sent whose outcome is not known. A write of the same item is harmless, and the
/// stored item shows whether one of them took effect.
const ATTEMPTS: usize = 4;

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
        let message = "CSV has the fields of an entity, and keys are built from them: import without `.as_is()`";
        return Err(Error::config(message));
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
    /// The item after the write.
    stored: Item,
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
    lines: Vec<ImportedLine>,
    writes: Vec<Box<dyn SingleWrite>>,
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
        if let Some(store) = self.store
            && let Some(state) = place::load_state(store, &self.binding).await?
        {
            // A second run of a finished import must not read a file that may be gone.
            self.state = state;
            if self.state.is_finished {
                return Ok(self.into_report(None, true));
            }
            self.prepare().await?;
            self.skip_lines().await?;
        } else {
            self.prepare().await?;
        }
        let stopped = self.run_portions().await.err();
        // Lines of one portion fail at different attempts.
        self.errors
            .sort_by(|one, other| one.place.cmp(&other.place));
        Ok(self.into_report(stopped, false))
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
                let message = format!(
                    "{} lines failed, more than `max_failures`: see the errors of the report, or let more fail",
                    self.errors.len()
                );
                return Err(Error::new(ErrorKind::RowsFailed, Stage::Request, message));
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
                    portion.writes.push(write);
                    portion.lines.push(ImportedLine {
                        place,
                        item,
                        stored,
                    });
                }
                Ok(LineRead::Other) => {
                    self.state.counts.lines += 1;
                    self.state.counts.left_out += 1;
                }
                Err(error) => self.add_failure(place, error),
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
        let imported = target.imported_item(item.clone(), self.import.mode)?;
        Ok(LineRead::Own(item, imported))
    }

    fn add_failure(&mut self, place: LinePlace, error: Error) {
        self.state.counts.lines += 1;
        match error.kind() {
            ErrorKind::AlreadyExists => self.state.counts.existing += 1,
            _ => self.state.counts.failed += 1,
        }
        self.errors.push(FailedLine { place, error });
    }

    /// Stores the items of a portion. If the job stops, what it did is not counted: the next run finds these lines again.
    async fn store_portion(&mut self, portion: Portion) -> Result<()> {
        let Portion {
            mut lines, writes, ..
        } = portion;
        // A write is used up by its request, so each further attempt builds new ones from the
        // lines.
        let mut writes = Some(writes);
        for attempt in 1..=ATTEMPTS {
            if lines.is_empty() {
                return Ok(());
            }
            let writes = match writes.take() {
                Some(writes) => writes,
                None => self.writes_again(&lines)?,
            };
            let is_last = attempt == ATTEMPTS;
            lines = self.store_once(lines, writes, is_last).await?;
        }
        Ok(())
    }

    fn writes_again(&self, lines: &[ImportedLine]) -> Result<Vec<Box<dyn SingleWrite>>> {
        let (target, mode): (_, ImportMode) = (&self.import.target, self.import.mode);
        let again = lines
            .iter()
            .map(|line| target.imported_item(line.item.clone(), mode));
        again.map(|item| Ok(item?.write)).collect()
    }

    /// Returns the lines whose outcome is not known, unless this is the last attempt.
    async fn store_once(
        &mut self,
        lines: Vec<ImportedLine>,
        writes: Vec<Box<dyn SingleWrite>>,
        is_last: bool,
    ) -> Result<Vec<ImportedLine>> {
        let mut job = put_each(writes)
            .concurrency(self.import.concurrency)
            .budget(self.import.budget)
            // The limit of the import counts lines over all portions, so the job must not stop on
            // its own.
            .max_failures(usize::MAX);
        if let Some(rate) = self.import.rate {
            job = job.rate(rate);
        }
        let report = job.send(self.db).await?;
        if let Some(error) = report.stopped() {
            return Err(error.again());
        }
        let mut errors: Vec<Option<Error>> = lines.iter().map(|_| None).collect();
        for failed in report.errors() {
            if let Some(slot) = failed.index().and_then(|index| errors.get_mut(index)) {
                *slot = Some(failed.error().again());
            }
        }
        let mut unknown = Vec::new();
        for (line, error) in lines.into_iter().zip(errors) {
            match error {
                None => {
                    self.state.counts.lines += 1;
                    self.state.counts.written += 1;
                }
                // Checked before anything else: an attempt with an unknown outcome, or a run that
                // crashed, may have stored this very item.
                Some(error) if is_stored(&line, &error) => {
                    self.state.counts.lines += 1;
                    self.state.counts.unchanged += 1;
                }
                Some(error) if is_undecided(&error) && !is_last => unknown.push(line),
                Some(error) if error.is_lost_race() && !self.import.mode.replaces => {
                    let message = match error.current_bytes() {
                        Some(_) => {
                            "another item with this key is stored: leave it, or write `.replace()`"
                        }
                        None => {
                            "an item with this key is stored, and could not be read: allow reads, or write `.replace()`"
                        }
                    };
                    self.add_failure(
                        line.place,
                        error.with_kind(ErrorKind::AlreadyExists, message),
                    );
                }
                // The line may be good, and may be stored. The next run finds that out.
                Some(error) if error.is_outcome_unknown() => return Err(error.again()),
                Some(error) => self.add_failure(line.place, error),
            }
        }
        Ok(unknown)
    }
}

/// Whether another attempt may tell more: after a lost answer, or where the item that is in the way was not read. A
/// server may return no item with a failed condition, and the read that follows can fail.
fn is_undecided(error: &Error) -> bool {
    // Without the stored item it cannot be said whether it is the same one; another attempt may
    // return it.
    error.is_outcome_unknown() || error.is_lost_race() && error.current_bytes().is_none()
}

/// Whether the item that is in the way of a line is the same.
fn is_stored(line: &ImportedLine, error: &Error) -> bool {
    let current = error.current_bytes();
    let current = current.and_then(|current| Item::from_dynamo_json(&current).ok());
    current.is_some_and(|current| current == line.stored)
}

crate::awaited::unsent!([] Import<'_> => ImportReport);
