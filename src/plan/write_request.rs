//! A write as data until it is sent: its changes, conditions and return value. Only this module converts it to the
//! body of a request, or to a part of a transaction.
//!
//! An item may be large, so it is written directly into the buffer that becomes the body; everything else is a tree
//! until then.

use std::ops::Range;

use super::check::{self, ConditionFailure};
use super::meaning::Meaning;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::EntityDeclaration;
use crate::error::{Error, Result};
use crate::expr::{Expression, Node, UpdateActions};
use crate::json::{CodecError, Writer};
use crate::schema::{EntityDef, Pattern, TableDef};
use crate::wire::{Request, Resend, ServiceOperation};

/// The parameter of the condition.
const CONDITION: &str = "ConditionExpression";

/// The operation on the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteVerb {
    Put,
    Update,
    Delete,
    /// Only its condition is checked, in a transaction.
    Check,
}

/// The part of the item that is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    /// Nothing.
    Nothing,
    /// The whole item, as it was before.
    Old,
    /// The whole item, as it is now.
    New,
    /// The attributes that changed, as they are now.
    Changed,
}

/// The write of one item, or the check of one.
#[derive(Debug, Clone)]
pub(crate) struct WriteRequest {
    pub(crate) verb: WriteVerb,
    /// The full name of the table.
    pub(crate) table: String,
    /// The beginning of the body: the table, and the item or key.
    pub(super) head: Writer,
    /// The start of the item or key.
    subject: usize,
    pub(crate) update: UpdateActions,
    pub(crate) condition: Node,
    returns: Returned,
    pub(crate) resend: Resend,
    /// Whether its only condition is the type of the stored item.
    is_only_typed: bool,
    /// The entity that errors name.
    pub(crate) entity: &'static str,
    pub(crate) pattern: &'static Pattern,
    pub(crate) now: Timestamp,
    /// The meaning of a failed condition.
    pub(crate) meaning: Meaning,
}

impl WriteRequest {
    /// A write under this condition, with room for `room` bytes. Its item or key is still to be written, by a method of
    /// `written.rs`.
    pub(crate) fn new(
        verb: WriteVerb,
        table: String,
        room: usize,
        pattern: &'static Pattern,
        now: Timestamp,
        (condition, meaning): (Node, Meaning),
    ) -> Self {
        let mut head = Writer::for_request(room);
        head.push_raw("{\"TableName\":");
        head.push_quoted(&table);
        head.push_raw(match verb {
            WriteVerb::Put => ",\"Item\":",
            WriteVerb::Update | WriteVerb::Delete | WriteVerb::Check => ",\"Key\":",
        });
        // A second put or delete without a condition has the same effect. A second update may add
        // twice.
        let is_harmless = verb != WriteVerb::Update && condition.is_always();
        WriteRequest {
            verb,
            table,
            subject: head.len(),
            head,
            update: UpdateActions::default(),
            condition,
            returns: Returned::Nothing,
            resend: match is_harmless {
                true => Resend::Always,
                false => Resend::UnlessAmbiguous,
            },
            is_only_typed: false,
            entity: pattern.entity,
            pattern,
            now,
            meaning,
        }
    }

    /// A write of an item of this entity. If an item of another entity may have its key, the write takes effect only on an
    /// item of this one: all writes of entities pass here, alone and in transactions, jobs, imports and copies.
    pub(crate) fn of_entity(
        declared: &EntityDeclaration,
        verb: WriteVerb,
        pattern: &'static Pattern,
        room: usize,
        asked: (Node, ConditionFailure),
        now: Timestamp,
        db: &Dynamo,
    ) -> Self {
        let of_table = (declared.table, declared.def);
        WriteRequest::typed(of_table, verb, pattern, room, asked, now, db)
    }

    /// The same for an item of which only the table and the entity are known, such as one that is stored as it is.
    pub(crate) fn typed(
        (table, def): (&'static TableDef, &EntityDef),
        verb: WriteVerb,
        pattern: &'static Pattern,
        room: usize,
        asked: (Node, ConditionFailure),
        now: Timestamp,
        db: &Dynamo,
    ) -> Self {
        let (condition, failure) = check::with_own_type(table, def, asked);
        let table = db.table_name(table.name);
        let is_only = failure.is_only_typed();
        let asked = (condition, Meaning::Row(failure));
        let mut write = WriteRequest::new(verb, table, room, pattern, now, asked);
        if is_only && verb != WriteVerb::Update {
            // The condition holds after the first attempt too, unless an item of another entity has come in between, and
            // then the outcome is unknown.
            write.resend = Resend::RetrySafe;
            write.is_only_typed = true;
        }
        write
    }

    /// The writer of the item or key.
    pub(super) fn subject_writer(&mut self) -> &mut Writer {
        &mut self.head
    }

    /// Replaces the item that it has by another one.
    pub(super) fn replace_subject(&mut self, json: &[u8]) {
        self.head.rewind_to(self.subject);
        self.head.raw_bytes(json);
    }

    /// The item or key.
    pub(crate) fn subject_json(&self) -> &[u8] {
        self.head.as_bytes().get(self.subject..).unwrap_or_default()
    }

    /// The item, if one is put.
    pub(crate) fn item_json(&self) -> Option<&[u8]> {
        (self.verb == WriteVerb::Put).then(|| self.subject_json())
    }

    /// Whether it changes attributes of the item, and not only checks it.
    pub(crate) fn has_changes(&self) -> bool {
        !self.update.is_empty()
    }

    /// The meaning of a failed condition, if it is the write of an item.
    pub(crate) fn condition_failure(&self) -> ConditionFailure {
        self.meaning.condition_failure()
    }

    /// Adds a condition.
    pub(crate) fn add_condition(&mut self, node: Node) {
        if let Meaning::Row(failure) = self.meaning {
            self.meaning = Meaning::Row(failure.beside_condition());
        }
        self.condition.narrow(node);
    }

    /// Declares that a second execution is harmless, even if the write returns this part of the item.
    pub(crate) fn retry_safe(&mut self, returned: Returned) {
        if self.resend == Resend::UnlessAmbiguous || returned != Returned::Nothing {
            self.resend = Resend::RetrySafe;
            self.is_only_typed = false;
        }
    }

    /// Sets the part of the item that it returns.
    pub(super) fn set_returned(&mut self, returned: Returned) {
        self.returns = returned;
        // A second attempt would return the state after the first one, and not the one before it.
        let is_resent = self.resend == Resend::Always || self.is_only_typed;
        if returned != Returned::Nothing && is_resent {
            self.resend = Resend::UnlessAmbiguous;
        }
    }

    /// Turns it into a separate request, and takes the table and the item or key out of it. Returns the position of these
    /// in the body too.
    pub(super) fn take_request(&mut self) -> Result<(Request, Range<usize>)> {
        let mut body = std::mem::take(&mut self.head);
        let head = 0..body.len();
        self.write_rest(&mut body)?;
        let operation = match self.verb {
            WriteVerb::Put => ServiceOperation::PutItem,
            // DynamoDB has no operation that only checks. An update without changes does so, and
            // costs the same.
            WriteVerb::Update | WriteVerb::Check => ServiceOperation::UpdateItem,
            WriteVerb::Delete => ServiceOperation::DeleteItem,
        };
        let table = std::mem::take(&mut self.table);
        let request = Request::new(operation, self.pattern, table, body, self.resend);
        Ok((request, head))
    }

    /// Writes it as a member of a transaction, `{"Put":{..}}`. Returns the position of its table and its item or key.
    pub(super) fn write_body(&self, body: &mut Writer) -> Result<Range<usize>> {
        body.push_raw(match self.verb {
            WriteVerb::Put => "{\"Put\":",
            WriteVerb::Update => "{\"Update\":",
            WriteVerb::Delete => "{\"Delete\":",
            WriteVerb::Check => "{\"ConditionCheck\":",
        });
        let start = body.len();
        body.raw_bytes(self.head.as_bytes());
        let head = start..body.len();
        self.write_rest(body)?;
        body.push_raw("}");
        Ok(head)
    }

    /// Its approximate size in bytes.
    pub(super) fn size_estimate(&self) -> usize {
        self.head.len() + 512
    }

    /// Writes what follows the item or key.
    fn write_rest(&self, body: &mut Writer) -> Result<()> {
        if !self.update.is_empty() || !self.condition.is_always() {
            let fail = |fault| Error::encode(self.entity, fault);
            self.write_expression(body).map_err(fail)?;
        }
        let returned = match self.returns {
            Returned::Nothing => "}",
            Returned::Old => ",\"ReturnValues\":\"ALL_OLD\"}",
            Returned::New => ",\"ReturnValues\":\"ALL_NEW\"}",
            Returned::Changed => ",\"ReturnValues\":\"UPDATED_NEW\"}",
        };
        body.push_raw(returned);
        Ok(())
    }

    fn write_expression(&self, body: &mut Writer) -> Result<(), CodecError> {
        let mut expression = Expression::default();
        if !self.update.is_empty() {
            self.update.write_update(&mut expression);
        }
        if !self.condition.is_always() {
            self.condition
                .write_condition(expression.begin_parameter(CONDITION))?;
        }
        expression.check_limits()?;
        expression.write_members(body);
        // DynamoDB rejects the parameter if the request has no condition.
        if expression.has_parameter(CONDITION) {
            body.push_raw(",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
        }
        Ok(())
    }
}
