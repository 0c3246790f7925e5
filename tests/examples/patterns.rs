//! What the requests of each example are for: the entity, the verb or the access pattern, and the index.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dynamo_entity::prelude::*;

use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;
use crate::*;

/// A system, and what its requests are for.
const KNOWN: &str = include_str!("../golden/patterns.txt");

/// A line for each kind of request.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<BTreeSet<String>>>);

impl Seen {
    fn watch(&self, db: &Db) -> Dynamo {
        let seen = self.0.clone();
        let db: &Dynamo = db;
        db.clone().with_observer(move |request| {
            let index = request.pattern.index.map(|index| format!(" in {index}"));
            let (pattern, operation) = (request.pattern, request.operation);
            let line = format!("{pattern}{} by {operation}", index.unwrap_or_default());
            seen.lock().expect("no panic").insert(line);
        })
    }

    fn lines(&self) -> String {
        let seen = self.0.lock().expect("no panic");
        // A failed condition without its item is followed by this read. Whether there is one depends on the server, and on
        // which of two workers comes first.
        let asked = |line: &&String| *line == "several.transact by GetItem";
        let seen = seen.iter().filter(|line| !asked(line));
        seen.map(|line| format!("  {line}\n")).collect()
    }
}

/// The part of the list that is about one system.
fn known(system: &str) -> String {
    let parts = KNOWN.split("\n\n");
    let mut parts = parts.filter_map(|part| part.trim().split_once('\n'));
    let part = parts.find(|(name, _)| *name == system);
    part.map(|(_, lines)| format!("{lines}\n"))
        .unwrap_or_default()
}

async fn check(system: &str) -> Outcome {
    // It builds an index. One test of the examples does that on a server, which is all that DynamoDB Local bears.
    if system == "blog" && Kind::here().is_server() {
        eprintln!("skipped on a server: patterns::blog builds an index, as facts::blog does");
        return Ok(());
    }
    if system == "help_search" && Kind::here() != Kind::Embedded {
        eprintln!("skipped: this server has no vector indexes");
        return Ok(());
    }
    let (opened, seen) = (Db::open(Mode::Raw).await?, Seen::default());
    run(system, &seen.watch(&opened)).await?;
    let seen = seen.lines();
    assert_eq!(
        known(system),
        seen,
        "tests/golden/patterns.txt:\n{system}\n{seen}"
    );
    opened.close().await
}

macro_rules! systems {
    ($($system:ident: |$db:ident| $run:expr;)*) => {
        /// Runs the system of this name.
        pub async fn run(system: &str, db: &Dynamo) -> Outcome {
            match system {
                $(stringify!($system) => {
                    let $db = db;
                    Box::pin(async { $run; Outcome::Ok(()) }).await
                })*
                _ => Err(format!("there is no system {system}").into()),
            }
        }

        $(#[tokio::test]
        async fn $system() -> Outcome {
            check(stringify!($system)).await
        })*
    };
}

systems! {
    access_tokens: |db| access_tokens::run(db).await?;
    app_users: |db| app_users::run(db, "ann@example.org").await?;
    blog: |db| blog::run(db).await?;
    bulk: |db| {
        let folder = tempfile::tempdir()?;
        db.create_tables([bulk::Account::schema()]).await?;
        bulk::open_accounts(db, 30).await?;
        bulk::pay_interest(db, "2026-11", &folder.path().join("interest"), |_| ())
            .await?
            .complete()?
    };
    help_search: |db| help_search::run(db).await?;
    iot_meters: |db| iot_meters::run(db).await?;
    message_delivery: |db| message_delivery::run(db, 20).await.map_err(|error| error.to_string())?;
    orders: |db| orders::run(db).await?;
    organisations: |db| organisations::run(db).await?;
    request_counts: |db| request_counts::run(db, 4).await?;
    shop_directory: |db| shop_directory::run(db).await?;
    status_shards: |db| status_shards::run(db).await?;
}
