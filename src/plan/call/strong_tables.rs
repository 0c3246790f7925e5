//! Strongly consistent global tables, which have no transactions. DynamoDB has no error of its own for that, so the
//! table is described if a transaction is rejected without a known reason. The result is kept, and later transactions
//! are rejected before they are sent.

use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::schema::ReplicaConsistency;
use crate::wire::{Failure, Request, ServiceOperation, table};

/// The maximum number of tables of a transaction that are described.
const MOST_DESCRIBED: usize = 5;

/// The rejection of a transaction with a table that is known to have no transactions.
pub(crate) fn refused_request(request: &Request, db: &Dynamo) -> Option<Failure> {
    if !is_transaction(request) || db.strong_tables().is_none_known() {
        return None;
    }
    let mut tables = tables_of(request).into_iter();
    let table = tables.find(|table| db.strong_tables().is_strong(table) == Some(true))?;
    let operation = request.operation.operation_name();
    Some(strong_error(operation, &table, Stage::Request).into())
}

/// Returns an error if a table has no transactions. A table that may not be described passes.
#[cfg(feature = "streams")]
pub(crate) async fn check_transactions(what: &str, table: &str, db: &Dynamo) -> Result<()> {
    match is_strong(table, db).await {
        true => Err(strong_error(what, table, Stage::Request)),
        false => Ok(()),
    }
}

/// Whether a rejection may be that of a table without transactions: the service rejected the whole request and gave no
/// reason that is known.
pub(crate) fn may_be_why(failure: &Failure, request: &Request) -> bool {
    let kind = failure.error.kind();
    is_transaction(request)
        && failure.reasons.is_empty()
        && matches!(kind, ErrorKind::Rejected | ErrorKind::Service)
        && !matches!(
            failure.error.code(),
            None | Some("IdempotentParameterMismatchException" | "TransactionCanceledException")
        )
}

/// The same failure, or the one that names the table without transactions.
pub(crate) async fn explain_strong(failure: Failure, request: &Request, db: &Dynamo) -> Failure {
    for table in tables_of(request).into_iter().take(MOST_DESCRIBED) {
        if is_strong(&table, db).await {
            let operation = request.operation.operation_name();
            let error = strong_error(operation, &table, Stage::Service)
                .with_code(failure.error.code())
                .with_request_id(failure.error.request_id());
            return Failure { error, ..failure };
        }
    }
    failure
}

/// A table that the caller may not describe counts as any other.
async fn is_strong(name: &str, db: &Dynamo) -> bool {
    if let Some(is_strong) = db.strong_tables().is_strong(name) {
        return is_strong;
    }
    let Ok(wire) = db.table_wire() else {
        return false;
    };
    let Ok(Some(found)) = table::describe_table(wire, name).await else {
        return false;
    };
    let replicas = found.schema.settings.replicas;
    let is_strong =
        replicas.is_some_and(|replicas| replicas.consistency == ReplicaConsistency::Strong);
    db.strong_tables().learn_table(name, is_strong);
    is_strong
}

fn is_transaction(request: &Request) -> bool {
    matches!(
        request.operation,
        ServiceOperation::TransactWriteItems | ServiceOperation::TransactGetItems
    )
}

fn strong_error(what: &str, table: &str, stage: Stage) -> Error {
    let message = format!(
        "{what} is not possible: `{table}` is a strongly consistent global table, and those have no transactions, which unique \
         values, `.idempotent()`, `transact` and `transact_get` need too. Write each item by itself, guarded by a condition or a \
         version, or keep these items in a table without replicas"
    );
    Error::new(ErrorKind::NoTransactions, stage, message)
}

/// The tables of a transaction, each once.
fn tables_of(request: &Request) -> Vec<String> {
    let mut tables = read_tables(&request.body).unwrap_or_default();
    tables.sort_unstable();
    tables.dedup();
    tables
}

fn read_tables(body: &[u8]) -> Result<Vec<String>, CodecError> {
    let list = find_member(body, "TransactItems")?.unwrap_or(b"[]");
    let mut tables = Vec::new();
    for operation in array_elements(list)? {
        for (_, inner) in object_members(operation)? {
            if let Some(name) = find_member(inner, "TableName")? {
                tables.push(Reader::new(name).string()?.into_owned());
            }
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_of_a_transaction_is_named_once() {
        let body = br#"{"TransactItems":[{"Put":{"TableName":"b","Item":{}}},{"Get":{"TableName":"a"}},{"ConditionCheck":{"TableName":"b","Key":{}}}],"ClientRequestToken":"x"}"#;
        let mut tables = read_tables(body).unwrap();
        tables.sort_unstable();
        assert_eq!(tables, ["a", "b", "b"]);
        assert!(read_tables(b"{}").unwrap().is_empty());
    }
}
