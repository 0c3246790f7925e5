//! A plan as a text that reads like a diff.

use std::fmt::{self, Write};

use super::super::change::{ChangeKind, Deletion, PlanStep, TableChange, view_text};
use super::super::compare::show_key;
use super::super::vectors::show_vector;
use super::plan::{PlannedTable, TablePlan};

/// Names the call or the option that allows a loss.
type Allowing<'a> = &'a dyn Fn(&Deletion) -> String;

/// The call of this library that allows a loss.
fn allowing_call(deletion: &Deletion) -> String {
    format!(".allow({deletion})")
}

impl fmt::Display for TablePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_with(allowing_call))
    }
}

impl TablePlan {
    /// Returns the text of the plan, in which `allowing` names the way to allow a loss. [`Display`](fmt::Display) names the call
    /// in Rust; a program with its own options can name these instead.
    pub fn text_with(&self, allowing: impl Fn(&Deletion) -> String) -> String {
        let mut text = String::new();
        for table in &self.tables {
            // Writing into a text never fails.
            let _ = table.write_to(&mut text, &allowing);
        }
        text
    }
}

impl fmt::Display for PlannedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f, &allowing_call)
    }
}

impl PlannedTable {
    fn write_to(&self, f: &mut dyn Write, allowing: Allowing<'_>) -> fmt::Result {
        let state = match (self.exists, self.steps.is_empty()) {
            (false, _) => "is not there",
            (true, true) => "is as declared",
            (true, false) => "differs",
        };
        writeln!(f, "table {} {state}", self.name)?;
        for step in &self.steps {
            step.write_to(f, allowing)?;
            if step.change == TableChange::CreateTable {
                self.write_creation(f)?;
            }
        }
        for note in &self.not_ours {
            writeln!(f, "    not ours: {note}")?;
        }
        if let Some(finding) = &self.replicas {
            writeln!(f, "    replicas: {finding}")?;
        }
        for setting in &self.unknown {
            writeln!(f, "    unknown to this server: {setting}")?;
        }
        Ok(())
    }
}

impl PlannedTable {
    /// The keys, indexes and stream that a new table has from its creation.
    fn write_creation(&self, f: &mut dyn Write) -> fmt::Result {
        let table = &self.declared;
        let key = show_key(
            std::slice::from_ref(&table.pk),
            table.sk.as_ref().map(std::slice::from_ref),
        );
        writeln!(f, "      key {key}")?;
        for (kind, indexes) in [
            ("index", &table.global_indexes),
            ("local index", &table.local_indexes),
        ] {
            for index in indexes {
                let key = show_key(&index.pk, Some(&index.sk));
                writeln!(f, "      {kind} `{}`: {key}", index.name)?;
            }
        }
        for index in &table.vector_indexes {
            writeln!(
                f,
                "      vector index `{}`: {}",
                index.name,
                show_vector(index)
            )?;
        }
        match table.stream {
            Some(view) => writeln!(f, "      a stream of {}", view_text(view)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f, &allowing_call)
    }
}

impl PlanStep {
    fn write_to(&self, f: &mut dyn Write, allowing: Allowing<'_>) -> fmt::Result {
        let sign = match self.kind {
            ChangeKind::Add => '+',
            ChangeKind::Alter => '~',
            ChangeKind::Remove => '-',
            ChangeKind::Replace => '!',
        };
        writeln!(f, "  {sign} {}", self.change)?;
        if self.kind == ChangeKind::Replace {
            return Ok(());
        }
        writeln!(
            f,
            "      takes {}; needs {}",
            self.takes,
            self.needs.join(", ")
        )?;
        if let Some(risk) = self.risk {
            writeln!(f, "      risk: {risk}")?;
        }
        for setting in &self.with {
            writeln!(f, "      {setting}")?;
        }
        for deletion in &self.after {
            if let Deletion::Index { index, .. } = deletion {
                writeln!(f, "      only after: index `{index}` is removed")?;
            }
        }
        if let Some(deletion) = &self.deletes {
            writeln!(f, "      only if it is named: {}", allowing(deletion))?;
        }
        Ok(())
    }
}
