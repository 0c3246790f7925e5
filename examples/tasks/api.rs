//! The handlers of the requests.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use dynamo_entity::prelude::{Cursor, Key, QueryExt, Version};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::etag::{IfMatch, etag, is_known};
use super::problem::Problem;
use super::{Task, TaskRepository};

type Tasks = State<Arc<dyn TaskRepository>>;
type TaskPath = Result<Path<(String, Uuid)>, PathRejection>;

/// A task as clients see it. The stored form can change while this stays the same.
#[derive(Debug, Serialize)]
pub struct TaskView {
    id: Uuid,
    title: String,
    done: bool,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize)]
pub struct ListView {
    tasks: Vec<TaskView>,
    next: Option<Cursor>,
    previous: Option<Cursor>,
}

#[derive(Debug, Deserialize)]
pub struct ListQuery {
    #[serde(default = "some_tasks")]
    limit: usize,
    cursor: Option<Cursor>,
    done: Option<bool>,
}

fn some_tasks() -> usize {
    20
}

const MOST_TASKS: usize = 100;

const LONGEST_TITLE: usize = 1_000;

/// How many tasks a filter may read. A page can be short, and then `next` goes on.
const MOST_SCANNED: usize = 1_000;

#[derive(Debug, Deserialize)]
pub struct NewTask {
    /// A client that chooses the id can send the request twice: the second one finds the first and gets a 409.
    id: Option<Uuid>,
    title: String,
}

#[derive(Debug, Deserialize)]
pub struct TaskBody {
    title: String,
    done: bool,
}

pub async fn create(
    State(tasks): Tasks,
    list: Result<Path<String>, PathRejection>,
    body: Result<Json<NewTask>, JsonRejection>,
) -> Result<Response, Problem> {
    let (Path(list), Json(new)) = (list?, body?);
    let task = Task {
        list,
        id: new.id.unwrap_or_else(Uuid::now_v7),
        title: titled(new.title)?,
        done: false,
        version: Version::default(),
        created_at: None,
        updated_at: None,
    };
    let task = tasks.create(&task).await?;
    // The location is relative to the list, in the client's own spelling.
    let location = [(header::LOCATION, format!("tasks/{}", task.id))];
    Ok((StatusCode::CREATED, location, shown(task)).into_response())
}

pub async fn list(
    State(tasks): Tasks,
    list: Result<Path<String>, PathRejection>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<ListView>, Problem> {
    let (Path(list), Query(query)) = (list?, query?);
    if !(1..=MOST_TASKS).contains(&query.limit) {
        let range = format!("`limit` is from 1 to {MOST_TASKS}");
        return Err(Problem::new(StatusCode::BAD_REQUEST, &range));
    }
    let mut rows = Task::in_partition(list).consistent();
    if let Some(done) = query.done {
        rows = rows.filter(|t| t.done().eq(done)).max_scanned(MOST_SCANNED);
    }
    let page = rows.limit(query.limit).resume(query.cursor);
    let page = tasks.page(page.into()).await?;
    Ok(Json(ListView {
        tasks: page.rows.into_iter().map(TaskView::from).collect(),
        next: page.next,
        previous: page.previous,
    }))
}

pub async fn read(
    State(tasks): Tasks,
    path: TaskPath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = tasks.get_consistent(key(path)?).await?;
    let task = found.ok_or_else(Problem::not_found)?;
    if is_known(&headers, task.version) {
        let tag = [(header::ETAG, etag(task.version))];
        return Ok((StatusCode::NOT_MODIFIED, tag).into_response());
    }
    Ok(shown(task))
}

/// Takes one request, because the write itself checks the version that the client saw.
pub async fn replace(
    State(tasks): Tasks,
    path: TaskPath,
    seen: IfMatch,
    body: Result<Json<TaskBody>, JsonRejection>,
) -> Result<Response, Problem> {
    let Json(body) = body?;
    let title = titled(body.title)?;
    let update = key(path)?.update().when(|t| seen.condition(t));
    let update = update.apply(|t| (t.title().set(title), t.done().set(body.done)));
    Ok(shown(tasks.update(update).await?))
}

pub async fn delete(
    State(tasks): Tasks,
    path: TaskPath,
    seen: IfMatch,
) -> Result<StatusCode, Problem> {
    let delete = key(path)?.delete().if_exists();
    tasks.delete_if(delete.when(|t| seen.condition(t))).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn key(path: TaskPath) -> Result<Key<Task>, Problem> {
    let Path((list, id)) = path?;
    Ok(Task::key(list, id))
}

fn titled(title: String) -> Result<String, Problem> {
    if title.trim().is_empty() || title.len() > LONGEST_TITLE {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        let detail = format!("`title` is empty or has more than {LONGEST_TITLE} bytes");
        return Err(Problem::new(status, &detail));
    }
    Ok(title)
}

fn shown(task: Task) -> Response {
    let tag = [(header::ETAG, etag(task.version))];
    (tag, Json(TaskView::from(task))).into_response()
}

impl From<Task> for TaskView {
    fn from(task: Task) -> Self {
        TaskView {
            id: task.id,
            title: task.title,
            done: task.done,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}
