mod of_the_type {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    #[dynamo(rename_all = "camelCase")]
    pub struct Id(pub String);
}

mod of_the_field {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Id(#[dynamo(rename = "id")] pub String);
}

fn main() {}
