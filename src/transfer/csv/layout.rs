//! The columns of a file, compared with the declaration of the entity.

use std::collections::BTreeSet;

use super::CsvColumn;
use super::cells::{Cell, read_cell, write_cell};
use crate::codec::Item;
use crate::json::{CodecError, Tag};
use crate::schema::{FieldRole, KeyType, SHAPE, TableSchema, is_reserved};

/// The name of the column of the `rest` field. It is the word of the declaration, because the name of a Rust field must
/// not be in a file unless it is declared.
const REST: &str = "rest";

/// The columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct CsvLayout {
    /// The name of the entity.
    pub(in super::super) entity: String,
    columns: Vec<LayoutColumn>,
    /// The attributes that an import builds again, and that need no column.
    built: BTreeSet<String>,
    /// The attributes of fields.
    known: BTreeSet<String>,
    /// Whether an attribute without a column is an error, because no columns were listed.
    is_complete: bool,
    pub(super) escapes_formulas: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LayoutColumn {
    /// The attribute; for the `rest` field, [`REST`].
    attribute: String,
    header: String,
    /// The type of its values, if it is always the same.
    stored: Option<Tag>,
    /// Whether it contains all attributes without a column, as one map.
    is_rest: bool,
}

/// The column of each cell of a record, from the first line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct HeaderMap(Vec<usize>);

impl HeaderMap {
    pub(in super::super) fn is_one_column(&self) -> bool {
        self.0.len() == 1
    }
}

impl CsvLayout {
    /// A column for each field of an entity.
    pub(super) fn of_entity(schema: &TableSchema, name: &str) -> Result<Self, String> {
        let mut entities = schema.entities.iter();
        let Some(entity) = entities.find(|entity| entity.name == name) else {
            return Err(format!(
                "the table `{}` has no entity `{name}`",
                schema.name
            ));
        };
        let column = |attribute: &str, stored: Option<Tag>, is_rest: bool| LayoutColumn {
            attribute: attribute.to_owned(),
            header: attribute.to_owned(),
            stored,
            is_rest,
        };
        let primary = || [&schema.pk].into_iter().chain(&schema.sk);
        // An index without a pattern of this entity is of others: a key of it is an attribute that the entity does not build.
        let patterns = entity.patterns.iter();
        let indexes = patterns.filter_map(|pattern| schema.index(&pattern.index));
        let keys = primary().chain(indexes.flat_map(|index| index.keys()));
        let keys: BTreeSet<String> = keys.map(|key| key.name.clone()).collect();
        let mut columns = Vec::new();
        // A field without an attribute is read from the primary key, which is then no longer built from fields alone.
        if entity
            .fields
            .iter()
            .any(|field| field.role == FieldRole::Skip)
        {
            columns.extend(primary().map(|key| column(&key.name, Some(tag_of(key.ty)), false)));
        }
        for field in &entity.fields {
            // While it is being renamed, the former name is read first.
            let names = field.attribute.iter().chain(&field.former);
            columns.extend(names.map(|name| column(name, field.stored, false)));
        }
        if entity.shape.is_some() {
            columns.push(column(SHAPE, Some(Tag::N), false));
        }
        let mut seen = BTreeSet::new();
        columns.retain(|column| seen.insert(column.attribute.clone()));
        let mut fields = entity.fields.iter();
        if fields.any(|field| field.role == FieldRole::Rest) {
            // An attribute of a field may have this name.
            let mut name = REST.to_owned();
            while seen.contains(&name) {
                name.push('_');
            }
            columns.push(column(&name, Some(Tag::M), true));
        }
        Ok(CsvLayout {
            entity: entity.name.clone(),
            columns,
            known: seen,
            built: keys
                .into_iter()
                .chain(entity.type_attribute_in(schema).map(str::to_owned))
                .chain(entity.constants.iter().map(|it| it.attribute.clone()))
                .collect(),
            is_complete: true,
            escapes_formulas: false,
        })
    }

    pub(super) fn with_columns(&self, listed: Vec<CsvColumn>) -> Result<Self, String> {
        let (mut columns, mut attributes, mut headers) =
            (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for CsvColumn { attribute, header } in listed {
            let known = self
                .columns
                .iter()
                .find(|column| column.attribute == attribute);
            let Some(known) = known else {
                let names: Vec<&str> = self
                    .columns
                    .iter()
                    .map(|column| &*column.attribute)
                    .collect();
                return Err(format!(
                    "`{}` has no attribute `{attribute}` for a column: it has {}",
                    self.entity,
                    names.join(", ")
                ));
            };
            if !headers.insert(header.clone()) || !attributes.insert(attribute) {
                return Err(format!("the column `{header}` is listed twice"));
            }
            columns.push(LayoutColumn {
                header,
                ..known.clone()
            });
        }
        match columns.is_empty() {
            true => Err("a file of CSV needs columns".to_owned()),
            false => Ok(CsvLayout {
                columns,
                is_complete: false,
                ..self.clone()
            }),
        }
    }

    /// The names of the columns and their attributes, as a text for checkpoints.
    pub(in super::super) fn layout_name(&self) -> String {
        let columns = self
            .columns
            .iter()
            .map(|column| format!("{:?}={:?}", column.header, column.attribute));
        let columns: Vec<String> = columns.collect();
        format!(
            "csv of {}, escaped: {}",
            columns.join(","),
            self.escapes_formulas
        )
    }

    /// The first line.
    pub(in super::super) fn write_header(&self, out: &mut Vec<u8>) {
        for (at, column) in self.columns.iter().enumerate() {
            let cell = Cell::Text(column.header.clone());
            cell.write(at, self.escapes_formulas, out);
        }
        out.push(b'\n');
    }

    /// Writes the line of an item, which is DynamoDB JSON.
    pub(in super::super) fn write_line(
        &self,
        item: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        let mut item = Item::from_dynamo_json(item)?;
        let values: Vec<_> = self
            .columns
            .iter()
            .map(|column| match column.is_rest {
                true => None,
                false => item.remove(&column.attribute),
            })
            .collect();
        let mut rest = self.unknown(item);
        for (at, (column, value)) in self.columns.iter().zip(values).enumerate() {
            let value = match column.is_rest {
                true => Some(std::mem::take(&mut rest))
                    .filter(|rest| !rest.is_empty())
                    .map(Into::into),
                false => value,
            };
            let cell =
                write_cell(value, column.stored).map_err(|fault| fault.at(&*column.attribute))?;
            cell.write(at, self.escapes_formulas, out);
        }
        if let Some((name, _)) = rest.iter().next()
            && self.is_complete
        {
            let message = "it has no column, because the entity has no field for it: list the columns, or keep it by a \
                           `rest` field";
            return Err(CodecError::new(message).at(&**name));
        }
        out.push(b'\n');
        Ok(())
    }

    /// The attributes that the entity does not know, and that an import does not build.
    fn unknown(&self, item: Item) -> Item {
        let values = item.into_iter();
        values
            .filter(|(name, _)| {
                !(self.built.contains(name) || self.known.contains(name) || is_reserved(name))
            })
            .collect()
    }

    /// Compares the first line of a file with the columns, which may have another order there.
    pub(in super::super) fn read_header(&self, cells: Vec<Cell>) -> Result<HeaderMap, String> {
        let (mut map, mut seen) = (Vec::new(), BTreeSet::new());
        for cell in cells {
            let header = cell.into_text(self.escapes_formulas).unwrap_or_default();
            let at = self
                .columns
                .iter()
                .position(|column| column.header == header);
            let Some(at) = at else {
                return Err(format!(
                    "the file has the column `{header}`, which is not one of the declared ones: {}",
                    self.headers()
                ));
            };
            if !seen.insert(at) {
                return Err(format!("the file has the column `{header}` twice"));
            }
            map.push(at);
        }
        let missing = (0..self.columns.len()).find(|at| !seen.contains(at));
        match missing.and_then(|at| self.columns.get(at)) {
            Some(missing) => Err(format!(
                "the file has no column `{}`: it needs {}, in the first line",
                missing.header,
                self.headers()
            )),
            None => Ok(HeaderMap(map)),
        }
    }

    fn headers(&self) -> String {
        let headers: Vec<&str> = self.columns.iter().map(|column| &*column.header).collect();
        headers.join(", ")
    }

    /// The item of a record.
    pub(in super::super) fn read_record(
        &self,
        cells: Vec<Cell>,
        map: &HeaderMap,
    ) -> Result<Item, CodecError> {
        if cells.len() != map.0.len() {
            return Err(CodecError::new(format!(
                "the line has {} cells, and the first line {}",
                cells.len(),
                map.0.len()
            )));
        }
        let mut item = Item::new();
        for (cell, at) in cells.into_iter().zip(&map.0) {
            let Some(column) = self.columns.get(*at) else {
                continue;
            };
            let Some(text) = cell.into_text(self.escapes_formulas) else {
                continue;
            };
            let value =
                read_cell(&text, column.stored).map_err(|fault| fault.at(&*column.header))?;
            match value {
                crate::codec::Value::M(rest) if column.is_rest => {
                    for (name, value) in rest {
                        if item.insert(&*name, value).is_some() {
                            let fault = CodecError::new("it is in a column of its own too");
                            return Err(fault.at(name));
                        }
                    }
                }
                value => {
                    if item.insert(&*column.attribute, value).is_some() {
                        let fault = CodecError::new("it is in a column of its own too");
                        return Err(fault.at(&*column.attribute));
                    }
                }
            }
        }
        Ok(item)
    }
}

fn tag_of(key: KeyType) -> Tag {
    match key {
        KeyType::S => Tag::S,
        KeyType::N => Tag::N,
        KeyType::B => Tag::B,
    }
}
