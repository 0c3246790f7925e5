//! Reads on from every place that a cursor can have, forwards and backwards, in every kind of range.
//!
//! An engine may refuse a start at the end of a range or outside of it, so the requests count as much as the
//! answers.

use std::collections::BTreeSet;
use std::fmt::Debug;

use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::NO_MULTI_ATTRIBUTE_KEYS;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    places_by_numbers(Seat),
    places_by_text(Word),
    places_by_bytes(Blob),
    places_by_templates(Trip),
    places_without_a_sort_key(Alone),
    places_by_several_attributes(Spot) unless NO_MULTI_ATTRIBUTE_KEYS,
];

crate::declare! {
    /// An entity with a number as its sort key, and in indexes where several rows share it.
    entity Seat(table = "seats", key(pk = hall, sk = number), gsi(by_price, pk = kind, sk = price),
        gsi(spread, pk = "K#{kind}", sk = "{price:03}", shards = 3),
        gsi(keys_by_price, pk = "P#{kind}", sk = price, project = keys), lsi(by_size, sk = size))
        { hall: String, number: i32, kind: String, price: u16, size: u16 }
    entity Word(table = "words", key(pk = book, sk = word), lsi(by_meaning, sk = meaning))
        { book: String, word: String, meaning: String }
    entity Blob(table = "blobs", key(pk = owner, sk = hash)) { owner: u8, hash: Vec<u8> }
    entity Trip(table = "trips", key(pk = "T#{owner}", sk = "{kind}#{at:03}#{id}"),
        gsi(by_last, pk = "L", sk = "{kind}")) { owner: String, kind: String, at: u16, id: i16 }
    entity Alone(table = "alone", key(pk = id), gsi(by_kind, pk = kind)) { id: String, kind: String, weight: u8 }
    /// An entity with an index key of several attributes, which not every engine supports.
    entity Spot(table = "spots", key(pk = id), gsi(by_spot, pk = [land], sk = [town, street]))
        { id: u32, land: String, town: String, street: i32 }
}

/// Every comparison of a part of the sort key, with these bounds.
macro_rules! ranges {
    ($($stage:expr => $part:ident: $low:expr, $high:expr;)+) => {
        [$(
            $stage.into(),
            $stage.$part().eq($low).into(),
            $stage.$part().eq(any_of([$low, $high])).into(),
            $stage.$part().lt($high).into(),
            $stage.$part().le($high).into(),
            $stage.$part().gt($low).into(),
            $stage.$part().ge($low).into(),
            $stage.$part().between($low..$high).into(),
            $stage.$part().between($low..=$high).into(),
        )+]
    };
}

trait Row: Debug + Clone + PartialEq + Send + 'static {}
impl<R: Debug + Clone + PartialEq + Send + 'static> Row for R {}

/// Checks every place of each query, ascending and descending; of every other query by partition.
async fn all_places<R: Row>(db: &Db, queries: impl IntoIterator<Item = Query<R>>) -> Outcome {
    for (at, q) in queries.into_iter().enumerate() {
        every_place(db, q.clone()).await?;
        let down = q.descending();
        let down = if at % 2 == 0 {
            down
        } else {
            down.by_partition()
        };
        every_place(db, down).await?;
    }
    Ok(())
}

async fn every_place<R: Row>(db: &Db, q: Query<R>) -> Outcome {
    let rows = q.clone().all(db).await?;
    let case = format!("{:?}", q.clone().explain(db)?.requests);
    streamed(db, &q, &rows, &case).await?;
    let page = q.clone().limit(1000).page(db).await?;
    assert_eq!(page.rows, rows, "{case}");
    for at in 0..rows.len() {
        let place = || page.cursor_at(at).expect("a place");
        let behind = q.clone().resume(place());
        assert_eq!(behind.clone().all(db).await?, rows[at + 1..], "{at} {case}");
        let before = q.clone().resume(place().backwards());
        let all = before.clone().limit(1000).page(db).await?;
        assert_eq!(all.rows, rows[..at], "{at} {case}");
        // Only the ends of a range differ from other places, so the rest is checked only there.
        if (1..rows.len() - 1).contains(&at) {
            continue;
        }
        let count = behind.clone().count(db).await?;
        assert_eq!(count, (rows.len() - at - 1) as u64, "{at} {case}");
        let one = behind.limit(1).page(db).await?;
        assert_eq!(one.rows.first(), rows.get(at + 1), "{at} {case}");
        assert_eq!(one.next.is_some(), at + 2 < rows.len(), "{at} {case}");
        let two = before.limit(2).page(db).await?;
        assert_eq!(two.rows, rows[at.saturating_sub(2)..at], "{at} {case}");
        assert_eq!(two.previous.is_some(), at > 2, "{at} {case}");
        if let Some(next) = two.next {
            let rest = q.clone().resume(next).all(db).await?;
            assert_eq!(rest, rows[at..], "{at} {case}");
        }
    }
    Ok(())
}

/// Checks the cursor of a stream after each row.
async fn streamed<R: Row>(db: &Db, q: &Query<R>, rows: &[R], case: &str) -> Outcome {
    let mut stream = q.clone().page_size(1).stream(db);
    for at in 0..=rows.len() {
        let row = stream.next().await.transpose()?;
        assert_eq!(row.as_ref(), rows.get(at), "{at} {case}");
        if (1..rows.len().saturating_sub(1)).contains(&at) {
            continue;
        }
        let Some(cursor) = stream.cursor()? else {
            assert!(rows.is_empty(), "{at} {case}");
            continue;
        };
        let rest = q.clone().resume(cursor).all(db).await?;
        assert_eq!(rest, rows[(at + 1).min(rows.len())..], "{at} {case}");
    }
    Ok(())
}

/// A random generator that gives the same numbers in every run.
fn random() -> fastrand::Rng {
    fastrand::Rng::with_seed(17)
}

async fn places_by_numbers(db: Db) -> Outcome {
    let mut random = random();
    let numbers: BTreeSet<(bool, i32)> =
        (0..9).map(|_| (random.bool(), random.i32(0..7))).collect();
    for (is_first, number) in numbers {
        let seat = Seat {
            hall: if is_first { "a" } else { "b" }.into(),
            number,
            kind: "k".into(),
            price: random.u16(0..4),
            size: random.u16(0..3),
        };
        seat.put().send(&db).await?;
    }
    let (low, high) = (random.i32(-1..4), random.i32(3..8));
    let halls = || any_of(["b", "a"]);
    let queries = ranges! {
        Seat::in_partition("a") => number: low, high;
        Seat::in_partition(halls()) => number: low, high;
    };
    all_places(&db, queries).await?;
    let (low, high) = (random.u16(0..3), random.u16(1..5));
    let queries = ranges! {
        Seat::by_price("k") => price: low, high;
        Seat::spread("k") => price: low, high;
        Seat::by_size("a") => size: low, high;
    };
    all_places(&db, queries).await?;
    let filtered: [Query<Seat>; 2] = [
        Seat::in_partition(halls())
            .number()
            .le(3)
            .filter(|s| s.price().ge(2))
            .into(),
        Seat::by_size(halls())
            .size()
            .between(low..=high)
            .filter(|s| s.price().ge(2))
            .into(),
    ];
    all_places(&db, filtered).await?;
    for q in [
        Seat::keys_by_price("k").price().le(high).hydrate(),
        Seat::keys_by_price("k")
            .price()
            .between(low..=high)
            .hydrate(),
        Seat::keys_by_price("k").price().eq(low).hydrate(),
    ] {
        all_places(&db, [Query::<Seat>::from(q)]).await?;
    }
    Ok(())
}

async fn places_by_text(db: Db) -> Outcome {
    let words = ["a", "a\u{1}", "ab", "abc", "b", "b\"", "c", "\u{ffff}"];
    for (at, word) in words.iter().enumerate() {
        let word = Word {
            book: "x".into(),
            word: (*word).into(),
            meaning: words[at / 3].into(),
        };
        word.put().send(&db).await?;
    }
    let mut random = random();
    for _ in 0..3 {
        let (low, high) = (words[random.usize(0..4)], words[random.usize(2..8)]);
        let of_book = || Word::in_partition("x");
        let queries = ranges! {
            of_book() => word: low, high;
            Word::by_meaning("x") => meaning: low, high;
        };
        all_places(&db, queries).await?;
        let prefixes = ["", "a", "ab", high];
        let queries = prefixes.map(|prefix| of_book().word().starts_with(prefix).into());
        all_places(&db, queries).await?;
    }
    Ok(())
}

async fn places_by_bytes(db: Db) -> Outcome {
    let hashes: [&[u8]; 6] = [&[0], &[0, 0], &[1], &[1, 255], &[255], &[255, 255]];
    for hash in hashes {
        let hash = hash.to_vec();
        Blob { owner: 1, hash }.put().send(&db).await?;
    }
    for (low, high) in [(0, 4), (2, 3), (1, 5)] {
        let bound = |at: usize| hashes[at].to_vec();
        let queries = ranges! {
            Blob::in_partition(1) => hash: bound(low), bound(high);
        };
        all_places(&db, queries).await?;
    }
    Ok(())
}

async fn places_by_templates(db: Db) -> Outcome {
    let mut random = random();
    for _ in 0..16 {
        let trip = Trip {
            owner: random.choice(["o", "p"]).unwrap_or_default().into(),
            kind: random.choice(["a", "a#", "b"]).unwrap_or_default().into(),
            at: random.u16(0..4),
            id: random.i16(-2..2),
        };
        trip.put().send(&db).await?;
    }
    for _ in 0..2 {
        let (low, high) = (random.u16(0..3), random.u16(1..5));
        let owners = || any_of(["p", "o"]);
        let queries = ranges! {
            Trip::in_partition("o") => kind: "a", "b";
            Trip::in_partition(owners()) => kind: "a", "a#";
            Trip::in_partition("o").kind().eq("a") => at: low, high;
            Trip::in_partition(owners()).kind().eq("a") => at: low, high;
            Trip::in_partition("p").kind().eq("a").at().eq(low) => id: -1, 1;
            Trip::by_last() => kind: "a", "b";
        };
        all_places(&db, queries).await?;
        let queries = ["a", "b", ""].map(|text| Trip::by_last().kind().starts_with(text).into());
        all_places(&db, queries).await?;
    }
    Ok(())
}

async fn places_without_a_sort_key(db: Db) -> Outcome {
    for id in 0..5 {
        let row = Alone {
            id: format!("{id}"),
            kind: ["a", "b"][id % 2].into(),
            weight: 1,
        };
        row.put().send(&db).await?;
    }
    let queries = [
        Alone::by_kind("a").into(),
        Alone::by_kind("none").into(),
        Alone::by_kind(any_of(["b", "none", "a"])).into(),
        Alone::by_kind(any_of(["b", "a"]))
            .filter(|a| a.weight().eq(1))
            .into(),
    ];
    all_places::<Alone>(&db, queries).await
}

async fn places_by_several_attributes(db: Db) -> Outcome {
    let mut random = random();
    for id in 0..14 {
        let spot = Spot {
            id,
            land: "x".into(),
            town: random.choice(["a", "b"]).unwrap_or_default().into(),
            street: random.i32(0..4),
        };
        spot.put().send(&db).await?;
    }
    for (low, high) in [(0, 3), (1, 2), (2, 2)] {
        let queries = ranges! {
            Spot::by_spot("x") => town: "a", "b";
            Spot::by_spot("x").town().eq("a") => street: low, high;
            Spot::by_spot("x").town().eq(any_of(["b", "a"])) => street: low, high;
        };
        all_places(&db, queries).await?;
    }
    Ok(())
}
