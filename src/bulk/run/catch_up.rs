//! Takes the writes that an earlier run was given too: they have to be the same, and those that failed are tried again.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::checkpoint_writer::CheckpointWriter;
use crate::bulk::checkpoint::state::refused;
use crate::bulk::input::Input;
use crate::bulk::put::Writes;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};

/// How many writes are looked at before other tasks have their turn.
const AT_ONCE: u64 = 1000;

/// Takes what earlier runs have dealt with, and returns the writes that failed. Rejects an input that is not the one
/// that they were given. The input may differ at the writes that failed, because those were to be mended, and behind
/// the last write that was dealt with.
pub(super) async fn catch_up(
    writes: &mut dyn Writes,
    keeper: &CheckpointWriter<'_>,
    db: &Dynamo,
) -> Result<VecDeque<Input>> {
    let failed = keeper.failed();
    let named = |name: String| Some((name.split(' ').next()?.parse::<u64>().ok()?, name));
    let mut failed: BTreeMap<u64, String> = failed.into_iter().filter_map(named).collect();
    let (mut again, mut identity) = (VecDeque::<Input>::new(), 0_u64);
    // The failed writes by their items. Only the checkpoint may show a later write of the item, because a delete leaves
    // no mark. A later write that waited for the failed one was not done either. However, one may have been done before
    // the item of the failed write was known, and then the turn of the failed write is over.
    let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
    for number in 0..keeper.rows() {
        let Some(mut given) = Input::next(writes, number, db) else {
            let then = keeper.rows();
            return Err(changed(&format!("now {number}, before {then}")));
        };
        given.failed_as = failed.remove(&number);
        if given.failed_as.is_some() {
            if let Some(item) = given.item(db) {
                known.entry(item).or_default().push(again.len());
            }
            again.push_back(given);
        } else {
            identity = identity.wrapping_add(given.identity);
            let is_awaited = !known.is_empty();
            let item = is_awaited.then(|| given.item(db)).flatten();
            for at in item.iter().filter_map(|item| known.get(item)).flatten() {
                if let Some(overtaken) = again.get_mut(*at) {
                    overtaken.overtaken_by = Some(number);
                }
            }
        }
        // Catching up sends nothing, so a long input would otherwise block the executor.
        if (number + 1).is_multiple_of(AT_ONCE) {
            tokio::task::yield_now().await;
        }
    }
    if identity != keeper.identity() {
        return Err(changed("keys, tables, verbs or their order differ"));
    }
    // A finished job never reads its input again, so additional writes would be ignored silently.
    if keeper.is_at_end() && writes.next(db).is_some() {
        let known = keeper.rows();
        return Err(changed(&format!("there are more than the {known} of then")));
    }
    Ok(again)
}

fn changed(how: &str) -> Error {
    refused(format!(
        "the writes are not those of the checkpoint ({how}), and some would be skipped: pass the same writes, or give this job another name and checkpoint"
    ))
}
