//! Bare keys, keys made of templates or constants, and values that do not fit a key.

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::Number;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;

use crate::model::{Note, Order, Shop, Status, User, UserId, note, order, user};
use crate::support::clock::moment;
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_bare_text_key_is_an_s(Note),
    a_bare_number_key_is_an_n(Reading),
    a_bare_binary_key_is_a_b(Blob),
    a_template_fills_derived_attributes(Shop),
    a_shared_table_stores_the_type(Shop, Note),
    a_constant_is_a_key(Setting),
    text_parts_never_run_into_each_other(Pair),
    a_prefix_of_a_part_is_another_key(Shop),
    keys_are_not_folded(Pair),
    equal_numbers_are_one_key(Reading),
    a_field_of_a_key_needs_no_attribute(Shop),
    nasty_texts_are_keys(Pair, Bare),
    index_keys_are_there_while_their_parts_are(Ticket),
    an_index_holds_while_its_condition_does(Shop),
    bare_index_keys_are_ordinary_attributes(Ticket),
    empty_text_is_refused,
    empty_binary_is_refused,
    the_longest_partition_key_is_accepted(Bare, Pair),
    the_longest_sort_key_is_accepted(Bare, Pair),
    escapes_count_for_the_length(Pair, Bare),
    a_number_wider_than_its_padding_is_refused(Shop),
    a_year_of_five_digits_is_refused(Event),
    a_value_that_is_not_a_number_is_refused(Float),
    an_empty_index_key_is_refused,
    a_long_index_key_is_refused(Ticket),
    a_key_has_the_least_of_its_limits,
];

crate::declare! { entity Reading(table = "readings", key(pk = sensor, sk = value)) { sensor: u64, value: Number } }

fn reading(sensor: u64, value: &str) -> Reading {
    Reading {
        sensor,
        value: value.parse().expect("a number"),
    }
}

crate::declare! {
    entity Blob(table = "blobs", key(pk = hash, sk = part)) { hash: Vec<u8>, part: [u8; 2], text: String }
    entity Pair(table = "pairs", key(pk = "PAIR#{left}", sk = "{right}")) { left: String, right: String }
}

fn pair(left: &str, right: &str) -> Pair {
    Pair {
        left: left.into(),
        right: right.into(),
    }
}

crate::declare! {
    entity Setting(table = "settings", key(pk = "SETTINGS", sk = "{month:month}#{no:04}"))
        { #[dynamo(rename = "day")] month: NaiveDate, no: u16 }
    entity Bare(table = "texts", key(pk = a, sk = b)) { a: String, b: String }
}

fn bare(a: &str, b: &str) -> Bare {
    Bare {
        a: a.into(),
        b: b.into(),
    }
}

crate::declare! {
    entity Event(table = "events", key(pk = "E#{at}")) { at: DateTime<Utc> }
    entity Ticket(table = "tickets", key(pk = id), gsi(by_owner, pk = owner, sk = rank),
        gsi(by_label, pk = "LABEL#{label}"))
        { id: String, owner: Option<String>, rank: Option<i32>, label: Option<String> }
}

fn ticket(id: &str) -> Ticket {
    Ticket {
        id: id.into(),
        owner: None,
        rank: None,
        label: None,
    }
}

async fn a_bare_text_key_is_an_s(db: Db) -> Outcome {
    note("n#1", "x").put().send(&db).await?;
    assert_eq!(db.stored(&Note::key("n#1")).await["id"], s("n#1"));
    Ok(())
}

async fn a_bare_number_key_is_an_n(db: Db) -> Outcome {
    let written = reading(u64::MAX, "-12345678901234567890123456789012345678");
    written.create().send(&db).await?;
    let stored = db.stored(&written.key()).await;
    assert_eq!(stored["sensor"], n(u64::MAX));
    assert_eq!(
        stored["value"],
        n("-12345678901234567890123456789012345678")
    );
    assert_eq!(stored.len(), 2);
    let key = Reading::key(u64::MAX, &written.value);
    assert_eq!(key.get().consistent().send(&db).await?, Some(written));
    Ok(())
}

async fn a_bare_binary_key_is_a_b(db: Db) -> Outcome {
    let blob = Blob {
        hash: vec![0, 255, 34, 92],
        part: [0, 1],
        text: "x".into(),
    };
    blob.create().send(&db).await?;
    let stored = db.stored(&blob.key()).await;
    assert_eq!(
        stored["hash"],
        AttributeValue::B(vec![0, 255, 34, 92].into())
    );
    let key = Blob::key(&blob.hash, [0, 1]);
    assert_eq!(key.get().consistent().send(&db).await?, Some(blob));
    Ok(())
}

async fn a_template_fills_derived_attributes(db: Db) -> Outcome {
    let order = order("u#1", 7).create().send(&db).await?;
    let stored = db.stored(&order.key()).await;
    assert_eq!(stored["pk"], s("USER#u%231"));
    assert_eq!(
        stored["sk"],
        s("ORDER#2024-05-06T07:08:09.500000000Z#00000007")
    );
    assert_eq!(stored["gsi1pk"], s("STATUS#Paid"));
    assert_eq!(stored["gsi1sk"], s("2024-05-06T07:08:09.500000000Z"));
    assert_eq!(stored["lsi1sk"], s("NOTE#gift"));
    assert_eq!(stored["user_id"], s("u#1"));
    assert!(!stored.contains_key("order_no"), "a skipped field");
    Ok(())
}

async fn a_shared_table_stores_the_type(db: Db) -> Outcome {
    let order = order("u1", 7).create().send(&db).await?;
    let ada = user("u1").put().send(&db).await?;
    let note = note("n1", "x").put().send(&db).await?;
    let types = |stored: crate::support::db::Raw| {
        let named = |value: &AttributeValue| [s("Order"), s("User"), s("Note")].contains(value);
        let mut values = stored.into_iter().filter(|(_, value)| named(value));
        values.next()
    };
    let of_order = types(db.stored(&order.key()).await).ok_or("a type")?;
    let of_user = types(db.stored(&ada.key()).await).ok_or("a type")?;
    assert_eq!((of_order.1, of_user.1), (s("Order"), s("User")));
    assert_eq!(of_order.0, of_user.0);
    assert_eq!(types(db.stored(&note.key()).await), None);
    Ok(())
}

async fn a_constant_is_a_key(db: Db) -> Outcome {
    let setting = Setting {
        month: NaiveDate::from_ymd_opt(2024, 2, 29).ok_or("a day")?,
        no: 3,
    };
    setting.create().send(&db).await?;
    let stored = db.stored(&setting.key()).await;
    assert_eq!(
        (&stored["pk"], &stored["sk"]),
        (&s("SETTINGS"), &s("2024-02#0003"))
    );
    assert_eq!(stored["day"], s("2024-02-29"));
    let month = dynamo_entity::key::YearMonth::new(2024, 2).ok_or("a month")?;
    let found = Setting::key(month, 3).get().consistent().send(&db).await?;
    assert_eq!(found, Some(setting));
    Ok(())
}

async fn text_parts_never_run_into_each_other(db: Db) -> Outcome {
    let pairs = [
        pair("a#b", "c"),
        pair("a", "b#c"),
        pair("a%23b", "c"),
        pair("a%", "#c"),
        pair("a$b", "c"),
        pair("a b", "c\"\\"),
    ];
    for pair in &pairs {
        pair.create().send(&db).await?;
    }
    for pair in pairs {
        assert_eq!(pair.key().get().consistent().send(&db).await?, Some(pair));
    }
    Ok(())
}

async fn a_prefix_of_a_part_is_another_key(db: Db) -> Outcome {
    user("1").create().send(&db).await?;
    assert_eq!(
        User::key(UserId("10".into()))
            .get()
            .consistent()
            .send(&db)
            .await?,
        None
    );
    user("10").create().send(&db).await?;
    assert_eq!(db.count::<Shop>().await, 2);
    Ok(())
}

async fn keys_are_not_folded(db: Db) -> Outcome {
    pair("Ab", "Cd").create().send(&db).await?;
    pair("ab", "cd").create().send(&db).await?;
    pair("Ab ", "Cd").create().send(&db).await?;
    pair("A\u{308}", "x").create().send(&db).await?;
    pair("\u{c4}", "x").create().send(&db).await?;
    assert_eq!(db.count::<Pair>().await, 5);
    Ok(())
}

async fn equal_numbers_are_one_key(db: Db) -> Outcome {
    reading(1, "1.10").create().send(&db).await?;
    let again = reading(1, "110e-2").create().send(&db).await;
    assert!(again.unwrap_err().is_already_exists());
    assert_eq!(reading(1, "1.1").key(), reading(1, "1.100").key());
    Ok(())
}

async fn a_field_of_a_key_needs_no_attribute(db: Db) -> Outcome {
    let (pk, sk) = (s("USER#u%231"), s("INFO"));
    let planted = user("u#1").create().send(&db).await?;
    let mut stored = db.stored(&planted.key()).await;
    assert_eq!((&stored["pk"], &stored["sk"]), (&pk, &sk));
    assert!(!stored.contains_key("user_id"));
    stored.retain(|name, _| ["pk", "sk", "name"].contains(&name.as_str()));
    db.plant::<User>(stored).await;
    assert_eq!(
        planted.key().get().consistent().send(&db).await?,
        Some(planted)
    );
    Ok(())
}

async fn nasty_texts_are_keys(db: Db) -> Outcome {
    for text in [
        "\u{0}",
        "\u{1}\u{1f}",
        "\u{7f}",
        "\u{ffff}",
        "\u{10ffff}",
        "\"",
        "\\",
        "\\u0041",
        "'",
        "/",
        "#",
        "%",
        "%23",
        "$",
        " ",
        "\n\r\t",
        "\u{2028}",
        "\u{feff}",
        "👩‍👩‍👧",
        "ß",
        "e\u{301}",
        "{",
        "}",
    ] {
        let pair = pair(text, text);
        pair.create().send(&db).await?;
        let key = Pair::key(text, text);
        assert_eq!(
            key.get().consistent().send(&db).await?,
            Some(pair),
            "{text:?}"
        );
        let bare = bare(text, text);
        bare.create().send(&db).await?;
        assert_eq!(db.stored(&bare.key()).await["a"], s(text));
        assert_eq!(
            bare.key().get().consistent().send(&db).await?,
            Some(bare),
            "{text:?}"
        );
    }
    Ok(())
}

async fn index_keys_are_there_while_their_parts_are(db: Db) -> Outcome {
    let labelled = Ticket {
        label: Some("a b".into()),
        ..ticket("t1")
    };
    labelled.put().send(&db).await?;
    let stored = db.stored(&labelled.key()).await;
    assert_eq!(stored["by_label_pk"], s("LABEL#a%20b"));
    for label in [None, Some(String::new())] {
        let unlabelled = Ticket {
            label,
            ..ticket("t1")
        };
        unlabelled.put().send(&db).await?;
        assert!(
            !db.stored(&unlabelled.key())
                .await
                .contains_key("by_label_pk")
        );
    }
    Ok(())
}

async fn an_index_holds_while_its_condition_does(db: Db) -> Outcome {
    let paid = order("u1", 7).create().send(&db).await?;
    assert!(db.stored(&paid.key()).await.contains_key("lsi1sk"));
    let sent = Order {
        status: Status::Shipped,
        ..paid
    };
    let sent = sent.put().send(&db).await?;
    let stored = db.stored(&sent.key()).await;
    assert!(!stored.contains_key("lsi1sk"));
    assert_eq!(stored["gsi1pk"], s("STATUS#sent"));
    Ok(())
}

async fn bare_index_keys_are_ordinary_attributes(db: Db) -> Outcome {
    let owned = Ticket {
        owner: Some("ada".into()),
        ..ticket("t1")
    };
    owned.create().send(&db).await?;
    let stored = db.stored(&owned.key()).await;
    assert_eq!(stored, raw([("id", s("t1")), ("owner", s("ada"))]));
    assert_eq!(owned.key().get().consistent().send(&db).await?, Some(owned));
    Ok(())
}

/// Panics unless every verb refuses the entity without sending anything.
async fn is_refused<E: ChangeableEntity>(
    db: &Db,
    entity: E,
    key: &str,
    part: impl Into<Option<&'static str>>,
    says: &str,
) {
    let part = part.into();
    let (faulty, http) = db.faulty([]);
    let refusals = [
        entity.create().send(&faulty).await.err(),
        entity.put().send(&faulty).await.err(),
        entity.delete().send(&faulty).await.err(),
        entity.key().get().send(&faulty).await.err(),
        entity.key().delete().send(&faulty).await.err(),
        entity.key().to_item().err(),
        entity.to_item().err(),
    ];
    for (verb, refusal) in refusals.into_iter().enumerate() {
        let Some(refusal) = refusal else {
            panic!("verb {verb} took it");
        };
        assert_eq!(refusal.kind(), ErrorKind::InvalidKey, "{refusal:?}");
        assert_eq!(refusal.stage(), Stage::Key);
        assert_eq!(
            refusal.entity(),
            std::any::type_name::<E>().rsplit("::").next()
        );
        assert_eq!(refusal.key_attribute(), Some(key));
        assert_eq!(refusal.attribute(), part);
        assert!(refusal.to_string().contains(says), "{refusal}");
    }
    assert!(http.calls().is_empty(), "{:?}", http.calls());
}

async fn empty_text_is_refused(db: Db) -> Outcome {
    is_refused(&db, bare("", "b"), "a", "a", "empty").await;
    is_refused(&db, bare("a", ""), "b", "b", "empty").await;
    is_refused(&db, pair("", "x"), "pk", "left", "empty").await;
    is_refused(&db, pair("x", ""), "sk", "right", "empty").await;
    Ok(())
}

async fn empty_binary_is_refused(db: Db) -> Outcome {
    let blob = Blob {
        hash: Vec::new(),
        part: [0; 2],
        text: "x".into(),
    };
    is_refused(&db, blob, "hash", "hash", "empty").await;
    Ok(())
}

async fn the_longest_partition_key_is_accepted(db: Db) -> Outcome {
    let longest = bare(&"ä".repeat(1024), "b");
    longest.create().send(&db).await?;
    assert_eq!(
        longest.key().get().consistent().send(&db).await?,
        Some(longest)
    );
    let longest = pair(&"x".repeat(2048 - "PAIR#".len()), "b");
    longest.create().send(&db).await?;
    assert_eq!(
        longest.key().get().consistent().send(&db).await?,
        Some(longest)
    );
    is_refused(&db, bare(&"x".repeat(2049), "b"), "a", "a", "2048").await;
    let longer = pair(&"x".repeat(2049 - "PAIR#".len()), "b");
    is_refused(&db, longer, "pk", None, "2048").await;
    Ok(())
}

async fn the_longest_sort_key_is_accepted(db: Db) -> Outcome {
    let longest = bare("a", &"ä".repeat(512));
    longest.create().send(&db).await?;
    assert_eq!(
        longest.key().get().consistent().send(&db).await?,
        Some(longest)
    );
    pair("a", &"x".repeat(1024)).create().send(&db).await?;
    is_refused(&db, bare("a", &"x".repeat(1025)), "b", "b", "1024").await;
    is_refused(&db, pair("a", &"x".repeat(1025)), "sk", None, "1024").await;
    Ok(())
}

async fn escapes_count_for_the_length(db: Db) -> Outcome {
    // Each `%` takes three bytes, and the `x` one more.
    pair("a", &format!("{}x", "%".repeat(341)))
        .create()
        .send(&db)
        .await?;
    let longer = pair("a", &"%".repeat(342));
    is_refused(&db, longer, "sk", None, "1024").await;
    // Escapes in JSON do not count for the length of a key.
    bare("a", &"\u{1}".repeat(1024)).create().send(&db).await?;
    Ok(())
}

async fn a_number_wider_than_its_padding_is_refused(db: Db) -> Outcome {
    order("u1", 99_999_999).create().send(&db).await?;
    is_refused(&db, order("u1", 100_000_000), "sk", "order_no", "8 digits").await;
    Ok(())
}

async fn a_year_of_five_digits_is_refused(db: Db) -> Outcome {
    let last = moment("9999-12-31T23:59:59.999999999Z");
    Event { at: last }.create().send(&db).await?;
    let at = last + chrono::TimeDelta::nanoseconds(1);
    is_refused(&db, Event { at }, "pk", "at", "0000 to 9999").await;
    let at = moment("0000-01-01T00:00:00Z") - chrono::TimeDelta::nanoseconds(1);
    is_refused(&db, Event { at }, "pk", "at", "0000 to 9999").await;
    Ok(())
}

crate::declare! { entity Float(table = "floats", key(pk = value)) { value: f64 } }

async fn a_value_that_is_not_a_number_is_refused(db: Db) -> Outcome {
    Float { value: 0.1 }.create().send(&db).await?;
    assert_eq!(
        db.stored(&Float { value: 0.1 }.key()).await["value"],
        n("0.1")
    );
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        is_refused(&db, Float { value }, "value", "value", "finite").await;
    }
    Ok(())
}

async fn an_empty_index_key_is_refused(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let empty = Ticket {
        owner: Some(String::new()),
        ..ticket("t1")
    };
    let refused = empty.create().send(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    assert_eq!(
        (refused.key_attribute(), refused.attribute()),
        (Some("owner"), Some("owner"))
    );
    assert!(http.calls().is_empty());
    Ok(())
}

async fn a_long_index_key_is_refused(db: Db) -> Outcome {
    let labelled = |length: usize| Ticket {
        label: Some("x".repeat(length - "LABEL#".len())),
        ..ticket("t1")
    };
    labelled(2048).create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let refused = labelled(2049).put().send(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    assert_eq!(refused.key_attribute(), Some("by_label_pk"));
    assert!(http.calls().is_empty());
    Ok(())
}

crate::declare! {
    /// An entity whose partition key is also the sort key of an index.
    entity Turned(table = "turned", key(pk = id), gsi(by_kind, pk = kind, sk = id)) { id: String, kind: String }
    /// An entity whose index keys are also sort keys, or parts of keys with several attributes, in other indexes.
    entity Chained(table = "chained", key(pk = id), gsi(first, pk = a, sk = b), gsi(second, pk = b, sk = a),
        gsi(third, pk = [c, a], sk = [d]), gsi(fourth, pk = d, sk = c), gsi(fifth, pk = e))
        { id: String, a: Option<String>, b: Option<String>, c: Option<String>, d: Option<String>, e: Option<String> }
    /// A shared table with the usual inverted index, which has the table's keys the other way round.
    table Mirror(name = "mirror", pk = "pk", sk = "sk", entities(Side, Front), gsi(inverted, pk = "sk", sk = "pk"),
        gsi(other, pk = "g1", sk = "g2"), gsi(back, pk = "g2", sk = "g3"));
    entity Side(table = Mirror, key(pk = "SIDE#{id}", sk = "S"), gsi(other, pk = "O#{x}", sk = "{y}"),
        unique(by_y, y)) { id: String, x: Option<String>, y: Option<String> }
    /// This entity does not use the index that limits the length of its key.
    entity Front(table = Mirror, key(pk = pk, sk = "BARE"), gsi(back, pk = g2, sk = "B"))
        { pk: String, g2: Option<String> }
}

async fn a_key_has_the_least_of_its_limits(db: Db) -> Outcome {
    let text = |bytes: usize| "x".repeat(bytes);
    let refused = |error: Error, key: &str, bytes: usize| {
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{error:?}");
        assert_eq!(error.key_attribute(), Some(key), "{error:?}");
        let says = format!("the key has {bytes} bytes, DynamoDB allows 1024");
        assert!(error.to_string().contains(&says), "{error}");
    };
    db.create_tables([Turned::schema(), Mirror::schema()])
        .await?;
    let turned = |bytes| Turned {
        id: text(bytes),
        kind: text(2048),
    };
    turned(1024).put().send(&db).await?;
    refused(turned(1025).put().send(&db).await.unwrap_err(), "id", 1025);
    let get = Turned::key(text(1025)).get().send(&db).await;
    refused(get.unwrap_err(), "id", 1025);

    let chained = |a, b, c, d, e| Chained {
        id: text(2048),
        a: Some(text(a)),
        b: Some(text(b)),
        c: Some(text(c)),
        d: Some(text(d)),
        e: Some(text(e)),
    };
    chained(1024, 1024, 1024, 1024, 2048).put().explain(&db)?;
    for (key, long) in [
        ("a", chained(1025, 1, 1, 1, 1)),
        ("b", chained(1, 1025, 1, 1, 1)),
        ("c", chained(1, 1, 1025, 1, 1)),
        ("d", chained(1, 1, 1, 1025, 1)),
    ] {
        refused(long.put().explain(&db).unwrap_err(), key, 1025);
    }
    let update = Chained::key("x").update().apply(|c| c.b().set(text(1025)));
    let error = update.explain(&db).unwrap_err();
    assert_eq!(
        (error.kind(), error.attribute()),
        (ErrorKind::InvalidKey, Some("b"))
    );

    let side = |id, x, y| Side {
        id: text(id),
        x: Some(text(x)),
        y: Some(text(y)),
    };
    side(1019, 2046, 900).put().send(&db).await?;
    refused(
        side(1020, 1, 1).put().send(&db).await.unwrap_err(),
        "pk",
        1025,
    );
    refused(
        side(1, 1, 1025).put().send(&db).await.unwrap_err(),
        "g2",
        1025,
    );
    // The sentinel of a unique value has the value in its partition key.
    let unique = side(1, 1, 1020).create().send(&db).await.unwrap_err();
    assert_eq!(
        (unique.kind(), unique.key_attribute()),
        (ErrorKind::InvalidKey, Some("pk"))
    );
    let bare = |pk, g2| Front {
        pk: text(pk),
        g2: Some(text(g2)),
    };
    bare(1024, 1024).put().send(&db).await?;
    refused(bare(1025, 1).put().send(&db).await.unwrap_err(), "pk", 1025);
    refused(bare(1, 1025).put().send(&db).await.unwrap_err(), "g2", 1025);
    Ok(())
}
