//! From records to typed changes.
//!
//! ```text
//! record -> a sentinel?          not shown
//!        -> equal images?        not shown
//!        -> of other entities?   their images count as missing; not shown if no image is left
//!        -> equal fields?        a fill; not shown, unless it is a touch
//!        -> kind                 from the remaining images, then from the name of the event
//!        -> decode               a change, or an error
//! ```

use std::collections::BTreeSet;
use std::fmt;

use super::change::{ChangeEvent, ItemChange, UnreadChange};
use super::event::StreamEvent;
use super::form::EventForm;
use super::kind::{EventKind, KnownImages};
use super::record::{RecordParts, StreamRecord};
use crate::entity::sentinel::{is_sentinel, is_sentinel_text};
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, Tag, find_member};
use crate::key::json::KeyJson;
use crate::schema::{
    EntityDef, TableDef, has_type_of_any, has_unique_rows, has_uniques, is_unique_row,
};

/// The reader of the item before or after a change.
pub(super) struct Side<T> {
    /// Whether the item is read from an image; otherwise, only its key is read.
    pub(super) is_image: bool,
    pub(super) read: fn(&[u8]) -> Result<T>,
}

impl<T> Clone for Side<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Side<T> {}

/// The entity or collection that is followed, without its type.
#[derive(Clone, Copy)]
pub(super) struct Followed {
    pub(super) name: &'static str,
    /// The declaration of the entity; `None` for a collection.
    pub(super) id: Option<&'static str>,
    pub(super) table: &'static TableDef,
    pub(super) entities: &'static [&'static EntityDef],
    /// The stored names of the entities whose changes are read.
    pub(super) members: fn() -> BTreeSet<String>,
    /// Whether an item, or a key alone, belongs to it.
    pub(super) is_mine: fn(&[u8]) -> bool,
    /// Whether a key without any image may be one of what is followed.
    pub(super) may_be_my_key: fn(&[u8]) -> bool,
    /// Whether two items have the same values in all fields.
    pub(super) is_same: fn(&[u8], &[u8]) -> bool,
}

/// An iterator over the typed changes of an event; see [`EntityChanges::changes_of`](super::EntityChanges::changes_of).
///
/// It returns the changes in the order of the records, and skips the records that are not shown.
/// [`each`](ItemChanges::each) calls a handler for each change instead, and returns the response of the function.
#[must_use = "an iterator: call `each`, or go through it"]
pub struct ItemChanges<New, Old = New> {
    pub(super) form: EventForm,
    pub(super) records: std::vec::IntoIter<StreamRecord>,
    pub(super) followed: Followed,
    new: Side<New>,
    old: Side<Old>,
}

impl<New, Old> ItemChanges<New, Old> {
    pub(super) fn of_event(
        event: &StreamEvent,
        followed: Followed,
        new: Side<New>,
        old: Side<Old>,
    ) -> Self {
        ItemChanges {
            form: event.event_form(),
            records: event.records().to_vec().into_iter(),
            followed,
            new,
            old,
        }
    }

    /// A reader for the records of a stream. It contains no records of an event.
    pub(super) fn of_stream(followed: Followed, new: Side<New>, old: Side<Old>) -> Self {
        ItemChanges {
            form: EventForm::Lambda,
            records: Vec::new().into_iter(),
            followed,
            new,
            old,
        }
    }

    /// The change of a record; `None` if it is not shown.
    pub(super) fn read_record(
        &self,
        record: &StreamRecord,
    ) -> Option<std::result::Result<ItemChange<New, Old>, UnreadChange>> {
        let read = self.read_event(record.record_parts()).transpose()?;
        let record = record.clone();
        Some(match read {
            Ok(event) => Ok(ItemChange { event, record }),
            Err(error) => Err(UnreadChange { error, record }),
        })
    }

    fn read_event(&self, record: &RecordParts) -> Result<Option<ChangeEvent<New, Old>>> {
        let fail = |fault| self.followed.unfit_record(record, fault);
        if let Some(fault) = &record.fault {
            return Err(fail(fault.clone()));
        }
        // The embedded engine reports a write that changes nothing, and marks of jobs change items
        // without a meaning for consumers.
        if self.followed.is_of_sentinel(record) || record.is_unchanged() {
            return Ok(None);
        }
        let known = record.known_images();
        self.check_view(known).map_err(fail)?;
        let is_mine = self.followed.is_mine;
        let new = record.new.as_deref().filter(|image| is_mine(image));
        let old = record.old.as_deref().filter(|image| is_mine(image));
        let is_whole = record.new.is_some() || record.old.is_some();
        match is_whole {
            // An item may change from one entity to another. It is then a removal for the one and a
            // creation for the other.
            true if new.is_none() && old.is_none() => return Ok(None),
            false if !(self.followed.may_be_my_key)(&record.keys) => return Ok(None),
            _ => {}
        }
        // A fill adds keys of indexes and defaults, or stores the same values under other names or in another shape.
        if let (Some(new), Some(old)) = (new, old)
            && !record.is_touch()
            && (self.followed.is_same)(old, new)
        {
            return Ok(None);
        }
        let kind = record
            .event_kind(new.is_some(), old.is_some())
            .map_err(fail)?;
        // The side without an image is read from the key, which every record has.
        let side = |image, is_image| match is_image {
            true => image,
            false => Some(record.keys.as_slice()),
        };
        let (new, old) = (side(new, self.new.is_image), side(old, self.old.is_image));
        let (read_new, read_old) = (self.new.read, self.old.read);
        let new = || {
            new.ok_or_else(|| fail(missing_image("NewImage")))
                .and_then(read_new)
        };
        let old = || {
            old.ok_or_else(|| fail(missing_image("OldImage")))
                .and_then(read_old)
        };
        Ok(Some(match kind {
            EventKind::Created => ChangeEvent::Created(new()?),
            EventKind::Changed => ChangeEvent::Changed {
                old: old()?,
                new: new()?,
            },
            EventKind::Removed => ChangeEvent::Removed {
                old: old()?,
                by_ttl: record.by_ttl,
            },
        }))
    }

    /// Whether a stream has all images that are read.
    pub(super) fn is_satisfied(&self, known: KnownImages) -> bool {
        (known.new || !self.new.is_image) && (known.old || !self.old.is_image)
    }

    /// Rejects a record if its stream does not have the images that this reader needs.
    fn check_view(&self, known: KnownImages) -> Result<(), CodecError> {
        if self.is_satisfied(known) {
            return Ok(());
        }
        let verb = match (known.new, known.old) {
            (true, _) => "`new_images_of` or `new_image_changes`",
            (_, true) => "`old_images_of` or `old_image_changes`",
            _ => "`keys_of` or `key_changes`",
        };
        Err(CodecError::new(format!(
            "the record does not have the images that this function reads: read this stream with {verb}, or give the \
             table a stream with more images"
        ))
        .at("StreamViewType"))
    }
}

fn missing_image(image: &'static str) -> CodecError {
    CodecError::new("the record does not have this image").at(image)
}

impl Followed {
    /// The error of a record, with the key of its item.
    #[cold]
    fn unfit_record(&self, record: &RecordParts, fault: CodecError) -> Error {
        Error::decode(self.name, fault)
            .declared_as(self.id)
            .with_item_key(KeyJson::object_in(self.table, &record.keys))
    }

    /// Whether the record is of an item that stores a unique value.
    fn is_of_sentinel(&self, record: &RecordParts) -> bool {
        if has_unique_rows(self.entities) && is_unique_row(self.table, self.entities, &record.keys)
        {
            let mut images = record.new.iter().chain(&record.old);
            return !images.any(|image| has_type_of_any(self.table, self.entities, image));
        }
        if !has_uniques(self.entities) {
            return false;
        }
        let mut images = record.new.iter().chain(&record.old).peekable();
        match images.peek() {
            Some(_) => images.any(|image| is_sentinel(image)),
            None => self.is_sentinel_key(&record.keys),
        }
    }

    /// Whether this is the key of a sentinel, which no entity can have.
    fn is_sentinel_key(&self, keys: &[u8]) -> bool {
        let value = |name| find_member(keys, name).ok().flatten();
        let pk = value(self.table.pk).and_then(|pk| Reader::new(pk).text().ok());
        let begins = pk.is_some_and(|pk| is_sentinel_text(&pk));
        let Some(sk) = self.table.sk else {
            return begins;
        };
        begins
            && value(sk).is_some_and(|sk| {
                let mut sk = Reader::new(sk);
                match sk.tag() {
                    Ok(Tag::S) => sk.text().is_ok_and(|text| text == "$"),
                    Ok(Tag::N) => sk.digits().is_ok_and(|digits| digits == "0"),
                    Ok(Tag::B) => sk.binary().is_ok_and(|bytes| bytes == b"$"),
                    _ => false,
                }
            })
    }
}

impl<New, Old> Iterator for ItemChanges<New, Old> {
    type Item = std::result::Result<ItemChange<New, Old>, UnreadChange>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = self.records.next()?;
            if let Some(change) = self.read_record(&record) {
                return Some(change);
            }
        }
    }
}

impl<New, Old> fmt::Debug for ItemChanges<New, Old> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.records.as_slice();
        write!(
            f,
            "ItemChanges of {} ({} records)",
            self.followed.name,
            left.len()
        )
    }
}
