//! The result of conditions and changes on an item that is at hand, by the rules of DynamoDB: for an item that is stored
//! in another shape than the one that they speak of.

use std::cmp::{Ordering, Reverse};

use super::comparison::Comparison;
use super::node::{Node, Term};
use super::update::{UpdateAction, UpdateActions, UpdateOperand};
use crate::codec::{DynamoValue as _, Item, Value};
use crate::json::{CodecError, Reader};
use crate::path::{Place, PlaceStep};

/// Whether a condition holds.
pub(crate) fn holds_for(node: &Node, item: &Item) -> Result<bool, CodecError> {
    let found = |place: &Place| value_at(item, place);
    Ok(match node {
        Node::Compare(left, comparison, right) => compare_operands(
            term_value(left, item)?,
            *comparison,
            term_value(right, item)?,
        ),
        Node::Between(here, low, high) => {
            let (here, low, high) = (
                term_value(here, item)?,
                term_value(low, item)?,
                term_value(high, item)?,
            );
            compare_operands(here.clone(), Comparison::Ge, low)
                && compare_operands(here, Comparison::Le, high)
        }
        Node::In(here, values) => {
            let here = term_value(here, item)?;
            let mut is_in = false;
            for json in values {
                is_in |= compare_operands(here.clone(), Comparison::Eq, Some(value_of(json)?));
            }
            is_in
        }
        Node::Exists(place) => found(place).is_some(),
        Node::Missing(place) => found(place).is_none(),
        Node::IsType(place, tag) => found(place).is_some_and(|value| value.tag() == *tag),
        Node::StartsWith(place, json) => match (found(place), value_of(json)?) {
            (Some(Value::S(text)), Value::S(front)) => text.starts_with(&front),
            (Some(Value::B(bytes)), Value::B(front)) => bytes.starts_with(&front),
            _ => false,
        },
        Node::Contains(place, part) => {
            let found = found(place).zip(term_value(part, item)?);
            found.is_some_and(|(whole, part)| value_contains(whole, &part))
        }
        Node::Not(node) => !holds_for(node, item)?,
        Node::All(nodes) => {
            for node in nodes {
                if !holds_for(node, item)? {
                    return Ok(false);
                }
            }
            true
        }
        Node::Any(nodes) => {
            for node in nodes {
                if holds_for(node, item)? {
                    return Ok(true);
                }
            }
            false
        }
        Node::Faulty(fault) => return Err(fault.clone()),
    })
}

/// Makes the changes. All of them read the item as it was before.
pub(crate) fn apply_update(update: &UpdateActions, item: &mut Item) -> Result<(), CodecError> {
    let before = item.clone();
    let mut removed = Vec::new();
    for (place, action) in update.place_actions() {
        match changed_value(action, place, &before)? {
            Changed::Value(value) => set_place(item, place, value)?,
            Changed::Removed => removed.push(place),
            Changed::Nothing => {}
        }
    }
    // The elements of a list keep their numbers until all of them are removed.
    removed.sort_by_key(|place| Reverse(place.path_steps().to_vec()));
    for place in removed {
        remove_place(item, place);
    }
    // Programs that know the former name alone read that one.
    for (place, _) in update.place_actions() {
        let Some(former) = place.former_name() else {
            continue;
        };
        match item.get(place.attribute_name()).cloned() {
            Some(value) => drop(item.insert(former.name, value)),
            None => drop(item.remove(former.name)),
        }
    }
    Ok(())
}

fn value_of(json: &[u8]) -> Result<Value, CodecError> {
    Value::decode(&mut Reader::new(json))
}

fn term_value(term: &Term, item: &Item) -> Result<Option<Value>, CodecError> {
    Ok(match term {
        Term::Place(place) => value_at(item, place).cloned(),
        Term::Value(json) | Term::AsRead(json) => Some(value_of(json)?),
        Term::Size(place) => match value_at(item, place) {
            Some(value) => size_of(value)?.map(|size| Value::from(size as u64)),
            None => None,
        },
    })
}

fn size_of(value: &Value) -> Result<Option<usize>, CodecError> {
    Ok(match value {
        Value::S(text) if text.is_ascii() => Some(text.len()),
        Value::S(_) => {
            return Err(CodecError::new(
                "only DynamoDB computes the size of such a text: use `modify`",
            ));
        }
        Value::B(bytes) => Some(bytes.len()),
        Value::L(list) => Some(list.len()),
        Value::M(map) => Some(map.len()),
        Value::Ss(set) => Some(set.len()),
        Value::Ns(set) => Some(set.len()),
        Value::Bs(set) => Some(set.len()),
        Value::N(_) | Value::Bool(_) | Value::Null => None,
    })
}

/// A comparison with a missing value is false, except `<>`.
fn compare_operands(left: Option<Value>, comparison: Comparison, right: Option<Value>) -> bool {
    let pair = left.zip(right);
    match comparison {
        Comparison::Eq => pair.is_some_and(|(left, right)| left == right),
        Comparison::Ne => pair.is_none_or(|(left, right)| left != right),
        _ => {
            let order = pair.and_then(|(left, right)| order_values(&left, &right));
            order.is_some_and(|order| comparison.holds_for(&order, &Ordering::Equal))
        }
    }
}

fn order_values(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::S(left), Value::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (Value::N(left), Value::N(right)) => Some(left.cmp(right)),
        (Value::B(left), Value::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn value_contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::S(whole), Value::S(part)) => whole.contains(part.as_str()),
        (Value::B(whole), Value::B(part)) => {
            part.is_empty()
                || whole
                    .windows(part.len())
                    .any(|found| found == part.as_slice())
        }
        (Value::Ss(set), Value::S(part)) => set.contains(part),
        (Value::Ns(set), Value::N(part)) => set.contains(part),
        (Value::Bs(set), Value::B(part)) => set.contains(part),
        (Value::L(list), part) => list.contains(part),
        _ => false,
    }
}

fn value_at<'i>(item: &'i Item, place: &Place) -> Option<&'i Value> {
    let mut value = item.get(place.attribute_name())?;
    for step in place.path_steps() {
        value = match (step, value) {
            (PlaceStep::Name(name), Value::M(map)) => map.get(name)?,
            (PlaceStep::Index(index), Value::L(list)) => list.get(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

enum Changed {
    Value(Value),
    Removed,
    Nothing,
}

/// The value of a place after an action.
fn changed_value(
    action: &UpdateAction,
    place: &Place,
    before: &Item,
) -> Result<Changed, CodecError> {
    let held = value_at(before, place);
    Ok(match action {
        UpdateAction::Set(json) => Changed::Value(value_of(json)?),
        UpdateAction::Same { place, action } => return changed_value(action, place, before),
        UpdateAction::Copy(from) => Changed::Value(
            value_at(before, from)
                .ok_or_else(|| unfit_place(from))?
                .clone(),
        ),
        UpdateAction::SetIfAbsent(operand) => match held {
            Some(_) => Changed::Nothing,
            None => Changed::Value(operand_of(operand, before)?),
        },
        UpdateAction::Add {
            start,
            delta,
            minus,
        } => {
            let start = match held {
                Some(held) => held.clone(),
                None => value_of(start)?,
            };
            sum_values(start, operand_of(delta, before)?, *minus, place)?
        }
        UpdateAction::SetSum {
            first,
            second,
            minus,
        } => {
            let first = value_at(before, first).ok_or_else(|| unfit_place(first))?;
            sum_values(first.clone(), operand_of(second, before)?, *minus, place)?
        }
        UpdateAction::Append(operand) => {
            join_lists(held, &operand_of(operand, before)?, place, false)?
        }
        UpdateAction::Prepend(operand) => {
            join_lists(held, &operand_of(operand, before)?, place, true)?
        }
        UpdateAction::Insert(json) => join_elements(held, value_of(json)?, place, true)?,
        UpdateAction::Discard(json) => join_elements(held, value_of(json)?, place, false)?,
        UpdateAction::Remove => Changed::Removed,
        UpdateAction::Nothing => Changed::Nothing,
    })
}

fn sum_values(
    first: Value,
    second: Value,
    minus: bool,
    place: &Place,
) -> Result<Changed, CodecError> {
    let (Value::N(first), Value::N(second)) = (first, second) else {
        return Err(unfit_place(place));
    };
    let sum = first.sum_with(&second, minus);
    let sum = sum.ok_or_else(|| {
        CodecError::new("the sum has more digits than DynamoDB keeps").at(place.to_string())
    })?;
    Ok(Changed::Value(Value::N(sum)))
}

fn operand_of(operand: &UpdateOperand, before: &Item) -> Result<Value, CodecError> {
    match operand {
        UpdateOperand::Json(json) => value_of(json),
        UpdateOperand::At(place) => {
            let value = value_at(before, place);
            value.cloned().ok_or_else(|| unfit_place(place))
        }
    }
}

fn join_lists(
    held: Option<&Value>,
    more: &Value,
    place: &Place,
    is_front: bool,
) -> Result<Changed, CodecError> {
    let held = match held {
        Some(Value::L(held)) => &held[..],
        None => &[],
        Some(_) => return Err(unfit_place(place)),
    };
    let Value::L(more) = more else {
        return Err(unfit_place(place));
    };
    let (front, back) = if is_front {
        (&more[..], held)
    } else {
        (held, &more[..])
    };
    Ok(Changed::Value(Value::L([front, back].concat())))
}

/// A set with more elements, or with fewer. A set without any is removed.
fn join_elements(
    held: Option<&Value>,
    given: Value,
    place: &Place,
    is_more: bool,
) -> Result<Changed, CodecError> {
    let value = match (held.cloned(), given) {
        (None, given) => {
            return Ok(if is_more {
                Changed::Value(given)
            } else {
                Changed::Nothing
            });
        }
        (Some(Value::Ss(held)), Value::Ss(given)) if is_more => Value::Ss(&held | &given),
        (Some(Value::Ss(held)), Value::Ss(given)) => Value::Ss(&held - &given),
        (Some(Value::Ns(held)), Value::Ns(given)) if is_more => Value::Ns(&held | &given),
        (Some(Value::Ns(held)), Value::Ns(given)) => Value::Ns(&held - &given),
        (Some(Value::Bs(held)), Value::Bs(given)) if is_more => Value::Bs(&held | &given),
        (Some(Value::Bs(held)), Value::Bs(given)) => Value::Bs(&held - &given),
        _ => return Err(unfit_place(place)),
    };
    Ok(match value.is_empty_set() {
        true => Changed::Removed,
        false => Changed::Value(value),
    })
}

#[cold]
fn unfit_place(place: &Place) -> CodecError {
    let message = "the value there does not fit the change, or is missing";
    CodecError::new(message).at(place.to_string())
}

fn set_place(item: &mut Item, place: &Place, value: Value) -> Result<(), CodecError> {
    let Some((last, way)) = place.path_steps().split_last() else {
        item.insert(place.attribute_name().to_string(), value);
        return Ok(());
    };
    let holder = value_within(item, place, way).ok_or_else(|| unfit_place(place))?;
    match (last, holder) {
        (PlaceStep::Name(name), Value::M(map)) => {
            map.insert(name.to_string(), value);
        }
        (PlaceStep::Index(index), Value::L(list)) => match list.get_mut(*index) {
            Some(element) => *element = value,
            None => list.push(value),
        },
        _ => return Err(unfit_place(place)),
    }
    Ok(())
}

fn remove_place(item: &mut Item, place: &Place) {
    let Some((last, way)) = place.path_steps().split_last() else {
        item.remove(place.attribute_name());
        return;
    };
    match (last, value_within(item, place, way)) {
        (PlaceStep::Name(name), Some(Value::M(map))) => {
            map.remove(name);
        }
        (PlaceStep::Index(index), Some(Value::L(list))) if *index < list.len() => {
            list.remove(*index);
        }
        _ => {}
    }
}

fn value_within<'i>(
    item: &'i mut Item,
    place: &Place,
    steps: &[PlaceStep],
) -> Option<&'i mut Value> {
    let mut value = item.get_mut(place.attribute_name())?;
    for step in steps {
        value = match (step, value) {
            (PlaceStep::Name(name), Value::M(map)) => map.get_mut(name)?,
            (PlaceStep::Index(index), Value::L(list)) => list.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Item {
        let json = r#"{"price": 7, "tax": 3, "name": "abc", "part": "b", "size": 3}"#;
        Item::from_json(json).expect("an item")
    }

    fn contains(part: Term) -> bool {
        holds_for(&Node::Contains("name".into(), part), &item()).expect("a condition")
    }

    #[test]
    fn conditions_on_two_attributes() {
        assert!(contains(Term::Place("part".into())));
        assert!(contains(Term::Value(br#"{"S":"bc"}"#.to_vec())));
        assert!(!contains(Term::Place("missing".into())));
        assert!(!contains(Term::Place("price".into())));
        let size = Term::Size("name".into());
        let same = Node::Compare(size, Comparison::Eq, Term::Place("size".into()));
        assert!(holds_for(&same, &item()).expect("a condition"));
    }

    #[test]
    fn sums_of_other_attributes() {
        let sum = |first: &'static str, second, minus| {
            let first = first.into();
            let mut update = UpdateActions::default();
            let action = UpdateAction::SetSum {
                first,
                second,
                minus,
            };
            update.set_action("total", action);
            let mut item = item();
            apply_update(&update, &mut item).map(|()| item.get("total").cloned())
        };
        let tax = || UpdateOperand::At("tax".into());
        let number = |number: i64| Some(Value::from(number));
        assert_eq!(sum("price", tax(), false).expect("a sum"), number(10));
        assert_eq!(sum("tax", tax(), false).expect("a sum"), number(6));
        assert_eq!(sum("price", tax(), true).expect("a difference"), number(4));
        let five = UpdateOperand::Json(br#"{"N":"5"}"#.to_vec());
        assert_eq!(
            sum("price", five.clone(), true).expect("a difference"),
            number(2)
        );
        assert!(sum("missing", five.clone(), false).is_err());
        assert!(sum("name", five, false).is_err());
    }
}
