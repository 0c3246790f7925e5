mod always_there {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id))]
    #[dynamo(gsi(by_owner, pk = "O#{owner}", sk = "{due:last}"))]
    pub struct Task {
        pub id: u32,
        pub due: u32,
        pub owner: String,
    }
}

mod of_others {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", verbatim, key(pk = id))]
    #[dynamo(gsi(by_owner, pk = "O#{owner}", sk = "{due:last}"))]
    pub struct Task {
        pub id: u32,
        pub due: Option<u32>,
        pub owner: String,
    }
}

mod without_an_end {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id))]
    #[dynamo(gsi(by_owner, pk = "O#{owner}", sk = "{due:last}{id}"))]
    pub struct Task {
        pub id: u32,
        pub due: Option<u32>,
        pub owner: String,
    }
}

mod not_asked {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id))]
    #[dynamo(gsi(by_owner, pk = "O#{owner}", sk = "{due}"))]
    #[dynamo(gsi(by_due, pk = "O#{owner}", sk = due))]
    pub struct Task {
        pub id: u32,
        pub due: Option<u32>,
        pub owner: String,
    }

    pub fn ask() {
        let _ = Task::by_owner("ann").due().missing();
        let _ = Task::by_due("ann").due().missing();
    }
}

fn main() {}
