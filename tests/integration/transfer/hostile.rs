//! Files that others have written, or broken: each line that cannot be stored is reported, and the others are stored.

use dynamo_entity::error::Remedy;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;

use super::{Depot, FORMATS, Note, note};
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    each_bad_line_is_reported_alone(Depot),
    each_bad_line_of_dynamo_json_is_reported_alone(Depot),
    keys_that_the_table_does_not_take_are_reported(Depot),
    a_file_of_any_form_is_read(Depot),
    arbitrary_bytes_are_no_panic(Depot),
    many_bad_lines_stop_the_import(Depot),
    lines_of_another_format_are_recognized(Depot),
    a_line_of_another_entity_names_both_types(Depot),
];

/// Imports the lines with a good one between them, and returns the reasons.
async fn reasons(db: &Db, format: RowFormat, lines: &[&str]) -> Result<Vec<String>> {
    let good = |id: usize| match format {
        RowFormat::Json => format!("{{\"id\":{id},\"text\":\"good\"}}\n"),
        _ => format!("{{\"Item\":{{\"id\":{{\"N\":\"{id}\"}},\"text\":{{\"S\":\"good\"}}}}}}\n"),
    };
    let file: String = lines
        .iter()
        .enumerate()
        .map(|(at, line)| format!("{line}\n{}", good(at)))
        .collect();
    let report = Note::import(file.as_bytes())
        .format(format)
        .send(db)
        .await?;
    assert_eq!(
        report.written as usize,
        lines.len(),
        "{:?}",
        report.errors()
    );
    let numbers: Vec<u64> = report.errors().iter().map(|line| line.number()).collect();
    let expected: Vec<u64> = (0..lines.len() as u64).map(|at| 2 * at + 1).collect();
    assert_eq!(numbers, expected, "{:?}", report.errors());
    db.truncate([Depot::schema()]).even_on_aws().await?;
    Ok(report.errors().iter().map(ToString::to_string).collect())
}

async fn each_bad_line_is_reported_alone(db: Db) -> Outcome {
    let cases = [
        ("{", "not JSON"),
        ("{}", "id"),
        ("[]", "not JSON"),
        ("null", "not JSON"),
        ("{\"id\":1,\"text\":\"a\"} x", "not JSON"),
        (
            "{\"id\":1,\"text\":\"a\"}{\"id\":2,\"text\":\"b\"}",
            "not JSON",
        ),
        ("{\"id\":\"seven\",\"text\":\"a\"}", "id"),
        ("{\"id\":-1,\"text\":\"a\"}", "id"),
        ("{\"id\":1e999,\"text\":\"a\"}", "id"),
        ("{\"id\":NaN,\"text\":\"a\"}", "not JSON"),
        ("{\"id\":1,\"text\":7}", "text"),
        (
            "{\"id\":1,\"text\":{\"$X\":\"a\"}}",
            "no type has this name",
        ),
        ("{\"id\":1,\"text\":{\"$B\":\"*\"}}", "Base64"),
        (
            "{\"id\":1,\"text\":{\"$SS\":[\"a\",\"a\"]}}",
            "without repetition",
        ),
        ("{\"id\":1,\"id\":2,\"text\":\"a\"}", "occurs twice"),
        // A key that is not the one of the fields.
        (
            "{\"id\":1,\"text\":\"a\",\"pk\":\"NOTE#0000000002\",\"sk\":\"NOTE\"}",
            "pk",
        ),
        ("\u{0}", "not JSON"),
    ];
    let lines = cases.map(|(line, _)| line);
    let found = reasons(&db, RowFormat::Json, &lines).await?;
    for ((line, reason), found) in cases.iter().zip(found) {
        assert!(found.contains(reason), "{line}: {found}");
        assert!(!found.contains("seven"), "a value is shown: {found}");
    }
    Ok(())
}

async fn each_bad_line_of_dynamo_json_is_reported_alone(db: Db) -> Outcome {
    let cases = [
        ("{}", "one member, `Item`"),
        ("{\"id\":{\"N\":\"1\"}}", "one member, `Item`"),
        (
            "{\"Item\":{\"id\":{\"N\":\"1\"},\"text\":{\"S\":\"a\"}},\"Keys\":{}}",
            "one member, `Item`",
        ),
        (
            "{\"Item\":{\"id\":{\"N\":\"1\"},\"text\":{\"S\":\"a\"}}} {}",
            "end",
        ),
        (
            "{\"Item\":{\"id\":{\"N\":\"x\"},\"text\":{\"S\":\"a\"}}}",
            "id",
        ),
        ("{\"Item\":{\"id\":{\"Q\":\"x\"}}}", "id"),
        ("{\"Item\":7}", ""),
    ];
    let lines = cases.map(|(line, _)| line);
    let found = reasons(&db, RowFormat::DynamoJson, &lines).await?;
    for ((line, reason), found) in cases.iter().zip(found) {
        assert!(found.contains(reason), "{line}: {found}");
    }
    Ok(())
}

/// DynamoDB would reject the request.
async fn keys_that_the_table_does_not_take_are_reported(db: Db) -> Outcome {
    let lines = [
        r#"{"sk":"a"}"#,
        r#"{"pk":"a"}"#,
        r#"{"pk":1,"sk":"a"}"#,
        r#"{"pk":"","sk":"a"}"#,
        r#"{"pk":"a","sk":{"$SS":["a"]}}"#,
        r#"{"pk":"a","sk":"b","g1pk":7,"g1sk":"c"}"#,
        r#"{"pk":"a","sk":"b","g1pk":"c","g1sk":""}"#,
        r#"{"pk":"a","sk":"b"}"#,
    ];
    let huge = format!(
        "{{\"pk\":\"h\",\"sk\":\"h\",\"text\":\"{}\"}}",
        "x".repeat(400 << 10)
    );
    let file = format!("{}\n{huge}\n", lines.join("\n"));
    let report = Depot::schema().import(file.as_bytes())?.send(&db).await?;
    assert_eq!(
        (report.written, report.failed),
        (1, 8),
        "{:?}",
        report.errors()
    );
    assert!(report.stopped().is_none());
    assert_eq!(report.errors()[7].error().kind(), ErrorKind::TooLarge);
    Ok(())
}

async fn a_file_of_any_form_is_read(db: Db) -> Outcome {
    let file = "\u{feff}{\"id\":1,\"text\":\"a\"}\r\n\r\n\n  {\"id\":2,\"text\":\"b\"}  \n{\"id\":3,\"text\":\"c\"}";
    let report = Note::import(file.as_bytes()).send(&db).await?;
    assert_eq!(report.complete()?.lines, 3);
    let report = Note::import(&b""[..]).send(&db).await?;
    assert_eq!(report.complete()?.lines, 0);
    let long = [
        &b"{\"id\":4,\"text\":\""[..],
        &vec![b'x'; 17 << 20],
        b"\"}\n{\"id\":5,\"text\":\"d\"}\n",
    ]
    .concat();
    let report = Note::import(&long[..]).send(&db).await?;
    assert_eq!((report.written, report.failed), (1, 1));
    assert_eq!(report.errors()[0].error().kind(), ErrorKind::TooLarge);
    Ok(())
}

async fn arbitrary_bytes_are_no_panic(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let alphabet = b"{}[]\":,\\$0123456789eE+-.ntfIemSNBLM \r\xff\xc3\n";
    for _ in 0..60 {
        let file: Vec<u8> = (0..400)
            .map(|_| alphabet[random.usize(..alphabet.len())])
            .collect();
        for format in FORMATS {
            let report = Note::import(&file[..]).format(format).send(&db).await?;
            assert_eq!(report.lines, report.failed, "seed {seed}");
        }
    }
    Ok(())
}

async fn many_bad_lines_stop_the_import(db: Db) -> Outcome {
    let file = "x\n".repeat(2000) + "{\"id\":1,\"text\":\"a\"}\n";
    let report = Note::import(file.as_bytes())
        .max_failures(600)
        .send(&db)
        .await?;
    assert_eq!(
        (report.failed, report.written),
        (1000, 0),
        "two portions of 500 lines"
    );
    let stopped = report.stopped().expect("it stopped");
    assert_eq!(stopped.kind(), ErrorKind::RowsFailed);
    assert_eq!(stopped.remedies(), [Remedy::MaxFailures]);
    let text = stopped.to_string();
    let begin = "it stopped early, because 1000 lines failed; the first is line 1: Item: not JSON";
    assert!(text.starts_with(begin), "{text}");
    Ok(())
}

/// Each line of the wrong format has the way out, and other bad lines keep their own reason.
async fn lines_of_another_format_are_recognized(db: Db) -> Outcome {
    for id in 0..3 {
        note(id).create().send(&db).await?;
    }
    let formats = [
        (RowFormat::Json, RowFormat::DynamoJson, Remedy::PlainJson),
        (RowFormat::DynamoJson, RowFormat::Json, Remedy::DynamoJson),
    ];
    for (written, read, remedy) in formats {
        let mut file = Vec::new();
        let export = Note::scan().export(&mut file).format(written);
        export.send(&db).await?.complete()?;
        file.extend_from_slice(b"{\"id\":\n");
        for is_table in [false, true] {
            let import = match is_table {
                true => Depot::schema().import(&file[..])?,
                false => Note::import(&file[..]),
            };
            let report = import.format(read).send(&db).await?;
            assert_eq!((report.failed, report.lines), (4, 4), "{report:?}");
            let (bad, wrong) = report.errors().split_last().expect("an error");
            for line in wrong {
                assert_eq!(line.error().remedies(), [remedy], "{line}");
                assert!(line.to_string().contains("`.format(RowFormat::"), "{line}");
            }
            assert!(bad.error().remedies().is_empty(), "{bad}");
        }
        let right = Note::import(&file[..]).format(written).send(&db).await?;
        assert_eq!((right.unchanged, right.failed), (3, 1));
    }
    Ok(())
}

/// Its attributes look unknown, but the type is the reason.
async fn a_line_of_another_entity_names_both_types(db: Db) -> Outcome {
    let lines = [
        "{\"_type\":\"Part\",\"id\":1,\"text\":\"a\",\"serial\":\"x\"}",
        "{\"_type\":\"Secret\",\"id\":1,\"text\":\"a\",\"serial\":\"x\"}",
        "{\"_type\":7,\"id\":1,\"text\":\"a\"}",
    ];
    let found = reasons(&db, RowFormat::Json, &lines).await?;
    for (found, words) in found.iter().zip([
        "Note._type: the type of the line is `Part`, and that of `Note` is `Note`: import such lines by their entity, or import its table",
        "Note._type: the type of the line is none of its table, and that of `Note` is `Note`",
        "Note._type: expected S, found N",
    ]) {
        assert!(found.contains(words), "{words}: {found}");
        assert!(!found.contains("Secret"), "a value is shown: {found}");
    }
    // Its own type is accepted.
    let own = "{\"_type\":\"Note\",\"id\":1,\"text\":\"a\"}";
    assert_eq!(Note::import(own.as_bytes()).send(&db).await?.written, 1);
    Ok(())
}
