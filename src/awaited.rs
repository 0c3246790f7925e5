//! An operation that is awaited before it is sent.
//!
//! Otherwise the compiler would report that the operation is not a future, and suggest removing `.await`. These impls
//! hold for no type; they exist for their message.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::batch::{Batch, BatchReport};
use crate::bulk::{Bulk, BulkReport};
use crate::entity::DynamoEntity;
use crate::entity::guard::Guard;
use crate::items::{DeleteItem, GetItem, PutItem};
use crate::plan::Operation;
use crate::query::Query;
use crate::read::{BatchGet, Get, GetForm, GetMany, TransactGet};
use crate::transact::Transaction;
use crate::transfer::{Export, ExportReport, Import, ImportReport};
use crate::write::{Create, Delete, Idempotent, LookUp, Put, RetrySafe, Update, Upsert};

/// An operation that was sent. No operation is: what `send` returns is a [`Call`](crate::plan::Call).
#[diagnostic::on_unimplemented(
    message = "this operation was not sent",
    label = "nothing to await yet",
    note = "write `.send(&db)` before `.await`"
)]
pub trait Sent {}

/// A type of its own, so that the compiler speaks of it and not of `Future`.
#[derive(Debug)]
pub struct Unsent<O>(PhantomData<O>);

/// A query that was given a verb. None was: what a verb returns is a future of its own.
#[diagnostic::on_unimplemented(
    message = "no verb was called on this query",
    label = "nothing to await yet",
    note = "write a verb before `.await`: `.all(&db)`, `.page(&db)`, `.first(&db)`, `.count(&db)` ..; `.stream(&db)` is not awaited"
)]
pub trait SentOperation {}

macro_rules! awaited_too_early {
    // A type without parameters has a lifetime of its own in the bound: a bound of none is an error by itself.
    ($done:ident: $([$($generics:tt)*] $(@ $any:lifetime)? $operation:ty => $out:ty $(where Self: $bound:ident)?;)*) => {$(
        #[doc(hidden)]
        impl<$($generics)*> Future for $operation
        where
            $(for<$any>)? Unsent<$(&$any)? Self>: $done,
            $(Self: $bound,)?
        {
            type Output = crate::error::Result<$out>;

            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
                Poll::Pending
            }
        }
    )*};
}

awaited_too_early! { Sent:
    [E: DynamoEntity, F: GetForm<E>] Get<E, F> => <Self as Operation>::Out;
    [] @ 'a GetItem => <Self as Operation>::Out;
    [] @ 'a PutItem => ();
    [] @ 'a DeleteItem => ();
    [E: DynamoEntity] Create<'_, E> => E;
    [E: DynamoEntity, G: Guard] Put<'_, E, G> => E;
    [E: DynamoEntity, G: Guard, R] Delete<E, G, R> => <Self as Operation>::Out where Self: Operation;
    [E: DynamoEntity, R] Update<E, R> => <Self as Operation>::Out where Self: Operation;
    [E: DynamoEntity, R] Upsert<E, R> => <Self as Operation>::Out where Self: Operation;
    [O: Operation] Idempotent<O> => <Self as Operation>::Out where Self: Operation;
    [O: Operation] RetrySafe<O> => <Self as Operation>::Out where Self: Operation;
    [E: DynamoEntity, Keys, Row] GetMany<E, Keys, Row> => Vec<Option<Row>>;
    [E: DynamoEntity] LookUp<E> => Option<E>;
    [R] TransactGet<R> => ();
    [Members] BatchGet<Members> => ();
    [] Batch<'_> => BatchReport;
    [] Transaction<'_> => ();
    [] Bulk<'_> => BulkReport;
    [] Export<'_> => ExportReport;
    [] Import<'_> => ImportReport;
}

awaited_too_early! { SentOperation:
    [Row, From] Query<Row, From> => Vec<Row>;
}
