use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
pub struct Shop;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
pub struct User {
    pub id: u32,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "ORDER#{number:04}"))]
pub struct Order {
    pub id: u32,
    pub number: u16,
}

pub struct Plain;

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id, number))]
pub enum TooMany {
    User(User),
    Order(Order),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum NoEntity {
    User(User),
    Plain(Plain),
}

#[derive(DynamoCollection)]
#[dynamo(table = Plain)]
pub enum NoTable {
    User(User),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum NoItem {
    User(User),
    #[dynamo(other)]
    Other(String),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum Account {
    User(User),
    Order(Order),
}

async fn ask(db: &Dynamo) {
    let _ = Account::in_partition("ann").all(db).await;
    let _ = Account::in_partition(1).filter(|user| user.id().eq(2)).all(db).await;
    let _ = Account::scan();
}

fn main() {}
