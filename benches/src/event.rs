//! Rows of an index, in one partition or on many shards. They are small, so that the cost of a merge shows.

use dynamo_entity::prelude::*;

/// The number of shards, and the rows of each answer. One partition has the same rows in the same number of
/// answers.
pub const SHARDS: u64 = 64;
pub const PAGE: u64 = 100;
pub const ROWS: u64 = SHARDS * PAGE;

#[expect(
    clippy::duplicated_attributes,
    reason = "two indexes with the same sort key"
)]
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "events", key(pk = "E#{source}", sk = "{number:010}"))]
#[dynamo(gsi(spread, pk = "S#{level}", sk = "{number:010}", shards = 64))]
#[dynamo(gsi(single, pk = "W#{level}", sk = "{number:010}"))]
pub struct Event {
    pub source: String,
    pub number: u64,
    pub level: u8,
    pub text: String,
}

/// The answer to a query of an index, which is chosen by the values in its body.
pub fn answer(body: &[u8]) -> String {
    let request: serde_json::Value = serde_json::from_slice(body).expect("a request");
    let index = request["IndexName"].as_str().expect("an index");
    let values = request["ExpressionAttributeValues"].as_object();
    let mut values = values.into_iter().flatten().map(|(_, value)| &value["S"]);
    let partition = values
        .find_map(|value| value.as_str())
        .expect("a partition");
    let behind = &request["ExclusiveStartKey"]["sk"]["S"];
    let behind: Option<u64> = behind.as_str().and_then(|number| number.parse().ok());
    // `S#1#7` has every 64th row, starting with row 7.
    let shard: Option<u64> = partition
        .split('#')
        .nth(2)
        .and_then(|shard| shard.parse().ok());
    let step = if shard.is_some() { SHARDS } else { 1 };
    let first = behind.map_or(shard.unwrap_or_default(), |behind| behind + step);
    let numbers: Vec<u64> = (0..PAGE).map(|row| first + row * step).collect();
    let keys = |number: u64| {
        format!(
            r#""pk":{{"S":"E#a-source"}},"sk":{{"S":"{number:010}"}},"{index}_pk":{{"S":"{partition}"}},"{index}_sk":{{"S":"{number:010}"}}"#
        )
    };
    let text = "x".repeat(200);
    let row = |number: &u64| {
        format!(
            r#"{{{},"source":{{"S":"a-source"}},"number":{{"N":"{number}"}},"level":{{"N":"1"}},"text":{{"S":"{text}"}}}}"#,
            keys(*number)
        )
    };
    let rows: Vec<String> = numbers.iter().map(row).collect();
    let last = numbers.last().filter(|last| **last + step < ROWS);
    let last = last.map_or(String::new(), |last| {
        format!(r#","LastEvaluatedKey":{{{}}}"#, keys(*last))
    });
    format!(
        r#"{{"Count":{PAGE},"Items":[{}],"ScannedCount":{PAGE}{last}}}"#,
        rows.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that both ways return the same rows, in the expected number of answers.
    #[test]
    fn a_shard_is_one_answer_and_a_partition_goes_on() {
        let count = |index: &str, partition: &str| {
            let (mut rows, mut requests) = (0, 0);
            let mut start = serde_json::Value::Null;
            loop {
                let request = serde_json::json!({
                    "IndexName": index,
                    "ExpressionAttributeValues": {":v0": {"S": partition}},
                    "ExclusiveStartKey": start,
                });
                let answer = answer(request.to_string().as_bytes());
                let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
                rows += answer["Items"].as_array().unwrap().len() as u64;
                requests += 1;
                start = answer["LastEvaluatedKey"].clone();
                if start.is_null() {
                    return (rows, requests);
                }
            }
        };
        assert_eq!(count("spread", "S#1#7"), (PAGE, 1));
        assert_eq!(count("single", "W#1"), (ROWS, SHARDS));
    }
}
