//! What can be done in the help desk of one tenant, by one agent. Each change is one transaction, with what tells of it.

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::transact::{UnitOfWork, try_transact};
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

/// A tenant begins with one agent.
pub async fn sign_up(
    db: &Dynamo,
    tenant: &str,
    name: &str,
    agent: &str,
    email: &str,
) -> Outcome<Desk> {
    let first = Tenant {
        tenant: tenant.into(),
        name: name.into(),
    };
    let desk = Desk::of(db, tenant, agent);
    let agent = desk.new_agent(agent, email);
    Transaction::new()
        .with(first.create())
        .with(agent.create())
        .send(db)
        .await?;
    Ok(desk)
}

/// The desk of the agent with this session.
pub async fn resume(db: &Dynamo, token: &str) -> Outcome<Desk> {
    let session = Session::key(token).get().send(db).await?;
    let session = session.ok_or(DeskError::Missing("session"))?;
    Ok(Desk::of(db, &session.tenant, &session.agent))
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

    /// Counts a ticket where it is now, and no more where it was.
    pub fn count(&self, tx: &UnitOfWork, from: Option<Status>, to: Status) -> Result<()> {
        let tally = |status| Tally::key(&self.tenant, status).upsert();
        if let Some(from) = from {
            tx.with(tally(from).apply(|t| t.tickets().sub(1)))?;
        }
        tx.with(tally(to).apply(|t| t.tickets().add(1)))
    }

    pub async fn log_in(&self) -> Outcome<String> {
        let known = Agent::key(&self.tenant, &self.agent)
            .get()
            .send(&self.db)
            .await?;
        let agent = known.ok_or(DeskError::Missing("agent"))?;
        let token = Uuid::new_v4().to_string();
        let until = Utc::now() + TimeDelta::hours(8);
        let session = Session {
            token: token.clone(),
            tenant: agent.tenant,
            agent: agent.agent,
            until,
        };
        session.create().send(&self.db).await?;
        Ok(token)
    }

    pub async fn add_agent(&self, agent: &str, email: &str) -> Outcome {
        self.new_agent(agent, email).create().send(&self.db).await?;
        Ok(())
    }

    /// An agent who is away is given no tickets.
    pub async fn set_away(&self, away: bool) -> Outcome {
        let update = Agent::key(&self.tenant, &self.agent).update();
        update.apply(|a| a.away().set(away)).send(&self.db).await?;
        Ok(())
    }

    /// The customer with this address, who is made if need be. Of two at once one is made.
    async fn customer(&self, email: &str) -> Outcome<Uuid> {
        let new = Customer {
            tenant: self.tenant.clone(),
            customer: Uuid::new_v4(),
            email: email.into(),
        };
        match new.create().send(&self.db).await {
            Ok(made) => Ok(made.customer),
            Err(error) => Ok(error.holder::<Customer>()?.ok_or(error)?.customer),
        }
    }

    /// Opens a ticket. Its number is one more than that of the last one, without a gap.
    pub async fn open(&self, new: &NewTicket) -> Outcome<u64> {
        let customer = Some(self.customer(&new.email).await?);
        try_transact(&self.db, async |tx| {
            let counter = tx.get(Counter::key(&self.tenant, "ticket")).await?;
            let number = counter.map_or(0, |counter| counter.last) + 1;
            tx.put(&Counter {
                tenant: self.tenant.clone(),
                name: "ticket".into(),
                last: number,
            })?;
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
            self.count(&tx, None, Status::New)?;
            Ok(number)
        })
        .await
    }

    /// Changes a ticket as the closure says, with its event and the counts.
    pub async fn edit(
        &self,
        tx: &UnitOfWork,
        ticket: u64,
        what: &str,
        decide: impl Fn(&mut Ticket),
    ) -> Outcome {
        let before = tx
            .get(self.key(ticket))
            .await?
            .ok_or(DeskError::Missing("ticket"))?;
        let mut after = before.clone();
        decide(&mut after);
        if before.merged_into.is_some()
            || (after.status == Status::Merged) != after.merged_into.is_some()
        {
            return Err(DeskError::Refused("a merged ticket does not change"));
        }
        if after.status != before.status {
            self.count(tx, Some(before.status), after.status)?;
        }
        if after != before {
            tx.put(&after)?;
            tx.create(&self.event(ticket, what))?;
        }
        Ok(())
    }

    pub async fn change(&self, ticket: u64, what: &str, decide: impl Fn(&mut Ticket)) -> Outcome {
        try_transact(&self.db, async |tx| {
            self.edit(&tx, ticket, what, &decide).await
        })
        .await
    }

    pub async fn comment(&self, ticket: u64, customer: Option<Uuid>, text: &str) -> Outcome<Uuid> {
        let comment = self.comment_of(ticket, customer, text);
        let live = self.key(ticket).update().apply(|t| t.comments().add(1));
        let both = Transaction::new()
            .with(live.when(|t| t.status().ne(Status::Merged)).named("ticket"))
            .with(comment.create());
        both.send(&self.db).await?;
        Ok(comment.id)
    }

    pub async fn assign(&self, ticket: u64, agent: &str) -> Outcome {
        try_transact(&self.db, async |tx| {
            let known = tx.get(Agent::key(&self.tenant, agent)).await?;
            if known.ok_or(DeskError::Missing("agent"))?.away {
                return Err(DeskError::Refused("the agent is away"));
            }
            let assign = |ticket: &mut Ticket| {
                ticket.status = Status::Open;
                ticket.assignee = Some(agent.into());
            };
            self.edit(&tx, ticket, "assigned", assign).await
        })
        .await
    }

    pub async fn tag(&self, ticket: u64, tag: &str) -> Outcome {
        let tag = Tag {
            tenant: self.tenant.clone(),
            ticket,
            tag: tag.into(),
        };
        let both = Transaction::new()
            .with(self.key(ticket).check().if_exists())
            .with(tag.put());
        both.send(&self.db).await?;
        Ok(())
    }

    pub async fn untag(&self, ticket: u64, tag: &str) -> Outcome {
        Tag::key(&self.tenant, ticket, tag)
            .delete()
            .send(&self.db)
            .await?;
        Ok(())
    }

    /// A ticket with all that belongs to it, in one request.
    pub async fn read(&self, ticket: u64) -> Outcome<Vec<TicketRecord>> {
        let records = TicketRecord::in_partition(&self.tenant, ticket).consistent();
        match records.all(&self.db).await? {
            none if none.is_empty() => Err(DeskError::Missing("ticket")),
            records => Ok(records),
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

    pub fn of_customer(&self, customer: Uuid) -> Query<Ticket> {
        Ticket::of_customer(&self.tenant, customer).into()
    }

    pub fn tallies(&self) -> Query<Tally> {
        Tally::in_partition(&self.tenant).consistent().into()
    }

    pub async fn tagged(&self, tag: &str) -> Outcome<Vec<Ticket>> {
        let tags = Tag::of_tag(&self.tenant, tag).all(&self.db).await?;
        let tickets = Ticket::get_many(tags.iter().map(|tag| self.key(tag.ticket)));
        Ok(tickets
            .send(&self.db)
            .await?
            .into_iter()
            .flatten()
            .collect())
    }
}
