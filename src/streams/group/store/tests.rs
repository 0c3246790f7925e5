//! The conditions of the requests, on rows in an embedded engine.

use super::super::book::tests::{Request, apply_request};
use super::super::lease::LeaseTable;
use super::*;
use crate::entity::DynamoTable;
use crate::wire::embedded::EmbeddedEngine;

const ME: &str = "w0";
const OTHER: &str = "w1";
const EPOCH: u64 = 5;

async fn open_store() -> LeaseStore {
    let db = EmbeddedEngine::memory().await.expect("an engine").connect();
    db.create_tables([LeaseTable::schema()])
        .await
        .expect("a table");
    LeaseStore {
        db,
        group: "g".into(),
        worker: ME.into(),
        lease_millis: 3_000,
    }
}

/// The rows of the group, its roots and two shards, of which the first one is old.
#[derive(Debug, Clone, PartialEq)]
struct Rows {
    group: StreamGroup,
    roots: GroupRoots,
    shard: ShardLease,
    old: ShardLease,
}

fn mark(place: &str) -> ShardMark {
    ShardMark {
        sequence: Some(place.into()),
        at: Some(7),
    }
}

const START: ShardStart = ShardStart {
    unread_since: 3,
    is_initial: true,
};

impl Rows {
    /// Rows whose leases have this owner and epoch.
    fn new(store: &LeaseStore, owner: Option<&str>, epoch: u64) -> Self {
        let shard = ShardLease {
            owner: owner.map(str::to_owned),
            epoch,
            renewals: 9,
            place: Some("10".into()),
            ..store.new_row("s", None, START)
        };
        let old = ShardLease {
            is_finished: true,
            children: BTreeSet::from(["s".to_owned()]),
            ..store.new_row("old", None, START)
        };
        Rows {
            group: StreamGroup {
                group: "g".into(),
                stream: "arn".into(),
                start_at: None,
                owner: owner.map(str::to_owned),
                epoch,
                renewals: 9,
                lease_millis: 0,
                surveyed_at: None,
                entities: BTreeSet::new(),
            },
            roots: GroupRoots {
                group: "g".into(),
                shards: BTreeSet::from(["old".to_owned()]),
            },
            shard,
            old,
        }
    }

    async fn write(&self, store: &LeaseStore) {
        let db = &store.db;
        self.group.put().send(db).await.expect("written");
        self.roots.put().send(db).await.expect("written");
        self.shard.put().send(db).await.expect("written");
        self.old.put().send(db).await.expect("written");
        for new in ["new", "child"] {
            let key = ShardLease::key("g", new).delete();
            key.send(db).await.expect("deleted");
        }
    }
}

/// The writes that only the owner of a lease may send.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Write {
    RenewGroup,
    RenewShard,
    ReleaseGroup,
    ReleaseShard,
    CreateRows,
    NoteSurvey,
    RemoveRow,
    MovePlace,
    Finish,
}

const WRITES: [Write; 9] = [
    Write::RenewGroup,
    Write::RenewShard,
    Write::ReleaseGroup,
    Write::ReleaseShard,
    Write::CreateRows,
    Write::NoteSurvey,
    Write::RemoveRow,
    Write::MovePlace,
    Write::Finish,
];

impl Write {
    async fn send(self, store: &LeaseStore, before: &ShardMark, old: &ShardLease) -> Written {
        let new = NewShard {
            shard: "new".into(),
            parent: None,
            has_parent_row: false,
        };
        let sent = match self {
            Write::RenewGroup => store.renew("", EPOCH).await,
            Write::RenewShard => store.renew("s", EPOCH).await,
            Write::ReleaseGroup => store.release("", EPOCH, None).await,
            Write::ReleaseShard => store.release("s", EPOCH, None).await,
            Write::CreateRows => store.create_rows(EPOCH, &[new], START).await,
            Write::NoteSurvey => store.note_survey(EPOCH, 1).await,
            Write::RemoveRow => store.remove_row(EPOCH, old).await,
            Write::MovePlace => {
                let moved = store.move_place("s", EPOCH, before, &mark("11"));
                written(moved.send(&store.db).await.map(drop))
            }
            Write::Finish => {
                let children = ["child".into()];
                store.finish("s", EPOCH, before, &children, START).await
            }
        };
        sent.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    fn has_place(self) -> bool {
        matches!(self, Write::MovePlace | Write::Finish)
    }
}

async fn all_rows(store: &LeaseStore) -> Vec<GroupRow> {
    store.read_partition().await.expect("read")
}

/// Each of the three is needed alone: an old epoch of this worker, the same epoch of a group that was forgotten and created
/// again, and a late write of this epoch.
#[tokio::test]
async fn a_write_needs_the_owner_and_the_epoch_and_the_place() {
    let store = open_store().await;
    for owner in [None, Some(ME), Some(OTHER)] {
        for epoch in [EPOCH - 1, EPOCH, EPOCH + 1] {
            for place in ["9", "10"] {
                for write in WRITES {
                    let rows = Rows::new(&store, owner, epoch);
                    rows.write(&store).await;
                    let before = all_rows(&store).await;
                    let sent = write.send(&store, &mark(place), &rows.old).await;
                    let is_placed = place == "10" || !write.has_place();
                    let is_mine = owner == Some(ME) && epoch == EPOCH;
                    let expected = match is_mine && is_placed {
                        true => Written::Done,
                        false => Written::Refused,
                    };
                    let case = format!("{write:?} for {owner:?} in {epoch} at {place}");
                    assert_eq!(sent, expected, "{case}");
                    let is_changed = all_rows(&store).await != before;
                    assert_eq!(is_changed, expected == Written::Done, "{case}");
                }
            }
        }
    }
}

/// A shard without a place has not been read.
#[tokio::test]
async fn the_first_place_is_set_once() {
    let store = open_store().await;
    let none = ShardMark::default();
    for write in [Write::MovePlace, Write::Finish] {
        let mut rows = Rows::new(&store, Some(ME), EPOCH);
        rows.write(&store).await;
        let sent = write.send(&store, &none, &rows.old).await;
        assert_eq!(sent, Written::Refused, "{write:?}");
        rows.shard.place = None;
        rows.write(&store).await;
        let sent = write.send(&store, &none, &rows.old).await;
        assert_eq!(sent, Written::Done, "{write:?}");
    }
}

#[tokio::test]
async fn the_outcome_of_a_write_is_read_from_the_row() {
    let store = open_store().await;
    for (owner, epoch, place, expected) in [
        (ME, EPOCH, "10", PlaceState::Before),
        (ME, EPOCH, "11", PlaceState::After),
        (ME, EPOCH, "12", PlaceState::Lost),
        (OTHER, EPOCH, "10", PlaceState::Lost),
        (OTHER, EPOCH, "11", PlaceState::Lost),
        (ME, EPOCH + 1, "11", PlaceState::Lost),
    ] {
        let mut rows = Rows::new(&store, Some(owner), epoch);
        rows.shard.place = Some(place.into());
        rows.write(&store).await;
        let (before, after) = (mark("10"), mark("11"));
        let state = store.read_place("s", EPOCH, &before, &after).await;
        assert_eq!(state.expect("read"), expected, "{owner} at {place}");
    }
}

/// A shard that is not finished must keep its row, even if the discoverer believes that it is gone.
#[tokio::test]
async fn the_row_of_an_unfinished_shard_is_not_removed() {
    let store = open_store().await;
    let mut rows = Rows::new(&store, Some(ME), EPOCH);
    rows.old.is_finished = false;
    rows.write(&store).await;
    let removed = store.remove_row(EPOCH, &rows.old).await.expect("sent");
    assert_eq!(removed, Written::Refused);
    assert!(store.read_shard("old").await.expect("read").is_some());
    rows.old.is_finished = true;
    rows.write(&store).await;
    let removed = store.remove_row(EPOCH, &rows.old).await.expect("sent");
    assert_eq!(removed, Written::Done);
    let read = store.read_rows().await.expect("read").expect("a group");
    assert_eq!(read.roots, BTreeSet::from(["s".to_owned()]));
}

/// Another worker may have taken the shard, or have requested it before.
#[tokio::test]
async fn a_shard_is_requested_once_and_from_its_present_owner() {
    let store = open_store().await;
    let mut rows = Rows::new(&store, Some(OTHER), EPOCH);
    rows.write(&store).await;
    let ask = |epoch| store.ask_for("s", epoch);
    assert_eq!(ask(EPOCH - 1).await.expect("sent"), Written::Refused);
    assert_eq!(ask(EPOCH).await.expect("sent"), Written::Done);
    rows.shard.requested_by = Some("w2".into());
    rows.write(&store).await;
    assert_eq!(ask(EPOCH).await.expect("sent"), Written::Refused);
}

/// The simulation of the leases is worth as much as its conditions.
#[tokio::test]
async fn the_simulated_leases_have_the_conditions_of_the_store() {
    let store = open_store().await;
    let lease_time = Duration::from_millis(store.lease_millis);
    let state = |owner: Option<&str>, epoch, renewals| LeaseState {
        owner: owner.map(str::to_owned),
        epoch,
        renewals,
        lease_time: Duration::ZERO,
    };
    let sent = Duration::ZERO;
    let mut requests = vec![
        Request::Renew { epoch: EPOCH, sent },
        Request::Release { epoch: EPOCH },
    ];
    for epoch in [EPOCH, EPOCH + 1] {
        for renewals in [8, 9] {
            let seen = state(None, epoch, renewals);
            requests.push(Request::Take { seen, sent });
        }
    }
    for name in ["", "s"] {
        for owner in [None, Some(ME), Some(OTHER)] {
            for epoch in [EPOCH, EPOCH + 1] {
                for request in &requests {
                    let mut row = state(owner, epoch, 9);
                    let expected = apply_request(&mut row, ME, lease_time, request);
                    Rows::new(&store, owner, epoch).write(&store).await;
                    let written = match request {
                        Request::Renew { epoch, .. } => store.renew(name, *epoch).await,
                        Request::Release { epoch } => store.release(name, *epoch, None).await,
                        Request::Take { seen, .. } => store.take(name, seen).await,
                        Request::Read => continue,
                    };
                    let case = format!("{request:?} of {name:?} for {owner:?} in {epoch}");
                    let is_done = written.expect("sent") == Written::Done;
                    assert_eq!(is_done, expected.is_ok(), "{case}");
                    let stored = match name.is_empty() {
                        true => {
                            let row = store.read_group().await.expect("read").expect("a row");
                            (row.owner, row.epoch, row.renewals, row.lease_millis)
                        }
                        false => {
                            let row = store.read_shard(name).await.expect("read").expect("a row");
                            (row.owner, row.epoch, row.renewals, row.lease_millis)
                        }
                    };
                    let millis = u64::try_from(row.lease_time.as_millis()).expect("a time");
                    assert_eq!(
                        stored,
                        (row.owner, row.epoch, row.renewals, millis),
                        "{case}"
                    );
                }
            }
        }
    }
}
