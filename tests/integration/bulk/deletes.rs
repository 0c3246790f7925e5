//! `delete_each` reads only keys, and deletes only rows that still match.

use std::collections::BTreeMap;

use dynamo_entity::RetryBudget;
use dynamo_entity::prelude::*;

use super::{Row, State, counts, rows};
use crate::support::db::{Db, s};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_partition_is_deleted,
    all_entities_of_a_partition_are_deleted(Accounts),
    only_keys_are_read,
    rows_that_do_not_decode_are_deleted,
    a_filter_is_asked_again,
    a_row_that_left_the_index_stays,
    tables_are_emptied_and_stay,
    only_engines_on_this_machine_are_emptied,
    many_rows_are_deleted_by_one_request,
    an_unchecked_delete_takes_rows_that_changed,
    unchecked_deletes_lose_no_row,
];

async fn a_partition_is_deleted(db: Db) -> Outcome {
    rows(&db, 300).await?;
    let other = Row {
        group: "b".into(),
        ..super::row(1)
    };
    other.put().send(&db).await?;
    let report = Row::in_partition("a")
        .page_size(70)
        .delete_each()
        .concurrency(20)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 300);
    assert_eq!(Row::scan().all(&db).await?, [other]);
    Ok(())
}

crate::declare! {
    table Accounts(name = "accounts", pk = "pk", sk = "sk", entities(User, Order, Invoice));
    entity User(table = Accounts, key(pk = "U#{user}", sk = "INFO")) { user: String }
    entity Order(table = Accounts, key(pk = "U#{user}", sk = "ORDER#{number:05}"))
        { user: String, number: u32, #[dynamo(version)] version: Version }
    entity Invoice(table = Accounts, key(pk = "U#{user}", sk = "INVOICE#{number:05}")) { user: String, number: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Accounts, partition(user))]
enum Account {
    User(User),
    Order(Order),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Accounts, partition(user))]
enum Orders {
    User(User),
    Order(Order),
}

async fn all_entities_of_a_partition_are_deleted(db: Db) -> Outcome {
    let fill = async || -> Result<()> {
        for user in ["ann", "bob"] {
            User { user: user.into() }.put().send(&db).await?;
            for number in 0..40 {
                let version = Version::default();
                Order {
                    user: user.into(),
                    number,
                    version,
                }
                .put()
                .unchecked()
                .send(&db)
                .await?;
            }
            Invoice {
                user: user.into(),
                number: 1,
            }
            .put()
            .send(&db)
            .await?;
        }
        Ok(())
    };
    fill().await?;
    let mut foreign = Item::new();
    foreign.insert("pk", "U#ann");
    foreign.insert("sk", "what others wrote");
    db.plant::<User>(foreign).await;

    let one = Order::in_partition("ann").delete_each().send(&db).await?;
    assert_eq!(one.complete()?.written, 40);
    assert_eq!(Account::in_partition("ann").count(&db).await?, 3);

    // Rows of entities that are not variants of the collection stay.
    let some = Orders::in_partition("bob").delete_each().send(&db).await?;
    assert_eq!(some.complete()?.written, 41);
    assert_eq!(db.count::<Accounts>().await, 4);

    let all = Account::in_partition(any_of(["ann", "bob"]))
        .delete_each()
        .send(&db)
        .await?;
    assert_eq!(all.complete()?.written, 4);
    assert_eq!(db.count::<Accounts>().await, 0);
    Ok(())
}

async fn only_keys_are_read(db: Db) -> Outcome {
    rows(&db, 3).await?;
    let (faulty, http) = db.faulty([]);
    let report = Row::in_partition("a").delete_each().send(&faulty).await?;
    assert_eq!(report.complete()?.written, 3);
    let seen = http.seen();
    let bodies: Vec<String> = seen
        .iter()
        .map(|seen| String::from_utf8_lossy(&seen.body).into_owned())
        .collect();
    assert_eq!(seen[0].operation, "Query");
    assert!(
        bodies[0].contains("\"ProjectionExpression\""),
        "{}",
        bodies[0]
    );
    // The deletes of rows found in the table have no condition, so they can be repeated.
    assert!(
        bodies[1..]
            .iter()
            .all(|body| !body.contains("ConditionExpression"))
    );
    Ok(())
}

async fn rows_that_do_not_decode_are_deleted(db: Db) -> Outcome {
    rows(&db, 5).await?;
    let mut item = db.stored(&Row::key("a", 4u32)).await;
    item.insert("count".into(), s("many"));
    db.plant::<Row>(item).await;
    let report = Row::scan().delete_each().send(&db).await?;
    assert_eq!(report.complete()?.written, 5);
    assert_eq!(db.count::<Row>().await, 0);
    Ok(())
}

async fn a_filter_is_asked_again(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let mut is_first = true;
    let report = Row::in_partition("a")
        .filter(|r| r.note().missing())
        .delete_each()
        .concurrency(1)
        .on_progress(|_| {
            if std::mem::take(&mut is_first) {
                let noted = Row::key("a", 4u32).update().apply(|r| r.note().set("keep"));
                meanwhile(noted.send(&db)).expect("an update");
            }
        })
        .send(&db)
        .await?
        .complete()?;
    assert_eq!((report.written, report.left_query), (5, 1));
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 1)]));
    Ok(())
}

async fn a_row_that_left_the_index_stays(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let mut is_first = true;
    let report = Row::keys_by_state(State::Open)
        .delete_each()
        .concurrency(1)
        .on_progress(|_| {
            if std::mem::take(&mut is_first) {
                let row = Row {
                    state: State::Done,
                    ..super::row(4)
                };
                meanwhile(row.put().send(&db)).expect("a put");
                // This row only changes its rank, and stays in the range.
                let row = Row {
                    rank: 77,
                    ..super::row(5)
                };
                meanwhile(row.put().send(&db)).expect("a put");
            }
        })
        .send(&db)
        .await?
        .complete()?;
    assert_eq!((report.written, report.left_query), (5, 1));
    let left = Row::scan().all(&db).await?;
    assert_eq!(left.iter().map(|row| row.number).collect::<Vec<_>>(), [4]);
    Ok(())
}

async fn tables_are_emptied_and_stay(db: Db) -> Outcome {
    rows(&db, 300).await?;
    db.create_tables([Accounts::schema()]).await?;
    User { user: "ann".into() }.put().send(&db).await?;
    let other = Dynamo::clone(&db).with_prefix(format!("{}-other", db.prefix()));
    other.create_tables([Row::schema()]).await?;
    super::row(1).put().send(&other).await?;

    let schemas = || [Row::schema(), Accounts::schema()];
    assert_eq!(db.truncate(schemas()).even_on_aws().await?, 301);
    assert_eq!(
        (db.count::<Row>().await, db.count::<Accounts>().await),
        (0, 0)
    );
    assert_eq!(db.truncate(schemas()).even_on_aws().await?, 0);
    assert_eq!(Row::scan().count(&other).await?, 1, "another prefix");
    Ok(())
}

async fn only_engines_on_this_machine_are_emptied(db: Db) -> Outcome {
    rows(&db, 1).await?;
    let (of_a_client, http) = db.faulty([]);
    let refused = of_a_client
        .truncate([Row::schema()])
        .await
        .expect_err("an unknown client");
    assert_eq!(refused.kind(), ErrorKind::Config);
    assert!(refused.to_string().contains("even_on_aws"), "{refused}");
    assert!(http.calls().is_empty());
    for url in [
        "aws://eu-west-1",
        "https://dynamodb.eu-west-1.amazonaws.com",
        "http://scylla:8000",
    ] {
        let far = Dynamo::connect(url).await?;
        assert!(far.truncate([Row::schema()]).await.is_err(), "{url}");
    }
    let memory = Dynamo::connect("embedded:memory")
        .await?
        .with_prefix("test");
    memory.create_tables([Row::schema()]).await?;
    super::row(1).put().send(&memory).await?;
    assert_eq!(memory.truncate([Row::schema()]).await?, 1);
    assert_eq!(counts(&db).await?, BTreeMap::from([(0, 1)]));
    Ok(())
}

async fn many_rows_are_deleted_by_one_request(db: Db) -> Outcome {
    rows(&db, 310).await?;
    let (faulty, http) = db.faulty([]);
    let deletes = Row::by_state(State::Open)
        .page_size(150)
        .delete_each_unchecked();
    let report = deletes.concurrency(4).send(&faulty).await?;
    assert_eq!(report.complete()?.written, 310);
    let calls = http.calls();
    let of_writes = calls
        .iter()
        .filter(|call| *call == "BatchWriteItem")
        .count();
    // A request holds the rows that have been read by then, so a slower server gets more and smaller requests.
    assert!((13..=60).contains(&of_writes), "{calls:?}");
    assert!(!calls.iter().any(|call| call == "DeleteItem"), "{calls:?}");
    assert_eq!(Row::scan().count(&db).await?, 0);
    Ok(())
}

/// Without a condition, a row that has left the query after it was read is deleted all the same.
async fn an_unchecked_delete_takes_rows_that_changed(db: Db) -> Outcome {
    rows(&db, 3).await?;
    let (faulty, http) = db.faulty([]);
    http.plan([]);
    let job = Row::by_state(State::Open).delete_each_unchecked();
    let report = job.send(&faulty).await?.complete()?;
    assert_eq!(report.written, 3);
    let body = String::from_utf8(http.seen().last().ok_or("no request")?.body.clone())?;
    assert!(!body.contains("ConditionExpression"), "{body}");
    Ok(())
}

async fn unchecked_deletes_lose_no_row(db: Db) -> Outcome {
    rows(&db, 200).await?;
    let left_out = (0..30).map(|at| match at % 4 {
        0 => Fault::Pass,
        1 => Fault::Unprocessed(3),
        2 => Fault::throttle(),
        _ => Fault::Lose,
    });
    let (faulty, _) = db.faulty([Fault::Pass].into_iter().chain(left_out));
    let job = Row::in_partition("a")
        .delete_each_unchecked()
        .concurrency(3);
    assert_eq!(job.send(&faulty).await?.complete()?.written, 200);
    assert_eq!(Row::scan().count(&db).await?, 0);

    // A service that stays busy stops the job, and each row is told or there.
    rows(&db, 100).await?;
    let busy = (0..900).map(|_| Fault::throttle());
    let (faulty, _) = db.faulty([Fault::Pass, Fault::Pass].into_iter().chain(busy));
    let job = Row::in_partition("a")
        .delete_each_unchecked()
        .concurrency(1);
    let report = job.budget(RetryBudget::rounds(2)).send(&faulty).await?;
    assert!(
        report.stopped().is_some_and(Error::is_throttled),
        "{report:?}"
    );
    assert_eq!(report.written, 25);
    assert_eq!(Row::scan().count(&db).await?, 75);
    Ok(())
}
