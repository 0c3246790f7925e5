use dynamo_entity::batch::BatchEntity;
use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "animals", pk = "pk", identify_by = type, entities(Cat, Dog))]
struct Animals;

#[derive(DynamoEntity)]
#[dynamo(table = Animals, key(pk = "ANIMAL#{id}"))]
struct Cat {
    id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Animals, key(pk = "ANIMAL#{id}"))]
struct Dog {
    id: String,
    #[dynamo(version)]
    version: Version,
}

fn store<E: BatchEntity>(_: &[E]) {}

fn main() {
    let cat = Cat { id: "1".into() };
    let dog = Dog { id: "2".into(), version: Version::default() };
    let _ = Batch::new().with(cat.put());
    let _ = Batch::new().with(Cat::key("1").delete());
    let _ = Batch::new().with(dog.put().unchecked());
    store(&[cat]);
}
