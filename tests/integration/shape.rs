//! An item of a newer shape, which a later version of the program has stored: every read refuses it by a kind of its own,
//! and nothing made from what was read changes it.
#![allow(
    clippy::duplicated_attributes,
    reason = "two indexes may have one template"
)]

use dynamo_entity::prelude::*;
use dynamo_entity::schema::{ProjectionSchema, TableSchema};
use dynamo_entity::{Error, batch_get, put_each, transact_get};

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_read_refuses_a_newer_shape,
    writes_of_what_was_loaded_leave_it_alone,
    jobs_report_it_and_go_on,
    the_words_of_fills_are_not_written_back(Bills),
    indexes_hold_the_shape,
    an_older_index_is_as_declared,
];

const SHAPE: &str = "_shape";

crate::declare! {
    table Bills(name = "bills", pk = "pk", sk = "sk", entities(Bill, Payer),
        gsi(by_state, pk = "state_pk", sk = "state_sk"),
        gsi(listed, pk = "listed_pk", sk = "listed_sk", project = ["cents"]));
    entity Bill(table = Bills, key(pk = "USER#{user}", sk = "BILL#{number:05}"),
        gsi(by_state, pk = "S#{state}", sk = "{number}"), gsi(listed, pk = "L#{state}", sk = "{number}"))
        { user: String, number: u32, state: String, cents: u64, #[dynamo(version)] version: Version }
    entity Payer(table = Bills, key(pk = "USER#{user}", sk = "INFO")) { user: String, #[dynamo(rest)] rest: Item }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Bills, partition(user))]
enum Account {
    Payer(Payer),
    Bill(Bill),
}

crate::declare! {
    projection Sum(entity = Bill) { cents: u64 }
    /// An entity with its own table, whose index holds keys alone.
    entity Ticket(table = "tickets", key(pk = id), gsi(of_queue, pk = queue, sk = id, project = keys),
        gsi(of_text, pk = text, project = [queue])) { id: u32, queue: String, text: String }
}

fn key(number: u32) -> Key<Bill> {
    Bill::key("ann", number)
}

/// Stores three bills, of which a newer program has changed the second one.
async fn fill(db: &Db) -> Outcome {
    db.create_tables([Bills::schema()]).await?;
    for number in [1, 2, 3] {
        let bill = Bill {
            user: "ann".into(),
            number,
            state: "open".into(),
            cents: 5,
            version: Version::default(),
        };
        bill.create().send(db).await?;
    }
    reshape(db, &key(2)).await;
    Ok(())
}

/// Gives an item a newer shape, as a newer program would.
async fn reshape<E: DynamoEntity>(db: &Db, key: &Key<E>) {
    let mut stored = db.stored(key).await;
    stored.insert(SHAPE.into(), n("2"));
    if stored.contains_key("version") {
        stored.insert("version".into(), n("9"));
    }
    db.plant::<E>(stored).await;
}

fn refused<T>(read: Result<T>) -> Error {
    read.err().expect("one of the rows has a newer shape")
}

async fn every_read_refuses_a_newer_shape(db: Db) -> Outcome {
    fill(&db).await?;
    let all = || Bill::in_partition("ann");
    let keys = || [1, 2, 3].map(key);
    let stored = db.stored(&key(2)).await;
    let mut errors = vec![
        ("all", refused(all().all(&db).await)),
        ("page", refused(all().limit(3).page(&db).await)),
        ("first", refused(all().number().ge(2u32).first(&db).await)),
        ("index", refused(Bill::by_state("open").all(&db).await)),
        ("scan", refused(Bill::scan().all(&db).await)),
        ("select", refused(all().select::<Sum>().all(&db).await)),
        (
            "index, select",
            refused(Bill::by_state("open").select::<Sum>().all(&db).await),
        ),
        (
            "listed, select",
            refused(Bill::listed("open").select::<Sum>().all(&db).await),
        ),
        (
            "hydrate",
            refused(Bill::listed("open").hydrate().all(&db).await),
        ),
        (
            "hydrate, select",
            refused(
                Bill::listed("open")
                    .hydrate()
                    .select::<Sum>()
                    .all(&db)
                    .await,
            ),
        ),
        (
            "collection",
            refused(Account::in_partition("ann").all(&db).await),
        ),
        ("get", refused(key(2).get().send(&db).await)),
        (
            "get, select",
            refused(key(2).get().select::<Sum>().send(&db).await),
        ),
        ("get_many", refused(Bill::get_many(keys()).send(&db).await)),
        (
            "get_many, select",
            refused(Bill::get_many(keys()).select::<Sum>().send(&db).await),
        ),
        (
            "together",
            refused(
                batch_get((key(1).get(), Bill::get_many(keys())))
                    .send(&db)
                    .await,
            ),
        ),
        (
            "transact_get",
            refused(transact_get(keys().map(|key| key.get())).send(&db).await),
        ),
        (
            "snapshot, select",
            refused(
                transact_get(keys().map(|key| key.get().select::<Sum>()))
                    .send(&db)
                    .await,
            ),
        ),
        ("from_item", refused(Bill::from_item(stored.clone()))),
    ];
    let mut rows = all().lenient().page(&db).await?.rows;
    errors.push(("lenient", refused(rows.remove(1))));
    let mut rows = Account::in_partition("ann").lenient().all(&db).await?;
    errors.push(("lenient collection", refused(rows.remove(1))));
    let mut rows = Bill::listed("open").hydrate().lenient().all(&db).await?;
    errors.push(("lenient hydrate", refused(rows.remove(1))));
    for (read, error) in errors {
        assert_eq!(error.kind(), ErrorKind::NewerShape, "{read}: {error}");
        assert!(error.is_newer_shape());
        assert_eq!(error.attribute(), Some(SHAPE), "{read}");
        assert_eq!(error.key_of::<Bill>()?, Some(key(2)), "{read}");
    }
    // A key means the same in each shape, and rows that are keys are found.
    assert_eq!(Bill::listed("open").all(&db).await?, keys());
    assert_eq!(Bill::key_from_item(stored)?, key(2));
    assert_eq!(all().count(&db).await?, 3);
    Ok(())
}

async fn writes_of_what_was_loaded_leave_it_alone(db: Db) -> Outcome {
    fill(&db).await?;
    let loaded = key(1).get().send(&db).await?.expect("a bill");
    reshape(&db, &key(1)).await;
    let before = db.stored(&key(1)).await;
    let changed = Bill {
        cents: 7,
        ..loaded.clone()
    };
    // The newer program has raised the version, and the error brings an item that nobody here can read.
    for error in [
        changed.put().send(&db).await.unwrap_err(),
        loaded.changes_to(&changed).send(&db).await.unwrap_err(),
        loaded.delete().send(&db).await.unwrap_err(),
        loaded
            .update()
            .apply(|b| b.cents().add(1u64))
            .send(&db)
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        let current = refused(error.current::<Bill>());
        assert_eq!(current.kind(), ErrorKind::NewerShape);
    }
    let error = loaded.create().send(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    // What reads first ends before it writes.
    let modified = key(1).modify(|bill| bill.cents = 7).send(&db).await;
    assert_eq!(refused(modified).kind(), ErrorKind::NewerShape);
    let unit = transact(&db, async |tx| {
        let bill = tx.get(key(1)).await?;
        tx.put(&bill.expect("a bill"))
    });
    assert_eq!(refused(unit.await).kind(), ErrorKind::NewerShape);
    assert_eq!(db.stored(&key(1)).await, before);
    Ok(())
}

async fn jobs_report_it_and_go_on(db: Db) -> Outcome {
    fill(&db).await?;
    let before = db.stored(&key(2)).await;
    for job in [
        Bill::in_partition("ann")
            .update_each(|bill| bill.update().apply(|b| b.cents().add(1u64)))
            .max_failures(9)
            .send(&db)
            .await?,
        Bill::in_partition("ann")
            .delete_each()
            .max_failures(9)
            .send(&db)
            .await?,
    ] {
        assert_eq!((job.written, job.failed), (2, 1));
        assert_eq!(job.errors()[0].error().kind(), ErrorKind::NewerShape);
    }
    assert_eq!(db.stored(&key(2)).await, before);

    // A row of keys does not tell its shape, so the delete asks for it.
    db.create_tables([Ticket::schema()]).await?;
    let tickets = [1, 2, 3].map(|id| Ticket {
        id,
        queue: "q".into(),
        text: "t".into(),
    });
    put_each(tickets.iter().map(|ticket| ticket.create()))
        .send(&db)
        .await?
        .complete()?;
    reshape(&db, &Ticket::key(2)).await;
    for job in [
        Ticket::of_queue("q").delete_each(),
        Ticket::of_text("t").delete_each(),
        Ticket::scan().delete_each(),
    ] {
        let job = job.max_failures(9).send(&db).await?;
        assert_eq!(job.failed, 1);
        assert_eq!(job.errors()[0].error().kind(), ErrorKind::NewerShape);
    }
    assert_eq!(db.count::<Ticket>().await, 1);
    Ok(())
}

async fn the_words_of_fills_are_not_written_back(db: Db) -> Outcome {
    let key = Payer::key("ann");
    let stored = raw([
        ("pk", s("USER#ann")),
        ("sk", s("INFO")),
        ("_type", s("Payer")),
        ("user", s("ann")),
        ("other", s("x")),
        ("_fill.by_state", s("x")),
        ("_job.a", s("x")),
    ]);
    db.plant::<Payer>(stored.clone()).await;
    let payer = key.clone().get().send(&db).await?.expect("a payer");
    payer.put().send(&db).await?;
    let mut left = stored;
    left.remove("_fill.by_state");
    assert_eq!(db.stored(&key).await, left);
    assert_eq!(Payer::from_item(left.clone())?.to_item()?, left.into());
    reshape(&db, &key).await;
    assert_eq!(
        refused(key.get().send(&db).await).kind(),
        ErrorKind::NewerShape
    );
    Ok(())
}

/// The attributes that an index holds.
fn held(schema: &TableSchema, index: &str) -> ProjectionSchema {
    schema.index(index).expect("an index").projection.clone()
}

async fn indexes_hold_the_shape(db: Db) -> Outcome {
    let listed = ["_shape", "_type", "cents"].map(str::to_owned);
    assert_eq!(
        held(&Bills::schema(), "listed"),
        ProjectionSchema::Include(listed.to_vec())
    );
    let tickets = Ticket::schema();
    assert_eq!(held(&tickets, "of_queue"), ProjectionSchema::Keys);
    let listed = vec!["_shape".to_owned(), "queue".to_owned()];
    assert_eq!(held(&tickets, "of_text"), ProjectionSchema::Include(listed));
    db.create_tables([Bills::schema(), tickets.clone()]).await?;
    assert!(db.plan([tickets]).await?.is_empty());
    Ok(())
}

/// The schema as it was before indexes held the shape, or as another tool made it.
fn older() -> TableSchema {
    let mut older = Bills::schema();
    for index in &mut older.global_indexes {
        if let ProjectionSchema::Include(names) = &mut index.projection {
            names.retain(|name| name != SHAPE);
        }
    }
    older
}

async fn an_older_index_is_as_declared(db: Db) -> Outcome {
    db.create_tables([older()]).await?;
    fill(&db).await?;
    assert!(db.plan([Bills::schema()]).await?.is_empty());
    assert!(db.ready([Bills::schema()]).await.is_ready());
    // Nothing is asked that the index does not have; DynamoDB would refuse it.
    let rows = Bill::listed("open").select::<Sum>().all(&db).await?;
    assert_eq!(rows, [5, 5, 5].map(|cents| Sum { cents }));
    let job = Bill::listed("open").delete_each().max_failures(9);
    let job = job.send(&db).await?;
    assert_eq!((job.written, job.failed), (2, 1));
    // Another list is another index.
    let mut other = older();
    other.global_indexes[1].projection = ProjectionSchema::Include(vec!["_type".into()]);
    let error = db.create_tables([other]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    Ok(())
}
