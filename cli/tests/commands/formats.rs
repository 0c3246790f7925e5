//! Files of other formats: CSV, folders like DynamoDB's exports to S3, and compressed lines.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::files::{count, users};
use crate::place::{Outcome, Place};
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::ExportFolder;

use crate::shop_admin::{Shop, User};

fn inside(place: &Place, name: &str) -> Outcome<String> {
    Ok(place.file("unused", "")?.replace("unused", name))
}

fn empty(place: &Place) -> Outcome {
    place.typed(async |db| db.truncate([Shop::schema()]).even_on_aws().await.map(drop))
}

/// The lines of an export of all items, sorted.
fn every(place: &Place) -> Outcome<Vec<String>> {
    let said = place.done("shop", &["export-data", "--table", "shop"])?;
    let mut lines: Vec<String> = said.out.lines().map(str::to_owned).collect();
    lines.sort();
    Ok(lines)
}

pub fn csv_brings_back_what_was_exported(place: &Place) -> Outcome {
    users(place, 4)?;
    let before = every(place)?;
    let path = inside(place, "users.csv")?;
    let said = place.done(
        "shop",
        &["export-data", "User", "--format", "csv", "--out", &path],
    )?;
    assert!(
        said.out.is_empty() && said.notes.contains("4 rows; 4 other items"),
        "{said:?}"
    );
    let part = format!("{path}.part");
    assert!(!Path::new(&part).exists());
    // The growing file of another command is left alone, and that of a killed one is written anew.
    std::fs::write(&part, "of another")?;
    let growing = std::fs::File::open(&part)?;
    growing.lock()?;
    place.refused(
        "shop",
        &["export-data", "User", "--format", "csv", "--out", &path],
        &["another export is writing this file"],
    )?;
    assert_eq!(std::fs::read_to_string(&part)?, "of another");
    drop(growing);
    place.done(
        "shop",
        &["export-data", "User", "--format", "csv", "--out", &path],
    )?;
    assert!(!Path::new(&part).exists());
    let file = std::fs::read_to_string(&path)?;
    assert!(
        file.starts_with("user,email,name,version,created_at\n"),
        "{file}"
    );
    empty(place)?;
    let import = ["import-data", "User", "--format", "csv", "--from", &path];
    assert!(
        place
            .done("shop", &import)?
            .notes
            .contains("4 lines: 4 stored")
    );
    assert_eq!(every(place)?, before);

    let columns = [
        "export-data",
        "User",
        "--format",
        "csv",
        "--columns",
        "user=Who,email",
    ];
    let said = place.done("shop", &columns)?;
    assert_eq!(said.out.lines().next(), Some("Who,email"));
    assert_eq!(said.out.lines().count(), 5);
    let path = place.file("formula.csv", "Who,email,name\n=x,'=1@example.com,N\n")?;
    let import = [
        "import-data",
        "User",
        "--format",
        "csv",
        "--columns",
        "user=Who,email,name",
        "--from",
        &path,
    ];
    place.done("shop", &[&import[..], &["--escape-formulas"]].concat())?;
    let said = place.done("shop", &["get", "User", "=x"])?;
    assert!(
        said.out.contains("=1@example.com") && !said.out.contains("'="),
        "{said:?}"
    );
    for (arguments, words) in [
        (&["--columns", "user"][..], "only CSV has columns"),
        (
            &["--format", "csv", "--columns", "size"],
            "no attribute `size` for a column",
        ),
        (&["--resume"], "only an export into a folder resumes"),
        (
            &["--format", "aws", "--out", "x", "--gzip"],
            "always compressed",
        ),
        (&["--format", "aws"], "--out"),
    ] {
        let said = place.run("shop", &[&["export-data", "User"], arguments].concat())?;
        assert!(said.code != 0 && said.notes.contains(words), "{said:?}");
    }
    place.refused(
        "shop",
        &["export-data", "--table", "shop", "--format", "csv"],
        &["CSV has the columns of one entity"],
    )
}

pub fn names_tell_that_lines_are_compressed(place: &Place) -> Outcome {
    users(place, 3)?;
    let before = every(place)?;
    let path = inside(place, "shop.jsonl.gz")?;
    place.done("shop", &["export-data", "--table", "shop", "--out", &path])?;
    assert!(
        std::fs::read(&path)?.starts_with(&[0x1f, 0x8b]),
        "it is compressed"
    );
    let other = inside(place, "shop.lines")?;
    std::fs::copy(&path, &other)?;
    for arguments in [&["--from", &path][..], &["--from", &other, "--gzip"]] {
        empty(place)?;
        place.done(
            "shop",
            &[&["import-data", "--table", "shop"], arguments].concat(),
        )?;
        assert_eq!(every(place)?, before);
    }
    let cut = inside(place, "cut.gz")?;
    let bytes = std::fs::read(&path)?;
    std::fs::write(&cut, &bytes[..bytes.len() - 12])?;
    place.refused(
        "shop",
        &["import-data", "--table", "shop", "--from", &cut],
        &["the reader of the import failed"],
    )
}

/// The folder of the only export.
fn export_below(prefix: &str) -> Outcome<PathBuf> {
    let mut exports = std::fs::read_dir(Path::new(prefix).join("AWSDynamoDB"))?;
    let found = exports.next().ok_or("an export")??.path();
    match exports.next() {
        None => Ok(found),
        Some(_) => Err("several exports".into()),
    }
}

pub fn a_folder_brings_back_what_was_exported(place: &Place) -> Outcome {
    users(place, 4)?;
    let before = every(place)?;
    let prefix = inside(place, "exports")?;
    let export = [
        "export-data",
        "--table",
        "shop",
        "--format",
        "aws",
        "--out",
        &prefix,
    ];
    let said = place.done("shop", &export)?;
    let path = export_below(&prefix)?.display().to_string();
    assert!(
        said.notes.contains(&path) && said.notes.contains("8 rows"),
        "{said:?}"
    );
    empty(place)?;
    let import = [
        "import-data",
        "--table",
        "shop",
        "--format",
        "aws",
        "--from",
        &path,
    ];
    assert!(
        place
            .done("shop", &import)?
            .notes
            .contains("8 lines: 8 stored")
    );
    assert_eq!(every(place)?, before);
    empty(place)?;
    let import = ["import-data", "User", "--format", "aws", "--from", &prefix];
    let said = place.done("shop", &import)?;
    assert!(
        said.notes.contains("8 lines: 4 stored") && said.notes.contains("4 of others left out"),
        "{said:?}"
    );
    assert_eq!(every(place)?, before);
    std::fs::remove_file(Path::new(&path).join("data/000001.json.gz"))?;
    place.refused("shop", &import, &["000001.json.gz: the file is missing"])?;

    // A row that cannot be read is missing in the folder, and an import says so.
    let prefix = inside(place, "incomplete")?;
    place.typed(async |db| {
        let schema = Shop::schema();
        let items = schema.scan_items()?.consistent().all(db).await?;
        let user = items.into_iter().find(|item| item.get("name").is_some());
        let mut user = user.unwrap_or_default();
        user.insert("name", 7);
        Item::in_table("shop").put(user).send(db).await?;
        // The command line reads rows without their types, so a program writes the folder.
        let export = User::scan().export_to(ExportFolder::create(&prefix)?);
        assert_eq!(export.send(db).await?.failed, 1);
        Ok(())
    })?;
    let import = ["import-data", "User", "--format", "aws", "--from", &prefix];
    place.refused("shop", &import, &["1 rows are missing in the folder"])?;
    place.done("shop", &[&import[..], &["--allow-missing-rows"]].concat())?;
    let import = [
        "import-data",
        "RequestCount",
        "--format",
        "aws",
        "--from",
        &prefix,
    ];
    let said = place.run("shop", &import)?;
    assert!(said.code == 1, "{said:?}");
    Ok(())
}

pub fn what_was_killed_goes_on(place: &Place) -> Outcome {
    users(place, 0)?;
    // The import is killed after its first portion of 500 lines.
    let line = |number: usize| {
        format!("{{\"user\":\"u{number:04}\",\"email\":\"{number}@example.com\",\"name\":\"N\"}}\n")
    };
    let lines: String = (0..620).map(line).collect();
    let from = place.file("users", &lines)?;
    let checkpoint = inside(place, "checkpoint")?;
    let import = [
        "import-data",
        "User",
        "--from",
        &from,
        "--checkpoint",
        &checkpoint,
    ];
    killed(place, &[&import[..], &["--rate", "450"]].concat(), || {
        Path::new(&checkpoint).exists()
    })?;
    let said = place.done("shop", &import)?;
    assert!(said.notes.contains("620 lines: "), "{said:?}");
    assert_eq!(count(place)?, 1240);

    let prefix = inside(place, "exports")?;
    let export = [
        "export-data",
        "User",
        "--format",
        "aws",
        "--out",
        &prefix,
        "--resume",
    ];
    let is_begun = || export_below(&prefix).is_ok_and(|path| path.join("_started").exists());
    killed(place, &[&export[..], &["--rate", "1"]].concat(), is_begun)?;
    let path = export_below(&prefix)?;
    let import = [
        "import-data",
        "User",
        "--format",
        "aws",
        "--from",
        &path.display().to_string(),
    ];
    place.refused("shop", &import, &["the export is not complete"])?;
    place.done("shop", &export)?;
    assert_eq!(export_below(&prefix)?, path);
    empty(place)?;
    assert!(
        place
            .done("shop", &import)?
            .notes
            .contains("620 lines: 620 stored")
    );
    assert_eq!(count(place)?, 1240);
    Ok(())
}

/// Begins a command, and kills it when something is there.
fn killed(place: &Place, arguments: &[&str], is_there: impl Fn() -> bool) -> Outcome {
    let mut command = place.command("shop", arguments)?;
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    for _ in 0..2_000 {
        if is_there() || child.try_wait()?.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let is_running = child.try_wait()?.is_none();
    child.kill()?;
    child.wait()?;
    match is_running {
        true => Ok(()),
        false => Err("it ended before it was killed".into()),
    }
}
