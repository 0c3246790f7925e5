//! Items of an entity as rows of CSV: a column for each field, by the types of the declaration.
//!
//! ```text
//! Csv              the columns, as they are declared       here
//!   -> CsvLayout   compared with the entity                layout
//!   -> a line      a cell for each column                  layout, cells
//!   -> an item     the cells of a record, by their types   records, cells
//! ```

pub(super) mod cells;
pub(super) mod layout;
pub(super) mod records;

use crate::transfer::csv::layout::CsvLayout;
use std::sync::Arc;

use crate::entity::{DynamoEntity, DynamoTable};
use crate::error::{Error, Result};
use crate::schema::TableSchema;

/// The columns of a file of comma-separated values, for the items of one entity: [`Export::csv`](super::Export::csv),
/// [`Import::csv`](super::Import::csv).
///
/// The first line contains the names of the columns. By default, each field has a column with the name of its
/// attribute, in the order of the struct. A `rest` field has the column `rest`, with the attributes that the entity does
/// not know; without such a field, a row with them fails.
///
/// | type | cell |
/// |---|---|
/// | text | the text |
/// | number | every digit; a spreadsheet may round it |
/// | boolean | `true`, `false` |
/// | bytes | Base64 |
/// | sets, lists, maps, and fields of several types | [plain JSON](super::RowFormat::Json); sets are lists: `["a","b"]` |
/// | a missing attribute, and NULL | an empty cell: `a,,c` |
/// | empty text, and empty bytes | an empty cell in quotes: `a,"",c` |
///
/// Lines end in `\n`; an import also reads `\r\n`. Cells are quoted by the rules of RFC 4180, so a text may contain
/// line ends. Spreadsheets drop the quotes of empty texts when they save a file.
///
/// A spreadsheet runs a text as a formula if it begins with `=`, `+`, `-` or `@`. If other people can store such
/// texts and you open the file in a spreadsheet, call [`escape_formulas`](Self::escape_formulas).
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::transfer::Csv;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "notes", key(pk = "NOTE#{id}"))]
/// struct Note { id: u32, text: String, tags: Vec<String>, done_by: Option<String> }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # let other = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Note::schema()]).await?;
/// # other.create_tables([Note::schema()]).await?;
/// # let note = Note { id: 1, text: "milk, eggs".into(), tags: vec!["buy".into()], done_by: None };
/// # note.create().send(&db).await?;
/// let mut file = Vec::new();
/// let csv = Csv::of::<Note>();
/// Note::scan().export(&mut file).csv(&csv).send(&db).await?.complete()?;
/// let lines = "id,text,tags,done_by\n1,\"milk, eggs\",\"[\"\"buy\"\"]\",\n";
/// assert_eq!(String::from_utf8_lossy(&file), lines);
///
/// let report = Note::import(&file[..]).csv(&csv).send(&other).await?.complete()?;
/// assert_eq!(report.written, 1);
///
/// // Some columns, with names for people.
/// let csv = Csv::of::<Note>().columns([("id", "Number"), ("text", "Text")]);
/// let mut file = Vec::new();
/// Note::scan().export(&mut file).csv(&csv).send(&db).await?.complete()?;
/// assert_eq!(String::from_utf8_lossy(&file), "Number,Text\n1,\"milk, eggs\"\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Csv {
    layout: std::result::Result<Arc<CsvLayout>, String>,
}

impl Csv {
    /// A column for each field of the entity.
    pub fn of<E: DynamoEntity>() -> Csv {
        let schema = <E::Table as DynamoTable>::schema();
        let mut entities = schema.entities.iter();
        let own = entities.find(|entity| {
            let declared = entity.origin.0;
            declared.is_some_and(|declared| declared.entity.id == E::ENTITY.id)
        });
        let name = own.map_or("", |entity| &entity.name);
        Csv::of_entity(&schema, name)
    }

    /// A column for each field of an entity of the table, by the name of the entity, for tools. If the table has no
    /// such entity, sending the export or import fails.
    pub fn of_entity(schema: &TableSchema, entity: &str) -> Csv {
        let layout = CsvLayout::of_entity(schema, entity);
        Csv {
            layout: layout.map(Arc::new),
        }
    }

    /// Sets the columns: names of attributes, each alone or with the name of its column. An export omits other
    /// attributes. An import builds the entity only from these columns, so columns for all fields without a default
    /// are required.
    ///
    /// Sending the export or import fails if the entity does not have an attribute, or if a name is repeated.
    pub fn columns<C: Into<CsvColumn>>(mut self, columns: impl IntoIterator<Item = C>) -> Csv {
        let columns: Vec<CsvColumn> = columns.into_iter().map(Into::into).collect();
        self.layout = self
            .layout
            .and_then(|layout| Ok(Arc::new(layout.with_columns(columns)?)));
        self
    }

    /// Writes `'` before each text that a spreadsheet would run as a formula, and before those that begin with `'`.
    /// An import with the same setting removes it.
    pub fn escape_formulas(mut self) -> Csv {
        if let Ok(layout) = &mut self.layout {
            Arc::make_mut(layout).escapes_formulas = true;
        }
        self
    }

    /// The columns as a text, for checkpoints.
    pub(super) fn layout_name(&self) -> String {
        match &self.layout {
            Ok(layout) => layout.layout_name(),
            // No import with such columns begins.
            Err(reason) => reason.clone(),
        }
    }

    /// The layout, for the rows of an entity.
    pub(super) fn layout_for(&self, rows: &str) -> Result<Arc<CsvLayout>> {
        let layout = self
            .layout
            .as_ref()
            .map_err(|reason| Error::config(reason.as_str()))?;
        match layout.entity == rows {
            true => Ok(Arc::clone(layout)),
            false => Err(Error::config(format!(
                "the columns are those of `{}`, and the rows those of `{rows}`: CSV needs the rows of one entity, and its \
                 columns",
                layout.entity
            ))),
        }
    }
}

impl From<&Csv> for Csv {
    fn from(csv: &Csv) -> Csv {
        csv.clone()
    }
}

/// A column: an attribute, and its name in the first line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvColumn {
    attribute: String,
    header: String,
}

/// A column with the name of its attribute.
impl From<&str> for CsvColumn {
    fn from(attribute: &str) -> CsvColumn {
        (attribute, attribute).into()
    }
}

/// An attribute, and the name of its column.
impl From<(&str, &str)> for CsvColumn {
    fn from((attribute, header): (&str, &str)) -> CsvColumn {
        CsvColumn {
            attribute: attribute.to_owned(),
            header: header.to_owned(),
        }
    }
}
