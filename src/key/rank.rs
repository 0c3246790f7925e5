//! Ranks: the sort keys of rows as bytes that compare in the order of the rows, to merge rows of several lanes.
//!
//! The values of a sort key are written one after the other, each with an end marker. Therefore no value is a prefix
//! of another one, and a rank begins with the ranks of its leading values. For descending order all bits are
//! inverted. Code that compares ranks needs to know neither types nor attributes nor the direction.

mod value;

use std::fmt;
use std::sync::Arc;

use super::point::KeyPoint;
use crate::json::{CodecError, KeyFinder, Reader};
use value::{LONG, invert_bytes, write_point, write_usual, write_value};

/// Zeros between ranks, so that eight bytes can be read even at the end of a rank.
const GAP: [u8; size_of::<u64>()] = [0; size_of::<u64>()];

/// Most ranks have at most this many bytes, with the gap.
const USUAL: usize = 32;

/// The attributes by which rows are ranked.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// The attributes of the sort key.
    pub(crate) sort: Arc<[&'static str]>,
    pub(crate) descending: bool,
}

/// The ranks of rows, in the order of the rows.
#[derive(Default)]
pub(crate) struct Ranks {
    /// The ranks, each followed by a gap.
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Ranks {
    /// Reserves room for this many more ranks of this length.
    pub(crate) fn reserve_ranks(&mut self, rows: usize, each: usize) {
        self.bytes.reserve(rows * each.max(USUAL) + LONG);
        self.starts.reserve(rows);
    }

    /// About how long a rank is, with its gap.
    pub(crate) fn each(&self) -> usize {
        self.bytes.len().div_ceil(self.starts.len().max(1))
    }

    /// Adds the rank of the row whose attributes the finder has recorded.
    #[inline]
    pub(crate) fn push_row(
        &mut self,
        ranking: &Ranking,
        finder: &KeyFinder,
        reader: &Reader<'_>,
    ) -> Result<(), CodecError> {
        let start = self.bytes.len();
        for json in finder.texts_ahead(reader) {
            if !json.is_some_and(|json| write_usual(json, &mut self.bytes)) {
                // The fast way may have written some of the values of this row already.
                self.bytes.truncate(start);
                self.write_row(finder, reader)?;
                break;
            }
        }
        self.end_rank(ranking, start);
        Ok(())
    }

    /// Writes the values of a row, whatever form they have.
    #[cold]
    fn write_row(&mut self, finder: &KeyFinder, reader: &Reader<'_>) -> Result<(), CodecError> {
        for attribute in finder.found_values(reader) {
            write_value(&mut attribute?.1, &mut self.bytes)?;
        }
        Ok(())
    }

    /// Adds the lowest rank that the next row can have, by the known values.
    pub(crate) fn push_bound(
        &mut self,
        ranking: &Ranking,
        points: &[KeyPoint],
    ) -> Result<(), CodecError> {
        let start = self.bytes.len();
        for point in points {
            write_point(point, &mut self.bytes)?;
        }
        self.end_rank(ranking, start);
        Ok(())
    }

    /// Completes the rank that begins at `start`.
    #[inline]
    fn end_rank(&mut self, ranking: &Ranking, start: usize) {
        if ranking.descending {
            // Rows in descending order get complementary bytes, so that one comparison merges both
            // orders.
            invert_bytes(&mut self.bytes, start);
        }
        self.bytes.extend_from_slice(&GAP);
        self.starts.push(start);
    }

    pub(crate) fn rank_at(&self, at: usize) -> Option<&[u8]> {
        let next = self.starts.get(at + 1);
        let end = next.map_or(self.bytes.len(), |next| *next);
        let rank = self.bytes.get(*self.starts.get(at)?..end)?;
        rank.strip_suffix(&GAP)
    }

    pub(crate) fn last_rank(&self) -> Option<&[u8]> {
        self.rank_at(self.starts.len().checked_sub(1)?)
    }

    /// The next eight bytes of a rank after the first `behind` ones, as a number. A rank that ends there looks the
    /// same as one that continues with zeros.
    #[inline]
    pub(crate) fn next(&self, at: usize, behind: usize) -> Option<u64> {
        let start = *self.starts.get(at)? + behind;
        let next = self.bytes.get(start..)?.first_chunk()?;
        Some(u64::from_be_bytes(*next))
    }
}

/// Keys are not shown.
impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ranks({})", self.starts.len())
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Values of one type that are close to each other. The service spells a number in one way, others in several.
    const VALUES: [(&str, &[&str]); 3] = [
        (
            "N",
            &[
                "-1e40",
                "-9223372036854775808",
                "-10",
                "-9.5",
                "-5",
                "-0.5",
                "-1E-130",
                "0",
                "-0",
                "1E-130",
                "0.05",
                "0.5",
                "007",
                "7",
                "7.00",
                "10",
                "99",
                "100",
                "1e2",
                "1000",
                "9223372036854775807",
                "9223372036854775808",
                "99999999999999999999999999999999999999",
                "9.9e125",
            ],
        ),
        (
            "S",
            &[
                "",
                "\\u0000",
                "\\u0000\\u0000",
                "\\u0000a",
                "\\u0001",
                "\\u0001\\u0001",
                "\\u0002",
                " ",
                "!",
                "\\\"",
                "#",
                "a",
                "a\\u0000",
                "a\\u0000b",
                "a\\u0001",
                "a a",
                "a\\\\",
                "aa",
                "b",
                "cccccccc",
                "cccccccc\\u0000",
                "ccccccccd",
                "\\u00e9",
                "\u{e9}",
                "\u{ffff}",
                "\u{10000}",
            ],
        ),
        (
            "B",
            &[
                "", "AA==", "AAA=", "AAE=", "AQ==", "AQE=", "Ag==", "/w==", "/wA=", "//8=",
            ],
        ),
    ];

    const LENGTHS: [usize; 12] = [0, 0, 0, 0, 45, 46, 47, 48, 61, 126, 127, 128];

    /// Two rows of up to three attributes.
    fn rows() -> impl Strategy<Value = [Vec<String>; 2]> {
        let pair = select(&VALUES[..]).prop_flat_map(|(tag, values)| {
            let json = move |value: String| format!("{{\"{tag}\":\"{value}\"}}");
            // Lengths around the number of bytes that are copied at once.
            let lengths = if tag == "S" { &LENGTHS } else { &LENGTHS[..1] };
            let value = move || {
                let front = select(lengths).prop_map(|length| "d".repeat(length));
                (front, select(values)).prop_map(move |(front, value)| json(front + value))
            };
            prop_oneof![
                (value(), value()),
                value().prop_map(|value| (value.clone(), value)),
            ]
        });
        proptest::collection::vec(pair, 0..4).prop_map(|pairs| {
            let (one, other) = pairs.into_iter().unzip();
            [one, other]
        })
    }

    const NAMES: [&str; 3] = ["a", "b", "c"];

    fn points(values: &[String]) -> Vec<KeyPoint> {
        let point = |json: &String| KeyPoint::read_point(&mut Reader::new(json.as_bytes()));
        values
            .iter()
            .map(|json| point(json).expect("a value"))
            .collect()
    }

    /// Two ranks, which have to be equal: that of the row, followed by some spaces, and that of its values.
    fn ranks(values: &[String], ranking: &Ranking, behind: usize) -> Ranks {
        let entries = NAMES.iter().zip(values).rev();
        let entries: Vec<String> = entries
            .map(|(name, json)| format!("\"{name}\":{json}"))
            .collect();
        let row = format!("{{{}}}{}", entries.join(","), " ".repeat(behind));
        let finder = KeyFinder::of_names(&ranking.sort);
        let reader = Reader::new(row.as_bytes());
        reader.clone().find_keys(&finder).expect("a row");
        let mut ranks = Ranks::default();
        ranks.push_row(ranking, &finder, &reader).expect("a rank");
        ranks.push_bound(ranking, &points(values)).expect("a rank");
        ranks
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::random_cases(5_000)))]

        #[test]
        fn ranks_compare_as_keys(
            [one, other] in rows(),
            known in 0..4usize,
            descending: bool,
            behind in select(&[0, 50, 100, 300][..]),
        ) {
            let ranking = Ranking {
                sort: NAMES[..one.len()].into(),
                descending,
            };
            let by_value = |known: usize| {
                let pairs = points(&one).into_iter().zip(points(&other)).take(known);
                let mut orders = pairs.map(|(one, other)| one.compare_points(&other).expect("one type"));
                let order = orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
                if descending { order.reverse() } else { order }
            };
            let (ranks, others) = (ranks(&one, &ranking, behind), ranks(&other, &ranking, 300));
            let (rank, other) = (ranks.rank_at(0).expect("a rank"), others.rank_at(0).expect("a rank"));
            prop_assert_eq!(ranks.rank_at(1), Some(rank));
            prop_assert_eq!(rank.cmp(other), by_value(3));

            // A bound of fewer values comes before the rows with those values, in both directions, and begins their
            // ranks.
            let known = known.min(one.len());
            let mut bounds = Ranks::default();
            for known in [known, one.len()] {
                bounds.push_bound(&ranking, &points(&one[..known])).expect("a rank");
            }
            let bound = bounds.rank_at(0).expect("a rank");
            let missing = if known < one.len() { Ordering::Less } else { Ordering::Equal };
            prop_assert_eq!(bound.cmp(other), by_value(known).then(missing));
            prop_assert_eq!(other.starts_with(bound), by_value(known).is_eq());

            // The next bytes of two ranks compare as the ranks do, or are equal.
            let shared = rank.iter().zip(other).take_while(|(one, other)| one == other).count();
            for behind in 0..=shared {
                let next = ranks.next(0, behind).cmp(&others.next(0, behind));
                prop_assert_eq!(next.then(by_value(3)), by_value(3));
            }
            let shared = bound.iter().zip(other).take_while(|(one, other)| one == other).count();
            for behind in 0..=shared {
                let next = bounds.next(0, behind).cmp(&others.next(0, behind));
                prop_assert_eq!(next.then(bound.cmp(other)), bound.cmp(other));
            }
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let ranking = Ranking {
            sort: Arc::new(["a"]),
            descending: false,
        };
        for row in [
            r#"{"a":{"BOOL":true}}"#,
            r#"{"a":{"N":"x"}}"#,
            r#"{"b":{"S":"x"}}"#,
        ] {
            let finder = KeyFinder::of_names(&ranking.sort);
            let reader = Reader::new(row.as_bytes());
            reader.clone().find_keys(&finder).expect("a row");
            let mut ranks = Ranks::default();
            assert!(ranks.push_row(&ranking, &finder, &reader).is_err(), "{row}");
        }
    }
}
