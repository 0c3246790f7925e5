//! Exports and imports that are stopped at any request, and run again.

use std::io::{self, Read, Write};

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::ImportReport;

use super::{Depot, FORMATS, Note, Part, assert_same, every_item, note, part};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_export_goes_on_where_it_was_stopped(Depot),
    a_writer_that_fails_stops_the_export(Depot),
    an_import_goes_on_where_it_was_stopped(Depot),
    a_lost_answer_stores_each_line_once(Depot),
    an_item_in_the_way_that_could_not_be_read_is_read_again(Depot),
    a_checkpoint_is_of_one_file_and_one_import(Depot),
    a_reader_that_fails_stops_the_import(Depot),
    the_rate_is_kept(Depot),
];

fn denied_after(requests: usize) -> impl Iterator<Item = Fault> {
    let denied = (0..40).map(|_| Fault::refuse("AccessDeniedException"));
    std::iter::repeat_n(Fault::Pass, requests).chain(denied)
}

async fn an_export_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    let notes: Vec<Note> = (0..60).map(note).collect();
    put_each(notes.iter().map(Note::create))
        .send(&db)
        .await?
        .complete()?;
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for segments in [1, 4] {
        for format in FORMATS {
            let scan = || Note::scan().segments(segments).page_size(5).consistent();
            let mut whole = Vec::new();
            scan()
                .export(&mut whole)
                .format(format)
                .send(&db)
                .await?
                .complete()?;
            let (mut file, mut next, mut runs) = (Vec::new(), None, 0);
            loop {
                let (faulty, _) = db.faulty(denied_after(random.usize(1..6)));
                let export = scan().resume(next.take()).export(&mut file);
                let report = export.format(format).send(&faulty).await?;
                runs += 1;
                next = report.position().cloned();
                if report.stopped().is_none() {
                    break;
                }
                // A crash writes some more bytes that nobody reported.
                file.extend_from_slice(b"{\"id\":");
                file.truncate(file.len() - 6);
            }
            assert!(runs > 1, "seed {seed}: it was not stopped");
            let is_same = super::sorted_lines(&file) == super::sorted_lines(&whole);
            assert!(is_same, "seed {seed}, {segments} segments");
        }
    }
    Ok(())
}

/// Fails after so many bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.0);
        self.0 -= count;
        match count {
            0 => Err(io::Error::other("full")),
            count => Ok(count),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn a_writer_that_fails_stops_the_export(db: Db) -> Outcome {
    note(1).create().send(&db).await?;
    let report = Note::scan().export(Full(10)).send(&db).await?;
    assert_eq!(
        (report.rows, report.bytes),
        (0, 0),
        "the writer does not have a whole line"
    );
    let stopped = report.complete().expect_err("full");
    assert_eq!(stopped.kind(), ErrorKind::CallbackError);
    Ok(())
}

/// Imports into an empty table, by runs that are stopped after some requests; some find an older checkpoint.
async fn an_import_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let parts: Vec<Part> = (0..40).map(|number| part(&mut random, number)).collect();
    for part in &parts {
        part.create().send(&db).await?;
    }
    let before = every_item(&db).await?;
    let mut file = Vec::new();
    Part::scan().export(&mut file).send(&db).await?.complete()?;
    // Several portions, most of which is lines without text.
    let mut long = Vec::new();
    for line in file.split_inclusive(|byte| *byte == b'\n') {
        long.extend_from_slice(line);
        long.extend_from_slice(&b"\n".repeat(99));
    }
    long.extend_from_slice(b"broken\n");
    for replaces in [false, true] {
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("import");
        let import = || {
            let import = Part::import(&long[..])
                .checkpoint(FileCheckpoint::new(&path))
                .concurrency(3);
            if replaces { import.replace() } else { import }
        };
        let (mut runs, mut older) = (0, None);
        let report: ImportReport = loop {
            let faults = denied_after(random.usize(2..20)).map(|fault| match random.u32(0..12) {
                0 => Fault::Lose,
                1 => Fault::throttle(),
                _ => fault,
            });
            let (faulty, _) = db.faulty(faults.collect::<Vec<_>>());
            let report = import().send(&faulty).await?;
            runs += 1;
            if report.stopped().is_none() {
                break report;
            }
            match older.take() {
                Some(bytes) => std::fs::write(&path, bytes)?,
                None => older = std::fs::read(&path).ok(),
            }
            assert!(runs < 400, "seed {seed}: no progress");
        };
        assert!(runs > 1, "seed {seed}: it was not stopped");
        let counts = report.counts();
        assert_eq!(
            (counts.lines, counts.failed, counts.existing),
            (41, 1, 0),
            "seed {seed}: {report:?}"
        );
        assert_eq!(counts.written + counts.unchanged, 40, "seed {seed}");
        assert_same(&every_item(&db).await?, &before, seed);
        let again = import().send(&db).await?;
        assert!(again.was_finished());
        assert_eq!(again.counts(), counts);
    }
    Ok(())
}

async fn a_lost_answer_stores_each_line_once(db: Db) -> Outcome {
    let file: String = (0..30)
        .map(|id| format!("{{\"id\":{id},\"text\":\"a\"}}\n"))
        .collect();
    for (as_is, replaces) in [(false, false), (false, true)] {
        let (faulty, _) = db.faulty([
            Fault::Lose,
            Fault::Io,
            Fault::Pass,
            Fault::Lose,
            Fault::Timeout,
        ]);
        let import = Note::import(file.as_bytes());
        let import = if as_is { import.as_is() } else { import };
        let import = if replaces { import.replace() } else { import };
        let counts = import.send(&faulty).await?.complete()?;
        assert_eq!(counts.written + counts.unchanged, 30);
        assert_eq!(Note::scan().count(&db).await?, 30);
        db.truncate([Depot::schema()]).even_on_aws().await?;
    }
    Ok(())
}

/// Without the item, nobody knows whether the line is stored already.
async fn an_item_in_the_way_that_could_not_be_read_is_read_again(db: Db) -> Outcome {
    note(1).create().send(&db).await?;
    let mut file = Vec::new();
    Note::scan().export(&mut file).send(&db).await?.complete()?;
    let denied = Fault::refuse("AccessDeniedException");
    let (faulty, _) = db.faulty([Fault::Pass, denied]);
    let counts = Note::import(&file[..]).send(&faulty).await?.complete()?;
    assert_eq!((counts.lines, counts.unchanged), (1, 1));
    Ok(())
}

async fn a_checkpoint_is_of_one_file_and_one_import(db: Db) -> Outcome {
    let file: String = (0..600)
        .map(|id| format!("{{\"id\":{id},\"text\":\"a\"}}\n"))
        .collect();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("import");
    let checkpoint = || FileCheckpoint::new(&path);
    let (faulty, _) = db.faulty(denied_after(510));
    let report = Note::import(file.as_bytes())
        .checkpoint(checkpoint())
        .send(&faulty)
        .await?;
    assert!(report.stopped().is_some());
    assert_eq!(report.written, 500);
    let other = file.replace("\"id\":3,", "\"id\":7,");
    for (refused, why) in [
        (Note::import(other.as_bytes()), "another file"),
        (Note::import(&file.as_bytes()[..50]), "a shorter file"),
        (Note::import(file.as_bytes()).replace(), "other settings"),
        (Part::import(file.as_bytes()), "another entity"),
    ] {
        let refused = refused.checkpoint(checkpoint()).send(&db).await;
        let kind = refused.map(|report| report.counts()).expect_err(why).kind();
        assert_eq!(kind, ErrorKind::Checkpoint, "{why}");
    }
    let longer = file.clone() + "{\"id\":600,\"text\":\"a\"}\n";
    let report = Note::import(longer.as_bytes())
        .checkpoint(checkpoint())
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.lines, 601, "a file that has grown since");

    let after_the_end = longer.clone() + "{\"id\":601,\"text\":\"a\"}\n";
    for (lines, was_finished, text) in [
        (601, true, &longer),
        (602, false, &after_the_end),
        (602, true, &after_the_end),
    ] {
        let import = Note::import(text.as_bytes()).checkpoint(checkpoint());
        let report = import.send(&db).await?;
        assert_eq!((report.was_finished(), report.lines), (was_finished, lines));
    }
    assert_eq!(Note::scan().consistent().count(&db).await?, 602);
    for finished in [other + "\n", file] {
        let import = Note::import(finished.as_bytes()).checkpoint(checkpoint());
        let refused = import.send(&db).await.map(|report| report.counts());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Checkpoint);
    }
    Ok(())
}

/// Some lines, and then an error.
struct Broken<'b>(&'b [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.is_empty() {
            true => Err(io::Error::other("a broken disk")),
            false => self.0.read(into),
        }
    }
}

async fn a_reader_that_fails_stops_the_import(db: Db) -> Outcome {
    let report = Note::import(Broken(b"{\"id\":1,\"text\":\"a\"}\n"))
        .send(&db)
        .await?;
    let stopped = report.stopped().map(|error| error.kind());
    assert_eq!(stopped, Some(ErrorKind::CallbackError));
    Ok(())
}

async fn the_rate_is_kept(db: Db) -> Outcome {
    let file: String = (0..20)
        .map(|id| format!("{{\"id\":{id},\"text\":\"a\"}}\n"))
        .collect();
    let began = std::time::Instant::now();
    Note::import(file.as_bytes())
        .rate(50)
        .send(&db)
        .await?
        .complete()?;
    assert!(began.elapsed().as_millis() >= 350, "{:?}", began.elapsed());
    Ok(())
}
