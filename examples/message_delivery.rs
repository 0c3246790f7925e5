//! One message to many recipients: each gets it exactly once, wherever a worker dies.
//!
//!     cargo run --example message_delivery
//!     DYNAMO_URL=embedded:messages.db cargo run --example message_delivery   # kill it, run it again
//!
//! The list of recipients is stored beside the message, in parts, because an item has at most 400 KB. It is not written again: if
//! served recipients were removed from the list, it would be rewritten for every recipient. Instead a worker
//!
//! 1. *takes* the next recipients off the list: an item for each of them, and the position after them, in one
//!    transaction;
//! 2. *serves* one: what the message does to the recipient, and the deletion of that item, in one
//!    transaction.
//!
//! Therefore every recipient on the list is after the position, or waiting, or served, and never two of these. Every
//! read is consistent and uses the table, because an index may miss an item or still show a deleted one.
//!
//! **Exactly once applies to the data in DynamoDB.** An external effect, such as an e-mail, is not part of a
//! transaction. It happens before it is recorded, so a worker that dies in between repeats it. Its key is the same
//! each time, so that the receiver can recognize a repetition. If it happened after the record instead, a recipient
//! could be omitted. There is no third way.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use dynamo_entity::large::PagePosition;
use dynamo_entity::prelude::*;
use tokio::task::JoinSet;

#[derive(DynamoTable)]
#[dynamo(name = "message", pk = "pk", sk = "sk", entities(Message, Waiting))]
pub struct Messages;

/// A message, with the list of its recipients.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Messages, key(pk = "MESSAGE#{id}", sk = "INFO"), chunked(recipients: String))]
pub struct Message {
    pub id: String,
    pub text: String,
    /// Whether the list is complete.
    pub is_published: bool,
    /// The next recipient to take. It moves in the same transaction that writes the waiting items of those
    /// before it.
    pub next: Position,
    /// Of two workers that take the same recipients, one loses by this version.
    #[dynamo(version)]
    pub version: Version,
}

/// A page of the list, and a recipient on it. The position of the page belongs to this list: a list that was compacted has other pages.
#[derive(Debug, Clone, Default, PartialEq, DynamoValue)]
pub struct Position {
    pub page: PagePosition,
    pub recipient: usize,
}

/// A recipient who was taken off the list and is not served yet.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Messages, key(pk = "MESSAGE#{message}", sk = "TO#{recipient}"))]
pub struct Waiting {
    pub message: String,
    pub recipient: String,
}

/// What a message does to its recipient. It is a sum, so that serving somebody twice would show.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "mailbox", key(pk = recipient))]
pub struct Mailbox {
    pub recipient: String,
    pub unread: u32,
}

/// Stores a message and its list. After a crash, call it again: a published message is left alone.
pub async fn publish(
    db: &Dynamo,
    id: &str,
    text: &str,
    recipients: &BTreeSet<String>,
    page_bytes: usize,
) -> Result<()> {
    let message = Message {
        id: id.to_owned(),
        text: text.to_owned(),
        is_published: false,
        next: Position::default(),
        version: Version::default(),
    };
    let stored = Message::key(id).get().consistent().send(db).await?;
    if stored.as_ref().is_some_and(|stored| stored.is_published) {
        return Ok(());
    }
    if stored.is_none() {
        let created = message.create().retry_safe().send(db).await;
        created.map(drop).or_else(exists_already)?;
    }
    let list = Message::recipients(id).part_bytes(page_bytes);
    let list = list
        .replace(recipients)
        .when(|m| m.is_published().eq(false));
    if is_published(list.send(db).await)? {
        return Ok(());
    }
    let publish = Message::key(id).update().unchecked();
    let publish = publish.apply(|m| m.is_published().set(true));
    is_published(publish.when(|m| m.is_published().eq(false)).send(db).await).map(drop)
}

/// Another program has created the message in the meantime.
fn exists_already(error: Error) -> Result<()> {
    match error.is_already_exists() {
        true => Ok(()),
        false => Err(error),
    }
}

fn is_published<T>(stored: Result<T>) -> Result<bool> {
    match stored {
        Ok(_) => Ok(false),
        Err(error) if error.is_conflict() => Ok(true),
        Err(error) => Err(error),
    }
}

/// The number of recipients of one transaction. It has at most 100 operations, and one of them is for the message.
const TAKEN: usize = 99;
/// How many recipients a worker serves at the same time.
const AT_ONCE: usize = 8;

/// An effect outside of DynamoDB. The waiting item names the recipient and is the same however often it is
/// tried.
pub type Outside = Arc<dyn Fn(&Waiting) + Send + Sync>;

/// The result of a worker. After a failure, any worker can continue.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Delivers a message to all remaining recipients. Any number of workers may do this at the same time, or after
/// another has died.
pub async fn deliver(db: &Dynamo, id: &str, outside: &Outside) -> Outcome<()> {
    loop {
        let message = Message::key(id).get().consistent().send(db).await?;
        let message = message.filter(|message| message.is_published);
        let message = message.ok_or("there is no such message")?;
        // This comes after the message was read, so it sees everybody who was taken until then.
        serve_waiting(db, id, outside).await?;
        if !take(db, &message).await? {
            return Ok(());
        }
    }
}

/// Takes the next recipients off the list; false if none remains.
async fn take(db: &Dynamo, message: &Message) -> Outcome<bool> {
    let Position { page, recipient } = &message.next;
    let Some(list) = Message::recipients(&message.id).page(page, db).await? else {
        return Ok(false);
    };
    let taken = list.elements.iter().skip(*recipient).take(TAKEN);
    let taken: Vec<Waiting> = taken.map(|name| message.waiting(name)).collect();
    let next = match recipient + taken.len() {
        next if next < list.elements.len() => Position {
            page: list.position,
            recipient: next,
        },
        _ => Position {
            page: list.next,
            recipient: 0,
        },
    };
    let take = Transaction::new()
        .with(message.update().apply(|m| m.next().set(next)))
        .with_all(taken.iter().map(Waiting::create));
    match take.send(db).await {
        // Another worker took them.
        Err(error) if error.is_conflict() => Ok(true),
        taken => Ok(taken.map(|_| true)?),
    }
}

impl Message {
    fn waiting(&self, recipient: &str) -> Waiting {
        Waiting {
            message: self.id.clone(),
            recipient: recipient.to_owned(),
        }
    }
}

/// Serves all recipients that were taken off the list, until none remains.
async fn serve_waiting(db: &Dynamo, id: &str, outside: &Outside) -> Outcome<()> {
    loop {
        let waiting = Waiting::in_partition(id).consistent().limit(AT_ONCE);
        let waiting = waiting.all(db).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        let mut served = JoinSet::new();
        for one in waiting {
            served.spawn(serve(db.clone(), one, outside.clone()));
        }
        while let Some(outcome) = served.join_next().await {
            outcome??;
        }
    }
}

async fn serve(db: Dynamo, waiting: Waiting, outside: Outside) -> Result<()> {
    // This happens at least once: if the worker dies before the transaction below, another one repeats it.
    outside(&waiting);
    // This happens exactly once, because the recipient is no longer waiting afterwards.
    let one_more = Mailbox::key(&waiting.recipient)
        .upsert()
        .apply(|m| m.unread().add(1));
    let serve = Transaction::new()
        .with(waiting.delete().if_exists())
        .with(one_more);
    match serve.send(&db).await {
        // Another worker has served this recipient.
        Err(error) if error.is_not_found() => Ok(()),
        served => served.map(drop),
    }
}

/// What a run found.
#[derive(Debug)]
pub struct Facts {
    pub pages: usize,
    pub interrupted: u64,
    pub mailboxes: Vec<Mailbox>,
}

/// One worker dies on the way, and another one continues.
pub async fn run(db: &Dynamo, recipients: usize) -> Outcome<Facts> {
    db.create_tables([Messages::schema(), Mailbox::schema()])
        .await?;
    let names: BTreeSet<String> = (0..recipients).map(|n| format!("user-{n:06}")).collect();
    // A real list has pages of 350 KB. These are small, so that there are several.
    publish(db, "hello", "Hello, everybody", &names, 1000).await?;
    let outside: Outside = Arc::new(|_| ());

    let first = deliver(db, "hello", &outside);
    let ended = tokio::time::timeout(Duration::from_millis(100), first).await;
    let interrupted = Mailbox::scan().count(db).await?;
    println!(
        "the first worker {} after {interrupted} recipients",
        if ended.is_ok() { "ended" } else { "died" }
    );

    tokio::try_join!(
        deliver(db, "hello", &outside),
        deliver(db, "hello", &outside)
    )?;
    let mailboxes = Mailbox::scan().consistent().all(db).await?;
    let once = mailboxes
        .iter()
        .filter(|mailbox| mailbox.unread == 1)
        .count();
    println!("two others went on: {once} of {recipients} got it once");
    let message = Message::key("hello").get().send(db).await?;
    let pages = message.map_or(0, |message| message.next.page.number());
    Ok(Facts {
        pages,
        interrupted,
        mailboxes,
    })
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example"), 1000).await?;
    Ok(())
}
