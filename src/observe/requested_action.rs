//! The actions of a request, with their table or index, by the names of IAM.

use std::borrow::Cow;

use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::wire::{Request, ServiceOperation};

/// A permission that a request needs; see [`RequestEvent::actions`](super::RequestEvent::actions).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct RequestedAction<'r> {
    /// The IAM action without `dynamodb:`, for example `PutItem`.
    pub action: &'static str,
    /// The table's full name.
    pub table: Cow<'r, str>,
    /// The index, if one is read.
    pub index: Option<Cow<'r, str>>,
}

/// The actions of a request, each once. A transaction has none of its own: it has those of its operations.
pub(super) fn requested_actions(request: &Request) -> Vec<RequestedAction<'_>> {
    use ServiceOperation::{BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems};
    let found = match request.operation {
        BatchGetItem | BatchWriteItem => of_batch(request),
        TransactGetItems | TransactWriteItems => of_transaction(request),
        _ => of_one(request),
    };
    // This library has written the request, so reading it never fails.
    let mut actions = found.unwrap_or_default();
    actions.sort();
    actions.dedup();
    actions
}

fn of_one(request: &Request) -> Result<Vec<RequestedAction<'_>>, CodecError> {
    let index = find_member(&request.body, "IndexName")?;
    let index = index.map(|name| Reader::new(name).string()).transpose()?;
    Ok(vec![RequestedAction {
        action: request.operation.operation_name(),
        table: Cow::from(&request.table),
        index,
    }])
}

fn of_batch(request: &Request) -> Result<Vec<RequestedAction<'_>>, CodecError> {
    let tables = object_members(find_member(&request.body, "RequestItems")?.unwrap_or(b"{}"))?;
    let tables = tables.into_iter().map(|(table, _)| RequestedAction {
        action: request.operation.operation_name(),
        table,
        index: None,
    });
    Ok(tables.collect())
}

fn of_transaction(request: &Request) -> Result<Vec<RequestedAction<'_>>, CodecError> {
    let mut actions = Vec::new();
    for operation in array_elements(find_member(&request.body, "TransactItems")?.unwrap_or(b"[]"))?
    {
        for (name, inner) in object_members(operation)? {
            let action = match &*name {
                "Get" => "GetItem",
                "Put" => "PutItem",
                "Update" => "UpdateItem",
                "Delete" => "DeleteItem",
                // IAM has an action of its own for checks, although the API has none.
                "ConditionCheck" => "ConditionCheckItem",
                _ => continue,
            };
            let Some(table) = find_member(inner, "TableName")? else {
                continue;
            };
            actions.push(RequestedAction {
                action,
                table: Reader::new(table).string()?,
                index: None,
            });
        }
    }
    Ok(actions)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::json::Writer;
    use crate::schema::Pattern;
    use crate::wire::Resend;

    static PATTERN: Pattern = Pattern::alone("A", "put");

    fn told(operation: ServiceOperation, body: &'static str) -> Vec<String> {
        let table = "orders".to_owned();
        let mut request = Request::new(
            operation,
            &PATTERN,
            table,
            Writer::default(),
            Resend::Always,
        );
        request.body = Bytes::from_static(body.as_bytes());
        let actions = requested_actions(&request);
        let shown = actions.iter().map(|action| {
            let index = action.index.as_ref().map(|index| format!("/{index}"));
            format!(
                "{} {}{}",
                action.action,
                action.table,
                index.unwrap_or_default()
            )
        });
        shown.collect()
    }

    #[test]
    fn each_operation_by_its_actions() {
        use ServiceOperation::*;
        for (operation, body, actions) in [
            (
                GetItem,
                r#"{"TableName":"orders","Key":{}}"#,
                &["GetItem orders"][..],
            ),
            (Query, r#"{"TableName":"orders"}"#, &["Query orders"]),
            (
                Query,
                r#"{"TableName":"orders","IndexName":"by_status"}"#,
                &["Query orders/by_status"],
            ),
            (Scan, "{}", &["Scan orders"]),
            (
                BatchGetItem,
                r#"{"RequestItems":{"orders":{"Keys":[]},"users":{"Keys":[]}}}"#,
                &["BatchGetItem orders", "BatchGetItem users"],
            ),
            (
                BatchWriteItem,
                r#"{"RequestItems":{"orders":[{"PutRequest":{}},{"DeleteRequest":{}}]}}"#,
                &["BatchWriteItem orders"],
            ),
            (
                TransactGetItems,
                r#"{"TransactItems":[{"Get":{"TableName":"orders"}},{"Get":{"TableName":"orders"}}]}"#,
                &["GetItem orders"],
            ),
            (
                TransactWriteItems,
                r#"{"TransactItems":[{"Update":{"TableName":"orders"}},{"Put":{"TableName":"users"}},
                    {"Delete":{"TableName":"orders"}},{"ConditionCheck":{"TableName":"orders"}}]}"#,
                &[
                    "ConditionCheckItem orders",
                    "DeleteItem orders",
                    "PutItem users",
                    "UpdateItem orders",
                ],
            ),
        ] {
            assert_eq!(told(operation, body), actions, "{body}");
        }
        assert!(told(BatchGetItem, "nonsense").is_empty());
    }
}
