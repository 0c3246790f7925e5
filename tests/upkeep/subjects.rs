//! The entities under test. Together they have every kind of index key.

mod badge;
mod errand;
mod gauge;
mod given;
mod parcel;
mod sensor;
mod shop;
mod store;
mod ticket;
mod twin;
mod visit;

use crate::run::sequences;
use crate::subject::Subject;
use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::placed::PlacedTable;
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;
use dynamo_entity::DynamoTable as _;

tests![
    places_of_all,
    ticket,
    parcel,
    badge,
    twin,
    sensor,
    visit,
    errand,
    gauge,
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

async fn gauge(db: Db) -> Outcome {
    sequences::<gauge::Gauge>(db).await
}

async fn shop(db: Db) -> Outcome {
    sequences::<shop::Shop>(db).await
}

/// Law N1 for fresh entities of all subjects.
async fn places_of_all(db: Db) -> Outcome {
    places::<ticket::Ticket>(&db).await?;
    places::<parcel::Parcel>(&db).await?;
    places::<badge::Badge>(&db).await?;
    places::<twin::Twin>(&db).await?;
    places::<sensor::Sensor>(&db).await?;
    places::<visit::Visit>(&db).await?;
    places::<errand::Errand>(&db).await?;
    places::<gauge::Gauge>(&db).await?;
    if Kind::here() != Kind::OldDynamoDbLocal {
        places::<shop::Shop>(&db).await?;
    }
    Ok(())
}

async fn places<E: Subject>(db: &Db) -> Outcome {
    for seed in 0..3 {
        let mut table = PlacedTable::create(db, E::Table::schema(), &[], seed).await?;
        let mut rng = fastrand::Rng::with_seed(seed);
        let entities: Vec<E> = (0..60).map(|no| E::random(&mut rng, no)).collect();
        table.fill_with(entities).await?;
        table.check().await?;
        db.truncate([E::Table::schema()]).even_on_aws().await?;
    }
    Ok(())
}
