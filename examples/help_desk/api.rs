//! The help desk over HTTP. Every request carries the token of a session.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::{StatusCode, header, request::Parts};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use dynamo_entity::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::desk::{Desk, DeskError, NewTicket, Outcome};
use super::model::{Priority, Status};

type Answer = Outcome<Json<Value>>;
type Created = Outcome<(StatusCode, Json<Value>)>;

pub fn router(db: Dynamo) -> Router {
    Router::new()
        .route("/tickets", get(queue).post(open))
        .route("/tickets/{ticket}", get(read).patch(change))
        .route("/tickets/{ticket}/comments", post(comment))
        .route("/mine", get(mine))
        .route("/report", get(report))
        .with_state(db)
}

impl FromRequestParts<Dynamo> for Desk {
    type Rejection = DeskError;

    async fn from_request_parts(parts: &mut Parts, db: &Dynamo) -> Outcome<Self> {
        let header = parts.headers.get(header::AUTHORIZATION);
        let header = header.and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| value.strip_prefix("Bearer "));
        Desk::resume(db, token.ok_or(DeskError::Missing("session"))?).await
    }
}

impl IntoResponse for DeskError {
    fn into_response(self) -> Response {
        use ErrorKind as K;
        let status = match &self {
            DeskError::Missing("session") => StatusCode::UNAUTHORIZED,
            DeskError::Missing(_) => StatusCode::NOT_FOUND,
            DeskError::Refused(_) => StatusCode::CONFLICT,
            DeskError::Database(error) => match error.kind() {
                K::NotFound => StatusCode::NOT_FOUND,
                K::AlreadyExists | K::UniqueViolation | K::Conflict => StatusCode::CONFLICT,
                K::InvalidCursor | K::InvalidKey | K::InvalidValue => StatusCode::BAD_REQUEST,
                K::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                K::Throttled | K::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
                K::OutcomeUnknown => StatusCode::GATEWAY_TIMEOUT,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            },
        };
        (status, Json(json!({ "detail": self.to_string() }))).into_response()
    }
}

#[derive(Deserialize)]
struct QueueQuery {
    status: Status,
    cursor: Option<Cursor>,
}

async fn queue(desk: Desk, Query(query): Query<QueueQuery>) -> Answer {
    let queue = desk.queue(query.status).limit(50).resume(query.cursor);
    let page = queue.page(&desk.db).await?;
    Ok(Json(json!({ "tickets": page.rows, "next": page.next })))
}

async fn open(desk: Desk, Json(new): Json<NewTicket>) -> Created {
    let ticket = desk.open(&new).await?;
    Ok((StatusCode::CREATED, Json(json!({ "ticket": ticket }))))
}

async fn read(desk: Desk, Path(ticket): Path<u64>) -> Answer {
    Ok(Json(json!(desk.read(ticket).await?)))
}

/// What is left out stays as it is.
#[derive(Deserialize)]
struct Change {
    status: Option<Status>,
    priority: Option<Priority>,
    assignee: Option<String>,
}

async fn change(desk: Desk, Path(id): Path<u64>, Json(new): Json<Change>) -> Outcome<StatusCode> {
    if let Some(agent) = new.assignee {
        desk.assign(id, &agent).await?;
    }
    desk.change(id, "changed", |_, ticket| {
        ticket.status = new.status.unwrap_or(ticket.status);
        ticket.priority = new.priority.unwrap_or(ticket.priority);
        Ok(())
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

async fn comment(desk: Desk, Path(id): Path<u64>, Json(new): Json<Text>) -> Created {
    let comment = desk.comment(id, None, &new.text).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": comment }))))
}

async fn mine(desk: Desk) -> Answer {
    Ok(Json(json!(desk.mine().all(&desk.db).await?)))
}

async fn report(desk: Desk) -> Answer {
    Ok(Json(json!(desk.tallies().all(&desk.db).await?)))
}
