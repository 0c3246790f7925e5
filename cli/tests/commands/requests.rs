//! The requests of commands are those of typed calls, byte for byte.

use chrono::{DateTime, Utc};
use dynamo_entity::plan::Explanation;
use dynamo_entity::prelude::*;
use dynamo_entity_cli::App;
use serde_json::Value as Json;

use crate::place::{Outcome, Place};
use crate::{iot_meters, orders, organisations, shop_admin, shop_directory, status_shards};

/// Two of the tables have an entity `Order`.
pub fn app() -> App {
    App::new([
        orders::Order::schema(),
        iot_meters::Measurement::schema(),
        iot_meters::MeterStatus::schema(),
        organisations::Employee::schema(),
        organisations::EmployeeOfMany::schema(),
        shop_directory::Shop::schema(),
        status_shards::Order::schema(),
    ])
}

/// Both ask for the same.
fn same(place: &Place, program: &str, command: &str, typed: Explanation) -> Outcome {
    let arguments: Vec<&str> = ["explain", "--json"]
        .into_iter()
        .chain(command.split(' '))
        .collect();
    let said = place.done(program, &arguments)?.rows()?;
    let requests: Vec<Json> = typed
        .requests
        .iter()
        .map(|request| serde_json::from_str(request))
        .collect::<Result<_, _>>()?;
    assert_eq!(said[0]["requests"], Json::Array(requests), "{command}");
    assert_eq!(said[0]["table"], typed.table.as_str(), "{command}");
    assert_eq!(said[0]["operation"].as_str(), typed.operation, "{command}");
    assert_eq!(
        said[0]["index"].as_str(),
        typed.index.as_deref(),
        "{command}"
    );
    Ok(())
}

fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

pub fn keys_are_written_as_typed(place: &Place) -> Outcome {
    let typed = |work: &dyn Fn(&Dynamo) -> Result<Explanation>| place.typed(async |db| work(db));
    let (from, to) = (time("2026-03-01T00:00:00Z"), time("2026-04-01T00:00:00Z"));
    let paid = orders::Status::Paid;
    macro_rules! same {
        ($program:literal, $command:literal, $query:expr) => {
            same(
                place,
                $program,
                concat!("query ", $command),
                typed(&|db| $query.limit(20).explain(db))?,
            )?;
        };
    }
    same!(
        "examples",
        "order/Order.of_customer a#b --placed-at 2026-03-01..2026-04-01",
        orders::Order::of_customer("a#b")
            .placed_at()
            .between(from..to)
    );
    same!(
        "examples",
        "order/Order.of_customer_by_status % --status Paid --placed-at 2026-03-01..=2026-04-01",
        orders::Order::of_customer_by_status("%")
            .status()
            .eq(paid)
            .placed_at()
            .between(from..=to)
    );
    same!(
        "examples",
        "order/Order.by_status Paid --placed-at ..2026-04-01",
        orders::Order::by_status(paid).placed_at().lt(to)
    );
    same!(
        "examples",
        "order/Order.pending --descending",
        orders::Order::pending().descending()
    );
    same!(
        "examples",
        "Measurement m#1 --at 2026-03-01T02:00:00+02:00",
        iot_meters::Measurement::in_partition("m#1").at().eq(from)
    );
    same!(
        "examples",
        "MeterStatus m1",
        iot_meters::MeterStatus::in_partition("m1")
    );
    same!(
        "examples",
        "MeterStatus.by_battery LOW --meter =a..b",
        iot_meters::MeterStatus::by_battery(iot_meters::Battery::Low)
            .meter()
            .eq("a..b")
    );
    same!(
        "examples",
        "Employee acme --number 5..",
        organisations::Employee::in_partition("acme").number().ge(5)
    );
    same!(
        "examples",
        "Employee.by_hobby chess --starts-with ac",
        organisations::Employee::by_hobby("chess")
            .company()
            .starts_with("ac")
    );
    same!(
        "examples",
        "Employee.colleagues_by_hobby acme --hobby chess",
        organisations::Employee::colleagues_by_hobby("acme")
            .hobby()
            .eq("chess")
    );
    same!(
        "examples",
        "EmployeeOfMany acme --number ..=5",
        organisations::EmployeeOfMany::in_partition("acme")
            .number()
            .le(5)
    );
    same!(
        "examples",
        "EmployeeOfMany.colleagues_by_hobby acme --starts-with c",
        organisations::EmployeeOfMany::colleagues_by_hobby("acme")
            .hobby()
            .starts_with("c")
    );
    same!(
        "examples",
        "Shop.by_place cafe --country jp --state kyoto --starts-with n",
        shop_directory::Shop::by_place("cafe")
            .country()
            .eq("jp")
            .state()
            .eq("kyoto")
            .city()
            .starts_with("n")
    );
    same!(
        "examples",
        "sharded-order/Order.by_status Paid --placed-at 2026-03-01..",
        status_shards::Order::by_status(status_shards::Status::Paid)
            .placed_at()
            .ge(from)
    );
    same!(
        "examples",
        "sharded-order/Order.by_status_plain Paid",
        status_shards::Order::by_status_plain(status_shards::Status::Paid)
    );
    same!(
        "shop",
        "Account ann",
        shop_admin::Account::in_partition("ann")
    );
    same!("shop", "User ann", shop_admin::User::in_partition("ann"));
    same!(
        "shop",
        "Order ann --number 3..9",
        shop_admin::Order::in_partition("ann")
            .number()
            .between(3..9)
    );
    same!(
        "shop",
        "Order.by_status Paid --placed-at 2026-03-01 --number 7",
        shop_admin::Order::by_status(shop_admin::Status::Paid)
            .placed_at()
            .eq(from)
            .number()
            .eq(7)
    );
    same!(
        "shop",
        "RequestCount home --day ..9",
        shop_admin::RequestCount::in_partition("home").day().lt(9)
    );
    same(
        place,
        "shop",
        "get Order ann 7",
        typed(&|db| shop_admin::Order::key("ann", 7).get().explain(db))?,
    )?;
    same(
        place,
        "examples",
        "get EmployeeOfMany acme 7 --strong",
        typed(&|db| {
            organisations::EmployeeOfMany::key("acme", 7)
                .get()
                .consistent()
                .explain(db)
        })?,
    )
}

pub fn counts_are_explained_as_typed(place: &Place) -> Outcome {
    let explain =
        |db: &Dynamo| shop_admin::Order::by_status(shop_admin::Status::Paid).explain_count(db);
    let typed = place.typed(async |db| explain(db))?;
    assert!(typed.requests[0].contains("COUNT"), "{typed:?}");
    same(place, "shop", "count Order.by_status Paid", typed)?;
    let limited = place.typed(async |db| {
        let orders = shop_admin::Order::in_partition("ann");
        orders.limit(7).explain_count(db)
    })?;
    assert!(limited.requests[0].contains("\"Limit\":7"), "{limited:?}");
    Ok(())
}

pub fn writes_are_explained_as_typed(place: &Place) -> Outcome {
    let user = shop_admin::User::key("ann");
    let delete = place.typed(async |db| user.delete().if_exists().explain(db))?;
    let arguments = ["explain", "delete", "User", "ann", "--json"];
    let mut said = place.done("shop", &arguments)?.rows()?;
    let requests: Vec<Json> = delete
        .requests
        .iter()
        .map(|request| serde_json::from_str(request))
        .collect::<Result<_, _>>()?;
    let mut requests = Json::Array(requests);
    // Each is sent by a token of its own.
    for requests in [&mut requests, &mut said[0]["requests"]] {
        assert_ne!(requests[1]["ClientRequestToken"].take(), Json::Null);
    }
    assert_eq!(said[0]["requests"], requests);
    assert!(said[0]["writeUnits"].as_f64() >= Some(2.0), "{said:?}");
    assert_eq!(said[0]["readFirst"], true);
    let said = place
        .done("shop", &["explain", "delete", "User", "ann"])?
        .out;
    for shown in [
        "GetItem, then TransactWriteItems of ",
        "The item is read first",
        " read and ",
    ] {
        assert!(said.contains(shown), "{shown}: {said}");
    }
    let order = r#"{"user": "ann", "number": 7, "status": "Paid", "placed_at": "2026-03-04T12:00:00Z", "cents": 5}"#;
    let put = place.done("shop", &["explain", "put", "Order", order])?.out;
    for shown in ["PutItem of ", "\"STATUS#Paid\"", "2 write units"] {
        assert!(put.contains(shown), "{shown}: {put}");
    }
    Ok(())
}
