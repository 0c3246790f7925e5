mod generic {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    pub struct Shop<const N: usize>;
}

mod fields {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    pub struct Shop {
        pub name: String,
    }
}

fn main() {}
