//! Keys and queries by texts: what a person types, or a tool reads, for an entity that is known by its name.
//!
//! The parts are read and written by the functions that the typed calls use, so both send the same requests.

mod collection;
mod key;

use std::any::Any;
use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::draft::{KeyDraft, SortKeyFront};
use super::reach::Anywhere;
use super::selection::Selection;
use super::source::QuerySource;
use super::{Query, QueryVerbs};
use crate::codec::Item;
use crate::entity::hash_of_json;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Writer};
use crate::key::{GivenPart, KeyTarget, Role, Shard, TemplateExtent, in_case};
use crate::read::{RawRow, ReadRow};
use crate::schema::{DeclaredEntity, EntityIndexDef, PartRanges, TableSchema, TextOf};
pub use collection::DynamicCollection;
use key::{DynamicKey, DynamicPart, PartModels};

impl TableSchema {
    /// An entity by its name, for programs that learn the query only at run time: command lines, admin pages. The
    /// parts of its keys are given as texts.
    ///
    /// | part | text |
    /// |---|---|
    /// | text, enums | as it is; an enum as it is stored |
    /// | numbers, `bool` | `7`, `-5`, without padding; `true` |
    /// | times | any form of RFC 3339, or a date, which is its first moment in UTC |
    /// | dates, months | `2026-03-01`, `2026-03` |
    /// | UUIDs, ULIDs | as usual |
    /// | bytes | Base64 |
    ///
    /// The keys are exactly those of typed calls. A schema that was read from JSON has no types to read texts by, which is an
    /// error of kind [`Config`](crate::error::ErrorKind::Config), and so is a name that is not declared. A text that is no
    /// value of its part is an error of kind [`InvalidKey`](crate::error::ErrorKind::InvalidKey), which names the part and
    /// its type.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = "USER#{owner}", sk = "{year}#{number:04}"))]
    /// # struct Note { owner: String, year: u16, number: u16 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # for number in 1..=5 { Note { owner: "ann".into(), year: 2024, number }.put().send(&db).await?; }
    /// let notes = Note::schema().dynamic("Note")?;
    /// assert_eq!(notes.key(["ann", "2024", "7"])?, Note::key("ann", 2024, 7).to_item()?);
    ///
    /// let query = notes.in_partition(["ann"])?.eq("year", "2024")?.between("number", "2".."4")?;
    /// let rows = query.limit(10).all(&db).await?;
    /// assert_eq!(rows.len(), 2);
    ///
    /// let refused = notes.key(["ann", "last year", "7"]).unwrap_err();
    /// assert!(refused.to_string().contains("`year` of `Note` is a `u16`"));
    /// # Ok(()) }
    /// ```
    pub fn dynamic(&self, entity: &str) -> Result<DynamicEntity> {
        let Some(found) = self.entity(entity) else {
            let names = self
                .entities
                .iter()
                .map(|entity| format!("`{}`", entity.name));
            let names: Vec<String> = names.collect();
            return Err(Error::config(format!(
                "the table `{}` has no entity `{entity}`, it has {}",
                self.name,
                names.join(", ")
            )));
        };
        match found.origin.0 {
            Some(declared) => Ok(DynamicEntity { declared }),
            None => Err(Error::config(format!(
                "the schema of `{entity}` was read from JSON, which has no types to read texts by: take `schema()`"
            ))),
        }
    }
}

/// An entity that is known by its name; see [`TableSchema::dynamic`].
#[derive(Clone, Copy)]
pub struct DynamicEntity {
    declared: DeclaredEntity,
}

/// A query whose parts are given as texts; see [`DynamicEntity::query`]. Its rows are items: whole ones, or their keys where
/// the index holds no more.
#[derive(Clone)]
#[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
pub struct DynamicQuery {
    declared: DeclaredEntity,
    /// The entity or the collection, for messages.
    name: &'static str,
    /// For messages.
    pattern: &'static str,
    keys_only: bool,
    consistent: bool,
    draft: KeyDraft,
    /// The keys of the sort key.
    sort: Vec<DynamicKey>,
}

/// A part of a sort key, and the conditions that it accepts; see [`DynamicEntity::sort_parts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DynamicSortPart {
    /// The field.
    pub field: &'static str,
    /// Whether the keys sort by its values, so that it [can be in a range](DynamicQuery::between).
    pub has_ranges: bool,
    /// Whether it is text, which [begins with something](DynamicQuery::starts_with).
    pub has_prefixes: bool,
    /// Whether a None [has a place](DynamicQuery::missing) in the key.
    pub may_be_missing: bool,
}

/// The keys of a partition and of its sort order.
struct PatternKeys {
    index: Option<&'static EntityIndexDef>,
    partition: Vec<DynamicKey>,
    sort: Vec<DynamicKey>,
}

impl DynamicEntity {
    /// The attributes of a primary key, from the texts of its fields: each once and in the order in which `key(..)` of the
    /// entity takes them.
    pub fn key<'t>(&self, parts: impl IntoIterator<Item = &'t str>) -> Result<Item> {
        let texts: Vec<&str> = parts.into_iter().collect();
        let keys = self.primary_key();
        let mut fields: Vec<&'static str> = Vec::new();
        for part in keys.iter().flat_map(|key| key.parts()) {
            if !fields.contains(&part.field) {
                fields.push(part.field);
            }
        }
        self.check_count("the key", &fields, texts.len())?;
        let text_of = |field: &str| {
            let mut known = fields.iter().zip(&texts);
            known
                .find(|(name, _)| **name == field)
                .map_or("", |(_, text)| text)
        };
        // Where some place holds the field whole, its text is that of the field, as `key(..)` takes the field there.
        let is_whole = |field: &str| {
            let mut parts = keys.iter().flat_map(DynamicKey::parts);
            parts.any(|part| part.field == field && !part.model.is_cut())
        };
        let read = |key: &DynamicKey| {
            let parts = key.parts();
            let given = parts.iter().map(|part| {
                let of = match part.model.is_cut() && is_whole(part.field) {
                    true => TextOf::Field,
                    false => TextOf::Part,
                };
                self.read(part, text_of(part.field), of)
            });
            given.collect::<Result<Vec<GivenPart>>>()
        };
        let given = keys.iter().map(read).collect::<Result<Vec<_>>>()?;
        let write = |shard| {
            let mut writer = Writer::default();
            writer.raw("{");
            for (at, (key, given)) in keys.iter().zip(&given).enumerate() {
                let role = match at {
                    0 => self.role_of(key),
                    _ => Role::Sort,
                };
                let given: Vec<_> = given.iter().map(Some).collect();
                key.write(&given, shard, role, KeyTarget::attribute(&mut writer))?;
            }
            writer.raw("}");
            Ok(writer.into_bytes())
        };
        let json = write(Shard::Without).and_then(|bare| match self.declared.entity.pk.shards() {
            None => Ok(bare),
            Some(_) => write(Shard::Of(hash_of_json(&bare)?)),
        });
        let item = json.and_then(|json| Item::from_dynamo_json(&json));
        item.map_err(|fault| self.fault(fault))
    }

    /// The items in a partition of the table, from the texts of the parts of its key.
    pub fn in_partition<'t>(
        &self,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let keys = self.keys_of_table();
        if keys.sort.is_empty() {
            return Err(Error::config(format!(
                "`{}` has no sort key, so each of its partitions holds one item: read it by its key",
                self.name()
            )));
        }
        self.query_of(QuerySource::declared(&self.declared, None), &keys, parts)
    }

    /// The rows of an access pattern, by its name and the texts of the parts of its partition key.
    pub fn query<'t>(
        &self,
        pattern: &str,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let keys = self.keys_of_pattern(pattern)?;
        let source = QuerySource::declared(&self.declared, keys.index);
        self.query_of(source, &keys, parts)
    }

    /// The parts of the sort key of an access pattern, or of the table if none is named, with their conditions.
    pub fn sort_parts(&self, pattern: Option<&str>) -> Result<Vec<DynamicSortPart>> {
        let keys = match pattern {
            Some(pattern) => self.keys_of_pattern(pattern)?,
            None => self.keys_of_table(),
        };
        let parts = keys.sort.iter().flat_map(|key| {
            let parts = key.parts().into_iter();
            parts.map(move |part| DynamicSortPart {
                field: part.field,
                has_ranges: key.is_sorted_by(&part),
                has_prefixes: part.model.ranges == PartRanges::Text,
                may_be_missing: part.place_of_none().is_some(),
            })
        });
        Ok(parts.collect())
    }

    /// The rows of a collection of which this is the first entity.
    fn collected<'t>(
        &self,
        source: QuerySource,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let mut keys = match source.index {
            Some(index) => self.keys_of_pattern(index.name)?,
            None => self.keys_of_table(),
        };
        // Its entities have sort keys of their own.
        keys.sort.clear();
        self.query_of(source, &keys, parts)
    }

    fn keys_of_table(&self) -> PatternKeys {
        let mut keys = self.primary_key();
        let sort = keys.split_off(keys.len().min(1));
        PatternKeys {
            index: None,
            partition: keys,
            sort,
        }
    }

    fn keys_of_pattern(&self, pattern: &str) -> Result<PatternKeys> {
        let mut models = PartModels::of(&self.declared);
        let own: Vec<DynamicKey> = self.own_keys(&mut models);
        for index in self.declared.entity.indexes {
            let pk: Vec<_> = index.pk.iter().map(|def| models.take(def)).collect();
            let sort: Vec<_> = index.sk.iter().map(|def| models.take(def)).collect();
            if index.name == pattern {
                // A local index has the partitions of the table.
                let partition = match pk.is_empty() {
                    true => own.into_iter().take(1).collect(),
                    false => pk,
                };
                return Ok(PatternKeys {
                    index: Some(index),
                    partition,
                    sort,
                });
            }
        }
        Err(self.unknown_pattern(pattern))
    }

    fn unknown_pattern(&self, pattern: &str) -> Error {
        let indexes = self.declared.entity.indexes.iter();
        let names: Vec<&str> = indexes.map(|index| index.name).collect();
        let has = match names.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has `{}`", names.join("`, `")),
        };
        let name = self.name();
        let mut uniques = self.declared.entity.uniques.iter();
        let unique = match uniques.any(|unique| unique.name == pattern) {
            true => ": that is a unique value, which only the typed look-up finds",
            false => "",
        };
        Error::config(format!(
            "`{name}` has no access pattern `{pattern}`, {has}{unique}"
        ))
    }

    /// The name of its struct.
    pub fn name(&self) -> &'static str {
        self.declared.entity.type_name
    }

    fn own_keys(&self, models: &mut PartModels) -> Vec<DynamicKey> {
        let own = std::iter::once(&self.declared.entity.pk).chain(&self.declared.entity.sk);
        own.map(|def| models.take(def)).collect()
    }

    fn primary_key(&self) -> Vec<DynamicKey> {
        self.own_keys(&mut PartModels::of(&self.declared))
    }

    fn role_of(&self, key: &DynamicKey) -> Role {
        Role::of_partition(key.def.attribute, self.declared.table)
    }

    fn query_of<'t>(
        &self,
        source: QuerySource,
        keys: &PatternKeys,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let PatternKeys {
            index,
            partition,
            sort,
        } = keys;
        let pattern = index.map_or("in_partition", |index| index.name);
        let texts: Vec<&str> = parts.into_iter().collect();
        let places: Vec<DynamicPart> = partition.iter().flat_map(DynamicKey::parts).collect();
        let fields: Vec<&'static str> = places.iter().map(|part| part.field).collect();
        self.check_count(
            &format!("the partition of `{pattern}`"),
            &fields,
            texts.len(),
        )?;
        let given = places
            .iter()
            .zip(&texts)
            .map(|(part, text)| self.read(part, text, TextOf::Part));
        let given = given.collect::<Result<Vec<_>>>()?;
        let keys_only = !source.is_whole();
        let name = source.name();
        let mut draft = KeyDraft::new(
            source,
            [],
            |[], shard, writer| {
                let mut left = given.as_slice();
                for key in partition {
                    let (mine, rest) = left.split_at_checked(key.parts().len()).unwrap_or_default();
                    left = rest;
                    let mine: Vec<_> = mine.iter().map(Some).collect();
                    let target = KeyTarget::attribute(writer);
                    key.write(&mine, shard, self.role_of(key), target)?;
                }
                Ok(())
            },
            None,
        );
        if let [only] = sort.as_slice()
            && only.is_template()
        {
            let mut front = SortKeyFront::default();
            let target = KeyTarget::text(&mut front.head, TemplateExtent::Front);
            only.write_one(0, None, target)
                .map_err(|fault| self.fault(fault))?;
            draft.fronts = vec![front];
        }
        Ok(DynamicQuery {
            declared: self.declared,
            name,
            pattern,
            keys_only,
            consistent: false,
            draft,
            sort: sort.clone(),
        })
    }

    /// Rejects other numbers of texts than there are parts.
    fn check_count(&self, what: &str, fields: &[&str], given: usize) -> Result<()> {
        if fields.len() == given {
            return Ok(());
        }
        let name = self.name();
        let parts = match fields.is_empty() {
            true => "no parts".to_owned(),
            false => format!("the parts `{}`", fields.join("`, `")),
        };
        let message = format!("{what} of `{name}` has {parts}, and {given} were given");
        Err(Error::new(ErrorKind::InvalidKey, Stage::Key, message).of(name))
    }

    /// Reads one part.
    fn read(&self, part: &DynamicPart, text: &str, of: TextOf) -> Result<GivenPart> {
        part.read(text, of).ok_or_else(|| {
            let (field, name) = (part.field, self.name());
            let mut fields = self.declared.model.fields.iter();
            let declared = fields.find(|known| known.name == field);
            let ty = declared.map_or("value of its type", |declared| declared.rust_type);
            let format = match part.model.format {
                "" => String::new(),
                format => format!(", in the key as `{{{field}:{format}}}`"),
            };
            let message = format!(
                "`{field}` of `{name}` is a `{ty}`{format}, and the given text is no value of it: `TableSchema::dynamic` says how \
                 each type is written"
            );
            let error = Error::new(ErrorKind::InvalidKey, Stage::Key, message);
            error.of(name).at(field)
        })
    }

    #[cold]
    fn fault(&self, fault: CodecError) -> Error {
        Error::encode(self.name(), fault)
    }
}

/// One end of a range.
type TextEnd<'t> = Option<(&'t str, bool)>;

impl DynamicQuery {
    /// The next part of the sort key is this value.
    pub fn eq(mut self, part: &str, text: &str) -> Result<Self> {
        let (key, at, place) = self.next(part)?;
        let given = self.entity().read(&place, text, TextOf::Part)?;
        let write = |target: KeyTarget<'_>| key.write_one(at, Some(&given), target);
        self.draft.equal(&[&write]);
        Ok(self)
    }

    /// There is no such part: the field is None, and `{field:first}` or `{field:last}` gives that a place.
    pub fn missing(mut self, part: &str) -> Result<Self> {
        let (key, at, place) = self.next(part)?;
        let Some(presence) = place.place_of_none() else {
            return Err(self.refused(format!(
                "a None has no place in the key: `{part}` has neither `:first` nor `:last`"
            )));
        };
        let write = |target: KeyTarget<'_>| key.write_none(at, presence, target);
        self.draft.equal(&[&write]);
        Ok(self)
    }

    /// Sees every write that was acknowledged before, and costs double. It comes before a range. A global index cannot be
    /// read in this way, which is an error of kind [`InvalidKey`](crate::error::ErrorKind::InvalidKey).
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
        let entity = self.entity();
        let read = |end: TextEnd<'t>| {
            let given = end
                .map(|(text, included)| Ok((entity.read(&place, text, TextOf::Part)?, included)));
            given.transpose()
        };
        let (lower, upper) = (
            read(text_end(range.start_bound()))?,
            read(text_end(range.end_bound()))?,
        );
        let write = |end: &Option<(GivenPart, bool)>, target: KeyTarget<'_>| match end {
            Some((given, _)) => key.write_one(at, Some(given), target),
            None => Ok(()),
        };
        let (write_lower, write_upper) = (
            |target: KeyTarget<'_>| write(&lower, target),
            |target: KeyTarget<'_>| write(&upper, target),
        );
        self.draft.between(
            lower
                .as_ref()
                .map(|(_, included)| (&write_lower as _, *included)),
            upper
                .as_ref()
                .map(|(_, included)| (&write_upper as _, *included)),
        );
        Ok(self.query())
    }

    /// The next part of the sort key, which is text, begins with this.
    pub fn starts_with(mut self, part: &str, text: &str) -> Result<Query<Item>> {
        let (_, _, place) = self.next(part)?;
        if place.model.ranges != PartRanges::Text {
            return Err(self.refused(format!("`{part}` is no text, so it begins with nothing")));
        }
        self.draft.starting_with(&in_case(place.case(), text));
        Ok(self.query())
    }

    fn entity(&self) -> DynamicEntity {
        DynamicEntity {
            declared: self.declared,
        }
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

impl QueryVerbs for DynamicQuery {
    type Row = Item;
    type Reach = Anywhere;

    fn query(self) -> Query<Item> {
        let name = self.name;
        let mut selection = Selection::new(self.draft);
        selection.options.projection = self.keys_only.then(Vec::new);
        selection.options.consistent = self.consistent;
        Query {
            selection,
            read: ReadRow::of(read_item, Some(Arc::new(name))),
            from: std::marker::PhantomData,
        }
    }
}

/// Reads a row as an item of the entity with this name.
fn read_item(row: &RawRow, name: Option<&(dyn Any + Send + Sync)>) -> Result<Item> {
    let item = row
        .value(|json| Item::from_dynamo_json(json).map_err(|fault| Error::decode("Item", fault)));
    let name = name.and_then(|name| name.downcast_ref::<&'static str>());
    item.map_err(|error| match name {
        Some(name) => error.of(name),
        None => error,
    })
}

impl fmt::Debug for DynamicEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynamicEntity({})", self.name())
    }
}

/// Leaves key values out.
impl fmt::Debug for DynamicQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draft.fmt(f)
    }
}
