//! Rows in which OneTable stores unique values, as measured with version 2.7.7: this library and that program exchange them,
//! so that no value has two items, and no row remains without its item.

use std::collections::{BTreeMap, BTreeSet};

use dynamo_entity::aws_sdk_dynamodb::types::{AttributeValue, Delete, Put, TransactWriteItem};
use dynamo_entity::error::ErrorKind;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::StreamEvent;
use dynamo_entity::transfer::Mask;
use dynamo_entity::{Transaction, put_each};
use fastrand::Rng;

use crate::support::db::{Db, Raw, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    rows_are_exchanged(Roster),
    a_value_passes_on_within_a_transaction(Roster),
    a_row_of_another_item_is_neither_removed_nor_taken(Roster),
    rows_of_lost_items_are_taken_over(Roster),
    an_index_query_returns_no_rows(Kinds),
    keys_that_resemble_rows_are_items(Notes),
    rows_are_of_no_entity(Roster),
    missing_rows_are_filled(Roster),
    streams_show_no_rows,
    case_tells_rows_from_items(Cased),
    a_masked_copy_contains_no_row_of_the_source(Roster),
    both_programs_and_a_model(Roster),
];

#[derive(DynamoTable)]
#[dynamo(
    name = "roster",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "_type",
    entities(User, Account)
)]
#[dynamo(gsi(inverted, pk = "sk", sk = "pk"))]
struct Roster;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Roster, key(pk = "account#{account}", sk = "user#{name}"))]
#[dynamo(unique(by_email, pk = "_unique#User#email#{email}", sk = "_unique#", constant("_type" = "_Unique")))]
#[dynamo(unique(
    by_handle,
    pk = "_unique#{account}#User#hd#{handle}",
    sk = "_unique#",
    constant("_type" = "_Unique")
))]
struct User {
    account: String,
    name: String,
    #[dynamo(personal)]
    email: Option<String>,
    #[dynamo(rename = "hd")]
    handle: Option<String>,
    role: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Roster, key(pk = "account#{id}", sk = "account#"))]
struct Account {
    id: String,
}

#[derive(Debug, PartialEq, DynamoCollection)]
#[dynamo(table = Roster)]
enum Anything {
    User(User),
    #[dynamo(other)]
    Other(Item),
}

fn user(account: &str, name: &str, email: Option<&str>, handle: Option<&str>) -> User {
    User {
        account: account.into(),
        name: name.into(),
        email: email.map(Into::into),
        handle: handle.map(Into::into),
        role: None,
    }
}

/// The keys of the rows that OneTable stores for an item.
fn rows_of(user: &User) -> Vec<String> {
    let email = user.email.as_ref();
    let email = email.map(|email| format!("_unique#User#email#{email}"));
    let handle = user.handle.as_ref();
    let handle = handle.map(|handle| format!("_unique#{}#User#hd#{handle}", user.account));
    email.into_iter().chain(handle).collect()
}

fn unique_row(pk: &str) -> Raw {
    raw([
        ("pk", s(pk)),
        ("sk", s("_unique#")),
        ("_type", s("_Unique")),
    ])
}

/// All items of the table: the partition keys of the rows of unique values, and the others.
async fn stored(db: &Db) -> Result<(BTreeSet<String>, Vec<Item>), Box<dyn std::error::Error>> {
    let mut rows = BTreeSet::new();
    let mut items = Vec::new();
    let found = db.client().scan().table_name(db.table::<Roster>());
    for item in found
        .consistent_read(true)
        .send()
        .await?
        .items
        .unwrap_or_default()
    {
        let pk = item["pk"].as_s().cloned().unwrap_or_default();
        match pk.starts_with("_unique#") {
            true => {
                // Byte for byte the row of OneTable, apart from the owner in the rows of this library.
                let mut item = item;
                item.remove("$unique");
                assert_eq!(item, unique_row(&pk));
                rows.insert(pk);
            }
            false => items.push(Item::from(item)),
        }
    }
    Ok((rows, items))
}

async fn rows_are_exchanged(db: Db) -> Outcome {
    let rows = async || Ok::<_, Box<dyn std::error::Error>>(stored(&db).await?.0);
    let of = |users: &[&User]| {
        users
            .iter()
            .flat_map(|user| rows_of(user))
            .collect::<BTreeSet<_>>()
    };
    let ann = user("acme", "ann", Some("ann@x#y"), Some("a"));
    let ann = ann.create().send(&db).await?;
    assert_eq!(rows().await?, of(&[&ann]));

    // A value that another item has, and one that only a row of the other program keeps.
    db.plant::<User>(unique_row("_unique#User#email#bob@x"))
        .await;
    for taken in ["ann@x#y", "bob@x"] {
        let refused = user("acme", "eve", Some(taken), None)
            .create()
            .send(&db)
            .await
            .unwrap_err();
        assert!(refused.is_unique_violation(), "{refused}");
        assert_eq!(refused.attribute(), Some("email"));
        // Only the rows of this library name their items.
        let holder = (taken == "ann@x#y").then(|| User::key("acme", "ann"));
        assert_eq!(refused.holder::<User>()?, holder);
        let refused = ann
            .update()
            .apply(|u| u.email().set("bob@x"))
            .send(&db)
            .await
            .unwrap_err();
        assert!(refused.is_unique_violation(), "{refused}");
    }
    let delete = db.client().delete_item().table_name(db.table::<Roster>());
    let delete = delete
        .key("pk", s("_unique#User#email#bob@x"))
        .key("sk", s("_unique#"));
    delete.send().await?;

    // The scope is part of the value.
    let other = user("blue", "ann", None, Some("a"))
        .create()
        .send(&db)
        .await?;
    assert_eq!(rows().await?, of(&[&ann, &other]));

    // A value that stays is not written again, and one that changes is exchanged.
    let put = User {
        role: Some("r".into()),
        ..ann.clone()
    }
    .put()
    .send(&db)
    .await?;
    assert_eq!(rows().await?, of(&[&ann, &other]));
    let put = put
        .update()
        .apply(|u| (u.email().set("bob@x"), u.handle().remove()))
        .send(&db)
        .await?;
    assert_eq!(rows().await?, of(&[&put, &other]));
    let put = User {
        email: Some("cid@x".into()),
        ..put
    }
    .put()
    .send(&db)
    .await?;
    assert_eq!(rows().await?, of(&[&put, &other]));
    User::key("acme", "ann")
        .modify(|u| u.handle = Some("b".into()))
        .send(&db)
        .await?;
    let put = User {
        handle: Some("b".into()),
        ..put
    };
    assert_eq!(rows().await?, of(&[&put, &other]));
    let cleared = User::key("acme", "ann")
        .update()
        .apply(|u| u.email().remove());
    cleared.when(|u| u.email().eq("cid@x")).send(&db).await?;
    let put = User { email: None, ..put };
    assert_eq!(rows().await?, of(&[&put, &other]));

    put.delete().send(&db).await?;
    assert_eq!(rows().await?, of(&[&other]));
    User::key("blue", "ann").delete().send(&db).await?;
    assert_eq!(stored(&db).await?, (BTreeSet::new(), Vec::new()));
    Ok(())
}

async fn a_value_passes_on_within_a_transaction(db: Db) -> Outcome {
    let ann = user("acme", "ann", Some("1@x"), None)
        .create()
        .send(&db)
        .await?;
    let bob = user("acme", "bob", Some("2@x"), None)
        .create()
        .send(&db)
        .await?;
    // Two items exchange their values, and a third one takes the value of a deleted one.
    let exchange = Transaction::new()
        .with(ann.update().apply(|u| u.email().set("2@x")))
        .with(bob.update().apply(|u| u.email().set("1@x")));
    exchange.send(&db).await?;
    let ann = User {
        email: bob.email.clone(),
        ..ann
    };
    assert_eq!(
        User::key("acme", "ann").get().send(&db).await?,
        Some(ann.clone())
    );
    let cid = user("acme", "cid", Some("2@x"), None);
    let pass_on = Transaction::new().with(ann.delete()).with(cid.create());
    pass_on.send(&db).await?;
    let (rows, items) = stored(&db).await?;
    assert_eq!((rows.len(), items.len()), (2, 2));
    let dan = user("acme", "dan", Some("2@x"), None);
    let again = Transaction::new()
        .with(dan.create())
        .send(&db)
        .await
        .unwrap_err();
    assert!(again.is_unique_violation(), "{again}");
    Ok(())
}

/// OneTable deletes rows after a read that may be outdated, and stores values without a row. Then an item has a value whose
/// row belongs to another item.
async fn a_row_of_another_item_is_neither_removed_nor_taken(db: Db) -> Outcome {
    let ann = user("acme", "ann", Some("1@x"), None);
    let ann = ann.create().send(&db).await?;
    let of_ann = BTreeSet::from(["_unique#User#email#1@x".to_owned()]);
    let bob = user("acme", "bob", Some("1@x"), None);
    let plant = async || db.plant::<User>(bob.to_item().expect("an item")).await;

    plant().await;
    bob.delete().send(&db).await?;
    assert_eq!(User::key("acme", "bob").get().send(&db).await?, None);
    assert_eq!(stored(&db).await?.0, of_ann);

    plant().await;
    User::key("acme", "bob").delete().send(&db).await?;
    assert_eq!(stored(&db).await?.0, of_ann);

    plant().await;
    assert_eq!(
        User::scan()
            .delete_each()
            .max_failures(1)
            .send(&db)
            .await?
            .written,
        2
    );
    assert_eq!(stored(&db).await?, (BTreeSet::new(), Vec::new()));
    let ann = ann.create().send(&db).await?;

    plant().await;
    let changed = bob.update().apply(|u| u.email().set("2@x"));
    let changed = changed.send(&db).await?;
    changed
        .update()
        .apply(|u| u.email().remove())
        .send(&db)
        .await?;
    assert_eq!(stored(&db).await?.0, of_ann);

    // Within a transaction, too; and the value does not pass from an item that does not own it.
    plant().await;
    let eve = user("acme", "eve", Some("1@x"), None);
    let pass_on = Transaction::new().with(bob.delete()).with(eve.create());
    let refused = pass_on.send(&db).await.unwrap_err();
    assert!(refused.is_unique_violation(), "{refused}");
    // All operations of a transaction must be sent, so the delete is an error there, and succeeds by itself.
    let delete = Transaction::new().with(bob.delete());
    let refused = delete.send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused}");
    bob.delete().send(&db).await?;
    assert_eq!(stored(&db).await?.0, of_ann);
    assert_eq!(User::scan().all(&db).await?, std::slice::from_ref(&ann));

    // The row of the other program names no owner, so the item that has the value passes it on.
    let cid = user("acme", "cid", Some("3@x"), None);
    assert!(OneTable(&db).create(&cid).await);
    let dan = user("acme", "dan", Some("3@x"), None);
    let pass_on = Transaction::new().with(cid.delete()).with(dan.create());
    pass_on.send(&db).await?;
    let refused = user("acme", "eve", Some("3@x"), None)
        .create()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.holder::<User>()?, Some(User::key("acme", "dan")));
    Ok(())
}

/// OneTable leaves some rows when it deletes an item, or its value.
async fn rows_of_lost_items_are_taken_over(db: Db) -> Outcome {
    let ann = user("acme", "ann", Some("1@x"), None);
    let lose = async || {
        let delete = OneTable(&db).delete("account#acme", "user#ann");
        assert!(OneTable(&db).send(vec![delete]).await);
    };
    let row = BTreeSet::from(["_unique#User#email#1@x".to_owned()]);
    ann.create().send(&db).await?;
    lose().await;
    assert_eq!(stored(&db).await?.0, row);
    // The same item may take its value again.
    ann.create().send(&db).await?;

    // Two items with one value are detected if this library wrote the row.
    let bob = user("acme", "bob", Some("1@x"), None);
    db.plant::<User>(bob.to_item()?).await;
    let report = User::scan().refill().max_failures(9).send(&db).await?;
    assert_eq!((report.written, report.failed), (0, 1));
    lose().await;
    let report = User::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    let refused = ann.create().send(&db).await.unwrap_err();
    assert_eq!(refused.holder::<User>()?, Some(User::key("acme", "bob")));
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(
    name = "kinds",
    pk = "pk",
    verbatim,
    type_attribute = "_type",
    entities(Member)
)]
#[dynamo(gsi(kinds, pk = "kind"))]
struct Kinds;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Kinds, key(pk = "{id}#member"), gsi(of_kind, on = kinds, pk = kind))]
#[dynamo(unique(by_mail, pk = "MAIL#{mail}#MEMBER", constant("kind" = "k")))]
struct Member {
    id: String,
    mail: String,
    kind: String,
}

/// The row has the keys of the index, and no type by which DynamoDB could filter.
async fn an_index_query_returns_no_rows(db: Db) -> Outcome {
    let member = Member {
        id: "1".into(),
        mail: "x".into(),
        kind: "k".into(),
    };
    let member = member.create().send(&db).await?;
    assert_eq!(db.count::<Kinds>().await, 2);
    assert_eq!(Member::of_kind("k").all(&db).await?, [member]);
    assert_eq!(Member::of_kind("k").count(&db).await?, 1);
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(
    name = "notes",
    pk = "pk",
    verbatim,
    type_attribute = "_type",
    entities(Note)
)]
struct Notes;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Notes, key(pk = "o#{org}#note#{id}"), unique(by_mail, pk = "o#{org}#mail#{mail}"))]
struct Note {
    org: String,
    id: String,
    mail: String,
}

#[derive(Debug, PartialEq, DynamoCollection)]
#[dynamo(table = Notes)]
enum AnyNote {
    Note(Note),
    #[dynamo(other)]
    Other(Item),
}

/// The last part of a key contains the literals of the row, and the key still is that of an item.
async fn keys_that_resemble_rows_are_items(db: Db) -> Outcome {
    let note = Note {
        org: "acme".into(),
        id: "x#mail#y".into(),
        mail: "m".into(),
    };
    let note = note.create().send(&db).await?;
    assert_eq!(
        AnyNote::scan().all(&db).await?,
        [AnyNote::Note(note.clone())]
    );
    assert_eq!(AnyNote::scan().count(&db).await?, 1);
    assert_eq!(Note::scan().all(&db).await?, [note]);
    for (pk, shown) in [("o#acme#note#x#mail#y", 1), ("o#acme#mail#m", 0)] {
        let keys = format!(r#""pk": {{"S": "{pk}"}}"#);
        let event = format!(
            r#"{{"Records": [{{"eventID": "e", "eventName": "INSERT", "dynamodb": {{"Keys": {{{keys}}}, "NewImage": {{{keys},
                "org": {{"S": "acme"}}, "id": {{"S": "x#mail#y"}}, "mail": {{"S": "m"}}}},
                "SequenceNumber": "1", "StreamViewType": "NEW_AND_OLD_IMAGES"}}}}]}}"#
        );
        let event = StreamEvent::from_json(event.as_bytes())?;
        assert_eq!(AnyNote::changes_of(&event).count(), shown, "{pk}");
    }
    Ok(())
}

async fn rows_are_of_no_entity(db: Db) -> Outcome {
    let ann = user("acme", "ann", Some("ann@x"), Some("a"))
        .create()
        .send(&db)
        .await?;
    let account = Account { id: "acme".into() }.create().send(&db).await?;
    // Hand-written programs give the rows no type.
    db.plant::<User>(raw([
        ("pk", s("_unique#User#email#bob@x")),
        ("sk", s("_unique#")),
    ]))
    .await;
    assert_eq!(User::scan().all(&db).await?, std::slice::from_ref(&ann));
    assert_eq!(User::scan().count(&db).await?, 1);
    assert_eq!(Anything::scan().count(&db).await?, 2);
    let all = Anything::scan().all(&db).await?;
    assert!(all.contains(&Anything::User(ann.clone())));
    assert!(all.contains(&Anything::Other(account.to_item()?)));
    assert!(User::from_item(unique_row("_unique#User#email#ann@x")).is_err());

    let report = User::scan().delete_each().send(&db).await?;
    assert_eq!(report.written, 1);
    let (rows, items) = stored_keys(&db).await?;
    assert_eq!(
        (rows, items),
        (vec!["_unique#User#email#bob@x".to_owned()], 1)
    );
    Ok(())
}

/// The keys of the rows, whatever attributes they have, and the number of other items.
async fn stored_keys(db: &Db) -> Result<(Vec<String>, usize), Box<dyn std::error::Error>> {
    let found = db
        .client()
        .scan()
        .table_name(db.table::<Roster>())
        .send()
        .await?;
    let keys = found.items.unwrap_or_default().into_iter();
    let keys = keys.filter_map(|item| item["pk"].as_s().ok().cloned());
    let (rows, items): (Vec<String>, Vec<String>) = keys.partition(|pk| pk.starts_with("_unique#"));
    Ok((rows, items.len()))
}

async fn missing_rows_are_filled(db: Db) -> Outcome {
    let ann = user("acme", "ann", Some("ann@x"), Some("a"));
    db.plant::<User>(ann.to_item()?).await;
    db.plant::<User>(unique_row("_unique#User#email#ann@x"))
        .await;
    // A row that no item has is not known to be nobody's, so it remains.
    db.plant::<User>(unique_row("_unique#User#email#gone@x"))
        .await;
    let report = User::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    let mut expected: BTreeSet<String> = rows_of(&ann).into_iter().collect();
    expected.insert("_unique#User#email#gone@x".to_owned());
    assert_eq!(stored(&db).await?.0, expected);
    assert_eq!(User::scan().refill().send(&db).await?.written, 0);
    Ok(())
}

async fn a_masked_copy_contains_no_row_of_the_source(db: Db) -> Outcome {
    let target = Dynamo::connect("embedded:memory").await?;
    target.create_tables([Roster::schema()]).await?;
    let ann = user("acme", "ann", Some("ann@x.org"), Some("a"));
    ann.create().send(&db).await?;
    let mask = Mask::with_secret("a secret of thirty-two bytes, at least")?;
    let copy = Roster::schema()
        .scan_items()?
        .copy_to(&target)
        .masked(mask)
        .copy_others();
    let copy = copy.entity::<User>().entity::<Account>();
    copy.send(&db).await?.complete()?;
    let copied = User::scan().all(&target).await?;
    assert_ne!(copied[0].email, ann.email);
    let row = |pk: String| Item::from(raw([("pk", s(&pk)), ("sk", s("_unique#"))]));
    for pk in rows_of(&copied[0]) {
        let found = Item::in_table("roster").get(row(pk)).send(&target).await;
        assert!(found?.is_some());
    }
    let of_source = row(rows_of(&ann)[0].clone());
    let found = Item::in_table("roster")
        .get(of_source)
        .send(&target)
        .await?;
    assert_eq!(found, None);
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "cased", pk = "pk", verbatim, entities(Coded))]
struct Cased;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Cased, key(pk = "code#{id}"), unique(by_code, pk = "CODE#{code}"))]
struct Coded {
    id: String,
    code: String,
}

#[derive(Debug, PartialEq, DynamoCollection)]
#[dynamo(table = Cased)]
enum AnyCode {
    Coded(Coded),
    #[dynamo(other)]
    Other(Item),
}

/// The templates of the row and of the item differ in their case only, and neither hides the other or is reported for it.
async fn case_tells_rows_from_items(db: Db) -> Outcome {
    let coded = Coded {
        id: "1".into(),
        code: "x".into(),
    }
    .create()
    .send(&db)
    .await?;
    assert_eq!(db.count::<Cased>().await, 2);
    assert_eq!(
        AnyCode::scan().all(&db).await?,
        [AnyCode::Coded(coded.clone())]
    );
    assert_eq!(AnyCode::scan().count(&db).await?, 1);
    assert_eq!(Coded::scan().all(&db).await?, [coded]);
    Ok(())
}

/// A collection with a variant for everything else shows no change of a row, whether the stream has images or keys only.
async fn streams_show_no_rows(_: Db) -> Outcome {
    let record = |keys: &str, image: &str| {
        format!(
            r#"{{"eventID": "e", "eventName": "INSERT", "dynamodb": {{"Keys": {{{keys}}}, "NewImage": {{{keys}{image}}},
                "SequenceNumber": "1", "StreamViewType": "NEW_AND_OLD_IMAGES"}}}}"#
        )
    };
    let rows = [
        record(
            r#""pk": {"S": "_unique#User#email#ann@x"}, "sk": {"S": "_unique#"}"#,
            r#", "_type": {"S": "_Unique"}"#,
        ),
        record(
            r#""pk": {"S": "_unique#acme#User#hd#a"}, "sk": {"S": "_unique#"}"#,
            "",
        ),
        record(
            r#""pk": {"S": "_unique#Account#code#a"}, "sk": {"S": "_unique#"}"#,
            "",
        ),
    ];
    let event = format!(r#"{{"Records": [{}]}}"#, rows.join(", "));
    let event = StreamEvent::from_json(event.as_bytes())?;
    let shown: Vec<_> = Anything::changes_of(&event).collect::<Result<_, _>>()?;
    // The last one is a row of a value that is not declared, so it may be anything.
    assert_eq!(shown.len(), 1);
    assert_eq!(User::changes_of(&event).count(), 0);
    Ok(())
}

/// The other program, as its transactions were recorded.
struct OneTable<'d>(&'d Db);

impl OneTable<'_> {
    fn put(&self, item: Raw) -> TransactWriteItem {
        let put = Put::builder()
            .table_name(self.0.table::<Roster>())
            .set_item(Some(item));
        let put = put.condition_expression("attribute_not_exists(pk) and attribute_not_exists(sk)");
        TransactWriteItem::builder()
            .put(put.build().expect("a put"))
            .build()
    }

    fn delete(&self, pk: &str, sk: &str) -> TransactWriteItem {
        let delete = Delete::builder().table_name(self.0.table::<Roster>());
        let delete = delete.key("pk", s(pk)).key("sk", s(sk)).build();
        TransactWriteItem::builder()
            .delete(delete.expect("a delete"))
            .build()
    }

    async fn send(&self, members: Vec<TransactWriteItem>) -> bool {
        let sent = self
            .0
            .client()
            .transact_write_items()
            .set_transact_items(Some(members));
        match sent.send().await {
            Ok(_) => true,
            Err(error) => {
                let error = error.into_service_error();
                assert!(error.is_transaction_canceled_exception(), "{error}");
                false
            }
        }
    }

    async fn get(&self, of: &User) -> Option<User> {
        let (pk, sk) = keys_of(of);
        let get = self
            .0
            .client()
            .get_item()
            .table_name(self.0.table::<Roster>());
        let found = get
            .key("pk", s(&pk))
            .key("sk", s(&sk))
            .send()
            .await
            .expect("an answer");
        Some(User::from_item(found.item?).expect("a user"))
    }

    async fn create(&self, new: &User) -> bool {
        let rows = rows_of(new).into_iter().map(|pk| self.put(unique_row(&pk)));
        let mut members: Vec<_> = rows.collect();
        members.push(self.put(row_of(new)));
        self.send(members).await
    }

    async fn remove(&self, of: &User) -> bool {
        let prior = self.get(of).await;
        let rows = prior.iter().flat_map(rows_of);
        let mut members: Vec<_> = rows.map(|pk| self.delete(&pk, "_unique#")).collect();
        let (pk, sk) = keys_of(of);
        members.push(self.delete(&pk, &sk));
        self.send(members).await
    }

    /// An update of the mail address, which replaces its row.
    async fn update(&self, of: &User, email: Option<&str>) -> bool {
        let Some(prior) = self.get(of).await else {
            return false;
        };
        if prior.email.as_deref() == email {
            return true;
        }
        let next = User {
            email: email.map(Into::into),
            ..prior.clone()
        };
        let mut members = Vec::new();
        if prior.email.is_some() {
            members.push(self.delete(&rows_of(&prior)[0], "_unique#"));
        }
        if next.email.is_some() {
            members.push(self.put(unique_row(&rows_of(&next)[0])));
        }
        let put = Put::builder().table_name(self.0.table::<Roster>());
        let put = put
            .set_item(Some(row_of(&next)))
            .condition_expression("attribute_exists(pk)");
        members.push(
            TransactWriteItem::builder()
                .put(put.build().expect("a put"))
                .build(),
        );
        self.send(members).await
    }
}

fn keys_of(user: &User) -> (String, String) {
    (
        format!("account#{}", user.account),
        format!("user#{}", user.name),
    )
}

fn row_of(user: &User) -> Raw {
    let (pk, sk) = keys_of(user);
    let mut row = raw([
        ("pk", s(&pk)),
        ("sk", s(&sk)),
        ("_type", s("User")),
        ("account", s(&user.account)),
        ("name", s(&user.name)),
    ]);
    for (name, value) in [
        ("email", &user.email),
        ("hd", &user.handle),
        ("role", &user.role),
    ] {
        if let Some(value) = value {
            row.insert(name.to_owned(), AttributeValue::S(value.clone()));
        }
    }
    row
}

/// The items by their keys. A value has one of them.
#[derive(Default)]
struct Model(BTreeMap<(String, String), User>);

impl Model {
    fn rows(&self) -> BTreeSet<String> {
        self.0.values().flat_map(rows_of).collect()
    }

    /// Stores an item, unless another one has one of its values.
    fn put(&mut self, user: &User) -> bool {
        let mut others = self
            .0
            .values()
            .filter(|other| keys_of(other) != keys_of(user));
        let rows = rows_of(user);
        if others.any(|other| rows_of(other).iter().any(|row| rows.contains(row))) {
            return false;
        }
        self.0.insert(keys_of(user), user.clone());
        true
    }

    fn create(&mut self, user: &User) -> bool {
        !self.0.contains_key(&keys_of(user)) && self.put(user)
    }
}

fn random_user(rng: &mut Rng) -> User {
    let mut one = |texts: &[&str]| match rng.usize(..=texts.len()) {
        0 => None,
        at => Some(texts[at - 1].to_owned()),
    };
    let email = one(&["a@x", "b#@x", "c@x"]);
    let handle = one(&["h", "i"]);
    let account = one(&["acme"]).unwrap_or_else(|| "blue".into());
    let name = one(&["ann", "bob"]).unwrap_or_else(|| "cid".into());
    User {
        account,
        name,
        email,
        handle,
        role: one(&["r"]),
    }
}

async fn both_programs_and_a_model(db: Db) -> Outcome {
    let seeds = std::env::var("FOREIGN_ROWS")
        .ok()
        .and_then(|rows| rows.parse().ok());
    for seed in 0..seeds.unwrap_or(6_u64) {
        let (mut rng, mut model) = (Rng::with_seed(seed), Model::default());
        for step in 0..40 {
            let told = format!("seed {seed}, step {step}");
            one_step(&db, &mut rng, &mut model, &told).await?;
            let (rows, mut items) = stored(&db).await?;
            assert_eq!(rows, model.rows(), "{told}");
            items.sort_by_key(|item| format!("{:?}{:?}", item.get("pk"), item.get("sk")));
            let expected: Vec<Item> = model.0.values().map(|user| row_of(user).into()).collect();
            assert_eq!(items, expected, "{told}");
        }
        User::scan().delete_each().send(&db).await?.complete()?;
        assert_eq!(
            stored(&db).await?,
            (BTreeSet::new(), Vec::new()),
            "seed {seed}"
        );
    }
    Ok(())
}

async fn one_step(db: &Db, rng: &mut Rng, model: &mut Model, told: &str) -> Outcome {
    let (next, theirs) = (random_user(rng), OneTable(db));
    let held = model.0.get(&keys_of(&next)).cloned();
    let done = |sent: Result<()>| match sent {
        Ok(()) => true,
        Err(error) => {
            let is_expected =
                error.is_unique_violation() || error.is_already_exists() || error.is_not_found();
            assert!(is_expected, "{told}: {error}");
            false
        }
    };
    let (found, expected) = match rng.usize(..12) {
        0 | 1 => (theirs.create(&next).await, model.create(&next)),
        2 => (theirs.remove(&next).await, {
            model.0.remove(&keys_of(&next));
            true
        }),
        3 => {
            let changed = held.map(|held| User {
                email: next.email.clone(),
                ..held
            });
            let expected = changed.is_some_and(|changed| model.put(&changed));
            (theirs.update(&next, next.email.as_deref()).await, expected)
        }
        4 | 5 => (
            done(next.create().send(db).await.map(drop)),
            model.create(&next),
        ),
        6 => (done(next.put().send(db).await.map(drop)), model.put(&next)),
        7 => {
            let Some(held) = held else { return Ok(()) };
            let update = held.update().apply(|u| {
                let email = match &next.email {
                    Some(email) => u.email().set(email.clone()),
                    None => u.email().remove(),
                };
                let handle = match &next.handle {
                    Some(handle) => u.handle().set(handle.clone()),
                    None => u.handle().remove(),
                };
                (email, handle)
            });
            let changed = User {
                email: next.email.clone(),
                handle: next.handle.clone(),
                ..held.clone()
            };
            (done(update.send(db).await.map(drop)), model.put(&changed))
        }
        8 => {
            let modify = User::key(&*next.account, &*next.name).modify(|u| {
                u.email = next.email.clone();
                u.role = next.role.clone();
            });
            let changed = held.map(|held| User {
                email: next.email.clone(),
                role: next.role.clone(),
                ..held
            });
            let expected = changed.is_some_and(|changed| model.put(&changed));
            (done(modify.send(db).await.map(drop)), expected)
        }
        9 => {
            model.0.remove(&keys_of(&next));
            let delete = User::key(&*next.account, &*next.name).delete();
            (done(delete.send(db).await), true)
        }
        10 => {
            let report = put_each([next.put()])
                .max_failures(usize::MAX)
                .send(db)
                .await?;
            (report.failed == 0, model.put(&next))
        }
        _ => {
            let Some(held) = held else { return Ok(()) };
            model.0.remove(&keys_of(&held));
            (done(held.delete().send(db).await), true)
        }
    };
    assert_eq!(found, expected, "{told}: {next:?}");
    Ok(())
}
