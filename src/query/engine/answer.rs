//! The content of a response, decoded at once or a few rows at a time.
//!
//! If many lanes are merged, the rows of each response wait for those of the others. They wait as bytes, and are
//! decoded shortly before their turn, while they are still in the cache.

use std::fmt;

use bytes_utils::Str;

use crate::entity::sentinel::has_sentinel_key;
use crate::error::Error;
use crate::json::{CodecError, KeyFinder, Number, Reader};
use crate::key::rank::{Ranking, Ranks};
use crate::query::keys::{ByKey, RowKind, SortKeyTest};
use crate::read::{Answered, RawRows, ReadAhead, RowsAhead};
use crate::schema::{EntityDef, TableDef, is_unique_row};

/// The minimum number of bytes of a row: `{"k":{"S":"v"}},`.
const LEAST_ROW: usize = 16;

/// The items of unique values that DynamoDB cannot filter by an attribute.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct OmittedItems {
    /// The partition key of a table in which newer programs may keep unique values that this one does not declare.
    pub(crate) unknown_sentinels: Option<&'static str>,
    /// The entities of a table in which other programs store unique values in rows. Only their keys tell.
    pub(crate) rows_of: Option<(&'static TableDef, &'static [&'static EntityDef])>,
}

/// How the rows of a lane are decoded.
#[derive(Debug, Default)]
pub(super) struct AnswerForm {
    /// The type that rows are decoded into before their turn.
    pub(crate) ahead: Option<ReadAhead>,
    /// How rows without a type are identified.
    pub(crate) by_key: Option<ByKey>,
    /// The test of sort keys, if their texts may have the format of another program.
    pub(crate) in_own_format: Option<SortKeyTest>,
    /// The items of unique values that DynamoDB cannot filter.
    pub(crate) omitted: OmittedItems,
    /// The attributes by which rows are ranked, if they are ranked.
    pub(super) ranking: Option<Ranking>,
    /// The length of the ranks that were written last.
    pub(crate) rank: usize,
}

impl AnswerForm {
    /// Finds the attributes of each row by which it is ranked, and whether it has a type.
    fn key_finder(&self) -> Option<KeyFinder> {
        if self.ranking.is_none() && self.by_key.is_none() {
            return None;
        }
        let sort = self.ranking.as_ref().map(|ranking| &*ranking.sort);
        let finder = KeyFinder::of_names(sort.unwrap_or_default());
        Some(match &self.by_key {
            Some(by_key) => finder.with_attribute(by_key.attribute),
            None => finder,
        })
    }

    /// Whether the row that was read last stores a unique value, and DynamoDB could not filter it.
    fn is_omitted(&self, rows: &RowsAhead, body: &[u8]) -> bool {
        let omitted = &self.omitted;
        // No sentinel can be decoded, so other rows are not looked at.
        let is_possible = omitted
            .unknown_sentinels
            .filter(|_| !rows.is_last_decoded());
        is_possible.is_some_and(|pk| has_sentinel_key(rows.last_row(body), pk))
            || omitted.rows_of.is_some_and(|(table, entities)| {
                is_unique_row(table, entities, rows.last_row(body))
            })
    }

    /// How to identify the row that was read last, if it has no type by which DynamoDB could filter, or its type does not
    /// decide.
    #[inline]
    fn tells_by(
        &self,
        finder: Option<&KeyFinder>,
        rows: &RowsAhead,
        body: &[u8],
    ) -> Option<&ByKey> {
        let by_key = self.by_key.as_ref();
        by_key.filter(|by_key| {
            by_key.decides_of_typed()
                || finder.is_some_and(|finder| !finder.has_beside())
                // No row whose type is NULL can be decoded, so other rows are not looked at.
                || !rows.is_last_decoded() && by_key.has_null_type(rows.last_row(body))
        })
    }
}

/// A response that may have rows left to decode.
pub(super) struct Unread {
    answered: Answered,
    /// The body, if all of it is UTF-8. It is checked once, even if decoding continues later.
    text: Option<Str>,
    /// The position at which decoding continues.
    at: usize,
    is_among_rows: bool,
    /// Whether nothing was read yet of the object, or of the list of rows.
    is_first: bool,
    is_over: bool,
    /// The number of rows read.
    read: usize,
    /// The number of them that were omitted, because they do not belong to the query.
    forgotten: usize,
    said: AnswerFacts,
}

/// The content of a response except its rows.
#[derive(Debug, Default)]
pub(super) struct AnswerFacts {
    pub(crate) count: usize,
    pub(crate) scanned: usize,
    /// The key after which the next response begins: its attributes as entries of a JSON object.
    pub(crate) last: Option<Vec<u8>>,
    /// The read units that the request consumed.
    pub(crate) units: Option<f64>,
}

impl Unread {
    pub(crate) fn new(answered: Answered) -> Self {
        Unread {
            text: Str::from_inner(answered.response_body().clone()).ok(),
            answered,
            at: 0,
            is_among_rows: false,
            is_first: true,
            is_over: false,
            read: 0,
            forgotten: 0,
            said: AnswerFacts::default(),
        }
    }

    /// The error for a response that does not have the expected form.
    pub(super) fn unreadable_answer(&self, fault: &CodecError) -> Error {
        self.answered.unreadable_answer(fault)
    }

    /// Whether the whole response was read.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn into_said(self) -> AnswerFacts {
        self.said
    }

    /// The next rows, with their ranks: `most` of them, or all remaining ones if they are only slightly more.
    pub(crate) fn next(
        &mut self,
        form: &AnswerForm,
        most: usize,
    ) -> Result<(RawRows, Ranks), CodecError> {
        let ranking = form.ranking.as_ref();
        let finder = form.key_finder();
        let finder = finder.as_ref();
        let body = self.answered.response_body();
        let mut reader = match &self.text {
            // The body was checked once, so its texts can be borrowed without another check when
            // decoding continues.
            Some(text) => Reader::starting_at(text, self.at),
            None => Reader::new(body).resume_at(self.at),
        };
        let mut rows = RowsAhead::new(form.ahead);
        let mut ranks = Ranks::default();
        if self.at == 0 {
            reader.open_object()?;
        }
        loop {
            if self.is_among_rows {
                // `Count` usually precedes the rows, so room can be reserved. It comes from the server, so it is
                // bounded by the size of the body.
                let told = self.said.count.min(body.len() / LEAST_ROW);
                let left = told.saturating_sub(self.read);
                // A small rest is decoded with the others, because resuming the decoding costs more
                // than the memory.
                let is_small = left > 0 && left <= most.saturating_mul(2);
                let most = if is_small { usize::MAX } else { most };
                rows.reserve_rows(left.min(most), body.len());
                if ranking.is_some() {
                    ranks.reserve_ranks(left.min(most) + 1, form.rank);
                }
                let mut count = 0;
                while count < most {
                    if !reader.next_element(&mut self.is_first)? {
                        self.is_among_rows = false;
                        break;
                    }
                    rows.read_next(&mut reader, finder)?;
                    self.read += 1;
                    if form.is_omitted(&rows, body) {
                        rows.forget_last();
                        self.forgotten += 1;
                        continue;
                    }
                    if let Some(by_key) = form.tells_by(finder, &rows, body) {
                        match by_key.row_kind(rows.last_row(body)) {
                            RowKind::Meant => {}
                            RowKind::Unlike(error) => rows.refuse_last(*error),
                            RowKind::Other => {
                                rows.forget_last();
                                // The row does not count, and the next one is read in its place.
                                self.forgotten += 1;
                                continue;
                            }
                        }
                    }
                    if let Some(test) = &form.in_own_format
                        && let Some(error) = test.foreign_sort_key(rows.last_row(body))
                    {
                        rows.refuse_last(error);
                    }
                    if let Some((ranking, finder)) = ranking.zip(finder) {
                        ranks.push_row(ranking, finder, &reader)?;
                    }
                    count += 1;
                }
                if self.is_among_rows {
                    break;
                }
            }
            let Some(name) = reader.next_answered(&mut self.is_first)? else {
                self.is_over = true;
                self.said.count = self.said.count.saturating_sub(self.forgotten);
                break;
            };
            let said = &mut self.said;
            match &*name {
                "Items" => {
                    reader.open_array()?;
                    (self.is_among_rows, self.is_first) = (true, true);
                }
                "Count" => said.count = parse_count(reader.raw_value()?)?,
                "ScannedCount" => said.scanned = parse_count(reader.raw_value()?)?,
                "LastEvaluatedKey" => said.last = Some(key_entries(reader.raw_value()?)?),
                "ConsumedCapacity" => said.units = crate::wire::sum_units(reader.raw_value()?),
                _ => reader.skip()?,
            }
        }
        self.at = reader.current_place();
        Ok((rows.into_rows(&self.answered), ranks))
    }
}

/// Values stay out.
impl fmt::Debug for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unread")
    }
}

/// Some servers write `10.0`, because their numbers are floats.
fn parse_count(json: &[u8]) -> Result<usize, CodecError> {
    let other = |text: &str| text.parse::<Number>().ok()?.to_integer_text()?.parse().ok();
    let text = std::str::from_utf8(json).ok();
    let number = text.and_then(|text| text.parse().ok().or_else(|| other(text)));
    number.ok_or_else(|| CodecError::mismatch("a number", "something else"))
}

/// The inside of an object.
fn key_entries(object: &[u8]) -> Result<Vec<u8>, CodecError> {
    let inside = object
        .strip_prefix(b"{")
        .and_then(|object| object.strip_suffix(b"}"));
    let inside = inside.ok_or_else(|| CodecError::mismatch("a key", "something else"))?;
    Ok(inside.trim_ascii().to_vec())
}
