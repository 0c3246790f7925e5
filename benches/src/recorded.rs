//! Earlier measurements, which new ones are compared with.
//!
//! The ratio to hand-written code on the raw SDK in the same run is compared, because memory, processor and C
//! library change both sides alike. Other versions of the compiler or of the SDK get a wider limit.

use std::fmt::Write as _;

use crate::work::Work;

/// The instructions of a work in the library, and in hand-written code.
pub type Count = (Work, u64, u64);
pub type Counts = Vec<Count>;

/// How many percent more count as noise, from hash seeds, buffers and positions in memory.
const NOISE: u64 = 3;
/// How many percent more are allowed between versions of the compiler or of the SDK.
const DRIFT: u64 = 10;

/// What is measured with, because other versions measure something else.
pub fn versions() -> String {
    format!(
        "rustc {}, aws-sdk-dynamodb {}",
        env!("BENCH_RUSTC"),
        env!("BENCH_SDK")
    )
}

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
            "# Instructions, SHA-256 left out: the library, hand-written code on the raw SDK. Of shards: merged, one partition.\n\
             # `benches/run --record` writes this file.\n",
        );
        let _ = writeln!(text, "{}", self.versions);
        for (work, library, by_hand) in &self.counts {
            let _ = writeln!(text, "{} {library} {by_hand}", work.name());
        }
        text
    }

    /// How many works there are.
    pub fn works(&self) -> usize {
        self.counts.len()
    }

    /// Whether the versions of the compiler or of the SDK differ.
    pub fn differs(&self, before: &Recorded) -> bool {
        self.versions != before.versions
    }

    /// How many percent more than `before` recorded are allowed.
    pub fn patience(&self, before: &Recorded) -> u64 {
        match self.differs(before) {
            true => DRIFT,
            false => NOISE,
        }
    }

    /// What costs more than `before` recorded, and what only one of the two has and therefore cannot be
    /// compared.
    pub fn against(&self, before: &Recorded) -> Vec<String> {
        let patience = self.patience(before);
        let worse = before
            .counts
            .iter()
            .filter_map(|&was| match self.of(was.0) {
                Some(is) => worse(is, was, patience),
                None => Some(format!("{}: recorded, and not measured", was.0.name())),
            });
        let new = self
            .counts
            .iter()
            .filter(|(work, ..)| before.of(*work).is_none());
        let new = new.map(|(work, ..)| {
            format!(
                "{}: measured, and not recorded; `benches/run --record`",
                work.name()
            )
        });
        worse.chain(new).collect()
    }

    fn of(&self, work: Work) -> Option<Count> {
        self.counts.iter().copied().find(|(of, ..)| *of == work)
    }
}

/// The library may cost as much as hand-written code costs now, times the recorded ratio.
fn worse(is: Count, was: Count, patience: u64) -> Option<String> {
    let (work, is, by_hand) = is;
    let limit = was.1 * by_hand / was.2.max(1) * (100 + patience) / 100;
    let ratio = |count: u64| count as f64 / by_hand as f64;
    (is > limit).then(|| {
        let beside = work.base().map_or("what is written by hand", Work::what);
        format!(
            "{}: {is} instructions, {:.3} of {beside}; at most {:.3}",
            work.name(),
            ratio(is),
            ratio(limit)
        )
    })
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
        let worse = |now: Recorded| now.against(&before).len();
        assert_eq!(worse(recorded("a", 1030, 2000)), 0);
        assert_eq!(worse(recorded("a", 1031, 2000)), 1);
        // Everything costs more on another machine.
        assert_eq!(worse(recorded("a", 2060, 4000)), 0);
        assert_eq!(worse(recorded("a", 2061, 4000)), 1);
        // Another version of the SDK may change the ratio.
        assert_eq!(worse(recorded("b", 2200, 4000)), 0);
        assert_eq!(worse(recorded("b", 2201, 4000)), 1);
    }

    #[test]
    fn what_is_not_compared_is_named() {
        let (one, none) = (recorded("a", 1, 2), Recorded::new("a".into(), vec![]));
        assert_eq!(none.against(&one), ["get: recorded, and not measured"]);
        let unknown = one.against(&none).remove(0);
        assert!(
            unknown.starts_with("get: measured, and not recorded"),
            "{unknown}"
        );
    }
}
