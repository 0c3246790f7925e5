//! A row that does not decode can be found: its error has its key, whatever read it.

use dynamo_entity::prelude::*;
use dynamo_entity::{Error, batch_get, transact_get};

use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    the_key_comes_with_the_error_of_every_read,
    a_key_that_does_not_read_is_an_error,
];

crate::declare! {
    entity Invoice(table = "invoices", key(pk = "USER#{user}", sk = "{number:05}"),
        gsi(by_state, pk = "S#{state}", sk = "{number}"),
        gsi(listed, pk = "L#{state}", sk = "{number}", project = keys),
        gsi(spread, pk = "X#{state}", sk = "{number:06}", shards = 3))
        { user: String, number: u32, state: String, cents: u64 }
    /// The entity that once wrote the same table. It has the keys of an invoice.
    entity Old(table = "invoices", key(pk = "USER#{user}", sk = "{number:05}"),
        gsi(by_state, pk = "S#{state}", sk = "{number}"),
        gsi(listed, pk = "L#{state}", sk = "{number}", project = keys),
        gsi(spread, pk = "X#{state}", sk = "{number:06}", shards = 3))
        { user: String, number: u32, state: String, cents: String }
    projection Sum(entity = Invoice) { cents: u64 }
}

const USER: &str = "s3cr3t";

fn key(number: u32) -> Key<Invoice> {
    Invoice::key(USER, number)
}

/// Stores three sound invoices, and a broken one that comes before the last of them.
async fn fill(db: &Db) -> Outcome {
    db.create_tables([Invoice::schema()]).await?;
    let (user, state) = (USER.to_owned(), "open".to_owned());
    for number in [1, 2, 9] {
        let (user, state) = (user.clone(), state.clone());
        let cents = 5;
        let invoice = Invoice {
            user,
            number,
            state,
            cents,
        };
        invoice.put().send(db).await?;
    }
    let broken = Old {
        user,
        number: 7,
        state,
        cents: "s3cr3t".into(),
    };
    broken.put().send(db).await?;
    Ok(())
}

fn refused<T>(read: Result<T>) -> Error {
    read.err().expect("one of the rows does not decode")
}

async fn the_key_comes_with_the_error_of_every_read(db: Db) -> Outcome {
    fill(&db).await?;
    let db = &*db;
    let all = || Invoice::in_partition(USER);
    let keys = || [1, 7, 9].map(key);
    let mut errors = vec![
        ("all", refused(all().all(db).await)),
        ("page", refused(all().limit(3).page(db).await)),
        ("first", refused(all().number().ge(3u32).first(db).await)),
        ("one", refused(all().number().eq(7u32).one(db).await)),
        ("descending", refused(all().descending().all(db).await)),
        ("index", refused(Invoice::by_state("open").all(db).await)),
        ("shards", refused(Invoice::spread("open").all(db).await)),
        (
            "hydrate",
            refused(Invoice::listed("open").hydrate().all(db).await),
        ),
        ("scan", refused(Invoice::scan().all(db).await)),
        (
            "segments",
            refused(Invoice::scan().segments(3).all(db).await),
        ),
        ("select", refused(all().select::<Sum>().all(db).await)),
        (
            "index, select",
            refused(Invoice::by_state("open").select::<Sum>().all(db).await),
        ),
        (
            "hydrate, select",
            refused(
                Invoice::listed("open")
                    .hydrate()
                    .select::<Sum>()
                    .all(db)
                    .await,
            ),
        ),
        ("get", refused(key(7).get().send(db).await)),
        (
            "get, select",
            refused(key(7).get().select::<Sum>().send(db).await),
        ),
        (
            "get_many",
            refused(Invoice::get_many(keys()).send(db).await),
        ),
        (
            "get_many, select",
            refused(Invoice::get_many(keys()).select::<Sum>().send(db).await),
        ),
        (
            "twice",
            refused(
                Invoice::get_many([7, 7].map(key))
                    .lenient()
                    .send(db)
                    .await?
                    .pop()
                    .flatten()
                    .expect("a row"),
            ),
        ),
        (
            "together",
            refused(
                batch_get((key(1).get(), Invoice::get_many(keys())))
                    .send(db)
                    .await,
            ),
        ),
        (
            "transact_get",
            refused(transact_get(keys().map(|key| key.get())).send(db).await),
        ),
        (
            "snapshot, select",
            refused(
                transact_get(keys().map(|key| key.get().select::<Sum>()))
                    .send(db)
                    .await,
            ),
        ),
    ];
    let mut rows = all().lenient().page(db).await?.rows;
    errors.push(("lenient", refused(rows.remove(2))));
    let (mut stream, mut found) = (all().stream(db), 0);
    while let Some(row) = stream.next().await {
        found += 1;
        errors.extend(row.err().map(|error| ("stream", error)));
    }
    let mut stream = Invoice::get_many(keys()).stream(db);
    while let Some(row) = stream.next().await {
        found += 1;
        errors.extend(row.err().map(|error| ("stream of keys", error)));
    }
    assert_eq!((found, errors.len()), (7, 24));
    for (read, error) in errors {
        assert_eq!(error.kind(), ErrorKind::Decode, "{read}: {error}");
        assert_eq!(error.key_of::<Invoice>()?, Some(key(7)), "{read}");
        assert_eq!(error.key_of::<Old>()?, None, "{read}");
        assert!(error.request_id().is_some(), "{read}");
        assert_eq!(
            error.to_string(),
            "Invoice.cents: expected N, found S",
            "{read}"
        );
        assert!(
            !format!("{error:?}").contains("s3cr3t"),
            "{read}: {error:?}"
        );
    }
    Ok(())
}

async fn a_key_that_does_not_read_is_an_error(db: Db) -> Outcome {
    fill(&db).await?;
    let broken = raw([
        ("pk", s("USER#a")),
        ("sk", s("seven")),
        ("state", s("open")),
    ]);
    db.plant::<Invoice>(broken).await;
    let query = Invoice::in_partition("a");
    for (error, kind) in [
        (
            refused(query.clone().all(&db).await),
            ErrorKind::KeyMismatch,
        ),
        // The selected attribute is missing, whatever the key is.
        (
            refused(query.select::<Sum>().all(&db).await),
            ErrorKind::Decode,
        ),
    ] {
        assert_eq!(error.kind(), kind);
        assert_eq!(
            error.key_of::<Invoice>().unwrap_err().kind(),
            ErrorKind::KeyMismatch
        );
        assert_eq!(error.key_of::<Old>()?, None);
        assert!(error.request_id().is_some());
    }
    // Errors that do not come from a row have no key of a row.
    let refused = key(3).update().apply(|i| i.cents().set(1u64));
    let refused = refused.send(&db).await.unwrap_err();
    assert_eq!(refused.key_of::<Invoice>()?, None);
    Ok(())
}
