//! Changes of the elements of lists and sets, and of the entries of maps.

use super::Change;
use crate::codec::SetElement;
use crate::expr::collection::{List, Map, Set};
use crate::expr::update::{EMPTY_LIST, UpdateAction};
use crate::json::{CodecError, Tag};
use crate::key::Arg;
use crate::path::{CanCompute, Mode, Path};

/// Changes of lists.
impl<R, T, M> Path<R, T, M> {
    /// Adds an element at the end.
    pub fn push(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined([element.into_arg()], UpdateAction::Append)
    }

    /// Adds an element at the front.
    pub fn push_front(&self, element: impl Arg<T::Element>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined([element.into_arg()], UpdateAction::Prepend)
    }

    /// Adds elements at the end.
    pub fn extend<A: Arg<T::Element>>(&self, elements: impl IntoIterator<Item = A>) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        self.joined(
            elements.into_iter().map(Arg::into_arg),
            UpdateAction::Append,
        )
    }

    /// Removes the element at this position; those after it move up. Refused by a condition if
    /// there is none.
    pub fn remove_at(&self, index: usize) -> Change<R>
    where
        T: List,
        M: CanCompute,
    {
        let here = self.list(&T::from_iter([])).map(|_| UpdateAction::Remove);
        Change::new(&self.place().element(index), here)
    }
}

impl<R, T: List, M: Mode> Path<R, T, M> {
    fn joined(
        &self,
        elements: impl IntoIterator<Item = T::Element>,
        action: fn(Vec<u8>) -> UpdateAction,
    ) -> Change<R> {
        let json = self.list(&elements.into_iter().collect());
        let action = json.map(|json| {
            if json == EMPTY_LIST {
                UpdateAction::Nothing
            } else {
                action(json)
            }
        });
        Change::new(self.place(), action).guarded(self.unless_null(Tag::L))
    }

    /// The list in DynamoDB JSON; refuses bytes, which are stored as binary and have no elements.
    fn list(&self, list: &T) -> Result<Vec<u8>, CodecError> {
        let json = self.json(list)?.unwrap_or_default();
        if json.starts_with(b"{\"L\"") {
            return Ok(json);
        }
        let fault = CodecError::new(
            "bytes are stored as binary, which has no elements to change: `set` the whole",
        );
        Err(fault.at(self.place().to_string()))
    }
}

/// Changes of sets.
impl<R, T, M> Path<R, T, M> {
    /// Adds an element; nothing changes if it is already there.
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

    /// Removes an element; nothing changes if it is not there.
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
        let json = self.json(&elements.into_iter().collect());
        let action = json.map(|json| json.map_or(UpdateAction::Nothing, action));
        Change::new(self.place(), action).guarded(self.unless_null(T::Element::TAG))
    }
}

/// Changes of maps; `entry(..)` leads to one entry.
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
