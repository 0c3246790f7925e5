//! `query` returns exactly the matching rows, in order, page by page.

mod cursors;
mod expiring;
mod hydrate;
mod indexes;
mod lanes;
pub(crate) mod model;
mod pages;
mod partitions;
mod parts;
mod places;
mod prefixes;
mod projections;
mod requests;
mod rows;
mod scans;
mod tampered;
mod tuples;
mod untyped;

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::prelude::*;

use crate::model::RequestCount;
use crate::support::clock::{HandClock, moment};
use crate::support::db::Db;
use crate::support::suite::{Outcome, Test};

pub fn tests() -> Vec<Test> {
    let all = [
        parts::tests(),
        prefixes::tests(),
        indexes::tests(),
        lanes::tests(),
        pages::tests(),
        cursors::tests(),
        rows::tests(),
        partitions::tests(),
        projections::tests(),
        hydrate::tests(),
        model::tests(),
        requests::tests(),
        scans::tests(),
        places::tests(),
        untyped::tests(),
        expiring::tests(),
        tampered::tests(),
        tuples::tests(),
    ];
    all.into_iter().flatten().collect()
}

pub(super) fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2024, 1, day).expect("a day")
}

pub(super) async fn counts(
    db: &Db,
    names: &[&str],
    days: std::ops::RangeInclusive<u32>,
) -> Outcome {
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

pub(super) fn days(rows: &[RequestCount]) -> Vec<u64> {
    rows.iter().map(|row| row.count).collect()
}

crate::declare! {
    /// An entity with numbers as its keys.
    pub(super) entity Numbered(table = "numbers", key(pk = id, sk = number))
        { pub(super) id: u8, pub(super) number: dynamo_entity::Number }
    pub(super) table Library(name = "books", pk = "pk", sk = "sk", entities(Book, Chapter, Loan),
        gsi(gsi1, pk = "g1pk", sk = "g1sk"), gsi(gsi2, pk = "g2pk", sk = "g2sk", project = keys));
    pub(super) entity Book(table = Library, key(pk = "LIB", sk = "BOOK#{isbn}"),
        gsi(books_of, on = gsi1, pk = "A#{author}", sk = "{isbn}"),
        gsi(books_by_year, on = gsi2, pk = "Y#{year}", sk = "B#{isbn}"))
        { pub(super) isbn: String, pub(super) author: String, pub(super) year: u16 }
    pub(super) entity Chapter(table = Library, key(pk = "LIB", sk = "BOOK#{isbn}#C#{number:03}"))
        { pub(super) isbn: String, pub(super) number: u8 }
    pub(super) entity Loan(table = Library, key(pk = "LIB", sk = "LOAN#{number}"),
        gsi(loans_of, on = gsi1, pk = "A#{author}", sk = "{title}"))
        { pub(super) number: u32, pub(super) author: String, pub(super) title: String }
}

pub(super) fn book(isbn: &str) -> Book {
    Book {
        isbn: isbn.into(),
        author: "eco".into(),
        year: 1980,
    }
}

pub(super) async fn library(db: &Db) -> Outcome {
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

pub(super) fn isbns(books: &[Book]) -> Vec<&str> {
    books.iter().map(|book| book.isbn.as_str()).collect()
}

crate::declare! {
    /// An entity of which half the rows are expired.
    pub(super) entity Token(table = "tokens", key(pk = "T", sk = "{number:04}"),
        gsi(by_owner, pk = owner, sk = expires_at))
        { pub(super) number: u16, pub(super) owner: String,
          #[dynamo(ttl)] pub(super) expires_at: Option<DateTime<Utc>> }
}

pub(super) async fn tokens(
    db: &Db,
    count: u16,
) -> Result<(Dynamo, HandClock), Box<dyn std::error::Error>> {
    // These times lie in the future, because DynamoDB Local deletes expired items by its own clock.
    let clock = HandClock::at("2094-01-01T00:00:00Z");
    let at = db.at(&clock);
    at.create_tables([Token::schema()]).await?;
    for number in 0..count {
        let expires_at = match number % 4 {
            0 => None,
            1 => Some(moment("2094-01-01T00:00:00Z")),
            2 => Some(moment("2094-01-01T00:00:01Z")),
            _ => Some(moment("2093-01-01T00:00:00Z")),
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

pub(super) fn token_numbers(rows: &[Token]) -> Vec<u16> {
    rows.iter().map(|row| row.number).collect()
}
