//! Changes of the elements of lists and sets, and of the entries of maps.

use super::{Change, operand_of, unless_null};
use crate::codec::SetElement;
use crate::expr::collection::{List, Map, Set};
use crate::expr::elements::Elements;
use crate::expr::node::Node;
use crate::expr::operand::OperandValue;
use crate::expr::update::{EMPTY_LIST, UpdateAction, UpdateOperand};
use crate::json::{CodecError, Tag};
use crate::key::Arg;
use crate::path::{CanCompute, Mode, Path, ValuePlace};

/// Changes of lists.
impl<R, T, M> Path<R, T, M> {
    /// Adds an element at the end.
    #[doc(alias = "list_append")]
    pub fn push(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.join_change(&T::from_iter([element.into_arg()]), UpdateAction::Append)
    }

    /// Adds an element at the front.
    pub fn push_front(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.join_change(&T::from_iter([element.into_arg()]), UpdateAction::Prepend)
    }

    /// Adds elements at the end, or those that another list of the item has before the update. Fails with a conflict
    /// if the other list does not exist.
    #[doc(alias = "list_append")]
    pub fn extend(&self, elements: impl Elements<R, T>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined_by(elements.given_operand(), UpdateAction::Append)
    }

    /// Adds elements at the front, in their order, or those that another list of the item has before the update.
    /// Fails with a conflict if the other list does not exist.
    pub fn prepend(&self, elements: impl Elements<R, T>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined_by(elements.given_operand(), UpdateAction::Prepend)
    }

    /// Removes the element at this position; those after it move up. Fails with a conflict if it does not exist.
    pub fn remove_at(&self, index: usize) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        let here = self
            .value_place()
            .list_json(&T::from_iter([]))
            .map(|_| UpdateAction::Remove);
        Change::new(&self.place().element_at(index), here)
    }
}

/// Makes the action that joins a list with these elements.
type JoinAction = fn(UpdateOperand) -> UpdateAction;

impl<R, T: List, M: Mode> Path<R, T, M> {
    fn joined_by(&self, elements: OperandValue<T>, action: JoinAction) -> Change<R> {
        let place = match elements {
            OperandValue::Value(elements) => return self.join_change(&elements, action),
            OperandValue::At(place) => place,
        };
        let is_list = Node::IsType(place.clone(), Tag::L);
        let unless_null = unless_null::<M>(self.place(), Tag::L);
        let guard = Node::all(unless_null.into_iter().chain([is_list]));
        let has_elements = self.value_place().list_json(&T::from_iter([]));
        let elements = has_elements.and_then(|_| operand_of(self.place(), place));
        Change::new(self.place(), elements.map(action)).guarded_by(Some(guard))
    }

    fn join_change(&self, elements: &T, action: JoinAction) -> Change<R> {
        let action = self.value_place().join_action(elements, action);
        Change::new(self.place(), action).guarded_by(unless_null::<M>(self.place(), Tag::L))
    }
}

impl<T: List> ValuePlace<T> {
    fn join_action(&self, elements: &T, action: JoinAction) -> Result<UpdateAction, CodecError> {
        let json = self.list_json(elements)?;
        Ok(match json == EMPTY_LIST {
            true => UpdateAction::Nothing,
            false => action(UpdateOperand::Json(json)),
        })
    }

    /// The list in DynamoDB JSON. Bytes are an error, because they are stored as binary and have no elements.
    fn list_json(&self, list: &T) -> Result<Vec<u8>, CodecError> {
        let json = self.encode_value(list)?.unwrap_or_default();
        if json.starts_with(b"{\"L\"") {
            return Ok(json);
        }
        let fault = CodecError::new(
            "bytes are stored as binary, which has no elements to change: `set` the whole",
        );
        Err(fault.at(self.inner_place().to_string()))
    }
}

/// Changes of sets.
impl<R, T, M> Path<R, T, M> {
    /// Adds an element; nothing changes if the set already contains it.
    pub fn insert(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements([element.into_arg()], UpdateAction::Insert)
    }

    /// Adds elements.
    pub fn insert_all<A: Arg<T::Element>>(&self, elements: impl IntoIterator<Item = A>) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements(
            elements.into_iter().map(Arg::into_arg),
            UpdateAction::Insert,
        )
    }

    /// Removes an element; nothing changes if the set does not contain it.
    pub fn discard(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements([element.into_arg()], UpdateAction::Discard)
    }

    /// Removes elements.
    pub fn discard_all<A: Arg<T::Element>>(
        &self,
        elements: impl IntoIterator<Item = A>,
    ) -> Change<R>
    where
        T: Set,
        M: CanCompute,
    {
        self.with_elements(
            elements.into_iter().map(Arg::into_arg),
            UpdateAction::Discard,
        )
    }
}

impl<R, T: Set, M: Mode> Path<R, T, M> {
    fn with_elements(
        &self,
        elements: impl IntoIterator<Item = T::Element>,
        action: fn(Vec<u8>) -> UpdateAction,
    ) -> Change<R> {
        let json = self
            .value_place()
            .encode_value(&elements.into_iter().collect());
        let action = json.map(|json| json.map_or(UpdateAction::Nothing, action));
        Change::new(self.place(), action)
            .guarded_by(unless_null::<M>(self.place(), T::Element::TAG))
    }
}

/// Changes of maps; `entry(..)` refers to one entry.
impl<R, T, M> Path<R, T, M> {
    /// Removes the entry of this name; the same as `entry(key).remove()`.
    pub fn remove_entry(&self, key: impl Arg<T::Key>) -> Change<R>
    where
        T: Map,
        M: CanCompute,
    {
        use crate::codec::MapKey;
        let key = key.into_arg().to_map_key().into_owned();
        Change::new(&self.place().entry(key), Ok(UpdateAction::Remove))
    }
}
