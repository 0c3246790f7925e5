//! The operations of the help desk of one tenant, by one agent. Each change is one transaction, together with the
//! event that describes it.

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::transact::{UnitOfWork, try_transact};
use dynamo_entity::write::Upsert;
use uuid::Uuid;

use super::model::*;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    #[error("there is no such {0}")]
    Missing(&'static str),
    #[error("{0}")]
    Refused(&'static str),
    #[error(transparent)]
    Database(#[from] Error),
}

pub type Outcome<T = ()> = Result<T, DeskError>;

/// The help desk as one agent sees it.
#[derive(Clone)]
pub struct Desk {
    pub db: Dynamo,
    pub tenant: String,
    pub agent: String,
}

/// What a new ticket says.
#[derive(Debug, Clone, serde::Deserialize, clap::Args)]
pub struct NewTicket {
    pub email: String,
    pub subject: String,
    pub text: String,
    #[arg(long, value_enum, default_value = "normal")]
    pub priority: Priority,
    #[arg(long)]
    pub due: Option<DateTime<Utc>>,
}

impl Desk {
    pub fn of(db: &Dynamo, tenant: &str, agent: &str) -> Self {
        Desk {
            db: db.clone().with_actor(agent),
            tenant: tenant.into(),
            agent: agent.into(),
        }
    }

    /// The desk of the agent with this session.
    pub async fn resume(db: &Dynamo, token: &str) -> Outcome<Self> {
        let session = Session::key(token).get().consistent().send(db).await?;
        let session = session.ok_or(DeskError::Missing("session"))?;
        Ok(Desk::of(db, &session.tenant, &session.agent))
    }

    /// Makes the tenant, with its first agent.
    pub async fn sign_up(&self, name: &str, email: &str) -> Result<()> {
        let new = Tenant {
            tenant: self.tenant.clone(),
            name: name.into(),
        };
        let agent = self.new_agent(&self.agent, email);
        let both = Transaction::new().with(new.create()).with(agent.create());
        both.send(&self.db).await.map(drop)
    }

    fn new_agent(&self, agent: &str, email: &str) -> Agent {
        Agent {
            tenant: self.tenant.clone(),
            agent: agent.into(),
            email: email.into(),
            away: false,
        }
    }

    pub fn key(&self, ticket: u64) -> Key<Ticket> {
        Ticket::key(&self.tenant, ticket)
    }

    fn comment_of(&self, ticket: u64, customer: Option<Uuid>, text: &str) -> Comment {
        Comment {
            tenant: self.tenant.clone(),
            ticket,
            id: Uuid::now_v7(),
            customer,
            text: text.into(),
        }
    }

    pub fn event(&self, ticket: u64, what: &str) -> Event {
        Event {
            tenant: self.tenant.clone(),
            ticket,
            id: Uuid::now_v7(),
            what: what.into(),
            by: None,
        }
    }

    /// Changes the number of tickets that have a status.
    fn count(&self, status: Status, change: i64) -> Upsert<Tally> {
        let tally = Tally::key(&self.tenant, status).upsert();
        tally.apply(|t| t.tickets().add(change))
    }

    pub async fn log_in(&self) -> Outcome<String> {
        let session = Session {
            token: Uuid::new_v4().to_string(),
            tenant: self.tenant.clone(),
            agent: self.agent.clone(),
            until: Utc::now() + TimeDelta::hours(8),
        };
        let known = Agent::key(&self.tenant, &self.agent).check().if_exists();
        let both = Transaction::new().with(known).with(session.create());
        both.send(&self.db).await?;
        Ok(session.token)
    }

    pub async fn add_agent(&self, agent: &str, email: &str) -> Result<Agent> {
        self.new_agent(agent, email).create().send(&self.db).await
    }

    /// An agent who is away is given no tickets.
    pub async fn set_away(&self, away: bool) -> Result<Agent> {
        let update = Agent::key(&self.tenant, &self.agent).update();
        update.apply(|a| a.away().set(away)).send(&self.db).await
    }

    /// The customer with this address, who is created if missing. If two calls race, one customer is created.
    async fn customer(&self, email: &str) -> Result<Uuid> {
        let new = Customer {
            tenant: self.tenant.clone(),
            customer: Uuid::new_v4(),
            email: email.into(),
        };
        let made = new.create().send(&self.db).await.map(|made| made.customer);
        made.or_else(|error| Ok(error.holder::<Customer>()?.ok_or(error)?.customer))
    }

    /// Opens a ticket. Its number is one more than that of the last one, without a gap.
    pub async fn open(&self, new: &NewTicket) -> Result<u64> {
        let customer = Some(self.customer(&new.email).await?);
        let counter = Counter::key(&self.tenant, "ticket");
        transact(&self.db, async |tx| {
            let before = tx.get(counter.clone()).await?;
            let number = before.map_or(1, |counter| counter.last + 1);
            tx.with(counter.clone().upsert().apply(|c| c.last().set(number)))?;
            tx.create(&Ticket {
                tenant: self.tenant.clone(),
                ticket: number,
                subject: new.subject.clone(),
                customer,
                status: Status::New,
                priority: new.priority,
                assignee: None,
                due: new.due,
                comments: 1,
                merged_into: None,
                version: Version::default(),
                updated_at: None,
            })?;
            tx.create(&self.comment_of(number, customer, &new.text))?;
            tx.create(&self.event(number, "opened"))?;
            tx.with(self.count(Status::New, 1))?;
            Ok(number)
        })
        .await
    }

    /// Changes a ticket with the closure, together with its event and the counts. The closure adds other conditions.
    pub async fn change<F>(&self, ticket: u64, what: &str, decide: F) -> Outcome
    where
        F: Fn(&UnitOfWork, &mut Ticket) -> Result<()>,
    {
        try_transact(&self.db, async |tx| {
            let before = tx.get(self.key(ticket)).await?;
            let before = before.ok_or(DeskError::Missing("ticket"))?;
            let mut after = before.clone();
            decide(&tx, &mut after)?;
            if after == before {
                return Ok(());
            }
            let is_merged = after.status == Status::Merged;
            if before.merged_into.is_some() || is_merged != after.merged_into.is_some() {
                return Err(DeskError::Refused("a merged ticket does not change"));
            }
            if after.status != before.status {
                tx.with(self.count(before.status, -1))?;
                tx.with(self.count(after.status, 1))?;
            }
            tx.put(&after)?;
            Ok(tx.create(&self.event(ticket, what))?)
        })
        .await
    }

    pub async fn comment(&self, ticket: u64, customer: Option<Uuid>, text: &str) -> Result<Uuid> {
        let comment = self.comment_of(ticket, customer, text);
        let live = self.key(ticket).update().apply(|t| t.comments().add(1));
        let live = live.when(|t| t.merged_into().missing());
        let both = Transaction::new().with(live).with(comment.create());
        both.send(&self.db).await?;
        Ok(comment.id)
    }

    /// Gives a ticket to an agent who is not away.
    pub async fn assign(&self, ticket: u64, agent: &str) -> Outcome {
        self.change(ticket, "assigned", |tx, ticket| {
            (ticket.status, ticket.assignee) = (Status::Open, Some(agent.into()));
            let agent = Agent::key(&self.tenant, agent).check().if_exists();
            tx.with(agent.when(|a| a.away().eq(false)).named("agent"))
        })
        .await
    }

    pub async fn tag(&self, ticket: u64, tag: &str) -> Result<()> {
        let known = self.key(ticket).check().if_exists();
        let tag = Tag::key(&self.tenant, ticket, tag).upsert();
        let both = Transaction::new().with(known).with(tag);
        both.send(&self.db).await.map(drop)
    }

    pub async fn untag(&self, ticket: u64, tag: &str) -> Result<()> {
        let tag = Tag::key(&self.tenant, ticket, tag);
        tag.delete().send(&self.db).await
    }

    /// A ticket with all that belongs to it, in one request.
    pub async fn read(&self, ticket: u64) -> Outcome<Vec<TicketRecord>> {
        let records = TicketRecord::in_partition(&self.tenant, ticket).consistent();
        let records = records.all(&self.db).await?;
        match records.is_empty() {
            true => Err(DeskError::Missing("ticket")),
            false => Ok(records),
        }
    }

    /// The tickets of a status, the most urgent first.
    pub fn queue(&self, status: Status) -> Query<Ticket> {
        Ticket::queue(&self.tenant, status).into()
    }

    /// The open tickets of the agent; those that have a due time first.
    pub fn mine(&self) -> Query<Ticket> {
        Ticket::of_agent(&self.tenant, &self.agent).into()
    }

    /// The open tickets of the agent that nobody gave a due time.
    pub fn undated(&self) -> Query<Ticket> {
        let mine = Ticket::of_agent(&self.tenant, &self.agent);
        mine.due().missing().into()
    }

    pub fn overdue(&self, now: DateTime<Utc>) -> Query<Ticket> {
        Ticket::overdue(&self.tenant).due().lt(now).into()
    }

    pub fn of_customer(&self, customer: Uuid) -> impl QueryExt<Row = CustomerRecord> {
        CustomerRecord::in_partition(&self.tenant, customer)
    }

    pub fn tallies(&self) -> Query<Tally> {
        Tally::in_partition(&self.tenant).consistent().into()
    }

    pub async fn tagged(&self, tag: &str) -> Result<Vec<Ticket>> {
        let tags = Tag::of_tag(&self.tenant, tag).all(&self.db).await?;
        let tickets = Ticket::get_many(tags.iter().map(|tag| self.key(tag.ticket)));
        let tickets = tickets.send(&self.db).await?;
        Ok(tickets.into_iter().flatten().collect())
    }
}
