//! Items that are put and deleted, as typed calls see them.

use dynamo_entity::prelude::*;

use crate::place::{Outcome, Place};
use crate::shop_admin::{Order, RequestCount, Shop, Status, User};

const ANN: &str = r#"{"user": "ann", "email": "ann@example.com", "name": "Ann Lee"}"#;

fn tables(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables([Shop::schema(), RequestCount::schema()])
            .await
    })?;
    Ok(())
}

pub fn an_item_is_put_and_read(place: &Place) -> Outcome {
    tables(place)?;
    let stored = place.done("shop", &["put", "User", ANN])?.out;
    assert!(stored.contains("email       ann@example.com\n"), "{stored}");
    let ann = place
        .typed(async |db| User::key("ann").get().send(db).await)?
        .ok_or("a user")?;
    assert_eq!(
        (ann.name.as_str(), ann.version.number()),
        ("Ann Lee", Some(1))
    );
    assert!(ann.created_at.is_some());
    assert_eq!(place.done("shop", &["get", "User", "ann"])?.out, stored);
    let json = place
        .done("shop", &["get", "User", "ann", "--json"])?
        .rows()?;
    assert_eq!(json[0]["pk"], "USER#ann");
    // From a file.
    let file = place.file("bob.json", &ANN.replace("ann", "bob"))?;
    place.done("shop", &["put", "User", &format!("@{file}")])?;
    assert!(
        place
            .typed(async |db| User::key("bob").get().send(db).await)?
            .is_some()
    );
    place.refused(
        "shop",
        &["put", "User", "@no-such-file"],
        &["no-such-file: "],
    )?;
    place.refused("shop", &["put", "User", "{"], &["error: "])
}

pub fn versions_are_checked(place: &Place) -> Outcome {
    tables(place)?;
    place.done("shop", &["put", "User", ANN])?;
    // Without a version it is a new one.
    place.refused("shop", &["put", "User", ANN], &["User: "])?;
    let seen = place.done("shop", &["get", "User", "ann", "--json"])?.out;
    let next = seen.replace("Ann Lee", "Ann Li");
    assert_eq!(place.given("shop", &["put", "User", "-"], &next)?.code, 0);
    let late = place.given("shop", &["put", "User", "-"], &next)?;
    assert_eq!(late.code, 1, "{late:?}");
    let ann = place
        .typed(async |db| User::key("ann").get().send(db).await)?
        .ok_or("a user")?;
    assert_eq!(
        (ann.name.as_str(), ann.version.number()),
        ("Ann Li", Some(2))
    );
    let forced = place.given("shop", &["put", "User", "-", "--unchecked"], &seen)?;
    assert_eq!(forced.code, 0, "{forced:?}");
    let ann = place
        .typed(async |db| User::key("ann").get().send(db).await)?
        .ok_or("a user")?;
    assert_eq!(ann.name, "Ann Lee");
    assert!(ann.version.number() > Some(1 << 52));
    let created = place.given("shop", &["put", "User", "-", "--create"], &seen)?;
    assert_eq!(created.code, 1);
    Ok(())
}

pub fn unique_values_have_one_owner(place: &Place) -> Outcome {
    tables(place)?;
    place.done("shop", &["put", "User", ANN])?;
    let bob = ANN.replacen("ann", "bob", 1);
    place.refused("shop", &["put", "User", &bob], &["User"])?;
    let owner = |place: &Place| {
        place.typed(async |db| {
            let found = User::by_email("ann@example.com").send(db).await?;
            Ok(found.map(|user| user.user))
        })
    };
    assert_eq!(owner(place)?.as_deref(), Some("ann"));
    // Another address gives up the first one.
    let seen = place.done("shop", &["get", "User", "ann", "--json"])?.out;
    place.given(
        "shop",
        &["put", "User", "-"],
        &seen.replace("ann@example.com", "lee@example.com"),
    )?;
    assert_eq!(owner(place)?, None);
    place.done("shop", &["put", "User", &bob])?;
    assert_eq!(owner(place)?.as_deref(), Some("bob"));
    place.done("shop", &["delete", "User", "bob", "--yes"])?;
    assert_eq!(owner(place)?, None);
    let left = place.typed(async |db| User::scan().count(db).await)?;
    assert_eq!(left, 1);
    Ok(())
}

pub fn indexes_follow(place: &Place) -> Outcome {
    tables(place)?;
    let order = r#"{"user": "ann", "number": 7, "status": "Paid", "placed_at": "2026-03-04T12:00:00Z", "cents": -5}"#;
    let stored = place
        .done("shop", &["put", "Order", order, "--json"])?
        .rows()?;
    let paid =
        |place: &Place, status| place.typed(async move |db| Order::by_status(status).all(db).await);
    let found = paid(place, Status::Paid)?;
    assert_eq!(found.len(), 1);
    let typed = place.typed(async |_| found[0].to_item())?;
    assert_eq!(serde_json::to_value(&typed)?, stored[0]);
    let shipped = stored[0].to_string().replace("\"Paid\"", "\"Shipped\"");
    let moved = place.given("shop", &["put", "Order", "-"], &shipped)?;
    assert_eq!(moved.code, 0, "{moved:?}");
    assert_eq!(
        (
            paid(place, Status::Paid)?.len(),
            paid(place, Status::Shipped)?.len()
        ),
        (0, 1)
    );
    // A key that is not that of the fields would be another item.
    let other = stored[0]
        .to_string()
        .replace("\"number\":7", "\"number\":8");
    let refused = place.given("shop", &["put", "Order", "-"], &other)?;
    assert_eq!(refused.code, 1, "{refused:?}");
    Ok(())
}

pub fn a_delete_has_to_be_meant(place: &Place) -> Outcome {
    tables(place)?;
    place.done("shop", &["put", "User", ANN])?;
    // Nobody can answer here, so the answer is no.
    let asked = place.given("shop", &["delete", "User", "ann"], "y\n")?;
    assert!(
        asked.code == 1 && asked.notes.contains("--yes"),
        "{asked:?}"
    );
    place.refused(
        "shop",
        &["delete", "User", "ann", "--yes", "--if-version", "2"],
        &["`User` does not have version 2: another write came first"],
    )?;
    assert!(
        place
            .typed(async |db| User::key("ann").get().send(db).await)?
            .is_some()
    );
    let done = place.done(
        "shop",
        &["delete", "User", "ann", "-y", "--if-version", "1"],
    )?;
    assert_eq!((done.out.as_str(), done.notes.as_str()), ("", "deleted\n"));
    place.refused("shop", &["delete", "User", "ann", "-y"], &["User"])
}

pub fn what_is_not_allowed_is_explained(place: &Place) -> Outcome {
    tables(place)?;
    let count = r#"{"page": "home", "day": 1, "count": 3}"#;
    let hint = "add `.writes::<RequestCount>()` to its `App`";
    place.refused("shop", &["put", "RequestCount", count], &[hint])?;
    place.refused(
        "shop",
        &["delete", "RequestCount", "home", "1", "-y"],
        &[hint],
    )
}
