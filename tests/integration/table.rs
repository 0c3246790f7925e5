//! Tables: created as declared, never changed, and compared with existing ones.

use dynamo_entity::aws_sdk_dynamodb::error::BuildError;
use dynamo_entity::aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndexDescription, GlobalSecondaryIndexUpdate,
    IndexStatus, KeySchemaElement, KeyType as KeyRole, Projection, ProjectionType,
    ScalarAttributeType, StreamViewType, TableDescription, TimeToLiveStatus,
};
use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{KeyType, ProjectionSchema, StreamView, TableSchema};

use crate::model::{Note, RequestCount, Session, Shop, note, order, user};
use crate::support::db::{Db, n, raw, s};
use crate::support::engine::Kind;
use crate::support::suite::{Gap, NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    keys_are_created_as_declared(Ticket, RequestCount, Note),
    indexes_are_created_as_declared(Ticket),
    a_ttl_is_switched_on(Session, Note),
    a_ttl_is_not_switched_on_for_a_table_that_is_there,
    a_stream_is_switched_on(Shop, Ticket, Note),
    creating_again_changes_nothing,
    eight_creators_at_once_agree,
    many_tables_are_created_at_once,
    a_table_that_is_there_is_kept_with_its_data(Note),
    every_difference_is_named(Ticket),
    all_differences_come_in_one_error(Note, Ticket),
    a_mismatch_creates_nothing(Note),
    more_than_declared_is_no_difference(Ticket),
    an_index_is_added_to_a_table_with_data,
    several_indexes_are_added,
    adding_what_is_there_changes_nothing(Ticket),
    two_may_add_at_once,
    an_index_that_comes_is_waited_for,
    an_index_that_goes_is_waited_for(Ticket),
    an_index_that_differs_is_not_touched(Ticket),
    indexes_need_a_table,
    multi_attribute_keys_are_created(Place) unless NO_MULTI_ATTRIBUTE_KEYS,
    a_multi_attribute_index_is_added unless NO_MULTI_ATTRIBUTE_KEYS,
    an_item_is_in_a_multi_attribute_index_when_whole(Place) unless NO_MULTI_ATTRIBUTE_KEYS,
    a_prefix_keeps_tables_apart,
    a_prefix_is_joined_by_a_dash,
    a_name_that_cannot_be_is_refused,
    one_table_twice_is_one_table(Note, Note),
    settings_are_those_of_a_new_table unless NO_SETTINGS,
    a_schema_with_all_settings_makes_a_table,
    a_table_has_one_declaration,
    two_entities_of_one_table_live_together(Shop),
];

/// The settings are asked for all the same, which a unit test of the library shows.
const NO_SETTINGS: Gap = Gap {
    engines: &[Kind::Embedded, Kind::OtherServer],
    why: "keeps no settings of tables",
};

async fn settings_are_those_of_a_new_table(db: Db) -> Outcome {
    let schema = Shop::schema().deletion_protection(true).provisioned(3, 4);
    db.create_tables([schema.infrequent_access().tag("team", "sales")])
        .await?;
    let table = describe(&db, &db.table::<Shop>()).await?;
    assert_eq!(table.deletion_protection_enabled, Some(true));
    let units = table.provisioned_throughput().ok_or("no units")?;
    assert_eq!(
        (units.read_capacity_units, units.write_capacity_units),
        (Some(3), Some(4))
    );
    for index in table.global_secondary_indexes() {
        let units = index.provisioned_throughput().ok_or("no units")?;
        assert_eq!(units.write_capacity_units, Some(4));
    }
    // Otherwise nobody can clean up.
    let update = db.client().update_table().table_name(db.table::<Shop>());
    update.deletion_protection_enabled(false).send().await?;
    Ok(())
}

/// A server without one of the settings makes the table without it.
async fn a_schema_with_all_settings_makes_a_table(db: Db) -> Outcome {
    let schema = Note::schema()
        .point_in_time_recovery(35)
        .infrequent_access();
    db.create_tables([schema.tag("team", "sales").provisioned(5, 5)])
        .await?;
    note("a", "b").put().send(&db).await?;
    Ok(())
}

async fn describe(db: &Db, name: &str) -> Result<TableDescription, Box<dyn std::error::Error>> {
    let described = db.client().describe_table().table_name(name).send().await?;
    described.table.ok_or_else(|| "no table".into())
}

fn key_names(keys: &[KeySchemaElement]) -> Vec<String> {
    keys.iter()
        .map(|key| format!("{} {}", key.attribute_name(), key.key_type()))
        .collect()
}

fn find<'t>(table: &'t TableDescription, name: &str) -> &'t GlobalSecondaryIndexDescription {
    let mut indexes = table.global_secondary_indexes().iter();
    indexes
        .find(|index| index.index_name() == Some(name))
        .expect("the index")
}

crate::declare! {
    entity Ticket(table = "tickets", key(pk = id, sk = no), stream = keys_only,
        gsi(by_owner, pk = owner, sk = rank, rename = "by-owner"),
        gsi(by_label, pk = "LABEL#{label}", project = keys), lsi(by_rank, sk = rank, project = [label]))
        { id: String, no: u64, owner: Option<Vec<u8>>, rank: Option<i32>, label: Option<String>,
          #[dynamo(ttl)] expires: Option<u64> }
}

async fn keys_are_created_as_declared(db: Db) -> Outcome {
    let table = describe(&db, &db.table::<Ticket>()).await?;
    assert_eq!(key_names(table.key_schema()), ["id HASH", "no RANGE"]);
    let mut types: Vec<String> = table
        .attribute_definitions()
        .iter()
        .map(|definition| {
            format!(
                "{} {}",
                definition.attribute_name(),
                definition.attribute_type()
            )
        })
        .collect();
    types.sort();
    assert_eq!(
        types,
        ["by_label_pk S", "id S", "no N", "owner B", "rank N"]
    );
    let table = describe(&db, &db.table::<Note>()).await?;
    assert_eq!(key_names(table.key_schema()), ["id HASH"]);
    Ok(())
}

async fn indexes_are_created_as_declared(db: Db) -> Outcome {
    let table = describe(&db, &db.table::<Ticket>()).await?;
    let owner = find(&table, "by-owner");
    assert_eq!(key_names(owner.key_schema()), ["owner HASH", "rank RANGE"]);
    let kind = |index: &GlobalSecondaryIndexDescription| {
        let projection = index.projection().expect("a projection");
        projection.projection_type().expect("its type").to_string()
    };
    assert_eq!(kind(owner), "ALL");
    let label = find(&table, "by_label");
    let projection = label.projection().ok_or("a projection")?;
    assert_eq!(kind(label), "INCLUDE");
    assert_eq!(projection.non_key_attributes(), ["_shape", "expires"]);
    let [rank] = table.local_secondary_indexes() else {
        return Err("one local index".into());
    };
    assert_eq!(key_names(rank.key_schema()), ["id HASH", "rank RANGE"]);
    let mut names = rank
        .projection()
        .ok_or("one")?
        .non_key_attributes()
        .to_vec();
    names.sort();
    assert_eq!(names, ["_shape", "expires", "label"]);
    Ok(())
}

async fn a_ttl_is_switched_on(db: Db) -> Outcome {
    let ttl = async |table: String| {
        let described = db.client().describe_time_to_live().table_name(table);
        let described = described.send().await.expect("an answer");
        let ttl = described.time_to_live_description.expect("a description");
        (ttl.time_to_live_status, ttl.attribute_name)
    };
    let (status, attribute) = ttl(db.table::<Session>()).await;
    assert_eq!(status, Some(TimeToLiveStatus::Enabled));
    assert_eq!(attribute.as_deref(), Some("expires_at"));
    let (status, attribute) = ttl(db.table::<Note>()).await;
    assert_eq!(
        (status, attribute),
        (Some(TimeToLiveStatus::Disabled), None)
    );
    Ok(())
}

async fn a_stream_is_switched_on(db: Db) -> Outcome {
    for (name, view) in [
        (db.table::<Shop>(), Some(StreamViewType::NewAndOldImages)),
        (db.table::<Ticket>(), Some(StreamViewType::KeysOnly)),
        (db.table::<Note>(), None),
    ] {
        let table = describe(&db, &name).await?;
        let stream = table.stream_specification();
        assert_eq!(
            stream.and_then(|stream| stream.stream_view_type()),
            view.as_ref(),
            "{name}"
        );
    }
    Ok(())
}

async fn creating_again_changes_nothing(db: Db) -> Outcome {
    let schemas = || [Shop::schema(), Ticket::schema(), Session::schema()];
    db.create_tables(schemas()).await?;
    let before = describe(&db, &db.table::<Ticket>()).await?;
    let (faulty, http) = db.faulty([]);
    faulty.create_tables(schemas()).await?;
    let calls = http.calls();
    assert!(
        calls.iter().all(|call| call.starts_with("Describe")),
        "{calls:?}"
    );
    let after = describe(&db, &db.table::<Ticket>()).await?;
    assert_eq!(before.creation_date_time(), after.creation_date_time());
    Ok(())
}

async fn eight_creators_at_once_agree(db: Db) -> Outcome {
    let creators: Vec<_> = (0..8)
        .map(|_| {
            let db = db.clone();
            let schemas = [Shop::schema(), Ticket::schema(), Session::schema()];
            tokio::spawn(async move { db.create_tables(schemas).await })
        })
        .collect();
    for creator in creators {
        creator.await??;
    }
    db.create_tables([Shop::schema(), Ticket::schema(), Session::schema()])
        .await?;
    user("u1").create().send(&db).await?;
    Ok(())
}

async fn many_tables_are_created_at_once(db: Db) -> Outcome {
    let schemas: Vec<TableSchema> = (0..12)
        .map(|number| {
            let mut schema = Note::schema();
            schema.name = format!("table-{number}");
            schema
        })
        .collect();
    db.create_tables(schemas).await?;
    for number in 0..12 {
        describe(&db, &format!("{}-table-{number}", db.prefix())).await?;
    }
    Ok(())
}

async fn a_table_that_is_there_is_kept_with_its_data(db: Db) -> Outcome {
    let note = note("n1", "x").create().send(&db).await?;
    db.create_tables([Note::schema(), Session::schema()])
        .await?;
    assert_eq!(note.key().get().consistent().send(&db).await?, Some(note));
    Ok(())
}

type Change = fn(&mut TableSchema);

async fn every_difference_is_named(db: Db) -> Outcome {
    let cases: [(&str, Change, &[&str]); 17] = [
        (
            "another pk",
            |t| t.pk.name = "key".into(),
            &["`id` (S)", "`key` (S)", "new table"],
        ),
        (
            "another type",
            |t| {
                t.pk.ty = KeyType::N;
                t.local_indexes[0].pk[0].ty = KeyType::N;
            },
            &["`id` (S)", "`id` (N)", "new table"],
        ),
        (
            "no sk",
            |t| {
                t.sk = None;
                t.local_indexes.clear();
            },
            &["`no` (N)", "new table"],
        ),
        (
            "a new gsi",
            |t| {
                let mut index = t.global_indexes[0].clone();
                index.name = "by_date".into();
                t.global_indexes.push(index);
            },
            &["`by_date` is missing", "add_indexes"],
        ),
        (
            "another gsi key",
            |t| t.global_indexes[0].pk[0].name = "boss".into(),
            &["by-owner", "`owner` (B)", "`boss` (B)", "cannot be changed"],
        ),
        (
            "another gsi sort key",
            |t| t.global_indexes[0].sk.clear(),
            &["by-owner", "`rank` (N)", "cannot be changed"],
        ),
        (
            "another gsi projection",
            |t| t.global_indexes[0].projection = ProjectionSchema::Keys,
            &["by-owner", "all attributes", "keys only"],
        ),
        (
            "a wider gsi projection",
            |t| t.global_indexes[1].projection = ProjectionSchema::All,
            &["by_label", "`expires`", "all attributes"],
        ),
        (
            "another list",
            |t| {
                let names = vec!["expires".into(), "owner".into()];
                t.global_indexes[1].projection = ProjectionSchema::Include(names);
            },
            &["by_label", "`owner`"],
        ),
        (
            "a new lsi",
            |t| {
                let mut index = t.local_indexes[0].clone();
                index.name = "by_date".into();
                t.local_indexes.push(index);
            },
            &["local index `by_date` is missing", "new table"],
        ),
        (
            "another lsi key",
            |t| t.local_indexes[0].sk[0].name = "date".into(),
            &["by_rank", "`rank` (N)", "`date` (N)"],
        ),
        (
            "a gsi for an lsi",
            |t| {
                let mut index = t.local_indexes.remove(0);
                index.pk = index.sk.clone();
                index.sk.clear();
                t.global_indexes.push(index);
            },
            &["by_rank", "global", "local", "another name"],
        ),
        (
            "an lsi for a gsi",
            |t| {
                let mut index = t.global_indexes.remove(0);
                index.pk = vec![t.pk.clone()];
                t.local_indexes.push(index);
            },
            &["by-owner", "global", "local", "another name"],
        ),
        (
            "another ttl",
            |t| t.ttl = Some("gone".into()),
            &["`expires`", "`gone`", "TTL"],
        ),
        (
            "no ttl",
            |t| t.ttl = None,
            &["`expires`", "no TTL", "#[dynamo(ttl)]"],
        ),
        (
            "another stream",
            |t| t.stream = Some(StreamView::NewImage),
            &["KeysOnly", "NewImage", "stream"],
        ),
        (
            "another old stream",
            |t| t.stream = Some(StreamView::OldImage),
            &["KeysOnly", "OldImage", "stream"],
        ),
    ];
    let table = db.table::<Ticket>();
    for (what, change, says) in cases {
        let mut schema = Ticket::schema();
        change(&mut schema);
        let refused = db.create_tables([schema]).await.expect_err(what);
        assert_eq!(
            refused.kind(),
            ErrorKind::SchemaMismatch,
            "{what}: {refused:?}"
        );
        assert_eq!(refused.stage(), Stage::Schema);
        let text = refused.to_string();
        for say in says.iter().chain(&[table.as_str()]) {
            assert!(text.contains(say), "{what}: no {say} in: {text}");
        }
    }
    db.create_tables([Ticket::schema()]).await?;
    Ok(())
}

async fn all_differences_come_in_one_error(db: Db) -> Outcome {
    let mut notes = Note::schema();
    notes.stream = Some(StreamView::NewImage);
    let mut tickets = Ticket::schema();
    tickets.pk.name = "key".into();
    tickets.ttl = None;
    let refused = db
        .create_tables([notes, tickets])
        .await
        .unwrap_err()
        .to_string();
    for say in [
        "notes",
        "the table has no stream",
        "tickets",
        "`key` (S)",
        "no TTL",
    ] {
        assert!(refused.contains(say), "no {say} in: {refused}");
    }
    Ok(())
}

async fn a_ttl_is_not_switched_on_for_a_table_that_is_there(db: Db) -> Outcome {
    let mut lasting = Session::schema();
    lasting.ttl = None;
    db.create_tables([lasting]).await?;
    let refused = db.create_tables([Session::schema()]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch);
    assert!(refused.to_string().contains("TTL"), "{refused}");
    let found = db
        .client()
        .describe_time_to_live()
        .table_name(db.table::<Session>())
        .send()
        .await?;
    let ttl = found.time_to_live_description.ok_or("a description")?;
    assert_eq!(ttl.attribute_name, None);
    Ok(())
}

async fn a_mismatch_creates_nothing(db: Db) -> Outcome {
    let mut notes = Note::schema();
    notes.pk.name = "key".into();
    let refused = db.create_tables([Session::schema(), notes]).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::SchemaMismatch);
    assert!(describe(&db, &db.table::<Session>()).await.is_err());
    Ok(())
}

async fn more_than_declared_is_no_difference(db: Db) -> Outcome {
    let mut less = Ticket::schema();
    less.global_indexes.clear();
    less.local_indexes.clear();
    less.stream = None;
    db.create_tables([less]).await?;
    Ok(())
}

/// The number of tickets of an owner, counted by the index.
async fn owned(db: &Db, owner: u8) -> Result<i32, Box<dyn std::error::Error>> {
    let query = db
        .client()
        .query()
        .table_name(db.table::<Ticket>())
        .index_name("by-owner");
    let query = query
        .key_condition_expression("#o = :o")
        .expression_attribute_names("#o", "owner")
        .expression_attribute_values(":o", AttributeValue::B(vec![owner].into()));
    Ok(query.send().await?.count())
}

fn tickets(count: u64) -> impl Iterator<Item = Ticket> {
    (0..count).map(|no| Ticket {
        id: "t".into(),
        no,
        owner: Some(vec![(no % 2) as u8]),
        rank: Some(1),
        label: None,
        expires: None,
    })
}

async fn an_index_is_added_to_a_table_with_data(db: Db) -> Outcome {
    let mut before = Ticket::schema();
    before
        .global_indexes
        .retain(|index| index.name != "by-owner");
    db.create_tables([before]).await?;
    for ticket in tickets(20) {
        ticket.create().send(&db).await?;
    }
    let refused = db.create_tables([Ticket::schema()]).await.unwrap_err();
    assert!(refused.to_string().contains("add_indexes"), "{refused}");
    db.add_indexes([Ticket::schema()]).await?;
    assert_active(&db, &["by-owner", "by_label"]).await?;
    assert_eq!(owned(&db, 1).await?, 10);
    db.create_tables([Ticket::schema()]).await?;
    Ok(())
}

async fn several_indexes_are_added(db: Db) -> Outcome {
    let mut before = Ticket::schema();
    before.global_indexes.clear();
    db.create_tables([before, Note::schema()]).await?;
    db.add_indexes([Note::schema(), Ticket::schema()]).await?;
    let table = describe(&db, &db.table::<Ticket>()).await?;
    assert_eq!(table.global_secondary_indexes().len(), 2);
    db.create_tables([Ticket::schema()]).await?;
    Ok(())
}

async fn adding_what_is_there_changes_nothing(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    faulty.add_indexes([Ticket::schema()]).await?;
    let calls = http.calls();
    assert!(
        calls.iter().all(|call| call.starts_with("Describe")),
        "{calls:?}"
    );
    Ok(())
}

async fn two_may_add_at_once(db: Db) -> Outcome {
    let mut before = Ticket::schema();
    before.global_indexes.clear();
    db.create_tables([before]).await?;
    let add = || db.add_indexes([Ticket::schema()]);
    let (first, second) = tokio::join!(add(), add());
    first?;
    second?;
    db.create_tables([Ticket::schema()]).await?;
    Ok(())
}

/// Panics unless exactly these indexes exist and are active.
async fn assert_active(db: &Db, names: &[&str]) -> Outcome {
    let table = describe(db, &db.table::<Ticket>()).await?;
    let mut found: Vec<_> = table.global_secondary_indexes().iter().collect();
    found.sort_by_key(|index| index.index_name());
    let found: Vec<_> = found
        .iter()
        .map(|index| (index.index_name(), index.index_status()))
        .collect();
    let active = |name| (Some(name), Some(&IndexStatus::Active));
    let active: Vec<_> = names.iter().copied().map(active).collect();
    assert_eq!(found, active);
    Ok(())
}

/// Creates an index like another program would, without waiting for it.
async fn begin_an_index_of_owners(db: &Db) -> Outcome {
    let key = |name: &str, role, ty| {
        let element = KeySchemaElement::builder()
            .attribute_name(name)
            .key_type(role);
        let attribute = AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(ty);
        Ok::<_, BuildError>((element.build()?, attribute.build()?))
    };
    let (owner, owner_is) = key("owner", KeyRole::Hash, ScalarAttributeType::B)?;
    let (rank, rank_is) = key("rank", KeyRole::Range, ScalarAttributeType::N)?;
    let all = Projection::builder().projection_type(ProjectionType::All);
    let index = CreateGlobalSecondaryIndexAction::builder()
        .index_name("by-owner")
        .key_schema(owner)
        .key_schema(rank)
        .projection(all.build());
    let update = GlobalSecondaryIndexUpdate::builder().create(index.build()?);
    let table = describe(db, &db.table::<Ticket>()).await?;
    db.client()
        .update_table()
        .table_name(db.table::<Ticket>())
        .set_attribute_definitions(table.attribute_definitions)
        .attribute_definitions(owner_is)
        .attribute_definitions(rank_is)
        .global_secondary_index_updates(update.build())
        .send()
        .await?;
    Ok(())
}

async fn an_index_that_comes_is_waited_for(db: Db) -> Outcome {
    let mut before = Ticket::schema();
    before.local_indexes.clear();
    before
        .global_indexes
        .retain(|index| index.name != "by-owner");
    db.create_tables([before]).await?;
    for ticket in tickets(20) {
        ticket.create().send(&db).await?;
    }
    begin_an_index_of_owners(&db).await?;
    let mut declared = Ticket::schema();
    declared.local_indexes.clear();
    db.create_tables([declared.clone()]).await?;
    assert_active(&db, &["by-owner", "by_label"]).await?;
    assert_eq!(owned(&db, 1).await?, 10);
    db.add_indexes([declared]).await?;
    Ok(())
}

async fn an_index_that_goes_is_waited_for(db: Db) -> Outcome {
    for ticket in tickets(20) {
        ticket.create().send(&db).await?;
    }
    let gone = DeleteGlobalSecondaryIndexAction::builder().index_name("by-owner");
    let gone = GlobalSecondaryIndexUpdate::builder().delete(gone.build()?);
    let update = db.client().update_table();
    let update = update.table_name(db.table::<Ticket>());
    let update = update.global_secondary_index_updates(gone.build());
    update.send().await?;
    db.add_indexes([Ticket::schema()]).await?;
    assert_active(&db, &["by-owner", "by_label"]).await?;
    assert_eq!(owned(&db, 1).await?, 10);
    Ok(())
}

async fn an_index_that_differs_is_not_touched(db: Db) -> Outcome {
    let mut other = Ticket::schema();
    other.global_indexes[0].sk.clear();
    let mut third = other.global_indexes[0].clone();
    third.name = "third".into();
    other.global_indexes.push(third);
    let refused = db.add_indexes([other]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch);
    let table = describe(&db, &db.table::<Ticket>()).await?;
    assert_eq!(table.global_secondary_indexes().len(), 2);
    Ok(())
}

async fn indexes_need_a_table(db: Db) -> Outcome {
    let refused = db.add_indexes([Ticket::schema()]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TableNotFound);
    let says = refused.to_string();
    assert!(
        says.contains(&db.table::<Ticket>()) && says.contains("create_tables"),
        "{says}"
    );
    Ok(())
}

crate::declare! {
    entity Place(table = "places", key(pk = id), gsi(by_city, pk = [country, state], sk = [city, zip]))
        { id: String, country: String, state: String, city: Option<String>, zip: u32 }
}

fn place(id: &str, city: Option<&str>) -> Place {
    Place {
        id: id.into(),
        country: "DE".into(),
        state: "BE".into(),
        city: city.map(str::to_owned),
        zip: 10_115,
    }
}

async fn multi_attribute_keys_are_created(db: Db) -> Outcome {
    let table = describe(&db, &db.table::<Place>()).await?;
    let keys = key_names(find(&table, "by_city").key_schema());
    assert_eq!(
        keys,
        ["country HASH", "state HASH", "city RANGE", "zip RANGE"]
    );
    db.create_tables([Place::schema()]).await?;
    let mut swapped = Place::schema();
    swapped.global_indexes[0].pk.reverse();
    db.create_tables([swapped]).await?;
    let mut other = Place::schema();
    other.global_indexes[0].sk.reverse();
    let refused = db.create_tables([other]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch);
    Ok(())
}

async fn a_multi_attribute_index_is_added(db: Db) -> Outcome {
    let mut before = Place::schema();
    before.global_indexes.clear();
    db.create_tables([before]).await?;
    place("p1", Some("Berlin")).create().send(&db).await?;
    db.add_indexes([Place::schema()]).await?;
    db.create_tables([Place::schema()]).await?;
    Ok(())
}

async fn an_item_is_in_a_multi_attribute_index_when_whole(db: Db) -> Outcome {
    place("p1", Some("Berlin")).create().send(&db).await?;
    place("p2", None).create().send(&db).await?;
    let query = db
        .client()
        .query()
        .table_name(db.table::<Place>())
        .index_name("by_city");
    let query = query
        .key_condition_expression("country = :c AND #s = :s")
        .expression_attribute_names("#s", "state")
        .expression_attribute_values(":c", s("DE"))
        .expression_attribute_values(":s", s("BE"));
    let found = query.send().await?;
    assert_eq!(found.count(), 1);
    assert_eq!(found.items()[0]["id"], s("p1"));
    Ok(())
}

async fn a_prefix_keeps_tables_apart(db: Db) -> Outcome {
    let other = Dynamo::clone(&db).with_prefix(format!("{}-other", db.prefix()));
    db.create_tables([Note::schema()]).await?;
    other.create_tables([Note::schema()]).await?;
    note("n1", "mine").create().send(&db).await?;
    assert_eq!(Note::key("n1").get().consistent().send(&other).await?, None);
    note("n1", "theirs").create().send(&other).await?;
    let found = Note::key("n1").get().consistent().send(&db).await?;
    assert_eq!(found, Some(note("n1", "mine")));
    Ok(())
}

async fn a_prefix_is_joined_by_a_dash(db: Db) -> Outcome {
    for (prefix, name) in [
        ("a", "a-notes"),
        ("b-", "b-notes"),
        ("c_", "c_notes"),
        ("d.", "d.notes"),
    ] {
        let prefixed = Dynamo::clone(&db).with_prefix(format!("{}-{prefix}", db.prefix()));
        prefixed.create_tables([Note::schema()]).await?;
        describe(&db, &format!("{}-{name}", db.prefix())).await?;
    }
    Ok(())
}

async fn a_name_that_cannot_be_is_refused(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    for name in ["a b", "ä", "", &"x".repeat(256)] {
        let mut schema = Note::schema();
        schema.name = name.into();
        let bare = faulty.clone().with_prefix("");
        let refused = bare.create_tables([schema]).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Config, "{name}");
    }
    let long = faulty.clone().with_prefix("x".repeat(250));
    let refused = long.create_tables([Note::schema()]).await.unwrap_err();
    assert!(refused.to_string().contains("prefix"), "{refused}");
    assert!(http.calls().is_empty());
    Ok(())
}

async fn one_table_twice_is_one_table(db: Db) -> Outcome {
    let mut other = Note::schema();
    other.ttl = Some("gone".into());
    let refused = db.create_tables([Note::schema(), other]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Config);
    assert!(
        refused.to_string().contains("two different declarations"),
        "{refused}"
    );
    Ok(())
}

async fn a_table_has_one_declaration(db: Db) -> Outcome {
    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "notes", key(pk = id))]
    struct Memo {
        id: String,
    }

    crate::declare! {
        table Board(name = "notes", pk = "id", entities(Page));
        table Wall(name = "notes", pk = "id", entities(Brick));
    }

    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = Board, key(pk = "PAGE#{number}"))]
    struct Page {
        number: u32,
    }

    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = Wall, key(pk = "BRICK#{number}"))]
    struct Brick {
        number: u32,
    }

    mod elsewhere {
        use dynamo_entity::prelude::*;

        #[derive(Debug, DynamoEntity)]
        #[dynamo(table = "notes", key(pk = id))]
        pub(super) struct Note {
            id: String,
        }
    }

    // Their schemas are equal, so the service could not tell the two apart.
    let all_at_once = [Memo::schema(), Note::schema(), Memo::schema()];
    let cases: [(&[TableSchema], &[&str]); 5] = [
        (
            &all_at_once,
            &[
                "`Memo` and `Note` both",
                "`notes` as their own table",
                "DynamoTable",
            ],
        ),
        (
            &[Note::schema(), Board::schema()],
            &[
                "`Note` declares",
                "`table = Board` on `Note`",
                "entities(..)",
            ],
        ),
        (
            &[Board::schema(), Note::schema()],
            &[
                "`Note` declares",
                "`table = Board` on `Note`",
                "entities(..)",
            ],
        ),
        (
            &[Board::schema(), Wall::schema()],
            &["`Board` and `Wall` both declare", "keep one"],
        ),
        (
            &[Note::schema(), elsewhere::Note::schema()],
            &["::model::Note` and", "elsewhere::Note`"],
        ),
    ];
    for (schemas, says) in cases {
        let schemas = [&[Session::schema()], schemas].concat();
        let refusals = [
            db.create_tables(schemas.clone()).await.unwrap_err(),
            db.add_indexes(schemas.clone()).await.unwrap_err(),
            db.truncate(schemas).even_on_aws().await.unwrap_err(),
        ];
        for refused in refusals {
            assert_eq!(refused.kind(), ErrorKind::Config, "{refused}");
            let text = refused.to_string();
            assert!(
                says.iter().all(|say| text.contains(say)),
                "{says:?}: {text}"
            );
        }
    }
    let tables = db.client().list_tables().send().await?;
    let own = |name: &&String| name.starts_with(db.prefix());
    assert_eq!(tables.table_names().iter().find(own), None);
    // With different names they are two tables.
    let mut memos = Memo::schema();
    memos.name = "memos".into();
    db.create_tables([Note::schema(), memos, Note::schema()])
        .await?;
    Ok(())
}

async fn two_entities_of_one_table_live_together(db: Db) -> Outcome {
    let ada = user("u1").create().send(&db).await?;
    let first = order("u1", 1).create().send(&db).await?;
    db.plant::<crate::model::Order>(raw([("pk", s("OTHER")), ("sk", s("x")), ("a", n(1))]))
        .await;
    let query = db.client().query().table_name(db.table::<Shop>());
    let query = query
        .key_condition_expression("pk = :pk")
        .expression_attribute_values(":pk", s("USER#u1"));
    assert_eq!(query.send().await?.count(), 2);
    ada.delete().send(&db).await?;
    assert_eq!(first.key().get().consistent().send(&db).await?, Some(first));
    Ok(())
}
