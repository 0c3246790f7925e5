//! The order of shards: each shard is read once, and after its parent. It sends no requests.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::lease::ShardLease;
use crate::streams::shard_api::DescribedShard;

/// The rows of the shards of a group, by their IDs.
pub(super) type ShardRows = BTreeMap<String, ShardLease>;

/// The time for which descriptions must omit a shard before its row is deleted. A single description can omit a shard by
/// mistake, and a shard without a row would be read again.
const MEMORY: Duration = Duration::from_secs(3_600);
/// The number of consecutive descriptions that must omit it.
const OMISSIONS: u32 = 5;

/// Whether a shard can be read: all records of its parent were handled, or its parent has no row. A row that was read
/// without its parent's is not enough, because the rows are read page by page.
pub(super) fn is_ready(lease: &ShardLease, rows: &ShardRows, roots: &BTreeSet<String>) -> bool {
    let parent = lease.parent.as_ref().and_then(|parent| rows.get(parent));
    !lease.is_finished
        && match parent {
            Some(parent) => parent.is_finished,
            None => roots.contains(&lease.shard),
        }
}

/// A shard that has no row yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewShard {
    pub(super) shard: String,
    pub(super) parent: Option<String>,
    /// Whether the row of its parent lists it. Otherwise, the row of the group does.
    pub(super) has_parent_row: bool,
}

impl NewShard {
    /// The parent whose row lists the shard. `None` if the row of the group does.
    pub(super) fn lister(&self) -> Option<&str> {
        self.parent.as_deref().filter(|_| self.has_parent_row)
    }
}

/// The described shards without rows, parents first. A shard whose parent is neither described nor known to be gone must
/// wait, because its records come after those of the parent.
pub(super) fn new_shards(
    described: &[DescribedShard],
    rows: &ShardRows,
    is_gone: impl Fn(&str) -> bool,
) -> Vec<NewShard> {
    let mut waiting: BTreeMap<&str, Option<&str>> = described
        .iter()
        .filter(|shard| !rows.contains_key(&*shard.id))
        .map(|shard| (&*shard.id, shard.parent.as_deref()))
        .collect();
    let mut new: Vec<NewShard> = Vec::new();
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    let has_row = |placed: &BTreeSet<&str>, parent: &str| {
        rows.contains_key(parent) || placed.contains(parent)
    };
    loop {
        let is_next = |parent: &Option<&str>| {
            parent.is_none_or(|parent| {
                has_row(&placed, parent) || is_gone(parent) && !waiting.contains_key(parent)
            })
        };
        let next: Vec<&str> = waiting
            .iter()
            .filter(|(_, parent)| is_next(parent))
            .map(|(id, _)| *id)
            .collect();
        if next.is_empty() {
            return new;
        }
        for id in next {
            let parent = waiting.remove(id).flatten();
            let has_parent_row = parent.is_some_and(|parent| has_row(&placed, parent));
            placed.insert(id);
            new.push(NewShard {
                shard: id.to_owned(),
                parent: parent.map(str::to_owned),
                has_parent_row,
            });
        }
    }
}

/// The parents of new shards that are neither described nor have rows: either they are gone, or the description is
/// incomplete.
fn unknown_parents(described: &[DescribedShard], rows: &ShardRows) -> BTreeSet<String> {
    let known: BTreeSet<&str> = described.iter().map(|shard| &*shard.id).collect();
    let new = described
        .iter()
        .filter(|shard| !rows.contains_key(&*shard.id));
    let parents = new.filter_map(|shard| shard.parent.as_deref());
    parents
        .filter(|parent| !known.contains(parent) && !rows.contains_key(*parent))
        .map(str::to_owned)
        .collect()
}

/// The number of descriptions that must omit a parent, and of denied requests for an iterator, before it counts as gone.
const SURE_SURVEYS: u32 = 3;
const DENIALS: u32 = 2;
/// The time after which a parent that exists should be described. If it is not, it is read without its own parent.
const HIDDEN_TIME: Duration = Duration::from_secs(600);

/// A parent that descriptions omit.
#[derive(Debug, Default)]
struct HiddenParent {
    since: Duration,
    surveys: u32,
    denials: u32,
    exists: bool,
}

/// The parents that descriptions omit, although they have children.
#[derive(Debug, Default)]
pub(super) struct HiddenParents(BTreeMap<String, HiddenParent>);

impl HiddenParents {
    /// Notes a complete description. Returns the parents that should be looked up by their IDs.
    pub(super) fn note_survey(
        &mut self,
        described: &[DescribedShard],
        rows: &ShardRows,
        now: Duration,
    ) -> Vec<String> {
        let unknown = unknown_parents(described, rows);
        // A parent that is gone must stay in the list while its children wait for their rows.
        self.0.retain(|parent, _| unknown.contains(parent));
        for parent in unknown {
            let hidden = self.0.entry(parent).or_insert(HiddenParent {
                since: now,
                ..HiddenParent::default()
            });
            hidden.surveys += 1;
        }
        let is_sought = |hidden: &HiddenParent| !hidden.exists && hidden.denials < DENIALS;
        let sought = self.0.iter().filter(|(_, hidden)| is_sought(hidden));
        sought.map(|(parent, _)| parent.clone()).collect()
    }

    /// Notes whether a parent was found by its ID.
    pub(super) fn note_found(&mut self, parent: &str, exists: bool) {
        if let Some(hidden) = self.0.get_mut(parent) {
            hidden.exists |= exists;
            hidden.denials += u32::from(!exists);
        }
    }

    /// Whether a parent certainly does not exist.
    pub(super) fn is_gone(&self, parent: &str) -> bool {
        let hidden = self.0.get(parent).filter(|hidden| !hidden.exists);
        hidden.is_some_and(|hidden| hidden.surveys >= SURE_SURVEYS && hidden.denials >= DENIALS)
    }

    /// The parents that exist, but are still not described after a long time.
    pub(super) fn undescribed(&self, now: Duration) -> impl Iterator<Item = &str> {
        let late = self.0.iter().filter(move |(_, hidden)| {
            hidden.exists
                && hidden.surveys >= SURE_SURVEYS
                && now.saturating_sub(hidden.since) > HIDDEN_TIME
        });
        late.map(|(parent, _)| &**parent)
    }

    /// Whether shards wait for their parents.
    pub(super) fn are_sought(&self) -> bool {
        !self.0.is_empty()
    }
}

/// The listed shards without rows, each with the parent whose row lists it, or `None` for the row of the group.
pub(super) fn missing_rows(
    roots: &BTreeSet<String>,
    rows: &ShardRows,
) -> Vec<(String, Option<String>)> {
    let of_group = roots.iter().map(|shard| (shard.clone(), None));
    let of_parents = rows.values().flat_map(|row| {
        let children = row.children.iter();
        children.map(|child| (child.clone(), Some(row.shard.clone())))
    });
    of_group
        .chain(of_parents)
        .filter(|(shard, _)| !rows.contains_key(shard))
        .collect()
}

/// The shards that descriptions omit, each with the time of the first omission, and the number of omissions.
#[derive(Debug, Default)]
pub(super) struct MissingShards(BTreeMap<String, (Duration, u32)>);

impl MissingShards {
    /// Notes a complete description. Returns the rows that can be deleted: their shards and the children are finished, the
    /// parent has no row, and descriptions have omitted them for a long time.
    pub(super) fn removable_rows(
        &mut self,
        described: &[DescribedShard],
        rows: &ShardRows,
        now: Duration,
    ) -> Vec<String> {
        let described: BTreeSet<&str> = described.iter().map(|shard| &*shard.id).collect();
        self.0
            .retain(|shard, _| rows.contains_key(shard) && !described.contains(&**shard));
        let mut removable = Vec::new();
        for (shard, row) in rows
            .iter()
            .filter(|(shard, _)| !described.contains(&***shard))
        {
            let (since, count) = self.0.entry(shard.clone()).or_insert((now, 0));
            *count += 1;
            let is_gone = *count >= OMISSIONS && now.saturating_sub(*since) >= MEMORY;
            let has_parent = row
                .parent
                .as_ref()
                .is_some_and(|parent| rows.contains_key(parent));
            let mut children = rows
                .values()
                .filter(|child| child.parent.as_ref() == Some(shard));
            let is_over = row.is_finished && children.all(|child| child.is_finished);
            if is_over && !has_parent && is_gone {
                removable.push(shard.clone());
            }
        }
        removable
    }
}

#[cfg(test)]
mod tests;
