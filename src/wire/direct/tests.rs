//! The direct path beside the SDK's: the same requests, and the same outcomes whatever happens to them.

mod clients;
mod faults;
mod lessons;
mod matrix;
mod sequences;
mod settings;
#[cfg(feature = "aws")]
mod sockets;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition};
use aws_sdk_dynamodb::config::{self, Credentials};

use crate::connect::testing::Faults;
use crate::wire::tests::{create, engine_of_tab, get, put, request};
use crate::wire::{
    Failure, Reply, Request, Resend, SdkFallback, ServiceOperation, Wire, WirePath, WireTrace,
};

/// A client of a table `tab` that shares nothing with other clients.
async fn client(change: impl FnOnce(config::Builder) -> config::Builder) -> (Client, Faults) {
    let engine = engine_of_tab().await;
    let faults = Faults::default();
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
    let config = engine
        .sdk_config()
        .credentials_provider(Credentials::for_tests_with_session_token())
        .retry_config(retries)
        .retry_partition(alone())
        .http_client(faults.around(engine.http_client()));
    (Client::from_conf(change(config).build()), faults)
}

/// Each test has its own stock of retries, because the stock of the process is shared by all tests.
fn alone() -> RetryPartition {
    use std::sync::atomic::AtomicU64;
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    RetryPartition::custom(format!("alone-{number}")).build()
}

async fn start(change: impl FnOnce(config::Builder) -> config::Builder) -> (Wire, Faults) {
    let (client, faults) = client(change).await;
    (Wire::new(client), faults)
}

/// A wire that has had its lesson.
async fn learned(change: impl FnOnce(config::Builder) -> config::Builder) -> (Wire, Faults) {
    let (wire, faults) = start(change).await;
    assert_eq!(
        path(&wire, &put()).await,
        WirePath::Sdk(SdkFallback::Learning)
    );
    // An attempt that a busy machine makes late is replayed.
    let mut paths = Vec::new();
    while paths.last() != Some(&WirePath::Direct) {
        paths.push(path(&wire, &put()).await);
        assert!(paths.len() < 20, "{paths:?}");
    }
    faults.plan([]);
    (wire, faults)
}

async fn call(wire: &Wire, request: &Request) -> (WirePath, Result<Reply, Failure>) {
    let mut trace = WireTrace::default();
    let token = (request.resend == Resend::ByToken).then(Arc::default);
    let outcome = wire.attempt_by(request, token.as_ref(), &mut trace).await;
    (trace.path, outcome)
}

/// Calls in the same way, and fails if no outcome ever comes.
async fn soon(wire: &Wire, request: &Request) -> (WirePath, Result<Reply, Failure>) {
    let end = tokio::time::timeout(Duration::from_secs(20), call(wire, request));
    end.await.expect("a request without an end")
}

async fn path(wire: &Wire, request: &Request) -> WirePath {
    call(wire, request).await.0
}

/// One request of each operation.
fn all() -> Vec<Request> {
    use ServiceOperation::*;
    let key = r#"{"pk":{"S":"a"}}"#;
    let one = |text: &str| text.replace("KEY", key);
    [
        (PutItem, r#"{"TableName":"tab","Item":KEY}"#),
        (GetItem, r#"{"TableName":"tab","Key":KEY}"#),
        (
            UpdateItem,
            r#"{"TableName":"tab","Key":KEY,"UpdateExpression":"REMOVE x"}"#,
        ),
        (
            Query,
            r#"{"TableName":"tab","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}"#,
        ),
        (Scan, r#"{"TableName":"tab"}"#),
        (BatchGetItem, r#"{"RequestItems":{"tab":{"Keys":[KEY]}}}"#),
        (
            BatchWriteItem,
            r#"{"RequestItems":{"tab":[{"PutRequest":{"Item":KEY}}]}}"#,
        ),
        (
            TransactGetItems,
            r#"{"TransactItems":[{"Get":{"TableName":"tab","Key":KEY}}]}"#,
        ),
        (
            TransactWriteItems,
            r#"{"TransactItems":[{"Put":{"TableName":"tab","Item":KEY}}],"ClientRequestToken":"t"}"#,
        ),
        (DeleteItem, r#"{"TableName":"tab","Key":KEY}"#),
    ]
    .map(|(operation, body)| request(operation, Resend::Always, &one(body)))
    .into()
}

/// A new version of the SDK that is not understood fails here, and not in someone's bill. Any operation may be the
/// first one.
#[tokio::test]
async fn the_plain_way_is_taken() {
    for first in all() {
        let (wire, faults) = start(|config| config).await;
        let (path, _) = call(&wire, &first).await;
        assert_eq!(path, WirePath::Sdk(SdkFallback::Learning));
        for request in all() {
            let (path, outcome) = call(&wire, &request).await;
            assert!(outcome.unwrap().request_id.is_some());
            assert_eq!(path, WirePath::Direct, "after {:?}", first.operation);
        }
        assert_eq!(faults.calls().len(), 11);
    }
}

#[tokio::test]
async fn one_word_turns_it_off() {
    let (wire, _) = start(|config| config).await;
    let wire = wire.through_sdk();
    for _ in 0..3 {
        assert_eq!(path(&wire, &get()).await, WirePath::Sdk(SdkFallback::Asked));
    }
}

/// Each header of each operation equals the SDK's, including the signature.
#[tokio::test]
async fn requests_are_those_of_the_sdk() {
    let time = clients::Time::at(1_709_209_805);
    for credentials in [
        Credentials::for_tests(),
        Credentials::for_tests_with_session_token(),
    ] {
        let settings = |config: config::Builder| {
            config
                .time_source(time.clone())
                .credentials_provider(credentials.clone())
                .app_name(aws_types::app_name::AppName::new("an-app").unwrap())
        };
        let (plain, plain_seen) = learned(settings).await;
        let (sdk, sdk_seen) = start(settings).await;
        let sdk = sdk.through_sdk();
        for request in all() {
            let (path, _) = call(&plain, &request).await;
            assert_eq!(path, WirePath::Direct);
            call(&sdk, &request).await.1.unwrap();
        }
        let comparable = |faults: &Faults| -> Vec<_> {
            let seen = faults.seen().into_iter();
            seen.map(|seen| {
                let mut headers = seen.headers();
                headers.retain(|(name, _)| name != "amz-sdk-invocation-id");
                headers.sort();
                (seen.operation, seen.body, headers)
            })
            .collect()
        };
        let (plain, sdk) = (comparable(&plain_seen), comparable(&sdk_seen));
        assert_eq!(plain.len(), 10);
        assert_eq!(plain, sdk);
    }
}

/// Requests for which the direct path is not worth it, or which the SDK has work with.
#[tokio::test]
async fn detours_are_named() {
    let guard = config::StalledStreamProtectionConfig::enabled().build();
    let (wire, _) = learned(|config| config.stalled_stream_protection(guard)).await;
    let mut arn = get();
    arn.table = "arn:aws:dynamodb:eu-west-1:123456789012:table/tab".into();
    assert_eq!(
        path(&wire, &arn).await,
        WirePath::Sdk(SdkFallback::TableArn)
    );

    let text = "x".repeat(70_000);
    let large =
        format!(r#"{{"TableName":"tab","Item":{{"pk":{{"S":"l"}},"x":{{"S":"{text}"}}}}}}"#);
    let large = request(ServiceOperation::PutItem, Resend::Always, &large);
    assert_eq!(
        path(&wire, &large).await,
        WirePath::Sdk(SdkFallback::LargeBody)
    );
    assert_eq!(path(&wire, &get()).await, WirePath::Direct);
}

/// An id belongs to a request, not to an attempt.
#[tokio::test]
async fn attempts_of_one_request_have_one_id() {
    use crate::connect::testing::Fault;
    let (wire, faults) = learned(|config| config).await;
    faults.plan([Fault::throttle(), Fault::internal()]);
    let (path, outcome) = call(&wire, &put()).await;
    outcome.unwrap();
    assert_eq!(path, WirePath::Replayed);
    let seen = faults.seen();
    let ids: Vec<_> = seen
        .iter()
        .map(|seen| seen.header("amz-sdk-invocation-id").unwrap())
        .collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ids.iter().all(|id| *id == ids[0] && is_random_uuid(id)),
        "{ids:?}"
    );
    let attempts: Vec<_> = seen
        .iter()
        .map(|seen| seen.header("amz-sdk-request").unwrap())
        .collect();
    assert!(attempts[0].starts_with("attempt=1;"), "{attempts:?}");
    assert!(attempts[1].contains("attempt=2;"), "{attempts:?}");
    assert!(attempts[2].contains("attempt=3;"), "{attempts:?}");

    faults.plan([]);
    for _ in 0..20 {
        call(&wire, &create()).await.1.unwrap_err();
    }
    let ids: std::collections::BTreeSet<_> = faults
        .seen()
        .iter()
        .map(|seen| seen.header("amz-sdk-invocation-id").unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 20);
    assert!(ids.iter().all(|id| is_random_uuid(id)), "{ids:?}");
}

/// Whether this is a UUID of version 4, as the SDK's ids are.
fn is_random_uuid(text: &str) -> bool {
    let groups: Vec<_> = text.split('-').collect();
    let lengths: Vec<_> = groups.iter().map(|group| group.len()).collect();
    let is_hexadecimal = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    lengths == [8, 4, 4, 4, 12]
        && groups.concat().bytes().all(is_hexadecimal)
        && groups[2].starts_with('4')
        && groups[3].starts_with(['8', '9', 'a', 'b'])
}
