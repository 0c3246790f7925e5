//! The way from the tables of a stack to others, in steps that CloudFormation takes.

use std::borrow::Cow;
use std::fmt;

use super::resource;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{
    Billing, IndexSchema, IndexSettings, OnDemandMaximum, TableSchema, VectorIndexSchema,
    WarmThroughput,
};
use crate::table::{differences_of_vectors, named_by, obstacles_to_change};

/// One of several templates that are deployed one after the other; see [`CloudFormation::since`](super::CloudFormation::since).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumberedTemplate {
    /// `01.template.json`, and so on.
    pub file_name: String,
    /// The template.
    pub text: String,
    /// Its changes, each in words.
    pub changes: Vec<String>,
}

/// The tables after a step, and what it does.
#[derive(Debug, Default)]
pub(super) struct StackStep {
    pub(super) tables: Vec<TableSchema>,
    pub(super) changes: Vec<String>,
}

/// The table after each step of its own.
type States = Vec<(TableSchema, String)>;

/// The steps of one table.
struct TableSteps<'s> {
    /// The table as long as it takes no step; None if the stack does not have it at first.
    base: Option<Cow<'s, TableSchema>>,
    growth: States,
    /// The removals, after the growth of all tables.
    removal: States,
    /// Whether the stack has it in the end.
    stays: bool,
}

/// All steps, with the names of the tables in full.
pub(super) fn stack_steps(before: &[TableSchema], after: &[TableSchema]) -> Result<Vec<StackStep>> {
    let mut tables = Vec::new();
    for table in after {
        tables.push(match find_table(before, table) {
            Some(known) => TableSteps::between_schemas(known, table)?,
            None => TableSteps::new(table),
        });
    }
    let gone = before
        .iter()
        .filter(|table| find_table(after, table).is_none());
    tables.extend(gone.map(TableSteps::of_removed));
    let growth = tables.iter().map(|table| table.growth.len()).max();
    let removal = tables.iter().map(|table| {
        let goes = usize::from(!table.stays);
        table.removal.len().max(goes)
    });
    let (growth, removal) = (
        growth.unwrap_or_default(),
        removal.max().unwrap_or_default(),
    );
    let mut steps = Vec::new();
    // All that grows comes before all that goes: old programs still need the old indexes while the
    // new ones are built. Each update of a table may create or delete one global index, and
    // different tables go on side by side.
    for at in 0..growth {
        steps.push(stack_step(
            &tables,
            |table| table.growth.get(at),
            |table| table.grown_table(at),
        ));
    }
    for at in 0..removal {
        let is_last = at + 1 == removal;
        let shown: Vec<&TableSteps<'_>> = tables
            .iter()
            .filter(|table| table.stays || !is_last)
            .collect();
        let mut step = stack_step(
            shown.iter().copied(),
            |table| table.removal.get(at),
            |table| table.reduced_table(at),
        );
        if is_last {
            // In the last template, because a table that was released comes back into the stack only by an import.
            let gone = tables.iter().filter(|table| !table.stays);
            let gone = gone.filter_map(|table| table.base.as_deref());
            step.changes
                .extend(gone.map(|table| format!("release table `{}`", table.name)));
        }
        steps.push(step);
    }
    Ok(steps)
}

fn find_table<'s>(tables: &'s [TableSchema], table: &TableSchema) -> Option<&'s TableSchema> {
    tables.iter().find(|known| known.name == table.name)
}

fn stack_step<'t, 's: 't>(
    tables: impl IntoIterator<Item = &'t TableSteps<'s>>,
    begins: impl Fn(&'t TableSteps<'s>) -> Option<&'t (TableSchema, String)>,
    state: impl Fn(&'t TableSteps<'s>) -> Option<&'t TableSchema>,
) -> StackStep {
    let mut step = StackStep::default();
    for table in tables {
        step.changes
            .extend(begins(table).map(|(_, change)| change.clone()));
        step.tables.extend(state(table).cloned());
    }
    step
}

impl<'s> TableSteps<'s> {
    fn new(table: &TableSchema) -> Self {
        let change = format!("create table `{}`", table.name);
        TableSteps {
            base: None,
            growth: vec![(table.clone(), change)],
            removal: Vec::new(),
            stays: true,
        }
    }

    fn of_removed(table: &'s TableSchema) -> Self {
        TableSteps {
            base: Some(Cow::Borrowed(table)),
            growth: Vec::new(),
            removal: Vec::new(),
            stays: false,
        }
    }

    fn between_schemas(before: &'s TableSchema, after: &TableSchema) -> Result<Self> {
        check_step(before, after)?;
        let after = &with_projections_of(before, after);
        let created = list_added(before, after);
        let deleted = list_added(after, before);
        // Settings change first, in a step without any change of an index.
        let mut growth = setting_states(before, &with_indexes(before, after, &created, &deleted));
        for (at, index) in created.iter().enumerate() {
            let missing = created.get(at + 1..).unwrap_or_default();
            let change = format!("create {index} of table `{}`", after.name);
            growth.push((with_indexes(before, after, missing, &deleted), change));
        }
        let mut removal = Vec::new();
        for (at, index) in deleted.iter().enumerate() {
            let left = deleted.get(at + 1..).unwrap_or_default();
            let change = format!("delete {index} of table `{}`", after.name);
            removal.push((with_indexes(before, after, &[], left), change));
        }
        for (state, _) in &growth {
            // In between, old and new indexes exist together and may exceed the limit of indexes in
            // one table.
            named_by(str::to_owned, vec![state.clone()])
                .map_err(|error| explain_crowding(&error))?;
        }
        Ok(TableSteps {
            // If only the order of indexes differs, no step is needed, and the templates have the order that is
            // declared now.
            base: Some(Cow::Owned(with_indexes(before, after, &[], &deleted))),
            growth,
            removal,
            stays: true,
        })
    }

    /// The table in a step of growth.
    fn grown_table(&self, at: usize) -> Option<&TableSchema> {
        let states = self.growth.get(..=at).unwrap_or(&self.growth);
        states
            .last()
            .map(|(state, _)| state)
            .or(self.base.as_deref())
    }

    /// The table in a step of removal.
    fn reduced_table(&self, at: usize) -> Option<&TableSchema> {
        let states = self.removal.get(..=at).unwrap_or(&self.removal);
        let last = states.last().map(|(state, _)| state);
        last.or_else(|| self.grown_table(self.growth.len()))
    }
}

/// The table with indexes that hold what they held before. After the check that is the same but for the shape, which
/// CloudFormation could only add by another index.
fn with_projections_of(before: &TableSchema, after: &TableSchema) -> TableSchema {
    let mut state = after.clone();
    let global = state.global_indexes.iter_mut();
    for index in global.chain(&mut state.local_indexes) {
        if let Some(known) = before.index(&index.name) {
            index.projection = known.projection.clone();
        }
    }
    state
}

/// Every index has more, so a template does not contain it.
const LEAST_WARM: WarmThroughput = WarmThroughput {
    reads: 1,
    writes: 1,
};

/// An index that is created or deleted by a step of its own.
#[derive(Clone, Copy)]
enum StepIndex<'s> {
    Global(&'s IndexSchema),
    Vector(&'s VectorIndexSchema),
}

impl<'s> StepIndex<'s> {
    fn name(self) -> &'s str {
        match self {
            StepIndex::Global(index) => &index.name,
            StepIndex::Vector(index) => &index.name,
        }
    }
}

impl fmt::Display for StepIndex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepIndex::Global(index) => write!(f, "index `{}`", index.name),
            StepIndex::Vector(index) => write!(f, "vector index `{}`", index.name),
        }
    }
}

/// The indexes that the second table has in addition. It is unknown whether one update can create indexes of both kinds, so
/// each of them has a step.
fn list_added<'s>(before: &TableSchema, after: &'s TableSchema) -> Vec<StepIndex<'s>> {
    let global = after.global_indexes.iter();
    let global = global.filter(|index| before.index(&index.name).is_none());
    let vectors = after.vector_indexes.iter();
    let vectors = vectors.filter(|index| before.vector_index(&index.name).is_none());
    let global = global.map(StepIndex::Global);
    global.chain(vectors.map(StepIndex::Vector)).collect()
}

/// The table without the indexes that are yet to come, and with those that are yet to go.
fn with_indexes(
    before: &TableSchema,
    after: &TableSchema,
    missing: &[StepIndex<'_>],
    deleted: &[StepIndex<'_>],
) -> TableSchema {
    let mut state = after.clone();
    let is_missing = |name: &str| missing.iter().any(|other| other.name() == name);
    state
        .global_indexes
        .retain(|index| !is_missing(&index.name));
    state
        .vector_indexes
        .retain(|index| !is_missing(&index.name));
    for index in deleted {
        match *index {
            StepIndex::Global(index) => state.global_indexes.push(index.clone()),
            StepIndex::Vector(index) => state.vector_indexes.push(index.clone()),
        }
    }
    // The settings of an index come with it.
    let indexes = &state.global_indexes;
    let is_there = |name: &str| indexes.iter().any(|index| index.name == name);
    state.settings.indexes.retain(|name, _| is_there(name));
    // An index that is yet to go keeps its own, because new ones would cost money and could reject writes.
    let has_units = state.settings.billing.and_then(Billing::units).is_some();
    let global = deleted.iter().filter_map(|index| match index {
        StepIndex::Global(index) => Some(*index),
        StepIndex::Vector(_) => None,
    });
    for index in global {
        let maximum = before.settings.index_maximum(&index.name).or(state
            .settings
            .on_demand_maximum
            .map(|_| OnDemandMaximum::Unlimited));
        let settings = IndexSettings {
            // A table that is billed by units has no maximum.
            on_demand_maximum: maximum.filter(|_| !has_units),
            warm_throughput: before
                .settings
                .index_warmth(&index.name)
                .or(state.settings.warm_throughput.map(|_| LEAST_WARM)),
        };
        if settings != IndexSettings::default() {
            let indexes = &mut state.settings.indexes;
            indexes.insert(index.name.clone(), settings);
        }
    }
    state
}

/// The changes besides indexes. A stream and a TTL are switched off before they are switched on in another way.
fn setting_states(before: &TableSchema, after: &TableSchema) -> States {
    let mut states: States = Vec::new();
    let mut off = after.clone();
    let mut switched = Vec::new();
    // DynamoDB does not change the attribute or the view of something that is on; it has to be
    // switched off in an update of its own.
    if before.ttl.is_some() && after.ttl.is_some() && before.ttl != after.ttl {
        off.ttl = None;
        switched.push("TTL");
    }
    if before.stream.is_some() && after.stream.is_some() && before.stream != after.stream {
        off.stream = None;
        switched.push("the stream");
    }
    if !switched.is_empty() {
        let change = format!(
            "switch {} of table `{}` off",
            switched.join(" and "),
            after.name
        );
        states.push((off, change));
    }
    let last = states.last().map_or(before, |(state, _)| state);
    if !is_same(last, after) {
        let change = describe_step(last, after);
        states.push((after.clone(), change));
    }
    states
}

/// The changes of the settings. A setting that deletes items, or makes them readable, is named.
fn describe_step(before: &TableSchema, after: &TableSchema) -> String {
    let settings = [
        ("TTL", before.ttl.is_some(), after.ttl.is_some()),
        (
            "the stream",
            before.stream.is_some(),
            after.stream.is_some(),
        ),
    ];
    let mut changes = Vec::new();
    for (state, is_on) in [("off", false), ("on", true)] {
        let switched = settings
            .into_iter()
            .filter(|&(_, was_on, turns_on)| was_on != turns_on && turns_on == is_on);
        let names: Vec<&str> = switched.map(|(name, ..)| name).collect();
        if !names.is_empty() {
            let names = names.join(" and ");
            changes.push(format!("switch {names} of table `{}` {state}", after.name));
        }
    }
    let switched = TableSchema {
        ttl: after.ttl.clone(),
        stream: after.stream,
        ..before.clone()
    };
    if !is_same(&switched, after) {
        changes.push(format!("change the settings of table `{}`", after.name));
    }
    changes.join(", ")
}

/// Whether the resources are the same, in whatever order the indexes are declared.
fn is_same(one: &TableSchema, other: &TableSchema) -> bool {
    let resource = |table: &TableSchema| {
        let mut table = table.clone();
        for indexes in [&mut table.global_indexes, &mut table.local_indexes] {
            indexes.sort_by(|a, b| a.name.cmp(&b.name));
        }
        table.vector_indexes.sort_by(|a, b| a.name.cmp(&b.name));
        resource::table_resource(&table, None, true)
    };
    resource(one) == resource(other)
}

/// Rejects what only another table can do.
fn check_step(before: &TableSchema, after: &TableSchema) -> Result<()> {
    let mut list = obstacles_to_change(after, before);
    list.extend(differences_of_vectors(after, before));
    let gone = before.local_indexes.iter();
    let gone = gone.filter(|index| after.index(&index.name).is_none());
    list.extend(gone.map(|index| {
        format!(
            "local index `{}` is no longer declared: it can only be deleted together with the \
             table, so declare it, or use a new table",
            index.name
        )
    }));
    if list.is_empty() {
        return Ok(());
    }
    let message = format!(
        "table `{}` cannot be changed like this, CloudFormation would replace it by an empty one:\n- {}",
        after.name,
        list.join("\n- ")
    );
    Err(Error::new(
        ErrorKind::SchemaMismatch,
        Stage::Schema,
        message,
    ))
}

/// Old and new indexes are too many together.
fn explain_crowding(error: &Error) -> Error {
    let message = format!(
        "{error}, and old and new indexes exist together for a \
         while: delete some old ones in an earlier deployment"
    );
    Error::new(ErrorKind::SchemaMismatch, Stage::Schema, message)
}
