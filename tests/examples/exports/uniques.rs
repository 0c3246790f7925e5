//! The partitions of the items that keep unique values: a role may write those of its entities, and no others.

use dynamo_entity::Value;
use dynamo_entity::export::{Policy, PolicyVerb};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Placement, TableSchema};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::help_desk::model::{Agent, Customer, HelpDesk};

type Outcome<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(DynamoTable)]
#[dynamo(name = "hostile", pk = "pk", sk = "sk", entities(Hostile, Neighbour))]
struct HostileNames;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HostileNames, rename = "a*b?#${c}%", key(pk = "H#{id}", sk = "INFO"), unique(by_code, code))]
struct Hostile {
    id: u32,
    code: String,
}

/// Its name is what the other's would stand for, were it read as a pattern.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HostileNames, rename = "aXbY#${c}%", key(pk = "N#{id}", sk = "INFO"), unique(by_code, code))]
struct Neighbour {
    id: u32,
    code: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(
    table = "alone",
    key(pk = "A#{id}"),
    unique(by_code, code, rename = "c*d?#$"),
    unique(by_number, number, id)
)]
struct Alone {
    id: u32,
    code: String,
    number: u32,
}

#[derive(DynamoTable)]
#[dynamo(
    name = "shared-values",
    pk = "pk",
    verbatim,
    type_attribute = "_type",
    entities(Member, Guest)
)]
#[dynamo(gsi(by_kind, pk = "kind"))]
struct SharedValues;

/// Another program stores its unique values in rows too.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = SharedValues, key(pk = "M#{id}"))]
#[dynamo(unique(by_mail, pk = "MAIL#{mail:lower}", constant("kind" = "mail", "v" = 1)))]
struct Member {
    id: u32,
    mail: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = SharedValues, key(pk = "G#{id}"), unique(by_mail, pk = "GUESTMAIL#{mail}"))]
struct Guest {
    id: u32,
    mail: String,
}

/// The texts of the condition of a policy for one entity.
fn partitions(table: TableSchema, entity: &str) -> Outcome<Vec<String>> {
    let policy = Policy::new([table]).allow(entity, [PolicyVerb::CREATE, PolicyVerb::UPDATE]);
    let document: Json = serde_json::from_str(&policy.leading_keys().document()?)?;
    let mut found = Vec::new();
    for statement in document["Statement"].as_array().ok_or("a list")? {
        let condition = statement["Condition"].as_object().ok_or("a condition")?;
        let texts = condition
            .values()
            .flat_map(|texts| texts["dynamodb:LeadingKeys"].as_array());
        found.extend(texts.flatten().filter_map(Json::as_str).map(str::to_owned));
    }
    assert!(!found.is_empty(), "{document}");
    Ok(found)
}

/// As IAM compares: case counts, `*` stands for any text, and `${*}` for itself.
fn is_allowed(partitions: &[String], key: &str) -> bool {
    partitions.iter().any(|text| {
        let begin = text.strip_suffix('*').expect("a beginning");
        let plain = begin
            .replace("${*}", "*")
            .replace("${?}", "?")
            .replace("${$}", "$");
        key.starts_with(&plain)
    })
}

fn sentinels(place: &Placement) -> Vec<&str> {
    let keys = place
        .sentinels
        .iter()
        .map(|sentinel| sentinel.key.get("pk"));
    let keys: Vec<&str> = keys
        .filter_map(|key| key.and_then(Value::as_text))
        .collect();
    assert!(!keys.is_empty());
    keys
}

/// The sentinels of the first entity of a table are allowed by its policy, and those of the other are not.
fn check(table: TableSchema, entity: &str, own: &Placement, other: Option<&Placement>) -> Outcome {
    let partitions = partitions(table, entity)?;
    for key in sentinels(own) {
        assert!(
            is_allowed(&partitions, key),
            "{entity}: {key} by {partitions:?}"
        );
    }
    for key in other.map(sentinels).unwrap_or_default() {
        assert!(
            !is_allowed(&partitions, key),
            "{entity}: {key} by {partitions:?}"
        );
    }
    Ok(())
}

#[test]
fn roles_keep_the_unique_values_of_their_entities() -> Outcome {
    let desk = HelpDesk::schema();
    let agent = desk.place(&Agent {
        tenant: "t".into(),
        agent: "a".into(),
        email: "a#*@x".into(),
        away: false,
    })?;
    let customer = desk.place(&Customer {
        tenant: "t".into(),
        customer: Uuid::nil(),
        email: "a#*@x".into(),
    })?;
    check(desk.clone(), "Agent", &agent, Some(&customer))?;
    check(desk, "Customer", &customer, Some(&agent))
}

#[test]
fn hostile_names_of_unique_values_stand_for_themselves() -> Outcome {
    let table = HostileNames::schema();
    let (id, code) = (7, "c".to_owned());
    let hostile = table.place(&Hostile {
        id,
        code: code.clone(),
    })?;
    let neighbour = table.place(&Neighbour {
        id,
        code: code.clone(),
    })?;
    check(table.clone(), "Hostile", &hostile, Some(&neighbour))?;
    check(table, "Neighbour", &neighbour, Some(&hostile))?;
    let alone = Alone::schema();
    let place = alone.place(&Alone {
        id,
        code,
        number: 3,
    })?;
    assert_eq!(place.sentinels.len(), 2);
    check(alone, "Alone", &place, None)
}

#[test]
fn rows_of_other_programs_have_places_and_partitions() -> Outcome {
    let table = SharedValues::schema();
    let mail = "Ann@x".to_owned();
    let member = table.place(&Member {
        id: 1,
        mail: mail.clone(),
    })?;
    let guest = table.place(&Guest { id: 1, mail })?;
    assert_eq!(sentinels(&member), ["MAIL#ann@x"]);
    // The constants of the row are keys of an index.
    let [row] = &member.sentinels[..] else {
        return Err("one row".into());
    };
    assert!(row.index("by_kind").is_some_and(|place| place.is_ok()));
    check(table.clone(), "Member", &member, Some(&guest))?;
    check(table.clone(), "Guest", &guest, Some(&member))?;

    let unique = &table.entity("Member").ok_or("the entity")?.uniques[0];
    let row = unique.row.as_ref().ok_or("the row")?;
    assert_eq!(row.pk.to_string(), "\"MAIL#{mail:lower}\"");
    assert_eq!(row.constants.len(), 2);
    // Without a look-up, nothing is granted by its name.
    let named = Policy::new([table.clone()]).allow_pattern("Member.by_mail");
    assert!(named.document().is_err());
    assert_eq!(TableSchema::from_json(&table.to_json())?, table);
    let text = dynamo_entity::export::Markdown::new([table]).text();
    assert!(
        text.contains("`MAIL#{mail:lower}`") && !text.contains("Member::by_mail"),
        "{text}"
    );
    Ok(())
}
