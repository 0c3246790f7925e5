//! The tenant of a connection: compares the keys in the body of a request with it, before anything is sent.
//!
//! It knows the tables as data and trusts no planner: it takes the keys from the body, and rejects a request in which it
//! does not find them.

use std::borrow::Cow;
use std::sync::Arc;

use super::request::{Request, ServiceOperation};
use super::tenant_table::TenantTable;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::key::escape_part;
use crate::schema::Style;

/// A connection may use only the keys of this tenant.
#[derive(Debug, Clone)]
pub(crate) struct TenantRule {
    tables: Arc<[TenantTable]>,
    /// The tenant as a bare key stores it.
    bare: String,
    /// The tenant as a template stores it.
    escaped: String,
}

/// The reason for which a request is outside the tenant.
enum OutsideReason {
    Named(Cow<'static, str>),
    /// The body is not of the form that the library writes.
    Unreadable,
}

impl From<CodecError> for OutsideReason {
    fn from(_: CodecError) -> Self {
        OutsideReason::Unreadable
    }
}

impl From<&'static str> for OutsideReason {
    fn from(reason: &'static str) -> Self {
        OutsideReason::Named(reason.into())
    }
}

/// The members of an operation, read once: a search for each of them would pass over the whole item again.
struct OperationMembers<'r>(Vec<(Cow<'r, str>, &'r [u8])>);

impl<'r> OperationMembers<'r> {
    fn read(operation: &'r [u8]) -> Result<Self, OutsideReason> {
        Ok(OperationMembers(object_members(operation)?))
    }

    fn find(&self, name: &str) -> Option<&'r [u8]> {
        let found = self.0.iter().find(|(member, _)| member == name);
        found.map(|(_, value)| *value)
    }
}

const FOREIGN: &str = "is of another tenant, or has no tenant";

impl TenantRule {
    pub(crate) fn new(tables: Arc<[TenantTable]>, tenant: &str) -> Result<Self> {
        if tenant.is_empty() {
            let message =
                "a tenant is a text of at least one character, because no part of a key is empty";
            return Err(Error::new(ErrorKind::InvalidKey, Stage::Key, message));
        }
        let mut escaped = Vec::new();
        escape_part(tenant, Style::Escaped, &mut escaped);
        Ok(TenantRule {
            tables,
            bare: tenant.to_owned(),
            escaped: String::from_utf8_lossy(&escaped).into_owned(),
        })
    }

    /// Whether both are of one tenant.
    pub(crate) fn is_same_tenant(&self, other: &TenantRule) -> bool {
        self.bare == other.bare
    }

    /// The error of an operation that concerns all tenants.
    pub(super) fn operation_error(operation: &str) -> Error {
        outside(format!(
            "`{operation}` concerns all tenants: use a connection without a tenant"
        ))
    }

    /// The error of a connection of one tenant that should become one of another tenant.
    pub(super) fn other_tenant_error() -> Error {
        outside(
            "this is the connection of another tenant: call `for_tenant` of the connection without a tenant".into(),
        )
    }

    /// Returns an error if a request reaches a key of another tenant.
    pub(super) fn check_request(&self, request: &Request) -> Result<()> {
        let Err(fault) = self.check_body(request) else {
            return Ok(());
        };
        let operation = request.operation.operation_name();
        let reason = match fault {
            OutsideReason::Named(reason) => reason,
            OutsideReason::Unreadable => "has keys that cannot be compared with the tenant".into(),
        };
        Err(outside(format!(
            "a request `{operation}` of a connection of one tenant {reason}; nothing was sent"
        )))
    }

    fn check_body(&self, request: &Request) -> Result<(), OutsideReason> {
        use ServiceOperation::{
            BatchGetItem, BatchWriteItem, DeleteItem, GetItem, PutItem, Query, Scan,
            TransactGetItems, TransactWriteItems, UpdateItem,
        };
        let body = &*request.body;
        match request.operation {
            GetItem | PutItem | UpdateItem | DeleteItem => self.check_operation(body),
            Query => self.check_query(body),
            Scan => Err("reads all tenants: query the partitions of the tenant, or scan with a connection without a tenant".into()),
            // The partition of a vector index is a condition, which may be missing.
            #[cfg(feature = "vectors")]
            ServiceOperation::SearchVectors => Err(
                "reads all tenants: search with a connection without a tenant, and name the tenant by `within`".into(),
            ),
            BatchGetItem => {
                for (table, asked) in object_members(must(body, "RequestItems")?)? {
                    let table = self.table(&table)?;
                    for key in array_elements(must(asked, "Keys")?)? {
                        self.check_attributes(table, key)?;
                    }
                }
                Ok(())
            }
            BatchWriteItem => {
                for (table, writes) in object_members(must(body, "RequestItems")?)? {
                    let table = self.table(&table)?;
                    for write in array_elements(writes)? {
                        for (_, inner) in object_members(write)? {
                            self.check_write(table, inner)?;
                        }
                    }
                }
                Ok(())
            }
            TransactGetItems | TransactWriteItems => {
                for operation in array_elements(must(body, "TransactItems")?)? {
                    for (_, inner) in object_members(operation)? {
                        self.check_operation(inner)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn table(&self, name: &str) -> Result<&TenantTable, OutsideReason> {
        self.tables.iter().find(|table| table.is_named(name)).ok_or_else(|| {
            OutsideReason::Named(format!(
                "is for table `{name}`, whose tenant is not known: name it in `with_tenant_tables(..)` after `with_prefix`, or use a connection without a tenant"
            ).into())
        })
    }

    fn table_of(&self, name: Option<&[u8]>) -> Result<&TenantTable, OutsideReason> {
        let name = name.ok_or(OutsideReason::Unreadable)?;
        self.table(&Reader::new(name).string()?)
    }

    /// An operation on one item, with the name of its table.
    fn check_operation(&self, operation: &[u8]) -> Result<(), OutsideReason> {
        let members = OperationMembers::read(operation)?;
        let table = self.table_of(members.find("TableName"))?;
        self.check_members(table, operation, &members)
    }

    fn check_write(&self, table: &TenantTable, operation: &[u8]) -> Result<(), OutsideReason> {
        self.check_members(table, operation, &OperationMembers::read(operation)?)
    }

    /// An operation on one item, which has a key or a whole item.
    fn check_members(
        &self,
        table: &TenantTable,
        operation: &[u8],
        members: &OperationMembers<'_>,
    ) -> Result<(), OutsideReason> {
        let key = members.find("Key").or_else(|| members.find("Item"));
        self.check_attributes(table, key.ok_or(OutsideReason::Unreadable)?)?;
        match members.find("UpdateExpression") {
            Some(update) => self.check_update(table, operation, update),
            None => Ok(()),
        }
    }

    /// A key or an item has the partition key of the tenant, and in every other partition key too.
    fn check_attributes(
        &self,
        table: &TenantTable,
        attributes: &[u8],
    ) -> Result<(), OutsideReason> {
        let mut has_key = false;
        for (name, value) in object_members(attributes)? {
            if table.is_partition(&name) {
                self.check_value(table, &name, value)?;
                has_key |= table.is_primary(&name);
            }
        }
        match has_key {
            true => Ok(()),
            false => Err("has no partition key".into()),
        }
    }

    fn check_value(
        &self,
        table: &TenantTable,
        attribute: &str,
        json: &[u8],
    ) -> Result<(), OutsideReason> {
        // A partition key of another type is one of another program.
        let text = Reader::new(json).text()?;
        let is_own = table.is_own_key(attribute, &text, (&self.bare, &self.escaped));
        match is_own {
            true => Ok(()),
            false => Err(OutsideReason::Named(
                format!("has a key `{attribute}` that {FOREIGN}").into(),
            )),
        }
    }

    fn check_query(&self, body: &[u8]) -> Result<(), OutsideReason> {
        let table = self.table_of(find_member(body, "TableName")?)?;
        let index = find_member(body, "IndexName")?
            .map(|name| Reader::new(name).string())
            .transpose()?;
        let partition = table
            .partition_of(index.as_deref())
            .ok_or("is for an index whose keys are not declared")?;
        let condition = Reader::new(must(body, "KeyConditionExpression")?).string()?;
        let mut is_limited = false;
        // All parts of a key condition are joined by AND, and only the partition key is compared by equality with a value of
        // its attribute.
        for part in condition.split(" AND ") {
            let Some((name, value)) = part.split_once(" = ") else {
                continue;
            };
            if *attribute_named(body, name)? == *partition {
                self.check_value(table, partition, value_named(body, value)?)?;
                is_limited = true;
            }
        }
        if !is_limited {
            return Err("names no partition".into());
        }
        match find_member(body, "ExclusiveStartKey")? {
            Some(start) => self.check_attributes(table, start),
            None => Ok(()),
        }
    }

    /// An update sets the partition key of an index only to a value of the tenant, or removes it.
    fn check_update(
        &self,
        table: &TenantTable,
        operation: &[u8],
        update: &[u8],
    ) -> Result<(), OutsideReason> {
        let update = Reader::new(update).string()?;
        for (clause, words) in actions_of(&update) {
            let target = words.first().copied().unwrap_or_default();
            let name = target.split(['.', '[']).next().unwrap_or_default();
            let attribute = attribute_named(operation, name)?;
            if !table.is_partition(&attribute) || clause == "REMOVE" {
                continue;
            }
            // Sums and copies have results that the request does not show.
            match words.as_slice() {
                [whole, "=", value] if clause == "SET" && *whole == name => {
                    self.check_value(table, &attribute, value_named(operation, value)?)?;
                }
                _ => return Err("computes the partition of an index".into()),
            }
        }
        Ok(())
    }
}

fn outside(message: String) -> Error {
    Error::new(ErrorKind::OutsideTenant, Stage::Request, message)
}

fn must<'r>(object: &'r [u8], name: &str) -> Result<&'r [u8], OutsideReason> {
    find_member(object, name)?.ok_or(OutsideReason::Unreadable)
}

/// The attribute that a name of an expression means.
fn attribute_named<'r>(body: &'r [u8], name: &'r str) -> Result<Cow<'r, str>, OutsideReason> {
    if !name.starts_with('#') {
        return Ok(name.into());
    }
    let names = must(body, "ExpressionAttributeNames")?;
    Ok(Reader::new(must(names, name)?).string()?)
}

fn value_named<'r>(body: &'r [u8], value: &str) -> Result<&'r [u8], OutsideReason> {
    must(must(body, "ExpressionAttributeValues")?, value)
}

/// The actions of an update, each with its clause and its words. Names and values are placeholders, so no text of a user is
/// a word here.
fn actions_of(update: &str) -> Vec<(&str, Vec<&str>)> {
    let mut actions: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut depth = 0_usize;
    let mut is_open = false;
    for word in update.split(' ') {
        if matches!(word, "SET" | "REMOVE" | "ADD" | "DELETE") {
            actions.push((word, Vec::new()));
            is_open = true;
            continue;
        }
        let clause = actions.last().map_or("", |(clause, _)| clause);
        if !is_open {
            actions.push((clause, Vec::new()));
        }
        depth += word.matches('(').count();
        depth = depth.saturating_sub(word.matches(')').count());
        // A comma within a function separates its operands.
        let ended = word.strip_suffix(',').filter(|_| depth == 0);
        is_open = ended.is_none();
        if let Some((_, words)) = actions.last_mut() {
            words.push(ended.unwrap_or(word));
        }
    }
    actions
}

#[cfg(test)]
mod tests;
