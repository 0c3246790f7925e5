//! Users of an app: all records of a user are in one partition, and an account moves to a new device by a
//! code that works once.
//!
//!     cargo run --example app_users

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use uuid::Uuid;

/// The partition key is the user, and the sort key is the kind of record. An index holds the users who have a
/// code.
#[derive(DynamoTable)]
#[dynamo(name = "app-user", pk = "user_id", sk = "record")]
#[dynamo(entities(UserInfo, Rewards, HandOver))]
#[dynamo(gsi(by_code, pk = "hand_over_code", project = keys))]
pub struct AppUsers;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = AppUsers, key(pk = user_id, sk = "USER_INFO"))]
#[dynamo(gsi(by_code, pk = hand_over_code), unique(by_email, email))]
pub struct UserInfo {
    pub user_id: Uuid,
    /// No two users have the same address. An item of its own keeps it, which is written together with the user.
    pub email: String,
    pub device: String,
    /// A user without a code is not in the index.
    pub hand_over_code: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = AppUsers, key(pk = user_id, sk = "REWARDS"))]
pub struct Rewards {
    pub user_id: Uuid,
    pub points: u32,
}

/// Records that an account has moved. It is written in the same transaction as the move.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = AppUsers, key(pk = user_id, sk = "HAND_OVER#{at}"))]
pub struct HandOver {
    pub user_id: Uuid,
    pub at: DateTime<Utc>,
    pub device: String,
}

/// Any record of a user.
#[derive(Debug, PartialEq, DynamoCollection)]
#[dynamo(table = AppUsers, partition(user_id))]
pub enum Record {
    Info(UserInfo),
    Rewards(Rewards),
    HandOver(HandOver),
}

/// The device that has the account issues a code for the device that takes it over.
pub async fn issue_code(db: &Dynamo, user_id: Uuid) -> Result<String> {
    let code = format!("{:010}", fastrand::u64(..10_000_000_000));
    let key = UserInfo::key(user_id);
    let issue = key.update().apply(|u| u.hand_over_code().set(&*code));
    issue.send(db).await?;
    Ok(code)
}

/// Moves the account to which the code belongs. Returns `None` if the code is unknown or has been used.
pub async fn hand_over(db: &Dynamo, code: &str, device: &str) -> Result<Option<Uuid>> {
    // The index tells who may have the code. It can lag, and it is an error if two users have the same code.
    let Some(key) = UserInfo::by_code(code).one(db).await? else {
        return Ok(None);
    };
    let user_id = key.user_id;
    // The item decides who has the code. The same transaction uses it up, so only one device wins.
    let take = key
        .update()
        .apply(|u| (u.hand_over_code().remove(), u.device().set(device)))
        .when(|u| u.hand_over_code().eq(code));
    let record = HandOver {
        user_id,
        at: Utc::now(),
        device: device.to_owned(),
    };
    let both = Transaction::new().with(take).with(record.create());
    match both.send(db).await {
        Err(error) if error.is_lost_race() => Ok(None),
        moved => moved.map(|_| Some(user_id)),
    }
}

/// Creates a user with one of each record, and fails if the address already belongs to a user.
pub async fn sign_up(db: &Dynamo, email: &str) -> Result<Uuid> {
    let user_id = Uuid::new_v4();
    let info = UserInfo {
        user_id,
        email: email.to_owned(),
        device: "old phone".into(),
        hand_over_code: None,
    };
    let rewards = Rewards {
        user_id,
        points: 120,
    };
    let both = Transaction::new()
        .with(info.create())
        .with(rewards.create());
    both.send(db).await.map(|_| user_id)
}

/// What a run found.
#[derive(Debug)]
pub struct Facts {
    pub user_id: Uuid,
    pub winners: [Option<Uuid>; 2],
    pub again: Option<Uuid>,
    pub coded: u64,
    pub taken: bool,
    pub records: Vec<Record>,
}

pub async fn run(db: &Dynamo, email: &str) -> Result<Facts> {
    db.create_tables([AppUsers::schema()]).await?;
    let user_id = sign_up(db, email).await?;
    let again = sign_up(db, email).await;
    let taken = again.is_err_and(|error| error.is_unique_violation());

    let code = issue_code(db, user_id).await?;
    let (tablet, phone) = tokio::try_join!(
        hand_over(db, &code, "tablet"),
        hand_over(db, &code, "new phone"),
    )?;
    println!("tablet     {}", said(tablet));
    println!("new phone  {}", said(phone));
    let again = hand_over(db, &code, "someone else's phone").await?;
    println!("later      {}", said(again));

    // The item has no code any more, so the index does not hold it either.
    let coded = UserInfo::by_code(&code).count(db).await?;
    let records = Record::in_partition(user_id).consistent().all(db).await?;
    for record in &records {
        println!("{record:?}");
    }
    Ok(Facts {
        user_id,
        winners: [tablet, phone],
        again,
        coded,
        taken,
        records,
    })
}

fn said(moved: Option<Uuid>) -> &'static str {
    match moved {
        Some(_) => "has the account now",
        None => "is told that the code does not work",
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    // A server may still hold the user of an earlier run.
    let email = format!("{}@example.org", Uuid::new_v4());
    run(&db.with_prefix("example"), &email).await?;
    Ok(())
}
