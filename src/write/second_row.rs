//! The write of an item that is stored under two primary keys: both rows in one transaction.
//!
//! The row that the program reads decides. It is read strongly, then the other row that belongs to it, and the write takes
//! effect only while both are as they were read. Programs of the step before write the row that they know alone, and
//! programs of the step after read the other one, so neither may be written without the other.

use std::time::Instant;

use bytes::Bytes;

use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::second_row::{SecondKey, SecondRow};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, UpdateActions, apply_update, holds_for};
use crate::path::Place;
use crate::plan::{
    ConditionFailure, Explanation, Meaning, Outcome, Plan, Returned, TransactionMember,
    WriteRequest, WriteVerb, check, read_item, read_raw,
};
use crate::read::plan_read;
use crate::retry::Backoff;
use crate::schema::{EntityDef, Pattern, SecondKeyUse, TableDef};
use crate::write::{Main, PlannedWrite, Rewrite, alone, refuse_other_row, split};

/// The maximum number of attempts.
const ATTEMPTS: u32 = 100;

impl Rewrite {
    /// Reads the item and writes it, with its other row, if it is unchanged; otherwise retries. Returns the old item.
    pub(crate) async fn run(self, db: &Dynamo) -> Result<Option<Bytes>> {
        match BothRows::of(&self)? {
            Some(both) => Box::pin(both.run(db)).await,
            None => self.run_alone(db).await,
        }
    }

    /// The reads, and the write as it would be if no row were found.
    pub(crate) fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let read = plan_read(self.key.declared, self.pattern, self.key.json(), db);
        match BothRows::of(&self)? {
            Some(both) => both.explain(&read, db),
            None => self.explain_alone(&read, db),
        }
    }
}

/// The write of both rows of an item.
struct BothRows<'w> {
    write: &'w Rewrite,
    second: SecondKey,
    usage: SecondKeyUse,
}

/// The rows as they were read.
struct RowsAsRead {
    stored: Option<Bytes>,
    /// The other row that the item had, and the one that it gets, each with its content.
    before: Option<(SecondRow, Option<Bytes>)>,
    after: Option<(SecondRow, Option<Bytes>)>,
}

impl RowsAsRead {
    fn is_same(&self, other: &RowsAsRead) -> bool {
        let side = |side: &Option<(SecondRow, Option<Bytes>)>,
                    is: &Option<(SecondRow, Option<Bytes>)>| {
            match (side, is) {
                (None, None) => true,
                (Some((row, held)), Some((is, is_held))) => {
                    row.key == is.key && is_same_row(held.as_ref(), is_held.as_ref())
                }
                _ => false,
            }
        };
        is_same_row(self.stored.as_ref(), other.stored.as_ref())
            && side(&self.before, &other.before)
            && side(&self.after, &other.after)
    }
}

impl<'w> BothRows<'w> {
    /// None if the write concerns one row.
    fn of(write: &'w Rewrite) -> Result<Option<Self>> {
        let declared = write.key.declared;
        refuse_other_row(declared, write.is_delete())?;
        let second = declared.def.second_key.zip(declared.second_key);
        let second = second.filter(|_| declared.def.writes_second_row(write.is_delete()));
        Ok(second.map(|(def, second)| BothRows {
            write,
            second,
            usage: def.usage,
        }))
    }

    /// Writes both rows, and retries if another write came first. Returns the old item.
    async fn run(self, db: &Dynamo) -> Result<Option<Bytes>> {
        let mut backoff = Backoff::new();
        let mut failed: Option<(RowsAsRead, Error)> = None;
        for attempt in 1.. {
            let began = Instant::now();
            let rows = self.read(db).await?;
            // If the rows are unchanged, another attempt would fail too: the condition of the caller does not hold, or the
            // other row belongs to another item.
            match failed.take() {
                Some((before, error)) if before.is_same(&rows) || attempt > ATTEMPTS => {
                    return Err(error);
                }
                _ => {}
            }
            let error = match self.planned(&rows, db) {
                Ok(write) => match write.send(db).await {
                    Ok(None) => return Ok(rows.stored),
                    Ok(Some((_, error))) => error,
                    Err(error) if is_lost_race(&error) => error,
                    Err(error) => return Err(error),
                },
                // The item may have been deleted between the two reads, and the other row given to another one.
                Err(collision) if collision.is_conflict() => collision,
                Err(error) => return Err(error),
            };
            failed = Some((rows, error));
            if attempt > 1 {
                backoff.wait_longer(began.elapsed(), None).await;
            }
        }
        Err(alone(self.write.key.declared.def.type_name))
    }

    fn explain(self, read: &Plan<()>, db: &Dynamo) -> Result<Explanation> {
        let rows = RowsAsRead {
            stored: None,
            before: None,
            after: self.row_after(None)?.map(|row| (row, None)),
        };
        let second = rows
            .after
            .as_ref()
            .map(|(row, _)| plan_read(self.write.key.declared, self.write.pattern, &row.key, db));
        let write = self.planned(&rows, db)?.returning(Returned::Nothing)?;
        let explained = Explanation::of_plan(&write.with_outcome(Outcome::Known(Some(()))));
        let explained = match &second {
            Some(second) => explained.after_read(second),
            None => explained,
        };
        Ok(explained.after_read(read))
    }

    async fn read(&self, db: &Dynamo) -> Result<RowsAsRead> {
        let pattern = self.write.pattern;
        let stored = read_raw(db, pattern, &self.write.key).await?;
        let before = self.row_of(stored.as_deref())?;
        let after = self.row_after(stored.as_deref())?;
        let is_moved = |row: &SecondRow| {
            let after = after.as_ref();
            after.is_none_or(|after| after.key != row.key)
        };
        let before = before.filter(is_moved);
        Ok(RowsAsRead {
            before: with_content(before, self.second.table, pattern, db).await?,
            after: with_content(after, self.second.table, pattern, db).await?,
            stored,
        })
    }

    fn row_of(&self, item: Option<&[u8]>) -> Result<Option<SecondRow>> {
        item.map(self.second.row).transpose()
    }

    /// The other row after the write. `None` if no such row will exist, or if it cannot be computed because the
    /// condition of the write does not hold for the stored item. In the second case, the write is sent alone, and
    /// DynamoDB rejects it.
    fn row_after(&self, stored: Option<&[u8]>) -> Result<Option<SecondRow>> {
        let item = self.item_after(stored);
        match (item.and_then(|item| self.row_of(item.as_deref())), stored) {
            (Err(_), Some(stored)) if self.is_rejected(stored)? => Ok(None),
            (row, _) => row,
        }
    }

    /// The item after the write, if it exists then.
    fn item_after(&self, stored: Option<&[u8]>) -> Result<Option<Vec<u8>>> {
        let name = self.write.key.declared.def.type_name;
        match &self.write.main {
            Main::Put(item) => Ok(Some(item.clone())),
            Main::Delete => Ok(None),
            Main::Update(update) => {
                let may_create = self.write.asked.1.may_create();
                let key = may_create.then(|| self.write.key.json());
                let stored = stored.or(key);
                stored.map(|item| changed(name, item, update)).transpose()
            }
        }
    }

    /// Whether the condition of the write does not hold for this item. One that cannot be judged here may hold.
    fn is_rejected(&self, item: &[u8]) -> Result<bool> {
        let name = self.write.key.declared.def.type_name;
        let item = Item::from_dynamo_json(item).map_err(|fault| Error::decode(name, fault))?;
        Ok(matches!(holds_for(&self.write.asked.0, &item), Ok(false)))
    }

    fn planned(&self, rows: &RowsAsRead, db: &Dynamo) -> Result<PlannedWrite> {
        let def = self.write.key.declared.def;
        let guard = row_as_read(def, rows.stored.as_deref())?;
        let write = self.write.write(guard, db)?;
        let mut beside = Vec::new();
        if let Some((row, held)) = &rows.after {
            if let Some(held) = held
                && let Err(collision) = self.require_own(held)
            {
                // If its condition does not hold, the service rejects the write for that, and returns the item.
                let stored = rows
                    .stored
                    .as_deref()
                    .map(|stored| self.is_rejected(stored));
                return match stored.transpose()? {
                    Some(true) => PlannedWrite::of(write, self.write.key.json(), beside),
                    _ => Err(collision),
                };
            }
            let mut put = self.request(
                WriteVerb::Put,
                row_as_read(self.second.def, held.as_deref())?,
                db,
            );
            put.put_item(&row.item);
            beside.push(TransactionMember::of_key(put, &row.key)?);
        }
        match &rows.before {
            Some((row, Some(held))) if self.is_own(held) => {
                let as_read = row_as_read(self.second.def, Some(held))?;
                let mut delete = self.request(WriteVerb::Delete, as_read, db);
                delete.at_key(&row.key);
                beside.push(TransactionMember::of_key(delete, &row.key)?);
            }
            // A refill may write that row in the meantime without a change of the row that was read first. Only this
            // check detects it.
            Some((row, held)) => {
                let as_read = row_as_read(self.second.def, held.as_deref())?;
                let mut check = self.request(WriteVerb::Check, as_read, db);
                check.at_key(&row.key);
                beside.push(TransactionMember::of_key(check, &row.key)?);
            }
            None => {}
        }
        PlannedWrite::of(write, self.write.key.json(), beside)
    }

    fn request(&self, verb: WriteVerb, condition: Node, db: &Dynamo) -> WriteRequest {
        let failure = ConditionFailure::NEVER.or_condition();
        let asked = (condition, Meaning::Row(failure));
        let (pattern, now) = (self.write.pattern, self.write.now);
        let table = db.table_name(self.second.table.name);
        let mut write = WriteRequest::new(verb, table, 1024, pattern, now, asked);
        write.entity = self.second.def.type_name;
        write
    }

    /// Whether the other row is one of this item.
    fn is_own(&self, held: &[u8]) -> bool {
        let owner = (self.second.key_of)(held);
        owner.is_ok_and(|owner| owner == self.write.key.json())
    }

    fn require_own(&self, held: &Bytes) -> Result<()> {
        let key = &self.write.key;
        match self.is_own(held) {
            true => Ok(()),
            false => Err(collision(
                (key.declared.def, key.json()),
                self.second.def,
                self.usage,
            )),
        }
    }
}

/// The error for two items that have one key in the other declaration.
pub(crate) fn collision(
    (this, key): (&'static EntityDef, &[u8]),
    other: &EntityDef,
    usage: SecondKeyUse,
) -> Error {
    let way = match usage {
        SecondKeyUse::Next => {
            "refill, because that may be the rest of an item that a program without `next_key` has deleted; otherwise give \
             that key all parts that tell items apart"
        }
        SecondKeyUse::Was | SecondKeyUse::Dropped => {
            "create this one after `was_key` is declared with `drop`"
        }
    };
    let message = format!(
        "another item already has the key of `{}` that this item would have: {way}",
        other.type_name
    );
    let error = Error::new(ErrorKind::Conflict, Stage::Request, message);
    let error = error.of(this.type_name).declared_as(Some(this.id));
    error.with_item_key(Some(key.to_vec()))
}

async fn with_content(
    row: Option<SecondRow>,
    table: &TableDef,
    pattern: &'static Pattern,
    db: &Dynamo,
) -> Result<Option<(SecondRow, Option<Bytes>)>> {
    let Some(row) = row else { return Ok(None) };
    let held = read_item(db, pattern, &db.table_name(table.name), &row.key).await?;
    Ok(Some((row, held)))
}

/// An item after these changes, as DynamoDB would make them.
pub(crate) fn changed(
    type_name: &'static str,
    item: &[u8],
    update: &UpdateActions,
) -> Result<Vec<u8>> {
    let fail = |fault| Error::encode(type_name, fault);
    let mut item = Item::from_dynamo_json(item).map_err(fail)?;
    apply_update(update, &mut item).map_err(fail)?;
    item.to_dynamo_json().map_err(fail)
}

/// The condition that a row is as it was read. An attribute that the row lacks must still be missing, because another program
/// may add it, and the other row would not get it.
pub(crate) fn row_as_read(def: &EntityDef, held: Option<&[u8]>) -> Result<Node> {
    let Some(held) = held else {
        return Ok(Node::Missing(Place::of(def.pk.attribute)));
    };
    let mut absent: Vec<_> = def.attributes.iter().map(|field| field.stored).collect();
    let members = split(held).map_err(|fault| Error::decode(def.type_name, fault))?;
    absent.retain(|known| !members.iter().any(|(name, _)| name == known));
    row_as_read_without(def, held, absent)
}

/// The condition that a row is as it was read, and that these attributes are still missing.
pub(crate) fn row_as_read_without<'n>(
    def: &EntityDef,
    held: &[u8],
    absent: impl IntoIterator<Item = &'n str>,
) -> Result<Node> {
    let attributes = split(held).map_err(|fault| Error::decode(def.type_name, fault))?;
    let is_key =
        |name: &str| def.pk.attribute == name || def.sk.is_some_and(|sk| sk.attribute == name);
    let guards = attributes.iter().filter(|(name, _)| !is_key(name));
    let guards = guards.map(|(name, json)| check::value_condition(name.clone(), json));
    let absent = absent
        .into_iter()
        .map(|name| Node::Exists(Place::of(name.to_owned())));
    let guards = guards.chain([Node::any(absent).not()]);
    let here = Node::Exists(Place::of(def.pk.attribute));
    Ok(Node::all([here].into_iter().chain(guards)))
}

/// Whether both rows are missing, or the same.
fn is_same_row(one: Option<&Bytes>, other: Option<&Bytes>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => is_same_item(one, other),
        _ => false,
    }
}

/// Whether two items hold the same, in whichever order their attributes are.
pub(crate) fn is_same_item(one: &[u8], other: &[u8]) -> bool {
    let read = |json| Item::from_dynamo_json(json).ok();
    read(one).is_some_and(|one| read(other) == Some(one))
}

/// Whether a row has changed since it was read.
fn is_lost_race(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound)
        && error.stage() == Stage::Service
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::holds_for;
    use crate::fallback::FALLBACK_ENTITY;
    use crate::schema::AttributeDef;

    const fn attribute(name: &'static str) -> AttributeDef {
        AttributeDef {
            field: name,
            stored: name,
            former: None,
        }
    }

    const ENTITY: EntityDef = EntityDef {
        attributes: &[attribute("text"), attribute("note")],
        ..FALLBACK_ENTITY
    };

    #[test]
    fn a_row_is_as_it_was_read() {
        let read = br#"{"pk":{"S":"a"},"text":{"S":"x"}}"#;
        let node = row_as_read(&ENTITY, Some(read)).expect("a condition");
        let is_same = |json: &str| {
            let item = Item::from_dynamo_json(json.as_bytes()).expect("an item");
            holds_for(&node, &item).expect("an answer")
        };
        assert!(is_same(r#"{"text":{"S":"x"},"pk":{"S":"a"}}"#));
        assert!(!is_same(r#"{"pk":{"S":"a"},"text":{"S":"y"}}"#));
        assert!(!is_same(r#"{"pk":{"S":"a"}}"#));
        assert!(!is_same("{}"));
        // an attribute that was added, by a program that changes no other one
        assert!(!is_same(
            r#"{"pk":{"S":"a"},"text":{"S":"x"},"note":{"S":"n"}}"#
        ));
        let node = row_as_read(&ENTITY, None).expect("a condition");
        let holds = |json: &[u8]| holds_for(&node, &Item::from_dynamo_json(json).expect("an item"));
        assert!(holds(b"{}").expect("an answer"));
        assert!(!holds(read).expect("an answer"));
    }
}
