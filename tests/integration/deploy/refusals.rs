//! Refusals of the service: known beforehand, or told at once.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use dynamo_entity::deploy::{Deletion, StepState, TableChange};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

use super::{apply, assert_no_writes};
use crate::model::Note;
use crate::support::db::Db;
use crate::support::suite::Outcome;

/// A table with so many global indexes, each on an attribute of its own.
fn crowded(indexes: std::ops::Range<usize>) -> TableSchema {
    let index = |at| {
        format!(
            r#"{{"name":"index-{at}","pk":[{{"name":"a{at}","type":"S"}}],"projection":"all"}}"#
        )
    };
    let indexes: Vec<String> = indexes.map(index).collect();
    let text = format!(
        r#"{{"format":1,"name":"crowded","pk":{{"name":"pk","type":"S"}},"keys":"escaped","global_indexes":[{}],"settings":{{}}}}"#,
        indexes.join(",")
    );
    TableSchema::from_json(&text).expect("a schema")
}

pub(super) async fn units_are_set_for_many_indexes(db: Db) -> Outcome {
    db.create_tables([crowded(0..6).on_demand()]).await?;
    let begun = Instant::now();
    for declared in [
        crowded(0..6).provisioned(2, 3),
        crowded(0..6).provisioned(4, 4),
        crowded(0..6).on_demand(),
    ] {
        let plan = db.plan([declared.clone()]).await?;
        assert_eq!(plan.steps().count(), 1, "{plan}");
        apply(&db, &plan).await?;
        assert!(db.plan([declared]).await?.is_empty());
    }
    assert!(begun.elapsed() < Duration::from_secs(120));
    Ok(())
}

/// Nineteen indexes are declared by somebody else, and one that stays is ours.
pub(super) async fn a_full_table_is_refused_at_once(db: Db) -> Outcome {
    db.create_tables([crowded(0..20)]).await?;
    let mut ours = crowded(19..21);
    let plan = db.plan([ours.clone()]).await?;
    let (watched, http) = db.faulty([]);
    let begun = Instant::now();
    let kept = plan.apply(&watched).keeping_the_rest().await;
    let added = watched.add_indexes([ours.clone()]).await;
    let created = watched.create_tables([ours.clone()]).await;
    for refused in [kept, added, created] {
        let refused = refused.expect_err("there is no room");
        assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
        let says = refused.to_string();
        for words in ["`index-20`", "20 global indexes", "remove one first"] {
            assert!(says.contains(words), "{words}: {says}");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_no_writes(&http, "what cannot be is tried");
    // One loss makes room for one, and the others are kept.
    let first = plan.steps().next().expect("a step");
    let lost = first.deletes.clone().expect("a removal goes first");
    assert_eq!(lost, Deletion::index("crowded", "index-0"));
    plan.apply(&db).allow(lost).keeping_the_rest().await?;
    ours.global_indexes.extend(crowded(1..19).global_indexes);
    assert!(db.plan([ours]).await?.is_empty());
    Ok(())
}

/// A setting that the server does not know is told as that, and not as done.
pub(super) async fn a_setting_that_the_server_lacks_is_not_done(db: Db) -> Outcome {
    let declared = Note::schema().point_in_time_recovery(35);
    let plan = db.plan([declared.clone()]).await?;
    assert!(
        plan.steps()
            .any(|step| step.change == TableChange::SetRecovery(35))
    );
    let told: Mutex<Vec<(String, StepState)>> = Mutex::default();
    let lock = || told.lock().expect("nobody panics");
    plan.apply(&db)
        .on_progress(|now| lock().push((now.step.change.to_string(), now.state)))
        .await?;
    let recovery: Vec<StepState> = lock()
        .iter()
        .filter(|(change, _)| change.contains("recovery"))
        .map(|(_, state)| *state)
        .collect();
    assert_eq!(recovery, [StepState::Unknown]);
    let again = db.plan([declared]).await?;
    assert_eq!(again.tables[0].unknown, ["recovery"]);
    Ok(())
}
