//! `delete` removes an item.

use dynamo_entity::prelude::*;

use crate::model::{Draft, Note, Order, Session, Shop, draft, note, order, session, user};
use crate::support::clock::HandClock;
use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    by_key(Note),
    of_an_entity(Note),
    of_nothing_is_fine(Note),
    if_exists_needs_an_item(Note),
    if_exists_needs_a_live_item(Session),
    returning_old_gives_the_item(Shop),
    returning_old_gives_an_expired_item(Session),
    returning_old_of_nothing_is_none(Note),
    returning_old_goes_with_every_check(Draft),
    returning_old_keeps_what_it_cannot_read(Note),
    a_version_is_checked(Draft),
    a_version_of_a_deleted_item_is_not_found(Draft),
    a_key_checks_no_version(Draft),
    unchecked_checks_no_version(Draft),
    neighbours_stay(Shop),
];

async fn by_key(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    Note::key("n1").delete().send(&db).await?;
    assert_eq!(db.raw(&Note::key("n1")).await, None);
    Ok(())
}

async fn of_an_entity(db: Db) -> Outcome {
    let note = note("n1", "x").put().send(&db).await?;
    note.delete().send(&db).await?;
    assert_eq!(db.raw(&note.key()).await, None);
    Ok(())
}

async fn of_nothing_is_fine(db: Db) -> Outcome {
    Note::key("n1").delete().send(&db).await?;
    note("n1", "x").delete().send(&db).await?;
    Ok(())
}

async fn if_exists_needs_an_item(db: Db) -> Outcome {
    let refused = Note::key("n1")
        .delete()
        .if_exists()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert_eq!(refused.entity(), Some("Note"));
    note("n1", "x").put().send(&db).await?;
    Note::key("n1").delete().if_exists().send(&db).await?;
    assert_eq!(db.count::<Note>().await, 0);
    Ok(())
}

async fn if_exists_needs_a_live_item(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let now = db.at(&clock);
    session("s1", Some("2124-06-01T10:00:00Z"))
        .put()
        .send(&now)
        .await?;
    let refused = Session::key("s1")
        .delete()
        .if_exists()
        .send(&now)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(refused.current::<Session>()?.is_none());
    Ok(())
}

async fn returning_old_gives_the_item(db: Db) -> Outcome {
    let stored = order("u1", 7).create().send(&db).await?;
    let old = stored.delete().returning_old().send(&db).await?;
    assert_eq!(old, Some(stored));
    Ok(())
}

async fn returning_old_gives_an_expired_item(db: Db) -> Outcome {
    let late = db.at(&HandClock::at("2124-06-01T10:00:00Z"));
    let expired = session("s1", Some("2124-01-01T00:00:00Z"));
    expired.put().send(&late).await?;
    let old = expired.key().delete().returning_old().send(&late).await?;
    assert_eq!(old, Some(expired));
    Ok(())
}

async fn returning_old_of_nothing_is_none(db: Db) -> Outcome {
    let old = Note::key("n1").delete().returning_old().send(&db).await?;
    assert_eq!(old, None);
    Ok(())
}

async fn returning_old_goes_with_every_check(db: Db) -> Outcome {
    let stored = draft("d1", "x").create().send(&db).await?;
    let missing = Draft::key("d2").delete().if_exists().returning_old();
    assert!(missing.send(&db).await.unwrap_err().is_not_found());
    let old = stored.delete().unchecked().if_exists().returning_old();
    assert_eq!(old.send(&db).await?, Some(stored));
    let stored = draft("d1", "x").create().send(&db).await?;
    let old = stored.key().delete().returning_old().if_exists();
    assert_eq!(old.send(&db).await?, Some(stored));
    Ok(())
}

async fn a_version_is_checked(db: Db) -> Outcome {
    let loaded = draft("d1", "x").create().send(&db).await?;
    let current = loaded.put().send(&db).await?;
    let refused = loaded.delete().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.current::<Draft>()?, Some(current.clone()));
    current.delete().send(&db).await?;
    assert_eq!(db.count::<Draft>().await, 0);
    Ok(())
}

async fn a_version_of_a_deleted_item_is_not_found(db: Db) -> Outcome {
    let loaded = draft("d1", "x").create().send(&db).await?;
    loaded.delete().send(&db).await?;
    let refused = loaded.delete().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    Ok(())
}

async fn a_key_checks_no_version(db: Db) -> Outcome {
    let loaded = draft("d1", "x").create().send(&db).await?;
    loaded.put().send(&db).await?;
    loaded.key().delete().send(&db).await?;
    assert_eq!(db.count::<Draft>().await, 0);
    Ok(())
}

async fn unchecked_checks_no_version(db: Db) -> Outcome {
    let loaded = draft("d1", "x").create().send(&db).await?;
    loaded.put().send(&db).await?;
    loaded.delete().unchecked().send(&db).await?;
    assert_eq!(db.count::<Draft>().await, 0);
    Ok(())
}

async fn neighbours_stay(db: Db) -> Outcome {
    let ada = user("u1").create().send(&db).await?;
    let (first, second) = (order("u1", 1), order("u1", 2));
    let first = first.create().send(&db).await?;
    let second = second.create().send(&db).await?;
    Order::key(&first.user_id, first.placed_at, 1)
        .delete()
        .send(&db)
        .await?;
    assert_eq!(first.key().get().consistent().send(&db).await?, None);
    assert_eq!(
        second.key().get().consistent().send(&db).await?,
        Some(second)
    );
    assert_eq!(ada.key().get().consistent().send(&db).await?, Some(ada));
    Ok(())
}

async fn returning_old_keeps_what_it_cannot_read(db: Db) -> Outcome {
    db.plant::<Note>(raw([("id", s("n1")), ("odd", s("kept"))]))
        .await;
    let unread = Note::key("n1")
        .delete()
        .returning_old()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(unread.kind(), ErrorKind::Decode);
    let message = unread.to_string();
    assert!(message.contains("the write took effect"), "{message}");
    assert_eq!(db.raw(&Note::key("n1")).await, None);
    let item = unread.current_item()?.ok_or("the item")?;
    assert_eq!(item.get("odd"), Some(&"kept".into()));
    Ok(())
}
