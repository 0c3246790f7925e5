//! One operation of a transaction, planned.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Failed, OperationPlace, Result, Stage};
use crate::json::{CodecError, Writer};
use crate::key::point::points_of;
use crate::plan::{KeyNames, Meaning, Owner, WriteRequest, WriteVerb};
use crate::schema::TableDef;

/// An operation for a [`Transaction`](crate::Transaction): a write or a check of an item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit into a transaction",
    label = "not a write, or not one of this kind",
    note = "a transaction takes `create`, `put`, `update`, `upsert`, `delete`, and a `check` that asks for something: `.if_exists()`, `.if_missing()` or `.when(..)`",
    note = "it returns no old items and has a token of its own: leave out `.returning_old()`, `.idempotent()`, `.repeatable()`; to read, write `transact_get((..))`",
    note = "for writes of several kinds in one `Vec`, put each into a box by `.boxed()`"
)]
pub trait TransactWrite {
    #[doc(hidden)]
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>>;

    /// The name that the caller gave it.
    #[doc(hidden)]
    fn operation_name(&self) -> Option<&'static str> {
        None
    }

    /// Names the operation, so that an error can report the name. A name is a constant, because messages contain it,
    /// and messages contain no values. To distinguish operations of a loop, use
    /// [`index`](crate::error::Failed::index) and [`key_of`](crate::error::Failed::key_of).
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::transact::TransactWrite;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "accounts", key(pk = id))]
    /// struct Account { id: String, cents: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Account::schema()]).await?;
    /// # for (id, cents) in [("ann", 3), ("bob", 0)] {
    /// #     Account { id: id.into(), cents }.put().send(&db).await?;
    /// # }
    /// let pay = Transaction::new()
    ///     .with(Account::key("ann").update().apply(|a| a.cents().sub(5)).named("payer"))
    ///     .with(Account::key("bob").update().apply(|a| a.cents().add(5)).named("payee"));
    /// let error = pay.send(&db).await.unwrap_err();
    /// assert!(error.failure_of("payee").is_none());
    /// assert_eq!(error.failure_of("payer").map(|failed| failed.index()), Some(0));
    /// # Ok(()) }
    /// ```
    fn named(self, name: &'static str) -> Named<Self>
    where
        Self: Sized,
    {
        Named { write: self, name }
    }

    /// Puts the write into a box, so that writes of all kinds fit into one `Vec`.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::transact::{BoxedWrite, TransactWrite};
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "accounts", key(pk = id))]
    /// struct Account { id: String, balance: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Account::schema()]).await?;
    /// # Account { id: "a".into(), balance: 5 }.put().send(&db).await?;
    /// let mut writes: Vec<BoxedWrite<'static>> = Vec::new();
    /// writes.push(Account { id: "b".into(), balance: 5 }.into_create().boxed());
    /// writes.push(Account::key("a").update().apply(|a| a.balance().sub(5)).boxed());
    /// Transaction::new().with_all(writes).send(&db).await?;
    /// # Ok(()) }
    /// ```
    fn boxed<'w>(self) -> BoxedWrite<'w>
    where
        Self: Sized + Send + 'w,
    {
        BoxedWrite {
            name: self.operation_name(),
            planning: Box::new(|db| self.plan_members(db)),
        }
    }
}

/// A write of any kind, for a transaction; see [`TransactWrite::boxed`].
#[must_use = "nothing happens until a transaction with it is sent"]
pub struct BoxedWrite<'w> {
    name: Option<&'static str>,
    planning: BoxedPlanning<'w>,
}

type BoxedPlanning<'w> = Box<dyn FnOnce(&Dynamo) -> Result<Vec<TransactionMember>> + Send + 'w>;

#[diagnostic::do_not_recommend]
impl TransactWrite for BoxedWrite<'_> {
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        (self.planning)(db)
    }

    fn operation_name(&self) -> Option<&'static str> {
        self.name
    }
}

/// A write with a name, for a transaction; see [`TransactWrite::named`].
#[derive(Debug)]
#[must_use = "nothing happens until a transaction with it is sent"]
pub struct Named<W> {
    write: W,
    name: &'static str,
}

#[diagnostic::do_not_recommend]
impl<W: TransactWrite> TransactWrite for Named<W> {
    fn plan_members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        self.write.plan_members(db)
    }

    fn operation_name(&self) -> Option<&'static str> {
        Some(self.name)
    }
}

impl fmt::Debug for BoxedWrite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxedWrite").finish_non_exhaustive()
    }
}

/// An operation of a transaction, planned.
#[derive(Debug)]
pub struct TransactionMember {
    /// The operation of the caller, if it was one of several.
    pub(crate) place: Option<OperationPlace>,
    pub(crate) write: WriteRequest,
    pub(crate) key: ItemKey,
    /// For an operation in addition to the write of an item: the owner of the unique value that it stores.
    pub(crate) owner: Option<Arc<Owner>>,
    /// The entity as it will be stored, if that is known.
    pub(crate) stored: Option<Box<dyn Any + Send + Sync>>,
}

/// A primary key, compared by value: its attributes as this library writes them, an object of DynamoDB JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ItemKey(Vec<u8>);

/// Never shows the values.
impl fmt::Debug for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemKey")
    }
}

impl ItemKey {
    /// The key that this library has written.
    pub(crate) fn written(json: Vec<u8>) -> Self {
        ItemKey(json)
    }

    /// The key of any item in the table, from an object with its key attributes.
    pub(crate) fn in_table(table: &TableDef, object: &[u8]) -> Result<Self, CodecError> {
        let names: Vec<_> = table.key_names().collect();
        let points = points_of(object, &names)?;
        let mut writer = Writer::default();
        writer.raw("{");
        for (name, point) in names.into_iter().zip(points) {
            writer.dynamic_name(name);
            point.write(&mut writer);
        }
        writer.raw("}");
        Ok(ItemKey(writer.into_bytes()))
    }

    /// The key attributes as an object of DynamoDB JSON.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        self.0.clone()
    }
}

impl TransactionMember {
    /// The write of the item with this key, as this library writes keys.
    pub(crate) fn of_key(write: WriteRequest, key: &[u8]) -> Result<Self> {
        TransactionMember::of(write, ItemKey::written(key.to_vec()))
    }

    /// The write of any item in the table, by its key as an object of DynamoDB JSON.
    pub(crate) fn in_table(table: &TableDef, write: WriteRequest, key: &[u8]) -> Result<Self> {
        let key = ItemKey::in_table(table, key);
        let key = key.map_err(|fault| Error::encode(write.entity, fault))?;
        TransactionMember::of(write, key)
    }

    /// In a transaction an update without a change is no update, but the check of its condition.
    pub(crate) fn of(mut write: WriteRequest, key: ItemKey) -> Result<Self> {
        let refused = |kind, message| Error::new(kind, Stage::Request, message);
        if write.verb == WriteVerb::Update && write.update.is_empty() {
            if write.condition_failure().may_create() {
                let message =
                    "a transaction makes no item out of nothing: set a field in the same upsert";
                return Err(refused(ErrorKind::InvalidValue, message).of(write.entity));
            }
            if write.condition.is_always() {
                let message = "this UpdateItem has no place in a transaction";
                return Err(refused(ErrorKind::Rejected, message).of(write.entity));
            }
            write.verb = WriteVerb::Check;
        }
        Ok(TransactionMember {
            place: None,
            write,
            key,
            owner: None,
            stored: None,
        })
    }

    /// Marks this as an addition to the write of an item: it stores a unique value of this owner.
    pub(crate) fn beside(self, owner: Arc<Owner>) -> Self {
        TransactionMember {
            owner: Some(owner),
            ..self
        }
    }

    /// Sets which operation of the caller it is.
    pub(crate) fn at(self, place: OperationPlace) -> Self {
        TransactionMember {
            place: Some(place),
            ..self
        }
    }

    /// Gives this the position of another member, which it represents.
    pub(crate) fn for_that_of(self, other: &TransactionMember) -> Self {
        TransactionMember {
            place: other.place,
            ..self
        }
    }

    /// The operation, and what is wrong with it.
    pub(crate) fn failed(&self, error: Error) -> Failed {
        let error = error.declared_as(self.declared());
        Failed::new(
            self.place.unwrap_or_default(),
            self.whose().to_json(),
            error,
        )
    }

    /// The item of the operation. If it stores a unique value, that is the item that has the value.
    pub(crate) fn whose(&self) -> ItemKey {
        match &self.owner {
            Some(owner) => ItemKey(owner.key().to_vec()),
            None => self.key.clone(),
        }
    }

    /// The id of its entity's declaration, if that is known.
    pub(crate) fn declared(&self) -> Option<&'static str> {
        let owner = self.owner.as_ref().map(|owner| owner.declared());
        owner.or(self.write.condition_failure().declared())
    }

    /// The attributes of the primary key of the written item.
    pub(crate) fn key_names(&self) -> Option<KeyNames> {
        let owner = self.owner.as_ref().map(|owner| owner.key_names());
        owner.or(self.write.condition_failure().keys())
    }

    /// The size of the item that it stores, if it puts one.
    pub(crate) fn size(&self) -> usize {
        let item = self.write.item();
        let item = item.and_then(|json| Item::from_dynamo_json(json).ok());
        item.map_or(0, |item| item.size())
    }

    /// A copy for another attempt.
    pub(crate) fn again(&self) -> Self {
        TransactionMember {
            place: self.place,
            write: self.write.clone(),
            key: self.key.clone(),
            owner: self.owner.clone(),
            stored: None,
        }
    }

    /// Whether it is the write of an item, and not an operation that stores a unique value.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self.write.meaning, Meaning::Row(_))
    }
}
