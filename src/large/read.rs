//! Reads of a list or a blob: the head, and then the parts that it names.
//!
//! A head and its parts are separate items. If a replacement deletes the parts in between, a part is missing, and then the head
//! has changed: the read begins again, so it never returns parts of two generations.

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::content::checksum_of;
use super::head::{LargeHead, unreadable};
use crate::codec::DynamoValue;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, array_elements, find_member};
use crate::plan::read_item;
use crate::schema::Pattern;
use crate::write::large::{BYTES, ITEMS, LargeRows};
use crate::write::part_name::PartName;

/// How many parts are read at the same time.
const CONCURRENCY: usize = 4;

/// How often a read begins again, because the value was replaced in between.
const ATTEMPTS: usize = 20;

/// Reads of one list or blob.
#[derive(Debug, Clone)]
pub(super) struct LargeReads {
    pub(super) rows: LargeRows,
    pub(super) pattern: &'static Pattern,
}

impl LargeReads {
    /// The head, if the value exists.
    pub(super) async fn head(&self, db: &Dynamo) -> Result<Option<LargeHead>> {
        let head = self.rows.read_head(self.pattern, db).await?;
        let head = head.map(|head| LargeHead::read(&head)).transpose();
        head.map_err(|fault| unreadable(&self.rows, fault))
    }

    /// The content of a part, if it still exists: a list in DynamoDB JSON, or bytes. The name tells where it is, because the
    /// declaration may have changed since it was written.
    pub(super) async fn part(&self, name: &PartName, db: &Dynamo) -> Result<Option<Bytes>> {
        if let Some(object) = name.object() {
            return self.rows.read_object(&object, db).await;
        }
        let (table, key) = (self.rows.table_name(db), self.rows.part_key(name.id()));
        let row = read_item(db, self.pattern, &table, &key).await?;
        let content = row.map(|row| content_of(&self.rows, name, &row));
        content.transpose()
    }

    /// All parts of the value, each read by `read`; `None` if the value does not exist.
    pub(super) async fn all<P>(
        &self,
        read: fn(&LargeRows, &PartName, &[u8]) -> Result<P>,
        db: &Dynamo,
    ) -> Result<Option<Vec<P>>> {
        let found = self.head_with_parts(read, db).await?;
        Ok(found.map(|(_, parts)| parts))
    }

    /// The same with the head.
    pub(super) async fn head_with_parts<P>(
        &self,
        read: fn(&LargeRows, &PartName, &[u8]) -> Result<P>,
        db: &Dynamo,
    ) -> Result<Option<(LargeHead, Vec<P>)>> {
        self.rows.check_storage(db)?;
        for _ in 0..ATTEMPTS {
            let Some(head) = self.head(db).await? else {
                return Ok(None);
            };
            let parts = head.parts.iter().map(|name| async move {
                let part = self.part(name, db).await?;
                part.map(|part| read(&self.rows, name, &part)).transpose()
            });
            let parts: Vec<_> = parts.collect();
            // `buffered` keeps the order of the parts, which is that of the elements.
            let parts = stream::iter(parts).buffered(CONCURRENCY);
            let parts: Vec<Option<P>> = parts.try_collect().await?;
            match parts.into_iter().collect() {
                Some(parts) => return Ok(Some((head, parts))),
                None => self.check_replaced(&head, db).await?,
            }
        }
        Err(self.replaced())
    }

    /// Fails if a head with a missing part is still the current one.
    pub(super) async fn check_replaced(&self, read: &LargeHead, db: &Dynamo) -> Result<()> {
        match self.head(db).await? {
            Some(now) if now.generation == read.generation => Err(self.incomplete()),
            _ => Ok(()),
        }
    }

    /// The error of a read that a replacement has interrupted.
    pub(super) fn replaced(&self) -> Error {
        let message = format!(
            "`{}` was replaced or deleted while it was read, and its former parts no longer exist: read it again",
            self.rows.value.name
        );
        Error::new(ErrorKind::Conflict, Stage::Service, message).of(self.rows.entity.type_name)
    }

    /// The error of a position in a former list.
    pub(super) fn moved(&self) -> Error {
        let message = format!(
            "`{}` was replaced, compacted or deleted since this position was returned, so it belongs to no page of the list: begin \
             with the first page",
            self.rows.value.name
        );
        Error::new(ErrorKind::Conflict, Stage::Service, message).of(self.rows.entity.type_name)
    }

    fn incomplete(&self) -> Error {
        let part = if self.rows.value.outside {
            "an object"
        } else {
            "a part"
        };
        let message = format!(
            "{part} of `{}` is missing: another program has deleted it, or a copy of the table has not stored it (yet)",
            self.rows.value.name
        );
        Error::new(ErrorKind::Decode, Stage::Decode, message).of(self.rows.entity.type_name)
    }
}

/// The elements of a part.
pub(super) fn elements_of<T: DynamoValue>(
    rows: &LargeRows,
    name: &PartName,
    part: &[u8],
) -> Result<Vec<T>> {
    let fail = |fault| unreadable(rows, fault);
    let mut reader = Reader::new(part);
    // Elements are written one by one, so a part of bytes is a list too.
    let mut elements = Vec::new();
    let mut first = true;
    reader.open_list().map_err(fail)?;
    while reader.next_element(&mut first).map_err(fail)? {
        elements.push(T::decode(&mut reader).map_err(fail)?);
    }
    check_count(elements.len(), name).map_err(fail)?;
    Ok(elements)
}

/// The list of a part as it is stored.
pub(super) fn list_of(rows: &LargeRows, name: &PartName, part: &[u8]) -> Result<Vec<u8>> {
    let read = || {
        let list = find_member(part, "L")?;
        let list = list.ok_or_else(|| CodecError::new("a part is no list").at(ITEMS))?;
        check_count(array_elements(list)?.len(), name)?;
        Ok(list.to_vec())
    };
    read().map_err(|fault| unreadable(rows, fault))
}

fn check_count(elements: usize, name: &PartName) -> Result<(), CodecError> {
    match elements as u64 == name.count() {
        true => Ok(()),
        false => Err(CodecError::new("a part has another number of elements")),
    }
}

/// The bytes of a part, which were checked when it was read.
pub(super) fn bytes_of(_: &LargeRows, _: &PartName, part: &[u8]) -> Result<Vec<u8>> {
    Ok(part.to_vec())
}

/// The content of a part that is stored in the table.
fn content_of(rows: &LargeRows, name: &PartName, row: &Bytes) -> Result<Bytes> {
    let attribute = if rows.value.is_blob { BYTES } else { ITEMS };
    let read = || {
        let content = find_member(row, attribute)?;
        let content =
            content.ok_or_else(|| CodecError::new("a part without content").at(attribute))?;
        if !rows.value.is_blob {
            return Ok(row.slice_ref(content));
        }
        let bytes = Reader::new(content).binary()?;
        match name.checksum() == Some(checksum_of(&bytes)) {
            true => Ok(Bytes::from(bytes)),
            false => Err(CodecError::new("a part has another checksum")),
        }
    };
    read().map_err(|fault| unreadable(rows, fault))
}
