//! No entity can use the attributes that the library keeps for itself.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = "NOTE#{id}"))]
#[dynamo(gsi(by_text, rename = "_fill.text", pk = "TEXT#{text}"))]
pub struct Note {
    pub id: String,
    #[dynamo(rename = "$unique")]
    pub text: String,
    #[dynamo(rename = "_job.prices")]
    pub mark: Option<String>,
    pub _shape: u32,
    #[dynamo(skip)]
    pub _job: u32,
    pub _type: String,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "$unique", sk = "_job.sk", type_attribute = "_shape", entities())]
#[dynamo(gsi(gsi1, pk = "_fill.pk"))]
pub struct Shop;

fn main() {}
