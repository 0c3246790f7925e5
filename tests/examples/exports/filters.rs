//! Filters of consumers, judged by an evaluator of the filter language of Lambda on recorded and composed records.

use dynamo_entity::Value;
use dynamo_entity::export::{FollowedChange, StreamConsumer};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{StreamView, TableSchema};
use dynamo_entity::streams::{ChangeEvent, ItemChange, StreamEvent, UnreadChange};
use serde_json::{Value as Json, json};

use crate::order_mails::{Buyer, Order, Reward, Shop, Status};
use crate::support::suite::Outcome;

/// Whether a record fits a pattern, by the documented rules: all members of a pattern have to fit, one of the rules of a
/// list, and one of the patterns of `$or`.
fn fits(pattern: &Json, value: Option<&Json>) -> bool {
    match pattern {
        Json::Object(members) => members.iter().all(|(name, pattern)| match name.as_str() {
            "$or" => {
                let mut any = pattern.as_array().expect("a list").iter();
                any.any(|pattern| fits(pattern, value))
            }
            name => fits(pattern, value.and_then(|value| value.get(name))),
        }),
        Json::Array(rules) => rules.iter().any(|rule| match value {
            // A member with several values fits if one of them does.
            Some(Json::Array(values)) => values.iter().any(|value| obeys(rule, Some(value))),
            value => obeys(rule, value),
        }),
        other => panic!("a pattern is an object or a list, not {other}"),
    }
}

fn obeys(rule: &Json, value: Option<&Json>) -> bool {
    assert!(
        !value.is_some_and(Json::is_object),
        "rules are about members that hold a value: {rule} of {value:?}"
    );
    let text = value.and_then(Json::as_str);
    let Json::Object(operator) = rule else {
        assert!(!rule.is_array(), "a list in a list: {rule}");
        return value == Some(rule);
    };
    let (name, operand) = operator.iter().next().expect("an operator");
    assert_eq!(operator.len(), 1, "one operator: {rule}");
    let named = || operand.as_str().expect("a text");
    match name.as_str() {
        "exists" => value.is_some() == operand.as_bool().expect("true or false"),
        "prefix" => text.is_some_and(|text| text.starts_with(named())),
        "suffix" => text.is_some_and(|text| text.ends_with(named())),
        "equals-ignore-case" => {
            text.is_some_and(|text| text.to_lowercase() == named().to_lowercase())
        }
        "anything-but" => {
            let others = operand.as_array().expect("a list");
            value.is_some_and(|value| !others.contains(value))
        }
        "numeric" => {
            let Some(number) = value.and_then(Json::as_f64) else {
                return false;
            };
            let terms = operand.as_array().expect("a list");
            terms.chunks(2).all(|term| {
                let limit = term[1].as_f64().expect("a number");
                match term[0].as_str().expect("a comparison") {
                    "=" => number == limit,
                    "<" => number < limit,
                    "<=" => number <= limit,
                    ">" => number > limit,
                    ">=" => number >= limit,
                    other => panic!("no comparison {other}"),
                }
            })
        }
        other => panic!("Lambda has no operator {other}"),
    }
}

/// Whether a mapping with these filters passes a record.
fn passes(filters: &[String], record: &Json) -> bool {
    let pattern = |filter: &String| serde_json::from_str::<Json>(filter).expect("JSON");
    filters.is_empty()
        || filters
            .iter()
            .any(|filter| fits(&pattern(filter), Some(record)))
}

/// Examples of the documentation.
#[test]
fn the_evaluator_knows_the_rules() {
    let record = json!({"eventName": "INSERT", "dynamodb": {
        "Keys": {"CustomerName": {"S": "AnyCompany Industries"}},
        "NewImage": {"AccountManager": {"S": "Pat Candella"}, "Days": {"N": "60"}, "Old": {"NULL": true}}},
        "age": 7, "tags": ["a", "b"]});
    let check = |pattern: Json, wanted: bool| {
        assert_eq!(fits(&pattern, Some(&record)), wanted, "{pattern}");
    };
    let manager = |rules: Json| json!({"dynamodb": {"NewImage": {"AccountManager": {"S": rules}}}});
    check(manager(json!(["Pat Candella", "Shirley Rodriguez"])), true);
    check(manager(json!(["Shirley Rodriguez"])), false);
    check(manager(json!([{"anything-but": ["Pat Candella"]}])), false);
    check(
        manager(json!([{"anything-but": ["Shirley Rodriguez"]}])),
        true,
    );
    check(manager(json!([{"prefix": "Pat"}])), true);
    check(manager(json!([{"suffix": "Pat"}])), false);
    check(
        manager(json!([{"equals-ignore-case": "pat candella"}])),
        true,
    );
    check(manager(json!([{"exists": true}])), true);
    check(manager(json!([{"exists": false}])), false);
    let missing = |rule: Json| json!({"dynamodb": {"OldImage": {"AccountManager": {"S": [rule]}}}});
    check(missing(json!({"exists": false})), true);
    check(missing(json!({"anything-but": ["Pat Candella"]})), false);
    check(json!({"age": [{"numeric": [">", 5, "<=", 7]}]}), true);
    check(json!({"age": [{"numeric": ["=", 6]}]}), false);
    // The numbers of DynamoDB are texts.
    check(
        json!({"dynamodb": {"NewImage": {"Days": {"N": [{"numeric": ["=", 60]}]}}}}),
        false,
    );
    check(json!({"tags": ["b"]}), true);
    check(
        json!({"dynamodb": {"NewImage": {"Old": {"NULL": [true]}}}}),
        true,
    );
    check(json!({"eventName": ["MODIFY"], "age": [7]}), false);
    check(
        json!({"$or": [{"eventName": ["MODIFY"]}, {"age": [7]}]}),
        true,
    );
}

fn recorded(name: &str) -> Vec<Json> {
    let path = format!(
        "{}/examples/order_mails/events/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let event = std::fs::read_to_string(path).expect("an event");
    let mut event: Json = serde_json::from_str(&event).expect("JSON");
    match event["Records"].take() {
        Json::Array(records) => records,
        other => panic!("records, not {other}"),
    }
}

const VIEWS: [(StreamView, &str); 4] = [
    (StreamView::NewAndOldImages, "new_and_old_images"),
    (StreamView::NewImage, "new_image"),
    (StreamView::OldImage, "old_image"),
    (StreamView::KeysOnly, "keys_only"),
];

fn table(view: StreamView) -> TableSchema {
    let mut table = Shop::schema();
    table.stream = Some(view);
    table
}

/// The change that the handler of an entity finds in a record; `Err` is a record that cannot be read.
type Shown = Option<Result<(FollowedChange, bool), UnreadChange>>;

fn kind<New, Old>(
    mut changes: impl Iterator<Item = Result<ItemChange<New, Old>, UnreadChange>>,
) -> Shown {
    Some(changes.next()?.map(|change| match change.event {
        ChangeEvent::Created(_) => (FollowedChange::Created, false),
        ChangeEvent::Changed { .. } => (FollowedChange::Changed, false),
        ChangeEvent::Removed { by_ttl, .. } => (FollowedChange::Removed, by_ttl),
    }))
}

fn shown<E: DynamoEntity>(view: StreamView, record: &Json) -> Shown {
    let event = json!({"Records": [record]}).to_string();
    let event = StreamEvent::from_json(event.as_bytes()).expect("an event");
    match view {
        StreamView::NewAndOldImages => kind(E::changes_of(&event)),
        StreamView::NewImage => kind(E::new_images_of(&event)),
        StreamView::OldImage => kind(E::old_images_of(&event)),
        _ => kind(E::keys_of(&event)),
    }
}

/// Each set of changes.
fn sets() -> impl Iterator<Item = Vec<FollowedChange>> {
    let all = [
        FollowedChange::Created,
        FollowedChange::Changed,
        FollowedChange::Removed,
        FollowedChange::RemovedByTtl,
    ];
    (1..16).map(move |bits: usize| {
        let each = all.into_iter().enumerate();
        each.filter(|(at, _)| bits & (1 << at) != 0)
            .map(|(_, change)| change)
            .collect()
    })
}

fn is_followed(set: &[FollowedChange], (change, by_ttl): (FollowedChange, bool)) -> bool {
    set.contains(&change) || by_ttl && set.contains(&FollowedChange::RemovedByTtl)
}

/// A filter passes each record that its handler wants to see. Returns whether it passes a record that no handler wants.
fn judge<E: DynamoEntity>(table: &TableSchema, name: &str, record: &Json) -> Vec<bool> {
    let view = table.stream.expect("a stream");
    let mut needless = Vec::new();
    for set in sets() {
        let consumer = StreamConsumer::new("c", table.clone()).follow(name, set.clone());
        let filters = consumer.filters().expect("filters");
        let passes = passes(&filters, record);
        let is_wanted = match shown::<E>(view, record) {
            None => false,
            // It is an error of the handler, whatever happened to the item.
            Some(Err(_)) => {
                let all =
                    set.len() >= 3 && FollowedChange::ALL.iter().all(|kind| set.contains(kind));
                assert!(
                    passes || !all,
                    "{name} {set:?}: an unread record is lost: {record:#}"
                );
                continue;
            }
            Some(Ok(change)) => is_followed(&set, change),
        };
        assert!(
            passes || !is_wanted,
            "{name} {set:?}: {record:#} is lost by {filters:#?}"
        );
        needless.push(passes && !is_wanted);
    }
    needless
}

#[test]
fn recorded_changes_pass_their_filters_only() {
    for (view, name) in VIEWS {
        let table = table(view);
        let mut count = 0;
        for record in recorded(name) {
            let event = json!({"Records": [record]}).to_string();
            let event = StreamEvent::from_json(event.as_bytes()).expect("an event");
            // Equal numbers may have other texts.
            let images = event.records()[0].old_image();
            let is_unchanged = images.is_some() && images == event.records()[0].new_image();
            let needless = [
                judge::<Order>(&table, "Order", &record),
                judge::<Buyer>(&table, "Buyer", &record),
                judge::<Reward>(&table, "Reward", &record),
            ];
            // A pattern cannot compare images.
            assert!(
                is_unchanged || needless.iter().flatten().all(|needless| !needless),
                "{name}: {record:#}"
            );
            count += 1;
        }
        assert!(count >= 4, "{name}");
    }
}

/// An item whose attributes are texts and numbers, as a record has it.
fn image(item: &impl DynamoEntity) -> Json {
    let members = item.to_item().expect("an item").into_iter();
    let members = members.map(|(name, value)| match value {
        Value::S(text) => (name, json!({"S": text.to_string()})),
        Value::N(number) => (name, json!({"N": number.to_string()})),
        other => panic!("{name} is {other:?}"),
    });
    Json::Object(members.collect())
}

/// A record with these images, as a stream of this view has it.
fn record(
    view: StreamView,
    keys: &Json,
    old: Option<&Json>,
    new: Option<&Json>,
    by_ttl: bool,
) -> Json {
    let name = match (old, new) {
        (None, _) => "INSERT",
        (_, None) => "REMOVE",
        _ => "MODIFY",
    };
    let mut change = json!({"Keys": keys, "SequenceNumber": "1"});
    let (has_new, has_old, text) = match view {
        StreamView::NewAndOldImages => (true, true, "NEW_AND_OLD_IMAGES"),
        StreamView::NewImage => (true, false, "NEW_IMAGE"),
        StreamView::OldImage => (false, true, "OLD_IMAGE"),
        _ => (false, false, "KEYS_ONLY"),
    };
    change["StreamViewType"] = text.into();
    for (image, name) in [
        (new.filter(|_| has_new), "NewImage"),
        (old.filter(|_| has_old), "OldImage"),
    ] {
        if let Some(image) = image {
            change[name] = image.clone();
        }
    }
    let mut record = json!({"eventID": "e", "eventName": name, "dynamodb": change});
    if by_ttl {
        record["userIdentity"] =
            json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
    }
    record
}

/// Runs through all pairs of these images, in all views.
fn each_pair(
    images: &[Json],
    keys: &[&str],
    mut judged: impl FnMut(StreamView, &Json, [Option<&Json>; 2]),
) {
    let key = |image: &Json| -> Json {
        let members = keys
            .iter()
            .map(|name| ((*name).to_owned(), image[*name].clone()));
        Json::Object(members.collect())
    };
    let sides = || std::iter::once(None).chain(images.iter().map(Some));
    for (view, _) in VIEWS {
        for (old, new) in sides().flat_map(|old| sides().map(move |new| (old, new))) {
            let Some(keys) = old.or(new).map(key) else {
                continue;
            };
            if new.is_some_and(|new| key(new) != keys) {
                continue;
            }
            judged(view, &record(view, &keys, old, new, false), [old, new]);
            if new.is_none() {
                judged(view, &record(view, &keys, old, new, true), [old, new]);
            }
        }
    }
}

fn order(number: u32, status: Status) -> Order {
    Order {
        buyer: "ann".into(),
        number,
        status,
        cents: 5,
    }
}

#[test]
fn composed_changes_of_a_shared_table_pass_their_filters() {
    let whole = image(&order(7, Status::New));
    let mut typeless = whole.clone();
    typeless.as_object_mut().expect("an item").remove("_type");
    // A program that keeps no types has stored another item in its place.
    let mut other = whole.clone();
    other["_type"] = json!({"S": "Reward"});
    let mut broken = whole.clone();
    broken["cents"] = json!({"S": "five"});
    let buyer = image(&Buyer {
        buyer: "ann".into(),
        mail: "a@b".into(),
    });
    let reward = image(&Reward {
        buyer: "ann".into(),
        number: 1,
    });
    let images = [
        whole,
        image(&order(7, Status::Sent)),
        typeless.clone(),
        other,
        broken,
        buyer,
        reward,
    ];
    let (mut all, mut extra) = (0, 0);
    each_pair(&images, &["pk", "sk"], |view, record, sides| {
        let table = table(view);
        let needless = [
            judge::<Order>(&table, "Order", record),
            judge::<Buyer>(&table, "Buyer", record),
            judge::<Reward>(&table, "Reward", record),
        ];
        let is_equal = sides[0] == sides[1];
        let is_typeless = sides.into_iter().any(|side| side == Some(&typeless));
        for needless in needless.into_iter().flatten() {
            all += 1;
            extra += usize::from(needless);
            let is_known = is_equal || is_typeless;
            assert!(
                is_known || !needless,
                "passed for nothing in {view:?}: {record:#}"
            );
        }
    });
    assert!(all > 5_000 && extra * 10 < all, "{extra} of {all}");
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "tickets", key(pk = "TICKET#{number}"), stream = new_and_old_images)]
#[dynamo(unique(by_seat, seat))]
#[allow(dead_code)]
struct Ticket {
    number: String,
    seat: u32,
}

/// The items that keep unique values pass no filter that can tell them by an image.
#[test]
fn composed_changes_of_an_own_table_pass_their_filters() {
    let ticket = |seat| {
        let number = "t1".into();
        image(&Ticket { number, seat })
    };
    let sentinel = json!({
        "pk": {"S": "$UNIQUE#by_seat#1"},
        "$unique": {"M": {"pk": {"S": "TICKET#t1"}}},
    });
    let mut broken = ticket(1);
    broken["seat"] = json!({"S": "one"});
    let foreign = json!({"pk": {"S": "OTHER#1"}, "number": {"S": "1"}, "seat": {"N": "1"}});
    let images = [ticket(1), ticket(2), broken, sentinel.clone(), foreign];
    let mut silent = 0;
    each_pair(&images, &["pk"], |view, record, sides| {
        let mut table = Ticket::schema();
        table.stream = Some(view);
        let is_of_sentinel = sides.into_iter().any(|side| side == Some(&sentinel));
        let has_image = ["NewImage", "OldImage"]
            .iter()
            .any(|image| record["dynamodb"].get(image).is_some());
        for needless in judge::<Ticket>(&table, "Ticket", record) {
            let is_known = sides[0] == sides[1] || is_of_sentinel && !has_image;
            assert!(is_known || !needless, "{view:?}: {record:#}");
            silent += usize::from(is_of_sentinel && has_image);
        }
    });
    assert!(silent > 50, "{silent}");
}

#[test]
fn values_limit_the_keys() -> Outcome {
    let of = |view, buyer: &str| {
        let consumer = StreamConsumer::new("c", table(view)).with_value("buyer", buyer);
        consumer.follow("Order", FollowedChange::ALL).filters()
    };
    for (view, _) in VIEWS {
        let image = image(&order(7, Status::New));
        let keys = json!({"pk": image["pk"], "sk": image["sk"]});
        let record = record(view, &keys, None, Some(&image), false);
        assert!(passes(&of(view, "ann")?, &record), "{view:?}");
        for other in ["an", "anna", "ann#", "bob"] {
            assert!(!passes(&of(view, other)?, &record), "{view:?} {other}");
        }
    }
    let consumer = || StreamConsumer::new("c", table(StreamView::KeysOnly));
    // Without entities, all of them are followed.
    let filters = consumer().with_value("buyer", "ann").filters()?;
    for record in recorded("keys_only") {
        let is_ann = record["dynamodb"]["Keys"]["pk"]["S"] == "BUYER#ann";
        assert_eq!(passes(&filters, &record), is_ann);
    }
    assert!(consumer().filters()?.is_empty());
    for (wrong, words) in [
        (
            consumer().follow("Invoice", FollowedChange::ALL),
            "`Invoice`, which is not an entity",
        ),
        (
            consumer().with_value("cents", "5"),
            "limits the primary key of `Buyer` in no way",
        ),
    ] {
        let said = wrong.filters().expect_err("wrong").to_string();
        assert!(said.contains(words), "{said}");
    }
    Ok(())
}

/// The parts of lists are large, so they must not invoke a function that skips them.
#[test]
fn rows_of_lists_pass_no_filter() -> Outcome {
    #[derive(DynamoEntity)]
    #[dynamo(table = "filtered-halls", key(pk = "HALL#{id}"), chunked(seats: u32))]
    struct Hall {
        id: u32,
    }
    let mut table = Hall::schema();
    table.stream = Some(StreamView::NewAndOldImages);
    let consumer = StreamConsumer::new("c", table).follow("Hall", FollowedChange::ALL);
    let filters = consumer.filters()?;
    let hall = image(&Hall { id: 1 });
    let part = json!({
        "pk": {"S": "$LARGE#seats#HALL%230000000001#00"},
        "$unique": {"M": {"pk": {"S": "HALL#0000000001"}}},
    });
    let created = |image: &Json| {
        let keys = json!({"pk": image["pk"]});
        record(StreamView::NewAndOldImages, &keys, None, Some(image), false)
    };
    assert!(passes(&filters, &created(&hall)), "{filters:?}");
    assert!(!passes(&filters, &created(&part)), "{filters:?}");
    Ok(())
}

/// Entities share filters where that loses nothing, because a mapping has five.
#[test]
fn filters_are_few() -> Outcome {
    let all = |view| {
        let consumer = StreamConsumer::new("c", table(view));
        ["Buyer", "Order", "Reward"]
            .into_iter()
            .fold(consumer, |consumer, name| {
                consumer.follow(name, FollowedChange::ALL)
            })
    };
    let both = all(StreamView::NewAndOldImages).filters()?;
    assert_eq!(both.len(), 2, "{both:#?}");
    for record in recorded("new_and_old_images") {
        assert!(passes(&both, &record));
    }
    let created = |consumer: StreamConsumer| {
        let created = [FollowedChange::Created, FollowedChange::RemovedByTtl];
        ["Buyer", "Order", "Reward"]
            .into_iter()
            .fold(consumer, |consumer, name| consumer.follow(name, created))
    };
    let six = || created(StreamConsumer::new("c", table(StreamView::NewAndOldImages)));
    let said = six().filters().expect_err("six").to_string();
    assert!(
        said.contains("needs 6 filters") && said.contains("raised_filter_quota"),
        "{said}"
    );
    assert_eq!(six().raised_filter_quota().filters()?.len(), 6);
    Ok(())
}
