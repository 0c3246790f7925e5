//! Sequence numbers of records, which have more digits than any integer type.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The sequence number of a record in its shard. Later records of an item have greater numbers.
///
/// It compares as a number of any length, because the numbers of DynamoDB have 21 to 40 digits.
///
/// ```
/// use dynamo_entity::streams::SequenceNumber;
///
/// assert!(SequenceNumber::new("9") < SequenceNumber::new("100000000003498069978"));
/// assert_eq!(SequenceNumber::new("007"), SequenceNumber::new("7"));
/// ```
#[derive(Clone)]
pub struct SequenceNumber(Box<str>);

impl SequenceNumber {
    /// Creates a sequence number from its text.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        SequenceNumber(text.into())
    }

    /// Returns the text from which the number was created.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A comparison by length and then by text: without leading zeros, the longer number is the greater one.
    fn numeric_rank(&self) -> (usize, &str) {
        let digits = self.0.trim_start_matches('0');
        (digits.len(), digits)
    }
}

impl PartialEq for SequenceNumber {
    fn eq(&self, other: &Self) -> bool {
        self.numeric_rank() == other.numeric_rank()
    }
}

impl Eq for SequenceNumber {}

impl PartialOrd for SequenceNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SequenceNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numeric_rank().cmp(&other.numeric_rank())
    }
}

impl Hash for SequenceNumber {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.numeric_rank().hash(state);
    }
}

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SequenceNumber({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::Number;

    proptest! {
        #[test]
        fn they_compare_as_numbers(a in "0{0,3}[0-9]{1,35}", b in "0{0,3}[0-9]{1,35}") {
            let numbers: (Number, Number) = (a.parse().unwrap(), b.parse().unwrap());
            let (a, b) = (SequenceNumber::new(a), SequenceNumber::new(b));
            prop_assert_eq!(a.cmp(&b), numbers.0.cmp(&numbers.1));
        }
    }

    #[test]
    fn forty_digits_are_compared() {
        let numbers = [
            "999",
            "4952903250068",
            "49590338271490256608559692538361571095921575989136588898",
            "49590338271490256608559692538361571095921575989136588899",
        ];
        let numbers = numbers.map(SequenceNumber::new);
        assert!(numbers.is_sorted_by(|a, b| a < b));
    }
}
