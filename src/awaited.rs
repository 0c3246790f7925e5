//! An operation that is awaited before it is sent.
//!
//! Otherwise the compiler would report that the operation is not a future, and suggest removing `.await`. The impls of
//! [`unsent`] apply to no type; they exist only for their message. Each operation needs its own impl, because Rust does
//! not allow one impl of `Future` for all types with a trait of this crate.

use std::marker::PhantomData;

/// An operation that was sent. No operation implements it, because `send` returns a [`Call`](crate::plan::Call).
#[diagnostic::on_unimplemented(
    message = "this operation was not sent",
    label = "nothing to await yet",
    note = "write `.send(&db)` before `.await`"
)]
pub trait Sent {}

/// A separate type, so that the message of the compiler is about it and not about `Future`.
#[derive(Debug)]
pub struct Unsent<O>(PhantomData<O>);

/// A query with a verb. No query implements it, because a verb returns a separate future.
#[diagnostic::on_unimplemented(
    message = "no verb was called on this query",
    label = "nothing to await yet",
    note = "write a verb before `.await`: `.all(&db)`, `.page(&db)`, `.first(&db)`, `.count(&db)` ..; `.stream(&db)` is not awaited"
)]
pub trait SentOperation {}

/// Declares an operation that is not a future before it is sent, with the type of its result. The default is the result
/// of its [`Operation`](crate::plan::Operation). The third form is for types without parameters: their bounds need a
/// lifetime, because a bound without parameters would itself be an error.
macro_rules! unsent {
    ([$($generics:tt)*] $operation:ty) => {
        $crate::awaited::unsent! {
            Sent: [$($generics)*] $operation => <Self as $crate::plan::Operation>::Out,
            Self: $crate::plan::Operation
        }
    };
    ([$($generics:tt)*] $operation:ty => $out:ty) => {
        $crate::awaited::unsent! { Sent: [$($generics)*] $operation => $out, }
    };
    (@ $any:lifetime $operation:ty => $out:ty) => {
        $crate::awaited::unsent! { Sent: [] @ $any $operation => $out, }
    };
    ($done:ident: [$($generics:tt)*] $(@ $any:lifetime)? $operation:ty => $out:ty, $($bound:tt)*) => {
        #[doc(hidden)]
        impl<$($generics)*> std::future::Future for $operation
        where
            $(for<$any>)? $crate::awaited::Unsent<$(&$any)? Self>: $crate::awaited::$done,
            $($bound)*
        {
            type Output = $crate::error::Result<$out>;

            fn poll(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Self::Output> {
                std::task::Poll::Pending
            }
        }
    };
}

pub(crate) use unsent;
