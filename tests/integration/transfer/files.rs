//! What is exported and imported again is the same, and what is stored is not overwritten.

use dynamo_entity::Value;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;

use super::{Depot, FORMATS, Note, Part, assert_same, every_item, note, part, sorted_lines};
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_entity_that_is_imported_is_the_same(Depot),
    a_table_that_is_imported_is_the_same(Depot),
    other_rows_are_left_out_and_counted(Depot),
    a_row_that_cannot_be_read_is_reported(Depot),
    a_partition_is_exported(Depot),
    rows_without_all_attributes_are_refused(Depot),
    an_import_replaces_nothing_unless_it_is_told(Depot),
    an_import_that_is_run_again_changes_nothing(Depot),
    unique_values_are_taken(Depot),
    plain_json_of_people_is_read(Depot),
    attributes_without_a_field_are_not_lost(Depot),
    the_last_line_of_a_key_wins_if_it_replaces(Depot),
    a_described_table_has_no_rows(Depot),
];

async fn parts(db: &Db, count: u32) -> Result<u64> {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for number in 0..count {
        let part = part(&mut random, number);
        part.create().send(db).await?;
        if random.bool() {
            // Some have a later version.
            let stored = part.key().get().consistent().send(db).await?;
            stored.expect("a part").put().send(db).await?;
        }
    }
    Ok(seed)
}

async fn export<E: DynamoEntity>(db: &Db, format: RowFormat) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let export = E::scan().consistent().export(&mut file).format(format);
    export.send(db).await?.complete()?;
    Ok(file)
}

async fn an_entity_that_is_imported_is_the_same(db: Db) -> Outcome {
    let seed = parts(&db, 40).await?;
    let before = every_item(&db).await?;
    for format in FORMATS {
        let file = export::<Part>(&db, format).await?;
        assert_eq!(
            file.iter().filter(|byte| **byte == b'\n').count(),
            40,
            "seed {seed}"
        );
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let report = Part::import(&file[..]).format(format).send(&db).await?;
        assert_eq!(report.complete()?.written, 40, "seed {seed}");
        // Versions, times, keys of indexes, and the items that keep serials unique.
        assert_same(&every_item(&db).await?, &before, seed);
        let again = export::<Part>(&db, format).await?;
        assert!(sorted_lines(&again) == sorted_lines(&file), "seed {seed}");
    }
    Ok(())
}

async fn a_table_that_is_imported_is_the_same(db: Db) -> Outcome {
    let seed = parts(&db, 15).await?;
    for id in 0..5 {
        note(id).create().send(&db).await?;
    }
    let foreign = [
        ("pk", Value::from("X")),
        ("sk", Value::from("Y")),
        ("n", Value::from(1)),
    ];
    Item::in_table("depot")
        .put(Item::from_iter(foreign))
        .send(&db)
        .await?;
    let before = every_item(&db).await?;
    assert_eq!(
        before.len(),
        15 * 2 + 5 + 1,
        "with the items that keep serials unique"
    );
    for format in FORMATS {
        let mut file = Vec::new();
        let every = Depot::schema().scan_items()?.consistent().segments(3);
        let report = every
            .export(&mut file)
            .format(format)
            .send(&db)
            .await?
            .complete()?;
        assert_eq!((report.rows, report.left_out), (36, 0));
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let report = Depot::schema()
            .import(&file[..])?
            .format(format)
            .send(&db)
            .await?;
        assert_eq!(report.complete()?.written, 36, "seed {seed}");
        assert_same(&every_item(&db).await?, &before, seed);
        // One entity as it is, from the file of the table.
        db.truncate([Depot::schema()]).even_on_aws().await?;
        let report = Note::import(&file[..])
            .format(format)
            .as_is()
            .send(&db)
            .await?;
        assert_eq!(
            (report.written, report.failed),
            (5, 31),
            "others are reported"
        );
        Depot::schema()
            .import(&file[..])?
            .format(format)
            .send(&db)
            .await?
            .complete()?;
    }
    Ok(())
}

async fn other_rows_are_left_out_and_counted(db: Db) -> Outcome {
    parts(&db, 3).await?;
    note(1).create().send(&db).await?;
    let mut file = Vec::new();
    let mut scanned = 0;
    let told = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let listener = told.clone();
    let scan = Note::scan().on_progress(move |progress| {
        listener.store(progress.scanned, std::sync::atomic::Ordering::Relaxed);
    });
    let export = scan.export(&mut file).on_progress(|progress| {
        assert!(progress.position.is_some());
        scanned = progress.rows;
    });
    let report = export.send(&db).await?.complete()?;
    assert_eq!((report.rows, report.left_out, report.failed), (1, 6, 0));
    assert_eq!(scanned, 1);
    assert_eq!(
        told.load(std::sync::atomic::Ordering::Relaxed),
        7,
        "the listener of the query"
    );
    Ok(())
}

async fn a_row_that_cannot_be_read_is_reported(db: Db) -> Outcome {
    note(1).create().send(&db).await?;
    let stored = note(2).create().send(&db).await?;
    let mut broken = stored.to_item()?;
    broken.insert("text", 7);
    Item::in_table("depot").put(broken).send(&db).await?;
    for format in FORMATS {
        let mut file = Vec::new();
        let report = Note::scan()
            .export(&mut file)
            .format(format)
            .send(&db)
            .await?;
        assert_eq!((report.rows, report.failed), (1, 1));
        assert_eq!(report.errors()[0].attribute(), Some("text"));
        assert!(report.complete().is_err());
    }
    Ok(())
}

async fn a_partition_is_exported(db: Db) -> Outcome {
    let mut random = fastrand::Rng::with_seed(1);
    for number in 0..6 {
        let group = if number < 4 { "a" } else { "b" };
        let part = Part {
            group: group.into(),
            ..part(&mut random, number)
        };
        part.create().send(&db).await?;
    }
    let mut file = Vec::new();
    let some = Part::in_partition("a").number().ge(1).descending();
    let report = some.export(&mut file).send(&db).await?.complete()?;
    assert_eq!(report.rows, 3);
    assert_eq!(report.bytes, file.len() as u64);
    let first = file.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = std::str::from_utf8(first)?;
    assert!(first.contains(r#""number":3,"#), "{first}");
    Ok(())
}

async fn rows_without_all_attributes_are_refused(db: Db) -> Outcome {
    let keys = Depot::schema().dynamic("Note")?;
    let mut file = Vec::new();
    assert_eq!(
        keys.scan()
            .export(&mut file)
            .send(&db)
            .await?
            .complete()?
            .rows,
        0
    );
    Ok(())
}

async fn an_import_replaces_nothing_unless_it_is_told(db: Db) -> Outcome {
    let stored = note(1).create().send(&db).await?;
    let changed = Note {
        text: "changed".into(),
        ..stored.clone()
    };
    let line = changed.to_item()?;
    let mut file = serde_json::to_string(&line)?;
    file.push_str("\n{\"id\":2,\"text\":\"new\",\"version\":7}\n");
    for as_is in [false, true] {
        let import = Note::import(file.as_bytes());
        let import = if as_is { import.as_is() } else { import };
        let report = import.send(&db).await?;
        // As it is, a line without keys cannot be stored.
        let new = u64::from(!as_is);
        assert_eq!((report.existing, report.written), (1, new));
        assert!(report.errors()[0].error().is_already_exists());
        assert_eq!(report.errors()[0].number(), 1);
        let now = Note::key(1).get().consistent().send(&db).await?;
        assert_eq!(now.as_ref(), Some(&stored));
    }
    let report = Note::import(file.as_bytes()).replace().send(&db).await?;
    assert_eq!(report.complete()?.written, 2);
    let now = Note::key(1).get().consistent().send(&db).await?;
    assert_eq!(now, Some(changed));
    Ok(())
}

async fn an_import_that_is_run_again_changes_nothing(db: Db) -> Outcome {
    let seed = parts(&db, 10).await?;
    let before = every_item(&db).await?;
    for format in FORMATS {
        let file = export::<Part>(&db, format).await?;
        for as_is in [false, true] {
            let import = Part::import(&file[..]).format(format);
            let import = if as_is { import.as_is() } else { import };
            let counts = import.send(&db).await?.complete()?;
            assert_eq!((counts.unchanged, counts.written), (10, 0), "seed {seed}");
            assert_same(&every_item(&db).await?, &before, seed);
        }
    }
    Ok(())
}

async fn unique_values_are_taken(db: Db) -> Outcome {
    let mut random = fastrand::Rng::with_seed(2);
    let first = Part {
        serial: "s".into(),
        ..part(&mut random, 1)
    };
    let second = Part {
        serial: "s".into(),
        ..part(&mut random, 2)
    };
    let mut file = Vec::new();
    for part in [&first, &second] {
        part.put().unchecked().send(&db).await.ok();
        Part::scan().export(&mut file).send(&db).await?.complete()?;
        db.truncate([Depot::schema()]).even_on_aws().await?;
    }
    let report = Part::import(&file[..]).concurrency(1).send(&db).await?;
    assert_eq!((report.written, report.failed), (1, 1));
    assert!(
        report.errors()[0].error().is_unique_violation(),
        "{:?}",
        report.errors()
    );
    let holder = Part::by_serial("s").send(&db).await?;
    assert_eq!(holder.map(|part| part.number), Some(1));
    Ok(())
}

async fn plain_json_of_people_is_read(db: Db) -> Outcome {
    let line = r#"{"group":"g","number":1,"serial":"s","exact":"123456789012345678901234567890","bytes":"aGk=",
        "tags":["b","a"],"sizes":[2,"1.50"],"is_new":true,"measures":[],"by_name":{},"any":{"$SS":["x"]}}"#;
    let line = line.replace('\n', "");
    let report = Part::import(line.as_bytes()).send(&db).await?;
    assert_eq!(report.complete()?.written, 1);
    let part = Part::key("g", 1)
        .get()
        .consistent()
        .send(&db)
        .await?
        .expect("a part");
    assert_eq!(part.bytes, b"hi");
    assert_eq!(part.tags.len(), 2);
    assert_eq!(part.exact.as_str(), "123456789012345678901234567890");
    assert_eq!(
        part.sizes
            .iter()
            .map(|size| size.as_str())
            .collect::<Vec<_>>(),
        ["1.5", "2"]
    );
    assert_eq!(part.any, Some(Value::Ss(["x".to_owned()].into())));
    Ok(())
}

async fn attributes_without_a_field_are_not_lost(db: Db) -> Outcome {
    let file = r#"{"id":1,"text":"a","colour":"red"}"#;
    let report = Note::import(file.as_bytes()).send(&db).await?;
    assert_eq!((report.written, report.failed), (0, 1));
    let error = report.errors()[0].error();
    assert_eq!(error.attribute(), Some("colour"));
    assert!(error.to_string().contains(".drop_unknown()"), "{error}");
    let report = Note::import(file.as_bytes())
        .drop_unknown()
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 1);
    Ok(())
}

async fn the_last_line_of_a_key_wins_if_it_replaces(db: Db) -> Outcome {
    let lines = |count: u32| -> String {
        (0..count)
            .map(|number| format!("{{\"id\":{},\"text\":\"{number}\"}}\n", number % 3))
            .collect()
    };
    let file = lines(1300);
    let report = Note::import(file.as_bytes())
        .replace()
        .concurrency(32)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 1300);
    for id in 0..3u32 {
        let found = Note::key(id)
            .get()
            .consistent()
            .send(&db)
            .await?
            .expect("a note");
        let last = (0..1300u32)
            .rev()
            .find(|number| number % 3 == id)
            .expect("one");
        assert_eq!(found.text, last.to_string());
    }
    db.truncate([Depot::schema()]).even_on_aws().await?;
    let report = Note::import(file.as_bytes())
        .concurrency(32)
        .max_failures(9999)
        .send(&db)
        .await?;
    assert_eq!(
        (report.written, report.existing),
        (3, 1297),
        "the first one"
    );
    let found = Note::key(2).get().consistent().send(&db).await?;
    assert_eq!(found.expect("a note").text, "2");
    Ok(())
}

async fn a_described_table_has_no_rows(_: Db) -> Outcome {
    let schema = dynamo_entity::schema::TableSchema::default();
    let refused = schema.scan_items().expect_err("no declaration");
    assert_eq!(refused.kind(), ErrorKind::Config);
    assert!(schema.import(&b""[..]).is_err());
    Ok(())
}
