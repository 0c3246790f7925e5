//! Keys and queries by texts: what a person types, or a tool reads, for an entity that is known by its name.
//!
//! The parts are read and written by the functions that the typed calls use, so both send the same requests.

use std::fmt;

use super::key::{DynamicKey, DynamicPart, PartModels, read_part};
use super::query::{DynamicQuery, DynamicSortPart};
use crate::codec::Item;
use crate::entity::hash_of_json;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Writer};
use crate::key::{GivenPart, KeyTarget, Role, Shard, TemplateExtent};
use crate::query::keys::{KeyDraft, QuerySource, SortKeyFront};
use crate::schema::{
    DeclaredEntity, EntityIndexDef, EntitySchema, PartRanges, TableSchema, TextOf,
};

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
        match self.named_entity(entity)?.origin.0 {
            Some(declared) => Ok(DynamicEntity { declared }),
            None => Err(Error::config(format!(
                "the schema of `{entity}` was read from JSON, which has no types to read texts by: take `schema()`"
            ))),
        }
    }

    /// The entity of this name, or an error that names all entities.
    pub(super) fn named_entity(&self, name: &str) -> Result<&EntitySchema> {
        self.entity(name).ok_or_else(|| {
            let names = self.entities.iter();
            let names: Vec<String> = names.map(|entity| format!("`{}`", entity.name)).collect();
            Error::config(format!(
                "the table `{}` has no entity `{name}`, it has {}",
                self.name,
                names.join(", ")
            ))
        })
    }
}

/// An entity that is known by its name; see [`TableSchema::dynamic`].
#[derive(Clone, Copy)]
pub struct DynamicEntity {
    pub(super) declared: DeclaredEntity,
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
        // If one place of the key holds the whole field, the text is that of the field, because `key(..)` takes the
        // field then.
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
                read_part(&self.declared, part, text_of(part.field), of)
            });
            given.collect::<Result<Vec<GivenPart>>>()
        };
        let given = keys.iter().map(read).collect::<Result<Vec<_>>>()?;
        let write = |shard| {
            let mut writer = Writer::default();
            writer.push_raw("{");
            for (at, (key, given)) in keys.iter().zip(&given).enumerate() {
                let role = match at {
                    0 => self.role_of(key),
                    _ => Role::Sort,
                };
                let given: Vec<_> = given.iter().map(Some).collect();
                key.write(&given, shard, role, KeyTarget::attribute(&mut writer))?;
            }
            writer.push_raw("}");
            Ok(writer.into_bytes())
        };
        // The shard is the hash of the key without its shard part, so the key is written twice.
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
        self.query_of(QuerySource::of_declared(&self.declared, None), &keys, parts)
    }

    /// The rows of an access pattern, by its name and the texts of the parts of its partition key.
    pub fn query<'t>(
        &self,
        pattern: &str,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let keys = self.keys_of_pattern(pattern)?;
        if keys.index.is_some_and(|index| index.filling) {
            return Err(Error::config(format!(
                "the access pattern `{pattern}` of `{}` is `filling`, so old items may be missing in its index: fill it by \
                 `refill`, check that `unfilled` is 0, and remove the word",
                self.name()
            )));
        }
        let source = QuerySource::of_declared(&self.declared, keys.index);
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
    pub(super) fn collected<'t>(
        &self,
        source: QuerySource,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let mut keys = match source.index {
            Some(index) => self.keys_of_pattern(index.name)?,
            None => self.keys_of_table(),
        };
        // The entities of a collection have different sort keys, so no part can be named.
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
            .map(|(part, text)| read_part(&self.declared, part, text, TextOf::Part));
        let given = given.collect::<Result<Vec<_>>>()?;
        let keys_only = !source.is_whole();
        let name = source.index_or_table();
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
            let target = KeyTarget::of_text(&mut front.head, TemplateExtent::Front);
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

    #[cold]
    fn fault(&self, fault: CodecError) -> Error {
        Error::encode(self.name(), fault)
    }
}

impl fmt::Debug for DynamicEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynamicEntity({})", self.name())
    }
}
