//! An operation of a transaction that failed.

use std::error::Error as StdError;
use std::fmt;

use super::Error;

/// An operation of a transaction that failed; see [`Error::failures`]. What happened is an [`Error`] of its own, as
/// the operation alone would have returned it: its kind, its entity, the current item.
pub struct Failed {
    index: usize,
    /// The key of its item, in DynamoDB JSON.
    key: Option<Vec<u8>>,
    error: Error,
}

impl Failed {
    pub(crate) fn new(index: usize, key: impl Into<Option<Vec<u8>>>, error: Error) -> Self {
        Failed {
            index,
            key: key.into(),
            error,
        }
    }

    pub(super) fn again(&self) -> Self {
        Failed::new(self.index, self.key.clone(), self.error.again())
    }

    /// Which operation of the transaction, from 0 in the order in which they were given.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What happened.
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

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "operation {} of the transaction: {}",
            self.index, self.error
        )
    }
}

impl StdError for Failed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.error)
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failed")
            .field("index", &self.index)
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
    /// let failed = error.failures().next().expect("one");
    /// assert_eq!((failed.index(), failed.error().entity()), (1, Some("Seat")));
    /// assert_eq!(failed.to_string(), "operation 1 of the transaction: Seat: an item with this key is already there");
    /// assert_eq!(failed.error().current::<Seat>().transpose()?, Some(seat(2, "bob")));
    /// # Ok(()) }
    /// ```
    pub fn failures(&self) -> impl Iterator<Item = &Failed> {
        self.0.failures.iter()
    }

    /// One error for all of these failures. It is led by the failure at the index `leading`.
    pub(crate) fn of_operations(failures: Vec<Failed>, leading: usize) -> Self {
        let Some(lead) = failures.get(leading) else {
            return Error::config("a failure without an operation");
        };
        let others = failures.iter().enumerate().filter(|(at, _)| *at != leading);
        let mut message = format!(
            "operation {} of the transaction: {}",
            lead.index, lead.error.0.message
        );
        for (_, other) in others {
            message.push_str(&format!("; operation {}: {}", other.index, other.error));
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
