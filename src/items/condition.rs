//! The conditions of a write on the stored item, by the names of its attributes.

use super::NAME;
use crate::codec::{DynamoValue, Value};
use crate::error::{Error, Result};
use crate::expr::Node;
use crate::json::Writer;
use crate::path::Place;
use crate::plan::{ConditionFailure, check};

/// The conditions of a write, all of which must hold.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemConditions(Vec<ItemCondition>);

#[derive(Debug, Clone)]
pub(super) enum ItemCondition {
    Present(String),
    Absent(String),
    Equals(String, Value),
}

impl ItemConditions {
    pub(super) fn push(&mut self, condition: ItemCondition) {
        self.0.push(condition);
    }

    /// The condition, and its meaning if it does not hold.
    pub(super) fn asked(self) -> Result<(Node, ConditionFailure)> {
        let nodes: Result<Vec<Node>> = self.0.into_iter().map(ItemCondition::into_node).collect();
        Ok((Node::all(nodes?), ConditionFailure::UNTYPED))
    }
}

impl ItemCondition {
    fn into_node(self) -> Result<Node> {
        Ok(match self {
            ItemCondition::Present(name) => Node::Exists(Place::of(name)),
            ItemCondition::Absent(name) => Node::Missing(Place::of(name)),
            ItemCondition::Equals(name, value) => {
                let mut json = Writer::with_capacity(64);
                let encoded = value.encode(&mut json);
                encoded.map_err(|fault| Error::encode(NAME, fault.at(name.as_str())))?;
                check::value_condition(name, json.as_bytes())
            }
        })
    }
}

/// The methods that add conditions to a write.
macro_rules! conditions {
    () => {
        /// Only if the stored item has this attribute. For an attribute of the key, only if any item is stored.
        ///
        /// If a condition does not hold, nothing is written: the error is a
        /// [`Conflict`](crate::error::ErrorKind::Conflict), and [`current_item`](crate::error::Error::current_item)
        /// is the current item, if the server returned it.
        pub fn when_present(self, attribute: impl Into<String>) -> Self {
            self.when(ItemCondition::Present(attribute.into()))
        }

        /// Only if the stored item does not have this attribute. For an attribute of the key, only if no item is
        /// stored.
        pub fn when_absent(self, attribute: impl Into<String>) -> Self {
            self.when(ItemCondition::Absent(attribute.into()))
        }

        /// Only if this attribute of the stored item has this value.
        pub fn when_equals(self, attribute: impl Into<String>, value: impl Into<Value>) -> Self {
            self.when(ItemCondition::Equals(attribute.into(), value.into()))
        }

        fn when(mut self, condition: ItemCondition) -> Self {
            self.conditions.push(condition);
            self
        }
    };
}

pub(super) use conditions;
