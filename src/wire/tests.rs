//! The wire against the embedded engine, with faults in between.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::get_item::GetItemOutput;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::{Client, config};
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextMut,
    BeforeSerializationInterceptorContextRef, Error, Output,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{
    DeserializeResponse, SharedRequestSerializer, SharedResponseDeserializer,
};

use bytes::Bytes;

use super::*;
use crate::codec::Item;
use crate::connect::testing::{Fault, Faults};
use crate::error::ErrorKind;
use crate::schema::Pattern;
use crate::wire::embedded::EmbeddedEngine;

type Http = Faults;

/// An engine that has a table `tab` with the key `pk`.
pub(super) async fn engine_of_tab() -> EmbeddedEngine {
    let engine = EmbeddedEngine::memory().await.unwrap();
    let table = br#"{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}"#;
    engine.execute("CreateTable", table).await;
    engine
}

/// Such a table, and a client without pauses between retries.
async fn start(change: impl FnOnce(config::Builder) -> config::Builder) -> (Wire, Http) {
    let engine = engine_of_tab().await;
    let http = Faults::default();
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
    let config = engine
        .sdk_config()
        .retry_config(retries)
        .http_client(http.around(engine.http_client()));
    (Wire::new(Client::from_conf(change(config).build())), http)
}

async fn plain() -> (Wire, Http) {
    start(|config| config).await
}

/// The purpose of the requests of tests.
pub(super) static PATTERN: Pattern = Pattern::alone("Test", "test");

pub(super) fn request(operation: ServiceOperation, resend: Resend, body: &str) -> Request {
    let body = Bytes::copy_from_slice(body.as_bytes());
    Request {
        operation,
        table: "tab".into(),
        body,
        resend,
        is_metered: false,
        pattern: &PATTERN,
    }
}

const PUT: &str = r#"{"TableName":"tab","Item":{"pk":{"S":"a"},"n":{"N":"1"}}}"#;
const CREATE: &str = r##"{"TableName":"tab","Item":{"pk":{"S":"a"},"n":{"N":"2"}},"ConditionExpression":"attribute_not_exists(#0)","ExpressionAttributeNames":{"#0":"pk"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##;
const GET: &str = r#"{"TableName":"tab","Key":{"pk":{"S":"a"}},"ConsistentRead":true}"#;
const DELETE: &str = r#"{"TableName":"tab","Key":{"pk":{"S":"a"}},"ReturnValues":"ALL_OLD"}"#;

pub(super) fn put() -> Request {
    request(ServiceOperation::PutItem, Resend::Always, PUT)
}

pub(super) fn create() -> Request {
    request(ServiceOperation::PutItem, Resend::UnlessAmbiguous, CREATE)
}

pub(super) fn get() -> Request {
    request(ServiceOperation::GetItem, Resend::Always, GET)
}

fn attributes(reply: &Reply, member: &str) -> Option<serde_json::Value> {
    let body: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    body.get(member).cloned()
}

#[tokio::test]
async fn a_round_trip() {
    let (wire, http) = plain().await;
    let reply = wire.call(&put()).await.unwrap();
    assert_eq!(&reply.body[..], b"{}");
    assert!(reply.request_id.unwrap().starts_with("embedded-"));
    let item = serde_json::json!({ "pk": { "S": "a" }, "n": { "N": "1" } });
    let reply = wire.call(&get()).await.unwrap();
    assert_eq!(attributes(&reply, "Item"), Some(item.clone()));
    let reply = wire
        .call(&request(
            ServiceOperation::DeleteItem,
            Resend::Always,
            DELETE,
        ))
        .await
        .unwrap();
    assert_eq!(attributes(&reply, "Attributes"), Some(item));
    assert_eq!(attributes(&wire.call(&get()).await.unwrap(), "Item"), None);
    assert_eq!(
        http.calls(),
        ["PutItem", "GetItem", "DeleteItem", "GetItem"]
    );
}

/// Our serializer and deserializer are used: white space that no other writer would produce goes out, and a member that
/// the SDK does not know comes back.
#[tokio::test]
async fn our_own_bytes_go_out_and_come_back() {
    let (wire, http) = plain().await;
    let spaced = " {\n \"TableName\" : \"tab\", \"Key\":{\"pk\":{\"S\":\"\\u0061\"}} }";
    wire.call(&request(ServiceOperation::GetItem, Resend::Always, spaced))
        .await
        .unwrap();
    let seen = http.seen().remove(0);
    assert_eq!(seen.body, spaced.as_bytes());
    assert_eq!(
        seen.header("content-type"),
        Some("application/x-amz-json-1.0")
    );
    assert_eq!(
        seen.header("content-length"),
        Some(&*spaced.len().to_string())
    );

    let marked = r#"{"Unknown":1, "Item":{"pk":{"S":"a"}}}"#;
    http.plan([Fault::Reply(200, marked.into())]);
    let reply = wire.call(&get()).await.unwrap();
    assert_eq!(&reply.body[..], marked.as_bytes());
    assert_eq!(reply.request_id.as_deref(), Some("scripted"));
}

#[tokio::test]
async fn a_failed_condition_brings_the_item() {
    for alone in [false, true] {
        let (wire, _) = plain().await;
        let wire = if alone { wire.by_hooks_alone() } else { wire };
        wire.call(&put()).await.unwrap();
        let failure = wire.call(&create()).await.unwrap_err();
        assert_eq!(failure.error.kind(), ErrorKind::Conflict);
        assert_eq!(
            failure.error.code(),
            Some("ConditionalCheckFailedException")
        );
        assert!(failure.error.request_id().is_some());
        let item = failure.condition.unwrap().item.unwrap();
        let item = Item::from_dynamo_json(&item).unwrap();
        assert_eq!(item.get("n"), Some(&1.into()));
    }
}

#[tokio::test]
async fn a_failed_condition_without_an_item() {
    let (wire, _) = plain().await;
    let guarded = r#"{"TableName":"tab","Key":{"pk":{"S":"z"}},"ConditionExpression":"attribute_exists(pk)"}"#;
    let guarded = request(
        ServiceOperation::DeleteItem,
        Resend::UnlessAmbiguous,
        guarded,
    );
    let failure = wire.call(&guarded).await.unwrap_err();
    assert!(failure.condition.unwrap().item.is_none());
}

#[tokio::test]
async fn hooks_alone_give_the_same() {
    let (wire, http) = plain().await;
    let wire = wire.by_hooks_alone();
    wire.call(&put()).await.unwrap();
    let reply = wire.call(&get()).await.unwrap();
    assert_eq!(attributes(&reply, "Item"), Some(both()));
    assert!(reply.request_id.is_some());
    let delete = request(ServiceOperation::DeleteItem, Resend::Always, DELETE);
    let reply = wire.call(&delete).await.unwrap();
    assert_eq!(attributes(&reply, "Attributes"), Some(both()));
    assert_eq!(http.calls(), ["PutItem", "GetItem", "DeleteItem"]);
    for (seen, sent) in http.seen().iter().zip([put(), get(), delete]) {
        assert_eq!(seen.body, sent.body);
        let length = sent.body.len().to_string();
        assert_eq!(seen.header("content-length"), Some(&*length));
    }

    // All that the body brings is kept, and a body that is not JSON is not an answer.
    let marked = r#"{"Unknown":1, "Item":{"pk":{"S":"a"}}}"#;
    http.plan([Fault::Reply(200, marked.into())]);
    assert_eq!(
        &wire.call(&get()).await.unwrap().body[..],
        marked.as_bytes()
    );
    http.plan(std::iter::repeat_n(Fault::Reply(200, "<html>".into()), 9));
    let failure = wire.call(&get()).await.unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Unavailable);
}

/// Represents an SDK that does not take our serializer: it puts the SDK's own back.
#[derive(Debug, Default)]
struct OwnSerializer(Mutex<Option<SharedRequestSerializer>>);

impl Intercept for OwnSerializer {
    fn name(&self) -> &'static str {
        "OwnSerializer"
    }

    fn modify_before_serialization(
        &self,
        _: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        *self.0.lock().unwrap() = cfg.load::<SharedRequestSerializer>().cloned();
        Ok(())
    }

    fn read_before_serialization(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        cfg.interceptor_state()
            .store_put(self.0.lock().unwrap().clone().unwrap());
        Ok(())
    }
}

#[tokio::test]
async fn an_sdk_that_ignores_our_serializer() {
    let (wire, http) = start(|config| config.interceptor(OwnSerializer::default())).await;
    wire.call(&create()).await.unwrap();
    assert_eq!(http.seen()[0].body, create().body);
    let failure = wire.call(&create()).await.unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Conflict);
    assert_eq!(http.calls(), ["PutItem", "PutItem"]);

    let (wire, http) = start(|config| config.interceptor(OwnSerializer::default())).await;
    wire.call(&transaction("one")).await.unwrap();
    assert_eq!(http.calls(), ["TransactWriteItems"]);
    assert_eq!(
        attributes(&wire.call(&get()).await.unwrap(), "Item"),
        Some(both())
    );
}

/// A transaction with all kinds of operations, each on an item of its own.
fn transaction(token: &str) -> Request {
    let operations = r##"
        {"Put":{"TableName":"tab","Item":{"pk":{"S":"a"},"n":{"N":"1"}},"ConditionExpression":"attribute_not_exists(#p)","ExpressionAttributeNames":{"#p":"pk"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},
        {"Delete":{"TableName":"tab","Key":{"pk":{"S":"b"}}}},
        {"Update":{"TableName":"tab","Key":{"pk":{"S":"c"}},"UpdateExpression":"SET n = :n","ExpressionAttributeValues":{":n":{"N":"2"}}}},
        {"ConditionCheck":{"TableName":"tab","Key":{"pk":{"S":"d"}},"ConditionExpression":"attribute_not_exists(pk)"}}"##;
    let body = format!(
        "{{\"TransactItems\":[{operations}],\"ClientRequestToken\":\"{token}\",\"ReturnConsumedCapacity\":\"TOTAL\"}}"
    );
    request(ServiceOperation::TransactWriteItems, Resend::ByToken, &body)
}

fn both() -> serde_json::Value {
    serde_json::json!({ "pk": { "S": "a" }, "n": { "N": "1" } })
}

#[tokio::test]
async fn a_transaction_of_all_kinds() {
    for alone in [false, true] {
        let (wire, http) = plain().await;
        let wire = if alone { wire.by_hooks_alone() } else { wire };
        http.plan([Fault::Lose, Fault::internal()]);
        let reply = wire.call(&transaction("one")).await.unwrap();
        assert!(reply.body.starts_with(b"{"), "{:?}", reply.body);
        let seen = http.seen();
        assert_eq!(seen.len(), 3, "{alone}");
        assert!(seen.iter().all(|attempt| attempt.body == seen[0].body));
        assert_eq!(
            attributes(&wire.call(&get()).await.unwrap(), "Item"),
            Some(both())
        );

        let failure = wire.call(&transaction("two")).await.unwrap_err();
        assert_eq!(failure.error.kind(), ErrorKind::Conflict);
        assert_eq!(failure.error.code(), Some("TransactionCanceledException"));
        let item = failure.condition.unwrap().item.unwrap();
        assert_eq!(
            Item::from_dynamo_json(&item).unwrap().get("n"),
            Some(&1.into())
        );
    }
}

/// Represents an SDK that does not take our deserializer.
#[derive(Debug)]
struct OwnDeserializer;

impl Intercept for OwnDeserializer {
    fn name(&self) -> &'static str {
        "OwnDeserializer"
    }

    fn read_before_deserialization(
        &self,
        _: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let own = SharedResponseDeserializer::new(OwnDeserializer);
        cfg.interceptor_state().store_put(own);
        Ok(())
    }
}

impl DeserializeResponse for OwnDeserializer {
    fn deserialize_nonstreaming_with_config(
        &self,
        _: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<Error>> {
        let output = GetItemOutput::builder().item("pk", AttributeValue::S("typed".into()));
        Ok(Output::erase(output.build()))
    }
}

#[tokio::test]
async fn an_sdk_that_ignores_our_deserializer() {
    let (wire, http) = start(|config| config.interceptor(OwnDeserializer)).await;
    let answer = r#"{"Item":{"pk":{"S":"a"},"n":{"N":"1"}}}"#;
    http.plan([Fault::Reply(200, answer.into())]);
    let reply = wire.call(&get()).await.unwrap();
    assert_eq!(&reply.body[..], answer.as_bytes());
    assert_eq!(http.calls(), ["GetItem"]);
}

/// Law W6: what may follow an attempt with a lost answer.
#[tokio::test]
async fn a_lost_answer() {
    let ambiguous = [
        Fault::Lose,
        Fault::Io,
        Fault::Timeout,
        Fault::internal(),
        Fault::Cut(1),
    ];
    for alone in [false, true] {
        for fault in ambiguous.clone() {
            let (wire, http) = plain().await;
            let wire = if alone { wire.by_hooks_alone() } else { wire };
            http.plan([fault.clone()]);
            let failure = wire.call(&create()).await.unwrap_err();
            assert_eq!(
                failure.error.kind(),
                ErrorKind::OutcomeUnknown,
                "{alone} {fault:?}"
            );
            assert!(failure.condition.is_none());
            assert_eq!(http.calls(), ["PutItem"], "{alone} {fault:?}");
        }
    }
    for fault in ambiguous {
        let (wire, http) = plain().await;
        http.plan([fault.clone()]);
        wire.call(&put()).await.unwrap();
        assert_eq!(http.calls(), ["PutItem", "PutItem"], "{fault:?}");
    }
}

/// A conditional write that its caller declared repeatable: its second attempt may meet the first.
#[tokio::test]
async fn a_condition_after_a_lost_answer_is_unknown() {
    let (wire, http) = plain().await;
    http.plan([Fault::Lose]);
    let repeatable = request(ServiceOperation::PutItem, Resend::Always, CREATE);
    let failure = wire.call(&repeatable).await.unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::OutcomeUnknown);
    assert!(failure.condition.is_none());
    assert_eq!(http.calls(), ["PutItem", "PutItem"]);
}

#[tokio::test]
async fn a_hang_ends_with_the_attempt_timeout() {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(50))
        .build();
    let (wire, http) = start(|config| config.timeout_config(timeouts)).await;
    http.plan([Fault::Hang]);
    let failure = wire.call(&create()).await.unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(http.calls(), ["PutItem"]);
    http.plan([Fault::Hang]);
    wire.call(&put()).await.unwrap();
    assert_eq!(http.calls(), ["PutItem", "PutItem"]);
}

#[tokio::test]
async fn what_was_surely_not_executed_is_sent_again() {
    for fault in [Fault::throttle(), Fault::Refused] {
        for request in [put(), create()] {
            let (wire, http) = plain().await;
            http.plan([fault.clone()]);
            wire.call(&request).await.unwrap();
            assert_eq!(http.calls(), ["PutItem", "PutItem"], "{fault:?}");
        }
    }
}

/// A throttled attempt is not ambiguous, whatever ends the waiting for the next one.
#[tokio::test]
async fn a_timeout_while_waiting_to_retry_is_not_unknown() {
    let timeouts = TimeoutConfig::builder()
        .operation_timeout(Duration::from_millis(60))
        .build();
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_secs(20));
    let (wire, http) = start(|config| config.timeout_config(timeouts).retry_config(retries)).await;
    http.plan([Fault::throttle(), Fault::throttle(), Fault::throttle()]);
    let failure = wire.call(&create()).await.unwrap_err();
    assert_ne!(
        failure.error.kind(),
        ErrorKind::OutcomeUnknown,
        "{:?}",
        failure.error
    );
}

#[tokio::test]
async fn kinds_come_from_code_and_status() {
    let refuse = Fault::refuse;
    let html = |status| Fault::Reply(status, "<html>".into());
    for (fault, kind) in [
        (
            refuse("com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"),
            ErrorKind::TableNotFound,
        ),
        (
            refuse("ProvisionedThroughputExceededException"),
            ErrorKind::Throttled,
        ),
        (refuse("AccessDeniedException"), ErrorKind::AccessDenied),
        (
            refuse("UnrecognizedClientException"),
            ErrorKind::AccessDenied,
        ),
        (
            refuse("com.amazon.coral.validate#ValidationException"),
            ErrorKind::Rejected,
        ),
        (refuse("SerializationException"), ErrorKind::Rejected),
        (
            refuse("TransactionConflictException"),
            ErrorKind::Unavailable,
        ),
        (
            refuse("ItemCollectionSizeLimitExceededException"),
            ErrorKind::CollectionFull,
        ),
        (refuse("NobodyKnowsThisException"), ErrorKind::Service),
        (Fault::internal(), ErrorKind::Unavailable),
        (Fault::Refused, ErrorKind::Unavailable),
        (Fault::Io, ErrorKind::Unavailable),
        (html(403), ErrorKind::AccessDenied),
        (html(404), ErrorKind::Service),
        (html(502), ErrorKind::Unavailable),
        (html(200), ErrorKind::Unavailable),
        (Fault::Reply(200, String::new()), ErrorKind::Unavailable),
    ] {
        let (wire, http) = plain().await;
        http.plan(std::iter::repeat_n(fault.clone(), 3));
        let failure = wire.call(&get()).await.unwrap_err();
        assert_eq!(failure.error.kind(), kind, "{fault:?}: {:?}", failure.error);
    }
}

/// An answer that broke off has put our deserializer into the SDK's state, where it also meets the rejection that
/// follows.
#[tokio::test]
async fn a_refusal_after_a_broken_answer() {
    let (wire, http) = plain().await;
    let refused = r#"{"__type":"a.b#ValidationException","message":"no"}"#;
    http.plan([
        Fault::Cut(1),
        Fault::throttle(),
        Fault::Reply(400, refused.into()),
    ]);
    let failure = wire.call(&put()).await.unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Rejected);
    assert_eq!(failure.error.code(), Some("ValidationException"));
    assert_eq!(http.calls().len(), 3);
}

#[tokio::test]
async fn a_missing_table_says_what_to_do() {
    let (wire, _) = plain().await;
    let mut get = get();
    get.body = Bytes::from_static(br#"{"TableName":"nope","Key":{"pk":{"S":"a"}}}"#);
    get.table = "nope".into();
    let error = wire.call(&get).await.unwrap_err().error;
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    let text = error.to_string();
    assert!(
        text.contains("`nope`") && text.contains("db.create_tables"),
        "{text}"
    );
}

/// Values stay out of errors and of what is logged about a call.
#[tokio::test]
async fn errors_hold_no_values() {
    let (wire, _) = plain().await;
    let secret = CREATE.replace("\"N\":\"2\"", "\"S\":\"secret\"");
    let secret = || request(ServiceOperation::PutItem, Resend::UnlessAmbiguous, &secret);
    wire.call(&secret()).await.unwrap();
    let failure = wire.call(&secret()).await.unwrap_err();
    assert!(!format!("{failure:?} {}", failure.error).contains("secret"));
    let exchange = Arc::new(sdk::HookExchange::new(&secret(), true, None, None, None));
    assert!(!format!("{:?}", sdk::Hooks(exchange)).contains("secret"));
}

#[tokio::test]
async fn missing_credentials_say_what_to_do() {
    #[derive(Debug)]
    struct None;
    impl config::ProvideCredentials for None {
        fn provide_credentials<'a>(
            &'a self,
        ) -> aws_credential_types::provider::future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            let missing =
                aws_credential_types::provider::error::CredentialsError::not_loaded_no_source();
            aws_credential_types::provider::future::ProvideCredentials::ready(Err(missing))
        }
    }
    let (wire, http) = start(|config| config.credentials_provider(None)).await;
    let error = wire.call(&create()).await.unwrap_err().error;
    assert_eq!(error.kind(), ErrorKind::AccessDenied, "{error:?}");
    assert!(error.to_string().contains("AWS_ACCESS_KEY_ID"), "{error}");
    assert!(http.calls().is_empty());
}

/// Every answer and every rejection is the same by both ways.
#[tokio::test]
async fn past_the_sdk_everything_is_the_same() {
    let (sdk, _) = start(|config| config).await;
    let direct = Wire::direct(engine_of_tab().await);
    let requests = [
        (
            ServiceOperation::PutItem,
            r#"{"TableName":"tab","Item":{"pk":{"S":"a"}}}"#,
        ),
        (
            ServiceOperation::GetItem,
            r#"{"TableName":"tab","Key":{"pk":{"S":"a"}}}"#,
        ),
        (
            ServiceOperation::GetItem,
            r#"{"TableName":"tab","Key":{"pk":{"S":"missing"}}}"#,
        ),
        (
            ServiceOperation::PutItem,
            r##"{"TableName":"tab","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_not_exists(pk)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##,
        ),
        (
            ServiceOperation::GetItem,
            r#"{"TableName":"none","Key":{"pk":{"S":"a"}}}"#,
        ),
        (
            ServiceOperation::GetItem,
            r#"{"TableName":"tab","Key":{"other":{"S":"secret"}}}"#,
        ),
        (
            ServiceOperation::UpdateItem,
            r#"{"TableName":"tab","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET"}"#,
        ),
        (
            ServiceOperation::TransactWriteItems,
            r#"{"TransactItems":[{"Put":{"TableName":"tab","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_not_exists(pk)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]}"#,
        ),
    ];
    for (operation, body) in requests {
        let request = Request {
            operation,
            table: "tab".into(),
            body: Bytes::from_static(body.as_bytes()),
            resend: Resend::UnlessAmbiguous,
            is_metered: false,
            pattern: &PATTERN,
        };
        let told = |outcome: Result<Reply, Failure>| match outcome {
            Ok(reply) => format!("{:?} {}", reply.body, reply.request_id.is_some()),
            Err(failure) => {
                let item = failure.condition.map(|condition| condition.item);
                let error = failure.error;
                let id = error.request_id().is_some();
                format!(
                    "{:?} {:?} {error} {item:?} {id}",
                    error.kind(),
                    error.code()
                )
            }
        };
        let (by_sdk, by_direct) = (sdk.call(&request).await, direct.call(&request).await);
        assert_eq!(told(by_direct), told(by_sdk), "{body}");
    }
}

#[test]
fn an_engine_that_fails_may_have_done_it() {
    let kind = |resend| {
        let request = Request {
            operation: ServiceOperation::PutItem,
            table: "tab".into(),
            body: Bytes::from_static(b"{}"),
            resend,
            is_metered: false,
            pattern: &PATTERN,
        };
        let site = failure::FailureContext::in_process(&request, 500);
        let body = br#"{"__type":"InternalServerError","message":"it failed"}"#;
        failure::from_engine(500, body, "id".into(), site)
            .error
            .kind()
    };
    assert_eq!(kind(Resend::UnlessAmbiguous), ErrorKind::OutcomeUnknown);
    assert_eq!(kind(Resend::Always), ErrorKind::Unavailable);
}

/// Values that the engine quotes are not shown.
#[tokio::test]
async fn quoted_values_are_not_shown() {
    let (wire, _http) = plain().await;
    let asking = |asked: &str| {
        format!(
            r#"{{"TableName":"tab","Item":{{"pk":{{"S":"k"}}}},"ConditionExpression":"x BETWEEN :a AND :b","ExpressionAttributeValues":{asked}}}"#
        )
    };
    let storing =
        |value: &str| format!(r#"{{"TableName":"tab","Item":{{"pk":{{"S":"k"}},"x":{value}}}}}"#);
    for (body, values) in [
        (
            asking(r#"{":a":{"S":"q"},":b":{"S":"c"}}"#),
            &["{S:q}", "{S:c}"][..],
        ),
        (
            asking(r#"{":a":{"N":"7.50"},":b":{"N":"3"}}"#),
            &["7.5", "{N:3}"],
        ),
        (
            asking(r#"{":a":{"B":"/w=="},":b":{"B":"AQI="}}"#),
            &["/w", "AQI"],
        ),
        (
            asking(r#"{":a":{"S":"q"},":b":{"N":"7"}}"#),
            &["{S:q}", "{N:7}"],
        ),
        (storing(r#"{"SS":["ab","ab"]}"#), &["[ab", "ab]"]),
        (storing(r#"{"NS":["5","5.0"]}"#), &["[5", "5.0"]),
        (storing(r#"{"BS":["AQI=","AQI="]}"#), &["AQI"]),
        (storing(r#"{"N":"4ab"}"#), &["4ab"]),
    ] {
        let put = request(ServiceOperation::PutItem, Resend::UnlessAmbiguous, &body);
        let failure = wire.call(&put).await.unwrap_err();
        assert_eq!(failure.error.kind(), ErrorKind::Rejected, "{body}");
        let shown = format!("{} {:?}", failure.error, failure.error);
        for value in values {
            assert!(!shown.contains(value), "{body}: {shown}");
        }
    }
}
