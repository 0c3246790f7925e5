//! Changes by what another attribute holds, on random rows against a model.

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use std::collections::BTreeSet;

use dynamo_entity::expr::{Change, Condition};
use dynamo_entity::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    each_change_is_as_the_model_says(Account),
    an_upsert_takes_nothing_of_an_item_that_is_not_there(Shelf),
    conditions_on_two_attributes_hold_as_the_model_says(Bag),
];

crate::declare! {
    entity Account(table = "accounts", key(pk = id))
        { id: String, total: Option<i64>, price: Option<i64>, stock: Option<u8>, sold: Option<u8>,
          #[dynamo(default = 100)] lives: u8, ratio: Option<f64>, rate: Option<f64>, visits: Option<Vec<i64>>,
          others: Option<Vec<i64>>, name: Option<String>, nick: Option<String> }
}

type Paths = <Account as DynamoEntity>::Paths;

/// What an attribute is before the update.
#[derive(Debug, Clone, PartialEq)]
enum Held<T> {
    Missing,
    Null,
    Is(T),
}

use Held::{Is, Missing, Null};

fn held<T: Clone + std::fmt::Debug + 'static>(values: Vec<T>) -> impl Strategy<Value = Held<T>> {
    let value = proptest::sample::select(values).prop_map(Is);
    prop_oneof![1 => Just(Missing), 1 => Just(Null), 8 => value]
}

#[derive(Debug, Clone)]
struct Row {
    total: Held<i64>,
    price: Held<i64>,
    stock: Held<u8>,
    sold: Held<u8>,
    lives: Held<u8>,
    ratio: Held<f64>,
    rate: Held<f64>,
    visits: Held<Vec<i64>>,
    others: Held<Vec<i64>>,
    name: Held<String>,
    nick: Held<String>,
}

fn rows() -> impl Strategy<Value = Row> {
    let half = i64::MAX / 2;
    let wide = vec![
        i64::MIN,
        -half - 2,
        -half - 1,
        -7,
        0,
        5,
        half,
        half + 1,
        i64::MAX,
    ];
    let small = vec![0, 1, 5, 99, 100, 101, 126, 127, 128, 255];
    let lists = vec![vec![], vec![1], vec![2, 3], vec![1, 1, 4]];
    let texts = vec![String::new(), "ann".to_owned(), "bob".to_owned()];
    let ratios = vec![-2.5, 0.0, 0.25, 100.0];
    (
        [held(wide.clone()), held(wide)],
        [held(small.clone()), held(small.clone()), held(small)],
        [held(ratios.clone()), held(ratios)],
        [held(lists.clone()), held(lists)],
        [held(texts.clone()), held(texts)],
    )
        .prop_map(|(wide, small, ratios, lists, texts)| {
            let ([total, price], [stock, sold, lives]) = (wide, small);
            let ([ratio, rate], [visits, others]) = (ratios, lists);
            let [name, nick] = texts;
            // A field that is no `Option` is never NULL.
            let lives = if lives == Null { Missing } else { lives };
            Row {
                total,
                price,
                stock,
                sold,
                lives,
                ratio,
                rate,
                visits,
                others,
                name,
                nick,
            }
        })
}

fn list(numbers: &[i64]) -> AttributeValue {
    AttributeValue::L(numbers.iter().map(n).collect())
}

fn attribute<'a, T>(
    held: &'a Held<T>,
    value: impl Fn(&'a T) -> AttributeValue,
) -> Option<AttributeValue> {
    match held {
        Missing => None,
        Null => Some(AttributeValue::Null(true)),
        Is(held) => Some(value(held)),
    }
}

impl Row {
    fn raw(&self) -> Raw {
        let text = |text: &String| s(text);
        let numbers = |numbers: &Vec<i64>| list(numbers);
        let attributes = [
            ("total", attribute(&self.total, n)),
            ("price", attribute(&self.price, n)),
            ("stock", attribute(&self.stock, n)),
            ("sold", attribute(&self.sold, n)),
            ("lives", attribute(&self.lives, n)),
            ("ratio", attribute(&self.ratio, n)),
            ("rate", attribute(&self.rate, n)),
            ("visits", attribute(&self.visits, numbers)),
            ("others", attribute(&self.others, numbers)),
            ("name", attribute(&self.name, text)),
            ("nick", attribute(&self.nick, text)),
        ];
        let mut row = raw([("id", s("a"))]);
        let there = attributes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        row.extend(there);
        row
    }
}

/// The sum or difference, if the change is not refused.
fn sum<T: Copy + Into<i128>>(
    (left, right): (&Held<T>, &Held<T>),
    start: i128,
    minus: bool,
    (least, most): (i128, i128),
) -> Option<AttributeValue> {
    let left = match left {
        Missing => start,
        Null => return None,
        Is(left) => (*left).into(),
    };
    let Is(right) = right else { return None };
    let right: i128 = (*right).into();
    let fits = match minus && least == 0 {
        true => right <= left,
        false => [left, right]
            .iter()
            .all(|one| (least / 2..=most / 2).contains(one)),
    };
    let sum = if minus { left - right } else { left + right };
    assert!(!fits || (least..=most).contains(&sum), "{left} and {right}");
    fits.then(|| n(sum))
}

fn real_sum(left: &Held<f64>, right: &Held<f64>) -> Option<AttributeValue> {
    let left = match left {
        Missing => 0.0,
        Null => return None,
        Is(left) => *left,
    };
    match right {
        Is(right) => Some(n(left + right)),
        Missing | Null => None,
    }
}

fn real_twice(rate: &Held<f64>) -> Option<AttributeValue> {
    match rate {
        Is(rate) => Some(n(rate + rate)),
        Missing | Null => None,
    }
}

fn joined(left: &Held<Vec<i64>>, right: &Held<Vec<i64>>, at_front: bool) -> Option<AttributeValue> {
    let (none, Is(right)) = (Vec::new(), right) else {
        return None;
    };
    let left = match left {
        Missing => &none,
        Null => return None,
        Is(left) => left,
    };
    let (first, then) = if at_front {
        (right, left)
    } else {
        (left, right)
    };
    Some(list(&[&first[..], &then[..]].concat()))
}

fn filled(name: &Held<String>, nick: &Held<String>) -> Option<AttributeValue> {
    match (name, nick) {
        (_, Missing | Null) => None,
        (Null, Is(_)) => Some(AttributeValue::Null(true)),
        (Is(name), Is(_)) | (Missing, Is(name)) => Some(s(name)),
    }
}

struct Case {
    name: &'static str,
    change: fn(Paths) -> Change<Account>,
    /// The attribute afterwards; none if the change is refused.
    model: fn(&Row) -> Option<AttributeValue>,
}

const I64: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const U8: (i128, i128) = (0, 255);

macro_rules! cases {
    ($($name:ident: $change:expr, $model:expr;)*) => {
        [$(Case { name: stringify!($name), change: $change, model: $model }),*]
    };
}

/// The result of `set_sum` and `set_difference` for two numbers that must exist.
fn sum_of_there<T: Copy + Into<i128>>(
    pair: (&Held<T>, &Held<T>),
    minus: bool,
    range: (i128, i128),
) -> Option<AttributeValue> {
    matches!(pair.0, Is(_)).then(|| sum(pair, 0, minus, range))?
}

/// Their result for one that must exist and a value.
fn sum_with<T: Copy + Into<i128>>(
    first: &Held<T>,
    change: i128,
    (least, most): (i128, i128),
) -> Option<AttributeValue> {
    let Is(first) = first else { return None };
    let first: i128 = (*first).into();
    let sum = first + change;
    (least..=most).contains(&sum).then(|| n(sum))
}

const CASES: [Case; 22] = cases![
    total: |a| a.total().add(a.price()), |r| sum((&r.total, &r.price), 0, false, I64);
    total: |a| a.total().sub(a.price()), |r| sum((&r.total, &r.price), 0, true, I64);
    total: |a| a.total().add(a.total()), |r| sum((&r.total, &r.total), 0, false, I64);
    stock: |a| a.stock().add(a.sold()), |r| sum((&r.stock, &r.sold), 0, false, U8);
    stock: |a| a.stock().sub(a.sold()), |r| sum((&r.stock, &r.sold), 0, true, U8);
    stock: |a| a.stock().sub(a.lives()), |r| sum((&r.stock, &r.lives), 0, true, U8);
    lives: |a| a.lives().add(a.sold()), |r| sum((&r.lives, &r.sold), 100, false, U8);
    lives: |a| a.lives().sub(a.sold()), |r| sum((&r.lives, &r.sold), 100, true, U8);
    ratio: |a| a.ratio().add(a.rate()), |r| real_sum(&r.ratio, &r.rate);
    visits: |a| a.visits().extend(a.others()), |r| joined(&r.visits, &r.others, false);
    visits: |a| a.visits().prepend(a.others()), |r| joined(&r.visits, &r.others, true);
    visits: |a| a.visits().extend(a.visits()), |r| joined(&r.visits, &r.visits, false);
    visits: |a| a.visits().prepend([8, 9]), |r| joined(&r.visits, &Is(vec![8, 9]), true);
    name: |a| a.name().set_if_absent(a.nick()), |r| filled(&r.name, &r.nick);
    total: |a| a.total().set_sum(a.price(), a.total()), |r| sum_of_there((&r.price, &r.total), false, I64);
    total: |a| a.total().set_difference(a.price(), a.total()), |r| sum_of_there((&r.price, &r.total), true, I64);
    total: |a| a.total().set_sum(a.price(), 7), |r| sum_with(&r.price, 7, I64);
    total: |a| a.total().set_difference(a.price(), 7), |r| sum_with(&r.price, -7, I64);
    stock: |a| a.stock().set_sum(a.sold(), a.lives()), |r| sum_of_there((&r.sold, &r.lives), false, U8);
    stock: |a| a.stock().set_difference(a.sold(), a.lives()), |r| sum_of_there((&r.sold, &r.lives), true, U8);
    lives: |a| a.lives().set_difference(a.stock(), 100), |r| sum_with(&r.stock, -100, U8);
    ratio: |a| a.ratio().set_sum(a.rate(), a.rate()), |r| real_twice(&r.rate);
];

async fn each_change_is_as_the_model_says(db: Db) -> Outcome {
    let key = Account::key("a");
    let mut runner = TestRunner::new(crate::random(40));
    for _ in 0..runner.config().cases {
        let row = rows().new_tree(&mut runner).expect("a row").current();
        for case in &CASES {
            db.plant::<Account>(row.raw()).await;
            let answer = key.clone().update().apply(case.change).send(&db).await;
            let (mut expected, became) = (row.raw(), (case.model)(&row));
            let what = format!("{} of {row:?} became {answer:?}", case.name);
            match answer {
                Ok(_) => assert!(became.is_some(), "{what}"),
                Err(refused) => {
                    assert!(became.is_none() && refused.is_conflict(), "{what}");
                    assert!(refused.current::<Account>()?.is_some(), "{what}");
                }
            }
            expected.extend(became.map(|value| (case.name.to_owned(), value)));
            // Numbers of one value may be spelt in two ways.
            let stored = Item::from(db.stored(&key).await);
            assert_eq!(stored, Item::from(expected), "{what}");
        }
    }
    Ok(())
}

crate::declare! { entity Shelf(table = "shelves", key(pk = id)) { id: String, count: u32, spare: Option<u32> } }

async fn an_upsert_takes_nothing_of_an_item_that_is_not_there(db: Db) -> Outcome {
    let upsert = || Shelf::key("a").upsert();
    let refused = upsert()
        .apply(|s| s.count().add(s.spare()))
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue, "{refused:?}");
    let refused = upsert().apply(|s| (s.count().set(1), s.spare().set_if_absent(s.count())));
    let refused = refused.send(&db).await.unwrap_err();
    assert!(refused.is_conflict(), "{refused:?}");
    assert!(db.raw(&Shelf::key("a")).await.is_none());
    Ok(())
}

crate::declare! {
    entity Bag(table = "bags", key(pk = id))
        { id: String, name: Option<String>, part: Option<String>, tags: BTreeSet<String>, list: Option<Vec<i64>>,
          number: Option<i64>, limit: Option<u32> }
}

type BagPaths = <Bag as DynamoEntity>::Paths;

/// A bag as it is stored: a missing attribute is no member.
#[derive(Debug, Clone)]
struct Stored {
    name: Held<String>,
    part: Held<String>,
    tags: Held<Vec<String>>,
    list: Held<Vec<i64>>,
    number: Held<i64>,
    limit: Held<u32>,
}

fn stored_bags() -> impl Strategy<Value = Stored> {
    let texts = || held(["", "a", "b", "ab", "abc"].map(str::to_owned).to_vec());
    let sets = [vec!["a"], vec!["a", "b"], vec!["ab", "abc", ""]];
    let sets = sets.map(|set| set.into_iter().map(str::to_owned).collect());
    let lists = vec![vec![], vec![1], vec![1, 2, 3]];
    (
        texts(),
        texts(),
        held(sets.to_vec()),
        held(lists),
        held(vec![0, 1, 2, 3]),
        held(vec![0, 1, 2, 3]),
    )
        .prop_map(|(name, part, tags, list, number, limit)| Stored {
            name,
            part,
            tags,
            list,
            number,
            limit,
        })
}

impl Stored {
    fn raw(&self) -> Raw {
        let attributes = [
            ("name", attribute(&self.name, |text| s(text))),
            ("part", attribute(&self.part, |text| s(text))),
            (
                "tags",
                attribute(&self.tags, |tags| AttributeValue::Ss(tags.clone())),
            ),
            ("list", attribute(&self.list, |list_of| list(list_of))),
            ("number", attribute(&self.number, n)),
            ("limit", attribute(&self.limit, n)),
        ];
        let mut row = raw([("id", s("b"))]);
        let there = attributes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        row.extend(there);
        row
    }
}

/// Whether both are there and the second is part of the first.
fn both<A, B>(whole: &Held<A>, part: &Held<B>, contains: impl Fn(&A, &B) -> bool) -> bool {
    match (whole, part) {
        (Is(whole), Is(part)) => contains(whole, part),
        _ => false,
    }
}

/// A size against the limit; nothing is less or more than a missing one.
fn against(
    size: Option<usize>,
    limit: &Held<u32>,
    holds: impl Fn(usize, usize) -> bool,
) -> Option<bool> {
    match (size, limit) {
        (Some(size), Is(limit)) => Some(holds(size, usize::try_from(*limit).expect("small"))),
        _ => None,
    }
}

fn len_of<T>(list: &Held<Vec<T>>) -> Option<usize> {
    match list {
        Is(list) => Some(list.len()),
        Missing | Null => None,
    }
}

fn set_len(tags: &Held<Vec<String>>) -> Option<usize> {
    len_of(tags).or(Some(0))
}

struct Question {
    name: &'static str,
    asked: fn(BagPaths) -> Condition<Bag>,
    model: fn(&Stored) -> bool,
}

macro_rules! questions {
    ($($name:literal: $asked:expr, $model:expr;)*) => {
        [$(Question { name: $name, asked: $asked, model: $model }),*]
    };
}

const QUESTIONS: [Question; 17] = questions![
    "text in text": |b| b.name().contains(b.part()), |r| both(&r.name, &r.part, |name, part| name.contains(part.as_str()));
    "text in set": |b| b.tags().contains(&b.part()), |r| both(&r.tags, &r.part, |tags, part| tags.contains(part));
    "number in list": |b| b.list().contains(b.number()), |r| both(&r.list, &r.number, |list, number| list.contains(number));
    "value in list": |b| b.list().contains(2), |r| both(&r.list, &Is(2), |list, number| list.contains(number));
    "one of two": |b| b.name().is_in([b.part()]), |r| r.name == r.part && r.name != Missing;
    "set ==": |b| b.tags().len().eq(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size == limit) == Some(true);
    "set !=": |b| b.tags().len().ne(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size == limit) != Some(true);
    "set <": |b| b.tags().len().lt(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size < limit) == Some(true);
    "set <=": |b| b.tags().len().le(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size <= limit) == Some(true);
    "set >": |b| b.tags().len().gt(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size > limit) == Some(true);
    "set >=": |b| b.tags().len().ge(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size >= limit) == Some(true);
    "list ==": |b| b.list().len().eq(b.limit()), |r| against(len_of(&r.list), &r.limit, |size, limit| size == limit) == Some(true);
    "list !=": |b| b.list().len().ne(b.limit()), |r| against(len_of(&r.list), &r.limit, |size, limit| size == limit) != Some(true);
    "list <": |b| b.list().len().lt(b.limit()), |r| against(len_of(&r.list), &r.limit, |size, limit| size < limit) == Some(true);
    "list >=": |b| b.list().len().ge(b.limit()), |r| against(len_of(&r.list), &r.limit, |size, limit| size >= limit) == Some(true);
    "not text in text": |b| !b.name().contains(b.part()), |r| !both(&r.name, &r.part, |name, part| name.contains(part.as_str()));
    "not set <": |b| !b.tags().len().lt(b.limit()), |r| against(set_len(&r.tags), &r.limit, |size, limit| size < limit) != Some(true);
];

async fn conditions_on_two_attributes_hold_as_the_model_says(db: Db) -> Outcome {
    let key = Bag::key("b");
    let mut runner = TestRunner::new(crate::random(40));
    for _ in 0..runner.config().cases {
        let row = stored_bags()
            .new_tree(&mut runner)
            .expect("a row")
            .current();
        db.plant::<Bag>(row.raw()).await;
        for question in &QUESTIONS {
            let asked = key
                .clone()
                .update()
                .when(question.asked)
                .returning_nothing();
            let holds = match asked.send(&db).await {
                Ok(()) => true,
                Err(lost) if lost.is_conflict() => false,
                Err(other) => return Err(other.into()),
            };
            assert_eq!(
                holds,
                (question.model)(&row),
                "{} of {row:?}",
                question.name
            );
        }
    }
    Ok(())
}
