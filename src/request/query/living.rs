//! Rows whose time is over before they are handed over.
//!
//! The service hides what had expired when a read began. A read may take long, and whoever is handed a row sees it at the
//! time of that. Time goes on in seconds for a TTL, so most reads are over before anything has to be looked at.

use super::hydrate::{Answer, Found};
use super::selection::Selection;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::request::check::is_expired;

/// Tells rows that have expired since a read began.
#[derive(Debug, Clone)]
pub(super) struct Living {
    db: Dynamo,
    /// None where expired rows are wanted too.
    ttl: Option<&'static str>,
    /// What had expired by then does not come.
    began: Timestamp,
}

impl Living {
    /// Of a read that is about to begin.
    pub(super) fn new(selection: &Selection, db: &Dynamo) -> Self {
        Living {
            db: db.clone(),
            ttl: selection.hidden_by(),
            began: db.now(),
        }
    }

    /// The time, if a row may have expired by now.
    fn later(&self) -> Option<(&'static str, Timestamp)> {
        let ttl = self.ttl?;
        let now = self.db.now();
        (now.seconds() > self.began.seconds()).then_some((ttl, now))
    }

    /// Whether the time of this row is over.
    #[inline]
    pub(super) fn is_over(&self, row: &Found) -> bool {
        let later = self.later();
        later.is_some_and(|(ttl, now)| is_expired(row.item.json(), Some(ttl), now))
    }

    /// Leaves out the rows whose time is over. Of those that were passed on the way the runs say no more.
    pub(super) fn keep(&self, answer: &mut Answer) {
        let Some((ttl, now)) = self.later() else {
            return;
        };
        let lives = |row: &Found| !is_expired(row.item.json(), Some(ttl), now);
        let rows = &answer.rows;
        let mut ahead = rows.iter();
        for run in &mut answer.runs {
            let of_run = ahead.by_ref().take(run.rows);
            run.rows = of_run.filter(|row| lives(row)).count();
        }
        for row in &mut answer.vanished {
            let before = rows.iter().take(row.before);
            row.before = before.filter(|row| lives(row)).count();
        }
        answer.rows.retain(lives);
    }
}
