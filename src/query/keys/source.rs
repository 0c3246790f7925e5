//! The source of a query: a table or an index, with the entity that fills it.

use std::borrow::Cow;

use super::members::Members;
use crate::entity::{
    CollectionPatterns, DynamoCollection, DynamoEntity, DynamoTable, IndexPattern, Patterns,
    refused_row,
};
use crate::error::Error;
use crate::json::{CodecError, Reader, find_member};
use crate::key::point::KeyPoint;
use crate::key::{Role, Shard};
use crate::schema::{
    AttributeDef, DeclaredEntity, EntityDef, EntityIndexDef, FoundType, KeyDef, KeySource, Pattern,
    Piece, Presence, Projection, Style, TableDef, Width, is_identified_by_type,
    others_may_be_among, text_after,
};

/// A table or an index, and the entity or the collection whose rows are queried.
#[derive(Debug, Clone, Copy)]
pub struct QuerySource {
    pub(crate) table: &'static TableDef,
    pub(crate) entities: &'static [&'static EntityDef],
    /// The entity; for a collection, the first of its entities.
    pub(crate) entity: &'static EntityDef,
    pub(crate) index: Option<&'static EntityIndexDef>,
    pub(crate) members: Option<Members>,
    pub(crate) pattern: &'static Pattern,
}

impl QuerySource {
    /// The table of an entity.
    pub fn table<E: DynamoEntity>() -> Self {
        QuerySource {
            table: &<E::Table as DynamoTable>::TABLE,
            entities: <E::Table as DynamoTable>::ENTITIES,
            entity: &E::ENTITY,
            index: None,
            members: None,
            pattern: Patterns::<E>::IN_PARTITION,
        }
    }

    /// The table of a collection.
    pub(crate) fn of_collection<C: DynamoCollection>() -> Self {
        QuerySource {
            table: &<C::Table as DynamoTable>::TABLE,
            entities: <C::Table as DynamoTable>::ENTITIES,
            entity: C::FIRST,
            index: C::INDEX,
            members: Some(Members::of_collection::<C>()),
            pattern: CollectionPatterns::<C>::IN_PARTITION,
        }
    }

    /// One of the entity's access patterns, by its position in the declaration.
    pub fn index<E: DynamoEntity, const AT: usize>() -> Self {
        QuerySource {
            index: E::ENTITY.indexes.get(AT),
            pattern: IndexPattern::<E, AT>::PATTERN,
            ..QuerySource::table::<E>()
        }
    }

    /// The table of an entity that is known by its constants, or an index used by one of its access patterns.
    pub(crate) fn of_declared(
        declared: &DeclaredEntity,
        index: Option<&'static EntityIndexDef>,
    ) -> Self {
        QuerySource {
            table: declared.table,
            entities: declared.entities,
            entity: declared.entity,
            index,
            members: None,
            pattern: declared.pattern_of(index),
        }
    }

    /// Whether rows contain all attributes.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.index_projection(), None | Some(Projection::All))
    }

    /// Whether it is an index that holds a list of attributes.
    pub(crate) fn lists_attributes(&self) -> bool {
        let projection = self.index_projection();
        matches!(projection, Some(Projection::Include(_)))
    }

    /// The attributes that the index holds; `None` for the table.
    fn index_projection(&self) -> Option<Projection> {
        let index = self.index?;
        let mut declared = self.table.indexes.iter();
        let declared = declared.find(|known| known.name == index.index)?;
        Some(declared.project)
    }

    /// The whole table instead of a partition.
    pub(crate) fn scanned_as(self, pattern: &'static Pattern) -> Self {
        QuerySource { pattern, ..self }
    }

    /// The name of the entity or the collection, for messages.
    pub(crate) fn index_or_table(&self) -> &'static str {
        match self.members {
            Some(members) => members.name,
            None => self.entity.type_name,
        }
    }

    /// The TTL attribute. A table has one.
    pub(crate) fn ttl_attribute(&self) -> Option<&'static str> {
        match self.members {
            Some(_) => self.entities.iter().find_map(|entity| entity.ttl),
            None => self.entity.ttl,
        }
    }

    /// The entity of a row. In a collection the type identifies it, or the key if a row has no type.
    pub(crate) fn entity_of(&self, item: &[u8]) -> Result<Option<&'static EntityDef>, CodecError> {
        if self.members.is_none() {
            return Ok(Some(self.entity));
        }
        let mut entities = self.entities.iter().copied();
        // The type and the constants decide if they exist, even if the key fits another entity: they are what the
        // writing program declared.
        let found = FoundType::of_item(self.table, item);
        Ok(entities.find(|entity| found.is_of(entity)))
    }

    /// Whether the sort key of the index is a bare text of which a value has several, such as a time.
    pub(crate) fn has_other_formats(&self) -> bool {
        let entities = match self.members {
            Some(_) => self.entities,
            None => &[][..],
        };
        let index = self.index.into_iter();
        let others = entities.iter().filter_map(|entity| self.index_of(entity));
        let mut keys = index.chain(others).flat_map(|index| index.sk);
        keys.any(|key| key.is_as_written.is_some())
    }

    /// The declaration of the queried index at an entity.
    fn index_of(&self, entity: &EntityDef) -> Option<&'static EntityIndexDef> {
        let queried = self.index?;
        match self.members {
            Some(_) => entity
                .indexes
                .iter()
                .find(|index| index.index == queried.index),
            None => Some(queried),
        }
    }

    /// The error for a row whose sort key in the index has a format of another program. The row is not in the position
    /// of its value, and a query for the value would not find it.
    fn foreign_sort_key(&self, item: &[u8]) -> Option<Error> {
        let entity = self.entity_of(item).ok().flatten()?;
        let keys = self.index_of(entity)?.sk;
        // Only texts with several formats of one value are checked. The other types have one
        // format, which DynamoDB compares itself.
        let foreign = keys.iter().find(|key| {
            let is_as_written = key
                .is_as_written
                .zip(find_member(item, key.attribute).ok().flatten());
            is_as_written.is_some_and(|(test, stored)| !test(&mut Reader::new(stored)))
        })?;
        Some(self.foreign_key(entity, item, foreign.attribute))
    }

    /// The error for a row whose sort key has another text between two pieces than its fields give. Other programs write
    /// one time in several ways, and a range of texts is then no range of times.
    fn foreign_pieces(&self, item: &[u8], (first, last): (usize, usize)) -> Option<Error> {
        let (attribute, pieces) = self.sort_template()?;
        let stored = text_of(item, attribute)?;
        let own = (self.entity.reread)(item)?;
        let own = text_of(&own, attribute)?;
        let front = end_of_piece(&own, pieces, first.checked_sub(1), self.table.style)?;
        let Some(end) = end_of_piece(&own, pieces, Some(last), self.table.style) else {
            // The item has no value, so its own key ends before one, but this key has one.
            let is_foreign = stored.get(..front) == own.get(..front) && stored.len() > own.len();
            return is_foreign.then(|| self.foreign_key(self.entity, item, attribute));
        };
        // A key that differs before these pieces is that of other values, and the next write corrects it.
        let is_foreign =
            stored.get(..front) == own.get(..front) && stored.get(..end) != own.get(..end);
        is_foreign.then(|| self.foreign_key(self.entity, item, attribute))
    }

    /// The error for a row whose sort key is not the number of its field, or whose field has no number.
    fn foreign_number(&self, item: &[u8], key: &KeyDef) -> Option<Error> {
        let KeySource::Number { field, presence } = key.source else {
            return None;
        };
        // One number has several formats, so their values are compared.
        let number_of = |item: &[u8], attribute: &str| {
            let json = find_member(item, attribute).ok().flatten()?;
            KeyPoint::read_point(&mut Reader::new(json)).ok()
        };
        let mut attributes = self.entity.attributes.iter();
        let attribute = attributes.find(|known| known.field == field)?;
        let mut names = attribute.read_names();
        let stored = names.find_map(|name| number_of(item, name));
        let expected = match (self.entity.reread)(item) {
            Some(own) => number_of(&own, key.attribute).map(|fresh| {
                // The type of the field may round a number, and DynamoDB computes without rounding.
                let is_of_field = number_of(&own, attribute.stored).as_ref() == Some(&fresh);
                stored.filter(|_| is_of_field).unwrap_or(fresh)
            }),
            // Without the other fields, the default of this one is unknown.
            None if stored.is_none() && presence != Presence::Optional => return None,
            None => stored,
        };
        (number_of(item, key.attribute) != expected)
            .then(|| self.foreign_key(self.entity, item, key.attribute))
    }

    fn foreign_key(&self, entity: &EntityDef, item: &[u8], attribute: &'static str) -> Error {
        let fault = CodecError::key_of_index_differs().at(attribute);
        refused_row(self.table, entity, item, fault).in_key(attribute)
    }

    /// Whether it is a global index.
    pub(crate) fn is_global(&self) -> bool {
        self.index.is_some_and(|index| !index.pk.is_empty())
    }

    /// Whether the attribute can be read here.
    pub(crate) fn holds_attribute(&self, name: &str) -> bool {
        let listed = match self.index_projection() {
            None | Some(Projection::All) => return true,
            Some(Projection::Keys) => &[][..],
            Some(Projection::Include(listed)) => listed,
        };
        let always = [self.table.type_attribute, self.ttl_attribute()];
        let own_types = self.entities.iter().filter_map(|it| it.type_attribute);
        let constants = self.entities.iter().flat_map(|it| it.constant_names());
        let mut constants = own_types.chain(constants);
        listed.contains(&name)
            || always.contains(&Some(name))
            || constants.any(|constant| constant == name)
            || self.key_attributes().contains(&name)
    }

    /// The shards of a partition.
    pub(crate) fn shard_numbers(&self) -> Vec<Shard> {
        let (pk, read) = match self.index {
            Some(index) if !index.pk.is_empty() => (index.pk.first(), index.read_shards),
            _ => (Some(&self.entity.pk), None),
        };
        // While shards are being reduced, items of the old number still exist, so the larger number
        // is read.
        let shards = read.max(pk.and_then(KeyDef::shards));
        match shards {
            Some(shards) => (0..shards).map(Shard::At).collect(),
            None => vec![Shard::Without],
        }
    }

    /// The attributes of the sort key.
    pub(crate) fn sort_keys(&self) -> &'static [KeyDef] {
        match self.index {
            Some(index) => index.sk,
            None => self.entity.sk.as_slice(),
        }
    }

    /// The sort key of the table, in which no two rows of a partition are equal. An index has no such key.
    pub(crate) fn unique_sort_key(&self) -> Option<&'static str> {
        self.table.sk.filter(|_| self.index.is_none())
    }

    /// The template of the sort key, if it has exactly one: the entities of a collection have several.
    pub(crate) fn sort_template(&self) -> Option<(&'static str, &'static [Piece])> {
        if self.members.is_some() {
            return None;
        }
        match self.sort_keys() {
            [
                KeyDef {
                    attribute,
                    source: KeySource::Template(pieces),
                    ..
                },
            ] => Some((attribute, pieces)),
            _ => None,
        }
    }

    /// Whether rows of other entities may be among those whose sort key begins with this number of parts.
    pub(crate) fn has_others(&self, parts: usize) -> bool {
        let front = self
            .sort_template()
            .map_or(&[][..], |(_, pieces)| front_pieces(pieces, parts));
        // Other programs store classes that no entity declares, and only their types differ.
        is_identified_by_type(self.table)
            // Without a type attribute, there is nothing to filter by.
            || self.table.type_attribute.is_some()
                && others_may_be_among(self.table, self.entities, self.entity, self.index, front)
    }

    /// The keys that identify a row and its position: of the index and of the table. An attribute may be in both.
    pub(crate) fn key_defs(&self) -> impl Iterator<Item = (&'static KeyDef, Role)> {
        let (pk, sk) = match self.index {
            Some(index) => (index.pk, index.sk),
            None => (&[][..], &[][..]),
        };
        let partition = std::iter::once(&self.entity.pk).chain(pk);
        let sort = self.entity.sk.iter().chain(sk);
        let partition = partition.map(|key| (key, Role::Partition));
        partition.chain(sort.map(|key| (key, Role::Sort)))
    }

    /// The attributes that identify a row and its position: of the index and of the table.
    pub(crate) fn key_attributes(&self) -> Vec<&'static str> {
        let mut names = vec![self.table.pk];
        names.extend(self.table.sk);
        if let Some(index) = self.index {
            for key in index.keys() {
                if !names.contains(&key.attribute) {
                    names.push(key.attribute);
                }
            }
        }
        names
    }

    /// Whether the attribute is part of the queried key, which a filter cannot name.
    pub(crate) fn is_queried_key(&self, name: &str) -> bool {
        match self.index {
            None => self.table.pk == name || self.table.sk == Some(name),
            Some(index) => {
                let is_local_pk = index.pk.is_empty() && self.table.pk == name;
                is_local_pk || index.keys().any(|key| key.attribute == name)
            }
        }
    }
}

/// The test whether rows of an index have sort keys in the format that their fields give.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortKeyTest {
    pub(crate) source: QuerySource,
    /// The first and the last piece whose texts are compared.
    pub(crate) pieces: Option<(usize, usize)>,
    /// The key whose number is compared.
    pub(crate) number: Option<&'static KeyDef>,
}

impl SortKeyTest {
    /// The error for a row with another sort key.
    pub(crate) fn foreign_sort_key(&self, item: &[u8]) -> Option<Error> {
        let ranged = || self.source.foreign_pieces(item, self.pieces?);
        let number = || self.source.foreign_number(item, self.number?);
        let foreign = self.source.foreign_sort_key(item);
        foreign.or_else(ranged).or_else(number)
    }

    /// The attributes of the fields that decide the compared keys.
    pub(crate) fn deciding_attributes(&self) -> impl Iterator<Item = &'static str> {
        let is_compared = self.pieces.is_some() || self.number.is_some();
        let keys = self.source.sort_keys().iter().filter(move |_| is_compared);
        let when = self.source.index.and_then(|index| index.when);
        let when = when
            .filter(|_| is_compared)
            .map_or(&[][..], |when| when.fields);
        let fields = keys.flat_map(KeyDef::fields).chain(when.iter().copied());
        let attributes = self.source.entity.attributes.iter();
        let known = move |field| attributes.clone().find(|known| known.field == field);
        fields.filter_map(known).flat_map(AttributeDef::names)
    }
}

/// The text of an attribute.
fn text_of<'i>(item: &'i [u8], attribute: &str) -> Option<Cow<'i, str>> {
    let json = find_member(item, attribute).ok().flatten()?;
    Reader::new(json).text().ok()
}

/// The end of a piece in a key of these pieces, or 0 for the end of none.
fn end_of_piece(
    key: &str,
    pieces: &'static [Piece],
    last: Option<usize>,
    style: Style,
) -> Option<usize> {
    let mut rest = key;
    for (at, piece) in pieces
        .iter()
        .enumerate()
        .take(last.map_or(0, |last| last + 1))
    {
        let width = match piece {
            Piece::Literal(text) => text.len(),
            Piece::Shard(_) => rest.len(),
            Piece::Part { width, .. } => match width {
                Width::Fixed(width) | Width::Digits(width) => *width,
                Width::Signed(digits) => digits + usize::from(rest.starts_with('-')),
                Width::Variable | Width::Decimal => text_after(pieces, at)
                    .and_then(|after| style.separator(after).first_in(rest))
                    .unwrap_or(rest.len()),
            },
        };
        rest = rest.get(width..)?;
    }
    Some(key.len() - rest.len())
}

/// The pieces before a part.
fn front_pieces(pieces: &'static [Piece], parts: usize) -> &'static [Piece] {
    let ends = part_at(pieces, parts).unwrap_or(pieces.len());
    pieces.get(..ends).unwrap_or_default()
}

/// The position of a part in the pieces.
pub(crate) fn part_at(pieces: &[Piece], part: usize) -> Option<usize> {
    let is_part = |piece: &Piece| matches!(piece, Piece::Part { .. });
    let mut parts = pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| is_part(piece));
    parts.nth(part).map(|(at, _)| at)
}
