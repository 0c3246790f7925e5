//! Random writes and races: the stored sentinels match the stored items.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;

use super::{Account, account, sentinels, tables};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    races_leave_what_the_items_say,
    random_writes_leave_what_the_items_say,
];

/// The sentinels that the items imply, by the documented form of their keys.
async fn implied(db: &Db) -> Result<BTreeMap<String, String>> {
    let mut implied = BTreeMap::new();
    for item in Account::scan().consistent().all(db).await? {
        let owner = format!("ACCOUNT#{:010}", item.id);
        implied.insert(format!("$UNIQUE#email#{}", item.email), owner.clone());
        if let Some(handle) = item.handle {
            implied.insert(format!("$UNIQUE#handle,org#{handle}#{}", item.org), owner);
        }
    }
    Ok(implied)
}

/// Does one random write, on few accounts and few values.
async fn any_write(db: &Dynamo, random: &mut fastrand::Rng) -> Result<()> {
    let id = random.u32(0..4);
    let email = format!("{}@x", random.u32(0..6));
    let handle = random.bool().then(|| format!("h{}", random.u32(0..4)));
    let whole = Account {
        handle: handle.clone(),
        ..account(id, &email)
    };
    let loaded = Account::key(id).get().consistent().send(db).await?;
    match (random.u32(0..8), loaded) {
        (0, _) => whole.create().send(db).await.map(drop),
        (1, _) => whole.put().send(db).await.map(drop),
        (2, Some(loaded)) => {
            let change = loaded
                .update()
                .apply(|a| (a.email().set(email), a.visits().add(1)));
            change.send(db).await.map(drop)
        }
        (3, Some(loaded)) => {
            let change = loaded.update().apply(|a| a.handle().set_or_remove(handle));
            change.send(db).await.map(drop)
        }
        (4, _) => {
            let change =
                Account::key(id).modify(|a| (a.email, a.handle) = (email.clone(), handle.clone()));
            change.send(db).await.map(drop)
        }
        (5, _) => {
            let change = Account::key(id).upsert();
            let change =
                change.apply(|a| (a.email().set(email), a.org().set("o"), a.visits().add(1)));
            change.send(db).await.map(drop)
        }
        (6, Some(loaded)) => loaded.delete().send(db).await,
        _ => Account::key(id).delete().send(db).await,
    }
}

async fn races_leave_what_the_items_say(db: Db) -> Outcome {
    tables(&db).await?;
    let seed = fastrand::u64(..);
    let racers = (0..6).map(|racer| {
        let db = db.clone();
        tokio::spawn(async move {
            let mut random = fastrand::Rng::with_seed(seed + racer);
            for _ in 0..25 {
                if let Err(error) = any_write(&db, &mut random).await {
                    let is_lost = error.is_unique_violation() || error.is_lost_race();
                    let fine = is_lost || error.took_effect();
                    assert!(fine, "seed {seed}: {error:?}");
                }
            }
        })
    });
    for racer in racers.collect::<Vec<_>>() {
        racer.await?;
    }
    assert_eq!(
        sentinels::<Account>(&db).await,
        implied(&db).await?,
        "seed {seed}"
    );
    Ok(())
}

async fn random_writes_leave_what_the_items_say(db: Db) -> Outcome {
    tables(&db).await?;
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let (faulty, http) = db.faulty([]);
    for step in 0..150 {
        let faults = (0..4).map(|_| match random.u32(0..12) {
            0 => Fault::Lose,
            1 => Fault::Io,
            2 => Fault::throttle(),
            _ => Fault::Pass,
        });
        http.plan(faults.collect::<Vec<_>>());
        if let Err(error) = any_write(&faulty, &mut random).await {
            let fine = error.is_unique_violation()
                || error.is_lost_race()
                || error.is_outcome_unknown()
                || error.took_effect()
                || error.is_throttled()
                || error.is_unavailable();
            assert!(fine, "seed {seed}, step {step}: {error:?}");
        }
        assert_eq!(
            sentinels::<Account>(&db).await,
            implied(&db).await?,
            "seed {seed}, step {step}"
        );
    }
    Ok(())
}
