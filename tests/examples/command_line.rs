//! The example `contacts`: its commands run in this process, and the program itself is run for its exit codes.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use clap::Parser;
use dynamo_entity::prelude::*;

use crate::contacts::cli::Cli;
use crate::contacts::{App, Contact, Exit, run};
use crate::support::db::{Db, Mode};
use crate::support::engine::Engine;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;

/// The exit code and the texts that a command left.
struct Ran {
    exit: Exit,
    out: String,
    notes: String,
    message: String,
}

async fn open() -> Result<Db> {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([Contact::schema()]).await?;
    Ok(db)
}

/// Runs a command line as `main` does, with this connection.
async fn contacts(db: &Dynamo, line: &[&str]) -> Result<Ran, Box<dyn Error>> {
    let cli = Cli::try_parse_from(["contacts"].iter().chain(line));
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    let ended = match cli {
        Err(wrong) => Err((Exit::Usage, wrong.to_string())),
        Ok(cli) => {
            let mut app = App {
                contacts: Arc::new(db.clone()),
                book: cli.book,
                out: &mut out,
                notes: &mut notes,
            };
            let ended = run(&mut app, cli.command).await;
            ended.map_err(|failure| (failure.exit(), failure.message().unwrap_or_default()))
        }
    };
    let (exit, message) = ended.err().unwrap_or((Exit::Done, String::new()));
    Ok(Ran {
        exit,
        out: String::from_utf8(out)?,
        notes: String::from_utf8(notes)?,
        message,
    })
}

#[tokio::test]
async fn contacts_are_created_changed_and_deleted() -> Outcome {
    let db = open().await?;
    let create = ["create", "ann", "--name", "Ann", "--tag", "b", "--tag", "a"];
    assert_eq!(contacts(&db, &create).await?.out, "ann\tv1\tAnn\t-\ta,b\n");
    let again = contacts(&db, &create).await?;
    assert_eq!((again.exit, again.out.as_str()), (Exit::Conflict, ""));

    let update = "update ann --email a@example.com --untag b --if-version 1";
    let update: Vec<_> = update.split(' ').collect();
    let updated = contacts(&db, &update).await?;
    assert_eq!(updated.out, "ann\tv2\tAnn\ta@example.com\ta\n");
    let late = contacts(&db, &update).await?;
    assert_eq!(late.exit, Exit::Conflict);
    assert_eq!(late.message, "`ann` has changed: it has version 2 now");
    let late = contacts(&db, &["delete", "ann", "--if-version", "1"]).await?;
    assert_eq!(late.exit, Exit::Conflict);
    let cleared = contacts(&db, &["update", "ann", "--no-email"]).await?;
    assert_eq!(cleared.out, "ann\tv3\tAnn\t-\ta\n");
    assert_eq!(contacts(&db, &["get", "ann"]).await?.out, cleared.out);

    let other = contacts(&db, &["get", "ann", "--book", "work"]).await?;
    assert_eq!(other.exit, Exit::NotFound);
    let delete = ["delete", "ann"];
    assert_eq!(contacts(&db, &delete).await?.exit, Exit::Done);
    assert_eq!(contacts(&db, &delete).await?.exit, Exit::NotFound);
    let ghost = contacts(&db, &["update", "ann", "--name", "A"]).await?;
    assert_eq!(ghost.exit, Exit::NotFound);
    assert_eq!(ghost.message, "there is no `ann`");
    for wrong in [
        ["update", "ann"].as_slice(),
        &["update", "ann", "--email", "a", "--no-email"],
        &["list", "--limit", "0"],
        &["list", "--cursor", "nonsense"],
        &["create", "", "--name", "Nobody"],
    ] {
        assert_eq!(contacts(&db, wrong).await?.exit, Exit::Usage, "{wrong:?}");
    }
    db.close().await
}

#[tokio::test]
async fn contacts_are_listed_page_by_page() -> Outcome {
    let db = open().await?;
    for number in 0..10 {
        let (handle, tag) = (format!("c{number}"), format!("t{}", number % 2));
        contacts(&db, &["create", &handle, "--name", "C", "--tag", &tag]).await?;
    }
    contacts(&db, &["create", "z", "--name", "Z", "--tag", "t1"]).await?;
    let handles = |out: &str| -> Vec<String> {
        let first = |line: &str| line.split('\t').next().map(str::to_owned);
        out.lines().filter_map(first).collect()
    };
    let filter = "list --tag t1 --starts-with c --limit 2";
    let filter: Vec<_> = filter.split(' ').collect();

    let (mut pages, mut cursor) = (Vec::new(), None::<String>);
    for _ in 0..5 {
        let mut list = filter.clone();
        list.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor]));
        let page = contacts(&db, &list).await?;
        pages.push(handles(&page.out));
        let more = page.notes.trim().split_once("--cursor ");
        match more.map(|(_, next)| next.to_owned()) {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(pages, [vec!["c1", "c3"], vec!["c5", "c7"], vec!["c9"]]);

    let all = [filter.as_slice(), &["--all"]].concat();
    let all = contacts(&db, &all).await?;
    assert_eq!(handles(&all.out), pages.concat());
    assert_eq!(all.notes, "");
    let elsewhere = ["list", "--cursor", cursor.as_deref().ok_or("no cursor")?];
    let elsewhere = contacts(&db, &elsewhere).await?;
    assert_eq!(elsewhere.exit, Exit::Usage, "a cursor of another query");
    db.close().await
}

#[tokio::test]
async fn contacts_go_to_a_file_and_back() -> Outcome {
    let db = open().await?;
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, exported) = (path("in"), path("out"));
    let good = [
        r#"{"handle":"a","name":"A"}"#,
        r#"{"handle":"b","name":"B","email":"b@example.com","tags":["x","y"]}"#,
    ];
    let bad = [
        b"nonsense".as_slice(),
        br#"{"handle":"c","nam":"C"}"#,
        br#"{"handle":"a","name":"Another"}"#,
        br#"{"handle":"","name":"Nobody"}"#,
        b"\xff",
    ];
    let mut lines: Vec<&[u8]> = vec![good[0].as_bytes(), b"", good[1].as_bytes()];
    lines.extend(bad);
    fs::write(&file, lines.join(b"\r\n".as_slice()))?;

    let first = contacts(&db, &["import", &file]).await?;
    assert_eq!(first.exit, Exit::BadLines);
    assert_eq!(first.message, "5 lines were not imported");
    let summary = "2 created, 0 replaced, 0 there already, 5 bad\n";
    assert!(first.notes.ends_with(summary), "{}", first.notes);
    for line in 4..=8 {
        let report = format!("line {line}: ");
        assert!(first.notes.contains(&report), "{report}: {}", first.notes);
    }
    let again = contacts(&db, &["import", &file]).await?;
    let summary = "0 created, 0 replaced, 2 there already, 5 bad\n";
    assert!(again.notes.ends_with(summary), "{}", again.notes);

    fs::write(&exported, "what was there")?;
    let export = contacts(&db, &["export", &exported]).await?;
    assert_eq!(
        (export.exit, export.notes.as_str()),
        (Exit::Done, "2 contacts\n")
    );
    let whole = good.map(|line| format!("{line}\n")).concat();
    assert_eq!(fs::read_to_string(&exported)?, whole);
    assert_eq!(contacts(&db, &["export", "-"]).await?.out, whole);

    let moved = contacts(&db, &["import", &exported, "--book", "work"]).await?;
    assert_eq!(moved.exit, Exit::Done);
    let nowhere = contacts(&db, &["import", &path("missing")]).await?;
    assert_eq!(nowhere.exit, Exit::Failed);
    db.close().await
}

#[tokio::test]
async fn contacts_that_differ_are_replaced_only_on_request() -> Outcome {
    let db = open().await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("in").display().to_string();
    contacts(&db, &["create", "ann", "--name", "Ann"]).await?;
    fs::write(&file, r#"{"handle":"ann","name":"Anna"}"#)?;
    let kept = contacts(&db, &["import", &file]).await?;
    assert_eq!(kept.exit, Exit::BadLines);
    assert!(kept.notes.starts_with("line 1: is there and differs"));
    let before = Contact::key("main", "ann").get().consistent();
    let before = before.send(&db).await?.ok_or("no contact")?;
    let replaced = contacts(&db, &["import", &file, "--replace"]).await?;
    assert_eq!(replaced.exit, Exit::Done);
    let after = Contact::key("main", "ann").get().consistent();
    let after = after.send(&db).await?.ok_or("no contact")?;
    assert_eq!(
        (after.name.as_str(), after.version.number()),
        ("Anna", Some(2))
    );
    assert_eq!(after.created_at, before.created_at);
    db.close().await
}

/// The store goes away at each write in turn, before the write takes effect or after it.
#[tokio::test]
async fn contacts_are_all_imported_once_the_store_is_back() -> Outcome {
    let db = open().await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("in").display().to_string();
    let line = |number| format!("{{\"handle\":\"c{number}\",\"name\":\"C\"}}\n");
    fs::write(&file, (0..6).map(line).collect::<String>())?;
    for passed in 0..6 {
        for (fault, took_effect) in [(Fault::Lose, 1), (Fault::Refused, 0)] {
            let book = format!("{passed}-{took_effect}");
            let import = ["import", &file, "--jobs", "1", "--book", &book];
            let plan = vec![Fault::Pass; passed].into_iter();
            let (faulty, _) = db.faulty(plan.chain(vec![fault; 3]));
            let stopped = contacts(&faulty, &import).await?;
            assert_eq!(stopped.exit, Exit::Unavailable, "{}", stopped.message);
            let so_far = format!("stopped after {passed} lines, run it again");
            assert!(stopped.message.starts_with(&so_far), "{}", stopped.message);

            let there = passed + took_effect;
            let resumed = contacts(&db, &import).await?;
            let missing = 6 - there;
            let summary = format!("{missing} created, 0 replaced, {there} there already, 0 bad\n");
            assert_eq!((resumed.exit, resumed.notes), (Exit::Done, summary));
            let listed = contacts(&db, &["list", "--all", "--book", &book]).await?;
            assert_eq!(listed.out.matches("\tv1\t").count(), 6);
        }
    }
    db.close().await
}

/// Scripts see the exit codes, and each process reads what an earlier one wrote.
#[tokio::test]
async fn contacts_is_a_program_with_exit_codes() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    let folder = tempfile::tempdir()?;
    let url = match db.engine() {
        Engine::Embedded(_) => format!("embedded:{}", folder.path().join("db").display()),
        Engine::Server(url) => url.clone(),
    };
    let contacts = |line: &str| {
        let mut command = example("contacts");
        command.args(["--url", &url, "--prefix", db.prefix()]);
        command.args(line.split(' ')).output()
    };
    let created = contacts("create ann --name Ann")?;
    assert_eq!(code(&created)?, 0, "{created:?}");
    let got = contacts("get ann")?;
    assert_eq!(
        String::from_utf8(got.stdout.clone())?,
        "ann\tv1\tAnn\t-\t\n"
    );
    assert_eq!(code(&contacts("create ann --name Ann")?)?, 4);
    let missing = contacts("get bob")?;
    assert_eq!(code(&missing)?, 3);
    assert_eq!(
        String::from_utf8(missing.stderr)?,
        "error: there is no `bob`\n"
    );
    assert_eq!(code(&contacts("get")?)?, 2);
    assert_eq!(code(&contacts("get ann --url http://127.0.0.1:1")?)?, 5);
    db.close().await
}

/// Runs an example as a program of its own. Cargo gives tests the paths of a package's binaries but not of
/// its examples, so this asks cargo to build and run it. The exit code is that of the program.
fn example(name: &str) -> Command {
    let mut command = Command::new(env!("CARGO"));
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    command
        .args(["run", "--quiet", "--manifest-path"])
        .arg(manifest);
    command.args(["--example", name, "--"]);
    command
}

fn code(output: &Output) -> Result<i32, &'static str> {
    output.status.code().ok_or("it was ended by a signal")
}
