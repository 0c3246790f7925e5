//! Changes: placeholder.
use crate::support::db::Db;
use crate::support::suite::Outcome;

pub(super) async fn every_change_is_as_it_was(_db: Db) -> Outcome {
    Ok(())
}
