//! Laws K4 and K7: a range over a part holds exactly the rows whose part is in it, in the key texts and on
//! the engine.

use std::ops::{Bound, RangeBounds};

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Query};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::{config_of_shape, given};

/// A kind of range that a query can have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Word {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
    Between,
    BetweenInclusive,
    BetweenExclusive,
    AfterUntil,
}

pub const WORDS: [Word; 9] = [
    Word::Eq,
    Word::Lt,
    Word::Le,
    Word::Gt,
    Word::Ge,
    Word::Between,
    Word::BetweenInclusive,
    Word::BetweenExclusive,
    Word::AfterUntil,
];

impl Word {
    pub fn holds<T: PartialOrd>(self, value: &T, low: &T, high: &T) -> bool {
        let range: (Bound<&T>, Bound<&T>) = match self {
            Word::Eq => (Bound::Included(low), Bound::Included(low)),
            Word::Lt => (Bound::Unbounded, Bound::Excluded(low)),
            Word::Le => (Bound::Unbounded, Bound::Included(low)),
            Word::Gt => (Bound::Excluded(low), Bound::Unbounded),
            Word::Ge => (Bound::Included(low), Bound::Unbounded),
            Word::Between => (Bound::Included(low), Bound::Excluded(high)),
            Word::BetweenInclusive => (Bound::Included(low), Bound::Included(high)),
            Word::BetweenExclusive => (Bound::Excluded(low), Bound::Excluded(high)),
            Word::AfterUntil => (Bound::Excluded(low), Bound::Included(high)),
        };
        RangeBounds::contains(&range, value)
    }
}

/// The query for such a range.
macro_rules! asked {
    ($part:expr, $word:expr, $low:expr, $high:expr) => {{
        let (part, low, high) = ($part, $low, $high);
        match $word {
            Word::Eq => Query::from(part.eq(low)),
            word => $crate::queries::ranged!(part, word, low, high),
        }
    }};
}

/// The query for such a range, of what has no `eq`.
macro_rules! ranged {
    ($part:expr, $word:expr, $low:expr, $high:expr) => {{
        let (part, low, high) = ($part, $low, $high);
        match $word {
            Word::Eq => unreachable!("no range"),
            Word::Lt => Query::from(part.lt(low)),
            Word::Le => part.le(low).into(),
            Word::Gt => part.gt(low).into(),
            Word::Ge => part.ge(low).into(),
            Word::Between => part.between(low..high).into(),
            Word::BetweenInclusive => part.between(low..=high).into(),
            Word::BetweenExclusive => {
                let range = (
                    std::ops::Bound::Excluded(low),
                    std::ops::Bound::Excluded(high),
                );
                part.between(range).into()
            }
            Word::AfterUntil => {
                let range = (
                    std::ops::Bound::Excluded(low),
                    std::ops::Bound::Included(high),
                );
                part.between(range).into()
            }
        }
    }};
}

pub(crate) use {asked, ranged};

/// A value and two bounds near it. Often a bound is the value itself, and often the bounds are in the wrong
/// order.
pub fn near<T: Clone + std::fmt::Debug, S: Strategy<Value = T>>(
    values: impl Fn() -> S,
) -> impl Strategy<Value = (T, T, T)> {
    (values(), values(), values(), 0u8..6).prop_map(|(value, low, high, same)| match same {
        0 => (value.clone(), value, high),
        1 => (value.clone(), low, value),
        2 => (value, low.clone(), low),
        3 => (value.clone(), value.clone(), value),
        _ => (value, low, high),
    })
}

/// Sorts by its numbers, which are neither in the order of the names nor in that of the lines.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, DynamoValue)]
#[dynamo(order)]
pub enum Priority {
    High = 300,
    Low = 2,
    Normal = 10,
}

fn priority() -> impl Strategy<Value = Priority> {
    proptest::sample::select(&[Priority::High, Priority::Low, Priority::Normal][..])
}

/// A sort key of two parts, queried by ranges of the first part and by ranges of the second one below a first
/// part.
macro_rules! shape {
    ($name:ident: $sk:tt, $first:ty = $first_strategy:expr, $second:ty = $second_strategy:expr) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "rows", key(pk = "P#{id}", sk = $sk))]
            pub struct Row {
                pub id: u8,
                pub major: $first,
                pub minor: $second,
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn on_paper(
                    (first, low, high) in near(|| $first_strategy),
                    (second, least, most) in near(|| $second_strategy),
                    other in $first_strategy,
                ) {
                    let row = Row { id: 1, major: first.clone(), minor: second.clone() };
                    for word in WORDS {
                        let q: Query<Row> = asked!(Row::in_partition(1).major(), word, low.clone(), high.clone());
                        let wanted = word.holds(&first, &low, &high);
                        prop_assert_eq!(q.matches(&row)?, wanted, "first {:?}", word);
                        let behind = Row::in_partition(1).major().eq(first.clone());
                        let q: Query<Row> = asked!(behind.minor(), word, least.clone(), most.clone());
                        let wanted = word.holds(&second, &least, &most);
                        prop_assert_eq!(q.matches(&row)?, wanted, "second {:?}", word);
                        let behind = Row::in_partition(1).major().eq(other.clone());
                        let q: Query<Row> = asked!(behind.minor(), word, least.clone(), most.clone());
                        prop_assert_eq!(q.matches(&row)?, wanted && other == first, "other {:?}", word);
                    }
                    let all: Query<Row> = Row::in_partition(1).into();
                    prop_assert!(all.matches(&row)?);
                    let elsewhere: Query<Row> = Row::in_partition(10).into();
                    prop_assert!(!elsewhere.matches(&row)?);
                }
            }

            #[test]
            fn on_the_engine() {
                super::on_the_engine(|db, runner| {
                    let rows = proptest::collection::vec(($first_strategy, $second_strategy), 1..14);
                    let rows = sample(rows, runner);
                    let mut firsts = sample(near(|| $first_strategy), runner);
                    let mut seconds = sample(near(|| $second_strategy), runner);
                    let mut rows: Vec<Row> = rows
                        .into_iter()
                        .map(|(first, second)| Row { id: 1, major: first, minor: second })
                        .collect();
                    rows.sort_by(|a, b| (&a.major, &a.minor).partial_cmp(&(&b.major, &b.minor)).unwrap());
                    rows.dedup_by(|a, b| (&a.major, &a.minor) == (&b.major, &b.minor));
                    // Some bounds are values of stored rows.
                    if let [row, .., last] = rows.as_slice() {
                        firsts.1 = row.major.clone();
                        seconds.2 = last.minor.clone();
                    }
                    async move {
                        db.create_tables([Row::schema()]).await?;
                        for row in &rows {
                            row.put().send(&db).await?;
                        }
                        for word in WORDS {
                            let q: Query<Row> = asked!(Row::in_partition(1).major(), word, firsts.1.clone(), firsts.2.clone());
                            let mut wanted: Vec<Row> = rows.iter().filter(|row| word.holds(&row.major, &firsts.1, &firsts.2)).cloned().collect();
                            assert_eq!(q.clone().all(&db).await?, wanted, "{word:?}");
                            assert_eq!(q.clone().count(&db).await?, wanted.len() as u64);
                            wanted.reverse();
                            assert_eq!(q.descending().page_size(2).all(&db).await?, wanted, "{word:?}");
                            let behind = Row::in_partition(1).major().eq(firsts.1.clone());
                            let q: Query<Row> = asked!(behind.minor(), word, seconds.1.clone(), seconds.2.clone());
                            let wanted: Vec<Row> = rows
                                .iter()
                                .filter(|row| row.major == firsts.1 && word.holds(&row.minor, &seconds.1, &seconds.2))
                                .cloned()
                                .collect();
                            assert_eq!(q.all(&db).await?, wanted, "second {word:?}");
                        }
                        for row in &rows {
                            row.delete().send(&db).await?;
                        }
                        Ok(())
                    }
                });
            }
        }
    };
}

shape!(texts: "T#{major}#{minor}", String = given::text(), String = given::text());
shape!(texts_without_head: "{major}#{minor}", String = given::text(), String = given::text());
shape!(signed: "{major}#{minor}", i32 = given::i32(), i8 = given::i8());
shape!(fixed_then_text: "{major}{minor}", u16 = given::u16(), String = given::text());
shape!(padded: "X{major:05}Y{minor:05}", u16 = given::u16(), u16 = given::u16());
shape!(times: "A#{major}#{minor}", DateTime<Utc> = given::chrono_utc(), DateTime<Utc> = given::chrono_utc());
shape!(wide: "{major}#{minor}", i128 = -1_000_000_000_000i128..1_000_000_000_000, u64 = given::u64());
shape!(ranks: "R#{major}#{minor}", Priority = priority(), Priority = priority());
shape!(mixed: "M#{major}#B#{minor}#E", String = given::text(), i16 = given::i16());

/// Native keys of each type, queried by ranges.
macro_rules! native {
    ($name:ident: $ty:ty = $strategy:expr) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "rows", key(pk = id, sk = sort))]
            pub struct Row {
                pub id: u8,
                pub sort: $ty,
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn on_paper((sort, low, high) in near(|| $strategy)) {
                    let row = Row { id: 1, sort: sort.clone() };
                    for word in WORDS {
                        let q: Query<Row> = asked!(Row::in_partition(1).sort(), word, low.clone(), high.clone());
                        prop_assert_eq!(q.matches(&row)?, word.holds(&sort, &low, &high), "{:?}", word);
                    }
                }
            }

            #[test]
            fn on_the_engine() {
                super::on_the_engine(|db, runner| {
                    let mut rows = sample(proptest::collection::vec($strategy, 1..14), runner);
                    let bounds = sample(near(|| $strategy), runner);
                    rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    rows.dedup();
                    let low = rows.first().cloned().unwrap_or(bounds.1);
                    async move {
                        db.create_tables([Row::schema()]).await?;
                        for sort in &rows {
                            Row { id: 1, sort: sort.clone() }.put().send(&db).await?;
                        }
                        for (low, high) in [(low, bounds.2.clone()), (bounds.0.clone(), bounds.2)] {
                            for word in WORDS {
                                let q: Query<Row> = asked!(Row::in_partition(1).sort(), word, low.clone(), high.clone());
                                let found = q.all(&db).await?.into_iter().map(|row| row.sort);
                                let wanted = rows.iter().filter(|sort| word.holds(*sort, &low, &high));
                                assert!(found.eq(wanted.cloned()), "{word:?}");
                            }
                        }
                        for sort in &rows {
                            Row::key(1, sort.clone()).delete().send(&db).await?;
                        }
                        Ok(())
                    }
                });
            }
        }
    };
}

native!(native_text: String = given::text());
native!(native_bytes: Vec<u8> = proptest::collection::vec(any::<u8>(), 1..6));
native!(native_integers: i64 = given::i64());
native!(native_numbers: Number = given::number());

pub fn sample<S: Strategy>(strategy: S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).unwrap().current()
}

/// Runs a case on a few random tables only, because calls of the engine take long.
pub fn on_the_engine<F: Future<Output = Result<()>>>(case: impl Fn(Dynamo, &mut TestRunner) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::default();
    runtime.block_on(async {
        let db = Dynamo::connect("embedded:memory").await.unwrap();
        for _ in 0..12 {
            case(db.clone(), &mut runner).await.unwrap();
        }
    });
}

// --- other rows of a shared partition

crate::declare! {
    table Shared(name = "shared", pk = "pk", sk = "sk", entities(Parent, Child, Sibling));
    entity Parent(table = Shared, key(pk = "P", sk = "A#{name}")) { name: String }
    entity Child(table = Shared, key(pk = "P", sk = "A#{name}#C#{number}")) { name: String, number: i8 }
    entity Sibling(table = Shared, key(pk = "P", sk = "AB{number:03}")) { number: u8 }
}

#[test]
fn families_stay_apart() {
    on_the_engine(|db, runner| {
        let names = proptest::collection::vec(given::text(), 1..6);
        let (mut names, bound, number) = sample((names, given::text(), any::<i8>()), runner);
        names.push(bound.clone());
        names.sort();
        names.dedup();
        async move {
            db.create_tables([Shared::schema()]).await?;
            for name in &names {
                Parent { name: name.clone() }.put().send(&db).await?;
                for number in [number, -7, 7] {
                    Child {
                        name: name.clone(),
                        number,
                    }
                    .put()
                    .send(&db)
                    .await?;
                }
            }
            Sibling { number: 35 }.put().send(&db).await?;
            let parents = |rows: Vec<Parent>| -> Vec<String> {
                rows.into_iter().map(|row| row.name).collect()
            };
            assert_eq!(parents(Parent::in_partition().all(&db).await?), names);
            let below: Vec<String> = names
                .iter()
                .filter(|name| **name < bound)
                .cloned()
                .collect();
            let q = Parent::in_partition().name();
            assert_eq!(parents(q.clone().lt(&bound).all(&db).await?), below);
            assert_eq!(
                q.clone().ge(&bound).count(&db).await?,
                (names.len() - below.len()) as u64
            );
            assert_eq!(
                parents(q.eq(&bound).all(&db).await?),
                std::slice::from_ref(&bound)
            );
            let children = Child::in_partition().name().eq(&bound);
            for child in children.clone().all(&db).await? {
                assert_eq!(child.name, bound);
            }
            let positive = children.number().ge(0).all(&db).await?;
            assert!(
                positive
                    .iter()
                    .all(|child| child.number >= 0 && child.name == bound)
            );
            assert_eq!(
                Sibling::in_partition().all(&db).await?,
                [Sibling { number: 35 }]
            );
            for name in &names {
                Parent::key(name).delete().send(&db).await?;
                for number in [number, -7, 7] {
                    Child::key(name, number).delete().send(&db).await?;
                }
            }
            Ok(())
        }
    });
}

// --- cursors

proptest! {
    #![proptest_config(crate::config())]

    /// Any text that a client sends is refused, or it is a cursor that is written as it was read.
    #[test]
    fn no_text_is_too_strange_for_a_cursor(text in "[A-Za-z0-9_-]{0,80}|.{0,40}") {
        if let Ok(cursor) = text.parse::<Cursor>() {
            prop_assert_eq!(cursor.to_string().parse::<Cursor>()?, cursor);
        }
    }

    #[test]
    fn no_bytes_are_too_strange_for_a_cursor(
        flags in 0u8..4,
        range in 0u8..10,
        rest in proptest::collection::vec(prop_oneof![0u8..5, any::<u8>(), Just(b'S'), Just(b'N')], 0..60),
    ) {
        let bytes = [&[1, flags, 0, 0, 0, 0, 0, 0, 0, 0, range][..], &rest].concat();
        let text = base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes);
        if let Ok(cursor) = text.parse::<Cursor>() {
            prop_assert_eq!(cursor.to_string().parse::<Cursor>()?, cursor);
        }
    }
}
