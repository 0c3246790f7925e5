//! Finds the item on which a condition was checked, if the server does not return it.
//!
//! Compatible servers may not support `ReturnValuesOnConditionCheckFailure`. If a server has not returned an item
//! yet, a response without one does not mean that none exists: a strong read decides. It comes after the write, so it
//! shows a later moment; a write that continues from it is guarded by the values that were read.

use std::borrow::Borrow;
use std::sync::Arc;

use bytes::Bytes;

use super::strong_read::read_item;
use super::{contend, strong_tables};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, Writer, array_elements, find_member, object_members};
use crate::plan::keys::{ItemKeys, KeyNames};
use crate::wire::{
    BoxFuture, ConditionFailed, Failure, Reply, Request, Resend, ServiceOperation, TokenLife,
};

/// Sends a request. A failed condition is returned with the item on which it was checked.
pub(super) fn confirmed_call(
    db: &Dynamo,
    request: Request,
    keys: ItemKeys,
) -> BoxFuture<'_, Result<Reply, Failure>> {
    if let Some(refused) = strong_tables::refused_request(&request, db) {
        Box::pin(std::future::ready(Err(refused)))
    } else if request.operation.meets_transactions() {
        // All attempts share one token, whose age counts from the first of them.
        let token: Option<Arc<TokenLife>> = (request.resend == Resend::ByToken).then(Arc::default);
        send_confirmed(db, request, keys, token)
    } else {
        db.call_service(request)
    }
}

/// Sends a transaction that may have been sent before, with the same token.
pub(super) fn call_again<'r>(
    db: &'r Dynamo,
    request: &'r Request,
    keys: ItemKeys,
    token: &'r Arc<TokenLife>,
) -> BoxFuture<'r, Result<Reply, Failure>> {
    send_confirmed(db, request, keys, Some(token))
}

/// The future owns the request and the token if nothing else does. This is not an `async fn`, because the future of one
/// contains its arguments twice.
fn send_confirmed<'r>(
    db: &'r Dynamo,
    request: impl Borrow<Request> + Send + Sync + 'r,
    keys: ItemKeys,
    token: Option<impl Borrow<Arc<TokenLife>> + Send + Sync + 'r>,
) -> BoxFuture<'r, Result<Reply, Failure>> {
    Box::pin(async move {
        let request = request.borrow();
        let token = token.as_ref().map(Borrow::borrow);
        let sent = contend::repeat_contended(db, request, token).await;
        // It is noted also for a success: an earlier attempt may still arrive, and the next writer
        // of this item must know that.
        db.note_stray(request, &sent);
        match sent {
            Ok(reply) => Ok(reply),
            // Boxed: the rare future must not enlarge every call.
            Err(failure) => Err(Box::pin(confirm_failure(failure, request, keys, db)).await),
        }
    })
}

/// The failure with the item on which its condition was checked, if the server does not return it, or with the reason
/// for which a table has no transactions. The failure of a later attempt is omitted if it would need a read.
async fn confirm_failure(
    mut failure: Failure,
    request: &Request,
    keys: ItemKeys,
    db: &Dynamo,
) -> Failure {
    // The outcome is unknown, so a read now would say nothing about it. It would show the item
    // before or after the attempt that may still arrive.
    if let Some(refusal) = failure.refusal.take() {
        let is_told = !is_needed(&refusal, request.operation, db);
        failure.refusal = Some(refusal).filter(|_| is_told);
        failure
    } else if strong_tables::may_be_why(&failure, request) {
        strong_tables::explain_strong(failure, request, db).await
    } else if is_needed(&failure, request.operation, db) {
        with_items(failure, request, keys, db).await
    } else {
        failure
    }
}

/// Whether a condition failed without an item, so that a read has to determine its meaning. Records the capability
/// that the failure shows.
fn is_needed(failure: &Failure, operation: ServiceOperation, db: &Dynamo) -> bool {
    let Some(condition) = &failure.condition else {
        return false;
    };
    let mut reasons = failure.reasons.iter();
    // One item proves that the server returns items with this operation. From then on, a failure
    // without an item means that none exists.
    if condition.item.is_some() || reasons.any(|reason| reason.item.is_some()) {
        if !db.sends_items(operation) {
            db.learn_that_it_sends(operation);
        }
        return false;
    }
    !db.sends_items(operation)
}

/// The same failure with the current items.
async fn with_items(
    mut failure: Failure,
    request: &Request,
    keys: ItemKeys,
    db: &Dynamo,
) -> Failure {
    for at in failed_places(&failure) {
        // The table and the key are taken from the body, so that a planned request need not keep a
        // copy of them for this rare case.
        let read = match place_of(request, at, &keys) {
            Ok(Some((table, key))) => read_item(db, request.pattern, &table, &key).await,
            Ok(None) | Err(_) => Ok(None),
        };
        let item = match read {
            Ok(item) => item,
            // A caller that may write but not read cannot confirm anything, so the missing item counts as a missing
            // row.
            Err(error) if error.kind() == ErrorKind::AccessDenied => {
                db.learn_that_it_may_not_confirm();
                None
            }
            Err(error) => return unread_failure(&failure, request.operation, error).into(),
        };
        if let Some(reason) = failure.reasons.get_mut(at) {
            reason.item.clone_from(&item);
        }
        fill_item(&mut failure.condition, item);
    }
    failure
}

/// The positions of the operations whose conditions failed; a single write is the first and only one.
fn failed_places(failure: &Failure) -> Vec<usize> {
    if failure.reasons.is_empty() {
        return vec![0];
    }
    let reasons = failure.reasons.iter().enumerate();
    let failed = reasons.filter(|(_, reason)| reason.is_condition());
    failed.map(|(at, _)| at).collect()
}

/// Keeps the first item, because the error of the whole request is that of its first failed condition.
fn fill_item(condition: &mut Option<ConditionFailed>, item: Option<Bytes>) {
    if let Some(condition) = condition {
        condition.item = condition.item.take().or(item);
    }
}

/// The error of a write that wrote nothing, for a reason that could not be read.
fn unread_failure(failure: &Failure, operation: ServiceOperation, error: Error) -> Error {
    let message = format!(
        "the condition of this {} does not hold, and the item that it was checked on could not be read",
        operation.operation_name()
    );
    Error::new(error.kind(), Stage::Service, message)
        .with_code(failure.error.code())
        .with_request_id(failure.error.request_id())
        .with_source(error)
}

/// The table and the key of the item of an operation.
fn place_of(
    request: &Request,
    at: usize,
    keys: &ItemKeys,
) -> Result<Option<(String, Vec<u8>)>, CodecError> {
    if request.operation != ServiceOperation::TransactWriteItems {
        let key = key_of(&request.body, keys.names_at(at))?;
        return Ok(key.map(|key| (request.table.clone(), key)));
    }
    let list = find_member(&request.body, "TransactItems")?.unwrap_or(b"[]");
    let Some(operation) = array_elements(list)?.into_iter().nth(at) else {
        return Ok(None);
    };
    let Some((_, body)) = object_members(operation)?.into_iter().next() else {
        return Ok(None);
    };
    let Some(table) = find_member(body, "TableName")? else {
        return Ok(None);
    };
    let table = Reader::new(table).string()?.into_owned();
    Ok(key_of(body, keys.names_at(at))?.map(|key| (table, key)))
}

/// The key in this body, or that of its item.
fn key_of(body: &[u8], names: Option<KeyNames>) -> Result<Option<Vec<u8>>, CodecError> {
    if let Some(key) = find_member(body, "Key")? {
        return Ok(Some(key.to_vec()));
    }
    let (Some(item), Some((pk, sk))) = (find_member(body, "Item")?, names) else {
        return Ok(None);
    };
    let mut key = Writer::for_request(128);
    key.push_raw("{");
    for name in [pk].into_iter().chain(sk) {
        let Some(value) = find_member(item, name)? else {
            return Ok(None);
        };
        key.dynamic_name(name);
        key.raw_bytes(value);
    }
    key.push_raw("}");
    Ok(Some(key.into_bytes()))
}
