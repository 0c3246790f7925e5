//! The operations on an entity.

use crate::codec::Item;
use crate::entity::json::to_item;
use crate::entity::{ChangeableEntity, DynamoEntity, HeldEntity, Key, read};
use crate::error::{Error, Result};
use crate::query::{Query, WholeTable};
use crate::read::{GetMany, KeyOf, Listed, Streamed};
use crate::transfer::Import;
use crate::write::{Create, Delete, Put, Update};

/// The operations on every entity.
pub trait EntityExt: DynamoEntity {
    /// Returns the key of this entity.
    fn key(&self) -> Key<Self> {
        Key::of(self)
    }

    /// Stores the entity if no live item has its key. Never overwrites.
    ///
    /// The operation borrows the entity; that of [`into_create`](Self::into_create) owns it.
    #[doc(alias = "insert")]
    fn create(&self) -> Create<'_, Self> {
        Create::new(HeldEntity::Borrowed(self))
    }

    /// Stores the entity and replaces an existing item. With a version field, it replaces only the item that was
    /// loaded.
    ///
    /// Without a version field, and with `.unchecked()`, it replaces any existing item. Therefore it is sent again if
    /// its response was lost, and may then overwrite a write of another client that was made after the first attempt
    /// took effect. If others write the same items, add a precondition: a version, [`create`](Self::create),
    /// [`when`](Put::when). Such a write is not sent again, and its error is
    /// [`OutcomeUnknown`](crate::error::ErrorKind::OutcomeUnknown).
    ///
    /// ```
    /// use std::time::Duration;
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::testing::{Fault, Faults}; // feature `testing`
    ///
    /// #[derive(Debug, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "visits", key(pk = page))]
    /// struct Visits { page: String, count: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let db = Dynamo::connect("embedded:memory").await?;
    /// db.create_tables([Visits::schema()]).await?;
    /// let none = Visits { page: "home".into(), count: 0 };
    ///
    /// // Executed, and the answer is lost; the second attempt takes a while on its way.
    /// let faults = Faults::new([Fault::Lose, Fault::Delay(Duration::from_millis(300))]);
    /// let unlucky = db.with_faults(&faults)?;
    /// let reset = none.put().send(&unlucky);
    /// let visit = async {
    ///     while faults.calls().len() < 2 {
    ///         tokio::task::yield_now().await;
    ///     }
    ///     Visits::key("home").update().apply(|v| v.count().add(1)).send(&db).await
    /// };
    /// let (reset, visit) = tokio::join!(reset, visit);
    /// assert_eq!((reset?.count, visit?.count), (0, 1)); // both are told that it is done
    /// assert_eq!(Visits::key("home").get().send(&db).await?, Some(none)); // and the visit is gone
    /// # Ok(()) }
    /// ```
    #[doc(alias("put_item", "replace"))]
    fn put(&self) -> Put<'_, Self, Self::Guard>
    where
        Self: ChangeableEntity,
    {
        Put::new(HeldEntity::Borrowed(self))
    }

    /// Does the same as [`create`](Self::create) with an operation that owns the entity. You can return it from a
    /// function, keep it in a struct, or send it to a task. `update` and `delete` of an entity already own their
    /// data.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "events", key(pk = subject, sk = number))]
    /// struct Event { subject: String, number: u64, text: String }
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "accounts", key(pk = id))]
    /// struct Account { id: String, balance: i64 }
    ///
    /// /// The same, and an event that tells of it.
    /// fn audited(transaction: Transaction<'_>, number: u64) -> Transaction<'_> {
    ///     let event = Event { subject: "accounts".into(), number, text: "changed".into() };
    ///     transaction.with(event.into_create())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Event::schema(), Account::schema()]).await?;
    /// let account = Account { id: "a1".into(), balance: 10 };
    /// let opened = Transaction::new().with(account.into_create());
    /// audited(opened, 1).send(&db).await?;
    /// assert!(Event::key("accounts", 1).get().send(&db).await?.is_some());
    /// # Ok(()) }
    /// ```
    fn into_create(self) -> Create<'static, Self> {
        Create::new(HeldEntity::Owned(Box::new(self)))
    }

    /// Does the same as [`put`](Self::put) with an operation that owns the entity, see
    /// [`into_create`](Self::into_create).
    fn into_put(self) -> Put<'static, Self, Self::Guard>
    where
        Self: ChangeableEntity,
    {
        Put::new(HeldEntity::Owned(Box::new(self)))
    }

    /// Changes some attributes of the stored item. With a version field, it changes only the item that was loaded.
    /// The entity itself is not changed: the operation returns the new one.
    #[doc(alias = "update_item")]
    fn update(&self) -> Update<Self>
    where
        Self: ChangeableEntity,
    {
        Update::of_entity(self)
    }

    /// Writes the differences between this loaded entity and `next`: only attributes that differ are set or removed, of
    /// nested structs only the members that differ, and attributes that no field covers remain. The primary key must be the same. Managed fields, such as versions
    /// and times, are not compared.
    ///
    /// The version is checked, or else every attribute that was loaded, because `next` may depend on any of them: if
    /// one has changed in the meantime, the result is a conflict. Therefore, give large entities a version.
    ///
    /// If nothing differs and [`when`](Update::when) adds no condition, no request is sent, and the loaded entity is
    /// returned. [`is_empty`](Update::is_empty) reports this.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "people", key(pk = id))]
    /// struct Person { id: String, name: String, city: Option<String>, #[dynamo(version)] version: Version }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Person::schema()]).await?;
    /// # let (id, name) = ("p1".into(), "Ann".into());
    /// # let seen = Person { id, name, city: None, version: Version::default() }.create().send(&db).await?;
    /// let next = Person { city: Some("Kobe".into()), ..seen.clone() }; // from a form, say
    ///
    /// let request = seen.changes_to(&next).explain(&db)?.requests[0].clone();
    /// assert!(request.contains(r##""UpdateExpression":"SET #n0 = :v0, #n1 = :v1""##)); // city and version
    /// let stored = seen.changes_to(&next).send(&db).await?;
    /// assert_eq!((stored.city.as_deref(), stored.version.number()), (Some("Kobe"), Some(2)));
    ///
    /// assert!(stored.changes_to(&stored).is_empty());
    /// assert_eq!(stored.changes_to(&stored).send(&db).await?, stored); // without a request
    /// # Ok(()) }
    /// ```
    fn changes_to(&self, next: &Self) -> Update<Self>
    where
        Self: ChangeableEntity,
    {
        Update::of_difference(self, next)
    }

    /// Deletes the item. With a version field, it deletes only the item that was loaded. Without one, it is sent
    /// again if its response was lost, like [`put`](Self::put), and may delete an item that was stored under its key
    /// in between.
    #[doc(alias = "delete_item")]
    fn delete(&self) -> Delete<Self, Self::Guard>
    where
        Self: ChangeableEntity,
    {
        Delete::of_entity(self)
    }

    /// Reads any number of items by their keys. Returns the items in the order of the keys, with `None` for a missing
    /// item. A request contains 100 keys. A duplicate key is requested once, and items that DynamoDB omits are
    /// requested again.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # let note = Note { id: "n1".into() };
    /// # note.put().send(&db).await?;
    /// let found = Note::get_many(["n1", "n2", "n1"].map(Note::key)).send(&db).await?;
    /// assert_eq!(found, [Some(note.clone()), None, Some(note)]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "batch_get_item")]
    fn get_many<I>(keys: I) -> GetMany<Self, Listed<I>>
    where
        I: IntoIterator<Item: KeyOf<Self>>,
    {
        GetMany::new(keys)
    }

    /// Does the same for the keys of a `Stream`; read them with [`stream`](GetMany::stream).
    fn get_stream<S>(keys: S) -> GetMany<Self, Streamed<S>>
    where
        S: futures_core::Stream<Item: KeyOf<Self>> + Send + 'static,
    {
        GetMany::of_stream(keys)
    }

    /// Reads the whole table, item by item. It is meant for programs that run once, not for services. Rows have no
    /// order.
    fn scan() -> Query<Self, WholeTable> {
        Query::whole_table()
    }

    /// Stores each line of a file as an item of this entity. Nothing is replaced unless you call
    /// [`replace`](Import::replace), and a line that cannot be stored is reported with its number. See [`Import`].
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = "NOTE#{id}"))]
    /// # struct Note { id: u32, text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// let file = "{\"id\":1,\"text\":\"buy milk\"}\n{\"id\":2}\n";
    /// let report = Note::import(file.as_bytes()).rate(100).send(&db).await?;
    /// assert_eq!((report.written, report.failed), (1, 1));
    /// assert!(report.errors()[0].to_string().starts_with("line 2: "));
    /// # Ok(()) }
    /// ```
    fn import<'i>(reader: impl std::io::Read + Send + 'i) -> Import<'i> {
        Import::of_entity::<Self>(reader)
    }

    /// Stores each item of this entity that a full export to S3 contains, of DynamoDB or of this library. Its other
    /// items are counted in [`left_out`](crate::transfer::ImportCounts::left_out). See [`Import`].
    ///
    /// Before the first write, all data files are compared with their checksums, so nothing of a damaged export is
    /// stored. The number of items of each file is compared at its end. The changes of an incremental export are no
    /// items of a table, so it is rejected.
    ///
    /// Copy the folder to the disk before, for example by `aws s3 sync`. See [`export_to`](crate::ExportExt::export_to) for
    /// an example.
    #[cfg(feature = "gzip")]
    fn import_from(folder: crate::transfer::ExportFolder) -> Import<'static> {
        Import::of_entity_from::<Self>(folder)
    }

    /// Returns the item as stored in the table: all attributes, including the keys of indexes.
    fn to_item(&self) -> Result<Item> {
        to_item(self)
    }

    /// Returns the entity of an item, for example from a stream or a file.
    fn from_item(item: impl Into<Item>) -> Result<Self> {
        let json = item.into().to_dynamo_json();
        read(&json.map_err(|fault| Error::decode(Self::ENTITY.type_name, fault))?)
    }

    /// Returns the key of an item of this entity; the item need not contain other attributes.
    fn key_from_item(item: impl Into<Item>) -> Result<Key<Self>> {
        Key::from_item(item)
    }
}

impl<E: DynamoEntity> EntityExt for E {}
