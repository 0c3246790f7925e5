//! An application in a process of its own, which is killed.

use std::env;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use dynamo_entity::prelude::*;

use super::{apply, count, eventful};
use crate::support::db::Db;
use crate::support::engine::Engine;
use crate::support::suite::Outcome;

/// This variable is set in the process to be killed, and says which of the pairs of tables.
pub const CHILD: &str = "DYNAMO_ENTITY_DEPLOY_CHILD";
const PREFIX: &str = "DYNAMO_ENTITY_DEPLOY_PREFIX";

pub fn child() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let done = runtime.expect("a runtime").block_on(work());
    if let Err(error) = done {
        println!("{error}");
        std::process::exit(1);
    }
}

async fn work() -> Result<()> {
    let variable = |name| env::var(name).expect("a setting");
    let db = Dynamo::from_env().await?.with_prefix(variable(PREFIX));
    let at: u64 = variable(CHILD).parse().expect("a number");
    let pair = eventful(at + 1).last().expect("a pair");
    let plan = db.plan([pair.after]).await?;
    apply(&db, &plan).await
}

/// Killed again and again by SIGKILL, each time a little later, until one comes to its end.
pub(super) async fn a_killed_application_goes_on(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let url = match db.engine() {
        Engine::Server(url) => url.clone(),
        Engine::Embedded(_) => format!("embedded:{}", folder.path().join("tables").display()),
    };
    let open = async || Ok::<_, Error>(Dynamo::connect(&url).await?.with_prefix(db.prefix()));
    let mut kills = 0;
    for (at, pair) in eventful(count(50).max(1)).enumerate() {
        let prefix = format!("{}-{at}", db.prefix());
        open()
            .await?
            .with_prefix(&prefix)
            .create_tables([pair.before.clone()])
            .await?;
        let mut life = Duration::from_millis(5);
        loop {
            let mut child = Command::new(env::current_exe()?)
                .env(CHILD, at.to_string())
                .env("DYNAMO_URL", &url)
                .env(PREFIX, &prefix)
                .stdout(Stdio::inherit())
                .spawn()?;
            let end = Instant::now() + life;
            while Instant::now() < end && child.try_wait()?.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            if let Some(status) = child.try_wait()? {
                assert!(status.success(), "{status}");
                break;
            }
            child.kill()?;
            child.wait()?;
            kills += 1;
            life += Duration::from_millis(15);
        }
        let again = open().await?.with_prefix(&prefix);
        let left = again.plan([pair.after.clone()]).await?;
        assert!(left.is_empty(), "{left}");
        let name = format!("{prefix}-{}", pair.after.name);
        let update = again.client().update_table().table_name(&name);
        let _ = update.deletion_protection_enabled(false).send().await;
        again
            .client()
            .delete_table()
            .table_name(&name)
            .send()
            .await?;
    }
    assert!(kills > 2, "only {kills} were killed");
    Ok(())
}
