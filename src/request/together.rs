//! Several requests at once.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// So many requests are under way at once.
pub(super) const CONCURRENCY: usize = 8;

/// Waits for all of them, a few at a time.
pub(super) async fn together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut waiting = futures.into_iter().map(Box::pin).enumerate();
    let mut running: Vec<(usize, Pin<Box<F>>)> = Vec::new();
    let mut done = Vec::new();
    std::future::poll_fn(move |cx| {
        loop {
            let room = CONCURRENCY.saturating_sub(running.len());
            running.extend(waiting.by_ref().take(room));
            let before = done.len();
            running.retain_mut(|(at, future)| match future.as_mut().poll(cx) {
                Poll::Ready(output) => {
                    done.push((*at, output));
                    false
                }
                Poll::Pending => true,
            });
            if running.is_empty() && waiting.len() == 0 {
                done.sort_by_key(|(at, _)| *at);
                return Poll::Ready(done.drain(..).map(|(_, output)| output).collect());
            }
            // Room was made, perhaps for others.
            if done.len() == before || waiting.len() == 0 {
                return Poll::Pending;
            }
        }
    })
    .await
}
