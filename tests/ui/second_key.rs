use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Near, Same, Again, User, Person))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "NEAR#{id}", sk = "INFO"), next_key(Same))]
pub struct Near {
    pub id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "NEAR#{id}", sk = "OTHER"))]
pub struct Same {
    pub id: u32,
}

impl From<&Near> for Same {
    fn from(near: &Near) -> Self {
        Same { id: near.id }
    }
}

impl From<&Same> for Near {
    fn from(same: &Same) -> Self {
        Near { id: same.id }
    }
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "AGAIN#{id}", sk = "INFO"), next_key(Same))]
pub struct Again {
    pub id: u32,
}

impl From<&Again> for Same {
    fn from(again: &Again) -> Self {
        Same { id: again.id }
    }
}

impl From<&Same> for Again {
    fn from(same: &Same) -> Self {
        Again { id: same.id }
    }
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"), unique(by_email, email), was_key(Person, drop))]
pub struct User {
    pub id: u32,
    pub email: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "PERSON#{id}", sk = "INFO"))]
pub struct Person {
    pub id: u32,
    pub email: String,
}

impl From<&User> for Person {
    fn from(user: &User) -> Self {
        Person { id: user.id, email: user.email.clone() }
    }
}

impl From<&Person> for User {
    fn from(person: &Person) -> Self {
        User { id: person.id, email: person.email.clone() }
    }
}

fn main() {}
