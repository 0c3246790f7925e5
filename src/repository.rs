//! The store of one entity, as a trait object for services.

use async_trait::async_trait;

use crate::dynamo::Dynamo;
use crate::entity::guard::Conditional;
use crate::entity::{ChangeableEntity, DynamoEntity, Key};
use crate::error::Result;
use crate::plan::Operation;
use crate::query::{Page, Query, QueryExt};
use crate::verbs::EntityExt;
use crate::write::{Delete, Update};

/// The store of one entity. Services depend on this trait; programs pass a [`Dynamo`], and tests pass the embedded
/// engine or a fake.
///
/// `#[dynamo(repository)]` on an entity generates a name for its store, for example `OrderRepository`; `repository =
/// Orders` sets another. Every `Repository<Order>` is an `OrderRepository` too, so a fake implements this trait.
///
/// ```
/// use std::sync::Arc;
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = id), gsi(by_customer, pk = customer, sk = id), repository)]
/// pub struct Order { id: u64, customer: String, paid: bool }
///
/// struct Checkout { orders: Arc<dyn OrderRepository> }
///
/// impl Checkout {
///     async fn pay(&self, id: u64) -> Result<Order> {
///         let order = Order::key(id).update();
///         let order = order.when(|o| o.paid().eq(false)).apply(|o| o.paid().set(true));
///         self.orders.update(order).await
///     }
///
///     async fn of(&self, customer: &str) -> Result<Vec<Order>> {
///         self.orders.all(Order::by_customer(customer).into()).await
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let db = Dynamo::connect("embedded:memory").await?;
/// db.create_tables([Order::schema()]).await?;
/// let checkout = Checkout { orders: Arc::new(db) };
///
/// let order = Order { id: 7, customer: "ann".into(), paid: false };
/// checkout.orders.create(&order).await?;
/// assert!(checkout.pay(7).await?.paid);
/// assert!(checkout.pay(7).await.unwrap_err().is_conflict());
/// assert_eq!(checkout.of("ann").await?.len(), 1);
/// # Ok(()) }
/// ```
///
/// A fake can keep the entities in a map and evaluate queries with [`Query::matches`] and [`Query::order`]. However,
/// only an engine can evaluate an [`Update`]: test a service that updates on `embedded:memory`.
///
/// It is an [`async_trait`](macro@crate::async_trait), which is exported for implementations.
#[async_trait]
pub trait Repository<E: ChangeableEntity>: Send + Sync {
    /// Returns the item with this key. The read may miss recent writes.
    async fn get(&self, key: Key<E>) -> Result<Option<E>>;

    /// Returns the item with this key, after every write that was acknowledged before; costs double. A fake need not
    /// implement it.
    async fn get_consistent(&self, key: Key<E>) -> Result<Option<E>> {
        self.get(key).await
    }

    /// Stores an entity that does not exist yet; returns it as stored.
    async fn create(&self, entity: &E) -> Result<E>;

    /// Stores an entity, and replaces the existing one if it has the same version; returns it as stored.
    async fn put(&self, entity: &E) -> Result<E>;

    /// Changes some attributes of an item; returns the changed item.
    async fn update(&self, update: Update<E>) -> Result<E>;

    /// Changes an item in Rust, and retries if another write was faster; see [`Key::modify`].
    async fn modify(
        &self,
        key: Key<E>,
        change: &mut (dyn for<'e> FnMut(&'e mut E) + Send),
    ) -> Result<E>;

    /// Deletes an item if it still has this version.
    async fn delete(&self, entity: &E) -> Result<()>;

    /// Deletes an item that was not loaded, with a condition: `Order::key(7).delete().if_exists().when(|o|
    /// o.version().eq(3))`.
    async fn delete_if(&self, delete: Delete<E, Conditional>) -> Result<()>;

    /// Returns some rows and the position after them.
    async fn page(&self, query: Query<E>) -> Result<Page<E>>;

    /// Returns all rows.
    async fn all(&self, query: Query<E>) -> Result<Vec<E>>;
}

#[async_trait]
impl<E: ChangeableEntity> Repository<E> for Dynamo {
    async fn get(&self, key: Key<E>) -> Result<Option<E>> {
        key.get().send(self).await
    }

    async fn get_consistent(&self, key: Key<E>) -> Result<Option<E>> {
        key.get().consistent().send(self).await
    }

    async fn create(&self, entity: &E) -> Result<E> {
        entity.create().send(self).await
    }

    async fn put(&self, entity: &E) -> Result<E> {
        entity.put().send(self).await
    }

    async fn update(&self, update: Update<E>) -> Result<E> {
        update.send(self).await
    }

    async fn modify(
        &self,
        key: Key<E>,
        change: &mut (dyn for<'e> FnMut(&'e mut E) + Send),
    ) -> Result<E> {
        key.modify(|entity: &mut E| change(entity)).send(self).await
    }

    async fn delete(&self, entity: &E) -> Result<()> {
        entity.delete().send(self).await
    }

    async fn delete_if(&self, delete: Delete<E, Conditional>) -> Result<()> {
        delete.send(self).await
    }

    async fn page(&self, query: Query<E>) -> Result<Page<E>> {
        query.page(self).await
    }

    async fn all(&self, query: Query<E>) -> Result<Vec<E>> {
        query.all(self).await
    }
}

/// The store of one append-only entity: like [`Repository`], without the operations that change items.
///
/// ```
/// use std::sync::Arc;
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "audit", key(pk = account, sk = number), append_only, repository)]
/// pub struct AuditEntry { account: String, number: u64, what: String }
///
/// struct Accounts { audit: Arc<dyn AuditEntryRepository> }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let db = Dynamo::connect("embedded:memory").await?;
/// db.create_tables([AuditEntry::schema()]).await?;
/// let accounts = Accounts { audit: Arc::new(db) };
///
/// let entry = AuditEntry { account: "a1".into(), number: 1, what: "opened".into() };
/// accounts.audit.create(&entry).await?;
/// assert!(accounts.audit.create(&entry).await.unwrap_err().is_already_exists());
/// assert_eq!(accounts.audit.all(AuditEntry::in_partition("a1").into()).await?, [entry]);
/// # Ok(()) }
/// ```
#[async_trait]
pub trait AppendOnlyRepository<E: DynamoEntity>: Send + Sync {
    /// Returns the item with this key. The read may miss recent writes.
    async fn get(&self, key: Key<E>) -> Result<Option<E>>;

    /// Returns the item with this key, after every write that was acknowledged before; costs double. A fake need not
    /// implement it.
    async fn get_consistent(&self, key: Key<E>) -> Result<Option<E>> {
        self.get(key).await
    }

    /// Stores an entity that does not exist yet; returns it as stored.
    async fn create(&self, entity: &E) -> Result<E>;

    /// Returns some rows and the position after them.
    async fn page(&self, query: Query<E>) -> Result<Page<E>>;

    /// Returns all rows.
    async fn all(&self, query: Query<E>) -> Result<Vec<E>>;
}

#[async_trait]
impl<E: DynamoEntity> AppendOnlyRepository<E> for Dynamo {
    async fn get(&self, key: Key<E>) -> Result<Option<E>> {
        key.get().send(self).await
    }

    async fn get_consistent(&self, key: Key<E>) -> Result<Option<E>> {
        key.get().consistent().send(self).await
    }

    async fn create(&self, entity: &E) -> Result<E> {
        entity.create().send(self).await
    }

    async fn page(&self, query: Query<E>) -> Result<Page<E>> {
        query.page(self).await
    }

    async fn all(&self, query: Query<E>) -> Result<Vec<E>> {
        query.all(self).await
    }
}
