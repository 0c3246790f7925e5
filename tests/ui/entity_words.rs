mod case {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(rename_all = "snake-case")]
    pub struct Order {
        pub id: String,
    }
}

mod name {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(rename = "")]
    pub struct Order {
        pub id: String,
    }
}

mod stream {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(stream = new_images)]
    pub struct Order {
        pub id: String,
    }
}

mod delimiter {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id), verbatim(delimiter = "::"))]
    pub struct Order {
        pub id: String,
    }
}

fn main() {}
