//! Plans: seen without a change, applied once, resumable wherever they ended.

mod random;

use dynamo_entity::deploy::{ChangeKind, Deletion, StepState, TableChange, TablePlan};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;
use random::Pair;

tests![random_tables_become_others,];

fn is_write(call: &str) -> bool {
    !call.starts_with("Describe") && !call.starts_with("List")
}

async fn apply(db: &Dynamo, plan: &TablePlan) -> Result<()> {
    let allowed = plan.deletions().cloned();
    allowed
        .fold(plan.apply(db), |apply, deletion| apply.allow(deletion))
        .await
}

fn count() -> u64 {
    let is_full = std::env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let given = std::env::var("PLANS")
        .ok()
        .and_then(|count| count.parse().ok());
    given.unwrap_or(match (Kind::here(), is_full) {
        (Kind::Embedded, true) => 500,
        _ => 40,
    })
}

async fn random_tables_become_others(db: Db) -> Outcome {
    for seed in 0..count() {
        let pair = Pair::random(seed, true);
        become_other(&db, pair)
            .await
            .map_err(|error| format!("seed {seed}: {error}"))?;
    }
    Ok(())
}

async fn become_other(db: &Db, pair: Pair) -> Outcome {
    db.create_tables([pair.before.clone()]).await?;
    let (watched, http) = db.faulty([]);
    let plan = watched.plan([pair.after.clone()]).await?;
    assert!(
        !http.calls().iter().any(|call| is_write(call)),
        "planning writes"
    );
    let is_impossible = plan.steps().any(|step| step.kind == ChangeKind::Replace);
    assert_eq!(is_impossible, pair.is_impossible, "{plan}");
    if is_impossible || plan.deletions().next().is_some() {
        let refused = plan.apply(&watched).await.expect_err("it must be refused");
        assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
        assert!(
            !http.calls().iter().any(|call| is_write(call)),
            "a refused plan writes"
        );
    }
    if !is_impossible {
        apply(&watched, &plan)
            .await
            .map_err(|error| format!("{error}\n{plan}"))?;
        let again = watched.plan([pair.after.clone()]).await?;
        assert!(again.is_empty(), "{plan}\nand then\n{again}");
        http.plan([]);
        apply(&watched, &plan).await?;
        assert!(
            !http.calls().iter().any(|call| is_write(call)),
            "a second time writes"
        );
    }
    remove(db, &pair).await
}

/// A table that is protected is deleted only after that was switched off.
async fn remove(db: &Db, pair: &Pair) -> Outcome {
    let name = format!("{}-{}", db.prefix(), pair.before.name);
    let update = db.client().update_table().table_name(&name);
    // An engine that does not protect has nothing to switch off.
    let _ = update.deletion_protection_enabled(false).send().await;
    db.client().delete_table().table_name(&name).send().await?;
    Ok(())
}
