//! Searches of vector indexes, beside a comparison of all vectors; the indexes in plans and places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::deploy::{Deletion, TableChange};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{NotIndexed, TableSchema};
use dynamo_entity::search::{Hit, Score};
use dynamo_entity::{ErrorKind, put_each};

use crate::support::db::{Db, item, n, raw, s};
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
    the_nearest_are_found(Point) unless NO_VECTORS,
    rows_hold_what_was_asked(Image, Point) unless NO_VECTORS,
    other_entities_are_not_found(Shelf) unless NO_VECTORS,
    wrong_requests_are_not_sent(Point) unless NO_VECTORS,
    vectors_that_do_not_fit_are_errors(Loose) unless NO_VECTORS,
    expired_items_are_omitted(Session) unless NO_VECTORS,
    what_is_not_indexed_is_said(Point) unless NO_VECTORS,
    an_index_is_added_and_removed(Plain) unless NO_VECTORS,
    another_index_is_a_difference(Plain) unless NO_VECTORS,
    a_search_is_explained(Shelf) unless NO_VECTORS,
    a_server_without_vectors_shows_no_difference,
    units_and_vectors_exclude_each_other,
    hydrated_items_are_checked_again(Memo) unless NO_VECTORS,
    a_table_with_units_gets_no_vector_index unless NO_VECTORS,
    another_kind_of_index_is_a_difference unless NO_VECTORS,
    vectors_of_another_length_come_after_the_old_ones(Plain) unless NO_VECTORS,
    neighbours_with_another_type_are_rejected,
];

const DIMENSIONS: usize = 6;

crate::declare! {
    entity Point(table = "points", key(pk = id),
        vector(by_angle, field = at, distance = cosine, within = org, filter = [color, size]),
        vector(by_length, field = at, distance = euclidean, filter = color),
        vector(by_product, field = at, distance = dot_product, within = org))
        { id: u32, org: Option<String>, color: String, size: u8, at: Option<Vector<DIMENSIONS>> }
    entity Image(table = "images", key(pk = album, sk = id),
        vector(alike, field = pixels, distance = euclidean, project = keys),
        vector(listed, field = pixels, distance = euclidean, project = [caption]))
        { album: String, id: u32, caption: String, pixels: Vector<2> }
    projection Caption(entity = Image) { id: u32, caption: String }
    table Shelf(name = "shelf", pk = "pk", sk = "sk", entities(Book, Film));
    entity Book(table = Shelf, key(pk = "BOOK#{id}", sk = "BOOK"),
        vector(book_like, field = plot, distance = cosine))
        { id: u32, plot: Vector<2> }
    entity Film(table = Shelf, key(pk = "FILM#{id}", sk = "FILM"),
        vector(film_like, field = plot, distance = cosine))
        { id: u32, plot: Vector<2> }
    entity Loose(table = "loose", key(pk = id)) { id: u32, at: Vector<3> }
    entity Session(table = "sessions", key(pk = id), vector(near, field = at, distance = euclidean))
        { id: u32, at: Vector<2>, #[dynamo(ttl)] ends: u64 }
    entity Plain(table = "later", key(pk = id)) { id: u32, at: Vector<2> }
    entity Memo(table = "memos", key(pk = id),
        vector(alike, field = at, distance = euclidean, within = org, filter = color, project = keys))
        { id: u32, org: String, color: u8, at: Option<Vector<2>> }
    table Stall(name = "stall", pk = "pk", sk = "sk", entities(Sign, Label, Price));
    entity Sign(table = Stall, key(pk = "SIGN#{id}", sk = "SIGN"),
        vector(sign_like, field = plot, distance = cosine, filter = tone))
        { id: u32, plot: Vector<2>, tone: String }
    entity Label(table = Stall, key(pk = "LABEL#{id}", sk = "LABEL")) { id: u32, plot: Vec<f32>, tone: String }
    entity Price(table = Stall, key(pk = "PRICE#{id}", sk = "PRICE")) { id: u32, tone: u8 }
}

/// The same table, with a global index of the same name.
mod by_size {
    crate::declare! {
        pub entity Plain(table = "later", key(pk = id), gsi(near, pk = size)) { pub id: u32, pub size: u8 }
    }
}

/// The same attribute, with longer vectors.
mod longer {
    use dynamo_entity::prelude::*;

    crate::declare! {
        pub entity Plain(table = "later", key(pk = id), vector(nearer, field = at, distance = euclidean))
            { pub id: u32, pub at: Vector<3> }
    }
}

/// The same table, with a vector index.
mod later {
    use dynamo_entity::prelude::*;

    crate::declare! {
        pub entity Plain(table = "later", key(pk = id), vector(near, field = at, distance = euclidean))
            { pub id: u32, pub at: Vector<2> }
    }
}

/// The same index with another distance.
mod otherwise {
    use dynamo_entity::prelude::*;

    crate::declare! {
        pub entity Plain(table = "later", key(pk = id), vector(near, field = at, distance = cosine))
            { pub id: u32, pub at: Vector<2> }
    }
}

/// A generator of numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    /// Many numbers are small integers, so that distances are often equal.
    fn vector<const N: usize>(&mut self) -> Vector<N> {
        let is_coarse = self.below(2) == 0;
        let number = |numbers: &mut Numbers| match is_coarse {
            true => numbers.below(5) as f32 - 2.0,
            false => numbers.below(1_000_000) as f32 / 77_777.0 - 6.0,
        };
        let numbers: Vec<f32> = (0..N).map(|_| number(self)).collect();
        Vector::try_from(numbers).unwrap()
    }
}

#[derive(Clone, Copy)]
enum Metric {
    Cosine,
    Euclidean,
    DotProduct,
}

/// A score by which smaller is nearer.
fn distance(metric: Metric, one: &[f32], other: &[f32]) -> f64 {
    let pairs = || {
        one.iter()
            .zip(other)
            .map(|(a, b)| (f64::from(*a), f64::from(*b)))
    };
    let product =
        |pairs: &mut dyn Iterator<Item = (f64, f64)>| pairs.map(|(a, b)| a * b).sum::<f64>();
    match metric {
        Metric::Euclidean => pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
        Metric::DotProduct => -product(&mut pairs()),
        Metric::Cosine => {
            let norm = |v: &[f32]| {
                v.iter()
                    .map(|a| f64::from(*a) * f64::from(*a))
                    .sum::<f64>()
                    .sqrt()
            };
            let norms = norm(one) * norm(other);
            if norms == 0.0 {
                1.0
            } else {
                1.0 - product(&mut pairs()) / norms
            }
        }
    }
}

/// Compares hits with all items that may be found: the scores are right and in order, and nothing that is missing is nearer.
fn assert_nearest<S: Score>(
    hits: &[Hit<Point, S>],
    (metric, query, count): (Metric, &Vector<DIMENSIONS>, usize),
    all: &BTreeMap<u32, Point>,
    may_be_found: impl Fn(&Point) -> bool,
) {
    const EXACT: f64 = 1e-9;
    let mut expected: Vec<f64> = all
        .values()
        .filter(|point| may_be_found(point))
        .filter_map(|point| Some(distance(metric, query, point.at.as_ref()?)))
        .collect();
    expected.sort_by(f64::total_cmp);
    expected.truncate(count);
    assert_eq!(hits.len(), expected.len());
    let ids: BTreeSet<u32> = hits.iter().map(|hit| hit.item.id).collect();
    assert_eq!(ids.len(), hits.len());
    for (hit, expected) in hits.iter().zip(&expected) {
        assert_eq!(Some(&hit.item), all.get(&hit.item.id));
        assert!(may_be_found(&hit.item), "{:?}", hit.item);
        let own = distance(metric, query, hit.item.at.as_ref().unwrap());
        let told = match metric {
            Metric::DotProduct => -hit.score.value(),
            _ => hit.score.value(),
        };
        assert!(
            (own - told).abs() < EXACT && (told - expected).abs() < EXACT,
            "{own} {told} {expected}"
        );
    }
    assert!(
        hits.windows(2)
            .all(|pair| !pair[1].score.is_nearer_than(pair[0].score))
    );
}

async fn the_nearest_are_found(db: Db) -> Outcome {
    let is_full = std::env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let (count, rounds) = if is_full { (10_000, 3) } else { (600, 9) };
    let mut numbers = Numbers(7);
    let orgs = [Some("acme"), Some("initech"), None];
    let points = (0..count).map(|id| Point {
        id,
        org: orgs[numbers.below(3) as usize].map(str::to_owned),
        color: ["red", "blue"][numbers.below(2) as usize].to_owned(),
        size: numbers.below(3) as u8,
        at: (numbers.below(10) > 0).then(|| numbers.vector()),
    });
    let all: BTreeMap<u32, Point> = points.map(|point| (point.id, point)).collect();
    put_each(all.values().map(|point| point.put()))
        .send(&db)
        .await?
        .complete()?;

    for round in 0..rounds {
        let query: Vector<DIMENSIONS> = numbers.vector();
        let top = [1, 10, 100][round % 3];
        let of = |metric| (metric, &query, top);
        let in_acme = |point: &Point| point.org.as_deref() == Some("acme");
        let hits = Point::by_angle(&query, top)
            .within("acme")
            .send(&db)
            .await?;
        assert_nearest(&hits, of(Metric::Cosine), &all, in_acme);
        let red = Point::by_angle(&query, top)
            .within("acme")
            .filter(|point| point.color().eq("red"));
        let hits = red.clone().send(&db).await?;
        assert_nearest(&hits, of(Metric::Cosine), &all, |point| {
            in_acme(point) && point.color == "red"
        });
        let hits = red.filter(|point| point.size().eq(2)).send(&db).await?;
        let is_it = |point: &Point| in_acme(point) && point.color == "red" && point.size == 2;
        assert_nearest(&hits, of(Metric::Cosine), &all, is_it);
        let hits = Point::by_length(&query, top).send(&db).await?;
        assert_nearest(&hits, of(Metric::Euclidean), &all, |_| true);
        let hits = Point::by_length(&query, top)
            .filter(|point| point.color().eq("blue"))
            .send(&db)
            .await?;
        assert_nearest(&hits, of(Metric::Euclidean), &all, |point| {
            point.color == "blue"
        });
        let hits = Point::by_product(&query, top)
            .within("initech")
            .send(&db)
            .await?;
        let in_initech = |point: &Point| point.org.as_deref() == Some("initech");
        assert_nearest(&hits, of(Metric::DotProduct), &all, in_initech);
    }
    // A vector is nearest to itself.
    let (_, own) = all.iter().find(|(_, point)| point.at.is_some()).unwrap();
    let hits = Point::by_length(own.at.as_ref().unwrap(), 1)
        .send(&db)
        .await?;
    assert_eq!(hits[0].score.value(), 0.0);
    assert_eq!(Point::by_length(&numbers.vector(), 0).send(&db).await?, []);
    Ok(())
}

async fn rows_hold_what_was_asked(db: Db) -> Outcome {
    let image = |id, pixels: [f32; 2]| Image {
        album: "a".into(),
        id,
        caption: format!("no {id}"),
        pixels: pixels.try_into().unwrap(),
    };
    let images = [
        image(1, [0.0, 1.0]),
        image(2, [0.0, 3.0]),
        image(3, [0.5, 9.0]),
    ];
    put_each(images.iter().map(|image| image.put()))
        .send(&db)
        .await?
        .complete()?;
    let origin = Vector::try_from([0.0, 0.0])?;
    let keys = Image::alike(&origin, 2).send(&db).await?;
    let keys: Vec<_> = keys.into_iter().map(|hit| hit.item).collect();
    assert_eq!(keys, [images[0].key(), images[1].key()]);
    // An item that is deleted meanwhile is omitted, and scores stay with their items.
    let whole = Image::alike(&origin, 3).hydrate().send(&db).await?;
    let found: Vec<_> = whole.iter().map(|hit| hit.item.clone()).collect();
    assert_eq!(found, images);
    assert_eq!(whole[1].score.value(), 3.0);

    let captions = Image::listed(&origin, 1)
        .select::<Caption>()
        .send(&db)
        .await?;
    assert_eq!(
        captions[0].item,
        Caption {
            id: 1,
            caption: "no 1".into()
        }
    );
    let refused = Image::alike(&origin, 1)
        .select::<Caption>()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Config);
    assert!(
        refused
            .to_string()
            .contains("does not hold the attribute `caption`"),
        "{refused}"
    );

    let point = Point {
        id: 1,
        org: None,
        color: "red".into(),
        size: 1,
        at: Some(Numbers(1).vector()),
    };
    point.put().send(&db).await?;
    let hits = Point::by_length(point.at.as_ref().unwrap(), 5)
        .send(&db)
        .await?;
    assert_eq!(hits[0].item, point);
    Ok(())
}

async fn other_entities_are_not_found(db: Db) -> Outcome {
    for id in 0..5 {
        let plot = Vector::try_from([1.0, id as f32])?;
        Book {
            id,
            plot: plot.clone(),
        }
        .put()
        .send(&db)
        .await?;
        Film { id: id + 100, plot }.put().send(&db).await?;
    }
    let query = Vector::try_from([1.0, 1.0])?;
    let books = Book::book_like(&query, 100).send(&db).await?;
    let films = Film::film_like(&query, 3).send(&db).await?;
    assert!(books.len() == 5 && films.len() == 3);
    assert_eq!((books[0].item.id, films[0].item.id), (1, 101));
    Ok(())
}

async fn wrong_requests_are_not_sent(db: Db) -> Outcome {
    let query = Numbers(1).vector();
    let many = Point::by_length(&query, 101).send(&db).await.unwrap_err();
    assert_eq!(many.kind(), ErrorKind::Config);
    assert!(
        many.to_string().contains("at most 100 hits, not 101"),
        "{many}"
    );
    let search = Point::by_angle(&query, 1)
        .within("a")
        .filter(|point| point.color().eq("red"));
    let twice = search
        .filter(|point| point.color().eq("blue"))
        .send(&db)
        .await
        .unwrap_err();
    assert!(twice.to_string().contains("keep one filter"), "{twice}");
    let empty = Point::by_angle(&query, 1).within("").send(&db).await;
    assert!(empty.is_err() || empty.is_ok_and(|hits| hits.is_empty()));
    Ok(())
}

async fn vectors_that_do_not_fit_are_errors(db: Db) -> Outcome {
    db.plant::<Loose>(raw([("id", n(1)), ("at", list(2))]))
        .await;
    let short = Loose::key(1).get().send(&db).await.unwrap_err();
    assert_eq!(short.kind(), ErrorKind::Decode);
    let text = short.to_string();
    assert!(
        text.contains("a vector of 3 numbers") && text.contains("2 numbers"),
        "{text}"
    );
    db.plant::<Loose>(raw([("id", n(2)), ("at", s("no"))]))
        .await;
    assert_eq!(
        Loose::key(2).get().send(&db).await.unwrap_err().kind(),
        ErrorKind::Decode
    );
    db.plant::<Loose>(raw([("id", n(3)), ("at", list(3))]))
        .await;
    let found = Loose::key(3).get().send(&db).await?.unwrap();
    assert_eq!(found.at.as_slice(), [0.0, 1.0, 2.0]);
    Ok(())
}

fn list(count: usize) -> AttributeValue {
    AttributeValue::L((0..count).map(n).collect())
}

async fn expired_items_are_omitted(db: Db) -> Outcome {
    let at = Vector::try_from([1.0, 0.0])?;
    for (id, ends) in [(1, 5), (2, 5_000_000_000)] {
        Session {
            id,
            at: at.clone(),
            ends,
        }
        .put()
        .send(&db)
        .await?;
    }
    let hits = Session::near(&at, 5).send(&db).await?;
    assert_eq!(hits.iter().map(|hit| hit.item.id).collect::<Vec<_>>(), [2]);
    assert_eq!(
        Session::near(&at, 5)
            .include_expired()
            .send(&db)
            .await?
            .len(),
        2
    );
    Ok(())
}

async fn what_is_not_indexed_is_said(db: Db) -> Outcome {
    let at: Vector<DIMENSIONS> = Numbers(3).vector();
    let mut point = Point {
        id: 1,
        org: None,
        color: "red".into(),
        size: 1,
        at: Some(at.clone()),
    };
    let place = |point: &Point, index: &str| {
        Point::schema()
            .place(point)
            .unwrap()
            .index(index)
            .unwrap()
            .clone()
    };
    let found = async |point: &Point| -> Result<[bool; 2]> {
        point.put().send(&db).await?;
        let angle = Point::by_angle(&at, 1).within("acme").send(&db).await?;
        Ok([
            !angle.is_empty(),
            !Point::by_length(&at, 1).send(&db).await?.is_empty(),
        ])
    };
    assert!(
        matches!(place(&point, "by_angle"), Err(NotIndexed::Missing { fields, .. }) if fields == ["org"])
    );
    assert!(place(&point, "by_length").is_ok());
    assert_eq!(found(&point).await?, [false, true]);
    point.org = Some("acme".into());
    let key = place(&point, "by_angle").unwrap();
    assert_eq!(key, item([("org", "acme".into())]));
    assert_eq!(found(&point).await?, [true, true]);
    point.at = None;
    let reason = place(&point, "by_angle").unwrap_err();
    assert_eq!(
        reason,
        NotIndexed::NoVector {
            attribute: "at".into()
        }
    );
    assert_eq!(found(&point).await?, [false, false]);
    Ok(())
}

async fn an_index_is_added_and_removed(db: Db) -> Outcome {
    for id in 0..3 {
        Plain {
            id,
            at: [id as f32, 1.0].try_into()?,
        }
        .put()
        .send(&db)
        .await?;
    }
    let ready = db.ready([later::Plain::schema()]).await;
    let text = ready.to_string();
    assert!(!ready.is_ready() && text.contains("near"), "{text}");
    let plan = db.plan([later::Plain::schema()]).await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    assert_eq!(changes, [TableChange::AddIndex("near".into())], "{plan}");
    plan.apply(&db).await?;
    assert!(db.plan([later::Plain::schema()]).await?.is_empty());
    let hits = later::Plain::near(&[2.0, 1.0].try_into()?, 1)
        .send(&db)
        .await?;
    assert_eq!(hits[0].item.id, 2);
    // Another program creates the same table, and finds it as it is declared.
    db.create_tables([later::Plain::schema()]).await?;
    assert!(db.ready([later::Plain::schema()]).await.is_ready());

    let plan = db.plan([Plain::schema()]).await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    assert_eq!(changes, [TableChange::RemoveIndex("near".into())], "{plan}");
    plan.apply(&db)
        .allow(Deletion::index("later", "near"))
        .await?;
    assert!(db.plan([Plain::schema()]).await?.is_empty());
    let gone = later::Plain::near(&[2.0, 1.0].try_into()?, 1)
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::Rejected);
    Ok(())
}

async fn another_index_is_a_difference(db: Db) -> Outcome {
    db.add_indexes([later::Plain::schema()]).await?;
    let told = difference(&db, otherwise::Plain::schema()).await?;
    assert!(
        told.contains("by euclidean") && told.contains("by cosine"),
        "{told}"
    );
    let refused = db
        .create_tables([otherwise::Plain::schema()])
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("vector index `near`"),
        "{refused}"
    );
    Ok(())
}

async fn a_search_is_explained(db: Db) -> Outcome {
    let explained = Book::book_like(&[1.0, 0.5].try_into()?, 3).explain(&db)?;
    assert_eq!(explained.operation, Some("SearchVectors"));
    assert_eq!(
        explained.pattern.map(|pattern| pattern.to_string()),
        Some("Book.book_like".into())
    );
    assert_eq!(explained.index.as_deref(), Some("book_like"));
    let body: serde_json::Value = serde_json::from_str(&explained.requests[0])?;
    assert_eq!(
        body["SearchVector"],
        serde_json::json!([{"N": "1"}, {"N": "0.5"}])
    );
    assert_eq!(
        (&body["TopK"], &body["SearchConditionExpression"]),
        (&3.into(), &"#n0 = :v0".into())
    );
    assert_eq!(body["ExpressionAttributeValues"][":v0"]["S"], "Book");
    // A search consumes no read units, and the items that are read afterwards do.
    let estimate = db.estimate([Shelf::schema(), Image::schema()]);
    assert_eq!(estimate.of(&explained)?.read_units(), 0.0);
    let hydrated = Image::alike(&[1.0, 0.5].try_into()?, 10)
        .hydrate()
        .explain(&db)?;
    assert!(
        hydrated
            .items
            .as_ref()
            .is_some_and(|items| items.contains("RequestItems"))
    );
    assert_eq!(estimate.of(&hydrated)?.read_units(), 5.0);
    Ok(())
}

async fn a_server_without_vectors_shows_no_difference(db: Db) -> Outcome {
    // Only a vector index uses these attributes, and a server that drops it rejects their definitions.
    db.create_tables([Memo::schema()]).await?;
    assert!(db.plan([Memo::schema()]).await?.is_empty());
    db.create_tables([later::Plain::schema()]).await?;
    let plan = db.plan([later::Plain::schema()]).await?;
    assert!(plan.is_empty(), "{plan}");
    let is_unknown = plan.tables[0].unknown.contains(&"vector indexes");
    assert_eq!(is_unknown, Kind::here() != Kind::Embedded, "{plan}");
    db.create_tables([later::Plain::schema()]).await?;
    Ok(())
}

async fn units_and_vectors_exclude_each_other(db: Db) -> Outcome {
    let schema: TableSchema = later::Plain::schema().provisioned(5, 5);
    let refused = db.create_tables([schema]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Config);
    assert!(
        refused.to_string().contains("billed by requests"),
        "{refused}"
    );
    Ok(())
}

/// A connection whose searches always return what the first one found.
fn late(db: &Db) -> Dynamo {
    let first: Mutex<Option<Vec<u8>>> = Mutex::default();
    let http = Rewriting::new(db.engine().http_client(), move |answer: &mut Answer| {
        if answer.operation == "SearchVectors" && answer.status == 200 {
            let mut first = first.lock().expect("nobody panics");
            answer.body = first.get_or_insert_with(|| answer.body.clone()).clone();
        }
    });
    db.through(db.engine().config().http_client(http))
}

async fn hydrated_items_are_checked_again(db: Db) -> Outcome {
    let late = late(&db);
    let at: Vector<2> = [1.0, 0.0].try_into()?;
    let memo = |id| Memo {
        id,
        org: "acme".into(),
        color: 7,
        at: Some(at.clone()),
    };
    for id in 0..6 {
        memo(id).put().send(&db).await?;
    }
    let search = || {
        let search = Memo::alike(&at, 10).within("acme");
        search.filter(|memo| memo.color().eq(7)).hydrate()
    };
    assert_eq!(search().send(&late).await?.len(), 6);
    let changed = [
        Memo {
            org: "initech".into(),
            ..memo(1)
        },
        Memo {
            color: 8,
            ..memo(2)
        },
        Memo {
            at: None,
            ..memo(3)
        },
    ];
    put_each(changed.iter().map(|memo| memo.put()))
        .send(&db)
        .await?
        .complete()?;
    Memo::key(4).delete().send(&db).await?;
    // It is not even decoded, because it is of another tenant: 700 is no `u8`.
    let vector = AttributeValue::L(vec![n(1), n(0)]);
    let foreign = [
        ("id", n(5)),
        ("org", s("initech")),
        ("color", n(700)),
        ("at", vector),
    ];
    db.plant::<Memo>(raw(foreign)).await;
    let hits = search().send(&late).await?;
    assert_eq!(hits.iter().map(|hit| hit.item.id).collect::<Vec<_>>(), [0]);
    Ok(())
}

async fn a_table_with_units_gets_no_vector_index(db: Db) -> Outcome {
    db.create_tables([Plain::schema().provisioned(5, 5)])
        .await?;
    let refused = db.add_indexes([later::Plain::schema()]).await.unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("billed by requests"), "{text}");
    Ok(())
}

async fn another_kind_of_index_is_a_difference(db: Db) -> Outcome {
    db.create_tables([by_size::Plain::schema()]).await?;
    let told = difference(&db, later::Plain::schema()).await?;
    assert!(
        told.contains("is a global index, declared: a vector one"),
        "{told}"
    );
    let other = Dynamo::clone(&db).with_prefix(format!("{}other-", db.prefix()));
    other.create_tables([later::Plain::schema()]).await?;
    let told = difference(&other, by_size::Plain::schema()).await?;
    assert!(
        told.contains("is a vector index, declared: a global one"),
        "{told}"
    );
    Ok(())
}

/// The only change of the plan, of which `ready` tells too.
async fn difference(
    db: &Dynamo,
    schema: TableSchema,
) -> std::result::Result<String, Box<dyn std::error::Error>> {
    let plan = db.plan([schema.clone()]).await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    let [TableChange::Replace(told)] = &*changes else {
        return Err(plan.to_string().into());
    };
    let ready = db.ready([schema]).await;
    assert!(ready.to_string().contains(told), "{ready}");
    Ok(told.clone())
}

async fn vectors_of_another_length_come_after_the_old_ones(db: Db) -> Outcome {
    db.add_indexes([later::Plain::schema()]).await?;
    let refused = db.add_indexes([longer::Plain::schema()]).await.unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("store the vectors in another attribute"),
        "{text}"
    );
    let plan = db.plan([longer::Plain::schema()]).await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    let expected = [
        TableChange::RemoveIndex("near".into()),
        TableChange::AddIndex("nearer".into()),
    ];
    assert_eq!(changes, expected, "{plan}");
    plan.apply(&db)
        .allow(Deletion::index("later", "near"))
        .await?;
    assert!(db.plan([longer::Plain::schema()]).await?.is_empty());
    Ok(())
}

async fn neighbours_with_another_type_are_rejected(db: Db) -> Outcome {
    let refused = db.create_tables([Stall::schema()]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Config);
    let text = refused.to_string();
    let expected = "the vector index `sign_like` of `Sign` needs the type S in the attribute `tone`, and `Price` stores N";
    assert!(text.contains(expected), "{text}");
    let planned = db.plan([Stall::schema()]).await.unwrap_err();
    assert_eq!(planned.kind(), ErrorKind::Config);
    Ok(())
}
