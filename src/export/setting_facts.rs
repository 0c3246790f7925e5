//! The settings of a table as texts, for documents.

use crate::schema::{
    Billing, IndexSettings, OnDemandMaximum, StreamView, TableClass, TableSchema, TableSettings,
    WarmThroughput,
};

/// How a document shows a name.
pub(super) type ShowName = fn(&str) -> String;

/// The expiry, the stream and the settings of a table, each with its title.
pub(super) fn setting_facts(
    schema: &TableSchema,
    show_name: ShowName,
) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let mut fact = |title: &'static str, value: Option<String>| {
        facts.extend(value.map(|value| (title, value)));
    };
    let settings = &schema.settings;
    let class = settings.class.map(|class| match class {
        TableClass::Standard => "standard",
        TableClass::InfrequentAccess => "infrequent access",
    });
    fact("items expire by", schema.ttl.as_deref().map(show_name));
    fact(
        "stream",
        schema.stream.map(|view| stream_text(view).to_owned()),
    );
    fact("billed", Some(billing_text(settings.billing)));
    fact(
        "requests per second",
        throughput_text(
            settings,
            show_name,
            settings.on_demand_maximum.map(maximum_text),
            |own| own.on_demand_maximum.map(maximum_text),
        ),
    );
    fact(
        "served at once",
        throughput_text(
            settings,
            show_name,
            settings.warm_throughput.map(warm_text),
            |own| own.warm_throughput.map(warm_text),
        ),
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
    let tags = settings.tags.iter();
    let tags = tags.map(|(name, value)| show_name(&format!("{name} = {value}")));
    let tags: Vec<String> = tags.collect();
    fact("tags", (!tags.is_empty()).then(|| tags.join(", ")));
    facts
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
    show_name: ShowName,
    of_table: Option<String>,
    of_index: impl Fn(&IndexSettings) -> Option<String>,
) -> Option<String> {
    let own = settings.indexes.iter();
    let own =
        own.filter_map(|(name, own)| Some(format!("of {}: {}", show_name(name), of_index(own)?)));
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
