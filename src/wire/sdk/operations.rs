//! The types that the SDK insists on, one line per operation: its own output and error.

use aws_sdk_dynamodb::error::ErrorMetadata;
use aws_smithy_runtime_api::client::interceptors::context::{Error, Output};

use crate::wire::request::ServiceOperation;

macro_rules! operations {
    ($($(#[$meta:meta])* $operation:ident: $module:ident, $output:ident, $error:ident;)+) => {
        impl ServiceOperation {
            pub(super) fn blank_output(self) -> Output {
                match self {
                    $($(#[$meta])* ServiceOperation::$operation => Output::erase(
                        aws_sdk_dynamodb::operation::$module::$output::builder().build(),
                    ),)+
                }
            }

            pub(super) fn refusal_error(self, refusal: ErrorMetadata) -> Error {
                match self {
                    $($(#[$meta])* ServiceOperation::$operation => Error::erase(
                        aws_sdk_dynamodb::operation::$module::$error::generic(refusal),
                    ),)+
                }
            }
        }
    };
}

operations! {
    GetItem: get_item, GetItemOutput, GetItemError;
    PutItem: put_item, PutItemOutput, PutItemError;
    UpdateItem: update_item, UpdateItemOutput, UpdateItemError;
    DeleteItem: delete_item, DeleteItemOutput, DeleteItemError;
    Query: query, QueryOutput, QueryError;
    Scan: scan, ScanOutput, ScanError;
    BatchGetItem: batch_get_item, BatchGetItemOutput, BatchGetItemError;
    BatchWriteItem: batch_write_item, BatchWriteItemOutput, BatchWriteItemError;
    TransactWriteItems: transact_write_items, TransactWriteItemsOutput, TransactWriteItemsError;
    TransactGetItems: transact_get_items, TransactGetItemsOutput, TransactGetItemsError;
    #[cfg(feature = "vectors")]
    SearchVectors: search_vectors, SearchVectorsOutput, SearchVectorsError;
}
