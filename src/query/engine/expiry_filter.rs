//! Rows that expire before they are delivered.
//!
//! DynamoDB filters out rows that had expired when a read began. A read may take long, so rows are checked again on
//! delivery. A TTL counts in seconds, so most reads end before any row has to be checked.

use super::hydrated::{HydratedRow, HydratedRows};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::plan::{expires_at, is_expired};
use crate::query::request::Selection;

/// Finds the rows that have expired since a read began.
#[derive(Debug, Clone)]
pub(super) struct ExpiryFilter {
    db: Dynamo,
    /// None if expired rows are wanted too.
    ttl: Option<&'static str>,
    /// The time at which the read began: DynamoDB filters out rows that had expired by then.
    began: Timestamp,
}

impl ExpiryFilter {
    /// For a read that is about to begin.
    pub(crate) fn new(selection: &Selection, db: &Dynamo) -> Self {
        ExpiryFilter {
            db: db.clone(),
            ttl: selection.hidden_by(),
            began: db.now(),
        }
    }

    /// The TTL attribute and the time, if a row may have expired by now.
    fn later_expiry(&self) -> Option<(&'static str, Timestamp)> {
        let ttl = self.ttl?;
        let now = self.db.now();
        // A TTL counts in seconds. Within the second in which the read began, DynamoDB's filter and
        // this check agree, so nothing is checked.
        (now.seconds() > self.began.seconds()).then_some((ttl, now))
    }

    /// Whether this row has expired.
    #[inline]
    pub(crate) fn is_over(&self, row: &HydratedRow) -> bool {
        let later = self.later_expiry();
        later.is_some_and(|(ttl, now)| is_expired(row.item.row_json(), Some(ttl), now))
    }

    /// Omits the rows that have expired. The runs no longer include them.
    pub(crate) fn keep_living(&self, answer: &mut HydratedRows) {
        let Some((ttl, now)) = self.later_expiry() else {
            return;
        };
        answer.retain_rows(|row| !is_expired(row.item.row_json(), Some(ttl), now));
    }

    /// Records the expiry of these rows, before they are dropped.
    pub(super) fn note_ends(&self, rows: &[HydratedRow], ends: &mut Vec<Option<i64>>) {
        if let Some(ttl) = self.ttl {
            ends.extend(rows.iter().map(|row| expires_at(row.item.row_json(), ttl)));
        }
    }

    /// The time, if a recorded row may have expired by now.
    pub(super) fn later_than_it_began(&self) -> Option<Timestamp> {
        self.later_expiry().map(|(_, now)| now)
    }
}
