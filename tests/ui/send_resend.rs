use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = id))]
pub struct User {
    pub id: String,
}

/// A write without a condition and a read are sent again anyway, and a transaction returns no item.
fn resend(user: User) {
    let _ = user.put().repeatable();
    let _ = User::key("u1").delete().repeatable();
    let _ = User::key("u1").get().idempotent();
    let _ = User::key("u1").delete().returning_old().idempotent();
}

async fn awaited(user: User) -> Result<()> {
    user.create().idempotent().await?;
    user.create().repeatable().await?;
    Ok(())
}

fn main() {}
