//! Collections: all entities of a partition or a table, each row decoded as its own entity.

use chrono::{DateTime, Utc};
use dynamo_entity::Value;
use dynamo_entity::plan::Filter;
use dynamo_entity::prelude::*;

use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    rows_come_in_the_order_of_the_sort_key,
    entities_without_a_variant_stay_out,
    only_what_can_be_among_is_filtered,
    limit_counts_rows_of_the_variants,
    what_fits_no_variant_is_an_error,
    what_fits_no_variant_goes_to_other,
    a_row_of_a_variant_that_does_not_decode_is_an_error,
    rows_without_a_type_are_told_by_their_keys(Legacy),
    expired_rows_are_hidden,
    pages_go_back_and_forth,
    a_cursor_fits_its_collection_only,
    partitions_are_merged,
    shards_read_as_one(Feed),
    a_partition_of_constants_has_no_parameters(Feed),
    the_whole_table_is_scanned,
    items_go_both_ways,
    errors_name_the_collection,
    a_fake_answers_as_the_engine_does,
];

crate::declare! {
    table Club(name = "club", pk = "pk", sk = "sk", entities(Member, Visit, Voucher, Remark, Product));
    entity Member(table = Club, key(pk = "MEMBER#{id}", sk = "INFO")) { id: String, name: String }
    entity Visit(table = Club, key(pk = "MEMBER#{member}", sk = "VISIT#{number:04}"))
        { #[dynamo(skip)] member: String, #[dynamo(skip)] number: u16 }
    entity Voucher(table = Club, rename = "V", key(pk = "MEMBER#{member}", sk = "VOUCHER#{code}"))
        { member: String, code: String, #[dynamo(ttl)] until: Option<DateTime<Utc>> }
    entity Remark(table = Club, key(pk = "MEMBER#{member}", sk = "REMARK#{number}")) { member: String, number: u16 }
    entity Product(table = Club, key(pk = "PRODUCT#{sku}", sk = "INFO")) { sku: String }
}

/// A collection that leaves out remarks.
#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club, partition(id))]
enum Account {
    Member(Member),
    Visit(Visit),
    Voucher(Voucher),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club, partition(member))]
enum Record {
    Visit(Visit),
    Member(Member),
    Voucher(Voucher),
    Remark(Remark),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club, partition(id))]
enum Anything {
    Member(Member),
    Visit(Visit),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club)]
enum Stock {
    Product(Product),
    Member(Member),
}

fn member(id: &str) -> Member {
    let (id, name) = (id.into(), "Ada".into());
    Member { id, name }
}

fn visit(member: &str, number: u16) -> Visit {
    let member = member.into();
    Visit { member, number }
}

fn voucher(member: &str, until: Option<&str>) -> Voucher {
    Voucher {
        member: member.into(),
        code: "c".into(),
        until: until.map(moment),
    }
}

fn remark(member: &str, number: u16) -> Remark {
    let member = member.into();
    Remark { member, number }
}

/// Each member gets three visits, a voucher and two remarks.
async fn fill(db: &Db, ids: &[&str]) -> Outcome {
    db.create_tables([Club::schema()]).await?;
    for id in ids {
        member(id).put().send(db).await?;
        for number in 1..=3 {
            visit(id, number).put().send(db).await?;
        }
        voucher(id, None).put().send(db).await?;
        for number in 1..=2 {
            remark(id, number).put().send(db).await?;
        }
    }
    let sku = (*ids.first().expect("an id")).to_owned();
    Product { sku }.put().send(db).await?;
    Ok(())
}

fn account(id: &str) -> Vec<Account> {
    let visits = (1..=3).map(|number| Account::Visit(visit(id, number)));
    let mut all = vec![Account::Member(member(id))];
    all.extend(visits);
    all.push(Account::Voucher(voucher(id, None)));
    all
}

fn reversed<T>(mut rows: Vec<T>) -> Vec<T> {
    rows.reverse();
    rows
}

async fn rows_come_in_the_order_of_the_sort_key(db: Db) -> Outcome {
    fill(&db, &["a", "a#b", "a1", "b"]).await?;
    let q = Record::in_partition("a");
    let rows = q.clone().all(&db).await?;
    let expected = [
        Record::Member(member("a")),
        Record::Remark(remark("a", 1)),
        Record::Remark(remark("a", 2)),
        Record::Visit(visit("a", 1)),
        Record::Visit(visit("a", 2)),
        Record::Visit(visit("a", 3)),
        Record::Voucher(voucher("a", None)),
    ];
    assert_eq!(rows, expected);
    let down = q.clone().descending().consistent().all(&db).await?;
    assert_eq!(down, reversed(expected.to_vec()));
    assert_eq!(q.clone().count(&db).await?, 7);
    assert_eq!(q.clone().first(&db).await?.as_ref(), expected.first());
    assert!(q.exists(&db).await?);
    assert!(!Record::in_partition("c").exists(&db).await?);
    let id = "a#b".to_owned();
    assert_eq!(Account::in_partition(&id).all(&db).await?, account("a#b"));
    Ok(())
}

async fn entities_without_a_variant_stay_out(db: Db) -> Outcome {
    fill(&db, &["a", "b"]).await?;
    let q = Account::in_partition("a");
    assert_eq!(q.clone().all(&db).await?, account("a"));
    assert_eq!(q.clone().count(&db).await?, 5);
    let mut rows = q.lenient().stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row??);
    }
    assert_eq!(seen, account("a"));
    Ok(())
}

async fn only_what_can_be_among_is_filtered(db: Db) -> Outcome {
    let q = Account::in_partition("a").explain(&db)?;
    assert_eq!(q.filters, [Filter::Type, Filter::Expired]);
    let request = &q.requests[0];
    assert!(
        request.contains("NOT #n1 IN (:v1) AND NOT #n2 < :v2"),
        "{request}"
    );
    assert!(request.contains(r#"":v1":{"S":"Remark"}"#), "{request}");
    // Products are in other partitions, so no filter on the type is needed.
    let q = Record::in_partition("a").explain(&db)?;
    assert_eq!(q.filters, [Filter::Expired]);
    let q = Record::in_partition("a").include_expired().explain(&db)?;
    assert!(!q.is_filtering());
    let q = Anything::in_partition("a").include_expired();
    assert!(!q.explain(&db)?.is_filtering());
    let q = Stock::scan().include_expired().explain(&db)?;
    assert_eq!(
        (q.operation, &*q.filters),
        (Some("Scan"), &[Filter::Type][..])
    );
    Ok(())
}

async fn limit_counts_rows_of_the_variants(db: Db) -> Outcome {
    fill(&db, &["a"]).await?;
    let q = Account::in_partition("a");
    for limit in 0..=6 {
        let rows = q.clone().limit(limit).all(&db).await?;
        assert_eq!(rows, account("a")[..limit.min(5)]);
        let page = q.clone().limit(limit).page(&db).await?;
        assert_eq!(
            (page.rows.len(), page.next.is_some()),
            (limit.min(5), (1..5).contains(&limit))
        );
    }
    Ok(())
}

/// Plants rows that the library did not write between the visits 1 and 2, and 2 and 3.
async fn strangers(db: &Db) -> Outcome {
    let row = |sk: &str| vec![("pk".to_owned(), s("MEMBER#a")), ("sk".to_owned(), s(sk))];
    let typed = |sk: &str, ty| row(sk).into_iter().chain([("_type".to_owned(), ty)]);
    db.plant::<Member>(typed("VISIT#0001#x", s("Invoice")).collect::<crate::support::db::Raw>())
        .await;
    let untyped: crate::support::db::Raw = row("VISIT#0002#x").into_iter().collect();
    db.plant::<Member>(untyped).await;
    let odd = typed("VISIT#0002#y", crate::support::db::n(5));
    db.plant::<Member>(odd.collect::<crate::support::db::Raw>())
        .await;
    Ok(())
}

async fn what_fits_no_variant_is_an_error(db: Db) -> Outcome {
    fill(&db, &["a"]).await?;
    strangers(&db).await?;
    let q = Account::in_partition("a");
    let refused = q.clone().all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.entity(), refused.attribute()),
        (ErrorKind::Decode, Some("Account"), Some("_type"))
    );
    assert!(!format!("{refused:?} {refused}").contains("Invoice"));

    let rows = q.clone().lenient().all(&db).await?;
    let errors: Vec<usize> = (0..8).filter(|at| rows[*at].is_err()).collect();
    assert_eq!((rows.len(), errors), (8, vec![2, 4, 5]));
    let known: Vec<Account> = rows.into_iter().flatten().collect();
    assert_eq!(known, account("a"));

    let mut rows = q.clone().stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row.is_ok());
    }
    let expected = [true, true, false, true, false, false, true, true];
    assert_eq!(seen, expected);
    assert_eq!(q.count(&db).await?, 8);
    Ok(())
}

async fn what_fits_no_variant_goes_to_other(db: Db) -> Outcome {
    fill(&db, &["a"]).await?;
    strangers(&db).await?;
    let rows = Anything::in_partition("a").all(&db).await?;
    let others = rows.iter().filter_map(|row| match row {
        Anything::Other(item) => item.get("sk").and_then(Value::as_text),
        _ => None,
    });
    let expected = [
        "REMARK#00001",
        "REMARK#00002",
        "VISIT#0001#x",
        "VISIT#0002#x",
        "VISIT#0002#y",
        "VOUCHER#c",
    ];
    assert_eq!(others.collect::<Vec<_>>(), expected);
    assert_eq!(rows.len(), 10);
    for row in rows {
        assert_eq!(Anything::from_item(row.to_item()?)?, row);
    }
    Ok(())
}

async fn a_row_of_a_variant_that_does_not_decode_is_an_error(db: Db) -> Outcome {
    fill(&db, &["a"]).await?;
    let broken = raw([
        ("pk", s("MEMBER#a")),
        ("sk", s("INFO")),
        ("_type", s("Member")),
        ("id", s("a")),
    ]);
    db.plant::<Member>(broken.clone()).await;
    let refused = Account::in_partition("a").all(&db).await.unwrap_err();
    let found = (refused.kind(), refused.entity(), refused.attribute());
    assert_eq!(found, (ErrorKind::Decode, Some("Member"), Some("name")));
    assert_eq!(refused.key_of::<Member>()?, Some(Member::key("a")));
    assert_eq!(refused.key_of::<Product>()?, None);
    assert!(refused.request_id().is_some());
    let refused = Anything::in_partition("a").all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.entity()),
        (ErrorKind::Decode, Some("Member"))
    );
    // The type attribute decides, and the key has to match it.
    let elsewhere = raw([
        ("pk", s("MEMBER#a")),
        ("sk", s("INFO")),
        ("_type", s("Visit")),
    ]);
    let refused = Anything::from_item(elsewhere).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.entity()),
        (ErrorKind::KeyMismatch, Some("Visit"))
    );
    Ok(())
}

crate::declare! {
    table Legacy(name = "legacy", pk = "pk", sk = "sk", verbatim(delimiter = ":"), entities(Player, Game));
    entity Player(table = Legacy, key(pk = "P:{id}", sk = "META"))
        { #[dynamo(skip)] id: String, name: Option<String> }
    entity Game(table = Legacy, key(pk = "P:{id}", sk = "G:{number}"))
        { #[dynamo(skip)] id: String, #[dynamo(skip)] number: u32, name: Option<String> }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Legacy, partition(id))]
enum Career {
    Player(Player),
    Game(Game),
}

async fn rows_without_a_type_are_told_by_their_keys(db: Db) -> Outcome {
    for sk in ["META", "G:7", "G:12"] {
        db.plant::<Game>(raw([("pk", s("P:x")), ("sk", s(sk))]))
            .await;
    }
    let game = |number| {
        Career::Game(Game {
            id: "x".into(),
            number,
            name: None,
        })
    };
    let player = Career::Player(Player {
        id: "x".into(),
        name: None,
    });
    let q = Career::in_partition("x");
    assert_eq!(q.clone().all(&db).await?, [game(12), game(7), player]);
    db.plant::<Game>(raw([("pk", s("P:x")), ("sk", s("G:x"))]))
        .await;
    let refused = q.all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.entity()),
        (ErrorKind::Decode, Some("Career"))
    );
    Ok(())
}

async fn expired_rows_are_hidden(db: Db) -> Outcome {
    fill(&db, &["a"]).await?;
    let expires = voucher("a", Some("2124-01-02T00:00:00Z"));
    expires.put().send(&db).await?;
    let clock = HandClock::at("2124-01-01T23:59:59.999Z");
    let now = db.at(&clock);
    let q = Account::in_partition("a");
    let rows = q.clone().all(&now).await?;
    assert_eq!(rows.last(), Some(&Account::Voucher(expires.clone())));
    clock.advance(1);
    assert_eq!(q.clone().all(&now).await?, account("a")[..4]);
    assert_eq!(q.clone().count(&now).await?, 4);
    assert_eq!(q.include_expired().count(&now).await?, 5);
    // A table has one TTL attribute, so expired rows that match no variant are hidden, too.
    assert_eq!(Anything::in_partition("a").count(&now).await?, 6);
    assert_eq!(
        Anything::in_partition("a")
            .include_expired()
            .count(&now)
            .await?,
        7
    );
    assert_eq!(
        Account::from_item(expires.to_item()?)?,
        Account::Voucher(expires)
    );
    Ok(())
}

async fn pages_go_back_and_forth(db: Db) -> Outcome {
    fill(&db, &["a", "b"]).await?;
    let up = Account::in_partition("a");
    let cases = [
        (up.clone(), account("a")),
        (up.descending(), reversed(account("a"))),
    ];
    for (q, all) in cases {
        let first = q.clone().limit(2).page(&db).await?;
        assert_eq!(first.rows, all[..2]);
        let cursor: Cursor = first.next.as_ref().expect("more").to_string().parse()?;
        let second = q.clone().resume(cursor).limit(2).page(&db).await?;
        assert_eq!(second.rows, all[2..4]);
        let third = q.clone().resume(second.next).limit(2).page(&db).await?;
        assert_eq!((&third.rows[..], third.next.is_some()), (&all[4..], false));
        let back = q.clone().resume(third.previous).limit(2).page(&db).await?;
        assert_eq!(back.rows, second.rows);
        let last = q.resume(first.cursor_at(0)).all(&db).await?;
        assert_eq!(last, all[1..]);
    }
    Ok(())
}

async fn a_cursor_fits_its_collection_only(db: Db) -> Outcome {
    fill(&db, &["a", "b"]).await?;
    let page = Account::in_partition("a").limit(2).page(&db).await?;
    let next = page.next.expect("more");
    let refused = [
        Account::in_partition("b")
            .resume(next.clone())
            .count(&db)
            .await,
        Record::in_partition("a")
            .resume(next.clone())
            .count(&db)
            .await,
        Anything::in_partition("a")
            .resume(next.clone())
            .count(&db)
            .await,
        Visit::in_partition("a")
            .resume(next.clone())
            .count(&db)
            .await,
        Remark::in_partition("a")
            .resume(next.clone())
            .count(&db)
            .await,
        Stock::scan().resume(next.clone()).count(&db).await,
    ];
    for refused in refused {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidCursor);
    }
    assert_eq!(Account::in_partition("a").resume(next).count(&db).await?, 3);
    Ok(())
}

async fn partitions_are_merged(db: Db) -> Outcome {
    fill(&db, &["a", "b", "c"]).await?;
    let q = Account::in_partition(any_of(["b", "a"]));
    let mut merged = Vec::new();
    for (b, a) in account("b").into_iter().zip(account("a")) {
        merged.extend([b, a]);
    }
    assert_eq!(q.clone().all(&db).await?, merged);
    assert_eq!(
        q.clone().descending().all(&db).await?,
        reversed(merged.clone())
    );
    assert_eq!(q.clone().count(&db).await?, 10);
    let apart = [account("b"), account("a")].concat();
    assert_eq!(q.clone().by_partition().all(&db).await?, apart);
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = q.clone().limit(3).resume(cursor).page(&db).await?;
        seen.extend(page.rows);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, merged);
    Ok(())
}

crate::declare! {
    table Feed(name = "feed", pk = "pk", sk = "sk", entities(Post, Like, Pinned, Banner));
    entity Post(table = Feed, key(pk = "{room}#{day}", sk = "{number:03}#POST", shards = 3))
        { room: String, day: u8, number: u16 }
    entity Like(table = Feed, key(pk = "{room}#{day}", sk = "{number:03}#LIKE", shards = 3))
        { room: String, day: u8, number: u16 }
    entity Pinned(table = Feed, key(pk = "TOP", sk = "PIN#{number:03}")) { number: u16 }
    entity Banner(table = Feed, key(pk = "TOP", sk = "BANNER")) { text: String }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Feed, partition(room, day))]
enum Day {
    Post(Post),
    Like(Like),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Feed, partition())]
enum Top {
    Pinned(Pinned),
    Banner(Banner),
}

async fn shards_read_as_one(db: Db) -> Outcome {
    let mut all = Vec::new();
    for number in 0..10 {
        for day in [1, 2] {
            let room = "a#".to_owned();
            let post = Post {
                room: room.clone(),
                day,
                number,
            };
            let like = Like { room, day, number };
            post.put().send(&db).await?;
            like.put().send(&db).await?;
            if day == 1 {
                all.extend([Day::Like(like), Day::Post(post)]);
            }
        }
    }
    let q = Day::in_partition("a#", 1);
    assert_eq!(q.clone().all(&db).await?, all);
    // A query of posts alone reads the same partitions without bounds, but is another query.
    let next = q.clone().limit(2).page(&db).await?.next;
    let refused = Post::in_partition("a#", 1).resume(next).count(&db).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidCursor);
    assert_eq!(q.explain(&db)?.requests.len(), 3);
    let both = Day::in_partition("a#", any_of([1, 2]));
    assert_eq!(both.clone().count(&db).await?, 40);
    assert_eq!(both.explain(&db)?.requests.len(), 6);
    Ok(())
}

async fn a_partition_of_constants_has_no_parameters(db: Db) -> Outcome {
    let pinned = Pinned { number: 1 }.put().send(&db).await?;
    let text = "hello".into();
    let banner = Banner { text }.put().send(&db).await?;
    let rows = Top::in_partition().all(&db).await?;
    assert_eq!(rows, [Top::Banner(banner), Top::Pinned(pinned)]);
    Ok(())
}

async fn the_whole_table_is_scanned(db: Db) -> Outcome {
    fill(&db, &["a", "b"]).await?;
    let q = Stock::scan();
    let mut names: Vec<String> = q.clone().all(&db).await?.into_iter().map(name).collect();
    names.sort();
    assert_eq!(names, ["member a", "member b", "product a"]);
    assert_eq!(q.clone().segments(3).page_size(2).count(&db).await?, 3);
    assert_eq!(q.clone().limit(2).all(&db).await?.len(), 2);
    strangers(&db).await?;
    let rows = q.clone().lenient().all(&db).await?;
    assert_eq!(rows.iter().filter(|row| row.is_err()).count(), 3);
    assert_eq!(rows.len(), 6);
    assert_eq!(q.all(&db).await.unwrap_err().kind(), ErrorKind::Decode);
    Ok(())
}

fn name(row: Stock) -> String {
    match row {
        Stock::Product(product) => format!("product {}", product.sku),
        Stock::Member(member) => format!("member {}", member.id),
    }
}

async fn items_go_both_ways(db: Db) -> Outcome {
    drop(db);
    let rows = [
        Stock::Member(member("a#")),
        Stock::Product(Product { sku: "s".into() }),
    ];
    for row in rows {
        assert_eq!(Stock::from_item(row.to_item()?)?, row);
    }
    let item = member("a").to_item()?;
    assert_eq!(Account::Member(member("a")).to_item()?, item);
    let refused = Stock::from_item(visit("a", 1).to_item()?).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Decode, Some("_type"))
    );
    assert!(refused.to_string().contains("`Visit`"), "{refused}");
    let other = remark("a", 1).to_item()?;
    assert_eq!(
        Anything::from_item(other.clone())?,
        Anything::Other(other.clone())
    );
    assert_eq!(Anything::Other(other.clone()).to_item()?, other);
    Ok(())
}

async fn errors_name_the_collection(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let refused = Account::in_partition("").all(&faulty).await.unwrap_err();
    let found = (refused.kind(), refused.entity(), refused.key_attribute());
    assert_eq!(found, (ErrorKind::InvalidKey, Some("Account"), Some("pk")));
    assert!(http.calls().is_empty());
    let q = Account::in_partition("secret");
    assert_eq!(format!("{q:?}").matches("secret").count(), 0);
    assert!(
        format!("{q:?}").contains("Account::in_partition(..)"),
        "{q:?}"
    );
    assert!(format!("{:?}", Stock::scan()).contains("Stock::scan(..)"));
    Ok(())
}

/// `matches` and `order`, applied to rows in memory, give what the engine returns.
async fn a_fake_answers_as_the_engine_does(db: Db) -> Outcome {
    fill(&db, &["a", "a#1", "b"]).await?;
    let mut rows: Vec<Record> = Vec::new();
    for id in ["a", "a#1", "b"] {
        rows.extend(Record::in_partition(id).all(&db).await?);
    }
    rows.reverse();
    for ids in [&["a"][..], &["b"], &["c"], &["b", "a"]] {
        let asked = Record::in_partition(any_of(ids.to_vec()));
        for q in [asked.clone(), asked.descending()] {
            let mut faked = Vec::new();
            for row in &rows {
                if q.matches(row)? {
                    faked.push(row.clone());
                }
            }
            faked.sort_by(|left, right| q.order(left, right).expect("an order"));
            let found = q.clone().all(&db).await?;
            // Rows with equal sort keys come in the order of the partitions.
            let keys = |rows: &[Record]| -> Result<Vec<_>> {
                let key = |row: &Record| Ok(row.to_item()?.get("sk").cloned());
                rows.iter().map(key).collect()
            };
            assert_eq!(keys(&faked)?, keys(&found)?, "{ids:?}");
            assert!(found.iter().all(|row| faked.contains(row)));
        }
    }
    let other = Anything::Other(remark("a", 1).to_item()?);
    assert!(Anything::in_partition("a").matches(&other)?);
    assert!(!Anything::in_partition("b").matches(&other)?);
    assert!(Stock::scan().matches(&Stock::Member(member("x")))?);
    let unnamed = Record::Member(member(""));
    let refused = Record::in_partition("a").matches(&unnamed).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    Ok(())
}
