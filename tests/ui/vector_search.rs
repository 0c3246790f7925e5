//! A search has a vector of the declared length, a partition if the index has some, and filters of the index.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "documents", key(pk = id))]
#[dynamo(vector(similar, field = embedding, distance = cosine, within = org, filter = [kind]))]
#[dynamo(vector(near, field = embedding, distance = euclidean))]
struct Document {
    id: u32,
    org: String,
    kind: u8,
    text: String,
    embedding: Vector<3>,
}

async fn run(db: &Dynamo, query: Vector<3>, other: Vector<4>) -> Result<()> {
    Document::similar(&other, 10).within("acme").send(db).await?;
    Document::similar(&query, 10).send(db).await?;
    Document::near(&query, 10).within("acme").send(db).await?;
    Document::similar(&query, 10).within("acme").filter(|document| document.text().eq("a")).send(db).await?;
    Document::similar(&query, 10).within("acme").filter(|document| document.kind().eq("a")).send(db).await?;
    Document::similar(&query, 10).within("acme").filter(|document| document.kind().lt(3)).send(db).await?;
    Document::similar(&query, 10).within("acme").filter(|document| document.text().lt("a")).send(db).await?;
    Document::near(&query, 10).await?;
    Ok(())
}

fn main() {}
