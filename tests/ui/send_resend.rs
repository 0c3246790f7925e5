use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = id))]
pub struct User {
    pub id: String,
}

/// A write without a condition and a read are sent again anyway, and a transaction returns no item.
fn resend(user: User) {
    let _ = user.put().retry_safe();
    let _ = User::key("u1").delete().retry_safe();
    let _ = User::key("u1").get().idempotent();
    let _ = User::key("u1").delete().returning_old().idempotent();
}

async fn awaited(user: User) -> Result<()> {
    user.create().idempotent().await?;
    user.create().retry_safe().await?;
    Ok(())
}

fn main() {}
