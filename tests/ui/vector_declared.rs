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

mod plain {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(one, field = at, distance = cosine, within = renamed, filter = [formatted, skipped]))]
    pub struct Document {
        pub id: u32,
        #[dynamo(was = "former")]
        pub renamed: String,
        #[dynamo(serde)]
        pub formatted: String,
        #[dynamo(skip)]
        pub skipped: u32,
        pub at: Vector<3>,
    }
}

mod moved {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Document))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "NEAR#{id}", sk = "INFO"), next_key(Next))]
    #[dynamo(vector(similar, field = at, distance = cosine))]
    pub struct Document {
        pub id: u32,
        pub at: Vector<3>,
    }
}

mod crowded {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "documents", key(pk = id))]
    #[dynamo(vector(similar, field = at, distance = cosine,
        filter = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s]))]
    pub struct Document {
        pub id: u32,
        pub a: u8, pub b: u8, pub c: u8, pub d: u8, pub e: u8, pub f: u8, pub g: u8, pub h: u8, pub i: u8, pub j: u8,
        pub k: u8, pub l: u8, pub m: u8, pub n: u8, pub o: u8, pub p: u8, pub q: u8, pub r: u8, pub s: u8,
        pub at: Vector<3>,
    }
}

fn main() {}
