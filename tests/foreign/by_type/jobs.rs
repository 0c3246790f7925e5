//! Jobs, imports and copies of entities with the same keys: rows that become rows of another entity are left alone.

use std::sync::atomic::{AtomicBool, Ordering};

use dynamo_entity::Item;
use dynamo_entity::prelude::*;

use super::{Animals, Mouse, horse, mouse, untyped};
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::{Outcome, meanwhile};

/// A row is deleted while a job is about to write it, and a row of another entity gets its key.
pub(super) async fn jobs_leave_rows_that_become_others(db: Db) -> Outcome {
    let place = ("ann", "a");
    let key = mouse(place, 0).key();
    let replace = async || {
        let delete = db.client().delete_item().table_name(db.table::<Animals>());
        delete
            .set_key(Some(key.to_item().expect("a key").into()))
            .send()
            .await
            .expect("a delete");
        horse(place, 9).create().send(&db).await.expect("a horse");
    };
    let mut kept = Vec::new();
    for job in 0..3 {
        Item::in_table("animals")
            .delete(key.to_item()?)
            .send(&db)
            .await?;
        mouse(place, 1).create().send(&db).await?;
        let mice = Mouse::in_partition("ann");
        let counts = match job {
            0 => {
                let update = mice.update_each(|row| {
                    meanwhile(replace());
                    row.update().apply(|p| p.count().set(5))
                });
                update.send(&db).await?.complete()?
            }
            1 => {
                let change = mice.transact_each(|row: &Mouse| {
                    meanwhile(replace());
                    Transaction::new().with(row.delete())
                });
                change.send(&db).await?.complete()?
            }
            _ => {
                let writes = std::iter::once(mouse(place, 2)).map(|row| {
                    meanwhile(replace());
                    row.into_put()
                });
                let report = put_each(writes).send(&db).await?;
                assert_eq!(report.errors().len(), 1);
                report.counts()
            }
        };
        assert_eq!(counts.written, 0, "{job}: {counts:?}");
        kept.push(db.stored(&key).await);
    }
    for row in &kept {
        assert_eq!(row["cls"], s("Horse"));
        assert_eq!(row["count"], n(9));
    }
    Ok(())
}

/// A row is deleted after a job has read it, and a row of another entity gets its key.
pub(super) async fn rows_that_become_others_are_not_deleted(db: Db) -> Outcome {
    let place = ("ann", "a");
    let key = mouse(place, 0).key();
    for job in 0..4 {
        Item::in_table("animals")
            .delete(key.to_item()?)
            .send(&db)
            .await?;
        // Without the keys of its index, the row differs from a fresh put.
        let mut row = untyped(place);
        row.extend(raw([
            ("cls", s("Mouse")),
            ("owner", s("ann")),
            ("name", s("a")),
        ]));
        db.plant::<Mouse>(row).await;
        let (writer, has_read) = (db.clone(), AtomicBool::new(false));
        let watched = (*db).clone().with_observer(move |seen| {
            let is_read = matches!(seen.operation, "Query" | "Scan");
            if is_read && !has_read.swap(true, Ordering::Relaxed) {
                meanwhile(async {
                    let key = mouse(place, 0).key();
                    let deleted = key.delete().send(&writer).await;
                    deleted.expect("the mouse is deleted");
                    horse(place, 9)
                        .create()
                        .send(&writer)
                        .await
                        .expect("a horse");
                });
            }
        });
        let mice = Mouse::in_partition("ann");
        let report = match job {
            0 => mice.delete_each().send(&watched).await?,
            1 => mice.delete_each_unchecked().send(&watched).await?,
            2 => mice.touch_each().send(&watched).await?,
            _ => Mouse::scan().refill().send(&watched).await?,
        };
        let counts = report.complete()?;
        assert_eq!(
            (counts.written, counts.left_query),
            (0, 1),
            "{job}: {counts:?}"
        );
        let row = db.stored(&key).await;
        assert_eq!((&row["cls"], &row["count"]), (&s("Horse"), &n(9)), "{job}");
    }
    Ok(())
}

pub(super) async fn lines_and_copies_replace_no_other_row(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = horse(place, 1).create().send(&db).await?;
    let lines = "{\"pk\":\"OWNER#ann\",\"sk\":\"a\",\"count\":5}\n{\"pk\":\"OWNER#ann\",\"sk\":\"b\",\"count\":6}\n";
    for as_is in [false, true] {
        let mut import = Mouse::import(lines.as_bytes()).replace();
        if as_is {
            import = import.as_is();
        }
        let report = import.send(&db).await?;
        // A line without a type is a line of the entity, unless it is stored as it is.
        assert_eq!(report.counts().written, u64::from(!as_is), "{report:?}");
    }
    let typed = "{\"pk\":\"OWNER#ann\",\"sk\":\"a\",\"count\":5,\"cls\":\"Mouse\"}\n";
    let report = Mouse::import(typed.as_bytes())
        .replace()
        .as_is()
        .send(&db)
        .await?;
    assert_eq!(report.counts().written, 0, "{report:?}");
    assert_eq!(stored.key().get().send(&db).await?, Some(stored.clone()));
    assert_eq!(Mouse::scan().all(&db).await?, [mouse(("ann", "b"), 6)]);

    let target = (*db).clone().with_prefix(format!("{}-copy", db.prefix()));
    target.create_tables([Animals::schema()]).await?;
    let kept = horse(("ann", "b"), 4).create().send(&target).await?;
    let report = Mouse::scan().copy_to(&target).replace().send(&db).await?;
    assert_eq!(report.counts().written, 0, "{report:?}");
    assert_eq!(kept.key().get().send(&target).await?, Some(kept));
    let client = db.client();
    client
        .delete_table()
        .table_name(format!("{}-copy-animals", db.prefix()))
        .send()
        .await?;
    Ok(())
}
