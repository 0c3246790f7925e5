//! Items without a declaration: read, stored and deleted as they are, by the name of their table.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};

use crate::model::{Draft, Note, draft, note};
use crate::support::db::{Db, item, n, raw, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    what_is_stored_is_what_is_read(Note),
    random_writes_are_those_of_a_map(Note),
    a_put_replaces_the_whole_item(Note),
    nothing_is_kept_of_an_entity(Draft),
    a_consistent_read_says_so,
    a_condition_that_fails_brings_the_item(Note),
    what_cannot_be_stored_is_not_sent(Note),
    refusals_have_their_kinds(Note),
    only_unconditional_writes_are_sent_again(Note),
];

fn key(id: &str) -> Item {
    item([("id", id.into())])
}

async fn what_is_stored_is_what_is_read(db: Db) -> Outcome {
    let stored = item([
        ("id", "n1".into()),
        ("text", "a \" b".into()),
        ("number", "12345678901234567890.5".parse::<Number>()?.into()),
        (
            "list",
            vec![Value::Null, true.into(), vec![7u8].into()].into(),
        ),
        ("map", key("inner").into()),
    ]);
    let notes = Item::in_table("notes");
    notes.put(stored.clone()).send(&db).await?;
    assert_eq!(db.stored(&Note::key("n1")).await, stored.clone().into());
    let get = notes.get(Note::key("n1").to_item()?).consistent();
    assert_eq!(get.send(&db).await?, Some(stored));
    assert_eq!(notes.get(key("n2")).send(&db).await?, None);
    Ok(())
}

/// What a write asks, of one item of the model.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Nothing,
    Present,
    Absent,
    Equals(i64),
}

impl Asked {
    fn any(random: &mut fastrand::Rng) -> Self {
        match random.u32(0..4) {
            0 => Asked::Nothing,
            1 => Asked::Present,
            2 => Asked::Absent,
            _ => Asked::Equals(random.i64(0..3)),
        }
    }

    fn holds(self, stored: Option<&Item>) -> bool {
        let count = stored.and_then(|item| item.get("count"));
        match self {
            Asked::Nothing => true,
            Asked::Present => count.is_some(),
            Asked::Absent => count.is_none(),
            Asked::Equals(number) => count == Some(&number.into()),
        }
    }
}

/// Adds what is asked to a put or a delete.
macro_rules! asking {
    ($write:expr, $asked:expr) => {
        match $asked {
            Asked::Nothing => $write,
            Asked::Present => $write.when_present("count"),
            Asked::Absent => $write.when_absent("count"),
            Asked::Equals(number) => $write.when_equals("count", number),
        }
    };
}

async fn random_writes_are_those_of_a_map(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let notes = Item::in_table("notes");
    let mut model: BTreeMap<String, Item> = BTreeMap::new();
    for step in 0..200 {
        let (id, asked) = (format!("n{}", random.u32(0..3)), Asked::any(&mut random));
        let before = model.get(&id).cloned();
        let sent = if random.bool() {
            let mut new = key(&id);
            if random.bool() {
                new.insert("count", random.i64(0..3));
            }
            if asked.holds(before.as_ref()) {
                model.insert(id.clone(), new.clone());
            }
            asking!(notes.put(new), asked).send(&db).await
        } else {
            if asked.holds(before.as_ref()) {
                model.remove(&id);
            }
            asking!(notes.delete(key(&id)), asked).send(&db).await
        };
        match (asked.holds(before.as_ref()), sent) {
            (true, sent) => sent?,
            (false, sent) => {
                let refused = sent.expect_err("the condition does not hold");
                assert!(
                    refused.is_conflict(),
                    "seed {seed}, step {step}: {refused:?}"
                );
            }
        }
        let found = notes.get(key(&id)).consistent().send(&db).await?;
        assert_eq!(found.as_ref(), model.get(&id), "seed {seed}, step {step}");
    }
    Ok(())
}

async fn a_put_replaces_the_whole_item(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    let bare = item([("id", "n1".into()), ("other", 1.into())]);
    Item::in_table("notes").put(bare).send(&db).await?;
    let stored = db.stored(&Note::key("n1")).await;
    assert_eq!(stored, raw([("id", s("n1")), ("other", n(1))]));
    Ok(())
}

/// The documentation says so: no version is checked, and none is raised.
async fn nothing_is_kept_of_an_entity(db: Db) -> Outcome {
    let stored = draft("d1", "x").create().send(&db).await?;
    let drafts = Item::in_table("drafts");
    let key = stored.key().to_item()?;
    let mut found = drafts
        .get(key.clone())
        .consistent()
        .send(&db)
        .await?
        .ok_or("a draft")?;
    found.insert("text", "y");
    drafts.put(found).send(&db).await?;
    let changed = Draft::key("d1")
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("a draft")?;
    assert_eq!((changed.version, &*changed.text), (stored.version, "y"));
    drafts.delete(key).send(&db).await?;
    assert_eq!(Draft::key("d1").get().consistent().send(&db).await?, None);
    Ok(())
}

async fn a_consistent_read_says_so(db: Db) -> Outcome {
    let get = Item::in_table("notes").get(key("n1"));
    let table = db.table::<Note>();
    let body = format!(r#"{{"TableName":"{table}","Key":{{"id":{{"S":"n1"}}}}}}"#);
    assert_eq!(get.explain(&db)?.requests, [body.as_str()]);
    let get = Item::in_table("notes").get(key("n1")).consistent();
    let consistent = body.replace("}}}", r#"}},"ConsistentRead":true}"#);
    assert_eq!(get.explain(&db)?.requests, [consistent]);
    Ok(())
}

async fn a_condition_that_fails_brings_the_item(db: Db) -> Outcome {
    let stored = item([("id", "n1".into()), ("text", "x".into())]);
    let notes = Item::in_table("notes");
    notes
        .put(stored.clone())
        .when_absent("id")
        .send(&db)
        .await?;
    for sent in [
        notes.put(key("n1")).when_absent("id").send(&db).await,
        notes
            .put(key("n1"))
            .when_equals("text", "y")
            .send(&db)
            .await,
        notes
            .delete(key("n1"))
            .when_present("text")
            .when_equals("text", "y")
            .send(&db)
            .await,
    ] {
        let refused = sent.expect_err("the condition does not hold");
        assert!(refused.is_conflict(), "{refused:?}");
        assert_eq!(refused.entity(), Some("Item"));
        assert_eq!(refused.current_item()?, Some(stored.clone()));
    }
    let refused = notes.delete(key("n2")).when_present("id").send(&db).await;
    let refused = refused.expect_err("nothing is there");
    assert!(
        refused.is_conflict() && refused.current_item()?.is_none(),
        "{refused:?}"
    );
    Ok(())
}

async fn what_cannot_be_stored_is_not_sent(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let notes = Item::in_table("notes");
    let large = item([("id", "n1".into()), ("text", "x".repeat(400 * 1024).into())]);
    let refused = notes
        .put(large)
        .send(&faulty)
        .await
        .expect_err("it is too large");
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
    let empty = Value::Ss([].into());
    let put = notes.put(key("n1")).when_equals("tags", empty);
    let refused = put.send(&faulty).await.expect_err("no set is empty");
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::InvalidValue, Some("tags"))
    );
    assert_eq!(http.calls(), [""; 0]);
    Ok(())
}

async fn refusals_have_their_kinds(db: Db) -> Outcome {
    let notes = Item::in_table("notes");
    let wrong = item([("name", "n1".into())]);
    for refused in [
        notes.get(wrong.clone()).send(&db).await.map(drop),
        notes.put(wrong.clone()).send(&db).await,
        notes.delete(wrong).send(&db).await,
    ] {
        let refused = refused.expect_err("this is no key");
        assert_eq!(refused.kind(), ErrorKind::Rejected, "{refused:?}");
    }
    let refused = Item::in_table("nobody").get(key("n1")).send(&db).await;
    assert!(refused.expect_err("no such table").is_table_not_found());
    Ok(())
}

async fn only_unconditional_writes_are_sent_again(db: Db) -> Outcome {
    let notes = Item::in_table("notes");
    let (faulty, http) = db.faulty([Fault::Lose]);
    notes.put(key("n1")).send(&faulty).await?;
    assert_eq!(http.calls(), ["PutItem"; 2]);
    http.plan([Fault::Lose]);
    notes.delete(key("n1")).send(&faulty).await?;
    assert_eq!(http.calls(), ["DeleteItem"; 2]);
    http.plan([Fault::Lose]);
    let unknown = notes.put(key("n1")).when_absent("id").send(&faulty).await;
    assert!(unknown.expect_err("nobody knows").is_outcome_unknown());
    assert_eq!(http.calls(), ["PutItem"]);
    Ok(())
}
