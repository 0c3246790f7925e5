//! Values that would do something to a terminal, and readers that go away.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place, said};
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

/// A command whose reader went away before it began; the code is all that is left of it.
fn unheard(place: &Place, arguments: &[&str], deafens_notes: bool) -> Outcome<i32> {
    let closed = || std::io::pipe().map(|(_, write)| Stdio::from(write));
    let mut command = place.command("shop", arguments)?;
    command.stdout(closed()?).stderr(Stdio::piped());
    if deafens_notes {
        command.stderr(closed()?);
    }
    let said = said(command.spawn()?.wait_with_output()?)?;
    assert!(!said.notes.contains("error"), "{arguments:?}: {said:?}");
    Ok(said.code)
}

pub fn exit_codes_do_not_depend_on_readers(place: &Place) -> Outcome {
    for deafens_notes in [false, true] {
        for arguments in [&["plan"][..], &["plan", "--json"], &["lint"]] {
            let heard = place.shop(arguments)?.code;
            assert_eq!(
                unheard(place, arguments, deafens_notes)?,
                heard,
                "{arguments:?}"
            );
        }
        assert_eq!(unheard(place, &["plan"], deafens_notes)?, 2);
        assert_eq!(unheard(place, &["completions", "bash"], deafens_notes)?, 0);
        assert_eq!(
            unheard(place, &["explain", "get", "User", "ann"], deafens_notes)?,
            0
        );
    }
    let lock = place.file("changed.lock", "")?;
    place.run("forms", &["check", "--write", "--lock", &lock])?;
    let check = ["check", "--lock", lock.as_str()];
    assert_eq!(unheard(place, &check, false)?, 2);
    Ok(())
}

/// Also where the output cannot be written for another reason, such as a full disk.
pub fn a_full_disk_does_not_stop_an_apply(place: &Place) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    let mut plan = place.command("shop", &["plan"])?;
    plan.stdout(full()?).stderr(Stdio::null());
    assert_eq!(plan.status()?.code(), Some(1));
    let mut apply = place.command("shop", &["apply", "--yes"])?;
    apply.stdout(full()?).stderr(full()?);
    assert_eq!(apply.status()?.code(), Some(0));
    assert_eq!(place.shop(&["plan"])?.code, 0);
    Ok(())
}

pub fn what_nobody_hears_of_is_applied(place: &Place) -> Outcome {
    assert_eq!(unheard(place, &["apply", "--yes"], true)?, 0);
    assert_eq!(place.shop(&["plan"])?.code, 0);
    assert_eq!(unheard(place, &["apply", "--yes"], true)?, 0);
    Ok(())
}
