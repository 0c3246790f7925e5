//! Keys whose parts end at separators of their template, over the rows of other programs: every text that can be read comes
//! back as it is, and a query returns exactly the rows of its part.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::key::PythonTime;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    three_parts,
    several_characters,
    after_a_number,
    below_other_characters,
    bounds_of_a_character,
    before_doubled_punctuation,
];

/// Texts of these letters, of one to two characters.
fn texts(letters: &[&str]) -> Vec<String> {
    let pairs = letters
        .iter()
        .flat_map(|a| letters.iter().map(move |b| format!("{a}{b}")));
    letters
        .iter()
        .map(|letter| (*letter).to_owned())
        .chain(pairs)
        .collect()
}

/// Whether a text before this separator ends there, and not earlier.
fn is_free(text: &str, separator: &str) -> bool {
    format!("{text}{separator}").find(separator) == Some(text.len())
}

macro_rules! separators {
    ($test:ident: [$($style:tt)+] $sk:literal, $letters:expr, $first:literal, $second:literal, $end:literal) => {
        async fn $test(db: Db) -> Outcome {
            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "rows", $($style)+, key(pk = "{owner}@{host}", sk = $sk))]
            struct Row {
                owner: String,
                host: String,
                a: String,
                b: String,
                c: u32,
            }

            db.create_tables([Row::schema()]).await?;
            let texts = texts(&$letters);
            let row = |a: &str, b: &str, c: u32| Row {
                owner: "ann".into(),
                host: "x@y#z".into(),
                a: a.into(),
                b: b.into(),
                c,
            };
            let mut model = BTreeSet::new();
            for (at, a) in texts.iter().enumerate() {
                for b in texts.iter().skip(at % 3).step_by(3) {
                    let made = row(a, b, 7);
                    let is_valid = is_free(a, $first) && is_free(b, $second);
                    assert_eq!(made.to_item().is_ok(), is_valid, "{a:?} {b:?}");
                    if !is_valid {
                        let error = made.to_item().unwrap_err();
                        assert_eq!(error.kind(), ErrorKind::InvalidKey);
                        continue;
                    }
                    // As the other program writes it.
                    let sk = format!("{a}{}{b}{}7{}", $first, $second, $end);
                    let stored = raw([("pk", s("ann@x@y#z")), ("sk", s(&sk)), ("owner", s("ann")), ("host", s("x@y#z")),
                        ("a", s(a)), ("b", s(b)), ("c", crate::support::db::n(7))]);
                    assert_eq!(made.to_item()?, Item::from(stored.clone()), "{a:?} {b:?}");
                    db.plant::<Row>(stored).await;
                    model.insert((a.clone(), b.clone()));
                }
            }
            let of = |rows: Vec<Row>| -> BTreeSet<_> { rows.into_iter().map(|row| (row.a, row.b)).collect() };
            let partition = || Row::in_partition("ann", "x@y#z");
            let all = partition().all(&db).await?;
            assert_eq!(all.len(), model.len());
            assert_eq!(of(all), model, "K1, K3");
            for asked in &texts {
                let wanted: BTreeSet<_> = model.iter().filter(|(a, _)| a.starts_with(asked)).cloned().collect();
                let is_begun = $first.len() > 1 && asked.ends_with(&$first[..1]) && !asked.contains($first);
                match partition().a().starts_with(asked).all(&db).await {
                    Ok(rows) => assert_eq!(of(rows), wanted, "K4, {asked:?}"),
                    Err(error) => assert!(is_begun, "{asked:?}: {error}"),
                }
                if !is_free(asked, $first) {
                    let error = partition().a().eq(asked).all(&db).await.unwrap_err();
                    assert_eq!((error.kind(), error.attribute()), (ErrorKind::InvalidKey, Some("a")));
                    continue;
                }
                let wanted: BTreeSet<_> = model.iter().filter(|(a, _)| a == asked).cloned().collect();
                assert_eq!(of(partition().a().eq(asked).all(&db).await?), wanted, "K4, {asked:?}");
                let one = wanted.first();
                if let Some((a, b)) = one {
                    let found = partition().a().eq(a).b().eq(b).c().eq(7u32).all(&db).await?;
                    assert_eq!(found, [row(a, b, 7)]);
                    assert!(partition().a().eq(a).b().eq(b).c().eq(71u32).all(&db).await?.is_empty());
                }
            }
            Ok(())
        }
    };
}

separators!(three_parts: [verbatim] "{a}:{b}#{c}", ["x", ":", "#", "Z"], ":", "#", "");
separators!(several_characters: [verbatim] "{a}::{b}--{c}", ["x", ":", "-", "9"], "::", "--", "");
separators!(after_a_number: [verbatim(delimiter = ":")] "{a}@{b}|{c}-x", ["x", "@", "|", ":"], "@", "|", "-x");
separators!(below_other_characters: [verbatim(delimiter = "~")] "{a} {b}!{c}~", ["x", " ", "!", "~"], " ", "!", "~");

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "grades", verbatim, key(pk = "school", sk = "{grade}#{id}"))]
struct Grade {
    grade: char,
    id: String,
}

/// No row has a separator as its part, but a bound may be one.
async fn bounds_of_a_character(db: Db) -> Outcome {
    db.create_tables([Grade::schema()]).await?;
    let grades = ['!', '"', '$', 'A', '~', '\u{e9}', '\u{10ffff}'];
    for grade in grades {
        for id in ["#", "x"] {
            let row = Grade {
                grade,
                id: id.into(),
            };
            row.create().send(&db).await?;
        }
    }
    let hash = Grade {
        grade: '#',
        id: "x".into(),
    };
    assert_eq!(hash.to_item().unwrap_err().kind(), ErrorKind::InvalidKey);
    let stage = || Grade::in_partition().grade();
    for bound in grades.into_iter().chain(['#']) {
        let count = |is_in: fn(&char, &char) -> bool| {
            2 * grades.iter().filter(|grade| is_in(grade, &bound)).count()
        };
        for (query, wanted) in [
            (stage().lt(bound), count(char::lt)),
            (stage().le(bound), count(char::le)),
            (stage().gt(bound), count(char::gt)),
            (stage().ge(bound), count(char::ge)),
        ] {
            assert_eq!(query.all(&db).await?.len(), wanted, "{bound:?}");
        }
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "visits", verbatim, key(pk = "shop", sk = "{at}::{id}"))]
struct Visit {
    at: PythonTime<DateTime<Utc>>,
    id: String,
}

/// A time of Python holds single colons, so it ends at two of them.
async fn before_doubled_punctuation(db: Db) -> Outcome {
    db.create_tables([Visit::schema()]).await?;
    let noon: DateTime<Utc> = "2026-03-01T12:00:00Z".parse()?;
    let times = [0, 1, 500_000, 1_000_000];
    let at = |micros| PythonTime::floor(noon + TimeDelta::microseconds(micros)).ok_or("in range");
    for micros in times {
        let row = Visit {
            at: at(micros)?,
            id: "a::b".into(),
        };
        row.create().send(&db).await?;
        assert_eq!(
            Visit::key(at(micros)?, "a::b").get().send(&db).await?,
            Some(row)
        );
    }
    let visits = || Visit::in_partition().at();
    assert_eq!(visits().gt(at(0)?).count(&db).await?, 3);
    assert_eq!(visits().le(at(1)?).count(&db).await?, 2);
    Ok(())
}
