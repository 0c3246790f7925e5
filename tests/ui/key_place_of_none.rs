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

fn main() {}
