//! The example `tasks`: its requests and answers, in this process.

use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use dynamo_entity::prelude::*;
use serde_json::{Value, json};
use tower::ServiceExt;
use uuid::Uuid;

use crate::support::db::{Db, Mode};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tasks::{Task, router};

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn header(&self, name: header::HeaderName) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }
}

async fn open() -> Result<(Db, Router)> {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([Task::schema()]).await?;
    let service = service(&db);
    Ok((db, service))
}

fn service(db: &Dynamo) -> Router {
    router(Arc::new(
        db.clone()
            .with_cursor_secret("a secret of the service")
            .expect("a secret"),
    ))
}

/// Sends a request: `send(&service, "PUT /lists/home/tasks/7", &[(IF_MATCH, "\"1\"")], json!({..}))`.
async fn send(
    service: &Router,
    line: &str,
    headers: &[(header::HeaderName, &str)],
    body: Value,
) -> Result<Answer, Box<dyn Error>> {
    let (method, path) = line.split_once(' ').ok_or("METHOD PATH")?;
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let request = match body {
        Value::Null => request.body(Body::empty()),
        body => request
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string())),
    };
    let response = service.clone().oneshot(request?).await?;
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await?;
    let body = match bytes.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&bytes)?,
    };
    Ok(Answer {
        status: parts.status,
        headers: parts.headers,
        body,
    })
}

async fn get(service: &Router, path: &str) -> Result<Answer, Box<dyn Error>> {
    send(service, &format!("GET {path}"), &[], Value::Null).await
}

/// Creates a task and returns its path.
async fn created(service: &Router, list: &str, title: &str) -> Result<String, Box<dyn Error>> {
    let line = format!("POST /lists/{list}/tasks");
    let answer = send(service, &line, &[], json!({ "title": title })).await?;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
    assert_eq!(answer.header(header::ETAG), "\"1\"");
    // The location is relative to the list.
    let location = answer.header(header::LOCATION);
    Ok(format!("/lists/{list}/{location}"))
}

#[tokio::test]
async fn tasks_are_created_once() -> Outcome {
    let (db, service) = open().await?;
    let path = created(&service, "home", "water the plants").await?;
    let read = get(&service, &path).await?;
    assert_eq!(read.status, StatusCode::OK);
    assert_eq!(read.body["title"], "water the plants");
    assert_eq!(read.body["done"], false);

    let id = Uuid::now_v7();
    let new = json!({ "id": id, "title": "once" });
    let line = "POST /lists/home/tasks";
    let first = send(&service, line, &[], new.clone()).await?;
    assert_eq!(first.status, StatusCode::CREATED);
    assert_eq!(first.body["id"], id.to_string());
    let again = send(&service, line, &[], new).await?;
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert_eq!(
        again.header(header::CONTENT_TYPE),
        "application/problem+json"
    );
    assert_eq!(db.count::<Task>().await, 2);

    for (body, status) in [
        (json!({ "title": " " }), StatusCode::UNPROCESSABLE_ENTITY),
        (
            json!({ "title": "x".repeat(1_001) }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (json!({ "titel": "x" }), StatusCode::UNPROCESSABLE_ENTITY),
        (Value::Null, StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        let refused = send(&service, line, &[], body).await?;
        assert_eq!(refused.status, status);
        assert_eq!(refused.body["status"], status.as_u16());
    }
    let missing = get(&service, &format!("/lists/work/tasks/{id}")).await?;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    let too_long = format!("/lists/{}/tasks", "x".repeat(3_000));
    for wrong in ["/lists/home/tasks/nonsense", &too_long] {
        let wrong = get(&service, wrong).await?;
        assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    }
    db.close().await
}

#[tokio::test]
async fn tasks_are_changed_only_by_those_who_saw_them() -> Outcome {
    let (db, service) = open().await?;
    let path = created(&service, "home", "water the plants").await?;
    let (put, delete) = (format!("PUT {path}"), format!("DELETE {path}"));
    let done = json!({ "title": "water them", "done": true });
    let if_match = |tag| [(header::IF_MATCH, tag)];

    let blind = send(&service, &put, &[], done.clone()).await?;
    assert_eq!(blind.status, StatusCode::PRECONDITION_REQUIRED);
    let changed = send(&service, &put, &if_match("\"1\""), done.clone()).await?;
    assert_eq!(changed.status, StatusCode::OK);
    assert_eq!(changed.header(header::ETAG), "\"2\"");
    assert_eq!(changed.body["title"], "water them");
    assert!(changed.body["created_at"].is_string());

    for other in [
        "\"1\"",
        "W/\"2\"",
        "\"02\"",
        "2",
        "\"nonsense\"",
        "\"1\", \"3\"",
    ] {
        for line in [&put, &delete] {
            let body = if line == &put {
                done.clone()
            } else {
                Value::Null
            };
            let late = send(&service, line, &if_match(other), body).await?;
            assert_eq!(late.status, StatusCode::PRECONDITION_FAILED, "{other}");
        }
    }
    let late = send(&service, &put, &if_match("\"1\""), done.clone()).await?;
    assert_eq!(late.header(header::ETAG), "\"2\"", "what it is now");
    let listed = send(&service, &put, &if_match("\"1\", \"2\""), done.clone()).await?;
    assert_eq!(listed.header(header::ETAG), "\"3\"");
    let any = send(&service, &put, &if_match("*"), done.clone()).await?;
    assert_eq!(any.header(header::ETAG), "\"4\"");

    let read = format!("GET {path}");
    for (tag, status) in [
        ("\"4\"", StatusCode::NOT_MODIFIED),
        ("\"3\", W/\"4\"", StatusCode::NOT_MODIFIED),
        ("\"3\"", StatusCode::OK),
    ] {
        let read = send(
            &service,
            &read,
            &[(header::IF_NONE_MATCH, tag)],
            Value::Null,
        )
        .await?;
        assert_eq!((read.status, read.header(header::ETAG)), (status, "\"4\""));
    }
    let gone = send(&service, &delete, &if_match("\"4\""), Value::Null).await?;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    for (line, body) in [(&delete, Value::Null), (&put, done)] {
        let missing = send(&service, line, &if_match("*"), body).await?;
        assert_eq!(missing.status, StatusCode::NOT_FOUND);
    }
    db.close().await
}

#[tokio::test]
async fn tasks_of_two_writers_at_once_have_one_winner() -> Outcome {
    let (db, service) = open().await?;
    let path = created(&service, "home", "water the plants").await?;
    let put = format!("PUT {path}");
    let write = |title: &'static str| {
        let body = json!({ "title": title, "done": true });
        send(&service, &put, &[(header::IF_MATCH, "\"1\"")], body)
    };
    let (one, other) = tokio::join!(write("one"), write("other"));
    let mut statuses = [one?.status, other?.status];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::PRECONDITION_FAILED]);
    db.close().await
}

#[tokio::test]
async fn tasks_are_listed_page_by_page() -> Outcome {
    let (db, service) = open().await?;
    for number in 0..7 {
        let path = created(&service, "home", &number.to_string()).await?;
        if number % 3 == 0 {
            let done = json!({ "title": number.to_string(), "done": true });
            let put = format!("PUT {path}");
            send(&service, &put, &[(header::IF_MATCH, "*")], done).await?;
        }
    }
    created(&service, "work", "another list").await?;
    let titles = |answer: &Answer| -> Vec<String> {
        let tasks = answer.body["tasks"].as_array().into_iter().flatten();
        let titles = tasks.filter_map(|task| task["title"].as_str());
        titles.map(str::to_owned).collect()
    };
    let open = "/lists/home/tasks?done=false&limit=2";
    let first = get(&service, open).await?;
    assert_eq!(titles(&first), ["1", "2"]);
    assert_eq!(first.body["previous"], Value::Null);
    let cursor = first.body["next"].as_str().ok_or("no cursor")?;
    let second = get(&service, &format!("{open}&cursor={cursor}")).await?;
    assert_eq!(titles(&second), ["4", "5"]);
    assert_eq!(second.body["next"], Value::Null);
    let back = second.body["previous"].as_str().ok_or("no way back")?;
    let back = get(&service, &format!("{open}&cursor={back}")).await?;
    assert_eq!(titles(&back), titles(&first));
    assert_eq!(titles(&get(&service, "/lists/home/tasks").await?).len(), 7);

    let unsigned = router(Arc::new((*db).clone()));
    let unsigned = get(&unsigned, open).await?;
    let unsigned = unsigned.body["next"].as_str().ok_or("no cursor")?;
    for wrong in [
        "/lists/home/tasks?cursor=nonsense".to_owned(),
        format!("{open}&cursor={unsigned}"),
        format!("/lists/work/tasks?done=false&cursor={cursor}"),
        format!("/lists/home/tasks?cursor={cursor}"),
        "/lists/home/tasks?limit=0".to_owned(),
        "/lists/home/tasks?limit=101".to_owned(),
        "/lists/home/tasks?limit=many".to_owned(),
    ] {
        let refused = get(&service, &wrong).await?;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{wrong}");
        assert_eq!(refused.body["status"], 400);
    }
    db.close().await
}

#[tokio::test]
async fn tasks_say_when_to_try_again_and_when_to_look_first() -> Outcome {
    let (db, service) = open().await?;
    let path = created(&service, "home", "water the plants").await?;
    let put = format!("PUT {path}");
    let if_match = &[(header::IF_MATCH, "\"1\"")];
    let done = json!({ "title": "water them", "done": true });
    let (faulty, faults) = db.faulty([]);
    let unlucky = self::service(&faulty);

    faults.plan(vec![Fault::throttle(); 3]);
    let busy = send(&unlucky, &put, if_match, done.clone()).await?;
    assert_eq!(busy.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(busy.header(header::RETRY_AFTER), "1");
    faults.plan(vec![Fault::Refused; 3]);
    let away = get(&unlucky, &path).await?;
    assert_eq!(away.status, StatusCode::SERVICE_UNAVAILABLE);

    faults.plan([Fault::Lose]);
    let lost = send(&unlucky, &put, if_match, done.clone()).await?;
    assert_eq!(lost.status, StatusCode::GATEWAY_TIMEOUT);
    assert_eq!(lost.header(header::RETRY_AFTER), "");
    // The first write took effect. Sending it again does no harm and returns the current version.
    let again = send(&service, &put, if_match, done).await?;
    assert_eq!(again.status, StatusCode::PRECONDITION_FAILED);
    assert_eq!(again.header(header::ETAG), "\"2\"");

    faults.plan([Fault::Reply(400, "{}".into())]);
    let ours = get(&unlucky, &path).await?;
    assert_eq!(ours.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(ours.body["detail"], "this is our fault");
    db.close().await
}
