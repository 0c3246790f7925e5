//! Exports and imports of comma-separated values.

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::Csv;
use dynamo_entity::{Number, Value};

use super::{Depot, Measure, Note, Part, assert_same, every_item, note, part};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_entity_that_goes_through_csv_is_the_same(Depot),
    cells_are_those_of_the_standard(Depot),
    nothing_is_something_else_than_empty(Depot),
    formulas_are_escaped_and_come_back(Depot),
    columns_are_compared_before_the_first_row(Depot),
    columns_are_those_of_the_entity(Depot),
    bad_records_are_reported_by_number(Depot),
    a_line_without_its_only_cell_is_a_row(Depot),
    null_is_read_as_a_missing_attribute(Depot),
    a_file_of_csv_is_cut_to_its_bytes(Depot),
    an_attribute_without_a_column_is_not_lost(Depot),
    attributes_of_others_are_in_the_rest(Depot),
    an_import_of_csv_goes_on_where_it_was_stopped(Depot),
    an_export_of_csv_goes_on_without_a_second_header(Depot),
];

crate::declare! {
    entity Loose(table = "loose", key(pk = id)) { id: u32, #[dynamo(rest)] others: Item }
}

async fn exported<E: DynamoEntity>(db: &Db, csv: &Csv) -> Result<String> {
    let mut file = Vec::new();
    let export = E::scan().consistent().export(&mut file).csv(csv);
    export.send(db).await?.complete()?;
    Ok(String::from_utf8(file).expect("UTF-8"))
}

/// The names of the columns, and the lines in an order.
fn sorted(file: &str) -> Vec<&str> {
    let mut lines: Vec<_> = file.split_inclusive('\n').collect();
    if let Some((_, rows)) = lines.split_first_mut() {
        rows.sort_unstable();
    }
    lines
}

async fn an_entity_that_goes_through_csv_is_the_same(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for number in 0..30 {
        let mut part = part(&mut random, number);
        // Beginnings of cells that a spreadsheet would run, and those of the escape itself.
        part.group = [
            "=", "+", "-", "@", "'", "\t", "\r", " ", "\"", ",", "\n", "\u{feff}",
        ][number as usize % 12]
            .to_owned()
            + &part.group;
        // The end of a cell at the end of a line, and texts that are blanks alone.
        part.serial =
            format!("{}{number}", part.serial) + ["\r", "\r\n", "\n", " "][number as usize % 4];
        part.label = Some(["\t", "\r", "\u{c}", "a;=1"][number as usize % 4].to_owned());
        part.create().send(&db).await?;
    }
    note(1).create().send(&db).await?;
    let before = every_item(&db).await?;
    for csv in [Csv::of::<Part>(), Csv::of::<Part>().escape_formulas()] {
        let file = exported::<Part>(&db, &csv).await?;
        db.truncate([Depot::schema()]).even_on_aws().await?;
        note(1).create().send(&db).await?;
        let report = Part::import(file.as_bytes()).csv(&csv).send(&db).await?;
        assert_eq!(report.complete()?.written, 30, "seed {seed}");
        assert_same(&every_item(&db).await?, &before, seed);
        let again = exported::<Part>(&db, &csv).await?;
        assert!(sorted(&again) == sorted(&file), "seed {seed}");
    }
    Ok(())
}

fn example() -> Part {
    Part {
        group: "a, \"b\"\nc".into(),
        number: 7,
        label: None,
        serial: "=1+1".into(),
        exact: "12345678901234567890123456789012345678"
            .parse()
            .expect("a number"),
        bytes: vec![251, 239],
        tags: ["x,y".to_owned(), "z".to_owned()].into(),
        sizes: [
            "1".parse::<Number>().expect("a number"),
            "-2.5".parse().expect("a number"),
        ]
        .into(),
        is_new: true,
        measures: vec![Measure {
            amount: "1".parse().expect("a number"),
            mark: vec![1],
            more: None,
        }],
        by_name: [("k".to_owned(), 1)].into(),
        any: Some(Value::S("text".into())),
        rest: Item::from_iter([("unknown", Value::from(1))]),
        version: Version::default(),
        created_at: None,
        expires_at: None,
    }
}

async fn cells_are_those_of_the_standard(db: Db) -> Outcome {
    example().create().send(&db).await?;
    let columns = Csv::of::<Part>().columns([
        "group", "number", "label", "serial", "exact", "bytes", "tags", "sizes", "is_new",
        "measures", "by_name", "any", "rest", "version",
    ]);
    let file = exported::<Part>(&db, &columns).await?;
    let expected = concat!(
        "group,number,label,serial,exact,bytes,tags,sizes,is_new,measures,by_name,any,rest,version\n",
        "\"a, \"\"b\"\"\nc\",7,,=1+1,12345678901234567890123456789012345678,++8=,\"[\"\"x,y\"\",\"\"z\"\"]\",\"[-2.5,1]\",true,",
        "\"[{\"\"amount\"\":1,\"\"mark\"\":{\"\"$B\"\":\"\"AQ==\"\"}}]\",\"{\"\"k\"\":1}\",\"\"\"text\"\"\",\"{\"\"unknown\"\":1}\",1\n",
    );
    assert_eq!(file, expected);
    let escaped = exported::<Part>(&db, &columns.escape_formulas()).await?;
    let expected = expected
        .replace(",=1+1,", ",'=1+1,")
        .replace(",++8=,", ",'++8=,");
    assert_eq!(escaped, expected);
    Ok(())
}

async fn nothing_is_something_else_than_empty(db: Db) -> Outcome {
    let some = |number, label: Option<&str>| Part {
        number,
        label: label.map(str::to_owned),
        serial: number.to_string(),
        bytes: Vec::new(),
        any: Some(Value::S(String::new())),
        ..example()
    };
    // An index has no empty text, so the label is one of an attribute without a key.
    some(1, None).create().send(&db).await?;
    let csv = Csv::of::<Part>().columns(["number", "label", "bytes", "any"]);
    assert_eq!(
        exported::<Part>(&db, &csv).await?,
        "number,label,bytes,any\n1,,\"\",\"\"\"\"\"\"\n"
    );
    let file = "id,text,version\n1,\"\",1\n2,,1\n";
    let report = Note::import(file.as_bytes())
        .csv(Csv::of::<Note>())
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (1, 1));
    assert_eq!(report.errors()[0].number(), 3);
    let stored = Note::key(1).get().consistent().send(&db).await?;
    assert_eq!(stored.map(|note| note.text), Some(String::new()));
    Ok(())
}

async fn formulas_are_escaped_and_come_back(db: Db) -> Outcome {
    let texts = [
        "=cmd|' /C calc'!A0",
        "+1",
        "-1",
        "@x",
        "'",
        "''=",
        "\tx",
        "\n=1",
        "plain",
        "a=b",
        "a;=1+1",
        "a\t=1+1",
    ];
    for (id, text) in texts.iter().enumerate() {
        let note = Note {
            text: (*text).to_owned(),
            ..note(id as u32)
        };
        note.create().send(&db).await?;
    }
    let before = every_item(&db).await?;
    let csv = Csv::of::<Note>().escape_formulas();
    let file = exported::<Note>(&db, &csv).await?;
    for cell in file
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').nth(1))
    {
        let text = cell.trim_start_matches('"');
        assert!(!text.starts_with(['=', '+', '-', '@', '\t']), "{file}");
        // Some spreadsheets begin a cell after these, unless it is in quotes.
        assert!(
            !cell.contains([';', '\t']) || cell.starts_with('"'),
            "{file}"
        );
    }
    assert!(file.contains("\"'\n=1\""), "{file}");
    db.truncate([Depot::schema()]).even_on_aws().await?;
    Note::import(file.as_bytes())
        .csv(&csv)
        .send(&db)
        .await?
        .complete()?;
    assert_same(&every_item(&db).await?, &before, 0);
    Ok(())
}

async fn columns_are_compared_before_the_first_row(db: Db) -> Outcome {
    let csv = Csv::of::<Note>();
    for (file, why) in [
        ("id,text\n1,a\n", "the file has no column `version`"),
        (
            "id,text,version,more\n1,a,1,b\n",
            "the column `more`, which is not one of the declared ones: id, text, version",
        ),
        ("id,text,version,id\n1,a,1,1\n", "the column `id` twice"),
        ("", "the first line does not name the columns"),
        ("\n\n", "the first line does not name the columns"),
        ("1,a,1\n", "the column `1`"),
        ("id,\"text\"x,version\n1,a,1\n", "line 1 is not CSV"),
    ] {
        let error = Note::import(file.as_bytes()).csv(&csv).send(&db).await;
        let error = error.map(|report| report.counts()).expect_err(why);
        assert_eq!(error.kind(), ErrorKind::Config, "{why}");
        assert!(error.to_string().contains(why), "{why}: {error}");
    }
    assert_eq!(every_item(&db).await?.len(), 0);
    // Their order in the file does not matter, and neither do the line ends.
    let file = "\u{feff}\r\nversion,text,id\r\n1,a,1\r\n";
    assert_eq!(
        Note::import(file.as_bytes())
            .csv(&csv)
            .send(&db)
            .await?
            .complete()?
            .written,
        1
    );
    let named = csv.columns([("version", "V"), ("id", "The id"), ("text", "=Text")]);
    assert_eq!(
        exported::<Note>(&db, &named).await?,
        "V,The id,=Text\n1,1,a\n"
    );
    let named = named.escape_formulas();
    let file = exported::<Note>(&db, &named).await?;
    assert_eq!(file, "V,The id,'=Text\n1,1,a\n");
    assert_eq!(
        Note::import(file.as_bytes())
            .csv(&named)
            .send(&db)
            .await?
            .complete()?
            .unchanged,
        1
    );
    Ok(())
}

async fn columns_are_those_of_the_entity(db: Db) -> Outcome {
    let csv = Csv::of::<Note>();
    for (columns, why) in [
        (
            csv.clone().columns(["id", "size"]),
            "`Note` has no attribute `size` for a column: it has id, text, version",
        ),
        (
            csv.clone().columns(["id", "id"]),
            "the column `id` is listed twice",
        ),
        (
            csv.clone().columns([("id", "x"), ("text", "x")]),
            "the column `x` is listed twice",
        ),
        (csv.clone().columns([""; 0]), "a file of CSV needs columns"),
        (
            Csv::of_entity(&Depot::schema(), "Nobody"),
            "the table `depot` has no entity `Nobody`",
        ),
        (
            Csv::of::<Part>(),
            "the columns are those of `Part`, and the rows those of `Note`",
        ),
    ] {
        let error = Note::scan()
            .export(Vec::new())
            .csv(&columns)
            .send(&db)
            .await;
        let error = error.map(|report| report.counts()).expect_err(why);
        assert!(
            error.to_string().contains(why) && error.kind() == ErrorKind::Config,
            "{error}"
        );
        let error = Note::import(&b"id,text,version\n"[..])
            .csv(&columns)
            .send(&db)
            .await;
        let error = error.map(|report| report.counts()).expect_err(why);
        assert!(
            error.to_string().contains(why) && error.kind() == ErrorKind::Config,
            "{error}"
        );
    }
    let every = Depot::schema()
        .scan_items()?
        .export(Vec::new())
        .csv(&csv)
        .send(&db)
        .await;
    assert!(
        every
            .map(|report| report.counts())
            .expect_err("any items")
            .to_string()
            .contains("CSV needs the rows of one entity")
    );
    let as_is = Note::import(&b""[..]).csv(&csv).as_is().send(&db).await;
    assert!(
        as_is
            .map(|report| report.counts())
            .expect_err("as it is")
            .to_string()
            .contains("remove `.as_is()`")
    );
    Ok(())
}

async fn bad_records_are_reported_by_number(db: Db) -> Outcome {
    let file = concat!(
        "id,text,version\n",
        "1,\"two\nlines\",1\n",
        "x,a,1\n",
        "2,a\n",
        "\n",
        "3,a\"b,1\n",
        "4,\"a\"b,1\n",
        "5,\"\"\"good\"\"\",1\n",
        "6,a,1,2\n",
        "7,a,1\n",
        "8,\"open,1\n",
        "9,a,1\n",
    );
    let blank = "id,text,version\n1, \"two\n2,lines,1\n\",1\n3,a,1\n";
    let report = Note::import(blank.as_bytes())
        .csv(Csv::of::<Note>())
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (1, 1), "{report:?}");
    let error = report.errors()[0].to_string();
    assert!(error.contains("blank before its quotes"), "{error}");
    Note::key(3u32).delete().send(&db).await?;
    let report = Note::import(file.as_bytes())
        .csv(Csv::of::<Note>())
        .send(&db)
        .await?;
    let failed: Vec<_> = report
        .errors()
        .iter()
        .map(|failed| failed.number())
        .collect();
    assert_eq!(failed, [4, 5, 7, 8, 10, 12], "{report:?}");
    assert_eq!((report.written, report.lines), (3, 9));
    let texts: Vec<_> = report.errors().iter().map(ToString::to_string).collect();
    for (text, why) in texts.iter().zip([
        "line 4: Item.id: expected a number",
        "the line has 2 cells, and the first line 3",
        "must be in quotes",
        "text after its quotes",
        "the line has 4 cells",
        "the quotes of a cell are not closed",
    ]) {
        assert!(text.contains(why), "{why}: {text}");
    }
    Ok(())
}

/// A line of a file with one column is empty if its cell has no value. The row is still read.
async fn a_line_without_its_only_cell_is_a_row(db: Db) -> Outcome {
    note(1).create().send(&db).await?;
    let csv = Csv::of::<Note>().columns(["id"]);
    let file = "id\n7\n\n";
    let report = Note::import(file.as_bytes()).csv(&csv).send(&db).await?;
    assert_eq!((report.lines, report.failed), (2, 2), "{report:?}");
    let tabs = Note {
        text: "\t".into(),
        ..note(2)
    };
    tabs.create().send(&db).await?;
    let texts = Csv::of::<Note>().columns(["text"]);
    let file = exported::<Note>(&db, &texts).await?;
    assert!(file.contains("\n\"\t\"\n"), "{file}");
    Ok(())
}

/// NULL and a missing attribute are the same cell, as the documentation says.
async fn null_is_read_as_a_missing_attribute(db: Db) -> Outcome {
    let one = Part {
        label: None,
        ..example()
    };
    let mut item = one.create().send(&db).await?.to_item()?;
    item.insert("expires_at", Value::Null);
    Item::in_table("depot").put(item).send(&db).await?;
    let csv = Csv::of::<Part>();
    let file = exported::<Part>(&db, &csv).await?;
    let report = Part::import(file.as_bytes()).csv(&csv).replace();
    assert_eq!(report.send(&db).await?.complete()?.written, 1);
    let items = every_item(&db).await?;
    let part = items
        .iter()
        .find(|item| item.get("number").is_some())
        .expect("the part");
    assert_eq!(part.get("expires_at"), None);
    Ok(())
}

/// The file of a program that was killed ends within a record, and is cut to the bytes that were reported.
async fn a_file_of_csv_is_cut_to_its_bytes(db: Db) -> Outcome {
    let lines = |id| Note {
        text: format!("\"a\nb {}", "x".repeat(20_000)),
        ..note(id)
    };
    put_each((0..30).map(lines).map(Note::into_create))
        .send(&db)
        .await?
        .complete()?;
    let csv = Csv::of::<Note>();
    let whole = exported::<Note>(&db, &csv).await?;
    let scan = || Note::scan().page_size(5).consistent();
    let (mut file, mut saved) = (Vec::new(), None);
    let export = scan().export(&mut file).csv(&csv);
    let export = export.on_progress(|progress| {
        let place = progress.position.cloned().zip(Some(progress.bytes));
        saved = saved.take().or(place);
    });
    export.send(&db).await?.complete()?;
    let (position, bytes) = saved.ok_or("a portion")?;
    let bytes = usize::try_from(bytes)?;
    assert!(bytes < whole.len());
    file.truncate(bytes + 30); // within the quotes of the next record
    assert!(!file.ends_with(b"\n"));
    file.truncate(bytes);
    let rest = scan().resume(Some(position)).export(&mut file).csv(&csv);
    rest.send(&db).await?.complete()?;
    let file = String::from_utf8(file)?;
    assert_eq!(file.len(), whole.len());
    assert!(sorted(&file) == sorted(&whole));
    Ok(())
}

/// A program that stores more than this one knows.
async fn an_attribute_without_a_column_is_not_lost(db: Db) -> Outcome {
    let mut item = note(1).to_item()?;
    item.insert("more", "x");
    Item::in_table("depot").put(item).send(&db).await?;
    note(2).create().send(&db).await?;
    let mut file = Vec::new();
    let csv = Csv::of::<Note>();
    let report = Note::scan()
        .consistent()
        .export(&mut file)
        .csv(&csv)
        .send(&db)
        .await?;
    assert_eq!((report.rows, report.failed), (1, 1));
    assert!(
        report.errors()[0]
            .to_string()
            .contains("more: it has no column"),
        "{report:?}"
    );
    assert_eq!(
        String::from_utf8_lossy(&file),
        "id,text,version\n2,text 2,1\n"
    );
    // Who lists the columns has left it out.
    let csv = csv.columns(["id", "text", "version"]);
    assert_eq!(exported::<Note>(&db, &csv).await?.lines().count(), 3);
    Ok(())
}

/// Named like the field of the rest, and like the key of an index that only other entities use.
async fn attributes_of_others_are_in_the_rest(db: Db) -> Outcome {
    // The name of the Rust field is in no file.
    let columns = format!("{:?}", Csv::of::<Loose>());
    assert!(
        columns.contains("\"rest\"") && !columns.contains("others"),
        "{columns}"
    );
    let mut one = example();
    one.rest.insert("rest", 1);
    let one = one.create().send(&db).await?;
    let csv = Csv::of::<Part>();
    let file = exported::<Part>(&db, &csv).await?;
    let before = every_item(&db).await?;
    db.truncate([Depot::schema()]).even_on_aws().await?;
    let report = Part::import(file.as_bytes()).csv(&csv).send(&db).await?;
    assert_eq!(report.complete()?.written, 1, "{file}");
    assert_same(&every_item(&db).await?, &before, 0);
    drop(one);

    // A key of an index of other entities is an attribute that the entity does not know.
    let mut item = note(1).to_item()?;
    item.insert("g1pk", "x");
    item.insert("g1sk", "y");
    Item::in_table("depot").put(item).send(&db).await?;
    let mut file = Vec::new();
    let csv = Csv::of::<Note>();
    let scan = Note::scan().consistent();
    let report = scan.export(&mut file).csv(&csv).send(&db).await?;
    assert_eq!((report.rows, report.failed), (0, 1), "{report:?}");
    let line =
        br#"{"pk":"NOTE#2","sk":"NOTE","id":2,"text":"a","version":1,"g1pk":"x","g1sk":"y"}"#;
    let report = Note::import(&line[..]).send(&db).await?;
    assert_eq!((report.written, report.failed), (0, 1), "{report:?}");
    Ok(())
}

fn denied_after(requests: usize) -> Vec<Fault> {
    let denied = (0..40).map(|_| Fault::refuse("AccessDeniedException"));
    std::iter::repeat_n(Fault::Pass, requests)
        .chain(denied)
        .collect()
}

async fn an_import_of_csv_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let rows = (0..40).map(|id| format!("{id},\"a\n{}\",1\n{}", id * 7, "\n".repeat(90)));
    let file = "id,text,version\n".to_owned() + &rows.collect::<String>() + "broken\n";
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("import");
    let import = |csv| {
        Note::import(file.as_bytes())
            .csv(csv)
            .checkpoint(FileCheckpoint::new(&path))
            .concurrency(3)
    };
    let mut runs = 0;
    let counts = loop {
        let (faulty, _) = db.faulty(denied_after(random.usize(2..30)));
        let report = import(Csv::of::<Note>()).send(&faulty).await?;
        runs += 1;
        if report.stopped().is_none() {
            break report.counts();
        }
        assert!(runs < 400, "seed {seed}: no progress");
        if path.exists() {
            let other = import(Csv::of::<Note>().escape_formulas()).send(&db).await;
            let kind = other
                .map(|report| report.counts())
                .expect_err("other settings")
                .kind();
            assert_eq!(kind, ErrorKind::Checkpoint, "seed {seed}");
        }
    };
    assert!(runs > 1, "seed {seed}: it was not stopped");
    assert_eq!((counts.lines, counts.failed), (41, 1), "seed {seed}");
    let mut notes = Note::scan().consistent().all(&db).await?;
    notes.sort_by_key(|note| note.id);
    let expected = (0..40).map(|id| (id, format!("a\n{}", id * 7)));
    assert!(
        notes
            .into_iter()
            .map(|note| (note.id, note.text))
            .eq(expected),
        "seed {seed}"
    );
    Ok(())
}

async fn an_export_of_csv_goes_on_without_a_second_header(db: Db) -> Outcome {
    put_each((0..30).map(note).map(Note::into_create))
        .send(&db)
        .await?
        .complete()?;
    let csv = Csv::of::<Note>();
    let whole = exported::<Note>(&db, &csv).await?;
    let (mut file, mut next, mut runs) = (Vec::new(), None, 0);
    loop {
        let (faulty, _) = db.faulty(denied_after(2));
        let scan = Note::scan().page_size(5).consistent().resume(next.take());
        let report = scan.export(&mut file).csv(&csv).send(&faulty).await?;
        runs += 1;
        next = report.position().cloned();
        if report.stopped().is_none() {
            break;
        }
    }
    assert!(runs > 1);
    let file = String::from_utf8(file)?;
    assert!(sorted(&file) == sorted(&whole), "{file}");
    Ok(())
}
