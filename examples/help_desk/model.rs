//! One table for all tenants. Every key begins with the tenant, so no question can cross from one to another.
//!
//! | question | answered by |
//! |---|---|
//! | a ticket with its comments, tags and history | the partition of the ticket, `TicketRecord` |
//! | the tickets to take next, most urgent first | `Ticket::queue(tenant, status)` on `gsi1` |
//! | my open tickets, by their due time or without one | `Ticket::of_agent(tenant, agent)` on `gsi2` |
//! | what is overdue | `Ticket::overdue(tenant)` on `gsi4` |
//! | what a customer asked and wrote | the partition of the customer in `gsi3`, `CustomerRecord` |
//! | the tickets with a tag | `Tag::of_tag(tenant, tag)` on `gsi4` |

use chrono::{DateTime, Utc};
use clap::ValueEnum;
use dynamo_entity::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(DynamoTable)]
#[dynamo(name = "help-desk", pk = "pk", sk = "sk")]
#[dynamo(entities(
    Tenant, Agent, Customer, Ticket, Comment, Event, Tag, Counter, Tally, Session
))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
#[dynamo(gsi(gsi2, pk = "gsi2pk", sk = "gsi2sk"))]
#[dynamo(gsi(gsi3, pk = "gsi3pk", sk = "gsi3sk"))]
#[dynamo(gsi(gsi4, pk = "gsi4pk", sk = "gsi4sk"))]
pub struct HelpDesk;

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue, Serialize, Deserialize, ValueEnum)]
#[dynamo(order)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Urgent = 10,
    High = 20,
    Normal = 30,
    Low = 40,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    New,
    Open,
    Solved,
    Merged,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HelpDesk, key(pk = "TENANT#{tenant}", sk = "INFO"))]
pub struct Tenant {
    pub tenant: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HelpDesk, key(pk = "TENANT#{tenant}", sk = "AGENT#{agent}"))]
#[dynamo(unique(by_email, email))]
pub struct Agent {
    pub tenant: String,
    pub agent: String,
    pub email: String,
    pub away: bool,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HelpDesk, key(pk = "CUSTOMER#{tenant}#{customer}", sk = "INFO"))]
#[dynamo(unique(by_address, tenant, email))]
pub struct Customer {
    pub tenant: String,
    pub customer: Uuid,
    pub email: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize)]
#[dynamo(table = HelpDesk, key(pk = "TICKET#{tenant}#{ticket}", sk = "INFO"))]
#[dynamo(gsi(queue, on = gsi1, pk = "QUEUE#{tenant}#{status}", sk = "{priority}#{due:last}#{ticket}"))]
#[dynamo(gsi(of_agent, on = gsi2, pk = "AGENT#{tenant}#{assignee}", sk = "{due:last}#{ticket}", when(status = [Status::New, Status::Open])))]
#[dynamo(gsi(of_customer, on = gsi3, pk = "CUSTOMER#{tenant}#{customer}", sk = "TICKET#{ticket}"))]
#[dynamo(gsi(overdue, on = gsi4, pk = "DUE#{tenant}", sk = "{due}#{ticket}", when(status = [Status::New, Status::Open])))]
pub struct Ticket {
    pub tenant: String,
    pub ticket: u64,
    pub subject: String,
    pub customer: Option<Uuid>,
    pub status: Status,
    pub priority: Priority,
    pub assignee: Option<String>,
    pub due: Option<DateTime<Utc>>,
    pub comments: u32,
    pub merged_into: Option<u64>,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(updated_at)]
    pub updated_at: Option<DateTime<Utc>>,
}

/// The id is a UUID of version 7, so comments are in the order in which they were written.
#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize)]
#[dynamo(table = HelpDesk, key(pk = "TICKET#{tenant}#{ticket}", sk = "COMMENT#{id}"))]
#[dynamo(gsi(of_customer, on = gsi3, pk = "CUSTOMER#{tenant}#{customer}", sk = "COMMENT#{id}"))]
pub struct Comment {
    pub tenant: String,
    pub ticket: u64,
    pub id: Uuid,
    /// `None` if an agent wrote it.
    pub customer: Option<Uuid>,
    pub text: String,
}

/// What was done to a ticket, and by whom. It is written together with what it tells of.
#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize)]
#[dynamo(table = HelpDesk, key(pk = "TICKET#{tenant}#{ticket}", sk = "EVENT#{id}"), append_only)]
pub struct Event {
    pub tenant: String,
    pub ticket: u64,
    pub id: Uuid,
    pub what: String,
    #[dynamo(created_by)]
    pub by: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize)]
#[dynamo(table = HelpDesk, key(pk = "TICKET#{tenant}#{ticket}", sk = "TAG#{tag}"))]
#[dynamo(gsi(of_tag, on = gsi4, pk = "TAG#{tenant}#{tag}", sk = "{ticket}"))]
pub struct Tag {
    pub tenant: String,
    pub ticket: u64,
    pub tag: String,
}

/// The last number that was given.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HelpDesk, key(pk = "COUNTER#{tenant}", sk = "{name}"))]
pub struct Counter {
    pub tenant: String,
    pub name: String,
    pub last: u64,
}

/// How many tickets have a status.
#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize)]
#[dynamo(table = HelpDesk, key(pk = "TALLY#{tenant}", sk = "{status}"))]
pub struct Tally {
    pub tenant: String,
    pub status: Status,
    pub tickets: i64,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = HelpDesk, key(pk = "SESSION#{token}", sk = "INFO"))]
pub struct Session {
    pub token: String,
    pub tenant: String,
    pub agent: String,
    #[dynamo(ttl)]
    pub until: DateTime<Utc>,
}

/// All that the partition of a ticket holds.
#[derive(Debug, Clone, PartialEq, DynamoCollection, Serialize)]
#[dynamo(table = HelpDesk, partition(tenant, ticket))]
#[serde(untagged)]
pub enum TicketRecord {
    Ticket(Ticket),
    Comment(Comment),
    Event(Event),
    Tag(Tag),
}

/// What a customer asked and wrote.
#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = HelpDesk, index = gsi3, partition(tenant, customer))]
pub enum CustomerRecord {
    Comment(Comment),
    Ticket(Ticket),
}
