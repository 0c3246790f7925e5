//! Rules about the settings that an environment [demands](crate::schema::TableSchema::demand).

use super::finding::{Findings, LintPlace};
use crate::schema::{Billing, OnDemandMaximum, Safeguard, TableSchema};

fn demands(table: &TableSchema, safeguard: Safeguard) -> bool {
    table.settings.demands.contains(&safeguard)
}

pub(super) fn unprotected_table(table: &TableSchema, findings: &mut Findings) {
    let is_protected = table.settings.deletion_protection == Some(true);
    if demands(table, Safeguard::DeletionProtection) && !is_protected {
        findings.add(
            LintPlace::of_table(table),
            "the environment demands protection from deletion, and one wrong command would delete the table".to_owned(),
            "`.deletion_protection(true)`",
        );
    }
}

pub(super) fn unrecoverable_table(table: &TableSchema, findings: &mut Findings) {
    let is_recoverable = table.settings.point_in_time_recovery.is_some();
    if demands(table, Safeguard::Recovery) && !is_recoverable {
        findings.add(
            LintPlace::of_table(table),
            "the environment demands recovery, and an error that overwrites items could not be undone".to_owned(),
            "`.point_in_time_recovery(35)`",
        );
    }
}

/// Units that are declared, or that others scale within their limits, bound the costs too.
pub(super) fn no_spend_cap(table: &TableSchema, findings: &mut Findings) {
    let settings = &table.settings;
    let has_units = settings.billing.and_then(Billing::units).is_some();
    if !demands(table, Safeguard::SpendCap) || has_units {
        return;
    }
    let is_unlimited =
        |maximum: Option<OnDemandMaximum>| !matches!(maximum, Some(OnDemandMaximum::Units { .. }));
    let mut indexes = table.global_indexes.iter();
    let unlimited_index = indexes.find(|index| is_unlimited(settings.index_maximum(&index.name)));
    let of = match unlimited_index {
        _ if is_unlimited(settings.on_demand_maximum) => String::new(),
        Some(index) => format!(" of the index `{}`", index.name),
        None => return,
    };
    findings.add(
        LintPlace::of_table(table),
        format!(
            "the environment demands a limit of costs, and requests{of} are billed without one, also those of an attack"
        ),
        "`.on_demand_maximum(reads, writes)`, or units by `.provisioned(reads, writes)`",
    );
}
