//! The spans of requests: their parent, what they tell, and that they tell no value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use dynamo_entity::prelude::*;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Instrument, Metadata, Subscriber, info_span};

use crate::support::db::{Db, Mode};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_request_is_a_span_within_the_span_of_its_caller,
    names_are_those_of_open_telemetry,
    failed_attempts_are_events(Post),
    errors_are_kinds,
    no_value_is_told,
    who_does_not_ask_has_no_spans,
    observers_are_told_beside_spans,
];

/// What stands in every value that these tests store, ask for and look up.
const SECRET: &str = "geheim";

crate::declare! {
    table Post(name = "traced", pk = "pk", sk = "sk", entities(Person, Letter),
        gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
    entity Person(table = Post, key(pk = "PERSON#{name}", sk = "INFO"), unique(by_mail, mail))
        { name: String, mail: String, #[dynamo(version)] version: Version }
    entity Letter(table = Post, key(pk = "PERSON#{to}", sk = "LETTER#{number:04}"),
        gsi(by_from, on = gsi1, pk = "FROM#{from}", sk = "{number:04}"))
        { to: String, number: u16, from: String, text: String }
    entity PostStamp(table = "traced-stamps", key(pk = id)) { id: String }
}

fn person(name: &str) -> Person {
    Person {
        name: format!("{SECRET}-{name}"),
        mail: format!("{SECRET}@{name}"),
        version: Version::default(),
    }
}

fn letter(number: u16) -> Letter {
    Letter {
        to: format!("{SECRET}-ann"),
        number,
        from: format!("{SECRET}-bob"),
        text: format!("{SECRET}-text"),
    }
}

type Fields = BTreeMap<&'static str, String>;

/// A span, as it was told.
#[derive(Debug, Clone, Default)]
struct Told {
    name: &'static str,
    parent: Option<u64>,
    fields: Fields,
    events: Vec<Fields>,
    is_over: bool,
}

impl Told {
    fn is(&self, field: &str, value: &str) -> bool {
        self.fields.get(field).is_some_and(|told| told == value)
    }
}

#[derive(Default)]
struct Heard {
    spans: Vec<Told>,
    /// Those that are entered, the last one innermost.
    entered: Vec<u64>,
}

/// Keeps all that is told.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Heard>>);

struct Collector<'f>(&'f mut Fields);

impl Visit for Collector<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Listener {
    fn listen() -> (Self, DefaultGuard) {
        let listener = Listener::default();
        let guard = tracing::subscriber::set_default(listener.clone());
        (listener, guard)
    }

    /// The spans of the library's requests.
    fn requests(&self) -> Vec<Told> {
        let heard = self.0.lock().unwrap();
        let spans = heard.spans.iter().filter(|span| span.name == "request");
        spans.cloned().collect()
    }

    fn last(&self) -> Told {
        self.requests().pop().expect("a request")
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        matches!(metadata.target(), "dynamo_entity" | "test")
    }

    /// With a finer level everything in this process would go through the SDK.
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut heard = self.0.lock().unwrap();
        let mut told = Told {
            name: span.metadata().name(),
            parent: match span.is_contextual() {
                true => heard.entered.last().copied(),
                false => span.parent().map(Id::into_u64),
            },
            ..Told::default()
        };
        span.record(&mut Collector(&mut told.fields));
        heard.spans.push(told);
        Id::from_u64(heard.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut heard = self.0.lock().unwrap();
        let told = &mut heard.spans[span.into_u64() as usize - 1];
        values.record(&mut Collector(&mut told.fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Collector(&mut fields));
        let mut heard = self.0.lock().unwrap();
        if let Some(within) = heard.entered.last().copied() {
            heard.spans[within as usize - 1].events.push(fields);
        }
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut heard = self.0.lock().unwrap();
        let at = heard.entered.iter().rposition(|id| *id == span.into_u64());
        heard.entered.remove(at.expect("it was entered"));
    }

    fn try_close(&self, span: Id) -> bool {
        self.0.lock().unwrap().spans[span.into_u64() as usize - 1].is_over = true;
        true
    }
}

async fn open(db: &Db) -> Result<Dynamo> {
    db.create_tables([Post::schema(), PostStamp::schema()])
        .await?;
    let db: &Dynamo = db;
    Ok(db.clone().with_tracing())
}

async fn a_request_is_a_span_within_the_span_of_its_caller(db: Db) -> Outcome {
    let db = open(&db).await?;
    let (heard, _guard) = Listener::listen();
    async {
        letter(1).create().send(&db).await?;
        // A read before the write, and both belong to the caller.
        person("ann").put().send(&db).await?;
        Letter::by_from(letter(1).from).all(&db).await
    }
    .instrument(info_span!(target: "test", "checkout"))
    .await?;
    let requests = heard.requests();
    assert!(requests.len() >= 3, "{requests:?}");
    for request in &requests {
        assert_eq!(request.parent, Some(1), "{request:?}");
        assert!(request.is_over, "{request:?}");
    }
    let heard = heard.0.lock().unwrap();
    assert_eq!(heard.spans[0].name, "checkout");
    assert!(heard.entered.is_empty());
    Ok(())
}

/// <https://opentelemetry.io/docs/specs/semconv/database/dynamodb>
async fn names_are_those_of_open_telemetry(db: Db) -> Outcome {
    let watched = open(&db).await?;
    let table = db.table::<Post>();
    let (heard, _guard) = Listener::listen();
    letter(1).put().send(&watched).await?;
    let put = heard.last();
    for (field, value) in [
        ("otel.name", "Letter.put"),
        ("otel.kind", "client"),
        ("db.system.name", "aws.dynamodb"),
        ("db.operation.name", "PutItem"),
        ("db.query.summary", "Letter.put"),
        ("db.collection.name", &table),
        ("aws.dynamodb.table_names", &format!("[{table:?}]")),
        ("rpc.system", "aws-api"),
    ] {
        assert!(put.is(field, value), "{field}: {put:?}");
    }
    assert!(!put.fields.contains_key("error.type"), "{put:?}");
    assert!(!put.fields.contains_key("aws.dynamodb.index_name"));
    // One unit for the item and one for the index.
    let consumed = &put.fields["aws.dynamodb.consumed_capacity"];
    let consumed: serde_json::Value = serde_json::from_str(consumed)?;
    assert_eq!(consumed[0]["TableName"], *table);
    assert_eq!(consumed[0]["CapacityUnits"], 2.0);

    Letter::by_from(letter(1).from)
        .filter(|l| l.text().eq("other"))
        .all(&watched)
        .await?;
    let query = heard.last();
    for (field, value) in [
        ("db.query.summary", "Letter.by_from"),
        ("db.operation.name", "Query"),
        ("aws.dynamodb.index_name", "gsi1"),
        ("aws.dynamodb.count", "0"),
        ("aws.dynamodb.scanned_count", "1"),
    ] {
        assert!(query.is(field, value), "{field}: {query:?}");
    }

    let stamp = PostStamp { id: "s".into() };
    let both = Transaction::new()
        .with(letter(2).into_put())
        .with(stamp.put());
    both.send(&watched).await?;
    let transaction = heard.last();
    let tables = format!("[{table:?}, {:?}]", db.table::<PostStamp>());
    assert!(transaction.is("aws.dynamodb.table_names", &tables));
    assert!(!transaction.fields.contains_key("db.collection.name"));
    Batch::new()
        .with(letter(2).into_put())
        .with(stamp.put())
        .send(&watched)
        .await?
        .complete()?;
    assert!(heard.last().is("aws.dynamodb.table_names", &tables));
    Ok(())
}

async fn failed_attempts_are_events(db: Db) -> Outcome {
    if db.mode() == Mode::Direct {
        return Ok(()); // nothing is sent again there
    }
    let (faulty, _http) = db.faulty([Fault::throttle(), Fault::internal(), Fault::Io]);
    let (heard, _guard) = Listener::listen();
    let sent = Letter::key("a", 1).get().send(&faulty.with_tracing()).await;
    let request = heard.last();
    let told: Vec<_> = request
        .events
        .iter()
        .map(|event| {
            assert_eq!(event["message"], "an attempt failed");
            (event["attempt"].as_str(), event["error.type"].as_str())
        })
        .collect();
    assert_eq!(
        told[..2],
        [("1", "ThrottlingException"), ("2", "InternalServerError"),]
    );
    assert_eq!(told[2], ("3", "no answer"));
    let resent = if sent.is_ok() { "3" } else { "2" };
    assert!(request.is("http.request.resend_count", resent));
    Ok(())
}

async fn errors_are_kinds(db: Db) -> Outcome {
    let watched = open(&db).await?;
    let (heard, _guard) = Listener::listen();
    letter(1).create().send(&watched).await?;
    let again = letter(1).create().send(&watched).await.unwrap_err();
    assert!(again.is_already_exists());
    let refused = heard.last();
    assert!(refused.is("error.type", "Conflict"), "{refused:?}");
    let code = "ConditionalCheckFailedException";
    assert!(refused.is("db.response.status_code", code), "{refused:?}");
    // A condition that does not hold is an answer.
    assert!(!refused.fields.contains_key("otel.status_code"));

    let elsewhere = watched.with_prefix("nowhere");
    Letter::key("a", 1)
        .get()
        .send(&elsewhere)
        .await
        .unwrap_err();
    let missing = heard.last();
    assert!(missing.is("error.type", "TableNotFound"), "{missing:?}");
    assert!(missing.is("otel.status_code", "ERROR"), "{missing:?}");
    Ok(())
}

/// Whatever is done, and whatever goes wrong with it.
async fn no_value_is_told(db: Db) -> Outcome {
    let watched = open(&db).await?;
    let (heard, _guard) = Listener::listen();
    let (first, db) = (letter(1), &watched);
    first.create().send(db).await?;
    first.create().send(db).await.unwrap_err();
    let key = || first.key();
    key()
        .update()
        .apply(|l| l.text().set(format!("{SECRET}-2")))
        .when(|l| l.from().eq(format!("{SECRET}-nobody")))
        .send(db)
        .await
        .unwrap_err();
    key().get().send(db).await?;
    key()
        .modify(|l| l.text = format!("{SECRET}-3"))
        .send(db)
        .await?;
    let ann = person("ann").create().send(db).await?;
    let taken = Person {
        mail: ann.mail.clone(),
        ..person("bob")
    };
    assert!(
        taken
            .create()
            .send(db)
            .await
            .unwrap_err()
            .is_unique_violation()
    );
    Person::by_mail(&ann.mail).send(db).await?;
    Letter::in_partition(&first.to)
        .filter(|l| l.text().contains(SECRET))
        .all(db)
        .await?;
    let page = Letter::by_from(&first.from).limit(1).page(db).await?;
    drop(page);
    Letter::scan().all(db).await?;
    transact_get((key().get(), ann.key().get()))
        .send(db)
        .await?;
    let stale = Transaction::new()
        .with(person("ann").into_create())
        .with(first.put().if_missing());
    stale.send(db).await.unwrap_err();
    Batch::new().with(first.put()).send(db).await?.complete()?;
    Letter::in_partition(&first.to)
        .delete_each()
        .send(db)
        .await?
        .complete()?;
    ann.delete().send(db).await?;

    let requests = heard.requests();
    let operations: BTreeSet<_> = requests
        .iter()
        .map(|request| &request.fields["db.operation.name"])
        .collect();
    assert!(operations.len() >= 9, "{operations:?}");
    assert!(
        requests
            .iter()
            .any(|request| request.fields.contains_key("error.type"))
    );
    let heard = heard.0.lock().unwrap();
    for span in &heard.spans {
        let told = format!("{span:?}").to_lowercase();
        assert!(!told.contains(SECRET), "{told}");
    }
    Ok(())
}

async fn who_does_not_ask_has_no_spans(db: Db) -> Outcome {
    open(&db).await?;
    let (heard, _guard) = Listener::listen();
    letter(1).put().send(&db).await?;
    assert_eq!(heard.requests().len(), 0);
    Ok(())
}

async fn observers_are_told_beside_spans(db: Db) -> Outcome {
    let watched = open(&db).await?;
    let patterns: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = patterns.clone();
    let watched = watched.with_observer(move |seen| {
        told.lock().unwrap().push(seen.pattern.to_string());
    });
    letter(1).put().send(&watched).await?; // nobody listens to spans
    let (heard, _guard) = Listener::listen();
    letter(1).put().send(&watched).await?;
    assert_eq!(*patterns.lock().unwrap(), ["Letter.put", "Letter.put"]);
    assert_eq!(heard.requests().len(), 1);
    Ok(())
}
