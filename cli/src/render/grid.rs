//! Rows of several entities as one grid: each partition has a heading, and within it the rows of each entity have the
//! names of their own attributes above them.

use std::collections::HashSet;
use std::io::Write;

use clap::builder::styling::Style;
use dynamo_entity::schema::{KeyPair, TableSchema};
use dynamo_entity::{Item, Value};

use super::column::{TableColumn, cut_text};
use super::item::{cell, columns};
use crate::failure::Failure;
use crate::kind::ItemKind;
use crate::model::{ModelEntity, Question};
use crate::streams::Terminals;
use crate::text::visible;

/// The columns before the rows of an entity.
const INDENT: &str = "    ";
/// The smallest width of a column in a narrow terminal.
const LEAST: usize = 8;

/// A grid that can be written page by page.
pub(crate) struct RowGrid<'m> {
    schema: &'m TableSchema,
    entities: Vec<ModelEntity<'m>>,
    /// The attributes of the partition key, which head the rows of a partition.
    partition: Vec<&'m str>,
    /// The attributes of the sort key, which are the first columns.
    sort: Vec<&'m str>,
    terminals: Terminals,
    /// The rows that were written last, which the next ones may continue.
    open: Option<OpenGroup>,
}

/// Rows of one entity in one partition.
struct OpenGroup {
    partition: Vec<Option<Value>>,
    kind: String,
    /// The columns that fit beside each other; more than one list if the output is narrow.
    bands: Vec<Vec<TableColumn>>,
}

impl<'m> RowGrid<'m> {
    /// A grid of all items of a table.
    pub(crate) fn of_table(
        schema: &'m TableSchema,
        entities: Vec<ModelEntity<'m>>,
        terminals: Terminals,
    ) -> Self {
        let sort: Vec<&str> = schema.sk.iter().map(|key| key.name.as_str()).collect();
        Self::new(schema, entities, vec![&schema.pk.name], sort, terminals)
    }

    /// A grid of the rows of a collection.
    pub(crate) fn of_collection(
        question: &Question<'m>,
        entities: Vec<ModelEntity<'m>>,
        terminals: Terminals,
    ) -> Self {
        let KeyPair { pk, sk, .. } = question.keys;
        let names = |keys: &'m [dynamo_entity::schema::KeySchema]| {
            keys.iter().map(|key| key.attribute.as_str()).collect()
        };
        Self::new(
            question.entity.schema,
            entities,
            names(pk),
            names(sk),
            terminals,
        )
    }

    fn new(
        schema: &'m TableSchema,
        entities: Vec<ModelEntity<'m>>,
        partition: Vec<&'m str>,
        sort: Vec<&'m str>,
        terminals: Terminals,
    ) -> Self {
        // Without a sort key, each partition is one item, and a heading for each would hide the columns.
        let (partition, sort) = match sort.is_empty() {
            true => (Vec::new(), partition),
            false => (partition, sort),
        };
        RowGrid {
            schema,
            entities,
            partition,
            sort,
            terminals,
            open: None,
        }
    }

    /// Writes rows in their order. Rows that continue a group need no heading.
    pub(crate) fn write(&mut self, rows: &[Item], out: &mut dyn Write) -> Result<(), Failure> {
        let is_same = |one: &Item, next: &Item| {
            self.partition_of(one) == self.partition_of(next)
                && ItemKind::of(one, self.schema) == ItemKind::of(next, self.schema)
        };
        let groups: Vec<&[Item]> = rows.chunk_by(is_same).collect();
        for group in groups {
            self.write_group(group, out)?;
        }
        Ok(())
    }

    fn write_group(&mut self, rows: &[Item], out: &mut dyn Write) -> Result<(), Failure> {
        let Some(first) = rows.first() else {
            return Ok(());
        };
        let partition = self.partition_of(first);
        let kind = ItemKind::of(first, self.schema).to_string();
        let names = self.column_names(rows, first);
        let known = self.open.take();
        let open = match known {
            Some(open)
                if open.continues(&partition, &kind, &names)
                    && (self.terminals.width.is_none() || open.fits(rows)?) =>
            {
                open
            }
            known => {
                let is_same_partition = known
                    .as_ref()
                    .is_some_and(|open| open.partition == partition);
                if known.is_some() && (!is_same_partition || self.partition.is_empty()) {
                    writeln!(out)?;
                }
                if !is_same_partition {
                    self.write_partition(&partition, out)?;
                }
                writeln!(out, "  {}", visible(&kind))?;
                let bands = self.bands(names, rows)?;
                OpenGroup {
                    partition,
                    kind,
                    bands,
                }
                .headed(self.terminals, rows, out)?
            }
        };
        // The rows of several bands were written with their headings.
        if let [band] = &open.bands[..] {
            write_rows(band, rows, out)?;
        }
        self.open = Some(open);
        Ok(())
    }

    fn partition_of(&self, item: &Item) -> Vec<Option<Value>> {
        let names = self.partition.iter();
        names.map(|name| item.get(name).cloned()).collect()
    }

    fn write_partition(
        &self,
        partition: &[Option<Value>],
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let mut line = String::new();
        for (name, value) in self.partition.iter().zip(partition) {
            let value = value.as_ref().map_or_else(|| Ok("-".to_owned()), cell)?;
            line += &format!("{}  {value}  ", visible(name));
        }
        match line.trim_end() {
            "" => Ok(()),
            line => {
                let most = self.terminals.width.unwrap_or(usize::MAX);
                write_bold(&cut_text(line.to_owned(), most), self.terminals, out)
            }
        }
    }

    /// The sort key, then the fields of the entity, then attributes without a field. Derived keys are omitted.
    fn column_names(&self, rows: &[Item], first: &Item) -> Vec<String> {
        let found = match ItemKind::of(first, self.schema) {
            ItemKind::Entity(name) => {
                let mut entities = self.entities.iter();
                entities.find(|of| of.entity.name == name).copied()
            }
            _ => None,
        };
        let others = match found {
            Some(of) => {
                let names = columns(rows, of, true).into_iter();
                names.filter(|name| !of.is_derived(name)).collect()
            }
            None => attribute_names(rows),
        };
        let is_other = |name: &String| {
            !self.partition.contains(&name.as_str()) && !self.sort.contains(&name.as_str())
        };
        let sort = self.sort.iter().map(|&name| name.to_owned());
        sort.chain(others.into_iter().filter(is_other)).collect()
    }

    /// The columns, in as many bands as the width of the output requires. Each band begins with the sort key.
    fn bands(&self, names: Vec<String>, rows: &[Item]) -> Result<Vec<Vec<TableColumn>>, Failure> {
        let room = self
            .terminals
            .width
            .map(|width| width.saturating_sub(INDENT.len()));
        let most = self.terminals.widest_column();
        // Two columns fit beside each other.
        let most = room.map_or(most, |room| {
            most.min((room.saturating_sub(2) / 2).max(LEAST))
        });
        let columns = names
            .into_iter()
            .map(|name| TableColumn::new(name, rows, most));
        let mut columns: Vec<TableColumn> = columns.collect::<Result<_, _>>()?;
        let others = columns.split_off(self.sort.len());
        let lead = columns;
        let begin =
            |lead: &[TableColumn]| lead.iter().map(|column| column.width + 2).sum::<usize>();
        let (mut bands, mut band, mut used) = (Vec::new(), lead.clone(), begin(&lead));
        for column in others {
            let is_full = room.is_some_and(|room| used + column.width > room);
            if is_full && band.len() > lead.len() {
                bands.push(std::mem::replace(&mut band, lead.clone()));
                used = begin(&lead);
            }
            used += column.width + 2;
            band.push(column);
        }
        bands.push(band);
        Ok(bands)
    }
}

impl OpenGroup {
    /// Whether rows belong to this group, and need no columns that it does not have.
    fn continues(&self, partition: &[Option<Value>], kind: &str, names: &[String]) -> bool {
        let [band] = &self.bands[..] else {
            return false;
        };
        let is_known = |name: &String| band.iter().any(|column| column.name == *name);
        self.partition == partition && self.kind == kind && names.iter().all(is_known)
    }

    /// Whether rows fit into the columns, which were made for others.
    fn fits(&self, rows: &[Item]) -> Result<bool, Failure> {
        for column in self.bands.iter().flatten() {
            if !column.fits(rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the names of the columns, and the rows of several bands.
    fn headed(
        self,
        terminals: Terminals,
        rows: &[Item],
        out: &mut dyn Write,
    ) -> Result<Self, Failure> {
        for band in &self.bands {
            let head = TableColumn::line(band, |column| Ok(visible(&column.name).into_owned()))?;
            write_bold(&format!("{INDENT}{head}"), terminals, out)?;
            if self.bands.len() > 1 {
                write_rows(band, rows, out)?;
            }
        }
        Ok(self)
    }
}

fn write_rows(band: &[TableColumn], rows: &[Item], out: &mut dyn Write) -> Result<(), Failure> {
    for row in rows {
        let line = TableColumn::line(band, |column| {
            row.get(&column.name)
                .map_or_else(|| Ok(String::new()), cell)
        })?;
        writeln!(out, "{INDENT}{line}")?;
    }
    Ok(())
}

fn write_bold(line: &str, terminals: Terminals, out: &mut dyn Write) -> Result<(), Failure> {
    let style = Style::new().bold();
    match terminals.colours {
        true => writeln!(out, "{style}{line}{style:#}")?,
        false => writeln!(out, "{line}")?,
    }
    Ok(())
}

/// All attributes, in the order in which they occur.
fn attribute_names(rows: &[Item]) -> Vec<String> {
    let mut known = HashSet::new();
    let names = rows.iter().flatten().map(|(name, _)| name);
    names.filter(|name| known.insert(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use dynamo_entity::prelude::*;

    use super::*;
    use crate::model::Model;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, User))]
    struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:08}"))]
    struct Order {
        user: String,
        number: u32,
        note: String,
        cents: i64,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "PROFILE"))]
    struct User {
        user: String,
    }

    fn items(notes: &[&str]) -> Vec<Item> {
        let orders = notes.iter().zip(1..).map(|(note, number)| Order {
            user: "ann".into(),
            number,
            note: (*note).to_owned(),
            cents: 1990,
        });
        let mut items: Vec<Item> = orders.map(|order| order.to_item().unwrap()).collect();
        items.push(User { user: "ann".into() }.to_item().unwrap());
        items
    }

    /// The grid of pages of items in a terminal of this width.
    fn shown(width: usize, pages: &[&[Item]]) -> String {
        let schemas = vec![Shop::schema()];
        let model = Model {
            schemas,
            ..Model::default()
        };
        let terminals = Terminals {
            out: true,
            width: Some(width),
            ..Terminals::default()
        };
        let schema = &model.schemas[0];
        let mut grid = RowGrid::of_table(schema, model.entities_of(schema), terminals);
        let mut out = Vec::new();
        for page in pages {
            grid.write(page, &mut out).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_that_do_not_fit_follow_below() {
        let items = items(&["first", "a longer note that is cut somewhere"]);
        for width in [24, 40, 60] {
            let grid = shown(width, &[&items]);
            for line in grid.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
            for name in ["sk", "user", "number", "note", "cents"] {
                assert!(grid.contains(name), "{width}: {name}: {grid}");
            }
            // Each band has both rows.
            let bands = grid
                .lines()
                .filter(|line| line.starts_with("    sk"))
                .count()
                - 1;
            assert_eq!(grid.matches("    ORDER#").count(), 2 * bands, "{grid}");
            assert!(bands > 1, "{width}: {grid}");
        }
        assert!(
            shown(1, &[&items]).contains("1990"),
            "no width is too small"
        );
    }

    #[test]
    fn a_page_continues_the_group_of_the_page_before() {
        let orders = items(&["one", "two", "three is longer"]);
        let pages: [&[Item]; 4] = [&orders[..1], &orders[1..2], &orders[2..3], &orders[3..]];
        let grid = shown(80, &pages);
        // The longer note needs wider columns, and so new names above them.
        let heads: Vec<&str> = grid.lines().filter(|line| line.contains("note")).collect();
        assert_eq!(heads.len(), 2, "{grid}");
        assert_eq!(grid.matches("pk  USER#ann").count(), 1, "{grid}");
        let whole = shown(80, &[&orders]);
        assert_eq!(
            whole.lines().filter(|line| line.contains("note")).count(),
            1,
            "{whole}"
        );
    }

    #[test]
    fn many_characters_without_a_width_are_shown_quickly() {
        let began = std::time::Instant::now();
        let note = "\u{301}".repeat(100_000) + &"x".repeat(60);
        let grid = shown(80, &[&items(&[&note])]);
        assert!(grid.contains('…') && grid.len() < 10_000);
        assert!(began.elapsed() < std::time::Duration::from_secs(5));
    }
}
