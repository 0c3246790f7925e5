//! Cursors: what they hold, and where they are refused.

use dynamo_entity::prelude::*;

use super::{Loan, Numbered, counts, day, days, library};
use crate::model::RequestCount;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_cursor_can_be_taken_at_any_row,
    a_cursor_fits_its_query_only,
    a_cursor_keeps_its_bounds,
    a_secret_refuses_made_up_cursors,
    numbers_of_any_size_survive_a_cursor,
    made_up_bounds_are_refused,
];

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
    // A day has passed.
    let rest = before(7).resume(page.next).all(&db).await?;
    assert_eq!(days(&rest), [4, 5]);
    Ok(())
}

async fn a_secret_refuses_made_up_cursors(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=5).await?;
    let q = RequestCount::in_partition("a").limit(2);
    let signing = Dynamo::clone(&db).with_cursor_secret("s3cret");
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
    let other = Dynamo::clone(&db).with_cursor_secret("another");
    let refused = q
        .clone()
        .resume(signed.clone())
        .page(&other)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

async fn numbers_of_any_size_survive_a_cursor(db: Db) -> Outcome {
    db.create_tables([Numbered::schema()]).await?;
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

/// The text of a cursor that asks with these bytes.
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

/// A bound of this text, as a cursor holds it.
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
    // Another question than the query's.
    for word in [&[1][..], &[3], &[9]] {
        let bounds = bound("0000000001").repeat(2);
        let bounds = if word == [9] { &*bounds } else { &[] };
        if let Ok(forged) = asking(&cursor, &[0], &[word, bounds].concat()) {
            let refused = open.clone().resume(forged).page(&db).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
        }
    }
    assert_eq!(open.resume(cursor).page(&db).await?.rows.len(), 1);
    // The very question with other bounds finds rows of the query, whatever they are.
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
