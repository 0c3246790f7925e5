//! The cost of requests: its units by table and index, and the assumptions.

use std::fmt;

/// The cost of requests, estimated by [`Estimate::of`](super::Estimate::of). It displays as one line.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Cost {
    /// The units by table and index, in the order in which they are consumed.
    pub parts: Vec<CostPart>,
    /// The unknown values; empty if the estimate is exact.
    pub assumptions: Vec<CostAssumption>,
}

/// The cost of requests for one table, without its indexes, or for one index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CostPart {
    /// The table's full name.
    pub table: String,
    /// The index; `None` for the table itself.
    pub index: Option<String>,
    /// Read units.
    pub read_units: f64,
    /// Write units.
    pub write_units: f64,
    /// Bytes of a vector index, which DynamoDB bills instead of units: those that a search reads, or those that a write
    /// stores.
    pub vector_bytes: usize,
}

/// An assumption of an estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostAssumption {
    /// All conditions hold. A write whose condition fails costs as much as the existing item would.
    ConditionsHold,
    /// A put replaces nothing, or an item of the same size that has the same keys in the indexes.
    NothingReplaced,
    /// An item has this size in bytes; set [`item_size`](super::Estimate::item_size), or add the item with
    /// [`stored`](super::Estimate::stored) and [`becoming`](super::Estimate::becoming).
    ItemSize {
        /// The bytes.
        bytes: usize,
    },
    /// The item that is changed or deleted is in this index.
    InIndex {
        /// Its name.
        index: String,
    },
    /// The change gives the item another key in this index.
    NewIndexKey {
        /// Its name.
        index: String,
    },
    /// A query or scan reads this number of rows, as many as requested; set [`rows`](super::Estimate::rows).
    Rows {
        /// The number.
        rows: u64,
    },
    /// A query or scan without a limit reads one full response of 1 MB; set [`rows`](super::Estimate::rows).
    OneFullAnswer,
    /// The rows are spread evenly over the partitions or segments.
    EvenlySpread,
    /// The table has no indexes, because its schema was not given.
    NoIndexes {
        /// Its full name.
        table: String,
    },
}

impl Cost {
    /// The read units of all tables and indexes together.
    pub fn read_units(&self) -> f64 {
        // `sum` of no floats is -0.0, which would be displayed, so this begins at 0.0.
        self.parts
            .iter()
            .fold(0.0, |all, part| all + part.read_units)
    }

    /// The write units of all tables and indexes together.
    pub fn write_units(&self) -> f64 {
        self.parts
            .iter()
            .fold(0.0, |all, part| all + part.write_units)
    }

    /// The bytes of all vector indexes together: for a search those that it reads, for a write those that it stores.
    pub fn vector_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.vector_bytes).sum()
    }

    /// Whether nothing had to be assumed.
    pub fn is_exact(&self) -> bool {
        self.assumptions.is_empty()
    }

    pub(super) fn note_assumption(&mut self, assumption: CostAssumption) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    pub(super) fn add_units(
        &mut self,
        table: &str,
        index: Option<&str>,
        read_units: f64,
        write_units: f64,
    ) {
        if let Some(part) = self.part(table, index) {
            part.read_units += read_units;
            part.write_units += write_units;
        }
    }

    pub(super) fn add_vector_bytes(&mut self, table: &str, index: Option<&str>, bytes: usize) {
        if let Some(part) = self.part(table, index) {
            part.vector_bytes += bytes;
        }
    }

    /// The part of the table or index, which is added if it is missing.
    fn part(&mut self, table: &str, index: Option<&str>) -> Option<&mut CostPart> {
        let is_it = |part: &CostPart| part.table == table && part.index.as_deref() == index;
        if !self.parts.iter().any(is_it) {
            self.parts.push(CostPart {
                table: table.to_owned(),
                index: index.map(str::to_owned),
                read_units: 0.0,
                write_units: 0.0,
                vector_bytes: 0,
            });
        }
        self.parts.iter_mut().find(|part| is_it(part))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [(self.read_units(), "read"), (self.write_units(), "write")];
        let kinds = kinds.into_iter().filter(|(units, _)| *units > 0.0);
        let units = kinds.map(|(units, kind)| {
            let plural = if units == 1.0 { "" } else { "s" };
            format!("{units} {kind} unit{plural}")
        });
        let bytes = Some(self.vector_bytes()).filter(|bytes| *bytes > 0);
        let bytes = bytes.map(|bytes| format!("{bytes} bytes of vector indexes"));
        let units: Vec<String> = units.chain(bytes).collect();
        f.write_str(match units.is_empty() {
            true => "nothing",
            false => "",
        })?;
        f.write_str(&units.join(" and "))?;
        if self.parts.len() > 1 {
            let parts: Vec<String> = self.parts.iter().map(|part| self.part_text(part)).collect();
            write!(f, " ({})", parts.join(", "))?;
        }
        for (at, assumption) in self.assumptions.iter().enumerate() {
            f.write_str(if at == 0 {
                ", assuming that "
            } else {
                ", that "
            })?;
            assumption.fmt(f)?;
        }
        Ok(())
    }
}

impl Cost {
    fn part_text(&self, part: &CostPart) -> String {
        let units = match (part.read_units, part.write_units) {
            (read, write) if read + write == 0.0 && part.vector_bytes > 0 => {
                format!("{} bytes", part.vector_bytes)
            }
            // Read units and write units have different prices, so they are not added.
            (read, write) if read > 0.0 && write > 0.0 => format!("{read} read and {write} write"),
            (read, write) => (read + write).to_string(),
        };
        let of_one = self.parts.iter().all(|other| other.table == part.table);
        match (&part.index, of_one) {
            (None, true) => format!("{units} for the table"),
            (Some(index), true) => format!("{units} for {index}"),
            (None, false) => format!("{units} for {}", part.table),
            (Some(index), false) => format!("{units} for {index} of {}", part.table),
        }
    }
}

impl fmt::Display for CostAssumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostAssumption::ConditionsHold => f.write_str("its conditions hold"),
            CostAssumption::NothingReplaced => f.write_str(
                "no item is there, or one of the same size with the same keys in the indexes",
            ),
            CostAssumption::ItemSize { bytes } => write!(f, "an item has {bytes} bytes"),
            CostAssumption::InIndex { index } => write!(f, "the item is in {index}"),
            CostAssumption::NewIndexKey { index } => {
                write!(f, "the item gets another key in {index}")
            }
            CostAssumption::Rows { rows } => write!(f, "{rows} rows are looked at"),
            CostAssumption::OneFullAnswer => f.write_str("a response has the full 1 MB"),
            CostAssumption::EvenlySpread => {
                f.write_str("the rows are spread evenly over the partitions")
            }
            CostAssumption::NoIndexes { table } => {
                write!(f, "`{table}`, whose schema is not given, has no indexes")
            }
        }
    }
}
