//! Every partition key begins with the tenant of its table, and every unique value contains it.

mod keys {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", tenant = org, entities(Order, Item, Part, Tag))]
    #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ORDER#{id}#{org}", sk = "INFO"))]
    pub struct Order {
        pub org: String,
        pub id: u32,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "ITEM#{org}#{id}", sk = "INFO"))]
    #[dynamo(gsi(by_kind, on = gsi1, pk = "KIND#{kind}", sk = "{id}"))]
    pub struct Item {
        pub org: String,
        pub id: u32,
        pub kind: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "PART#{org}#{id}", sk = "INFO"), unique(by_code, code))]
    pub struct Part {
        pub org: String,
        pub id: u32,
        pub code: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "TAG#{tenant}", sk = "{name}"))]
    pub struct Tag {
        pub tenant: String,
        pub name: String,
    }
}

/// An entity with a table of its own.
mod own {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", tenant = org, key(pk = "TASK#{org}", sk = "{id}"), gsi(by_state, pk = state, sk = id))]
    pub struct Task {
        pub org: String,
        pub id: u32,
        pub state: String,
    }
}

/// A key that could belong to two tenants.
mod ambiguous {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", tenant = org, entities(New, Old))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "TICKET#{org}", sk = "NEW#{id}"))]
    pub struct New {
        pub org: String,
        pub id: u32,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "TICKET#OLD#{org}", sk = "OLD#{id}"))]
    pub struct Old {
        pub org: String,
        pub id: u32,
    }
}

/// An index by an attribute that another entity uses for something else.
mod attribute {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", tenant = org, entities(Visit, Guest), gsi(by_sort, pk = "sk"))]
    pub struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "VISIT#{org}", sk = "{org}#{id}"), gsi(by_sort, pk = "{org}#{id}"))]
    pub struct Visit {
        pub org: String,
        pub id: u32,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "GUEST#{org}", sk = "{id}"))]
    pub struct Guest {
        pub org: String,
        pub id: u32,
    }
}

/// A number is not compared.
mod number {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", tenant = org, key(pk = org, sk = id))]
    pub struct Task {
        pub org: u32,
        pub id: u32,
    }
}

/// A tenant with the name `$UNIQUE#..` would have the key of a sentinel.
mod sentinel {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", tenant = org, key(pk = org, sk = "TASK#{id}"), unique(by_code, org, code))]
    pub struct Task {
        pub org: String,
        pub id: u32,
        pub code: String,
    }
}

/// The end of a tenant in keys without escapes is not known.
mod verbatim {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", tenant = org, verbatim, key(pk = "TASK#{org}", sk = "{id}"))]
    pub struct Task {
        pub org: String,
        pub id: u32,
    }
}

fn main() {}
