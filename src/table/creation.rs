//! The settings that a table has from its creation.

use super::change::TableChange;
use crate::schema::{Encryption, OnDemandMaximum, TableSchema, WarmThroughput};

/// The declared settings that are part of the request that creates the table. Recovery and expiry are steps of their own.
pub(super) fn creation_settings(declared: &TableSchema) -> Vec<TableChange> {
    let settings = &declared.settings;
    // A new table is not protected and has no maximum, so these need no request.
    let protection = settings.deletion_protection.filter(|is_on| *is_on);
    let encryption = settings.encryption.clone();
    let tags = Some(settings.tags.clone()).filter(|tags| !tags.is_empty());
    let mut changes: Vec<TableChange> = protection
        .map(TableChange::SetProtection)
        .into_iter()
        .chain(settings.billing.map(TableChange::SetBilling))
        .chain(settings.class.map(TableChange::SetClass))
        .chain(encryption.map(TableChange::SetEncryption))
        .chain(tags.map(TableChange::SetTags))
        .collect();
    let is_above = |units: &WarmThroughput| settings.warmth_above_first(*units) != (None, None);
    let mut add_throughput = |index: Option<&str>, maximum, warm: Option<WarmThroughput>| {
        if let Some(maximum @ OnDemandMaximum::Units { .. }) = maximum {
            let index = index.map(str::to_owned);
            changes.push(TableChange::SetOnDemandMaximum { index, maximum });
        }
        if let Some(units) = warm.filter(is_above) {
            let index = index.map(str::to_owned);
            changes.push(TableChange::RaiseWarmThroughput { index, units });
        }
    };
    add_throughput(None, settings.on_demand_maximum, settings.warm_throughput);
    for index in &declared.global_indexes {
        let (maximum, warm) = (
            settings.index_maximum(&index.name),
            settings.index_warmth(&index.name),
        );
        add_throughput(Some(&index.name), maximum, warm);
    }
    changes
}

/// The remark on these settings. A new table has no requests or items that most of them could harm.
pub(super) fn creation_risk(settings: &[TableChange]) -> Option<&'static str> {
    let is_lasting = |change: &&TableChange| {
        matches!(
            change,
            TableChange::RaiseWarmThroughput { .. }
                | TableChange::SetEncryption(Encryption::Key(_))
        )
    };
    // The costs come last in the list, and are the more urgent remark.
    let last = settings.iter().rfind(is_lasting);
    last.and_then(TableChange::change_risk)
}
