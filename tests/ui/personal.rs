use dynamo_entity::prelude::*;

#[derive(Debug, DynamoValue)]
pub struct Address {
    #[dynamo(personal = true)]
    street: String,
    #[dynamo(personal, personal)]
    city: String,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "users", key(pk = "USER#{email}#{day}", sk = "PROFILE"))]
pub struct User {
    #[dynamo(personal)]
    email: String,
    #[dynamo(skip)]
    day: u32,
    #[dynamo(skip, personal)]
    seen: u32,
    #[dynamo(version, personal)]
    version: Version,
    #[dynamo(created_at, personal)]
    created_at: Option<std::time::SystemTime>,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
pub struct Note {
    id: u32,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "letters", key(pk = id), personal)]
pub struct Letter {
    id: u32,
}

async fn copy(db: &Dynamo, other: &Dynamo) -> Result<()> {
    Note::scan().select::<NoteId>().copy_to(other).send(db).await?;
    Ok(())
}

#[derive(Debug, DynamoProjection)]
#[dynamo(entity = Note)]
pub struct NoteId {
    id: u32,
}

fn main() {}
