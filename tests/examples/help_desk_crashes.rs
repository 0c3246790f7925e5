//! The example `help_desk`: what it stores agrees, whichever request is the last one before a crash.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use dynamo_entity::prelude::*;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::help_desk::api::router;
use crate::help_desk::desk::{Desk, NewTicket, Outcome};
use crate::help_desk::model::*;
use crate::support::db::{Db, Mode};
use crate::support::faulty::Fault;

fn new(email: &str, subject: &str) -> NewTicket {
    NewTicket {
        email: email.into(),
        subject: subject.into(),
        text: "it is broken".into(),
        priority: Priority::Normal,
        due: None,
    }
}

async fn begin() -> Outcome<(Db, Desk)> {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([HelpDesk::schema()]).await?;
    let desk = Desk::of(&db, "acme", "ann");
    desk.sign_up("Acme", "ann@example.org").await?;
    Ok((db, desk))
}

/// Compares what is counted with what is there.
async fn agrees(db: &Dynamo) -> Result<Vec<Ticket>> {
    let tickets = Ticket::scan().consistent().all(db).await?;
    let comments = Comment::scan().consistent().all(db).await?;
    let events = Event::scan().consistent().all(db).await?;
    let mut counted = BTreeMap::new();
    for ticket in &tickets {
        *counted.entry(format!("{:?}", ticket.status)).or_insert(0) += 1;
        let theirs = comments
            .iter()
            .filter(|c| c.ticket == ticket.ticket)
            .count();
        assert_eq!(ticket.comments as usize, theirs, "{ticket:?}");
        assert!(events.iter().any(|event| event.ticket == ticket.ticket));
    }
    let tallies = Tally::scan().consistent().all(db).await?;
    let tallies = tallies.into_iter().filter(|tally| tally.tickets != 0);
    let told: BTreeMap<String, i64> = tallies
        .map(|tally| (format!("{:?}", tally.status), tally.tickets))
        .collect();
    assert_eq!(told, counted);
    let mut numbers: Vec<u64> = tickets.iter().map(|ticket| ticket.ticket).collect();
    numbers.sort_unstable();
    assert!(
        numbers.iter().copied().eq(1..=tickets.len() as u64),
        "{numbers:?}"
    );
    let last = Counter::key("acme", "ticket")
        .get()
        .consistent()
        .send(db)
        .await?;
    assert_eq!(last.map_or(0, |counter| counter.last), tickets.len() as u64);
    Ok(tickets)
}

/// What an agent does on a day.
async fn day(desk: &Desk) -> Outcome {
    let first = desk.open(&new("bob@example.org", "printer")).await?;
    let second = desk
        .open(&new("bob@example.org", "the same printer"))
        .await?;
    desk.assign(first, "ann").await?;
    for text in ["one", "two", "three"] {
        desk.comment(second, None, text).await?;
    }
    desk.tag(first, "hardware").await?;
    desk.merge(second, first).await?;
    desk.change(first, "solved", |_, ticket| {
        ticket.status = Status::Solved;
        Ok(())
    })
    .await?;
    desk.erase("bob@example.org").await
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_agrees_whichever_request_is_the_last() -> Outcome {
    for lost in [Fault::refuse("AccessDeniedException"), Fault::Lose] {
        for requests in 0.. {
            let (db, desk) = begin().await?;
            let none = Fault::refuse("AccessDeniedException");
            let plan = std::iter::repeat_n(Fault::Pass, requests).chain([lost.clone()]);
            let (faulty, _) = db.faulty(plan.chain(std::iter::repeat_n(none, 50)));
            let unlucky = Desk::of(&faulty, "acme", "ann");
            let is_done = day(&unlucky).await.is_ok();
            let tickets = agrees(&db).await?;
            // A merge that was begun goes on, and so does the rest of the day.
            if let Some(merged) = tickets.iter().find(|ticket| ticket.merged_into.is_some()) {
                let into = merged.merged_into.expect("it was merged");
                desk.merge(merged.ticket, into).await?;
                let left = Comment::in_partition("acme", merged.ticket).consistent();
                assert_eq!(left.count(&db).await?, 0);
            }
            day(&desk).await?;
            let tickets = agrees(&db).await?;
            assert!(
                tickets
                    .iter()
                    .all(|ticket| ticket.customer.is_none() || !is_done)
            );
            if is_done {
                assert!(requests > 20, "{requests} requests");
                break;
            }
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_have_no_gap_under_load() -> Outcome {
    let (db, desk) = begin().await?;
    let tasks = (0..20).map(|n| {
        let desk = desk.clone();
        tokio::spawn(async move {
            desk.open(&new(&format!("c{}@example.org", n % 3), "help"))
                .await
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("a task")?;
    }
    assert_eq!(agrees(&db).await?.len(), 20);
    let customers = Customer::scan().consistent().all(&db).await?;
    assert_eq!(customers.len(), 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_in_the_order_of_work() -> Outcome {
    let (db, desk) = begin().await?;
    let noon = "2026-03-01T12:00:00Z".parse().expect("a time");
    for (priority, due) in [
        (Priority::Low, Some(noon)),
        (Priority::Urgent, None),
        (Priority::Normal, None),
        (Priority::Urgent, Some(noon)),
    ] {
        let ticket = NewTicket {
            priority,
            due,
            ..new("bob@example.org", "help")
        };
        desk.open(&ticket).await?;
    }
    let numbers = |tickets: Vec<Ticket>| tickets.iter().map(|t| t.ticket).collect::<Vec<_>>();
    assert_eq!(
        numbers(desk.queue(Status::New).all(&db).await?),
        [4, 2, 3, 1]
    );
    for ticket in 1..=4 {
        desk.assign(ticket, "ann").await?;
    }
    assert_eq!(numbers(desk.mine().all(&db).await?), [1, 4, 2, 3]);
    assert_eq!(numbers(desk.undated().all(&db).await?), [2, 3]);
    let later = noon + chrono::TimeDelta::hours(1);
    assert_eq!(numbers(desk.overdue(later).all(&db).await?), [1, 4]);
    desk.tag(3, "printer").await?;
    assert_eq!(numbers(desk.tagged("printer").await?), [3]);
    desk.set_away(true).await?;
    assert!(desk.assign(1, "ann").await.is_err());
    desk.add_agent("eve", "eve@example.org").await?;
    assert!(desk.add_agent("ann2", "ann@example.org").await.is_err());
    desk.untag(3, "printer").await?;
    assert!(desk.tagged("printer").await?.is_empty());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_answers() -> Result<(), Box<dyn std::error::Error>> {
    let (db, desk) = begin().await?;
    let token = desk.log_in().await?;
    let service = router((*db).clone());
    let send = async |method: &str, path: &str, token: &str, body: Value| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json");
        let answer = service
            .clone()
            .oneshot(request.body(Body::from(body.to_string()))?)
            .await?;
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), usize::MAX).await?;
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok::<_, Box<dyn std::error::Error>>((status, body))
    };
    let ticket =
        json!({ "email": "bob@example.org", "subject": "s", "text": "t", "priority": "high" });
    let (status, _) = send("POST", "/tickets", "nobody", ticket.clone()).await?;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let (status, opened) = send("POST", "/tickets", &token, ticket).await?;
    assert_eq!(
        (status, &opened),
        (StatusCode::CREATED, &json!({ "ticket": 1 }))
    );
    let (status, _) = send(
        "PATCH",
        "/tickets/1",
        &token,
        json!({ "assignee": "ann", "priority": "low" }),
    )
    .await?;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (status, _) = send("PATCH", "/tickets/9", &token, json!({ "status": "open" })).await?;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, _) = send(
        "POST",
        "/tickets/1/comments",
        &token,
        json!({ "text": "soon" }),
    )
    .await?;
    assert_eq!(status, StatusCode::CREATED);
    let (_, mine) = send("GET", "/mine", &token, Value::Null).await?;
    assert_eq!(mine[0]["priority"], "low");
    let (_, queue) = send("GET", "/tickets?status=open", &token, Value::Null).await?;
    assert_eq!(queue["tickets"].as_array().map(Vec::len), Some(1));
    let (_, records) = send("GET", "/tickets/1", &token, Value::Null).await?;
    let who: Vec<_> = records
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|r| r["by"].as_str())
        .collect();
    assert_eq!(who, ["ann", "ann", "ann"]);
    let (_, report) = send("GET", "/report", &token, Value::Null).await?;
    assert!(report.as_array().is_some_and(|all| {
        all.contains(&json!({ "tenant": "acme", "status": "open", "tickets": 1 }))
    }));
    Ok(())
}
