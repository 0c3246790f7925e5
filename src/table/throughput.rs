//! The limits of requests, the warm throughput and the encryption of a table: what is declared beside what is there.

use super::change::TableChange;
use crate::schema::{
    Billing, Encryption, OnDemandMaximum, TableSchema, TableSettings, WarmThroughput,
};
use crate::wire::table::{DescribedTable, Throughput};

/// A maximum needs billing by requests. If no billing is declared, the table keeps the one that it has.
pub(super) fn unfit_maximum(
    declared: &TableSettings,
    there: &TableSettings,
) -> Option<TableChange> {
    let has_units = there.billing.and_then(Billing::units).is_some();
    let keeps_units = has_units && declared.billing.is_none();
    (keeps_units && declared.limits_requests()).then(|| {
        TableChange::Unfit(
            "the table is billed by units, and only a table that is billed by requests has a maximum on demand: declare \
             `.on_demand()` too, or no maximum"
                .to_owned(),
        )
    })
}

/// The table first. DynamoDB documents no request that changes both, so each has one of its own.
pub(super) fn change_maximum(declared: &TableSchema, there: &DescribedTable) -> Vec<TableChange> {
    let settings = &declared.settings;
    let keeps_units = there
        .schema
        .settings
        .billing
        .and_then(Billing::units)
        .is_some()
        && !matches!(settings.billing, Some(Billing::OnDemand));
    if keeps_units {
        return Vec::new();
    }
    let own = settings.on_demand_maximum;
    let own = own.filter(|maximum| differs_from(*maximum, there.throughput));
    let indexes = existing_indexes(declared, there).filter(|_| there.sets_index_maximum);
    let indexes = indexes.filter_map(|(name, found)| {
        let maximum = settings.index_maximum(name)?;
        let index = Some(name.to_owned());
        differs_from(maximum, found).then_some(TableChange::SetOnDemandMaximum { index, maximum })
    });
    let own = own.map(|maximum| TableChange::SetOnDemandMaximum {
        index: None,
        maximum,
    });
    own.into_iter().chain(indexes).collect()
}

/// The declared global indexes that exist.
fn existing_indexes<'t>(
    declared: &'t TableSchema,
    there: &'t DescribedTable,
) -> impl Iterator<Item = (&'t str, Throughput)> {
    let indexes = declared.global_indexes.iter();
    indexes.filter_map(|index| {
        let found = there.index_throughput.get(&index.name)?;
        Some((index.name.as_str(), *found))
    })
}

fn differs_from(declared: OnDemandMaximum, found: Throughput) -> bool {
    found.maximum
        != match declared {
            OnDemandMaximum::Unlimited => (None, None),
            OnDemandMaximum::Units { reads, writes } => (Some(reads), Some(writes)),
        }
}

/// Only increases: DynamoDB raises the values itself when a table is used more, and nothing lowers them.
pub(super) fn raise_warm_throughput(
    declared: &TableSchema,
    there: &DescribedTable,
) -> Vec<TableChange> {
    let settings = &declared.settings;
    let own = settings.warm_throughput;
    let own = own.filter(|units| is_colder(there.throughput, *units));
    let indexes = existing_indexes(declared, there).filter_map(|(name, found)| {
        let units = settings.index_warmth(name)?;
        let index = Some(name.to_owned());
        is_colder(found, units).then_some(TableChange::RaiseWarmThroughput { index, units })
    });
    let own = own.map(|units| TableChange::RaiseWarmThroughput { index: None, units });
    own.into_iter().chain(indexes).collect()
}

fn is_colder(found: Throughput, declared: WarmThroughput) -> bool {
    // While DynamoDB increases the values, it describes the old ones and takes no second request. A later plan compares
    // the new ones.
    !found.is_warming
        && found
            .warm
            .is_some_and(|found| declared.units_above(found) != (None, None))
}

/// Whether the units to request have changed since the last look, because the load of the table increased them.
pub(super) fn has_warmed(
    before: &DescribedTable,
    now: &DescribedTable,
    change: &TableChange,
) -> bool {
    match change {
        TableChange::RaiseWarmThroughput { index, units } => {
            let units = |there| units_to_raise(there, index.as_deref(), *units);
            units(before) != units(now)
        }
        _ => false,
    }
}

/// The units to request: those of a kind of which the table has more are left out, because DynamoDB would reject them.
pub(super) fn units_to_raise(
    there: &DescribedTable,
    index: Option<&str>,
    declared: WarmThroughput,
) -> (Option<u64>, Option<u64>) {
    let found = match index {
        None => Some(there.throughput),
        Some(name) => there.index_throughput.get(name).copied(),
    };
    let warm = found.and_then(|found| found.warm).unwrap_or_default();
    declared.units_above(warm)
}

/// A description contains the ARN of a key, which may be that of AWS or one of the account.
pub(super) fn change_encryption(
    declared: &TableSettings,
    there: &TableSettings,
) -> Option<TableChange> {
    let wanted = declared.encryption.as_ref()?;
    let is_same = match (wanted, there.encryption.as_ref()?) {
        (Encryption::AwsManaged, found) => *found != Encryption::AwsOwned,
        (wanted, found) => wanted == found,
    };
    // DynamoDB rejects the request, and everything after it would wait for ever.
    let is_global = there.replicas.is_some() || declared.replicas.is_some();
    (!is_same).then(|| match is_global {
        true => TableChange::Unfit(
            "the table is a global table, and DynamoDB changes its keys only for all replicas together: change them by \
             `ReplicaUpdates` of another tool, or declare no encryption"
                .to_owned(),
        ),
        false => TableChange::SetEncryption(wanted.clone()),
    })
}

/// Settings that are not declared, and the part of a declared one that cannot be compared.
pub(super) fn undeclared_settings(declared: &TableSchema, there: &DescribedTable) -> Vec<String> {
    let settings = &declared.settings;
    let mut notes = Vec::new();
    if let Some(Encryption::Key(arn)) = &there.schema.settings.encryption {
        match settings.encryption {
            None => notes.push(format!("encryption by the key {arn}")),
            Some(Encryption::AwsManaged) => notes.push(format!(
                "whether the key {arn} is the one that AWS manages, which DynamoDB does not report"
            )),
            _ => {}
        }
    }
    let has_maximum = |throughput: &Throughput| throughput.maximum != (None, None);
    if settings.on_demand_maximum.is_none() && has_maximum(&there.throughput) {
        notes.push("limits of its requests on demand".to_owned());
    }
    let indexes = existing_indexes(declared, there);
    let limited = indexes
        .filter(|(name, found)| settings.index_maximum(name).is_none() && has_maximum(found));
    notes.extend(limited.map(|(name, _)| format!("limits of the requests of index `{name}`")));
    notes
}

/// The declared settings that the server does not keep.
pub(super) fn unknown_throughput(
    declared: &TableSchema,
    there: &DescribedTable,
) -> Vec<&'static str> {
    let settings = &declared.settings;
    let mut indexes = declared.global_indexes.iter();
    let has_maximum = indexes.any(|index| settings.index_maximum(&index.name).is_some());
    let mut indexes = declared.global_indexes.iter();
    // An index that is being created has no warm throughput yet.
    let is_cold = indexes.any(|index| {
        let found = there.index_throughput.get(&index.name);
        settings.index_warmth(&index.name).is_some() && found.is_some_and(|it| it.warm.is_none())
    });
    let is_cold = is_cold || settings.warm_throughput.is_some() && there.throughput.warm.is_none();
    let unknown = [
        (
            "maximum on demand of indexes",
            has_maximum && !there.sets_index_maximum,
        ),
        ("warm throughput", is_cold),
        (
            "encryption",
            settings.encryption.is_some() && there.schema.settings.encryption.is_none(),
        ),
    ];
    let unknown = unknown.into_iter().filter(|(_, is_unknown)| *is_unknown);
    unknown.map(|(name, _)| name).collect()
}
