//! The transactions of a batch of changes, some of which fail.

use super::super::each::EachHandler;
use super::super::worker::tests::{Note, open_worker};
use super::super::worker::{TakenLease, Worker};
use super::*;
use crate::connect::testing::{Fault, Faults};
use crate::error::Stage;
use crate::plan::Operation;
use crate::streams::event::StreamEvent;
use crate::streams::form::EventForm;
use crate::streams::parked::ParkedChange;
use crate::streams::verbs::EntityChanges;
use crate::verbs::EntityExt;

async fn worker_that_parks() -> (Worker, TakenLease, Faults) {
    let (mut worker, faults) = open_worker(std::time::Duration::from_secs(60)).await;
    worker.settings.park_after = Some(1);
    worker.add_shards(1).await;
    let lease = worker.take_one("s000").await;
    let rejected = Note { id: 103 }.put().send(&worker.store.db);
    rejected.await.expect("written");
    faults.plan([]);
    (worker, lease, faults)
}

fn records(ids: std::ops::RangeInclusive<u32>) -> Vec<StreamRecord> {
    let json = |id: u32| {
        format!(
            r#"{{"eventID":"e{id}","eventName":"INSERT","dynamodb":{{"Keys":{{"id":{{"N":"{id}"}}}},"NewImage":{{"id":{{"N":"{id}"}}}},
            "SequenceNumber":"1{id}","ApproximateCreationDateTime":1700000000,"StreamViewType":"NEW_AND_OLD_IMAGES"}}}}"#
        )
    };
    ids.map(|id| StreamRecord::read_record(json(id).as_bytes(), EventForm::Lambda))
        .collect()
}

/// Handles records. The write of change 2 adds nothing, and that of change 3 is rejected.
async fn handle(run: &mut ShardRun<'_>, records: Vec<StreamRecord>) -> Result<()> {
    let event = StreamEvent::from_json(br#"{"Records": []}"#)?;
    let handler = EachInHandler {
        changes: Note::changes_of(&event),
        write: |change: &ItemChange<Note, Note>, tx: &mut ChangeTransaction<'_>| match change
            .event
            .after()
            .expect("no removals")
            .id
        {
            2 => Ok(()),
            3 => tx.with(Note { id: 103 }.create()),
            id => tx.with(Note { id: id + 100 }.put()),
        },
    };
    let left = handler.handle_records(run, records).await?;
    assert_eq!(left, None);
    Ok(())
}

/// The bodies of the transactions that were sent.
fn transactions(faults: &Faults) -> Vec<String> {
    let seen = faults.seen().into_iter();
    seen.filter(|request| request.operation == "TransactWriteItems")
        .map(|request| String::from_utf8(request.body).expect("JSON"))
        .collect()
}

/// A late request of an earlier attempt would otherwise take effect after the change was parked.
#[tokio::test]
async fn a_change_is_parked_together_with_its_place() {
    let (worker, lease, faults) = worker_that_parks().await;
    let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
    handle(&mut run, records(3..=3)).await.expect("parked");
    let sent = transactions(&faults);
    let parks = sent.last().expect("a transaction");
    assert!(
        parks.contains("CHANGE#e3") && parks.contains("SHARD#s000"),
        "{parks}"
    );
    let parked = ParkedChange::list("g", &worker.store.db).await;
    assert_eq!(parked.expect("read").len(), 1);
}

/// A page may have a thousand records that are not shown, so they must not cost a transaction each.
#[tokio::test]
async fn only_changes_with_writes_are_sent_alone_after_a_failure() {
    let (worker, lease, faults) = worker_that_parks().await;
    let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
    handle(&mut run, records(1..=3)).await.expect("handled");
    let sent = transactions(&faults);
    assert_eq!(
        sent.len(),
        4,
        "the batch, two changes, and the parked one: {sent:#?}"
    );
    let db = &worker.store.db;
    let note = Note::key(101).get().send(db).await.expect("read");
    assert_eq!(note, Some(Note { id: 101 }));
    let row = worker.store.read_shard("s000").await.expect("read");
    assert_eq!(row.expect("a row").place.as_deref(), Some("13"));
}

/// A server that is busy should not get more requests, and the changes have not failed.
#[tokio::test]
async fn a_batch_is_sent_again_as_a_whole_while_the_server_is_busy() {
    let (worker, lease, faults) = worker_that_parks().await;
    let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
    faults.plan(std::iter::repeat_with(Fault::throttle).take(4));
    handle(&mut run, records(4..=5)).await.expect("handled");
    let sent = transactions(&faults);
    assert!(sent.len() > 1, "{sent:#?}");
    for body in sent {
        assert!(body.contains("104") && body.contains("105"), "{body}");
    }
}

/// Each change would be parked if the permissions are wrong.
#[tokio::test]
async fn a_failure_that_is_not_of_the_change_ends_the_worker() {
    let (worker, lease, faults) = worker_that_parks().await;
    let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
    faults.plan([Fault::refuse("AccessDeniedException")]);
    let error = handle(&mut run, records(4..=5))
        .await
        .expect_err("no permission");
    assert_eq!(error.kind(), ErrorKind::AccessDenied);
    let parked = ParkedChange::list("g", &worker.store.db).await;
    assert_eq!(parked.expect("read"), []);
    let of_change = |kind| is_of_change(&Error::new(kind, Stage::Service, "failed"));
    assert!(of_change(ErrorKind::AlreadyExists));
    for kind in [
        ErrorKind::NoTransactions,
        ErrorKind::Config,
        ErrorKind::Locked,
        ErrorKind::TableNotFound,
    ] {
        assert!(!of_change(kind), "{kind:?}");
    }
}

/// It must not be skipped: the rest of the shard goes on after it was parked.
#[tokio::test]
async fn a_record_that_cannot_be_read_is_parked() {
    let json = br#"{"eventID":"e9","eventName":"INSERT","dynamodb":{"Keys":{"id":{"N":"9"}},"NewImage":{"id":{"S":"nine"}},
        "SequenceNumber":"19","ApproximateCreationDateTime":1700000000,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;
    for is_each in [false, true] {
        let (worker, lease, _) = worker_that_parks().await;
        let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
        let mut page = records(4..=4);
        page.insert(0, StreamRecord::read_record(json, EventForm::Lambda));
        if is_each {
            let event = StreamEvent::from_json(br#"{"Records": []}"#).expect("JSON");
            let handler = EachHandler {
                changes: Note::changes_of(&event),
                handler: |_: ItemChange<Note, Note>| std::future::ready(Ok::<_, Error>(())),
            };
            let left = handler.handle_records(&mut run, page).await;
            assert_eq!(left.expect("handled"), None);
        } else {
            handle(&mut run, page).await.expect("handled");
        }
        assert_eq!(run.reached.sequence.as_deref(), Some("14"));
        let parked = ParkedChange::list("g", &worker.store.db).await;
        let parked = parked.expect("read");
        assert_eq!(parked.len(), 1, "{is_each}");
        assert_eq!(parked[0].event_id, "e9");
    }
}
