//! Changes, as the closure of an update returns them.

use std::fmt;
use std::marker::PhantomData;

use super::collection::{List, Map, Set};
use super::mode::{CanCompute, CanRemove, CanSet, Mode};
use super::node::{Node, Term};
use super::number::{Numeric, Room};
use super::operand::{Given, Operand};
use super::path::Path;
use super::place::Place;
use super::update::Action;
use crate::codec::{Fault, Reader, SetElement, Tag};
use crate::key::Arg;

/// One change of an item of `R`.
#[must_use = "a change counts only if the closure returns it: put several in a tuple or an array"]
pub struct Change<R> {
    pub(super) place: Place,
    pub(super) action: Result<Action, Fault>,
    /// What has to hold beside it.
    pub(super) guard: Option<Node>,
    kind: PhantomData<fn() -> R>,
}

impl<R> Change<R> {
    fn new(place: &Place, action: Result<Action, Fault>) -> Self {
        Change {
            place: place.clone(),
            action,
            guard: None,
            kind: PhantomData,
        }
    }

    fn guarded(mut self, guard: Option<Node>) -> Self {
        self.guard = guard;
        self
    }
}

/// One change, a tuple, an array, a `Vec` or an `Option` of changes.
#[diagnostic::on_unimplemented(
    message = "the closure of an update returns changes, not `{Self}`",
    label = "expected a change, a tuple, an array, a `Vec` or an `Option` of changes",
    note = "a change counts only if it is returned: leave out the semicolon, put several in a tuple or an array"
)]
pub trait Changes<R> {
    /// Adds them.
    #[doc(hidden)]
    fn add_to(self, changes: &mut Vec<Change<R>>);
}

impl<R> Changes<R> for Change<R> {
    fn add_to(self, changes: &mut Vec<Change<R>>) {
        changes.push(self);
    }
}

#[diagnostic::do_not_recommend]
impl<R, C: Changes<R>> Changes<R> for Option<C> {
    fn add_to(self, changes: &mut Vec<Change<R>>) {
        if let Some(inner) = self {
            inner.add_to(changes);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<R, C: Changes<R>> Changes<R> for Vec<C> {
    fn add_to(self, changes: &mut Vec<Change<R>>) {
        self.into_iter().for_each(|inner| inner.add_to(changes));
    }
}

#[diagnostic::do_not_recommend]
impl<R, C: Changes<R>, const N: usize> Changes<R> for [C; N] {
    fn add_to(self, changes: &mut Vec<Change<R>>) {
        self.into_iter().for_each(|inner| inner.add_to(changes));
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<Root, $($name: Changes<Root>),+> Changes<Root> for ($($name,)+) {
            fn add_to(self, changes: &mut Vec<Change<Root>>) {
                #[allow(non_snake_case, reason = "the names of the types serve as variables")]
                let ($($name,)+) = self;
                $($name.add_to(changes);)+
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
    A B C D E F G H I J K L M N;
    A B C D E F G H I J K L M N O;
    A B C D E F G H I J K L M N O P;
}

/// Changes of any value.
impl<R, T, M> Path<R, T, M> {
    /// Sets it to a value, or to what another attribute holds before the update. Setting an empty set
    /// removes it. Refused by a condition where the other attribute is missing or NULL.
    pub fn set(&self, value: impl Operand<R, T>) -> Change<R>
    where
        M: CanSet,
    {
        match value.given() {
            Given::Value(value) => Change::new(self.place(), self.set_or_absent(&value)),
            Given::At(place) => {
                let guard = is_value(&place);
                Change::new(self.place(), Ok(Action::Copy(place))).guarded(Some(guard))
            }
        }
    }

    /// Sets it to the value, or removes it if there is none.
    pub fn set_or_remove<A: Arg<T>>(&self, value: Option<A>) -> Change<R>
    where
        M: CanRemove,
    {
        let action = match value {
            Some(value) => self.set_or_absent(&value.into_arg()),
            None => Ok(Action::Remove),
        };
        Change::new(self.place(), action)
    }

    /// Sets it if there is none yet. NULL, as other programs write it, is something.
    pub fn set_if_absent(&self, value: impl Arg<T>) -> Change<R>
    where
        M: CanCompute,
    {
        let json = self.json(&value.into_arg());
        let action = json.map(|json| json.map_or(Action::Nothing, Action::SetIfAbsent));
        Change::new(self.place(), action)
    }

    /// Takes it away. What is read then is None, an empty set, or the field's default.
    pub fn remove(&self) -> Change<R>
    where
        M: CanRemove,
    {
        Change::new(self.place(), Ok(Action::Remove))
    }

    /// A computation would fail on NULL, in which other programs write what is absent. So it becomes a
    /// condition, whose failure brings the item.
    fn unless_null(&self, tag: Tag) -> Option<Node>
    where
        M: Mode,
    {
        M::MAY_BE_ABSENT.then(|| {
            let place = self.place();
            Node::any([
                Node::Missing(place.clone()),
                Node::IsType(place.clone(), tag),
            ])
        })
    }

    fn set_or_absent(&self, value: &T) -> Result<Action, Fault> {
        Ok(self.json(value)?.map_or(Action::Remove, Action::Set))
    }
}

/// There is something at the place, and it is not NULL.
fn is_value(place: &Place) -> Node {
    let null = Node::IsType(place.clone(), Tag::Null);
    Node::Exists(place.clone()).and(null.not())
}

/// Changes of numbers.
impl<R, T, M> Path<R, T, M> {
    /// Adds to the stored number; a missing one counts as zero, or as the field's default. Refused by
    /// a condition where the sum would leave the range of the type.
    pub fn add(&self, value: impl Arg<T>) -> Change<R>
    where
        T: Numeric,
        M: CanCompute,
    {
        self.compute(&value.into_arg(), false)
    }

    /// Subtracts from the stored number; see [`add`](Self::add). An unsigned one never falls below zero.
    pub fn sub(&self, value: impl Arg<T>) -> Change<R>
    where
        T: Numeric,
        M: CanCompute,
    {
        self.compute(&value.into_arg(), true)
    }
}

impl<R, T: Numeric, M: Mode> Path<R, T, M> {
    fn compute(&self, delta: &T, minus: bool) -> Change<R> {
        match self.computed(delta, minus) {
            Ok((action, guard)) => Change::new(self.place(), Ok(action)).guarded(guard),
            Err(fault) => Change::new(self.place(), Err(fault)),
        }
    }

    fn computed(&self, delta: &T, minus: bool) -> Result<(Action, Option<Node>), Fault> {
        let start = match self.default()? {
            Some(json) => T::decode(&mut Reader::new(&json))?,
            None => T::zero(),
        };
        let there =
            |json: Option<Vec<u8>>| json.ok_or_else(|| Fault::new("a number that is not stored"));
        let room = delta.room(minus, &start);
        let room = room.map_err(|fault| fault.at(self.place().to_string()))?;
        let guard = match room {
            Some(room) => Some(self.guard(&room)),
            None => self.unless_null(Tag::N),
        };
        let action = Action::Add {
            start: there(self.json(&start)?)?,
            delta: there(self.json(delta)?)?,
            minus,
        };
        Ok((action, guard))
    }

    /// The stored number leaves room for the change.
    fn guard(&self, room: &Room) -> Node {
        let bound = Term::Value(format!("{{\"N\":\"{}\"}}", room.bound.as_str()).into_bytes());
        let fits = Node::Compare(self.here(), room.comparison, bound);
        let missing = room.start_fits.then(|| Node::Missing(self.place().clone()));
        Node::any(missing.into_iter().chain([fits]))
    }
}

/// Changes of lists.
impl<R, T, M> Path<R, T, M> {
    /// Adds an element at the end.
    pub fn push(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined([element.into_arg()], Action::Append)
    }

    /// Adds an element at the front.
    pub fn push_front(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined([element.into_arg()], Action::Prepend)
    }

    /// Adds elements at the end.
    pub fn extend<A: Arg<T::Element>>(&self, elements: impl IntoIterator<Item = A>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined(elements.into_iter().map(Arg::into_arg), Action::Append)
    }

    /// Takes the element at this position away; those after it move up. Refused by a condition if
    /// there is none.
    pub fn remove_at(&self, index: usize) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        let here = self.list(&T::from_iter([])).map(|_| Action::Remove);
        Change::new(&self.place().element(index), here)
    }
}

impl<R, T: List, M: Mode> Path<R, T, M> {
    fn joined(
        &self,
        elements: impl IntoIterator<Item = T::Element>,
        action: fn(Vec<u8>) -> Action,
    ) -> Change<R> {
        let json = self.list(&elements.into_iter().collect());
        let action = json.map(|json| {
            if json == EMPTY_LIST {
                Action::Nothing
            } else {
                action(json)
            }
        });
        Change::new(self.place(), action).guarded(self.unless_null(Tag::L))
    }

    /// Bytes are stored as binary, which has no elements.
    fn list(&self, list: &T) -> Result<Vec<u8>, Fault> {
        let json = self.json(list)?.unwrap_or_default();
        if json.starts_with(b"{\"L\"") {
            return Ok(json);
        }
        let fault = Fault::new(
            "bytes are stored as binary, which has no elements to change: `set` the whole",
        );
        Err(fault.at(self.place().to_string()))
    }
}

/// As the writer spells it.
pub(super) const EMPTY_LIST: &[u8] = b"{\"L\":[]}";

/// Changes of sets.
impl<R, T, M> Path<R, T, M> {
    /// Adds an element; it may be there already.
    pub fn insert(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements([element.into_arg()], Action::Insert)
    }

    /// Adds elements.
    pub fn insert_all<A: Arg<T::Element>>(&self, elements: impl IntoIterator<Item = A>) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements(elements.into_iter().map(Arg::into_arg), Action::Insert)
    }

    /// Takes an element out; it may be missing already.
    pub fn discard(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements([element.into_arg()], Action::Discard)
    }

    /// Takes elements out.
    pub fn discard_all<A: Arg<T::Element>>(
        &self,
        elements: impl IntoIterator<Item = A>,
    ) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements(elements.into_iter().map(Arg::into_arg), Action::Discard)
    }
}

impl<R, T: Set, M: Mode> Path<R, T, M> {
    fn with_elements(
        &self,
        elements: impl IntoIterator<Item = T::Element>,
        action: fn(Vec<u8>) -> Action,
    ) -> Change<R> {
        let json = self.json(&elements.into_iter().collect());
        let action = json.map(|json| json.map_or(Action::Nothing, action));
        Change::new(self.place(), action).guarded(self.unless_null(T::Element::TAG))
    }
}

/// Changes of maps; `entry(..)` leads to one entry.
impl<R, T, M> Path<R, T, M> {
    /// Takes the entry of this name away; the same as `entry(key).remove()`.
    pub fn remove_entry(&self, key: impl Arg<T::Key>) -> Change<R>
    where
        T: Map,
        M: CanCompute,
    {
        use crate::codec::MapKey;
        let key = key.into_arg().to_map_key().into_owned();
        Change::new(&self.place().entry(key), Ok(Action::Remove))
    }
}

impl<R> fmt::Debug for Change<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Change({})", self.place)
    }
}
