//! A small evaluator of conditions, written from DynamoDB's documentation without any code of the library.
//! Engines are compared with it.

use std::collections::BTreeSet;

use dynamo_entity::Number;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;

use super::db::Raw;

#[derive(Debug, Clone, PartialEq)]
pub enum Cond {
    Compare(Term, &'static str, Term),
    Between(Term, Term, Term),
    In(Term, Vec<Term>),
    /// `attribute_exists` and its like: name, path, and the value for those that take one.
    Call(&'static str, Path, Option<AttributeValue>),
    Not(Box<Cond>),
    And(Vec<Cond>),
    Or(Vec<Cond>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    At(Path),
    Size(Path),
    Value(AttributeValue),
}

pub type Path = Vec<Step>;

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Name(String),
    Index(usize),
}

impl Cond {
    /// Joins nested conditions of the same kind into one, because the library writes no parentheses for them.
    pub fn flat(self) -> Cond {
        match self {
            Cond::And(all) => joined(all, Cond::And),
            Cond::Or(any) => joined(any, Cond::Or),
            Cond::Not(inner) => Cond::Not(Box::new(inner.flat())),
            other => other,
        }
    }

    pub fn holds(&self, item: &Raw) -> bool {
        match self {
            Cond::Compare(left, by, right) => compare(left.of(item), by, right.of(item)),
            Cond::Between(term, low, high) => {
                let value = term.of(item);
                compare(value.clone(), ">=", low.of(item)) && compare(value, "<=", high.of(item))
            }
            Cond::In(term, values) => {
                let value = term.of(item);
                values
                    .iter()
                    .any(|one| compare(value.clone(), "=", one.of(item)))
            }
            Cond::Call(name, path, value) => call(name, at(item, path), value.as_ref()),
            Cond::Not(inner) => !inner.holds(item),
            Cond::And(all) => all.iter().all(|cond| cond.holds(item)),
            Cond::Or(any) => any.iter().any(|cond| cond.holds(item)),
        }
    }
}

fn joined(conds: Vec<Cond>, join: fn(Vec<Cond>) -> Cond) -> Cond {
    let is_and = matches!(join(Vec::new()), Cond::And(_));
    let mut flat = Vec::new();
    for cond in conds {
        match cond.flat() {
            Cond::And(inner) if is_and => flat.extend(inner),
            Cond::Or(inner) if !is_and => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 {
        flat.remove(0)
    } else {
        join(flat)
    }
}

impl Term {
    fn of(&self, item: &Raw) -> Option<AttributeValue> {
        match self {
            Term::At(path) => at(item, path).cloned(),
            Term::Size(path) => Some(AttributeValue::N(size(at(item, path)?)?.to_string())),
            Term::Value(value) => Some(value.clone()),
        }
    }
}

fn at<'i>(item: &'i Raw, path: &[Step]) -> Option<&'i AttributeValue> {
    let (Step::Name(first), rest) = path.split_first()? else {
        return None;
    };
    rest.iter()
        .try_fold(item.get(first)?, |value, step| match (step, value) {
            (Step::Name(name), AttributeValue::M(map)) => map.get(name),
            (Step::Index(index), AttributeValue::L(list)) => list.get(*index),
            _ => None,
        })
}

fn size(value: &AttributeValue) -> Option<usize> {
    Some(match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::L(list) => list.len(),
        AttributeValue::M(map) => map.len(),
        AttributeValue::Ss(set) | AttributeValue::Ns(set) => set.len(),
        AttributeValue::Bs(set) => set.len(),
        _ => return None,
    })
}

/// A missing value equals nothing and is neither less nor greater than anything.
fn compare(left: Option<AttributeValue>, by: &str, right: Option<AttributeValue>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    if by == "<>" {
        return !compare(left, "=", right);
    }
    let (Some(left), Some(right)) = (left, right) else {
        return false;
    };
    if by == "=" {
        return is_same(&left, &right);
    }
    let order = match (&left, &right) {
        (AttributeValue::S(left), AttributeValue::S(right)) => {
            left.as_bytes().cmp(right.as_bytes())
        }
        (AttributeValue::N(left), AttributeValue::N(right)) => number(left).cmp(&number(right)),
        (AttributeValue::B(left), AttributeValue::B(right)) => left.as_ref().cmp(right.as_ref()),
        _ => return false,
    };
    match by {
        "<" => order == Less,
        "<=" => order != Greater,
        ">" => order == Greater,
        ">=" => order != Less,
        _ => unreachable!("{by} with {Equal:?}"),
    }
}

fn number(text: &str) -> Number {
    text.parse().expect("a number")
}

fn is_same(left: &AttributeValue, right: &AttributeValue) -> bool {
    use AttributeValue::{L, M, N, Ns, Ss};
    let numbers = |set: &[String]| set.iter().map(|text| number(text)).collect::<BTreeSet<_>>();
    let texts = |set: &[String]| set.iter().cloned().collect::<BTreeSet<_>>();
    match (left, right) {
        (N(left), N(right)) => number(left) == number(right),
        (Ns(left), Ns(right)) => numbers(left) == numbers(right),
        (Ss(left), Ss(right)) => texts(left) == texts(right),
        (L(left), L(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| is_same(left, right))
        }
        (M(left), M(right)) => {
            let same = |(name, value)| right.get(name).is_some_and(|other| is_same(value, other));
            left.len() == right.len() && left.iter().all(same)
        }
        (left, right) => left == right,
    }
}

fn call(name: &str, found: Option<&AttributeValue>, value: Option<&AttributeValue>) -> bool {
    use AttributeValue::{B, Bs, L, N, Ns, S, Ss};
    if name == "attribute_not_exists" {
        return found.is_none();
    }
    let Some(found) = found else { return false };
    match (name, found, value) {
        ("attribute_exists", ..) => true,
        ("attribute_type", found, Some(S(tag))) => tag_of(found) == tag,
        ("begins_with", S(text), Some(S(start))) => text.starts_with(start),
        ("begins_with", B(bytes), Some(B(start))) => bytes.as_ref().starts_with(start.as_ref()),
        ("contains", S(text), Some(S(part))) => text.contains(part),
        ("contains", B(bytes), Some(B(part))) => {
            let (bytes, part) = (bytes.as_ref(), part.as_ref());
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        }
        ("contains", Ss(set), Some(S(one))) => set.contains(one),
        ("contains", Bs(set), Some(B(one))) => set.contains(one),
        ("contains", Ns(set), Some(N(one))) => set.iter().any(|other| number(other) == number(one)),
        ("contains", L(list), Some(one)) => list.iter().any(|other| is_same(other, one)),
        _ => false,
    }
}

fn tag_of(value: &AttributeValue) -> &'static str {
    match value {
        AttributeValue::S(_) => "S",
        AttributeValue::N(_) => "N",
        AttributeValue::B(_) => "B",
        AttributeValue::Bool(_) => "BOOL",
        AttributeValue::Null(_) => "NULL",
        AttributeValue::L(_) => "L",
        AttributeValue::M(_) => "M",
        AttributeValue::Ss(_) => "SS",
        AttributeValue::Ns(_) => "NS",
        AttributeValue::Bs(_) => "BS",
        other => panic!("{other:?}"),
    }
}
