//! A plan as JSON, for tools in other languages.

use super::super::change::{ChangeKind, Deletion, PlanStep, RoughTime};
use super::super::replicas::ReplicationFinding;
use super::plan::{PlannedTable, TablePlan};
use crate::json::JsonTree;

impl TablePlan {
    /// The plan as JSON: `tables`, each with `name`, `exists`, `steps`, `not_ours`, `unknown` and, for a global table,
    /// `replicas`. A step has `kind` (`add`, `change`, `remove`, `replace`), `change`, `takes` and what it `needs`; a `risk`, and what it `deletes`, if it does:
    /// `what` (`index`, `stream`, `protection`, `recovery`, `ttl`), `table` and `index`. `after` lists the losses of earlier
    /// steps without which it cannot be done, each like `deletes`. `with` lists the settings of a new table, each in words. Tables have their names without the prefix there.
    pub fn to_json(&self) -> String {
        JsonTree::object_of([("tables", Some(JsonTree::list_of(&self.tables, table_tree)))])
            .to_text()
    }
}

fn table_tree(table: &PlannedTable) -> JsonTree {
    let texts = |texts: &[String]| {
        (!texts.is_empty()).then(|| JsonTree::list_of(texts, |text| text.into()))
    };
    let unknown: Vec<String> = table
        .unknown
        .iter()
        .map(|text| (*text).to_owned())
        .collect();
    JsonTree::object_of([
        ("name", Some((&table.name).into())),
        ("exists", Some(table.exists.into())),
        ("steps", Some(JsonTree::list_of(&table.steps, step_tree))),
        ("not_ours", texts(&table.not_ours)),
        ("unknown", texts(&unknown)),
        ("replicas", table.replicas.as_ref().map(replication_tree)),
    ])
}

fn replication_tree(finding: &ReplicationFinding) -> JsonTree {
    let gaps: Vec<String> = finding.gaps.iter().map(ToString::to_string).collect();
    JsonTree::object_of([
        ("finding", Some(finding.to_string().as_str().into())),
        (
            "gaps",
            (!gaps.is_empty()).then(|| JsonTree::list_of(&gaps, |gap| gap.into())),
        ),
    ])
}

fn step_tree(step: &PlanStep) -> JsonTree {
    let kind = match step.kind {
        ChangeKind::Add => "add",
        ChangeKind::Alter => "change",
        ChangeKind::Remove => "remove",
        ChangeKind::Replace => "replace",
    };
    let takes = match step.takes {
        RoughTime::ByItems { items, bytes } => {
            JsonTree::object_of([("items", Some(items.into())), ("bytes", Some(bytes.into()))])
        }
        takes => takes.to_string().as_str().into(),
    };
    JsonTree::object_of([
        ("kind", Some(kind.into())),
        ("change", Some(step.change.to_string().as_str().into())),
        ("takes", Some(takes)),
        (
            "needs",
            Some(JsonTree::list_of(&step.needs, |need| (*need).into())),
        ),
        ("risk", step.risk.map(Into::into)),
        ("deletes", step.deletes.as_ref().map(deletion_tree)),
        (
            "after",
            (!step.after.is_empty()).then(|| JsonTree::list_of(&step.after, deletion_tree)),
        ),
        (
            "with",
            (!step.with.is_empty()).then(|| {
                JsonTree::list_of(&step.with, |change| change.to_string().as_str().into())
            }),
        ),
    ])
}

fn deletion_tree(deletion: &Deletion) -> JsonTree {
    let (what, table, index) = match deletion {
        Deletion::Index { table, index } => ("index", table, Some(index)),
        Deletion::Stream { table } => ("stream", table, None),
        Deletion::Protection { table } => ("protection", table, None),
        Deletion::Recovery { table } => ("recovery", table, None),
        Deletion::Ttl { table } => ("ttl", table, None),
    };
    JsonTree::object_of([
        ("what", Some(what.into())),
        ("table", Some(table.into())),
        ("index", index.map(Into::into)),
    ])
}
