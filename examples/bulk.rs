//! Pays interest to many accounts, to each exactly once, and shows a progress bar. If it is stopped at any moment
//! (Ctrl-C, kill -9) and run again, it resumes.
//!
//!     cargo run --example bulk                                   # in this process
//!     DYNAMO_URL=http://localhost:8000 cargo run --example bulk  # or on any DynamoDB
//!
//! `DYNAMO_URL=embedded:accounts.db` keeps the accounts in a file, so that the next run can resume.

use std::path::Path;
use std::time::Duration;

use dynamo_entity::bulk::{BulkReport, FileCheckpoint};
use dynamo_entity::prelude::*;
use indicatif::{ProgressBar, ProgressStyle};

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "accounts", key(pk = branch, sk = number))]
pub struct Account {
    pub branch: String,
    pub number: u32,
    pub cents: i64,
    pub is_closed: bool,
    #[dynamo(version)]
    pub version: Version,
}

/// Creates those accounts that do not exist yet.
pub async fn open_accounts(db: &Dynamo, count: u32) -> Result<u64> {
    let accounts = (0..count).map(|number| Account {
        branch: format!("b{}", number % 3),
        number,
        cents: 10_000,
        is_closed: number % 10 == 0,
        version: Version::default(),
    });
    let accounts: Vec<Account> = accounts.collect();
    let report = put_each(accounts.iter().map(Account::create))
        .concurrency(16)
        .max_failures(usize::MAX)
        .send(db)
        .await?;
    // The errors alone do not show whether the job ran to its end.
    assert!(report.stopped().is_none(), "{:?}", report.stopped());
    // Accounts from an earlier run fail one by one, which does not stop the others.
    let others = report
        .errors()
        .iter()
        .find(|row| !row.error().is_already_exists());
    assert!(others.is_none(), "{others:?}");
    Ok(report.written)
}

/// Pays one percent to each account that is open. The month is part of the job's name, so it pays once a
/// month, however often it is run.
pub async fn pay_interest(
    db: &Dynamo,
    month: &str,
    file: &Path,
    mut tell: impl FnMut(u64) + Send,
) -> Result<BulkReport> {
    Account::scan()
        .update_each(|account| {
            let cents = account.cents + account.cents / 100;
            (!account.is_closed).then(|| account.update().apply(move |a| a.cents().set(cents)))
        })
        .checkpoint(format!("interest-{month}"), FileCheckpoint::new(file))
        .save_every(Duration::from_millis(200))
        .concurrency(16)
        .rate(2_000)
        .on_progress(|progress| tell(progress.found))
        .send(db)
        .await
}

#[tokio::main]
async fn main() -> Result<()> {
    const ACCOUNTS: u32 = 3_000;
    let db = Dynamo::from_env_or("embedded:memory")
        .await?
        .with_prefix("example");
    db.create_tables([Account::schema()]).await?;
    println!("opened   {} accounts", open_accounts(&db, ACCOUNTS).await?);

    // The place of the job is only kept if the accounts outlive the process too.
    let is_kept = std::env::var("DYNAMO_URL").is_ok_and(|url| url != "embedded:memory");
    let name = if is_kept {
        "kept".into()
    } else {
        std::process::id().to_string()
    };
    let file = std::env::temp_dir().join(format!("interest-{name}.checkpoint"));

    let bar = ProgressBar::new(ACCOUNTS.into());
    let style = ProgressStyle::with_template("interest {wide_bar} {pos}/{len} {per_sec}");
    bar.set_style(style.expect("a template"));
    let report = pay_interest(&db, "2026-11", &file, |found| bar.set_position(found)).await?;
    bar.finish();
    println!(
        "paid     {} accounts, {} are closed",
        report.written, report.unchanged
    );
    report.complete()?;

    let again = pay_interest(&db, "2026-11", &file, |_| ()).await?;
    println!("again    finished before: {}", again.was_finished());

    // The accounts of a branch that closes are a whole partition.
    let gone = Account::in_partition("b2")
        .delete_each()
        .send(&db)
        .await?
        .complete()?;
    println!("deleted  {} accounts of a branch", gone.written);
    if !is_kept {
        let _ = std::fs::remove_file(&file);
        let _ = std::fs::remove_file(file.with_extension("checkpoint.lock"));
    }
    Ok(())
}
