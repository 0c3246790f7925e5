mod name {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(pk = "pk", entities(Order))]
    pub struct Shop;
}

mod pk {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", entities(Order))]
    pub struct Shop;
}

fn main() {}
