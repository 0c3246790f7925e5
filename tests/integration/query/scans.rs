//! Scans of the whole table, in segments, and from a saved place on.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dynamo_entity::prelude::*;
use dynamo_entity::read::ReadProgress;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::cursors::SECRET;
use super::requests::limits;
use super::{Loan, library, tokens};
use crate::random;
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_scan_in_legs_brings_each_row_once(Thing),
    a_stream_says_where_to_go_on,
    a_stream_goes_on_behind_an_error,
    a_cursor_has_a_place_in_each_segment,
    a_cursor_of_segments_fits_as_many,
    made_up_places_are_refused,
    a_bad_cursor_is_told_from_a_bad_request,
    segments_that_were_read_are_not_read_again,
    a_limit_is_shared_by_the_segments,
    segments_have_a_bound,
    a_pace_is_kept,
    a_pace_is_kept_by_jobs_and_hydrated_rows,
    an_engine_that_does_not_say_is_estimated,
    progress_adds_up,
    what_is_not_asked_for_is_not_reported,
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, DynamoEntity)]
#[dynamo(table = "things", key(pk = "T#{name}", sk = "{number}"))]
struct Thing {
    name: String,
    number: i16,
    weight: u8,
}

fn things(names: usize) -> impl Strategy<Value = Vec<Thing>> {
    let thing = ("[a-h#%]{1,3}", -3i16..3, any::<u8>());
    let thing = thing.prop_map(|(name, number, weight)| Thing {
        name,
        number,
        weight,
    });
    proptest::collection::vec(thing, 0..names).prop_map(|mut things| {
        things.sort();
        things.dedup_by(|left, right| (&left.name, left.number) == (&right.name, right.number));
        things
    })
}

/// One leg of a scan: how much is read before it is stopped.
#[derive(Debug, Clone, Copy)]
enum Leg {
    /// A page of so many rows.
    Page(usize),
    /// A page that looks at so many items.
    Scanned(usize),
    /// A page without a limit.
    Answer,
    /// So many rows of a stream.
    Stream(usize),
    /// A page, left at this row if it has as many.
    Row(usize),
}

fn leg() -> impl Strategy<Value = Leg> {
    prop_oneof![
        (1usize..20).prop_map(Leg::Page),
        (1usize..20).prop_map(Leg::Scanned),
        Just(Leg::Answer),
        (0usize..30).prop_map(Leg::Stream),
        (0usize..6).prop_map(Leg::Row),
    ]
}

#[derive(Debug, Clone)]
struct Plan {
    segments: Option<usize>,
    page_size: usize,
    least: u8,
    legs: Vec<Leg>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let segments = prop_oneof![Just(None), (1usize..12).prop_map(Some), Just(Some(40))];
    let legs = proptest::collection::vec(leg(), 1..6);
    (segments, 1usize..12, select(&[0u8, 0, 128, 250][..]), legs).prop_map(
        |(segments, page_size, least, legs)| Plan {
            segments,
            page_size,
            least,
            legs,
        },
    )
}

/// The rows that a leg brought, and where the next leg begins.
struct Walked {
    rows: Vec<Thing>,
    next: Option<Cursor>,
    is_over: bool,
}

impl Plan {
    fn scan(&self) -> Query<Thing, dynamo_entity::query::WholeTable> {
        let scan = Thing::scan().page_size(self.page_size);
        let scan = match self.least {
            0 => scan,
            least => scan.filter(|thing| thing.weight().ge(least)),
        };
        match self.segments {
            Some(segments) => scan.segments(segments),
            None => scan,
        }
    }

    async fn walk(&self, db: &Db, leg: Leg, from: Option<Cursor>) -> Result<Walked> {
        let q = self.scan().resume(from);
        let page = match leg {
            Leg::Page(limit) => q.limit(limit),
            Leg::Scanned(items) => q.limit(100).max_scanned(items),
            Leg::Answer | Leg::Row(_) => q,
            Leg::Stream(rows) => return streamed(q, db, rows).await,
        };
        let page = page.page(db).await?;
        assert!(page.previous.is_none(), "a scan has no order");
        if let Leg::Row(row) = leg
            && let Some(next) = page.cursor_at(row)
        {
            let rows = page.rows.into_iter().take(row + 1).collect();
            return Ok(Walked {
                rows,
                next: Some(next),
                is_over: false,
            });
        }
        Ok(Walked {
            is_over: page.next.is_none(),
            rows: page.rows,
            next: page.next,
        })
    }
}

async fn streamed(
    q: Query<Thing, dynamo_entity::query::WholeTable>,
    db: &Db,
    wanted: usize,
) -> Result<Walked> {
    let (mut stream, mut rows, mut is_over) = (q.stream(db), Vec::new(), false);
    while rows.len() < wanted && !is_over {
        match stream.next().await {
            Some(row) => rows.push(row?),
            None => is_over = true,
        }
    }
    Ok(Walked {
        rows,
        next: stream.cursor()?,
        is_over,
    })
}

/// The cursor after a way through its text, as a client or a file would keep it.
fn saved(cursor: Option<Cursor>) -> Result<Option<Cursor>> {
    let text = cursor.map(|cursor| cursor.to_string());
    text.map(|text| text.parse()).transpose()
}

async fn in_legs(db: &Db, plan: &Plan) -> Result<Vec<Thing>> {
    let (mut seen, mut next) = (Vec::new(), None);
    let legs = plan.legs.iter().cycle().take(3_000);
    // A leg may bring no rows, so at last a stream reads to the end.
    for leg in legs.chain([&Leg::Stream(usize::MAX)]) {
        let walked = plan.walk(db, *leg, saved(next)?).await?;
        seen.extend(walked.rows);
        next = walked.next;
        if walked.is_over {
            break;
        }
    }
    seen.sort();
    Ok(seen)
}

async fn a_scan_in_legs_brings_each_row_once(db: Db) -> Outcome {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(random(60), rng);
    for round in 0..random(60).cases / 5 {
        let things = things(if round % 4 == 0 { 200 } else { 40 });
        let plans = proptest::collection::vec(plan(), 5);
        let sample = (things, plans).new_tree(&mut runner);
        let (things, plans) = sample.map_err(|reason| reason.to_string())?.current();
        for thing in &things {
            thing.put().send(&db).await?;
        }
        for plan in plans {
            let mut whole = Plan {
                segments: None,
                ..plan.clone()
            }
            .scan()
            .all(&db)
            .await?;
            whole.sort();
            let in_memory = things.iter().filter(|thing| thing.weight >= plan.least);
            assert_eq!(whole, in_memory.cloned().collect::<Vec<_>>());
            assert_eq!(in_legs(&db, &plan).await?, whole, "{plan:?}");
            assert_eq!(
                plan.scan().count(&db).await?,
                whole.len() as u64,
                "{plan:?}"
            );
        }
        for thing in things {
            thing.key().delete().send(&db).await?;
        }
    }
    Ok(())
}

async fn put_things(db: &Db, count: i16) -> Outcome {
    db.create_tables([Thing::schema()]).await?;
    let things: Vec<Thing> = (0..count)
        .map(|number| Thing {
            name: format!("n{number}"),
            number,
            weight: (number % 4) as u8,
        })
        .collect();
    put_each(things.iter().map(Thing::put))
        .send(db)
        .await?
        .complete()?;
    Ok(())
}

/// The cursor of a stream works for queries as it does for scans.
async fn a_stream_says_where_to_go_on(db: Db) -> Outcome {
    library(&db).await?;
    let q = Loan::in_partition().page_size(2);
    let mut rows = q.clone().stream(&db);
    assert!(rows.cursor()?.is_none(), "from the beginning");
    for number in 1..=4 {
        assert_eq!(rows.next().await.ok_or("a row")??.number, number);
        let rest = q.clone().resume(saved(rows.cursor()?)?).all(&db).await?;
        let rest: Vec<u32> = rest.iter().map(|loan| loan.number).collect();
        assert_eq!(rest, (number + 1..=4).collect::<Vec<_>>());
    }
    assert!(rows.next().await.is_none());
    let end = rows.cursor()?;
    assert!(end.is_some(), "the end is not the beginning");
    assert_eq!(q.clone().resume(end).all(&db).await?, []);
    // A resumed stream that has not been read on is still at the place where it was resumed.
    let first = q.clone().limit(1).page(&db).await?.next;
    assert_eq!(q.clone().resume(first.clone()).stream(&db).cursor()?, first);
    // A filter drops half of these rows. Rows that were looked at before are not looked at again.
    let (db, _) = tokens(&db, 40).await?;
    let mut rows = super::Token::in_partition().page_size(4).stream(&db);
    let mut seen = 0;
    while let Some(row) = rows.next().await {
        row?;
        seen += 1;
    }
    assert_eq!(seen, 20);
    Ok(())
}

async fn a_stream_goes_on_behind_an_error(db: Db) -> Outcome {
    put_things(&db, 60).await?;
    for segments in [1, 3, 8] {
        let q = Thing::scan().segments(segments).page_size(4);
        let mut plan = vec![Fault::Pass; 2 * segments];
        plan.extend((0..40).map(|_| Fault::refuse("AccessDeniedException")));
        let (faulty, _) = db.faulty(plan);
        let (mut rows, mut seen) = (q.clone().stream(&faulty), Vec::new());
        let error = loop {
            match rows.next().await.ok_or("an error")? {
                Ok(row) => seen.push(row),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::AccessDenied);
        assert!(!seen.is_empty() && seen.len() < 60, "{}", seen.len());
        seen.extend(q.resume(rows.cursor()?).all(&db).await?);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 60);
    }
    Ok(())
}

async fn a_cursor_has_a_place_in_each_segment(db: Db) -> Outcome {
    put_things(&db, 30).await?;
    let q = Thing::scan().segments(4);
    let page = q.clone().limit(10).page(&db).await?;
    assert_eq!(page.rows.len(), 10);
    for row in 0..10 {
        let rest = q.clone().resume(page.cursor_at(row)).all(&db).await?;
        let mut all: Vec<Thing> = page.rows.iter().take(row + 1).cloned().collect();
        all.extend(rest);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 30, "from row {row}");
    }
    assert!(page.cursor_at(10).is_none());
    // A page that ends exactly at the end has no next page.
    let page = q.clone().limit(30).page(&db).await?;
    assert_eq!((page.rows.len(), page.next), (30, None));
    let page = q.limit(29).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (29, true));
    Ok(())
}

async fn a_cursor_of_segments_fits_as_many(db: Db) -> Outcome {
    put_things(&db, 30).await?;
    let signing = Dynamo::clone(&db).with_cursor_secret(SECRET)?;
    let scan = || Thing::scan().limit(7);
    let whole = scan().page(&signing).await?.next.ok_or("more")?;
    let parts = scan()
        .segments(4)
        .page(&signing)
        .await?
        .next
        .ok_or("more")?;
    let refused = [
        scan().segments(4).resume(whole.clone()),
        scan().resume(parts.clone()),
        scan().segments(3).resume(parts.clone()),
        scan().segments(5).resume(parts.clone()),
        scan()
            .segments(4)
            .filter(|t| t.weight().eq(1))
            .resume(parts.clone()),
        scan().resume(whole.clone().backwards()),
        scan().segments(4).resume(parts.clone().backwards()),
    ];
    for query in refused {
        let refused = query.page(&signing).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor, "{refused}");
    }
    // Forged cursors: each byte of a signed cursor is changed in turn, including the one that tells its kind.
    let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(parts.to_string())?;
    for at in 0..bytes.len() {
        let mut forged = bytes.clone();
        forged[at] ^= 1;
        let text = base64_simd::URL_SAFE_NO_PAD.encode_to_string(forged);
        let Ok(forged) = text.parse::<Cursor>() else {
            continue;
        };
        for query in [scan(), scan().segments(4)] {
            let refused = query.resume(forged.clone()).page(&signing).await;
            assert_eq!(
                refused.unwrap_err().kind(),
                ErrorKind::InvalidCursor,
                "byte {at}"
            );
        }
    }
    assert_eq!(
        scan().segments(4).resume(parts).all(&signing).await?.len(),
        7
    );
    Ok(())
}

/// A forged cursor that parses reads back as the same text, and is refused before anything is sent unless its
/// place belongs to the scan.
async fn made_up_places_are_refused(db: Db) -> Outcome {
    put_things(&db, 30).await?;
    let scan = || Thing::scan().segments(4).limit(7);
    let cursor = scan().page(&db).await?.next.ok_or("more")?;
    let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(cursor.to_string())?;
    let edits = (0..bytes.len(), any::<u8>(), 0usize..4, 0..bytes.len());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(
        Config {
            failure_persistence: None,
            ..random(3_000)
        },
        rng,
    );
    let taken = std::cell::Cell::new(0);
    runner.run(&edits, |(at, byte, kind, to)| {
        let mut forged = bytes.clone();
        match kind {
            0 => forged[at] = byte,
            1 => forged.insert(at, byte),
            2 => drop(forged.drain(at.min(to)..at.max(to))),
            _ => forged.truncate(at),
        }
        let text = base64_simd::URL_SAFE_NO_PAD.encode_to_string(&forged);
        let Ok(cursor) = text.parse::<Cursor>() else {
            return Ok(());
        };
        prop_assert_eq!(cursor.to_string(), text);
        match scan().resume(cursor).explain(&db) {
            // The forged place is another key of the table, or in a segment that is done or not begun, so
            // only rows of the scan follow.
            Ok(_) => taken.set(taken.get() + 1),
            Err(refused) => prop_assert_eq!(refused.kind(), ErrorKind::InvalidCursor),
        }
        Ok(())
    })?;
    assert!(taken.get() > 0);
    Ok(())
}

/// Only the service knows whether a key belongs to a segment. It may also refuse the request for its filter.
async fn a_bad_cursor_is_told_from_a_bad_request(db: Db) -> Outcome {
    put_things(&db, 30).await?;
    let scan = || Thing::scan().segments(1).limit(7);
    let cursor = scan().page(&db).await?.next.ok_or("more")?;
    let refuse = || Fault::refuse("ValidationException");
    let (fails, http) = db.faulty([refuse(), Fault::Pass]);
    let refused = scan()
        .resume(cursor.clone())
        .page(&fails)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor, "{refused}");
    assert_eq!(http.calls().len(), 2);
    // The service refuses the request without the place, too, so the place is not to blame.
    let (fails, _) = db.faulty([refuse(), refuse()]);
    let refused = scan()
        .resume(cursor.clone())
        .page(&fails)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Rejected, "{refused}");
    // The second answer does not tell whether the place was to blame.
    let (fails, _) = db.faulty([refuse(), Fault::refuse("AccessDeniedException")]);
    let refused = scan()
        .resume(cursor.clone())
        .page(&fails)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Rejected, "{refused}");
    // After the first answer, the place comes from the service itself, so it is not to blame.
    let (fails, http) = db.faulty([Fault::Pass, refuse()]);
    let more = scan().page_size(2).resume(cursor).page(&fails).await;
    assert_eq!(more.unwrap_err().kind(), ErrorKind::Rejected);
    assert_eq!(http.calls().len(), 2);
    Ok(())
}

async fn segments_that_were_read_are_not_read_again(db: Db) -> Outcome {
    put_things(&db, 40).await?;
    let q = || {
        Thing::scan()
            .segments(6)
            .filter(|thing| thing.weight().eq(1))
    };
    let (faulty, http) = db.faulty([]);
    let mut rows = q().stream(&faulty);
    while let Some(row) = rows.next().await {
        row?;
    }
    assert_eq!(limits(&http), [None; 6]);
    // Everything has been read, so no request is sent.
    assert_eq!(q().resume(rows.cursor()?).all(&faulty).await?, []);
    assert_eq!(limits(&http), []);
    // When a scan stops in the middle, only the segments that had more are read again.
    let page = q().max_scanned(39).limit(100).page(&faulty).await?;
    limits(&http);
    let rest = q().resume(page.next).all(&faulty).await?;
    assert_eq!(page.rows.len() + rest.len(), 10);
    assert!(limits(&http).len() < 6);
    Ok(())
}

async fn a_limit_is_shared_by_the_segments(db: Db) -> Outcome {
    put_things(&db, 80).await?;
    let (faulty, http) = db.faulty([]);
    let first = Thing::scan().segments(8).first(&faulty).await?;
    assert!(first.is_some());
    assert_eq!(limits(&http), [Some(1)], "one item of one segment");
    let page = Thing::scan().segments(8).limit(15).page(&faulty).await?;
    assert_eq!(page.rows.len(), 15);
    let looked_at: u64 = limits(&http).into_iter().flatten().sum();
    assert!(looked_at <= 24, "{looked_at} items asked for");
    Ok(())
}

async fn segments_have_a_bound(db: Db) -> Outcome {
    put_things(&db, 3).await?;
    assert_eq!(Thing::scan().segments(0).count(&db).await?, 3);
    for segments in [1001, usize::MAX] {
        let refused = Thing::scan()
            .segments(segments)
            .page(&db)
            .await
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Rejected, "{refused}");
        let mut rows = Thing::scan().segments(segments).stream(&db);
        assert!(rows.next().await.ok_or("an error")?.is_err());
        assert!(rows.cursor()?.is_none());
    }
    Ok(())
}

crate::declare! {
    /// Items of about 2 KB, each of which takes half a read unit in a large answer without strong consistency.
    entity Large(table = "large", key(pk = id), gsi(by_kind, pk = kind, sk = id, project = keys))
        { id: u32, kind: u8, text: String }
}

async fn put_large(db: &Db, count: u32) -> Outcome {
    db.create_tables([Large::schema()]).await?;
    let rows: Vec<Large> = (0..count)
        .map(|id| Large {
            id,
            kind: 1,
            text: "x".repeat(2_000),
        })
        .collect();
    put_each(rows.iter().map(Large::put))
        .send(db)
        .await?
        .complete()?;
    Ok(())
}

/// The progress that was reported, and when.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<(Duration, ReadProgress)>>>);

impl Told {
    fn listener(&self) -> impl FnMut(&ReadProgress) + Send + use<> {
        let (told, began) = (self.0.clone(), Instant::now());
        move |progress| told.lock().unwrap().push((began.elapsed(), *progress))
    }

    fn all(&self) -> Vec<(Duration, ReadProgress)> {
        self.0.lock().unwrap().clone()
    }

    fn last(&self) -> ReadProgress {
        self.all().last().expect("something was told").1
    }

    /// Panics if units were taken ahead of their time, except for one request of at most a second's units.
    fn keeps(&self, per_second: f64) {
        let (mut before, mut most) = (0.0, 0.0f64);
        for (at, progress) in self.all() {
            let request = progress.read_units - before;
            most = most.max(request);
            assert!(request <= per_second, "a request took {request} units");
            let due = before - most;
            assert!(
                at.as_secs_f64() * per_second >= due - 1e-6,
                "{before} units by {at:?}"
            );
            before = progress.read_units;
        }
    }
}

async fn a_pace_is_kept(db: Db) -> Outcome {
    put_large(&db, 300).await?;
    for (segments, strong, units) in [
        (None, false, 80),
        (Some(4), false, 80),
        (Some(4), true, 160),
    ] {
        let told = Told::default();
        let scan = Large::scan();
        let scan = match segments {
            Some(segments) => scan.segments(segments),
            None => scan,
        };
        let scan = if strong { scan.consistent() } else { scan };
        let (faulty, http) = db.faulty([]);
        let began = Instant::now();
        let paced = scan
            .read_units_per_second(units)
            .on_progress(told.listener());
        assert_eq!(paced.clone().count(&faulty).await?, 300);
        let took = began.elapsed();
        let read = told.last().read_units;
        // The items have 600 KB, and each request rounds up.
        assert!((75.0..220.0).contains(&read), "{read}");
        told.keeps(units.into());
        assert!(took > Duration::from_millis(300), "{took:?}");
        assert!(took < Duration::from_secs(20), "{took:?}");
        let limits = limits(&http);
        assert_eq!(
            limits[0],
            Some(1),
            "the first item may be large: {limits:?}"
        );
        assert!(limits.iter().all(Option::is_some), "{limits:?}");
        assert!(limits.len() < 60, "{limits:?}");
    }
    // If a second's units are enough for an answer of 1 MB, requests need no limit.
    let (faulty, http) = db.faulty([]);
    let all = Large::scan().read_units_per_second(10_000);
    assert_eq!(all.all(&faulty).await?.len(), 300);
    assert_eq!(limits(&http), [None]);
    Ok(())
}

async fn a_pace_is_kept_by_jobs_and_hydrated_rows(db: Db) -> Outcome {
    put_large(&db, 150).await?;
    let told = Told::default();
    let report = Large::scan()
        .segments(3)
        .read_units_per_second(60)
        .on_progress(told.listener())
        .update_each(|row| row.update().apply(|r| r.text().set("short")))
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 150);
    told.keeps(60.0);
    assert_eq!(told.last().rows, 150);
    put_large(&db, 150).await?;
    let told = Told::default();
    let rows = Large::by_kind(1)
        .read_units_per_second(100)
        .on_progress(told.listener())
        .hydrate();
    let began = Instant::now();
    assert_eq!(rows.all(&db).await?.len(), 150);
    let (read, took) = (told.last().read_units, began.elapsed());
    // The items have 300 KB, and reading the index takes units, too.
    assert!(read >= 37.0, "{read}");
    assert!(
        took.as_secs_f64() * 100.0 >= read - 100.0,
        "{read} units in {took:?}"
    );
    Ok(())
}

async fn an_engine_that_does_not_say_is_estimated(db: Db) -> Outcome {
    put_large(&db, 3).await?;
    let item = format!(
        r#"{{"id":{{"N":"1"}},"kind":{{"N":"1"}},"text":{{"S":"{}"}}}}"#,
        "x".repeat(40_000)
    );
    let answer = |more: &str| {
        let body = format!(r#"{{"Items":[{item}],"Count":1,"ScannedCount":2{more}}}"#);
        Fault::Reply(200, body)
    };
    let more = r#","LastEvaluatedKey":{"id":{"N":"1"}}"#;
    let (faulty, _) = db.faulty([answer(more), answer("")]);
    let told = Told::default();
    let began = Instant::now();
    let scan = Large::scan().read_units_per_second(50);
    let rows = scan.on_progress(told.listener()).all(&faulty).await?;
    // The units are estimated: each answer counts two items of 40,000 bytes. The second request waits for the
    // first.
    assert_eq!((rows.len(), told.last().read_units), (2, 20.0));
    assert!(began.elapsed() >= Duration::from_millis(199));
    Ok(())
}

async fn progress_adds_up(db: Db) -> Outcome {
    put_things(&db, 60).await?;
    let told = Told::default();
    let scan = Thing::scan()
        .segments(5)
        .page_size(4)
        .filter(|thing| thing.weight().eq(1));
    let (faulty, http) = db.faulty([]);
    let rows = scan
        .clone()
        .on_progress(told.listener())
        .all(&faulty)
        .await?;
    let last = told.last();
    assert_eq!((last.rows, rows.len(), last.scanned), (15, 15, 60));
    assert_eq!((last.segments, last.segments_done), (5, 5));
    assert_eq!(last.requests as usize, http.calls().len());
    assert!(last.read_units > 0.0);
    let told: Vec<ReadProgress> = told.all().into_iter().map(|(_, told)| told).collect();
    assert_eq!(told.len(), http.calls().len());
    let is_growing = |a: &ReadProgress, b: &ReadProgress| {
        a.requests < b.requests && a.scanned <= b.scanned && a.segments_done <= b.segments_done
    };
    assert!(told.is_sorted_by(is_growing), "{told:?}");
    // Segments that were read before the cursor count as done from the beginning.
    let page = scan.clone().limit(100).max_scanned(59).page(&db).await?;
    let told = Told::default();
    let rest = scan.resume(page.next).on_progress(told.listener());
    assert_eq!(rest.count(&db).await?, 15 - page.rows.len() as u64);
    assert_eq!((told.last().segments, told.last().segments_done), (5, 5));
    assert!(told.last().requests < 5);
    // For a query, the segments are its partitions.
    library(&db).await?;
    let told = Told::default();
    let loans = Loan::in_partition().on_progress(told.listener());
    assert_eq!(loans.all(&db).await?.len(), 4);
    assert_eq!((told.last().segments, told.last().segments_done), (1, 1));
    Ok(())
}

async fn what_is_not_asked_for_is_not_reported(db: Db) -> Outcome {
    put_things(&db, 3).await?;
    let (faulty, http) = db.faulty([]);
    let asks = || {
        let seen = http.seen();
        http.plan([]);
        let body = |seen: dynamo_entity::testing::RecordedRequest| String::from_utf8(seen.body);
        let bodies: Vec<String> = seen
            .into_iter()
            .filter_map(|seen| body(seen).ok())
            .collect();
        bodies
            .iter()
            .filter(|body| body.contains("ReturnConsumedCapacity"))
            .count()
    };
    Thing::scan().all(&faulty).await?;
    assert_eq!(asks(), 0);
    Thing::scan().on_progress(|_| ()).all(&faulty).await?;
    assert_eq!(asks(), 1);
    Thing::scan()
        .read_units_per_second(1000)
        .count(&faulty)
        .await?;
    assert_eq!(asks(), 1);
    Ok(())
}
