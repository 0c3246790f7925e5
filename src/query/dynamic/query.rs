//! A query whose parts are given as texts.

use std::any::Any;
use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::key::{DynamicKey, DynamicPart, read_part};
use crate::codec::Item;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::key::{KeyTarget, in_case};
use crate::query::chain::{Anywhere, Query, QueryExt};
use crate::query::keys::KeyDraft;
use crate::query::request::Selection;
use crate::read::{RawRow, ReadRow};
use crate::schema::{DeclaredEntity, PartRanges, TextOf};
/// A query whose parts are given as texts; see [`DynamicEntity::query`](crate::query::DynamicEntity::query). Its rows
/// are items: whole ones, or their keys if the index contains no more.
#[derive(Clone)]
#[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
pub struct DynamicQuery {
    pub(super) declared: DeclaredEntity,
    /// The entity or the collection, for messages.
    pub(super) name: &'static str,
    /// For messages.
    pub(super) pattern: &'static str,
    pub(super) keys_only: bool,
    pub(super) consistent: bool,
    pub(super) draft: KeyDraft,
    /// The keys of the sort key.
    pub(super) sort: Vec<DynamicKey>,
}

/// One end of a range.
type TextEnd<'t> = Option<(&'t str, bool)>;

impl DynamicQuery {
    /// The next part of the sort key is this value.
    pub fn eq(mut self, part: &str, text: &str) -> Result<Self> {
        let (key, at, place) = self.next(part)?;
        let given = read_part(&self.declared, &place, text, TextOf::Part)?;
        let write = |target: KeyTarget<'_>| key.write_one(at, Some(&given), target);
        self.draft.push_equalities(&[&write]);
        Ok(self)
    }

    /// The part is missing: the field is None, and `{field:first}` or `{field:last}` keeps it in the index.
    pub fn missing(mut self, part: &str) -> Result<Self> {
        let (key, at, place) = self.next(part)?;
        let Some(presence) = place.place_of_none() else {
            return Err(self.refused(format!(
                "a None has no place in the key: `{part}` has neither `:first` nor `:last`"
            )));
        };
        let write = |target: KeyTarget<'_>| key.write_none(at, presence, target);
        self.draft.push_equalities(&[&write]);
        Ok(self)
    }

    /// Sees every write that was acknowledged before, and costs double. Call it before a range. A global index cannot
    /// be read in this way, which is an error of kind [`InvalidKey`](crate::error::ErrorKind::InvalidKey).
    pub fn consistent(mut self) -> Result<Self> {
        if self.draft.source.is_global() {
            return Err(self.refused(
                "a global index is written after its table, and DynamoDB has no strong reads of it"
                    .into(),
            ));
        }
        self.consistent = true;
        Ok(self)
    }

    /// The next part of the sort key is in this range of texts, such as `"2026-03-01".."2026-04-01"`.
    pub fn between<'t>(
        mut self,
        part: &str,
        range: impl RangeBounds<&'t str>,
    ) -> Result<Query<Item>> {
        let (key, at, place) = self.next(part)?;
        self.check_order(&key, &place)?;
        let read = |end: TextEnd<'t>| {
            let given = end.map(|(text, included)| {
                Ok((
                    read_part(&self.declared, &place, text, TextOf::Part)?,
                    included,
                ))
            });
            given.transpose()
        };
        let (lower, upper) = (
            read(text_end(range.start_bound()))?,
            read(text_end(range.end_bound()))?,
        );
        self.draft.set_range_of(lower, upper, |given, target| {
            key.write_one(at, Some(given), target)
        });
        Ok(self.query())
    }

    /// The next part of the sort key, which is text, begins with this.
    pub fn starts_with(mut self, part: &str, text: &str) -> Result<Query<Item>> {
        let (_, _, place) = self.next(part)?;
        if place.model.ranges != PartRanges::Text {
            return Err(self.refused(format!(
                "`{part}` is not text, so it has no beginning to compare"
            )));
        }
        self.draft.starting_with(&in_case(place.case(), text));
        Ok(self.query())
    }

    /// The next part: its key, and its number there.
    fn next(&self, part: &str) -> Result<(DynamicKey, usize, DynamicPart)> {
        let places = self.sort.iter().flat_map(|key| {
            let parts = key.parts().into_iter().enumerate();
            parts.map(move |(at, place)| (*key, at, place))
        });
        let mut left = places.skip(self.draft.parts);
        match left.next() {
            Some(next) if next.2.field == part => Ok(next),
            Some((_, _, next)) => Err(self.refused(format!(
                "the next part of its sort key is `{}`, not `{part}`",
                next.field
            ))),
            None => Err(self.refused(format!(
                "no part of its sort key is left, so none is `{part}`"
            ))),
        }
    }

    /// Rejects a range of a part by which the keys do not sort, which typed calls do not compile for.
    fn check_order(&self, key: &DynamicKey, place: &DynamicPart) -> Result<()> {
        match key.is_sorted_by(place) {
            true => Ok(()),
            false => Err(self.refused(format!(
                "the keys do not sort by the values of `{}`, so it has no range",
                place.field
            ))),
        }
    }

    #[cold]
    fn refused(&self, why: String) -> Error {
        let (name, pattern) = (self.name, self.pattern);
        let message = format!("`{pattern}` of `{name}`: {why}");
        Error::new(ErrorKind::InvalidKey, Stage::Key, message).of(name)
    }
}

fn text_end<'t>(bound: Bound<&&'t str>) -> TextEnd<'t> {
    match bound {
        Bound::Included(text) => Some((text, true)),
        Bound::Excluded(text) => Some((text, false)),
        Bound::Unbounded => None,
    }
}

impl QueryExt for DynamicQuery {
    type Row = Item;
    type Reach = Anywhere;

    fn query(self) -> Query<Item> {
        let name = self.name;
        let mut selection = Selection::new(self.draft);
        selection.options.projection = self.keys_only.then(Vec::new);
        selection.options.consistent = self.consistent;
        item_rows(selection, name)
    }
}

/// A query with items as rows, whose errors have this name.
pub(super) fn item_rows<From>(selection: Selection, name: &'static str) -> Query<Item, From> {
    Query::of_selection(
        selection,
        ReadRow::with_reader(read_item, Some(Arc::new(name))),
    )
}

/// Reads a row as an item of the entity with this name.
fn read_item(row: &RawRow, name: Option<&(dyn Any + Send + Sync)>) -> Result<Item> {
    let item = row.read_value(|json| {
        Item::from_dynamo_json(json).map_err(|fault| Error::decode("Item", fault))
    });
    let name = name.and_then(|name| name.downcast_ref::<&'static str>());
    item.map_err(|error| match name {
        Some(name) => error.of(name),
        None => error,
    })
}

/// Leaves key values out.
impl fmt::Debug for DynamicQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draft.fmt(f)
    }
}

/// A part of a sort key, and the conditions that it accepts; see [`DynamicEntity::sort_parts`](crate::query::DynamicEntity::sort_parts).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DynamicSortPart {
    /// The field.
    pub field: &'static str,
    /// Whether the keys sort by its values, so that it [can be in a range](DynamicQuery::between).
    pub has_ranges: bool,
    /// Whether it is text, so that its [prefix can be queried](DynamicQuery::starts_with).
    pub has_prefixes: bool,
    /// Whether the key keeps a None, so that it [can be queried](DynamicQuery::missing).
    pub may_be_missing: bool,
}
