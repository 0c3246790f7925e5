//! Collections that the program names, by the parts of their partitions.

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place};
use crate::shop_admin::{Account, Order, RequestCount, Shop, Status, User};

fn filled(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema(), RequestCount::schema()])
            .await?;
        for (user, orders) in [("ann", 3), ("bob", 1)] {
            let user = User {
                user: user.into(),
                email: format!("{user}@example.com"),
                name: user.to_uppercase(),
                version: Version::default(),
                created_at: None,
            };
            for number in 1..=orders {
                let order = Order {
                    user: user.user.clone(),
                    number,
                    status: Status::Paid,
                    placed_at: "2026-03-01T12:00:00Z".parse().expect("a time"),
                    cents: 995,
                    version: Version::default(),
                };
                order.create().send(db).await?;
            }
            user.create().send(db).await?;
        }
        Ok(())
    })
}

pub fn a_collection_is_read_by_its_partition(place: &Place) -> Outcome {
    filled(place)?;
    let typed: Vec<Item> = place.typed(async |db| {
        let rows = Account::in_partition("ann").all(db).await?;
        rows.iter().map(Account::to_item).collect()
    })?;
    assert_eq!(typed.len(), 4);
    let rows = place
        .done("shop", &["query", "Account", "ann", "--json"])?
        .rows()?;
    let names: Vec<_> = rows.iter().map(|row| row["sk"].clone()).collect();
    let wanted: Vec<_> = typed
        .iter()
        .map(|item| {
            item.get("sk")
                .and_then(|sk| sk.as_text())
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(serde_json::to_value(names)?, serde_json::to_value(wanted)?);
    let table = place.done("shop", &["query", "Account", "ann"])?.out;
    for shown in ["email", "cents", "ORDER#", "PROFILE"] {
        assert!(table.contains(shown), "{shown}: {table}");
    }
    assert!(!table.contains("gsi1pk"), "{table}");
    assert_eq!(place.done("shop", &["count", "Account", "ann"])?.out, "4\n");
    let first = place.done("shop", &["query", "Account", "ann", "--limit", "3"])?;
    let cursor = first.cursor("next").ok_or("more rows")?;
    let rest = [
        "query", "Account", "ann", "--limit", "3", "--cursor", cursor, "--json",
    ];
    assert_eq!(place.done("shop", &rest)?.rows()?.len(), 1);
    let last = [
        "query",
        "Account",
        "ann",
        "--descending",
        "--limit",
        "1",
        "--strong",
    ];
    assert!(place.done("shop", &last)?.out.contains("PROFILE"));
    Ok(())
}

pub fn a_collection_is_shown_and_suggested(place: &Place) -> Outcome {
    let help = place.done("shop", &["--help"])?.out;
    assert!(help.contains("query Account <USER>"), "{help}");
    let help = place.done("shop", &["query", "--help"])?.out;
    assert!(
        help.contains("All about one customer. (User, Order)"),
        "{help}"
    );
    let help = place.done("shop", &["query", "Account", "--help"])?.out;
    assert!(
        !help.contains("--starts-with") && help.contains("--limit"),
        "{help}"
    );
    // The tip of a slip is the collection.
    place.refused("shop", &["query", "Acount", "ann"], &["'Account'"])?;
    // An item has one entity.
    place.refused(
        "shop",
        &["get", "Account", "ann"],
        &["There are: User, Order"],
    )
}
