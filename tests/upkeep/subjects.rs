//! The entities under test: together they have every kind of index key.

mod given;
mod ticket;

use crate::run::sequences;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![ticket];

async fn ticket(db: Db) -> Outcome {
    sequences::<ticket::Ticket>(db).await
}
