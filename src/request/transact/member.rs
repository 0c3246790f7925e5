//! One operation of a transaction, planned.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::meaning::Meaning;
use crate::clock::Timestamp;
use crate::codec::{Fault, Item, Writer, member};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, Key};
use crate::error::{Error, ErrorKind, Failed, Result, Stage};
use crate::key::point::points_of;
use crate::request::call::{Outcome, Plan};
use crate::request::check::{CONDITION, Lost};
use crate::request::condition_check::Check;
use crate::request::confirm::KeyNames;
use crate::request::respell::respelt_body;
use crate::request::unique::Owner;
use crate::request::{
    Conditional, Create, Delete, Guard, Put, ReturningNew, ReturningNothing, Update, Upsert,
};
use crate::schema::TableDef;
use crate::wire::{self, Reason, Request};

/// What fits into a [`Transaction`](crate::Transaction): writes of items, and checks of items.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit into a transaction",
    label = "not a write, or not one of this kind",
    note = "a transaction takes `create`, `put`, `update`, `upsert`, `delete`, and a `check` that asks for something: `.if_exists()`, `.if_missing()` or `.when(..)`",
    note = "it returns no old items and has a token of its own: leave out `.returning_old()`, `.idempotent()`, `.repeatable()`; to read, write `snapshot((..))`"
)]
pub trait TransactWrite {
    #[doc(hidden)]
    fn plan_members(self, db: &Dynamo) -> Result<Vec<Member>>;
}

/// An operation of a transaction, planned.
#[derive(Debug)]
pub struct Member {
    /// Of the operation that the caller gave, if it was one of several.
    pub(super) index: Option<usize>,
    /// `Put` say.
    name: &'static str,
    pub(in crate::request) request: Request,
    pub(in crate::request) entity: &'static str,
    pub(in crate::request) now: Timestamp,
    pub(in crate::request) meaning: Meaning,
    pub(in crate::request) key: ItemKey,
    /// Of one beside the write of an item: whose unique value it keeps.
    pub(in crate::request) owner: Option<Arc<Owner>>,
    /// The entity as it will be stored, if that is known.
    pub(super) stored: Option<Box<dyn Any + Send + Sync>>,
}

/// A primary key, compared by value: its attributes as this library writes them, an object of DynamoDB JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ItemKey(Vec<u8>);

/// Never the values.
impl fmt::Debug for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemKey")
    }
}

impl ItemKey {
    fn of_key<E: DynamoEntity>(key: &Key<E>) -> Result<Self> {
        let mut object = Writer::with_capacity(128);
        object.raw("{");
        key.write(&mut object)?;
        object.raw("}");
        Ok(ItemKey(object.into_bytes()))
    }

    /// The key attributes of an object.
    pub(in crate::request) fn of<E: DynamoEntity>(object: &[u8]) -> Result<Self> {
        let key = ItemKey::in_table(&<E::Table as DynamoTable>::TABLE, object);
        key.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
    }

    /// The same of whatever stands in the table.
    pub(in crate::request) fn in_table(table: &TableDef, object: &[u8]) -> Result<Self, Fault> {
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
    pub(in crate::request) fn to_json(&self) -> Vec<u8> {
        self.0.clone()
    }
}

impl Member {
    /// The put or the delete of the item of this key.
    pub(in crate::request) fn of<E: DynamoEntity, Out>(
        plan: Plan<Out>,
        key: &Key<E>,
    ) -> Result<Self> {
        Member::named(name_of(&plan, false)?, plan, ItemKey::of_key(key)?)
    }

    /// The same of whatever stands in the table, by its key as an object of DynamoDB JSON.
    pub(in crate::request) fn in_table<Out>(
        table: &TableDef,
        plan: Plan<Out>,
        key: &[u8],
    ) -> Result<Self> {
        let key = ItemKey::in_table(table, key);
        let key = key.map_err(|fault| Error::encode(plan.entity, fault))?;
        Member::named(name_of(&plan, false)?, plan, key)
    }

    /// The same of an update, which changes something or only asks.
    pub(in crate::request) fn of_update<E: DynamoEntity, Out>(
        plan: Plan<Out>,
        key: &Key<E>,
        changes: bool,
    ) -> Result<Self> {
        Member::named(name_of(&plan, changes)?, plan, ItemKey::of_key(key)?)
    }

    /// A single write. Its members are those of its place in a transaction, so its body is taken as it is.
    fn named<Out>(name: &'static str, plan: Plan<Out>, key: ItemKey) -> Result<Self> {
        Ok(Member {
            index: None,
            name,
            key,
            request: plan.request,
            entity: plan.entity,
            now: plan.now,
            meaning: Meaning::Row(plan.lost),
            owner: None,
            stored: None,
        })
    }

    /// The same of a put, whose result is known.
    pub(in crate::request) fn storing<E: DynamoEntity>(
        mut plan: Plan<E>,
        key: &Key<E>,
    ) -> Result<Self> {
        let stored = match &mut plan.outcome {
            Outcome::Known(stored) => stored.take(),
            _ => None,
        };
        let stored = stored.map(|entity| Box::new(entity) as _);
        Ok(Member {
            stored,
            ..Member::of(plan, key)?
        })
    }

    /// In the spelling of the item that it failed on, if nothing else was in its way.
    pub(in crate::request) fn respell(&mut self, reason: Option<&Reason>) -> bool {
        let item = reason.and_then(|reason| reason.item.as_ref());
        let body = item.and_then(|item| respelt_body(&self.request.body, item, self.lost()));
        let Some(body) = body else { return false };
        self.request.body = Bytes::from(body);
        true
    }

    /// Which operation of the caller's it is.
    pub(super) fn at(self, index: usize) -> Self {
        Member {
            index: Some(index),
            ..self
        }
    }

    /// In the place of another one.
    pub(in crate::request) fn for_that_of(self, other: &Member) -> Self {
        Member {
            index: other.index,
            ..self
        }
    }

    /// The operation, and what is wrong with it.
    pub(super) fn failed(&self, error: Error) -> Failed {
        let error = error.declared_as(self.declared());
        Failed::new(
            self.index.unwrap_or_default(),
            self.whose().to_json(),
            error,
        )
    }

    /// The item that it is for: of one that keeps a unique value, the one whose value it is.
    pub(super) fn whose(&self) -> ItemKey {
        match &self.owner {
            Some(owner) => ItemKey(owner.key().to_vec()),
            None => self.key.clone(),
        }
    }

    /// The declaration of its entity, where that is known.
    pub(super) fn declared(&self) -> Option<&'static str> {
        let owner = self.owner.as_ref().map(|owner| owner.declared());
        owner.or(self.lost().declared())
    }

    /// The attributes of the primary key of what it writes.
    pub(super) fn key_names(&self) -> Option<KeyNames> {
        let owner = self.owner.as_ref().map(|owner| owner.key_names());
        owner.or(self.lost().keys())
    }

    /// The size of the item that it stores, if it puts one.
    pub(super) fn size(&self) -> usize {
        let item = subject(&self.request).filter(|_| self.name == "Put");
        let item = item.and_then(|json| Item::from_dynamo_json(json).ok());
        item.map_or(0, |item| item.size())
    }

    /// One beside the write of an item, which keeps a unique value of it.
    pub(in crate::request) fn beside(
        name: &'static str,
        request: Request,
        entity: &'static str,
        now: Timestamp,
        meaning: Meaning,
        key: ItemKey,
        owner: Arc<Owner>,
    ) -> Self {
        Member {
            index: None,
            name,
            request,
            entity,
            now,
            meaning,
            key,
            owner: Some(owner),
            stored: None,
        }
    }

    /// The same once more, for another attempt.
    pub(in crate::request) fn again(&self) -> Self {
        Member {
            request: self.request.clone(),
            key: self.key.clone(),
            owner: self.owner.clone(),
            stored: None,
            ..*self
        }
    }

    /// What a failure of its condition means, if it is the write of an item.
    pub(super) fn lost(&self) -> Lost {
        self.meaning.lost()
    }

    /// Whether it is the write of an item, and not of what keeps a unique value of one.
    pub(super) fn is_write(&self) -> bool {
        matches!(self.meaning, Meaning::Row(_))
    }

    /// Writes it, `{"Put":{..}}`.
    pub(super) fn write(&self, body: &mut Writer) {
        body.raw("{");
        body.quoted(self.name);
        body.raw(":");
        body.raw_bytes(&self.request.body);
        body.raw("}");
    }
}

/// The item that is put, or the key of the item that is written to.
pub(in crate::request) fn subject(request: &Request) -> Option<&[u8]> {
    let name = match request.operation {
        wire::Operation::PutItem => "Item",
        _ => "Key",
    };
    member(&request.body, name).ok().flatten()
}

/// The name of an operation in a transaction. There an update without a change is no update, but the
/// check of its condition.
fn name_of<Out>(plan: &Plan<Out>, changes: bool) -> Result<&'static str> {
    let asks = || {
        let condition = member(&plan.request.body, CONDITION);
        condition.is_ok_and(|found| found.is_some())
    };
    let refused = |kind, message| Err(Error::new(kind, Stage::Request, message).of(plan.entity));
    match plan.request.operation {
        wire::Operation::PutItem => Ok("Put"),
        wire::Operation::DeleteItem => Ok("Delete"),
        wire::Operation::UpdateItem if changes => Ok("Update"),
        wire::Operation::UpdateItem if plan.lost.may_create() => refused(
            ErrorKind::InvalidValue,
            "a transaction makes no item out of nothing: set a field in the same upsert".to_owned(),
        ),
        wire::Operation::UpdateItem if asks() => Ok("ConditionCheck"),
        other => refused(
            ErrorKind::Rejected,
            format!("this {} has no place in a transaction", other.name()),
        ),
    }
}

/// Operations that are one by themselves, and those that bring more.
macro_rules! writes {
    ($([$($generics:tt)*] $write:ty: |$self:ident, $db:ident| $members:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> TransactWrite for $write {
            fn plan_members($self, $db: &Dynamo) -> Result<Vec<Member>> {
                $members
            }
        }
    )*};
}

writes! {
    [E: DynamoEntity] Create<'_, E>: |self, db| self.members(db);
    [E: DynamoEntity, G: Guard] Put<'_, E, G>: |self, db| self.members(db);
    [E: DynamoEntity, G: Guard] Delete<E, G, ReturningNothing>: |self, db| self.members(db);
    [E: DynamoEntity] Check<E, Conditional>: |self, db| self.members(db);
    [E: DynamoEntity] Update<E, ReturningNothing>: |self, db| self.members(db);
    [E: DynamoEntity] Update<E, ReturningNew>: |self, db| self.members(db);
    [E: DynamoEntity] Upsert<E, ReturningNothing>: |self, db| self.members(db);
    [E: DynamoEntity] Upsert<E, ReturningNew>: |self, db| self.members(db);
}
