//! Items that are listed, exported into files and imported again.

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place};
use crate::shop_admin::{RequestCount, Shop, User};

fn users(place: &Place, count: usize) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema(), RequestCount::schema()])
            .await?;
        for number in 0..count {
            let user = User {
                user: format!("u{number:02}"),
                email: format!("u{number}@example.com"),
                name: "Ann\u{1b}[31m".into(),
                version: Version::default(),
                created_at: None,
            };
            user.create().send(db).await?;
        }
        Ok(())
    })
}

fn count(place: &Place) -> Outcome<usize> {
    place.typed(async |db| {
        let items = Shop::schema().scan_items()?.consistent().all(db).await?;
        Ok(items.len())
    })
}

pub fn an_entity_is_listed_by_pages(place: &Place) -> Outcome {
    users(place, 5)?;
    let first = place.done("shop", &["list", "User", "--limit", "3", "--json"])?;
    let cursor = first.cursor("next").ok_or("more rows")?.to_owned();
    let rest = place.done("shop", &["list", "User", "--cursor", &cursor, "--json"])?;
    let mut rows = first.rows()?;
    rows.extend(rest.rows()?);
    let mut names: Vec<_> = rows.iter().map(|row| row["user"].to_string()).collect();
    names.sort();
    assert_eq!(
        names,
        ["\"u00\"", "\"u01\"", "\"u02\"", "\"u03\"", "\"u04\""]
    );
    let all = place.done("shop", &["list", "User", "--all", "--rate", "1000"])?;
    assert!(
        all.out.contains("u04") && !all.out.contains('\u{1b}'),
        "{all:?}"
    );
    assert!(
        place
            .done("shop", &["list", "Order"])?
            .notes
            .contains("no rows")
    );
    Ok(())
}

pub fn a_list_on_aws_has_to_be_meant(place: &Place) -> Outcome {
    let _ = place;
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command
        .env(crate::place::PROGRAM, "shop")
        .env("DYNAMO_URL", "aws://eu-west-1");
    let said = crate::place::said(command.args(["list", "User"]).output()?)?;
    assert_eq!(said.code, 1);
    assert!(said.notes.contains("--scan"), "{said:?}");
    Ok(())
}

pub fn a_file_brings_back_what_was_exported(place: &Place) -> Outcome {
    users(place, 4)?;
    for format in ["json", "dynamodb"] {
        let users = place.done("shop", &["export-data", "User", "--format", format])?;
        assert_eq!(users.out.lines().count(), 4);
        assert!(users.notes.contains("4 rows; 4 other items"), "{users:?}");
        let every = place.done(
            "shop",
            &["export-data", "--table", "shop", "--format", format],
        )?;
        assert_eq!(
            every.out.lines().count(),
            8,
            "with the items that keep addresses unique"
        );
        for (what, file) in [
            (&["User"][..], &users.out),
            (&["--table", "shop"], &every.out),
        ] {
            place.typed(async |db| db.truncate([Shop::schema()]).even_on_aws().await)?;
            let path = place.file("items", file)?;
            let import = [
                &["import-data"],
                what,
                &["--from", &path, "--format", format],
            ]
            .concat();
            let said = place.done("shop", &import)?;
            assert!(
                said.notes
                    .contains(" stored, 0 unchanged, 0 of existing items, 0 failed")
            );
            assert_eq!(count(place)?, 8);
            // Again changes nothing.
            let said = place.done("shop", &import)?;
            assert!(said.notes.contains(": 0 stored, "), "{said:?}");
            let again = place.done("shop", &["export-data", "User", "--format", format])?;
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&again.out), sorted(&users.out));
        }
    }
    Ok(())
}

pub fn lines_that_fail_are_told_and_others_stored(place: &Place) -> Outcome {
    users(place, 1)?;
    let file = concat!(
        "{\"user\":\"new\",\"email\":\"new@example.com\",\"name\":\"N\"}\n",
        "broken\n",
        "{\"user\":\"u00\",\"email\":\"u0@example.com\",\"name\":\"other\"}\n",
    );
    let path = place.file("users", file)?;
    let words = [
        "line 2: ",
        "line 3: ",
        "3 lines: 1 stored, 0 unchanged, 1 of existing items, 1 failed",
    ];
    place.refused("shop", &["import-data", "User", "--from", &path], &words)?;
    let found = place.typed(async |db| User::key("u00").get().send(db).await)?;
    assert!(found.is_some_and(|user| user.name.starts_with("Ann")));
    let checkpoint = place.file("unused", "")?.replace("unused", "checkpoint");
    let import = [
        "import-data",
        "User",
        "--from",
        &path,
        "--replace",
        "--checkpoint",
        &checkpoint,
    ];
    place.refused("shop", &import, &["line 2: ", "2 stored"])?;
    let found = place.typed(async |db| User::key("u00").get().send(db).await)?;
    assert!(found.is_some_and(|user| user.name == "other"));
    place.refused(
        "shop",
        &["import-data", "RequestCount", "--from", &path],
        &[".writes::<RequestCount>()"],
    )?;
    place.refused(
        "shop",
        &["import-data", "--table", "request-counts", "--from", &path],
        &[".writes::<RequestCount>()"],
    )?;
    place.refused(
        "shop",
        &["import-data", "User", "--from", "no-such-file"],
        &["no-such-file: "],
    )
}
