//! The steps that a change asks for come to an end.

use dynamo_entity::lock::{self, ChangeClass};
use dynamo_entity::prelude::*;

mod before {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id))]
    pub struct Task {
        pub id: u32,
        pub owner: String,
    }
}

#[derive(DynamoEntity)]
#[dynamo(table = "tasks", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"))]
struct Task {
    id: u32,
    owner: String,
}

/// With the closure of the guide, which writes every row however often it runs.
#[tokio::test]
async fn an_index_is_filled_by_one_run() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [before::Task::schema()])?;
    let found = lock::compare(&path, [Task::schema()])?;
    let mut changes = found.changes().iter();
    let index = changes.find(|change| change.place() == Some("Task.by_owner"));
    let index = index.expect("the index is new");
    assert_eq!(index.class(), ChangeClass::FillFirst);
    let steps = index.steps().join("\n");
    assert!(
        steps.contains("one run without errors is enough"),
        "{steps}"
    );
    assert!(!steps.contains("writes nothing more"), "{steps}");

    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([before::Task::schema()]).await?;
    let put = |id| before::Task {
        id,
        owner: "ann".into(),
    };
    for id in 0..50 {
        put(id).put().send(&db).await?;
    }
    db.add_indexes([Task::schema()]).await?;
    // From here on every program writes the new keys, as the step before the fill asks for.
    let task = Task {
        id: 50,
        owner: "ann".into(),
    };
    task.put().send(&db).await?;
    assert_eq!(Task::by_owner("ann").count(&db).await?, 1);
    for _ in 0..2 {
        let report = Task::scan()
            .update_each(|task| task.update().apply(|t| t.owner().set(&task.owner)))
            .send(&db)
            .await?;
        assert_eq!(report.complete()?.written, 51);
        assert_eq!(Task::by_owner("ann").count(&db).await?, 51);
    }
    Ok(())
}
