mod meeting {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", identify_by = key, entities(First, Second))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "ORDER#{id}"))]
    pub struct First {
        pub id: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "ORDER#{number}"))]
    pub struct Second {
        pub number: u32,
    }
}

mod uniques {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", identify_by = key, entities(First, Second))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "FIRST#{id}"), unique(by_name, name))]
    pub struct First {
        pub id: String,
        pub name: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "SECOND#{id}"), unique(by_name, name))]
    pub struct Second {
        pub id: String,
        pub name: String,
    }
}

mod vectors {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", identify_by = key, entities(Text))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "TEXT#{id}"), vector(similar, field = embedding, distance = cosine))]
    pub struct Text {
        pub id: String,
        pub embedding: Vector<4>,
    }
}

mod moves {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", identify_by = key, entities(Order, next::Order))]
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

mod words {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", identify_by = keys, entities(Order))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ORDER#{id}"))]
    pub struct Order {
        pub id: String,
    }
}

fn main() {}
