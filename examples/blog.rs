//! A blog in one table: posts and comments are loaded from JSON, and the table gets an index later.
//!
//!     cargo run --example blog

use std::error::Error;
use std::path::Path;

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use serde::Deserialize;

#[derive(DynamoTable)]
#[dynamo(name = "blog", pk = "pk", sk = "sk", entities(Post, Comment))]
#[dynamo(gsi(by_author, pk = "author", sk = "written_at"))]
pub struct Blog;

/// All posts are in one partition, so that they can be listed, and those of an author lie together. The index
/// keys are the fields themselves, so DynamoDB also fills the index with posts that are older than it.
#[derive(Debug, Clone, PartialEq, DynamoEntity, Deserialize)]
// A blog has few writers, so one partition takes all posts.
#[dynamo(table = Blog, key(pk = "POSTS", sk = "{author}#{id}"), allow(constant_partition))]
#[dynamo(gsi(by_author, pk = author, sk = written_at))]
pub struct Post {
    pub author: String,
    pub id: String,
    pub written_at: DateTime<Utc>,
    pub title: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity, Deserialize)]
#[dynamo(table = Blog, key(pk = "POST#{post}", sk = "{written_at}#{by}"))]
pub struct Comment {
    pub post: String,
    pub written_at: DateTime<Utc>,
    pub by: String,
    pub text: String,
}

/// A line of the file. Serde only says how JSON is read and nothing about the table.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Line {
    Post(Post),
    Comment(Comment),
}

/// The answers to the five questions: ids of posts, and texts of comments.
#[derive(Debug)]
pub struct Facts {
    pub all_posts: Vec<String>,
    pub one_post: Option<Post>,
    pub by_index: Vec<String>,
    pub by_prefix: Vec<String>,
    pub comments: Vec<String>,
}

pub async fn run(db: &Dynamo) -> Result<Facts, Box<dyn Error>> {
    // This creates the table as it was before it had an index.
    let mut first = Blog::schema();
    first.global_indexes.clear();
    db.create_tables([first]).await?;
    load(db, Path::new(env!("CARGO_MANIFEST_DIR"))).await?;
    // This waits until the index holds all items of the table.
    db.add_indexes([Blog::schema()]).await?;

    let all_posts = Post::in_partition().all(db).await?;
    let all_posts = show("all posts", all_posts, |post| post.id);

    let one_post = Post::key("ann", "keys").get().send(db).await?;
    let title = one_post.as_ref().map(|post| post.title.as_str());
    println!("{:<24}{}", "one post", title.unwrap_or("-"));

    let latest_first = Post::by_author("ann").descending().all(db).await?;
    let by_index = show("ann's, latest first", latest_first, |post| post.id);

    // This finds the posts of `ann` and not those of `anna`.
    let by_id = Post::in_partition().author().eq("ann").all(db).await?;
    let by_prefix = show("ann's, by id", by_id, |post| post.id);

    let comments = Comment::in_partition("keys").all(db).await?;
    let comments = show("comments of a post", comments, |comment| comment.text);
    Ok(Facts {
        all_posts,
        one_post,
        by_index,
        by_prefix,
        comments,
    })
}

async fn load(db: &Dynamo, project: &Path) -> Result<(), Box<dyn Error>> {
    let json = std::fs::read(project.join("examples/blog.json"))?;
    let lines: Vec<Line> = serde_json::from_slice(&json)?;
    // A batch writes 25 items per request, and sends again what a busy service did not take.
    let batch = lines.iter().fold(Batch::new(), |batch, line| match line {
        Line::Post(post) => batch.with(post.put()),
        Line::Comment(comment) => batch.with(comment.put()),
    });
    batch.send(db).await?.complete()?;
    Ok(())
}

fn show<E>(what: &str, rows: Vec<E>, text: impl Fn(E) -> String) -> Vec<String> {
    let texts: Vec<String> = rows.into_iter().map(text).collect();
    println!("{what:<24}{}", texts.join(" · "));
    texts
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
