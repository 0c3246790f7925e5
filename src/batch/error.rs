//! The error of one write of a batch.

use crate::error::Error;

/// A write of a batch that failed and is not worth a retry.
#[derive(Debug, thiserror::Error)]
#[error("write {index} of the batch: {error}")]
#[non_exhaustive]
pub struct BatchError {
    /// The position of the write in the whole input of the batch, from 0.
    pub index: usize,
    /// The error, with the entity and the attribute of its key.
    #[source]
    pub error: Error,
}

impl BatchError {
    pub(super) fn copy_error(&self) -> Self {
        BatchError {
            index: self.index,
            error: self.error.again(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::error::{ErrorKind, Stage};

    #[test]
    fn a_failed_write_is_told_with_its_place() {
        let error = Error::new(ErrorKind::TooLarge, Stage::Encode, "it is large").of("Note");
        let failed = BatchError { index: 7, error };
        assert_eq!(
            failed.to_string(),
            "write 7 of the batch: Note: it is large"
        );
        let source = failed.source().and_then(|source| source.downcast_ref());
        assert_eq!(source.map(Error::kind), Some(ErrorKind::TooLarge));
    }
}
