//! The limit of retries for work on many items while DynamoDB is too busy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::retry::Backoff;

/// The number and the time of the retries for items that DynamoDB omits.
///
/// A read that breaks off or gets a server error is a round without progress too, and is repeated. Only rounds
/// without any progress count: as long as each round makes progress, work continues until everything is done. The
/// pauses between rounds double and are random, from zero to a bound of up to two seconds. A read has no pause after
/// a round that returned something, because the response may just have reached its maximum size. The retries of the
/// SDK client, for a request that is rejected as a whole, are additional.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use std::time::Duration;
/// # #[derive(Debug, DynamoEntity)]
/// # #[dynamo(table = "notes", key(pk = id))]
/// # struct Note { id: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Note::schema()]).await?;
/// use dynamo_entity::RetryBudget;
///
/// let patient = RetryBudget::rounds(20).within(Duration::from_secs(60));
/// let found = Note::get_many([Note::key("n1")]).budget(patient).send(&db).await?;
/// # assert!(found[0].is_none());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryBudget {
    rounds: u32,
    time: Option<Duration>,
}

/// Ten rounds without progress, however long that takes.
impl Default for RetryBudget {
    fn default() -> Self {
        RetryBudget::rounds(10)
    }
}

impl RetryBudget {
    /// Gives up after this number of consecutive rounds without progress. The minimum is one: then items that
    /// DynamoDB omits are requested again only if other items made progress.
    pub const fn rounds(rounds: u32) -> Self {
        let rounds = if rounds == 0 { 1 } else { rounds };
        RetryBudget { rounds, time: None }
    }

    /// Begins no round after this time, with progress or without.
    #[must_use]
    pub const fn within(self, time: Duration) -> Self {
        RetryBudget {
            time: Some(time),
            ..self
        }
    }
}

/// The budget of one job, which all its requests share.
#[derive(Debug)]
pub(crate) struct SharedBudget {
    budget: RetryBudget,
    began: Instant,
    /// Whether a request of the job has used up its rounds, and none has made progress since.
    worn: AtomicBool,
    /// Whether a request that has used up its rounds says nothing of the other ones.
    is_separate: bool,
}

impl SharedBudget {
    pub(crate) fn new(budget: RetryBudget) -> Self {
        SharedBudget {
            budget,
            began: Instant::now(),
            worn: AtomicBool::new(false),
            is_separate: false,
        }
    }

    /// The budget of requests that fail independently of each other: only the time is shared.
    pub(crate) fn separate(budget: RetryBudget) -> Self {
        SharedBudget {
            is_separate: true,
            ..SharedBudget::new(budget)
        }
    }

    /// The remaining time, if it is limited.
    fn time_left(&self) -> Option<Duration> {
        let time = self.budget.time?;
        Some(time.saturating_sub(self.began.elapsed()))
    }

    /// The rounds of one request.
    pub(crate) fn begin_rounds(&self) -> Rounds<'_> {
        Rounds {
            shared_budget: self,
            backoff: Backoff::new(),
            in_vain: 0,
            is_hopeless: false,
        }
    }
}

/// The rounds of one request until everything is done.
pub(crate) struct Rounds<'p> {
    shared_budget: &'p SharedBudget,
    backoff: Backoff,
    in_vain: u32,
    /// Whether another request of the job gave up.
    is_hopeless: bool,
}

impl Rounds<'_> {
    /// Records that the last round made progress.
    pub(crate) fn note_progress(&mut self) {
        (self.backoff, self.in_vain, self.is_hopeless) = (Backoff::new(), 0, false);
        self.shared_budget.worn.store(false, Ordering::Relaxed);
    }

    /// Records that the last round made no progress. If another request of the job has given up, one such round is
    /// enough, so that an unavailable service does not cost every request its whole budget.
    pub(crate) fn in_vain(&mut self) {
        self.in_vain += 1;
        let shared = self.shared_budget;
        self.is_hopeless = !shared.is_separate && shared.worn.load(Ordering::Relaxed);
    }

    /// Waits before the next round; returns false if none remains. `took` is the duration of the last one.
    pub(crate) async fn begin_another(&mut self, took: Duration) -> bool {
        if self.is_hopeless || self.in_vain >= self.shared_budget.budget.rounds {
            self.shared_budget.worn.store(true, Ordering::Relaxed);
            return false;
        }
        let left = self.shared_budget.time_left();
        if left.is_some_and(|left| left.is_zero()) {
            return false;
        }
        self.backoff.wait_longer(took, left).await;
        true
    }

    /// Whether the next round begins without waiting, because the last one made progress.
    pub(crate) fn another_at_once(&self) -> bool {
        self.in_vain == 0
            && self
                .shared_budget
                .time_left()
                .is_none_or(|left| !left.is_zero())
    }

    /// The reason why no next round remains, for messages.
    pub(crate) fn exhausted_reason(&self) -> String {
        match self.in_vain {
            0 => "the time for it was over".to_owned(),
            1 => "DynamoDB omitted them".to_owned(),
            times => format!("DynamoDB omitted them {times} times in a row"),
        }
    }
}
