//! The check of the gate over bodies as the library writes them, and over others.

use super::*;
use crate::json::Writer;
use crate::schema::{
    EntitySchema, IndexSchema, KeyAttribute, KeyContent, KeySchema, KeyType, LargeSchema,
    PartSchema, Pattern, PieceSchema, TableSchema, UniqueRowSchema, UniqueSchema,
    VectorIndexSchema,
};
use crate::wire::Resend;
use crate::wire::gate::Gate;

static PATTERN: Pattern = Pattern::alone("Test", "test");

fn key(name: &str) -> KeyAttribute {
    KeyAttribute {
        name: name.into(),
        ty: KeyType::S,
    }
}

fn part(field: &str) -> PieceSchema {
    PieceSchema::Part(PartSchema {
        field: field.into(),
        ..PartSchema::default()
    })
}

fn template(attribute: &str, pieces: Vec<PieceSchema>) -> KeySchema {
    KeySchema {
        attribute: attribute.into(),
        ty: KeyType::S,
        content: KeyContent::Template(pieces),
    }
}

fn text(text: &str) -> PieceSchema {
    PieceSchema::Text(text.into())
}

/// A table with keys `ORG#{org}#{id}`, unique values of `email` and `org`, and an index without a pattern.
fn schema() -> TableSchema {
    let entity = EntitySchema {
        name: "User".into(),
        stored_name: "User".into(),
        pk: template("pk", vec![text("ORG#"), part("org"), text("#"), part("id")]),
        uniques: vec![UniqueSchema {
            name: "by_email".into(),
            stored: "email,org".into(),
            parts: ["email", "org"]
                .map(|field| PartSchema {
                    field: field.into(),
                    ..PartSchema::default()
                })
                .into(),
            ..UniqueSchema::default()
        }],
        ..EntitySchema::default()
    };
    TableSchema {
        global_indexes: vec![IndexSchema {
            name: "gsi1".into(),
            pk: vec![key("gsi1pk")],
            ..IndexSchema::default()
        }],
        type_attribute: Some("_type".into()),
        tenant: Some("org".into()),
        entities: vec![entity],
        ..TableSchema::bare("shop".into(), key("pk"))
    }
}

fn rule(tenant: &str) -> TenantRule {
    let table = TenantTable::of_schema(&schema(), "shop".into()).unwrap();
    TenantRule::new([table].into(), tenant).unwrap()
}

fn is_admitted(tenant: &str, operation: ServiceOperation, body: &str) -> bool {
    let mut writer = Writer::for_request(body.len());
    writer.push_raw(body);
    let request = Request::new(operation, &PATTERN, "shop".into(), writer, Resend::Always);
    match rule(tenant).check_request(&request) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::OutsideTenant);
            false
        }
    }
}

fn get(tenant: &str, pk: &str) -> bool {
    let mut key = Writer::default();
    key.text(pk);
    let key = String::from_utf8(key.into_bytes()).unwrap();
    let body = format!(r#"{{"TableName":"shop","Key":{{"pk":{key}}}}}"#);
    is_admitted(tenant, ServiceOperation::GetItem, &body)
}

#[test]
fn the_whole_first_part_is_compared() {
    for (tenant, pk, expected) in [
        ("acme", "ORG#acme#7", true),
        ("acme", "ORG#acme", true),
        ("acme", "ORG#acme2#7", false),
        ("acme", "ORG#acm#7", false),
        ("acme", "ORG#ACME#7", false),
        ("acme", "ORG##acme", false),
        ("acme", "acme#7", false),
        ("acme", "", false),
        ("a#b", "ORG#a%23b#7", true),
        ("a#b", "ORG#a#b#7", false),
        ("a", "ORG#a%23b#7", false),
        ("a%23b", "ORG#a%23b#7", false),
        ("a%23b", "ORG#a%2523b#7", true),
        ("acme", "$UNIQUE#User#email,org#a@x#acme", true),
        ("acme", "$UNIQUE#User#email,org#acme#globex", false),
        ("acme", "$UNIQUE#User#email,org#acme", false),
        ("acme", "$UNIQUE#Guest#email,org#a@x#acme", false),
    ] {
        assert_eq!(get(tenant, pk), expected, "{tenant} {pk}");
    }
    assert!(TenantRule::new([].into(), "").is_err());
}

/// A key belongs to at most one tenant, and each tenant has its own.
#[test]
fn no_key_belongs_to_two_tenants() {
    const PARTS: [&str; 20] = [
        "a", "A", "acme", "acme2", "#", "%", "%23", "*", "?", "$", "\0", "\u{1f}", " ", "ORG#",
        "$UNIQUE#", "ä", "a\u{308}", "\u{430}", "\\\"", "\n",
    ];
    let mut random = fastrand::Rng::with_seed(68);
    let mut name = || -> String {
        let length = random.usize(1..4);
        (0..length)
            .map(|_| PARTS[random.usize(..PARTS.len())])
            .collect()
    };
    for _ in 0..crate::random_cases(100_000) {
        let (own, other) = (name(), name());
        let mut escaped = Vec::new();
        escape_part(&own, Style::Escaped, &mut escaped);
        let escaped = String::from_utf8(escaped).unwrap();
        for pk in [
            format!("ORG#{escaped}#1"),
            format!("ORG#{escaped}"),
            format!("$UNIQUE#User#email,org#{escaped}#{escaped}"),
        ] {
            assert!(get(&own, &pk), "{own:?}");
            assert_eq!(get(&other, &pk), own == other, "{own:?} {other:?}");
        }
    }
}

#[test]
fn every_key_of_a_request_is_compared() {
    use ServiceOperation::{
        BatchGetItem, BatchWriteItem, PutItem, Query, Scan, TransactWriteItems, UpdateItem,
    };
    let own = r#""pk":{"S":"ORG#acme#1"}"#;
    let foreign = r#""pk":{"S":"ORG#globex#1"}"#;
    let query = |start: &str, condition: &str| {
        format!(
            r##"{{"TableName":"shop","KeyConditionExpression":"{condition}","ExpressionAttributeNames":{{"#0":"pk","#1":"sk"}},"ExpressionAttributeValues":{{":0":{{"S":"ORG#acme#1"}},":1":{{"S":"ORG#globex#1"}}}},"ExclusiveStartKey":{{{start}}}}}"##
        )
    };
    for (operation, body, expected) in [
        (
            PutItem,
            format!(r#"{{"TableName":"shop","Item":{{{own},"gsi1pk":{{"S":"acme"}}}}}}"#),
            false,
        ),
        (
            PutItem,
            format!(r#"{{"TableName":"shop","Item":{{{own},"x":{{"S":"globex"}}}}}}"#),
            true,
        ),
        (
            PutItem,
            format!(r#"{{"TableName":"shop","Item":{{{own},{foreign}}}}}"#),
            false,
        ),
        (
            PutItem,
            r#"{"TableName":"shop","Item":{"x":{"S":"acme"}}}"#.into(),
            false,
        ),
        (
            PutItem,
            format!(r#"{{"TableName":"other","Item":{{{own}}}}}"#),
            false,
        ),
        (
            PutItem,
            r#"{"TableName":"shop","Item":{"pk":{"B":"T1JH"}}}"#.into(),
            false,
        ),
        (PutItem, "{}".into(), false),
        (Query, query(own, "#0 = :0"), true),
        (Query, query(own, "#0 = :0 AND #1 BETWEEN :0 AND :1"), true),
        (Query, query(own, "#0 = :1"), false),
        (Query, query(own, "#1 = :0"), false),
        (Query, query(foreign, "#0 = :0"), false),
        (
            Query,
            query(own, "#0 = :0").replace("\"KeyC", "\"IndexName\":\"gsi9\",\"KeyC"),
            false,
        ),
        (Scan, r#"{"TableName":"shop"}"#.into(), false),
        (
            BatchGetItem,
            format!(r#"{{"RequestItems":{{"shop":{{"Keys":[{{{own}}}]}}}}}}"#),
            true,
        ),
        (
            BatchGetItem,
            format!(r#"{{"RequestItems":{{"shop":{{"Keys":[{{{own}}},{{{foreign}}}]}}}}}}"#),
            false,
        ),
        (
            BatchWriteItem,
            format!(
                r#"{{"RequestItems":{{"shop":[{{"PutRequest":{{"Item":{{{own}}}}}}},{{"DeleteRequest":{{"Key":{{{foreign}}}}}}}]}}}}"#
            ),
            false,
        ),
        (
            TransactWriteItems,
            format!(
                r#"{{"TransactItems":[{{"Put":{{"TableName":"shop","Item":{{{own}}}}}}},{{"ConditionCheck":{{"TableName":"shop","Key":{{{foreign}}}}}}}]}}"#
            ),
            false,
        ),
        (
            TransactWriteItems,
            format!(r#"{{"TransactItems":[{{"Put":{{"Item":{{{own}}}}}}}]}}"#),
            false,
        ),
        (
            UpdateItem,
            format!(r#"{{"TableName":"shop","Key":{{{foreign}}}}}"#),
            false,
        ),
    ] {
        let operation_name = operation.operation_name();
        assert_eq!(
            is_admitted("acme", operation, &body),
            expected,
            "{operation_name} {body}"
        );
    }
}

#[test]
fn updates_set_index_keys_of_the_tenant_only() {
    let mut schema = schema();
    schema.entities[0].patterns = vec![crate::schema::PatternSchema {
        index: "gsi1".into(),
        pk: vec![template("gsi1pk", vec![part("org")])],
        ..crate::schema::PatternSchema::default()
    }];
    let table = TenantTable::of_schema(&schema, "shop".into()).unwrap();
    let rule = TenantRule::new([table].into(), "acme").unwrap();
    for (update, expected) in [
        ("SET #0 = :0", true),
        ("SET #1 = :1, #0 = :0 REMOVE #1", true),
        ("SET #1 = :1", true),
        ("REMOVE #0", true),
        ("SET #1 = if_not_exists(#1, :1), #0 = :0", true),
        ("SET #0 = :1", false),
        ("SET #1 = if_not_exists(#1, :1), #0 = :1", false),
        ("SET #0 = if_not_exists(#0, :0)", false),
        ("SET #0 = #1", false),
        ("SET #0 = :0 + :0", false),
        ("SET #0.#1 = :0", false),
        ("ADD #0 :0", false),
        ("SET #1 = :1 ADD #0 :0", false),
        ("SET gsi1pk = :1", false),
    ] {
        let body = format!(
            r##"{{"TableName":"shop","Key":{{"pk":{{"S":"ORG#acme#1"}}}},"UpdateExpression":"{update}","ExpressionAttributeNames":{{"#0":"gsi1pk","#1":"x"}},"ExpressionAttributeValues":{{":0":{{"S":"acme"}},":1":{{"S":"globex"}}}}}}"##
        );
        let mut writer = Writer::for_request(body.len());
        writer.push_raw(&body);
        let operation = ServiceOperation::UpdateItem;
        let request = Request::new(operation, &PATTERN, "shop".into(), writer, Resend::Always);
        assert_eq!(rule.check_request(&request).is_ok(), expected, "{update}");
    }
}

/// A schema may come from JSON, which no compiler has checked.
#[test]
fn schemas_without_the_rule_are_rejected() {
    let refused = |change: fn(&mut TableSchema)| {
        let mut changed = schema();
        change(&mut changed);
        TenantTable::of_schema(&changed, "shop".into()).unwrap_err()
    };
    let changes: [fn(&mut TableSchema); 8] = [
        |table| table.tenant = None,
        |table| table.style = Style::Verbatim('#'),
        |table| table.entities[0].pk = template("pk", vec![text("ORG#"), part("id")]),
        |table| table.entities[0].pk = template("pk", vec![part("org"), part("id")]),
        |table| table.entities[0].pk = template("pk", vec![part("org"), text("-")]),
        |table| {
            table.entities[0].uniques[0].parts.pop();
        },
        |table| {
            table.entities[0].fields.push(crate::schema::FieldSchema {
                name: "other".into(),
                attribute: Some("gsi1pk".into()),
                ..crate::schema::FieldSchema::default()
            })
        },
        |table| {
            let mut other = table.entities[0].clone();
            other.pk = template("pk", vec![text("ORG#OLD#"), part("org")]);
            table.entities.push(other);
        },
    ];
    for change in changes {
        assert_eq!(refused(change).kind(), ErrorKind::Config);
    }
}

/// A field `org` with the attribute `org`, and a vector index with this `within`.
fn schema_with_vectors(within: Option<&str>) -> TableSchema {
    let mut schema = schema();
    for name in ["org", "language"] {
        schema.entities[0].fields.push(crate::schema::FieldSchema {
            name: name.into(),
            attribute: Some(name.into()),
            ..crate::schema::FieldSchema::default()
        });
    }
    schema.vector_indexes = vec![VectorIndexSchema {
        name: "similar".into(),
        within: within.map(key),
        ..VectorIndexSchema::default()
    }];
    schema
}

#[test]
fn vector_indexes_have_partitions_of_the_tenant() {
    for within in [None, Some("language")] {
        let schema = schema_with_vectors(within);
        let error = TenantTable::of_schema(&schema, "shop".into()).err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("`within = org`"), "{within:?} {message}");
    }
    let table = TenantTable::of_schema(&schema_with_vectors(Some("org")), "shop".into()).unwrap();
    let rule = TenantRule::new([table].into(), "acme").unwrap();
    for (org, expected) in [("acme", true), ("globex", false), ("acme2", false)] {
        let body = format!(
            r#"{{"TableName":"shop","Item":{{"pk":{{"S":"ORG#acme#1"}},"org":{{"S":"{org}"}}}}}}"#
        );
        let mut writer = Writer::for_request(body.len());
        writer.push_raw(&body);
        let operation = ServiceOperation::PutItem;
        let request = Request::new(operation, &PATTERN, "shop".into(), writer, Resend::Always);
        assert_eq!(rule.check_request(&request).is_ok(), expected, "{org}");
    }
}

#[test]
fn a_gate_keeps_its_rule() {
    let body = r#"{"TableName":"shop","Item":{"pk":{"S":"ORG#acme#1"},"gsi1pk":{"S":"globex"}}}"#;
    let mut writer = Writer::for_request(body.len());
    writer.push_raw(body);
    let operation = ServiceOperation::PutItem;
    let request = Request::new(operation, &PATTERN, "shop".into(), writer, Resend::Always);

    let mut older = schema();
    older.global_indexes.clear();
    let older = TenantTable::of_schema(&older, "shop".into()).unwrap();
    let older = TenantRule::new([older].into(), "acme").unwrap();
    let gate = Gate::default().for_tenant(rule("acme")).unwrap();
    assert!(gate.admit_request(&request).is_err());
    let gate = gate.for_tenant(older).unwrap();
    assert!(gate.admit_request(&request).is_err());
    assert!(gate.for_tenant(rule("globex")).is_err());
}

#[test]
fn two_declarations_of_a_table_are_equal() {
    let of_names = |changed: TableSchema, name: &str| {
        let both = [("shop".to_owned(), schema()), (name.to_owned(), changed)];
        TenantTable::of_schemas(both.into_iter())
    };
    assert_eq!(of_names(schema(), "shop").unwrap().len(), 1);
    let mut other = schema();
    other.global_indexes.clear();
    assert_eq!(of_names(other.clone(), "other").unwrap().len(), 2);
    let error = of_names(other, "shop").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

/// The keys of these rows are not compared yet.
#[test]
fn tables_with_other_rows_are_rejected() {
    let rejected = |change: fn(&mut EntitySchema)| {
        let mut schema = schema();
        change(&mut schema.entities[0]);
        let error = TenantTable::of_schema(&schema, "shop".into()).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    let message = rejected(|entity| entity.large.push(LargeSchema::default()));
    assert!(message.contains("lists or blobs"), "{message}");
    let message = rejected(|entity| {
        entity.uniques[0].row = Some(UniqueRowSchema {
            pk: template("pk", vec![part("org")]),
            ..UniqueRowSchema::default()
        });
    });
    assert!(message.contains("another program"), "{message}");
    let message = rejected(|entity| {
        entity.uniques[0].parts.pop();
    });
    assert!(message.contains("does not contain `org`"), "{message}");
}
