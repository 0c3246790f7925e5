//! The body of a request.

use super::frame::{BatchReader, Numbered, TableFrame};
use crate::json::Writer;
use crate::schema::Pattern;
use crate::wire::{self, RETURN_CONSUMED, Request, Resend};

impl BatchReader {
    pub(super) fn chunk_request(&self, keys: &[Numbered<'_>]) -> Request {
        build_request(&self.key_frames(keys), keys, self.meter.is_some())
    }

    /// A request before its keys are known.
    pub(crate) fn form_request(&self) -> Request {
        let asked: Vec<_> = self.frames.iter().enumerate().collect();
        build_request(&asked, &[], self.meter.is_some())
    }

    /// The frames of these keys, with their numbers, in order of appearance.
    pub(super) fn key_frames(&self, keys: &[Numbered<'_>]) -> Vec<(usize, &TableFrame)> {
        let mut asked: Vec<(usize, &TableFrame)> = Vec::new();
        for key in keys {
            if !asked.iter().any(|(known, _)| *known == key.frame)
                && let Some(frame) = self.frames.get(key.frame)
            {
                asked.push((key.frame, frame));
            }
        }
        asked
    }
}

fn build_request(
    asked: &[(usize, &TableFrame)],
    keys: &[Numbered<'_>],
    is_metered: bool,
) -> Request {
    let bytes: usize = keys.iter().map(|key| key.key.len() + 3).sum();
    let mut body = Writer::for_request(128 + bytes);
    body.push_raw("{\"RequestItems\":{");
    for (at, (number, frame)) in asked.iter().enumerate() {
        body.push_raw(if at == 0 { "" } else { "," });
        frame.write_keys(keys.iter().filter(|key| key.frame == *number), &mut body);
    }
    body.push_raw("}");
    if is_metered {
        body.push_raw(RETURN_CONSUMED);
    }
    body.push_raw("}");
    let table = asked
        .first()
        .map_or_else(String::new, |(_, frame)| frame.table.clone());
    let patterns = asked.iter().map(|(_, frame)| frame.pattern);
    let pattern = match asked {
        [(_, alone)] => alone.pattern,
        _ => Pattern::of_all(patterns, |joint| &joint.batch_get),
    };
    let operation = wire::ServiceOperation::BatchGetItem;
    Request {
        is_metered,
        ..Request::new(operation, pattern, table, body, Resend::Always)
    }
}

impl TableFrame {
    fn write_keys<'a, 'k: 'a>(
        &self,
        keys: impl Iterator<Item = &'a Numbered<'k>>,
        body: &mut Writer,
    ) {
        body.push_quoted(&self.table);
        body.push_raw(":{\"Keys\":[");
        for (at, key) in keys.enumerate() {
            body.push_raw(if at == 0 { "{" } else { ",{" });
            body.raw_bytes(key.key);
            body.push_raw("}");
        }
        body.push_raw("]");
        body.raw_bytes(&self.options);
        body.push_raw("}");
    }
}
