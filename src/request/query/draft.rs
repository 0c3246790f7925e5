//! A query under construction: what the stages of a chain carry on.

use std::fmt;

use super::partition::{Given, combinations};
use super::source::{Source, part_at};
use crate::codec::{Fault, Reader, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};
use crate::key::span::{Behind, PartBound, Span};
use crate::key::{KeyTarget, Reach, Role, Shard, check_size};
use crate::schema::{Piece, Style, Width};

/// Which keys are asked for. A part that does not fit is kept as a fault until it is sent.
#[derive(Clone)]
pub struct Draft {
    pub(crate) source: Source,
    /// The partitions: their attributes as entries of a JSON object.
    pub(crate) partitions: Vec<Vec<u8>>,
    /// The attributes of the sort key compared by `=`, likewise.
    pub(crate) equals: Vec<u8>,
    /// The front of the text of a sort key with a template.
    pub(crate) head: Vec<u8>,
    /// How many parts, or attributes, of the sort key are known.
    pub(crate) parts: usize,
    /// The condition on the sort key, and the attribute that it is about.
    pub(crate) range: Option<KeyRange>,
    pub(crate) ranged: Option<&'static str>,
    /// What was asked of it: which bounds, and whether they are held.
    pub(crate) verb: u8,
    /// All partitions are read, and no key is asked for.
    pub(crate) is_scan: bool,
    pub(crate) fault: Option<Fault>,
}

const STARTS_WITH: u8 = 10;

/// Writes what stands before the first part of a sort key.
pub type WriteFront = fn(KeyTarget<'_>) -> Result<(), Fault>;

/// Writes a part of a sort key.
type WritePart<'a> = &'a dyn Fn(KeyTarget<'_>) -> Result<(), Fault>;

/// One end of a range: what writes it, and whether it is in the range.
pub(super) type End<'a> = Option<(WritePart<'a>, bool)>;

impl Draft {
    /// The partitions of these parts, each with all its shards. `write` writes the key of one of them,
    /// `front` what its sort keys begin with, if they have a template.
    pub fn new<const N: usize>(
        source: Source,
        parts: [Vec<Given>; N],
        write: impl Fn(&[&Given; N], Shard, &mut Writer) -> Result<(), Fault>,
        front: Option<WriteFront>,
    ) -> Self {
        let mut head = Vec::new();
        let mut partitions = Vec::new();
        let mut written = match front {
            Some(front) => front(KeyTarget::text(&mut head, Reach::Front)),
            None => Ok(()),
        };
        for parts in combinations(&parts) {
            for shard in source.shards() {
                let mut writer = Writer::default();
                written = written.and_then(|()| write(&parts, shard, &mut writer));
                let partition = writer.into_bytes();
                if !partitions.contains(&partition) {
                    partitions.push(partition);
                }
            }
        }
        Draft {
            source,
            partitions,
            equals: Vec::new(),
            head,
            parts: 0,
            range: None,
            ranged: None,
            verb: 0,
            is_scan: false,
            fault: written.err(),
        }
    }

    /// The whole table.
    pub(super) fn scan(source: Source) -> Self {
        Draft {
            is_scan: true,
            partitions: vec![Vec::new()],
            ..Draft::new(source, [], |[], _, _| Ok(()), None)
        }
    }

    /// The next part is this one.
    pub(super) fn equal(&mut self, write: WritePart<'_>) {
        let written = if self.source.template().is_some() {
            let reach = Reach::Part(self.parts);
            write(KeyTarget::text(&mut self.head, reach))
        } else {
            let mut writer = Writer::default();
            writer.raw("{");
            writer.raw_bytes(&self.equals);
            let written = write(KeyTarget::attribute(&mut writer));
            self.equals = writer.into_bytes().split_off(1);
            written
        };
        self.note(written);
        self.parts += 1;
    }

    /// The next part is between these.
    pub(super) fn between(&mut self, lower: End<'_>, upper: End<'_>) {
        let sides = |side: &End<'_>| match side {
            None => 0,
            Some((_, false)) => 1,
            Some((_, true)) => 2,
        };
        self.verb = 1 + sides(&lower) + 3 * sides(&upper);
        let range = match self.source.template() {
            Some((attribute, pieces)) => {
                self.ranged = Some(attribute);
                self.template_range(pieces, lower, upper)
            }
            None => {
                let key = self.source.sort().get(self.parts);
                self.ranged = key.map(|key| key.attribute);
                native_range(lower, upper)
            }
        };
        match range {
            Ok(range) => self.range = Some(range),
            Err(fault) => self.note(Err(fault)),
        }
    }

    /// The next part starts with this text.
    pub(super) fn starting_with(&mut self, text: &str) {
        let key = self.source.sort().get(match self.source.template() {
            Some(_) => 0,
            None => self.parts,
        });
        self.ranged = key.map(|key| key.attribute);
        let prefix = match self.source.template() {
            Some(_) => {
                let mut prefix = self.head.clone();
                crate::key::escape_part(text, self.source.table.style, &mut prefix);
                into_text(prefix)
            }
            None => text.to_owned(),
        };
        self.verb = STARTS_WITH;
        self.range = Some(KeyRange::starting_with(prefix));
    }

    /// All that is known of the sort key, as a condition on the attribute that is named.
    pub(super) fn finish(&mut self) {
        let is_open = self.range.is_none() && !self.is_scan;
        let Some((attribute, pieces)) = self.source.template().filter(|_| is_open) else {
            return;
        };
        let head = into_text(self.head.clone());
        let is_whole = part_at(pieces, self.parts).is_none();
        self.ranged = Some(attribute);
        let fits = check_size(head.len(), Role::Sort);
        self.note(fits.map_err(|fault| fault.in_key(attribute)));
        self.range = Some(if is_whole {
            KeyRange::Exactly(KeyPoint::S(head))
        } else {
            KeyRange::starting_with(head)
        });
    }

    /// All keys with the parts that are known.
    pub(super) fn group(&self) -> KeyRange {
        if self.source.template().is_none() {
            return KeyRange::All;
        }
        let span = Span {
            head: &into_text(self.head.clone()),
            behind: Behind::Other,
            fixed: false,
            escaped: self.source.table.style == Style::Escaped,
        };
        span.range(None, None)
    }

    fn template_range(
        &self,
        pieces: &'static [Piece],
        lower: End<'_>,
        upper: End<'_>,
    ) -> Result<KeyRange, Fault> {
        let bound = |end: End<'_>| {
            let Some((write, included)) = end else {
                return Ok(None);
            };
            let mut text = self.head.clone();
            write(KeyTarget::text(&mut text, Reach::Bound(self.parts)))?;
            let text = into_text(text);
            Ok(Some(PartBound { text, included }))
        };
        let head = into_text(self.head.clone());
        let escaped = self.source.table.style == Style::Escaped;
        let at = part_at(pieces, self.parts).unwrap_or_default();
        let behind = match pieces.get(at + 1) {
            None => Behind::End,
            Some(Piece::Literal(text)) if escaped && text.starts_with('#') => Behind::Delimiter,
            Some(_) => Behind::Other,
        };
        let fixed = !matches!(
            pieces.get(at),
            Some(Piece::Part {
                width: Width::Variable,
                ..
            })
        );
        let span = Span {
            head: &head,
            behind,
            fixed,
            escaped,
        };
        Ok(span.range(bound(lower)?, bound(upper)?))
    }

    /// Keeps the first fault.
    fn note(&mut self, written: Result<(), Fault>) {
        if let (Err(fault), None) = (written, &self.fault) {
            self.fault = Some(fault);
        }
    }
}

fn native_range(lower: End<'_>, upper: End<'_>) -> Result<KeyRange, Fault> {
    let bound = |end: End<'_>| {
        let Some((write, included)) = end else {
            return Ok(None);
        };
        let mut writer = Writer::default();
        write(KeyTarget::bound(&mut writer))?;
        let point = KeyPoint::read(&mut Reader::new(writer.as_bytes()))?;
        Ok(Some(Bound { point, included }))
    };
    Ok(KeyRange::of(bound(lower)?, bound(upper)?))
}

/// Parts are written as text.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Key values stay out.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.source.index {
            Some(index) => index.name,
            None if self.is_scan => "scan",
            None => "in_partition",
        };
        write!(f, "{}::{name}(..)", self.source.name())
    }
}
