//! The content of a response: items, and the keys that DynamoDB omitted.

use std::collections::HashMap;

use super::frame::{BatchReader, Numbered, TableFrame};
use crate::json::{CodecError, KeyFinder, Reader, Writer, answer_members, array_elements};
use crate::key::json::{KeyJson, write_noted};
use crate::read::{Answered, RawRow, RowsAhead};
use crate::wire::sum_units;

/// The items of a response with the numbers of their keys, and the keys that DynamoDB omitted.
#[derive(Default)]
pub(super) struct BatchGetAnswer<'k> {
    pub(super) items: Vec<(usize, RawRow)>,
    pub(super) left: Vec<Numbered<'k>>,
    /// The consumed units.
    pub(super) units: Option<f64>,
}

impl BatchReader {
    pub(super) fn read_answer<'k>(
        &self,
        reply: &Answered,
        keys: &[Numbered<'k>],
    ) -> Result<BatchGetAnswer<'k>, CodecError> {
        let tables = self.requested_tables(keys);
        let table_of = |name: &str| {
            let table = tables.iter().find(|table| table.frame.table == name);
            table.ok_or_else(not_asked)
        };
        let mut asked = RequestedKeys::of_keys(keys);
        let mut answer = BatchGetAnswer::default();
        let mut reader = Reader::new(reply.response_body());
        let mut first = true;
        reader.open_object()?;
        while let Some(name) = reader.next_answered(&mut first)? {
            match &*name {
                "Responses" => {
                    let mut first = true;
                    reader.open_object()?;
                    while let Some(name) = reader.next_name(&mut first)? {
                        table_of(&name)?.read_items(&mut reader, reply, &mut asked, &mut answer)?;
                    }
                }
                "UnprocessedKeys" => {
                    for (name, request) in answer_members(reader.raw_value()?)? {
                        table_of(&name)?.leave_out(request, &mut asked, &mut answer)?;
                    }
                }
                "ConsumedCapacity" => {
                    for table in array_elements(reader.raw_value()?).unwrap_or_default() {
                        let all = answer.units.unwrap_or_default();
                        answer.units = sum_units(table).map(|more| all + more).or(answer.units);
                    }
                }
                _ => reader.skip()?,
            }
        }
        Ok(answer)
    }

    fn requested_tables(&self, keys: &[Numbered<'_>]) -> Vec<RequestedTable<'_>> {
        let asked = self.key_frames(keys).into_iter();
        let tables = asked.map(|(number, frame)| RequestedTable {
            number,
            frame,
            finder: KeyFinder::of_names(&frame.names),
        });
        tables.collect()
    }
}

/// A table of the request.
struct RequestedTable<'f> {
    number: usize,
    frame: &'f TableFrame,
    /// Finds the key of an item.
    finder: KeyFinder,
}

impl RequestedTable<'_> {
    /// Reads its items, each with its key.
    fn read_items<'r>(
        &'r self,
        reader: &mut Reader<'r>,
        reply: &Answered,
        asked: &mut RequestedKeys<'_, '_>,
        answer: &mut BatchGetAnswer<'_>,
    ) -> Result<(), CodecError> {
        let mut key = Writer::with_capacity(96);
        let mut first = true;
        // Some servers write null for a table without items.
        if reader.take_nothing() {
            return Ok(());
        }
        let mut numbers = Vec::with_capacity(asked.keys.len());
        let mut items = RowsAhead::new(self.frame.ahead);
        items.reserve_rows(asked.keys.len(), reply.response_body().len());
        reader.open_array()?;
        while reader.next_element(&mut first)? {
            items.read_next(reader, Some(&self.finder))?;
            // One buffer serves for all keys, because each is only compared.
            key.rewind_to(0);
            write_noted(&self.finder, reader, &mut key)?;
            numbers.push(asked.take_key(self.number, key.as_bytes())?.number);
        }
        answer
            .items
            .extend(numbers.into_iter().zip(items.into_rows(reply)));
        Ok(())
    }

    /// Reads the keys that DynamoDB omitted.
    fn leave_out<'k>(
        &self,
        request: &[u8],
        asked: &mut RequestedKeys<'_, 'k>,
        answer: &mut BatchGetAnswer<'k>,
    ) -> Result<(), CodecError> {
        let keys = crate::json::find_answer(request, "Keys")?;
        for key in keys.map_or(Ok(Vec::new()), array_elements)? {
            let key = KeyJson::of_object(key, &self.frame.names)?;
            answer
                .left
                .push(asked.take_key(self.number, key.as_bytes())?);
        }
        Ok(())
    }
}

fn not_asked() -> CodecError {
    CodecError::new("it names a table or a key that was not requested")
}

/// The keys of a request. Most engines respond in their order and AWS in any order, so the next one is checked first.
struct RequestedKeys<'a, 'k> {
    keys: &'a [Numbered<'k>],
    next: usize,
    all: HashMap<(usize, &'k [u8]), usize>,
}

impl<'a, 'k> RequestedKeys<'a, 'k> {
    fn of_keys(keys: &'a [Numbered<'k>]) -> Self {
        RequestedKeys {
            keys,
            next: 0,
            all: HashMap::new(),
        }
    }

    /// The key with these bytes.
    fn take_key(&mut self, frame: usize, json: &[u8]) -> Result<Numbered<'k>, CodecError> {
        let next = self.keys.get(self.next);
        let is_next = next.is_some_and(|next| next.frame == frame && next.key == json);
        let at = if is_next {
            self.next
        } else {
            self.key_place(frame, json)?
        };
        self.next = at + 1;
        self.keys.get(at).copied().ok_or_else(not_asked)
    }

    fn key_place(&mut self, frame: usize, json: &[u8]) -> Result<usize, CodecError> {
        // The map is built only if a response is out of order, which most are not.
        if self.all.is_empty() {
            let keys = self.keys.iter().enumerate();
            let keys = keys.map(|(at, key)| ((key.frame, key.key), at));
            self.all.extend(keys);
        }
        self.all.get(&(frame, json)).copied().ok_or_else(not_asked)
    }
}
