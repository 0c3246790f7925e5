//! The counts and the consumed capacity in the body of a response.

use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::wire::{find_amount, sum_units};

/// The consumption of a request for a table and its indexes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Consumed {
    /// The table's full name.
    pub table: String,
    /// Read units for a read, write units for a write; 0 for a search of a vector index.
    pub units: f64,
    /// The bytes that a search of a vector index has read, which DynamoDB bills instead of units. It does not report the
    /// bytes that writes store in vector indexes.
    pub vector_bytes: f64,
}

/// The counts of a response. Unreadable ones are omitted, because the response itself matters more.
#[derive(Default)]
pub(super) struct AnswerCounts {
    pub(super) consumed: Vec<Consumed>,
    pub(super) rows: u64,
    pub(super) looked_at: u64,
}

impl AnswerCounts {
    pub(super) fn read_counts(body: &[u8], table: &str) -> Self {
        let (mut counts, mut scanned) = (AnswerCounts::default(), None);
        for (name, value) in object_members(body).unwrap_or_default() {
            match &*name {
                "ConsumedCapacity" => counts.consumed = consumed_capacity(value, table),
                "SearchResults" => {
                    counts.rows = array_elements(value).map_or(0, |rows| rows.len() as u64);
                }
                "Item" => counts.rows = 1,
                "Count" => counts.rows = count_of(value),
                "ScannedCount" => scanned = Some(count_of(value)),
                "Responses" => counts.rows = count_items(value),
                _ => {}
            }
        }
        counts.looked_at = scanned.unwrap_or(counts.rows);
        counts
    }
}

fn count_of(json: &[u8]) -> u64 {
    let text = std::str::from_utf8(json).unwrap_or_default();
    text.trim().parse().unwrap_or_default()
}

/// The items of several tables, or those of a transaction, in which a missing one is an empty object.
fn count_items(json: &[u8]) -> u64 {
    let tables = object_members(json).unwrap_or_default();
    let of_tables = tables
        .into_iter()
        .map(|(_, items)| array_elements(items).map_or(0, |items| items.len()));
    let of_reads = array_elements(json).unwrap_or_default();
    let of_reads = of_reads
        .into_iter()
        .filter(|one| find_member(one, "Item").ok().flatten().is_some());
    (of_tables.sum::<usize>() + of_reads.count()) as u64
}

/// The capacity of one table, or of a list of them.
fn consumed_capacity(found: &[u8], searched: &str) -> Vec<Consumed> {
    let tables = match found.first() {
        // Requests for several tables report a list, and others a single object.
        Some(b'[') => array_elements(found).unwrap_or_default(),
        _ => vec![found],
    };
    tables
        .into_iter()
        .filter_map(|table| of_search(table, searched).or_else(|| of_table(table).ok().flatten()))
        .collect()
}

/// The consumption of a search, which names no table.
fn of_search(object: &[u8], searched: &str) -> Option<Consumed> {
    Some(Consumed {
        table: searched.to_owned(),
        units: 0.0,
        vector_bytes: find_amount(object, "VectorSearchRequestBytes")?,
    })
}

fn of_table(object: &[u8]) -> Result<Option<Consumed>, CodecError> {
    let Some((units, name)) = sum_units(object).zip(find_member(object, "TableName")?) else {
        return Ok(None);
    };
    let table = Reader::new(name).string()?.into_owned();
    Ok(Some(Consumed {
        table,
        units,
        vector_bytes: 0.0,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_or_several() {
        let one = br#"{"Item":{},"ConsumedCapacity":{"TableName":"a","CapacityUnits":0.5}}"#;
        let seen = AnswerCounts::read_counts(one, "t");
        assert_eq!(
            (seen.consumed[0].table.as_str(), seen.consumed[0].units),
            ("a", 0.5)
        );
        let two = br#"{"ConsumedCapacity":[{"CapacityUnits":2,"TableName":"a"},{"TableName":"b","CapacityUnits":1.5E1}]}"#;
        let seen = AnswerCounts::read_counts(two, "t").consumed;
        let units: Vec<f64> = seen.iter().map(|seen| seen.units).collect();
        assert_eq!(units, [2.0, 15.0]);
        for nothing in [
            &b"{}"[..],
            b"",
            b"7",
            br#"{"ConsumedCapacity":null}"#,
            br#"{"ConsumedCapacity":[1]}"#,
            br#"{"Count":"x","ScannedCount":{},"Responses":3}"#,
        ] {
            let seen = AnswerCounts::read_counts(nothing, "t");
            assert_eq!((seen.consumed, seen.rows, seen.looked_at), (vec![], 0, 0));
        }
    }

    #[test]
    fn rows_of_every_answer() {
        for (answer, counts) in [
            (r#"{"Item":{"id":{"S":"a"}}}"#, (1, 1)),
            (r#"{"Items":[],"Count":2,"ScannedCount":9}"#, (2, 9)),
            (r#"{"Count":7,"ScannedCount":7}"#, (7, 7)),
            (
                r#"{"Responses":{"a":[{},{}],"b":[{}]},"UnprocessedKeys":{}}"#,
                (3, 3),
            ),
            (
                r#"{"Responses":[{"Item":{}},{},{"Item":{"id":{"S":"a"}}}]}"#,
                (2, 2),
            ),
            (r#"{"Attributes":{"id":{"S":"a"}}}"#, (0, 0)),
        ] {
            let seen = AnswerCounts::read_counts(answer.as_bytes(), "t");
            assert_eq!((seen.rows, seen.looked_at), counts, "{answer}");
        }
    }
}
