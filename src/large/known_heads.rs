//! The heads that a sweep has read.

use std::collections::{HashMap, HashSet};

use crate::write::part_name::PartName;

/// How many names of parts are kept in memory, which is about 50 MB, also if the keys are long. The parts of a list are spread over the whole table, so a head
/// that is forgotten is read once more for almost every part.
const MOST_NAMES: usize = 1_000_000;

/// The names of the parts of heads that were read, up to a limit.
#[derive(Default)]
pub(super) struct KnownHeads {
    /// By the keys of the heads; `None` if a head is unreadable.
    names: HashMap<Vec<u8>, Option<HashSet<u64>>>,
    /// The number of names, and of heads at least eightfold, because their keys need memory too.
    weight: usize,
}

impl KnownHeads {
    /// Whether this head names a part; the inner `None` if the head is unreadable, and the outer one if it is not known.
    pub(super) fn is_named(&self, head: &[u8], name: &PartName) -> Option<Option<bool>> {
        let names = self.names.get(head)?;
        Some(
            names
                .as_ref()
                .map(|names| names.contains(&half_of_id(name))),
        )
    }

    /// Keeps the names of a head, and forgets others if they are too many.
    pub(super) fn keep(&mut self, head: Vec<u8>, names: Option<Vec<PartName>>) {
        let names = names.map(|names| names.iter().map(half_of_id).collect());
        self.forget(&head);
        self.weight += weight_of(&head, &names);
        while self.weight > MOST_NAMES {
            // The scan returns rows in no order, so any head is as good as another.
            let Some(other) = self.names.keys().next().cloned() else {
                break;
            };
            self.forget(&other);
        }
        self.names.insert(head, names);
    }

    fn forget(&mut self, head: &[u8]) {
        if let Some(names) = self.names.remove(head) {
            self.weight = self.weight.saturating_sub(weight_of(head, &names));
        }
    }
}

fn weight_of(head: &[u8], names: &Option<HashSet<u64>>) -> usize {
    // A key can have 2 KB, which is much more than the name of a part.
    8 + head.len() / 32 + names.as_ref().map_or(0, HashSet::len)
}

/// The first half of the random id in a name. If two parts of a list had the same half, one of them would be kept too long, which a
/// reader does not notice.
fn half_of_id(name: &PartName) -> u64 {
    let half = name.0.get(..16).unwrap_or_default();
    u64::from_str_radix(half, 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_known_up_to_a_limit() {
        let name =
            |head: u64, part: u64| PartName(format!("{:016x}{:016x} 5", head * 10_000 + part, 7));
        let mut heads = KnownHeads::default();
        let key = |head: u64| head.to_string().into_bytes();
        for head in 0..150 {
            let names = (0..9_000).map(|part| name(head, part)).collect();
            heads.keep(key(head), Some(names));
            // A second read of the same head.
            heads.keep(key(head), Some(vec![name(head, 1), name(head, 2)]));
            assert_eq!(heads.is_named(&key(head), &name(head, 2)), Some(Some(true)));
            assert_eq!(
                heads.is_named(&key(head), &name(head, 3)),
                Some(Some(false))
            );
        }
        assert_eq!(heads.names.len(), 150);
        assert_eq!(heads.weight, 150 * 10);
        heads.keep(key(0), None);
        assert_eq!(heads.is_named(&key(0), &name(0, 1)), Some(None));
        assert_eq!(heads.is_named(&key(999), &name(0, 1)), None);

        for head in 0..150 {
            let names = (0..9_000).map(|part| name(head, part)).collect();
            heads.keep(key(head), Some(names));
            assert!(heads.weight <= MOST_NAMES);
            assert_eq!(
                heads.is_named(&key(head), &name(head, 8_999)),
                Some(Some(true))
            );
        }
        let kept: usize = heads
            .names
            .iter()
            .map(|(head, names)| weight_of(head, names))
            .sum();
        assert_eq!(heads.weight, kept);
        assert!(
            heads.names.len() > 100,
            "only as many as necessary are forgotten"
        );
    }
}
