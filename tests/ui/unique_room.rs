//! Unique values are kept in items of the same table, so no entity of the table may be able to have their keys.

mod number {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "users", key(pk = id), unique(by_email, email))]
    pub struct User {
        pub id: u32,
        pub email: String,
    }
}

mod bare {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "users", key(pk = id), unique(by_email, email))]
    pub struct User {
        pub id: String,
        pub email: String,
    }
}

/// The key of another entity can collide.
mod shared {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Note), verbatim)]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"), unique(by_email, email))]
    pub struct User {
        pub id: String,
        pub email: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "{id}", sk = "{number}"))]
    pub struct Note {
        pub id: String,
        pub number: String,
    }
}

fn main() {}
