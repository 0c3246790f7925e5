//! Limits a read to a number of read units per second, by the units that DynamoDB reports for each request.
//!
//! A request takes its turn when all requests before it are paid for, at that rate. Until its response arrives, its
//! turn counts with the expected cost, so that concurrent requests do not all begin at once.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::select;
use tokio::sync::Notify;

use crate::runtime::sleep_until;

/// The units of a strong read: of the largest item, 400 KB, and of a full response, 1 MB.
const LARGEST_ITEM: f64 = 100.0;
const FULL_ANSWER: f64 = 256.0;

/// Limits requests so that they consume `per_second` units per second.
#[derive(Debug)]
pub(crate) struct Pace {
    per_second: f64,
    /// The units that one of the concurrent requests may consume, so that a round of them consumes a second's units.
    per_request: f64,
    /// The cost of a read, as a share of a strong read.
    share: f64,
    state: Mutex<PaceState>,
    /// Notified after each payment, because the request may have been cheaper than expected.
    cheaper: Notify,
}

#[derive(Debug)]
struct PaceState {
    /// The time at which all consumption is paid for.
    paid: Option<Instant>,
    /// The units of the last request.
    last: Option<f64>,
    /// The units per item of it.
    per_item: f64,
    /// The number of items that the next request reads.
    items: usize,
}

/// A request that may be sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    /// The number of items that the request may read so that it consumes at most a second's units, as far as this can
    /// be known.
    pub(crate) limit: Option<usize>,
    expected: f64,
}

impl Pace {
    pub(crate) fn per_second(units: u32, is_strong: bool, side_by_side: usize) -> Self {
        let per_second = f64::from(units.max(1));
        let per_request = per_second / side_by_side.max(1) as f64;
        let share = if is_strong { 1.0 } else { 0.5 };
        let per_item = LARGEST_ITEM * share;
        Pace {
            per_second,
            per_request,
            share,
            state: Mutex::new(PaceState {
                paid: None,
                last: None,
                per_item,
                // Nothing is known about the items yet, so each counts as one of the largest size.
                items: whole_number(per_request / per_item),
            }),
            cheaper: Notify::new(),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, PaceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all consumption is paid for. Unused units are not saved up. `most` is the number of items that the
    /// request would read.
    pub(crate) async fn wait_turn(&self, most: Option<usize>) -> Turn {
        loop {
            // The notification is registered before the state is checked, so that a payment in
            // between is not missed.
            let cheaper = pin!(self.cheaper.notified());
            let paid = match self.try_turn(most) {
                Ok(turn) => return turn,
                Err(paid) => paid,
            };
            select(pin!(sleep_until(paid)), cheaper).await;
        }
    }

    fn try_turn(&self, most: Option<usize>) -> Result<Turn, Instant> {
        let mut state = self.lock_state();
        let now = Instant::now();
        if let Some(paid) = state.paid.filter(|paid| *paid > now) {
            return Err(paid);
        }
        let full = FULL_ANSWER * self.share;
        // A full response consumes no more than its share of a second's units, so no limit is needed.
        let limit = match self.per_request >= full {
            true => most,
            false => Some(most.map_or(state.items, |most| most.min(state.items))),
        };
        let expected = match limit {
            Some(items) => (items as f64 * state.per_item).min(full),
            None => state.last.unwrap_or(full),
        };
        // The expected cost is reserved before the request is sent. Otherwise all concurrent
        // requests would begin at once.
        state.paid = now.checked_add(self.time_for(expected));
        Ok(Turn { limit, expected })
    }

    /// Records the consumption of a request. The next one reads at most twice as many items, because its items may be
    /// larger.
    pub(crate) fn pay_units(&self, turn: Turn, units: f64, items: usize) {
        let mut state = self.lock_state();
        state.paid = state.paid.and_then(|paid| match units >= turn.expected {
            true => paid.checked_add(self.time_for(units - turn.expected)),
            false => paid.checked_sub(self.time_for(turn.expected - units)),
        });
        // Items that were fetched by keys say nothing about the size of those that a query reads.
        if items > 0 {
            state.last = Some(units);
            state.per_item = units / items as f64;
            let fitting = self.per_request / state.per_item;
            state.items = whole_number(fitting).min(items.saturating_mul(2));
        }
        drop(state);
        self.cheaper.notify_waiters();
    }

    fn time_for(&self, units: f64) -> Duration {
        Duration::try_from_secs_f64(units / self.per_second).unwrap_or_default()
    }
}

/// The whole part of a number, and 1 at the least.
fn whole_number(number: f64) -> usize {
    (number as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(since: Instant) -> u128 {
        since.elapsed().as_millis()
    }

    #[tokio::test]
    async fn what_was_taken_is_waited_for() {
        let pace = Pace::per_second(1000, true, 1);
        let began = Instant::now();
        let turn = pace.wait_turn(None).await;
        assert_eq!(
            turn.limit, None,
            "a full answer is less than a second's units"
        );
        pace.pay_units(turn, 60.0, 600);
        assert!(pace.try_turn(None).is_err(), "it is not paid for");
        let turn = pace.wait_turn(None).await;
        assert!(milliseconds(began) >= 59);
        pace.pay_units(turn, 40.0, 400);
        pace.wait_turn(None).await;
        assert!(milliseconds(began) >= 99);
        // Units that nobody took are not saved up.
        crate::runtime::sleep_for(Duration::from_millis(100)).await;
        let again = Instant::now();
        let turn = pace.wait_turn(None).await;
        pace.pay_units(turn, 50.0, 500);
        pace.wait_turn(None).await;
        assert!(milliseconds(again) >= 49);
    }

    #[tokio::test]
    async fn requests_side_by_side_do_not_begin_at_once() {
        let pace = Pace::per_second(2560, true, 1);
        let began = Instant::now();
        // Each may take 256 units, a tenth of a second.
        for turn in 0..4 {
            pace.wait_turn(None).await;
            assert!(milliseconds(began) >= 99 * turn);
        }
        // A request that waits goes on when the one before was cheaper.
        let pace = Pace::per_second(3, true, 1);
        let first = pace.wait_turn(None).await;
        assert_eq!(first.expected, 100.0, "half a minute's units");
        let began = Instant::now();
        let pay = async {
            tokio::task::yield_now().await;
            pace.pay_units(first, 0.5, 1);
        };
        futures_util::future::join(pace.wait_turn(None), pay).await;
        assert!(milliseconds(began) < 15_000, "{}", milliseconds(began));
    }

    #[test]
    fn a_request_looks_at_what_a_second_pays_for() {
        // Items may have 400 KB each, which a weak read reads for 50 units.
        for (units, is_strong, first) in
            [(1, true, 1), (99, true, 1), (250, true, 2), (110, false, 2)]
        {
            let pace = Pace::per_second(units, is_strong, 1);
            let turn = pace.try_turn(None).expect("the first one");
            assert_eq!(turn.limit, Some(first), "{units}");
            assert!(turn.expected <= f64::from(units).max(100.0));
        }
        let pace = Pace::per_second(100, true, 1);
        let mut limits = Vec::new();
        for _ in 0..12 {
            let limit = pace.lock_state().items;
            limits.push(limit);
            // Items of a quarter of a unit, and whole requests of a unit.
            let units = (limit as f64 / 4.0).max(1.0);
            let turn = Turn {
                limit: None,
                expected: 0.0,
            };
            pace.pay_units(turn, units, limit);
        }
        assert!(
            limits.is_sorted_by(|a, b| a <= b && *b <= 2 * a),
            "{limits:?}"
        );
        assert_eq!(limits.last(), Some(&400));
        // The items are larger now.
        let turn = Turn {
            limit: None,
            expected: 0.0,
        };
        pace.pay_units(turn, 200.0, 400);
        assert_eq!(pace.lock_state().items, 200);
        // Requests side by side share the units.
        let pace = Pace::per_second(100, true, 8);
        let turn = Turn {
            limit: None,
            expected: 0.0,
        };
        pace.pay_units(turn, 10.0, 40);
        assert_eq!(pace.lock_state().items, 50);
        let wanted = Pace::per_second(100, true, 1).try_turn(Some(0));
        assert_eq!(wanted.map(|turn| turn.limit), Ok(Some(0)));
    }

    #[test]
    fn no_answer_breaks_the_pace() {
        let pace = Pace::per_second(0, false, 1);
        for (units, items) in [
            (0.0, 0),
            (0.0, 10),
            (f64::MAX, 1),
            (0.5, usize::MAX),
            (1e-300, 1),
        ] {
            let turn = Turn {
                limit: None,
                expected: 1.0,
            };
            pace.pay_units(turn, units, items);
            assert!(pace.lock_state().items >= 1);
        }
    }
}
