//! The parts of a sort key, and bounds on them.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use super::{Numbered, counts, day, days};
use crate::model::RequestCount;
use crate::support::clock::{HandClock, moment};
use crate::support::db::Db;
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    parts_are_asked_for_from_left_to_right(Log),
    text_parts_hold_anything(Log),
    native_keys_have_exact_bounds(Numbered, Named, Blob),
    multi_attribute_keys_are_asked_for_in_order(Place) unless NO_MULTI_ATTRIBUTE_KEYS,
    a_time_behind_an_unknown_part_is_refused unless NO_MULTI_ATTRIBUTE_KEYS,
    empty_ranges_ask_for_nothing,
];

crate::declare! {
    entity Log(table = "logs", key(pk = "APP#{app}", sk = "L#{level}#{at:date}#{text}"))
        { app: String, level: i8, at: DateTime<Utc>, text: String }
}

fn log(level: i8, at: &str, text: &str) -> Log {
    Log {
        app: "a".into(),
        level,
        at: moment(at),
        text: text.into(),
    }
}

fn texts(rows: &[Log]) -> Vec<&str> {
    rows.iter().map(|row| row.text.as_str()).collect()
}

async fn parts_are_asked_for_from_left_to_right(db: Db) -> Outcome {
    let all = [
        log(-5, "2024-01-02T00:00:00Z", "a"),
        log(-1, "2024-01-01T10:00:00Z", "b"),
        log(-1, "2024-01-01T09:00:00Z", "c"),
        log(-1, "2024-01-02T09:00:00Z", "d"),
        log(-1, "2024-01-03T00:00:00Z", "e"),
        log(7, "2024-01-01T00:00:00Z", "f"),
        log(12, "2024-01-01T00:00:00Z", "g"),
    ];
    for row in &all {
        row.put().send(&db).await?;
    }
    let q = || Log::in_partition("a");
    assert_eq!(
        texts(&q().all(&db).await?),
        ["a", "b", "c", "d", "e", "f", "g"]
    );
    assert_eq!(
        texts(&q().descending().all(&db).await?),
        ["g", "f", "e", "d", "c", "b", "a"]
    );
    assert_eq!(
        texts(&q().level().eq(-1).all(&db).await?),
        ["b", "c", "d", "e"]
    );
    assert_eq!(texts(&q().level().lt(-1).all(&db).await?), ["a"]);
    assert_eq!(
        texts(&q().level().le(-1).all(&db).await?),
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(texts(&q().level().gt(-1).all(&db).await?), ["f", "g"]);
    assert_eq!(
        texts(&q().level().between(-5..7).all(&db).await?),
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(
        texts(&q().level().between(-4..=7).all(&db).await?),
        ["b", "c", "d", "e", "f"]
    );
    let at = |d| q().level().eq(-1).at().eq(day(d));
    assert_eq!(texts(&at(1).all(&db).await?), ["b", "c"]);
    assert_eq!(texts(&at(1).text().gt("b").all(&db).await?), ["c"]);
    assert_eq!(texts(&at(1).text().lt("c").all(&db).await?), ["b"]);
    assert_eq!(texts(&at(1).text().eq("c").all(&db).await?), ["c"]);
    let between = q().level().eq(-1).at().between(day(2)..=day(3));
    assert_eq!(texts(&between.all(&db).await?), ["d", "e"]);
    let before = q().level().eq(-1).at().lt(day(2));
    assert_eq!(texts(&before.all(&db).await?), ["b", "c"]);
    Ok(())
}

async fn text_parts_hold_anything(db: Db) -> Outcome {
    let at = "2024-01-01T00:00:00Z";
    let mut all = vec![
        "1",
        "10",
        "1#",
        "1#0",
        "1$",
        "1%",
        "%",
        "%25",
        "%23",
        " ",
        "\0",
        "\u{1}",
        "\u{ffff}",
        "\u{10000}",
        "\u{10ffff}",
        "a\0",
        "a",
        "a\u{1}",
        "aa",
        "é",
        "\"",
        "\\",
        "\n",
    ];
    for text in &all {
        log(0, at, text).put().send(&db).await?;
    }
    all.sort_unstable();
    let q = || Log::in_partition("a").level().eq(0).at().eq(day(1)).text();
    for bound in all.iter().copied().chain(["", "1\u{10ffff}", "b"]) {
        let wanted = |keep: &dyn Fn(&str) -> bool| -> Vec<&str> {
            all.iter().copied().filter(|text| keep(text)).collect()
        };
        let below = q().lt(bound).all(&db).await?;
        assert_eq!(texts(&below), wanted(&|text| text < bound), "lt {bound:?}");
        let up_to = q().le(bound).all(&db).await?;
        assert_eq!(texts(&up_to), wanted(&|text| text <= bound), "le {bound:?}");
        let above = q().gt(bound).all(&db).await?;
        assert_eq!(texts(&above), wanted(&|text| text > bound), "gt {bound:?}");
        let from = q().ge(bound).all(&db).await?;
        assert_eq!(texts(&from), wanted(&|text| text >= bound), "ge {bound:?}");
        let begin = q().starts_with(bound).all(&db).await?;
        assert_eq!(
            texts(&begin),
            wanted(&|text| text.starts_with(bound)),
            "starts_with {bound:?}"
        );
        let between = q().between("1"..bound).count(&db).await?;
        assert_eq!(
            between,
            wanted(&|text| "1" <= text && text < bound).len() as u64,
            "between {bound:?}"
        );
    }
    let long = "x".repeat(3000);
    assert_eq!(
        q().gt(&long).count(&db).await?,
        all.iter().filter(|text| **text > &*long).count() as u64
    );
    assert_eq!(
        q().lt(&long).count(&db).await?,
        all.iter().filter(|text| **text < &*long).count() as u64
    );
    assert_eq!(q().starts_with(&long).count(&db).await?, 0);
    let refused = Log::in_partition("a")
        .level()
        .eq(0)
        .at()
        .eq(day(1))
        .text()
        .eq(&long)
        .all(&db)
        .await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.key_attribute()),
        (ErrorKind::InvalidKey, Some("sk"))
    );
    let refused = q().eq("").all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::InvalidKey, Some("text"))
    );
    Ok(())
}

crate::declare! {
    entity Named(table = "names", key(pk = id, sk = name)) { id: String, name: String }
    entity Blob(table = "blobs", key(pk = id, sk = bytes)) { id: Vec<u8>, bytes: Vec<u8> }
}

async fn native_keys_have_exact_bounds(db: Db) -> Outcome {
    let numbers = [
        "-9.9e125",
        "-10",
        "-1.5",
        "-1e-130",
        "0",
        "1e-130",
        "1",
        "1.0000000000000000000000000000000000001",
        "2",
        "10",
        "12345678901234567890123456789012345678",
        "9.9e125",
    ];
    let numbers: Vec<dynamo_entity::Number> = numbers
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    for number in &numbers {
        Numbered {
            id: 1,
            number: number.clone(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let q = || Numbered::in_partition(1).number();
    for low in &numbers {
        for high in &numbers {
            let wanted = numbers
                .iter()
                .filter(|number| *number >= low && *number < high)
                .count();
            let found = q().between(low.clone()..high.clone()).count(&db).await?;
            assert_eq!(found, wanted as u64, "{low}..{high}");
        }
        assert_eq!(
            q().gt(low).count(&db).await?,
            numbers.iter().filter(|number| *number > low).count() as u64
        );
        assert_eq!(q().eq(low).count(&db).await?, 1);
    }
    for name in ["a", "a\0", "aa", "b", "\u{ffff}", "\u{10000}"] {
        Named {
            id: "n".into(),
            name: name.into(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let q = || Named::in_partition("n").name();
    assert_eq!(q().between("a".."b").count(&db).await?, 3);
    assert_eq!(q().between("".."b").count(&db).await?, 3);
    assert_eq!(q().between("a".."a\0").count(&db).await?, 1);
    assert_eq!(q().between("b"..="\u{ffff}").count(&db).await?, 2);
    assert_eq!(q().ge("").count(&db).await?, 6);
    assert_eq!(q().le("").count(&db).await?, 0);
    assert_eq!(q().starts_with("a").count(&db).await?, 3);
    assert_eq!(q().starts_with("").count(&db).await?, 6);
    assert_eq!(q().gt("x".repeat(2000)).count(&db).await?, 2);
    assert!(q().eq("").count(&db).await.is_err());
    for bytes in [&[0][..], &[0, 0], &[0, 255], &[1], &[255]] {
        Blob {
            id: vec![1],
            bytes: bytes.to_vec(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let q = || Blob::in_partition(vec![1]).bytes();
    assert_eq!(q().between(vec![0]..vec![1]).count(&db).await?, 3);
    assert_eq!(q().between(vec![0]..vec![0, 0]).count(&db).await?, 1);
    assert_eq!(q().gt(vec![0, 255]).count(&db).await?, 2);
    Ok(())
}

crate::declare! {
    entity Place(table = "places", key(pk = id), gsi(by_place, pk = [kind], sk = [country, city, size]))
        { id: u32, kind: String, country: String, city: String, size: Option<u32> }
}

async fn multi_attribute_keys_are_asked_for_in_order(db: Db) -> Outcome {
    for (id, (country, city, size)) in [
        ("USA", "NY", Some(5)),
        ("USA", "NY", Some(9)),
        ("USA", "NZ", Some(1)),
        ("USAX", "A", Some(1)),
        ("USA", "NY", None),
    ]
    .into_iter()
    .enumerate()
    {
        let place = Place {
            id: id as u32,
            kind: "shop".into(),
            country: country.into(),
            city: city.into(),
            size,
        };
        place.put().send(&db).await?;
    }
    let q = || Place::by_place("shop");
    assert_eq!(q().count(&db).await?, 4);
    assert_eq!(q().country().eq("USA").count(&db).await?, 3);
    assert_eq!(q().country().eq("USA").city().eq("NY").count(&db).await?, 2);
    assert_eq!(
        q().country()
            .eq("USA")
            .city()
            .eq("NY")
            .size()
            .between(5..9)
            .count(&db)
            .await?,
        1
    );
    assert_eq!(
        q().country()
            .eq("USA")
            .city()
            .eq("NY")
            .size()
            .eq(9)
            .count(&db)
            .await?,
        1
    );
    assert_eq!(q().country().starts_with("USA").count(&db).await?, 4);
    assert_eq!(q().country().eq("USA").city().gt("NY").count(&db).await?, 1);
    let page = q().country().eq("USA").limit(2).page(&db).await?;
    let rest = q().country().eq("USA").resume(page.next).all(&db).await?;
    assert_eq!((page.rows.len(), rest.len()), (2, 1));
    Ok(())
}

async fn empty_ranges_ask_for_nothing(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=3).await?;
    let (faulty, http) = db.faulty([]);
    let q = || RequestCount::in_partition("a").day();
    for nothing in [
        q().between(day(2)..day(2)),
        q().between(day(3)..=day(1)),
        q().between(day(1)..day(3)).limit(0),
    ] {
        assert_eq!(nothing.clone().all(&faulty).await?, []);
        assert_eq!(nothing.clone().count(&faulty).await?, 0);
        assert_eq!(nothing.clone().first(&faulty).await?, None);
        let page = nothing.clone().page(&faulty).await?;
        assert!(page.rows.is_empty() && page.next.is_none());
        assert!(nothing.stream(&faulty).next().await.is_none());
    }
    assert_eq!(http.calls(), Vec::<String>::new());
    assert_eq!(days(&q().between(day(2)..=day(2)).all(&db).await?), [2]);
    Ok(())
}

crate::declare! {
    entity Lease(table = "leases", key(pk = id), gsi(by_owner, pk = [owner], sk = [kind, ends]))
        { id: u32, owner: String, kind: String, #[dynamo(ttl)] ends: Option<DateTime<Utc>> }
}

/// There, no bound and no filter can hide expired rows, so the query has to ask for them explicitly.
async fn a_time_behind_an_unknown_part_is_refused(db: Db) -> Outcome {
    let clock = HandClock::at("2094-06-01T00:00:00Z");
    let db_at = db.at(&clock);
    db_at.create_tables([Lease::schema()]).await?;
    for (id, kind, month) in [(1, "a", 5), (2, "a", 7), (3, "b", 5)] {
        let ends = Some(moment(&format!("2094-0{month}-01T00:00:00Z")));
        let lease = Lease {
            id,
            owner: "o".into(),
            kind: kind.into(),
            ends,
        };
        lease.put().send(&db_at).await?;
    }
    let ids = |rows: Vec<Lease>| rows.into_iter().map(|row| row.id).collect::<Vec<_>>();
    let of_kind = Lease::by_owner("o").kind().eq("a");
    assert_eq!(ids(of_kind.all(&db_at).await?), [2]);
    for query in [
        Query::<Lease>::from(Lease::by_owner("o")),
        Lease::by_owner("o").kind().ge("a").into(),
    ] {
        let refused = query.clone().all(&db_at).await.unwrap_err();
        assert!(refused.to_string().contains("include_expired"), "{refused}");
        assert_eq!(ids(query.include_expired().all(&db_at).await?), [1, 2, 3]);
    }
    Ok(())
}
