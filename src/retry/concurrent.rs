//! Concurrent requests.

use std::future::Future;
use std::ops::ControlFlow;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

/// The default number of concurrent requests.
pub(crate) const CONCURRENCY: usize = 8;

/// Waits for all of them, a few at a time, and returns their results in order.
pub(crate) async fn run_together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut done = Vec::with_capacity(futures.len());
    let numbered = futures.into_iter().enumerate();
    let numbered = numbered.map(|(at, future)| async move { (at, future.await) });
    as_they_come(numbered, CONCURRENCY, |output| {
        done.push(output);
        ControlFlow::Continue(())
    })
    .await;
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, output)| output).collect()
}

/// Runs this many at a time and passes on each result when it is ready: when one is done the next one begins,
/// regardless of the others. At a break, the ones that still run are dropped.
pub(crate) async fn as_they_come<F: Future>(
    futures: impl IntoIterator<Item = F>,
    concurrency: usize,
    mut take: impl FnMut(F::Output) -> ControlFlow<()>,
) {
    let mut waiting = futures.into_iter();
    let mut running = FuturesUnordered::new();
    loop {
        let room = concurrency.max(1).saturating_sub(running.len());
        running.extend(waiting.by_ref().take(room));
        match running.next().await.map(&mut take) {
            Some(ControlFlow::Continue(())) => {}
            Some(ControlFlow::Break(())) | None => return,
        }
    }
}
