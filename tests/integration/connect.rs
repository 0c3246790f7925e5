//! Connections by URL, by environment variable, or by a client of the user's own.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::config::{
    AppName, BehaviorVersion, Config, Credentials, Region,
};
use dynamo_entity::embedded::EmbeddedEngine;
use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;
use tokio::sync::oneshot;

use crate::model::{Draft, Note, draft, note};
use crate::support::db::{Db, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_wrong_url_says_what_is_right,
    a_near_miss_says_what_was_meant,
    a_password_in_a_url_never_shows,
    a_file_outlives_its_connection,
    a_file_has_one_engine,
    a_file_is_locked_against_other_processes,
    a_file_is_locked_by_whatever_name,
    a_file_stays_locked_when_its_lock_is_deleted,
    a_file_stays_locked_when_it_is_renamed,
    a_file_in_no_folder_is_an_error,
    memory_is_private,
    clones_share_the_data(Note),
    the_environment_names_the_connection,
    an_environment_without_a_name_says_so,
    an_environment_without_a_name_falls_back,
    a_server_that_is_not_there_is_unavailable,
    a_client_of_the_users_own_is_used,
    a_client_in_the_engines_hands_is_signed,
    the_clients_are_the_same(Note),
    sixteen_tasks_do_not_block_the_runtime(Note, Draft),
    one_thread_is_enough,
];

/// Set in a child process, which opens what `DYNAMO_URL` names, or else this URL, and prints the result.
pub const CHILD: &str = "DYNAMO_ENTITY_TEST_CHILD";

pub fn child() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let fallback = env::var(CHILD)
        .ok()
        .filter(|url| url.starts_with("embedded:"));
    let opened = runtime.block_on(async {
        match fallback {
            Some(url) => Dynamo::from_env_or(&url).await,
            None => Dynamo::from_env().await,
        }
    });
    match opened {
        Ok(db) => println!("opened {db:?}"),
        Err(error) => println!("{:?} {error}", error.kind()),
    }
}

fn child_says(url: Option<&str>) -> Result<String, Box<dyn std::error::Error>> {
    child_falls_back(url, "nowhere")
}

fn child_falls_back(
    url: Option<&str>,
    fallback: &str,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut child = Command::new(env::current_exe()?);
    child.env(CHILD, fallback).env_remove("DYNAMO_URL");
    if let Some(url) = url {
        child.env("DYNAMO_URL", url);
    }
    Ok(String::from_utf8(child.output()?.stdout)?)
}

async fn a_wrong_url_says_what_is_right(_: Db) -> Outcome {
    for url in [
        "",
        "mongodb://localhost",
        "http://",
        "http://localhost:0",
        "http://localhost:65536",
        "http://local host",
        "aws://eu-west-1/x",
        "aws://eu-west-1?endpoint=example.com",
        "embedded:shop.db?mode=ro",
    ] {
        let refused = Dynamo::connect(url).await.expect_err(url);
        assert_eq!(
            (refused.kind(), refused.stage()),
            (ErrorKind::Config, Stage::Connect)
        );
        let says = refused.to_string();
        assert!(says.contains(&format!("`{url}`")), "{says}");
        assert!(
            says.contains("embedded:memory") && says.contains("aws://REGION"),
            "{says}"
        );
    }
    Ok(())
}

async fn a_near_miss_says_what_was_meant(_: Db) -> Outcome {
    for (url, meant) in [
        ("embeded:memory", "embedded:memory"),
        ("sqlite:shop.db", "embedded:shop.db"),
        ("localhost:8000", "http://localhost:8000"),
        ("http://localhost:8000/shell", "http://localhost:8000"),
        ("eu-west-1", "aws://eu-west-1"),
    ] {
        let says = Dynamo::connect(url).await.expect_err(url).to_string();
        assert!(says.contains(&format!("Did you mean `{meant}`?")), "{says}");
    }
    Ok(())
}

async fn a_password_in_a_url_never_shows(_: Db) -> Outcome {
    for url in [
        "http://me:s3cr3t@localhost:8000",
        "htp://me:s3cr3t@localhost",
        "s3cr3t@x",
    ] {
        let refused = Dynamo::connect(url).await.expect_err("refused");
        assert!(
            !format!("{refused} {refused:?}").contains("s3cr3t"),
            "{refused:?}"
        );
    }
    Ok(())
}

async fn a_file_outlives_its_connection(_: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let url = format!("embedded:{}", folder.path().join("shop.db").display());
    let stored = {
        let db = Dynamo::connect(&url).await?;
        db.create_tables([Draft::schema()]).await?;
        draft("d1", "x").create().send(&db).await?
    };
    // The last drop waits until the file is closed, so a copy of the file has every write.
    let log = folder.path().join("shop.db-wal");
    for round in 0..8 {
        assert!(!log.exists(), "round {round}");
        let db = Dynamo::connect(&url).await?;
        db.create_tables([Draft::schema()]).await?;
        draft("d2", "x").put().unchecked().send(&db).await?;
    }
    let db = Dynamo::connect(&url).await?;
    db.create_tables([Draft::schema()]).await?;
    assert_eq!(
        Draft::key("d1").get().send(&db).await?,
        Some(stored.clone())
    );
    assert!(
        draft("d1", "y")
            .create()
            .send(&db)
            .await
            .unwrap_err()
            .is_already_exists()
    );
    stored.put().send(&db).await?;
    Ok(())
}

async fn a_file_has_one_engine(_: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("shop.db").display().to_string();
    let first = Dynamo::connect(&format!("embedded:{path}")).await?;
    let clone = first.clone();
    drop(first);
    let refused = Dynamo::connect(&format!("embedded:{path}"))
        .await
        .expect_err("locked");
    assert_eq!(
        (refused.kind(), refused.stage()),
        (ErrorKind::Locked, Stage::Connect)
    );
    let says = refused.to_string();
    assert!(
        says.contains(&path) && says.contains("share one `Dynamo`"),
        "{says}"
    );
    drop(clone);
    Dynamo::connect(&format!("embedded:{path}")).await?;
    Ok(())
}

async fn a_file_is_locked_against_other_processes(_: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let url = format!("embedded:{}", folder.path().join("shop.db").display());
    let first = Dynamo::connect(&url).await?;
    let said = child_says(Some(&url))?;
    assert!(said.starts_with("Locked "), "{said}");
    drop(first);
    let said = child_says(Some(&url))?;
    assert!(said.starts_with("opened "), "{said}");
    Ok(())
}

/// Panics if another engine, in this process or another one, can open the file by any of its names.
async fn assert_locked(names: &[String]) -> Outcome {
    for name in names {
        let refused = EmbeddedEngine::open(name).await.expect_err(name);
        assert_eq!(refused.kind(), ErrorKind::Locked, "{name}: {refused}");
    }
    // The refused attempts have not released the lock. SQLite takes its time to refuse, so the children run
    // in parallel.
    let children: Vec<_> = names
        .iter()
        .map(|name| format!("embedded:{name}"))
        .map(|url| std::thread::spawn(move || child_says(Some(&url)).unwrap_or_default()))
        .collect();
    for child in children {
        let said = child.join().expect("a child");
        assert!(said.starts_with("Locked "), "{said}");
    }
    Ok(())
}

/// Panics unless the file can be opened once its engine is gone, and has what that engine wrote last.
async fn assert_free_after(first: Dynamo, names: &[String]) -> Outcome {
    draft("d1", "x").create().send(&first).await?;
    drop(first);
    for name in names {
        let said = child_says(Some(&format!("embedded:{name}")))?;
        assert!(said.starts_with("opened "), "{said}");
        let db = EmbeddedEngine::open(name).await?.connect();
        assert!(Draft::key("d1").get().send(&db).await?.is_some(), "{name}");
    }
    Ok(())
}

async fn opened(path: &Path) -> Result<Dynamo> {
    let db = Dynamo::connect(&format!("embedded:{}", path.display())).await?;
    db.create_tables([Draft::schema()]).await?;
    Ok(db)
}

/// The path relative to the current directory.
fn relative(path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let depth = env::current_dir()?.components().count() - 1;
    let path = path.strip_prefix("/")?.display();
    Ok(format!("{}{path}", "../".repeat(depth)))
}

async fn a_file_is_locked_by_whatever_name(_: Db) -> Outcome {
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("shop.db");
        let first = opened(&path).await?;
        let [link, twin] = ["link.db", "twin.db"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&path, &link)?;
        std::fs::hard_link(&path, &twin)?;
        let mut names = [path.clone(), link, twin]
            .map(|name| name.display().to_string())
            .to_vec();
        names.push(relative(&path)?);
        assert_locked(&names).await?;
        assert_free_after(first, &names).await?;
    }
    Ok(())
}

async fn a_file_stays_locked_when_its_lock_is_deleted(_: Db) -> Outcome {
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir()?;
        let [path, other] = ["shop.db", "other.db"].map(|name| folder.path().join(name));
        let (first, second) = (opened(&path).await?, opened(&other).await?);
        std::fs::remove_file(folder.path().join("shop.db.lock"))?;
        // The lock also holds if somebody creates the lock file anew.
        std::fs::remove_file(folder.path().join("other.db.lock"))?;
        std::fs::write(folder.path().join("other.db.lock"), "")?;
        let names = [path, other].map(|path| path.display().to_string());
        assert_locked(&names).await?;
        assert_free_after(first, &names[..1]).await?;
        assert_free_after(second, &names[1..]).await?;
    }
    Ok(())
}

async fn a_file_stays_locked_when_it_is_renamed(_: Db) -> Outcome {
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir()?;
        let [path, moved] = ["shop.db", "moved.db"].map(|name| folder.path().join(name));
        let first = opened(&path).await?;
        std::fs::rename(&path, &moved)?;
        // The write-ahead log still has the old name, so the old name is locked, too.
        let names = [&path, &moved].map(|path| path.display().to_string());
        assert_locked(&names).await?;
        std::fs::rename(&moved, &path)?;
        assert_free_after(first, &names[..1]).await?;
    }
    Ok(())
}

async fn a_file_in_no_folder_is_an_error(_: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("missing/shop.db");
    let refused = Dynamo::connect(&format!("embedded:{}", path.display())).await;
    let refused = refused.expect_err("no folder");
    assert_eq!(refused.kind(), ErrorKind::Config);
    assert!(refused.to_string().contains("create it first"), "{refused}");
    Ok(())
}

async fn memory_is_private(_: Db) -> Outcome {
    let first = Dynamo::connect("embedded:memory").await?;
    let second = Dynamo::connect("embedded:memory").await?;
    first.create_tables([Note::schema()]).await?;
    let refused = Note::key("n1").get().send(&second).await.unwrap_err();
    assert!(refused.is_table_not_found());
    Ok(())
}

async fn clones_share_the_data(db: Db) -> Outcome {
    let clone = Dynamo::clone(&db);
    note("n1", "x").create().send(&clone).await?;
    assert!(
        Note::key("n1")
            .get()
            .consistent()
            .send(&db)
            .await?
            .is_some()
    );
    Ok(())
}

async fn the_environment_names_the_connection(_: Db) -> Outcome {
    let said = child_says(Some("embedded:memory"))?;
    assert!(said.starts_with("opened "), "{said}");
    let said = child_says(Some("embedded"))?;
    assert!(
        said.starts_with("Config ") && said.contains("embedded:memory"),
        "{said}"
    );
    Ok(())
}

async fn an_environment_without_a_name_says_so(_: Db) -> Outcome {
    let said = child_says(None)?;
    assert!(said.starts_with("Config "), "{said}");
    assert!(
        said.contains("DYNAMO_URL is not set") && said.contains("http://HOST"),
        "{said}"
    );
    Ok(())
}

async fn an_environment_without_a_name_falls_back(_: Db) -> Outcome {
    for unnamed in [None, Some("")] {
        let said = child_falls_back(unnamed, "embedded:memory")?;
        assert!(said.starts_with("opened "), "{said}");
    }
    // A wrong name is not the same as a missing one: there is no fallback.
    let said = child_falls_back(Some("embedded"), "embedded:memory")?;
    assert!(said.starts_with("Config "), "{said}");
    Ok(())
}

async fn a_server_that_is_not_there_is_unavailable(_: Db) -> Outcome {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    drop(listener);
    let db = Dynamo::connect(&url).await?;
    let refused = note("n1", "x").create().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    assert!(refused.to_string().contains("was not sent"), "{refused}");
    Ok(())
}

async fn a_client_of_the_users_own_is_used(db: Db) -> Outcome {
    let client = Client::from_conf(db.engine().config().app_name(AppName::new("mine")?).build());
    let own = Dynamo::new(client).with_prefix(db.prefix());
    own.create_tables([Note::schema()]).await?;
    note("n1", "x").create().send(&own).await?;
    assert_eq!(db.stored(&Note::key("n1")).await["text"], s("x"));
    assert!(own.client().config().app_name().is_some());
    Ok(())
}

async fn a_client_in_the_engines_hands_is_signed(_: Db) -> Outcome {
    let engine = EmbeddedEngine::memory().await?;
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("eu-central-1"))
        .credentials_provider(Credentials::new("any", "any", None, None, "test"))
        .endpoint_url("http://embedded.invalid")
        .http_client(engine.http_client())
        .build();
    let db = Dynamo::new(Client::from_conf(config));
    db.create_tables([Draft::schema()]).await?;
    let stored = draft("d1", "x").create().send(&db).await?;
    assert_eq!(stored.put().send(&db).await?.version, Version::from(2));
    assert!(stored.delete().send(&db).await.unwrap_err().is_conflict());
    let same = Dynamo::new(engine.client());
    assert!(Draft::key("d1").get().send(&same).await?.is_some());
    Ok(())
}

async fn the_clients_are_the_same(db: Db) -> Outcome {
    let put = db.client().put_item().table_name(db.table::<Note>());
    put.item("id", s("n1"))
        .item("text", s("raw"))
        .send()
        .await?;
    let found = Note::key("n1").get().consistent().send(&db).await?;
    assert_eq!(found, Some(note("n1", "raw")));
    Ok(())
}

/// A timer keeps ticking while all workers are busy.
async fn sixteen_tasks_do_not_block_the_runtime(db: Db) -> Outcome {
    let (end, mut ended) = oneshot::channel::<()>();
    let ticker = tokio::spawn(async move {
        let mut longest = Duration::ZERO;
        while ended.try_recv().is_err() {
            let before = Instant::now();
            tokio::time::sleep(Duration::from_millis(5)).await;
            longest = longest.max(before.elapsed());
        }
        longest
    });
    let workers: Vec<_> = (0..16)
        .map(|worker| tokio::spawn(work(db.clone(), worker)))
        .collect();
    for worker in workers {
        worker.await??;
    }
    end.send(()).map_err(|()| "the ticker ended")?;
    let longest = ticker.await?;
    assert!(longest < Duration::from_secs(1), "no tick for {longest:?}");
    Ok(())
}

async fn work(db: Db, worker: usize) -> Result<()> {
    for round in 0..8 {
        let id = format!("{worker}-{round}");
        note(&id, &"x".repeat(2_000)).create().send(&db).await?;
        let draft = draft(&id, "x").create().send(&db).await?;
        let draft = draft.put().send(&db).await?;
        Note::key(&id).get().consistent().send(&db).await?;
        draft.delete().send(&db).await?;
        drop(
            db.client()
                .scan()
                .table_name(db.table::<Note>())
                .send()
                .await,
        );
    }
    Ok(())
}

async fn one_thread_is_enough(_: Db) -> Outcome {
    let thread = std::thread::spawn(|| -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let db = Dynamo::connect("embedded:memory").await?;
            db.create_tables([Note::schema()]).await?;
            let note = note("n1", "x").create().send(&db).await?;
            let get = || Note::key("n1").get().send(&db);
            let (first, second) = tokio::join!(get(), get());
            assert_eq!((first?, second?), (Some(note.clone()), Some(note)));
            Ok(())
        })
    });
    thread.join().map_err(|_| "it panicked")??;
    Ok(())
}
