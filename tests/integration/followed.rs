//! Stored items as the records of a stream: fills that change no field are not shown, and items of older declarations are
//! read in the present one.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ChangeEvent, ItemChange, StreamEvent, UnreadChange};
use serde_json::{Value as Json, json};

use crate::support::db::{Db, Raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_fill_is_not_shown(before::Shop),
    a_write_beside_a_fill_is_shown(before::Shop),
    an_older_shape_is_upgraded(shaped::Shop),
    a_fill_of_a_shape_is_not_shown(shaped::Shop),
    a_shape_that_is_not_written_yet_hides_no_change(shaped::Shop),
];

/// A declaration that lacks an index, a default, a name and an expiry.
mod before {
    use super::*;

    crate::declare! {
        pub table Shop(name = "followed", pk = "pk", sk = "sk", entities(Order), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        pub entity Order(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:05}"))
            { pub user: String, pub number: u32, pub region: String, pub total: u64,
              #[dynamo(created_at)] pub created: Option<DateTime<Utc>>, #[dynamo(version)] pub version: Version }
    }
}

mod after {
    use super::*;

    crate::declare! {
        pub table Shop(name = "followed", pk = "pk", sk = "sk", entities(Order), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        pub entity Order(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:05}"),
            gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{number:05}"))
            { pub user: String, pub number: u32, pub region: String, #[dynamo(was = "total")] pub cents: u64,
              #[dynamo(default = 3)] pub rank: u32, #[dynamo(created_at)] pub created: Option<DateTime<Utc>>,
              #[dynamo(ttl = created + "90d")] pub expires_at: Option<DateTime<Utc>>,
              #[dynamo(version)] pub version: Version }
    }

    #[derive(Debug, Clone, PartialEq, DynamoCollection)]
    #[dynamo(table = Shop, partition(user))]
    pub enum Account {
        Order(Order),
    }
}

/// The value of an attribute in DynamoDB JSON.
fn attribute(value: &AttributeValue) -> Json {
    match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(number) => json!({"N": number}),
        other => panic!("{other:?}"),
    }
}

fn image(item: &Raw) -> Json {
    let members = item.iter();
    let members: BTreeMap<_, _> = members
        .map(|(name, value)| (name, attribute(value)))
        .collect();
    json!(members)
}

/// The record of a change of an item with the key `pk` and `sk`, as a stream of this view has it.
pub fn event(view: &str, old: Option<&Raw>, new: Option<&Raw>) -> StreamEvent {
    let keys = new.or(old).expect("an image");
    let keys = json!({"pk": attribute(&keys["pk"]), "sk": attribute(&keys["sk"])});
    let mut change = json!({"Keys": keys, "SequenceNumber": "1", "StreamViewType": view});
    if let Some(old) = old.filter(|_| ["OLD_IMAGE", "NEW_AND_OLD_IMAGES"].contains(&view)) {
        change["OldImage"] = image(old);
    }
    if let Some(new) = new.filter(|_| ["NEW_IMAGE", "NEW_AND_OLD_IMAGES"].contains(&view)) {
        change["NewImage"] = image(new);
    }
    let name = match (old, new) {
        (None, _) => "INSERT",
        (_, None) => "REMOVE",
        _ => "MODIFY",
    };
    let event = json!({"Records": [{"eventID": "e1", "eventName": name, "dynamodb": change}]});
    StreamEvent::from_json(event.to_string().as_bytes()).expect("an event")
}

pub fn both_images(old: &Raw, new: &Raw) -> StreamEvent {
    event("NEW_AND_OLD_IMAGES", Some(old), Some(new))
}

/// The only change that is shown.
pub fn only<New: std::fmt::Debug, Old: std::fmt::Debug>(
    changes: impl Iterator<Item = Result<ItemChange<New, Old>, UnreadChange>>,
) -> ChangeEvent<New, Old> {
    let mut shown: Vec<_> = changes.map(|change| change.expect("readable")).collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    shown.remove(0).event
}

async fn stored(db: &Db) -> Raw {
    db.stored(&before::Order::key("ann", 7)).await
}

async fn old_order(db: &Db) -> Outcome {
    let order = before::Order {
        user: "ann".into(),
        number: 7,
        region: "EU".into(),
        total: 5,
        created: None,
        version: Version::default(),
    };
    order.create().send(db).await?;
    Ok(())
}

async fn a_fill_is_not_shown(db: Db) -> Outcome {
    old_order(&db).await?;
    let old = stored(&db).await;
    let report = after::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    let new = stored(&db).await;
    for name in ["gsi1pk", "cents", "rank", "expires_at"] {
        assert!(!old.contains_key(name) && new.contains_key(name), "{name}");
    }
    let filled = both_images(&old, &new);
    assert_eq!(after::Order::changes_of(&filled).count(), 0);
    assert_eq!(after::Account::changes_of(&filled).count(), 0);
    assert_eq!(after::Order::new_images_of(&filled).count(), 0);
    assert_eq!(after::Order::keys_of(&filled).count(), 0);
    // The consumers of older programs do not know the attributes that were filled.
    assert_eq!(before::Order::changes_of(&filled).count(), 0);
    // With one image, it is a write like others.
    let new_image = event("NEW_IMAGE", Some(&old), Some(&new));
    assert_eq!(after::Order::new_images_of(&new_image).count(), 1);

    after::Order::scan()
        .touch_each()
        .send(&db)
        .await?
        .complete()?;
    let touched = stored(&db).await;
    let change = only(after::Order::changes_of(&both_images(&new, &touched)));
    assert_eq!(change.before(), change.after());
    for old in [&old, &new] {
        let change = only(after::Account::changes_of(&both_images(old, &touched)));
        let cents = change
            .after()
            .map(|after::Account::Order(order)| order.cents);
        assert_eq!(cents, Some(5));
    }
    Ok(())
}

/// A program of the new declaration changes an item that was not filled.
async fn a_write_beside_a_fill_is_shown(db: Db) -> Outcome {
    old_order(&db).await?;
    let old = stored(&db).await;
    let key = after::Order::key("ann", 7);
    let update = key.clone().update().apply(|o| o.region().set("US"));
    update.send(&db).await?;
    let new = stored(&db).await;
    let ChangeEvent::Changed { old, new } =
        only(after::Order::changes_of(&both_images(&old, &new)))
    else {
        panic!("a change");
    };
    assert_eq!((&*old.region, &*new.region), ("EU", "US"));
    assert_eq!((old.cents, old.rank, new.rank), (5, 3, 3));
    // Another value of the default is another value.
    let old = stored(&db).await;
    key.update().apply(|o| o.rank().set(4)).send(&db).await?;
    let new = stored(&db).await;
    assert_eq!(
        after::Order::changes_of(&both_images(&old, &new)).count(),
        1
    );
    assert_eq!(
        after::Account::changes_of(&both_images(&old, &new)).count(),
        1
    );
    Ok(())
}

/// The name is split in shape 2. `writing` still writes shape 1, which has one text for both.
mod shaped {
    macro_rules! shapes {
        ($module:ident, $($shape:tt)*) => {
            pub mod $module {
                use dynamo_entity::prelude::*;

                crate::declare! {
                    pub table Shop(name = "shaped", pk = "pk", sk = "sk", entities(Buyer));
                    pub entity BuyerV1(table = Shop, rename = "Buyer", key(pk = "BUYER#{user}", sk = "INFO"))
                        { pub user: String, pub name: String }
                    pub entity Buyer(table = Shop, key(pk = "BUYER#{user}", sk = "INFO"), $($shape)*)
                        { pub user: String, pub first: String, pub last: String, pub nick: Option<String> }
                }

                impl From<BuyerV1> for Buyer {
                    fn from(old: BuyerV1) -> Self {
                        let (first, last) = old.name.split_once(' ').unwrap_or((&old.name, ""));
                        let (first, last) = (first.to_owned(), last.to_owned());
                        Buyer { user: old.user, first, last, nick: None }
                    }
                }

                impl From<&Buyer> for BuyerV1 {
                    fn from(new: &Buyer) -> Self {
                        let name = format!("{} {}", new.first, new.last);
                        BuyerV1 { user: new.user.clone(), name }
                    }
                }

                #[derive(Debug, Clone, PartialEq, DynamoCollection)]
                #[dynamo(table = Shop, partition(user))]
                pub enum Account {
                    Buyer(Buyer),
                }
            }
        };
    }

    shapes!(writing, shape = 2, writes = 1, was(BuyerV1), into(BuyerV1));
    shapes!(present, shape = 2, was(BuyerV1), into(BuyerV1));

    pub use present::Shop;
}

/// An item of the first shape.
fn first_shape(name: &str) -> Raw {
    let members = [
        ("pk", s("BUYER#ann")),
        ("sk", s("INFO")),
        ("_type", s("Buyer")),
        ("user", s("ann")),
        ("name", s(name)),
    ];
    members.map(|(name, value)| (name.to_owned(), value)).into()
}

fn buyer(first: &str, last: &str) -> shaped::present::Buyer {
    shaped::present::Buyer {
        user: "ann".into(),
        first: first.into(),
        last: last.into(),
        nick: None,
    }
}

async fn an_older_shape_is_upgraded(db: Db) -> Outcome {
    use shaped::present::Buyer;

    let old = first_shape("Ann Lee");
    db.plant::<Buyer>(old.clone()).await;
    let update = Buyer::key("ann").update().apply(|b| b.last().set("Li"));
    update.send(&db).await?;
    let new = db.stored(&Buyer::key("ann")).await;
    assert!(!old.contains_key("_shape") && new.contains_key("_shape"));

    let changed = only(Buyer::changes_of(&both_images(&old, &new)));
    assert_eq!(
        changed,
        ChangeEvent::Changed {
            old: buyer("Ann", "Lee"),
            new: buyer("Ann", "Li")
        }
    );
    let created = event("NEW_IMAGE", None, Some(&old));
    let created = only(Buyer::new_images_of(&created));
    assert_eq!(created, ChangeEvent::Created(buyer("Ann", "Lee")));
    let removed = event("OLD_IMAGE", Some(&old), None);
    let removed = only(Buyer::old_images_of(&removed));
    assert_eq!(removed.before(), Some(&buyer("Ann", "Lee")));
    Ok(())
}

async fn a_fill_of_a_shape_is_not_shown(db: Db) -> Outcome {
    use shaped::present::{Account, Buyer};

    let old = first_shape("Ann Lee");
    db.plant::<Buyer>(old.clone()).await;
    let report = Buyer::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    let new = db.stored(&Buyer::key("ann")).await;
    assert!(new.contains_key("_shape") && new != old);
    assert_eq!(Buyer::changes_of(&both_images(&old, &new)).count(), 0);
    assert_eq!(Account::changes_of(&both_images(&old, &new)).count(), 0);
    Ok(())
}

/// The shape that a program writes lacks a field, which its consumers read nevertheless.
async fn a_shape_that_is_not_written_yet_hides_no_change(db: Db) -> Outcome {
    use shaped::{present, writing};

    buyer_with_nick(&db, None).await?;
    let old = db.stored(&present::Buyer::key("ann")).await;
    buyer_with_nick(&db, Some("Annie".into())).await?;
    let new = db.stored(&present::Buyer::key("ann")).await;
    let changed = both_images(&old, &new);
    let shown = only(writing::Buyer::changes_of(&changed));
    assert_eq!(
        shown.after().and_then(|buyer| buyer.nick.as_deref()),
        Some("Annie")
    );
    assert_eq!(writing::Account::changes_of(&changed).count(), 1);
    Ok(())
}

async fn buyer_with_nick(db: &Db, nick: Option<String>) -> Outcome {
    let buyer = shaped::present::Buyer {
        nick,
        ..buyer("Ann", "Lee")
    };
    buyer.put().send(db).await?;
    Ok(())
}
