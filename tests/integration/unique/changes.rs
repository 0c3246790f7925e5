//! Puts, updates and deletes: which values they take and give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dynamo_entity::prelude::*;
use tokio::task::JoinSet;

use super::{Account, Club, Person, account, owned, person, sentinels, tables};
use crate::support::db::Db;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    many_puts_of_one_item_go_one_after_the_other,
    a_put_takes_and_gives_up,
    a_put_adopts_what_was_there_before,
    a_stored_item_without_the_value_is_reported(OldMember),
    an_update_of_a_loaded_entity_changes_a_value,
    an_update_by_key_has_to_know,
    an_update_of_something_else_stays_single,
    an_outdated_entity_changes_nothing,
    a_modify_changes_a_value,
    an_upsert_reads_first,
    a_delete_gives_up,
    a_value_can_be_swapped_for_a_free_one_again_and_again,
    a_value_that_is_anothers_is_not_given_up,
    a_value_that_becomes_the_items_own_is_released,
];

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
    assert!(taken.is_unique_violation());
    assert_eq!(taken.holder::<Account>()?, Some(Account::key(1)));
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
    assert!(unfit.is_conflict() && unfit.current::<Account>()?.is_some());
    // The same with a version.
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

/// These rows were stored before the value was declared unique.
async fn a_put_adopts_what_was_there_before(db: Db) -> Outcome {
    tables(&db).await?;
    for id in [1, 2] {
        let item = account(id, "a@x").to_item()?;
        db.plant::<Account>(item).await;
    }
    let first = Account::key(1).get().send(&db).await?.ok_or("planted")?;
    first.put().send(&db).await?;
    let second = Account::key(2).get().send(&db).await?.ok_or("planted")?;
    assert!(
        second
            .put()
            .send(&db)
            .await
            .unwrap_err()
            .is_unique_violation()
    );
    // The row can still change away from a value that belongs to another row.
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

/// The value of another item is released there, and taken for this one, between two attempts to change it.
async fn a_value_that_becomes_the_items_own_is_released(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").put().send(&db).await?;
    let item = account(2, "a@x").to_item()?;
    db.plant::<Account>(item).await;
    let second = Account::key(2).get().send(&db).await?.ok_or("planted")?;

    let (other, sent) = (db.of_another_process(), AtomicUsize::new(0));
    let unchanged = second.clone();
    let watched = Dynamo::clone(&db).with_observer(move |_| {
        if sent.fetch_add(1, Ordering::SeqCst) == 0 {
            meanwhile(Account::key(1).delete().send(&other)).expect("a delete");
            meanwhile(unchanged.put().send(&other)).expect("the value is free");
        }
    });
    let update = second.update().apply(|a| a.email().set("b@x"));
    update.send(&watched).await?;
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([("email#b@x", "ACCOUNT#0000000002")])
    );
    Ok(())
}

crate::declare! {
    entity OldMember(table = "members", key(pk = "MEMBER#{id}"), unique(by_email, email)) { id: u32, email: String }
    entity NewMember(table = "members", key(pk = "MEMBER#{id}"), unique(by_email, mail, rename = "email"))
        { id: u32, mail: String }
}

/// The attribute of the value was renamed, so new items have it and the stored item does not.
async fn a_stored_item_without_the_value_is_reported(db: Db) -> Outcome {
    let old = OldMember {
        id: 1,
        email: "s3cr3t@x".into(),
    };
    old.create().send(&db).await?;
    let new = NewMember {
        id: 1,
        mail: "s3cr3t@x".into(),
    };
    let errors = [
        new.put().send(&db).await.unwrap_err(),
        NewMember::key(1)
            .upsert()
            .apply(|m| m.mail().set("other@x"))
            .send(&db)
            .await
            .unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.attribute(), Some("mail"), "{error}");
        assert!(
            error
                .to_string()
                .contains("the stored item has no such attribute"),
            "{error}"
        );
        assert!(!error.to_string().contains("s3cr3t"));
    }
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
    assert!(taken.is_unique_violation());
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
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
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
    // A write that takes a value has to know the TTL of the row.
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
    assert!(
        late.to_string().contains("the unique value `email`"),
        "{late}"
    );
    assert_eq!(
        late.current::<Account>()?.map(|a| a.email),
        Some("b@x".into())
    );
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([("email#b@x", "ACCOUNT#0000000001")])
    );
    // The update sets the value that was loaded, but the stored item has another one now.
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
    assert!(taken.unwrap_err().is_unique_violation());
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
    assert!(
        upsert("c@x")
            .send(&db)
            .await
            .unwrap_err()
            .is_unique_violation()
    );
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
    // Another program wrote this row, with a value that is taken.
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

/// A task that has lost waits for the others and needs one attempt more, so that many need few.
async fn many_puts_of_one_item_go_one_after_the_other(db: Db) -> Outcome {
    const TASKS: usize = 64;
    tables(&db).await?;
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let watched = (*db).clone().with_observer(move |request| {
        if request.operation == "TransactWriteItems" {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    account(1, "a@x").put().send(&db).await?;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let db = watched.clone();
        tasks.spawn(async move { account(1, &format!("{task}@x")).put().send(&db).await });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    // Without a line of their own they were 26 for each. A busy server makes some of them repeat.
    let sent = sent.load(Ordering::Relaxed);
    assert!(sent <= 6 * TASKS, "{sent} for {TASKS}");
    let last = Account::key(1).get().consistent().send(&db).await?;
    let email = format!("email#{}", last.ok_or("an account")?.email);
    assert_eq!(
        sentinels::<Account>(&db).await,
        owned([(&*email, "ACCOUNT#0000000001")])
    );
    Ok(())
}
