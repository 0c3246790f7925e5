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
    a_separator_in_a_part_is_named(Parcel),
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
#[dynamo(
    table = "parcels",
    verbatim,
    key(pk = "parcels", sk = "{owner}#{number}")
)]
struct Parcel {
    owner: String,
    number: u32,
}

/// The same table, with a field for both parts.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "parcels", verbatim, key(pk = "parcels", sk = "{sk_text}"))]
struct WholeParcel {
    #[dynamo(skip)]
    sk_text: String,
    owner: String,
    number: u32,
}

/// A row of another program is an error with a way out, and no other row is lost by it.
async fn a_separator_in_a_part_is_named(db: Db) -> Outcome {
    let mut model = Vec::new();
    let mut random = fastrand::Rng::with_seed(6);
    for number in 0..24 {
        let owner = ["a", "a#b", "#", "b#7", "b", "a b"][random.usize(..6)];
        let sk = format!("{owner}#{number}");
        let row = raw([
            ("pk", s("parcels")),
            ("sk", s(&sk)),
            ("owner", s(owner)),
            ("number", crate::support::db::n(number)),
        ]);
        db.plant::<Parcel>(row.clone()).await;
        model.push((owner, number, sk, Item::from(row)));
    }
    let has_separator = |owner: &str| owner.contains('#');
    let rows = Parcel::in_partition().lenient().all(&db).await?;
    assert_eq!(rows.len(), model.len());
    let errors: Vec<_> = rows.iter().filter_map(|row| row.as_ref().err()).collect();
    assert_eq!(
        errors.len(),
        model.iter().filter(|row| has_separator(row.0)).count()
    );
    for error in errors {
        assert!(error.is_key_mismatch());
        assert!(error.to_string().contains("`lenient()`"), "{error}");
        assert!(error.item_key().is_some());
    }
    for (owner, number, sk, row) in model {
        let keys = raw([("pk", s("parcels")), ("sk", s(&sk))]);
        let item = Item::in_table("parcels")
            .get(Item::from(keys))
            .send(&db)
            .await?;
        assert_eq!(item, Some(row.clone()));
        // One field for both parts reads and writes each row as it is.
        let whole = WholeParcel::key(&sk)
            .get()
            .send(&db)
            .await?
            .ok_or("a row")?;
        assert_eq!((&*whole.owner, whole.number), (owner, number));
        assert_eq!(whole.put().send(&db).await?.to_item()?, row);
        let read = Parcel::key(owner, number).get().send(&db).await;
        match has_separator(owner) {
            true => assert_eq!(read.unwrap_err().kind(), ErrorKind::InvalidKey),
            false => assert_eq!(read?.map(|row| row.number), Some(number)),
        }
    }
    Ok(())
}

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
