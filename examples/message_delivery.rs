//! One message to many recipients: nobody is left out and nobody gets it twice, wherever a worker dies.
//!
//!     cargo run --example message_delivery
//!     DYNAMO_URL=embedded:messages.db cargo run --example message_delivery   # kill it, run it again
//!
//! The list of recipients is cut into chunks, as an item holds 400 KB, and no chunk is written again: a
//! list from which everybody served is taken out would be rewritten once a recipient. Instead a worker
//!
//! 1. *takes* the next recipients off the list: an item for each of them, and the position behind them,
//!    in one transaction;
//! 2. *serves* one: what the message does to the recipient, and the deletion of that item, in one
//!    transaction.
//!
//! Whoever is on the list is therefore behind the position, or waiting, or served, and never two of these.
//! Every read is strong and of the table itself, since an index may not yet, or still, show an item.
//!
//! **What is exactly once is what DynamoDB records.** An effect outside, an e-mail say, is in no
//! transaction: it happens before it is recorded, so a worker that dies in between repeats it. It is given
//! a key, the same each time, by which the other side may know it again. To do it after the record
//! instead would leave somebody out: choose which of the two, there is no third.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use dynamo_entity::prelude::*;
use tokio::task::JoinSet;

#[derive(DynamoTable)]
#[dynamo(
    name = "message",
    pk = "pk",
    sk = "sk",
    entities(Message, Chunk, Waiting)
)]
pub struct Messages;

/// A message, stored when all of its chunks are.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Messages, key(pk = "MESSAGE#{id}", sk = "INFO"))]
pub struct Message {
    pub id: String,
    pub text: String,
    pub chunks: u32,
    /// Who is taken next. It moves together with the items of those it moves past.
    pub next: Position,
    /// Two workers that take the same recipients: one of them loses.
    #[dynamo(version)]
    pub version: Version,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, DynamoValue)]
pub struct Position {
    pub chunk: u32,
    pub recipient: usize,
}

/// A part of the list of recipients. It never changes.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Messages, key(pk = "MESSAGE#{message}", sk = "CHUNK#{number}"))]
pub struct Chunk {
    pub message: String,
    pub number: u32,
    pub recipients: Vec<String>,
}

/// Somebody who was taken off the list and is not served yet.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Messages, key(pk = "MESSAGE#{message}", sk = "TO#{recipient}"))]
pub struct Waiting {
    pub message: String,
    pub recipient: String,
}

/// What a message does to its recipient. A sum, so that serving twice would show.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "mailbox", key(pk = recipient))]
pub struct Mailbox {
    pub recipient: String,
    pub unread: u32,
}

/// Stores a message and its list. After a crash, call it again: a message that is there is left alone, and
/// so are its chunks.
pub async fn publish(
    db: &Dynamo,
    id: &str,
    text: &str,
    recipients: &BTreeSet<String>,
    chunk_bytes: usize,
) -> Result<()> {
    let chunks = cut(id, recipients, chunk_bytes);
    let message = Message {
        id: id.to_owned(),
        text: text.to_owned(),
        chunks: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
        next: Position::default(),
        version: Version::default(),
    };
    for chunk in &chunks {
        let unpublished = Message::key(id).check().if_missing();
        let stored = Transaction::new().with(chunk.put()).with(unpublished);
        if is_published(stored.send(db).await)? {
            return Ok(());
        }
    }
    is_published(message.create().repeatable().send(db).await).map(drop)
}

fn is_published<T>(stored: Result<T>) -> Result<bool> {
    match stored {
        Ok(_) => Ok(false),
        Err(error) if error.is_lost_race() => Ok(true),
        Err(error) => Err(error),
    }
}

/// Chunks of about so many bytes.
fn cut(message: &str, recipients: &BTreeSet<String>, chunk_bytes: usize) -> Vec<Chunk> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    for recipient in recipients {
        // The text, and what DynamoDB counts for an element of a list.
        let more = recipient.len() + 1;
        bytes += more;
        match lists.last_mut() {
            Some(list) if bytes <= chunk_bytes => list.push(recipient.clone()),
            _ => {
                bytes = more;
                lists.push(vec![recipient.clone()]);
            }
        }
    }
    let chunk = |(number, recipients)| Chunk {
        message: message.to_owned(),
        number,
        recipients,
    };
    (0..).zip(lists).map(chunk).collect()
}

/// How many are taken in one transaction, which holds 100 operations: they and the message.
const TAKEN: usize = 99;
/// How many are served at once by one worker.
const AT_ONCE: usize = 8;

/// An effect outside: the recipient, and a key that is the same however often it is tried.
pub type Outside = Arc<dyn Fn(&Waiting) + Send + Sync>;

/// A failure of a worker that any worker may take up.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Delivers a message to everybody who is left. Any number of workers may do so, at once or one after
/// another's death.
pub async fn deliver(db: &Dynamo, id: &str, outside: &Outside) -> Outcome<()> {
    loop {
        let message = Message::key(id).get().consistent().send(db).await?;
        let message = message.ok_or("there is no such message")?;
        // After the message was read: whoever was taken until then is seen here.
        serve_waiting(db, id, outside).await?;
        if message.next.chunk == message.chunks {
            return Ok(());
        }
        take(db, &message).await?;
    }
}

/// Takes the next recipients off the list.
async fn take(db: &Dynamo, message: &Message) -> Outcome<()> {
    let Position { chunk, recipient } = message.next;
    let list = Chunk::key(&message.id, chunk)
        .get()
        .consistent()
        .send(db)
        .await?;
    let list = list.ok_or("a chunk of the message is missing")?.recipients;
    let taken = list.iter().skip(recipient).take(TAKEN);
    let taken: Vec<Waiting> = taken.map(|name| message.waiting(name)).collect();
    let next = match recipient + taken.len() {
        next if next < list.len() => Position {
            chunk,
            recipient: next,
        },
        _ => Position {
            chunk: chunk + 1,
            recipient: 0,
        },
    };
    let take = Transaction::new()
        .with(message.update().apply(|m| m.next().set(next)))
        .with_all(taken.iter().map(Waiting::create));
    match take.send(db).await {
        // Another worker took them.
        Err(error) if error.is_conflict() => Ok(()),
        taken => Ok(taken.map(drop)?),
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

/// Serves everybody who was taken off the list, until nobody is left.
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
    // At least once: whoever dies before the next line is done does this again.
    outside(&waiting);
    // Exactly once: who is not waiting any more is served no more.
    let one_more = Mailbox::key(&waiting.recipient)
        .upsert()
        .apply(|m| m.unread().add(1));
    let serve = Transaction::new()
        .with(waiting.delete().if_exists())
        .with(one_more);
    match serve.send(&db).await {
        // Another worker served them.
        Err(error) if error.is_not_found() => Ok(()),
        served => served.map(drop),
    }
}

/// What a run found.
#[derive(Debug)]
pub struct Facts {
    pub chunks: u32,
    pub interrupted: usize,
    pub mailboxes: Vec<Mailbox>,
}

/// Two workers: one dies on the way, and another goes on.
pub async fn run(db: &Dynamo, recipients: usize) -> Outcome<Facts> {
    db.create_tables([Messages::schema(), Mailbox::schema()])
        .await?;
    let names: BTreeSet<String> = (0..recipients).map(|n| format!("user-{n:06}")).collect();
    // A real list has chunks of 350 KB; here they are small, so that there are some.
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
    let chunks = message.map_or(0, |message| message.chunks);
    Ok(Facts {
        chunks,
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
