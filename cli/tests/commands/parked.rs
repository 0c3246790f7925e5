//! Changes of a stream that were parked: listed, shown, replayed by a handler of the program, and dropped.

use std::io::Write;
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    HandlerError, OnceEffect, ParkedChange, ParkedTable, StreamEvent, once,
};
use dynamo_entity_cli::App;
use serde_json::{Value as Json, json};

use crate::place::{Outcome, Place, said};

#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "parcels", key(pk = number))]
pub struct Parcel {
    pub number: u32,
    pub text: String,
}

/// A parcel that was handled.
#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "handled", key(pk = number))]
pub struct Handled {
    pub number: u32,
}

pub fn app() -> App {
    let schemas = [
        Parcel::schema(),
        ParkedTable::schema(),
        OnceEffect::schema(),
    ];
    App::new(schemas)
        .replays("mailer", |db, event| async move {
            let handle = async |parcel: Option<&Parcel>| handle(&db, parcel).await;
            let changes = Parcel::changes_of(&event);
            let response = changes.each(async |change| handle(change.event.after()).await);
            response.await.complete()
        })
        .replays("crashing", |db, _| crash(db))
}

/// The variable with the file to which effects are written.
const EFFECTS: &str = "COMMANDS_EFFECTS";

/// An effect outside DynamoDB, after which the process ends before it can record it.
async fn crash(db: Dynamo) -> Result<(), HandlerError> {
    let effect = async || -> Result<(), std::io::Error> {
        let path = std::env::var_os(EFFECTS).expect("a file");
        let mut file = std::fs::File::options().append(true).open(path)?;
        file.write_all(b"mail\n")?;
        std::process::abort();
    };
    let effect = once("mail")
        .lease(Duration::from_millis(1))
        .run(&db, effect);
    effect.await?;
    Ok(())
}

async fn handle(db: &Dynamo, parcel: Option<&Parcel>) -> Result<(), HandlerError> {
    let Some(parcel) = parcel else { return Ok(()) };
    if parcel.text == "broken" {
        return Err("a \u{1b}[31mbroken\nparcel".into());
    }
    Handled {
        number: parcel.number,
    }
    .put()
    .send(db)
    .await?;
    Ok(())
}

fn event(number: u32, text: &str) -> StreamEvent {
    let event = json!({"Records": [{
        "eventID": format!("e{number}"),
        "eventSourceARN": "arn:aws:dynamodb:eu-west-1:1:table/parcels/stream/1",
        "dynamodb": {
            "Keys": {"number": {"N": number.to_string()}},
            "NewImage": {"number": {"N": number.to_string()}, "text": {"S": text}},
            "SequenceNumber": format!("10{number}"),
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }]});
    StreamEvent::from_json(event.to_string().as_bytes()).expect("an event")
}

/// Parks parcels of two consumers, of which one is broken.
fn parked(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([
            ParkedTable::schema(),
            Parcel::schema(),
            Handled::schema(),
            OnceEffect::schema(),
        ])
        .await?;
        for (consumer, number, text) in [
            ("mailer", 1, "fine"),
            ("mailer", 2, "broken"),
            ("mailer", 3, "fine"),
            ("audit", 1, "fine"),
        ] {
            let event = event(number, text);
            let changes = Parcel::changes_of(&event).park_after(1, consumer, db);
            let response = changes.each(async |_| Err::<(), _>("no \u{1b}[31maddress\nat all"));
            assert_eq!(response.await.parked().len(), 1);
        }
        Ok(())
    })
}

fn left(place: &Place, consumer: &str) -> Outcome<Vec<String>> {
    place.typed(async |db| {
        let parked = ParkedChange::list(consumer, db).await?;
        Ok(parked.into_iter().map(|change| change.event_id).collect())
    })
}

pub fn parked_changes_are_listed_and_shown(place: &Place) -> Outcome {
    parked(place)?;
    let said = place.done("parked", &["parked", "list", "mailer"])?;
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 4, "{said:?}");
    assert!(
        lines[0].starts_with("consumer  event  parked at"),
        "{said:?}"
    );
    assert!(lines[1].starts_with("mailer    e1     20"), "{said:?}");
    let item = r#"1         parcels {"number":1}  no \u{1b}[31maddress"#;
    assert!(lines[1].ends_with(item), "{said:?}");

    let rows = place
        .done("parked", &["parked", "list", "--json"])?
        .rows()?;
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["consumer"], "audit");
    assert_eq!(rows[3]["event_id"], "e3");
    assert_eq!(rows[3]["key"], json!({"number": 3}));
    assert_eq!(rows[3]["table"], "parcels");
    assert_eq!(rows[3]["sequence"], "103");
    assert_eq!(rows[3]["attempts"], 1);
    assert_eq!(rows[3]["reason"], "no \u{1b}[31maddress\nat all");

    let none = place.done("parked", &["parked", "list", "nobody"])?;
    assert_eq!((&*none.out, &*none.notes), ("", "no changes are parked\n"));

    // The event is that which a function gets.
    let shown = place.done("parked", &["parked", "show", "mailer", "e2"])?;
    let read: Json = serde_json::from_str(&shown.out)?;
    assert_eq!(read["Records"][0]["eventID"], "e2");
    let event = StreamEvent::from_json(shown.out.as_bytes())?;
    let parcels = Parcel::changes_of(&event).filter_map(Result::ok);
    let parcels: Vec<_> = parcels.map(|change| change.event).collect();
    let text = parcels[0].after().map(|parcel| &*parcel.text);
    assert_eq!(text, Some("broken"));
    let all = place.done("parked", &["parked", "show", "mailer", "--all"])?;
    assert_eq!(all.rows()?.len(), 3);
    assert_eq!(
        left(place, "mailer")?,
        ["e1", "e2", "e3"],
        "nothing was changed"
    );
    Ok(())
}

pub fn parked_changes_are_replayed(place: &Place) -> Outcome {
    parked(place)?;
    let words = ["no handler for `audit`", ".replays(", "parked show"];
    place.refused("parked", &["parked", "replay", "audit", "--all"], &words)?;
    let one = place.done("parked", &["parked", "replay", "mailer", "e3"])?;
    assert_eq!(one.notes, "1 replayed, 0 failed, 0 not replayed\n");
    let rest = place.run("parked", &["parked", "replay", "mailer", "--all"])?;
    assert_eq!(rest.code, 1, "{rest:?}");
    assert_eq!(
        rest.notes,
        "e2: a \\u{1b}[31mbroken\nparcel\n1 replayed, 1 failed, 0 not replayed\n"
    );
    assert_eq!(left(place, "mailer")?, ["e2"]);
    assert_eq!(left(place, "audit")?, ["e1"]);
    let mut handled = place.typed(async |db| Handled::scan().all(db).await)?;
    handled.sort_by_key(|handled| handled.number);
    assert_eq!(handled, [1, 3].map(|number| Handled { number }));
    Ok(())
}

pub fn parked_changes_are_dropped(place: &Place) -> Outcome {
    parked(place)?;
    let drop = |more: &[&'static str]| [&["parked", "drop", "mailer"], more].concat();
    place.refused("parked", &drop(&["e1"]), &["nothing was dropped", "--yes"])?;
    let unknown = ["no parked change `e9`", "parked list"];
    place.refused("parked", &drop(&["e1", "e9", "--yes"]), &unknown)?;
    place.refused("parked", &drop(&["--yes"]), &["--all"])?;
    place.refused(
        "parked",
        &drop(&["e1", "--all", "--yes"]),
        &["cannot be used with"],
    )?;
    assert_eq!(left(place, "mailer")?, ["e1", "e2", "e3"]);

    let said = place.done("parked", &drop(&["e1", "e3", "--yes"]))?;
    assert_eq!(said.notes, "2 dropped\n");
    assert_eq!(left(place, "mailer")?, ["e2"]);
    place.done("parked", &drop(&["--all", "-y"]))?;
    let none = place.done("parked", &drop(&["--all"]))?;
    assert_eq!(none.notes, "0 dropped\n");
    assert_eq!(left(place, "mailer")?, [""; 0]);
    assert_eq!(left(place, "audit")?, ["e1"]);
    // A program without the table has no such command.
    place.refused("shop", &["parked", "list"], &["unrecognized subcommand"])
}

/// A process that dies between an effect and its record does not repeat the effect in silence.
pub fn a_crash_after_an_effect_is_reported(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([ParkedTable::schema(), OnceEffect::schema()])
            .await?;
        let event = event(1, "fine");
        let changes = Parcel::changes_of(&event).park_after(1, "crashing", db);
        let response = changes.each(async |_| Err::<(), _>("no"));
        assert_eq!(response.await.parked().len(), 1);
        Ok(())
    })?;
    let effects = place.file("effects", "")?;
    let mut replay = place.command("parked", &["parked", "replay", "crashing", "--all"])?;
    replay.env(EFFECTS, &effects);
    let crashed = replay.output()?;
    assert!(
        !crashed.status.success() && crashed.status.code() != Some(1),
        "{crashed:?}"
    );
    for _ in 0..2 {
        let said = said(replay.output()?)?;
        assert_eq!(said.code, 1, "{said:?}");
        assert!(
            said.notes.contains("this effect was interrupted"),
            "{said:?}"
        );
    }
    assert_eq!(std::fs::read_to_string(&effects)?, "mail\n", "once");
    assert_eq!(left(place, "crashing")?, ["e1"]);
    Ok(())
}
