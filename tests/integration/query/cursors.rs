//! Cursors: what they hold, and where they are refused.

use std::fmt::Debug;

use dynamo_entity::prelude::*;

use super::{Loan, Numbered, Token, counts, day, days, library, token_numbers, tokens};
use crate::model::RequestCount;
use crate::support::db::Db;
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

/// A secret of the minimal length.
pub(super) const SECRET: &str = "a secret, of 16.";

tests![
    a_cursor_can_be_taken_at_any_row,
    a_cursor_fits_its_query_only,
    a_cursor_keeps_its_bounds,
    a_secret_refuses_made_up_cursors,
    a_too_short_secret_is_refused,
    numbers_of_any_size_survive_a_cursor(Numbered),
    made_up_bounds_are_refused,
    a_cursor_outlives_its_row,
    one_place_is_one_text(Delivery),
    one_place_in_several_attributes_is_one_text(Pickup) unless NO_MULTI_ATTRIBUTE_KEYS,
];

crate::declare! {
    entity Delivery(table = "deliveries", key(pk = "D#{owner}", sk = "{at:03}#{id}"),
        gsi(by_kind, pk = "K#{kind}", sk = "{at:03}", shards = 3), lsi(by_weight, sk = weight))
        { owner: String, kind: String, at: u16, id: u16, weight: u8 }
    /// The same rows, with an index key of several attributes, which not every engine supports.
    entity Pickup(table = "pickups", key(pk = "D#{owner}", sk = "{at:03}#{id}"),
        gsi(by_place, pk = [owner, kind], sk = [at, id])) { owner: String, kind: String, at: u16, id: u16 }
}

async fn a_cursor_can_be_taken_at_any_row(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=7).await?;
    let q = RequestCount::in_partition("a");
    let page = q.clone().limit(5).page(&db).await?;
    for at in 0..5 {
        let cursor = page.cursor_at(at).expect("a row");
        let behind = q.clone().resume(cursor.clone()).all(&db).await?;
        assert_eq!(days(&behind), (at as u64 + 2..=7).collect::<Vec<_>>());
        let before = q
            .clone()
            .resume(cursor.backwards())
            .limit(100)
            .page(&db)
            .await?;
        assert_eq!(days(&before.rows), (1..=at as u64).collect::<Vec<_>>());
        assert!(before.previous.is_none());
    }
    assert!(page.cursor_at(5).is_none());
    Ok(())
}

async fn a_cursor_fits_its_query_only(db: Db) -> Outcome {
    counts(&db, &["a", "b"], 1..=5).await?;
    db.create_tables([Numbered::schema()]).await?;
    let q = RequestCount::in_partition("a");
    let cursor = q.clone().limit(2).page(&db).await?.next.expect("more");
    let (faulty, http) = db.faulty([]);
    let cursor = || Some(cursor.clone());
    let refused = [
        RequestCount::in_partition("b")
            .resume(cursor())
            .all(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .descending()
            .resume(cursor())
            .all(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .day()
            .gt(day(1))
            .resume(cursor())
            .all(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .day()
            .eq(day(1))
            .resume(cursor())
            .count(&faulty)
            .await
            .map(|_| ()),
        Numbered::in_partition(1)
            .resume(cursor())
            .page(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .resume(cursor())
            .all(&faulty.clone().with_prefix("other"))
            .await
            .map(|_| ()),
    ];
    for refused in refused {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor, "{refused}");
    }
    assert_eq!(http.calls(), Vec::<String>::new());
    assert_eq!(q.clone().limit(9).resume(cursor()).all(&db).await?.len(), 3);
    for text in ["", "x", "AAAA", "not a cursor", "////"] {
        let refused = text.parse::<Cursor>().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    }
    let json = serde_json::to_string(&cursor())?;
    assert_eq!(serde_json::from_str::<Option<Cursor>>(&json)?, cursor());
    Ok(())
}

async fn a_cursor_keeps_its_bounds(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let before = |end| RequestCount::in_partition("a").day().lt(day(end));
    let page = before(6).limit(3).page(&db).await?;
    // The bound has moved on by a day.
    let rest = before(7).resume(page.next).all(&db).await?;
    assert_eq!(days(&rest), [4, 5]);
    Ok(())
}

async fn a_secret_refuses_made_up_cursors(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=5).await?;
    let q = RequestCount::in_partition("a").limit(2);
    let signing = Dynamo::clone(&db).with_cursor_secret(SECRET)?;
    let unsigned = q.clone().page(&db).await?.next;
    let signed = q.clone().page(&signing).await?.next.expect("more");
    assert_eq!(
        q.clone()
            .resume(signed.clone())
            .page(&signing)
            .await?
            .rows
            .len(),
        2
    );
    let back = q
        .clone()
        .resume(signed.clone().backwards())
        .page(&signing)
        .await?;
    assert_eq!(days(&back.rows), [1]);
    let refused = q.clone().resume(unsigned).page(&signing).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    let other = Dynamo::clone(&db).with_cursor_secret("another secret, of 22")?;
    let refused = q
        .clone()
        .resume(signed.clone())
        .page(&other)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

/// Most of all, an environment variable that is unset must not make an empty secret.
async fn a_too_short_secret_is_refused(db: Db) -> Outcome {
    let signing = |secret: &str| Dynamo::clone(&db).with_cursor_secret(secret);
    for short in ["", "s3cret", &SECRET[1..]] {
        let refused = signing(short).expect_err("it can be guessed");
        assert_eq!(refused.kind(), ErrorKind::Config);
        assert!(refused.to_string().contains("16"), "{refused}");
        assert!(short.is_empty() || !refused.to_string().contains(short));
    }
    signing(SECRET)?;
    Ok(())
}

async fn numbers_of_any_size_survive_a_cursor(db: Db) -> Outcome {
    let numbers = [
        "-12345678901234567890123456789012345678",
        "0.00000000000000000001",
        "1e100",
        "9.9999999999999999999999999999999999999e125",
    ];
    for number in numbers {
        Numbered {
            id: 1,
            number: number.parse()?,
        }
        .put()
        .send(&db)
        .await?;
    }
    let mut rows = Vec::new();
    let mut cursor = None;
    loop {
        let page = Numbered::in_partition(1)
            .limit(1)
            .resume(cursor)
            .page(&db)
            .await?;
        rows.extend(page.rows.into_iter().map(|row| row.number));
        match page.next {
            Some(next) => cursor = Some(next.to_string().parse()?),
            None => break,
        }
    }
    let numbers: Vec<dynamo_entity::Number> = numbers
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    assert_eq!(rows, numbers);
    Ok(())
}

/// The cursor with the bytes `new` in place of the bounds `old`.
fn asking(cursor: &Cursor, old: &[u8], new: &[u8]) -> Result<Cursor> {
    let text = cursor.to_string();
    let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text.as_bytes());
    let bytes = bytes.expect("base64");
    let (front, rest) = bytes.split_at(10);
    let rest = rest.strip_prefix(old).expect("the bounds");
    let forged = [front, new, rest].concat();
    base64_simd::URL_SAFE_NO_PAD
        .encode_to_string(forged)
        .parse()
}

/// A bound of this text, in the bytes of a cursor.
fn bound(text: &str) -> Vec<u8> {
    [
        b"S",
        &(text.len() as u32).to_le_bytes()[..],
        text.as_bytes(),
    ]
    .concat()
}

async fn made_up_bounds_are_refused(db: Db) -> Outcome {
    library(&db).await?;
    let open = Loan::in_partition().limit(1);
    let from_2 = Loan::in_partition().number().ge(2).limit(1);
    let cursor = open.clone().page(&db).await?.next.expect("more");
    // Bounds of another kind than the query's are refused.
    for word in [&[1][..], &[3], &[9]] {
        let bounds = bound("0000000001").repeat(2);
        let bounds = if word == [9] { &*bounds } else { &[] };
        if let Ok(forged) = asking(&cursor, &[0], &[word, bounds].concat()) {
            let refused = open.clone().resume(forged).page(&db).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
        }
    }
    assert_eq!(open.resume(cursor).page(&db).await?.rows.len(), 1);
    // Bounds of the query's own kind with made-up values are refused, or find only rows that match the query.
    let cursor = from_2.clone().page(&db).await?.next.expect("more");
    let own = [&[3][..], &bound("0000000002")].concat();
    for made_up in ["", "\0", "#", "$", "\u{10ffff}", "1", "0000000001#x"] {
        let forged = asking(&cursor, &own, &[&[3][..], &bound(made_up)].concat())?;
        match from_2.clone().limit(9).resume(forged).page(&db).await {
            Ok(page) => assert!(page.rows.iter().all(|loan| loan.number > 2)),
            Err(refused) => assert_eq!(refused.kind(), ErrorKind::InvalidCursor),
        }
    }
    Ok(())
}

/// The row of the cursor expires and leaves the range, so no request may begin at it.
async fn a_cursor_outlives_its_row(db: Db) -> Outcome {
    let (db, clock) = tokens(&db, 8).await?;
    let later = Token {
        number: 9,
        owner: "o".into(),
        expires_at: Some(crate::support::clock::moment("2094-01-02T00:00:00Z")),
    };
    later.put().send(&db).await?;
    let q = Token::by_owner("o").limit(1);
    let up = q.clone().page(&db).await?;
    let down = q.clone().descending().page(&db).await?;
    assert_eq!(token_numbers(&down.rows), [9]);
    clock.advance(1000);
    let behind = q.clone().resume(up.next.clone()).page(&db).await?;
    assert_eq!((token_numbers(&behind.rows), behind.next), (vec![9], None));
    let before = up.next.expect("more").backwards();
    let before = q.clone().resume(before).page(&db).await?;
    assert!(before.rows.is_empty() && before.previous.is_none());
    let rest = q.descending().resume(down.next).page(&db).await?;
    assert!(rest.rows.is_empty() && rest.next.is_none());
    Ok(())
}

/// Reads the same pages again and again, forwards and backwards, and compares all their cursors with those of
/// the first reading. An engine that answers in random order would hardly pass.
async fn one_text<Q>(db: &Dynamo, q: Q) -> Outcome
where
    Q: QueryExt + Clone,
    Q::Row: PartialEq + Debug,
{
    let first = q.clone().limit(5).page(db).await?;
    let next = first.next.clone().ok_or("more")?;
    let second = q.clone().limit(5).resume(next.clone()).page(db).await?;
    for _ in 0..4 {
        for (from, page) in [(None, &first), (Some(next.clone()), &second)] {
            let again = q.clone().limit(5).resume(from).page(db).await?;
            assert_eq!(again.rows, page.rows);
            let cursors = |page: &Page<Q::Row>| {
                let rows = (0..page.rows.len()).map(|row| page.cursor_at(row));
                let ends = [page.next.clone(), page.previous.clone()];
                rows.chain(ends).collect::<Vec<Option<Cursor>>>()
            };
            let (all, wanted) = (cursors(&again), cursors(page));
            assert!(all == wanted, "cursors are unequal");
            let texts = |all: &[Option<Cursor>]| {
                let texts = all.iter().map(|one| one.as_ref().map(Cursor::to_string));
                texts.collect::<Vec<_>>()
            };
            assert_eq!(texts(&all), texts(&wanted));
            // The cursor behind the last row is the same, whether it comes from `next` or from `cursor_at`.
            assert!(again.next.is_none() || again.next == again.cursor_at(again.rows.len() - 1));
        }
    }
    Ok(())
}

async fn one_place_is_one_text(db: Db) -> Outcome {
    for number in 0..24 {
        let delivery = Delivery {
            owner: ["ann", "bob"][usize::from(number % 2)].into(),
            kind: "letter".into(),
            at: number,
            id: number,
            weight: 1,
        };
        delivery.put().send(&db).await?;
    }
    let signing = Dynamo::clone(&db).with_cursor_secret(SECRET)?;
    for db in [&*db, &signing] {
        one_text(db, Delivery::in_partition("ann")).await?;
        one_text(db, Delivery::in_partition(any_of(["ann", "bob"]))).await?;
        one_text(db, Delivery::by_kind("letter")).await?;
        one_text(db, Delivery::by_weight("ann")).await?;
        one_text(db, Delivery::scan()).await?;
        one_text(db, Delivery::scan().segments(3)).await?;
    }
    Ok(())
}

async fn one_place_in_several_attributes_is_one_text(db: Db) -> Outcome {
    for number in 0..12 {
        let pickup = Pickup {
            owner: "ann".into(),
            kind: "letter".into(),
            at: number / 3,
            id: number,
        };
        pickup.put().send(&db).await?;
    }
    let signing = Dynamo::clone(&db).with_cursor_secret(SECRET)?;
    for db in [&*db, &signing] {
        one_text(db, Pickup::by_place("ann", "letter")).await?;
    }
    Ok(())
}
