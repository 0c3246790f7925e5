//! The function `order_mails`, with recorded events of all views and forms.

use std::time::Duration;

use aws_lambda_events::dynamodb::Event;
use aws_lambda_events::kinesis::KinesisEvent;
use aws_lambda_events::streams::{DynamoDbEventResponse, KinesisEventResponse};
use dynamo_entity::Value;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    BatchResponse, ChangeEvent, LeaseTable, OnceEffect, ParkedChange, ParkedTable, StreamEvent,
};
use tokio::time::{sleep, timeout};

use crate::order_mails::{
    Account, Order, Outbox, Sales, Shop, Status, add_sales, handle, replay, send_mails,
    stale_orders,
};
use crate::support::db::{Db, Mode};

fn text(name: &str) -> String {
    let path = format!(
        "{}/examples/order_mails/events/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).expect("an event")
}

fn recorded(name: &str) -> StreamEvent {
    serde_json::from_str(&text(name)).expect("an event")
}

#[tokio::test]
async fn each_order_has_its_mails_once() -> Result<()> {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([ParkedTable::schema(), OnceEffect::schema()])
        .await?;
    let outbox = Outbox::default();
    for form in [
        "new_and_old_images",
        "pipe",
        "kinesis",
        "new_and_old_images",
    ] {
        let response = handle(&db, &outbox, &recorded(form)).await;
        assert!(response.identifiers().is_empty(), "{form}: {response:?}");
        assert!(response.parked().is_empty(), "{form}: {response:?}");
    }
    let mails = [
        "ann: We have your order 7",
        "ann: We have sent your order 7",
    ];
    assert_eq!(outbox.sent(), mails);
    db.close().await.expect("no tables are left");
    Ok(())
}

/// A change that was parked because of its images is handled once these are repaired: here, by another stream.
#[tokio::test]
async fn what_was_parked_is_replayed() -> Result<()> {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([ParkedTable::schema(), OnceEffect::schema()])
        .await?;
    let outbox = Outbox::default();
    let event = recorded("new_image");
    let mut parked = 0;
    for _ in 0..20 {
        let response = handle(&db, &outbox, &event).await;
        parked += response.parked().len();
        if response.identifiers().is_empty() {
            break;
        }
    }
    assert!(parked >= 4, "{parked}");
    let report = replay(&db, &outbox).await?;
    // The stream still lacks the images, so all of them fail again, each item once.
    assert_eq!(report.replayed, 0);
    assert!(!report.failed.is_empty() && !report.waiting.is_empty());
    assert_eq!(outbox.sent(), [""; 0]);
    db.close().await.expect("no tables are left");
    Ok(())
}

/// Workers die again and again, at any point of their work.
#[tokio::test(flavor = "multi_thread")]
async fn workers_send_one_mail_for_each_order_and_count_it_once() -> Result<()> {
    const ORDERS: u32 = 90;
    let db = Db::open(Mode::Raw).await?;
    let tables = [
        ParkedTable::schema(),
        OnceEffect::schema(),
        LeaseTable::schema(),
    ];
    db.create_tables(tables).await?;
    db.create_tables([Shop::schema(), Sales::schema()]).await?;
    let outbox = Outbox::default();
    let lease_time = Duration::from_secs(1);
    let never = std::future::pending::<()>;
    let writer = async {
        for number in 0..ORDERS {
            let order = Order {
                buyer: ["ann", "bob"][number as usize % 2].into(),
                number,
                status: Status::New,
                cents: u64::from(number),
            };
            order.put().send(&db).await?;
            sleep(Duration::from_millis(40)).await;
        }
        Ok::<_, Error>(())
    };
    let mailing = async {
        for _ in 0..4 {
            let life = Duration::from_millis(fastrand::u64(1_000..2_000));
            drop(timeout(life, send_mails(&db, &outbox, lease_time, never())).await);
        }
    };
    let adding = async {
        for _ in 0..4 {
            let life = Duration::from_millis(fastrand::u64(1_000..2_000));
            drop(timeout(life, add_sales(&db, lease_time, never())).await);
        }
    };
    let (written, (), ()) = tokio::join!(writer, mailing, adding);
    written?;
    let expected = |buyer: u32| {
        (0..ORDERS)
            .filter(|number| number % 2 == buyer)
            .sum::<u32>()
            .into()
    };
    let sales = async |buyer: &str| -> Result<u64> {
        let sales = Sales::key(buyer).get().consistent().send(&db).await?;
        Ok(sales.map_or(0, |sales| sales.cents))
    };
    let settled = async || -> Result<()> {
        loop {
            // A mail that was begun when its worker died may have been sent, so its order is parked for a person.
            let parked = ParkedChange::list("order-mails", &db).await?.len();
            let is_mailed = outbox.sent().len() + parked >= ORDERS as usize;
            if is_mailed && sales("ann").await? >= expected(0) && sales("bob").await? >= expected(1)
            {
                return Ok(());
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    let done = tokio::sync::watch::Sender::new(false);
    let is_done = || {
        let mut done = done.subscribe();
        async move { drop(done.wait_for(|is_done| *is_done).await) }
    };
    let settling = async {
        let settled = timeout(Duration::from_secs(60), settled()).await;
        done.send_replace(true);
        settled
    };
    let (settled, mailed, added) = tokio::join!(
        settling,
        send_mails(&db, &outbox, lease_time, is_done()),
        add_sales(&db, lease_time, is_done())
    );
    settled.expect("all orders are handled")?;
    mailed.and(added)?;
    let mut mails = outbox.sent();
    let count = mails.len();
    mails.sort();
    mails.dedup();
    assert_eq!(mails.len(), count, "a mail was sent twice");
    assert_eq!(
        (sales("ann").await?, sales("bob").await?),
        (expected(0), expected(1))
    );
    db.close().await.expect("no tables are left");
    Ok(())
}

#[test]
fn each_view_gives_what_it_has() {
    let order = |status| Order {
        buyer: "ann".into(),
        number: 7,
        status,
        cents: 1_250,
    };
    let key = || Order::key("ann", 7);
    let both = recorded("new_and_old_images");
    let events = |event: &StreamEvent| -> Vec<ChangeEvent<Order>> {
        let changes = Order::changes_of(event).map(|change| change.expect("an order").event);
        changes.collect()
    };
    let all = [
        ChangeEvent::Created(order(Status::New)),
        ChangeEvent::Changed {
            old: order(Status::New),
            new: order(Status::Sent),
        },
        ChangeEvent::Removed {
            old: order(Status::Sent),
            by_ttl: true,
        },
    ];
    assert_eq!(events(&both), all);
    assert_eq!(events(&recorded("kinesis")), all);
    assert_eq!(events(&recorded("pipe")), all);
    assert_eq!(Account::changes_of(&both).count(), 4, "and the buyer");

    // Without both images, the write that changed nothing cannot be told from others.
    let new = recorded("new_image");
    let new: Vec<_> = Order::new_images_of(&new)
        .map(|change| change.expect("an order").event)
        .collect();
    let changed = |status| ChangeEvent::Changed {
        old: key(),
        new: order(status),
    };
    let removed = ChangeEvent::Removed {
        old: key(),
        by_ttl: true,
    };
    let created = ChangeEvent::Created(order(Status::New));
    assert_eq!(
        new,
        [
            created,
            changed(Status::New),
            changed(Status::Sent),
            removed
        ]
    );

    let old = recorded("old_image");
    let old: Vec<_> = Order::old_images_of(&old)
        .map(|change| change.expect("an order").event)
        .collect();
    let changed = || ChangeEvent::Changed {
        old: order(Status::New),
        new: key(),
    };
    let removed = ChangeEvent::Removed {
        old: order(Status::Sent),
        by_ttl: true,
    };
    assert_eq!(
        old,
        [ChangeEvent::Created(key()), changed(), changed(), removed]
    );

    for view in ["keys_only", "new_image", "old_image"] {
        let event = recorded(view);
        assert_eq!(
            stale_orders(&event).expect("keys"),
            [key(), key(), key()],
            "{view}"
        );
        let unread = Order::changes_of(&event).next().expect("a record");
        let unread = unread.expect_err("there are not both images").to_string();
        assert!(unread.contains("read this stream with `"), "{unread}");
    }
    assert_eq!(stale_orders(&both).expect("keys"), [key(), key()]);
}

#[test]
fn records_say_when_and_where() {
    for form in ["new_and_old_images", "kinesis"] {
        let event = recorded(form);
        let first = &event.records()[0];
        assert_eq!(first.table(), Some("mail-shop"));
        assert_eq!(first.at().map(|at| at.seconds()), Some(1_772_352_000));
    }
    let event = recorded("new_and_old_images");
    let numbers = event.records().iter().map(|record| record.sequence());
    assert!(numbers.clone().all(|number| number.is_some()) && numbers.is_sorted());
}

/// The types of `aws_lambda_events` contain the same records.
#[test]
fn events_of_aws_lambda_events_are_the_same() {
    let all = |event: &StreamEvent| -> Vec<String> {
        let records = event.records().iter();
        let keys = records.map(|record| {
            format!(
                "{record:?} {:?} {:?} {:?} {:?}",
                record.at(),
                record.key(),
                record.old_image(),
                record.new_image()
            )
        });
        let changes = Account::keys_of(event).map(|change| match change {
            Ok(change) => format!("{:?}", change.event),
            Err(unread) => format!("{unread:?}"),
        });
        let orders = Order::changes_of(event).map(|change| match change {
            Ok(change) => format!("{:?}", change.event),
            Err(unread) => format!("{unread:?}"),
        });
        keys.chain(changes).chain(orders).collect()
    };
    for view in ["new_and_old_images", "new_image", "old_image", "keys_only"] {
        let theirs: Event = serde_json::from_str(&text(view)).expect("an event");
        let ours = StreamEvent::from(theirs);
        assert!(ours.records().len() >= 4);
        assert_eq!(all(&ours), all(&recorded(view)), "{view}");
    }
    let theirs: KinesisEvent = serde_json::from_str(&text("kinesis")).expect("an event");
    assert_eq!(all(&theirs.into()), all(&recorded("kinesis")));
}

/// Numbers that no float has, a record without image, time, view and table, and one that cannot be read.
#[tokio::test]
async fn records_of_aws_lambda_events_keep_their_parts() {
    let event = |name: &str, more: &str| {
        let json = format!(
            r#"{{"Records":[{{"eventID":"a","eventName":"{name}","awsRegion":"eu-west-1","dynamodb":{{
                {more},"SequenceNumber":"490","SizeBytes":1}}}}]}}"#
        );
        let theirs: Event = serde_json::from_str(&json).expect("an event");
        StreamEvent::from(theirs)
    };
    let number = "123456789012345678901234567890.12345678";
    let removed = event("REMOVE", &format!(r#""Keys":{{"pk":{{"N":"{number}"}}}}"#));
    let [record] = removed.records() else {
        panic!("one record");
    };
    let key = record.key().expect("a key");
    let Some(Value::N(digits)) = key.get("pk") else {
        panic!("a number: {key:?}");
    };
    assert_eq!(digits.to_string(), number);
    let images = (record.new_image(), record.old_image());
    assert_eq!((record.at(), record.table()), (None, None));
    assert_eq!(images, (None, None));

    // It is an error in its place, and the response names it.
    let broken = r#""Keys":{"pk":{"N":"1"}},"NewImage":{"pk":{"N":"one"}}"#;
    let broken = event("INSERT", broken);
    assert_eq!(broken.records()[0].event_id(), Some("a"));
    let response = Order::changes_of(&broken).each(async |_| Ok::<(), Error>(()));
    let response = response.await;
    let error = response.failed().expect("a failure").error.to_string();
    assert!(error.contains("NewImage"), "{error}");
    let named = serde_json::to_string(&DynamoDbEventResponse::from(response));
    let failures = r#"{"batchItemFailures":[{"itemIdentifier":"490"}]}"#;
    assert_eq!(named.expect("JSON"), failures);
    let none = KinesisEventResponse::from(BatchResponse::default());
    let none = serde_json::to_string(&none).expect("JSON");
    assert_eq!(none, r#"{"batchItemFailures":[]}"#);
}
