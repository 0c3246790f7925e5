use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order, Product))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
pub struct User {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:04}"))]
pub struct Order {
    pub user: String,
    pub number: u16,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "PRODUCT#{id}", sk = "INFO"))]
pub struct Product {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = "USER#{id}", sk = "NOTE"))]
pub struct Note {
    pub id: String,
}

pub type Customer = User;

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum OtherTable {
    User(User),
    Note(Note),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum Alias {
    User(User),
    Customer(Customer),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum OtherPartition {
    User(User),
    Product(Product),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(user))]
pub enum OtherName {
    User(User),
    Order(Order),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition())]
pub enum TooFew {
    User(User),
    Order(Order),
}

fn main() {}
