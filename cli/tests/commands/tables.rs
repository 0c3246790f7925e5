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
    let parsed: serde_json::Value = serde_json::from_str(&json.out)?;
    assert_eq!(
        (json.code, parsed["tables"][1]["exists"].as_bool()),
        (2, Some(false))
    );
    // It has to be meant.
    place.refused("shop", &["apply"], &["nothing was changed: say `--yes`"])?;
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
            .contains("apply it with --allow-delete-index shop.old"),
        "{plan:?}"
    );
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
    let left = place.shop(&["plan"])?;
    assert!(left.code == 2 && !left.out.contains("gsi1"), "{left:?}");
    place.done(
        "shop",
        &["apply", "--yes", "--allow-delete-index", "shop.old"],
    )?;
    assert_eq!(place.shop(&["plan"])?.code, 0);
    Ok(())
}
