//! The items and updates that are written. Each of them passes this file on its way into a request, so code for all of
//! them belongs here: a check of every item, a stored form of an attribute, an attribute that every item gets.
//!
//! ```text
//! put, create, a put of modify, of a job or a transaction -> put_entity \
//!                                              put in a batch -----------> entity     an entity
//! items(..).put -> untyped \
//! a sentinel, a put that reads first -> put_item                                      an item as bytes
//! update, upsert, modify, unique values, jobs -> change                               an update
//! the mark of a job -> set_attribute                                                  one attribute of either
//! ```
//!
//! Only these write the item of a [`WriteRequest`] or its changes. A key alone, of an update, a delete or a check, comes by
//! [`WriteRequest::at_key`]. A write that is sent again keeps the bytes that it has.

use std::borrow::Cow;

use super::size;
use super::write_request::{WriteRequest, WriteVerb};
use crate::codec::Item;
use crate::entity::{ManagedValues, UntypedEntity};
use crate::error::{Error, Result};
use crate::expr::{UpdateAction, UpdateActions};
use crate::json::{Writer, object_members};

/// Writes the item of an entity, an object of DynamoDB JSON, and checks its size.
pub(crate) fn encode_entity(
    entity: &dyn UntypedEntity,
    stamp: &ManagedValues,
    body: &mut Writer,
) -> Result<()> {
    let declared = entity.declaration();
    let start = body.len();
    // The writer counts the size as DynamoDB does while it writes, so the finished item need not be
    // parsed for it.
    body.restart_size();
    body.push_raw("{");
    let written = entity.write(stamp, body);
    written.map_err(|fault| declared.unwritten(fault))?;
    body.push_raw("}");
    let item = body.as_bytes().get(start..).unwrap_or_default();
    size::check_size(declared, item, body.stored_size())
}

/// An untyped item as an object of DynamoDB JSON, after its size was checked. Errors use this name.
pub(crate) fn encode_untyped(name: &'static str, item: &Item) -> Result<Vec<u8>> {
    size::check_item(name, item.size())?;
    item.to_dynamo_json()
        .map_err(|fault| Error::encode(name, fault))
}

impl WriteRequest {
    /// Puts the item of this entity.
    pub(crate) fn put_entity(
        &mut self,
        of: &dyn UntypedEntity,
        stamp: &ManagedValues,
    ) -> Result<()> {
        encode_entity(of, stamp, self.subject_writer())
    }

    /// Puts this item, an object of DynamoDB JSON.
    pub(crate) fn put_item(&mut self, item: &[u8]) {
        self.subject_writer().raw_bytes(item);
    }

    /// Selects the item with this key, an object of DynamoDB JSON.
    pub(crate) fn at_key(&mut self, key: &[u8]) {
        self.subject_writer().raw_bytes(key);
    }

    /// Sets these changes, after the size of their values was checked.
    pub(crate) fn encode_change(&mut self, update: UpdateActions) -> Result<()> {
        size::check_update(self.entity, &update)?;
        self.update = update;
        Ok(())
    }

    /// Also sets an attribute to this DynamoDB JSON. In an item that is put, it replaces the attribute of this name.
    pub(crate) fn set_attribute(
        &mut self,
        attribute: impl Into<Cow<'static, str>>,
        json: Vec<u8>,
    ) -> Result<()> {
        let attribute = attribute.into();
        if self.verb != WriteVerb::Put {
            self.update.set_action(attribute, UpdateAction::Set(json));
            return Ok(());
        }
        let fail = |fault| Error::encode(self.entity, fault);
        // The new attribute is written first, and an old one of the same name is dropped, because
        // an item has each name only once.
        let mut item =
            Writer::for_request(self.subject_json().len() + attribute.len() + json.len() + 8);
        item.push_raw("{");
        item.dynamic_name(&attribute);
        item.raw_bytes(&json);
        for (name, value) in object_members(self.subject_json()).map_err(fail)? {
            if name != attribute {
                item.dynamic_name(&name);
                item.raw_bytes(value);
            }
        }
        item.push_raw("}");
        self.replace_subject(item.as_bytes());
        Ok(())
    }
}
