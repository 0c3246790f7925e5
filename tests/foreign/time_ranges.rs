//! Ranges of a time before other parts of a key, over the rows of other programs. A range returns exactly the rows whose
//! time is in it, whatever follows the time, including rows that end with it.

use std::collections::BTreeSet;
use std::ops::Bound;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::key::{JavaScriptTime, Millis, PynamoTime, PythonTime, Rfc3339Seconds, Seconds};
use dynamo_entity::prelude::*;
use dynamo_entity::query::{InGlobalIndex, Query};
use fastrand::Rng;

use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    electrodb,
    electrodb_in_seconds,
    above_digits,
    below_all_letters,
    java_script,
    go,
    python,
    pynamodb,
    the_index_of_a_status,
    entries_of_an_index_without_the_time,
    other_spellings_in_an_index,
    pages_of_a_range,
    among_rows_of_another_type,
];

/// The rows of a time, and those that end early: the last part is empty, or the key ends with the time.
const IDS: [&str; 4] = ["!", "#x", "Zoë", "\u{10ffff}"];
const ENDS: [&str; 2] = ["with an empty part", "without the part"];

/// A row that the model expects: its time, and its identifier or the reason why it cannot be read.
type Seen = BTreeSet<(DateTime<Utc>, String)>;

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap_or_default()
}

/// The least and the greatest times, and neighbours of one time that are this far from each other.
fn times(unit: TimeDelta) -> Vec<DateTime<Utc>> {
    let base = time("2026-03-01T12:00:00Z");
    let mut times: Vec<_> = (-3..=3).map(|units| base + unit * units).collect();
    times.push(time("0001-01-01T00:00:00Z"));
    times.push(time("9999-12-31T23:59:59Z"));
    times.push(time("2026-03-02T00:00:00Z"));
    times
}

/// Compares each kind of range with the model. `$sep` is the text between the time and the last part.
macro_rules! time_ranges {
    ($test:ident: [$($style:tt)+] $sk:literal, $front:literal, $sep:literal, $field:ty = $of:expr, $part:expr, $key:literal, $attribute:literal, $unit:expr) => {
        async fn $test(db: Db) -> Outcome {
            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "times", $($style)+, key(pk = "team", sk = $sk))]
            struct Row {
                at: $field,
                id: String,
            }

            db.create_tables([Row::schema()]).await?;
            let of: fn(DateTime<Utc>) -> Option<$field> = $of;
            let part: fn(DateTime<Utc>) -> Option<_> = $part;
            let times = times($unit);
            let mut model = Seen::new();
            for at in &times {
                let written = at.format($key).to_string();
                let attribute = at.format($attribute).to_string();
                let front = format!(concat!($front, "{}"), written);
                let whole = IDS.map(|id| (id, format!("{front}{}{id}", $sep)));
                let cut = [(ENDS[0], format!("{front}{}", $sep)), (ENDS[1], front)];
                for (id, sk) in whole.into_iter().chain(cut) {
                    let row = raw([("pk", s("team")), ("sk", s(&sk)), ("at", s(&attribute)), ("id", s(id))]);
                    db.plant::<Row>(row).await;
                    model.insert((*at, id.to_owned()));
                }
            }
            // A key that ends before the time has none, so it is in no range.
            if !$front.is_empty() {
                let row = raw([("pk", s("team")), ("sk", s($front)), ("id", s("without a time"))]);
                db.plant::<Row>(row).await;
            }
            // They are read and written as they are.
            let one = Row::key(part(times[0]).ok_or("in range")?, "Zoë").get().send(&db).await?.ok_or("a row")?;
            assert_eq!(Some(one.at), of(times[0]));
            let count = db.count::<<Row as DynamoEntity>::Table>().await;
            one.put().send(&db).await?;
            assert_eq!(db.count::<<Row as DynamoEntity>::Table>().await, count);

            let stage = || Row::in_partition().at();
            let mut rng = Rng::with_seed(7);
            for _ in 0..10 {
                let (low, high) = (times[rng.usize(..times.len())], times[rng.usize(..times.len())]);
                let (a, b) = (part(low).ok_or("in range")?, part(high).ok_or("in range")?);
                let unread = Bound::Unbounded;
                for (asked, query, ends) in [
                    ("lt", stage().lt(b), (unread, Bound::Excluded(high))),
                    ("le", stage().le(b), (unread, Bound::Included(high))),
                    ("gt", stage().gt(a), (Bound::Excluded(low), unread)),
                    ("ge", stage().ge(a), (Bound::Included(low), unread)),
                    ("a..b", stage().between(a..b), (Bound::Included(low), Bound::Excluded(high))),
                    ("a..=b", stage().between(a..=b), (Bound::Included(low), Bound::Included(high))),
                    ("a>..b", stage().between((Bound::Excluded(a), Bound::Excluded(b))), (Bound::Excluded(low), Bound::Excluded(high))),
                ] {
                    let rows = query.clone().lenient().all(&db).await?;
                    let back = query.descending().lenient().all(&db).await?;
                    assert!(back.iter().rev().flatten().eq(rows.iter().flatten()), "{asked} {low} {high}");
                    assert_eq!(back.len(), rows.len(), "{asked} {low} {high}");
                    let found: Seen = rows.iter().flatten().map(|row| {
                        let at = times.iter().find(|at| of(**at) == Some(row.at));
                        (at.copied().unwrap_or_default(), row.id.clone())
                    }).collect();
                    let within = |at: &DateTime<Utc>| std::ops::RangeBounds::<DateTime<Utc>>::contains(&ends, at);
                    let wanted = || model.iter().filter(|(at, _)| within(at));
                    let is_cut = |id: &str| ENDS.contains(&id);
                    let whole: Seen = wanted().filter(|(_, id)| !is_cut(id)).cloned().collect();
                    assert_eq!(found, whole, "{asked} {low} {high}");
                    let refused = rows.iter().filter(|row| row.is_err()).count();
                    let cut = wanted().filter(|(_, id)| is_cut(id)).count();
                    assert_eq!(refused, cut, "{asked} {low} {high}");
                }
            }
            Ok(())
        }
    };
}

time_ranges!(electrodb: [verbatim] "$task_1#status_open#createdat_{at:ms:lower}#id_{id}", "$task_1#status_open#createdat_", "#id_",
    DateTime<Utc> = Some, Millis::floor, "%Y-%m-%dt%H:%M:%S%.3fz", "%Y-%m-%dT%H:%M:%S%.3fZ", TimeDelta::milliseconds(1));
time_ranges!(electrodb_in_seconds: [verbatim(delimiter = "|")] "{at:s:lower}|{id}", "", "|",
    DateTime<Utc> = Some, Seconds::floor, "%Y-%m-%dt%H:%M:%Sz", "%Y-%m-%dT%H:%M:%SZ", TimeDelta::seconds(1));
time_ranges!(above_digits: [verbatim(delimiter = "~")] "AT~{at:ms}~{id}", "AT~", "~",
    DateTime<Utc> = Some, Millis::floor, "%Y-%m-%dT%H:%M:%S%.3fZ", "%Y-%m-%dT%H:%M:%S%.3fZ", TimeDelta::milliseconds(1));
time_ranges!(below_all_letters: [verbatim(delimiter = "!")] "{at:ms:lower}!{id}", "", "!",
    DateTime<Utc> = Some, Millis::floor, "%Y-%m-%dt%H:%M:%S%.3fz", "%Y-%m-%dT%H:%M:%S%.3fZ", TimeDelta::milliseconds(1));
time_ranges!(java_script: [verbatim] "A#{at}#{id}", "A#", "#",
    JavaScriptTime<DateTime<Utc>> = JavaScriptTime::floor, JavaScriptTime::floor, "%Y-%m-%dT%H:%M:%S%.3fZ", "%Y-%m-%dT%H:%M:%S%.3fZ", TimeDelta::milliseconds(1));
time_ranges!(go: [verbatim(delimiter = "_")] "A_{at}_{id}", "A_", "_",
    Rfc3339Seconds<DateTime<Utc>> = Rfc3339Seconds::floor, Rfc3339Seconds::floor, "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%SZ", TimeDelta::seconds(1));
time_ranges!(pynamodb: [verbatim] "A#{at}#{id}", "A#", "#",
    PynamoTime<DateTime<Utc>> = PynamoTime::floor, PynamoTime::floor, "%Y-%m-%dT%H:%M:%S%.6f+0000", "%Y-%m-%dT%H:%M:%S%.6f+0000", TimeDelta::microseconds(1));
// `%.f` of chrono writes no fraction, three, six or nine digits; the unit gives six or none.
time_ranges!(python: [verbatim(delimiter = "|")] "A|{at}|{id}", "A|", "|",
    PythonTime<DateTime<Utc>> = PythonTime::floor, PythonTime::floor, "%Y-%m-%dT%H:%M:%S%.f+00:00", "%Y-%m-%dT%H:%M:%S%.f+00:00", TimeDelta::microseconds(333_333));

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "tasks", verbatim, key(pk = "{id}"))]
#[dynamo(gsi(
    by_status,
    pk = "$app#status_{status:lower}",
    sk = "$task_1#due_{due:ms:lower}#done_{is_done}#id_{id:lower}"
))]
struct Task {
    id: String,
    status: String,
    #[dynamo(format = "rfc3339_ms")]
    due: Option<DateTime<Utc>>,
    is_done: bool,
}

/// An index whose time may be missing, and a `bool` before other parts.
async fn the_index_of_a_status(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let noon = time("2026-03-01T12:00:00Z");
    let minute = TimeDelta::minutes(1);
    let due = [
        Some(noon),
        Some(noon),
        Some(noon + minute),
        Some(noon - minute),
        None,
    ];
    for (number, due) in due.into_iter().enumerate() {
        let (id, status, is_done) = (format!("T{number}"), "Open".to_owned(), number == 1);
        let task = Task {
            id,
            status,
            due,
            is_done,
        };
        task.create().send(&db).await?;
    }
    let task = Task::key("T0").get().send(&db).await?.ok_or("a task")?;
    let item = task.to_item()?;
    let sk = item.get("by_status_sk").and_then(|sk| sk.as_text());
    assert_eq!(
        sk,
        Some("$task_1#due_2026-03-01t12:00:00.000z#done_false#id_t0")
    );
    let stored = item.get("due").and_then(|due| due.as_text());
    assert_eq!(stored, Some("2026-03-01T12:00:00.000Z"));

    let noon = Millis::floor(noon).ok_or("in range")?;
    let of = |query: Query<Task, InGlobalIndex>| {
        let db = db.clone();
        async move {
            let rows = query.all(&db).await?;
            let ids: Vec<_> = rows.into_iter().map(|task: Task| task.id).collect();
            Ok::<_, Error>(ids.join(" "))
        }
    };
    let open = || Task::by_status("OPEN").due();
    assert_eq!(of(open().le(noon)).await?, "T3 T0 T1");
    assert_eq!(of(open().gt(noon)).await?, "T2");
    assert_eq!(of(open().lt(noon)).await?, "T3");
    assert_eq!(of(open().ge(noon)).await?, "T0 T1 T2");
    assert_eq!(of(open().eq(noon).is_done().ge(true)).await?, "T1");
    assert_eq!(of(open().eq(noon).is_done().lt(true)).await?, "T0");
    Ok(())
}

/// Writes a row as ElectroDB does, with this sort key in the index and this time.
async fn plant_task(db: &Db, id: &str, sk: &str, due: Option<&str>) {
    let mut row = raw([
        ("pk", s(id)),
        ("id", s(id)),
        ("status", s("open")),
        ("by_status_pk", s("$app#status_open")),
        ("by_status_sk", s(sk)),
    ]);
    row.insert("is_done".to_owned(), AttributeValue::Bool(false));
    row.extend(due.map(|due| ("due".to_owned(), s(due))));
    db.plant::<Task>(row).await;
}

/// ElectroDB ends the key of an entry at the first absent attribute, after its label. Such a task is due at no time.
async fn entries_of_an_index_without_the_time(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let due = "2026-03-01T12:00:00.000Z";
    plant_task(&db, "T1", "$task_1#due_", None).await;
    let sk = "$task_1#due_2026-03-01t12:00:00.000z#done_false#id_t2";
    plant_task(&db, "T2", sk, Some(due)).await;
    let noon = Millis::floor(time(due)).ok_or("in range")?;
    let later = Millis::floor(time(due) + TimeDelta::minutes(1)).ok_or("in range")?;
    let open = || Task::by_status("open").due();
    for (query, wanted) in [
        (open().lt(later), 1),
        (open().le(noon), 1),
        (open().lt(noon), 0),
        (open().ge(noon), 1),
        (open().gt(noon), 0),
    ] {
        assert_eq!(query.clone().count(&db).await?, wanted);
        let rows = query.clone().all(&db).await?;
        assert!(rows.iter().all(|task| task.id == "T2"));
        assert_eq!(u64::try_from(rows.len())?, wanted);
        let first = query.first(&db).await?;
        assert_eq!(
            first.map(|task| task.id).as_deref(),
            rows.first().map(|_| "T2")
        );
    }
    // Without a range, it is a row like the others.
    assert_eq!(Task::by_status("open").count(&db).await?, 2);
    let done = || open().eq(noon).is_done();
    plant_task(
        &db,
        "T3",
        "$task_1#due_2026-03-01t12:00:00.000z#done_",
        Some(due),
    )
    .await;
    assert_eq!(done().lt(true).count(&db).await?, 1);
    assert_eq!(done().eq(false).count(&db).await?, 1);
    Ok(())
}

/// A key with another text of its time is not in the position of the time. A strict query that meets it is an error.
async fn other_spellings_in_an_index(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let noon = "2026-03-01T12:00:00Z";
    // `12:00:00z` sorts above all keys of that second.
    let sk = "$task_1#due_2026-03-01t12:00:00z#done_false#id_t1";
    plant_task(&db, "T1", sk, Some(noon)).await;
    let sk = "$task_1#due_2026-03-01t12:00:00.500z#done_false#id_other";
    plant_task(&db, "T2", sk, Some("2026-03-01T12:00:00.500Z")).await;
    let noon = Millis::floor(time(noon)).ok_or("in range")?;
    let open = || Task::by_status("open").due();
    let error = open().gt(noon).all(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyMismatch);
    assert!(error.to_string().contains("by_status_sk"), "{error}");
    let rows = open().gt(noon).lenient().all(&db).await?;
    let ids: Vec<_> = rows.iter().flatten().map(|task| &*task.id).collect();
    assert_eq!(
        (ids, rows.len()),
        (vec!["T2"], 2),
        "the later part of a key may differ"
    );
    assert!(open().le(noon).all(&db).await?.is_empty());
    assert_eq!(Task::by_status("open").all(&db).await?.len(), 2);
    // The next write gives it the key of its fields.
    let task = Task::key("T1").get().send(&db).await?.ok_or("a task")?;
    task.put().send(&db).await?;
    assert_eq!(open().gt(noon).count(&db).await?, 1);
    assert_eq!(open().le(noon).all(&db).await?.len(), 1);
    Ok(())
}

/// A range is read in pages, in both directions, and goes on where a page ended.
async fn pages_of_a_range(db: Db) -> Outcome {
    db.create_tables([Task::schema()]).await?;
    let noon = time("2026-03-01T12:00:00Z");
    for number in 0..8 {
        let due = Some(noon + TimeDelta::milliseconds(number / 2));
        let id = format!("T{number}");
        let task = Task {
            id,
            status: "open".into(),
            due,
            is_done: false,
        };
        task.create().send(&db).await?;
    }
    plant_task(&db, "T9", "$task_1#due_", None).await;
    let at = |millis| Millis::floor(noon + TimeDelta::milliseconds(millis)).ok_or("in range");
    let open = || Task::by_status("open").due();
    for (query, wanted) in [
        (open().between(at(1)?..at(3)?), 2..6),
        (open().gt(at(0)?), 2..8),
        (open().le(at(2)?), 0..6),
        (open().lt(at(2)?), 0..4),
    ] {
        let up: Vec<_> = wanted.map(|number| format!("T{number}")).collect();
        let down: Vec<_> = up.iter().rev().cloned().collect();
        for (query, wanted) in [(query.clone(), up), (query.descending(), down)] {
            for limit in [1, 3] {
                let mut found: Vec<String> = Vec::new();
                let mut page = query.clone().limit(limit).page(&db).await?;
                loop {
                    found.extend(page.rows.into_iter().map(|task| task.id));
                    let Some(next) = page.next else { break };
                    page = query.clone().resume(next).limit(limit).page(&db).await?;
                }
                assert_eq!(found, wanted, "{limit}");
            }
        }
    }
    Ok(())
}

#[derive(Debug, DynamoTable)]
#[dynamo(name = "desk", pk = "pk", sk = "sk", verbatim, entities(Call, Mail))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
struct Desk;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Desk, key(pk = "CALL#{id}", sk = "INFO"))]
#[dynamo(gsi(by_agent, on = gsi1, pk = "AGENT#{agent}", sk = "AT#{at:ms}#{id}"))]
struct Call {
    id: u32,
    agent: String,
    at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Desk, key(pk = "MAIL#{id}", sk = "INFO"))]
#[dynamo(gsi(by_agent, on = gsi1, pk = "AGENT#{agent}", sk = "AT#{at:ms}#{id}"))]
struct Mail {
    id: u32,
    agent: String,
    at: DateTime<Utc>,
}

/// Rows of two entities lie between each other in an index, told apart by their type.
async fn among_rows_of_another_type(db: Db) -> Outcome {
    db.create_tables([Desk::schema()]).await?;
    let noon = time("2026-03-01T12:00:00Z");
    for id in 0..6 {
        let (at, agent) = (
            noon + TimeDelta::milliseconds(i64::from(id)),
            "ann".to_owned(),
        );
        match id % 2 {
            0 => Call { id, agent, at }.create().send(&db).await.map(drop)?,
            _ => Mail { id, agent, at }.create().send(&db).await.map(drop)?,
        }
    }
    let at = Millis::floor(noon + TimeDelta::milliseconds(2)).ok_or("in range")?;
    let calls = Call::by_agent("ann").at().ge(at).all(&db).await?;
    assert_eq!(calls.iter().map(|call| call.id).collect::<Vec<_>>(), [2, 4]);
    let mails = Mail::by_agent("ann")
        .at()
        .le(at)
        .descending()
        .limit(1)
        .all(&db)
        .await?;
    assert_eq!(mails.iter().map(|mail| mail.id).collect::<Vec<_>>(), [1]);
    Ok(())
}
