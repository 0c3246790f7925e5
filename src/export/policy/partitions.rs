//! The partitions that an action is limited to, by the condition keys of IAM.

use std::collections::{BTreeMap, BTreeSet};

use crate::export::key_text::KeyLimit;

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
pub(super) struct Partitions(BTreeMap<KeyCondition, BTreeSet<KeyLimit>>);

impl KeyCondition {
    /// Those of the attributes of a partition key of several, in their order.
    pub(super) const OF_SEVERAL: [KeyCondition; 4] = [
        KeyCondition::First,
        KeyCondition::Second,
        KeyCondition::Third,
        KeyCondition::Fourth,
    ];

    pub(super) fn condition_name(self) -> &'static str {
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
    pub(super) fn any_partition() -> Self {
        Partitions::default()
    }

    pub(super) fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// Limits them by one more condition key.
    pub(super) fn limited_by(mut self, key: KeyCondition, value: Option<KeyLimit>) -> Self {
        if let Some(value) = value {
            self.0.entry(key).or_default().insert(value);
        }
        self
    }

    /// The partitions of either. A condition key that only one of them has would keep the other out.
    pub(super) fn union_with(mut self, other: &Partitions) -> Self {
        // A condition that the other side does not have would forbid what that side allows.
        self.0.retain(|key, _| other.0.contains_key(key));
        for (key, values) in &mut self.0 {
            values.extend(other.0.get(key).into_iter().flatten().cloned());
        }
        self
    }

    /// The condition keys, each with the operator that compares it and its values as that reads them.
    pub(super) fn condition_limits(
        &self,
    ) -> impl Iterator<Item = (KeyCondition, &'static str, Vec<String>)> {
        self.0.iter().map(|(key, values)| {
            let is_exact = |value: &KeyLimit| matches!(value, KeyLimit::Exact(_));
            let (operator, written): (_, fn(&KeyLimit) -> String) =
                match values.iter().all(is_exact) {
                    true => ("ForAllValues:StringEquals", KeyLimit::literal_text),
                    false => ("ForAllValues:StringLike", KeyLimit::pattern_text),
                };
            (*key, operator, values.iter().map(written).collect())
        })
    }
}

impl KeyLimit {
    /// As it is compared by equality, in which IAM finds no variables.
    fn literal_text(&self) -> String {
        let (KeyLimit::Exact(text) | KeyLimit::Beginning(text) | KeyLimit::Enclosed(text, _)) =
            self;
        escape_text(text, |_| false)
    }

    /// As a pattern, in which nothing but its end represents others.
    fn pattern_text(&self) -> String {
        let is_wild = |letter| matches!(letter, '*' | '?');
        match self {
            KeyLimit::Exact(text) => escape_text(text, is_wild),
            KeyLimit::Beginning(text) => escape_text(text, is_wild) + "*",
            KeyLimit::Enclosed(text, end) => {
                escape_text(text, is_wild) + "*" + &escape_text(end, is_wild)
            }
        }
    }
}

/// A text in which IAM replaces nothing, and takes letters of a meaning as they are.
fn escape_text(text: &str, has_meaning: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        // IAM replaces variables in values, as `${aws:username}`, and has this escape for a literal
        // one.
        let begins_variable = letter == '$' && letters.peek() == Some(&'{');
        if begins_variable || has_meaning(letter) {
            out.push_str("${");
            out.push(letter);
            out.push('}');
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::KeyLimit;

    #[test]
    fn texts_stand_for_themselves() {
        let exact = |text: &str| KeyLimit::Exact(text.to_owned());
        assert_eq!(exact("ORDER#").pattern_text(), "ORDER#");
        assert_eq!(exact("$UNIQUE").pattern_text(), "$UNIQUE");
        assert_eq!(exact("a*b?${c}").pattern_text(), "a${*}b${?}${$}{c}");
        assert_eq!(exact("a*b?${c}").literal_text(), "a*b?${$}{c}");
        let beginning = KeyLimit::Beginning("a*#".to_owned());
        assert_eq!(beginning.pattern_text(), "a${*}#*");
        let enclosed = KeyLimit::Enclosed("$UNIQUE#a*#".to_owned(), "#b?".to_owned());
        assert_eq!(enclosed.pattern_text(), "$UNIQUE#a${*}#*#b${?}");
    }
}
