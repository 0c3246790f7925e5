//! Random trees of shards, with descriptions that are late or omit some.

use proptest::prelude::*;

use super::*;

fn described(id: usize, parent: Option<usize>) -> DescribedShard {
    DescribedShard {
        id: format!("s{id:02}").into(),
        parent: parent.map(|parent| format!("s{parent:02}").into()),
    }
}

fn row(shard: &str, parent: Option<&str>) -> ShardLease {
    ShardLease {
        group: "g".into(),
        shard: shard.into(),
        parent: parent.map(str::to_owned),
        children: BTreeSet::new(),
        unread_since: 0,
        owner: None,
        epoch: 0,
        renewals: 0,
        lease_millis: 0,
        requested_by: None,
        place: None,
        place_at: None,
        is_finished: false,
        is_initial: false,
    }
}

/// A tree of shards: each has an earlier one as its parent, or none.
fn any_tree() -> impl Strategy<Value = Vec<Option<usize>>> {
    prop::collection::vec(any::<prop::sample::Index>(), 1..30).prop_map(|parents| {
        let parents = parents.iter().enumerate();
        parents
            .map(|(at, parent)| parent.index(at + 1).checked_sub(1))
            .collect()
    })
}

fn create_rows(new: &[NewShard], rows: &mut ShardRows, roots: &mut BTreeSet<String>) {
    for new in new {
        match new.lister() {
            Some(parent) => {
                let parent = rows
                    .get_mut(parent)
                    .expect("the row of the parent comes first");
                parent.children.insert(new.shard.clone());
            }
            None => {
                roots.insert(new.shard.clone());
            }
        }
        let row = row(&new.shard, new.parent.as_deref());
        assert!(
            rows.insert(new.shard.clone(), row).is_none(),
            "created once"
        );
    }
}

proptest! {
    #![proptest_config(crate::streams::group::schedules(256))]

    /// Shards end and are described late, each description omits some, and old ones disappear.
    #[test]
    fn all_are_read_once_and_children_after_their_parents(
        tree in any_tree(),
        turns in prop::collection::vec((any::<u64>(), any::<prop::sample::Index>(), any::<bool>()), 0..120),
    ) {
        let (mut rows, mut roots) = (ShardRows::new(), BTreeSet::new());
        let (mut missing, mut now) = (MissingShards::default(), Duration::ZERO);
        let (mut hidden, mut denied) = (HiddenParents::default(), BTreeSet::new());
        let mut read: Vec<String> = Vec::new();
        let mut removed = BTreeSet::new();
        let whole = (u64::MAX, false);
        let random = turns.iter().map(|(mask, pick, is_old)| ((*mask, *is_old), Some(*pick)));
        let rest = std::iter::repeat_n((whole, None), 2 * tree.len() + 8);
        for ((mask, is_old), pick) in random.chain(rest) {
            now += Duration::from_secs(if is_old { 4_000 } else { 30 });
            let all = tree.iter().enumerate().filter(|(at, _)| !removed.contains(&format!("s{at:02}")));
            let shown: Vec<DescribedShard> = all
                .filter(|(at, _)| mask >> at & 1 == 1)
                .map(|(at, parent)| described(at, *parent))
                .collect();
            // The discoverer looks for parents that are not described by their IDs.
            for parent in hidden.note_survey(&shown, &rows, now) {
                // A shard that exists may be denied once.
                let is_denied = mask >> 40 & 1 == 1 && denied.insert(parent.clone());
                hidden.note_found(&parent, !removed.contains(&parent) && !is_denied);
            }
            create_rows(&new_shards(&shown, &rows, |parent| hidden.is_gone(parent)), &mut rows, &mut roots);
            prop_assert!(missing_rows(&roots, &rows).is_empty());
            for gone in missing.removable_rows(&shown, &rows, now) {
                // Only shards that the stream has forgotten are missing for an hour.
                if !is_old {
                    continue;
                }
                let row = rows.remove(&gone).expect("a row");
                prop_assert!(row.is_finished);
                prop_assert!(rows.values().all(|other| other.parent.as_ref() != Some(&gone) || other.is_finished));
                roots.remove(&gone);
                roots.extend(row.children);
                removed.insert(gone);
            }
            prop_assert!(missing_rows(&roots, &rows).is_empty());
            let ready: Vec<String> = rows.values().filter(|row| is_ready(row, &rows, &roots)).map(|row| row.shard.clone()).collect();
            let next = match pick {
                Some(pick) if !ready.is_empty() => Some(pick.get(&ready)),
                _ => ready.first(),
            };
            if let Some(shard) = next {
                let at: usize = shard[1..].parse().expect("a number");
                if let Some(parent) = tree[at] {
                    prop_assert!(read.contains(&format!("s{parent:02}")), "{shard} before its parent");
                }
                read.push(shard.clone());
                rows.get_mut(shard).expect("a row").is_finished = true;
            }
        }
        read.sort_unstable();
        let all: Vec<String> = (0..tree.len()).map(|at| format!("s{at:02}")).collect();
        prop_assert_eq!(read, all);
    }
}

#[test]
fn a_row_that_was_deleted_is_missing() {
    let mut rows = ShardRows::from([("a".to_owned(), row("a", None))]);
    rows.get_mut("a").unwrap().children.insert("b".into());
    let roots = BTreeSet::from(["a".to_owned(), "c".to_owned()]);
    let missing = missing_rows(&roots, &rows);
    assert_eq!(
        missing,
        [
            ("c".to_owned(), None),
            ("b".to_owned(), Some("a".to_owned()))
        ]
    );
}

/// A worker that becomes the discoverer again must not count the omissions of an earlier time.
#[test]
fn a_row_is_deleted_after_several_omissions_and_a_long_time() {
    let mut old = row("a", None);
    old.is_finished = true;
    let rows = ShardRows::from([("a".to_owned(), old)]);
    let (none, shown) = (Vec::new(), vec![described(0, None)]);
    let later = |count: u32| MEMORY * count;
    let mut missing = MissingShards::default();
    for count in 1..OMISSIONS {
        let removable = missing.removable_rows(&none, &rows, later(count));
        assert!(removable.is_empty(), "after {count}");
    }
    assert_eq!(
        missing.removable_rows(&none, &rows, later(OMISSIONS)),
        ["a"]
    );
    // Quick descriptions are not enough, and a shard that is described again begins anew.
    let mut missing = MissingShards::default();
    for _ in 0..2 * OMISSIONS {
        assert!(
            missing
                .removable_rows(&none, &rows, Duration::ZERO)
                .is_empty()
        );
    }
    let same = ShardRows::from([("s00".to_owned(), rows["a"].clone())]);
    for count in 1..=2 * OMISSIONS {
        let page = if count == OMISSIONS { &shown } else { &none };
        let removable = missing.removable_rows(page, &same, later(count));
        assert_eq!(removable.is_empty(), count < 2 * OMISSIONS, "after {count}");
    }
}

/// The query that reads the rows may have missed the parent.
#[test]
fn a_shard_without_the_row_of_its_parent_is_not_ready_unless_it_is_a_root() {
    let child = row("b", Some("a"));
    let rows = ShardRows::from([("b".to_owned(), child.clone())]);
    assert!(!is_ready(&child, &rows, &BTreeSet::new()));
    assert!(is_ready(&child, &rows, &BTreeSet::from(["b".to_owned()])));
}
