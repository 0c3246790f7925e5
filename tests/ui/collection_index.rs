use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "desk", pk = "pk", sk = "sk", entities(Ticket, Call, Note, Log, Word, Plain))]
#[dynamo(gsi(gsi1, pk = "g1pk", sk = "g1sk"), gsi(gsi2, pk = "g2pk", sk = "g2sk", project = keys))]
#[dynamo(lsi(lsi1, sk = "l1sk"))]
pub struct Desk;

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "TICKET#{id}", sk = "INFO"), lsi(in_order, on = lsi1, sk = "{day}"))]
#[dynamo(gsi(by_customer, on = gsi1, pk = "CUSTOMER#{customer}", sk = "{day}#TICKET"))]
#[dynamo(gsi(on_day, on = gsi2, pk = "DAY#{day}", sk = "TICKET#{id}"))]
pub struct Ticket {
    pub id: String,
    pub customer: String,
    pub day: u16,
}

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "CALL#{id}", sk = "INFO"), lsi(in_order, on = lsi1, sk = "{day}"))]
#[dynamo(gsi(by_caller, on = gsi1, pk = "CALLER#{caller}", sk = "{day}#CALL"))]
#[dynamo(gsi(on_day, on = gsi2, pk = "DAY#{day}", sk = "CALL#{id}"))]
pub struct Call {
    pub id: String,
    pub caller: String,
    pub day: u16,
}

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "NOTE#{id}", sk = "INFO"))]
#[dynamo(gsi(by_place, on = gsi1, pk = "PLACE#{place}#{day}", sk = "NOTE", shards = 3, read_shards = 5))]
pub struct Note {
    pub id: String,
    pub place: String,
    pub day: u16,
}

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "LOG#{id}", sk = "INFO"))]
#[dynamo(gsi(by_place, on = gsi1, pk = "PLACE#{place}#{day}", sk = "LOG", shards = 3))]
pub struct Log {
    pub id: String,
    pub place: String,
    pub day: u16,
}

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "WORD#{id}", sk = "INFO"))]
#[dynamo(gsi(by_place, on = gsi1, pk = "PLACE#{place}#{day}", sk = "WORD", shards = 4, read_shards = 5))]
pub struct Word {
    pub id: String,
    pub place: String,
    pub day: u16,
}

#[derive(DynamoEntity)]
#[dynamo(table = Desk, key(pk = "PLAIN#{id}", sk = "INFO"))]
pub struct Plain {
    pub id: String,
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(customer))]
pub enum NotInTheIndex {
    Ticket(Ticket),
    Plain(Plain),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(customer))]
pub enum OtherPartition {
    Ticket(Ticket),
    Call(Call),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(place, day))]
pub enum OtherShards {
    Note(Note),
    Word(Word),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(place, day))]
pub enum OtherReads {
    Note(Note),
    Log(Log),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = lsi1, partition(id))]
pub enum OtherPartitionOfTheTable {
    Ticket(Ticket),
    Call(Call),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi2, partition(day))]
pub enum NotAll {
    Ticket(Ticket),
    Call(Call),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(id))]
pub enum PartOfTheTable {
    Ticket(Ticket),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(place))]
pub enum TooFew {
    Note(Note),
}

#[derive(DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(customer, day))]
pub enum TooMany {
    Ticket(Ticket),
}

fn main() {}
