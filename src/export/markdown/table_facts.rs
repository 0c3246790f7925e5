//! The keys and the settings of a table, each as a row.

use super::grid::{Grid, inline_code, join_codes, key_attribute};
use crate::schema::{
    Billing, IndexSettings, OnDemandMaximum, StreamView, TableClass, TableSchema, TableSettings,
    WarmThroughput,
};

pub(super) fn table_facts(schema: &TableSchema) -> Grid<2> {
    let mut rows = Vec::new();
    let mut fact = |name: &str, value: Option<String>| {
        rows.extend(value.map(|value| [name.to_owned(), value]));
    };
    let settings = &schema.settings;
    let class = settings.class.map(|class| match class {
        TableClass::Standard => "standard",
        TableClass::InfrequentAccess => "infrequent access",
    });
    fact("partition key", Some(key_attribute(&schema.pk)));
    fact("sort key", schema.sk.as_ref().map(key_attribute));
    fact(
        "entity named by",
        schema.type_attribute.as_deref().map(inline_code),
    );
    fact("items expire by", schema.ttl.as_deref().map(inline_code));
    fact(
        "stream",
        schema.stream.map(|view| stream_text(view).to_owned()),
    );
    fact("billed", Some(billing_text(settings.billing)));
    fact(
        "requests per second",
        throughput_text(
            settings,
            settings.on_demand_maximum.map(maximum_text),
            |own| own.on_demand_maximum.map(maximum_text),
        ),
    );
    fact(
        "served at once",
        throughput_text(settings, settings.warm_throughput.map(warm_text), |own| {
            own.warm_throughput.map(warm_text)
        }),
    );
    fact(
        "encrypted by",
        settings.encryption.as_ref().map(ToString::to_string),
    );
    fact("class", class.map(str::to_owned));
    fact(
        "protected from deletion",
        settings
            .deletion_protection
            .map(|on| if on { "yes" } else { "no" }.to_owned()),
    );
    fact(
        "can be restored",
        settings
            .point_in_time_recovery
            .map(|days| format!("{days} days back")),
    );
    fact(
        "global table",
        settings.replicas.as_ref().map(ToString::to_string),
    );
    let tags = settings
        .tags
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    let tags: Vec<String> = tags.collect();
    fact(
        "tags",
        (!tags.is_empty()).then(|| join_codes(tags.iter().map(String::as_str))),
    );
    Grid {
        heads: ["", ""],
        rows,
    }
}

fn stream_text(view: StreamView) -> &'static str {
    match view {
        StreamView::KeysOnly => "keys",
        StreamView::NewImage => "items after the change",
        StreamView::OldImage => "items before the change",
        StreamView::NewAndOldImages => "items before and after the change",
    }
}

fn maximum_text(maximum: OnDemandMaximum) -> String {
    match maximum {
        OnDemandMaximum::Unlimited => "not limited".to_owned(),
        OnDemandMaximum::Units { reads, writes } => {
            format!("at most {reads} read and {writes} write units")
        }
    }
}

fn warm_text(warm: WarmThroughput) -> String {
    format!(
        "{} read and {} write units per second",
        warm.reads, warm.writes
    )
}

/// The value of the table, which each global index has too, and those that indexes have of their own.
fn throughput_text(
    settings: &TableSettings,
    of_table: Option<String>,
    of_index: impl Fn(&IndexSettings) -> Option<String>,
) -> Option<String> {
    let own = settings.indexes.iter();
    let own =
        own.filter_map(|(name, own)| Some(format!("of {}: {}", inline_code(name), of_index(own)?)));
    let own: Vec<String> = own.collect();
    let of_table = of_table.map(|text| match own.is_empty() {
        true => format!("{text}, also of each global index"),
        false => format!("{text}, also of each global index but those that follow"),
    });
    let all: Vec<String> = of_table.into_iter().chain(own).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn billing_text(billing: Option<Billing>) -> String {
    match billing {
        None | Some(Billing::OnDemand) => "on demand".to_owned(),
        Some(Billing::Provisioned { reads, writes }) => {
            format!("{reads} read and {writes} write units, also of each global index")
        }
        Some(Billing::Scaled { reads, writes }) => {
            format!(
                "{reads} read and {writes} write units at first, also of each global index; others scale them"
            )
        }
    }
}
