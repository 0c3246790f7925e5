//! A query under construction: what the stages of a chain carry on.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use super::asked::Asked;
use super::partition::{Given, combinations};
use super::source::{Source, part_at};
use crate::codec::{Fault, Reader, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};
use crate::key::span::{Behind, PartBound, Span};
use crate::key::{KeyTarget, Reach, Role, Shard, check_size};
use crate::schema::{KeyType, Piece, Style, Width};

/// Which keys are asked for. A part that does not fit is kept as a fault until it is sent.
#[derive(Clone)]
pub struct Draft {
    pub(crate) source: Source,
    /// The partitions: their attributes as entries of a JSON object.
    pub(crate) partitions: Vec<Vec<u8>>,
    /// What is known of the sort keys: one front, or several where `each(..)` gave a part.
    pub(crate) fronts: Vec<Front>,
    /// How many parts, or attributes, of the sort key are known.
    pub(crate) parts: usize,
    /// What the part behind them has to be.
    pub(crate) asked: Asked,
    /// All partitions are read, and no key is asked for.
    pub(crate) is_scan: bool,
    pub(crate) fault: Option<Fault>,
}

/// The known parts of a sort key.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Front {
    /// The attributes compared by `=`, as entries of a JSON object.
    pub(crate) equals: Vec<u8>,
    /// The front of the text of a key with a template.
    pub(crate) head: Vec<u8>,
}

/// The keys of one partition with one front.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'a> {
    pub(crate) partition: &'a [u8],
    pub(crate) front: &'a Front,
}

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
        let mut only = Front::default();
        let mut partitions = Distinct::default();
        let mut written = match front {
            Some(front) => front(KeyTarget::text(&mut only.head, Reach::Front)),
            None => Ok(()),
        };
        for parts in combinations(&parts) {
            for shard in source.shards() {
                let mut writer = Writer::default();
                written = written.and_then(|()| write(&parts, shard, &mut writer));
                partitions.push(writer.into_bytes());
            }
        }
        Draft {
            source,
            partitions: partitions.values,
            fronts: vec![only],
            parts: 0,
            asked: Asked::Anything,
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

    /// The partitions with each of their fronts.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = Lane<'_>> {
        self.partitions.iter().flat_map(|partition| {
            let fronts = self.fronts.iter();
            fronts.map(|front| Lane { partition, front })
        })
    }

    /// The next part is one of these.
    pub(super) fn equal(&mut self, values: &[WritePart<'_>]) {
        let mut fronts = Distinct::default();
        let mut written = Ok(());
        for front in &self.fronts {
            for write in values {
                let mut front = front.clone();
                written = written.and_then(|()| self.go_on(&mut front, *write));
                fronts.push(front);
            }
        }
        self.fronts = fronts.values;
        self.note(written);
        self.parts += 1;
    }

    /// The front with one part more.
    fn go_on(&self, front: &mut Front, write: WritePart<'_>) -> Result<(), Fault> {
        if self.source.template().is_some() {
            return write(KeyTarget::text(&mut front.head, Reach::Part(self.parts)));
        }
        let mut writer = Writer::default();
        writer.raw("{");
        writer.raw_bytes(&front.equals);
        let written = write(KeyTarget::attribute(&mut writer));
        front.equals = writer.into_bytes().split_off(1);
        written
    }

    /// The next part is between these.
    pub(super) fn between(&mut self, lower: End<'_>, upper: End<'_>) {
        match self
            .bound(lower)
            .and_then(|lower| Ok((lower, self.bound(upper)?)))
        {
            Ok((lower, upper)) => self.asked = Asked::Between(lower, upper),
            Err(fault) => self.note(Err(fault)),
        }
    }

    /// The next part starts with this text.
    pub(super) fn starting_with(&mut self, text: &str) {
        let text = match self.source.template() {
            Some(_) => {
                let mut part = Vec::new();
                crate::key::escape_part(text, self.source.table.style, &mut part);
                into_text(part)
            }
            None => text.to_owned(),
        };
        self.asked = Asked::StartsWith(text);
    }

    /// The part alone.
    fn bound(&self, end: End<'_>) -> Result<Option<Bound>, Fault> {
        let Some((write, included)) = end else {
            return Ok(None);
        };
        let point = if self.source.template().is_some() {
            let mut text = Vec::new();
            write(KeyTarget::text(&mut text, Reach::Bound(self.parts)))?;
            KeyPoint::S(into_text(text))
        } else {
            let mut writer = Writer::default();
            write(KeyTarget::bound(&mut writer))?;
            KeyPoint::read(&mut Reader::new(writer.as_bytes()))?
        };
        Ok(Some(Bound { point, included }))
    }

    /// Refuses known parts that no key can hold.
    pub(super) fn finish(&mut self) {
        let is_open = self.asked == Asked::Anything && !self.is_scan;
        let Some((attribute, _)) = self.source.template().filter(|_| is_open) else {
            return;
        };
        let sizes = self.fronts.iter().map(|front| front.head.len());
        let fits = check_size(sizes.max().unwrap_or_default(), Role::Sort);
        self.note(fits.map_err(|fault| fault.in_key(attribute)));
    }

    /// The attribute that the condition on the sort key is about.
    pub(crate) fn ranged(&self) -> Option<&'static str> {
        if self.is_scan {
            return None;
        }
        match self.source.template() {
            Some((attribute, _)) => Some(attribute),
            None if self.asked == Asked::Anything => None,
            None => {
                let key = self.source.sort().get(self.parts);
                key.map(|key| key.attribute)
            }
        }
    }

    /// The type of the bounds of a range: a template has bounds of text.
    pub(crate) fn bound_type(&self) -> Option<KeyType> {
        let name = self.ranged()?;
        let mut sort = self.source.sort().iter();
        sort.find(|key| key.attribute == name).map(|key| key.ty)
    }

    /// The condition on the sort key, behind one of the fronts.
    pub(crate) fn range(&self, front: &Front, asked: &Asked) -> KeyRange {
        let Some((_, pieces)) = self.source.template().filter(|_| !self.is_scan) else {
            return asked.native();
        };
        let head = into_text(front.head.clone());
        let at = part_at(pieces, self.parts);
        match asked {
            Asked::Anything if at.is_none() => KeyRange::Exactly(KeyPoint::S(head)),
            Asked::Anything => KeyRange::starting_with(head),
            Asked::StartsWith(text) => KeyRange::starting_with(head + text),
            Asked::Between(lower, upper) => {
                let bound = |bound: &Option<Bound>| PartBound::behind(&head, bound.as_ref());
                let span = self.span(&head, pieces, at.unwrap_or_default());
                span.range(bound(lower), bound(upper))
            }
        }
    }

    fn span<'a>(&self, head: &'a str, pieces: &'static [Piece], at: usize) -> Span<'a> {
        let escaped = self.source.table.style == Style::Escaped;
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
        Span {
            head,
            behind,
            fixed,
            escaped,
        }
    }

    /// All keys with the parts that are known.
    pub(crate) fn group(&self, front: &Front) -> KeyRange {
        if self.source.template().is_none() {
            return KeyRange::All;
        }
        let span = Span {
            head: &into_text(front.head.clone()),
            behind: Behind::Other,
            fixed: false,
            escaped: self.source.table.style == Style::Escaped,
        };
        span.range(None, None)
    }

    /// Keeps the first fault.
    fn note(&mut self, written: Result<(), Fault>) {
        if let (Err(fault), None) = (written, &self.fault) {
            self.fault = Some(fault);
        }
    }
}

/// Values in the order in which they came, each once.
struct Distinct<T> {
    values: Vec<T>,
    seen: HashSet<T>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Distinct {
            values: Vec::new(),
            seen: HashSet::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Distinct<T> {
    fn push(&mut self, value: T) {
        if self.seen.insert(value.clone()) {
            self.values.push(value);
        }
    }
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
