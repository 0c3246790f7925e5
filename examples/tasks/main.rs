//! Lists of tasks over HTTP. It is a template for services.
//!
//! ```sh
//! cargo run --example tasks
//! curl -i localhost:3000/lists/home/tasks --json '{"title": "water the plants"}'
//! curl -i 'localhost:3000/lists/home/tasks?done=false&limit=20'
//! ```
//!
//! | request | answers |
//! |---|---|
//! | `POST /lists/{list}/tasks` | 201 with `Location`; 409 if the `id` it gives is taken |
//! | `GET /lists/{list}/tasks?limit=&cursor=&done=` | 200 with `tasks`, `next`, `previous`; 400 for a cursor of something else |
//! | `GET /lists/{list}/tasks/{id}` | 200, 304 with `If-None-Match`, 404 |
//! | `PUT /lists/{list}/tasks/{id}` | 200, 404; 412 if `If-Match` names another version; 428 without |
//! | `DELETE /lists/{list}/tasks/{id}` | 204, otherwise the same |
//!
//! A write without `If-Match` could undo a change that its sender never saw, so it is rejected. `If-Match: *` accepts
//! any version. After a 503 you can send the request again. After a 504, it is not known whether a write took effect:
//! read the task, or send the write again, which is harmless if it has an `id` or an `If-Match`.

use std::env;
use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use chrono::{DateTime, Utc};
use dynamo_entity::observe::CapacityByPattern;
use dynamo_entity::prelude::*;
use tokio::net::TcpListener;
use tracing_subscriber::fmt::format::FmtSpan;
use uuid::Uuid;

mod api;
mod etag;
mod problem;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "task", key(pk = "LIST#{list}", sk = id), repository)]
pub struct Task {
    pub list: String,
    /// A UUID of version 7, so a list is in the order of creation. No id is used twice, so the version
    /// identifies a state of the task.
    pub id: Uuid,
    pub title: String,
    pub done: bool,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(created_at)]
    pub created_at: Option<DateTime<Utc>>,
    #[dynamo(updated_at)]
    pub updated_at: Option<DateTime<Utc>>,
}

/// The service, for any store of its tasks.
pub fn router(tasks: Arc<dyn TaskRepository>) -> Router {
    let list = get(api::list).post(api::create);
    let task = get(api::read).put(api::replace).delete(api::delete);
    Router::new()
        .route("/lists/{list}/tasks", list)
        .route("/lists/{list}/tasks/{id}", task)
        .with_state(tasks)
}

/// Clients get cursors and send them back. They are signed, so that no client can make one up.
fn cursor_secret() -> String {
    env::var("CURSOR_SECRET").unwrap_or_else(|_| {
        tracing::warn!("CURSOR_SECRET is not set: cursors end with this process");
        format!("{}{}", Uuid::new_v4(), Uuid::new_v4())
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A line for each request to the store, beside those of the service.
    tracing_subscriber::fmt()
        .with_span_events(FmtSpan::CLOSE)
        .init();
    let meter = CapacityByPattern::default();
    let db = Dynamo::from_env_or("embedded:memory").await?;
    let db = db
        .with_prefix("example")
        .with_cursor_secret(cursor_secret())?
        .with_tracing()
        .with_observer(meter.observer());
    db.create_tables([Task::schema()]).await?;

    let address = env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:3000".into());
    let listener = TcpListener::bind(address).await?;
    tracing::info!("listening on http://{}", listener.local_addr()?);
    let stop = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    let service = axum::serve(listener, router(Arc::new(db)));
    service.with_graceful_shutdown(stop).await?;
    println!("{meter}");
    Ok(())
}
