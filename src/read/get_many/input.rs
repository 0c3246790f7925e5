//! The source of keys: an iterator or a stream.

use std::fmt;
use std::pin::Pin;

use futures_core::Stream;
use futures_util::StreamExt;

use super::asked::primary_key;
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::key::json::KeyJson;

/// A key of the entity `E`, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "this is no key of `{E}`",
    label = "keys of `{E}` are read here, and this gives `{Self}`",
    note = "write `{E}::key(..)`, or `.key()` of an entity"
)]
pub trait KeyOf<E: DynamoEntity> {
    /// The key.
    #[doc(hidden)]
    fn as_key(&self) -> &Key<E>;
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> KeyOf<E> for Key<E> {
    fn as_key(&self) -> &Key<E> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity, K: KeyOf<E>> KeyOf<E> for &K {
    fn as_key(&self) -> &Key<E> {
        (**self).as_key()
    }
}

/// Keys from an iterator.
#[derive(Debug)]
pub struct Listed<I>(pub(super) I);

/// Keys from a stream.
#[derive(Debug)]
pub struct Streamed<S>(pub(super) S);

/// Primary keys as they arrive.
pub struct PrimaryKeys(pub(super) Pin<Box<dyn Stream<Item = Result<KeyJson>> + Send>>);

impl fmt::Debug for PrimaryKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrimaryKeys")
    }
}

/// Keys that outlive the call.
#[diagnostic::on_unimplemented(
    message = "these keys cannot be streamed",
    label = "a stream outlives this call, so it needs owned keys",
    note = "give `get_many` keys that own their parts, such as a `Vec<Key<..>>`, and that are `Send`"
)]
pub trait KeyInput<E: DynamoEntity> {
    #[doc(hidden)]
    fn primary_keys(self) -> PrimaryKeys;
}

impl<E: DynamoEntity, I> KeyInput<E> for Listed<I>
where
    I: IntoIterator<Item: KeyOf<E>, IntoIter: Send + 'static>,
{
    fn primary_keys(self) -> PrimaryKeys {
        let keys = self.0.into_iter();
        let keys = keys.map(|key| primary_key(key.as_key()));
        PrimaryKeys(Box::pin(futures_util::stream::iter(keys)))
    }
}

impl<E: DynamoEntity, S> KeyInput<E> for Streamed<S>
where
    S: Stream<Item: KeyOf<E>> + Send + 'static,
{
    fn primary_keys(self) -> PrimaryKeys {
        let keys = self.0.map(|key| primary_key(key.as_key()));
        PrimaryKeys(Box::pin(keys))
    }
}
