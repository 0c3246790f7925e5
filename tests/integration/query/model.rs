//! Compares every kind of read with a filter by brute force, on random rows and random questions.
//!
//! `READS_QUESTIONS` sets their number, and `READS_SEED` the seed.

use dynamo_entity::prelude::*;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::db::Db;
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    the_table_reads_as_a_filter,
    shards_read_as_a_filter,
    several_attributes_read_as_a_filter unless NO_MULTI_ATTRIBUTE_KEYS,
];

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "visits", key(pk = "V#{owner}", sk = "{kind}#{at:03}#{id}"))]
#[dynamo(gsi(by_kind, pk = "K#{kind}", sk = "{at:03}", shards = 3))]
struct Visit {
    owner: String,
    kind: String,
    at: u16,
    id: i16,
    weight: u8,
}

/// The same rows, with an index key of several attributes, which not every engine supports.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "stays", key(pk = "V#{owner}", sk = "{kind}#{at:03}#{id}"))]
#[dynamo(gsi(by_place, pk = [owner], sk = [kind, at, id]))]
struct Stay {
    owner: String,
    kind: String,
    at: u16,
    id: i16,
    weight: u8,
}

impl From<Visit> for Stay {
    fn from(visit: Visit) -> Self {
        Stay {
            owner: visit.owner,
            kind: visit.kind,
            at: visit.at,
            id: visit.id,
            weight: visit.weight,
        }
    }
}

const OWNERS: [&str; 3] = ["o", "o#1", "p"];
const KINDS: [&str; 4] = ["a", "a#b", "ab", "\u{ffff}"];

fn visit() -> impl Strategy<Value = Visit> {
    let parts = (select(&OWNERS[..]), select(&KINDS[..]), 0u16..5, -3i16..3);
    (parts, any::<u8>()).prop_map(|((owner, kind, at, id), weight)| Visit {
        owner: owner.into(),
        kind: kind.into(),
        at,
        id,
        weight,
    })
}

fn visits() -> impl Strategy<Value = Vec<Visit>> {
    proptest::collection::vec(visit(), 0..50).prop_map(|mut rows| {
        rows.sort_by_key(|row| (row.owner.clone(), row.kind.clone(), row.at, row.id));
        rows.dedup_by_key(|row| (row.owner.clone(), row.kind.clone(), row.at, row.id));
        rows
    })
}

/// What to ask for. How much of it is used depends on the pattern.
#[derive(Debug, Clone)]
struct Question {
    owners: Vec<&'static str>,
    kinds: Vec<&'static str>,
    times: Vec<u16>,
    /// The number of known parts of the sort key. `range` bounds the part after them.
    depth: usize,
    range: Option<(u16, u16)>,
    descending: bool,
    by_partition: bool,
    least: u8,
    sizes: Sizes,
}

/// How much of an answer is read at once, and where it is read on.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    limit: usize,
    scanned: usize,
    row: usize,
}

pub(crate) fn sizes() -> impl Strategy<Value = Sizes> {
    let sizes = (1usize..9, 1usize..12, 0usize..40);
    sizes.prop_map(|(limit, scanned, row)| Sizes {
        limit,
        scanned,
        row,
    })
}

fn question() -> impl Strategy<Value = Question> {
    let values = (
        subsequence(OWNERS.to_vec(), 0..=3).prop_shuffle(),
        subsequence(KINDS.to_vec(), 0..=4).prop_shuffle(),
        proptest::collection::vec(0u16..6, 0..4),
    );
    let range = proptest::option::of((0u16..6, 0u16..6));
    let verbs = (any::<bool>(), any::<bool>(), select(&[0, 0, 60, 220][..]));
    (values, 0usize..4, range, verbs, sizes()).prop_map(|(values, depth, range, verbs, sizes)| {
        Question {
            owners: values.0,
            kinds: values.1,
            times: values.2,
            depth,
            range,
            descending: verbs.0,
            by_partition: verbs.1,
            least: verbs.2,
            sizes,
        }
    })
}

impl Question {
    /// Whether the row matches the known parts of the sort key.
    fn holds(&self, row: &Visit) -> bool {
        let is_kind = self.kinds.contains(&&*row.kind);
        let is_time = self.times.contains(&row.at);
        let in_range = self.range.is_none_or(|(low, high)| match self.depth {
            1 => (low..high).contains(&row.at),
            _ => true,
        });
        (self.depth < 1 || is_kind) && (self.depth < 2 || is_time) && in_range && self.weighs(row)
    }

    /// The rows that the query should return, in order.
    fn wanted(&self, rows: Vec<Visit>) -> Vec<Visit> {
        let rows = rows.into_iter();
        let rows = rows.filter(|row| self.owners.contains(&&*row.owner) && self.holds(row));
        self.sorted(rows.collect(), |row| (row.kind.clone(), row.at, row.id))
    }

    fn weighs(&self, row: &Visit) -> bool {
        row.weight >= self.least
    }

    /// The lane of the row: the places of its owner, kind and time among those asked for.
    fn lane(&self, row: &Visit) -> (Option<usize>, Option<usize>, Option<usize>) {
        let at = |values: &[&str], value: &str| values.iter().position(|known| *known == value);
        let kind = (self.depth > 0).then(|| at(&self.kinds, &row.kind));
        let time = (self.depth > 1).then(|| self.times.iter().position(|at| *at == row.at));
        (at(&self.owners, &row.owner), kind.flatten(), time.flatten())
    }

    /// Sorts the rows by the key, or by the lane first.
    fn sorted<K: Ord>(&self, mut rows: Vec<Visit>, key: impl Fn(&Visit) -> K) -> Vec<Visit> {
        rows.sort_by_key(|row| (key(row), self.lane(row)));
        if self.descending {
            rows.reverse();
        }
        if self.by_partition {
            // Lanes come in the given order, even if the rows come in descending order.
            rows.sort_by_key(|row| self.lane(row));
        }
        rows
    }

    fn asked<R: Send + 'static>(&self, mut q: Query<R>) -> Query<R> {
        if self.descending {
            q = q.descending();
        }
        if self.by_partition {
            q = q.by_partition();
        }
        q
    }
}

/// The query for a question. The parts of the pattern are the owner, and then kind, time and number.
macro_rules! asked {
    ($pattern:path, $asked:expr) => {{
        let asked = $asked;
        let q = $pattern(any_of(asked.owners.clone()));
        let kinds = || any_of(asked.kinds.clone());
        let q: Query<_> = match (asked.depth, asked.range) {
            (0, _) => q.into(),
            (1, None) => q.kind().eq(kinds()).into(),
            (1, Some((low, high))) => q.kind().eq(kinds()).at().between(low..high).into(),
            _ => {
                let times = any_of(asked.times.clone());
                q.kind().eq(kinds()).at().eq(times).into()
            }
        };
        match asked.least {
            0 => asked.asked(q),
            least => asked.asked(q).filter(|v| v.weight().ge(least)),
        }
    }};
}

pub(crate) fn sample<S: Strategy>(strategy: S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).expect("a value").current()
}

/// How many questions to ask, and what makes them.
pub(crate) fn questions() -> (u64, TestRunner) {
    let variable = |name: &str| std::env::var(name).ok()?.parse().ok();
    let seed: u64 = variable("READS_SEED").unwrap_or(7);
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed.to_le_bytes(); 4].concat());
    let runner = TestRunner::new_with_rng(Config::default(), seed);
    (variable("READS_QUESTIONS").unwrap_or(20), runner)
}

/// Makes random tables and asks random questions of each.
async fn ask<R, F>(db: &Db, check: impl Fn(Vec<Visit>, Question) -> F) -> Outcome
where
    R: ChangeableEntity + From<Visit>,
    F: Future<Output = Outcome>,
{
    db.create_tables([R::Table::schema()]).await?;
    let (questions, mut runner) = questions();
    let mut rows = Vec::new();
    for number in 0..questions {
        if number % 10 == 0 {
            for row in &rows {
                let row: &Visit = row;
                R::from(row.clone()).delete().send(db).await?;
            }
            rows = sample(visits(), &mut runner);
            for row in &rows {
                R::from(row.clone()).put().send(db).await?;
            }
        }
        let question = sample(question(), &mut runner);
        let case = format!("{question:?}");
        check(rows.clone(), question)
            .await
            .map_err(|error| format!("{error} ({case})"))?;
    }
    Ok(())
}

pub(crate) trait Row: std::fmt::Debug + Clone + PartialEq + Send + 'static {}
impl<R: std::fmt::Debug + Clone + PartialEq + Send + 'static> Row for R {}

/// Compares everything that a query can do with the rows that it should return.
pub(crate) async fn all_verbs<R: Row>(
    db: &Db,
    q: Query<R>,
    wanted: &[R],
    sizes: &Sizes,
    case: &str,
) -> Outcome {
    assert_eq!(q.clone().all(db).await?, wanted, "all {case}");
    assert_eq!(
        q.clone().count(db).await?,
        wanted.len() as u64,
        "count {case}"
    );
    let (limit, few) = (sizes.limit, wanted.len().min(sizes.limit));
    assert_eq!(q.clone().limit(limit).all(db).await?, wanted[..few]);
    assert_eq!(
        q.clone().limit(limit).count(db).await?,
        few as u64,
        "{case}"
    );
    assert_eq!(q.clone().first(db).await?.as_ref(), wanted.first());
    assert_eq!(q.clone().exists(db).await?, !wanted.is_empty());
    let mut rows = q.clone().page_size(sizes.scanned).stream(db);
    for row in wanted {
        assert_eq!(rows.next().await.transpose()?.as_ref(), Some(row), "{case}");
    }
    assert!(rows.next().await.is_none());
    pages(db, &q.clone().limit(limit), wanted, case).await?;
    backwards(db, &q, wanted, sizes, case).await?;
    bounded(db, &q.max_scanned(sizes.scanned), wanted, sizes, case).await
}

async fn pages<R: Row>(db: &Db, q: &Query<R>, wanted: &[R], case: &str) -> Outcome {
    let (mut seen, mut next) = (Vec::new(), None);
    loop {
        let page = q.clone().resume(next).page(db).await?;
        seen.extend(page.rows);
        next = page.next.map(|next| next.to_string().parse()).transpose()?;
        if next.is_none() {
            break;
        }
        assert!(seen.len() < wanted.len(), "a false next {case}");
    }
    assert_eq!(seen, wanted, "pages {case}");
    Ok(())
}

/// Reads on from a row in the middle, forwards and backwards.
async fn backwards<R: Row>(
    db: &Db,
    q: &Query<R>,
    wanted: &[R],
    sizes: &Sizes,
    case: &str,
) -> Outcome {
    let page = q.clone().limit(1000).page(db).await?;
    let Some(cursor) = page.cursor_at(sizes.row) else {
        return Ok(());
    };
    let behind = q.clone().resume(cursor.clone()).all(db).await?;
    assert_eq!(behind, wanted[sizes.row + 1..], "behind {case}");
    let count = q.clone().resume(cursor.clone()).count(db).await?;
    assert_eq!(count, behind.len() as u64, "counted behind {case}");
    let back = q.clone().limit(sizes.limit).resume(cursor.backwards());
    let back = back.page(db).await?;
    let first = sizes.row.saturating_sub(sizes.limit);
    assert_eq!(back.rows, wanted[first..sizes.row], "before {case}");
    assert_eq!(back.previous.is_some(), first > 0);
    Ok(())
}

/// Reading on with bounded pages loses no row and comes to an end.
async fn bounded<R: Row>(
    db: &Db,
    q: &Query<R>,
    wanted: &[R],
    sizes: &Sizes,
    case: &str,
) -> Outcome {
    let (mut seen, mut next) = (Vec::new(), None);
    for _ in 0..200 {
        let page = q.clone().limit(sizes.limit).resume(next).page(db).await?;
        assert!(page.rows.len() <= sizes.limit);
        seen.extend(page.rows);
        next = page.next;
        if next.is_none() {
            assert_eq!(seen, wanted, "bounded {case}");
            return Ok(());
        }
    }
    Err("pages of a bounded query do not end".into())
}

async fn the_table_reads_as_a_filter(db: Db) -> Outcome {
    ask::<Visit, _>(&db, |rows, asked| {
        let db = db.clone();
        async move {
            let wanted = asked.wanted(rows);
            let q = asked!(Visit::in_partition, &asked);
            all_verbs(&db, q, &wanted, &asked.sizes, &format!("{asked:?}")).await
        }
    })
    .await
}

async fn several_attributes_read_as_a_filter(db: Db) -> Outcome {
    ask::<Stay, _>(&db, |rows, asked| {
        let db = db.clone();
        async move {
            let wanted = asked.wanted(rows).into_iter().map(Stay::from);
            let wanted: Vec<Stay> = wanted.collect();
            let q = asked!(Stay::by_place, &asked);
            all_verbs(&db, q, &wanted, &asked.sizes, &format!("{asked:?}")).await
        }
    })
    .await
}

/// The order of two rows with one sort key is up to the shards. All verbs must use the order of `all`.
async fn shards_read_as_a_filter(db: Db) -> Outcome {
    ask::<Visit, _>(&db, |rows, mut asked| {
        let db = db.clone();
        async move {
            asked.depth = 1;
            let q = Visit::by_kind(any_of(asked.kinds.clone()));
            let q: Query<Visit> = match asked.range {
                None => q.into(),
                Some((low, high)) => q.at().between(low..high).into(),
            };
            let q = match asked.least {
                0 => asked.asked(q),
                least => asked.asked(q).filter(|v| v.weight().ge(least)),
            };
            let found = q.clone().all(&db).await?;
            let mut wanted: Vec<Visit> = rows.into_iter().filter(|row| asked.holds(row)).collect();
            if !asked.by_partition {
                let times: Vec<u16> = found.iter().map(|row| row.at).collect();
                let sorted = times.is_sorted_by(|left, right| match asked.descending {
                    false => left <= right,
                    true => left >= right,
                });
                assert!(sorted, "{asked:?}");
            }
            let key = |row: &Visit| (row.owner.clone(), row.kind.clone(), row.at, row.id);
            let mut sorted = found.clone();
            sorted.sort_by_key(key);
            wanted.sort_by_key(key);
            assert_eq!(sorted, wanted, "{asked:?}");
            all_verbs(&db, q, &found, &asked.sizes, &format!("{asked:?}")).await
        }
    })
    .await
}
