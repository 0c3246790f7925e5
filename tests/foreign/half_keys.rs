//! Index keys that end before a missing attribute, as ElectroDB writes them: no write of this library removes a row of the
//! other program from its index, and each key is the one that ElectroDB would write for the new attributes.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::key::Millis;
use dynamo_entity::prelude::*;
use fastrand::Rng;

use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_row_stays_in_its_index,
    ranges_contain_values_only,
    rows_of_one_partition,
    a_text_at_the_end,
    partitions_that_end,
    every_part_may_be_missing,
];

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "tasks", verbatim, key(pk = "$app#task_{id:lower}"))]
#[dynamo(gsi(
    by_team,
    pk = "$app#team_{team:lower}",
    sk = "$task_1#status_{status:lower:ends}#due_{due:ms:lower:ends}#room_{room:04:ends}#id_{id:lower}"
))]
struct Task {
    id: String,
    team: Option<String>,
    status: Option<String>,
    #[dynamo(format = "rfc3339_ms")]
    due: Option<DateTime<Utc>>,
    room: Option<u16>,
}

/// The keys of the index, as ElectroDB makes them: none without the team, and up to the first attribute that is missing.
fn keys_of(task: &Task) -> Option<(String, String)> {
    let pk = format!("$app#team_{}", task.team.as_ref()?.to_lowercase());
    let mut sk = "$task_1#status_".to_owned();
    let due = task
        .due
        .map(|due| due.format("%Y-%m-%dt%H:%M:%S%.3fz").to_string());
    let facets = [
        (
            task.status.as_ref().map(|status| status.to_lowercase()),
            "#due_",
        ),
        (due, "#room_"),
        (task.room.map(|room| format!("{room:04}")), "#id_"),
        (Some(task.id.to_lowercase()), ""),
    ];
    for (value, label) in facets {
        let Some(value) = value else { break };
        sk.push_str(&value);
        sk.push_str(label);
    }
    Some((pk, sk))
}

/// The row as ElectroDB stores it.
fn row_of(task: &Task) -> Item {
    let due = task
        .due
        .map(|due| due.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string());
    let mut row = Item::from(raw([
        ("pk", s(&format!("$app#task_{}", task.id.to_lowercase()))),
        ("id", s(&task.id)),
    ]));
    for (name, text) in [
        ("team", &task.team),
        ("status", &task.status),
        ("due", &due),
    ] {
        if let Some(text) = text {
            row.insert(name, text.clone());
        }
    }
    if let Some(room) = task.room {
        row.insert("room", i64::from(room));
    }
    if let Some((pk, sk)) = keys_of(task) {
        row.insert("by_team_pk", pk);
        row.insert("by_team_sk", sk);
    }
    row
}

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).unwrap_or_default()
}

fn random_task(rng: &mut Rng, number: usize) -> Task {
    let mut one = |texts: &[&str]| match rng.usize(..=texts.len()) {
        0 => None,
        at => Some(texts[at - 1].to_owned()),
    };
    let (team, status) = (one(&["Red", "blue", "red"]), one(&["open", "Done", "o"]));
    let due = (rng.usize(..3) > 0).then(|| noon() + TimeDelta::milliseconds(rng.i64(0..3)));
    let room = (rng.usize(..3) > 0).then(|| rng.u16(0..12));
    Task {
        id: format!("T{number}"),
        team,
        status,
        due,
        room,
    }
}

async fn stored(db: &Db, task: &Task) -> Result<Option<Item>> {
    let key = raw([("pk", s(&format!("$app#task_{}", task.id.to_lowercase())))]);
    Item::in_table("tasks").get(Item::from(key)).send(db).await
}

/// A put, an update of each kind and a change by `modify` leave the keys that ElectroDB would write.
async fn every_row_stays_in_its_index(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let mut rng = Rng::with_seed(6);
    for number in 0..40 {
        let task = random_task(&mut rng, number);
        let row = row_of(&task);
        assert_eq!(task.to_item()?, row);
        db.plant::<Task>(row.clone()).await;
        let read = Task::key(&task.id).get().send(&db).await?.ok_or("a row")?;
        assert_eq!(read, task);
        let put = read.put().send(&db).await?;
        assert_eq!(stored(&db, &task).await?, Some(row), "put");

        let other = random_task(&mut rng, number);
        let (status, due, room, team) = (
            other.status.clone(),
            other.due,
            other.room,
            other.team.clone(),
        );
        let changed = match number % 3 {
            0 => {
                let due = due.map_or_else(|| None, Some);
                put.update()
                    .apply(|t| (t.due().set_or_remove(due), t.room().set_or_remove(room)))
                    .send(&db)
                    .await?
            }
            1 => {
                put.update()
                    .apply(|t| {
                        (
                            t.status().set_or_remove(status),
                            t.team().set_or_remove(team),
                        )
                    })
                    .send(&db)
                    .await?
            }
            _ => {
                let change = move |task: &mut Task| {
                    *task = Task {
                        id: task.id.clone(),
                        ..other.clone()
                    }
                };
                Task::key(&task.id).modify(change).send(&db).await?
            }
        };
        assert_eq!(
            stored(&db, &changed).await?,
            Some(row_of(&changed)),
            "{task:?} to {changed:?}"
        );
    }
    Ok(())
}

/// A range and `starts_with` of a part contain no rows whose key ends before it.
async fn ranges_contain_values_only(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let mut rng = Rng::with_seed(8);
    let mut model = Vec::new();
    for number in 0..60 {
        let team = Some("red".to_owned());
        let task = Task {
            team,
            ..random_task(&mut rng, number)
        };
        db.plant::<Task>(row_of(&task)).await;
        model.push(task);
    }
    let ids = |rows: Vec<Task>| {
        rows.into_iter()
            .map(|task| task.id)
            .collect::<BTreeSet<_>>()
    };
    let wanted = |holds: &dyn Fn(&Task) -> bool| -> BTreeSet<String> {
        model
            .iter()
            .filter(|task| holds(task))
            .map(|task| task.id.clone())
            .collect()
    };
    let team = || Task::by_team("RED");
    assert_eq!(ids(team().all(&db).await?), wanted(&|_| true));
    let statuses = ["open", "done", "o"];
    for status in statuses {
        let has = |task: &Task| {
            task.status
                .as_ref()
                .is_some_and(|own| own.to_lowercase() == status)
        };
        let of = || team().status().eq(status);
        assert_eq!(ids(of().all(&db).await?), wanted(&has), "{status}");
        let begins = |task: &Task| {
            task.status
                .as_ref()
                .is_some_and(|own| own.to_lowercase().starts_with(status))
        };
        assert_eq!(
            ids(team().status().starts_with(status).all(&db).await?),
            wanted(&begins)
        );
        for millis in -1..4 {
            let at = noon() + TimeDelta::milliseconds(millis);
            let bound = Millis::floor(at).ok_or("in range")?;
            let due = |test: fn(&DateTime<Utc>, &DateTime<Utc>) -> bool| {
                wanted(&|task: &Task| has(task) && task.due.is_some_and(|due| test(&due, &at)))
            };
            assert_eq!(
                ids(of().due().lt(bound).all(&db).await?),
                due(DateTime::lt),
                "lt {millis}"
            );
            assert_eq!(
                ids(of().due().le(bound).all(&db).await?),
                due(DateTime::le),
                "le {millis}"
            );
            assert_eq!(
                ids(of().due().gt(bound).all(&db).await?),
                due(DateTime::gt),
                "gt {millis}"
            );
            assert_eq!(
                ids(of().due().ge(bound).all(&db).await?),
                due(DateTime::ge),
                "ge {millis}"
            );
            let rooms = of().due().eq(bound).room();
            let room = wanted(&|task| {
                has(task) && task.due == Some(at) && task.room.is_some_and(|room| room < 6)
            });
            assert_eq!(ids(rooms.lt(6u16).all(&db).await?), room, "{millis}");
        }
    }
    // Descending pages resume among rows whose keys are equal.
    let mut found = BTreeSet::new();
    let mut page = team().descending().limit(7).page(&db).await?;
    loop {
        found.extend(page.rows.into_iter().map(|task| task.id));
        let Some(next) = page.next else { break };
        page = team().descending().resume(next).limit(7).page(&db).await?;
    }
    assert_eq!(found, wanted(&|_| true));
    Ok(())
}

/// The other program finds all rows by the beginning of its keys after they were written here.
async fn rows_of_one_partition(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let mut rng = Rng::with_seed(3);
    let mut model = Vec::new();
    for number in 0..30 {
        let task = random_task(&mut rng, number).create().send(&db).await?;
        model.push(task);
    }
    for (team, begins) in [
        ("red", "$task_1#status_"),
        ("red", "$task_1#status_open#due_"),
        ("blue", "$task_1#status_o"),
    ] {
        let found = db
            .client()
            .query()
            .table_name(db.table::<<Task as DynamoEntity>::Table>())
            .index_name("by_team")
            .key_condition_expression("by_team_pk = :pk AND begins_with(by_team_sk, :sk)")
            .expression_attribute_values(":pk", AttributeValue::S(format!("$app#team_{team}")))
            .expression_attribute_values(":sk", AttributeValue::S(begins.to_owned()))
            .send()
            .await?;
        let wanted = model.iter().filter_map(keys_of);
        let wanted =
            wanted.filter(|(pk, sk)| *pk == format!("$app#team_{team}") && sk.starts_with(begins));
        assert_eq!(
            usize::try_from(found.count())?,
            wanted.count(),
            "{team} {begins}"
        );
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "notes", verbatim, key(pk = "{id}"))]
#[dynamo(gsi(by_room, pk = "R#{room}", sk = "NOTE#{text:ends}"))]
struct Note {
    id: u32,
    room: u32,
    text: Option<String>,
}

/// A range of a text at the end contains values only, too, and an update by key moves a row between both kinds of keys.
async fn a_text_at_the_end(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    let texts = [None, Some("!"), Some("a"), Some("a#b"), Some("b"), None];
    for (id, text) in (0..).zip(texts) {
        let text = text.map(str::to_owned);
        Note { id, room: 1, text }.create().send(&db).await?;
    }
    let notes = || Note::by_room(1u32).text();
    let ids = |rows: Vec<Note>| rows.into_iter().map(|note| note.id).collect::<Vec<_>>();
    assert_eq!(ids(notes().lt("b").all(&db).await?), [1, 2, 3]);
    assert_eq!(ids(notes().le("a").all(&db).await?), [1, 2]);
    assert_eq!(ids(notes().lt("b").descending().all(&db).await?), [3, 2, 1]);
    assert_eq!(ids(notes().lt("b").limit(1).page(&db).await?.rows), [1]);
    assert_eq!(ids(notes().ge("a").all(&db).await?), [2, 3, 4]);
    assert_eq!(ids(notes().ge("").all(&db).await?), [1, 2, 3, 4]);
    assert_eq!(ids(notes().between(""..="a").all(&db).await?), [1, 2]);
    assert_eq!(ids(notes().starts_with("").all(&db).await?), [1, 2, 3, 4]);
    assert_eq!(Note::by_room(1u32).count(&db).await?, 6);
    let unknown = Note::key(0)
        .update()
        .apply(|n| n.text().set("c"))
        .send(&db)
        .await;
    // Only the sort key contains the text, so nothing else must be known.
    assert_eq!(unknown?.text.as_deref(), Some("c"));
    Note::key(1)
        .update()
        .apply(|n| n.text().remove())
        .send(&db)
        .await?;
    assert_eq!(ids(notes().lt("b").all(&db).await?), [2, 3]);
    assert_eq!(ids(notes().ge("c").all(&db).await?), [0]);
    assert_eq!(Note::by_room(1u32).count(&db).await?, 6);
    let without = Note::by_room(1u32).filter(|n| n.text().is_none());
    assert_eq!(
        ids(without.all(&db).await?)
            .into_iter()
            .collect::<BTreeSet<_>>(),
        BTreeSet::from([1, 5])
    );
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "seats", verbatim, key(pk = "{id}"))]
#[dynamo(gsi(
    by_owner,
    pk = "$app#owner_{owner:lower:ends}",
    sk = "$seat_1#row_{row}#id_{id}"
))]
struct Seat {
    id: u32,
    owner: Option<String>,
    row: Option<u32>,
}

/// ElectroDB ends the partition key if its attributes are missing, but writes no keys without those of the sort key.
async fn partitions_that_end(db: Db) -> Outcome {
    db.create_tables([Seat::schema()]).await?;
    for (id, owner, row) in [
        (1, Some("Ann"), Some(4)),
        (2, None, Some(4)),
        (3, Some("ann"), None),
        (4, None, None),
    ] {
        let owner = owner.map(str::to_owned);
        let mut stored = Item::from(raw([
            ("pk", s(&id.to_string())),
            ("id", crate::support::db::n(id)),
        ]));
        if let Some(owner) = &owner {
            stored.insert("owner", owner.clone());
        }
        if let Some(row) = row {
            stored.insert("row", row);
            let owner = owner.as_deref().unwrap_or_default().to_lowercase();
            stored.insert("by_owner_pk", format!("$app#owner_{owner}"));
            stored.insert("by_owner_sk", format!("$seat_1#row_{row}#id_{id}"));
        }
        db.plant::<Seat>(stored.clone()).await;
        let seat = Seat::key(u32::try_from(id)?)
            .get()
            .send(&db)
            .await?
            .ok_or("a row")?;
        assert_eq!(seat.put().send(&db).await?.to_item()?, stored);
    }
    assert_eq!(Seat::by_owner("ANN").count(&db).await?, 1);
    let row = Seat::key(2)
        .modify(|seat| seat.owner = Some("Ann".to_owned()))
        .send(&db)
        .await?;
    assert_eq!(Seat::by_owner("ANN").row().eq(4u32).count(&db).await?, 2);
    row.update()
        .apply(|seat| seat.owner().remove())
        .send(&db)
        .await?;
    let found = db
        .client()
        .query()
        .table_name(db.table::<<Seat as DynamoEntity>::Table>())
        .index_name("by_owner")
        .key_condition_expression("by_owner_pk = :pk")
        .expression_attribute_values(":pk", AttributeValue::S("$app#owner_".to_owned()))
        .send()
        .await?;
    assert_eq!(found.count(), 1);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "links", verbatim, key(pk = "{id}"))]
#[dynamo(gsi(
    by_pair,
    pk = "$app#left_{left:lower:ends}",
    sk = "$link_1#right_{right:lower:ends}"
))]
#[dynamo(gsi(by_right, pk = "$app", sk = "$right_1#right_{right:lower:ends}"))]
struct Link {
    id: u32,
    left: Option<String>,
    right: Option<String>,
}

/// The row as a put of ElectroDB stores it: with the keys of an index if one of its attributes is there.
fn link_row(link: &Link) -> Item {
    let lower = |text: &Option<String>| text.as_deref().unwrap_or_default().to_lowercase();
    let mut row = Item::from(raw([
        ("pk", s(&link.id.to_string())),
        ("id", crate::support::db::n(i64::from(link.id))),
    ]));
    for (name, text) in [("left", &link.left), ("right", &link.right)] {
        if let Some(text) = text {
            row.insert(name, text.clone());
        }
    }
    let right = lower(&link.right);
    if link.left.is_some() || link.right.is_some() {
        row.insert("by_pair_pk", format!("$app#left_{}", lower(&link.left)));
        row.insert("by_pair_sk", format!("$link_1#right_{right}"));
    }
    if link.right.is_some() {
        row.insert("by_right_pk", "$app");
        row.insert("by_right_sk", format!("$right_1#right_{right}"));
    }
    row
}

/// If all attributes of an index may be missing, an item without all of them is not in it. An update that cannot know
/// whether another one is there is rejected, and changes nothing.
async fn every_part_may_be_missing(db: Db) -> Outcome {
    db.create_tables([Link::schema()]).await?;
    let mut rng = Rng::with_seed(11);
    let texts = [None, Some("Ann"), Some("bob"), Some("")];
    let text = |rng: &mut Rng| texts[rng.usize(..texts.len())].map(str::to_owned);
    for round in 0..90 {
        let (id, left, right) = (round / 6, text(&mut rng), text(&mut rng));
        let new = Link { id, left, right };
        if round % 6 == 0 {
            db.plant::<Link>(link_row(&new)).await;
            assert_eq!(new.to_item()?, link_row(&new));
            continue;
        }
        let old = Link::key(id).get().send(&db).await?.ok_or("a row")?;
        let (left, right) = (new.left.clone(), new.right.clone());
        let changed = match round % 6 {
            1 => new.put().send(&db).await?,
            2 => {
                let both = Link::key(id).update().apply(|link| {
                    (
                        link.left().set_or_remove(left),
                        link.right().set_or_remove(right),
                    )
                });
                both.send(&db).await?
            }
            3 => {
                let unknown = Link::key(id)
                    .update()
                    .apply(|link| link.left().set_or_remove(left));
                let error = unknown.send(&db).await.expect_err("`right` is unknown");
                assert_eq!(error.kind(), ErrorKind::InvalidKey);
                assert!(error.to_string().contains("`right`"), "{error}");
                old.clone()
            }
            4 => {
                let right = old.right.clone();
                let known = Link::key(id)
                    .update()
                    .apply(|link| link.left().set_or_remove(left))
                    .when(|link| match right {
                        Some(right) => link.right().eq(right),
                        None => link.right().missing(),
                    });
                known.send(&db).await?
            }
            _ => {
                let loaded = old.update().apply(|link| link.right().set_or_remove(right));
                loaded.send(&db).await?
            }
        };
        let key = raw([("pk", s(&id.to_string()))]);
        let stored = Item::in_table("links")
            .get(Item::from(key))
            .send(&db)
            .await?;
        assert_eq!(
            stored,
            Some(link_row(&changed)),
            "{round}: {old:?} to {changed:?}"
        );
    }
    let rows: Vec<Link> = Link::scan().all(&db).await?;
    for name in ["ann", "bob"] {
        let has = |text: &Option<String>| {
            text.as_deref()
                .is_some_and(|own| own.to_lowercase() == name)
        };
        let left = rows.iter().filter(|link| has(&link.left)).count();
        assert_eq!(
            usize::try_from(Link::by_pair(name).count(&db).await?)?,
            left
        );
        let right = rows.iter().filter(|link| has(&link.right)).count();
        assert_eq!(
            usize::try_from(Link::by_right().right().eq(name).count(&db).await?)?,
            right
        );
    }
    Ok(())
}
