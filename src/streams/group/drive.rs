//! Runs a worker: its rounds, and the shards that it reads, in one future.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use futures_util::stream::{FuturesUnordered, StreamExt};

use super::shard_run::ShardRun;
use super::worker::Worker;
use crate::error::Result;

/// Runs until the shutdown, or until an error that is not retried. Then it waits for the running handlers, saves the places
/// and releases the leases.
///
/// The handlers are functions, and not implementations of a trait: the compiler could not prove that the future of a
/// trait's function can be sent to another thread if the error of a handler is a boxed one.
pub(super) async fn drive_worker<'w, Run: Future<Output = Result<()>>>(
    worker: &'w Worker,
    run_shard: impl Fn(ShardRun<'w>) -> Run,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    let mut shutdown = pin!(shutdown);
    let mut rounds = pin!(worker.coordinate());
    // After an error, the last handlers still need their leases.
    let mut keeping = pin!(worker.keep_leases());
    let mut runs = FuturesUnordered::new();
    let mut failure = None;
    let mut is_coordinated = true;
    poll_fn(|cx| {
        loop {
            let mut is_changed = false;
            if !worker.is_stopping() && shutdown.as_mut().poll(cx).is_ready() {
                worker.stop();
            }
            if is_coordinated && let Poll::Ready(ended) = rounds.as_mut().poll(cx) {
                is_coordinated = false;
                failure = failure.take().or(ended.err());
                worker.stop();
            }
            if !is_coordinated {
                let _ = keeping.as_mut().poll(cx);
            }
            for lease in worker.take_started() {
                is_changed = true;
                runs.push(run_shard(ShardRun::new(worker, &lease.row, lease.epoch)));
            }
            while let Poll::Ready(Some(ended)) = runs.poll_next_unpin(cx) {
                is_changed = true;
                if let Err(error) = ended {
                    failure.get_or_insert(error);
                    worker.stop();
                }
            }
            // The rounds renew the leases until the last handler has ended.
            let is_taking = is_coordinated && worker.is_taking();
            if worker.is_stopping() && runs.is_empty() && !is_taking {
                return Poll::Ready(());
            }
            if !is_changed {
                return Poll::Pending;
            }
        }
    })
    .await;
    worker.leave_group().await;
    failure.map_or(Ok(()), Err)
}
