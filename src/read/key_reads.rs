//! Reads by keys, as members of one request.

use std::fmt;

use crate::clock::Timestamp;
use crate::entity::DynamoEntity;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::read::{Get, GetForm};
use crate::tuples::each_tuple;

pub(super) mod sealed {
    pub trait Sealed {}
}

/// Reads by keys as members of one request: a [`get`](crate::entity::Key::get), in a [`batch_get`](crate::batch_get)
/// also a [`get_many`](crate::verbs::EntityExt::get_many), a `Vec`, an array or a tuple of up to 16 of these, and
/// combinations.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a read by keys that this request takes",
    label = "expected a `get`, or several in a tuple, an array or a `Vec`",
    note = "`batch_get` also takes `get_many`: write `batch_get((User::get_many(..), Order::key(..).get()))`",
    note = "`transact_get` takes only `get`: write `transact_get((User::key(..).get(), Order::key(..).get()))`"
)]
pub trait KeyReads<Request: ReadRequest> {
    /// The results, in the same form.
    type Out: Send + 'static;

    /// Adds the keys to the request; returns how their results are read from the response.
    #[doc(hidden)]
    fn plan_reads(self, request: &mut Request) -> Result<FoundReader<Request, Self::Out>>;
}

/// A request that reads by keys, under construction.
pub trait ReadRequest: sealed::Sealed + Sized + 'static {
    /// The items of the response.
    #[doc(hidden)]
    type Found;

    #[doc(hidden)]
    fn add_get<E: DynamoEntity, F: GetForm<E>>(
        &mut self,
        get: Get<E, F>,
    ) -> Result<FoundReader<Self, Option<F::Row>>>;
}

type ReadResults<Found, Out> = dyn FnOnce(&mut Found, Timestamp) -> Result<Out> + Send;

/// Reads the results of members from the items of a response, as of a time.
pub struct FoundReader<Request: ReadRequest, Out>(Box<ReadResults<Request::Found, Out>>);

impl<Request: ReadRequest, Out> FoundReader<Request, Out> {
    pub(crate) fn new(
        read: impl FnOnce(&mut Request::Found, Timestamp) -> Result<Out> + Send + 'static,
    ) -> Self {
        FoundReader(Box::new(read))
    }

    pub(crate) fn read_found(self, found: &mut Request::Found, now: Timestamp) -> Result<Out> {
        (self.0)(found, now)
    }
}

impl<Request: ReadRequest, Out> fmt::Debug for FoundReader<Request, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FoundReader")
    }
}

impl<E, F, Request> KeyReads<Request> for Get<E, F>
where
    E: DynamoEntity,
    F: GetForm<E>,
    Request: ReadRequest,
{
    type Out = Option<F::Row>;

    fn plan_reads(self, request: &mut Request) -> Result<FoundReader<Request, Self::Out>> {
        request.add_get(self)
    }
}

impl<Request: ReadRequest, R: KeyReads<Request>> KeyReads<Request> for Vec<R> {
    type Out = Vec<R::Out>;

    fn plan_reads(self, request: &mut Request) -> Result<FoundReader<Request, Self::Out>> {
        let readers = self.into_iter().map(|read| read.plan_reads(request));
        let readers: Vec<_> = readers.collect::<Result<_>>()?;
        Ok(FoundReader::new(move |found, now| {
            let results = readers.into_iter().map(|read| read.read_found(found, now));
            results.collect()
        }))
    }
}

impl<Request: ReadRequest, R: KeyReads<Request>, const N: usize> KeyReads<Request> for [R; N] {
    type Out = [R::Out; N];

    fn plan_reads(self, request: &mut Request) -> Result<FoundReader<Request, Self::Out>> {
        let reader = Vec::from(self).plan_reads(request)?;
        Ok(FoundReader::new(move |found, now| {
            let results = reader.read_found(found, now)?;
            <[R::Out; N]>::try_from(results).map_err(|_| {
                let message = "the number of items in the response is not that of the request";
                Error::new(ErrorKind::Service, Stage::Service, message)
            })
        }))
    }
}

macro_rules! members {
    ($($member:ident)+) => {
        #[allow(non_snake_case, reason = "the names of the types serve as variables")]
        impl<Request: ReadRequest, $($member: KeyReads<Request>),+> KeyReads<Request> for ($($member,)+) {
            type Out = ($($member::Out,)+);

            fn plan_reads(self, request: &mut Request) -> Result<FoundReader<Request, Self::Out>> {
                let ($($member,)+) = self;
                $(let $member = $member.plan_reads(request)?;)+
                Ok(FoundReader::new(move |found, now| Ok(($($member.read_found(found, now)?,)+))))
            }
        }
    };
}

each_tuple!(members: A B C D E F G H I J K L M N O P);
