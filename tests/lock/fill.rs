//! The steps that a change asks for come to an end.

use dynamo_entity::Error;
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

/// By the job that the steps name.
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
        steps.contains("`filling`") && steps.contains("`scan().refill()`"),
        "{steps}"
    );

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
    for written in [50, 0] {
        let report = Task::scan().refill().send(&db).await?;
        assert_eq!(report.complete()?.written, written);
        assert_eq!(Task::by_owner("ann").count(&db).await?, 51);
    }
    Ok(())
}

/// The three declarations of a new index, each beside its neighbour.
mod steps {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "tasks", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}", filling))]
    pub struct Task {
        pub id: u32,
        pub owner: String,
    }
}

#[test]
fn the_word_makes_two_steps_of_one() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [before::Task::schema()])?;
    let class = |schema| Ok::<_, Error>(lock::compare(&path, [schema])?.class());
    let of_pattern = |schema| {
        let found = lock::compare(&path, [schema])?;
        let mut changes = found.changes().iter();
        let index = changes.find(|change| change.place() == Some("Task.by_owner"));
        Ok::<_, Error>(index.expect("a change").clone())
    };
    assert_eq!(
        of_pattern(steps::Task::schema())?.class(),
        ChangeClass::Free
    );
    assert_eq!(class(Task::schema())?, Some(ChangeClass::FillFirst));

    lock::write(&path, [steps::Task::schema()])?;
    assert!(lock::compare(&path, [steps::Task::schema()])?.is_same());
    let dropped = of_pattern(Task::schema())?;
    assert_eq!(dropped.class(), ChangeClass::FillFirst);
    assert!(
        dropped
            .steps()
            .join("\n")
            .contains("`scan().unfilled(&db)` is 0")
    );

    lock::write(&path, [Task::schema()])?;
    let back = of_pattern(steps::Task::schema())?;
    assert_eq!(back.class(), ChangeClass::Free);
    Ok(())
}
