//! Turns writes into the bytes that are sent, and keeps the last write of each key.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::error::BatchError;
use crate::dynamo::Dynamo;
use crate::entity::guard::Unconditional;
use crate::entity::{DynamoEntity, DynamoTable, HasDeclaration as _, Key, Patterns};
use crate::error::Result;
use crate::json::Writer;
use crate::plan::written;
use crate::schema::{Pattern, TableDef};
use crate::write::{Put, refuse_other_row};

/// Encoded writes are stored one after the other in blocks of this size. A block is freed when the last of its writes
/// is done.
const BLOCK: usize = 64 * 1024;

/// A table of the batch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BatchTable {
    /// The table's full name.
    pub(super) name: String,
    /// The attributes of the primary key.
    pub(super) names: Vec<&'static str>,
}

/// A write that can be sent.
#[derive(Clone)]
pub(super) struct Write {
    /// Its place in the input.
    pub(super) index: usize,
    pub(super) entity: &'static str,
    pub(super) pattern: &'static Pattern,
    /// The id of its declaration.
    pub(super) declared: &'static str,
    pub(super) table: Arc<BatchTable>,
    /// The key as an object, followed by `{"PutRequest":{..}}` or `{"DeleteRequest":{..}}`.
    bytes: Bytes,
    key: usize,
}

impl Write {
    /// The delete of a row of which only the key is known, as an object.
    pub(super) fn delete_row(
        index: usize,
        key: &[u8],
        entity: &'static str,
        pattern: &'static Pattern,
        table: Arc<BatchTable>,
    ) -> Self {
        let bytes = [key, b"{\"DeleteRequest\":{\"Key\":", key, b"}}"].concat();
        Write {
            index,
            entity,
            pattern,
            declared: "",
            table,
            bytes: Bytes::from(bytes),
            key: key.len(),
        }
    }

    /// The key attributes, as an object.
    pub(super) fn key_json(&self) -> &[u8] {
        self.bytes.get(..self.key).unwrap_or_default()
    }

    pub(super) fn write_json(&self) -> &[u8] {
        self.bytes.get(self.key..).unwrap_or_default()
    }
}

/// The remaining writes of an earlier batch.
pub(super) struct Ready(pub(super) Vec<Write>);

impl Ready {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// All information that is known before sending.
pub(super) struct BatchPlan {
    pub(super) writes: Vec<Write>,
    pub(super) errors: Vec<BatchError>,
    /// The number of writes that are not sent because a later write has the same key.
    pub(super) superseded: u64,
    pub(super) total: usize,
}

/// A batch while it is planned.
pub struct BatchInput {
    total: usize,
    tables: Vec<Arc<BatchTable>>,
    /// The tables by their definitions, with their numbers.
    named: Vec<(&'static TableDef, usize, Arc<BatchTable>)>,
    /// `None` if a later write has the same key.
    writes: Vec<Option<Write>>,
    /// The last write of each key, by table and key.
    last: HashMap<(usize, Vec<u8>), usize>,
    errors: Vec<BatchError>,
    superseded: u64,
    block: Writer,
    /// The writes whose bytes are in the block.
    in_block: Vec<InBlock>,
}

/// A write whose bytes are still in the block.
struct InBlock {
    write: usize,
    bytes: Range<usize>,
}

impl BatchInput {
    pub(super) fn new(writes: usize) -> Self {
        BatchInput {
            total: 0,
            tables: Vec::new(),
            named: Vec::new(),
            writes: Vec::with_capacity(writes),
            last: HashMap::with_capacity(writes),
            errors: Vec::new(),
            superseded: 0,
            // Many writes share one buffer, so a batch of small items needs no allocation for each.
            block: Writer::for_request(BLOCK.min(1024 * writes)),
            in_block: Vec::new(),
        }
    }

    pub(super) fn add_put<E: DynamoEntity>(
        &mut self,
        put: &Put<'_, E, Unconditional>,
        db: &Dynamo,
    ) {
        self.add_write(&Key::of(&*put.entity), db, |block| {
            if const { E::DECLARATION.written_with.is_some() } {
                refuse_other_row(E::DECLARATION, false)?;
            }
            let stamp = put.stamp(db, db.now())?;
            block.push_raw("{\"PutRequest\":{\"Item\":");
            written::encode_entity(&*put.entity, &stamp, block)?;
            block.push_raw("}}");
            Ok(())
        });
    }

    pub(super) fn add_delete<E: DynamoEntity>(&mut self, key: &Key<E>, db: &Dynamo) {
        self.add_write(key, db, |block| {
            block.push_raw("{\"DeleteRequest\":{\"Key\":{");
            key.write(block)?;
            block.push_raw("}}}");
            Ok(())
        });
    }

    /// Adds a write. A write that cannot be encoded becomes an error, and does not replace an earlier write of its
    /// key.
    fn add_write<E: DynamoEntity>(
        &mut self,
        key: &Key<E>,
        db: &Dynamo,
        write: impl FnOnce(&mut Writer) -> Result<()>,
    ) {
        let index = self.total;
        self.total += 1;
        let (number, table) = self.table_number(&<E::Table as DynamoTable>::TABLE, db);
        let start = self.block.len();
        let written = encode_write(key, &mut self.block, write);
        match written {
            Err(error) => {
                // A write that cannot be encoded does not replace an earlier one of the same key,
                // because it is never sent.
                self.block.rewind_to(start);
                let error = error.in_key(<E::Table as DynamoTable>::TABLE.pk);
                self.errors.push(BatchError { index, error });
            }
            Ok(end_of_key) => {
                let key = self.block.as_bytes().get(start..end_of_key);
                let key = key.unwrap_or_default().to_vec();
                self.in_block.push(InBlock {
                    write: self.writes.len(),
                    bytes: start..self.block.len(),
                });
                let write = Write {
                    index,
                    entity: E::ENTITY.type_name,
                    pattern: &Patterns::<E>::JOINT.batch,
                    declared: E::ENTITY.id,
                    table,
                    bytes: Bytes::new(),
                    key: key.len(),
                };
                self.push_write(number, key, write);
                if self.block.len() >= BLOCK {
                    self.end_block();
                }
            }
        }
    }

    /// Adds a remaining write of an earlier batch, byte for byte.
    pub(super) fn add_remaining(&mut self, mut write: Write) {
        write.index = self.total;
        self.total += 1;
        let (table, _) = self.number_table(write.table.clone());
        self.push_write(table, write.key_json().to_vec(), write);
    }

    fn push_write(&mut self, table: usize, key: Vec<u8>, write: Write) {
        let before = self.last.insert((table, key), self.writes.len());
        if let Some(before) = before.and_then(|before| self.writes.get_mut(before)) {
            // DynamoDB rejects a batch with two writes of one key. The last one counts, as if they
            // had been sent one after the other.
            *before = None;
            self.superseded += 1;
        }
        self.writes.push(Some(write));
    }

    /// A table and its number.
    fn table_number(&mut self, def: &'static TableDef, db: &Dynamo) -> (usize, Arc<BatchTable>) {
        // The table is found by its declaration, because joining prefix and name for each write
        // would cost an allocation.
        let known = self.named.iter().find(|(known, ..)| known.id == def.id);
        if let Some((_, number, table)) = known {
            return (*number, table.clone());
        }
        let number = self.number_table(Arc::new(BatchTable {
            name: db.table_name(def.name),
            names: def.key_names().collect(),
        }));
        self.named.push((def, number.0, number.1.clone()));
        number
    }

    fn number_table(&mut self, table: Arc<BatchTable>) -> (usize, Arc<BatchTable>) {
        let known = self.tables.iter().position(|known| *known == table);
        let number = known.unwrap_or_else(|| {
            self.tables.push(table.clone());
            self.tables.len() - 1
        });
        (number, table)
    }

    /// Gives the bytes of the block to its writes and begins another block.
    fn end_block(&mut self) {
        let next = Writer::for_request(BLOCK);
        let block = Bytes::from(std::mem::replace(&mut self.block, next).into_bytes());
        for InBlock { write, bytes } in self.in_block.drain(..) {
            if let Some(Some(write)) = self.writes.get_mut(write) {
                write.bytes = block.slice(bytes);
            }
        }
    }

    pub(super) fn into_plan(mut self) -> BatchPlan {
        self.end_block();
        BatchPlan {
            writes: self.writes.into_iter().flatten().collect(),
            errors: self.errors,
            superseded: self.superseded,
            total: self.total,
        }
    }
}

/// Writes a key and the request; returns the end of the key.
fn encode_write<E: DynamoEntity>(
    key: &Key<E>,
    block: &mut Writer,
    write: impl FnOnce(&mut Writer) -> Result<()>,
) -> Result<usize> {
    block.push_raw("{");
    key.write(block)?;
    block.push_raw("}");
    let end_of_key = block.len();
    write(block)?;
    Ok(end_of_key)
}

impl fmt::Debug for BatchInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BatchInput({} writes)", self.total)
    }
}
