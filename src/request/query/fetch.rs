//! One request after the other: what a read of many has read so far, and what comes next.

use bytes::Bytes;

use super::selection::Frame;
use crate::codec::{Fault, Reader, Writer};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Expression;
use crate::wire::{self, Request, Resend};

/// A read of many that is under way.
#[derive(Debug)]
pub(crate) struct Fetch {
    db: Dynamo,
    entity: &'static str,
    frame: Frame,
    /// Where the next request begins: the key attributes as entries of a JSON object.
    start: Option<Vec<u8>>,
    is_done: bool,
    page_size: Option<usize>,
    /// Items that may still be looked at.
    budget: Option<usize>,
    /// How much more than what is wanted is looked at, as a filter may drop rows.
    surplus: usize,
}

/// The answer to one request.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The rows as they came; parts of one body.
    pub(super) rows: Vec<Bytes>,
    pub(super) count: usize,
}

impl Fetch {
    pub(super) fn new(db: Dynamo, entity: &'static str, frame: Frame) -> Self {
        let is_done = frame.is_nothing;
        Fetch {
            db,
            entity,
            frame,
            start: None,
            is_done,
            page_size: None,
            budget: None,
            surplus: 1,
        }
    }

    /// Of all keys of a table.
    pub(in crate::request) fn keys(
        db: Dynamo,
        entity: &'static str,
        table: &str,
        names: &[&str],
    ) -> Result<Self, Fault> {
        let mut expression = Expression::default();
        let out = expression.begin("ProjectionExpression");
        for (at, name) in names.iter().enumerate() {
            out.push(if at == 0 { "" } else { ", " })
                .name((*name).to_owned());
        }
        expression.check()?;
        let mut body = Writer::for_request(256);
        body.raw("{\"TableName\":");
        body.quoted(table);
        expression.write(&mut body);
        body.raw(",\"ConsistentRead\":true");
        let frame = Frame {
            operation: wire::Operation::Scan,
            table: table.to_owned(),
            body: body.into_bytes(),
            filters: Vec::new(),
            is_nothing: false,
        };
        Ok(Fetch::new(db, entity, frame))
    }

    /// The rows of the next answer.
    pub(in crate::request) async fn next_rows(&mut self) -> Result<Vec<Bytes>> {
        Ok(self.next(None).await?.rows)
    }

    pub(super) fn start_at(mut self, start: Option<Vec<u8>>) -> Self {
        self.start = start;
        self
    }

    pub(super) fn looking_at(mut self, page_size: Option<usize>, budget: Option<usize>) -> Self {
        self.page_size = page_size.map(|size| size.max(1));
        self.budget = budget;
        self
    }

    /// Nothing more is there.
    pub(in crate::request) fn is_done(&self) -> bool {
        self.is_done
    }

    /// There may be more, and it may not be looked at.
    pub(super) fn is_spent(&self) -> bool {
        !self.is_done && self.budget == Some(0)
    }

    /// Where the next request would begin.
    pub(super) fn position(&self) -> Option<&[u8]> {
        self.start.as_deref()
    }

    /// The next answer. `wanted` is how many rows there is use for.
    pub(super) async fn next(&mut self, wanted: Option<usize>) -> Result<Answer> {
        if self.is_done || self.budget == Some(0) {
            return Ok(Answer::default());
        }
        let limit = self.limit(wanted);
        let reply = self.db.call(self.request(limit)).await;
        let reply = reply.map_err(|failure| failure.error.of(self.entity))?;
        let answer = read(&reply.body)
            .map_err(|fault| unreadable(&fault).with_request_id(reply.request_id.as_deref()))?;
        self.start = answer.last.filter(|last| !last.is_empty());
        self.is_done = self.start.is_none();
        if let Some(budget) = &mut self.budget {
            *budget = budget.saturating_sub(answer.scanned);
        }
        let rows = answer.rows.iter().map(|row| reply.body.slice_ref(row));
        Ok(Answer {
            rows: rows.collect(),
            count: answer.count,
        })
    }

    /// How many items the next request looks at. Under a filter nobody knows how many that takes:
    /// twice as many each time.
    fn limit(&mut self, wanted: Option<usize>) -> Option<usize> {
        let wanted = wanted.map(|wanted| {
            if self.frame.filters.is_empty() {
                return wanted;
            }
            let enough = wanted.saturating_mul(self.surplus);
            self.surplus = self.surplus.saturating_mul(2);
            enough
        });
        let limits = [wanted, self.page_size, self.budget];
        limits.into_iter().flatten().min()
    }

    fn request(&self, limit: Option<usize>) -> Request {
        let mut body = Writer::for_request(self.frame.body.len() + 256);
        body.raw_bytes(&self.frame.body);
        if let Some(limit) = limit {
            // More than an answer can hold is no limit.
            body.raw(&format!(",\"Limit\":{}", limit.clamp(1, i32::MAX as usize)));
        }
        if let Some(start) = &self.start {
            body.raw(",\"ExclusiveStartKey\":{");
            body.raw_bytes(start);
            body.raw("}");
        }
        body.raw("}");
        Request {
            operation: self.frame.operation,
            table: self.frame.table.clone(),
            body: Bytes::from(body.into_bytes()),
            resend: Resend::Always,
        }
    }

    /// The next request as it would be sent.
    pub(super) fn preview(mut self, wanted: Option<usize>) -> (Frame, Bytes) {
        let limit = self.limit(wanted);
        let body = self.request(limit).body;
        (self.frame, body)
    }
}

/// An answer, still in its body.
#[derive(Default)]
struct Raw<'r> {
    rows: Vec<&'r [u8]>,
    count: usize,
    scanned: usize,
    last: Option<Vec<u8>>,
}

fn read(body: &[u8]) -> Result<Raw<'_>, Fault> {
    let mut raw = Raw::default();
    let mut reader = Reader::new(body);
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        match &*name {
            "Items" => {
                reader.open_array()?;
                let mut first = true;
                while reader.next_element(&mut first)? {
                    raw.rows.push(reader.raw_value()?);
                }
            }
            "Count" => raw.count = number(reader.raw_value()?)?,
            "ScannedCount" => raw.scanned = number(reader.raw_value()?)?,
            "LastEvaluatedKey" => raw.last = Some(entries(reader.raw_value()?)?),
            _ => reader.skip()?,
        }
    }
    Ok(raw)
}

fn number(digits: &[u8]) -> Result<usize, Fault> {
    let digits = std::str::from_utf8(digits).ok();
    let number = digits.and_then(|digits| digits.trim().parse().ok());
    number.ok_or_else(|| Fault::mismatch("a number", "something else"))
}

/// The inside of an object.
fn entries(object: &[u8]) -> Result<Vec<u8>, Fault> {
    let inside = object
        .strip_prefix(b"{")
        .and_then(|object| object.strip_suffix(b"}"));
    let inside = inside.ok_or_else(|| Fault::mismatch("a key", "something else"))?;
    Ok(inside.trim_ascii().to_vec())
}

fn unreadable(fault: &Fault) -> Error {
    Error::new(
        ErrorKind::Service,
        Stage::Service,
        format!("the service's answer cannot be read: {fault}"),
    )
}
