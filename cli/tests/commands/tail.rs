//! The changes of a table, from its stream.

use dynamo_entity::prelude::*;
use dynamo_entity_cli::App;
use serde_json::Value as Json;

use crate::place::{Outcome, Place};

#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "letters", key(pk = "LETTER#{id}"), stream = new_and_old_images, unique(by_text, text))]
pub struct Letter {
    pub id: String,
    pub text: String,
}

#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "quiet", key(pk = number))]
pub struct Quiet {
    pub number: u32,
}

pub fn app() -> App {
    App::new([Letter::schema(), Quiet::schema()])
}

/// Writes a letter in several steps.
fn written(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Letter::schema(), Quiet::schema()])
            .await?;
        let mut letter = Letter {
            id: "a".into(),
            text: "one\u{1b}[31m".into(),
        };
        letter.create().send(db).await?;
        letter.text = "two".into();
        letter.put().send(db).await?;
        // A write that changes nothing is not shown.
        letter.put().send(db).await?;
        letter.delete().send(db).await?;
        Ok(())
    })
}

/// The start that the notes name.
fn next_start(notes: &str) -> Option<&str> {
    notes
        .lines()
        .find_map(|line| line.strip_prefix("next: --from "))
}

pub fn changes_are_shown_from_their_start(place: &Place) -> Outcome {
    written(place)?;
    let tail = ["tail", "letters", "--from", "oldest", "--limit", "3"];
    let said = place.done("tail", &tail)?;
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 3, "{said:?}");
    for (line, end) in lines.iter().zip([
        r#" created {"pk":"LETTER#a"} id: "a", text: "one\u001b[31m""#,
        r#" changed {"pk":"LETTER#a"} text: "one\u001b[31m" -> "two""#,
        r#" removed {"pk":"LETTER#a"}"#,
    ]) {
        assert!(line.starts_with("20") && line.ends_with(end), "{line}");
    }
    assert!(next_start(&said.notes).is_some(), "{said:?}");
    Ok(())
}

pub fn changes_continue_at_a_position(place: &Place) -> Outcome {
    written(place)?;
    let tail = ["tail", "letters", "--from", "1h", "--limit", "1", "--json"];
    let first = place.done("tail", &tail)?;
    let rows = first.rows()?;
    let row: &Json = &rows[0];
    assert_eq!(
        (&row["change"], &row["key"]["pk"]),
        (&"created".into(), &"LETTER#a".into())
    );
    assert_eq!(row["new"]["text"], "one\u{1b}[31m");
    assert!(row["old"].is_null() && row["sequence"].is_string(), "{row}");

    let position = next_start(&first.notes).expect("a position");
    let tail = [
        "tail", "letters", "--from", position, "--limit", "2", "--json",
    ];
    let rest = place.done("tail", &tail)?.rows()?;
    let kinds: Vec<&Json> = rest.iter().map(|row| &row["change"]).collect();
    assert_eq!(kinds, ["changed", "removed"]);
    Ok(())
}

pub fn changes_continue_after_those_of_the_last_run(place: &Place) -> Outcome {
    written(place)?;
    let file = place.file("tail.position", "")?;
    std::fs::remove_file(&file)?;
    let tail = |limit| {
        [
            "tail",
            "letters",
            "--from",
            "oldest",
            "--limit",
            limit,
            "--json",
            "--checkpoint",
            &file,
        ]
    };
    let first = place.done("tail", &tail("1"))?;
    assert_eq!(first.rows()?[0]["change"], "created");
    assert_eq!(next_start(&first.notes), None);
    let rest = place.done("tail", &tail("2"))?.rows()?;
    let kinds: Vec<&Json> = rest.iter().map(|row| &row["change"]).collect();
    assert_eq!(kinds, ["changed", "removed"]);
    std::fs::write(&file, "nothing")?;
    let failed = place.run("tail", &tail("1"))?;
    assert_eq!(failed.code, 1);
    assert!(failed.notes.contains("has no position"), "{failed:?}");
    Ok(())
}

pub fn tables_and_starts_that_do_not_fit_are_explained(place: &Place) -> Outcome {
    written(place)?;
    let failed = place.run("tail", &["tail", "quiet"])?;
    assert_eq!(failed.code, 1);
    assert!(failed.notes.contains("has no stream"), "{failed:?}");
    let failed = place.run("tail", &["tail", "letters", "--from", "yesterday"])?;
    assert_eq!(failed.code, 1);
    assert!(failed.notes.contains("15m or 2h"), "{failed:?}");
    Ok(())
}
