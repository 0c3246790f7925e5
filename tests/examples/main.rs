//! Checks that the examples do what they say, on the embedded engine or on the server that `DYNAMO_URL` names.
//!
//! ```text
//! cargo test --test examples
//! scripts/dynamodb-local cargo test --test examples
//! ```

#[path = "../support/mod.rs"]
mod support;

/// Includes examples as modules. Their `main` functions are not called.
macro_rules! examples {
    ($($name:ident = $path:literal)*) => {$(
        #[allow(dead_code)]
        #[path = $path]
        mod $name;
    )*};
}

examples! {
    access_tokens = "../../examples/access_tokens.rs"
    app_users = "../../examples/app_users.rs"
    blog = "../../examples/blog.rs"
    bulk = "../../examples/bulk.rs"
    contacts = "../../examples/contacts/main.rs"
    crud = "../../examples/crud.rs"
    help_desk = "../../examples/help_desk/main.rs"
    help_search = "../../examples/help_search/main.rs"
    iot_meters = "../../examples/iot_meters.rs"
    load = "../../examples/load.rs"
    message_delivery = "../../examples/message_delivery.rs"
    order_mails = "../../examples/order_mails/main.rs"
    orders = "../../examples/orders.rs"
    organisations = "../../examples/organisations.rs"
    request_counts = "../../examples/request_counts.rs"
    shop_directory = "../../examples/shop_directory.rs"
    status_shards = "../../examples/status_shards.rs"
    tasks = "../../examples/tasks/main.rs"
}

mod adopted;
mod command_line;
mod delivery;
mod dynamic;
mod exports;
mod facts;
mod foreign_libraries;
mod help_desk_crashes;
mod http;
mod lock_files;
mod order_mails_deliveries;
mod patterns;
mod places;
mod schemas;
