//! The partitions that an action is limited to, by the condition keys of IAM.

use std::collections::{BTreeMap, BTreeSet};

/// A condition key of IAM that has the values of partition keys in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum KeyCondition {
    /// The partition key, where it is one attribute.
    Leading,
    First,
    Second,
    Third,
    Fourth,
}

/// For each condition key the values that are allowed. Without any, all partitions are.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Partitions(BTreeMap<KeyCondition, BTreeSet<String>>);

impl KeyCondition {
    /// Those of the attributes of a partition key of several, in their order.
    pub(super) const OF_SEVERAL: [KeyCondition; 4] = [
        KeyCondition::First,
        KeyCondition::Second,
        KeyCondition::Third,
        KeyCondition::Fourth,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            KeyCondition::Leading => "dynamodb:LeadingKeys",
            KeyCondition::First => "dynamodb:FirstPartitionKeyValues",
            KeyCondition::Second => "dynamodb:SecondPartitionKeyValues",
            KeyCondition::Third => "dynamodb:ThirdPartitionKeyValues",
            KeyCondition::Fourth => "dynamodb:FourthPartitionKeyValues",
        }
    }
}

impl Partitions {
    /// All partitions.
    pub(super) fn any() -> Self {
        Partitions::default()
    }

    pub(super) fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// Limits them by one more condition key.
    pub(super) fn limited(mut self, key: KeyCondition, value: Option<String>) -> Self {
        if let Some(value) = value {
            self.0.entry(key).or_default().insert(value);
        }
        self
    }

    /// The partitions of either. A condition key that only one of them has would keep the other out.
    pub(super) fn or(mut self, other: &Partitions) -> Self {
        self.0.retain(|key, _| other.0.contains_key(key));
        for (key, values) in &mut self.0 {
            values.extend(other.0.get(key).into_iter().flatten().cloned());
        }
        self
    }

    /// The condition keys with their values.
    pub(super) fn limits(&self) -> impl Iterator<Item = (KeyCondition, &BTreeSet<String>)> {
        self.0.iter().map(|(key, values)| (*key, values))
    }
}
