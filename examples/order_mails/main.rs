//! A consumer that follows a table, as a Lambda function or as a group of workers. It sends one mail for each order, even if
//! a record is delivered several times.
//!
//!     cargo run --example order_mails
//!
//! The program runs the function with recorded events, and then a worker. In a function, the runtime calls the handler:
//!
//! ```text
//! lambda_runtime::run(service_fn(async |event: LambdaEvent<StreamEvent>| {
//!     Ok::<_, Infallible>(handle(&db, &outbox, &event.payload).await)
//! }))
//! ```

use std::error::Error;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    BatchResponse, ChangeEvent, HandlerError, LeaseTable, OnceEffect, ParkedChange, ParkedTable,
    ReplayReport, StreamEvent, once,
};

#[derive(DynamoTable)]
#[dynamo(
    name = "mail-shop",
    pk = "pk",
    sk = "sk",
    stream = new_and_old_images,
    entities(Buyer, Order, Reward)
)]
pub struct Shop;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "BUYER#{buyer}", sk = "INFO"))]
pub struct Buyer {
    pub buyer: String,
    pub mail: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "BUYER#{buyer}", sk = "ORDER#{number:06}"))]
pub struct Order {
    pub buyer: String,
    pub number: u32,
    pub status: Status,
    pub cents: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    New,
    Sent,
}

/// The function does not follow rewards, so they are no variant.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "BUYER#{buyer}", sk = "REWARD#{number:06}"))]
pub struct Reward {
    pub buyer: String,
    pub number: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop, partition(buyer))]
pub enum Account {
    Buyer(Buyer),
    Order(Order),
}

/// The orders of a buyer in cents, kept by a group of workers.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "mail-sales", key(pk = buyer))]
pub struct Sales {
    pub buyer: String,
    pub cents: u64,
}

/// The mails that were sent.
#[derive(Debug, Default)]
pub struct Outbox(Mutex<Vec<String>>);

impl Outbox {
    /// Sends a mail, and returns its ID.
    async fn send(&self, mail: String) -> io::Result<u64> {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push(mail);
        Ok(sent.len() as u64)
    }

    pub fn sent(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The handler of the function. A change that fails three times is parked, and the later ones are handled.
pub async fn handle(db: &Dynamo, outbox: &Outbox, event: &StreamEvent) -> BatchResponse {
    let changes = Account::changes_of(event).park_after(3, "order-mails", db);
    changes
        .each(async |change| mail_about(db, outbox, change.event).await)
        .await
}

async fn mail_about(
    db: &Dynamo,
    outbox: &Outbox,
    event: ChangeEvent<Account>,
) -> Result<(), HandlerError> {
    let (order, text) = match event {
        ChangeEvent::Created(Account::Order(order)) => (order, "We have your order"),
        ChangeEvent::Changed {
            old: Account::Order(old),
            new: Account::Order(order),
        } if old.status != order.status && order.status == Status::Sent => {
            (order, "We have sent your order")
        }
        _ => return Ok(()),
    };
    // A record can be delivered again after its mail was sent. The key of the mail prevents a second one.
    let Order { buyer, number, .. } = &order;
    let mail = format!("{buyer}: {text} {number}");
    let key = format!("mail#{mail}");
    once(key).run(db, async || outbox.send(mail).await).await?;
    Ok(())
}

/// A worker that sends the mails, instead of the function. Start as many as you like.
pub async fn send_mails(
    db: &Dynamo,
    outbox: &Outbox,
    lease_time: Duration,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    Account::consumer("order-mails")
        .park_after(3)
        .lease_time(lease_time)
        .longest_pause(Duration::from_secs(1))
        .each(async |change| mail_about(db, outbox, change.event).await)
        .run(db, shutdown)
        .await
}

/// A worker that adds up the orders of each buyer. The place in the stream is saved in the transaction of the sums, so each
/// order counts once.
pub async fn add_sales(
    db: &Dynamo,
    lease_time: Duration,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    Order::consumer("sales")
        .lease_time(lease_time)
        .longest_pause(Duration::from_secs(1))
        .each_in(|change, tx| match &change.event {
            ChangeEvent::Created(order) => {
                let sales = Sales::key(&order.buyer).upsert();
                tx.with(sales.apply(|sales| sales.cents().add(order.cents)))
            }
            _ => Ok(()),
        })
        .run(db, shutdown)
        .await
}

/// Handles the parked changes again, for example after the function was repaired.
pub async fn replay(db: &Dynamo, outbox: &Outbox) -> Result<ReplayReport> {
    let handle = async |event| handle(db, outbox, &event).await.complete();
    ParkedChange::replay_all("order-mails", db, handle).await
}

/// Returns the keys that a cache must drop. It works with any view of the stream.
pub fn stale_orders(event: &StreamEvent) -> Result<Vec<Key<Order>>> {
    let mut stale = Vec::new();
    for change in Order::keys_of(event) {
        let change = change.map_err(|unread| unread.into_error())?;
        match change.event {
            ChangeEvent::Created(_) => {}
            ChangeEvent::Changed { old, .. } | ChangeEvent::Removed { old, .. } => stale.push(old),
        }
    }
    Ok(stale)
}

/// A recorded event of each view.
const VIEWS: [(&str, &[u8]); 4] = [
    (
        "NEW_AND_OLD_IMAGES",
        include_bytes!("events/new_and_old_images.json"),
    ),
    ("NEW_IMAGE", include_bytes!("events/new_image.json")),
    ("OLD_IMAGE", include_bytes!("events/old_image.json")),
    ("KEYS_ONLY", include_bytes!("events/keys_only.json")),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::var("DYNAMO_URL").unwrap_or_else(|_| "embedded:memory".to_owned());
    let db = Dynamo::connect(&url).await?;
    db.create_tables([ParkedTable::schema(), OnceEffect::schema()])
        .await?;

    let outbox = Outbox::default();
    let event = StreamEvent::from_json(include_bytes!("events/new_and_old_images.json"))?;
    for delivery in 1..=2 {
        let response = handle(&db, &outbox, &event).await;
        println!("delivery {delivery}: {:?}", response.identifiers());
    }
    println!("mails: {:#?}", outbox.sent());
    for (view, event) in VIEWS {
        let event = StreamEvent::from_json(event)?;
        println!("stale by {view}: {:?}", stale_orders(&event)?);
    }
    // Without both images, the function cannot read the changes, so it parks each record after three attempts.
    let event = StreamEvent::from_json(include_bytes!("events/keys_only.json"))?;
    for _ in 1..=3 {
        handle(&db, &outbox, &event).await;
    }
    let parked = ParkedChange::list("order-mails", &db).await?;
    println!("parked: {}", parked.len());
    let report = replay(&db, &outbox).await?;
    println!(
        "replayed: {}, failed: {}",
        report.replayed,
        report.failed.len()
    );

    // A worker of each group, for a moment. In a service, they run until a signal of the operating system.
    db.create_tables([Shop::schema(), Sales::schema(), LeaseTable::schema()])
        .await?;
    let order = Order {
        buyer: "bob".into(),
        number: 8,
        status: Status::New,
        cents: 1250,
    };
    order.put().send(&db).await?;
    let (lease_time, moment) = (Duration::from_secs(30), Duration::from_secs(2));
    let mailing = send_mails(&db, &outbox, lease_time, tokio::time::sleep(moment));
    let adding = add_sales(&db, lease_time, tokio::time::sleep(moment));
    let (mailed, added) = tokio::join!(mailing, adding);
    mailed.and(added)?;
    println!("mails: {:#?}", outbox.sent());
    let sales = Sales::key("bob").get().consistent().send(&db).await?;
    println!("sales: {sales:?}");
    Ok(())
}
