//! The action of a job on a row: it takes the bytes of the row and returns a planned write. If unique values are
//! affected, that is the transaction which the operation would send on its own.

use std::sync::Arc;

use super::change::RowChange;
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity, Key};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::json::Writer;
use crate::path::Place;
use crate::plan::{ConditionFailure, Meaning, Owner, TransactionMember, WriteRequest, WriteVerb};
use crate::query::QuerySource;
use crate::schema::{EntityDef, Pattern, TableDef};
use crate::wire::Resend;
use crate::write::large::head_deletes;
use crate::write::{PlannedWrite, alone, unique};

/// Decides how a row is written; `None` leaves it alone. The node is the condition that makes it a row of the query.
pub(super) type Decide<'j> =
    Box<dyn FnMut(&Dynamo, &[u8], Node) -> Result<Option<PlannedWrite>> + Send + 'j>;

/// Updates each row with the closure.
pub(super) fn update<'j, E: DynamoEntity, C: RowChange<E>>(
    mut change: impl FnMut(&E) -> C + Send + 'j,
) -> Decide<'j> {
    Box::new(move |db, item, claim| {
        let entity: E = entity::read(item)?;
        let Some(update) = change(&entity).into_update()? else {
            return Ok(None);
        };
        update.plan_of_row(db, &Key::of(&entity), claim)
    })
}

/// The key attributes of an item, as an object of DynamoDB JSON.
pub(super) fn key_of(item: &[u8], names: &[&'static str]) -> Result<Vec<u8>> {
    let fail = |fault| Error::decode("Row", fault);
    let mut key = Writer::for_request(128);
    key.push_raw("{");
    for name in names {
        let value = crate::json::find_member(item, name).map_err(fail)?;
        let value = value.ok_or_else(|| {
            let message = "a row came without its primary key";
            Error::new(ErrorKind::Service, Stage::Service, message)
        })?;
        key.dynamic_name(name);
        key.raw_bytes(value);
    }
    key.push_raw("}");
    Ok(key.into_bytes())
}

/// A write of each row that changes nothing; the job adds its mark.
pub(super) fn touch<'j>(source: QuerySource) -> Decide<'j> {
    let names: Vec<_> = source.table.key_names().collect();
    Box::new(move |db, item, claim| {
        // Nothing decodes the row, so this tells whether it is one of an entity.
        source.check_identity(item)?;
        let asked = (
            Node::Exists(Place::of(source.table.pk)).and(claim),
            Meaning::Row(ConditionFailure::NEVER.or_condition()),
        );
        let table = db.table_name(source.table.name);
        let (verb, pattern) = (WriteVerb::Check, source.pattern);
        let mut write = WriteRequest::new(verb, table, 256, pattern, db.now(), asked);
        write.at_key(&key_of(item, &names)?);
        write.entity = source.index_or_table();
        Ok(Some(PlannedWrite::Alone(write)))
    })
}

/// The delete of a row and of its sentinels. Its condition requires that the row still has the values that were read,
/// because those are released.
pub(super) fn delete_row(
    db: &Dynamo,
    source: &QuerySource,
    item: &[u8],
    key: &[u8],
    claim: Node,
) -> Result<PlannedWrite> {
    let (name, table) = (source.index_or_table(), source.table);
    let fail = |fault| Error::decode(name, fault);
    let condition = where_stored(table.pk, claim);
    let entity = source.entity_of(item).map_err(fail)?;
    if let Some(entity) = entity.filter(|entity| entity.writes_second_row(true)) {
        return Err(alone(entity.type_name));
    }
    // A delete without sentinels is a single request, which costs half of a transaction.
    let has_others = |entity: &&EntityDef| !entity.uniques.is_empty() || !entity.large.is_empty();
    let Some(entity) = entity.filter(has_others) else {
        let table = db.table_name(table.name);
        let write = delete(db, source.pattern, table, key, condition);
        return Ok(PlannedWrite::Alone(write));
    };
    let owner = Arc::new(Owner::of_item(key, entity, table, db.now()));
    let (mut beside, as_read) = unique::given_up(&owner, entity, item, db)?;
    // Their parts are left to a sweep, because a job deletes many items.
    beside.extend(head_deletes(entity, table, key, db.now(), db)?);
    // The values that were read decide which sentinels are released. If the item has others now,
    // its sentinels would stay behind.
    let (condition, name) = (as_read.and(condition), db.table_name(table.name));
    let mut write = delete(db, source.pattern, name, key, condition);
    write.entity = entity.type_name;
    match beside.is_empty() {
        true => Ok(PlannedWrite::Alone(write)),
        false => Ok(PlannedWrite::Together(
            TransactionMember::in_table(table, write, key)?,
            beside,
        )),
    }
}

/// Checks whether this holds for the row with this key, with an update that changes nothing: it may be sent any
/// number of times.
pub(super) fn ask(
    db: &Dynamo,
    pattern: &'static Pattern,
    table: &TableDef,
    key: &[u8],
    claim: Node,
) -> PlannedWrite {
    let condition = Node::Exists(Place::of(table.pk)).and(claim);
    let mut write = delete(db, pattern, db.table_name(table.name), key, condition);
    write.verb = WriteVerb::Update;
    write.resend = Resend::Always;
    PlannedWrite::Alone(write)
}

/// A condition on a row that also requires that the row exists.
fn where_stored(pk: &'static str, claim: Node) -> Node {
    match claim.is_always() {
        true => claim,
        false => Node::Exists(Place::of(pk)).and(claim),
    }
}

/// The delete of the item with this key. Without a condition the item need not exist, so the delete may be sent again.
pub(super) fn delete(
    db: &Dynamo,
    pattern: &'static Pattern,
    table: String,
    key: &[u8],
    condition: Node,
) -> WriteRequest {
    let asked = (
        condition,
        Meaning::Row(ConditionFailure::NEVER.or_condition()),
    );
    let mut write = WriteRequest::new(WriteVerb::Delete, table, 256, pattern, db.now(), asked);
    write.at_key(key);
    write
}
