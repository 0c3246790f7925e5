//! Reads what the text of a stored form says.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec;

use super::blocks::{FileBlock, blocks, damaged};
use super::stored::{
    StoredAttribute, StoredContent, StoredEntity, StoredFields, StoredIndex, StoredKey,
    StoredModel, StoredPart, StoredPattern, StoredPiece, StoredTable, StoredTableHead,
    StoredTemplate, StoredUnique, StoredValue, StoredVariant, StoredWhen, ValueKind,
};
use super::text::{entity_block, table_block};
use super::words::words;
use crate::error::Result;
use crate::schema::{FieldRole, IndexKind, KeyAttribute, Presence, ProjectionSchema, Style, Word};

/// The model that the text of a file holds.
pub(super) fn read(text: &str) -> Result<StoredModel> {
    let blocks = blocks(text)?;
    let mut model = StoredModel::default();
    for (name, block) in &blocks.tables {
        let head = FactReader::of(block)?.whole(FactReader::table)?;
        check_spelling(
            block,
            table_block(name, &head, block.listed.iter().map(String::as_str)).lines(),
        )?;
        let entities = BTreeMap::new();
        model
            .tables
            .insert(name.clone(), StoredTable { head, entities });
    }
    for ((table, name), block) in &blocks.entities {
        let entity = FactReader::of(block)?.whole(FactReader::entity)?;
        check_spelling(block, entity_block(table, name, &entity).lines())?;
        if let Some(table) = model.tables.get_mut(table) {
            table.entities.insert(name.clone(), entity);
        }
    }
    Ok(model)
}

/// One fact has one spelling and one place, so that equal files are equal models.
fn check_spelling<'l>(
    block: &FileBlock<'_>,
    lines: impl Iterator<Item = &'l String>,
) -> Result<()> {
    let mut found = [&block.header].into_iter().chain(&block.facts);
    let mut lines = lines.filter(|line| !line.starts_with("  entity "));
    loop {
        match (found.next(), lines.next()) {
            (None, None) => return Ok(()),
            (Some(found), Some(line)) if found.text == line => {}
            (found, _) => return Err(not_ours(found.unwrap_or(&block.header).number)),
        }
    }
}

#[cold]
fn not_ours(line: usize) -> crate::error::Error {
    damaged(line, "it is no fact, or not as dynamo-entity writes it")
}

/// A fact and those that belong to it.
struct Fact {
    line: usize,
    words: vec::IntoIter<String>,
    below: Vec<Fact>,
}

/// Facts that are taken one by one, in their order.
struct FactReader {
    /// The line that they belong to.
    line: usize,
    facts: Peekable<vec::IntoIter<Fact>>,
}

impl FactReader {
    fn of(block: &FileBlock<'_>) -> Result<FactReader> {
        let mut facts: Vec<Fact> = Vec::new();
        for line in &block.facts {
            let words = words(line.text.trim_start()).ok_or_else(|| not_ours(line.number))?;
            let depth = (line.text.len() - line.text.trim_start().len()) / 2;
            let mut level = &mut facts;
            for _ in 1..depth {
                level = match level.last_mut() {
                    Some(fact) => &mut fact.below,
                    None => return Err(not_ours(line.number)),
                };
            }
            level.push(Fact {
                line: line.number,
                words: words.into_iter(),
                below: Vec::new(),
            });
        }
        Ok(FactReader::below(block.header.number, facts))
    }

    fn below(line: usize, facts: Vec<Fact>) -> FactReader {
        let facts = facts.into_iter().peekable();
        FactReader { line, facts }
    }

    /// Reads something of which the facts are all.
    fn whole<T>(mut self, read: impl FnOnce(&mut FactReader) -> Result<T>) -> Result<T> {
        let read = read(&mut self)?;
        match self.facts.next() {
            Some(fact) => Err(not_ours(fact.line)),
            None => Ok(read),
        }
    }

    /// The next fact, if it begins with this word.
    fn may<T>(
        &mut self,
        word: &str,
        read: impl FnOnce(&mut Fact) -> Result<T>,
    ) -> Result<Option<T>> {
        let is_it = |fact: &Fact| {
            fact.words
                .as_slice()
                .first()
                .is_some_and(|first| first == word)
        };
        let Some(mut fact) = self.facts.next_if(is_it) else {
            return Ok(None);
        };
        fact.words.next();
        let read = read(&mut fact)?;
        match (fact.words.next(), fact.below.is_empty()) {
            (None, true) => Ok(Some(read)),
            _ => Err(not_ours(fact.line)),
        }
    }

    fn must<T>(&mut self, word: &str, read: impl FnOnce(&mut Fact) -> Result<T>) -> Result<T> {
        let line = self.line;
        self.may(word, read)?.ok_or_else(|| not_ours(line))
    }

    /// All next facts that begin with this word.
    fn all<T>(&mut self, word: &str, read: impl Fn(&mut Fact) -> Result<T>) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while let Some(one) = self.may(word, &read)? {
            all.push(one);
        }
        Ok(all)
    }

    fn flag(&mut self, word: &str) -> Result<bool> {
        Ok(self.may(word, |_| Ok(()))?.is_some())
    }

    fn table(&mut self) -> Result<StoredTableHead> {
        Ok(StoredTableHead {
            pk: self.must("pk", Fact::key_attribute)?,
            sk: self.may("sk", Fact::key_attribute)?,
            type_attribute: self.may("type", Fact::text)?,
            style: self.must("keys", Fact::word::<Style>)?,
            ttl: self.may("ttl", Fact::text)?,
            stream: self.may("stream", Fact::word)?,
            indexes: self.indexes()?,
        })
    }

    fn indexes(&mut self) -> Result<BTreeMap<String, StoredIndex>> {
        let mut indexes = BTreeMap::new();
        loop {
            let index = |kind| move |fact: &mut Fact| Ok((fact.text()?, fact.index(kind)?));
            let global = self.all("global", index(IndexKind::Global))?;
            let local = self.all("local", index(IndexKind::Local))?;
            if global.is_empty() && local.is_empty() {
                return Ok(indexes);
            }
            indexes.extend(global.into_iter().chain(local));
        }
    }

    fn entity(&mut self) -> Result<StoredEntity> {
        Ok(StoredEntity {
            append_only: self.flag("append_only")?,
            keeps_rest: self.flag("rest")?,
            pk: self.must("pk", Fact::key)?,
            sk: self.may("sk", Fact::key)?,
            attributes: self.map("attribute", Fact::attribute)?,
            key_only: self.map("key_only", Fact::text)?,
            patterns: self.map("pattern", Fact::pattern)?,
            uniques: self.map("unique", Fact::unique)?,
            values: self.map("value", Fact::value)?,
        })
    }

    fn fields(&mut self) -> Result<StoredFields> {
        Ok(StoredFields {
            keeps_rest: self.flag("rest")?,
            attributes: self.map("attribute", Fact::attribute)?,
        })
    }

    fn map<T>(
        &mut self,
        word: &str,
        read: impl Fn(&mut Fact) -> Result<T>,
    ) -> Result<BTreeMap<String, T>> {
        let all = self.all(word, |fact| Ok((fact.text()?, read(fact)?)))?;
        Ok(all.into_iter().collect())
    }
}

impl Fact {
    fn text(&mut self) -> Result<String> {
        self.words.next().ok_or_else(|| not_ours(self.line))
    }

    fn word<W: Word>(&mut self) -> Result<W> {
        W::of_word(&self.text()?).ok_or_else(|| not_ours(self.line))
    }

    fn number(&mut self) -> Result<u16> {
        self.text()?.parse().map_err(|_| not_ours(self.line))
    }

    /// A word and what is behind it, if it is the next one.
    fn labelled(&mut self, label: &str) -> Result<Option<String>> {
        match self.words.as_slice().first() {
            Some(next) if next == label => {
                self.words.next();
                self.text().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn expect(&mut self, word: &str) -> Result<()> {
        match self.text()? == word {
            true => Ok(()),
            false => Err(not_ours(self.line)),
        }
    }

    fn below<T>(&mut self, read: impl FnOnce(&mut FactReader) -> Result<T>) -> Result<T> {
        FactReader::below(self.line, std::mem::take(&mut self.below)).whole(read)
    }

    fn key_attribute(&mut self) -> Result<KeyAttribute> {
        Ok(KeyAttribute {
            name: self.text()?,
            ty: self.word()?,
        })
    }

    fn index(&mut self, kind: IndexKind) -> Result<StoredIndex> {
        self.below(|facts| {
            Ok(StoredIndex {
                kind,
                pk: facts.all("pk", Fact::key_attribute)?,
                sk: facts.all("sk", Fact::key_attribute)?,
                projection: facts.must("holds", Fact::projection)?,
            })
        })
    }

    fn projection(&mut self) -> Result<ProjectionSchema> {
        match self.text()?.as_str() {
            "all" => Ok(ProjectionSchema::All),
            "keys" => Ok(ProjectionSchema::Keys),
            "some" => {
                let held = self.below(|facts| facts.all("attribute", Fact::text))?;
                Ok(ProjectionSchema::Include(held))
            }
            _ => Err(not_ours(self.line)),
        }
    }

    fn attribute(&mut self) -> Result<StoredAttribute> {
        let stored = match self.words.as_slice().first().map(String::as_str) {
            Some("any") => self.text().map(|_| None)?,
            _ => Some(self.word()?),
        };
        let is_required = match self.text()?.as_str() {
            "required" => true,
            "optional" => false,
            _ => return Err(not_ours(self.line)),
        };
        let value_type = self.text()?;
        let role = match self.labelled("role")? {
            Some(role) => FieldRole::of_word(&role).ok_or_else(|| not_ours(self.line))?,
            None => FieldRole::Attribute,
        };
        Ok(StoredAttribute {
            stored,
            is_required,
            role,
            form: self.labelled("form")?,
            default: self.labelled("default")?,
            rust_name: self.labelled("called")?,
            value_type,
        })
    }

    fn key(&mut self) -> Result<StoredKey> {
        let attribute = self.key_attribute()?;
        let template = self.text()?;
        let content = match self.words.next() {
            Some(field) if template == "=" => StoredContent::Bare(field),
            Some(_) => return Err(not_ours(self.line)),
            None => {
                let line = self.line;
                let template = self.below(|facts| facts.template(line, &template))?;
                StoredContent::Template(template)
            }
        };
        Ok(StoredKey { attribute, content })
    }

    fn part(&mut self) -> Result<StoredPart> {
        Ok(StoredPart {
            name: self.text()?,
            width: self.word()?,
            format: self.labelled("format")?,
            presence: match self.words.len() {
                0 => Presence::Always,
                _ => self.word()?,
            },
        })
    }

    fn pattern(&mut self) -> Result<StoredPattern> {
        self.expect("in")?;
        let index = self.text()?;
        self.below(|facts| {
            Ok(StoredPattern {
                index,
                pk: facts.all("pk", Fact::key)?,
                sk: facts.all("sk", Fact::key)?,
                read_shards: facts.may("read_shards", Fact::number)?,
                when: facts.when()?,
            })
        })
    }

    fn unique(&mut self) -> Result<StoredUnique> {
        self.expect("by")?;
        let look_up = self.text()?;
        let parts = self.below(|facts| facts.all("part", Fact::part))?;
        Ok(StoredUnique { look_up, parts })
    }

    fn value(&mut self) -> Result<StoredValue> {
        let kind = match self.text()?.as_str() {
            "struct" => ValueKind::Struct,
            "wraps" => ValueKind::Wraps(self.text()?),
            "names" => ValueKind::Names,
            "numbers" => ValueKind::Numbers,
            "tagged" => ValueKind::Tagged(self.text()?),
            _ => return Err(not_ours(self.line)),
        };
        self.below(|facts| {
            Ok(StoredValue {
                kind,
                fields: facts.fields()?,
                variants: facts.map("variant", Fact::variant)?,
            })
        })
    }

    fn variant(&mut self) -> Result<StoredVariant> {
        Ok(StoredVariant {
            rust_name: self.labelled("called")?,
            fields: self.below(FactReader::fields)?,
        })
    }
}

impl FactReader {
    fn when(&mut self) -> Result<Option<StoredWhen>> {
        let function = self.may("when_function", Fact::text)?;
        if function.is_some() {
            return Ok(function.map(StoredWhen::Function));
        }
        self.may("when", |fact| {
            let attribute = fact.text()?;
            let values = fact.below(|facts| facts.all("value", Fact::text))?;
            Ok(StoredWhen::OneOf(attribute, values))
        })
    }

    /// A template; the lines of its parts say where a `{` begins one.
    fn template(&mut self, line: usize, text: &str) -> Result<StoredTemplate> {
        let parts = self.all("part", Fact::part)?;
        let shards = self.may("shards", Fact::number)?;
        let (mut pieces, mut literal) = (Vec::new(), String::new());
        let (mut parts, mut rest) = (parts.into_iter(), text);
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            let doubled = rest.strip_prefix(character);
            match (character, doubled) {
                ('{' | '}', Some(behind)) => {
                    literal.push(character);
                    rest = behind;
                }
                ('{', None) => {
                    let part = parts.next().ok_or_else(|| not_ours(line))?;
                    let behind = rest.strip_prefix(&part.shown());
                    let behind = behind.and_then(|behind| behind.strip_prefix('}'));
                    rest = behind.ok_or_else(|| not_ours(line))?;
                    if !literal.is_empty() {
                        pieces.push(StoredPiece::Text(std::mem::take(&mut literal)));
                    }
                    pieces.push(StoredPiece::Part(part));
                }
                _ => literal.push(character),
            }
        }
        if !literal.is_empty() {
            pieces.push(StoredPiece::Text(literal));
        }
        match parts.next() {
            Some(_) => Err(not_ours(line)),
            None => Ok(StoredTemplate { pieces, shards }),
        }
    }
}
