//! Derived expiries: existing items have none, or one of another lifetime, until a refill.

use super::pair::{CHECK_FILLED, DEPLOY_EVERYWHERE, EntityPair, REFILL};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::schema::{ExpirySchema, FieldSchema};

/// DynamoDB deletes expired items, and a rollback does not restore them.
const COUNT: &str = "count the items that expire at once, because they are older than that: DynamoDB deletes them, and a rollback does \
     not restore them";

impl EntityPair<'_> {
    pub(super) fn expiry_appeared(&self, name: &str, is: &ExpirySchema) -> StoredChange {
        let what = format!(
            "items expire {} after `{}` now: existing items and those of running programs do not have the attribute, and stay",
            is.lifetime(),
            is.source
        );
        self.change(
            ChangeClass::FillFirst,
            name,
            what,
            &[DEPLOY_EVERYWHERE, COUNT, REFILL, CHECK_FILLED],
        )
    }

    /// The change of the source of an expiry, or of the lifetime.
    pub(super) fn expiry(
        &self,
        name: &str,
        was: &FieldSchema,
        is: &FieldSchema,
    ) -> Option<StoredChange> {
        let change = match (&was.expiry, &is.expiry) {
            (None, None) => return None,
            (Some(was), Some(is)) if was == is => return None,
            (None, Some(is)) => self.change(
                ChangeClass::FillFirst,
                name,
                format!(
                    "programs set it, and now it is {} after `{}`: existing items keep the expiry that they have until their next write \
                     of `{}`, and running programs may set another one",
                    is.lifetime(),
                    is.source,
                    is.source
                ),
                &[DEPLOY_EVERYWHERE, COUNT, REFILL, CHECK_FILLED],
            ),
            (Some(was), None) => self.change(
                ChangeClass::BreaksRunning,
                name,
                format!(
                    "it was {} after `{}`, and programs set it now: running programs replace the expiry that new ones set",
                    was.lifetime(),
                    was.source
                ),
                &[
                    "deploy it everywhere, and let programs still write the derived time",
                    "then let them write other times",
                ],
            ),
            (Some(was), Some(is)) if was.source != is.source => self.change(
                ChangeClass::FillFirst,
                name,
                format!(
                    "the expiry is derived from `{}`, and was from `{}`: existing items keep the old one until a refill, and running \
                     programs write it",
                    is.source, was.source
                ),
                &[DEPLOY_EVERYWHERE, COUNT, REFILL, CHECK_FILLED],
            ),
            // A longer lifetime deletes nothing at once, so no count is needed first.
            (Some(was), Some(is)) if was.seconds < is.seconds => self.change(
                ChangeClass::FillFirst,
                name,
                format!(
                    "items expire {} after `{}`, and did after {}: existing items are still deleted at the earlier time until a refill \
                     has reached them",
                    is.lifetime(),
                    is.source,
                    was.lifetime()
                ),
                &[DEPLOY_EVERYWHERE, REFILL, CHECK_FILLED],
            ),
            (Some(was), Some(is)) => self.change(
                ChangeClass::FillFirst,
                name,
                format!(
                    "items expire {} after `{}`, and did after {}: existing items are kept until the later time until a refill has \
                     reached them",
                    is.lifetime(),
                    is.source,
                    was.lifetime()
                ),
                &[DEPLOY_EVERYWHERE, COUNT, REFILL, CHECK_FILLED],
            ),
        };
        Some(change)
    }
}
