//! Durations, in a few thousand bytes for any number of them.

use std::time::Duration;

/// The number of bits of a time that are kept after its first one: 16 buckets for each power of two, a precision of
/// 1/16.
const BITS: u32 = 4;
const STEPS: usize = 1 << BITS;
/// Times of 2^36 microseconds, 19 hours, and longer count as one.
const POWERS: usize = 36;
const BUCKETS: usize = STEPS * (POWERS - BITS as usize + 1);

/// Times in microseconds, by buckets that grow with them.
#[derive(Clone)]
pub(super) struct DurationHistogram {
    counts: Box<[u64; BUCKETS]>,
    count: u64,
    longest: Duration,
}

impl Default for DurationHistogram {
    fn default() -> Self {
        DurationHistogram {
            counts: Box::new([0; BUCKETS]),
            count: 0,
            longest: Duration::ZERO,
        }
    }
}

impl DurationHistogram {
    pub(super) fn add_duration(&mut self, time: Duration) {
        let bucket = bucket_of(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
        self.count += 1;
        self.longest = self.longest.max(time);
    }

    /// A time that this share of them did not exceed, at most a 16th above the least such time. Zero if there are none.
    pub(super) fn quantile_of(&self, share: f64) -> Duration {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut passed = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            passed += count;
            if passed >= wanted.max(1) {
                // The upper end of the bucket is never below the true value, and the maximum bounds
                // it for the last bucket.
                return Duration::from_micros(last_of(bucket)).min(self.longest);
            }
        }
        self.longest
    }

    pub(super) fn longest_duration(&self) -> Duration {
        self.longest
    }
}

/// The bucket of a time: the time itself up to 15, and then its highest bit with the four behind it.
fn bucket_of(micros: u64) -> usize {
    let Some(power) = micros.checked_ilog2().filter(|power| *power >= BITS) else {
        return micros as usize;
    };
    let step = (micros >> (power - BITS)) as usize & (STEPS - 1);
    ((power - BITS + 1) as usize * STEPS + step).min(BUCKETS - 1)
}

/// The longest time in a bucket.
fn last_of(bucket: usize) -> u64 {
    let (power, step) = (bucket / STEPS, (bucket % STEPS) as u64);
    match power.checked_sub(1) {
        None => step,
        Some(shift) => ((STEPS as u64 + step + 1) << shift) - 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_follow_each_other() {
        for bucket in 0..BUCKETS - 1 {
            let last = last_of(bucket);
            assert_eq!(bucket_of(last), bucket, "{last}");
            assert_eq!(bucket_of(last + 1), bucket + 1, "{last}");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        assert_eq!(
            DurationHistogram::default().quantile_of(0.5),
            Duration::ZERO
        );
    }

    proptest! {
        /// A quantile is at least what sorting gives, and at most a 16th more.
        #[test]
        fn quantiles_are_known_to_a_sixteenth(
            micros in prop::collection::vec(prop_oneof![0_u64..40, 0_u64..5_000_000], 1..200),
            share in 0.0_f64..=1.0,
        ) {
            let mut histogram = DurationHistogram::default();
            for time in &micros {
                histogram.add_duration(Duration::from_micros(*time));
            }
            let mut sorted = micros;
            sorted.sort_unstable();
            let at = (share * sorted.len() as f64).ceil() as usize;
            let exact = sorted[at.max(1) - 1];
            let told = histogram.quantile_of(share).as_micros() as u64;
            prop_assert!(exact <= told && told <= exact + exact / 16, "{exact} {told}");
            prop_assert_eq!(histogram.longest_duration(), Duration::from_micros(sorted[sorted.len() - 1]));
        }
    }
}
