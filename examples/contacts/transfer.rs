//! Writes contacts to a file and reads them back, each as a line of JSON.

use std::collections::BTreeSet;
use std::collections::hash_map::{Entry, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use dynamo_entity::prelude::*;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use tokio::task::JoinSet;
use tracing::instrument;

use super::failure::explained;
use super::pages::Pages;
use super::{App, Contact, ContactRepository, Failure, cli};

/// What a file holds of a contact. It leaves out the book and the fields that the library manages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub handle: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
}

impl Card {
    pub fn into_contact(self, book: &str) -> Contact {
        Contact {
            book: book.to_owned(),
            handle: self.handle,
            name: self.name,
            email: self.email,
            tags: self.tags,
            version: Version::default(),
            created_at: None,
            updated_at: None,
        }
    }
}

impl From<Contact> for Card {
    fn from(contact: Contact) -> Self {
        Card {
            handle: contact.handle,
            name: contact.name,
            email: contact.email,
            tags: contact.tags,
        }
    }
}

/// Writes all contacts to a file. The file appears, or replaces an older one, only when it is complete.
#[instrument(skip_all, err(level = "debug", Debug))]
pub async fn export(app: &mut App<'_>, file: &Path) -> Result<(), Failure> {
    if file == Path::new("-") {
        let mut cards = Vec::new();
        let mut pages = all_of(app);
        while let Some(page) = pages.next().await? {
            write_cards(&mut cards, page)?;
            app.out.write_all(&cards)?;
            cards.clear();
        }
        return Ok(());
    }
    let fail = || Failure::file(file);
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let part = NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(fail())?;
    let mut cards = BufWriter::new(part);
    let bar = ProgressBar::new_spinner().with_style(style("{spinner} {pos} contacts {per_sec}"));
    let mut pages = all_of(app);
    while let Some(page) = pages.next().await? {
        bar.inc(page.len() as u64);
        write_cards(&mut cards, page).map_err(fail())?;
    }
    let part = cards.into_inner().map_err(|error| error.into_error());
    let part = part.map_err(fail())?;
    part.as_file().sync_all().map_err(fail())?;
    part.persist(file).map_err(|error| fail()(error.error))?;
    bar.finish_and_clear();
    writeln!(app.notes, "{} contacts", bar.position())?;
    Ok(())
}

fn all_of(app: &App<'_>) -> Pages {
    let all = Contact::in_partition(&app.book).consistent();
    Pages::new(app.contacts.clone(), all.into())
}

fn write_cards(out: &mut impl Write, contacts: Vec<Contact>) -> io::Result<()> {
    for contact in contacts {
        serde_json::to_writer(&mut *out, &Card::from(contact))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Imports the good lines and reports each bad one with its number. Contacts that are equal already are left
/// alone, so an import that was stopped can be run again. It stops if the store is not available.
#[instrument(skip_all, err(level = "debug", Debug))]
pub async fn import(app: &mut App<'_>, args: cli::Import) -> Result<(), Failure> {
    let (file, bar) = read(&args.file).map_err(Failure::file(&args.file))?;
    let mut import = Importing {
        contacts: app.contacts.clone(),
        replace: args.replace,
        notes: app.notes,
        bar,
        writes: JoinSet::new(),
        first: HashMap::new(),
        counts: Counts::default(),
        stopped: None,
    };
    for (number, line) in (1..).zip(file.split(b'\n')) {
        let line = line.map_err(Failure::file(&args.file))?;
        import.line(number, &line, &app.book)?;
        while import.writes.len() >= args.jobs.into() && import.settle().await? {}
        if import.stopped.is_some() {
            break;
        }
    }
    while import.settle().await? {}
    import.finish()
}

/// Opens the file with a progress bar that follows the bytes read.
fn read(file: &Path) -> io::Result<(Box<dyn BufRead>, ProgressBar)> {
    if file == Path::new("-") {
        return Ok((Box::new(io::stdin().lock()), ProgressBar::hidden()));
    }
    let file = File::open(file)?;
    let bar = ProgressBar::new(file.metadata()?.len());
    let bar = bar.with_style(style("{wide_bar} {bytes}/{total_bytes} {eta}"));
    let read = BufReader::new(bar.wrap_read(file));
    Ok((Box::new(read), bar))
}

/// A wrong template, which no user can cause, would give the default bar.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

struct Importing<'a> {
    contacts: Arc<dyn ContactRepository>,
    replace: bool,
    notes: &'a mut dyn Write,
    bar: ProgressBar,
    writes: JoinSet<(u64, Result<Stored>)>,
    /// The first line of each handle. A second line is refused, because two writes of one handle would race.
    first: HashMap<String, u64>,
    counts: Counts,
    stopped: Option<Error>,
}

#[derive(Debug, Default)]
struct Counts {
    created: u64,
    replaced: u64,
    same: u64,
    bad: u64,
}

#[derive(Debug)]
enum Stored {
    Created,
    Replaced,
    /// The contact exists with the same values as in the file.
    Same,
    /// The contact exists with other values and must not be replaced.
    Differs,
}

impl Importing<'_> {
    fn line(&mut self, number: u64, line: &[u8], book: &str) -> io::Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let card: Card = match serde_json::from_slice(line) {
            Ok(card) => card,
            Err(error) => return self.bad(number, &error.to_string()),
        };
        match self.first.entry(card.handle.clone()) {
            Entry::Occupied(first) => {
                let why = format!("the same handle as in line {}", first.get());
                return self.bad(number, &why);
            }
            Entry::Vacant(free) => free.insert(number),
        };
        let store = store(self.contacts.clone(), card.into_contact(book), self.replace);
        self.writes.spawn(async move { (number, store.await) });
        Ok(())
    }

    /// Waits for one write to end. Returns false if no write is under way.
    async fn settle(&mut self) -> io::Result<bool> {
        let Some(joined) = self.writes.join_next().await else {
            return Ok(false);
        };
        let (number, stored) = joined.map_err(io::Error::other)?;
        match stored {
            Ok(Stored::Created) => self.counts.created += 1,
            Ok(Stored::Replaced) => self.counts.replaced += 1,
            Ok(Stored::Same) => self.counts.same += 1,
            Ok(Stored::Differs) => self.bad(number, "is there and differs: --replace")?,
            // The lines that follow would fail in the same way.
            Err(error) if is_of_the_store(&error) => self.stopped = Some(error),
            Err(error) => self.bad(number, &explained(&error))?,
        }
        Ok(true)
    }

    fn bad(&mut self, number: u64, why: &str) -> io::Result<()> {
        self.counts.bad += 1;
        let notes = &mut *self.notes;
        self.bar.suspend(|| writeln!(notes, "line {number}: {why}"))
    }

    fn finish(self) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        let Counts {
            created,
            replaced,
            same,
            bad,
        } = self.counts;
        let summary = format!("{created} created, {replaced} replaced, {same} there already");
        writeln!(self.notes, "{summary}, {bad} bad")?;
        tracing::info!(created, replaced, same, bad, "imported");
        match self.stopped {
            Some(error) => Err(Failure::Stopped(created + replaced + same + bad, error)),
            None if bad > 0 => Err(Failure::BadLines(bad)),
            None => Ok(()),
        }
    }
}

/// Whether the store failed and nothing is wrong with the line.
fn is_of_the_store(error: &Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::InvalidKey
            | ErrorKind::InvalidValue
            | ErrorKind::TooLarge
            | ErrorKind::Conflict
            | ErrorKind::NotFound
            | ErrorKind::Decode
    )
}

/// Stores a contact. A refusal returns the existing contact, so most contacts take one request.
async fn store(
    contacts: Arc<dyn ContactRepository>,
    contact: Contact,
    replace: bool,
) -> Result<Stored> {
    let refused = match contacts.create(&contact).await {
        Ok(_) => return Ok(Stored::Created),
        Err(error) => error,
    };
    let there = refused.current::<Contact>()?;
    let Some(there) = there else {
        return Err(refused);
    };
    if Card::from(there.clone()) == Card::from(contact.clone()) {
        return Ok(Stored::Same);
    }
    if !replace {
        return Ok(Stored::Differs);
    }
    let contact = Contact {
        version: there.version,
        created_at: there.created_at,
        ..contact
    };
    contacts.put(&contact).await.map(|_| Stored::Replaced)
}
