//! With `transact_each`, the transaction of each row takes effect once, whatever happens on the way.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::{Bulk, RetryBudget};
use proptest::prelude::*;

use super::order::{killed, run_until, runner};
use super::uniques::{Clubs, Person, person};
use super::{Entry, Row, State, counts, entries, row, rows};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_row_is_written_with_its_counter,
    a_single_operation_costs_no_transaction,
    any_job_does_each_transaction_once,
    a_lost_answer_is_told_by_the_token,
    what_nobody_told_is_unknown_and_not_repeated,
    a_row_that_others_wrote_is_looked_at_again,
    a_row_that_others_held_is_looked_at_again,
    a_row_that_others_deleted_has_vanished,
    a_condition_of_another_operation_fails_the_row,
    unique_values_go_along(Clubs, Tally),
    what_does_not_concern_the_row_is_refused,
    a_scan_changes_rows_of_several_entities,
    a_merge_that_is_killed_at_any_request_ends_well(Ticket, Comment),
];

const JOB: &str = "transact";

crate::declare! {
    /// Counts the transactions of one kind.
    pub(super) entity Tally(table = "tallies", key(pk = name)) { name: String, count: u64 }
}

pub(super) fn tally(name: &str) -> impl TransactWrite + Send + use<> {
    Tally::key(name).upsert().apply(|t| t.count().add(1))
}

pub(super) async fn tallies(db: &Dynamo) -> Result<BTreeMap<String, u64>> {
    let all = Tally::scan().consistent().all(db).await?;
    Ok(all.into_iter().map(|t| (t.name, t.count)).collect())
}

/// What is done to a row, by its number.
const KINDS: [&str; 5] = ["update", "delete", "move", "look", "leave"];

fn kind(number: u32) -> &'static str {
    KINDS[number as usize % KINDS.len()]
}

fn transaction(row: &Row) -> Option<Transaction<'static>> {
    let own = Transaction::new().with(tally(kind(row.number)));
    Some(match kind(row.number) {
        // The row moves ahead in the index that the job reads, which shows it again.
        "update" => {
            let ahead = row.rank + 15;
            own.with(
                row.update()
                    .apply(move |r| (r.count().add(1), r.rank().set(ahead))),
            )
        }
        "delete" => own.with(row.delete()),
        "move" => {
            let moved = Row {
                group: "b".into(),
                state: State::Done,
                ..row.clone()
            };
            own.with(row.delete()).with(moved.into_create())
        }
        "look" => own.with(row.update()),
        _ => return None,
    })
}

async fn begin(db: &Db, count: u32) -> Outcome {
    for row in Row::scan().consistent().all(db).await.unwrap_or_default() {
        row.delete().send(db).await?;
    }
    db.create_tables([Tally::schema()]).await?;
    for name in KINDS {
        Tally::key(name).delete().send(db).await?;
    }
    rows(db, count).await
}

/// What the tables hold when each of so many rows had its transaction once.
fn model(count: u32) -> (Vec<Row>, BTreeMap<String, u64>) {
    let mut tallies = BTreeMap::new();
    let mut rows = Vec::new();
    for row in (0..count).map(row) {
        let kind = kind(row.number);
        if kind != "leave" {
            *tallies.entry(kind.to_owned()).or_default() += 1;
        }
        rows.extend(match kind {
            "update" => Some(Row {
                count: 1,
                rank: row.rank + 15,
                ..row
            }),
            "delete" => None,
            "move" => Some(Row {
                group: "b".into(),
                state: State::Done,
                ..row
            }),
            _ => Some(row),
        });
    }
    rows.sort_by_key(|row| (row.group.clone(), row.number));
    (rows, tallies)
}

async fn found(db: &Dynamo) -> Result<(Vec<Row>, BTreeMap<String, u64>)> {
    let mut rows = Row::scan().consistent().all(db).await?;
    rows.sort_by_key(|row| (row.group.clone(), row.number));
    Ok((rows, tallies(db).await?))
}

async fn a_row_is_written_with_its_counter(db: Db) -> Outcome {
    begin(&db, 40).await?;
    let report = Row::by_state(State::Open)
        .page_size(6)
        .transact_each(transaction)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!((report.written, report.unchanged), (32, 8));
    assert_eq!(found(&db).await?, model(40));
    Ok(())
}

async fn a_single_operation_costs_no_transaction(db: Db) -> Outcome {
    rows(&db, 6).await?;
    let (counted, http) = db.faulty([]);
    let report = Row::in_partition("a")
        .transact_each(|row| match row.number % 2 {
            0 => Transaction::new().with(row.delete()),
            _ => Transaction::new().with(row.update().apply(|r| r.count().add(1))),
        })
        .send(&counted)
        .await?;
    assert_eq!(report.complete()?.written, 6);
    assert_eq!(counts(&db).await?, BTreeMap::from([(1, 3)]));
    let calls = http.calls();
    assert!(!calls.iter().any(|call| call == "TransactWriteItems"));
    Ok(())
}

/// A run of a job that is killed after so many requests, some of which go wrong.
#[derive(Debug, Clone)]
struct KilledRun {
    faults: Vec<Fault>,
    rounds: u32,
    every: bool,
}

impl KilledRun {
    fn of<'j>(&self, job: Bulk<'j>) -> Bulk<'j> {
        let job = job.budget(RetryBudget::rounds(self.rounds));
        match self.every {
            true => job.save_every(Duration::ZERO),
            false => job,
        }
    }
}

fn killed_run() -> impl Strategy<Value = KilledRun> {
    let fault = prop_oneof![
        12 => Just(Fault::Pass),
        3 => Just(Fault::Lose),
        1 => Just(Fault::Io),
        1 => Just(Fault::internal()),
        1 => Just(Fault::throttle()),
        1 => Just(Fault::Timeout),
    ];
    let faults = prop::collection::vec(fault, 0..40);
    (faults, 1..6_u32, any::<bool>()).prop_map(|(faults, rounds, every)| KilledRun {
        faults,
        rounds,
        every,
    })
}

fn job(path: &Path, concurrency: usize) -> Bulk<'_> {
    Row::by_state(State::Open)
        .page_size(4)
        .transact_each(transaction)
        .concurrency(concurrency)
        .checkpoint(JOB, FileCheckpoint::new(path))
}

async fn any_job_does_each_transaction_once(db: Db) -> Outcome {
    let runs = prop::collection::vec(killed_run(), 0..5);
    let cases = (1..25_u32, 1..5_usize, runs);
    let checked = runner(40).run(&cases, |(count, concurrency, runs)| {
        let work = checked(&db, count, concurrency, &runs);
        meanwhile(work).map_err(|error| TestCaseError::fail(error.to_string()))
    });
    Ok(checked?)
}

async fn checked(db: &Db, count: u32, concurrency: usize, runs: &[KilledRun]) -> Outcome {
    begin(db, count).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    for run in runs {
        let hang = std::iter::repeat_n(Fault::Hang, 1000);
        let (faulty, http) = db.faulty(run.faults.iter().cloned().chain(hang));
        let job = run.of(job(&path, concurrency));
        run_until(&faulty, &http, run.faults.len(), job).await?;
    }
    let last = job(&path, concurrency).send(db).await?;
    let (found, expected) = (found(db).await?, model(count));
    if found != expected {
        return Err(format!("{found:?} and not {expected:?}").into());
    }
    last.complete()?;
    Ok(())
}

async fn a_lost_answer_is_told_by_the_token(db: Db) -> Outcome {
    begin(&db, 10).await?;
    let plan = [vec![Fault::Pass], vec![Fault::Lose; 25]].concat();
    let (faulty, _) = db.faulty(plan);
    let report = Row::in_partition("a")
        .transact_each(transaction)
        .budget(RetryBudget::rounds(50))
        .send(&faulty)
        .await?;
    // Without a checkpoint nothing but the token tells.
    assert_eq!(report.complete()?.written, 8);
    assert_eq!(found(&db).await?, model(10));
    Ok(())
}

async fn what_nobody_told_is_unknown_and_not_repeated(db: Db) -> Outcome {
    begin(&db, 2).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    // Both take effect, and no later request has an answer.
    let lost = [vec![Fault::Pass, Fault::Lose], vec![Fault::Io; 500]].concat();
    for number in 0..2 {
        let (faulty, _) = db.faulty(lost.clone());
        let report = Row::in_partition("a")
            .number()
            .eq(number)
            .transact_each(transaction)
            .checkpoint(JOB, FileCheckpoint::new(&path))
            .budget(RetryBudget::rounds(2))
            .send(&faulty)
            .await?;
        let errors = report.errors();
        assert_eq!(errors.len(), 1, "{report:?}");
        assert_eq!(errors[0].error().kind(), ErrorKind::OutcomeUnknown);
        assert_eq!(errors[0].key_of::<Row>()?, Some(Row::key("a", number)));
        let again = Row::in_partition("a")
            .number()
            .eq(number)
            .transact_each(transaction)
            .checkpoint(JOB, FileCheckpoint::new(&path));
        let again = again.send(&db).await?.complete()?;
        // The mark tells of the update; of the deleted row nothing is left.
        let told = (again.already_done, again.vanished);
        assert_eq!(told, if number == 0 { (1, 0) } else { (0, 1) });
        std::fs::remove_file(&path)?;
    }
    assert_eq!(found(&db).await?, model(2));
    Ok(())
}

/// Neither entity misses a change: one has a version, and the other is compared.
async fn a_row_that_others_wrote_is_looked_at_again(db: Db) -> Outcome {
    begin(&db, 1).await?;
    entries(&db, 1).await?;
    let mut seen = Vec::new();
    let moving = Row::in_partition("a").transact_each(|row| {
        seen.push(row.note.clone());
        if seen.len() < 4 {
            let edit = Row::key("a", row.number).update();
            let edit = edit.apply(|r| r.note().set(format!("edit {}", seen.len())));
            meanwhile(edit.send(&db)).expect("a change");
        }
        let moved = Row {
            group: "b".into(),
            ..row.clone()
        };
        // Whoever deletes by key has not asked for anything, and the job asks.
        let gone = Row::key("a", row.number).delete();
        Transaction::new().with(gone).with(moved.into_put())
    });
    assert_eq!(moving.send(&db).await?.complete()?.written, 1);
    assert_eq!(seen.len(), 4);
    let moved = Row::key("b", 0u32).get().send(&db).await?;
    assert_eq!(moved.and_then(|row| row.note).as_deref(), Some("edit 3"));

    let mut runs = 0;
    let paying = Entry::in_partition("a").transact_each(|entry| {
        runs += 1;
        if runs == 1 {
            let other = Entry::key("a", 0u32).modify(|entry| entry.cents += 10);
            meanwhile(other.send(&db)).expect("a change");
        }
        let cents = entry.cents + 1;
        let update = entry.update().unchecked();
        Transaction::new()
            .with(tally("paid"))
            .with(update.apply(move |e| e.cents().set(cents)))
    });
    assert_eq!(paying.send(&db).await?.complete()?.written, 1);
    let entry = Entry::key("a", 0u32).get().send(&db).await?;
    assert_eq!((runs, entry.map(|entry| entry.cents)), (2, Some(11)));
    Ok(())
}

/// Another request held the row. The condition that failed beside it may have relied on what that request has changed.
async fn a_row_that_others_held_is_looked_at_again(db: Db) -> Outcome {
    begin(&db, 1).await?;
    let held = serde_json::json!({
        "__type": "TransactionCanceledException",
        "Message": "held",
        "CancellationReasons": [{ "Code": "TransactionConflict" }, { "Code": "ConditionalCheckFailed" }],
    });
    let (faulty, _) = db.faulty([Fault::Pass, Fault::Reply(400, held.to_string())]);
    let job = Row::in_partition("a").transact_each(transaction);
    assert_eq!(job.send(&faulty).await?.complete()?.written, 1);
    let (rows, counted) = model(1);
    assert_eq!(tallies(&db).await?, counted);
    assert_eq!(Row::in_partition("a").consistent().all(&db).await?, rows);
    Ok(())
}

async fn a_row_that_others_deleted_has_vanished(db: Db) -> Outcome {
    begin(&db, 4).await?;
    let report = Row::in_partition("a")
        .transact_each(|row| {
            if row.number < 2 {
                meanwhile(row.delete().send(&db)).expect("a delete");
            }
            transaction(row)
        })
        .send(&db)
        .await?
        .complete()?;
    assert_eq!((report.written, report.vanished), (2, 2));
    let counted = [("look".into(), 1), ("move".into(), 1)];
    assert_eq!(tallies(&db).await?, BTreeMap::from(counted));
    Ok(())
}

async fn a_condition_of_another_operation_fails_the_row(db: Db) -> Outcome {
    begin(&db, 6).await?;
    let taken = Row {
        group: "b".into(),
        ..row(2)
    };
    taken.put().send(&db).await?;
    let report = Row::in_partition("a").transact_each(|row| {
        let moved = Row {
            group: "b".into(),
            ..row.clone()
        };
        Transaction::new()
            .with(moved.into_create().named("the new place"))
            .with(row.delete())
    });
    let report = report.send(&db).await?;
    assert_eq!((report.written, report.failed), (5, 1));
    let failed = &report.errors()[0];
    assert_eq!(failed.key_of::<Row>()?, Some(Row::key("a", 2u32)));
    assert_eq!(failed.error().kind(), ErrorKind::AlreadyExists);
    let operation = failed.error().failure_of("the new place");
    assert_eq!(operation.map(|operation| operation.index()), Some(0));
    assert_eq!(Row::in_partition("a").all(&db).await?, [row(2)]);
    Ok(())
}

async fn unique_values_go_along(db: Db) -> Outcome {
    for number in 0..9 {
        person(number).create().send(&db).await?;
    }
    let folder = tempfile::tempdir()?;
    let report = Person::by_level(1u32)
        .hydrate()
        .transact_each(|p| {
            let own = Transaction::new().with(tally("seen"));
            let email = format!("new-{}", p.email);
            match p.number % 3 {
                0 => own.with(p.delete()),
                1 => own.with(p.update().apply(|p| p.email().set(email))),
                // Its successor takes over the value.
                _ => {
                    let next = Person {
                        number: p.number + 100,
                        level: 2,
                        ..p.clone()
                    };
                    own.with(p.delete()).with(next.into_create())
                }
            }
        })
        .checkpoint(JOB, FileCheckpoint::new(folder.path().join("job")))
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 9);
    let table = db.table::<Clubs>();
    let stored = super::uniques::stored(db.client(), table).await;
    let numbers: Vec<_> = super::uniques::in_step(&stored)
        .iter()
        .map(|person| person.number)
        .collect();
    assert_eq!(numbers, [1, 4, 7, 102, 105, 108]);
    assert_eq!(tallies(&db).await?["seen"], 9);
    Ok(())
}

async fn what_does_not_concern_the_row_is_refused(db: Db) -> Outcome {
    begin(&db, 1).await?;
    type Wrong = fn(&Row) -> Transaction<'static>;
    let wrong: [(Wrong, ErrorKind, &str); 4] = [
        (
            |_| Transaction::new().with(tally("x")),
            ErrorKind::InvalidKey,
            "row.update()",
        ),
        (
            |_| Transaction::new().with(Row::key("a", 7u32).delete()),
            ErrorKind::InvalidKey,
            "row.delete()",
        ),
        (
            |row| Transaction::new().with(row.delete()).token("mine"),
            ErrorKind::Rejected,
            "remove `.token(..)`",
        ),
        (
            |row| Transaction::new().with(row.delete()).with(row.update()),
            ErrorKind::InvalidValue,
            "same item",
        ),
    ];
    for (transaction, kind, says) in wrong {
        let report = Row::in_partition("a").transact_each(transaction);
        let report = report.send(&db).await?;
        let error = report.errors()[0].error();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let reason = Row::in_partition("a")
        .transact_each(|_| Err::<Transaction<'_>, _>("it is not its turn"))
        .send(&db)
        .await?;
    let error = reason.errors()[0].error();
    assert_eq!(error.kind(), ErrorKind::CallbackError);
    let source = std::error::Error::source(error);
    assert_eq!(
        source.map(ToString::to_string).as_deref(),
        Some("it is not its turn")
    );
    assert_eq!(found(&db).await?, (vec![row(0)], BTreeMap::new()));
    Ok(())
}

crate::declare! {
    table Shop(name = "shop", pk = "pk", sk = "sk", entities(Buyer, Order));
    entity Buyer(table = Shop, key(pk = "B#{name}", sk = "INFO"))
        { name: String, points: u32, #[dynamo(version)] version: Version }
    entity Order(table = Shop, key(pk = "B#{buyer}", sk = "ORDER#{number:03}"))
        { buyer: String, number: u32, cents: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop)]
enum Stock {
    Buyer(Buyer),
    Order(Order),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop)]
enum Known {
    Buyer(Buyer),
    Order(Order),
}

async fn fill_shop(db: &Db) -> Outcome {
    db.create_tables([Shop::schema(), Tally::schema()]).await?;
    for name in ["ann", "bob", "cleo"] {
        let (name, version) = (name.to_owned(), Version::default());
        for number in 0..6 {
            let buyer = name.clone();
            Order {
                buyer,
                number,
                cents: 100,
            }
            .put()
            .send(db)
            .await?;
        }
        Buyer {
            name,
            points: 0,
            version,
        }
        .create()
        .send(db)
        .await?;
    }
    for sk in ["what others wrote", "ORDER#x"] {
        let mut foreign = Item::new();
        foreign.insert("pk", "B#ann");
        foreign.insert("sk", sk);
        db.plant::<Buyer>(foreign).await;
    }
    Ok(())
}

async fn a_scan_changes_rows_of_several_entities(db: Db) -> Outcome {
    fill_shop(&db).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let job = || {
        let rows = Stock::scan().page_size(3);
        let job = rows.transact_each(|row| match row {
            Stock::Buyer(b) => {
                Some(Transaction::new().with(b.update().apply(|b| b.points().add(1))))
            }
            Stock::Order(o) if o.number < 4 => {
                Some(Transaction::new().with(o.delete()).with(tally(&o.buyer)))
            }
            Stock::Order(_) | Stock::Other(_) => None,
        });
        job.checkpoint(JOB, FileCheckpoint::new(&path))
            .save_every(Duration::ZERO)
    };
    for requests in 0..40 {
        if killed(&db, requests, job()).await? {
            break;
        }
    }
    job().send(&db).await?.complete()?;
    let left = Stock::scan().consistent().all(&db).await?;
    let of = |wanted: fn(&Stock) -> bool| left.iter().filter(|row| wanted(row)).count();
    let is_due = |row: &Stock| matches!(row, Stock::Buyer(b) if b.points == 1);
    let is_late = |row: &Stock| matches!(row, Stock::Order(o) if o.number >= 4);
    let is_other = |row: &Stock| matches!(row, Stock::Other(_));
    assert_eq!((of(is_due), of(is_late), of(is_other)), (3, 6, 2));
    assert_eq!(left.len(), 11);
    assert!(tallies(&db).await?.values().all(|count| *count == 4));

    // Without a variant for them, rows of no entity fail, each alone, and stay.
    let report = Known::scan().transact_each(|row| match row {
        Known::Order(order) => Some(Transaction::new().with(order.delete())),
        Known::Buyer(_) => None,
    });
    let report = report.send(&db).await?;
    assert_eq!((report.written, report.unchanged, report.failed), (6, 3, 2));
    assert_eq!(Stock::scan().all(&db).await?.len(), 5);
    Ok(())
}

crate::declare! {
    entity Ticket(table = "tickets", key(pk = id))
        { id: u32, comments: u32, merged_into: Option<u32>, closed: bool, #[dynamo(version)] version: Version }
    entity Comment(table = "comments", key(pk = ticket, sk = "{written_on}#{number:05}"))
        { ticket: u32, written_on: u32, number: u32, text: String }
}

fn comment(ticket: u32, written_on: u32, number: u32) -> Comment {
    Comment {
        ticket,
        written_on,
        number,
        text: format!("{written_on} says {number}"),
    }
}

/// Decides to merge a ticket into another one, moves its comments, and then closes it.
async fn merge(db: &Dynamo, old: u32, new: u32) -> Result<()> {
    transact(db, async |tx| {
        let Some(mut ticket) = tx.get(Ticket::key(old)).await? else {
            return Ok(());
        };
        if ticket.merged_into.is_none() {
            ticket.merged_into = Some(new);
            tx.put(&ticket)?;
        }
        Ok(())
    })
    .await?;
    let moving = Comment::in_partition(old)
        .consistent()
        .page_size(3)
        .transact_each(|comment| {
            let moved = Comment {
                ticket: new,
                ..comment.clone()
            };
            Transaction::new()
                .with(comment.delete())
                .with(moved.into_create())
        });
    moving.send(db).await?.complete()?;
    transact(db, async |tx| {
        let (Some(mut from), Some(mut to)) = (
            tx.get(Ticket::key(old)).await?,
            tx.get(Ticket::key(new)).await?,
        ) else {
            return Ok(());
        };
        if !from.closed {
            to.comments += from.comments;
            (from.comments, from.closed) = (0, true);
            tx.put(&from)?;
            tx.put(&to)?;
        }
        Ok(())
    })
    .await
}

async fn a_merge_that_is_killed_at_any_request_ends_well(db: Db) -> Outcome {
    const COMMENTS: u32 = 7;
    for (requests, last) in (0..40).flat_map(|n| [(n, Fault::Hang), (n, Fault::Lose)]) {
        for id in [1, 2] {
            let ticket = Ticket {
                id,
                comments: COMMENTS,
                merged_into: None,
                closed: false,
                version: Version::default(),
            };
            ticket.put().unchecked().send(&db).await?;
            let emptied = Comment::in_partition(id).delete_each().send(&db);
            emptied.await?.complete()?;
            let all: Vec<_> = (0..COMMENTS).map(|n| comment(id, id, n)).collect();
            let puts = put_each(all.iter().map(Comment::put)).send(&db);
            puts.await?.complete()?;
        }
        // A lost answer is asked for again, and that request hangs.
        let sent = requests + usize::from(matches!(last, Fault::Lose));
        let plan = std::iter::repeat_n(Fault::Pass, requests).chain([last]);
        let (faulty, http) = db.faulty(plan.chain(std::iter::repeat_n(Fault::Hang, 500)));
        let hangs = async {
            while http.calls().len() <= sent {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
        };
        let is_done = tokio::select! {
            biased;
            merged = merge(&faulty, 1, 2) => merged.is_ok(),
            () = hangs => false,
        };
        merge(&db, 1, 2).await?;
        let expected = [1, 2].into_iter();
        let expected = expected.flat_map(|on| (0..COMMENTS).map(move |n| comment(2, on, n)));
        let found = Comment::in_partition(2).all(&db).await?;
        assert_eq!(found, expected.collect::<Vec<_>>(), "{requests}");
        assert!(!Comment::in_partition(1).exists(&db).await?);
        let ticket = async |id: u32| Ticket::key(id).get().send(&db).await;
        let old = ticket(1).await?.map(|t| (t.comments, t.closed));
        let new = ticket(2).await?.map(|t| (t.comments, t.closed));
        assert_eq!(old, Some((0, true)), "{requests}");
        assert_eq!(new, Some((2 * COMMENTS, false)), "{requests}");
        if is_done {
            return Ok(());
        }
    }
    Err("the merge takes more requests than were tried".into())
}
