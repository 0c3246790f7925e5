use dynamo_entity::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Named {
    Low,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub struct Wrapped(Named);

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
#[dynamo(order)]
pub enum Ordered {
    Low = 10,
    High = 20,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "{named}"))]
#[dynamo(gsi(bare, pk = id, sk = named))]
#[dynamo(gsi(ordered, pk = id, sk = ordered))]
pub struct Order {
    pub id: String,
    pub named: Named,
    pub wrapped: Wrapped,
    pub ordered: Ordered,
}

fn main() {
    let _ = Order::in_partition("a").named().ge(Named::Low);
    let _ = Order::bare("a").named().lt(Named::Low);
    let _ = Order::in_partition("a").filter(|o| o.named().lt(Named::High));
    let _ = Order::in_partition("a").filter(|o| o.wrapped().gt(Wrapped(Named::Low)));
    // These compile.
    let _ = Order::in_partition("a").named().eq(Named::Low);
    let _ = Order::ordered("a").ordered().between(Ordered::Low..Ordered::High);
    let _ = Order::bare("a").filter(|o| o.ordered().lt(Ordered::High) & o.named().ne(Named::Low));
}
