//! The schemas of all examples, as the JSON that tools read.
//!
//! `GOLDEN=overwrite cargo test --test examples schemas` writes `tests/golden/schemas/*.json` anew.

use std::path::Path;

use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Encryption, Safeguard, TableSchema};

use crate::support::suite::Outcome;
use crate::*;

/// The schemas of all tables of the examples, with the collections of some.
pub fn all() -> Result<Vec<TableSchema>> {
    use help_desk::model::{CustomerRecord, HelpDesk, TicketRecord};

    Ok(vec![
        access_tokens::AccessToken::schema(),
        app_users::AppUsers::schema().with_collection::<app_users::Record>()?,
        blog::Blog::schema(),
        bulk::Account::schema(),
        contacts::Contact::schema(),
        HelpDesk::schema()
            .with_collection::<TicketRecord>()?
            .with_collection::<CustomerRecord>()?
            .deletion_protection(true)
            .point_in_time_recovery(35)
            .on_demand_maximum(4_000, 1_000)
            .warm_throughput(40_000, 4_000)
            .encryption(Encryption::AwsManaged)
            .demand(Safeguard::ALL)
            .tag("team", "help \"desk\""),
        help_search::HelpText::schema(),
        iot_meters::Measurement::schema(),
        iot_meters::MeterStatus::schema().infrequent_access(),
        iot_meters::Configuration::schema(),
        load::Reading::schema(),
        message_delivery::Messages::schema(),
        message_delivery::Mailbox::schema().provisioned(5, 10),
        order_mails::Shop::schema().with_collection::<order_mails::Account>()?,
        order_mails::Sales::schema(),
        dynamo_entity::streams::LeaseTable::schema(),
        dynamo_entity::streams::ParkedTable::schema(),
        dynamo_entity::streams::OnceEffect::schema(),
        orders::Order::schema(),
        organisations::Employee::schema(),
        organisations::EmployeeOfMany::schema(),
        request_counts::RequestCount::schema(),
        request_counts::BusyRequestCount::schema(),
        shop_directory::Shop::schema(),
        status_shards::Order::schema(),
        tasks::Task::schema(),
    ])
}

#[test]
fn schemas_are_written_as_they_were() -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/schemas");
    let overwrite = std::env::var_os("GOLDEN").is_some_and(|what| what == "overwrite");
    let mut names = Vec::new();
    for schema in all()? {
        let file = folder.join(format!("{}.json", schema.name));
        if overwrite {
            std::fs::write(&file, schema.to_json())?;
        }
        assert_eq!(
            std::fs::read_to_string(&file)?,
            schema.to_json(),
            "{file:?}"
        );
        names.push(file);
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        assert!(names.contains(&path), "{path:?} is of no example");
    }
    Ok(())
}

#[test]
fn schemas_are_read_back() -> Outcome {
    for schema in all()? {
        let json = schema.to_json();
        assert_eq!(TableSchema::from_json(&json)?, schema);
        // Another reader of JSON finds the same names.
        let plain: serde_json::Value = serde_json::from_str(&json)?;
        assert_eq!(plain["name"], schema.name.as_str());
        let entities = plain["entities"].as_array().map(Vec::len);
        assert_eq!(entities, Some(schema.entities.len()));
    }
    Ok(())
}

/// A later version may add members; it may not change the meaning of those that are there.
#[test]
fn members_of_later_versions_are_passed_over() -> Outcome {
    let schema = blog::Blog::schema();
    let mut json: serde_json::Value = serde_json::from_str(&schema.to_json())?;
    json["later"] = serde_json::json!({"a": [1]});
    json["entities"][0]["fields"][0]["later"] = true.into();
    assert_eq!(TableSchema::from_json(&json.to_string())?, schema);
    json["format"] = 2.into();
    let refused = TableSchema::from_json(&json.to_string())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("format 2"), "{refused}");
    Ok(())
}

#[test]
fn a_mistake_is_named_with_its_place() -> Outcome {
    let schema = blog::Blog::schema();
    let whole: serde_json::Value = serde_json::from_str(&schema.to_json())?;
    let refusal = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = whole.clone();
        change(&mut json);
        TableSchema::from_json(&json.to_string())
            .unwrap_err()
            .to_string()
    };
    let word = refusal(&|json| json["entities"][0]["fields"][1]["role"] = "king".into());
    assert!(
        word.contains("`entities[0].fields[1].role` is not a word"),
        "{word}"
    );
    let gone = refusal(&|json| {
        json["pk"]
            .as_object_mut()
            .expect("an object")
            .remove("type");
    });
    assert!(gone.contains("`pk` has no `type`"), "{gone}");
    let days = refusal(&|json| json["settings"]["point_in_time_recovery"] = 300.into());
    assert!(
        days.contains("`settings.point_in_time_recovery` is not a number"),
        "{days}"
    );
    assert!(TableSchema::from_json("{").is_err());
    assert!(TableSchema::from_json("[]").is_err());
    Ok(())
}

#[test]
fn all_are_clean() -> Outcome {
    dynamo_entity::lint::check(all()?);
    Ok(())
}

#[test]
fn a_collection_belongs_to_its_table() {
    let refused = blog::Blog::schema().with_collection::<app_users::Record>();
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("`Record` is a collection of the table `app-user`"),
        "{refused}"
    );
}
