mod on_an_entity {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "ORDER#{id}"), allow(unversionned), allow(everything))]
    #[dynamo(gsi(latest, pk = "ALL", allow(constant_partitions, long_key, long_key)))]
    #[dynamo(unique(by_note, note, allow(needless_uniq)))]
    pub struct Order {
        pub id: String,
        #[dynamo(allow(long_name = "it is short in German"))]
        pub note: String,
        #[dynamo(allow())]
        pub text: String,
        #[dynamo(allow)]
        pub other: String,
    }
}

mod on_a_table {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order), allow = many_indexes)]
    #[dynamo(gsi(gsi1, pk = "a", allow("unasked_index")), lsi(lsi1, sk = "b", allow(local_indexes)))]
    pub struct Shop;
}

mod elsewhere {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id, allow(constant_partition)))]
    pub struct Order {
        pub id: String,
    }

    #[derive(DynamoValue)]
    pub struct Line {
        #[dynamo(allow(long_name))]
        pub article: String,
    }
}

fn main() {}
