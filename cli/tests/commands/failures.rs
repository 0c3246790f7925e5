//! How commands end that cannot be done.

use std::process::Stdio;

use dynamo_entity::DynamoTable;

use crate::place::{Outcome, PROGRAM, Place, said};
use crate::shop_admin::{RequestCount, Shop};

fn tables(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema(), RequestCount::schema()])
            .await
    })?;
    Ok(())
}

pub fn exit_codes_tell_how_it_ended(place: &Place) -> Outcome {
    for (arguments, code) in [
        (&["--help"][..], 0),
        (&["query", "Order", "--help"], 0),
        (&[], 1),
        (&["query"], 1),
        (&["get", "User"], 1),
        (&["get", "User", "ann", "bob"], 1),
        (&["query", "Order", "ann", "--limit", "0"], 1),
        (&["query", "Order", "ann", "--cursor", "no cursor"], 1),
        (&["query", "Order", "ann", "--all", "--limit", "3"], 1),
        // No table is there yet.
        (&["get", "User", "ann"], 1),
    ] {
        let said = place.shop(arguments)?;
        assert_eq!(said.code, code, "{arguments:?}: {said:?}");
        assert!(code == 1 || said.notes.is_empty(), "{said:?}");
    }
    tables(place)?;
    place.refused(
        "shop",
        &["get", "User", "ann"],
        &["error: no such `User` exists"],
    )?;
    assert_eq!(place.done("shop", &["query", "Order", "ann"])?.out, "");
    Ok(())
}

pub fn wrong_names_are_explained(place: &Place) -> Outcome {
    place.refused("shop", &["get", "Usr", "ann"], &["Usr", "'User'"])?;
    place.refused(
        "shop",
        &["query", "Order.by_stats", "Paid"],
        &["'Order.by_status'"],
    )?;
    place.refused(
        "shop",
        &["query", "Order", "ann", "--nmber", "3"],
        &["'--number'"],
    )
}

pub fn wrong_parts_are_explained(place: &Place) -> Outcome {
    let said = place.shop(&[
        "query",
        "Order.by_status",
        "Paid",
        "--placed-at",
        "yesterday..",
    ])?;
    let expected =
        "error: --placed-at: `yesterday..` is no `DateTime<Utc>`, such as 2026-03-01T12:30:00Z\n";
    assert_eq!((said.code, said.notes.as_str()), (1, expected));
    place.refused(
        "shop",
        &["get", "Order", "ann", "seven"],
        &["NUMBER: `seven` is no `u32`, such as 7"],
    )?;
    place.refused(
        "shop",
        &["get", "Order", "ann", "-1"],
        &["NUMBER: `-1` is no `u32`"],
    )?;
    place.refused(
        "shop",
        &["query", "Order.by_status", "Unpaid"],
        &["STATUS: `Unpaid` is no `Status`, one of Pending, Paid, Shipped\n"],
    )?;
    let hostile = place.shop(&["get", "Order", "ann", "\u{1b}[31m"])?;
    assert!(!hostile.notes.contains('\u{1b}'), "{hostile:?}");
    Ok(())
}

pub fn parts_come_in_their_order(place: &Place) -> Outcome {
    let order = ["query", "Order.by_status", "Paid"];
    let todo = ["query", "Todo.by_due", "ann"];
    for (program, query, options, words) in [
        (
            "shop",
            order,
            &["--number", "7"][..],
            &["--number: the key has `placed_at` before it: give --placed-at"][..],
        ),
        (
            "shop",
            order,
            &["--placed-at", "2026-03-01..", "--number", "7"],
            &["--number: --placed-at is a range"],
        ),
        (
            "todos",
            todo,
            &["--due", "3..", "--starts-with", "a"],
            &["--starts-with: --due is a range"],
        ),
        (
            "todos",
            todo,
            &["--starts-with", "a"],
            &["`due` is not text"],
        ),
        (
            "todos",
            todo,
            &[
                "--due",
                "3",
                "--kind",
                "Home",
                "--label",
                "b",
                "--starts-with",
                "a",
            ],
            &["it applies to none"],
        ),
        (
            "todos",
            todo,
            &["--due", "3", "--kind", "Home", "--missing", "label"],
            &["neither `:first` nor `:last`"],
        ),
        (
            "todos",
            todo,
            &["--missing", "colour"],
            &["the sort key has `due`, `kind`, `label`"],
        ),
        (
            "todos",
            todo,
            &["--missing", "due", "--kind", "Home..Work"],
            &["do not sort by the values of `kind`"],
        ),
    ] {
        let arguments: Vec<&str> = query.iter().chain(options).copied().collect();
        place.refused(program, &arguments, words)?;
    }
    place.refused(
        "shop",
        &["query", "Order.by_status", "Paid", "--strong"],
        &["a global index is written after its table"],
    )
}

pub fn a_connection_is_asked_for(place: &Place) -> Outcome {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command
        .env(PROGRAM, "shop")
        .env_remove("DYNAMO_URL")
        .stdin(Stdio::null());
    let none = said(command.args(["get", "User", "ann"]).output()?)?;
    assert!(
        none.code == 1 && none.notes.contains("DYNAMO_URL"),
        "{none:?}"
    );
    // By the variable, and with options behind the command.
    tables(place)?;
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.env(PROGRAM, "shop").env("DYNAMO_URL", &place.url);
    let found = said(
        command
            .args(["query", "Order", "ann", "--prefix", &place.prefix])
            .output()?,
    )?;
    assert_eq!(found.code, 0, "{found:?}");
    let mut command = std::process::Command::new(std::env::current_exe()?);
    let wrong = command
        .env(PROGRAM, "shop")
        .args(["--url", "ftp://x", "get", "User", "ann"]);
    let wrong = said(wrong.output()?)?;
    assert!(
        wrong.code == 1 && wrong.notes.starts_with("error: "),
        "{wrong:?}"
    );
    Ok(())
}

pub fn questions_without_an_answer_are_explained(place: &Place) -> Outcome {
    place.done("shop", &["apply", "--yes"])?;
    for range in ["5..3", "5..5"] {
        for verb in ["query", "count"] {
            let asked = [verb, "Order", "ann", "--number", range];
            place.refused("shop", &asked, &["the range is empty"])?;
        }
    }
    let day = |asked: &str| {
        place.done(
            "shop",
            &["query", "Order.by_status", "Paid", "--placed-at", asked],
        )
    };
    let notes = day("2026-03-02")?.notes;
    assert!(
        notes.starts_with("no rows\n`--placed-at 2026-03-02` means its midnight"),
        "{notes}"
    );
    for asked in ["2026-03-02T00:00:00Z", "2026-03-02..2026-03-03"] {
        assert_eq!(day(asked)?.notes, "no rows\n");
    }
    place.refused(
        "shop",
        &["get", "Ship", "ann"],
        &["There are: ", "User", "Order"],
    )?;
    place.refused("shop", &["pan"], &["There are: plan, apply"])
}

/// A wrong path would otherwise look like tables that are missing or empty.
pub fn a_missing_file_is_not_created(place: &Place) -> Outcome {
    let path = place.file("missing.db", "")?;
    std::fs::remove_file(&path)?;
    let url = format!("embedded:{path}");
    let on_file = |arguments: &[&str]| -> Outcome<_> {
        let mut command = std::process::Command::new(std::env::current_exe()?);
        command.env(PROGRAM, "shop").env_remove("DYNAMO_URL");
        said(command.args(["--url", &url]).args(arguments).output()?)
    };
    let error = format!("error: there is no file `{path}`");
    for arguments in [
        &["get", "User", "ann"][..],
        &["query", "Order", "ann"],
        &["count", "Order", "ann"],
        &["list", "User"],
        &["item", "shop", "USER#ann", "PROFILE"],
        &["export-data", "User"],
        &[
            "put",
            "User",
            r#"{"user":"ann","email":"a@example.com","name":"Ann"}"#,
        ],
        &["delete", "User", "ann", "--yes"],
        &["fill", "User"],
        &["check", "--filled", "User"],
        &["copy", "User", "--to", "embedded:memory"],
    ] {
        let said = on_file(arguments)?;
        assert!(
            said.code == 1 && said.notes.starts_with(&error),
            "{arguments:?}: {said:?}"
        );
    }
    // Nothing is there, so all is to be created; and a request is only explained.
    let plan = on_file(&["plan"])?;
    assert!(
        plan.code == 2 && plan.out.contains("+ create the table"),
        "{plan:?}"
    );
    assert_eq!(on_file(&["explain", "get", "User", "ann"])?.code, 0);
    assert_eq!(on_file(&["apply"])?.code, 1, "nothing confirms it");
    assert!(!std::path::Path::new(&path).exists(), "it was created");
    assert_eq!(on_file(&["apply", "--yes"])?.code, 0);
    assert_eq!(on_file(&["list", "User"])?.code, 0);
    Ok(())
}

/// The library names calls in Rust, which the user of a command line does not have.
pub fn options_and_no_methods_are_named(place: &Place) -> Outcome {
    place.typed(async |db| db.create_tables([RequestCount::schema()]).await)?;
    let missing = place.shop(&["get", "User", "ann"])?;
    let words = "create it by `apply`, or check `--url` and `--prefix`";
    assert!(
        missing.notes.starts_with("error: User: ") && missing.notes.contains(words),
        "{missing:?}"
    );
    tables(place)?;
    let ann = r#"{"user":"ann","email":"ann@example.com","name":"Ann Lee"}"#;
    place.done("shop", &["put", "User", ann])?;
    let item = r#"{"Item":{"user":{"S":"bob"},"email":{"S":"b@example.com"},"name":{"S":"Bob"}}}"#;
    for (line, options, words) in [
        (
            r#"{"user":"bob","email":"b@example.com","name":"Bob","size":1}"#,
            &["User"][..],
            "line 1: User.size: the entity has no field for it, and no `rest` field that keeps it: drop such attributes by \
             `--drop-unknown`, or store lines unchanged by `--as-is`",
        ),
        (
            r#"{"_type":"Order","user":"bob","number":1}"#,
            &["User"],
            "User._type: the type of the line is `Order`, and that of `User` is `User`: name the entity of such lines, or import its table by `--table`",
        ),
        (item, &["User"], "pass `--format dynamodb`"),
        (
            ann,
            &["User", "--format", "dynamodb"],
            "pass `--format json`",
        ),
        (
            r#"{"user":"ann","email":"a@example.com","name":"Other"}"#,
            &["User"],
            "another item with this key is stored: pass `--replace` to replace such items",
        ),
    ] {
        let path = place.file("lines", &format!("{line}\n"))?;
        let import = [&["import-data"], options, &["--from", &path]].concat();
        let said = place.shop(&import)?;
        assert!(
            said.code == 1 && said.notes.contains(words) && !said.notes.contains("`."),
            "{words}: {said:?}"
        );
    }
    Ok(())
}
