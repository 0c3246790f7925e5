use dynamo_entity::prelude::*;

#[derive(DynamoValue, Clone)]
pub enum Status {
    Open,
}

#[derive(DynamoValue, Clone, Copy, PartialEq)]
pub enum State {
    New,
    Open,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_status, pk = "S#{status}", when(number = "seven")))]
pub struct Order {
    pub id: String,
    pub status: Status,
    pub number: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_status, pk = "S#{status}", when(status = Status::Open)))]
pub struct Other {
    pub id: String,
    pub status: Status,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(mixed, pk = "A", when(state = [State::New, 7])))]
#[dynamo(gsi(unknown, pk = "B", when(state = [State::New, State::Opened])))]
#[dynamo(gsi(never, pk = "C", when(state = None)))]
#[dynamo(gsi(unquoted, pk = "D", when(number = Some("seven"))))]
pub struct Values {
    pub id: String,
    pub state: State,
    pub number: Option<u32>,
}

fn of_number(number: &u32) -> bool {
    *number > 7
}

fn no_answer(number: Option<u32>) -> Option<u32> {
    number
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(another_type, pk = "A", when(of_number(number))))]
#[dynamo(gsi(no_condition, pk = "B", when(no_answer(number))))]
#[dynamo(gsi(too_many, pk = "C", when(of_number(size, number))))]
#[dynamo(gsi(misspelt, pk = "D", when(of_numbre(size))))]
pub struct Functions {
    pub id: String,
    pub size: u32,
    pub number: Option<u32>,
}

fn main() {}
