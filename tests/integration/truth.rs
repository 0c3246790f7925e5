//! Random conditions: each written expression reads back as the same tree, and the engine agrees with a model
//! on whether it holds.

use dynamo_entity::expr::{Condition, all, any};
use dynamo_entity::plan::Explanation;
use dynamo_entity::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value as Json;

use crate::golden::thing::{Kind, Paths, Thing, full, rows};
use crate::support::db::{Db, Raw, n};
use crate::support::grammar::Written;
use crate::support::model::Cond;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![random_conditions_mean_what_they_say(Thing),];

/// A condition as a user combines it.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(u8, i64),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (0..LEAVES, -6_i64..=6).prop_map(|(kind, number)| Tree::Leaf(kind, number));
    leaf.prop_recursive(5, 24, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Tree::Not),
            (boxed(), boxed()).prop_map(|(left, right)| Tree::And(left, right)),
            (boxed(), boxed()).prop_map(|(left, right)| Tree::Or(left, right)),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::All),
            prop::collection::vec(inner, 0..4).prop_map(Tree::Any),
        ]
    })
}

const LEAVES: u8 = 24;

fn leaf(t: Paths, kind: u8, number: i64) -> Condition<Thing> {
    let size = usize::try_from(number.abs()).unwrap_or_default();
    let word = ["", "Hello", "hello", "h", "may", "z", "x"]
        .get(size)
        .copied()
        .unwrap_or_default();
    match kind {
        0 => t.count().eq(number),
        1 => t.count().ne(number),
        2 => t.count().lt(number),
        3 => t.perhaps().ge(number),
        4 => t.perhaps().between(number..=number + 3),
        5 => t.perhaps().between(number..number + 3),
        6 => t.text().starts_with(word),
        7 => t.text().contains(word),
        8 => t.maybe().eq(word),
        9 => t.maybe().ne(word),
        10 => t.maybe().exists(),
        11 => t.maybe().missing(),
        12 => t.maybe().is_in([word, "maybe"]),
        13 => t.text().size().ge(size),
        14 => t.tags().len().eq(size),
        15 => t.tags().len().ne(size),
        16 => t.tags().len().le(size),
        17 => t.list().len().gt(size),
        18 => t.list().at(size).gt(number),
        19 => t.map().entry("one").le(number),
        20 => t.second().city().eq("Kobe"),
        21 => t.text().eq(t.other()),
        22 => t
            .text()
            .is_in((0..99 + size).map(|at| format!("{at}{word}"))),
        _ => t.kind().eq(Kind::Book),
    }
}

fn condition(t: Paths, tree: &Tree) -> Condition<Thing> {
    match tree {
        Tree::Leaf(kind, number) => leaf(t, *kind, *number),
        Tree::Not(inner) => !condition(t, inner),
        Tree::And(left, right) => condition(t, left) & condition(t, right),
        Tree::Or(left, right) => condition(t, left) | condition(t, right),
        Tree::All(inner) => all(inner.iter().map(|tree| condition(t, tree))),
        Tree::Any(inner) => any(inner.iter().map(|tree| condition(t, tree))),
    }
}

/// The tree as the model combines it, from leaves that were written one by one. An empty AND always holds, an
/// empty OR never does.
fn expected(db: &Db, tree: &Tree) -> Cond {
    match tree {
        Tree::Leaf(..) => written(db, tree)
            .and_then(|leaf| leaf.read())
            .expect("a leaf"),
        Tree::Not(inner) => Cond::Not(Box::new(expected(db, inner))),
        Tree::And(left, right) => Cond::And(vec![expected(db, left), expected(db, right)]),
        Tree::Or(left, right) => Cond::Or(vec![expected(db, left), expected(db, right)]),
        Tree::All(inner) => Cond::And(inner.iter().map(|tree| expected(db, tree)).collect()),
        Tree::Any(inner) => Cond::Or(inner.iter().map(|tree| expected(db, tree)).collect()),
    }
}

/// Simplifies the tree: removes double negations, and parts that always or never hold.
fn simple(cond: Cond) -> Cond {
    match cond {
        Cond::Not(inner) => match simple(*inner) {
            Cond::Not(inner) => *inner,
            Cond::And(none) if none.is_empty() => Cond::Or(none),
            Cond::Or(none) if none.is_empty() => Cond::And(none),
            Cond::Call("attribute_exists", path, _) => {
                Cond::Call("attribute_not_exists", path, None)
            }
            Cond::Call("attribute_not_exists", path, _) => {
                Cond::Call("attribute_exists", path, None)
            }
            other => Cond::Not(Box::new(other)),
        },
        Cond::And(inner) => joined(inner, Cond::And, &Cond::Or(Vec::new())),
        Cond::Or(inner) => joined(inner, Cond::Or, &Cond::And(Vec::new())),
        other => other,
    }
}

fn joined(inner: Vec<Cond>, join: fn(Vec<Cond>) -> Cond, decides: &Cond) -> Cond {
    let inner: Vec<Cond> = inner.into_iter().map(simple).collect();
    if inner.contains(decides) {
        return decides.clone();
    }
    let nothing = join(Vec::new());
    join(inner.into_iter().filter(|cond| *cond != nothing).collect()).flat()
}

fn explained(db: &Db, tree: &Tree) -> Result<Explanation> {
    full().put().when(|t| condition(t, tree)).explain(db)
}

fn written(db: &Db, tree: &Tree) -> Option<Written> {
    let explanation = explained(db, tree).expect("a condition that can hold");
    let request: Json = serde_json::from_str(&explanation.requests[0]).expect("JSON");
    Written::of(&request, "ConditionExpression")
}

/// The rows, each under a sort key of its own.
fn planted() -> Vec<(u32, Raw)> {
    let numbered = rows().into_iter().zip(1..).map(|((_, mut row), no)| {
        row.insert("no".to_owned(), n(no));
        (no, row)
    });
    numbered.collect()
}

/// Whether the condition holds for the row, as the engine sees it; `None` if it can never hold.
fn asked(db: &Db, tree: &Tree, no: u32) -> Result<Option<bool>> {
    let ask = Thing::key("t", no)
        .update()
        .when(|t| condition(t, tree))
        .returning_nothing();
    match meanwhile(ask.send(db).into_future()) {
        Ok(()) => Ok(Some(true)),
        Err(lost) if lost.is_conflict() => Ok(Some(false)),
        Err(refused) if refused.kind() == ErrorKind::InvalidValue => Ok(None),
        Err(other) => Err(other),
    }
}

fn check(db: &Db, rows: &[(u32, Raw)], tree: &Tree) -> std::result::Result<(), TestCaseError> {
    let meant = simple(expected(db, tree));
    let failed = |error| TestCaseError::fail(format!("{error:?}"));
    if meant == Cond::Or(Vec::new()) {
        prop_assert_eq!(asked(db, tree, 1).map_err(failed)?, None);
        return Ok(());
    }
    prop_assert_eq!(
        explained(db, tree).map_err(failed)?,
        explained(db, tree).map_err(failed)?
    );
    match written(db, tree) {
        Some(written) => {
            prop_assert_eq!(written.read(), Some(meant.clone()), "{}", written.text);
            prop_assert!(written.is_minimal(), "{}", written.text);
        }
        None => prop_assert_eq!(&meant, &Cond::And(Vec::new())),
    }
    for (no, row) in rows {
        prop_assert_eq!(
            asked(db, tree, *no).map_err(failed)?,
            Some(meant.holds(row))
        );
    }
    Ok(())
}

async fn random_conditions_mean_what_they_say(db: Db) -> Outcome {
    let rows = planted();
    for (_, row) in &rows {
        db.plant::<Thing>(row.clone()).await;
    }
    let config = Config {
        source_file: Some(file!()),
        ..crate::random(300)
    };
    TestRunner::new(config).run(&trees(), |tree| check(&db, &rows, &tree))?;
    Ok(())
}
