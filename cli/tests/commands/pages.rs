//! Pages, cursors, ranges and counts, beside those of typed calls.

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place};
use crate::shop_admin::{Order, Shop, Status};

fn start() -> DateTime<Utc> {
    "2026-03-01T00:00:00Z".parse().expect("a time")
}

/// One of many orders of a customer.
pub fn order(number: u32) -> Order {
    Order {
        user: "ann".into(),
        number,
        status: if number.is_multiple_of(3) {
            Status::Pending
        } else {
            Status::Paid
        },
        placed_at: start() + TimeDelta::hours(number.into()),
        cents: 100 * i64::from(number),
        version: Version::from(1),
    }
}

fn plant(place: &Place, orders: u32) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema()]).await?;
        let orders = (0..orders).map(|number| order(number).into_create());
        put_each(orders).send(db).await?.complete().map(drop)
    })
}

fn numbers(rows: &[serde_json::Value]) -> Vec<u64> {
    rows.iter()
        .filter_map(|row| row["number"].as_u64())
        .collect()
}

pub fn pages_are_the_typed_pages(place: &Place) -> Outcome {
    plant(place, 50)?;
    let mut typed = Vec::new();
    place.typed(async |db| {
        let mut cursor = None;
        loop {
            let paid = Order::by_status(Status::Paid).placed_at().ge(start());
            let page = paid.descending().limit(7).resume(cursor).page(db).await?;
            let rows: Vec<u64> = page.rows.iter().map(|order| order.number.into()).collect();
            let [next, previous] =
                [&page.next, &page.previous].map(|cursor| cursor.as_ref().map(Cursor::to_string));
            typed.push((rows, next, previous));
            cursor = page.next;
            if cursor.is_none() {
                return Ok(());
            }
        }
    })?;
    assert_eq!(typed.len(), 5);
    let mut arguments = [
        "query",
        "Order.by_status",
        "Paid",
        "--placed-at",
        "2026-03-01..",
        "--descending",
        "--limit",
        "7",
        "--json",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut first = None;
    for (rows, next, previous) in typed {
        let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let page = place.done("shop", &given)?;
        assert_eq!(numbers(&page.rows()?), rows);
        assert_eq!(
            (page.cursor("next"), page.cursor("previous")),
            (next.as_deref(), previous.as_deref())
        );
        first.get_or_insert(rows);
        arguments.truncate(9);
        if let Some(previous) = previous {
            // Back to the page before.
            let back: Vec<&str> = arguments
                .iter()
                .map(String::as_str)
                .chain(["--cursor", &previous])
                .collect();
            assert_eq!(numbers(&place.done("shop", &back)?.rows()?).len(), 7);
        }
        arguments.extend(["--cursor".to_owned(), next.unwrap_or_default()]);
    }
    // A cursor is one of its query.
    let page = place.done("shop", &["query", "Order", "ann", "--limit", "3"])?;
    let cursor = page.cursor("next").ok_or("a cursor")?;
    place.refused(
        "shop",
        &["query", "Order", "bob", "--cursor", cursor],
        &["cursor"],
    )
}

pub fn all_rows_come_in_either_order(place: &Place) -> Outcome {
    plant(place, 450)?;
    let all = place.done("shop", &["query", "Order", "ann", "--all", "--json"])?;
    assert_eq!(numbers(&all.rows()?), (0..450).collect::<Vec<_>>());
    assert_eq!(all.notes, "");
    let back = place.done(
        "shop",
        &["query", "Order", "ann", "--all", "--json", "--descending"],
    )?;
    assert_eq!(numbers(&back.rows()?), (0..450).rev().collect::<Vec<_>>());
    let table = place.done("shop", &["query", "Order", "ann", "--all"])?.out;
    let mut lines = table.lines();
    let head = lines.next().unwrap_or_default();
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>(),
        ["user", "number", "status", "placed_at", "cents", "version"]
    );
    assert_eq!(lines.count(), 450);
    let first = table.lines().nth(1).unwrap_or_default();
    assert_eq!(first.find("2026-03-01T"), head.find("placed_at"), "{table}");
    Ok(())
}

pub fn ranges_are_those_of_rust(place: &Place) -> Outcome {
    plant(place, 12)?;
    for (range, rows) in [
        ("3..6", vec![3, 4, 5]),
        ("3..=6", vec![3, 4, 5, 6]),
        ("10..", vec![10, 11]),
        ("..2", vec![0, 1]),
        ("..=2", vec![0, 1, 2]),
        ("7", vec![7]),
        ("=7", vec![7]),
        ("..", (0..12).collect()),
    ] {
        let found = place.done(
            "shop",
            &["query", "Order", "ann", "--number", range, "--json"],
        )?;
        assert_eq!(numbers(&found.rows()?), rows, "{range}");
    }
    let at = [
        "query",
        "Order.by_status",
        "Paid",
        "--placed-at",
        "2026-03-01T04:00:00Z",
        "--number",
        "..=4",
        "--json",
    ];
    assert_eq!(numbers(&place.done("shop", &at)?.rows()?), [4]);
    // Names with underscores are taken too.
    let at = [
        "query",
        "Order.by_status",
        "Paid",
        "--placed_at",
        "2026-03-01T04:00:00Z",
        "--json",
    ];
    assert_eq!(numbers(&place.done("shop", &at)?.rows()?), [4]);
    Ok(())
}

pub fn rows_are_counted(place: &Place) -> Outcome {
    plant(place, 12)?;
    for (arguments, rows) in [
        (&["count", "Order", "ann"][..], "12\n"),
        (&["count", "Order", "bob"], "0\n"),
        (&["count", "Order.by_status", "Pending"], "4\n"),
        (
            &[
                "count",
                "Order.by_status",
                "Pending",
                "--placed-at",
                "2026-03-01T03:00:00Z..",
            ],
            "3\n",
        ),
    ] {
        assert_eq!(place.done("shop", arguments)?.out, rows, "{arguments:?}");
    }
    Ok(())
}

pub fn strong_reads_see_everything(place: &Place) -> Outcome {
    plant(place, 3)?;
    for arguments in [
        &["explain", "query", "Order", "ann", "--strong", "--json"][..],
        &["explain", "get", "Order", "ann", "1", "--strong", "--json"],
    ] {
        let explained = place.done("shop", arguments)?.rows()?;
        assert_eq!(
            explained[0]["requests"][0]["ConsistentRead"], true,
            "{arguments:?}"
        );
    }
    assert_eq!(
        place
            .done("shop", &["count", "Order", "ann", "--strong"])?
            .out,
        "3\n"
    );
    Ok(())
}
