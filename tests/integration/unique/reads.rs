//! Look-ups find owners by their values, and no read shows the sentinels.

use dynamo_entity::prelude::*;
use serde_json::Value;

use super::{Account, Club, Everything, Person, Room, Visit, account, person, tables};
use crate::support::db::{Db, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_look_up_finds_the_owner,
    a_look_up_believes_the_item,
    sentinels_are_seen_nowhere,
    sentinels_are_no_entities,
    it_is_explained,
];

async fn a_look_up_finds_the_owner(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    let ann = Account {
        handle: Some("a#b".into()),
        ..account(1, "a@x")
    };
    ann.create().send(&db).await?;
    assert_eq!(
        Account::by_email("a@x").send(&faulty).await?,
        Some(ann.clone())
    );
    assert_eq!(http.calls(), ["GetItem"; 2]);
    assert!(
        http.seen()
            .iter()
            .all(|seen| String::from_utf8_lossy(&seen.body).contains("\"ConsistentRead\":true"))
    );
    assert_eq!(Account::by_handle("o", "a#b").send(&db).await?, Some(ann));
    assert_eq!(Account::by_email("A@x").send(&db).await?, None);
    let asked = Account::by_email("a@x").explain(&db)?;
    assert_eq!(
        (asked.operation, asked.requests.len()),
        (Some("GetItem"), 1)
    );
    assert!(asked.requests[0].contains("$UNIQUE#"), "{asked:?}");
    let empty = Account::by_email("").send(&db).await.unwrap_err();
    assert_eq!(empty.kind(), ErrorKind::InvalidKey); // No row can have this value.
    let room = Room {
        house: "h".into(),
        number: 1,
        phone: Some(5),
    };
    room.create().send(&db).await?;
    assert_eq!(Room::by_phone(5_u64).send(&db).await?, Some(room));
    Ok(())
}

async fn a_look_up_believes_the_item(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    // Another program changed the item without its sentinels.
    db.plant::<Account>(account(1, "b@x").to_item()?).await;
    assert_eq!(Account::by_email("a@x").send(&db).await?, None);
    let delete = db.client().delete_item().table_name(db.table::<Account>());
    delete.key("pk", s("ACCOUNT#0000000001")).send().await?;
    assert_eq!(Account::by_email("a@x").send(&db).await?, None);
    Ok(())
}

async fn sentinels_are_seen_nowhere(db: Db) -> Outcome {
    tables(&db).await?;
    let room = Room {
        house: "h".into(),
        number: 1,
        phone: Some(5),
    };
    room.create().send(&db).await?;
    assert_eq!(Room::scan().all(&db).await?, [room]);
    let house = "$UNIQUE#phone#00000000000000000005";
    assert_eq!(Room::in_partition(house).count(&db).await?, 0);
    assert!(Room::key(house, 1).get().send(&db).await?.is_none());

    let ann = person("ann", 7).create().send(&db).await?;
    Visit {
        id: "ann".into(),
        day: 1,
    }
    .create()
    .send(&db)
    .await?;
    assert_eq!(Person::scan().all(&db).await?, std::slice::from_ref(&ann));
    let everything = Everything::scan().all(&db).await?;
    let others = everything
        .iter()
        .filter(|row| matches!(row, Everything::Other(_)));
    assert_eq!(
        (everything.len(), others.count()),
        (2, 1),
        "the visit is another"
    );
    assert_eq!(Person::by_badge_kind(7).all(&db).await?, [ann]);
    assert_eq!(db.count::<Club>().await, 3);
    Ok(())
}

async fn sentinels_are_no_entities(db: Db) -> Outcome {
    tables(&db).await?;
    account(1, "a@x").create().send(&db).await?;
    person("ann", 7).create().send(&db).await?;
    let items = async |table: String| {
        let items = db
            .client()
            .scan()
            .table_name(table)
            .send()
            .await
            .expect("a scan")
            .items;
        let mut items = items.unwrap_or_default().into_iter();
        items
            .find(|item| item.contains_key("$unique"))
            .expect("a sentinel")
    };
    let sentinel = items(db.table::<Account>()).await;
    let error = Account::from_item(sentinel).unwrap_err();
    assert!(
        error.to_string().contains("keeps a unique value"),
        "{error}"
    );
    let sentinel = items(db.table::<Club>()).await;
    assert!(!sentinel.contains_key("gsi1pk"));
    assert!(Person::from_item(sentinel.clone()).is_err());
    assert_eq!(sentinel.get("_type"), Some(&s("$unique")));
    Ok(())
}

async fn it_is_explained(db: Db) -> Outcome {
    let ann = account(1, "a@x");
    let parts = |request: &str| -> Vec<String> {
        let request: Value = serde_json::from_str(request).expect("JSON");
        let parts = request["TransactItems"].as_array().into_iter().flatten();
        parts
            .filter_map(|part| part.as_object()?.keys().next().cloned())
            .collect()
    };
    let created = ann.create().explain(&db)?;
    assert_eq!(created.operation, Some("TransactWriteItems"));
    assert_eq!(parts(&created.requests[0]), ["Put", "Put"]);
    let put = ann.put().explain(&db)?;
    assert!(
        put.requests[0].contains("ConsistentRead") && parts(&put.requests[1]) == ["Put", "Put"]
    );
    let updated = ann.update().apply(|a| a.email().set("b@x")).explain(&db)?;
    assert_eq!(parts(&updated.requests[0]), ["Update", "Put", "Delete"]);
    assert_eq!(Account::key(1).delete().explain(&db)?.requests.len(), 2);
    Ok(())
}
