//! Unique values: one owner each, whoever races, and no trace of what keeps them.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::testing;
use dynamo_entity::{Failed, Operation};
use serde_json::Value;

use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, n, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_create_takes_its_values,
    a_value_has_one_owner,
    sixty_four_sign_ups_have_one_winner,
    a_missing_part_is_no_value,
    values_do_not_run_together,
    what_is_too_long_is_refused_before_anything_is_sent,
    a_put_takes_and_gives_up,
    a_put_adopts_what_was_there_before,
    an_update_of_a_loaded_entity_changes_a_value,
    an_update_by_key_has_to_know,
    an_update_of_something_else_stays_single,
    an_outdated_entity_changes_nothing,
    a_modify_changes_a_value,
    an_upsert_reads_first,
    a_delete_gives_up,
    a_value_can_be_swapped_for_a_free_one_again_and_again,
    a_value_that_is_anothers_is_not_given_up,
    a_transaction_says_whose_a_value_is,
    values_expire_with_their_owner,
    a_new_time_is_that_of_the_values_too,
    a_look_up_finds_the_owner,
    a_look_up_believes_the_item,
    they_fit_into_transactions,
    a_value_is_handed_over,
    a_hand_over_believes_the_sentinel,
    a_transaction_names_what_it_cannot_know,
    a_value_is_taken_once_in_a_transaction,
    what_took_effect_says_so,
    a_row_that_is_deleted_at_once_was_written,
    sentinels_are_seen_nowhere,
    sentinels_are_no_entities,
    an_index_of_times_shows_no_sentinels,
    a_lost_answer_is_no_second_owner,
    it_is_explained,
    races_leave_what_the_items_say,
    random_writes_leave_what_the_items_say,
];

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "accounts", key(pk = "ACCOUNT#{id}"))]
#[dynamo(unique(by_email, email), unique(by_handle, org, handle))]
struct Account {
    id: u32,
    email: String,
    org: String,
    handle: Option<String>,
    #[dynamo(default)]
    visits: u32,
}

fn account(id: u32, email: &str) -> Account {
    Account {
        id,
        email: email.into(),
        org: "o".into(),
        handle: None,
        visits: 0,
    }
}

#[derive(DynamoTable)]
#[dynamo(name = "club", pk = "pk", sk = "sk", entities(Person, Visit))]
#[dynamo(gsi(gsi1, pk = "gsi1pk"))]
struct Club;

/// In a shared table, with a version, a time to live and an index.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Club, key(pk = "PERSON#{id}", sk = "INFO"))]
#[dynamo(unique(by_badge, badge))]
#[dynamo(gsi(by_badge_kind, on = gsi1, pk = "KIND#{badge}"))]
struct Person {
    id: String,
    badge: Option<u32>,
    name: String,
    #[dynamo(version)]
    version: Version,
    #[dynamo(ttl)]
    until: Option<DateTime<Utc>>,
}

fn person(id: &str, badge: u32) -> Person {
    Person {
        id: id.into(),
        badge: Some(badge),
        name: "x".into(),
        version: Version::default(),
        until: None,
    }
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Club, key(pk = "PERSON#{id}", sk = "VISIT#{day}"))]
struct Visit {
    id: String,
    day: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club)]
enum Everything {
    Person(Person),
    #[dynamo(other)]
    Other(Item),
}

/// A bare partition key: the sort key keeps the sentinels apart.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rooms", key(pk = house, sk = "ROOM#{number}"))]
#[dynamo(unique(by_phone, phone))]
struct Room {
    house: String,
    number: u32,
    phone: Option<u64>,
}

async fn tables(db: &Db) -> Outcome {
    db.create_tables([Account::schema(), Club::schema(), Room::schema()])
        .await?;
    Ok(())
}

/// The sentinels that are stored: their keys, and those of their owners.
async fn sentinels<T: DynamoTable>(db: &Db) -> BTreeMap<String, String> {
    let items = db
        .client()
        .scan()
        .table_name(db.table::<T>())
        .consistent_read(true);
    let items = items
        .into_paginator()
        .items()
        .send()
        .collect::<Result<Vec<_>, _>>()
        .await;
    let text = |value: &AttributeValue| match value {
        AttributeValue::S(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let items = items.expect("a scan").into_iter();
    items
        .filter_map(|item| match item.get("$unique") {
            Some(AttributeValue::M(owner)) => Some((text(&item["pk"]), text(&owner["pk"]))),
            _ => None,
        })
        .collect()
}

fn owned<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    let pairs = pairs.into_iter();
    pairs
        .map(|(value, owner)| (format!("$UNIQUE#{value}"), owner.to_owned()))
        .collect()
}

async fn a_create_takes_its_values(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    let ann = Account {
        handle: Some("ann".into()),
        ..account(1, "a@x")
    };
    assert_eq!(ann.create().send(&faulty).await?, ann);
    assert_eq!(http.calls(), ["TransactWriteItems"]);
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([
            ("email#a@x", "ACCOUNT#0000000001"),
            ("handle,org#ann#o", "ACCOUNT#0000000001")
        ])
    );
    assert_eq!(
        Account::key(1).get().consistent().send(&db).await?,
        Some(ann.clone())
    );
    let again = ann.create().send(&db).await.unwrap_err();
    assert!(again.is_already_exists() && again.failures().next().is_none());
    assert_eq!(again.current::<Account>().transpose()?, Some(ann));
    Ok(())
}

async fn a_value_has_one_owner(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "secret@x").create().send(&db).await?;
    let error = account(2, "secret@x").create().send(&db).await.unwrap_err();
    assert!(error.is_not_unique() && !error.is_already_exists());
    assert_eq!(
        (error.entity(), error.attribute()),
        (Some("Account"), Some("email"))
    );
    assert_eq!(
        error.holder::<Account>().transpose()?,
        Some(Account::key(1))
    );
    assert!(error.holder::<Person>().is_none());
    let made = testing::not_unique("by_email", &Account::key(1));
    assert_eq!(
        (made.kind(), made.attribute()),
        (error.kind(), error.attribute())
    );
    assert_eq!(made.to_string(), error.to_string());
    assert_eq!(made.holder::<Account>().transpose()?, Some(Account::key(1)));
    let unknown = testing::not_unique("by_name", &Account::key(1));
    assert_eq!(unknown.kind(), ErrorKind::Config);
    assert!(error.current::<Account>().is_none());
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
    assert!(db.raw(&Account::key(2)).await.is_none());
    let pair = |id, email| Account {
        handle: Some("h".into()),
        ..account(id, email)
    };
    pair(3, "c@x").create().send(&db).await?;
    let error = pair(4, "d@x").create().send(&db).await.unwrap_err();
    assert_eq!(error.attribute(), Some("org, handle"));
    Account {
        org: "p".into(),
        ..pair(4, "d@x")
    }
    .create()
    .send(&db)
    .await?;
    Ok(())
}

async fn sixty_four_sign_ups_have_one_winner(db: Db) -> Outcome {
    tables(&db).await?;
    let sign_ups = (0..64).map(|id| {
        let db = db.clone();
        tokio::spawn(async move { account(id, "a@x").create().send(&db).await })
    });
    let sign_ups: Vec<_> = sign_ups.collect();
    let mut winners = Vec::new();
    for sign_up in sign_ups {
        match sign_up.await? {
            Ok(account) => winners.push(account.id),
            Err(error) => assert!(error.is_not_unique(), "{error:?}"),
        }
    }
    let [winner] = winners[..] else {
        return Err(format!("{} winners", winners.len()).into());
    };
    assert_eq!(
        Account::by_email("a@x").send(&db).await?.map(|it| it.id),
        Some(winner)
    );
    assert_eq!(Account::scan().count(&db).await?, 1);
    Ok(())
}

async fn a_missing_part_is_no_value(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    for id in ["a", "b"] {
        Person {
            badge: None,
            ..person(id, 0)
        }
        .create()
        .send(&faulty)
        .await?;
    }
    assert_eq!(
        http.calls(),
        ["PutItem"; 2],
        "without a value it is a write like any other"
    );
    for id in [1, 2] {
        account(id, "").create().send(&db).await?;
        assert!(
            sentinels::<Account>(&db).await.is_empty(),
            "nor is empty text one"
        );
    }
    assert!(
        Account::by_email("")
            .send(&db)
            .await
            .is_err_and(|error| error.kind() == ErrorKind::InvalidKey)
    );
    Ok(())
}

async fn values_do_not_run_together(db: Db) -> Outcome {
    tables(&db).await?;
    let pair = |id: u32, org: &str, handle: &str| Account {
        org: org.into(),
        handle: Some(handle.into()),
        ..account(id, &format!("{id}@x"))
    };
    pair(1, "a", "b#c").create().send(&db).await?;
    pair(2, "a#b", "c").create().send(&db).await?;
    pair(3, "a%23b", "c").create().send(&db).await?;
    pair(4, "A", "b#c").create().send(&db).await?;
    let same = pair(5, "a#b", "c").create().send(&db).await.unwrap_err();
    assert_eq!(same.holder::<Account>().transpose()?, Some(Account::key(2)));
    assert_eq!(
        Account::by_handle("a%23b", "c")
            .send(&db)
            .await?
            .map(|it| it.id),
        Some(3)
    );
    Ok(())
}

async fn what_is_too_long_is_refused_before_anything_is_sent(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    let long = account(1, &"x".repeat(2100));
    let error = long.create().send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.key()),
        (ErrorKind::InvalidKey, Some("pk"))
    );
    assert!(http.calls().is_empty());
    account(1, &"x".repeat(2000)).create().send(&db).await?;
    Ok(())
}

async fn a_put_takes_and_gives_up(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").put().send(&db).await?;
    account(1, "b@x").put().send(&db).await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([("email#b@x", "ACCOUNT#0000000001")])
    );
    account(2, "a@x").put().send(&db).await?;
    let taken = account(2, "b@x").put().send(&db).await.unwrap_err();
    assert!(taken.is_not_unique());
    assert_eq!(
        taken.holder::<Account>().transpose()?,
        Some(Account::key(1))
    );
    let (missing, exists) = (account(1, "c@x"), account(9, "c@x"));
    assert!(
        missing
            .put()
            .if_missing()
            .send(&db)
            .await
            .unwrap_err()
            .is_conflict()
    );
    assert!(
        exists
            .put()
            .if_exists()
            .send(&db)
            .await
            .unwrap_err()
            .is_not_found()
    );
    let unfit = missing
        .put()
        .when(|a| a.visits().eq(7))
        .send(&db)
        .await
        .unwrap_err();
    assert!(unfit.is_conflict() && unfit.current::<Account>().is_some());
    // With a version.
    let ann = person("ann", 1).put().send(&db).await?;
    let newer = Person {
        badge: Some(2),
        ..ann.clone()
    }
    .put()
    .send(&db)
    .await?;
    assert_eq!(newer.version, Version::from(2));
    assert!(
        Person {
            badge: Some(3),
            ..ann
        }
        .put()
        .send(&db)
        .await
        .unwrap_err()
        .is_conflict()
    );
    assert_eq!(
        sentinels::<Club>(&db).await,
        owned([("Person#badge#0000000002", "PERSON#ann")])
    );
    Ok(())
}

/// Rows from before the declaration.
async fn a_put_adopts_what_was_there_before(db: Db) -> Outcome {
    tables(&db).await?;
    for id in [1, 2] {
        let item = account(id, "a@x").to_item()?;
        db.plant::<Account>(item).await;
    }
    let first = Account::key(1).get().send(&db).await?.ok_or("planted")?;
    first.put().send(&db).await?;
    let second = Account::key(2).get().send(&db).await?.ok_or("planted")?;
    assert!(second.put().send(&db).await.unwrap_err().is_not_unique());
    // It can get away from the value that is not its own.
    second
        .update()
        .apply(|a| a.email().set("b@x"))
        .send(&db)
        .await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([
            ("email#a@x", "ACCOUNT#0000000001"),
            ("email#b@x", "ACCOUNT#0000000002")
        ])
    );
    Ok(())
}

async fn an_update_of_a_loaded_entity_changes_a_value(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = account(1, "a@x").create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let changes = ann
        .update()
        .apply(|a| (a.email().set("b@x"), a.visits().add(1)));
    let new = changes.send(&faulty).await?;
    assert_eq!((new.email.as_str(), new.visits), ("b@x", 1));
    assert_eq!(
        http.calls(),
        ["TransactWriteItems", "GetItem"],
        "the item is read back"
    );
    new.update()
        .apply(|a| a.handle().set("ann"))
        .returning_nothing()
        .send(&db)
        .await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([
            ("email#b@x", "ACCOUNT#0000000001"),
            ("handle,org#ann#o", "ACCOUNT#0000000001")
        ])
    );
    account(2, "c@x").create().send(&db).await?;
    let taken = new
        .update()
        .apply(|a| a.email().set("c@x"))
        .send(&db)
        .await
        .unwrap_err();
    assert!(taken.is_not_unique());
    let old = new
        .update()
        .apply(|a| a.email().set("d@x"))
        .returning_old()
        .send(&db)
        .await;
    assert_eq!(old.unwrap_err().kind(), ErrorKind::InvalidValue);
    Ok(())
}

async fn an_update_by_key_has_to_know(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let change = || Account::key(1).update().apply(|a| a.email().set("b@x"));
    let refused = change().send(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue);
    assert!(
        refused.to_string().contains("`email`") && refused.to_string().contains("modify"),
        "{refused}"
    );
    assert!(http.calls().is_empty());
    let wrong = change()
        .when(|a| a.email().eq("z@x"))
        .send(&db)
        .await
        .unwrap_err();
    assert!(wrong.is_conflict());
    change().when(|a| a.email().eq("a@x")).send(&db).await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([("email#b@x", "ACCOUNT#0000000001")])
    );
    // A time to live has to be known where values are taken.
    person("ann", 1).create().send(&db).await?;
    let badge = || {
        Person::key("ann")
            .update()
            .apply(|p| p.badge().set(2))
            .when(|p| p.badge().eq(1))
    };
    assert!(
        badge()
            .send(&db)
            .await
            .unwrap_err()
            .to_string()
            .contains("`until`")
    );
    badge().when(|p| p.until().missing()).send(&db).await?;
    assert_eq!(
        sentinels::<Club>(&db).await,
        owned([("Person#badge#0000000002", "PERSON#ann")])
    );
    Ok(())
}

async fn an_update_of_something_else_stays_single(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = account(1, "a@x").create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    Account::key(1)
        .update()
        .apply(|a| a.visits().add(1))
        .send(&faulty)
        .await?;
    ann.update()
        .apply(|a| a.visits().add(1))
        .send(&faulty)
        .await?;
    ann.update()
        .apply(|a| a.email().set("a@x"))
        .send(&faulty)
        .await?;
    Account::key(1)
        .modify(|a| a.visits += 1)
        .send(&faulty)
        .await?;
    assert_eq!(
        http.calls(),
        [
            "UpdateItem",
            "UpdateItem",
            "UpdateItem",
            "GetItem",
            "UpdateItem"
        ]
    );
    Ok(())
}

async fn an_outdated_entity_changes_nothing(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = account(1, "a@x").create().send(&db).await?;
    ann.update()
        .apply(|a| a.email().set("b@x"))
        .send(&db)
        .await?;
    let late = ann
        .update()
        .apply(|a| a.email().set("c@x"))
        .send(&db)
        .await
        .unwrap_err();
    assert!(late.is_conflict(), "{late:?}");
    assert_eq!(
        late.current::<Account>().transpose()?.map(|a| a.email),
        Some("b@x".into())
    );
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([("email#b@x", "ACCOUNT#0000000001")])
    );
    // Set to what it was loaded with, which is no longer there.
    let same = ann.update().apply(|a| a.email().set("a@x")).send(&db).await;
    assert!(same.unwrap_err().is_conflict());
    let gone = account(7, "q@x");
    assert!(
        gone.update()
            .apply(|a| a.email().set("r@x"))
            .send(&db)
            .await
            .unwrap_err()
            .is_not_found()
    );
    Ok(())
}

async fn a_modify_changes_a_value(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    account(2, "b@x").create().send(&db).await?;
    let new = Account::key(1)
        .modify(|a| a.email = "c@x".into())
        .send(&db)
        .await?;
    assert_eq!(new.email, "c@x");
    let taken = Account::key(1)
        .modify(|a| a.email = "b@x".into())
        .send(&db)
        .await;
    assert!(taken.unwrap_err().is_not_unique());
    person("ann", 1).create().send(&db).await?;
    Person::key("ann")
        .modify(|p| p.badge = None)
        .send(&db)
        .await?;
    assert!(sentinels::<Club>(&db).await.is_empty());
    Ok(())
}

async fn an_upsert_reads_first(db: Db) -> Outcome {
    tables(&db).await?;
    let upsert = |email: &'static str| {
        Account::key(1)
            .upsert()
            .apply(move |a| (a.email().set(email), a.org().set("o"), a.visits().add(1)))
    };
    assert_eq!(upsert("a@x").send(&db).await?.visits, 1);
    assert_eq!(upsert("b@x").send(&db).await?.visits, 2);
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([("email#b@x", "ACCOUNT#0000000001")])
    );
    account(2, "c@x").create().send(&db).await?;
    assert!(upsert("c@x").send(&db).await.unwrap_err().is_not_unique());
    Ok(())
}

async fn a_delete_gives_up(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = Account {
        handle: Some("ann".into()),
        ..account(1, "a@x")
    };
    for how in 0..4 {
        let stored = ann.create().send(&db).await?;
        match how {
            0 => stored.delete().send(&db).await?,
            1 => Account::key(1).delete().send(&db).await?,
            2 => Account::key(1).delete().if_exists().send(&db).await?,
            _ => {
                let old = Account::key(1).delete().returning_old().send(&db).await?;
                assert_eq!(old, Some(stored));
            }
        }
        assert!(sentinels::<Account>(&db).await.is_empty() && db.count::<Account>().await == 0);
    }
    Account::key(1).delete().send(&db).await?;
    assert_eq!(
        Account::key(1).delete().returning_old().send(&db).await?,
        None
    );
    assert!(
        Account::key(1)
            .delete()
            .if_exists()
            .send(&db)
            .await
            .unwrap_err()
            .is_not_found()
    );
    let bob = person("bob", 1).create().send(&db).await?;
    bob.update().apply(|p| p.name().set("y")).send(&db).await?;
    assert!(bob.delete().send(&db).await.unwrap_err().is_conflict());
    assert_eq!(sentinels::<Club>(&db).await.len(), 1);
    bob.delete().unchecked().send(&db).await?;
    assert!(sentinels::<Club>(&db).await.is_empty());
    Ok(())
}

async fn a_value_can_be_swapped_for_a_free_one_again_and_again(db: Db) -> Outcome {
    tables(&db).await?;
    let mut ann = account(1, "0@x").create().send(&db).await?;
    for turn in 1..6 {
        let email = format!("{}@x", turn % 2);
        ann = ann
            .update()
            .apply(|a| a.email().set(email))
            .send(&db)
            .await?;
    }
    assert_eq!(sentinels::<Account>(&db).await.len(), 1);
    account(2, "0@x").create().send(&db).await?;
    Ok(())
}

async fn a_value_that_is_anothers_is_not_given_up(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    // A row that others wrote, with a value that is taken.
    db.plant::<Account>(account(2, "a@x").to_item()?).await;
    Account::key(2).delete().send(&db).await?;
    db.plant::<Account>(account(2, "a@x").to_item()?).await;
    account(2, "b@x").put().send(&db).await?;
    Account::key(2)
        .modify(|a| a.email = "c@x".into())
        .send(&db)
        .await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([
            ("email#a@x", "ACCOUNT#0000000001"),
            ("email#c@x", "ACCOUNT#0000000002")
        ])
    );
    Ok(())
}

/// There it cannot be left out.
async fn a_transaction_says_whose_a_value_is(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    db.plant::<Account>(account(2, "a@x").to_item()?).await;
    let new = account(3, "c@x");
    let both = Transaction::new()
        .with(new.create())
        .with(account(2, "a@x").delete());
    let refused = both.send(&db).await.unwrap_err();
    let failed = refused.failures().next().expect("the delete");
    let alone = account(2, "a@x")
        .delete()
        .idempotent()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(failed.key_of::<Account>(), Some(Account::key(2)));
    assert_eq!(failed.index(), 1);
    for error in [failed.error(), &alone] {
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(
            error.to_string().contains("send this write by itself"),
            "{error}"
        );
        assert_eq!(
            error.holder::<Account>().transpose()?,
            Some(Account::key(1))
        );
    }
    account(2, "a@x").delete().send(&db).await?;
    assert_eq!(sentinels::<Account>(&db).await.len(), 1);
    Ok(())
}

async fn values_expire_with_their_owner(db: Db) -> Outcome {
    tables(&db).await?;
    let clock = HandClock::at("2124-01-01T00:00:00Z");
    let at = db.at(&clock);
    let until = |second| Some(moment("2124-01-01T00:00:00Z") + chrono::TimeDelta::seconds(second));
    let ann = Person {
        until: until(10),
        ..person("ann", 1)
    };
    ann.create().send(&at).await?;
    assert!(
        person("bob", 1)
            .create()
            .send(&at)
            .await
            .unwrap_err()
            .is_not_unique()
    );
    clock.advance(11_000);
    // The service has deleted neither yet.
    assert_eq!(Person::by_badge(1_u32).send(&at).await?, None);
    let bob = person("bob", 1).create().send(&at).await?;
    assert_eq!(Person::by_badge(1_u32).send(&at).await?, Some(bob));
    // What is expired gives nothing up that is another's now.
    let ann = Person {
        badge: Some(2),
        ..person("ann", 2)
    };
    ann.create().send(&at).await?;
    Person::key("ann").delete().send(&at).await?;
    assert_eq!(
        sentinels::<Club>(&db).await,
        owned([("Person#badge#0000000001", "PERSON#bob")])
    );
    Ok(())
}

async fn a_new_time_is_that_of_the_values_too(db: Db) -> Outcome {
    tables(&db).await?;
    let time = moment("2034-01-01T00:00:00Z");
    let ann = person("ann", 1).create().send(&db).await?;
    let ttl = async || {
        let key = [("pk", s("$UNIQUE#Person#badge#0000000001")), ("sk", s("$"))];
        let get = db.client().get_item().table_name(db.table::<Club>());
        let get = key
            .into_iter()
            .fold(get, |get, (name, value)| get.key(name, value));
        let item = get
            .consistent_read(true)
            .send()
            .await
            .expect("an answer")
            .item;
        item.expect("a sentinel").get("until").cloned()
    };
    assert_eq!(ttl().await, None);
    let ann = ann
        .update()
        .apply(|p| p.until().set(time))
        .send(&db)
        .await?;
    assert_eq!(ttl().await, Some(n(time.timestamp())));
    Person::key("ann")
        .modify(|p| p.until = None)
        .send(&db)
        .await?;
    assert_eq!(ttl().await, None);
    let refused = Person::key("ann")
        .update()
        .apply(|p| p.until().set(time))
        .send(&db)
        .await;
    assert!(refused.unwrap_err().to_string().contains("`badge`"));
    Person {
        until: Some(time),
        ..ann
    }
    .put()
    .unchecked()
    .send(&db)
    .await?;
    assert_eq!(ttl().await, Some(n(time.timestamp())));
    Ok(())
}

async fn a_look_up_finds_the_owner(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    let ann = Account {
        handle: Some("a#b".into()),
        ..account(1, "a@x")
    };
    ann.create().send(&db).await?;
    assert_eq!(
        Account::by_email("a@x").send(&faulty).await?,
        Some(ann.clone())
    );
    assert_eq!(http.calls(), ["GetItem"; 2]);
    assert!(
        http.seen()
            .iter()
            .all(|seen| String::from_utf8_lossy(&seen.body).contains("\"ConsistentRead\":true"))
    );
    assert_eq!(Account::by_handle("o", "a#b").send(&db).await?, Some(ann));
    assert_eq!(Account::by_email("A@x").send(&db).await?, None);
    let asked = Account::by_email("a@x").explain(&db)?;
    assert_eq!(
        (asked.operation, asked.requests.len()),
        (Some("GetItem"), 1)
    );
    assert!(asked.requests[0].contains("$UNIQUE#"), "{asked:?}");
    let empty = Account::by_email("").send(&db).await.unwrap_err();
    assert_eq!(empty.kind(), ErrorKind::InvalidKey); // nobody can have it
    let room = Room {
        house: "h".into(),
        number: 1,
        phone: Some(5),
    };
    room.create().send(&db).await?;
    assert_eq!(Room::by_phone(5_u64).send(&db).await?, Some(room));
    Ok(())
}

async fn a_look_up_believes_the_item(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    // Others changed the item, and know nothing of sentinels.
    db.plant::<Account>(account(1, "b@x").to_item()?).await;
    assert_eq!(Account::by_email("a@x").send(&db).await?, None);
    let delete = db.client().delete_item().table_name(db.table::<Account>());
    delete.key("pk", s("ACCOUNT#0000000001")).send().await?;
    assert_eq!(Account::by_email("a@x").send(&db).await?, None);
    Ok(())
}

async fn they_fit_into_transactions(db: Db) -> Outcome {
    tables(&db).await?;
    let (ann, bob) = (account(1, "a@x"), account(2, "b@x"));
    let stored = Transaction::new()
        .with(ann.create())
        .with(bob.create())
        .send(&db)
        .await?;
    assert_eq!(
        (stored.get::<Account>(1), stored.all::<Account>().count()),
        (Some(&bob), 2)
    );
    let carl = account(3, "c@x");
    Transaction::new()
        .with(ann.update().apply(|a| a.email().set("d@x")))
        .with(carl.create())
        .with(bob.delete())
        .send(&db)
        .await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([
            ("email#c@x", "ACCOUNT#0000000003"),
            ("email#d@x", "ACCOUNT#0000000001")
        ])
    );
    let (dora, free) = (account(4, "c@x"), account(5, "e@x"));
    let both = Transaction::new().with(free.create()).with(dora.create());
    let error = both.send(&db).await.unwrap_err();
    assert_eq!(error.failures().map(Failed::index).collect::<Vec<_>>(), [1]);
    assert!(error.is_not_unique() && error.attribute() == Some("email"));
    let failed = error.failures().next().ok_or("a failure")?;
    assert_eq!(failed.key_of::<Account>(), Some(Account::key(4))); // and not that of the sentinel
    assert!(failed.key_of::<Room>().is_none() && failed.holder::<Room>().is_none());
    assert_eq!(
        error.holder::<Account>().transpose()?,
        Some(Account::key(3))
    );
    // Each takes two places, so fifty fill a transaction.
    let many: Vec<_> = (100..151)
        .map(|id| account(id, &format!("{id}@x")))
        .collect();
    let all =
        |count: usize| Transaction::new().with_all(many[..count].iter().map(|it| it.create()));
    assert_eq!(
        all(51).send(&db).await.unwrap_err().kind(),
        ErrorKind::InvalidValue
    );
    all(50).send(&db).await?;
    Ok(())
}

/// One gives up what the other takes: one operation on the sentinel, in whatever order.
async fn a_value_is_handed_over(db: Db) -> Outcome {
    tables(&db).await?;
    let (mut ann, mut bob) = (account(1, "a@x"), account(2, "b@x"));
    ann.create().send(&db).await?;
    bob.create().send(&db).await?;
    let owners = async |first: &str, second: &str| {
        let (first, second) = (format!("email#{first}"), format!("email#{second}"));
        let owned = owned([
            (&first, "ACCOUNT#0000000001"),
            (&second, "ACCOUNT#0000000002"),
        ]);
        assert_eq!(sentinels::<Account>(&db).await, owned);
    };
    let gives = |it: &Account, email: &str| {
        it.update()
            .apply(|a| a.email().set(email))
            .returning_nothing()
    };
    let moved = Transaction::new()
        .with(gives(&ann, "c@x"))
        .with(gives(&bob, "a@x"));
    moved.send(&db).await?;
    owners("c@x", "a@x").await;
    (ann.email, bob.email) = ("c@x".into(), "a@x".into());
    // The taker comes first.
    let moved = Transaction::new()
        .with(gives(&bob, "c@x"))
        .with(gives(&ann, "d@x"));
    moved.send(&db).await?;
    owners("d@x", "c@x").await;
    (ann.email, bob.email) = ("d@x".into(), "c@x".into());
    // Each takes what the other has.
    let swap = Transaction::new()
        .with(gives(&ann, "c@x"))
        .with(gives(&bob, "d@x"));
    swap.send(&db).await?;
    owners("c@x", "d@x").await;
    // From one who goes to one who comes.
    (ann.email, bob.email) = ("c@x".into(), "d@x".into());
    let heir = account(3, "d@x");
    let inherited = Transaction::new().with(heir.create()).with(bob.delete());
    inherited.send(&db).await?;
    let left = owned([
        ("email#c@x", "ACCOUNT#0000000001"),
        ("email#d@x", "ACCOUNT#0000000003"),
    ]);
    assert_eq!(sentinels::<Account>(&db).await, left);
    // Two who take one value are none who hands it over.
    let (eve, fay) = (account(7, "z@x"), account(8, "z@x"));
    let both = Transaction::new().with(eve.create()).with(fay.create());
    let error = both.send(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotUnique);
    assert_eq!(
        error.failures().map(Failed::index).collect::<Vec<_>>(),
        [0, 1]
    );
    Ok(())
}

/// What is handed over has to be the giver's.
async fn a_hand_over_believes_the_sentinel(db: Db) -> Outcome {
    tables(&db).await?;
    let bob = account(2, "b@x");
    bob.create().send(&db).await?;
    account(3, "a@x").create().send(&db).await?;
    // Written by others, without its sentinel: the value is that of another.
    let ann = account(1, "a@x");
    db.plant::<Account>(ann.to_item()?).await;
    let before = sentinels::<Account>(&db).await;
    let moved = Transaction::new()
        .with(ann.update().apply(|a| a.email().set("c@x")))
        .with(bob.update().apply(|a| a.email().set("a@x")));
    let error = moved.send(&db).await.unwrap_err();
    assert!(error.is_not_unique(), "{error:?}");
    assert_eq!(error.failures().map(Failed::index).collect::<Vec<_>>(), [1]);
    assert_eq!(
        error.holder::<Account>().transpose()?,
        Some(Account::key(3))
    );
    assert_eq!(sentinels::<Account>(&db).await, before);
    // The giver's row has changed since: nothing is handed over.
    let late = bob.update().apply(|a| a.email().set("e@x"));
    Account::key(2)
        .modify(|a| a.email = "f@x".into())
        .send(&db)
        .await?;
    let taker = account(4, "b@x");
    let moved = Transaction::new().with(late).with(taker.create());
    let error = moved.send(&db).await.unwrap_err();
    assert!(error.is_conflict(), "{error:?}");
    assert!(db.raw(&Account::key(4)).await.is_none());
    Ok(())
}

async fn a_transaction_names_what_it_cannot_know(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    let ann = account(1, "a@x");
    let upsert = Account::key(1)
        .upsert()
        .apply(|a| (a.email().set("b@x"), a.org().set("o")));
    for transaction in [
        Transaction::new().with(ann.put()),
        Transaction::new().with(Account::key(1).delete()),
        Transaction::new().with(upsert),
        Transaction::new().with(Account::key(1).update().apply(|a| a.email().set("b@x"))),
    ] {
        let error = transaction.send(&faulty).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
        assert!(error.to_string().contains("loaded"), "{error}");
    }
    // One value can have one fate.
    let (one, two) = (account(1, "x@x"), account(2, "y@x"));
    let gives = |account: &Account| account.update().apply(|a| a.email().set("z@x"));
    let stale = Account {
        email: "x@x".into(),
        handle: Some("other".into()),
        ..two.clone()
    };
    let error = Transaction::new()
        .with(one.delete())
        .with(stale.delete())
        .send(&faulty)
        .await;
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("the same unique value as operation 0")
    );
    let error = Transaction::new()
        .with(gives(&one))
        .with(gives(&two))
        .send(&faulty)
        .await;
    assert!(error.unwrap_err().is_not_unique());
    assert!(http.calls().is_empty());
    Ok(())
}

/// Two operations of a transaction cannot both have a value, whether somebody gives it up there or not.
async fn a_value_is_taken_once_in_a_transaction(db: Db) -> Outcome {
    tables(&db).await?;
    let giver = account(9, "x@x").create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let takers = [account(1, "x@x"), account(2, "y@x"), account(3, "x@x")];
    for gives in [false, true] {
        let takers = takers.iter().map(Account::create);
        let mut taking = Transaction::new().with_all(takers);
        if gives {
            taking = taking.with(giver.delete());
        }
        let error = taking.send(&faulty).await.unwrap_err();
        assert!(error.is_not_unique() && !error.is_lost_race(), "{error:?}");
        assert_eq!(error.attribute(), Some("email"));
        let failed = error.failures();
        let failed = failed.map(|failed| {
            let key = failed.key_of::<Account>().expect("a key");
            assert!(failed.error().is_not_unique());
            assert_eq!(
                (failed.entity(), failed.attribute()),
                (Some("Account"), Some("email"))
            );
            (failed.index(), key.id)
        });
        assert_eq!(failed.collect::<Vec<_>>(), [(0, 1), (2, 3)]);
        assert!(error.to_string().contains("operation 0"), "{error}");
        assert!(error.to_string().contains("operation 2"), "{error}");
        assert!(!error.to_string().contains("x@x"), "{error}");
    }
    // Of two values together it names both fields.
    let people = [account(4, "d@x"), account(5, "e@x")];
    let people = people.map(|account| Account {
        handle: Some("h".into()),
        ..account
    });
    let error = Transaction::new().with_all(people.iter().map(Account::create));
    let error = error.send(&faulty).await.unwrap_err();
    assert_eq!(error.attribute(), Some("org, handle"));
    assert!(error.is_not_unique());
    assert!(http.calls().is_empty());
    Ok(())
}

/// A transaction returns nothing, so the item is read after it. Where it is gone then, or the read fails, the write is
/// done all the same, and no error says otherwise.
async fn what_took_effect_says_so(db: Db) -> Outcome {
    tables(&db).await?;
    let upserted = |id, email: &str| {
        let email = email.to_owned();
        let upsert = Account::key(id).upsert();
        upsert.apply(|a| (a.email().set(email), a.org().set("o")))
    };
    let gone = || Fault::Reply(200, "{}".into());
    let denied = || Fault::refuse("AccessDeniedException");
    for (round, fault) in [gone as fn() -> Fault, denied].into_iter().enumerate() {
        let ann = account(1, "a@x").put().send(&db).await?;
        // Both verbs that change a value read the item first, but the update of a loaded entity.
        let (faulty, http) = db.faulty([Fault::Pass, fault()]);
        let update = ann.update().apply(|a| a.email().set("b@x"));
        let updated = update.send(&faulty).await;
        assert_eq!(http.calls(), ["TransactWriteItems", "GetItem"]);
        http.plan([Fault::Pass, Fault::Pass, fault()]);
        let modify = Account::key(1).modify(|a| a.email = "c@x".into());
        let modified = modify.send(&faulty).await;
        assert_eq!(http.calls(), ["GetItem", "TransactWriteItems", "GetItem"]);
        http.plan([Fault::Pass, Fault::Pass, fault()]);
        let upserted = upserted(1, "d@x").send(&faulty).await;
        assert_eq!(http.calls(), ["GetItem", "TransactWriteItems", "GetItem"]);
        for error in [updated, modified, upserted].map(Result::unwrap_err) {
            assert_eq!(error.kind(), ErrorKind::TookEffect, "{error:?}");
            assert!(error.took_effect() && !error.is_lost_race());
            assert!(!error.is_not_found() && !error.is_outcome_unknown());
            assert_eq!(error.entity(), Some("Account"));
            assert_eq!(std::error::Error::source(&error).is_some(), round == 1);
        }
        let held = owned([("email#d@x", "ACCOUNT#0000000001")]);
        assert_eq!(sentinels::<Account>(&db).await, held);
        Account::key(1).delete().send(&db).await?;
    }
    Ok(())
}

/// Deleted indeed, by somebody else between the two.
async fn a_row_that_is_deleted_at_once_was_written(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = account(1, "a@x").create().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Pass, Fault::Delay(Duration::from_secs(2))]);
    let update = ann.update().apply(|a| a.email().set("b@x")).send(&faulty);
    let delete = async {
        while http.calls().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Account::key(1).delete().send(&db).await
    };
    let (updated, deleted) = tokio::join!(update, delete);
    deleted?;
    assert!(updated.unwrap_err().took_effect());
    assert!(sentinels::<Account>(&db).await.is_empty());
    Ok(())
}

async fn sentinels_are_seen_nowhere(db: Db) -> Outcome {
    tables(&db).await?;
    let room = Room {
        house: "h".into(),
        number: 1,
        phone: Some(5),
    };
    room.create().send(&db).await?;
    assert_eq!(Room::scan().all(&db).await?, [room]);
    let house = "$UNIQUE#phone#00000000000000000005";
    assert_eq!(Room::in_partition(house).count(&db).await?, 0);
    assert!(Room::key(house, 1).get().send(&db).await?.is_none());

    let ann = person("ann", 7).create().send(&db).await?;
    Visit {
        id: "ann".into(),
        day: 1,
    }
    .create()
    .send(&db)
    .await?;
    assert_eq!(Person::scan().all(&db).await?, std::slice::from_ref(&ann));
    let everything = Everything::scan().all(&db).await?;
    let others = everything
        .iter()
        .filter(|row| matches!(row, Everything::Other(_)));
    assert_eq!(
        (everything.len(), others.count()),
        (2, 1),
        "the visit is another"
    );
    assert_eq!(Person::by_badge_kind(7).all(&db).await?, [ann]);
    assert_eq!(db.count::<Club>().await, 3);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "logins", key(pk = "LOGIN#{id}"), unique(by_token, token))]
#[dynamo(gsi(by_end, pk = ends), gsi(keys_by_end, pk = ends, project = keys))]
struct Login {
    id: u32,
    token: String,
    kind: String,
    #[dynamo(ttl)]
    ends: Option<DateTime<Utc>>,
}

fn login(id: u32, token: &str) -> Login {
    Login {
        id,
        token: token.into(),
        kind: "keep".into(),
        ends: Some(moment("2094-01-01T00:00:00Z")),
    }
}

/// A sentinel has the TTL of its owner, and so the keys of such an index.
async fn an_index_of_times_shows_no_sentinels(db: Db) -> Outcome {
    db.create_tables([Login::schema()]).await?;
    let login = login(1, "t").create().send(&db).await?;
    let end = moment("2094-01-01T00:00:00Z");
    assert_eq!(Login::by_end(end).all(&db).await?, [login]);
    assert_eq!(Login::by_end(end).count(&db).await?, 1);
    let (faulty, http) = db.faulty([]);
    let refused = Login::keys_by_end(end).all(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Rejected);
    assert!(http.calls().is_empty());
    Ok(())
}

async fn sentinels_are_no_entities(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    person("ann", 7).create().send(&db).await?;
    let items = async |table: String| {
        let items = db
            .client()
            .scan()
            .table_name(table)
            .send()
            .await
            .expect("a scan")
            .items;
        let mut items = items.unwrap_or_default().into_iter();
        items
            .find(|item| item.contains_key("$unique"))
            .expect("a sentinel")
    };
    let sentinel = items(db.table::<Account>()).await;
    let error = Account::from_item(sentinel).unwrap_err();
    assert!(
        error.to_string().contains("keeps a unique value"),
        "{error}"
    );
    let sentinel = items(db.table::<Club>()).await;
    assert!(!sentinel.contains_key("gsi1pk"));
    assert!(Person::from_item(sentinel.clone()).is_err());
    assert_eq!(sentinel.get("_type"), Some(&s("$unique")));
    Ok(())
}

async fn a_lost_answer_is_no_second_owner(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([Fault::Lose]);
    let ann = account(1, "a@x").create().send(&faulty).await?;
    assert_eq!(http.calls(), ["TransactWriteItems"; 2]);
    http.plan([Fault::Lose]);
    ann.update()
        .apply(|a| a.email().set("b@x"))
        .send(&faulty)
        .await?;
    http.plan([Fault::Pass, Fault::Lose]);
    account(1, "c@x").put().send(&faulty).await?;
    http.plan([Fault::Pass, Fault::Lose]);
    Account::key(1).delete().send(&faulty).await?;
    assert_eq!(db.count::<Account>().await, 0);
    http.plan([Fault::Io, Fault::Io, Fault::Io]);
    assert!(
        account(1, "a@x")
            .create()
            .send(&faulty)
            .await
            .unwrap_err()
            .is_outcome_unknown()
    );
    Ok(())
}

async fn it_is_explained(db: Db) -> Outcome {
    let ann = account(1, "a@x");
    let parts = |request: &str| -> Vec<String> {
        let request: Value = serde_json::from_str(request).expect("JSON");
        let parts = request["TransactItems"].as_array().into_iter().flatten();
        parts
            .filter_map(|part| part.as_object()?.keys().next().cloned())
            .collect()
    };
    let created = ann.create().explain(&db)?;
    assert_eq!(created.operation, Some("TransactWriteItems"));
    assert_eq!(parts(&created.requests[0]), ["Put", "Put"]);
    let put = ann.put().explain(&db)?;
    assert!(
        put.requests[0].contains("ConsistentRead") && parts(&put.requests[1]) == ["Put", "Put"]
    );
    let updated = ann.update().apply(|a| a.email().set("b@x")).explain(&db)?;
    assert_eq!(parts(&updated.requests[0]), ["Update", "Put", "Delete"]);
    assert_eq!(Account::key(1).delete().explain(&db)?.requests.len(), 2);
    Ok(())
}

/// What the items imply, by the rules of the key.
async fn implied(db: &Db) -> Result<BTreeMap<String, String>> {
    let mut implied = BTreeMap::new();
    for item in Account::scan().consistent().all(db).await? {
        let owner = format!("ACCOUNT#{:010}", item.id);
        implied.insert(format!("$UNIQUE#email#{}", item.email), owner.clone());
        if let Some(handle) = item.handle {
            implied.insert(format!("$UNIQUE#handle,org#{handle}#{}", item.org), owner);
        }
    }
    Ok(implied)
}

/// One write of one kind, on a few accounts and a few values.
async fn any_write(db: &Dynamo, random: &mut fastrand::Rng) -> Result<()> {
    let id = random.u32(0..4);
    let email = format!("{}@x", random.u32(0..6));
    let handle = random.bool().then(|| format!("h{}", random.u32(0..4)));
    let whole = Account {
        handle: handle.clone(),
        ..account(id, &email)
    };
    let loaded = Account::key(id).get().consistent().send(db).await?;
    match (random.u32(0..8), loaded) {
        (0, _) => whole.create().send(db).await.map(drop),
        (1, _) => whole.put().send(db).await.map(drop),
        (2, Some(loaded)) => {
            let change = loaded
                .update()
                .apply(|a| (a.email().set(email), a.visits().add(1)));
            change.send(db).await.map(drop)
        }
        (3, Some(loaded)) => {
            let change = loaded.update().apply(|a| a.handle().set_or_remove(handle));
            change.send(db).await.map(drop)
        }
        (4, _) => {
            let change =
                Account::key(id).modify(|a| (a.email, a.handle) = (email.clone(), handle.clone()));
            change.send(db).await.map(drop)
        }
        (5, _) => {
            let change = Account::key(id).upsert();
            let change =
                change.apply(|a| (a.email().set(email), a.org().set("o"), a.visits().add(1)));
            change.send(db).await.map(drop)
        }
        (6, Some(loaded)) => loaded.delete().send(db).await,
        _ => Account::key(id).delete().send(db).await,
    }
}

async fn random_writes_leave_what_the_items_say(db: Db) -> Outcome {
    tables(&db).await?;
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let (faulty, http) = db.faulty([]);
    for step in 0..150 {
        let faults = (0..4).map(|_| match random.u32(0..12) {
            0 => Fault::Lose,
            1 => Fault::Io,
            2 => Fault::throttle(),
            _ => Fault::Pass,
        });
        http.plan(faults.collect::<Vec<_>>());
        if let Err(error) = any_write(&faulty, &mut random).await {
            let fine = error.is_not_unique()
                || error.is_lost_race()
                || error.is_outcome_unknown()
                || error.took_effect()
                || error.is_throttled()
                || error.is_unavailable();
            assert!(fine, "seed {seed}, step {step}: {error:?}");
        }
        assert_eq!(
            sentinels::<Account>(&db).await,
            implied(&db).await?,
            "seed {seed}, step {step}"
        );
    }
    Ok(())
}

async fn races_leave_what_the_items_say(db: Db) -> Outcome {
    tables(&db).await?;
    let seed = fastrand::u64(..);
    let racers = (0..6).map(|racer| {
        let db = db.clone();
        tokio::spawn(async move {
            let mut random = fastrand::Rng::with_seed(seed + racer);
            for _ in 0..25 {
                if let Err(error) = any_write(&db, &mut random).await {
                    let is_lost = error.is_not_unique() || error.is_lost_race();
                    let fine = is_lost || error.took_effect();
                    assert!(fine, "seed {seed}: {error:?}");
                }
            }
        })
    });
    for racer in racers.collect::<Vec<_>>() {
        racer.await?;
    }
    assert_eq!(
        sentinels::<Account>(&db).await,
        implied(&db).await?,
        "seed {seed}"
    );
    Ok(())
}
