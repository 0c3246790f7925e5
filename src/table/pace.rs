//! Asking again, ever more slowly.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::runtime::sleep;

/// Local engines are done at once, AWS takes seconds.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);

pub(super) struct TablePace {
    next: Duration,
    deadline: Option<Instant>,
}

impl TablePace {
    pub(super) fn until(patience: Duration) -> Self {
        TablePace {
            next: FIRST,
            deadline: Instant::now().checked_add(patience),
        }
    }

    pub(super) fn endless() -> Self {
        TablePace {
            next: FIRST,
            deadline: None,
        }
    }

    /// Waits a little longer than the last time, or says that it has been too long.
    pub(super) async fn wait(&mut self, overdue: impl FnOnce() -> Error) -> Result<()> {
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(overdue());
        }
        sleep(self.next).await;
        self.next = (self.next * 2).min(LONGEST);
        Ok(())
    }
}
