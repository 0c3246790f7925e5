//! A folder whose export fails at each change of the disk, and is continued.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use super::check::FolderCheck;
use super::create::FolderSink;
use super::disk::DiskFailure;
use super::{ExportFolder, FolderLines, NewExport, SUMMARY};
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
    run_with(prefix, failing, end, DiskFailure::default())
}

fn run_with(
    prefix: &Path,
    failing: Option<usize>,
    end: End,
    failure: DiskFailure,
) -> Result<PathBuf> {
    let export = NewExport::unfinished_below(prefix)?.file_size(100);
    let path = export.path().to_owned();
    let mut sink: FolderSink = export.into_sink();
    sink.disk.left = failing;
    sink.disk.failure = failure;
    let task = ExportTask {
        query: 7,
        rows: "Row",
        is_one_entity: true,
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
        sink.finish(&progress)
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
    let (mut found, mut lines) = (Vec::new(), FolderLines::new(folder));
    while let Some(LineText::Text(text)) = lines.next()? {
        found.push(String::from_utf8(text).unwrap() + "\n");
    }
    Ok(found)
}

fn folders(prefix: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(prefix.join("AWSDynamoDB"))
        .ok()
        .into_iter()
        .flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// A folder opens exactly if its summary exists, and then it has every row.
fn assert_complete_or_closed(path: &Path, context: &str) {
    let expected: Vec<String> = (0..ROWS).map(line).collect();
    let is_complete = path.join(format!("{SUMMARY}.json")).is_file();
    match lines(path) {
        Ok(found) => assert!(is_complete && found == expected, "{context}: {found:?}"),
        Err(error) => assert!(!is_complete, "{context}: {error}"),
    }
}

#[test]
fn an_export_that_fails_at_any_change_is_continued() {
    // At the same time, because each of them runs an export some hundred times.
    thread::scope(|scope| {
        for state in [
            DiskFailure::Unchanged,
            DiskFailure::Half,
            DiskFailure::Changed,
        ] {
            scope.spawn(move || fail_each_change(End::Killed, state));
        }
        scope.spawn(|| fail_each_change(End::Stopped, DiskFailure::Unchanged));
    });
}

fn fail_each_change(end: End, state: DiskFailure) {
    let expected: Vec<String> = (0..ROWS).map(line).collect();
    let (mut incomplete, mut complete) = (0, 0);
    for failing in 0.. {
        let prefix = tempfile::tempdir().unwrap();
        let context = format!("{failing} {state:?}");
        let first = run_with(prefix.path(), Some(failing), end, state);
        assert!(folders(prefix.path()).len() <= 1, "{context}");
        for path in folders(prefix.path()) {
            assert_complete_or_closed(&path, &context);
            match path.join(format!("{SUMMARY}.json")).is_file() {
                true => complete += 1,
                false => incomplete += 1,
            }
        }
        if first.is_ok() {
            break;
        }
        // The second run fails too, at a change that the first may have come to or not.
        let second = run_with(prefix.path(), Some(failing / 2), end, state);
        let path = second.or_else(|_| run(prefix.path(), None, end)).unwrap();
        assert_eq!(lines(&path).unwrap(), expected, "{context}");
        for path in folders(prefix.path()) {
            assert_complete_or_closed(&path, &context);
        }
    }
    // Each file is created, written, synchronized and renamed; five of them and the list are more changes than this.
    assert!(incomplete > 40, "only {incomplete} changes were tried");
    assert!(complete > 2, "no run failed after its summary");
}

#[test]
fn a_complete_export_is_not_changed_by_the_next_one() {
    // The run is killed when its summary is written, and its own files are not removed.
    let (prefix, path) = (0..)
        .find_map(|failing| {
            let prefix = tempfile::tempdir().unwrap();
            run(prefix.path(), Some(failing), End::Killed).err()?;
            let path = folders(prefix.path()).pop()?;
            let is_complete = path.join(format!("{SUMMARY}.json")).is_file();
            is_complete.then_some((prefix, path))
        })
        .unwrap();
    assert!(path.join("_progress").exists());
    let next = run(prefix.path(), None, End::Killed).unwrap();
    assert_ne!(next, path);
    assert_complete_or_closed(&path, "the first one");
    for name in ["_progress", "_files", "_started.lock"] {
        assert!(!path.join(name).exists(), "{name}");
    }
}

#[test]
fn a_folder_with_another_name_is_not_continued() {
    let prefix = tempfile::tempdir().unwrap();
    let stopped = (0..).find(|failing| {
        let prefix = tempfile::tempdir().unwrap();
        let _ = run(prefix.path(), Some(*failing), End::Killed);
        walk(prefix.path(), "000002.json.gz").is_some()
    });
    run(prefix.path(), stopped, End::Killed).unwrap_err();
    let path = folders(prefix.path()).remove(0);
    let renamed = path.with_file_name("renamed");
    fs::rename(&path, &renamed).unwrap();
    let error = run(prefix.path(), None, End::Killed)
        .unwrap_err()
        .to_string();
    assert!(error.contains("give it this name again"), "{error}");
    fs::rename(&renamed, &path).unwrap();
    run(prefix.path(), None, End::Killed).unwrap();
    assert_complete_or_closed(&path, "continued");
}

#[test]
fn a_file_that_was_compared_is_read_again_only_if_it_changed() {
    let prefix = tempfile::tempdir().unwrap();
    let path = run(prefix.path(), None, End::Killed).unwrap();
    let folder = ExportFolder::open(path).unwrap();
    let mut check = FolderCheck::default();
    let mut bytes = 0;
    while let Some(part) = check.step(folder.files()).unwrap() {
        bytes += part;
    }
    let lengths = folder
        .files()
        .iter()
        .map(|file| fs::metadata(&file.path).unwrap().len());
    assert_eq!(bytes, lengths.sum::<u64>());
    // Another checksum is not noticed, because the bytes are not read.
    let mut file = folder.files()[1].clone();
    file.checksum = "another".into();
    assert!(check.open_file(1, &file).is_ok());
    fs::write(&file.path, "another").unwrap();
    let error = check.open_file(1, &file).unwrap_err().to_string();
    assert!(error.contains("the file is damaged"), "{error}");
    let error = check
        .open_file(3, &folder.files()[1])
        .unwrap_err()
        .to_string();
    assert!(error.contains("the file is damaged"), "{error}");
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
