//! The rows of a read of many items, made as their items come.

use super::row_reader::RowReader;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::read::{BatchReader, Failing, FoundItem, FoundSink, KeyList};

/// The keys of a read, and those that could not be written, with their places in the input.
pub(super) struct KeysAsked {
    pub(super) keys: KeyList,
    pub(super) errors: Vec<(usize, Error)>,
}

/// The rows of the keys, by the numbers of the keys.
pub(super) struct FoundRows<Row> {
    reader: RowReader<Row>,
    ttl: Option<&'static str>,
    rows: Vec<Option<Row>>,
    /// The first key whose item cannot be read, which fails the read.
    failed: Option<(usize, Error)>,
}

impl<Row: Send> FoundSink for FoundRows<Row> {
    fn take_found(&mut self, number: usize, found: FoundItem, now: Timestamp) {
        match self.reader.read_row(found, self.ttl, now) {
            Ok(row) => {
                if let Some(place) = self.rows.get_mut(number) {
                    *place = row;
                }
            }
            Err(error) => {
                if self
                    .failed
                    .as_ref()
                    // Responses arrive in any order. The first failed key is reported, so that the
                    // same input gives the same error.
                    .is_none_or(|(first, _)| number < *first)
                {
                    self.failed = Some((number, error));
                }
            }
        }
    }
}

impl<Row: Send> FoundRows<Row> {
    pub(super) fn new(reader: RowReader<Row>, ttl: Option<&'static str>) -> Self {
        FoundRows {
            reader,
            ttl,
            rows: Vec::new(),
            failed: None,
        }
    }

    /// Reads the rows, in the order of the input.
    pub(super) async fn read_all(
        mut self,
        batch: BatchReader,
        asked: KeysAsked,
    ) -> Result<Vec<Option<Row>>> {
        let KeysAsked { keys, errors } = asked;
        let failing = match self.reader.of_error {
            Some(_) => Failing::Apart,
            None => Failing::Together,
        };
        let errors = match failing {
            Failing::Apart => errors,
            Failing::Together => match errors.into_iter().next() {
                Some((_, error)) => return Err(error),
                None => Vec::new(),
            },
        };
        self.rows.resize_with(keys.len(), || None);
        batch.read_each(keys, failing, &mut self).await?;
        match self.failed {
            Some((_, error)) => Err(error),
            None => Ok(self.with_errors(errors)),
        }
    }

    /// Puts the errors into their places.
    fn with_errors(self, errors: Vec<(usize, Error)>) -> Vec<Option<Row>> {
        let Some(of_error) = self.reader.of_error.filter(|_| !errors.is_empty()) else {
            return self.rows;
        };
        let total = self.rows.len() + errors.len();
        let (mut rows, mut errors) = (self.rows.into_iter(), errors.into_iter().peekable());
        let row = |place| match errors.next_if(|(own, _)| *own == place) {
            Some((_, error)) => Some(of_error(error)),
            None => rows.next().flatten(),
        };
        (0..total).map(row).collect()
    }
}
