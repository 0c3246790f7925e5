//! Settings of a user's own SDK client are respected, and no request differs from that of the SDK.

mod hooks;
mod ignoring;
mod sockets;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use dynamo_entity::Dynamo;
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::aws_sdk_dynamodb::config::{
    self, AppName, BehaviorVersion, Credentials, Region,
};
use dynamo_entity::aws_sdk_dynamodb::{Client, Config};
use dynamo_entity::prelude::*;
use serde_json::Value as Json;

use crate::answers::rows::{Row, works};
use crate::model::{Note, note};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    requests_are_those_of_the_sdk,
    a_classifier_of_the_users_own_is_asked(Note),
    many_tasks_share_a_client(Note, Row),
    hooks_see_the_bytes,
    hooks_may_change_the_bytes,
    a_hook_that_fails_is_an_error,
    answers_come_over_sockets,
    an_sdk_that_ignores_us_does_the_same,
];

use hooks::{a_hook_that_fails_is_an_error, hooks_may_change_the_bytes, hooks_see_the_bytes};
use ignoring::an_sdk_that_ignores_us_does_the_same;
use sockets::answers_come_over_sockets;

/// A request (URI, headers and body) without what differs each time.
type Seen = (String, BTreeMap<String, String>, Json);

/// Answers every request with an empty object, and records it.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Seen>>>);

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

/// Removes versions, because an unchecked put draws a random one.
fn forget_versions(body: &mut Json) {
    match body {
        Json::Object(members) => {
            members.remove("version");
            members.values_mut().for_each(forget_versions);
        }
        Json::Array(elements) => elements.iter_mut().for_each(forget_versions),
        _ => {}
    }
}

impl HttpConnector for Recorder {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        const EACH: [&str; 6] = [
            "amz-sdk-invocation-id",
            "amz-sdk-request",
            "authorization",
            "content-length",
            "x-amz-date",
            "x-amz-user-agent",
        ];
        let headers = request.headers().iter();
        let headers = headers
            .filter(|(name, _)| !EACH.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut body: Json = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        if let Some(body) = body.as_object_mut() {
            body.remove("ClientRequestToken");
        }
        forget_versions(&mut body);
        let authorization = request.headers().get("authorization").unwrap_or_default();
        // The signer's credential and the signed headers, without the signature.
        let signed = authorization.split("Signature=").next().unwrap_or_default();
        let mut headers: BTreeMap<_, _> = headers.collect();
        headers.insert("signed".into(), signed.to_owned());
        let uri = request.uri().to_owned();
        self.0.lock().unwrap().push((uri, headers, body));
        let body = SdkBody::from("{}");
        HttpConnectorFuture::ready(Ok(HttpResponse::new(200.try_into().unwrap(), body)))
    }
}

impl HttpClient for Recorder {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

type Settings = fn(config::Builder) -> config::Builder;

async fn requests_are_those_of_the_sdk(_: Db) -> Outcome {
    let settings: [(&str, Settings); 8] = [
        ("plain", |config| config),
        ("named", |config| {
            config.app_name(AppName::new("mine").unwrap())
        }),
        ("path", |config| {
            config.endpoint_url("https://proxy.example:8443/dynamo/db")
        }),
        ("slash", |config| {
            config.endpoint_url("http://localhost:8000/")
        }),
        ("fips", |config| config.use_fips(true)),
        ("both stacks", |config| config.use_dual_stack(true)),
        ("region", |config| config.region(Region::new("cn-north-1"))),
        ("anonymous", |config| config.allow_no_auth()),
    ];
    for (what, change) in settings {
        let recorder = Recorder::default();
        let credentials = Credentials::builder()
            .access_key_id("AKID")
            .secret_access_key("secret")
            .session_token("token")
            .account_id("123456789012")
            .provider_name("test")
            .build();
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("eu-west-1"))
            .credentials_provider(credentials)
            .http_client(recorder.clone());
        let db = Dynamo::new(Client::from_conf(change(config).build()));
        drop(works(&db).await);
        let raw = std::mem::take(&mut *recorder.0.lock().unwrap());
        drop(works(&db.with_hooks_alone()).await);
        let typed = std::mem::take(&mut *recorder.0.lock().unwrap());
        assert_eq!(raw.len(), typed.len(), "{what}");
        for (raw, typed) in raw.iter().zip(&typed) {
            assert_eq!(raw, typed, "{what}");
        }
    }
    Ok(())
}

/// Classifies status 418 as an error to retry.
#[derive(Debug)]
struct Patient;

impl ClassifyRetry for Patient {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        match context
            .response()
            .map(|response| response.status().as_u16())
        {
            Some(418) => RetryAction::transient_error(),
            _ => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "Patient"
    }
}

/// The user's classifier also applies to guarded writes, which have one of the library's.
async fn a_classifier_of_the_users_own_is_asked(db: Db) -> Outcome {
    let teapot = || Fault::Reply(418, r#"{"__type":"Teapot"}"#.into());
    let (config, http) = db.faulty_config([teapot(), teapot()]);
    let patient = db.through(config.retry_classifier(Patient));
    note("n1", "x").create().send(&patient).await?;
    assert_eq!(http.calls().len(), 3);
    http.plan([teapot(), teapot()]);
    Note::key("n1").get().send(&patient).await?;
    assert_eq!(http.calls().len(), 3);
    // The user's classifier cannot repeat a write that must not be sent again.
    http.plan([Fault::Lose]);
    let lost = note("n2", "x").create().send(&patient).await.unwrap_err();
    assert!(lost.is_outcome_unknown());
    Ok(())
}

/// Each task gets its own answers, whatever happens to the requests of others.
async fn many_tasks_share_a_client(db: Db) -> Outcome {
    let faults = (0..600).map(|at| match at % 6 {
        0 => Fault::throttle(),
        1 => Fault::Delay(Duration::from_millis(3)),
        2 => Fault::Refused,
        _ => Fault::Pass,
    });
    let (config, _http) = db.faulty_config(faults);
    let retries = RetryConfig::standard().with_max_attempts(20);
    let shared =
        db.through(config.retry_config(retries.with_initial_backoff(Duration::from_millis(1))));
    let tasks: Vec<_> = (0..64)
        .map(|task| {
            let shared = shared.clone();
            tokio::spawn(async move {
                for round in 0..8 {
                    let id = format!("t{task}");
                    let written = note(&id, &format!("{task}-{round}"));
                    written.put().send(&shared).await?;
                    // This call is dropped somewhere on its way.
                    let dropped = Note::key("other").get().send(&shared);
                    let micros = Duration::from_micros(40 * (task + round));
                    drop(tokio::time::timeout(micros, dropped).await);
                    let read = Note::key(&id).get().consistent().send(&shared).await?;
                    assert_eq!(read, Some(written));
                    let missing = Note::key(format!("{id}-no")).get().send(&shared).await?;
                    assert_eq!(missing, None);
                }
                Ok::<(), Error>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}
