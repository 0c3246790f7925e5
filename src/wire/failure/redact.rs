//! The messages of the service without the caller's values.
//!
//! DynamoDB quotes values in some of its messages, and our messages are logged. Therefore every value in the item,
//! the key or the expression values of the request is removed from the message, in any format. Only displayed
//! messages are processed. A message whose code determines the error is not displayed, so a conflict costs nothing
//! here. Messages that are always the same are not processed either.
//!
//! A request may have 16 MB, and its messages have some hundred bytes. Therefore a value that is longer than the
//! messages is skipped, and other values are kept only if they occur in a message.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::hex::hex_digits;
use crate::json::{CodecError, Number, Reader, Writer, array_elements, object_members};

/// The replacement for a value.
const HIDDEN: &str = "(a value)";

/// Shorter values are parts of ordinary words and numbers, so they count only if they are separate words.
const SHORTEST: usize = 3;

/// The messages that are always the same. Each is compared as a whole.
const FIXED: [&str; 9] = [
    "The conditional request failed",
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API",
    "Rate exceeded",
    "Item size has exceeded the maximum allowed size",
    "Item size to update has exceeded the maximum allowed size",
    "The provided key element does not match the schema",
    "The security token included in the request is invalid.",
    "The security token included in the request is expired",
];

/// A message without the values of the request.
pub(super) fn without_values(message: &str, body: &[u8]) -> String {
    all_without_values(&[message], body)
        .pop()
        .unwrap_or_default()
}

/// All messages of a response without the values of the request, in their order.
pub(super) fn all_without_values(messages: &[&str], body: &[u8]) -> Vec<String> {
    let as_they_are = |messages: &[&str]| messages.iter().map(|&text| text.to_owned()).collect();
    let said: Vec<&str> = messages
        .iter()
        .copied()
        .filter(|text| !FIXED.contains(text))
        .collect();
    // Operations on tables have no values.
    if body.is_empty() || said.is_empty() {
        return as_they_are(messages);
    }
    #[cfg(test)]
    counted::body();
    let mut values = HiddenValues::among(said);
    // If the request cannot be read completely, some of its values are not known, and then no
    // message can be shown safely.
    let is_read = values.of_body(body).is_ok();
    let hide = |message: &&str| match *message {
        fixed if FIXED.contains(&fixed) => fixed.to_owned(),
        said if is_read => values.hide_in(said),
        _ => "its words are not shown: they may hold values".to_owned(),
    };
    messages.iter().map(hide).collect()
}

/// The values that must not be shown.
struct HiddenValues<'m> {
    messages: Vec<&'m str>,
    /// The messages that have escapes, with the escapes decoded.
    unescaped: Vec<Unescaped>,
    /// The length of the longest message.
    longest: usize,
    /// The texts in a message.
    texts: BTreeSet<String>,
    /// The numbers in the messages, by value, because DynamoDB formats them in its own way.
    said: BTreeSet<Number>,
    numbers: BTreeSet<Number>,
}

impl<'m> HiddenValues<'m> {
    fn among(messages: Vec<&'m str>) -> Self {
        let said = messages.iter().flat_map(|message| numbers(message));
        HiddenValues {
            said: said.filter_map(|(_, digits)| digits.parse().ok()).collect(),
            longest: messages
                .iter()
                .map(|message| message.len())
                .max()
                .unwrap_or_default(),
            unescaped: messages.iter().copied().filter_map(Unescaped::of).collect(),
            messages,
            texts: BTreeSet::new(),
            numbers: BTreeSet::new(),
        }
    }

    /// Reads a request, or one of its operations.
    fn of_body(&mut self, body: &[u8]) -> Result<(), CodecError> {
        for (name, member) in object_members(body)? {
            match &*name {
                "Item" | "Key" | "ExpressionAttributeValues" | "ExclusiveStartKey" => {
                    self.of_item(member)?;
                }
                // The operations of a transaction, `[{"Put":{..}},..]`.
                "TransactItems" => self.of_all(member)?,
                "Put" | "Delete" | "Update" | "ConditionCheck" | "Get" | "PutRequest"
                | "DeleteRequest" => self.of_body(member)?,
                // The tables of a batch: `{"table":{"Keys":[..]},..}` for reads, or `{"table":[..],..}` for writes.
                "RequestItems" => {
                    for (_, asked) in object_members(member)? {
                        match asked.first() {
                            Some(b'[') => self.of_all(asked)?,
                            _ => self.of_body(asked)?,
                        }
                    }
                }
                "Keys" => {
                    for key in array_elements(member)? {
                        self.of_item(key)?;
                    }
                }
                // The numbers of the vector of a search.
                "SearchVector" => {
                    for number in array_elements(member)? {
                        self.of_value(number)?;
                    }
                }
                "ClientRequestToken" => self.text(&Reader::new(member).string()?),
                _ => {}
            }
        }
        Ok(())
    }

    fn of_all(&mut self, list: &[u8]) -> Result<(), CodecError> {
        let mut operations = array_elements(list)?.into_iter();
        operations.try_for_each(|operation| self.of_body(operation))
    }

    fn of_item(&mut self, item: &[u8]) -> Result<(), CodecError> {
        let mut attributes = object_members(item)?.into_iter();
        attributes.try_for_each(|(_, value)| self.of_value(value))
    }

    /// `{"S":".."}`
    fn of_value(&mut self, json: &[u8]) -> Result<(), CodecError> {
        for (kind, value) in object_members(json)? {
            match &*kind {
                "L" => {
                    let mut list = array_elements(value)?.into_iter();
                    list.try_for_each(|value| self.of_value(value))?;
                }
                // The names in a map are data too.
                "M" => {
                    for (name, value) in object_members(value)? {
                        self.text(&name);
                        self.of_value(value)?;
                    }
                }
                "SS" | "NS" | "BS" => {
                    for value in array_elements(value)? {
                        self.of_scalar(kind.get(..1).unwrap_or_default(), value)?;
                    }
                }
                kind => self.of_scalar(kind, value)?,
            }
        }
        Ok(())
    }

    /// Skips a value that is longer than all messages.
    fn of_scalar(&mut self, kind: &str, value: &[u8]) -> Result<(), CodecError> {
        // In JSON, a letter takes at most six bytes, as an escape, and in base64 three bytes take four. A longer value
        // cannot occur in any message.
        if value.len() > 8 * self.longest + 32 {
            return Ok(());
        }
        let string = || Reader::new(value).string();
        match kind {
            "S" => self.text(&string()?),
            "N" => self.number(&string()?.parse()?),
            "B" => {
                let bytes = base64_simd::STANDARD.decode_to_vec(string()?.as_bytes());
                self.bytes(&bytes.map_err(|_| CodecError::new("expected base64"))?);
            }
            "BOOL" => self.text(&String::from_utf8_lossy(value)),
            "NULL" => {}
            _ => return Err(CodecError::new("expected a type of DynamoDB")),
        }
        Ok(())
    }

    /// Notes a text unchanged, and with escapes.
    fn text(&mut self, text: &str) {
        // No encoding is shorter than the text itself. A blank text would match between any two words.
        if text.len() > self.longest || text.trim().is_empty() {
            return;
        }
        #[cfg(test)]
        counted::value();
        self.spelling(text);
        // In the query of a URL, a blank is written as a plus.
        if text.contains(' ') {
            self.spelling(&text.replace(' ', "+"));
        }
        let is_plain = |byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
        if text.bytes().all(is_plain) {
            return;
        }
        let mut json = Writer::default();
        json.push_quoted(text);
        let json = String::from_utf8_lossy(json.as_bytes()).into_owned();
        // Servers that are written in Rust quote values with the first form, and others with JSON.
        for quoted in [format!("{text:?}"), json] {
            let inner = quoted
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            inner.into_iter().for_each(|text| self.spelling(text));
        }
    }

    fn spelling(&mut self, text: &str) {
        let unescaped = self.unescaped.iter().map(|message| &*message.text);
        let mut said = self.messages.iter().copied().chain(unescaped);
        if said.any(|message| message.contains(text)) {
            self.texts.insert(text.to_owned());
        }
    }

    fn number(&mut self, number: &Number) {
        #[cfg(test)]
        counted::value();
        self.spelling(number.as_str());
        // DynamoDB writes numbers in a format of its own, so they are compared by value.
        if self.said.contains(number) {
            self.numbers.insert(number.clone());
        }
    }

    /// Notes bytes in base64, in hexadecimal digits, as a list of numbers, and as the text that they may be.
    fn bytes(&mut self, bytes: &[u8]) {
        // As text, bytes have their own length, and every other encoding is longer.
        if bytes.len() > self.longest || bytes.is_empty() {
            return;
        }
        let base64 = base64_simd::STANDARD.encode_to_string(bytes);
        // A message may show base64 without its padding.
        self.text(base64.trim_end_matches('='));
        self.text(&base64);
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.text(text);
        }
        let hex = hex_digits(bytes);
        // Short values only count as separate words, and digits after `0x` are none, so they are noted together with
        // it.
        for hex in [hex.to_uppercase(), format!("0x{hex}"), hex] {
            self.spelling(&hex);
        }
        // DynamoDB and DynamoDB Local are Java programs, which print bytes with a sign.
        let signed: Vec<i8> = bytes.iter().map(|byte| byte.cast_signed()).collect();
        for list in [format!("{bytes:?}"), format!("{signed:?}")] {
            self.text(list.trim_matches(['[', ']']));
        }
    }

    fn hide_in(&self, message: &str) -> String {
        // Overlapping values are marked first and replaced in one pass. Replacing one by one could
        // leave a part of another.
        let mut hidden = vec![false; message.len()];
        let unescaped = Unescaped::of(message);
        for text in &self.texts {
            for at in found(message, text) {
                hide(&mut hidden, at..at + text.len());
            }
            if let Some(message) = &unescaped {
                for at in found(&message.text, text) {
                    hide(&mut hidden, message.place(at..at + text.len()));
                }
            }
        }
        for (at, digits) in numbers(message) {
            let number: Option<Number> = digits.parse().ok();
            if number.is_some_and(|number| self.numbers.contains(&number)) {
                hide(&mut hidden, at..at + digits.len());
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

fn hide(hidden: &mut [bool], place: Range<usize>) {
    if let Some(place) = hidden.get_mut(place) {
        place.fill(true);
    }
}

/// A message with its escapes decoded: `\u00eb`, as in JSON, and `%C3%AB`, as in URLs.
struct Unescaped {
    text: String,
    /// The position of each byte of the text in the message, and last, the end of the message.
    places: Vec<usize>,
}

impl Unescaped {
    /// None if the message has no escape.
    fn of(message: &str) -> Option<Self> {
        if !message.contains('%') && !message.contains("\\u") {
            return None;
        }
        let (mut text, mut places) = (String::with_capacity(message.len()), Vec::new());
        let mut at = 0;
        while let Some(letter) = message.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = message.get(at..).unwrap_or_default();
            let (letter, length) = match letter {
                '%' => percent(rest),
                '\\' => code_point(rest),
                _ => None,
            }
            .unwrap_or((letter, letter.len_utf8()));
            text.push(letter);
            places.resize(text.len(), at);
            at += length;
        }
        places.push(at);
        Some(Unescaped { text, places })
    }

    /// The position of a part of the text in the message.
    fn place(&self, part: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.places.get(byte).copied().unwrap_or_default();
        at(part.start)..at(part.end)
    }
}

/// The letter of `%C3%AB`, and the length of that escape.
fn percent(text: &str) -> Option<(char, usize)> {
    let mut bytes = Vec::new();
    // UTF-8 has at most four bytes for a letter, and fewer bytes of one are not valid text.
    while bytes.len() < 4 {
        let digits = text.get(3 * bytes.len()..)?.strip_prefix('%')?.get(..2)?;
        bytes.push(hexadecimal(digits).and_then(|byte| u8::try_from(byte).ok())?);
        if let Ok(letter) = std::str::from_utf8(&bytes) {
            return Some((letter.chars().next()?, 3 * bytes.len()));
        }
    }
    None
}

/// The letter of `\u00eb`, or of two such escapes, and their length.
fn code_point(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        hexadecimal(digits).and_then(|unit| u16::try_from(unit).ok())
    };
    let first = unit(0)?;
    let units = [first].into_iter().chain(unit(6));
    let letter = char::decode_utf16(units).next()?.ok()?;
    Some((letter, 6 * letter.len_utf16()))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

/// The positions of a value as a separate word in a message.
fn found<'m>(message: &'m str, text: &'m str) -> impl Iterator<Item = usize> + 'm {
    let places = places(message, text).into_iter();
    places.filter(move |at| text.len() >= SHORTEST || stands_alone(message, *at, text))
}

/// The positions of a text in a message, including overlapping ones.
fn places(message: &str, text: &str) -> Vec<usize> {
    // This check is far cheaper than the search for all positions, and most values are not in a message.
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

/// Whether the text is not part of a longer word or number.
fn stands_alone(message: &str, at: usize, text: &str) -> bool {
    let (before, behind) = message.split_at(at);
    let behind = behind.get(text.len()..).unwrap_or_default();
    let is_joined = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(char::is_alphanumeric) && inner.is_some_and(char::is_alphanumeric)
    };
    !is_joined(before.chars().next_back(), text.chars().next())
        && !is_joined(behind.chars().next(), text.chars().next_back())
}

/// The possible numbers in a message, with their positions.
fn numbers(message: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    let words = message.split(move |letter| !is_part(letter));
    words.filter_map(|word| {
        // `split` returns no positions, but each word is a part of the message.
        let start = word.as_ptr() as usize - message.as_ptr() as usize;
        let digits = word.trim_matches(|letter: char| !letter.is_ascii_digit() && letter != '-');
        let offset = word.find(digits)?;
        (!digits.is_empty()).then_some((start + offset, digits))
    })
}

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        /// How many bodies were read, and how many values were spelt out.
        static COUNTS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
    }

    pub(super) fn body() {
        COUNTS.set((COUNTS.get().0 + 1, COUNTS.get().1));
    }

    pub(super) fn value() {
        COUNTS.set((COUNTS.get().0, COUNTS.get().1 + 1));
    }

    /// The counts since they were last taken.
    pub(super) fn take() -> (u32, u32) {
        COUNTS.take()
    }
}

#[cfg(test)]
mod tests {
    use super::super::refusal::{Refusal, refused_failure};
    use super::super::{Failure, FailureContext};
    use super::*;
    use crate::error::Stage;

    /// The failure of a request that is rejected, and how many bodies and values were looked at for it.
    fn refusal(code: &str, message: &str, reasons: &str, body: &str) -> (Failure, (u32, u32)) {
        let site = FailureContext {
            operation: "PutItem",
            body: body.as_bytes(),
            table: "notes",
            stage: Stage::Service,
            sent: true,
            unknown: false,
            has_stray: false,
        };
        let answer = format!(r#"{{"CancellationReasons":[{reasons}]}}"#);
        let refusal = Refusal {
            status: 400,
            code: Some(code),
            message: Some(message),
            request_id: None,
            body: answer.as_bytes(),
        };
        counted::take();
        (refused_failure(site, refusal), counted::take())
    }

    /// For example, a batch of long binaries and texts that is throttled.
    #[test]
    fn what_is_longer_than_the_words_is_not_spelt() {
        let long = "QUJD".repeat(25_000);
        let put = format!(
            r#"{{"PutRequest":{{"Item":{{"id":{{"S":"secret"}},"n":{{"N":"4711"}},"b":{{"B":"{long}"}},"bs":{{"BS":["{long}"]}},"s":{{"S":"{long}"}},"m":{{"M":{{"x":{{"L":[{{"S":"{long}"}}]}}}}}}}}}}}}"#
        );
        let puts = vec![put; 25].join(",");
        let body = format!(r#"{{"RequestItems":{{"notes":[{puts}]}}}}"#);
        let words = "the rate of secret and 4711 is too high";
        let (failure, (bodies, values)) = refusal("ThrottlingException", words, "", &body);
        let said = failure.error.to_string();
        assert!(
            said.contains("rate of (a value) and (a value) is"),
            "{said}"
        );
        // The key, the number, and the name in the map.
        assert_eq!((bodies, values), (1, 25 * 3));
    }

    #[test]
    fn the_values_of_a_transaction_are_read_once() {
        let put = r#"{"Put":{"TableName":"notes","Item":{"id":{"S":"secret"}}}}"#;
        let puts = [put; 10].join(",");
        let body = format!(r#"{{"TransactItems":[{puts}]}}"#);
        let reason = r#"{"Code":"ValidationError","Message":"secret is refused"}"#;
        let reasons = [reason; 10].join(",");
        let code = "TransactionCanceledException";
        let (failure, (bodies, values)) = refusal(code, "cancelled", &reasons, &body);
        let said = failure.error.to_string();
        assert_eq!(said.matches("(a value) is refused").count(), 10, "{said}");
        assert!(!said.contains("secret"), "{said}");
        assert_eq!((bodies, values), (1, 10));
    }

    /// Nothing of the request can be in such words, and nothing is taken out of them.
    #[test]
    fn words_that_are_always_the_same_hold_no_values() {
        let body = r#"{"TableName":"notes","Item":{"id":{"S":"table"}}}"#;
        for (code, words) in [
            (
                "ConditionalCheckFailedException",
                "The conditional request failed",
            ),
            (
                "ProvisionedThroughputExceededException",
                "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
            ),
            (
                "ValidationException",
                "The provided key element does not match the schema",
            ),
        ] {
            let (failure, looked_at) = refusal(code, words, "", body);
            assert_eq!(looked_at, (0, 0), "{code}");
            let is_shown = failure.condition.is_none();
            assert_eq!(failure.error.to_string().contains(words), is_shown);
        }
        let reason = r#"{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"},{"Code":"None"},{"Code":"ValidationError","Message":"The provided key element does not match the schema"}"#;
        let code = "TransactionCanceledException";
        let (_, looked_at) = refusal(code, "cancelled", reason, body);
        assert_eq!(looked_at, (0, 0));
    }

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

    /// Values are behind escapes in quoted JSON, in a URL, and in the words of a program that prints bytes.
    #[test]
    fn values_are_found_behind_escapes() {
        for (value, message, shown) in [
            (r#"{"S":"Zoë"}"#, r"{S:Zo\u00eb}", "{S:(a value)}"),
            (
                r#"{"S":"Zoë"}"#,
                r"{S:Zo\u00EB} Zoë",
                "{S:(a value)} (a value)",
            ),
            (r#"{"S":"😀 x"}"#, r"is \ud83d\ude00 x!", "is (a value)!"),
            (r#"{"S":"a<b"}"#, r"is a\u003cb", "is (a value)"),
            (r#"{"S":"a\"ë"}"#, r#"is a\u0022\u00eb"#, "is (a value)"),
            (r#"{"S":"Zoë"}"#, "/Zo%C3%AB/", "/(a value)/"),
            (r#"{"S":"Zoë"}"#, "/Zo%c3%ab", "/(a value)"),
            (r#"{"S":"a b@x"}"#, "?q=a%20b%40x&", "?q=(a value)&"),
            (r#"{"S":"a b@x"}"#, "?q=a+b%40x&", "?q=(a value)&"),
            (r#"{"S":"a b"}"#, "?q=a+b&", "?q=(a value)&"),
            (r#"{"S":"100%25"}"#, "is 100%25", "is (a value)"),
            (r#"{"S":"%"}"#, "is 7% of %25", "is 7(a value) of (a value)"),
            (
                r#"{"S":"x y z"}"#,
                r"50% \u \u12 \ud800 %zz %C3",
                r"50% \u \u12 \ud800 %zz %C3",
            ),
            (
                r#"{"B":"3q2+7w=="}"#,
                "of deadbeef and DEADBEEF",
                "of (a value) and (a value)",
            ),
            (r#"{"B":"3q2+7w=="}"#, "of 0xdeadbeef", "of (a value)"),
            (
                r#"{"B":"/w=="}"#,
                "of 0xff, ff and staff",
                "of (a value), (a value) and staff",
            ),
        ] {
            let body = format!(r#"{{"TableName":"t","Item":{{"n":{value}}}}}"#);
            assert_eq!(without_values(message, body.as_bytes()), shown, "{value}");
        }
    }

    /// The messages of servers about such values, in their formats.
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
