//! The condition on a part of a sort key: a value, or a range in Rust's syntax.

use std::ops::Bound;

/// A value or a range of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GivenRange {
    /// `Paid`, and `=a..b` for the text `a..b`.
    Value(String),
    /// `2026-03-01..2026-04-01` without the upper end, `..=9` with it; an end that is not given is open.
    Between(Bound<String>, Bound<String>),
}

impl GivenRange {
    pub(crate) fn read(text: &str) -> Self {
        if let Some(value) = text.strip_prefix('=') {
            return GivenRange::Value(value.to_owned());
        }
        let Some((from, to)) = text.split_once("..") else {
            return GivenRange::Value(text.to_owned());
        };
        let end = |text: &str, bound: fn(String) -> Bound<String>| match text {
            "" => Bound::Unbounded,
            text => bound(text.to_owned()),
        };
        let upper = match to.strip_prefix('=') {
            Some(to) => end(to, Bound::Included),
            None => end(to, Bound::Excluded),
        };
        GivenRange::Between(end(from, Bound::Included), upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_rust() {
        let included = |text: &str| Bound::Included(text.to_owned());
        let excluded = |text: &str| Bound::Excluded(text.to_owned());
        for (text, read) in [
            ("a", GivenRange::Value("a".into())),
            ("", GivenRange::Value(String::new())),
            ("=a..b", GivenRange::Value("a..b".into())),
            ("==a", GivenRange::Value("=a".into())),
            ("a..b", GivenRange::Between(included("a"), excluded("b"))),
            ("a..=b", GivenRange::Between(included("a"), included("b"))),
            ("a..", GivenRange::Between(included("a"), Bound::Unbounded)),
            ("..b", GivenRange::Between(Bound::Unbounded, excluded("b"))),
            ("..=b", GivenRange::Between(Bound::Unbounded, included("b"))),
            (
                "..",
                GivenRange::Between(Bound::Unbounded, Bound::Unbounded),
            ),
        ] {
            assert_eq!(GivenRange::read(text), read, "{text}");
        }
    }
}
