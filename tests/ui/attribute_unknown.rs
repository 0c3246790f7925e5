mod on_an_entity {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    #[dynamo(renam = "order")]
    pub struct Order {
        pub id: String,
    }
}

mod on_a_field {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        #[dynamo(defualt)]
        pub note: String,
    }
}

mod on_a_table {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(entitys(User), typ_attribute = "t", gsi(gsi1, pk = "a", projct = all))]
    pub struct Shop;
}

fn main() {}
