//! The function `order_mails`, with recorded events of all views and forms.

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ChangeEvent, OnceEffect, ParkedTable, StreamEvent};

use crate::order_mails::{Account, Order, Outbox, Status, handle, replay, stale_orders};
use crate::support::db::{Db, Mode};

fn recorded(name: &str) -> StreamEvent {
    let path = format!(
        "{}/examples/order_mails/events/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let json = std::fs::read_to_string(path).expect("an event");
    serde_json::from_str(&json).expect("an event")
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
        assert!(unread.contains("read this stream by `"), "{unread}");
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
