//! Waiting and blocking work under any executor: nothing here needs a tokio runtime or any of its parts.
//!
//! A tokio runtime may be built without timers, and the only way to find that out is a panic. So waiting does without
//! it: one thread wakes all waiting tasks, and ends when there are none.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::process;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// How long the thread stays without a waiting task before it ends.
const IDLE: Duration = Duration::from_secs(5);

static TIMER: Timer = Timer {
    state: Mutex::new(TimerState {
        sleepers: BTreeMap::new(),
        next: 0,
        owner: None,
    }),
    changed: Condvar::new(),
};

/// Cloning, waking or dropping a waker runs code of its executor, which may end a wait or begin one. So none of
/// that is done while the state is locked.
struct Timer {
    state: Mutex<TimerState>,
    /// Signals that a task has to be woken earlier than all others.
    changed: Condvar,
}

struct TimerState {
    /// The waiting tasks, by their time and in the order in which they came.
    sleepers: BTreeMap<(Instant, u64), Waker>,
    next: u64,
    /// The process whose thread wakes them: after a fork the child has the state, but not the thread.
    owner: Option<u32>,
}

/// Waits for this long.
pub(crate) fn sleep_for(time: Duration) -> Sleep {
    Sleep {
        // A time beyond the clock is never reached, and no error either.
        until: Instant::now().checked_add(time),
        entry: None,
    }
}

/// Waits until this time.
pub(crate) fn sleep_until(until: Instant) -> Sleep {
    Sleep {
        until: Some(until),
        entry: None,
    }
}

/// A wait that ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Sleep {
    /// When the wait ends; `None` is never.
    until: Option<Instant>,
    entry: Option<(Instant, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(until) = self.until else {
            return Poll::Pending;
        };
        if Instant::now() >= until {
            return Poll::Ready(());
        }
        self.entry = Some(TIMER.enter_sleep(until, self.entry, cx.waker()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let Some(entry) = self.entry else { return };
        // The waker is dropped after the lock: its drop may run code of an executor, which may
        // sleep again.
        let waker = TIMER.lock_state().sleepers.remove(&entry);
        drop(waker);
    }
}

impl Timer {
    fn lock_state(&self) -> MutexGuard<'_, TimerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task that waits until this time, or replaces the waker of its entry.
    fn enter_sleep(
        &'static self,
        until: Instant,
        entry: Option<(Instant, u64)>,
        waker: &Waker,
    ) -> (Instant, u64) {
        // Cloned before the lock is taken, for the same reason.
        let own = waker.clone();
        let mut state = self.lock_state();
        let entry = entry.unwrap_or_else(|| {
            state.next += 1;
            (until, state.next)
        });
        let before = state.sleepers.insert(entry, own);
        let mut is_served = true;
        let is_first = state.sleepers.first_key_value().map(|(first, _)| *first) == Some(entry);
        // After a fork the child has the state, but not the thread.
        if state.owner != Some(process::id()) {
            state.owner = Some(process::id());
            let thread = thread::Builder::new().name("dynamo-entity-timer".into());
            if thread.spawn(|| TIMER.serve_timers()).is_err() {
                state.owner = None;
                is_served = false;
            }
        } else if is_first {
            self.changed.notify_one();
        }
        drop(state);
        drop(before);
        if !is_served {
            // Without the thread the task is woken at once, and looks at the clock again and again.
            waker.wake_by_ref();
        }
        entry
    }

    /// Wakes all waiting tasks, each at its time.
    fn serve_timers(&self) {
        let mut state = self.lock_state();
        loop {
            let now = Instant::now();
            // Wakers run without the lock, because a woken task may set its next timer at once.
            let due = state.take_due(now);
            if !due.is_empty() {
                drop(state);
                for waker in due {
                    // A waker that panics does not end the thread.
                    drop(catch_unwind(AssertUnwindSafe(|| waker.wake())));
                }
                state = self.lock_state();
                continue;
            }
            let first = state.sleepers.first_key_value();
            let time = first.map(|((until, _), _)| until.saturating_duration_since(now));
            let waited = self.changed.wait_timeout(state, time.unwrap_or(IDLE));
            let (again, waited) = waited.unwrap_or_else(PoisonError::into_inner);
            state = again;
            // Checked again under the lock: a sleeper may have come between the timeout and here.
            if time.is_none() && waited.timed_out() && state.sleepers.is_empty() {
                state.owner = None;
                return;
            }
        }
    }
}

impl TimerState {
    fn take_due(&mut self, now: Instant) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some(first) = self.sleepers.first_entry() {
            if first.key().0 > now {
                break;
            }
            due.push(first.remove());
        }
        due
    }
}

/// Does blocking work on a separate thread, because file systems may be slow. The work continues even if nothing
/// waits for it any more. `None` if the machine cannot create a thread.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (answer, answered) = oneshot::channel();
    let thread = thread::Builder::new().name("dynamo-entity-file".into());
    let spawned = thread.spawn(move || drop(answer.send(work())));
    spawned.ok()?;
    answered.await.ok()
}

/// Returns an error outside a Tokio runtime, where sockets, which are Tokio's, would panic.
pub(crate) fn require_tokio() -> Result<()> {
    match Handle::try_current() {
        Ok(_) => Ok(()),
        Err(outside) => Err(Error::config(
            "a connection over the network works only within a Tokio runtime that was built with `enable_all`: call it there, for example from `#[tokio::main]`, or enter one by `runtime.enter()`",
        )
        .with_source(outside)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures_util::future::join_all;

    use super::*;

    /// An executor that uses nothing but wakers.
    fn block_on<T>(work: impl Future<Output = T>) -> T {
        struct Unpark(thread::Thread);

        impl std::task::Wake for Unpark {
            fn wake(self: std::sync::Arc<Self>) {
                self.0.unpark();
            }
        }

        let waker = std::sync::Arc::new(Unpark(thread::current())).into();
        let mut cx = Context::from_waker(&waker);
        let mut work = std::pin::pin!(work);
        loop {
            match work.as_mut().poll(&mut cx) {
                Poll::Ready(done) => return done,
                Poll::Pending => thread::park(),
            }
        }
    }

    #[test]
    fn each_sleeps_its_time() {
        let began = Instant::now();
        let sleeps = (0..200_u64).rev().map(|at| async move {
            let time = Duration::from_millis(at / 4);
            sleep_for(time).await;
            assert!(began.elapsed() >= time);
        });
        block_on(join_all(sleeps));
        assert!(began.elapsed() < Duration::from_secs(10));
        block_on(sleep_until(began));
        block_on(sleep_for(Duration::ZERO));
    }

    #[test]
    fn a_wait_that_is_dropped_is_forgotten() {
        let long = Duration::from_secs(3_600);
        let (mut one, mut endless) = (sleep_for(long), sleep_for(Duration::MAX));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut endless).poll(&mut cx).is_pending());
        assert!(Pin::new(&mut one).poll(&mut cx).is_pending());
        assert!(Pin::new(&mut one).poll(&mut cx).is_pending(), "once");
        let entry = one.entry.expect("a place");
        assert!(TIMER.lock_state().sleepers.contains_key(&entry));
        drop(one);
        assert!(!TIMER.lock_state().sleepers.contains_key(&entry));
    }

    #[test]
    fn the_thread_outlives_a_waker_that_panics() {
        struct Bomb(AtomicU32);

        impl std::task::Wake for Bomb {
            fn wake(self: std::sync::Arc<Self>) {
                self.0.fetch_add(1, Ordering::SeqCst);
                std::panic::resume_unwind(Box::new("woken"));
            }
        }

        let bomb = std::sync::Arc::new(Bomb(AtomicU32::new(0)));
        let waker = bomb.clone().into();
        let mut bombed = sleep_for(Duration::from_millis(5));
        assert!(
            Pin::new(&mut bombed)
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
        block_on(sleep_for(Duration::from_millis(20)));
        assert_eq!(bomb.0.load(Ordering::SeqCst), 1);
    }

    /// A task that is waiting itself, and ends with the last of its wakers.
    struct Waiting {
        _wait: Sleep,
    }

    impl std::task::Wake for Waiting {
        fn wake(self: std::sync::Arc<Self>) {}
    }

    impl Waiting {
        /// The only waker of a task that has begun to wait.
        fn waker() -> Waker {
            let mut wait = sleep_for(Duration::from_secs(3_600));
            let mut cx = Context::from_waker(Waker::noop());
            assert!(Pin::new(&mut wait).poll(&mut cx).is_pending());
            std::sync::Arc::new(Waiting { _wait: wait }).into()
        }
    }

    #[test]
    fn the_end_of_a_waker_may_wait_and_end_waits() {
        let (done, is_done) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let mut outer = sleep_for(Duration::from_secs(3_600));
            for _ in 0..2 {
                let waker = Waiting::waker();
                let mut cx = Context::from_waker(&waker);
                // The second waker replaces the first one, whose task ends here.
                assert!(Pin::new(&mut outer).poll(&mut cx).is_pending());
            }
            drop(outer);
            let mut short = sleep_for(Duration::from_millis(5));
            let waker = Waiting::waker();
            let mut cx = Context::from_waker(&waker);
            assert!(Pin::new(&mut short).poll(&mut cx).is_pending());
            drop(waker);
            block_on(sleep_for(Duration::from_millis(20)));
            done.send(()).expect("somebody waits");
        });
        let waited = is_done.recv_timeout(Duration::from_secs(20));
        waited.expect("the timer is not held while others do their work");
    }

    #[test]
    fn what_blocks_is_waited_for() {
        assert_eq!(block_on(run_blocking(|| 7)), Some(7));
        let none = block_on(run_blocking(|| -> u32 {
            std::panic::resume_unwind(Box::new(0))
        }));
        assert_eq!(none, None);
    }
}
