//! An operation that is awaited before it is sent.
//!
//! Otherwise the compiler would report that the operation is not a future, and suggest removing `.await`. The impls of
//! [`unsent`] hold for no type; they exist for their message. The type of each operation is declared together with one,
//! because `Future` cannot be implemented for all types with an own trait.

use std::marker::PhantomData;

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

/// Declares an operation that is no future before it was sent, with the type of its result; without one, it is that of the
/// [`Operation`](crate::plan::Operation). The third form is for types without parameters: their bounds need a lifetime,
/// because a bound without parameters would be an error by itself.
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
