mod empty {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities())]
    pub struct Shop;
}

mod missing {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk")]
    pub struct Shop;
}

mod strings {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities("Order"))]
    pub struct Shop;
}

mod twice {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities(Order, Order))]
    pub struct Shop;
}

fn main() {}
