//! The operations on a key.

use crate::entity::guard::Unconditional;
use crate::entity::{ChangeableEntity, DynamoEntity, Key};
use crate::error::{Error, Result};
use crate::read::Get;
use crate::write::{Check, Delete, Modify, TryModify, Update, Upsert};

impl<E: DynamoEntity> Key<E> {
    /// Reads the item.
    #[doc(alias = "get_item")]
    pub fn get(self) -> Get<E> {
        Get::new(self)
    }

    /// Changes some attributes of the item, which must exist.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "products", key(pk = id))]
    /// # struct Product { id: String, stock: u32, note: Option<String> }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Product::schema()]).await?;
    /// # Product { id: "tea".into(), stock: 3, note: None }.create().send(&db).await?;
    /// let product = Product::key("tea").update()
    ///     .apply(|p| (p.stock().sub(2), p.note().set("selling well")))
    ///     .when(|p| p.stock().ge(2))
    ///     .send(&db).await?;
    /// assert_eq!((product.stock, product.note.as_deref()), (1, Some("selling well")));
    ///
    /// // A sum never leaves the range of its type.
    /// let refused = Product::key("tea").update().apply(|p| p.stock().sub(2)).send(&db).await;
    /// assert!(refused.is_err_and(|error| error.is_conflict()));
    /// # Ok(()) }
    /// ```
    #[doc(alias = "update_item")]
    pub fn update(self) -> Update<E>
    where
        E: ChangeableEntity,
    {
        Update::of_key(self)
    }

    /// Changes some attributes of the item, or creates it with them.
    ///
    /// An expired item that DynamoDB still stores is not revived: the error is a
    /// [`Conflict`](crate::error::ErrorKind::Conflict), and [`create`](crate::verbs::EntityExt::create) replaces
    /// the item.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "counts", key(pk = name, sk = day))]
    /// # struct Count { name: String, day: u32, count: u64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Count::schema()]).await?;
    /// for expected in 1..=3 {
    ///     let count = Count::key("login", 7).upsert().apply(|c| c.count().add(1)).send(&db).await?;
    ///     assert_eq!(count.count, expected);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn upsert(self) -> Upsert<E>
    where
        E: ChangeableEntity,
    {
        Upsert::of_key(self)
    }

    /// Reads the item, passes it to the closure, and writes the changes if no other write was made in between.
    /// Otherwise it retries with the current item, so the closure may run several times.
    ///
    /// Only the attributes that differ are written, and of a nested struct only the members that differ.
    ///
    /// Changes of the closure to version, timestamps and actors are ignored, because the library manages them. An
    /// entity with a version is guarded by it; without one, all attributes that were read are checked. After a lost
    /// response the closure is not run again: the error is
    /// [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown).
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "carts", key(pk = id))]
    /// # struct Cart { id: String, skus: Vec<String>, #[dynamo(version)] version: Version }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Cart::schema()]).await?;
    /// # Cart { id: "c".into(), skus: vec!["tea".into(), "tea".into()], version: Version::default() }.create().send(&db).await?;
    /// let cart = Cart::key("c").modify(|cart| cart.skus.dedup()).send(&db).await?;
    /// assert_eq!(cart.skus, ["tea"]);
    /// # Ok(()) }
    /// ```
    pub fn modify<F: FnMut(&mut E)>(self, change: F) -> Modify<E, F>
    where
        E: ChangeableEntity,
    {
        Modify::new(self, change)
    }

    /// Does the same as [`modify`](Self::modify) with a closure that may return an error of its own type.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "accounts", key(pk = id))]
    /// # struct Account { id: String, cents: i64, #[dynamo(version)] version: Version }
    /// # #[derive(Debug)]
    /// enum Refused { Overdrawn, Db(dynamo_entity::Error) }
    ///
    /// impl From<dynamo_entity::Error> for Refused {
    ///     fn from(error: dynamo_entity::Error) -> Self { Refused::Db(error) }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Refused> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Account::schema()]).await?;
    /// # Account { id: "a".into(), cents: 5, version: Version::default() }.create().send(&db).await?;
    /// let refused = Account::key("a")
    ///     .try_modify(|account| {
    ///         account.cents -= 10;
    ///         if account.cents < 0 { Err(Refused::Overdrawn) } else { Ok(()) }
    ///     })
    ///     .send(&db)
    ///     .await;
    /// assert!(matches!(refused, Err(Refused::Overdrawn)));
    /// # Ok(()) }
    /// ```
    pub fn try_modify<F, X>(self, change: F) -> TryModify<E, F, X>
    where
        E: ChangeableEntity,
        F: FnMut(&mut E) -> Result<(), X>,
        X: From<Error>,
    {
        TryModify::new(self, change)
    }

    /// Renews the version and `updated_at`, and changes nothing else. The item must exist.
    pub fn touch(self) -> Update<E>
    where
        E: ChangeableEntity,
    {
        Update::touch(self)
    }

    /// Deletes the item, whatever it contains. The delete is sent again if its response was lost, and may then delete
    /// an item that was stored under its key in between: see [`put`](crate::verbs::EntityExt::put).
    #[doc(alias = "delete_item")]
    pub fn delete(self) -> Delete<E, E::Unguarded>
    where
        E: ChangeableEntity,
    {
        Delete::of_key(self)
    }

    /// Checks the item in a [`Transaction`](crate::Transaction) without changing it: `.if_exists()`, `.if_missing()`,
    /// `.when(..)`.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "users", key(pk = id))]
    /// # struct User { id: String, active: bool }
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "posts", key(pk = id))]
    /// # struct Post { id: u32, author: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([User::schema(), Post::schema()]).await?;
    /// let post = Post { id: 1, author: "ann".into() };
    /// let publish = Transaction::new()
    ///     .with(User::key("ann").check().if_exists().when(|u| u.active().eq(true)))
    ///     .with(post.create());
    /// assert!(publish.send(&db).await.unwrap_err().is_not_found()); // there is no such user
    /// # Ok(()) }
    /// ```
    #[doc(alias = "condition_check")]
    pub fn check(self) -> Check<E, Unconditional> {
        Check::new(self)
    }
}
