//! The common part of the requests of all pages.

use super::options::Wanted;
use super::range_segment::{LastKey, RangeSegment};
use super::selection::Selection;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::expr::Node;
use crate::json::{CodecError, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::KeyRange;
use crate::plan::Filter;
use crate::wire::{self, RETURN_CONSUMED};

/// The common part of the requests of all pages.
#[derive(Debug, Clone)]
pub(crate) struct RequestFrame {
    pub(crate) operation: wire::ServiceOperation,
    pub(crate) table: String,
    /// An open JSON object.
    pub(crate) body: Vec<u8>,
    /// Whether it requests its consumed capacity.
    pub(crate) is_metered: bool,
    /// The filters by which DynamoDB drops rows that it has already counted.
    pub(crate) filters: Vec<Filter>,
    /// The earliest position of its rows, as values of the front of the sort key.
    pub(crate) begins: Vec<KeyPoint>,
    /// The last possible key.
    pub(crate) end: Option<LastKey>,
    /// Whether no row can exist, so that no request is sent.
    pub(crate) is_nothing: bool,
}

impl Selection {
    pub(super) fn request_frame(
        &self,
        leg: RangeSegment,
        db: &Dynamo,
        now: Timestamp,
        wanted: Wanted,
    ) -> Result<RequestFrame, CodecError> {
        let table = db.table_name(self.query_source().table.name);
        let index = self.query_source().index.map(|index| index.index);
        let mut body = Writer::for_request(512);
        body.push_raw("{\"TableName\":");
        body.push_quoted(&table);
        if let Some(index) = index {
            body.push_raw(",\"IndexName\":");
            body.push_quoted(index);
        }
        let filters = self.write_expressions(&leg, now, wanted, &mut body)?;
        if self.reads_down() {
            body.push_raw(",\"ScanIndexForward\":false");
        }
        // The items behind a global index can be read strongly, but not the index itself.
        if self.options.consistent && !self.query_source().is_global() {
            body.push_raw(",\"ConsistentRead\":true");
        }
        if let Some((segment, segments)) = leg.segment {
            body.push_raw(&format!(
                ",\"Segment\":{segment},\"TotalSegments\":{segments}"
            ));
        }
        if self.is_metered() {
            body.push_raw(RETURN_CONSUMED);
        }
        if wanted == Wanted::Count {
            body.push_raw(",\"Select\":\"COUNT\"");
        }
        let sort = self
            .query_source()
            .sort_keys()
            .iter()
            .map(|key| key.attribute);
        Ok(RequestFrame {
            operation: if self.draft.is_scan {
                wire::ServiceOperation::Scan
            } else {
                wire::ServiceOperation::Query
            },
            table,
            body: body.into_bytes(),
            is_metered: self.is_metered(),
            filters,
            begins: leg.first_keys(sort, self.reads_down())?,
            end: leg.last_key(self.query_source().unique_sort_key(), self.reads_down())?,
            is_nothing: leg.range == KeyRange::Nothing
                || self.options.limit == Some(0)
                || self.options.filter.as_ref().is_some_and(Node::is_never),
        })
    }
}
