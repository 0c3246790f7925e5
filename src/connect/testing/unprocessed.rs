//! A batch of which only a part is executed, and the answer for the rest.

use serde_json::{Map, Value, json};

/// A batch in two parts.
pub(super) struct Split {
    /// The request with the first part; `None` if that is empty.
    pub(super) forwarded: Option<String>,
    /// The name under which the rest comes back; `left` is the rest.
    member: &'static str,
    left: Value,
}

/// Splits a batch after the first `count` requests or keys over all tables; `None` for other requests.
pub(super) fn split_request(body: &[u8], count: usize) -> Option<Split> {
    let mut body: Value = serde_json::from_slice(body).ok()?;
    let tables = body.get_mut("RequestItems")?.as_object_mut()?;
    let left = split_off(tables, count);
    // A read has an object for each table, and a write a list. The member of the response depends
    // on it.
    let reads = left.values().chain(tables.values()).any(Value::is_object);
    let forwarded = (!tables.is_empty()).then(|| body.to_string());
    Some(Split {
        forwarded,
        member: if reads {
            "UnprocessedKeys"
        } else {
            "UnprocessedItems"
        },
        left: Value::Object(left),
    })
}

impl Split {
    /// The answer to the first part, with the rest as unprocessed.
    pub(super) fn answer_with(self, first: &[u8]) -> Option<String> {
        let mut answer: Value = serde_json::from_slice(first).ok()?;
        *answer
            .as_object_mut()?
            .entry(self.member)
            .or_insert(json!({})) = self.left;
        Some(answer.to_string())
    }
}

/// Keeps the first `count` entries over all tables and returns the others.
fn split_off(tables: &mut Map<String, Value>, mut count: usize) -> Map<String, Value> {
    let mut left = Map::new();
    for (table, requests) in tables.iter_mut() {
        let mut rest = requests.clone();
        let (Some(kept), Some(others)) = (request_entries(requests), request_entries(&mut rest))
        else {
            continue;
        };
        let keep = count.min(kept.len());
        count -= keep;
        kept.truncate(keep);
        others.drain(..keep);
        if !others.is_empty() {
            left.insert(table.clone(), rest);
        }
    }
    tables.retain(|_, requests| request_entries(requests).is_some_and(|list| !list.is_empty()));
    left
}

/// The entries of a table: the requests of a write, or the `Keys` of a read.
fn request_entries(requests: &mut Value) -> Option<&mut Vec<Value>> {
    match requests {
        Value::Object(read) => read.get_mut("Keys")?.as_array_mut(),
        list => list.as_array_mut(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_write_is_split() {
        let batch = br#"{"RequestItems":{"a":[1,2],"b":[3,4]},"X":1}"#;
        let split = split_request(batch, 3).unwrap();
        assert_eq!(
            value(split.forwarded.as_deref().unwrap()),
            json!({"RequestItems":{"a":[1,2],"b":[3]},"X":1})
        );
        let answer = split.answer_with(br#"{"UnprocessedItems":{}}"#).unwrap();
        assert_eq!(value(&answer), json!({"UnprocessedItems":{"b":[4]}}));
    }

    #[test]
    fn a_read_is_split() {
        let batch = br#"{"RequestItems":{"a":{"Keys":[1,2],"ConsistentRead":true}}}"#;
        let nothing = split_request(batch, 0).unwrap();
        assert_eq!(nothing.forwarded, None);
        let answer = nothing.answer_with(br#"{"Responses":{}}"#).unwrap();
        let all = json!({"a":{"Keys":[1,2],"ConsistentRead":true}});
        assert_eq!(
            value(&answer),
            json!({"Responses":{},"UnprocessedKeys":all})
        );
        assert!(split_request(br#"{"TableName":"a"}"#, 1).is_none());
        assert!(split_request(b"no JSON", 1).is_none());
    }
}
