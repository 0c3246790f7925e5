//! Whoever takes a value is its only owner.

use dynamo_entity::prelude::*;
use dynamo_entity::testing;

use super::{Account, Person, account, owned, person, sentinels, tables};
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_create_takes_its_values,
    a_value_has_one_owner,
    sixty_four_sign_ups_have_one_winner,
    a_missing_part_is_no_value,
    values_do_not_run_together,
    what_is_too_long_is_refused_before_anything_is_sent,
];

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
    assert!(again.is_already_exists() && again.failures().is_empty());
    assert_eq!(again.current::<Account>()?, Some(ann));
    Ok(())
}

async fn a_value_has_one_owner(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "secret@x").create().send(&db).await?;
    let error = account(2, "secret@x").create().send(&db).await.unwrap_err();
    assert!(error.is_unique_violation() && !error.is_already_exists());
    assert_eq!(
        (error.entity(), error.attribute()),
        (Some("Account"), Some("email"))
    );
    assert_eq!(error.holder::<Account>()?, Some(Account::key(1)));
    assert!(error.holder::<Person>()?.is_none());
    let made = testing::not_unique("by_email", &Account::key(1));
    assert_eq!(
        (made.kind(), made.attribute()),
        (error.kind(), error.attribute())
    );
    assert_eq!(made.to_string(), error.to_string());
    assert_eq!(made.holder::<Account>()?, Some(Account::key(1)));
    let unknown = testing::not_unique("by_name", &Account::key(1));
    assert_eq!(unknown.kind(), ErrorKind::Config);
    assert!(error.current::<Account>()?.is_none());
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
            Err(error) => assert!(error.is_unique_violation(), "{error:?}"),
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
    assert_eq!(same.holder::<Account>()?, Some(Account::key(2)));
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
        (error.kind(), error.key_attribute()),
        (ErrorKind::InvalidKey, Some("pk"))
    );
    assert!(http.calls().is_empty());
    account(1, &"x".repeat(2000)).create().send(&db).await?;
    Ok(())
}
