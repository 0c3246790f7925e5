//! The entities under test. Together they have every kind of index key.

mod badge;
mod errand;
mod given;
mod parcel;
mod sensor;
mod shop;
mod store;
mod ticket;
mod twin;
mod visit;

use crate::run::sequences;
use crate::support::db::Db;
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    ticket,
    parcel,
    badge,
    twin,
    sensor,
    visit,
    errand,
    shop unless NO_MULTI_ATTRIBUTE_KEYS,
];

async fn ticket(db: Db) -> Outcome {
    sequences::<ticket::Ticket>(db).await
}

async fn parcel(db: Db) -> Outcome {
    sequences::<parcel::Parcel>(db).await
}

async fn badge(db: Db) -> Outcome {
    sequences::<badge::Badge>(db).await
}

async fn twin(db: Db) -> Outcome {
    sequences::<twin::Twin>(db).await
}

async fn sensor(db: Db) -> Outcome {
    sequences::<sensor::Sensor>(db).await
}

async fn visit(db: Db) -> Outcome {
    sequences::<visit::Visit>(db).await
}

async fn errand(db: Db) -> Outcome {
    sequences::<errand::Errand>(db).await
}

async fn shop(db: Db) -> Outcome {
    sequences::<shop::Shop>(db).await
}
