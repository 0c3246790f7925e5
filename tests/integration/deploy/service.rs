//! A model of the service for the settings of one table: it keeps and checks what AWS keeps and checks, one change at a time.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use fastrand::Rng;
use serde_json::{Value as Json, json};

/// The key that AWS manages. A description does not tell it from others.
pub const MANAGED: &str = "arn:aws:kms:eu-west-1:111122223333:key/managed";

/// The warm throughput of a new table on demand.
const FIRST: (u64, u64) = (12_000, 4_000);

/// The settings that a server keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// All of them, like AWS.
    All,
    /// The maximum of the table and of new indexes, like DynamoDB Local: the rest is accepted and forgotten.
    MaximumOnly,
}

/// A server with at most one table. Each request that changes it is remembered.
#[derive(Clone)]
pub struct Service(Arc<Mutex<State>>);

struct State {
    keeps: Keeps,
    rng: Rng,
    /// The description, or null.
    table: Json,
    /// For how many descriptions the table is still being changed.
    changing: u32,
    /// The warm throughput that is being prepared, of the table and of indexes, and for how many descriptions.
    warming: Vec<(Option<Json>, Json, u32)>,
    /// Whether load increases the warm throughput of reads just before the next request for more.
    grows_next: bool,
    writes: Vec<Json>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Service")
    }
}

impl HttpClient for Service {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Service {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body = request.body().bytes().unwrap_or_default();
        let body: Json = serde_json::from_slice(body).unwrap_or_default();
        let (status, answer) = match self.state().answer(&operation, &body) {
            Ok(answer) => (200, answer),
            Err((code, message)) => (400, json!({"__type": code, "message": message})),
        };
        let status = status.try_into().expect("a status");
        let response = HttpResponse::new(status, SdkBody::from(answer.to_string()));
        HttpConnectorFuture::ready(Ok(response))
    }
}

type Refusal = (&'static str, String);

fn invalid(message: &str) -> Refusal {
    ("ValidationException", message.to_owned())
}

impl Service {
    pub fn new(keeps: Keeps, seed: u64) -> Self {
        Service(Arc::new(Mutex::new(State {
            keeps,
            rng: Rng::with_seed(seed),
            table: Json::Null,
            changing: 0,
            warming: Vec::new(),
            grows_next: false,
            writes: Vec::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while it holds this")
    }

    /// The table as it is.
    pub fn table(&self) -> Json {
        self.state().table.clone()
    }

    /// The requests that changed it since the last call.
    pub fn take_writes(&self) -> Vec<Json> {
        std::mem::take(&mut self.state().writes)
    }

    /// Ends every increase of the warm throughput.
    pub fn end_warming(&self) {
        let mut state = self.state();
        for (_, _, left) in &mut state.warming {
            *left = 0;
        }
        state.warm_up();
    }

    /// Another program increases the warm throughput of the table, and DynamoDB never ends it.
    pub fn warm_for_ever(&self) {
        self.state().table["WarmThroughput"]["Status"] = json!("UPDATING");
    }

    /// Load on the table between a description and the next request for more warm throughput.
    pub fn grow_at_the_next_request(&self) {
        self.state().grows_next = true;
    }

    /// Load on the table, by which its warm throughput increases.
    pub fn grow(&self) {
        let mut state = self.state();
        let more = state.rng.u64(..9_000);
        for pointer in [
            "/WarmThroughput",
            "/GlobalSecondaryIndexes/0/WarmThroughput",
        ] {
            if let Some(warm) = state.table.pointer_mut(pointer) {
                for member in ["ReadUnitsPerSecond", "WriteUnitsPerSecond"] {
                    warm[member] = json!(warm[member].as_u64().unwrap_or_default() + more);
                }
            }
        }
    }
}

impl State {
    fn answer(&mut self, operation: &str, body: &Json) -> Result<Json, Refusal> {
        match operation {
            "CreateTable" => {
                self.writes.push(body.clone());
                self.create(body)?;
                Ok(json!({"TableDescription": self.shown()}))
            }
            "UpdateTable" => {
                if self.changing > 0 {
                    return Err(("ResourceInUseException", "it is being updated".to_owned()));
                }
                self.writes.push(body.clone());
                let asks_for_warmth = body.to_string().contains("WarmThroughput");
                if asks_for_warmth && std::mem::take(&mut self.grows_next) {
                    self.table["WarmThroughput"]["ReadUnitsPerSecond"] = json!(60_000);
                }
                self.update(body)?;
                self.changing = u32::from(self.rng.u8(..4) == 0);
                Ok(json!({"TableDescription": self.shown()}))
            }
            "DescribeTable" if self.table.is_null() => {
                Err(("ResourceNotFoundException", "there is none".to_owned()))
            }
            "DescribeTable" => {
                let shown = json!({"Table": self.shown()});
                self.changing = self.changing.saturating_sub(1);
                self.warm_up();
                Ok(shown)
            }
            "DescribeTimeToLive" => {
                Ok(json!({"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}))
            }
            _ => Err(("UnknownOperationException", operation.to_owned())),
        }
    }

    /// Shows the warm throughput whose time has come.
    fn warm_up(&mut self) {
        for (index, warm, left) in std::mem::take(&mut self.warming) {
            if left > 0 {
                self.warming.push((index, warm, left - 1));
            } else if let Some(place) = place_of(&mut self.table, index.as_ref()) {
                place["WarmThroughput"] = warm;
            }
        }
    }

    /// AWS takes the request at once, and describes the former values until the new ones are prepared. Other changes are
    /// accepted meanwhile.
    fn begin_warming(&mut self, table: &mut Json) {
        let names = table["GlobalSecondaryIndexes"].as_array();
        let names: Vec<Json> = names
            .into_iter()
            .flatten()
            .map(|index| index["IndexName"].clone())
            .collect();
        let places: Vec<Option<Json>> = [None]
            .into_iter()
            .chain(names.into_iter().map(Some))
            .collect();
        for index in places {
            let before = place_of(&mut self.table, index.as_ref())
                .map(|place| place["WarmThroughput"].clone());
            let (Some(before), Some(place)) = (before, place_of(table, index.as_ref())) else {
                continue;
            };
            if before != place["WarmThroughput"] {
                let warm = std::mem::replace(&mut place["WarmThroughput"], before);
                place["WarmThroughput"]["Status"] = json!("UPDATING");
                self.warming.push((index, warm, self.rng.u32(..4)));
            }
        }
    }

    /// The status of a change is where AWS shows it: in the table, or in its encryption.
    fn shown(&mut self) -> Json {
        let mut table = self.table.clone();
        let is_changing = self.changing > 0;
        table["TableStatus"] = json!("ACTIVE");
        let place = self.rng.u8(..2);
        if is_changing {
            match place {
                1 if !table["SSEDescription"].is_null() => {
                    table["SSEDescription"]["Status"] = json!("UPDATING");
                }
                _ => table["TableStatus"] = json!("UPDATING"),
            }
        }
        table
    }

    fn keeps_all(&self) -> bool {
        self.keeps == Keeps::All
    }

    fn create(&mut self, body: &Json) -> Result<(), Refusal> {
        let has_units = body["BillingMode"] == "PROVISIONED";
        let region = if self.keeps_all() {
            "eu-west-1"
        } else {
            "ddblocal"
        };
        let mut table = json!({
            "TableName": body["TableName"],
            "KeySchema": body["KeySchema"],
            "AttributeDefinitions": body["AttributeDefinitions"],
            "CreationDateTime": 1,
            "TableArn": format!("arn:aws:dynamodb:{region}:111122223333:table/t"),
            "BillingModeSummary": {"BillingMode": body["BillingMode"]},
            "GlobalSecondaryIndexes": [],
        });
        table["ProvisionedThroughput"] = body["ProvisionedThroughput"].clone();
        self.begin_throughput(&mut table, body, has_units)?;
        if self.keeps_all() && !body["SSESpecification"].is_null() {
            table["SSEDescription"] = described_key(&body["SSESpecification"]);
        }
        for index in body["GlobalSecondaryIndexes"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let described = self.new_index(index, has_units)?;
            push(&mut table, described);
        }
        self.table = table;
        Ok(())
    }

    fn new_index(&self, index: &Json, has_units: bool) -> Result<Json, Refusal> {
        let mut described = json!({
            "IndexName": index["IndexName"],
            "KeySchema": index["KeySchema"],
            "Projection": index["Projection"],
            "IndexStatus": "ACTIVE",
            "ProvisionedThroughput": index["ProvisionedThroughput"],
        });
        if has_units == index["ProvisionedThroughput"].is_null() {
            return Err(invalid("units of an index, exactly if the table has units"));
        }
        self.begin_throughput(&mut described, index, has_units)?;
        Ok(described)
    }

    /// The maximum and the warm throughput of something new.
    fn begin_throughput(
        &self,
        described: &mut Json,
        body: &Json,
        has_units: bool,
    ) -> Result<(), Refusal> {
        let maximum = &body["OnDemandThroughput"];
        if !maximum.is_null() {
            let units = units_of(maximum, ["MaxReadRequestUnits", "MaxWriteRequestUnits"]);
            if has_units || units.iter().any(|units| *units < 1) {
                return Err(invalid("OnDemandThroughput"));
            }
            described["OnDemandThroughput"] = maximum.clone();
        }
        if !self.keeps_all() {
            return Ok(());
        }
        let units = units_of(
            &body["ProvisionedThroughput"],
            ["ReadCapacityUnits", "WriteCapacityUnits"],
        );
        let first = match units[..] {
            [reads, writes] if has_units => (reads as u64, writes as u64),
            _ => FIRST,
        };
        described["WarmThroughput"] = json!({
            "ReadUnitsPerSecond": first.0,
            "WriteUnitsPerSecond": first.1,
            "Status": "ACTIVE",
        });
        raise(described, &body["WarmThroughput"])
    }

    fn update(&mut self, body: &Json) -> Result<(), Refusal> {
        let changes = body.as_object().expect("an object").keys();
        let mut changes: Vec<&str> = changes
            .map(String::as_str)
            .filter(|name| !["TableName", "AttributeDefinitions"].contains(name))
            .collect();
        if ["BillingMode", "ProvisionedThroughput"]
            .iter()
            .any(|name| changes.contains(name))
        {
            changes.retain(|name| {
                *name != "ProvisionedThroughput" && *name != "GlobalSecondaryIndexUpdates"
            });
            changes.push("ProvisionedThroughput");
            changes.retain(|name| *name != "BillingMode");
        }
        let [change] = changes[..] else {
            return Err(invalid(&format!("one change at a time, not {changes:?}")));
        };
        let mut table = self.table.clone();
        let has_units = table["BillingModeSummary"]["BillingMode"] == "PROVISIONED";
        match change {
            "ProvisionedThroughput" => bill(&mut table, body),
            "OnDemandThroughput" if has_units => return Err(invalid("it has units")),
            "OnDemandThroughput" => limit(&mut table, &body[change])?,
            "WarmThroughput" | "SSESpecification" if !self.keeps_all() => {
                return Err(invalid("Nothing to update"));
            }
            "WarmThroughput" => raise(&mut table, &body[change])?,
            "SSESpecification" => encrypt(&mut table, &body[change])?,
            "GlobalSecondaryIndexUpdates" => {
                let [update] = &body[change].as_array().expect("a list")[..] else {
                    return Err(invalid("one index at a time"));
                };
                self.update_index(&mut table, update, has_units)?;
            }
            other => return Err(invalid(other)),
        }
        self.begin_warming(&mut table);
        self.table = table;
        Ok(())
    }

    fn update_index(
        &self,
        table: &mut Json,
        update: &Json,
        has_units: bool,
    ) -> Result<(), Refusal> {
        if let Some(create) = update.get("Create") {
            let index = self.new_index(create, has_units)?;
            push(table, index);
            return Ok(());
        }
        let update = &update["Update"];
        let indexes = table["GlobalSecondaryIndexes"].as_array_mut();
        let mut indexes = indexes.into_iter().flatten();
        let index = indexes
            .find(|index| index["IndexName"] == update["IndexName"])
            .ok_or_else(|| invalid("no such index"))?;
        if !self.keeps_all() {
            return Ok(());
        }
        match (
            update.get("OnDemandThroughput"),
            update.get("WarmThroughput"),
        ) {
            (Some(_), None) if has_units => Err(invalid("it has units")),
            (Some(maximum), None) => limit(index, maximum),
            (None, Some(warm)) => raise(index, warm),
            _ => Err(invalid("one change of an index")),
        }
    }
}

/// The table, or its index of this name.
fn place_of<'t>(table: &'t mut Json, index: Option<&Json>) -> Option<&'t mut Json> {
    let Some(name) = index else {
        return Some(table);
    };
    let mut indexes = table["GlobalSecondaryIndexes"].as_array_mut()?.iter_mut();
    indexes.find(|index| index["IndexName"] == *name)
}

fn push(table: &mut Json, index: Json) {
    let indexes = table["GlobalSecondaryIndexes"].as_array_mut();
    indexes.expect("a list").push(index);
}

fn units_of(throughput: &Json, members: [&str; 2]) -> Vec<i64> {
    members
        .iter()
        .filter_map(|member| throughput[*member].as_i64())
        .collect()
}

/// A change to units removes every maximum, and a change to requests removes the units.
fn bill(table: &mut Json, body: &Json) {
    let is_on_demand = body["BillingMode"] == "PAY_PER_REQUEST";
    if !body["BillingMode"].is_null() {
        table["BillingModeSummary"]["BillingMode"] = body["BillingMode"].clone();
    }
    table["ProvisionedThroughput"] = body["ProvisionedThroughput"].clone();
    let updates = body["GlobalSecondaryIndexUpdates"].as_array();
    let mut updates = updates.into_iter().flatten();
    let indexes = table["GlobalSecondaryIndexes"].as_array_mut();
    for index in indexes.into_iter().flatten() {
        let update = updates.find(|update| update["Update"]["IndexName"] == index["IndexName"]);
        match update {
            Some(update) => {
                index["ProvisionedThroughput"] = update["Update"]["ProvisionedThroughput"].clone();
            }
            None if is_on_demand => index["ProvisionedThroughput"] = Json::Null,
            None => {}
        }
        if !is_on_demand {
            index["OnDemandThroughput"] = Json::Null;
        }
    }
    if !is_on_demand {
        table["OnDemandThroughput"] = Json::Null;
    }
}

/// Each value is at least 1, or -1, which removes it. A request that changes nothing is rejected, because it is needless.
fn limit(described: &mut Json, maximum: &Json) -> Result<(), Refusal> {
    let before = described["OnDemandThroughput"].clone();
    let mut after = if before.is_null() {
        json!({})
    } else {
        before.clone()
    };
    for member in ["MaxReadRequestUnits", "MaxWriteRequestUnits"] {
        match maximum[member].as_i64() {
            Some(-1) => drop(after.as_object_mut().expect("an object").remove(member)),
            Some(units) if units >= 1 => after[member] = json!(units),
            Some(_) => return Err(invalid(member)),
            None => {}
        }
    }
    if after == json!({}) {
        after = Json::Null;
    }
    if after == before {
        return Err(invalid("the maximum is the same"));
    }
    described["OnDemandThroughput"] = after;
    Ok(())
}

/// No value that is given may decrease.
fn raise(described: &mut Json, warm: &Json) -> Result<(), Refusal> {
    if described["WarmThroughput"]["Status"] == "UPDATING" {
        return Err(("ResourceInUseException", "it is warming".to_owned()));
    }
    for member in ["ReadUnitsPerSecond", "WriteUnitsPerSecond"] {
        let Some(units) = warm[member].as_u64() else {
            continue;
        };
        let there = described["WarmThroughput"][member].as_u64();
        if there.is_some_and(|there| units < there) {
            return Err(invalid(&format!("{member}: {units} is below {there:?}")));
        }
        described["WarmThroughput"][member] = json!(units);
    }
    Ok(())
}

fn encrypt(table: &mut Json, wanted: &Json) -> Result<(), Refusal> {
    let described = described_key(wanted);
    if described == table["SSEDescription"] {
        return Err(invalid("the key is the same"));
    }
    table["SSEDescription"] = described;
    Ok(())
}

/// Without a key of the account, there is no description.
fn described_key(wanted: &Json) -> Json {
    if wanted["Enabled"] == json!(false) {
        return Json::Null;
    }
    let key = wanted["KMSMasterKeyId"].as_str().unwrap_or(MANAGED);
    json!({"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": key})
}
