//! Folders that contain the rows of one entity alone, that lack rows, or that are checked for a long time.

use std::fs;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use dynamo_entity::prelude::*;
use dynamo_entity::transfer::{Csv, ExportFolder, RowFormat};

use super::folders::{Made, made};
use super::{Depot, Note, Part, every_item, note, part};
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    others_are_failures_in_a_folder_of_one_entity(Depot),
    a_folder_without_any_item_of_the_entity_is_an_error(Depot),
    rows_that_the_export_could_not_read_are_missing(Depot),
    a_folder_is_checked_a_part_at_a_time(Depot),
    bad_lines_fill_a_portion_too(Depot),
    csv_has_no_other_format(Depot),
];

async fn others_are_failures_in_a_folder_of_one_entity(db: Db) -> Outcome {
    for id in 0..3 {
        note(id).create().send(&db).await?;
        part(&mut fastrand::Rng::with_seed(1), id)
            .create()
            .send(&db)
            .await?;
    }
    let prefix = tempfile::tempdir()?;
    let export = ExportFolder::create(prefix.path())?;
    let path = export.path().to_owned();
    let scan = Note::scan().consistent();
    let report = scan.export_to(export).send(&db).await?.complete()?;
    assert_eq!(report.rows, 3);
    let report = Part::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?;
    assert_eq!((report.failed, report.left_out, report.written), (3, 0, 0));
    assert!(report.complete().is_err());
    let report = Note::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.unchanged, 3);

    // A row that has lost its type and has another key.
    let prefix = tempfile::tempdir()?;
    let mut export = Made {
        more: ",\"oneEntity\":true",
        ..made(&[("aaaa", &[7, 8])])
    };
    let (_, text) = &mut export.files[0];
    *text = text.replacen(",\"_type\":{\"S\":\"Note\"}", "", 1);
    *text = text.replacen("\"sk\":{\"S\":\"NOTE\"}", "\"sk\":{\"S\":\"OTHER\"}", 1);
    let path = export.write(prefix.path())?;
    let report = Note::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?;
    assert_eq!((report.failed, report.left_out, report.written), (1, 0, 1));
    // The items of a table are of several entities.
    let table = ExportFolder::create(prefix.path())?;
    let path = table.path().to_owned();
    let every = Depot::schema().scan_items()?.consistent();
    every.export_to(table).send(&db).await?.complete()?;
    let report = Note::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!((report.unchanged, report.failed), (4, 0));
    assert!(report.left_out >= 3);
    Ok(())
}

async fn a_folder_without_any_item_of_the_entity_is_an_error(db: Db) -> Outcome {
    let prefix = tempfile::tempdir()?;
    let path = made(&[("aaaa", &[1, 2]), ("bbbb", &[3])]).write(prefix.path())?;
    let report = Part::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?;
    assert_eq!((report.left_out, report.lines), (3, 3));
    let error = report.complete().expect_err("no part");
    assert_eq!(error.kind(), ErrorKind::Config);
    let why = "none of the 3 items in the folder is one of `Part`";
    assert!(error.to_string().contains(why), "{error}");
    // An empty table has nothing to import.
    let prefix = tempfile::tempdir()?;
    let path = made(&[("aaaa", &[])]).write(prefix.path())?;
    let report = Part::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.lines, 0);
    Ok(())
}

async fn rows_that_the_export_could_not_read_are_missing(db: Db) -> Outcome {
    note(1).create().send(&db).await?;
    let stored = note(2).create().send(&db).await?;
    let mut broken = stored.to_item()?;
    broken.insert("text", 7);
    Item::in_table("depot").put(broken).send(&db).await?;
    let prefix = tempfile::tempdir()?;
    let export = ExportFolder::create(prefix.path())?;
    let path = export.path().to_owned();
    let report = Note::scan()
        .consistent()
        .export_to(export)
        .send(&db)
        .await?;
    assert_eq!((report.rows, report.failed), (1, 1));
    // The report of that run may be lost, but the folder is there.
    let open = || ExportFolder::open(&path);
    assert_eq!((open()?.items(), open()?.missing_rows()), (1, 1));
    for is_first in [true, false] {
        let report = Note::import_from(open()?).replace().send(&db).await?;
        assert_eq!((report.written, report.missing_rows()), (1, 1));
        let error = report.complete().expect_err("a row is missing");
        assert_eq!(error.kind(), ErrorKind::RowsFailed, "{is_first}");
        assert!(
            error
                .to_string()
                .contains("1 rows are missing in the folder"),
            "{error}"
        );
    }
    let import = Note::import_from(open()?).replace().allow_missing_rows();
    assert_eq!(import.send(&db).await?.complete()?.written, 1);
    let import = Depot::schema().import_from(open()?)?.replace();
    assert!(import.send(&db).await?.complete().is_err());
    Ok(())
}

async fn a_folder_is_checked_a_part_at_a_time(db: Db) -> Outcome {
    let prefix = tempfile::tempdir()?;
    let path = made(&[("aaaa", &[1]), ("bbbb", &[2]), ("cccc", &[3])]).write(prefix.path())?;
    let sizes = fs::read_dir(path.join("data"))?.map(|entry| Ok(entry?.metadata()?.len()));
    let total = sizes.sum::<std::io::Result<u64>>()?;
    let checked = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&checked);
    let import = Note::import_from(ExportFolder::open(&path)?).on_progress(move |counts| {
        if counts.lines == 0 {
            told.store(counts.checked_bytes, Ordering::Relaxed);
        }
    });
    let mut send = pin!(import.send(&db));
    // Other tasks of the thread are polled after the first part.
    let is_ready = std::future::poll_fn(|cx| Poll::Ready(send.as_mut().poll(cx).is_ready())).await;
    let first = checked.load(Ordering::Relaxed);
    assert!(
        !is_ready && first > 0 && first < total,
        "{first} of {total}"
    );
    let report = send.await?;
    assert_eq!(checked.load(Ordering::Relaxed), total);
    assert_eq!(report.complete()?.checked_bytes, total);
    Ok(())
}

/// A portion ends after 4 MB, also if nothing in it can be stored.
async fn bad_lines_fill_a_portion_too(db: Db) -> Outcome {
    let line = format!("\"{}\"\n", "x".repeat(2_200_000));
    let file = line.repeat(3);
    let mut portions = Vec::new();
    let import = Note::import(file.as_bytes()).on_progress(|counts| portions.push(counts.failed));
    assert_eq!(import.send(&db).await?.failed, 3);
    assert_eq!(portions, [2, 3]);
    Ok(())
}

async fn csv_has_no_other_format(db: Db) -> Outcome {
    let csv = Csv::of::<Note>();
    let why = "CSV is a format of its own";
    let export = Note::scan().export(Vec::new()).csv(&csv);
    let error = export.format(RowFormat::Json).send(&db).await.unwrap_err();
    assert!(error.to_string().contains(why), "{error}");
    let import = Note::import(&b"id,text,version\n"[..]).csv(&csv);
    let error = import.format(RowFormat::Json).send(&db).await.unwrap_err();
    assert!(error.to_string().contains(why), "{error}");
    assert_eq!(every_item(&db).await?.len(), 0);
    Ok(())
}
