//! The rows of lists and blobs beside an item: their keys, and their end together with the item.
//!
//! A *head* names the parts of a value in their order, and *parts* contain it. Their keys are made of the key of the owner, so
//! the item itself has no reference that a write could lose:
//!
//! ```text
//! $LARGE#Hall#seats#HALL%231                                     the head
//! $LARGE#Hall#seats#HALL%231#0f3c..                              a part, by its random id
//! ```
//!
//! The row of a part outside of DynamoDB is a *marker* without content. It is written before the object, and only a sweep deletes
//! it, after the object.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::sentinel::write_sort_key;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::json::{CodecError, Reader, Writer, array_elements, find_member};
use crate::key::escape_part;
use crate::key::point::{KeyPoint, points_of};
use crate::path::Place;
use crate::plan::{
    ConditionFailure, Meaning, Owner, TransactionMember, WriteRequest, WriteVerb, read_item,
};
use crate::schema::{EntityDef, LargeDef, Pattern, Style, TableDef};
use crate::write::part_name::{ID_LENGTH, PartName};

/// The attribute of a head with the names of its parts.
pub(crate) const PARTS: &str = "$large.parts";
/// The attribute of a part or a head with the time when it was sent, in epoch seconds. An append changes that of the head.
pub(crate) const WRITTEN: &str = "$large.written";

/// The age of a head from which no late request can name its parts, in seconds. DynamoDB executes a request up to 15 minutes after it
/// was sent, and remembers the token of a transaction for 10 minutes. So the head may have changed up to 15 minutes after the time that
/// it contains, and a transaction from the time before that change may arrive 15 minutes later. The rest is for retries and clocks.
const SETTLED_AFTER: i64 = 40 * 60;

/// DynamoDB's limit for a partition key.
const LONGEST_KEY: usize = 2048;

/// The attribute of a part with its name in the head.
pub(crate) const NAME: &str = "$large.part";
/// The attribute of a part with the elements of a list.
pub(crate) const ITEMS: &str = "$large.items";
/// The attribute of a part with the bytes of a blob.
pub(crate) const BYTES: &str = "$large.bytes";

/// How many requests delete parts at the same time.
const CONCURRENCY: usize = 8;

/// The rows of one list or blob of one item.
#[derive(Debug, Clone)]
pub(crate) struct LargeRows {
    pub(crate) entity: &'static EntityDef,
    pub(crate) table: &'static TableDef,
    pub(crate) value: &'static LargeDef,
    /// The key of the item, an object of DynamoDB JSON.
    pub(crate) owner: Vec<u8>,
    /// The partition key of the head.
    head: String,
}

impl LargeRows {
    /// The rows of this value of the item with this key, which is an object of DynamoDB JSON.
    pub(crate) fn of_item(
        entity: &'static EntityDef,
        table: &'static TableDef,
        value: &'static LargeDef,
        owner: &[u8],
    ) -> Result<Self> {
        let fail = |fault| Error::encode(entity.type_name, fault);
        let head = head_text(entity, table, value, owner).map_err(fail)?;
        // The id of a part follows after a separator.
        if head.len() + 1 + ID_LENGTH > LONGEST_KEY {
            let message = format!(
                "the key of the item is too long for the rows of `{}`: their key contains it, and would have {} bytes, of which \
                 DynamoDB allows {LONGEST_KEY}",
                value.name,
                head.len() + 1 + ID_LENGTH
            );
            return Err(Error::new(ErrorKind::InvalidKey, Stage::Key, message).of(entity.type_name));
        }
        Ok(LargeRows {
            entity,
            table,
            value,
            owner: owner.to_vec(),
            head,
        })
    }

    /// All lists and blobs of the item with this key.
    pub(crate) fn all_of(
        entity: &'static EntityDef,
        table: &'static TableDef,
        owner: &[u8],
    ) -> Result<Vec<Self>> {
        let values = entity.large.iter();
        let rows = values.map(|value| LargeRows::of_item(entity, table, value, owner));
        // An item whose key is too long for rows has no list, and it must be possible to delete it.
        let is_stored = |rows: &Result<Self>| match rows {
            Ok(_) => true,
            Err(error) => error.kind() != ErrorKind::InvalidKey,
        };
        rows.filter(is_stored).collect()
    }

    /// The key of the head, an object of DynamoDB JSON.
    pub(crate) fn head_key(&self) -> Vec<u8> {
        row_key(self.entity, &self.head)
    }

    /// The key of a part.
    pub(crate) fn part_key(&self, id: &str) -> Vec<u8> {
        row_key(self.entity, &format!("{}#{id}", self.head))
    }

    /// Whether a row with this partition key is the head or a part.
    pub(crate) fn holds_key(&self, pk: &str) -> bool {
        let rest = pk.strip_prefix(&self.head);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.len() == 1 + ID_LENGTH && rest.starts_with('#')
        })
    }

    /// The full name of the table.
    pub(crate) fn table_name(&self, db: &Dynamo) -> String {
        db.table_name(self.table.name)
    }

    /// The delete of the head, together with the item. Its parts remain, and nothing refers to them any longer.
    pub(crate) fn head_delete(&self, now: Timestamp, db: &Dynamo) -> Result<TransactionMember> {
        let key = self.head_key();
        let owner = Arc::new(Owner::of_item(&self.owner, self.entity, self.table, now));
        // Without a condition, because most items have no list, and a read before would cost more than the delete.
        let asked = (Node::all([]), Meaning::ForeignRow);
        TransactionMember::beside_owner(&owner, &key, WriteVerb::Delete, &key, asked, db)
    }

    /// The head as it is stored.
    pub(crate) async fn read_head(
        &self,
        pattern: &'static Pattern,
        db: &Dynamo,
    ) -> Result<Option<Bytes>> {
        read_item(db, pattern, &self.table_name(db), &self.head_key()).await
    }

    /// Deletes parts that nothing refers to. If one cannot be deleted now, it and the others are left to a sweep.
    pub(crate) async fn delete_parts(
        &self,
        parts: impl IntoIterator<Item = PartName>,
        pattern: &'static Pattern,
        db: &Dynamo,
    ) {
        let parts = parts.into_iter();
        let deletes = parts.map(|part| async move { self.delete_part(&part, pattern, db).await });
        let deletes = stream::iter(deletes).buffer_unordered(CONCURRENCY);
        // Each further failure would take as long as the retries of this one.
        let _: Result<()> = deletes.try_for_each(|()| async { Ok(()) }).await;
    }
}

impl LargeRows {
    async fn delete_part(
        &self,
        part: &PartName,
        pattern: &'static Pattern,
        db: &Dynamo,
    ) -> Result<()> {
        if let Some(object) = part.object() {
            // The marker is left to a sweep: a late attempt of the upload may still store the object again.
            return self.delete_object(&object, db).await;
        }
        let asked = (Node::all([]), Meaning::Row(ConditionFailure::NEVER));
        let (verb, table) = (WriteVerb::Delete, self.table_name(db));
        let mut write = WriteRequest::new(verb, table, 256, pattern, db.now(), asked);
        write.at_key(&self.part_key(part.id()));
        write.into_quiet_plan()?.send_plan(db).await
    }
}

/// The deletes of the heads of all lists and blobs of an item, in the transaction that deletes the item.
pub(crate) fn head_deletes(
    entity: &'static EntityDef,
    table: &'static TableDef,
    owner: &[u8],
    now: Timestamp,
    db: &Dynamo,
) -> Result<Vec<TransactionMember>> {
    let rows = LargeRows::all_of(entity, table, owner)?.into_iter();
    rows.map(|rows| rows.head_delete(now, db)).collect()
}

/// The names of the parts of a head, in their order.
pub(crate) fn part_names(head: &[u8]) -> Result<Vec<PartName>, CodecError> {
    let Some(parts) = find_member(head, PARTS)? else {
        return Ok(Vec::new());
    };
    let list = find_member(parts, "L")?;
    let list = list.ok_or_else(|| CodecError::new("the names of parts are no list").at(PARTS))?;
    let texts = array_elements(list)?.into_iter();
    let name = |json| Ok(PartName(Reader::new(json).text()?.into_owned()));
    texts.map(name).collect()
}

/// Holds for the marker of an object outside of DynamoDB: a part without content.
pub(crate) fn is_marker() -> Node {
    Node::all([
        Node::Missing(Place::of(NAME)).not(),
        Node::Missing(Place::of(ITEMS)),
        Node::Missing(Place::of(BYTES)),
    ])
}

/// The names of the parts that can be deleted together with this head: none if a request that names them may still arrive, because it
/// would restore a head without parts. A sweep deletes these later, and not before 24 hours.
pub(crate) fn settled_parts(head: &[u8], now: Timestamp) -> Result<Vec<PartName>, CodecError> {
    let written = match find_member(head, WRITTEN)? {
        Some(json) => Reader::new(json).digits()?.parse().ok(),
        None => None,
    };
    match written.is_some_and(|written| is_settled(written, now)) {
        true => part_names(head),
        false => Ok(Vec::new()),
    }
}

/// Whether all requests that name the parts of a head of this time have arrived or expired.
pub(crate) fn is_settled(written: i64, now: Timestamp) -> bool {
    now.seconds().saturating_sub(written) >= SETTLED_AFTER
}

/// The beginning of the keys of all rows of a list or blob.
pub(crate) fn key_front(entity: &EntityDef, table: &TableDef, value: &LargeDef) -> String {
    let mut front = b"$LARGE#".to_vec();
    // As in the keys of unique values: only a table of several entities needs their names.
    if table.type_attribute.is_some() {
        escape_part(entity.stored_name, Style::Escaped, &mut front);
        front.push(b'#');
    }
    escape_part(value.stored, Style::Escaped, &mut front);
    front.push(b'#');
    String::from_utf8_lossy(&front).into_owned()
}

fn head_text(
    entity: &EntityDef,
    table: &'static TableDef,
    value: &LargeDef,
    owner: &[u8],
) -> Result<String, CodecError> {
    let names: Vec<&'static str> = table.key_names().collect();
    let mut text = key_front(entity, table, value).into_bytes();
    for (at, point) in points_of(owner, &names)?.into_iter().enumerate() {
        if at > 0 {
            text.push(b'#');
        }
        let part = match point {
            KeyPoint::S(text) => text,
            KeyPoint::N(number) => number.to_string(),
            KeyPoint::B(bytes) => crate::hex::hex_digits(&bytes),
        };
        escape_part(&part, Style::Escaped, &mut text);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The primary key of a row, an object of DynamoDB JSON.
fn row_key(entity: &EntityDef, text: &str) -> Vec<u8> {
    let mut key = Writer::for_request(64 + text.len());
    key.push_raw("{");
    key.dynamic_name(entity.pk.attribute);
    key.text(text);
    write_sort_key(entity, &mut key);
    key.push_raw("}");
    key.into_bytes()
}
