//! The order in which tasks of this process come to an item that many of them want.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::{Mutex as FairMutex, OwnedMutexGuard};

use crate::runtime::sleep_until;

/// An item of any table: the full name of the table, and the key as DynamoDB JSON.
pub(crate) type ItemId = (String, Vec<u8>);

/// How long a task waits for its turn. Turns only spare attempts, so going on without one is never wrong. The limit
/// also ends the wait of tasks that would wait for each other.
const PATIENCE: Duration = Duration::from_secs(2);

/// The items that tasks of this process have lost races for.
///
/// An optimistic write that loses is tried again, and with many writers most attempts lose. Those that have lost once
/// go one after the other here, so that each of them needs one attempt more.
#[derive(Default)]
pub(crate) struct ItemTurns(Mutex<HashMap<ItemId, Weak<FairMutex<()>>>>);

/// The tasks that want an item.
pub(crate) type ItemQueue = Arc<FairMutex<()>>;

/// The right to go before others; it ends when this is dropped.
pub(crate) type ItemTurn = OwnedMutexGuard<()>;

impl ItemTurns {
    /// Waits for the turns of all of these items.
    ///
    /// All tasks take them in the same order, so that two tasks with several items never wait for each other.
    pub(crate) async fn take_all(&self, items: &BTreeSet<ItemId>) -> Vec<ItemTurn> {
        // All turns share one limit, because a unit of work must not wait longer for having lost
        // more items.
        let end = Instant::now() + PATIENCE;
        let mut turns = Vec::with_capacity(items.len());
        for item in items {
            turns.extend(in_time(self.item_queue(item), end).await);
        }
        turns
    }

    /// Waits for the turn of one item, and returns whether others went first.
    pub(crate) async fn take_one(&self, item: &ItemId) -> (Option<ItemTurn>, bool) {
        let queue = self.item_queue(item);
        match Arc::clone(&queue).try_lock_owned() {
            Ok(turn) => (Some(turn), false),
            Err(_) => (turn_in(queue).await, true),
        }
    }

    /// The queue that others have for an item.
    pub(crate) fn queue_of_others(&self, item: &ItemId) -> Option<ItemQueue> {
        self.lock_queues().get(item).and_then(Weak::upgrade)
    }

    fn item_queue(&self, item: &ItemId) -> ItemQueue {
        let mut queues = self.lock_queues();
        if let Some(queue) = queues.get(item).and_then(Weak::upgrade) {
            return queue;
        }
        // Unused queues are removed before the map would grow, so its size follows the number of contended items.
        if queues.len() == queues.capacity() {
            queues.retain(|_, queue| queue.strong_count() > 0);
        }
        let queue = Arc::default();
        queues.insert(item.clone(), Arc::downgrade(&queue));
        queue
    }

    fn lock_queues(&self) -> std::sync::MutexGuard<'_, HashMap<ItemId, Weak<FairMutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for one's turn in a queue, but not for ever.
pub(crate) async fn turn_in(queue: ItemQueue) -> Option<ItemTurn> {
    in_time(queue, Instant::now() + PATIENCE).await
}

async fn in_time(queue: ItemQueue, end: Instant) -> Option<ItemTurn> {
    let turn = std::pin::pin!(queue.lock_owned());
    match select(turn, std::pin::pin!(sleep_until(end))).await {
        Either::Left((turn, _)) => Some(turn),
        // A turn is only an optimization. Without it, the condition of the write still decides, so
        // waiting too long ends in an attempt.
        Either::Right(_) => None,
    }
}
