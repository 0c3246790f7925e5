//! What is declared: the contract that a derive fulfils.
//!
//! `#[derive(DynamoEntity)]` writes [`DynamoEntity`] for the struct, a struct of its typed key parts,
//! and an inherent `key(..)`. `#[derive(DynamoTable)]` writes [`DynamoTable`]. Everything else is
//! here, once, for all entities.

mod actor;
mod collection;
mod key;
mod known;
mod live;
mod managed;
mod projection;
mod table;
mod version;

pub use actor::ManagedActor;
pub(crate) use collection::read_collection;
pub use collection::{CoversTable, DynamoCollection, Variant};
pub use key::{Key, KeyParts};
pub use known::{Found, Known};
pub(crate) use live::{encode_as_is, is_item_of, read, read_key, read_live, read_projection};
pub(crate) use managed::{Author, Created};
pub use managed::{ManagedTime, Stamp, StampKind, TtlTime};
pub use projection::{DynamoProjection, Projected, StoredField, check_parts, stored_names};
pub use table::DynamoTable;
pub(crate) use version::State;
pub use version::{Version, VersionField};

use crate::codec::{Fault, Identity, Item, Name, Reader, Writer};
use crate::error::{Error, Result};
use crate::key::Shard;
use crate::request::query::{Given, wrong_parts};
use crate::request::{
    Create, Delete, GetMany, Guard, KeyOf, Listed, Open, Put, Query, Streamed, Update, WholeTable,
};
use crate::schema::EntityDef;

/// A struct that is stored as an item. Derive it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "not an entity",
    note = "write `#[derive(DynamoEntity)]` and `#[dynamo(table = .., key(..))]` on the struct"
)]
pub trait DynamoEntity: Sized + Send + Sync + 'static {
    /// The table it is stored in: a `#[derive(DynamoTable)]`, or the entity itself.
    type Table: DynamoTable;

    /// Its typed key parts, with their names.
    type KeyParts: KeyParts<Entity = Self>;

    /// The paths of its fields, for conditions and changes.
    type Paths: Copy + Default;

    /// The entity: where another type is named in its place, this says so once.
    #[doc(hidden)]
    type This: DynamoEntity;

    /// What projections know of its fields.
    #[doc(hidden)]
    type Fields: Default;

    /// The names of the parts of its sort keys, for those who ask for one where none can be asked for.
    #[doc(hidden)]
    type SortParts: 'static;

    /// `Versioned` if it has a version, else as [`Unguarded`](Self::Unguarded).
    type Guard: Guard;

    /// `Reserving` if it has unique values, else `Unconditional`.
    type Unguarded: Guard + Open;

    #[doc(hidden)]
    const SORT_PARTS: &'static Self::SortParts;

    /// Names and templates.
    #[doc(hidden)]
    const ENTITY: EntityDef;

    /// Which table it names.
    #[doc(hidden)]
    const TABLE_ID: &'static str = <Self::Table as DynamoTable>::TABLE.id;

    /// The parts of its key.
    #[doc(hidden)]
    fn key_parts(&self) -> Self::KeyParts;

    /// Writes all attributes into the open object: derived ones first, then the fields'.
    #[doc(hidden)]
    fn encode(&self, stamp: &Stamp, writer: &mut Writer) -> Result<(), Fault>;

    /// Reads an object of attributes.
    #[doc(hidden)]
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault>;

    /// What [`decode`](Self::decode) would make of what [`encode`](Self::encode) writes, where that is known without
    /// reading it.
    #[doc(hidden)]
    fn as_stored(&self, _stamp: &Stamp) -> Option<Self> {
        None
    }

    /// Reads one object of DynamoDB JSON.
    #[doc(hidden)]
    fn read_json(json: &[u8]) -> Result<Self> {
        read(json)
    }

    /// Whether one has a key of this entity.
    #[doc(hidden)]
    fn has_key(json: &[u8]) -> bool {
        match Self::KeyParts::read(&mut Reader::new(json)) {
            Ok(_) => true,
            // It is one, in another spelling: whoever reads it is to say so.
            Err(fault) => fault.identity() == Some(Identity::Differs),
        }
    }

    /// The version the struct holds.
    #[doc(hidden)]
    fn version(&self) -> Option<Version> {
        None
    }

    /// Writes the value of the time of creation, if there is one.
    #[doc(hidden)]
    fn encode_created_at(&self, _writer: &mut Writer) -> Result<bool, Fault> {
        Ok(false)
    }

    /// Writes the partition key of these parts, of an entity in a shared table.
    #[doc(hidden)]
    fn write_partition(
        _parts: &[&Given],
        _shard: Shard,
        _writer: &mut Writer,
    ) -> Result<(), Fault> {
        Err(wrong_parts())
    }

    /// Whether it can be read without this attribute, by its number in [`EntityDef::attributes`].
    #[doc(hidden)]
    fn may_be_absent(_attribute: usize) -> bool {
        true
    }

    /// The default of this attribute in DynamoDB JSON, if it has one.
    #[doc(hidden)]
    fn default_json(_attribute: usize) -> Result<Option<Vec<u8>>, Fault> {
        Ok(None)
    }

    /// Writes what a write of this moment leaves in a managed attribute.
    #[doc(hidden)]
    fn encode_now(
        _attribute: &str,
        _stamp: &Stamp,
        _name: &Name,
        _writer: &mut Writer,
    ) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether a part of an index key is there; `None` if nobody knows. Parts count over all
    /// templates of the index.
    #[doc(hidden)]
    fn index_part_is_there(
        _index: usize,
        _part: usize,
        _known: &Known,
    ) -> Result<Option<bool>, Fault> {
        Ok(None)
    }

    /// Whether the `when` of an index holds; `None` if nobody knows.
    #[doc(hidden)]
    fn index_holds(_index: usize, _known: &Known) -> Result<Option<bool>, Fault> {
        Ok(Some(true))
    }

    /// Writes a derived key of an index out of what is known.
    #[doc(hidden)]
    fn write_index_key(
        _index: usize,
        _key: usize,
        _known: &Known,
        _writer: &mut Writer,
    ) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether a part of a unique value is there; `None` if nobody knows.
    #[doc(hidden)]
    fn unique_part_is_there(
        _unique: usize,
        _part: usize,
        _known: &Known,
    ) -> Result<Option<bool>, Fault> {
        Ok(None)
    }

    /// Writes the partition key of the item that keeps a unique value.
    #[doc(hidden)]
    fn write_unique(_unique: usize, _known: &Known, _writer: &mut Writer) -> Result<(), Fault> {
        Ok(())
    }

    /// When the item expires, in epoch seconds.
    #[doc(hidden)]
    fn expires_at(&self) -> Option<i64> {
        None
    }

    /// The key of this entity.
    fn key(&self) -> Key<Self> {
        Key::from_parts(self.key_parts())
    }

    /// Stores it where no live item has its key. Never overwrites.
    fn create(&self) -> Create<'_, Self> {
        Create::new(self)
    }

    /// Stores it, replacing what is there. With a version field, only what it was loaded from.
    ///
    /// Without one, and `.unchecked()`, it means: whatever is there. So it is sent again where its answer was lost, and
    /// may replace what somebody else wrote between its two effects, and was told to be stored. Where others write the
    /// same items, let it ask for something: a version, [`create`](Self::create), [`when`](Put::when). Such a write is not
    /// sent again, and its error is [`OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown).
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
    fn put(&self) -> Put<'_, Self, Self::Guard> {
        Put::new(self)
    }

    /// Changes some attributes of it where it is stored. With a version field, only as it was loaded;
    /// the entity itself is not changed, the operation returns the new one.
    fn update(&self) -> Update<Self> {
        Update::of_entity(self)
    }

    /// Deletes it. With a version field, only as it was loaded. Without one it is sent again where its answer was lost,
    /// like [`put`](Self::put), and may delete what was stored under its key in between.
    fn delete(&self) -> Delete<Self, Self::Guard> {
        Delete::of_entity(self)
    }

    /// Reads many items by their keys, any number: the items in the order of the keys, `None` for one that
    /// is not there. 100 go in a request; a key that comes twice is asked for once, and what the service leaves
    /// out is asked for again.
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
    fn get_many<I>(keys: I) -> GetMany<Self, Listed<I>>
    where
        I: IntoIterator<Item: KeyOf<Self>>,
    {
        GetMany::new(keys)
    }

    /// The same for keys of a `Stream`, read by [`stream`](GetMany::stream).
    fn get_each<S>(keys: S) -> GetMany<Self, Streamed<S>>
    where
        S: futures_core::Stream<Item: KeyOf<Self>> + Send + 'static,
    {
        GetMany::streamed(keys)
    }

    /// Reads the whole table, item by item: what a program does once and a service never. Rows come in no
    /// order.
    fn scan() -> Query<Self, WholeTable> {
        Query::scan()
    }

    /// The item as the table holds it: all attributes, keys of indexes included.
    fn to_item(&self) -> Result<Item> {
        let json = crate::__private::to_json(self)?;
        Item::from_dynamo_json(&json).map_err(|fault| Error::encode(Self::ENTITY.type_name, fault))
    }

    /// The entity of an item, from a stream or a file say.
    fn from_item(item: impl Into<Item>) -> Result<Self> {
        let json = item.into().to_dynamo_json();
        read(&json.map_err(|fault| Error::decode(Self::ENTITY.type_name, fault))?)
    }

    /// The key of an item of this entity; other attributes need not be there.
    fn key_from_item(item: impl Into<Item>) -> Result<Key<Self>> {
        let json = item.into().to_dynamo_json();
        read_key(&json.map_err(|fault| Error::decode(Self::ENTITY.type_name, fault))?)
    }
}
