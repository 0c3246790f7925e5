//! Backfills by `fill`, and the counts of `check --filled`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use dynamo_entity::prelude::*;
use dynamo_entity_cli::App;
use serde_json::{Value as Json, json};

use crate::place::{Outcome, Place};

/// The declaration that is deployed.
mod before {
    use dynamo_entity::prelude::*;

    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "ORDER#{id}"))]
    pub struct Order {
        pub id: u32,
        pub region: String,
        pub code: String,
        pub sum: u32,
    }
}

/// The next one.
#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{id}"))]
#[dynamo(gsi(by_region, pk = "REGION#{region}", sk = "{id}", filling))]
#[dynamo(unique(by_code, code, filling))]
pub struct Order {
    pub id: u32,
    pub region: String,
    pub code: String,
    #[dynamo(was = "sum")]
    pub total: u32,
    #[dynamo(default = 3)]
    pub priority: u8,
}

/// An entity of many rows, without unique values.
mod many {
    use dynamo_entity::prelude::*;

    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "points", key(pk = id))]
    pub struct Before {
        pub id: u32,
        pub region: String,
    }

    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "points", key(pk = id))]
    #[dynamo(gsi(by_region, pk = "REGION#{region}", sk = "{id}", filling))]
    pub struct Point {
        pub id: u32,
        pub region: String,
    }
}

/// An entity of which nothing is derived.
#[derive(Debug, DynamoEntity)]
#[dynamo(table = "plain", key(pk = id))]
#[allow(dead_code)]
pub struct Plain {
    id: u32,
    text: String,
}

pub fn app() -> App {
    App::new([
        Order::schema(),
        many::Point::schema(),
        Plain::schema(),
        Unwritten::schema(),
    ])
    .writes::<Order>()
    .writes::<many::Point>()
    .writes::<Plain>()
}

/// An entity that the program may not write.
#[derive(Debug, DynamoEntity)]
#[dynamo(table = "unwritten", key(pk = "U#{id}"))]
#[allow(dead_code)]
pub struct Unwritten {
    id: u32,
}

fn orders(place: &Place, count: u32) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Order::schema(), many::Point::schema(), Plain::schema()])
            .await?;
        for id in 0..count {
            let (region, code, sum) = ("EU".to_owned(), format!("c{id}"), id);
            let order = before::Order {
                id,
                region,
                code,
                sum,
            };
            order.put().send(db).await?;
        }
        Ok(())
    })
}

pub fn old_rows_are_filled_and_counted(place: &Place) -> Outcome {
    orders(place, 6)?;
    let check = place.run("fill", &["check", "--filled"])?;
    assert_eq!(check.code, 2, "{check:?}");
    let pending = "by_region is filling, by_code is filling, total was sum";
    assert_eq!(
        check.out,
        format!(
            "Order ({pending}): 6 rows are unfilled: run `fill Order`\n\
             Point (by_region is filling): filled\n"
        )
    );
    // Nothing was written.
    assert_eq!(place.run("fill", &["check", "--filled"])?, check);
    let filled = place.done("fill", &["fill", "Order", "--segments", "3"])?;
    assert_eq!(
        (filled.out.as_str(), filled.notes.as_str()),
        ("", "6 rows: 6 written, 0 unchanged, 0 gone, 0 failed\n")
    );
    let check = place.done("fill", &["check", "--filled", "Order", "--json"])?;
    let pending: Vec<&str> = pending.split(", ").collect();
    let expected = json!({"entity": "Order", "unfilled": 0, "pending": pending});
    assert_eq!(check.rows()?, [expected]);
    let again = place.done("fill", &["fill", "Order", "--json"])?;
    // The items that keep codes are rows too.
    let expected = json!({"entity": "Order", "found": 12, "written": 0, "unchanged": 12, "gone": 0, "failed": 0});
    assert_eq!(again.rows()?, [expected]);
    place.typed(async |db| {
        let order = Order::key(2).get().send(db).await?;
        assert_eq!(
            order.map(|order| (order.total, order.priority)),
            Some((2, 3))
        );
        Ok(())
    })
}

pub fn a_row_that_cannot_be_filled_is_told(place: &Place) -> Outcome {
    orders(place, 3)?;
    place.typed(async |db| {
        let twin = before::Order {
            id: 9,
            region: "EU".into(),
            code: "c1".into(),
            sum: 0,
        };
        twin.put().send(db).await?;
        Ok(())
    })?;
    let said = place.run("fill", &["fill", "Order", "--json"])?;
    assert_eq!(said.code, 1, "{said:?}");
    let rows = said.rows()?;
    assert_eq!(
        (&rows[0]["written"], &rows[0]["failed"]),
        (&json!(3), &json!(1))
    );
    assert!(said.notes.contains("{\"pk\":\"ORDER#000000000"), "{said:?}");
    assert!(
        said.notes
            .contains("1 row was not filled: remove the cause, and run `fill` again"),
        "{said:?}"
    );
    Ok(())
}

pub fn an_entity_without_derived_parts_has_nothing_to_fill(place: &Place) -> Outcome {
    let said = place.done("fill", &["fill", "Plain"])?;
    assert!(said.notes.starts_with("nothing to fill: "), "{said:?}");
    place.refused(
        "fill",
        &["fill", "Unwritten"],
        &["add `.writes::<Unwritten>()` to its `App`"],
    )?;
    place.refused("fill", &["fill", "Nothing"], &["possible values"])?;
    place.refused("fill", &["check", "Order"], &["--filled"])?;
    place.refused(
        "fill",
        &["check", "--filled", "--write"],
        &["cannot be used with"],
    )?;
    let said = place.done("shop", &["check", "--filled"])?;
    assert!(said.notes.starts_with("nothing to fill: "), "{said:?}");
    Ok(())
}

/// Declarations without a template or a default: an expiry and a shape.
mod derived {
    use dynamo_entity::Timestamp;
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "sessions", key(pk = id))]
    pub struct OldSession {
        pub id: u32,
        #[dynamo(created_at)]
        pub created_at: Option<Timestamp>,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = "sessions", key(pk = id))]
    #[allow(dead_code)]
    pub struct Session {
        pub id: u32,
        #[dynamo(created_at)]
        pub created_at: Option<Timestamp>,
        #[dynamo(ttl = created_at + "90d")]
        pub expires_at: Option<Timestamp>,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = "people", key(pk = id))]
    pub struct OldPerson {
        pub id: u32,
        pub name: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = "people", key(pk = id))]
    #[dynamo(shape = 2, was(OldPerson), into(OldPerson))]
    pub struct Person {
        pub id: u32,
        pub names: Vec<String>,
    }

    impl From<OldPerson> for Person {
        fn from(old: OldPerson) -> Self {
            let names = old.name.split(' ').map(str::to_owned).collect();
            Self { id: old.id, names }
        }
    }

    impl From<&Person> for OldPerson {
        fn from(new: &Person) -> Self {
            let name = new.names.join(" ");
            Self { id: new.id, name }
        }
    }
}

pub fn shapes() -> App {
    App::new([derived::Session::schema(), derived::Person::schema()])
        .writes::<derived::Session>()
        .writes::<derived::Person>()
}

pub fn an_expiry_and_a_shape_are_filled(place: &Place) -> Outcome {
    use derived::{OldPerson, OldSession, Person, Session};

    place.typed(async |db| {
        db.create_tables([Session::schema(), Person::schema()])
            .await?;
        let created_at = None;
        OldSession { id: 1, created_at }.create().send(db).await?;
        let name = "Ann Lee".to_owned();
        OldPerson { id: 1, name }.put().send(db).await?;
        Ok(())
    })?;
    // An expiry is declared for good, so it is checked only by name.
    let check = place.run("shapes", &["check", "--filled"])?;
    let expected = "Person (shape 2 was OldPerson): 1 row is unfilled: run `fill Person`\n";
    assert_eq!((check.code, check.out.as_str()), (2, expected));
    for entity in ["Session", "Person"] {
        let check = ["check", "--filled", entity];
        assert_eq!(place.run("shapes", &check)?.code, 2);
        let filled = place.done("shapes", &["fill", entity])?;
        let expected = "1 rows: 1 written, 0 unchanged, 0 gone, 0 failed\n";
        assert_eq!(filled.notes, expected);
        place.done("shapes", &check)?;
    }
    Ok(())
}

mod renamed {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "parcels", key(pk = id))]
    pub struct Parcel {
        pub id: u32,
        #[dynamo(was("note", keep))]
        pub remark: Option<String>,
    }
}

pub fn renamed() -> App {
    App::new([renamed::Parcel::schema()]).writes::<renamed::Parcel>()
}

pub fn a_value_under_either_name_is_put(place: &Place) -> Outcome {
    use renamed::Parcel;

    place.typed(async |db| db.create_tables([Parcel::schema()]).await.map(drop))?;
    let remark = |place: &Place| {
        let read = place.typed(async |db| Parcel::key(1).get().consistent().send(db).await)?;
        Outcome::Ok(read.and_then(|parcel| parcel.remark))
    };
    for (given, expected) in [
        (r#"{"id": 1, "remark": "new"}"#, "new"),
        (r#"{"id": 1, "note": "former"}"#, "former"),
        (r#"{"id": 1, "note": "both", "remark": "both"}"#, "both"),
    ] {
        place.done("renamed", &["put", "Parcel", given])?;
        assert_eq!(remark(place)?.as_deref(), Some(expected));
    }
    // As somebody edits it: one of both names is changed.
    let edited = r#"{"id": 1, "note": "both", "remark": "edited"}"#;
    let words = ["remark", "former name `note`", "different values"];
    place.refused("renamed", &["put", "Parcel", edited], &words)?;
    assert_eq!(remark(place)?.as_deref(), Some("both"));
    Ok(())
}

pub fn the_shape_of_an_item_is_given(place: &Place) -> Outcome {
    use derived::Person;

    place.typed(async |db| db.create_tables([Person::schema()]).await.map(drop))?;
    // It could be an item of the first shape.
    let put = |item| ["put", "Person", item];
    let words = [r#"add `"_shape": 2`"#];
    place.refused("shapes", &put(r#"{"id": 1, "names": ["Ann"]}"#), &words)?;
    place.done(
        "shapes",
        &put(r#"{"id": 1, "names": ["Ann"], "_shape": 2}"#),
    )?;
    let read = place.typed(async |db| Person::key(1).get().consistent().send(db).await)?;
    assert_eq!(read.ok_or("an item")?.names, ["Ann"]);
    Ok(())
}

/// The three declarations of a new index, as programs with a journal.
mod journalled {
    macro_rules! step {
        ($name:ident $(, $option:meta)?) => {
            pub mod $name {
                use dynamo_entity::prelude::*;

                #[derive(DynamoEntity)]
                #[dynamo(table = "parcels", key(pk = id))]
                $(#[$option])?
                #[allow(dead_code)]
                pub struct Parcel {
                    pub id: u32,
                    pub region: String,
                }
            }
        };
    }

    step!(old);
    step!(
        filling,
        dynamo(gsi(by_region, pk = "REGION#{region}", sk = "{id}", filling))
    );
    step!(
        new,
        dynamo(gsi(by_region, pk = "REGION#{region}", sk = "{id}"))
    );
}

pub fn filling_parcels() -> App {
    let app = App::new([journalled::filling::Parcel::schema()]);
    app.writes::<journalled::filling::Parcel>().journal()
}

pub fn new_parcels() -> App {
    let app = App::new([journalled::new::Parcel::schema()]);
    app.writes::<journalled::new::Parcel>().journal()
}

pub fn deployments_are_remembered(place: &Place) -> Outcome {
    use journalled::{filling, new, old};

    let lock = place.file("dynamo.lock", "")?;
    dynamo_entity::lock::write(&lock, [filling::Parcel::schema()])?;
    place.typed(async |db| {
        db.create_tables([filling::Parcel::schema()]).await?;
        db.journal([old::Parcel::schema()])?.create_table().await
    })?;
    let start = |schema| place.typed(async |db| db.journal([schema])?.started().await);
    let check = |code: i32, words: &str| -> Outcome {
        let said = place.run("new-parcels", &["check", "--deployed", &lock])?;
        let all = said.out.clone() + &said.notes;
        assert_eq!(said.code, code, "{said:?}");
        assert!(all.contains(words), "{said:?}");
        Ok(())
    };
    start(old::Parcel::schema())?;
    check(2, "no program of the step before has started")?;
    start(filling::Parcel::schema())?;
    check(
        2,
        "Parcel.by_region (table parcels): no fill by the step before",
    )?;
    // An older program before the fill does no harm, and one after it does.
    start(old::Parcel::schema())?;
    let fill = ["fill", "Parcel"];
    place.done("filling-parcels", &fill)?;
    check(0, "the step before is deployed")?;
    start(filling::Parcel::schema())?;
    check(0, "the step before is deployed")?;
    start(old::Parcel::schema())?;
    check(
        2,
        "a program of an older declaration has started after the fill",
    )?;
    place.done("filling-parcels", &fill)?;
    check(0, "the step before is deployed")?;
    // The next step is not older, and a fill by it is none of the step before.
    start(new::Parcel::schema())?;
    check(0, "the step before is deployed")?;
    place.refused(
        "fill",
        &["check", "--deployed", &lock],
        &["add `.journal()` to its `App`"],
    )
}

/// Kills a fill again and again, and resumes it. `FILL_ROWS=1000000` takes more rows than 1,500, and `FILL_KILL_AFTER=9000`
/// sets the milliseconds after which the first run is killed.
pub fn a_killed_fill_is_resumed(place: &Place) -> Outcome {
    let rows = std::env::var("FILL_ROWS").ok();
    let rows: u32 = rows.map_or(Ok(1500), |rows| rows.parse())?;
    let first_kill = std::env::var("FILL_KILL_AFTER").ok();
    let first_kill: Option<u64> = first_kill.map(|after| after.parse()).transpose()?;
    place.typed(async |db| {
        db.create_tables([many::Point::schema()]).await?;
        let numbers: Vec<u32> = (0..rows).collect();
        for numbers in numbers.chunks(5000) {
            // Every third row has its keys.
            let (right, wrong): (Vec<&u32>, Vec<&u32>) =
                numbers.iter().partition(|id| *id % 3 == 0);
            let region = |id: u32| format!("R{}", id % 7);
            let right = right.into_iter().map(|&id| many::Point {
                id,
                region: region(id),
            });
            let wrong = wrong.into_iter().map(|&id| many::Before {
                id,
                region: region(id),
            });
            let right: Vec<_> = right.collect();
            let wrong: Vec<_> = wrong.collect();
            let batch = Batch::new().with_all(right.iter().map(|point| point.put()));
            let batch = batch.with_all(wrong.iter().map(|point| point.put()));
            batch.send(db).await?.complete()?;
        }
        Ok(())
    })?;
    let before = stored(place)?;
    let differing = unfilled(place)?;
    assert_eq!(differing, u64::from(rows - rows.div_ceil(3)));
    let checkpoint = place.file("unused", "")?.replace("unused", "checkpoint");
    // So that it takes about three seconds, and can be killed in each.
    let rate = (rows / 4).to_string();
    let fill = [
        "fill",
        "Point",
        "--json",
        "--rate",
        &rate,
        "--checkpoint",
        &checkpoint,
    ];
    let (mut kills, mut left, began) = (0, differing, Instant::now());
    let report = loop {
        let mut child = place
            .command("fill", &fill)?
            .stdout(std::process::Stdio::piped())
            .spawn()?;
        // A large file takes longer to open.
        let after = first_kill.unwrap_or(700 + u64::from(rows / 12)) + 150 * kills;
        let ends = Instant::now() + Duration::from_millis(after);
        let ended = loop {
            if let Some(ended) = child.try_wait()? {
                break Some(ended);
            }
            if kills < 3 && Instant::now() > ends {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        if ended.is_some() {
            break crate::place::said(child.wait_with_output()?)?;
        }
        kills += 1;
        let now = unfilled(place)?;
        assert!(now <= left, "a killed run has spoiled rows: {left}, {now}");
        left = now;
    };
    assert_eq!(report.code, 0, "{report:?}");
    assert!(
        kills > 0 && left < differing,
        "a kill has to come in between"
    );
    let report = &report.rows()?[0];
    // The rows of the runs before are not read again, but for those since the last save.
    let number = |name: &str| report[name].as_u64().ok_or("a number");
    let (found, written, unchanged) = (number("found")?, number("written")?, number("unchanged")?);
    assert_eq!(
        (found, written + unchanged),
        (u64::from(rows), u64::from(rows))
    );
    assert!(written <= differing, "{report}");
    let resumed_again = differing - written;
    let after = stored(place)?;
    let mut changed = 0;
    for (id, row) in &before {
        let now = after.get(id).ok_or("every row remains")?;
        let number: u32 = id.parse()?;
        if number.is_multiple_of(3) {
            assert_eq!(now, row, "a row that is right is not written");
            continue;
        }
        changed += u64::from(now != row);
        assert_eq!(
            now["by_region_pk"],
            json!(format!("REGION#R{}", number % 7))
        );
    }
    assert_eq!((before.len(), changed), (after.len(), differing));
    assert_eq!(unfilled(place)?, 0);
    eprintln!(
        "{rows} rows, {differing} differed, {changed} changed, {kills} kills, {} s; {resumed_again} were written after the last save before a kill",
        began.elapsed().as_secs()
    );
    Ok(())
}

fn unfilled(place: &Place) -> Outcome<u64> {
    let said = place.run("fill", &["check", "--filled", "Point", "--json"])?;
    let rows = said.rows()?;
    let left = rows.first().and_then(|row| row["unfilled"].as_u64());
    Ok(left.ok_or_else(|| format!("{said:?}"))?)
}

/// All items, by their keys.
fn stored(place: &Place) -> Outcome<BTreeMap<String, Json>> {
    place.typed(async |db| {
        let items = many::Point::schema()
            .scan_items()?
            .consistent()
            .all(db)
            .await?;
        let rows = items.iter().map(|item| {
            let row = serde_json::to_value(item).unwrap_or_default();
            (row["id"].to_string(), row)
        });
        Ok(rows.collect())
    })
}
