//! Tokens for other services, kept until they expire. Each service has one item under a partition key alone.
//!
//!     cargo run --example access_tokens                                   # in this process
//!     DYNAMO_URL=http://localhost:8000 cargo run --example access_tokens  # or on any DynamoDB

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "access-token", key(pk = service))]
pub struct AccessToken {
    pub service: String,
    pub token: Secret,
    /// DynamoDB deletes the item some time after this, up to days later.
    #[dynamo(ttl)]
    pub expires_at: DateTime<Utc>,
}

/// Text that is stored and never printed.
#[derive(Clone, PartialEq, DynamoValue)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Returns the stored token, or a new one. If several callers find none, the first one stores its token and
/// the others use that.
pub async fn token_for(
    db: &Dynamo,
    service: &str,
    fetch: impl AsyncFnOnce() -> Result<AccessToken>,
) -> Result<AccessToken> {
    // An expired token is not returned, though DynamoDB may still hold it.
    if let Some(token) = AccessToken::key(service).get().send(db).await? {
        return Ok(token);
    }
    // `create` replaces an expired token. It may be sent twice: the second attempt then finds the token of
    // the first one.
    match fetch().await?.create().retry_safe().send(db).await {
        Err(error) if error.is_already_exists() => error.current()?.ok_or(error),
        stored => stored,
    }
}

/// What a run found.
#[derive(Debug)]
pub struct Facts {
    pub first: AccessToken,
    pub again: AccessToken,
    pub late: Option<AccessToken>,
    pub still_held: Option<AccessToken>,
    pub renewed: AccessToken,
    pub fetches: u32,
}

pub async fn run(db: &Dynamo) -> Result<Facts> {
    db.create_tables([AccessToken::schema()]).await?;
    let now = Utc::now();
    let later = now + TimeDelta::hours(2);
    // The same tables, seen two hours from now.
    let in_two_hours = db.clone().with_clock(move || later);
    let mut fetches = 0;
    let mut fetch = |at: DateTime<Utc>| {
        fetches += 1;
        Ok(AccessToken {
            service: "payments".into(),
            token: Secret(format!("token {fetches}")),
            expires_at: at + TimeDelta::hours(1),
        })
    };

    // A server may still hold the token of an earlier run.
    AccessToken::key("payments").delete().send(db).await?;

    let first = token_for(db, "payments", async || fetch(now)).await?;
    println!("fetched        until {}", first.expires_at);
    let again = token_for(db, "payments", async || fetch(now)).await?;
    println!("from the table until {}", again.expires_at);

    let get = || AccessToken::key("payments").get();
    let late = get().send(&in_two_hours).await?;
    let still_held = get().include_expired().send(&in_two_hours).await?;
    println!("two hours on   {late:?}");
    println!("still held     {still_held:?}");

    let renewed = token_for(&in_two_hours, "payments", async || fetch(later)).await?;
    println!("fetched again  until {}", renewed.expires_at);
    Ok(Facts {
        first,
        again,
        late,
        still_held,
        renewed,
        fetches,
    })
}

#[tokio::main]
async fn main() -> Result<()> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
