//! How often the status of a table is polled: ever more slowly.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::runtime::sleep_for;

/// The first pause is short, because local engines are ready at once; AWS takes seconds.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);

pub(super) struct TablePolling {
    next: Duration,
    longest: Duration,
    /// How long to wait in all; `None` has no end.
    patience: Option<Duration>,
    /// When the first wait began; the time before it does not count.
    began: Option<Instant>,
}

impl TablePolling {
    pub(super) fn for_patience(patience: Duration) -> Self {
        TablePolling {
            next: FIRST,
            // A change that takes an hour is not polled every two seconds.
            longest: (patience / 150).max(LONGEST),
            patience: Some(patience),
            began: None,
        }
    }

    pub(super) fn without_end() -> Self {
        TablePolling {
            next: FIRST,
            longest: LONGEST,
            patience: None,
            began: None,
        }
    }

    /// Waits a little longer than the last time, or returns an error if it has been too long.
    pub(super) async fn wait_poll(&mut self, overdue: impl FnOnce() -> Error) -> Result<()> {
        match self.wait_more().await {
            true => Ok(()),
            false => Err(overdue()),
        }
    }

    /// Waits a little longer than the last time, unless it has been too long.
    pub(super) async fn wait_more(&mut self) -> bool {
        let began = *self.began.get_or_insert_with(Instant::now);
        if self.patience.is_some_and(|most| began.elapsed() >= most) {
            return false;
        }
        sleep_for(self.next).await;
        self.next = (self.next * 2).min(self.longest);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, Stage};

    fn overdue() -> Error {
        Error::new(ErrorKind::Unavailable, Stage::Schema, "too long")
    }

    #[tokio::test]
    async fn patience_begins_with_the_first_wait() {
        let patience = Duration::from_millis(30);
        let mut pace = TablePolling::for_patience(patience);
        sleep_for(patience * 2).await;
        pace.wait_poll(overdue)
            .await
            .expect("it was not waited before");
        sleep_for(patience).await;
        assert!(pace.wait_poll(overdue).await.is_err());
    }
}
