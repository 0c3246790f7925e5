use dynamo_entity::prelude::*;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "orders", key(pk = "USER#{user}", sk = "{year:04}#{text}"))]
#[dynamo(gsi(by_text, pk = "T#{text}", sk = "{year:05}"))]
pub struct Order {
    pub user: String,
    pub year: u16,
    pub text: String,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "others", verbatim(delimiter = ":"), key(pk = id, sk = "{name}:{number}"))]
pub struct Foreign {
    pub id: String,
    pub name: String,
    pub number: u32,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
pub struct Note {
    pub id: String,
}

async fn ask(db: &Dynamo) {
    let q = Order::in_partition("ann");
    let _ = Order::in_partition(5);
    let _ = q.clone().year().eq("2024");
    let _ = q.clone().year().starts_with("20");
    let _ = q.clone().year().between(2020..);
    let _ = q.clone().year().between("a".."b");
    let _ = q.clone().filter(|o| o.text());
    let _ = q.clone().descending().consistent();
    let _ = Order::by_text("x").limit(5).consistent();
    let _ = Order::scan().descending();
    let _ = Foreign::in_partition("x").name().lt("n");
    let _ = Foreign::in_partition("x").name().eq("n").number().gt(5);
    let _ = Foreign::in_partition("x").name().eq("n").number().eq(5);
    let _ = Foreign::in_partition("x").name().starts_with("n");
    let _ = Foreign::in_partition("x").name().eq("n").number().starts_with("5");
    let _ = Note::in_partition("x").all(db).await;
    q.page(db);
}

fn main() {}
