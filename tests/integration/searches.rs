//! Searches of vector indexes: their cost, their limits, and what becomes of items that do not fit.

use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use dynamo_entity::deploy::TableChange;
use dynamo_entity::observe::CapacityByPattern;
use dynamo_entity::observe::WirePath;
use dynamo_entity::plan::Operation as _;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{NotIndexed, TableSchema};
use dynamo_entity::{ErrorKind, put_each};
use serde_json::{Value as Json, json};

use crate::support::db::{Db, n, raw, s};
use crate::support::engine::Kind;
use crate::support::rewriting::{Answer, Rewriting};
use crate::support::suite::{Gap, Outcome};
use crate::tests;

const NO_VECTORS: Gap = Gap {
    engines: &[
        Kind::DynamoDbLocal,
        Kind::OldDynamoDbLocal,
        Kind::OtherServer,
    ],
    why: "has no vector indexes",
};

tests![
    bytes_are_counted(Large) unless NO_VECTORS,
    the_hits_of_a_hydrated_search_are_read(Large) unless NO_VECTORS,
    filters_have_a_value(Tagged) unless NO_VECTORS,
    places_are_those_of_the_engine(Tagged) unless NO_VECTORS,
    one_zero_is_stored(Tagged),
    rows_that_do_not_decode_are_errors(Tagged) unless NO_VECTORS,
    responses_without_scores_are_errors(Tagged) unless NO_VECTORS,
    errors_hide_the_vector(Tagged) unless NO_VECTORS,
    searches_take_the_sdk(Tagged) unless NO_VECTORS,
    hydrated_items_of_another_type_are_omitted(Store) unless NO_VECTORS,
    hydrated_items_that_expire_are_omitted(Offer) unless NO_VECTORS,
    a_full_table_takes_no_vector_index unless NO_VECTORS,
    limits_of_vector_indexes_are_checked,
    as_many_filters_as_allowed_are_accepted unless NO_VECTORS,
    neighbours_with_another_length_are_rejected,
    a_server_without_vectors_rejects_searches(Tagged),
];

const NUMBERS: usize = 600;

crate::declare! {
    entity Large(table = "large", key(pk = id),
        vector(by_key, field = at, distance = euclidean, within = org, project = keys),
        vector(whole, field = at, distance = dot_product))
        { id: u32, org: Option<String>, text: String, at: Option<Vector<NUMBERS>> }
    entity Tagged(table = "tagged", key(pk = id),
        vector(near, field = at, distance = euclidean, within = org, filter = [color, size]))
        { id: u32, org: Option<String>, color: Option<String>, size: Option<u8>, at: Option<Vector<3>> }
    table Store(name = "store", pk = "pk", sk = "sk", entities(Shirt, Sock));
    entity Shirt(table = Store, key(pk = "SHIRT#{id}", sk = "SHIRT"),
        vector(shirt_like, field = look, distance = euclidean, project = keys))
        { id: u32, look: Vector<2> }
    entity Sock(table = Store, key(pk = "SOCK#{id}", sk = "SOCK")) { id: u32 }
    entity Offer(table = "offers", key(pk = id), vector(near, field = at, distance = euclidean, project = keys))
        { id: u32, at: Vector<2>, #[dynamo(ttl)] ends: u64 }
    table Rack(name = "rack", pk = "pk", sk = "sk", entities(Coat, Hat));
    entity Coat(table = Rack, key(pk = "COAT#{id}", sk = "COAT"), vector(coat_like, field = look, distance = cosine))
        { id: u32, look: Vector<2> }
    entity Hat(table = Rack, key(pk = "HAT#{id}", sk = "HAT")) { id: u32, look: Vector<3> }
}

fn large(id: u32, org: Option<&str>) -> Large {
    let number = |at: usize| (at as f32 + id as f32 * 0.37).sin();
    let numbers: Vec<f32> = (0..NUMBERS).map(number).collect();
    Large {
        id,
        org: org.map(str::to_owned),
        text: "a text".repeat(id as usize * 3),
        at: Some(numbers.try_into().unwrap()),
    }
}

/// The rows, the bytes and the units that the last request reported.
type Reported = Arc<Mutex<(u64, f64, f64)>>;

fn reporting(db: &Db) -> (Dynamo, Reported) {
    let last = Reported::default();
    let told = last.clone();
    let watched = Dynamo::clone(db).with_observer(move |event| {
        let mut last = told.lock().expect("no panic");
        *last = (event.rows, event.vector_bytes(), event.units());
    });
    (watched, last)
}

/// The estimate equals the report of the engine.
async fn bytes_are_counted(db: Db) -> Outcome {
    let (watched, last) = reporting(&db);
    let reported = || *last.lock().expect("no panic");
    let estimate = || db.estimate([Large::schema()]).otherwise_empty();
    let items = [
        large(1, Some("acme")),
        large(2, Some("acme")),
        large(3, Some("initech")),
        large(4, None),
    ];
    for item in &items {
        let cost = estimate().of(&item.put().explain(&db)?)?;
        item.put().send(&watched).await?;
        assert_eq!(reported().2, cost.write_units(), "{cost}");
        // Without vector indexes, the item would be billed by the digits of its numbers.
        assert!(item.to_item()?.size() > 1_024 * cost.write_units() as usize);
    }
    // The bytes of a write, index by index: the engine tells them with the mode `INDEXES` only.
    let mut changed = items[1].clone();
    changed.text = "another".into();
    let mut gone = items[2].clone();
    gone.at = None;
    for (before, after) in [
        (&items[1], &changed),
        (&items[2], &gone),
        (&items[0], &items[0]),
    ] {
        let cost = estimate().stored(before.to_item()?);
        let cost = cost.of(&after.put().explain(&db)?)?;
        let request: Json = serde_json::from_str(&after.put().explain(&db)?.requests[0])?;
        let written = db
            .client()
            .put_item()
            .table_name(db.table::<Large>())
            .set_item(Some(attributes(&request["Item"])))
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        let written = written.send().await?;
        let found = written
            .consumed_capacity()
            .and_then(|found| found.vector_indexes());
        let mut found: Vec<(String, usize)> = found
            .into_iter()
            .flatten()
            .map(|(name, bytes)| {
                let bytes = bytes.vector_write_request_bytes().unwrap_or_default();
                (name.clone(), bytes as usize)
            })
            .collect();
        found.sort();
        let parts = cost.parts.iter().filter(|part| part.vector_bytes > 0);
        let parts = parts.map(|part| (part.index.clone().unwrap_or_default(), part.vector_bytes));
        assert_eq!(parts.collect::<Vec<_>>(), found, "{cost}");
    }
    let got = Large::key(1).get().explain(&db)?;
    let cost = estimate().stored(items[0].to_item()?).of(&got)?;
    Large::key(1).get().send(&watched).await?;
    assert_eq!(reported().2, cost.read_units());

    // A search reads the entries of its partition: keys, `org` and the vector.
    let search = Large::by_key(items[0].at.as_ref().unwrap(), 1).within("acme");
    let entry = 4 * NUMBERS + "at".len() + "id".len() + 2 + "org".len() + "acme".len();
    let explained = search.clone().explain(&db)?;
    let cost = estimate().rows(2).item_size(entry).of(&explained)?;
    let capacity = CapacityByPattern::default();
    let watched = watched.with_observer(capacity.observer());
    assert_eq!(search.send(&watched).await?.len(), 1);
    assert_eq!(reported(), (1, cost.vector_bytes() as f64, 0.0));
    let bytes: Vec<f64> = capacity.rows().iter().map(|row| row.vector_bytes).collect();
    assert_eq!(bytes, [cost.vector_bytes() as f64]);
    assert_eq!(cost.vector_bytes(), 2 * entry);
    assert_eq!(
        cost.to_string(),
        format!("{} bytes of vector indexes", 2 * entry)
    );
    // Nothing is free.
    let none = Large::by_key(items[0].at.as_ref().unwrap(), 1).within("nobody");
    let cost = estimate()
        .rows(0)
        .item_size(entry)
        .of(&none.clone().explain(&db)?)?;
    assert_eq!(none.send(&watched).await?, []);
    assert_eq!((reported().1, cost.vector_bytes()), (1_024.0, 1_024));
    // An unknown entry has its vector, and an unknown number of rows is that of the hits.
    let cost = db.estimate([Large::schema()]).of(&explained)?;
    assert_eq!(cost.vector_bytes(), 4 * NUMBERS + "at".len());
    assert!(cost.to_string().contains("1 rows are looked at"), "{cost}");
    Ok(())
}

async fn the_hits_of_a_hydrated_search_are_read(db: Db) -> Outcome {
    let items: Vec<Large> = (1..4).map(|id| large(id, Some("acme"))).collect();
    put_each(items.iter().map(|item| item.put()))
        .send(&db)
        .await?
        .complete()?;
    let search = Large::by_key(items[0].at.as_ref().unwrap(), 2)
        .within("acme")
        .hydrate();
    let estimate = db.estimate([Large::schema()]).rows(500).item_size(1_000);
    // It compares 500 vectors, and reads two items of up to 4 KB.
    let cost = estimate.of(&search.explain(&db)?)?;
    assert_eq!((cost.vector_bytes(), cost.read_units()), (500_000, 1.0));
    assert!(
        cost.to_string()
            .starts_with("1 read unit and 500000 bytes of vector indexes"),
        "{cost}"
    );
    Ok(())
}

async fn filters_have_a_value(db: Db) -> Outcome {
    let at: Vector<3> = [1.0, 2.0, 3.0].try_into()?;
    let search = || Tagged::near(&at, 1).within("acme");
    let other = <Tagged as DynamoEntity>::Paths::default;
    let (watched, last) = reporting(&db);
    last.lock().expect("no panic").0 = 77;
    let none = search()
        .filter(|tagged| tagged.color().eq(other().org()))
        .send(&watched)
        .await;
    let told = none.unwrap_err();
    assert_eq!(told.kind(), ErrorKind::InvalidValue);
    assert!(
        told.to_string().contains("and not with None or another"),
        "{told}"
    );
    // The index has no partition without a value.
    let empty = Tagged::near(&at, 1)
        .within(other().color())
        .send(&watched)
        .await
        .unwrap_err();
    assert!(
        empty.to_string().contains("and not with None or another"),
        "{empty}"
    );
    // The first mistake is told.
    let two = search().filter(|tagged| tagged.color().eq(other().org()));
    let two = two
        .filter(|tagged| tagged.color().eq("red"))
        .send(&watched)
        .await
        .unwrap_err();
    assert!(
        two.to_string().contains("and not with None or another"),
        "{two}"
    );
    let many = Tagged::near(&at, 101)
        .within("acme")
        .hydrate()
        .send(&watched)
        .await
        .unwrap_err();
    assert_eq!(many.kind(), ErrorKind::Config);
    // A search for nothing is checked too, and not sent.
    let nothing = Tagged::near(&at, 0)
        .within(other().color())
        .send(&watched)
        .await
        .unwrap_err();
    assert!(
        nothing.to_string().contains("and not with None or another"),
        "{nothing}"
    );
    assert_eq!(
        Tagged::near(&at, 0).within("acme").send(&watched).await?,
        []
    );
    assert_eq!(last.lock().expect("no panic").0, 77, "a request was sent");
    Ok(())
}

/// Items of all kinds: `place` accepts those that the engine accepts, and finds those that a search finds.
async fn places_are_those_of_the_engine(db: Db) -> Outcome {
    let list = |numbers: [&str; 3]| json!({"L": numbers.map(|number| json!({"N": number}))});
    let vectors = [
        None,
        Some(list(["1", "2", "3"])),
        Some(list(["1", "2", "1e38"])),
        Some(list(["1", "2", "1e39"])),
        Some(json!({"L": [{"N": "1"}, {"N": "2"}, {"S": "3"}]})),
        Some(json!({"L": [{"N": "1"}, {"N": "2"}, {"NULL": true}]})),
        Some(json!({"L": [{"N": "1"}, {"N": "2"}]})),
        Some(json!({"L": []})),
        Some(json!({"NS": ["1", "2", "3"]})),
        Some(json!({"NULL": true})),
    ];
    let orgs = [
        None,
        Some(json!({"S": "acme"})),
        Some(json!({"S": ""})),
        Some(json!({"N": "1"})),
    ];
    let colors = [
        None,
        Some(json!({"S": "red"})),
        Some(json!({"S": ""})),
        Some(json!({"NULL": true})),
        Some(json!({"N": "1"})),
    ];
    let schema = Tagged::schema();
    let (mut accepted, mut found) = (0, 0);
    let query: Vector<3> = [1.0, 2.0, 3.0].try_into()?;
    for at in &vectors {
        for org in &orgs {
            for color in &colors {
                let mut item = json!({"id": {"N": "1"}});
                for (name, value) in [("at", at), ("org", org), ("color", color)] {
                    if let Some(value) = value {
                        item[name] = value.clone();
                    }
                }
                let place = schema.place_item(&Item::from(attributes(&item)));
                let put = db.client().put_item().table_name(db.table::<Tagged>());
                let put = put.set_item(Some(attributes(&item))).send().await;
                assert_eq!(place.is_ok(), put.is_ok(), "{item} {place:?} {put:?}");
                let Ok(place) = place else { continue };
                accepted += 1;
                let place = place.index("near").expect("an index");
                let hits = db
                    .client()
                    .search_vectors()
                    .table_name(db.table::<Tagged>());
                let hits = hits.index_name("near").top_k(1).set_search_vector(Some(
                    query
                        .iter()
                        .map(|number| AttributeValue::N(number.to_string()))
                        .collect(),
                ));
                let hits = hits
                    .search_condition_expression("#o = :o")
                    .expression_attribute_names("#o", "org")
                    .expression_attribute_values(":o", s("acme"));
                let hits = hits.send().await?;
                assert_eq!(place.is_ok(), !hits.search_results().is_empty(), "{item}");
                found += usize::from(place.is_ok());
                if let Err(reason) = place {
                    let has_org = item.get("org").is_some();
                    let is_org = matches!(reason, NotIndexed::Missing { attribute, .. } if attribute == "org");
                    assert_eq!(is_org, !has_org, "{item}");
                }
            }
        }
    }
    assert_eq!((accepted, found), (18, 6));
    Ok(())
}

fn attributes(item: &Json) -> std::collections::HashMap<String, AttributeValue> {
    fn value(json: &Json) -> AttributeValue {
        let (tag, json) = json
            .as_object()
            .and_then(|one| one.iter().next())
            .expect("a value");
        let texts = || {
            let texts = json.as_array().into_iter().flatten();
            texts
                .map(|text| text.as_str().unwrap_or_default().to_owned())
                .collect()
        };
        match tag.as_str() {
            "S" => AttributeValue::S(json.as_str().unwrap_or_default().to_owned()),
            "N" => AttributeValue::N(json.as_str().unwrap_or_default().to_owned()),
            "NULL" => AttributeValue::Null(true),
            "NS" => AttributeValue::Ns(texts()),
            "L" => AttributeValue::L(json.as_array().into_iter().flatten().map(value).collect()),
            other => panic!("no {other} here"),
        }
    }
    let members = item.as_object().into_iter().flatten();
    members
        .map(|(name, json)| (name.clone(), value(json)))
        .collect()
}

/// A vector equals the one that is read again, sign by sign.
async fn one_zero_is_stored(db: Db) -> Outcome {
    let at: Vector<3> = [-0.0, 0.0, -1e-30].try_into()?;
    let bits = |at: &Vector<3>| at.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let tagged = tagged(1, at.clone());
    tagged.put().send(&db).await?;
    let read = Tagged::key(1)
        .get()
        .send(&db)
        .await?
        .and_then(|read| read.at)
        .unwrap();
    assert_eq!(bits(&read), bits(&at));
    Ok(())
}

fn tagged(id: u32, at: Vector<3>) -> Tagged {
    Tagged {
        id,
        org: Some("acme".into()),
        color: None,
        size: Some(1),
        at: Some(at),
    }
}

async fn rows_that_do_not_decode_are_errors(db: Db) -> Outcome {
    let at: Vector<3> = [1.0, 2.0, 3.0].try_into()?;
    tagged(1, at.clone()).put().send(&db).await?;
    let far = AttributeValue::L(vec![n(9), n(9), n(9)]);
    // 700 is no `u8`.
    let bad = [
        ("id", n(2)),
        ("org", s("acme")),
        ("size", n(700)),
        ("at", far),
    ];
    db.plant::<Tagged>(raw(bad)).await;
    let search = || Tagged::near(&at, 5).within("acme");
    assert_eq!(
        search().send(&db).await.unwrap_err().kind(),
        ErrorKind::Decode
    );
    assert_eq!(
        search().hydrate().send(&db).await.unwrap_err().kind(),
        ErrorKind::Decode
    );
    let hits = search().lenient().send(&db).await?;
    let whole = search().hydrate().lenient().send(&db).await?;
    for hits in [hits, whole] {
        assert_eq!(hits.len(), 2);
        assert_eq!(hits[0].item.as_ref().map(|tagged| tagged.id).ok(), Some(1));
        assert_eq!(hits[1].item.as_ref().unwrap_err().kind(), ErrorKind::Decode);
        assert!(hits[0].score.is_nearer_than(hits[1].score));
    }
    Ok(())
}

/// A connection that changes the responses of searches.
fn changing(db: &Db, change: impl Fn(&mut Json) + Send + Sync + 'static) -> Dynamo {
    let http = Rewriting::new(db.engine().http_client(), move |answer: &mut Answer| {
        if answer.operation == "SearchVectors" && answer.status == 200 {
            let mut body: Json = serde_json::from_slice(&answer.body).expect("JSON");
            change(&mut body);
            answer.body = body.to_string().into_bytes();
        }
    });
    db.through(db.engine().config().http_client(http))
}

async fn responses_without_scores_are_errors(db: Db) -> Outcome {
    let at: Vector<3> = [1.0, 2.0, 3.0].try_into()?;
    tagged(1, at.clone()).put().send(&db).await?;
    let search = || Tagged::near(&at, 5).within("acme");
    type Change = fn(&mut Json);
    let changes: [Change; 4] = [
        |body| {
            drop(
                body["SearchResults"][0]
                    .as_object_mut()
                    .map(|row| row.remove("Score")),
            )
        },
        |body| body["SearchResults"][0]["Score"] = json!("near"),
        |body| {
            drop(
                body["SearchResults"][0]
                    .as_object_mut()
                    .map(|row| row.remove("Item")),
            )
        },
        |body| body["SearchResults"] = json!({}),
    ];
    for change in changes {
        let told = search().send(&changing(&db, change)).await.unwrap_err();
        assert_eq!(told.kind(), ErrorKind::Service, "{told}");
    }
    let none = search()
        .send(&changing(&db, |body| *body = json!({})))
        .await?;
    assert_eq!(none, []);
    Ok(())
}

/// The direct path knows the endpoint of the table alone.
async fn searches_take_the_sdk(db: Db) -> Outcome {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let told = paths.clone();
    let watched = db.through(db.engine().config());
    let watched = watched.with_observer(move |event| {
        let mut paths = told.lock().expect("no panic");
        paths.push((
            event.operation,
            event.path.clone(),
            event.partition_keys().len(),
        ));
    });
    let at: Vector<3> = [1.0, 2.0, 3.0].try_into()?;
    for _ in 0..2 {
        Tagged::key(1).get().send(&watched).await?;
        Tagged::near(&at, 5).within("acme").send(&watched).await?;
    }
    let paths = paths.lock().expect("no panic");
    let searches = paths
        .iter()
        .filter(|(operation, ..)| *operation == "SearchVectors");
    let searches: Vec<_> = searches.map(|(_, path, keys)| (path, *keys)).collect();
    assert_eq!(searches.len(), 2);
    for (path, keys) in searches {
        assert!(
            !matches!(path, WirePath::Direct | WirePath::Replayed),
            "{path:?}"
        );
        assert_eq!(keys, 0);
    }
    Ok(())
}

/// The numbers of a vector say what a text is about, so an error shows none of them.
async fn errors_hide_the_vector(db: Db) -> Outcome {
    let at: Vector<3> = [0.123456, 2.0, 3.0].try_into()?;
    let http = Rewriting::new(db.engine().http_client(), |answer: &mut Answer| {
        if answer.operation == "SearchVectors" {
            let message = "0.123456 is no number for the owner Initech";
            let kind = "com.amazonaws.dynamodb.v20120810#ValidationException";
            answer.status = 400;
            answer.body = json!({"__type": kind, "message": message})
                .to_string()
                .into_bytes();
        }
    });
    let db = db.through(db.engine().config().http_client(http));
    let search = Tagged::near(&at, 5).within("Initech");
    let told = search.send(&db).await.unwrap_err();
    let text = format!("{told} {told:?}");
    assert!(text.contains("is no number for the owner"), "{text}");
    assert!(
        !text.contains("0.123456") && !text.contains("Initech"),
        "{text}"
    );
    Ok(())
}

/// A connection whose searches always find what the first one found.
fn late(db: &Db) -> Dynamo {
    let first: Mutex<Option<Json>> = Mutex::default();
    changing(db, move |body| {
        let mut first = first.lock().expect("no panic");
        *body = first.get_or_insert_with(|| body.clone()).clone();
    })
}

async fn hydrated_items_of_another_type_are_omitted(db: Db) -> Outcome {
    let look: Vector<2> = [1.0, 2.0].try_into()?;
    for id in 1..3 {
        Shirt {
            id,
            look: look.clone(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let late = late(&db);
    let search = || Shirt::shirt_like(&look, 5).hydrate();
    assert_eq!(search().send(&late).await?.len(), 2);
    // Another program gives the item another type, and leaves the vector.
    let table = db.table::<Store>();
    let found = db.client().scan().table_name(&table).send().await?;
    let mut found = found.items.unwrap_or_default().into_iter();
    let mut changed = found
        .find(|item| item.get("id") == Some(&n(1)))
        .ok_or("the item")?;
    let type_attribute = Store::schema().type_attribute.ok_or("a type")?;
    changed.insert(type_attribute, s("Sock"));
    let put = db.client().put_item().table_name(&table);
    put.set_item(Some(changed)).send().await?;
    let hits = search().send(&late).await?;
    assert_eq!(hits.iter().map(|hit| hit.item.id).collect::<Vec<_>>(), [2]);
    Ok(())
}

async fn hydrated_items_that_expire_are_omitted(db: Db) -> Outcome {
    let at: Vector<2> = [1.0, 2.0].try_into()?;
    for id in 1..3 {
        Offer {
            id,
            at: at.clone(),
            ends: 5_000_000_000,
        }
        .put()
        .send(&db)
        .await?;
    }
    let late = late(&db);
    let search = || Offer::near(&at, 5).hydrate();
    assert_eq!(search().send(&late).await?.len(), 2);
    Offer {
        id: 1,
        at: at.clone(),
        ends: 5,
    }
    .put()
    .send(&db)
    .await?;
    let hits = search().send(&late).await?;
    assert_eq!(hits.iter().map(|hit| hit.item.id).collect::<Vec<_>>(), [2]);
    // An index of keys contains the expiry, too.
    let keys = Offer::near(&at, 5).send(&db).await?;
    assert_eq!(
        keys.iter()
            .map(|hit| hit.item == Offer::key(2))
            .collect::<Vec<_>>(),
        [true]
    );
    let all = Offer::near(&at, 5)
        .include_expired()
        .hydrate()
        .send(&late)
        .await?;
    assert_eq!(all.len(), 2);
    Ok(())
}

/// A table with these vector indexes.
fn with_indexes(names: &[&str], filters: usize) -> TableSchema {
    let filters: Vec<Json> = (0..filters)
        .map(|at| json!({"name": format!("f{at}"), "type": "S"}))
        .collect();
    let index = |name: &&str| {
        json!({
            "name": name, "attribute": "at", "dimensions": 3, "distance": "cosine", "filters": filters,
            "projection": "keys",
        })
    };
    let table = json!({
        "format": 1, "name": "full", "keys": "escaped", "pk": {"name": "id", "type": "N"},
        "settings": {"billing": "on_demand"},
        "vector_indexes": names.iter().map(index).collect::<Vec<_>>(),
    });
    TableSchema::from_json(&table.to_string()).expect("a schema")
}

async fn a_full_table_takes_no_vector_index(db: Db) -> Outcome {
    let names = ["one", "two", "three", "four", "five"];
    db.create_tables([with_indexes(&names, 0)]).await?;
    let refused = db
        .add_indexes([with_indexes(&["sixth"], 0)])
        .await
        .unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("`sixth` cannot be added: the table has 5 vector indexes"),
        "{text}"
    );
    // Two are to come, of which the first is in its place.
    let four = Dynamo::clone(&db).with_prefix(format!("{}four-", db.prefix()));
    four.create_tables([with_indexes(&names[..4], 0)]).await?;
    let refused = four
        .add_indexes([with_indexes(&["fifth", "sixth"], 0)])
        .await
        .unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("`sixth`") && !text.contains("`fifth`"),
        "{text}"
    );
    // A plan removes before it adds, if it may.
    let plan = db
        .plan([with_indexes(&["one", "two", "three", "four", "sixth"], 0)])
        .await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    assert_eq!(
        changes,
        [
            TableChange::RemoveIndex("five".into()),
            TableChange::AddIndex("sixth".into())
        ]
    );
    let refused = plan.apply(&db).await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("which is all that DynamoDB allows"),
        "{refused}"
    );
    Ok(())
}

async fn limits_of_vector_indexes_are_checked(db: Db) -> Outcome {
    let changed = |change: &dyn Fn(&mut TableSchema)| {
        let mut schema = with_indexes(&["one"], 0);
        change(&mut schema);
        schema
    };
    let bad = [
        (
            with_indexes(&["one"], 19),
            "19 filters of the vector index `one`",
        ),
        (
            with_indexes(&["a", "b", "c", "d", "e", "f"], 0),
            "6 vector indexes",
        ),
        (
            with_indexes(&["of"], 0),
            "the name of index `of` must have 3 to 255",
        ),
        (
            with_indexes(&["one", "one"], 0),
            "index `one` is declared twice",
        ),
        (
            changed(&|schema| schema.vector_indexes[0].dimensions = 0),
            "0 numbers, DynamoDB allows 1 to 4096",
        ),
        (
            changed(&|schema| schema.vector_indexes[0].dimensions = 4097),
            "4097 numbers",
        ),
        (
            changed(&|schema| schema.vector_indexes[0].attribute = "id".into()),
            "both a key of an index and the vector",
        ),
    ];
    for (schema, expected) in bad {
        let told = db.create_tables([schema]).await.unwrap_err();
        assert_eq!(told.kind(), ErrorKind::Config);
        assert!(told.to_string().contains(expected), "{told}");
    }
    let mut two = with_indexes(&["one", "two"], 0);
    two.vector_indexes[1].dimensions = 4;
    let told = db.create_tables([two]).await.unwrap_err();
    assert!(
        told.to_string().contains("vectors of different lengths"),
        "{told}"
    );
    let mut types = with_indexes(&["one", "two"], 1);
    types.vector_indexes[1].filters[0].ty = dynamo_entity::schema::KeyType::N;
    let told = db.create_tables([types]).await.unwrap_err();
    assert!(
        told.to_string().contains("key attribute `f0` is both"),
        "{told}"
    );
    Ok(())
}

async fn as_many_filters_as_allowed_are_accepted(db: Db) -> Outcome {
    db.create_tables([with_indexes(&["one"], 18)]).await?;
    assert!(db.plan([with_indexes(&["one"], 18)]).await?.is_empty());
    Ok(())
}

async fn neighbours_with_another_length_are_rejected(db: Db) -> Outcome {
    let told = db.create_tables([Rack::schema()]).await.unwrap_err();
    assert_eq!(told.kind(), ErrorKind::Config);
    let text = told.to_string();
    let expected = "needs the type L with 2 numbers in the attribute `look`, and `Hat` stores L with 3 elements there";
    assert!(text.contains(expected), "{text}");
    Ok(())
}

/// A server without vector indexes says so, and nothing is retried.
async fn a_server_without_vectors_rejects_searches(db: Db) -> Outcome {
    let at: Vector<3> = [1.0, 2.0, 3.0].try_into()?;
    let found = Tagged::near(&at, 5).within("acme").send(&db).await;
    match Kind::here() {
        Kind::Embedded => assert_eq!(found?, []),
        _ => {
            let told = found.unwrap_err();
            // DynamoDB Local has no such operation, and other servers call it invalid.
            assert!(
                matches!(told.kind(), ErrorKind::Rejected | ErrorKind::Service),
                "{told}"
            );
        }
    }
    Ok(())
}
