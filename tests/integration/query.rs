//! `query`: exactly the rows that were asked for, in order, page by page.

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Filter, StrongReads};

use crate::model::{Order, RequestCount, Shop, Status, User, UserId, order, user};
use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, Mode, raw, s};
use crate::support::engine::Kind;
use crate::support::suite::{Gap, Outcome};
use crate::tests;

tests![
    parts_are_asked_for_from_left_to_right,
    text_parts_hold_anything,
    native_keys_have_exact_bounds,
    multi_attribute_keys_are_asked_for_in_order unless NO_MULTI_ATTRIBUTE_KEYS,
    indexes_are_patterns_of_their_own,
    rows_of_other_entities_stay_out,
    parents_and_children_interleave,
    an_index_without_all_attributes_gives_keys,
    empty_ranges_ask_for_nothing,
    pages_hold_what_was_asked_for,
    pages_go_back_and_forth,
    a_cursor_can_be_taken_at_any_row,
    a_cursor_fits_its_query_only,
    a_cursor_keeps_its_bounds,
    a_secret_refuses_made_up_cursors,
    numbers_of_any_size_survive_a_cursor,
    limit_counts_rows_under_a_filter,
    expired_rows_are_hidden,
    max_scanned_bounds_what_is_read,
    one_finds_one,
    counts_send_no_rows,
    a_row_that_does_not_decode_is_an_error,
    a_stream_fetches_ahead,
    deletion_between_pages_loses_nothing,
    large_rows_take_several_answers,
    faults_on_the_way_are_retried_or_told,
    requests_are_the_fewest,
    entities_can_be_compared_with_a_query,
    the_request_can_be_seen,
    partitions_are_merged,
    pages_go_through_merged_partitions,
    partitions_come_one_after_the_other,
    shards_read_as_one,
    filters_leave_rows_out,
    filters_name_no_queried_key,
    scans_read_the_table,
];

const NO_MULTI_ATTRIBUTE_KEYS: Gap = Gap {
    engine: Kind::DynamoDbLocal,
    why: "no multi-attribute keys",
};

fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2024, 1, day).expect("a day")
}

async fn counts(db: &Db, names: &[&str], days: std::ops::RangeInclusive<u32>) -> Outcome {
    db.create_tables([RequestCount::schema()]).await?;
    for name in names {
        for at in days.clone() {
            let row = RequestCount {
                request_name: (*name).to_owned(),
                day: day(at),
                count: at.into(),
            };
            row.put().send(db).await?;
        }
    }
    Ok(())
}

fn days(rows: &[RequestCount]) -> Vec<u64> {
    rows.iter().map(|row| row.count).collect()
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(
    table = "logs",
    key(pk = "APP#{app}", sk = "L#{level}#{at:date}#{text}")
)]
struct Log {
    app: String,
    level: i8,
    at: DateTime<Utc>,
    text: String,
}

fn log(level: i8, at: &str, text: &str) -> Log {
    Log {
        app: "a".into(),
        level,
        at: moment(at),
        text: text.into(),
    }
}

fn texts(rows: &[Log]) -> Vec<&str> {
    rows.iter().map(|row| row.text.as_str()).collect()
}

async fn parts_are_asked_for_from_left_to_right(db: Db) -> Outcome {
    db.create_tables([Log::schema()]).await?;
    let all = [
        log(-5, "2024-01-02T00:00:00Z", "a"),
        log(-1, "2024-01-01T10:00:00Z", "b"),
        log(-1, "2024-01-01T09:00:00Z", "c"),
        log(-1, "2024-01-02T09:00:00Z", "d"),
        log(-1, "2024-01-03T00:00:00Z", "e"),
        log(7, "2024-01-01T00:00:00Z", "f"),
        log(12, "2024-01-01T00:00:00Z", "g"),
    ];
    for row in &all {
        row.put().send(&db).await?;
    }
    let q = || Log::in_partition("a");
    assert_eq!(
        texts(&q().all(&db).await?),
        ["a", "b", "c", "d", "e", "f", "g"]
    );
    assert_eq!(
        texts(&q().descending().all(&db).await?),
        ["g", "f", "e", "d", "c", "b", "a"]
    );
    assert_eq!(
        texts(&q().level().eq(-1).all(&db).await?),
        ["b", "c", "d", "e"]
    );
    assert_eq!(texts(&q().level().lt(-1).all(&db).await?), ["a"]);
    assert_eq!(
        texts(&q().level().le(-1).all(&db).await?),
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(texts(&q().level().gt(-1).all(&db).await?), ["f", "g"]);
    assert_eq!(
        texts(&q().level().between(-5..7).all(&db).await?),
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(
        texts(&q().level().between(-4..=7).all(&db).await?),
        ["b", "c", "d", "e", "f"]
    );
    let at = |d| q().level().eq(-1).at().eq(day(d));
    assert_eq!(texts(&at(1).all(&db).await?), ["b", "c"]);
    assert_eq!(texts(&at(1).text().gt("b").all(&db).await?), ["c"]);
    assert_eq!(texts(&at(1).text().lt("c").all(&db).await?), ["b"]);
    assert_eq!(texts(&at(1).text().eq("c").all(&db).await?), ["c"]);
    let between = q().level().eq(-1).at().between(day(2)..=day(3));
    assert_eq!(texts(&between.all(&db).await?), ["d", "e"]);
    let before = q().level().eq(-1).at().lt(day(2));
    assert_eq!(texts(&before.all(&db).await?), ["b", "c"]);
    Ok(())
}

async fn text_parts_hold_anything(db: Db) -> Outcome {
    db.create_tables([Log::schema()]).await?;
    let at = "2024-01-01T00:00:00Z";
    let mut all = vec![
        "1",
        "10",
        "1#",
        "1#0",
        "1$",
        "1%",
        "%",
        "%25",
        "%23",
        " ",
        "\0",
        "\u{1}",
        "\u{ffff}",
        "\u{10000}",
        "\u{10ffff}",
        "a\0",
        "a",
        "a\u{1}",
        "aa",
        "é",
        "\"",
        "\\",
        "\n",
    ];
    for text in &all {
        log(0, at, text).put().send(&db).await?;
    }
    all.sort_unstable();
    let q = || Log::in_partition("a").level().eq(0).at().eq(day(1)).text();
    for bound in all.iter().copied().chain(["", "1\u{10ffff}", "b"]) {
        let wanted = |keep: &dyn Fn(&str) -> bool| -> Vec<&str> {
            all.iter().copied().filter(|text| keep(text)).collect()
        };
        let below = q().lt(bound).all(&db).await?;
        assert_eq!(texts(&below), wanted(&|text| text < bound), "lt {bound:?}");
        let up_to = q().le(bound).all(&db).await?;
        assert_eq!(texts(&up_to), wanted(&|text| text <= bound), "le {bound:?}");
        let above = q().gt(bound).all(&db).await?;
        assert_eq!(texts(&above), wanted(&|text| text > bound), "gt {bound:?}");
        let from = q().ge(bound).all(&db).await?;
        assert_eq!(texts(&from), wanted(&|text| text >= bound), "ge {bound:?}");
        let begin = q().starts_with(bound).all(&db).await?;
        assert_eq!(
            texts(&begin),
            wanted(&|text| text.starts_with(bound)),
            "starts_with {bound:?}"
        );
        let between = q().between("1"..bound).count(&db).await?;
        assert_eq!(
            between,
            wanted(&|text| "1" <= text && text < bound).len(),
            "between {bound:?}"
        );
    }
    let long = "x".repeat(3000);
    assert_eq!(
        q().gt(&long).count(&db).await?,
        all.iter().filter(|text| **text > &*long).count()
    );
    assert_eq!(
        q().lt(&long).count(&db).await?,
        all.iter().filter(|text| **text < &*long).count()
    );
    assert_eq!(q().starts_with(&long).count(&db).await?, 0);
    let refused = Log::in_partition("a")
        .level()
        .eq(0)
        .at()
        .eq(day(1))
        .text()
        .eq(&long)
        .all(&db)
        .await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.key()),
        (ErrorKind::InvalidKey, Some("sk"))
    );
    let refused = q().eq("").all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::InvalidKey, Some("text"))
    );
    Ok(())
}

/// A native key of each type.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "numbers", key(pk = id, sk = number))]
struct Numbered {
    id: u8,
    number: dynamo_entity::Number,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "names", key(pk = id, sk = name))]
struct Named {
    id: String,
    name: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "blobs", key(pk = id, sk = bytes))]
struct Blob {
    id: Vec<u8>,
    bytes: Vec<u8>,
}

async fn native_keys_have_exact_bounds(db: Db) -> Outcome {
    db.create_tables([Numbered::schema(), Named::schema(), Blob::schema()])
        .await?;
    let numbers = [
        "-9.9e125",
        "-10",
        "-1.5",
        "-1e-130",
        "0",
        "1e-130",
        "1",
        "1.0000000000000000000000000000000000001",
        "2",
        "10",
        "12345678901234567890123456789012345678",
        "9.9e125",
    ];
    let numbers: Vec<dynamo_entity::Number> = numbers
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    for number in &numbers {
        Numbered {
            id: 1,
            number: number.clone(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let q = || Numbered::in_partition(1).number();
    for low in &numbers {
        for high in &numbers {
            let wanted = numbers
                .iter()
                .filter(|number| *number >= low && *number < high)
                .count();
            let found = q().between(low.clone()..high.clone()).count(&db).await?;
            assert_eq!(found, wanted, "{low}..{high}");
        }
        assert_eq!(
            q().gt(low).count(&db).await?,
            numbers.iter().filter(|number| *number > low).count()
        );
        assert_eq!(q().eq(low).count(&db).await?, 1);
    }
    for name in ["a", "a\0", "aa", "b", "\u{ffff}", "\u{10000}"] {
        Named {
            id: "n".into(),
            name: name.into(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let q = || Named::in_partition("n").name();
    assert_eq!(q().between("a".."b").count(&db).await?, 3);
    assert_eq!(q().between("".."b").count(&db).await?, 3);
    assert_eq!(q().between("a".."a\0").count(&db).await?, 1);
    assert_eq!(q().between("b"..="\u{ffff}").count(&db).await?, 2);
    assert_eq!(q().ge("").count(&db).await?, 6);
    assert_eq!(q().le("").count(&db).await?, 0);
    assert_eq!(q().starts_with("a").count(&db).await?, 3);
    assert_eq!(q().starts_with("").count(&db).await?, 6);
    assert_eq!(q().gt("x".repeat(2000)).count(&db).await?, 2);
    assert!(q().eq("").count(&db).await.is_err());
    for bytes in [&[0][..], &[0, 0], &[0, 255], &[1], &[255]] {
        Blob {
            id: vec![1],
            bytes: bytes.to_vec(),
        }
        .put()
        .send(&db)
        .await?;
    }
    let q = || Blob::in_partition(vec![1]).bytes();
    assert_eq!(q().between(vec![0]..vec![1]).count(&db).await?, 3);
    assert_eq!(q().between(vec![0]..vec![0, 0]).count(&db).await?, 1);
    assert_eq!(q().gt(vec![0, 255]).count(&db).await?, 2);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "places", key(pk = id))]
#[dynamo(gsi(by_place, pk = [kind], sk = [country, city, size]))]
struct Place {
    id: u32,
    kind: String,
    country: String,
    city: String,
    size: Option<u32>,
}

async fn multi_attribute_keys_are_asked_for_in_order(db: Db) -> Outcome {
    db.create_tables([Place::schema()]).await?;
    for (id, (country, city, size)) in [
        ("USA", "NY", Some(5)),
        ("USA", "NY", Some(9)),
        ("USA", "NZ", Some(1)),
        ("USAX", "A", Some(1)),
        ("USA", "NY", None),
    ]
    .into_iter()
    .enumerate()
    {
        let place = Place {
            id: id as u32,
            kind: "shop".into(),
            country: country.into(),
            city: city.into(),
            size,
        };
        place.put().send(&db).await?;
    }
    let q = || Place::by_place("shop");
    assert_eq!(q().count(&db).await?, 4);
    assert_eq!(q().country().eq("USA").count(&db).await?, 3);
    assert_eq!(q().country().eq("USA").city().eq("NY").count(&db).await?, 2);
    assert_eq!(
        q().country()
            .eq("USA")
            .city()
            .eq("NY")
            .size()
            .between(5..9)
            .count(&db)
            .await?,
        1
    );
    assert_eq!(
        q().country()
            .eq("USA")
            .city()
            .eq("NY")
            .size()
            .eq(9)
            .count(&db)
            .await?,
        1
    );
    assert_eq!(q().country().starts_with("USA").count(&db).await?, 4);
    assert_eq!(q().country().eq("USA").city().gt("NY").count(&db).await?, 1);
    let page = q().country().eq("USA").limit(2).page(&db).await?;
    let rest = q().country().eq("USA").resume(page.next).all(&db).await?;
    assert_eq!((page.rows.len(), rest.len()), (2, 1));
    Ok(())
}

async fn indexes_are_patterns_of_their_own(db: Db) -> Outcome {
    db.create_tables([Shop::schema()]).await?;
    let mut first = order("ann", 1);
    first.put().send(&db).await?;
    first.order_no = 2;
    first.status = Status::Pending;
    first.put().send(&db).await?;
    let mut other = order("bob", 1);
    other.placed_at = moment("2024-06-01T00:00:00Z");
    other.note = None;
    other.put().send(&db).await?;
    user("ann").put().send(&db).await?;

    let paid = Order::by_status(Status::Paid);
    let found = paid.clone().all(&db).await?;
    assert_eq!(
        found
            .iter()
            .map(|order| &*order.user_id.0)
            .collect::<Vec<_>>(),
        ["ann", "bob"]
    );
    let late = paid
        .placed_at()
        .ge(moment("2024-06-01T00:00:00Z"))
        .all(&db)
        .await?;
    assert_eq!(late.len(), 1);
    // Sparse: `when(status = Paid)`, and a note that is None.
    let noted = Order::by_note(UserId("ann".into())).all(&db).await?;
    assert_eq!(noted.len(), 1);
    let gift = Order::by_note(UserId("ann".into()))
        .note()
        .starts_with("gi");
    assert_eq!(gift.consistent().all(&db).await?.len(), 1);
    assert_eq!(Order::by_note(UserId("bob".into())).count(&db).await?, 0);
    assert_eq!(
        Order::in_partition(UserId("ann".into()))
            .consistent()
            .count(&db)
            .await?,
        2
    );
    assert_eq!(
        User::in_partition(UserId("ann".into())).all(&db).await?,
        [user("ann")]
    );
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "books", pk = "pk", sk = "sk", entities(Book, Chapter, Loan))]
#[dynamo(gsi(gsi1, pk = "g1pk", sk = "g1sk"), gsi(gsi2, pk = "g2pk", sk = "g2sk", project = keys))]
struct Library;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Library, key(pk = "LIB", sk = "BOOK#{isbn}"))]
#[dynamo(gsi(books_of, on = gsi1, pk = "A#{author}", sk = "{isbn}"))]
#[dynamo(gsi(books_by_year, on = gsi2, pk = "Y#{year}", sk = "B#{isbn}"))]
struct Book {
    isbn: String,
    author: String,
    year: u16,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Library, key(pk = "LIB", sk = "BOOK#{isbn}#C#{number:03}"))]
struct Chapter {
    isbn: String,
    number: u8,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Library, key(pk = "LIB", sk = "LOAN#{number}"))]
#[dynamo(gsi(loans_of, on = gsi1, pk = "A#{author}", sk = "{title}"))]
struct Loan {
    number: u32,
    author: String,
    title: String,
}

fn book(isbn: &str) -> Book {
    Book {
        isbn: isbn.into(),
        author: "eco".into(),
        year: 1980,
    }
}

async fn library(db: &Db) -> Outcome {
    db.create_tables([Library::schema()]).await?;
    for isbn in ["1", "10", "1#C", "2"] {
        book(isbn).put().send(db).await?;
        for number in 1..=3 {
            Chapter {
                isbn: isbn.into(),
                number,
            }
            .put()
            .send(db)
            .await?;
        }
    }
    for number in 1..=4 {
        Loan {
            number,
            author: "eco".into(),
            title: format!("{number}"),
        }
        .put()
        .send(db)
        .await?;
    }
    Ok(())
}

fn isbns(books: &[Book]) -> Vec<&str> {
    books.iter().map(|book| book.isbn.as_str()).collect()
}

async fn rows_of_other_entities_stay_out(db: Db) -> Outcome {
    library(&db).await?;
    let books = Book::books_of("eco");
    assert_eq!(books.clone().explain(&db)?.filters, [Filter::Type]);
    assert_eq!(
        isbns(&books.clone().all(&db).await?),
        ["1", "1#C", "10", "2"]
    );
    assert_eq!(books.count(&db).await?, 4);
    assert_eq!(Loan::loans_of("eco").title().le("2").count(&db).await?, 2);
    // Nothing else begins with `LOAN#`.
    let loans = Loan::in_partition();
    assert!(!loans.clone().explain(&db)?.is_filtering());
    assert_eq!(loans.count(&db).await?, 4);
    Ok(())
}

async fn parents_and_children_interleave(db: Db) -> Outcome {
    library(&db).await?;
    let books = Book::in_partition();
    assert!(books.clone().explain(&db)?.is_filtering());
    assert_eq!(
        isbns(&books.clone().all(&db).await?),
        ["1", "1#C", "10", "2"]
    );
    assert_eq!(
        isbns(&books.clone().isbn().le("10").all(&db).await?),
        ["1", "1#C", "10"]
    );
    assert_eq!(
        isbns(&books.clone().isbn().gt("1").all(&db).await?),
        ["1#C", "10", "2"]
    );
    assert_eq!(isbns(&books.clone().isbn().eq("1").all(&db).await?), ["1"]);
    let page = books.clone().limit(3).page(&db).await?;
    assert_eq!(isbns(&page.rows), ["1", "1#C", "10"]);
    let rest = books.limit(3).resume(page.next).page(&db).await?;
    assert_eq!((isbns(&rest.rows), rest.next), (vec!["2"], None));
    let chapters = Chapter::in_partition().isbn().eq("1");
    let found = chapters.clone().all(&db).await?;
    assert_eq!(
        found
            .iter()
            .map(|chapter| &*chapter.isbn)
            .collect::<Vec<_>>(),
        ["1"; 3]
    );
    assert_eq!(chapters.number().gt(1).count(&db).await?, 2);
    assert_eq!(
        Chapter::in_partition().isbn().eq("1#C").count(&db).await?,
        3
    );
    Ok(())
}

async fn an_index_without_all_attributes_gives_keys(db: Db) -> Outcome {
    library(&db).await?;
    let keys: Vec<Key<Book>> = Book::books_by_year(1980).isbn().ge("10").all(&db).await?;
    assert_eq!(keys, [Book::key("10"), Book::key("2")]);
    let page = Book::books_by_year(1980).limit(1).page(&db).await?;
    assert_eq!(
        Book::books_by_year(1980)
            .resume(page.next)
            .count(&db)
            .await?,
        3
    );
    Ok(())
}

async fn empty_ranges_ask_for_nothing(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=3).await?;
    let (faulty, http) = db.faulty([]);
    let q = || RequestCount::in_partition("a").day();
    for nothing in [
        q().between(day(2)..day(2)),
        q().between(day(3)..=day(1)),
        q().between(day(1)..day(3)).limit(0),
    ] {
        assert_eq!(nothing.clone().all(&faulty).await?, []);
        assert_eq!(nothing.clone().count(&faulty).await?, 0);
        assert_eq!(nothing.clone().first(&faulty).await?, None);
        let page = nothing.clone().page(&faulty).await?;
        assert!(page.rows.is_empty() && page.next.is_none());
        assert!(nothing.stream(&faulty).next().await.is_none());
    }
    assert_eq!(http.calls(), Vec::<String>::new());
    assert_eq!(days(&q().between(day(2)..=day(2)).all(&db).await?), [2]);
    Ok(())
}

async fn pages_hold_what_was_asked_for(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=10).await?;
    for size in [1, 2, 3, 5, 10, 11] {
        for page_size in [1, 3, 100] {
            for descending in [false, true] {
                let q = RequestCount::in_partition("a")
                    .limit(size)
                    .page_size(page_size);
                let q = if descending { q.descending() } else { q };
                let mut seen = Vec::new();
                let mut cursor = None;
                loop {
                    let page = q.clone().resume(cursor).page(&db).await?;
                    seen.extend(days(&page.rows));
                    let Some(next) = page.next else { break };
                    assert_eq!(page.rows.len(), size, "a page is full while there is more");
                    cursor = Some(next.to_string().parse()?);
                }
                let mut wanted: Vec<u64> = (1..=10).collect();
                if descending {
                    wanted.reverse();
                }
                assert_eq!(seen, wanted, "pages of {size}, answers of {page_size}");
            }
        }
    }
    // The exact end is the end.
    let page = RequestCount::in_partition("a").limit(10).page(&db).await?;
    assert_eq!((page.rows.len(), page.next), (10, None));
    let page = RequestCount::in_partition("a")
        .page_size(10)
        .page(&db)
        .await?;
    assert_eq!((page.rows.len(), page.next), (10, None));
    let page = RequestCount::in_partition("a")
        .page_size(4)
        .page(&db)
        .await?;
    assert_eq!(page.rows.len(), 4);
    assert_eq!(
        RequestCount::in_partition("a")
            .resume(page.next)
            .count(&db)
            .await?,
        6
    );
    Ok(())
}

async fn pages_go_back_and_forth(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=7).await?;
    for descending in [false, true] {
        let q = RequestCount::in_partition("a").limit(3);
        let q = if descending { q.descending() } else { q };
        let first = q.clone().page(&db).await?;
        assert!(first.previous.is_none());
        let second = q.clone().resume(first.next.clone()).page(&db).await?;
        let third = q.clone().resume(second.next.clone()).page(&db).await?;
        assert_eq!((third.rows.len(), &third.next), (1, &None));
        let back = q.clone().resume(third.previous).page(&db).await?;
        assert_eq!(back.rows, second.rows);
        let forth = q.clone().resume(back.next).page(&db).await?;
        assert_eq!(forth.rows, third.rows);
        let back = q.clone().resume(back.previous).page(&db).await?;
        assert_eq!((&back.rows, &back.previous), (&first.rows, &None));
        let forth = q.clone().resume(back.next).page(&db).await?;
        assert_eq!(forth.rows, second.rows);
        let refused = q
            .clone()
            .resume(second.previous)
            .all(&db)
            .await
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    }
    Ok(())
}

async fn a_cursor_can_be_taken_at_any_row(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=7).await?;
    let q = RequestCount::in_partition("a");
    let page = q.clone().limit(5).page(&db).await?;
    for at in 0..5 {
        let cursor = page.cursor_at(at).expect("a row");
        let behind = q.clone().resume(cursor.clone()).all(&db).await?;
        assert_eq!(days(&behind), (at as u64 + 2..=7).collect::<Vec<_>>());
        let before = q
            .clone()
            .resume(cursor.backwards())
            .limit(100)
            .page(&db)
            .await?;
        assert_eq!(days(&before.rows), (1..=at as u64).collect::<Vec<_>>());
        assert!(before.previous.is_none());
    }
    assert!(page.cursor_at(5).is_none());
    Ok(())
}

async fn a_cursor_fits_its_query_only(db: Db) -> Outcome {
    counts(&db, &["a", "b"], 1..=5).await?;
    db.create_tables([Numbered::schema()]).await?;
    let q = RequestCount::in_partition("a");
    let cursor = q.clone().limit(2).page(&db).await?.next.expect("more");
    let (faulty, http) = db.faulty([]);
    let cursor = || Some(cursor.clone());
    let refused = [
        RequestCount::in_partition("b")
            .resume(cursor())
            .all(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .descending()
            .resume(cursor())
            .all(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .day()
            .gt(day(1))
            .resume(cursor())
            .all(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .day()
            .eq(day(1))
            .resume(cursor())
            .count(&faulty)
            .await
            .map(|_| ()),
        Numbered::in_partition(1)
            .resume(cursor())
            .page(&faulty)
            .await
            .map(|_| ()),
        q.clone()
            .resume(cursor())
            .all(&faulty.clone().with_prefix("other"))
            .await
            .map(|_| ()),
    ];
    for refused in refused {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor, "{refused}");
    }
    assert_eq!(http.calls(), Vec::<String>::new());
    assert_eq!(q.clone().limit(9).resume(cursor()).all(&db).await?.len(), 3);
    for text in ["", "x", "AAAA", "not a cursor", "////"] {
        let refused = text.parse::<Cursor>().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    }
    let json = serde_json::to_string(&cursor())?;
    assert_eq!(serde_json::from_str::<Option<Cursor>>(&json)?, cursor());
    Ok(())
}

async fn a_cursor_keeps_its_bounds(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let before = |end| RequestCount::in_partition("a").day().lt(day(end));
    let page = before(6).limit(3).page(&db).await?;
    // A day has passed.
    let rest = before(7).resume(page.next).all(&db).await?;
    assert_eq!(days(&rest), [4, 5]);
    Ok(())
}

async fn a_secret_refuses_made_up_cursors(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=5).await?;
    let q = RequestCount::in_partition("a").limit(2);
    let signing = Dynamo::clone(&db).with_cursor_secret("s3cret");
    let unsigned = q.clone().page(&db).await?.next;
    let signed = q.clone().page(&signing).await?.next.expect("more");
    assert_eq!(
        q.clone()
            .resume(signed.clone())
            .page(&signing)
            .await?
            .rows
            .len(),
        2
    );
    let back = q
        .clone()
        .resume(signed.clone().backwards())
        .page(&signing)
        .await?;
    assert_eq!(days(&back.rows), [1]);
    let refused = q.clone().resume(unsigned).page(&signing).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    let other = Dynamo::clone(&db).with_cursor_secret("another");
    let refused = q
        .clone()
        .resume(signed.clone())
        .page(&other)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

async fn numbers_of_any_size_survive_a_cursor(db: Db) -> Outcome {
    db.create_tables([Numbered::schema()]).await?;
    let numbers = [
        "-12345678901234567890123456789012345678",
        "0.00000000000000000001",
        "1e100",
        "9.9999999999999999999999999999999999999e125",
    ];
    for number in numbers {
        Numbered {
            id: 1,
            number: number.parse()?,
        }
        .put()
        .send(&db)
        .await?;
    }
    let mut rows = Vec::new();
    let mut cursor = None;
    loop {
        let page = Numbered::in_partition(1)
            .limit(1)
            .resume(cursor)
            .page(&db)
            .await?;
        rows.extend(page.rows.into_iter().map(|row| row.number));
        match page.next {
            Some(next) => cursor = Some(next.to_string().parse()?),
            None => break,
        }
    }
    let numbers: Vec<dynamo_entity::Number> = numbers
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    assert_eq!(rows, numbers);
    Ok(())
}

/// Half of them expired.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "tokens", key(pk = "T", sk = "{number:04}"))]
#[dynamo(gsi(by_owner, pk = owner, sk = expires_at))]
struct Token {
    number: u16,
    owner: String,
    #[dynamo(ttl)]
    expires_at: Option<DateTime<Utc>>,
}

async fn tokens(db: &Db, count: u16) -> Result<(Dynamo, HandClock), Box<dyn std::error::Error>> {
    let clock = HandClock::at("2024-01-01T00:00:00Z");
    let at = db.at(&clock);
    at.create_tables([Token::schema()]).await?;
    for number in 0..count {
        let expires_at = match number % 4 {
            0 => None,
            1 => Some(moment("2024-01-01T00:00:00Z")),
            2 => Some(moment("2024-01-01T00:00:01Z")),
            _ => Some(moment("2023-01-01T00:00:00Z")),
        };
        Token {
            number,
            owner: "o".into(),
            expires_at,
        }
        .put()
        .send(&at)
        .await?;
    }
    Ok((at, clock))
}

fn token_numbers(rows: &[Token]) -> Vec<u16> {
    rows.iter().map(|row| row.number).collect()
}

async fn limit_counts_rows_under_a_filter(db: Db) -> Outcome {
    let (db, _) = tokens(&db, 40).await?;
    let live: Vec<u16> = (0..40).filter(|number| number % 2 == 0).collect();
    for size in [1, 3, 7, 20] {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = Token::in_partition()
                .limit(size)
                .resume(cursor)
                .page(&db)
                .await?;
            seen.extend(token_numbers(&page.rows));
            let Some(next) = page.next else { break };
            assert_eq!(page.rows.len(), size);
            cursor = Some(next);
        }
        assert_eq!(seen, live);
    }
    assert_eq!(Token::in_partition().limit(5).all(&db).await?.len(), 5);
    assert_eq!(Token::in_partition().limit(5).count(&db).await?, 5);
    Ok(())
}

async fn expired_rows_are_hidden(db: Db) -> Outcome {
    let (db, clock) = tokens(&db, 8).await?;
    let q = Token::in_partition();
    assert_eq!(q.clone().explain(&db)?.filters, [Filter::Expired]);
    assert_eq!(token_numbers(&q.clone().all(&db).await?), [0, 2, 4, 6]);
    assert_eq!(q.clone().count(&db).await?, 4);
    assert_eq!(q.clone().include_expired().count(&db).await?, 8);
    assert!(!q.clone().include_expired().explain(&db)?.is_filtering());
    clock.advance(1000);
    assert_eq!(token_numbers(&q.all(&db).await?), [0, 4]);
    clock.advance(-1000);
    // The time itself is the key: a bound takes the filter's place.
    let by_owner = Token::by_owner("o");
    assert_eq!(token_numbers(&by_owner.clone().all(&db).await?), [2, 6]);
    assert_eq!(by_owner.clone().include_expired().count(&db).await?, 6);
    let late = by_owner
        .clone()
        .expires_at()
        .le(moment("2024-01-01T00:00:00Z"));
    assert_eq!(late.clone().count(&db).await?, 0);
    assert_eq!(late.include_expired().count(&db).await?, 4);
    let half = by_owner.expires_at().ge(moment("2024-01-01T00:00:00.5Z"));
    assert_eq!(half.include_expired().count(&db).await?, 2);
    Ok(())
}

async fn max_scanned_bounds_what_is_read(db: Db) -> Outcome {
    let (db, _) = tokens(&db, 40).await?;
    let q = Token::in_partition();
    let page = q.clone().limit(10).max_scanned(8).page(&db).await?;
    assert_eq!(token_numbers(&page.rows), [0, 2, 4, 6]);
    let rest = q.clone().resume(page.next).all(&db).await?;
    assert_eq!(rest.len(), 16);
    assert_eq!(q.clone().max_scanned(8).all(&db).await?.len(), 4);
    assert_eq!(q.clone().max_scanned(8).count(&db).await?, 4);
    let mut rows = q.clone().max_scanned(8).stream(&db);
    let mut seen = 0;
    while let Some(row) = rows.next().await {
        row?;
        seen += 1;
    }
    assert_eq!(seen, 4);
    // A page may end with no rows at all, and still goes on.
    let first = q.clone().limit(1).max_scanned(1).page(&db).await?;
    let second = q
        .clone()
        .limit(1)
        .max_scanned(1)
        .resume(first.next)
        .page(&db)
        .await?;
    assert!(second.rows.is_empty() && second.next.is_some());
    let third = q
        .limit(1)
        .max_scanned(1)
        .resume(second.next)
        .page(&db)
        .await?;
    assert_eq!(token_numbers(&third.rows), [2]);
    Ok(())
}

async fn one_finds_one(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=3).await?;
    let q = || RequestCount::in_partition("a").day();
    assert_eq!(q().eq(day(2)).one(&db).await?.map(|row| row.count), Some(2));
    assert_eq!(q().eq(day(9)).one(&db).await?, None);
    let two = q().ge(day(2)).one(&db).await.unwrap_err();
    assert_eq!(
        (two.kind(), two.entity()),
        (ErrorKind::NotUnique, Some("RequestCount"))
    );
    assert_eq!(
        q().ge(day(2)).first(&db).await?.map(|row| row.count),
        Some(2)
    );
    assert_eq!(
        q().ge(day(2))
            .descending()
            .first(&db)
            .await?
            .map(|row| row.count),
        Some(3)
    );
    assert!(q().ge(day(3)).exists(&db).await?);
    assert!(!q().gt(day(3)).exists(&db).await?);
    Ok(())
}

async fn counts_send_no_rows(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let (faulty, http) = db.faulty([]);
    let q = RequestCount::in_partition("a");
    assert_eq!(q.clone().count(&faulty).await?, 9);
    assert_eq!(q.clone().page_size(2).count(&faulty).await?, 9);
    assert_eq!(q.clone().limit(4).count(&faulty).await?, 4);
    for seen in http.seen() {
        let body = String::from_utf8(seen.body)?;
        assert!(body.contains("\"COUNT\""), "{body}");
    }
    Ok(())
}

async fn a_row_that_does_not_decode_is_an_error(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let broken = raw([
        ("request_name", s("a")),
        ("day", s("2024-01-05")),
        ("count", s("five")),
    ]);
    db.plant::<RequestCount>(broken).await;
    let q = RequestCount::in_partition("a");
    let error = q.clone().all(&db).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.attribute()),
        (ErrorKind::Decode, Some("count"))
    );
    let lenient = q.clone().lenient().all(&db).await?;
    assert_eq!(lenient.iter().filter(|row| row.is_ok()).count(), 8);
    assert!(lenient[4].is_err());
    assert_eq!(q.clone().count(&db).await?, 9);
    let mut rows = q.clone().stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row.map(|row| row.count).map_err(|error| error.kind()));
    }
    assert_eq!(seen.len(), 9);
    assert_eq!((seen[4], seen[8]), (Err(ErrorKind::Decode), Ok(9)));
    let page = q.lenient().limit(6).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (6, true));
    Ok(())
}

async fn a_stream_fetches_ahead(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=20).await?;
    let (faulty, http) = db.faulty([]);
    let mut rows = RequestCount::in_partition("a").page_size(5).stream(&faulty);
    assert_eq!(
        http.calls().len(),
        0,
        "nothing happens before a row is asked for"
    );
    assert_eq!(rows.next().await.transpose()?.map(|row| row.count), Some(1));
    for _ in 0..200 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        if http.calls().len() == 2 {
            break;
        }
    }
    assert_eq!(
        http.calls().len(),
        2,
        "the next answer comes while this one is used"
    );
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(http.calls().len(), 2, "and only that");
    let mut left = 0;
    while let Some(row) = rows.next().await {
        row?;
        left += 1;
    }
    assert_eq!(left, 19);
    assert!(rows.next().await.is_none());
    let mut few = RequestCount::in_partition("a").limit(3).stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = few.next().await {
        seen.push(row?.count);
    }
    assert_eq!(seen, [1, 2, 3]);
    Ok(())
}

async fn deletion_between_pages_loses_nothing(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let q = RequestCount::in_partition("a").limit(3);
    let page = q.clone().page(&db).await?;
    for gone in [3, 4] {
        RequestCount::key("a", day(gone)).delete().send(&db).await?;
    }
    let page = q.clone().resume(page.next).page(&db).await?;
    assert_eq!(days(&page.rows), [5, 6, 7]);
    let back = q.resume(page.previous).page(&db).await?;
    assert_eq!(days(&back.rows), [1, 2]);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "large", key(pk = "L", sk = number))]
struct Large {
    number: u32,
    text: String,
}

async fn large_rows_take_several_answers(db: Db) -> Outcome {
    db.create_tables([Large::schema()]).await?;
    for number in 0..8 {
        Large {
            number,
            text: "x".repeat(300_000),
        }
        .put()
        .send(&db)
        .await?;
    }
    let (faulty, http) = db.faulty([]);
    let q = Large::in_partition();
    assert_eq!(q.clone().all(&faulty).await?.len(), 8);
    assert!(http.calls().len() > 1, "an answer holds 1 MB");
    assert_eq!(q.clone().count(&db).await?, 8);
    let page = q.clone().limit(6).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (6, true));
    let page = q.clone().limit(8).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (8, false));
    let mut rows = q.stream(&db);
    let mut next = 0;
    while let Some(row) = rows.next().await {
        assert_eq!(row?.number, next);
        next += 1;
    }
    assert_eq!(next, 8);
    Ok(())
}

async fn faults_on_the_way_are_retried_or_told(db: Db) -> Outcome {
    use crate::support::faulty::Fault;
    counts(&db, &["a"], 1..=9).await?;
    let q = RequestCount::in_partition("a").page_size(4);
    let (faulty, _) = db.faulty([
        Fault::throttle(),
        Fault::Pass,
        Fault::Lose,
        Fault::internal(),
    ]);
    assert_eq!(q.clone().all(&faulty).await?.len(), 9);
    let (faulty, _) = db.faulty([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let mut rows = q.stream(&faulty);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row.map(|row| row.count).map_err(|error| error.kind()));
    }
    assert_eq!(
        seen,
        [Ok(1), Ok(2), Ok(3), Ok(4), Err(ErrorKind::AccessDenied)]
    );
    Ok(())
}

async fn requests_are_the_fewest(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=10).await?;
    let (faulty, http) = db.faulty([]);
    let q = RequestCount::in_partition("a");
    let limits = || -> Vec<Option<u64>> {
        let body = |seen: crate::support::faulty::Seen| -> serde_json::Value {
            serde_json::from_slice(&seen.body).expect("JSON")
        };
        let limits = http
            .seen()
            .into_iter()
            .map(|seen| body(seen)["Limit"].as_u64())
            .collect();
        http.plan([]);
        limits
    };
    q.clone().all(&faulty).await?;
    assert_eq!(limits(), [None]);
    q.clone().first(&faulty).await?;
    assert_eq!(limits(), [Some(1)]);
    q.clone().exists(&faulty).await?;
    assert_eq!(limits(), [Some(1)]);
    q.clone().limit(4).page(&faulty).await?;
    assert_eq!(limits(), [Some(5)]);
    q.clone().limit(4).all(&faulty).await?;
    assert_eq!(limits(), [Some(4)]);
    q.clone().count(&faulty).await?;
    assert_eq!(limits(), [None]);
    q.clone().page(&faulty).await?;
    assert_eq!(limits(), [None]);
    assert!(q.clone().day().eq(day(1)).one(&faulty).await?.is_some());
    assert_eq!(limits(), [Some(2)]);
    Ok(())
}

async fn entities_can_be_compared_with_a_query(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=2).await?;
    let q: Query<RequestCount> = RequestCount::in_partition("a").day().lt(day(2)).into();
    let row = |name: &str, at| RequestCount {
        request_name: name.into(),
        day: day(at),
        count: 0,
    };
    assert!(q.matches(&row("a", 1))?);
    assert!(!q.matches(&row("a", 2))?);
    assert!(!q.matches(&row("b", 1))?);
    assert!(q.order(&row("a", 1), &row("a", 2))?.is_lt());
    assert!(q.descending().order(&row("a", 1), &row("a", 2))?.is_gt());
    let noted = Order::by_note(UserId("u".into()));
    let noted: Query<Order> = noted.into();
    let mut order = order("u", 1);
    assert!(noted.matches(&order)?);
    order.note = None;
    assert!(!noted.matches(&order)?);
    Ok(())
}

async fn the_request_can_be_seen(db: Db) -> Outcome {
    if db.mode() == Mode::Typed {
        return Ok(());
    }
    let plain = db.clone();
    let q = Order::by_status(Status::Paid)
        .placed_at()
        .lt(moment("2024-02-01T00:00:00Z"));
    let seen = q.clone().descending().limit(20).explain(&plain)?;
    assert_eq!(seen.index.as_deref(), Some("gsi1"));
    assert_eq!(seen.operation, Some("Query"));
    let clock = HandClock::at("1970-01-01T00:01:39Z");
    let request = q.explain(&db.at(&clock))?.requests.remove(0);
    let table = db.table::<Shop>();
    assert_eq!(
        request,
        format!(
            r##"{{"TableName":"{table}","IndexName":"gsi1","KeyConditionExpression":"#n0 = :v0 AND #n1 < :v1","FilterExpression":"NOT #n2 < :v2","ExpressionAttributeNames":{{"#n0":"gsi1pk","#n1":"gsi1sk","#n2":"expires_at"}},"ExpressionAttributeValues":{{":v0":{{"S":"STATUS#Paid"}},":v1":{{"S":"2024-02-01T00:00:00.000000000Z"}},":v2":{{"N":"100"}}}}}}"##
        )
    );
    let range = Order::in_partition(UserId("ann".into()))
        .placed_at()
        .between(moment("2024-01-01T00:00:00Z")..moment("2024-02-01T00:00:00Z"));
    let request = range.include_expired().explain(&db)?.requests.remove(0);
    assert!(
        request.contains(r##""KeyConditionExpression":"#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2""##),
        "{request}"
    );
    assert!(!format!("{:?}", Order::in_partition(UserId("ann".into()))).contains("ann"));
    Ok(())
}

async fn partitions_are_merged(db: Db) -> Outcome {
    counts(&db, &["a", "b", "c"], 1..=5).await?;
    counts(&db, &["d"], 2..=2).await?;
    let names = [
        "a".to_owned(),
        "d".into(),
        "c".into(),
        "none".into(),
        "a".into(),
    ];
    let q = || RequestCount::in_partition(each(&names));
    let named = |rows: Vec<RequestCount>| -> Vec<String> {
        rows.iter()
            .map(|row| format!("{}{}", row.request_name, row.count))
            .collect()
    };
    let all = [
        "a1", "c1", "a2", "d2", "c2", "a3", "c3", "a4", "c4", "a5", "c5",
    ];
    assert_eq!(named(q().all(&db).await?), all);
    let mut down = all;
    down.reverse();
    assert_eq!(named(q().descending().all(&db).await?), down);
    assert_eq!(named(q().page_size(2).all(&db).await?), all);
    let some = q().day().between(day(2)..day(4));
    assert_eq!(named(some.clone().all(&db).await?), all[2..7]);
    assert_eq!(some.clone().count(&db).await?, 5);
    assert_eq!(some.clone().limit(3).count(&db).await?, 3);
    assert_eq!(some.clone().first(&db).await?.map(|row| row.count), Some(2));
    assert!(some.exists(&db).await?);
    let mut rows = q().page_size(1).limit(7).stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row?);
    }
    assert_eq!(named(seen), all[..7]);
    let none: [&str; 0] = [];
    assert_eq!(RequestCount::in_partition(each(none)).all(&db).await?, []);
    let refused = q().max_scanned(5).all(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Rejected);
    assert_eq!(q().explain(&db)?.requests.len(), 4);
    Ok(())
}

async fn pages_go_through_merged_partitions(db: Db) -> Outcome {
    counts(&db, &["a", "b", "c"], 1..=5).await?;
    for descending in [false, true] {
        for size in [1, 2, 4, 15] {
            let q = RequestCount::in_partition(each(["a", "b", "c"])).limit(size);
            let q = if descending { q.descending() } else { q };
            let all = q.clone().limit(100).all(&db).await?;
            assert_eq!(all.len(), 15);
            let mut seen = Vec::new();
            let mut cursor = None;
            let mut last = loop {
                let page = q.clone().resume(cursor.clone()).page(&db).await?;
                seen.extend(page.rows.clone());
                match page.next.clone() {
                    Some(next) => cursor = Some(next.to_string().parse()?),
                    None => break page,
                }
            };
            assert_eq!(seen, all, "pages of {size}");
            let mut back = last.rows.clone();
            while let Some(previous) = last.previous {
                last = q.clone().resume(previous).page(&db).await?;
                back.splice(0..0, last.rows.clone());
            }
            assert_eq!(back, all, "back by pages of {size}");
        }
    }
    let q = RequestCount::in_partition(each(["a", "b", "c"]))
        .day()
        .between(day(2)..=day(3));
    let page = q.clone().limit(2).page(&db).await?;
    let rest = q.clone().resume(page.next.clone()).all(&db).await?;
    assert_eq!(rest, q.all(&db).await?[2..]);
    let refused = RequestCount::in_partition(each(["a", "b"]))
        .day()
        .between(day(2)..=day(3));
    let refused = refused.resume(page.next).all(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

async fn partitions_come_one_after_the_other(db: Db) -> Outcome {
    counts(&db, &["a", "b"], 1..=3).await?;
    let q = RequestCount::in_partition(each(["b", "a"])).by_partition();
    let names = |rows: &[RequestCount]| -> String {
        rows.iter().map(|row| row.request_name.as_str()).collect()
    };
    let all = q.clone().all(&db).await?;
    assert_eq!(names(&all), "bbbaaa");
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = q.clone().limit(2).resume(cursor).page(&db).await?;
        seen.extend(page.rows);
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, all);
    assert_eq!(names(&q.descending().all(&db).await?), "aaabbb");
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "jobs", key(pk = "J#{queue}", sk = "{id:04}", shards = 3))]
#[dynamo(gsi(
    by_state,
    pk = "S#{state}",
    sk = "{at:04}",
    shards = 4,
    read_shards = 6
))]
#[dynamo(gsi(by_state_plain, pk = "P#{state}", sk = "{at:05}"))]
struct Job {
    queue: String,
    id: u16,
    state: String,
    at: u16,
}

async fn shards_read_as_one(db: Db) -> Outcome {
    db.create_tables([Job::schema()]).await?;
    for id in 0..40 {
        let state = if id % 5 == 0 { "done" } else { "new" };
        let at = (id * 7) % 11;
        Job {
            queue: "q".into(),
            id,
            state: state.into(),
            at,
        }
        .put()
        .send(&db)
        .await?;
    }
    let ids = |rows: Vec<Job>| -> Vec<u16> { rows.iter().map(|row| row.id).collect() };
    assert_eq!(
        ids(Job::in_partition("q").all(&db).await?),
        (0..40).collect::<Vec<_>>()
    );
    assert_eq!(
        Job::in_partition("q")
            .id()
            .ge(35)
            .consistent()
            .count(&db)
            .await?,
        5
    );
    let times = |rows: &[Job]| -> Vec<u16> { rows.iter().map(|row| row.at).collect() };
    let twin = Job::by_state_plain("new").all(&db).await?;
    let sharded = Job::by_state("new").all(&db).await?;
    assert_eq!(times(&sharded), times(&twin));
    let mut down = sharded.clone();
    down.reverse();
    assert_eq!(Job::by_state("new").descending().all(&db).await?, down);
    for at in [0, 5, 10] {
        let twin = Job::by_state_plain("new").at().lt(at).count(&db).await?;
        assert_eq!(Job::by_state("new").at().lt(at).count(&db).await?, twin);
        let twin = times(&Job::by_state_plain("new").at().ge(at).all(&db).await?);
        assert_eq!(
            times(&Job::by_state("new").at().ge(at).all(&db).await?),
            twin
        );
    }
    for size in [1, 5, 32] {
        let mut seen = Vec::new();
        let mut cursor = None;
        let mut last = loop {
            let page = Job::by_state("new")
                .limit(size)
                .resume(cursor)
                .page(&db)
                .await?;
            seen.extend(page.rows.clone());
            match page.next.clone() {
                Some(next) => cursor = Some(next),
                None => break page,
            }
        };
        assert_eq!(seen, sharded, "ties are cut by pages and lose nothing");
        let mut back = last.rows.clone();
        while let Some(previous) = last.previous {
            last = Job::by_state("new")
                .limit(size)
                .resume(previous)
                .page(&db)
                .await?;
            back.splice(0..0, last.rows.clone());
        }
        assert_eq!(back, sharded);
    }
    Ok(())
}

async fn filters_leave_rows_out(db: Db) -> Outcome {
    counts(&db, &["a", "b"], 1..=20).await?;
    let q = || RequestCount::in_partition("a").filter(|r| r.count().gt(4) & !r.count().eq(7));
    let wanted: Vec<u64> = (5..=20).filter(|count| *count != 7).collect();
    assert_eq!(days(&q().all(&db).await?), wanted);
    assert_eq!(q().explain(&db)?.filters, [Filter::Condition]);
    assert_eq!(q().count(&db).await?, 15);
    assert_eq!(
        days(&q().filter(|r| r.count().lt(9)).all(&db).await?),
        [5, 6, 8]
    );
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = q().limit(4).resume(cursor).page(&db).await?;
        seen.extend(days(&page.rows));
        match page.next {
            Some(next) => {
                assert_eq!(page.rows.len(), 4);
                cursor = Some(next);
            }
            None => break,
        }
    }
    assert_eq!(seen, wanted);
    let next = q().limit(4).page(&db).await?.next;
    let other = RequestCount::in_partition("a").filter(|r| r.count().gt(5));
    let refused = other.resume(next).page(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    let both = RequestCount::in_partition(each(["a", "b"])).filter(|r| r.count().le(2));
    assert_eq!(days(&both.all(&db).await?), [1, 1, 2, 2]);
    let (faulty, http) = db.faulty([]);
    let never = q().filter(|_| dynamo_entity::any([]));
    assert_eq!(never.all(&faulty).await?, []);
    assert_eq!(http.calls().len(), 0);
    let always = RequestCount::in_partition("a").filter(|_| dynamo_entity::all([]));
    assert!(!always.explain(&db)?.is_filtering());
    // Beside the library's own.
    library(&db).await?;
    let books = Book::in_partition().filter(|b| b.isbn().eq("1") | b.year().lt(0));
    assert_eq!(
        books.clone().explain(&db)?.filters,
        [Filter::Type, Filter::Condition]
    );
    assert_eq!(isbns(&books.all(&db).await?), ["1"]);
    Ok(())
}

async fn filters_name_no_queried_key(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=2).await?;
    let refused = RequestCount::in_partition("a").filter(|r| r.day().gt(day(1)));
    let refused = refused.all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Rejected, Some("day"))
    );
    let scanned = RequestCount::scan().filter(|r| r.day().gt(day(1)));
    assert_eq!(days(&scanned.all(&db).await?), [2]);
    library(&db).await?;
    let refused = Book::books_by_year(1980).filter(|b| b.author().eq("eco"));
    let refused = refused.all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Rejected, Some("author"))
    );
    Ok(())
}

async fn scans_read_the_table(db: Db) -> Outcome {
    library(&db).await?;
    let mut books = Book::scan().all(&db).await?;
    books.sort_by(|left, right| left.isbn.cmp(&right.isbn));
    assert_eq!(isbns(&books), ["1", "1#C", "10", "2"]);
    assert_eq!(Book::scan().explain(&db)?.operation, Some("Scan"));
    assert_eq!(Chapter::scan().consistent().count(&db).await?, 12);
    assert_eq!(Loan::scan().segments(3).all(&db).await?.len(), 4);
    assert_eq!(
        Chapter::scan().segments(4).page_size(2).count(&db).await?,
        12
    );
    assert_eq!(
        Chapter::scan()
            .filter(|c| c.number().eq(2))
            .count(&db)
            .await?,
        4
    );
    assert_eq!(Chapter::scan().limit(5).all(&db).await?.len(), 5);
    let mut rows = Chapter::scan().segments(2).stream(&db);
    let mut seen = 0;
    while let Some(row) = rows.next().await {
        row?;
        seen += 1;
    }
    assert_eq!(seen, 12);
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = Chapter::scan().limit(5).resume(cursor).page(&db).await?;
        seen.extend(page.rows);
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 12);
    let (db, _) = tokens(&db, 8).await?;
    assert_eq!(Token::scan().count(&db).await?, 4);
    assert_eq!(Token::scan().include_expired().count(&db).await?, 8);
    Ok(())
}

/// A query of any kind that is strong.
#[expect(dead_code, reason = "compiled, not run")]
fn strong<Q: QueryVerbs>(query: Q) -> Query<Q::Row>
where
    Q::Reach: StrongReads,
    Query<Q::Row>: From<Query<Q::Row, Q::Reach>>,
{
    query.consistent().into()
}
