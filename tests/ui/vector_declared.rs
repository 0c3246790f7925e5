//! A vector index has a name, a field with a vector, and a distance.

mod missing {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id), vector(similar, filter = kind))]
    pub struct Document {
        pub id: u32,
        pub kind: String,
        pub embedding: Vector<3>,
    }
}

mod words {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(similar, field = embeding, distance = cosin, within = "org", filtre = kind))]
    pub struct Document {
        pub id: u32,
        pub org: String,
        pub kind: String,
        pub embedding: Vector<3>,
    }
}

mod uses {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(scan, field = embedding, distance = cosine))]
    #[dynamo(vector(of, field = embedding, distance = cosine, within = embedding))]
    #[dynamo(vector(similar, field = embedding, distance = cosine, within = kind, filter = [kind, version]))]
    #[dynamo(vector(similar, field = embedding, distance = euclidean))]
    pub struct Document {
        pub id: u32,
        pub kind: String,
        #[dynamo(version)]
        pub version: Version,
        pub embedding: Vector<3>,
    }
}

mod many {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(one, field = at, distance = cosine), vector(two, field = at, distance = cosine))]
    #[dynamo(vector(three, field = at, distance = cosine), vector(four, field = at, distance = cosine))]
    #[dynamo(vector(five, field = at, distance = cosine), vector(sixth, field = at, distance = cosine))]
    pub struct Document {
        pub id: u32,
        pub at: Vector<3>,
    }
}

fn main() {}
