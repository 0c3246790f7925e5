//! The condition on a sort key: exactly the keys between two bounds.

use std::cmp::Ordering;

use super::point::KeyPoint;

/// One end of a range.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) point: KeyPoint,
    /// Whether the point itself is in the range.
    pub(crate) included: bool,
}

/// The condition on a sort key. DynamoDB accepts one condition, and with two bounds both must be included.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum KeyRange {
    /// Any key: the request has no condition.
    All,
    /// No key at all: no request is sent.
    Nothing,
    Exactly(KeyPoint),
    StartsWith(KeyPoint),
    /// `>=` or, without the point itself, `>`.
    Above(KeyPoint, bool),
    /// `<=` or `<`.
    Below(KeyPoint, bool),
    /// Both bounds are included.
    Between(KeyPoint, KeyPoint),
}

impl KeyRange {
    /// The keys that start with the text.
    pub(crate) fn starting_with(prefix: String) -> Self {
        let prefix = KeyPoint::S(prefix);
        match prefix.is_empty() {
            true => KeyRange::All,
            // No key is that long, and DynamoDB would reject the request.
            false if prefix.is_too_long() => KeyRange::Nothing,
            false => KeyRange::StartsWith(prefix),
        }
    }

    /// The keys from one bound to another. Bounds may be empty, too long, equal or reversed.
    pub(crate) fn of_bounds(lower: Option<Bound>, upper: Option<Bound>) -> Self {
        let lower = match lower.map(shorten_lower) {
            Some(None) => return KeyRange::Nothing,
            // Every key is above empty text, and DynamoDB rejects it as a bound.
            Some(Some(bound)) if !bound.point.is_empty() => Some(bound),
            Some(Some(_)) | None => None,
        };
        let upper = match upper.map(shorten_upper) {
            // No key is below or equal to empty text.
            Some(bound) if bound.point.is_empty() => return KeyRange::Nothing,
            upper => upper,
        };
        match (lower, upper) {
            (None, None) => KeyRange::All,
            (Some(lower), None) => KeyRange::Above(lower.point, lower.included),
            (None, Some(upper)) => KeyRange::Below(upper.point, upper.included),
            (Some(lower), Some(upper)) => KeyRange::between_bounds(lower, upper),
        }
    }

    /// The range between two bounds, each turned into an included one.
    fn between_bounds(lower: Bound, upper: Bound) -> Self {
        // `BETWEEN` includes both of its ends, and a second condition on the sort key is not
        // allowed. So an excluded end is replaced by its neighbour.
        let lower = if lower.included {
            Some(lower.point)
        } else {
            lower.point.next_point()
        };
        let upper = if upper.included {
            Some(upper.point)
        } else {
            upper.point.previous_point()
        };
        let (Some(lower), Some(upper)) = (lower, upper) else {
            return KeyRange::Nothing;
        };
        match lower.compare_points(&upper) {
            Some(Ordering::Less) => KeyRange::Between(lower, upper),
            Some(Ordering::Equal) => KeyRange::Exactly(lower),
            Some(Ordering::Greater) | None => KeyRange::Nothing,
        }
    }

    /// The range without the keys below the point.
    pub(crate) fn at_least(self, least: KeyPoint) -> Self {
        self.within_bounds(Some(included_bound(least)), None)
    }

    /// The keys of the range that are between these bounds too.
    pub(crate) fn within_bounds(self, lower: Option<Bound>, upper: Option<Bound>) -> Self {
        if self == KeyRange::Nothing {
            return self;
        }
        let (own_lower, own_upper) = self.into_bounds();
        KeyRange::of_bounds(
            stricter_bound(own_lower, lower, Ordering::Greater),
            stricter_bound(own_upper, upper, Ordering::Less),
        )
    }

    /// Whether all keys of this range are in the other range too.
    pub(crate) fn lies_in(&self, other: &KeyRange) -> bool {
        if *self == KeyRange::Nothing {
            return true;
        }
        let (lower, upper) = other.clone().into_bounds();
        // Both sides go through the same normal form, since one range can be written in several
        // ways.
        self.clone().within_bounds(lower, upper) == self.clone().within_bounds(None, None)
    }

    /// The least and the greatest point that may be in the range.
    pub(crate) fn range_ends(self) -> (Option<KeyPoint>, Option<KeyPoint>) {
        let (lower, upper) = self.into_bounds();
        (
            lower.map(|bound| bound.point),
            upper.map(|bound| bound.point),
        )
    }

    fn into_bounds(self) -> (Option<Bound>, Option<Bound>) {
        let bound = |point, included| Some(Bound { point, included });
        match self {
            KeyRange::All | KeyRange::Nothing => (None, None),
            KeyRange::Exactly(point) => (bound(point.clone(), true), bound(point, true)),
            KeyRange::StartsWith(prefix) => {
                let last = prefix.last_of_all();
                (bound(prefix, true), bound(last, true))
            }
            KeyRange::Above(point, held) => (bound(point, held), None),
            KeyRange::Below(point, held) => (None, bound(point, held)),
            KeyRange::Between(lower, upper) => (bound(lower, true), bound(upper, true)),
        }
    }

    /// Whether a key is in the range.
    pub(crate) fn contains_key(&self, key: &KeyPoint) -> bool {
        let order = |point: &KeyPoint| key.compare_points(point);
        match self {
            KeyRange::All => true,
            KeyRange::Nothing => false,
            KeyRange::Exactly(point) => order(point) == Some(Ordering::Equal),
            KeyRange::StartsWith(prefix) => key.starts_with(prefix),
            KeyRange::Above(point, true) => order(point).is_some_and(Ordering::is_ge),
            KeyRange::Above(point, false) => order(point).is_some_and(Ordering::is_gt),
            KeyRange::Below(point, true) => order(point).is_some_and(Ordering::is_le),
            KeyRange::Below(point, false) => order(point).is_some_and(Ordering::is_lt),
            KeyRange::Between(lower, upper) => {
                order(lower).is_some_and(Ordering::is_ge)
                    && order(upper).is_some_and(Ordering::is_le)
            }
        }
    }
}

fn included_bound(point: KeyPoint) -> Bound {
    Bound {
        point,
        included: true,
    }
}

/// The stricter bound. `order` is the comparison of the stricter bound with the weaker one.
fn stricter_bound(left: Option<Bound>, right: Option<Bound>, order: Ordering) -> Option<Bound> {
    let (Some(left), Some(right)) = (&left, &right) else {
        return left.or(right);
    };
    let is_left = match left.point.compare_points(&right.point) {
        // Of two equal bounds, the one that excludes its point is the stricter one.
        Some(Ordering::Equal) | None => !left.included,
        Some(other) => other == order,
    };
    Some(if is_left { left } else { right }.clone())
}

/// Replaces a bound that is longer than any key by the next one that fits: all keys that the bound starts with
/// are below it. `None` if no key is above.
fn shorten_lower(bound: Bound) -> Option<Bound> {
    if !bound.point.is_too_long() {
        return Some(bound);
    }
    bound.point.after_all().map(|point| Bound {
        point,
        included: true,
    })
}

fn shorten_upper(bound: Bound) -> Bound {
    if !bound.point.is_too_long() {
        return bound;
    }
    Bound {
        point: bound.point.last_of_all(),
        included: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, included: bool) -> Option<Bound> {
        Some(Bound {
            point: KeyPoint::S(text.to_owned()),
            included,
        })
    }

    fn s(text: &str) -> KeyPoint {
        KeyPoint::S(text.to_owned())
    }

    #[test]
    fn a_bound_that_is_left_out_becomes_its_neighbour() {
        let range = KeyRange::of_bounds(text("a", false), text("b\0", false));
        assert!(range == KeyRange::Between(s("a\0"), s("b")));
        assert!(KeyRange::of_bounds(text("a", false), None) == KeyRange::Above(s("a"), false));
        assert!(KeyRange::of_bounds(None, text("b", false)) == KeyRange::Below(s("b"), false));
    }

    #[test]
    fn empty_and_reversed_ranges_are_nothing() {
        assert!(KeyRange::of_bounds(text("a", true), text("a", false)) == KeyRange::Nothing);
        assert!(KeyRange::of_bounds(text("b", true), text("a", true)) == KeyRange::Nothing);
        assert!(KeyRange::of_bounds(text("a", false), text("a\0", false)) == KeyRange::Nothing);
        assert!(KeyRange::of_bounds(None, text("", true)) == KeyRange::Nothing);
        assert!(KeyRange::of_bounds(text("", false), None) == KeyRange::All);
        assert!(KeyRange::of_bounds(text("a", true), text("a", true)) == KeyRange::Exactly(s("a")));
    }

    #[test]
    fn a_range_lies_in_one_that_holds_it() {
        let whole = KeyRange::of_bounds(text("a#", true), text("a$", true));
        let inside = [
            KeyRange::starting_with("a#".into()),
            KeyRange::of_bounds(text("a#b", true), text("a$", true)),
            KeyRange::Exactly(s("a#x")),
            KeyRange::Nothing,
        ];
        let outside = [
            KeyRange::All,
            KeyRange::starting_with("a".into()),
            KeyRange::of_bounds(text("a#b", true), None),
            KeyRange::Exactly(s("b")),
        ];
        assert!(inside.iter().all(|range| range.lies_in(&whole)));
        assert!(!outside.iter().any(|range| range.lies_in(&whole)));
        assert!(outside.iter().all(|range| range.lies_in(&KeyRange::All)));
    }

    #[test]
    fn bounds_that_are_too_long_hold_what_they_held() {
        let long = format!("b{}", "x".repeat(2000));
        let KeyRange::Above(lower, true) = KeyRange::of_bounds(text(&long, true), None) else {
            panic!("a lower bound");
        };
        let KeyRange::Below(upper, true) = KeyRange::of_bounds(None, text(&long, false)) else {
            panic!("an upper bound");
        };
        for (key, is_above) in [("b", false), ("c", true), (&long[..1024], false)] {
            let key = s(key);
            assert_eq!(key.compare_points(&lower).unwrap().is_ge(), is_above);
            assert_eq!(key.compare_points(&upper).unwrap().is_gt(), is_above);
        }
        let top = "\u{10ffff}".repeat(300);
        assert!(KeyRange::of_bounds(text(&top, true), None) == KeyRange::Nothing);
    }
}
