//! The field of a vector index is a vector of up to 4096 numbers, and conditions compare keys.

mod list {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id), vector(similar, field = embedding, distance = cosine))]
    pub struct Document {
        pub id: u32,
        pub embedding: Vec<f32>,
    }
}

mod long {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id), vector(similar, field = embedding, distance = cosine))]
    pub struct Document {
        pub id: u32,
        pub embedding: Vector<4097>,
    }
}

mod condition {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(similar, field = embedding, distance = cosine, filter = is_public))]
    pub struct Document {
        pub id: u32,
        pub is_public: bool,
        pub embedding: Vector<3>,
    }
}

fn main() {}
