mod gsi_without_pk {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(gsi(gsi1, sk = "a"))]
    pub struct Shop;
}

mod lsi_without_sk {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(lsi(lsi1, pk = "a"))]
    pub struct Shop;
}

mod lsi_without_sort_key {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities(Order))]
    #[dynamo(lsi(lsi1, sk = "a"))]
    pub struct Shop;
}

fn main() {}
