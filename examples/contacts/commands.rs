//! The commands that work on one contact, and the command `list`.

use dynamo_entity::all;
use dynamo_entity::prelude::*;
use dynamo_entity::write::Update;
use tracing::instrument;

use super::pages::Pages;
use super::transfer::Card;
use super::{App, Contact, Failure, cli};

#[instrument(skip_all, err(level = "debug", Debug))]
pub async fn create(app: &mut App<'_>, card: Card) -> Result<(), Failure> {
    let contact = card.into_contact(&app.book);
    let created = app.contacts.create(&contact).await;
    show(app, &created.map_err(Failure::of(&contact.handle))?)
}

#[instrument(skip(app), err(level = "debug", Debug))]
pub async fn get(app: &mut App<'_>, handle: &str) -> Result<(), Failure> {
    let found = app.contacts.get_consistent(app.key(handle)).await?;
    show(app, &found.ok_or_else(|| Failure::missing(handle))?)
}

#[instrument(skip_all, err(level = "debug", Debug))]
pub async fn list(app: &mut App<'_>, list: cli::List) -> Result<(), Failure> {
    let book = Contact::in_partition(&app.book);
    let mut query = match &list.starts_with {
        Some(start) => book.handle().starts_with(start).query(),
        None => book.query(),
    };
    if let Some(tag) = &list.tag {
        query = query.filter(|c| c.tags().contains(tag));
    }
    let query = query.limit(list.limit.into()).resume(list.cursor);
    let mut pages = Pages::new(app.contacts.clone(), query.into());
    while let Some(contacts) = pages.next().await? {
        for contact in &contacts {
            show(app, contact)?;
        }
        if !list.all {
            break;
        }
    }
    if let Some(next) = pages.cursor() {
        writeln!(app.notes, "There are more: --cursor {next}")?;
    }
    Ok(())
}

#[instrument(skip_all, fields(handle = update.handle), err(level = "debug", Debug))]
pub async fn update(app: &mut App<'_>, update: cli::Update) -> Result<(), Failure> {
    let changed = changed(app.key(&update.handle), update.changes, update.if_version);
    let changed = app.contacts.update(changed).await;
    show(app, &changed.map_err(Failure::of(&update.handle))?)
}

/// Builds one update for any set of changes, because a change or a condition may be an `Option`.
fn changed(key: Key<Contact>, changes: cli::Changes, version: Option<u64>) -> Update<Contact> {
    let update = key.update().apply(|c| {
        (
            changes.name.map(|name| c.name().set(name)),
            changes.email.map(|email| c.email().set(email)),
            changes.no_email.then(|| c.email().remove()),
            (!changes.tags.is_empty()).then(|| c.tags().insert_all(changes.tags)),
            (!changes.untag.is_empty()).then(|| c.tags().discard_all(changes.untag)),
        )
    });
    update.when(|c| all(version.map(|version| c.version().eq(version))))
}

#[instrument(skip_all, fields(handle = delete.handle), err(level = "debug", Debug))]
pub async fn delete(app: &mut App<'_>, delete: cli::Delete) -> Result<(), Failure> {
    let gone = app.key(&delete.handle).delete().if_exists();
    let gone = gone.when(|c| all(delete.if_version.map(|version| c.version().eq(version))));
    let gone = app.contacts.delete_if(gone).await;
    gone.map_err(Failure::of(&delete.handle))
}

impl App<'_> {
    fn key(&self, handle: &str) -> Key<Contact> {
        Contact::key(&self.book, handle)
    }
}

/// Prints a contact as one line. Tabs separate its parts, so that other programs can read it.
fn show(app: &mut App<'_>, contact: &Contact) -> Result<(), Failure> {
    let tags: Vec<&str> = contact.tags.iter().map(String::as_str).collect();
    writeln!(
        app.out,
        "{}\tv{}\t{}\t{}\t{}",
        contact.handle,
        contact.version,
        contact.name,
        contact.email.as_deref().unwrap_or("-"),
        tags.join(","),
    )?;
    Ok(())
}
