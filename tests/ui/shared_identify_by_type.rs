mod types {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "animals", pk = "pk", identify_by = type, entities(Cat, Dog))]
    pub struct Animals;

    #[derive(DynamoEntity)]
    #[dynamo(table = Animals, rename = "animal", key(pk = "ANIMAL#{id}"))]
    pub struct Cat {
        pub id: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Animals, rename = "animal", key(pk = "ANIMAL#{id}"))]
    pub struct Dog {
        pub id: String,
    }
}

mod uniques {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "animals", pk = "pk", identify_by = type, entities(Cat, Dog))]
    pub struct Animals;

    #[derive(DynamoEntity)]
    #[dynamo(table = Animals, rename = "animal", constant("kind" = 1), key(pk = "ANIMAL#{id}"), unique(by_name, name))]
    pub struct Cat {
        pub id: String,
        pub name: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Animals, rename = "animal", constant("kind" = 2), key(pk = "ANIMAL#{id}"), unique(by_name, name))]
    pub struct Dog {
        pub id: String,
        pub name: String,
    }
}

mod moves {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", identify_by = type, entities(Order, next::Order))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ORDER#{id}"), next_key(next::Order))]
    pub struct Order {
        pub id: String,
    }

    pub mod next {
        use super::*;

        #[derive(DynamoEntity)]
        #[dynamo(table = Shop, rename = "next", key(pk = "CUSTOMER#{id}"))]
        pub struct Order {
            pub id: String,
        }
    }

    impl From<&Order> for next::Order {
        fn from(order: &Order) -> Self {
            next::Order { id: order.id.clone() }
        }
    }

    impl From<&next::Order> for Order {
        fn from(order: &next::Order) -> Self {
            Order { id: order.id.clone() }
        }
    }
}

mod attributes {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "animals", pk = "pk", identify_by = type, entities(Cat))]
    pub struct Animals;

    #[derive(DynamoEntity)]
    #[dynamo(table = Animals, type_attribute = "class", key(pk = "ANIMAL#{id}"))]
    pub struct Cat {
        pub id: String,
    }
}

mod alone {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "animals", identify_by = type, key(pk = id))]
    pub struct Cat {
        pub id: String,
    }
}

fn main() {}
