//! A mistake in the declaration gives one message, although programs search the index.

mod attribute {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(similar, field = embedding, distance = cosine, within = organisation, filter = [kind]))]
    pub struct Document {
        pub id: u32,
        pub org: String,
        pub kind: u8,
        pub embedding: Vector<3>,
    }
}

mod option {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "images", key(pk = id))]
    #[dynamo(vector(alike, field = pixels, distance = dot_product, limit = 3, project = keys))]
    pub struct Image {
        pub id: u32,
        pub caption: String,
        pub pixels: Vector<3>,
    }
}

use attribute::Document;
use dynamo_entity::prelude::*;
use option::Image;

async fn run(db: &Dynamo, query: Vector<3>) -> Result<()> {
    let hits = Document::similar(&query, 10).within("acme").filter(|document| document.kind().eq(7)).send(db).await?;
    assert!(hits[0].item.kind == 7 && hits[0].score.is_nearer_than(hits[1].score));
    let hits = Document::similar(&query, 10).within("acme").include_expired().lenient().send(db).await?;
    assert!(hits[0].item.is_ok());
    let hits = Image::alike(&query, 3).send(db).await?;
    assert!(hits[0].item == Image::key(3) && hits[0].score.value() > 0.5);
    let hits = Image::alike(&query, 3).hydrate().send(db).await?;
    assert_eq!(hits[0].item.caption, "");
    Ok(())
}

fn main() {}
