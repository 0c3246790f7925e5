//! What was measured before, to be held against what is measured now.
//!
//! What is compared is the ratio to hand-written code on the raw SDK in the same run: memory, processor and C library
//! change both sides alike. Between compilers or versions of the SDK there is more patience.

use std::fmt::Write as _;

use crate::work::Work;

/// Counts of the library and of hand-written code, by work.
pub type Counts = Vec<(Work, u64, u64)>;

/// So much more, in percent, is taken for noise: hash seeds, buffers, positions in memory.
const NOISE: u64 = 3;
/// The same between compilers or versions of the SDK.
const DRIFT: u64 = 10;

pub struct Recorded {
    versions: String,
    counts: Counts,
}

impl Recorded {
    pub fn new(versions: String, counts: Counts) -> Self {
        Recorded { versions, counts }
    }

    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let versions = lines.next()?.to_owned();
        let counts = lines.map(|line| {
            let mut words = line.split_whitespace();
            let work = Work::named(words.next()?)?;
            Some((
                work,
                words.next()?.parse().ok()?,
                words.next()?.parse().ok()?,
            ))
        });
        let counts = counts.collect::<Option<Counts>>()?;
        Some(Recorded { versions, counts })
    }

    pub fn write(&self) -> String {
        let mut text = String::from(
            "# Instructions, SHA-256 left out: the library, hand-written code on the raw SDK.\n\
             # `benches/run --record` writes this file.\n",
        );
        let _ = writeln!(text, "{}", self.versions);
        for (work, library, by_hand) in &self.counts {
            let _ = writeln!(text, "{} {library} {by_hand}", work.name());
        }
        text
    }

    /// What costs more than `before` recorded, or is not there any more; and whether versions differ.
    pub fn against(&self, before: &Recorded) -> (Vec<String>, bool) {
        let same = self.versions == before.versions;
        let worse = before
            .counts
            .iter()
            .filter_map(|&(work, was, was_by_hand)| {
                let Some(&(_, is, is_by_hand)) = self.counts.iter().find(|(of, ..)| *of == work)
                else {
                    return Some(format!("{}: recorded, and not measured", work.name()));
                };
                let patience = if same { NOISE } else { DRIFT };
                // The ratio that was, of what hand-written code costs now.
                let limit = was * is_by_hand / was_by_hand.max(1) * (100 + patience) / 100;
                let ratio = |count: u64| count as f64 / is_by_hand as f64;
                (is > limit).then(|| {
                    format!(
                        "{}: {is} instructions, {:.3} of what is written by hand; at most {:.3}",
                        work.name(),
                        ratio(is),
                        ratio(limit)
                    )
                })
            });
        (worse.collect(), !same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(versions: &str, library: u64, by_hand: u64) -> Recorded {
        Recorded::new(versions.into(), vec![(Work::Get, library, by_hand)])
    }

    #[test]
    fn what_costs_more_is_named() {
        let before = recorded("a", 1000, 2000);
        let before = Recorded::read(&before.write()).unwrap();
        assert_eq!(recorded("a", 1030, 2000).against(&before), (vec![], false));
        assert_eq!(recorded("a", 1031, 2000).against(&before).0.len(), 1);
        // On another machine everything is dearer.
        assert_eq!(recorded("a", 2060, 4000).against(&before), (vec![], false));
        assert_eq!(recorded("a", 2061, 4000).against(&before).0.len(), 1);
        // With another SDK it may become so.
        assert_eq!(recorded("b", 2200, 4000).against(&before), (vec![], true));
        assert_eq!(recorded("b", 2201, 4000).against(&before).0.len(), 1);
        let nothing = Recorded::new("a".into(), vec![]);
        assert_eq!(nothing.against(&before).0.len(), 1);
    }
}
