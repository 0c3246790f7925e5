//! The partitions of a request, parsed from its body on demand.

use std::borrow::Cow;
use std::fmt;

use super::request::{Request, ServiceOperation};
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::key::point::KeyPoint;
use crate::schema::PartitionName;

/// A partition of a request; see [`RequestEvent::partition_keys`](crate::observe::RequestEvent::partition_keys). Its key is a value,
/// which only [`text`](Self::text) shows.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PartitionKey<'r> {
    table: Cow<'r, str>,
    index: Option<&'static str>,
    /// The values of its attributes, as DynamoDB JSON.
    values: Vec<&'r [u8]>,
}

impl<'r> PartitionKey<'r> {
    #[cfg(test)]
    pub(crate) fn of(table: &'r str, json: &'r [u8]) -> Self {
        PartitionKey {
            table: table.into(),
            index: None,
            values: vec![json],
        }
    }

    /// The table's full name.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The index, if it is a partition of one.
    pub fn index(&self) -> Option<&'static str> {
        self.index
    }

    /// The key as text: numbers and times as they are stored, bytes in base64, several attributes with a comma between
    /// them. It is a value, so keep it out of logs.
    pub fn text(&self) -> String {
        let texts = self.values.iter().map(|json| text_of(json));
        texts.collect::<Vec<_>>().join(",")
    }

    /// The bytes that are the same for the same key.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.values.iter().copied()
    }
}

/// The text of a value of a key.
fn text_of(json: &[u8]) -> String {
    match KeyPoint::read_point(&mut Reader::new(json)) {
        Ok(KeyPoint::S(text)) => text,
        Ok(KeyPoint::N(number)) => number.to_string(),
        Ok(KeyPoint::B(bytes)) => base64_simd::STANDARD.encode_to_string(bytes),
        Err(_) => String::new(),
    }
}

impl fmt::Debug for PartitionKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartitionKey")
            .field("table", &self.table)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// Finds the partitions of a request.
pub(crate) struct PartitionFinder<'r, 'k> {
    pub(crate) request: &'r Request,
    /// The partition key of a table, if other requests have shown it.
    pub(crate) known: &'k dyn Fn(&str) -> Option<&'static str>,
}

impl<'r> PartitionFinder<'r, '_> {
    /// The partitions, each once. A scan has none.
    pub(crate) fn find(&self) -> Vec<PartitionKey<'r>> {
        // A request has at most a few hundred keys and usually one, so a list is cheaper than a set
        // that hashes them.
        let mut found: Vec<PartitionKey<'r>> = Vec::new();
        for key in self.all().unwrap_or_default() {
            if !found.contains(&key) {
                found.push(key);
            }
        }
        found
    }

    fn all(&self) -> Result<Vec<PartitionKey<'r>>, CodecError> {
        use ServiceOperation::{
            BatchGetItem, BatchWriteItem, DeleteItem, GetItem, PutItem, Query, Scan,
            TransactGetItems, TransactWriteItems, UpdateItem,
        };
        let body = &*self.request.body;
        let mut found = Vec::new();
        match self.request.operation {
            GetItem | PutItem | UpdateItem | DeleteItem => {
                found.extend(self.of_operation(&Cow::from(&self.request.table), body)?);
            }
            Query => found.extend(self.of_query(body)?),
            Scan => {}
            // A search reads an index of its own kind, whose partitions are not those of the table.
            #[cfg(feature = "vectors")]
            ServiceOperation::SearchVectors => {}
            BatchGetItem => {
                for (table, asked) in
                    object_members(find_member(body, "RequestItems")?.unwrap_or(b"{}"))?
                {
                    for key in array_elements(find_member(asked, "Keys")?.unwrap_or(b"[]"))? {
                        found.extend(self.of_key(&table, key)?);
                    }
                }
            }
            BatchWriteItem => {
                for (table, writes) in
                    object_members(find_member(body, "RequestItems")?.unwrap_or(b"{}"))?
                {
                    for write in array_elements(writes)? {
                        for (_, inner) in object_members(write)? {
                            found.extend(self.of_operation(&table, inner)?);
                        }
                    }
                }
            }
            TransactGetItems | TransactWriteItems => {
                for operation in
                    array_elements(find_member(body, "TransactItems")?.unwrap_or(b"[]"))?
                {
                    for (_, inner) in object_members(operation)? {
                        // The operations of a transaction may be on different tables, so the table
                        // of the request is not theirs.
                        let Some(table) = find_member(inner, "TableName")? else {
                            continue;
                        };
                        let table = Reader::new(table).string()?;
                        found.extend(self.of_operation(&table, inner)?);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The partition of an operation on one item, which is given by its key or as an item to put.
    fn of_operation(
        &self,
        table: &Cow<'r, str>,
        operation: &'r [u8],
    ) -> Result<Option<PartitionKey<'r>>, CodecError> {
        if let Some(key) = find_member(operation, "Key")? {
            return self.of_key(table, key);
        }
        // An item has its attributes in the order of the fields. Therefore, unlike for a key, the
        // name of the partition key must be known.
        match (find_member(operation, "Item")?, self.name(table)) {
            (Some(item), Some(name)) => self.of_item(table, name, item),
            _ => Ok(None),
        }
    }

    fn of_key(
        &self,
        table: &Cow<'r, str>,
        key: &'r [u8],
    ) -> Result<Option<PartitionKey<'r>>, CodecError> {
        match (self.name(table), self.request.pattern.partition) {
            (Some(name), _) => self.of_item(table, name, key),
            // The library writes the partition key first, so the order of the key's members shows it if no request has
            // named it yet.
            (None, PartitionName::First) => {
                let first = object_members(key)?.into_iter().next();
                Ok(first.map(|(_, value)| self.key(table, vec![value])))
            }
            (None, _) => Ok(None),
        }
    }

    fn of_item(
        &self,
        table: &Cow<'r, str>,
        name: &str,
        item: &'r [u8],
    ) -> Result<Option<PartitionKey<'r>>, CodecError> {
        let value = find_member(item, name)?;
        Ok(value.map(|value| self.key(table, vec![value])))
    }

    /// The first conditions of a query are those of its partition.
    fn of_query(&self, body: &'r [u8]) -> Result<Option<PartitionKey<'r>>, CodecError> {
        let (Some(condition), Some(values)) = (
            find_member(body, "KeyConditionExpression")?,
            find_member(body, "ExpressionAttributeValues")?,
        ) else {
            return Ok(None);
        };
        // The condition was written by this library, which joins its parts by " AND " and begins
        // with those of the partition. No value can be mistaken for a part, because values are
        // placeholders.
        let condition = Reader::new(condition).string()?;
        let conditions = condition.split(" AND ").take(self.request.pattern.parts);
        let mut found = Vec::new();
        for condition in conditions {
            let named = condition.split_once(" = ");
            let value = named
                .map(|(_, name)| find_member(values, name))
                .transpose()?;
            found.extend(value.flatten());
        }
        let pattern = self.request.pattern;
        // Some of the attributes of a multi-attribute key would name many partitions, and not this
        // one.
        Ok((found.len() == pattern.parts).then(|| PartitionKey {
            index: pattern.index,
            ..self.key(&Cow::from(&self.request.table), found)
        }))
    }

    fn key(&self, table: &Cow<'r, str>, values: Vec<&'r [u8]>) -> PartitionKey<'r> {
        PartitionKey {
            table: table.clone(),
            index: None,
            values,
        }
    }

    fn name(&self, table: &str) -> Option<&'static str> {
        match self.request.pattern.partition {
            PartitionName::Named(name) => Some(name),
            PartitionName::First | PartitionName::Unknown => (self.known)(table),
        }
    }
}
