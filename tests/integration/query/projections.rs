//! `select` reads some fields of a row.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use super::{Book, library};
use crate::model::{Line, Order, Shop, Status, UserId, order};
use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    only_some_fields_are_sent(Shop),
    an_index_holds_what_it_is_asked_for(Parcel),
    projections_are_read_as_the_entity_is(Parcel),
    a_cursor_fits_whatever_is_selected(Parcel),
];

crate::declare! {
    projection OrderRow(entity = Order)
        { user_id: UserId, order_no: u32, status: Status, note: Option<String>, tags: HashSet<String>,
          version: Version, expires_at: Option<DateTime<Utc>>, lines: Vec<Line> }
}

async fn only_some_fields_are_sent(db: Db) -> Outcome {
    let order = order("ann", 7).put().send(&db).await?;
    let wanted = OrderRow {
        user_id: order.user_id.clone(),
        order_no: 7,
        status: Status::Paid,
        note: Some("gift".into()),
        tags: HashSet::new(),
        version: order.version,
        expires_at: None,
        lines: order.lines.clone(),
    };
    let q = Order::in_partition(UserId("ann".into()));
    let (faulty, http) = db.faulty([]);
    let rows = q.clone().select::<OrderRow>().all(&faulty).await?;
    assert_eq!(rows, std::slice::from_ref(&wanted));
    let body = String::from_utf8(http.seen().remove(0).body)?;
    assert!(body.contains("\"ProjectionExpression\""), "{body}");
    assert!(!body.contains("total"), "{body}");
    let paid = Order::by_status(Status::Paid);
    let filtered = paid.filter(|o| o.total().gt(rust_decimal::Decimal::ONE));
    assert_eq!(
        filtered.select::<OrderRow>().first(&db).await?,
        Some(wanted)
    );
    let scanned = Order::scan().select::<OrderRow>().all(&db).await?;
    assert_eq!(scanned.len(), 1);
    // Without `select`, the request has no projection.
    assert!(!q.explain(&db)?.requests.remove(0).contains("Projection"));
    Ok(())
}

crate::declare! {
    entity Parcel(table = "parcels", key(pk = "P#{id}", sk = "{leg:02}"),
        gsi(by_city, pk = city, sk = "{weight:06}", project = [weight, sender]))
        { id: u32, leg: u8, city: String, weight: u32,
          #[dynamo(rename = "from", default = "nobody".to_owned())] sender: String, text: String }
    projection Leg(entity = Parcel) { id: u32, leg: u8, weight: u32, sender: String }
    projection Text(entity = Parcel) { text: String }
    projection Isbn(entity = Book) { isbn: String }
}

fn parcel(id: u32, weight: u32) -> Parcel {
    Parcel {
        id,
        leg: 1,
        city: "Kobe".into(),
        weight,
        sender: "ann".into(),
        text: "fragile".into(),
    }
}

async fn an_index_holds_what_it_is_asked_for(db: Db) -> Outcome {
    for (id, weight) in [(1, 500), (2, 20)] {
        parcel(id, weight).put().send(&db).await?;
    }
    let q = Parcel::by_city("Kobe");
    let legs = q.clone().select::<Leg>().all(&db).await?;
    let leg = |id, weight| Leg {
        id,
        leg: 1,
        weight,
        sender: "ann".into(),
    };
    assert_eq!(legs, [leg(2, 20), leg(1, 500)]);
    let keys: Vec<Key<Parcel>> = q.clone().all(&db).await?;
    assert_eq!(keys, [Parcel::key(2, 1), Parcel::key(1, 1)]);
    assert!(
        q.clone()
            .explain(&db)?
            .requests
            .remove(0)
            .contains("Projection")
    );
    let refused = q.clone().select::<Text>().all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Rejected, Some("text"))
    );
    library(&db).await?;
    // A part of the key is read from the key, whatever else the index holds.
    let isbns = Book::books_by_year(1980).select::<Isbn>().all(&db).await?;
    let isbns: Vec<&str> = isbns.iter().map(|row| row.isbn.as_str()).collect();
    assert_eq!(isbns, ["1", "1#C", "10", "2"]);
    Ok(())
}

async fn projections_are_read_as_the_entity_is(db: Db) -> Outcome {
    let planted = raw([
        ("pk", s("P#0000000009")),
        ("sk", s("03")),
        ("weight", crate::support::db::n(5)),
    ]);
    db.plant::<Parcel>(planted).await;
    let legs = Parcel::in_partition(9).select::<Leg>().all(&db).await?;
    let from_key = Leg {
        id: 9,
        leg: 3,
        weight: 5,
        sender: "nobody".into(),
    };
    assert_eq!(legs, [from_key]);
    let refused = Parcel::in_partition(9)
        .select::<Text>()
        .all(&db)
        .await
        .unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Decode, Some("text"))
    );
    let lenient = Parcel::in_partition(9)
        .select::<Text>()
        .lenient()
        .all(&db)
        .await?;
    assert!(lenient[0].is_err());
    Ok(())
}

async fn a_cursor_fits_whatever_is_selected(db: Db) -> Outcome {
    for id in 1..=5 {
        parcel(id, id).put().send(&db).await?;
    }
    let q = Parcel::by_city("Kobe");
    let page = q.clone().select::<Leg>().limit(2).page(&db).await?;
    let rest = q.clone().resume(page.next.clone()).all(&db).await?;
    assert_eq!(rest.len(), 3);
    let rest = q.select::<Leg>().resume(page.cursor_at(0)).all(&db).await?;
    assert_eq!(rest.len(), 4);
    Ok(())
}
