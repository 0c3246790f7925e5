//! Several partitions read side by side, their rows in one order.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::fetch::Fetch;
use crate::error::{Error, Result};
use crate::key::point::{KeyPoint, points_of};
use crate::request::together::together;

/// A row as it came, and the partition it came from.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(super) json: Bytes,
    sort: Vec<KeyPoint>,
}

/// In which order rows come.
#[derive(Debug, Clone)]
pub(crate) struct Merge {
    pub(super) entity: &'static str,
    /// The attributes of the sort key.
    pub(super) sort: Arc<[&'static str]>,
    pub(super) descending: bool,
    /// One partition after the other, instead of all by the sort key.
    pub(super) by_partition: bool,
    /// As answers come.
    pub(super) unordered: bool,
}

/// The reads of all partitions of a query.
#[derive(Debug)]
pub(crate) struct Gather {
    lanes: Vec<Lane>,
    merge: Merge,
}

#[derive(Debug)]
struct Lane {
    fetch: Fetch,
    rows: VecDeque<Row>,
}

impl Gather {
    /// The reads come in the order of the partitions.
    pub(super) fn new(mut fetches: Vec<Fetch>, merge: Merge) -> Self {
        if merge.descending {
            fetches.reverse();
        }
        let lane = |fetch| Lane {
            fetch,
            rows: VecDeque::new(),
        };
        Gather {
            lanes: fetches.into_iter().map(lane).collect(),
            merge,
        }
    }

    /// Nothing more is there.
    pub(super) fn is_done(&self) -> bool {
        self.lanes
            .iter()
            .all(|lane| lane.rows.is_empty() && lane.fetch.is_done())
    }

    /// There may be more, and it may not be looked at.
    pub(super) fn is_spent(&self) -> bool {
        self.lanes.iter().any(|lane| lane.fetch.is_spent())
    }

    /// Where the next request would begin, of one partition.
    pub(super) fn position(&self) -> Option<&[u8]> {
        match self.lanes.as_slice() {
            [lane] => lane.fetch.position(),
            _ => None,
        }
    }

    /// The next rows, of at least one answer. `wanted` is how many there is use for.
    pub(super) async fn next(&mut self, wanted: Option<usize>) -> Result<Vec<Bytes>> {
        if let [lane] = self.lanes.as_mut_slice() {
            return Ok(lane.fetch.next(wanted).await?.rows);
        }
        if self.merge.by_partition {
            let lane = self.lanes.iter_mut().find(|lane| !lane.fetch.is_done());
            return match lane {
                Some(lane) => Ok(lane.fetch.next(wanted).await?.rows),
                None => Ok(Vec::new()),
            };
        }
        if self.merge.unordered {
            return self.next_of_all(wanted).await;
        }
        self.fill(wanted).await?;
        let mut rows = Vec::new();
        while wanted.is_none_or(|wanted| rows.len() < wanted)
            && let Some(row) = self.pop()
        {
            rows.push(row.json);
        }
        Ok(rows)
    }

    /// The next answer of each.
    async fn next_of_all(&mut self, wanted: Option<usize>) -> Result<Vec<Bytes>> {
        let open = self.lanes.iter_mut().filter(|lane| !lane.fetch.is_done());
        let rows = open.map(|lane| async move { Ok(lane.fetch.next(wanted).await?.rows) });
        let rows: Result<Vec<Vec<Bytes>>> = together(rows.collect()).await.into_iter().collect();
        Ok(rows?.into_iter().flatten().collect())
    }

    /// The number of rows in the next answers.
    pub(super) async fn next_count(&mut self, wanted: Option<usize>) -> Result<usize> {
        let open = self.lanes.iter_mut().filter(|lane| !lane.fetch.is_done());
        let counts = open.map(|lane| async move { Ok(lane.fetch.next(wanted).await?.count) });
        let counts: Result<Vec<usize>> = together(counts.collect()).await.into_iter().collect();
        Ok(counts?.into_iter().sum())
    }

    /// Whoever comes first is known only if every partition shows its next row.
    async fn fill(&mut self, wanted: Option<usize>) -> Result<()> {
        let share = wanted.map(|wanted| {
            let share = wanted.saturating_mul(2).div_ceil(self.lanes.len().max(1));
            share.saturating_add(1).min(wanted)
        });
        let merge = &self.merge;
        let empty = self
            .lanes
            .iter_mut()
            .filter(|lane| lane.rows.is_empty() && !lane.fetch.is_done());
        let filled = together(empty.map(|lane| lane.fill(share, merge)).collect()).await;
        filled.into_iter().collect()
    }

    /// The next row of all, if it is known.
    fn pop(&mut self) -> Option<Row> {
        let mut next: Option<&mut Lane> = None;
        for lane in &mut self.lanes {
            if lane.rows.is_empty() && !lane.fetch.is_done() {
                return None;
            }
            let comes_first = match (&next, lane.rows.front()) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(next), Some(row)) => {
                    let best = next.rows.front();
                    best.is_none_or(|best| row.comes_before(best, self.merge.descending))
                }
            };
            if comes_first {
                next = Some(lane);
            }
        }
        next?.rows.pop_front()
    }
}

impl Lane {
    async fn fill(&mut self, wanted: Option<usize>, merge: &Merge) -> Result<()> {
        while self.rows.is_empty() && !self.fetch.is_done() && !self.fetch.is_spent() {
            for json in self.fetch.next(wanted).await?.rows {
                let sort = points_of(&json, &merge.sort)
                    .map_err(|fault| Error::decode(merge.entity, fault))?;
                self.rows.push_back(Row { json, sort });
            }
        }
        Ok(())
    }
}

impl Row {
    /// Among equals the earlier partition wins, which is the later one where all is reversed.
    fn comes_before(&self, other: &Row, descending: bool) -> bool {
        let order = compare(&self.sort, &other.sort);
        if descending {
            order == Ordering::Greater
        } else {
            order == Ordering::Less
        }
    }
}

fn compare(left: &[KeyPoint], right: &[KeyPoint]) -> Ordering {
    let mut pairs = left.iter().zip(right);
    let order = pairs.find_map(|(left, right)| left.compare(right).filter(|order| order.is_ne()));
    order.unwrap_or(Ordering::Equal)
}
