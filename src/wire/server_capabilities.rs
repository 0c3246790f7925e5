//! The facts learned about a server: the operations that return the item with a failed condition.

use std::sync::atomic::{AtomicBool, Ordering};

use super::request::ServiceOperation;

/// Whether the server is known to return the item with a failed condition, for each operation separately. Not every
/// compatible server does, and one may do so for puts only.
#[derive(Debug, Default)]
pub(super) struct ServerCapabilities {
    put: AtomicBool,
    update: AtomicBool,
    delete: AtomicBool,
    transaction: AtomicBool,
    /// Whether the user of the connection lacks the permission for the read that would show the item instead.
    denied: AtomicBool,
}

impl ServerCapabilities {
    /// Whether the server sends the item on which a condition of such an operation failed, if there is one.
    pub(super) fn sends_operation(&self, operation: ServiceOperation) -> bool {
        let known = self.operation_flag(operation);
        // Relaxed is enough: a flag only ever becomes true, and a request that misses it pays one
        // more read.
        known.is_some_and(|known| known.load(Ordering::Relaxed))
    }

    /// Notes that the server sent such an item.
    pub(super) fn learn_operation(&self, operation: ServiceOperation) {
        if let Some(known) = self.operation_flag(operation) {
            known.store(true, Ordering::Relaxed);
        }
    }

    /// Whether DynamoDB rejected the read that should have shown the item on which a condition failed.
    pub(super) fn is_denied(&self) -> bool {
        self.denied.load(Ordering::Relaxed)
    }

    pub(super) fn learn_that_it_is_denied(&self) {
        self.denied.store(true, Ordering::Relaxed);
    }

    /// None for an operation without a condition.
    fn operation_flag(&self, operation: ServiceOperation) -> Option<&AtomicBool> {
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
            #[cfg(feature = "vectors")]
            ServiceOperation::SearchVectors => None,
        }
    }
}
