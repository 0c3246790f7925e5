//! The response to a search.

use bytes::Bytes;

use crate::error::Error;
use crate::json::{CodecError, Reader, array_elements, find_member};
use crate::wire::Reply;

/// A row of the response: the item, and its score.
pub(super) struct FoundRow {
    pub(super) json: Bytes,
    pub(super) score: f64,
}

/// The rows, the nearest first.
pub(super) fn read_rows(reply: &Reply) -> Result<Vec<FoundRow>, Error> {
    find_rows(&reply.body)
        .map_err(|fault| Error::unreadable(&fault).with_request_id(reply.request_id.as_deref()))
}

fn find_rows(body: &Bytes) -> Result<Vec<FoundRow>, CodecError> {
    let results = find_member(body, "SearchResults")?.unwrap_or(b"[]");
    let rows = array_elements(results)?.into_iter().map(|row| {
        let item = find_member(row, "Item")?;
        let item = item.ok_or_else(|| CodecError::new("it is missing").at("Item"))?;
        let score = find_member(row, "Score")?.and_then(|score| std::str::from_utf8(score).ok());
        let score = score.and_then(|score| score.trim().parse().ok());
        Reader::new(item).raw_value()?;
        Ok(FoundRow {
            json: body.slice_ref(item),
            score: score
                .ok_or_else(|| CodecError::mismatch("a number", "something else").at("Score"))?,
        })
    });
    rows.collect()
}
