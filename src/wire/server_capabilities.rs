//! What is learned of a server: which operations send the item with a condition that failed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::request::ServiceOperation;

/// Whether the server is known to send the item with a condition that failed, for each operation by itself. Not every
/// server that speaks DynamoDB's language does, and one may do so for puts alone.
#[derive(Debug, Default)]
pub(super) struct ServerCapabilities {
    put: AtomicBool,
    update: AtomicBool,
    delete: AtomicBool,
    transaction: AtomicBool,
    /// Whether the user of the connection may not do the read that would tell the item instead.
    denied: AtomicBool,
}

impl ServerCapabilities {
    /// Whether the server sends the item on which a condition of such an operation failed, if there is one.
    pub(super) fn sends(&self, operation: ServiceOperation) -> bool {
        let known = self.of(operation);
        known.is_some_and(|known| known.load(Ordering::Relaxed))
    }

    /// Notes that the server sent such an item.
    pub(super) fn learn(&self, operation: ServiceOperation) {
        if let Some(known) = self.of(operation) {
            known.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a read that was to tell which item a condition failed on was rejected.
    pub(super) fn is_denied(&self) -> bool {
        self.denied.load(Ordering::Relaxed)
    }

    pub(super) fn learn_that_it_is_denied(&self) {
        self.denied.store(true, Ordering::Relaxed);
    }

    /// None for an operation without a condition.
    fn of(&self, operation: ServiceOperation) -> Option<&AtomicBool> {
        match operation {
            ServiceOperation::PutItem => Some(&self.put),
            ServiceOperation::UpdateItem => Some(&self.update),
            ServiceOperation::DeleteItem => Some(&self.delete),
            ServiceOperation::TransactWriteItems => Some(&self.transaction),
            ServiceOperation::GetItem
            | ServiceOperation::Query
            | ServiceOperation::Scan
            | ServiceOperation::BatchGetItem
            | ServiceOperation::BatchWriteItem
            | ServiceOperation::TransactGetItems => None,
        }
    }
}
