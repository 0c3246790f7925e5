//! Lists and blobs whose contents are objects outside of DynamoDB: whatever fails or dies, at the table or at the storage, readers
//! find the value as one of the writes left it, and after a sweep exactly the objects of live values exist.

use std::collections::VecDeque;
use std::future::{Future, pending};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use dynamo_entity::storage::{MemoryStorage, ObjectStorage, ObjectStoreAdapter, StorageError};

use super::*;
use crate::support::engine::Engine;

tests![
    values_are_read_as_they_were_written(Library),
    markers_and_objects_have_the_documented_form(Library),
    programs_may_die_at_every_step(Library),
    writes_may_be_dropped_at_every_await(Library),
    random_faults_of_both_sides_match_a_model(Library),
    late_uploads_are_collected(Library),
    equal_contents_are_separate(Library),
    damaged_objects_are_errors(Library),
    without_storage_nothing_is_sent(Library),
    failures_of_the_storage_change_nothing(Library),
    a_failed_delete_keeps_the_marker(Library),
    writers_readers_and_sweeps_run_at_once(Library),
    a_copied_table_deletes_no_objects(Library),
    parts_are_read_from_their_place(Library),
    late_uploads_do_not_begin(Library),
    sweeps_read_the_head_again(Library),
    limits_are_those_of_objects(Library),
    adapters_store_objects(Library),
    truncate_keeps_markers(Library),
];

crate::declare! {
    entity Library(table = "libraries", key(pk = "LIBRARY#{id}"), chunked(books: String, outside), blob(plan, outside)) { id: u32 }
}

/// The same table with values inside of it.
mod inside {
    crate::declare! {
        pub entity Library(table = "libraries", key(pk = "LIBRARY#{id}"), chunked(books: String), blob(plan)) { id: u32 }
    }
}

/// The fate of a call of the storage.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Pass,
    /// Fails before it has an effect.
    Refuse,
    /// Has its effect, and fails.
    Lose,
    /// Fails, and a put arrives later.
    Late,
    /// Never returns, and has its effect.
    Hang,
}

/// A storage that fails on demand.
#[derive(Clone, Default)]
struct Bucket(Arc<Mutex<BucketState>>);

#[derive(Default)]
struct BucketState {
    objects: BTreeMap<String, Vec<u8>>,
    /// All contents that were ever stored: a name has one content.
    ever: BTreeMap<String, Vec<u8>>,
    late: Vec<(String, Vec<u8>)>,
    plan: VecDeque<Fate>,
    calls: Vec<String>,
    /// Called before each call, with the number of the earlier ones.
    before: Option<Box<dyn Fn(usize) + Send>>,
    /// Whether calls give other tasks a turn.
    is_slow: bool,
}

impl Bucket {
    fn plan(&self, plan: impl IntoIterator<Item = Fate>) {
        self.0.lock().unwrap().plan = plan.into_iter().collect();
    }

    fn before(&self, before: Option<Box<dyn Fn(usize) + Send>>) {
        self.0.lock().unwrap().before = before;
    }

    fn names(&self) -> BTreeSet<String> {
        self.0.lock().unwrap().objects.keys().cloned().collect()
    }

    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().calls.clone()
    }

    /// Late uploads arrive.
    fn deliver(&self) {
        let state = &mut *self.0.lock().unwrap();
        state.objects.extend(std::mem::take(&mut state.late));
    }

    fn set(&self, name: &str, content: Option<Vec<u8>>) {
        let objects = &mut self.0.lock().unwrap().objects;
        match content {
            Some(content) => objects.insert(name.to_owned(), content),
            None => objects.remove(name),
        };
    }

    async fn call<T>(
        &self,
        call: &str,
        name: &str,
        effect: impl FnOnce(&mut BucketState, Fate) -> T,
    ) -> Result<T, StorageError> {
        let (is_slow, before) = {
            let mut state = self.0.lock().unwrap();
            (state.is_slow, state.before.take())
        };
        if is_slow {
            for _ in 0..fastrand::u32(0..4) {
                tokio::time::sleep(Duration::from_micros(fastrand::u64(..300))).await;
            }
        }
        if let Some(before) = before {
            let count = self.calls().len();
            before(count);
            self.0.lock().unwrap().before.get_or_insert(before);
        }
        let (fate, done) = {
            let state = &mut *self.0.lock().unwrap();
            state.calls.push(format!("{call} {name}"));
            let fate = state.plan.pop_front().unwrap_or(Fate::Pass);
            match fate {
                Fate::Refuse => (fate, None),
                _ => (fate, Some(effect(state, fate))),
            }
        };
        match (fate, done) {
            (Fate::Pass, Some(done)) => Ok(done),
            (Fate::Hang, _) => pending().await,
            _ => Err(format!("{fate:?}").into()),
        }
    }
}

impl ObjectStorage for Bucket {
    async fn put(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.call("put", name, |state, fate| {
            let ever = state.ever.entry(name.to_owned()).or_insert(content.clone());
            assert_eq!(*ever, content, "a name has one content");
            match fate {
                Fate::Late => state.late.push((name.to_owned(), content)),
                _ => drop(state.objects.insert(name.to_owned(), content)),
            }
        })
        .await
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let get = |state: &mut BucketState, _| state.objects.get(name).cloned();
        self.call("get", name, get).await
    }

    async fn delete(&self, name: &str) -> Result<(), StorageError> {
        let delete = |state: &mut BucketState, _| drop(state.objects.remove(name));
        self.call("delete", name, delete).await
    }
}

fn books(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("book {number}")).collect()
}

/// The object of a part's name.
fn object_of(name: &str) -> String {
    let words: Vec<&str> = name.split(' ').collect();
    format!("{}/{}-{}", words[3], words[0], words[2])
}

/// After a sweep, exactly the objects that heads name exist, with their markers.
async fn assert_swept(db: &Db, bucket: &Bucket, when: &str) {
    let (named, stored) = ids::<Library>(db).await;
    assert_eq!(named, stored, "{when}");
    let live: BTreeSet<String> = named.iter().map(|name| object_of(name)).collect();
    assert_eq!(live, bucket.names(), "{when}");
}

async fn values_are_read_as_they_were_written(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock).with_object_storage(bucket.clone());
    Library { id: 1 }.create().send(&now).await?;
    let list = Library::books(1).part_bytes(100);
    assert_eq!(list.all(&now).await?, books(0..0));
    list.append(&books(0..50)).send(&now).await?;
    list.append(&books(50..51)).send(&now).await?;
    assert_eq!(list.len(&db).await?, 51, "`len` needs no storage");
    assert_eq!(list.all(&now).await?, books(0..51));
    let found: Vec<String> = list.stream(&now).try_collect().await?;
    assert_eq!(found, books(0..51));
    let (mut at, mut pages) = (Default::default(), Vec::new());
    while let Some(page) = list.page(&at, &now).await? {
        at = page.next;
        pages.push(page.elements);
    }
    assert!(pages.len() > 5);
    assert_eq!(pages.concat(), books(0..51));
    assert_eq!(bucket.names().len(), pages.len());
    clock.advance(HOUR);
    Library::books(1).compact(&now).await?;
    assert_eq!(list.all(&now).await?, books(0..51));
    assert_eq!(bucket.names().len(), 1);
    clock.advance(HOUR);
    list.replace(&books(7..9)).send(&now).await?;
    assert_eq!(list.all(&now).await?, books(7..9));

    let plan = Library::plan(1);
    assert_eq!(plan.read(&now).await?, None);
    let large: Vec<u8> = (0..20_000_000_u32)
        .map(|at| (at.wrapping_mul(at) >> 7) as u8)
        .collect();
    for bytes in [&large[..], b"", b"a", &large[..8 << 20], &large[..=8 << 20]] {
        clock.advance(HOUR);
        plan.write(bytes).send(&now).await?;
        assert!(plan.read(&now).await?.as_deref() == Some(bytes));
        assert_eq!(plan.len(&now).await?, Some(bytes.len() as u64));
        assert_eq!(bucket.names().len(), 1 + bytes.len().div_ceil(8 << 20));
    }
    clock.advance(HOUR);
    plan.delete().send(&now).await?;
    assert_eq!(plan.read(&now).await?, None);
    assert_eq!(bucket.names().len(), 1);
    Library::key(1).delete().send(&now).await?;
    assert_eq!(list.all(&now).await?, books(0..0));
    assert!(bucket.names().is_empty());
    Ok(())
}

async fn markers_and_objects_have_the_documented_form(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    Library { id: 1 }.create().send(&now).await?;
    Library::plan(1).write(b"abc").send(&now).await?;
    let mut found = rows::<Library>(&db, "$LARGE#plan#").await;
    found.retain(|row| !row.contains_key("$large.parts"));
    let mut attributes: Vec<&str> = found[0].keys().map(String::as_str).collect();
    attributes.sort_unstable();
    assert_eq!(
        attributes,
        ["$large.part", "$large.written", "$unique", "pk"]
    );
    let name = found[0]["$large.part"].as_s().expect("a name");
    let words: Vec<&str> = name.split(' ').collect();
    let lengths: Vec<usize> = words.iter().map(|word| word.len()).collect();
    assert_eq!(lengths, [32, 1, 64, 16]);
    // The SHA-256 of `abc`.
    assert!(words[2].starts_with("ba7816bf8f01cfea"));
    assert_eq!(bucket.calls(), [format!("put {}", object_of(name))]);
    let shown = Library::plan(1).write(b"abc").explain(&now)?;
    assert_eq!(shown.requests.len(), 2);
    assert!(!shown.requests[0].contains("$large.bytes"));
    Ok(())
}

/// An operation, and the list and the blob after it.
async fn operation(
    what: usize,
    id: u32,
    db: &Dynamo,
) -> (Result<()>, Vec<String>, Option<Vec<u8>>) {
    let list = Library::books(id).part_bytes(30);
    let plan = Library::plan(id).part_bytes(4);
    let (before, bytes) = (books(0..9), Some(b"old bytes".to_vec()));
    match what {
        0 => (
            list.append(&books(9..18)).send(db).await,
            books(0..18),
            bytes,
        ),
        1 => (
            list.replace(&books(20..30)).send(db).await,
            books(20..30),
            bytes,
        ),
        2 => (list.delete().send(db).await, Vec::new(), bytes),
        3 => (list.compact(db).await, before, bytes),
        4 => {
            let written = plan.write(b"the new bytes").send(db).await;
            (written, before, Some(b"the new bytes".to_vec()))
        }
        _ => (Library::key(id).delete().send(db).await, Vec::new(), None),
    }
}

async fn create_library(id: u32, db: &Dynamo) -> Outcome {
    Library { id }.create().send(db).await?;
    Library::books(id)
        .part_bytes(30)
        .append(&books(0..9))
        .send(db)
        .await?;
    Library::plan(id)
        .part_bytes(4)
        .write(b"old bytes")
        .send(db)
        .await?;
    Ok(())
}

/// The values are those from before or after, and a sweep leaves exactly the live objects.
async fn assert_whole(
    id: u32,
    after: (&[String], &Option<Vec<u8>>),
    survived: bool,
    (db, bucket): (&Db, &Bucket),
    when: &str,
) -> Outcome {
    let now = Dynamo::clone(db).with_object_storage(bucket.clone());
    let found = Library::books(id).all(&now).await?;
    let bytes = Library::plan(id).read(&now).await?;
    let is_new = (&found[..], &bytes) == after;
    let is_old = found == books(0..9) && bytes.as_deref() == Some(b"old bytes");
    assert!(is_new || !survived && is_old, "{when}: {found:?} {bytes:?}");
    // An upload of a dead program arrives.
    bucket.deliver();
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let later = db.at(&later).with_object_storage(bucket.clone());
    Library::sweep_large_values().send(&later).await?;
    assert_swept(db, bucket, when).await;
    assert_eq!(Library::books(id).all(&now).await?, found, "{when}");
    assert_eq!(Library::plan(id).read(&now).await?, bytes, "{when}");
    Library::key(id).delete().send(&now).await?;
    Library::sweep_large_values().send(&later).await?;
    assert!(bucket.names().is_empty(), "{when}");
    Ok(())
}

/// The program dies before or after a request to the table, or before or after a call of the storage.
async fn programs_may_die_at_every_step(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    let mut id = 0;
    for what in 0..6 {
        for by in [Fault::Refused, Fault::Lose] {
            for after in 0.. {
                id += 1;
                create_library(id, &now).await?;
                let dead = repeat_n(Fault::Refused, 200);
                let plan = repeat_n(Fault::Pass, after).chain([by.clone()]).chain(dead);
                let (dying, http) = db.faulty(plan);
                let dying = dying.with_object_storage(bucket.clone());
                // A program whose request to the table has failed makes no further calls of the storage.
                let (table, end) = (http.clone(), bucket.clone());
                bucket.before(Some(Box::new(move |_| {
                    if table.calls().len() > after {
                        end.plan(repeat_n(Fate::Refuse, 200));
                    }
                })));
                let (done, list, bytes) = operation(what, id, &dying).await;
                bucket.before(None);
                bucket.plan([]);
                let survived = done.is_ok();
                let when = format!("{what}, request {after}, {by:?}: {done:?}");
                assert_whole(id, (&list, &bytes), survived, (&db, &bucket), &when).await?;
                if survived && http.calls().len() <= after {
                    assert!(after > 1, "{when}");
                    break;
                }
            }
        }
        for by in [Fate::Refuse, Fate::Lose, Fate::Late] {
            for after in 0.. {
                id += 1;
                create_library(id, &now).await?;
                let (dying, http) = db.faulty([]);
                let dying = dying.with_object_storage(bucket.clone());
                let first = bucket.calls().len();
                let plan = repeat_n(Fate::Pass, after).chain([by]);
                bucket.plan(plan.chain(repeat_n(Fate::Refuse, 200)));
                let table = http.clone();
                bucket.before(Some(Box::new(move |calls| {
                    if calls > first + after {
                        table.plan(repeat_n(Fault::Refused, 200));
                    }
                })));
                let (done, list, bytes) = operation(what, id, &dying).await;
                let calls = bucket.calls().len() - first;
                bucket.before(None);
                bucket.plan([]);
                let survived = done.is_ok();
                let when = format!("{what}, call {after}, {by:?}: {done:?}");
                if let Err(error) = &done {
                    let kind = error.kind();
                    assert!(
                        matches!(kind, ErrorKind::Storage | ErrorKind::Unavailable),
                        "{when}"
                    );
                }
                assert_whole(id, (&list, &bytes), survived, (&db, &bucket), &when).await?;
                if calls <= after {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The future is dropped after each number of polls; calls of the storage that hang are dropped too.
async fn writes_may_be_dropped_at_every_await(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    let mut id = 0;
    for what in 0..6 {
        for polls in 0.. {
            id += 1;
            create_library(id, &now).await?;
            let dropped = Dynamo::clone(&now);
            let mut left = polls;
            let done = {
                let mut write = pin!(operation(what, id, &dropped));
                std::future::poll_fn(|context| match write.as_mut().poll(context) {
                    Poll::Ready(done) => Poll::Ready(Some(done)),
                    Poll::Pending if left == 0 => Poll::Ready(None),
                    Poll::Pending => {
                        left -= 1;
                        Poll::Pending
                    }
                })
                .await
            };
            // Requests that were sent may still arrive. A server needs more time for them.
            let is_server = matches!(db.engine(), Engine::Server(_));
            let pause = if is_server { 300 } else { 20 };
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let when = format!("{what}, {polls} polls");
            let is_done = done.is_some();
            let (list, bytes) = match done {
                Some((done, list, bytes)) => {
                    done?;
                    (list, bytes)
                }
                None => match what {
                    0 => (books(0..18), Some(b"old bytes".to_vec())),
                    1 => (books(20..30), Some(b"old bytes".to_vec())),
                    2 => (Vec::new(), Some(b"old bytes".to_vec())),
                    3 => (books(0..9), Some(b"old bytes".to_vec())),
                    4 => (books(0..9), Some(b"the new bytes".to_vec())),
                    _ => (Vec::new(), None),
                },
            };
            assert_whole(id, (&list, &bytes), is_done, (&db, &bucket), &when).await?;
            if is_done {
                break;
            }
        }
    }
    // A hanging upload.
    create_library(9999, &now).await?;
    bucket.plan([Fate::Pass, Fate::Hang]);
    let new = books(0..30);
    let write = Library::books(9999).part_bytes(30).replace(&new).send(&now);
    assert!(
        tokio::time::timeout(Duration::from_millis(200), write)
            .await
            .is_err()
    );
    bucket.plan([]);
    assert_whole(
        9999,
        (&new, &None),
        false,
        (&db, &bucket),
        "a hanging upload",
    )
    .await
}

/// Both sides fail at random. Late uploads arrive within 12 hours.
async fn random_faults_of_both_sides_match_a_model(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let bucket = Bucket::default();
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock).with_object_storage(bucket.clone());
    let (faulty, http) = db.faulty([]);
    let faulty = faulty
        .with_clock(clock.clone())
        .with_object_storage(bucket.clone());
    let mut model: Option<(Vec<String>, Option<Vec<u8>>)> = None;
    for step in 0..150 {
        let faults = (0..8).map(|_| match random.u32(0..16) {
            0 => Fault::Lose,
            1 => Fault::Io,
            2 => Fault::throttle(),
            _ => Fault::Pass,
        });
        http.plan(faults.collect::<Vec<_>>());
        let fates = (0..12).map(|_| match random.u32(0..20) {
            0 => Fate::Refuse,
            1 => Fate::Lose,
            2 => Fate::Late,
            _ => Fate::Pass,
        });
        bucket.plan(fates.collect::<Vec<_>>());
        let elements: Vec<String> = (0..random.u32(0..8))
            .map(|_| random.u32(..).to_string())
            .collect();
        let bytes: Vec<u8> = (0..random.usize(0..20)).map(|_| random.u8(..)).collect();
        let (list, plan) = (
            Library::books(1).part_bytes(random.usize(1..40)),
            Library::plan(1).part_bytes(random.usize(1..9)),
        );
        let mut after = model.clone();
        let what = random.u32(0..9);
        let done = match (what, &mut after) {
            (0 | 1, Some(value)) => {
                value.0.clone_from(&elements);
                list.replace(&elements).send(&faulty).await
            }
            (2, Some(value)) => {
                value.0.clear();
                list.delete().send(&faulty).await
            }
            (3, Some(_)) => list.compact(&faulty).await,
            (4, after) => {
                *after = None;
                Library::key(1).delete().send(&faulty).await
            }
            (5 | 6, Some(value)) => {
                value.1 = Some(bytes.clone());
                plan.write(&bytes).send(&faulty).await
            }
            (_, Some(value)) => {
                value.0.extend(elements.iter().cloned());
                list.append(&elements).send(&faulty).await
            }
            (_, after) => {
                *after = Some((Vec::new(), None));
                Library { id: 1 }.put().send(&faulty).await.map(drop)
            }
        };
        http.plan([]);
        bucket.plan([]);
        let when = format!("seed {seed}, step {step}, {what}, {model:?} -> {after:?}: {done:?}");
        let owner = Library::key(1).get().consistent().send(&now).await?;
        let found = (
            Library::books(1).all(&now).await?,
            Library::plan(1).read(&now).await?,
        );
        let found = owner.map(|_| found);
        match done {
            Ok(()) => assert_eq!(found, after, "{when}"),
            Err(error) => {
                let fine = error.is_outcome_unknown()
                    || error.is_throttled()
                    || error.is_unavailable()
                    || error.kind() == ErrorKind::Storage;
                assert!(fine, "{when}");
                assert!(found == after || found == model, "{when}, found {found:?}");
                if error.kind() == ErrorKind::Storage && what != 3 {
                    assert!(found == model, "{when}, found {found:?}");
                }
            }
        }
        model = found;
        if random.bool() {
            bucket.deliver();
        }
        if random.u32(0..10) == 0 {
            clock.advance(11 * HOUR);
            bucket.deliver();
            clock.advance(random.i64(0..20) * HOUR);
            Library::sweep_large_values().send(&now).await?;
        }
    }
    bucket.deliver();
    clock.advance(25 * HOUR);
    Library::sweep_large_values().send(&now).await?;
    assert_swept(&db, &bucket, &format!("seed {seed}")).await;
    let found = (
        Library::books(1).all(&now).await?,
        Library::plan(1).read(&now).await?,
    );
    assert_eq!(found, model.unwrap_or_default(), "seed {seed}");
    Ok(())
}

/// An attempt of an upload arrives after its object was deleted.
async fn late_uploads_are_collected(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock).with_object_storage(bucket.clone());
    Library { id: 1 }.create().send(&now).await?;
    for what in 0..4 {
        Library::plan(1).write(b"one").send(&now).await?;
        let object = bucket.names().pop_first().expect("an object");
        clock.advance(HOUR);
        match what {
            0 => Library::plan(1).write(b"two").send(&now).await?,
            1 => Library::plan(1).delete().send(&now).await?,
            2 => {
                Library::key(1).delete().send(&now).await?;
                Library { id: 1 }.create().send(&now).await?;
            }
            _ => {
                bucket.plan([Fate::Late]);
                let error = Library::plan(1).write(b"two").send(&now).await;
                assert_eq!(error.expect_err("lost").kind(), ErrorKind::Storage);
                bucket.deliver();
            }
        }
        assert_eq!(bucket.names().contains(&object), what == 3, "{what}");
        clock.advance(11 * HOUR);
        bucket.set(&object, Some(b"one".to_vec()));
        let report = Library::sweep_large_values().send(&now).await?;
        assert_eq!(report.parts_deleted, 0, "{what}");
        clock.advance(14 * HOUR);
        let report = Library::sweep_large_values().send(&now).await?;
        assert_eq!(report.parts_deleted, 1, "{what}");
        assert_swept(&db, &bucket, &what.to_string()).await;
        Library::plan(1).delete().send(&now).await?;
        clock.advance(25 * HOUR);
        Library::sweep_large_values().send(&now).await?;
        assert_eq!((bucket.names().len(), count::<Library>(&db).await), (0, 0));
    }
    Ok(())
}

async fn equal_contents_are_separate(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock).with_object_storage(bucket.clone());
    for id in 1..=2 {
        Library { id }.create().send(&now).await?;
        Library::plan(id).write(b"the same").send(&now).await?;
    }
    clock.advance(HOUR);
    // The former object and the new one too.
    Library::plan(2).write(b"the same").send(&now).await?;
    assert_eq!(bucket.names().len(), 2);
    Library::key(1).delete().send(&now).await?;
    assert_eq!(
        Library::plan(2).read(&now).await?.as_deref(),
        Some(&b"the same"[..])
    );
    Ok(())
}

async fn damaged_objects_are_errors(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    create_library(1, &now).await?;
    for name in bucket.names() {
        let whole = bucket.0.lock().unwrap().objects[&name].clone();
        let mut other = whole.clone();
        other[0] ^= 1;
        let longer = [&whole[..], b" "].concat();
        for damage in [None, Some(Vec::new()), Some(other), Some(longer)] {
            bucket.set(&name, damage.clone());
            let list = Library::books(1).all(&now).await;
            let plan = Library::plan(1).read(&now).await;
            let pages = Library::books(1).stream(&now).try_collect::<Vec<_>>().await;
            let errors: Vec<Error> = [list.err(), plan.err(), pages.err()]
                .into_iter()
                .flatten()
                .collect();
            assert!(matches!(errors.len(), 1 | 2), "{damage:?}: {errors:?}");
            for error in errors {
                assert_eq!(error.kind(), ErrorKind::Decode, "{damage:?}: {error:?}");
                assert!(error.reason().contains("object"), "{error:?}");
            }
            bucket.set(&name, Some(whole.clone()));
        }
    }
    assert_eq!(Library::books(1).all(&now).await?, books(0..9));
    bucket.plan(repeat_n(Fate::Refuse, 1));
    let error = Library::plan(1).read(&now).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Storage);
    Ok(())
}

async fn without_storage_nothing_is_sent(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    create_library(1, &now).await?;
    let (bare, http) = db.faulty([]);
    let (list, plan) = (Library::books(1), Library::plan(1));
    let errors = [
        list.append(&books(0..1)).send(&bare).await.err(),
        list.replace(&books(0..1)).send(&bare).await.err(),
        list.compact(&bare).await.err(),
        list.delete().send(&bare).await.err(),
        list.all(&bare).await.err(),
        list.pages(&bare).next_page().await.err(),
        list.page(&Default::default(), &bare).await.err(),
        list.stream(&bare).try_collect::<Vec<_>>().await.err(),
        plan.write(b"x").send(&bare).await.err(),
        plan.read(&bare).await.err(),
        plan.delete().send(&bare).await.err(),
        Library::sweep_large_values().send(&bare).await.err(),
    ];
    for (at, error) in errors.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("no error of operation {at}"));
        assert_eq!(error.kind(), ErrorKind::Config, "{at}: {error:?}");
        assert!(
            error.reason().contains("`with_object_storage`"),
            "{at}: {error:?}"
        );
    }
    assert_eq!(http.calls().len(), 0, "nothing is sent");
    assert_eq!(plan.len(&bare).await?, Some(9));
    let objects = bucket.names().len();
    Library::key(1).delete().send(&bare).await?;
    assert_eq!(bucket.names().len(), objects);
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let later = db.at(&later).with_object_storage(bucket.clone());
    Library::sweep_large_values().send(&later).await?;
    assert_eq!((bucket.names().len(), count::<Library>(&db).await), (0, 0));
    Ok(())
}

async fn failures_of_the_storage_change_nothing(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    create_library(1, &now).await?;
    let (counted, http) = db.faulty([]);
    let counted = counted.with_object_storage(bucket.clone());
    for by in [Fate::Refuse, Fate::Lose, Fate::Late] {
        bucket.plan([by]);
        let error = Library::plan(1).write(b"new").send(&counted).await;
        let error = error.expect_err("the storage failed");
        assert_eq!(error.kind(), ErrorKind::Storage, "{error:?}");
        assert_eq!(
            (error.entity(), error.attribute()),
            (Some("Library"), Some("plan"))
        );
        let source = std::error::Error::source(&error).expect("the error of the storage");
        assert_eq!(source.to_string(), format!("{by:?}"));
        assert_eq!(
            Library::plan(1).read(&now).await?,
            Some(b"old bytes".to_vec())
        );
    }
    assert!(
        http.calls().iter().all(|call| call == "PutItem"),
        "{:?}",
        http.calls()
    );
    Ok(())
}

async fn a_failed_delete_keeps_the_marker(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    create_library(1, &now).await?;
    Library::key(1).delete().send(&db).await?;
    let all = bucket.names().len();
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let later = db.at(&later).with_object_storage(bucket.clone());
    bucket.plan([Fate::Refuse, Fate::Lose]);
    let error = Library::sweep_large_values().send(&later).await;
    assert_eq!(error.expect_err("two failures").kind(), ErrorKind::Storage);
    // The others were deleted all the same.
    assert_eq!((bucket.names().len(), count::<Library>(&db).await), (1, 2));
    assert!(all > 3);
    let report = Library::sweep_large_values().send(&later).await?;
    assert_eq!(report.parts_deleted, 2);
    assert_eq!((bucket.names().len(), count::<Library>(&db).await), (0, 0));
    Ok(())
}

async fn writers_readers_and_sweeps_run_at_once(db: Db) -> Outcome {
    let bucket = Bucket::default();
    bucket.0.lock().unwrap().is_slow = true;
    // Values and orphans of the day before.
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock).with_object_storage(bucket.clone());
    for id in 2..=9 {
        create_library(id, &now).await?;
        if id > 2 {
            Library::key(id).delete().send(&db).await?;
        }
    }
    Library { id: 1 }.create().send(&now).await?;
    clock.advance(24 * HOUR);
    let content = |writer: u8, round: u8| vec![writer * 100 + round; 20 + usize::from(round)];
    Library::plan(1)
        .part_bytes(7)
        .write(content(0, 0))
        .send(&now)
        .await?;
    let writers = (0..2_u8).map(|writer| {
        let now = now.clone();
        tokio::spawn(async move {
            for round in 0..15 {
                let plan = Library::plan(1).part_bytes(7);
                plan.write(content(writer, round)).send(&now).await?;
                let book = [format!("{writer} {round}")];
                Library::books(1).append(&book).send(&now).await?;
            }
            Ok::<_, Error>(())
        })
    });
    let writers: Vec<_> = writers.collect();
    // For this sweep, everything of the day before is old, and everything of today is not.
    let tomorrow = HandClock::at("2026-01-03T00:00:00Z");
    let sweeping = db.at(&tomorrow).with_object_storage(bucket.clone());
    let mut swept = 0;
    let mut reads = 0;
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        let found = Library::plan(1).read(&now).await?.expect("bytes");
        assert_eq!(found, content(found[0] / 100, found[0] % 100));
        let report = Library::sweep_large_values().send(&sweeping).await?;
        swept += report.parts_deleted;
        reads += 1;
    }
    for writer in writers {
        writer.await??;
    }
    assert!(reads > 0 && swept > 7 * 5, "{reads}, {swept}");
    assert_eq!(Library::books(2).all(&now).await?, books(0..9));
    assert_eq!(
        Library::plan(2).read(&now).await?,
        Some(b"old bytes".to_vec())
    );
    let found = Library::books(1).all(&now).await?;
    for writer in 0..2 {
        let own = found
            .iter()
            .filter(|book| book.starts_with(&format!("{writer} ")));
        let expected = (0..15).map(|round| format!("{writer} {round}"));
        assert!(own.cloned().eq(expected), "{found:?}");
    }
    let last = Library::plan(1).read(&now).await?;
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let later = db.at(&later).with_object_storage(bucket.clone());
    Library::sweep_large_values().send(&later).await?;
    assert_swept(&db, &bucket, "at the end").await;
    assert_eq!(Library::plan(1).read(&now).await?, last);
    Ok(())
}

/// A copy of the table, as a restore makes one, names the objects of the original.
async fn a_copied_table_deletes_no_objects(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    create_library(1, &now).await?;
    create_library(2, &now).await?;
    // Orphans too: the sweep of the original deletes their objects.
    Library::key(2).delete().send(&db).await?;
    let restored = Dynamo::clone(&now).with_prefix(format!("{}restored", db.prefix()));
    restored.create_tables([Library::schema()]).await?;
    let items = db.client().scan().table_name(db.table::<Library>());
    for item in items.consistent_read(true).send().await?.items() {
        let put = db
            .client()
            .put_item()
            .table_name(restored.table_name(Library::schema()));
        put.set_item(Some(item.clone())).send().await?;
    }
    let before = bucket.names();
    assert_eq!(Library::books(1).all(&restored).await?, books(0..9));
    // What the copy writes belongs to the copy.
    Library::books(1)
        .append(&books(9..10))
        .send(&restored)
        .await?;
    assert_eq!(Library::books(1).all(&restored).await?, books(0..10));
    assert_eq!(bucket.names().len(), before.len() + 1);
    Library::plan(1).write(b"new").send(&restored).await?;
    Library::key(1).delete().send(&restored).await?;
    let clock = HandClock::at("2100-01-01T00:00:00Z");
    let later = restored.clone().with_clock(clock.clone());
    let report = Library::sweep_large_values().send(&later).await?;
    assert!(report.parts_deleted > 6, "{report:?}");
    assert_eq!(bucket.names(), before);
    assert_eq!(Library::books(1).all(&now).await?, books(0..9));
    let later = db.at(&clock).with_object_storage(bucket.clone());
    Library::sweep_large_values().send(&later).await?;
    assert_swept(&db, &bucket, "the original").await;
    assert_eq!(
        Library::plan(1).read(&now).await?,
        Some(b"old bytes".to_vec())
    );
    Ok(())
}

/// The declaration gets `outside` or loses it.
async fn parts_are_read_from_their_place(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock).with_object_storage(bucket.clone());
    Library { id: 1 }.create().send(&now).await?;
    inside::Library::books(1)
        .append(&books(0..3))
        .send(&db.at(&clock))
        .await?;
    inside::Library::plan(1)
        .write(b"inside")
        .send(&db.at(&clock))
        .await?;
    assert_eq!(Library::books(1).all(&now).await?, books(0..3));
    assert_eq!(Library::plan(1).read(&now).await?, Some(b"inside".to_vec()));
    Library::books(1).append(&books(3..6)).send(&now).await?;
    inside::Library::books(1)
        .append(&books(6..9))
        .send(&now)
        .await?;
    Library::plan(1).write(b"outside").send(&now).await?;
    assert_eq!(inside::Library::books(1).all(&now).await?, books(0..9));
    assert_eq!(
        inside::Library::plan(1).read(&now).await?,
        Some(b"outside".to_vec())
    );
    // Programs without a storage cannot read them, and say so.
    let error = inside::Library::plan(1)
        .read(&db)
        .await
        .expect_err("no storage");
    assert_eq!(error.kind(), ErrorKind::Config, "{error:?}");
    clock.advance(HOUR);
    Library::books(1).compact(&now).await?;
    assert_eq!(bucket.names().len(), 2);
    clock.advance(HOUR);
    inside::Library::books(1).compact(&now).await?;
    assert_eq!(inside::Library::books(1).all(&db).await?, books(0..9));
    inside::Library::plan(1).write(b"inside").send(&now).await?;
    assert!(bucket.names().is_empty());
    let later = HandClock::at("2100-01-01T00:00:00Z");
    inside::Library::sweep_large_values()
        .send(&db.at(&later))
        .await
        .expect_err("markers without a storage");
    let later = db.at(&later).with_object_storage(bucket.clone());
    inside::Library::sweep_large_values().send(&later).await?;
    assert_eq!(count::<Library>(&db).await, 4);
    assert_eq!(Library::plan(1).read(&now).await?, Some(b"inside".to_vec()));
    Ok(())
}

/// An upload that begins late could arrive after its marker was deleted.
async fn late_uploads_do_not_begin(db: Db) -> Outcome {
    let bucket = Bucket::default();
    Library { id: 1 }.create().send(&db).await?;
    let slow = SlowProgram(HandClock::at("2026-01-01T00:00:00Z"));
    let slow = Dynamo::clone(&db)
        .with_clock(slow)
        .with_object_storage(bucket.clone());
    let write = Library::plan(1).part_bytes(1).write([7; 9]);
    let error = write.send(&slow).await.expect_err("too late");
    assert_eq!(error.kind(), ErrorKind::Rejected, "{error:?}");
    let puts = bucket
        .calls()
        .iter()
        .filter(|call| call.starts_with("put"))
        .count();
    assert!(puts < 3, "{puts} uploads began");
    assert_eq!(Library::plan(1).len(&db).await?, None);
    Ok(())
}

/// A head that changes during a sweep protects its parts, although the delete of an object has no condition.
async fn sweeps_read_the_head_again(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    Library { id: 1 }.create().send(&now).await?;
    Library::plan(1)
        .part_bytes(1)
        .write(b"abcd")
        .send(&now)
        .await?;
    let mut heads = rows::<Library>(&db, "$LARGE#plan#").await;
    heads.retain(|row| row.contains_key("$large.parts"));
    let head = heads.remove(0);
    let mut empty = head.clone();
    empty.insert("$large.parts".into(), AttributeValue::L(Vec::new()));
    let table = db.table::<Library>();
    let put = |row: Raw| {
        db.client()
            .put_item()
            .table_name(&table)
            .set_item(Some(row))
            .send()
    };
    put(empty).await?;
    // The first delete finds a head without names; during it, the head names all parts again.
    let (client, row, name) = (db.client().clone(), head.clone(), table.clone());
    let runtime = tokio::runtime::Handle::current();
    let first = bucket.calls().len();
    bucket.before(Some(Box::new(move |calls| {
        if calls == first {
            let put = client
                .put_item()
                .table_name(&name)
                .set_item(Some(row.clone()));
            let is_sent = tokio::task::block_in_place(|| runtime.block_on(put.send()).is_ok());
            assert!(is_sent);
        }
    })));
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let later = db.at(&later).with_object_storage(bucket.clone());
    let report = Library::sweep_large_values().send(&later).await?;
    bucket.before(None);
    assert_eq!(report.parts_deleted, 0);
    assert_eq!((bucket.names().len(), count::<Library>(&db).await), (3, 5));
    Ok(())
}

async fn truncate_keeps_markers(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    create_library(1, &now).await?;
    Library { id: 2 }.create().send(&now).await?;
    inside::Library::plan(2).write(b"inside").send(&now).await?;
    let objects = bucket.names().len();
    assert!(objects > 3);
    let schema = Library::schema();
    // Two items, three heads, and one part with content.
    assert_eq!(db.truncate([schema.clone()]).even_on_aws().await?, 6);
    assert_eq!(count::<Library>(&db).await, objects);
    assert_eq!(Library::scan().consistent().all(&db).await?, []);
    // A declaration that has stopped to use the storage.
    let inside = inside::Library::schema();
    assert_eq!(db.truncate([inside]).even_on_aws().await?, 0);
    create_library(1, &now).await?;
    let later = HandClock::at("2100-01-01T00:00:00Z");
    let later = db.at(&later).with_object_storage(bucket.clone());
    Library::sweep_large_values().send(&later).await?;
    assert_swept(&db, &bucket, "after a truncate").await;
    assert_eq!(Library::books(1).all(&now).await?, books(0..9));
    Ok(())
}

async fn limits_are_those_of_objects(db: Db) -> Outcome {
    let bucket = Bucket::default();
    let (counted, http) = db.faulty([]);
    let counted = counted.with_object_storage(bucket.clone());
    Library { id: 1 }.create().send(&db).await?;
    let all = vec![7; 3600];
    let error = Library::plan(1)
        .part_bytes(1)
        .write(&all)
        .send(&counted)
        .await;
    assert_eq!(error.expect_err("too many").kind(), ErrorKind::TooLarge);
    let error = Library::books(1)
        .part_bytes(1)
        .append(&books(0..3201))
        .send(&counted)
        .await;
    assert_eq!(error.expect_err("too many").kind(), ErrorKind::TooLarge);
    assert_eq!((http.calls().len(), bucket.calls().len()), (0, 0));
    let now = Dynamo::clone(&db).with_object_storage(bucket.clone());
    // Larger than an item.
    let large = ["x".repeat(1_000_000), "y".to_owned()];
    Library::books(1).append(&large).send(&now).await?;
    assert_eq!(Library::books(1).all(&now).await?, large);
    assert_eq!(bucket.names().len(), 1);
    Ok(())
}

async fn adapters_store_objects(db: Db) -> Outcome {
    let store: Arc<dyn object_store::ObjectStore> = Arc::new(object_store::memory::InMemory::new());
    let adapter = ObjectStoreAdapter::new(store);
    let get = async |adapter: &ObjectStoreAdapter| adapter.get("0f/a-b").await.expect("an answer");
    assert_eq!(get(&adapter).await, None);
    adapter.delete("0f/a-b").await.expect("deleted");
    let stored = adapter.put("0f/a-b", b"one".to_vec()).await;
    stored.expect("stored");
    let stored = adapter.put("0f/a-b", b"one".to_vec()).await;
    stored.expect("stored");
    assert_eq!(get(&adapter).await, Some(b"one".to_vec()));
    adapter.delete("0f/a-b").await.expect("deleted");
    assert_eq!(get(&adapter).await, None);
    let memory = MemoryStorage::default();
    for now in [
        Dynamo::clone(&db).with_object_storage(adapter),
        Dynamo::clone(&db).with_object_storage(Arc::new(memory.clone())),
    ] {
        create_library(1, &now).await?;
        assert_eq!(Library::books(1).all(&now).await?, books(0..9));
        assert_eq!(
            Library::plan(1).read(&now).await?,
            Some(b"old bytes".to_vec())
        );
        let settled = now.with_clock(HandClock::at("2100-01-01T00:00:00Z"));
        Library::key(1).delete().send(&settled).await?;
    }
    assert_eq!(memory.names(), Vec::<String>::new());
    Ok(())
}
