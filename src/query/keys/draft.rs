//! A query under construction, passed from one stage of a chain to the next.

use std::fmt;

use super::combinations::{Distinct, part_combinations};
use super::part_form::PartForm;
use super::sort_condition::SortCondition;
use super::source::{QuerySource, part_at};
use crate::json::{CodecError, Reader, Writer, object_members};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};
use crate::key::span::{PartBound, PartEnd, Span};
use crate::key::{GivenPart, KeyTarget, Role, Shard, TemplateExtent, check_size, wrong_parts};
use crate::schema::{
    KeyDef, KeySource, KeyType, Piece, Presence, Separator, Style, Width, text_after,
};

/// The queried keys. An invalid part is kept as a fault until the query is sent.
#[derive(Clone)]
pub struct KeyDraft {
    pub(crate) source: QuerySource,
    /// The partitions: their attributes as entries of a JSON object.
    pub(crate) partitions: Vec<Vec<u8>>,
    /// The known parts of the sort keys: one front, or several if a part was given by `any_of(..)`.
    pub(crate) fronts: Vec<SortKeyFront>,
    /// The number of known parts, or attributes, of the sort key.
    pub(crate) parts: usize,
    /// The condition on the part after the known ones.
    pub(crate) asked: SortCondition,
    /// The number of parts of that condition: several if they are compared as a tuple.
    pub(crate) together: usize,
    /// Whether all partitions are read, without a condition on a key.
    pub(crate) is_scan: bool,
    pub(crate) fault: Option<CodecError>,
}

/// The known parts of a sort key.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct SortKeyFront {
    /// The attributes compared by `=`, as entries of a JSON object.
    pub(crate) equals: Vec<u8>,
    /// The known beginning of the text of a key with a template.
    pub(crate) head: Vec<u8>,
}

/// The keys that are in one partition and begin with one front.
#[derive(Clone, Copy)]
pub(crate) struct KeyLane<'a> {
    pub(crate) partition: &'a [u8],
    pub(crate) front: &'a SortKeyFront,
}

/// Attributes compared by `=`, with their values in DynamoDB JSON.
pub(crate) type Equals = Vec<(&'static str, Vec<u8>)>;

/// Writes the text before the first part of a sort key.
pub type WriteFront = fn(KeyTarget<'_>) -> Result<(), CodecError>;

/// Writes the key of a partition of these parts.
type WritePartition<'a> = &'a dyn Fn(&[&GivenPart], Shard, &mut Writer) -> Result<(), CodecError>;

/// Writes a part of a sort key.
type WriteSortPart<'a> = &'a dyn Fn(KeyTarget<'_>) -> Result<(), CodecError>;

/// Writes such a part in its form.
type WriteFormedPart<'a> = &'a dyn Fn(&PartForm, KeyTarget<'_>) -> Result<(), CodecError>;

/// The ends of a range of tuples, as texts, and whether they are in the range.
pub(super) type TupleEnds = (Option<(String, bool)>, Option<(String, bool)>);

/// One end of a range: its writer, and whether it is included.
pub(super) type RangeEnd<'a> = Option<(WriteSortPart<'a>, bool)>;

impl KeyDraft {
    /// The partitions of these parts, each with all its shards. `write` writes the key of one of them, `front` writes
    /// the beginning of its sort keys, if they have a template.
    pub fn new<const N: usize>(
        source: QuerySource,
        parts: [Vec<GivenPart>; N],
        write: impl Fn(&[&GivenPart; N], Shard, &mut Writer) -> Result<(), CodecError>,
        front: Option<WriteFront>,
    ) -> Self {
        let write = |parts: &[&GivenPart], shard: Shard, writer: &mut Writer| match parts.try_into()
        {
            Ok(parts) => write(parts, shard, writer),
            Err(_) => Err(wrong_parts()),
        };
        KeyDraft::of_parts(source, &parts, &write, front)
    }

    fn of_parts(
        source: QuerySource,
        parts: &[Vec<GivenPart>],
        write: WritePartition<'_>,
        front: Option<WriteFront>,
    ) -> Self {
        let mut only = SortKeyFront::default();
        let mut partitions = Distinct::default();
        let mut written = match front {
            Some(front) => front(KeyTarget::of_text(&mut only.head, TemplateExtent::Front)),
            None => Ok(()),
        };
        for parts in part_combinations(parts) {
            for shard in source.shard_numbers() {
                let mut writer = Writer::default();
                written = written.and_then(|()| write(&parts, shard, &mut writer));
                partitions.push_distinct(writer.into_bytes());
            }
        }
        KeyDraft {
            source,
            partitions: partitions.values,
            fronts: vec![only],
            parts: 0,
            asked: SortCondition::Anything,
            together: 1,
            is_scan: false,
            fault: written.err(),
        }
    }

    /// A draft that reads the whole table.
    pub(crate) fn whole_table(source: QuerySource) -> Self {
        KeyDraft {
            is_scan: true,
            partitions: vec![Vec::new()],
            ..KeyDraft::of_parts(source, &[], &|_, _, _| Ok(()), None)
        }
    }

    /// The partitions, each with each of its fronts.
    pub(crate) fn key_lanes(&self) -> impl Iterator<Item = KeyLane<'_>> {
        self.partitions.iter().flat_map(|partition| {
            let fronts = self.fronts.iter();
            fronts.map(|front| KeyLane { partition, front })
        })
    }

    /// The attributes compared by `=`, with their values in DynamoDB JSON.
    pub(crate) fn lane_equalities(&self, lane: KeyLane<'_>) -> Result<Equals, CodecError> {
        let comma: &[u8] = if lane.front.equals.is_empty() {
            b""
        } else {
            b","
        };
        let json = [b"{", lane.partition, comma, &*lane.front.equals, b"}"].concat();
        let mut equals = Vec::new();
        for (name, value) in object_members(&json)? {
            let known = self.source.key_attributes();
            let known = known.into_iter().find(|known| **known == *name);
            let name = known.ok_or_else(|| CodecError::new("an attribute that is not a key"))?;
            equals.push((name, value.to_vec()));
        }
        Ok(equals)
    }

    /// The next part equals one of these.
    pub(crate) fn push_equalities(&mut self, values: &[WriteSortPart<'_>]) {
        let mut fronts = Distinct::default();
        let mut written = Ok(());
        for front in &self.fronts {
            for write in values {
                let mut front = front.clone();
                written = written.and_then(|()| self.go_on(&mut front, *write));
                // Duplicates are dropped: DynamoDB would return the rows of an equal range twice.
                fronts.push_distinct(front);
            }
        }
        self.fronts = fronts.values;
        self.note_error(written);
        self.parts += 1;
    }

    /// The front with one more part.
    fn go_on(&self, front: &mut SortKeyFront, write: WriteSortPart<'_>) -> Result<(), CodecError> {
        if self.source.sort_template().is_some() {
            return write(KeyTarget::of_text(
                &mut front.head,
                TemplateExtent::Part(self.parts),
            ));
        }
        let mut writer = Writer::default();
        writer.push_raw("{");
        writer.raw_bytes(&front.equals);
        let written = write(KeyTarget::attribute(&mut writer));
        // The writer expects to be inside of an object, so the opening brace is written first and
        // removed again.
        front.equals = writer.into_bytes().split_off(1);
        written
    }

    /// The next part is between these values, each with whether the range contains it.
    pub(crate) fn set_range_of<T>(
        &mut self,
        lower: Option<(T, bool)>,
        upper: Option<(T, bool)>,
        write: impl Fn(&T, KeyTarget<'_>) -> Result<(), CodecError>,
    ) {
        let write_end = |end: &Option<(T, bool)>, target: KeyTarget<'_>| match end {
            Some((value, _)) => write(value, target),
            None => Ok(()),
        };
        let (write_lower, write_upper) = (
            |target: KeyTarget<'_>| write_end(&lower, target),
            |target: KeyTarget<'_>| write_end(&upper, target),
        );
        self.set_range(
            lower.as_ref().map(|(_, held)| (&write_lower as _, *held)),
            upper.as_ref().map(|(_, held)| (&write_upper as _, *held)),
        );
    }

    fn set_range(&mut self, lower: RangeEnd<'_>, upper: RangeEnd<'_>) {
        match self
            .encode_bound(lower)
            .and_then(|lower| Ok((lower, self.encode_bound(upper)?)))
        {
            Ok((lower, upper)) => self.asked = SortCondition::Between(lower, upper),
            Err(fault) => self.note_error(Err(fault)),
        }
    }

    /// The next parts, as a tuple, are between these texts.
    pub(crate) fn between_tuples(&mut self, parts: usize, ends: Result<TupleEnds, CodecError>) {
        let bound = |(text, included)| Bound {
            point: KeyPoint::S(text),
            included,
        };
        match ends {
            Ok((lower, upper)) => {
                self.asked = SortCondition::Between(lower.map(bound), upper.map(bound));
                self.together = parts;
            }
            Err(fault) => self.note_error(Err(fault)),
        }
    }

    /// The text of a bound of several parts, without the text before them in the key.
    pub(crate) fn tuple_bound(
        &self,
        forms: &[PartForm],
        writes: &[WriteFormedPart<'_>],
    ) -> Result<String, CodecError> {
        let mut text = Vec::new();
        for (at, (write, form)) in writes.iter().zip(forms).enumerate() {
            let extent = match at + 1 == writes.len() {
                true => TemplateExtent::Bound(self.parts + at),
                false => TemplateExtent::Part(self.parts + at),
            };
            write(form, KeyTarget::of_text(&mut text, extent))?;
        }
        Ok(into_text(text))
    }

    /// Keeps a fault of the construction of the query.
    pub(crate) fn refuse_query(&mut self, why: &'static str) {
        let attribute = self.source.sort_template().map(|(attribute, _)| attribute);
        self.note_error(Err(
            CodecError::new(why).in_key(attribute.unwrap_or_default())
        ));
    }

    /// The next part starts with this text.
    pub(crate) fn starting_with(&mut self, text: &str) {
        let text = match self.source.sort_template() {
            Some(_) => {
                let mut part = Vec::new();
                crate::key::escape_part(text, self.source.table.style, &mut part);
                into_text(part)
            }
            None => text.to_owned(),
        };
        let template = self.source.sort_template();
        let separator = template
            .and_then(|(_, pieces)| self.verbatim_separator(pieces, part_at(pieces, self.parts)));
        if separator.is_some_and(|separator| {
            separator.is_begun(text.as_bytes()) && separator.first_in(&text).is_none()
        }) {
            // The rows whose part is the text without its end would be among those that begin with the text.
            self.refuse_query(
                "a text that ends with one character of the separator after the part has no exact range: omit that character",
            );
        }
        self.asked = SortCondition::StartsWith(text);
    }

    /// A bound for the part alone, without the text before it in the key.
    fn encode_bound(&self, end: RangeEnd<'_>) -> Result<Option<Bound>, CodecError> {
        let Some((write, included)) = end else {
            return Ok(None);
        };
        let point = if self.source.sort_template().is_some() {
            let mut text = Vec::new();
            write(KeyTarget::of_text(
                &mut text,
                TemplateExtent::Bound(self.parts),
            ))?;
            KeyPoint::S(into_text(text))
        } else {
            let mut writer = Writer::default();
            write(KeyTarget::of_bound(&mut writer))?;
            KeyPoint::read_point(&mut Reader::new(writer.as_bytes()))?
        };
        Ok(Some(Bound { point, included }))
    }

    /// Records a fault for known parts that no key can contain.
    pub(crate) fn finish_draft(&mut self) {
        // A bound that is too long has an exact neighbour that fits, but known parts that are too
        // long match no key at all.
        let is_open = self.asked == SortCondition::Anything && !self.is_scan;
        let Some((attribute, _)) = self.source.sort_template().filter(|_| is_open) else {
            return;
        };
        let sizes = self.fronts.iter().map(|front| front.head.len());
        let fits = check_size(sizes.max().unwrap_or_default(), Role::Sort);
        self.note_error(fits.map_err(|fault| fault.in_key(attribute)));
    }

    /// The attribute of the condition on the sort key.
    pub(crate) fn ranged_attribute(&self) -> Option<&'static str> {
        if self.is_scan {
            return None;
        }
        match self.source.sort_template() {
            Some((attribute, _)) => Some(attribute),
            None if self.asked == SortCondition::Anything => None,
            None => {
                let key = self.source.sort_keys().get(self.parts);
                key.map(|key| key.attribute)
            }
        }
    }

    /// The type of the bounds of a range: a template has bounds of text.
    pub(crate) fn bound_type(&self) -> Option<KeyType> {
        let name = self.ranged_attribute()?;
        let mut sort = self.source.sort_keys().iter();
        sort.find(|key| key.attribute == name).map(|key| key.ty)
    }

    /// The condition on the sort key for one of the fronts.
    pub(crate) fn key_range(&self, front: &SortKeyFront, asked: &SortCondition) -> KeyRange {
        let Some((_, pieces)) = self.source.sort_template().filter(|_| !self.is_scan) else {
            return asked.native_range();
        };
        let mut head = into_text(front.head.clone());
        let at = part_at(pieces, self.parts + self.together - 1);
        let is_alone = self.together == 1 && *asked != SortCondition::Anything;
        // A range contains values only. In a part that keeps None, each value has a mark in front, so the range begins
        // after that mark. No such part occurs in a tuple.
        if let (Some(Piece::Part { presence, .. }), true) =
            (at.and_then(|at| pieces.get(at)), is_alone)
        {
            head.extend(presence.marks().map(|(value, _)| value));
        }
        match asked {
            SortCondition::Anything if at.is_none() => KeyRange::Exactly(KeyPoint::S(head)),
            SortCondition::Anything => KeyRange::starting_with(head),
            SortCondition::StartsWith(text) if self.ends_before(pieces, at, text) => {
                KeyRange::Nothing
            }
            SortCondition::StartsWith(text) if text.is_empty() && may_end(pieces, at) => {
                let head_alone = PartBound {
                    text: head.clone(),
                    included: false,
                };
                let span = self.part_span(&head, pieces, at.unwrap_or_default());
                span.key_range(Some(head_alone), None)
            }
            SortCondition::StartsWith(text) => KeyRange::starting_with(head + text),
            SortCondition::Between(lower, upper) => {
                let bound = |bound: &Option<Bound>| PartBound::after_head(&head, bound.as_ref());
                let span = Span {
                    filled: self.is_never_empty(pieces),
                    ..self.part_span(&head, pieces, at.unwrap_or_default())
                };
                span.key_range(bound(lower), bound(upper))
            }
        }
    }

    /// Whether the part ends before the text does: in a verbatim key a separator ends each part but the last.
    fn ends_before(&self, pieces: &'static [Piece], at: Option<usize>, text: &str) -> bool {
        let separator = self.verbatim_separator(pieces, at);
        separator.is_some_and(|separator| separator.first_in(text).is_some())
    }

    /// The separator after a part of a verbatim key, unless the part is the last one.
    fn verbatim_separator(&self, pieces: &'static [Piece], at: Option<usize>) -> Option<Separator> {
        let style = self.source.table.style;
        let after = text_after(pieces, at?).filter(|_| style != Style::Escaped)?;
        Some(style.separator(after))
    }

    fn part_span<'a>(&self, head: &'a str, pieces: &'static [Piece], at: usize) -> Span<'a> {
        let escaped = self.source.table.style == Style::Escaped;
        let behind = match pieces.get(at + 1) {
            None => PartEnd::End,
            // Only in our own format is it certain that no part contains the delimiter, so that its
            // position bounds all keys with this part.
            Some(Piece::Literal(text)) if escaped && text.starts_with('#') => PartEnd::Delimiter,
            Some(_) => PartEnd::Other,
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
            filled: false,
            ends: may_end(pieces, Some(at)),
            escaped,
        }
    }

    /// Whether the ranged part, or the first of a tuple, cannot be empty in a row of another program. A text can, and it has a
    /// range only if it is the last part.
    fn is_never_empty(&self, pieces: &'static [Piece]) -> bool {
        let ends = |at: usize| match pieces.get(at) {
            // A key that ends before the part is that of a None, which no range contains.
            Some(Piece::Part { presence, .. }) => *presence == Presence::Ends,
            _ => false,
        };
        part_at(pieces, self.parts).is_some_and(|at| ends(at) || !is_last_of_any_width(pieces, at))
    }

    /// The first and the last piece whose range is asked for, if rows may have another text there than their fields give:
    /// other programs write one value in several ways, and the text of an index is not compared when a row is read.
    pub(crate) fn ranged_pieces(&self) -> Option<(usize, usize)> {
        if !self.is_foreign_range() {
            return None;
        }
        let (_, pieces) = self.source.sort_template()?;
        let ranged = (self.parts..self.parts + self.together)
            .filter_map(|part| part_at(pieces, part))
            .filter(|at| !is_last_of_any_width(pieces, *at));
        let ranged: Vec<_> = ranged.collect();
        Some((*ranged.first()?, *ranged.last()?))
    }

    /// The sort key, if it is the number of a field, the query restricts it, and rows may have another number there.
    pub(crate) fn ranged_number(&self) -> Option<&'static KeyDef> {
        let [key] = self.source.sort_keys() else {
            return None;
        };
        let is_number = matches!(key.source, KeySource::Number { .. });
        let is_asked = self.parts > 0 || self.has_range();
        (is_number && is_asked && self.is_of_foreign_index()).then_some(key)
    }

    /// Whether a range of an index of other programs is asked for, which holds whole rows.
    fn is_foreign_range(&self) -> bool {
        self.has_range() && self.is_of_foreign_index()
    }

    fn has_range(&self) -> bool {
        matches!(self.asked, SortCondition::Between(..))
    }

    fn is_of_foreign_index(&self) -> bool {
        let is_foreign = self.source.index.is_some() && self.source.table.style != Style::Escaped;
        let is_known = self.source.is_whole() && self.source.members.is_none();
        is_foreign && is_known && !self.is_scan
    }

    /// All keys that begin with the known parts.
    pub(crate) fn group_range(&self, front: &SortKeyFront) -> KeyRange {
        if self.source.sort_template().is_none() {
            return KeyRange::All;
        }
        let span = Span {
            head: &into_text(front.head.clone()),
            behind: PartEnd::Other,
            fixed: false,
            filled: false,
            ends: false,
            escaped: self.source.table.style == Style::Escaped,
        };
        span.key_range(None, None)
    }

    /// Keeps the first fault.
    fn note_error(&mut self, written: Result<(), CodecError>) {
        if let (Err(fault), None) = (written, &self.fault) {
            self.fault = Some(fault);
        }
    }
}

/// Whether keys without a value of this piece end before it.
fn may_end(pieces: &'static [Piece], at: Option<usize>) -> bool {
    let piece = at.and_then(|at| pieces.get(at));
    matches!(
        piece,
        Some(Piece::Part {
            presence: Presence::Ends,
            ..
        })
    )
}

/// Whether a part may be a text, which can have any width: a text before other parts has no range.
fn is_last_of_any_width(pieces: &[Piece], at: usize) -> bool {
    let has_any_width = matches!(
        pieces.get(at),
        Some(Piece::Part {
            width: Width::Variable,
            ..
        })
    );
    has_any_width && at + 1 == pieces.len()
}

/// Parts are always written as text.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Leaves key values out.
impl fmt::Debug for KeyDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.source.index {
            Some(index) if self.source.members.is_none() => index.name,
            _ if self.is_scan => "scan",
            _ => "in_partition",
        };
        write!(f, "{}::{name}(..)", self.source.index_or_table())
    }
}
