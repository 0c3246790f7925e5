//! Queries and keys by texts ask for exactly what typed calls ask for, for all patterns of all examples.

use std::collections::BTreeSet;
use std::ops::{Bound, Range};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::query::{DynamicEntity, DynamicQuery};
use dynamo_entity::schema::TableSchema;
use fastrand::Rng;
use uuid::Uuid;

use crate::support::clock::HandClock;
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;
use crate::*;

/// Random parts, with the texts by which a person gives them.
struct Values {
    rng: Rng,
}

impl Values {
    fn text(&mut self) -> String {
        let texts = ["a", "a#b", "%", "ü", "x y", "\\\"", "0", "Ann", "~"];
        let one = self.rng.choice(texts).unwrap_or_default();
        format!("{one}{}", self.rng.u8(..))
    }

    fn number(&mut self) -> u64 {
        let bits = self.rng.u32(1..33);
        self.rng.u64(0..1 << bits)
    }

    /// A time in one of the forms that people write.
    fn time(&mut self) -> (DateTime<Utc>, String) {
        let seconds = self.rng.i64(0..4_000_000_000);
        let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        match self.rng.u8(0..4) {
            0 => {
                let day = time.date_naive();
                let start = day.and_time(Default::default()).and_utc();
                (start, day.to_string())
            }
            1 => (time, time.to_rfc3339()),
            2 => (time, time.to_rfc3339_opts(SecondsFormat::Nanos, true)),
            _ => {
                let time = time + TimeDelta::milliseconds(self.rng.i64(0..1000));
                (time, time.to_rfc3339_opts(SecondsFormat::Millis, true))
            }
        }
    }

    fn times(&mut self) -> (Range<DateTime<Utc>>, Range<String>) {
        let (one, two) = (self.time(), self.time());
        (one.0..two.0, one.1..two.1)
    }
}

/// What was compared, so that no pattern is forgotten.
struct Compared {
    /// Its clock stands still, because a filter of expired items contains the time.
    db: Dynamo,
    seen: BTreeSet<String>,
}

impl Compared {
    fn queries(
        &mut self,
        name: &str,
        typed: impl QueryExt,
        by_text: Result<impl QueryExt>,
    ) -> Outcome {
        let typed = format!("{:?}", typed.explain(&self.db)?);
        let by_text = by_text.map_err(|error| format!("{name}: {error}"))?;
        assert_eq!(format!("{:?}", by_text.explain(&self.db)?), typed, "{name}");
        self.seen.insert(name.to_owned());
        Ok(())
    }

    fn keys<E: DynamoEntity>(
        &mut self,
        name: &str,
        typed: Key<E>,
        by_text: Result<Item>,
    ) -> Outcome {
        let by_text = by_text.map_err(|error| format!("{name}: {error}"))?;
        assert_eq!(by_text, typed.to_item()?, "{name}");
        self.seen.insert(format!("{name}.key"));
        Ok(())
    }
}

fn range(texts: &Range<String>) -> Range<&str> {
    &texts.start..&texts.end
}

fn of(schema: &TableSchema, entity: &str) -> DynamicEntity {
    schema.dynamic(entity).expect("it is declared")
}

/// The whole chain of an access pattern by texts.
fn chain(query: Result<DynamicQuery>, parts: &[(&str, &str)]) -> Result<DynamicQuery> {
    parts
        .iter()
        .try_fold(query?, |query, (part, text)| query.eq(part, text))
}

#[tokio::test]
async fn requests_by_text_are_the_typed_ones() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    let mut compared = Compared {
        db: db.at(&HandClock::at("2036-03-01T12:00:00Z")),
        seen: BTreeSet::new(),
    };
    for seed in 0..60 {
        let values = &mut Values {
            rng: Rng::with_seed(seed),
        };
        plain(&mut compared, values)?;
        shared(&mut compared, values)?;
        desk(&mut compared, values)?;
        followed(&mut compared, values)?;
    }
    let mut declared = BTreeSet::new();
    for schema in schemas::all()? {
        for entity in &schema.entities {
            let place = format!("{}.{}", schema.name, entity.name);
            declared.insert(format!("{place}.key"));
            if entity.sk.is_some() {
                declared.insert(format!("{place}.in_partition"));
            }
            let patterns = entity.patterns.iter();
            declared.extend(patterns.map(|pattern| format!("{place}.{}", pattern.name)));
        }
    }
    assert_eq!(compared.seen, declared);
    db.close().await
}

/// Tables of one entity.
fn plain(compared: &mut Compared, values: &mut Values) -> Outcome {
    let (a, b, c) = (values.text(), values.text(), values.text());
    let number = values.number() as u32;
    let digits = number.to_string();
    let (time, text) = values.time();
    let (times, texts) = values.times();

    let tokens = of(&access_tokens::AccessToken::schema(), "AccessToken");
    compared.keys(
        "access-token.AccessToken",
        access_tokens::AccessToken::key(&a),
        tokens.key([&*a]),
    )?;

    let accounts = of(&bulk::Account::schema(), "Account");
    compared.keys(
        "accounts.Account",
        bulk::Account::key(&a, number),
        accounts.key([&*a, &digits]),
    )?;
    compared.queries(
        "accounts.Account.in_partition",
        bulk::Account::in_partition(&a)
            .number()
            .between(number..=u32::MAX),
        accounts
            .in_partition([&*a])?
            .between("number", &*digits..="4294967295"),
    )?;

    let help = of(&help_search::HelpText::schema(), "HelpText");
    compared.keys(
        "help-text.HelpText",
        help_search::HelpText::key(number),
        help.key([&*digits]),
    )?;

    let contacts = of(&contacts::Contact::schema(), "Contact");
    compared.keys(
        "contact.Contact",
        contacts::Contact::key(&a, &b),
        contacts.key([&*a, &b]),
    )?;
    compared.queries(
        "contact.Contact.in_partition",
        contacts::Contact::in_partition(&a).handle().starts_with(&b),
        contacts.in_partition([&*a])?.starts_with("handle", &b),
    )?;

    let measurements = of(&iot_meters::Measurement::schema(), "Measurement");
    compared.keys(
        "measurement.Measurement",
        iot_meters::Measurement::key(&a, time),
        measurements.key([&*a, &text]),
    )?;
    compared.queries(
        "measurement.Measurement.in_partition",
        iot_meters::Measurement::in_partition(&a)
            .at()
            .between(times.clone()),
        measurements
            .in_partition([&*a])?
            .between("at", range(&texts)),
    )?;
    let status = of(&iot_meters::MeterStatus::schema(), "MeterStatus");
    compared.keys(
        "meter-status.MeterStatus",
        iot_meters::MeterStatus::key(&a),
        status.key([&*a]),
    )?;
    compared.queries(
        "meter-status.MeterStatus.in_partition",
        iot_meters::MeterStatus::in_partition(&a),
        status.in_partition([&*a]),
    )?;
    compared.queries(
        "meter-status.MeterStatus.by_battery",
        iot_meters::MeterStatus::by_battery(iot_meters::Battery::Low)
            .meter()
            .ge(&a),
        status.query("by_battery", ["LOW"])?.between("meter", &*a..),
    )?;
    let configurations = of(&iot_meters::Configuration::schema(), "Configuration");
    compared.keys(
        "meter-configuration.Configuration",
        iot_meters::Configuration::key(&a, number),
        configurations.key([&*a, &digits]),
    )?;
    compared.queries(
        "meter-configuration.Configuration.in_partition",
        iot_meters::Configuration::in_partition(&a)
            .revision()
            .le(number),
        configurations
            .in_partition([&*a])?
            .between("revision", ..=&*digits),
    )?;

    let readings = of(&load::Reading::schema(), "Reading");
    let large = values.number();
    compared.keys(
        "readings.Reading",
        load::Reading::key(u64::from(number), large),
        readings.key([&*digits, &large.to_string()]),
    )?;
    compared.queries(
        "readings.Reading.in_partition",
        load::Reading::in_partition(u64::from(number))
            .number()
            .lt(large),
        readings
            .in_partition([&*digits])?
            .between("number", ..&*large.to_string()),
    )?;

    let orders = of(&orders::Order::schema(), "Order");
    compared.keys(
        "order.Order",
        orders::Order::key(number),
        orders.key([&*digits]),
    )?;
    compared.queries(
        "order.Order.of_customer",
        orders::Order::of_customer(&a)
            .placed_at()
            .between(times.clone()),
        orders
            .query("of_customer", [&*a])?
            .between("placed_at", range(&texts)),
    )?;
    let paid = orders::Status::Paid;
    compared.queries(
        "order.Order.of_customer_by_status",
        orders::Order::of_customer_by_status(&a)
            .status()
            .eq(paid)
            .placed_at()
            .between(times.clone()),
        chain(
            orders.query("of_customer_by_status", [&*a]),
            &[("status", "Paid")],
        )?
        .between("placed_at", range(&texts)),
    )?;
    compared.queries(
        "order.Order.by_status",
        orders::Order::by_status(paid).placed_at().eq(time),
        orders.query("by_status", ["Paid"])?.eq("placed_at", &text),
    )?;
    compared.queries(
        "order.Order.pending",
        orders::Order::pending()
            .placed_at()
            .between(times.clone())
            .descending(),
        orders
            .query("pending", [])?
            .between("placed_at", range(&texts))
            .map(QueryExt::descending),
    )?;

    let employees = of(&organisations::Employee::schema(), "Employee");
    let key = organisations::Employee::key(&a, number);
    compared.keys("employee.Employee", key, employees.key([&*a, &digits]))?;
    compared.queries(
        "employee.Employee.in_partition",
        organisations::Employee::in_partition(&a)
            .number()
            .eq(number),
        employees.in_partition([&*a])?.eq("number", &digits),
    )?;
    compared.queries(
        "employee.Employee.by_hobby",
        organisations::Employee::by_hobby(&a)
            .company()
            .starts_with(&b),
        employees
            .query("by_hobby", [&*a])?
            .starts_with("company", &b),
    )?;
    compared.queries(
        "employee.Employee.colleagues_by_hobby",
        organisations::Employee::colleagues_by_hobby(&a)
            .hobby()
            .eq(&b),
        employees
            .query("colleagues_by_hobby", [&*a])?
            .eq("hobby", &b),
    )?;
    let many = of(&organisations::EmployeeOfMany::schema(), "EmployeeOfMany");
    let key = organisations::EmployeeOfMany::key(&a, number);
    compared.keys(
        "large-company.EmployeeOfMany",
        key,
        many.key([&*a, &digits]),
    )?;
    compared.queries(
        "large-company.EmployeeOfMany.in_partition",
        organisations::EmployeeOfMany::in_partition(&a)
            .number()
            .lt(number),
        many.in_partition([&*a])?.between("number", ..&*digits),
    )?;
    compared.queries(
        "large-company.EmployeeOfMany.colleagues_by_hobby",
        organisations::EmployeeOfMany::colleagues_by_hobby(&a)
            .hobby()
            .starts_with(&b),
        many.query("colleagues_by_hobby", [&*a])?
            .starts_with("hobby", &b),
    )?;

    let counts = of(&request_counts::RequestCount::schema(), "RequestCount");
    let (day, date) = (time.date_naive(), time.date_naive().to_string());
    let key = request_counts::RequestCount::key(&a, day);
    compared.keys("request-count.RequestCount", key, counts.key([&*a, &date]))?;
    compared.queries(
        "request-count.RequestCount.in_partition",
        request_counts::RequestCount::in_partition(&a).day().ge(day),
        counts.in_partition([&*a])?.between("day", &*date..),
    )?;
    let busy = of(
        &request_counts::BusyRequestCount::schema(),
        "BusyRequestCount",
    );
    let key = request_counts::BusyRequestCount::key(&a, 7_u8, day);
    compared.keys(
        "busy-request-count.BusyRequestCount",
        key,
        busy.key([&*a, "7", &date]),
    )?;
    compared.queries(
        "busy-request-count.BusyRequestCount.in_partition",
        request_counts::BusyRequestCount::in_partition(&a, 7_u8)
            .day()
            .eq(day),
        busy.in_partition([&*a, "7"])?.eq("day", &date),
    )?;

    let shops = of(&shop_directory::Shop::schema(), "Shop");
    compared.keys(
        "shop.Shop",
        shop_directory::Shop::key(number),
        shops.key([&*digits]),
    )?;
    compared.queries(
        "shop.Shop.by_place",
        shop_directory::Shop::by_place(&a)
            .country()
            .eq(&b)
            .state()
            .starts_with(&c),
        chain(shops.query("by_place", [&*a]), &[("country", &b)])?.starts_with("state", &c),
    )?;

    let sharded = of(&status_shards::Order::schema(), "Order");
    compared.keys(
        "sharded-order.Order",
        status_shards::Order::key(number),
        sharded.key([&*digits]),
    )?;
    let shipped = status_shards::Status::Shipped;
    compared.queries(
        "sharded-order.Order.by_status",
        status_shards::Order::by_status(shipped)
            .placed_at()
            .between(times.clone()),
        sharded
            .query("by_status", ["Shipped"])?
            .between("placed_at", range(&texts)),
    )?;
    compared.queries(
        "sharded-order.Order.by_status_plain",
        status_shards::Order::by_status_plain(shipped)
            .placed_at()
            .between(times),
        sharded
            .query("by_status_plain", ["Shipped"])?
            .between("placed_at", range(&texts)),
    )?;

    let tasks = of(&tasks::Task::schema(), "Task");
    let id = Uuid::from_u128(values.rng.u128(..));
    let id_text = id.to_string();
    compared.keys(
        "task.Task",
        tasks::Task::key(&a, id),
        tasks.key([&*a, &id_text]),
    )?;
    compared.queries(
        "task.Task.in_partition",
        tasks::Task::in_partition(&a).id().gt(id),
        tasks
            .in_partition([&*a])?
            .between("id", (Bound::Excluded(&*id_text), Bound::Unbounded)),
    )?;
    Ok(())
}

/// Tables of several entities.
fn shared(compared: &mut Compared, values: &mut Values) -> Outcome {
    let (a, b) = (values.text(), values.text());
    let (time, text) = values.time();
    let (times, texts) = values.times();
    let id = Uuid::from_u128(values.rng.u128(..));
    let id_text = id.to_string();

    let schema = app_users::AppUsers::schema();
    let (infos, rewards) = (of(&schema, "UserInfo"), of(&schema, "Rewards"));
    compared.keys(
        "app-user.UserInfo",
        app_users::UserInfo::key(id),
        infos.key([&*id_text]),
    )?;
    compared.keys(
        "app-user.Rewards",
        app_users::Rewards::key(id),
        rewards.key([&*id_text]),
    )?;
    compared.queries(
        "app-user.UserInfo.in_partition",
        app_users::UserInfo::in_partition(id),
        infos.in_partition([&*id_text]),
    )?;
    compared.queries(
        "app-user.Rewards.in_partition",
        app_users::Rewards::in_partition(id),
        rewards.in_partition([&*id_text]),
    )?;
    compared.queries(
        "app-user.UserInfo.by_code",
        app_users::UserInfo::by_code(&a),
        infos.query("by_code", [&*a]),
    )?;
    let overs = of(&schema, "HandOver");
    compared.keys(
        "app-user.HandOver",
        app_users::HandOver::key(id, time),
        overs.key([&*id_text, &text]),
    )?;
    compared.queries(
        "app-user.HandOver.in_partition",
        app_users::HandOver::in_partition(id)
            .at()
            .between(times.clone()),
        overs
            .in_partition([&*id_text])?
            .between("at", range(&texts)),
    )?;

    let schema = blog::Blog::schema();
    let (posts, comments) = (of(&schema, "Post"), of(&schema, "Comment"));
    compared.keys("blog.Post", blog::Post::key(&a, &b), posts.key([&*a, &b]))?;
    compared.queries(
        "blog.Post.in_partition",
        blog::Post::in_partition()
            .author()
            .eq(&a)
            .id()
            .starts_with(&b),
        chain(posts.in_partition([]), &[("author", &a)])?.starts_with("id", &b),
    )?;
    compared.queries(
        "blog.Post.by_author",
        blog::Post::by_author(&a)
            .written_at()
            .between(times.clone()),
        posts
            .query("by_author", [&*a])?
            .between("written_at", range(&texts)),
    )?;
    compared.keys(
        "blog.Comment",
        blog::Comment::key(&a, time, &b),
        comments.key([&*a, &text, &b]),
    )?;
    compared.queries(
        "blog.Comment.in_partition",
        blog::Comment::in_partition(&a)
            .written_at()
            .eq(time)
            .by()
            .ge(&b),
        chain(comments.in_partition([&*a]), &[("written_at", &text)])?.between("by", &*b..),
    )?;

    use message_delivery::{Mailbox, Message, Messages, Waiting};
    let schema = Messages::schema();
    let messages = of(&schema, "Message");
    compared.keys("message.Message", Message::key(&a), messages.key([&*a]))?;
    compared.queries(
        "message.Message.in_partition",
        Message::in_partition(&a),
        messages.in_partition([&*a]),
    )?;
    let waiting = of(&schema, "Waiting");
    compared.keys(
        "message.Waiting",
        Waiting::key(&a, &b),
        waiting.key([&*a, &b]),
    )?;
    compared.queries(
        "message.Waiting.in_partition",
        Waiting::in_partition(&a).recipient().eq(&b),
        waiting.in_partition([&*a])?.eq("recipient", &b),
    )?;
    let mailboxes = of(&Mailbox::schema(), "Mailbox");
    compared.keys("mailbox.Mailbox", Mailbox::key(&a), mailboxes.key([&*a]))?;
    Ok(())
}

/// The table of the consumer of a stream, and the tables of the library for consumers.
fn followed(compared: &mut Compared, values: &mut Values) -> Outcome {
    use dynamo_entity::streams::{
        GroupRoots, LeaseTable, OnceEffect, ParkedChange, ParkedPart, ParkedTable, ShardLease,
        StreamGroup, StreamReader,
    };
    use order_mails::{Buyer, Order, Reward, Sales, Shop};

    let (a, b, c) = (values.text(), values.text(), values.text());
    let number = u32::try_from(values.number() % 10_000)?;
    let digits = number.to_string();
    let (shop, parked, leases) = (Shop::schema(), ParkedTable::schema(), LeaseTable::schema());
    macro_rules! plain {
        ($($schema:ident $entity:ident, $key:expr => $texts:expr;)*) => {$(
            let name = format!("{}.{}", $schema.name, stringify!($entity));
            let by_text = of(&$schema, stringify!($entity));
            compared.keys(&name, $key, by_text.key($texts))?;
            compared.queries(&format!("{name}.in_partition"), $entity::in_partition(&a), by_text.in_partition([&*a]))?;
        )*};
    }
    plain! {
        shop Buyer, Buyer::key(&a) => [&*a];
        shop Order, Order::key(&a, number) => [&*a, &digits];
        shop Reward, Reward::key(&a, number) => [&*a, &digits];
        parked ParkedChange, ParkedChange::key(&a, &b) => [&*a, &b];
        parked ParkedPart, ParkedPart::key(&a, &b, &c, number) => [&*a, &b, &c, &digits];
        leases StreamGroup, StreamGroup::key(&a) => [&*a];
        leases GroupRoots, GroupRoots::key(&a) => [&*a];
        leases ShardLease, ShardLease::key(&a, &b) => [&*a, &b];
        leases StreamReader, StreamReader::key(&a, &b) => [&*a, &b];
    }
    let sales = of(&Sales::schema(), "Sales");
    compared.keys("mail-sales.Sales", Sales::key(&a), sales.key([&*a]))?;
    let effects = of(&OnceEffect::schema(), "OnceEffect");
    compared.keys(
        "once-effects.OnceEffect",
        OnceEffect::key(&a),
        effects.key([&*a]),
    )?;
    Ok(())
}

/// The table of the help desk, with parts that may be missing.
fn desk(compared: &mut Compared, values: &mut Values) -> Outcome {
    use help_desk::model::{
        Agent, Comment, Counter, Customer, Event, HelpDesk, Priority, Session, Status, Tag, Tally,
        Tenant, Ticket,
    };
    let schema = HelpDesk::schema();
    let (a, b, ticket) = (values.text(), values.text(), values.number());
    let digits = ticket.to_string();
    let (times, texts) = values.times();
    let id = Uuid::from_u128(values.rng.u128(..));
    let id_text = id.to_string();

    macro_rules! plain {
        ($($entity:ident, $partition:expr => $partition_texts:expr, $key:expr => $key_texts:expr;)*) => {$(
            let name = concat!("help-desk.", stringify!($entity));
            let by_text = of(&schema, stringify!($entity));
            compared.keys(name, $key, by_text.key($key_texts))?;
            compared.queries(&format!("{name}.in_partition"), $partition, by_text.in_partition($partition_texts))?;
        )*};
    }
    plain! {
        Tenant, Tenant::in_partition(&a) => [&*a], Tenant::key(&a) => [&*a];
        Agent, Agent::in_partition(&a) => [&*a], Agent::key(&a, &b) => [&*a, &b];
        Customer, Customer::in_partition(&a, id) => [&*a, &id_text], Customer::key(&a, id) => [&*a, &id_text];
        Ticket, Ticket::in_partition(&a, ticket) => [&*a, &digits], Ticket::key(&a, ticket) => [&*a, &digits];
        Comment, Comment::in_partition(&a, ticket) => [&*a, &digits], Comment::key(&a, ticket, id) => [&*a, &digits, &id_text];
        Event, Event::in_partition(&a, ticket) => [&*a, &digits], Event::key(&a, ticket, id) => [&*a, &digits, &id_text];
        Tag, Tag::in_partition(&a, ticket) => [&*a, &digits], Tag::key(&a, ticket, &b) => [&*a, &digits, &b];
        Counter, Counter::in_partition(&a) => [&*a], Counter::key(&a, &b) => [&*a, &b];
        Tally, Tally::in_partition(&a) => [&*a], Tally::key(&a, Status::Open) => [&*a, "Open"];
        Session, Session::in_partition(&a) => [&*a], Session::key(&a) => [&*a];
    }

    let tickets = of(&schema, "Ticket");
    let queue = || tickets.query("queue", [&*a, "New"]);
    let typed = || Ticket::queue(&a, Status::New);
    let name = "help-desk.Ticket.queue";
    compared.queries(name, typed(), queue())?;
    compared.queries(
        name,
        typed()
            .priority()
            .eq(Priority::High)
            .due()
            .between(times.clone()),
        chain(queue(), &[("priority", "20")])?.between("due", range(&texts)),
    )?;
    compared.queries(
        name,
        typed()
            .priority()
            .eq(Priority::Low)
            .due()
            .missing()
            .ticket()
            .ge(ticket),
        chain(queue(), &[("priority", "40")])?
            .missing("due")?
            .between("ticket", &*digits..),
    )?;
    compared.queries(
        name,
        typed().priority().le(Priority::Normal),
        queue()?.between("priority", ..="30"),
    )?;
    compared.queries(
        "help-desk.Ticket.of_agent",
        Ticket::of_agent(&a, &b).due().ge(times.start),
        tickets
            .query("of_agent", [&*a, &b])?
            .between("due", &*texts.start..),
    )?;
    compared.queries(
        "help-desk.Ticket.of_customer",
        Ticket::of_customer(&a, id).ticket().eq(ticket),
        tickets
            .query("of_customer", [&*a, &id_text])?
            .eq("ticket", &digits),
    )?;
    compared.queries(
        "help-desk.Ticket.overdue",
        Ticket::overdue(&a).due().lt(times.end),
        tickets
            .query("overdue", [&*a])?
            .between("due", ..&*texts.end),
    )?;
    compared.queries(
        "help-desk.Comment.of_customer",
        Comment::of_customer(&a, id),
        of(&schema, "Comment").query("of_customer", [&*a, &id_text]),
    )?;
    compared.queries(
        "help-desk.Tag.of_tag",
        Tag::of_tag(&a, &b).ticket().le(ticket),
        of(&schema, "Tag")
            .query("of_tag", [&*a, &b])?
            .between("ticket", ..=&*digits),
    )?;
    Ok(())
}

#[test]
fn wrong_parts_are_explained() -> Outcome {
    let schema = help_desk::model::HelpDesk::schema();
    let tickets = of(&schema, "Ticket");
    let refused = |error: Error, kind: ErrorKind, expected: &str| {
        let text = error.to_string();
        assert_eq!(error.kind(), kind, "{text}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("hush"), "{text}");
    };
    let (key, config) = (ErrorKind::InvalidKey, ErrorKind::Config);
    refused(
        schema.dynamic("Tickets").unwrap_err(),
        config,
        "no entity `Tickets`, it has `Tenant`",
    );
    refused(
        tickets.key(["a"]).unwrap_err(),
        key,
        "has the parts `tenant`, `ticket`, and 1 were given",
    );
    refused(
        tickets.key(["a", "hush"]).unwrap_err(),
        key,
        "`ticket` of `Ticket` is a `u64`",
    );
    refused(tickets.key(["", "7"]).unwrap_err(), key, "tenant");
    refused(
        tickets.query("que", ["a"]).unwrap_err(),
        config,
        "no access pattern `que`, it has `queue`",
    );
    refused(
        tickets.query("queue", ["a", "hush"]).unwrap_err(),
        key,
        "`status` of `Ticket` is a `Status`",
    );
    let queue = || tickets.query("queue", ["a", "New"]);
    refused(
        queue()?.eq("due", "2026-03-01").unwrap_err(),
        key,
        "is `priority`, not `due`",
    );
    refused(
        queue()?.missing("priority").unwrap_err(),
        key,
        "a None has no place",
    );
    refused(
        queue()?.starts_with("priority", "2").unwrap_err(),
        key,
        "is not text",
    );
    let due = chain(queue(), &[("priority", "20")])?;
    refused(
        due.between("due", "hush"..).unwrap_err(),
        key,
        "is a `Option<DateTime<Utc>>`, in the key as `{due:last}`",
    );
    let full = chain(
        tickets.query("of_customer", ["a", &Uuid::nil().to_string()]),
        &[("ticket", "1")],
    )?;
    refused(
        full.eq("ticket", "2").unwrap_err(),
        key,
        "no part of its sort key is left",
    );
    let sorted = of(&orders::Order::schema(), "Order").in_partition(["7"]);
    refused(sorted.unwrap_err(), config, "has no sort key");
    let read = TableSchema::from_json(&schema.to_json())?;
    refused(
        read.dynamic("Ticket").unwrap_err(),
        config,
        "was read from JSON",
    );
    Ok(())
}
