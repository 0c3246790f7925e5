//! Rows before they reach the caller.
//!
//! The code in between does not know their type. However, a response is parsed once: the caller provides the function
//! that decodes a row, and the row is decoded while its end is searched for. A row that cannot be decoded stays
//! bytes; the caller decodes those again, and gets the error. All rows of a response are kept in one block, so a row
//! is a position in that block.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::entity::{self, DynamoEntity, DynamoProjection};
use crate::error::{Error, Result};
use crate::json::{CodecError, KeyFinder, Reader};
use crate::wire::Reply;

/// How the rows of an answer are read.
pub(crate) type ReadAhead = fn() -> Box<dyn ReadValues>;

/// The decoded values of the rows of a response. Each is kept until it is taken.
pub trait ReadValues: Send {
    /// Makes room for `rows` rows that have `bytes` bytes.
    fn reserve_rows(&mut self, rows: usize, bytes: usize);

    /// Decodes the next row of the reader; `None` if it cannot be decoded.
    fn read_value(&mut self, reader: &mut Reader<'_>) -> Option<()>;

    /// Forgets the row that was read last.
    fn forget_last(&mut self);

    /// Moves the value of a row into an `Option` of its type.
    fn take_value(&mut self, row: usize, into: &mut dyn Any);
}

/// Reads a row ahead; `None` if it cannot be read.
type ReadRowAhead<T> = fn(&mut Reader<'_>) -> Option<T>;

struct Column<T> {
    values: Vec<Option<T>>,
    read: ReadRowAhead<T>,
}

impl<T: Send + 'static> ReadValues for Column<T> {
    /// The bytes limit the room, because a row is seldom shorter than its value. If more is needed, it is made later.
    fn reserve_rows(&mut self, rows: usize, bytes: usize) {
        let most = bytes.checked_div(size_of::<Option<T>>());
        self.values.reserve(rows.min(most.unwrap_or_default()));
    }

    fn read_value(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let value = (self.read)(reader);
        let is_read = value.is_some();
        self.values.push(value);
        is_read.then_some(())
    }

    fn forget_last(&mut self) {
        self.values.pop();
    }

    fn take_value(&mut self, row: usize, into: &mut dyn Any) {
        if let (Some(value), Some(into)) = (self.values.get_mut(row), into.downcast_mut()) {
            *into = value.take();
        }
    }
}

/// A column whose values are read in this way.
fn value_column<T: Send + 'static>(read: ReadRowAhead<T>) -> Box<dyn ReadValues> {
    Box::new(Column {
        values: Vec::new(),
        read,
    })
}

/// Reads rows as entities.
pub(crate) fn entities_ahead<E: DynamoEntity>() -> Box<dyn ReadValues> {
    value_column(entity::read_ahead::<E>)
}

/// Reads rows as the keys of entities.
pub(crate) fn keys_ahead<E: DynamoEntity>() -> Box<dyn ReadValues> {
    value_column(entity::read_key_ahead::<E>)
}

/// A response with rows: its body, and the ID of its request.
pub(crate) struct Answered {
    body: Bytes,
    request: Option<Box<str>>,
}

impl Answered {
    pub(crate) fn response_body(&self) -> &Bytes {
        &self.body
    }

    /// The error for a response that does not have the expected form.
    pub(crate) fn unreadable_answer(&self, fault: &CodecError) -> Error {
        Error::unreadable(fault).with_request_id(self.request.as_deref())
    }
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Answered {
            body: reply.body,
            request: reply.request_id.map(String::into_boxed_str),
        }
    }
}

/// The rows of a response, while it is parsed.
pub(crate) struct RowsAhead {
    places: Vec<Range<usize>>,
    values: Option<Box<dyn ReadValues>>,
    refused: Vec<(usize, Error)>,
    is_last_decoded: bool,
}

impl RowsAhead {
    pub(crate) fn new(ahead: Option<ReadAhead>) -> Self {
        RowsAhead {
            places: Vec::new(),
            values: ahead.map(|ahead| ahead()),
            refused: Vec::new(),
            is_last_decoded: false,
        }
    }

    /// Makes room for `rows` rows that have `bytes` bytes.
    pub(crate) fn reserve_rows(&mut self, rows: usize, bytes: usize) {
        self.places.reserve(rows);
        if let Some(values) = &mut self.values {
            values.reserve_rows(rows, bytes);
        }
    }

    /// Decodes the next row. In the same pass, the finder records some attributes.
    #[inline]
    pub(crate) fn read_next<'r>(
        &mut self,
        reader: &mut Reader<'r>,
        finder: Option<&'r KeyFinder>,
    ) -> Result<(), CodecError> {
        let values = self.values.as_mut();
        let mut is_decoded = false;
        let place = reader.item_as(finder, |reader| {
            let read = values?.read_value(reader);
            is_decoded = read.is_some();
            read
        })?;
        self.is_last_decoded = is_decoded;
        self.places.push(place);
        Ok(())
    }

    /// Whether the row that was read last is decoded already.
    pub(crate) fn is_last_decoded(&self) -> bool {
        self.is_last_decoded
    }

    /// The row that was read last, in this body.
    pub(crate) fn last_row<'b>(&self, body: &'b [u8]) -> &'b [u8] {
        let place = self.places.last().cloned().unwrap_or_default();
        body.get(place).unwrap_or_default()
    }

    /// Makes the last row return this error, whether it could be decoded or not.
    pub(crate) fn refuse_last(&mut self, error: Error) {
        self.refused
            .push((self.places.len().saturating_sub(1), error));
    }

    /// Omits the last row.
    pub(crate) fn forget_last(&mut self) {
        self.places.pop();
        if let Some(values) = &mut self.values {
            values.forget_last();
        }
    }

    /// All rows, which were read from this answer.
    pub(crate) fn into_rows(self, answered: &Answered) -> RawRows {
        RawRows {
            ahead: 0..self.places.len(),
            block: Some(Arc::new(Block {
                body: answered.body.clone(),
                request: answered.request.clone(),
                places: self.places,
                values: self.values.map(Mutex::new),
                refused: self.refused,
            })),
        }
    }
}

/// Rows that were read together.
struct Block {
    body: Bytes,
    /// The id of the request, for the error of a row that cannot be read.
    request: Option<Box<str>>,
    /// The position of each row in the body.
    places: Vec<Range<usize>>,
    values: Option<Mutex<Box<dyn ReadValues>>>,
    /// Rows that give an error, in their order.
    refused: Vec<(usize, Error)>,
}

/// The rows of a block that are not taken yet.
#[derive(Default)]
pub(crate) struct RawRows {
    /// None after all rows are taken: the last one takes the block.
    block: Option<Arc<Block>>,
    ahead: Range<usize>,
}

impl RawRows {
    /// The number of taken rows of the block.
    pub(crate) fn taken_rows(&self) -> usize {
        self.ahead.start
    }

    /// The number of bytes of all rows of the block.
    pub(crate) fn byte_count(&self) -> usize {
        let places = self.block.iter().flat_map(|block| &block.places);
        places.map(ExactSizeIterator::len).sum()
    }
}

impl Iterator for RawRows {
    type Item = RawRow;

    #[inline]
    fn next(&mut self) -> Option<RawRow> {
        let at = self.ahead.next()?;
        // The last row takes over the count of the block instead of increasing it, so a single row
        // costs no atomic operations.
        let block = if self.ahead.is_empty() {
            self.block.take()
        } else {
            self.block.clone()
        };
        Some(RawRow { block: block?, at })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ahead.size_hint()
    }
}

impl ExactSizeIterator for RawRows {}

/// A row: its bytes, and its decoded value.
#[derive(Clone)]
pub struct RawRow {
    block: Arc<Block>,
    at: usize,
}

impl RawRow {
    fn byte_range(&self) -> Range<usize> {
        let place = self.block.places.get(self.at);
        place.cloned().unwrap_or_default()
    }

    pub(crate) fn row_json(&self) -> &[u8] {
        self.block.body.get(self.byte_range()).unwrap_or_default()
    }

    /// The bytes of the row, without the values of the other rows of its response.
    pub(crate) fn row_bytes(&self) -> Bytes {
        self.block.body.slice_ref(self.row_json())
    }

    /// The value of the row. The first caller takes the value that was decoded before, if it exists; others decode it
    /// again.
    pub(crate) fn read_value<T: 'static>(&self, read: fn(&[u8]) -> Result<T>) -> Result<T> {
        let mut ahead: Option<T> = None;
        // The value is moved through `dyn Any`, so that the block need not know its type.
        self.take_into(&mut ahead)?;
        if let Some(value) = ahead {
            return Ok(value);
        }
        match read(self.row_json()) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.of_request(error)),
        }
    }

    /// Moves the decoded value, if it exists. Fails for a row that returns an error.
    fn take_into(&self, value: &mut dyn Any) -> Result<()> {
        if let Some(error) = self.row_refusal() {
            return Err(self.of_request(error.again()));
        }
        if let Some(values) = &self.block.values {
            let mut values = values.lock().unwrap_or_else(PoisonError::into_inner);
            values.take_value(self.at, value);
        }
        Ok(())
    }

    #[cold]
    fn of_request(&self, error: Error) -> Error {
        match &self.block.request {
            Some(id) => error.with_request_id(Some(id)),
            None => error,
        }
    }

    /// Whether the row returns an error.
    pub(crate) fn is_refused(&self) -> bool {
        self.row_refusal().is_some()
    }

    fn row_refusal(&self) -> Option<&Error> {
        let refused = &self.block.refused;
        let at = refused.binary_search_by_key(&self.at, |(row, _)| *row);
        refused.get(at.ok()?).map(|(_, error)| error)
    }
}

/// Never shows the values.
impl fmt::Debug for RawRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawRow")
    }
}

impl fmt::Debug for RawRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawRows({})", self.len())
    }
}

/// How a row is read.
pub(crate) struct ReadRow<Row> {
    read: fn(&RawRow, Option<&(dyn Any + Send + Sync)>) -> Result<Row>,
    /// The data of the function. Its type is known only to the function, because everything that can be dropped is
    /// compiled for each type of rows.
    kept: Option<Arc<dyn Any + Send + Sync>>,
}

impl<Row> ReadRow<Row> {
    pub(crate) fn with_reader(
        read: fn(&RawRow, Option<&(dyn Any + Send + Sync)>) -> Result<Row>,
        kept: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Self {
        ReadRow { read, kept }
    }

    #[inline]
    pub(crate) fn read_row(&self, row: &RawRow) -> Result<Row> {
        (self.read)(row, self.kept.as_deref())
    }

    /// Returns the error of a row as the row itself.
    pub(crate) fn into_lenient(self) -> ReadRow<Result<Row>>
    where
        Row: 'static,
    {
        ReadRow {
            read: |row, strict| match strict.and_then(|strict| strict.downcast_ref()) {
                Some(strict) => Ok(ReadRow::read_row(strict, row)),
                None => Err(Error::config("a lenient reader reads by a strict one")),
            },
            kept: Some(Arc::new(self)),
        }
    }
}

impl<E: DynamoEntity> ReadRow<E> {
    /// Reads rows as entities.
    pub(crate) fn of_entity() -> Self {
        ReadRow::with_reader(|row, _| row.read_value(entity::read), None)
    }
}

impl<P: DynamoProjection> ReadRow<P> {
    /// Reads rows as some fields of an entity.
    pub(crate) fn of_projection() -> Self {
        ReadRow::with_reader(|row, _| row.read_value(entity::read_projection), None)
    }
}

impl<Row> Clone for ReadRow<Row> {
    fn clone(&self) -> Self {
        ReadRow {
            read: self.read,
            kept: self.kept.clone(),
        }
    }
}
