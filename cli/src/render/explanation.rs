//! The requests that would be sent, and their cost.

use dynamo_entity::plan::{Cost, Explanation};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::text::{visible_json, visible_json_line};

/// For people: the operation, the requests, the units.
pub(crate) fn explanation(explanation: &Explanation, cost: &Cost) -> Result<String, Failure> {
    let operation = match is_read_first(explanation) {
        true => "GetItem, then TransactWriteItems",
        false => explanation.operation.unwrap_or("nothing"),
    };
    let mut text = format!("{operation} of {}", explanation.table);
    if let Some(index) = &explanation.index {
        text += &format!(", index {index}");
    }
    text.push('\n');
    for request in &explanation.requests {
        let pretty = serde_json::to_string_pretty(&parsed(request)?);
        text += &pretty.map_err(|error| Failure::said(error.to_string()))?;
        text.push('\n');
    }
    if is_read_first(explanation) {
        text += "The item is read first (GetItem) for its unique values, and the write depends on the result.\n\
                 The write and the units below are those if no item is found; conditions that require an item contradict that.\n\
                 If an item is found, the write requires that it is unchanged since the read, and also deletes the unique values\n\
                 that are released, each for units of its own.\n";
    }
    if explanation.is_filtering() {
        text += "The service reads rows that it then omits, and charges for them.\n";
    }
    text += &format!("{cost}\n");
    Ok(visible_json(&text).into_owned())
}

/// Whether the shown write is the one for an item that does not exist. The write that is sent depends on a read before
/// it.
fn is_read_first(explanation: &Explanation) -> bool {
    explanation.operation == Some("TransactWriteItems") && explanation.requests.len() > 1
}

/// For programs.
pub(crate) fn explanation_json(explanation: &Explanation, cost: &Cost) -> Result<String, Failure> {
    let requests: Result<Vec<Value>, Failure> = explanation
        .requests
        .iter()
        .map(|request| parsed(request))
        .collect();
    let pattern = explanation
        .pattern
        .map(|pattern| json!({ "entity": pattern.entity, "name": pattern.name }));
    let said = json!({
        "pattern": pattern,
        "operation": explanation.operation,
        "table": explanation.table,
        "index": explanation.index,
        "requests": requests?,
        "filters": explanation.is_filtering(),
        "readFirst": is_read_first(explanation),
        "readUnits": cost.read_units(),
        "writeUnits": cost.write_units(),
        "cost": cost.to_string(),
    });
    Ok(visible_json_line(said))
}

fn parsed(request: &str) -> Result<Value, Failure> {
    serde_json::from_str(request).map_err(|error| Failure::said(error.to_string()))
}
