//! What the help and the completions show.

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place, said};

pub fn entities_and_patterns_are_shown(place: &Place) -> Outcome {
    let help = place.done("shop", &["--help"])?.out;
    for shown in [
        "get User <USER>",
        "query Order <USER> [--number]",
        "query Order.by_status <STATUS> [--placed-at] [--number]",
        "get RequestCount <PAGE> <DAY>",
        "table request-counts",
        "query Order.by_status STATUS --placed-at 2026-03-01T12:30:00Z.. --limit 10",
        "Exit codes: 0 done",
    ] {
        assert!(help.contains(shown), "{shown}: {help}");
    }
    let help = place
        .done("shop", &["query", "Order.by_status", "--help"])?
        .out;
    for shown in [
        "By status, sorted by placed_at, number",
        "`DateTime<Utc>`, such as 2026-03-01T12:30:00Z",
        "Counted from 1",
    ] {
        assert!(help.contains(shown), "{shown}: {help}");
    }
    let help = place.done("shop", &["put", "--help"])?.out;
    assert!(help.contains("A customer"), "{help}");
    let both = place.done("examples", &["get", "--help"])?.out;
    assert!(
        both.contains("order/Order") && both.contains("sharded-order/Order"),
        "{both}"
    );
    Ok(())
}

/// Parts of all kinds.
#[derive(DynamoEntity)]
#[dynamo(table = "todos", key(pk = owner, sk = number))]
#[dynamo(gsi(by_due, pk = "OWNER#{owner}", sk = "{due:first}#{kind}#{label}"))]
#[allow(dead_code)]
pub struct Todo {
    owner: String,
    number: u32,
    due: Option<u32>,
    kind: Kind,
    label: String,
}

/// Stored by its names, by which nothing is sorted.
#[derive(Clone, Copy, DynamoValue)]
#[allow(dead_code)]
pub enum Kind {
    Home,
    Work,
}

pub fn only_what_parts_take_is_offered(place: &Place) -> Outcome {
    let (prefix, none) = ("--starts-with", "--missing");
    for (program, pattern, has_prefix, has_none) in [
        ("shop", "Order", false, false),
        ("shop", "Order.by_status", false, false),
        ("shop", "User", false, false),
        ("shop", "Account", false, false),
        ("examples", "Employee.by_hobby", true, false),
        ("todos", "Todo", false, false),
        ("todos", "Todo.by_due", true, true),
    ] {
        for verb in [&["query"][..], &["count"], &["explain", "query"]] {
            let words: Vec<&str> = verb.iter().copied().chain([pattern, "--help"]).collect();
            let help = place.done(program, &words)?.out;
            assert_eq!(help.contains(prefix), has_prefix, "{words:?}: {help}");
            assert_eq!(help.contains(none), has_none, "{words:?}: {help}");
        }
    }
    let help = place
        .done("todos", &["query", "Todo.by_due", "--help"])?
        .out;
    for shown in [
        "--due <VALUE|A..B>",
        "--kind <VALUE>",
        "begins with this text: label",
        "None: due;",
    ] {
        assert!(help.contains(shown), "{shown}: {help}");
    }
    place.refused(
        "shop",
        &["query", "Order", "ann", "--missing", "number"],
        &["unexpected argument '--missing'"],
    )
}

pub fn shells_are_given_completions(place: &Place) -> Outcome {
    for (shell, word) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef"),
        ("fish", "complete -c"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = place.done("shop", &["completions", shell])?.out;
        for word in [word, "Order.by_status", "placed-at"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    place.refused("shop", &["completions", "tcsh"], &["bash", "zsh", "fish"])
}

pub fn no_colours_where_no_terminal_is(place: &Place) -> Outcome {
    place.typed(async |db| db.create_tables([crate::shop_admin::Shop::schema()]).await)?;
    let put = [
        "put",
        "User",
        r#"{"user": "ann", "email": "a@x", "name": "Ann"}"#,
    ];
    place.done("shop", &put)?;
    for arguments in [
        &["--help"][..],
        &["query", "User", "ann"],
        &["get", "User"],
        &["ge"],
    ] {
        for no_colour in [false, true] {
            let mut command = place.command("shop", arguments)?;
            command
                .env("TERM", "xterm-256color")
                .env("CLICOLOR_FORCE", "0");
            if no_colour {
                command.env("NO_COLOR", "1");
            }
            let said = said(command.output()?)?;
            assert!(
                !said.out.contains('\u{1b}') && !said.notes.contains('\u{1b}'),
                "{said:?}"
            );
        }
    }
    Ok(())
}
