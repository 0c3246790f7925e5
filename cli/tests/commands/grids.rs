//! Items of several entities, grouped by partition and entity.

use std::process::Command;

use dynamo_entity::Value;
use dynamo_entity::prelude::*;

use crate::place::{Outcome, PROGRAM, Place, said};
use crate::shop_admin::{Order, RequestCount, Shop, Status, User};

fn filled(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema(), RequestCount::schema()])
            .await?;
        for name in ["ann", "bob"] {
            for number in 1..=2 {
                let order = Order {
                    user: name.into(),
                    number,
                    status: Status::Paid,
                    placed_at: "2026-03-01T12:00:00Z".parse().expect("a time"),
                    cents: 995 * i64::from(number),
                    version: Version::default(),
                };
                order.create().send(db).await?;
            }
            let user = User {
                user: name.into(),
                email: format!("{name}@example.com"),
                name: "A name\u{1b}[31m".into(),
                version: Version::default(),
                created_at: None,
            };
            user.create().send(db).await?;
        }
        // An item of another program, in the partition of a user.
        let item = [
            ("pk", "USER#ann"),
            ("sk", "XTRA\u{9b}2J"),
            ("\u{202e}name", "b\r\nc"),
        ];
        let item: Item = item
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::S(value.to_owned())))
            .collect();
        Item::in_table("shop").put(item).send(db).await?;
        let count = RequestCount {
            page: "/".into(),
            day: 7,
            count: 3,
        };
        count.create().send(db).await.map(drop)
    })
}

/// The lines from this one to the next empty line.
fn block<'t>(text: &'t str, first: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| *line != first);
    lines.take_while(|line| !line.is_empty()).collect()
}

pub fn a_table_is_shown_by_partition_and_entity(place: &Place) -> Outcome {
    filled(place)?;
    let grid = place
        .done("shop", &["list", "--table", "shop", "--all"])?
        .out;
    let ann = block(&grid, "pk  USER#ann");
    let orders = [
        "pk  USER#ann",
        "  Order",
        "    sk              user  number  status  placed_at                       cents  version",
        "    ORDER#00000001  ann        1  Paid    2026-03-01T12:00:00.000000000Z    995        1",
        "    ORDER#00000002  ann        2  Paid    2026-03-01T12:00:00.000000000Z   1990        1",
        "  User",
    ];
    assert_eq!(ann.get(..6).unwrap_or_default(), orders, "{grid}");
    let rest = ann.get(6..).unwrap_or_default().join("\n");
    for shown in [
        "sk       user  email            name",
        "PROFILE  ann   ann@example.com  A name\\u{1b}[31m",
        "  none of this program",
        "\\u{202e}name",
        "XTRA\\u{9b}2J  b\\r\\nc",
    ] {
        assert!(rest.contains(shown), "{shown}: {grid}");
    }
    assert_eq!(grid.matches("pk  USER#ann\n").count(), 1, "{grid}");
    assert_eq!(grid.matches("  a unique value\n").count(), 2, "{grid}");
    assert!(!grid.contains("gsi1pk"), "{grid}");
    // A table with one entity is a grid too.
    let counts = place
        .done("shop", &["list", "--table", "request-counts"])?
        .out;
    assert_eq!(
        counts,
        "page  /\n  RequestCount\n    day  count\n      7      3\n"
    );
    // A collection is one partition of the grid.
    let account = place.done("shop", &["query", "Account", "bob"])?.out;
    assert_eq!(
        block(&account, "pk  USER#bob"),
        block(&grid, "pk  USER#bob")
    );
    // The item of an order, with its key in the index.
    let item = place
        .done("shop", &["item", "shop", "USER#ann", "ORDER#00000001"])?
        .out;
    assert!(
        item.contains("index   gsi1  gsi1pk STATUS#Paid  gsi1sk 2026-03-01T12:00:00"),
        "{item}"
    );
    Ok(())
}

pub fn a_table_is_read_by_pages(place: &Place) -> Outcome {
    filled(place)?;
    let all = place
        .done("shop", &["list", "--table", "shop", "--all", "--json"])?
        .rows()?;
    assert_eq!(all.len(), 9, "with the items of unique values");
    let (mut rows, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut arguments = vec![
            "list", "--table", "shop", "--limit", "4", "--json", "--rate", "1000",
        ];
        if let Some(cursor) = &cursor {
            arguments.extend(["--cursor", cursor]);
        }
        let page = place.done("shop", &arguments)?;
        rows.extend(page.rows()?);
        cursor = page.cursor("next").map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(rows, all);
    place.refused(
        "shop",
        &["list", "--table", "none"],
        &["shop, request-counts"],
    )?;
    place.refused(
        "shop",
        &["list", "--table", "shop", "User"],
        &["omit `User`"],
    )?;
    place.refused("shop", &["list", "--scan", "User"], &["--table"])?;
    for url in ["aws", "https://dynamodb.eu-west-1.amazonaws.com"] {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(PROGRAM, "shop").env("DYNAMO_URL", url);
        let said = said(command.args(["list", "--table", "shop"]).output()?)?;
        assert!(said.code == 1 && said.notes.contains("--scan"), "{said:?}");
    }
    Ok(())
}
