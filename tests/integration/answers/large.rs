//! Large answers: they are merged row by row, and read only as far as the merge needs them.

use dynamo_entity::prelude::*;
use dynamo_entity::query::RowStream;
use dynamo_entity::{Dynamo, Error};

use super::forms::Form;
use super::{in_form, rewriting};
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;

crate::declare! {
    entity Sample(table = "samples", key(pk = place, sk = "{at:03}#{id:04}"),
        gsi(listed, pk = "L", sk = "{at:03}#{id:04}#{place}", shards = 3, project = keys))
        { place: String, at: u16, id: u16 }
    projection Moment(entity = Sample) { at: u16, id: u16 }
}

const PLACES: [(&str, u16); 6] = [
    ("a", 700),
    ("b", 300),
    ("c", 257),
    ("d", 128),
    ("e", 3),
    ("f", 0),
];

fn all_places() -> Query<Sample> {
    Sample::in_partition(any_of(PLACES.map(|(place, _)| place))).into()
}

/// Returns all samples, ordered by their sort keys, then by their places.
async fn fill(db: &Db) -> Result<Vec<Sample>> {
    db.create_tables([Sample::schema()]).await?;
    let samples = PLACES.iter().flat_map(|(place, count)| {
        (0..*count).map(|id| Sample {
            place: (*place).to_owned(),
            at: id * 37 % 250,
            id,
        })
    });
    let mut samples: Vec<Sample> = samples.collect();
    let puts = samples.iter().map(|sample| sample.put());
    Batch::new().with_all(puts).send(db).await?.complete()?;
    samples.sort_by(|one, other| {
        (one.at, one.id, &one.place).cmp(&(other.at, other.id, &other.place))
    });
    Ok(samples)
}

pub async fn large_answers_are_merged(db: Db) -> Outcome {
    let expected = fill(&db).await?;
    let reversed: Vec<Sample> = expected.iter().rev().cloned().collect();
    for form in [Form::Plain, Form::Spaced, Form::Reversed, Form::Nulls] {
        let read = in_form(&db, form);
        for (expected, q) in [
            (&expected, all_places()),
            (&expected, all_places().page_size(290)),
            (&reversed, all_places().descending()),
        ] {
            assert!(q.clone().all(&read).await? == *expected, "{form:?}");
            let most = q.clone().limit(901).all(&read).await?;
            assert!(most == expected[..901], "{form:?}");
            let some = q.clone().max_scanned(600).all(&read).await?;
            assert!(!some.is_empty() && expected.starts_with(&some), "{form:?}");
            // Wherever the stream is left, its cursor brings the remaining rows. Cursors do not depend on the
            // form.
            let places: &[usize] = match form {
                Form::Plain => &[1, 127, 128, 129, 640, 1_030],
                _ => &[129],
            };
            for &passed in places {
                let mut rows = q.clone().stream(&read);
                for expected in &expected[..passed] {
                    assert_eq!(rows.next().await.ok_or("a row")??, *expected, "{form:?}");
                }
                let rest = q.clone().resume(rows.cursor()?).all(&read).await?;
                assert!(rest == expected[passed..], "{form:?} {passed}");
            }
            let (mut pages, mut next) = (Vec::new(), None);
            loop {
                let page = q.clone().limit(333).resume(next).page(&read).await?;
                pages.extend(page.rows);
                next = page.next;
                if next.is_none() {
                    break;
                }
            }
            assert!(pages == *expected, "{form:?}");
        }
    }
    Ok(())
}

/// Reads keys, projections and hydrated items, backwards too, and page by page.
pub async fn large_answers_are_merged_whatever_is_read(db: Db) -> Outcome {
    let expected = fill(&db).await?;
    let moments = all_places().select::<Moment>().all(&db).await?;
    let moment = |sample: &Sample| Moment {
        at: sample.at,
        id: sample.id,
    };
    assert!(moments == expected.iter().map(moment).collect::<Vec<_>>());
    let keys = Sample::listed().all(&db).await?;
    let key = |sample: &Sample| Sample::key(&sample.place, sample.at, sample.id);
    assert!(keys == expected.iter().map(key).collect::<Vec<_>>());
    assert!(Sample::listed().hydrate().all(&db).await? == expected);

    // Without a limit, a page has all rows that the answers brought; none is thrown away.
    let page = all_places().page(&db).await?;
    assert!(page.rows == expected && page.next.is_none());
    let last = expected.len() - 1;
    let (mut back, mut before) = (Vec::new(), page.cursor_at(last).map(Cursor::backwards));
    while let Some(place) = before {
        let page = all_places().limit(400).resume(place).page(&db).await?;
        back.splice(0..0, page.rows);
        before = page.previous;
    }
    assert!(back == expected[..last]);

    let q = || Query::from(Sample::in_partition(any_of(["a", "b"])));
    let report = q().delete_each().send(&db).await?;
    assert_eq!(report.written, 1_000);
    assert!(!q().exists(&db).await?);
    Ok(())
}

/// Reads the rows until the end or the first error. Nothing may come after an error.
async fn until_an_error(mut rows: RowStream<Sample>) -> (Vec<Sample>, Option<Error>) {
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        match row {
            Ok(row) => seen.push(row),
            Err(error) => {
                assert!(rows.next().await.is_none());
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

/// Rows before the error may come, in order. No row from behind the broken one may come.
pub async fn a_large_answer_that_is_broken_ends_the_rows(db: Db) -> Outcome {
    let expected = fill(&db).await?;
    let mut most = 0;
    for tenth in 0..10 {
        let broken = rewriting(&db, move |answer| {
            let from = answer.body.len() * tenth / 10;
            let name = answer.body[from..]
                .windows(7)
                .position(|ahead| ahead == b"\"place\"");
            if let Some(quote) = name.filter(|_| answer.body.len() > 20_000) {
                answer.body[from + quote] = b' ';
            }
        });
        let (seen, error) = until_an_error(all_places().stream(&broken)).await;
        let error = error.ok_or("an error")?;
        assert_eq!(error.entity(), Some("Sample"), "{error}");
        if db.mode() != Mode::Hooks {
            assert_eq!(error.kind(), ErrorKind::Service, "{error}");
        }
        assert!(error.request_id().is_some(), "{error}");
        assert!(expected.starts_with(&seen), "{tenth}: {} rows", seen.len());
        assert!(seen.len() < expected.len());
        most = most.max(seen.len());
        assert!(all_places().all(&broken).await.is_err());
    }
    // With hooks, an answer is decoded as a whole, so a broken one brings no rows.
    assert_eq!(most > 100, db.mode() != Mode::Hooks, "{most} rows");
    Ok(())
}

/// The broken row is an error in its place, and all other rows come.
pub async fn a_row_of_a_large_answer_that_does_not_decode_stands_in_its_place(db: Db) -> Outcome {
    let expected = fill(&db).await?;
    let odd = changing(&db, r#""id":{"N":"222"}"#, r#""id":{"S":"222"}"#);
    let rows = all_places().lenient().all(&odd).await?;
    assert_eq!(rows.len(), expected.len());
    let mut odd = 0;
    for (row, expected) in rows.into_iter().zip(expected) {
        match row {
            Ok(row) => assert_eq!(row, expected),
            Err(error) => {
                assert_eq!((error.kind(), expected.id), (ErrorKind::Decode, 222));
                odd += 1;
            }
        }
    }
    assert_eq!(odd, 3);
    Ok(())
}

fn changing(db: &Db, from: &'static str, to: &'static str) -> Dynamo {
    rewriting(db, move |answer| {
        let json: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
        answer.body = json.to_string().replace(from, to).into_bytes();
    })
}
