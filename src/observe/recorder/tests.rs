//! The reports to a recorder, by a recorder that keeps them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, set_default_local_recorder,
};

use super::*;
use crate::prelude::*;

/// The sums of all metrics, by name, pattern and kind of error.
type Sums = Arc<Mutex<BTreeMap<String, f64>>>;

#[derive(Default)]
struct KeptRecorder(Sums);

/// Adds to one sum.
struct KeptSum(String, Sums);

impl KeptSum {
    fn add(&self, value: f64) {
        let mut sums = self.1.lock().unwrap();
        *sums.entry(self.0.clone()).or_default() += value;
    }
}

impl CounterFn for KeptSum {
    fn increment(&self, value: u64) {
        self.add(value as f64);
    }

    fn absolute(&self, _: u64) {
        panic!("counters are only incremented");
    }
}

impl HistogramFn for KeptSum {
    fn record(&self, value: f64) {
        self.add(value);
    }
}

impl KeptRecorder {
    fn sum(&self, key: &Key) -> Arc<KeptSum> {
        let label = |name: &str| {
            let mut labels = key.labels();
            let found = labels.find(|label| label.key() == name);
            found.map_or(String::new(), |label| label.value().to_owned())
        };
        let (entity, pattern) = (label("entity"), label("pattern"));
        let (index, kind) = (label("index"), label("kind"));
        let name = format!("{} {entity}.{pattern} {index} {kind}", key.name());
        Arc::new(KeptSum(name.trim_end().to_owned(), self.0.clone()))
    }
}

impl Recorder for KeptRecorder {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.sum(key))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        panic!("there is no gauge")
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.sum(key))
    }
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "books", key(pk = shelf, sk = number), gsi(by_author, pk = author, sk = number), crate = crate)]
struct Book {
    shelf: u32,
    number: u32,
    author: String,
}

#[tokio::test]
async fn a_recorder_is_told_of_each_pattern() {
    let recorder = KeptRecorder::default();
    let _guard = set_default_local_recorder(&recorder);
    let db = Dynamo::connect("embedded:memory").await.unwrap();
    let db = db.with_observer(metrics_observer());
    db.create_tables([Book::schema()]).await.unwrap();
    let book = |number| Book {
        shelf: 1,
        number,
        author: "recognisable".into(),
    };
    for number in 0..4 {
        book(number).create().send(&db).await.unwrap();
    }
    assert!(book(0).create().send(&db).await.is_err());
    let found = Book::by_author("recognisable").filter(|book| book.shelf().eq(2));
    assert!(found.all(&db).await.unwrap().is_empty());

    let sums = recorder.0.lock().unwrap().clone();
    let sum = |name: &str| sums.get(name).copied().unwrap_or_default();
    assert_eq!(sum("dynamodb.requests Book.create"), 5.0);
    assert_eq!(
        sum("dynamodb.units Book.create"),
        8.0,
        "each in the index too"
    );
    assert_eq!(sum("dynamodb.failed Book.create  Conflict"), 1.0);
    assert_eq!(sum("dynamodb.requests Book.by_author by_author"), 1.0);
    assert_eq!(sum("dynamodb.rows Book.by_author by_author"), 0.0);
    assert_eq!(sum("dynamodb.looked_at Book.by_author by_author"), 4.0);
    assert!(sum("dynamodb.duration Book.create") > 0.0);
    assert!(!format!("{sums:?}").contains("recognisable"));
}
