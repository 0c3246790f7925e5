//! Attempts at given writes that had no answer: each may still arrive, and take effect after a later write of its item.

use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Stage};

/// How long a request may arrive after it was sent. AWS rejects a signature that is older than fifteen minutes, by its own
/// clock.
const LIFE: i64 = 20 * 60;

/// An attempt at a given write that may still take effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StrayAttempt {
    /// The number of the write in the input.
    pub(super) number: u64,
    /// From then on it cannot take effect any more, in Unix seconds.
    until: i64,
}

impl StrayAttempt {
    pub(super) fn of_write(number: u64, now: Timestamp) -> Self {
        StrayAttempt {
            number,
            until: now.seconds().saturating_add(LIFE),
        }
    }

    pub(super) fn may_arrive(self, now: Timestamp) -> bool {
        now.seconds() < self.until
    }

    /// The one of two attempts that may arrive later.
    pub(super) fn later(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.until > self.until => other,
            _ => self,
        }
    }

    /// Its form in a checkpoint, together with the identity of the item.
    pub(super) fn to_text(self, item: u64) -> String {
        format!("{item:x} {:x} {}", self.number, self.until)
    }

    pub(super) fn from_text(text: &str) -> Option<(u64, Self)> {
        let mut parts = text.split(' ');
        let item = u64::from_str_radix(parts.next()?, 16).ok()?;
        let number = u64::from_str_radix(parts.next()?, 16).ok()?;
        let until = parts.next()?.parse().ok()?;
        Some((item, StrayAttempt { number, until }))
    }

    /// The error of a later write of the item, which is not sent.
    pub(super) fn in_the_way(self, entity: &'static str) -> Error {
        let minutes = LIFE / 60;
        let message = format!(
            "an earlier write of this item, number {} of the input, got no response to one of \
             its requests, and that request may still take effect: this write was not sent, because it would have to come after it. Send it {minutes} \
             minutes later (the next run of a job with a checkpoint does), and read before deciding anything sooner",
            self.number
        );
        Error::new(ErrorKind::OutcomeUnknown, Stage::Request, message).of(entity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let now = Timestamp::from_unix(1_764_000_000, 0).unwrap();
        let stray = StrayAttempt::of_write(u64::MAX, now);
        let text = stray.to_text(255);
        assert_eq!(text, "ff ffffffffffffffff 1764001200");
        assert_eq!(StrayAttempt::from_text(&text), Some((255, stray)));
        for broken in ["", "ff", "ff 1", "x 1 1", "ff 1 x"] {
            assert_eq!(StrayAttempt::from_text(broken), None, "{broken}");
        }
        assert!(stray.may_arrive(now));
        let after = Timestamp::from_unix(1_764_001_200, 0).unwrap();
        assert!(!stray.may_arrive(after));
        let later = StrayAttempt::of_write(1, after);
        assert_eq!(stray.later(Some(later)), later);
        assert_eq!(later.later(Some(stray)), later);
    }
}
