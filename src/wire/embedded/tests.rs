//! The engine under a raw SDK client, and its file.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Wake};
use std::time::Duration;

use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType,
    ReturnValuesOnConditionCheckFailure, ScalarAttributeType,
};
use aws_sdk_dynamodb::{Client, operation::RequestId};

use super::EmbeddedEngine;
use crate::Dynamo;
use crate::error::ErrorKind;

async fn create_table(client: &Client) {
    let key = KeySchemaElement::builder()
        .attribute_name("pk")
        .key_type(KeyType::Hash);
    let attribute = AttributeDefinition::builder()
        .attribute_name("pk")
        .attribute_type(ScalarAttributeType::S);
    client
        .create_table()
        .table_name("tab")
        .key_schema(key.build().unwrap())
        .attribute_definitions(attribute.build().unwrap())
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await
        .unwrap();
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.into())
}

#[tokio::test]
async fn an_sdk_client_works_on_it() {
    let client = EmbeddedEngine::memory().await.unwrap().client();
    create_table(&client).await;
    let put = client
        .put_item()
        .table_name("tab")
        .item("pk", s("a"))
        .item("x", s("1"));
    assert!(put.clone().send().await.unwrap().request_id().is_some());
    let found = client
        .get_item()
        .table_name("tab")
        .key("pk", s("a"))
        .send()
        .await
        .unwrap();
    assert_eq!(found.item().unwrap()["x"], s("1"));
    let refused = put
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let refused = match refused {
        aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(e) => {
            e
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(refused.item().unwrap()["x"], s("1"));
}

/// The engine's own marks for classes of errors must not reach the caller.
#[tokio::test]
async fn a_bad_table_name_is_a_validation_exception() {
    let engine = EmbeddedEngine::memory().await.unwrap();
    let body = br#"{"TableName":"U","Key":{"pk":{"S":"a"}}}"#;
    let (status, body) = engine.execute("GetItem", body).await;
    let body = String::from_utf8(body).unwrap();
    assert_eq!(status, 400);
    assert!(body.contains("#ValidationException"), "{body}");
    assert!(!body.contains("VALIDATION"), "{body}");
}

#[tokio::test]
async fn broken_requests_are_refused() {
    let engine = EmbeddedEngine::memory().await.unwrap();
    for (operation, body) in [
        ("GetItem", &b"{"[..]),
        ("GetItem", b""),
        ("GetItem", b"{}"),
        ("GetItem", b"\xff"),
        ("Nonsense", b"{}"),
        ("", b"{}"),
    ] {
        let (status, body) = engine.execute(operation, body).await;
        assert_eq!(
            status,
            400,
            "{operation} {}",
            String::from_utf8_lossy(&body)
        );
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert!(body["__type"].is_string(), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_share_it() {
    let client = EmbeddedEngine::memory().await.unwrap().client();
    create_table(&client).await;
    let tasks: Vec<_> = (0..64)
        .map(|n| {
            let client = client.clone();
            tokio::spawn(async move {
                let put = client
                    .put_item()
                    .table_name("tab")
                    .item("pk", s(&n.to_string()));
                put.send().await.unwrap();
                client
                    .scan()
                    .table_name("tab")
                    .send()
                    .await
                    .unwrap()
                    .count()
            })
        })
        .collect();
    for task in tasks {
        assert!(task.await.unwrap() >= 1);
    }
    let all = client.scan().table_name("tab").send().await.unwrap();
    assert_eq!(all.count(), 64);
}

#[tokio::test]
async fn a_file_outlives_its_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let url = format!("embedded:{}", path.display());
    {
        let db = Dynamo::connect(&url).await.unwrap();
        create_table(db.client()).await;
        let put = db.client().put_item().table_name("tab").item("pk", s("a"));
        put.send().await.unwrap();
    }
    let db = Dynamo::connect(&url).await.unwrap();
    let found = db
        .client()
        .get_item()
        .table_name("tab")
        .key("pk", s("a"))
        .send()
        .await
        .unwrap();
    assert!(found.item().is_some());
}

#[tokio::test]
async fn one_file_one_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let first = EmbeddedEngine::open(&path).await.unwrap();
    let refused = EmbeddedEngine::open(&path).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Locked);
    assert!(
        refused.to_string().contains("in use by another process"),
        "{refused}"
    );
    #[cfg(unix)]
    {
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let refused = EmbeddedEngine::open(&link).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Locked);
    }
    // A client keeps the database open as well.
    let client = first.client();
    drop(first);
    assert!(EmbeddedEngine::open(&path).await.is_err());
    drop(client);
    EmbeddedEngine::open(&path).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn links_to_a_file_to_be_are_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let links = ["a.db", "b.db"].map(|name| folder.path().join(name));
    for link in &links {
        std::os::unix::fs::symlink(&path, link).unwrap();
    }
    let _first = EmbeddedEngine::open(&links[0]).await.unwrap();
    for same in [&links[0], &links[1], &path] {
        let refused = EmbeddedEngine::open(same).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Locked);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_name_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["100%41.db", "a b.db", "a#b.db", "a?vfs=unix.db", "ä&b=c.db"];
    for name in names {
        let path = folder.path().join(name);
        let engine = EmbeddedEngine::open(&path).await.unwrap();
        create_table(&engine.client()).await;
        drop(engine);
        assert!(std::fs::metadata(&path).unwrap().len() > 0, "{name}");
    }
    let files = std::fs::read_dir(folder.path()).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.filter(|name| name.ends_with(".db")).collect();
    files.sort();
    assert_eq!(files, names);
}

#[tokio::test]
async fn paths_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(
        &text,
        "not a database, but long enough to be mistaken for one",
    )
    .unwrap();
    for (path, says) in [
        (folder.path().join("missing/shop.db"), "create it first"),
        (folder.path().to_owned(), "is a folder"),
        (text, "cannot open"),
    ] {
        let error = EmbeddedEngine::open(&path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test]
async fn a_caller_that_gives_up_harms_nobody() {
    let engine = EmbeddedEngine::memory().await.unwrap();
    create_table(&engine.client()).await;
    for _ in 0..100 {
        let client = engine.client();
        let put = client
            .put_item()
            .table_name("tab")
            .item("pk", s("a"))
            .send();
        let _ = tokio::time::timeout(Duration::from_micros(50), put).await;
    }
    engine
        .client()
        .scan()
        .table_name("tab")
        .send()
        .await
        .unwrap();
}

/// After a panic inside the engine, its caller gets a 500, and the next caller is answered as usual.
#[tokio::test]
async fn a_panic_hangs_nobody() {
    let engine = EmbeddedEngine::memory().await.unwrap();
    let (status, body) = engine.execute(super::database::PANIC, b"{}").await;
    assert_eq!(status, 500);
    assert!(
        String::from_utf8(body)
            .unwrap()
            .contains("InternalServerError")
    );
    create_table(&engine.client()).await;
}

#[tokio::test]
async fn a_waker_that_panics_ends_nothing() {
    struct Bomb(AtomicU32);

    impl Wake for Bomb {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
            std::panic::resume_unwind(Box::new("woken"));
        }
    }

    let engine = EmbeddedEngine::memory().await.unwrap();
    let bomb = Arc::new(Bomb(AtomicU32::new(0)));
    let waker = bomb.clone().into();
    let is_woken = || bomb.0.load(Ordering::SeqCst) > 0;
    while !is_woken() {
        let mut call = pin!(engine.execute("ListTables", b"{}"));
        // A call that is answered at once wakes nobody.
        if call
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
        {
            continue;
        }
        while !is_woken() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        call.await;
    }
    create_table(&engine.client()).await;
}

#[test]
fn the_handles_are_for_every_thread() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<EmbeddedEngine>();
    shared::<super::EmbeddedHttpClient>();
    shared::<Arc<Dynamo>>();
}

/// Execution on the caller's thread needs little of its stack, in debug builds too, where threads of tests have 2 MB.
#[test]
fn brief_requests_need_little_stack() {
    let nested = |open: &str, close: &str, times: usize| {
        [open.repeat(times), "0".into(), close.repeat(times)].concat()
    };
    let value = nested("{\"L\":[", "]}", 12).replace('0', "{\"S\":\"x\"}");
    let mut condition = String::from("attribute_exists(pk)");
    for _ in 0..15 {
        condition = format!("({condition} AND attribute_exists(pk))");
    }
    let negated = format!("{}attribute_not_exists(pk)", "NOT ".repeat(29));
    let item = format!(r#"{{"pk":{{"S":"a"}},"v":{value}}}"#);
    let update = |condition: &str| {
        format!(
            r#"{{"TableName":"tab","Key":{{"pk":{{"S":"a"}}}},"UpdateExpression":"SET x = :v","ConditionExpression":"{condition}","ExpressionAttributeValues":{{":v":{value}}}}}"#
        )
    };
    let put = format!(r#"{{"TableName":"tab","Item":{item}}}"#);
    let requests = [
        ("PutItem", put.clone(), 200),
        ("UpdateItem", update(&condition), 200),
        ("UpdateItem", update(&negated), 200),
        (
            "GetItem",
            r#"{"TableName":"tab","Key":{"pk":{"S":"a"}}}"#.into(),
            200,
        ),
        (
            "TransactWriteItems",
            format!(r#"{{"TransactItems":[{{"Put":{put}}}]}}"#),
            200,
        ),
        ("DescribeTable", r#"{"TableName":"tab"}"#.into(), 200),
        (
            "DeleteItem",
            r#"{"TableName":"tab","Key":{"pk":{"S":"a"}}}"#.into(),
            200,
        ),
    ];
    let ask = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let engine = EmbeddedEngine::memory().await.unwrap();
            create_table(&engine.client()).await;
            for (operation, body, wanted) in requests {
                assert!(super::brief::is_brief(operation, body.as_bytes()), "{body}");
                let (status, said) = engine.execute(operation, body.as_bytes()).await;
                assert_eq!(status, wanted, "{body} {}", String::from_utf8_lossy(&said));
            }
        });
    };
    let thread = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(ask);
    thread.unwrap().join().unwrap();
}

/// While one request is being answered, others wait on the thread of the database and not on those of the callers.
#[tokio::test]
async fn a_caller_never_waits_for_another() {
    let engine = EmbeddedEngine::memory().await.unwrap();
    create_table(&engine.client()).await;
    let held = engine.hold().unwrap();
    let mut call = pin!(engine.execute("DescribeTable", br#"{"TableName":"tab"}"#));
    for _ in 0..3 {
        let waits = tokio::time::timeout(Duration::from_millis(20), call.as_mut()).await;
        assert!(waits.is_err(), "it is held");
    }
    drop(held);
    assert_eq!(call.await.0, 200);
}

/// Two tasks on one thread take turns, as they do where requests are under way: otherwise no race would be seen in tests.
#[tokio::test]
async fn callers_take_turns() {
    let engine = EmbeddedEngine::memory().await.unwrap();
    create_table(&engine.client()).await;
    let order = std::sync::Mutex::new(Vec::new());
    let caller = async |name: char| {
        for _ in 0..4 {
            engine
                .execute("DescribeTable", br#"{"TableName":"tab"}"#)
                .await;
            order.lock().unwrap().push(name);
        }
    };
    tokio::join!(caller('a'), caller('b'));
    for pair in order.into_inner().unwrap().chunks(2) {
        assert!(pair.contains(&'a') && pair.contains(&'b'), "{pair:?}");
    }
}
