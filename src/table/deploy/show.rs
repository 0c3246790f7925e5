//! A plan as a text that reads like a diff.

use std::fmt;

use super::{ChangeKind, PlanStep, PlannedTable, TablePlan};

impl fmt::Display for TablePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            write!(f, "{table}")?;
        }
        Ok(())
    }
}

impl fmt::Display for PlannedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.exists, self.steps.is_empty()) {
            (false, _) => "is not there",
            (true, true) => "is as declared",
            (true, false) => "differs",
        };
        writeln!(f, "table {} {state}", self.name)?;
        for step in &self.steps {
            write!(f, "{step}")?;
        }
        for note in &self.not_ours {
            writeln!(f, "    not ours: {note}")?;
        }
        for setting in &self.unknown {
            writeln!(f, "    unknown to this server: {setting}")?;
        }
        Ok(())
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        if let Some(deletion) = &self.deletes {
            writeln!(f, "      only if it is named: .allow({deletion})")?;
        }
        Ok(())
    }
}
