//! Exports into folders in the layout of DynamoDB's exports to S3, and their import. Folders as DynamoDB writes them are
//! built here by hand.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use dynamo_entity::Value;
use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::{
    ExportFolder, Exported, ExportedChanges, ExportedItems, RowFormat, UnreadLine,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};

use super::{Depot, Note, Part, assert_same, every_item, note, part};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_entity_that_goes_through_a_folder_is_the_same(Depot),
    a_table_that_goes_through_a_folder_is_the_same(Depot),
    a_folder_of_dynamodb_is_read(Depot),
    nothing_of_a_damaged_folder_is_stored(Depot),
    a_wrong_number_of_items_is_no_success(Depot),
    an_incremental_export_is_no_table(Depot),
    bad_lines_of_a_folder_are_named(Depot),
    an_export_into_a_folder_goes_on_where_it_was_stopped(Depot),
    a_folder_belongs_to_one_export(Depot),
    a_folder_belongs_to_its_query_from_the_beginning(Depot),
    a_limit_is_that_of_the_whole_export(Depot),
    an_import_goes_on_within_the_files(Depot),
];

async fn parts(db: &Db, count: u32) -> Result<u64> {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for number in 0..count {
        part(&mut random, number).create().send(db).await?;
    }
    for id in 0..3 {
        note(id).create().send(db).await?;
    }
    Ok(seed)
}

fn data_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder.join("data"))?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

async fn an_entity_that_goes_through_a_folder_is_the_same(db: Db) -> Outcome {
    let seed = parts(&db, 30).await?;
    // A portion of 256 KB has some of these, and is larger than the size of files, so each file has one portion.
    for number in 30..40 {
        let mut part = part(&mut fastrand::Rng::with_seed(seed), number);
        part.bytes = vec![7; 60_000];
        part.create().send(&db).await?;
    }
    let before = every_item(&db).await?;
    let prefix = tempfile::tempdir()?;
    let export = ExportFolder::create(prefix.path())?.file_size(4_000);
    let path = export.path().to_owned();
    let scan = Part::scan().page_size(6).consistent();
    let report = scan.export_to(export).send(&db).await?.complete()?;
    assert_eq!(report.rows, 40, "seed {seed}");
    let folder = ExportFolder::open(&path)?;
    assert_eq!((folder.items(), folder.is_incremental()), (40, false));
    assert_eq!(folder.missing_rows(), 0);
    let files = data_files(&path)?.len();
    assert!(files > 2, "seed {seed}: {files} files");

    db.truncate([Depot::schema()]).even_on_aws().await?;
    for id in 0..3 {
        note(id).create().send(&db).await?;
    }
    // The folder above it contains this export alone.
    let folder = ExportFolder::open(prefix.path())?;
    assert_eq!(folder.path(), path);
    let report = Part::import_from(folder).send(&db).await?.complete()?;
    assert_eq!((report.written, report.left_out), (40, 0), "seed {seed}");
    assert_same(&every_item(&db).await?, &before, seed);
    Ok(())
}

async fn a_table_that_goes_through_a_folder_is_the_same(db: Db) -> Outcome {
    let seed = parts(&db, 20).await?;
    let before = every_item(&db).await?;
    let prefix = tempfile::tempdir()?;
    let export = ExportFolder::create(prefix.path())?;
    let path = export.path().to_owned();
    let every = Depot::schema().scan_items()?.consistent();
    let rows = every.export_to(export).send(&db).await?.complete()?.rows;
    assert_eq!(rows, before.len() as u64);
    db.truncate([Depot::schema()]).even_on_aws().await?;
    let import = Depot::schema().import_from(ExportFolder::open(&path)?)?;
    let report = import.send(&db).await?.complete()?;
    assert_eq!(report.written, rows, "seed {seed}");
    assert_same(&every_item(&db).await?, &before, seed);

    // An entity of the same folder: its items, and no unique values of others.
    db.truncate([Depot::schema()]).even_on_aws().await?;
    let report = Note::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(
        (report.written, report.left_out),
        (3, rows - 3),
        "seed {seed}"
    );
    let report = Part::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(
        (report.written, report.left_out),
        (20, rows - 20),
        "seed {seed}"
    );
    assert_same(&every_item(&db).await?, &before, seed);
    let report = Part::import_from(ExportFolder::open(&path)?)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!((report.written, report.unchanged), (0, 20), "seed {seed}");
    Ok(())
}

fn md5(bytes: &[u8]) -> Vec<u8> {
    Md5::digest(bytes).to_vec()
}

fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}

fn zipped(text: &str) -> std::io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(text.as_bytes())?;
    out.finish()
}

const ID: &str = "01768385930622-efd1a093";

/// A folder with these files, each with its lines, as DynamoDB writes it.
pub(super) struct Made {
    pub(super) files: Vec<(&'static str, String)>,
    /// How the checksums are named.
    pub(super) checksum: &'static str,
    /// The folder of the data in keys, and the other members of the summary.
    pub(super) data: String,
    pub(super) more: &'static str,
    /// Added to the number of items of the first file, and of the summary.
    pub(super) more_items: u64,
}

pub(super) fn made(files: &[(&'static str, &[u32])]) -> Made {
    let line = |id: &u32| {
        let item = note(*id).to_item().expect("an item");
        let pk = item.get("pk").and_then(Value::as_text).expect("a key");
        // Attributes have no order.
        format!(
            "{{\"Item\":{{\"text\":{{\"S\":\"text {id}\"}},\"sk\":{{\"S\":\"NOTE\"}},\"pk\":{{\"S\":\"{pk}\"}},\
             \"id\":{{\"N\":\"{id}\"}},\"version\":{{\"N\":\"1\"}},\"_type\":{{\"S\":\"Note\"}}}}}}\n"
        )
    };
    let files = files.iter();
    Made {
        files: files
            .map(|(name, ids)| (*name, ids.iter().map(line).collect()))
            .collect(),
        checksum: "md5",
        data: format!("AWSDynamoDB/{ID}/data"),
        more: "",
        more_items: 0,
    }
}

impl Made {
    pub(super) fn write(&self, prefix: &Path) -> std::io::Result<PathBuf> {
        let folder = prefix.join("AWSDynamoDB").join(ID);
        let data = match self.data.ends_with(&format!("{ID}/data")) {
            true => folder.join("data"),
            false => prefix.join("AWSDynamoDB/data"),
        };
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(&data)?;
        fs::write(folder.join("_started"), "")?;
        let (mut manifest, mut items) = (String::new(), 0);
        for (at, (name, text)) in self.files.iter().enumerate() {
            let bytes = zipped(text)?;
            let more = if at == 0 { self.more_items } else { 0 };
            let count = text.lines().filter(|line| !line.is_empty()).count() as u64 + more;
            items += count;
            let hash = md5(&bytes);
            let etag: String = md5(&hash)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            manifest += &format!(
                "{{\"itemCount\":{count},\"md5Checksum\":\"{}\",\"etag\":\"{etag}-1\",\"dataFileS3Key\":\"{}/{name}.json.gz\"}}\n",
                base64(&hash),
                self.data
            );
            fs::write(data.join(format!("{name}.json.gz")), bytes)?;
        }
        let summary = format!(
            "{{\"version\":\"2020-06-30\",\"exportArn\":\"arn:aws:dynamodb:eu-north-1:1:table/depot/export/{ID}\",\
             \"s3Prefix\":null,\"manifestFilesS3Key\":\"AWSDynamoDB/{ID}/manifest-files.json\",\"billedSizeBytes\":0,\
             \"itemCount\":{items},\"outputFormat\":\"DYNAMODB_JSON\"{}}}",
            self.more
        );
        for (name, text) in [("manifest-files", manifest), ("manifest-summary", summary)] {
            fs::write(folder.join(format!("{name}.json")), &text)?;
            let checksum = base64(&md5(text.as_bytes()));
            fs::write(folder.join(format!("{name}.{}", self.checksum)), checksum)?;
        }
        Ok(folder)
    }
}

async fn a_folder_of_dynamodb_is_read(db: Db) -> Outcome {
    let files: [(&str, &[u32]); 4] = [
        ("zqp4", &[]),
        ("5mrf", &[1, 2]),
        ("t7si", &[]),
        ("aaaa", &[3]),
    ];
    for checksum in ["md5", "checksum"] {
        let prefix = tempfile::tempdir()?;
        let mut export = Made {
            checksum,
            ..made(&files)
        };
        if checksum == "checksum" {
            // The newer form of the summary, and an export with a prefix in S3.
            export.more = ",\"exportType\":\"FULL_EXPORT\"";
            export.data = format!("p/q/{}", export.data);
        }
        let path = export.write(prefix.path())?;
        if checksum == "md5" {
            // The files of empty partitions, as DynamoDB documents them.
            fs::write(path.join("data/zqp4.json.gz"), "")?;
            fs::write(path.join("data/t7si.json.gz"), "")?;
            let (of_text, of_nothing) = (md5(&zipped("")?), md5(b""));
            rewrite(
                &path,
                "manifest-files",
                &base64(&of_text),
                &base64(&of_nothing),
            )?;
        }
        fs::remove_file(path.join("_started"))?;
        let import = Depot::schema().import_from(ExportFolder::open(&path)?)?;
        assert_eq!(import.send(&db).await?.complete()?.written, 3);
        let as_is = every_item(&db).await?;
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let report = Note::import_from(ExportFolder::open(prefix.path())?)
            .send(&db)
            .await?;
        assert_eq!(report.complete()?.written, 3);
        assert_same(&every_item(&db).await?, &as_is, 0);
        assert_eq!(
            Note::key(3)
                .get()
                .consistent()
                .send(&db)
                .await?
                .map(|note| note.text),
            Some("text 3".into())
        );
        db.truncate([Depot::schema()]).even_on_aws().await?;
    }
    Ok(())
}

/// Opens the folder and imports it. Returns the first error.
async fn refused(db: &Db, path: &Path) -> Result<Error, String> {
    let folder = match ExportFolder::open(path) {
        Ok(folder) => folder,
        Err(error) => return Ok(error),
    };
    match Note::import_from(folder).send(db).await {
        Err(error) => Ok(error),
        Ok(report) => report
            .complete()
            .err()
            .ok_or_else(|| "it was imported".into()),
    }
}

type Damage = fn(&Path) -> std::io::Result<()>;

async fn nothing_of_a_damaged_folder_is_stored(db: Db) -> Outcome {
    let damages: [(&str, Damage); 13] = [
        ("data/bbbb.json.gz: the file is damaged", |folder| {
            let path = folder.join("data/bbbb.json.gz");
            let mut bytes = fs::read(&path)?;
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes)
        }),
        ("data/bbbb.json.gz: the file is damaged", |folder| {
            let path = folder.join("data/bbbb.json.gz");
            let bytes = fs::read(&path)?;
            fs::write(path, &bytes[..bytes.len() - 9])
        }),
        ("data/bbbb.json.gz: the file is missing", |folder| {
            fs::remove_file(folder.join("data/bbbb.json.gz"))
        }),
        (
            "data/cccc.json.gz: manifest-files.json does not list",
            |folder| fs::write(folder.join("data/cccc.json.gz"), zipped("")?),
        ),
        ("manifest-files.json: the file is damaged", |folder| {
            let path = folder.join("manifest-files.json");
            let text = fs::read_to_string(&path)?;
            fs::write(path, text.replace("\"itemCount\":1", "\"itemCount\":2"))
        }),
        ("manifest-files.json: the file is missing", |folder| {
            fs::remove_file(folder.join("manifest-files.json"))
        }),
        ("manifest-files.checksum: the file is missing", |folder| {
            fs::remove_file(folder.join("manifest-files.md5"))
        }),
        ("manifest-summary.json: the file is damaged", |folder| {
            let path = folder.join("manifest-summary.json");
            let text = fs::read_to_string(&path)?;
            fs::write(path, text.replace("null", "\"x\""))
        }),
        (
            "the export is not complete: manifest-summary.json is missing",
            |folder| fs::remove_file(folder.join("manifest-summary.json")),
        ),
        ("manifest-summary.checksum: the file is missing", |folder| {
            fs::remove_file(folder.join("manifest-summary.md5"))
        }),
        ("and manifest-summary.json has 7", |folder| {
            rewrite(
                folder,
                "manifest-summary",
                "\"itemCount\":3",
                "\"itemCount\":7",
            )
        }),
        ("which is not in `data`", |folder| {
            rewrite(folder, "manifest-files", "data/bbbb.json.gz", "data/..")
        }),
        ("the export has the format ION", |folder| {
            rewrite(folder, "manifest-summary", "DYNAMODB_JSON", "ION")
        }),
    ];
    for (why, damage) in damages {
        let prefix = tempfile::tempdir()?;
        let path = made(&[("aaaa", &[1, 2]), ("bbbb", &[3])]).write(prefix.path())?;
        damage(&path)?;
        let error = refused(&db, &path)
            .await
            .map_err(|text| format!("{why}: {text}"))?;
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
        assert!(error.to_string().contains(why), "{why}: {error}");
        assert_eq!(every_item(&db).await?.len(), 0, "{why}");
    }
    Ok(())
}

/// Changes a manifest together with its checksum.
fn rewrite(folder: &Path, name: &str, from: &str, to: &str) -> std::io::Result<()> {
    let path = folder.join(format!("{name}.json"));
    let text = fs::read_to_string(&path)?.replace(from, to);
    fs::write(
        folder.join(format!("{name}.md5")),
        base64(&md5(text.as_bytes())),
    )?;
    fs::write(path, text)
}

async fn a_wrong_number_of_items_is_no_success(db: Db) -> Outcome {
    let prefix = tempfile::tempdir()?;
    let export = Made {
        more_items: 2,
        ..made(&[("aaaa", &[1, 2]), ("bbbb", &[3])])
    };
    let path = export.write(prefix.path())?;
    let error = refused(&db, &path).await?;
    let why = "aaaa.json.gz: the file has 2 items, and 4 in manifest-files.json";
    assert!(error.to_string().contains(why), "{error}");
    Ok(())
}

async fn an_incremental_export_is_no_table(db: Db) -> Outcome {
    let line = "{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"1768386096366933\"}},\"Keys\":{\"pk\":{\"S\":\"NOTE#1\"},\
                \"sk\":{\"S\":\"NOTE\"}},\"NewImage\":{\"pk\":{\"S\":\"NOTE#1\"},\"sk\":{\"S\":\"NOTE\"},\
                \"_type\":{\"S\":\"Note\"}}}\n";
    let keys = r#""pk":{"S":"NOTE#0000000002"},"sk":{"S":"NOTE"}"#;
    let old = format!(
        r#"{keys},"_type":{{"S":"Note"}},"id":{{"N":"2"}},"text":{{"S":"x"}},"version":{{"N":"1"}}"#
    );
    let deleted = format!("{{\"Keys\":{{{keys}}},\"OldImage\":{{{old}}}}}\n");
    let prefix = tempfile::tempdir()?;
    let export = Made {
        files: vec![("aaaa", line.to_owned()), ("bbbb", deleted)],
        data: "AWSDynamoDB/data".into(),
        more: ",\"outputView\":\"NEW_AND_OLD_IMAGES\",\"exportType\":\"INCREMENTAL_EXPORT\"",
        ..made(&[])
    };
    let path = export.write(prefix.path())?;
    // Exports with one prefix share this folder.
    fs::write(
        prefix.path().join("AWSDynamoDB/data/of_another.json.gz"),
        "",
    )?;
    let folder = ExportFolder::open(prefix.path())?;
    assert!(folder.is_incremental());
    assert_eq!((folder.items(), folder.path()), (2, &*path));
    // Its changes are read as such, also after a line that cannot be read.
    let changes = ExportedChanges::<Note>::of_folder(folder.clone())?;
    let changes: Vec<Result<Exported<Note>, UnreadLine>> = changes.collect();
    let [Err(unread), Ok(change)] = &*changes else {
        panic!("{changes:?}");
    };
    assert_eq!(
        (unread.file(), unread.number()),
        (Some("data/aaaa.json.gz"), 1)
    );
    assert_eq!((&change.key, change.is_deleted()), (&Note::key(2), true));
    assert_eq!(change.old.as_ref().map(|note| &*note.text), Some("x"));
    let error = ExportedItems::<Note>::of_folder(folder).unwrap_err();
    assert!(
        error.to_string().contains("the export is incremental"),
        "{error}"
    );
    let error = refused(&db, &path).await?;
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(
        error.to_string().contains("the export is incremental"),
        "{error}"
    );
    assert_eq!(every_item(&db).await?.len(), 0);
    Ok(())
}

async fn bad_lines_of_a_folder_are_named(db: Db) -> Outcome {
    let prefix = tempfile::tempdir()?;
    let mut export = made(&[("aaaa", &[1]), ("bbbb", &[2, 3])]);
    export.files[1]
        .1
        .insert_str(0, "{\"Item\":{\"id\":7}}\n\n{\"Item\":\n");
    let path = export.write(prefix.path())?;
    let report = Depot::schema()
        .import_from(ExportFolder::open(&path)?)?
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (3, 2));
    let places: Vec<_> = report
        .errors()
        .iter()
        .map(|failed| (failed.file(), failed.number()))
        .collect();
    let file = Some("data/bbbb.json.gz");
    assert_eq!(places, [(file, 1), (file, 3)]);
    let text = report.errors()[1].to_string();
    assert!(text.starts_with("data/bbbb.json.gz, line 3: "), "{text}");
    let error = report.complete().expect_err("lines failed").to_string();
    assert!(
        error.contains("the first of them is data/bbbb.json.gz, line 1: "),
        "{error}"
    );
    Ok(())
}

fn denied_after(requests: usize) -> impl Iterator<Item = Fault> {
    let denied = (0..40).map(|_| Fault::refuse("AccessDeniedException"));
    std::iter::repeat_n(Fault::Pass, requests).chain(denied)
}

async fn an_export_into_a_folder_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    put_each((0..60).map(note).map(Note::into_create))
        .send(&db)
        .await?
        .complete()?;
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for segments in [1, 3] {
        let prefix = tempfile::tempdir()?;
        let scan = || Note::scan().segments(segments).page_size(5).consistent();
        let (mut runs, mut path) = (0, None);
        let rows = loop {
            let export = ExportFolder::create_or_resume(prefix.path())?;
            let found = path.get_or_insert_with(|| export.path().to_owned());
            assert_eq!(export.path(), found, "seed {seed}: it began another export");
            let (faulty, _) = db.faulty(denied_after(random.usize(1..6)));
            let run = scan().export_to(export).send(&faulty);
            runs += 1;
            let report = if random.u32(0..4) == 0 {
                // The program ends while it waits, or it is done before.
                let ends = std::time::Duration::from_micros(random.u64(0..900));
                match tokio::time::timeout(ends, run).await {
                    Ok(report) => report?,
                    Err(_) if ExportFolder::open(found).is_ok() => break 60,
                    Err(_) => continue,
                }
            } else {
                run.await?
            };
            match report.stopped() {
                Some(_) => assert!(
                    ExportFolder::open(found).is_err(),
                    "seed {seed}: it is not complete"
                ),
                None => break report.complete()?.rows,
            }
            assert!(runs < 400, "seed {seed}: no progress");
        };
        assert!(runs > 1, "seed {seed}: it was not stopped");
        assert_eq!(rows, 60, "seed {seed}");
        let path = path.expect("a folder");
        let mut names: Vec<_> = fs::read_dir(&path)?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<std::io::Result<_>>()?;
        names.sort();
        let left = [
            "_started",
            "data",
            "manifest-files.checksum",
            "manifest-files.json",
            "manifest-summary.checksum",
            "manifest-summary.json",
        ];
        assert_eq!(names, left, "seed {seed}");
        let before = every_item(&db).await?;
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let report = Note::import_from(ExportFolder::open(&path)?)
            .send(&db)
            .await?
            .complete()?;
        assert_eq!(
            (report.written, report.unchanged),
            (60, 0),
            "seed {seed}: no row is there twice"
        );
        assert_same(&every_item(&db).await?, &before, seed);
    }
    Ok(())
}

async fn a_folder_belongs_to_one_export(db: Db) -> Outcome {
    put_each((0..20).map(note).map(Note::into_create))
        .send(&db)
        .await?
        .complete()?;
    let prefix = tempfile::tempdir()?;
    let export = ExportFolder::create(prefix.path())?;
    let path = export.path().to_owned();
    let (faulty, _) = db.faulty(denied_after(2));
    let scan = || Note::scan().page_size(5).consistent();
    assert!(
        scan()
            .export_to(export)
            .send(&faulty)
            .await?
            .stopped()
            .is_some()
    );
    let other = Part::scan().export_to(ExportFolder::create_or_resume(prefix.path())?);
    let error = other
        .send(&db)
        .await
        .map(|report| report.counts())
        .expect_err("of another entity");
    assert!(error.to_string().contains("complete that one"), "{error}");
    // Another query of the same entity, each time that it is tried: its position is not made one of the new query.
    let progress = path.join("_progress");
    let before = fs::read(&progress)?;
    for _ in 0..3 {
        let filtered = scan().filter(|n| n.id().lt(5u32));
        for query in [filtered, scan().segments(3)] {
            let export = ExportFolder::create_or_resume(prefix.path())?;
            let refused = query.export_to(export).send(&db).await;
            let refused = refused.map(|report| report.counts());
            let error = refused.expect_err("of another query");
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains("another query"), "{error}");
            assert_eq!(fs::read(&progress)?, before);
        }
    }
    // A new export is another folder.
    let other = ExportFolder::create(prefix.path())?;
    assert_ne!(other.path(), path);
    let formatted = scan()
        .export_to(other)
        .format(RowFormat::Json)
        .send(&db)
        .await;
    let kind = formatted
        .map(|report| report.counts())
        .expect_err("another format")
        .kind();
    assert_eq!(kind, ErrorKind::Config);
    let resumed = ExportFolder::create_or_resume(prefix.path())?;
    assert_eq!(resumed.path(), path);
    assert_eq!(
        scan().export_to(resumed).send(&db).await?.complete()?.rows,
        20
    );
    // All are complete.
    assert_ne!(ExportFolder::create_or_resume(prefix.path())?.path(), path);
    Ok(())
}

/// Before the first data file, no position tells whose export it is.
async fn a_folder_belongs_to_its_query_from_the_beginning(db: Db) -> Outcome {
    put_each((0..4).map(note).map(Note::into_create))
        .send(&db)
        .await?
        .complete()?;
    let prefix = tempfile::tempdir()?;
    let resume = || ExportFolder::create_or_resume(prefix.path());
    let (faulty, _) = db.faulty(denied_after(0));
    let first = Note::scan().export_to(resume()?).send(&faulty).await?;
    assert_eq!((first.stopped().is_some(), first.rows), (true, 0));
    let filtered = Note::scan().filter(|n| n.id().lt(2u32));
    let refused = filtered.export_to(resume()?).send(&db).await;
    let refused = refused.map(|report| report.counts());
    let error = refused.expect_err("of another query").to_string();
    assert!(error.contains("another query"), "{error}");
    let same = Note::scan().export_to(resume()?).send(&db).await?;
    assert_eq!(same.complete()?.rows, 4);
    Ok(())
}

/// The limit is that of all runs together.
async fn a_limit_is_that_of_the_whole_export(db: Db) -> Outcome {
    put_each((0..20).map(note).map(Note::into_create))
        .send(&db)
        .await?
        .complete()?;
    let prefix = tempfile::tempdir()?;
    let export = || {
        let folder = ExportFolder::create_or_resume(prefix.path())?.file_size(1);
        let scan = Note::scan().page_size(5).consistent().limit(13);
        Ok::<_, Error>(scan.export_to(folder))
    };
    let (faulty, _) = db.faulty(denied_after(2));
    let first = export()?.send(&faulty).await?;
    assert!(first.stopped().is_some() && first.rows > 0, "{first:?}");
    assert_eq!(export()?.send(&db).await?.complete()?.rows, 13);
    Ok(())
}

async fn an_import_goes_on_within_the_files(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let ids: Vec<u32> = (0..40).collect();
    let prefix = tempfile::tempdir()?;
    let mut export = made(&[("bbbb", &ids[..25]), ("cccc", &[]), ("aaaa", &ids[25..])]);
    // Lines without text fill the portions of the import.
    for (_, text) in &mut export.files {
        *text = text.replace('\n', &"\n".repeat(90)) + "{}\n";
    }
    let path = export.write(prefix.path())?;
    let other = tempfile::tempdir()?;
    let another = made(&[("bbbb", &ids)]).write(other.path())?;
    for replaces in [false, true] {
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let folder = tempfile::tempdir()?;
        let checkpoint = || FileCheckpoint::new(folder.path().join("import"));
        let import = || -> Result<_> {
            let import = Note::import_from(ExportFolder::open(&path)?)
                .checkpoint(checkpoint())
                .concurrency(3);
            Ok(if replaces { import.replace() } else { import })
        };
        let mut runs = 0;
        let counts = loop {
            let faults = denied_after(random.usize(2..30)).map(|fault| match random.u32(0..12) {
                0 => Fault::Lose,
                1 => Fault::throttle(),
                _ => fault,
            });
            let (faulty, _) = db.faulty(faults.collect::<Vec<_>>());
            let report = import()?.send(&faulty).await?;
            runs += 1;
            if report.stopped().is_none() {
                break report.counts();
            }
            assert!(runs < 400, "seed {seed}: no progress");
            if folder.path().join("import").exists() {
                let wrong =
                    Note::import_from(ExportFolder::open(&another)?).checkpoint(checkpoint());
                let wrong = if replaces { wrong.replace() } else { wrong };
                let kind = wrong
                    .send(&db)
                    .await
                    .map(|report| report.counts())
                    .expect_err("another export")
                    .kind();
                assert_eq!(kind, ErrorKind::Checkpoint, "seed {seed}");
            }
        };
        assert!(runs > 1, "seed {seed}: it was not stopped");
        assert_eq!(
            (counts.lines, counts.failed),
            (43, 3),
            "seed {seed}: {counts:?}"
        );
        assert_eq!(counts.written + counts.unchanged, 40, "seed {seed}");
        assert_eq!(
            Note::scan().consistent().count(&db).await?,
            40,
            "seed {seed}"
        );
        assert!(import()?.send(&db).await?.was_finished());
    }
    Ok(())
}
