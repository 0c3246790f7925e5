//! An operation that is awaited before it is sent.
//!
//! The compiler would say that it is no future, and to remove `.await`. These impls hold for no type;
//! they are there for what is said instead.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{
    Create, Delete, Get, GetForm, Guard, Idempotent, Operation, Put, Repeatable, Update, Upsert,
};
use crate::entity::DynamoEntity;

/// An operation that was sent. No operation is: what `send` returns is a [`Call`](super::Call).
#[diagnostic::on_unimplemented(
    message = "this operation was not sent",
    label = "nothing to await yet",
    note = "write `.send(&db)` before `.await`"
)]
pub trait Sent {}

/// A type of its own, so that the compiler speaks of it and not of `Future`.
#[derive(Debug)]
pub struct Unsent<O>(PhantomData<O>);

macro_rules! awaited_too_early {
    ($([$($generics:tt)*] $operation:ty;)*) => {$(
        #[doc(hidden)]
        impl<$($generics)*> Future for $operation
        where
            Self: Operation,
            Unsent<Self>: Sent,
        {
            type Output = crate::error::Result<<Self as Operation>::Out>;

            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
                Poll::Pending
            }
        }
    )*};
}

awaited_too_early! {
    [E: DynamoEntity, F: GetForm<E>] Get<E, F>;
    [E: DynamoEntity] Create<'_, E>;
    [E: DynamoEntity, G: Guard] Put<'_, E, G>;
    [E: DynamoEntity, G: Guard, R] Delete<E, G, R>;
    [E: DynamoEntity, R] Update<E, R>;
    [E: DynamoEntity, R] Upsert<E, R>;
    [O: Operation] Idempotent<O>;
    [O: Operation] Repeatable<O>;
}
