//! Items that are copied to another connection and back, and test data with pseudonyms.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::files::{count, users};
use crate::place::{Outcome, PROGRAM, Place, said};

/// A file beside the tables of the place, with the same tables.
fn file(place: &Place) -> Outcome<String> {
    let path = place.file("copy.db", "")?;
    std::fs::remove_file(&path)?;
    let url = format!("embedded:{path}");
    at(&url, &["apply", "--yes"])?;
    Ok(url)
}

/// A command on another connection, which has to succeed.
fn at(url: &str, arguments: &[&str]) -> Outcome<String> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(PROGRAM, "shop").env_remove("DYNAMO_URL");
    let said = said(command.args(["--url", url]).args(arguments).output()?)?;
    if let Some(path) = url.strip_prefix("embedded:") {
        let has_log = Path::new(&format!("{path}-wal")).exists();
        assert!(
            !has_log,
            "{arguments:?}: a copy of the file would lack writes"
        );
    }
    match said.code {
        0 => Ok(said.out),
        _ => Err(format!("{arguments:?}: {said:?}").into()),
    }
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

pub fn an_entity_is_copied_to_a_file_and_back(place: &Place) -> Outcome {
    users(place, 5)?;
    let url = file(place)?;
    let copy = [
        "copy",
        "User",
        "--to",
        &url,
        "--segments",
        "2",
        "--rate",
        "1000",
        "--json",
    ];
    let first = place.done("shop", &copy)?;
    assert!(
        first.notes.contains(
            "User: 5 rows: 5 stored, 0 unchanged, 0 of existing items, 0 failed, 5 others left out"
        ),
        "{first:?}"
    );
    assert_eq!(first.rows()?[0]["written"], 5);
    let before = place.done("shop", &["export-data", "--table", "shop"])?.out;
    let after = at(&url, &["export-data", "--table", "shop"])?;
    assert_eq!(sorted(&before), sorted(&after), "with the unique values");
    assert!(
        place
            .done("shop", &copy)?
            .notes
            .contains("0 stored, 5 unchanged")
    );
    // And back, the whole table, under another prefix.
    let back = format!("{}-back", place.prefix);
    let mut apply = Command::new(std::env::current_exe()?);
    apply.env(PROGRAM, "shop").env_remove("DYNAMO_URL");
    apply.args(["--url", &place.url, "--prefix", &back, "apply", "--yes"]);
    assert_eq!(said(apply.output()?)?.code, 0);
    at(
        &url,
        &[
            "copy",
            "--table",
            "shop",
            "--to",
            &place.url,
            "--to-prefix",
            &back,
        ],
    )?;
    let mut read = Command::new(std::env::current_exe()?);
    read.env(PROGRAM, "shop").env_remove("DYNAMO_URL");
    read.args([
        "--url",
        &place.url,
        "--prefix",
        &back,
        "export-data",
        "--table",
        "shop",
    ]);
    assert_eq!(sorted(&said(read.output()?)?.out), sorted(&before));
    Ok(())
}

pub fn a_masked_copy_has_pseudonyms(place: &Place) -> Outcome {
    users(place, 3)?;
    let url = file(place)?;
    let copy = |arguments: &[&str]| -> Outcome<_> {
        let mut command = place.command(
            "shop",
            &["copy", "--table", "shop", "--to", &url, "--masked"],
        )?;
        command
            .args(arguments)
            .env("MASK", "8f1d7c02b95e4a6e8f1d7c02b95e4a6e");
        said(command.output()?)
    };
    let first = copy(&["--secret-env", "MASK"])?;
    assert!(
        first.code == 0 && first.notes.contains("shop: 3 rows: 3 stored"),
        "{first:?}"
    );
    let rows = at(&url, &["export-data", "--table", "shop"])?;
    assert_eq!(rows.lines().count(), 6);
    assert!(
        !rows.contains("u1@") && !rows.contains("Ann") && rows.contains("@example.com"),
        "{rows}"
    );
    let again = copy(&["--secret-env", "MASK"])?;
    assert!(again.notes.contains("3 unchanged"), "{again:?}");
    let random = copy(&[])?;
    assert!(
        random.code == 1 && random.notes.contains("3 of existing items"),
        "{random:?}"
    );
    // Another random mask would replace nothing by the same pseudonyms.
    assert!(
        random.notes.contains("failed row 1: ")
            && random.notes.contains("pass `--secret-env NAME`")
            && !random.notes.contains("--replace"),
        "{random:?}"
    );
    let missing = copy(&["--secret-env", "NO_SUCH_VARIABLE"])?;
    assert!(
        missing.notes.contains("NO_SUCH_VARIABLE is not set"),
        "{missing:?}"
    );
    Ok(())
}

pub fn a_copy_has_to_be_meant(place: &Place) -> Outcome {
    users(place, 1)?;
    let own = &[&[
        "copy",
        "User",
        "--to",
        &*place.url,
        "--to-prefix",
        &*place.prefix,
    ][..]]
    .concat();
    place.refused("shop", own, &["are the same table"])?;
    let url = file(place)?;
    let missing = ["copy", "User", "--to", &url, "--to-prefix", "nowhere"];
    place.refused(
        "shop",
        &missing,
        &["no table `nowhere-shop`", "check `--to` and `--to-prefix`"],
    )?;
    place.refused(
        "shop",
        &["copy", "--to", &url],
        &[".writes::<RequestCount>()"],
    )?;
    let secret = ["copy", "User", "--to", &url, "--secret-env", "MASK"];
    place.refused("shop", &secret, &["--masked"])?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .env(PROGRAM, "shop")
        .env("DYNAMO_URL", "aws://eu-west-1");
    let said = said(command.args(["copy", "User", "--to", &url]).output()?)?;
    assert!(said.code == 1 && said.notes.contains("--scan"), "{said:?}");
    let others = ["copy", "User", "--to", &url, "--masked", "--copy-others"];
    place.refused(
        "shop",
        &others,
        &["`--copy-others` is for copies of a table"],
    )?;
    let missing = format!("{url}.missing");
    let words = &["there is no file", ".missing`"];
    place.refused("shop", &["copy", "User", "--to", &missing], words)?;
    let text = place.file("notes.txt", "a text that is longer than a header")?;
    let foreign = format!("embedded:{text}");
    let words = &["is no database of the embedded engine"];
    place.refused("shop", &["copy", "User", "--to", &foreign], words)?;
    assert!(!Path::new(&format!("{text}.lock")).exists());
    assert_eq!(count(place)?, 2);
    Ok(())
}

/// A copy that is killed at any time goes on, and the target is then equal.
pub fn a_killed_copy_is_resumed(place: &Place) -> Outcome {
    users(place, 60)?;
    let url = file(place)?;
    let state = place.file("state", "")?;
    std::fs::remove_file(&state)?;
    let copy = ["copy", "User", "--to", &url, "--checkpoint", &state];
    for millis in [60, 150, 240] {
        let slow = [&copy[..], &["--rate", "60"]].concat();
        let mut command = place.command("shop", &slow)?;
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        thread::sleep(Duration::from_millis(millis));
        child.kill()?;
        child.wait()?;
        // Each user has the item of its address.
        let rows = at(&url, &["export-data", "--table", "shop"])?;
        let users = rows.lines().filter(|row| row.contains("\"user\"")).count();
        assert_eq!(rows.lines().count(), 2 * users);
    }
    let said = place.done("shop", &copy)?;
    assert!(said.notes.contains("User: 60 rows: "), "{said:?}");
    let before = place.done("shop", &["export-data", "--table", "shop"])?.out;
    let after = at(&url, &["export-data", "--table", "shop"])?;
    assert_eq!(sorted(&before), sorted(&after));
    let over = place.done("shop", &[&copy[..], &["--json"]].concat())?;
    let row = &over.rows()?[0];
    assert_eq!(row["was_finished"], true);
    assert!(row["stopped"].is_null(), "{row}");
    let words = format!(
        "nothing to do: an earlier run finished this copy; delete {state} to copy again: User: 60 rows"
    );
    assert!(over.notes.starts_with(&words), "{over:?}");
    let other = [&copy[..], &["--segments", "4"]].concat();
    let words = &[
        &*format!("{state}: "),
        "`segments` was 1, and is 4",
        "delete the file",
    ];
    place.refused("shop", &other, words)?;
    Ok(())
}

/// An item of a unique value is not to be replaced alone, because two items would have the value.
pub fn taken_values_are_copied_by_entity(place: &Place) -> Outcome {
    users(place, 1)?;
    let url = file(place)?;
    let bob = r#"{"user":"bob","email":"u0@example.com","name":"Bob"}"#;
    at(&url, &["put", "User", bob])?;
    let table = place.shop(&["copy", "--table", "shop", "--to", &url])?;
    assert!(
        table.code == 1
            && table
                .notes
                .contains("name each entity instead of the table")
            && !table.notes.contains("--replace"),
        "{table:?}"
    );
    // The row was copied without its value.
    let entity = place.shop(&["copy", "User", "User", "--to", &url, "--json"])?;
    assert!(
        entity.code == 1 && entity.notes.contains("another item has this value"),
        "{entity:?}"
    );
    assert_eq!(entity.rows()?.len(), 1, "named twice, copied once");
    let limited = ["copy", "User", "Order", "--to", &url, "--max-failures", "0"];
    let words = &[
        "because 1 rows failed",
        "by `--max-failures`",
        "not copied: Order",
    ];
    place.refused("shop", &limited, words)?;
    at(&url, &["delete", "User", "bob", "--yes"])?;
    let mended = place.done("shop", &["copy", "User", "--to", &url])?;
    assert!(mended.notes.contains("1 stored, 0 unchanged"), "{mended:?}");
    Ok(())
}

pub fn one_file_has_many_paths(place: &Place) -> Outcome {
    let url = file(place)?;
    let path = url.strip_prefix("embedded:").ok_or("a path")?;
    let path = Path::new(path);
    let (folder, name) = (
        path.parent().ok_or("a folder")?,
        path.file_name().ok_or("a name")?,
    );
    let other = format!("embedded:{}", folder.join(".").join(name).display());
    let mut copy = Command::new(std::env::current_exe()?);
    copy.env(PROGRAM, "shop").env_remove("DYNAMO_URL");
    copy.args(["--url", &url, "copy", "User", "--to", &other]);
    let same = said(copy.output()?)?;
    assert!(same.notes.contains("are the same table"), "{same:?}");
    let mut copy = Command::new(std::env::current_exe()?);
    copy.env(PROGRAM, "shop").env_remove("DYNAMO_URL");
    copy.args([
        "--url", &url, "--prefix", "none", "copy", "User", "--to", &other,
    ]);
    let missing = said(copy.output()?)?;
    assert!(
        missing.code == 1 && !missing.notes.contains("0 rows"),
        "{missing:?}"
    );
    Ok(())
}
