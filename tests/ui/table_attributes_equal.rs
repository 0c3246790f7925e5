mod of_an_index {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(gsi(gsi1, pk = "g", sk = "g"))]
    #[dynamo(lsi(lsi1, sk = "pk"))]
    pub struct Shop;
}

mod of_the_key {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "key", sk = "key", entities(Order))]
    pub struct Shop;
}

mod and_the_type {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "_type", entities(Order))]
    pub struct Shop;
}

fn main() {}
