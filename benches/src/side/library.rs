//! The side of this library.

use dynamo_entity::__private::{from_json, to_json};
use dynamo_entity::observe::{CapacityByPattern, HotKeys};
use dynamo_entity::prelude::*;
use std::hint::black_box;
use tokio::runtime::Runtime;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::set_default;
use tracing::{Metadata, Subscriber};

use super::sdk::client;
use super::{Side, runtime};
use crate::event::{Event, ROWS};
use crate::flat::{Visit, visits};
use crate::order::{CUSTOMER, FIRST, Filed, Order, Total, large, order, orders, stored};
use crate::work::{LONG, ONE, REFUSED, SHORT, TEN, Work};

pub struct Library {
    runtime: Runtime,
    db: Dynamo,
    /// A connection by a client that was made elsewhere.
    given: Dynamo,
    /// The same connection, as it is for works that are watched.
    watched: Vec<(Work, Dynamo)>,
    /// The same connection for each prefix of a table of rows.
    sized: [(&'static str, Dynamo); 4],
    order: Order,
    orders: Vec<Order>,
    large: Order,
    json: String,
    visits: Vec<Visit>,
}

/// The connections of works that are watched. They share what was learned of the client.
fn watched(db: &Dynamo) -> Vec<(Work, Dynamo)> {
    let (meter, hot) = (CapacityByPattern::default(), HotKeys::default());
    let traced = db.clone().with_tracing();
    vec![
        (Work::GetObserved, db.clone().with_observer(|_| ())),
        (Work::GetMetered, db.clone().with_observer(meter.observer())),
        (Work::GetHot, db.clone().with_observer(hot.observer())),
        (Work::GetUntraced, traced.clone()),
        (Work::GetTraced, traced),
    ]
}

/// Wants spans and keeps nothing.
struct Deaf;

impl Subscriber for Deaf {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Library {
    pub fn new(address: &str) -> Self {
        let runtime = runtime();
        let db = runtime.block_on(Dynamo::connect(address)).expect("a URL");
        Library {
            runtime,
            watched: watched(&db),
            sized: [ONE, TEN, SHORT, LONG].map(|prefix| (prefix, db.clone().with_prefix(prefix))),
            given: Dynamo::new(client(address)),
            visits: visits(25),
            db,
            order: order(),
            orders: orders(25),
            large: large(),
            json: stored(&order()),
        }
    }

    async fn send(&self, work: Work) -> Result<Option<usize>> {
        let watched = self.watched.iter().find(|(of, _)| *of == work);
        let db = watched.map_or(&self.db, |(_, db)| db);
        let _guard = (work == Work::GetTraced).then(|| set_default(Deaf));
        let done = match work {
            Work::Get => self.get(db).await?,
            Work::GivenGet => self.get(&self.given).await?,
            Work::GivenPut => {
                black_box(self.order.put().send(&self.given).await?);
                1
            }
            Work::FlatGet => {
                let found = Visit::key(CUSTOMER, 1).get().send(db).await?;
                usize::from(black_box(found).is_some())
            }
            Work::FlatPut => {
                black_box(self.visits[0].put().send(db).await?);
                1
            }
            Work::FlatQuery100 => {
                let db = db.clone().with_prefix(SHORT);
                black_box(Visit::in_partition(CUSTOMER).all(&db).await?).len()
            }
            Work::FlatBatchGet100 => {
                let keys = (1..=100).map(|number| Visit::key(CUSTOMER, number));
                let found = Visit::get_many(keys).send(db).await?;
                black_box(found).iter().flatten().count()
            }
            Work::FlatBatchWrite25 => {
                let puts = self.visits.iter().map(|visit| visit.put());
                black_box(Batch::new().with_all(puts).send(db).await?).done as usize
            }
            work if work.is_watched() => self.get(db).await?,
            Work::Put => {
                black_box(self.order.put().send(db).await?);
                1
            }
            Work::Update => {
                let update = Order::key(CUSTOMER, FIRST)
                    .update()
                    .apply(|o| (o.status().set("SHIPPED"), o.total_cents().add(5)))
                    .when(|o| o.status().eq("PAID"));
                black_box(update.send(db).await?);
                1
            }
            Work::Delete => {
                Order::key(CUSTOMER, FIRST).delete().send(db).await?;
                1
            }
            Work::Transact3 => {
                let update = Order::key(CUSTOMER, FIRST + 1)
                    .update()
                    .apply(|o| (o.status().set("SHIPPED"), o.total_cents().add(5)))
                    .when(|o| o.status().eq("PAID"));
                let transaction = Transaction::new()
                    .with(self.order.put())
                    .with(update)
                    .with(Order::key(CUSTOMER, FIRST + 2).check().if_exists());
                transaction.send(db).await?;
                3
            }
            Work::Query1 => self.query(ONE).await?,
            Work::Query10 => self.query(TEN).await?,
            Work::Query100 => self.query(SHORT).await?,
            Work::Query1000 => self.query(LONG).await?,
            Work::Keys1000 => {
                let db = db.clone().with_prefix(LONG);
                black_box(Filed::in_partition(CUSTOMER).all(&db).await?).len()
            }
            Work::Select1000 => {
                let db = db.clone().with_prefix(LONG);
                let totals = Filed::in_partition(CUSTOMER).select::<Total>();
                black_box(totals.all(&db).await?).len()
            }
            Work::Scan100 => {
                let db = db.clone().with_prefix(SHORT);
                black_box(Order::scan().all(&db).await?).len()
            }
            Work::Snapshot3 => {
                let orders = [0, 1, 2].map(|number| Order::key(CUSTOMER, FIRST + number).get());
                black_box(transact_get(orders).send(db).await?)
                    .iter()
                    .flatten()
                    .count()
            }
            Work::BatchGet100 => {
                let keys = (FIRST..FIRST + 100).map(|number| Order::key(CUSTOMER, number));
                let found = Order::get_many(keys).send(db).await?;
                black_box(found).iter().flatten().count()
            }
            Work::BatchWrite25 => {
                let puts = self.orders.iter().map(|order| order.put());
                black_box(Batch::new().with_all(puts).send(db).await?).done as usize
            }
            Work::PutLarge => {
                black_box(self.large.put().send(db).await?);
                1
            }
            Work::Conflict => {
                let db = self.db.clone().with_prefix(REFUSED);
                let refused = self.large.create().send(&db).await.expect_err("a conflict");
                assert_eq!(black_box(refused).kind(), ErrorKind::AlreadyExists);
                1
            }
            Work::Partition => self.stream(Event::single(1).into()).await?,
            Work::Shards => self.stream(Event::spread(1).into()).await?,
            _ => return Ok(None),
        };
        Ok(Some(done))
    }

    async fn get(&self, db: &Dynamo) -> Result<usize> {
        let found = Order::key(CUSTOMER, FIRST).get().send(db).await?;
        Ok(usize::from(black_box(found).is_some()))
    }

    /// Reads all events, and checks that they come in the order of their numbers, each once.
    async fn stream(&self, events: Query<Event>) -> Result<usize> {
        let mut rows = events.stream(&self.db);
        let mut number = 0;
        while let Some(row) = rows.next().await {
            assert_eq!(black_box(row?).number, number);
            number += 1;
        }
        assert_eq!(number, ROWS);
        Ok(number as usize)
    }

    async fn query(&self, table: &str) -> Result<usize> {
        let (_, db) = self
            .sized
            .iter()
            .find(|(prefix, _)| *prefix == table)
            .expect("a table");
        let rows = Order::in_partition(CUSTOMER).all(db).await?;
        Ok(black_box(rows).len())
    }
}

impl Side for Library {
    fn run(&mut self, work: Work) -> Option<usize> {
        match work {
            Work::Encode | Work::EncodeMap => {
                Some(to_json(black_box(&self.order)).expect("it fits").len())
            }
            Work::Decode | Work::DecodeMap => {
                let order: Order = from_json(black_box(self.json.as_bytes())).expect("it reads");
                Some(black_box(order).lines.len())
            }
            work => self.runtime.block_on(self.send(work)).expect("an answer"),
        }
    }
}
