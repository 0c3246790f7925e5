//! Employees of many companies: who shares a hobby, everywhere or within one company. One company is too
//! large for one partition.
//!
//!     cargo run --example organisations

use dynamo_entity::prelude::*;

/// Each company is a partition. The hobby is in two indexes, and somebody without a hobby is in neither.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "employee", key(pk = company, sk = number))]
#[dynamo(gsi(by_hobby, pk = hobby, sk = company))]
// A company here is far below 10 GB, and colleagues are read consistently.
#[dynamo(lsi(colleagues_by_hobby, sk = hobby, allow(local_index)))]
pub struct Employee {
    pub company: String,
    pub number: u32,
    pub name: String,
    pub hobby: Option<String>,
}

/// The same for companies that are too large for one partition. The library spreads each over four and reads
/// them all.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "large-company", key(pk = "{company}", sk = number, shards = 4))]
#[dynamo(lsi(colleagues_by_hobby, sk = hobby))]
pub struct EmployeeOfMany {
    pub company: String,
    pub number: u32,
    pub name: String,
    pub hobby: Option<String>,
}

/// What a run found. All of them are names.
#[derive(Debug)]
pub struct Facts {
    pub of_company: Vec<String>,
    pub chess_everywhere: Vec<String>,
    pub chess_colleagues: Vec<String>,
    pub first_of_many: Vec<String>,
    pub chess_of_many: u64,
}

pub async fn run(db: &Dynamo) -> Result<Facts> {
    db.create_tables([Employee::schema(), EmployeeOfMany::schema()])
        .await?;
    for (company, number, name, hobby) in [
        ("acme", 1, "Ann", Some("chess")),
        ("acme", 2, "Bob", None),
        ("acme", 10, "Cem", Some("chess")),
        ("acme corp", 1, "Dot", Some("chess")),
        ("globex", 7, "Eve", Some("go")),
        ("globex", 8, "Fay", Some("chess")),
    ] {
        let (company, name) = (company.to_owned(), name.to_owned());
        let hobby = hobby.map(str::to_owned);
        let employee = Employee {
            company,
            number,
            name,
            hobby,
        };
        employee.put().send(db).await?;
    }
    let employee = |number| EmployeeOfMany {
        company: "initech".into(),
        number,
        name: format!("Number {number}"),
        hobby: (number % 3 == 0).then(|| "chess".to_owned()),
    };
    let many: Vec<EmployeeOfMany> = (1..=60).map(employee).collect();
    let stored = Batch::new().with_all(many.iter().map(EmployeeOfMany::put));
    stored.send(db).await?.complete()?;

    let of_company = Employee::in_partition("acme").all(db).await?;
    let of_company = show("acme", of_company, |e| e.name);

    // The global index covers the whole table and is eventually consistent.
    let everywhere = Employee::by_hobby("chess").all(db).await?;
    let chess_everywhere = show("chess, everywhere", everywhere, |e| e.name);

    // The local index covers one company, and a consistent read of it sees every acknowledged write.
    let colleagues = Employee::colleagues_by_hobby("acme").hobby().eq("chess");
    let colleagues = colleagues.consistent().all(db).await?;
    let chess_colleagues = show("chess, at acme", colleagues, |e| e.name);

    // All four partitions are read at once, and the rows come in the order of their numbers.
    let many = EmployeeOfMany::in_partition("initech");
    let first = many.clone().limit(5).all(db).await?;
    let first_of_many = show("initech, the first", first, |e| e.name);
    let chess = EmployeeOfMany::colleagues_by_hobby("initech")
        .hobby()
        .eq("chess");
    let chess_of_many = chess.count(db).await?;
    println!(
        "{:<20}{chess_of_many} of {}",
        "chess, at initech",
        many.count(db).await?
    );

    Ok(Facts {
        of_company,
        chess_everywhere,
        chess_colleagues,
        first_of_many,
        chess_of_many,
    })
}

fn show<E>(what: &str, rows: Vec<E>, name: impl Fn(E) -> String) -> Vec<String> {
    let names: Vec<String> = rows.into_iter().map(name).collect();
    println!("{what:<20}{}", names.join(", "));
    names
}

#[tokio::main]
async fn main() -> Result<()> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
