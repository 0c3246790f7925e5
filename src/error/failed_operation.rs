//! An operation of a transaction that failed.

use std::fmt;

use super::Error;

/// The identity of an operation in a transaction: its position among the others, and the name from the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OperationPlace {
    pub(crate) index: usize,
    pub(crate) name: Option<&'static str>,
}

impl fmt::Display for OperationPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => write!(f, "operation {} (`{name}`)", self.index),
            None => write!(f, "operation {}", self.index),
        }
    }
}

/// An operation of a transaction that failed; see [`Error::failures`]. Its cause is an [`Error`] of its own, as
/// the operation alone would have returned it: its kind, its entity, the current item.
#[derive(thiserror::Error)]
#[error("{place} of the transaction: {error}")]
pub struct Failed {
    place: OperationPlace,
    /// The key of its item, in DynamoDB JSON.
    key: Option<Vec<u8>>,
    #[source]
    error: Error,
}

impl Failed {
    pub(crate) fn new(
        place: OperationPlace,
        key: impl Into<Option<Vec<u8>>>,
        error: Error,
    ) -> Self {
        Failed {
            place,
            key: key.into(),
            error,
        }
    }

    pub(super) fn again(&self) -> Self {
        Failed::new(self.place, self.key.clone(), self.error.again())
    }

    /// The position of the operation in the transaction, from 0 in the order of the call.
    pub fn index(&self) -> usize {
        self.place.index
    }

    /// The name of the operation, given by [`named`](crate::transact::TransactWrite::named).
    pub fn name(&self) -> Option<&'static str> {
        self.place.name
    }

    /// The cause.
    pub fn error(&self) -> &Error {
        &self.error
    }

    pub(crate) fn into_error(self) -> Error {
        self.error
    }

    /// The key of its item, in DynamoDB JSON.
    pub(crate) fn key_json(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failed")
            .field("index", &self.place.index)
            .field("name", &self.place.name)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl Error {
    /// The operations of a transaction that failed, in their order; empty for any other error. An operation that could
    /// not be planned has failed too.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::Transaction;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "seats", key(pk = id))]
    /// # struct Seat { id: u32, guest: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Seat::schema()]).await?;
    /// let seat = |id, guest: &str| Seat { id, guest: guest.into() };
    /// seat(2, "bob").create().send(&db).await?;
    ///
    /// let (first, second) = (seat(1, "ann"), seat(2, "ann"));
    /// let both = Transaction::new().with(first.create()).with(second.create());
    /// let error = both.send(&db).await.unwrap_err();
    ///
    /// assert!(error.is_already_exists());
    /// let [failed] = error.failures() else { panic!("one of two failed") };
    /// assert!(failed.index() == 1 && failed.is::<Seat>());
    /// assert_eq!(failed.to_string(), "operation 1 of the transaction: Seat: an item with this key is already there");
    /// assert_eq!(failed.error().current::<Seat>()?, Some(seat(2, "bob")));
    /// # Ok(()) }
    /// ```
    pub fn failures(&self) -> &[Failed] {
        &self.0.failures
    }

    /// The failure of the operation with this name, if it is one of those that failed; see
    /// [`named`](crate::transact::TransactWrite::named).
    pub fn failure_of(&self, name: &str) -> Option<&Failed> {
        let mut failures = self.0.failures.iter();
        failures.find(|failed| failed.name() == Some(name))
    }

    /// One error for all of these failures. It is led by the failure at the index `leading`.
    pub(crate) fn of_operations(failures: Vec<Failed>, leading: usize) -> Self {
        let Some(lead) = failures.get(leading) else {
            return Error::config("a failure without an operation");
        };
        let others = failures.iter().enumerate().filter(|(at, _)| *at != leading);
        let mut message = format!(
            "{} of the transaction: {}",
            lead.place, lead.error.0.message
        );
        for (_, other) in others {
            message.push_str(&format!("; {}: {}", other.place, other.error));
        }
        let mut error = Error::new(lead.error.kind(), lead.error.stage(), message);
        let (inner, of) = (&mut *error.0, &*lead.error.0);
        inner.entity = of.entity;
        inner.declared = of.declared;
        inner.key = of.key;
        inner.attribute.clone_from(&of.attribute);
        inner.code.clone_from(&of.code);
        inner.current.clone_from(&of.current);
        inner.holder.clone_from(&of.holder);
        // A row that cannot be decoded has its stored key; other errors have the key that was given.
        inner.item_key = of.item_key.clone().or_else(|| lead.key.clone());
        inner.failures = failures;
        error
    }
}
