//! Items that are listed, exported into files and imported again.

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place};
use crate::shop_admin::{RequestCount, Shop, User};

pub fn users(place: &Place, count: usize) -> Outcome {
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

pub fn count(place: &Place) -> Outcome<usize> {
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

pub fn any_item_is_shown_by_its_stored_key(place: &Place) -> Outcome {
    users(place, 1)?;
    let item = ["item", "shop", "USER#u00", "PROFILE"];
    let said = place.done("shop", &item)?;
    let words = [
        "name        S  12  Ann\\u{1b}[31m",
        "entity  User",
        "a write costs 1 unit, a strong read 1 unit",
        "index   gsi1 does not contain it: ",
    ];
    for words in words {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    // The item of a unique value is of no entity.
    let every = place
        .done("shop", &["export-data", "--table", "shop"])?
        .rows()?;
    let mut others = every.iter().filter(|item| item["pk"] != "USER#u00");
    let sentinel = others.next().ok_or("an item")?;
    let text = |name: &str| sentinel[name].as_str().map(str::to_owned).ok_or("a text");
    let (pk, sk) = (text("pk")?, text("sk")?);
    let said = place.done("shop", &["item", "shop", &pk, &sk, "--strong"])?;
    assert!(said.out.contains("entity  a unique value"), "{}", said.out);
    let said = place.done("shop", &["item", "shop", &pk, &sk, "--json"])?;
    assert_eq!(said.rows()?, std::slice::from_ref(sentinel));

    place.refused(
        "shop",
        &["item", "shop", "USER#u01", "PROFILE"],
        &["no item with this key"],
    )?;
    place.refused(
        "shop",
        &["item", "request-counts", "/", "x"],
        &["day: `x` is no number, such as 7"],
    )?;
    place.refused("shop", &["item", "shop", "USER#u00"], &["<SK>"])
}

pub fn lines_are_read_from_the_standard_input(place: &Place) -> Outcome {
    users(place, 0)?;
    let lines = "{\"user\":\"new\",\"email\":\"new@example.com\",\"name\":\"N\"}\n";
    let said = place.given("shop", &["import-data", "User", "--from", "-"], lines)?;
    assert!(
        said.code == 0 && said.notes.contains("1 lines: 1 stored"),
        "{said:?}"
    );
    assert!(
        place
            .done("shop", &["get", "User", "new"])?
            .out
            .contains("new@example.com")
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

/// A path or the first bytes of a file show its format.
pub fn files_of_another_format_are_recognized(place: &Place) -> Outcome {
    users(place, 2)?;
    let plain = place.file("users", "")?;
    let (zipped, csv) = (format!("{plain}.gz"), format!("{plain}.csv"));
    let folder = plain.trim_end_matches("users").to_owned();
    let counts = place.done("shop", &["export-data", "User", "--out", &zipped, "--json"])?;
    assert_eq!(counts.rows()?[0]["rows"], 2);
    std::fs::rename(&zipped, &plain)?;
    std::fs::write(&csv, "user,email,name\n")?;
    for (path, words) in [
        (&plain, "pass `--gzip`"),
        (&csv, "pass `--format csv`"),
        (&folder, "pass `--format aws`"),
    ] {
        place.refused("shop", &["import-data", "User", "--from", path], &[words])?;
    }
    let read = ["import-data", "User", "--from", &plain, "--gzip", "--json"];
    let read = place.done("shop", &read)?;
    assert_eq!(read.rows()?[0]["unchanged"], 2);
    // Without a type, the key shows that a line is of another entity.
    let line = r#"{"pk":"ORDER#1","sk":"ORDER","user":"ann","size":1}"#;
    let other = place.file("others", line)?;
    let words = &["name the entity of such lines"];
    place.refused("shop", &["import-data", "User", "--from", &other], words)
}
