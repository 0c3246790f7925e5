//! Lists are stored in rows of the same table, so no entity of it may be able to have their keys. Their elements are values.

mod number {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "halls", key(pk = id), chunked(seats: u32))]
    pub struct Hall {
        pub id: u32,
    }
}

mod bare {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "halls", key(pk = id), blob(plan))]
    pub struct Hall {
        pub id: String,
    }
}

mod element {
    use dynamo_entity::prelude::*;

    pub struct Seat;

    #[derive(DynamoEntity)]
    #[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Seat))]
    pub struct Hall {
        pub id: u32,
    }
}

mod unknown {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Chair))]
    pub struct Hall {
        pub id: u32,
    }
}

mod batch {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: u32))]
    pub struct Hall {
        pub id: u32,
    }

    pub fn delete() {
        let _ = Batch::new().with(Hall::key(1).delete());
    }
}

mod expiring {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "theatre", pk = "pk", entities(Show, Hall))]
    pub struct Theatre;

    #[derive(DynamoEntity)]
    #[dynamo(table = Theatre, key(pk = "SHOW#{id}"))]
    pub struct Show {
        pub id: u32,
        #[dynamo(ttl)]
        pub until: i64,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Theatre, key(pk = "HALL#{id}"), chunked(seats: u32))]
    pub struct Hall {
        pub id: u32,
        pub until: i64,
    }
}

fn main() {}
