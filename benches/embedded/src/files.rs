//! Writes of many rows to a file, beside DynamoDB Local if `DYNAMO_URL` names one, in one run.
//!
//!     scripts/dynamodb-local cargo run --release --manifest-path benches/embedded/Cargo.toml -- files

use std::time::{Duration, Instant};

use dynamo_entity::prelude::*;

use crate::{Note, note};

const ROWS: u64 = 10_000;
const ROUNDS: usize = 3;

type Seconds = [f64; 5];

const WORKS: [&str; 5] = [
    "`Batch` of puts",
    "`update_each`",
    "a put after the other",
    "`delete_each`",
    "`Batch` of deletes",
];

pub async fn run() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("dynamo-entity-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = Dynamo::connect(&format!("embedded:{}", folder.join("notes.db").display())).await?;
    let mut sides = vec![
        ("embedded:PATH", file),
        ("embedded:memory", Dynamo::connect("embedded:memory").await?),
    ];
    if let Ok(url) = std::env::var("DYNAMO_URL") {
        sides.push(("DynamoDB Local", Dynamo::connect(&url).await?));
    }
    let mut best = vec![[f64::MAX; WORKS.len()]; sides.len()];
    for _ in 0..ROUNDS {
        for ((_, db), best) in sides.iter().zip(&mut best) {
            for (best, seconds) in best.iter_mut().zip(works(db).await?) {
                *best = best.min(seconds);
            }
        }
    }
    print(&sides, &best);
    drop(sides);
    std::fs::remove_dir_all(&folder).expect("the folder");
    Ok(())
}

/// The best round of each side, and its ratio to the last side.
fn print(sides: &[(&str, Dynamo)], best: &[Seconds]) {
    println!(
        "| {ROWS} rows, seconds (ratio to the last line) | {} |",
        WORKS.join(" | ")
    );
    println!("|---|{}", "---|".repeat(WORKS.len()));
    let last = best.last().expect("a side");
    for ((name, _), seconds) in sides.iter().zip(best) {
        let cells = seconds
            .iter()
            .zip(last)
            .map(|(own, last)| format!("{own:.2} ({:.2})", own / last));
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

async fn works(db: &Dynamo) -> Result<Seconds> {
    db.create_tables([Note::schema()]).await?;
    let notes: Vec<Note> = (0..ROWS).map(note).collect();
    let batch = timed(async {
        let puts = notes.iter().map(Note::put);
        Batch::new().with_all(puts).send(db).await?.complete()
    });
    let batch = batch.await?;
    let update = timed(async {
        let stars = |note: &Note| note.update().apply(|n| n.stars().set(5));
        let updates = Note::in_partition("ann").update_each(stars).concurrency(8);
        updates.send(db).await?.complete().map(drop)
    });
    let update = update.await?;
    let puts = timed(async {
        for note in &notes[..1_000] {
            note.put().send(db).await?;
        }
        Ok(())
    });
    // A tenth of the rows, or it would take longer than all the rest.
    let puts = puts.await? * 10;
    let delete = timed(async {
        let deletes = Note::in_partition("ann")
            .number()
            .lt(ROWS / 2)
            .delete_each()
            .concurrency(8);
        deletes.send(db).await?.complete().map(drop)
    });
    let delete = delete.await? * 2;
    let batched = timed(async {
        let deletes = notes[ROWS as usize / 2..]
            .iter()
            .map(|note| note.key().delete());
        Batch::new().with_all(deletes).send(db).await?.complete()
    });
    let batched = batched.await? * 2;
    Ok([batch, update, puts, delete, batched].map(|time| time.as_secs_f64()))
}

pub async fn timed<T>(work: impl Future<Output = Result<T>>) -> Result<Duration> {
    let began = Instant::now();
    work.await?;
    Ok(began.elapsed())
}
