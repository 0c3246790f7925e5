use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
pub struct User {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "ORDER#{number:04}"))]
pub struct Order {
    pub id: String,
    pub number: u16,
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub struct NoEnum {
    pub user: User,
}

#[derive(DynamoCollection)]
#[dynamo(partition(id))]
pub enum NoTable {
    User(User),
}

#[derive(DynamoCollection)]
#[dynamo(table = "shop", partition(id))]
pub enum OwnTable {
    User(User),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum NoNewtype {
    User(User),
    Order { order: Order },
    Both(User, Order),
    None,
    #[dynamo(other)]
    Other,
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id))]
pub enum Twice {
    User(User),
    Again(User),
    #[dynamo(other)]
    Other(Item),
    #[dynamo(other)]
    Rest(Item),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(id, id))]
pub enum Empty {
    #[dynamo(other)]
    Other(Item),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition = id)]
pub enum Parameter {
    User(User),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition("id"), entities(User))]
pub enum Text {
    #[dynamo(rename = "u")]
    User(User),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partitions(id))]
pub enum Misspelt {
    User(User),
}

async fn ask(db: &Dynamo) {
    let _ = Parameter::in_partition("a").all(db).await;
    let _ = Text::in_partition("a").all(db).await;
    let _ = Misspelt::in_partition("a").all(db).await;
    let _ = Twice::in_partition("a", "b").all(db).await;
    let _ = NoTable::in_partition("a").all(db).await;
    let _ = NoEnum::in_partition("a").all(db).await;
    let _ = Empty::scan();
}

fn main() {}
