//! A folder whose export fails at each change of the disk, and is continued.

use std::fs;
use std::path::{Path, PathBuf};

use super::create::FolderSink;
use super::{ExportFolder, NewExport};
use crate::error::Result;
use crate::transfer::lines::LineText;
use crate::transfer::sink::{ExportSink, ExportTask};

/// The rows of the export, in portions of two. The position is the number of the next row.
const ROWS: u64 = 9;

fn line(row: u64) -> String {
    format!("{{\"Item\":{{\"id\":{{\"N\":\"{row}\"}}}}}}\n")
}

/// How a run ends that fails.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// The process dies.
    Killed,
    /// The export stops with an error.
    Stopped,
}

/// Runs the export below a prefix, whose change of this number fails.
fn run(prefix: &Path, failing: Option<usize>, end: End) -> Result<PathBuf> {
    let export = NewExport::unfinished_below(prefix)?.file_size(100);
    let path = export.path().to_owned();
    let mut sink: FolderSink = export.into_sink();
    sink.disk.left = failing;
    let task = ExportTask {
        rows: "Row",
        table: "rows".into(),
    };
    let mut progress = sink.begin(&task)?;
    let mut next: u64 = progress
        .position
        .as_deref()
        .map_or(0, |position| position.parse().unwrap());
    assert_eq!(progress.rows, next);
    let mut write = || -> Result<()> {
        while next < ROWS {
            let rows = next..(next + 2).min(ROWS);
            let lines: String = rows.clone().map(line).collect();
            sink.write_lines(lines.as_bytes(), rows.end - rows.start)?;
            next = rows.end;
            progress.rows = next;
            if next < ROWS {
                progress.position = Some(next.to_string());
                sink.keep_place(&progress)?;
            }
        }
        sink.finish()
    };
    let written = write();
    if written.is_err() && end == End::Stopped {
        sink.disk.left = None;
        let _ = sink.suspend(&progress);
    }
    written.map(|()| path)
}

/// The lines of a folder that is complete.
fn lines(path: &Path) -> Result<Vec<String>> {
    let folder = ExportFolder::open(path)?;
    let mut found = Vec::new();
    for file in folder.files() {
        let mut lines = folder.read_lines(file)?;
        while let Some(LineText::Text(text)) = lines.next()? {
            found.push(String::from_utf8(text).unwrap() + "\n");
        }
    }
    Ok(found)
}

#[test]
fn an_export_that_fails_at_any_change_is_continued() {
    let expected: Vec<String> = (0..ROWS).map(line).collect();
    for end in [End::Killed, End::Stopped] {
        let mut is_over = false;
        for failing in 0.. {
            let prefix = tempfile::tempdir().unwrap();
            let first = run(prefix.path(), Some(failing), end);
            let exports = prefix.path().join("AWSDynamoDB");
            let folders = fs::read_dir(&exports).map_or(0, Iterator::count);
            assert!(folders <= 1);
            // A folder that can be opened has every row, whatever failed after that.
            let opened = fs::read_dir(&exports)
                .ok()
                .and_then(|mut entries| entries.next());
            if let Some(Ok(entry)) = opened
                && let Ok(found) = lines(&entry.path())
            {
                assert_eq!(found, expected, "{failing}");
            }
            if first.is_ok() {
                is_over = true;
            } else {
                // The second run fails too, at a change that the first may have come to or not.
                let second = run(prefix.path(), Some(failing / 2), end);
                let path = second.or_else(|_| run(prefix.path(), None, end)).unwrap();
                assert_eq!(lines(&path).unwrap(), expected, "{failing}");
            }
            if is_over {
                assert!(failing > 20, "only {failing} changes were tried");
                break;
            }
        }
    }
}

#[test]
fn the_same_rows_are_the_same_files() {
    let files = || {
        let prefix = tempfile::tempdir().unwrap();
        let path = run(prefix.path(), None, End::Killed).unwrap();
        let names = ["000001", "000002", "000003"];
        names.map(|name| fs::read(path.join(format!("data/{name}.json.gz"))).unwrap())
    };
    assert_eq!(files(), files());
}

#[test]
fn files_that_an_earlier_run_has_written_must_exist() {
    let prefix = tempfile::tempdir().unwrap();
    // Two data files are complete.
    let failing = (0..60).find(|failing| {
        let folder = tempfile::tempdir().unwrap();
        let _ = run(folder.path(), Some(*failing), End::Killed);
        walk(folder.path(), "000002.json.gz").is_some()
            && walk(folder.path(), "000003.json.gz.part").is_some()
    });
    let _ = run(prefix.path(), failing, End::Killed);
    fs::remove_file(walk(prefix.path(), "000001.json.gz").unwrap()).unwrap();
    let error = run(prefix.path(), None, End::Killed)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("000001.json.gz: the file is missing"),
        "{error}"
    );
}

/// The data file with this name.
fn walk(prefix: &Path, name: &str) -> Option<PathBuf> {
    let mut exports = fs::read_dir(prefix.join("AWSDynamoDB")).ok()?;
    let path = exports.next()?.ok()?.path().join("data").join(name);
    path.is_file().then_some(path)
}
