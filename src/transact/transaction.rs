//! Several writes and checks in one request.

use std::any::Any;
use std::fmt;

use super::hand_over::join_hand_overs;
use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::error::{Error, Failed, OperationPlace, Result};
use crate::plan::{
    BoxedWrite, Operation, Outcome, Plan, PlannedRequest, TransactWrite, TransactionMember,
};

/// Writes and checks that take effect together, or not at all.
///
/// Each operation is planned as it would be alone, with its own conditions. The operations see the table as it was
/// before, so two of them cannot be on one item. Use `.when(..)` for a condition on the item that an operation
/// writes, and a [`check`](crate::entity::Key::check) for a condition on another item.
///
/// A transaction costs twice the write units. It is sent with a client token, by which DynamoDB recognizes a second
/// attempt. Therefore it takes effect once, although it is sent again after lost responses and while others hold one
/// of its items. If it fails, nothing was written, unless the error is
/// [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown); [`Error::failures`] names the operations that failed.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "products", key(pk = id))]
/// struct Product { id: String, stock: u32 }
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = number))]
/// struct Order { number: u32, product: String, #[dynamo(version)] version: Version }
///
/// fn sell(order: &Order) -> Transaction<'_> {
///     Transaction::new()
///         .with(order.create())
///         .with(Product::key(&order.product).update().apply(|p| p.stock().sub(1)))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Product::schema(), Order::schema()]).await?;
/// # Product { id: "tea".into(), stock: 1 }.put().send(&db).await?;
/// let order = |number| Order { number, product: "tea".into(), version: Version::default() };
/// let (first, second) = (order(1), order(2));
/// let stored = sell(&first).send(&db).await?;
/// assert_eq!(stored.get::<Order>(0).map(|order| order.version), Some(Version::from(1)));
///
/// let sold_out = sell(&second).send(&db).await.unwrap_err();
/// assert!(sold_out.is_conflict());
/// assert!(sold_out.failures()[0].is::<Product>());
/// assert_eq!(Order::key(2).get().send(&db).await?, None); // nothing was written
/// # Ok(()) }
/// ```
#[derive(Default)]
#[must_use = "nothing happens until `.send(&db)`"]
#[doc(alias = "transact_write_items")]
pub struct Transaction<'w> {
    writes: Vec<BoxedWrite<'w>>,
    token: Option<String>,
}

impl<'w> Transaction<'w> {
    /// Creates a transaction without operations, which does nothing.
    pub fn new() -> Self {
        Transaction::default()
    }

    /// Adds an operation.
    pub fn with(mut self, write: impl TransactWrite + Send + 'w) -> Self {
        self.writes.push(write.boxed());
        self
    }

    /// Adds operations of one kind.
    pub fn with_all<W: TransactWrite + Send + 'w>(
        self,
        writes: impl IntoIterator<Item = W>,
    ) -> Self {
        writes.into_iter().fold(self, Transaction::with)
    }

    /// Sets a token of the caller, 1 to 36 bytes, instead of a random one.
    ///
    /// For ten minutes, a transaction with the same token is the same transaction and takes effect once, even if
    /// another process sends it. It must be the same byte for byte, including managed times, versions and conditions;
    /// DynamoDB rejects a different one.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// The number of operations in the transaction.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether the transaction has no operations.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }
}

impl Transaction<'_> {
    /// Its operations, planned, and the token of the caller.
    pub(crate) fn into_members(
        self,
        db: &Dynamo,
    ) -> Result<(Vec<TransactionMember>, Option<String>)> {
        let mut members = Vec::with_capacity(self.writes.len());
        for (index, write) in self.writes.into_iter().enumerate() {
            let name = write.operation_name();
            let place = OperationPlace { index, name };
            let planned = write.plan_members(db);
            let planned = planned
                .map_err(|error| Error::of_operations(vec![Failed::new(place, None, error)], 0))?;
            members.extend(planned.into_iter().map(|member| member.at_place(place)));
        }
        join_hand_overs(&mut members, db)?;
        crate::plan::check_limits(&members)?;
        Ok((members, self.token))
    }
}

impl Operation for Transaction<'_> {
    type Out = Stored;

    fn plan(self, db: &Dynamo) -> Result<Plan<Stored>> {
        let (mut members, token) = self.into_members(db)?;
        let writes = members.iter_mut().filter(|member| member.is_write());
        let stored = Stored(writes.map(|member| member.stored.take()).collect());
        let is_needless = members.is_empty();
        let pattern = crate::plan::pattern_of(&members);
        let planned =
            PlannedRequest::of_members(pattern, members, token, ("Transaction", db.now()))?;
        let planned = PlannedRequest {
            is_needless,
            ..planned
        };
        Ok(planned.with_outcome(Outcome::Known(Some(stored))))
    }
}

/// Shows the number of operations, and never the values.
impl fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transaction({} operations)", self.writes.len())
    }
}

/// The entities that a [`Transaction`] stored: its `create`s and `put`s, with versions, times and other managed
/// values as stored. DynamoDB returns nothing, so the result of an `update` is not known.
#[derive(Default)]
pub struct Stored(Vec<Option<Box<dyn Any + Send + Sync>>>);

impl Stored {
    /// Returns the entity that the operation with this index stored, from 0. `None` if it was not a `create` or `put`
    /// of `E`.
    pub fn get<E: DynamoEntity>(&self, index: usize) -> Option<&E> {
        self.0.get(index)?.as_ref()?.downcast_ref()
    }

    /// Takes the entity that the operation with this index stored. `None` if it was not a `create` or `put` of `E`.
    pub fn take<E: DynamoEntity>(&mut self, index: usize) -> Option<E> {
        let place = self.0.get_mut(index)?;
        place.as_ref()?.downcast_ref::<E>()?;
        let entity = place.take()?.downcast::<E>().ok()?;
        Some(*entity)
    }

    /// All entities of one type that were created or put, in order.
    pub fn all<E: DynamoEntity>(&self) -> impl Iterator<Item = &E> {
        let stored = self.0.iter().flatten();
        stored.filter_map(|entity| entity.downcast_ref())
    }
}

/// Shows the number of entities, and never the values.
impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stored({} entities)", self.0.iter().flatten().count())
    }
}

crate::awaited::unsent!([] Transaction<'_> => Stored);
