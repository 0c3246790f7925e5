//! Tables that are planned and made.

use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

use crate::place::{Outcome, Place};
use crate::shop_admin::Shop;

/// The tables of an earlier program: without the index, and with another one.
#[derive(DynamoEntity)]
#[dynamo(table = "shop", key(pk = pk, sk = sk), gsi(old, pk = city, sk = sk))]
#[allow(dead_code)]
struct Earlier {
    pk: String,
    sk: String,
    city: String,
}

pub fn tables_are_planned_and_made(place: &Place) -> Outcome {
    let plan = place.shop(&["plan"])?;
    assert_eq!(plan.code, 2, "{plan:?}");
    assert!(
        plan.out.contains("shop is not there") && plan.notes.is_empty(),
        "{plan:?}"
    );
    // A plan changes nothing.
    assert_eq!(place.shop(&["plan"])?, plan);
    let json = place.shop(&["plan", "--json"])?;
    assert_eq!(json.rows()?.len(), 1);
    let parsed: serde_json::Value = serde_json::from_str(&json.out)?;
    assert_eq!(
        (json.code, parsed["tables"][1]["exists"].as_bool()),
        (2, Some(false))
    );
    // It has to be meant.
    place.refused("shop", &["apply"], &["nothing was changed: pass `--yes`"])?;
    assert_eq!(place.shop(&["plan"])?, plan);
    let applied = place.done("shop", &["apply", "--yes"])?;
    assert!(applied.notes.contains("done"), "{applied:?}");
    let nothing = place.done("shop", &["plan"])?;
    assert!(nothing.out.contains("as declared"), "{nothing:?}");
    let again = place.done("shop", &["apply", "--yes"])?;
    assert_eq!(again.notes, "nothing to do\n");
    place.typed(async |db| db.create_tables([Shop::schema()]).await)?;
    Ok(())
}

pub fn a_loss_has_to_be_named(place: &Place) -> Outcome {
    place.typed(async |db| db.create_tables([Earlier::schema()]).await)?;
    place.typed(async |db| {
        // The other table is not what this is about.
        let counts: TableSchema = crate::shop_admin::RequestCount::schema();
        db.create_tables([counts]).await
    })?;
    let plan = place.shop(&["plan"])?;
    assert_eq!(plan.code, 2);
    assert!(
        plan.out
            .contains("only if it is named: --allow-delete-index shop.old\n"),
        "{plan:?}"
    );
    let json = place.shop(&["plan", "--json"])?.rows()?;
    let steps = json[0]["tables"][0]["steps"].as_array().ok_or("a list")?;
    let deletes: Vec<_> = steps
        .iter()
        .filter_map(|step| step.get("deletes"))
        .collect();
    let old = serde_json::json!({"what": "index", "table": "shop", "index": "old"});
    assert_eq!(deletes, [&old]);
    place.refused(
        "shop",
        &["apply", "--yes"],
        &["--allow-delete-index shop.old", "--keep-rest"],
    )?;
    place.refused(
        "shop",
        &["apply", "--yes", "--allow-delete-index", "old"],
        &["write TABLE.INDEX"],
    )?;
    place.refused(
        "shop",
        &["apply", "--yes", "--allow-delete-stream", "nothing"],
        &["no table"],
    )?;
    assert_eq!(place.shop(&["plan"])?, plan);
    let kept = place.shop(&["apply", "--yes", "--keep-rest"])?;
    assert_eq!(kept.code, 0, "{kept:?}");
    let words = "kept: index old of shop, because it was not named\n";
    assert!(kept.notes.starts_with(words), "{kept:?}");
    // What is left belongs to somebody else. Nobody is asked, as there is nothing to do.
    let again = place.shop(&["apply", "--keep-rest"])?;
    assert_eq!(
        (again.code, again.notes),
        (0, format!("{words}nothing done\n"))
    );
    assert_eq!(place.shop(&["plan", "--keep-rest"])?.code, 0);
    let left = place.shop(&["plan"])?;
    assert!(left.code == 2 && !left.out.contains("gsi1"), "{left:?}");
    place.done(
        "shop",
        &["apply", "--yes", "--allow-delete-index", "shop.old"],
    )?;
    assert_eq!(place.shop(&["plan"])?.code, 0);
    let again = place.shop(&["apply", "--allow-delete-index", "shop.old"])?;
    let warning =
        "warning: --allow-delete-index shop.old: the plan does not remove index old of shop\n";
    assert_eq!(
        (again.code, again.notes),
        (0, format!("{warning}nothing to do\n"))
    );
    Ok(())
}

/// The table with another key.
#[derive(DynamoEntity)]
#[dynamo(table = "shop", key(pk = id))]
#[allow(dead_code)]
struct OtherKey {
    id: String,
}

pub fn what_cannot_be_done_is_refused_at_once(place: &Place) -> Outcome {
    place.typed(async |db| db.create_tables([OtherKey::schema()]).await)?;
    let plan = place.shop(&["plan", "--keep-rest"])?;
    assert!(plan.code == 2 && plan.out.contains("  ! "), "{plan:?}");
    for given in [&["apply"][..], &["apply", "--keep-rest", "--yes"]] {
        place.refused("shop", given, &["nothing was changed: steps marked `!`"])?;
    }
    Ok(())
}

pub fn the_ttl_of_others_is_kept(place: &Place) -> Outcome {
    let mut before = Log::schema();
    before.ttl = Some("until".into());
    place.typed(async |db| {
        db.create_tables([before.clone()]).await?;
        db.enable_ttl([before]).await
    })?;
    let plan = place.run("logs", &["plan"])?;
    let hint = "only if it is named: --allow-delete-ttl logs\n";
    assert!(plan.code == 2 && plan.out.contains(hint), "{plan:?}");
    assert_eq!(place.run("logs", &["plan", "--keep-rest"])?.code, 0);
    let kept = place.done("logs", &["apply", "--keep-rest"])?;
    let words = "kept: the TTL of logs, because it was not named\nnothing done\n";
    assert_eq!(kept.notes, words);
    Ok(())
}

pub fn tables_are_exported(place: &Place) -> Outcome {
    for (format, word) in [
        ("cloudformation", "AWS::DynamoDB::Table"),
        ("terraform", "aws_dynamodb_table"),
        ("workbench", "\"DataModel\""),
        ("iam", "dynamodb:Query"),
        ("markdown", "by_status"),
        ("schema", "\"format\": 1"),
    ] {
        let text = place.done("shop", &["export", format])?.out;
        assert!(text.contains(word), "{format}: {text}");
        assert!(
            format == "schema" || text.contains(&place.prefix),
            "{format}: {text}"
        );
        let file = place.file(format, "")?;
        place.done("shop", &["export", format, "--out", &file])?;
        assert_eq!(std::fs::read_to_string(&file)?, text);
        let folder = format!("{file}-folder/");
        place.done("shop", &["export", format, "--out", &folder])?;
        let mut made = std::fs::read_dir(&folder)?;
        let made = made.next().ok_or("a file")??.path();
        assert_eq!(std::fs::read_to_string(made)?, text);
    }
    let iam = [
        "export",
        "iam",
        "--region",
        "eu-west-1",
        "--account",
        "111122223333",
    ];
    assert!(
        place
            .done("shop", &iam)?
            .out
            .contains("eu-west-1:111122223333")
    );
    assert!(
        place
            .done("shop", &iam)?
            .notes
            .contains("allows every verb of every entity")
    );
    place.refused("shop", &["export", "yaml"], &["cloudformation", "schema"])?;
    place.refused(
        "shop",
        &["export", "iam", "--out", "/no/such/folder/policy.json"],
        &["/no/such/folder/policy.json: "],
    )
}

pub fn a_stack_is_led_on_step_by_step(place: &Place) -> Outcome {
    let schema = place.done("shop", &["export", "schema"])?.out;
    let same = place.file("same.json", &schema)?;
    let nothing = place.done("shop", &["export", "cloudformation", "--since", &same])?;
    assert_eq!(
        (nothing.out.as_str(), nothing.notes.as_str()),
        ("", "nothing differs\n")
    );
    // Before, there was one of the two tables.
    let counts = crate::shop_admin::RequestCount::schema().to_json();
    let before = place.file("before.json", &counts)?;
    let since = ["export", "cloudformation", "--since", &before];
    place.refused("shop", &since, &["01.template.json: pass `--out FOLDER`"])?;
    let folder = place.file("folder", "")? + "s";
    let since: Vec<&str> = since.into_iter().chain(["--out", &folder]).collect();
    let written = place.done("shop", &since)?;
    assert!(written.notes.contains("01.template.json"), "{written:?}");
    let last = std::fs::read_to_string(format!("{folder}/01.template.json"))?;
    assert_eq!(
        last.trim_end(),
        place
            .done("shop", &["export", "cloudformation"])?
            .out
            .trim_end()
    );
    // What an earlier run left there would be deployed after it.
    let left = |name: &str| std::fs::write(format!("{folder}/{name}"), "{}");
    let names = ["02.template.json", "10.template.json", "100.template.json"];
    let others = [
        "tables.template.json",
        "1.template.json",
        "02.template.json.old",
        "0x.template.json",
    ];
    let is_there = |name: &str| std::path::Path::new(&folder).join(name).exists();
    for name in names.iter().chain(&others) {
        left(name)?;
    }
    let again = place.done("shop", &since)?;
    for name in names {
        assert!(!is_there(name), "{name}: {again:?}");
        assert!(
            again.notes.contains(&format!("/{name}, of an earlier run")),
            "{again:?}"
        );
    }
    assert_eq!(
        std::fs::read_to_string(format!("{folder}/01.template.json"))?,
        last
    );
    let same = [
        "export",
        "cloudformation",
        "--since",
        &same,
        "--out",
        &folder,
    ];
    let nothing = place.done("shop", &same)?;
    assert!(nothing.notes.contains("removed ") && nothing.notes.ends_with("nothing differs\n"));
    assert!(!is_there("01.template.json"), "{nothing:?}");
    assert!(others.into_iter().all(is_there), "{nothing:?}");
    place.refused(
        "shop",
        &["export", "terraform", "--since", &before],
        &["only CloudFormation"],
    )?;
    place.refused(
        "shop",
        &["export", "cloudformation", "--since", "no-such-file"],
        &["no-such-file: "],
    )
}

/// What is likely to be regretted: all orders are in one partition.
#[derive(DynamoEntity)]
#[dynamo(table = "logs", key(pk = number))]
#[dynamo(gsi(latest, pk = "LOGS", sk = "{number}"))]
#[allow(dead_code)]
pub struct Log {
    number: u32,
}

pub fn lints_are_told(place: &Place) -> Outcome {
    let none = place.done("shop", &["lint"])?;
    assert_eq!((none.out.as_str(), none.notes.as_str()), ("", "no lints\n"));
    let lints = place.run("logs", &["lint"])?;
    assert_eq!(lints.code, 2, "{lints:?}");
    assert!(
        lints.out.contains("Log.latest: constant_partition: ") && lints.out.contains("fix: "),
        "{lints:?}"
    );
    let lines = place.run("logs", &["lint", "--json"])?.rows()?;
    assert!(
        lines
            .iter()
            .any(|line| line["rule"] == "constant_partition"),
        "{lines:?}"
    );
    Ok(())
}

pub fn a_changed_form_is_told(place: &Place) -> Outcome {
    let lock = place.file("dynamo.lock", "")?;
    std::fs::remove_file(&lock)?;
    let check = ["check", "--lock", &lock];
    place.refused(
        "shop",
        &check,
        &["does not exist", "`check --write` writes it"],
    )?;
    let written = place.done("shop", &["check", "--lock", &lock, "--write"])?;
    assert!(written.notes.starts_with("wrote "), "{written:?}");
    let same = place.done("shop", &check)?;
    assert_eq!(
        (same.out.as_str(), same.notes.as_str()),
        ("", "the stored form has not changed\nno lints\n")
    );
    let again = place.done("shop", &["check", "--lock", &lock, "--write"])?;
    assert_eq!(again.notes, "no lints\n");
    // Another model, with lints of its own.
    let text = std::fs::read_to_string(&lock)?;
    let other = place.run("logs", &check)?;
    assert!(
        other.code == 2 && other.out.contains("constant_partition") && other.out.contains("shop"),
        "{other:?}"
    );
    let lines = place
        .run("logs", &["check", "--json", "--lock", &lock])?
        .rows()?;
    assert!(
        lines
            .iter()
            .any(|line| line["table"] == "shop" && line["class"].is_string()),
        "{lines:?}"
    );
    assert_eq!(std::fs::read_to_string(&lock)?, text);
    Ok(())
}
