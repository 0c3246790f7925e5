use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "desk", pk = "pk", sk = "sk", entities(Ticket))]
#[dynamo(gsi(gsi1, pk = "g1pk", sk = "g1sk"), lsi(lsi1, sk = "l1sk"))]
pub struct Desk;

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "TICKET#{id}", sk = "INFO"), lsi(in_order, on = lsi1, sk = "{day}"))]
#[dynamo(gsi(on_day, on = gsi1, pk = "DAY#{day}", sk = "TICKET#{id}"))]
pub struct Ticket {
    pub id: String,
    pub day: u16,
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(day))]
pub enum Agenda {
    Ticket(Ticket),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = lsi1, partition(id))]
pub enum Daybook {
    Ticket(Ticket),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi2, partition(day))]
pub enum Unknown {
    Ticket(Ticket),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1)]
pub enum NoPartition {
    Ticket(Ticket),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = "gsi1", partition(day))]
pub enum Text {
    Ticket(Ticket),
}

async fn ask(db: &Dynamo) {
    let _ = Daybook::in_partition("x").consistent().all(db).await;
    let _ = Agenda::in_partition(1).consistent().all(db).await;
    let _ = Agenda::in_partition("monday").all(db).await;
}

fn main() {}
