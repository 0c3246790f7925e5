mod key {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id), gsi(by_note, pk = note))]
    pub struct Order {
        pub id: String,
        #[dynamo(null)]
        pub note: Option<String>,
    }
}

mod default {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(null, default)]
        pub note: Option<String>,
    }
}

mod managed {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(ttl, null)]
        pub expires_at: Option<u64>,
    }
}

mod two_forms {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(compress, null)]
        pub note: Option<String>,
    }
}

mod no_option {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(null)]
        pub note: String,
    }
}

fn main() {}
