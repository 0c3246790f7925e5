//! Turns a range of one part of a template into the range of its keys.

use super::point::KeyPoint;
use super::range::{Bound, KeyRange};

/// Sorts below every byte that a part can hold, and above the `#` that ends a part: if an escaped key
/// begins with `P`, a part ends at `P` or `P#`, and both are below `P$`.
const BEHIND_DELIMITER: char = '$';

/// The text that follows a part in its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartEnd {
    /// Nothing: the key ends with the part.
    End,
    /// The `#` of an escaped key.
    Delimiter,
    /// Something else: the part has a fixed width, or the key is verbatim.
    Other,
}

/// A part of a template, in keys whose text before it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'a> {
    /// The text before the part.
    pub(crate) head: &'a str,
    pub(crate) behind: PartEnd,
    /// Whether all texts of the part that share a sign have one width.
    pub(crate) fixed: bool,
    /// Whether the part is never empty. Then a key that ends at the head has no value of the part.
    pub(crate) filled: bool,
    /// Whether keys without a value end at the head.
    pub(crate) ends: bool,
    pub(crate) escaped: bool,
}

/// A bound of the part: the text of the key up to the end of the part.
pub(crate) struct PartBound {
    pub(crate) text: String,
    pub(crate) included: bool,
}

impl PartBound {
    /// The bound of a part that follows this text.
    pub(crate) fn after_head(head: &str, bound: Option<&Bound>) -> Option<Self> {
        let bound = bound?;
        // Parts of templates are text. Only a forged cursor has anything else here.
        let part = match &bound.point {
            KeyPoint::S(part) => part,
            KeyPoint::N(_) | KeyPoint::B(_) => "",
        };
        Some(PartBound {
            text: format!("{head}{part}"),
            included: bound.included,
        })
    }
}

impl Span<'_> {
    /// The range of the keys whose part is between the bounds.
    pub(crate) fn key_range(&self, lower: Option<PartBound>, upper: Option<PartBound>) -> KeyRange {
        // No part of ours is empty, so all keys are above this bound.
        if upper.as_ref().is_some_and(|upper| upper.text == self.head) {
            return KeyRange::Nothing;
        }
        let below = lower.is_some() || !self.head.is_empty();
        let lower = match lower {
            // The key of a `None` is the head itself, and a range holds values only.
            Some(bound) if self.ends && bound.text == self.head => Some(Bound {
                point: KeyPoint::S(bound.text),
                included: false,
            }),
            Some(bound) => match self.lower_bound(bound) {
                Some(bound) => Some(bound),
                None => return KeyRange::Nothing,
            },
            // Other programs write keys that end here if an attribute is absent, and a range holds values only. Without any
            // bound these are all keys with this head.
            None => Some(Bound {
                point: KeyPoint::S(self.head.to_owned()),
                included: upper.is_none() || self.escaped || !self.filled,
            }),
        };
        let upper = match upper {
            Some(bound) => Some(self.upper_bound(bound, below)),
            None if self.head.is_empty() => None,
            None => Some(included_bound(self.end_of_head())),
        };
        KeyRange::of_bounds(lower, upper)
    }

    fn lower_bound(&self, bound: PartBound) -> Option<Bound> {
        let PartBound {
            text,
            included: holds,
        } = bound;
        if holds {
            return Some(included_bound(KeyPoint::S(text)));
        }
        match self.behind {
            PartEnd::End => Some(Bound {
                point: KeyPoint::S(text),
                included: false,
            }),
            PartEnd::Delimiter => Some(included_bound(behind_delimiter(text))),
            // Literal text follows the part, so all keys with this value begin with it, and the
            // first key above them is taken.
            PartEnd::Other => KeyPoint::S(text).after_all().map(included_bound),
        }
    }

    /// The upper bound of the keys. `below`: there is a lower bound too, so that DynamoDB takes only an included one.
    fn upper_bound(&self, bound: PartBound, below: bool) -> Bound {
        let PartBound {
            text,
            included: holds,
        } = bound;
        match (holds, self.behind) {
            (true, PartEnd::End) => included_bound(KeyPoint::S(text)),
            (true, PartEnd::Delimiter) => included_bound(behind_delimiter(text)),
            (true, PartEnd::Other) => included_bound(KeyPoint::S(text).last_of_all()),
            (false, PartEnd::End) if below && self.fixed => included_bound(previous_text(text)),
            // Something follows the part in each key, which makes the key greater than the part alone. So no key equals
            // this bound, and it can be included. Other programs write keys that end with the part.
            (false, PartEnd::Delimiter | PartEnd::Other) if below && self.escaped => {
                included_bound(KeyPoint::S(text))
            }
            (false, _) => Bound {
                point: KeyPoint::S(text),
                included: false,
            },
        }
    }

    /// The end of all keys with this head.
    fn end_of_head(&self) -> KeyPoint {
        match self.head.strip_suffix('#').filter(|_| self.escaped) {
            Some(head) => behind_delimiter(head.to_owned()),
            None => KeyPoint::S(self.head.to_owned()).last_of_all(),
        }
    }
}

fn included_bound(point: KeyPoint) -> Bound {
    Bound {
        point,
        included: true,
    }
}

fn behind_delimiter(mut text: String) -> KeyPoint {
    text.push(BEHIND_DELIMITER);
    KeyPoint::S(text)
}

/// A text below this one, and above all lower texts that are not longer. Parts of fixed width are ASCII.
fn previous_text(mut text: String) -> KeyPoint {
    let last = text.pop().map(|last| u32::from(last).saturating_sub(1));
    text.extend(last.and_then(char::from_u32));
    KeyPoint::S(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of these letters up to a length.
    fn texts(letters: &[&str], longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            let longer = |text: &String| {
                let text = text.clone();
                letters.iter().map(move |letter| format!("{text}{letter}"))
            };
            last = last.iter().flat_map(longer).collect();
            all.extend(last.clone());
        }
        all
    }

    /// Compares each range of a part with all keys of the same letters: a key is in the range if and only if its part is,
    /// whatever follows the part.
    fn check(head: &str, parts: &[&str], separator: &str, escaped: bool) {
        let fixed = parts.iter().all(|part| part.len() == parts[0].len());
        let behind = match escaped && separator == "#" {
            true => PartEnd::Delimiter,
            false => PartEnd::Other,
        };
        let span = Span {
            head,
            behind,
            fixed,
            filled: true,
            ends: false,
            escaped,
        };
        let mut rests = texts(&["!", "0", "~", "\u{10ffff}"], 2);
        rests.retain(|rest| !escaped || !rest.contains('!'));
        let bound = |end: Option<(&str, bool)>| {
            end.map(|(part, included)| PartBound {
                text: format!("{head}{part}"),
                included,
            })
        };
        let ends: Vec<Option<(&str, bool)>> = parts
            .iter()
            .flat_map(|part| [Some((*part, true)), Some((*part, false))])
            .chain([None])
            .collect();
        for lower in &ends {
            for upper in &ends {
                let range = span.key_range(bound(*lower), bound(*upper));
                for part in parts {
                    let above = lower.is_none_or(|(low, held)| *part > low || held && *part == low);
                    let below =
                        upper.is_none_or(|(high, held)| *part < high || held && *part == high);
                    let mut keys: Vec<_> = rests
                        .iter()
                        .map(|rest| format!("{head}{part}{separator}{rest}"))
                        .collect();
                    // Other programs write keys that end with the part; ours never do.
                    if !escaped {
                        keys.push(format!("{head}{part}"));
                    }
                    for key in keys {
                        let is_in = range.contains_key(&KeyPoint::S(key.clone()));
                        assert_eq!(
                            is_in,
                            above && below,
                            "{key:?} between {lower:?} and {upper:?}"
                        );
                    }
                }
                // A key that ends before the part has no value, so it is in no range that has a bound.
                if !escaped && !head.is_empty() {
                    let is_in = range.contains_key(&KeyPoint::S(head.to_owned()));
                    let is_open = lower.is_none() && upper.is_none();
                    assert_eq!(is_in, is_open, "{head:?} between {lower:?} and {upper:?}");
                }
                // Keys without the text before the part are never in the range.
                for other in ["", "\u{1}", "\u{10ffff}"]
                    .into_iter()
                    .filter(|_| !head.is_empty())
                {
                    assert!(!range.contains_key(&KeyPoint::S(other.to_owned())));
                }
            }
        }
    }

    #[test]
    fn a_range_of_a_part_is_exact_whatever_follows() {
        let fixed = ["0000", "0001", "0010", "000~", "9999"];
        // None begins with another one, and they have several widths, as times with and without a fraction.
        let prefix_free = ["00+0", "00.1+0", "00.5+0", "01+0", "01.5+0"];
        for head in ["", "A#", "A", "$task#status_\u{10ffff}#"] {
            for separator in ["!", "#", "-", ":", "_", "|", "~", "::", "#id_"] {
                check(head, &fixed, separator, false);
                check(head, &prefix_free, separator, false);
            }
            check(head, &fixed, "#", true);
            check(head, &fixed, ":x", true);
            check(head, &prefix_free, "#", true);
        }
    }
}
