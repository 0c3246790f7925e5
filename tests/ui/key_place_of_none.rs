mod where_nothing_sorts {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = "T#{id}", sk = "{due:last}"))]
    #[dynamo(gsi(by_owner, pk = "O#{owner:first}", sk = "{due}"))]
    pub struct Task {
        pub id: u32,
        pub due: u32,
        pub owner: Option<String>,
    }
}

mod misspelt {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id))]
    #[dynamo(gsi(by_owner, pk = "O#{owner}", sk = "{due:lats}"))]
    pub struct Task {
        pub id: u32,
        pub due: Option<u32>,
        pub owner: String,
    }
}

mod words {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id))]
    #[dynamo(gsi(behind, pk = "A", sk = "{due:last:date}"))]
    #[dynamo(gsi(twice, pk = "B", sk = "{due:first:last}"))]
    #[dynamo(gsi(two_formats, pk = "C", sk = "{due:date:month}"))]
    #[dynamo(gsi(unknown, pk = "D", sk = "{due:dat:last}"))]
    #[dynamo(gsi(no_date, pk = "{due:month:last}", sk = "{size:date:last}"))]
    #[dynamo(gsi(misspelt, pk = "E", sk = "{due:date:lats}"))]
    pub struct Task {
        pub id: u32,
        pub due: Option<chrono::NaiveDate>,
        pub size: Option<u32>,
    }
}

mod ends {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", verbatim, key(pk = "{id}"))]
    #[dynamo(gsi(empty, pk = "A", sk = "{due:ends}#{size}"))]
    #[dynamo(gsi(unmarked, pk = "B", sk = "DUE#{due:ms:lower:ends}#{size}"))]
    #[dynamo(gsi(all_end, pk = "C#{size:ends}", sk = "DUE#{due:ends}", when(size = Some(1))))]
    #[dynamo(gsi(separated, pk = "D", sk = "OWNER#{owner:ends}x{id}"))]
    pub struct Task {
        pub id: u32,
        pub due: Option<std::time::SystemTime>,
        pub size: Option<u32>,
        pub owner: Option<String>,
    }
}

mod ends_of_primary_keys {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", verbatim, key(pk = "TASK#{id:ends}"))]
    pub struct Task {
        pub id: u32,
    }
}

mod ends_of_own_keys {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = "{id}"))]
    #[dynamo(gsi(by_due, pk = "A", sk = "DUE#{due:ends}"))]
    pub struct Task {
        pub id: u32,
        pub due: Option<u32>,
    }
}

fn main() {}
