//! Keys in the format of another program, used by a program that has not read the row before: the key is the one that
//! is stored, so no second row is made and none is missed.

use chrono::{DateTime, Utc};
use dynamo_entity::key::{JavaScriptTime, PynamoTime, PythonTime, Rfc3339Seconds, UppercaseUuid};
use dynamo_entity::prelude::*;
use uuid::Uuid;

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    whole_seconds,
    java_script,
    python,
    python_with_a_fraction,
    pynamodb,
    uuids_in_capitals,
    a_uuid_in_a_template,
];

/// Reads and writes under a key that the program made itself, and that another program stored as this text.
macro_rules! key_format {
    ($test:ident, $table:literal, $key:ty, $stored:literal, $parsed:expr) => {
        async fn $test(db: Db) -> Outcome {
            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = $table, key(pk = id, sk = at))]
            struct Row {
                id: String,
                at: $key,
                count: u32,
            }

            db.create_tables([Row::schema()]).await?;
            let row = raw([("id", s("a")), ("at", s($stored)), ("count", n(5))]);
            db.plant::<Row>(row.clone()).await;
            let at: $key = $parsed;

            let found = Row::key("a", at).get().send(&db).await?;
            let found = found.ok_or("the stored row has another key")?;
            assert_eq!((found.count, found.at), (5, at));
            assert_eq!(Row::in_partition("a").at().eq(at).count(&db).await?, 1);
            assert_eq!(Row::in_partition("a").at().ge(at).count(&db).await?, 1);
            assert_eq!(Row::in_partition("a").at().gt(at).count(&db).await?, 0);

            let second = Row {
                id: "a".into(),
                at,
                count: 6,
            };
            let error = second.create().send(&db).await.unwrap_err();
            assert!(error.is_already_exists(), "{error}");
            second.put().send(&db).await?;
            assert_eq!(db.count::<<Row as DynamoEntity>::Table>().await, 1, "put");
            let stored = found.to_item()?;
            assert_eq!(stored.get("at").and_then(|at| at.as_text()), Some($stored));

            Row::key("a", at).delete().send(&db).await?;
            assert_eq!(
                db.count::<<Row as DynamoEntity>::Table>().await,
                0,
                "delete"
            );
            Ok(())
        }
    };
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap_or_default()
}

const ID: Uuid = Uuid::from_u128(0x2f1a_0c4e_8d3b_4c5a_9e6f_0a1b_2c3d_4e5f);

key_format!(
    whole_seconds,
    "whole_seconds",
    Rfc3339Seconds<DateTime<Utc>>,
    "2026-03-01T12:00:00Z",
    Rfc3339Seconds::floor(at("2026-03-01T12:00:00Z")).ok_or("in range")?
);
key_format!(
    java_script,
    "java_script",
    JavaScriptTime<DateTime<Utc>>,
    "2026-03-01T12:00:00.000Z",
    JavaScriptTime::floor(at("2026-03-01T12:00:00Z")).ok_or("in range")?
);
key_format!(
    python,
    "python",
    PythonTime<DateTime<Utc>>,
    "2026-03-01T12:00:00+00:00",
    PythonTime::floor(at("2026-03-01T12:00:00Z")).ok_or("in range")?
);
key_format!(
    python_with_a_fraction,
    "python_fraction",
    PythonTime<DateTime<Utc>>,
    "2026-03-01T12:00:00.500000+00:00",
    PythonTime::floor(at("2026-03-01T12:00:00.5Z")).ok_or("in range")?
);
key_format!(
    pynamodb,
    "pynamodb",
    PynamoTime<DateTime<Utc>>,
    "2026-03-01T12:00:00.000000+0000",
    PynamoTime::floor(at("2026-03-01T12:00:00Z")).ok_or("in range")?
);
key_format!(
    uuids_in_capitals,
    "capitals",
    UppercaseUuid,
    "2F1A0C4E-8D3B-4C5A-9E6F-0A1B2C3D4E5F",
    UppercaseUuid::from(ID)
);

/// A row in small letters is another key, so it is refused.
async fn a_uuid_in_a_template(db: Db) -> Outcome {
    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "devices", verbatim, key(pk = "DEVICE#{id}"))]
    struct Device {
        id: UppercaseUuid,
        count: u32,
    }

    db.create_tables([Device::schema()]).await?;
    let capitals = "2F1A0C4E-8D3B-4C5A-9E6F-0A1B2C3D4E5F";
    let row = |text: &str| {
        raw([
            ("pk", s(&format!("DEVICE#{text}"))),
            ("id", s(text)),
            ("count", n(5)),
        ])
    };
    db.plant::<Device>(row(capitals)).await;
    let device = Device::key(UppercaseUuid::from(ID)).get().send(&db).await?;
    let device = device.ok_or("the row has another key")?;
    assert_eq!((device.id.get(), device.count), (ID, 5));
    device.put().send(&db).await?;
    assert_eq!(db.count::<<Device as DynamoEntity>::Table>().await, 1);

    db.plant::<Device>(row(&capitals.to_lowercase())).await;
    let rows = Device::scan().lenient().all(&db).await?;
    let refused = rows.iter().filter(|row| row.is_err()).count();
    assert_eq!((rows.len(), refused), (2, 1));
    Ok(())
}
