//! Unique values in transactions: each is taken once, and may be handed over.

use dynamo_entity::error::Failed;
use dynamo_entity::prelude::*;

use super::{Account, Room, account, owned, sentinels, tables};
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_transaction_says_whose_a_value_is,
    unique_values_work_in_transactions,
    a_value_is_handed_over,
    only_the_owner_can_hand_over_a_value,
    a_transaction_names_what_it_cannot_know,
    a_value_is_taken_once_in_a_transaction,
];

/// A transaction cannot leave out the value of another row, as a single delete does.
async fn a_transaction_says_whose_a_value_is(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    db.plant::<Account>(account(2, "a@x").to_item()?).await;
    let new = account(3, "c@x");
    let both = Transaction::new()
        .with(new.create())
        .with(account(2, "a@x").delete());
    let refused = both.send(&db).await.unwrap_err();
    let failed = refused.failures().first().expect("the delete");
    let alone = account(2, "a@x")
        .delete()
        .idempotent()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(failed.key_of::<Account>()?, Some(Account::key(2)));
    assert_eq!(failed.index(), 1);
    for error in [failed.error(), &alone] {
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(
            error.to_string().contains("send the write alone"),
            "{error}"
        );
        assert_eq!(error.holder::<Account>()?, Some(Account::key(1)));
    }
    account(2, "a@x").delete().send(&db).await?;
    assert_eq!(sentinels::<Account>(&db).await.len(), 1);
    Ok(())
}

async fn unique_values_work_in_transactions(db: Db) -> Outcome {
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
    assert_eq!(
        error
            .failures()
            .iter()
            .map(Failed::index)
            .collect::<Vec<_>>(),
        [1]
    );
    assert!(error.is_unique_violation() && error.attribute() == Some("email"));
    let failed = error.failures().first().ok_or("a failure")?;
    assert_eq!(failed.key_of::<Account>()?, Some(Account::key(4))); // It is not the key of the sentinel.
    assert!(failed.key_of::<Room>()?.is_none() && failed.error().holder::<Room>()?.is_none());
    assert_eq!(error.holder::<Account>()?, Some(Account::key(3)));
    // Each create takes two places, so fifty fill a transaction.
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

/// One operation gives up a value and another takes it, in any order: the sentinel is written once.
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
    // Here the taker comes before the giver.
    let moved = Transaction::new()
        .with(gives(&bob, "c@x"))
        .with(gives(&ann, "d@x"));
    moved.send(&db).await?;
    owners("d@x", "c@x").await;
    (ann.email, bob.email) = ("d@x".into(), "c@x".into());
    // The two accounts swap their values.
    let swap = Transaction::new()
        .with(gives(&ann, "c@x"))
        .with(gives(&bob, "d@x"));
    swap.send(&db).await?;
    owners("c@x", "d@x").await;
    // A deleted row hands its value over to a new one.
    (ann.email, bob.email) = ("c@x".into(), "d@x".into());
    let heir = account(3, "d@x");
    let inherited = Transaction::new().with(heir.create()).with(bob.delete());
    inherited.send(&db).await?;
    let left = owned([
        ("email#c@x", "ACCOUNT#0000000001"),
        ("email#d@x", "ACCOUNT#0000000003"),
    ]);
    assert_eq!(sentinels::<Account>(&db).await, left);
    // Two rows that take the same value are no hand-over.
    let (eve, fay) = (account(7, "z@x"), account(8, "z@x"));
    let both = Transaction::new().with(eve.create()).with(fay.create());
    let error = both.send(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    assert_eq!(
        error
            .failures()
            .iter()
            .map(Failed::index)
            .collect::<Vec<_>>(),
        [0, 1]
    );
    Ok(())
}

/// A value can only be handed over by its owner.
async fn only_the_owner_can_hand_over_a_value(db: Db) -> Outcome {
    tables(&db).await?;
    let bob = account(2, "b@x");
    bob.create().send(&db).await?;
    account(3, "a@x").create().send(&db).await?;
    // Another program wrote this row without a sentinel, and its value belongs to another row.
    let ann = account(1, "a@x");
    db.plant::<Account>(ann.to_item()?).await;
    let before = sentinels::<Account>(&db).await;
    let moved = Transaction::new()
        .with(ann.update().apply(|a| a.email().set("c@x")))
        .with(bob.update().apply(|a| a.email().set("a@x")));
    let error = moved.send(&db).await.unwrap_err();
    assert!(error.is_unique_violation(), "{error:?}");
    assert_eq!(
        error
            .failures()
            .iter()
            .map(Failed::index)
            .collect::<Vec<_>>(),
        [1]
    );
    assert_eq!(error.holder::<Account>()?, Some(Account::key(3)));
    assert_eq!(sentinels::<Account>(&db).await, before);
    // The giver's row has changed since it was loaded, so nothing is handed over.
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
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{error}");
        assert!(error.to_string().contains("loaded"), "{error}");
    }
    // A transaction can do only one thing with each value.
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
    assert!(error.unwrap_err().is_unique_violation());
    assert!(http.calls().is_empty());
    Ok(())
}

/// Two operations of a transaction cannot take the same value, whether a third one gives it up or not.
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
        assert!(
            error.is_unique_violation() && !error.is_lost_race(),
            "{error:?}"
        );
        assert_eq!(error.attribute(), Some("email"));
        let failed = error.failures().iter();
        let failed = failed.map(|failed| {
            let key = failed.key_of::<Account>().unwrap().expect("a key");
            assert!(failed.error().is_unique_violation());
            assert_eq!(
                (failed.error().entity(), failed.error().attribute()),
                (Some("Account"), Some("email"))
            );
            (failed.index(), key.id)
        });
        assert_eq!(failed.collect::<Vec<_>>(), [(0, 1), (2, 3)]);
        assert!(error.to_string().contains("operation 0"), "{error}");
        assert!(error.to_string().contains("operation 2"), "{error}");
        assert!(!error.to_string().contains("x@x"), "{error}");
    }
    // For a value of two fields, the error names both.
    let people = [account(4, "d@x"), account(5, "e@x")];
    let people = people.map(|account| Account {
        handle: Some("h".into()),
        ..account
    });
    let error = Transaction::new().with_all(people.iter().map(Account::create));
    let error = error.send(&faulty).await.unwrap_err();
    assert_eq!(error.attribute(), Some("org, handle"));
    assert!(error.is_unique_violation());
    // An item that is written twice repeats its values too, and the item is the mistake.
    let twice = Transaction::new()
        .with(takers[0].create())
        .with(takers[0].create());
    let error = twice.send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue);
    assert_eq!(error.failures().len(), 1);
    assert!(error.to_string().contains("on the same item as"), "{error}");
    assert!(http.calls().is_empty());
    Ok(())
}
