//! Changes, as returned by the closure of an update.

mod collection;
mod number;

use std::fmt;
use std::marker::PhantomData;

use super::node::Node;
use super::operand::{Operand, OperandValue};
use super::update::{NULL, UntypedChange, UpdateAction, UpdateOperand};
use crate::json::{CodecError, Tag};
use crate::key::Arg;
use crate::path::{CanCompute, CanRemove, CanSet, Mode, Path, Place, ValuePlace};
use crate::tuples::each_tuple;

/// One change of an item of `R`.
#[must_use = "a change counts only if the closure returns it: put several in a tuple or an array"]
pub struct Change<R> {
    untyped: UntypedChange,
    kind: PhantomData<fn() -> R>,
}

impl<R> Change<R> {
    fn new(place: &Place, action: Result<UpdateAction, CodecError>) -> Self {
        Change {
            untyped: UntypedChange::new(place.clone(), action),
            kind: PhantomData,
        }
    }

    fn guarded_by(mut self, guard: Option<Node>) -> Self {
        self.untyped.guard = guard;
        self
    }
}

impl<R> From<UntypedChange> for Change<R> {
    fn from(untyped: UntypedChange) -> Self {
        Change {
            untyped,
            kind: PhantomData,
        }
    }
}

/// One change, a tuple, an array, a `Vec` or an `Option` of changes.
#[diagnostic::on_unimplemented(
    message = "the closure of an update returns changes, not `{Self}`",
    label = "expected a change, a tuple, an array, a `Vec` or an `Option` of changes",
    note = "a change counts only if it is returned: remove the semicolon, put several in a tuple or an array"
)]
pub trait Changes<R> {
    /// Adds the changes.
    #[doc(hidden)]
    fn add_to(self, changes: &mut Vec<UntypedChange>);
}

impl<R> Changes<R> for Change<R> {
    fn add_to(self, changes: &mut Vec<UntypedChange>) {
        changes.push(self.untyped);
    }
}

#[diagnostic::do_not_recommend]
impl<R, C: Changes<R>> Changes<R> for Option<C> {
    fn add_to(self, changes: &mut Vec<UntypedChange>) {
        if let Some(inner) = self {
            inner.add_to(changes);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<R, C: Changes<R>> Changes<R> for Vec<C> {
    fn add_to(self, changes: &mut Vec<UntypedChange>) {
        self.into_iter().for_each(|inner| inner.add_to(changes));
    }
}

#[diagnostic::do_not_recommend]
impl<R, C: Changes<R>, const N: usize> Changes<R> for [C; N] {
    fn add_to(self, changes: &mut Vec<UntypedChange>) {
        self.into_iter().for_each(|inner| inner.add_to(changes));
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        #[diagnostic::do_not_recommend]
        impl<Root, $($name: Changes<Root>),+> Changes<Root> for ($($name,)+) {
            fn add_to(self, changes: &mut Vec<UntypedChange>) {
                #[allow(non_snake_case, reason = "the names of the types serve as variables")]
                let ($($name,)+) = self;
                // A list of few large elements would otherwise begin with room for four.
                if changes.is_empty() {
                    changes.reserve_exact([$(stringify!($name)),+].len());
                }
                $($name.add_to(changes);)+
            }
        }
    };
}

each_tuple!(tuples: A B C D E F G H I J K L M N O P);

/// Changes of any value.
impl<R, T, M> Path<R, T, M> {
    /// Sets it to a value, or to the value that another attribute has before the update. Setting an empty set removes
    /// it. Fails with a conflict if the other attribute is missing or NULL.
    pub fn set(&self, value: impl Operand<R, T>) -> Change<R>
    where
        M: CanSet,
    {
        self.value_place().set_value(value.given_operand()).into()
    }

    /// Sets it to the value, or removes it for a None.
    pub fn set_or_remove<A: Arg<T>>(&self, value: Option<A>) -> Change<R>
    where
        M: CanRemove,
    {
        let action = match value {
            Some(value) => self.value_place().set_or_absent(&value.into_arg()),
            None => Ok(remove_action(self.place())),
        };
        Change::new(self.place(), action)
    }

    /// Sets it if it is missing, to a value, or to the value that another attribute has before the update. NULL, as
    /// other programs write it, does not count as missing. Fails with a conflict if the other attribute is missing or
    /// NULL, even if it is not needed, because DynamoDB reads it first.
    #[doc(alias = "if_not_exists")]
    pub fn set_if_absent(&self, value: impl Operand<R, T>) -> Change<R>
    where
        M: CanCompute,
    {
        self.value_place()
            .set_if_absent(value.given_operand())
            .into()
    }

    /// Removes it. It is then read as None, an empty set, or the field's default. A field with `#[dynamo(null)]` becomes
    /// NULL.
    pub fn remove(&self) -> Change<R>
    where
        M: CanRemove,
    {
        Change::new(self.place(), Ok(remove_action(self.place())))
    }
}

impl<T> ValuePlace<T> {
    fn set_value(&self, value: OperandValue<T>) -> UntypedChange {
        match value {
            OperandValue::Value(value) => {
                UntypedChange::new(self.inner_place().clone(), self.set_or_absent(&value))
            }
            OperandValue::At(place) => copy_of(self.inner_place(), place),
        }
    }

    fn set_if_absent(&self, value: OperandValue<T>) -> UntypedChange {
        let place = match value {
            OperandValue::Value(value) => {
                let action = self.encode_value(&value).map(|json| match json {
                    Some(json) => UpdateAction::SetIfAbsent(UpdateOperand::Json(json)),
                    None => UpdateAction::Nothing,
                });
                return UntypedChange::new(self.inner_place().clone(), action);
            }
            OperandValue::At(place) => place,
        };
        // Asked also where it is not needed: DynamoDB looks up both, and refuses an operand that is missing.
        let guard = is_value(&place);
        let action = operand_of(self.inner_place(), place).map(UpdateAction::SetIfAbsent);
        UntypedChange::new(self.inner_place().clone(), action).guarded_by(Some(guard))
    }

    fn set_or_absent(&self, value: &T) -> Result<UpdateAction, CodecError> {
        Ok(self
            .encode_value(value)?
            .map_or(UpdateAction::Remove, UpdateAction::Set))
    }
}

/// The change to None.
fn remove_action(place: &Place) -> UpdateAction {
    if place.is_nullable() {
        UpdateAction::Set(NULL.to_vec())
    } else {
        UpdateAction::Remove
    }
}

/// The change that copies another place.
fn copy_of(here: &Place, place: Place) -> UntypedChange {
    let guard = is_value(&place);
    let action = here.check_form(&place).map(|()| UpdateAction::Copy(place));
    UntypedChange::new(here.clone(), action).guarded_by(Some(guard))
}

/// The condition that the value is not NULL, which other programs write for absent values, if it may be absent. A
/// computation would fail on NULL; a failed condition returns the item.
fn unless_null<M: Mode>(place: &Place, tag: Tag) -> Option<Node> {
    M::MAY_BE_ABSENT.then(|| missing_or(place, tag))
}

/// The condition that the place has no value, or one of this type.
pub(crate) fn missing_or(place: &Place, tag: Tag) -> Node {
    Node::any([
        Node::Missing(place.clone()),
        Node::IsType(place.clone(), tag),
    ])
}

/// The value of another place, if both are stored in the same format.
fn operand_of(here: &Place, place: Place) -> Result<UpdateOperand, CodecError> {
    here.check_form(&place)?;
    Ok(UpdateOperand::At(place))
}

/// The condition that the place has a value, and not NULL.
fn is_value(place: &Place) -> Node {
    let null = Node::IsType(place.clone(), Tag::Null);
    Node::Exists(place.clone()).and(null.not())
}

impl<R> fmt::Debug for Change<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.fmt(f)
    }
}

impl fmt::Debug for UntypedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Change({})", self.place)
    }
}
