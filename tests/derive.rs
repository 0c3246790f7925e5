//! Tests of generated code that need more than a round trip.

#![allow(
    clippy::duplicated_attributes,
    reason = "two indexes may have one constant partition"
)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

fn names(item: &Item) -> Vec<&str> {
    let mut names: Vec<&str> = item.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    match item.get(name) {
        Some(dynamo_entity::Value::S(text)) => text,
        other => unreachable!("{name}: {other:?}"),
    }
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "posts", key(pk = id))]
#[dynamo(gsi(by_created, pk = "ALL", sk = "{created_at}"))]
#[dynamo(gsi(by_updated, pk = "ALL", sk = "{updated_at:ms}"))]
#[dynamo(gsi(by_expiry, pk = "ALL", sk = "{expires_at}"))]
struct Post {
    id: String,
    #[dynamo(created_at)]
    created_at: Option<SystemTime>,
    #[dynamo(updated_at)]
    updated_at: Option<SystemTime>,
    #[dynamo(ttl)]
    expires_at: Option<SystemTime>,
}

/// The key of an index over a managed field holds the stored value, not the value that the struct held before.
#[tokio::test]
async fn index_keys_of_managed_fields_are_those_stored() -> Result<()> {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Post::schema()]).await?;
    let post = Post {
        id: "a".into(),
        created_at: None,
        updated_at: Some(UNIX_EPOCH),
        expires_at: Some(UNIX_EPOCH + Duration::new(4_000_000_000, 5)),
    };
    let stored = post.create().send(&db).await?;
    let row = db
        .client()
        .get_item()
        .table_name("posts")
        .key("id", AttributeValue::S("a".into()))
        .send()
        .await
        .unwrap();
    let row = Item::from(row.item.unwrap());
    assert_eq!(text(&row, "by_created_sk"), text(&row, "created_at"));
    let to_millis = text(&row, "updated_at")[..23].to_owned();
    assert_eq!(text(&row, "by_updated_sk")[..23], to_millis);
    assert_eq!(text(&row, "by_expiry_sk"), "2096-10-02T07:06:40.000000000Z");
    assert_eq!(stored.to_item()?, row);
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "shared", pk = "pk", sk = "sk", entities(Task))]
#[dynamo(
    gsi(gsi1, pk = "g1pk", sk = "g1sk"),
    gsi(gsi2, pk = "g1pk", sk = "g2sk")
)]
#[dynamo(gsi(inverted, pk = "sk", sk = "pk"))]
struct Shared;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shared, key(pk = "TASK#{id}", sk = "OF#{owner}"))]
#[dynamo(gsi(by_state, on = gsi1, pk = "S#{state}", sk = "{due}", when(open = true)))]
#[dynamo(gsi(by_rank, on = gsi2, pk = "S#{state}", sk = "{rank}", when(level = 5)))]
#[dynamo(gsi(of_owner, on = inverted, pk = "OF#{owner}", sk = "TASK#{id}"))]
struct Task {
    id: String,
    owner: String,
    state: String,
    due: Option<u32>,
    rank: u8,
    open: bool,
    level: Option<u64>,
}

/// An attribute that two indexes share is written once, and it is there while one of the indexes is complete.
#[test]
fn indexes_share_attributes() -> Result<()> {
    let fields = [
        "_type", "id", "level", "open", "owner", "pk", "rank", "sk", "state",
    ];
    let task = Task {
        id: "a".into(),
        owner: "o".into(),
        state: "s".into(),
        due: Some(7),
        rank: 3,
        open: true,
        level: Some(5),
    };
    for (due, open, level, expected) in [
        (Some(7), true, 5, &["due", "g1pk", "g1sk", "g2sk"][..]),
        (Some(7), true, 4, &["due", "g1pk", "g1sk"]),
        (None, true, 5, &["g1pk", "g2sk"]),
        (Some(7), false, 5, &["due", "g1pk", "g2sk"]),
        (None, true, 4, &[]),
    ] {
        let task = Task {
            due,
            open,
            level: Some(level),
            ..task.clone()
        };
        let item = task.to_item()?;
        let mut all = [&fields[..], expected].concat();
        all.sort_unstable();
        assert_eq!(names(&item), all, "{task:?}");
        assert_eq!(Task::from_item(item)?, task);
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rests", key(pk = "R#{id}", sk = "{number:04}"))]
#[dynamo(gsi(by_note, pk = "N#{note}"))]
struct Rests {
    #[dynamo(skip)]
    id: u8,
    #[dynamo(skip)]
    number: u32,
    note: Option<String>,
    #[dynamo(rest)]
    rest: Item,
}

/// `rest` holds the attributes that no field knows and none that the library adds. A `skip` field is read
/// from the key.
#[test]
fn rest_and_skip() -> Result<()> {
    let rests = Rests {
        id: 1,
        number: 12,
        note: Some("n".into()),
        rest: [("more", "m")].into_iter().collect(),
    };
    let item = rests.to_item()?;
    assert_eq!(names(&item), ["by_note_pk", "more", "note", "pk", "sk"]);
    assert_eq!(Rests::from_item(item)?, rests);
    for taken in ["pk", "sk", "note", "by_note_pk"] {
        let rests = Rests {
            rest: [(taken, "x")].into_iter().collect(),
            ..rests.clone()
        };
        assert!(rests.to_item().is_err(), "{taken}");
    }
    Ok(())
}

/// The types of the stages, as programs name them.
mod stages {
    use dynamo_entity::prelude::*;
    use dynamo_entity::query::{Chosen, InGlobalIndex, InTable, QueryStage, RowsHold, SortPart};

    #[derive(DynamoTable)]
    #[dynamo(name = "visits", pk = "pk", sk = "sk", entities(Visit))]
    #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
    #[dynamo(gsi(gsi2, pk = "gsi2pk", project = keys))]
    pub(super) struct Visits;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Visits, key(pk = "SITE#{site}", sk = "VISIT#{day}#{r#type}#{number}"))]
    #[dynamo(gsi(by_type, on = gsi1, pk = "TYPE#{r#type}", sk = "{day}#{number}"))]
    #[dynamo(gsi(by_day, on = gsi2, pk = "DAY#{day}"))]
    pub(super) struct Visit {
        pub(super) site: String,
        pub(super) day: u16,
        pub(super) r#type: String,
        pub(super) number: u32,
    }

    pub(super) fn of_site(site: &str) -> InPartitionOfVisit {
        Visit::in_partition(site)
    }

    fn day(visits: InPartitionOfVisit) -> SortPart<u16, InPartitionOfVisit> {
        visits.day()
    }

    pub(super) fn first_day(visits: InPartitionOfVisit) -> InPartitionOfVisitThenType {
        day(visits).eq(1)
    }

    pub(super) fn inspections(visits: InPartitionOfVisitThenType) -> InPartitionOfVisitThenNumber {
        visits.r#type().eq("inspection")
    }

    pub(super) fn late(visits: InPartitionOfVisitThenNumber) -> Query<Visit, InTable> {
        visits.number().ge(10)
    }

    pub(super) fn last(
        visits: InPartitionOfVisitThenNumber,
    ) -> Chosen<Visit, RowsHold<true>, InTable> {
        visits.number().eq(99)
    }

    pub(super) fn by_day(day: u16) -> Chosen<Visit, RowsHold<false>, InGlobalIndex> {
        Visit::by_day(day)
    }

    pub(super) async fn count<S>(db: &Dynamo, visits: S) -> Result<u64>
    where
        S: QueryStage<Entity = Visit> + QueryExt,
    {
        visits.count(db).await
    }
}

#[tokio::test]
async fn functions_take_and_return_the_stages_of_a_chain() -> Result<()> {
    use stages::{Visit, by_day, count, first_day, inspections, last, late, of_site};

    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([stages::Visits::schema()]).await?;
    for (day, kind, number) in [
        (1, "inspection", 9),
        (1, "inspection", 99),
        (1, "repair", 7),
        (2, "inspection", 99),
    ] {
        let (site, r#type) = ("a".to_owned(), kind.to_owned());
        Visit {
            site,
            day,
            r#type,
            number,
        }
        .put()
        .send(&db)
        .await?;
    }
    let first = || inspections(first_day(of_site("a")));
    assert_eq!(count(&db, of_site("a")).await?, 4);
    assert_eq!(count(&db, first_day(of_site("a"))).await?, 3);
    assert_eq!(count(&db, first()).await?, 2);
    assert_eq!(late(first()).count(&db).await?, 1);
    assert_eq!(count(&db, last(first())).await?, 1);
    assert_eq!(by_day(1).hydrate().all(&db).await?.len(), 3);
    let later: stages::ByTypeOfVisitThenNumber = Visit::by_type("inspection").day().eq(2);
    assert_eq!(count(&db, later).await?, 1);
    Ok(())
}

/// A struct of so many fields that their names are put into buckets.
macro_rules! many {
    ($($field:ident)*) => {
        #[derive(Debug, Clone, PartialEq, DynamoValue)]
        struct ManyEntries {
            $($field: Option<u8>,)*
            #[dynamo(rest)]
            others: Item,
        }

        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = "many", key(pk = "M#{aa}"))]
        struct Many {
            $($field: u8,)*
            entries: ManyEntries,
            #[dynamo(rest)]
            others: Item,
        }

        const MANY: &[&str] = &[$(stringify!($field)),*];

        fn many(of: impl Fn(&str) -> u8) -> Many {
            let others: Item = [("zz", 1), ("", 2), ("a", 3)].into_iter().collect();
            Many {
                $($field: of(stringify!($field)),)*
                entries: ManyEntries {
                    $($field: Some(of(stringify!($field))).filter(|at| at % 3 > 0),)*
                    others: others.clone(),
                },
                others,
            }
        }
    };
}

many!(aa ab ac ad ae af ag ah ai aj ak al am an ao ap aq ar as_ at au av aw ax ay az);

#[test]
fn each_of_many_fields_is_read_from_its_own_attribute() {
    let place = |name: &str| MANY.iter().position(|known| *known == name);
    let stored = many(|name| place(name).unwrap_or_default() as u8);
    let item = stored.to_item().unwrap();
    assert_eq!(Many::from_item(item.clone()).unwrap(), stored);
    for lacking in MANY.iter().filter(|name| **name != "aa") {
        let mut item = item.clone();
        item.remove(lacking);
        let said = Many::from_item(item).unwrap_err().to_string();
        assert!(said.contains(lacking), "{said}");
    }
}
