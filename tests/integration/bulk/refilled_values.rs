//! A refill lets rows take their unique values, and releases values that no row has.
#![allow(
    clippy::duplicated_attributes,
    reason = "two unique values may have one field"
)]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use dynamo_entity::RetryBudget;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use super::refill::{Random, items_of, killed};
use crate::support::db::{Db, Raw, s};
use crate::support::rewriting::Rewriting;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_refill_keeps_unique_values(People),
    a_refill_keeps_unique_values_in_own_tables(after::Member),
    a_refill_reports_values_that_two_rows_have(People),
    a_refill_leaves_values_of_other_declarations(People),
    a_sentinel_whose_owner_comes_back_is_kept(People),
    a_sentinel_that_another_item_takes_is_kept(People),
    a_value_whose_owner_comes_back_is_not_taken(People),
    a_value_that_another_row_has_taken_is_not_reported(People),
    a_row_that_changes_between_all_reads_is_reported(People),
];

/// The declaration of the programs that ran before.
mod before {
    use dynamo_entity::prelude::*;

    crate::declare! {
        pub table People(name = "refilled_people", pk = "pk", entities(Person));
        pub entity Person(table = People, key(pk = "P#{id}"))
            { pub id: u32, pub email: Option<String>, pub name: String, #[dynamo(ttl)] pub expires: Option<i64>,
              #[dynamo(version)] pub version: Version }
        pub entity Member(table = "members", key(pk = "M#{id}")) { pub id: u32, pub email: String }
    }
}

/// The last declaration, which looks the values up.
mod after {
    use dynamo_entity::prelude::*;

    crate::declare! {
        pub table People(name = "refilled_people", pk = "pk", entities(Person));
        pub entity Person(table = People, key(pk = "P#{id}"), unique(by_email, email), unique(by_name, name, email))
            { pub id: u32, pub email: Option<String>, pub name: String, #[dynamo(ttl)] pub expires: Option<i64>,
              #[dynamo(version)] pub version: Version }
        /// A person with a table of its own.
        pub entity Member(table = "members", key(pk = "M#{id}"), unique(by_email, email))
            { pub id: u32, pub email: String }
    }
}

crate::declare! {
    table People(name = "refilled_people", pk = "pk", entities(Person));
    entity Person(table = People, key(pk = "P#{id}"), unique(by_email, email, filling),
        unique(by_name, name, email, filling))
        { id: u32, email: Option<String>, name: String, #[dynamo(ttl)] expires: Option<i64>,
          #[dynamo(version)] version: Version }
}

fn old_person(id: u32, email: u32) -> before::Person {
    before::Person {
        id,
        email: (!id.is_multiple_of(7)).then(|| format!("{email}@x")),
        name: "ann".into(),
        expires: id.is_multiple_of(5).then_some(4_000_000_000),
        version: Version::default(),
    }
}

/// Programs of both declarations create, change and delete people. No two have an email at the same time.
async fn people(db: &Db, seed: u64) -> Result<()> {
    let mut rng = fastrand::Rng::with_seed(seed);
    for id in 0..50 {
        let old = old_person(id, id);
        if rng.bool() {
            old.create().send(db).await?;
            continue;
        }
        let person = Person {
            id,
            email: old.email,
            name: old.name,
            expires: old.expires,
            version: Version::default(),
        };
        person.create().send(db).await?;
    }
    for step in 0..40 {
        let id = rng.u32(..50);
        let key = before::Person::key(id);
        let Some(person) = key.clone().get().consistent().send(db).await? else {
            continue;
        };
        match rng.u8(..5) {
            0 => drop(key.delete().send(db).await?),
            1 => {
                let change = before::Person {
                    email: None,
                    ..person
                };
                change.put().send(db).await?;
            }
            2 => {
                let change = before::Person {
                    expires: Some(4_100_000_000),
                    ..person
                };
                change.put().send(db).await?;
            }
            // Another person may have it later, for whom the old sentinel is in the way.
            _ => {
                let taken = before::Person::scan().consistent().all(db).await?;
                let email = format!("{}@x", rng.u32(..50));
                let is_free = !taken
                    .iter()
                    .any(|other| other.email.as_ref() == Some(&email));
                let change = before::Person {
                    email: Some(if is_free {
                        email
                    } else {
                        format!("new {step}@x")
                    }),
                    ..person
                };
                change.put().send(db).await?;
            }
        }
    }
    Ok(())
}

/// Every person owns its values, and no other sentinel exists.
async fn assert_claimed(db: &Db) -> Outcome {
    let other = Db::open(db.mode()).await?;
    other.create_tables([People::schema()]).await?;
    for person in Person::scan().consistent().all(db).await? {
        person.put().as_is().send(&other).await?;
    }
    let (stored, fresh) = (
        items_of::<People>(db).await,
        items_of::<People>(&other).await,
    );
    other.close().await?;
    assert_eq!(stored, fresh);
    assert_eq!(Person::scan().unfilled(db).await?, 0);
    let again = Person::scan().refill().send(db).await?.complete()?;
    assert_eq!((again.written, again.unchanged), (0, stored.len() as u64));
    assert_eq!(items_of::<People>(db).await, stored);
    Ok(())
}

async fn a_refill_keeps_unique_values(db: Db) -> Outcome {
    for seed in 0..4 {
        people(&db, seed).await?;
        let before = Person::scan().consistent().all(&db).await?;
        let differ = Person::scan().unfilled(&db).await?;
        assert!(differ > 10, "{differ}");
        let mut random = Random(fastrand::Rng::with_seed(seed));
        // Some runs are killed, and all of them lose answers.
        for rows in [5, 20, u64::MAX] {
            let (faulty, _) = db.faulty(random.faults(300));
            let job = Person::scan().page_size(9).refill().concurrency(3);
            let job = job.budget(RetryBudget::rounds(50));
            if let Some(report) = killed(job, &faulty, rows).await {
                report?.complete()?;
            }
        }
        assert_claimed(&db).await?;
        assert_eq!(Person::scan().consistent().all(&db).await?, before);
        for person in &before {
            if let Some(email) = &person.email {
                let found = after::Person::by_email(email).send(&db).await?;
                assert_eq!(found.map(|found| found.id), Some(person.id));
            }
            after::Person::key(person.id).delete().send(&db).await?;
        }
        assert_eq!(db.count::<People>().await, 0);
    }
    Ok(())
}

/// Such a table has no types by which sentinels are told.
async fn a_refill_keeps_unique_values_in_own_tables(db: Db) -> Outcome {
    for id in 0..10 {
        let email = format!("{id}@x");
        before::Member { id, email }.put().send(&db).await?;
    }
    let fill = async || after::Member::scan().refill().send(&db).await?.complete();
    assert_eq!(fill().await?.written, 10);
    for id in 0..10 {
        let member = after::Member::by_email(format!("{id}@x"));
        assert_eq!(member.send(&db).await?.map(|found| found.id), Some(id));
    }
    // A program of the old declaration leaves the sentinel.
    before::Member::key(3u32).delete().send(&db).await?;
    assert_eq!(after::Member::scan().unfilled(&db).await?, 1);
    assert_eq!(fill().await?.written, 1);
    assert_eq!(db.count::<after::Member>().await, 18);
    assert_eq!(fill().await?.written, 0);
    Ok(())
}

async fn a_refill_reports_values_that_two_rows_have(db: Db) -> Outcome {
    for id in [1, 2, 3] {
        let person = before::Person {
            email: Some(if id < 3 { "same@x" } else { "other@x" }.into()),
            ..old_person(id, 0)
        };
        person.create().send(&db).await?;
    }
    let report = Person::scan().refill().concurrency(1).send(&db).await?;
    assert_eq!((report.written, report.failed), (2, 1));
    let error = report.errors()[0].error();
    assert!(error.is_unique_violation(), "{error}");
    let failed = report.errors()[0].key_of::<Person>()?.expect("a key");
    let owner = error.holder::<Person>()?.expect("the holder");
    let mut both = [failed, owner].map(|key| format!("{:?}", key.to_item().expect("a key")));
    both.sort();
    let keys = [1u32, 2].map(|id| format!("{:?}", Person::key(id).to_item().expect("a key")));
    assert_eq!(both, keys);
    let refused = Person::scan().unfilled(&db).await.expect_err("an error");
    assert!(refused.is_unique_violation(), "{refused}");
    Ok(())
}

/// A sentinel of a unique value that this program does not declare, or of another entity, may be in use.
async fn a_refill_leaves_values_of_other_declarations(db: Db) -> Outcome {
    let owner: HashMap<_, _> = [("pk".to_owned(), s("P#77"))].into_iter().collect();
    for pk in ["$UNIQUE#Person#phone#5", "$UNIQUE#Robot#email#a"] {
        let item = [
            ("pk", s(pk)),
            ("_type", s("$unique")),
            ("$unique", AttributeValue::M(HashMap::clone(&owner))),
        ];
        let item: Raw = item.map(|(name, value)| (name.to_owned(), value)).into();
        db.plant::<Person>(item).await;
    }
    let report = Person::scan().refill().send(&db).await?.complete()?;
    assert_eq!((report.written, db.count::<People>().await), (0, 2));
    Ok(())
}

/// A connection on which another program acts after the job has found so many times that the owner of a sentinel is missing,
/// and before the job's write.
fn after_missing_owners(
    db: &Db,
    times: usize,
    act: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Dynamo {
    let missing = AtomicUsize::new(0);
    let http = Rewriting::new(db.engine().http_client(), move |answer| {
        let finds = answer.body.windows(6).any(|name| name == b"\"Item\"");
        let is_missing = answer.operation == "GetItem" && !finds;
        if is_missing && missing.fetch_add(1, Ordering::SeqCst) + 1 == times {
            act().expect("the other program acts");
        }
    });
    let http = SharedHttpClient::new(http);
    db.through(db.engine().config().http_client(http))
}

/// The sentinel of an email names a person that an old program has deleted.
async fn leave_a_sentinel(db: &Db, id: u32, email: u32) -> Result<()> {
    let old = old_person(id, email);
    let person = Person {
        id,
        email: old.email,
        name: old.name,
        expires: old.expires,
        version: old.version,
    };
    person.create().send(db).await?;
    before::Person::key(id).delete().send(db).await
}

/// The person that has an email, by its sentinel.
async fn owner_of_email(db: &Db, email: u32) -> Result<Option<u32>> {
    let found = after::Person::by_email(format!("{email}@x"))
        .send(db)
        .await?;
    Ok(found.map(|person| person.id))
}

async fn a_sentinel_whose_owner_comes_back_is_kept(db: Db) -> Outcome {
    leave_a_sentinel(&db, 1, 1).await?;
    let other = db.clone();
    let racing = after_missing_owners(&db, 1, move || {
        meanwhile(old_person(1, 1).create().send(&other)).map(drop)
    });
    let job = Person::scan().refill().concurrency(1).send(&racing).await;
    assert!(
        job?.errors()
            .iter()
            .all(|failed| failed.error().is_conflict())
    );
    assert_eq!(owner_of_email(&db, 1).await?, Some(1));
    Person::scan().refill().send(&db).await?.complete()?;
    assert_claimed(&db).await
}

async fn a_sentinel_that_another_item_takes_is_kept(db: Db) -> Outcome {
    leave_a_sentinel(&db, 1, 1).await?;
    let other = db.clone();
    let racing = after_missing_owners(&db, 1, move || {
        // Another run of the same job, and then a program that takes the free value.
        meanwhile(Person::scan().refill().send(&other))?.complete()?;
        let person = Person {
            id: 2,
            email: Some("1@x".into()),
            name: "ann".into(),
            expires: None,
            version: Version::default(),
        };
        meanwhile(person.create().send(&other)).map(drop)
    });
    let job = Person::scan().refill().concurrency(1).send(&racing).await;
    assert!(
        job?.errors()
            .iter()
            .all(|failed| failed.error().is_conflict())
    );
    assert_eq!(owner_of_email(&db, 1).await?, Some(2));
    assert_claimed(&db).await
}

async fn a_value_whose_owner_comes_back_is_not_taken(db: Db) -> Outcome {
    leave_a_sentinel(&db, 1, 1).await?;
    old_person(2, 1).create().send(&db).await?;
    let other = db.clone();
    // A person has two unique values.
    let racing = after_missing_owners(&db, 2, move || {
        meanwhile(old_person(1, 1).create().send(&other)).map(drop)
    });
    // Without the sentinel, which is swept otherwise.
    let second = Person::scan().filter(|person| person.id().eq(2));
    let report = second.refill().send(&racing).await?;
    assert!(report.failed >= 1, "{report:?}");
    assert_eq!(owner_of_email(&db, 1).await?, Some(1));
    let report = Person::scan().refill().send(&db).await?;
    assert_eq!(report.failed, 1);
    assert!(report.errors()[0].error().is_unique_violation());
    Ok(())
}

/// The scan has read the old value of a row, which another row has by now.
async fn a_value_that_another_row_has_taken_is_not_reported(db: Db) -> Outcome {
    let person = |id: u32| Person {
        id,
        email: Some(format!("{id}@x")),
        name: "ann".into(),
        expires: None,
        version: Version::default(),
    };
    for is_counted in [false, true] {
        db.truncate([People::schema()]).even_on_aws().await?;
        for id in [1, 2] {
            person(id).create().send(&db).await?;
        }
        let (other, is_done) = (db.clone(), AtomicBool::new(false));
        let racing = Dynamo::clone(&db).with_observer(move |event| {
            if event.operation == "Scan" && !is_done.swap(true, Ordering::SeqCst) {
                for (id, email) in [(2, "3@x"), (1, "2@x")] {
                    let give = Person::key(id).modify(|person| person.email = Some(email.into()));
                    meanwhile(give.send(&other)).unwrap();
                }
            }
        });
        if is_counted {
            assert_eq!(Person::scan().unfilled(&racing).await?, 0);
        } else {
            Person::scan().refill().send(&racing).await?.complete()?;
        }
        assert_eq!(owner_of_email(&db, 2).await?, Some(1));
        assert_claimed(&db).await?;
    }
    Ok(())
}

/// Two rows have one value, and an old program changes the second one whenever the job has read an item. The job ends all
/// the same.
async fn a_row_that_changes_between_all_reads_is_reported(db: Db) -> Outcome {
    const MANY: usize = 300;
    for is_counted in [false, true] {
        db.truncate([People::schema()]).even_on_aws().await?;
        let owner = Person {
            id: 1,
            email: Some("1@x".into()),
            name: "ann".into(),
            expires: None,
            version: Version::default(),
        };
        owner.create().send(&db).await?;
        old_person(2, 1).create().send(&db).await?;
        let (other, reads) = (db.clone(), Arc::new(AtomicUsize::new(0)));
        let seen = reads.clone();
        let racing = Dynamo::clone(&db).with_observer(move |event| {
            if event.operation == "GetItem" && seen.fetch_add(1, Ordering::SeqCst) < MANY {
                let busy = before::Person::key(2).modify(|person| {
                    person.expires = Some(person.expires.unwrap_or(4_000_000_000) + 1);
                });
                meanwhile(busy.send(&other)).unwrap();
            }
        });
        if is_counted {
            let error = Person::scan().unfilled(&racing).await.err();
            assert!(
                error
                    .ok_or("two rows have one value")?
                    .is_unique_violation()
            );
        } else {
            let report = Person::scan().refill().send(&racing).await?;
            assert_eq!(report.failed, 1, "{report:?}");
            assert!(report.errors()[0].error().is_unique_violation());
        }
        let reads = reads.load(Ordering::SeqCst);
        assert!(reads < MANY, "{reads} reads");
    }
    Ok(())
}
