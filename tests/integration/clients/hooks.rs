//! Interceptors of the user's client.

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::interceptors::context::{
    AfterDeserializationInterceptorContextRef, BeforeDeserializationInterceptorContextMut,
    BeforeDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextMut,
    BeforeSerializationInterceptorContextRef, BeforeTransmitInterceptorContextMut,
    BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextMut,
    FinalizerInterceptorContextRef,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;
use dynamo_entity::prelude::*;

use crate::model::{Note, note};
use crate::support::db::{Db, s};
use crate::support::suite::Outcome;

pub type Done = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Implements one hook for each line `name: Context => |context| ..`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum At {
    ReadBeforeExecution,
    ModifyBeforeSerialization,
    ReadBeforeSerialization,
    ReadAfterSerialization,
    ModifyBeforeRetryLoop,
    ReadBeforeAttempt,
    ModifyBeforeSigning,
    ReadBeforeSigning,
    ReadAfterSigning,
    ModifyBeforeTransmit,
    ReadBeforeTransmit,
    ReadAfterTransmit,
    ModifyBeforeDeserialization,
    ReadBeforeDeserialization,
    ReadAfterDeserialization,
    ModifyBeforeAttemptCompletion,
    ReadAfterAttempt,
    ModifyBeforeCompletion,
    ReadAfterExecution,
}

#[derive(Debug)]
struct Failing(At);

impl Failing {
    fn at(&self, at: At) -> Done {
        match self.0 == at {
            true => Err("a hook failed".into()),
            false => Ok(()),
        }
    }
}

macro_rules! failing {
    ($($hook:ident: $at:ident, $context:ty;)+) => {
        impl At {
            const ALL: &[At] = &[At::ReadBeforeExecution, $(At::$at),+];
        }

        #[dyn_dispatch_hint]
        impl Intercept for Failing {
            fn name(&self) -> &'static str {
                "Failing"
            }

            fn read_before_execution(
                &self,
                _: &BeforeSerializationInterceptorContextRef<'_>,
                _: &mut ConfigBag,
            ) -> Done {
                self.at(At::ReadBeforeExecution)
            }

            $(fn $hook(&self, _: $context, _: &RuntimeComponents, _: &mut ConfigBag) -> Done {
                self.at(At::$at)
            })+
        }
    };
}

failing! {
    modify_before_serialization: ModifyBeforeSerialization, &mut BeforeSerializationInterceptorContextMut<'_>;
    read_before_serialization: ReadBeforeSerialization, &BeforeSerializationInterceptorContextRef<'_>;
    read_after_serialization: ReadAfterSerialization, &BeforeTransmitInterceptorContextRef<'_>;
    modify_before_retry_loop: ModifyBeforeRetryLoop, &mut BeforeTransmitInterceptorContextMut<'_>;
    read_before_attempt: ReadBeforeAttempt, &BeforeTransmitInterceptorContextRef<'_>;
    modify_before_signing: ModifyBeforeSigning, &mut BeforeTransmitInterceptorContextMut<'_>;
    read_before_signing: ReadBeforeSigning, &BeforeTransmitInterceptorContextRef<'_>;
    read_after_signing: ReadAfterSigning, &BeforeTransmitInterceptorContextRef<'_>;
    modify_before_transmit: ModifyBeforeTransmit, &mut BeforeTransmitInterceptorContextMut<'_>;
    read_before_transmit: ReadBeforeTransmit, &BeforeTransmitInterceptorContextRef<'_>;
    read_after_transmit: ReadAfterTransmit, &BeforeDeserializationInterceptorContextRef<'_>;
    modify_before_deserialization: ModifyBeforeDeserialization, &mut BeforeDeserializationInterceptorContextMut<'_>;
    read_before_deserialization: ReadBeforeDeserialization, &BeforeDeserializationInterceptorContextRef<'_>;
    read_after_deserialization: ReadAfterDeserialization, &AfterDeserializationInterceptorContextRef<'_>;
    modify_before_attempt_completion: ModifyBeforeAttemptCompletion, &mut FinalizerInterceptorContextMut<'_>;
    read_after_attempt: ReadAfterAttempt, &FinalizerInterceptorContextRef<'_>;
    modify_before_completion: ModifyBeforeCompletion, &mut FinalizerInterceptorContextMut<'_>;
    read_after_execution: ReadAfterExecution, &FinalizerInterceptorContextRef<'_>;
}

/// If the request was sent, the outcome is unknown. If it was not, the error says so.
pub async fn a_hook_that_fails_is_an_error(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    for at in At::ALL {
        let (config, http) = db.faulty_config([]);
        let failing = db.through(config.interceptor(Failing(*at)));
        let id = format!("{at:?}");
        let error = note(&id, "x").create().send(&failing).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("a hook failed"), "{at:?}: {text}");
        match http.calls().len() {
            1 => assert!(error.is_outcome_unknown(), "{at:?}: {text}"),
            // The SDK runs all hooks of that kind even if one fails, so the library cannot tell that nothing
            // was sent.
            0 if *at == At::ReadBeforeTransmit => assert!(error.is_outcome_unknown()),
            0 => {
                assert!(!error.is_outcome_unknown(), "{at:?}: {text}");
                let is_told = text.contains("was not sent") || text.contains("nothing was sent");
                assert!(is_told, "{at:?}: {text}");
            }
            calls => return Err(format!("{at:?}: {calls} calls").into()),
        }
        let is_stored = db.raw(&Note::key(&id)).await.is_some();
        assert_eq!(is_stored, http.calls().len() == 1, "{at:?}");
        let read = Note::key(&id).get().send(&failing).await.unwrap_err();
        assert!(!read.is_outcome_unknown(), "{at:?}: {read}");
    }
    Ok(())
}

/// The bodies of requests and answers that a hook has seen.
#[derive(Debug, Clone, Default)]
struct Reading(Arc<Mutex<Vec<String>>>);

#[dyn_dispatch_hint]
impl Intercept for Reading {
    fn name(&self) -> &'static str {
        "Reading"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Done {
        let body = context.request().body().bytes().ok_or("a body in memory")?;
        self.0
            .lock()
            .unwrap()
            .push(String::from_utf8(body.to_vec())?);
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Done {
        let body = context
            .response()
            .body()
            .bytes()
            .ok_or("a body in memory")?;
        self.0
            .lock()
            .unwrap()
            .push(String::from_utf8(body.to_vec())?);
        Ok(())
    }
}

pub async fn hooks_see_the_bytes(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    let reading = Reading::default();
    let config = db.engine().config().interceptor(reading.clone());
    let watched = db.through(config);
    note("n1", "some").put().send(&watched).await?;
    Note::key("n1").get().send(&watched).await?;
    let seen = reading.0.lock().unwrap();
    assert_eq!(seen.len(), 4);
    // A server may write white space and extra members, so the bodies are compared as JSON.
    let seen: Vec<serde_json::Value> = seen
        .iter()
        .map(|body| serde_json::from_str(body))
        .collect::<Result<_, _>>()?;
    for item in [&seen[0]["Item"], &seen[3]["Item"]] {
        assert_eq!(item["text"]["S"], "some", "{seen:?}");
    }
    assert!(seen[1].get("Attributes").is_none(), "{seen:?}");
    Ok(())
}

/// Replaces a text in requests, and another one in answers.
#[derive(Debug)]
struct Changing;

fn replaced(body: &SdkBody, old: &str, new: &str) -> Result<SdkBody, &'static str> {
    let bytes = body.bytes().ok_or("a body in memory")?;
    Ok(SdkBody::from(
        String::from_utf8_lossy(bytes).replace(old, new),
    ))
}

#[dyn_dispatch_hint]
impl Intercept for Changing {
    fn name(&self) -> &'static str {
        "Changing"
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Done {
        let request = context.request_mut();
        let body = replaced(request.body(), "plain", "sealed")?;
        let length = body.content_length().ok_or("a length")?.to_string();
        request.headers_mut().insert("content-length", length);
        *request.body_mut() = body;
        Ok(())
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Done {
        let response = context.response_mut();
        if let Ok(body) = replaced(response.body(), "sealed", "plain") {
            *response.body_mut() = body;
        }
        Ok(())
    }
}

pub async fn hooks_may_change_the_bytes(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    let sealing = db.through(db.engine().config().interceptor(Changing));
    let written = note("n1", "plain");
    written.create().send(&sealing).await?;
    assert_eq!(db.stored(&written.key()).await["text"], s("sealed"));
    let error = written.create().send(&sealing).await.unwrap_err();
    assert!(error.is_already_exists());
    // A server's answers are not in memory yet when that hook runs.
    if crate::support::engine::Kind::here() == crate::support::engine::Kind::Embedded {
        let read = Note::key("n1").get().send(&sealing).await?;
        assert_eq!(read, Some(written), "{:?}", db.mode());
    }
    Ok(())
}
