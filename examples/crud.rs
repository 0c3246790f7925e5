//! Creates, reads, replaces and deletes one item, and loses a race for it.
//!
//!     cargo run --example crud                                   # in this process
//!     DYNAMO_URL=http://localhost:8000 cargo run --example crud  # or on any DynamoDB

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "notes", key(pk = "USER#{owner}", sk = "NOTE#{number:06}"))]
pub struct Note {
    owner: String,
    number: u32,
    text: String,
    label: Option<String>,
    #[dynamo(version)]
    version: Version,
    #[dynamo(updated_at)]
    updated_at: Option<DateTime<Utc>>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let db = Dynamo::from_env_or("embedded:memory")
        .await?
        .with_prefix("example");
    db.create_tables([Note::schema()]).await?;
    // A server may still hold the note of an earlier run.
    Note::key("ann", 1).delete().send(&db).await?;

    let note = Note {
        owner: "ann".into(),
        number: 1,
        text: "buy milk".into(),
        label: None,
        version: Version::default(),
        updated_at: None,
    };
    let mine = note.create().send(&db).await?;
    println!("created    {:?}, {:?}", mine.text, mine.version);

    let again = note.create().send(&db).await;
    println!("again      {}", again.unwrap_err());

    let found = Note::key("ann", 1).get().consistent().send(&db).await?;
    println!("read       {:?}", found.map(|note| note.text));

    let theirs = Note {
        text: "buy oat milk".into(),
        ..mine.clone()
    };
    let theirs = theirs.put().send(&db).await?;
    println!("replaced   {:?}, {:?}", theirs.text, theirs.version);

    let late = Note {
        label: Some("shopping".into()),
        ..mine
    };
    match late.put().send(&db).await {
        Err(error) if error.is_conflict() => {
            println!("conflict   {error}");
            let current = error.current::<Note>()?;
            println!(
                "           it holds {:?} now",
                current.map(|note| note.text)
            );
        }
        other => println!("surprise   {other:?}"),
    }

    let gone = theirs.delete().returning_old().send(&db).await?;
    println!("deleted    {:?}", gone.map(|note| note.text));

    let missing = Note::key("ann", 1).delete().if_exists().send(&db).await;
    println!("once more  {}", missing.unwrap_err());
    Ok(())
}
