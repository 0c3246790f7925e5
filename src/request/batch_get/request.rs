//! The body of a request, and what its answer says.

use std::collections::HashSet;

use bytes::Bytes;

use super::{BatchGet, Frame, WantedKey};
use crate::codec::{Fault, Writer, answer, answered, elements};
use crate::key::point::points_of;
use crate::request::query::{RETURN_CONSUMED, units};
use crate::wire::{self, Request, Resend};

/// The items of an answer with their keys, and the keys that the service left out.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) items: Vec<(WantedKey, Bytes)>,
    pub(super) left: HashSet<WantedKey>,
    /// What it took.
    pub(super) units: Option<f64>,
}

impl BatchGet {
    pub(super) fn request(&self, keys: &[&WantedKey]) -> Request {
        request(&self.asked(keys), keys, self.meter.is_some())
    }

    /// A request before its keys are known.
    pub(in crate::request) fn form(&self) -> Request {
        let asked: Vec<_> = self.frames.iter().enumerate().collect();
        request(&asked, &[], self.meter.is_some())
    }

    /// The frames of these keys, with their numbers, in the order in which they come.
    fn asked(&self, keys: &[&WantedKey]) -> Vec<(usize, &Frame)> {
        let mut asked: Vec<(usize, &Frame)> = Vec::new();
        for (number, _) in keys {
            if !asked.iter().any(|(known, _)| known == number)
                && let Some(frame) = self.frames.get(*number)
            {
                asked.push((*number, frame));
            }
        }
        asked
    }

    pub(super) fn answer(&self, body: &Bytes, keys: &[&WantedKey]) -> Result<Answer, Fault> {
        let asked = self.asked(keys);
        let frame_of = |table: &str| {
            let frame = asked.iter().find(|(_, frame)| frame.table == table);
            frame.ok_or_else(|| Fault::new("it names a table that was not asked for"))
        };
        let mut answer = Answer::default();
        for (name, tables) in answered(body)? {
            match &*name {
                "Responses" => {
                    for (table, items) in answered(tables)? {
                        let (number, frame) = frame_of(&table)?;
                        for item in elements(items)? {
                            let key = (*number, points_of(item, &frame.names)?);
                            answer.items.push((key, body.slice_ref(item)));
                        }
                    }
                }
                "UnprocessedKeys" => {
                    for (table, request) in answered(tables)? {
                        let (number, frame) = frame_of(&table)?;
                        for key in frame.unprocessed(request)? {
                            answer.left.insert((*number, key));
                        }
                    }
                }
                "ConsumedCapacity" => {
                    for table in elements(tables).unwrap_or_default() {
                        let more = units(table).map(|more| more + answer.units.unwrap_or_default());
                        answer.units = more.or(answer.units);
                    }
                }
                _ => {}
            }
        }
        Ok(answer)
    }
}

fn request(asked: &[(usize, &Frame)], keys: &[&WantedKey], is_metered: bool) -> Request {
    let mut body = Writer::for_request(128 + 96 * keys.len());
    body.raw("{\"RequestItems\":{");
    for (at, (number, frame)) in asked.iter().enumerate() {
        body.raw(if at == 0 { "" } else { "," });
        frame.write(keys.iter().filter(|key| key.0 == *number), &mut body);
    }
    body.raw("}");
    if is_metered {
        body.raw(RETURN_CONSUMED);
    }
    body.raw("}");
    Request {
        operation: wire::Operation::BatchGetItem,
        table: asked
            .first()
            .map_or_else(String::new, |(_, frame)| frame.table.clone()),
        body: Bytes::from(body.into_bytes()),
        resend: Resend::Always,
    }
}

impl Frame {
    fn write<'a, 'k: 'a>(&self, keys: impl Iterator<Item = &'a &'k WantedKey>, body: &mut Writer) {
        body.quoted(&self.table);
        body.raw(":{\"Keys\":[");
        for (at, (_, key)) in keys.enumerate() {
            body.raw(if at == 0 { "{" } else { ",{" });
            for (name, point) in self.names.iter().zip(key) {
                body.dynamic_name(name);
                point.write(body);
            }
            body.raw("}");
        }
        body.raw("]");
        body.raw_bytes(&self.options);
        body.raw("}");
    }

    fn unprocessed(&self, request: &[u8]) -> Result<Vec<super::PrimaryKey>, Fault> {
        let keys = answer(request, "Keys")?;
        let keys = keys.map_or(Ok(Vec::new()), elements)?;
        let read = |key| points_of(key, &self.names);
        keys.into_iter().map(read).collect()
    }
}
