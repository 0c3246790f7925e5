use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_rank, pk = "R", sk = "{rank}"))]
pub struct Order {
    pub id: String,
    pub rank: u32,
    pub total: u32,
    pub price: u64,
    pub counts: Vec<u32>,
    pub tags: Vec<String>,
    pub nick: Option<String>,
}

fn main() {
    // Of another type.
    let _ = Order::key("a").update().apply(|o| o.total().add(o.price()));
    let _ = Order::key("a").update().apply(|o| o.nick().set_if_absent(o.total()));
    let _ = Order::key("a").update().apply(|o| o.counts().extend(o.tags()));
    let _ = Order::key("a").update().apply(|o| o.counts().prepend(["a"]));
    let _ = Order::key("a").update().apply(|o| o.counts().prepend(5));
    let _ = Order::key("a").update().apply(|o| o.total().set_sum(o.price(), 1));
    let _ = Order::key("a").update().apply(|o| o.tags().set_sum(o.tags(), o.tags()));
    // Keys of an index are made of it.
    let _ = Order::key("a").update().apply(|o| o.rank().add(o.total()));
    let _ = Order::key("a").update().apply(|o| o.rank().set_if_absent(o.total()));
    // These compile.
    let _ = Order::key("a").update().apply(|o| (o.total().add(o.rank()), o.counts().prepend(&o.counts()), o.price().set_difference(o.price(), 2)));
}
