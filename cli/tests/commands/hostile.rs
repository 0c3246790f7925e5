//! Values that would do something to a terminal, and readers that go away.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place};
use crate::shop_admin::{Shop, User};

/// Colours, a title, a bell, a C1 control, text turned around, a line break, and what no one sees.
const HOSTILE: &str =
    "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\u{202e}abc\u{2028}\r\nx\u{7f}\u{200b}ü漢";

fn user(name: &str) -> User {
    User {
        user: name.into(),
        email: format!("{name}@{HOSTILE}"),
        name: HOSTILE.into(),
        version: Version::default(),
        created_at: None,
    }
}

fn plant(place: &Place, users: usize) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema()]).await?;
        for number in 0..users {
            user(&format!("ann{number}")).create().send(db).await?;
        }
        user(HOSTILE).create().send(db).await.map(drop)
    })
}

fn is_inert(text: &str) -> bool {
    let mut inert = text.chars().filter(|&character| character != '\n');
    !inert.any(|character| {
        character.is_control()
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
    })
}

pub fn values_do_not_reach_the_terminal_raw(place: &Place) -> Outcome {
    plant(place, 1)?;
    for arguments in [
        &["get", "User", "ann0"][..],
        &["get", "User", HOSTILE],
        &["query", "User", "ann0"],
        &["query", "User", HOSTILE, "--json"],
        &["get", "User", HOSTILE, "--json"],
        &["explain", "get", "User", HOSTILE],
        &["explain", "query", "User", HOSTILE, "--json"],
        &["get", "Order", "ann", HOSTILE],
        &["get", HOSTILE, "ann"],
        &[HOSTILE],
    ] {
        let said = place.shop(arguments)?;
        assert!(
            is_inert(&said.out) && is_inert(&said.notes),
            "{arguments:?}: {said:?}"
        );
    }
    let shown = place.done("shop", &["get", "User", "ann0"])?.out;
    assert!(
        shown.contains("\\u{1b}[31mred") && shown.contains("ü漢"),
        "{shown}"
    );
    Ok(())
}

pub fn json_keeps_hostile_values(place: &Place) -> Outcome {
    plant(place, 0)?;
    let rows = place
        .done("shop", &["query", "User", HOSTILE, "--json"])?
        .rows()?;
    let [row] = rows.as_slice() else {
        return Err(format!("{rows:?}").into());
    };
    assert_eq!(row["name"], HOSTILE);
    // What was read can be put again.
    let stored = place.given("shop", &["put", "User", "-", "--json"], &row.to_string())?;
    assert_eq!(stored.rows()?[0]["version"], 2, "{stored:?}");
    Ok(())
}

pub fn a_closed_pipe_ends_quietly(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema()]).await?;
        let orders = (0..2000).map(|number| crate::pages::order(number).into_create());
        put_each(orders).send(db).await?.complete().map(drop)
    })?;
    let mut command = place.command("shop", &["query", "Order", "ann", "--all", "--json"])?;
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let mut out = BufReader::with_capacity(64, child.stdout.take().ok_or("a pipe")?);
    out.read_line(&mut line)?;
    drop(out);
    let mut notes = String::new();
    child
        .stderr
        .take()
        .ok_or("a pipe")?
        .read_to_string(&mut notes)?;
    assert_eq!((child.wait()?.code(), notes.as_str()), (Some(0), ""));
    Ok(())
}
