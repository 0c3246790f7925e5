//! A lint, as it is told.

use std::fmt;

use super::finding::{Findings, LintPlace};
use super::rule::LintRule;
use crate::schema::TableSchema;

/// A declaration that you are likely to regret. [`TableSchema::lints`] finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// Its kind.
    pub rule: LintRule,
    /// The declaration that it concerns. An `allow(..)` there silences the lint.
    pub place: LintPlace,
    /// The declaration, and its consequence.
    pub message: String,
    /// The remedy.
    pub fix: String,
}

/// Three lines: the declaration, the remedy, and how to keep it as it is.
impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, rule) = (&self.place, self.rule);
        writeln!(f, "{place}: {rule}: {}", self.message)?;
        writeln!(f, "    fix: {}", self.fix)?;
        match place {
            LintPlace::Table { table } => {
                write!(
                    f,
                    "    or keep it: `#[dynamo(allow({rule}))]` on the table `{table}`"
                )
            }
            // The declaration of a list or a blob has no `allow`.
            LintPlace::Entity { entity } | LintPlace::Large { entity, .. } => {
                write!(
                    f,
                    "    or keep it: `#[dynamo(allow({rule}))]` on `{entity}`"
                )
            }
            LintPlace::Field { field, .. } => {
                write!(
                    f,
                    "    or keep it: `#[dynamo(allow({rule}))]` on the field `{field}`"
                )
            }
            LintPlace::Index { index: name, .. }
            | LintPlace::Pattern { pattern: name, .. }
            | LintPlace::Unique { unique: name, .. } => {
                write!(
                    f,
                    "    or keep it: `allow({rule})` in the declaration of `{name}`"
                )
            }
        }
    }
}

/// All lints of a rule.
pub(super) fn lints_of(rule: LintRule, table: &TableSchema) -> Vec<Lint> {
    let mut findings = Findings::default();
    rule.check()(table, &mut findings);
    let lints = findings.0.into_iter().map(|finding| Lint {
        rule,
        place: finding.place,
        message: finding.message,
        fix: finding.fix,
    });
    lints.collect()
}
