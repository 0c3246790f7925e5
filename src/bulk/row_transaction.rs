//! A transaction for each row: what its closure returns, and how that becomes the write of the row.
//!
//! The job needs the operation on the row itself: it adds the condition that the row is unchanged since the closure
//! saw it, and the mark. The other operations are sent unchanged.

use std::borrow::Cow;
use std::collections::HashSet;
use std::error::Error as StdError;

use super::action::Decide;
use super::change::refused;
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoCollection, DynamoEntity, OneEntity, read_collection};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::json::{self, CodecError, Names, find_member};
use crate::path::Place;
use crate::plan::{ItemKey, Meaning, TransactionMember, WriteRequest, WriteVerb, check};
use crate::query::{OfCollection, OfEntity, QuerySource};
use crate::schema::{AttributeDef, EntityDef, JOB, TableDef};
use crate::transact::Transaction;
use crate::wire::Resend;
use crate::write::PlannedWrite;

/// The maximum number of compared attributes. With the other conditions they stay below the 300 operators of
/// DynamoDB: each takes one, and an AND.
const MOST_COMPARED: usize = 145;

/// Rows that are whole entities, or those of a collection.
#[diagnostic::on_unimplemented(
    message = "the rows of this query are `{Self}`, and no whole entities",
    label = "an item that is not read cannot be inspected",
    note = "where an index gives keys or a projection, write `.hydrate()` before",
    note = "`lenient()` and `select()` are not for jobs: a row that does not decode is reported alone, and the others are changed"
)]
pub trait JobRow<Kind>: Sized {
    /// The rows that the job certainly changes: those of an entity. The closure for a collection may skip some.
    #[doc(hidden)]
    type Changed;

    #[doc(hidden)]
    fn read_row(item: &[u8]) -> Result<Self>;
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> JobRow<OfEntity> for E {
    type Changed = OneEntity<E>;

    fn read_row(item: &[u8]) -> Result<Self> {
        entity::read(item)
    }
}

#[diagnostic::do_not_recommend]
impl<C: DynamoCollection> JobRow<OfCollection> for C {
    type Changed = ();

    fn read_row(item: &[u8]) -> Result<Self> {
        read_collection(item)
    }
}

/// The result of a closure of [`transact_each`](crate::bulk::BulkExt::transact_each): a [`Transaction`], an
/// `Option` of one, or a `Result` of either. `None` skips the row, and an error is reported with it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transaction for a row",
    label = "the closure of `transact_each` returns this",
    note = "return `Transaction::new().with(row.update()..)`, `Some` of it or `None` to leave the row alone, or a `Result` of these"
)]
pub trait RowTransaction {
    /// The operations, planned, if there are any.
    #[doc(hidden)]
    fn into_members(self, row: &'static str, db: &Dynamo)
    -> Result<Option<Vec<TransactionMember>>>;
}

#[diagnostic::do_not_recommend]
impl RowTransaction for Transaction<'_> {
    fn into_members(
        self,
        row: &'static str,
        db: &Dynamo,
    ) -> Result<Option<Vec<TransactionMember>>> {
        let (members, token) = self.into_members(db)?;
        if token.is_some() {
            let message =
                "a job gives the transaction of each row a token of its own: remove `.token(..)`";
            return Err(Error::new(ErrorKind::Rejected, Stage::Request, message).of(row));
        }
        Ok(Some(members).filter(|members| !members.is_empty()))
    }
}

#[diagnostic::do_not_recommend]
impl<T: RowTransaction> RowTransaction for Option<T> {
    fn into_members(
        self,
        row: &'static str,
        db: &Dynamo,
    ) -> Result<Option<Vec<TransactionMember>>> {
        self.map_or(Ok(None), |transaction| transaction.into_members(row, db))
    }
}

#[diagnostic::do_not_recommend]
impl<T, X> RowTransaction for Result<T, X>
where
    T: RowTransaction,
    X: Into<Box<dyn StdError + Send + Sync>>,
{
    fn into_members(
        self,
        row: &'static str,
        db: &Dynamo,
    ) -> Result<Option<Vec<TransactionMember>>> {
        self.map_err(|error| refused(error.into(), row))?
            .into_members(row, db)
    }
}

/// Writes each row by the transaction that the closure returns.
pub(super) fn decide<'j, Row: JobRow<Kind>, Kind, T: RowTransaction>(
    source: QuerySource,
    mut transaction: impl FnMut(&Row) -> T + Send + 'j,
) -> Decide<'j> {
    Box::new(move |db, item, claim| {
        let transaction = transaction(&Row::read_row(item)?);
        let Some(members) = transaction.into_members(source.index_or_table(), db)? else {
            return Ok(None);
        };
        plan(&source, item, claim, members, db).map(Some)
    })
}

/// The write of the row, which is one of the members, and the other members.
fn plan(
    source: &QuerySource,
    item: &[u8],
    claim: Node,
    mut members: Vec<TransactionMember>,
    db: &Dynamo,
) -> Result<PlannedWrite> {
    let fail = |fault| Error::decode(source.index_or_table(), fault);
    let table = db.table_name(source.table.name);
    let key = ItemKey::in_table(source.table, item).map_err(fail)?;
    let is_own = |member: &TransactionMember| {
        member.is_write() && member.key == key && member.write.table == table
    };
    let Some(at) = members.iter().position(is_own) else {
        let message = "the transaction has no operation on the row that the closure was given, by which the job knows \
                       that it is done: add `row.update()..` or `row.delete()`";
        let error = Error::new(ErrorKind::InvalidKey, Stage::Request, message);
        return Err(error.of(source.index_or_table()));
    };
    // The job must know whether this row is done, so it needs one operation that carries its
    // condition and its mark.
    let mut main = members.remove(at);
    let seen = as_seen(source, item)?;
    guard(&mut main.write, source.table, seen.and(claim));
    Ok(match members.is_empty() {
        true => PlannedWrite::Alone(*main.write),
        false => PlannedWrite::WithOthers(main, members),
    })
}

/// Refuses to mark a row that nothing may change, and that its transaction only looks at.
pub(super) fn may_be_marked(source: &QuerySource, item: &[u8], write: &WriteRequest) -> Result<()> {
    let entity = source.entity_of(item);
    let entity = entity.map_err(|fault| Error::decode(source.index_or_table(), fault))?;
    if write.verb != WriteVerb::Check || entity.is_none_or(|entity| !entity.append_only) {
        return Ok(());
    }
    let message = "its items are append-only, and a job with a checkpoint leaves its mark on each row: return None for them, \
                   or remove the checkpoint";
    Err(Error::new(ErrorKind::Rejected, Stage::Request, message).of(write.entity))
}

/// Adds the conditions of the job to the write of the row.
fn guard(write: &mut WriteRequest, table: &TableDef, node: Node) {
    write.add_condition(Node::Exists(Place::of(table.pk)).and(node));
    write.meaning = Meaning::Row(write.condition_failure().or_condition());
    // Without these conditions, the write may have been declared as repeatable. With them, a second attempt could fail
    // because of the first.
    write.resend = Resend::UnlessAmbiguous;
}

/// The condition that no write was made since the row was read: its version and creation time are unchanged, or else
/// every attribute that the closure could see.
fn as_seen(source: &QuerySource, item: &[u8]) -> Result<Node> {
    let fail = |fault| Error::decode(source.index_or_table(), fault);
    let entity = source.entity_of(item).map_err(fail)?;
    // The write of the row has a condition on its type too.
    let most = MOST_COMPARED.saturating_sub(identity(source.table, entity).count());
    let names = compared(source.table, entity, item, most).map_err(fail)?;
    if names.len() > most {
        let message = format!(
            "a row without a version is compared by each of its {} attributes, and DynamoDB takes {most} such comparisons: give its entity a `#[dynamo(version)]`, which is one",
            names.len(),
        );
        let error = Error::new(ErrorKind::Rejected, Stage::Request, message);
        return Err(error.of(source.index_or_table()));
    }
    let held = json::object_members(item).map_err(fail)?;
    let held = Names::of_members(&held);
    Ok(Node::all(names.into_iter().map(
        |name| match held.get_named(&name) {
            Some(json) => check::value_condition(name, json),
            None => Node::Missing(Place::of(name)),
        },
    )))
}

/// The attributes that alone tell the entity of a row, in a table with `identify_by = type`.
fn identity<'d>(
    table: &'d TableDef,
    entity: Option<&'d EntityDef>,
) -> impl Iterator<Item = &'static str> + use<'d> {
    let attribute = table.identifying_type();
    let constants = entity.filter(|_| attribute.is_some());
    let constants = constants.into_iter().flat_map(EntityDef::constant_names);
    attribute.into_iter().chain(constants)
}

/// The attributes by which a change of the row is noticed. The marks of jobs are no change.
fn compared(
    table: &TableDef,
    entity: Option<&EntityDef>,
    item: &[u8],
    most: usize,
) -> Result<Vec<String>, CodecError> {
    // An item of another entity that has taken the key may have the same version. A row without a type may get one.
    let identity: Vec<_> = identity(table, entity).collect();
    let version = match entity.and_then(|entity| entity.version) {
        Some(version) if find_member(item, version)?.is_some() => Some(version),
        _ => None,
    };
    let created = entity.and_then(|entity| entity.created_at);
    if let (Some(version), Some(created)) = (version, created) {
        let names = [version, created].into_iter().chain(identity);
        return Ok(names.map(str::to_owned).collect());
    }
    let known = entity.map_or(&[][..], |entity| entity.attributes);
    let known = known
        .iter()
        .flat_map(AttributeDef::names)
        .map(Cow::Borrowed);
    let held = json::object_members(item)?
        .into_iter()
        .map(|(name, _)| name);
    let is_key = |name: &str| name == table.pk || table.sk == Some(name);
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    let of_type = identity.iter().copied().map(Cow::Borrowed);
    for name in known.chain(held).chain(of_type) {
        if !is_key(&name) && !name.starts_with(JOB) && seen.insert(name.clone()) {
            names.push(name.into_owned());
        }
    }
    // A version alone does not detect a row that was deleted and created again, but it is better than rejecting the
    // row.
    if let Some(version) = version.filter(|_| names.len() > most) {
        let names = [version].into_iter().chain(identity);
        return Ok(names.map(str::to_owned).collect());
    }
    Ok(names)
}
