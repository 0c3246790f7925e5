//! Law N1 for the models of the examples: the schema knows where every entity is.

use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use crate::support::db::{Db, Mode};
use crate::support::placed::{Known, PlacedTable};
use crate::support::suite::Outcome;
use crate::*;

fn word(rng: &mut Rng, words: &[&str]) -> Value {
    Value::from(rng.choice(words).copied().unwrap_or_default())
}

const KNOWN: Known = &[
    ("Battery", |rng| word(rng, &["FULL", "LOW"])),
    ("Secret", |rng| word(rng, &["hush", ""])),
    ("Priority", |rng| Value::from(i64::from(rng.u8(1..5) * 10))),
    ("Position", |_| {
        let members = [("page", Value::from("1 a")), ("recipient", Value::from(2))];
        Value::M(Item::from_iter(members))
    }),
];
const TICKETS: Known = &[
    ("Status", |rng| {
        word(rng, &["New", "Open", "Solved", "Merged"])
    }),
    ("Priority", |rng| Value::from(i64::from(rng.u8(1..5) * 10))),
];
const ORDERS: Known = &[("Status", |rng| word(rng, &["Pending", "Paid", "Done"]))];
const SHARDED: Known = &[("Status", |rng| word(rng, &["Paid", "Shipped"]))];

/// Fills a table with entities of these kinds, and looks at its indexes.
macro_rules! places {
    ($($test:ident: $table:ty, $known:ident, [$($entity:ty),*];)*) => {$(
        #[tokio::test]
        async fn $test() -> Outcome {
            let db = Db::open(Mode::Raw).await?;
            for seed in 0..3 {
                let mut table = PlacedTable::create(&db, <$table>::schema(), $known, seed).await?;
                $(table.fill::<$entity>().await?;)*
                table.check().await?;
                db.truncate([<$table>::schema()]).even_on_aws().await?;
            }
            db.close().await
        }
    )*};
}

places! {
    access_tokens_are_placed: access_tokens::AccessToken, KNOWN, [access_tokens::AccessToken];
    app_users_are_placed: app_users::AppUsers, KNOWN, [app_users::UserInfo, app_users::Rewards, app_users::HandOver];
    blog_is_placed: blog::Blog, KNOWN, [blog::Post, blog::Comment];
    accounts_are_placed: bulk::Account, KNOWN, [bulk::Account];
    contacts_are_placed: contacts::Contact, KNOWN, [contacts::Contact];
    help_desk_is_placed: help_desk::model::HelpDesk, TICKETS, [
        help_desk::model::Tenant, help_desk::model::Agent, help_desk::model::Customer, help_desk::model::Ticket,
        help_desk::model::Comment, help_desk::model::Event, help_desk::model::Tag, help_desk::model::Counter,
        help_desk::model::Tally, help_desk::model::Session
    ];
    measurements_are_placed: iot_meters::Measurement, KNOWN, [iot_meters::Measurement];
    meters_are_placed: iot_meters::MeterStatus, KNOWN, [iot_meters::MeterStatus];
    configurations_are_placed: iot_meters::Configuration, KNOWN, [iot_meters::Configuration];
    readings_are_placed: load::Reading, KNOWN, [load::Reading];
    messages_are_placed: message_delivery::Messages, KNOWN, [
        message_delivery::Message, message_delivery::Waiting
    ];
    mailboxes_are_placed: message_delivery::Mailbox, KNOWN, [message_delivery::Mailbox];
    orders_are_placed: orders::Order, ORDERS, [orders::Order];
    employees_are_placed: organisations::Employee, KNOWN, [organisations::Employee];
    employees_of_many_are_placed: organisations::EmployeeOfMany, KNOWN, [organisations::EmployeeOfMany];
    request_counts_are_placed: request_counts::RequestCount, KNOWN, [request_counts::RequestCount];
    busy_request_counts_are_placed: request_counts::BusyRequestCount, KNOWN, [request_counts::BusyRequestCount];
    shops_are_placed: shop_directory::Shop, KNOWN, [shop_directory::Shop];
    sharded_orders_are_placed: status_shards::Order, SHARDED, [status_shards::Order];
    tasks_are_placed: tasks::Task, KNOWN, [tasks::Task];
}
