mod attribute {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(gsi(gsi1, pk = gsi1pk))]
    pub struct Shop;
}

mod projection {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(gsi(gsi1, pk = "a", project = [total, "b", "b"]))]
    pub struct Shop;
}

fn main() {}
