//! Keys that are spread over shards, in a table and in its indexes.

use dynamo_entity::key::KeyHash;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, Raw, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_verb_finds_the_shard(Events),
    an_index_is_spread_by_the_primary_key(Events),
    an_index_key_moves_within_its_shard(Events),
    shards_leave_a_sparse_index_sparse(Events),
    the_shard_counts_for_the_length_of_the_key(Tight),
    verbatim_keys_have_their_own_delimiter(Old),
    another_number_of_shards_is_noticed,
];

crate::declare! {
    table Events(name = "events", pk = "pk", sk = "sk", entities(Event), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
    entity Event(table = Events, key(pk = "DAY#{day}", sk = "{number:06}", shards = 5),
        gsi(by_state, on = gsi1, pk = "STATE#{state}", sk = "{day}", shards = 10))
        { #[dynamo(skip)] day: String, #[dynamo(skip)] number: u32, state: Option<String>,
          #[dynamo(version)] version: Version }
}

fn event(number: u32, state: &str) -> Event {
    Event {
        day: "monday".into(),
        number,
        state: Some(state.into()),
        version: Version::default(),
    }
}

/// The shard according to the documented definition.
fn shard(number: u32, shards: u16) -> u16 {
    KeyHash::of(b"DAY#monday", Some(format!("{number:06}").as_bytes())).shard(shards)
}

async fn every_verb_finds_the_shard(db: Db) -> Outcome {
    for number in 0..20 {
        let created = event(number, "new").create().send(&db).await?;
        let key = Event::key("monday", number);
        assert_eq!(created.key(), key);
        let stored = db.stored(&key).await;
        assert_eq!(stored["pk"], s(&format!("DAY#monday#{}", shard(number, 5))));
        assert_eq!(stored["sk"], s(&format!("{number:06}")));
        let get = key.clone().get().consistent();
        assert_eq!(get.send(&db).await?, Some(created.clone()));

        let put = created.put().send(&db).await?;
        let refused = created.put().send(&db).await.unwrap_err();
        assert_eq!(refused.current::<Event>()?, Some(put));
        assert_eq!(db.count::<Events>().await, 1);
        key.delete().if_exists().send(&db).await?;
    }
    Ok(())
}

async fn an_index_is_spread_by_the_primary_key(db: Db) -> Outcome {
    for number in 0..20 {
        let put = event(number, "new").put().send(&db).await?;
        let stored = db.stored(&put.key()).await;
        let expected = format!("STATE#new#{}", shard(number, 10));
        assert_eq!(stored["gsi1pk"], s(&expected));
        assert_eq!(stored["gsi1sk"], s("monday"));
        assert_eq!(Raw::from(put.to_item()?), stored);

        let found = db.client().query().table_name(db.table::<Events>());
        let found = found
            .index_name("gsi1")
            .key_condition_expression("gsi1pk = :p");
        let found = found.expression_attribute_values(":p", s(&expected));
        let found = found.send().await?.items().to_vec();
        assert!(found.contains(&stored), "{number}");
    }
    Ok(())
}

async fn an_index_key_moves_within_its_shard(db: Db) -> Outcome {
    let put = event(7, "new").put().send(&db).await?;
    let done = Event {
        state: Some("done".into()),
        ..put
    };
    let done = done.put().send(&db).await?;
    let stored = db.stored(&done.key()).await;
    assert_eq!(stored["gsi1pk"], s(&format!("STATE#done#{}", shard(7, 10))));
    Ok(())
}

async fn shards_leave_a_sparse_index_sparse(db: Db) -> Outcome {
    let silent = Event {
        state: None,
        ..event(7, "")
    };
    let put = silent.put().send(&db).await?;
    assert!(!db.stored(&put.key()).await.contains_key("gsi1pk"));
    Ok(())
}

crate::declare! { entity Tight(table = "tight", key(pk = "{text}", shards = 10)) { #[dynamo(skip)] text: String } }

async fn the_shard_counts_for_the_length_of_the_key(db: Db) -> Outcome {
    let tight = |length| Tight {
        text: "x".repeat(length),
    };
    let (faulty, http) = db.faulty([]);
    let refused = tight(2047).put().send(&faulty).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.key_attribute()),
        (ErrorKind::InvalidKey, Some("pk"))
    );
    let refused = tight(2047).key().get().send(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    assert!(http.calls().is_empty());
    let longest = tight(2046).put().send(&db).await?;
    assert_eq!(
        longest.key().get().consistent().send(&db).await?,
        Some(longest)
    );
    Ok(())
}

crate::declare! {
    entity Old(table = "old", key(pk = "T:{tenant}", sk = "{name}", shards = 1), verbatim(delimiter = ":"))
        { #[dynamo(skip)] tenant: String, #[dynamo(skip)] name: String }
}

fn old(tenant: &str) -> Old {
    Old {
        tenant: tenant.into(),
        name: "a:b".into(),
    }
}

async fn verbatim_keys_have_their_own_delimiter(db: Db) -> Outcome {
    let put = old("a#%").put().send(&db).await?;
    assert_eq!(db.stored(&put.key()).await["pk"], s("T:a#%:0"));
    assert_eq!(put.key().get().consistent().send(&db).await?, Some(put));
    let refused = old("a:b").put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    Ok(())
}

async fn another_number_of_shards_is_noticed(db: Db) -> Outcome {
    db.create_tables([Events::schema()]).await?;
    let elsewhere = (shard(7, 5) + 1) % 5;
    for shard in [elsewhere.to_string(), "17".into(), "x".into()] {
        let item = raw([
            ("pk", s(&format!("DAY#monday#{shard}"))),
            ("sk", s("000007")),
            ("_type", s("Event")),
        ]);
        let refused = Event::from_item(item.clone()).unwrap_err();
        assert_eq!(
            (refused.kind(), refused.key_attribute()),
            (ErrorKind::KeyMismatch, Some("pk"))
        );
        assert!(Event::key_from_item(item).is_err());
    }
    Ok(())
}
