//! Attributes with JSON texts: each text that another program wrote stays as it is until its value changes.

use std::collections::{BTreeMap, HashMap, HashSet};

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::codec::JsonText;
use dynamo_entity::prelude::*;
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    texts_stay_until_the_value_changes,
    texts_with_sets_stay,
    what_json_cannot_hold_is_refused,
    mistakes_name_their_place,
    texts_in_updates_and_lists(Profile),
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Address {
    street: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    floor: Option<i64>,
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    tags: HashMap<String, bool>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "profiles", key(pk = id))]
struct Profile {
    id: String,
    address: JsonText<Address>,
    other: Option<JsonText<serde_json::Value>>,
    #[dynamo(default)]
    former: Vec<JsonText<Address>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Labels {
    words: HashSet<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "labels", key(pk = id))]
struct Labelled {
    id: String,
    labels: JsonText<Labels>,
    ratio: Option<JsonText<f64>>,
}

/// Each hash set has another order, also if it is read from the same text.
async fn texts_with_sets_stay(_: Db) -> Outcome {
    let text = r#"{"words": ["a", "b", "c", "d", "e", "f"], "zip": 9}"#;
    for _ in 0..50 {
        let row: Item = [("id", "l"), ("labels", text)].into_iter().collect();
        let mut labelled = Labelled::from_item(row.clone())?;
        assert_eq!(labelled.to_item()?, row);
        assert_eq!(labelled.clone().to_item()?, row);
        labelled.labels.words.insert("g".to_owned());
        assert_ne!(labelled.to_item()?, row);
    }
    Ok(())
}

async fn what_json_cannot_hold_is_refused(_: Db) -> Outcome {
    let row: Item = [("id", "l"), ("labels", r#"{"words":[]}"#)]
        .into_iter()
        .collect();
    let mut labelled = Labelled::from_item(row)?;
    labelled.ratio = Some(JsonText::new(f64::NAN));
    let refused = labelled.to_item().unwrap_err();
    assert!(refused.to_string().contains("ratio"), "{refused}");
    Ok(())
}

/// The text of an address, with the white space and the order of members of some program.
fn text_of(address: &Address, rng: &mut Rng) -> String {
    let gap = |rng: &mut Rng| [" ", "", "\n\t", "  "][rng.usize(..4)];
    let mut members = vec![format!(
        "\"street\"{}:{}{}",
        gap(rng),
        gap(rng),
        serde_json::json!(address.street)
    )];
    members.extend(
        address
            .floor
            .map(|floor| format!("\"floor\":{}{floor}", gap(rng))),
    );
    if !address.tags.is_empty() {
        let sorted: BTreeMap<_, _> = address.tags.iter().collect();
        members.push(format!("\"tags\":{}", serde_json::json!(sorted)));
    }
    // A member that the type does not read.
    if rng.bool() {
        members.push("\"zip\": [1.50, {\"é\": null}]".to_owned());
    }
    rng.shuffle(&mut members);
    let comma = format!("{},{}", gap(rng), gap(rng));
    format!(
        "{}{{{}{}}}{}",
        gap(rng),
        gap(rng),
        members.join(&comma),
        gap(rng)
    )
}

fn random_address(rng: &mut Rng) -> Address {
    let street = ["High St", "", "\"q\" \\ \u{1}", "é\u{10ffff}"][rng.usize(..4)].to_owned();
    let tags = (0..rng.usize(..5))
        .map(|number| (format!("t{number}"), rng.bool()))
        .collect();
    Address {
        street,
        floor: rng.bool().then(|| rng.i64(-2..3)),
        tags,
    }
}

async fn texts_stay_until_the_value_changes(db: Db) -> Outcome {
    db.create_tables([Profile::schema()]).await?;
    let mut rng = Rng::with_seed(38);
    for number in 0..40 {
        let id = format!("p{number}");
        let address = random_address(&mut rng);
        let text = text_of(&address, &mut rng);
        let other = ["{}", " null ", "[1, 2.0, 1e2]", "\"a\""][rng.usize(..4)];
        let row = raw([("id", s(&id)), ("address", s(&text)), ("other", s(other))]);
        db.plant::<Profile>(row.clone()).await;
        let mut profile = Profile::key(&id).get().send(&db).await?.ok_or("a row")?;
        assert_eq!(*profile.address, address, "{text}");
        assert_eq!(profile.address.stored_text(), Some(&*text));

        // An equal value, set again or changed back, is no change.
        profile.address.floor = Some(7);
        *profile.address = address.clone();
        profile.put().send(&db).await?;
        assert_eq!(db.stored(&profile.key()).await, with_list(row), "{text}");

        let next = random_address(&mut rng);
        let is_same = next == address;
        *profile.address = next.clone();
        let put = profile.put().send(&db).await?;
        assert_eq!(*put.address, next);
        let stored = Item::from(db.stored(&profile.key()).await);
        let stored = stored
            .get("address")
            .and_then(|text| text.as_text())
            .ok_or("a text")?;
        assert_eq!(stored == text, is_same, "{stored} {text}");
        assert_eq!(serde_json::from_str::<Address>(stored)?, next);
    }
    Ok(())
}

/// A list that is empty is written as one.
fn with_list(mut row: HashMap<String, AttributeValue>) -> HashMap<String, AttributeValue> {
    row.insert("former".to_owned(), AttributeValue::L(Vec::new()));
    row
}

/// Errors name the attribute and the place in the text, and no part of the text.
async fn mistakes_name_their_place(db: Db) -> Outcome {
    db.create_tables([Profile::schema()]).await?;
    for (text, place) in [
        ("", "ends too early at line 1, column 0"),
        ("{\n \"street\": hush}", "no JSON at line 2, column 12"),
        (
            "{\"street\": \"hush\"",
            "ends too early at line 1, column 17",
        ),
        (
            "{\"street\": \"hush\", \"floor\": \"hush\"}",
            "does not fit the type at line 1, column 34",
        ),
        (
            "{\"floor\": 7}",
            "does not fit the type at line 1, column 12",
        ),
        ("{\"street\": \"\"} hush", "no JSON at line 1, column 16"),
    ] {
        db.plant::<Profile>(raw([("id", s("p")), ("address", s(text))]))
            .await;
        let error = Profile::key("p").get().send(&db).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.attribute()),
            (ErrorKind::Decode, Some("address"))
        );
        let message = format!("{error} {error:?}");
        assert!(message.contains(place), "{message}");
        assert!(!message.contains("hush"), "{message}");
    }
    Ok(())
}

/// A condition with the value that was read holds for its stored text; elements of lists are texts too.
async fn texts_in_updates_and_lists(db: Db) -> Outcome {
    let text = "{ \"street\": \"a\" }";
    db.plant::<Profile>(raw([("id", s("p")), ("address", s(text))]))
        .await;
    let profile = Profile::key("p").get().send(&db).await?.ok_or("a row")?;
    let old = profile.address.clone();
    let next = Address {
        street: "b".into(),
        floor: None,
        tags: HashMap::new(),
    };
    let update = Profile::key("p").update().apply(|p| {
        (
            p.address().set(JsonText::new(next.clone())),
            p.former().set(vec![old.clone()]),
        )
    });
    let changed = update
        .when(|p| p.address().eq(old.clone()))
        .send(&db)
        .await?;
    assert_eq!(changed.address.stored_text(), Some("{\"street\":\"b\"}"));
    assert_eq!(changed.former[0].stored_text(), Some(text));
    let late = Profile::key("p")
        .update()
        .apply(|p| p.other().remove())
        .when(|p| p.address().eq(old.clone()))
        .send(&db)
        .await;
    assert!(late.unwrap_err().is_conflict());
    Ok(())
}
