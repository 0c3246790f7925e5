//! The look-up of a unique value: its sentinel, then its owner, by strong reads.

use std::fmt;

use super::sentinel::{Holding, Sentinel, holding};
use crate::dynamo::Dynamo;
use crate::entity::owner_of;
use crate::entity::{DynamoEntity, HasDeclaration, UniquePattern, UntypedKey};
use crate::error::{Error, Result};
use crate::expr::Node;
use crate::json::{CodecError, Writer};
use crate::plan::{AnswerItem, Call, Explanation, Outcome, SentCall, found_item, read_raw};
use crate::read::{Whole, plan_read, read_any, read_live};
use crate::schema::{FoundType, Pattern};
use crate::write::{UpdateOrigin, known, split};

/// Finds the item that has a unique value; returned by the functions that `unique(..)` declares, such as
/// `User::by_email(..)`.
///
/// Both reads are strong, so they see every write that was acknowledged before. The look-up costs two reads, one
/// after the other, so it is not a single operation: it selects no fields and cannot be in a
/// [`transact_get`](crate::transact_get). Use the key of the result for those. Empty text is not a value, so looking it up is
/// an error of the kind [`InvalidKey`](crate::error::ErrorKind::InvalidKey).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct LookUp<E> {
    pattern: &'static Pattern,
    number: usize,
    sentinel: Result<Sentinel, CodecError>,
    hide_expired: bool,
    entity: std::marker::PhantomData<fn() -> E>,
}

impl<E: DynamoEntity> LookUp<E> {
    #[doc(hidden)]
    pub fn of<const NUMBER: usize>(
        write: impl FnOnce(&mut Writer) -> Result<(), CodecError>,
    ) -> Self {
        let unique = E::ENTITY.uniques.get(NUMBER);
        let unique = unique.ok_or_else(|| CodecError::new("no unique value of this number"));
        LookUp {
            pattern: UniquePattern::<E, NUMBER>::PATTERN,
            number: NUMBER,
            sentinel: unique.and_then(|unique| Sentinel::of(E::DECLARATION, unique, write)),
            hide_expired: true,
            entity: std::marker::PhantomData,
        }
    }

    /// Returns an expired item too, as long as DynamoDB stores it.
    pub fn include_expired(mut self) -> Self {
        self.hide_expired = false;
        self
    }

    /// Returns the first request of [`send`](Self::send), which finds the key. Another `GetItem` then reads the item
    /// by that key.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let read = plan_read(E::DECLARATION, self.pattern, &self.sentinel()?.key, db)
            .map_reply(|_, _| Ok(()));
        Ok(Explanation::of_plan(&read))
    }

    fn sentinel(&self) -> Result<&Sentinel> {
        let sentinel = self.sentinel.as_ref();
        sentinel.map_err(|fault| Error::encode(E::ENTITY.type_name, fault.clone()))
    }

    /// Finds and reads the item.
    pub fn send(self, db: &Dynamo) -> Call<'_, Option<E>> {
        let read = match self.hide_expired {
            true => read_live::<E, Whole>,
            false => read_any::<E, Whole>,
        };
        let found = Box::pin(async move { Ok((self.find(db).await?, db.now())) });
        Call::new(
            SentCall::Steps(found),
            Outcome::Item(AnswerItem::Found, read),
        )
    }

    /// The item that the sentinel names, if it still has the value. If not, either a write was made in between, or a
    /// program without sentinels wrote the item. In the second case, the sentinel names the same item again.
    async fn find(&self, db: &Dynamo) -> Result<Option<bytes::Bytes>> {
        let sentinel = self.sentinel()?;
        let mut owner = self.read_owner(sentinel, db).await?;
        // The sentinel and its owner are read by two requests, so the value may move in between.
        // The loop ends when the sentinel names the same owner twice.
        while let Some(key) = owner {
            if let Some(item) = read_raw(db, self.pattern, &key).await?
                // A program that does not know the unique value may have changed the item without
                // its sentinel.
                && self.is_value_of(sentinel, &key, &item)?
            {
                return Ok(Some(item));
            }
            let now = self.read_owner(sentinel, db).await?;
            if now.as_ref().is_some_and(|now| now.json() == key.json()) {
                return Ok(None);
            }
            owner = now;
        }
        Ok(None)
    }

    fn is_value_of(&self, sentinel: &Sentinel, key: &UntypedKey, item: &[u8]) -> Result<bool> {
        let table = key.declared.table;
        // The owner is gone, and an item of another entity has its key.
        if FoundType::of_item(table, item).is_typed_otherwise(&E::ENTITY) {
            return Ok(false);
        }
        let fail = |fault| Error::decode(E::ENTITY.type_name, fault);
        let source = UpdateOrigin::of(split(item).map_err(fail)?);
        let known = known(&source, &Node::all([]), key);
        let held = holding(key.declared, self.number, &known).map_err(fail)?;
        Ok(held == Holding::Value(sentinel.clone()))
    }

    /// The key of the item that the sentinel belongs to.
    async fn read_owner(&self, sentinel: &Sentinel, db: &Dynamo) -> Result<Option<UntypedKey>> {
        let read =
            plan_read(E::DECLARATION, self.pattern, &sentinel.key, db).map_reply(|reply, _| {
                let item = found_item(&reply.body)?;
                item.map(|item| owner_of::<E>(item)?.untyped()).transpose()
            });
        read.send_plan(db).await
    }
}

impl<E: DynamoEntity> fmt::Debug for LookUp<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unique = E::ENTITY.uniques.get(self.number);
        write!(
            f,
            "LookUp<{}>({})",
            E::ENTITY.type_name,
            unique.map_or("", |unique| unique.name)
        )
    }
}

crate::awaited::unsent!([E: DynamoEntity] LookUp<E> => Option<E>);
