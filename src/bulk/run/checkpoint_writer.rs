//! The checkpoint of a job that runs.

use std::time::Instant;

use crate::bulk::checkpoint::state::{JobIdentity, JobState, refused};
use crate::bulk::job::{JobWork, Keeping, Verb};
use crate::bulk::ledger::CompletedPrefix;
use crate::bulk::mark::JobMark;
use crate::bulk::stray::StrayAttempt;
use crate::bulk::{BulkReport, CheckpointError};
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::query::{Cursor, Places, RowSpot};

const LONGEST_NAME: usize = 64;

/// The checkpoint of a job, and what was saved last.
pub(super) struct CheckpointWriter<'j> {
    keeping: OwnCheckpoint<'j>,
    job: JobIdentity,
    state: JobState,
    saved: Instant,
}

/// A checkpoint that this job has loaded, and that it releases however it ends. One that it has not loaded may be
/// another job's.
struct OwnCheckpoint<'j>(Keeping<'j>);

impl Drop for OwnCheckpoint<'_> {
    fn drop(&mut self) {
        self.0.store.release();
    }
}

fn is_refill(work: &JobWork<'_>) -> bool {
    matches!(work, JobWork::Rows(_, Verb::Refill(..)))
}

impl<'j> CheckpointWriter<'j> {
    /// Loads what earlier runs have done; the work goes on behind it. Rejects the checkpoint of another job.
    pub(super) async fn load(
        keeping: Keeping<'j>,
        work: &mut JobWork<'_>,
        db: &Dynamo,
    ) -> Result<Self> {
        let job = job(&keeping.name, work, db)?;
        let loaded = keeping.store.load().await.map_err(unkept)?;
        // This follows the load: if that fails, the checkpoint may belong to another job, and must not be released.
        let keeping = OwnCheckpoint(keeping);
        let state = match loaded {
            Some(bytes) => JobState::decode(&bytes, &job)?,
            None => JobState::new()?,
        };
        // Programs of an older declaration may have written rows since, so a finished refill starts again.
        let state = match is_refill(work) && state.is_finished {
            true => JobState::new()?,
            false => state,
        };
        if let JobWork::Rows(target, _) = work {
            // The limit of the query counts rows over all runs.
            target.leave_out(state.passed);
            if let Some(text) = &state.position {
                target.resume_at(text.parse()?);
            }
        }
        Ok(CheckpointWriter {
            keeping,
            job,
            state,
            saved: Instant::now(),
        })
    }

    pub(super) fn mark(&self) -> JobMark {
        JobMark::new(&self.job.name, &self.state.run)
    }

    /// The mark of a touch, which is the same in each process of a run.
    pub(super) fn touch_mark(&self) -> JobMark {
        JobMark::of_touch(&self.state.run)
    }

    /// Whether all is done.
    pub(super) fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// Whether all rows were met; some may have failed.
    pub(super) fn is_at_end(&self) -> bool {
        self.state.is_finished
    }

    pub(super) fn rows(&self) -> u64 {
        self.state.passed
    }

    /// The statement by which completed writes are recognized.
    pub(super) fn identity(&self) -> u64 {
        self.state.identity
    }

    pub(super) fn failed(&self) -> Vec<String> {
        self.state.failed.clone()
    }

    /// The attempts of earlier runs that may still take effect.
    pub(super) fn strays(&self) -> Vec<(u64, StrayAttempt)> {
        self.state.strays.clone()
    }

    /// The state from which the ledger resumes.
    pub(super) fn passed(&self) -> CompletedPrefix {
        CompletedPrefix {
            spot: RowSpot::default(),
            rows: self.state.passed,
            counts: self.state.counts,
            identity: self.state.identity,
            failed: self.state.failed.clone(),
        }
    }

    /// The cursor that was saved last.
    pub(super) fn position(&self) -> Option<Cursor> {
        self.state.position.as_ref()?.parse().ok()
    }

    /// The report of a job that was finished before.
    pub(super) fn report(&self) -> BulkReport {
        BulkReport {
            counts: self.state.counts,
            errors: Vec::new(),
            stopped: None,
            in_doubt: Vec::new(),
            position: self.position(),
            was_finished: true,
        }
    }

    /// Whether it is time to save.
    pub(super) fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.keeping.0.every
    }

    pub(super) async fn save(
        &mut self,
        passed: &CompletedPrefix,
        places: Option<&Places>,
        strays: Vec<(u64, StrayAttempt)>,
        is_finished: bool,
    ) -> Result<()> {
        if let Some(position) = places.and_then(|places| places.cursor_at(&passed.spot)) {
            self.state.position = Some(position.to_string());
        }
        self.state.passed = passed.rows;
        self.state.counts = passed.counts;
        self.state.identity = passed.identity;
        self.state.failed.clone_from(&passed.failed);
        self.state.strays = strays;
        self.state.is_finished |= is_finished;
        let bytes = self.state.encode(&self.job)?;
        self.keeping.0.store.save(bytes).await.map_err(unkept)?;
        self.saved = Instant::now();
        Ok(())
    }
}

/// The identity of the job across its runs.
fn job(name: &str, work: &JobWork<'_>, db: &Dynamo) -> Result<JobIdentity> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
        return Err(refused(
            "the name of a job has 1 to 64 letters, digits, `-`, `_` or `.`",
        ));
    }
    let (verb, binding) = match work {
        JobWork::Writes(_) => ("put", 0),
        JobWork::Rows(target, verb) => (verb.name(), target.row_places(db).query_binding()),
    };
    Ok(JobIdentity {
        name: name.to_owned(),
        verb,
        binding,
    })
}

fn unkept(error: CheckpointError) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => *own,
        Err(error) => refused(format!("the checkpoint cannot be kept: {error}")).with_source(error),
    }
}
