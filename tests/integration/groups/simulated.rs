//! A stream with many shards, which close, split, and are described late or not at all. Requests to DynamoDB arrive late,
//! even after the worker that sent them has died, or their responses are lost.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use dynamo_entity::Dynamo;
use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use crate::support::db::Db;

/// The number of items.
pub const ITEMS: u32 = 24;

struct Shard {
    parent: Option<String>,
    /// The items whose changes the shard has.
    items: std::ops::Range<u32>,
    /// The item and the version of each change, with its sequence number.
    records: Vec<(u32, u64, u64)>,
    /// The number of its oldest records that the stream no longer has.
    trimmed: usize,
    is_closed: bool,
    /// The time before which the shard is not described.
    described_at: Instant,
}

pub struct World {
    random: fastrand::Rng,
    shards: BTreeMap<String, Shard>,
    next: u64,
    pub versions: BTreeMap<u32, u64>,
    /// Whether requests fail and arrive late.
    pub is_faulty: bool,
    /// Whether the first request for each page of a description is throttled.
    pub is_busy: bool,
    /// The page that was throttled last.
    busy_page: Option<String>,
    /// Whether the stream was switched off, and the table has another one.
    is_replaced: bool,
}

impl World {
    fn add_shard(&mut self, parent: Option<String>, items: std::ops::Range<u32>) {
        self.next += 1;
        let late = match self.random.u8(..4) {
            0 => self.random.u64(..1_500),
            _ => 0,
        };
        let shard = Shard {
            parent,
            items,
            records: Vec::new(),
            trimmed: 0,
            is_closed: false,
            described_at: Instant::now() + Duration::from_millis(late),
        };
        self.shards.insert(format!("shard-{:05}", self.next), shard);
    }

    fn open_shard(&self, item: u32) -> String {
        let mut shards = self.shards.iter();
        let shard = shards.find(|(_, shard)| !shard.is_closed && shard.items.contains(&item));
        shard.expect("each item has an open shard").0.clone()
    }

    /// Writes an item.
    pub fn write(&mut self) {
        let item = self.random.u32(..ITEMS);
        let version = self.versions.entry(item).or_default();
        *version += 1;
        let (version, shard) = (*version, self.open_shard(item));
        self.next += 1;
        let record = (item, version, self.next);
        self.shards
            .get_mut(&shard)
            .expect("a shard")
            .records
            .push(record);
    }

    /// Closes a shard, which gets one child or two.
    pub fn split(&mut self) {
        let item = self.random.u32(..ITEMS);
        let id = self.open_shard(item);
        let shard = self.shards.get_mut(&id).expect("a shard");
        shard.is_closed = true;
        let items = shard.items.clone();
        let middle = items.start + items.len() as u32 / 2;
        if self.random.bool() && middle > items.start {
            self.add_shard(Some(id.clone()), items.start..middle);
            self.add_shard(Some(id), middle..items.end);
        } else {
            self.add_shard(Some(id), items);
        }
    }

    /// Removes all present records, as DynamoDB does after a day.
    pub fn trim(&mut self) {
        for shard in self.shards.values_mut() {
            shard.trimmed = shard.records.len();
        }
    }

    /// Ends the stream, and gives the table another one.
    pub fn replace(&mut self) {
        self.is_replaced = true;
        for shard in self.shards.values_mut() {
            shard.is_closed = true;
        }
    }

    /// The item and the version of a change.
    pub fn change_of(&self, event_id: &str) -> (u32, u64) {
        let sequence = event_id.strip_prefix("event-").expect("an ID");
        let sequence: u64 = sequence.parse().expect("a number");
        let records = self.shards.values().flat_map(|shard| &shard.records);
        let (item, version, _) = records
            .copied()
            .find(|record| record.2 == sequence)
            .expect("a record");
        (item, version)
    }

    pub fn items_of(&self, shard: &str) -> std::ops::Range<u32> {
        self.shards[shard].items.clone()
    }

    fn is_hit(&mut self, percent: u8) -> bool {
        self.is_faulty && self.random.u8(..100) < percent
    }

    fn answer(&mut self, operation: &str, body: &Json) -> (u16, Json) {
        let failure = |code: &str| {
            (
                400,
                json!({"__type": format!("x#{code}"), "message": "simulated"}),
            )
        };
        if self.is_hit(4) {
            return failure(
                ["LimitExceededException", "ThrottlingException"][self.random.usize(..2)],
            );
        }
        match operation {
            "ListStreams" => {
                let mut streams = vec![json!({"StreamArn": "arn:simulated", "StreamLabel": "1"})];
                if self.is_replaced {
                    streams.push(json!({"StreamArn": "arn:newer", "StreamLabel": "2"}));
                }
                (200, json!({ "Streams": streams }))
            }
            "DescribeStream" => {
                let page = body.to_string();
                if self.is_busy && self.busy_page.as_ref() != Some(&page) {
                    self.busy_page = Some(page);
                    return failure("LimitExceededException");
                }
                (200, self.describe(body))
            }
            "GetShardIterator" => {
                let id = body["ShardId"].as_str().expect("a shard");
                let is_denied = self.is_hit(3);
                let Some(shard) = self.shards.get(id).filter(|_| !is_denied) else {
                    return failure("ResourceNotFoundException");
                };
                let after = body["SequenceNumber"]
                    .as_str()
                    .map(|number| number.parse::<u64>().expect("a number"));
                let at = after.map_or(shard.trimmed, |after| {
                    shard
                        .records
                        .iter()
                        .filter(|record| record.2 <= after)
                        .count()
                });
                if at < shard.trimmed {
                    return failure("TrimmedDataAccessException");
                }
                (200, json!({"ShardIterator": format!("{id}/{at}")}))
            }
            _ => {
                if self.is_hit(3) {
                    return failure("ExpiredIteratorException");
                }
                let iterator = body["ShardIterator"].as_str().expect("an iterator");
                let (id, at) = iterator.split_once('/').expect("a place");
                let at: usize = at.parse().expect("a number");
                let most = if self.is_hit(10) {
                    0
                } else {
                    self.random.usize(1..9)
                };
                let shard = &self.shards[id];
                let page: Vec<Json> = shard.records[at..]
                    .iter()
                    .take(most)
                    .map(show_record)
                    .collect();
                let next = at + page.len();
                let is_over = shard.is_closed && next == shard.records.len();
                let next = (!is_over).then(|| format!("{id}/{next}"));
                (200, json!({"Records": page, "NextShardIterator": next}))
            }
        }
    }

    fn describe(&mut self, body: &Json) -> Json {
        let after = body["ExclusiveStartShardId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let parent = body["ShardFilter"]["ShardId"].as_str().map(str::to_owned);
        // Some servers ignore the filter.
        let parent = parent.filter(|_| self.random.bool());
        let now = Instant::now();
        let ids: Vec<String> = self
            .shards
            .keys()
            .filter(|id| **id > after)
            .cloned()
            .collect();
        let mut shown = Vec::new();
        let mut last = None;
        for id in ids {
            if shown.len() == 5 {
                last = Some(shown.last().map(|shard: &Json| shard["ShardId"].clone()));
                break;
            }
            let is_omitted = self.is_hit(8);
            let shard = &self.shards[&id];
            let is_meant = parent.is_none() || shard.parent == parent;
            if is_meant && !is_omitted && shard.described_at <= now {
                shown.push(json!({"ShardId": id, "ParentShardId": shard.parent}));
            }
        }
        let status = if self.is_replaced {
            "DISABLED"
        } else {
            "ENABLED"
        };
        json!({"StreamDescription": {
            "StreamArn": "arn:simulated", "StreamStatus": status, "StreamViewType": "NEW_AND_OLD_IMAGES", "Shards": shown, "LastEvaluatedShardId": last.flatten(),
        }})
    }
}

fn show_record((item, version, sequence): &(u32, u64, u64)) -> Json {
    let image = |version: u64| json!({"number": {"N": item.to_string()}, "cents": {"N": version.to_string()}});
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let mut dynamodb = json!({
        "ApproximateCreationDateTime": now, "SizeBytes": 9, "StreamViewType": "NEW_AND_OLD_IMAGES",
        "SequenceNumber": sequence.to_string(), "Keys": {"number": {"N": item.to_string()}}, "NewImage": image(*version),
    });
    if *version > 1 {
        dynamodb["OldImage"] = image(version - 1);
    }
    let name = if *version > 1 { "MODIFY" } else { "INSERT" };
    json!({"eventID": format!("event-{sequence}"), "eventName": name, "dynamodb": dynamodb})
}

/// A transport with the simulated stream and a real table.
#[derive(Clone)]
pub struct Simulated<C> {
    inner: C,
    world: Arc<Mutex<World>>,
}

impl<C> Simulated<C> {
    pub fn new(inner: C, seed: u64) -> Self {
        let mut world = World {
            random: fastrand::Rng::with_seed(seed),
            shards: BTreeMap::new(),
            next: 0,
            versions: BTreeMap::new(),
            is_faulty: true,
            is_busy: false,
            busy_page: None,
            is_replaced: false,
        };
        // One root, and one shard whose parent is gone.
        world.add_shard(None, 0..ITEMS / 2);
        world.add_shard(Some("shard-00000".into()), ITEMS / 2..ITEMS);
        Simulated {
            inner,
            world: Arc::new(Mutex::new(world)),
        }
    }

    /// A stream without failures, whose shards have two items each.
    pub fn with_small_shards(inner: C) -> Self {
        let simulated = Simulated::new(inner, 1);
        let mut world = simulated.world();
        (world.is_faulty, world.random) = (false, fastrand::Rng::with_seed(1));
        world.shards.clear();
        for item in (0..ITEMS).step_by(2) {
            world.add_shard(None, item..item + 2);
        }
        let now = Instant::now();
        world
            .shards
            .values_mut()
            .for_each(|shard| shard.described_at = now);
        drop(world);
        simulated
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no panic")
    }
}

/// A stream without failures, and a connection to it and to the tables of a test.
pub fn simulate(db: &Db) -> (Simulated<SharedHttpClient>, Dynamo) {
    let simulated = Simulated::with_small_shards(db.engine().http_client());
    let config = db.engine().config();
    let through = db.through(config.http_client(SharedHttpClient::new(simulated.clone())));
    (simulated, through)
}

impl<C> fmt::Debug for Simulated<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Simulated")
    }
}

impl HttpClient for Simulated<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Simulated {
            inner: self.inner.http_connector(settings, components),
            world: self.world.clone(),
        })
    }
}

impl HttpConnector for Simulated<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let (service, operation) = target.split_once('.').unwrap_or_default();
        if service.starts_with("DynamoDBStreams") {
            let body = request.body().bytes().unwrap_or_default();
            let body: Json = serde_json::from_slice(body).expect("JSON");
            let (status, answer) = self.world().answer(operation, &body);
            let status = status.try_into().expect("a status");
            return HttpConnectorFuture::ready(Ok(HttpResponse::new(
                status,
                SdkBody::from(answer.to_string()),
            )));
        }
        let (is_lost, is_late, delay) = {
            let mut world = self.world();
            let delay = world.random.u64(..600);
            // The library retries a transaction with its token, so all responses to some tokens are lost.
            let body = request.body().bytes().unwrap_or_default();
            let is_unlucky = world.is_faulty && has_unlucky_token(body);
            (
                is_unlucky || world.is_hit(4),
                is_unlucky || world.is_hit(6),
                Duration::from_millis(delay),
            )
        };
        let inner = self.inner.clone();
        // The request runs in a task, because a request that was sent arrives even if its sender has died.
        let sent = tokio::spawn(async move {
            if is_late {
                sleep(delay).await;
            }
            inner.call(request).await
        });
        HttpConnectorFuture::new(async move {
            if is_lost {
                return Err(ConnectorError::timeout("the response is lost".into()));
            }
            sent.await.expect("no panic")
        })
    }
}

fn has_unlucky_token(body: &[u8]) -> bool {
    let body: Json = serde_json::from_slice(body).unwrap_or_default();
    let token = body["ClientRequestToken"].as_str();
    token.is_some_and(|token| token.bytes().map(u32::from).sum::<u32>().is_multiple_of(20))
}
