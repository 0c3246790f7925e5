mod of_no_text {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "C#{number:lower}", sk = "{paid:upper}"))]
    #[dynamo(gsi(by_at, pk = "A#{at:lower}"))]
    pub struct Order {
        pub number: u32,
        pub paid: bool,
        pub at: Option<i64>,
    }
}

mod with_others {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "C#{customer:lower:08}", sk = "{name:first:lower}"))]
    pub struct Order {
        pub customer: String,
        pub name: String,
    }
}

mod misspelt {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "C#{customer:lowercase}", sk = "{name:Upper}"))]
    pub struct Order {
        pub customer: String,
        pub name: String,
    }
}

mod not_stored {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "C#{customer:lower}", sk = "{name}"))]
    pub struct Order {
        #[dynamo(skip)]
        pub customer: String,
        #[dynamo(skip)]
        pub name: String,
    }
}

mod two_cases {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "C#{customer:lower}", sk = "{customer:upper}"))]
    pub struct Order {
        pub customer: String,
    }
}

mod of_times {
    use chrono::{DateTime, Utc};
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "C#{customer}", sk = "{at:lower}#{id}"))]
    #[dynamo(gsi(by_day, pk = "D#{at:date:lower}", sk = "{at:ms:upper}"))]
    #[dynamo(gsi(by_time, pk = "D#{customer}", sk = "{at:lower:s:last}"))]
    #[dynamo(gsi(by_millis, pk = "{at:ms:lowr}", sk = "{at:first:ms:lower}"))]
    #[dynamo(gsi(by_second, pk = "D#{customer}", sk = "{at:s:Lower:last}"))]
    pub struct Order {
        pub customer: String,
        pub at: DateTime<Utc>,
        pub id: u32,
    }
}

mod without_end {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{customer:lower}{name:upper}"))]
    pub struct Order {
        pub customer: String,
        pub name: String,
    }
}

fn main() {}
