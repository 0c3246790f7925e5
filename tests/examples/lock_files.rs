//! Every example has a lock file, as a program of a user has.
//!
//! `DYNAMO_LOCK=write cargo test --test examples lock_files` writes them.

use std::path::Path;

use dynamo_entity::lock;
use dynamo_entity::prelude::*;

use crate::*;

/// One test for each example: its file, and the tables of the program.
macro_rules! stored_forms {
    ($($name:ident: $path:literal [$($table:ty),*];)*) => {
        $(
            #[test]
            fn $name() {
                lock::check($path, [$(<$table>::schema()),*]);
            }
        )*

        const FILES: &[&str] = &[$($path),*];

        /// The names of all tables that are checked.
        fn tables() -> Vec<String> {
            let mut tables = vec![$($(<$table>::schema().name),*),*];
            tables.sort();
            tables
        }
    };
}

stored_forms! {
    access_tokens_are_stored_as_before: "examples/access_tokens.lock" [access_tokens::AccessToken];
    app_users_are_stored_as_before: "examples/app_users.lock" [app_users::AppUsers];
    blog_is_stored_as_before: "examples/blog.lock" [blog::Blog];
    bulk_is_stored_as_before: "examples/bulk.lock" [bulk::Account];
    contacts_are_stored_as_before: "examples/contacts/dynamo.lock" [contacts::Contact];
    crud_is_stored_as_before: "examples/crud.lock" [crud::Note];
    help_desk_is_stored_as_before: "examples/help_desk/dynamo.lock" [help_desk::model::HelpDesk];
    help_texts_are_stored_as_before: "examples/help_search/dynamo.lock" [help_search::HelpText];
    iot_meters_are_stored_as_before: "examples/iot_meters.lock" [
        iot_meters::Measurement, iot_meters::MeterStatus, iot_meters::Configuration
    ];
    load_is_stored_as_before: "examples/load.lock" [load::Reading];
    message_delivery_is_stored_as_before: "examples/message_delivery.lock" [
        message_delivery::Messages, message_delivery::Mailbox
    ];
    order_mails_are_stored_as_before: "examples/order_mails/dynamo.lock" [
        order_mails::Shop, order_mails::Sales, dynamo_entity::streams::ParkedTable, dynamo_entity::streams::OnceEffect,
        dynamo_entity::streams::LeaseTable
    ];
    orders_are_stored_as_before: "examples/orders.lock" [orders::Order];
    organisations_are_stored_as_before: "examples/organisations.lock" [
        organisations::Employee, organisations::EmployeeOfMany
    ];
    request_counts_are_stored_as_before: "examples/request_counts.lock" [
        request_counts::RequestCount, request_counts::BusyRequestCount
    ];
    shop_directory_is_stored_as_before: "examples/shop_directory.lock" [shop_directory::Shop];
    status_shards_are_stored_as_before: "examples/status_shards.lock" [status_shards::Order];
    tasks_are_stored_as_before: "examples/tasks/dynamo.lock" [tasks::Task];
}

#[test]
fn no_example_is_without_a_lock_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an example").path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a name");
        let file = match path.is_dir() {
            true => format!("examples/{name}/dynamo.lock"),
            false => format!("examples/{name}.lock"),
        };
        assert!(FILES.contains(&&*file), "{path:?} has no `{file}`");
    }
    let mut expected = vec!["notes".to_owned()];
    let all = schemas::all().expect("the schemas");
    expected.extend(all.into_iter().map(|schema| schema.name));
    expected.sort();
    assert_eq!(tables(), expected);
}
