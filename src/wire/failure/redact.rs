//! The service's words without the caller's values.
//!
//! DynamoDB quotes values in some of its messages. Ours are logged, so whatever stands in the item, the key or the
//! expression values of the request is taken out of the message, however it is spelt there. Only messages that are
//! shown are looked at: those whose meaning is known by their code are not, and a conflict costs nothing here.

use std::collections::BTreeSet;

use crate::codec::{Fault, Item, Number, Reader, Value, Writer, elements, members};

/// What is shown in place of a value.
const HIDDEN: &str = "(a value)";

/// Shorter ones are parts of ordinary words and numbers, and count only where they stand by themselves.
const SHORTEST: usize = 3;

pub(super) fn without_values(message: &str, body: &[u8]) -> String {
    // Operations on tables have no values.
    if body.is_empty() {
        return message.to_owned();
    }
    let mut values = Values::default();
    match values.of_body(body) {
        Ok(()) => values.hide_in(message),
        Err(_) => "its words are not shown: they may hold values".to_owned(),
    }
}

/// What may not be shown.
#[derive(Default)]
struct Values {
    texts: BTreeSet<String>,
    /// By value, for the service spells them in its own way.
    numbers: BTreeSet<Number>,
}

impl Values {
    /// A request, or one of its operations.
    fn of_body(&mut self, body: &[u8]) -> Result<(), Fault> {
        for (name, member) in members(body)? {
            match &*name {
                "Item" | "Key" | "ExpressionAttributeValues" | "ExclusiveStartKey" => {
                    self.of_item(&Item::from_dynamo_json(member)?);
                }
                // The operations of a transaction, `[{"Put":{..}},..]`.
                "TransactItems" => self.of_all(member)?,
                "Put" | "Delete" | "Update" | "ConditionCheck" | "Get" | "PutRequest"
                | "DeleteRequest" => self.of_body(member)?,
                // The tables of a batch: of reads, `{"table":{"Keys":[..]},..}`, or of writes, `{"table":[..],..}`.
                "RequestItems" => {
                    for (_, asked) in members(member)? {
                        match asked.first() {
                            Some(b'[') => self.of_all(asked)?,
                            _ => self.of_body(asked)?,
                        }
                    }
                }
                "Keys" => {
                    for key in elements(member)? {
                        self.of_item(&Item::from_dynamo_json(key)?);
                    }
                }
                "ClientRequestToken" => self.text(&Reader::new(member).string()?),
                _ => {}
            }
        }
        Ok(())
    }

    fn of_all(&mut self, list: &[u8]) -> Result<(), Fault> {
        let mut operations = elements(list)?.into_iter();
        operations.try_for_each(|operation| self.of_body(operation))
    }

    fn of_item(&mut self, item: &Item) {
        item.iter().for_each(|(_, value)| self.of_value(value));
    }

    fn of_value(&mut self, value: &Value) {
        match value {
            Value::S(text) => self.text(text),
            Value::N(number) => self.number(number),
            Value::B(bytes) => self.bytes(bytes),
            Value::Bool(truth) => self.text(&truth.to_string()),
            Value::Null => {}
            Value::L(list) => list.iter().for_each(|value| self.of_value(value)),
            // The names in a map are data, too.
            Value::M(map) => map.iter().for_each(|(name, value)| {
                self.text(name);
                self.of_value(value);
            }),
            Value::Ss(set) => set.iter().for_each(|text| self.text(text)),
            Value::Ns(set) => set.iter().for_each(|number| self.number(number)),
            Value::Bs(set) => set.iter().for_each(|bytes| self.bytes(bytes)),
        }
    }

    /// As it is, and with escapes.
    fn text(&mut self, text: &str) {
        // Blanks tell nothing, and stand between all words.
        if text.trim().is_empty() {
            return;
        }
        let mut json = Writer::default();
        json.quoted(text);
        let json = String::from_utf8_lossy(json.as_bytes()).into_owned();
        for quoted in [format!("{text:?}"), json] {
            let inner = quoted
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            self.texts.extend(inner.map(str::to_owned));
        }
        self.texts.insert(text.to_owned());
    }

    fn number(&mut self, number: &Number) {
        self.texts.insert(number.to_string());
        self.numbers.insert(number.clone());
    }

    /// In base64, as a list of numbers, and as the text that they may be.
    fn bytes(&mut self, bytes: &[u8]) {
        let base64 = base64_simd::STANDARD.encode_to_string(bytes);
        self.text(base64.trim_end_matches('='));
        self.text(&base64);
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.text(text);
        }
        // Of bytes with a sign, as Java's are, too.
        let signed: Vec<i8> = bytes.iter().map(|byte| byte.cast_signed()).collect();
        for list in [format!("{bytes:?}"), format!("{signed:?}")] {
            self.text(list.trim_matches(['[', ']']));
        }
    }

    fn hide_in(&self, message: &str) -> String {
        let mut hidden = vec![false; message.len()];
        for text in &self.texts {
            for at in places(message, text) {
                if text.len() >= SHORTEST || stands_alone(message, at, text) {
                    hide(&mut hidden, at, text.len());
                }
            }
        }
        for (at, digits) in numbers(message) {
            let number: Option<Number> = digits.parse().ok();
            if number.is_some_and(|number| self.numbers.contains(&number)) {
                hide(&mut hidden, at, digits.len());
            }
        }
        let mut shown = String::with_capacity(message.len());
        let mut was_hidden = false;
        for (at, letter) in message.char_indices() {
            let is_hidden = hidden.get(at).copied().unwrap_or_default();
            match (is_hidden, was_hidden) {
                (false, _) => shown.push(letter),
                (true, false) => shown.push_str(HIDDEN),
                (true, true) => {}
            }
            was_hidden = is_hidden;
        }
        shown
    }
}

fn hide(hidden: &mut [bool], at: usize, length: usize) {
    if let Some(place) = hidden.get_mut(at..at + length) {
        place.fill(true);
    }
}

/// Where a text stands, overlapping places too.
fn places(message: &str, text: &str) -> Vec<usize> {
    // Most values are longer than any message, or not in it.
    if text.len() > message.len() || !message.contains(text) {
        return Vec::new();
    }
    let starts = message.char_indices().map(|(at, _)| at);
    starts
        .filter(|at| {
            message
                .get(*at..)
                .is_some_and(|rest| rest.starts_with(text))
        })
        .collect()
}

/// Whether it is no part of a longer word or number.
fn stands_alone(message: &str, at: usize, text: &str) -> bool {
    let (before, behind) = message.split_at(at);
    let behind = behind.get(text.len()..).unwrap_or_default();
    let is_joined = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(char::is_alphanumeric) && inner.is_some_and(char::is_alphanumeric)
    };
    !is_joined(before.chars().next_back(), text.chars().next())
        && !is_joined(behind.chars().next(), text.chars().next_back())
}

/// What may be a number, and where.
fn numbers(message: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    let words = message.split(move |letter| !is_part(letter));
    words.filter_map(|word| {
        let start = word.as_ptr() as usize - message.as_ptr() as usize;
        let digits = word.trim_matches(|letter: char| !letter.is_ascii_digit() && letter != '-');
        let offset = word.find(digits)?;
        (!digits.is_empty()).then_some((start + offset, digits))
    })
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
        assert_eq!(without_values("as it is", b""), "as it is");
        assert!(!without_values(message, b"no json").contains("secret"));
        let transaction = [br#"{"TransactItems":[{"Put":"#, &body[..], b"}]}"].concat();
        assert_eq!(without_values(message, &transaction), shown);
        let keys =
            br#"{"RequestItems":{"notes":{"Keys":[{"id":{"S":"secret"}},{"n":{"N":"4711"}}]}}}"#;
        assert_eq!(without_values(message, keys), shown);
        let puts = br#"{"RequestItems":{"notes":[{"PutRequest":{"Item":{"id":{"S":"secret"}}}},{"DeleteRequest":{"Key":{"n":{"N":"4711"}}}}]}}"#;
        assert_eq!(without_values(message, puts), shown);
        let place =
            br#"{"TableName":"notes","ExclusiveStartKey":{"id":{"S":"secret"},"n":{"N":"4711"}}}"#;
        assert_eq!(without_values(message, place), shown);
    }

    /// What servers say of such values, in the spellings in which they do.
    #[test]
    fn values_are_found_however_they_are_spelt() {
        for (value, message, shown) in [
            (
                r#"{"S":"b"}"#,
                "upper bound; lower bound operand: AttributeValue: {S:b}, upper",
                "upper bound; lower bound operand: AttributeValue: {S:(a value)}, upper",
            ),
            (
                r#"{"S":"a"}"#,
                "[a, a] contains a set",
                "[(a value), (a value)] contains (a value) set",
            ),
            (r#"{"S":"éa"}"#, "{S:éa}", "{S:(a value)}"),
            (
                r#"{"S":"it's \"x\""}"#,
                r#"is "it's \"x\"""#,
                r#"is "(a value)""#,
            ),
            (
                r#"{"S":"a\u0001b"}"#,
                r"is a\u0001b and a\u{1}b",
                "is (a value) and (a value)",
            ),
            (r#"{"S":"aab"}"#, "aaabab", "a(a value)ab"),
            (r#"{"S":"abab"}"#, "ababab", "(a value)"),
            (r#"{"S":" "}"#, "as it is", "as it is"),
            (r#"{"S":"-"}"#, "{S:-}", "{S:(a value)}"),
            (
                r#"{"N":"7.50"}"#,
                "{N:7.5} 7.50 0.75E1 8.51",
                "{N:(a value)} (a value) (a value) 8.51",
            ),
            (
                r#"{"N":"7"}"#,
                "of 7 and 17 and 7.",
                "of (a value) and 17 and (a value).",
            ),
            (r#"{"N":"-7"}"#, "{N:-7}", "{N:(a value)}"),
            (
                r#"{"N":"1E30"}"#,
                "{N:1000000000000000000000000000000}",
                "{N:(a value)}",
            ),
            (
                r#"{"B":"/w=="}"#,
                "{B:/w==} /w [255] [-1]",
                "{B:(a value)} (a value) [(a value)] [(a value)]",
            ),
            (
                r#"{"B":"YWI="}"#,
                "{B:YWI=} is ab",
                "{B:(a value)} is (a value)",
            ),
            (r#"{"BOOL":true}"#, "{BOOL:true}", "{BOOL:(a value)}"),
            (r#"{"SS":["x","yy"]}"#, "[x, yy]", "[(a value), (a value)]"),
            (r#"{"NS":["5"]}"#, "[5.0]", "[(a value)]"),
            (
                r#"{"BS":["AQI="]}"#,
                "[AQI=] [1, 2]",
                "[(a value)] [(a value)]",
            ),
            (
                r#"{"M":{"jo":{"S":"x"}}}"#,
                "{jo=x}",
                "{(a value)=(a value)}",
            ),
        ] {
            let body = format!(r#"{{"TableName":"t","Item":{{"n":{value}}}}}"#);
            assert_eq!(without_values(message, body.as_bytes()), shown, "{value}");
        }
    }
}
