//! Joins a group.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tokio::sync::{Notify, Semaphore};

use super::{Worker, WorkerState};
use crate::error::Result;
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::streams::group::book::LeaseBook;
use crate::streams::group::event::ConsumerEvent;
use crate::streams::group::lease::{StreamGroup, StreamReader};
use crate::streams::group::limited::LimitTime;
use crate::streams::group::rejected::{other_entities, other_stream};
use crate::streams::group::settings::Settings;
use crate::streams::group::store::LeaseStore;
use crate::streams::stream_source::StreamSource;
use crate::verbs::EntityExt;

/// The number of requests for records that run concurrently.
const CONCURRENT: usize = 16;

/// The stream of a group. Without a group, it is the newest stream of the table. The stream of a group may have been switched
/// off; its changes can be read for another day.
pub(in crate::streams::group) async fn stream_of_group(
    newest: StreamSource,
    settings: &Settings,
    store: &LeaseStore,
) -> Result<StreamSource> {
    let Some(group) = settings.repeat_request(|| store.read_group()).await? else {
        return Ok(newest);
    };
    if *group.stream == *newest.arn {
        return Ok(newest);
    }
    // The list of the streams is retried by itself.
    let older = newest.older_stream(&group.stream).await?;
    older.ok_or_else(|| other_stream(&store.group, &group.stream, &newest.arn))
}

impl Worker {
    /// Joins a group, and creates the group if it does not exist.
    pub(in crate::streams::group) async fn join(
        source: StreamSource,
        settings: Settings,
        entities: BTreeSet<String>,
        store: LeaseStore,
    ) -> Result<Self> {
        let group = StreamGroup {
            group: store.group.clone(),
            stream: source.arn.to_string(),
            start_at: settings.since,
            owner: None,
            epoch: 0,
            renewals: 0,
            surveyed_at: None,
            lease_millis: 0,
            entities: entities.clone(),
        };
        let opened = settings.repeat_request(|| store.open_group(&group));
        let group = opened.await?;
        let state = WorkerState {
            surveyed_at: group.surveyed_at,
            ..WorkerState::default()
        };
        if *group.stream != *source.arn {
            return Err(other_stream(&store.group, &group.stream, &source.arn));
        }
        // Each shard is read by one worker. If it followed other entities, it would move the place past changes that this
        // worker should handle.
        if !group.entities.is_subset(&entities) && !settings.has_fewer_entities {
            return Err(other_entities(&group, &entities));
        }
        let book = LeaseBook::new(store.worker.clone(), settings.lease_time);
        let worker = Worker {
            store,
            source,
            entities,
            // The first worker has set the start of the group.
            settings: Settings {
                since: group.start_at,
                ..settings
            },
            book: Mutex::new(book),
            state: Mutex::new(state),
            began: Instant::now(),
            changed: Notify::new(),
            is_stopping: AtomicBool::new(false),
            is_hurried: AtomicBool::new(false),
            is_taking: AtomicBool::new(false),
            reads: Semaphore::new(CONCURRENT),
        };
        if group.entities != worker.entities {
            let noted = || worker.store.set_entities(&worker.entities);
            worker.settings.repeat_request(noted).await?;
        }
        // The other groups are only reported, so a failure does not end the worker.
        if let Err(error) = worker.note_reader().limited().await {
            worker.report(&ConsumerEvent::RequestFailed(&error));
        }
        Ok(worker)
    }

    /// Adds this group to the readers of the stream, and reports the others.
    async fn note_reader(&self) -> Result<()> {
        let stream = &*self.source.arn;
        let db = &self.store.db;
        let reader = StreamReader {
            stream: stream.to_owned(),
            group: self.store.group.clone(),
        };
        reader.put().send(db).await?;
        let readers = StreamReader::in_partition(stream)
            .consistent()
            .all(db)
            .await?;
        let others: Vec<String> = readers
            .into_iter()
            .map(|reader| reader.group)
            .filter(|group| *group != self.store.group)
            .collect();
        if !others.is_empty() {
            self.report(&ConsumerEvent::OtherGroups(&others));
        }
        Ok(())
    }
}
