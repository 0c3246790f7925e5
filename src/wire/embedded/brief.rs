//! The requests that are small enough for a caller to execute them on its own thread.
//!
//! They wait neither for a disk nor for another caller, they take well under a millisecond, and they need little of the
//! caller's stack, although nested values and expressions are read by recursion. All others go to the thread of the
//! database, which has a large stack. These are above all reads of many items, which would block an async runtime.

/// The size of a request that is read and stored quickly.
const MOST_BYTES: usize = 16 * 1024;
/// The largest nesting depth of the JSON of a request, and the largest number of parentheses and NOTs in its
/// expressions.
const MOST_NESTED: usize = 32;

/// Whether the request may be answered at once.
pub(super) fn is_brief(operation: &str, body: &[u8]) -> bool {
    let is_of_one = matches!(
        operation,
        "GetItem"
            | "PutItem"
            | "UpdateItem"
            | "DeleteItem"
            | "TransactWriteItems"
            | "CreateTable"
            | "DescribeTable"
            | "DescribeTimeToLive"
            | "UpdateTimeToLive"
    );
    is_of_one
        && body.len() <= MOST_BYTES
        // The engine reads values and expressions by recursion, and the stack of a caller may be
        // small.
        && nesting_depth(body) <= MOST_NESTED
        && count_branches(body) <= MOST_NESTED
}

/// How deep the JSON is nested.
fn nesting_depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            // A quotation mark after a backslash does not end a text, so brackets in values are not
            // counted.
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// How many parentheses are opened and how often NOT is written, in values too: more are counted than there are.
fn count_branches(body: &[u8]) -> usize {
    let opened = body.iter().filter(|byte| **byte == b'(').count();
    let negated = body
        .windows(3)
        .filter(|word| word.eq_ignore_ascii_case(b"not"));
    opened + negated.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_small_item_is_brief() {
        let get = br#"{"TableName":"notes","Key":{"pk":{"S":"a"}}}"#;
        assert!(is_brief("GetItem", get));
        for many in [
            "Query",
            "Scan",
            "BatchGetItem",
            "TransactGetItems",
            "ExecuteStatement",
        ] {
            assert!(!is_brief(many, get), "{many}");
        }
    }

    #[test]
    fn what_is_large_deep_or_branched_is_not() {
        let with = |value: &str| format!(r#"{{"Item":{{"v":{value}}}}}"#);
        let fits = |value: &str| is_brief("PutItem", with(value).as_bytes());
        let nested = |levels: usize| [&*"[".repeat(levels), &*"]".repeat(levels)].concat();
        assert!(fits(&nested(MOST_NESTED - 2)));
        assert!(!fits(&nested(MOST_NESTED - 1)));
        // Brackets in texts are none, and do not hide others.
        assert!(fits(&format!("{:?}", nested(100))));
        assert!(!fits(&format!(
            "[{:?},{}]",
            "]".repeat(100),
            nested(MOST_NESTED)
        )));
        assert!(!fits(&format!("[\"\\\"\",{}]", nested(MOST_NESTED))));
        assert!(fits(&format!("{:?}", "(".repeat(MOST_NESTED))));
        assert!(!fits(&format!("{:?}", "(".repeat(MOST_NESTED + 1))));
        assert!(!fits(&format!("{:?}", "nOt ".repeat(MOST_NESTED + 1))));
        assert!(!fits(&format!("{:?}", "x".repeat(MOST_BYTES))));
    }
}
