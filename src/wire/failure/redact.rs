//! The service's words without the caller's values.
//!
//! DynamoDB quotes a value in some of its messages. Ours are logged, so a text or number that stands in
//! the item, the key or the expression values of the request is taken out of the message.

use std::collections::BTreeSet;

use crate::codec::{Item, Reader, Value};

/// Shorter ones are parts of ordinary words and numbers.
const SHORTEST: usize = 3;

pub(super) fn without_values(message: &str, body: &[u8]) -> String {
    let mut texts = BTreeSet::new();
    collect_body(body, &mut texts);
    // The longest first: one value may be a part of another.
    let mut texts: Vec<String> = texts
        .into_iter()
        .filter(|text| text.len() >= SHORTEST)
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let mut message = message.to_owned();
    for text in texts {
        if message.contains(&text) {
            message = message.replace(&text, "(a value)");
        }
    }
    message
}

fn collect_body(body: &[u8], texts: &mut BTreeSet<String>) {
    let mut reader = Reader::new(body);
    let mut first = true;
    if reader.open_object().is_err() {
        return;
    }
    while let Ok(Some(name)) = reader.next_name(&mut first) {
        let holds_values = matches!(
            &*name,
            "Item" | "Key" | "ExpressionAttributeValues" | "ExclusiveStartKey"
        );
        let Ok(member) = reader.raw_value() else {
            return;
        };
        match &*name {
            "TransactItems" => collect_operations(member, texts),
            "Put" | "Delete" | "Update" | "ConditionCheck" | "Get" | "PutRequest"
            | "DeleteRequest" => collect_body(member, texts),
            "RequestItems" => collect_tables(member, texts),
            "Keys" => collect_items(member, texts),
            _ => {}
        }
        if holds_values && let Ok(item) = Item::from_dynamo_json(member) {
            collect_item(&item, texts);
        }
    }
}

/// The operations of a transaction, `[{"Put":{..}},..]`, or the writes of a batch.
fn collect_operations(list: &[u8], texts: &mut BTreeSet<String>) {
    let mut reader = Reader::new(list);
    let mut first = true;
    if reader.open_array().is_err() {
        return;
    }
    while let Ok(true) = reader.next_element(&mut first) {
        let Ok(operation) = reader.raw_value() else {
            return;
        };
        collect_body(operation, texts);
    }
}

/// The tables of a batch: of reads, `{"table":{"Keys":[..]},..}`, or of writes, `{"table":[..],..}`.
fn collect_tables(tables: &[u8], texts: &mut BTreeSet<String>) {
    let mut reader = Reader::new(tables);
    let mut first = true;
    if reader.open_object().is_err() {
        return;
    }
    while let Ok(Some(_)) = reader.next_name(&mut first) {
        let Ok(asked) = reader.raw_value() else {
            return;
        };
        match asked.first() {
            Some(b'[') => collect_operations(asked, texts),
            _ => collect_body(asked, texts),
        }
    }
}

fn collect_items(list: &[u8], texts: &mut BTreeSet<String>) {
    let mut reader = Reader::new(list);
    let mut first = true;
    if reader.open_array().is_err() {
        return;
    }
    while let Ok(true) = reader.next_element(&mut first) {
        let Ok(item) = Item::read(&mut reader) else {
            return;
        };
        collect_item(&item, texts);
    }
}

fn collect_item(item: &Item, texts: &mut BTreeSet<String>) {
    for (_, value) in item {
        collect(value, texts);
    }
}

fn collect(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::S(text) => {
            texts.insert(text.clone());
        }
        Value::N(number) => {
            texts.insert(number.to_string());
        }
        Value::L(list) => list.iter().for_each(|value| collect(value, texts)),
        Value::M(map) => collect_item(map, texts),
        Value::Ss(set) => texts.extend(set.iter().cloned()),
        Value::Ns(set) => texts.extend(set.iter().map(ToString::to_string)),
        Value::B(_) | Value::Bool(_) | Value::Null | Value::Bs(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_request_are_taken_out() {
        let body = br#"{"TableName":"notes","Item":{"id":{"S":"secret"},"l":{"L":[{"M":{"n":{"N":"4711"}}}]}}}"#;
        let message = "notes: secret-secret and 4711 are not allowed";
        let shown = without_values(message, body);
        assert_eq!(
            shown,
            "notes: (a value)-(a value) and (a value) are not allowed"
        );
        assert_eq!(without_values("as it is", b"no json"), "as it is");
        let transaction = [br#"{"TransactItems":[{"Put":"#, &body[..], b"}]}"].concat();
        assert_eq!(without_values(message, &transaction), shown);
        let keys =
            br#"{"RequestItems":{"notes":{"Keys":[{"id":{"S":"secret"}},{"n":{"N":"4711"}}]}}}"#;
        assert_eq!(without_values(message, keys), shown);
        let place =
            br#"{"TableName":"notes","ExclusiveStartKey":{"id":{"S":"secret"},"n":{"N":"4711"}}}"#;
        assert_eq!(without_values(message, place), shown);
    }
}
