//! `starts_with` on each part of keys that others wrote, against a brute-force model.

use dynamo_entity::Query;
use dynamo_entity::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![a_prefix_finds_the_rows_whose_part_begins_with_it(Paper),];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, DynamoEntity)]
#[dynamo(table = "papers", verbatim(delimiter = ":"), key(pk = id, sk = "$p:{city}:{team:lower}:{name}"))]
#[dynamo(gsi(by_id, pk = "{id}", sk = "{team}:{number}"))]
struct Paper {
    id: u8,
    city: String,
    team: String,
    name: String,
    number: u32,
}

/// Texts that often begin with one another. Only the last part of a key may hold the delimiter.
fn text(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(pieces), 0..=most)
        .prop_map(|pieces| pieces.concat())
}

const PIECES: &[&str] = &["a", "b", "B", "é", "#", "$p", "^", "`"];
const WITH_DELIMITER: &[&str] = &["a", "b", "B", "é", "#", "$p", ":"];

fn paper() -> impl Strategy<Value = Paper> {
    let part = || {
        text(PIECES, 3).prop_map(|text| {
            if text.is_empty() {
                "a".to_owned()
            } else {
                text
            }
        })
    };
    let name = text(WITH_DELIMITER, 3).prop_map(|text| format!("n{text}"));
    (part(), part(), name, 0_u32..30).prop_map(|(city, team, name, number)| Paper {
        id: 1,
        city,
        team,
        name,
        number,
    })
}

async fn a_prefix_finds_the_rows_whose_part_begins_with_it(db: Db) -> Outcome {
    let mut runner = TestRunner::new(crate::random(100));
    let papers = proptest::collection::vec(paper(), 60).new_tree(&mut runner);
    for paper in papers.expect("rows").current() {
        paper.put().send(&db).await?;
    }
    let rows = Paper::in_partition(1).all(&db).await?;
    assert!(rows.len() > 20, "{rows:?}");
    let of = |holds: &dyn Fn(&Paper) -> bool| {
        let rows = rows.iter().filter(|row| holds(row));
        rows.cloned().collect::<Vec<_>>()
    };
    let given = (
        text(WITH_DELIMITER, 2),
        proptest::sample::select(rows.clone()),
    );
    for _ in 0..runner.config().cases {
        let (prefix, row) = given.new_tree(&mut runner).expect("a prefix").current();
        let (prefix, small) = (&*prefix, &*prefix.to_lowercase());
        let in_city = || Paper::in_partition(1).city().eq(&row.city);
        let is_there = |other: &Paper| other.city == row.city;
        let is_of_team =
            |other: &Paper| is_there(other) && other.team.to_lowercase() == row.team.to_lowercase();
        let city = Paper::in_partition(1).city().starts_with(prefix);
        let expected = of(&|row| row.city.starts_with(prefix));
        check(&db, city.into(), expected, prefix).await?;
        let team = in_city().team().starts_with(prefix);
        let expected = of(&|row| is_there(row) && row.team.to_lowercase().starts_with(small));
        check(&db, team.into(), expected, prefix).await?;
        let name = in_city().team().eq(&row.team).name().starts_with(prefix);
        let expected = of(&|row| is_of_team(row) && row.name.starts_with(prefix));
        check(&db, name.into(), expected, prefix).await?;
        let by_id = Paper::by_id(1).team().starts_with(prefix);
        let expected = of(&|row| row.team.starts_with(prefix));
        check(&db, by_id.into(), expected, prefix).await?;
    }
    // No part but the last holds the delimiter, so nothing is asked.
    let none = Paper::in_partition(1)
        .city()
        .starts_with("a:")
        .explain(&db)?;
    assert!(none.requests.is_empty(), "{none:?}");
    Ok(())
}

async fn check(db: &Db, query: Query<Paper>, mut expected: Vec<Paper>, prefix: &str) -> Outcome {
    let mut found = query.all(db).await?;
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "starts with {prefix:?}");
    Ok(())
}
