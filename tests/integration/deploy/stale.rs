//! Two who apply at once, while the service shows tables as they were a moment ago.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use dynamo_entity::prelude::*;

use super::{apply, assert_really, count, eventful, remove};
use crate::support::db::Db;
use crate::support::rewriting::{Answer, Rewriting};
use crate::support::suite::Outcome;

/// How old a description is at least.
const AGE: Duration = Duration::from_millis(200);

/// Descriptions, each with its time.
type History = BTreeMap<String, Vec<(Instant, Vec<u8>)>>;

/// A connection that is told how tables were, as far as somebody has asked before.
fn late(db: &Db) -> Dynamo {
    let history: Mutex<History> = Mutex::default();
    let http = Rewriting::new(db.engine().http_client(), move |answer: &mut Answer| {
        let is_told = answer.operation.starts_with("Describe") && answer.status == 200;
        if !is_told {
            return;
        }
        let mut history = history.lock().expect("nobody panics");
        let known = history.entry(answer.operation.clone()).or_default();
        known.push((Instant::now(), answer.body.clone()));
        let old = known.iter().rev().find(|(told, _)| told.elapsed() >= AGE);
        if let Some((_, body)) = old.or(known.first()) {
            answer.body = body.clone();
        }
    });
    db.through(db.engine().config().http_client(http))
}

pub(super) async fn two_may_apply_by_old_descriptions(db: Db) -> Outcome {
    let mut rng = fastrand::Rng::with_seed(7);
    for pair in eventful(count(40).max(2)) {
        db.create_tables([pair.before.clone()]).await?;
        let plan = db.plan([pair.after.clone()]).await?;
        let late = late(&db);
        let pause = Duration::from_millis(rng.u64(..400));
        let second = async {
            tokio::time::sleep(pause).await;
            apply(&late, &plan).await
        };
        let (first, second) = tokio::join!(apply(&late, &plan), second);
        for done in [first, second] {
            done.map_err(|error| format!("after {pause:?}: {error}\n{plan}"))?;
        }
        let left = db.plan([pair.after.clone()]).await?;
        assert!(left.is_empty(), "{left}");
        assert_really(&db, &pair.after).await?;
        remove(&db, &pair).await?;
    }
    Ok(())
}
