//! The declarations that `adopt` wrote, beside the libraries whose tables they describe, on the server that
//! `AWS_ENDPOINT_URL_DYNAMODB` names. A test reads the items that the library wrote, and changes, adds and deletes some. Then
//! the library reads and changes them, and the test reads the result. `scripts/foreign-libraries` runs them all.

use std::process::Command;

use dynamo_entity::Timestamp;
use dynamo_entity::codec::Nullable;
use dynamo_entity::key::{PynamoTime, PythonTime};
use dynamo_entity::prelude::*;

use super::exports::tools::tool;
use crate::support::suite::Outcome;

macro_rules! declarations {
    ($($name:ident = $path:literal)*) => {$(
        #[allow(dead_code)]
        // The tests of the same declarations are another module.
        #[allow(clippy::duplicate_mod)]
        #[rustfmt::skip]
        #[path = $path]
        mod $name;
    )*};
}

declarations! {
    boto3 = "../golden/adopted/boto3_app.rs"
    document_client = "../golden/adopted/document_client.rs"
    electrodb = "../golden/adopted/electrodb.rs"
    one_table = "../golden/adopted/one_table.rs"
    pynamo = "../golden/adopted/pynamo.rs"
    toolbox = "../golden/adopted/toolbox.rs"
}

/// The program that works with the libraries of one language: its command and the arguments.
const NODE: &str = "FOREIGN_NODE";
const PYTHON: &str = "FOREIGN_PYTHON";

/// Has a library check what this program wrote to a table, and change it.
fn library_goes_on(program: &str, table: &str) -> Outcome {
    let mut words = program.split_whitespace();
    let mut command = Command::new(words.next().ok_or("the variable is empty")?);
    let output = command.args(words).args([table, "go-on"]).output()?;
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// The program and the connection, unless the variable is not set.
async fn beside(variable: &str, test: &str) -> Result<Option<(String, Dynamo)>> {
    match tool(variable, test, "scripts/foreign-libraries") {
        Some(program) => Ok(Some((program, Dynamo::connect("aws").await?))),
        None => Ok(None),
    }
}

fn time(text: &str) -> Result<Timestamp> {
    text.parse()
}

#[tokio::test]
async fn electrodb_shares_its_table() -> Outcome {
    use electrodb::{Customer, Order, OrderLine};
    let Some((program, db)) = beside(NODE, "electrodb_shares_its_table").await? else {
        return Ok(());
    };
    let orders = Order::scan().all(&db).await?;
    assert_eq!(orders.len(), 3);
    for order in orders {
        let note = Some(format!("seen {}", order.number));
        Order { note, ..order }.put().send(&db).await?;
    }
    // The order of another service has the same type and the same version.
    let stocked = electrodb::StockOrder1::scan().all(&db).await?;
    assert_eq!(stocked.len(), 1);
    for order in stocked {
        let total = order.total + 1;
        electrodb::StockOrder1 { total, ..order }
            .put()
            .send(&db)
            .await?;
    }
    let customers = Customer::scan().all(&db).await?;
    assert_eq!(customers.len(), 2);
    for customer in customers {
        customer.put().send(&db).await?;
    }
    Order {
        created_at: time("2026-03-04T10:00:00.000Z")?,
        customer: "Cid".into(),
        lines: vec![OrderLine {
            count: 3,
            gift: None,
            sku: "D4".into(),
            rest: Item::new(),
        }],
        note: None,
        number: 9,
        paid: false,
        status: "open".into(),
        total: 40,
        rest: Item::new(),
    }
    .create()
    .send(&db)
    .await?;
    let bob = Order::key("BOB#X", 7).get().send(&db).await?;
    let bob = bob.ok_or("the order of bob#x")?;
    let paid = bob.update().apply(|o| o.status().set("paid"));
    paid.apply(|o| o.paid().set(true)).send(&db).await?;
    Order::key("ann", 8).delete().send(&db).await?;

    library_goes_on(&program, "electrodb")?;
    let shipped = Order::by_status("shipped").all(&db).await?;
    assert_eq!((shipped.len(), shipped[0].total), (1, 5));
    assert_eq!(shipped[0].customer, "Cid");
    let again = Order::key("Ann", 8).get().send(&db).await?;
    assert_eq!(again.map(|order| order.total), Some(1));
    assert!(Order::key("Ann", 7).get().send(&db).await?.is_none());
    Ok(())
}

#[tokio::test]
async fn one_table_shares_its_table() -> Outcome {
    use one_table::{Account, User};
    let Some((program, db)) = beside(NODE, "one_table_shares_its_table").await? else {
        return Ok(());
    };
    let users = User::scan().all(&db).await?;
    assert_eq!(users.len(), 3);
    for user in users {
        let role = Some(format!("{} seen", user.role.unwrap_or_default()));
        User { role, ..user }.put().send(&db).await?;
    }
    let accounts = Account::scan().all(&db).await?;
    assert_eq!(accounts.len(), 2);
    let blue = accounts.into_iter().find(|account| account.id == "blue");
    let blue = blue.ok_or("the account")?;
    blue.update()
        .apply(|a| a.balance().add(0.5))
        .send(&db)
        .await?;
    let now = time("2026-03-05T00:00:00.000Z")?;
    let dan = User {
        account_id: "blue".into(),
        created: now,
        email: Some("dan@z.org".into()),
        gs1pk: None,
        gs1sk: "user#".into(),
        joined: Some(time("2026-03-05T00:00:00.000Z")?),
        name: "Dan".into(),
        role: None,
        updated: now,
        rest: Item::new(),
    };
    dan.create().send(&db).await?;
    // OneTable has stored this value.
    let taken = User {
        name: "Eve".into(),
        email: Some("cid@y.org".into()),
        ..dan
    };
    assert!(
        taken
            .create()
            .send(&db)
            .await
            .unwrap_err()
            .is_unique_violation()
    );

    library_goes_on(&program, "one_table")?;
    let dan = User::key("blue", "Dan").get().send(&db).await?;
    let dan = dan.ok_or("the user Dan")?;
    assert_eq!(dan.role.as_deref(), Some("guest"));
    assert_eq!(dan.email.as_deref(), Some("new@z.org"));
    // OneTable has released the values of these, and taken one of them again.
    let eve = |email: &str| User {
        name: "Eve".into(),
        email: Some(email.into()),
        ..taken.clone()
    };
    assert!(
        eve("dan@z.org")
            .create()
            .send(&db)
            .await
            .unwrap_err()
            .is_unique_violation()
    );
    let eve = eve("cid@y.org").create().send(&db).await?;
    eve.delete().send(&db).await?;
    dan.delete().send(&db).await?;
    let rows = Item::in_table("one_table");
    for (email, is_stored) in [
        ("cid@y.org", false),
        ("new@z.org", false),
        ("dan@z.org", true),
        ("ann@x.org", true),
    ] {
        let key = Item::from_json(&format!(
            r#"{{"pk": "_unique#User#email#{email}", "sk": "_unique#"}}"#
        ))?;
        assert_eq!(
            rows.get(key).send(&db).await?.is_some(),
            is_stored,
            "{email}"
        );
    }
    let ann = User::gs1("email#ann@x.org").all(&db).await?;
    assert_eq!((ann.len(), ann[0].role.as_deref()), (1, Some("owner")));
    assert!(User::key("acme", "Bob").get().send(&db).await?.is_none());
    Ok(())
}

#[tokio::test]
async fn toolbox_shares_its_table() -> Outcome {
    use toolbox::{Order, Profile};
    let Some((program, db)) = beside(NODE, "toolbox_shares_its_table").await? else {
        return Ok(());
    };
    let orders = Order::scan().all(&db).await?;
    assert_eq!(orders.len(), 2);
    for order in orders {
        let total = order.total + 1;
        Order { total, ..order }.put().send(&db).await?;
    }
    for profile in Profile::scan().all(&db).await? {
        profile.put().send(&db).await?;
    }
    let now = time("2026-03-05T00:00:00.000Z")?;
    Order {
        created: now,
        updated: now,
        coupon: None,
        customer: "cid".into(),
        number: 1,
        tags: vec![Nullable(None), Nullable(Some("b".into()))],
        total: 5,
        rest: Item::new(),
    }
    .create()
    .send(&db)
    .await?;

    library_goes_on(&program, "toolbox")?;
    let cid = Order::key("cid", 1).get().send(&db).await?;
    let cid = cid.ok_or("the order of cid")?;
    assert_eq!((cid.total, cid.coupon.as_deref()), (6, Some("LATE")));
    assert!(Order::key("bob", 12).get().send(&db).await?.is_none());
    Ok(())
}

#[tokio::test]
async fn the_document_client_shares_its_table() -> Outcome {
    use document_client::DocumentClient;
    let Some((program, db)) = beside(NODE, "the_document_client_shares_its_table").await? else {
        return Ok(());
    };
    let visits = DocumentClient::scan().all(&db).await?;
    assert_eq!(visits.len(), 3);
    for visit in visits {
        let gr_e = visit.gr_e + 10;
        DocumentClient { gr_e, ..visit }.put().send(&db).await?;
    }

    library_goes_on(&program, "document_client")?;
    let of_day = DocumentClient::by_day("2026-03-09");
    assert_eq!(of_day.all(&db).await?.len(), 1);
    assert_eq!(DocumentClient::scan().all(&db).await?.len(), 2);
    Ok(())
}

#[tokio::test]
async fn pynamo_shares_its_table() -> Outcome {
    use pynamo::Pynamo;
    let Some((program, db)) = beside(PYTHON, "pynamo_shares_its_table").await? else {
        return Ok(());
    };
    let rows = Pynamo::scan().all(&db).await?;
    assert_eq!(rows.len(), 3);
    for row in rows {
        let note = Some(format!("seen {}", row.number));
        Pynamo { note, ..row }.put().send(&db).await?;
    }
    Pynamo {
        customer: "cid".into(),
        note: None,
        number: 5,
        photo: None,
        placed_at: PynamoTime::floor(time("2026-03-05T00:00:00.000007Z")?).ok_or("in range")?,
        tags: ["blue".to_owned()].into(),
        total: 0.25,
        version: Version::default(),
        rest: Item::new(),
    }
    .create()
    .send(&db)
    .await?;

    library_goes_on(&program, "pynamo")?;
    let cid = Pynamo::key("cid", 5).get().send(&db).await?;
    let cid = cid.ok_or("the order of cid")?;
    assert_eq!(
        (cid.version.number(), cid.note.as_deref()),
        (Some(2), Some("late"))
    );
    assert!(Pynamo::key("bob", 1).get().send(&db).await?.is_none());
    Ok(())
}

#[tokio::test]
async fn boto3_shares_its_table() -> Outcome {
    use boto3::{Order, Session, User};
    let Some((program, db)) = beside(PYTHON, "boto3_shares_its_table").await? else {
        return Ok(());
    };
    // All times of expiry have passed.
    let orders = Order::scan().include_expired().all(&db).await?;
    assert_eq!(orders.len(), 2);
    for order in orders {
        order.put().send(&db).await?;
    }
    for user in User::scan().all(&db).await? {
        let email = user.email.to_uppercase();
        User { email, ..user }.put().send(&db).await?;
    }
    let sessions = Session::scan().include_expired().all(&db).await?;
    assert_eq!(sessions.len(), 2);
    Session::key("bob", "s-9").delete().send(&db).await?;
    let placed = PythonTime::floor(time("2026-03-05T00:00:00Z")?).ok_or("in range")?;
    Order {
        expires: None,
        order_id: "o3".into(),
        placed,
        price: 1.5,
        rate: "0.5".parse()?,
        status: "open".into(),
        user: "cid".into(),
        rest: Item::new(),
    }
    .create()
    .send(&db)
    .await?;

    library_goes_on(&program, "boto3-app")?;
    let cid = Order::key("cid", placed, "o3").get().send(&db).await?;
    let cid = cid.ok_or("the order of cid")?;
    assert_eq!((cid.status.as_str(), cid.price), ("sent", 2.5));
    assert!(User::key("ann").get().send(&db).await?.is_none());
    Ok(())
}

mod numbers {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(
        name = "numbers",
        pk = "pk",
        sk = "sk",
        verbatim,
        type_attribute = "_type",
        identify_by = key,
        entities(Score, Match)
    )]
    #[dynamo(gsi(gs1, pk = "gs1pk", sk = "gs1sk"))]
    pub struct Numbers;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Numbers, rename = "score", type_attribute = "__edb_e__", constant("__edb_v__" = "1"))]
    #[dynamo(key(pk = "$games#game_{game:lower}", sk = "$score_1#player_{player:lower}"))]
    #[dynamo(gsi(top, on = gs1, pk = "$games#game_{game:lower}", sk = number(score)))]
    pub struct Score {
        pub game: String,
        pub player: String,
        pub score: Option<i64>,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Numbers, key(pk = "match#{id}", sk = "match#"))]
    #[dynamo(gsi(by_start, on = gs1, pk = "court#{court}", sk = number(start)))]
    pub struct Match {
        pub id: String,
        pub court: String,
        pub start: Option<f64>,
    }
}

/// ElectroDB and OneTable store numbers of their items in the key of one index.
#[tokio::test]
async fn numbers_are_shared() -> Outcome {
    use numbers::{Match, Score};
    let Some((program, db)) = beside(NODE, "numbers_are_shared").await? else {
        return Ok(());
    };
    let stored = |key: Item| Item::in_table("numbers").get(key).send(&db);
    for score in Score::scan().all(&db).await? {
        let key = score.key().to_item()?;
        let before = stored(key.clone()).await?;
        score.put().send(&db).await?;
        assert_eq!(stored(key).await?, before);
    }
    for start in Match::scan().all(&db).await? {
        let key = start.key().to_item()?;
        let before = stored(key.clone()).await?;
        start.put().send(&db).await?;
        assert_eq!(stored(key).await?, before);
    }
    let top = Score::top("chess").all(&db).await?;
    let scores: Vec<_> = top.iter().map(|row| (&*row.player, row.score)).collect();
    assert_eq!(scores, [("Bob", Some(-3)), ("Ann", Some(12))]);
    let bob = Score::key("chess", "bob").update();
    bob.apply(|score| score.score().add(20)).send(&db).await?;
    let dora = Score {
        game: "Chess".into(),
        player: "Dora".into(),
        score: Some(5),
    };
    dora.create().send(&db).await?;

    let early = Match::by_start("a").start().lt(100.0).all(&db).await?;
    assert_eq!(early.len(), 1);
    let later = early[0].update();
    later.apply(|it| it.start().add(0.25)).send(&db).await?;
    let second = Match::key("m2").update();
    second.apply(|it| it.start().set(20.0)).send(&db).await?;
    let first = Match::key("m1").update();
    first.apply(|it| it.start().remove()).send(&db).await?;

    library_goes_on(&program, "numbers")?;
    let ann = Score::key("chess", "ann").get().send(&db).await?;
    assert_eq!(ann.ok_or("the score of Ann")?.score, None);
    let top = Score::top("chess").score().le(1).all(&db).await?;
    assert_eq!(top.len(), 1);
    assert_eq!(Match::by_start("a").start().gt(21.0).count(&db).await?, 2);
    Ok(())
}
