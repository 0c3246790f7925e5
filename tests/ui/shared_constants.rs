mod values {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities(First, Second, Third))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "FIRST#{id}"), constant("version" = "1"), unique(by_name, name))]
    pub struct First {
        pub id: String,
        pub name: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "SECOND#{id}"), constant("version" = "2"), unique(by_name, name))]
    pub struct Second {
        pub id: String,
        pub name: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "THIRD#{id}"), constant("release" = 3))]
    pub struct Third {
        pub id: String,
    }
}

mod names {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities(Order))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ORDER#{id}"), constant("pk" = "1"))]
    pub struct Order {
        pub id: String,
    }
}

mod fields {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities(Order))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ORDER#{id}"), constant("version" = "1", "version" = "2", "_shape" = 1))]
    pub struct Order {
        pub id: String,
        pub version: u8,
    }
}

mod own {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id), constant("version" = "1"))]
    pub struct Order {
        pub id: String,
    }
}

mod words {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", entities(Order))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ORDER#{id}"))]
    #[dynamo(constant(version = "1"), constant("a" = 1.5), constant(), constant("" = 1), constant)]
    pub struct Order {
        pub id: String,
    }
}

fn main() {}
